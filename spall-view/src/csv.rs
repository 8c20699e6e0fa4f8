//! Values as programs read them: lines of CSV, and times in nanoseconds.

use alloc::borrow::Cow;
use core::fmt::{self, Display};

use spall_trace::model::{Clock, Ticks};

/// Returns a text as a field of CSV (RFC 4180), with quotes around it if it needs them.
///
/// ```
/// assert_eq!(spall_view::csv_field("draw"), "draw");
/// assert_eq!(spall_view::csv_field("a \"b\", c"), "\"a \"\"b\"\", c\"");
/// ```
#[must_use]
pub fn csv_field(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// A duration as a number for programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A whole number of nanoseconds, or of ticks where these are no time.
    Whole(i64),
    /// A number of nanoseconds where a tick is not one of them.
    Fraction(f64),
}

impl Amount {
    /// Returns a number of nanoseconds, or of ticks where they are no time.
    #[must_use]
    pub fn new(clock: &Clock, duration: Ticks) -> Self {
        match clock.ns_per_tick() {
            Some(ns) if ns != 1.0 => Self::Fraction(duration.0 as f64 * ns),
            _ => Self::Whole(duration.0),
        }
    }
}

impl Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Fraction(number) => number.fmt(f),
        }
    }
}
