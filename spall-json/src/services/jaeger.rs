//! The files of Jaeger. [otel 1.5](crate::rules::otel#1.5)

use alloc::{borrow::Cow, collections::BTreeMap, vec::Vec};

use spall_model::{
    Args, ArgsBuilder, DiagnosticKind, Text, Value,
    services::{
        JAEGER_IDENTITY, SpanFacts, SpanIds, attribute_key, comparable, hex_id, kind_of_name, status_of_name,
    },
};

use super::any_value::{base64, float, whole};
use super::field::{decoded, fields, find_field, integer, is_true, items, number, text};
use super::walk::{Format, Step, read_values};
use super::{File, range};
use crate::lexer::{self, KeyToken, Token, TokenKind};
use crate::scalar;

#[derive(Debug, Clone, Copy)]
enum Role {
    /// A document, a trace, or a list of either.
    Root,
    Span,
}

pub(super) fn read(file: &mut File<'_, '_>) {
    read_values(file, &mut Jaeger::default());
}

/// What is known of the spans that are read.
#[derive(Debug, Default)]
struct Jaeger<'a> {
    /// The object of a trace, which says its processes.
    trace: Option<usize>,
    /// The processes of the trace, by its ids for them.
    processes: BTreeMap<Cow<'a, [u8]>, u32>,
    ids: SpanIds,
}

impl<'a> Format<'a> for Jaeger<'a> {
    type Role = Role;

    const ROOT: Role = Role::Root;

    fn item(&mut self, file: &mut File<'a, '_>, role: Role, at: usize) -> Step<Role> {
        let is_span = |data| {
            let mut keys = lexer::keys(data, at);
            let known =
                keys.find(|key| [&b"data"[..], b"spans", b"spanID"].iter().any(|name| key.is(data, name)));
            known.is_some_and(|key| key.is(data, b"spanID"))
        };
        match role {
            Role::Root if is_span(file.data) => {
                self.trace = None;
                self.processes.clear();
                Step::Whole
            }
            Role::Root => Step::Into(role),
            Role::Span => Step::Whole,
        }
    }

    fn member(&mut self, file: &mut File<'a, '_>, _: Role, object: usize, key: &KeyToken) -> Step<Role> {
        let data = file.data;
        // A trace wraps nothing. If it did, it would be looked through again behind each.
        let is_trace = self.trace == Some(object);
        if key.is(data, b"data") {
            if is_trace {
                file.report(DiagnosticKind::NotRead, (key.inside.0, key.value));
                return Step::Over;
            }
            return Step::Into(Role::Root);
        }
        if !key.is(data, b"spans") {
            return Step::Over;
        }
        if is_trace {
            return Step::Into(Role::Span);
        }
        self.trace = Some(object);
        self.processes.clear();
        // Most writers write them behind the spans.
        if let Some(processes) = find_field(data, object, &["processes"])
            && data.get(processes) == Some(&b'{')
        {
            let mut pos = processes + 1;
            while let Ok(Some(member)) = lexer::next_member(data, &mut pos) {
                let process = process(file, member.value);
                let _ = self.processes.insert(member.key.text(data).unescape(), process);
            }
        }
        Step::Into(Role::Span)
    }

    fn read(&mut self, file: &mut File<'a, '_>, _: Role, item: Token) {
        self.span(file, item);
    }
}

/// Returns a process.
fn process(file: &mut File<'_, '_>, process: Token) -> u32 {
    let data = file.data;
    let [name, tags] = fields(data, process.start, ["servicename", "tags"]);
    let mut args = ArgsBuilder::new();
    for tag in items(data, tags) {
        let (key, value) = Tag::read(data, tag);
        value.add(&key.unescape(), &mut args);
    }
    file.services.process(text(data, name), args.args(), JAEGER_IDENTITY)
}

/// The value of a tag.
enum Tag<'a> {
    Scalar(Value<'a>),
    Text(Cow<'a, [u8]>),
    Bytes(Vec<u8>),
}

impl<'a> Tag<'a> {
    /// Returns the key and the value of a tag. The value is of the type that the tag says, although it may be a text.
    fn read(data: &'a [u8], tag: Token) -> (Text<'a>, Self) {
        let [key, of_type, value] = fields(data, tag.start, ["key", "type", "value"]);
        let of_type = text(data, of_type).unescape().to_ascii_lowercase();
        let as_text = || Self::Text(decoded(data, value));
        let value = match (&*of_type, value) {
            (_, None) => Self::Scalar(Value::Null),
            (b"bool", value) => Self::Scalar(Value::Bool(is_true(data, value))),
            (b"int64", Some(value)) => match whole(number(data, value)) {
                Value::Null => as_text(),
                number => Self::Scalar(number),
            },
            (b"float64", Some(value)) => match float(data, value) {
                Value::Null => as_text(),
                number => Self::Scalar(number),
            },
            (b"binary", value) => match base64(decoded(data, value)) {
                Ok(bytes) => Self::Bytes(bytes),
                Err(text) => Self::Text(text),
            },
            (b"string", _) => as_text(),
            (_, Some(token)) => match token.kind {
                TokenKind::String | TokenKind::EscapedString => as_text(),
                TokenKind::Object | TokenKind::Array => Self::Text(token.bytes(data).into()),
                _ => Self::Scalar(scalar::word(token.bytes(data))),
            },
        };
        (text(data, key), value)
    }

    fn add(&self, key: &[u8], args: &mut ArgsBuilder<'static>) {
        let key = Text::plain(key);
        let _ = match self {
            Self::Scalar(value) => args.add(key, *value),
            Self::Text(text) => args.add(key, Text::plain(text)),
            Self::Bytes(bytes) => args.add(key, &**bytes),
        };
    }
}

/// What tags say that is not an attribute alone.
#[derive(Debug, Default)]
struct TagFacts {
    kind: Option<Token>,
    status: Option<Token>,
    status_message: Option<Token>,
    is_error: bool,
    scope: Option<Token>,
    library: Option<Token>,
}

impl TagFacts {
    fn read(data: &[u8], tags: Option<Token>) -> Self {
        let mut facts = Self::default();
        for tag in items(data, tags) {
            let [key, value] = fields(data, tag.start, ["key", "value"]);
            match &*text(data, key).unescape() {
                b"span.kind" => facts.kind = value,
                b"otel.status_code" => facts.status = value,
                b"otel.status_description" => facts.status_message = value,
                b"error" => facts.is_error = is_true(data, value),
                b"otel.scope.name" => facts.scope = value,
                b"otel.library.name" => facts.library = value,
                _ => {}
            }
        }
        facts
    }
}

impl<'a> Jaeger<'a> {
    fn span(&mut self, file: &mut File<'a, '_>, span: Token) {
        let data = file.data;
        let [
            trace,
            id,
            parent,
            name,
            references,
            start,
            duration,
            tags,
            logs,
            of_process,
            inside,
            warnings,
            flags,
        ] = fields(
            data,
            span.start,
            [
                "traceid",
                "spanid",
                "parentspanid",
                "operationname",
                "references",
                "starttime",
                "duration",
                "tags",
                "logs",
                "processid",
                "process",
                "warnings",
                "flags",
            ],
        );
        file.id(trace, &mut self.ids.trace, hex_id);
        file.id(id, &mut self.ids.span, hex_id);
        let parent_reference = self.parent_of(data, references);
        match parent_reference {
            Some((_, of_span)) => file.id(of_span, &mut self.ids.parent, hex_id),
            None => file.id(parent, &mut self.ids.parent, hex_id),
        }
        let process = match inside {
            Some(inside) => process(file, inside),
            None => match self.processes.get(&decoded(data, of_process)) {
                Some(&process) => process,
                None => file.services.process(Text::EMPTY, Args::NONE, JAEGER_IDENTITY),
            },
        };
        let tag_facts = TagFacts::read(data, tags);
        let (start, end) = file.start_and_end(start, duration);
        let status = match status_of_name(text(data, tag_facts.status)) {
            Value::Null if tag_facts.is_error => Value::from("error"),
            status => status,
        };
        let facts = SpanFacts {
            name: text(data, name),
            category: text(data, tag_facts.scope.or(tag_facts.library)),
            start,
            end,
            kind: kind_of_name(text(data, tag_facts.kind)),
            status,
            status_message: text(data, tag_facts.status_message),
            flags: Value::from(integer(data, flags)),
            bytes: range((span.start, span.end)),
            ..SpanFacts::new(process)
        };
        if !file.services.begin_span(&self.ids, &facts, file.to) {
            return;
        }
        self.links(file, references, parent_reference.map(|(at, _)| at));
        let mut warnings = items(data, warnings).peekable();
        if warnings.peek().is_some() {
            let list = file.services.args().begin_list("warnings");
            for warning in warnings {
                let _ = file.services.args().add("", Text::plain(&decoded(data, Some(warning))));
            }
            file.services.args().end(list);
        }
        for tag in items(data, tags) {
            let (key, value) = Tag::read(data, tag);
            value.add(&attribute_key(key), file.services.args());
        }
        for log in items(data, logs) {
            event(file, log);
        }
        file.services.end_span(file.to);
    }

    /// Returns where the reference to the parent begins, and its id: the first child-of of the same trace, or else the first reference
    /// of it.
    fn parent_of(&self, data: &[u8], references: Option<Token>) -> Option<(usize, Option<Token>)> {
        let mut first = None;
        for reference in items(data, references) {
            let [kind, trace, span] = fields(data, reference.start, ["reftype", "traceid", "spanid"]);
            let trace = decoded(data, trace);
            if !trace.is_empty() && comparable(&trace) != comparable(&self.ids.trace) {
                continue;
            }
            if text(data, kind).is(b"CHILD_OF") {
                return Some((reference.start, span));
            }
            first = first.or(Some((reference.start, span)));
        }
        first
    }

    /// Adds the references that are not to the parent.
    fn links(&mut self, file: &mut File<'_, '_>, references: Option<Token>, parent: Option<usize>) {
        let data = file.data;
        let mut links =
            items(data, references).filter(|reference| Some(reference.start) != parent).peekable();
        if links.peek().is_none() {
            return;
        }
        let list = file.services.args().begin_list("links");
        for link in links {
            if !file.services.pay_for_link(range((link.start, link.end)), file.to) {
                continue;
            }
            let [kind, trace, span] = fields(data, link.start, ["reftype", "traceid", "spanid"]);
            let entry = file.services.args().begin_map("");
            for (key, id) in [("trace_id", trace), ("span_id", span)] {
                file.id(id, &mut self.ids.parent, hex_id);
                if !self.ids.parent.is_empty() {
                    let _ = file.services.args().add(key, Text::plain(&self.ids.parent));
                }
            }
            let kind = decoded(data, kind);
            if !kind.is_empty() {
                let _ = file.services.args().add("ref_type", Text::plain(&kind));
            }
            file.services.args().end(entry);
        }
        file.services.args().end(list);
    }
}

/// Reads an entry of a log, which is named by its field `event`.
fn event(file: &mut File<'_, '_>, log: Token) {
    let data = file.data;
    let [at, entries] = fields(data, log.start, ["timestamp", "fields"]);
    let at = file.unix_ns(at, 0);
    let is_name = |field: &Token| {
        let [key] = fields(data, field.start, ["key"]);
        text(data, key).is(b"event")
    };
    let name = items(data, entries).find(is_name);
    let named = name.map(|name| fields(data, name.start, ["value"])[0]);
    let text = named.map_or(Text::from("log"), |value| text(data, value));
    if !file.services.begin_event(text, at, range((log.start, log.end)), file.to) {
        return;
    }
    for field in items(data, entries).filter(|field| Some(field.start) != name.map(|name| name.start)) {
        let (key, value) = Tag::read(data, field);
        value.add(&attribute_key(key), file.services.args());
    }
    file.services.end_event();
}

impl File<'_, '_> {
    /// Returns the start and the end of a span in nanoseconds, of a start and a duration in microseconds, which are added before they
    /// are rounded. A negative duration ends where it starts, and is reported.
    pub(super) fn start_and_end(
        &mut self,
        start_token: Option<Token>,
        duration: Option<Token>,
    ) -> (Option<i64>, Option<i64>) {
        let Some(start) = self.time(start_token, 0) else { return (None, None) };
        let rounded = start.round();
        self.check_clamped(rounded.clamped, start_token);
        let Some(token) = duration else { return (Some(rounded.ns), None) };
        let length = scalar::time(self.data, token, 0);
        let end = match length {
            None => {
                self.report(DiagnosticKind::BadDuration, (token.start, token.end));
                return (Some(rounded.ns), None);
            }
            Some(length) if length.is_negative() => {
                self.report(DiagnosticKind::EndBeforeBegin, (token.start, token.end));
                return (Some(rounded.ns), Some(rounded.ns));
            }
            Some(length) => start.add_round(length),
        };
        self.check_clamped(end.clamped && !rounded.clamped, duration);
        (Some(rounded.ns), Some(end.ns))
    }
}
