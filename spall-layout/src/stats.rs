//! How much time goes where, by name. \[layout 14\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{NameId, SliceId, Tick, Ticks, Trace, Track, TrackId, TrackKind};

use crate::convert::to_ticks;
use crate::histogram::Histogram;
use crate::visits::{Visit, Visits};
use crate::{EdgeRule, Layout};

/// The slices of one name. Sums saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameStats {
    /// The name.
    pub name: NameId,
    /// How many slices.
    pub count: u64,
    /// Time inside slices of the name. Where one lies inside another of the same name, only the outer one counts;
    /// spans of async tracks always do.
    pub total: Ticks,
    /// Time inside slices of the name and in no child of theirs.
    pub self_time: Ticks,
    /// The shortest slice. After the range was moved, the least length of its bucket in the histogram.
    pub min: Ticks,
    /// The longest slice. After the range was moved, the greatest length of its bucket in the histogram.
    pub max: Ticks,
    /// The mean length of a slice, rounded down.
    pub mean: Ticks,
}

/// Sums up the slices of `tracks` that touch `range`, by name: the most time first, then by name.
///
/// A slice without length touches the range if it lies in it; an empty range is touched by none. O(n) for the n slices
/// in the range, but for those with [`EdgeRule::Whole`] that stick out of it: all their children are looked at.
///
/// ```
/// use spall_layout::{EdgeRule, Layout, Options, stats};
/// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, length) in [("frame", 0, 100), ("draw", 40, 50)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(length)), ByteRange::default());
/// # }
/// # let trace = builder.finish(); // frame 0..100, draw 40..90 inside it
/// let layout = Layout::new(&trace, &Options::default());
/// let names = stats(&trace, &layout, [TrackId(0)], Tick(0)..Tick(60), EdgeRule::Clamp);
/// let times: Vec<_> = names.iter().map(|s| (trace.name(s.name), s.total.0, s.self_time.0)).collect();
/// assert_eq!(times, [("frame".into(), 60, 40), ("draw".into(), 20, 20)]);
/// ```
#[must_use]
pub fn stats(
    trace: &Trace<'_>,
    layout: &Layout,
    tracks: impl IntoIterator<Item = TrackId>,
    range: Range<Tick>,
    edges: EdgeRule,
) -> Vec<NameStats> {
    let mut stats = Stats::new(trace, layout, tracks, range, edges);
    stats.step(usize::MAX);
    stats.by_name()
}

/// Statistics that are made a step at a time, and follow the edges of their range.
///
/// Moving an edge looks at the slices between its old and new place, not at all of the range. Only with
/// [`EdgeRule::InsideOnly`] everything is counted anew, because what counts once may then depend on what is far away.
///
/// ```
/// use spall_layout::{EdgeRule, Layout, Options, Stats};
/// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for start in 0..100 {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start * 10), Text::plain(b"f"));
/// #     builder.push(&Event::Complete(event, Ticks(start % 10)), ByteRange::default());
/// # }
/// # let trace = builder.finish();
/// # let layout = Layout::new(&trace, &Options::default());
/// let name = trace.names().find(b"f").unwrap();
/// let mut stats = Stats::new(&trace, &layout, [TrackId(0)], Tick(0)..Tick(500), EdgeRule::Clamp);
/// while !stats.step(20) {
///     // show what is known so far, handle input
/// }
/// assert_eq!(stats.of(name).unwrap().count, 50);
/// assert_eq!(stats.histogram(name).unwrap().quantile(1, 2), Some(Ticks(4)));
///
/// stats.move_to(Tick(0)..Tick(510));
/// assert!(stats.step(10)); // one more slice
/// assert_eq!(stats.of(name).unwrap().count, 51);
/// ```
#[derive(Debug, Clone)]
pub struct Stats<'l> {
    all_tracks: &'l [Track],
    names: &'l [NameId],
    layout: &'l Layout,
    tracks: Vec<TrackId>,
    edges: EdgeRule,
    /// What is asked for.
    range: Range<Tick>,
    /// What the sums are of, as soon as the pass is over.
    counted: Range<Tick>,
    pass: Option<Pass<'l>>,
    sums: Vec<Sums>,
}

/// The sums of a name.
#[derive(Debug, Clone)]
struct Sums {
    lengths: i128,
    /// Of these, what lies in another slice of the name.
    nested: i128,
    /// What the children of its slices take.
    children: i128,
    min: u64,
    max: u64,
    /// The latest slice on lane 0 that lies in no other of the name.
    outermost: Place,
    histogram: Histogram,
}

/// A slice and its row, counted from the first of its track.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: u32,
    slice: SliceId,
}

/// A walk over the slices that touch what one edge sweeps over, or the whole range.
#[derive(Debug, Clone)]
struct Pass<'l> {
    /// What counted before the pass.
    old: Range<Tick>,
    /// What is swept over.
    swept: Range<Tick>,
    /// Whether that comes in, or goes out.
    is_entering: bool,
    /// How many tracks were begun.
    n_tracks: usize,
    slices: Option<Visits<'l>>,
    is_async: bool,
    /// For each row of the track its latest slice.
    latest: Vec<Latest>,
    /// As [`Sums::outermost`], for the lanes that hold what overlaps: by their first row.
    outermost: HashMap<(u32, NameId), Place, RandomState>,
}

/// The latest slice of a row, in which the next ones of the row below may lie.
#[derive(Debug, Clone, Copy)]
struct Latest {
    slice: SliceId,
    /// Whose time its children take; none if nothing changes there.
    name: NameId,
    end: Tick,
}

impl Latest {
    const NONE: Self = Self { slice: NO_SLICE, name: NO_NAME, end: Tick::MIN };
}

const NO_SLICE: SliceId = SliceId(u32::MAX);
const NO_NAME: NameId = NameId(u32::MAX);

impl<'l> Stats<'l> {
    /// Statistics of the slices of `tracks` that touch `range`, of which nothing is counted yet.
    #[must_use]
    pub fn new(
        trace: &'l Trace<'_>,
        layout: &'l Layout,
        tracks: impl IntoIterator<Item = TrackId>,
        range: Range<Tick>,
        edges: EdgeRule,
    ) -> Self {
        let n_names = trace.names().len();
        Self {
            all_tracks: trace.tracks(),
            names: trace.slices().names(),
            layout,
            tracks: tracks.into_iter().collect(),
            edges,
            range,
            counted: Tick::MIN..Tick::MIN,
            pass: None,
            sums: alloc::vec![Sums::NONE; n_names],
        }
    }

    /// What becomes of slices that stick out of the range.
    #[must_use]
    pub fn edges(&self) -> EdgeRule {
        self.edges
    }

    /// The range that was asked for last.
    #[must_use]
    pub fn range(&self) -> Range<Tick> {
        self.range.clone()
    }

    /// Whether everything in [`Stats::range`] is counted.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.pass.is_none() && self.counted == self.range
    }

    /// Asks for another range. [`Stats::step`] then goes there from wherever it is.
    pub fn move_to(&mut self, range: Range<Tick>) {
        self.range = range;
    }

    /// Looks at `budget` slices or fewer, a track counting as one more or two; returns [`Stats::is_done`].
    ///
    /// Until it is done, sums are of a part of what has changed.
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
                if let Some(visit) = pass.slices.as_mut().and_then(Visits::next) {
                    if let Some(&name) = self.names.get(visit.slice.index()) {
                        if pass.old.is_empty() {
                            self.add::<true>(&mut pass, visit, name);
                        } else {
                            self.add::<false>(&mut pass, visit, name);
                        }
                    }
                } else {
                    let Some(&track) = self.tracks.get(pass.n_tracks) else { break };
                    pass.n_tracks += 1;
                    let kind = self.all_tracks.get(track.index()).map(|track| track.kind);
                    pass.is_async = matches!(kind, Some(TrackKind::Async { .. }));
                    let slices = Visits::new(self.layout, track, &pass.swept);
                    pass.latest.clear();
                    pass.latest.resize(slices.n_rows(), Latest::NONE);
                    pass.outermost.clear();
                    pass.slices = Some(slices);
                }
            }
        }
        true
    }

    /// The next thing to do on the way from what is counted to what is asked for.
    fn begin_pass(&mut self) -> Pass<'l> {
        let (from, to) = (self.counted.clone(), self.range.clone());
        let ticks = |range: &Range<Tick>| u128::from(range.end.max(range.start).0.abs_diff(range.start.0));
        let moved = u128::from(from.start.0.abs_diff(to.start.0)) + u128::from(from.end.0.abs_diff(to.end.0));
        let old;
        let (swept, is_entering) =
            if self.edges == EdgeRule::InsideOnly || from.is_empty() || moved >= ticks(&to) {
                // Nothing of the old range is of use.
                self.sums.fill(Sums::NONE);
                old = Tick::MIN..Tick::MIN;
                self.counted = to.clone();
                (to, true)
            } else {
                // The ranges overlap: first the one edge, then the other.
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

    /// Takes in what a visit changes. `FIRST`: nothing was counted before the pass, so everything visited comes in.
    #[inline(always)]
    fn add<const FIRST: bool>(&mut self, pass: &mut Pass<'l>, visit: Visit, name: NameId) {
        let is_entering = FIRST || pass.is_entering;
        let before = if FIRST { None } else { self.length(&visit, &pass.old) };
        let after = match self.edges {
            EdgeRule::Clamp if FIRST => Some(length(&clamp(&visit, &pass.swept))),
            _ => self.length(&visit, &self.counted),
        };
        // What of it changes: the part that is swept over, or all of it.
        let (swept, is_shared) = match self.edges {
            EdgeRule::Clamp => (clamp(&visit, &pass.swept), true),
            _ => (visit.start..visit.end, before.is_some() != after.is_some()),
        };
        if visit.row > visit.top {
            let above = &pass.latest[visit.row as usize - 1];
            if let Some(parent) = self.sums.get_mut(above.name.index()) {
                // An async span may outlive its parent.
                let end = swept.end.min(above.end).max(swept.start);
                parent.children += signed(length(&(swept.start..end)), is_entering);
            }
        }
        let sums = &mut self.sums[name.index()];
        if before != after {
            before.into_iter().for_each(|length| sums.remove(length));
            after.into_iter().for_each(|length| sums.add(length));
        }
        if before.is_some() || after.is_some() {
            // Whatever counts is covered by what it lies in, so the outermost one is enough to know.
            let outermost = if visit.top == 0 {
                &mut sums.outermost
            } else {
                pass.outermost.entry((visit.top, name)).or_insert(Place { row: 0, slice: NO_SLICE })
            };
            let is_above = (visit.top..visit.row).contains(&outermost.row);
            if is_above && pass.latest[outermost.row as usize].slice == outermost.slice && !pass.is_async {
                sums.nested += i128::from(after.unwrap_or(0)) - i128::from(before.unwrap_or(0));
            } else {
                *outermost = Place { row: visit.row, slice: visit.slice };
            }
        }
        let mut latest = Latest { slice: visit.slice, name, end: visit.end };
        if !is_shared {
            latest.name = NO_NAME;
        } else if self.edges == EdgeRule::Whole && sticks_out(&visit, &pass.swept) {
            // Of a slice that counts whole, children elsewhere are not seen.
            if let Some(own) = self.layout.self_time(visit.slice) {
                let length = length(&(visit.start..visit.end));
                sums.children += signed(length.saturating_sub(own.0.unsigned_abs()), is_entering);
                latest.name = NO_NAME;
            }
        }
        pass.latest[visit.row as usize] = latest;
    }

    /// The length with which a slice counts in a range, if it does.
    #[inline(always)]
    fn length(&self, visit: &Visit, range: &Range<Tick>) -> Option<u64> {
        let part = clamp(visit, range);
        let is_point = visit.start == visit.end && range.contains(&visit.start);
        if part.start >= part.end && !is_point {
            return None;
        }
        match self.edges {
            EdgeRule::Clamp => Some(length(&part)),
            EdgeRule::InsideOnly if sticks_out(visit, range) => None,
            _ => Some(length(&(visit.start..visit.end))),
        }
    }

    /// What is known of a name; `None` if no slice has it.
    #[must_use]
    pub fn of(&self, name: NameId) -> Option<NameStats> {
        let sums = self.sums.get(name.index())?;
        let count = sums.histogram.count();
        let saturated = |sum: i128| Ticks(i64::try_from(sum).unwrap_or(i64::MAX));
        (count > 0).then(|| NameStats {
            name,
            count,
            total: saturated(sums.lengths - sums.nested),
            self_time: saturated(sums.lengths - sums.children),
            min: to_ticks(sums.min),
            max: to_ticks(sums.max),
            mean: saturated(sums.lengths / i128::from(count)),
        })
    }

    /// How the lengths of the slices of a name are spread; `None` if no slice has it.
    #[must_use]
    pub fn histogram(&self, name: NameId) -> Option<&Histogram> {
        self.sums.get(name.index()).map(|sums| &sums.histogram).filter(|histogram| histogram.count() > 0)
    }

    /// All names that slices have: the most time first, then by name.
    #[must_use]
    pub fn by_name(&self) -> Vec<NameStats> {
        let names = (0..).map(NameId).take(self.sums.len());
        let mut found: Vec<NameStats> = names.filter_map(|name| self.of(name)).collect();
        found.sort_by_key(|stats| (core::cmp::Reverse(stats.total), stats.name));
        found
    }
}

impl Sums {
    const NONE: Self = Self {
        lengths: 0,
        nested: 0,
        children: 0,
        min: u64::MAX,
        max: 0,
        outermost: Place { row: 0, slice: NO_SLICE },
        histogram: Histogram::NONE,
    };

    #[inline(always)]
    fn add(&mut self, length: u64) {
        self.min = self.min.min(length);
        self.max = self.max.max(length);
        self.lengths += i128::from(length);
        self.histogram.add(length);
    }

    fn remove(&mut self, length: u64) {
        self.lengths -= i128::from(length);
        self.histogram.remove(length);
        // Whether another is as short, or as long, only the buckets know.
        let (least, greatest) = self.histogram.bounds().unwrap_or((u64::MAX, 0));
        self.min = if length <= self.min { least } else { self.min.max(least) };
        self.max = if length >= self.max { greatest } else { self.max.min(greatest) };
    }
}

fn signed(ticks: u64, is_positive: bool) -> i128 {
    if is_positive { ticks.into() } else { -i128::from(ticks) }
}

fn sticks_out(visit: &Visit, range: &Range<Tick>) -> bool {
    visit.start < range.start || visit.end > range.end
}

/// Of a range that is not backwards.
#[inline(always)]
fn length(range: &Range<Tick>) -> u64 {
    range.end.0.wrapping_sub(range.start.0).cast_unsigned()
}

/// The part of a slice that lies in a range that it touches.
#[inline(always)]
fn clamp(visit: &Visit, range: &Range<Tick>) -> Range<Tick> {
    visit.start.max(range.start)..visit.end.min(range.end)
}
