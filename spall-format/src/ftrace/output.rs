//! The receiver of events, and the counters whose names are put together.

use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use spall_model::{
    Args, ArgsFormat, ByteRange, CounterEvent, DiagnosticKind, Event, Id, Receiver, Text, Tick, Value,
};

/// The receiver, and the bytes that events come from.
pub(crate) struct Output<'r> {
    pub(crate) to: &'r mut dyn for<'e> Receiver<'e>,
    pub(crate) bytes: ByteRange,
}

impl Output<'_> {
    #[inline]
    pub(crate) fn say(&mut self, event: &Event<'_>) {
        self.to.receive(event, self.bytes);
    }

    /// Hands over a value of a counter of a process, which may have an id.
    #[inline]
    pub(crate) fn counter(&mut self, (pid, id): (Id<'_>, Option<Id<'_>>), name: &[u8], at: i64, value: f64) {
        let value = value.to_le_bytes();
        let mut event = CounterEvent::new(pid, Tick(at), Text::plain(name), Args::new(&value, &VALUE));
        event.id = id;
        self.say(&Event::Counter(event));
    }

    #[cold]
    pub(crate) fn report(&mut self, kind: DiagnosticKind) {
        self.say(&Event::Diagnostic(kind));
    }
}

/// The encoding of the value of a counter: a float, little-endian, whose series is `value`.
static VALUE: ArgsFormat = ArgsFormat::new("counter value", |bytes, pos| {
    let value = bytes.get(*pos..)?.first_chunk()?;
    *pos = bytes.len();
    Some((Text::plain(b"value"), Value::F64(f64::from_le_bytes(*value))))
});

/// A name that is being put together.
#[derive(Debug, Default)]
pub(crate) struct NameBuffer(Vec<u8>);

impl fmt::Write for NameBuffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Names are put together for each value, so a long one would be copied again and again.
        let room = MAX_NAME.saturating_sub(self.0.len());
        self.0.extend_from_slice(text.as_bytes().get(..room).unwrap_or(text.as_bytes()));
        Ok(())
    }
}

/// The most bytes of a name that is put together.
const MAX_NAME: usize = 1024;

/// What counters are handed over with.
pub(crate) struct Counters<'c, 'r> {
    pub(crate) name: &'c mut NameBuffer,
    pub(crate) at: i64,
    pub(crate) out: &'c mut Output<'r>,
}

impl Counters<'_, '_> {
    /// Hands over a value of the counter of this name.
    pub(crate) fn say(&mut self, pid: Id<'_>, name: fmt::Arguments<'_>, value: f64) {
        self.name.0.clear();
        // Writing into memory does not fail.
        let _ = self.name.write_fmt(name);
        self.out.counter((pid, None), &self.name.0, self.at, value);
    }

    pub(crate) fn global(&mut self, name: fmt::Arguments<'_>, value: u64) {
        self.say(Id::NONE, name, float(value));
    }
}

/// Returns a number as the value of a counter.
#[allow(clippy::cast_precision_loss, reason = "a counter's value is a float, as in every reader")]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

/// Returns a number with a sign as the value of a counter.
#[inline]
#[allow(clippy::cast_precision_loss, reason = "a counter's value is a float, as in every reader")]
pub(crate) fn signed_float(number: i64) -> f64 {
    number as f64
}

/// Writes bytes as text, and bad UTF-8 as U+FFFD.
pub(crate) struct Shown<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Text::plain(self.0), f)
    }
}
