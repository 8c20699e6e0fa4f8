//! The members of objects, whose keys are spelt in more than one way.

use alloc::{borrow::Cow, vec::Vec};

use spall_model::{DiagnosticKind, Text, Value};

use super::File;
use crate::lexer::{self, KeyToken, Token, TokenKind};
use crate::scalar;

/// Returns whether a key is `name`, which is in lower case and without `_`: protobuf's JSON has `traceId` or `trace_id`, and Go's
/// encoder `TraceId`.
pub(super) fn is_key(data: &[u8], key: &KeyToken, name: &str) -> bool {
    let is = |key: &[u8]| {
        let mut letters = key.iter().filter(|&&byte| byte != b'_').map(u8::to_ascii_lowercase);
        letters.by_ref().eq(name.bytes())
    };
    is(key.bytes(data)) || key.escaped && is(&key.text(data).unescape())
}

/// Returns whether the key of an object is one of some names.
pub(super) fn is_one_of(data: &[u8], key: &KeyToken, names: &[&str]) -> bool {
    names.iter().any(|name| is_key(data, key, name))
}

/// Returns the values of the members with these names of the object that begins at `object`. The last one of a name counts, and
/// `null` is no value. Members behind damage are not found.
pub(super) fn fields<const N: usize>(data: &[u8], object: usize, names: [&str; N]) -> [Option<Token>; N] {
    let mut found = [None; N];
    let mut pos = object + 1;
    while data.get(object) == Some(&b'{')
        && let Ok(Some(member)) = lexer::next_member(data, &mut pos)
    {
        let named = names.iter().zip(&mut found).find(|(name, _)| is_key(data, &member.key, name));
        if let Some((_, found)) = named {
            *found = Some(member.value).filter(|value| !value.is_null(data));
        }
    }
    found
}

/// Returns where the value of the first member with one of these names begins, of the object that begins at `object`. What stands
/// behind it is not looked at.
pub(super) fn find_field(data: &[u8], object: usize, names: &[&str]) -> Option<usize> {
    lexer::keys(data, object).find(|key| is_one_of(data, key, names)).map(|key| key.value)
}

/// Returns the items of an array; nothing for any other value.
pub(super) fn items(data: &[u8], array: Option<Token>) -> impl Iterator<Item = Token> {
    let array = array.filter(|token| token.kind == TokenKind::Array);
    let mut pos = array.map(|array| array.start + 1);
    core::iter::from_fn(move || lexer::next_item(data, pos.as_mut()?))
}

/// Returns the text of a string or of a number; the empty text for any other value.
pub(super) fn text(data: &[u8], token: Option<Token>) -> Text<'_> {
    token.and_then(|token| scalar::text_or_number(data, token)).unwrap_or(Text::EMPTY)
}

/// Returns the text of a string or of a number, decoded.
pub(super) fn decoded(data: &[u8], token: Option<Token>) -> Cow<'_, [u8]> {
    text(data, token).unescape()
}

/// Returns a number that is written as one or as text.
pub(super) fn number(data: &[u8], token: Token) -> Option<Value<'static>> {
    match token.kind {
        TokenKind::Object | TokenKind::Array => None,
        TokenKind::String => scalar::number(token.inside(data).trim_ascii()),
        TokenKind::EscapedString => scalar::unescaped(token.inside(data), scalar::number),
        _ => scalar::number(token.bytes(data)),
    }
}

/// Returns a whole number that is written as one or as text.
pub(super) fn integer(data: &[u8], token: Option<Token>) -> Option<i64> {
    number(data, token?)?.as_i64()
}

/// Returns whether a value is true, as a truth value or as text.
pub(super) fn is_true(data: &[u8], token: Option<Token>) -> bool {
    token.is_some_and(|token| match token.kind {
        TokenKind::String | TokenKind::EscapedString => scalar::text(data, token).is(b"true"),
        _ => token.bytes(data) == b"true",
    })
}

impl File<'_, '_> {
    /// Returns a time. `thousands` is its unit, as [`scalar::time`] takes it: -1 for nanoseconds. One that is negative or no number
    /// is reported, and is none.
    pub(super) fn time(&mut self, token: Option<Token>, thousands: i32) -> Option<crate::decimal::Nanos> {
        let token = token?;
        let time = scalar::time(self.data, token, thousands).filter(|time| !time.is_negative());
        if time.is_none() {
            self.report(DiagnosticKind::BadField, (token.start, token.end));
        }
        time
    }

    /// Returns a time in nanoseconds. One beyond 63 bits is clamped, and reported.
    pub(super) fn unix_ns(&mut self, token: Option<Token>, thousands: i32) -> Option<i64> {
        let rounded = self.time(token, thousands)?.round();
        self.check_clamped(rounded.clamped, token);
        Some(rounded.ns)
    }

    pub(super) fn check_clamped(&mut self, is_clamped: bool, token: Option<Token>) {
        if let Some(token) = token.filter(|_| is_clamped) {
            self.report(DiagnosticKind::TimeOutOfRange, (token.start, token.end));
        }
    }

    /// Sets an id. One of another form is reported.
    pub(super) fn id(
        &mut self,
        token: Option<Token>,
        id: &mut Vec<u8>,
        read: impl FnOnce(&[u8], &mut Vec<u8>) -> bool,
    ) {
        if !read(&decoded(self.data, token), id)
            && let Some(token) = token
        {
            self.report(DiagnosticKind::UnusualId, (token.start, token.end));
        }
    }
}
