//! OTLP in JSON. [otel 1.1](crate::rules::otel#1.1) [otel 1.2](crate::rules::otel#1.2)

use spall_model::{
    DiagnosticKind, Text, Value,
    services::{
        OTLP_IDENTITY, SpanFacts, SpanIds, kind_of_name, kind_of_number, otlp_id, status_of_name,
        status_of_number,
    },
};

use super::field::{decoded, fields, find_field, integer, is_one_of, items, text};
use super::walk::{Format, Step, read_values};
use super::{File, range};
use crate::lexer::{KeyToken, Token};

/// What an object or an array of a request is.
#[derive(Debug, Clone, Copy)]
enum Role {
    /// A request, or a wrapper of one.
    Root,
    /// The spans of a resource.
    Resource,
    /// The spans of a scope.
    Scope,
    Span,
}

pub(super) const RESOURCE_SPANS: &[&str] = &["resourcespans", "batches"];
pub(super) const SCOPE_SPANS: &[&str] = &["scopespans", "instrumentationlibraryspans"];
pub(super) const WRAPPERS: &[&str] = &["trace", "result"];
pub(super) const OTHER_SIGNALS: &[&str] = &["resourcemetrics", "resourcelogs", "resourceprofiles"];

/// The number of bytes of the id of a trace, and of that of a span.
const TRACE_ID: usize = 16;
const SPAN_ID: usize = 8;

pub(super) fn read(file: &mut File<'_, '_>) {
    read_values(file, &mut Otlp::default());
}

/// What is known of the spans that are read.
#[derive(Debug, Default)]
struct Otlp<'a> {
    /// The object of a resource, and its process.
    resource: Option<(usize, u32)>,
    process: u32,
    /// The object of a scope, which says its name and version.
    scope_of: Option<usize>,
    scope: Text<'a>,
    scope_version: Text<'a>,
    ids: SpanIds,
}

impl<'a> Format<'a> for Otlp<'a> {
    type Role = Role;

    const ROOT: Role = Role::Root;

    fn item(&mut self, _: &mut File<'a, '_>, role: Role, _: usize) -> Step<Role> {
        match role {
            Role::Span => Step::Whole,
            role => Step::Into(role),
        }
    }

    fn member(&mut self, file: &mut File<'a, '_>, role: Role, object: usize, key: &KeyToken) -> Step<Role> {
        let data = file.data;
        let is = |names: &[&str]| is_one_of(data, key, names);
        // An object that has scopes itself wraps nothing. If it did, it would be looked through again behind each.
        let has_scopes = self.resource.is_some_and(|(known, _)| known == object);
        match role {
            Role::Root if is(RESOURCE_SPANS) && !has_scopes => Step::Into(Role::Resource),
            Role::Root if is(WRAPPERS) && !has_scopes => Step::Into(Role::Root),
            Role::Root if is(OTHER_SIGNALS) || has_scopes && (is(RESOURCE_SPANS) || is(WRAPPERS)) => {
                file.report(DiagnosticKind::NotRead, (key.inside.0, key.value));
                Step::Over
            }
            Role::Root | Role::Resource if is(SCOPE_SPANS) => {
                // Damaged files may have many lists of scopes in one object.
                let known = self.resource.filter(|&(known, _)| known == object);
                let (_, process) = known.unwrap_or_else(|| (object, resource(file, object)));
                (self.resource, self.process) = (Some((object, process)), process);
                Step::Into(Role::Scope)
            }
            Role::Scope if is(&["spans"]) => {
                if self.scope_of.replace(object) != Some(object) {
                    let scope = find_field(data, object, &["scope", "instrumentationlibrary"]);
                    let [name, version] =
                        scope.map_or([None; 2], |scope| fields(data, scope, ["name", "version"]));
                    (self.scope, self.scope_version) = (text(data, name), text(data, version));
                }
                Step::Into(Role::Span)
            }
            _ => Step::Over,
        }
    }

    fn read(&mut self, file: &mut File<'a, '_>, _: Role, item: Token) {
        self.span(file, item);
    }
}

/// Returns the process of the resource of an object. It may stand behind the spans.
fn resource(file: &mut File<'_, '_>, object: usize) -> u32 {
    let data = file.data;
    let resource = find_field(data, object, &["resource"]);
    let [attributes] = resource.map_or([None], |resource| fields(data, resource, ["attributes"]));
    let attributes = file.resource_attributes(attributes);
    let name = match attributes.args().get(b"service.name") {
        Some(Value::Text(name)) => name,
        _ => Text::EMPTY,
    };
    file.services.process(name, attributes.args(), OTLP_IDENTITY)
}

impl<'a> Otlp<'a> {
    fn span(&mut self, file: &mut File<'a, '_>, span: Token) {
        let data = file.data;
        let [
            trace,
            id,
            parent,
            name,
            kind,
            start,
            end,
            attributes,
            events,
            links,
            status,
            state,
            flags,
            a,
            e,
            l,
        ] = fields(
            data,
            span.start,
            [
                "traceid",
                "spanid",
                "parentspanid",
                "name",
                "kind",
                "starttimeunixnano",
                "endtimeunixnano",
                "attributes",
                "events",
                "links",
                "status",
                "tracestate",
                "flags",
                "droppedattributescount",
                "droppedeventscount",
                "droppedlinkscount",
            ],
        );
        let ids = &mut self.ids;
        file.id(trace, &mut ids.trace, |text, id| otlp_id(text, TRACE_ID, id));
        file.id(id, &mut ids.span, |text, id| otlp_id(text, SPAN_ID, id));
        file.id(parent, &mut ids.parent, |text, id| otlp_id(text, SPAN_ID, id));
        let status = status.map_or([None; 2], |status| fields(data, status.start, ["code", "message"]));
        let facts = SpanFacts {
            name: text(data, name),
            category: self.scope,
            start: file.unix_ns(start, -1),
            end: file.unix_ns(end, -1),
            kind: number_or_name(data, kind, kind_of_number, kind_of_name),
            status: number_or_name(data, status[0], status_of_number, status_of_name),
            status_message: text(data, status[1]),
            trace_state: text(data, state),
            flags: Value::from(integer(data, flags)),
            scope_version: self.scope_version,
            dropped: [a, e, l].map(|count| integer(data, count).unwrap_or(0)),
            bytes: range((span.start, span.end)),
            ..SpanFacts::new(self.process)
        };
        if !file.services.begin_span(&self.ids, &facts, file.to) {
            return;
        }
        self.links(file, links);
        file.add_attributes(attributes);
        for event in items(data, events) {
            let [at, name, attributes, dropped] =
                fields(data, event.start, ["timeunixnano", "name", "attributes", "droppedattributescount"]);
            let at = file.unix_ns(at, -1);
            if file.services.begin_event(text(data, name), at, range((event.start, event.end)), file.to) {
                add_count(file, "dropped_attributes", dropped);
                file.add_attributes(attributes);
                file.services.end_event();
            }
        }
        file.services.end_span(file.to);
    }

    fn links(&mut self, file: &mut File<'a, '_>, links: Option<Token>) {
        let data = file.data;
        let mut links = items(data, links).peekable();
        if links.peek().is_none() {
            return;
        }
        let list = file.services.args().begin_list("links");
        for link in links {
            if !file.services.pay_for_link(range((link.start, link.end)), file.to) {
                continue;
            }
            let [trace, span, state, flags, attributes, dropped] = fields(
                data,
                link.start,
                ["traceid", "spanid", "tracestate", "flags", "attributes", "droppedattributescount"],
            );
            let entry = file.services.args().begin_map("");
            for (key, id, length) in [("trace_id", trace, TRACE_ID), ("span_id", span, SPAN_ID)] {
                file.id(id, &mut self.ids.span, |text, id| otlp_id(text, length, id));
                if !self.ids.span.is_empty() {
                    let _ = file.services.args().add(key, Text::plain(&self.ids.span));
                }
            }
            let state = decoded(data, state);
            if !state.is_empty() {
                let _ = file.services.args().add("trace_state", Text::plain(&state));
            }
            add_count(file, "flags", flags);
            add_count(file, "dropped_attributes", dropped);
            file.add_attributes(attributes);
            file.services.args().end(entry);
        }
        file.services.args().end(list);
    }
}

/// Adds a number that is not 0.
fn add_count(file: &mut File<'_, '_>, key: &'static str, count: Option<Token>) {
    if let Some(count) = integer(file.data, count).filter(|&count| count != 0) {
        let _ = file.services.args().add(key, count);
    }
}

/// Returns a fact that is written as a number or by its name.
fn number_or_name<'a>(
    data: &'a [u8],
    token: Option<Token>,
    of_number: fn(i64) -> Value<'static>,
    of_name: for<'n> fn(Text<'n>) -> Value<'n>,
) -> Value<'a> {
    match integer(data, token) {
        Some(number) => of_number(number),
        None => of_name(text(data, token)),
    }
}
