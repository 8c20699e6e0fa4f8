//! Native auto traces. [spall A.7]

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code outside of test functions"
)]

use serde_json::Value as Json;
use spall_format::spall::auto::{Parser, Record, Step};
use spall_format::{FormatError, FormatErrorKind};
use spall_model::{ByteRange, DiagnosticKind};
use spall_synth::auto::{buffer, header, sample};

/// All records with their ranges, read with `size` more bytes whenever the parser wants more.
fn read(data: &[u8], size: usize) -> Result<Vec<(ByteRange, Record<'_>)>, FormatError> {
    let mut parser = Parser::new();
    let (mut start, mut end) = (0, size.min(data.len()));
    let mut records = Vec::new();
    loop {
        match parser.parse(&data[start..end], end == data.len())? {
            Step::NeedMore(more) => {
                assert!(more > 0 && end < data.len());
                end = (end + size).min(data.len());
            }
            Step::Skipped(length) => {
                assert!(length > 0);
                start += length;
            }
            Step::Record { consumed, record, bytes } => {
                start += consumed;
                records.push((bytes, record));
            }
            Step::End => return Ok(records),
        }
    }
}

#[test]
fn spall_a_7_records_are_decoded_to_relative_addresses() {
    let data = sample();
    let records: Vec<_> = read(&data, usize::MAX).unwrap().into_iter().map(|(_, record)| record).collect();
    let relative = |address: u64| address.wrapping_sub(0x10);
    let expected = [
        Record::Program(b"/bin/x"),
        Record::Enter { tid: 7, when: 101, address: relative(0x11), caller: relative(0x22) },
        Record::Enter { tid: 7, when: 103, address: relative(0xff10), caller: relative(0xddcc) },
        Record::End { tid: 7, when: 104 },
        Record::Begin { tid: 7, when: 107, name: b"ok", args: b"a" },
        Record::End { tid: 7, when: 116 },
    ];
    assert_eq!(records[..6], expected);
    let last = Record::End { tid: 7, when: 200 + 0x0101_0101_0101_0101 + 0x0100_0000_0000_0000 };
    assert_eq!(records[7], last);
    // Addresses start from 0 again in each buffer.
    let eight = |byte: u64| (byte * 0x0101_0101_0101_0101) - 0x10;
    let first =
        Record::Enter { tid: 7, when: 200 + 0x0101_0101_0101_0101, address: eight(2), caller: eight(3) };
    assert_eq!(records[6], first);
}

#[cfg(feature = "alloc")]
#[test]
fn spall_a_7_without_symbols_a_function_is_its_address() {
    use spall_format::spall::auto::{Lowering, NoSymbols};
    use spall_model::Event;

    let mut lowering = Lowering::new(NoSymbols);
    let mut name = |record| match lowering.event(&record) {
        Some(Event::Begin(begin)) => begin.name.raw().to_vec(),
        other => panic!("{other:?}"),
    };
    assert_eq!(name(Record::Enter { tid: 1, when: 0, address: 0x1f, caller: 0 }), b"0x1f");
    // One NUL is stripped, as from any name. [spall A.6]
    assert_eq!(name(Record::Begin { tid: 1, when: 0, name: b"n\0\0", args: b"" }), b"n\0");
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
        let damage = |record: &Record<'_>| matches!(record, Record::Damage(_));
        let kept: Vec<_> = cut.iter().filter(|(_, record)| !damage(record)).collect();
        assert!(kept.iter().zip(&whole).all(|(cut, whole)| *cut == whole), "cut at {length}");
        assert!(cut.len() - kept.len() <= 1, "cut at {length}");
    }
}

#[test]
fn spall_a_7_each_number_has_a_length_of_its_own() {
    let decode = |record: &[u8]| {
        let data = [header(1.0, 0x10, ""), buffer(1, 100, record)].concat();
        read(&data, usize::MAX)
            .unwrap()
            .into_iter()
            .skip(1)
            .map(|(_, record)| format!("{record:?}"))
            .collect()
    };
    let check = |record: &[u8], expected: &str| {
        let found: Vec<_> = decode(record);
        assert_eq!(found, [expected]);
    };
    let enter = |when, address, caller| {
        format!("Enter {{ tid: 1, when: {when}, address: {address}, caller: {caller} }}")
    };
    check(&[0b0001_1000, 2, 1, 0x11, 0, 1, 0, 0x12], &enter(100 + 258, 0x1_0001, 2));
    check(&[0b0000_0110, 3, 0x20, 1, 0x30, 0, 0, 1], &enter(103, 0x110, 0x100_0020));
    let begin = |when, name: &[u8], args: &[u8]| format!("{:?}", Record::Begin { tid: 1, when, name, args });
    check(&[0b1001_0110, 1, 1, 1, 0, 2, b'n', b'a', b'a'], &begin(100 + 257, b"n", b"aa"));
    check(&[0b1001_0001, 4, 2, 1, 0, b'n', b'n', b'a'], &begin(104, b"nn", b"a"));
    check(&[0b0101_1111, 1, 1], "End { tid: 1, when: 357 }");
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
    let kinds = |records: &[u8]| -> Vec<_> {
        let data = [header(1.0, 0, ""), buffer(1, 0, records), whole.clone()].concat();
        let records = read(&data, 7).unwrap();
        records.into_iter().skip(1).map(|(_, record)| format!("{record:?}")).collect()
    };
    let last = "End { tid: 1, when: 6 }";
    assert_eq!(kinds(&[0b1100_0000, 1, 2, 3]), ["Damage(UnknownEvent)", last]);
    assert_eq!(kinds(&[0b1000_0000, 1]), ["Damage(UnknownEvent)", last]);
    assert_eq!(kinds(&[0b0111_0000, 1]), ["Damage(Overrun)", last]);
    assert_eq!(kinds(&[0b1001_0010, 1, 0xff, 0xff, 0]), ["Damage(Overrun)", last]);
    let late = [&[0b0111_0000][..], &[0xff; 8]].concat();
    let end = "End { tid: 1, when: 18446744073709551615 }";
    assert_eq!(kinds(&late), ["Damage(TimeOutOfRange)", end, last]);
    let later = [&late[..], &[0b0100_0000, 1]].concat();
    assert_eq!(kinds(&later)[2..], ["Damage(TimeOutOfRange)", end, last], "no time is before the last one");
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
    assert_eq!(read(&data, 1), Ok(vec![(ByteRange::new(34, 34), Record::Program(b""))]));
    let cut = header(1.0, 0, "/bin/x");
    let records = read(&cut[..38], usize::MAX).unwrap();
    assert_eq!(records, [(ByteRange::new(34, 38), Record::Damage(DiagnosticKind::Truncated))]);
}

#[test]
fn real_auto_traces_of_version_3_have_their_records() {
    let Some(folder) = spall_synth::corpus::folder("spall/auto") else { return };
    let data = std::fs::read(folder.join("auto-v3.spall")).unwrap();
    let records = read(&data, usize::MAX).unwrap();
    let mut found = records.iter().filter(|(_, record)| !matches!(record, Record::Program(_)));
    let expected = std::fs::read_to_string(folder.join("auto-v3.events.jsonl")).unwrap();
    let mut lines = expected.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let base = lines.next().unwrap()["base_address"].as_u64().unwrap();
    let mut compared = 0;
    for expected in lines.filter(|line| line["e"] != "buffer") {
        let (bytes, record) = found.next().unwrap();
        let number = |key: &str| expected[key].as_u64().unwrap();
        let tid = u32::try_from(number("tid")).unwrap();
        let when = number("ts");
        let wanted = match expected["e"].as_str().unwrap() {
            "begin_addr" => {
                Record::Enter { tid, when, address: number("addr") - base, caller: number("caller") - base }
            }
            "begin" => {
                let text = |key: &str| expected[key].as_str().unwrap().as_bytes();
                let (name, args) = (text("name"), text("args"));
                assert_eq!(*record, Record::Begin { tid, when, name, args });
                compared += 1;
                continue;
            }
            _ => Record::End { tid, when },
        };
        assert_eq!((bytes.start, *record), (number("off"), wanted));
        compared += 1;
    }
    assert!(found.next().is_none());
    assert!(compared > 3000);
}

#[test]
fn older_and_attacking_auto_traces_are_refused_or_read_as_far_as_they_go() {
    let Some(folder) = spall_synth::corpus::folder("spall") else { return };
    let read_file = |name: &str| std::fs::read(folder.join(name)).unwrap();
    for (name, version) in [("auto/auto-v1.spall", 1), ("auto/auto-v2.spall", 2), ("auto/auto-v2a.spall", 2)]
    {
        let error = read(&read_file(name), usize::MAX).unwrap_err();
        assert_eq!(error.kind(), FormatErrorKind::OldAutoTrace { version }, "{name}");
    }
    let damage = |name: &str| -> Vec<DiagnosticKind> {
        let data = read_file(name);
        let records = read(&data, usize::MAX).unwrap();
        let kind = |record: &Record<'_>| if let Record::Damage(kind) = record { Some(*kind) } else { None };
        records.iter().filter_map(|(_, record)| kind(record)).collect()
    };
    assert_eq!(damage("attack/auto-path-cut.spall"), [DiagnosticKind::Truncated]);
    assert_eq!(damage("attack/auto-maxdepth-4g.spall"), []);
    assert!(damage("attack/auto-dt-wrap.spall").contains(&DiagnosticKind::TimeOutOfRange));
}
