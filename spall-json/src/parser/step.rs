//! The result of one step of the parser through the document.

use spall_model::{DiagnosticKind, Event};

/// The result of a step. All positions are indices into the data.
pub(super) enum Step<'a> {
    /// The next step begins at this position. Nothing is yielded yet.
    Continue(usize),
    /// The data up to this position is consumed and made no event.
    ///
    /// The caller gets the turn, because the fast path can read the next event.
    Skip(usize),
    /// The data up to `consumed` is consumed. `bytes` is the range that `event` was read from.
    Event { consumed: usize, event: Event<'a>, bytes: (usize, usize) },
    /// The record at this position is incomplete.
    Wait(usize),
    /// The file ends at this position, inside the document.
    Eof(usize),
}

impl Step<'_> {
    /// Consumes the data up to `consumed` with a diagnostic about `bytes`.
    pub(super) fn diagnostic(kind: DiagnosticKind, consumed: usize, bytes: (usize, usize)) -> Self {
        Self::Event { consumed, event: Event::Diagnostic(kind), bytes }
    }

    /// Consumes all `data`, because the file ends inside the record at `pos`.
    #[cold]
    pub(super) fn truncated(data: &[u8], pos: usize) -> Self {
        Self::diagnostic(DiagnosticKind::Truncated, data.len(), (pos, data.len()))
    }
}
