//! Slices while the trace is built: a record each, in the order of the file. Columns are made once the order is known.

use crate::{NameId, SliceFlags, Slices, Tick, args_table::ArgsId, log::Log};

/// A slice in the making.
// One record and not a row of columns: a push then has one capacity to check, and sorting touches one cache line.
#[derive(Debug, Clone, Copy)]
pub(super) struct SliceRow {
    pub(super) start: Tick,
    pub(super) end: Tick,
    pub(super) name: NameId,
    pub(super) category: NameId,
    pub(super) args: ArgsId,
    pub(super) flags: SliceFlags,
    pub(super) track: u32,
    /// What pairing knows: see [`super::pairing`].
    pub(super) pair: u32,
}

const _: () = assert!(size_of::<SliceRow>() == 40);

/// The slices in columns: slice `i` is row `order[i]`.
pub(super) fn columns(rows: &Log<SliceRow>, order: &[u32]) -> Slices {
    // Row by row, as a row is found in one of many pieces.
    let cells = order.iter().map(|&row| {
        let SliceRow { start, end, name, category, args, flags, .. } = rows[row];
        (start, end, name, category, args, flags)
    });
    let (start, end, name, category, args, flags) = cells.collect();
    Slices { start, end, name, category, args, flags }
}
