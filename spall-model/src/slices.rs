//! Slices as a structure of arrays.

use alloc::vec::Vec;

use crate::{IdRange, NameId, Tick, args_table::ArgsId, id_range::dense_id};

/// The number of a slice in [`crate::Trace::slices`]; the slices of a track are consecutive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceId(pub u32);

dense_id! {
    SliceId: "the columns of [`Slices`]";
}

/// What is special about a slice, and how many pairs were open around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SliceFlags(u32);

impl SliceFlags {
    /// Nothing is special.
    pub const NONE: Self = Self(0);
    /// Made of a begin and an end, in an order that proves which pair lies in which.
    pub const PAIRED: Self = Self(1);
    /// The file does not say where it ends; the end recorded is where a viewer draws it.
    pub const UNFINISHED: Self = Self(2);
    /// Its end was earlier than its start and was moved there.
    pub const CLAMPED: Self = Self(4);
    /// The name of its end is another one.
    pub const NAME_MISMATCH: Self = Self(8);
    /// Its end was found by another reading than "the most recent open begin". \[json 3.2\]
    pub const REPAIRED: Self = Self(16);

    /// Inferred from CPU samples; the file does not have it. \[cpu 4\]
    pub const SAMPLED: Self = Self(32);

    /// A slice without duration lies inside it although it begins where this one ends: the sample that ends the function
    /// is of the same time. Only slices that are [`SliceFlags::SAMPLED`] have this flag.
    pub const CARRIES_AT_END: Self = Self(64);

    /// Its end has no name. Only pairing needs to know.
    pub(crate) const UNNAMED_END: Self = Self(128);

    const BITS: u32 = 8;
    const MAX_OPEN_DEPTH: u32 = u32::MAX >> Self::BITS;

    /// Whether all of `other` is set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These and those.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These without those.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// See [`SliceFlags::PAIRED`].
    #[must_use]
    pub const fn is_paired(self) -> bool {
        self.contains(Self::PAIRED)
    }

    /// See [`SliceFlags::UNFINISHED`].
    #[must_use]
    pub const fn is_unfinished(self) -> bool {
        self.contains(Self::UNFINISHED)
    }

    /// How many pairs of the thread were open when a pair began; on an async track the depth of a span in its group.
    /// Saturates at 2²⁴ − 1.
    #[must_use]
    pub const fn open_depth(self) -> u32 {
        self.0 >> Self::BITS
    }

    /// The same flags with another depth.
    #[must_use]
    pub const fn with_open_depth(self, depth: u32) -> Self {
        let depth = if depth > Self::MAX_OPEN_DEPTH { Self::MAX_OPEN_DEPTH } else { depth };
        Self(self.0 & !(u32::MAX << Self::BITS) | depth << Self::BITS)
    }
}

/// Slices, 32 bytes each: element `i` of every array belongs to slice `i`.
#[derive(Debug, Clone, Default)]
pub struct Slices {
    pub(crate) start: Vec<Tick>,
    pub(crate) end: Vec<Tick>,
    pub(crate) name: Vec<NameId>,
    pub(crate) category: Vec<NameId>,
    pub(crate) args: Vec<ArgsId>,
    pub(crate) flags: Vec<SliceFlags>,
}

/// One slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Where it begins.
    pub start: Tick,
    /// Where it ends, never before its start.
    pub end: Tick,
    /// What it is called.
    pub name: NameId,
    /// Comma-separated categories.
    pub category: NameId,
    /// What is special about it.
    pub flags: SliceFlags,
}

impl Slices {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Returns the ids of all slices.
    #[must_use]
    pub fn ids(&self) -> IdRange<SliceId> {
        IdRange::new(SliceId(0), SliceId::new(self.len()))
    }

    /// Where each begins.
    #[must_use]
    pub fn starts(&self) -> &[Tick] {
        &self.start
    }

    /// Where each ends, never before its start.
    #[must_use]
    pub fn ends(&self) -> &[Tick] {
        &self.end
    }

    /// What each is called.
    #[must_use]
    pub fn names(&self) -> &[NameId] {
        &self.name
    }

    /// The categories of each.
    #[must_use]
    pub fn categories(&self) -> &[NameId] {
        &self.category
    }

    /// What is special about each.
    #[must_use]
    pub fn flags(&self) -> &[SliceFlags] {
        &self.flags
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: SliceId) -> Option<Slice> {
        let index = id.index();
        Some(Slice {
            start: *self.start.get(index)?,
            end: *self.end.get(index)?,
            name: *self.name.get(index)?,
            category: *self.category.get(index)?,
            flags: *self.flags.get(index)?,
        })
    }

    pub(crate) fn push(&mut self, slice: Slice, args: ArgsId) {
        self.start.push(slice.start);
        self.end.push(slice.end);
        self.name.push(slice.name);
        self.category.push(slice.category);
        self.args.push(args);
        self.flags.push(slice.flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_depth_share_a_word() {
        let flags = SliceFlags::PAIRED.with_open_depth(u32::MAX).with(SliceFlags::UNFINISHED);
        assert!(flags.is_paired() && flags.is_unfinished() && !flags.contains(SliceFlags::CLAMPED));
        assert_eq!(flags.open_depth(), 0x00ff_ffff);
        assert_eq!(flags.with_open_depth(7).open_depth(), 7);
        assert!(flags.with_open_depth(7).is_paired());
    }
}
