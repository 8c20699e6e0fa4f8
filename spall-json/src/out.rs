//! The way from a reader of a whole document to the receiver of events.

use spall_model::{
    Budget, DiagnosticKind, Event, FrameEvent, FrameParent, FrameTable, Id, MetaEvent, Receiver, SampleEvent,
    Text,
};

use crate::args;
use crate::call::file_range;
use crate::lexer::TokenKind;
use crate::outline::Part;

/// The document, and the receiver of its events. Ranges of bytes are positions in the document.
pub(crate) struct Out<'a, 't, R> {
    pub(crate) data: &'a [u8],
    to: &'t mut R,
    /// What pays for call frames, and for samples.
    frames: Budget,
    samples: Budget,
}

impl<'a, 't, R: for<'e> Receiver<'e>> Out<'a, 't, R> {
    pub(crate) fn new(data: &'a [u8], to: &'t mut R) -> Self {
        Self { data, to, frames: Budget::default(), samples: Budget::default() }
    }

    pub(crate) fn event(&mut self, event: &Event<'_>, bytes: (usize, usize)) {
        self.to.receive(event, file_range(0, bytes));
    }

    /// Pays for a call frame. Returns whether the document is large enough for it.
    pub(crate) fn pay_for_frame(&mut self) -> bool {
        self.frames.spend(Budget::FRAME, self.data.len() as u64)
    }

    /// Hands over a sample. One for which the document is too small is reported instead.
    pub(crate) fn sample(&mut self, sample: SampleEvent<'_>, bytes: (usize, usize)) {
        if self.samples.spend(Budget::SAMPLE, self.data.len() as u64) {
            self.event(&Event::Sample(sample), bytes);
        } else {
            self.report(DiagnosticKind::SampleCount, bytes);
        }
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
        object.parts().for_each(|fact| self.fact(fact));
    }

    /// Hands over a member of an object as a fact of the file, unless it is an object or an array itself.
    pub(crate) fn fact(&mut self, fact: Part<'_, 'a>) {
        let Some(token) = fact.token() else { return };
        if !matches!(token.kind, TokenKind::Object | TokenKind::Array) {
            let value = args::value(self.data, token);
            self.event(&Event::Meta(MetaEvent::new(fact.key(), value)), (token.start, token.end));
        }
    }
}

/// A function, as far as a file describes it. Lines and columns are counted from 0.
#[derive(Default)]
pub(crate) struct Place<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) url: Text<'a>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
}

impl<'a> Place<'a> {
    /// Returns the call frame of the function, which threads share.
    pub(crate) fn frame(self, id: impl Into<Id<'a>>, parent: FrameParent<'a>) -> FrameEvent<'a> {
        let mut frame = FrameEvent::new(FrameTable::Shared, id, parent, self.name);
        (frame.url, frame.line, frame.column) = (self.url, self.line, self.column);
        frame
    }
}
