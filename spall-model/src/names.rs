//! Interned strings: names, categories and textual ids are stored once.

use core::cmp::Ordering;
use core::hash::{BuildHasher, Hasher};

use alloc::{borrow::Cow, string::String};
use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::{Text, dense_id, store::Strings};

/// The number of a string in a trace's [`Names`]. Equal strings have equal numbers, so comparing numbers compares
/// strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct NameId(pub u32);

impl NameId {
    /// The empty string, which every table has.
    pub const EMPTY: Self = Self(0);

    /// Returns whether this is the empty string.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}

dense_id! {
    NameId: "[`Names::iter`]";
}

/// Distinct strings, such as those of a trace, as bytes with JSON escapes decoded. They need not be UTF-8.
///
/// ```
/// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let work = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::from("work"));
/// builder.push(&Event::Begin(work));
/// let trace = builder.finish();
///
/// let work = trace.names().find(b"work").unwrap();
/// assert!(trace.slices().names().iter().all(|&name| name == work));
/// ```
#[derive(Debug, Clone)]
pub struct Names {
    strings: Strings,
    table: HashTable<NameId>,
    hasher: RandomState,
}

impl Default for Names {
    fn default() -> Self {
        let mut names =
            Self { strings: Strings::default(), table: HashTable::new(), hasher: RandomState::default() };
        names.intern(Text::EMPTY);
        names
    }
}

impl Names {
    /// Returns the bytes of a name, with JSON escapes decoded; they are empty for a number that the table does not
    /// have.
    #[must_use]
    pub fn bytes(&self, id: NameId) -> &[u8] {
        self.strings.get(id.index())
    }

    /// Returns a name as text, with bad UTF-8 replaced by U+FFFD.
    #[must_use]
    pub fn text(&self, id: NameId) -> Cow<'_, str> {
        let bytes = self.bytes(id);
        // Nearly all names are ASCII, which this checks many bytes at a time.
        core::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
    }

    /// Returns the number of names, the empty one included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    /// Returns `false`: the empty string is always in the table.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over all names in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.strings.get(index))
    }

    /// Returns the number of a string, or `None` if the table does not have the string. It takes the time of one hash
    /// lookup, whatever the number of names.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<NameId> {
        let hash = hash(&self.hasher, name);
        self.table.find(hash, |&id| self.bytes(id) == name).copied()
    }

    /// Compares two names byte by byte.
    pub(crate) fn compare(&self, a: NameId, b: NameId) -> Ordering {
        if a == b { Ordering::Equal } else { self.bytes(a).cmp(self.bytes(b)) }
    }

    /// Returns the number of a text, which is added if it is new.
    pub(crate) fn intern(&mut self, text: Text<'_>) -> NameId {
        self.intern_bytes(&text.unescape())
    }

    /// Returns the number of a string, which is added if it is new. A table is for fewer than 2³² strings.
    pub fn intern_bytes(&mut self, bytes: &[u8]) -> NameId {
        let hash = hash(&self.hasher, bytes);
        if let Some(&id) = self.table.find(hash, |&id| self.bytes(id) == bytes) {
            return id;
        }
        self.push(hash, bytes)
    }

    /// Adds a string that the table does not have. It is out of line, because most strings of a file are known.
    #[cold]
    fn push(&mut self, hash: u64, bytes: &[u8]) -> NameId {
        let Self { strings, table, hasher } = self;
        // Each name is paid for by an event, and events are counted in 32 bits before they come here.
        let Ok(index) = u32::try_from(strings.len()) else { return NameId::EMPTY };
        strings.push(bytes);
        let id = NameId(index);
        table.insert_unique(hash, id, |&id| self::hash(hasher, strings.get(id.index())));
        id
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.strings.shrink_to_fit();
    }
}

/// Hashes the bytes alone. Hashing them as a slice would hash their number as well.
fn hash(hasher: &RandomState, bytes: &[u8]) -> u64 {
    let mut state = hasher.build_hasher();
    state.write(bytes);
    state.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_one_id_however_they_are_written() {
        let mut names = Names::default();
        let plain = names.intern(Text::plain(b"aAb"));
        assert_eq!(names.intern(Text::escaped(br"a\u0041b")), plain);
        assert_eq!(names.intern_bytes(b"aAb"), plain);
        assert_eq!(names.find(b"aAb"), Some(plain));
        assert_eq!(names.find(b"other"), None);
        assert_eq!(names.len(), 2);
        assert_eq!(names.intern(Text::EMPTY), NameId::EMPTY);
    }

    /// Names crafted to collide in one table are names like any other in the next.
    #[test]
    fn no_two_tables_hash_alike() {
        let hash = || hash(&Names::default().hasher, b"name");
        assert_ne!(hash(), hash());
    }
}
