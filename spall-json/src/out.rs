//! The way from a reader of a whole document to the receiver of events.

use spall_model::{DiagnosticKind, Event, MetaEvent, Receiver};

use crate::args;
use crate::call::file_range;
use crate::lexer::TokenKind;
use crate::outline::Part;

/// The document, and the receiver of its events. Ranges of bytes are positions in the document.
pub(crate) struct Out<'a, 't, R> {
    pub(crate) data: &'a [u8],
    pub(crate) to: &'t mut R,
}

impl<'a, R: for<'e> Receiver<'e>> Out<'a, '_, R> {
    pub(crate) fn event(&mut self, event: &Event<'_>, bytes: (usize, usize)) {
        self.to.receive(event, file_range(0, bytes));
    }

    pub(crate) fn report(&mut self, kind: DiagnosticKind, bytes: (usize, usize)) {
        self.event(&Event::Diagnostic(kind), bytes);
    }

    /// Reports the damage behind which nothing was read, if there is any.
    pub(crate) fn damage(&mut self, at: Option<usize>) {
        let Some(at) = at else { return };
        let is_cut = at >= self.data.len();
        let kind = if is_cut { DiagnosticKind::Truncated } else { DiagnosticKind::ReadingStopped };
        self.report(kind, (at.min(self.data.len()), self.data.len()));
    }

    /// Hands over the members of an object that are no objects or arrays themselves, as facts of the file.
    pub(crate) fn facts(&mut self, object: Part<'_, 'a>) {
        for fact in object.parts() {
            let Some(token) = fact.token() else { continue };
            if !matches!(token.kind, TokenKind::Object | TokenKind::Array) {
                let value = args::value(self.data, token);
                self.event(&Event::Meta(MetaEvent::new(fact.key(), value)), (token.start, token.end));
            }
        }
    }
}
