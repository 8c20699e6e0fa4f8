//! Brotli. \[apitrace C.1\]

use alloc::boxed::Box;
use alloc::vec;

use brotli_decompressor::{
    Allocator, BrotliDecompressStream, BrotliResult, BrotliState, SliceWrapper, SliceWrapperMut,
};

use super::{Output, STEP, Stop};

/// Decodes the stream, which must be all there is.
pub(super) fn unpack(data: &[u8], output: &mut Output) -> Result<(), Stop> {
    let mut state = BrotliState::new(Heap, Heap, Heap);
    // Windows over 16 MiB are no part of the format's standard, and the tool does not make them.
    state.large_window = false;
    let (mut left, mut used, mut total) = (data.len(), 0, 0);
    loop {
        let result = output.append(STEP, |space| {
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
        });
        if !output.has_room(0) {
            return Err(Stop::Full { at: used });
        }
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess if left > 0 => return Err(Stop::Junk { from: used }),
            BrotliResult::ResultSuccess => return Ok(()),
            BrotliResult::NeedsMoreInput => return Err(Stop::Cut { from: used }),
            BrotliResult::ResultFailure => return Err(Stop::Bad { from: used }),
        }
    }
}

/// Memory from the global allocator.
struct Heap;

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
