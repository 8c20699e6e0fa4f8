//! The receiver of a packet's events.

use spall_model::{
    Args, ArgsFormat, ByteRange, CounterEvent, DiagnosticKind, Event, Id, Receiver, Text, Tick, Value,
};

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

    /// Hands over a value of a counter of a process, which may have an id.
    #[inline]
    pub(super) fn counter(&mut self, (pid, id): (Id<'_>, Option<Id<'_>>), name: &[u8], at: i64, value: f64) {
        let value = value.to_le_bytes();
        let mut event = CounterEvent::new(pid, Tick(at), Text::plain(name), Args::new(&value, &VALUE));
        event.id = id;
        self.say(&Event::Counter(event));
    }

    #[cold]
    pub(super) fn report(&mut self, kind: DiagnosticKind) {
        self.say(&Event::Diagnostic(kind));
    }

    /// Reports a message of which only a part can be read. [perfetto 1.3](crate::rules::perfetto#1.3)
    #[inline]
    pub(super) fn check(&mut self, whole: Result<(), Damaged>) {
        if whole.is_err() {
            self.report(DiagnosticKind::DamagedRecord);
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

/// The encoding of the value of a counter: a float, little-endian, whose series is `value`.
static VALUE: ArgsFormat = ArgsFormat::new("counter value", |bytes, pos| {
    let value = bytes.get(*pos..)?.first_chunk()?;
    *pos = bytes.len();
    Some((Text::plain(b"value"), Value::F64(f64::from_le_bytes(*value))))
});
