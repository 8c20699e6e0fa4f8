//! Runs every hot job once, so that valgrind can count its instructions.
//!
//! `.ci/instructions` runs this program under callgrind and compares the counts with the recorded ones. Instructions do
//! not say how long a job takes, but the same program on the same input always needs nearly the same number of them,
//! however busy the machine is. Inputs are generated and small, because valgrind is slow.

#![allow(clippy::print_stdout, reason = "prints the names of the jobs for the script that counts")]

use std::hint::black_box;

use spall_benches::layout_input::{self, Character};
use spall_benches::{json_input, ours};
use spall_synth::cpu_profile::{Form, Profile};
use spall_synth::program::{Order, Program};
use spall_synth::spall::Shape;
use spall_trace::export::{self, StackRoot};
use spall_trace::format::spall::BufferWriter;
use spall_trace::layout::{Layout, RowId, Stats, Viewport, flame_rows, slice_tree};
use spall_trace::model::{Function, InvertedTree, Job, Measure, Tick, TraceView, TrackId, TrackSet};

const EVER: std::ops::Range<Tick> = Tick::MIN..Tick::MAX;

/// Callgrind collects inside this function only, and writes its counts down each time the function returns.
#[inline(never)]
fn counted(run: &mut dyn FnMut()) {
    run();
}

/// Counts one job. The value that it makes is dropped outside of the count.
fn job<T>(name: &str, mut run: impl FnMut() -> T) {
    println!("{name}");
    let mut made = None;
    counted(&mut || made = Some(black_box(run())));
    drop(made);
}

fn readers() {
    let shape = Shape { seed: 7, records_per_buffer: 1000, args: false, slices: 20_000, ..Shape::default() };
    let spall = spall_synth::spall::trace(&shape);
    let many_names = spall_synth::spall::trace(&Shape { names: 5_000, ..shape.clone() });
    let many_threads =
        spall_synth::spall::trace(&Shape { threads: 500, records_per_buffer: 40, ..shape.clone() });
    let [v0, v1] = [0, 1].map(|version| spall_synth::spall::trace(&Shape { version, ..shape.clone() }));
    job("spall v3 to events", || ours::spall_counts(&spall));
    job("spall v3 to trace", || ours::trace(&spall));
    job("spall v3 to trace, many names", || ours::trace(&many_names));
    job("spall v3 to trace, many threads", || ours::trace(&many_threads));
    job("spall v3 to live trace", || ours::live(&spall));
    for (name, data) in [("v0", v0), ("v1", v1)] {
        job(&format!("spall {name} to events"), || ours::spall_counts(&data));
        job(&format!("spall {name} to trace"), || ours::trace(&data));
    }

    for (name, data) in [
        ("begin-end", json_input::begins_and_ends(10_000)),
        ("complete", json_input::complete(20_000)),
        ("many kinds", json_input::many_kinds(20_000)),
    ] {
        job(&format!("JSON to events, {name}"), || ours::events(spall_trace::json::JsonParser::new(), &data));
        job(&format!("JSON to trace, {name}"), || ours::trace(&data));
    }

    let heph = spall_synth::heph::trace(20_000, 8, 4, true);
    job("Heph to events", || ours::events(spall_trace::format::heph::Parser::new(), &heph));
    job("Heph to trace", || ours::trace(&heph));

    let recording = spall_synth::apitrace::snappy(&spall_synth::apitrace::game(10_000), 1 << 16);
    job("apitrace to calls", || ours::apitrace_calls(&recording));
    job("apitrace to trace", || ours::trace(&recording));

    let perfetto = spall_synth::perfetto::trace(10_000);
    job("Perfetto to trace", || ours::trace(&perfetto));

    let profile = Profile::random(10_000, 100, 5_000, 1).to_json(Form::Chunks(100));
    job("CPU profile to trace", || ours::trace(profile.as_bytes()));
    let trace = ours::trace(profile.as_bytes());
    let mut copy = Some(trace.clone());
    job("CPU profile merged", || copy.take().map(spall_trace::merge_samples));
    job("call trees of samples", || {
        spall_trace::samples::call_trees(&trace, &spall_trace::json::V8, TrackSet::Threads, Measure::WallTime)
            .count()
    });
}

fn layouts() {
    let trace = layout_input::calls(1 << 15);
    let shuffled = layout_input::families(1 << 15, true).finish();
    job("layout of calls", || Layout::new(&trace));
    job("layout of families", || Layout::new(&shuffled));
    let layout = Layout::new(&trace);
    let tracks = || (0..u32::try_from(trace.tracks().len()).unwrap_or(0)).map(TrackId);
    job("statistics", || Stats::new(&trace, &layout, tracks(), EVER).run());
    let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
    job("merged tree", || slice_tree(&trace, &layout, tracks(), EVER, Measure::WallTime, by_name).run());
    let tree = slice_tree(&trace, &layout, tracks(), EVER, Measure::WallTime, by_name).run();
    job("bottom-up tree", || InvertedTree::bottom_up(&tree).run());
    job("flame graph", || flame_rows(tree.nodes()).run());

    for character in Character::ALL {
        let rows = layout_input::rows(character, 1 << 17, 1);
        let Some(row) = rows.first().map(|row| row.view(RowId(0))) else { continue };
        let extent = layout_input::extent(&row);
        let mut rects = Vec::new();
        let mut query = || {
            rects.clear();
            for zoom in (0..16).step_by(3) {
                let view = layout_input::middle(&extent, zoom);
                row.rects(&Viewport::new(view, 1920), &mut rects);
            }
        };
        // The list of a viewer has its size from the second picture on, so only that one is counted.
        query();
        job(&format!("dense row, {}", character.name()), query);
        let places =
            || (0..1000).map(|place| extent.start.0 + (extent.end.0 - extent.start.0) / 1000 * place);
        job(&format!("find, {}", character.name()), || {
            places().filter(|&at| row.find(Tick(at)).is_some()).count()
        });
    }
}

/// The jobs of a viewer, on a trace as programs write them.
fn program() {
    let program = Program { calls: 100_000, threads: 5, run: 1800 };
    let data = program.spall();
    job("program: spall v3 to trace", || ours::trace(&data));
    job("program: spall v3 to trace, cut", || ours::trace(&data[..data.len() / 8 * 7]));
    let complete = Program { calls: 30_000, threads: 8, run: 64 }.complete(Order::ShuffledBlocks);
    job("program: JSON to trace, shuffled", || ours::trace(&complete));
    let trace = ours::trace(&data);
    job("program: layout", || Layout::new(&trace));
    let layout = Layout::new(&trace);
    let tracks = (0..u32::try_from(trace.tracks().len()).unwrap_or(0)).map(TrackId);
    job("program: statistics", || Stats::new(&trace, &layout, tracks.clone(), EVER).run());
    let viewport = Viewport::new(trace.bounds().unwrap_or_default(), 1600);
    let mut rects = Vec::new();
    let mut frame = || {
        rects.clear();
        for row in layout.rows().iter().filter_map(|row| layout.row(row)) {
            row.rects(&viewport, &mut rects);
        }
    };
    frame();
    job("program: frame", frame);
    let mut out = Vec::with_capacity(64 << 20);
    job("program: export to folded stacks", || {
        export::folded(&trace, TrackSet::Threads, Measure::WallTime, StackRoot::Name, &mut out).is_ok()
    });
}

fn writers() {
    let trace = layout_input::calls(1 << 14);
    let mut out = Vec::with_capacity(16 << 20);
    job("export to JSON", || export::json(&trace, &mut out).is_ok());
    out.clear();
    job("export to spall", || export::spall(&trace, &mut out).is_ok());
    out.clear();
    job("export to speedscope", || export::speedscope(&trace, "", &mut out).is_ok());
    out.clear();
    job("export to folded stacks", || {
        export::folded(&trace, TrackSet::Threads, Measure::WallTime, StackRoot::Name, &mut out).is_ok()
    });

    let mut memory = vec![0; 1 << 20];
    if let Ok(mut buffer) = BufferWriter::new(&mut memory[..], 1, 1) {
        job("record 10 000 spans", || {
            (0..10_000).all(|at| buffer.begin(2 * at, "work").is_ok() && buffer.end(2 * at + 1).is_ok())
        });
    }
}

fn main() {
    readers();
    layouts();
    program();
    writers();
}
