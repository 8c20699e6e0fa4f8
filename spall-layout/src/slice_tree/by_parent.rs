//! Adds up spans that say their parents. [tree 1](spall_model::rules::tree#1)

use core::ops::Range;

use spall_model::{
    AlongParents, CallTreeBuilder, Function, Measure, SelfValues, Slice, SliceId, SpanParents, Tick, Ticks,
    TraceView, TrackId, TrackKind, TreeNodeId,
};

use crate::convert::to_ticks;

use super::measured::value_of;

/// The spans of the async tracks of a trace that says parents.
///
/// A span may begin before its parent, or lie elsewhere than below it. So the call path of a span is found along its parents,
/// and not from the rows above it.
#[derive(Debug, Clone)]
pub(super) struct ByParent<'t, T> {
    trace: &'t T,
    /// The parents, without the spans that have no function.
    parents: SpanParents,
    range: Range<Tick>,
    measure: Measure,
    /// The node of each span, or that of the nearest one above it in the range.
    nodes: AlongParents<Option<TreeNodeId>>,
    values: SelfValues<TreeNodeId>,
    /// Whether the current track is one of those.
    pub(super) is_of_track: bool,
}

impl<'t, T: TraceView> ByParent<'t, T> {
    pub(super) fn new(trace: &'t T, parents: SpanParents, range: Range<Tick>, measure: Measure) -> Self {
        let (nodes, values) = Default::default();
        Self { trace, parents, range, measure, nodes, values, is_of_track: false }
    }

    /// Goes to the start of a track.
    pub(super) fn begin_track(&mut self, track: TrackId, builder: &mut CallTreeBuilder) {
        self.finish(builder);
        let kind = self.trace.track_info(track).map(|track| track.kind);
        self.is_of_track = matches!(kind, Some(TrackKind::Async { .. })) && self.trace.nests_by_parent(track);
    }

    /// Adds what is left of the track before.
    pub(super) fn finish(&mut self, builder: &mut CallTreeBuilder) {
        self.nodes = AlongParents::default();
        self.values.drain(|node, value| builder.add_time(Some(node), value));
    }

    /// Adds a slice that touches the range.
    pub(super) fn add(
        &mut self,
        slice: SliceId,
        mut function: impl FnMut(SliceId) -> Option<Function>,
        builder: &mut CallTreeBuilder,
    ) {
        let Some(times) = self.trace.slice(slice).filter(|_| function(slice).is_some()) else { return };
        let Self { trace, parents, range, nodes, .. } = self;
        let in_range = |slice| trace.slice(slice).is_some_and(|slice: Slice| slice.overlaps(range));
        let mut node_of = |slice: SliceId, above: Option<Option<TreeNodeId>>| {
            let function = if in_range(slice) { function(slice) } else { None };
            function.map_or(above.flatten(), |function| Some(builder.child(above.flatten(), function)))
        };
        let Some(node) = nodes.get(parents, slice, &mut node_of) else { return };
        if self.measure != Measure::WallTime {
            builder.add_slice(node, Ticks::ZERO);
            return self.add_value(slice, &times, node, builder);
        }
        let (start, end) = (times.start.max(self.range.start), times.end.min(self.range.end));
        let covered = self.parents.covered_in(slice, &self.range);
        builder.add_slice(node, to_ticks(end.max(start).0.abs_diff(start.0).saturating_sub(covered)));
    }

    /// Adds another measure than time.
    fn add_value(&mut self, slice: SliceId, times: &Slice, node: TreeNodeId, builder: &mut CallTreeBuilder) {
        let Self { trace, parents, range, measure, values, .. } = self;
        let is_inside = |slice: &Slice| slice.start >= range.start && slice.end <= range.end;
        let value_of = |slice, times: &Slice| value_of(*trace, *measure, slice, is_inside(times), true);
        let value = if measure.of_thread().is_some() {
            values.add(parents, slice, node, |slice| value_of(slice, &trace.slice(slice)?))
        } else {
            let value = value_of(slice, times);
            value.into_iter().for_each(|value| builder.add_time(Some(node), Ticks(value)));
            value
        };
        if value.is_none() {
            builder.add_unmeasured(node, 1);
        }
    }
}
