//! The exact conversion of decimal microseconds to whole nanoseconds. [json 4](crate::rules::json#4)
//!
//! No floating point number takes part: 53 bits cannot hold the nanoseconds of a Unix time. A sum is rounded once,
//! after adding, so that the end of a slice does not depend on how its start was rounded. [json
//! 3.1](crate::rules::json#3.1)

use crate::scan;

/// The number of parts that a nanosecond is divided into: 15 decimals, which makes 18 of a microsecond. Further digits
/// do not count.
const SUB: u64 = 1_000_000_000_000_000;
/// The number of those decimals.
const SUB_DIGITS: usize = 15;

/// A time in nanoseconds with fifteen decimals, as sign and magnitude.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Nanos {
    negative: bool,
    /// The whole nanoseconds. `u64::MAX` stands for this value and all above.
    whole: u64,
    /// The rest in units of 1 / [`SUB`] nanosecond, less than [`SUB`].
    sub: u64,
}

/// A time rounded to nanoseconds, and whether it had to be clamped to the range of `i64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rounded {
    pub(crate) ns: i64,
    pub(crate) clamped: bool,
}

impl Nanos {
    /// Returns `whole` nanoseconds.
    #[inline]
    pub(crate) fn from_whole(whole: u64) -> Self {
        Self { negative: false, whole, sub: 0 }
    }

    /// Reads decimal microseconds: digits with an optional sign, point and exponent. Returns `None` if `text` is
    /// anything else.
    #[inline]
    pub(crate) fn from_micros(text: &[u8]) -> Option<Self> {
        // Sixteen digits times 1000 cannot overflow; times are rarely longer.
        let (whole, len) = scan::leading_digits(text);
        match text.get(len..) {
            Some([]) if len > 0 => Some(Self::from_whole(whole * 1000)),
            Some([b'.', decimals @ ..]) if len > 0 => {
                Self::with_decimals(whole * 1000, decimals).or_else(|| Self::from_any(text, 0))
            }
            _ => Self::from_any(text, 0),
        }
    }

    /// Returns `whole` nanoseconds plus the decimals of a microsecond, or `None` if a byte of them is no digit.
    fn with_decimals(whole: u64, decimals: &[u8]) -> Option<Self> {
        let (first, len) = scan::leading_digits(decimals);
        let mut below = first * POWERS.get(3 + SUB_DIGITS - len)?;
        for (i, digit) in decimals.get(len..)?.iter().enumerate() {
            if len < 16 || !digit.is_ascii_digit() {
                return None;
            }
            // `first` has the first sixteen digits. The seventeenth and eighteenth still count.
            below += u64::from(digit - b'0') * [10, 1].get(i).copied().unwrap_or(0);
        }
        Some(Self { negative: false, whole: whole + below / SUB, sub: below % SUB })
    }

    /// Reads whole nanoseconds: digits, a point and decimals, which are the first `len` bytes of `text`, in a unit as
    /// [`Nanos::from_any`] takes it. Returns `None` for anything else.
    // A text that ended with the number would be copied to be read as whole words, which takes longer than digit by digit.
    pub(crate) fn from_start(text: &[u8], len: usize, thousands: i32) -> Option<Self> {
        let (whole, point) = scan::leading_digits(text);
        let Some([b'.', rest @ ..]) = text.get(point..) else { return None };
        let (decimals, count) = scan::leading_digits(rest);
        let n_digits = usize::try_from(3 + 3 * thousands).ok()?;
        let is_whole = point > 0 && (1..=n_digits).contains(&count) && point + 1 + count == len;
        let power = |exponent: usize| POWERS.get(exponent).filter(|_| is_whole);
        let ns = whole.checked_mul(*power(n_digits)?)?.checked_add(decimals * power(n_digits - count)?)?;
        Some(Self::from_whole(ns))
    }

    /// Reads the general form, digit by digit: microseconds if `thousands` is 0, milliseconds if it is 1, nanoseconds if it
    /// is -1, and so on.
    pub(crate) fn from_any(text: &[u8], thousands: i32) -> Option<Self> {
        let (negative, text) = sign(text);
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
        // The number of digits, zeros appended where there are too few, that are whole nanoseconds.
        let whole_digits = i64::try_from(point).ok()?.saturating_add(exponent);
        let whole_digits = whole_digits.saturating_add(3 + 3 * i64::from(thousands));
        let mut value = Self { negative, whole: 0, sub: 0 };
        let mut taken = 0_i64;
        for &digit in before.iter().chain(after) {
            value.push_digit(digit - b'0', taken - whole_digits);
            taken += 1;
        }
        // An exponent appends zeros. The loop is short: after twenty zeros a value that is not 0 saturates.
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

    /// Appends a digit. `place` is its index among the digits below one nanosecond, negative for those above.
    fn push_digit(&mut self, digit: u8, place: i64) {
        let digit = u64::from(digit);
        if place < 0 {
            self.whole = self.whole.saturating_mul(10).saturating_add(digit);
        } else if place < 15 {
            self.sub = self.sub * 10 + digit;
        }
    }

    /// Rounds to the nearest nanosecond, halves away from zero.
    #[inline]
    pub(crate) fn round(self) -> Rounded {
        let magnitude = self.whole.saturating_add(u64::from(self.sub >= SUB / 2));
        match (i64::try_from(magnitude), self.negative) {
            (Ok(ns), false) => Rounded { ns, clamped: false },
            (Ok(ns), true) => Rounded { ns: -ns, clamped: false },
            (Err(_), negative) => clamp(negative),
        }
    }

    /// Returns a thousand times the time for each of `steps`, or a thousandth for each negative one. Microseconds below
    /// 10¹⁶, of which a thousand times is below 2⁶⁴, so become another unit.
    pub(crate) fn thousandfold(mut self, steps: i32) -> Self {
        for _ in 0..steps {
            let sub = self.sub * 1000;
            self.whole = self.whole.saturating_mul(1000).saturating_add(sub / SUB);
            self.sub = sub % SUB;
        }
        for _ in steps..0 {
            self.sub = (self.whole % 1000 * SUB + self.sub) / 1000;
            self.whole /= 1000;
        }
        self
    }

    /// Returns `self + other`, rounded once.
    #[inline]
    pub(crate) fn add_round(self, other: Self) -> Rounded {
        self.plus(other).round()
    }

    /// Returns `self + other`.
    #[inline]
    pub(crate) fn plus(self, other: Self) -> Self {
        if self.negative || other.negative {
            return self.plus_signed(other);
        }
        let sub = self.sub + other.sub;
        let carry = u64::from(sub >= SUB);
        Self {
            negative: self.negative,
            whole: self.whole.saturating_add(other.whole).saturating_add(carry),
            sub: sub - carry * SUB,
        }
    }

    /// Adds values of any sign. Negative times are rare, and 128 bits make them simple.
    fn plus_signed(self, other: Self) -> Self {
        let sum = self.fixed() + other.fixed();
        let (magnitude, unit) = (sum.unsigned_abs(), u128::from(SUB));
        let whole = u64::try_from(magnitude / unit).unwrap_or(u64::MAX);
        Self { negative: sum < 0, whole, sub: u64::try_from(magnitude % unit).unwrap_or(0) }
    }

    /// Returns the value in units of 10⁻¹⁵ ns. It is below 2⁶⁴ · 10¹⁵, or 2¹¹⁴, which leaves room for a sum in 128
    /// bits.
    fn fixed(self) -> i128 {
        let magnitude = i128::from(self.whole) * i128::from(SUB) + i128::from(self.sub);
        if self.negative { -magnitude } else { magnitude }
    }

    /// Returns whether the value is below 0.
    #[cfg(feature = "alloc")]
    pub(crate) fn is_negative(self) -> bool {
        self.negative && (self.whole, self.sub) != (0, 0)
    }

    /// Returns whether the value is above 0.
    pub(crate) fn is_positive(self) -> bool {
        !self.negative && (self.whole, self.sub) != (0, 0)
    }

    /// Returns the number of microseconds, if it is whole.
    pub(crate) fn whole_micros(self) -> Option<i64> {
        if self.whole == u64::MAX || self.sub != 0 || !self.whole.is_multiple_of(1000) {
            return None;
        }
        let micros = i64::try_from(self.whole / 1000).ok()?;
        Some(if self.negative { -micros } else { micros })
    }
}

impl Rounded {
    /// Returns the time so many nanoseconds later, clamped.
    #[cfg(feature = "alloc")]
    pub(crate) fn plus(self, ns: i64) -> Self {
        self.ns.checked_add(ns).map_or_else(|| clamp(ns < 0), |ns| Self { ns, ..self })
    }
}

/// Returns the end of the range of `i64`.
fn clamp(negative: bool) -> Rounded {
    Rounded { ns: if negative { i64::MIN } else { i64::MAX }, clamped: true }
}

/// Returns whether `text` begins with a minus, and what follows its sign.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Reads an exponent. One that is out of any reasonable range saturates, so that sums with it cannot overflow.
fn small_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = sign(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0_i64, |value, digit| value.saturating_mul(10).saturating_add(i64::from(digit - b'0')))
        .min(i64::MAX / 4);
    Some(if negative { -value } else { value })
}

/// The powers of ten from 10⁰ to 10¹⁸.
#[allow(clippy::indexing_slicing, reason = "while compiling")]
const POWERS: [u64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

#[cfg(test)]
mod tests;
