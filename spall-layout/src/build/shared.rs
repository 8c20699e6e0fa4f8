//! Layouts that several threads make: they take runs of tracks, and then rows to index.

#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::ops::Range;
use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use spall_model::{Trace, Track};

use super::{Columns, ColumnsMut, LayoutBuilder, Places, fill, index_rows, n_nodes_of, set_nodes};
use crate::convert::to_u32;
use crate::index::Node;
use crate::layout::{Lane, RowOffsets};
use crate::{Layout, LayoutOptions};

/// The number of slices that are worth a thread: as many take about a millisecond. A fuzzer has only small inputs.
const MANY: usize = if cfg!(fuzzing) { 1 } else { 50_000 };

impl Layout {
    /// Lays out `trace` like [`Layout::new`], and uses up to `n_threads` threads for it, that of the caller included.
    ///
    /// The layout is the same. There is at most one thread for each 50 000 slices, and those that are started have ended
    /// when this returns. A thread takes whole tracks, so a trace with most slices on one track gains little.
    ///
    /// ```
    /// use std::{num::NonZeroUsize, thread::available_parallelism};
    /// use spall_layout::{Layout, LayoutOptions};
    /// # use spall_model::{Limits, TraceBuilder};
    /// # let trace = TraceBuilder::new(&Limits::default()).finish();
    /// let n_threads = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    /// let layout = Layout::new_on(n_threads, &trace, &LayoutOptions::default());
    /// assert_eq!(layout, Layout::new(&trace, &LayoutOptions::default()));
    /// ```
    #[must_use]
    pub fn new_on(n_threads: NonZeroUsize, trace: &Trace<'_>, options: &LayoutOptions) -> Self {
        match n_threads.get().min(trace.slices().len() / MANY) {
            0 | 1 => Self::new(trace, options),
            n_threads => share(n_threads, trace, options),
        }
    }
}

/// Some tracks that follow one another, the columns for their slices, and what a thread makes of them.
struct Run<'t, 'c> {
    first_track: u32,
    tracks: &'t [Track],
    columns: ColumnsMut<'c>,
    places: Places,
}

/// Lays out a trace on a number of threads.
fn share(n_threads: usize, trace: &Trace<'_>, options: &LayoutOptions) -> Layout {
    let n_slices = trace.slices().len();
    let mut columns = Columns::new(n_slices);
    // Several runs for each thread, because runs of as many slices may take differently long.
    let mut runs = cut(trace.tracks(), columns.all(), n_slices / (8 * n_threads));
    each(n_threads, &mut runs, |Run { first_track, tracks, columns, places }| {
        let columns = core::mem::take(columns);
        *places = LayoutBuilder::new(trace, options, *first_track, tracks, columns).build();
    });
    let parts = runs.into_iter().map(|run| (n_slices_of(run.tracks), run.places)).collect();
    let places = join(parts, &mut columns);
    let mut layout = fill(places, columns);
    let nodes = index(n_threads, &layout);
    set_nodes(&mut layout, nodes);
    layout
}

fn n_slices_of(tracks: &[Track]) -> usize {
    tracks.iter().map(|track| track.slices().len()).sum()
}

/// Cuts tracks into runs of at least `least` slices, but for the last one.
fn cut<'t, 'c>(mut tracks: &'t [Track], mut columns: ColumnsMut<'c>, least: usize) -> Vec<Run<'t, 'c>> {
    let mut runs = Vec::new();
    let mut first_track = 0;
    while !tracks.is_empty() {
        let (mut n_tracks, mut n_slices) = (0, 0);
        for track in tracks {
            n_tracks += 1;
            n_slices += track.slices().len();
            if n_slices >= least {
                break;
            }
        }
        let (run, rest) = tracks.split_at(n_tracks);
        let (of_run, others) = columns.split_at(n_slices);
        runs.push(Run { first_track, tracks: run, columns: of_run, places: Places::default() });
        (tracks, columns) = (rest, others);
        first_track += to_u32(n_tracks);
    }
    runs
}

/// Joins what was made of runs of tracks. Of each run, this takes the number of slices that it has columns for.
fn join(parts: Vec<(usize, Places)>, columns: &mut Columns) -> Places {
    let Places { mut layout, mut n_placed } = Places::default();
    let mut at = 0;
    for (n_slices, Places { layout: part, n_placed: n_of_part }) in parts {
        // Slices without a row leave gaps behind the runs.
        columns.move_back(at..at + n_of_part as usize, n_placed as usize);
        at += n_slices;
        let n_rows = to_u32(layout.rows.len());
        let rows = part.rows.iter().map(|row| RowOffsets { slices: row.slices + n_placed, nodes: 0 });
        layout.rows.extend(rows);
        let lanes = part.lanes.iter().map(|lane| Lane { first_row: lane.first_row + n_rows, ..*lane });
        layout.lanes.extend(lanes);
        layout.first_rows.extend(part.first_rows.iter().map(|row| row + n_rows));
        layout.row_numbers.append(&part.row_numbers, n_rows);
        layout.n_overlapping += part.n_overlapping;
        layout.n_rejected += part.n_rejected;
        n_placed += n_of_part;
    }
    Places { layout, n_placed }
}

/// Makes the index nodes of all rows.
fn index(n_threads: usize, layout: &Layout) -> Vec<Node> {
    let n_rows = layout.rows.len() - 1;
    // Each thread takes rows of about as many slices.
    let first_row = |thread: usize| {
        let n_before = layout.ids.len() / n_threads * thread;
        let row = layout.rows.partition_point(|row| (row.slices as usize) < n_before);
        if thread == n_threads { n_rows } else { row.min(n_rows) }
    };
    let part = |thread| (first_row(thread)..first_row(thread + 1), Vec::new());
    let mut parts: Vec<_> = (0..n_threads).map(part).collect();
    // The nodes of the others are put behind those of the first thread.
    if let Some((_, nodes)) = parts.first_mut() {
        nodes.reserve_exact(n_nodes_of(&layout.rows));
    }
    each(n_threads, &mut parts, |(rows, nodes)| index_rows(layout, rows.clone(), nodes));
    let mut parts = parts.into_iter().map(|(_, nodes)| nodes);
    let mut nodes = parts.next().unwrap_or_default();
    parts.for_each(|part| nodes.extend_from_slice(&part));
    nodes
}

impl ColumnsMut<'_> {
    /// Returns the columns of the first slices, and those of the others.
    fn split_at(self, n_slices: usize) -> (Self, Self) {
        let (starts, other_starts) = self.starts.split_at_mut(n_slices);
        let (ends, other_ends) = self.ends.split_at_mut(n_slices);
        let (ids, other_ids) = self.ids.split_at_mut(n_slices);
        (Self { starts, ends, ids }, Self { starts: other_starts, ends: other_ends, ids: other_ids })
    }
}

impl Columns {
    /// Moves slices to a position before them.
    fn move_back(&mut self, slices: Range<usize>, to: usize) {
        if slices.start != to {
            self.starts.copy_within(slices.clone(), to);
            self.ends.copy_within(slices.clone(), to);
            self.ids.copy_within(slices, to);
        }
    }
}

/// Calls `work` for each item, on up to `n_threads` threads, that of the caller included. If the operating system has no
/// more threads, fewer do the work.
fn each<T: Send>(n_threads: usize, items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let n_threads = n_threads.min(items.len());
    let items = Mutex::new(items.iter_mut());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        while let Some(item) = next() {
            work(item);
        }
    };
    thread::scope(|scope| {
        for _ in 1..n_threads {
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
}

#[cfg(test)]
mod tests;
