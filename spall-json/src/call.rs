//! A call of the parser, which leads to the receiver of events.

use spall_model::{ByteRange, DiagnosticKind, Event, Receiver};

/// What a call of the parser got. Ranges of bytes are indices into the data.
///
/// The receiver is behind a pointer, so that everything but the fast path is compiled once for all receivers.
pub(crate) struct Call<'a, 't> {
    pub(crate) data: &'a [u8],
    /// Whether the file ends with the data.
    pub(crate) eof: bool,
    /// The position in the file of the data's first byte.
    pub(crate) offset: u64,
    pub(crate) to: &'t mut dyn Receiver<'a>,
}

impl<'a> Call<'a, '_> {
    /// Hands an event over.
    pub(crate) fn event(&mut self, event: &Event<'a>, bytes: (usize, usize)) {
        self.to.receive(event, file_range(self.offset, bytes));
    }

    /// Hands a diagnostic over.
    pub(crate) fn report(&mut self, kind: DiagnosticKind, bytes: (usize, usize)) {
        self.event(&Event::Diagnostic(kind), bytes);
    }

    /// Consumes all data, because the file ends inside the record at `pos`.
    pub(crate) fn truncated(&mut self, pos: usize) -> usize {
        self.report(DiagnosticKind::Truncated, (pos, self.data.len()));
        self.data.len()
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
