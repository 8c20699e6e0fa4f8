//! The brotli decoder. [apitrace C.1](crate::rules::apitrace#C.1)

use alloc::boxed::Box;
use alloc::vec;

use brotli_decompressor::{
    Allocator, BrotliDecompressStream, BrotliResult, BrotliState, SliceWrapper, SliceWrapperMut,
};

use super::{DecodeFailure, Output, STEP};

/// Decodes one brotli stream. Bytes behind it are junk.
pub(super) fn decode(data: &[u8], output: &mut Output) -> Result<(), DecodeFailure> {
    let mut state = BrotliState::new(Heap, Heap, Heap);
    // RFC 7932 ends at windows of 16 MiB. Larger ones are an extension that the tool does not use, and would let a
    // small file claim much memory.
    state.large_window = false;
    let (mut left, mut used, mut total) = (data.len(), 0, 0);
    loop {
        let at = used;
        let result = output.append(STEP, at, |space| {
            let (mut free, mut written) = (space.len(), 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut used,
                data,
                &mut free,
                &mut written,
                space,
                &mut total,
                &mut state,
            );
            (written, result)
        })?;
        match result {
            BrotliResult::NeedsMoreOutput if output.is_full() => {
                return Err(DecodeFailure::OutputFull { at: used });
            }
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess if left > 0 => return Err(DecodeFailure::Junk { from: used }),
            BrotliResult::ResultSuccess => return Ok(()),
            BrotliResult::NeedsMoreInput => return Err(DecodeFailure::Truncated { from: used }),
            BrotliResult::ResultFailure => return Err(DecodeFailure::Invalid { from: used }),
        }
    }
}

/// An allocator for the decoder that uses the global one.
struct Heap;

/// A block of memory of [`Heap`].
struct Memory<T>(Box<[T]>);

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self(Box::default())
    }
}

impl<T> SliceWrapper<T> for Memory<T> {
    fn slice(&self) -> &[T] {
        &self.0
    }
}

impl<T> SliceWrapperMut<T> for Memory<T> {
    fn slice_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Clone + Default> Allocator<T> for Heap {
    type AllocatedMemory = Memory<T>;

    fn alloc_cell(&mut self, len: usize) -> Memory<T> {
        Memory(vec![T::default(); len].into_boxed_slice())
    }

    fn free_cell(&mut self, _: Memory<T>) {}
}
