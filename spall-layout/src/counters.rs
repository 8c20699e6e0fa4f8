//! The series of counters, column by column. [layout 11](crate::rules::layout#11)
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{CounterValue, NameId, Tick};

use crate::Viewport;
use crate::blocks::{Blocks, Summary};
use crate::instants::gallop;

/// One series of a counter, ready to be drawn. A value is in force until the next one.
///
/// A series takes 16 bytes per value, and 1.6 bytes for the index.
///
/// ```
/// use spall_layout::{Series, Viewport};
/// use spall_model::{NameId, Tick};
/// let mut series = Series::new(NameId::EMPTY);
/// for (at, value) in [(0, 1.0), (40, 5.0), (45, 2.0)] {
///     series.push(Tick(at), value);
/// }
/// assert_eq!(series.value_at(Tick(42)), Some(5.0));
///
/// let viewport = Viewport::new(Tick(0)..Tick(100), 10);
/// let mut runs = Vec::new();
/// series.runs(&viewport, &mut runs);
/// let drawn: Vec<_> = runs.iter().map(|run| (run.x0..run.x1, run.min, run.max)).collect();
/// assert_eq!(drawn, [(0..1, 1.0, 1.0), (1..4, 1.0, 1.0), (4..5, 2.0, 5.0), (5..10, 2.0, 2.0)]);
/// ```
#[derive(Debug, Clone)]
pub struct Series {
    name: NameId,
    at: Vec<Tick>,
    values: Vec<f64>,
    /// The summaries of the values whose ends are known: all but the last one.
    blocks: Blocks<Values>,
}

/// The summary of values in an interval of time.
#[derive(Debug, Clone, Copy)]
struct Values {
    min: f64,
    max: f64,
    /// The sum of each value times the ticks for which it is in force.
    area: f64,
}

impl Summary for Values {
    const NONE: Self = Self { min: f64::NAN, max: f64::NAN, area: 0.0 };

    /// Values that are not a number take no part in `min` and `max`, unless there are no others.
    fn add(&mut self, other: Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.area += other.area;
    }
}

/// A run of columns of a series: one column in which the value may change, or many columns in which it does not.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CounterRun {
    /// The first column.
    pub x0: u32,
    /// The column after the last one.
    pub x1: u32,
    /// The value at the left edge of the run, or the first value of the series if the series begins inside the run.
    pub first: f64,
    /// The value at the right edge of the run.
    pub last: f64,
    /// The smallest value in force at any time in the run.
    pub min: f64,
    /// The largest value in force at any time in the run.
    pub max: f64,
    /// The mean of the value over the time of the run. Time before the first value of the series does not count.
    pub mean: f64,
}

impl Series {
    /// Creates the series of one counter, in the order in which they first have a value.
    ///
    /// `values` must be those of one track, ordered by time and with its series mixed, as `trace.counters_of(track)`
    /// returns them. This takes O(n log n).
    #[must_use]
    pub fn of(values: &[CounterValue]) -> Vec<Self> {
        // Sorted by name to stay O(n log n) with many series; stable, so by time within a name.
        let mut order: Vec<(NameId, usize)> =
            values.iter().enumerate().map(|(at, value)| (value.series, at)).collect();
        order.sort();
        let mut series: Vec<(usize, Self)> = order
            .chunk_by(|a, b| a.0 == b.0)
            .map(|group| {
                let mut series = Self::new(group[0].0);
                for &(_, at) in group {
                    series.push(values[at].at, values[at].value);
                }
                (group[0].1, series)
            })
            .collect();
        series.sort_by_key(|(first, _)| *first);
        series.into_iter().map(|(_, series)| series).collect()
    }

    /// Creates a series without values.
    #[must_use]
    pub fn new(name: NameId) -> Self {
        Self { name, at: Vec::new(), values: Vec::new(), blocks: Blocks::default() }
    }

    /// Adds a value that is in force from `at` on.
    ///
    /// A time before that of the previous value is moved there. This takes amortised O(1).
    pub fn push(&mut self, at: Tick, value: f64) {
        let at = self.at.last().map_or(at, |&last| last.max(at));
        // Only now is it known how long the previous value was in force.
        if let Some(previous) = self.at.len().checked_sub(1) {
            self.blocks.push(self.summary(previous, at));
        }
        self.at.push(at);
        self.values.push(value);
    }

    /// Returns the name of the series.
    #[must_use]
    pub fn name(&self) -> NameId {
        self.name
    }

    /// Returns the smallest and the largest value of the series, or `None` if no value is a number.
    #[must_use]
    pub fn bounds(&self) -> Option<(f64, f64)> {
        let all = self.of_range(0..self.at.len());
        (!all.min.is_nan()).then_some((all.min, all.max))
    }

    /// Returns the value in force at a time, or `None` before the first value. This takes O(log n).
    #[must_use]
    pub fn value_at(&self, at: Tick) -> Option<f64> {
        self.values.get(self.at.partition_point(|&time| time <= at).checked_sub(1)?).copied()
    }

    /// Appends the runs of the series in `viewport` to `out`, from left to right.
    ///
    /// Columns before the first value are in no run. There are at most two runs per column with a change, and each
    /// takes O(log n).
    pub fn runs(&self, viewport: &Viewport, out: &mut Vec<CounterRun>) {
        let columns = viewport.columns();
        if columns == 0 {
            return;
        }
        // `next` is the first value that is not drawn yet, `x0` the first column.
        let mut next = self.at.partition_point(|&at| at < viewport.ticks(0).start);
        let mut x0 = 0;
        while x0 < columns {
            let column = self.at.get(next).and_then(|&at| viewport.column(at));
            let x1 = column.unwrap_or(columns);
            if x1 > x0
                && let Some(value) = next.checked_sub(1).map(|before| self.values[before])
            {
                let (first, last, min, max, mean) = (value, value, value, value, value);
                out.push(CounterRun { x0, x1, first, last, min, max, mean });
            }
            let Some(column) = column else { break };
            let count = gallop(&self.at[next..], |&at| viewport.column(at) == Some(column));
            out.push(CounterRun {
                x0: column,
                x1: column + 1,
                ..self.changing(viewport.ticks(column), next..next + count)
            });
            next += count.max(1);
            x0 = column + 1;
        }
    }

    /// Returns what the series is in a range of time, as a run of one column; `None` if it has no value there. This takes
    /// O(log n). [layout 11.1](crate::rules::layout#11.1)
    ///
    /// ```
    /// use spall_layout::Series;
    /// use spall_model::{NameId, Tick};
    /// let mut series = Series::new(NameId::EMPTY);
    /// for (at, value) in [(0, 1.0), (40, 5.0), (45, 2.0)] {
    ///     series.push(Tick(at), value);
    /// }
    /// let run = series.over(Tick(30)..Tick(50)).unwrap();
    /// assert_eq!((run.first, run.last, run.min, run.max), (1.0, 2.0, 1.0, 5.0));
    /// assert_eq!(run.mean, (10.0 * 1.0 + 5.0 * 5.0 + 5.0 * 2.0) / 20.0);
    /// assert!(series.over(Tick(-9)..Tick(0)).is_none());
    /// ```
    #[must_use]
    pub fn over(&self, range: Range<Tick>) -> Option<CounterRun> {
        if range.is_empty() {
            return None;
        }
        let next = self.at.partition_point(|&at| at < range.start);
        let end = self.at.partition_point(|&at| at < range.end);
        if next < end {
            return Some(self.changing(range, next..end));
        }
        let value = self.values[next.checked_sub(1)?];
        let (first, last, min, max, mean) = (value, value, value, value, value);
        Some(CounterRun { x0: 0, x1: 1, first, last, min, max, mean })
    }

    /// Creates the series of the change of the value per so many ticks, such as those of a second. It is in force for as long as
    /// the change took: from one value to the next. After the last value it is not a number.
    /// [layout 11.4](crate::rules::layout#11.4)
    ///
    /// ```
    /// use spall_layout::Series;
    /// use spall_model::{NameId, Tick};
    /// let mut bytes = Series::new(NameId::EMPTY);
    /// for (at, value) in [(0, 10.0), (50, 60.0), (100, 40.0)] {
    ///     bytes.push(Tick(at), value);
    /// }
    /// let rate = bytes.rate(1000.0);
    /// assert_eq!([0, 49, 50].map(|at| rate.value_at(Tick(at))), [1000.0, 1000.0, -400.0].map(Some));
    /// assert_eq!(rate.bounds(), Some((-400.0, 1000.0)));
    /// ```
    #[must_use]
    pub fn rate(&self, ticks: f64) -> Self {
        let mut rate = Self::new(self.name);
        // Of several values at one time, the last one is in force.
        let mut latest: Option<(Tick, f64)> = None;
        for (position, (&at, &value)) in self.at.iter().zip(&self.values).enumerate() {
            if self.at.get(position + 1) == Some(&at) {
                continue;
            }
            if let Some((from, before)) = latest.replace((at, value)) {
                rate.push(from, (value - before) / duration(from, at) * ticks);
            }
        }
        latest.into_iter().for_each(|(at, _)| rate.push(at, f64::NAN));
        rate
    }

    /// Returns the run of the ticks in which the values of a range are set, as a run of one column.
    fn changing(&self, ticks: Range<Tick>, range: Range<usize>) -> CounterRun {
        let (first_at, last) = (self.at[range.start], range.end - 1);
        let mut all = self.of_range(range.start..last);
        all.add(self.summary(last, ticks.end));
        let mut from = first_at;
        let mut first = self.values[range.start];
        // The value before them counts if it is in force for a part of the column.
        if first_at > ticks.start
            && let Some(before) = range.start.checked_sub(1)
        {
            all.add(Values {
                area: self.values[before] * duration(ticks.start, first_at),
                ..self.summary(before, first_at)
            });
            from = ticks.start;
            first = self.values[before];
        }
        let last = self.values[last];
        let time = duration(from, ticks.end);
        let mean = if time > 0.0 { all.area / time } else { last };
        CounterRun { x0: 0, x1: 1, first, last, min: all.min, max: all.max, mean }
    }

    /// Returns the summary of one value that is in force until `end`.
    fn summary(&self, index: usize, end: Tick) -> Values {
        let value = self.values[index];
        Values { min: value, max: value, area: value * duration(self.at[index], end) }
    }

    /// Returns the summary of the values at the positions `range`, each in force until the next. This takes O(log n).
    fn of_range(&self, range: Range<usize>) -> Values {
        self.blocks.of_range(range, |index| {
            self.summary(index, self.at.get(index + 1).copied().unwrap_or(self.at[index]))
        })
    }
}

/// Returns the number of ticks from one time to another, or 0 if the other is not later.
#[expect(clippy::cast_precision_loss, reason = "a mean is no exact number")]
fn duration(from: Tick, to: Tick) -> f64 {
    if to > from { to.0.abs_diff(from.0) as f64 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use spall_synth::Random;

    use super::*;

    /// Checks the runs tick by tick. Needs columns of whole ticks.
    fn check(values: &[(i64, f64)], start: i64, columns: u16, width: i64) {
        let mut series = Series::new(NameId::EMPTY);
        values.iter().for_each(|&(at, value)| series.push(Tick(at), value));
        let viewport = Viewport::new(Tick(start)..Tick(start + i64::from(columns) * width), columns);
        let mut runs = Vec::new();
        series.runs(&viewport, &mut runs);
        let mut x = 0;
        for column in 0..viewport.columns() {
            let ticks = viewport.ticks(column);
            let before = values.iter().rfind(|(at, _)| *at < ticks.start.0);
            let mut seen: Vec<f64> = values
                .iter()
                .filter(|(at, _)| (ticks.start.0..ticks.end.0).contains(at))
                .map(|&(_, value)| value)
                .collect();
            let at_edge = values.iter().rfind(|(at, _)| *at <= ticks.start.0).map(|&(_, value)| value);
            if !values.iter().any(|(at, _)| *at == ticks.start.0) {
                seen.splice(0..0, before.map(|&(_, value)| value));
            }
            let run = runs.iter().find(|run| (run.x0..run.x1).contains(&column));
            let Some(run) = run else {
                assert!(seen.is_empty());
                continue;
            };
            assert!(run.x0 >= x);
            x = run.x0;
            assert_eq!((run.first, run.last), (seen[0], seen[seen.len() - 1]));
            assert!(at_edge.is_none_or(|_| run.first == seen[0]));
            assert_eq!(run.min, seen.iter().copied().fold(f64::INFINITY, f64::min));
            assert_eq!(run.max, seen.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            let in_force: Vec<f64> = (ticks.start.0..ticks.end.0)
                .filter_map(|tick| values.iter().rfind(|(at, _)| *at <= tick).map(|&(_, value)| value))
                .collect();
            let mean = in_force.iter().sum::<f64>() / in_force.len() as f64;
            assert!((run.mean - mean).abs() < 1e-9, "{} {mean}", run.mean);
        }
        assert!(runs.windows(2).all(|pair| pair[0].x1 <= pair[1].x0));
        assert!(runs.iter().all(|run| run.x0 < run.x1));
    }

    #[test]
    fn layout_11_1_runs_agree_with_brute_force() {
        let mut random = Random(3);
        for _ in 0..400 {
            let n_values = random.below(60) * random.below(20);
            let spread = 1 + random.below(6);
            let mut at = 0;
            let values: Vec<_> = (0..n_values)
                .map(|_| {
                    at += random.below(spread);
                    (at, f64::from(random.below(100)))
                })
                .collect();
            let start = random.below(200) - 100;
            let columns = 1 + random.below(12);
            check(&values, start, columns, 1 + random.below(90));
        }
    }

    #[test]
    fn layout_11_2_a_value_that_is_no_number_takes_no_part_in_the_bounds() {
        let mut series = Series::new(NameId::EMPTY);
        assert_eq!(series.bounds(), None);
        series.push(Tick(0), f64::NAN);
        assert_eq!(series.bounds(), None);
        series.push(Tick(5), 2.0);
        series.push(Tick(3), 1.0);
        assert_eq!(series.bounds(), Some((1.0, 2.0)));
        assert_eq!(
            [4, 5, 6].map(|at| series.value_at(Tick(at)).is_some_and(|value| value == 1.0)),
            [false, true, true]
        );
        assert_eq!(series.value_at(Tick(-1)), None);
    }

    #[test]
    fn layout_11_4_a_rate_is_the_change_from_one_value_to_the_next() {
        let mut random = Random(7);
        let mut series = Series::new(NameId::EMPTY);
        let mut at = 0;
        for _ in 0..200 {
            at += random.below(4); // several values may have one time
            series.push(Tick(at), f64::from(random.below(1000)));
        }
        let rate = series.rate(10.0);
        for (from, to) in (0..at).map(|at| (Tick(at), Tick(at + 1))) {
            // The changes of all ticks up to a value add up to what it is.
            let times = series.at.partition_point(|&time| time <= from);
            let (Some(before), Some(after)) = (times.checked_sub(1), series.at.get(times)) else { continue };
            let change = series.value_at(*after).unwrap() - series.values[before];
            let expected = change / duration(series.at[before], *after) * 10.0;
            assert_eq!(rate.value_at(from), Some(expected), "{from:?} {to:?}");
        }
        assert!(rate.value_at(Tick(at)).is_some_and(f64::is_nan));
        assert_eq!(Series::new(NameId::EMPTY).rate(1.0).bounds(), None);
    }

    #[test]
    fn layout_11_1_a_range_is_like_a_column() {
        let mut random = Random(5);
        let mut series = Series::new(NameId::EMPTY);
        (0..300).for_each(|at| series.push(Tick(at * 3 + random.below(3)), f64::from(random.below(50))));
        for _ in 0..500 {
            let start = random.below(1000) - 50;
            let range = Tick(start)..Tick(start + random.below(200));
            let in_force: Vec<f64> =
                (range.start.0..range.end.0).filter_map(|at| series.value_at(Tick(at))).collect();
            let Some(run) = series.over(range) else {
                assert!(in_force.is_empty());
                continue;
            };
            assert_eq!(Some(&run.first), in_force.first());
            assert_eq!(Some(&run.last), in_force.last());
            assert_eq!(run.min, in_force.iter().copied().fold(f64::INFINITY, f64::min));
            assert_eq!(run.max, in_force.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            let mean = in_force.iter().sum::<f64>() / in_force.len() as f64;
            assert!((run.mean - mean).abs() < 1e-9, "{} {mean}", run.mean);
        }
    }

    #[test]
    fn the_extremes_do_not_overflow() {
        let mut series = Series::new(NameId::EMPTY);
        for at in [i64::MIN, -1, 0, i64::MAX] {
            series.push(Tick(at), 1.0);
        }
        let mut runs = Vec::new();
        series.runs(&Viewport::new(Tick::MIN..Tick::MAX, 1000), &mut runs);
        assert!(runs.iter().all(|run| (run.mean - 1.0).abs() < 1e-9));
    }
}
