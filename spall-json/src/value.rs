//! Values of JSON, decoded when somebody asks: the arguments and the further fields of an event.

use spall_model::{Args, ArgsFormat, Text, Value};

use crate::fields::{COUNTER_EVENT, FLOW_EVENT, Field, FieldSet, KEYED_EVENT, SAMPLE, THREAD_EVENT};
use crate::lexer::{self, Kind, Member, Token};

/// Arguments whose bytes are the text of a JSON object, or of a string, which is then the one entry `text`.
pub(crate) static JSON_ARGS: ArgsFormat =
    ArgsFormat { name: "json object", args: object_entry, fields: spall_model::no_entry };

/// Arguments whose bytes are a whole event, because it has fields that [`spall_model::Event`] has no place for.
pub(crate) static JSON_EVENT: ArgsFormat =
    ArgsFormat { name: "json event", args: event_args_entry, fields: event_field };

/// As [`JSON_EVENT`], for async spans and objects: their key is part of [`spall_model::Event`], their thread is not.
pub(crate) static JSON_KEYED_EVENT: ArgsFormat =
    ArgsFormat { name: "json event with key", args: event_args_entry, fields: keyed_event_field };

/// As [`JSON_EVENT`], for counters.
pub(crate) static JSON_COUNTER_EVENT: ArgsFormat =
    ArgsFormat { name: "json counter", args: event_args_entry, fields: counter_event_field };

/// As [`JSON_EVENT`], for samples: what is part of [`spall_model::ThreadSampleEvent`] is left out.
pub(crate) static JSON_SAMPLE: ArgsFormat =
    ArgsFormat { name: "json sample", args: event_args_entry, fields: sample_field };

/// As [`JSON_EVENT`], for the ends of arrows.
pub(crate) static JSON_FLOW_EVENT: ArgsFormat =
    ArgsFormat { name: "json event with arrow", args: event_args_entry, fields: flow_event_field };

/// The items of a JSON array.
static JSON_ARRAY: ArgsFormat =
    ArgsFormat { name: "json array", args: array_item, fields: spall_model::no_entry };

/// Makes arguments of JSON text: an object, whose members are the arguments, or a string, which is the one argument
/// `text`.
///
/// The text is read as leniently as a file is. Members behind damage are lost.
///
/// ```
/// use spall_model::Value;
/// let args = spall_json::json_args(br#"{"frame":7}"#);
/// assert_eq!(args.get(b"frame"), Some(Value::I64(7)));
/// ```
#[must_use]
pub fn json_args(text: &[u8]) -> Args<'_> {
    Args::new(text, &JSON_ARGS)
}

/// Returns the text of the JSON object or string that holds the arguments; `None` if the event has no arguments or
/// comes from another format.
///
/// The text is what the file has, which need not be strict JSON. [`JsonWriter`](crate::JsonWriter) writes strict JSON.
///
/// ```
/// use spall_json::{json_args, json_args_text};
/// assert_eq!(json_args_text(&json_args(br#"{"a": 1}"#)), Some(&br#"{"a": 1}"#[..]));
/// assert_eq!(json_args_text(&spall_model::Args::NONE), None);
/// ```
#[must_use]
pub fn json_args_text<'a>(args: &Args<'a>) -> Option<&'a [u8]> {
    let bytes = args.bytes();
    if core::ptr::eq(args.format(), &JSON_ARGS) {
        Some(bytes)
    } else if is_event(args.format()) {
        let (start, end) = find_args(bytes)?;
        bytes.get(start..end)
    } else {
        None
    }
}

fn is_event(format: &'static ArgsFormat) -> bool {
    let known = [&JSON_EVENT, &JSON_KEYED_EVENT, &JSON_COUNTER_EVENT, &JSON_FLOW_EVENT, &JSON_SAMPLE];
    known.iter().any(|known| core::ptr::eq(format, *known))
}

/// The value at `token` of `data`.
pub(crate) fn value<'a>(data: &'a [u8], token: Token) -> Value<'a> {
    let text = data.get(token.start..token.end).unwrap_or_default();
    match token.kind {
        Kind::String => Value::Text(Text::plain(inside(text))),
        Kind::EscapedString => Value::Text(Text::escaped(inside(text))),
        Kind::Object => Value::Map(Args::new(text, &JSON_ARGS)),
        Kind::Array => Value::List(Args::new(text, &JSON_ARRAY)),
        Kind::Integer | Kind::Decimal | Kind::Bare => bare(text),
    }
}

/// The string at `token`; empty if it is none.
pub(crate) fn text(data: &[u8], token: Token) -> Text<'_> {
    let inside = inside(data.get(token.start..token.end).unwrap_or_default());
    match token.kind {
        Kind::String => Text::plain(inside),
        Kind::EscapedString => Text::escaped(inside),
        _ => Text::EMPTY,
    }
}

/// `text` without its first and last byte.
pub(crate) fn inside(text: &[u8]) -> &[u8] {
    text.get(1..text.len().saturating_sub(1)).unwrap_or_default()
}

/// The longest text that may be a number and is written with escapes.
pub(crate) const MAX_ESCAPED_NUMBER: usize = 64;

/// The inside of a string with its escapes decoded; `None` if that is too long for a number.
#[cold]
pub(crate) fn unescaped<'b>(raw: &[u8], buffer: &'b mut [u8; MAX_ESCAPED_NUMBER]) -> Option<&'b [u8]> {
    let mut len = 0;
    for piece in Text::escaped(raw).pieces() {
        let mut character = [0; 4];
        let bytes = piece.bytes(&mut character);
        buffer.get_mut(len..len + bytes.len())?.copy_from_slice(bytes);
        len += bytes.len();
    }
    buffer.get(..len)
}

/// A number or one of the words of JSON. Any other word is text.
fn bare(word: &[u8]) -> Value<'_> {
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

/// A number: an integer if it is written as one and fits, else the nearest `f64`.
pub(crate) fn number(word: &[u8]) -> Option<Value<'static>> {
    let digits = word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let text = core::str::from_utf8(word).ok().filter(|_| digits)?;
    if let Ok(number) = text.parse() {
        return Some(Value::I64(number));
    }
    if let Ok(number) = text.parse() {
        return Some(Value::U64(number));
    }
    text.parse().ok().map(Value::F64)
}

fn object_entry<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    if *pos == 0 {
        if bytes.first() == Some(&b'"') {
            *pos = bytes.len();
            return Some((Text::plain(b"text"), Value::Text(Text::escaped(inside(bytes)))));
        }
        *pos = 1;
    }
    next_entry(bytes, pos)
}

/// The member at `pos` of the object that `pos` lies in. At its end, and where it is damaged, `pos` becomes the end
/// of `bytes`.
fn next_member(bytes: &[u8], pos: &mut usize) -> Option<Member> {
    let member = lexer::next_member(bytes, pos).ok().flatten();
    if member.is_none() {
        *pos = bytes.len();
    }
    member
}

fn entry<'b>(bytes: &'b [u8], member: &Member) -> Option<(Text<'b>, Value<'b>)> {
    let key = bytes.get(member.key.inside.0..member.key.inside.1)?;
    let key = if member.key.escaped { Text::escaped(key) } else { Text::plain(key) };
    Some((key, value(bytes, member.value)))
}

fn next_entry<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    next_member(bytes, pos).and_then(|member| entry(bytes, &member))
}

fn array_item<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    let mut at = (*pos).max(1);
    let item = loop {
        match *bytes.get(at)? {
            b',' => at += 1,
            byte if lexer::is_blank(byte) => at += 1,
            b']' => break None,
            _ => break lexer::token(bytes, at).ok(),
        }
    };
    *pos = item.map_or(bytes.len(), |item| item.end);
    item.map(|item| (Text::EMPTY, value(bytes, item)))
}

/// Where the value of `args` stands in an event; the last one where the event repeats it.
fn find_args(event: &[u8]) -> Option<(usize, usize)> {
    let mut pos = 1;
    let mut found = None;
    while let Ok(Some(member)) = lexer::next_member(event, &mut pos) {
        if Field::of_key(event, &member.key) == Field::Args {
            found = Some(member).filter(|member| {
                matches!(member.value.kind, Kind::Object | Kind::String | Kind::EscapedString)
            });
        }
    }
    found.map(|member| (member.value.start, member.value.end))
}

fn event_args_entry<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    if *pos == 0 {
        let (start, end) = find_args(bytes).unwrap_or((bytes.len(), bytes.len()));
        if bytes.get(start) == Some(&b'"') {
            *pos = bytes.len();
            return object_entry(bytes.get(start..end)?, &mut 0);
        }
        *pos = start + 1;
    }
    next_entry(bytes, pos)
}

fn event_field<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    further_field(bytes, pos, THREAD_EVENT)
}

fn keyed_event_field<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    further_field(bytes, pos, KEYED_EVENT)
}

fn counter_event_field<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    further_field(bytes, pos, COUNTER_EVENT)
}

fn sample_field<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    loop {
        let (key, value) = further_field(bytes, pos, SAMPLE)?;
        if !key.is(b"sf") && !key.is(b"weight") {
            return Some((key, value));
        }
    }
}

fn flow_event_field<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    further_field(bytes, pos, FLOW_EVENT)
}

/// The next member of the event `bytes` that is none of `represented`.
fn further_field<'b>(
    bytes: &'b [u8],
    pos: &mut usize,
    represented: FieldSet,
) -> Option<(Text<'b>, Value<'b>)> {
    *pos = (*pos).max(1);
    loop {
        let member = next_member(bytes, pos)?;
        if !represented.has(Field::of_key(bytes, &member.key)) {
            return entry(bytes, &member);
        }
    }
}
