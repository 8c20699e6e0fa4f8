//! Counts slices one by one, each with what the pass knows of the slices around it.

use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{SliceId, Tick};

use crate::histogram::Histogram;
use crate::visits::Visit;

/// The sums over the slices of a function.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    /// The sum of all durations, in ticks.
    pub(super) durations: i128,
    /// The part of `durations` that lies inside other slices of the function.
    pub(super) nested: i128,
    /// The time that children of the slices cover.
    pub(super) children: i128,
    pub(super) min: u64,
    pub(super) max: u64,
    /// The latest slice on lane 0 that lies in no other slice of the function.
    pub(super) outermost: Outermost,
    pub(super) histogram: Histogram,
}

/// A slice and its row, counted from the first of its track.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outermost {
    pub(super) row: u32,
    pub(super) slice: SliceId,
}

/// The latest slice of a row, which may be the parent of the next slices of the row below.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latest {
    slice: SliceId,
    /// The number of the function whose self time the children reduce, or [`NO_NUMBER`] before the first slice.
    number: u32,
}

impl Latest {
    /// Stands for the latest slice of a row that had none yet.
    pub(super) const NONE: Self = Self { slice: NO_SLICE, number: NO_NUMBER };
}

/// The id of no slice.
const NO_SLICE: SliceId = SliceId(u32::MAX);
/// The number of no function.
const NO_NUMBER: u32 = u32::MAX;

/// What a pass needs to count the slices of a track.
pub(super) struct Counting<'p> {
    /// The range that was counted before the pass, the time that is swept over, and the range that is counted after it.
    pub(super) old: Range<Tick>,
    pub(super) swept: Range<Tick>,
    pub(super) counted: Range<Tick>,
    pub(super) is_entering: bool,
    pub(super) sums: Vec<Sums>,
    pub(super) latest: &'p mut [Latest],
    pub(super) outermost: &'p mut HashMap<(u32, u32), Outermost, RandomState>,
}

impl Counting<'_> {
    /// Updates the sums for one slice that the pass visits.
    ///
    /// `FIRST` says that nothing was counted before the pass, so that every slice is new. It is a constant because counting a
    /// whole range is then much less work.
    // Without the attributes in this file, the job `statistics` takes 33 % more instructions.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "rows are numbered by the visits of a track")]
    pub(super) fn add<const FIRST: bool>(&mut self, visit: Visit, number: u32) {
        let is_entering = FIRST || self.is_entering;
        let swept = clamp(&visit, &self.swept);
        let before = if FIRST { None } else { duration_in(&visit, &self.old) };
        let after = if FIRST { Some(duration(&swept)) } else { duration_in(&visit, &self.counted) };
        if visit.row > visit.top {
            let above = &self.latest[visit.row as usize - 1];
            if let Some(parent) = self.sums.get_mut(above.number as usize) {
                parent.children += signed(duration(&swept), is_entering);
            }
        }
        let Some(sums) = Sums::of(&mut self.sums, number) else { return };
        if before != after {
            before.into_iter().for_each(|duration| sums.remove(duration));
            after.into_iter().for_each(|duration| sums.add(duration));
        }
        if before.is_some() || after.is_some() {
            // A slice that counts is covered by those around it, so the outermost one of the function is enough to know.
            let outermost = if visit.top == 0 {
                &mut sums.outermost
            } else {
                self.outermost.entry((visit.top, number)).or_insert(Outermost { row: 0, slice: NO_SLICE })
            };
            let latest = self.latest.get(outermost.row as usize).map_or(NO_SLICE, |latest| latest.slice);
            // Whether a function calls itself cannot be predicted, so this selects without a branch.
            let is_nested =
                (visit.top <= outermost.row) & (outermost.row < visit.row) & (latest == outermost.slice);
            let here = Outermost { row: visit.row, slice: visit.slice };
            *outermost = select_unpredictable(is_nested, *outermost, here);
            let added = i128::from(after.unwrap_or(0)) - i128::from(before.unwrap_or(0));
            sums.nested += select_unpredictable(is_nested, added, 0);
        }
        self.latest[visit.row as usize] = Latest { slice: visit.slice, number };
    }
}

impl Sums {
    /// The sums over no slices.
    pub(super) const NONE: Self = Self {
        durations: 0,
        nested: 0,
        children: 0,
        min: u64::MAX,
        max: 0,
        outermost: Outermost { row: 0, slice: NO_SLICE },
        histogram: Histogram::NONE,
    };

    /// Returns the sums of the function with a number, which may be the first one that has it.
    #[inline(always)]
    pub(super) fn of(all: &mut Vec<Self>, number: u32) -> Option<&mut Self> {
        if number as usize >= all.len() {
            Self::grow(all, number);
        }
        all.get_mut(number as usize)
    }

    #[cold]
    #[inline(never)]
    fn grow(all: &mut Vec<Self>, number: u32) {
        all.resize(number as usize + 1, Self::NONE);
    }

    /// Adds the duration of a slice.
    #[inline(always)]
    pub(super) fn add(&mut self, duration: u64) {
        // Branches, because a new extreme is rare.
        if duration < self.min {
            self.min = duration;
        }
        if duration > self.max {
            self.max = duration;
        }
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

/// Returns the duration with which a slice counts in a range, or `None` if it does not count.
#[inline(always)]
fn duration_in(visit: &Visit, range: &Range<Tick>) -> Option<u64> {
    let part = clamp(visit, range);
    let is_point = visit.start == visit.end && range.start <= visit.start && visit.start.is_before(range.end);
    (part.start < part.end || is_point).then(|| duration(&part))
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
