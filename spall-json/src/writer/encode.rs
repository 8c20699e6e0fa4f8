//! The encoders of strings, numbers and values as strict JSON.

use core::fmt::{Error, Result, Write};

use spall_model::{Id, LostParts, Piece, Text, Value};

/// The number of lists and objects inside one another that are written. Deeper ones become `null`.
const MAX_DEPTH: usize = 32;

/// A text whose [`Display`](core::fmt::Display) is a JSON string with its quotes.
///
/// Escapes of the source are decoded and written anew, and bad UTF-8 becomes U+FFFD. The result is strict JSON for any
/// text.
///
/// ```
/// use spall_json::JsonString;
/// use spall_model::Text;
/// assert_eq!(JsonString(Text::plain(b"C:\\a")).to_string(), r#""C:\\a""#);
/// assert_eq!(JsonString(Text::escaped(br"caf\u00e9")).to_string(), "\"café\"");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct JsonString<'a>(
    /// The text to display.
    pub Text<'a>,
);

impl core::fmt::Display for JsonString<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> Result {
        string(f, self.0).map(|_| ())
    }
}

/// A value whose [`Display`](core::fmt::Display) is JSON text.
///
/// The text is strict JSON for any value. NaN and infinities become strings, and bytes become hexadecimal text. Lists
/// and maps nested deeper than 32 become `null`.
///
/// ```
/// use spall_json::{JsonValue, json_args};
/// use spall_model::Value;
/// let args = json_args(br#"{"size":[640,480], "name":"a"}"#);
/// assert_eq!(JsonValue(Value::Map(args)).to_string(), r#"{"size":[640,480],"name":"a"}"#);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct JsonValue<'a>(
    /// The value to display.
    pub Value<'a>,
);

impl core::fmt::Display for JsonValue<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> Result {
        value(f, self.0).map(|_| ())
    }
}

/// What was lost of something that was written.
type Lost = core::result::Result<LostParts, Error>;

/// Writes a string with its quotes, as [`JsonString`] displays it.
pub(super) fn string(out: &mut impl Write, text: Text<'_>) -> Lost {
    let mut lost = LostParts::NONE;
    out.write_char('"')?;
    for piece in text.pieces() {
        match piece {
            Piece::Bytes(bytes) => {
                for chunk in bytes.utf8_chunks() {
                    escaped(out, chunk.valid())?;
                    if !chunk.invalid().is_empty() {
                        lost = LostParts::TEXT;
                        out.write_char(char::REPLACEMENT_CHARACTER)?;
                    }
                }
            }
            Piece::Char(character) => escaped(out, character.encode_utf8(&mut [0; 4]))?,
        }
    }
    out.write_char('"').map(|()| lost)
}

/// Writes text with the escapes that JSON demands.
fn escaped(out: &mut impl Write, mut text: &str) -> Result {
    let special = |character: char| character < ' ' || character == '"' || character == '\\';
    while let Some(at) = text.find(special) {
        let (plain, rest) = text.split_at(at);
        out.write_str(plain)?;
        let mut rest = rest.chars();
        match rest.next() {
            Some('"') => out.write_str("\\\"")?,
            Some('\\') => out.write_str("\\\\")?,
            Some('\n') => out.write_str("\\n")?,
            Some('\r') => out.write_str("\\r")?,
            Some('\t') => out.write_str("\\t")?,
            Some(control) => write!(out, "\\u{:04x}", u32::from(control))?,
            None => {}
        }
        text = rest.as_str();
    }
    out.write_str(text)
}

/// Writes nanoseconds as decimal microseconds, without trailing zeros.
pub(super) fn micros(out: &mut impl Write, ns: i64) -> Result {
    let (sign, magnitude) = (if ns < 0 { "-" } else { "" }, ns.unsigned_abs());
    let (whole, below) = (magnitude / 1000, magnitude % 1000);
    write!(out, "{sign}{whole}")?;
    match (below, below % 10, below % 100) {
        (0, _, _) => Ok(()),
        (_, _, 0) => write!(out, ".{}", below / 100),
        (_, 0, _) => write!(out, ".{:02}", below / 10),
        _ => write!(out, ".{below:03}"),
    }
}

/// Writes an id: a number, or a string. A number beyond 63 bits is read as text.
pub(super) fn id(out: &mut impl Write, id: Id<'_>, unsigned: bool) -> Lost {
    match id {
        Id::Number(number) if unsigned => {
            write!(out, "{}", number.cast_unsigned()).map(|()| LostParts::ID.only_if(number < 0))
        }
        Id::Number(number) => write!(out, "{number}").map(|()| LostParts::NONE),
        Id::Text(text) => string(out, Text::escaped(text)),
    }
}

/// Writes any value, and returns the parts of it that were left out.
pub(super) fn value(out: &mut impl Write, value: Value<'_>) -> Lost {
    nested(out, value, MAX_DEPTH)
}

/// Writes a value in which lists and objects may nest `depth` levels deep.
fn nested(out: &mut impl Write, value: Value<'_>, depth: usize) -> Lost {
    let (entries, is_list) = match value {
        Value::List(items) => (items, true),
        Value::Map(entries) => (entries, false),
        _ => return scalar(out, value),
    };
    let Some(depth) = depth.checked_sub(1) else {
        out.write_str("null")?;
        return Ok(LostParts::ARGUMENTS);
    };
    let mut lost = LostParts::NONE;
    out.write_char(if is_list { '[' } else { '{' })?;
    for (index, (key, value)) in entries.iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        if !is_list {
            lost = lost.with(string(out, key)?);
            out.write_char(':')?;
        }
        lost = lost.with(nested(out, value, depth)?);
    }
    out.write_char(if is_list { ']' } else { '}' })?;
    Ok(lost)
}

/// Writes a value that holds no others. JSON has no bytes, and no numbers that are not finite.
fn scalar(out: &mut impl Write, value: Value<'_>) -> Lost {
    match value {
        Value::Bool(value) => write!(out, "{value}")?,
        Value::I64(value) => write!(out, "{value}")?,
        Value::U64(value) => write!(out, "{value}")?,
        // The shortest text that reads back the same; it always has a point or an exponent.
        Value::F64(value) if value.is_finite() => write!(out, "{value:?}")?,
        Value::F64(value) => {
            out.write_str(match value {
                f64::INFINITY => "\"Infinity\"",
                f64::NEG_INFINITY => "\"-Infinity\"",
                _ => "\"NaN\"",
            })?;
            return Ok(LostParts::ARGUMENT_TYPES);
        }
        Value::Text(text) => return string(out, text),
        Value::Bytes(bytes) => {
            out.write_char('"')?;
            bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
            out.write_char('"')?;
            return Ok(LostParts::ARGUMENT_TYPES);
        }
        _ => out.write_str("null")?,
    }
    Ok(LostParts::NONE)
}
