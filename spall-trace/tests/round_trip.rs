//! The events of a file written as JSON make the same trace.

use spall_synth::{
    cpu_profile::{self as synth_profile, Form},
    heph, spall as synth,
};
use spall_trace::json::{JsonParser, JsonWriter};
use spall_trace::model::{Parser, Trace};

use spall_fuzz::facts::facts;

/// Writes the events of a file as JSON.
fn to_json<P: Parser<Error: core::fmt::Debug>>(parser: P, data: &[u8]) -> String {
    let mut writer = JsonWriter::new(String::new());
    parser.parse_all(data, |event, _| _ = writer.write_event(event).unwrap()).unwrap();
    writer.finish().unwrap()
}

fn compare(name: &str, before: &Trace, json: &str) {
    serde_json::from_str::<serde_json::Value>(json).unwrap_or_else(|error| panic!("{name}: {error}\n{json}"));
    let after = spall_trace::load(json.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(before.slices().flags(), after.slices().flags(), "{name}");
    let said = |trace: &Trace| {
        let mut facts = facts(trace);
        // The writer adds this where the trace has no such fact.
        let added = ["clock", "meta None \"displayTimeUnit\"", "meta None \"base"];
        facts.retain(|fact| !added.iter().any(|added| fact.starts_with(added)));
        facts
    };
    let (before, after) = (said(before), said(&after));
    let differs = before.iter().zip(&after).find(|(before, after)| before != after);
    assert_eq!(differs, None, "{name}");
    assert_eq!(before.len(), after.len(), "{name}");
}

#[test]
fn generated_binary_traces_become_the_same_trace_in_json() {
    let shape = synth::Shape { slices: 500, ..synth::Shape::default() };
    let data = synth::trace(&shape);
    let trace = spall_trace::load(&data).unwrap();
    compare("spall", &trace, &to_json(spall_trace::format::spall::Parser::new(), &data));
    let data = heph::trace(50, 3, 4, false);
    let trace = spall_trace::load(&data).unwrap();
    compare("heph", &trace, &to_json(spall_trace::format::heph::Parser::new(), &data));
}

#[test]
fn json_files_become_the_same_trace_again() {
    for folder in ["json/cases", "json/real", "chrome/traces", "chrome/trace-event", "recordings"] {
        for path in spall_testdata::inputs(folder, ".json") {
            let name = path.to_string_lossy();
            let data = std::fs::read(&path).unwrap();
            if name.ends_with(".expect.json") || data.len() > 4 << 20 {
                continue;
            }
            let trace = match spall_trace::load(&data) {
                Ok(trace) => trace,
                Err(spall_trace::Error::UnknownFormat { .. }) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            compare(&name, &trace, &to_json(JsonParser::new(), &data));
        }
    }
}

#[test]
fn generated_profiles_of_every_form_become_the_same_profiles_again() {
    let profile = synth_profile::Profile::random(300, 30, 1000, 1);
    for form in [Form::Document, Form::Tree, Form::Event, Form::Chunks(150)] {
        let json = profile.to_json(form);
        let trace = spall_trace::load(json.as_bytes()).unwrap();
        assert_eq!(trace.samples().len(), 1000);
        compare(&format!("{form:?}"), &trace, &to_json(JsonParser::new(), json.as_bytes()));
    }
}

#[test]
fn recorded_profiles_become_the_same_profiles_again() {
    let Some(folder) = spall_testdata::collection("chrome") else { return };
    // Those that are smaller are among the traces above.
    let large = folder.join("traces/chromium156-default-2s.json");
    let (mut n_profiles, mut n_samples) = (0, 0);
    for path in spall_testdata::files(&folder, ".cpuprofile").into_iter().chain([large]) {
        let name = path.to_string_lossy();
        let data = std::fs::read(&path).unwrap();
        let Ok(trace) = spall_trace::load(&data) else { panic!("{name}") };
        compare(&name, &trace, &to_json(JsonParser::new(), &data));
        n_profiles += trace.profiles().len();
        n_samples += trace.samples().len();
    }
    assert!(n_profiles > 10 && n_samples > 40_000, "{n_profiles} {n_samples}");
}
