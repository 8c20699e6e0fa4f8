//! Profiles of other profilers: real ones against independent readings, and what this project writes, read again.

#![cfg(all(feature = "pprof", feature = "gzip"))]

use std::collections::BTreeMap;

use serde_json::Value;
use spall_testdata::{collection, files};
use spall_trace::layout::{Ruler, Viewport};
use spall_trace::model::{Frame, Measure, Tick, Ticks, Trace, TraceView, TrackSet};
use spall_trace::{
    Format, detect,
    export::{self, StackRoot},
    load,
};

/// The sums of weights by stack, for each profile by its name.
type Sums = BTreeMap<String, BTreeMap<Vec<String>, f64>>;

fn sums(trace: &Trace) -> Sums {
    let mut sums = Sums::new();
    let frame = |id| *trace.frame(id).unwrap();
    for profile in trace.profiles() {
        let of_profile = sums.entry(trace.name(profile.name).into_owned()).or_default();
        for sample in trace.samples_of(profile) {
            let up = |of: &Frame| of.parent.map(frame);
            let path = core::iter::successors(sample.frame().map(frame), up);
            let mut stack: Vec<_> = path.map(|frame| trace.name(frame.name).into_owned()).collect();
            stack.reverse();
            *of_profile.entry(stack).or_default() += sample.weight;
        }
    }
    sums.values_mut().for_each(|of| of.retain(|_, weight| *weight != 0.0));
    sums
}

/// The same from an independent reading of a file, one sample a line.
fn read_sums(lines: &str) -> Sums {
    let mut sums = Sums::new();
    for line in lines.lines() {
        let sample: Value = serde_json::from_str(line).unwrap();
        let stack: Vec<String> = serde_json::from_value(sample["stack"].clone()).unwrap();
        let one = [(String::new(), sample["weight"].clone())];
        let values = sample["values"].as_object().cloned();
        for (kind, value) in values.map_or(one.into_iter().collect(), |values| values) {
            *sums.entry(kind).or_default().entry(stack.clone()).or_default() += value.as_f64().unwrap();
        }
    }
    sums.values_mut().for_each(|of| of.retain(|_, weight| *weight != 0.0));
    sums
}

/// [profiles 1.1] [profiles 1.2] [profiles 6.1]
#[test]
fn real_profiles_have_the_sums_of_independent_readings() {
    let mut n_files = 0;
    for (folder, format) in [("pprof", Format::Pprof), ("folded", Format::Folded)] {
        let Some(folder) = collection(&format!("profiles/{folder}")) else { return };
        for reading in files(&folder, ".samples.jsonl") {
            let expected = std::fs::read_to_string(&reading).unwrap();
            let path = reading
                .with_file_name(reading.file_name().unwrap().to_str().unwrap().replace(".samples.jsonl", ""));
            let data = std::fs::read(&path).unwrap();
            assert_eq!(detect(&data), Some(format), "{}", path.display());
            let trace = load(&data).unwrap();
            let (mut found, mut expected) = (sums(&trace), read_sums(&expected));
            // A type of which all values are 0 has no samples.
            for sums in [&mut found, &mut expected] {
                sums.retain(|_, of| !of.is_empty());
            }
            assert_eq!(found, expected, "{}", path.display());
            n_files += 1;
        }
    }
    assert!(n_files > 15, "{n_files}");
}

/// The self times of all stacks with self time, of each thread, without the ids of threads.
fn trees(trace: &Trace) -> Vec<Vec<String>> {
    let mut folded = Vec::new();
    let _ = export::folded(trace, TrackSet::Threads, Measure::WallTime, StackRoot::Ids, &mut folded).unwrap();
    let folded = String::from_utf8(folded).unwrap();
    let mut threads: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in folded.lines().filter(|line| !line.ends_with(" 0")) {
        let ids = line.find(';').or(line.rfind(' ')).unwrap();
        threads.entry(&line[..ids]).or_default().push(line[ids..].to_owned());
    }
    let mut threads: Vec<_> = threads.into_values().collect();
    threads.iter_mut().for_each(|stacks| stacks.sort());
    threads.sort();
    threads
}

/// A trace with slices on two threads.
const SLICES: &str = r#"[{"ph":"X","name":"outer","pid":1,"tid":1,"ts":0,"dur":10},
    {"ph":"X","name":"in ner","pid":1,"tid":1,"ts":2,"dur":3},
    {"ph":"X","name":"outer","pid":1,"tid":2,"ts":0,"dur":4}]"#;

/// [profiles 1.4]
#[test]
fn profiles_that_are_written_are_read_with_equal_call_trees() {
    let mut inputs = vec![SLICES.as_bytes().to_vec(), b"a;b 3\na;c 2\na;b 1\n7:8;a 4\n".to_vec()];
    for folder in ["pprof", "folded"] {
        let Some(folder) = collection(&format!("profiles/{folder}")) else { break };
        inputs.extend(files(&folder, "").into_iter().map(|path| std::fs::read(path).unwrap()));
    }
    let mut n_traces = 0;
    for input in &inputs {
        let Ok(trace) = load(input) else { continue };
        if trace.profiles().is_empty() && input != SLICES.as_bytes() {
            continue;
        }
        let expected = trees(&trace);
        let (mut folded, mut pprof) = (Vec::new(), Vec::new());
        let _ = export::folded(&trace, TrackSet::Threads, Measure::WallTime, StackRoot::Ids, &mut folded)
            .unwrap();
        let _ = export::pprof(&trace, TrackSet::Threads, &mut pprof).unwrap();
        assert_eq!((detect(&folded), detect(&pprof)), (Some(Format::Folded), Some(Format::Pprof)));
        assert_eq!(trees(&load(&folded).unwrap()), expected);
        let pprof = load(&pprof).unwrap();
        assert_eq!(trees(&pprof), expected);
        assert_eq!(pprof.clock().unit, trace.clock().unit);
        n_traces += 1;
    }
    assert!(n_traces > 1);
}

/// [profiles 5.1] [samples 4]
#[test]
fn other_values_survive_a_file_of_speedscope() {
    let by_value = |trace: &Trace| -> Vec<(String, f64)> {
        let values = trace.sample_values();
        values.iter().map(|value| (trace.name(value.name).into_owned(), value.weight)).collect()
    };
    // A sample of 7 ns in which 64 bytes were allocated, in no function.
    let pprof = b"\x0a\x04\x08\x03\x10\x04\x0a\x04\x08\x01\x10\x02\x12\x04\x12\x02\x40\x07\x32\x00\
        \x32\x03cpu\x32\x0bnanoseconds\x32\x05space\x32\x05bytes";
    let trace = load(pprof).unwrap();
    assert_eq!(by_value(&trace), [("cpu/nanoseconds".into(), 7.0), ("space/bytes".into(), 64.0)]);
    let mut file = Vec::new();
    let _ = export::speedscope(&trace, "", &mut file).unwrap();
    let again = load(&file).unwrap();
    assert_eq!(again.diagnostics().counts().iter().map(|count| count.count).collect::<Vec<_>>(), [0; 0]);
    assert_eq!(by_value(&again), [(String::new(), 7.0), ("bytes".into(), 64.0)]);
    assert_eq!(again.bounds(), Some(Tick(0)..Tick(7)));
    let bytes = again.sample_value("bytes").unwrap();
    assert_eq!(again.with_value(Some(bytes.name)).bounds(), Some(Tick(0)..Tick(64)));
}

/// [profiles 1.2]
#[test]
fn the_unit_is_printed_wherever_times_are() {
    let labels = |trace: &Trace| -> Vec<String> {
        let bounds = trace.bounds().unwrap();
        let viewport = Viewport::new(bounds, 100);
        Ruler::since(Tick(0), &viewport, trace.clock().unit, 50).map(|mark| mark.label.to_string()).collect()
    };
    let speedscope = |trace: &Trace| {
        let mut out = Vec::new();
        let _ = export::speedscope(trace, "title", &mut out).unwrap();
        let file: Value = serde_json::from_slice(&out).unwrap();
        file["profiles"][0]["unit"].as_str().unwrap().to_owned()
    };
    let folded = load(b"a;b 3\na;c 1000\n").unwrap();
    let clock = folded.clock();
    assert_eq!(clock.duration(Ticks(3)).to_string(), "3 samples");
    assert_eq!(clock.time(Tick(1)).to_string(), "1 sample");
    assert_eq!(labels(&folded), ["0 samples", "1000 samples"]);
    assert_eq!(speedscope(&spall_trace::merge_samples(folded)), "none");

    // The same with a type of value whose unit is bytes.
    let file = b"\x0a\x04\x08\x01\x10\x02\x12\x04\x12\x02\xdc\x0b\x32\x00\x32\x05space\x32\x05bytes";
    let bytes = load(file).unwrap();
    assert_eq!(bytes.clock().duration(Ticks(1500)).to_string(), "1.5 kB");
    assert_eq!(labels(&bytes), ["0 kB", "1 kB"]);
    assert_eq!(bytes.bounds().unwrap(), Tick(0)..Tick(1500));
}

#[test]
fn facts_of_a_profile_are_its_metadata() {
    let text = br#"{"meta":{"preprocessedProfileVersion":60,"interval":1,"startTime":7,"product":"game","categories":[{"name":"Other"}],
        "extra":{}},"libs":[],"shared":{"stringArray":["a"]},"threads":[{"pid":1,"tid":2,"name":"main","samples":{"time":[1]}}]}"#;
    let trace = spall_trace::load(text).unwrap();
    let facts: Vec<_> = trace
        .meta()
        .iter()
        .map(|meta| format!("{}={}", trace.name(meta.key), trace.meta_value(meta)))
        .collect();
    assert_eq!(facts, ["preprocessedProfileVersion=60", "interval=1", "startTime=7", "product=game"]);
}
