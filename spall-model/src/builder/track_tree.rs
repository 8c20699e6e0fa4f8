//! The tree of the tracks of each process, and the order in which it is shown.
//!
//! A track of its own names its parent by an id, which may be that of a track that never comes, or of one below the track
//! itself. The tree is a list of parents, and nothing here recurses: parents may be nested as deep as a file likes.

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::{ChildOrder, Key, NameId, Tick, index32, sort::sort_by_number};

use super::{
    TraceBuilder,
    by_track::ByTrack,
    cycles::cut_cycles,
    registry::{OwnTrack, Registry, TrackKey},
    rows::Rows,
};

/// The places of all tracks, by builder number. The lists are empty if there are no tracks of their own.
#[derive(Debug, Default)]
pub(super) struct TrackTree {
    /// The track below which each track lies; `None` if it lies directly below its process.
    parents: Vec<Option<u32>>,
    /// The track of its own that says where each track lies: itself, or that with the id of a counter.
    places: Vec<Option<u32>>,
    /// The track as which each track is shown: itself, the counter that takes the place of a track of its own that has
    /// nothing else, or [`NOWHERE`].
    shown: Vec<u32>,
    /// The process in which each track is shown.
    processes: Vec<Option<u32>>,
    /// The process of what belongs to none, if all that it had is shown in others.
    pub(super) left: Option<u32>,
    /// The tracks of their own whose parent is not in their process, or that are their own parents in the end.
    pub(super) lost: Vec<u32>,
}

/// The id that stands for the process where a parent is named, and for no process where a process is.
const NONE: Key = Key::Text(NameId::EMPTY);

/// The number of no track, for a track of its own that is not shown because nothing is on it or below it.
const NOWHERE: u32 = u32::MAX;

/// The order of tracks.
#[derive(Debug)]
pub(super) struct TrackOrder {
    /// The builder numbers of all tracks. Those that are shown as one track are neighbours, in the order of time.
    pub(super) order: Vec<u32>,
    /// The track as which each track is shown, by builder number; empty if each is shown as itself.
    shown: Vec<u32>,
}

impl TrackOrder {
    /// Returns the track as which a track is shown.
    pub(super) fn shown(&self, track: u32) -> u32 {
        self.shown.get(track as usize).copied().unwrap_or(track)
    }
}

#[allow(clippy::indexing_slicing, reason = "track numbers are given out by the builder")]
impl TrackTree {
    /// Returns the tree of the tracks that a builder has. This takes time linear in their number.
    pub(super) fn new(builder: &TraceBuilder) -> Self {
        let registry = &builder.registry;
        if registry.own.is_empty() {
            return Self::default();
        }
        let n_tracks = registry.tracks.len();
        let mut tree = Self {
            parents: alloc::vec![None; n_tracks],
            places: alloc::vec![None; n_tracks],
            shown: (0..index32(n_tracks)).collect(),
            processes: registry.tracks.iter().map(|row| row.process).collect(),
            left: None,
            lost: Vec::new(),
        };
        for (track, row) in (0_u32..).zip(&registry.tracks) {
            let at = track as usize;
            let of_process = |process, tid| registry.find(TrackKey::Thread { process, tid });
            match row.key {
                TrackKey::Thread { .. } if row.is_own => {
                    tree.places[at] = Some(track);
                    if let Some((process, id)) = registry.own.get(&track).map(|own| own.parent)
                        && id != NONE
                    {
                        tree.parents[at] = of_process(process, id);
                        tree.lost.extend(tree.parents[at].is_none().then_some(track));
                    }
                }
                TrackKey::Counter { process, id: Some(id), .. } => {
                    let place = of_process(process, id).filter(|&place| registry.track(place).is_own);
                    tree.places[at] = place;
                    if let Some(place) = place.filter(|&place| !builder.has_anything_on(place)) {
                        // Of several counters the first one by name, whatever their order in the file.
                        let shown = &mut tree.shown[place as usize];
                        let is_first =
                            |other| builder.names.all.compare(row.name, registry.track(other).name).is_lt();
                        if *shown == place || is_first(*shown) {
                            *shown = track;
                        }
                    }
                }
                _ => {}
            }
        }
        tree.break_cycles();
        tree.move_to_parents(registry);
        tree.lost.sort_unstable();
        for at in 0..n_tracks {
            if let Some(place) = tree.places[at] {
                tree.parents[at] = tree.parents[place as usize];
                tree.processes[at] = tree.processes[place as usize];
            }
        }
        for parent in tree.parents.iter_mut().flatten() {
            *parent = tree.shown[*parent as usize];
        }
        tree.hide_empty(builder);
        tree.left = registry.find_process(NONE).filter(|&none| {
            let row = &registry.processes[none as usize];
            let has_facts = row.name != NameId::EMPTY || row.sort_index != 0 || !row.labels.is_empty();
            let mut tracks = tree.processes.iter().zip(&tree.shown).zip(0..);
            let is_shown = tracks.any(|((&of, &shown), track)| of == Some(none) && shown == track);
            !has_facts && !is_shown && !builder.objects.has_any_of(none)
        });
        tree
    }

    /// Hides all tracks of their own with nothing on them and nothing below them, unless there are no others.
    fn hide_empty(&mut self, builder: &TraceBuilder) {
        let mut is_needed = alloc::vec![false; self.parents.len()];
        for (start, row) in (0_u32..).zip(&builder.registry.tracks) {
            let mut track = Some(start).filter(|&track| !row.is_own || builder.has_anything_on(track));
            while let Some(needed) = track.filter(|&track| !is_needed[track as usize]) {
                is_needed[needed as usize] = true;
                track = self.parent(needed);
            }
        }
        if is_needed.contains(&true) {
            let tracks = self.shown.iter_mut().zip(0..).zip(is_needed);
            let hidden = tracks.filter(|((shown, track), is_needed)| **shown == *track && !is_needed);
            hidden.for_each(|((shown, _), _)| *shown = NOWHERE);
        }
    }

    /// Puts all tracks that are their own parents in the end directly below their processes.
    fn break_cycles(&mut self) {
        let Self { parents, lost, .. } = self;
        cut_cycles(
            parents,
            |parent| parent.map(|parent| parent as usize),
            |parent, track| {
                *parent = None;
                lost.push(index32(track));
            },
        );
    }

    /// Moves tracks of no process to that of what they lie below, unless something there has their id. A track of another
    /// process than its parent in the end lies directly below its own.
    fn move_to_parents(&mut self, registry: &Registry) {
        let none = registry.find_process(NONE);
        let ids = registry.tracks.iter().filter_map(|row| match row.key {
            TrackKey::Thread { process, tid: id } | TrackKey::Counter { process, id: Some(id), .. } => {
                Some((process, id)).filter(|_| Some(process) != none)
            }
            _ => None,
        });
        let taken: HashSet<(u32, Key), RandomState> =
            if none.is_some() { ids.collect() } else { HashSet::default() };
        let mut is_settled = alloc::vec![false; self.parents.len()];
        let mut way_up = Vec::new();
        for start in 0..index32(self.parents.len()) {
            let mut next = Some(start);
            while let Some(track) = next.filter(|&track| !is_settled[track as usize]) {
                is_settled[track as usize] = true;
                way_up.push(track);
                next = self.parents[track as usize];
            }
            while let Some(track) = way_up.pop() {
                let TrackKey::Thread { process, tid } = registry.track(track).key else { continue };
                let Some(&OwnTrack { parent: (of_parent, id), .. }) = registry.own.get(&track) else {
                    continue;
                };
                let parent = &mut self.parents[track as usize];
                let above = parent.map_or(Some(of_parent), |parent| self.processes[parent as usize]);
                let is_free = || above.is_some_and(|above| !taken.contains(&(above, tid)));
                if above == Some(process) {
                    continue;
                } else if Some(process) == none && is_free() {
                    self.processes[track as usize] = above;
                } else if parent.take().is_some() || id == NONE {
                    self.lost.push(track);
                }
            }
        }
    }

    /// Returns the process in which a track is shown.
    pub(super) fn process(&self, track: u32, registry: &Registry) -> Option<u32> {
        self.processes.get(track as usize).copied().unwrap_or_else(|| registry.track(track).process)
    }

    /// Returns the track below which a track lies; `None` if it lies directly below its process.
    pub(super) fn parent(&self, track: u32) -> Option<u32> {
        self.parents.get(track as usize).copied().flatten()
    }

    /// Returns the track of its own that says where a track lies.
    pub(super) fn place(&self, track: u32) -> Option<u32> {
        self.places.get(track as usize).copied().flatten()
    }

    /// Returns whether a track is not shown, or something else in its place.
    pub(super) fn is_hidden(&self, track: u32) -> bool {
        self.shown.get(track as usize).is_some_and(|&shown| shown != track)
    }

    /// Returns the order in which each track comes right before those below it. `flat` has the builder numbers of all
    /// tracks in the order in which those directly below a process are shown. With the rows of all slices, tracks of one
    /// group become one where their times allow.
    pub(super) fn order(&self, builder: &TraceBuilder, flat: Vec<u32>, rows: Option<&Rows>) -> TrackOrder {
        if self.shown.is_empty() {
            return TrackOrder { order: flat, shown: Vec::new() };
        }
        let mut joining = Joining::new(self, &builder.registry, rows.map(|rows| busy_times(builder, rows)));
        let (mut roots, below): (Vec<u32>, Vec<u32>) = flat
            .iter()
            .filter(|&&track| !self.is_hidden(track))
            .partition(|&&track| self.parent(track).is_none());
        let tracks: Vec<u32> = (0..index32(flat.len())).collect();
        let by_parent = ByTrack::new(below.iter().filter_map(|&track| self.parent(track)), &tracks);
        joining.join(&mut roots);
        let (mut order, mut stack) = (Vec::with_capacity(flat.len()), roots);
        stack.reverse();
        while let Some(track) = stack.pop() {
            let from = order.len();
            order.extend(joining.parts.remove(&track).unwrap_or_else(|| alloc::vec![track]));
            let mut positions: Vec<u32> =
                order[from..].iter().flat_map(|&part| by_parent.items(part)).copied().collect();
            // Those below several tracks that became one are mixed.
            positions.sort_unstable();
            let mut children: Vec<u32> =
                positions.into_iter().map(|position| below[position as usize]).collect();
            self.sort(&mut children, self.child_order(track, &builder.registry), builder);
            joining.join(&mut children);
            stack.extend(children.into_iter().rev());
        }
        // Where there is nothing to show, it does not matter to which track that belongs.
        let last = order.last().map_or(NOWHERE, |&last| joining.shown[last as usize]);
        for (track, shown) in (0..).zip(&mut joining.shown).filter(|(_, shown)| **shown == NOWHERE) {
            *shown = last;
            order.push(track);
        }
        TrackOrder { order, shown: joining.shown }
    }

    /// Returns how the tracks below a track are ordered.
    pub(super) fn child_order(&self, track: u32, registry: &Registry) -> ChildOrder {
        let own = self.place(track).and_then(|place| registry.own.get(&place));
        own.map_or(ChildOrder::Unspecified, |own| own.children)
    }

    /// Sorts tracks with one parent. Tracks that `order` does not tell apart stay as they are.
    fn sort(&self, tracks: &mut [u32], order: ChildOrder, builder: &TraceBuilder) {
        let row = |track| builder.registry.track(track);
        match order {
            ChildOrder::Unspecified => {}
            ChildOrder::ByName => {
                tracks.sort_by(|&a, &b| builder.names.all.compare(row(a).name, row(b).name))
            }
            ChildOrder::ByTime => {
                sort_by_number(tracks, |&track| builder.bounds_of(track).map_or(i64::MAX, |times| times.0.0));
            }
            ChildOrder::ByRank => {
                sort_by_number(tracks, |&track| row(self.place(track).unwrap_or(track)).sort_index);
            }
        }
    }
}

/// Returns for each track its first time, and the time after which the first time of another track has to be for both to
/// become one. It is before the last time of the track unless something may begin then.
#[allow(clippy::indexing_slicing, reason = "track numbers are given out by the builder")]
fn busy_times(builder: &TraceBuilder, rows: &Rows) -> Vec<(Tick, Tick)> {
    if builder.registry.own.values().all(|own| own.group.is_empty()) {
        return Vec::new();
    }
    let tracks = builder.registry.tracks.iter();
    let mut busy: Vec<_> = tracks.map(|row| (row.first, Tick(row.last.0.saturating_sub(1)))).collect();
    for (track, run) in rows.runs() {
        let until = &mut busy[track as usize].1;
        for row in run {
            // A slice without an end lasts until the end of its track.
            let is_open = rows.flags(row).is_unfinished();
            *until = if is_open { Tick::MAX } else { rows.start(row).max(*until) };
        }
    }
    for (track, at) in builder.flows.times() {
        let (from, until) = &mut busy[track as usize];
        (*from, *until) = (at.min(*from), at.max(*until));
    }
    busy
}

/// The joining of tracks of one group.
struct Joining<'t> {
    registry: &'t Registry,
    /// The process in which each track is shown.
    processes: &'t [Option<u32>],
    /// The times of [`busy_times`], by track; empty if nothing is joined.
    busy: Vec<(Tick, Tick)>,
    /// The track as which each track is shown.
    shown: Vec<u32>,
    /// The tracks that are shown as one track, in the order of time. Tracks that are shown as themselves alone are left
    /// out.
    parts: HashMap<u32, Vec<u32>, RandomState>,
}

#[allow(clippy::indexing_slicing, reason = "track numbers are given out by the builder")]
impl<'t> Joining<'t> {
    fn new(tree: &'t TrackTree, registry: &'t Registry, busy: Option<Vec<(Tick, Tick)>>) -> Self {
        let hidden = (0..).zip(&tree.shown).filter(|&(track, &shown)| track != shown && shown != NOWHERE);
        let parts = hidden.map(|(track, &shown)| (shown, alloc::vec![track, shown])).collect();
        let processes = &tree.processes;
        Self { registry, processes, busy: busy.unwrap_or_default(), shown: tree.shown.clone(), parts }
    }

    /// Joins tracks with one parent that are of one group, as long as the times of no two of them overlap. `tracks` has them
    /// in display order, and keeps the first one of those that become one.
    fn join(&mut self, tracks: &mut Vec<u32>) {
        if self.busy.is_empty() {
            return;
        }
        let group_of = |&track: &u32| {
            let group = self.registry.own.get(&track)?.group;
            (group != NameId::EMPTY).then(|| (self.processes[track as usize], group))
        };
        let grouped = tracks
            .iter()
            .enumerate()
            .filter_map(|(position, track)| Some((group_of(track)?, self.busy[*track as usize].0, position)));
        let mut grouped: Vec<_> = grouped.collect();
        grouped.sort_unstable();
        for group in grouped.chunk_by(|a, b| a.0 == b.0) {
            // Lists of positions of tracks that become one, and the time until which each is busy.
            let mut lists: Vec<Vec<usize>> = Vec::new();
            let mut busy_until: BinaryHeap<Reverse<(Tick, usize)>> = BinaryHeap::new();
            for &(_, from, position) in group {
                let until = self.busy[tracks[position] as usize].1;
                let is_empty = (from, until) == (Tick::MAX, Tick::MIN);
                let free = busy_until.peek().filter(|Reverse((busy, _))| *busy < from || is_empty).copied();
                let (busy, list) = match free {
                    Some(Reverse(free)) => {
                        busy_until.pop();
                        free
                    }
                    None => (Tick::MIN, lists.len()),
                };
                if list == lists.len() {
                    lists.push(Vec::new());
                }
                lists[list].push(position);
                busy_until.push(Reverse((busy.max(until), list)));
            }
            for list in lists.into_iter().filter(|list| list.len() > 1) {
                let shown = tracks[list.iter().copied().min().unwrap_or_default()];
                let parts: Vec<u32> = list.into_iter().map(|position| tracks[position]).collect();
                parts.iter().for_each(|&part| self.shown[part as usize] = shown);
                self.parts.insert(shown, parts);
            }
        }
        tracks.retain(|&track| self.shown[track as usize] == track);
    }
}

#[cfg(test)]
mod tests;
