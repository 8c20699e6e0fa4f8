//! What the tests of CPU samples share: call trees in the notation of the expectations.
#![allow(dead_code, reason = "every test file uses its own part")]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code outside of test functions"
)]

use alloc::collections::BTreeMap;

use spall_trace::model::{Limits, Trace, Track, TrackId, TrackKind};
use spall_trace::samples::CallTree;

/// Loads a trace that must be sound enough, and puts its samples on the timeline.
pub(crate) fn load(data: &[u8]) -> Trace<'_> {
    spall_trace::merge_samples(spall_trace::load(data, &Limits::default()).unwrap())
}

/// The threads of a trace.
pub(crate) fn threads<'t>(trace: &'t Trace<'_>) -> impl Iterator<Item = (TrackId, &'t Track)> {
    (0..).map(TrackId).zip(trace.tracks()).filter(|(_, track)| matches!(track.kind, TrackKind::Thread { .. }))
}

/// Process and thread id of a track.
pub(crate) fn ids(trace: &Trace<'_>, track: &Track) -> (String, String) {
    let process = track.process.map(|process| trace.processes()[process.0 as usize].pid);
    let tid = match track.kind {
        TrackKind::Thread { tid } => trace.key_text(tid).into_owned(),
        _ => String::new(),
    };
    (process.map(|pid| trace.key_text(pid).into_owned()).unwrap_or_default(), tid)
}

/// How a tree names its nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `name*` for functions.
    Short,
    /// `name*url:line:column` for functions.
    Long,
}

/// Self times in microseconds and hits, by path; nodes that have neither are left out.
pub(crate) fn folded(trace: &Trace<'_>, tree: &CallTree, style: Style) -> BTreeMap<String, (i64, u32)> {
    let mut paths: Vec<String> = Vec::new();
    let mut folded = BTreeMap::new();
    for node in tree.nodes() {
        let Some(parent) = node.parent else {
            paths.push(String::new());
            folded.insert(String::new(), (node.own.0 / 1000, node.hits));
            continue;
        };
        let mut path = paths[parent as usize].clone();
        if !path.is_empty() {
            path.push(';');
        }
        path.push_str(&trace.name(node.name));
        if let Some(frame) = node.frame.and_then(|frame| trace.frame(frame)) {
            path.push('*');
            if style == Style::Long {
                let number = |number: Option<u32>| number.map_or(-1, i64::from);
                path += &format!("{}:{}:{}", trace.name(frame.url), number(frame.line), number(frame.column));
            }
        }
        let entry: &mut (i64, u32) = folded.entry(path.clone()).or_default();
        *entry = (entry.0 + node.own.0 / 1000, entry.1 + node.hits);
        paths.push(path);
    }
    folded.retain(|_, &mut (own, hits)| own > 0 || hits > 0);
    folded
}

/// The tree of a thread, after checking what holds of every tree. [cpu 4]
pub(crate) fn tree(trace: &Trace<'_>, track: TrackId) -> CallTree {
    let tree = spall_trace::call_tree(trace, track);
    let length = tree.range().map_or(0, |(start, end)| (end - start).0);
    assert!(tree.nodes().iter().all(|node| node.own.0 >= 0));
    assert_eq!(tree.nodes().iter().map(|node| node.own.0).sum::<i64>(), length);
    let mut below = vec![0; tree.nodes().len()];
    for node in tree.nodes() {
        if let Some(parent) = node.parent {
            below[parent as usize] += node.total.0;
        }
    }
    for (node, below) in tree.nodes().iter().zip(below) {
        assert_eq!(node.total.0, node.own.0 + below);
    }
    let samples = trace.profile_of(track).map_or(0, |profile| profile.samples().len());
    assert_eq!(tree.nodes().iter().map(|node| node.hits as usize).sum::<usize>(), samples);
    tree
}

/// A small random number generator, seeded.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number from 0 below `bound`, and 0 if there is none.
    pub(crate) fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }

    pub(crate) fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(i64::try_from(bound).unwrap())).unwrap()
    }
}
