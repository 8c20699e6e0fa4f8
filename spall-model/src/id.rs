//! What names a process, a thread, an async span, an object or a flow.

use crate::Text;

/// A number, or text where the file has text.
///
/// Numbers are signed: 0 and negative ids are ids like any other. Text that is a decimal number in range is a
/// number (readers normalise it), so `"7"` and `7` are one thread. Two words wide, which keeps events small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Id<'a> {
    /// An integer that fits.
    Number(i64),
    /// The content of a JSON string with its escapes untouched; compared byte for byte.
    Text(&'a [u8]),
}

impl<'a> Id<'a> {
    /// The text of a textual id, which is also its default name.
    #[must_use]
    pub fn text(self) -> Option<Text<'a>> {
        match self {
            Self::Number(_) => None,
            Self::Text(bytes) => Some(Text::escaped(bytes)),
        }
    }
}

impl From<i64> for Id<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Id<'_> {
    fn from(number: u32) -> Self {
        Self::Number(i64::from(number))
    }
}

/// A thread of a process. Thread ids are only unique inside their process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Thread<'a> {
    /// The process (for Heph its stream).
    pub pid: Id<'a>,
    /// The thread (for Heph its substream).
    pub tid: Id<'a>,
}

impl<'a> Thread<'a> {
    /// A thread by its two ids.
    pub fn new(pid: impl Into<Id<'a>>, tid: impl Into<Id<'a>>) -> Self {
        Self { pid: pid.into(), tid: tid.into() }
    }
}

// A slice reference leaves room for the number beside its null niche: text costs no third word,
// where the number is no longer than a word.
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
        assert_eq!(Thread::new(1_u32, -2_i64), Thread { pid: Id::Number(1), tid: Id::Number(-2) });
        assert_ne!(Id::Text(b"7"), Id::Number(7));
    }
}
