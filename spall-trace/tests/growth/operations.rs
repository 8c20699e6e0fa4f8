//! Each operation on a loaded trace by itself, over every shape that made one slow or large: exports, merges, queries.

use core::hint::black_box;
use std::io::Write;

use spall_trace::{
    Alignment, MergeInput,
    export::{self, ExportReport, StackRoot},
    json::V8,
    layout::{
        Flows, Hits, Layout, LayoutView as _, Packed, Series, Stats, Vertical, VerticalStyle, Viewport,
        diff_rows, flame_rows, instant_marks, slice_tree,
    },
    model::{
        CallTree, DiffWidth, InvertedTree, Job as _, Limits, Measure, Ticks, Trace, TraceBuilder, TraceView,
        TrackSet, TreeDiff,
    },
    samples::call_trees,
};

use super::counted;

/// A loaded trace, the same with its samples merged, and the layout of that.
struct Case<'t> {
    trace: &'t Trace,
    merged: &'t Trace,
    layout: &'t Layout,
}

/// An operation with the bytes that it writes, if any.
type Operation = fn(&Case<'_>) -> u64;

/// Counts what is written.
struct Counter(u64);

impl Write for &mut Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn written(export: impl FnOnce(&mut Counter) -> std::io::Result<ExportReport>) -> u64 {
    let mut counter = Counter(0);
    _ = black_box(export(&mut counter).unwrap());
    counter.0
}

/// Everything that a program does with a trace besides loading it.
const OPERATIONS: &[(&str, Operation)] = &[
    ("json", |case| written(|out| export::json(case.trace, out))),
    ("spall", |case| written(|out| export::spall(case.trace, out))),
    ("speedscope", |case| written(|out| export::speedscope(case.trace, "", out))),
    ("folded", |case| {
        written(|out| export::folded(case.trace, TrackSet::Threads, Measure::WallTime, StackRoot::Name, out))
    }),
    #[cfg(feature = "firefox")]
    ("firefox", |case| written(|out| export::firefox(case.trace, "", out))),
    #[cfg(feature = "perfetto")]
    ("perfetto", |case| written(|out| export::perfetto(case.trace, out))),
    #[cfg(feature = "pprof")]
    ("pprof", |case| written(|out| export::pprof(case.trace, TrackSet::Threads, out))),
    ("merge_traces", |case| {
        let inputs = [MergeInput::new(case.trace, "a"), MergeInput::new(case.trace, "b")];
        black_box(spall_trace::merge_traces(&inputs, &Limits::default()));
        let by_event = inputs.map(|input| input.with_alignment(Alignment::Event("a")));
        black_box(spall_trace::merge_traces(&by_event, &Limits::default()));
        0
    }),
    ("replay", |case| {
        let mut builder = TraceBuilder::new(&Limits::default());
        case.trace
            .replay(|event| {
                builder.push(event);
                Ok::<(), ()>(())
            })
            .unwrap();
        black_box(builder.finish());
        0
    }),
    ("equality", |case| {
        assert!(black_box(case.trace) == case.trace);
        0
    }),
    ("call trees", |case| {
        for tree in
            call_trees(case.trace, &V8, TrackSet::Threads, Measure::WallTime).map(|of_thread| of_thread.tree)
        {
            black_box((
                tree.functions(),
                tree.flatten_recursion(),
                tree.hide(|function| function.name.0 % 2 == 0),
            ));
            black_box((tree.keep_stacks(|function| function.name.0 % 2 == 0), tree.folded_nodes().count()));
            let inverted = InvertedTree::bottom_up(&tree).run();
            black_box(inverted.expand_all(Ticks::ZERO, 4).run());
            let diff = TreeDiff::new(&tree, &tree);
            black_box(diff_rows(&diff, DiffWidth::Larger).run());
        }
        black_box(CallTree::merged(
            call_trees(case.trace, &V8, TrackSet::Threads, Measure::WallTime).map(|of_thread| of_thread.tree),
        ));
        0
    }),
    ("sums", |case| {
        let Case { merged, layout, .. } = case;
        let bounds = merged.bounds().unwrap_or_default();
        black_box(Stats::new(*merged, *layout, merged.track_ids(), bounds.clone()).run());
        let function = |slice| merged.function_of(slice);
        let tree =
            slice_tree(*merged, *layout, merged.track_ids(), bounds, Measure::WallTime, function).run();
        black_box(flame_rows(tree.nodes()).run());
        black_box(Hits::of_names(*merged, *layout, |name| name.index() % 2 == 1).run());
        0
    }),
    ("pictures", |case| {
        let Case { merged, layout, .. } = case;
        let vertical = Vertical::new(*merged, *layout, &VerticalStyle::FLAT);
        let flows = Flows::new(*merged, *layout);
        let viewport = Viewport::new(merged.bounds().unwrap_or_default(), 500);
        let (mut rects, mut arrows, mut marks, mut runs) = (vec![], vec![], vec![], vec![]);
        layout.rects(&viewport, vertical.lines(), &mut rects);
        flows.arrows(&viewport, &vertical, vertical.visible(0..2000), &mut arrows);
        for track in merged.tracks() {
            instant_marks(merged.instants_of(track.id), &viewport, &mut marks);
            Series::of(merged.counters_of(track.id))
                .iter()
                .for_each(|series| series.runs(&viewport, &mut runs));
            _ = black_box(Series::stacked(merged.counters_of(track.id)));
        }
        black_box(Packed::new(*layout, merged.track_ids()));
        for slice in merged.slices().ids() {
            let around = (layout.parent(slice), layout.next(slice), layout.previous(slice));
            black_box((around, layout.children(slice).len(), layout.place(slice), layout.self_time(slice)));
        }
        0
    }),
];

/// What an operation takes: the bytes it allocates, those it has at once, and those it writes.
fn cost(operation: Operation, case: &Case<'_>) -> [u64; 3] {
    let mut bytes = 0;
    let allocated = allocation_counter::measure(|| bytes = operation(case));
    [allocated.bytes_total, allocated.bytes_max, bytes]
}

/// Formats of call stacks repeat the whole path of each call, up to a depth that is larger than that of these shapes.
const PATHS: ([&str; 3], [&str; 9]) = (
    ["folded", "pprof", "speedscope"],
    [
        "slices growing outwards",
        "equal slices",
        "points of one time",
        "nested and never closed",
        "one stack",
        "samples of every depth",
        "threads that share frames",
        "samples of shared frames",
        "nested begins of spall",
    ],
);

/// Returns whether an operation may write or allocate more than its input grows. Events of JSON repeat their names. A sample
/// opens up to 256 functions, in a tree of its thread.
fn may_repeat(operation: &str, shape: &str) -> bool {
    PATHS.0.contains(&operation) && PATHS.1.contains(&shape)
        || (operation, shape) == ("json", "calls of a long name")
        || (operation, shape) == ("call trees", "threads that share frames")
}

/// The largest memory of an operation, in sizes of input and trace together.
const MOST_MEMORY: u64 = 24;

#[test]
fn every_operation_grows_with_its_input() {
    let shapes = spall_synth::shapes::all();
    if let Some(parts) = std::env::var("GROWTH_PARTS").ok().and_then(|parts| parts.parse().ok()) {
        for (shape, input) in &shapes {
            let traces = [parts, 2 * parts].map(|parts| {
                let trace = spall_trace::load(&input(parts)).unwrap();
                (spall_trace::lay_out(trace.clone()), trace)
            });
            for (name, operation) in OPERATIONS.iter().filter(|(name, _)| !may_repeat(name, shape)) {
                println!("counted: {name} of {shape}");
                for ((merged, layout), trace) in &traces {
                    counted(&mut || _ = black_box(operation(&Case { trace, merged, layout })));
                }
            }
        }
        return;
    }
    let parts = spall_testdata::sized(1024);
    let (mut faults, mut most) = (Vec::new(), (0, String::new()));
    for (shape, input) in &shapes {
        let [(small_size, small), (size, double)] = [parts, 2 * parts].map(|parts| costs(&input(parts)));
        for ((&(name, _), small), double) in OPERATIONS.iter().zip(&small).zip(&double) {
            // Samples that are merged make more slices than they grow, within a bound.
            let grown = |bytes: u64| bytes * (5 * size).max(10 * small_size) / (4 * small_size) + (1 << 16);
            for ((what, &small), &double) in ["allocated", "at once", "written"].iter().zip(small).zip(double)
            {
                if double > grown(small) && (*what == "at once" || !may_repeat(name, shape)) {
                    faults
                        .push(format!("{name} of {shape}: {small} bytes {what}, of twice as much {double}"));
                }
            }
            most = most.max((double[1] / size, format!("{name} of {shape}")));
            if double[1] > MOST_MEMORY * size + (1 << 20) {
                faults.push(format!("{name} of {shape}: {} bytes at once for {}", double[1], size));
            }
        }
    }
    println!("at most {} times the input and its trace ({})", most.0, most.1);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the bytes of an input and of its traces together, and what each operation takes.
fn costs(data: &[u8]) -> (u64, Vec<[u64; 3]>) {
    let mut traces = None;
    let held = allocation_counter::measure(|| {
        let trace = spall_trace::load(data).unwrap();
        traces = Some((spall_trace::merge_samples(trace.clone()), trace));
    });
    let size = data.len() as u64 + u64::try_from(held.bytes_current).unwrap();
    let (merged, trace) = traces.unwrap();
    let layout = Layout::new(&merged);
    let case = Case { trace: &trace, merged: &merged, layout: &layout };
    (size, OPERATIONS.iter().map(|&(_, operation)| cost(operation, &case)).collect())
}
