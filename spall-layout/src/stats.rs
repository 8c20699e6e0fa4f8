//! Statistics of slices by name or function. [layout 14](crate::rules::layout#14)

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{Function, Job, Measure, SliceId, Tick, Ticks, Trace, TraceView, TrackId, TrackKind};

use crate::convert::to_ticks;
use crate::visits::VisitSlices;
use crate::{Histogram, Layout, LayoutView};
use counting::{Counting, Latest, Outermost, Sums};
use numbers::{Functions, Numbers};
use tree_sums::TreeSums;

mod counting;
mod numbers;
mod tree_sums;

pub use numbers::By;

/// The statistics of the slices of one name or function. Sums that do not fit saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SliceStats {
    /// The function that the slices are calls of, which is only a name if they are put together by name.
    pub function: Function,
    /// The number of slices.
    pub count: u64,
    /// The number of those slices that do not have the measure, so that the sums do not contain them.
    pub unmeasured: u64,
    /// The total time: that of the slices and of what they call. Where a slice is inside another one of the same function, only the
    /// outer one counts.
    #[doc(alias("inclusive time"))]
    pub total: Ticks,
    /// The self time: the time inside the slices that their children do not cover.
    #[doc(alias("exclusive time"))]
    pub self_time: Ticks,
    /// The duration of the shortest slice. After the range has moved, this is the lower edge of its bucket in the
    /// histogram.
    pub min: Ticks,
    /// The duration of the longest slice. After the range has moved, this is the upper edge of its bucket in the
    /// histogram.
    pub max: Ticks,
    /// The mean duration of a slice, rounded down.
    pub mean: Ticks,
}

/// The statistics of the slices that touch a range, by name or function. They follow the edges of the range while the user drags
/// it.
///
/// This is a [`Job`] whose result is what [`Stats::all`] returns. Statistics are not used up by it: after
/// [`Stats::move_to`] there is more to do. When an edge moves, only the slices between its old and its new place are
/// visited.
///
/// A slice that lies only partly inside the range counts with the part inside, so the times of adjacent ranges add up. A
/// slice without duration touches the range if it lies in it. No slice touches an empty range. Counting takes O(n) for the
/// n slices in the range. [layout 14](crate::rules::layout#14)
///
/// ```
/// use spall_layout::{Layout, Stats};
/// use spall_model::{Job, Tick, TraceView, TrackId};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Ticks, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, duration) in [("frame", 0, 100), ("draw", 40, 50)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(duration)));
/// # }
/// # let trace = builder.finish(); // frame 0..100, draw 40..90 inside it
/// let layout = Layout::new(&trace);
/// let names = Stats::new(&trace, &layout, [TrackId(0)], Tick(0)..Tick(60)).run();
/// let times: Vec<_> = names.iter().map(|s| (trace.name(s.function.name), s.total.0, s.self_time.0)).collect();
/// assert_eq!(times, [("frame".into(), 60, 40), ("draw".into(), 20, 20)]);
/// ```
///
/// Step by step, while the user drags an edge:
///
/// ```
/// # use spall_layout::{Layout, Stats};
/// # use spall_model::{
/// #     Event, Function, Job, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView, TrackId,
/// # };
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for start in 0..100 {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start * 10), Text::plain(b"f"));
/// #     builder.push(&Event::Complete(event, Ticks(start % 10)));
/// # }
/// # let trace = builder.finish();
/// # let layout = Layout::new(&trace);
/// let f = Function::named(trace.names().find(b"f").unwrap());
/// let mut stats = Stats::new(&trace, &layout, [TrackId(0)], Tick(0)..Tick(500));
/// while stats.step(20).is_none() {
///     // Show what is known so far, and handle input.
/// }
/// assert_eq!(stats.of(f).unwrap().count, 50);
/// assert_eq!(stats.histogram(f).unwrap().quantile(1, 2), Some(Ticks(4)));
///
/// stats.move_to(Tick(0)..Tick(510));
/// assert!(stats.step(10).is_some()); // one more slice
/// assert_eq!(stats.of(f).unwrap().count, 51);
/// ```
#[doc(alias("aggregate", "summary", "inclusive time"))]
#[derive(Debug, Clone)]
pub struct Stats<'l, T = Trace, L: LayoutView = Layout> {
    trace: &'l T,
    layout: &'l L,
    tracks: Vec<TrackId>,
    /// The range that the caller asked for.
    range: Range<Tick>,
    /// The range that is counted once the current pass is over.
    counted: Range<Tick>,
    /// The pass that was begun and is not over.
    pass: Option<Pass<L::Visits<'l>>>,
    by: By,
    measure: Measure,
    numbers: Numbers,
    /// The sums of each function, by number.
    sums: Vec<Sums>,
    /// Whether there are spans, which run beside one another and outlive what they began in, so that a tree adds them up.
    has_spans: bool,
    /// What adds up a tree; `None` if none is needed, and before the first step.
    tree_sums: Option<TreeSums<'l, T, L>>,
}

/// A walk over the slices that touch the time between an old and a new edge, or the whole range.
#[derive(Debug, Clone)]
struct Pass<V> {
    /// The range that was counted before the pass.
    old: Range<Tick>,
    /// The time that the edge sweeps over.
    swept: Range<Tick>,
    /// Whether the range grows by that time. Otherwise it shrinks.
    is_entering: bool,
    /// The number of tracks that were begun.
    n_tracks: usize,
    /// The visits of the current track. `None` before the first track.
    slices: Option<V>,
    /// The latest slice of each row of the track.
    latest: Vec<Latest>,
    /// The same as [`Sums::outermost`] for overflow lanes, by the first row of the lane.
    outermost: HashMap<(u32, u32), Outermost, RandomState>,
}

impl<'l, T: TraceView, L: LayoutView> Stats<'l, T, L> {
    /// Prepares statistics by name of the slices of `tracks` that touch `range`. Nothing is counted before the first step.
    #[must_use]
    pub fn new(
        trace: &'l T,
        layout: &'l L,
        tracks: impl IntoIterator<Item = TrackId>,
        range: Range<Tick>,
    ) -> Self {
        let n_names = trace.names().len();
        let tracks: Vec<TrackId> = tracks.into_iter().collect();
        let is_async = |&track: &TrackId| {
            matches!(trace.track_info(track).map(|track| track.kind), Some(TrackKind::Async { .. }))
        };
        let has_spans = tracks.iter().any(is_async);
        Self {
            trace,
            layout,
            tracks,
            range,
            counted: Tick::MIN..Tick::MIN,
            pass: None,
            by: By::Name,
            measure: Measure::WallTime,
            numbers: Numbers::new(n_names),
            sums: alloc::vec![Sums::NONE; n_names],
            has_spans,
            tree_sums: None,
        }
    }

    /// Puts the slices together by their functions, or by their names. This is said before the first step.
    #[must_use]
    pub fn by(self, by: By) -> Self {
        Self { by, ..self }
    }

    /// Adds up another measure than time. This is said before the first step.
    ///
    /// A slice that reaches out of the range has no value but a count, because nothing says how much of it is inside. So
    /// everything is counted again when an edge moves. The shortest and the longest duration, the mean and the histogram are those of
    /// the values. [tree 6](spall_model::rules::tree#6)
    #[must_use]
    pub fn measuring(self, measure: Measure) -> Self {
        Self { measure, ..self }
    }

    /// Returns whether everything in the range is counted.
    #[must_use]
    pub fn is_done(&self) -> bool {
        match self.needs_tree() {
            false => self.pass.is_none() && self.counted == self.range,
            true => self.tree_sums.as_ref().is_some_and(|sums| sums.is_done_with(&self.range)),
        }
    }

    /// Sets another range. The next steps count what changes on the way from the old one.
    pub fn move_to(&mut self, range: Range<Tick>) {
        self.range = range;
    }

    fn needs_tree(&self) -> bool {
        self.has_spans || self.measure != Measure::WallTime
    }

    /// Adds up a call tree. Returns whether everything is counted.
    fn step_tree(&mut self, work: usize) -> bool {
        let Self { trace, layout, tracks, range, by, measure, numbers, sums, tree_sums, .. } = self;
        let tree_sums = match tree_sums {
            Some(tree_sums) if tree_sums.range == *range => tree_sums,
            _ => {
                sums.fill(Sums::NONE);
                let functions = Functions { trace: *trace, by: *by };
                tree_sums.insert(TreeSums::new(functions, *layout, tracks.clone(), range.clone(), *measure))
            }
        };
        tree_sums.step(work, numbers, sums)
    }

    /// Visits at most `work` slices of the current track, and returns how many there were.
    fn visit(&mut self, pass: &mut Pass<L::Visits<'l>>, work: usize) -> usize {
        let Some(mut slices) = pass.slices.take() else { return 0 };
        let n_visited = if pass.old.is_empty() {
            self.visit_by::<true>(pass, &mut slices, work)
        } else {
            self.visit_by::<false>(pass, &mut slices, work)
        };
        pass.slices = Some(slices);
        n_visited
    }

    /// Visits slices as [`Stats::visit`] does. [`Counting::add`] documents the constant.
    fn visit_by<const FIRST: bool>(
        &mut self,
        pass: &mut Pass<L::Visits<'l>>,
        slices: &mut L::Visits<'l>,
        work: usize,
    ) -> usize {
        let trace = self.trace;
        match self.by {
            By::Name => self.visit_numbered::<FIRST>(pass, slices, work, |_, slice| {
                trace.slice_name_id(slice).map(|name| name.0)
            }),
            By::Function => self.visit_numbered::<FIRST>(pass, slices, work, |numbers, slice| {
                trace.function_of(slice).map(|function| numbers.number(function))
            }),
        }
    }

    /// Visits slices whose functions get numbers from `number`.
    #[inline(never)]
    fn visit_numbered<const FIRST: bool>(
        &mut self,
        pass: &mut Pass<L::Visits<'l>>,
        slices: &mut L::Visits<'l>,
        work: usize,
        number: impl Fn(&mut Numbers, SliceId) -> Option<u32>,
    ) -> usize {
        let Self { counted, numbers, .. } = self;
        // References of its own to everything, so that what does not change stays in registers through the loop.
        let mut counting = Counting {
            old: pass.old.clone(),
            swept: pass.swept.clone(),
            counted: counted.clone(),
            is_entering: pass.is_entering,
            sums: core::mem::take(&mut self.sums),
            latest: &mut pass.latest,
            outermost: &mut pass.outermost,
        };
        let n_visited = slices.visit_some(work, |visit| {
            if let Some(number) = number(numbers, visit.slice) {
                counting.add::<FIRST>(visit, number);
            }
        });
        self.sums = counting.sums;
        n_visited
    }

    /// Returns the next pass on the way from the range that is counted to the one that is asked for.
    fn begin_pass(&mut self) -> Pass<L::Visits<'l>> {
        let (from, to) = (self.counted.clone(), self.range.clone());
        let ticks = |range: &Range<Tick>| u128::from(range.end.max(range.start).0.abs_diff(range.start.0));
        let moved = u128::from(from.start.0.abs_diff(to.start.0)) + u128::from(from.end.0.abs_diff(to.end.0));
        let old;
        let (swept, is_entering) = if from.is_empty() || moved >= ticks(&to) {
            // Counting the new range takes less than following the edges.
            self.sums.fill(Sums::NONE);
            old = Tick::MIN..Tick::MIN;
            self.counted = to.clone();
            (to, true)
        } else {
            // The ranges overlap: this pass moves one edge, the next one the other.
            old = from.clone();
            if from.start != to.start {
                self.counted.start = to.start;
                (from.start.min(to.start)..from.start.max(to.start), to.start < from.start)
            } else {
                self.counted.end = to.end;
                (from.end.min(to.end)..from.end.max(to.end), to.end > from.end)
            }
        };
        Pass {
            old,
            swept,
            is_entering,
            n_tracks: 0,
            slices: None,
            latest: Vec::new(),
            outermost: HashMap::default(),
        }
    }

    /// Returns the statistics of a function, or `None` if no slice in the range is a call of it.
    #[must_use]
    pub fn of(&self, function: Function) -> Option<SliceStats> {
        let sums = self.sums.get(self.numbers.find(function)?)?;
        let n_values = sums.histogram.count();
        let saturated = |sum: i128| Ticks(i64::try_from(sum).unwrap_or(i64::MAX));
        let mut stats = SliceStats {
            function,
            count: n_values,
            unmeasured: 0,
            total: saturated(sums.durations - sums.nested),
            self_time: saturated(sums.durations - sums.children),
            min: to_ticks(if n_values > 0 { sums.min } else { 0 }),
            max: to_ticks(sums.max),
            mean: saturated(sums.durations / i128::from(n_values.max(1))),
        };
        if let Some(tree_sums) = &self.tree_sums {
            let of_tree = tree_sums.of(function)?;
            stats.count = of_tree.count;
            stats.unmeasured = of_tree.unmeasured;
            stats.total = of_tree.total;
            stats.self_time = of_tree.self_time;
        }
        (stats.count > 0).then_some(stats)
    }

    /// Returns the durations of the calls of a function as a histogram, or `None` if no slice in the range is one.
    #[must_use]
    pub fn histogram(&self, function: Function) -> Option<&Histogram> {
        let sums = self.sums.get(self.numbers.find(function)?);
        sums.map(|sums| &sums.histogram).filter(|histogram| histogram.count() > 0)
    }

    /// Returns the statistics of all functions that slices in the range are calls of: most total time first, then by function.
    #[must_use]
    pub fn all(&self) -> Vec<SliceStats> {
        let mut found: Vec<SliceStats> =
            self.numbers.functions().filter_map(|function| self.of(function)).collect();
        found.sort_by_key(|stats| (core::cmp::Reverse(stats.total), stats.function));
        found
    }
}

impl<T: TraceView, L: LayoutView> Job for Stats<'_, T, L> {
    type Output = Vec<SliceStats>;

    /// Visits at most `work` slices. Each track counts like one or two slices.
    ///
    /// Until this returns the result, the sums contain only a part of the changes.
    fn step(&mut self, work: usize) -> Option<Vec<SliceStats>> {
        if self.needs_tree() {
            return self.step_tree(work).then(|| self.all());
        }
        let mut left = work;
        while !self.is_done() {
            let mut pass = self.pass.take().unwrap_or_else(|| self.begin_pass());
            loop {
                if left == 0 {
                    self.pass = Some(pass);
                    return None;
                }
                let n_visited = self.visit(&mut pass, left);
                left -= n_visited;
                if left == 0 {
                    continue;
                }
                // The end of a track takes one step too.
                left -= 1;
                let Some(&track) = self.tracks.get(pass.n_tracks) else { break };
                pass.n_tracks += 1;
                let slices = self.layout.visits(self.trace.slice_times(), track, &pass.swept);
                pass.latest.clear();
                pass.latest.resize(slices.n_rows(), Latest::NONE);
                pass.outermost.clear();
                pass.slices = Some(slices);
            }
        }
        Some(self.all())
    }
}
