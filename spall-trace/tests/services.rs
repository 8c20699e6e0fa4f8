//! Spans of services, from every format that has them, and against an independent reading. [otel]

use std::collections::BTreeMap;

use serde_json::Value as Json;
use spall_synth::services;
use spall_trace::{
    Error, Format, MergeInput, detect,
    layout::{Layout, LayoutView},
    load, merge_traces,
    model::{
        DiagnosticKind, Event, Limits, Receiver, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace,
        TraceBuilder, TraceView,
    },
};

/// Returns OTLP in JSON with these spans, each of which belongs to a service.
fn otlp(spans: &[(&str, String)]) -> Vec<u8> {
    let requests = spans.iter().map(|(service, span)| {
        format!(
            r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{service}"}}}}]}},
            "scopeSpans":[{{"scope":{{"name":"lib"}},"spans":[{span}]}}]}}]}}"#
        )
    });
    requests.collect::<Vec<_>>().join("\n").into_bytes()
}

const START: i64 = 1_790_000_000_000_000_000;

/// Returns a span of one trace: its number, that of its parent, and its times behind [`START`].
fn span(id: u32, parent: u32, start: i64, end: i64, more: &str) -> String {
    format!(
        r#"{{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"{id:016x}","parentSpanId":"{parent:016x}","name":"s{id}",
        "startTimeUnixNano":"{}","endTimeUnixNano":"{}"{more}}}"#,
        START + start,
        START + end
    )
}

fn slice(trace: &Trace, name: &str) -> SliceId {
    let named = |&id: &SliceId| trace.slice_name(id) == name;
    trace.slices().ids().iter().find(named).unwrap_or_else(|| panic!("no {name}"))
}

/// Each flow as `NAME FROM>TO`.
fn flows(trace: &Trace) -> Vec<String> {
    let flow = |flow: &spall_trace::model::Flow| {
        format!("{} {}>{}", trace.name(flow.name), trace.slice_name(flow.from), trace.slice_name(flow.to))
    };
    let mut flows: Vec<_> = trace.flows().iter().map(flow).collect();
    flows.sort();
    flows
}

fn count(trace: &Trace, kind: DiagnosticKind) -> u64 {
    trace.diagnostics().count(kind)
}

/// What a trace holds, but for the name of its format, as text.
fn text(trace: &Trace) -> String {
    let mut text = String::new();
    for track in trace.tracks() {
        let process = track.process.map(|process| trace.name(trace.processes()[process.0 as usize].name));
        text += &format!("{process:?} {}\n", trace.name(track.name));
        for (id, slice) in trace.slices_of(track.id) {
            let args = trace.slice_args(id).begin;
            text += &format!("{} {:?} {:?} {args}\n", trace.name(slice.name), slice.start, slice.end);
        }
        for instant in trace.instants_of(track.id) {
            text += &format!("{} {:?} {}\n", trace.name(instant.name), instant.at, trace.args_of(instant));
        }
    }
    format!("{text}{:?} {:?}", flows(trace), trace.clock())
}

/// [otel 5.1] [otel 5.2]
#[test]
fn formats_are_told_by_their_structure() {
    let files = [
        (services::otlp_json(9), Format::OtlpJson),
        (services::otlp(9), Format::Otlp),
        (services::jaeger(9), Format::Jaeger),
        (services::zipkin(9), Format::Zipkin),
    ];
    for (data, format) in files {
        assert_eq!(detect(&data), Some(format));
        let trace = load(&data).unwrap();
        assert_eq!(trace.slices().len(), 9, "{format}");
    }
    let in_arguments =
        br#"[{"ph":"X","name":"resourceSpans","ts":1,"dur":1,"args":{"resourceSpans":[{"scopeSpans":[]}]}}]"#;
    assert_eq!(detect(in_arguments), Some(Format::TraceEventJson));
    assert_eq!(detect(&spall_synth::perfetto::trace(20)), Some(Format::Perfetto));
}

/// [otel 1.4] [otel 6.3]
#[test]
fn json_and_protocol_buffers_are_one_trace() {
    let (json, binary) = (load(&services::otlp_json(50)).unwrap(), load(&services::otlp(50)).unwrap());
    assert_eq!(text(&json), text(&binary));
    assert!(json.flows().len() > 10);
    let framed: Vec<u8> = {
        let whole = services::otlp(1);
        let length = u32::try_from(whole.len()).unwrap().to_be_bytes();
        [&length[..], &whole, &length, &whole].concat()
    };
    assert_eq!(detect(&framed), Some(Format::Otlp));
    let framed = load(&framed).unwrap();
    assert_eq!((framed.slices().len(), count(&framed, DiagnosticKind::DuplicateSpan)), (1, 1));
}

/// [otel 3.3] [pairing 5.6]
#[test]
fn spans_lie_below_their_parents_only() {
    let spans = [
        ("a", span(1, 0, 0, 100, "")),
        ("a", span(2, 1, 10, 60, "")),
        ("a", span(3, 1, 20, 50, "")),
        ("b", span(4, 3, 25, 40, "")),
        ("a", span(5, 4, 26, 30, "")),
    ];
    let trace = load(&otlp(&spans)).unwrap();
    let layout = Layout::new(&trace);
    let place = |name| {
        let place = layout.place(slice(&trace, name)).unwrap();
        (place.lane, place.depth)
    };
    assert_eq!((place("s1"), place("s2"), place("s3")), ((0, 0), (0, 1), (1, 0)));
    // The nearest span above it in its process is the third one, with a span of another process in between.
    assert_eq!(place("s5"), (1, 1));
    assert_eq!(flows(&trace), ["parent s3>s4", "parent s4>s5"]);
}

/// [otel 3.4] [otel 3.5] [otel 3.6]
#[test]
fn parents_and_links_that_are_not_there_are_counted() {
    let link = |id: u32| {
        format!(r#","links":[{{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"{id:016x}"}}]"#)
    };
    let spans = [
        ("a", span(1, 9, 0, 100, &link(2))),
        ("b", span(2, 0, 10, 60, &link(8))),
        ("a", span(3, 4, 20, 50, "")),
        ("b", span(4, 3, 25, 40, "")),
        ("a", span(5, 5, 70, 80, "")),
    ];
    let trace = load(&otlp(&spans)).unwrap();
    assert_eq!(count(&trace, DiagnosticKind::LostSpanParent), 1);
    assert_eq!(count(&trace, DiagnosticKind::LostSpanLink), 1);
    assert_eq!(count(&trace, DiagnosticKind::CircularSpan), 2);
    assert_eq!(flows(&trace), ["link s2>s1", "parent s3>s4"]);
}

/// [otel 3.10]
#[test]
fn a_span_that_is_there_twice_is_kept_once() {
    let twice = span(1, 0, 0, 100, "");
    let trace = load(&otlp(&[("a", twice.clone()), ("a", twice), ("a", span(1, 0, 0, 90, ""))])).unwrap();
    assert_eq!(trace.slices().len(), 2);
    assert_eq!(count(&trace, DiagnosticKind::DuplicateSpan), 1);
    assert_eq!(count(&trace, DiagnosticKind::RepeatedSpanId), 1);
}

/// [otel 3.10]
#[test]
fn pieces_of_a_span_of_zipkin_are_put_together() {
    let zipkin = br#"[{"traceId":"1","id":"2","localEndpoint":{"serviceName":"a"},"tags":{"x":"1"}},
        {"traceId":"01","id":"2","localEndpoint":{"serviceName":"a"},"timestamp":1790000000000000,"duration":3,"tags":{"y":"2"}},
        {"traceId":"1","id":"2","name":"get","localEndpoint":{"serviceName":"a"}},
        {"traceId":"1","id":"2","localEndpoint":{"serviceName":"b"}}]"#;
    let trace = load(zipkin).unwrap();
    assert_eq!(trace.slices().len(), 1);
    let args = trace.slice_args(slice(&trace, "get")).begin.to_string();
    assert_eq!(args, "trace_id=01, span_id=2, y=2, x=1");
    assert_eq!(count(&trace, DiagnosticKind::MissingTime), 1);
}

/// [otel 2.2] [otel 4.1] [otel 4.2]
#[test]
fn times_that_do_not_fit() {
    let of = |start: &str, end: &str| {
        format!(r#"{{"name":"s","startTimeUnixNano":{start},"endTimeUnixNano":{end}}}"#)
    };
    let one = |start, end| load(&otlp(&[("a", of(start, end))]));
    let times = |trace: &Trace| {
        let epoch = trace.clock().epoch_ns.unwrap_or(0);
        (trace.slices().starts()[0].0 + epoch, trace.slices().ends()[0].0 + epoch)
    };
    let trace = one("1.79e18", "\"1790000000000000001\"").unwrap();
    assert_eq!(times(&trace), (START, START + 1));
    let trace = one("\"1790000000000000005\"", "\"1790000000000000001\"").unwrap();
    assert_eq!((times(&trace), count(&trace, DiagnosticKind::EndBeforeBegin)), ((START + 5, START + 5), 1));
    let trace = one("0", "\"1790000000000000001\"").unwrap();
    assert_eq!((times(&trace), count(&trace, DiagnosticKind::MissingStart)), ((START + 1, START + 1), 1));
    let trace = one("-5", "\"1790000000000000001\"").unwrap();
    assert_eq!((times(&trace), count(&trace, DiagnosticKind::BadField)), ((START + 1, START + 1), 1));
    let trace = one("0", "500").unwrap();
    assert_eq!((times(&trace), trace.clock().epoch_ns), ((0, 500), None));
    let trace = one("\"1790000000000000005\"", "0").unwrap();
    assert_eq!(count(&trace, DiagnosticKind::UnfinishedAsync), 1);
    let trace = one("5", "\"99999999999999999999\"").unwrap();
    assert_eq!((times(&trace).1, count(&trace, DiagnosticKind::TimeOutOfRange)), (i64::MAX, 1));
    assert!(matches!(one("0", "null"), Err(Error::UnknownFormat { .. })));
}

/// [otel 1.3] [otel 5.4] [otel 5.5]
#[test]
fn what_is_broken_or_cut_costs_its_own_spans_only() {
    let whole =
        otlp(&[("a", span(1, 0, 0, 100, "")), ("a", span(2, 1, 10, 60, "")), ("b", span(3, 1, 20, 50, ""))]);
    assert_eq!(load(&whole).unwrap().slices().len(), 3);
    // Everything on one line, so that a broken line is followed by whole ones.
    let one_line = String::from_utf8(whole).unwrap().replace("\n            ", "").replace("\n        ", "");
    let mut broken: Vec<&str> = one_line.lines().collect();
    assert_eq!(broken.len(), 3);
    broken[1] = &broken[1][..broken[1].len() - 40];
    let text = broken.join("\r\n");
    let trace = load(text.as_bytes()).unwrap();
    assert_eq!(trace.slices().len(), 2);
    assert_eq!(count(&trace, DiagnosticKind::DamagedRecord), 1);
    for length in 0..one_line.len() {
        let Ok(cut) = load(&one_line.as_bytes()[..length]) else { continue };
        let n_damaged = count(&cut, DiagnosticKind::Truncated);
        assert!(cut.slices().len() <= 3 && n_damaged <= 1, "{length}");
    }
    let binary = services::otlp(4);
    let mut found = 0;
    for length in 0..binary.len() {
        let Ok(cut) = load(&binary[..length]) else { continue };
        assert!(cut.slices().len() >= found, "{length}");
        found = cut.slices().len();
    }
    assert_eq!(found, 3);
}

/// [otel 2.3]
#[test]
fn values_are_read_to_64_levels() {
    let nested = |depth: usize| {
        let (open, close) = (r#"{"arrayValue":{"values":["#.repeat(depth), "]}}".repeat(depth));
        let attributes =
            format!(r#","attributes":[{{"key":"a","value":{open}{close}}}]"#).replace("[]}}", "[{}]}}");
        load(&otlp(&[("a", span(1, 0, 0, 1, &attributes))])).unwrap()
    };
    assert_eq!(count(&nested(63), DiagnosticKind::DeepValue), 0);
    assert_eq!(count(&nested(70), DiagnosticKind::DeepValue), 1);
    assert_eq!(count(&nested(5000), DiagnosticKind::DeepValue), 1);
}

/// [otel 3.1] [otel 6.1]
#[test]
fn a_process_has_the_number_that_the_system_gave_it() {
    let resource = |service: &str, pid: u32| {
        format!(
            r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{service}"}}}},
            {{"key":"process.pid","value":{{"intValue":"{pid}"}}}}]}},"scopeSpans":[{{"spans":[{}]}}]}}]}}"#,
            span(pid, 0, 0, 100, "")
        )
    };
    let pids = |trace: &Trace| -> Vec<String> {
        trace.processes().iter().map(|process| trace.key_text(process.pid).into_owned()).collect()
    };
    let trace = load((resource("a", 7) + &resource("b", 9)).as_bytes()).unwrap();
    assert_eq!(pids(&trace), ["7", "9"]);
    // In containers all have the same one.
    let same = load((resource("a", 1) + &resource("b", 1)).as_bytes()).unwrap();
    assert_eq!(pids(&same), ["2", "3"]);
    let mut recorded = TraceBuilder::new(&Limits::default());
    let clock = spall_trace::model::Clock::NANOSECONDS.with_epoch_ns(Some(START));
    recorded.push(&Event::Clock(clock));
    let work = ThreadEvent::new(Thread::new(7, 7), Tick(10), Text::from("work"));
    recorded.push(&Event::Complete(work, Ticks(50)));
    let recorded = recorded.finish();
    for inputs in [[&trace, &recorded], [&recorded, &trace]] {
        let inputs = inputs.map(|trace| MergeInput::new(trace, "x"));
        assert_eq!(pids(&merge_traces(&inputs, &Limits::default()).trace), ["7", "9"]);
    }
}

/// [otel 6.2]
#[test]
fn files_of_one_trace_are_linked_when_they_are_merged() {
    let spans = [("a", span(1, 0, 0, 100, "")), ("b", span(2, 1, 10, 60, "")), ("a", span(3, 2, 20, 50, ""))];
    let together = load(&otlp(&spans)).unwrap();
    let [first, second] = [0, 1].map(|half| {
        let of_half = spans.iter().filter(|(service, _)| (*service == "a") == (half == 0));
        load(&otlp(&of_half.cloned().collect::<Vec<_>>())).unwrap()
    });
    assert_eq!(count(&second, DiagnosticKind::LostSpanParent), 1);
    let inputs = [MergeInput::new(&first, "a"), MergeInput::new(&second, "b")];
    let merged = merge_traces(&inputs, &Limits::default()).trace;
    assert_eq!(flows(&merged), flows(&together));
    assert_eq!(count(&merged, DiagnosticKind::LostSpanParent), 0);
    // A trace that is replayed says the same.
    let mut again = TraceBuilder::new(&Limits::default());
    merged
        .replay(|event| -> Result<(), ()> {
            again.receive(event, spall_trace::model::ByteRange::default());
            Ok(())
        })
        .unwrap();
    assert_eq!(flows(&again.finish()), flows(&together));
}

/// [otel 1.1] [otel 1.2] [otel 2.1] [otel 2.4]
#[test]
fn otlp_is_spelt_in_many_ways() {
    let plain =
        otlp(&[("a", span(1, 2, 0, 100, r#","kind":2,"status":{"code":2}"#)), ("a", span(2, 0, 0, 100, ""))]);
    let expected = text(&load(&plain).unwrap());
    let plain = String::from_utf8(plain).unwrap();
    let snake = [
        ("resourceSpans", "resource_spans"),
        ("scopeSpans", "instrumentation_library_spans"),
        ("traceId", "trace_id"),
        ("spanId", "span_id"),
        ("parentSpanId", "parent_span_id"),
        ("startTimeUnixNano", "start_time_unix_nano"),
        ("endTimeUnixNano", "end_time_unix_nano"),
        ("stringValue", "StringValue"),
        (r#""kind":2"#, r#""kind":"SPAN_KIND_SERVER""#),
        (r#""code":2"#, r#""code":"error""#),
        ("5b8efff798038103d269b633813fc60c", "W47/95gDgQPSabYzgT/GDA"),
        ("0000000000000001", "AAAAAAAAAAE="),
        (r#""0000000000000000""#, r#""""#),
    ];
    let snake = snake.iter().fold(plain.clone(), |text, (from, to)| text.replace(from, to));
    let requests: Vec<_> = plain.split("\n{\"resourceSpans\"").collect();
    let list = format!("[{},{{\"resourceSpans\"{}]", requests[0], requests[1]);
    let wrapped = format!("{{\"result\":{}}}\n{{\"resourceSpans\"{}", requests[0], requests[1]);
    let batches = plain.replace("resourceSpans", "batches");
    for spelt in [snake, list, wrapped, batches] {
        assert_eq!(text(&load(spelt.as_bytes()).unwrap()), expected, "{spelt}");
    }
    let odd = plain.replace("0000000000000002", "span two");
    let odd = load(odd.as_bytes()).unwrap();
    assert_eq!(count(&odd, DiagnosticKind::UnusualId), 2);
    assert_eq!(count(&odd, DiagnosticKind::LostSpanParent), 0);
}

/// [otel 1.5] [otel 2.5] [otel 3.7] [otel 3.8] [otel 3.9]
#[test]
fn jaeger_is_read_with_its_tags_and_logs() {
    let text = br#"{"data":[{"traceID":"0a","spans":[{"traceID":"a","spanID":"1","operationName":"get","startTime":1790000000000000.5,
        "duration":10,"processID":"p1","warnings":["skew"],"tags":[{"key":"span.kind","type":"string","value":"server"},
        {"key":"error","type":"bool","value":"true"},{"key":"n","type":"int64","value":"7"},{"key":"kind","type":"string","value":"x"},
        {"key":"otel.library.name","type":"string","value":"lib"}],
        "logs":[{"timestamp":1790000000000003,"fields":[{"key":"event","type":"string","value":"hit"},{"key":"k","type":"int64","value":1}]},
        {"fields":[]}]}],"processes":{"p1":{"serviceName":"shop","tags":[]}}}]}"#;
    let trace = load(text).unwrap();
    assert_eq!(trace.name(trace.processes()[0].name), "shop");
    let get = slice(&trace, "get");
    assert_eq!(trace.name(trace.slice(get).unwrap().category), "lib");
    assert_eq!(
        trace.slice_args(get).begin.to_string(),
        "trace_id=a, span_id=1, kind=server, status=error, warnings=[skew], span.kind=server, error=true, n=7, \
         attributes.kind=x, otel.library.name=lib"
    );
    assert_eq!(trace.clock().epoch_ns, Some(START + 500));
    let instants: Vec<_> = trace
        .instants()
        .iter()
        .map(|instant| {
            (trace.name(instant.name).into_owned(), instant.at.0, trace.args_of(instant).to_string())
        })
        .collect();
    let expected = [("log", 0, "span_id=1"), ("hit", 2500, "span_id=1, k=1")];
    assert_eq!(instants, expected.map(|(name, at, args)| (name.to_owned(), at, args.to_owned())));
    assert_eq!(count(&trace, DiagnosticKind::MissingEventTime), 1);
}

/// [otel 1.6] [otel 3.2]
#[test]
fn halves_of_a_span_of_zipkin_are_parent_and_child() {
    let text = br#"[[{"traceId":"1","id":"2","kind":"CLIENT","name":"ask","timestamp":1790000000000000,"duration":9,
        "localEndpoint":{"serviceName":"front"}},
        {"traceId":"1","id":"2","kind":"SERVER","shared":true,"name":"answer","timestamp":1790000000000001,"duration":5,
        "localEndpoint":{"serviceName":"back"}},
        {"traceId":"1","id":"3","parentId":"2","name":"work","timestamp":1790000000000002,"duration":1,
        "localEndpoint":{"serviceName":"back"}}]]"#;
    let trace = load(text).unwrap();
    assert_eq!(flows(&trace), ["parent ask>answer"]);
    assert_eq!(trace.tracks().len(), 2);
    let mut names: Vec<_> = trace.tracks().iter().map(|track| trace.name(track.name).into_owned()).collect();
    names.sort();
    assert_eq!(names, ["answer", "ask"]);
    assert_eq!(trace.said_parent(slice(&trace, "work")).unwrap().parent, slice(&trace, "answer"));
}

/// [otel 5.3]
#[test]
fn what_holds_no_spans_is_named() {
    let refused: [(&str, &str); 8] = [
        (r#"{"resourceMetrics":[{"scopeMetrics":[]}]}"#, "OTLP metrics"),
        (r#"{"resourceLogs":[]}"#, "OTLP logs"),
        (r#"{"resourceSpans":[]}"#, "OTLP"),
        (
            r#"[{"traceId":"1","id":"2","name":"a","binaryAnnotations":[],"annotations":[]}]"#,
            "Zipkin in version 1",
        ),
        (
            r#"{"name":"a","context":{"trace_id":"0x1"},"kind":"SpanKind.INTERNAL","start_time":"2026"}"#,
            "console exporter",
        ),
        (r#"{"data":null,"errors":[{"code":404,"msg":"trace not found"}]}"#, "trace not found"),
        (
            r#"[{"traceId":"AAAAAAAAAAE=","operationName":"a","startTime":"2026-01-01T00:00:00Z"}]"#,
            "old model",
        ),
        (r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"no time"}]}]}]}"#, "no span has a time"),
    ];
    for (text, word) in refused {
        let error = load(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(word), "{error} does not name {word}");
    }
}

/// The independent reading of the files of the collection: each span and each flow. [otel]
#[test]
fn files_are_read_as_an_independent_reading_has_them() {
    let mut n_files = 0;
    for expected in spall_testdata::inputs("otel", ".otel.jsonl") {
        let lines: Vec<Json> = std::fs::read_to_string(&expected)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let path = expected.to_string_lossy().replace(".otel.jsonl", "");
        // The rule keeps a span whose start is negative and whose end is there; the reading leaves it out. [otel 2.2]
        if path.ends_with("start-missing.otlp.json") {
            continue;
        }
        n_files += 1;
        let trace = load(&std::fs::read(&path).unwrap());
        match lines[0]["k"].as_str().unwrap() {
            "refused" => assert!(trace.is_err(), "{path}"),
            "head" => compare(&path, &trace.unwrap(), &lines),
            _ => {}
        }
    }
    if n_files == 0 {
        spall_testdata::skipped("otel of the collection");
    }
}

fn compare(path: &str, trace: &Trace, lines: &[Json]) {
    type Spans = BTreeMap<(String, i64, Option<i64>, String), usize>;
    let epoch = trace.clock().epoch_ns.unwrap_or(0);
    let (mut found, mut expected) = (Spans::new(), Spans::new());
    for id in trace.slices().ids() {
        let slice = trace.slice(id).unwrap();
        let end = (!slice.flags.is_unfinished()).then(|| slice.duration().0);
        let category = trace.name(slice.category).into_owned();
        *found
            .entry((trace.slice_name(id).into_owned(), slice.start.0 + epoch, end, category))
            .or_default() += 1;
    }
    let text = |line: &Json, key: &str| line[key].as_str().unwrap().to_owned();
    for line in lines.iter().filter(|line| line["k"] == "span") {
        let key =
            (text(line, "name"), line["start"].as_i64().unwrap(), line["dur"].as_i64(), text(line, "cat"));
        *expected.entry(key).or_default() += 1;
    }
    assert_eq!(found, expected, "{path}");
    let flow = |line: &&Json| {
        format!("{} {}>{}", text(line, "name"), text(&line["from"], "name"), text(&line["to"], "name"))
    };
    let mut expected: Vec<_> =
        lines.iter().filter(|line| line["k"] == "link").map(|line| flow(&line)).collect();
    expected.sort();
    assert_eq!(flows(trace), expected, "{path}");
    let n_events = lines.iter().filter(|line| line["k"] == "event").count();
    assert_eq!(trace.instants().len(), n_events, "{path}");
}
