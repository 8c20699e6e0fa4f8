//! Compares the merge of samples and slices with a model that is written from the rules and shares no code. [cpu 4]

use alloc::collections::BTreeMap;

use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{SliceFlags, Trace, TraceView, TrackId};

mod case;
mod model;
mod random;

use self::case::Case;
use self::model::Row;
use crate::cpu_common::{Style, folded, load, tree};

/// Returns the slices on the timeline of a thread, in microseconds.
fn rows(trace: &Trace, track: TrackId) -> Vec<Row> {
    let layout = Layout::new(trace);
    let ids = trace.tracks()[track.index()].slices().iter();
    let row = |id| {
        let (slice, place) = (trace.slice(id).unwrap(), layout.place(id).unwrap());
        let sampled = slice.flags.contains(SliceFlags::SAMPLED);
        Row {
            start: slice.start.0 / 1000,
            end: place.end.0 / 1000,
            depth: place.depth as usize,
            name: trace.name(slice.name).into_owned(),
            hits: sampled.then(|| trace.sampled(id).unwrap().hits),
        }
    };
    let mut rows: Vec<_> = ids.filter(|&id| layout.place(id).unwrap().lane == 0).map(row).collect();
    rows.sort();
    rows
}

fn check(case: &Case, name: &str) -> usize {
    let json = case.to_json();
    let trace = load(json.as_bytes());
    let mut expected = model::merge(case);
    expected.rows.sort();
    assert_eq!(rows(&trace, TrackId(0)), expected.rows, "{name}: {json}");
    let tree = tree(&trace, TrackId(0));
    let mut wanted = BTreeMap::<String, (i64, u32)>::new();
    for (path, own) in expected.own {
        wanted.entry(path).or_default().0 = own;
    }
    for (path, hits) in expected.hits {
        wanted.entry(path).or_default().1 = hits;
    }
    let layout = Layout::new(&trace);
    // The model is of lane 0. Slices that overlap those have stacks of their own. [tree 1]
    for id in trace.tracks()[0].slices().iter().filter(|&id| layout.place(id).unwrap().lane > 0) {
        let around = core::iter::successors(Some(id), |&id| layout.parent(id));
        let mut path: Vec<_> = around.map(|id| trace.slice_name(id)).collect();
        path.reverse();
        wanted.entry(path.join(";")).or_default().0 += layout.self_time(id).unwrap().0 / 1000;
    }
    wanted.retain(|_, &mut (own, hits)| own > 0 || hits > 0);
    assert_eq!(folded(&trace, &tree, Style::Short), wanted, "{name}: {json}");
    let stats = tree.stats;
    let found = [stats.frozen, stats.echoes, stats.conflicts, stats.fixed_missing, stats.unknown_frame];
    assert_eq!(found, expected.stats, "{name}: frozen, echoes, conflicts, fixed, unknown: {json}");
    expected.rows.iter().filter(|row| row.hits.is_some()).count()
}

/// The model states how samples hold, what an invocation is, and what happens when a slice begins. [cpu 2.5, 2.6, 3,
/// 4.1, 4.2, 4.3, 4.4, 4.5, 4.6]
#[test]
fn cpu_4_random_traces_are_merged_as_the_model_merges_them() {
    let (mut n_functions, mut stats) = (0, [0; 5]);
    for seed in 0..2000 {
        let case = random::case(seed);
        n_functions += check(&case, &format!("seed {seed}"));
        for (sum, stat) in stats.iter_mut().zip(model::merge(&case).stats) {
            *sum += stat;
        }
    }
    println!("{n_functions} functions; frozen, echoes, conflicts, fixed, unknown: {stats:?}");
    assert!(n_functions > 30_000, "{n_functions}");
    assert!(stats.iter().all(|&stat| stat > 300), "every rule is used: {stats:?}");
}
