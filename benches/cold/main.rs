//! The budgets as users meet them: a large trace with hundreds of names, read once by a process that has read nothing
//! before.
//!
//! Each job runs in a process of its own, which is this program with the name of the job and a file. So memory is fresh
//! and caches are empty, which is a fifth to a third of the time that it takes to load a large file. The jobs of a line
//! take turns, and the median counts.
//!
//! Without arguments all parts are measured but `growth`, which compares large inputs with small ones, and `large`, which
//! does so with a hundred million slices.
//!
//! It is not a part of the program `budgets`, whose allocator counts bytes and touches memory that is asked for as zeros.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "prints figures for people"
)]

mod growth;
#[cfg(feature = "parallel")]
mod parallel;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, id};
use std::time::Instant;

use spall_benches::measure::timed;
use spall_benches::report::{self, Budget, line};
use spall_benches::{ours, peer};
use spall_synth::profiles;
use spall_synth::program::{Order, Program};
use spall_trace::export::{self, StackRoot};
use spall_trace::layout::{Layout, Rect, Stats, Viewport, flame_rows, slice_tree};
use spall_trace::model::{
    CallTree, Function, InvertedTree, Job, LendingParser as _, Measure, Tick, Trace, TraceView, TrackId,
    TrackSet,
};

/// The argument after which the name of a job and a file follow.
const JOB: &str = "--job";
/// The number of times that each job runs.
const ROUNDS: usize = 5;
/// The number of columns of a frame.
const COLUMNS: u16 = 1600;
/// The widths of the boxes of frames, in columns, and the milliseconds in which each should be drawn.
const BOX_WIDTHS: [u16; 3] = [1, 2, 4];
const BOX_BUDGETS: [f64; 3] = [6.0, 8.0, 6.0];
/// The number of calls of a large trace.
const LARGE: usize = 10_000_000;

/// A job: it reads a file and returns its figures, in the order in which the lines of the report use them.
type Run = fn(&[u8]) -> Vec<f64>;

/// A job that reads its file itself.
type RunFile = fn(&Path) -> Vec<f64>;

/// The jobs by their names.
const JOBS: &[(&str, Run)] = &[
    ("trace", trace),
    #[cfg(feature = "parallel")]
    ("one thread", parallel::on_one_thread),
    #[cfg(feature = "parallel")]
    ("two threads", parallel::on_two_threads),
    ("trace and picture", trace_and_picture),
    ("loop", |data| vec![nanos(|| peer::spall::rows_by_thread(data))]),
    #[cfg(feature = "serde-json")]
    ("serde_json", |data| vec![nanos(|| peer::json::serde_json::events(data))]),
    #[cfg(feature = "serde-json")]
    ("firefox by serde_json", |data| vec![nanos(|| peer::firefox::profile(data))]),
    ("firefox", |data| {
        vec![nanos(|| {
            let mut n_events = 0_usize;
            _ = spall_trace::json::JsonProfileParser::new().lend_all(data, |_, _| n_events += 1);
            n_events
        })]
    }),
    ("layout", layout),
    ("statistics", statistics),
    ("call tree", call_tree),
    ("folded", folded),
    ("folded and discarded", |data| {
        let trace = ours::trace(data);
        vec![nanos(|| black_box(folded_into(&trace, std::io::sink()).is_ok()))]
    }),
    ("merged", merged),
    ("perf script", |data| {
        let parser = spall_trace::format::perf_script::Parser::new();
        vec![nanos(|| parser.lend_all(data, |event, _| _ = black_box(event)))]
    }),
];

/// The jobs that read the file themselves, by their names. Their figures are a time and how much the process grew.
const FILE_JOBS: &[(&str, RunFile)] = &[
    ("load_from", |path| growing(|| std::fs::File::open(path).ok().map(spall_trace::load_from))),
    ("read and load", |path| {
        let mut data = Vec::new();
        growing(|| {
            data = std::fs::read(path).unwrap_or_default();
            ours::trace(&data)
        })
    }),
    ("perf script to folded", |path| {
        let trace = std::fs::File::open(path).ok().and_then(|file| spall_trace::load_from(file).ok());
        _ = trace.map(|trace| folded_into(&trace, std::io::stdout().lock()).map(|_| ()));
        Vec::new()
    }),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [JOB, job, path] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return run_job(job, path);
    }
    report::circumstances("cold");
    let is_named = |part: &str| arguments.iter().any(|argument| argument == part);
    let is_asked_for =
        |part: &str| is_named(part) || arguments.is_empty() && !["growth", "large"].contains(&part);
    let parts: &[(&str, fn())] = &[
        ("spall", spall),
        #[cfg(feature = "parallel")]
        ("parallel", parallel::compare),
        ("json", json),
        ("apitrace", apitrace),
        ("chromium", chromium),
        ("perfetto", perfetto),
        ("perf script", perf_script),
        ("firefox", firefox),
        ("profiles", sampling_profiles),
        ("growth", growth::tenfold),
        ("large", growth::hundredfold),
    ];
    parts.iter().filter(|&(part, _)| is_asked_for(part)).for_each(|(_, measure)| measure());
}

/// Runs a job and prints its figures.
fn run_job(name: &str, path: &str) {
    let figures = match FILE_JOBS.iter().find(|(job, _)| *job == name) {
        Some((_, run)) => run(Path::new(path)),
        None => {
            let data = std::fs::read(path).unwrap_or_default();
            let Some((_, run)) = JOBS.iter().find(|(job, _)| *job == name) else { return };
            run(&data)
        }
    };
    figures.into_iter().for_each(|figure| println!("{figure}"));
}

fn spall() {
    let program = Program { calls: LARGE / 2, threads: 4, run: 1800 };
    let file = File::new("10M events.spall", &program.spall());
    let events = 2.0 * program.calls as f64;
    let [ours, picture, rival, sums] = file.medians(["trace", "trace and picture", "loop", "statistics"]);
    let [tree] = file.medians(["call tree"]);
    let peer = Some(("loop by thread", rival.figure(0) / events));
    let unit = "ns/event";
    line("spall v3 to trace", file.name, unit, ours.figure(0) / events, peer, Budget::Slower(1.5));
    line("to trace and picture", file.name, unit, picture.figure(0) / events, None, Budget::AtMost(70.0));
    let per_slice = |figure: f64| figure / program.calls as f64;
    line("trace, peak", file.name, "B/slice", per_slice(ours.figure(1)), None, Budget::AtMost(60.0));
    ways_to_load(&file);
    line("statistics", "5M slices", "ns/slice", per_slice(sums.figure(0)), None, Budget::AtMost(8.0));
    let paths = format!("5M slices, {:.1}M paths", tree.figure(3) / 1e6);
    line("call tree", &paths, "ns/slice", per_slice(tree.figure(0)), None, Budget::AtMost(150.0));
    line("bottom-up", &paths, "ns/slice", per_slice(tree.figure(1)), None, Budget::AtMost(100.0));
    line("flame graph", &paths, "ns/slice", per_slice(tree.figure(2)), None, Budget::AtMost(150.0));

    // Five threads and 24 levels are 120 rows.
    let program = Program { calls: LARGE, threads: 5, run: 1800 };
    let file = File::new("10M slices", &program.spall());
    let [layout] = file.medians(["layout"]);
    let per_slice = layout.figure(0) / program.calls as f64;
    line("layout", file.name, "ns/slice", per_slice, None, Budget::AtMost(25.0));
    line("densest row", file.name, "us", layout.figure(1) / 1e3, None, Budget::AtMost(50.0));
    for (at, (width, budget)) in BOX_WIDTHS.into_iter().zip(BOX_BUDGETS).enumerate() {
        let rects = format!("10M slices, {:.0}k rectangles", layout.figure(3 + 2 * at) / 1000.0);
        let name = match width {
            1 => "frame of 120 rows".to_owned(),
            _ => format!("the same in boxes of {width} columns"),
        };
        line(&name, &rects, "ms", layout.figure(2 + 2 * at) / 1e6, None, Budget::AtMost(budget));
    }
}

fn json() {
    let program = Program { calls: 500_000, threads: 4, run: 64 };
    let pairs = File::new("1M begins and ends", &program.begins_and_ends());
    json_file(&pairs);
    ways_to_load(&pairs);
    let [folded] = pairs.medians(["folded"]);
    line("export to folded", pairs.name, "ms", folded.figure(0) / 1e6, None, Budget::AtMost(400.0));
    let program = Program { calls: 1_000_000, threads: 8, run: 64 };
    for (name, order) in [
        ("1M complete", Order::Ends),
        ("1M complete, in blocks", Order::ShuffledBlocks),
        ("1M complete, shuffled", Order::Shuffled),
    ] {
        json_file(&File::new(name, &program.complete(order)));
    }
}

/// Compares the two ways to load a file.
fn ways_to_load(file: &File) {
    let [from, read] = file.medians(["load_from", "read and load"]);
    let peer = Some(("fs::read, load", read.figure(0) / 1e6));
    line("load_from", file.name, "ms", from.figure(0) / 1e6, peer, Budget::Open);
    let peer = Some(("fs::read, load", read.figure(1) / 1e6));
    line("load_from, peak", file.name, "MB", from.figure(1) / 1e6, peer, Budget::Open);
}

/// Measures how long it takes until a document is drawn.
fn json_file(file: &File) {
    let [ours, rival] = file.medians(["trace and picture", "serde_json"]);
    let peer = Some(("serde_json", rival.figure(0) / 1e6));
    line("JSON to picture", file.name, "ms", ours.figure(0) / 1e6, peer, Budget::Faster(1.5));
}

fn apitrace() {
    let calls = 200_000;
    let recording = spall_synth::apitrace::snappy(&spall_synth::apitrace::game(calls), 1 << 16);
    let file = File::new("200k calls", &recording);
    let [ours] = file.medians(["trace"]);
    line(
        "apitrace to trace",
        file.name,
        "ns/call",
        ours.figure(0) / calls as f64,
        None,
        Budget::AtMost(200.0),
    );
}

/// Measures a real trace with CPU samples, and thirteen copies of it one after the other.
fn chromium() {
    let name = "chromium156-default-2s.json";
    let Some(folder) = spall_testdata::collection("chrome/traces") else { return };
    let Ok(data) = std::fs::read(folder.join(name)) else { return };
    let file = File::new(name, &data);
    json_file(&file);
    let [merged] = file.medians(["merged"]);
    line("samples merged", file.name, "ms", merged.figure(0) / 1e6, None, Budget::AtMost(10.0));
    // The events of the document, without what stands around them.
    let text = String::from_utf8_lossy(&data);
    let Some((_, events)) = text.split_once('[') else { return };
    let Some((events, _)) = events.rsplit_once("],\"metadata\":") else { return };
    let file = File::new("13 x chromium", format!("[{}]", [events; 13].join(",")).as_bytes());
    json_file(&file);
    let [folded] = file.medians(["folded"]);
    line("export to folded", file.name, "ms", folded.figure(0) / 1e6, None, Budget::AtMost(60.0));
}

/// Measures a real trace of Chromium in Perfetto's format. The trace processor of Perfetto, as WebAssembly in Node.js, takes
/// ten times as long to load it: 1.08 s where `fs::read` and `load` take 0.10 s, and 1.6 s where the budget was set.
fn perfetto() {
    let name = "chromium148.pftrace";
    let Some(folder) = spall_testdata::collection("perfetto") else { return };
    let Ok(data) = std::fs::read(folder.join(name)) else { return };
    let file = File::new(name, &data);
    let [trace] = file.medians(["trace"]);
    line("Perfetto to trace", file.name, "ms", trace.figure(0) / 1e6, None, Budget::AtMost(160.0));
}

/// Measures folding the text of `perf script`, as a whole process. The rival is `inferno-collapse-perf` on one thread, if it
/// is installed.
fn perf_script() {
    let text = spall_synth::perf_script::recording(60_000);
    let megabytes = text.len() as f64 / 1e6;
    let file = File::new("60k samples of perf script", &text);
    let [reader] = file.medians(["perf script"]);
    line(
        "perf script to events",
        file.name,
        "MB/s",
        megabytes / (reader.figure(0) / 1e9),
        None,
        Budget::Open,
    );
    let ours = || {
        let mut command = Command::new(std::env::current_exe().unwrap_or_default());
        command.args([JOB, "perf script to folded"]);
        command
    };
    let inferno = || {
        let mut command = Command::new("inferno-collapse-perf");
        command.args(["-n", "1"]);
        command
    };
    // The two take turns.
    let rounds: Vec<_> = (0..ROUNDS)
        .map(|_| [ours(), inferno()].map(|mut command| whole_process(command.arg(&file.path))))
        .map(|[ours, rival]| vec![ours, rival])
        .collect();
    let folded = Figures::medians(&rounds);
    let rival = Some(("inferno-collapse-perf", folded.figure(1))).filter(|(_, time)| !time.is_nan());
    line("perf script to folded", file.name, "ms", folded.figure(0), rival, Budget::Faster(3.0));
}

/// Measures a profile of the Firefox Profiler of some 37 MB.
fn firefox() {
    let file = File::new("1M samples of Firefox", &spall_synth::json_profiles::firefox(1_000_000));
    let [ours, trace] = file.medians(["firefox", "trace"]);
    #[cfg(feature = "serde-json")]
    let peer = {
        let [rival] = file.medians(["firefox by serde_json"]);
        Some(("serde_json to a struct", rival.figure(0) / 1e6))
    };
    #[cfg(not(feature = "serde-json"))]
    let peer = None;
    line("Firefox's JSON to events", file.name, "ms", ours.figure(0) / 1e6, peer, Budget::Slower(1.0));
    line("Firefox's JSON to trace", file.name, "ms", trace.figure(0) / 1e6, None, Budget::Open);
}

/// Returns how many milliseconds a process takes, or NaN if it fails.
fn whole_process(command: &mut Command) -> f64 {
    let mut succeeds = false;
    let time =
        nanos(|| succeeds = command.stdout(Stdio::null()).status().is_ok_and(|status| status.success()));
    if succeeds { time / 1e6 } else { f64::NAN }
}

/// Measures sampling profiles of other profilers, of which most stacks begin like the one before.
fn sampling_profiles() {
    let folded = File::new("2M lines.folded", profiles::folded(LARGE / 5).as_bytes());
    let pprof = File::new("1M samples.pprof", &profiles::pprof(LARGE / 10));
    for (job, file) in [("folded stacks to trace", folded), ("pprof to trace", pprof)] {
        let [trace] = file.medians(["trace"]);
        line(job, file.name, "ms", trace.figure(0) / 1e6, None, Budget::Open);
    }
}

/// A file on disk, which is removed at the end.
struct File {
    name: &'static str,
    path: PathBuf,
}

impl File {
    fn new(name: &'static str, data: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("spall-budgets-{}-{name}", id()));
        if let Err(error) = std::fs::write(&path, data) {
            eprintln!("{}: {error}", path.display());
        }
        Self { name, path }
    }

    /// Runs jobs in turns, each in a process of its own, and returns the medians of their figures.
    fn medians<const N: usize>(&self, jobs: [&str; N]) -> [Figures; N] {
        let mut rounds = jobs.map(|_| Vec::new());
        for _ in 0..ROUNDS {
            for (job, rounds) in jobs.iter().zip(&mut rounds) {
                rounds.push(run_in_process(job, &self.path));
            }
        }
        rounds.map(|rounds| Figures::medians(&rounds))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Runs a job in a process of its own, and returns the figures that it printed.
fn run_in_process(job: &str, path: &Path) -> Vec<f64> {
    let program = std::env::current_exe().unwrap_or_default();
    let output = Command::new(program).args([JOB, job]).arg(path).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// The figures of a job.
struct Figures(Vec<f64>);

impl Figures {
    /// Returns the median of each figure.
    fn medians(rounds: &[Vec<f64>]) -> Self {
        let n_figures = rounds.iter().map(Vec::len).min().unwrap_or(0);
        let median = |figure: usize| {
            let mut values: Vec<f64> = rounds.iter().filter_map(|round| round.get(figure).copied()).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
        };
        Self((0..n_figures).map(median).collect())
    }

    /// Returns a figure, or NaN if the job did not print it.
    fn figure(&self, at: usize) -> f64 {
        self.0.get(at).copied().unwrap_or(f64::NAN)
    }
}

fn nanos<T>(run: impl FnOnce() -> T) -> f64 {
    timed(run).as_secs_f64() * 1e9
}

/// Returns how long loading takes, and by how many bytes the process grew at most meanwhile.
fn trace(data: &[u8]) -> Vec<f64> {
    growing(|| ours::trace(data))
}

/// Returns how long a job takes, and by how many bytes the process grows at most meanwhile.
fn growing<T>(run: impl FnOnce() -> T) -> Vec<f64> {
    let before = memory("VmRSS");
    let time = nanos(run);
    vec![time, memory("VmHWM") - before]
}

/// Returns a number of bytes that the operating system keeps of this process; NaN where it keeps none.
fn memory(key: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    number.map_or(f64::NAN, |kilobytes| 1024.0 * kilobytes)
}

/// Returns how long it takes until all slices of a file are drawn for the first time.
fn trace_and_picture(data: &[u8]) -> Vec<f64> {
    let time = nanos(|| {
        let trace = ours::trace(data);
        let layout = Layout::new(&trace);
        let mut rects = Vec::new();
        draw(&layout, &whole(&trace), &mut rects);
        (trace, layout, rects)
    });
    vec![time]
}

fn whole(trace: &Trace) -> Viewport {
    Viewport::new(trace.bounds().unwrap_or_default(), COLUMNS)
}

fn draw(layout: &Layout, viewport: &Viewport, rects: &mut Vec<Rect>) {
    rects.clear();
    for row in layout.rows().iter().filter_map(|row| layout.row(row)) {
        row.rects(viewport, rects);
    }
}

/// Returns how long it takes to lay out a trace and to draw the row with the most slices. Behind these come, for each of
/// [`BOX_WIDTHS`], the time to draw all rows and the number of rectangles.
fn layout(data: &[u8]) -> Vec<f64> {
    let trace = ours::trace(data);
    let start = Instant::now();
    let layout = Layout::new(&trace);
    let mut figures = vec![start.elapsed().as_secs_f64() * 1e9];
    let mut rects = Vec::new();
    let viewport = whole(&trace);
    let rows = layout.rows().iter().filter_map(|row| layout.row(row));
    let Some(densest) = rows.max_by_key(|row| row.len()) else { return figures };
    figures.push(median(|| {
        rects.clear();
        densest.rects(&viewport, &mut rects);
    }));
    for box_width in BOX_WIDTHS {
        let viewport = viewport.with_box_width(box_width);
        figures.push(median(|| draw(&layout, &viewport, &mut rects)));
        figures.push(rects.len() as f64);
    }
    figures
}

/// Returns the median time of a job that a viewer repeats for each frame.
fn median(mut run: impl FnMut()) -> f64 {
    let rounds: Vec<_> = (0..21).map(|_| vec![nanos(&mut run)]).collect();
    Figures::medians(&rounds).figure(0)
}

/// Returns how long it takes to add up all calls by call path, to invert the tree, and to place its boxes, and the number
/// of paths. Hardly two calls of the program have the same path, so the tree is as large as one can be.
fn call_tree(data: &[u8]) -> Vec<f64> {
    let trace = ours::trace(data);
    let layout = Layout::new(&trace);
    let mut tree = CallTree::default();
    let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
    let adding = nanos(|| {
        tree =
            slice_tree(&trace, &layout, trace.track_ids(), Tick::MIN..Tick::MAX, Measure::WallTime, by_name)
                .run()
    });
    let inverting = nanos(|| InvertedTree::bottom_up(&tree).run());
    let placing = nanos(|| flame_rows(tree.nodes()).run());
    vec![adding, inverting, placing, tree.nodes().len() as f64]
}

fn statistics(data: &[u8]) -> Vec<f64> {
    let trace = ours::trace(data);
    let layout = Layout::new(&trace);
    let tracks = (0..u32::try_from(trace.tracks().len()).unwrap_or(0)).map(TrackId);
    vec![nanos(|| Stats::new(&trace, &layout, tracks, Tick::MIN..Tick::MAX).run())]
}

fn folded(data: &[u8]) -> Vec<f64> {
    let trace = ours::trace(data);
    let mut out = Vec::with_capacity(1 << 28);
    vec![nanos(|| black_box(folded_into(&trace, &mut out).is_ok()))]
}

fn folded_into(trace: &Trace, out: impl std::io::Write) -> std::io::Result<export::ExportReport> {
    export::folded(trace, TrackSet::Threads, Measure::WallTime, StackRoot::Name, out)
}

fn merged(data: &[u8]) -> Vec<f64> {
    let trace = ours::trace(data);
    vec![nanos(|| spall_trace::merge_samples(trace))]
}
