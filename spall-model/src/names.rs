//! Interned strings: names, categories and textual ids are stored once.

use core::cmp::Ordering;
use core::hash::{BuildHasher, Hasher};

use alloc::{borrow::Cow, string::String};
use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::{Text, dense_id, store::Store};

/// The number of a string in a trace's [`Names`]. Equal strings have equal numbers, so comparing numbers compares
/// strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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

/// The distinct strings of a trace, as bytes with JSON escapes decoded. They need not be UTF-8.
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
pub struct Names<'a> {
    store: Store<'a>,
    table: HashTable<NameId>,
    hasher: RandomState,
}

impl Default for Names<'_> {
    fn default() -> Self {
        let mut names =
            Self { store: Store::default(), table: HashTable::new(), hasher: RandomState::default() };
        names.intern(Text::EMPTY);
        names
    }
}

impl<'a> Names<'a> {
    /// Returns the bytes of a name, with JSON escapes decoded; they are empty for a number that the table does not
    /// have.
    #[must_use]
    pub fn bytes(&self, id: NameId) -> &[u8] {
        self.store.get(id.index())
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
        self.store.len()
    }

    /// Returns `false`: the empty string is always in the table.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over all names in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.store.get(index))
    }

    /// Returns the number of a string, or `None` if the trace does not have the string. It takes the time of one hash
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

    /// Returns the number of a text, which is added and borrowed from the input if it is new.
    pub(crate) fn intern(&mut self, text: Text<'a>) -> NameId {
        if text.is_escaped() {
            return self.intern_escaped(text);
        }
        self.find_or_push(text.raw(), |store| store.push_borrowed(text.raw()))
    }

    /// Interns a text that may have escapes. Only texts that do have them are copied.
    fn intern_escaped(&mut self, text: Text<'a>) -> NameId {
        match text.unescape() {
            Cow::Borrowed(bytes) => self.intern(Text::plain(bytes)),
            Cow::Owned(bytes) => self.intern_copied(&bytes),
        }
    }

    /// Returns the number of a string, which is added and copied if it is new.
    pub(crate) fn intern_copied(&mut self, bytes: &[u8]) -> NameId {
        self.find_or_push(bytes, |store| store.push_copied(bytes))
    }

    /// Returns the number of a name of another table, which is added if it is new.
    #[cfg(feature = "parallel")]
    pub(crate) fn intern_name_of(&mut self, other: &Names<'a>, name: NameId) -> NameId {
        match other.store.borrowed(name.index()) {
            Some(bytes) => self.intern(Text::plain(bytes)),
            None => self.intern_copied(other.bytes(name)),
        }
    }

    /// Returns the number of a string, which `push` adds to the store if it is new.
    fn find_or_push(&mut self, bytes: &[u8], push: impl FnOnce(&mut Store<'a>)) -> NameId {
        let hash = hash(&self.hasher, bytes);
        if let Some(&id) = self.table.find(hash, |&id| self.store.get(id.index()) == bytes) {
            return id;
        }
        self.push(hash, push)
    }

    /// Adds a string that the table does not have. It is out of line, because most strings of a file are known.
    #[cold]
    fn push(&mut self, hash: u64, push: impl FnOnce(&mut Store<'a>)) -> NameId {
        let Self { store, table, hasher } = self;
        // Each name is paid for by an event, and events are counted in 32 bits before they come here.
        let Ok(index) = u32::try_from(store.len()) else { return NameId::EMPTY };
        push(store);
        let id = NameId(index);
        table.insert_unique(hash, id, |&id| self::hash(hasher, store.get(id.index())));
        id
    }

    /// Returns the table with all strings in memory of its own. Numbers stay the same.
    pub(crate) fn into_owned(self) -> Names<'static> {
        Names { store: self.store.into_owned(), table: self.table, hasher: self.hasher }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.store.shrink_to_fit();
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
        assert_eq!(names.intern_copied(b"aAb"), plain);
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
