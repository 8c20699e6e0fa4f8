//! The slices of a builder: one row each, in the order of the file.

use alloc::{vec, vec::Vec};

use crate::{NameId, SliceFlags, Slices, Tick, args_table::ArgsId, log::Log, workers::Workers};

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
pub(super) fn columns(rows: &Log<SliceRow>, order: &[u32], workers: Workers) -> Slices {
    if workers.len() > 1 {
        let mut columns = Columns::new(order.len());
        let parts = columns.parts(RUN * PIECES).zip(order.chunks(RUN * PIECES));
        workers.each(
            parts,
            || (),
            |(), ((mut times, mut facts), order)| {
                for (&row, at) in order.iter().zip(0..) {
                    let row = &rows[row];
                    times.set(at, row);
                    facts.set(at, row);
                }
            },
        );
        return columns.finish();
    }
    // A lookup in the log takes a division and two loads, so that one lookup serves all columns.
    let cells = order.iter().map(|&row| {
        let SliceRow { start, end, name, category, args, flags, .. } = rows[row];
        (start, end, name, category, args, flags)
    });
    let (start, end, name, category, args, flags) = cells.collect();
    Slices { start, end, name, category, args, flags }
}

/// Returns the slices in columns, with those of each track in the order of their rows. `first` has the first slice of
/// each track. `placed` is called for each run of rows that stay side by side, with the slice that the first of them
/// becomes and their number.
///
/// No order of all rows is made, and pieces of the log are freed as soon as they are copied. So the log and the columns
/// take little more memory together than the larger of them.
pub(super) fn columns_by_track(
    rows: Log<SliceRow>,
    first: &[u32],
    workers: Workers,
    mut placed: impl FnMut(u32, u32) + Send,
) -> Slices {
    let mut columns = Columns::new(rows.len());
    let (mut times, mut facts) = columns.halves();
    let mut next = first.to_vec();
    let mut pieces = rows.into_pieces();
    if workers.len() == 1 {
        for piece in pieces {
            for_each_run(&piece, &mut next, |at, run| {
                fill(&mut times, &mut facts, at as usize, run);
                placed(at, index32(run.len()));
            });
        }
        return columns.finish();
    }
    // The rows are read twice, at the same time, and one half of the columns is filled in each reading.
    let mut next_facts = next.clone();
    loop {
        let pieces: Vec<_> = pieces.by_ref().take(PIECES).collect();
        if pieces.is_empty() {
            return columns.finish();
        }
        let fill_times = || {
            for piece in &pieces {
                for_each_run(piece, &mut next, |at, run| times.fill(at as usize, run));
            }
        };
        let fill_facts = || {
            for piece in &pieces {
                for_each_run(piece, &mut next_facts, |at, run| {
                    facts.fill(at as usize, run);
                    placed(at, index32(run.len()));
                });
            }
        };
        workers.join(fill_times, fill_facts);
    }
}

/// Copies rows to the slices from position `at` on.
#[inline(always)]
fn fill(times: &mut TimeColumns<'_>, facts: &mut FactColumns<'_>, at: usize, rows: &[SliceRow]) {
    // Where threads take turns after every few events, a loop for each column is not worth its setup.
    if rows.len() < SHORT_RUN {
        for (row, at) in rows.iter().zip(at..) {
            times.set(at, row);
            facts.set(at, row);
        }
        return;
    }
    times.fill(at, rows);
    facts.fill(at, rows);
}

/// Calls `place` for each run of rows that stay side by side in the columns, with the slice that the first of them
/// becomes. `next` has the next slice of each track.
#[inline(always)]
fn for_each_run(rows: &[SliceRow], next: &mut [u32], mut place: impl FnMut(u32, &[SliceRow])) {
    for run in rows.chunk_by(|a, b| a.track == b.track) {
        let Some(next) = run.first().and_then(|row| next.get_mut(row.track as usize)) else { continue };
        for run in run.chunks(RUN) {
            place(*next, run);
            *next += index32(run.len());
        }
    }
}

/// The number of pieces of the log that two threads copy together before they are freed. They are 10 MiB, which takes
/// much longer to copy than it takes to start a thread.
const PIECES: usize = 64;

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

    /// Returns the columns in two halves, which can be filled at the same time.
    fn halves(&mut self) -> (TimeColumns<'_>, FactColumns<'_>) {
        let Self { start, end, name, category, args, flags } = self;
        (TimeColumns { start, end }, FactColumns { name, category, args, flags })
    }

    /// Returns parts of all columns with `len` slices each, except for the last.
    fn parts(&mut self, len: usize) -> impl Iterator<Item = (TimeColumns<'_>, FactColumns<'_>)> + Send {
        let times = self.start.chunks_mut(len).zip(self.end.chunks_mut(len));
        let names = self.name.chunks_mut(len).zip(self.category.chunks_mut(len));
        let facts = names.zip(self.args.chunks_mut(len).zip(self.flags.chunks_mut(len)));
        times.zip(facts).map(|((start, end), ((name, category), (args, flags)))| {
            (TimeColumns { start, end }, FactColumns { name, category, args, flags })
        })
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

/// The columns with times of some slices.
struct TimeColumns<'c> {
    start: &'c mut [i64],
    end: &'c mut [i64],
}

/// The other columns of some slices.
struct FactColumns<'c> {
    name: &'c mut [u32],
    category: &'c mut [u32],
    args: &'c mut [u32],
    flags: &'c mut [u32],
}

impl TimeColumns<'_> {
    /// Copies rows to the slices from position `at` on.
    #[inline(always)]
    fn fill(&mut self, at: usize, rows: &[SliceRow]) {
        each(self.start, at, rows, |cell, row| *cell = row.start.0);
        each(self.end, at, rows, |cell, row| *cell = row.end.0);
    }

    /// Copies one row to the slice at position `at`.
    #[inline(always)]
    fn set(&mut self, at: usize, row: &SliceRow) {
        put(self.start, at, row.start.0);
        put(self.end, at, row.end.0);
    }
}

impl FactColumns<'_> {
    /// Copies rows to the slices from position `at` on.
    #[inline(always)]
    fn fill(&mut self, at: usize, rows: &[SliceRow]) {
        each(self.name, at, rows, |cell, row| *cell = row.name.0);
        each(self.flags, at, rows, |cell, row| *cell = row.flags.0);
        if rows.iter().any(|row| row.category != NameId::EMPTY) {
            each(self.category, at, rows, |cell, row| *cell = row.category.0);
        }
        if rows.iter().any(|row| row.args != ArgsId::NONE) {
            each(self.args, at, rows, |cell, row| *cell = row.args.0);
        }
    }

    /// Copies one row to the slice at position `at`.
    #[inline(always)]
    fn set(&mut self, at: usize, row: &SliceRow) {
        put(self.name, at, row.name.0);
        put(self.category, at, row.category.0);
        put(self.args, at, row.args.0);
        put(self.flags, at, row.flags.0);
    }
}

/// Sets the cells of a column from position `at` on.
#[inline(always)]
fn each<T>(column: &mut [T], at: usize, rows: &[SliceRow], set: impl Fn(&mut T, &SliceRow)) {
    let cells = column.get_mut(at..).unwrap_or_default();
    cells.iter_mut().zip(rows).for_each(|(cell, row)| set(cell, row));
}

/// Sets one cell of a column.
#[inline(always)]
fn put<T>(column: &mut [T], at: usize, value: T) {
    if let Some(cell) = column.get_mut(at) {
        *cell = value;
    }
}
