//! The numbers that a saved page shows are those of the library.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code outside of test functions")]

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use spall_cli::picture::{self, Scene};
use spall_trace::{
    layout::{Stats, shown_tracks, slice_tree},
    model::{Function, Job as _, Measure, Tick, Trace, TraceView},
};

/// Returns what the page of a trace says about ranges of it, and with a number of columns the owners of the boxes of
/// the first row; `None` if Node is not here.
fn asked(trace: &Trace, ranges: &[(i64, i64)], columns: u32) -> Option<Value> {
    let page = picture::html(&Scene::new(trace), "", "", &[], picture::MAX_BOXES);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page.mjs");
    let node = Command::new("node")
        .arg(script)
        .arg(json!(ranges).to_string())
        .arg(columns.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut node) = node else {
        println!("skipped: this needs Node");
        return None;
    };
    node.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Returns what the library says about a range, in the order of names and of paths.
fn expected(trace: &Trace, (start, end): (i64, i64)) -> Value {
    let scene = Scene::new(trace);
    let range = Tick(scene.view.start.0 + start)..Tick(scene.view.start.0 + end);
    let tracks = || shown_tracks(trace, &scene.layout);
    let stats = Stats::new(trace, &scene.layout, tracks(), range.clone()).run();
    let row = |row: &spall_trace::layout::NameStats| {
        json!([
            trace.name(row.name),
            row.count,
            row.total.0,
            row.self_time.0,
            row.min.0,
            row.max.0,
            row.mean.0
        ])
    };
    let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
    let tree = slice_tree(trace, &scene.layout, tracks(), range, Measure::WallTime, by_name).run();
    let mut paths: Vec<String> = Vec::new();
    let mut nodes = Vec::new();
    for node in tree.nodes() {
        let above = node.parent.map_or("", |parent| &paths[parent.index()]);
        let path = format!("{above};{}", trace.name(node.function.name));
        nodes.push(json!([path, node.count, node.total.0, node.self_time.0]));
        paths.push(path);
    }
    json!({ "statistics": sorted(stats.iter().map(row).collect()), "tree": sorted(nodes) })
}

fn sorted(mut rows: Vec<Value>) -> Value {
    rows.sort_by_key(|row| row[0].as_str().unwrap().to_owned());
    Value::Array(rows)
}

/// Slices of threads and async spans, of which some outlive those around them.
fn random(seed: u64) -> String {
    let mut state = seed;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut events = Vec::new();
    for at in 0..300 {
        let (name, id, dur) = (["a", "b", "c", "d"][below(4) as usize], below(3), below(60));
        events.push(match below(4) {
            0 => format!(r#"{{"ph":"b","cat":"s","id":{id},"name":"{name}","pid":1,"tid":1,"ts":{at}}}"#),
            1 => format!(r#"{{"ph":"e","cat":"s","id":{id},"name":"{name}","pid":1,"tid":1,"ts":{at}}}"#),
            _ => format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":{id},"ts":{at},"dur":{dur}}}"#),
        });
    }
    format!("[{}]", events.join(","))
}

#[test]
fn the_statistics_and_trees_of_a_saved_page_are_those_of_the_library() {
    let file =
        |path: &str| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata").join(path));
    let files = ["small/confirmed-in-nested.json", "recordings/motley.json", "recordings/threads-v3.spall"];
    let files = files.map(|path| file(path).unwrap());
    let random = (1..12).map(|seed| random(seed).into_bytes());
    let mut n_spans = 0;
    for data in files.into_iter().chain(random) {
        let trace = spall_trace::merge_samples(spall_trace::load(&data).unwrap());
        let length = trace.bounds().unwrap();
        let length = length.end.0 - length.start.0;
        let ranges = [(0, length + 1), (length / 3, length / 2), (length / 2, length)];
        let Some(asked) = asked(&trace, &ranges, 0) else { return };
        for (range, found) in ranges.into_iter().zip(asked["answers"].as_array().unwrap()) {
            let rows = |key: &str| sorted(found[key].as_array().unwrap().clone());
            let found = json!({ "statistics": rows("statistics"), "tree": rows("tree") });
            for key in ["statistics", "tree"] {
                let expected = expected(&trace, range);
                let [found, expected] = [&found[key], &expected[key]].map(|rows| rows.as_array().unwrap());
                let differ: Vec<_> =
                    found.iter().zip(expected).filter(|(found, expected)| found != expected).collect();
                assert!(differ.is_empty() && found.len() == expected.len(), "{key} of {range:?}: {differ:?}");
            }
        }
        n_spans += trace.tracks().iter().filter(|track| track.kind.tid().is_none()).count();
    }
    assert!(n_spans > 20, "{n_spans}");
}

/// \[layout 2.5\]
#[test]
fn a_column_of_a_saved_page_is_owned_by_its_longest_slice() {
    let slice = |at: usize| {
        let (name, dur) = if at == 77 { ("longest", 3) } else { ("short", 1 + at % 2) };
        format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{},"dur":{dur}}}"#, 5 * at)
    };
    let json = format!("[{}]", (0..100).map(slice).collect::<Vec<_>>().join(","));
    let trace = spall_trace::load(json.as_bytes()).unwrap();
    let Some(asked) = asked(&trace, &[], 2) else { return };
    assert_eq!(asked["owners"], json!(["short", "longest"]));
}
