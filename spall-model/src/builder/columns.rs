//! The columns of the slices of a finished trace, which are made of those of a builder's rows.
//!
//! Rows are in the order of the file, and slices in that of display. A column that changes its order moves into the memory
//! of the one before it, so that all of them together need the memory of one more.

use alloc::{vec, vec::Vec};
use core::{mem::take, ops::Range};

use crate::{NameId, SliceFlags, Slices, Tick, args_table::ArgsId, track::widen, workers::Workers};

use super::{
    by_track::ByTrack,
    rows::{RowColumns, Rows},
};

/// The rows of a builder in the order of the slices.
#[derive(Debug)]
pub(super) enum RowOrder {
    /// Groups of rows that are neighbours in the file as well.
    Runs(Vec<Range<u32>>),
    /// Rows one by one, where most runs would have few rows.
    Rows(Vec<u32>),
}

/// The number of rows that a run has on average where runs are worth their setup.
const LONG_RUN: usize = 8;

#[allow(clippy::indexing_slicing, reason = "track numbers are given out by the builder")]
impl RowOrder {
    /// Returns the rows of each track in the order of the file. `first_slices` has the first slice of each track, by builder
    /// number, and `track_order` the builder numbers of tracks in the order of slices.
    pub(super) fn by_track(rows: &Rows, first_slices: Vec<u32>, track_order: &[u32]) -> Self {
        let runs = || rows.runs();
        if rows.n_runs() * LONG_RUN > rows.len() {
            let (mut next, mut order) = (first_slices, vec![0; rows.len()]);
            for (track, rows) in runs() {
                let place = &mut next[track as usize];
                let slots = order.get_mut(*place as usize..).unwrap_or_default();
                *place += rows.end - rows.start;
                slots.iter_mut().zip(rows).for_each(|(slot, row)| *slot = row);
            }
            return Self::Rows(order);
        }
        let by_track = ByTrack::new(runs().map(|(track, _)| track), track_order);
        let runs: Vec<_> = runs().map(|(_, rows)| rows).collect();
        Self::Runs(by_track.order.iter().map(|&run| runs[run as usize].clone()).collect())
    }

    /// Returns the single rows.
    pub(super) fn into_rows(self) -> Vec<u32> {
        match self {
            Self::Runs(runs) => runs.into_iter().flatten().collect(),
            Self::Rows(rows) => rows,
        }
    }

    /// Returns whether the rows are known to be in the order of the file.
    fn is_that_of_the_file(&self) -> bool {
        match self {
            Self::Runs(runs) => runs.is_sorted_by_key(|run| run.start),
            Self::Rows(_) => false,
        }
    }

    /// Moves a column into the memory of `spare`, which becomes the memory that the column had. An empty column stays as it
    /// is.
    fn move_column<T: Copy + Default>(&self, column: &mut Vec<T>, spare: &mut Vec<T>) {
        if column.is_empty() {
            return;
        }
        spare.clear();
        spare.reserve_exact(column.len());
        match self {
            Self::Runs(runs) => runs
                .iter()
                .for_each(|run| spare.extend_from_slice(column.get(widen(run)).unwrap_or_default())),
            Self::Rows(rows) => {
                spare.extend(rows.iter().map(|&row| column.get(row as usize).copied().unwrap_or_default()))
            }
        }
        core::mem::swap(column, spare);
    }

    /// Moves a column into fresh memory, which threads fill together, and returns the memory that it had.
    ///
    /// The operating system provides this memory while it is filled, which takes twice as long as to fill it.
    fn move_column_on(&self, workers: Workers, column: &mut Vec<i64>) -> Vec<i64> {
        if workers.is_one() || column.len() <= PART {
            let mut spare = Vec::new();
            self.move_column(column, &mut spare);
            return spare;
        }
        let mut moved = vec![0; column.len()];
        match self {
            Self::Runs(runs) => copy_runs(workers, runs, column, &mut moved),
            Self::Rows(rows) => copy_rows(workers, rows, column, &mut moved),
        }
        core::mem::replace(column, moved)
    }
}

/// The number of rows that a thread takes at a time, or a little more.
const PART: usize = 1 << 16;

/// Copies runs of a column to another one.
fn copy_runs(workers: Workers, mut runs: &[Range<u32>], from: &[i64], mut to: &mut [i64]) {
    let parts = core::iter::from_fn(|| {
        let mut n_rows = 0;
        let last = runs.iter().position(|run| {
            n_rows += run.len();
            n_rows >= PART
        });
        let n_runs = last.map_or(runs.len(), |last| last + 1);
        let part = (runs.split_off(..n_runs)?, to.split_off_mut(..n_rows)?);
        (n_runs > 0).then_some(part)
    });
    workers.each(
        parts,
        || (),
        |(), (runs, mut to)| {
            for run in runs {
                if let (Some(to), Some(from)) = (to.split_off_mut(..run.len()), from.get(widen(run))) {
                    to.copy_from_slice(from);
                }
            }
        },
    );
}

/// Copies rows of a column to another one.
fn copy_rows(workers: Workers, rows: &[u32], from: &[i64], to: &mut [i64]) {
    let parts = rows.chunks(PART).zip(to.chunks_mut(PART));
    workers.each(
        parts,
        || (),
        |(), (rows, to)| {
            for (to, &row) in to.iter_mut().zip(rows) {
                *to = from.get(row as usize).copied().unwrap_or_default();
            }
        },
    );
}

/// Returns the rows as slices.
pub(super) fn slices(rows: Rows, order: &RowOrder, workers: Workers) -> Slices {
    let n_slices = rows.len();
    let mut columns = rows.into_columns();
    if !order.is_that_of_the_file() {
        let RowColumns { start, end, name, flags, pair, category, args } = &mut columns;
        let mut spare = order.move_column_on(workers, start);
        let times = || {
            order.move_column(end, &mut spare);
            // Here, because the operating system takes a while for it, too.
            drop(take(&mut spare));
        };
        let facts = || {
            // Nothing reads the states of pairs any more.
            let mut spare = take(pair);
            [name, flags, args, category]
                .into_iter()
                .for_each(|column| order.move_column(column, &mut spare));
        };
        workers.join(times, facts);
    }
    // Zeros that nobody writes take no memory of the operating system.
    let filled = |column: Vec<u32>| if column.is_empty() { vec![0; n_slices] } else { column };
    let mut slices = Slices {
        start: columns.start.into_iter().map(Tick).collect(),
        end: columns.end.into_iter().map(Tick).collect(),
        name: columns.name.into_iter().map(NameId).collect(),
        category: filled(columns.category).into_iter().map(NameId).collect(),
        args: filled(columns.args).into_iter().map(ArgsId).collect(),
        flags: columns.flags.into_iter().map(SliceFlags).collect(),
    };
    slices.shrink_to_fit();
    slices
}
