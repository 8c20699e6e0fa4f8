//! The links between the events of flows. [pairing 6](crate::rules::pairing#6)

use alloc::vec::Vec;
use core::{hash::BuildHasher as _, mem};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable, hash_table::Entry};

use crate::{
    Clock, DiagnosticKind, Flow, FlowBind, FlowPhase, SliceId, Slices, Tick, Ticks, facts::FlowEnds,
    sort::sort_by_number,
};

use super::{FlowEnd, FlowKey, FlowLog, Reports};

/// The time by which an end may be earlier than its start. The clocks of a processor and of its graphics card agree to some
/// microseconds.
const CLOCK_ERROR_NS: f64 = 100_000.0;

/// The flows between the events of a log, which are added in the order of time.
pub(super) struct Links<'l> {
    log: &'l FlowLog,
    slices: &'l Slices,
    /// The slice that each event is bound to.
    bound: &'l [Option<SliceId>],
    reports: &'l mut Reports,
    /// The time by which an end may be earlier than its start.
    tolerance: Ticks,
    /// The events from which flows leave. The table compares with the keys in the log.
    open: HashTable<OpenFlow>,
    hasher: RandomState,
    /// The events at which no flow arrives, in the order of time.
    early: HashMap<FlowKey, Vec<u32>, RandomState>,
    flows: Vec<Flow>,
    /// Whether a flow arrives before it leaves, so that the flows are not in the order in which they arrive.
    goes_back: bool,
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

#[allow(clippy::indexing_slicing, reason = "positions are those of events in the log")]
impl<'l> Links<'l> {
    pub(super) fn new(
        log: &'l FlowLog,
        clock: Clock,
        slices: &'l Slices,
        bound: &'l [Option<SliceId>],
        reports: &'l mut Reports,
    ) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "the conversion saturates")]
        let ticks = |ns: f64| (CLOCK_ERROR_NS / ns) as i64;
        Self {
            log,
            slices,
            bound,
            reports,
            tolerance: Ticks(clock.ns_per_tick().map_or(0, ticks)),
            open: HashTable::new(),
            hasher: RandomState::default(),
            early: HashMap::default(),
            flows: Vec::new(),
            goes_back: false,
        }
    }

    /// Adds the next event.
    pub(super) fn add(&mut self, position: u32) {
        let (log, slices) = (self.log, self.slices);
        let end = &log.ends[position];
        let Some(slice) = self.bound[position as usize] else {
            return self.reports.add_at(DiagnosticKind::UnboundFlow, end.spot());
        };
        // A flow with a name is over at its end. A flow that is bound to slices directly may have any number of ends.
        let once = end.key.name.is_some();
        let is_start = end.phase == FlowPhase::Start;
        let is_end = matches!(end.phase, FlowPhase::End | FlowPhase::Stop);
        let next = OpenFlow { slice, end: position, used: !is_start, emitted: false };
        let hash = |key: &FlowKey| self.hasher.hash_one(key);
        let is_of_key = |start: &OpenFlow| log.ends[start.end].key == end.key;
        match self.open.entry(hash(&end.key), is_of_key, |start| hash(&log.ends[start.end].key)) {
            Entry::Occupied(mut known) => {
                if !is_start {
                    self.flows.push(flow_between(
                        slices,
                        (known.get(), &log.ends[known.get().end]),
                        end,
                        slice,
                    ));
                    (known.get_mut().used, known.get_mut().emitted) = (true, true);
                }
                if !is_end {
                    let before = mem::replace(known.get_mut(), OpenFlow { emitted: !is_start, ..next });
                    if is_start && (once || !before.used) {
                        self.reports.add_at(DiagnosticKind::DuplicateFlow, end.spot());
                    }
                } else if once || end.phase == FlowPhase::Stop {
                    known.remove();
                }
            }
            Entry::Vacant(place) => {
                // A step with a name at which no flow arrives is ignored, but a step that is bound to its slice directly
                // starts a flow.
                let leaves = is_start || !is_end && !once;
                if leaves {
                    place.insert(next);
                }
                if is_start || end.phase.is_of_chain() {
                    // Nothing has to arrive here.
                } else if leaves {
                    self.reports.add_at(DiagnosticKind::UnmatchedFlow, end.spot());
                } else {
                    self.early.entry(end.key).or_default().push(position);
                }
            }
        }
        if is_start && !self.early.is_empty() {
            self.arrive_at_once(end);
        }
    }

    /// Adds the ends and steps at the time of a start that stand before it in the file, the steps first.
    fn arrive_at_once(&mut self, start: &FlowEnd) {
        let log = self.log;
        let Some(early) = self.early.get_mut(&start.key) else { return };
        let n_before = early.partition_point(|&end| log.ends[end].at < start.at);
        let at_once = early.split_off(n_before);
        let (steps, ends): (Vec<u32>, Vec<u32>) =
            at_once.into_iter().partition(|&end| log.ends[end].phase == FlowPhase::Step);
        steps.into_iter().chain(ends).for_each(|end| self.add(end));
    }

    /// Adds the flows from unused starts to ends that are a little earlier, and removes these starts and ends.
    ///
    /// Where a key is used again, the end may be that of a start before the recording. So the start and the end must be the only
    /// events of their key.
    fn arrive_back(&mut self, unused: &mut Vec<OpenFlow>) {
        let (log, tolerance) = (self.log, self.tolerance);
        let early_end = |early: &HashMap<FlowKey, Vec<u32>, RandomState>, start: &OpenFlow| {
            let from = &log.ends[start.end];
            let &[end] = early.get(&from.key)?.as_slice() else { return None };
            (log.ends[end].at >= from.at - tolerance && log.ends[end].at <= from.at).then_some(end)
        };
        let candidates = unused.iter().filter(|start| early_end(&self.early, start).is_some());
        let mut n_events: HashMap<FlowKey, u32, RandomState> =
            candidates.map(|start| (log.ends[start.end].key, 0)).collect();
        if n_events.is_empty() {
            return;
        }
        for end in log.ends.iter() {
            if let Some(count) = n_events.get_mut(&end.key) {
                *count += 1;
            }
        }
        unused.retain(|start| {
            let from = &log.ends[start.end];
            let Some(end) = early_end(&self.early, start).filter(|_| n_events.get(&from.key) == Some(&2))
            else {
                return true;
            };
            // An event without a slice is not among the early ones.
            let Some(to) = self.bound[end as usize] else { return true };
            self.early.remove(&from.key);
            self.flows.push(flow_between(self.slices, (start, from), &log.ends[end], to));
            self.goes_back = true;
            false
        });
    }

    /// Returns all flows, in the order in which they arrive. Everything else becomes a diagnostic.
    pub(super) fn finish(mut self) -> Vec<Flow> {
        let log = self.log;
        // The tables have no order of their own, and diagnostics are the same for every run.
        let in_file = |end: &u32| log.ends[*end].bytes.start;
        let mut unused: Vec<OpenFlow> = self.open.iter().filter(|start| !start.used).copied().collect();
        unused.sort_unstable_by_key(|start| in_file(&start.end));
        self.arrive_back(&mut unused);
        let mut early: Vec<u32> = self.early.into_values().flatten().collect();
        early.sort_unstable_by_key(in_file);
        for end in early {
            self.reports.add_at(DiagnosticKind::UnmatchedFlow, log.ends[end].spot());
        }
        for start in unused {
            self.reports.add_at(DiagnosticKind::UnfinishedFlow, log.ends[start.end].spot());
        }
        if self.goes_back {
            sort_by_number(&mut self.flows, |flow| flow.ends.times.1.0);
        }
        self.flows
    }
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
            said: false,
            starts: !open.emitted,
            goes_on: matches!(end.phase, FlowPhase::Step | FlowPhase::Pass),
            binds: (start.bound(), end.bound()),
            times: (start.at, end.at),
        },
    }
}
