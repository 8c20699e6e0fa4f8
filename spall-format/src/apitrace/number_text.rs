//! The text form of numbers: that of `printf` in C, which `apitrace dump` prints. [apitrace
//! C.4](crate::rules::apitrace#C.4)

use alloc::format;
use core::cmp::Ordering;
use core::fmt::Result;

use super::text_out::TextOut;

/// A short text of ASCII characters, which is written at once.
#[derive(Debug, Default)]
struct Ascii {
    bytes: [u8; 32],
    length: usize,
}

impl Ascii {
    /// Appends `more`. What does not fit is lost, but no number is that long.
    #[inline]
    fn push(&mut self, more: &[u8]) {
        let room = self.bytes.get_mut(self.length..).and_then(|room| room.get_mut(..more.len()));
        if let Some(room) = room {
            room.copy_from_slice(more);
            self.length += more.len();
        }
    }

    /// Appends the digits of a number.
    fn push_digits<const BASE: u64>(&mut self, mut number: u64) {
        let (mut digits, mut length) = ([0; 20], 0);
        for digit in digits.iter_mut().rev() {
            // The remainder is below the base, and a digit fits in 8 bits.
            let [low, ..] = (number % BASE).to_le_bytes();
            *digit = if low < 10 { b'0' + low } else { b'a' - 10 + low };
            length += 1;
            number /= BASE;
            if number == 0 {
                break;
            }
        }
        self.push(digits.get(20 - length..).unwrap_or_default());
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Writes an integer of up to 64 bits and a sign.
pub(super) fn write_integer(out: &mut impl TextOut, value: i128) -> Result {
    let mut text = Ascii::default();
    if value < 0 {
        text.push(b"-");
    }
    text.push_digits::<10>(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX));
    out.put(text.text())
}

/// Writes a number in hexadecimal, with `0x` in front.
pub(super) fn write_hex(out: &mut impl TextOut, value: u64) -> Result {
    let mut text = Ascii::default();
    text.push(b"0x");
    text.push_digits::<16>(value);
    out.put(text.text())
}

/// The number of significant digits of a float, and the number that is 1 followed by as many zeros.
#[derive(Debug, Clone, Copy)]
pub(super) struct Precision {
    n_digits: i32,
    bound: u64,
}

impl Precision {
    /// The digits of a 32-bit float.
    pub(super) const FLOAT: Self = Self { n_digits: 7, bound: 10_u64.pow(7) };
    /// The digits of a 64-bit float.
    pub(super) const DOUBLE: Self = Self { n_digits: 16, bound: 10_u64.pow(16) };
}

/// Writes a float as `%.7g` or `%.16g` does: in scientific notation if the exponent is below -4 or not below the number
/// of digits, and without zeros at the end of a fraction.
pub(super) fn write_float(out: &mut impl TextOut, value: f64, precision: Precision) -> Result {
    if value.is_sign_negative() {
        out.put(b"-")?;
    }
    let value = value.abs();
    if value.is_nan() {
        return out.put(b"nan");
    } else if value.is_infinite() {
        return out.put(b"inf");
    } else if value == 0.0 {
        return out.put(b"0");
    }
    let rounded = round(value, precision).unwrap_or_else(|| round_any(value, precision));
    let Rounded { mut digits, exponent } = rounded;
    while digits % 10 == 0 && digits != 0 {
        digits /= 10;
    }
    let mut decimal = Ascii::default();
    decimal.push_digits::<10>(digits);
    let decimal = decimal.text();

    let mut text = Ascii::default();
    let whole = usize::try_from(exponent).map_or(0, |exponent| exponent + 1);
    if exponent < -4 || exponent >= precision.n_digits {
        let (first, fraction) = decimal.split_at(1.min(decimal.len()));
        text.push(first);
        if !fraction.is_empty() {
            text.push(b".");
            text.push(fraction);
        }
        text.push(if exponent < 0 { b"e-" } else { b"e+" });
        if exponent.unsigned_abs() < 10 {
            text.push(b"0");
        }
        text.push_digits::<10>(u64::from(exponent.unsigned_abs()));
    } else if whole == 0 {
        text.push(b"0.");
        (exponent + 1..0).for_each(|_| text.push(b"0"));
        text.push(decimal);
    } else if whole >= decimal.len() {
        text.push(decimal);
        (decimal.len()..whole).for_each(|_| text.push(b"0"));
    } else {
        let (whole, fraction) = decimal.split_at(whole);
        text.push(whole);
        text.push(b".");
        text.push(fraction);
    }
    out.put(text.text())
}

/// A positive number that was rounded to some significant digits. The first of them stands for a multiple of
/// 10^`exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rounded {
    digits: u64,
    exponent: i32,
}

/// Rounds a number with integers of 128 bits. Returns `None` if they do not suffice, as for very large and very small
/// numbers.
///
/// A tie is rounded to an even digit. The result is that of [`round_any`], which takes ten times as long for numbers
/// with few digits, such as 0.5. Most numbers in calls are like that.
fn round(value: f64, precision: Precision) -> Option<Rounded> {
    // The value is `mantissa` times 2^`power`.
    let bits = value.to_bits();
    let raw_power = i32::try_from(bits >> 52).ok().filter(|&raw| raw > 0)?;
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let power = raw_power - 1075;
    // From the power of two of the first bit: log10(2) is 78913 / 2^18, or a little less. So the exponent is right or 1
    // too low.
    let mut exponent = ((raw_power - 1023) * 78913) >> 18;
    loop {
        // With 22 zeros a number has 74 bits, and 53 of the mantissa make 127.
        let n_zeros = u32::try_from(precision.n_digits - 1 - exponent).ok().filter(|&zeros| zeros <= 22)?;
        let scaled = u128::from(mantissa) * 10_u128.pow(n_zeros);
        let shift = u32::try_from(-power).ok().filter(|&shift| (1..128).contains(&shift))?;
        let (floor, rest) = (scaled >> shift, scaled & ((1 << shift) - 1));
        let mut digits = u64::try_from(floor).ok()?;
        if digits >= precision.bound {
            exponent += 1;
            continue;
        }
        let rounds_up = match rest.cmp(&(1 << (shift - 1))) {
            Ordering::Less => false,
            Ordering::Equal => digits % 2 == 1,
            Ordering::Greater => true,
        };
        digits += u64::from(rounds_up);
        if digits == precision.bound {
            return Some(Rounded { digits: digits / 10, exponent: exponent + 1 });
        }
        return Some(Rounded { digits, exponent });
    }
}

/// Rounds any finite positive number.
fn round_any(value: f64, precision: Precision) -> Rounded {
    let n_decimals = usize::try_from(precision.n_digits - 1).unwrap_or(0);
    let text = format!("{value:.n_decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit);
    Rounded {
        digits: digits.fold(0, |digits, digit| digits * 10 + u64::from(digit - b'0')),
        exponent: exponent.parse().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_out::BoundedText;
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn written(write: impl FnOnce(&mut BoundedText<'_>) -> Result) -> String {
        let mut text = Vec::new();
        write(&mut BoundedText { text: &mut text, limit: 100 }).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn float(value: f64, precision: Precision) -> String {
        written(|out| write_float(out, value, precision))
    }

    #[test]
    fn c4_floats_have_7_digits_as_printf_writes_them() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.5, "0.5"),
            (-1.25, "-1.25"),
            (120.0, "120"),
            (1.0 / 3.0, "0.3333333"),
            (0.1, "0.1"),
            (1_234_567.0, "1234567"),
            (9_999_999.0, "9999999"),
            (12_345_678.0, "1.234568e+07"),
            (10_000_000.0, "1e+07"),
            (0.0001, "0.0001"),
            (0.000_099_999_99, "9.999999e-05"),
            (0.000_01, "1e-05"),
            (f32::MAX, "3.402823e+38"),
            (f32::MIN_POSITIVE, "1.175494e-38"),
            (f32::from_bits(1), "1.401298e-45"),
            (f32::INFINITY, "inf"),
            (f32::NEG_INFINITY, "-inf"),
            (f32::NAN, "nan"),
            (-f32::NAN, "-nan"),
        ] {
            assert_eq!(float(f64::from(value), Precision::FLOAT), expected, "{value:e}");
        }
    }

    #[test]
    fn c4_doubles_have_16_digits_as_printf_writes_them() {
        for (value, expected) in [
            (0.1, "0.1"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.3333333333333333"),
            (8.41, "8.41"),
            (91.96, "91.95999999999999"),
            (1e15, "1000000000000000"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (1e16, "1e+16"),
            (1e22, "1e+22"),
            (1e100, "1e+100"),
            (0.000_123_45, "0.00012345"),
            (5e-324, "4.940656458412465e-324"),
            (f64::MAX, "1.797693134862316e+308"),
        ] {
            assert_eq!(float(value, Precision::DOUBLE), expected, "{value:e}");
        }
    }

    #[test]
    fn c4_a_tie_is_rounded_to_an_even_digit() {
        for (value, expected) in
            [(1_234_567.5, "1234568"), (1_234_568.5, "1234568"), (0.5 + 8_388_606.0, "8388606")]
        {
            assert_eq!(float(value, Precision::FLOAT), expected);
        }
    }

    #[test]
    fn both_ways_to_round_agree() {
        let mut random = spall_synth::Random(1);
        let mut n_fast = 0;
        for round_number in 0..200_000_i32 {
            let bits = random.bits() << 33 | random.bits();
            let (high, few) = (bits >> 11, bits >> 50);
            let value = match round_number % 5 {
                // Few bits, so that there are ties, and then any bits.
                0 => few as f64 / 64.0,
                1 => (few as f64 + 0.5) * 10_f64.powi(round_number % 9),
                2 => high as f64 / (1_u64 << 53) as f64,
                3 => few as f64 / 10_f64.powi(round_number % 12),
                _ => f64::from_bits(bits >> 1),
            };
            for precision in [Precision::FLOAT, Precision::DOUBLE] {
                if value.is_finite()
                    && value > 0.0
                    && let Some(rounded) = round(value, precision)
                {
                    n_fast += 1;
                    assert_eq!(rounded, round_any(value, precision), "{value:e}");
                }
            }
        }
        assert!(n_fast > 200_000, "{n_fast}");
    }

    #[test]
    fn c4_integers_have_64_bits_and_a_sign() {
        let max = i128::from(u64::MAX);
        for (value, expected) in [
            (0, "0"),
            (-7, "-7"),
            (1000, "1000"),
            (max, "18446744073709551615"),
            (-max, "-18446744073709551615"),
        ] {
            assert_eq!(written(|out| write_integer(out, value)), expected);
        }
        for (value, expected) in [(0, "0x0"), (0x1f, "0x1f"), (u64::MAX, "0xffffffffffffffff")] {
            assert_eq!(written(|out| write_hex(out, value)), expected);
        }
    }
}
