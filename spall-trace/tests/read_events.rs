//! The events of a file make the trace of the file if a caller pushes them.

use spall_synth::{apitrace, auto, cpu_profile, gzip, heph, json, spall as synth};
use spall_trace::Loader;
use spall_trace::model::{Event, Limits, Receiver, Trace, TraceBuilder, TraceView};

/// Returns everything of a trace as text, without the places where its strings are stored.
fn show(trace: Trace) -> String {
    let names: Vec<_> = trace.slices().names().iter().map(|&name| trace.name(name).into_owned()).collect();
    let (slices, tracks) = (trace.slices(), trace.tracks());
    let facts = (trace.clock(), trace.bounds(), slices.starts(), slices.ends(), slices.flags(), names);
    format!("{facts:?} {tracks:?} {:?} {:?}", trace.samples(), trace.diagnostics())
}

fn check(name: &str, data: &[u8]) {
    let mut builder = TraceBuilder::new(&Limits::default());
    Loader::new().read_events(data, |event, bytes| builder.receive(event, bytes)).unwrap();
    let trace = builder.finish();
    assert!(!trace.slices().is_empty() || !trace.samples().is_empty(), "{name}");
    assert_eq!(show(trace), show(spall_trace::load(data).unwrap()), "{name}");
}

#[test]
fn events_of_every_format_make_its_trace() {
    check("spall", &synth::trace(&synth::Shape { slices: 300, ..synth::Shape::default() }));
    check("auto", &auto::sample());
    check("heph", &heph::trace(50, 3, 2, true));
    let text = json::motley(200, json::Layout::Compact);
    check("json", text.as_bytes());
    check("gzip", &gzip::member(text.as_bytes()));
    check("cut gzip", &gzip::member(text.as_bytes())[..text.len() / 8]);
    check("damaged json", &json::damaged(&text, 5, 3));
    check("recording", &apitrace::snappy(&apitrace::game(40), 100));
    let profile = cpu_profile::Profile::random(20, 5, 50, 1);
    check("profile", profile.to_json(cpu_profile::Form::Document).as_bytes());
}

#[test]
fn a_file_that_is_not_a_trace_is_an_error_and_has_no_events() {
    let mut events = 0;
    let result = Loader::new().read_events(b"neither of them", |_, _| events += 1);
    assert!(matches!(result, Err(spall_trace::Error::UnknownFormat { .. })));
    assert_eq!(events, 0);
}

#[test]
fn damage_arrives_as_an_event() {
    let cut = br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"X","na"#;
    let mut seen = Vec::new();
    Loader::new()
        .read_events(cut, |event, _| {
            seen.push(match event {
                Event::Complete(..) => "slice",
                Event::Diagnostic(_) => "damage",
                _ => "else",
            });
        })
        .unwrap();
    seen.retain(|&kind| kind != "else");
    assert!(seen.starts_with(&["slice", "damage"]), "{seen:?}");
}
