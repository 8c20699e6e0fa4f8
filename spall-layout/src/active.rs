//! Finds the range of time on which a viewer opens. [layout 21](crate::rules::layout#21)

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{CounterValue, Instant, State, Tick, TraceView};

use crate::{LayoutView, RowView};

/// The number of columns in which gaps are looked for. It only has to be fine enough to measure a tenth of the range.
const COLUMNS: usize = 1000;

/// Returns the range of time that holds nearly everything: the bounds of the trace without outliers.
///
/// Some traces hold a few events far away from all others, for example because a clock was read before it was set. All
/// of such a trace fits into one column of its bounds. Outliers are at most a fiftieth of the elements, and without them
/// a tenth of the range is enough; [layout 21](crate::rules::layout#21) has the rule. A trace without outliers has its
/// bounds as its active range. Returns `None` if nothing of the trace has a time. This takes O(log n) for each row.
///
/// ```
/// use spall_layout::{Layout, active_range};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for start in core::iter::once(0).chain((0..100).map(|at| 1_000_000 + at * 10)) {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::EMPTY);
/// #     builder.push(&Event::Complete(event, Ticks(10)));
/// # }
/// # let trace = builder.finish(); // a slice at 0, and a hundred from 1 000 000 on
/// let layout = Layout::new(&trace);
/// assert_eq!(trace.bounds(), Some(Tick(0)..Tick(1_001_000)));
/// assert_eq!(active_range(&trace, &layout), Some(Tick(1_000_000)..Tick(1_001_000)));
/// ```
#[doc(alias("outliers", "zoom to fit"))]
#[must_use]
pub fn active_range(trace: &impl TraceView, layout: &impl LayoutView) -> Option<Range<Tick>> {
    let mut range = trace.bounds()?;
    // Each round leaves a tenth at most, so twenty rounds would leave nothing of all times that there are.
    for _ in 0..20 {
        let clusters = clusters(trace, layout, &range);
        let counts: Vec<usize> = clusters.iter().map(|cluster| count(trace, layout, cluster)).collect();
        let all: usize = counts.iter().sum();
        let is_main = |&(_, &count): &(_, &usize)| all - count <= all / 50;
        let Some((main, _)) = clusters.iter().zip(&counts).find(is_main) else { break };
        let is_short = main.end.0.abs_diff(main.start.0) <= range.end.0.abs_diff(range.start.0) / 10;
        if !is_short {
            break;
        }
        range = extent(trace, layout, main);
    }
    Some(range)
}

/// Returns the parts of a range in which something is, set apart by stretches of at least a tenth of the range in which
/// nothing is.
#[allow(clippy::indexing_slicing, reason = "a cluster has columns of the range")]
fn clusters(trace: &impl TraceView, layout: &impl LayoutView, range: &Range<Tick>) -> Vec<Range<Tick>> {
    let span = range.end.0.abs_diff(range.start.0);
    if span < COLUMNS as u64 {
        return Vec::new();
    }
    let column = |at: Tick| {
        let ahead = u128::from(at.max(range.start).0.abs_diff(range.start.0));
        usize::try_from(ahead * COLUMNS as u128 / u128::from(span)).unwrap_or(COLUMNS).min(COLUMNS - 1)
    };
    // The first tick of a column.
    let edge = |column: usize| {
        let ahead = (column as u128 * u128::from(span)).div_ceil(COLUMNS as u128);
        Tick(range.start.0.wrapping_add_unsigned(u64::try_from(ahead).unwrap_or(span)))
    };
    let mut is_used = [false; COLUMNS];
    for_each_list(trace, layout, |list| {
        // Of many elements in one column one is looked at.
        let mut next = range.start;
        while let Some((start, end)) = list.reaching(next).filter(|found| found.0 <= range.end) {
            let last = column(end);
            is_used[column(start).min(last)..=last].fill(true);
            if last == COLUMNS - 1 {
                break;
            }
            next = edge(last + 1);
        }
    });
    let mut clusters: Vec<Range<usize>> = Vec::new();
    for (column, _) in is_used.iter().enumerate().filter(|(_, is_used)| **is_used) {
        match clusters.last_mut() {
            Some(last) if column - last.end < COLUMNS / 10 => last.end = column + 1,
            _ => clusters.push(column..column + 1),
        }
    }
    let ticks = |cluster: Range<usize>| {
        // The last column includes the end of the range, where something without duration may be.
        let end = edge(cluster.end).0.saturating_add(i64::from(cluster.end == COLUMNS));
        edge(cluster.start)..Tick(end)
    };
    clusters.into_iter().map(ticks).collect()
}

/// Elements of one kind on one track or row, ordered by time.
trait Elements {
    /// Returns the number of elements that begin before `at`.
    fn n_before(&self, at: Tick) -> usize;

    /// Returns the start and the end of an element.
    fn get(&self, at: usize) -> Option<(Tick, Tick)>;

    /// Returns the first element that ends at `at` or later.
    fn reaching(&self, at: Tick) -> Option<(Tick, Tick)> {
        let next = self.n_before(at);
        let before = next.checked_sub(1).and_then(|last| self.get(last)).filter(|last| last.1 >= at);
        before.or_else(|| self.get(next))
    }
}

/// The slices of a row. An unfinished one only counts where it begins, because nobody knows how long it ran.
struct RowSlices<'r, T> {
    row: RowView<'r>,
    trace: &'r T,
}

impl<T: TraceView> Elements for RowSlices<'_, T> {
    fn n_before(&self, at: Tick) -> usize {
        self.row.starts().partition_point(|&start| start < at)
    }

    fn get(&self, at: usize) -> Option<(Tick, Tick)> {
        let (start, end) = (*self.row.starts().get(at)?, *self.row.ends().get(at)?);
        let slice = self.trace.slice(*self.row.slices().get(at)?)?;
        Some((start, if slice.flags.is_unfinished() { start } else { end }))
    }
}

/// Elements of a list, with their starts and ends.
struct Listed<'l, E, F>(&'l [E], F);

impl<E, F: Fn(&E) -> (Tick, Tick)> Elements for Listed<'_, E, F> {
    fn n_before(&self, at: Tick) -> usize {
        self.0.partition_point(|element| (self.1)(element).0 < at)
    }

    fn get(&self, at: usize) -> Option<(Tick, Tick)> {
        self.0.get(at).map(&self.1)
    }
}

/// Calls `see` for the slices, instants, counter values and states of each track.
fn for_each_list(trace: &impl TraceView, layout: &impl LayoutView, mut see: impl FnMut(&dyn Elements)) {
    for track in trace.track_ids() {
        for row in layout.track_rows(track) {
            layout.row(row).into_iter().for_each(|row| see(&RowSlices { row, trace }));
        }
        see(&Listed(trace.instants_of(track), |instant: &Instant| (instant.at, instant.at)));
        see(&Listed(trace.counters_of(track), |value: &CounterValue| (value.at, value.at)));
        see(&Listed(trace.states_of(track), |state: &State| (state.start, state.end)));
    }
}

/// Returns the number of elements that begin in a range.
fn count(trace: &impl TraceView, layout: &impl LayoutView, range: &Range<Tick>) -> usize {
    let mut count = 0;
    for_each_list(trace, layout, |list| {
        count += list.n_before(range.end) - list.n_before(range.start);
    });
    count
}

/// Returns the time from the first start to the last end of the elements that begin in a range.
fn extent(trace: &impl TraceView, layout: &impl LayoutView, range: &Range<Tick>) -> Range<Tick> {
    let mut extent: Option<Range<Tick>> = None;
    for_each_list(trace, layout, |list| {
        let (first, behind) = (list.n_before(range.start), list.n_before(range.end));
        let last = behind.checked_sub(1).filter(|&last| first <= last).and_then(|last| list.get(last));
        let (Some((start, _)), Some((at, end))) = (list.get(first), last) else { return };
        // Something without duration is to be seen as well.
        let end = end.max(Tick(at.0.saturating_add(1)));
        let known = extent.get_or_insert(start..end);
        *known = known.start.min(start)..known.end.max(end);
    });
    extent.unwrap_or(range.clone())
}
