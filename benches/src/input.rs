//! The traces to measure: generated ones of known content, and real ones where there are any.

use spall_synth::spall::Shape;

use crate::json_input;

/// A file and the numbers of its contents.
#[derive(Debug)]
pub struct Input {
    /// The kind and the size of the file, such as `deep/200k`.
    pub name: String,
    /// The bytes of the file.
    pub data: Vec<u8>,
    /// The number of events that our parser yields.
    pub events: usize,
    /// The number of records as a rival counts them, or 0 if no rival reads the file.
    pub records: usize,
    /// The number of slices of the trace.
    pub slices: usize,
}

/// Returns spall v3 files.
#[must_use]
pub fn spall() -> Vec<Input> {
    let shape = Shape { seed: 7, records_per_buffer: 1000, args: false, ..Shape::default() };
    let mut inputs = vec![
        spall_input("plain/20k", &Shape { slices: 10_000, ..shape.clone() }),
        spall_input("plain/200k", &Shape { slices: 100_000, ..shape.clone() }),
        spall_input("plain/2M", &Shape { slices: 1_000_000, ..shape.clone() }),
        spall_input("deep/200k", &Shape { slices: 100_000, depth: 500, ..shape.clone() }),
        spall_input(
            "many-threads/200k",
            &Shape { slices: 100_000, threads: 500, records_per_buffer: 100, ..shape.clone() },
        ),
        spall_input("many-names/200k", &Shape { slices: 100_000, names: 20_000, ..shape.clone() }),
        spall_input("args/200k", &Shape { slices: 100_000, args: true, ..shape }),
    ];
    inputs.extend(real("spall/big/mid-200k.spall", 200_225, 200_214, 100_107));
    inputs
}

fn spall_input(name: &str, shape: &Shape) -> Input {
    let records = 2 * shape.slices;
    Input {
        name: name.into(),
        data: spall_synth::spall::trace(shape),
        // The clock, and a name for each thread.
        events: 1 + shape.threads as usize + records,
        records,
        slices: shape.slices,
    }
}

/// Returns Trace Event JSON files.
#[must_use]
pub fn json() -> Vec<Input> {
    let input = |name: &str, data, records, slices| Input {
        name: name.into(),
        data,
        events: records,
        records,
        slices,
    };
    let mut inputs = vec![
        input("begin-end/200k", json_input::begins_and_ends(100_000), 200_000, 100_000),
        input("complete/100k", json_input::complete(100_000), 100_000, 100_000),
        input("many-kinds/100k", json_input::many_kinds(100_000), 100_000, 37_500),
    ];
    let clang = "chrome/trace-event/clang19-ftime-trace-g500.json";
    let viztracer = "json/real/gaogaotiantian+viztracer/example/json/different_sorts.json";
    let catapult = "json/real/catapult-project+catapult/tracing/test_data/flow.json";
    let nested = "json/real/catapult-project+catapult/tracing/test_data/google_highlight.json";
    let cuik = "json/real/colrdavidson+spall-web/demos/cuik_c_compiler.json";
    inputs.extend(real(clang, 12_526, 12_524, 12_296));
    inputs.extend(real("chrome/traces/chromium156-default-2s.json", 131_586, 105_312, 84_928));
    inputs.extend(real(viztracer, 21_333, 21_331, 21_329));
    inputs.extend(real(catapult, 5018, 5017, 1625));
    inputs.extend(real(nested, 333, 332, 0));
    inputs.extend(real(cuik, 5696, 0, 5692));
    inputs
}

/// Returns Heph files without and with attributes.
#[must_use]
pub fn heph() -> Vec<Input> {
    let input = |name: &str, attributes| Input {
        name: name.into(),
        data: spall_synth::heph::trace(100_000, 8, 4, attributes),
        // The conventions, the clock.
        events: 100_002,
        records: 100_000,
        slices: 100_000,
    };
    vec![input("plain/100k", false), input("attributes/100k", true)]
}

/// Returns a real apitrace recording in the snappy container, or `None` where there is no corpus.
#[must_use]
pub fn apitrace() -> Option<Input> {
    real("apitrace/glxgears.trace", 113_901, 113_901, 0)
}

/// Returns a recording of two million calls of a game, in the snappy container.
#[must_use]
pub fn apitrace_game() -> Input {
    let calls = 2_000_000;
    let data = spall_synth::apitrace::snappy(&spall_synth::apitrace::game(calls as u64), 1 << 20);
    Input { name: "game/2M".to_owned(), data, events: calls, records: calls, slices: calls }
}

/// Returns a real file, or `None` where there is no corpus.
fn real(path: &str, events: usize, records: usize, slices: usize) -> Option<Input> {
    let (folder, file) = path.rsplit_once('/')?;
    let data = std::fs::read(spall_testdata::collection(folder)?.join(file)).ok()?;
    Some(Input { name: file.to_owned(), data, events, records, slices })
}
