//! What the end of a slice came from, flow by flow. [layout 23](crate::rules::layout#23)

use alloc::{collections::BTreeSet, vec::Vec};

use spall_model::{FlowId, SliceId, Tick, TraceView, TrackId};

use crate::LayoutView;

/// How many flows and callers are looked at.
const MOST: usize = 1 << 20;

/// A part of a [critical path](critical_path): a time on one track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathPart {
    /// The slice that the path leaves: the one that was asked about, or one that a flow leaves.
    pub slice: SliceId,
    /// When the path arrives on the track.
    pub start: Tick,
    /// When the path leaves the track.
    pub end: Tick,
    /// The flow by which it arrives; `None` for the first part.
    pub flow: Option<FlowId>,
}

/// Finds what the end of a slice came from: parts in the order of time, each of which leads to the next one by a flow. [layout
/// 23](crate::rules::layout#23)
///
/// This takes O(f log f) for f flows. A slice that is not of the trace has no path.
///
/// ```
/// use spall_layout::{Layout, critical_path};
/// use spall_model::{Event, FlowBind, FlowEvent, FlowPhase, Id, Limits, SliceId, Text, Thread, ThreadEvent};
/// use spall_model::{Tick, Ticks, TraceBuilder, TraceView};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (thread, name, start, phase) in [(1, "ask", 0, FlowPhase::Start), (2, "answer", 20, FlowPhase::End)] {
///     let slice = ThreadEvent::new(Thread::new(1, thread), Tick(start), Text::from(name));
///     builder.push(&Event::Complete(slice, Ticks(10)));
///     let (thread, at) = (Thread::new(1, thread), Tick(start + 5));
///     builder.push(&Event::Flow(FlowEvent::new(phase, FlowBind::Enclosing, thread, at, Id::Number(7), Text::from("f"))));
/// }
/// let trace = builder.finish();
/// let path = critical_path(&trace, &Layout::new(&trace), SliceId(1));
/// let parts: Vec<_> = path.iter().map(|part| (trace.slice_name(part.slice), part.start.0, part.end.0)).collect();
/// assert_eq!(parts, [("ask".into(), 0, 5), ("answer".into(), 25, 30)]);
/// ```
#[must_use]
pub fn critical_path(trace: &impl TraceView, layout: &impl LayoutView, slice: SliceId) -> Vec<PathPart> {
    let mut arrivals: Vec<(TrackId, Tick, FlowId)> = Vec::new();
    for (number, flow) in trace.flows().iter().enumerate() {
        let track = trace.track_of(flow.to).filter(|_| flow.leaves <= flow.arrives);
        arrivals.extend(track.map(|track| (track, flow.arrives, FlowId::new(number))));
    }
    arrivals.sort_unstable();
    let (mut path, mut followed, mut left) = (Vec::new(), BTreeSet::new(), MOST);
    let mut at = layout.place(slice).map(|placed| (slice, placed.end));
    while let Some((slice, end)) = at.take() {
        let Some(outermost) = outermost(layout, slice, &mut left) else { break };
        let Some(placed) = layout.place(outermost) else { break };
        let until = arrivals.partition_point(|&(track, arrives, _)| (track, arrives) <= (placed.track, end));
        let before = arrivals.get(..until).unwrap_or_default().iter().rev();
        let inside = before.take_while(|&&(track, at, _)| (track, at) >= (placed.track, placed.start));
        let mut inside = inside.map(|&(_, _, flow)| flow);
        let arrived = inside.find_map(|id| {
            let flow = trace.flows().get(id.index())?;
            left = left.saturating_sub(1);
            let is_inside = self::outermost(layout, flow.to, &mut left) == Some(outermost);
            (left == 0 || is_inside).then_some((id, flow))
        });
        let arrived = arrived.filter(|(id, _)| left > 0 && followed.insert(*id));
        let start = arrived.map_or(placed.start, |(_, flow)| flow.arrives);
        path.push(PathPart { slice, start, end, flow: arrived.map(|(id, _)| id) });
        at = arrived.map(|(_, flow)| (flow.from, flow.leaves));
    }
    path.reverse();
    path
}

/// The slice that a slice lies in and that lies in no other; `None` where that is too far away.
fn outermost(layout: &impl LayoutView, mut slice: SliceId, left: &mut usize) -> Option<SliceId> {
    while let Some(parent) = layout.parent(slice) {
        *left = left.checked_sub(1)?;
        slice = parent;
    }
    Some(slice)
}
