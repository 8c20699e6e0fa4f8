//! Generated Trace Event JSON.

use std::fmt::Write;

use spall_synth::Random;

/// Names of functions as they look in real traces.
const NAMES: [&str; 12] = [
    "main",
    "update_world",
    "draw",
    "physics::step",
    "gc",
    "render_text",
    "io",
    "ThreadControllerImpl::RunTask",
    "core::slice::sort::merge_sort",
    "RunLoop",
    "poll",
    "Frontend",
];

fn name(random: &mut Random) -> &'static str {
    NAMES.get(random.below(NAMES.len())).copied().unwrap_or("")
}

fn document(events: usize, mut event: impl FnMut(&mut String, usize)) -> Vec<u8> {
    let mut text = String::from("{\"traceEvents\":[\n");
    for index in 0..events {
        if index > 0 {
            text.push_str(",\n");
        }
        event(&mut text, index);
    }
    text.push_str("\n]}\n");
    text.into_bytes()
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = text.write_fmt(arguments);
}

/// Returns a document of `slices` begins and as many ends, on one thread.
#[must_use]
pub fn begins_and_ends(slices: usize) -> Vec<u8> {
    let mut random = Random(1);
    let (mut time, mut left, mut open) = (1000, slices, Vec::new());
    document(2 * slices, |text, _| {
        time += 1 + random.below(16);
        let fraction = random.below(1000);
        let begins = open.is_empty() || left > 0 && open.len() < 20 && random.below(2) == 0;
        let (phase, name) = if begins {
            left -= 1;
            let name = name(&mut random);
            open.push(name);
            ('B', name)
        } else {
            ('E', open.pop().unwrap_or(""))
        };
        put(
            text,
            format_args!(
                r#"{{"name":"{name}","cat":"function","ph":"{phase}","pid":0,"tid":1,"ts":{time}.{fraction:03}}}"#
            ),
        );
    })
}

/// Returns a document of complete events with a detail, in the order of their ends, as clang writes them.
#[must_use]
pub fn complete(slices: usize) -> Vec<u8> {
    let mut random = Random(2);
    let mut time = 1000;
    document(slices, |text, index| {
        time += 2 + random.below(300);
        let (duration, tid) = (1 + random.below(200), 100 + index / 20_000);
        let start = time - duration.min(time);
        let (name, detail) = (name(&mut random), name(&mut random));
        put(
            text,
            format_args!(
                r#"{{"pid":4711,"tid":{tid},"ph":"X","ts":{start},"dur":{duration},"name":"{name}","args":{{"detail":"std::vector<{detail}>::emplace_back"}}}}"#
            ),
        );
    })
}

/// Returns a document with all kinds of events of a browser, in turn.
#[must_use]
pub fn many_kinds(events: usize) -> Vec<u8> {
    let mut random = Random(3);
    let mut time = 1000;
    document(events, |text, index| {
        time += 1 + random.below(50);
        let (name, tid, id) = (name(&mut random), 1 + index % 4, index / 8);
        let rest = match index % 8 {
            0 => format!(r#""ph":"X","dur":{},"args":{{"data":{{"id":{id}}}}}"#, 1 + random.below(30)),
            1 => r#""ph":"I","s":"t""#.to_owned(),
            2 => format!(r#""ph":"C","args":{{"value":{}}}"#, random.below(1000)),
            3 => format!(r#""ph":"b","id":"0x{id:x}""#),
            4 => format!(r#""ph":"e","id":"0x{:x}""#, id),
            5 => format!(r#""ph":"s","id":{id}"#),
            6 => format!(r#""ph":"f","bp":"e","id":{id}"#),
            _ => format!(r#""ph":"X","dur":{},"tts":{time}"#, 1 + random.below(30)),
        };
        // The two ends of a span have one name.
        let name = if matches!(index % 8, 3..=6) { "span" } else { name };
        put(
            text,
            format_args!(r#"{{"cat":"toplevel","name":"{name}","pid":7,"tid":{tid},"ts":{time},{rest}}}"#),
        );
    })
}
