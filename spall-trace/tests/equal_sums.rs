//! Every door gives the same sums: the call tree, the slices of the timeline, and the exports.

use std::collections::BTreeMap;

use spall_trace::{
    export::{self, Loss},
    json::V8,
    layout::{Layout, LayoutView},
    load, merge_samples,
    model::{DiagnosticKind, Measure, Trace, TraceView, TrackId, TrackKind},
    samples::{ThreadTree, call_trees},
};

/// The self times of the functions of each thread, in the order of their sums. Functions without time are left out, and so are
/// threads without such functions.
type Sums = Vec<BTreeMap<String, i64>>;

fn sums<T: Ord>(of_threads: BTreeMap<T, BTreeMap<String, i64>>) -> Sums {
    let mut sums: Sums = of_threads.into_values().collect();
    sums.iter_mut().for_each(|sums| sums.retain(|_, time| *time != 0));
    sums.retain(|sums| !sums.is_empty());
    sums.sort();
    sums
}

/// A name as folded stacks have it.
fn plain(name: &str) -> String {
    let name = if name.is_empty() { "(anonymous)" } else { name };
    name.replace(';', ":").replace(['\n', '\r'], " ")
}

fn of_trees(trace: &Trace) -> Sums {
    of_trees_by(trace, |thread| thread.track)
}

fn of_trees_by<T: Ord>(trace: &Trace, key: impl Fn(&ThreadTree) -> T) -> Sums {
    let mut found = BTreeMap::<_, BTreeMap<_, i64>>::new();
    for thread in call_trees(trace, &V8) {
        let (track, tree) = (key(&thread), thread.tree);
        let of_thread = found.entry(track).or_default();
        for node in tree.nodes() {
            let name = plain(&trace.name(node.function.name));
            *of_thread.entry(name).or_default() += node.self_time.0;
        }
    }
    sums(found)
}

fn of_slices(trace: &Trace) -> Sums {
    let layout = Layout::new(trace);
    let mut found = BTreeMap::<_, BTreeMap<_, i64>>::new();
    for (track, of) in (0..).map(TrackId).zip(trace.tracks()) {
        // Slices on other lanes overlap those of the tree partially.
        let in_tree = |id| layout.place(id).is_some_and(|place| place.lane == 0);
        if !matches!(of.kind, TrackKind::Thread { .. }) {
            continue;
        }
        for id in of.slices().iter().filter(|&id| in_tree(id)) {
            let name = plain(&trace.slice_name(id));
            *found.entry(track).or_default().entry(name).or_default() += layout.self_time(id).unwrap().0;
        }
    }
    sums(found)
}

fn of_folded(text: &str) -> Sums {
    let mut found = BTreeMap::<_, BTreeMap<_, i64>>::new();
    for line in text.lines() {
        let (stack, time) = line.rsplit_once(' ').unwrap();
        let Some((thread, stack)) = stack.split_once(';') else { continue };
        let name = stack.rsplit(';').next().unwrap();
        *found.entry(thread).or_default().entry(name.to_owned()).or_default() += time.parse::<i64>().unwrap();
    }
    sums(found)
}

/// Writes a trace and reads it again. `None` if it is told that stacks were too deep, that times were rounded, or that the
/// file is small for its stacks.
fn again(
    trace: &Trace,
    write: impl FnOnce(&Trace, &mut Vec<u8>) -> std::io::Result<export::ExportReport>,
) -> Option<Trace> {
    let mut file = Vec::new();
    let report = write(trace, &mut file).unwrap();
    let is_whole = report.count(Loss::DeepStack) == 0 && report.count(Loss::ExactTime) == 0;
    let again = is_whole.then(|| load(&file).unwrap());
    again.filter(|trace| trace.diagnostics().count(DiagnosticKind::StackLimit) == 0)
}

/// [samples 2] [samples 4]
#[test]
fn every_door_gives_the_same_sums() {
    let mut n_files = 0;
    for path in spall_testdata::inputs("", "") {
        let Ok(trace) = load(&std::fs::read(&path).unwrap()) else { continue };
        if trace.profiles().is_empty() {
            continue;
        }
        let name = path.display();
        let trace = trace.with_value(None);
        let expected = of_trees(&trace);
        if expected.is_empty() {
            continue;
        }
        n_files += 1;
        let check_with = |expected: &Sums, door: &str, found: &Sums| {
            let differs = |sums: &&BTreeMap<String, i64>| !found.contains(sums);
            // A real thread is too long to be printed.
            let first = expected.iter().find(differs).map(|sums| sums.iter().take(3).collect::<Vec<_>>());
            assert_eq!(first, None, "{name}: {door} have no such thread");
        };
        let check = |door: &str, found: &Sums| check_with(&expected, door, found);
        let merged = merge_samples(trace.clone());
        check("slices of the timeline", &of_slices(&merged));
        check("call trees of the merged trace", &of_trees(&merged));
        let mut folded = Vec::new();
        let report = export::folded(&trace, Measure::WallTime, &mut folded).unwrap();
        if report.count(Loss::DeepStack) == 0 {
            // A thread that gets another name has a root for each.
            let by_name = of_trees_by(&trace, |thread| (thread.track, thread.name.clone()));
            check_with(&by_name, "folded stacks", &of_folded(&String::from_utf8_lossy(&folded)));
        }
        // The other formats have nanoseconds.
        if trace.clock().ns_per_tick().is_none_or(|ns| ns == 1.0) {
            // Tracks that are no threads are threads there.
            let speedscope = again(&merged, |trace, out| export::speedscope(trace, "", out));
            speedscope.iter().for_each(|trace| check("speedscope", &of_slices(trace)));
            let pprof = again(&trace, |trace, out| export::pprof(trace, out));
            pprof.iter().for_each(|trace| check("pprof", &of_trees(trace)));
        }
    }
    assert!(n_files >= 10, "{n_files}");
}
