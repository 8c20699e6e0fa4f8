//! Turns the slices of a track into begins and ends that nest.
//!
//! In formats such as spall and speedscope, an end always belongs to the last begin that is still open. So slices that
//! overlap partially go to different lanes, each of which nests.

use alloc::{borrow::Cow, collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;
use std::{collections::HashMap, hash::RandomState};

use spall_model::{
    Process, ProcessId, Slice, SliceId, Tick, Trace, TraceView, Track, TrackKind,
    nest::{Nesting, ParentNesting, Placement},
};

use super::thread::title;

/// The begin or the end of a slice in a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// The slice begins at this time.
    Begin(SliceId, Tick),
    /// The slice ends at this time, or is drawn to it if it is unfinished. Every slice inside it has ended before.
    End(SliceId, Tick),
}

impl Edge {
    /// Returns the time of the edge.
    pub(super) fn at(self) -> Tick {
        match self {
            Self::Begin(_, at) | Self::End(_, at) => at,
        }
    }
}

/// A lane under construction: its edges so far, and the slices that have begun but not ended, outermost first.
#[derive(Debug, Default)]
struct Lane {
    edges: Vec<Edge>,
    open: Vec<(SliceId, Tick)>,
}

impl Lane {
    /// Ends the open slices from `depth` on, the innermost first.
    fn end(&mut self, depth: u32) {
        while self.open.len() > depth as usize {
            self.edges.extend(self.open.pop().map(|(id, end)| Edge::End(id, end)));
        }
    }
}

/// Returns the edges of each lane of a track, in the order of time.
///
/// Of the slices that are open in a lane, the one that began last always ends first.
pub(super) fn lanes(trace: &Trace, track: &Track) -> Vec<Vec<Edge>> {
    if trace.nests_by_parent(track.id) {
        return lanes_by_parent(trace, track);
    }
    let mut nesting = Nesting::default();
    lanes_by(trace, track, |id, slice| nesting.place(id.0, slice.start, slice.end, slice.flags))
}

/// Does the same for a track whose spans say their parents.
// Never inlined, so that the loop over the slices of all others stays as small as it is.
#[inline(never)]
fn lanes_by_parent(trace: &Trace, track: &Track) -> Vec<Vec<Edge>> {
    let mut nesting = ParentNesting::default();
    nesting.begin(trace.span_parents(), track.slices().start().0..track.slices().end().0);
    lanes_by(trace, track, |id, slice| nesting.place(id, slice.start, slice.end))
}

#[inline]
fn lanes_by(
    trace: &Trace,
    track: &Track,
    mut place: impl FnMut(SliceId, &Slice) -> Placement,
) -> Vec<Vec<Edge>> {
    let mut lanes: Vec<Lane> = Vec::new();
    for (id, slice) in trace.slices_of(track.id) {
        let placement = place(id, &slice);
        let index = placement.lane as usize;
        lanes.resize_with(lanes.len().max(index + 1), Lane::default);
        let Some(lane) = lanes.get_mut(index) else { continue };
        // Open slices that do not contain this one are over when it begins.
        lane.end(placement.depth);
        lane.edges.push(Edge::Begin(id, slice.start));
        lane.open.push((id, placement.end));
    }
    let finish = |mut lane: Lane| {
        lane.end(0);
        lane.edges
    };
    lanes.into_iter().map(finish).collect()
}

/// The async spans of a process that have one title, in lanes.
pub(super) struct SpanLanes<'t> {
    pub(super) process: &'t Process,
    pub(super) title: Cow<'t, str>,
    pub(super) lanes: Vec<Vec<Edge>>,
}

/// Returns the spans of all async tracks. There may be a track for each request, so those of one title share lanes: in a lane
/// one span follows another, with what lies inside it.
pub(super) fn span_lanes(trace: &Trace) -> Vec<SpanLanes<'_>> {
    let mut groups: Vec<(SpanLanes<'_>, Vec<Run>)> = Vec::new();
    let mut numbers = HashMap::<(ProcessId, Cow<'_, str>), usize, RandomState>::default();
    for track in trace.tracks() {
        let TrackKind::Async { .. } = track.kind else { continue };
        let Some(process) = track.process.and_then(|process| trace.processes().get(process.index())) else {
            continue;
        };
        let title = title(trace, track);
        let number = *numbers.entry((process.id, title.clone())).or_insert_with(|| {
            groups.push((SpanLanes { process, title, lanes: Vec::new() }, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, runs)) = groups.get_mut(number) {
            lanes(trace, track).into_iter().for_each(|edges| split(edges, runs));
        }
    }
    let packed = groups.into_iter().map(|(group, runs)| SpanLanes { lanes: pack(runs), ..group });
    packed.filter(|group| !group.lanes.is_empty()).collect()
}

/// A slice that lies in no other one, with what lies inside it.
type Run = Vec<Edge>;

/// Splits a lane where nothing is open.
fn split(edges: Vec<Edge>, runs: &mut Vec<Run>) {
    let (mut run, mut n_open) = (Run::new(), 0_usize);
    for edge in edges {
        run.push(edge);
        match edge {
            Edge::Begin(..) => n_open += 1,
            Edge::End(..) => n_open -= 1,
        }
        if n_open == 0 {
            runs.push(core::mem::take(&mut run));
        }
    }
}

/// Puts runs into as few lanes as there are at one time.
fn pack(mut runs: Vec<Run>) -> Vec<Vec<Edge>> {
    let at = |edge: Option<&Edge>| edge.map_or(Tick(0), |edge| edge.at());
    runs.sort_by_key(|run| at(run.first()));
    let mut lanes: Vec<Vec<Edge>> = Vec::new();
    let mut free: BinaryHeap<Reverse<(Tick, usize)>> = BinaryHeap::new();
    for run in runs {
        let end = at(run.last());
        let first_free = free.peek().filter(|Reverse((until, _))| *until <= at(run.first()));
        let number = match first_free {
            Some(&Reverse((_, number))) => {
                free.pop();
                number
            }
            None => {
                lanes.push(Vec::new());
                lanes.len() - 1
            }
        };
        if let Some(lane) = lanes.get_mut(number) {
            lane.extend(run);
        }
        free.push(Reverse((end, number)));
    }
    lanes
}

/// Returns the edges of a lane without the ends that slices do not have, as far as the lane is read the same without them.
///
/// Slices that are unfinished at the end of the lane get no end. Inside a finished slice they need one, because the end of
/// that slice would close them instead.
pub(super) fn without_open_ends<'e>(trace: &Trace, edges: &'e [Edge]) -> &'e [Edge] {
    let is_open = |edge: &&Edge| match edge {
        Edge::Begin(..) => false,
        Edge::End(id, _) => trace.slice(*id).is_some_and(|slice| slice.flags.is_unfinished()),
    };
    let n_open = edges.iter().rev().take_while(is_open).count();
    edges.get(..edges.len() - n_open).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Two slices that overlap, one inside another with the same start, one without duration where another ends, and an
    /// unfinished one.
    const TRACE: &str = r#"[
        {"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
        {"ph":"X","name":"b","pid":1,"tid":1,"ts":0,"dur":4},
        {"ph":"X","name":"c","pid":1,"tid":1,"ts":5,"dur":10},
        {"ph":"X","name":"d","pid":1,"tid":1,"ts":10,"dur":0},
        {"ph":"B","name":"e","pid":1,"tid":1,"ts":12}]"#;

    #[test]
    fn every_slice_begins_and_ends_once_and_slices_inside_it_end_first() {
        let trace = crate::load(TRACE.as_bytes()).unwrap();
        let lanes = lanes(&trace, &trace.tracks()[0]);
        assert_eq!(lanes.len(), 2, "c overlaps a");
        let mut seen = HashSet::new();
        for edges in &lanes {
            assert!(edges.is_sorted_by_key(|edge| edge.at()), "{edges:?}");
            let mut open = Vec::new();
            for edge in edges {
                match *edge {
                    Edge::Begin(slice, at) => {
                        assert!(seen.insert(slice));
                        assert_eq!(Some(at), trace.slice(slice).map(|slice| slice.start));
                        open.push(slice);
                    }
                    Edge::End(slice, _) => assert_eq!(open.pop(), Some(slice)),
                }
            }
            assert_eq!(open, []);
        }
        assert_eq!(seen.len(), 5);
    }
}
