//! Points and durations in time, in a trace's own unit, and the clock that says what the unit is.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub};

use crate::Unit;

/// A point in time, counted in ticks of the trace's [`Clock`].
///
/// Ticks are integers as the file has them: nothing is rounded. Arithmetic saturates at [`Tick::MIN`] and
/// [`Tick::MAX`] (and at the ends of [`Ticks`]) instead of wrapping around or panicking, because files may hold any
/// number.
///
/// ```
/// use spall_model::{Tick, Ticks};
///
/// assert_eq!(Tick(10) + Ticks(5), Tick(15));
/// assert_eq!(Tick(15) - Tick(10), Ticks(5));
/// assert_eq!(Tick(3) - Tick(5), Ticks(-2));
/// assert_eq!(Tick::MAX + Ticks(1), Tick::MAX);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Tick(pub i64);

/// A duration, counted in ticks of the trace's [`Clock`]. It may be negative.
///
/// Arithmetic saturates at the ends of the range, as for [`Tick`].
///
/// ```
/// use spall_model::Ticks;
///
/// let total: Ticks = [Ticks(2), Ticks(3)].into_iter().sum();
/// assert_eq!(total - Ticks(1), Ticks(4));
/// ```
#[doc(alias("duration"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Ticks(pub i64);

impl Tick {
    /// The earliest point that can be expressed. Times before it saturate here.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest point that can be expressed. Times beyond it saturate here.
    pub const MAX: Self = Self(i64::MAX);

    /// Returns whether the point is before the end of a half-open range. Nothing comes after the latest point, so that a range
    /// up to it has it, too.
    #[must_use]
    #[inline]
    pub const fn is_before(self, end: Self) -> bool {
        self.0 < end.0 || end.0 == i64::MAX
    }
}

impl Ticks {
    /// The duration of 0 ticks.
    pub const ZERO: Self = Self(0);
}

impl Add<Ticks> for Tick {
    type Output = Self;

    fn add(self, duration: Ticks) -> Self {
        Self(self.0.saturating_add(duration.0))
    }
}

impl AddAssign<Ticks> for Tick {
    fn add_assign(&mut self, duration: Ticks) {
        *self = *self + duration;
    }
}

impl Sub<Ticks> for Tick {
    type Output = Self;

    fn sub(self, duration: Ticks) -> Self {
        Self(self.0.saturating_sub(duration.0))
    }
}

impl Sub for Tick {
    type Output = Ticks;

    fn sub(self, earlier: Self) -> Ticks {
        Ticks(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Ticks {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Ticks {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Ticks {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Ticks {
    fn sum<I: Iterator<Item = Self>>(durations: I) -> Self {
        durations.fold(Self::ZERO, Add::add)
    }
}

/// Writes the number of ticks. [`Clock::time`] writes a point in time with its unit.
impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Writes the number of ticks. [`Clock::duration`] writes a duration with its unit.
impl fmt::Display for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The unit of a trace's ticks, and the point in time at which tick 0 lies.
///
/// ```
/// use spall_model::{Clock, Tick, Ticks, Unit};
///
/// let clock = Clock::new(Unit::Nanoseconds(1.0));
/// assert_eq!(clock.duration(Ticks(1_500)).to_string(), "1.5 µs");
/// assert_eq!(clock.time(Tick(2_000_000_001)).to_string(), "2.000000001 s");
/// assert_eq!(Clock::new(Unit::EVENTS).duration(Ticks(3)).to_string(), "3 events");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Clock {
    /// The unit of a tick of this clock.
    pub unit: Unit,
    /// The epoch: the Unix time of tick 0 in nanoseconds. It is `None` if the file does not say it.
    pub epoch_ns: Option<i64>,
    /// The time of tick 0 by the monotonic clock of the machine, `CLOCK_MONOTONIC` of Linux, in nanoseconds. It is `None` if
    /// the file does not say it. Traces of one machine can be compared by it as long as the machine was not restarted.
    pub monotonic_ns: Option<i64>,
}

impl Clock {
    /// The clock whose ticks are nanoseconds. When tick 0 was is unknown.
    pub const NANOSECONDS: Self = Self::new(Unit::Nanoseconds(1.0));

    /// Returns a clock with this unit. When tick 0 was is unknown.
    #[must_use]
    pub const fn new(unit: Unit) -> Self {
        Self { unit, epoch_ns: None, monotonic_ns: None }
    }

    /// Returns the clock with another epoch: the Unix time of tick 0 in nanoseconds, or `None` if it is unknown.
    #[must_use]
    pub const fn with_epoch_ns(self, epoch_ns: Option<i64>) -> Self {
        Self { epoch_ns, ..self }
    }

    /// Returns the Unix time at which a file says that its recording began, or `None` if no recording began then: it is
    /// before the year 2000. Some programs write 0 where they do not know it, or the time of a clock that begins when the
    /// machine starts. Traces must not be put on one axis by that. [profiles 1.6](crate::rules::profiles#1.6)
    ///
    /// ```
    /// use spall_model::Clock;
    ///
    /// assert_eq!(Clock::believable_epoch_ns(1_764_804_834_257_500_000), Some(1_764_804_834_257_500_000));
    /// assert_eq!(Clock::believable_epoch_ns(123_456_789_000), None);
    /// ```
    #[must_use]
    pub const fn believable_epoch_ns(start_ns: i64) -> Option<i64> {
        const YEAR_2000_NS: i64 = 946_684_800_000_000_000;
        if start_ns < YEAR_2000_NS { None } else { Some(start_ns) }
    }

    /// Returns the clock with another [monotonic time of tick 0](Clock::monotonic_ns), or `None` if it is unknown.
    #[must_use]
    pub const fn with_monotonic_ns(self, monotonic_ns: Option<i64>) -> Self {
        Self { monotonic_ns, ..self }
    }

    /// Returns the number of nanoseconds per tick, or `None` if a tick is not a time.
    #[must_use]
    pub const fn ns_per_tick(&self) -> Option<f64> {
        match self.unit {
            Unit::Nanoseconds(ns) => Some(ns),
            Unit::Bytes | Unit::Count(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Tick::MAX + Ticks(1), Tick::MAX);
        assert_eq!(Tick::MIN - Ticks(1), Tick::MIN);
        assert_eq!(Tick::MAX - Tick::MIN, Ticks(i64::MAX));
        assert_eq!(Tick(3) - Tick(5), Ticks(-2));
        assert_eq!(Ticks(i64::MAX) + Ticks(1), Ticks(i64::MAX));
        assert_eq!(Ticks(i64::MIN) - Ticks(1), Ticks(i64::MIN));
        assert_eq!([Ticks(i64::MAX), Ticks(5)].into_iter().sum::<Ticks>(), Ticks(i64::MAX));
        let (mut at, mut lasts) = (Tick(1), Ticks(1));
        at += Ticks(4);
        lasts += Ticks(4);
        assert_eq!((at, lasts), (Tick(5), Ticks(5)));
    }
}
