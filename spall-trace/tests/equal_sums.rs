//! Every door gives the same sums: the call tree, the slices of the timeline, and the exports.

use std::collections::BTreeMap;

use spall_trace::{
    export::{self, Loss, StackRoot},
    json::V8,
    layout::{Layout, LayoutView, slice_tree},
    load, merge_samples,
    model::{CallTree, Job, Measure, Tick, Trace, TraceView, TrackKind, TrackSet},
    samples::{TrackTree, call_trees},
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

fn of_trees_by<T: Ord>(trace: &Trace, key: impl Fn(&TrackTree) -> T) -> Sums {
    let trees = call_trees(trace, &V8, TrackSet::All, Measure::WallTime);
    sums_of_trees(trace, trees.map(|of| (key(&of), of.tree)))
}

fn sums_of_trees<T: Ord>(trace: &Trace, trees: impl Iterator<Item = (T, CallTree)>) -> Sums {
    let mut found = BTreeMap::<_, BTreeMap<_, i64>>::new();
    for (key, tree) in trees {
        let of_track = found.entry(key).or_default();
        for node in tree.nodes() {
            let name = plain(&trace.name(node.function.name));
            *of_track.entry(name).or_default() += node.self_time.0;
        }
    }
    sums(found)
}

/// The trees that viewers make of the rows of a layout.
fn of_layout(trace: &Trace) -> Sums {
    let layout = Layout::new(trace);
    let whole = Tick::MIN..Tick::MAX;
    let trees = trace.tracks().iter().map(|track| {
        let function = |slice| trace.function_of(slice);
        let tree = slice_tree(trace, &layout, [track.id], whole.clone(), Measure::WallTime, function);
        (track.id, tree.run())
    });
    sums_of_trees(trace, trees)
}

fn of_slices(trace: &Trace) -> Sums {
    let layout = Layout::new(trace);
    let mut found = BTreeMap::<_, BTreeMap<_, i64>>::new();
    for track in trace.tracks() {
        for id in track.slices() {
            let name = plain(&trace.slice_name(id));
            *found.entry(track.id).or_default().entry(name).or_default() += layout.self_time(id).unwrap().0;
        }
    }
    sums(found)
}

/// The sums of all tracks.
fn whole(sums: &Sums) -> Sums {
    let mut whole = BTreeMap::new();
    for (name, time) in sums.iter().flatten() {
        *whole.entry(name.clone()).or_default() += time;
    }
    self::sums(BTreeMap::from([((), whole)]))
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

/// Writes a trace and reads it again. `None` if it is told that stacks were too deep, or that times were rounded.
fn again(
    trace: &Trace,
    write: impl FnOnce(&Trace, &mut Vec<u8>) -> std::io::Result<export::ExportReport>,
) -> Option<Trace> {
    let mut file = Vec::new();
    let report = write(trace, &mut file).unwrap();
    let is_whole = report.count(Loss::DeepStack) == 0 && report.count(Loss::ExactTime) == 0;
    is_whole.then(|| load(&file).unwrap())
}

/// [samples 2] [samples 4] [tree 1]
#[test]
fn every_door_gives_the_same_sums() {
    let mut n_files = 0;
    for path in spall_testdata::inputs("", "") {
        let Ok(trace) = load(&std::fs::read(&path).unwrap()) else { continue };
        let name = path.display();
        let trace = trace.with_value(None);
        let expected = of_trees(&trace);
        // Durations that a tick cannot express saturate.
        let saturates =
            trace.bounds().is_some_and(|bounds| bounds.end.0.checked_sub(bounds.start.0).is_none());
        if expected.is_empty() || saturates {
            continue;
        }
        n_files += 1;
        let check_with = |expected: &Sums, door: &str, found: &Sums| {
            let differs = |sums: &&BTreeMap<String, i64>| !found.contains(sums);
            // A real thread is too long to be printed.
            let first = expected.iter().find(differs).map(|sums| sums.iter().take(3).collect::<Vec<_>>());
            assert_eq!(first, None, "{name}: {door} have no such thread");
        };
        // Tracks that are no threads are known by their names there.
        let is_thread =
            |of: &TrackTree| matches!(trace.tracks()[of.track.index()].kind, TrackKind::Thread { .. });
        let thread = |of: &TrackTree| is_thread(of).then_some(of.track);
        let check = |door: &str, found: &Sums| check_with(&expected, door, found);
        let merged = merge_samples(trace.clone());
        check("slices of the timeline", &of_slices(&merged));
        check("call trees of the layout", &of_layout(&merged));
        check("call trees of the merged trace", &of_trees(&merged));
        let mut folded = Vec::new();
        let report =
            export::folded(&trace, TrackSet::All, Measure::WallTime, StackRoot::Name, &mut folded).unwrap();
        if report.count(Loss::DeepStack) == 0 {
            // A thread that gets another name has a root for each.
            check_with(
                &of_trees_by(&trace, |of| (thread(of), of.name.clone())),
                "folded stacks",
                &of_folded(&String::from_utf8_lossy(&folded)),
            );
        }
        // The other formats have nanoseconds.
        if trace.clock().ns_per_tick().is_none_or(|ns| ns == 1.0) {
            // Each lane is a thread there.
            // A span that outlives the one around it lies beside it there, as a profile of stacks has nothing else. So does one
            // that says its parent and lies in another lane.
            let layout = Layout::new(&merged);
            let end = |id| merged.slice(id).unwrap().end;
            let ids = merged.tracks().iter().flat_map(|track| track.slices());
            let outlives = |id| layout.parent(id).is_some_and(|around| end(around) < end(id));
            let are_nested = merged.span_parents().is_empty() && !ids.into_iter().any(outlives);
            let speedscope = again(&merged, |trace, out| export::speedscope(trace, "", out));
            speedscope
                .filter(|_| are_nested)
                .iter()
                .for_each(|trace| check_with(&whole(&expected), "speedscope", &whole(&of_slices(trace))));
            let pprof = again(&trace, |trace, out| export::pprof(trace, TrackSet::All, out));
            let process = |of: &TrackTree| trace.tracks()[of.track.index()].process;
            let by_name = |of: &TrackTree| {
                let title = if is_thread(of) { String::new() } else { of.name.clone() };
                (process(of), thread(of), title)
            };
            let expected = of_trees_by(&trace, by_name);
            pprof.iter().for_each(|trace| check_with(&expected, "pprof", &of_trees(trace)));
        }
    }
    assert!(n_files >= 10, "{n_files}");
}
