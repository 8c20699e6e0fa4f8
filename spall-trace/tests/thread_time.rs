//! The time and the instructions that counters of threads measured in slices. [pairing 8]

use alloc::collections::BTreeMap;
use core::ops::Range;
use std::collections::HashMap;

use serde_json::Value;
use spall_trace::format::container::decompress;
use spall_trace::json::V8;
use spall_trace::layout::{Layout, LayoutView as _, Stats, slice_tree};
use spall_trace::model::{
    CallTree, Function, Job as _, Limits, LiveTrace, Measure, Receiver as _, SliceId, ThreadMeasure, Tick,
    Trace, TraceView, TrackId, TrackSet, TreeNode,
};
use spall_trace::samples::{TrackTree, call_trees};
use spall_trace::{
    Loader, MergeInput,
    export::{self, StackRoot},
    load, merge_traces,
};

/// Two measures of slices by their names: the thread time in nanoseconds, and the instructions.
fn measures(trace: &impl TraceView) -> BTreeMap<String, [Option<i64>; 2]> {
    let slices = (0..).map(SliceId).map_while(|id| Some((id, trace.slice(id)?)));
    let of = |id| {
        [ThreadMeasure::Time, ThreadMeasure::Instructions]
            .map(|measure| trace.slice_args(id).thread_measure(measure))
    };
    slices.map(|(id, slice)| (trace.name(slice.name).to_string(), of(id))).collect()
}

const EVENTS: &str = r#"[
    {"ph":"X","name":"complete","pid":1,"tid":1,"ts":0,"dur":100,"tts":5,"tdur":41.0005,"ticount":7,"tidelta":900},
    {"ph":"B","name":"pair","pid":1,"tid":1,"ts":200,"tts":4503599627370.25,"ticount":10,"args":{"tts":3}},
    {"ph":"E","pid":1,"tid":1,"ts":300,"tts":4503599627375.75,"ticount":25},
    {"ph":"B","name":"tdur of a pair","pid":1,"tid":1,"ts":310,"tts":6,"tdur":0,"dur":0},
    {"ph":"E","pid":1,"tid":1,"ts":320,"tts":8,"tdur":0,"dur":0},
    {"ph":"B","name":"no clock at the end","pid":1,"tid":1,"ts":400,"tts":1},
    {"ph":"E","pid":1,"tid":1,"ts":410},
    {"ph":"B","name":"back in time","pid":1,"tid":1,"ts":420,"tts":20},
    {"ph":"E","pid":1,"tid":1,"ts":430,"tts":19},
    {"ph":"X","name":"negative","pid":1,"tid":1,"ts":440,"dur":1,"tdur":-1,"tidelta":-1},
    {"ph":"X","name":"too long","pid":1,"tid":1,"ts":450,"dur":1,"tdur":1e30},
    {"ph":"X","name":"no number","pid":1,"tid":1,"ts":460,"dur":1,"tdur":"x","tidelta":1.5},
    {"ph":"X","name":"without","pid":1,"tid":1,"ts":470,"dur":1},
    {"ph":"X","name":"none","pid":1,"tid":1,"ts":480,"dur":1,"tdur":0},
    {"ph":"X","name":"in a string","pid":1,"tid":1,"ts":490,"dur":9,"t\u0064ur":"2.5"},
    {"ph":"b","cat":"c","id":1,"name":"async","pid":1,"tid":1,"ts":500,"tts":1},
    {"ph":"e","cat":"c","id":1,"name":"async","pid":1,"tid":1,"ts":510,"tts":2},
    {"ph":"b","cat":"c","id":2,"name":"async of a thread","pid":1,"tid":1,"ts":500,"tts":1,"use_async_tts":1},
    {"ph":"e","cat":"c","id":2,"name":"async of a thread","pid":1,"tid":1,"ts":510,"tts":4,"use_async_tts":1},
    {"ph":"B","name":"open","pid":1,"tid":1,"ts":600,"tts":5}
]"#;

/// The measures that the rules give for [`EVENTS`]; all other slices have none.
fn expected() -> HashMap<&'static str, [Option<i64>; 2]> {
    HashMap::from([
        ("complete", [Some(41_001), Some(900)]),
        ("pair", [Some(5_500), Some(15)]),
        ("tdur of a pair", [Some(2_000), None]),
        ("none", [Some(0), None]),
        ("in a string", [Some(2_500), None]),
        ("async of a thread", [Some(3_000), None]),
    ])
}

fn assert_expected(trace: &impl TraceView, n_names: usize, what: &str) {
    let found = measures(trace);
    assert_eq!(found.len(), n_names, "{what}");
    for (name, measures) in found {
        assert_eq!(measures, expected().get(&*name).copied().unwrap_or_default(), "{what}: {name}");
    }
}

#[test]
fn slices_have_the_time_of_their_thread() {
    let trace = load(EVENTS.as_bytes()).unwrap();
    assert_expected(&trace, 14, "a trace");
    let bad =
        trace.diagnostics().counts().iter().map(|found| (found.kind.name(), found.count)).collect::<Vec<_>>();
    assert_eq!(bad, [("bad-thread-time", 3), ("unfinished-slice", 1)]);
}

#[test]
fn thread_time_stays_in_live_traces_merges_and_files() {
    let limits = Limits::default();
    let mut live = LiveTrace::new(&limits);
    Loader::new().read_events(EVENTS.as_bytes(), |event, bytes| live.receive(event, bytes)).unwrap();
    // Async spans are not in it before it is finished.
    assert_expected(&live.commit(), 12, "a live trace");

    let trace = load(EVENTS.as_bytes()).unwrap();
    let other = load(br#"[{"ph":"i","name":"i","pid":2,"tid":2,"ts":0}]"#).unwrap();
    let inputs = [MergeInput::new(&trace, "a"), MergeInput::new(&other, "b")];
    assert_expected(&merge_traces(&inputs, &limits).trace, 14, "a merged trace");

    let mut written = Vec::new();
    let report = export::json(&trace, &mut written).unwrap();
    assert_eq!(report.losses().count(), 0);
    assert_expected(&load(&written).unwrap(), 14, "a trace that was written and read");
}

/// Perfetto's trace processor found the thread times of real recordings.
#[test]
fn thread_times_of_recordings_are_those_of_the_trace_processor() {
    let Some(folder) = spall_testdata::collection("json/thread-time") else { return };
    for path in spall_testdata::files(&folder, ".cpu.jsonl.gz") {
        let name = path.file_name().unwrap().to_str().unwrap().replace(".cpu.jsonl.gz", "");
        let source = spall_testdata::inputs("json", &name)
            .into_iter()
            .chain(spall_testdata::inputs("chrome", &name))
            .next();
        let Some(source) = source else { continue };
        let packed = std::fs::read(&path).unwrap();
        let rows = decompress(&packed, &Limits::default()).unwrap().stream;
        let data = std::fs::read(source).unwrap();
        let trace = load(&data).unwrap();
        let mut found = HashMap::<_, i64>::new();
        for id in trace.slices().ids() {
            let slice = trace.slice(id).unwrap();
            let cpu = trace.slice_args(id).thread_measure(ThreadMeasure::Time);
            *found
                .entry((slice.start.0, slice.duration().0, trace.name(slice.name).to_string(), cpu))
                .or_default() += 1;
        }
        let mut n_rows = 0;
        for row in rows.split(|&byte| byte == b'\n').filter(|row| !row.is_empty()) {
            let row: serde_json::Value = serde_json::from_slice(row).unwrap();
            let (start, duration) = (row["ts"].as_i64().unwrap(), row["dur"].as_i64().unwrap());
            // It gives a duration of 0 to what never ended.
            if duration > 0 {
                let key = (
                    start,
                    duration,
                    row["name"].as_str().unwrap_or_default().to_owned(),
                    row["cpu"].as_i64(),
                );
                let left = found.entry(key.clone()).or_default();
                *left -= 1;
                assert!(*left >= 0, "{name}: {key:?}");
                n_rows += 1;
            }
        }
        assert!(n_rows > 1000, "{name}: {n_rows}");
    }
}

/// `outer` has a call without thread time around one that has it, and a call of itself.
const CALLS: &str = r#"[
    {"ph":"X","name":"outer","pid":1,"tid":2,"ts":0,"dur":100,"tdur":60,"tidelta":900},
    {"ph":"X","name":"waits","pid":1,"tid":2,"ts":10,"dur":50},
    {"ph":"X","name":"inner","pid":1,"tid":2,"ts":20,"dur":30,"tdur":25,"tidelta":300},
    {"ph":"X","name":"outer","pid":1,"tid":2,"ts":70,"dur":20,"tdur":15},
    {"ph":"X","name":"more than around it","pid":1,"tid":2,"ts":72,"dur":10,"tdur":16},
    {"ph":"X","name":"a","pid":1,"tid":2,"ts":200,"dur":5}
]"#;

#[test]
fn tree_6_a_tree_adds_up_the_measure() {
    let trace = load(CALLS.as_bytes()).unwrap();
    let folded = |measure| {
        let mut folded = Vec::new();
        let report =
            export::folded(&trace, TrackSet::Threads, measure, StackRoot::Name, &mut folded).unwrap();
        assert_eq!(report.left_out(), 0);
        String::from_utf8(folded).unwrap().replace("1:2;", "").trim_end().replace('\n', ", ")
    };
    assert_eq!(
        folded(Measure::ThreadTime),
        "outer 20000, outer;waits;inner 25000, outer;outer;more than around it 16000"
    );
    assert_eq!(folded(Measure::Instructions), "outer 600, outer;waits;inner 300");
    assert_eq!(
        folded(Measure::Count),
        "outer 1, outer;waits 1, outer;waits;inner 1, outer;outer 1, outer;outer;more than around it 1, a 1"
    );
    assert_eq!(folded(Measure::Samples), "");

    let tree = call_trees(&trace, &V8, TrackSet::Threads, Measure::ThreadTime).next().unwrap().tree;
    let node = |node: &TreeNode| (trace.name(node.function.name).to_string(), node.count, node.unmeasured);
    let unmeasured = tree.nodes().iter().filter(|node| node.unmeasured > 0).map(node).collect::<Vec<_>>();
    assert_eq!(unmeasured, [("waits".into(), 1, 1), ("a".into(), 1, 1)]);
    let functions = tree.functions().into_iter().map(|stats| (stats.unmeasured, stats.total.0));
    assert_eq!(functions.collect::<Vec<_>>(), [(0, 25_000), (0, 61_000), (0, 16_000), (1, 25_000), (1, 0)]);
}

/// Adds up the slices of a thread in a range, without those named `hidden`.
fn tree_of_range(
    trace: &Trace,
    layout: &Layout,
    track: TrackId,
    range: Range<Tick>,
    measure: Measure,
    hidden: &str,
) -> CallTree {
    let function = |slice| trace.function_of(slice).filter(|function| trace.name(function.name) != hidden);
    slice_tree(trace, layout, [track], range, measure, function).run()
}

/// The sums of a tree by call path: the self value, and how many calls have none.
fn sums(trace: &Trace, tree: &CallTree) -> BTreeMap<String, (i64, u64)> {
    let mut paths = Vec::<String>::new();
    let mut sums = BTreeMap::<_, (i64, u64)>::new();
    for node in tree.nodes() {
        let above =
            node.parent.map_or(String::new(), |parent| format!("{};", paths.get(parent.index()).unwrap()));
        let path = format!("{above}{}", trace.name(node.function.name));
        // Functions of one name may differ by their source.
        let sum = sums.entry(path.clone()).or_default();
        *sum = (sum.0 + node.self_time.0, sum.1 + node.unmeasured);
        paths.push(path);
    }
    sums
}

#[test]
fn tree_6_the_tree_of_a_range_adds_up_what_is_inside() {
    let trace = load(CALLS.as_bytes()).unwrap();
    let layout = Layout::new(&trace);
    let check = |us: Range<i64>, measure, hidden, expected: &[(&str, i64, u64)]| {
        let range = Tick(us.start * 1000)..Tick(us.end * 1000);
        let found = sums(&trace, &tree_of_range(&trace, &layout, TrackId(0), range, measure, hidden));
        let found = found.iter().map(|(path, &(value, unmeasured))| (&**path, value, unmeasured));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    };
    // Calls that reach out of the range have no value, and `waits` has none in the file.
    let cut = [
        ("outer", 0, 1),
        ("outer;outer", 0, 1),
        ("outer;outer;more than around it", 16_000, 0),
        ("outer;waits", 0, 1),
        ("outer;waits;inner", 25_000, 0),
    ];
    check(10..85, Measure::ThreadTime, "", &cut);
    // What is not shown counts for the nearest call around it that is.
    let without_inner = [
        ("a", 0, 1),
        ("outer", 20_000, 0),
        ("outer;outer", 0, 0),
        ("outer;outer;more than around it", 16_000, 0),
        ("outer;waits", 25_000, 1),
    ];
    check(0..300, Measure::ThreadTime, "inner", &without_inner);
    check(0..60, Measure::Count, "", &[("outer", 1, 0), ("outer;waits", 1, 0), ("outer;waits;inner", 1, 0)]);
    check(0..60, Measure::Count, "waits", &[("outer", 1, 0), ("outer;inner", 1, 0)]);
}

/// The trees of ranges and those of threads are made in different ways.
#[test]
fn tree_6_trees_of_ranges_and_of_threads_agree() {
    let recordings = spall_testdata::inputs("chrome/traces", ".json");
    let read = recordings.iter().map(|path| std::fs::read(path).unwrap());
    let mut n_nodes = 0;
    for input in [CALLS.as_bytes().to_vec()].into_iter().chain(read) {
        let (trace, layout) = spall_trace::lay_out(load(&input).unwrap());
        for measure in [Measure::ThreadTime, Measure::Instructions, Measure::Count] {
            for TrackTree { track, tree, .. } in call_trees(&trace, &V8, TrackSet::Threads, measure) {
                // Slices that overlap others have no place in the tree of a thread.
                let in_nesting = |(id, _)| layout.place(id).is_some_and(|place| place.lane == 0);
                if trace.slices_of(track).all(in_nesting) {
                    let of_range = tree_of_range(&trace, &layout, track, Tick::MIN..Tick::MAX, measure, "\0");
                    assert_eq!(sums(&trace, &of_range), sums(&trace, &tree), "{}", measure.name());
                    n_nodes += tree.nodes().len();
                }
            }
        }
    }
    assert!(n_nodes > if recordings.is_empty() { 10 } else { 2000 }, "{n_nodes}");
}

#[test]
fn samples_have_no_thread_time() {
    let json = br#"[{"ph":"X","name":"RunTask","pid":1,"tid":2,"ts":0,"dur":100,"tdur":60},
        {"ph":"P","name":"Profile","id":"1","pid":1,"tid":2,"ts":0,"args":{"data":{"startTime":0}}},
        {"ph":"P","name":"ProfileChunk","id":"1","pid":1,"tid":2,"ts":1,"args":{"data":{"cpuProfile":{
            "nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}},
                     {"id":2,"parent":1,"callFrame":{"functionName":"f","scriptId":1}}],
            "samples":[2,2,2]},"timeDeltas":[10,10,10]}}}]"#;
    let trace = load(json).unwrap();
    let tree = |trace, measure| {
        let tree = call_trees(trace, &V8, TrackSet::Threads, measure).next().unwrap().tree;
        let sums = tree.nodes().iter().map(|node| (node.self_time.0, node.unmeasured));
        (sums.collect::<Vec<_>>(), tree.unattributed().time.0)
    };
    for trace in [&trace, &spall_trace::merge_samples(trace.clone())] {
        assert_eq!(tree(trace, Measure::ThreadTime), (vec![(60_000, 0), (0, 1)], 0));
        assert_eq!(tree(trace, Measure::Samples).0, [(0, 0), (3, 0)]);
    }
}

#[test]
fn nested_objects_hold_the_whole_tree() {
    let trace = load(CALLS.as_bytes()).unwrap();
    for measure in Measure::ALL {
        let mut nested = Vec::new();
        let _ = export::nested(&trace, TrackSet::Threads, measure, &mut nested).unwrap();
        let nested: Value = serde_json::from_slice(&nested).unwrap();
        let mut paths = Vec::new();
        add_paths(&nested["children"][0], "", &mut paths);
        let mut folded = Vec::new();
        let _ = export::folded(&trace, TrackSet::Threads, measure, StackRoot::Name, &mut folded).unwrap();
        let folded = String::from_utf8(folded).unwrap();
        // The time in which nothing runs is in no object.
        let stacks = folded.lines().filter(|line| line.contains(';'));
        assert_eq!(paths, stacks.collect::<Vec<_>>(), "{}", measure.name());
        assert_eq!(nested["children"][0]["value"], nested["value"]);
    }
}

/// Adds the paths of an object that have a value of their own, as folded stacks have them.
fn add_paths(node: &Value, above: &str, paths: &mut Vec<String>) {
    let path = format!("{above}{}", node["name"].as_str().unwrap());
    let children = node["children"].as_array().unwrap();
    let of_children = children.iter().map(|child| child["value"].as_i64().unwrap()).sum::<i64>();
    match node["value"].as_i64().unwrap() - of_children {
        0 => {}
        own => paths.push(format!("{path} {own}")),
    }
    children.iter().for_each(|child| add_paths(child, &format!("{path};"), paths));
}

#[test]
fn nested_objects_may_be_deep() {
    let n = 100_000;
    let begins = (0..n).map(|at| format!(r#"{{"ph":"B","name":"f","pid":1,"tid":1,"ts":{at}}}"#));
    let json = format!("[{}]", begins.collect::<Vec<_>>().join(","));
    let mut nested = Vec::new();
    let _ = export::nested(&load(json.as_bytes()).unwrap(), TrackSet::Threads, Measure::Count, &mut nested)
        .unwrap();
    let nested = String::from_utf8(nested).unwrap();
    assert!(nested.starts_with("{\"name\":\"all\",\"value\":100000,"));
    assert_eq!(nested.matches("\"name\":\"f\"").count(), n);
    assert_eq!((nested.matches('[').count(), nested.matches(']').count()), (n + 2, n + 2));
}

/// \[layout 14.1]
#[test]
fn values_have_a_smallest_a_largest_and_a_histogram() {
    let trace = load(
        br#"[
        {"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":100,"tdur":40},
        {"ph":"X","name":"g","pid":1,"tid":1,"ts":10,"dur":20,"tdur":8},
        {"ph":"X","name":"g","pid":1,"tid":1,"ts":40,"dur":50},
        {"ph":"X","name":"g","pid":1,"tid":1,"ts":95,"dur":3,"tdur":2}]"#,
    )
    .unwrap();
    let layout = Layout::new(&trace);
    let micros = |range: Range<i64>| Tick(range.start * 1000)..Tick(range.end * 1000);
    let mut stats =
        Stats::new(&trace, &layout, trace.track_ids(), micros(0..200)).measuring(Measure::ThreadTime);
    while stats.step(1).is_none() {}
    let g = Function::named(trace.names().find(b"g").unwrap());
    let of = |stats: &Stats<'_>| {
        let of = stats.of(g).unwrap();
        let times = [of.total, of.self_time, of.min, of.max, of.mean].map(|time| time.0 / 1000);
        (of.count, of.unmeasured, times)
    };
    assert_eq!(of(&stats), (3, 1, [10, 10, 2, 8, 5]));
    assert_eq!(stats.histogram(g).unwrap().buckets().map(|(_, count)| count).sum::<u32>(), 2);
    // Nothing says how much of what reaches out of the range is inside.
    stats.move_to(micros(12..200));
    assert!(!stats.is_done());
    while stats.step(1).is_none() {}
    assert_eq!(of(&stats), (3, 2, [2, 2, 2, 2, 2]));
}
