//! Native auto traces. [spall A.7]

use crate::common::in_pieces;
use serde_json::Value as Json;
use spall_format::spall::auto::{NoSymbols, Parser, Record, Records};
use spall_format::{FormatError, FormatErrorKind};
use spall_model::{ByteRange, DiagnosticKind, Event, LendingParser, MetaEvent, Value};
use spall_synth::auto::{buffer, header, sample};

/// An event as text, because it lives only until the next one is read.
type Line = (ByteRange, String);

fn line(event: &Event<'_>) -> String {
    match event {
        Event::Begin(begin) => {
            assert_eq!(begin.thread.pid, 0_u32.into());
            let (name, args) = (begin.name.raw().escape_ascii(), begin.args.bytes().escape_ascii());
            format!("begin {:?} {} {name} {args}", begin.thread.tid, begin.at.0)
        }
        Event::End(end) => format!("end {:?} {}", end.thread.tid, end.at.0),
        Event::Meta(MetaEvent { thread: None, key, value: Value::Text(text), .. }) => {
            format!("{} {}", key.raw().escape_ascii(), text.raw().escape_ascii())
        }
        Event::Diagnostic(kind) => format!("{kind:?}"),
        Event::Clock(clock) => format!("clock {:?}", clock.ns_per_tick()),
        other => panic!("{other:?}"),
    }
}

/// All events with their ranges, read with `size` more bytes whenever the parser wants more.
fn read(data: &[u8], size: usize) -> Result<Vec<Line>, FormatError> {
    let next = |_, end: usize| end.saturating_add(size);
    let steps = in_pieces(Parser::new(NoSymbols), data, next, line);
    steps.into_iter().map(|step| step.map(|(line, bytes)| (bytes, line))).collect()
}

/// The events behind the clock and the program.
fn events(data: &[u8]) -> Vec<String> {
    let lines = read(data, usize::MAX).unwrap();
    assert_eq!(read(data, 7).unwrap(), lines);
    assert!(lines[0].1.starts_with("clock ") && lines[1].1.starts_with("program "));
    lines.into_iter().skip(2).map(|(_, line)| line).collect()
}

/// The undigested records of a whole file up to the first damage, with their threads.
fn records(data: &[u8]) -> Vec<(u32, Record<'_>)> {
    let path_len = usize::from(u16::from_le_bytes([data[32], data[33]]));
    Records::new(&data[34 + path_len..]).map_while(Result::ok).collect()
}

#[test]
fn spall_a_7_records_are_decoded_to_absolute_addresses() {
    let data = sample();
    let records = records(&data);
    assert!(records.iter().all(|&(tid, _)| tid == 7));
    let records: Vec<_> = records.into_iter().map(|(_, record)| record).collect();
    let expected = [
        Record::Enter { when: 101, address: 0x11, caller: 0x22 },
        Record::Enter { when: 103, address: 0xff10, caller: 0xddcc },
        Record::End { when: 104 },
        Record::Begin { when: 107, name: b"ok", args: b"a" },
        Record::End { when: 116 },
    ];
    assert_eq!(records[..5], expected);
    let last = Record::End { when: 200 + 0x0101_0101_0101_0101 + 0x0100_0000_0000_0000 };
    assert_eq!(records[6], last);
    // Addresses start from 0 again in each buffer.
    let eight = |byte: u64| byte * 0x0101_0101_0101_0101;
    let first = Record::Enter { when: 200 + 0x0101_0101_0101_0101, address: eight(2), caller: eight(3) };
    assert_eq!(records[5], first);
}

#[test]
fn spall_a_7_a_function_is_named_by_its_relative_address() {
    let lines: Vec<_> = read(&sample(), usize::MAX).unwrap().into_iter().map(|(_, line)| line).collect();
    let expected = [
        "program /bin/x",
        "begin Number(7) 101 0x1 ",
        "begin Number(7) 103 0xff00 ",
        "end Number(7) 104",
        "begin Number(7) 107 ok a",
        "end Number(7) 116",
    ];
    assert_eq!(lines[1..7], expected);
    // One NUL is stripped, as from any name. [spall A.6]
    let record = [0b1000_0000 | 1 << 4, 0, 3, 0, b'n', 0, 0];
    assert_eq!(events(&[header(1.0, 0, ""), buffer(1, 0, &record)].concat()), ["begin Number(1) 0 n\\x00 "]);
    // An address before the program wraps.
    let record = [0, 0, 0x0f, 0];
    let data = [header(1.0, 0x10, ""), buffer(1, 0, &record)].concat();
    assert_eq!(events(&data), ["begin Number(1) 0 0xffffffffffffffff "]);
}

#[cfg(feature = "alloc")]
#[test]
fn spall_a_7_a_symbolizer_is_asked_once_for_each_relative_address() {
    use spall_format::spall::auto::CachedSymbols;

    let enter = [0, 0, 0x60, 0];
    // Addresses are XORed with the one before: the same one again is 0.
    let again = [0, 0, 0, 0];
    let data = [header(1.0, 0x10, ""), buffer(1, 0, &[enter, again].concat())].concat();
    let mut asked = Vec::new();
    let parser = Parser::new(CachedSymbols::new(|address| {
        asked.push(address);
        Some(b"main".to_vec())
    }));
    let mut names = 0;
    let result = parser.lend_all(&data, |event, _| {
        if let Event::Begin(begin) = event {
            assert!(begin.name.is(b"main"));
            names += 1;
        }
    });
    assert_eq!(result, Ok(()));
    assert_eq!((asked, names), (vec![0x50], 2));
}

#[test]
fn splitting_changes_nothing_and_cutting_leaves_a_prefix() {
    let data = sample();
    let whole = read(&data, usize::MAX).unwrap();
    for size in 1..data.len() {
        assert_eq!(read(&data, size).unwrap(), whole, "pieces of {size}");
    }
    for length in 34..data.len() {
        let cut = read(&data[..length], usize::MAX).unwrap();
        let is_damage = |(_, line): &Line| line == "Truncated";
        let kept: Vec<_> = cut.iter().filter(|line| !is_damage(line)).collect();
        assert!(kept.iter().zip(&whole).all(|(cut, whole)| *cut == whole), "cut at {length}");
        assert!(cut.len() - kept.len() <= 1, "cut at {length}");
    }
}

#[test]
fn spall_a_7_each_number_has_a_length_of_its_own() {
    let check = |record: &[u8], expected: Record<'_>| {
        let data = [header(1.0, 0x10, ""), buffer(1, 100, record)].concat();
        assert_eq!(records(&data), [(1, expected)]);
        assert_eq!(read(&data, usize::MAX).unwrap().len(), 3);
    };
    let enter = |when, address: u64, caller: u64| Record::Enter {
        when,
        address: address + 0x10,
        caller: caller + 0x10,
    };
    check(&[0b0001_1000, 2, 1, 0x11, 0, 1, 0, 0x12], enter(100 + 258, 0x1_0001, 2));
    check(&[0b0000_0110, 3, 0x20, 1, 0x30, 0, 0, 1], enter(103, 0x110, 0x100_0020));
    let begin = |when, name, args| Record::Begin { when, name, args };
    check(&[0b1001_0110, 1, 1, 1, 0, 2, b'n', b'a', b'a'], begin(100 + 257, b"n", b"aa"));
    check(&[0b1001_0001, 4, 2, 1, 0, b'n', b'n', b'a'], begin(104, b"nn", b"a"));
    check(&[0b0101_1111, 1, 1], Record::End { when: 357 });
}

#[test]
fn flipped_bytes_do_no_harm() {
    let data = sample();
    for at in 0..data.len() {
        for bit in 0..8 {
            let mut data = data.clone();
            data[at] ^= 1 << bit;
            assert_eq!(read(&data, usize::MAX), read(&data, 3), "byte {at} bit {bit}");
        }
    }
}

#[test]
fn spall_a_8_damage_ends_the_buffer_and_no_more() {
    let whole = buffer(1, 5, &[0b0100_0000, 1]);
    let kinds = |records: &[u8]| events(&[header(1.0, 0, ""), buffer(1, 0, records), whole.clone()].concat());
    let last = "end Number(1) 6";
    assert_eq!(kinds(&[0b1100_0000, 1, 2, 3]), ["UnknownEvent", last]);
    assert_eq!(kinds(&[0b1000_0000, 1]), ["UnknownEvent", last]);
    assert_eq!(kinds(&[0b0111_0000, 1]), ["Overrun", last]);
    assert_eq!(kinds(&[0b1001_0010, 1, 0xff, 0xff, 0]), ["Overrun", last]);
    let late = [&[0b0111_0000][..], &[0xff; 8]].concat();
    let end = "end Number(1) 9223372036854775807";
    assert_eq!(kinds(&late), ["TimeOutOfRange", end, last]);
    let later = [&late[..], &[0b0100_0000, 1]].concat();
    assert_eq!(kinds(&later)[2..], ["TimeOutOfRange", end, last], "no time is before the last one");
    let data = [header(1.0, 0, ""), buffer(1, 0, &later)].concat();
    assert!(records(&data).iter().all(|&(_, record)| record == Record::End { when: u64::MAX }));
}

#[test]
fn spall_a_7_headers_that_are_cut_or_older_are_refused() {
    let error = |data: &[u8]| read(data, usize::MAX).unwrap_err();
    let data = header(1.0, 0, "");
    assert_eq!(
        (error(&data[..33]).kind(), error(&data[..33]).offset()),
        (FormatErrorKind::UnexpectedEof { needed: 1 }, 33)
    );
    for (version, kind) in [
        (0, FormatErrorKind::UnsupportedVersion { version: 0 }),
        (1, FormatErrorKind::OldAutoTrace { version: 1 }),
        (2, FormatErrorKind::OldAutoTrace { version: 2 }),
        (4, FormatErrorKind::UnsupportedVersion { version: 4 }),
    ] {
        let mut data = data.clone();
        data[8] = version;
        assert_eq!((error(&data).kind(), error(&data).offset()), (kind, 8));
    }
    let clock = (ByteRange::new(0, 34), "clock Some(1.0)".to_owned());
    assert_eq!(read(&data, 1), Ok(vec![clock.clone(), (ByteRange::new(34, 34), "program ".to_owned())]));
    let cut = header(1.0, 0, "/bin/x");
    let lines = read(&cut[..38], usize::MAX).unwrap();
    assert_eq!(lines, [clock, (ByteRange::new(34, 38), "Truncated".to_owned())]);
}

#[test]
fn real_auto_traces_of_version_3_have_their_records() {
    let Some(folder) = spall_testdata::collection("spall/auto") else { return };
    let data = std::fs::read(folder.join("auto-v3.spall")).unwrap();
    let records = records(&data);
    let mut found = records.iter();
    // The events of the same records, behind the clock and the program.
    let lines = read(&data, usize::MAX).unwrap();
    let mut events = lines.iter().skip(2);
    let expected = std::fs::read_to_string(folder.join("auto-v3.events.jsonl")).unwrap();
    let mut lines = expected.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let base = lines.next().unwrap()["base_address"].as_u64().unwrap();
    let mut compared = 0;
    for expected in lines.filter(|line| line["e"] != "buffer") {
        let &(tid, record) = found.next().unwrap();
        let (bytes, event) = events.next().unwrap();
        let number = |key: &str| expected[key].as_u64().unwrap();
        let text = |key: &str| expected[key].as_str().unwrap();
        let when = number("ts");
        assert_eq!(u64::from(tid), number("tid"));
        let (wanted, line) = match expected["e"].as_str().unwrap() {
            "begin_addr" => {
                assert_eq!(bytes.start, number("off"));
                let (address, caller) = (number("addr"), number("caller"));
                let line = format!("begin Number({tid}) {when} {:#x} ", address - base);
                (Record::Enter { when, address, caller }, line)
            }
            "begin" => {
                let (name, args) = (text("name").as_bytes(), text("args").as_bytes());
                let line =
                    format!("begin Number({tid}) {when} {} {}", name.escape_ascii(), args.escape_ascii());
                assert_eq!((record, event), (Record::Begin { when, name, args }, &line));
                compared += 1;
                continue;
            }
            _ => {
                assert_eq!(bytes.start, number("off"));
                (Record::End { when }, format!("end Number({tid}) {when}"))
            }
        };
        assert_eq!((record, event), (wanted, &line));
        compared += 1;
    }
    assert!(found.next().is_none() && events.next().is_none());
    assert!(compared > 3000);
}

#[test]
fn older_auto_traces_are_refused() {
    for version in [1_u32, 2] {
        let mut data = header(1.0, 0, "/bin/x");
        data[8..16].copy_from_slice(&u64::from(version).to_le_bytes());
        let error = read(&data, usize::MAX).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (FormatErrorKind::OldAutoTrace { version }, 8));
    }
}

#[test]
fn attacking_auto_traces_are_read_as_far_as_they_go() {
    let [folder, ..] = &spall_testdata::folders("spall/attack")[..] else { panic!() };
    let damage = |name: &str| -> Vec<String> {
        use DiagnosticKind::{BadTimeUnit, Overrun, TimeOutOfRange, Truncated, UnknownEvent};
        let kinds = [Truncated, TimeOutOfRange, Overrun, UnknownEvent, BadTimeUnit];
        let kinds = kinds.map(|kind| format!("{kind:?}"));
        let lines = read(&std::fs::read(folder.join(name)).unwrap(), usize::MAX).unwrap();
        lines.into_iter().map(|(_, line)| line).filter(|line| kinds.contains(line)).collect()
    };
    assert_eq!(damage("auto-path-cut.spall"), ["Truncated"]);
    assert_eq!(damage("auto-maxdepth-4g.spall"), [""; 0]);
    assert!(damage("auto-dt-wrap.spall").contains(&"TimeOutOfRange".to_owned()));
}
