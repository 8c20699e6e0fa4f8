//! The names of what a span says besides its attributes. [otel 3.9](crate::rules::otel#3.9)

use alloc::{borrow::Cow, vec::Vec};

use crate::{Args, Text, Value};

/// The keys of the arguments that are no attributes. Those up to `links` come first, in this order.
const OWN_KEYS: [&[u8]; 18] = [
    b"trace_id",
    b"span_id",
    b"parent_span_id",
    b"kind",
    b"status",
    b"status_message",
    b"trace_state",
    b"flags",
    b"scope_version",
    b"dropped_attributes",
    b"dropped_events",
    b"dropped_links",
    b"links",
    b"ref_type",
    b"warnings",
    b"debug",
    b"shared",
    b"remote_endpoint",
];

const KINDS: [&str; 5] = ["internal", "server", "client", "producer", "consumer"];

/// Returns the key of the argument that an attribute becomes. Keys that mean something else here get a prefix.
#[must_use]
pub fn attribute_key<'a>(key: Text<'a>) -> Cow<'a, [u8]> {
    let key = key.unescape();
    match OWN_KEYS.contains(&&*key) {
        true => [b"attributes.", &*key].concat().into(),
        false => key,
    }
}

/// Returns the kind of a span by its number in OTLP. One that is not known stays a number, and 0 is no kind.
#[must_use]
pub fn kind_of_number(number: i64) -> Value<'static> {
    let known = usize::try_from(number - 1).ok().and_then(|at| KINDS.get(at));
    match known {
        Some(&kind) => Value::from(kind),
        None if number == 0 => Value::Null,
        None => Value::I64(number),
    }
}

/// Returns the kind of a span by its name, in any case and with or without `SPAN_KIND_`. One that is not known stays as it is.
#[must_use]
pub fn kind_of_name(name: Text<'_>) -> Value<'_> {
    let Some(word) = word(name, b"span_kind_") else { return Value::Null };
    match KINDS.iter().find(|kind| kind.as_bytes() == word) {
        Some(&kind) => Value::from(kind),
        None => Value::Text(name),
    }
}

/// Returns the status of a span by its number in OTLP. 0 is none.
#[must_use]
pub fn status_of_number(number: i64) -> Value<'static> {
    match number {
        0 => Value::Null,
        1 => Value::from("ok"),
        2 => Value::from("error"),
        _ => Value::I64(number),
    }
}

/// Returns the status of a span by its name, in any case and with or without `STATUS_CODE_`.
#[must_use]
pub fn status_of_name(name: Text<'_>) -> Value<'_> {
    match word(name, b"status_code_").as_deref() {
        None => Value::Null,
        Some(b"ok") => Value::from("ok"),
        Some(b"error") => Value::from("error"),
        Some(_) => Value::Text(name),
    }
}

/// Returns a name in lower case without a prefix; `None` if it says that nothing is specified.
fn word(name: Text<'_>, prefix: &[u8]) -> Option<Vec<u8>> {
    let word = name.unescape().to_ascii_lowercase();
    let word = word.strip_prefix(prefix).unwrap_or(&word);
    let is_none = word.is_empty() || word == b"unspecified" || word == b"unset";
    (!is_none).then(|| word.to_vec())
}

/// Returns the value of a key that comes before the attributes of a span.
fn own_value<'a>(args: Args<'a>, key: &[u8]) -> Option<Value<'a>> {
    let mut own = args.iter().take_while(|(key, _)| OWN_KEYS.iter().any(|own| key.is(own)));
    own.find(|(found, _)| found.is(key)).map(|(_, value)| value)
}

/// Returns the kind of a span by its arguments.
#[must_use]
pub fn span_kind(args: Args<'_>) -> Option<Value<'_>> {
    own_value(args, b"kind")
}

/// Returns the ids of the traces and of the spans to which a span links, by its arguments.
pub fn links(args: Args<'_>) -> impl Iterator<Item = [Cow<'_, [u8]>; 2]> {
    let links = match own_value(args, b"links") {
        Some(Value::List(links)) => links,
        _ => Args::NONE,
    };
    links.iter().map(|(_, link)| {
        let entries = match link {
            Value::Map(entries) => entries,
            _ => Args::NONE,
        };
        [&b"trace_id"[..], b"span_id"].map(|key| match own_value(entries, key) {
            Some(Value::Text(id)) => id.unescape(),
            _ => Cow::Borrowed(&b""[..]),
        })
    })
}
