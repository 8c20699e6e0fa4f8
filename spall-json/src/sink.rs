//! The way to the receiver of events.

use spall_model::{ByteRange, DiagnosticKind, Event, Receiver};

/// The receiver of the events of one call. Ranges of bytes are indices into the data of the call.
///
/// The receiver is behind a pointer, so that everything but the fast path is compiled once for all receivers.
pub(crate) struct Sink<'a, 't> {
    /// The position in the file of the data's first byte.
    offset: u64,
    to: &'t mut dyn Receiver<'a>,
}

impl<'a, 't> Sink<'a, 't> {
    pub(crate) fn new(offset: u64, to: &'t mut dyn Receiver<'a>) -> Self {
        Self { offset, to }
    }

    /// Hands an event over.
    pub(crate) fn event(&mut self, event: &Event<'a>, bytes: (usize, usize)) {
        self.to.receive(event, file_range(self.offset, bytes));
    }

    /// Hands a diagnostic over.
    pub(crate) fn report(&mut self, kind: DiagnosticKind, bytes: (usize, usize)) {
        self.event(&Event::Diagnostic(kind), bytes);
    }

    /// Hands over a diagnostic about a range of the file that may begin before the data.
    pub(crate) fn report_range(&mut self, kind: DiagnosticKind, bytes: ByteRange) {
        self.to.receive(&Event::Diagnostic(kind), bytes);
    }
}

/// Returns the range in the file of a range in the data, whose first byte is at `offset` of the file.
#[inline]
pub(crate) fn file_range(offset: u64, bytes: (usize, usize)) -> ByteRange {
    // A usize always fits: no platform has pointers over 64 bits.
    let at = |pos: usize| offset.saturating_add(u64::try_from(pos).unwrap_or(u64::MAX));
    ByteRange::new(at(bytes.0), at(bytes.1))
}
