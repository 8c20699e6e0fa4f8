//! Perfetto's traces against what its trace processor, release 52, reads from them.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use spall_synth::{gzip, perfetto};
use spall_trace::{
    Format, detect,
    format::container::{Container, decompress_as},
    load,
    model::{
        DiagnosticKind, Key, Limits, Text, ThreadMeasure, Trace, TraceView, TrackId, TrackKind, Value as Arg,
    },
};

/// The cases in which something differs, and why.
const DIFFERENT: [(&str, &str, &str); 11] = [
    ("frame_types", "samples", "the release is older than stack samples [perfetto 4.7]"),
    ("stack_sample", "samples", "the release is older than stack samples [perfetto 4.7]"),
    (
        "track_event_callstacks",
        "samples",
        "the release is older than call stacks of track events [perfetto 4.7]",
    ),
    ("absolute_timestamp_us_overflow", "slices", "a time out of range wraps around there [perfetto 3.2]"),
    ("cpu_per_uid_basic", "counters", UNCHANGED),
    ("cpu_per_uid_track_summaries", "counters", UNCHANGED),
    ("kernel_wakelocks", "counters", UNCHANGED),
    ("virtio_gpu", "counters", "the time that a command takes is the length of its slice [ftrace 4.7]"),
    (
        "power_rails_multi_device",
        "counters",
        "clocks of a second machine count as those of the first [perfetto 3.1]",
    ),
    ("chromium148", "slices", "it drops 32 events of tracks whose parent is not described [perfetto 4.1]"),
    ("chromium148", "samples", "functions without a name are `(anonymous)` here, as in JSON [cpu 4]"),
];

/// Why some counters have fewer values.
const UNCHANGED: &str = "values that a packet does not have are not repeated [perfetto 4.9]";

/// How often each row occurs.
type Rows = BTreeMap<String, i64>;

fn add(rows: &mut Rows, row: impl std::fmt::Debug) {
    *rows.entry(format!("{row:?}")).or_default() += 1;
}

/// The id of the thread that a track is or lies below.
fn thread(trace: &Trace, mut track: TrackId) -> String {
    loop {
        let facts = &trace.tracks()[track.0 as usize];
        match (facts.kind, facts.parent) {
            (TrackKind::Thread { tid }, _) => return trace.key_text(tid).into_owned(),
            (_, Some(parent)) => track = parent,
            _ => return "-1".to_owned(),
        }
    }
}

/// What a trace has, in the form of the trace processor's rows.
fn ours(trace: &Trace) -> HashMap<&'static str, Rows> {
    let mut found: HashMap<&str, Rows> = HashMap::new();
    let name = |name| trace.name(name).into_owned();
    for track in trace.tracks() {
        let tid = thread(trace, track.id);
        for slice in track.slices() {
            let slice = trace.slice(slice).unwrap();
            let length = if slice.flags.is_unfinished() { -1 } else { slice.duration().0 };
            let row = (slice.start.0, length, name(slice.name), name(slice.category), &tid);
            add(found.entry("slices").or_default(), row);
        }
        for instant in trace.instants_of(track.id) {
            let row = (instant.at.0, 0_i64, name(instant.name), name(instant.category), &tid);
            add(found.entry("slices").or_default(), row);
        }
    }
    for counter in trace.counters() {
        add(found.entry("counters").or_default(), (counter.at.0, counter.value));
    }
    for flow in trace.flows() {
        let end = |slice| trace.slice(slice).map(|slice| (slice.start.0, name(slice.name))).unwrap();
        add(found.entry("flows").or_default(), (end(flow.from), end(flow.to)));
    }
    for profile in trace.profiles() {
        for sample in trace.samples_of(profile) {
            let mut stack = Vec::new();
            let mut frame = sample.frame();
            while let Some(at) = frame.and_then(|frame| trace.frame(frame)) {
                stack.push(name(at.name));
                frame = at.parent;
            }
            stack.reverse();
            add(found.entry("samples").or_default(), (sample.at.0, stack));
        }
    }
    found
}

/// The rows of the trace processor.
fn theirs(rows: &str) -> HashMap<&'static str, Rows> {
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let number = |value: &Value| value.as_i64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: HashMap<&str, Rows> = HashMap::new();
    let (mut slices, mut calls) = (HashMap::new(), HashMap::new());
    for row in &rows {
        match row["k"].as_str().unwrap() {
            "slice" => {
                let (at, length, name) = (number(&row["ts"]), number(&row["dur"]), text(&row["name"]));
                slices.insert(row["id"].as_i64().unwrap(), (at, name.clone()));
                let row = (at, length, name, text(&row["cat"]), row["tid"].to_string());
                add(found.entry("slices").or_default(), row);
            }
            "counter" => {
                let row = (number(&row["ts"]), row["value"].as_f64().unwrap());
                add(found.entry("counters").or_default(), row);
            }
            "callsite" => {
                calls.insert(row["id"].as_i64().unwrap(), (row["parent"].as_i64(), text(&row["name"])));
            }
            _ => {}
        }
    }
    for row in &rows {
        match row["k"].as_str().unwrap() {
            "flow" => {
                let end = |which: &str| slices[&row[which].as_i64().unwrap()].clone();
                add(found.entry("flows").or_default(), (end("from"), end("to")));
            }
            "sample" | "perf_sample" => {
                let Some(innermost) = row["callsite"].as_i64() else { continue };
                let (mut stack, mut at) = (Vec::new(), Some(innermost));
                while let Some((parent, name)) = at.map(|at| calls[&at].clone()) {
                    stack.push(name);
                    at = parent;
                }
                stack.reverse();
                add(found.entry("samples").or_default(), (number(&row["ts"]), stack));
            }
            _ => {}
        }
    }
    found
}

/// Returns the rows of a file of the collection, which may be compressed.
fn rows_of(path: &std::path::Path) -> String {
    let data = std::fs::read(path).unwrap();
    let opened = decompress_as(Container::detect(&data), &data, &Limits::default());
    String::from_utf8(opened.unwrap().stream.into_owned()).unwrap()
}

#[test]
fn slices_counters_flows_and_samples_are_those_of_the_trace_processor() {
    let mut faults = Vec::new();
    let files: Vec<_> = ["perfetto", "peers/perfetto"]
        .into_iter()
        .flat_map(spall_testdata::folders)
        .flat_map(|folder| spall_testdata::files(&folder, ".pftrace"))
        .collect();
    if files.is_empty() {
        return spall_testdata::skipped("traces of Perfetto, whose folder SPALL_CORPUS names");
    }
    assert!(files.len() > 80);
    for path in &files {
        let data = std::fs::read(path).unwrap();
        let trace = load(&data).unwrap();
        let stem = path.with_extension("");
        let rows = ["tp.jsonl", "tp.jsonl.gz"].map(|suffix| stem.with_extension(suffix));
        let rows = rows.iter().find(|path| path.exists()).unwrap();
        let (ours, theirs) = (ours(&trace), theirs(&rows_of(rows)));
        for kind in ["slices", "counters", "flows", "samples"] {
            let differs = ours.get(kind) != theirs.get(kind);
            let file = stem.file_name().unwrap().to_string_lossy().into_owned();
            let reason = DIFFERENT.iter().find(|(part, of, _)| file.ends_with(part) && *of == kind);
            if differs != reason.is_some() {
                faults.push(format!("{file}: {kind}"));
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn what_the_trace_processor_leaves_out_is_all_that_is_more_in_a_recording_of_chrome() {
    let Some(folder) = spall_testdata::collection("perfetto") else { return };
    let data = std::fs::read(folder.join("chromium148.pftrace")).unwrap();
    let trace = load(&data).unwrap();
    let (ours, theirs) = (ours(&trace), theirs(&rows_of(&folder.join("chromium148.tp.jsonl.gz"))));
    let mut more = 0;
    for (row, count) in &theirs["slices"] {
        assert!(ours["slices"].get(row).is_some_and(|found| found >= count), "{row}");
    }
    for (row, count) in &ours["slices"] {
        more += count - theirs["slices"].get(row).unwrap_or(&0);
    }
    // [perfetto 4.1]
    assert_eq!(more, 32);
    let rows = rows_of(&folder.join("chromium148.tp.jsonl.gz"));
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    for (pid, name) in
        rows.filter_map(|row| Some((row["pid"].as_i64()?, row["process"].as_str()?.to_owned())))
    {
        let process = trace.processes().iter().find(|process| process.pid == Key::Number(pid)).unwrap();
        assert_eq!(trace.name(process.name), name);
    }
    // The profile of V8 in the debug annotations has all its samples.
    assert_eq!(ours["samples"].values().sum::<i64>(), theirs["samples"].values().sum::<i64>());
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnmatchedFlow), 0);
}

/// [perfetto 4.8]
#[test]
fn slices_have_the_thread_time_that_passed_between_two_values_of_their_threads_counter() {
    let Some(folder) = spall_testdata::collection("perfetto") else { return };
    let data = std::fs::read(folder.join("chromium148.pftrace")).unwrap();
    let trace = load(&data).unwrap();
    let (mut n_slices, mut n_fallen) = (0, 0);
    for counter in trace.tracks().iter().filter(|track| trace.name(track.name) == "thread_time") {
        let thread = &trace.tracks()[counter.parent.unwrap().0 as usize];
        // Of several values at a time, an event has any.
        let mut values: HashMap<i64, Vec<i64>> = HashMap::new();
        for value in trace.counters_of(counter.id) {
            values.entry(value.at.0).or_default().push(value.value as i64);
        }
        for id in thread.slices() {
            let slice = trace.slice(id).unwrap();
            let [Some(at_start), Some(at_end)] = [slice.start, slice.end].map(|at| values.get(&at.0)) else {
                continue;
            };
            if !slice.flags.is_paired() || slice.flags.is_unfinished() {
                continue;
            }
            let rises = at_start.iter().flat_map(|start| at_end.iter().map(move |end| end - start));
            match trace.slice_args(id).thread_measure(ThreadMeasure::Time) {
                Some(time) => {
                    assert!(rises.clone().any(|rise| rise == time), "{slice:?}");
                    n_slices += usize::from(time > 0);
                }
                None => n_fallen += usize::from(rises.clone().any(|rise| rise < 0)),
            }
        }
    }
    // As many as the trace processor has. It gives no thread time where none passed, except for instants.
    assert_eq!((n_slices, n_fallen), (49314, 1));
}

/// Adds each scalar of arguments with the path to it, in the form of the trace processor's keys.
fn add_scalars(path: &str, value: Arg<'_>, of: &mut impl FnMut(&str, String)) {
    match value {
        Arg::Map(args) => args.iter().for_each(|(key, value)| {
            add_scalars(&format!("{path}.{}", key.decode()), value, of);
        }),
        Arg::List(args) => {
            (0..)
                .zip(args.iter())
                .for_each(|(at, (_, value))| add_scalars(&format!("{path}[{at}]"), value, of));
        }
        Arg::Text(text) => of(path, text.decode().into_owned()),
        value => of(path, value.to_string()),
    }
}

/// [perfetto 4.5]
#[test]
fn typed_arguments_have_the_names_and_values_of_the_trace_processor() {
    // All of their fields are known, and none is an enumeration whose names are not.
    const WHOLE: [&str; 8] = [
        "task",
        "source_location",
        "chrome_keyed_service",
        "chrome_active_processes",
        "chrome_content_settings_event_info",
        "view_class_name",
        "current_task",
        "chrome_extension_id",
    ];
    let is_whole = |key: &str| WHOLE.contains(&key.split('.').next().unwrap());
    let Some(folder) = spall_testdata::collection("perfetto") else { return };
    let data = std::fs::read(folder.join("chromium148.pftrace")).unwrap();
    let trace = load(&data).unwrap();
    let mut ours = Rows::new();
    let mut add_one = |at: i64, (key, value): (Text<'_>, Arg<'_>)| {
        add_scalars(&key.decode(), value, &mut |key, value| {
            if is_whole(key) {
                add(&mut ours, (at, key, value));
            }
        });
    };
    for id in trace.slices().ids() {
        let at = trace.slice(id).unwrap().start.0;
        trace.slice_args(id).iter().for_each(|arg| add_one(at, arg));
    }
    for instant in trace.instants() {
        trace.args_of(instant).iter().for_each(|arg| add_one(instant.at.0, arg));
    }
    let rows = rows_of(&folder.join("chromium148.tp.jsonl.gz"));
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut sets: HashMap<i64, Vec<(&str, String)>> = HashMap::new();
    for row in rows.iter().filter(|row| row["k"] == "arg" && is_whole(row["key"].as_str().unwrap())) {
        let value = row["value"].as_str().map_or_else(|| row["value"].to_string(), str::to_owned);
        sets.entry(row["args"].as_i64().unwrap()).or_default().push((row["key"].as_str().unwrap(), value));
    }
    let mut n_args = 0;
    for row in rows.iter().filter(|row| row["k"] == "slice") {
        for (key, value) in row["args"].as_i64().and_then(|set| sets.get(&set)).into_iter().flatten() {
            let row = format!("{:?}", (row["ts"].as_i64().unwrap(), key, value));
            let left = ours.get_mut(&row).unwrap_or_else(|| panic!("{row}"));
            *left -= 1;
            n_args += 1;
        }
    }
    assert!(n_args > 30_000, "{n_args}");
    assert!(ours.values().all(|&left| left >= 0));
}

#[test]
fn a_trace_is_recognised_as_it_is_and_in_a_container() {
    let data = perfetto::trace(20);
    assert_eq!(detect(&data), Some(Format::Perfetto));
    let packed = gzip::member(&data);
    assert_eq!(detect(&packed), Some(Format::Perfetto));
    let (plain, unpacked) = (load(&data).unwrap(), load(&packed).unwrap());
    assert!(plain == unpacked);
    assert!(plain == spall_trace::load_from(&data[..]).unwrap(), "in pieces");
    assert_eq!(plain.slices().len(), 23);
    // A line feed in front of JSON is the first byte of a packet.
    for json in ["\n[{\"ph\":\"B\"}]", "\n{\n  \"traceEvents\":[]}", "\n\n  [1]"] {
        assert_eq!(detect(json.as_bytes()), Some(Format::TraceEventJson), "{json:?}");
    }
}
