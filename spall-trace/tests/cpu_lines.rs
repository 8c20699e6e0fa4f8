//! Compares the lines and hits of `.cpuprofile` files with a plain reading of their JSON. [cpu 1c, 1e]

use alloc::collections::BTreeMap;

use serde_json::Value;
use spall_trace::model::{DiagnosticKind, FrameId, Trace, TraceView};

use crate::cpu_common::{threads, tree};

/// Returns profiles whose nodes are a list.
fn profiles() -> Vec<(String, Vec<u8>)> {
    let files =
        ["chrome/cpuprofile", "chrome/speedscope"].map(|name| spall_testdata::inputs(name, ".cpuprofile"));
    let files = files.into_iter().flatten().map(|path| {
        let data = std::fs::read(&path).unwrap();
        (path.display().to_string(), data)
    });
    files.filter(|(_, data)| data.starts_with(b"{\"nodes\"")).collect()
}

fn load(data: &[u8]) -> Trace {
    spall_trace::load(data).unwrap()
}

fn frames(document: &Value) -> impl Iterator<Item = (FrameId, &Value)> {
    (0..).map(FrameId).zip(document["nodes"].as_array().unwrap())
}

#[test]
fn cpu_1c_lines_of_profiles_are_those_that_a_plain_reading_finds() {
    let mut n_lines = 0;
    let profiles = profiles();
    for (name, data) in &profiles {
        let (trace, document) = (load(data), serde_json::from_slice::<Value>(data).unwrap());
        for (frame, node) in frames(&document) {
            let number = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
            let ticks = node["positionTicks"].as_array().into_iter().flatten();
            let mut expected: Vec<_> =
                ticks.map(|ticks| (number(&ticks["line"]) - 1, number(&ticks["ticks"]))).collect();
            expected.sort_unstable();
            let lines = trace.line_hits(frame).iter();
            assert_eq!(
                lines.map(|hits| (hits.line, hits.hits)).collect::<Vec<_>>(),
                expected,
                "{name} {frame:?}"
            );
            n_lines += expected.len();
        }
    }
    assert!(n_lines >= 3, "{n_lines}");
}

#[test]
fn cpu_1e_without_its_samples_a_profile_keeps_its_hits() {
    for (name, data) in profiles() {
        let mut document: Value = serde_json::from_slice(&data).unwrap();
        document.as_object_mut().unwrap().remove("samples");
        let stripped = document.to_string();
        let trace = load(stripped.as_bytes());
        assert_eq!(trace.diagnostics().count(DiagnosticKind::MissingSamples), 1, "{name}");
        let hits: BTreeMap<FrameId, f64> =
            trace.samples().iter().map(|sample| (sample.frame().unwrap(), sample.weight)).collect();
        let expected: BTreeMap<FrameId, f64> = frames(&document)
            .filter_map(|(frame, node)| Some((frame, node["hitCount"].as_f64().filter(|&hits| hits > 0.0)?)))
            .collect();
        assert_eq!(hits, expected, "{name}");
        // Self times are shares of the whole, exact to the tick.
        let (track, _) = threads(&trace).next().unwrap();
        let (tree, total) = (tree(&trace, track), expected.values().sum::<f64>());
        let range = tree.range.clone().unwrap();
        let duration = (range.end - range.start).0 as f64;
        let mut own = BTreeMap::<String, (f64, f64)>::new();
        for (frame, hits) in expected {
            let frame = trace.frame(frame).unwrap();
            own.entry(trace.name(frame.name).into()).or_default().0 += duration * hits / total;
        }
        for node in tree.tree.nodes().iter().filter(|node| node.function.source.is_some()) {
            own.entry(trace.name(node.function.name).into()).or_default().1 += node.self_time.0 as f64;
        }
        // A sample of the root or of the collector counts elsewhere.
        for (function, (expected, found)) in own.iter().filter(|(function, _)| !function.starts_with('(')) {
            assert!((expected - found).abs() < 1000.0, "{name} {function}: {expected} {found}");
        }
    }
}
