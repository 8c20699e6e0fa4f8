//! The display order: processes, tracks, and what lies on them.

use alloc::vec::Vec;
use core::{cmp::Reverse, ops::Range};

use foldhash::fast::RandomState;
use hashbrown::HashSet;

use crate::{
    Conventions, CounterValue, Instant, Key, NameId, Names, Process, ProcessId, Slices, State, ThreadRole,
    Tick, Track, TrackKind,
};

use super::{
    OnTrack, TraceBuilder,
    by_time::ByTime,
    registry::{TrackKey, TrackRow, index32},
    rows::{self, SliceRow},
};

/// Everything in display order.
#[derive(Debug)]
pub(super) struct Arranged {
    pub(super) processes: Vec<Process>,
    pub(super) tracks: Vec<Track>,
    pub(super) instants: Vec<Instant>,
    pub(super) counters: Vec<CounterValue>,
    pub(super) states: Vec<State>,
    /// The new number of each process.
    pub(super) process_ids: Vec<u32>,
    /// The new number of each track.
    pub(super) track_ids: Vec<u32>,
    pub(super) slices: Slices,
    /// The slice that each row has become; empty if nobody asks.
    pub(super) slice_of_row: Vec<u32>,
}

/// Brings a builder's tables into display order; its rows become the trace's slices.
pub(super) fn arrange(builder: &mut TraceBuilder<'_>, need_slice_of_row: bool) -> Arranged {
    let (mut processes, process_ids) = processes(builder);
    let (mut tracks, track_ids) = tracks(builder, &process_ids);
    let order = slice_order(builder, &mut tracks, &track_ids);
    let slices = rows::columns(&core::mem::take(&mut builder.rows), &order);
    let slice_of_row = if need_slice_of_row { inverse(&order) } else { Vec::new() };
    let instants = spread(
        core::mem::take(&mut builder.instants),
        &track_ids,
        |instant| instant.at,
        tracks.iter_mut().map(|track| &mut track.instants),
    );
    let counters = spread(
        core::mem::take(&mut builder.counters),
        &track_ids,
        |value| value.at,
        tracks.iter_mut().map(|track| &mut track.counters),
    );
    let states = spread(
        core::mem::take(&mut builder.states),
        &track_ids,
        |state| state.start,
        tracks.iter_mut().map(|track| &mut track.states),
    );
    for (track, position) in tracks.iter().zip(0..) {
        let Some(process) = track.process.and_then(|process| processes.get_mut(process.0 as usize)) else {
            continue;
        };
        if process.tracks.is_empty() {
            process.tracks.start = position;
        }
        process.tracks.end = position + 1;
    }
    Arranged { processes, tracks, instants, counters, states, process_ids, track_ids, slices, slice_of_row }
}

/// An id as it sorts: numbers before text.
fn key_rank<'n>(key: Key, names: &'n Names<'_>, conventions: Conventions) -> (i128, &'n [u8]) {
    match key {
        Key::Number(number) if conventions.unsigned_ids => (i128::from(number.cast_unsigned()), b""),
        Key::Number(number) => (i128::from(number), b""),
        Key::Text(name) => (i128::MAX, names.bytes(name)),
    }
}

/// Processes by sort index, name and id, and the new number of each old one.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
fn processes(builder: &mut TraceBuilder<'_>) -> (Vec<Process>, Vec<u32>) {
    let rows = core::mem::take(&mut builder.registry.processes);
    let (names, conventions) = (&builder.names, builder.conventions);
    let mut order: Vec<u32> = (0..index32(rows.len())).collect();
    order.sort_by_cached_key(|&old| {
        let row = &rows[old as usize];
        (row.sort_index, names.bytes(row.name), key_rank(row.pid, names, conventions))
    });
    let ids = inverse(&order);
    let processes = order
        .iter()
        .map(|&old| {
            let row = &rows[old as usize];
            let mut seen = HashSet::<NameId, RandomState>::default();
            let labels = row.labels.iter().copied().filter(|&label| seen.insert(label)).collect();
            Process { pid: row.pid, name: row.name, sort_index: row.sort_index, labels, tracks: 0..0 }
        })
        .collect();
    (processes, ids)
}

/// Tracks by process, kind, sort index, name and id, and the new number of each old one.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
fn tracks(builder: &TraceBuilder<'_>, process_ids: &[u32]) -> (Vec<Track>, Vec<u32>) {
    let rows = &builder.registry.tracks;
    let (names, conventions) = (&builder.names, builder.conventions);
    let process_of = |row: &TrackRow| row.process.map(|old| process_ids[old as usize]);
    let key = |row: &TrackRow| {
        let (kind, id) = match row.key {
            TrackKey::Global | TrackKey::Process { .. } => (0, None),
            TrackKey::Thread { tid, .. } => (1, Some(tid)),
            TrackKey::Async { id, .. } | TrackKey::AsyncStep { id, .. } => (2, Some(id)),
            TrackKey::Counter { id, .. } => (3, id),
        };
        let id = id.map(|id| key_rank(id, names, conventions));
        (process_of(row), kind, row.sort_index, names.bytes(row.name), id)
    };
    let keys: Vec<_> = rows.iter().map(key).collect();
    let mut order: Vec<u32> = (0..index32(rows.len())).collect();
    // Numbers and not keys are moved, and those in order already, as async ids often are, stay.
    order.sort_by(|&a, &b| keys[a as usize].cmp(&keys[b as usize]));
    let tracks = order
        .iter()
        .map(|&old| {
            let row = &rows[old as usize];
            let kind = match row.key {
                TrackKey::Thread { tid, .. } => match row.role {
                    None => TrackKind::Thread { tid },
                    Some(ThreadRole::Cpu) => TrackKind::Cpu { tid },
                    Some(ThreadRole::Gpu) => TrackKind::Gpu { tid },
                    Some(ThreadRole::Frames) => TrackKind::Frames { tid },
                },
                TrackKey::Async { process, id, .. } | TrackKey::AsyncStep { process, id, .. } => {
                    TrackKind::Async { category: row.category, id, local: process.is_some() }
                }
                TrackKey::Counter { id, .. } => TrackKind::Counter { id },
                TrackKey::Process { .. } => TrackKind::Process,
                TrackKey::Global => TrackKind::Global,
            };
            Track {
                kind,
                process: process_of(row).map(ProcessId),
                name: row.name,
                sort_index: row.sort_index,
                slices: 0..0,
                instants: 0..0,
                counters: 0..0,
                states: 0..0,
            }
        })
        .collect();
    (tracks, inverse(&order))
}

/// The rows in the order of their tracks, and within a track as [json 3.3] says; sets each track's range.
#[allow(clippy::indexing_slicing, reason = "track numbers and row numbers are given out by the builder")]
fn slice_order(builder: &TraceBuilder<'_>, tracks: &mut [Track], track_ids: &[u32]) -> Vec<u32> {
    let mut next = alloc::vec![0_u32; tracks.len()];
    for row in &builder.rows {
        next[track_ids[row.track as usize] as usize] += 1;
    }
    let mut start = 0;
    for (track, count) in tracks.iter_mut().zip(&mut next) {
        track.slices = start..start + *count;
        *count = start;
        start = track.slices.end;
    }
    let mut order = alloc::vec![0_u32; builder.rows.len()];
    for (row, position) in builder.rows.iter().zip(0..) {
        let place = &mut next[track_ids[row.track as usize] as usize];
        order[*place as usize] = position;
        *place += 1;
    }
    let mut scratch = Scratch::default();
    // Most traces of begins and ends need no look at all: 7 % of loading spall v3.
    let unsure = builder.registry.tracks.iter().zip(track_ids).filter(|(row, _)| !row.in_order);
    for track in unsure.map(|(_, &track)| &tracks[track as usize]) {
        sort_track(&mut order[track.slices()], &builder.rows, builder.conventions, &mut scratch);
    }
    order
}

/// Reused between tracks.
#[derive(Debug, Default)]
struct Scratch {
    pairs: ByTime,
    others: ByTime,
}

/// Sorts one track's rows, which come in the order of the file.
///
/// Pairs keep the order in which they were begun; all else goes by start, longer first, order of the file. Of a pair
/// and another slice with one start the longer comes first, and the order of the file decides if they are equal or
/// one has no length.
#[allow(clippy::indexing_slicing, reason = "row numbers are given out by the builder")]
fn sort_track(order: &mut [u32], rows: &[SliceRow], conventions: Conventions, scratch: &mut Scratch) {
    let (start, end) = (|row: u32| rows[row as usize].start, |row: u32| rows[row as usize].end);
    let is_pair = |row: u32| rows[row as usize].flags.is_paired();
    // Most tracks are in order already: each row with the one before it, and each that is no pair with the last such.
    let in_order = |a: u32, b: u32| {
        start(a) < start(b)
            || start(a) == start(b)
                && (end(a) > end(b)
                    || end(a) == end(b) && !conventions.children_first
                    || is_pair(a) && is_pair(b))
    };
    let mut last_other = None;
    let sorted = order.is_sorted_by(|&a, &b| {
        if !is_pair(a) {
            last_other = Some(a);
        }
        in_order(a, b) && (is_pair(b) || last_other.is_none_or(|other| in_order(other, b)))
    });
    if sorted {
        return;
    }
    let all = order.iter().map(|&row| (start(row), row));
    let pairs = scratch.pairs.sort(all.clone().filter(|&(_, row)| is_pair(row)));
    let others = scratch.others.sort(all.filter(|&(_, row)| !is_pair(row)));
    for tied in others.chunk_by_mut(|a, b| a.after == b.after).filter(|tied| tied.len() > 1) {
        if conventions.children_first {
            tied.reverse();
        }
        tied.sort_by_key(|tied| Reverse(end(tied.row)));
    }
    let mut pairs = pairs.iter().map(|pair| pair.row).peekable();
    let mut others = others.iter().map(|other| other.row).peekable();
    for slot in order {
        let pair_first = match (pairs.peek(), others.peek()) {
            (Some(&pair), Some(&other)) => comes_first(rows, pair, other),
            (pair, _) => pair.is_some(),
        };
        let next = if pair_first { pairs.next() } else { others.next() };
        *slot = next.unwrap_or(*slot);
    }
}

#[allow(clippy::indexing_slicing, reason = "row numbers are given out by the builder")]
fn comes_first(rows: &[SliceRow], pair: u32, other: u32) -> bool {
    let bounds = |row: u32| (rows[row as usize].start, rows[row as usize].end);
    let (pair_bounds, other_bounds) = (bounds(pair), bounds(other));
    if pair_bounds.0 != other_bounds.0 {
        return pair_bounds.0 < other_bounds.0;
    }
    let has_length = |(start, end): (Tick, Tick)| start < end;
    if pair_bounds.1 == other_bounds.1 || !has_length(pair_bounds) || !has_length(other_bounds) {
        return pair < other;
    }
    pair_bounds.1 > other_bounds.1
}

/// Sorts items by track and time and sets each track's range.
fn spread<'t, T>(
    mut items: Vec<OnTrack<T>>,
    track_ids: &[u32],
    at: impl Fn(&T) -> Tick,
    ranges: impl Iterator<Item = &'t mut Range<u32>>,
) -> Vec<T> {
    for item in &mut items {
        item.track = track_ids.get(item.track as usize).copied().unwrap_or(u32::MAX);
    }
    items.sort_by_key(|item| (item.track, at(&item.item)));
    let mut start = 0;
    for (range, track) in ranges.zip(0..) {
        let count =
            items.get(start..).unwrap_or_default().iter().take_while(|item| item.track == track).count();
        *range = index32(start)..index32(start + count);
        start += count;
    }
    items.into_iter().map(|item| item.item).collect()
}

/// For each old position its new one.
#[allow(clippy::indexing_slicing, reason = "an order is a permutation of the positions")]
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut new = alloc::vec![0; order.len()];
    for (&old, position) in order.iter().zip(0..) {
        new[old as usize] = position;
    }
    new
}
