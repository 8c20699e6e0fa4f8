//! The decoders of single strings, numbers and words. [json 2](crate::rules::json#2)
//!
//! Ids are decoded in [`id`](crate::id), and arguments in [`args`](crate::args).

use spall_model::{Text, Value};

use crate::decimal::{Nanos, Rounded};
use crate::lexer::{Token, TokenKind};

/// The longest text with escapes that is tried as a number.
const MAX_ESCAPED_NUMBER: usize = 64;

/// Returns the text of a string, and the empty text for any other token.
pub(crate) fn text(data: &[u8], token: Token) -> Text<'_> {
    match token.kind {
        TokenKind::String => Text::plain(token.inside(data)),
        TokenKind::EscapedString => Text::escaped(token.inside(data)),
        _ => Text::EMPTY,
    }
}

/// Returns the text of a string or of a number as it is spelt, and `None` for any other token.
pub(crate) fn text_or_number(data: &[u8], token: Token) -> Option<Text<'_>> {
    match token.kind {
        TokenKind::String | TokenKind::EscapedString => Some(text(data, token)),
        TokenKind::Integer(_) | TokenKind::Decimal { .. } => Some(Text::plain(token.bytes(data))),
        TokenKind::Bare => number(token.bytes(data)).map(|_| Text::plain(token.bytes(data))),
        TokenKind::Object | TokenKind::Array => None,
    }
}

/// Returns a number of microseconds as nanoseconds, and `None` if the token is no number. A number may stand in a
/// string, with blanks around it.
#[inline]
pub(crate) fn micros(data: &[u8], token: Token) -> Option<Nanos> {
    match token.kind {
        // Sixteen digits times 1000 fit.
        TokenKind::Integer(micros) => Some(Nanos::from_whole(micros * 1000)),
        TokenKind::Decimal { thousandths } => Some(Nanos::from_whole(thousandths)),
        TokenKind::Bare => Nanos::from_micros(token.bytes(data)),
        TokenKind::String => Nanos::from_micros(token.inside(data).trim_ascii()),
        TokenKind::EscapedString => {
            unescaped(token.inside(data), |text| Nanos::from_micros(text.trim_ascii()))
        }
        TokenKind::Object | TokenKind::Array => None,
    }
}

/// Returns a number of any unit of time, which [`Nanos::from_any`] describes, and `None` if the token is no number.
pub(crate) fn time(data: &[u8], token: Token, thousands: i32) -> Option<Nanos> {
    let read = |text: &[u8]| Nanos::from_any(text.trim_ascii(), thousands);
    match token.kind {
        TokenKind::Integer(_) | TokenKind::Decimal { .. } => {
            Some(micros(data, token)?.thousandfold(thousands))
        }
        TokenKind::Bare => {
            let text = data.get(token.start..).unwrap_or_default();
            let plain = Nanos::from_start(text, token.end - token.start, thousands);
            plain.or_else(|| read(token.bytes(data)))
        }
        TokenKind::String => read(token.inside(data)),
        TokenKind::EscapedString => unescaped(token.inside(data), read),
        TokenKind::Object | TokenKind::Array => None,
    }
}

/// Returns a time of a thread's clock in nanoseconds, and `None` if the token is no number, negative or out of range.
pub(crate) fn thread_time(data: &[u8], token: Token) -> Option<i64> {
    let Rounded { ns, clamped } = micros(data, token)?.round();
    (!clamped && ns >= 0).then_some(ns)
}

/// Hands `read` the decoded inside of a string with escapes. Returns `None` if that is too long for a number.
///
/// Numbers with escapes occur in no known file; a buffer on the stack keeps them readable without an allocation.
pub(crate) fn unescaped<T>(inside: &[u8], read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
    let mut decoded = [0; MAX_ESCAPED_NUMBER];
    let mut len = 0;
    for piece in Text::escaped(inside).pieces() {
        let mut character = [0; 4];
        let bytes = piece.bytes(&mut character);
        decoded.get_mut(len..len + bytes.len())?.copy_from_slice(bytes);
        len += bytes.len();
    }
    read(decoded.get(..len)?)
}

/// Returns the value of a token that is neither string, object nor array: a number, or one of the words of JSON and
/// JavaScript. Any other word is text.
pub(crate) fn word(word: &[u8]) -> Value<'_> {
    match word {
        b"null" => Value::Null,
        b"true" => Value::Bool(true),
        b"false" => Value::Bool(false),
        b"NaN" => Value::F64(f64::NAN),
        b"Infinity" => Value::F64(f64::INFINITY),
        b"-Infinity" => Value::F64(f64::NEG_INFINITY),
        _ => number(word).unwrap_or(Value::Text(Text::plain(word))),
    }
}

/// Returns the number that `word` spells, and `None` if it spells none. It is an integer if it is written as one that
/// 64 bits hold, else the nearest `f64`.
pub(crate) fn number(word: &[u8]) -> Option<Value<'static>> {
    let text = decimal(word)?;
    if let Ok(number) = text.parse() {
        return Some(Value::I64(number));
    }
    if let Ok(number) = text.parse() {
        return Some(Value::U64(number));
    }
    text.parse().ok().map(Value::F64)
}

/// Returns the `f64` that is nearest to the number that `word` spells. Returns `None` if that is infinite, or if it
/// spells none.
pub(crate) fn float(word: &[u8]) -> Option<f64> {
    decimal(word)?.parse().ok().filter(|number: &f64| number.is_finite())
}

fn decimal(word: &[u8]) -> Option<&str> {
    // Rust's own parser would also take `inf`, `nan` and `infinity`.
    let is_decimal = word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    core::str::from_utf8(word).ok().filter(|_| is_decimal)
}
