//! The arguments of calls, as events and as calls give them. \[apitrace C.5.6\]
#![cfg(feature = "alloc")]

use spall_format::apitrace::{Calls, Parser};
use spall_model::{Event, LendingParser, Text, Value as Arg};
use spall_synth::apitrace::{Detail, Stream, Value, game};

/// Returns the arguments of each call as text, and checks that the events have the same.
fn texts(stream: &[u8]) -> Vec<String> {
    let (mut calls, mut memory, mut expected) = (Calls::new(stream).unwrap(), Vec::new(), Vec::new());
    while let Some(Ok(call)) = calls.next() {
        expected.push(calls.arguments(&call, &mut memory).to_string());
    }
    let mut found = Vec::new();
    let see = |event: &Event<'_>, _| {
        if let Event::Complete(slice, _) | Event::Unfinished(slice) = event
            && (slice.category.is(b"call") || slice.category.is(b"fake"))
        {
            found.push(slice.args.to_string());
        }
    };
    _ = Parser::new().lend_all(stream, see);
    assert_eq!(found, expected);
    found
}

/// Returns a stream of calls with each value as the only argument.
fn calls_of(values: impl IntoIterator<Item = Value>) -> Stream {
    let mut stream = Stream::new(6, &[]);
    for (number, value) in (0..).zip(values) {
        stream.enter(0, (1, "f", &["a"]), &[Detail::Argument(0, value)]);
        stream.leave(number, &[]);
    }
    stream
}

/// Checks how values are printed as the only argument of a call.
fn check<const N: usize>(values: [(Value, &str); N]) {
    let expected = values.each_ref().map(|(_, text)| format!("a={text}"));
    assert_eq!(texts(calls_of(values.map(|(value, _)| value)).bytes()), expected);
}

fn int(value: i128) -> Value {
    Value::Integer(value)
}

fn structure(id: u64, members: &[(&str, Value)]) -> Value {
    let members = members.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    Value::Struct(id, format!("S{id}"), members.collect())
}

fn list(values: &[Value]) -> Value {
    Value::Array(values.to_vec())
}

fn repr(human: Value, machine: Value) -> Value {
    Value::Repr(Box::new([human, machine]))
}

#[test]
fn c5_scalars_keep_their_types() {
    let values = [
        (Value::Null, Arg::Null),
        (Value::Bool(false), Arg::Bool(false)),
        (Value::Bool(true), Arg::Bool(true)),
        (int(0), Arg::I64(0)),
        (int(i64::MAX.into()), Arg::I64(i64::MAX)),
        (int(u64::MAX.into()), Arg::U64(u64::MAX)),
        (int(i64::MIN.into()), Arg::I64(i64::MIN)),
        (int(-i128::from(u64::MAX)), Arg::F64(-18_446_744_073_709_551_615.0)),
        (Value::Float(0.1), Arg::F64(f64::from(0.1_f32))),
        (Value::Double(0.1), Arg::F64(0.1)),
        (Value::Text(b"a\0\xff".to_vec()), Arg::Text(Text::plain(b"a\0\xff"))),
        (Value::Blob(vec![7; 300]), Arg::Text(Text::plain(b"300 bytes"))),
        (Value::Pointer(0), Arg::Text(Text::plain(b"0x0"))),
        (Value::Pointer(u64::MAX), Arg::Text(Text::plain(b"0xffffffffffffffff"))),
        (Value::Wide(vec![0x68, 0xe9, 0x20ac, 0x1_f600]), Arg::Text(Text::from("hé€😀"))),
        (Value::Wide(vec![0x48, 0, 0x49]), Arg::Text(Text::from("H"))),
        (Value::Wide(vec![0xd800, u64::MAX]), Arg::Text(Text::from("\u{fffd}\u{fffd}"))),
    ];
    let stream = calls_of(values.each_ref().map(|(value, _)| value.clone()));
    texts(stream.bytes());
    let (mut calls, mut memory) = (Calls::new(stream.bytes()).unwrap(), Vec::new());
    for (_, expected) in values {
        let call = calls.next().unwrap().unwrap();
        let args = calls.arguments(&call, &mut memory);
        assert_eq!(args.get(b"a"), Some(expected));
    }
}

#[test]
fn c5_values_of_enums_and_bitmasks_are_their_names() {
    let mode = |value| {
        let names = [("ONE", 1), ("UNO", 1), ("NEG", -1), ("MAX", u64::MAX.into())];
        Value::Enum(1, names.map(|(name, value)| (name.to_owned(), value)).into(), value)
    };
    let bits = |id, names: &[(&str, u64)], value| {
        Value::Bitmask(id, names.iter().map(|&(name, bits)| (name.to_owned(), bits)).collect(), value)
    };
    let zero_first: &[_] = &[("ZERO", 0), ("A", 1), ("BC", 6)];
    let zero_last: &[_] = &[("A", 1), ("AB", 3), ("ZERO", 0)];
    check([
        (mode(1), "ONE"),
        (mode(-1), "NEG"),
        (mode(u64::MAX.into()), "MAX"),
        (mode(-7), "-7"),
        (mode(7), "7"),
        (bits(1, zero_first, 0), "ZERO"),
        (bits(1, zero_first, 2), "0x2"),
        (bits(1, zero_first, 3), "A | 0x2"),
        (bits(1, zero_first, 15), "A | BC | 0x8"),
        (bits(2, zero_last, 0), "ZERO"),
        (bits(2, zero_last, 1), "A"),
        (bits(2, zero_last, 3), "A | 0x2"),
        (bits(3, &[], 0), "0x0"),
        (bits(3, &[], 5), "0x5"),
    ]);
}

#[test]
fn c5_arrays_are_lists_and_structures_are_maps() {
    let point = |x, y| structure(1, &[("x", x), ("y", y)]);
    check([
        (list(&[]), "[]"),
        (list(&[int(5)]), "[5]"),
        (list(&[int(5), Value::Null]), "[5, null]"),
        (list(&[list(&[list(&[]), int(1)])]), "[[[], 1]]"),
        (point(int(1), list(&[int(2)])), "{x: 1, y: [2]}"),
        (point(point(Value::Pointer(0), int(2)), int(3)), "{x: {x: 0x0, y: 2}, y: 3}"),
        (structure(2, &[]), "{}"),
        (list(&[structure(2, &[]), structure(2, &[])]), "[{}, {}]"),
    ]);
}

#[test]
fn c5_of_two_forms_the_one_for_people_counts() {
    let point = structure(1, &[("x", int(4)), ("y", int(5))]);
    check([
        (repr(Value::Text(b"people".to_vec()), int(1)), "people"),
        (repr(list(&[int(1), repr(int(2), int(3))]), point), "[1, 2]"),
        (list(&[repr(int(1), list(&[int(2)])), int(3)]), "[1, 3]"),
        (repr(repr(int(1), int(2)), repr(int(3), int(4))), "1"),
    ]);
}

#[test]
fn c4_the_members_of_a_structure_without_a_name_belong_to_the_outer_one() {
    let inner = || structure(10, &[("p", int(1)), ("", structure(11, &[("q", int(2))]))]);
    check([
        (structure(1, &[("", inner()), ("x", int(3))]), "{p: 1, q: 2, x: 3}"),
        (structure(2, &[("x", int(3)), ("", inner())]), "{x: 3, p: 1, q: 2}"),
        (structure(3, &[("", structure(12, &[])), ("x", int(3))]), "{x: 3}"),
        (structure(4, &[("", int(5)), ("x", int(6))]), "{0: 5, x: 6}"),
        (structure(5, &[("", list(&[inner()]))]), "{0: [{p: 1, q: 2}]}"),
        (structure(6, &[("", repr(inner(), int(1))), ("x", int(6))]), "{0: {p: 1, q: 2}, x: 6}"),
    ]);
}

#[test]
fn c5_arguments_have_the_order_of_the_stream_and_the_returned_value_is_one() {
    let argument = Detail::Argument;
    let one = |value| Value::Enum(1, vec![("ONE".to_owned(), 1), ("TWO".to_owned(), 2)], value);
    let frames = Detail::Backtrace(vec![(1, vec![(1, "lib".to_owned())])]);
    let calls = [
        (vec![], vec![], ""),
        (vec![argument(0, int(1)), argument(2, Value::Null)], vec![argument(1, int(2))], "a=1, c=null, b=2"),
        (
            vec![argument(2, int(1)), argument(0, int(2))],
            vec![argument(0, int(3)), Detail::Return(int(4))],
            "c=1, a=2, a=3, return=4",
        ),
        (
            vec![argument(0, one(1)), Detail::Flags(1), argument(1, one(1))],
            vec![argument(2, int(5))],
            "a=ONE, b=ONE, c=5",
        ),
        (
            vec![frames.clone(), argument(0, int(6))],
            vec![Detail::Flags(0), Detail::Return(one(1))],
            "a=6, return=ONE, backtrace=[lib]",
        ),
        // The function has no such arguments.
        (vec![argument(7, int(6)), argument(1 << 40, int(6))], vec![frames], "backtrace=[lib]"),
    ];
    for version in [0, 2, 3, 6] {
        let mut stream = Stream::new(version, &[]);
        for (number, (enter, leave, _)) in (0..).zip(&calls) {
            stream.enter(0, (1, "f", &["a", "b", "c"]), enter);
            stream.leave(number, leave);
        }
        // Without arguments in the signature, and never returned.
        stream.enter(0, (2, "g", &[]), &[argument(0, int(1)), Detail::Return(int(8))]);
        stream.enter(0, (2, "g", &[]), &[argument(0, int(1))]);
        stream.enter(0, (1, "f", &["a", "b", "c"]), &[argument(1, one(1))]);
        let expected = calls.iter().map(|&(_, _, text)| text).chain(["return=8", "", "b=ONE"]);
        assert_eq!(texts(stream.bytes()), expected.collect::<Vec<_>>(), "version {version}");
    }
    texts(&game(300));
}

#[test]
fn c5_calls_have_the_same_arguments_whether_their_bytes_are_copied_or_not() {
    let one = || vec![("ONE".to_owned(), 1)];
    let values = [
        Value::Bool(true),
        int(-200),
        Value::Double(0.5),
        Value::Text(vec![b't'; 200]),
        Value::Pointer(1 << 40),
        Value::Enum(1, one(), 1),
        list(&[Value::Null]),
    ];
    // The first round defines the signatures, so that its calls are not copied.
    let mut stream = Stream::new(6, &[]);
    for (number, value) in (0..).zip([&values[..], &values[..]].concat()) {
        stream.enter(0, (number % 7, "f", &["a", "b"]), &[Detail::Argument(1, value.clone())]);
        stream.leave(number, &[Detail::Return(value)]);
    }
    let texts = texts(stream.bytes());
    assert_eq!((texts.len(), &texts[..7]), (14, &texts[7..]));
}

#[test]
fn c6_arguments_that_are_too_long_are_cut_behind_a_whole_value() {
    // The second call refers to the names of the first one.
    let names: Vec<_> = (0..16).map(|index| format!("argument{index}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let long = |value| Value::Enum(1, vec![("A_LONG_NAME_OF_A_VALUE".to_owned(), 1)], value);
    let point = |x| structure(1, &[("a member with a long name", x), ("y", int(2))]);
    let mut stream = Stream::new(6, &[]);
    for number in 0..2 {
        stream.enter(0, (1, "f", &names[..2]), &[Detail::Argument(0, list(&[const { Value::Null }; 4]))]);
        stream.leave(number, &[]);
    }
    for number in 2..4 {
        let details = [Detail::Argument(0, int(7)), Detail::Argument(1, list(&[0; 9].map(|_| long(1))))];
        stream.enter(0, (1, "f", &names[..2]), &details);
        stream.leave(number, &[]);
    }
    for number in 4..6 {
        stream.enter(0, (1, "f", &names[..2]), &[Detail::Argument(0, list(&[0; 9].map(|_| point(int(1)))))]);
        stream.leave(number, &[]);
    }
    for number in 6..8 {
        stream.enter(0, (2, "g", &names), &[Detail::Argument(0, int(7))]);
        stream.leave(number, &[]);
    }
    let texts = texts(stream.bytes());
    assert_eq!(texts[1], "argument0=[null, null, null, null]");
    let whole = "A_LONG_NAME_OF_A_VALUE";
    assert_eq!(texts[2], format!("argument0=7, argument1=[{}]", [whole; 9].join(", ")));
    assert_eq!(texts[3], format!("argument0=7, argument1=[{}], …=null", [whole; 8].join(", ")));
    let point = "{a member with a long name: 1, y: 2}";
    assert_eq!(texts[5], format!("argument0=[{}, {{}}], …=null", [point; 7].join(", ")));
    assert_eq!(texts[7], "…=null", "the names alone are too long");
}

#[test]
fn c6_of_a_function_with_very_many_arguments_none_are_kept() {
    for (count, expected) in [(127, "z=1"), (128, "…=null")] {
        let mut stream = Stream::new(6, &[]);
        stream.enter(0, (1, "f", &vec!["z"; count]), &[Detail::Argument(3, int(1))]);
        stream.leave(0, &[]);
        assert_eq!(texts(stream.bytes()), [expected]);
    }
}

#[test]
fn c6_deep_values_are_kept_whole_and_printed_in_part() {
    let mut bytes = [0x0b, 1].repeat(1_000_000);
    bytes.push(0);
    let mut stream = Stream::new(6, &[]);
    let details = [Detail::Argument(0, Value::Raw(bytes)), Detail::Argument(1, int(5))];
    stream.enter(0, (7, "f", &["a", "b"]), &details);
    stream.leave(0, &[]);
    assert_eq!(texts(stream.bytes()), ["a=[[[[[[[[…]]]]]]]], b=5"]);
}

#[test]
fn c6_a_backtrace_is_the_last_argument_innermost_function_first() {
    let text = |tag, text: &str| (tag, text.to_owned());
    let (module, function, file) = (1, 2, 3);
    let inner = vec![text(module, "lib.so"), text(function, "draw"), text(file, "draw.c")];
    let outer = vec![text(module, "app")];
    let mut stream = Stream::new(6, &[]);
    // The second call refers to frames that the first one has described.
    for number in 0..2 {
        let frames = vec![(1, inner.clone()), (2, outer.clone())];
        stream.enter(0, (1, "f", &["a"]), &[Detail::Backtrace(frames), Detail::Argument(0, int(1))]);
        stream.leave(number, &[Detail::Return(int(2))]);
    }
    assert_eq!(texts(stream.bytes()), ["a=1, return=2, backtrace=[draw draw.c, app]"; 2]);
}
