//! The exact conversion of ticks of one clock to those of another.

use spall_model::Tick;

/// What stands for a time that lies further away. It is beyond all that clocks and exports have room for, and small enough
/// that sums of such times do not overflow.
const FAR: i128 = 1 << 120;

/// The factor between two clocks, as the fraction `mantissa` · 2^`exponent`, which any float is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TickScale {
    mantissa: i128,
    exponent: i32,
}

impl TickScale {
    /// The factor 1.
    pub(crate) const ONE: Self = Self { mantissa: 1, exponent: 0 };

    /// Returns a factor, which is finite and positive, as the ticks of every clock are.
    pub(crate) fn new(factor: f64) -> Self {
        let bits = factor.to_bits();
        let fraction = i128::from(bits & ((1 << 52) - 1));
        #[allow(clippy::cast_possible_truncation, reason = "the exponent has 11 bits")]
        match (bits >> 52 & 0x7ff) as i32 {
            0 => Self { mantissa: fraction, exponent: -1074 },
            exponent => Self { mantissa: fraction | 1 << 52, exponent: exponent - 1075 },
        }
    }

    /// Returns whether a time is a whole number of ticks of the other clock.
    #[cfg(any(feature = "firefox", all(feature = "std", feature = "perfetto")))]
    pub(crate) fn is_whole(self, at: Tick) -> bool {
        let product = i128::from(at.0) * self.mantissa;
        // A product has at most 116 bits, so further zeros say that it is 0.
        product == 0 || i64::from(product.trailing_zeros()) + i64::from(self.exponent) >= 0
    }

    /// Returns a time in ticks of the other clock: the nearest one, the later of two, and ±[`FAR`] if it lies beyond.
    pub(crate) fn convert(self, at: Tick) -> i128 {
        // 63 bits by 53 bits fit.
        let product = i128::from(at.0) * self.mantissa;
        match self.exponent {
            up @ 0.. => product.saturating_mul(1 << up.min(120)).clamp(-FAR, FAR),
            down @ -126..0 => (product + (1 << (down.unsigned_abs() - 1))) >> down.unsigned_abs(),
            _ => 0,
        }
    }
}

/// Returns a number of ticks or nanoseconds in 64 bits, or the first or last number that they hold if it lies beyond.
pub(crate) fn clamped(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_is_exact_to_the_nearest_tick() {
        assert_eq!(TickScale::ONE.convert(Tick(i64::MIN)), i128::from(i64::MIN));
        // A float would lose the last digits.
        assert_eq!(TickScale::new(1000.0).convert(Tick(9_007_199_254_740_993)), 9_007_199_254_740_993_000);
        assert_eq!(TickScale::new(0.25).convert(Tick(7)), 2);
        assert_eq!(TickScale::new(0.5).convert(Tick(3)), 2);
        assert_eq!(TickScale::new(0.5).convert(Tick(-3)), -1);
        assert_eq!(TickScale::new(0.1).convert(Tick(1_000_000_000_000_000_000)), 100_000_000_000_000_006);
        assert_eq!(TickScale::new(f64::MIN_POSITIVE / 2.0).convert(Tick(i64::MAX)), 0);
        assert_eq!(TickScale::new(f64::MAX).convert(Tick(-1)), -FAR);
        assert_eq!(TickScale::new(f64::MAX).convert(Tick(0)), 0);
    }

    #[cfg(any(feature = "firefox", all(feature = "std", feature = "perfetto")))]
    #[test]
    fn a_time_is_whole_if_its_conversion_rounds_nothing() {
        let quarters = TickScale::new(0.25);
        assert_eq!(
            [0, 1, 2, -4, i64::MIN].map(|at| quarters.is_whole(Tick(at))),
            [true, false, false, true, true]
        );
        assert!(TickScale::new(1000.0).is_whole(Tick(i64::MAX)) && !TickScale::new(0.1).is_whole(Tick(10)));
        assert!(!TickScale::new(f64::MIN_POSITIVE / 2.0).is_whole(Tick(1)));
    }
}
