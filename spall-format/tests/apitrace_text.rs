//! The text form of calls against what apitrace 11.1 prints: `apitrace dump -v --thread-ids`.
#![cfg(feature = "alloc")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::std_instead_of_alloc,
    reason = "a test fails by panicking"
)]

use spall_format::apitrace::{Calls, Parser};
use spall_format::container::decompress;
use spall_model::{Event, LendingParser, Limits};
use spall_synth::apitrace::{Detail, Stream, Value, game};

fn lines(stream: &[u8]) -> Vec<String> {
    let mut calls = Calls::new(stream).unwrap();
    let mut lines = Vec::new();
    while let Some(call) = calls.next() {
        lines.push(call.unwrap().display(calls.signatures()).to_string());
    }
    lines
}

/// Checks how values are written as the only argument of a call.
fn check_values(values: Vec<(Value, &str)>) {
    let (mut stream, mut expected) = (Stream::new(6, &[]), Vec::new());
    for (number, (value, text)) in (0_u64..).zip(values) {
        stream.enter(0, (1, "f", &["a"]), &[Detail::Argument(0, value)]);
        stream.leave(number, &[]);
        expected.push(format!("{number} @0 f(a = {text})"));
    }
    assert_eq!(lines(stream.bytes()), expected);
    check_events(stream.bytes());
}

/// Checks that the event of each call has the text of its arguments.
fn check_events(stream: &[u8]) {
    let (mut calls, mut expected) = (Calls::new(stream).unwrap(), Vec::new());
    while let Some(Ok(call)) = calls.next() {
        let text = call.display_arguments(calls.signatures()).to_string();
        expected.push(if text == "()" { String::new() } else { text });
    }
    let mut found = Vec::new();
    let see = |event: &Event<'_>, _| {
        if let Event::Complete(slice, _) | Event::Unfinished(slice) = event
            && (slice.category.is(b"call") || slice.category.is(b"fake"))
        {
            found.push(slice.args.to_string());
        }
    };
    Parser::new().lend_all(stream, see).unwrap();
    assert_eq!(found, expected);
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
fn c4_scalars() {
    check_values(vec![
        (Value::Null, "NULL"),
        (Value::Bool(false), "false"),
        (Value::Bool(true), "true"),
        (int(0), "0"),
        (int(-1), "-1"),
        (int(u64::MAX.into()), "18446744073709551615"),
        (int(-(1 << 63)), "-9223372036854775808"),
        (Value::Float(1.0 / 3.0), "0.3333333"),
        (Value::Float(-0.0), "-0"),
        (Value::Float(12_345_678.0), "1.234568e+07"),
        (Value::Float(0.0001), "0.0001"),
        (Value::Float(0.00001), "1e-05"),
        (Value::Float(f32::NAN), "nan"),
        (Value::Float(f32::NEG_INFINITY), "-inf"),
        (Value::Double(0.1 + 0.2), "0.3"),
        (Value::Double(1.0 / 3.0), "0.3333333333333333"),
        (Value::Double(1e100), "1e+100"),
        (Value::Blob(Vec::new()), "blob(0)"),
        (Value::Blob(vec![7; 300]), "blob(300)"),
        (Value::Pointer(0), "0x0"),
        (Value::Pointer(u64::MAX), "0xffffffffffffffff"),
    ]);
}

#[test]
fn c4_texts_end_at_nul_and_bytes_are_escaped_in_octal() {
    let text = |bytes: &[u8]| Value::Text(bytes.to_vec());
    check_values(vec![
        (text(b""), r#""""#),
        (text(b"a\0b"), r#""a""#),
        (text(b"\"\\'"), r#""\"\\'""#),
        (text(b"l1\r\nl2\t"), "\"l1\nl2\t\""),
        (text(b"\x01\x1f\x7f\x80\xff"), r#""\1\337\777\0\777""#),
        (text("é".as_bytes()), r#""\3\551""#),
        (Value::Wide(vec![]), r#"L"""#),
        (Value::Wide(vec![72, 0, 105]), r#"L"H""#),
        (Value::Wide(vec![0x68, 0xe9, 0x20ac, 0x1_f600]), r#"L"h\551\554\0""#),
        (Value::Wide(vec![13, 10]), "L\"\n\""),
        // Units have 32 bits.
        (Value::Wide(vec![(1 << 32) + 65, 1 << 32, 66]), r#"L"A""#),
    ]);
}

#[test]
fn c4_enums_and_bitmasks() {
    let mode = |value| {
        let names = [("ONE", 1), ("UNO", 1), ("NEG", -1), ("MAX", 0xffff_ffff)];
        Value::Enum(1, names.map(|(name, value)| (name.to_owned(), value)).into(), value)
    };
    let bits = |id, names: &[(&str, u64)], value| {
        Value::Bitmask(id, names.iter().map(|&(name, bits)| (name.to_owned(), bits)).collect(), value)
    };
    let zero_first: &[_] = &[("ZERO", 0), ("A", 1), ("BC", 6)];
    let zero_last: &[_] = &[("A", 1), ("AB", 3), ("ZERO", 0)];
    check_values(vec![
        (mode(1), "ONE"),
        (mode(-1), "NEG"),
        (mode(0xffff_ffff), "MAX"),
        (mode(-7), "-7"),
        (mode(7), "7"),
        (bits(1, zero_first, 0), "ZERO"),
        (bits(1, zero_first, 2), "0x2"),
        (bits(1, zero_first, 3), "A | 0x2"),
        (bits(1, zero_first, 15), "A | BC | 0x8"),
        (bits(2, zero_last, 0), "0x0"),
        (bits(2, zero_last, 1), "A"),
        (bits(2, zero_last, 3), "A | 0x2"),
        (bits(3, &[], 0), "0x0"),
        (bits(3, &[], 5), "0x5"),
    ]);
}

#[test]
fn c4_values_inside_others() {
    let point = |x, y| structure(1, &[("x", x), ("y", y)]);
    check_values(vec![
        (list(&[]), "{}"),
        (list(&[int(5)]), "&5"),
        (list(&[int(5), Value::Null]), "{5, NULL}"),
        (list(&[list(&[list(&[]), int(1)])]), "&{{}, 1}"),
        (point(int(1), list(&[int(2)])), "{x = 1, y = &2}"),
        (point(point(Value::Pointer(0), int(2)), int(3)), "{x = {x = 0x0, y = 2}, y = 3}"),
        (structure(2, &[]), "{}"),
        (list(&[structure(2, &[]), structure(2, &[])]), "{{}, {}}"),
        (repr(Value::Text(b"people".to_vec()), int(1)), "\"people\""),
        (repr(list(&[int(1), repr(int(2), int(3))]), point(int(4), int(5))), "{1, 2}"),
        (list(&[repr(int(1), list(&[int(2)])), int(3)]), "{1, 3}"),
    ]);
}

#[test]
fn c4_an_unnamed_member_is_written_if_it_is_a_structure() {
    let inner = || structure(10, &[("p", int(1)), ("", structure(11, &[("q", int(2))]))]);
    check_values(vec![
        (structure(1, &[("", inner()), ("x", int(3))]), "{p = 1, q = 2, x = 3}"),
        (structure(2, &[("x", int(3)), ("", inner())]), "{x = 3, p = 1, q = 2}"),
        (structure(3, &[("", structure(12, &[])), ("x", int(3))]), "{x = 3}"),
        (structure(4, &[("", int(5)), ("x", int(6))]), "{x = 6}"),
        (structure(5, &[("", list(&[inner()])), ("", Value::Null)]), "{}"),
        (structure(6, &[("", repr(inner(), int(1))), ("x", int(6))]), "{x = 6}"),
        (structure(7, &[("\0p", inner()), ("x\0y", int(6))]), "{p = 1, q = 2, x = 6}"),
    ]);
}

#[test]
fn c4_a_guid_is_written_as_such() {
    let guid = |eight: &[Value]| {
        let data = [int(0x1234), int(0xab), int(2), list(eight)];
        let names = ["Data1", "Data2", "Data3", "Data4"].map(str::to_owned);
        Value::Struct(9, "GUID".to_owned(), names.into_iter().zip(data).collect())
    };
    let eight: Vec<_> = (1..=8).map(int).collect();
    check_values(vec![
        (guid(&eight), "uuid(00001234-00ab-0002-0102-030405060708)"),
        (
            structure(1, &[("", guid(&eight))]),
            "{Data1 = 4660, Data2 = 171, Data3 = 2, Data4 = {1, 2, 3, 4, 5, 6, 7, 8}}",
        ),
        // The tool reads beyond the end of such a list.
        (guid(&[int(1)]), "{Data1 = 4660, Data2 = 171, Data3 = 2, Data4 = &1}"),
    ]);
}

#[test]
fn c4_numbers_are_written_in_full() {
    check_values(vec![
        (int(-i128::from(u64::MAX)), "-18446744073709551615"),
        (Value::Enum(1, vec![("MAX".to_owned(), u64::MAX.into())], u64::MAX.into()), "MAX"),
        (Value::Enum(1, Vec::new(), -1), "-1"),
        (Value::Enum(1, Vec::new(), (u64::MAX - 1).into()), "18446744073709551614"),
    ]);
}

#[test]
fn c4_names_end_at_nul_and_are_utf_8() {
    let mut stream = Stream::new(6, &[]);
    stream.enter(0, (1, "na\0me", &["a\0b"]), &[]);
    stream.leave(0, &[]);
    stream.enter(0, (2, "", &[""]), &[]);
    stream.leave(1, &[]);
    // The function 3 has a name that is not UTF-8, and no arguments.
    stream.raw(b"\0\0\x03\x05bad\xff!\0\0\x01\x02\0");
    assert_eq!(lines(stream.bytes()), ["0 @0 na(a = ?)", "1 @0 ( = ?)", "2 @0 bad\u{fffd}!()"]);
}

#[test]
fn c4_threads_are_hexadecimal_and_remarks_follow_each_other() {
    let mut stream = Stream::new(6, &[]);
    let f = (1, "f", &[][..]);
    for (number, (enter, leave)) in
        [(&[0][..], &[][..]), (&[1], &[0]), (&[3, 0], &[]), (&[2], &[4, 1])].iter().enumerate()
    {
        let flags = |flags: &[u64]| flags.iter().map(|&flags| Detail::Flags(flags)).collect::<Vec<_>>();
        stream.enter(300, f, &flags(enter));
        stream.leave(number as u64, &flags(leave));
    }
    stream.enter(10, f, &[Detail::Flags(1)]);
    stream.enter(9, f, &[]);
    assert_eq!(
        lines(stream.bytes()),
        [
            "0 @12c f()",
            "1 @12c f() // fake",
            "2 @12c f() // fake",
            "3 @12c f() // fake",
            "4 @a f() // fake incomplete",
            "5 @9 f() // incomplete",
        ]
    );
}

#[test]
fn c4_frames_with_each_set_of_details() {
    let file = include_bytes!("../../testdata/apitrace/frames.trace");
    let mut expected = include_str!("../../testdata/apitrace/frames.dump.txt").to_owned();
    // The tool takes lines as 32 bits and offsets as 64 bits with a sign, and leaves out what is then negative.
    for (number, tool, ours) in [
        (35, "m: f:0", "m: f:4294967296"),
        (36, "m", "m+0xffffffffffffffff"),
        (37, "m: f", "m: f:2147483648"),
        (38, "m", "m+0x8000000000000000"),
    ] {
        let call = |frame| format!("{number} @0 f()\nBacktrace:\n{frame}\n");
        assert!(expected.contains(&call(tool)), "{tool}");
        expected = expected.replace(&call(tool), &call(ours));
    }
    let stream = decompress(file, &Limits::default()).unwrap().stream;
    assert_eq!(lines(&stream).join("\n") + "\n", expected);
}

#[test]
fn c5_events_have_the_text_of_their_calls() {
    let enter_and_leave = |stream: &mut Stream, number, enter: &[Detail], leave: &[Detail]| {
        stream.enter(0, (1, "f", &["a", "b", "c"]), enter);
        stream.leave(number, leave);
    };
    let one = |value| Value::Enum(1, vec![("ONE".to_owned(), 1), ("TWO".to_owned(), 2)], value);
    let argument = Detail::Argument;
    for version in [0, 2, 3, 6] {
        let mut stream = Stream::new(version, &[]);
        let frames = Detail::Backtrace(vec![(1, vec![(1, "lib".to_owned())])]);
        for (number, (enter, leave)) in [
            (vec![], vec![]),
            (vec![argument(0, int(1)), argument(2, Value::Null)], vec![argument(1, int(2))]),
            (
                vec![argument(2, int(1)), argument(0, int(2))],
                vec![argument(0, int(3)), Detail::Return(int(4))],
            ),
            (vec![argument(0, one(1)), Detail::Flags(1), argument(1, one(1))], vec![argument(2, int(5))]),
            (vec![frames.clone(), argument(0, int(6))], vec![Detail::Flags(0), Detail::Return(one(1))]),
            (vec![argument(7, int(6)), argument(1 << 40, int(6))], vec![frames]),
        ]
        .into_iter()
        .enumerate()
        {
            enter_and_leave(&mut stream, number as u64, &enter, &leave);
        }
        // Without arguments in the signature, and never returned.
        stream.enter(0, (2, "g", &[]), &[argument(0, int(1)), Detail::Return(int(8))]);
        stream.enter(0, (2, "g", &[]), &[argument(0, int(1))]);
        stream.enter(0, (1, "f", &["a", "b", "c"]), &[argument(1, one(1))]);
        check_events(stream.bytes());
    }
    check_events(&game(300));
    check_events(
        &decompress(include_bytes!("../../testdata/apitrace/frames.trace"), &Limits::default())
            .unwrap()
            .stream,
    );
}

#[test]
fn c5_a_record_that_is_too_long_is_a_cut_text() {
    // The signature is used by the second call, which is short.
    let names: Vec<_> = (0..100).map(|index| format!("argument{index}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let mut stream = Stream::new(6, &[]);
    for number in 0..2 {
        stream.enter(0, (1, "f", &names), &[Detail::Argument(0, int(7))]);
        stream.leave(number, &[]);
    }
    let mut texts = Vec::new();
    let see = |event: &Event<'_>, _| {
        if let Event::Complete(slice, _) = event {
            texts.push(slice.args.to_string());
        }
    };
    Parser::new().lend_all(stream.bytes(), see).unwrap();
    // 8 bytes for the enter, 3 for the leave.
    assert_eq!((texts.len(), texts[1].len()), (2, 32 + 4 * 11));
    assert!(texts[1].starts_with("(argument0 = 7, argument1 = ?, "), "{}", texts[1]);
}
