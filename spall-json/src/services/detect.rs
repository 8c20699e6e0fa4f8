//! Recognises files of services by their structure. [otel 5.1](crate::rules::otel#5.1)

use super::field::{is_key, is_one_of};
use super::otlp::{OTHER_SIGNALS, RESOURCE_SPANS, SCOPE_SPANS, WRAPPERS};
use crate::lexer::{self, KeyToken};

/// A format of spans of services in JSON, as [`service_json`] recognises it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ServiceJson {
    /// OTLP, the protocol of OpenTelemetry. [otel 1.1](crate::rules::otel#1.1)
    Otlp,
    /// The files of Jaeger. [otel 1.5](crate::rules::otel#1.5)
    Jaeger,
    /// The files of Zipkin, version 2. [otel 1.6](crate::rules::otel#1.6)
    Zipkin,
}

/// Returns the format of the spans of services in the file that begins with `data`, by the structure of its first value.
///
/// Returns `None` if the file is something else, or if `data` ends before it shows. OTLP of other signals is OTLP too: spans may
/// follow. A document with a list `traceEvents` in front is something else.
///
/// ```
/// use spall_json::{ServiceJson, service_json};
///
/// assert_eq!(service_json(br#"{"resourceSpans":[{"resource":{"#), Some(ServiceJson::Otlp));
/// assert_eq!(service_json(br#"{"data":[{"traceID":"1","spans":["#), Some(ServiceJson::Jaeger));
/// assert_eq!(service_json(br#"[[{"traceId":"1","id":"2","name":"get"}]]"#), Some(ServiceJson::Zipkin));
/// assert_eq!(service_json(br#"[{"ph":"X","name":"resourceSpans","args":{"resourceSpans":[]}}]"#), None);
/// ```
#[must_use]
pub fn service_json(data: &[u8]) -> Option<ServiceJson> {
    let start = if data.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let (start, byte) = lexer::skip_blanks(data, start)?;
    match byte {
        b'{' => of_object(data, start).or_else(|| is_zipkin_span(data, start).then_some(ServiceJson::Zipkin)),
        b'[' => {
            // Lists of lists are files of Zipkin only. The first lists may be empty.
            let mut at = lexer::item_start(data, start + 1)?;
            while data.get(at) == Some(&b'[') {
                at = match lexer::item_start(data, at + 1) {
                    Some(inner) => {
                        return of_item(data, inner).filter(|&format| format == ServiceJson::Zipkin);
                    }
                    None => lexer::item_start(data, lexer::array_end(data, at + 1).ok()?)?,
                };
            }
            of_item(data, at)
        }
        _ => None,
    }
}

/// Returns the format of a list by its first object.
fn of_item(data: &[u8], object: usize) -> Option<ServiceJson> {
    of_object(data, object).or_else(|| {
        is_request_of_one(data, object)
            .then_some(ServiceJson::Otlp)
            .or_else(|| is_zipkin_span(data, object).then_some(ServiceJson::Zipkin))
    })
}

/// Returns the format of a document, or of a list of such documents, by its keys.
fn of_object(data: &[u8], object: usize) -> Option<ServiceJson> {
    let is_list = |key: &KeyToken| data.get(key.value) == Some(&b'[');
    let first = |key: &KeyToken| lexer::item_start(data, key.value + 1);
    let mut of_jaeger = [false; 4];
    let keys =
        lexer::keys(data, object).take_while(|key| !key.is(data, b"traceEvents") && !key.is(data, b"ph"));
    for key in keys {
        let is = |names: &[&str]| is_one_of(data, &key, names);
        let is_otlp = match data.get(key.value) {
            Some(b'[') if is(&["resourcespans"]) || is(OTHER_SIGNALS) => true,
            Some(b'[') if is(&["batches"]) => first(&key).is_none_or(|first| is_request_of_one(data, first)),
            Some(b'{') if is(WRAPPERS) => {
                lexer::keys(data, key.value).any(|key| is_one_of(data, &key, RESOURCE_SPANS) && is_list(&key))
            }
            _ => false,
        };
        if is_otlp {
            return Some(ServiceJson::Otlp);
        }
        if is_list(&key) && key.is(data, b"data") && first(&key).is_some_and(|first| is_jaeger(data, first)) {
            return Some(ServiceJson::Jaeger);
        }
        for (name, found) in JAEGER.iter().zip(&mut of_jaeger) {
            *found |= key.is(data, name) && (*name != b"spans" || is_list(&key));
        }
        if is_of_jaeger(of_jaeger) {
            return Some(ServiceJson::Jaeger);
        }
    }
    None
}

/// The keys of traces and spans of Jaeger.
const JAEGER: [&[u8]; 4] = [b"traceID", b"spans", b"spanID", b"operationName"];

/// Returns whether keys are those of a trace or of a span.
const fn is_of_jaeger([trace, spans, span, operation]: [bool; 4]) -> bool {
    trace && (spans || span && operation)
}

fn is_jaeger(data: &[u8], object: usize) -> bool {
    let mut found = [false; 4];
    lexer::keys(data, object).any(|key| {
        for (name, found) in JAEGER.iter().zip(&mut found) {
            *found |= key.is(data, name);
        }
        is_of_jaeger(found)
    })
}

/// Returns whether an object has the spans of one resource.
fn is_request_of_one(data: &[u8], object: usize) -> bool {
    lexer::keys(data, object)
        .any(|key| is_one_of(data, &key, SCOPE_SPANS) && data.get(key.value) == Some(&b'['))
}

/// Returns whether an object is a span of Zipkin. Spans of its first version have other annotations.
fn is_zipkin_span(data: &[u8], object: usize) -> bool {
    let (mut has_ids, mut has_fact) = ([false; 2], false);
    for key in lexer::keys(data, object) {
        // What is behind the events of a trace is not looked for.
        if [&b"ph"[..], b"binaryAnnotations", b"traceEvents"].iter().any(|name| key.is(data, name)) {
            return false;
        }
        let is_text = data.get(key.value) == Some(&b'"');
        for (name, found) in ["traceid", "id"].into_iter().zip(&mut has_ids) {
            *found |= is_text && is_key(data, &key, name);
        }
        has_fact |= is_one_of(data, &key, &["timestamp", "localendpoint", "name"]);
    }
    has_ids == [true; 2] && has_fact
}
