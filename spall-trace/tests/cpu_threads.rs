//! Samples that name their thread, in documents written by hand, with the results of the rules. [json 3.2, cpu 4]

use alloc::{borrow::Cow, collections::BTreeMap};

use serde_json::Value as Json;
use spall_trace::model::{
    DiagnosticKind, Id, Limits, Measure, Sample, SliceFlags, Trace, TraceView, TrackId, TrackSet, Value,
};

use crate::cpu_common::{Style, folded, ids, load, threads, tree};

const FRAMES: &str = r#""stackFrames":{"4":{"name":"draw","parent":1},"3":{"name":"read","parent":"2"},
    "2":{"name":"update","category":"game","parent":1},"1":{"name":"main"}}"#;

/// Returns a line for each sample: thread, name of the profile, time in microseconds, weight, and stack from the outermost
/// function inwards.
fn samples(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    for profile in trace.profiles() {
        let (pid, tid) = ids(trace, &trace.tracks()[profile.track.index()]);
        let name = trace.name(profile.name);
        for sample in trace.samples_of(profile) {
            let (at, weight) = (sample.at.0 / 1000, sample.weight);
            lines.push(format!("{pid}/{tid} {name:?} {at} *{weight} {}", stack(trace, sample).join(";")));
        }
    }
    lines
}

/// Returns the functions that a sample found, from the outermost inwards.
fn stack<'t>(trace: &'t Trace, sample: &Sample) -> Vec<Cow<'t, str>> {
    let mut stack = Vec::new();
    let mut at = sample.frame().and_then(|frame| trace.frame(frame));
    while let Some(frame) = at {
        stack.push(trace.name(frame.name));
        at = frame.parent.and_then(|frame| trace.frame(frame));
    }
    stack.reverse();
    stack
}

fn trace(json: &str) -> Trace {
    spall_trace::load(json.as_bytes()).unwrap()
}

/// Returns the samples of a document, and how often each diagnostic was reported.
fn samples_and_faults(json: &str) -> (Vec<String>, Vec<(&'static str, u64)>) {
    let trace = trace(json);
    let counts = trace.diagnostics().counts().iter().map(|count| (count.kind.name(), count.count));
    (samples(&trace), counts.collect())
}

/// Returns the expected and the found self times in microseconds and hits of one thread.
fn times(trace: &Trace, expected: &[(&str, i64, u32)]) -> [BTreeMap<String, (i64, u32)>; 2] {
    let (track, _) = threads(trace).next().unwrap();
    let expected = expected.iter().map(|&(path, own, hits)| (path.to_owned(), (own, hits))).collect();
    [folded(trace, &tree(trace, track), Style::Short), expected]
}

/// [samples 8] [cpu 5.1]
#[test]
fn cpu_5_samples_of_a_thread_are_merged_with_its_slices() {
    // `load` lies below what the samples at 30 and 50 have in common, and they wait for it: `update` runs on behind it.
    let json = format!(
        r#"{{"traceEvents":[{{"ph":"X","name":"frame","pid":7,"tid":1,"ts":0,"dur":100}},
        {{"ph":"X","name":"load","pid":7,"tid":1,"ts":40,"dur":20}}],{FRAMES},
        "samples":[{{"tid":1,"ts":10,"sf":2}},{{"tid":1,"ts":30,"sf":2}},{{"tid":1,"ts":50,"sf":3}},
        {{"tid":1,"ts":70,"sf":4}},{{"tid":1,"ts":90,"sf":4}}]}}"#
    );
    let trace = load(json.as_bytes());
    let [found, expected] = times(
        &trace,
        &[
            // The last sample holds for the mean distance of samples.
            ("", 10, 0),
            ("frame", 10, 0),
            ("frame;main*;update*", 40, 2),
            ("frame;main*;update*;load", 10, 0),
            ("frame;main*;update*;load;read*", 10, 1),
            ("frame;main*;draw*", 30, 2),
        ],
    );
    assert_eq!(found, expected);
    let sampled = trace.slices().flags().iter().filter(|flags| flags.contains(SliceFlags::SAMPLED)).count();
    assert_eq!((trace.slices().len(), sampled), (6, 4), "main, update, read, draw");
    assert!(trace.diagnostics().is_empty(), "{:?}", trace.diagnostics());
}

/// [cpu 2.4]
#[test]
fn cpu_2_samples_alone_hold_until_the_next() {
    let json = format!(
        r#"{{{FRAMES},"samples":[{{"pid":1,"tid":1,"ts":10,"sf":1}},{{"pid":1,"tid":1,"ts":20,"sf":4}},
        {{"pid":1,"tid":1,"ts":40,"sf":1}}],"traceEvents":[]}}"#
    );
    let [found, expected] = times(&load(json.as_bytes()), &[("main*", 25, 2), ("main*;draw*", 20, 1)]);
    assert_eq!(found, expected);
}

/// [json 3.2.1, 3.2.3]
#[test]
fn json_3_2_events_and_the_list_say_the_same_in_any_order_of_the_document() {
    let head = r#""pid":1,"tid":2,"name":"cycles""#;
    let events = format!(
        r#""traceEvents":[{{"ph":"P",{head},"ts":30,"sf":3}},{{"ph":"P",{head},"ts":"10","sf":"2"}}]"#
    );
    let list =
        format!(r#""samples":[{{{head},"ts":20,"sf":4,"weight":"16777217.1"}},{{{head},"ts":10,"sf":1}}]"#);
    let expected = |first: &str, second: &str| {
        vec![
            format!("1/2 \"cycles\" 10 *1 {first}"),
            format!("1/2 \"cycles\" 10 *1 {second}"),
            "1/2 \"cycles\" 20 *16777217.1 main;draw".into(),
            "1/2 \"cycles\" 30 *1 main;update;read".into(),
        ]
    };
    for [a, b, c] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let keys = [FRAMES, &events, &list];
        let json = format!("{{{},{},{}}}", keys[a], keys[b], keys[c]);
        let position = |key: usize| [a, b, c].iter().position(|&at| at == key).unwrap();
        // Samples of one time stay in the order of the file.
        let expected = if position(1) < position(2) {
            expected("main;update", "main")
        } else {
            expected("main", "main;update")
        };
        assert_eq!(samples_and_faults(&json), (expected, vec![]), "{json}");
    }
}

/// [json 3.2.1]
#[test]
fn json_3_2_stacks_may_be_spelt_out() {
    let json = r#"[{"ph":"P","pid":1,"tid":1,"ts":1,"stack":["main","a\u0062"]},{"ph":"P","pid":1,"tid":1,"ts":2,"stack":["main","ab","0x7f"]},
        {"ph":"P","pid":1,"tid":1,"ts":3,"stack":[]},{"ph":"P","pid":1,"tid":1,"ts":4,"stack":["main",{},7,"x"]},
        {"ph":"P","pid":1,"tid":1,"ts":5,"stack":"main"}]"#;
    let (found, faults) = samples_and_faults(json);
    let stacks = ["main;ab", "main;ab;0x7f", "", "main;x", ""];
    let expected: Vec<_> = (1..).zip(stacks).map(|(at, stack)| format!("1/1 \"\" {at} *1 {stack}")).collect();
    assert_eq!(found, expected);
    assert_eq!(faults, [("bad-stack", 2), ("bad-field", 1)]);
    assert_eq!(trace(json).frames().len(), 4, "each function of a stack once");
}

/// [json 3.2.2]
#[test]
fn json_3_2_call_frames_that_are_missing_or_call_themselves_are_reported() {
    let json = r#"{"traceEvents":[{"ph":"P","pid":1,"tid":1,"ts":1,"sf":9},{"ph":"P","pid":1,"tid":1,"ts":2,"sf":1},
        {"ph":"P","pid":1,"tid":1,"ts":3,"sf":2},{"ph":"P","pid":1,"tid":1,"ts":4,"sf":4},{"ph":"P","pid":1,"tid":1,"ts":5},
        {"ph":"P","pid":1,"tid":1,"ts":6,"sf":{}}],
        "stackFrames":{"1":{"name":"a","parent":2},"2":{"name":"b","parent":1},"3":{"name":"c","parent":"none"},
        "4":{"parent":3},"4":{"name":"again"},"5":7}}"#;
    let (found, mut faults) = samples_and_faults(json);
    let stacks = ["", "a", "b", "c;(anonymous)", "", ""];
    let expected: Vec<_> = (1..).zip(stacks).map(|(at, stack)| format!("1/1 \"\" {at} *1 {stack}")).collect();
    assert_eq!(found, expected);
    faults.sort_unstable();
    // Lost are both call frames that call each other, and the one whose caller is missing.
    let expected = [("bad-field", 2), ("duplicate-frame", 1), ("lost-frame", 3), ("unknown-frame", 1)];
    assert_eq!(faults, expected);
}

/// [json 3.2.4]
#[test]
fn json_3_2_a_thread_without_its_process_gets_it_from_another_sample() {
    let json = |events: &str| {
        format!(r#"{{"traceEvents":[{events}],"samples":[{{"tid":5,"ts":1}},{{"tid":5,"ts":2}}]}}"#)
    };
    let on = |pid: u32| format!(r#"{{"ph":"X","name":"a","pid":{pid},"tid":5,"ts":0,"dur":1}}"#);
    let of = |pid: u32| vec![format!("{pid}/5 \"\" 1 *1 "), format!("{pid}/5 \"\" 2 *1 ")];
    assert_eq!(samples_and_faults(&json(&on(3))), (of(3), vec![]), "the one that has such a thread");
    let missing = vec![("missing-process", 2)];
    assert_eq!(samples_and_faults(&json("")), (of(5), missing.clone()), "none has");
    let two = format!("{},{}", on(3), on(4));
    assert_eq!(samples_and_faults(&json(&two)), (of(5), missing), "two have");
    // The process is known from another sample, which comes later.
    let json = r#"{"samples":[{"tid":5,"ts":1},{"pid":3,"tid":5,"ts":2}]}"#;
    assert_eq!(samples_and_faults(json), (of(3), vec![]));
}

/// [json 3.2.5] [samples 7]
#[test]
fn json_3_2_samples_of_each_name_are_a_profile() {
    let sample =
        |name: &str, ts: u32, sf: u32| format!(r#"{{"pid":1,"tid":1,"name":"{name}","ts":{ts},"sf":{sf}}}"#);
    let list =
        [sample("cycles", 10, 1), sample("misses", 15, 4), sample("cycles", 20, 2), sample("misses", 25, 4)];
    let json = format!(r#"{{{FRAMES},"samples":[{}]}}"#, list.join(","));
    let trace = load(json.as_bytes());
    assert_eq!(
        samples(&trace),
        [
            "1/1 \"cycles\" 10 *1 main",
            "1/1 \"cycles\" 20 *1 main;update",
            "1/1 \"misses\" 15 *1 main;draw",
            "1/1 \"misses\" 25 *1 main;draw",
        ]
    );
    assert_eq!(trace.diagnostics().count(DiagnosticKind::SecondProfile), 1);
    let [found, expected] = times(&trace, &[("main*", 10, 1), ("main*;update*", 10, 1)]);
    assert_eq!(found, expected, "the first one is on the timeline");
}

#[test]
fn cpu_1b_a_profile_of_v8_counts_before_other_samples() {
    let json = format!(
        r#"{{"traceEvents":[{{"ph":"P","name":"other","pid":1,"tid":1,"ts":5,"sf":1}},
        {{"ph":"P","name":"Profile","pid":1,"tid":1,"id":"0x1","ts":10,"args":{{"data":{{"startTime":10}}}}}},
        {{"ph":"P","name":"ProfileChunk","pid":1,"tid":9,"id":"0x1","ts":30,"args":{{"data":{{"endTime":20,"timeDeltas":[0],
        "cpuProfile":{{"nodes":[{{"id":1,"callFrame":{{"functionName":"js"}}}}],"samples":[1]}}}}}}}}],{FRAMES}}}"#
    );
    let [found, expected] = times(&load(json.as_bytes()), &[("js*", 10, 1)]);
    assert_eq!(found, expected);
    assert_eq!(samples(&trace(&json)), ["1/1 \"\" 10 *1 js", "1/1 \"other\" 5 *1 main"]);
}

#[test]
fn json_1_further_fields_of_a_sample_are_among_its_arguments() {
    let json = r#"{"traceEvents":[{"ph":"P","pid":1,"tid":1,"ts":1,"cat":"PERF","cpu":3,"args":{"a":1},"sf":1,"weight":2}]}"#;
    let trace = trace(json);
    let args = trace.args_of(&trace.samples()[0]);
    let keys: Vec<_> = args.fields().map(|(key, _)| key.decode().into_owned()).collect();
    assert_eq!(keys, ["cat", "cpu"]);
    assert_eq!((args.get(b"a"), args.field(b"cpu")), (Some(Value::I64(1)), Some(Value::I64(3))));
}

#[test]
fn json_1_slices_refer_to_shared_frames() {
    let json = format!(r#"{{"traceEvents":[{{"ph":"B","pid":1,"tid":1,"ts":1,"sf":3}}],{FRAMES}}}"#);
    let trace = trace(&json);
    let args = trace.slice_args(spall_trace::model::SliceId(0));
    let Some(Value::I64(id)) = args.field(b"sf") else { panic!("{args:?}") };
    let frame = trace.frame(trace.shared_frame(Id::Number(id)).unwrap()).unwrap();
    assert_eq!(trace.name(frame.name), "read");
    assert_eq!(trace.shared_frame(Id::Number(9)), None);
    assert_eq!(trace.shared_frame(Id::Text(b"x")), None);
    let update = trace.frame(frame.parent.unwrap()).unwrap();
    assert_eq!((&*trace.name(update.name), &*trace.name(update.url)), ("update", "game"));
}

#[test]
fn json_1_keys_that_hold_something_else_are_metadata() {
    for json in [
        r#"{"samples":[1,2],"traceEvents":[]}"#,
        r#"{"samples":{"a":1},"traceEvents":[]}"#,
        r#"{"stackFrames":["a"],"traceEvents":[]}"#,
    ] {
        let trace = trace(json);
        assert_eq!((trace.meta().len(), trace.samples().len()), (1, 0), "{json}");
        assert!(trace.diagnostics().is_empty(), "{json}");
    }
}

/// Returns a number or a string as text.
fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[test]
fn json_3_2_stacks_of_real_files_are_those_that_a_plain_reading_finds() {
    let Some(folder) = spall_testdata::collection("json/real") else { return };
    let (mut n_files, mut n_samples) = (0, 0);
    for path in spall_testdata::files(&folder, "").into_iter() {
        let name = path.to_string_lossy();
        if !["perf_sampling", "traceviewify.json", "with-samples.json"].iter().any(|part| name.contains(part))
        {
            continue;
        }
        let data = std::fs::read(&path).unwrap();
        let trace = spall_trace::load(&data).unwrap();
        let unpacked = spall_trace::format::container::decompress(&data, &Limits::default());
        let text = unpacked.as_ref().map_or(&*data, |unpacked| &unpacked.stream);
        let document: Json = serde_json::from_slice(text).unwrap();
        let mut expected = Vec::new();
        for sample in document["samples"].as_array().unwrap() {
            let (mut stack, mut frame) = (Vec::new(), &sample["sf"]);
            while !frame.is_null() {
                let found = &document["stackFrames"][plain(frame)];
                stack.push(plain(&found["name"]));
                frame = &found["parent"];
            }
            stack.reverse();
            let micros: f64 = plain(&sample["ts"]).parse().unwrap();
            let at = (micros * 1000.0).round();
            let weight: f64 = plain(&sample["weight"]).parse().unwrap();
            expected.push(format!(
                "{} {:?} {at} *{weight} {}",
                plain(&sample["tid"]),
                plain(&sample["name"]),
                stack.join(";")
            ));
        }
        let mut found = Vec::new();
        for profile in trace.profiles() {
            let (_, tid) = ids(&trace, &trace.tracks()[profile.track.index()]);
            for sample in trace.samples_of(profile) {
                let stack = stack(&trace, sample).join(";");
                found.push(format!(
                    "{tid} {:?} {} *{} {stack}",
                    trace.name(profile.name),
                    sample.at.0,
                    sample.weight
                ));
            }
        }
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{name}");
        n_files += 1;
        n_samples += found.len();
    }
    assert!(n_files >= 4 && n_samples > 10_000, "{n_files} {n_samples}");
}

/// Checks that many threads whose samples share one deep stack neither make a huge trace of a small file nor take long.
#[test]
fn threads_that_share_frames_share_what_may_be_opened() {
    let depth = 20_000;
    let frames: Vec<_> =
        (1..=depth).map(|id| format!(r#""{id}":{{"name":"f","parent":{}}}"#, id - 1)).collect();
    let n_samples = 2000;
    let samples: Vec<_> = (0..n_samples)
        .map(|tid| {
            format!(r#"{{"pid":1,"tid":{tid},"ts":{tid},"sf":{depth}}},{{"pid":1,"tid":{tid},"ts":9999}}"#)
        })
        .collect();
    let json = format!(r#"{{"stackFrames":{{{}}},"samples":[{}]}}"#, frames.join(","), samples.join(","));
    let trace = load(json.as_bytes());
    assert!(trace.slices().len() > 500 * n_samples && trace.slices().len() <= 65_536 + 512 * n_samples);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::SliceLimit), 1);
    assert!(tree(&trace, TrackId(0)).tree.nodes().len() >= depth);
    let trees: Vec<_> = spall_trace::samples::call_trees(
        &trace,
        &spall_trace::json::V8,
        TrackSet::Threads,
        Measure::WallTime,
    )
    .map(|thread| thread.tree)
    .collect();
    assert_eq!(trees.len(), n_samples);
    let n_functions: usize = trees.iter().map(|tree| tree.nodes().len()).sum();
    assert_eq!(n_functions, trace.slices().len(), "what the timeline has");
}
