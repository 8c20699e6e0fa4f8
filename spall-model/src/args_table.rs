//! The table of the arguments of a trace's events, undecoded.

use alloc::vec::Vec;
use core::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::{Args, ArgsFormat, store::Strings};

/// The number of a row of an [`ArgsTable`], counted from 1; 0 stands for no arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct ArgsId(pub(crate) u32);

impl ArgsId {
    /// The id of no arguments.
    pub(crate) const NONE: Self = Self(0);

    /// Returns the number that a row has in another table, modulo 2³²: `shift` more, and that of no row stays.
    pub(crate) fn shifted(self, shift: u32) -> Self {
        if self == Self::NONE { self } else { Self(self.0.wrapping_add(shift)) }
    }

    /// Returns the position of the row, or `None` if there is none.
    fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// A table of arguments. A row takes 9 bytes beside those of the arguments, and 4 more in a trace where a later one is
/// overlaid by another.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArgsTable {
    bytes: Strings,
    /// The encoding of every row, as a position in `formats`.
    format: Vec<u8>,
    formats: Vec<&'static ArgsFormat>,
    /// The row that overlays each row, as the arguments at the end of a slice overlay those at its begin. Rows without a cell
    /// have none.
    on_top: Vec<ArgsId>,
}

impl ArgsTable {
    /// Adds a copy of arguments. Returns [`ArgsId::NONE`] if there are none, if the table is full with 2³² − 2 rows, or for
    /// the encodings after the first 256.
    pub(crate) fn add(&mut self, args: Args<'_>) -> ArgsId {
        if args.is_none() {
            return ArgsId::NONE;
        }
        let Ok(index) = u32::try_from(self.bytes.len() + 1) else { return ArgsId::NONE };
        let Some(format) = self.format_of(args.format()) else { return ArgsId::NONE };
        self.bytes.push(args.bytes());
        self.format.push(format);
        ArgsId(index)
    }

    /// Adds a copy of arguments that many events have, such as the number of a processor. Arguments that `recent` has are not
    /// stored once more. No row of `recent` may be overlaid.
    pub(crate) fn add_shared(&mut self, args: Args<'_>, recent: &mut RecentArgs) -> ArgsId {
        if args.is_none() {
            return ArgsId::NONE;
        }
        let RecentArgs { rows, hasher } = recent;
        let hash = hasher.hash_one(args.bytes());
        let is_same = |&row: &ArgsId| {
            let known = self.get(row);
            known.bytes() == args.bytes() && core::ptr::eq(known.format(), args.format())
        };
        if let Some(&known) = rows.find(hash, is_same) {
            return known;
        }
        let new = self.add(args);
        if new != ArgsId::NONE {
            // Which are forgotten does not depend on hashes, so that a file that is loaded twice gives equal tables.
            if rows.len() == MAX_RECENT {
                rows.clear();
            }
            rows.insert_unique(hash, new, |&row| hasher.hash_one(self.get(row).bytes()));
        }
        new
    }

    /// Returns the number of an encoding, which is added if it is new, or `None` for the encodings after the first 256.
    /// There are few, so that a search is faster than a hash.
    fn format_of(&mut self, format: &'static ArgsFormat) -> Option<u8> {
        let known = self.formats.iter().position(|&known| core::ptr::eq(known, format));
        let position = known.unwrap_or(self.formats.len());
        let number = u8::try_from(position).ok()?;
        if known.is_none() {
            self.formats.push(format);
        }
        Some(number)
    }

    /// Returns the number of rows.
    #[cfg(feature = "parallel")]
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether the table can have its own encodings and those of another table.
    pub(crate) fn has_room_for_formats_of(&self, other: &Self) -> bool {
        self.formats.len() + other.formats.len() <= 1 << u8::BITS
    }

    /// Adds rows of another table. The table must have room for them and their encodings.
    pub(crate) fn append(&mut self, other: &Self, rows: core::ops::Range<usize>) {
        if rows.is_empty() {
            return;
        }
        let formats: Vec<_> = other.formats.iter().map(|format| self.format_of(format)).collect();
        let numbers = other.format.get(rows.clone()).unwrap_or_default();
        // There is room for all of them.
        let number_of =
            |number: &u8| formats.get(usize::from(*number)).copied().flatten().unwrap_or_default();
        self.format.extend(numbers.iter().map(number_of));
        self.bytes.append(&other.bytes, rows);
    }

    /// Adds all rows of another table, and returns what is added to their numbers; `None` if there is no room for them.
    pub(crate) fn append_all(&mut self, other: &Self) -> Option<u32> {
        let (shift, has_room) = (self.bytes.len(), self.has_room_for_formats_of(other));
        let _ = u32::try_from(shift + other.bytes.len() + 1).ok().filter(|_| has_room)?;
        let shift = u32::try_from(shift).ok()?;
        self.append(other, 0..other.bytes.len());
        if !other.on_top.is_empty() {
            self.on_top.resize(shift as usize, ArgsId::NONE);
            self.on_top.extend(other.on_top.iter().map(|then| then.shifted(shift)));
        }
        Some(shift)
    }

    /// Removes all rows.
    #[cfg(feature = "parallel")]
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.format.clear();
        self.formats.clear();
        self.on_top.clear();
    }

    /// Puts the row `then` on top of `first`, which has no row on top yet. Returns the row that stands for both.
    pub(crate) fn join(&mut self, first: ArgsId, then: ArgsId) -> ArgsId {
        let Some(index) = first.index() else { return then };
        if index >= self.on_top.len() {
            self.on_top.resize(self.bytes.len(), ArgsId::NONE);
        }
        if let Some(cell) = self.on_top.get_mut(index) {
            *cell = then;
        }
        first
    }

    /// Returns the arguments on top of a row; [`Args::NONE`] if there are none.
    pub(crate) fn on_top(&self, id: ArgsId) -> Args<'_> {
        let then = id.index().and_then(|index| self.on_top.get(index));
        then.map_or(Args::NONE, |&then| self.get(then))
    }

    /// Returns the arguments of a row; [`Args::NONE`] for [`ArgsId::NONE`].
    pub(crate) fn get(&self, id: ArgsId) -> Args<'_> {
        let row = || {
            let index = id.index()?;
            let format = self.formats.get(usize::from(*self.format.get(index)?))?;
            Some(Args::new(self.bytes.get(index), format))
        };
        row().unwrap_or(Args::NONE)
    }

    /// Shrinks the table after the last row was added.
    pub(crate) fn finish(&mut self) {
        self.on_top.shrink_to_fit();
        self.bytes.shrink_to_fit();
        self.format.shrink_to_fit();
    }
}

/// The rows of arguments that events share. If there are very many different ones, they are forgotten, and begin anew.
#[derive(Debug, Default)]
pub(crate) struct RecentArgs {
    rows: HashTable<ArgsId>,
    hasher: RandomState,
}

/// A machine has some hundred processors, and threads that wake others.
const MAX_RECENT: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_events_share_are_stored_once() {
        let (mut table, mut recent) = (ArgsTable::default(), RecentArgs::default());
        fn add(table: &mut ArgsTable, recent: &mut RecentArgs, text: &[u8]) -> ArgsId {
            table.add_shared(Args::text(text), recent)
        }
        let first = add(&mut table, &mut recent, b"cpu 1");
        let other = add(&mut table, &mut recent, b"cpu 2");
        assert_ne!(first, other);
        for _ in 0..1000 {
            assert_eq!(add(&mut table, &mut recent, b"cpu 2"), other);
        }
        assert_eq!(table.get(first), Args::text(b"cpu 1"));
        assert_eq!(add(&mut table, &mut recent, b""), ArgsId::NONE);
        // Very many different ones push each other out, and none is mistaken for another.
        for n in 0..5000_u32 {
            let bytes = n.to_le_bytes();
            let row = add(&mut table, &mut recent, &bytes);
            assert_eq!(table.get(row), Args::text(&bytes));
        }
    }
}
