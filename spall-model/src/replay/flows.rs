//! Arrows between slices. \[json 3.7\]
//!
//! Ends that are bound to slices directly come behind their slices, all others behind all slices, so that they are
//! bound by their times as before.

use alloc::vec::Vec;

use crate::{
    Event, Flow, FlowBind, FlowEvent, FlowPhase, Key, SliceId, Thread, Tick, Trace, TrackId, facts::FlowEnds,
};

use super::{
    Replay,
    ids::{self, ThreadIds},
};

/// One end of an arrow, as the events before it have not said it.
#[derive(Debug, Clone, Copy)]
struct ReplayedEnd<'t> {
    flow: &'t Flow,
    phase: FlowPhase,
    bind: FlowBind,
    slice: SliceId,
    at: Tick,
}

/// What an arrow adds to the arrows before it: it may leave where another one arrives or has left.
fn flow_ends(flow: &Flow) -> impl Iterator<Item = ReplayedEnd<'_>> {
    let FlowEnds { binds: (from, to), times: (leaves, arrives), .. } = flow.ends;
    let start = ReplayedEnd { flow, phase: FlowPhase::Start, bind: from, slice: flow.from, at: leaves };
    let phase = if flow.ends.goes_on { FlowPhase::Step } else { FlowPhase::End };
    let arrival = ReplayedEnd { flow, phase, bind: to, slice: flow.to, at: arrives };
    flow.ends.starts.then_some(start).into_iter().chain([arrival])
}

/// The flow_ends that are bound to slices directly, last slice first.
#[derive(Debug)]
pub(super) struct SliceBoundEnds<'t>(Vec<ReplayedEnd<'t>>);

impl<'t> SliceBoundEnds<'t> {
    pub(super) fn of(trace: &'t Trace<'_>) -> Self {
        let direct = |end: &ReplayedEnd<'_>| end.bind == FlowBind::Slice;
        let mut bound: Vec<ReplayedEnd<'_>> = trace.flows.iter().flat_map(flow_ends).filter(direct).collect();
        bound.sort_by_key(|end| end.slice);
        bound.reverse();
        Self(bound)
    }
}

impl<'t, E> Replay<'t, E> {
    /// The flow_ends that are bound to the slice just given.
    pub(super) fn bound_ends(
        &mut self,
        slice: SliceId,
        thread: Thread<'_>,
        bound: &mut SliceBoundEnds<'t>,
    ) -> Result<(), E> {
        while let Some(end) = bound.0.pop_if(|end| end.slice <= slice) {
            if end.slice == slice {
                self.flow_end(&end, thread)?;
            }
        }
        Ok(())
    }

    /// All other flow_ends, in an order in which those of one arrow come by time.
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

    /// Process and thread of a track.
    pub(super) fn thread_of(&self, track: TrackId) -> Option<(Key, Key)> {
        let track = self.trace.tracks.get(track.index())?;
        Some((self.pid(track.process), track.kind.tid()?))
    }

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
