//! The rules of apitrace recordings, on streams written straight from the format's description. Calls are compared as the
//! lines that `apitrace dump` prints of them.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

extern crate std;

mod corpus;
mod tool;

use alloc::{borrow::ToOwned, string::String, vec, vec::Vec};

use spall_model::{DiagnosticKind, Event, LendingParser};
use spall_synth::apitrace::{Detail, Stream, Value, kitchen_sink, uint};

use super::{Calls, Parser};
use crate::FormatErrorKind;

/// The calls as text, and the error that ended them.
fn read(stream: &[u8]) -> (Vec<String>, Option<FormatErrorKind>) {
    let mut calls = match Calls::new(stream) {
        Ok(calls) => calls,
        Err(error) => return (Vec::new(), Some(error.kind())),
    };
    let mut lines = Vec::new();
    loop {
        match calls.next() {
            Some(Ok(call)) => lines.push(tool::line(&call, calls.signatures())),
            Some(Err(error)) => return (lines, Some(error.kind())),
            None => return (lines, None),
        }
    }
}

fn check(stream: &Stream, expected: &[&str]) {
    assert_eq!(read(stream.bytes()), (expected.iter().map(|&line| line.to_owned()).collect(), None));
}

fn int(value: i128) -> Value {
    Value::Integer(value)
}

/// A call without details of its own.
fn call(stream: &mut Stream, number: u64, details: &[Detail]) {
    stream.enter(0, (7, "f", &["a", "b"]), details);
    stream.leave(number, &[]);
}

const KITCHEN_SINK: [&str; 3] = [
    "1 @2 inner()\nBacktrace:\nlib: g\n?",
    "0 @1 outer(v = {ONE, A | B | 0x4, {x = 1, y = true}, \"\\\"h\\\"\", L\"h\\551\", 0x10, NULL, 0.1, 1e+100}, w = -5) = ONE // fake",
    "2 @1 inner() // incomplete",
];

#[test]
fn c4_values_and_details_of_every_kind() {
    for version in 4..=6 {
        check(&kitchen_sink(version), &KITCHEN_SINK);
    }
    for version in 0..=3 {
        let without_threads = KITCHEN_SINK.map(|line| line.replace("@1", "@0").replace("@2", "@0"));
        check(&kitchen_sink(version), &without_threads.each_ref().map(String::as_str));
    }
}

#[test]
fn c4_an_argument_that_is_said_twice_has_its_last_value() {
    let mut stream = Stream::new(5, &[]);
    stream.enter(0, (1, "f", &["a"]), &[Detail::Argument(0, int(1)), Detail::Argument(0, int(2))]);
    stream.leave(0, &[Detail::Argument(0, int(3))]);
    check(&stream, &["0 @0 f(a = 3)"]);
}

#[test]
fn c3_an_enum_has_the_first_name_of_its_value_or_its_number() {
    let names: Vec<_> =
        [("A", 1), ("B", 1), ("C", 1), ("NEG", -1)].map(|(name, value)| (name.to_owned(), value)).into();
    let mut stream = Stream::new(3, &[]);
    for (number, value) in [1, -1, -7, 7].into_iter().enumerate() {
        let details = [Detail::Argument(0, Value::Enum(1, names.clone(), value))];
        stream.enter(0, (1, "f", &["a"]), &details);
        stream.leave(number as u64, &[]);
    }
    check(&stream, &["0 @0 f(a = A)", "1 @0 f(a = NEG)", "2 @0 f(a = -7)", "3 @0 f(a = 7)"]);
}

#[test]
fn c4_a_signature_in_a_leave_of_an_unknown_call_counts() {
    let mut stream = Stream::new(5, &[]);
    let point = |x| Value::Struct(4, "P".to_owned(), vec![("x".to_owned(), int(x))]);
    stream.leave(77, &[Detail::Return(point(1))]);
    call(&mut stream, 0, &[Detail::Argument(0, point(2))]);
    check(&stream, &["0 @0 f(a = {x = 2}, b = ?)"]);
}

#[test]
fn c4_a_second_leave_of_a_call_is_dropped() {
    let mut stream = Stream::new(5, &[]);
    call(&mut stream, 0, &[]);
    stream.leave(0, &[Detail::Return(int(1))]);
    check(&stream, &["0 @0 f(a = ?, b = ?)"]);
    let mut n_dropped = 0;
    let count = |event: &Event<'_>, _| {
        n_dropped += usize::from(*event == Event::Diagnostic(DiagnosticKind::UnmatchedEnd));
    };
    Parser::new().lend_all(stream.bytes(), count).unwrap();
    assert_eq!(n_dropped, 1);
    assert_eq!(
        Calls::new(stream.bytes()).unwrap().map(Result::unwrap).map(|call| call.left).collect::<Vec<_>>(),
        [Some(1)]
    );
}

#[test]
fn c3_a_thread_detail_is_read_before_version_4_only() {
    let stream = |version| {
        let mut stream = Stream::new(version, &[]);
        call(&mut stream, 0, &[Detail::Raw(vec![3, 9])]);
        read(stream.bytes())
    };
    assert_eq!(stream(3), (vec!["0 @0 f(a = ?, b = ?)".to_owned()], None));
    assert_eq!(stream(4).1, Some(FormatErrorKind::UnknownDetail { tag: 3 }));
}

#[test]
fn c2_versions_and_properties() {
    assert_eq!(read(&[7]).1, Some(FormatErrorKind::UnsupportedVersion { version: 7 }));
    assert_eq!(read(&[6, 9, 0]).1, Some(FormatErrorKind::UnsupportedVersion { version: 9 }));
    assert_eq!(read(&[]).1, Some(FormatErrorKind::UnexpectedEof { needed: 1 }));
    assert_eq!(read(&[6, 6, 1]).1, Some(FormatErrorKind::UnexpectedEof { needed: 1 }));
    assert_eq!(read(&[5]), (vec![], None));
    let stream = Stream::new(6, &[("a", "1"), ("a", "2")]);
    let calls = Calls::new(stream.bytes()).unwrap();
    assert!(calls.reader.properties(stream.bytes()).eq([(&b"a"[..], &b"1"[..]), (b"a", b"2")]));
    assert_eq!(calls.reader.table.version, 6);
}

#[test]
fn whatever_is_cut_off_the_calls_before_are_read() {
    let stream = kitchen_sink(6);
    let whole = read(stream.bytes()).0;
    for length in 20..stream.bytes().len() {
        let mut calls = Calls::new(&stream.bytes()[..length]).unwrap();
        let read: Vec<_> = calls.by_ref().map(Result::unwrap).collect();
        let is_cut = calls.reader.truncated.is_some();
        for call in read.iter().filter(|call| call.left.is_some()) {
            assert!(whole.contains(&tool::line(call, calls.signatures())), "cut at {length}");
            assert!(call.leave.unwrap().end <= length as u64);
        }
        // What is not cut ends between two events.
        let n_events = Calls::new(&stream.bytes()[..length]).unwrap().reader.n_events;
        assert_eq!(n_events, 0, "nothing is read before it is asked for");
        let ends: Vec<u64> = Calls::new(stream.bytes())
            .unwrap()
            .map(Result::unwrap)
            .flat_map(|call| [Some(call.enter.end), call.leave.map(|leave| leave.end)])
            .flatten()
            .collect();
        assert_eq!(
            is_cut,
            !ends.contains(&(length as u64)) && length as u64 != head_len(stream.bytes()),
            "cut at {length}"
        );
    }
}

fn head_len(stream: &[u8]) -> u64 {
    Calls::new(stream).unwrap().map(|call| call.unwrap().enter.start).min().unwrap()
}

#[test]
fn no_flipped_bit_makes_a_panic_and_events_agree_with_calls() {
    let stream = kitchen_sink(6);
    for position in 0..stream.bytes().len() {
        for bit in 0..8 {
            let mut flipped = stream.bytes().to_vec();
            flipped[position] ^= 1 << bit;
            let (lines, error) = read(&flipped);
            let mut n_calls = 0;
            let end = Parser::new().lend_all(&flipped, |event, _| {
                if let Event::Complete(slice, _) | Event::Unfinished(slice) = event {
                    n_calls += usize::from(slice.category.is(b"call") || slice.category.is(b"fake"));
                }
            });
            assert_eq!((n_calls, end.err().map(|error| error.kind())), (lines.len(), error));
        }
    }
}

#[test]
fn c6_numbers_beyond_the_stream_cost_nothing() {
    let huge = |tag: u8| {
        let mut bytes = vec![tag];
        uint(&mut bytes, 1 << 60);
        Value::Raw(bytes)
    };
    for tag in [0x07, 0x08, 0x0b, 0x0f] {
        let mut stream = Stream::new(6, &[]);
        stream.enter(0, (1, "f", &["a"]), &[Detail::Argument(0, huge(tag))]);
        assert_eq!(read(stream.bytes()), (vec![], None), "{tag}");
    }
    // An argument far beyond those the function has is not printed.
    let mut stream = Stream::new(6, &[]);
    call(&mut stream, 0, &[Detail::Argument(1 << 60, int(1))]);
    check(&stream, &["0 @0 f(a = ?, b = ?)"]);
    // So many structures without members are that many bytes.
    let empty = || Value::Struct(1, "E".to_owned(), vec![]);
    let mut stream = Stream::new(6, &[]);
    call(&mut stream, 0, &[Detail::Argument(0, Value::Array(vec![empty(), empty()]))]);
    check(&stream, &["0 @0 f(a = {{}, {}}, b = ?)"]);
}

#[test]
fn c6_calls_that_never_return_cost_little() {
    let mut stream = Stream::new(6, &[]);
    for _ in 0..100_000 {
        stream.enter(0, (1, "f", &[]), &[]);
    }
    let (lines, error) = read(stream.bytes());
    assert_eq!((lines.len(), error), (65_536, None));
    assert_eq!(lines[65_535], "65535 @0 f() // incomplete");
}

#[test]
fn an_unknown_byte_ends_the_stream_after_the_open_calls() {
    let mut stream = Stream::new(6, &[]);
    call(&mut stream, 0, &[]);
    stream.enter(0, (7, "f", &[]), &[]);
    stream.raw(&[9, 0, 0]);
    let lines = vec!["0 @0 f(a = ?, b = ?)".to_owned(), "1 @0 f(a = ?, b = ?) // incomplete".to_owned()];
    assert_eq!(read(stream.bytes()), (lines, Some(FormatErrorKind::UnknownEvent { tag: 9 })));
}

#[test]
fn nothing_comes_behind_an_error() {
    let mut stream = Stream::new(5, &[]);
    call(&mut stream, 0, &[]);
    // The signature of function 8 would be a whole call of it if it were known before; its details are faulty.
    stream.raw(&[0, 0, 8, 0, 1, 1, 0, 0xe0]);
    stream.raw(&[0; 16]);
    let mut calls = Calls::new(stream.bytes()).unwrap();
    assert_eq!(calls.next().unwrap().unwrap().number, 0);
    assert!(calls.next().unwrap().is_err());
    assert!(calls.next().is_none());
}
