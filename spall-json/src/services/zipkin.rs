//! The files of Zipkin. [otel 1.6](crate::rules::otel#1.6)

use alloc::{borrow::Cow, collections::BTreeMap, vec::Vec};

use spall_model::{
    ArgsBuilder, Text, Value,
    services::{
        SpanFacts, SpanIds, ZIPKIN_IDENTITY, attribute_key, comparable, hex_id, kind_of_name, status_of_name,
    },
};

use super::field::{decoded, fields, integer, is_true, items, text};
use super::walk::{Format, Step, read_values};
use super::{File, range};
use crate::lexer::{self, KeyToken, Token, TokenKind};
use crate::scalar;

pub(super) fn read(file: &mut File<'_, '_>) {
    let mut spans = Spans::default();
    read_values(file, &mut spans);
    let pieces = Pieces::find(file.data, &spans.0);
    for (number, &span) in spans.0.iter().enumerate().filter(|(number, _)| !pieces.is_piece(*number)) {
        read_span(file, span, pieces.of_span.get(&number).map_or(&[], |pieces| pieces));
    }
}

/// The objects of a file, which are read once all were found: some of them are pieces of others.
#[derive(Debug, Default)]
struct Spans(Vec<Token>);

impl<'a> Format<'a> for Spans {
    type Role = ();

    const ROOT: () = ();

    fn item(&mut self, file: &mut File<'a, '_>, (): (), at: usize) -> Step<()> {
        match file.data.get(at) {
            Some(b'{') => Step::Whole,
            _ => Step::Into(()),
        }
    }

    fn member(&mut self, _: &mut File<'a, '_>, (): (), _: usize, _: &KeyToken) -> Step<()> {
        Step::Over
    }

    fn read(&mut self, _: &mut File<'a, '_>, (): (), item: Token) {
        self.0.push(item);
    }
}

/// The objects without a time that are the rest of one that has a time.
#[derive(Debug, Default)]
struct Pieces {
    /// The pieces of each object that has some, by its number.
    of_span: BTreeMap<usize, Vec<Token>>,
    numbers: Vec<usize>,
}

impl Pieces {
    /// Finds the pieces: those of a span have its ids, its service and address, and no other kind.
    fn find(data: &[u8], spans: &[Token]) -> Self {
        let has_time = |span: &Token| {
            let [time] = fields(data, span.start, ["timestamp"]);
            time.is_some_and(|time| time.bytes(data) != b"0")
        };
        let kind = |span: &Token| {
            let [kind] = fields(data, span.start, ["kind"]);
            decoded(data, kind)
        };
        let mut untimed = BTreeMap::<(Vec<u8>, Cow<'_, [u8]>), Vec<usize>>::new();
        for (number, span) in spans.iter().enumerate().filter(|(_, span)| !has_time(span)) {
            untimed.entry((identity(data, *span), kind(span))).or_default().push(number);
        }
        let mut pieces = Self::default();
        if untimed.is_empty() {
            return pieces;
        }
        for (number, span) in spans.iter().enumerate().filter(|(_, span)| has_time(span)) {
            let identity = identity(data, *span);
            let without_kind = untimed.remove(&(identity.clone(), Cow::Borrowed(&b""[..])));
            let of_kind = untimed.remove(&(identity, kind(span)));
            let mut found: Vec<usize> = without_kind.into_iter().chain(of_kind).flatten().collect();
            found.sort_unstable();
            if !found.is_empty() {
                let of_span = found.iter().filter_map(|&piece| spans.get(piece).copied());
                let _ = pieces.of_span.insert(number, of_span.collect());
                pieces.numbers.extend(found);
            }
        }
        pieces.numbers.sort_unstable();
        pieces
    }

    fn is_piece(&self, number: usize) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }
}

/// Returns the ids of a span, its service and its address, as bytes that are equal if they are.
fn identity(data: &[u8], span: Token) -> Vec<u8> {
    let [trace, id, endpoint] = fields(data, span.start, ["traceid", "id", "localendpoint"]);
    let [service, ipv4, ipv6] =
        endpoint.map_or([None; 3], |endpoint| fields(data, endpoint.start, ["servicename", "ipv4", "ipv6"]));
    let mut identity = Vec::new();
    let ids = [trace, id].map(|id| comparable(&decoded(data, id).to_ascii_lowercase()).into_owned());
    let of_endpoint = [service, ipv4, ipv6].map(|text| decoded(data, text).into_owned());
    for part in ids.iter().chain(&of_endpoint) {
        identity.extend(part.len().to_le_bytes());
        identity.extend(part);
    }
    identity
}

/// Returns the tags of an object.
fn tags<'a>(data: &'a [u8], tags: Option<Token>) -> impl Iterator<Item = (Text<'a>, Token)> {
    let mut pos = tags.filter(|tags| tags.kind == TokenKind::Object).map(|tags| tags.start + 1);
    core::iter::from_fn(move || {
        let member = lexer::next_member(data, pos.as_mut()?).ok()??;
        Some((member.key.text(data), member.value))
    })
}

/// The names of the fields that an object and its pieces have only once, and the fields that all of them add to.
const FIELDS: [&str; 13] = [
    "traceid",
    "id",
    "parentid",
    "name",
    "timestamp",
    "duration",
    "kind",
    "localendpoint",
    "remoteendpoint",
    "debug",
    "shared",
    "tags",
    "annotations",
];

/// Reads a span with its pieces.
fn read_span(file: &mut File<'_, '_>, span: Token, pieces: &[Token]) {
    let data = file.data;
    let mut all = fields(data, span.start, FIELDS);
    let [.., first_tags, first_annotations] = all;
    let mut more: Vec<[Option<Token>; 2]> = Vec::from([[first_tags, first_annotations]]);
    for piece in pieces {
        let of_piece = fields(data, piece.start, FIELDS);
        let [.., tags, annotations] = of_piece;
        more.push([tags, annotations]);
        for (field, of_piece) in all.iter_mut().zip(of_piece) {
            *field = field.or(of_piece);
        }
    }
    let [trace, id, parent, name, start, duration, kind, local, remote, debug, shared, ..] = all;
    let all_tags = || more.iter().flat_map(|[of_object, _]| tags(data, *of_object));
    let tag = |name: &[u8]| all_tags().find(|(key, _)| key.is(name)).map(|(_, value)| value);
    let mut ids = SpanIds::default();
    file.id(trace, &mut ids.trace, hex_id);
    file.id(id, &mut ids.span, hex_id);
    file.id(parent, &mut ids.parent, hex_id);
    let process = process(file, local, tag(b"service.name"));
    let (start, end) = match start.filter(|start| start.bytes(data) != b"0") {
        Some(start) => file.start_and_end(Some(start), duration),
        None => {
            let times =
                more.iter().flat_map(|&[_, annotations]| items(data, annotations)).filter_map(|annotation| {
                    let [at] = fields(data, annotation.start, ["timestamp"]);
                    let at = scalar::time(data, at?, 0)?.round().ns;
                    (at > 0).then_some(at)
                });
            (times.min(), None)
        }
    };
    let error = tag(b"error").map(|error| text(data, Some(error))).filter(|error| !error.is(b"false"));
    let (status, message) = match status_of_name(text(data, tag(b"otel.status_code"))) {
        Value::Null => (error.map_or(Value::Null, |_| Value::from("error")), error.unwrap_or(Text::EMPTY)),
        status => (status, text(data, tag(b"otel.status_description"))),
    };
    let facts = SpanFacts {
        name: text(data, name),
        category: text(data, tag(b"otel.scope.name").or_else(|| tag(b"otel.library.name"))),
        start,
        end,
        kind: match kind_of_name(text(data, kind)) {
            Value::Null => kind_of_name(text(data, tag(b"span.kind"))),
            kind => kind,
        },
        status,
        status_message: message,
        halves: true,
        shared: is_true(data, shared),
        bytes: range((span.start, span.end)),
        ..SpanFacts::new(process)
    };
    if !file.services.begin_span(&ids, &facts, file.to) {
        return;
    }
    for (key, value) in [("debug", debug), ("shared", shared)] {
        if is_true(data, value) {
            let _ = file.services.args().add(key, true);
        }
    }
    if let Some(remote) = remote.filter(|remote| remote.kind == TokenKind::Object) {
        let map = file.services.args().begin_map("remote_endpoint");
        add_endpoint(data, remote, file.services.args());
        file.services.args().end(map);
    }
    for (key, value) in all_tags() {
        let (key, value) = (attribute_key(key), tag_text(data, value));
        let _ = file.services.args().add(Text::plain(&key), Text::plain(&value));
    }
    for annotation in more.iter().flat_map(|&[_, annotations]| items(data, annotations)) {
        let [at, name] = fields(data, annotation.start, ["timestamp", "value"]);
        let (at, bytes) = (file.unix_ns(at, 0), range((annotation.start, annotation.end)));
        if file.services.begin_event(text(data, name), at, bytes, file.to) {
            file.services.end_event();
        }
    }
    file.services.end_span(file.to);
}

/// Returns the value of a tag, which is text.
fn tag_text(data: &[u8], value: Token) -> Cow<'_, [u8]> {
    match value.kind {
        TokenKind::String | TokenKind::EscapedString => decoded(data, Some(value)),
        _ => value.bytes(data).into(),
    }
}

/// Returns the process of an endpoint. Some programs do not tell its name there, but in a tag.
fn process(file: &mut File<'_, '_>, local: Option<Token>, tag: Option<Token>) -> u32 {
    let data = file.data;
    let [name, ipv4, ipv6] =
        local.map_or([None; 3], |local| fields(data, local.start, ["servicename", "ipv4", "ipv6"]));
    let known = text(data, name);
    let is_unknown = known.is_empty() || known.unescape().starts_with(b"unknown_service");
    let name = tag.filter(|_| is_unknown).map_or(known, |tag| text(data, Some(tag)));
    let mut args = ArgsBuilder::new();
    for (key, address) in [("ipv4", ipv4), ("ipv6", ipv6)] {
        let address = decoded(data, address);
        if !address.is_empty() {
            let _ = args.add(key, Text::plain(&address));
        }
    }
    file.services.process(name, args.args(), ZIPKIN_IDENTITY)
}

/// Adds what an endpoint is.
fn add_endpoint(data: &[u8], endpoint: Token, args: &mut ArgsBuilder<'static>) {
    for (key, value) in tags(data, Some(endpoint)) {
        let key = key.unescape();
        let _ = match value.kind {
            TokenKind::Object | TokenKind::Array => continue,
            _ if value.is_null(data) => continue,
            TokenKind::String | TokenKind::EscapedString => {
                args.add(Text::plain(&key), Text::plain(&decoded(data, Some(value))))
            }
            _ => match integer(data, Some(value)) {
                Some(number) => args.add(Text::plain(&key), number),
                None => args.add(Text::plain(&key), scalar::word(value.bytes(data))),
            },
        };
    }
}
