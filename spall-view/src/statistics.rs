//! Sums over a range of time by name or by function.

use alloc::sync::Arc;
use core::{convert::Infallible, fmt, ops::Range};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use spall_trace::layout::{By, Layout, LayoutView, Stats};
use spall_trace::model::{
    Function, Job as _, Measure, NameId, SliceId, Tick, Trace, TraceView, TrackId, TrackKind, TrackSet,
};

use crate::{
    Engine, Since,
    item::Item,
    listed::{ChosenTable, Order},
    shown::{Shown, Work},
    task::{self, STEP, Task},
    view::View,
};

/// A range of time, what of it counts, and what is added up.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Area {
    /// Where it starts.
    pub start: Since,
    /// Where it ends.
    pub end: Since,
    /// The tracks of these items count; for `None` those of a set.
    pub items: Option<Vec<Item>>,
    /// The name of the set of tracks that count if no items are chosen; the one that
    /// [`Trace::shown_tracks`](spall_trace::model::Trace::shown_tracks) says for `None`.
    pub tracks: Option<String>,
    /// The name of the measure that is added up; time for `None`.
    pub measure: Option<String>,
}

impl Area {
    /// Returns what is added up.
    #[must_use]
    pub fn measure(&self) -> Measure {
        self.measure.as_deref().and_then(Measure::of_name).unwrap_or_default()
    }

    /// Returns the set of tracks that count if no items are chosen, if one is named.
    pub(crate) fn track_set(&self) -> Option<TrackSet> {
        TrackSet::of_name(self.tracks.as_deref()?)
    }
}

/// Which sums are wanted, and in what order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Ranking {
    /// How they are sorted, and which of them are wanted.
    pub table: ChosenTable<Order>,
    /// How many are wanted at most.
    pub most: usize,
}

/// The sums that are wanted.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Ranked {
    /// In the order that is wanted.
    pub rows: Vec<Sums>,
    /// How many there are with those that are beyond the limit.
    pub count: usize,
    /// The self times of all, whether they pass the filter or not.
    pub own: Since,
}

/// The sums of one name or function, in ticks or what else is added up.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Sums {
    /// The number of the name, if this is about a name.
    #[cfg_attr(test, ts(as = "Option<u32>"))]
    pub id: Option<NameId>,
    /// What the slices are calls of.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub function: Function,
    /// The name, and the place in the source if this is about a function that has one.
    pub name: String,
    /// How many slices there are.
    pub count: u64,
    /// How many of them have no value of what is added up.
    pub unmeasured: u64,
    /// The sum of their durations, once where one lies inside another one.
    pub total: Since,
    /// What of it is not their children's.
    pub own: Since,
    /// The mean of their durations.
    pub mean: Since,
    /// The shortest duration.
    pub min: Since,
    /// The longest duration.
    pub max: Since,
    /// How many slices took how long, for the sums that are wanted: the number for each power of two from `first` on.
    pub counts: Vec<u64>,
    /// The first power of two of `counts`.
    pub first: u32,
}

/// What is being added up.
#[derive(Default)]
pub(crate) enum Statistics {
    #[default]
    Nothing,
    Running(Running, Summed),
    /// Of a trace that grows.
    Done(Vec<Sums>),
}

/// What is added up in a range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summed {
    tracks: Vec<TrackId>,
    measure: Measure,
    by: By,
}

impl Summed {
    fn stats<'t, T: TraceView, L: LayoutView>(
        self,
        trace: &'t T,
        layout: &'t L,
        range: Range<Tick>,
    ) -> Stats<'t, T, L> {
        Stats::new(trace, layout, self.tracks, range).by(self.by).measuring(self.measure)
    }
}

impl fmt::Debug for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "Nothing",
            Self::Running(..) => "Running",
            Self::Done(_) => "Done",
        })
    }
}

/// Statistics in a task, which answers questions about them.
pub(crate) struct Running {
    task: Task<Infallible>,
    question: Arc<Mutex<Option<Question>>>,
}

type Question = Box<dyn FnOnce(&mut Stats<'_, Trace>) + Send>;

impl Running {
    fn new(trace: Arc<Trace>, layout: Arc<Layout>, summed: Summed, range: Range<Tick>) -> Self {
        let question: Arc<Mutex<Option<Question>>> = Arc::default();
        let asked = Arc::clone(&question);
        let task = Task::new(async move {
            let mut stats = summed.stats(&*trace, &*layout, range);
            loop {
                let question = asked.lock().unwrap_or_else(PoisonError::into_inner).take();
                match question {
                    Some(question) => question(&mut stats),
                    None => _ = stats.step(STEP),
                }
                task::pause().await;
            }
        });
        Self { task, question }
    }

    fn ask<T: Send + 'static>(
        &mut self,
        look: impl FnOnce(&mut Stats<'_, Trace>) -> T + Send + 'static,
    ) -> Option<T> {
        let found = Arc::new(Mutex::new(None));
        let answer = Arc::clone(&found);
        let question: Question =
            Box::new(move |stats| *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(look(stats)));
        *self.question.lock().unwrap_or_else(PoisonError::into_inner) = Some(question);
        self.task.step();
        found.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The work of adding up the slices of a trace that grows.
struct AddUp(Summed, Range<Tick>);

impl Work for AddUp {
    type Output = Vec<Sums>;

    async fn run<T: TraceView + Sync, L: LayoutView + Sync>(self, trace: &T, layout: &L) -> Vec<Sums> {
        let Self(summed, range) = self;
        let by = summed.by;
        let mut stats = summed.stats(trace, layout, range);
        while stats.step(STEP).is_none() {
            task::pause().await;
        }
        let mut all = sums_of(&stats, by, trace);
        all.iter_mut().for_each(|sums| add_counts(sums, &stats));
        all
    }
}

impl<S: Shown> Engine<S> {
    /// Begins to add up the slices of an area. A slice counts with the part inside the range.
    pub fn begin_statistics(&mut self, area: &Area, by: By) {
        let range = self.range(area.start, area.end);
        let tracks = self.view.summed_tracks(area, &*self.trace());
        let summed = Summed { tracks, measure: area.measure(), by };
        match (&mut self.statistics, self.shown.held()) {
            // An edge that is dragged changes little.
            (Statistics::Running(running, before), Some(_)) if *before == summed => {
                _ = running.ask(|stats| stats.move_to(range));
            }
            (statistics, Some((trace, layout))) => {
                let running = Running::new(trace, layout, summed.clone(), range);
                *statistics = Statistics::Running(running, summed);
            }
            (statistics, None) => {
                let sums = self.shown.start(AddUp(summed, range)).step();
                *statistics = Statistics::Done(sums.unwrap_or_default());
            }
        }
    }

    /// Visits some slices. Returns whether all are done.
    pub fn step_statistics(&mut self) -> bool {
        match &mut self.statistics {
            Statistics::Nothing | Statistics::Done(_) => true,
            Statistics::Running(running, _) => {
                _ = running.task.step();
                running.ask(|stats| stats.is_done()).unwrap_or(true)
            }
        }
    }

    /// Returns the sums of names or functions that were added up last; `None` if there are none.
    pub fn statistics(&mut self, ranking: &Ranking) -> Option<Ranked> {
        match &mut self.statistics {
            Statistics::Done(sums) => Some(ranked(sums.clone(), ranking, &*self.shown.trace())),
            Statistics::Running(running, Summed { by, .. }) => {
                let (trace, ranking, by) = (self.shown.held()?.0, ranking.clone(), *by);
                running.ask(move |stats| {
                    let mut ranked = ranked(sums_of(stats, by, &*trace), &ranking, &*trace);
                    ranked.rows.iter_mut().for_each(|sums| add_counts(sums, stats));
                    ranked
                })
            }
            Statistics::Nothing => None,
        }
    }

    /// Returns the slice of a name that takes the longest inside an area, the first one of several.
    #[must_use]
    pub fn longest(&self, name: NameId, area: &Area) -> Option<SliceId> {
        let Range { start, end } = self.range(area.start, area.end);
        let (trace, layout) = (self.shown.trace(), self.shown.layout());
        let tracks = self.view.summed_tracks(area, &*trace).into_iter();
        let slices = tracks.flat_map(|track| trace.slices_of(track));
        let named = slices.filter(|(_, slice)| slice.name == name);
        let inside = |(id, _)| {
            let placed = layout.place(id).filter(|placed| placed.start < end && placed.end >= start)?;
            let (from, to): (Tick, Tick) = (placed.start.max(start), placed.end.min(end));
            Some((to.0.abs_diff(from.0), core::cmp::Reverse(id)))
        };
        Some(named.filter_map(inside).max()?.1.0)
    }
}

/// Equal ones are in the order of their names.
fn ranked(mut sums: Vec<Sums>, wanted: &Ranking, trace: &impl TraceView) -> Ranked {
    let text = |sums: &Sums| sums.id.map_or_else(|| sums.name.clone(), |id| trace.name(id).into());
    let own = Since(sums.iter().map(|sums| sums.own.0).sum());
    let ChosenTable { order, is_ascending, filter } = &wanted.table;
    if !filter.is_empty() {
        let filter = filter.to_lowercase();
        sums.retain(|sums| text(sums).to_lowercase().contains(&filter));
    }
    let count = sums.len();
    let compare = |a: &Sums, b: &Sums| {
        let by = match order {
            Order::Name => text(a).cmp(&text(b)),
            Order::Count => a.count.cmp(&b.count),
            Order::Unmeasured => a.unmeasured.cmp(&b.unmeasured),
            Order::Total => a.total.cmp(&b.total),
            Order::Own => a.own.cmp(&b.own),
            Order::Mean => a.mean.cmp(&b.mean),
            Order::Min => a.min.cmp(&b.min),
            Order::Max => a.max.cmp(&b.max),
        };
        (if *is_ascending { by } else { by.reverse() }).then_with(|| text(a).cmp(&text(b)))
    };
    if count > wanted.most {
        sums.select_nth_unstable_by(wanted.most, compare);
        sums.truncate(wanted.most);
    }
    sums.sort_unstable_by(compare);
    sums.iter_mut().for_each(|sums| sums.name = text(sums));
    Ranked { rows: sums, count, own }
}

/// The sums of all names or functions, without the numbers of slices that took how long. Names are written when they are wanted.
fn sums_of<T: TraceView, L: LayoutView>(stats: &Stats<'_, T, L>, by: By, trace: &T) -> Vec<Sums> {
    let sums = stats.all().into_iter().map(|stats| Sums {
        id: (by == By::Name).then_some(stats.function.name),
        name: if by == By::Name { String::new() } else { stats.function.describe(trace) },
        function: stats.function,
        count: stats.count,
        unmeasured: stats.unmeasured,
        total: Since(stats.total),
        own: Since(stats.self_time),
        mean: Since(stats.mean),
        min: Since(stats.min),
        max: Since(stats.max),
        ..Sums::default()
    });
    sums.collect()
}

/// Counts how many slices of a name or function took how long.
fn add_counts<T: TraceView, L: LayoutView>(sums: &mut Sums, stats: &Stats<'_, T, L>) {
    let histogram = stats.histogram(sums.function);
    for (durations, count) in histogram.into_iter().flat_map(|found| found.buckets()) {
        let power = durations.start.0.checked_ilog2().map_or(0, |power| power + 1);
        if sums.counts.is_empty() {
            sums.first = power;
        }
        sums.counts.resize((power - sums.first) as usize + 1, 0);
        sums.counts.last_mut().into_iter().for_each(|last| *last += u64::from(count));
    }
}

impl View {
    /// Returns the tracks of an area, in the order of the trace. Hidden ones are left out.
    #[must_use]
    pub fn summed_tracks(&self, area: &Area, trace: &impl TraceView) -> Vec<TrackId> {
        let set = self.set_of(area);
        self.tracks_among(area, trace, |kind| set.contains(kind))
    }

    /// Returns the tracks of an area, which are those of some kinds if it has no items.
    pub(crate) fn tracks_among(
        &self,
        area: &Area,
        trace: &impl TraceView,
        is_of_kind: impl Fn(&TrackKind) -> bool,
    ) -> Vec<TrackId> {
        let is_wanted = area.items.as_ref().map(|items| self.items.marked(trace, items.iter().copied()));
        let is_hidden = self.items.marked(trace, self.at_paths(&self.place().hidden));
        let is_summed = |track: &TrackId| match &is_wanted {
            Some(is_wanted) => is_wanted.get(track.index()) == Some(&true),
            None => trace.track_info(*track).is_some_and(|track| is_of_kind(&track.kind)),
        };
        let tracks = trace.track_ids().filter(is_summed);
        tracks.filter(|track| is_hidden.get(track.index()) != Some(&true)).collect()
    }

    /// Returns the set of tracks that count in an area without items.
    pub(crate) fn set_of(&self, area: &Area) -> TrackSet {
        area.track_set().unwrap_or(self.shown)
    }
}
