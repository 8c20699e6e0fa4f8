//! Statistics of slices by name. [layout 14](crate::rules::layout#14)
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{NameId, SliceId, Tick, Ticks, Trace, TraceView, TrackId, TrackKind};

use crate::convert::to_ticks;
use crate::histogram::Histogram;
use crate::layout_view::VisitSlices;
use crate::visits::Visit;
use crate::{EdgeRule, Layout, LayoutView};

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

/// Returns the statistics of the slices of `tracks` that touch `range`, for each name: most total time first, then by
/// number of the name.
///
/// A slice without duration touches the range if it lies in it. No slice touches an empty range. Names without slices
/// in the range are left out. This takes O(n) for the n slices in the range. With [`EdgeRule::Whole`] it also looks at
/// all children of the slices that reach out of the range.
///
/// ```
/// use spall_layout::{EdgeRule, Layout, LayoutOptions, stats};
/// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, duration) in [("frame", 0, 100), ("draw", 40, 50)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(duration)), ByteRange::default());
/// # }
/// # let trace = builder.finish(); // frame 0..100, draw 40..90 inside it
/// let layout = Layout::new(&trace, &LayoutOptions::default());
/// let names = stats(&trace, &layout, [TrackId(0)], Tick(0)..Tick(60), EdgeRule::Clamp);
/// let times: Vec<_> = names.iter().map(|s| (trace.name(s.name), s.total.0, s.self_time.0)).collect();
/// assert_eq!(times, [("frame".into(), 60, 40), ("draw".into(), 20, 20)]);
/// ```
#[doc(alias("aggregate", "summary", "inclusive time"))]
#[must_use]
pub fn stats(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    tracks: impl IntoIterator<Item = TrackId>,
    range: Range<Tick>,
    edges: EdgeRule,
) -> Vec<NameStats> {
    let mut stats = Stats::new(trace, layout, tracks, range, edges);
    stats.step(usize::MAX);
    stats.by_name()
}

/// Statistics by name that are computed step by step, and follow the edges of a range that the user drags.
///
/// When an edge moves, only the slices between its old and its new place are visited. With [`EdgeRule::InsideOnly`]
/// everything is counted again, because a slice far away may then decide what counts.
///
/// ```
/// use spall_layout::{EdgeRule, Layout, LayoutOptions, Stats};
/// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for start in 0..100 {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start * 10), Text::plain(b"f"));
/// #     builder.push(&Event::Complete(event, Ticks(start % 10)), ByteRange::default());
/// # }
/// # let trace = builder.finish();
/// # let layout = Layout::new(&trace, &LayoutOptions::default());
/// let name = trace.names().find(b"f").unwrap();
/// let mut stats = Stats::new(&trace, &layout, [TrackId(0)], Tick(0)..Tick(500), EdgeRule::Clamp);
/// while !stats.step(20) {
///     // Show what is known so far, and handle input.
/// }
/// assert_eq!(stats.of(name).unwrap().count, 50);
/// assert_eq!(stats.histogram(name).unwrap().quantile(1, 2), Some(Ticks(4)));
///
/// stats.move_to(Tick(0)..Tick(510));
/// assert!(stats.step(10)); // one more slice
/// assert_eq!(stats.of(name).unwrap().count, 51);
/// ```
#[derive(Debug, Clone)]
pub struct Stats<'l, T = Trace<'l>, L: LayoutView = Layout> {
    trace: &'l T,
    layout: &'l L,
    tracks: Vec<TrackId>,
    edges: EdgeRule,
    /// The range that the caller asked for.
    range: Range<Tick>,
    /// The range that is counted once the current pass is over.
    counted: Range<Tick>,
    /// The pass that was begun and is not over.
    pass: Option<Pass<L::Visits<'l>>>,
    /// The sums of each name of the trace, by number.
    sums: Vec<Sums>,
}

/// The sums over the slices of a name.
#[derive(Debug, Clone)]
struct Sums {
    /// The sum of all durations, in ticks.
    durations: i128,
    /// The part of `durations` that lies inside other slices of the name.
    nested: i128,
    /// The time that children of the slices cover.
    children: i128,
    min: u64,
    max: u64,
    /// The latest slice on lane 0 that lies in no other slice of the name.
    outermost: Outermost,
    histogram: Histogram,
}

/// A slice and its row, counted from the first of its track.
#[derive(Debug, Clone, Copy)]
struct Outermost {
    row: u32,
    slice: SliceId,
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

/// The latest slice of a row, which may be the parent of the next slices of the row below.
#[derive(Debug, Clone, Copy)]
struct Latest {
    slice: SliceId,
    /// The name whose self time the children reduce, or [`NO_NAME`] if they do not reduce any in this pass.
    name: NameId,
    end: Tick,
}

impl Latest {
    /// Stands for the latest slice of a row that had none yet.
    const NONE: Self = Self { slice: NO_SLICE, name: NO_NAME, end: Tick::MIN };
}

/// The id of no slice.
const NO_SLICE: SliceId = SliceId(u32::MAX);
/// The id of no name.
const NO_NAME: NameId = NameId(u32::MAX);

impl<'l, T: TraceView, L: LayoutView> Stats<'l, T, L> {
    /// Prepares statistics of the slices of `tracks` that touch `range`. Nothing is counted before [`Stats::step`].
    #[must_use]
    pub fn new(
        trace: &'l T,
        layout: &'l L,
        tracks: impl IntoIterator<Item = TrackId>,
        range: Range<Tick>,
        edges: EdgeRule,
    ) -> Self {
        let n_names = trace.names().len();
        Self {
            trace,
            layout,
            tracks: tracks.into_iter().collect(),
            edges,
            range,
            counted: Tick::MIN..Tick::MIN,
            pass: None,
            sums: alloc::vec![Sums::NONE; n_names],
        }
    }

    /// Returns the rule by which slices that reach out of the range count.
    #[must_use]
    pub fn edges(&self) -> EdgeRule {
        self.edges
    }

    /// Returns the range that was asked for last.
    #[must_use]
    pub fn range(&self) -> Range<Tick> {
        self.range.clone()
    }

    /// Returns whether everything in [`Stats::range`] is counted.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.pass.is_none() && self.counted == self.range
    }

    /// Sets another range. The next calls of [`Stats::step`] count what changes on the way from the old one.
    pub fn move_to(&mut self, range: Range<Tick>) {
        self.range = range;
    }

    /// Visits at most `budget` slices and returns [`Stats::is_done`]. Each track counts like one or two slices.
    ///
    /// Until this returns true, the sums contain only a part of the changes.
    pub fn step(&mut self, budget: usize) -> bool {
        let mut left = budget;
        while !self.is_done() {
            let mut pass = self.pass.take().unwrap_or_else(|| self.begin_pass());
            loop {
                if left == 0 {
                    self.pass = Some(pass);
                    return false;
                }
                left -= 1;
                if let Some(visit) = pass.slices.as_mut().and_then(Iterator::next) {
                    if let Some(name) = self.trace.slice_name_id(visit.slice) {
                        if pass.old.is_empty() {
                            self.add::<true>(&mut pass, visit, name);
                        } else {
                            self.add::<false>(&mut pass, visit, name);
                        }
                    }
                } else {
                    let Some(&track) = self.tracks.get(pass.n_tracks) else { break };
                    pass.n_tracks += 1;
                    let kind = self.trace.track_info(track).map(|track| track.kind);
                    pass.is_async = matches!(kind, Some(TrackKind::Async { .. }));
                    let slices = self.layout.visits(track, &pass.swept);
                    pass.latest.clear();
                    pass.latest.resize(slices.n_rows(), Latest::NONE);
                    pass.outermost.clear();
                    pass.slices = Some(slices);
                }
            }
        }
        true
    }

    /// Returns the next pass on the way from the range that is counted to the one that is asked for.
    fn begin_pass(&mut self) -> Pass<L::Visits<'l>> {
        let (from, to) = (self.counted.clone(), self.range.clone());
        let ticks = |range: &Range<Tick>| u128::from(range.end.max(range.start).0.abs_diff(range.start.0));
        let moved = u128::from(from.start.0.abs_diff(to.start.0)) + u128::from(from.end.0.abs_diff(to.end.0));
        let old;
        let (swept, is_entering) =
            if self.edges == EdgeRule::InsideOnly || from.is_empty() || moved >= ticks(&to) {
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

    /// Updates the sums for one slice that the pass visits.
    ///
    /// `FIRST` says that nothing was counted before the pass, so that every slice is new. It is a constant because
    /// counting a whole range is then much less work.
    #[inline(always)]
    fn add<const FIRST: bool>(&mut self, pass: &mut Pass<L::Visits<'l>>, visit: Visit, name: NameId) {
        let is_entering = FIRST || pass.is_entering;
        let before = if FIRST { None } else { self.duration(&visit, &pass.old) };
        let after = match self.edges {
            EdgeRule::Clamp if FIRST => Some(duration(&clamp(&visit, &pass.swept))),
            _ => self.duration(&visit, &self.counted),
        };
        // The time that changes: the part that is swept over, or the whole slice.
        let (swept, is_shared) = match self.edges {
            EdgeRule::Clamp => (clamp(&visit, &pass.swept), true),
            _ => (visit.start..visit.end, before.is_some() != after.is_some()),
        };
        if visit.row > visit.top {
            let above = &pass.latest[visit.row as usize - 1];
            if let Some(parent) = self.sums.get_mut(above.name.index()) {
                // An async span may outlive its parent.
                let end = swept.end.min(above.end).max(swept.start);
                parent.children += signed(duration(&(swept.start..end)), is_entering);
            }
        }
        let sums = &mut self.sums[name.index()];
        if before != after {
            before.into_iter().for_each(|duration| sums.remove(duration));
            after.into_iter().for_each(|duration| sums.add(duration));
        }
        if before.is_some() || after.is_some() {
            // A slice that counts is covered by those around it, so the outermost one of the name is enough to know.
            let outermost = if visit.top == 0 {
                &mut sums.outermost
            } else {
                pass.outermost.entry((visit.top, name)).or_insert(Outermost { row: 0, slice: NO_SLICE })
            };
            let is_above = (visit.top..visit.row).contains(&outermost.row);
            if is_above && pass.latest[outermost.row as usize].slice == outermost.slice && !pass.is_async {
                sums.nested += i128::from(after.unwrap_or(0)) - i128::from(before.unwrap_or(0));
            } else {
                *outermost = Outermost { row: visit.row, slice: visit.slice };
            }
        }
        let mut latest = Latest { slice: visit.slice, name, end: visit.end };
        if !is_shared {
            latest.name = NO_NAME;
        } else if self.edges == EdgeRule::Whole && sticks_out(&visit, &pass.swept) {
            // The slice counts whole, but the pass does not visit its children outside of the swept time.
            if let Some(self_time) = self.layout.self_time(visit.slice) {
                let duration = duration(&(visit.start..visit.end));
                sums.children += signed(duration.saturating_sub(self_time.0.unsigned_abs()), is_entering);
                latest.name = NO_NAME;
            }
        }
        pass.latest[visit.row as usize] = latest;
    }

    /// Returns the duration with which a slice counts in a range, or `None` if it does not count.
    #[inline(always)]
    fn duration(&self, visit: &Visit, range: &Range<Tick>) -> Option<u64> {
        let part = clamp(visit, range);
        let is_point = visit.start == visit.end && range.contains(&visit.start);
        if part.start >= part.end && !is_point {
            return None;
        }
        match self.edges {
            EdgeRule::Clamp => Some(duration(&part)),
            EdgeRule::InsideOnly if sticks_out(visit, range) => None,
            _ => Some(duration(&(visit.start..visit.end))),
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

impl Sums {
    /// The sums over no slices.
    const NONE: Self = Self {
        durations: 0,
        nested: 0,
        children: 0,
        min: u64::MAX,
        max: 0,
        outermost: Outermost { row: 0, slice: NO_SLICE },
        histogram: Histogram::NONE,
    };

    /// Adds the duration of a slice.
    #[inline(always)]
    fn add(&mut self, duration: u64) {
        self.min = self.min.min(duration);
        self.max = self.max.max(duration);
        self.durations += i128::from(duration);
        self.histogram.add(duration);
    }

    /// Takes back a duration that was added.
    fn remove(&mut self, duration: u64) {
        self.durations -= i128::from(duration);
        self.histogram.remove(duration);
        // Only the buckets know whether another slice is as short or as long as the one that left.
        let (least, greatest) = self.histogram.bounds().unwrap_or((u64::MAX, 0));
        self.min = if duration <= self.min { least } else { self.min.max(least) };
        self.max = if duration >= self.max { greatest } else { self.max.min(greatest) };
    }
}

/// Returns a number of ticks with a sign.
fn signed(ticks: u64, is_positive: bool) -> i128 {
    if is_positive { ticks.into() } else { -i128::from(ticks) }
}

/// Returns whether a part of a slice is outside of a range.
fn sticks_out(visit: &Visit, range: &Range<Tick>) -> bool {
    visit.start < range.start || visit.end > range.end
}

/// Returns the duration of a range that does not end before it starts.
#[inline(always)]
fn duration(range: &Range<Tick>) -> u64 {
    range.end.0.wrapping_sub(range.start.0).cast_unsigned()
}

/// Returns the part of a slice inside a range that it touches.
#[inline(always)]
fn clamp(visit: &Visit, range: &Range<Tick>) -> Range<Tick> {
    visit.start.max(range.start)..visit.end.min(range.end)
}
