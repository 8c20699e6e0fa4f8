//! The position of a parser in a file that consists of buffers.

use spall_model::{ByteRange, DiagnosticKind, Event, Progress, Receiver};

use crate::FormatError;

/// The position of a parser, and the buffer around it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The position in the file of the next data.
    pub(super) offset: u64,
    /// The end of the current buffer. It is beyond `offset` only if a record of the buffer comes next.
    pub(super) buffer_end: u64,
    /// How reading has ended; `None` before its end.
    pub(super) end: Option<Result<Progress, FormatError>>,
}

impl Place {
    /// The start of a file.
    pub(super) const START: Self = Self { offset: 0, buffer_end: 0, end: None };

    /// Returns how many bytes of the buffer are left.
    #[inline]
    pub(super) fn left(&self) -> u64 {
        self.buffer_end.saturating_sub(self.offset)
    }

    /// Returns the part of `data` that is in the buffer.
    #[inline]
    pub(super) fn enclosed<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        usize::try_from(self.left()).ok().and_then(|left| data.get(..left)).unwrap_or(data)
    }

    /// Returns the range in the file of the next `length` bytes.
    #[inline]
    pub(super) fn next(&self, length: usize) -> ByteRange {
        ByteRange::new(self.offset, self.offset + length as u64)
    }

    /// Hands over an event of the next `length` bytes, which it consumes.
    pub(super) fn hand_over<'a>(
        &mut self,
        length: usize,
        event: &Event<'a>,
        to: &mut dyn Receiver<'a>,
    ) -> Progress {
        let bytes = self.next(length);
        self.offset = bytes.end;
        to.receive(event, bytes);
        Progress::Read(length)
    }

    /// Consumes the header of a buffer, behind which `size` bytes belong to it.
    pub(super) fn enter_buffer(&mut self, header: usize, size: u64) -> Progress {
        self.offset += header as u64;
        self.buffer_end = self.offset + size;
        Progress::Read(header)
    }

    /// Returns the time of the record of `length` bytes that comes next. A time that is out of range is reported and
    /// clamped.
    pub(super) fn clamped(&self, when: u64, length: usize, to: &mut dyn Receiver<'_>) -> i64 {
        i64::try_from(when).unwrap_or_else(|_| {
            to.receive(&Event::Diagnostic(DiagnosticKind::TimeOutOfRange), self.next(length));
            i64::MAX
        })
    }

    /// Handles the case that `data` is too short for the `needed` bytes that come next: more input is asked for, or the
    /// file ends here, inside a record or between two.
    pub(super) fn short(
        &mut self,
        needed: usize,
        data: &[u8],
        eof: bool,
        to: &mut dyn Receiver<'_>,
    ) -> Progress {
        if !eof {
            return Progress::NeedMore(needed.saturating_sub(data.len()).max(1));
        }
        self.end = Some(Ok(Progress::End));
        if data.is_empty() && self.left() == 0 {
            return Progress::End;
        }
        self.buffer_end = 0;
        self.hand_over(data.len(), &Event::Diagnostic(DiagnosticKind::Truncated), to)
    }

    /// Ends reading with an error.
    pub(super) fn fail(&mut self, error: FormatError) -> Result<Progress, FormatError> {
        *self.end.insert(Err(error))
    }
}
