//! Ids of processes, threads, async spans, objects and flows.

use core::fmt;

use crate::Text;

/// The id of a process, a thread, an async span, an object or a flow, as an event has it.
///
/// An id is a number, or a text where the file has text. Numbers are signed, and 0 and negative numbers are ids like
/// any other. A text that is a decimal number is that number: readers normalise it, so `"7"` and `7` name one
/// thread. An id takes 16 bytes, which keeps events small.
///
/// ```
/// use spall_model::Id;
///
/// assert_eq!(Id::from(7), Id::Number(7));
/// assert_eq!(Id::from("7"), Id::Number(7));
/// assert_eq!(Id::from("io"), Id::Text(b"io"));
/// assert_eq!(Id::from("io").to_string(), "io");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Id<'a> {
    /// An integer. Where [`Conventions::unsigned_ids`](crate::Conventions::unsigned_ids) is set, the bits of the
    /// number are those of a `u64`.
    Number(i64),
    /// The content of a JSON string, escapes included. Ids of this kind are compared byte for byte.
    Text(&'a [u8]),
}

impl<'a> Id<'a> {
    /// The empty text. As a process id it stands for what belongs to no process; such a process has the title `Global`. As
    /// the id of a span or of its parent it says that there is none.
    pub const NONE: Self = Self::Text(b"");

    /// Returns the text of a textual id, or `None` for a number. A thread, process or object without a name is shown
    /// under this text.
    #[must_use]
    pub const fn text(self) -> Option<Text<'a>> {
        match self {
            Self::Number(_) => None,
            Self::Text(bytes) => Some(Text::escaped(bytes)),
        }
    }
}

macro_rules! from_lossless {
    ($($integer:ty),*) => {
        $(impl From<$integer> for Id<'_> {
            fn from(number: $integer) -> Self {
                Self::Number(i64::from(number))
            }
        })*
    };
}

from_lossless!(i32, i64, u32);

impl From<u64> for Id<'_> {
    /// Keeps the bits of the number, so that different numbers stay different ids.
    ///
    /// A number of 2⁶³ or more becomes negative. A trace shows it as unsigned again if
    /// [`Conventions::unsigned_ids`](crate::Conventions::unsigned_ids) is set.
    fn from(number: u64) -> Self {
        Self::Number(number.cast_signed())
    }
}

impl From<usize> for Id<'_> {
    /// Keeps the bits of the number, as for `u64`.
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

impl<'a> From<&'a str> for Id<'a> {
    /// Reads the text as readers do: a decimal number without leading zeros and with no sign but `-` is a number, and
    /// anything else is the content of a JSON string, in which a backslash starts an escape.
    fn from(text: &'a str) -> Self {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_canonical = match digits.as_bytes() {
            [b'1'..=b'9', ..] => true,
            digits => digits == b"0" && text == "0",
        };
        let number = text.parse().ok().filter(|_| is_canonical);
        number.map_or(Self::Text(text.as_bytes()), Self::Number)
    }
}

/// Writes the number as a signed one, or the text with its escapes decoded and bad UTF-8 replaced.
impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => fmt::Display::fmt(number, f),
            Self::Text(bytes) => fmt::Display::fmt(&Text::escaped(bytes), f),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Id<'_> {
    /// Writes a signed number, or the decoded text as a string.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(bytes) => serializer.collect_str(&Text::escaped(bytes)),
        }
    }
}

/// The ids that name a thread: that of its process and its own. Thread ids are only unique inside their process.
///
/// ```
/// use spall_model::{Id, Thread};
///
/// let thread = Thread::new(1, "worker");
/// assert_eq!((thread.pid, thread.tid), (Id::Number(1), Id::Text(b"worker")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Thread<'a> {
    /// The id of the process. In Heph it is the id of the stream.
    pub pid: Id<'a>,
    /// The id of the thread. In Heph it is the id of the substream.
    pub tid: Id<'a>,
}

impl<'a> Thread<'a> {
    /// Returns the thread with these ids.
    pub fn new(pid: impl Into<Id<'a>>, tid: impl Into<Id<'a>>) -> Self {
        Self { pid: pid.into(), tid: tid.into() }
    }
}

/// Writes both ids with a slash between them, such as `1/7`.
impl fmt::Display for Thread<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pid, self.tid)
    }
}

// A reference is never null, so that the number fits beside it where a pointer has 64 bits: no third word is needed.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Id<'_>>() == size_of::<&[u8]>());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ids_are_decoded_lazily() {
        assert_eq!(Id::Number(3).text(), None);
        assert_eq!(Id::Text(b"a\\n").text(), Some(Text::escaped(b"a\\n")));
    }

    #[test]
    fn ids_compare_by_value() {
        assert_eq!(Thread::new(1_u32, -2), Thread { pid: Id::Number(1), tid: Id::Number(-2) });
        assert_ne!(Id::Text(b"7"), Id::Number(7));
    }

    #[test]
    fn integers_are_ids() {
        assert_eq!([Id::from(-1), Id::from(-1_i64)], [Id::Number(-1); 2]);
        assert_eq!([Id::from(9_u32), Id::from(9_u64), Id::from(9_usize)], [Id::Number(9); 3]);
        assert_eq!(Id::from(u64::MAX), Id::Number(-1));
    }

    #[test]
    fn a_text_that_is_a_decimal_number_is_that_number() {
        for (text, number) in [("0", 0), ("7", 7), ("-12", -12), ("-9223372036854775808", i64::MIN)] {
            assert_eq!(Id::from(text), Id::Number(number), "{text}");
        }
        for text in ["", "-", "-0", "+7", "007", "7 ", "0x1", "9223372036854775808", "io"] {
            assert_eq!(Id::from(text), Id::Text(text.as_bytes()), "{text}");
        }
    }
}
