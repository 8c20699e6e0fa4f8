//! Flows, the causal links between slices. Their events are kept, and bound to slices in the order of time at the end.
//! [pairing 6](crate::rules::pairing#6)

mod links;

use alloc::vec::Vec;

use crate::{
    ByteRange, Clock, Flow, FlowBind, FlowEvent, FlowPhase, Key, NameId, SliceId, Tick, args_table::ArgsId,
    index32, log::Log, sort::sort_by_number,
};

use super::{
    TraceBuilder,
    by_time::{ByTime, Timed},
    by_track::ByTrack,
    order::Arranged,
    reports::{Reports, Spot},
};

use self::links::Links;

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
    /// Returns the place of the event.
    fn spot(&self) -> Spot {
        Spot::new(self.bytes, self.at)
    }

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
        let Some(track) = self.thread(event.thread, event.at, bytes) else { return };
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
pub(super) fn resolve(log: &FlowLog, clock: Clock, arranged: &Arranged, reports: &mut Reports) -> Vec<Flow> {
    if log.is_empty() {
        return Vec::new();
    }
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
    let mut links = Links::new(log, clock, &arranged.slices, &bound, reports);
    by_time.sorted().iter().for_each(|timed| links.add(timed.row));
    let mut flows = links.finish();
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
