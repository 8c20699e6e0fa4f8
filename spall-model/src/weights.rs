//! What the weights of samples count.

use crate::{Ticks, Unit};

/// What the weights of the samples of a profile count, and for which time a sample stands. [samples
/// 1](crate::rules::samples#1)
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Weights {
    /// Samples. A sample stands for the time up to the next one.
    #[default]
    Samples,
    /// Time that ends with the sample: a weight of 1 is this many ticks.
    TimeBefore(f64),
    /// Parts of the axis, on which the samples lie one after another: a weight of 1 is this many ticks, which begin with the
    /// sample.
    Axis(Ticks),
    /// Something in this unit that the axis does not show, such as page faults. A sample stands for the time up to the next
    /// one, until [`Trace::with_value`](crate::Trace::with_value) makes an axis of the unit.
    Counted(Unit),
}

impl Weights {
    /// Returns the duration that a weight counts, or `None` if weights are no durations. A weight below 0 counts nothing.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a weight is a float")]
    #[must_use]
    pub fn duration_of(self, weight: f64) -> Option<Ticks> {
        let ticks = match self {
            Self::TimeBefore(ticks) => ticks,
            Self::Axis(ticks) => ticks.0 as f64,
            Self::Samples | Self::Counted(_) => return None,
        };
        Some(Ticks(((weight * ticks + 0.5) as i64).max(0)))
    }
}
