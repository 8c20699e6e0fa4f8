//! Search results that survive merging: every rectangle can say how many of its slices match. \[layout 13\]

use alloc::vec::Vec;

use spall_model::{NameId, SliceId, Trace};

use crate::bits::BitVector;
use crate::{Layout, Rect, RowId};

/// The slices of a layout that match a search: one bit per slice, and a count per 64.
///
/// Goes with the layout it was made of.
#[derive(Debug, Clone, Default)]
pub struct Hits {
    /// In the order of the layout's rows, and of their slices.
    bits: BitVector,
}

impl Hits {
    /// The slices whose name `matches`. The caller is asked once per name of the trace, however many slices have it.
    #[must_use]
    pub fn new(trace: &Trace<'_>, layout: &Layout, mut matches: impl FnMut(NameId) -> bool) -> Self {
        let mut known: Vec<Option<bool>> = alloc::vec![None; trace.names().len()];
        let names = trace.slices().names();
        Self::of_slices(layout, |slice| {
            let Some(&name) = names.get(slice.index()) else { return false };
            match known.get_mut(name.index()) {
                Some(known) => *known.get_or_insert_with(|| matches(name)),
                None => matches(name),
            }
        })
    }

    /// The slices that `matches` says.
    #[must_use]
    pub fn of_slices(layout: &Layout, mut matches: impl FnMut(SliceId) -> bool) -> Self {
        let mut hits = Self::default();
        for slices in layout.ids.chunks(64) {
            hits.bits.push(slices.iter().rev().fold(0, |word, &slice| word << 1 | u64::from(matches(slice))));
        }
        hits
    }

    /// How many slices match.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.bits.n_set()
    }

    /// Whether none do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of the slices that a rectangle stands for match. O(1).
    #[must_use]
    pub fn in_rect(&self, layout: &Layout, rect: &Rect) -> u32 {
        let first = layout.first_slice(rect.row) + rect.first as usize;
        self.bits.rank(first + rect.count as usize) - self.bits.rank(first)
    }

    /// How many slices of a row match. O(1).
    #[must_use]
    pub fn in_row(&self, layout: &Layout, row: RowId) -> u32 {
        let Some(view) = layout.row(row) else { return 0 };
        let first = layout.first_slice(row);
        self.bits.rank(first + view.len()) - self.bits.rank(first)
    }

    /// The next slice behind another on its track that matches, in the order of the trace: by start, longer first.
    /// O(log n) for each row of the track.
    #[must_use]
    pub fn next(&self, layout: &Layout, slice: SliceId) -> Option<SliceId> {
        let track = layout.row_info(layout.row_of(slice)?)?.track;
        let in_row = |row| {
            let view = layout.row(RowId(row))?;
            let first = layout.first_slice(RowId(row));
            let behind = first + view.slices().partition_point(|&id| id <= slice);
            let hit = self.bits.select(self.bits.rank(behind))?;
            view.slices().get(hit - first).copied()
        };
        layout.track_rows(track).filter_map(in_row).min()
    }

    /// The latest slice before another on its track that matches, as [`Hits::next`].
    #[must_use]
    pub fn previous(&self, layout: &Layout, slice: SliceId) -> Option<SliceId> {
        let track = layout.row_info(layout.row_of(slice)?)?.track;
        let in_row = |row| {
            let view = layout.row(RowId(row))?;
            let first = layout.first_slice(RowId(row));
            let end = first + view.slices().partition_point(|&id| id < slice);
            let hit = self.bits.select(self.bits.rank(end).checked_sub(1)?)?;
            view.slices().get(hit.checked_sub(first)?).copied()
        };
        layout.track_rows(track).filter_map(in_row).max()
    }
}
