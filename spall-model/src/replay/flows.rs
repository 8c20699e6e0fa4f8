//! The replay of flows. [pairing 6](crate::rules::pairing#6)
//!
//! Events that are bound to a slice directly are emitted right after that slice. All others are emitted after all
//! slices, so that the builder binds them by their times.

use alloc::vec::Vec;

use crate::{
    Event, Flow, FlowBind, FlowEvent, FlowPhase, Key, SliceId, Thread, Tick, Trace, TraceView, TrackId,
    facts::FlowEnds, sort::sort_by_number,
};

use super::{
    Replay,
    ids::{self, ThreadIds},
};

/// An event of a flow that no flow before it has emitted.
#[derive(Debug, Clone, Copy)]
struct ReplayedEnd<'t> {
    flow: &'t Flow,
    phase: FlowPhase,
    bind: FlowBind,
    slice: SliceId,
    at: Tick,
}

/// Returns the events that a flow adds to those of the flows before it. Flows share an event if one arrives where the
/// next leaves, or if several leave one place. The start is left out if an earlier flow has emitted it.
fn flow_ends(flow: &Flow) -> impl Iterator<Item = ReplayedEnd<'_>> {
    let FlowEnds { binds: (from, to), times: (leaves, arrives), .. } = flow.ends;
    let start = ReplayedEnd { flow, phase: FlowPhase::Start, bind: from, slice: flow.from, at: leaves };
    let phase = if flow.ends.goes_on { FlowPhase::Step } else { FlowPhase::End };
    let arrival = ReplayedEnd { flow, phase, bind: to, slice: flow.to, at: arrives };
    flow.ends.starts.then_some(start).into_iter().chain([arrival])
}

/// The flow events that are bound to slices directly, the last slice first, so that those of the next slice are at
/// the end.
#[derive(Debug)]
pub(super) struct SliceBoundEnds<'t>(Vec<ReplayedEnd<'t>>);

impl<'t> SliceBoundEnds<'t> {
    /// Returns the flow events of a trace that are bound to slices directly.
    pub(super) fn of(trace: &'t Trace) -> Self {
        // Spans say their flows themselves.
        let said = |end: &ReplayedEnd<'_>| end.flow.ends.said;
        let direct = |end: &ReplayedEnd<'_>| end.bind == FlowBind::Slice && !said(end);
        let mut bound: Vec<ReplayedEnd<'_>> = trace.flows.iter().flat_map(flow_ends).filter(direct).collect();
        sort_by_number(&mut bound, |end| end.slice.0.into());
        bound.reverse();
        Self(bound)
    }
}

impl<'t, E> Replay<'t, E> {
    /// Emits the flow events that are bound to the slice just emitted.
    pub(super) fn bound_ends(
        &mut self,
        slice: SliceId,
        thread: Thread<'_>,
        bound: &mut SliceBoundEnds<'t>,
    ) -> Result<(), E> {
        // Slices that were inferred from samples are not emitted, and neither are the ends bound to them.
        while let Some(end) = bound.0.pop_if(|end| end.slice <= slice) {
            if end.slice == slice {
                self.flow_end(&end, thread)?;
            }
        }
        Ok(())
    }

    /// Emits all other flow events. Flows are sorted by time, so that the events of one flow are in the order of time
    /// too.
    pub(super) fn flows(&mut self) -> Result<(), E> {
        let trace = self.trace;
        let mut ids = ThreadIds::default();
        for end in trace.flows.iter().flat_map(flow_ends).filter(|end| end.bind != FlowBind::Slice) {
            if let Some((pid, tid)) = trace.track_of(end.slice).and_then(|track| self.thread_of(track)) {
                self.flow_end(&end, ids.thread(trace, pid, tid))?;
            }
        }
        Ok(())
    }

    /// Returns the process and thread ids of a track; `None` if events cannot name it as a thread.
    pub(super) fn thread_of(&self, track: TrackId) -> Option<(Key, Key)> {
        let track = self.trace.tracks.get(track.index())?;
        Some((self.pid(track.process), track.kind.tid()?))
    }

    /// Emits one end of a flow.
    fn flow_end(&mut self, end: &ReplayedEnd<'_>, thread: Thread<'_>) -> Result<(), E> {
        let &ReplayedEnd { flow, phase, bind, at, .. } = end;
        let (leaving, arriving) = self.trace.flow_args(flow);
        let mut escaped = Vec::new();
        let id = ids::id(self.trace, flow.id, &mut escaped);
        let mut event = FlowEvent::new(phase, bind, thread, at, id, self.text(flow.name))
            .with_category(self.text(flow.category));
        event.local = flow.ends.local;
        event.args = if phase == FlowPhase::Start { leaving } else { arriving };
        self.emit(Event::Flow(event))
    }
}
