//! The profiles of other profilers: real files against independent readings, and what is written and read again.

use alloc::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use spall_trace::{
    detect,
    format::container::decompress,
    json::V8,
    model::{Frame, FrameId, Limits, Measure, Trace, TraceView, TrackSet},
    samples::{TrackTree, call_trees},
};

/// The files of a folder of real profiles that have an independent reading.
fn readings(format: &str) -> Vec<(PathBuf, Vec<Value>)> {
    let Some(folder) = spall_testdata::collection("profiles") else { return Vec::new() };
    let mut found = Vec::new();
    for ending in [".samples.jsonl", ".samples.jsonl.gz"] {
        for path in spall_testdata::files(&folder.join(format), ending) {
            let mut lines = std::fs::read(&path).unwrap();
            if path.extension().is_some_and(|ending| ending == "gz") {
                lines = decompress(&lines, &Limits::default()).unwrap().stream.into_owned();
            }
            let lines = String::from_utf8(lines).unwrap();
            let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let name = path.to_string_lossy().replace(ending, "");
            found.push((PathBuf::from(name), lines));
        }
    }
    found
}

/// A function as Gecko's layout spells it, which an independent reading keeps.
fn spelt(trace: &Trace, frame: &Frame) -> String {
    let name = trace.name(frame.name);
    match (frame.line, frame.column) {
        (Some(line), Some(column)) => {
            format!("{name} ({}:{}:{})", trace.name(frame.url), line + 1, column + 1)
        }
        (Some(line), None) => format!("{name} ({}:{})", trace.name(frame.url), line + 1),
        _ => name.into_owned(),
    }
}

/// The weights of all stacks.
fn weights(trace: &Trace, name: impl Fn(&Frame) -> String) -> BTreeMap<Vec<String>, f64> {
    let mut sums = BTreeMap::new();
    for profile in trace.profiles() {
        for sample in trace.samples_of(profile) {
            let frame = |id: FrameId| trace.frame(id);
            let callers =
                core::iter::successors(sample.frame().and_then(frame), |at| at.parent.and_then(frame));
            let mut stack: Vec<String> = callers.map(&name).collect();
            stack.reverse();
            *sums.entry(stack).or_default() += sample.weight;
        }
    }
    sums
}

/// Returns a name without the number of its source, which may follow its place: `f (a.js:1:2)[3]`.
fn without_source(name: &str) -> String {
    let split = name.strip_suffix(']').and_then(|name| name.rsplit_once(")["));
    match split.filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit())) {
        Some((name, _)) => format!("{name})"),
        None => name.to_owned(),
    }
}

fn read_weights(lines: &[Value]) -> BTreeMap<Vec<String>, f64> {
    let mut sums = BTreeMap::new();
    for line in lines {
        let stack =
            line["stack"].as_array().unwrap().iter().map(|name| without_source(name.as_str().unwrap()));
        *sums.entry(stack.collect()).or_default() += line["weight"].as_f64().unwrap();
    }
    sums.retain(|stack: &Vec<String>, weight| !stack.is_empty() && *weight != 0.0);
    sums
}

fn assert_equal(path: &Path, mut found: BTreeMap<Vec<String>, f64>, expected: &BTreeMap<Vec<String>, f64>) {
    // Some readings leave out samples without a stack, and samples may have no weight.
    found.retain(|stack, weight| !stack.is_empty() && *weight != 0.0);
    let first = found.keys().zip(expected.keys()).find(|(found, expected)| found != expected);
    assert_eq!((first, found.len()), (None, expected.len()), "{}", path.display());
    for (stack, weight) in found {
        assert!((weight - expected[&stack]).abs() < 1e-9, "{}: {stack:?}", path.display());
    }
}

/// Profiles of versions before those that are read. [profiles 2.1]
const OLDER: [&str; 4] =
    ["fx-gecko-2.json", "fx-processed-2.json", "ss-59-simple-firefox.json", "ss-63-simple-firefox.json"];

#[test]
fn profiles_2_1_profiles_of_firefox_and_samply_have_the_stacks_of_an_independent_reading() {
    for (path, lines) in readings("firefox") {
        let data = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        assert_eq!(detect(&data).map(|format| format.name()), Some("firefox"));
        if OLDER.contains(&&*name) {
            let error = spall_trace::load(&data).unwrap_err().to_string();
            assert!(error.contains("profiler.firefox.com opens it"), "{error}");
            continue;
        }
        let trace = spall_trace::load(&data).unwrap();
        // The reading does not split the texts of Gecko's layout, and does not know libraries.
        assert_equal(&path, weights(&trace, |frame| spelt(&trace, frame)), &read_weights(&lines));
        let total: usize = trace.profiles().iter().map(|profile| profile.samples().len()).sum();
        assert!(total >= lines.len());
    }
}

#[test]
fn profiles_5_1_sampled_profiles_of_speedscope_have_the_stacks_of_an_independent_reading() {
    for (path, lines) in readings("speedscope") {
        let data = std::fs::read(&path).unwrap();
        assert_eq!(detect(&data).map(|format| format.name()), Some("speedscope"));
        let trace = spall_trace::load(&data).unwrap();
        if trace.profiles().is_empty() {
            continue;
        }
        assert_equal(
            &path,
            weights(&trace, |frame| trace.name(frame.name).into_owned()),
            &read_weights(&lines),
        );
    }
}

#[test]
fn profiles_5_1_damaged_files_are_read_as_far_as_they_go() {
    let read = |events: &str| {
        let file = format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json",
            "shared":{{"frames":[{{"name":"A"}},{{"name":"B"}}]}},
            "profiles":[{{"type":"evented","name":"p","unit":"none","startValue":0,"endValue":9,"events":[{events}]}}]}}"#
        );
        let trace = spall_trace::load(file.as_bytes()).unwrap();
        let slices = trace.slices().ids().into_iter().map(|id| {
            let slice = trace.slice(id).unwrap();
            (trace.slice_name(id).into_owned(), slice.start.0, slice.end.0)
        });
        let counts = trace.diagnostics().counts().iter().map(|count| (count.kind.name(), count.count));
        (slices.collect::<Vec<_>>(), counts.collect::<Vec<_>>())
    };
    let slice = |name: &str, start, end| (name.to_owned(), start, end);
    let open = r#"{"type":"O","frame":0,"at":1}"#;
    // It lasts as long as the thread has events. The end of the profile is none.
    assert_eq!(read(open), (vec![slice("A", 1, 1)], vec![("unfinished-slice", 1)]));
    let next = r#"{"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":4},{"type":"C","frame":1,"at":7}"#;
    assert_eq!(read(next), (vec![slice("A", 1, 7), slice("B", 4, 7)], vec![("unfinished-slice", 1)]));
    let too_many_ends = r#"{"type":"O","frame":0,"at":1},{"type":"C","frame":0,"at":2},{"type":"C","frame":0,"at":3},
        {"type":"O","frame":1,"at":4},{"type":"C","frame":1,"at":5}"#;
    assert_eq!(read(too_many_ends), (vec![slice("A", 1, 2), slice("B", 4, 5)], vec![("unmatched-end", 1)]));
}

/// The self time of every call path, with the places of functions and all threads together.
fn times(trace: &Trace) -> BTreeMap<String, i64> {
    let mut times = BTreeMap::new();
    for TrackTree { tree, .. } in call_trees(trace, &V8, TrackSet::Threads, Measure::WallTime) {
        let mut paths: Vec<String> = Vec::new();
        for node in tree.nodes() {
            let mut path = node.parent.map_or(String::new(), |parent| paths[parent.index()].clone() + ";");
            path += &trace.name(node.function.name);
            if let Some(source) = node.function.source {
                path += &format!("*{}:{:?}:{:?}", trace.name(source.url), source.line, source.column);
            }
            *times.entry(path.clone()).or_default() += node.self_time.0;
            paths.push(path);
        }
    }
    times.retain(|_, time| *time != 0);
    times
}

/// The same for functions that samples found.
fn of_functions(trace: &Trace) -> BTreeMap<String, i64> {
    let mut times = times(trace);
    times.retain(|path, _| path.contains('*'));
    times
}

/// Checks that two trees are equal; a real one is too long to be printed.
fn assert_same(name: &str, found: &BTreeMap<String, i64>, expected: &BTreeMap<String, i64>) {
    let differs = |(path, time): &(&String, &i64)| expected.get(*path) != Some(*time);
    let first = found.iter().find(differs);
    assert_eq!(first.map(|(path, _)| (path, first, expected.get(path))), None, "{name}");
    assert_eq!(found.len(), expected.len(), "{name}");
}

/// Real profiles, and one with all that a frame may have.
fn profiles() -> Vec<(String, Vec<u8>)> {
    let own = br#"{"meta":{"preprocessedProfileVersion":60,"interval":0.25,"startTime":7},
        "libs":[{"name":"libc.so"}],"threads":[{"pid":1,"tid":2,"name":"main",
            "samples":{"stack":[1,null,2,1],"time":[1,2,4,4.5],"weight":[1,2,3,1]}}],
        "shared":{"stringArray":["main","read","a b.rs","0x10"],
            "stackTable":{"prefix":[null,0,1],"frame":[0,1,2]},"frameTable":{"func":[0,1,2]},
            "funcTable":{"name":[0,1,3],"source":[0,null,null],"lineNumber":[4,null,null],
                "columnNumber":[2,null,null],"resource":[-1,0,0]},
            "resourceTable":{"lib":[0]},"sources":{"filename":[2]}}}"#;
    let mut found = vec![("own".to_owned(), own.to_vec())];
    let Some(folder) = spall_testdata::collection("profiles") else { return found };
    for format in ["firefox", "speedscope"] {
        for path in spall_testdata::files(&folder.join(format), "") {
            let data = std::fs::read(&path).unwrap();
            let is_reading = path.to_string_lossy().contains(".samples.jsonl");
            if !is_reading && spall_trace::load(&data).is_ok() {
                found.push((path.display().to_string(), data));
            }
        }
    }
    found
}

#[test]
fn profiles_1_4_speedscope_written_and_read_again_has_equal_call_trees() {
    for (name, data) in profiles() {
        let trace = spall_trace::load(&data).unwrap();
        let mut written = Vec::new();
        let report = spall_trace::export::speedscope(&trace, "title", &mut written).unwrap();
        assert_eq!(report.count(spall_trace::export::Loss::Sample), 0, "{name}");
        assert_eq!(detect(&written).map(|format| format.name()), Some("speedscope"));
        let again = spall_trace::load(&written).unwrap();
        if spall_trace::layout::Layout::new(&trace).n_overlapping() > 0 && trace.profiles().is_empty() {
            // Trees have slices of lane 0. Those of another lane are a profile of their own there.
            continue;
        }
        if trace.profiles().is_empty() {
            assert_same(&name, &times(&again), &times(&trace));
        } else {
            // Markers, which are on tracks of their own, are slices of a thread there.
            assert_same(&name, &of_functions(&again), &of_functions(&trace));
        }
    }
}

#[cfg(feature = "firefox")]
#[test]
fn profiles_1_4_firefox_profiles_written_and_read_again_have_equal_call_trees_and_samples() {
    use spall_trace::model::Tick;

    for (name, data) in profiles() {
        let trace = spall_trace::load(&data).unwrap();
        if trace.profiles().is_empty() {
            // Slices are markers there, which have no stacks.
            continue;
        }
        let mut written = Vec::new();
        let _ = spall_trace::export::firefox(&trace, "title", &mut written).unwrap();
        assert_eq!(detect(&written).map(|format| format.name()), Some("firefox"));
        let again = spall_trace::load(&written).unwrap();
        assert_same(&name, &of_functions(&again), &of_functions(&trace));
        let start = trace.bounds().unwrap().start;
        let samples = |trace: &Trace, start| {
            let spans = trace.profiles().iter().flat_map(|profile| trace.sample_spans(profile));
            let mut samples: Vec<_> = spans.map(|span| (span.start - start, span.end - start)).collect();
            samples.sort();
            samples
        };
        assert_eq!(samples(&again, Tick(0)), samples(&trace, start), "{name}");
    }
}
