//! The rules of apitrace recordings, on streams written straight from the format's description.
#![cfg(feature = "alloc")]

use crate::common;
use crate::tool;
use spall_format::apitrace::{Calls, Parser};
use spall_format::container::{Container, Decompressed, decompress};
use spall_format::{FormatError, FormatErrorKind};
use spall_model::{DiagnosticKind, Event, LendingParser, Limits, Progress};
use spall_synth::apitrace::{Detail, Stream, Value, game, snappy, snappy_block, uint};

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

fn unpack(data: &[u8]) -> Decompressed<'_> {
    decompress(data, &Limits::default()).unwrap()
}

fn int(value: i128) -> Value {
    Value::Integer(value)
}

/// A call without details of its own.
fn call(stream: &mut Stream, number: u64, details: &[Detail]) {
    stream.enter(0, (7, "f", &["a", "b"]), details);
    stream.leave(number, &[]);
}

/// A stream with every kind of value and detail.
fn kitchen_sink(version: u64) -> Stream {
    let mut stream = Stream::new(version, &[("process.name", "p")]);
    let names = vec![("ONE".to_owned(), 1), ("NEG".to_owned(), -1)];
    let flags = vec![("A".to_owned(), 1), ("B".to_owned(), 2)];
    let inner = Value::Struct(9, String::new(), vec![("x".to_owned(), int(1))]);
    let members = vec![(String::new(), inner), ("y".to_owned(), Value::Bool(true))];
    let value = Value::Array(vec![
        Value::Enum(1, names.clone(), 1),
        Value::Bitmask(2, flags, 7),
        Value::Struct(3, "S".to_owned(), members),
        Value::Repr(Box::new([Value::Text(b"\"h\"".to_vec()), Value::Blob(vec![0; 9])])),
        Value::Wide(vec![0x68, 0xe9]),
        Value::Pointer(16),
        Value::Null,
        Value::Float(0.1),
        Value::Double(1e100),
    ]);
    stream.enter(1, (5, "outer", &["v", "w"]), &[Detail::Argument(0, value), Detail::Flags(1)]);
    let module = vec![(1, "lib".to_owned()), (2, "g".to_owned())];
    stream.enter(2, (6, "inner", &[]), &[Detail::Backtrace(vec![(0, module), (1, vec![])])]);
    stream.leave(1, &[]);
    stream.leave(0, &[Detail::Return(Value::Enum(1, names, 1)), Detail::Argument(1, int(-5))]);
    stream.enter(1, (6, "inner", &[]), &[]);
    stream
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
    assert!(calls.properties().eq([(&b"a"[..], &b"1"[..]), (b"a", b"2")]));
    assert_eq!((calls.version(), calls.semantic_version()), (6, 6));
}

#[test]
fn whatever_is_cut_off_the_calls_before_are_read() {
    let stream = kitchen_sink(6);
    let whole = read(stream.bytes()).0;
    for length in 20..stream.bytes().len() {
        let mut calls = Calls::new(&stream.bytes()[..length]).unwrap();
        let read: Vec<_> = calls.by_ref().map(Result::unwrap).collect();
        let is_cut = calls.truncated().is_some();
        for call in read.iter().filter(|call| call.left.is_some()) {
            assert!(whole.contains(&tool::line(call, calls.signatures())), "cut at {length}");
            assert!(call.leave.unwrap().end <= length as u64);
        }
        // What is not cut ends between two events.
        let n_events = Calls::new(&stream.bytes()[..length]).unwrap().n_events();
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
fn c1_snappy_blocks_of_any_size_are_the_same_stream() {
    let stream = game(2000);
    for block in [1, 7, 100, 65_536, 1 << 20] {
        let unpacked = unpack(&snappy(&stream, block)).stream.into_owned();
        assert!(unpacked == stream, "{block}");
    }
}

#[test]
fn c1_a_cut_snappy_file_gives_what_is_there() {
    let stream = game(60);
    let packed = snappy(&stream, 300);
    let ends: Vec<usize> = (0..=stream.len().div_ceil(300))
        .map(|blocks| snappy(&stream[..(blocks * 300).min(stream.len())], 300).len())
        .collect();
    let mut least = 0;
    for length in 2..=packed.len() {
        let unpacked = unpack(&packed[..length]);
        assert!(stream.starts_with(&unpacked.stream), "cut at {length}");
        assert!(unpacked.stream.len() >= least, "cut at {length}");
        least = unpacked.stream.len();
        assert_eq!(unpacked.damage.is_none(), ends.contains(&length), "cut at {length}");
    }
}

#[test]
fn c1_a_flipped_bit_keeps_the_blocks_before_it() {
    let stream = game(60);
    let packed = snappy(&stream, 300);
    for position in 2..packed.len() {
        let mut flipped = packed.clone();
        flipped[position] ^= 0x10;
        let unpacked = decompress(&flipped, &Limits::default()).unwrap();
        let blocks_before =
            (0..).find(|n| snappy(&stream[..((n + 1) * 300).min(stream.len())], 300).len() > position);
        assert!(unpacked.stream.starts_with(&stream[..blocks_before.unwrap_or(0) * 300]), "{position}");
    }
}

#[test]
fn c1_an_empty_block_ends_the_data() {
    let stream = game(10);
    let packed = [snappy(&stream, 1 << 20), vec![0; 4], snappy_block(&stream)].concat();
    let unpacked = unpack(&packed);
    assert_eq!(unpacked.stream, stream);
    assert_eq!(unpacked.damage.unwrap().kind, DiagnosticKind::Junk);
}

#[test]
fn c6_the_output_has_a_limit_and_the_error_says_it() {
    let mut limits = Limits::default();
    limits.max_decompressed_bytes = 3 << 20;
    let zeros = snappy(&vec![0; 4 << 20], 1 << 20);
    let error = decompress(&zeros, &limits).unwrap_err();
    assert_eq!(error.kind(), FormatErrorKind::OutputLimit { max_mib: 3 });
    assert!(error.to_string().contains("over the limit of 3 MiB"), "{error}");
    limits.max_decompressed_bytes = 4 << 20;
    assert_eq!(decompress(&zeros, &limits).unwrap().stream.len(), 4 << 20);
}

#[test]
fn c1_containers_are_told_by_their_first_bytes() {
    assert_eq!(Container::detect(b"at"), Some(Container::Snappy));
    assert_eq!(Container::detect(b"\x1f\x8b\x08"), Some(Container::Gzip));
    assert_eq!(Container::detect(b"\x28\xb5\x2f\xfd"), Some(Container::Zstd));
    assert_eq!(Container::of_recording(b"\x05"), None);
    for other in [&b""[..], b"a", b"\x28\xb5", b"PK", b"\x8b"] {
        assert_eq!(Container::detect(other), None);
        assert_eq!(Container::of_recording(other), Some(Container::Brotli));
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
    // The default of Limits::max_open_calls.
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

#[cfg(feature = "gzip")]
#[test]
fn c1_a_gzip_head_may_have_more_fields() {
    let content = game(3);
    let member = spall_synth::gzip::member(&content);
    let (head, rest) = member.split_at(10);
    // An extra field of 3 bytes, a name, a comment, a checksum of the head: each alone, and all.
    let fields = [(4, &b"\x03\0abc"[..]), (8, b"name\0"), (16, b"\0"), (2, b"\xff\xff")];
    for flags in [4, 8, 16, 2, 4 | 8 | 16 | 2] {
        let fields = fields.iter().filter(|(flag, _)| flags & flag != 0).flat_map(|&(_, bytes)| bytes);
        let mut file: Vec<u8> = head.iter().chain(fields).chain(rest).copied().collect();
        file[3] = flags;
        let unpacked = unpack(&file);
        assert_eq!((&*unpacked.stream, unpacked.damage), (&content[..], None), "{flags}");
    }
}

#[cfg(feature = "gzip")]
#[test]
fn c1_a_wrong_checksum_is_said_and_takes_nothing_away() {
    use spall_synth::gzip;
    let content = game(3);
    let (front, back) = content.split_at(100);
    let members = [gzip::member(front), gzip::member(back)];
    let file = members.concat();
    let unpacked = unpack(&file);
    assert_eq!((&*unpacked.stream, unpacked.damage), (&content[..], None));
    for (start, end) in [(0, members[0].len()), (members[0].len(), file.len())] {
        for at in end - 8..end {
            let mut file = file.clone();
            file[at] ^= 1;
            let unpacked = unpack(&file);
            let damage = unpacked.damage.expect("a diagnostic");
            assert_eq!((damage.kind, damage.bytes.start), (DiagnosticKind::BadChecksum, start as u64));
            assert_eq!(&*unpacked.stream, content);
        }
    }
    for missing in 1..=8 {
        let unpacked = unpack(&file[..file.len() - missing]);
        assert_eq!((&*unpacked.stream, unpacked.damage), (&content[..], None));
    }
}

/// Returns all events as text, and the error that ended them, of a stream that comes in pieces.
fn read_in_pieces(stream: &[u8], size: usize) -> Vec<common::Step<FormatError>> {
    common::in_pieces(Parser::new(), stream, |_, end| end + size, |event| format!("{event:?}"))
}

#[test]
fn the_stream_is_needed_to_its_end() {
    let stream = game(30);
    let mut parser = Parser::new();
    loop {
        match parser.lend(&stream, true, &mut |_: &Event<'_>, _| ()).unwrap() {
            Progress::End => return,
            progress => assert_eq!(progress, Progress::Read(0)),
        }
    }
}

#[test]
fn pieces_of_any_size_make_the_same_events() {
    let mut groups = game(30);
    groups.truncate(groups.len() - 3);
    for stream in [kitchen_sink(6).bytes(), kitchen_sink(2).bytes(), &game(30), &groups] {
        let whole = read_in_pieces(stream, stream.len());
        for size in [1, 2, 3, 7, 64, 1000] {
            assert!(read_in_pieces(stream, size) == whole, "pieces of {size}");
        }
        for position in (0..stream.len()).step_by(5) {
            let mut flipped = stream.to_vec();
            flipped[position] ^= 0x41;
            let (pieces, whole) = (read_in_pieces(&flipped, 1), read_in_pieces(&flipped, stream.len()));
            // Without `assert_eq!`, which would print all events.
            assert!(pieces == whole, "at {position}");
        }
    }
}
