//! The display order of processes, tracks, slices and all other items. [pairing 3](crate::rules::pairing#3)

use alloc::{vec, vec::Vec};
use core::{cmp::Reverse, mem::take, ops::Range};

use foldhash::fast::RandomState;
use hashbrown::HashSet;

use crate::{
    Conventions, CounterValue, DiagnosticKind, Instant, NameId, Process, ProcessId, Slices, State, Track,
    TrackId, track::widen, workers::Workers,
};

use super::{
    TraceBuilder,
    by_time::ByTime,
    by_track::ByTrack,
    columns::{self, RowOrder},
    points::{Point, PointLog},
    reports::Spot,
    rows::Rows,
    said_spans::SaidSpans,
    slice_order::SliceKey,
    track_order::{process_order, track_order},
    track_tree::{TrackOrder, TrackTree},
};

/// The tables of a trace in display order.
///
/// Processes and tracks have two numbers: the builder number is the order in which they were found, and the trace
/// number is the display order.
#[derive(Debug)]
pub(super) struct Arranged {
    pub(super) processes: Vec<Process>,
    /// The tracks, in the order of `track_order`. Those with one id become one by [`join_tracks`], when flows are
    /// bound.
    pub(super) tracks: Vec<Track>,
    pub(super) instants: Vec<Instant>,
    pub(super) counters: Vec<CounterValue>,
    pub(super) states: Vec<State>,
    /// The trace number of each process, by builder number.
    pub(super) process_ids: Vec<u32>,
    /// The trace number of each track, by builder number.
    pub(super) track_ids: Vec<u32>,
    /// The builder numbers of all tracks, in the order of `tracks`.
    pub(super) track_order: Vec<u32>,
    pub(super) slices: Slices,
    /// The slice that each row became; empty unless `need_slice_of_row` was set.
    pub(super) slice_of_row: Vec<u32>,
}

/// Makes one track of those with one id, which are neighbours in the order of time, and finds the tracks of each process.
pub(super) fn join_tracks(mut tracks: Vec<Track>, processes: &mut [Process]) -> Vec<Track> {
    tracks.dedup_by(|next, track| {
        let is_same = next.id == track.id;
        if is_same {
            track.slices.end = next.slices.end;
            track.instants.end = next.instants.end;
            track.counters.end = next.counters.end;
            track.states.end = next.states.end;
        }
        is_same
    });
    for (track, position) in tracks.iter().zip(0..) {
        let process = track.process.and_then(|process| processes.get_mut(process.0 as usize));
        let Some(process) = process else { continue };
        if process.tracks.is_empty() {
            process.tracks.start = position;
        }
        process.tracks.end = position + 1;
    }
    tracks
}

/// Puts the tables of a builder into display order. Each table of the builder is freed as soon as it is copied.
pub(super) fn arrange(
    builder: &mut TraceBuilder,
    rows: Rows,
    said: &SaidSpans,
    need_slice_of_row: bool,
    workers: Workers,
) -> Arranged {
    let tree = TrackTree::new(builder);
    let (processes, process_ids) = processes(builder, &tree);
    for track in &tree.lost {
        let spot = builder.registry.own.get(track).map_or(Spot::default(), |own| own.spot);
        builder.diagnostics.add_at(DiagnosticKind::LostParent, spot);
    }
    let order = tree.order(builder, track_order(builder, &tree, &process_ids), Some(&rows));
    let track_ids = track_ids(&order);
    let mut tracks = tracks(builder, &process_ids, &tree, &order, &track_ids);
    let track_order = order.order;
    let (slices, slice_of_row) =
        slices(builder, rows, said, &mut tracks, &track_order, need_slice_of_row, workers);
    // Each log is freed before the next one is copied.
    let (by, all) = (&track_order, &mut tracks);
    let instants = sorted_by_track(&take(&mut builder.instants), all, by, |track| &mut track.instants);
    let counters = sorted_by_track(&take(&mut builder.counters), all, by, |track| &mut track.counters);
    let states = sorted_by_track(&take(&mut builder.states), all, by, |track| &mut track.states);
    Arranged {
        processes,
        tracks,
        instants,
        counters,
        states,
        process_ids,
        track_ids,
        track_order,
        slices,
        slice_of_row,
    }
}

/// Returns the processes in display order, and the trace number of each builder number.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
fn processes(builder: &TraceBuilder, tree: &TrackTree) -> (Vec<Process>, Vec<u32>) {
    let (order, ids) = process_order(builder, tree);
    let rows = &builder.registry.processes;
    let processes = order
        .iter()
        .zip(0..)
        .map(|(&old, new)| {
            let row = &rows[old as usize];
            let mut seen = HashSet::<NameId, RandomState>::default();
            let labels = row.labels.iter().copied().filter(|&label| seen.insert(label)).collect();
            Process {
                id: ProcessId(new),
                pid: row.pid,
                name: row.name,
                sort_index: row.sort_index,
                labels,
                tracks: 0..0,
            }
        })
        .collect();
    (processes, ids)
}

/// Returns the number in the trace of each track, by builder number. Tracks that are shown as one have one number.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
fn track_ids(order: &TrackOrder) -> Vec<u32> {
    let mut ids = vec![0; order.order.len()];
    let shown = order.order.chunk_by(|&a, &b| order.shown(a) == order.shown(b));
    for (parts, id) in shown.zip(0..) {
        parts.iter().for_each(|&part| ids[part as usize] = id);
    }
    ids
}

/// Returns the tracks in display order. Tracks that are shown as one have the facts of that one.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
fn tracks(
    builder: &TraceBuilder,
    process_ids: &[u32],
    tree: &TrackTree,
    order: &TrackOrder,
    track_ids: &[u32],
) -> Vec<Track> {
    let id = |track: u32| TrackId(track_ids[track as usize]);
    let track = |&part: &u32| {
        let (shown, registry) = (order.shown(part), &builder.registry);
        let row = registry.track(shown);
        Track {
            id: id(shown),
            kind: row.kind(),
            process: tree.process(shown, registry).map(|old| ProcessId(process_ids[old as usize])),
            name: row.name,
            sort_index: tree.place(shown).map_or(row.sort_index, |place| registry.track(place).sort_index),
            parent: tree.parent(shown).map(id),
            children: tree.child_order(shown, registry),
            slices: 0..0,
            instants: 0..0,
            counters: 0..0,
            states: 0..0,
        }
    };
    order.order.iter().map(track).collect()
}

/// Returns the slices sorted by track and, on a track, in display order, and the slice that each row became if that is
/// asked for. Sets the range of slices of each track.
#[allow(clippy::indexing_slicing, reason = "track numbers are given out by the builder")]
fn slices(
    builder: &TraceBuilder,
    rows: Rows,
    said: &SaidSpans,
    tracks: &mut [Track],
    track_order: &[u32],
    need_slice_of_row: bool,
    workers: Workers,
) -> (Slices, Vec<u32>) {
    let mut first_slices = alloc::vec![0; track_order.len()];
    let mut n_slices = 0;
    for (track, &old) in tracks.iter_mut().zip(track_order) {
        first_slices[old as usize] = n_slices;
        let end = n_slices + builder.registry.track(old).n_slices;
        track.slices = n_slices..end;
        n_slices = end;
    }
    let mut order = RowOrder::by_track(&rows, first_slices, track_order);
    if !builder.registry.tracks.iter().all(|track| track.in_order) {
        order = RowOrder::Rows(sort_tracks(
            order.into_rows(),
            builder,
            &rows,
            said,
            tracks,
            track_order,
            workers,
        ));
    }
    let slices = columns::slices(rows, &order, workers);
    (slices, if need_slice_of_row { inverse(&order.into_rows()) } else { Vec::new() })
}

/// Returns the rows of each track in display order, of which `order` has them in the order of the file. [pairing
/// 3](crate::rules::pairing#3)
fn sort_tracks(
    mut order: Vec<u32>,
    builder: &TraceBuilder,
    rows: &Rows,
    said: &SaidSpans,
    tracks: &[Track],
    track_order: &[u32],
    workers: Workers,
) -> Vec<u32> {
    let TraceBuilder { registry, conventions, .. } = builder;
    let mut rest = order.as_mut_slice();
    let orders = tracks.iter().zip(track_order).map(|(track, &old)| {
        let order = rest.split_off_mut(..track.slices.len()).unwrap_or_default();
        (order, old)
    });
    // Most tracks are known to be in order, and need no look at their rows: that saves 7 % of loading spall v3.
    let unordered = orders.filter(|&(_, old)| !registry.track(old).in_order);
    workers.each(unordered, Scratch::default, |scratch, (order, old)| match said.has_track(old) {
        true => said.sort_track(order, rows),
        false => sort_track(order, rows, *conventions, scratch),
    });
    order
}

/// The buffers of [`sort_track`], which all tracks share.
#[derive(Debug, Default)]
struct Scratch {
    pairs: ByTime,
    others: ByTime,
}

/// Sorts the rows of one track, which are given in the order of the file.
///
/// Pairs and all other slices are sorted by themselves, and then merged. A single sort is not possible: pairs of one
/// start keep the order in which they began, whatever their durations, and other slices are sorted by duration. The two
/// rules together are not transitive.
#[allow(clippy::indexing_slicing, reason = "row numbers are given out by the builder")]
fn sort_track(order: &mut [u32], rows: &Rows, conventions: Conventions, scratch: &mut Scratch) {
    // Checking rows that are in order costs less than distributing them to two lists.
    let key = |row: u32| SliceKey::finished(row, rows);
    if is_in_order(order.iter().map(|&row| key(row)), conventions) {
        return;
    }
    let Scratch { pairs, others } = scratch;
    pairs.clear();
    others.clear();
    for &row in &*order {
        let kind = if rows.flags(row).is_paired() { &mut *pairs } else { &mut *others };
        kind.add(rows.start(row), row);
    }
    let (pairs, others) = (pairs.sorted(), others.sorted());
    // Slices of one start: the longer first, then in the order of the file. A stable sort after the reversal gives the
    // reverse order of the file to formats that write children first.
    for tied in others.chunk_by_mut(|a, b| a.time == b.time).filter(|tied| tied.len() > 1) {
        if conventions.children_first {
            tied.reverse();
        }
        tied.sort_by_key(|tied| Reverse(rows.end(tied.row)));
    }
    if pairs.is_empty() {
        order.iter_mut().zip(others).for_each(|(slot, other)| *slot = other.row);
        return;
    }
    let mut pairs = pairs.iter().map(|pair| pair.row).peekable();
    let mut others = others.iter().map(|other| other.row).peekable();
    for slot in order {
        let pair_first = match (pairs.peek(), others.peek()) {
            (Some(&pair), Some(&other)) => key(pair).pair_precedes(&key(other)),
            (pair, _) => pair.is_some(),
        };
        let next = if pair_first { pairs.next() } else { others.next() };
        *slot = next.unwrap_or(*slot);
    }
}

/// Returns whether rows in the order of the file are in display order. Each row is compared with the one before it,
/// and a row that is not a pair also with the last row before it that is not a pair, because the order is not
/// transitive.
fn is_in_order(rows: impl Iterator<Item = SliceKey>, conventions: Conventions) -> bool {
    let (mut last, mut last_other) = (None, None);
    for row in rows {
        let follows =
            |before: Option<SliceKey>| before.is_none_or(|before| before.precedes(&row, conventions));
        if !follows(last) || !row.is_pair && !follows(last_other) {
            return false;
        }
        last = Some(row);
        if !row.is_pair {
            last_other = last;
        }
    }
    true
}

/// Returns items sorted by track and time, and sets the range of each track.
#[allow(clippy::indexing_slicing, reason = "positions are made by this module")]
fn sorted_by_track<T: Point>(
    PointLog { tracks: tracks_of_items, items }: &PointLog<T>,
    tracks: &mut [Track],
    track_order: &[u32],
    range_of: impl Fn(&mut Track) -> &mut Range<u32>,
) -> Vec<T> {
    if items.is_empty() {
        return Vec::new();
    }
    let mut by_track = ByTrack::new(tracks_of_items.iter().copied(), track_order);
    let mut by_time = ByTime::default();
    for (track, &old) in tracks.iter_mut().zip(track_order) {
        let range = by_track.range(old);
        let order = &mut by_track.order[widen(&range)];
        // The items of most tracks are in order already, which a look at them tells without a copy.
        let timed = order.iter().map(|&item| (items[item].start(), item));
        if !timed.clone().is_sorted_by_key(|(at, _)| at) {
            by_time.clear();
            timed.for_each(|(at, item)| by_time.add(at, item));
            order.iter_mut().zip(by_time.sorted()).for_each(|(slot, timed)| *slot = timed.row);
        }
        *range_of(track) = range;
    }
    by_track.order.iter().map(|&item| items[item]).collect()
}

/// Returns the inverse of a permutation.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
pub(super) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut new = alloc::vec![0; order.len()];
    for (&old, position) in order.iter().zip(0..) {
        new[old as usize] = position;
    }
    new
}
