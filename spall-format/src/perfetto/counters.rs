//! Counters whose names are put together of several facts.

use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use spall_model::{Id, Text, ThreadMeasure};

use super::output::Output;

/// A name that is being put together.
#[derive(Debug, Default)]
pub(super) struct NameBuffer(Vec<u8>);

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
pub(super) struct Counters<'c, 'r> {
    pub(super) name: &'c mut NameBuffer,
    pub(super) at: i64,
    pub(super) out: &'c mut Output<'r>,
}

impl Counters<'_, '_> {
    /// Hands over a value of the counter of this name.
    pub(super) fn say(&mut self, pid: Id<'_>, name: fmt::Arguments<'_>, value: f64) {
        self.name.0.clear();
        // Writing into memory does not fail.
        let _ = self.name.write_fmt(name);
        self.out.counter((pid, None), &self.name.0, self.at, value);
    }

    pub(super) fn global(&mut self, name: fmt::Arguments<'_>, value: u64) {
        self.say(Id::NONE, name, float(value));
    }
}

/// Returns the name of the counter of a thread, if the file has none.
pub(super) const fn counter_name(measure: ThreadMeasure) -> &'static str {
    match measure {
        ThreadMeasure::Time => "thread_time",
        ThreadMeasure::Instructions => "thread_instruction_count",
    }
}

/// Returns a number as the value of a counter.
#[allow(clippy::cast_precision_loss, reason = "a counter's value is a float, as in every reader")]
pub(super) fn float(number: u64) -> f64 {
    number as f64
}

/// Returns a number with a sign as the value of a counter.
#[inline]
#[allow(clippy::cast_precision_loss, reason = "a counter's value is a float, as in every reader")]
pub(super) fn signed_float(number: i64) -> f64 {
    number as f64
}

/// Writes bytes as text, and bad UTF-8 as U+FFFD.
pub(super) struct Shown<'a>(pub(super) &'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Text::plain(self.0), f)
    }
}
