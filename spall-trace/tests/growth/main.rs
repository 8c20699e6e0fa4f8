//! Growth: work and memory grow no faster than the input, whatever it is made of.
//!
//! `.ci/growth` counts the instructions, of an input twice as large at most two and a half times as many. That needs
//! valgrind and is exact; what follows is for every machine.
//!
//! Sizes are eight times apart. The bytes that are allocated, all in all and at most at once, are counted exactly: at most
//! 16 times as many, which is what tables need that double their size when they are full. Work is measured as the time that
//! this thread was on a processor: what is linear costs 8 times as much, up to twice that where the small input fits a cache
//! that the large one does not, or others crowd it; what is quadratic costs 64 times as much. The line is drawn at 32.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "test code outside of test functions"
)]

mod operations;
mod spans;

use core::{fmt::Write as _, hint::black_box};
use std::{
    io::{Sink, sink},
    time::Instant,
};

use allocation_counter::measure;
use spall_synth::{
    apitrace, costs, ftrace, gzip, heph, json_profiles, perf_script, profiles, services, spall as synth,
};
use spall_trace::{
    Loader,
    export::{self, ExportReport},
    layout::LiveLayout,
    model::{
        ByteRange, Event, LendingParser, Limits, LiveTrace, Progress, Receiver as _, SliceId, Tick, Trace,
        TraceView,
    },
};

/// A function that makes an input of a number of parts.
type Input = dyn Fn(usize) -> Vec<u8>;

/// Does everything that a program does once for a file: loads it from memory and piece by piece, merges samples with slices,
/// lays it out, decodes its arguments, and writes it for other programs.
///
/// Folded stacks are left out, because each line repeats its whole path.
fn process(data: &[u8]) {
    black_box(spall_trace::load_from(data).ok());
    let Ok(trace) = spall_trace::load(data) else { return };
    let (trace, layout) = black_box(spall_trace::lay_out(trace));
    drop(layout);
    for index in 0..u32::try_from(trace.slices().len()).unwrap() {
        trace.slice_args(SliceId(index)).iter().for_each(|entry| _ = black_box(entry));
    }
    let writers: [fn(&Trace, Sink) -> std::io::Result<ExportReport>; 3] =
        [export::json, export::spall, |trace, out| export::speedscope(trace, "", out)];
    for write in writers {
        black_box(write(&trace, sink()).ok());
    }
}

/// Returns how long this thread was on a processor, in nanoseconds. Where the system does not tell, this is the time since
/// `start`.
fn cpu_time(start: Instant) -> u64 {
    // The system updates the number when it schedules the thread.
    std::thread::yield_now();
    let figures = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let figure = figures.split(' ').next().and_then(|figure| figure.parse().ok());
    figure.unwrap_or_else(|| u64::try_from(start.elapsed().as_nanos()).unwrap())
}

/// Returns the shortest time of `runs` runs.
fn time(process: fn(&[u8]), data: &[u8], runs: usize) -> u64 {
    let start = Instant::now();
    let run = || {
        let before = cpu_time(start);
        process(data);
        cpu_time(start) - before
    };
    (0..runs).map(|_| run()).min().unwrap()
}

/// The least time that the small input takes, a quarter of it in a plain run.
fn enough_ns() -> u64 {
    if spall_testdata::is_long() { 8_000_000 } else { 2_000_000 }
}

const MOST_PARTS: usize = 1 << 17;
/// The largest ratio of two times that counts as linear, in thousandths.
const MOST_RATIO: u64 = 32_000;

/// Runs `process`. Valgrind counts this function by its name for `.ci/growth`.
#[inline(never)]
fn counted(process: &mut dyn FnMut()) {
    process();
}

fn check(name: &str, input: &Input) {
    check_work(name, input, process);
}

fn check_work(name: &str, input: &Input, process: fn(&[u8])) {
    check_work_from(512, name, input, process);
}

/// Does the same as [`check_work`] with at least `parts` parts, and a quarter of them in a plain run.
fn check_work_from(parts: usize, name: &str, input: &Input, process: fn(&[u8])) {
    if let Some(parts) = std::env::var("GROWTH_PARTS").ok().and_then(|parts| parts.parse().ok()) {
        println!("counted: {name}");
        return [parts, 2 * parts].map(input).iter().for_each(|data| counted(&mut || process(data)));
    }
    let mut parts = spall_testdata::sized(parts);
    let mut data = input(parts);
    while time(process, &data, 1) < enough_ns() && parts < MOST_PARTS {
        parts *= 2;
        data = input(parts);
    }
    let large = input(8 * parts);
    let grew = large.len().div_ceil(data.len());
    assert!(grew <= 10, "{name}: the input itself grew {grew} times");
    // A second and a third try are needed only where other work disturbed the first.
    let mut ratios =
        (1..=3).map(|runs| time(process, &large, runs) * 1000 / time(process, &data, 3).max(enough_ns()));
    let ratio = ratios.find(|&ratio| ratio <= MOST_RATIO);
    let Some(ratio) = ratio else { panic!("{name}: 8 times {parts} parts take over 32 times as long") };

    let bytes = |data| {
        let counted = measure(|| process(data));
        [counted.bytes_total, counted.bytes_max]
    };
    for (small, eightfold) in bytes(&data).into_iter().zip(bytes(&large)) {
        assert!(eightfold <= 16 * small + (1 << 20), "{name}: {small} bytes, of 8 times as much {eightfold}");
    }
    println!("{name}: 8 x {parts} parts take {}.{:03} times as long", ratio / 1000, ratio % 1000);
}

/// Returns a function that makes a JSON document of a number of parts. `part` writes one part, given its number.
fn json(part: impl Fn(&mut String, usize)) -> impl Fn(usize) -> Vec<u8> {
    move |parts| {
        let mut text = String::from("[");
        for i in 0..parts {
            part(&mut text, i);
        }
        text.into_bytes()
    }
}

/// Does the same as [`json`] for a pattern, in which `#` stands for the number of the part in eight digits, and `%` for a
/// number that falls.
fn pattern(pattern: &'static str) -> impl Fn(usize) -> Vec<u8> {
    json(move |text, i| {
        for character in pattern.chars() {
            match character {
                '#' => write!(text, "{i:08}").unwrap(),
                '%' => write!(text, "{}", 99_999_999 - i).unwrap(),
                other => text.push(other),
            }
        }
    })
}

fn check_patterns(patterns: &[(&str, &'static str)]) {
    for (name, events) in patterns {
        check(name, &pattern(events));
    }
}

/// Returns a function that makes a document with all parts of `first`, then all parts of `second`.
fn one_after_another(first: &'static str, second: &'static str) -> impl Fn(usize) -> Vec<u8> {
    move |parts| {
        let mut bytes = pattern(first)(parts);
        bytes.extend_from_slice(pattern(second)(parts).split_first().unwrap().1);
        bytes
    }
}

#[test]
fn begins_and_ends() {
    check_patterns(&[
        ("unmatched ends", r##"{"ph":"E","ts":#,"tid":1},"##),
        ("unmatched ends of other names", r##"{"ph":"E","ts":#,"tid":1,"name":"#"},"##),
        ("open begins", r##"{"ph":"B","ts":#,"tid":1,"name":"a"},"##),
        ("open begins of one time", r##"{"ph":"B","ts":1,"tid":1,"name":"#"},"##),
        ("ends before their begins", r##"{"ph":"B","ts":9,"tid":1},{"ph":"E","ts":1,"tid":1},"##),
        ("pairs in reversed order", r##"{"ph":"B","ts":%,"tid":1,"name":"#"},{"ph":"E","ts":%.5,"tid":1},"##),
        (
            "pairs with other names",
            r##"{"ph":"B","ts":#,"tid":1,"name":"a"},{"ph":"E","ts":#,"tid":1,"name":"#"},"##,
        ),
        (
            "begins at one time, ends of each other",
            r##"{"ph":"B","ts":5,"tid":1,"name":"a#"},{"ph":"B","ts":5,"tid":1,"name":"b"},{"ph":"E","ts":5,"tid":1,"name":"a#"},"##,
        ),
    ]);
    let begin = r##"{"ph":"B","ts":0.#,"tid":1,"name":"#"},"##;
    check("deep nesting", &one_after_another(begin, r##"{"ph":"E","ts":9#,"tid":1},"##));
    check("first in, first out", &one_after_another(begin, r##"{"ph":"E","ts":9#,"tid":1,"name":"#"},"##));
    let begin = r##"{"ph":"B","ts":5,"tid":1,"name":"#"},"##;
    check(
        "first in, first out at one time",
        &one_after_another(begin, r##"{"ph":"E","ts":5,"tid":1,"name":"#"},"##),
    );
    check("deep spall", &|parts| synth::nested_begins(parts as u64));
    check("ends in spall", &synth::end_flood);
}

#[test]
fn complete_slices() {
    check_patterns(&[
        ("staircase", r##"{"ph":"X","ts":#,"dur":50000000,"tid":1},"##),
        ("falling staircase", r##"{"ph":"X","ts":%,"dur":50000000,"tid":1},"##),
        ("growing from one start", r##"{"ph":"X","ts":1,"dur":#,"tid":1},"##),
        ("reversed order", r##"{"ph":"X","ts":%,"dur":1,"tid":1},"##),
        ("points of one time", r##"{"ph":"X","ts":1,"dur":0,"tid":1},"##),
        ("without duration", r##"{"ph":"X","ts":#,"tid":1},"##),
        ("slices among pairs", r##"{"ph":"B","ts":#,"tid":1},{"ph":"X","ts":#,"dur":3.5,"tid":1},"##),
        ("states", r##"{"ph":"T","ts":%,"dur":1,"tid":1},"##),
        ("instants", r##"{"ph":"i","ts":%,"s":"g"},"##),
    ]);
}

#[test]
fn names_and_threads() {
    check_patterns(&[
        ("threads", r##"{"ph":"B","ts":1,"tid":#},"##),
        ("processes", r##"{"ph":"B","ts":1,"pid":#},"##),
        ("threads with names for ids", r##"{"ph":"B","ts":1,"tid":"t#"},"##),
        ("thread names", r##"{"ph":"M","name":"thread_name","tid":#,"args":{"name":"a"}},"##),
        ("names", r##"{"ph":"X","ts":#,"dur":1,"tid":1,"name":"#","cat":"#"},"##),
        ("labels", r##"{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"#"}},"##),
        ("facts", r##"{"ph":"M","name":"fact #","pid":1,"args":{"#":1}},"##),
    ]);
    check("threads of spall", &|parts| synth::many_threads(u32::try_from(parts).unwrap()));
    let name = |unit: &'static str| {
        move |parts: usize| {
            let name = unit.repeat(16 * parts);
            format!(
                r#"[{{"ph":"B","ts":1,"tid":1,"name":"{name}"}},{{"ph":"E","ts":2,"tid":1,"name":"{name}"}}]"#
            )
            .into_bytes()
        }
    };
    check("one long name", &name("n"));
    check("one long name with escapes", &name("\\n"));
    check("one long label list", &|parts| {
        let labels: String = (0..parts).map(|i| format!("{i},")).collect();
        format!(r#"[{{"ph":"M","name":"process_labels","pid":1,"args":{{"labels":"{labels}"}}}}]"#)
            .into_bytes()
    });
}

/// Gives a parser one more byte each time it asks, although it says how many it needs.
fn drip(data: &[u8]) {
    fn read<P: LendingParser>(mut parser: P, data: &[u8]) {
        let (mut start, mut end) = (0, 0);
        let mut see = |event: &Event<'_>, bytes: ByteRange| _ = black_box((event, bytes));
        loop {
            match parser.lend(&data[start..end], end == data.len(), &mut see) {
                Ok(Progress::NeedMore(_)) => end += 1,
                Ok(Progress::Read(length)) => start += length,
                Ok(Progress::End) | Err(_) => return,
            }
        }
    }
    match spall_trace::detect(data) {
        Some(spall_trace::Format::Heph) => read(spall_trace::format::heph::Parser::new(), data),
        Some(spall_trace::Format::Spall { .. }) => read(spall_trace::format::spall::Parser::new(), data),
        Some(spall_trace::Format::PerfScript) => read(spall_trace::format::perf_script::Parser::new(), data),
        Some(spall_trace::Format::Ftrace) => read(spall_trace::format::ftrace::Parser::new(), data),
        _ => read(spall_trace::json::JsonParser::new(), data),
    }
}

#[test]
fn byte_by_byte() {
    let long = |before: &'static str, unit: &'static str| {
        move |parts: usize| [before.as_bytes(), unit.repeat(parts).as_bytes()].concat()
    };
    check_work("one long event", &long(r#"[{"ph":"B","ts":1,"args":{"a":""#, "nnnnnnnn"), drip);
    check_work("one long list", &long(r#"[{"ph":"B","ts":1,"args":{"a":["#, "[1],"), drip);
    check_work("one long key of the document", &long(r#"{"a":""#, "nnnnnnnn"), drip);
    check_work("one long word", &long("[", "nnnnnnnn"), drip);
    check_work("one long comment", &long("[/*", "nnnnnnnn"), drip);
    check_work("blanks", &long(" ", "       \n"), drip);
    check_work("broken event", &long(r#"[{"ph":"B",x"#, "nnnnnnnn"), drip);
    check_work("keys behind damage", &long(r#"{"a" 1,"#, r#""traceEvents":1,"b" 1,"#), drip);
    check_work("one long key behind damage", &long(r#"{"a" 1,""#, "nnnnnnnn"), drip);
    check_work("braces behind damage", &long(r#"{"a" 1,"#, "}  ]"), drip);
    let head = "a 1 1.5: b:\n\t1 f (a)\n";
    check_work("one long stack", &long(head, "\t1 f (a)\n"), drip);
    check_work("one long frame", &long("a 1 1.5: b:\n\t1 f (a)\n\t1 ", "nnnnnnnn"), drip);
    check_work(
        "blanks behind an event",
        &|parts| ["a 1 1.5: b:", &" ".repeat(8 * parts), &head[11..]].concat().into_bytes(),
        drip,
    );
    check_work("events", &pattern(r##"{"ph":"B","ts":#,"tid":1,"name":"a"},"##), drip);
    check_work(
        "one long packet",
        &|parts| [&[0xc1, 0xfc, 0x1f, 0xb7, 0xff, 0xff, 0xff, 0xf0], &*vec![0; 8 * parts]].concat(),
        drip,
    );
    check_work(
        "one long padding",
        &|parts| synth::File::new(3, 1.0).buffer(1, 1).pad(u32::MAX / 2, &vec![0; 8 * parts]).finish(),
        drip,
    );
}

/// Commits a growing trace after each event, and updates its layout 64 times, which draws the open slices each time.
fn watch(data: &[u8]) {
    let limits = Limits::default();
    let mut events = 0_u64;
    Loader::new().read_events(data, |_, _| events += 1).unwrap();
    let (mut trace, mut laid_out) = (LiveTrace::new(&limits), LiveTrace::new(&limits));
    let mut live = LiveLayout::new();
    let mut n_events = 0_u64;
    Loader::new()
        .read_events(data, |event, bytes| {
            trace.receive(event, bytes);
            black_box(trace.commit().number());
            laid_out.receive(event, bytes);
            n_events += 1;
            if n_events.is_multiple_of(events / 64 + 1) {
                black_box(live.update(&laid_out.commit(), Tick::MIN));
            }
        })
        .unwrap();
}

#[test]
fn traces_that_are_watched() {
    let begin = r##"{"ph":"B","ts":0.#,"tid":1,"name":"#"},"##;
    check_work("watched pairs", &one_after_another(begin, r##"{"ph":"E","ts":9#,"tid":1},"##), watch);
    for (name, events) in [
        ("watched pairs in reversed order", r##"{"ph":"B","ts":%,"tid":1},{"ph":"E","ts":%.5,"tid":1},"##),
        ("watched slices, each around those before", r##"{"ph":"X","ts":%,"dur":2#,"tid":1},"##),
        ("watched slices, longest last", r##"{"ph":"X","ts":1,"dur":#,"tid":1},"##),
        ("watched staircase", r##"{"ph":"X","ts":#,"dur":50000000,"tid":1},"##),
        ("watched falling staircase", r##"{"ph":"X","ts":%,"dur":50000000,"tid":1},"##),
        ("watched slices without an end", r##"{"ph":"X","ts":#,"tid":1},"##),
        ("watched slices among pairs", r##"{"ph":"B","ts":#,"tid":1},{"ph":"X","ts":#,"dur":3.5,"tid":1},"##),
        ("watched slices before pairs", r##"{"ph":"B","ts":#,"tid":1},{"ph":"X","ts":%,"dur":3,"tid":1},"##),
        ("watched threads", r##"{"ph":"B","ts":1,"tid":#},"##),
        ("watched threads, late", r##"{"ph":"X","ts":2,"tid":#},{"ph":"X","ts":1,"tid":#},"##),
        ("watched instants", r##"{"ph":"i","ts":%,"s":"g"},"##),
        ("watched series", r##"{"ph":"C","name":"c","ts":%,"args":{"#":1}},"##),
    ] {
        // So many that the allowance for moving slices at no charge is used up.
        check_work_from(8192, name, &pattern(events), watch);
    }
}

/// Checks the longest name for which bounds of memory and time are promised.
#[test]
fn a_name_of_16_mib_is_kept_once() {
    let name = "n".repeat(16 << 20);
    let data = format!(r#"[{{"ph":"B","ts":1,"name":"{name}"}},{{"ph":"E","ts":2,"name":"{name}"}}]"#);
    let whole = measure(|| drop(spall_trace::load(data.as_bytes()).unwrap()));
    assert!(whole.bytes_max < 17 << 20, "{} bytes, although it is one name", whole.bytes_max);
    let pieces = measure(|| drop(spall_trace::load_from(data.as_bytes()).unwrap()));
    assert!(pieces.bytes_max < 8 * data.len() as u64, "{} bytes", pieces.bytes_max);
}

#[test]
fn async_spans_and_objects() {
    check_patterns(&[
        ("ids", r##"{"ph":"b","cat":"c","id":#,"ts":1},"##),
        ("begins of one id", r##"{"ph":"b","cat":"c","id":1,"name":"#","ts":#},"##),
        ("ends of one id", r##"{"ph":"e","cat":"c","id":1,"name":"#","ts":#},"##),
        ("starts of one id", r##"{"ph":"S","cat":"c","id":1,"name":"a","ts":#},"##),
        ("steps without a start", r##"{"ph":"T","cat":"c","id":1,"name":"a","ts":#},"##),
        ("finishes without a start", r##"{"ph":"F","cat":"c","id":1,"name":"a","ts":#},"##),
        (
            "spans with a step each",
            r##"{"ph":"S","id":1,"name":"a","ts":#},{"ph":"p","id":1,"name":"a","ts":#},{"ph":"F","id":1,"name":"a","ts":#},"##,
        ),
        ("objects", r##"{"ph":"N","id":#,"name":"a","ts":1},"##),
        ("snapshots", r##"{"ph":"O","id":1,"name":"a","ts":%,"args":{"snapshot":{}}},"##),
        ("lives", r##"{"ph":"N","id":1,"name":"a","ts":#},{"ph":"D","id":1,"name":"a","ts":#},"##),
    ]);
    let begins = r##"{"ph":"b","cat":"c","id":1,"name":"#","ts":1},"##;
    check(
        "spans, first in, first out",
        &one_after_another(begins, r##"{"ph":"e","cat":"c","id":1,"name":"#","ts":2},"##),
    );
    let begins = r##"{"ph":"b","cat":"c","id":1,"name":"a","ts":1,"args":{"n":#}},"##;
    check(
        "spans, first in, first out by their arguments",
        &one_after_another(begins, r##"{"ph":"e","cat":"c","id":1,"name":"a","ts":2,"args":{"n":#}},"##),
    );
    let start = r##"{"ph":"S","id":1,"name":"a","ts":#},"##;
    check("one span of many steps", &one_after_another(start, r##"{"ph":"T","id":1,"name":"a","ts":#},"##));
}

#[test]
fn counters_and_flows() {
    check_patterns(&[
        ("counters", r##"{"ph":"C","name":"#","ts":1,"args":{"v":1}},"##),
        ("series", r##"{"ph":"C","name":"c","ts":%,"args":{"#":1}},"##),
        ("arrows", r##"{"ph":"X","ts":#,"dur":1,"tid":1},{"ph":"s","id":#,"name":"f","ts":#,"tid":1},"##),
        (
            "starts of one arrow",
            r##"{"ph":"X","ts":#,"dur":1,"tid":1},{"ph":"s","id":1,"name":"f","ts":#,"tid":1},"##,
        ),
        (
            "steps of one arrow",
            r##"{"ph":"X","ts":#,"dur":1,"tid":1},{"ph":"t","id":1,"name":"f","ts":#,"tid":1},"##,
        ),
        ("ends of one arrow", r##"{"ph":"f","id":1,"name":"f","ts":%,"tid":1},"##),
        (
            "arrows of slices",
            r##"{"ph":"X","ts":#,"dur":1,"tid":1,"bind_id":1,"flow_in":true,"flow_out":true},"##,
        ),
        (
            "arrows in deep slices",
            r##"{"ph":"B","ts":#,"tid":1},{"ph":"s","id":#,"name":"f","ts":%,"tid":1},"##,
        ),
    ]);
    check("series of one event", &|parts| {
        let series: String = (0..parts).map(|i| format!(r#""{i}":1,"#)).collect();
        format!(r#"[{{"ph":"C","name":"c","ts":1,"args":{{{series}}}}}]"#).into_bytes()
    });
}

#[test]
fn arguments() {
    let nested = |open: &'static str, close: &'static str| {
        move |parts: usize| {
            let args = format!("{}{}", open.repeat(parts), close.repeat(parts));
            format!(r#"[{{"ph":"B","ts":1,"tid":1,"args":{{"a":{args}}}}}]"#).into_bytes()
        }
    };
    check("deep lists", &nested("[", "]"));
    check("deep lists, never closed", &nested("[", ""));
    check("deep objects", &nested(r#"{"a":"#, "1}"));
    let many = |event: fn(&str) -> String| {
        move |parts: usize| {
            let members: String = (0..parts).map(|i| format!(r#""{i}":{i},"#)).collect();
            event(&members).into_bytes()
        }
    };
    check("fields", &many(|members| format!(r#"[{{"ph":"B",{members}"ts":1}}]"#)));
    check("keys of the document", &many(|members| format!(r#"{{{members}"traceEvents":[]}}"#)));
    check(
        "arguments of a begin and of its end",
        &many(|members| {
            format!(
                r#"[{{"ph":"B","ts":1,"tid":1,"args":{{{members}}}}},{{"ph":"E","ts":2,"tid":1,"args":{{{members}}}}}]"#
            )
        }),
    );
}

/// Returns a CPU profile with samples of `nodes` nodes. Each node is called by the one before it if `deep` is set, and by
/// the first one otherwise.
fn cpu_profile(nodes: usize, deep: bool, samples: impl Iterator<Item = usize> + Clone) -> Vec<u8> {
    let mut text = String::from(r#"{"nodes":["#);
    for id in 1..=nodes {
        let parent = if deep { id - 1 } else { usize::from(id > 1) };
        let parent = if parent == 0 { String::new() } else { format!(r#","parent":{parent}"#) };
        write!(text, r#"{{"id":{id},"callFrame":{{"functionName":"f{id:08}","url":"u"}}{parent}}},"#)
            .unwrap();
    }
    let list =
        |numbers: &mut dyn Iterator<Item = usize>| numbers.map(|n| format!("{n:08},")).collect::<String>();
    let (deltas, samples) = (list(&mut samples.clone().map(|_| 1000)), list(&mut samples.clone()));
    write!(text, r#"],"startTime":0,"samples":[{samples}],"timeDeltas":[{deltas}]}}"#).unwrap();
    text.into_bytes()
}

#[test]
fn samples() {
    check("deep stack, one sample", &|parts| cpu_profile(parts, true, [parts].into_iter()));
    check("many functions, a sample each", &|parts| cpu_profile(parts, false, 1..=parts));
    check("many samples", &|parts| cpu_profile(4, false, (0..parts).map(|n| n % 4 + 1)));
    // Each sample leaves and enters more functions than its allowance covers.
    check("deep stacks in turn", &|parts| cpu_profile(1024, true, (0..parts).map(|n| 1024 - n % 2 * 512)));
    check_patterns(&[
        (
            "chunks without a profile",
            r##"{"ph":"P","name":"ProfileChunk","id":"#","ts":#,"pid":1,"tid":1,"args":{"data":{"cpuProfile":{"samples":[1,2]},"timeDeltas":[1,2]}}},"##,
        ),
        (
            "profiles of one thread",
            r##"{"ph":"P","name":"Profile","id":"#","ts":#,"pid":1,"tid":1,"args":{"data":{"startTime":#}}},"##,
        ),
    ]);
}

/// Returns a function that makes call frames that all samples share, each called by the one before it, and a sample for
/// each.
fn shared_frames(sample: fn(frames: usize, at: usize) -> String) -> impl Fn(usize) -> Vec<u8> {
    move |parts| {
        let frame =
            |id: usize| format!(r#""{id:08}":{{"name":"f{id:08}","parent":"{:08}"}},"#, id.wrapping_sub(1));
        let frames: String = (0..parts).map(frame).collect();
        let samples: String = (0..parts).map(|at| sample(parts, at)).collect();
        format!(r#"{{"stackFrames":{{{frames}}},"samples":[{samples}]}}"#).into_bytes()
    }
}

#[test]
fn samples_of_threads() {
    check(
        "samples of shared frames",
        &shared_frames(|_, at| format!(r#"{{"tid":1,"ts":{at:08},"sf":"{at:08}"}},"#)),
    );
    check(
        "samples of the deepest shared frame",
        &shared_frames(|frames, at| format!(r#"{{"tid":1,"ts":{at:08},"sf":"{:08}"}},"#, frames - 1)),
    );
    // So many that the allowance for stacks is used up.
    check_work_from(
        2048,
        "a thread for each sample of the deepest shared frame",
        &shared_frames(|frames, at| format!(r#"{{"tid":{at:08},"ts":{at:08},"sf":"{:08}"}},"#, frames - 1)),
        process,
    );
    check("frames that call one another", &|parts| {
        let frames: String =
            (0..parts).map(|id| format!(r#""{id:08}":{{"parent":"{:08}"}},"#, (id + 1) % parts)).collect();
        let samples: String = (0..parts).map(|at| format!(r#"{{"ts":{at:08},"sf":"{at:08}"}},"#)).collect();
        format!(r#"{{"stackFrames":{{{frames}}},"samples":[{samples}]}}"#).into_bytes()
    });
    check_patterns(&[
        ("samples with stacks", r##"{"ph":"P","tid":1,"ts":#,"stack":["a","b#"]},"##),
        ("samples of unknown frames", r##"{"ph":"P","tid":1,"ts":#,"sf":#},"##),
    ]);
    check("one deep stack", &|parts| {
        let stack: String = (0..parts).map(|n| format!(r#""f{n:08}","#)).collect();
        format!(r#"[{{"ph":"P","tid":1,"ts":1,"stack":[{stack}]}}]"#).into_bytes()
    });
}

#[cfg(feature = "gzip")]
#[test]
fn compressed_input() {
    let event = br#"{"ph":"X","ts":1,"dur":1,"tid":1},"#;
    check("gzip members", &|parts| [gzip::member(b"["), gzip::member(event).repeat(parts)].concat());
    check("empty gzip members", &|parts| [gzip::member(b"["), gzip::member(b"").repeat(parts)].concat());
}

#[test]
fn recordings() {
    check("calls", &|parts| apitrace::snappy(&apitrace::game(parts as u64), 1 << 16));
    let enters = |thread: fn(u64) -> u64, function: fn(u64) -> u64| {
        move |parts: usize| {
            let mut stream = apitrace::Stream::new(5, &[]);
            for call in 0..parts as u64 {
                stream.enter(thread(call), (function(call), "glPushDebugGroup", &[]), &[]);
            }
            stream.bytes().to_vec()
        }
    };
    check("calls that never return", &enters(|_| 0, |_| 1));
    check("threads of calls", &enters(|call| call, |_| 1));
    check("functions", &enters(|_| 0, |call| call << 30));
    check("structures of one call", &|parts| {
        let mut bytes = apitrace::Stream::new(5, &[]).bytes().to_vec();
        bytes.extend(b"\0\0\x07\x01f\x01\x01a\x01\0\x0b");
        apitrace::uint(&mut bytes, parts as u64);
        for id in 0..parts as u64 {
            bytes.push(0x0c);
            apitrace::uint(&mut bytes, id);
            bytes.extend([0, 0]);
        }
        [&bytes[..], &[0, 1, 0, 0]].concat()
    });
}

#[test]
fn damaged_input() {
    check_patterns(&[
        ("nothing", ","),
        ("numbers", "#,"),
        ("words", "x"),
        ("brackets", "]"),
        ("quotes", r#"","#),
        ("empty objects", "{}"),
        ("events without phase", r##"{"ts":#}"##),
        ("broken events", "{x},"),
        ("broken events that no comma follows", "{x}5"),
        ("broken events inside one another", "{x{"),
        ("open events", r##"{"ph":"B","##),
        ("open events behind a comma", r##"{"ph":"B",{"##),
        ("quotes too many", r##"{"ph":"B"","ts":1},"##),
        ("open comments", "/*"),
        (
            "bad fields",
            r##"{"ph":"i","ts":"x","dur":{},"pid":[],"tid":{},"id":{},"s":5,"name":[],"cat":{}},"##,
        ),
    ]);
    check("empty buffers of spall", &|parts| {
        (0..parts).fold(synth::File::new(3, 1.0), |file, _| file.buffer(1, 1)).finish()
    });
    check("unknown records of spall", &|parts| {
        (0..parts).fold(synth::File::new(3, 1.0), |file, _| file.buffer(1, 1).push(&[99; 3])).finish()
    });
    let packets = heph::trace(4, 2, 4, true);
    check("heph", &|parts| heph::trace(u32::try_from(parts).unwrap(), 8, 4, true));
    check("cut heph packets", &move |parts| packets[..packets.len() - 9].repeat(parts));
    check("heph magic without packets", &|parts| {
        [0xc1, 0xfc, 0x1f, 0xb7, 0xff, 0xff, 0xff, 0xf0].repeat(parts)
    });
    check("firefox", &json_profiles::firefox);
    for n in 0..json_profiles::attacks(8).len() {
        check(json_profiles::attacks(8)[n].0, &move |parts| {
            json_profiles::attacks(parts.max(8)).swap_remove(n).1
        });
    }
    check("ftrace", &|parts| ftrace::recording(parts / 16));
    for n in 0..ftrace::attacks(8).len() {
        check(ftrace::attacks(8)[n].0, &move |parts| ftrace::attacks(parts).swap_remove(n).1);
    }
    for n in 0..services::attacks(8).len() {
        check(services::attacks(8)[n].0, &move |parts| services::attacks(parts).swap_remove(n).1);
    }
    for (name, file) in [
        ("callgrind", costs::callgrind as fn(usize) -> Vec<u8>),
        ("xdebug", costs::xdebug),
        ("dhat", costs::dhat),
        ("heap profile", costs::heap_profile),
    ] {
        check(name, &file);
    }
    for n in 0..costs::attacks(8).len() {
        check(costs::attacks(8)[n].0, &move |parts| costs::attacks(parts).swap_remove(n).1);
    }
    check("perf script", &|parts| perf_script::recording(parts / 16));
    let (head, frame) = ("a 1 1.5: b:\n\t1 f (a)\n", "\t1 f (a)\n");
    check("one stack of perf script", &move |parts| [head, &frame.repeat(parts)].concat().into_bytes());
    check("one symbol of perf script", &move |parts| {
        [head, "\t1 a", &"->b".repeat(parts), " (/tmp/perf-1.map)"].concat().into_bytes()
    });
    check("folded stacks", &|parts| profiles::folded(parts).into_bytes());
    check("pprof", &profiles::pprof);
    check("heph magic with small sizes", &|parts| [0xc1, 0xfc, 0x1f, 0xb7, 0, 0, 0, 9].repeat(parts));
}
