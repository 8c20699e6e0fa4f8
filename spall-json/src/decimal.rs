//! Decimal microseconds to whole nanoseconds, exactly. \[json 4\]
//!
//! Integer digits, a fraction and an exponent are digits and a place of the point: no float takes part. A sum is
//! rounded once, after adding, so that an interval's end does not depend on how its start rounds. \[json 3.5\]

use crate::scan;

/// Parts of a nanosecond below one that are kept: 15 more decimals, 18 of a microsecond. Digits beyond do not count.
const SUB: u64 = 1_000_000_000_000_000;
const SUB_DIGITS: usize = 15;

/// Nanoseconds with fifteen decimals, and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Nanos {
    negative: bool,
    /// Whole nanoseconds. `u64::MAX` stands for more than that.
    whole: u64,
    /// Below one nanosecond, less than [`SUB`].
    sub: u64,
}

/// A rounded time, and whether it had to be clamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rounded {
    pub(crate) ns: i64,
    pub(crate) clamped: bool,
}

impl Nanos {
    /// So many nanoseconds.
    #[inline]
    pub(crate) fn from_whole(whole: u64) -> Self {
        Self { negative: false, whole, sub: 0 }
    }

    /// Reads decimal microseconds: digits with an optional sign, point and exponent. `None` if `text` is anything
    /// else.
    #[inline]
    pub(crate) fn from_micros(text: &[u8]) -> Option<Self> {
        // Sixteen digits cannot overflow; times are rarely longer.
        let (whole, len) = scan::leading_digits(text);
        match text.get(len..) {
            Some([]) if len > 0 => Some(Self::from_whole(whole * 1000)),
            Some([b'.', decimals @ ..]) if len > 0 => {
                Self::with_decimals(whole * 1000, decimals).or_else(|| Self::from_any(text))
            }
            _ => Self::from_any(text),
        }
    }

    /// `whole` nanoseconds and the decimals of a microsecond; `None` if something else is among them.
    fn with_decimals(whole: u64, decimals: &[u8]) -> Option<Self> {
        let (first, len) = scan::leading_digits(decimals);
        let mut below = first * POWERS.get(3 + SUB_DIGITS - len)?;
        for (i, digit) in decimals.get(len..)?.iter().enumerate() {
            if len < 16 || !digit.is_ascii_digit() {
                return None;
            }
            // The seventeenth and eighteenth digit count, further ones do not.
            below += u64::from(digit - b'0') * [10, 1].get(i).copied().unwrap_or(0);
        }
        Some(Self { negative: false, whole: whole + below / SUB, sub: below % SUB })
    }

    /// The general form, digit by digit.
    #[cold]
    fn from_any(text: &[u8]) -> Option<Self> {
        let (negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let exponent_at = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (mantissa, exponent) = match exponent_at {
            Some(at) => (text.get(..at)?, small_integer(text.get(at + 1..)?)?),
            None => (text, 0),
        };
        let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
        let (before, after) = (mantissa.get(..point)?, mantissa.get(point + 1..).unwrap_or_default());
        if before.is_empty() && after.is_empty() || !before.iter().chain(after).all(u8::is_ascii_digit) {
            return None;
        }
        // How many of the digits, or digits and zeros behind them, make whole nanoseconds.
        let whole_digits = i64::try_from(point).ok()?.saturating_add(exponent).saturating_add(3);
        let mut value = Self { negative, whole: 0, sub: 0 };
        let mut taken = 0_i64;
        for &digit in before.iter().chain(after) {
            value.push_digit(digit - b'0', taken - whole_digits);
            taken += 1;
        }
        // Zeros complete the whole part: few, as a value that is not zero soon saturates.
        while taken < whole_digits && value.whole != 0 && value.whole != u64::MAX {
            value.push_digit(0, taken - whole_digits);
            taken += 1;
        }
        let decimals = usize::try_from(taken - whole_digits).unwrap_or(0);
        if decimals > 0 {
            value.sub *= POWERS.get(SUB_DIGITS.saturating_sub(decimals))?;
        }
        Some(value)
    }

    /// Appends a digit; `place` counts from the first digit below one nanosecond.
    fn push_digit(&mut self, digit: u8, place: i64) {
        let digit = u64::from(digit);
        if place < 0 {
            self.whole = self.whole.saturating_mul(10).saturating_add(digit);
        } else if place < 15 {
            self.sub = self.sub * 10 + digit;
        }
    }

    /// The nearest whole nanosecond, halves away from zero.
    #[inline]
    pub(crate) fn round(self) -> Rounded {
        let magnitude = self.whole.saturating_add(u64::from(self.sub >= SUB / 2));
        match (i64::try_from(magnitude), self.negative) {
            (Ok(ns), false) => Rounded { ns, clamped: false },
            (Ok(ns), true) => Rounded { ns: -ns, clamped: false },
            (Err(_), negative) => clamp(negative),
        }
    }

    /// `self + other`, rounded once.
    #[inline]
    pub(crate) fn add_round(self, other: Self) -> Rounded {
        if !self.negative && !other.negative {
            let sub = self.sub + other.sub;
            let carry = u64::from(sub >= SUB);
            let sum = Self {
                negative: false,
                whole: self.whole.saturating_add(other.whole).saturating_add(carry),
                sub: sub - carry * SUB,
            };
            return sum.round();
        }
        self.add_round_signed(other)
    }

    #[cold]
    fn add_round_signed(self, other: Self) -> Rounded {
        let sum = self.fixed() + other.fixed();
        let half = i128::from(SUB / 2);
        let ns = (sum + if sum < 0 { -half } else { half }) / i128::from(SUB);
        i64::try_from(ns).map_or_else(|_| clamp(ns < 0), |ns| Rounded { ns, clamped: false })
    }

    /// In units of 10⁻¹⁵ ns: at most 2⁶⁴ · 10¹⁵, far inside 128 bits.
    fn fixed(self) -> i128 {
        let magnitude = i128::from(self.whole) * i128::from(SUB) + i128::from(self.sub);
        if self.negative { -magnitude } else { magnitude }
    }

    /// Whether it is more than nothing.
    pub(crate) fn is_positive(self) -> bool {
        !self.negative && (self.whole, self.sub) != (0, 0)
    }

    /// The number of microseconds, if it is whole.
    pub(crate) fn whole_micros(self) -> Option<i64> {
        if self.whole == u64::MAX || self.sub != 0 || !self.whole.is_multiple_of(1000) {
            return None;
        }
        let micros = i64::try_from(self.whole / 1000).ok()?;
        Some(if self.negative { -micros } else { micros })
    }
}

fn clamp(negative: bool) -> Rounded {
    Rounded { ns: if negative { i64::MIN } else { i64::MAX }, clamped: true }
}

/// An exponent. One that is out of any reasonable range saturates.
fn small_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0_i64, |value, digit| value.saturating_mul(10).saturating_add(i64::from(digit - b'0')))
        .min(i64::MAX / 4);
    Some(if negative { -value } else { value })
}

/// The powers of ten that a `u64` holds comfortably.
const POWERS: [u64; 19] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
    10_000_000_000_000,
    100_000_000_000_000,
    1_000_000_000_000_000,
    10_000_000_000_000_000,
    100_000_000_000_000_000,
    1_000_000_000_000_000_000,
];

#[cfg(test)]
mod tests;
