//! The iterator over the calls of a stream. [apitrace C.4](crate::rules::apitrace#C.4)

use spall_model::{Diagnostic, Limits};

use super::call::Call;
use super::reader::{CallReader, Step};
use super::signature::Signatures;
use crate::FormatError;

/// An iterator over the calls of a decompressed stream, in the order in which they returned.
///
/// Calls that never returned come last, in the order in which they were entered.
///
/// The stream defines each signature once, where it is first used. The iterator keeps the positions of signatures and
/// the calls that are open, and nothing else.
///
/// ```
/// use spall_format::apitrace::{Calls, Token};
///
/// let stream = b"\x05\0\0\x07\x05flush\0\0\x01\0\x02\x04\x01\0";
/// let mut calls = Calls::new(stream)?;
/// let call = calls.next().unwrap()?;
/// assert_eq!(call.function(calls.signatures()).name, b"flush");
/// let mut returned = call.returned(calls.signatures()).unwrap();
/// assert_eq!(returned.next(), Some(Token::Integer(1)));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Calls<'a> {
    stream: &'a [u8],
    reader: CallReader,
    n_left_out: u64,
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
        Ok(Self { stream, reader: CallReader::new(stream)?, n_left_out: 0, is_done: false })
    }

    /// Sets the limits, of which only [`Limits::max_open_calls`] counts here. Call this before the first call is read.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.reader.set_max_open(limits.max_open_calls);
        self
    }

    /// Returns the version of the encoding, which is at most 6.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.reader.table.version
    }

    /// Returns the version that says what the calls mean to a replay. Before version 6 it is the same as
    /// [`Calls::version`].
    #[must_use]
    pub fn semantic_version(&self) -> u64 {
        self.reader.semantic_version
    }

    /// Returns an iterator over the properties of the traced program, as pairs of a name, such as `process.name`, and a
    /// value.
    ///
    /// They come in the order of the file. If a name occurs twice, the last value counts. Before version 6 there are
    /// none.
    pub fn properties(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        self.reader.properties(self.stream)
    }

    /// Returns the signatures that were met so far. They include those that the calls returned so far refer to.
    #[must_use]
    pub fn signatures(&self) -> Signatures<'_, 'a> {
        self.reader.signatures(self.stream)
    }

    /// Returns the number of enter and leave events that were read so far.
    #[must_use]
    pub fn n_events(&self) -> u64 {
        self.reader.n_events
    }

    /// Returns a diagnostic about the event that the end of the stream cuts off. Returns `None` before the end was
    /// reached, and if the stream ends between two events.
    #[must_use]
    pub fn truncated(&self) -> Option<Diagnostic> {
        self.reader.truncated
    }

    /// Returns the number of enter and leave events that were left out so far.
    ///
    /// A leave event is left out if no call with its number is open, and an enter event if too many calls are open.
    #[must_use]
    pub fn n_left_out(&self) -> u64 {
        self.n_left_out
    }

    /// Reads up to the next call of any kind.
    fn next_any(&mut self) -> Option<Result<Call, FormatError>> {
        while !self.is_done {
            match self.reader.next(self.stream, true) {
                Ok(Step::Call(call)) => return Some(Ok(call)),
                Ok(Step::Enter) => {}
                Ok(Step::LeftOut(_)) => self.n_left_out += 1,
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
