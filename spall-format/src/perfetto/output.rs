//! The receiver of a packet's events.

use spall_model::{ByteRange, DiagnosticKind, Event, Receiver};

use super::clock::Fit;
use crate::protobuf::Damaged;

/// The receiver, and the bytes that events come from.
pub(super) struct Output<'r> {
    pub(super) to: &'r mut dyn for<'e> Receiver<'e>,
    pub(super) bytes: ByteRange,
}

impl Output<'_> {
    #[inline]
    pub(super) fn say(&mut self, event: &Event<'_>) {
        self.to.receive(event, self.bytes);
    }

    #[cold]
    pub(super) fn report(&mut self, kind: DiagnosticKind) {
        self.say(&Event::Diagnostic(kind));
    }

    /// Reports a message of which only a part can be read. [perfetto 1.3](crate::rules::perfetto#1.3)
    #[inline]
    pub(super) fn check(&mut self, whole: Result<(), Damaged>) {
        if whole.is_err() {
            self.report(DiagnosticKind::DamagedMessage);
        }
    }

    /// Reports a time that is not what the packet says. [perfetto 3.2](crate::rules::perfetto#3.2)
    #[inline]
    pub(super) fn fit(&mut self, fit: Fit) {
        match fit {
            Fit::Fits => {}
            Fit::Clamped => self.report(DiagnosticKind::TimeOutOfRange),
            Fit::Unrelated => self.report(DiagnosticKind::UnknownClock),
        }
    }
}
