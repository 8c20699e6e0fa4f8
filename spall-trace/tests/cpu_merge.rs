//! Compares CPU samples and slices on one timeline with expectations written by hand and with a reference. [cpu 4]

use alloc::collections::{BTreeMap, BTreeSet};
use core::ops::Range;
use std::path::Path;

use serde_json::Value;
use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{SliceFlags, SliceId, Tick, Trace, TraceView, TrackId};

use crate::cpu_common::{Style, folded, ids, load, threads, tree};

/// Returns the track of a thread of an expectation.
fn thread(trace: &Trace, expected: &Value) -> TrackId {
    let wanted = (expected["pid"].to_string(), expected["tid"].to_string());
    threads(trace).find(|(_, track)| ids(trace, track) == wanted).unwrap_or_else(|| panic!("no {wanted:?}")).0
}

/// Returns the slices as the layout places them: start, duration in microseconds, depth, name, and whether samples found it.
fn slices(trace: &Trace, track: TrackId) -> BTreeSet<MergedSlice> {
    let layout = Layout::new(trace);
    let ids = trace.tracks()[track.index()].slices().iter();
    ids.map(|id| {
        let (slice, place) = (trace.slice(id).unwrap(), layout.place(id).unwrap());
        let sampled = slice.flags.contains(SliceFlags::SAMPLED);
        let duration = (place.end - slice.start).0;
        (slice.start.0 / 1000, duration / 1000, place.depth, trace.name(slice.name).into_owned(), sampled)
    })
    .collect()
}

fn check_case(name: &str, data: &[u8], expected: &Value) {
    let trace = load(data);
    for expected in expected["threads"].as_array().unwrap() {
        let track = thread(&trace, expected);
        let number = |value: &Value| value.as_i64().unwrap();
        let wanted: BTreeSet<_> = expected["slices"]
            .as_array()
            .unwrap()
            .iter()
            .map(|slice| {
                let depth = u32::try_from(number(&slice["depth"])).unwrap();
                let sampled = slice["kind"] == "js";
                let name = slice["name"].as_str().unwrap().to_owned();
                (number(&slice["ts"]), number(&slice["dur"]), depth, name, sampled)
            })
            .collect();
        assert_eq!(slices(&trace, track), wanted, "{name}");
        let tree = tree(&trace, track);
        let mut wanted = BTreeMap::<String, (i64, u32)>::new();
        for (path, own) in expected["folded_self"].as_object().unwrap() {
            wanted.entry(path.clone()).or_default().0 = number(own);
        }
        for (path, hits) in expected["hits"].as_object().unwrap() {
            wanted.entry(path.clone()).or_default().1 = u32::try_from(number(hits)).unwrap();
        }
        assert_eq!(folded(&trace, &tree, Style::Short), wanted, "{name}");
        let Range { start, end } = tree.range.clone().unwrap();
        assert_eq!([start.0, end.0], [0, 1].map(|i| 1000 * number(&expected["range"][i])), "{name}");
        let stats = tree.stats;
        for (stat, found) in [
            ("samples", stats.samples),
            ("frozen", stats.frozen),
            ("echo", stats.echoes),
            ("conflict", stats.conflicts),
            ("fixed_missing", stats.fixed_missing),
            ("unknown_node", stats.unknown_frame),
        ] {
            assert_eq!(Some(found), expected["stats"][stat].as_u64(), "{name}: {stat}");
        }
    }
}

/// The parts of profiles with equal ids are told apart by their processes, in case 17. [cpu 1b.1]
#[test]
fn cpu_4_cases_written_by_hand() {
    let mut n_cases = 0;
    for path in spall_testdata::inputs("chrome/merge-cases", ".expect.json") {
        let name = path.file_name().unwrap().to_string_lossy().replace(".expect.json", "");
        // There a slice is cut where it overlaps another; here it goes to a lane of its own. \[pairing 3\]
        if name == "19-partial-overlap" {
            continue;
        }
        let expected = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let input = [".json", ".cpuprofile"].map(|suffix| path.with_file_name(format!("{name}{suffix}")));
        let input = input.iter().find(|path| path.is_file()).unwrap();
        check_case(&name, &std::fs::read(input).unwrap(), &expected);
        n_cases += 1;
    }
    assert!(n_cases >= 20);
}

#[test]
fn pairing_3_a_slice_that_overlaps_another_keeps_its_times_and_has_a_stack_of_its_own() {
    let trace = load(
        br#"[{"ph":"X","name":"A","pid":1,"tid":1,"ts":1000,"dur":50},
        {"ph":"X","name":"B","pid":1,"tid":1,"ts":1040,"dur":40}]"#,
    );
    let tree = tree(&trace, TrackId(0));
    assert_eq!(
        folded(&trace, &tree, Style::Short),
        BTreeMap::from([("A".into(), (50, 0)), ("B".into(), (40, 0))])
    );
}

/// Returns a trace with samples of the nodes 1, 1 and 2 at 10, 20 and 30, and the given slices.
fn three_samples(slices: &str) -> String {
    format!(
        r#"[{slices},{{"ph":"P","name":"Profile","pid":1,"tid":1,"ts":0,"args":{{"data":{{"startTime":0}}}}}},
        {{"ph":"P","name":"ProfileChunk","pid":1,"tid":1,"ts":50,"args":{{"data":{{"endTime":40,"timeDeltas":[10,10,10],
        "cpuProfile":{{"samples":[1,1,2],"nodes":[{{"id":1,"callFrame":{{"functionName":"f"}}}},
        {{"id":2,"callFrame":{{"functionName":"g"}}}}]}}}}}}}}]"#
    )
}

#[test]
fn cpu_4_a_slice_without_duration_lies_on_the_function_that_a_sample_of_its_time_ends() {
    let json = three_samples(
        r#"{"ph":"X","name":"FunctionCall","pid":1,"tid":1,"ts":5,"dur":30},
        {"ph":"X","name":"mark","pid":1,"tid":1,"ts":30,"dur":0}"#,
    );
    let trace = load(json.as_bytes());
    let expected = [
        (5, 30, 0, "FunctionCall", false),
        (10, 20, 1, "f", true),
        (30, 0, 2, "mark", false),
        (30, 5, 1, "g", true),
    ];
    let expected = expected
        .map(|(start, duration, depth, name, sampled)| (start, duration, depth, name.into(), sampled));
    assert_eq!(slices(&trace, TrackId(0)), BTreeSet::from(expected));
}

/// Returns the self times that a reference found, by thread and path.
fn reference(path: &Path) -> BTreeMap<(String, String), BTreeMap<String, i64>> {
    let mut threads = BTreeMap::<_, BTreeMap<String, i64>>::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let (stack, own) = line.rsplit_once(' ').unwrap();
        let (thread, stack) = stack.split_once(';').unwrap_or((stack, ""));
        let (pid, tid) = thread.split_once(':').unwrap();
        let thread: &mut BTreeMap<_, _> = threads.entry((pid.to_owned(), tid.to_owned())).or_default();
        *thread.entry(stack.to_owned()).or_default() += own.parse::<i64>().unwrap();
    }
    threads
}

#[test]
fn cpu_4_trees_of_recorded_traces_are_those_of_the_reference() {
    let Some(folder) = spall_testdata::collection("chrome/ref/merged") else { return };
    let root = folder.join("../..");
    let mut n_threads = 0;
    for path in spall_testdata::files(&folder, ".folded.txt") {
        let name =
            path.file_name().unwrap().to_string_lossy().replace(".folded.txt", ".json").replace("__", "/");
        let Ok(data) = std::fs::read(root.join(&name)) else { continue };
        let trace = load(&data);
        let mut wanted = reference(&path);
        for (track, thread) in threads(&trace) {
            let Some(wanted) = wanted.remove(&ids(&trace, thread)) else { continue };
            let found = folded(&trace, &tree(&trace, track), Style::Long);
            let found: BTreeMap<_, _> =
                found.into_iter().map(|(path, (own, _))| (path, own)).filter(|&(_, own)| own > 0).collect();
            // Where such a slice ends is decided when the trace is read, and the reference ends it earlier.
            let flags = &trace.slices().flags()[thread.slices().indices()];
            if flags.iter().any(|flags| flags.is_unfinished()) {
                continue;
            }
            assert_eq!(found, wanted, "{name}");
            n_threads += 1;
        }
        assert!(wanted.is_empty(), "{name}: {:?}", wanted.keys());
    }
    assert!(n_threads >= 6, "{n_threads}");
}

#[test]
fn cpu_4_sums_of_recorded_traces_are_those_of_the_reference() {
    let Some(folder) = spall_testdata::collection("chrome/ref/merged") else { return };
    let root = folder.join("../..");
    let mut n_threads = 0;
    for path in spall_testdata::files(&folder, ".json.json") {
        let name =
            path.file_name().unwrap().to_string_lossy().replace(".json.json", ".json").replace("__", "/");
        let Ok(data) = std::fs::read(root.join(&name)) else { continue };
        let trace = load(&data);
        let reference: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        for expected in reference["threads"].as_array().unwrap() {
            let track = thread(&trace, expected);
            let slices = trace.tracks()[track.index()].slices();
            if trace.slices().flags()[slices.indices()].iter().any(|flags| flags.is_unfinished()) {
                continue;
            }
            let tree = tree(&trace, track);
            let stats = tree.stats;
            let own = |of_functions: bool| -> i64 {
                let nodes = tree.tree.nodes().iter();
                let nodes = nodes.filter(|node| node.function.source.is_some() == of_functions);
                nodes.map(|node| node.self_time.0 / 1000).sum()
            };
            let sampled = |id: &SliceId| trace.slices().flags()[id.index()].contains(SliceFlags::SAMPLED);
            let n_sampled = slices.iter().filter(sampled).count();
            let found = serde_json::json!({
                "root_self": tree.tree.unattributed().time.0 / 1000,
                "js_self": own(true),
                "slice_self": own(false),
                "js_slices": n_sampled,
                "trace_slices": slices.len() - n_sampled,
                "samples": stats.samples,
                "frozen": stats.frozen,
                "echo": stats.echoes,
                "conflict": stats.conflicts,
                "fixed_missing": stats.fixed_missing,
                "unknown_node": stats.unknown_frame,
            });
            for (key, found) in found.as_object().unwrap() {
                let expected = expected.get(key).unwrap_or(&expected["stats"][key]);
                assert_eq!(found, expected, "{name}: {key}");
            }
            n_threads += 1;
        }
    }
    assert!(n_threads >= 20, "{n_threads}");
}

#[test]
fn cpu_4_a_sample_in_an_inner_invocation_opens_nothing_below_the_slice_around_it() {
    let data = include_bytes!("../../testdata/small/confirmed-in-nested.json");
    let trace = load(data);
    let layout = Layout::new(&trace);
    let depths: Vec<(String, u32)> = (0..trace.slices().len())
        .map(|index| SliceId(u32::try_from(index).unwrap()))
        .map(|id| (trace.name(trace.slice(id).unwrap().name).into_owned(), layout.place(id).unwrap().depth))
        .collect();
    let at = |name: &str| {
        depths.iter().filter(|(found, _)| found == name).map(|&(_, depth)| depth).collect::<Vec<_>>()
    };
    assert_eq!(
        (at("main"), at("Layout"), at("v8.callFunction"), at("callback")),
        (vec![0], vec![1], vec![2], vec![3])
    );
}

#[test]
fn cpu_4_2_the_collector_is_no_call_site() {
    let (found, _) = merged(include_bytes!("../../testdata/small/collector-as-call-site.json"));
    let expected = [
        (1050, 48, 0, "Layout", false),
        (1051, 6, 1, "MinorGC", false),
        (1052, 5, 2, "(garbage collector)", true),
    ];
    assert_eq!(
        found,
        expected.map(|(at, duration, depth, name, by)| (at, duration, depth, name.into(), by)).into()
    );
}

/// Returns a document with the head of a profile that starts at 1000 µs, a chunk of it with `data` beside its nodes, of
/// which node 2 is the function `f`, and `events` before both.
fn profile(events: &str, data: &str) -> String {
    let nodes = r#""nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}},{"id":2,"parent":1,"callFrame":{"functionName":"f","scriptId":1}}]"#;
    format!(
        r#"[{events}{{"ph":"P","name":"Profile","pid":1,"tid":1,"id":"0x1","ts":1000,"args":{{"data":{{"startTime":1000}}}}}},
{{"ph":"P","name":"ProfileChunk","pid":1,"tid":2,"id":"0x1","ts":1100,"args":{{"data":{{"cpuProfile":{{{nodes},"samples":[2,2,2]}},{data}}}}}}}]"#
    )
}

/// Start and duration in microseconds, depth, name, and whether samples found the slice.
type MergedSlice = (i64, i64, u32, String, bool);

/// Returns the slices of the first track, and the bounds of the trace in microseconds.
fn merged(data: &[u8]) -> (BTreeSet<MergedSlice>, Range<i64>) {
    let trace = load(data);
    let layout = Layout::new(&trace);
    assert_eq!(layout.n_overlapping(), 0);
    let bounds = trace.bounds().unwrap();
    (slices(&trace, TrackId(0)), bounds.start.0 / 1000..bounds.end.0 / 1000)
}

#[test]
fn cpu_4_an_unfinished_slice_holds_the_samples_to_the_end_of_the_profile() {
    let data = include_bytes!("../../testdata/small/samples-in-open-slice.json");
    let wanted = BTreeSet::from([(1000, 40, 0, "RunTask".into(), false), (1010, 30, 1, "f".into(), true)]);
    assert_eq!(merged(data), (wanted, 1000..1040));
}

#[test]
fn cpu_4_an_unfinished_slice_holds_a_sample_at_the_time_up_to_which_it_is_drawn() {
    let task = r#"{"ph":"B","name":"RunTask","pid":1,"tid":1,"ts":1000},"#;
    // All samples have one time, so that the last one has no duration.
    let data = profile(task, r#""timeDeltas":[10,0,0]"#);
    let trace = load(data.as_bytes());
    let tree = spall_trace::samples::call_tree(&trace, TrackId(0), &spall_trace::json::V8);
    let wanted = [("RunTask", (10, 0)), ("RunTask;f*", (0, 3))];
    assert_eq!(
        folded(&trace, &tree, Style::Short),
        wanted.map(|(path, sums)| (path.to_owned(), sums)).into()
    );
}

#[test]
fn json_3_2_the_bounds_cover_the_last_sample_of_a_profile_without_an_end() {
    for (data, end) in [
        (r#""timeDeltas":[10,20,11]"#, 1056),
        (r#""timeDeltas":[10,20,11],"endTime":1030"#, 1056),
        (r#""timeDeltas":[10,20,11],"endTime":1041"#, 1041),
        (r#""timeDeltas":[10,20,11],"endTime":1100"#, 1100),
    ] {
        let document = profile("", data);
        let before = spall_trace::load(document.as_bytes()).unwrap().bounds();
        let (slices, bounds) = merged(document.as_bytes());
        assert_eq!(slices, BTreeSet::from([(1010, end - 1010, 0, "f".into(), true)]), "{data}");
        assert_eq!(bounds, 1000..end, "{data}");
        assert_eq!(before, Some(Tick(1_000_000)..Tick(end * 1000)), "{data}");
    }
}
