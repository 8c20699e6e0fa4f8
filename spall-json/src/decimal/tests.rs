extern crate alloc;

use alloc::{format, string::String};

use super::*;

fn ns(text: &str) -> Option<i64> {
    Nanos::from_micros(text.as_bytes()).map(|value| value.round().ns)
}

#[test]
fn json_4_checked_values() {
    assert_eq!(ns("0.0005"), Some(1));
    assert_eq!(ns("2.0015"), Some(2002));
    assert_eq!(ns("9007199254740995.5"), Some(9_007_199_254_740_995_500));
    assert_eq!(ns("1700000000123456.789"), Some(1_700_000_000_123_456_789));
    assert_eq!(ns("1.001"), Some(1001));
    assert_eq!(ns("3473608.458"), Some(3_473_608_458));
}

#[test]
fn json_4_fourth_decimal_rounds_half_away_from_zero() {
    assert_eq!(ns("1.0004999"), Some(1000));
    assert_eq!(ns("1.0005"), Some(1001));
    assert_eq!(ns("-1.0005"), Some(-1001));
    assert_eq!(ns("-1.00049"), Some(-1000));
    assert_eq!(ns("0.99999999999999999999999999"), Some(1000));
}

#[test]
fn json_4_exponents_shift_the_point() {
    assert_eq!(ns("1e3"), Some(1_000_000));
    assert_eq!(ns("1.5e+3"), Some(1_500_000));
    assert_eq!(ns("2000000e-3"), Some(2_000_000));
    assert_eq!(ns("12345e-7"), Some(1));
    assert_eq!(ns("5e-4"), Some(1));
    assert_eq!(ns("49e-5"), Some(0));
    assert_eq!(ns("0e999999999999999999999"), Some(0));
    assert_eq!(ns("7e-999999999999999999999"), Some(0));
    assert_eq!(ns("0.000000000000000000000000000012E+30"), Some(12_000));
}

#[test]
fn json_4_plain_decimals_are_those_of_the_general_form() {
    for whole in ["0", "1", "999", "5079", "1700000000"] {
        for decimals in ["5", "25", "750", "999999", "000001"] {
            let text = format!("{whole}.{decimals}");
            for (thousands, behind) in [(1, ""), (1, ","), (1, "]}"), (2, " 1234567"), (2, ",0.12345678901")]
            {
                let in_file = format!("{text}{behind}");
                let plain = Nanos::from_start(in_file.as_bytes(), text.len(), thousands);
                assert!(plain.is_some(), "{text}");
                assert_eq!(plain, Nanos::from_any(text.as_bytes(), thousands), "{text} {thousands}");
            }
        }
    }
    for text in ["5079.", ".5", "5079", "-1.5", "1.5e3", "0.1234567", "9999999999999999.5", "1.5x", "1.5.5"] {
        assert_eq!(Nanos::from_start(text.as_bytes(), text.len(), 1), None, "{text}");
    }
}

#[test]
fn json_2_lenient_spellings() {
    assert_eq!(ns("007"), Some(7000));
    assert_eq!(ns("01.5"), Some(1500));
    assert_eq!(ns("+7"), Some(7000));
    assert_eq!(ns(".5"), Some(500));
    assert_eq!(ns("5."), Some(5000));
    assert_eq!(ns("-.5"), Some(-500));
}

#[test]
fn texts_that_are_no_decimals_are_refused() {
    for text in [
        "", ".", "+", "-", "1.5e", "2e+", "e5", "1x", "1.2.3", "0x10", "NaN", "Infinity", "1,5", "--1",
        "1.5x",
    ] {
        assert_eq!(Nanos::from_micros(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn json_3_1_digits_that_are_too_far_behind_do_not_count() {
    let ns = |text: &str| Nanos::from_micros(text.as_bytes()).unwrap().round().ns;
    assert_eq!((ns("0.4999999999999999999999999e-3"), ns("0.5000000000000000000000000e-3")), (0, 1));
}

#[test]
fn json_4_out_of_range_is_clamped() {
    let clamped = |text: &str| Nanos::from_micros(text.as_bytes()).unwrap().round();
    assert_eq!(clamped("9223372036854775.807"), Rounded { ns: i64::MAX, clamped: false });
    assert_eq!(clamped("9223372036854775.808"), Rounded { ns: i64::MAX, clamped: true });
    assert_eq!(clamped("-9223372036854776"), Rounded { ns: i64::MIN, clamped: true });
    assert_eq!(clamped("99999999999999999999999"), Rounded { ns: i64::MAX, clamped: true });
    assert_eq!(clamped("1e400"), Rounded { ns: i64::MAX, clamped: true });
    assert_eq!(clamped("-1e400"), Rounded { ns: i64::MIN, clamped: true });
}

#[test]
fn whole_numbers_are_recognised() {
    let whole = |text: &str| Nanos::from_micros(text.as_bytes()).unwrap().whole_micros();
    assert_eq!(whole("1.0"), Some(1));
    assert_eq!(whole("-1e3"), Some(-1000));
    assert_eq!((whole("1.5"), whole("1.0000001")), (None, None));
    assert_eq!(whole("1e40"), None);
}

/// Returns a decimal in units of 10⁻¹⁸, which 128 bits hold exactly.
fn reference(text: &str) -> i128 {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (before, after) = text.split_once('.').unwrap_or((text, ""));
    let digits = before.bytes().chain(after.bytes().chain(core::iter::repeat(b'0')).take(18));
    let value = digits.fold(0_i128, |value, digit| value * 10 + i128::from(digit - b'0'));
    if negative { -value } else { value }
}

fn round_reference(value: i128) -> i64 {
    let unit = 1_000_000_000_000_000_i128;
    let magnitude = (value.abs() + unit / 2) / unit;
    i64::try_from(magnitude * value.signum()).unwrap()
}

#[test]
fn json_3_1_random_decimals_round_as_exact_arithmetic_says() {
    let mut random = spall_synth::Random(1);
    let digits = |random: &mut spall_synth::Random, count: u64, out: &mut String| {
        for _ in 0..count {
            // Many nines, fives and zeros: where rounding and carrying happen.
            out.push(['0', '9', '5', '4', '1', '7'][random.below(6_usize)]);
        }
    };
    for _ in 0..100_000 {
        let mut texts = [String::new(), String::new()];
        for text in &mut texts {
            if random.one_in(4) {
                text.push('-');
            }
            let (whole, decimals) = (1 + random.below(14), random.below(19));
            digits(&mut random, whole, text);
            if decimals > 0 {
                text.push('.');
                digits(&mut random, decimals, text);
            }
        }
        let [a, b] = [texts[0].as_str(), texts[1].as_str()];
        let read = |text: &str| Nanos::from_micros(text.as_bytes()).unwrap();
        assert_eq!(read(a).round().ns, round_reference(reference(a)), "{a}");
        let sum = read(a).add_round(read(b)).ns;
        assert_eq!(sum, round_reference(reference(a) + reference(b)), "{a} + {b}");
    }
}
