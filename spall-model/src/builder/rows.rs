//! The slices of a builder: one row each, in the order of the file.

use alloc::{vec, vec::Vec};

use crate::{NameId, SliceFlags, Slices, Tick, args_table::ArgsId, log::Log};

use super::registry::index32;

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

/// Returns the slices in columns, with those of each track in the order of their rows. `next` is where the first slice of
/// each track goes. `placed` is called for each run of rows that stay side by side, with the slice that the first of them
/// becomes and their number.
///
/// No order of all rows is made, and each piece of the log is freed as soon as it is copied. So the log and the columns
/// take little more memory together than the larger of them.
pub(super) fn columns_by_track(
    rows: Log<SliceRow>,
    next: &mut [u32],
    mut placed: impl FnMut(u32, u32),
) -> Slices {
    let mut columns = Columns::new(rows.len());
    for piece in rows.into_pieces() {
        for run in piece.chunk_by(|a, b| a.track == b.track) {
            let Some(next) = run.first().and_then(|row| next.get_mut(row.track as usize)) else { continue };
            for run in run.chunks(RUN) {
                columns.fill(*next as usize, run);
                placed(*next, index32(run.len()));
                *next += index32(run.len());
            }
        }
    }
    columns.finish()
}

/// The number of rows that are copied at a time, column by column. They stay in the first-level cache meanwhile.
const RUN: usize = 256;

/// The number of rows from which on they are copied column by column.
const SHORT_RUN: usize = 8;

/// Columns that are filled in any order.
///
/// Their items are plain numbers, because a list of those can be allocated as zeros. The operating system provides such
/// memory when it is first written, so a part of a column takes none before it is filled, and a column of categories or
/// arguments that no slice has takes none at all.
struct Columns {
    start: Vec<i64>,
    end: Vec<i64>,
    name: Vec<u32>,
    category: Vec<u32>,
    args: Vec<u32>,
    flags: Vec<u32>,
}

impl Columns {
    fn new(n_slices: usize) -> Self {
        Self {
            start: vec![0; n_slices],
            end: vec![0; n_slices],
            name: vec![NameId::EMPTY.0; n_slices],
            category: vec![NameId::EMPTY.0; n_slices],
            args: vec![ArgsId::NONE.0; n_slices],
            flags: vec![SliceFlags::NONE.0; n_slices],
        }
    }

    /// Copies rows to the slices from position `at` on.
    fn fill(&mut self, at: usize, rows: &[SliceRow]) {
        // Where threads take turns after every few events, a loop for each column is not worth its setup.
        if rows.len() < SHORT_RUN {
            return rows.iter().zip(at..).for_each(|(row, at)| self.set(at, row));
        }
        fn each<T>(column: &mut [T], at: usize, rows: &[SliceRow], set: impl Fn(&mut T, &SliceRow)) {
            let cells = column.get_mut(at..).unwrap_or_default();
            cells.iter_mut().zip(rows).for_each(|(cell, row)| set(cell, row));
        }
        each(&mut self.start, at, rows, |cell, row| *cell = row.start.0);
        each(&mut self.end, at, rows, |cell, row| *cell = row.end.0);
        each(&mut self.name, at, rows, |cell, row| *cell = row.name.0);
        each(&mut self.flags, at, rows, |cell, row| *cell = row.flags.0);
        if rows.iter().any(|row| row.category != NameId::EMPTY) {
            each(&mut self.category, at, rows, |cell, row| *cell = row.category.0);
        }
        if rows.iter().any(|row| row.args != ArgsId::NONE) {
            each(&mut self.args, at, rows, |cell, row| *cell = row.args.0);
        }
    }

    /// Copies one row to the slice at position `at`.
    #[inline]
    fn set(&mut self, at: usize, row: &SliceRow) {
        fn put<T>(column: &mut [T], at: usize, value: T) {
            if let Some(cell) = column.get_mut(at) {
                *cell = value;
            }
        }
        put(&mut self.start, at, row.start.0);
        put(&mut self.end, at, row.end.0);
        put(&mut self.name, at, row.name.0);
        put(&mut self.category, at, row.category.0);
        put(&mut self.args, at, row.args.0);
        put(&mut self.flags, at, row.flags.0);
    }

    /// Returns the columns as those of slices. The memory stays where it is.
    fn finish(self) -> Slices {
        Slices {
            start: self.start.into_iter().map(Tick).collect(),
            end: self.end.into_iter().map(Tick).collect(),
            name: self.name.into_iter().map(NameId).collect(),
            category: self.category.into_iter().map(NameId).collect(),
            args: self.args.into_iter().map(ArgsId).collect(),
            flags: self.flags.into_iter().map(SliceFlags).collect(),
        }
    }
}
