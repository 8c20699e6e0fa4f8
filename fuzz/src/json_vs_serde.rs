//! Strict JSON is read as `serde_json` reads it: values, strings, numbers, and times as exact decimals.
//!
//! The exceptions, each by design:
//!
//! - an integer is an integer here: `-0` is 0 and not -0.0, and one beyond 64 bits is the nearest float in both;
//! - a number too large for a float is infinite here and an error there: such text is not compared;
//! - of repeated keys all are handed out here; the last one is compared, which is what `serde_json` keeps.

use arbitrary::{Result, Unstructured};
use serde_json::Value as Json;
use spall_trace::json::JsonParser;
use spall_trace::model::{Args, Event, Text, Value};

use crate::json_text;
use crate::parsed::events_of;

/// Writes an event of random values and reads it in both ways. Returns whether it is strict JSON.
///
/// # Panics
/// When the two differ.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(parts) = parts(&mut Unstructured::new(bytes)) else { return false };
    let text = format!(
        r#"[{{"ph":"X","pid":1,"tid":2,"name":{},"args":{},"ts":{},"dur":{}}}]"#,
        parts.name, parts.args, parts.time, parts.duration
    );
    let Ok(expected) = serde_json::from_str::<Json>(&text) else { return false };
    let expected = &expected[0];
    let mut events = events_of(JsonParser::new(), text.as_bytes()).into_iter();
    let mut event = events.next();
    let mut clamped = false;
    while let Some(Event::Diagnostic(kind)) = event {
        clamped |= kind.name() == "time-out-of-range";
        assert!(clamped || kind.name() == "bad-duration", "{kind} in {text}");
        event = events.next();
    }
    let Some(Event::Complete(slice, duration)) = event else { panic!("{event:?} is no slice: {text}") };
    assert_eq!(slice.name.decode(), expected["name"].as_str().unwrap(), "{text}");
    compare_args(slice.args, &expected["args"], &text);
    assert_eq!(events.next(), None, "{text}");

    let start = nanoseconds(&[&parts.time]);
    assert_eq!(i128::from(slice.at.0), saturated(start, &parts.time), "time in {text}");
    let end = nanoseconds(&[&parts.time, &parts.duration]);
    if let (Some(_), Some(end)) = (start, end)
        && !clamped
    {
        assert_eq!(i128::from(slice.at.0) + i128::from(duration.0), end, "end in {text}");
    }
    true
}

/// The text of some fields.
struct Parts {
    name: String,
    args: String,
    time: String,
    duration: String,
}

fn parts(u: &mut Unstructured<'_>) -> Result<Parts> {
    let mut parts =
        Parts { name: String::new(), args: String::new(), time: String::new(), duration: String::new() };
    json_text::number(u, &mut parts.time)?;
    json_text::number(u, &mut parts.duration)?;
    json_text::string(u, &mut parts.name)?;
    json_text::object(u, &mut parts.args, 6)?;
    Ok(parts)
}

fn compare_args(args: Args<'_>, expected: &Json, text: &str) {
    let Json::Object(members) = expected else { panic!("{text}") };
    let mut last: Vec<(String, Value<'_>)> = Vec::new();
    for (key, value) in args.iter() {
        let key = key.decode().into_owned();
        match last.iter_mut().find(|(known, _)| *known == key) {
            Some(entry) => entry.1 = value,
            None => last.push((key, value)),
        }
    }
    assert_eq!(last.len(), members.len(), "{text}");
    for (key, value) in last {
        compare(value, &members[&key], text);
    }
}

fn compare(value: Value<'_>, expected: &Json, text: &str) {
    match (value, expected) {
        (Value::Null, Json::Null) => {}
        (Value::Bool(value), Json::Bool(expected)) => assert_eq!(value, *expected, "{text}"),
        (Value::I64(value), Json::Number(expected)) => {
            let is_minus_zero = value == 0 && expected.as_f64() == Some(0.0);
            assert!(is_minus_zero || expected.as_i64() == Some(value), "{value} is {expected}: {text}");
        }
        (Value::U64(value), Json::Number(expected)) => assert_eq!(Some(value), expected.as_u64(), "{text}"),
        (Value::F64(value), Json::Number(expected)) => {
            assert_eq!(Some(value), expected.as_f64(), "{text}");
            assert!(!expected.is_i64() && !expected.is_u64(), "{text}");
        }
        (Value::Text(value), Json::String(expected)) => {
            assert_eq!(value.decode(), *expected, "{text}");
            assert!(
                value.is(expected.as_bytes()) && Text::plain(expected.as_bytes()).is(&value.unescape()),
                "{text}"
            );
        }
        (Value::List(items), Json::Array(expected)) => {
            assert_eq!(items.iter().count(), expected.len(), "{text}");
            items.iter().zip(expected).for_each(|((_, value), expected)| compare(value, expected, text));
        }
        (Value::Map(args), expected @ Json::Object(_)) => compare_args(args, expected, text),
        (value, expected) => panic!("{value:?} is {expected}: {text}"),
    }
}

/// The sum of decimal microseconds as whole nanoseconds, halves away from zero; `None` if it has too many digits to be
/// added up here.
///
/// Eighteen decimals of a microsecond count. \[json 4\]
fn nanoseconds(texts: &[&str]) -> Option<i128> {
    const UNIT: i128 = 1_000_000_000_000_000;
    let sum = texts.iter().try_fold(0_i128, |sum, text| sum.checked_add(fixed(text)?))?;
    Some((sum + if sum < 0 { -UNIT / 2 } else { UNIT / 2 }) / UNIT)
}

/// Decimal microseconds in units of 10⁻¹⁸.
fn fixed(text: &str) -> Option<i128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let places = i32::try_from(whole.len()).ok()? + exponent + 18;
    let mut value = 0_i128;
    let mut digits = whole.bytes().chain(fraction.bytes());
    for _ in 0..places {
        let digit = digits.next().map_or(0, |digit| digit - b'0');
        value = value.checked_mul(10)?.checked_add(i128::from(digit))?;
    }
    Some(if negative { -value } else { value })
}

/// A time as it is kept; one with too many digits is beyond the range.
fn saturated(nanoseconds: Option<i128>, text: &str) -> i128 {
    let beyond = if text.starts_with('-') { i128::MIN } else { i128::MAX };
    nanoseconds.unwrap_or(beyond).clamp(i64::MIN.into(), i64::MAX.into())
}
