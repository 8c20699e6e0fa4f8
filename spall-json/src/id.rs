//! Ids: numbers, and texts that may be numbers. \[json 2\]

use spall_model::Id;

use crate::decimal::Nanos;
use crate::lexer::Kind;
use crate::value::{MAX_ESCAPED_NUMBER, inside, unescaped};

/// The id of a process or thread: text that is a whole number in any spelling is that number.
#[inline]
pub(crate) fn of_process_or_thread(kind: Kind, bytes: &[u8]) -> Option<Id<'_>> {
    match kind {
        Kind::String => {
            let text = inside(bytes);
            Some(whole_number(text.trim_ascii()).map_or(Id::Text(text), Id::Number))
        }
        Kind::EscapedString => Some(escaped(bytes, |text| whole_number(text.trim_ascii()))),
        _ => of_key(kind, bytes),
    }
}

/// The key of an async span, an object or a flow: text is that number whose only spelling it is, so that `"72"` is
/// 72, but neither `"072"` nor `"0x48"`.
#[inline]
pub(crate) fn of_key(kind: Kind, bytes: &[u8]) -> Option<Id<'_>> {
    match kind {
        Kind::String => {
            let text = inside(bytes);
            Some(canonical(text).map_or(Id::Text(text), Id::Number))
        }
        Kind::EscapedString => Some(escaped(bytes, canonical)),
        Kind::Integer | Kind::Decimal | Kind::Bare => {
            match canonical(bytes).or_else(|| whole_number(bytes)) {
                Some(number) => Some(Id::Number(number)),
                None => Nanos::from_micros(bytes).map(|_| Id::Text(bytes)),
            }
        }
        Kind::Object | Kind::Array => None,
    }
}

/// The id in a string with escapes, if `number` finds none in the decoded text.
#[cold]
fn escaped(bytes: &[u8], number: fn(&[u8]) -> Option<i64>) -> Id<'_> {
    let text = inside(bytes);
    let decoded = &mut [0; MAX_ESCAPED_NUMBER];
    unescaped(text, decoded).and_then(number).map_or(Id::Text(text), Id::Number)
}

/// The integer that `text` is the only spelling of, if it has at most 18 digits.
#[inline]
fn canonical(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [] | [b'0', ..] => return None,
        _ if digits.len() > 18 => return core::str::from_utf8(text).ok()?.parse().ok(),
        _ => {}
    }
    let mut value = 0_i64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if negative { -value } else { value })
}

/// The whole number that `text` spells in any way, such as `1.0`, `1e3` or `007`.
fn whole_number(text: &[u8]) -> Option<i64> {
    canonical(text).or_else(|| Nanos::from_micros(text)?.whole_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_2_spellings_of_process_and_thread_ids() {
        let id = |kind, text: &'static str| of_process_or_thread(kind, text.as_bytes());
        assert_eq!(id(Kind::Bare, "1.0"), Some(Id::Number(1)));
        assert_eq!(id(Kind::Bare, "-5"), Some(Id::Number(-5)));
        assert_eq!(id(Kind::Bare, "9223372036854775807"), Some(Id::Number(i64::MAX)));
        assert_eq!(id(Kind::Bare, "9223372036854775808"), Some(Id::Text(b"9223372036854775808")));
        assert_eq!(id(Kind::Bare, "1.5"), Some(Id::Text(b"1.5")));
        assert_eq!(id(Kind::String, "\" 7 \""), Some(Id::Number(7)));
        assert_eq!(id(Kind::String, "\"007\""), Some(Id::Number(7)));
        assert_eq!(id(Kind::String, "\"io\""), Some(Id::Text(b"io")));
        assert_eq!(id(Kind::EscapedString, r#""\u0037\n""#), Some(Id::Number(7)));
        assert_eq!(id(Kind::EscapedString, r#""i\u006f""#), Some(Id::Text(br"i\u006f")));
        assert_eq!(id(Kind::Bare, "true"), None);
        assert_eq!(id(Kind::Object, "{}"), None);
    }

    #[test]
    fn json_3_6_spellings_of_keys() {
        let key = |kind, text: &'static str| of_key(kind, text.as_bytes());
        assert_eq!(key(Kind::String, "\"72\""), Some(Id::Number(72)));
        assert_eq!(key(Kind::String, "\"-9223372036854775808\""), Some(Id::Number(i64::MIN)));
        assert_eq!(key(Kind::String, "\"072\""), Some(Id::Text(b"072")));
        assert_eq!(key(Kind::String, "\"0x1\""), Some(Id::Text(b"0x1")));
        assert_eq!(key(Kind::EscapedString, r#""7\u0032""#), Some(Id::Number(72)));
        assert_eq!(key(Kind::EscapedString, r#""\u0030""#), Some(Id::Number(0)));
        assert_eq!(key(Kind::EscapedString, r#""\u00307""#), Some(Id::Text(br"\u00307")));
        assert_eq!(key(Kind::String, "\"-0\""), Some(Id::Text(b"-0")));
        assert_eq!(key(Kind::String, "\"\""), Some(Id::Text(b"")));
        assert_eq!(key(Kind::Bare, "0"), Some(Id::Number(0)));
    }
}
