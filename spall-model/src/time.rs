//! Points and lengths in time, in a trace's own unit, and the clock that says what the unit is.

/// A point in time, in ticks of the trace's [`Clock`]. Raw ticks are never rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tick(pub i64);

/// A length of time, in ticks of the trace's [`Clock`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Ticks(pub i64);

impl Tick {
    /// The earliest point that can be expressed.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest point that can be expressed; times beyond it saturate here.
    pub const MAX: Self = Self(i64::MAX);

    /// The length from `earlier` to `self`, saturating at the ends of the range; negative if `self` is earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Ticks {
        Ticks(self.0.saturating_sub(earlier.0))
    }

    /// The point `length` after `self`, saturating at the ends of the range.
    #[must_use]
    pub fn after(self, length: Ticks) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

impl Ticks {
    /// No time at all.
    pub const ZERO: Self = Self(0);
}

/// What a tick is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Unit {
    /// Time: so many nanoseconds a tick. Finite and positive.
    Nanoseconds(f64),
    /// The file has no time; events are counted.
    Ordinal,
}

/// The unit of a trace's ticks and where tick 0 lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// What a tick is.
    pub unit: Unit,
    /// The Unix time of tick 0 in nanoseconds, if the file says it.
    pub epoch_ns: Option<i64>,
}

impl Clock {
    /// One tick is one nanosecond; nothing is known about tick 0.
    pub const NANOSECONDS: Self = Self { unit: Unit::Nanoseconds(1.0), epoch_ns: None };

    /// Nanoseconds per tick, or `None` on the ordinal clock.
    #[must_use]
    pub fn ns_per_tick(&self) -> Option<f64> {
        match self.unit {
            Unit::Nanoseconds(ns) => Some(ns),
            Unit::Ordinal => None,
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::NANOSECONDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Tick::MAX.after(Ticks(1)), Tick::MAX);
        assert_eq!(Tick::MAX.since(Tick::MIN), Ticks(i64::MAX));
        assert_eq!(Tick(3).since(Tick(5)), Ticks(-2));
    }
}
