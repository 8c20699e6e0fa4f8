//! The generators of profiles of the Firefox Profiler and of speedscope. [profiles 2.1] [profiles 5.1]

use core::fmt::Write as _;

use crate::Random;

/// The number of functions of the program.
const FUNCTIONS: usize = 3000;
const THREADS: usize = 4;
/// The number of stacks after which calls begin anew, so that stacks are as deep in a short recording as in a long one.
const STACKS: usize = 1024;

/// Writes a column, a value for each row.
fn column<T: core::fmt::Display>(text: &mut String, name: &str, values: impl Iterator<Item = T>) {
    _ = write!(text, "\"{name}\":[");
    for (row, value) in values.enumerate() {
        _ = write!(text, "{}{value}", if row > 0 { "," } else { "" });
    }
    text.push(']');
}

/// Returns a processed profile of version 60 of a program with four threads, with so many samples in all, and a marker for
/// every eighth sample. A sample takes about 30 bytes, and its stack and markers about as much again.
///
/// ```
/// let text = spall_synth::json_profiles::firefox(8);
/// assert!(text.starts_with(b"{\"meta\":{"));
/// ```
#[must_use]
pub fn firefox(samples: usize) -> Vec<u8> {
    let mut random = Random(11);
    let mut text = String::from(
        "{\"meta\":{\"interval\":1,\"startTime\":1795422741653.6162,\"preprocessedProfileVersion\":60,\"product\":\"synth\",\
         \"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]},\n\
         \"libs\":[{\"name\":\"engine\",\"path\":\"/opt/engine\"},{\"name\":\"libc.so.6\",\"path\":\"/lib/libc.so.6\"}],\n\
         \"threads\":[",
    );
    // A stack is a row whose caller is an earlier row.
    let n_stacks = samples / 2 + 8;
    let per_thread = samples / THREADS;
    for thread in 0..THREADS {
        _ = write!(
            text,
            "{}{{\"name\":\"worker {thread}\",\"pid\":\"42\",\"tid\":\"{}\",\"processName\":\"engine\",\"samples\":{{",
            if thread > 0 { ",\n" } else { "" },
            43 + thread
        );
        // Stacks have numbers in the order in which they were first seen.
        let newest = |sample: usize| 8 + (thread * per_thread + sample) * (n_stacks - 8) / samples.max(1);
        column(&mut text, "stack", (0..per_thread).map(|at| newest(at).saturating_sub(random.below(60))));
        text.push(',');
        column(
            &mut text,
            "timeDeltas",
            (0..per_thread).map(|_| format!("0.{:06}", 980_000 + random.below(19_999))),
        );
        text.push(',');
        column(&mut text, "threadCPUDelta", (0..per_thread).map(|_| random.below(1_000_000)));
        _ = write!(
            text,
            ",\"weight\":null,\"weightType\":\"samples\",\"length\":{per_thread}}},\"markers\":{{"
        );
        let markers = per_thread / 8;
        column(&mut text, "name", (0..markers).map(|_| random.below(FUNCTIONS)));
        text.push(',');
        column(&mut text, "startTime", (0..markers).map(|at| format!("{}.25", 8 * at)));
        text.push(',');
        column(&mut text, "endTime", (0..markers).map(|at| format!("{}.75", 8 * at)));
        text.push(',');
        column(&mut text, "phase", (0..markers).map(|at| at % 2));
        text.push(',');
        column(&mut text, "category", (0..markers).map(|_| 0));
        text.push(',');
        column(
            &mut text,
            "data",
            (0..markers).map(|at| format!("{{\"type\":\"Text\",\"name\":\"request {at}\"}}")),
        );
        _ = write!(text, ",\"length\":{markers}}}}}");
    }
    text.push_str("],\n\"shared\":{\"stackTable\":{");
    column(&mut text, "frame", (0..n_stacks).map(|_| random.below(2 * FUNCTIONS)));
    text.push(',');
    let prefix = |row: usize| match row % STACKS {
        ..8 => "null".to_owned(),
        earlier => (row - 1 - random.below(earlier.min(40))).to_string(),
    };
    column(&mut text, "prefix", (0..n_stacks).map(prefix));
    _ = write!(text, ",\"length\":{n_stacks}}},\n\"frameTable\":{{");
    column(&mut text, "func", (0..2 * FUNCTIONS).map(|frame| frame / 2));
    text.push(',');
    column(&mut text, "address", (0..2 * FUNCTIONS).map(|frame| 4096 + 64 * frame));
    text.push_str("},\n\"funcTable\":{");
    column(&mut text, "name", 0..FUNCTIONS);
    text.push(',');
    column(&mut text, "resource", (0..FUNCTIONS).map(|function| function % 2));
    text.push_str("},\n\"resourceTable\":{\"name\":[0,1],\"lib\":[0,1]},\n");
    column(&mut text, "stringArray", (0..FUNCTIONS).map(|n| format!("\"engine::store::Map<K{n}>::next\"")));
    text.push_str("}}\n");
    text.into_bytes()
}

/// Returns documents that take more of a reader than of a file, with their names.
#[must_use]
pub fn attacks(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let firefox = |rest: String| {
        format!("{{\"meta\":{{\"preprocessedProfileVersion\":70,\"interval\":1}},{rest}}}").into_bytes()
    };
    let speedscope = |rest: String| {
        format!("{{\"shared\":{{\"frames\":[{{\"name\":\"f\"}},0]}},\"profiles\":[{rest}]}}").into_bytes()
    };
    let zeros = |n| vec!["0"; n].join(",");
    vec![
        ("empty threads", firefox(format!("\"threads\":[{}]", vec!["{}"; size].join(",")))),
        ("empty members", firefox(format!("\"threads\":[{{{}}}]", vec!["\"\":0"; size].join(",")))),
        (
            "a deep stack",
            firefox(format!(
                "\"threads\":[{{\"samples\":{{\"stack\":[{}],\"time\":[1]}},\"stackTable\":{{\"frame\":[{}],\"prefixOffset\":[0,{}]}},\
                 \"frameTable\":{{\"func\":[0]}},\"funcTable\":{{\"name\":[0]}},\"stringArray\":[\"f\"]}}]",
                size - 1,
                zeros(size),
                vec!["1"; size - 1].join(",")
            )),
        ),
        (
            "stacks without callers",
            firefox(format!(
                "\"threads\":[{{\"samples\":{{\"stack\":[{}],\"timeDeltas\":[{}]}},\"stackTable\":{{\"frame\":[{}]}},\
                 \"frameTable\":{{\"func\":[0]}},\"funcTable\":{{\"name\":[0]}},\"stringArray\":[\"f\"]}}]",
                (0..size).map(|n| n.to_string()).collect::<Vec<_>>().join(","),
                zeros(size),
                zeros(size),
            )),
        ),
        (
            "samples without stacks",
            firefox(format!("\"threads\":[{{\"samples\":{{\"stack\":[{0}],\"time\":[{0}]}}}}]", zeros(size))),
        ),
        (
            "short samples",
            firefox(format!(
                "\"threads\":[{{\"samples\":{{\"stack\":[{}],\"time\":[{}]}}}}]",
                zeros(size),
                zeros(size)
            )),
        ),
        (
            "begins of markers",
            firefox(format!(
                "\"threads\":[{{\"markers\":{{\"name\":[{0}],\"startTime\":[{0}],\"phase\":[{1}]}}}}]",
                zeros(size),
                vec!["2"; size].join(",")
            )),
        ),
        (
            "functions without names",
            firefox(format!("\"threads\":[],\"shared\":{{\"funcTable\":{{\"name\":[{}]}}}}", zeros(size))),
        ),
        ("processes in one another", {
            let inner = "{\"meta\":{\"version\":34,\"interval\":1},\"processes\":[";
            (inner.repeat(size / 20) + &"]}".repeat(size / 20)).into_bytes()
        }),
        (
            "a deep sample",
            speedscope(format!("{{\"type\":\"sampled\",\"samples\":[[{}]],\"weights\":[1]}}", zeros(size))),
        ),
        (
            "empty samples",
            speedscope(format!("{{\"type\":\"sampled\",\"samples\":[{}]}}", vec!["[]"; size].join(","))),
        ),
        (
            "samples that are no stacks",
            speedscope(format!("{{\"type\":\"sampled\",\"samples\":[{}]}}", zeros(size))),
        ),
        (
            "a deep sample and empty ones",
            speedscope(format!(
                "{{\"type\":\"sampled\",\"samples\":[[{}],{}]}}",
                zeros(size / 2),
                vec!["[]"; size / 3].join(",")
            )),
        ),
        (
            "openings",
            speedscope(format!(
                "{{\"type\":\"evented\",\"events\":[{}]}}",
                vec!["{\"type\":\"O\",\"at\":1,\"frame\":0}"; size / 8].join(",")
            )),
        ),
    ]
}
