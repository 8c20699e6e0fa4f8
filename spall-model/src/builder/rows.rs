//! The slices of a builder: one row each, in the order of the file.

use crate::{NameId, SliceFlags, Slices, Tick, args_table::ArgsId, log::Log};

/// A slice that a builder holds.
// Slices are rows here and columns only in the finished trace: a push of a row checks one capacity instead of six,
// and a comparison of two rows touches two cache lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct SliceRow {
    pub(super) start: Tick,
    /// The time of the end. Until a pair is closed, it is the time of the begin.
    pub(super) end: Tick,
    pub(super) name: NameId,
    pub(super) category: NameId,
    pub(super) args: ArgsId,
    pub(super) flags: SliceFlags,
    /// The track, by builder number.
    pub(super) track: u32,
    /// The state of a begin/end pair, in one of four meanings:
    /// - [`SliceRow::NO_PAIR`]: the slice is not a pair.
    /// - A number above the row's own: the pair is closed, and that many rows existed at its end.
    /// - A number below the row's own: the pair is open, and this is the next open row around it.
    /// - [`SliceRow::OPEN`]: the pair is open and outermost, or all events were read and no end has closed it.
    pub(super) pair: u32,
}

// Rows are most of the memory of a builder: one word more would be 8 bytes for each slice.
const _: () = assert!(size_of::<SliceRow>() == 40);

impl SliceRow {
    /// The `pair` of a slice that is not a pair. A closed pair never has this value, because its own row existed at
    /// its end. An open pair inside row 0 has it too, so that the value is meaningful only once all events were read.
    pub(super) const NO_PAIR: u32 = 0;
    /// The number that stands for no row.
    pub(super) const OPEN: u32 = u32::MAX;

    /// Returns whether a row that began as a pair still has no end. `number` is its own number.
    #[inline]
    pub(super) fn is_open(&self, number: u32) -> bool {
        self.pair == Self::OPEN || self.pair < number
    }
}

/// Returns the slices in columns: slice `i` is row `order[i]`.
pub(super) fn columns(rows: &Log<SliceRow>, order: &[u32]) -> Slices {
    // A lookup in the log takes a division and two loads, so that one lookup serves all columns.
    let cells = order.iter().map(|&row| {
        let SliceRow { start, end, name, category, args, flags, .. } = rows[row];
        (start, end, name, category, args, flags)
    });
    let (start, end, name, category, args, flags) = cells.collect();
    Slices { start, end, name, category, args, flags }
}
