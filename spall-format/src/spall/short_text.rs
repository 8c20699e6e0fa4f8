//! Texts of events, cut to the 255 bytes that the format can hold.

use core::fmt::{self, Write};

use spall_model::{Args, Entries, LostParts, Text, Value};

use super::encode::MAX_TEXT;
use crate::clip::clip;

/// A text of up to 255 bytes, collected from pieces.
#[derive(Debug)]
pub(super) struct ShortText {
    /// Four bytes more than are kept, which show whether the cut is inside a character.
    bytes: [u8; MAX_TEXT + 4],
    length: usize,
    /// The parts of the original that the text lacks.
    lost: LostParts,
}

impl ShortText {
    /// Creates the text of a name. A name that ends in a NUL gets another one, because readers take a last NUL for a
    /// terminator. [spall A.6](crate::rules::spall#A.6)
    pub(super) fn name(text: Text<'_>) -> Self {
        let mut name = Self::empty();
        name.push_text(text);
        name.truncate(MAX_TEXT);
        if name.as_bytes().ends_with(b"\0") {
            name.truncate(MAX_TEXT - 1);
            if name.as_bytes().ends_with(b"\0") {
                name.push(b"\0");
            }
        }
        name
    }

    /// Creates the text of arguments. Plain text stays as it is; anything else becomes `key=value, key=value`.
    pub(super) fn args(args: Args<'_>) -> Self {
        let mut text = Self::empty();
        if args.is_none() {
            return text;
        }
        match only_text(args) {
            Some(only) => text.push_value(only, 0),
            None => {
                text.lose(LostParts::ARGUMENT_TYPES);
                text.push_entries(args.iter(), "=", MAX_NESTING);
            }
        }
        text.truncate(MAX_TEXT);
        text
    }

    /// Returns the parts of the original that the text lacks.
    pub(super) fn lost(&self) -> LostParts {
        self.lost
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn empty() -> Self {
        Self { bytes: [0; MAX_TEXT + 4], length: 0, lost: LostParts::NONE }
    }

    fn lose(&mut self, what: LostParts) {
        self.lost = self.lost.with(what);
    }

    /// Appends as many bytes as there is room for. Whatever does not fit is beyond [`MAX_TEXT`], so
    /// [`truncate`](Self::truncate) notices it.
    fn push(&mut self, bytes: &[u8]) {
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        let length = bytes.len().min(room.len());
        if let (Some(into), Some(bytes)) = (room.get_mut(..length), bytes.get(..length)) {
            into.copy_from_slice(bytes);
            self.length += length;
        }
    }

    fn is_full(&self) -> bool {
        self.length == self.bytes.len()
    }

    fn truncate(&mut self, max: usize) {
        // Most texts are short, so the search for the end of a character is only made for the others.
        if self.length > max {
            self.lose(LostParts::TEXT);
            self.length = clip(self.as_bytes(), max).len();
        }
    }

    fn push_text(&mut self, text: Text<'_>) {
        for piece in text.pieces() {
            if self.is_full() {
                return;
            }
            self.push(piece.bytes(&mut [0; 4]));
        }
    }

    /// Appends entries, separated by commas. `is` stands between key and value; an empty `is` leaves out the keys,
    /// which the elements of a list do not have.
    fn push_entries(&mut self, entries: Entries<'_>, is: &str, nesting: u32) {
        for (index, (key, value)) in entries.enumerate() {
            if self.is_full() {
                return;
            }
            if index > 0 {
                self.push(b", ");
            }
            if !is.is_empty() {
                self.push_text(key);
                self.push(is.as_bytes());
            }
            self.push_value(value, nesting);
        }
    }

    /// Appends a value. `nesting` is how many more lists and maps may be written inside each other.
    fn push_value(&mut self, value: Value<'_>, nesting: u32) {
        // Writing to memory cannot fail.
        let _ = match value {
            Value::Bool(value) => write!(self, "{value}"),
            Value::I64(value) => write!(self, "{value}"),
            Value::U64(value) => write!(self, "{value}"),
            Value::F64(value) => write!(self, "{value}"),
            Value::Bytes(value) => {
                self.lose(LostParts::ARGUMENTS);
                write!(self, "{} bytes", value.len())
            }
            Value::Text(value) => {
                self.push_text(value);
                Ok(())
            }
            Value::List(_) | Value::Map(_) if nesting == 0 => {
                self.lose(LostParts::ARGUMENTS);
                self.write_str("…")
            }
            Value::List(values) => {
                self.push(b"[");
                self.push_entries(values.iter(), "", nesting - 1);
                self.write_str("]")
            }
            Value::Map(values) => {
                self.push(b"{");
                self.push_entries(values.iter(), ": ", nesting - 1);
                self.write_str("}")
            }
            _ => self.write_str("null"),
        };
    }
}

/// The number of lists and maps inside each other that are written. Deeper ones are hard to read in one line.
const MAX_NESTING: u32 = 4;

impl Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

/// Returns the text of arguments that are one unstructured text.
fn only_text(args: Args<'_>) -> Option<Value<'_>> {
    let mut entries = args.iter();
    match (entries.next()?, entries.next()) {
        ((key, text @ Value::Text(_)), None) if key.is(b"text") => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spall::record::without_nul;

    fn name(text: &[u8]) -> ShortText {
        ShortText::name(Text::plain(text))
    }

    #[test]
    fn a_6_a_name_is_read_as_it_was_written() {
        for text in [&b""[..], b"a", b"a\0", b"\0", b"\0\0", b"a\0b"] {
            assert_eq!(without_nul(name(text).as_bytes()), text);
            assert_eq!(name(text).lost(), LostParts::NONE);
        }
    }

    #[test]
    fn a_6_what_is_read_of_a_cut_name_is_written_the_same() {
        let mut ends_in_nul = [b'x'; 300];
        ends_in_nul[254] = 0;
        for text in [&[0; 300][..], &[b'x'; 300], &ends_in_nul, &ends_in_nul[..255], &[0x80; 300]] {
            let written = name(text);
            let read = without_nul(written.as_bytes());
            assert!(text.starts_with(read));
            assert_eq!(written.lost(), LostParts::TEXT.only_if(read.len() < text.len()));
            assert_eq!(name(read).as_bytes(), written.as_bytes());
        }
    }

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(ShortText::name(Text::escaped(br"caf\u00e9")).as_bytes(), "café".as_bytes());
    }

    #[test]
    fn plain_arguments_stay_as_they_are() {
        assert_eq!(ShortText::args(Args::text(b"n=3\0")).as_bytes(), b"n=3\0");
        assert_eq!(ShortText::args(Args::NONE).as_bytes(), b"");
        assert_eq!(ShortText::args(Args::text(b"n=3\0")).lost(), LostParts::NONE);
        assert_eq!(ShortText::args(Args::NONE).lost(), LostParts::NONE);
        let long = [b'x'; 300];
        let cut = ShortText::args(Args::text(&long));
        assert_eq!((cut.as_bytes(), cut.lost()), (&long[..255], LostParts::TEXT));
    }

    #[test]
    fn structured_arguments_become_one_line() {
        use spall_model::ArgsFormat;
        static INNER: ArgsFormat = ArgsFormat::new("inner", count_down);
        static OUTER: ArgsFormat = ArgsFormat::new("outer", nested);
        fn count_down<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
            let digit = *bytes.get(*pos)?;
            *pos += 1;
            Some((Text::plain(b"k"), Value::U64(u64::from(digit))))
        }
        fn nested<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
            *pos += 1;
            match *pos {
                1 => Some((Text::plain(b"list"), Value::List(Args::new(bytes, &INNER)))),
                2 => Some((Text::plain(b"map"), Value::Map(Args::new(bytes, &INNER)))),
                3 => Some((Text::plain(b"deep"), Value::Map(Args::new(bytes, &ENDLESS)))),
                _ => None,
            }
        }
        static ENDLESS: ArgsFormat = ArgsFormat::new("endless", deeper);
        fn deeper<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
            *pos += 1;
            (*pos == 1).then_some((Text::plain(b"d"), Value::List(Args::new(bytes, &ENDLESS))))
        }
        let text = ShortText::args(Args::new(&[2, 1], &OUTER));
        assert_eq!(text.as_bytes(), "list=[2, 1], map={k: 2, k: 1}, deep={d: [[[…]]]}".as_bytes());
        assert_eq!(text.lost(), LostParts::ARGUMENT_TYPES.with(LostParts::ARGUMENTS), "and the deepest list");
    }
}
