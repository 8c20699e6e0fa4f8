//! The call tree of the slices of a track, each lane by itself. [tree 1](spall_model::rules::tree#1)
#![allow(clippy::indexing_slicing, reason = "lanes and the slices that are open in them are numbered here")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{
    AlongParents, CallTree, CallTreeBuilder, Function, Measure, SelfValues, Slice, SliceFlags, SliceId,
    ThreadMeasure, Tick, Ticks, Trace, TraceView, Track, TrackId, TreeNodeId, nest::ParentNesting,
};

use crate::lanes::{Place, for_each_place};

/// Slices added up by call path.
pub(super) struct SliceTree<'t> {
    trace: &'t Trace,
    builder: CallTreeBuilder,
    /// The slices that may be around the next ones of each lane, the innermost last.
    lanes: Vec<Vec<Open>>,
    /// The counter of the thread that is added up instead of time; `None` for time.
    counter: Option<ThreadMeasure>,
    /// The range of time that the slices of lane 0 cover; `None` before the first one.
    range: Option<Range<Tick>>,
    n_slices: u64,
}

/// A slice that others may lie inside.
struct Open {
    node: TreeNodeId,
    end: Tick,
    /// The time up to which the slices inside it so far cover it.
    covered: Tick,
    /// What the counter measured in the slice, without the measured slices inside it so far; `None` if it did not.
    rest: Option<i64>,
    /// The position in the lane of the nearest slice that the counter measured, this one included.
    measured: Option<usize>,
}

impl<'t> SliceTree<'t> {
    /// Returns a tree to which a track is to be added, on top of what `builder` has.
    pub(super) fn new(trace: &'t Trace, builder: CallTreeBuilder, measure: Measure) -> Self {
        let (lanes, counter) = (Vec::new(), measure.of_thread());
        Self { trace, builder, lanes, counter, range: None, n_slices: 0 }
    }

    /// Adds up all slices of a track. This makes of a thread the tree that a [`Walk`](crate::walk::Walk) makes of it without
    /// samples, in half the time: most threads of a trace have none.
    pub(super) fn of_track(
        trace: &'t Trace,
        track: TrackId,
        measure: Measure,
    ) -> (CallTree, Option<Range<Tick>>, u64) {
        let mut tree = Self::new(trace, CallTreeBuilder::new(), measure);
        if trace.nests_by_parent(track) {
            SpanTree::add_track(&mut tree, track);
        } else {
            for_each_place(trace, track, |id, slice, place| tree.add(id, slice, &place));
        }
        let (range, n_slices) = (tree.range.clone(), tree.n_slices);
        (tree.finish(), range, n_slices)
    }

    /// Adds a slice, which comes after those that begin before it.
    #[inline]
    pub(super) fn add(&mut self, id: SliceId, slice: &Slice, place: &Place) {
        let lane = place.lane as usize;
        if lane >= self.lanes.len() {
            self.lanes.resize_with(lane + 1, Vec::new);
        }
        self.close(lane, place.depth as usize);
        let Self { trace, builder, counter, range, .. } = self;
        let open = &mut self.lanes[lane];
        let (start, end) = (slice.start, place.end);
        let at = open.len();
        let outer = open.last_mut();
        let above = outer.as_ref().map(|outer| outer.node);
        let node = if slice.flags.contains(SliceFlags::SAMPLED) {
            add_sampled(trace, builder, above, id)
        } else {
            builder.child(above, Function::named(slice.name))
        };
        let mut measured = outer.as_ref().and_then(|outer| outer.measured);
        let mut rest = None;
        match counter {
            None => {
                if let Some(outer) = outer {
                    // A span may outlive the one around it, and run beside another one in it.
                    let until = end.min(outer.end);
                    let from = start.max(outer.covered).min(until);
                    builder.subtract_time(outer.node, until - from);
                    outer.covered = outer.covered.max(until);
                } else if let Some(range) = range.as_ref().filter(|_| lane == 0) {
                    builder.add_time(None, (start - range.end).max(Ticks::ZERO));
                }
                builder.add_slice(node, end - start);
            }
            Some(counter) => {
                builder.add_slice(node, Ticks::ZERO);
                rest = trace.slice_args(id).thread_measure(*counter);
                match rest {
                    None => builder.add_unmeasured(node, 1),
                    Some(value) => {
                        let around = measured.replace(at).and_then(|around| open[around].rest.as_mut());
                        around.into_iter().for_each(|rest| *rest = rest.saturating_sub(value));
                    }
                }
            }
        }
        if lane == 0 {
            let range = range.get_or_insert(start..end);
            range.end = range.end.max(end);
        }
        open.push(Open { node, end, covered: start, rest, measured });
        self.n_slices += 1;
    }

    /// Closes the innermost slices of a lane until `depth` are open.
    fn close(&mut self, lane: usize, depth: usize) {
        let open = &mut self.lanes[lane];
        if self.counter.is_none() {
            open.truncate(depth);
            return;
        }
        for over in open.drain(depth.min(open.len())..) {
            if let Some(rest) = over.rest {
                self.builder.add_time(Some(over.node), Ticks(rest.max(0)));
            }
        }
    }

    /// Closes what is open, and returns the tree.
    pub(super) fn finish(mut self) -> CallTree {
        (0..self.lanes.len()).for_each(|lane| self.close(lane, 0));
        self.builder.finish()
    }
}

/// Returns the node of a slice that a merge has made of samples, which were taken away since, and adds its hits.
#[cold]
#[inline(never)]
fn add_sampled(
    trace: &Trace,
    builder: &mut CallTreeBuilder,
    above: Option<TreeNodeId>,
    id: SliceId,
) -> TreeNodeId {
    let function = trace.function_of(id).unwrap_or(Function::named(Default::default()));
    let node = builder.child(above, function);
    let hits = trace.sampled(id).map_or(0, |sampled| sampled.hits);
    builder.add_hits(Some(node), hits.into(), hits.into());
    node
}

/// The spans of a track that say their parents. The call path of a span is found along its parents, which may come later than it,
/// or lie in other lanes.
#[derive(Default)]
struct SpanTree {
    nodes: AlongParents<TreeNodeId>,
    values: SelfValues<TreeNodeId>,
}

impl SpanTree {
    /// Adds the slices of a track to a tree.
    // Never inlined: few tracks are such, and the loop over the others takes 13 % more instructions beside it.
    #[inline(never)]
    fn add_track(tree: &mut SliceTree<'_>, track: TrackId) {
        let trace = tree.trace;
        let (mut nesting, mut spans) = (ParentNesting::default(), Self::default());
        let slices = trace.tracks().get(track.index()).map(Track::slices).unwrap_or_default();
        nesting.begin(trace.span_parents(), slices.start().0..slices.end().0);
        for (id, slice) in trace.slices_of(track) {
            spans.add(tree, id, &slice);
            let place = nesting.place(id, slice.start, slice.end);
            if place.lane == 0 {
                let range = tree.range.get_or_insert(slice.start..slice.start);
                if place.depth == 0 && tree.counter.is_none() {
                    tree.builder.add_time(None, (slice.start - range.end).max(Ticks::ZERO));
                }
                range.end = range.end.max(slice.end);
            }
        }
        spans.values.drain(|node, value| tree.builder.add_time(Some(node), value));
    }

    /// Adds a slice to a tree.
    fn add(&mut self, tree: &mut SliceTree<'_>, id: SliceId, slice: &Slice) {
        let (trace, builder) = (tree.trace, &mut tree.builder);
        let parents = trace.span_parents();
        let node = self.nodes.get(parents, id, |slice, above| {
            builder.child(above, Function::named(trace.slice_name_id(slice).unwrap_or_default()))
        });
        match tree.counter {
            None => {
                let ticks = slice.end.0.abs_diff(slice.start.0);
                let own = ticks.saturating_sub(parents.covered(id).unwrap_or(0));
                builder.add_slice(node, Ticks(i64::try_from(own).unwrap_or(i64::MAX)));
            }
            Some(counter) => {
                builder.add_slice(node, Ticks::ZERO);
                let value = |slice| trace.slice_args(slice).thread_measure(counter);
                if self.values.add(parents, id, node, value).is_none() {
                    builder.add_unmeasured(node, 1);
                }
            }
        }
        tree.n_slices += 1;
    }
}
