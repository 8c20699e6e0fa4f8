//! Finds the marks of the time axis. [layout 7](crate::rules::layout#7)

use spall_model::{Tick, TimeFormat, TimeText, Unit};

use crate::Viewport;

/// A second in nanoseconds.
const SECOND: i64 = 1_000_000_000;
/// A day in nanoseconds.
const DAY: i64 = 86_400 * SECOND;

/// The distances between marks from a second to a day, in seconds.
///
/// Shorter distances are 1, 2 and 5 times powers of ten of a nanosecond, longer ones the same of a day.
const LONG_STEPS: [i64; 15] = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400];

/// A mark of the time axis, as a [`Ruler`] yields it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RulerMark {
    /// The time of the mark: the tick nearest to the time of the label.
    pub at: Tick,
    /// The position in columns from the left edge of column 0. Subtract [`Viewport::offset`] to draw it.
    pub x: f32,
    /// The text of the mark. All marks of a ruler have the same unit, and as many decimals as it takes to tell them
    /// apart.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub label: TimeText,
}

/// Serialises a value as the text that it prints.
#[cfg(feature = "serde")]
fn as_text<S: serde::Serializer>(value: &impl core::fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// An iterator over the marks of a viewport's time axis, from left to right.
///
/// ```
/// use spall_layout::{Viewport, Ruler};
/// use spall_model::{Tick, Unit};
/// let viewport = Viewport::new(Tick(900_000)..Tick(2_100_000), 1200);
/// let labels: Vec<_> = Ruler::since(Tick(0), &viewport, Unit::Nanoseconds(1.0), 400).map(|mark| mark.label.to_string()).collect();
/// assert_eq!(labels, ["1.0 ms", "1.5 ms", "2.0 ms"]);
/// ```
#[doc(alias("axis", "time scale", "time axis"))]
#[derive(Debug, Clone)]
pub struct Ruler {
    viewport: Viewport,
    /// The tick from which labels count.
    origin: Tick,
    /// The number of units of a label in a tick. The unit is a nanosecond, or a tick of a clock without time.
    per_tick: f64,
    /// The distance between marks, in units of a label.
    step: i64,
    /// The label of the next mark, or `None` after the last one.
    next: Option<i64>,
    /// The time of the mark before.
    last: Option<Tick>,
    format: TimeFormat,
}

impl Ruler {
    /// Creates a ruler with marks at round times since `origin`, such as the start of the trace.
    ///
    /// Times that are 2⁶³ ticks away from the origin or more have no marks.
    ///
    /// ```
    /// use spall_layout::{Viewport, Ruler};
    /// use spall_model::{Tick, Unit};
    /// let viewport = Viewport::new(Tick(1_000_700)..Tick(1_001_700), 1000);
    /// let marks = Ruler::since(Tick(1_000_700), &viewport, Unit::Nanoseconds(1.0), 400);
    /// let marks: Vec<_> = marks.map(|mark| (mark.at.0, mark.label.to_string())).collect();
    /// assert_eq!(marks, [(1_000_700, "0.0 µs".into()), (1_001_200, "0.5 µs".into())]);
    /// ```
    #[must_use]
    pub fn since(origin: Tick, viewport: &Viewport, unit: Unit, min_columns: u16) -> Self {
        let (per_tick, is_time) = match unit {
            Unit::Nanoseconds(ns) => (ns, true),
            _ => (1.0, false),
        };
        let range = viewport.range();
        let first = to_label(range.start.0.saturating_sub(origin.0), per_tick);
        let last = to_label(range.end.0.saturating_sub(origin.0), per_tick);
        let columns = i128::from(viewport.columns().max(1));
        let distance = (i128::from(last) - i128::from(first)) * i128::from(min_columns.max(1));
        // Where marks are rounded to ticks, one tick more keeps them from coming too close.
        let rounding = if per_tick == 1.0 { 0 } else { i128::from(round(per_tick)) + 1 };
        let least = ((distance + columns - 1) / columns + rounding).max(1);
        let step = i64::try_from(least).map_or(i64::MAX, |least| round_step(least, is_time));
        let most = first.unsigned_abs().max(last.unsigned_abs());
        let format = TimeFormat::new(unit, most, step);
        // The first multiple of the step in the viewport.
        let multiple = first.div_euclid(step) + i64::from(first.rem_euclid(step) > 0);
        let next = (viewport.columns() > 0).then(|| multiple.checked_mul(step)).flatten();
        Self { viewport: *viewport, origin, per_tick, step, next, last: None, format }
    }

    /// Returns the tick nearest to the time of a label.
    fn tick(&self, value: i64) -> Tick {
        Tick(self.origin.0.saturating_add(to_ticks(value, self.per_tick)))
    }

    /// Goes to the next label.
    fn advance(&mut self) {
        self.next = self.next.and_then(|next| next.checked_add(self.step));
    }
}

impl Iterator for Ruler {
    type Item = RulerMark;

    fn next(&mut self) -> Option<RulerMark> {
        let mut value = self.next?;
        let mut at = self.tick(value);
        self.advance();
        // Far from tick 0 a clock whose unit is a float cannot tell all times apart.
        while self.last == Some(at) || at < self.viewport.range().start {
            value = self.next?;
            at = self.tick(value);
            self.advance();
        }
        self.last = Some(at);
        if at >= self.viewport.range().end {
            self.next = None;
            return None;
        }
        let label = self.format.text(value);
        Some(RulerMark { at, x: self.viewport.x(at), label })
    }
}

impl core::iter::FusedIterator for Ruler {}

/// Returns the smallest round number that is not less than `least`, which is positive.
fn round_step(least: i64, is_time: bool) -> i64 {
    if is_time && least > SECOND / 2 {
        if let Some(step) = LONG_STEPS.iter().map(|step| step * SECOND).find(|&step| step >= least) {
            return step;
        }
        return round_decimal(least / DAY + 1).saturating_mul(DAY);
    }
    round_decimal(least)
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that is not less than `least`.
fn round_decimal(least: i64) -> i64 {
    let mut power = 1_i64;
    loop {
        for factor in [1, 2, 5] {
            match power.checked_mul(factor) {
                Some(step) if step >= least => return step,
                Some(_) => {}
                None => return i64::MAX,
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Converts ticks to units of a label. The result saturates.
fn to_label(ticks: i64, per_tick: f64) -> i64 {
    if per_tick == 1.0 { ticks } else { round(to_f64(ticks) * per_tick) }
}

/// Converts units of a label to ticks. The result saturates.
fn to_ticks(value: i64, per_tick: f64) -> i64 {
    if per_tick == 1.0 { value } else { round(to_f64(value) / per_tick) }
}

#[expect(clippy::cast_precision_loss, reason = "of a clock whose unit is a float, 53 bits are exact enough")]
fn to_f64(value: i64) -> f64 {
    value as f64
}

/// Rounds to the nearest integer. The result saturates.
#[expect(clippy::cast_possible_truncation, reason = "float to integer casts saturate")]
fn round(value: f64) -> i64 {
    (if value < 0.0 { value - 0.5 } else { value + 0.5 }) as i64
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec::Vec};
    use core::ops::Range;

    use spall_model::UnitName;

    use super::*;

    fn labels(range: Range<i64>, unit: Unit) -> Vec<alloc::string::String> {
        let viewport = Viewport::new(Tick(range.start)..Tick(range.end), 1000);
        Ruler::since(Tick(0), &viewport, unit, 250).map(|mark| mark.label.to_string()).collect()
    }

    #[test]
    fn layout_7_1_labels_have_the_unit_of_the_largest_and_the_digits_of_the_step() {
        let ns = Unit::Nanoseconds(1.0);
        assert_eq!(labels(0..10, ns), ["0 ns", "5 ns"]);
        assert_eq!(labels(-3..3, ns), ["-2 ns", "0 ns", "2 ns"]);
        assert_eq!(labels(1_000_000..1_000_900, ns), ["1.0000 ms", "1.0005 ms"]);
        assert_eq!(labels(0..40 * SECOND, ns), ["0 s", "10 s", "20 s", "30 s"]);
        assert_eq!(labels(0..10 * SECOND, ns), ["0 s", "5 s"]);
        assert_eq!(labels(0..70 * SECOND, ns), ["0:00:00", "0:00:30", "0:01:00"]);
        assert_eq!(labels(0..180 * SECOND, ns), ["0:00:00", "0:01:00", "0:02:00"]);
        assert_eq!(labels(3600 * SECOND..3601 * SECOND, ns), ["1:00:00.0", "1:00:00.5"]);
        assert_eq!(labels(0..10 * DAY, ns), ["0:00:00", "120:00:00"]);
    }

    #[test]
    fn layout_7_2_other_clocks() {
        assert_eq!(labels(0..1000, Unit::EVENTS), ["0 events", "500 events"]);
        assert_eq!(
            labels(0..3, Unit::Count(UnitName::new("samples"))),
            ["0 samples", "1 sample", "2 samples"]
        );
        assert_eq!(labels(0..3000, Unit::Bytes), ["0 kB", "1 kB", "2 kB"]);
        assert_eq!(labels(1_000_000_000..1_000_000_900, Unit::Bytes), ["1.0000000 GB", "1.0000005 GB"]);
        // A tick of 0.4 ns: 10 000 ticks are 4 us.
        assert_eq!(labels(0..10_000, Unit::Nanoseconds(0.4)), ["0 µs", "2 µs"]);
        // Times before tick 0 have their marks at the nearest tick as well.
        let viewport = Viewport::new(Tick(-10_000)..Tick(0), 1000);
        let marks = Ruler::since(Tick(0), &viewport, Unit::Nanoseconds(0.4), 250);
        assert_eq!(marks.map(|mark| mark.at.0).collect::<Vec<_>>(), [-10_000, -5_000]);
    }

    /// There is a mark at the origin. [layout 7.4]
    #[test]
    fn layout_7_3_marks_keep_their_distance_and_stay_in_the_viewport() {
        let mut duration = 1_i64;
        while duration < i64::MAX / 3 {
            for start in [0, -duration / 2, i64::MIN, i64::MAX - duration - 1, duration / 3] {
                for unit in
                    [Unit::Nanoseconds(1.0), Unit::Nanoseconds(0.29), Unit::Nanoseconds(1e3), Unit::EVENTS]
                {
                    let viewport = Viewport::new(Tick(start)..Tick(start + duration), 1920);
                    let marks: Vec<_> = Ruler::since(Tick(0), &viewport, unit, 100).take(100).collect();
                    assert!(marks.len() <= 21, "{start} {duration} {unit:?} {}", marks.len());
                    assert!(marks.iter().all(|mark| viewport.range().contains(&mark.at)));
                    let middle = Tick(start.saturating_add(duration / 2));
                    let since: Vec<_> = Ruler::since(middle, &viewport, unit, 100).take(100).collect();
                    assert!(since.len() <= 21 && since.is_sorted_by(|a, b| a.at < b.at));
                    assert!(since.iter().any(|mark| mark.at == middle), "{start} {duration} {unit:?}");
                    // Where a float still tells the ticks apart, and nanoseconds fit.
                    let is_exact = unit == Unit::EVENTS
                        || unit == Unit::Nanoseconds(1.0)
                        || start.unsigned_abs() + duration.unsigned_abs() < 1 << 50;
                    let least = if is_exact { 99.0 } else { 0.0 };
                    assert!(marks.is_sorted_by(|a, b| a.x + least < b.x), "{start} {duration} {unit:?}");
                }
            }
            duration = duration * 7 / 2 + 1;
        }
    }
}
