//! What ran on each processor. [layout 24.2](spall_trace::layout::rules::layout#24.2)

use core::ops::Range;
use std::collections::HashMap;

use spall_trace::model::{LiveSnapshot, NameId, SliceId, State, StateId, Tick, TraceView, TrackId};

use super::{DerivedLine, ON_CPU};

/// More processors than this are not shown, but their states are counted.
const MOST: usize = 1024;
/// So many states of each thread are looked at in order to find out whether any is on a processor.
const LOOKED_AT: usize = 64;

/// The running states of all threads, by processor.
#[derive(Debug, Default)]
pub(super) struct Cpus {
    /// The numbers of the processors, ascending, and the line of each.
    numbers: Vec<i64>,
    lines: Vec<DerivedLine>,
    /// How many running states are on none of them.
    n_unknown: u64,
    /// How many states of each thread were looked at.
    known: HashMap<TrackId, usize>,
}

/// A running state on a processor. The order is that of the lines and of time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    cpu: i64,
    start: Tick,
    id: StateId,
    end: Tick,
}

impl Cpus {
    /// Looks at all states once.
    pub(super) fn new(trace: &impl TraceView) -> Self {
        let mut cpus = Self::default();
        let Some(running) = trace.names().find(b"Running") else { return cpus };
        let n_states = trace.track_ids().map(|track| trace.states_of(track).len()).sum();
        let mut runs = Vec::with_capacity(n_states);
        for track in trace.track_ids() {
            cpus.gather(trace, track, running, &mut runs);
        }
        runs.sort_unstable(); // no two are equal
        runs.into_iter().for_each(|run| cpus.push(&run));
        cpus
    }

    /// Gathers the states of a thread that were not looked at.
    fn gather(&mut self, trace: &impl TraceView, track: TrackId, running: NameId, runs: &mut Vec<Run>) {
        let states = trace.states_of(track);
        let known = if states.is_empty() { 0 } else { self.known.insert(track, states.len()).unwrap_or(0) };
        for (position, state) in states.iter().enumerate().skip(known) {
            if state.name != running {
                continue;
            }
            let id = trace.state_id(track, position).filter(|id| id.0 < ON_CPU);
            match cpu_of(trace, state).zip(id) {
                Some((cpu, id)) => runs.push(Run { cpu, start: state.start, id, end: state.end }),
                None => self.n_unknown += 1,
            }
        }
    }

    fn push(&mut self, run: &Run) {
        let line = match self.numbers.binary_search(&run.cpu) {
            Ok(line) => line,
            Err(_) if self.numbers.len() == MOST => {
                self.n_unknown += 1;
                return;
            }
            Err(line) => {
                self.numbers.insert(line, run.cpu);
                let label = format!("CPU {}", run.cpu);
                self.lines.insert(line, DerivedLine { label, ..DerivedLine::default() });
                line
            }
        };
        if let Some(line) = self.lines.get_mut(line) {
            line.row.push(run.start, run.end, SliceId(ON_CPU | run.id.0));
        }
    }

    /// Adds what a commit of a live trace has brought. If something came late, all is looked at again.
    pub(super) fn grow(&mut self, trace: &LiveSnapshot<'_>) {
        let Some(running) = trace.names().find(b"Running") else { return };
        let mut runs = Vec::new();
        for track in trace.changed().iter().filter_map(|&track| trace.track(track)) {
            let Range { start, .. } = track.new_states();
            if start < self.known.get(&track.id()).copied().unwrap_or(0) && !track.new_states().is_empty() {
                *self = Self::new(trace);
                return;
            }
            self.gather(trace, track.id(), running, &mut runs);
        }
        runs.sort_unstable();
        let last_of = |cpus: &Self, cpu| {
            let line = cpus.numbers.binary_search(&cpu).ok().and_then(|line| cpus.lines.get(line))?;
            line.row.view(Default::default()).starts().last().copied()
        };
        for run in runs {
            if last_of(self, run.cpu).is_some_and(|last| run.start < last) {
                *self = Self::new(trace);
                return;
            }
            self.push(&run);
        }
    }

    pub(super) fn lines(&self) -> &[DerivedLine] {
        &self.lines
    }

    pub(super) fn n_unknown(&self) -> u64 {
        self.n_unknown
    }
}

/// The processor on which a thread is in a state, if it says so.
fn cpu_of(trace: &impl TraceView, state: &State) -> Option<i64> {
    trace.args_of(state).get(b"cpu")?.as_i64().filter(|&cpu| cpu >= 0)
}

/// Whether a running state says its processor. The first states of each thread are looked at.
pub(super) fn has_any(trace: &impl TraceView) -> bool {
    let Some(running) = trace.names().find(b"Running") else { return false };
    let mut states = trace.track_ids().flat_map(|track| trace.states_of(track).iter().take(LOOKED_AT));
    states.any(|state| state.name == running && cpu_of(trace, state).is_some())
}
