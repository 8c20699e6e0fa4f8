//! Flows, the causal links between slices. Their events are kept, and bound to slices in the order of time at the end.
//! [json 3.7](crate::rules::json#3.7)

use alloc::vec::Vec;
use core::{hash::BuildHasher as _, mem};

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table::Entry};

use crate::{
    ByteRange, DiagnosticKind, Diagnostics, Flow, FlowBind, FlowEvent, FlowPhase, Key, NameId, SliceId,
    Slices, Tick, args_table::ArgsId, facts::FlowEnds, index32, log::Log, sort::sort_by_number,
};

use super::{
    TraceBuilder,
    by_time::{ByTime, Timed},
    by_track::ByTrack,
    order::Arranged,
};

/// The events of all flows, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct FlowLog {
    ends: Log<FlowEnd>,
    /// Flows of other traces, which are bound already: their slices are numbers of rows.
    pub(super) joined: Vec<Flow>,
}

/// An event of a flow, at which a flow leaves a slice, arrives at one, or both.
#[derive(Debug, Clone, Copy)]
struct FlowEnd {
    key: FlowKey,
    phase: FlowPhase,
    bind: FlowBind,
    track: u32,
    /// The last row before the event, for [`FlowBind::Slice`].
    row: u32,
    at: Tick,
    args: ArgsId,
    bytes: ByteRange,
}

/// The identity of a flow: events with equal keys belong to one flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FlowKey {
    id: Key,
    /// The process inside which the id is valid; `None` for an id that is valid everywhere.
    process: Option<u32>,
    /// Name and category; `None` for a flow that is bound to slices directly, whose events have none of their own.
    name: Option<(NameId, NameId)>,
}

impl FlowEnd {
    /// Returns how the event is bound once its slice is found: an event of a chain belongs to that slice from then on.
    fn bound(&self) -> FlowBind {
        if self.phase.is_of_chain() { FlowBind::Slice } else { self.bind }
    }
}

impl FlowLog {
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty() && self.joined.is_empty()
    }

    /// Returns the tracks and times of all events.
    pub(super) fn times(&self) -> impl Iterator<Item = (u32, Tick)> {
        self.ends.iter().map(|end| (end.track, end.at))
    }
}

impl TraceBuilder {
    /// Keeps an event of a flow.
    pub(super) fn flow(&mut self, event: &FlowEvent<'_>, bytes: ByteRange) {
        let Some(track) = self.thread(event.thread, bytes) else { return };
        let (name, category) = (self.intern(event.name), self.intern(event.category));
        let key = FlowKey {
            id: self.key(event.id),
            process: self.registry.track(track).process.filter(|_| event.local),
            name: (event.bind != FlowBind::Slice && !event.phase.is_of_chain()).then_some((name, category)),
        };
        // Without any row this is a number that no row has, and the event stays unbound.
        let row = index32(self.slices.rows.len()).wrapping_sub(1);
        let args = self.keep_args(event.args, bytes);
        self.flows.ends.push(FlowEnd {
            key,
            phase: event.phase,
            bind: event.bind,
            track,
            row,
            at: event.at,
            args,
            bytes,
        });
    }
}

/// Returns the flows of which both ends are bound to slices, in the order of the times of the events at which they
/// arrive. Everything else becomes a diagnostic.
#[allow(clippy::indexing_slicing, reason = "positions are made by this module")]
pub(super) fn resolve(log: &FlowLog, arranged: &Arranged, diagnostics: &mut Diagnostics) -> Vec<Flow> {
    if log.is_empty() {
        return Vec::new();
    }
    let slices = &arranged.slices;
    let bound = bind(log, arranged);
    let mut by_time = ByTime::default();
    // Events at one time keep the order in which they are added. Events that are bound to slices directly may come in
    // the order of threads and not of causes, so at one time a flow leaves before it arrives. Those of a chain do not
    // say whether a flow leaves or arrives, so they keep the order of the file.
    let (mut direct, mut others) = ([const { Vec::new() }; 4], Vec::new());
    for (end, position) in log.ends.iter().zip(0..) {
        let of_phase = match end.phase {
            FlowPhase::Pass | FlowPhase::Stop => &mut direct[3],
            _ if end.bind != FlowBind::Slice => &mut others,
            FlowPhase::Start => &mut direct[0],
            FlowPhase::Step => &mut direct[1],
            FlowPhase::End => &mut direct[2],
        };
        of_phase.push((end.at, position));
    }
    direct.iter().flatten().chain(&others).for_each(|&(at, position)| by_time.add(at, position));
    let mut flows = Vec::new();
    // The table compares with the keys in the log.
    let (mut open, hasher) = (HashTable::new(), RandomState::default());
    let hash = |key: &FlowKey| hasher.hash_one(key);
    for &mut Timed { row: position, .. } in by_time.sorted() {
        let (end, slice) = (&log.ends[position], bound[position as usize]);
        let Some(slice) = slice else {
            diagnostics.add(DiagnosticKind::UnboundFlow, end.bytes);
            continue;
        };
        // A flow with a name is over at its end. A flow that is bound to slices directly may have any number of ends.
        let once = end.key.name.is_some();
        let is_start = end.phase == FlowPhase::Start;
        let is_end = matches!(end.phase, FlowPhase::End | FlowPhase::Stop);
        let next = OpenFlow { slice, end: position, used: !is_start, emitted: false };
        let is_of_key = |start: &OpenFlow| log.ends[start.end].key == end.key;
        match open.entry(hash(&end.key), is_of_key, |start| hash(&log.ends[start.end].key)) {
            Entry::Occupied(mut known) => {
                if !is_start {
                    flows.push(flow_between(slices, (known.get(), &log.ends[known.get().end]), end, slice));
                    (known.get_mut().used, known.get_mut().emitted) = (true, true);
                }
                if !is_end {
                    let before = mem::replace(known.get_mut(), OpenFlow { emitted: !is_start, ..next });
                    if is_start && (once || !before.used) {
                        diagnostics.add(DiagnosticKind::DuplicateFlow, end.bytes);
                    }
                } else if once || end.phase == FlowPhase::Stop {
                    known.remove();
                }
            }
            Entry::Vacant(place) => {
                if !is_start && !end.phase.is_of_chain() {
                    diagnostics.add(DiagnosticKind::UnmatchedFlow, end.bytes);
                }
                // A step with a name at which no flow arrives is ignored, but a step that is bound to its slice directly
                // starts a flow.
                if is_start || !is_end && !once {
                    place.insert(next);
                }
            }
        }
    }
    let mut unfinished: Vec<ByteRange> =
        open.iter().filter(|start| !start.used).map(|start| log.ends[start.end].bytes).collect();
    // The table has no order of its own, and diagnostics are the same for every run.
    unfinished.sort_unstable_by_key(|bytes| bytes.start);
    for bytes in unfinished {
        diagnostics.add(DiagnosticKind::UnfinishedFlow, bytes);
    }
    if !log.joined.is_empty() {
        let slice = |row: SliceId| SliceId(arranged.slice_of_row[row.index()]);
        flows.extend(log.joined.iter().map(|flow| Flow {
            from: slice(flow.from),
            to: slice(flow.to),
            ..*flow
        }));
        sort_by_number(&mut flows, |flow| flow.ends.times.1.0);
    }
    flows
}

/// Returns the flow from `start` and its event to an end that is bound to the slice `to`.
#[allow(clippy::indexing_slicing, reason = "slices are of the table")]
fn flow_between(slices: &Slices, (open, start): (&OpenFlow, &FlowEnd), end: &FlowEnd, to: SliceId) -> Flow {
    let from = open.slice;
    // The minimum comes first: no slice ends before it starts, so the result is never outside of the slice.
    let inside =
        |at: Tick, slice: SliceId| at.min(slices.ends()[slice.index()]).max(slices.starts()[slice.index()]);
    let arrives = match end.bound() {
        FlowBind::Slice => slices.starts()[to.index()],
        _ => inside(end.at, to),
    };
    let leaves = match start.bound() {
        FlowBind::Slice => arrives,
        _ => start.at,
    };
    let of_slice = || (slices.names()[from.index()], slices.categories()[from.index()]);
    let (name, category) = end.key.name.unwrap_or_else(of_slice);
    Flow {
        id: end.key.id,
        name,
        category,
        from,
        to,
        leaves: inside(leaves, from),
        arrives,
        args: (start.args, end.args),
        ends: FlowEnds {
            local: end.key.process.is_some(),
            starts: !open.emitted,
            goes_on: matches!(end.phase, FlowPhase::Step | FlowPhase::Pass),
            binds: (start.bound(), end.bound()),
            times: (start.at, end.at),
        },
    }
}

/// The event from which the next flow of a key leaves.
#[derive(Debug, Clone, Copy)]
struct OpenFlow {
    slice: SliceId,
    /// The position of the event in the log.
    end: u32,
    /// Whether a flow has left from there, or the event is itself an arrival. If not, the start is reported as
    /// unfinished.
    used: bool,
    /// Whether a flow of the trace arrives there or has left from there, so that a replay has already emitted the
    /// event.
    emitted: bool,
}

/// Returns the slice that each event is bound to, or `None` where there is none. It walks over the slices and the
/// events of each track together, in the order of time.
#[allow(clippy::indexing_slicing, reason = "positions are made by this module")]
fn bind(log: &FlowLog, arranged: &Arranged) -> Vec<Option<SliceId>> {
    let slices = &arranged.slices;
    let mut bound = alloc::vec![None; log.ends.len()];
    let by_track = ByTrack::new(log.ends.iter().map(|end| end.track), &arranged.track_order);
    let mut by_time = ByTime::default();
    let mut open: Vec<SliceId> = Vec::new();
    for (track, &old) in arranged.tracks.iter().zip(&arranged.track_order) {
        by_time.clear();
        for &position in by_track.items(old) {
            let end = &log.ends[position];
            if end.bind == FlowBind::Slice {
                bound[position as usize] = arranged.slice_of_row.get(end.row as usize).copied().map(SliceId);
            } else {
                by_time.add(end.at, position);
            }
        }
        let slices_of_track = track.slices().indices();
        let first = slices_of_track.start;
        let (starts, ends) = (&slices.starts()[slices_of_track.clone()], &slices.ends()[slices_of_track]);
        let id = |index| SliceId(index32(first + index));
        // The number of slices that begin before the current event, and the number of those that begin no later.
        let (mut before, mut until) = (0, 0);
        open.clear();
        for &Timed { row: position, .. } in by_time.sorted().iter() {
            let FlowEnd { at, bind, .. } = log.ends[position];
            before += starts[before..].iter().take_while(|&&start| start < at).count();
            // For the enclosing slice intervals are closed: a flow may leave at the very end of a slice.
            while starts.get(until).is_some_and(|&start| start <= at) {
                if ends[until] >= at {
                    open.push(id(until));
                }
                until += 1;
            }
            // Only the top is looked at. Slices below it that have ended are removed once the top has ended.
            while open.pop_if(|slice| slices.ends()[slice.index()] < at).is_some() {}
            bound[position as usize] = match bind {
                FlowBind::Next => (before < starts.len()).then(|| id(before)),
                _ => open.last().copied(),
            };
        }
    }
    bound
}
