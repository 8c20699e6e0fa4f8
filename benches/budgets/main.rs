//! Measures every budget of the project in one run and says whether it is met.
//!
//! Ours and the rival's jobs take turns on the same bytes; what counts is the ratio of the fastest rounds.
//!
//! `budgets [spall|json|heph|apitrace|profiles|layout|memory|large]…` measures these parts; without a part it measures all
//! but `large`, which needs 4 GiB.

#![cfg_attr(not(feature = "serde-json"), allow(unused, reason = "rivals are features"))]
#![allow(clippy::cast_precision_loss, reason = "prints figures for people")]

mod layout;

use spall_benches::input::{self, Input};
use spall_benches::measure::{Job, fastest, job};
use spall_benches::report::{self, Budget, line, per};
use spall_benches::{ours, peer};
use spall_synth::cpu_profile::{Form, Profile};
use spall_trace::layout::Layout;

const ROUNDS: usize = 25;

/// Measures our job and those of rivals, and prints a line with the times per `count` for each rival.
fn compare(name: &str, input: &Input, count: usize, ours: Job<'_>, rivals: Vec<(&str, Job<'_>, Budget)>) {
    let mut jobs = vec![ours];
    let mut lines = Vec::new();
    for (rival, job, budget) in rivals {
        jobs.push(job);
        lines.push((rival, budget));
    }
    let times = fastest(&mut jobs, ROUNDS);
    let Some((&ours, rivals)) = times.split_first() else { return };
    for ((rival, budget), &time) in lines.into_iter().zip(rivals) {
        line(name, &input.name, "ns/event", per(ours, count), Some((rival, per(time, count))), budget);
    }
}

fn spall_v3() {
    for input in &input::spall() {
        let data = &input.data;
        let rivals = vec![("loop that counts", job(|| peer::spall::count(data)), Budget::Slower(1.2))];
        compare("spall v3 to events", input, input.records, job(|| ours::spall_counts(data)), rivals);
        let rivals = vec![("loop that makes rows", job(|| peer::spall::rows(data)), Budget::Slower(1.2))];
        compare("spall v3 to trace", input, input.records, job(|| ours::trace(data)), rivals);
    }
}

fn json() {
    for input in input::json().iter().filter(|input| input.records > 0) {
        let data = &input.data;
        let mut rivals: Vec<(&str, Job<'_>, Budget)> = Vec::new();
        #[cfg(feature = "serde-json")]
        {
            let times = if input.name.starts_with("begin-end") { 2.5 } else { 2.0 };
            rivals.push(("serde_json", job(|| peer::json::serde_json::events(data)), Budget::Faster(times)));
        }
        #[cfg(feature = "sonic-rs")]
        rivals.push(("sonic-rs", job(|| peer::json::sonic_rs::events(data)), Budget::Faster(1.8)));
        #[cfg(feature = "simd-json")]
        rivals.push((
            "simd-json",
            job(|| peer::json::simd_json::events(&mut data.clone()).len()),
            Budget::Open,
        ));
        let events = job(|| ours::events(spall_trace::json::JsonParser::new(), data));
        compare("JSON to events", input, input.records, events, rivals);
        #[cfg(feature = "serde-json")]
        compare(
            "JSON to trace",
            input,
            input.records,
            job(|| ours::trace(data)),
            vec![
                ("serde_json", job(|| peer::json::serde_json::events(data)), Budget::Faster(1.7)),
                ("serde_json, ids too", job(|| peer::json::serde_json::whole_events(data)), Budget::Open),
            ],
        );
    }
}

fn heph() {
    for input in &input::heph() {
        let budget = if input.name.starts_with("plain") { Budget::AtMost(15.0) } else { Budget::Open };
        let mut jobs = [job(|| ours::events(spall_trace::format::heph::Parser::new(), &input.data))];
        let time = fastest(&mut jobs, ROUNDS).first().map_or(f64::NAN, |&time| per(time, input.records));
        line("Heph to events", &input.name, "ns/event", time, None, budget);
    }
}

fn apitrace() {
    #[cfg(feature = "snap")]
    if let Some(input) = &input::apitrace() {
        let rivals = vec![("snap", job(|| peer::snap::decoded_bytes(&input.data)), Budget::Slower(2.0))];
        let ours = job(|| ours::apitrace_calls(&input.data));
        compare("apitrace to calls", input, input.records, ours, rivals);
    }
    let input = &input::apitrace_game();
    let rivals = vec![("calls alone", job(|| ours::apitrace_calls(&input.data)), Budget::Slower(4.0))];
    compare("apitrace to trace", input, input.records, job(|| ours::trace(&input.data)), rivals);
}

/// Measures profiles as large as V8 writes them. Twice the nodes and samples must not take more than twice the time.
fn profiles() {
    for thousands in [200, 400] {
        let (nodes, samples) = (1000 * thousands, 75 * thousands);
        let data = Profile::random(nodes, 400, samples, 1).to_json(Form::Chunks(100));
        let n_slices = spall_trace::merge_samples(ours::trace(data.as_bytes())).slices().len();
        assert!(n_slices >= samples / 2, "most samples are seen on the timeline");
        let mut jobs = [
            job(|| ours::trace(data.as_bytes()).samples().len()),
            job(|| spall_trace::merge_samples(ours::trace(data.as_bytes())).slices().len()),
        ];
        let [load, merged] = fastest(&mut jobs, 5).try_into().unwrap_or_default();
        let name = format!("{thousands}k nodes, {} k samples", samples / 1000);
        line("CPU profile to trace", &name, "ns/node", per(load, nodes), None, Budget::Open);
        let merge = per(merged.saturating_sub(load), n_slices);
        let name = format!("{n_slices} slices of it");
        line("CPU profile merged", &name, "ns/slice", merge, None, Budget::Open);
    }
}

/// Runs `make` and returns its result, and how many bytes stay allocated and were allocated at most.
fn bytes_of<T>(make: impl FnOnce() -> T) -> (T, u64, u64) {
    let mut made = None;
    let info = allocation_counter::measure(|| made = Some(make()));
    let Some(made) = made else { unreachable!("the closure ran") };
    (made, u64::try_from(info.bytes_current).unwrap_or(0), info.bytes_max)
}

fn memory() {
    for input in &input::spall() {
        let (trace, bytes, peak) = bytes_of(|| ours::trace(&input.data));
        let slices = trace.slices().len() as f64;
        let budget = if input.name.starts_with("plain") { Budget::AtMost(40.0) } else { Budget::Open };
        line("trace", &input.name, "B/slice", bytes as f64 / slices, None, budget);
        line("trace, peak", &input.name, "B/slice", peak as f64 / slices, None, Budget::Open);
        let (_, bytes, _) = bytes_of(|| Layout::new(&trace));
        line("layout", &input.name, "B/slice", bytes as f64 / slices, None, Budget::AtMost(24.0));
    }
}

fn main() {
    report::circumstances("budgets");
    let parts: [(&str, fn()); 7] = [
        ("spall", spall_v3),
        ("json", json),
        ("heph", heph),
        ("apitrace", apitrace),
        ("profiles", profiles),
        ("layout", layout::all),
        ("memory", memory),
    ];
    let asked: Vec<String> = std::env::args().skip(1).collect();
    for (name, measure) in parts {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            measure();
        }
    }
    if asked.iter().any(|asked| asked == "large") {
        layout::large();
    }
}
