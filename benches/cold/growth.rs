//! Whether the time of each job grows with its input and no faster: ten and a hundred times as many slices.

use spall_benches::report::{Budget, line};
use spall_synth::program::{Order, Program};

use crate::File;

/// How much longer a slice of a large input may take than one of a small input.
const GROWTH: Budget = Budget::Slower(1.3);

/// A job: what the report calls it, its name, which of its figures counts, and whether that is divided by the slices.
type Job = (&'static str, &'static str, usize, bool);

const OF_SPALL: &[Job] = &[
    ("spall v3 to trace", "trace", 0, true),
    // Written by hand. It shows how much of a growth is due to the machine, which has to provide the memory.
    ("loop by thread", "loop", 0, true),
    ("trace, peak", "trace", 1, true),
    ("to trace and picture", "trace and picture", 0, true),
    ("layout", "layout", 0, true),
    ("frame of 120 rows", "layout", 2, false),
    ("statistics", "statistics", 0, true),
];
const OF_TEXT: &[Job] = &[("to trace and picture", "trace and picture", 0, true)];
const FOLDED: &[Job] = &[("export to folded", "folded and discarded", 0, true)];
const TRACE: &[Job] = &[("to trace", "trace", 0, true)];

/// Compares ten million slices with one million, and two million calls of apitrace with 200 000.
pub(crate) fn tenfold() {
    let program = |calls| Program { calls, threads: 5, run: 1800 };
    let small = Input::new("1M slices.spall", 1_000_000, &program(1_000_000).spall());
    let large = Input::new("10M slices.spall", 10_000_000, &program(10_000_000).spall());
    compare(OF_SPALL, &small, &large);
    compare(FOLDED, &small, &large);
    let program = |calls| Program { calls, threads: 8, run: 64 };
    let small = Input::new("1M slices, begins and ends", 1_000_000, &program(1_000_000).begins_and_ends());
    let large = Input::new("10M slices, begins and ends", 10_000_000, &program(10_000_000).begins_and_ends());
    compare(OF_TEXT, &small, &large);
    let small = Input::new("1M complete", 1_000_000, &program(1_000_000).complete(Order::Ends));
    let large = Input::new("10M complete", 10_000_000, &program(10_000_000).complete(Order::Ends));
    compare(OF_TEXT, &small, &large);
    let recording = |calls| spall_synth::apitrace::snappy(&spall_synth::apitrace::game(calls), 1 << 16);
    let small = Input::new("200k calls", 200_000, &recording(200_000));
    let large = Input::new("2M calls", 2_000_000, &recording(2_000_000));
    compare(TRACE, &small, &large);
}

/// Compares a hundred million slices with one million. This needs 4 GB of disk and 14 GB of memory.
pub(crate) fn hundredfold() {
    let program = |calls| Program { calls, threads: 5, run: 1800 };
    let small = Input::new("1M slices.spall", 1_000_000, &program(1_000_000).spall());
    let large = Input::new("100M slices.spall", 100_000_000, &program(100_000_000).spall());
    compare(OF_SPALL, &small, &large);
}

/// A file, and the number of its slices or calls.
struct Input {
    file: File,
    count: u32,
}

impl Input {
    fn new(name: &'static str, count: u32, data: &[u8]) -> Self {
        Self { file: File::new(name, data), count }
    }
}

/// Compares a figure of a slice of `large` with that of `small`. A frame costs what its columns cost, so its time is not
/// divided.
fn compare(jobs: &[Job], small: &Input, large: &Input) {
    for &(title, job, figure, is_divided) in jobs {
        let of = |input: &Input| {
            let [figures] = input.file.medians([job]);
            let count = if is_divided { f64::from(input.count) } else { 1e6 };
            figures.figure(figure) / count
        };
        let unit = match (title, is_divided) {
            ("trace, peak", _) => "B/item",
            (_, true) => "ns/item",
            (_, false) => "ms",
        };
        let (ours, before) = (of(large), of(small));
        line(title, large.file.name, unit, ours, Some((small.file.name, before)), GROWTH);
    }
}
