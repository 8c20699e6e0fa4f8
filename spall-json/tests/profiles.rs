//! The readers of the Firefox Profiler's and speedscope's documents, rule by rule.

#![cfg(feature = "alloc")]

use spall_json::{JsonError, JsonProfile, JsonProfileParser, json_profile};
use spall_model::{
    Event, FrameEvent, FrameParent, LendingParser as _, ProfileEvent, ProfileId, Progress, SampleStack,
};

/// Returns what a document says: an event a line, without the facts of the file.
fn read(json: &str) -> Result<Vec<String>, JsonError> {
    let mut lines = Vec::new();
    JsonProfileParser::new().lend_all(json.as_bytes(), |event, _| lines.extend(line(event)))?;
    Ok(lines)
}

fn line(event: &Event<'_>) -> Option<String> {
    Some(match event {
        Event::Clock(clock) => format!("clock {:?} {:?}", clock.epoch_ns, clock.monotonic_ns),
        Event::Meta(_) => return None,
        Event::ProcessName(pid, name) => format!("process {pid} {name}"),
        Event::ThreadName(thread, name) => format!("thread {} {} {name}", thread.pid, thread.tid),
        Event::Profile(ProfileEvent {
            profile: ProfileId::OfThread(_, value),
            weights: Some(weights),
            ..
        }) => format!("profile {value:?} {weights:?}").replace("Text { raw: [], form: Plain }", "-"),
        Event::Frame(frame) => self::frame(frame),
        Event::Sample(sample) => {
            let (thread, _, at) = sample.of_thread().unwrap();
            let stack = match sample.stack {
                SampleStack::Frame(id) => id.to_string(),
                _ => "none".to_owned(),
            };
            format!("sample {} at {} weight {} stack {stack}", thread.tid, at.0, sample.weight)
        }
        Event::Track(track) => format!("track {} below {}", track.name, track.parent.tid),
        Event::Instant(event, _) => {
            format!("instant {} {} {} {}", event.name, event.category, event.at.0, event.args)
        }
        Event::Complete(event, duration) => {
            format!("slice {} {} {} +{} {}", event.name, event.category, event.at.0, duration.0, event.args)
        }
        Event::Unfinished(event) => format!("unfinished {} {}", event.name, event.at.0),
        Event::Flow(event) => format!("flow {:?} {}", event.phase, event.id),
        Event::Begin(event) => format!("begin {} {} {}", event.name, event.at.0, event.args),
        Event::End(event) => format!("end {} {}", event.name, event.at.0),
        Event::Counter(event) => {
            format!("counter {} {} {} {}", event.pid, event.name, event.at.0, event.series)
        }
        Event::Diagnostic(kind) => format!("! {}", kind.name()),
        other => format!("{other:?}"),
    })
}

fn frame(frame: &FrameEvent<'_>) -> String {
    let caller = match frame.parent {
        FrameParent::Id(id) => format!(" in {id}"),
        _ => String::new(),
    };
    let number = |number: Option<u32>| number.map_or(String::new(), |number| format!(":{number}"));
    format!(
        "frame {}{caller} {} {}{}{}",
        frame.id,
        frame.name,
        frame.url,
        number(frame.line),
        number(frame.column)
    )
}

/// Returns the lines that begin with a word.
fn of<'l>(lines: &'l [String], word: &str) -> Vec<&'l str> {
    lines.iter().map(String::as_str).filter(|line| line.split(' ').next() == Some(word)).collect()
}

/// A processed profile of an older version, in which each thread has its tables.
const PROCESSED: &str = r#"{
    "meta": {"interval": 0.5, "startTime": 1764804834257.25, "preprocessedProfileVersion": 49, "product": "p",
        "categories": [{"name": "Idle"}, {"name": "Work"}],
        "markerSchema": [{"name": "Load", "data": [{"key": "path", "format": "unique-string"}, {"key": "n", "format": "integer"}]}]},
    "libs": [{"name": "libc.so"}],
    "counters": [
        {"name": "malloc", "category": "Memory", "pid": "7", "samples": {"time": [1, 2], "count": [5, -2]}},
        {"name": "power", "category": "power", "pid": "7", "sampleGroups": [{"samples": {"time": [3], "count": [4]}}]}],
    "threads": [{
        "name": "main", "pid": "7", "tid": "8", "processName": "program",
        "stringArray": ["main", "0x1ab77", "a.js", "Load", "a\"b", "Wait"],
        "samples": {"stack": [1, null, 0], "time": [2.000001, 3, 4], "weight": [1, 2, 1], "weightType": "samples",
            "threadCPUDelta": [0, 9, 9], "length": 3},
        "stackTable": {"prefix": [null, 0], "frame": [0, 1], "length": 2},
        "frameTable": {"func": [1, 0], "line": [99, 99], "address": [0, 5]},
        "funcTable": {"name": [1, 0], "fileName": [null, 2], "lineNumber": [null, 3], "columnNumber": [null, 7],
            "resource": [0, -1]},
        "resourceTable": {"lib": [0], "name": [1], "host": [null], "type": [1]},
        "markers": {"name": [3, 5, 5, 5, 5], "startTime": [1, 2, 3, 0, 8], "endTime": [null, 2.5, null, 7, null],
            "phase": [0, 1, 2, 3, 2], "category": [1, 0, 0, 0, 0],
            "data": [{"type": "Load", "path": 4, "n": 4}, null, {"type": "Other", "path": 4}, null, null]}
    }]}"#;

#[test]
fn profiles_2_2_a_stack_leads_to_functions_files_and_libraries() {
    let lines = read(PROCESSED).unwrap();
    // Lines and columns count from 1 in the file. The line of the function counts, not that of the frame.
    assert_eq!(of(&lines, "frame"), ["frame 0 main a.js:2:6", "frame 1 in 0 0x1ab77 libc.so"]);
    assert_eq!(of(&lines, "process"), ["process 7 program"]);
    assert_eq!(of(&lines, "thread"), ["thread 7 8 main"]);
}

#[test]
fn profiles_2_2_newer_versions_share_their_tables() {
    let stacks = |version, rest: &str| {
        let json = format!(
            r#"{{"meta":{{"preprocessedProfileVersion":{version}}},"libs":[{{"name":"l"}}],
            "threads":[{{"pid":1,"tid":1,"samples":{{"stack":[2],"time":[1]}}}},
                {{"pid":1,"tid":2,"samples":{{"stack":[2,1],"time":[1,2]}}}}],
            "shared":{{"stringArray":["a","b","f.rs"],{rest}}}}}"#
        );
        let lines = read(&json).unwrap();
        let samples: Vec<String> = of(&lines, "sample").into_iter().map(str::to_owned).collect();
        (of(&lines, "frame").join(", "), samples.join(", "))
    };
    let samples = "sample 1 at 1000000 weight 1 stack 2, sample 2 at 1000000 weight 1 stack 2, \
                   sample 2 at 2000000 weight 1 stack 1";
    let expected = ("frame 0 b l, frame 1 in 0 a f.rs:0, frame 2 in 1 b l".to_owned(), samples.to_owned());
    // From 60 on, all tables are shared, and files are in a table of sources since 58.
    let of_60 = r#""stackTable":{"prefix":[null,0,1],"frame":[1,0,1]},"frameTable":{"func":[0,1]},
        "funcTable":{"name":[0,1],"source":[0,null],"lineNumber":[1,null],"resource":[-1,0]},
        "resourceTable":{"lib":[0]},"sources":{"filename":[2]}"#;
    assert_eq!(stacks(60, of_60), expected);
    // From 66 on, the distance to the caller is written, and from 70 on, the library of a frame.
    let of_70 = r#""stackTable":{"prefixOffset":[0,1,1],"frame":[1,0,1]},"frameTable":{"func":[0,1],"lib":[-1,0]},
        "funcTable":{"name":[0,1],"source":[0,null],"lineNumber":[1,null],"resource":[-1,0]},
        "resourceTable":{"name":[0]},"sources":{"filename":[2]}"#;
    assert_eq!(stacks(70, of_70), expected);
    // Version 56 shares the texts alone.
    let of_56 = r#"{"threads":[{"pid":1,"tid":1,"samples":{"stack":[0],"time":[1]},
        "stackTable":{"prefix":[null],"frame":[0]},"frameTable":{"func":[0]},"funcTable":{"name":[1]}}],
        "shared":{"stringArray":["a","b"]},"meta":{"preprocessedProfileVersion":56}}"#;
    assert_eq!(of(&read(of_56).unwrap(), "frame"), ["frame 0 b "]);
}

#[test]
fn profiles_2_3_markers_are_instants_and_slices_on_a_track_of_their_own() {
    let lines = read(PROCESSED).unwrap();
    assert_eq!(of(&lines, "track"), ["track Markers below 8"]);
    // The schema says that `path` is the number of a text, and only for this type.
    assert_eq!(of(&lines, "instant"), [r#"instant Load Work 1000000 type=Load, path=a"b, n=4"#]);
    let waits = ["slice Wait Idle 2000000 +500000 ", "slice Wait Idle 3000000 +4000000 type=Other, path=4"];
    assert_eq!(of(&lines, "slice"), waits);
    assert_eq!(of(&lines, "unfinished"), ["unfinished Wait 8000000"]);
}

/// As Firefox writes them for tasks that it posts and runs.
#[test]
fn profiles_2_3_markers_with_the_id_of_a_flow_are_slices_of_it() {
    let json = r#"{"meta":{"preprocessedProfileVersion":56,"markerSchema":[
            {"name":"Flow","fields":[{"key":"flow","format":"flow-id"}]},
            {"name":"Last","fields":[{"key":"end","format":"terminating-flow-id"},{"key":"n","format":"integer"}]}]},
        "threads":[{"pid":1,"tid":1,"markers":{"name":[0,0,0,0],"startTime":[1,2,3,4],"endTime":[null,5,null,null],
            "phase":[0,1,0,2],"category":[0,0,0,0],"data":[{"type":"Flow","flow":1},{"type":"Flow","flow":2},
                {"type":"Last","end":1,"n":2},{"type":"Flow","flow":1}]}}],
        "shared":{"stringArray":["task","0x1","0x2"]}}"#;
    let lines = read(json).unwrap();
    let slices = [
        "slice task  1000000 +0 type=Flow, flow=0x1",
        "slice task  2000000 +3000000 type=Flow, flow=0x2",
        "slice task  3000000 +0 type=Last, end=0x1, n=2",
    ];
    assert_eq!(of(&lines, "slice"), slices);
    assert_eq!(of(&lines, "flow"), ["flow Pass 0x1", "flow Pass 0x2", "flow Stop 0x1", "flow Pass 0x1"]);
    assert!(of(&lines, "instant").is_empty());
}

#[test]
fn profiles_2_3_a_marker_is_where_its_name_is() {
    let mut found = Vec::new();
    JsonProfileParser::new()
        .lend_all(PROCESSED.as_bytes(), |event, bytes| {
            if matches!(event, Event::Instant(..) | Event::Complete(..) | Event::Unfinished(_)) {
                let [start, end] = [bytes.start, bytes.end].map(|at| usize::try_from(at).unwrap());
                found.push((start, &PROCESSED[start..end]));
            }
        })
        .unwrap();
    let names = PROCESSED.find("[3, 5, 5, 5, 5]").unwrap();
    let expected = [(1, "3"), (4, "5"), (7, "5"), (13, "5")].map(|(at, name)| (names + at, name));
    assert_eq!(found, expected);
}

#[test]
fn profiles_2_3_counters_are_sums_unless_they_are_rates() {
    let lines = read(PROCESSED).unwrap();
    let counters = [
        "counter 7 malloc 1000000 count=5",
        "counter 7 malloc 2000000 count=3",
        "counter 7 power 3000000 count=4",
    ];
    assert_eq!(of(&lines, "counter"), counters);
}

#[test]
fn profiles_2_4_samples_have_weights_and_may_have_no_stack() {
    let lines = read(PROCESSED).unwrap();
    let samples = [
        "sample 8 at 2000001 weight 1 stack 1",
        "sample 8 at 3000000 weight 2 stack none",
        "sample 8 at 4000000 weight 1 stack 0",
    ];
    assert_eq!(of(&lines, "sample"), samples);
    assert_eq!(of(&lines, "clock"), ["clock Some(1764804834257250000) None"]);
    // The interval, a millisecond for weights in milliseconds, and bytes, which are no time.
    assert_eq!(of(&lines, "profile"), ["profile - TimeBefore(500000.0)"]);
    let milliseconds =
        read(&PROCESSED.replace(r#""weightType": "samples""#, r#""weightType": "tracing-ms""#));
    assert_eq!(of(&milliseconds.unwrap(), "profile"), ["profile - TimeBefore(1000000.0)"]);
    let bytes = read(&PROCESSED.replace(r#""weightType": "samples""#, r#""weightType": "bytes""#));
    assert_eq!(of(&bytes.unwrap(), "profile"), ["profile - Counted(Bytes)"]);
    // Times may be differences.
    let deltas = PROCESSED.replace(r#""time": [2.000001, 3, 4]"#, r#""timeDeltas": [2.000001, 0.999999, 1]"#);
    assert_eq!(of(&read(&deltas).unwrap(), "sample"), samples);
}

/// A Gecko profile with a process inside of it, wrapped as developer tools do it.
const GECKO: &str = r#"{"label": "x", "profile": {
    "meta": {"version": 34, "interval": 1, "startTime": 1764804835000, "startTimeAsClockMonotonicNanosecondsSinceBoot": 77,
        "categories": [{"name": "Other"}, {"name": "JS"}]},
    "libs": [{"start": 4096, "end": 8192, "name": "libxul.so"}],
    "threads": [{"name": "GeckoMain", "processName": "Parent", "pid": 1, "tid": 2,
        "samples": {"schema": {"stack": 0, "time": 1}, "data": [[1, 6.5], [null, 7.5], [2]]},
        "stackTable": {"data": [[null, 0], [0, 1], [1, 2]], "schema": {"prefix": 0, "frame": 1}},
        "frameTable": {"schema": {"location": 0, "line": 4}, "data": [[0], [1, false, 0, null, 9], [2]]},
        "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4, "data": 5},
            "data": [[3, 1.5, 2.5, 1, 1, {"type": "tracing"}]]},
        "stringTable": ["(root)", "load (resource:///a.mjs:336:27)[4]", "0x1010", "Paint"]}],
    "processes": [{"meta": {"version": 34, "interval": 1, "startTime": 1764804835010.5, "categories": [{"name": "GC"}]},
        "libs": [], "processes": [],
        "threads": [{"name": "GeckoMain", "processName": "Web", "pid": 3, "tid": 3,
            "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1]]},
            "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0]]},
            "frameTable": {"schema": {"location": 0}, "data": [[0]]}, "stringTable": ["0x1010"]}]}]}}"#;

#[test]
fn profiles_2_1_gecko_profiles_have_rows_and_processes_with_times_of_their_own() {
    let lines = read(GECKO).unwrap();
    assert_eq!(of(&lines, "clock"), ["clock Some(1764804835000000000) Some(77)"]);
    let samples = [
        "sample 2 at 6500000 weight 1 stack 1",
        "sample 2 at 7500000 weight 1 stack none",
        "sample 3 at 11500000 weight 1 stack 3",
    ];
    assert_eq!(of(&lines, "sample"), samples);
    // The row that has no time is left out. The address is of a library of its own process alone.
    assert_eq!(of(&lines, "!"), ["! missing-time"]);
    assert_eq!(
        of(&lines, "frame"),
        ["frame 0 (root) ", "frame 1 in 0 load resource:///a.mjs:335:26", "frame 3 0x1010 "]
    );
    assert_eq!(of(&lines, "slice"), ["slice Paint JS 1500000 +1000000 type=tracing"]);
    let used = GECKO.replace("[2]]}", "[2, 8]]}");
    assert!(of(&read(&used).unwrap(), "frame").contains(&"frame 2 in 1 0x1010 libxul.so"));
}

#[test]
fn profiles_2_1_other_versions_say_which_they_are() {
    for (meta, message) in [
        (
            r#""version":23"#,
            "from version 24 to 36, and this one has version 23; profiler.firefox.com opens it",
        ),
        (r#""version":37"#, "from version 24 to 36, and this one has version 37; a newer version"),
        (
            r#""version":9,"preprocessedProfileVersion":40"#,
            "from version 41 to 70, and this one has version 40",
        ),
        (r#""preprocessedProfileVersion":71"#, "from version 41 to 70, and this one has version 71"),
        (r#""startTime":0"#, "this one has version 0"),
    ] {
        let error = read(&format!(r#"{{"meta":{{{meta}}},"threads":[{{"samples":{{}}}}]}}"#)).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
    for meta in [r#""version":24"#, r#""version":36"#, r#""preprocessedProfileVersion":41"#] {
        assert!(read(&format!(r#"{{"meta":{{{meta}}},"threads":[{{"samples":{{}}}}]}}"#)).is_ok(), "{meta}");
    }
}

const SPEEDSCOPE: &str = r#"{
    "$schema": "https://www.speedscope.app/file-format-schema.json", "name": "file", "activeProfileIndex": 1,
    "shared": {"frames": [{"name": "main"}, {"name": "work", "file": "a.py", "line": 3, "col": 1}]},
    "profiles": [
        {"type": "evented", "name": "slices", "unit": "milliseconds", "startValue": 0, "endValue": 9, "events": [
            {"type": "O", "frame": 0, "at": 1.5}, {"type": "O", "at": 2, "frame": 1},
            {"type": "C", "frame": 1, "at": 3}, {"type": "C", "frame": 0, "at": 9}]},
        {"type": "sampled", "name": "samples", "unit": "seconds", "startValue": 0.5, "endValue": 1.5,
            "samples": [[0, 1], [0], [], [0, 1, 1]], "weights": [0.1, 0.2, 0.3, 0.4]}]}"#;

#[test]
fn profiles_5_1_evented_profiles_are_slices_and_sampled_ones_samples() {
    let lines = read(SPEEDSCOPE).unwrap();
    assert_eq!(of(&lines, "process"), ["process 1 file"]);
    assert_eq!(of(&lines, "thread"), ["thread 1 1 slices", "thread 1 2 samples"]);
    assert_eq!(of(&lines, "begin"), ["begin main 1500000 ", "begin work 2000000 file=a.py, line=3, col=1"]);
    assert_eq!(of(&lines, "end"), ["end work 3000000", "end main 9000000"]);
    // Samples lie one after another, each as wide as its weight, from the start of the profile on.
    let samples = [
        "sample 2 at 500000000 weight 0.1 stack 1",
        "sample 2 at 600000000 weight 0.2 stack 0",
        "sample 2 at 800000000 weight 0.3 stack none",
        "sample 2 at 1100000000 weight 0.4 stack 2",
    ];
    assert_eq!(of(&lines, "sample"), samples);
    assert_eq!(of(&lines, "profile"), ["profile - Axis(Ticks(1000000000))"]);
    assert_eq!(
        of(&lines, "frame"),
        ["frame 0 main ", "frame 1 in 0 work a.py:2:0", "frame 2 in 1 work a.py:2:0"]
    );
    let mut facts = Vec::new();
    let facts_of = |event: &Event<'_>, _| {
        if let Event::Meta(fact) = event {
            facts.push(fact.key.to_string())
        }
    };
    JsonProfileParser::new().lend_all(SPEEDSCOPE.as_bytes(), facts_of).unwrap();
    assert_eq!(facts, ["$schema", "name", "activeProfileIndex"]);
}

#[test]
fn profiles_1_2_units_that_are_no_time_have_ticks_of_their_own() {
    for (unit, name) in [("none", "samples"), ("bytes", "bytes")] {
        let json = format!(
            r#"{{"profiles":[{{"type":"sampled","unit":"{unit}","name":"a","samples":[[0],[0]],"weights":[3,4]}}],
            "shared":{{"frames":[{{"name":"f"}}]}}}}"#
        );
        let mut counted = None;
        let unit_of = |event: &Event<'_>, _| {
            if let Event::Clock(clock) = event {
                counted = clock.unit.counted().map(str::to_owned);
            }
        };
        JsonProfileParser::new().lend_all(json.as_bytes(), unit_of).unwrap();
        assert_eq!(counted.as_deref(), Some(name));
        let lines = read(&json).unwrap();
        assert_eq!(
            of(&lines, "sample"),
            ["sample 1 at 0 weight 3 stack 0", "sample 1 at 3 weight 4 stack 0"]
        );
        assert_eq!(of(&lines, "profile"), ["profile - Axis(Ticks(1))"]);
    }
}

#[test]
fn profiles_1_3_rows_that_do_not_fit_are_left_out_and_counted() {
    for (from, to, kind) in [
        // A stack that is its own caller, and one that comes later, are roots, which a builder counts.
        (r#""prefix": [null, 0]"#, r#""prefix": [null, 1]"#, None),
        (r#""prefix": [null, 0]"#, r#""prefix": [1, 0]"#, None),
        (r#""stack": [1, null, 0]"#, r#""stack": [99999999999999999999, null, 2]"#, Some("unknown-frame")),
        (r#""frame": [0, 1]"#, r#""frame": [0, 2]"#, Some("unknown-entry")),
        (r#""func": [1, 0]"#, r#""func": [1, -7]"#, Some("unknown-entry")),
        (r#""name": [1, 0], "fileName""#, r#""name": [66, 0], "fileName""#, Some("unknown-entry")),
        (r#""time": [2.000001"#, r#""time": [-2"#, Some("bad-time")),
        (r#""time": [2.000001"#, r#""time": ["soon""#, Some("bad-time")),
        (r#""time": [2.000001"#, r#""time": [1e300"#, Some("time-out-of-range")),
        (r#""time": [2.000001, 3, 4]"#, r#""time": {"0": 1}"#, Some("missing-time")),
        (r#""weight": [1, 2, 1]"#, r#""weight": [1, [], 1]"#, Some("bad-field")),
        (r#""phase": [0"#, r#""phase": [9"#, Some("unknown-event")),
        (r#""phase": [0, 1, 2"#, r#""phase": [0, 1, 0"#, Some("unmatched-end")),
        (r#"{"name": [3, 5"#, r#"{"name": [44, 5"#, Some("unknown-entry")),
    ] {
        let json = PROCESSED.replacen(from, to, 1);
        assert_ne!(json, PROCESSED, "{from}");
        let lines = read(&json).unwrap();
        let said = of(&lines, "!");
        assert_eq!(said.first().copied(), kind.map(|kind| format!("! {kind}")).as_deref(), "{to}: {said:?}");
        assert!(lines.len() > 12, "{to}: {lines:?}");
    }
    for (from, to, kind) in [
        (r#"{"type": "O", "frame": 0"#, r#"{"type": "O", "frame": 2"#, "unknown-entry"),
        (r#""at": 1.5"#, r#""at": []"#, "bad-time"),
        (r#""at": 1.5"#, r#""then": 1.5"#, "missing-time"),
        (r#"{"type": "O", "frame": 0"#, r#"{"type": "Q", "frame": 0"#, "unknown-event"),
        ("[[0, 1], [0]", "[[0, 2], [0]", "bad-stack"),
        ("[[0, 1], [0]", "[{}, [0]", "bad-stack"),
        ("[0.1, 0.2", "[-0.1, 0.2", "bad-field"),
    ] {
        let json = SPEEDSCOPE.replacen(from, to, 1);
        assert_ne!(json, SPEEDSCOPE, "{from}");
        let lines = read(&json).unwrap();
        assert_eq!(of(&lines, "!"), [format!("! {kind}")], "{to}");
        assert!(lines.len() > 10, "{to}: {lines:?}");
    }
}

/// Returns a document with the members of all its objects in the other order.
fn reversed(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(members) => {
            let members: Vec<_> =
                members.iter().rev().map(|(key, value)| format!("{key:?}: {}", reversed(value))).collect();
            format!("{{{}}}", members.join(","))
        }
        serde_json::Value::Array(items) => {
            format!("[{}]", items.iter().map(reversed).collect::<Vec<_>>().join(" ,\n"))
        }
        other => other.to_string(),
    }
}

#[test]
fn profiles_1_5_the_order_of_keys_makes_no_difference() {
    for json in [PROCESSED, GECKO, SPEEDSCOPE] {
        let expected = read(json).unwrap();
        // This crate sorts keys, so both orders are tried.
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        let said = |text: &str| -> Vec<String> {
            // The members of arguments are in the order of the file.
            read(text).unwrap().into_iter().filter(|line| !line.contains("type=")).collect()
        };
        let expected: Vec<String> = expected.into_iter().filter(|line| !line.contains("type=")).collect();
        assert_eq!(said(&value.to_string()), expected);
        assert_eq!(said(&reversed(&value)), expected);
    }
}

#[test]
fn documents_are_recognised_by_their_keys_in_any_order() {
    for (json, format) in [
        (PROCESSED, JsonProfile::Firefox),
        (GECKO, JsonProfile::Firefox),
        (SPEEDSCOPE, JsonProfile::Speedscope),
    ] {
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(json_profile(json.as_bytes()), Some(format));
        assert_eq!(json_profile(reversed(&value).as_bytes()), Some(format));
    }
    // The start of a file is enough, whatever comes first.
    for (start, format) in [
        (r#"{"threads":[{"name":"a","samples":{"sta"#, Some(JsonProfile::Firefox)),
        (r#"{"libs":[],"meta":{"interval":1"#, Some(JsonProfile::Firefox)),
        (r#"{"shared":{"stringArray":["a"#, Some(JsonProfile::Firefox)),
        (r#"{"profiles":[{"type":"sampled","samples":[[0"#, Some(JsonProfile::Speedscope)),
        (
            "\u{feff} {\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"",
            Some(JsonProfile::Speedscope),
        ),
        (r#"{"traceEvents":[],"meta":1}"#, None),
        (r#"{"nodes":[],"samples":[]}"#, None),
        (r#"{"meta":{"version":34}"#, None),
        (r#"{"shared":{},"profiles":[]}"#, None),
        (r#"[{"meta":{"interval":1}}]"#, None),
    ] {
        assert_eq!(json_profile(start.as_bytes()), format, "{start}");
    }
}

#[test]
fn a_document_is_read_when_all_of_it_is_there() {
    let (mut parser, mut n_events) = (JsonProfileParser::new(), 0);
    let mut read = |data: &[u8], eof| parser.lend(data, eof, &mut |_: &Event<'_>, _| n_events += 1).unwrap();
    let json = SPEEDSCOPE.as_bytes();
    assert_eq!(read(b"", false), Progress::NeedMore(1));
    assert_eq!(read(json, false), Progress::NeedMore(json.len()));
    assert_eq!(read(json, true), Progress::Read(json.len()));
    assert_eq!(read(b"", true), Progress::End);
    assert!(n_events > 5, "{n_events}");
}

#[test]
fn a_cut_document_has_the_events_in_front_of_the_cut() {
    let mut n_said = 0;
    for json in [PROCESSED, GECKO, SPEEDSCOPE] {
        let whole = read(json).unwrap();
        for end in (0..json.len()).filter(|&end| json.is_char_boundary(end)) {
            let Ok(mut lines) = read(&json[..end]) else { continue };
            let is_cut = lines.last().is_some_and(|line| line == "! truncated");
            assert!(is_cut || lines == whole, "{end}");
            lines.truncate(lines.len() - usize::from(is_cut));
            assert_eq!(lines, whole[..lines.len()], "{end}");
            n_said += usize::from(lines.len() > 1);
        }
    }
    assert!(n_said > 300, "{n_said}");
}

#[test]
fn no_change_of_a_byte_is_fatal() {
    for json in [PROCESSED, GECKO, SPEEDSCOPE] {
        for at in 0..json.len() {
            for byte in *b"\"]{,0-" {
                let mut changed = json.as_bytes().to_vec();
                changed[at] = byte;
                let mut n_events = 0;
                let _ = JsonProfileParser::new().lend_all(&changed, |_, _| n_events += 1);
                assert!(n_events < 100);
            }
        }
    }
}

#[test]
fn profiles_1_6_a_start_by_another_clock_is_no_epoch() {
    let start = |start: &str| {
        let lines = read(&PROCESSED.replace("1764804834257.25", start)).unwrap();
        (of(&lines, "clock").concat(), of(&lines, "!").contains(&"! bad-epoch"))
    };
    assert_eq!(start("1764804834257.25"), ("clock Some(1764804834257250000) None".to_owned(), false));
    assert_eq!(start("946684800000"), ("clock Some(946684800000000000) None".to_owned(), false));
    // The monotonic clock of a machine that started two minutes before.
    assert_eq!(start("123456.789"), ("clock None None".to_owned(), true));
    assert_eq!(start("0"), ("clock None None".to_owned(), false));
}

#[test]
fn profiles_2_5_processes_of_one_id_stay_apart() {
    let thread = |pid: &str, tid: i64, process: &str| {
        format!(
            r#"{{"name":"{process} {tid}","pid":"{pid}","tid":{tid},"processName":"{process}",
            "samples":{{"stack":[null],"time":[1]}}}}"#
        )
    };
    let threads = [
        thread("7", 7, "cargo"),
        thread("7", 7, "query-api"),
        thread("7", 8, "cargo"),
        thread("7", 9, "query-api"),
        thread("7", 10, ""),
        thread("x", 1, "cargo"),
        thread("7", 7, "third"),
    ];
    let json = format!(
        r#"{{"meta":{{"preprocessedProfileVersion":57}},"threads":[{}],
        "counters":[{{"name":"c","samples":{{"time":[1],"count":[1]}}}}]}}"#,
        threads.join(",")
    );
    let lines = read(&json).unwrap();
    assert_eq!(
        of(&lines, "thread"),
        [
            "thread 7 7 cargo 7",
            "thread 7.1 7 query-api 7",
            "thread 7 8 cargo 8",
            "thread 7.1 9 query-api 9",
            "thread 7 10  10",
            "thread x 1 cargo 1",
            "thread 7.2 7 third 7",
        ]
    );
    assert_eq!(of(&lines, "process")[1], "process 7.1 query-api");
    assert!(of(&lines, "counter")[0].starts_with("counter 7 c"));
}

#[test]
fn processes_inside_one_another_take_no_stack() {
    let n = 100_000;
    let inner = r#"{"meta":{"version":34,"interval":1},"processes":["#;
    let json = inner.repeat(n) + &"]}".repeat(n);
    assert_eq!(of(&read(&json).unwrap(), "clock").len(), 1);
}

/// Returns a file of speedscope whose unit is `unit`: an evented profile from `start` to `end`, or a sampled one.
fn speedscope(unit: &str, inside: &str) -> String {
    format!(
        r#"{{"shared":{{"frames":[{{"name":"f"}}]}},"profiles":[{{"type":"x","name":"a","unit":"{unit}",{inside}}}]}}"#
    )
}

#[test]
fn profiles_5_1_samples_of_another_unit_have_another_value() {
    let json = r#"{"shared":{"frames":[{"name":"f"}]},"profiles":[
        {"type":"sampled","name":"cpu","unit":"seconds","startValue":2,"samples":[[0],[0]],"weights":[3,4]},
        {"type":"sampled","name":"heap","unit":"bytes","startValue":0,"samples":[[0],[]],"weights":[64,32]},
        {"type":"sampled","name":"hits","unit":"none","startValue":0,"samples":[[0]],"weights":[5]}]}"#;
    let lines = read(json).unwrap();
    assert_eq!(of(&lines, "!"), [""; 0]);
    let samples = [
        "sample 1 at 2000000000 weight 3 stack 0",
        "sample 1 at 5000000000 weight 4 stack 0",
        "sample 2 at 2000000000 weight 64 stack 0",
        "sample 2 at 2000000000 weight 32 stack none",
        "sample 3 at 2000000000 weight 5 stack 0",
    ];
    assert_eq!(of(&lines, "sample"), samples);
    let profiles = of(&lines, "profile");
    assert!(profiles[0].ends_with("- Axis(Ticks(1000000000))"), "{profiles:?}");
    assert!(profiles[1].ends_with("Counted(Bytes)"), "{profiles:?}");
    // Times on an axis that is none are nanoseconds.
    let swapped = json.replace("bytes", "-").replace("seconds", "bytes").replace("\"-\"", "\"milliseconds\"");
    let lines = read(&swapped).unwrap();
    assert_eq!(of(&lines, "sample")[2], "sample 2 at 2 weight 64000000 stack 0");
}

#[test]
fn profiles_5_1_slices_of_another_unit_are_counted() {
    let json = r#"{"shared":{"frames":[{"name":"f"}]},"profiles":[
        {"type":"sampled","name":"cpu","unit":"seconds","samples":[[0]],"weights":[3]},
        {"type":"evented","name":"heap","unit":"bytes","events":[{"type":"O","frame":0,"at":7}]}]}"#;
    let lines = read(json).unwrap();
    assert_eq!(of(&lines, "!"), ["! other-unit"]);
    assert_eq!(of(&lines, "begin"), ["begin f 7 "]);
}

#[test]
fn profiles_5_1_times_in_nanoseconds_at_unix_time_are_exact() {
    let [start, end] = ["1700000000123456789", "1700000000123456999"];
    let evented =
        format!(r#""events":[{{"type":"O","frame":0,"at":{start}}},{{"type":"C","frame":0,"at":"{end}"}}]"#);
    let sampled = format!(r#""startValue":{start},"samples":[[0],[0]],"weights":[210,1]"#);
    for (unit, decimals) in [("nanoseconds", ""), ("bytes", ""), ("none", ".25")] {
        let exact = |json: &str| json.replace(start, &format!("{start}{decimals}"));
        let lines = read(&speedscope(unit, &exact(&evented))).unwrap();
        assert_eq!(of(&lines, "begin"), [format!("begin f {start} ")]);
        assert_eq!(of(&lines, "end"), [format!("end f {end}")]);
        let lines = read(&speedscope(unit, &exact(&sampled))).unwrap();
        let samples = [start, end].map(|at| format!(" at {at} weight "));
        let found = of(&lines, "sample");
        assert!(found.iter().zip(&samples).all(|(line, at)| line.contains(at)), "{found:?}");
        assert_eq!(of(&lines, "!"), [""; 0]);
    }
    // Before the start of the axis, too.
    let lines =
        read(&speedscope("seconds", r#""startValue":-2.5,"samples":[[0],[0]],"weights":[1,2]"#)).unwrap();
    let samples = ["sample 1 at -2500000000 weight 1 stack 0", "sample 1 at -1500000000 weight 2 stack 0"];
    assert_eq!(of(&lines, "sample"), samples);
}

#[test]
fn profiles_1_3_a_time_that_64_bits_do_not_hold_is_clamped_and_counted() {
    let count = |json: &str| of(&read(json).unwrap(), "!").len();
    let last = i64::MAX.to_string();
    for (unit, at, n_clamped) in [
        ("nanoseconds", "9223372036854775807", 0),
        ("nanoseconds", "9223372036854775808", 1),
        ("seconds", "9223372036", 0),
        ("seconds", "9223372037", 1),
        ("none", "1e40", 1),
    ] {
        let evented = speedscope(unit, &format!(r#""events":[{{"type":"O","frame":0,"at":{at}}}]"#));
        assert_eq!(count(&evented), n_clamped, "{unit} {at}");
        let sampled = format!(r#""samples":[[0],[0],[0]],"weights":[{at},0,0]"#);
        assert_eq!(count(&speedscope(unit, &sampled)), 2 * n_clamped, "{unit} {at}");
    }
    let clamped = speedscope("none", r#""events":[{"type":"O","frame":0,"at":1e40}]"#);
    assert_eq!(of(&read(&clamped).unwrap(), "begin"), [format!("begin f {last} ")]);
    // Differences, the sum of which is out of range, and a start that moves times out of it.
    let firefox = |start: &str, deltas: &str| {
        format!(
            r#"{{"meta":{{"interval":1,"startTime":{start},"preprocessedProfileVersion":49}},
            "threads":[{{"name":"t","pid":1,"tid":1,"samples":{{"stack":[null,null],"timeDeltas":{deltas}}}}}]}}"#
        )
    };
    assert_eq!(count(&firefox("0", "[9223372036854,0]")), 0);
    assert_eq!(count(&firefox("0", "[9223372036855,0]")), 1);
    assert_eq!(count(&firefox("0", "[9223372036854,1]")), 1);
    assert_eq!(count(&firefox("9223372036855", "[0,0]")), 1);
}

#[test]
fn the_facts_of_a_cut_document_are_the_first_of_the_whole_one() {
    let title = r#""name": "file""#;
    let members =
        [title, r#""$schema": "https://www.speedscope.app/file-format-schema.json""#, r#""exporter": "x""#];
    let body = speedscope("none", r#""samples":[[0]],"weights":[1]"#);
    let body = body.strip_suffix('}').unwrap();
    for first in 0..3 {
        let [a, b, c] = [first, (first + 1) % 3, (first + 2) % 3].map(|at| members[at]);
        let json = format!("{body},{a},{b},{c}}}");
        let events = |json: &str| {
            let mut said = Vec::new();
            let mut see = |event: &Event<'_>, _| {
                if !matches!(event, Event::Diagnostic(_)) {
                    said.push(format!("{event:?}"));
                }
            };
            JsonProfileParser::new().lend_all(json.as_bytes(), &mut see).unwrap();
            said
        };
        let whole = events(&json);
        assert!(whole.iter().any(|event| event.starts_with("ProcessName")));
        for end in body.len()..json.len() {
            let cut = events(&json[..end]);
            assert_eq!(cut, whole[..cut.len()], "{}", &json[..end]);
        }
    }
}
