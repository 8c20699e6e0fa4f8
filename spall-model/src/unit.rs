//! The unit of a trace's ticks.

use core::fmt;

/// The unit of a tick: a number of nanoseconds, a byte, or one of the things that a file counts instead of time.
///
/// ```
/// use spall_model::{Clock, Ticks, Unit, UnitName};
///
/// let text = |unit, ticks| Clock::new(unit).duration(Ticks(ticks)).to_string();
/// assert_eq!(text(Unit::Nanoseconds(1.0), 1500), "1.5 µs");
/// assert_eq!(text(Unit::Bytes, 1500), "1.5 kB");
/// assert_eq!(text(Unit::Count(UnitName::new("samples")), 3), "3 samples");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Unit {
    /// A tick is this many nanoseconds. The number is finite and positive.
    Nanoseconds(f64),
    /// A tick is a byte, as in a profile of memory.
    Bytes,
    /// A tick is one of the things with this name, such as a sample.
    Count(UnitName),
}

impl Unit {
    /// The unit of a file without time whose ticks number its events.
    pub const EVENTS: Self = Self::Count(UnitName::new("events"));

    /// Returns the name of what a tick counts, such as `bytes` or `samples`, or `None` if a tick is a time.
    #[must_use]
    pub fn counted(&self) -> Option<&str> {
        match self {
            Self::Nanoseconds(_) => None,
            Self::Bytes => Some("bytes"),
            Self::Count(name) => Some(name.as_str()),
        }
    }
}

/// The name of what ticks count, in the plural, such as `samples` or `allocations`. Of a longer name it has the first
/// [`UnitName::MAX_LEN`] bytes.
///
/// ```
/// use spall_model::UnitName;
///
/// assert_eq!(UnitName::new("allocations").as_str(), "allocations");
/// assert_eq!(UnitName::new("things that have a long name").as_str(), "things that have a lon");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnitName {
    bytes: [u8; Self::MAX_LEN],
    len: u8,
}

impl UnitName {
    /// The number of bytes that a name has room for.
    pub const MAX_LEN: usize = 22;

    /// Returns a name, or as many of its characters as there is room for.
    #[must_use]
    pub const fn new(name: &str) -> Self {
        let mut len = 0_u8;
        let mut n = 0;
        // A name of more bytes than there is room for ends with the last whole character.
        while n <= Self::MAX_LEN && n <= name.len() {
            if name.is_char_boundary(n) {
                #[expect(clippy::cast_possible_truncation, reason = "it is at most `MAX_LEN`")]
                {
                    len = n as u8;
                }
            }
            n += 1;
        }
        let mut bytes = [0; Self::MAX_LEN];
        bytes.split_at_mut(len as usize).0.copy_from_slice(name.as_bytes().split_at(len as usize).0);
        Self { bytes, len }
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.len)).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl fmt::Debug for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for UnitName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for UnitName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <alloc::borrow::Cow<'de, str> as serde::Deserialize<'de>>::deserialize(deserializer)?;
        Ok(Self::new(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_between_characters() {
        assert_eq!(UnitName::new("").as_str(), "");
        let full = "twenty-two bytes long.";
        assert_eq!((full.len(), UnitName::new(full).as_str()), (UnitName::MAX_LEN, full));
        assert_eq!(UnitName::new("twenty-one bytes longé").as_str(), "twenty-one bytes long");
        assert_eq!(UnitName::new("twenty bytes are hereé").as_str(), "twenty bytes are here");
        assert_eq!(size_of::<Unit>(), 24);
    }
}
