//! The rules of pprof's profiles, on messages that are written here.
#![cfg(feature = "alloc")]

use crate::common;
use spall_format::FormatErrorKind;
use spall_format::pprof::{Parser, is_profile};
use spall_model::{
    Budget, DiagnosticKind, Event, Frame, LendingParser as _, Limits, Receiver as _, Tick, Ticks, Trace,
    TraceBuilder, TraceView, Unit, UnitName, Weights,
};
use spall_synth::perfetto::Message;

/// The texts of every profile here, by their numbers.
const TEXTS: [&str; 16] = [
    "",
    "samples",
    "count",
    "cpu",
    "nanoseconds",
    "main",
    "inlined",
    "leaf",
    "a.rs",
    "/lib/x.so",
    "thread",
    "io",
    "size",
    "bytes",
    "tid",
    "page",
];

fn text(text: &str) -> u64 {
    TEXTS.iter().position(|known| *known == text).unwrap() as u64
}

fn value_type(kind: &str, unit: &str) -> Message {
    Message::new().number(1, text(kind)).number(2, text(unit))
}

/// A function with a line at which it begins, or 0.
fn function(id: u64, name: &str, line: u64) -> Message {
    Message::new().number(1, id).number(2, text(name)).number(4, text("a.rs")).number(5, line)
}

/// A location of the library, with its functions and the lines in them.
fn location(id: u64, lines: &[(u64, u64)]) -> Message {
    let location = Message::new().number(1, id).number(2, 1).number(3, 0x1000 + id);
    lines.iter().fold(location, |location, &(function, line)| {
        location.message(4, &Message::new().number(1, function).number(2, line))
    })
}

/// A sample at locations, innermost first; its labels are field 3.
fn sample(locations: &[u8], values: &[u8]) -> Message {
    Message::new().raw(1, locations).raw(2, values)
}

/// A profile of CPU time with `main` at 1, `inlined` and `leaf` at 2, and no function at 3.
fn profile(samples: &[Message]) -> Message {
    let file = Message::new()
        .message(1, &value_type("samples", "count"))
        .message(1, &value_type("cpu", "nanoseconds"));
    let file = samples.iter().fold(file, |file, sample| file.message(2, sample));
    let file = file
        .message(3, &Message::new().number(1, 1).number(5, text("/lib/x.so")))
        .message(4, &location(1, &[(1, 12)]))
        .message(4, &location(2, &[(3, 31), (2, 22)]))
        .message(4, &location(3, &[]))
        .message(5, &function(1, "main", 10))
        .message(5, &function(2, "inlined", 0))
        .message(5, &function(3, "leaf", 0));
    TEXTS.iter().fold(file, |file, text| file.text(6, text))
}

fn load(file: &Message) -> Trace {
    load_bytes(file.bytes())
}

fn load_bytes(data: &[u8]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    Parser::new().lend_all(data, |event, bytes| builder.receive(event, bytes)).unwrap();
    builder.finish()
}

/// Returns the names on the path to each sample of a profile, with its time and weight.
fn samples(trace: &Trace, profile: usize) -> Vec<(i64, f64, String)> {
    let frame = |id| *trace.frame(id).unwrap();
    let of = trace.samples_of(&trace.profiles()[profile]).iter();
    of.map(|sample| {
        let path = core::iter::successors(sample.frame().map(frame), |of: &Frame| of.parent.map(frame));
        let mut names: Vec<_> = path.map(|frame| trace.name(frame.name)).collect();
        names.reverse();
        (sample.at.0, sample.weight, names.join(" > "))
    })
    .collect()
}

fn named(at: i64, weight: f64, stack: &str) -> (i64, f64, String) {
    (at, weight, stack.to_owned())
}

fn names(trace: &Trace) -> Vec<String> {
    trace.profiles().iter().map(|profile| trace.name(profile.name).into_owned()).collect()
}

#[test]
fn profiles_3_2_locations_are_innermost_first_and_so_are_inlined_functions() {
    let trace =
        load(&profile(&[sample(&[2, 1], &[1, 30]), sample(&[3, 2, 1], &[2, 20]), sample(&[], &[1, 5])]));
    let stacks = [
        named(0, 30.0, "main > inlined > leaf"),
        named(30, 20.0, "main > inlined > leaf > 0x1003"),
        named(50, 5.0, ""),
    ];
    assert_eq!(samples(&trace, 0), stacks);
    let frame = |at: usize| {
        let id = trace.samples_of(&trace.profiles()[0])[at].frame().unwrap();
        let frame = trace.frame(id).unwrap();
        (trace.name(frame.url).into_owned(), frame.line)
    };
    // Lines count from 0. The last function has none of its own, but was found at line 31.
    assert_eq!((frame(0), frame(1)), (("a.rs".into(), Some(30)), ("/lib/x.so".into(), None)));
    let main = trace.frames().iter().find(|frame| trace.name(frame.name) == "main").unwrap();
    assert_eq!(main.line, Some(9), "where it begins and not where it was found");
    assert_eq!(trace.process_title(spall_model::ProcessId(0)), "/lib/x.so");
}

#[test]
fn profiles_3_2_a_stack_does_not_depend_on_the_sample_before() {
    // There is no location 9.
    let stacks: [&[u8]; 9] = [&[], &[1], &[2], &[1, 1], &[2, 1], &[3, 2, 1], &[3, 1], &[1, 9, 1], &[3, 2, 9]];
    let last =
        |samples: &[Message]| self::samples(&load(&profile(samples)), 0).pop().map(|(.., stack)| stack);
    for first in stacks {
        for second in stacks {
            let end = sample(&[2, 1], &[1, 1]);
            if !second.contains(&9) {
                let alone = last(&[sample(second, &[1, 1])]);
                let behind = last(&[sample(first, &[1, 1]), sample(second, &[1, 1])]);
                assert_eq!(behind, alone, "{first:?} {second:?}");
            }
            let stack = last(&[sample(first, &[1, 1]), sample(second, &[1, 1]), end]);
            assert_eq!(stack.as_deref(), Some("main > inlined > leaf"), "{first:?} {second:?}");
        }
    }
}

#[test]
fn profiles_1_2_each_type_of_value_is_a_profile() {
    let two = [sample(&[1], &[3, 30]), sample(&[2, 1], &[1, 0]), sample(&[1], &[0, 7])];
    let trace = load(&profile(&two));
    assert_eq!(names(&trace), ["cpu/nanoseconds", "samples/count"], "the last one counts, and is the first");
    assert_eq!(trace.clock().unit, Unit::Nanoseconds(1.0));
    assert_eq!(trace.profiles()[0].weights, Weights::Axis(Ticks(1)));
    assert_eq!(trace.diagnostics().count(DiagnosticKind::SecondProfile), 0, "that is no fault of the file");
    assert_eq!(samples(&trace, 0), [named(0, 30.0, "main"), named(30, 7.0, "main")]);
    assert_eq!(samples(&trace, 1), [named(0, 3.0, "main"), named(30, 1.0, "main > inlined > leaf")]);

    let trace = load(&profile(&two).number(14, text("samples")));
    assert_eq!(names(&trace), ["samples/count", "cpu/nanoseconds"], "the default counts");
    assert_eq!(trace.clock().unit, Unit::Count(UnitName::new("samples")));
    assert_eq!(samples(&trace, 0), [named(0, 3.0, "main"), named(3, 1.0, "main > inlined > leaf")]);
}

#[test]
fn a_unit_of_time_becomes_nanoseconds() {
    let of = |unit: &str| {
        let file = Message::new().message(1, &Message::new().number(1, 1).number(2, 2));
        let file = file.message(2, &sample(&[], &[5])).message(2, &sample(&[], &[5]));
        let trace = load(&["", "delay", unit].iter().fold(file, |file, text| file.text(6, text)));
        (trace.clock().unit, trace.bounds().unwrap().end)
    };
    assert_eq!(of("microseconds"), (Unit::Nanoseconds(1.0), Tick(10_000)));
    assert_eq!(of("seconds"), (Unit::Nanoseconds(1.0), Tick(10_000_000_000)));
    assert_eq!(of("bytes"), (Unit::Bytes, Tick(10)));
    assert_eq!(of("count"), (Unit::Count(UnitName::new("delay")), Tick(10)));
    assert_eq!(of("pages"), (Unit::Count(UnitName::new("pages")), Tick(10)));
}

#[test]
fn labels_are_arguments_and_name_threads() {
    let number = |key: &str, value: u64| Message::new().number(1, text(key)).number(3, value);
    let words = |key: &str, value: &str| Message::new().number(1, text(key)).number(2, text(value));
    let size = number("size", 8).number(4, text("bytes"));
    let trace = load(&profile(&[
        sample(&[1], &[1, 10]).message(3, &words("thread", "io")).message(3, &size),
        sample(&[1], &[1, 20]).message(3, &words("thread", "io")).message(3, &words("page", "main")),
        sample(&[1], &[1, 30]).message(3, &number("tid", 7)).message(3, &words("thread", "io")),
        sample(&[1], &[1, 40]).message(3, &number("bytes", 5).number(4, text("bytes"))),
    ]));
    let cpu: Vec<_> = trace.profiles().iter().filter(|of| trace.name(of.name) == "cpu/nanoseconds").collect();
    let mut found: Vec<String> = cpu
        .iter()
        .flat_map(|of| trace.samples_of(of).iter().map(|sample| (of.track, sample)))
        .map(|(track, sample)| {
            let tid = trace.tracks()[track.index()].kind.tid().unwrap();
            format!(
                "{} {} {} {} {}",
                trace.track_title(track),
                trace.key_text(tid),
                sample.at,
                sample.weight,
                trace.args_of(sample)
            )
        })
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "Thread 1 1 0 40 bytes=5",
            "io 7 0 30 ",
            "io io 0 10 size=8, size_unit=bytes",
            "io io 10 20 page=main"
        ]
    );
}

#[test]
fn profiles_3_3_the_head_is_the_epoch_and_facts() {
    let head = Message::new()
        .number(7, text("leaf"))
        .number(9, 1_700_000_000_000_000_000)
        .number(10, 5_000)
        .message(11, &value_type("cpu", "nanoseconds"))
        .number(12, 100)
        .raw(13, &[5, 6])
        .number(14, text("cpu"));
    let file = [profile(&[]).bytes(), head.bytes()].concat();
    let trace = load_bytes(&file);
    assert_eq!(trace.clock().epoch_ns, Some(1_700_000_000_000_000_000));
    let facts: Vec<String> = trace
        .meta()
        .iter()
        .map(|meta| format!("{}={}", trace.name(meta.key), trace.meta_value(meta)))
        .collect();
    assert_eq!(
        facts,
        [
            "default_sample_type=cpu",
            "drop_frames=leaf",
            "comment=main",
            "comment=inlined",
            "period_type=cpu/nanoseconds",
            "period=100",
            "duration_nanos=5000",
        ]
    );
    // The time of another clock. [profiles 1.6]
    let time = Message::new().number(9, 123_456_789_000);
    let trace = load_bytes(&[profile(&[]).bytes(), time.bytes()].concat());
    assert_eq!(trace.clock().epoch_ns, None);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::BadEpoch), 1);
    let mut facts = trace.meta().iter();
    assert!(facts.any(|meta| trace.name(meta.key) == "time_nanos"));
}

/// [samples 5]
#[test]
fn profiles_1_3_samples_that_do_not_fit_are_left_out() {
    let negative = Message::new().raw(1, &[1]).number(2, 1).number(2, u64::MAX);
    let cut = Message::new().raw(1, &[1]).raw(2, &[1, 2]).junk(b"\x1a\x05");
    let file = profile(&[
        sample(&[1], &[1, 10]),
        sample(&[9], &[1, 10]),
        sample(&[1], &[1]),
        sample(&[1], &[1, 2, 3]),
        negative,
        sample(&[1], &[0, 0]),
        cut,
        sample(&[2], &[1, 10]),
    ]);
    let trace = load(&file);
    assert_eq!(samples(&trace, 0), [named(0, 10.0, "main"), named(10, 10.0, "inlined > leaf")]);
    let count = |kind| trace.diagnostics().count(kind);
    assert_eq!(count(DiagnosticKind::UnknownEntry), 1);
    assert_eq!(count(DiagnosticKind::DamagedRecord), 3, "cut off, or without one value for each type");
    assert_eq!(count(DiagnosticKind::NegativeWeight), 1);

    let trace = load_bytes(&[file.bytes(), b"\x12\x7f"].concat());
    assert_eq!((samples(&trace, 0).len(), trace.diagnostics().count(DiagnosticKind::DamagedRecord)), (2, 4));
}

#[test]
fn profiles_3_1_a_profile_is_proved_by_its_texts() {
    let whole = profile(&[sample(&[1], &[1, 10])]);
    assert!(is_profile(whole.bytes()));
    // Go writes the type of the period first.
    let period = Message::new().message(11, &value_type("cpu", "nanoseconds")).number(12, 1);
    assert!(is_profile(&[period.bytes(), whole.bytes()].concat()));
    let types = Message::new().message(1, &value_type("cpu", "nanoseconds"));
    let with_texts = |texts: &[&str]| texts.iter().fold(types.clone(), |file, text| file.text(6, text));
    assert!(is_profile(with_texts(&TEXTS).bytes()));
    for other in [
        types.clone(),
        with_texts(&TEXTS[..3]),
        with_texts(&TEXTS[1..]),
        Message::new().text(6, "").text(6, "cpu"),
        profile(&[sample(&[1], &[1])]),
        profile(&[]).number(17, 1),
        profile(&[]).text(9, "time"),
    ] {
        assert!(!is_profile(other.bytes()), "{other:?}");
    }
    assert!(
        !is_profile(b"") && !is_profile(b"hello") && !is_profile(&[0; 99]) && !is_profile(b"\n[{\"ph\":1}]")
    );
    // The start of a large file has no texts, but nothing else begins like it.
    let large = profile(&vec![sample(&[2, 1], &[1, 10]); 100]);
    assert!(is_profile(&large.bytes()[..1000]) && !is_profile(&large.bytes()[..200]));
}

#[test]
fn a_profile_is_read_at_its_end() {
    let file = profile(&[sample(&[2, 1], &[1, 10]), sample(&[3, 1], &[1, 10])]);
    let show = |event: &Event<'_>| format!("{event:?}");
    let whole = common::in_pieces(Parser::new(), file.bytes(), |_, _| file.bytes().len(), show);
    assert!(whole.len() > 9, "{whole:?}");
    for size in [1, 7, 100] {
        assert_eq!(common::in_pieces(Parser::new(), file.bytes(), |_, end| end + size, show), whole);
    }
    // A cut at any place gives a trace, and any byte changed gives one too.
    for at in 0..file.bytes().len() {
        let mut changed = file.bytes().to_vec();
        changed[at] ^= 0xff;
        let _ = Parser::new().lend_all(&changed, |_, _| {});
        let _ = Parser::new().lend_all(&changed[..at], |_, _| {});
    }
    let error = Parser::new().lend_all(b"", |_, _| {}).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (FormatErrorKind::BadMagic, 0));
}

/// Each byte of this file is a function below another one.
#[test]
fn a_file_of_nothing_but_new_stacks_has_a_bounded_tree() {
    let recursive = vec![1; 200_000];
    let trace = load(&profile(&[sample(&[1], &[1, 7]), sample(&recursive, &[1, 10]), sample(&[1], &[1, 5])]));
    let found = samples(&trace, 0);
    assert_eq!((found.len(), &found[0]), (3, &named(0, 7.0, "main")));
    assert!(found[1].2.starts_with("main > main > main"));
    assert_eq!((found[2].0, found[2].1), (17, 5.0));
    assert_eq!(trace.diagnostics().count(DiagnosticKind::StackLimit), 1);
    let n_paid = |bytes| (Budget::FREE + bytes) / Budget::FRAME;
    assert!((n_paid(200_000)..n_paid(200_100)).contains(&(trace.frames().len() as u64)));
}

#[test]
fn profiles_1_3_a_sum_of_values_that_63_bits_do_not_hold_is_counted() {
    let sample = |value: u64| Message::new().raw(1, &[1]).number(2, 1).number(2, value);
    let count =
        |samples: &[Message]| load(&profile(samples)).diagnostics().count(DiagnosticKind::TimeOutOfRange);
    let half = 1 << 62;
    assert_eq!(count(&[sample(half), sample(half - 1), sample(0)]), 0);
    assert_eq!(count(&[sample(half), sample(half), sample(0)]), 1);
    // A unit of a thousand nanoseconds.
    let file = Message::new().message(1, &Message::new().number(1, 1).number(2, 2));
    let file = file.message(2, &Message::new().number(2, u64::MAX >> 10));
    let trace = load(&["", "delay", "microseconds"].iter().fold(file, |file, text| file.text(6, text)));
    assert_eq!(trace.diagnostics().count(DiagnosticKind::TimeOutOfRange), 1);
}

#[test]
fn profiles_3_2_the_callers_of_256_functions_inlined_into_one_another_are_left_out_and_counted() {
    let with = |n_lines: usize| {
        let lines = vec![(1, 1); n_lines];
        let file = Message::new().message(1, &value_type("cpu", "nanoseconds"));
        let file = file.message(2, &sample(&[1], &[5])).message(4, &location(1, &lines));
        let trace = load(
            &TEXTS.iter().fold(file.message(5, &function(1, "main", 1)), |file, text| file.text(6, text)),
        );
        (trace.frames().len(), trace.diagnostics().count(DiagnosticKind::StackLimit))
    };
    assert_eq!(with(256), (256, 0));
    assert_eq!(with(300), (256, 1));
}
