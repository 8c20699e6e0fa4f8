//! Arguments, which stay JSON text until they are iterated over, and the further fields of an event. [json
//! 1](crate::rules::json#1)

use spall_model::{Args, ArgsFormat, Text, ThreadCount, ThreadMeasure, Value};

use crate::fields::{COUNTER_EVENT, FLOW_EVENT, Field, FieldSet, KEYED_EVENT, SAMPLE, THREAD_EVENT};
use crate::id;
use crate::lexer::{self, Member, Token, TokenKind};
use crate::scalar;

/// Arguments whose bytes are the text of a JSON object, or of another value, which is then one argument: a string is `text`,
/// and anything else is `args`.
pub(crate) static JSON_ARGS: ArgsFormat = ArgsFormat::new("json object", object_entry);

/// The items of a JSON array.
static JSON_ARRAY: ArgsFormat = ArgsFormat::new("json array", array_item);

/// Returns the encoding of arguments whose bytes are a whole event, because the event has fields that the model's event has
/// no place for. `REPRESENTED` are the bits of the set of those that it has.
const fn whole<const REPRESENTED: u32>(name: &'static str) -> ArgsFormat {
    ArgsFormat {
        name,
        args: event_args_entry::<REPRESENTED>,
        fields: further_field::<REPRESENTED>,
        thread: thread_count::<REPRESENTED>,
    }
}

/// An event on a thread.
static JSON_EVENT: ArgsFormat = whole::<{ THREAD_EVENT.0 }>("json event");
/// An async event or an object. The model's event has its key, but not its thread.
static JSON_KEYED_EVENT: ArgsFormat = whole::<{ KEYED_EVENT.0 }>("json event with key");
/// An async event or an object that has no arguments, and nothing but its thread that the model's event has no place for. The
/// bytes are the value of `tid` and the byte behind it. Nearly all such events name a thread, and whole ones were a third of
/// the memory of a trace of many short spans.
static JSON_KEYED_THREAD: ArgsFormat =
    ArgsFormat { fields: thread_field, ..ArgsFormat::new("json thread", |_, _| None) };
/// A counter, whose arguments are the values of its series.
static JSON_COUNTER_EVENT: ArgsFormat = whole::<{ COUNTER_EVENT.0 }>("json counter");
/// One end of a flow.
static JSON_FLOW_EVENT: ArgsFormat = whole::<{ FLOW_EVENT.0 }>("json flow event");
/// A sample, without the fields that are in [`spall_model::SampleEvent`].
pub(crate) static JSON_SAMPLE: ArgsFormat =
    ArgsFormat { fields: sample_field, ..ArgsFormat::new("json sample", event_args_entry::<{ SAMPLE.0 }>) };

/// Returns arguments whose bytes are the whole event `bytes`. `represented` are the fields that the model's event has.
#[inline]
pub(crate) fn whole_event(bytes: &[u8], represented: FieldSet) -> Args<'_> {
    let format = match represented {
        KEYED_EVENT => &JSON_KEYED_EVENT,
        COUNTER_EVENT => &JSON_COUNTER_EVENT,
        FLOW_EVENT => &JSON_FLOW_EVENT,
        _ => &JSON_EVENT,
    };
    Args::new(bytes, format)
}

/// Returns the arguments of an event with a key that hold the thread alone. `tid` is the value of the field, with the byte behind
/// it.
pub(crate) fn keyed_thread(tid: &[u8]) -> Args<'_> {
    Args::new(tid, &JSON_KEYED_THREAD)
}

/// Returns JSON text as arguments of an event.
///
/// The text is an object, whose members are the arguments, or another value, which is one argument: a string is `text`, and a
/// list, a number or a truth value is `args`. It is decoded when the arguments are iterated over, as leniently as a file is. Members behind damage are lost.
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

/// Returns the text of the JSON object or other value that holds the arguments.
///
/// Returns `None` if there are no arguments or if they come from another format. The text is a part of the file,
/// so it need not be strict JSON. [`JsonWriter`](crate::JsonWriter) writes strict JSON.
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
        Some(find_args::<{ THREAD_EVENT.0 }>(bytes)?.bytes(bytes))
    } else {
        None
    }
}

/// Returns the argument `key`, a number of microseconds, as nanoseconds, exactly as far as they go. A float, which
/// [`Args::get`] returns, does not hold the nanoseconds of a Unix time.
///
/// Returns `None` if there is no such argument, if it is no number, or if the arguments come from another format. If the
/// key repeats, the last value counts.
///
/// ```
/// use spall_json::{json_args, json_args_micros};
/// let args = json_args(br#"{"issue_ts":1700000000123456.789}"#);
/// assert_eq!(json_args_micros(&args, b"issue_ts"), Some(1_700_000_000_123_456_789));
/// ```
#[must_use]
pub fn json_args_micros(args: &Args<'_>, key: &[u8]) -> Option<i64> {
    let object = json_args_text(args).filter(|text| text.starts_with(b"{"))?;
    let [value] = lexer::members(object, 0, [key]);
    scalar::micros(object, value?).map(|time| time.round().ns)
}

/// Returns whether the bytes of arguments with this format are a whole event.
fn is_event(format: &'static ArgsFormat) -> bool {
    let known = [&JSON_EVENT, &JSON_KEYED_EVENT, &JSON_COUNTER_EVENT, &JSON_FLOW_EVENT, &JSON_SAMPLE];
    known.iter().any(|known| core::ptr::eq(format, *known))
}

/// Returns the value of a token. Objects and arrays are decoded when they are iterated over.
pub(crate) fn value(data: &[u8], token: Token) -> Value<'_> {
    let bytes = token.bytes(data);
    match token.kind {
        TokenKind::String | TokenKind::EscapedString => Value::Text(scalar::text(data, token)),
        TokenKind::Object => Value::Map(Args::new(bytes, &JSON_ARGS)),
        TokenKind::Array => Value::List(Args::new(bytes, &JSON_ARRAY)),
        TokenKind::Integer(_) | TokenKind::Decimal { .. } | TokenKind::Bare => scalar::word(bytes),
    }
}

/// Returns whether a value can be the arguments of an event: whether it is an object, or another value that says something.
/// The arguments of a counter are its series, so it has no others than an object or a text.
pub(crate) fn is_args(data: &[u8], token: Token, of_counter: bool) -> bool {
    match token.kind {
        TokenKind::Object | TokenKind::String | TokenKind::EscapedString => true,
        _ if of_counter => false,
        TokenKind::Array => lexer::item_start(data, token.start + 1).is_some(),
        TokenKind::Integer(_) | TokenKind::Decimal { .. } => true,
        TokenKind::Bare => !matches!(scalar::word(token.bytes(data)), Value::Text(_) | Value::Null),
    }
}

/// Reads the next argument of an object, or the one argument of another value.
fn object_entry<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    // Position 0 means that nothing was read yet, because a bracket or quote stands there and no entry.
    if *pos == 0 {
        if bytes.first() != Some(&b'{') {
            *pos = bytes.len();
            return one_entry(bytes);
        }
        *pos = 1;
    }
    next_entry(bytes, pos)
}

/// Returns a value that is no object as the one argument that it is.
#[cold]
fn one_entry(bytes: &[u8]) -> Option<(Text<'_>, Value<'_>)> {
    let value = match bytes.first()? {
        b'"' => {
            let inside = bytes.get(1..bytes.len() - 1).unwrap_or_default();
            return Some((Text::plain(b"text"), Value::Text(Text::escaped(inside))));
        }
        b'[' => Value::List(Args::new(bytes, &JSON_ARRAY)),
        _ => scalar::word(bytes),
    };
    Some((Text::plain(b"args"), value))
}

/// Reads the member at `pos` of an object. At the object's end, and where it is damaged, `pos` becomes the end of
/// `bytes`, so that the iteration ends for good.
fn next_member(bytes: &[u8], pos: &mut usize) -> Option<Member> {
    let member = lexer::next_member(bytes, pos).ok().flatten();
    if member.is_none() {
        *pos = bytes.len();
    }
    member
}

/// Returns a member as key and value.
fn entry<'b>(bytes: &'b [u8], member: &Member) -> (Text<'b>, Value<'b>) {
    (member.key.text(bytes), value(bytes, member.value))
}

/// Reads the next member of an object as key and value.
fn next_entry<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    next_member(bytes, pos).map(|member| entry(bytes, &member))
}

/// Reads the next item of an array. It has an empty key.
fn array_item<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    *pos = (*pos).max(1);
    let item = lexer::next_item(bytes, pos);
    if item.is_none() {
        *pos = bytes.len();
    }
    item.map(|item| (Text::EMPTY, value(bytes, item)))
}

/// Reads what a counter of the thread showed at a whole event. An async event has none unless it says so, and only complete
/// events say how much it rose: Node writes `tdur` into begins and ends, too. [json 6](crate::rules::json#6)
fn thread_count<const REPRESENTED: u32>(event: &[u8], measure: ThreadMeasure) -> ThreadCount {
    let [at, during]: [&[u8]; 2] = match measure {
        ThreadMeasure::Time => [b"tts", b"tdur"],
        ThreadMeasure::Instructions => [b"ticount", b"tidelta"],
    };
    let keys = [at, during, b"ph", b"use_async_tts"];
    let found = plain_members(event, keys);
    let [at, during, phase, asks] = found.unwrap_or_else(|| lexer::members(event, 0, keys));
    let asks = || asks.is_some_and(|value| !matches!(value.bytes(event), b"0" | b"false" | b"null"));
    if REPRESENTED != THREAD_EVENT.0 && !asks() {
        return ThreadCount::default();
    }
    let read = |value: Token| match measure {
        ThreadMeasure::Time => scalar::thread_time(event, value),
        ThreadMeasure::Instructions => id::whole_number(value.bytes(event)).filter(|&count| count >= 0),
    };
    let is_complete = phase.is_some_and(|phase| phase.inside(event).first() == Some(&b'X'));
    ThreadCount { at: at.and_then(read), during: during.filter(|_| is_complete).and_then(read) }
}

/// Returns what [`lexer::members`] returns, or `None` if that is not certain without reading all members: if
/// there are escapes, or blanks at a colon, or if a key occurs twice or between brackets. This takes half the instructions.
fn plain_members<const N: usize>(event: &[u8], keys: [&[u8]; N]) -> Option<[Option<Token>; N]> {
    let inside = event.get(1..event.len().checked_sub(1)?)?;
    if memchr::memchr(b'\\', inside).is_some() {
        return None;
    }
    let brackets = match memchr::memchr2(b'{', b'[', inside) {
        Some(first) => first..memchr::memrchr2(b'}', b']', inside).unwrap_or(inside.len()),
        None => 0..0,
    };
    let mut found = [None; N];
    // Each key stands before the quote before a colon. A colon inside of a string does not look like that, because there are
    // no escapes.
    for colon in memchr::memchr_iter(b':', inside) {
        let (before, after) = inside.split_at(colon);
        let key = match before {
            [key @ .., b'"'] => key,
            [.., b' ' | b'\t' | b'\r' | b'\n'] => return None,
            _ => continue,
        };
        let is_wanted = |wanted: &[u8]| {
            key.last() == wanted.last() && matches!(key.strip_suffix(wanted), Some([.., b'"']))
        };
        let Some(at) = keys.iter().position(|wanted| is_wanted(wanted)) else { continue };
        let found = found.get_mut(at)?;
        if found.is_some() || brackets.contains(&colon) || after.get(1).is_none_or(u8::is_ascii_whitespace) {
            return None;
        }
        *found = Some(lexer::token(event, colon + 2).ok()?);
    }
    Some(found)
}

/// Returns the value of `args` in an event, if it holds arguments. The last one counts where the event repeats it.
fn find_args<const REPRESENTED: u32>(event: &[u8]) -> Option<Token> {
    let [found] = lexer::members(event, 0, [b"args"]);
    found.filter(|&args| is_args(event, args, REPRESENTED == COUNTER_EVENT.0))
}

/// Returns the position behind the brace of `args` if they are an object and the first member of an event, and none other
/// has that key. Chrome sorts the keys of its events. This takes a tenth of the time of [`find_args`].
fn inside_of_first_args(event: &[u8]) -> Option<usize> {
    const START: &[u8] = br#"{"args":{"#;
    let rest = event.strip_prefix(START)?;
    // The key may also be written with escapes.
    let is_only = memchr::memchr(b'\\', rest).is_none() && memchr::memmem::find(rest, br#"args""#).is_none();
    is_only.then_some(START.len())
}

/// Reads the next argument of a whole event.
fn event_args_entry<'b, const REPRESENTED: u32>(
    bytes: &'b [u8],
    pos: &mut usize,
) -> Option<(Text<'b>, Value<'b>)> {
    if *pos == 0 {
        let inside = match inside_of_first_args(bytes) {
            Some(inside) => inside,
            None => match find_args::<REPRESENTED>(bytes) {
                Some(args) if args.kind == TokenKind::Object => args.start + 1,
                found => {
                    *pos = bytes.len();
                    return object_entry(found?.bytes(bytes), &mut 0);
                }
            },
        };
        *pos = inside;
    }
    next_entry(bytes, pos)
}

/// Reads the next field of a sample that [`spall_model::SampleEvent`] does not have.
fn sample_field<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    loop {
        let (key, value) = further_field::<{ SAMPLE.0 }>(bytes, pos)?;
        // `Field` does not know these two: only samples have them.
        if !key.is(b"sf") && !key.is(b"weight") {
            return Some((key, value));
        }
    }
}

/// Reads the field `tid`, whose value is at the start of `bytes`.
fn thread_field<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    if core::mem::replace(pos, bytes.len()) != 0 {
        return None;
    }
    let tid = lexer::token(bytes, 0).ok()?;
    Some((Text::plain(b"tid"), value(bytes, tid)))
}

/// Reads the next member of the event `bytes` that is not in the set of fields with these bits.
fn further_field<'b, const REPRESENTED: u32>(
    bytes: &'b [u8],
    pos: &mut usize,
) -> Option<(Text<'b>, Value<'b>)> {
    *pos = (*pos).max(1);
    loop {
        let member = next_member(bytes, pos)?;
        if !FieldSet(REPRESENTED).has(Field::of_key(bytes, &member.key)) {
            return Some(entry(bytes, &member));
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString};

    use super::*;

    #[test]
    fn arguments_of_an_event_equal_the_same_text() {
        use spall_model::{Event, Parser as _};
        let json = br#"[{"ph":"i","ts":1,"args":{"frame":7}},{"ph":"i","ts":1,"args":{"sampleTraceId":7}}]"#;
        let mut equal = 0;
        let read = crate::JsonParser::new().parse_all(json, |event, _| {
            if let Event::Instant(event, _) = event {
                equal += usize::from(event.args == json_args(event.args.bytes()));
            }
        });
        assert_eq!((read, equal), (Ok(()), 2));
    }

    #[test]
    fn plain_members_are_the_last_members_or_uncertain() {
        for (members, expected) in [
            (r#""tts":5"#, Some(Some("5"))),
            (r#""args":{"a":[1]},"tts":"5""#, Some(Some("\"5\""))),
            (r#""tts":5,"args":{"a":[1]}"#, Some(Some("5"))),
            (r#""args":{"a":"{"},"tts":5"#, Some(Some("5"))),
            (r#""name":"}","tts":5"#, Some(Some("5"))),
            (r#""name":"tts:5""#, Some(None)),
            (r#""name":"tts""#, Some(None)),
            (r#""atts":5,"ttst":6"#, Some(None)),
            ("", Some(None)),
            (r#""tts" :5"#, None),
            (r#""tts": 5"#, None),
            (r#""tts":5,"tts":6"#, None),
            (r#""t\u0074s":5"#, None),
            (r#""args":{"tts":5},"more":[]"#, None),
            (r#""args":{"tts":5}"#, None),
            (r#""name":"[","tts":5,"cat":"]""#, None),
        ] {
            let event = format!("{{{members}}}");
            let text =
                |value: Token| alloc::string::String::from_utf8(value.bytes(event.as_bytes()).to_vec());
            let found = plain_members(event.as_bytes(), [b"tts"])
                .map(|[found]| found.map(|value| text(value).unwrap()));
            let [plainly] = lexer::members(event.as_bytes(), 0, [b"tts"]);
            let plainly = plainly.map(|value| text(value).unwrap());
            assert_eq!(found.as_ref().map(Option::as_deref), expected, "{event}");
            assert!(found.is_none_or(|found| found == plainly), "{event}");
        }
    }

    /// The arguments of an event are those of its last `args`, wherever that stands and however it is written.
    #[test]
    fn arguments_of_a_whole_event_are_those_of_its_last_member_args() {
        for (members, expected) in [
            (r#""args":{"a":1},"ph":"X""#, "a=1"),
            (r#""args":{"a":1}"#, "a=1"),
            (r#""args":{},"ph":"X""#, ""),
            (r#""ph":"X","args":{"a":1}"#, "a=1"),
            (r#""args":{"a":1},"args":{"a":2}"#, "a=2"),
            (r#""args":{"a":1},"args":"b""#, "b"),
            (r#""args":{"a":1},"args":3"#, "args=3"),
            (r#""args":{"a":1},"args":["b",{"c":2}]"#, "args=[b, {c: 2}]"),
            (r#""args":[ ]"#, ""),
            (r#""args":null"#, ""),
            (r#""args":word"#, ""),
            (r#""args":{"a":1},"\u0061rgs":{"a":2}"#, "a=2"),
            (r#""args":{"a":{"args":2}},"ph":"X""#, "a={args: 2}"),
            (r#""args":{"a":"args"},"ph":"X""#, "a=args"),
            (r#""args":{"a":1},"name":"args""#, "a=1"),
            (r#""args" :{"a":1}"#, "a=1"),
        ] {
            let event = format!("{{{members}}}");
            assert_eq!(Args::new(event.as_bytes(), &JSON_EVENT).to_string(), expected, "{event}");
        }
    }
}
