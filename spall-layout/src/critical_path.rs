//! What the end of a slice came from, by flows and by what woke threads. [layout 23](crate::rules::layout#23)

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use spall_model::{FlowId, Key, ProcessId, SliceId, State, StateId, Tick, TraceView, TrackId, TrackKind};

use crate::LayoutView;

/// How many flows, states and callers are looked at.
const MOST: usize = 1 << 20;

/// A part of a [critical path](critical_path): a time on one track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathPart {
    /// The track.
    pub track: TrackId,
    /// The slice that the path leaves: the one that was asked about, one that a flow leaves, or one that ran where a thread
    /// woke another one. `None` if nothing ran there, where the path begins.
    pub slice: Option<SliceId>,
    /// When the path arrives on the track.
    pub start: Tick,
    /// When the path leaves the track.
    pub end: Tick,
    /// By what it arrives; `None` where the path begins with a slice, or where nobody knows.
    pub came_by: Option<CameBy>,
}

/// By what a [critical path](critical_path) arrives on a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CameBy {
    /// A flow.
    Flow(FlowId),
    /// Another thread woke this one: the state that began then, which says the other thread.
    Wake(StateId),
}

/// Finds what the end of a slice came from: parts in the order of time, each of which leads to the next one by a flow or by a
/// thread that woke another one. [layout 23](crate::rules::layout#23)
///
/// This takes O(f log f) for f flows, and looks at the states of the threads on the path. A slice that is not of the trace has no
/// path.
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
/// let name = |slice: Option<SliceId>| slice.map(|slice| trace.slice_name(slice)).unwrap();
/// let parts: Vec<_> = path.iter().map(|part| (name(part.slice), part.start.0, part.end.0)).collect();
/// assert_eq!(parts, [("ask".into(), 0, 5), ("answer".into(), 25, 30)]);
/// ```
#[must_use]
pub fn critical_path(trace: &impl TraceView, layout: &impl LayoutView, slice: SliceId) -> Vec<PathPart> {
    let Some(placed) = layout.place(slice) else { return Vec::new() };
    let mut search = Search::new(trace, layout);
    let (mut path, mut followed) = (Vec::new(), BTreeSet::new());
    let mut at = Some((placed.track, Some(slice), placed.end));
    while let Some((track, slice, end)) = at.take() {
        let Some(slice) = slice else {
            path.push(PathPart { track, slice, start: end, end, came_by: None });
            break;
        };
        let Some(outermost) = search.outermost(slice) else { break };
        let Some(placed) = layout.place(outermost) else { break };
        let flow = search.flow(outermost, placed.start, end);
        let wake = search.wake(placed.track, placed.start, end);
        let arrived = match (flow, wake) {
            (Some(flow), Some(wake)) if wake.at > flow.at => Some(wake),
            (flow, wake) => flow.or(wake),
        };
        let arrived = arrived.filter(|arrived| search.left > 0 && followed.insert(arrived.by));
        let start = arrived.map_or(placed.start, |arrived| arrived.at);
        let came_by = arrived.map(|arrived| arrived.by);
        path.push(PathPart { track: placed.track, slice: Some(slice), start, end, came_by });
        at = arrived.and_then(|arrived| arrived.from);
    }
    path.reverse();
    path
}

/// Where a path arrives on a track.
#[derive(Clone, Copy)]
struct Arrival {
    by: CameBy,
    at: Tick,
    /// Where it comes from: the track, the slice there, and the time; `None` if the trace does not have the thread.
    from: Option<(TrackId, Option<SliceId>, Tick)>,
}

/// The search for a path.
struct Search<'t, T, L> {
    trace: &'t T,
    layout: &'t L,
    /// The flows by the track and the time at which they arrive.
    arrivals: Vec<(TrackId, Tick, FlowId)>,
    /// The threads by their ids, in the order of the trace; empty until the first one is looked for.
    threads: BTreeMap<i64, Vec<(Option<ProcessId>, TrackId)>>,
    /// How much more is looked at.
    left: usize,
}

impl<'t, T: TraceView, L: LayoutView> Search<'t, T, L> {
    fn new(trace: &'t T, layout: &'t L) -> Self {
        let mut arrivals: Vec<(TrackId, Tick, FlowId)> = Vec::new();
        for (number, flow) in trace.flows().iter().enumerate() {
            let track = trace.track_of(flow.to).filter(|_| flow.leaves <= flow.arrives);
            arrivals.extend(track.map(|track| (track, flow.arrives, FlowId::new(number))));
        }
        arrivals.sort_unstable();
        Self { trace, layout, arrivals, threads: BTreeMap::new(), left: MOST }
    }

    /// The slice that a slice lies in and that lies in no other; `None` where that is too far away.
    fn outermost(&mut self, mut slice: SliceId) -> Option<SliceId> {
        while let Some(parent) = self.layout.parent(slice) {
            self.left = self.left.checked_sub(1)?;
            slice = parent;
        }
        Some(slice)
    }

    /// The latest flow that arrives in an outermost slice, or in what lies there, until a time.
    fn flow(&mut self, outermost: SliceId, start: Tick, end: Tick) -> Option<Arrival> {
        let own = self.trace.track_of(outermost)?;
        let mut until = self.arrivals.partition_point(|&(track, at, _)| (track, at) <= (own, end));
        while let Some(&(track, at, id)) = until.checked_sub(1).and_then(|last| self.arrivals.get(last)) {
            if (track, at) < (own, start) {
                return None;
            }
            until -= 1;
            self.left = self.left.saturating_sub(1);
            let flow = self.trace.flows().get(id.index())?;
            if self.left == 0 || self.outermost(flow.to) == Some(outermost) {
                let from = self.trace.track_of(flow.from).map(|track| (track, Some(flow.from), flow.leaves));
                return Some(Arrival { by: CameBy::Flow(id), at, from });
            }
        }
        None
    }

    /// The latest state of a thread that begins from a time on, until another one, and says which other thread woke this one.
    fn wake(&mut self, track: TrackId, start: Tick, end: Tick) -> Option<Arrival> {
        let states = self.trace.states_of(track);
        let mut until = states.partition_point(|state| state.start <= end);
        while let Some(state) = until.checked_sub(1).and_then(|last| states.get(last)) {
            if state.start < start || self.left == 0 {
                return None;
            }
            until -= 1;
            self.left -= 1;
            let Some(waker) = self.waker(state) else { continue };
            let thread = self.thread(waker, track);
            if thread == Some(track) {
                continue;
            }
            let at = state.start;
            let from = thread.map(|thread| (thread, self.running(thread, at), at));
            let by = CameBy::Wake(self.trace.state_id(track, until)?);
            return Some(Arrival { by, at, from });
        }
        None
    }

    /// The id of the thread that woke the thread of a state.
    fn waker(&self, state: &State) -> Option<i64> {
        self.trace.args_of(state).get(b"waker")?.as_i64()
    }

    /// The thread with an id: that of the process of another thread, or else the first one of the trace.
    fn thread(&mut self, id: i64, beside: TrackId) -> Option<TrackId> {
        let trace = self.trace;
        if self.threads.is_empty() {
            for track in trace.track_ids() {
                let Some(info) = trace.track_info(track) else { continue };
                if let TrackKind::Thread { tid: Key::Number(tid) } = info.kind {
                    self.threads.entry(tid).or_default().push((info.process, track));
                }
            }
        }
        let process = trace.track_info(beside).and_then(|track| track.process);
        let all = self.threads.get(&id)?;
        all.iter().find(|(of, _)| *of == process).or(all.first()).map(|&(_, track)| track)
    }

    /// The innermost slice of a thread at a time.
    fn running(&self, track: TrackId, at: Tick) -> Option<SliceId> {
        let rows = self.layout.track_rows(track).filter_map(|row| self.layout.row(row));
        let running = rows.filter_map(|row| row.find(at));
        running.max_by_key(|&slice| self.layout.place(slice).map(|placed| (placed.start, placed.depth)))
    }
}
