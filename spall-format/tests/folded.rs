//! The rules of folded stacks.
#![cfg(feature = "alloc")]

use crate::common;
use crate::common::{in_pieces, items};
use spall_format::folded::{Parser, is_folded};
use spall_model::{
    Budget, DiagnosticKind, Event, FrameId, Limits, Trace, TraceBuilder, TraceView, Unit, UnitName,
};

fn load(text: &str) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for item in items(Parser::new(), text.as_bytes()) {
        let item = item.unwrap();
        builder.push(&item.event);
    }
    builder.finish()
}

/// Each sample: its profile, time, weight and stack.
fn samples(trace: &Trace) -> Vec<(String, i64, f64, String)> {
    let mut samples = Vec::new();
    for profile in trace.profiles() {
        for sample in trace.samples_of(profile) {
            let up = |id: FrameId| trace.frame(id).and_then(|frame| frame.parent);
            let path = core::iter::successors(sample.frame(), |&id| up(id));
            let mut names: Vec<_> = path.map(|id| trace.name(trace.frame(id).unwrap().name)).collect();
            names.reverse();
            let name = trace.name(profile.name).into_owned();
            samples.push((name, sample.at.0, sample.weight, names.join(" > ")));
        }
    }
    samples
}

fn sample(at: i64, weight: f64, stack: &str) -> (String, i64, f64, String) {
    (String::new(), at, weight, stack.to_owned())
}

#[test]
fn profiles_6_1_each_line_is_a_sample() {
    let trace =
        load("# made by hand\n\nmain;a function;x-[k] 3\r\n// more\nmain 2\nmain;<a (b.py:7)>;b_[j]\t1");
    assert_eq!(
        samples(&trace),
        [
            sample(0, 3.0, "main > a function > x-[k]"),
            sample(3, 2.0, "main"),
            sample(5, 1.0, "main > <a (b.py:7)> > b_[j]")
        ]
    );
    assert_eq!(trace.clock().unit, Unit::Count(UnitName::new("samples")));
    assert_eq!(trace.bounds().unwrap(), spall_model::Tick(0)..spall_model::Tick(6));
    assert!(trace.diagnostics().counts().is_empty());
}

/// Times are whole samples, and weights are not.
#[test]
fn weights_may_be_fractions() {
    let trace = load("a 0.5\nb 1.75\na 2\n");
    assert_eq!(samples(&trace), [sample(0, 0.5, "a"), sample(0, 1.75, "b"), sample(2, 2.0, "a")]);
}

#[test]
fn two_numbers_are_two_profiles_of_which_the_second_counts() {
    let trace = load("a;b 3 5\na;c 0 2\na;b 4 4\n");
    let of = |name: &str, at, weight, stack: &str| (name.to_owned(), at, weight, stack.to_owned());
    assert_eq!(
        samples(&trace),
        [
            of("after", 0, 5.0, "a > b"),
            of("after", 5, 2.0, "a > c"),
            of("after", 7, 4.0, "a > b"),
            of("before", 0, 3.0, "a > b"),
            of("before", 5, 0.0, "a > c"),
            of("before", 7, 4.0, "a > b"),
        ]
    );
    // A name may end with a number.
    assert_eq!(samples(&load("a;worker 3 5\na;c 2\na;d 1\n")).first(), Some(&sample(0, 5.0, "a > worker 3")));
}

#[test]
fn a_first_name_of_two_numbers_is_a_thread() {
    let trace = load("1:7;a 3\n1:-8;a 2\n1:7;a;b 1\n1:7 4\n1:x;a 1\n");
    let ids = |at: usize| trace.tracks()[at].name;
    assert_eq!(trace.tracks().len(), 3, "{:?}", ids(0));
    let mut all = samples(&trace);
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(
        all,
        [
            sample(0, 1.0, "1:x > a"),
            sample(0, 2.0, "a"),
            sample(0, 3.0, "a"),
            sample(3, 1.0, "a > b"),
            sample(4, 4.0, "")
        ]
    );
}

/// [profiles 1.3] [samples 5]
#[test]
fn what_is_no_stack_is_left_out_and_counted() {
    let trace = load("a;b 3\nno number\na;b -3\n 5\na;b 1e3\na;b .\na;b 2\n");
    assert_eq!(samples(&trace), [sample(0, 3.0, "a > b"), sample(3, 2.0, "a > b")]);
    let counts =
        [DiagnosticKind::Junk, DiagnosticKind::NegativeWeight].map(|kind| trace.diagnostics().count(kind));
    assert_eq!(counts, [4, 1]);
}

#[test]
fn nine_of_ten_lines_tell_the_format() {
    let of = |fit: usize, other: usize| "a;b 1\n".repeat(fit) + &"none\n".repeat(other);
    for (fit, other, is) in
        [(1, 0, true), (5, 1, true), (4, 1, false), (9, 1, true), (8, 2, false), (0, 1, false), (10, 5, true)]
    {
        assert_eq!(is_folded(of(fit, other).as_bytes()), is, "{fit} {other}");
    }
    assert!(is_folded(b"a;b 1\na;c"), "the last line may be cut");
    assert!(is_folded(b"\xef\xbb\xbfa;b 1"));
    for other in [&b""[..], b"\n", b"# a 1", b"a", b"1", b"\x00 1", b"[1,\n2,\n3]"] {
        assert!(!is_folded(other), "{other:?}");
    }
}

/// [profiles 6.1]
#[test]
fn a_short_text_is_folded_if_a_stack_has_a_caller() {
    for is in ["main;a;b 12", "idle 3\nmain;a 12\n", "a 1\nb 2\nc 3\nd 4\ne 5\n"] {
        assert!(is_folded(is.as_bytes()), "{is:?}");
    }
    for not in [
        "error code 5",
        "total 12\n",
        "done; error code 5",
        "; 5",
        "a 1\nb 2\nc 3\nd 4\n",
        "1,2 3\n4,5 6\n7,8 9\n1,2 3\n4,5 6\n",
        "sym@Base 1.0\nsym2@Base 1.0\nsym3@Base 1.2\nsym4@Base 1.0\nsym5@Base 1.0\n",
        "/dev/sda / ext4 0 1\n/dev/sdb /a ext4 0 1\n/dev/sdc /b ext4 0 1\n/dev/sdd /c ext4 0 1\n/dev/sde /d ext4 0 1\n",
    ] {
        assert!(!is_folded(not.as_bytes()), "{not:?}");
    }
}

#[test]
fn pieces_change_nothing_and_a_cut_leaves_the_first_lines() {
    let text =
        b"\xef\xbb\xbfm;a 1\nm;b 2\r\n\nwrong\nm;a;b 3\n#\n7:8;m 4\nm;a 1\nm;b 2\nm 3\nm 4\nm 5\nm 6\nx 7";
    let show = |event: &Event<'_>| format!("{event:?}");
    let whole = in_pieces(Parser::new(), text, |_, _| text.len(), show);
    assert_eq!(whole.len(), 1 + 2 + 11 + 5 + 1, "clock, threads, samples, frames, junk");
    for size in 1..text.len() {
        assert_eq!(in_pieces(Parser::new(), text, |_, end| end + size, show), whole, "{size}");
        let cut = &text[..size];
        let ends = cut.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end as u64 + 1);
        let cut = in_pieces(Parser::new(), cut, |_, _| size, show);
        let complete = |steps: &[common::Step<_>]| -> Vec<_> {
            steps.iter().flatten().filter(|(_, bytes)| bytes.end <= ends).cloned().collect()
        };
        assert_eq!(complete(&cut), complete(&whole), "{size}");
    }
}

/// What a file could make of a few bytes is bounded.
#[test]
fn a_file_of_nothing_but_new_stacks_has_a_bounded_tree() {
    let text = "a;".repeat(1 << 18) + "a 1";
    let trace = load(&text);
    assert!(trace.diagnostics().count(DiagnosticKind::StackLimit) == 1, "{:?}", trace.diagnostics().counts());
    let [(_, _, weight, stack)] = &samples(&trace)[..] else { unreachable!() };
    assert!(*weight == 1.0 && stack.starts_with("a > a > a"));
    assert_eq!(trace.frames().len() as u64, (Budget::FREE + text.len() as u64) / Budget::FRAME);
}

#[test]
fn profiles_1_3_a_sum_of_weights_that_63_bits_do_not_hold_is_counted() {
    let count = |text: &str| load(text).diagnostics().count(DiagnosticKind::TimeOutOfRange);
    assert_eq!(count("a;b 4611686018427387904\na 4611686018427387000\na 0\n"), 0);
    assert_eq!(count("a;b 4611686018427387904\na 4611686018427387904\na 0\n"), 1);
    assert_eq!(count("a;b 1000000000000000000000000000000\na 0\n"), 1);
}
