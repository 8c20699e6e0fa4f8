//! A trace written as JSON and read again is the same trace.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code outside of test functions"
)]

use spall::json::{Writer, parse_all};
use spall::model::{Events, Frame, FrameId, Limits, Parser, Profile, SliceId, Text, Trace, Value};
use spall_synth::{
    corpus,
    cpu_profile::{self as synth_profile, Form},
    heph, spall as synth,
};

/// The events of a file, written as JSON.
fn to_json<P: Parser<Error: core::fmt::Debug>>(events: Events<'_, P>) -> String {
    let mut writer = Writer::new(String::new());
    for parsed in events {
        _ = writer.write_event(&parsed.unwrap().event).unwrap();
    }
    writer.finish().unwrap()
}

/// Arguments as text. Numbers that JSON does not have become strings when written.
fn show<'a>(args: impl Iterator<Item = (Text<'a>, Value<'a>)>) -> String {
    let entry = |(key, value): (Text<'a>, Value<'a>)| {
        let value = match value {
            Value::Text(text) => format!("{:?}", text.decode()),
            Value::F64(value) if value.is_nan() => "\"NaN\"".into(),
            Value::F64(f64::INFINITY) => "\"Infinity\"".into(),
            Value::F64(f64::NEG_INFINITY) => "\"-Infinity\"".into(),
            Value::List(args) | Value::Map(args) => show(args.iter()),
            other => format!("{other:?}"),
        };
        format!("{:?}: {value}", key.decode())
    };
    format!("[{}]", args.map(entry).collect::<Vec<_>>().join(", "))
}

/// Everything that the timeline of a trace shows, as text.
fn facts(trace: &Trace<'_>) -> Vec<String> {
    let mut facts = Vec::new();
    for process in trace.processes() {
        let labels: Vec<_> = process.labels.iter().map(|&label| trace.name(label)).collect();
        let name = trace.name(process.name);
        facts.push(format!(
            "process {} {name:?} {} {labels:?}",
            trace.key_text(process.pid),
            process.sort_index
        ));
    }
    for track in trace.tracks() {
        let kind = format!("{:?}", track.kind).replace(|c: char| c.is_ascii_digit(), "");
        facts.push(format!("track {kind} {:?} {}", trace.name(track.name), track.sort_index));
        for index in track.slices() {
            let id = SliceId(u32::try_from(index).unwrap());
            let slice = trace.slice(id).unwrap();
            let args = show(trace.slice_args(id).iter());
            let (name, category) = (trace.name(slice.name), trace.name(slice.category));
            let (start, end, flags) = (slice.start.0, slice.end.0, slice.flags);
            facts.push(format!("slice {name:?} {category:?} {start}..{end} {flags:?} {args}"));
        }
        for instant in &trace.instants()[track.instants()] {
            let args = show(trace.args_of(instant).iter());
            facts.push(format!(
                "instant {:?} {} {} {args}",
                trace.name(instant.name),
                instant.at.0,
                instant.depth
            ));
        }
        for counter in &trace.counters()[track.counters()] {
            facts.push(format!(
                "counter {:?} {} {}",
                trace.name(counter.series),
                counter.at.0,
                counter.value
            ));
        }
        for state in &trace.states()[track.states()] {
            facts.push(format!("state {:?} {}..{}", trace.name(state.name), state.start.0, state.end.0));
        }
    }
    for flow in trace.flows() {
        facts.push(format!(
            "flow {} {:?} {:?} {:?}",
            trace.key_text(flow.id),
            trace.name(flow.name),
            flow.from,
            flow.to
        ));
    }
    for object in trace.objects() {
        let snapshots: Vec<_> =
            trace.snapshots()[object.snapshots()].iter().map(|snapshot| snapshot.at).collect();
        facts.push(format!(
            "object {:?} {:?}..{:?} {snapshots:?}",
            trace.name(object.name),
            object.start,
            object.end
        ));
    }
    for profile in trace.profiles() {
        facts.extend(profile_facts(trace, profile));
    }
    facts
}

/// Everything that a sampling profile says, as text.
fn profile_facts(trace: &Trace<'_>, profile: &Profile) -> Vec<String> {
    let Profile { track, start, end, rank, .. } = profile;
    let mut facts =
        vec![format!("profile {track:?} {:?} {start:?}..{end:?} {rank}", trace.name(profile.name))];
    let local = |frame: Option<FrameId>| frame.map(|frame| frame.index() - profile.frames().start);
    for id in profile.frames() {
        let id = FrameId(u32::try_from(id).unwrap());
        let frame = trace.frame(id).unwrap();
        let Frame { script, line, column, .. } = frame;
        let (name, url, parent) = (trace.name(frame.name), trace.name(frame.url), local(frame.parent));
        facts.push(format!("frame {name:?} {url:?} {script} {line:?} {column:?} {parent:?}"));
        facts.extend(trace.line_hits(id).iter().map(|found| format!("line {}: {}", found.line, found.hits)));
    }
    for sample in &trace.samples()[profile.samples()] {
        let (at, frame, place) = (sample.at, local(sample.frame()), (sample.line(), sample.column()));
        let args = show(trace.args_of(sample).iter().chain(trace.args_of(sample).fields()));
        facts.push(format!("sample {at:?} {frame:?} {} {place:?} {args}", sample.weight));
    }
    for site in &trace.call_sites()[profile.call_sites()] {
        facts.push(format!("site {} {:?}", site.number, local(Some(site.frame))));
    }
    facts
}

fn compare(name: &str, before: &Trace<'_>, json: &str) {
    serde_json::from_str::<serde_json::Value>(json).unwrap_or_else(|error| panic!("{name}: {error}\n{json}"));
    let after =
        spall::load(json.as_bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (before, after) = (facts(before), facts(&after));
    let differs = before.iter().zip(&after).find(|(before, after)| before != after);
    assert_eq!(differs, None, "{name}");
    assert_eq!(before.len(), after.len(), "{name}");
}

#[test]
fn generated_binary_traces_become_the_same_trace_in_json() {
    let shape = synth::Shape { slices: 500, ..synth::Shape::default() };
    let data = synth::trace(&shape);
    let trace = spall::load(&data, &Limits::default()).unwrap();
    compare("spall", &trace, &to_json(spall::format::spall::parse_all(&data)));
    let data = heph::trace(50, 3, 4, false);
    let trace = spall::load(&data, &Limits::default()).unwrap();
    compare("heph", &trace, &to_json(spall::format::heph::parse_all(&data)));
}

#[test]
fn json_files_become_the_same_trace_again() {
    for folder in ["json/cases", "json/real", "chrome/traces", "chrome/trace-event"] {
        let Some(folder) = corpus::folder(folder) else { return };
        for path in corpus::files(&folder, ".json") {
            let name = path.to_string_lossy();
            let data = std::fs::read(&path).unwrap();
            if name.ends_with(".expect.json") || data.len() > 4 << 20 {
                continue;
            }
            let Ok(trace) = spall::load(&data, &Limits::default()) else { panic!("{name}") };
            compare(&name, &trace, &to_json(parse_all(&data)));
        }
    }
}

#[test]
fn generated_profiles_of_every_form_become_the_same_profiles_again() {
    let profile = synth_profile::Profile::random(300, 30, 1000, 1);
    for form in [Form::Document, Form::Tree, Form::Event, Form::Chunks(150)] {
        let json = profile.to_json(form);
        let trace = spall::load(json.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(trace.samples().len(), 1000);
        compare(&format!("{form:?}"), &trace, &to_json(parse_all(json.as_bytes())));
    }
}

#[test]
fn profiles_become_the_same_profiles_again() {
    let Some(folder) = corpus::folder("chrome") else { return };
    // Those that are smaller are among the traces above.
    let large = folder.join("traces/chromium156-default-2s.json");
    let (mut n_profiles, mut n_samples) = (0, 0);
    for path in corpus::files(&folder, ".cpuprofile").into_iter().chain([large]) {
        let name = path.to_string_lossy();
        let data = std::fs::read(&path).unwrap();
        let Ok(trace) = spall::load(&data, &Limits::default()) else { panic!("{name}") };
        compare(&name, &trace, &to_json(parse_all(&data)));
        n_profiles += trace.profiles().len();
        n_samples += trace.samples().len();
    }
    assert!(n_profiles > 10 && n_samples > 40_000, "{n_profiles} {n_samples}");
}
