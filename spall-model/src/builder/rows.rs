//! Slices while the trace is built: a record each, in the order of the file. Columns are made once the order is known.

use crate::{NameId, SliceFlags, Slices, Tick, args_table::ArgsId};

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

/// How many rows are turned into columns at once: few enough to stay in the first cache.
const BLOCK: usize = 256;

/// The slices in columns: slice `i` is row `order[i]`.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
pub(super) fn columns(rows: &[SliceRow], order: &[u32]) -> Slices {
    let mut slices = Slices::with_capacity(order.len());
    for block in order.chunks(BLOCK) {
        let rows = block.iter().map(|&row| &rows[row as usize]);
        slices.start.extend(rows.clone().map(|row| row.start));
        slices.end.extend(rows.clone().map(|row| row.end));
        slices.name.extend(rows.clone().map(|row| row.name));
        slices.category.extend(rows.clone().map(|row| row.category));
        slices.args.extend(rows.clone().map(|row| row.args));
        slices.flags.extend(rows.map(|row| row.flags));
    }
    slices
}
