//! The iterator over the calls of a stream. [apitrace C.4](crate::rules::apitrace#C.4)

use alloc::vec::Vec;

use spall_model::Args;

use super::call::Call;
use super::reader::{CallReader, Step};
use super::signature::Signatures;
use crate::FormatError;

/// An iterator over the calls of a decompressed stream, in the order in which they returned.
///
/// Calls that never returned come last, in the order in which they were entered. An enter event where 2¹⁶ calls are
/// open is left out, and so is a leave event of a call that is not open. A real recording has about one open call for each of
/// its threads.
///
/// The stream defines each signature once, where it is first used. The iterator keeps the positions of signatures and
/// the calls that are open, and nothing else.
///
/// ```
/// use spall_format::apitrace::Calls;
///
/// let stream = b"\x05\0\0\x07\x05flush\x01\x04mode\x01\0\x04\x2a\0\x01\0\x02\x02\0";
/// let mut calls = Calls::new(stream)?;
/// let call = calls.next().unwrap()?;
/// assert_eq!((call.number, call.thread), (0, 0));
/// assert_eq!(calls.name(&call), b"flush");
/// let mut memory = Vec::new();
/// assert_eq!(calls.arguments(&call, &mut memory).to_string(), "mode=42, return=true");
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Calls<'a> {
    stream: &'a [u8],
    pub(super) reader: CallReader,
    is_done: bool,
}

impl<'a> Calls<'a> {
    /// Creates an iterator over the calls of `stream`, and reads the head of the stream.
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::UnsupportedVersion`](crate::FormatErrorKind::UnsupportedVersion) for versions above 6. It returns
    /// [`FormatErrorKind::UnexpectedEof`](crate::FormatErrorKind::UnexpectedEof) if the stream ends inside its head, and [`FormatErrorKind::NumberTooLong`](crate::FormatErrorKind::NumberTooLong)
    /// if the head is damaged.
    pub fn new(stream: &'a [u8]) -> Result<Self, FormatError> {
        Ok(Self { stream, reader: CallReader::new(stream)?, is_done: false })
    }

    /// Returns the name of the function of a call that this iterator returned. It is empty for a call of another stream.
    #[must_use]
    pub fn name(&self, call: &Call) -> &'a [u8] {
        call.function(self.signatures()).name
    }

    /// Returns the arguments of a call and, as the argument `return`, the value that the function returned, then as `backtrace` the
    /// frames of the call stack, innermost first. They are written into `memory`, whose content is lost.
    ///
    /// A value of an enum or bitmask is its name, a pointer is a hexadecimal text, a structure is a map, and of a value
    /// in two forms the one for people counts. Binary data is a text that says its length. An argument that has one
    /// value before the call and another one after it is there twice.
    ///
    /// A call may use long names that the file gives only once. The arguments end with one of the name `…` where they
    /// would take more than 32 bytes plus 4 times the bytes of the call, and where the function has more than 127.
    #[inline]
    pub fn arguments<'m>(&self, call: &Call, memory: &'m mut Vec<u8>) -> Args<'m> {
        call.arguments(self.signatures(), memory)
    }

    /// Returns the signatures that were met so far. They include those that the calls returned so far refer to.
    pub(super) fn signatures(&self) -> Signatures<'_, 'a> {
        self.reader.signatures(self.stream)
    }

    /// Reads up to the next call of any kind.
    fn next_any(&mut self) -> Option<Result<Call, FormatError>> {
        while !self.is_done {
            match self.reader.next(self.stream, true) {
                Ok(Step::Call(call)) => return Some(Ok(call)),
                Ok(Step::Enter | Step::LeftOut(_)) => {}
                Ok(Step::NeedMore(_) | Step::End) => self.is_done = true,
                Err(error) => {
                    self.is_done = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

impl Iterator for Calls<'_> {
    type Item = Result<Call, FormatError>;

    /// Returns the next call.
    ///
    /// Invalid bytes end the stream, because nothing behind them can be found. The open calls then come as calls that
    /// never returned, and the error comes last.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.reader.next_plain(self.stream) {
            Some(call) => Some(Ok(call)),
            None => self.next_any(),
        }
    }
}

impl core::iter::FusedIterator for Calls<'_> {}

/// Returns whether the first bytes of a decompressed stream are those of a recording.
///
/// Such a stream has no magic number, so this tries to read the first two calls, whose functions have names.
///
/// ```
/// use spall_format::apitrace::is_recording;
///
/// assert!(is_recording(b"\x05\0\0\x07\x05flush\0\0\x01\0\0"));
/// assert!(!is_recording(b"[{}]"));
/// ```
#[must_use]
pub fn is_recording(stream: &[u8]) -> bool {
    // So many bytes do not look like the beginning of one long call by chance.
    const LARGE: usize = 256 << 10;
    let Ok(mut calls) = Calls::new(stream) else { return false };
    let has_name = |calls: &Calls<'_>, call: &Call| {
        let name = calls.name(call);
        // `glClear`, `IDirect3DDevice9::Clear`
        !name.is_empty() && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte))
    };
    match calls.next() {
        // In a file of zeros, the functions would have no names.
        Some(Ok(call)) if has_name(&calls, &call) => match calls.next() {
            Some(Ok(call)) => has_name(&calls, &call),
            Some(Err(_)) => false,
            None => true,
        },
        Some(_) => false,
        // The first call may be larger than what was looked at.
        None => stream.len() >= LARGE && calls.reader.truncated.is_some(),
    }
}
