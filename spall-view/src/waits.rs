//! What was waited for: the longest gaps of tracks, and the critical path of a slice.

use core::ops::Range;
use std::collections::HashSet;

use serde::Serialize;
use spall_trace::Hidden;
use spall_trace::layout::{CameBy, LayoutView, PathPart, critical_path, longest_gaps, ran_meanwhile};
use spall_trace::model::{FlowId, SliceId, Tick, Ticks, TraceView, TrackId, TrackKind};

use crate::{
    Area, Engine, Since,
    shown::{Shown, Work},
    task::{self, Task},
};

/// How many gaps are listed.
const MOST: usize = 50;
/// How many other tracks are named that ran meanwhile.
const NAMED: usize = 3;

/// Times on tracks, such as gaps.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stretches {
    /// The heading of each column.
    pub columns: Vec<&'static str>,
    /// The longest first, or in the order of time.
    pub rows: Vec<Stretch>,
}

/// A time on a track.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stretch {
    /// When it starts.
    pub start: Since,
    /// When it ends.
    pub end: Since,
    /// The slice at its end; `None` where a path begins with a thread that was in no slice.
    #[cfg_attr(test, ts(as = "Option<u32>"))]
    pub slice: Option<SliceId>,
    /// The text of each column.
    pub cells: Vec<String>,
}

/// A search for gaps.
#[derive(Default)]
pub(crate) struct Gaps(Option<Task<Vec<Stretch>>>);

impl core::fmt::Debug for Gaps {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Gaps").finish_non_exhaustive()
    }
}

/// The work of finding gaps.
struct FindGaps {
    hidden: Hidden,
    tracks: Vec<TrackId>,
    range: Range<Tick>,
    origin: Tick,
}

impl Work for FindGaps {
    type Output = Vec<Stretch>;

    async fn run<T: TraceView + Sync, L: LayoutView + Sync>(self, trace: &T, layout: &L) -> Vec<Stretch> {
        let Self { hidden, tracks, range, origin } = self;
        let clock = trace.clock();
        let shows = |slice| hidden.shows_slice(trace, slice);
        let gaps = task::run(longest_gaps(trace, tracks, range, MOST, shows)).await;
        let mut rows = Vec::new();
        for gap in gaps {
            let others = trace.track_ids().filter(|&track| track != gap.track && is_thread(trace, track));
            let ran = ran_meanwhile(trace, layout, others, &(gap.start..gap.end));
            let named = ran.iter().take(NAMED).map(|ran| {
                let (title, function) = (trace.track_title(ran.track), ran.function.describe(trace));
                format!("{title}: {function} ({})", clock.duration(ran.time))
            });
            let mut named: Vec<_> = named.collect();
            match ran.len() {
                0 => named.push("nothing".into()),
                all if all > NAMED => named.push(format!("and {} more", all - NAMED)),
                _ => {}
            }
            let cells = vec![
                clock.duration(gap.duration()).to_string(),
                trace.track_title(gap.track).into(),
                trace.slice_name(gap.before).into(),
                trace.slice_name(gap.after).into(),
                named.join("; "),
            ];
            let since = |at: Tick| Since(at - origin);
            rows.push(Stretch {
                start: since(gap.start),
                end: since(gap.end),
                slice: Some(gap.after),
                cells,
            });
            task::pause().await;
        }
        rows
    }
}

fn is_thread(trace: &impl TraceView, track: TrackId) -> bool {
    trace.track_info(track).is_some_and(|track| matches!(track.kind, TrackKind::Thread { .. }))
}

impl<S: Shown> Engine<S> {
    /// Begins to find the longest gaps of the tracks of an area, and what ran meanwhile.
    pub fn begin_gaps(&mut self, area: &Area) {
        let tracks = self.view.summed_tracks(area, &*self.trace());
        let (range, origin) = (self.range(area.start, area.end), self.view.origin());
        let work = FindGaps { hidden: self.filter.hidden.clone(), tracks, range, origin };
        self.gaps.0 = Some(self.shown.start(work));
    }

    /// Looks at some tracks. Returns the gaps once all are found, the longest first.
    pub fn step_gaps(&mut self) -> Option<Stretches> {
        let Some(task) = &mut self.gaps.0 else { return Some(Stretches::default()) };
        let rows = task.step()?;
        self.gaps.0 = None;
        let columns = vec!["Duration", "Track", "After", "Before", "Meanwhile"];
        Some(Stretches { columns, rows })
    }

    /// Returns the critical path of a slice: what its end came from, in the order of time.
    #[must_use]
    pub fn path(&self, slice: SliceId) -> Stretches {
        let (trace, layout) = (&*self.trace(), &*self.layout());
        let clock = trace.clock();
        let row = |part: &PathPart| {
            let flow = match part.came_by {
                Some(CameBy::Flow(flow)) => trace.flows().get(flow.index()),
                _ => None,
            };
            let cells = vec![
                self.time(part.start),
                clock.duration(part.end - part.start).to_string(),
                part.slice.map(|slice| trace.slice_name(slice).into()).unwrap_or_default(),
                trace.track_title(part.track).into(),
                self.came_by(part),
                flow.map(|flow| clock.duration(flow.arrives - flow.leaves).to_string()).unwrap_or_default(),
                self.states_of_part(part),
            ];
            Stretch { start: self.since(part.start), end: self.since(part.end), slice: part.slice, cells }
        };
        Stretches {
            columns: vec![
                "Time",
                "Duration",
                "Slice",
                "Track",
                "Came by",
                "Under way",
                "States of the thread",
            ],
            rows: critical_path(trace, layout, slice).iter().map(row).collect(),
        }
    }

    /// The flows of the critical path of a slice.
    pub(crate) fn path_flows(&self, slice: SliceId) -> HashSet<FlowId> {
        let path = critical_path(&*self.trace(), &*self.layout(), slice);
        let flow = |part: &PathPart| match part.came_by {
            Some(CameBy::Flow(flow)) => Some(flow),
            _ => None,
        };
        path.iter().filter_map(flow).collect()
    }

    /// The name of the flow by which a part of a path arrives, or which thread woke its own.
    pub(crate) fn came_by(&self, part: &PathPart) -> String {
        let trace = &*self.trace();
        match part.came_by {
            Some(CameBy::Flow(flow)) => {
                trace.flows().get(flow.index()).map(|flow| trace.name(flow.name).into()).unwrap_or_default()
            }
            Some(CameBy::Wake(state)) => {
                let waker = trace.state(state).and_then(|(_, state)| trace.args_of(&state).get(b"waker"));
                waker.map(|waker| format!("woken by thread {waker}")).unwrap_or_default()
            }
            _ => String::new(),
        }
    }

    /// How long the thread of a part of a path was in each state meanwhile.
    pub(crate) fn states_of_part(&self, part: &PathPart) -> String {
        states_of(&*self.trace(), part.track, &(part.start..part.end))
    }
}

/// How long a thread was in each state, the longest first.
fn states_of(trace: &impl TraceView, track: TrackId, range: &Range<Tick>) -> String {
    let mut sums: Vec<(_, Ticks)> = Vec::new();
    let states = trace.states_of(track);
    let from = states.partition_point(|state| state.end <= range.start);
    for state in states.iter().skip(from).take_while(|state| state.start < range.end) {
        let time = state.end.min(range.end) - state.start.max(range.start);
        match sums.iter_mut().find(|(name, _)| *name == state.name) {
            Some((_, sum)) => *sum += time,
            None => sums.push((state.name, time)),
        }
    }
    sums.sort_by_key(|&(_, sum)| core::cmp::Reverse(sum));
    let clock = trace.clock();
    let texts = sums.into_iter().map(|(name, sum)| format!("{} {}", trace.name(name), clock.duration(sum)));
    texts.collect::<Vec<_>>().join(", ")
}
