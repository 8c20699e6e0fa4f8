//! The tokens of JSON, read leniently: where a string, a bare word or a nested value ends. \[json 2\]
//!
//! Positions are indices into the data. Nothing here recurses or allocates.

use spall_model::Text;

use crate::scan;

/// Why a token could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The data ends inside it.
    Incomplete,
    /// It is broken at this position.
    Damaged(usize),
}

/// What kind of value stands at some place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `"…"` without a backslash.
    String,
    /// `"…"` with a backslash.
    EscapedString,
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// Up to sixteen digits.
    Integer,
    /// Up to sixteen digits, a point and up to three digits.
    Decimal,
    /// Any other number, `true`, `null`, or a word that JSON does not have.
    Bare,
}

/// A value: what it is and where it stands, quotes and brackets included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The number, if it is an [`Kind::Integer`]; in thousandths, if it is a [`Kind::Decimal`]; else 0.
    pub(crate) number: u64,
}

impl Token {
    pub(crate) const NOWHERE: Self = Self { kind: Kind::Bare, start: 0, end: 0, number: 0 };
}

/// Whether JSON ignores `byte` between tokens.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The first position at or after `pos` that is not blank, and its byte.
#[inline]
pub(crate) fn skip_blanks(data: &[u8], mut pos: usize) -> Option<(usize, u8)> {
    loop {
        let byte = *data.get(pos)?;
        if !is_blank(byte) {
            return Some((pos, byte));
        }
        pos += 1;
    }
}

/// The position of the quote that ends the string whose inside begins at `pos`, and whether it holds a backslash.
#[inline(always)]
pub(crate) fn string_end(data: &[u8], pos: usize) -> Result<(usize, bool), Stop> {
    let special = scan::string_special(data, pos).ok_or(Stop::Incomplete)?;
    if data.get(special) == Some(&b'"') {
        return Ok((special, false));
    }
    quoted_end(data, special).map(|end| (end, true))
}

/// As [`string_end`], where it does not matter whether there is a backslash: that quote ends the string which follows
/// an even number of them.
#[inline(always)]
fn quoted_end(data: &[u8], pos: usize) -> Result<usize, Stop> {
    let quote = scan::quote(data, pos).ok_or(Stop::Incomplete)?;
    if data.get(quote.wrapping_sub(1)) == Some(&b'\\') { escaped_end(data, pos, quote) } else { Ok(quote) }
}

/// [`quoted_end`], from the first quote on.
#[inline(never)]
fn escaped_end(data: &[u8], pos: usize, mut quote: usize) -> Result<usize, Stop> {
    let mut from = pos;
    while is_escaped(data, from, quote) {
        from = quote + 1;
        quote = scan::quote(data, from).ok_or(Stop::Incomplete)?;
    }
    Ok(quote)
}

/// Whether the quote follows an odd number of backslashes, not counting those before `from`.
#[inline(never)]
fn is_escaped(data: &[u8], from: usize, quote: usize) -> bool {
    let inside = data.get(from..quote).unwrap_or_default();
    inside.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Whether a bare word ends before `byte`.
#[inline(always)]
fn ends_word(byte: u8) -> bool {
    #[allow(clippy::indexing_slicing, reason = "while compiling")]
    const ENDS: [bool; 256] = {
        let mut ends = [false; 256];
        let mut rest: &[u8] = b",}] \n\r\t:\"{[";
        while let [byte, tail @ ..] = rest {
            ends[*byte as usize] = true;
            rest = tail;
        }
        ends
    };
    ENDS.get(usize::from(byte)).copied().unwrap_or(false)
}

/// The end of the bare word that begins at `pos`.
pub(crate) fn word_end(data: &[u8], pos: usize) -> Result<usize, Stop> {
    word_length(data.get(pos..).unwrap_or_default()).map(|length| pos + length)
}

/// The length of the bare word that begins `text`.
fn word_length(text: &[u8]) -> Result<usize, Stop> {
    text.iter().position(|&byte| ends_word(byte)).ok_or(Stop::Incomplete)
}

/// The end of the array or object whose bracket is at `pos`.
pub(crate) fn nested_end(data: &[u8], pos: usize) -> Result<usize, Stop> {
    if data.get(pos) == Some(&b'{') { end_of::<b'{'>(data, pos) } else { end_of::<b'['>(data, pos) }
}

/// [`nested_end`] where the bracket is `OPEN`. Those of the other kind have to be closed, too.
fn end_of<const OPEN: u8>(data: &[u8], pos: usize) -> Result<usize, Stop> {
    // As in ASCII, for both kinds.
    let close = OPEN + 2;
    let (mut depth, mut others) = (1_usize, 0_usize);
    let mut structurals = scan::Structurals::new(data, pos + 1);
    loop {
        let at = structurals.next().ok_or(Stop::Incomplete)?;
        let byte = *data.get(at).ok_or(Stop::Incomplete)?;
        if byte == b'"' {
            let mut end = structurals.next_quote().ok_or(Stop::Incomplete)?;
            while data.get(end.wrapping_sub(1)) == Some(&b'\\') && is_escaped(data, at + 1, end) {
                end = structurals.next_quote().ok_or(Stop::Incomplete)?;
            }
            match data.get(end + 1).ok_or(Stop::Incomplete)? {
                b':' | b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' => {}
                // A quote too many or too few makes text out of what follows: found here, it costs one event.
                _ => return Err(Stop::Damaged(end + 1)),
            }
        } else if byte == OPEN {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return if others == 0 { Ok(at + 1) } else { Err(Stop::Damaged(at)) };
            }
        } else if byte == OPEN ^ 0x20 {
            others += 1;
        } else if byte == close ^ 0x20 {
            others = others.checked_sub(1).ok_or(Stop::Damaged(at))?;
        }
    }
}

/// The value that begins at `pos`, where something other than a blank stands.
#[inline(always)]
pub(crate) fn token(data: &[u8], pos: usize) -> Result<Token, Stop> {
    let Some(text @ [first, ..]) = data.get(pos..) else { return Err(Stop::Incomplete) };
    let (kind, end) = match first {
        b'0'..=b'9' => return number(text, pos),
        b'"' => return string(data, pos),
        b'{' if text.get(1) == Some(&b'}') => (Kind::Object, pos + 2),
        b'{' => (Kind::Object, nested_end(data, pos)?),
        b'[' => (Kind::Array, nested_end(data, pos)?),
        b',' | b':' | b'}' | b']' => return Err(Stop::Damaged(pos)),
        _ => (Kind::Bare, pos + word_length(text)?),
    };
    Ok(Token { kind, start: pos, end, number: 0 })
}

/// The string whose opening quote is at `pos`.
#[inline(always)]
pub(crate) fn string(data: &[u8], pos: usize) -> Result<Token, Stop> {
    let (end, escaped) = string_end(data, pos + 1)?;
    let kind = if escaped { Kind::EscapedString } else { Kind::String };
    Ok(Token { kind, start: pos, end: end + 1, number: 0 })
}

/// The number that begins `text`, which stands at `start`.
#[inline(always)]
fn number(text: &[u8], start: usize) -> Result<Token, Stop> {
    let (mut number, mut length) = scan::leading_digits(text);
    let mut kind = Kind::Integer;
    if text.get(length) == Some(&b'.') {
        let (decimals, count) = scan::leading_digits(text.get(length + 1..).unwrap_or_default());
        length += 1 + count;
        (kind, number) = match [1, 10, 100].get(3_usize.wrapping_sub(count)) {
            Some(scale) => (Kind::Decimal, number * 1000 + decimals * scale),
            None => (Kind::Bare, 0),
        };
    }
    match text.get(length) {
        Some(&byte) if ends_word(byte) => {}
        Some(_) => {
            length += word_length(text.get(length..).unwrap_or_default())?;
            (kind, number) = (Kind::Bare, 0);
        }
        None => return Err(Stop::Incomplete),
    }
    Ok(Token { kind, start, end: start + length, number })
}

/// The key of a member of an object, as positions in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// The inside of the string.
    pub(crate) inside: (usize, usize),
    /// Whether it holds a backslash.
    pub(crate) escaped: bool,
    /// Where the value begins.
    pub(crate) value: usize,
}

impl Key {
    /// Whether the key, decoded, is `name`.
    pub(crate) fn is(&self, data: &[u8], name: &[u8]) -> bool {
        let key = data.get(self.inside.0..self.inside.1).unwrap_or_default();
        key == name || self.escaped && Text::escaped(key).is(name)
    }
}

/// A key with its value, as positions in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) key: Key,
    pub(crate) value: Token,
}

/// Steps over blanks and commas to the next key of an object and its colon, or over the closing brace (`None`).
#[inline]
pub(crate) fn next_key(data: &[u8], pos: &mut usize) -> Result<Option<Key>, Stop> {
    let mut at = *pos;
    loop {
        match data.get(at) {
            None => return Err(Stop::Incomplete),
            Some(b'"') => break,
            Some(b',') => at += 1,
            Some(&byte) if is_blank(byte) => at += 1,
            Some(b'}') => {
                *pos = at + 1;
                return Ok(None);
            }
            Some(_) => return Err(Stop::Damaged(at)),
        }
    }
    let (end, escaped) = string_end(data, at + 1)?;
    let (colon, byte) = skip_blanks(data, end + 1).ok_or(Stop::Incomplete)?;
    if byte != b':' {
        return Err(Stop::Damaged(colon));
    }
    let (value, _) = skip_blanks(data, colon + 1).ok_or(Stop::Incomplete)?;
    *pos = value;
    Ok(Some(Key { inside: (at + 1, end), escaped, value }))
}

/// Reads the next member of an object, or steps over its closing brace (`None`).
#[inline]
pub(crate) fn next_member(data: &[u8], pos: &mut usize) -> Result<Option<Member>, Stop> {
    let Some(key) = next_key(data, pos)? else { return Ok(None) };
    let value = token(data, key.value)?;
    *pos = value.end;
    Ok(Some(Member { key, value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_the_first_quote_without_a_backslash() {
        assert_eq!(string_end(br#"ab"c"#, 0), Ok((2, false)));
        assert_eq!(string_end(br#"a\"b\\"c"#, 0), Ok((6, true)));
        assert_eq!(string_end(br#"a\"#, 0), Err(Stop::Incomplete));
        assert_eq!(string_end(br#"a\""#, 0), Err(Stop::Incomplete));
        assert_eq!(string_end(br#"\"\\\"\\"c"#, 0), Ok((8, true)));
    }

    #[test]
    fn a_string_in_a_nested_value_with_something_behind_it_is_damaged() {
        assert_eq!(nested_end(br#"{"a":"x},"ts":1},{"b":"y"}"#, 0), Err(Stop::Damaged(10)));
    }

    #[test]
    fn nested_values_end_where_both_kinds_of_bracket_are_closed() {
        assert_eq!(nested_end(br#"{"a":[1,{"b":"]}"}]}x"#, 0), Ok(20));
        assert_eq!(nested_end(b"[[]] ", 0), Ok(4));
        assert_eq!(nested_end(b"{[}", 0), Err(Stop::Damaged(2)));
        assert_eq!(nested_end(b"[}", 0), Err(Stop::Damaged(1)));
        assert_eq!(nested_end(b"{[", 0), Err(Stop::Incomplete));
    }

    #[test]
    fn short_numbers_are_read_at_once() {
        let kind = |text: &[u8]| token(text, 0).map(|token| (token.kind, token.end, token.number));
        assert_eq!(kind(b"007,"), Ok((Kind::Integer, 3, 7)));
        assert_eq!(kind(b"1.5,"), Ok((Kind::Decimal, 3, 1500)));
        assert_eq!(kind(b"9999999999999999.999}"), Ok((Kind::Decimal, 20, 9_999_999_999_999_999_999)));
        assert_eq!(kind(b"10000000000000000 "), Ok((Kind::Bare, 17, 0)));
        assert_eq!(kind(b"1.0005,"), Ok((Kind::Bare, 6, 0)));
        assert_eq!(kind(b"1.,"), Ok((Kind::Bare, 2, 0)));
        assert_eq!(kind(b"1e3]"), Ok((Kind::Bare, 3, 0)));
        assert_eq!(kind(b"-1,"), Ok((Kind::Bare, 2, 0)));
        assert_eq!(kind(b"12"), Err(Stop::Incomplete));
    }

    #[test]
    fn members_are_read_one_by_one() {
        let data = br#" , "a" : 1 ,"b":"x"} "#;
        let mut pos = 0;
        let first = next_member(data, &mut pos).unwrap().unwrap();
        assert_eq!(first.value, Token { kind: Kind::Integer, start: 9, end: 10, number: 1 });
        let second = next_member(data, &mut pos).unwrap().unwrap();
        assert_eq!(second.value, Token { kind: Kind::String, start: 16, end: 19, number: 0 });
        assert_eq!(next_member(data, &mut pos), Ok(None));
        assert_eq!(pos, data.len() - 1);
    }

    #[test]
    fn a_member_without_colon_or_value_is_damaged() {
        assert_eq!(next_member(br#""a" 1}"#, &mut 0), Err(Stop::Damaged(4)));
        assert_eq!(next_member(br#""a":}"#, &mut 0), Err(Stop::Damaged(4)));
        assert_eq!(next_member(b"5}", &mut 0), Err(Stop::Damaged(0)));
    }
}
