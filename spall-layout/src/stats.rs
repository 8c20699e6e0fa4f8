//! Statistics of slices by name. [layout 14](crate::rules::layout#14)

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{Job, NameId, Tick, Ticks, Trace, TraceView, TrackId, TrackKind};

use crate::convert::to_ticks;
use crate::visits::{Visit, VisitSlices};
use crate::{Histogram, Layout, LayoutView};
use counting::{Counting, Latest, Outermost, Sums};

mod counting;

/// The statistics of the slices of one name. Sums that do not fit saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NameStats {
    /// The name of the slices.
    pub name: NameId,
    /// The number of slices.
    pub count: u64,
    /// The total time: the sum of the durations of the slices. Where a slice lies inside another one of the same name,
    /// only the outer one counts. Spans of async tracks all count.
    #[doc(alias("inclusive time"))]
    pub total: Ticks,
    /// The self time: the time inside slices of the name that their children do not cover.
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

/// The statistics by name of the slices that touch a range. They follow the edges of the range while the user drags it.
///
/// This is a [`Job`] whose result is what [`Stats::by_name`] returns. Statistics are not used up by it: after
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
/// let times: Vec<_> = names.iter().map(|s| (trace.name(s.name), s.total.0, s.self_time.0)).collect();
/// assert_eq!(times, [("frame".into(), 60, 40), ("draw".into(), 20, 20)]);
/// ```
///
/// Step by step, while the user drags an edge:
///
/// ```
/// # use spall_layout::{Layout, Stats};
/// # use spall_model::{Event, Job, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for start in 0..100 {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start * 10), Text::plain(b"f"));
/// #     builder.push(&Event::Complete(event, Ticks(start % 10)));
/// # }
/// # let trace = builder.finish();
/// # let layout = Layout::new(&trace);
/// let name = trace.names().find(b"f").unwrap();
/// let mut stats = Stats::new(&trace, &layout, [TrackId(0)], Tick(0)..Tick(500));
/// while stats.step(20).is_none() {
///     // Show what is known so far, and handle input.
/// }
/// assert_eq!(stats.of(name).unwrap().count, 50);
/// assert_eq!(stats.histogram(name).unwrap().quantile(1, 2), Some(Ticks(4)));
///
/// stats.move_to(Tick(0)..Tick(510));
/// assert!(stats.step(10).is_some()); // one more slice
/// assert_eq!(stats.of(name).unwrap().count, 51);
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
    /// The sums of each name of the trace, by number.
    sums: Vec<Sums>,
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
    /// Whether the current track is asynchronous, so that its slices do not call each other.
    is_async: bool,
    /// The latest slice of each row of the track.
    latest: Vec<Latest>,
    /// The same as [`Sums::outermost`] for overflow lanes, by the first row of the lane.
    outermost: HashMap<(u32, NameId), Outermost, RandomState>,
}

impl<'l, T: TraceView, L: LayoutView> Stats<'l, T, L> {
    /// Prepares statistics of the slices of `tracks` that touch `range`. Nothing is counted before the first step.
    #[must_use]
    pub fn new(
        trace: &'l T,
        layout: &'l L,
        tracks: impl IntoIterator<Item = TrackId>,
        range: Range<Tick>,
    ) -> Self {
        let n_names = trace.names().len();
        Self {
            trace,
            layout,
            tracks: tracks.into_iter().collect(),
            range,
            counted: Tick::MIN..Tick::MIN,
            pass: None,
            sums: alloc::vec![Sums::NONE; n_names],
        }
    }

    /// Returns whether everything in the range is counted.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.pass.is_none() && self.counted == self.range
    }

    /// Sets another range. The next steps count what changes on the way from the old one.
    pub fn move_to(&mut self, range: Range<Tick>) {
        self.range = range;
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
    #[inline(never)]
    fn visit_by<const FIRST: bool>(
        &mut self,
        pass: &mut Pass<L::Visits<'l>>,
        slices: &mut L::Visits<'l>,
        work: usize,
    ) -> usize {
        let Self { trace, layout, counted, sums, .. } = self;
        // References of its own to everything, so that what does not change stays in registers through the loop.
        let mut counting = Counting {
            old: pass.old.clone(),
            swept: pass.swept.clone(),
            counted: counted.clone(),
            is_entering: pass.is_entering,
            is_async: pass.is_async,
            sums,
            latest: &mut pass.latest,
            outermost: &mut pass.outermost,
        };
        let Some(parents) = layout.span_parents().filter(|_| pass.is_async) else {
            return slices.visit_some(work, |visit| {
                if let Some(name) = trace.slice_name_id(visit.slice) {
                    counting.add::<FIRST>(visit, name);
                }
            });
        };
        slices.visit_some(work, |visit| {
            let said = parents.parent(visit.slice);
            let parent = said.as_ref().and_then(|said| trace.slice_name_id(said.parent));
            if let (Some(said), Some(parent)) = (&said, parent) {
                counting.cover(parent, &said.covers);
            }
            if let Some(name) = trace.slice_name_id(visit.slice) {
                // What lies above a span that says its parent has nothing to do with it.
                let top = if said.is_some() { visit.row } else { visit.top };
                counting.add::<FIRST>(Visit { top, ..visit }, name);
            }
        })
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
            is_async: false,
            latest: Vec::new(),
            outermost: HashMap::default(),
        }
    }

    /// Returns the statistics of a name, or `None` if no slice in the range has it.
    #[must_use]
    pub fn of(&self, name: NameId) -> Option<NameStats> {
        let sums = self.sums.get(name.index())?;
        let count = sums.histogram.count();
        let saturated = |sum: i128| Ticks(i64::try_from(sum).unwrap_or(i64::MAX));
        (count > 0).then(|| NameStats {
            name,
            count,
            total: saturated(sums.durations - sums.nested),
            self_time: saturated(sums.durations - sums.children),
            min: to_ticks(sums.min),
            max: to_ticks(sums.max),
            mean: saturated(sums.durations / i128::from(count)),
        })
    }

    /// Returns the durations of the slices of a name as a histogram, or `None` if no slice in the range has it.
    #[must_use]
    pub fn histogram(&self, name: NameId) -> Option<&Histogram> {
        self.sums.get(name.index()).map(|sums| &sums.histogram).filter(|histogram| histogram.count() > 0)
    }

    /// Returns the statistics of all names that slices in the range have: most total time first, then by number of the
    /// name.
    #[must_use]
    pub fn by_name(&self) -> Vec<NameStats> {
        let names = (0..).map(NameId).take(self.sums.len());
        let mut found: Vec<NameStats> = names.filter_map(|name| self.of(name)).collect();
        found.sort_by_key(|stats| (core::cmp::Reverse(stats.total), stats.name));
        found
    }
}

impl<T: TraceView, L: LayoutView> Job for Stats<'_, T, L> {
    type Output = Vec<NameStats>;

    /// Visits at most `work` slices. Each track counts like one or two slices.
    ///
    /// Until this returns the result, the sums contain only a part of the changes.
    fn step(&mut self, work: usize) -> Option<Vec<NameStats>> {
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
                let kind = self.trace.track_info(track).map(|track| track.kind);
                pass.is_async = matches!(kind, Some(TrackKind::Async { .. }));
                let slices = self.layout.visits(self.trace.slice_times(), track, &pass.swept);
                pass.latest.clear();
                pass.latest.resize(slices.n_rows(), Latest::NONE);
                pass.outermost.clear();
                pass.slices = Some(slices);
            }
        }
        Some(self.by_name())
    }
}
