//! Generators of spans of services: OTLP in JSON and in protocol buffers, Jaeger and Zipkin. [otel 1]

use core::fmt::Write as _;

use crate::Random;

/// A span of a shop with a few services.
struct Span {
    trace: u64,
    id: u64,
    parent: u64,
    service: usize,
    start_ns: u64,
    length_ns: u64,
}

const SERVICES: [&str; 4] = ["web", "cart", "payment", "stock"];
const NAMES: [&str; 5] = ["GET /", "query", "charge \u{2603}", "reserve", "send"];
const EPOCH_NS: u64 = 1_790_000_000_000_000_000;

/// Returns the spans of traces of 8 spans each, children before their parents as exporters write them.
fn spans(n_spans: usize) -> Vec<Span> {
    let mut random = Random(11);
    let mut spans: Vec<Span> = (0..n_spans as u64)
        .map(|number| {
            let (trace, in_trace) = (number / 8, number % 8);
            let parent = if in_trace == 0 { 0 } else { number + 1 - in_trace + random.below(in_trace) };
            let start_ns = EPOCH_NS + 100_000 * trace + 1000 * in_trace;
            let length_ns = 1000 * (1 + random.below(50_u64));
            Span {
                trace: trace + 1,
                id: number + 1,
                parent,
                service: random.below(SERVICES.len()),
                start_ns,
                length_ns,
            }
        })
        .collect();
    spans.reverse();
    spans
}

fn name(span: &Span) -> &'static str {
    NAMES.get(usize::try_from(span.id).unwrap_or(0) % NAMES.len()).unwrap_or(&"")
}

/// Returns OTLP in JSON, one request for each service in turn. A span takes about 400 bytes.
#[must_use]
pub fn otlp_json(n_spans: usize) -> Vec<u8> {
    let mut text = String::new();
    for span in spans(n_spans) {
        let service = SERVICES.get(span.service).unwrap_or(&"");
        let end_ns = span.start_ns + span.length_ns;
        let parent = if span.parent == 0 { String::new() } else { format!("{:016x}", span.parent) };
        _ = writeln!(
            text,
            "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{{\"key\":\"service.name\",\"value\":{{\"stringValue\":\
             \"{service}\"}}}}]}},\"scopeSpans\":[{{\"scope\":{{\"name\":\"lib\",\"version\":\"1\"}},\"spans\":[{{\
             \"traceId\":\"{:032x}\",\"spanId\":\"{:016x}\",\"parentSpanId\":\"{parent}\",\"name\":\"{}\",\"kind\":2,\
             \"startTimeUnixNano\":\"{}\",\"endTimeUnixNano\":\"{end_ns}\",\"attributes\":[{{\"key\":\"n\",\"value\":{{\
             \"intValue\":\"{}\"}}}}],\"events\":[{{\"name\":\"now\",\"timeUnixNano\":\"{}\"}}]}}]}}]}}]}}",
            span.trace,
            span.id,
            name(&span),
            span.start_ns,
            span.id,
            span.start_ns + 7
        );
    }
    text.into_bytes()
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        let [low, ..] = number.to_le_bytes();
        out.push(low | 0x80);
        number >>= 7;
    }
    let [low, ..] = number.to_le_bytes();
    out.push(low);
}

/// Appends a field of bytes.
fn bytes(out: &mut Vec<u8>, number: u64, content: &[u8]) {
    varint(out, number << 3 | 2);
    varint(out, content.len() as u64);
    out.extend(content);
}

fn fixed64(out: &mut Vec<u8>, number: u64, value: u64) {
    varint(out, number << 3 | 1);
    out.extend(value.to_le_bytes());
}

/// Returns the message of a request with one span.
fn request(service: &str, span: &[u8]) -> Vec<u8> {
    let [mut value, mut attribute, mut resource, mut scope, mut scope_spans, mut of_resource, mut request] =
        [const { Vec::new() }; 7];
    bytes(&mut value, 1, service.as_bytes());
    bytes(&mut attribute, 1, b"service.name");
    bytes(&mut attribute, 2, &value);
    bytes(&mut resource, 1, &attribute);
    bytes(&mut scope, 1, b"lib");
    bytes(&mut scope, 2, b"1");
    bytes(&mut scope_spans, 1, &scope);
    bytes(&mut scope_spans, 2, span);
    bytes(&mut of_resource, 1, &resource);
    bytes(&mut of_resource, 2, &scope_spans);
    bytes(&mut request, 1, &of_resource);
    request
}

/// Returns the spans of [`otlp_json`] in protocol buffers, one request behind the other.
#[must_use]
pub fn otlp(n_spans: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for span in spans(n_spans) {
        let [mut message, mut event, mut value, mut attribute] = [const { Vec::new() }; 4];
        bytes(&mut message, 1, &u128::from(span.trace).to_be_bytes());
        bytes(&mut message, 2, &span.id.to_be_bytes());
        if span.parent != 0 {
            bytes(&mut message, 4, &span.parent.to_be_bytes());
        }
        bytes(&mut message, 5, name(&span).as_bytes());
        message.extend([6 << 3, 2]);
        fixed64(&mut message, 7, span.start_ns);
        fixed64(&mut message, 8, span.start_ns + span.length_ns);
        value.push(3 << 3);
        varint(&mut value, span.id);
        bytes(&mut attribute, 1, b"n");
        bytes(&mut attribute, 2, &value);
        bytes(&mut message, 9, &attribute);
        fixed64(&mut event, 1, span.start_ns + 7);
        bytes(&mut event, 2, b"now");
        bytes(&mut message, 11, &event);
        file.extend(request(SERVICES.get(span.service).unwrap_or(&""), &message));
    }
    file
}

/// Returns a document of Jaeger.
#[must_use]
pub fn jaeger(n_spans: usize) -> Vec<u8> {
    let mut text = String::from("{\"data\":[{\"traceID\":\"1\",\"spans\":[");
    for (number, span) in spans(n_spans).iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        _ = write!(
            text,
            "{comma}{{\"traceID\":\"1\",\"spanID\":\"{:x}\",\"operationName\":\"{}\",\"references\":[{{\"refType\":\"CHILD_OF\",\
             \"traceID\":\"01\",\"spanID\":\"{:x}\"}}],\"startTime\":{},\"duration\":{},\"processID\":\"p{}\",\"tags\":\
             [{{\"key\":\"span.kind\",\"type\":\"string\",\"value\":\"server\"}}],\"logs\":[]}}",
            span.id,
            name(span),
            span.parent,
            span.start_ns / 1000,
            span.length_ns / 1000,
            span.service
        );
    }
    text.push_str("],\"processes\":{");
    for (number, service) in SERVICES.iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        _ = write!(text, "{comma}\"p{number}\":{{\"serviceName\":\"{service}\",\"tags\":[]}}");
    }
    text.push_str("}}]}");
    text.into_bytes()
}

/// Returns a list of Zipkin.
#[must_use]
pub fn zipkin(n_spans: usize) -> Vec<u8> {
    let mut text = String::from("[");
    for (number, span) in spans(n_spans).iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let service = SERVICES.get(span.service).unwrap_or(&"");
        _ = write!(
            text,
            "{comma}{{\"traceId\":\"{:x}\",\"id\":\"{:x}\",\"parentId\":\"{:x}\",\"name\":\"{}\",\"timestamp\":{},\"duration\":{},\
             \"kind\":\"CLIENT\",\"localEndpoint\":{{\"serviceName\":\"{service}\"}},\"tags\":{{\"a\":\"b\"}},\
             \"annotations\":[{{\"timestamp\":{},\"value\":\"x\"}}]}}",
            span.trace,
            span.id,
            span.parent,
            name(span),
            span.start_ns / 1000,
            span.length_ns / 1000,
            span.start_ns / 1000 + 1
        );
    }
    text.push(']');
    text.into_bytes()
}

/// Returns files of OTLP that want much memory or time for their size: `parts` says how large they are.
#[must_use]
pub fn attacks(parts: usize) -> Vec<(&'static str, Vec<u8>)> {
    let json = |span: &dyn Fn(usize) -> String| {
        let mut text = String::from("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[");
        for part in 0..parts {
            text.push_str(if part > 0 { "," } else { "" });
            text.push_str(&span(part));
        }
        text.push_str("]}]}]}");
        text.into_bytes()
    };
    let times = "\"startTimeUnixNano\":\"1\",\"endTimeUnixNano\":\"9\"";
    let id = |trace: usize, id: usize, more: &str| {
        format!("{{\"traceId\":\"{trace:032x}\",\"spanId\":\"{id:016x}\",{times}{more}}}")
    };
    let services = (0..parts).fold(String::new(), |mut text, part| {
        _ = writeln!(
            text,
            "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{{\"key\":\"service.name\",\"value\":{{\"stringValue\":\"{part}\"}}}}]}},\
             \"scopeSpans\":[{{\"spans\":[{}]}}]}}]}}",
            id(1, part + 1, &format!(",\"parentSpanId\":\"{part:016x}\""))
        );
        text
    });
    let repeated =
        |span: &[u8], count: usize, tail: &[u8]| request("a", &[span, &tail.repeat(count)].concat());
    let start = b"\x39\x01\0\0\0\0\0\0\0\x2a\x01a";
    let mut spans = Vec::new();
    for _ in 0..parts {
        bytes(&mut spans, 2, start);
    }
    let [mut of_resource, mut tiny] = [const { Vec::new() }; 2];
    bytes(&mut of_resource, 2, &spans);
    bytes(&mut tiny, 1, &of_resource);
    let one = format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{}]}}]}}]}}", id(1, 1, ""));
    let of_jaeger =
        "{\"traceID\":\"1\",\"spanID\":\"1\",\"operationName\":\"a\",\"startTime\":1,\"duration\":1}";
    let again = |open: &str, part: &str, close: &str| {
        format!("{one}\n{open}{}{close}\n{one}\n", part.repeat(parts)).into_bytes()
    };
    let in_jaeger = |open: &str, part: &str, close: &str| {
        format!("{{\"traceID\":\"1\",\"spans\":[{of_jaeger}]}}\n{open}{}{close}", part.repeat(parts))
            .into_bytes()
    };
    let wrapped =
        |part: &str| format!("{one}\n{}0{}\n{one}\n", part.repeat(parts), "}".repeat(parts)).into_bytes();
    vec![
        ("scopes in one resource", again("{\"resourceSpans\":[{", "\"scopeSpans\":[],", "\"a\":0}]}")),
        ("lists of spans in one scope", again("{\"scopeSpans\":[{", "\"spans\":[],", "\"a\":0}]}")),
        (
            "scopes beside wrappers",
            again("{", "\"scopeSpans\":[],\"result\":{\"scopeSpans\":[]},", "\"a\":0}"),
        ),
        ("wrappers in wrappers", wrapped("{\"scopeSpans\":[],\"result\":")),
        ("values without an end", again("", "{\"a\":[\n", "")),
        ("lists of spans in one trace", in_jaeger("{", "\"spans\":[],", "\"a\":0}")),
        ("spans beside documents", in_jaeger("{", "\"data\":[{\"spans\":[]}],\"spans\":[],", "\"a\":0}")),
        ("documents in documents", in_jaeger("", "{\"spans\":[],\"data\":[", "")),
        ("spans of one trace", json(&|part| id(1, part + 1, ""))),
        ("traces of one span", json(&|part| id(part + 1, 1, ""))),
        ("a chain of parents", json(&|part| id(1, part + 1, &format!(",\"parentSpanId\":\"{part:016x}\"")))),
        ("one parent", json(&|part| id(1, part + 2, ",\"parentSpanId\":\"0000000000000002\""))),
        (
            "links to one span",
            json(&|part| {
                id(
                    1,
                    part + 1,
                    &format!(",\"links\":[{{\"traceId\":\"{:032x}\",\"spanId\":\"{:016x}\"}}]", 1, 1),
                )
            }),
        ),
        ("spans of one id", json(&|part| id(1, 1, &format!(",\"name\":\"{part}\"")))),
        ("spans that are there twice", json(&|_| id(1, 1, ""))),
        ("spans without ids", json(&|_| format!("{{{times}}}"))),
        ("a chain through services", services.into_bytes()),
        ("tiny spans", tiny),
        ("tiny events", repeated(start, parts, b"\x5a\0")),
        ("tiny links", repeated(start, parts, b"\x6a\0")),
        ("tiny attributes", repeated(start, parts, b"\x4a\0")),
        (
            "deep values",
            json(&|part| {
                let depth = if part == 0 { parts } else { 0 };
                let (open, close) = ("{\"arrayValue\":{\"values\":[".repeat(depth), "]}}".repeat(depth));
                format!("{{{times},\"attributes\":[{{\"key\":\"a\",\"value\":{open}{close}}}]}}")
                    .replace("\"value\":}", "\"value\":{}}")
            }),
        ),
    ]
}
