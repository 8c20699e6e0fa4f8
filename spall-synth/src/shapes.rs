//! Shapes of input that made some operation slow or large, or that look as if they could: each of a number of parts.
//!
//! Every file is about as long as its number of parts times 50 to 300 bytes. Names that are said to be long grow with the
//! number of parts, so that what repeats one for each part grows with its square.

use core::{fmt::Write, iter::repeat_n};

use crate::{apitrace, spall};

/// A function that makes an input of a number of parts.
pub type Shape = Box<dyn Fn(usize) -> Vec<u8>>;

/// Returns a function that makes a JSON document of a number of parts after `head`. In each part, `#` stands for its number in
/// eight digits, `%` for a number that falls, and `~` for one that goes up and down; in `head`, `@` stands for a long name.
fn json(head: &'static str, parts: &'static str) -> Shape {
    Box::new(move |n| {
        let mut text = format!("[{}", head.replace('@', &"n".repeat(32 * n)));
        for i in 0..n {
            for character in parts.chars() {
                _ = match character {
                    '#' => write!(text, "{i:08}"),
                    '%' => write!(text, "{}", 99_999_999 - i),
                    '~' => write!(text, "{}", i * 7919 % 1_000_003),
                    other => write!(text, "{other}"),
                };
            }
        }
        text.into_bytes()
    })
}

/// Returns a function that makes one event, with `item` for each part in the place of `&`.
fn one(event: &'static str, item: fn(usize) -> String) -> Shape {
    Box::new(move |n| {
        let items = (0..n).map(item).collect::<Vec<_>>().join(",");
        event.replace('&', &items).replace('@', &"n".repeat(32 * n)).into_bytes()
    })
}

/// A CPU profile of call frames of which each is called by the one before, with samples of different depths.
fn deep_profile(n: usize) -> Vec<u8> {
    let node = |id: usize| {
        let parent = if id > 1 { format!(r#","parent":{}"#, id - 1) } else { String::new() };
        format!(r#"{{"id":{id},"callFrame":{{"functionName":"f{}","url":"u"}}{parent}}}"#, id % 7)
    };
    let list = |item: &dyn Fn(usize) -> String| (1..=n).map(item).collect::<Vec<_>>().join(",");
    let samples = list(&|at| (1 + at * 7919 % n).to_string());
    format!(
        r#"{{"nodes":[{}],"startTime":0,"samples":[{samples}],"timeDeltas":[{}]}}"#,
        list(&node),
        list(&|_| "1000".into())
    )
    .into_bytes()
}

/// Call frames of which each is called by the one before, and samples of the innermost: each on a thread of its own, or in turn
/// with samples of the outermost.
fn shared_frames(n: usize, has_threads: bool) -> Vec<u8> {
    let frame = |id: usize| format!(r#""{id}":{{"name":"f{}","parent":"{}"}},"#, id % 9, id.wrapping_sub(1));
    let sample = |at: usize| match has_threads {
        true => format!(r#"{{"tid":{at},"ts":{at},"sf":"{}"}},"#, n - 1),
        false => format!(r#"{{"tid":1,"ts":{at},"sf":"{}"}},"#, if at.is_multiple_of(2) { n - 1 } else { 0 }),
    };
    let (frames, samples): (String, String) = ((0..n).map(frame).collect(), (0..n).map(sample).collect());
    format!(r#"{{"stackFrames":{{{frames}}},"samples":[{samples}]}}"#).into_bytes()
}

/// Calls of one function whose long name is there once.
fn named_call(n: usize) -> Vec<u8> {
    let mut bytes = apitrace::Stream::new(5, &[]).bytes().to_vec();
    for call in 0..n as u64 {
        bytes.extend([0, 0, 7]);
        if call == 0 {
            apitrace::uint(&mut bytes, 32 * n as u64);
            bytes.extend(repeat_n(b'f', 32 * n));
            bytes.push(0);
        }
        bytes.extend([0, 1]);
        apitrace::uint(&mut bytes, call);
        bytes.push(0);
    }
    bytes
}

/// A call with structures of which each has a signature of its own.
fn structures(n: usize) -> Vec<u8> {
    let mut bytes = apitrace::Stream::new(5, &[]).bytes().to_vec();
    bytes.extend(b"\0\0\x07\x01f\x01\x01a\x01\0\x0b");
    apitrace::uint(&mut bytes, n as u64);
    for id in 0..n as u64 {
        bytes.push(0x0c);
        apitrace::uint(&mut bytes, id);
        bytes.extend([0, 0]);
    }
    bytes.extend([0, 1, 0, 0]);
    bytes
}

/// Returns all shapes with their names.
#[must_use]
pub fn all() -> Vec<(&'static str, Shape)> {
    let mut shapes: Vec<(&'static str, Shape)> = Vec::new();
    let mut parts = |name, head, parts| shapes.push((name, json(head, parts)));
    // Slices.
    parts("staircase", "", r##"{"ph":"X","ts":#,"dur":50000000,"tid":1},"##);
    parts("falling staircase", "", r##"{"ph":"X","ts":%,"dur":50000000,"tid":1},"##);
    parts("random slices", "", r##"{"ph":"X","ts":~,"dur":~,"tid":1,"name":"a"},"##);
    parts("slices growing outwards", "", r##"{"ph":"X","ts":%,"dur":2#,"tid":1,"name":"a#"},"##);
    parts("equal slices", "", r##"{"ph":"X","ts":5,"dur":5,"tid":1,"name":"a"},"##);
    parts("points of one time", "", r##"{"ph":"X","ts":5,"dur":0,"tid":1,"name":"#"},"##);
    parts("nested and never closed", "", r##"{"ph":"B","ts":#,"tid":1,"name":"a"},"##);
    parts(
        "crossing pairs",
        "",
        r##"{"ph":"B","ts":~,"tid":1,"name":"a"},{"ph":"E","ts":~,"tid":1,"name":"a"},"##,
    );
    parts("names and categories", "", r##"{"ph":"X","ts":#,"dur":5,"tid":1,"name":"#","cat":"c#,d#"},"##);
    // Names that several things share.
    let thread = r##"{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"@"}},"##;
    parts(
        "lanes of a long thread",
        thread,
        r##"{"ph":"X","ts":#,"dur":50000000,"pid":1,"tid":1,"name":"a"},"##,
    );
    let process = r##"{"ph":"M","name":"process_name","pid":1,"args":{"name":"@"}},"##;
    parts("threads of a long process", process, r##"{"ph":"X","ts":#,"dur":5,"pid":1,"tid":#,"name":"a"},"##);
    parts(
        "lanes of a long process",
        process,
        r##"{"ph":"X","ts":#,"dur":50000000,"pid":1,"tid":1,"name":"a"},"##,
    );
    parts(
        "a long name among others",
        r##"{"ph":"X","ts":1,"dur":5,"tid":1,"name":"@"},"##,
        r##"{"ph":"X","ts":#,"dur":5,"tid":1},"##,
    );
    // Tracks.
    parts("threads", "", r##"{"ph":"X","ts":1,"dur":5,"tid":#,"name":"a"},"##);
    parts("processes", "", r##"{"ph":"X","ts":1,"dur":5,"pid":#,"tid":#,"name":"a"},"##);
    parts("ids of text", "", r##"{"ph":"X","ts":1,"dur":5,"pid":"p#","tid":"t#","name":"a"},"##);
    parts(
        "sort indices",
        "",
        r##"{"ph":"M","name":"thread_sort_index","pid":1,"tid":#,"args":{"sort_index":%}},{"ph":"X","ts":1,"dur":5,"pid":1,"tid":#},"##,
    );
    parts(
        "async tracks",
        "",
        r##"{"ph":"b","cat":"c","id":#,"name":"a","ts":1},{"ph":"e","cat":"c","id":#,"name":"a","ts":9},"##,
    );
    parts("open spans", "", r##"{"ph":"b","cat":"c","id":1,"name":"#","ts":%},"##);
    // Counters, flows and facts.
    parts("series, falling", "", r##"{"ph":"C","name":"c","ts":%,"args":{"#":1}},"##);
    parts("counters", "", r##"{"ph":"C","name":"#","ts":1,"args":{"a":1}},"##);
    parts("values of a series", "", r##"{"ph":"C","name":"c","ts":~,"args":{"a":~}},"##);
    let ends =
        r##"{"ph":"X","ts":0,"dur":50,"tid":1,"name":"a"},{"ph":"X","ts":60,"dur":50,"tid":2,"name":"b"},"##;
    parts(
        "flows between two slices",
        ends,
        r##"{"ph":"s","id":#,"name":"f","ts":5,"tid":1},{"ph":"f","bp":"e","id":#,"name":"f","ts":65,"tid":2},"##,
    );
    parts(
        "steps of a flow",
        "",
        r##"{"ph":"X","ts":#,"dur":1,"tid":1,"name":"a"},{"ph":"t","id":1,"name":"f","ts":#,"tid":1},"##,
    );
    parts(
        "flows in fields",
        "",
        r##"{"ph":"X","ts":#,"dur":50,"tid":1,"name":"a","bind_id":1,"flow_in":true,"flow_out":true},"##,
    );
    parts(
        "objects",
        "",
        r##"{"ph":"N","id":#,"name":"a","ts":1},{"ph":"O","id":#,"name":"a","ts":2,"args":{"snapshot":{"a":1}}},{"ph":"D","id":#,"name":"a","ts":3},"##,
    );
    parts("instants of one time", "", r##"{"ph":"i","ts":5,"s":"t","tid":1,"name":"#"},"##);
    parts("global instants", "", r##"{"ph":"i","ts":%,"s":"g","tid":#,"name":"a"},"##);
    parts("overlapping states", "", r##"{"ph":"T","ts":%,"dur":50000,"tid":1,"name":"a"},"##);
    parts("facts", "", r##"{"ph":"M","name":"fact #","pid":1,"args":{"#":1}},"##);
    parts("labels", "", r##"{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"#"}},"##);
    parts(
        "clock markers",
        "",
        r##"{"ph":"c","ts":#,"pid":1,"tid":1,"name":"clock_sync","args":{"sync_id":"#"}},"##,
    );
    parts(
        "clock markers of one id",
        "",
        r##"{"ph":"c","ts":#,"pid":1,"tid":1,"name":"clock_sync","args":{"sync_id":"a"}},"##,
    );
    // One event.
    let mut event = |name, event, item| shapes.push((name, one(event, item)));
    let value = |i: usize| format!(r#""{i}":{i}"#);
    event("series of a long counter", r#"[{"ph":"C","name":"@","ts":1,"args":{&}}]"#, value);
    event("arguments", r#"[{"ph":"X","ts":1,"dur":5,"tid":1,"name":"a","args":{&}}]"#, value);
    event(
        "a list below a long key",
        r#"[{"ph":"X","ts":1,"dur":5,"tid":1,"name":"a","args":{"@":[&]}}]"#,
        |_| "1".into(),
    );
    event(
        "a list below long keys",
        r#"[{"ph":"X","ts":1,"dur":5,"tid":1,"args":{"@":{"@":{"@":[&]}}}}]"#,
        |_| "1".into(),
    );
    event(
        "one stack",
        r#"[{"ph":"P","tid":1,"ts":1,"stack":[&]},{"ph":"P","tid":1,"ts":2,"stack":["a"]}]"#,
        |i| format!("\"{i}\""),
    );
    // Profiles and other formats.
    shapes.push(("samples of every depth", Box::new(deep_profile)));
    shapes.push(("threads that share frames", Box::new(|n| shared_frames(n, true))));
    shapes.push(("samples of shared frames", Box::new(|n| shared_frames(n, false))));
    shapes.push(("calls of a long name", Box::new(named_call)));
    shapes.push(("structures of a call", Box::new(structures)));
    shapes
        .push(("threads of spall", Box::new(|n| spall::many_threads(u32::try_from(n).unwrap_or(u32::MAX)))));
    shapes.push(("nested begins of spall", Box::new(|n| spall::nested_begins(n as u64))));
    shapes
}
