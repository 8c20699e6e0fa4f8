//! Texts that packets refer to by number. [perfetto 2.2](crate::rules::perfetto#2.2)

use alloc::boxed::Box;
use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::proto::numbers::interned_data;

/// A memory of texts, which grows only. A text is there as often as the file has it.
#[derive(Debug, Clone, Default)]
pub(super) struct Strings {
    bytes: Vec<u8>,
}

/// The place of a text in [`Strings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Place {
    start: usize,
    len: u32,
}

impl Place {
    pub(super) const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The most bytes of a name that events refer to, so that none of very many events costs more than that.
const MAX_NAME: usize = 1 << 14;

/// Returns a name as far as it is kept.
pub(super) fn cut(name: &[u8]) -> &[u8] {
    name.get(..MAX_NAME).unwrap_or(name)
}

impl Strings {
    /// Adds a text. One of 4 GiB or more is cut.
    pub(super) fn add(&mut self, text: &[u8]) -> Place {
        let start = self.bytes.len();
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(text.get(..len as usize).unwrap_or_default());
        Place { start, len }
    }

    #[inline]
    pub(super) fn get(&self, place: Place) -> &[u8] {
        self.bytes.get(place.start..).and_then(|rest| rest.get(..place.len as usize)).unwrap_or_default()
    }
}

/// A table of interned texts, which is the number of its field in `InternedData`.
pub(super) type Table = u32;

/// What is known of tables.
pub(super) mod table {
    use super::{Table, interned_data};

    /// Returns whether the texts of a table are names of events or of call frames.
    pub(super) const fn is_name(table: Table) -> bool {
        matches!(
            table,
            interned_data::EVENT_CATEGORIES
                | interned_data::EVENT_NAMES
                | interned_data::FUNCTION_NAMES
                | interned_data::SOURCE_PATHS
                | interned_data::KERNEL_SYMBOLS
        )
    }

    /// Returns whether the entries of a table are kept whole. Of the others only the text is kept, which is their field 2.
    pub(super) const fn is_message(table: Table) -> bool {
        matches!(
            table,
            interned_data::SOURCE_LOCATIONS
                | interned_data::FRAMES
                | interned_data::CALLSTACKS
                | interned_data::MAPPINGS
                | interned_data::UNSYMBOLIZED_SOURCE_LOCATIONS
                | interned_data::STACK_SAMPLE_TASK_CONTEXTS
                | interned_data::STACK_SAMPLE_EXECUTION_CONTEXTS
                | interned_data::STACK_SAMPLE_COUNTER_DESCRIPTORS
                | interned_data::STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTORS
        )
    }
}

/// The interned texts of a sequence, by table and number.
// There may be very many sequences, of which most have no texts.
#[derive(Debug, Clone, Default)]
pub(super) struct Interned(Option<Box<Tables>>);

#[derive(Debug, Clone, Default)]
struct Tables {
    /// The entries of the first tables, which nearly all events refer to, by number. An entry whose start is
    /// [`usize::MAX`] is missing.
    dense: [Vec<Place>; 3],
    others: HashMap<(Table, u64), Place, RandomState>,
    /// What was made of an interned message, by its place and a number.
    known: HashMap<(Place, u32), u32, RandomState>,
    /// How often entries were replaced or forgotten.
    version: u64,
}

/// The entry of a number that was not interned.
const MISSING: Place = Place { start: usize::MAX, len: 0 };

impl Interned {
    /// Adds an entry. A later entry of a number replaces the earlier one. Returns whether the whole text was kept.
    pub(super) fn add(&mut self, table: Table, entry: &[u8], strings: &mut Strings) -> bool {
        use crate::protobuf::Message as _;
        let found = super::schema::InternedText::of(entry);
        if found.iid == 0 {
            return true;
        }
        let text = if table::is_name(table) { cut(found.text) } else { found.text };
        let is_whole = text.len() == found.text.len();
        let is_replaced = self.get(table, found.iid).is_some();
        let tables = self.0.get_or_insert_default();
        tables.version += u64::from(is_replaced);
        let place = strings.add(if table::is_message(table) { entry } else { text });
        let dense = usize::try_from(table).ok().and_then(|table| tables.dense.get_mut(table.checked_sub(1)?));
        if let (Some(dense), Ok(at)) = (dense, usize::try_from(found.iid)) {
            // Numbers count up from 1, and an entry makes the list longer by two at most.
            if at <= dense.len() + 1 {
                if at >= dense.len() {
                    dense.resize(at + 1, MISSING);
                }
                if let Some(slot) = dense.get_mut(at) {
                    *slot = place;
                }
                return is_whole;
            }
        }
        tables.others.insert((table, found.iid), place);
        is_whole
    }

    /// Returns an entry: its text, or the whole message for the tables that hold messages. Returns `None` if there is no
    /// such entry.
    #[inline]
    pub(super) fn get(&self, table: Table, iid: u64) -> Option<Place> {
        let tables = self.0.as_ref()?;
        let dense = tables.dense.get((table as usize).wrapping_sub(1));
        let found =
            dense.and_then(|dense| dense.get(usize::try_from(iid).ok()?)).filter(|found| **found != MISSING);
        found.or_else(|| tables.others.get(&(table, iid))).copied()
    }

    /// Returns a number that changes when an entry is replaced or forgotten. New entries do not change it.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        self.0.as_ref().map_or(0, |tables| tables.version)
    }

    /// Returns what was made of an interned message.
    pub(super) fn known(&self, message: Place, number: u32) -> Option<u32> {
        self.0.as_ref()?.known.get(&(message, number)).copied()
    }

    /// Keeps what was made of an interned message, and returns it.
    pub(super) fn remember(&mut self, message: Place, number: u32, made: u32) -> u32 {
        self.0.get_or_insert_default().known.insert((message, number), made);
        made
    }

    /// Forgets all entries.
    pub(super) fn clear(&mut self) {
        if let Some(tables) = &mut self.0 {
            tables.dense.iter_mut().for_each(Vec::clear);
            tables.others.clear();
            tables.known.clear();
            tables.version += 1;
        }
    }
}
