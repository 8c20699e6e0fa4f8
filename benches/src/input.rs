//! Traces to measure on: generated ones of known content, and real ones where there are any.

use spall_synth::spall::Shape;

use crate::json_input;

/// A file and what is in it.
#[derive(Debug)]
pub struct Input {
    /// What it is like and how large, such as `deep/200k`.
    pub name: String,
    /// The file.
    pub data: Vec<u8>,
    /// How many events our reader yields.
    pub events: usize,
    /// How many records the file has, as a rival counts them; 0 if none of them reads it.
    pub records: usize,
    /// How many slices the trace has.
    pub slices: usize,
}

/// Spall v3 files.
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

/// Trace Event JSON files.
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

/// Heph files, without and with attributes.
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

/// A file of apitrace, in the snappy container: a real one, or none.
#[must_use]
pub fn apitrace() -> Option<Input> {
    real("apitrace/glxgears.trace", 113_901, 113_901, 0)
}

/// A real file; `None` where there is no corpus.
fn real(path: &str, events: usize, records: usize, slices: usize) -> Option<Input> {
    let (folder, file) = path.rsplit_once('/')?;
    let data = std::fs::read(spall_synth::corpus::folder(folder)?.join(file)).ok()?;
    Some(Input { name: file.to_owned(), data, events, records, slices })
}
