//! The lexer, which reads JSON leniently: it finds the ends of strings, bare words and nested values. [json
//! 2](crate::rules::json#2)
//!
//! Positions are indices into the data, which may end anywhere. Nothing here recurses or allocates.
//!
//! What reads a value is inlined into the predictor, where the value stays in registers: without `inline(always)` on any
//! one of these functions, JSON to events (begin-end, many kinds) takes 7 to 20 % more instructions.

use spall_model::Text;

use crate::scan;

/// The reason why a token cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenError {
    /// The data ends inside the token.
    Incomplete,
    /// The token is broken at this position.
    Damaged(usize),
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A string, `"…"`, without a backslash.
    String,
    /// A string, `"…"`, with a backslash.
    EscapedString,
    /// An object, `{…}`.
    Object,
    /// An array, `[…]`.
    Array,
    /// A number of one to sixteen digits.
    Integer(u64),
    /// A number of one to sixteen digits, a point, and one to three digits.
    ///
    /// Times are microseconds with up to three decimals in nearly every file, so that most of them are whole
    /// nanoseconds as soon as their token is found.
    Decimal {
        /// The number times a thousand.
        thousandths: u64,
    },
    /// Any other number, `true`, `null`, or a word that JSON does not have.
    Bare,
}

/// A value and its position, quotes and brackets included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    /// An empty token, for slots that were never filled.
    pub(crate) const EMPTY: Self = Self { kind: TokenKind::Bare, start: 0, end: 0 };

    /// Returns the bytes of the token in the data that it was found in.
    #[inline]
    pub(crate) fn bytes(self, data: &[u8]) -> &[u8] {
        data.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the number of a [`TokenKind::Integer`].
    #[inline]
    pub(crate) fn whole(self) -> Option<u64> {
        match self.kind {
            TokenKind::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the bytes between the quotes or brackets of the token.
    #[inline]
    pub(crate) fn inside(self, data: &[u8]) -> &[u8] {
        data.get(self.start + 1..self.end.wrapping_sub(1)).unwrap_or_default()
    }

    /// Returns whether the token is the word `null`.
    #[inline]
    pub(crate) fn is_null(self, data: &[u8]) -> bool {
        self.kind == TokenKind::Bare && self.bytes(data) == b"null"
    }
}

/// Returns whether JSON ignores `byte` between tokens.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Returns the first position at or after `pos` that is not blank, and its byte, or `None` at the end of the data.
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

/// Returns the position of the quote that ends the string whose inside begins at `pos`, and whether the string holds a
/// backslash.
// Without the attributes in this file, the job `JSON to events, begin-end` takes 39 % more instructions.
#[inline(always)]
pub(crate) fn string_end(data: &[u8], pos: usize) -> Result<(usize, bool), TokenError> {
    let special = scan::string_special(data, pos).ok_or(TokenError::Incomplete)?;
    if data.get(special) == Some(&b'"') {
        return Ok((special, false));
    }
    quoted_end(data, special).map(|end| (end, true))
}

/// Returns the position of the quote that ends a string which may hold backslashes. It is the first one after an even
/// number of backslashes.
#[inline]
fn quoted_end(data: &[u8], pos: usize) -> Result<usize, TokenError> {
    let quote = scan::quote(data, pos).ok_or(TokenError::Incomplete)?;
    if data.get(quote.wrapping_sub(1)) == Some(&b'\\') { escaped_end(data, pos, quote) } else { Ok(quote) }
}

/// Finds the same quote as [`quoted_end`], when the first quote at `quote` follows a backslash.
fn escaped_end(data: &[u8], pos: usize, mut quote: usize) -> Result<usize, TokenError> {
    // Backslashes are counted from the last quote on only: each byte is looked at twice at most.
    let mut from = pos;
    while is_escaped(data, from, quote) {
        from = quote + 1;
        quote = scan::quote(data, from).ok_or(TokenError::Incomplete)?;
    }
    Ok(quote)
}

/// Returns whether the byte at `quote` follows an odd number of backslashes, not counting those before `from`.
fn is_escaped(data: &[u8], from: usize, quote: usize) -> bool {
    let inside = data.get(from..quote).unwrap_or_default();
    inside.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Returns whether a bare word ends before `byte`.
#[inline]
fn ends_word(byte: u8) -> bool {
    // A table costs one load for a byte; comparing with eleven bytes costs more.
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

/// Returns the end of the bare word that begins at `pos`.
pub(crate) fn word_end(data: &[u8], pos: usize) -> Result<usize, TokenError> {
    word_length(data.get(pos..).unwrap_or_default()).map(|length| pos + length)
}

/// Returns the length of the bare word that begins `text`.
fn word_length(text: &[u8]) -> Result<usize, TokenError> {
    text.iter().position(|&byte| ends_word(byte)).ok_or(TokenError::Incomplete)
}

/// Returns the end of the array or object whose opening bracket is at `pos`. Brackets of the other kind inside it must be
/// closed, too.
///
/// Two counts take the place of a stack. `{[{]}}` passes as closed, which is harmless: reading the inside of such a
/// value ends at the damage.
pub(crate) fn nested_end(data: &[u8], pos: usize) -> Result<usize, TokenError> {
    let open = if data.get(pos) == Some(&b'{') { b'{' } else { b'[' };
    // In ASCII, a closing bracket is two above its opening one, and `{` is `[` with the bit 0x20 set.
    let close = open + 2;
    let (mut depth, mut others) = (1_usize, 0_usize);
    let mut structurals = scan::Structurals::new(data, pos + 1);
    loop {
        let at = structurals.next().ok_or(TokenError::Incomplete)?;
        let byte = *data.get(at).ok_or(TokenError::Incomplete)?;
        if byte == b'"' {
            let mut end = structurals.next_quote().ok_or(TokenError::Incomplete)?;
            while data.get(end.wrapping_sub(1)) == Some(&b'\\') && is_escaped(data, at + 1, end) {
                end = structurals.next_quote().ok_or(TokenError::Incomplete)?;
            }
            let behind = *data.get(end + 1).ok_or(TokenError::Incomplete)?;
            match behind {
                b':' | b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' => {}
                // Behind a missing quote, text and structure change places up to the end of the file. A byte that
                // cannot follow a string gives this away at once, so that the damage costs one event.
                _ => return Err(TokenError::Damaged(end + 1)),
            }
        } else if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return if others == 0 { Ok(at + 1) } else { Err(TokenError::Damaged(at)) };
            }
        } else if byte == open ^ 0x20 {
            others += 1;
        } else if byte == close ^ 0x20 {
            others = others.checked_sub(1).ok_or(TokenError::Damaged(at))?;
        }
    }
}

/// Reads the value that begins at `pos`, where the data has a byte that is not blank.
#[inline(always)]
pub(crate) fn token(data: &[u8], pos: usize) -> Result<Token, TokenError> {
    let Some(text @ [first, ..]) = data.get(pos..) else { return Err(TokenError::Incomplete) };
    let (kind, end) = match first {
        b'0'..=b'9' => return number(text, pos),
        b'"' => return string(data, pos),
        b'{' if text.get(1) == Some(&b'}') => (TokenKind::Object, pos + 2),
        b'{' => (TokenKind::Object, nested_end(data, pos)?),
        b'[' => (TokenKind::Array, nested_end(data, pos)?),
        b',' | b':' | b'}' | b']' => return Err(TokenError::Damaged(pos)),
        _ => (TokenKind::Bare, pos + word_length(text)?),
    };
    Ok(Token { kind, start: pos, end })
}

/// Reads the string whose opening quote is at `pos`.
#[inline(always)]
pub(crate) fn string(data: &[u8], pos: usize) -> Result<Token, TokenError> {
    let (end, escaped) = string_end(data, pos + 1)?;
    let kind = if escaped { TokenKind::EscapedString } else { TokenKind::String };
    Ok(Token { kind, start: pos, end: end + 1 })
}

/// Reads the number that begins `text`; `start` is the position of `text` in the data.
#[inline(always)]
fn number(text: &[u8], start: usize) -> Result<Token, TokenError> {
    let (number, mut length) = scan::leading_digits(text);
    let mut kind = TokenKind::Integer(number);
    // Sixteen digits times 1000, plus three digits, is below 2⁶⁴: nothing here overflows.
    if text.get(length) == Some(&b'.') {
        let (decimals, count) = scan::leading_digits(text.get(length + 1..).unwrap_or_default());
        length += 1 + count;
        // No digit, and more than three, are left to the general form.
        kind = match [1, 10, 100].get(3_usize.wrapping_sub(count)) {
            Some(scale) => TokenKind::Decimal { thousandths: number * 1000 + decimals * scale },
            None => TokenKind::Bare,
        };
    }
    match text.get(length) {
        Some(&byte) if ends_word(byte) => {}
        Some(_) => {
            length += word_length(text.get(length..).unwrap_or_default())?;
            kind = TokenKind::Bare;
        }
        None => return Err(TokenError::Incomplete),
    }
    Ok(Token { kind, start, end: start + length })
}

/// The key of an object's member, as positions in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyToken {
    /// The range of the key without its quotes.
    pub(crate) inside: (usize, usize),
    /// Whether the key holds a backslash.
    pub(crate) escaped: bool,
    /// The position where the member's value begins.
    pub(crate) value: usize,
}

impl KeyToken {
    /// Returns the bytes of the key without its quotes, escapes not decoded.
    #[inline]
    pub(crate) fn bytes<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        data.get(self.inside.0..self.inside.1).unwrap_or_default()
    }

    /// Returns the key as text.
    pub(crate) fn text<'a>(&self, data: &'a [u8]) -> Text<'a> {
        if self.escaped { Text::escaped(self.bytes(data)) } else { Text::plain(self.bytes(data)) }
    }

    /// Returns the key as the string that it is, quotes included.
    pub(crate) fn token(&self) -> Token {
        let kind = if self.escaped { TokenKind::EscapedString } else { TokenKind::String };
        Token { kind, start: self.inside.0 - 1, end: self.inside.1 + 1 }
    }

    /// Returns whether the key, escapes decoded, is `name`.
    pub(crate) fn is(&self, data: &[u8], name: &[u8]) -> bool {
        let key = self.bytes(data);
        key == name || self.escaped && Text::escaped(key).is(name)
    }
}

/// A key and its value, as positions in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) key: KeyToken,
    pub(crate) value: Token,
}

/// Reads the next key of an object up to the beginning of its value, and moves `pos` there. Returns `None` at the
/// closing brace, and moves `pos` behind it.
///
/// Any number of commas may stand before the key. [json 2](crate::rules::json#2)
#[inline]
pub(crate) fn next_key(data: &[u8], pos: &mut usize) -> Result<Option<KeyToken>, TokenError> {
    let mut at = *pos;
    loop {
        match data.get(at) {
            None => return Err(TokenError::Incomplete),
            Some(b'"') => break,
            Some(b',') => at += 1,
            Some(&byte) if is_blank(byte) => at += 1,
            Some(b'}') => {
                *pos = at + 1;
                return Ok(None);
            }
            Some(_) => return Err(TokenError::Damaged(at)),
        }
    }
    let (end, escaped) = string_end(data, at + 1)?;
    let (colon, byte) = skip_blanks(data, end + 1).ok_or(TokenError::Incomplete)?;
    if byte != b':' {
        return Err(TokenError::Damaged(colon));
    }
    let (value, _) = skip_blanks(data, colon + 1).ok_or(TokenError::Incomplete)?;
    *pos = value;
    Ok(Some(KeyToken { inside: (at + 1, end), escaped, value }))
}

/// Reads the next member of an object and moves `pos` behind it. Returns `None` at the closing brace, and moves `pos`
/// behind that.
#[inline]
pub(crate) fn next_member(data: &[u8], pos: &mut usize) -> Result<Option<Member>, TokenError> {
    let Some(key) = next_key(data, pos)? else { return Ok(None) };
    let value = token(data, key.value)?;
    *pos = value.end;
    Ok(Some(Member { key, value }))
}

/// Returns for each key the value of the member with that key, of the object that begins at `object` if one does. The
/// last one counts where a key is repeated. Members behind damage are not found.
pub(crate) fn members<const N: usize>(data: &[u8], object: usize, keys: [&[u8]; N]) -> [Option<Token>; N] {
    let mut found = [None; N];
    let mut pos = object + 1;
    while data.get(object) == Some(&b'{')
        && let Ok(Some(member)) = next_member(data, &mut pos)
    {
        for (_, found) in keys.iter().zip(&mut found).filter(|(key, _)| member.key.is(data, key)) {
            *found = Some(member.value);
        }
    }
    found
}

/// Returns the keys of the object whose brace is at `object`, up to damage or the end of the data. The value of the last
/// one may be cut.
pub(crate) fn keys(data: &[u8], object: usize) -> impl Iterator<Item = KeyToken> {
    let mut next = (data.get(object) == Some(&b'{')).then_some(object + 1);
    let mut value = None;
    core::iter::from_fn(move || {
        // A value is walked over only if the key behind it is asked for.
        if let Some(value) = value.take() {
            next = token(data, value).ok().map(|value| value.end);
        }
        let key = next_key(data, next.as_mut()?).ok().flatten()?;
        value = Some(key.value);
        Some(key)
    })
}

/// Reads the next item of an array, behind commas and blanks at `pos`, and moves `pos` behind the item. Returns
/// `None` at the end of the array and where the array is damaged.
pub(crate) fn next_item(data: &[u8], pos: &mut usize) -> Option<Token> {
    let item = token(data, item_start(data, *pos)?).ok()?;
    *pos = item.end;
    Some(item)
}

/// Returns the position of the next item of an array, behind commas and blanks at `pos`. Returns `None` at the end of
/// the array.
pub(crate) fn item_start(data: &[u8], mut pos: usize) -> Option<usize> {
    loop {
        match *data.get(pos)? {
            b',' => pos += 1,
            byte if is_blank(byte) => pos += 1,
            b']' => return None,
            _ => return Some(pos),
        }
    }
}

/// Returns the position behind the bracket that ends an array, which follows commas and blanks at `pos`.
#[cfg(feature = "alloc")]
pub(crate) fn array_end(data: &[u8], mut pos: usize) -> Result<usize, TokenError> {
    loop {
        match data.get(pos) {
            None => return Err(TokenError::Incomplete),
            Some(b']') => return Ok(pos + 1),
            Some(&byte) if byte == b',' || is_blank(byte) => pos += 1,
            Some(_) => return Err(TokenError::Damaged(pos)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_the_first_quote_without_a_backslash() {
        assert_eq!(string_end(br#"ab"c"#, 0), Ok((2, false)));
        assert_eq!(string_end(br#"a\"b\\"c"#, 0), Ok((6, true)));
        assert_eq!(string_end(br#"a\"#, 0), Err(TokenError::Incomplete));
        assert_eq!(string_end(br#"a\""#, 0), Err(TokenError::Incomplete));
        assert_eq!(string_end(br#"\"\\\"\\"c"#, 0), Ok((8, true)));
    }

    #[test]
    fn a_string_in_a_nested_value_with_something_behind_it_is_damaged() {
        assert_eq!(nested_end(br#"{"a":"x},"ts":1},{"b":"y"}"#, 0), Err(TokenError::Damaged(10)));
    }

    #[test]
    fn nested_values_end_where_both_kinds_of_bracket_are_closed() {
        assert_eq!(nested_end(br#"{"a":[1,{"b":"]}"}]}x"#, 0), Ok(20));
        assert_eq!(nested_end(b"[[]] ", 0), Ok(4));
        assert_eq!(nested_end(b"{[}", 0), Err(TokenError::Damaged(2)));
        assert_eq!(nested_end(b"[}", 0), Err(TokenError::Damaged(1)));
        assert_eq!(nested_end(b"{[", 0), Err(TokenError::Incomplete));
    }

    #[test]
    fn short_numbers_are_read_at_once() {
        let kind = |text: &[u8]| token(text, 0).map(|token| (token.kind, token.end));
        let decimal = |thousandths| TokenKind::Decimal { thousandths };
        assert_eq!(kind(b"007,"), Ok((TokenKind::Integer(7), 3)));
        assert_eq!(kind(b"1.5,"), Ok((decimal(1500), 3)));
        assert_eq!(kind(b"9999999999999999.999}"), Ok((decimal(9_999_999_999_999_999_999), 20)));
        assert_eq!(kind(b"10000000000000000 "), Ok((TokenKind::Bare, 17)));
        assert_eq!(kind(b"1.0005,"), Ok((TokenKind::Bare, 6)));
        assert_eq!(kind(b"1.,"), Ok((TokenKind::Bare, 2)));
        assert_eq!(kind(b"1e3]"), Ok((TokenKind::Bare, 3)));
        assert_eq!(kind(b"-1,"), Ok((TokenKind::Bare, 2)));
        assert_eq!(kind(b"12"), Err(TokenError::Incomplete));
    }

    #[test]
    fn members_are_read_one_by_one() {
        let data = br#" , "a" : 1 ,"b":"x"} "#;
        let mut pos = 0;
        let first = next_member(data, &mut pos).unwrap().unwrap();
        assert_eq!(first.value, Token { kind: TokenKind::Integer(1), start: 9, end: 10 });
        let second = next_member(data, &mut pos).unwrap().unwrap();
        assert_eq!(second.value, Token { kind: TokenKind::String, start: 16, end: 19 });
        assert_eq!(next_member(data, &mut pos), Ok(None));
        assert_eq!(pos, data.len() - 1);
    }

    #[test]
    fn a_member_without_colon_or_value_is_damaged() {
        assert_eq!(next_member(br#""a" 1}"#, &mut 0), Err(TokenError::Damaged(4)));
        assert_eq!(next_member(br#""a":}"#, &mut 0), Err(TokenError::Damaged(4)));
        assert_eq!(next_member(b"5}", &mut 0), Err(TokenError::Damaged(0)));
    }
}
