//! The times in which a track ran nothing, and what others ran meanwhile. [layout 22](crate::rules::layout#22)

use alloc::{collections::BinaryHeap, vec::Vec};
use core::{
    cmp::{Ordering, Reverse},
    ops::Range,
};

use spall_model::{Function, Job, Measure, SliceId, Tick, Ticks, TraceView, TrackId};

use crate::{LayoutView, slice_tree};

/// A time in which a track ran nothing, between two slices that lie in no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The track.
    pub track: TrackId,
    /// When the gap starts: at the end of the slice before it, or at the start of the range.
    pub start: Tick,
    /// When the gap ends: at the start of the slice behind it, or at the end of the range.
    pub end: Tick,
    /// The slice that ended last before the gap.
    pub before: SliceId,
    /// The slice that started first behind the gap.
    pub after: SliceId,
}

impl Gap {
    /// Returns how long the gap is.
    #[must_use]
    pub fn duration(&self) -> Ticks {
        self.end - self.start
    }
}

/// Gaps are in the order of their durations, and those of one duration in that of tracks and of time, the first one being the greatest.
impl Ord for Gap {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |gap: &Self| (gap.duration(), Reverse(gap.track), Reverse(gap.start));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Gap {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Finds the longest gaps of tracks in a range, the longest first, but at most `max` of them. A gap that sticks out of the range
/// counts with the part inside. Slices for which `shows` returns `false` are taken as if they were not there. [layout
/// 22](crate::rules::layout#22)
///
/// A step looks at whole tracks. This takes O(n log m) for n slices and m gaps that are wanted.
///
/// ```
/// use spall_layout::longest_gaps;
/// use spall_model::{Job, Tick, TraceView};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Ticks, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (start, duration) in [(0, 10), (2, 3), (15, 5), (40, 1)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(b"f"));
/// #     builder.push(&Event::Complete(event, Ticks(duration)));
/// # }
/// # let trace = builder.finish(); // 0..10, 15..20, 40..41
/// let gaps = longest_gaps(&trace, trace.track_ids(), Tick(0)..Tick(30), 5, |_| true).run();
/// let times: Vec<_> = gaps.iter().map(|gap| (gap.start.0, gap.end.0)).collect();
/// assert_eq!(times, [(20, 30), (10, 15)]);
/// ```
pub fn longest_gaps(
    trace: &impl TraceView,
    tracks: impl IntoIterator<Item = TrackId>,
    range: Range<Tick>,
    max: usize,
    shows: impl Fn(SliceId) -> bool,
) -> impl Job<Output = Vec<Gap>> {
    let mut tracks: Vec<TrackId> = tracks.into_iter().collect();
    tracks.reverse();
    Gaps { trace, tracks, range, max, shows, longest: BinaryHeap::new() }
}

struct Gaps<'t, T, F> {
    trace: &'t T,
    /// The tracks that are not looked at, the next one last.
    tracks: Vec<TrackId>,
    range: Range<Tick>,
    max: usize,
    shows: F,
    /// The longest ones so far, the shortest of them on top.
    longest: BinaryHeap<Reverse<Gap>>,
}

impl<T: TraceView, F: Fn(SliceId) -> bool> Job for Gaps<'_, T, F> {
    type Output = Vec<Gap>;

    fn step(&mut self, work: usize) -> Option<Vec<Gap>> {
        let mut left = work;
        while left > 0 {
            let Some(track) = self.tracks.pop() else {
                let longest = core::mem::take(&mut self.longest).into_sorted_vec();
                return Some(longest.into_iter().map(|Reverse(gap)| gap).collect());
            };
            left = left.saturating_sub(1 + self.trace.n_slices_of(track));
            self.add_track(track);
        }
        None
    }
}

impl<T: TraceView, F: Fn(SliceId) -> bool> Gaps<'_, T, F> {
    /// Adds the gaps of a track, whose slices come in the order of their starts.
    fn add_track(&mut self, track: TrackId) {
        let mut latest: Option<(Tick, SliceId)> = None;
        for (id, slice) in self.trace.slices_of(track).filter(|(id, _)| (self.shows)(*id)) {
            if let Some((end, before)) = latest {
                let (start, end) = (end.max(self.range.start), slice.start.min(self.range.end));
                if start < end {
                    self.longest.push(Reverse(Gap { track, start, end, before, after: id }));
                    if self.longest.len() > self.max {
                        self.longest.pop();
                    }
                }
            }
            if latest.is_none_or(|(end, _)| slice.end > end) {
                latest = Some((slice.end, id));
            }
        }
    }
}

/// What a track ran in a range of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RanMeanwhile {
    /// The track.
    pub track: TrackId,
    /// The time in which it ran something.
    pub time: Ticks,
    /// The function with the most self time.
    pub function: Function,
    /// The self time of this function.
    pub self_time: Ticks,
}

/// Returns what tracks ran in a range of time, such as a [`Gap`] of another one, those that ran the longest first. Tracks that ran
/// nothing are left out. [layout 22](crate::rules::layout#22)
#[must_use]
pub fn ran_meanwhile(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    tracks: impl IntoIterator<Item = TrackId>,
    range: &Range<Tick>,
) -> Vec<RanMeanwhile> {
    let of_track = |track| {
        let function = |id| trace.function_of(id);
        let tree = slice_tree(trace, layout, [track], range.clone(), Measure::WallTime, function).run();
        let first = tree.functions().first().copied()?;
        let (time, self_time) = (tree.total(), first.self_time);
        (time > Ticks::ZERO).then_some(RanMeanwhile { track, time, function: first.function, self_time })
    };
    let mut found: Vec<_> = tracks.into_iter().filter_map(of_track).collect();
    found.sort_by_key(|ran| (Reverse(ran.time), ran.track));
    found
}
