//! Text as a file has it: bytes in which JSON escapes may not be decoded yet.

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt::{self, Write};

/// A text that is borrowed from the input: its bytes, and whether they may contain JSON escapes.
///
/// The bytes need not be UTF-8. Real traces have names that are cut in the middle of a character.
///
/// ```
/// use spall_model::Text;
///
/// let text = Text::escaped(br"caf\u00e9");
/// assert_eq!(text.to_string(), "café");
/// assert!(text.is("café".as_bytes()));
/// assert_eq!(Text::from("C:\\new").to_string(), "C:\\new");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Text<'a> {
    raw: &'a [u8],
    form: Form,
}

/// Whether a text may contain JSON escapes.
// The form is a whole machine word, so that a text has no padding. Padding makes the compiler copy an event in pieces
// of odd sizes, and a load that spans two such stores stalls. This cost 5 % of loading spall v3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(usize)]
enum Form {
    #[default]
    Plain,
    Escaped,
}

impl<'a> Text<'a> {
    /// The empty text, which has no bytes.
    pub const EMPTY: Self = Self::plain(b"");

    /// Returns a text without escapes: every byte means itself.
    #[must_use]
    pub const fn plain(raw: &'a [u8]) -> Self {
        Self { raw, form: Form::Plain }
    }

    /// Returns the content of a JSON string as a text. `raw` may contain escapes, and whatever a lenient reader lets
    /// through.
    #[must_use]
    pub const fn escaped(raw: &'a [u8]) -> Self {
        Self { raw, form: Form::Escaped }
    }

    /// Returns the text whose [`Text::raw`] and [`Text::is_escaped`] these are.
    #[must_use]
    pub(crate) const fn from_raw(raw: &'a [u8], is_escaped: bool) -> Self {
        if is_escaped { Self::escaped(raw) } else { Self::plain(raw) }
    }

    /// Returns the bytes as the file has them.
    #[must_use]
    pub const fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// Returns whether [`Text::raw`] may contain JSON escapes.
    #[must_use]
    pub const fn is_escaped(self) -> bool {
        matches!(self.form, Form::Escaped)
    }

    /// Returns whether the text is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.raw.is_empty()
    }

    /// Iterates over the text in pieces, with escapes decoded. This does not allocate.
    #[must_use]
    pub fn pieces(self) -> Pieces<'a> {
        Pieces { rest: self.raw, escaped: self.is_escaped() }
    }

    /// Returns the characters of the text: escapes are decoded, and bad UTF-8 becomes U+FFFD.
    pub fn chars(self) -> impl Iterator<Item = char> + Clone {
        self.pieces().flat_map(|piece| {
            let (bytes, escape) = match piece {
                Piece::Bytes(bytes) => (bytes, None),
                Piece::Char(character) => (&b""[..], Some(character)),
            };
            let of_chunk = |chunk: core::str::Utf8Chunk<'a>| {
                let bad = (!chunk.invalid().is_empty()).then_some(char::REPLACEMENT_CHARACTER);
                chunk.valid().chars().chain(bad)
            };
            bytes.utf8_chunks().flat_map(of_chunk).chain(escape)
        })
    }

    /// Returns whether the decoded text is exactly `other`.
    #[must_use]
    pub fn is(self, other: &[u8]) -> bool {
        let mut rest = other;
        let mut buffer = [0; 4];
        self.pieces().all(|piece| match rest.strip_prefix(piece.bytes(&mut buffer)) {
            Some(tail) => {
                rest = tail;
                true
            }
            None => false,
        }) && rest.is_empty()
    }

    /// Returns the bytes, or `None` if there is an escape in them.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn as_plain(self) -> Option<&'a [u8]> {
        (!self.is_escaped() || !has_backslash(self.raw)).then_some(self.raw)
    }

    /// Returns the bytes with escapes decoded. They are borrowed if there were no escapes.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn unescape(self) -> Cow<'a, [u8]> {
        if let Some(plain) = self.as_plain() {
            return Cow::Borrowed(plain);
        }
        let mut bytes = Vec::with_capacity(self.raw.len());
        let mut buffer = [0; 4];
        for piece in self.pieces() {
            bytes.extend_from_slice(piece.bytes(&mut buffer));
        }
        Cow::Owned(bytes)
    }

    /// Returns the text as a string, with escapes decoded and bad UTF-8 replaced by U+FFFD.
    ///
    /// ```
    /// use spall_model::Text;
    /// assert_eq!(Text::escaped(br"caf\u00e9 \ud83d\ude00").decode(), "café 😀");
    /// assert_eq!(Text::plain(b"a\xffb").decode(), "a\u{fffd}b");
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn decode(self) -> Cow<'a, str> {
        match self.unescape() {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(
                String::from_utf8(bytes)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            ),
        }
    }
}

impl<'a> From<&'a str> for Text<'a> {
    /// Takes the bytes as they are: a backslash is a backslash.
    fn from(text: &'a str) -> Self {
        Self::plain(text.as_bytes())
    }
}

impl<'a> From<&'a [u8]> for Text<'a> {
    /// Takes the bytes as they are: a backslash is a backslash.
    fn from(bytes: &'a [u8]) -> Self {
        Self::plain(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Text<'a> {
    /// Takes the bytes as they are: a backslash is a backslash.
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::plain(bytes)
    }
}

/// Writes the text with its escapes decoded and bad UTF-8 replaced by U+FFFD. Width and alignment are respected.
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = f.width().map_or(0, |width| width.saturating_sub(self.chars().count()));
        let before = match f.align() {
            Some(fmt::Alignment::Right) => missing,
            Some(fmt::Alignment::Center) => missing / 2,
            _ => 0,
        };
        let fill = f.fill();
        (0..before).try_for_each(|_| f.write_char(fill))?;
        for piece in self.pieces() {
            match piece {
                Piece::Bytes(bytes) if let Ok(text) = core::str::from_utf8(bytes) => f.write_str(text)?,
                Piece::Bytes(bytes) => {
                    for chunk in bytes.utf8_chunks() {
                        f.write_str(chunk.valid())?;
                        if !chunk.invalid().is_empty() {
                            f.write_char(char::REPLACEMENT_CHARACTER)?;
                        }
                    }
                }
                Piece::Char(character) => f.write_char(character)?,
            }
        }
        (before..missing).try_for_each(|_| f.write_char(fill))
    }
}

/// Returns whether the text has a backslash. It looks at eight bytes at a time: a vectorised search would cost more
/// to set up than it saves, because most texts that are decoded are short ids.
#[cfg(feature = "alloc")]
#[inline]
fn has_backslash(text: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = text.as_chunks();
    let in_word = |word: &[u8; 8]| {
        // Taking one from each byte sets the highest bit of those that are zero. Of the others it only leaves the bit
        // set where it was, which the second term masks out, or borrows behind a zero byte, which changes no answer.
        let zero_if_backslash = u64::from_le_bytes(*word) ^ (ONES * u64::from(b'\\'));
        zero_if_backslash.wrapping_sub(ONES) & !zero_if_backslash & (ONES << 7) != 0
    };
    words.iter().any(in_word) || rest.contains(&b'\\')
}

/// A piece of a [`Text`]: bytes that mean themselves, or one decoded escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Bytes of the input without an escape. They need not be UTF-8.
    Bytes(&'a [u8]),
    /// The character that an escape stands for.
    Char(char),
}

impl<'a> Piece<'a> {
    /// Returns the bytes of the piece. The bytes of a decoded character are written to `buffer`, which the result then
    /// borrows.
    pub fn bytes<'b>(self, buffer: &'b mut [u8; 4]) -> &'b [u8]
    where
        'a: 'b,
    {
        match self {
            Piece::Bytes(bytes) => bytes,
            Piece::Char(character) => character.encode_utf8(buffer).as_bytes(),
        }
    }
}

/// An iterator over the pieces of a [`Text`], from [`Text::pieces`].
///
/// An escape that JSON does not have keeps its backslash and its character. A surrogate pair is one character, and half
/// a pair is U+FFFD.
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    rest: &'a [u8],
    escaped: bool,
}

impl<'a> Pieces<'a> {
    /// Removes and returns the first `length` bytes of the rest, or all of it if it is shorter.
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (head, tail) = self.rest.split_at_checked(length).unwrap_or((self.rest, b""));
        self.rest = tail;
        head
    }

    /// Returns the character of the escape at the start of the rest and the escape's length, or `None` if JSON has no
    /// such escape.
    fn escape(&self) -> Option<(char, usize)> {
        let simple = match self.rest.get(1)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'u' => return self.unicode_escape(),
            _ => return None,
        };
        Some((simple, 2))
    }

    /// Returns the character of the `\\u` escape at the start of the rest and the escape's length, which is 12 for a
    /// surrogate pair.
    fn unicode_escape(&self) -> Option<(char, usize)> {
        let first = hex4(self.rest.get(2..6)?)?;
        if let Some(character) = char::from_u32(first) {
            return Some((character, 6));
        }
        let low = || {
            let tail = self.rest.get(6..12)?;
            hex4(tail.strip_prefix(b"\\u")?).filter(|low| (0xdc00..0xe000).contains(low))
        };
        match low() {
            Some(low) if first < 0xdc00 => {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
                Some((char::from_u32(code)?, 12))
            }
            _ => Some((char::REPLACEMENT_CHARACTER, 6)),
        }
    }
}

/// Returns the value of hexadecimal digits, or `None` if one of the bytes is no such digit.
fn hex4(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        if !self.escaped {
            return Some(Piece::Bytes(self.take(usize::MAX)));
        }
        if self.rest.first() == Some(&b'\\') {
            if let Some((character, length)) = self.escape() {
                self.take(length);
                return Some(Piece::Char(character));
            }
            // JSON has no such escape: the backslash means itself, and ordinary text follows.
            return Some(Piece::Bytes(self.take(1)));
        }
        let length = self.rest.iter().position(|&byte| byte == b'\\').unwrap_or(self.rest.len());
        Some(Piece::Bytes(self.take(length)))
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;

    fn check(raw: &str, expected: &str) {
        let text = Text::escaped(raw.as_bytes());
        assert_eq!(text.decode(), expected, "{raw}");
        assert!(text.is(expected.as_bytes()), "{raw}");
        assert!(!text.is(b"\x01 another"), "{raw}");
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn an_escape_is_found_wherever_it_stands() {
        for len in 0..20 {
            let mut raw = alloc::vec![b'['; len];
            assert_eq!(Text::escaped(&raw).as_plain(), Some(&raw[..]));
            for at in 0..len {
                raw[at] = b'\\';
                assert_eq!(Text::escaped(&raw).as_plain(), None, "{at} of {len}");
                assert_eq!(Text::plain(&raw).as_plain(), Some(&raw[..]));
                raw[at] = b'\xdc';
            }
        }
    }

    #[test]
    fn bytes_and_strings_become_text_as_they_are() {
        for text in [Text::from(&b"a\\n"[..]), Text::from(b"a\\n"), Text::from("a\\n")] {
            assert_eq!((text.raw(), text.is_escaped()), (&b"a\\n"[..], false));
        }
    }

    #[test]
    fn json_2_escapes() {
        check(r#"\n\t\r\b\f\"\\\/"#, "\n\t\r\u{8}\u{c}\"\\/");
        check(r"a\u0041b", "aAb");
        check("raw \t control", "raw \t control");
        check("", "");
    }

    #[test]
    fn json_2_a_bad_escape_keeps_backslash_and_character() {
        check(r"\p", r"\p");
        check(r"\u12", r"\u12");
        check(r"\uzzzz", r"\uzzzz");
        check(r"end\", r"end\");
        check(r"\x\n", "\\x\n");
    }

    #[test]
    fn json_2_surrogates() {
        check(r"\ud83d\ude00", "😀");
        check(r"\ud83d", "\u{fffd}");
        check(r"\ude00\ud83d", "\u{fffd}\u{fffd}");
        check(r"\ud83d\u0041", "\u{fffd}A");
        // The first half that is a low one, and the last character that a pair can spell.
        check(r"\udc00\udc00", "\u{fffd}\u{fffd}");
        check(r"\udbff\udfff", "\u{10ffff}");
        check(r"\ud83d\ud83d\ude00", "\u{fffd}😀");
    }

    #[test]
    fn text_is_displayed_decoded_and_padded() {
        use alloc::{
            format,
            string::{String, ToString},
        };
        for text in
            [Text::escaped(br"caf\u00e9 \ud83d\ude00"), Text::plain(b"a\xffb\xc3"), Text::escaped(b"\xc3\\n")]
        {
            assert_eq!(text.to_string(), text.decode());
            assert_eq!(text.chars().collect::<String>(), text.decode());
        }
        assert_eq!(
            format!("[{:4}] [{:>4}] [{:*^5}]", Text::from("ab"), Text::from("\u{e9}"), Text::from("ab")),
            "[ab  ] [   \u{e9}] [*ab**]"
        );
        assert_eq!(Text::from(b"a\\n"), Text::plain(b"a\\n"));
    }

    #[test]
    fn plain_text_has_no_escapes() {
        assert_eq!(Text::plain(br"\n").decode(), r"\n");
        assert!(Text::plain(br"\n").is(br"\n"));
        assert!(!Text::plain(b"ab").is(b"a"));
        assert!(!Text::plain(b"a").is(b"ab"));
    }
}
