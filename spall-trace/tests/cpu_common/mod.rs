//! The code that tests of CPU samples share: call trees in the notation of the expectations.
#![allow(dead_code, reason = "every test file uses its own part")]

use alloc::collections::BTreeMap;

use spall_trace::model::{Trace, TraceView, Track, TrackId, TrackKind};
use spall_trace::samples::TrackTree;

use spall_fuzz::overlapping::overlapping;

/// Loads a trace, which must not fail, and merges its samples with its slices.
pub(crate) fn load(data: &[u8]) -> Trace {
    spall_trace::merge_samples(spall_trace::load(data).unwrap())
}

/// Returns the threads of a trace.
pub(crate) fn threads(trace: &Trace) -> impl Iterator<Item = (TrackId, &Track)> {
    (0..).map(TrackId).zip(trace.tracks()).filter(|(_, track)| matches!(track.kind, TrackKind::Thread { .. }))
}

/// Returns the process id and the thread id of a track.
pub(crate) fn ids(trace: &Trace, track: &Track) -> (String, String) {
    let process = track.process.map(|process| trace.processes()[process.0 as usize].pid);
    let tid = match track.kind {
        TrackKind::Thread { tid } => trace.key_text(tid).into_owned(),
        _ => String::new(),
    };
    (process.map(|pid| trace.key_text(pid).into_owned()).unwrap_or_default(), tid)
}

/// The way in which a tree names its nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Functions are named `name*`.
    Short,
    /// Functions are named `name*url:line:column`.
    Long,
}

/// Returns self times in microseconds and hits, by path.
///
/// Nodes that have neither are left out. Time and hits outside of all nodes have an empty path.
pub(crate) fn folded(trace: &Trace, thread: &TrackTree, style: Style) -> BTreeMap<String, (i64, u32)> {
    let mut paths: Vec<String> = Vec::new();
    let count = |hits: u64| u32::try_from(hits).unwrap();
    let outside = thread.tree.unattributed();
    let mut folded = BTreeMap::from([(String::new(), (outside.time.0 / 1000, count(outside.hits)))]);
    for node in thread.tree.nodes() {
        let mut path = node.parent.map_or(String::new(), |parent| paths[parent.index()].clone() + ";");
        path.push_str(&trace.name(node.function.name));
        if let Some(source) = node.function.source {
            path.push('*');
            if style == Style::Long {
                let number = |number: Option<u32>| number.map_or(-1, i64::from);
                let (line, column) = (number(source.line), number(source.column));
                path += &format!("{}:{line}:{column}", trace.name(source.url));
            }
        }
        let entry: &mut (i64, u32) = folded.entry(path.clone()).or_default();
        *entry = (entry.0 + node.self_time.0 / 1000, entry.1 + count(node.hits));
        paths.push(path);
    }
    folded.retain(|_, &mut (own, hits)| own > 0 || hits > 0);
    folded
}

/// Returns the tree of a thread, and checks the invariants of every tree. [cpu 4]
pub(crate) fn tree(trace: &Trace, track: TrackId) -> TrackTree {
    let thread = spall_trace::samples::call_tree(trace, track, &spall_trace::json::V8);
    let (nodes, outside) = (thread.tree.nodes(), thread.tree.unattributed());
    let duration = thread.range.clone().map_or(0, |range| (range.end - range.start).0);
    assert!(nodes.iter().all(|node| node.self_time.0 >= 0) && outside.time.0 >= 0);
    let expected = duration + overlapping(trace, track).0;
    assert_eq!(nodes.iter().map(|node| node.self_time.0).sum::<i64>() + outside.time.0, expected);
    let mut below = vec![0; nodes.len()];
    for node in nodes {
        if let Some(parent) = node.parent {
            below[parent.index()] += node.total.0;
        }
    }
    for (node, below) in nodes.iter().zip(below) {
        assert_eq!(node.total.0, node.self_time.0 + below);
    }
    let samples = trace.profile_of(track).map_or(&[][..], |profile| trace.samples_of(profile));
    assert_eq!(nodes.iter().map(|node| node.hits).sum::<u64>() + outside.hits, samples.len() as u64);
    let weight = nodes.iter().map(|node| node.weight).sum::<f64>() + outside.weight;
    let expected = samples.iter().map(|sample| sample.weight).sum::<f64>();
    assert!((weight - expected).abs() <= 1e-6 * expected.abs(), "{weight} {expected}");
    thread
}
