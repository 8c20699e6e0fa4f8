//! The decoder of ids, which are numbers or texts that may spell numbers. [json 2](crate::rules::json#2)

use spall_model::Id;

use crate::decimal::Nanos;
use crate::lexer::{Token, TokenKind};
use crate::scalar::unescaped;

/// Returns the id of a process or thread, and `None` if the token cannot be one. Text that is a whole number in any
/// spelling is that number.
#[inline]
pub(crate) fn process_or_thread(data: &[u8], token: Token) -> Option<Id<'_>> {
    let inside = token.inside(data);
    match token.kind {
        TokenKind::String => Some(whole_number(inside.trim_ascii()).map_or(Id::Text(inside), Id::Number)),
        TokenKind::EscapedString => {
            let number = unescaped(inside, |text| whole_number(text.trim_ascii()));
            Some(number.map_or(Id::Text(inside), Id::Number))
        }
        _ => key(data, token),
    }
}

/// Returns the id of an async event, an object, a flow or a frame, and `None` if the token cannot be one.
///
/// Text is a number only if it is the canonical spelling of it: `"72"` is 72, but `"072"` and `"0x48"` are texts, as
/// other readers tell them apart.
#[inline]
pub(crate) fn key(data: &[u8], token: Token) -> Option<Id<'_>> {
    match token.kind {
        // Sixteen digits fit.
        TokenKind::Integer(number) => i64::try_from(number).ok().map(Id::Number),
        TokenKind::String => {
            let text = token.inside(data);
            Some(canonical(text).map_or(Id::Text(text), Id::Number))
        }
        TokenKind::EscapedString => {
            let inside = token.inside(data);
            Some(unescaped(inside, canonical).map_or(Id::Text(inside), Id::Number))
        }
        TokenKind::Decimal { .. } | TokenKind::Bare => {
            let word = token.bytes(data);
            match canonical(word).or_else(|| whole_number(word)) {
                Some(number) => Some(Id::Number(number)),
                None => Nanos::from_micros(word).map(|_| Id::Text(word)),
            }
        }
        TokenKind::Object | TokenKind::Array => None,
    }
}

/// Returns the integer whose canonical spelling is `text`: no sign but `-`, no leading zeros, in the range of `i64`.
#[inline]
fn canonical(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        // Parsing below would accept a plus.
        [] | [b'0' | b'+', ..] => return None,
        // Eighteen digits cannot overflow below.
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

/// Returns the whole number that `text` spells in any way, such as `1.0`, `1e3` or `007`.
pub(crate) fn whole_number(text: &[u8]) -> Option<i64> {
    canonical(text).or_else(|| Nanos::from_micros(text)?.whole_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token that is all of `text`.
    fn whole(kind: TokenKind, text: &str) -> Token {
        Token { kind, start: 0, end: text.len() }
    }

    #[test]
    fn json_2_spellings_of_process_and_thread_ids() {
        let id = |kind, text: &'static str| process_or_thread(text.as_bytes(), whole(kind, text));
        assert_eq!(id(TokenKind::Bare, "1.0"), Some(Id::Number(1)));
        assert_eq!(id(TokenKind::Bare, "-5"), Some(Id::Number(-5)));
        assert_eq!(id(TokenKind::Bare, "9223372036854775807"), Some(Id::Number(i64::MAX)));
        assert_eq!(id(TokenKind::Bare, "9223372036854775808"), Some(Id::Text(b"9223372036854775808")));
        assert_eq!(id(TokenKind::Bare, "1.5"), Some(Id::Text(b"1.5")));
        assert_eq!(id(TokenKind::String, "\" 7 \""), Some(Id::Number(7)));
        assert_eq!(id(TokenKind::String, "\"007\""), Some(Id::Number(7)));
        assert_eq!(id(TokenKind::String, "\"io\""), Some(Id::Text(b"io")));
        assert_eq!(id(TokenKind::EscapedString, r#""\u0037\n""#), Some(Id::Number(7)));
        assert_eq!(id(TokenKind::EscapedString, r#""i\u006f""#), Some(Id::Text(br"i\u006f")));
        assert_eq!(id(TokenKind::Bare, "true"), None);
        assert_eq!(id(TokenKind::Object, "{}"), None);
    }

    #[test]
    fn pairing_5_spellings_of_keys() {
        let key = |kind, text: &'static str| key(text.as_bytes(), whole(kind, text));
        assert_eq!(key(TokenKind::String, "\"72\""), Some(Id::Number(72)));
        assert_eq!(key(TokenKind::String, "\"-9223372036854775808\""), Some(Id::Number(i64::MIN)));
        assert_eq!(key(TokenKind::String, "\"072\""), Some(Id::Text(b"072")));
        for text in [b"+7", &b"+1234567890123456789"[..]] {
            let quoted = [b"\"", text, b"\""].concat();
            let token = Token { kind: TokenKind::String, start: 0, end: quoted.len() };
            assert_eq!(super::key(&quoted, token), Some(Id::Text(text)));
        }
        assert_eq!(key(TokenKind::String, "\"0x1\""), Some(Id::Text(b"0x1")));
        assert_eq!(key(TokenKind::EscapedString, r#""7\u0032""#), Some(Id::Number(72)));
        assert_eq!(key(TokenKind::EscapedString, r#""\u0030""#), Some(Id::Number(0)));
        assert_eq!(key(TokenKind::EscapedString, r#""\u00307""#), Some(Id::Text(br"\u00307")));
        assert_eq!(key(TokenKind::String, "\"-0\""), Some(Id::Text(b"-0")));
        assert_eq!(key(TokenKind::String, "\"\""), Some(Id::Text(b"")));
        assert_eq!(key(TokenKind::Bare, "0"), Some(Id::Number(0)));
    }
}
