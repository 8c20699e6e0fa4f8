//! Spall streams in pieces, cut, damaged at every byte, and large.

use crate::common;
use crate::common::{Item, in_pieces, items, spall_buffers};
use spall_format::FormatError;
use spall_format::spall::Parser;
use spall_model::{DiagnosticKind, Event};
use spall_synth::spall::{File, Shape, attacks, end_flood, many_threads, nested_begins, trace};

type Step = common::Step<FormatError>;

fn read(data: &[u8]) -> Vec<Step> {
    let step = |item: Item<'_>| (format!("{:?}", item.event), item.bytes);
    items(Parser::new(), data).map(|item| item.map(step)).collect()
}

fn read_in_pieces(data: &[u8], next: impl Fn(usize, usize) -> usize) -> Vec<Step> {
    in_pieces(Parser::new(), data, next, |event| format!("{event:?}"))
}

fn check_pieces(name: &str, data: &[u8]) {
    let whole = read(data);
    assert_eq!(read_in_pieces(data, |_, end| end + 1), whole, "{name}, one byte more each time");
    for split in 0..data.len().min(600) {
        let next = |_, end| if end < split { split } else { usize::MAX };
        assert_eq!(read_in_pieces(data, next), whole, "{name}, split at {split}");
    }
    for size in [1, 7, 64] {
        assert_eq!(read_in_pieces(data, |start, _| start + size), whole, "{name}, pieces of {size}");
    }
}

/// One file of each version, with everything a version can say.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let v0 = File::new(0, 1.0)
        .begin_v0(1, 2, 1.0, b"nan")
        .complete_v0(1, 2, 1.5, 0.25, b"c\0")
        .end_v0(1, 2, 2.0)
        .complete_v0(1, 3, f64::NAN, f64::NAN, b"bad");
    let json2bin = File::new(0, 1.0)
        .begin_v1(0, 0, 0.0, b"main", b"")
        .begin_v1(0, 0, 1.0, b"foo", b"x=1")
        .end_v0(0, 0, 2.0)
        .end_v0(0, 0, 3.0);
    let v1 = File::new(1, 1.0)
        .begin_v1(1, 2, 100.5, b"main", b"argc=1")
        .pad(13, &[0xee; 13])
        .begin_v1(1, 2, f64::INFINITY, b"", b"")
        .pad(0, b"")
        .end_v0(1, 2, 101.0);
    let v3 = File::new(3, 0.5)
        .buffer(1, 2)
        .name_v3(8, b"process")
        .name_v3(9, b"thread\0")
        .begin_v3(10, b"outer", b"args\0")
        .pad(4, b"\x03\x03\x03\x03")
        .buffer(1, 3)
        .buffer(1, 2)
        .begin_v3(u64::MAX, b"late", b"")
        .end_v3(20)
        .push(&[5; 40])
        .buffer(4, 5)
        .end_v3(30);
    let overrun = File::new(3, 1.0)
        .buffer_header(12, 1, 1)
        .begin_v3(1, b"ab", b"c")
        .buffer(1, 2)
        .end_v3(3)
        .pad(100, b"xyz")
        .buffer(1, 3)
        .end_v3(4);
    vec![
        ("v0", v0.finish()),
        ("json2bin", json2bin.finish()),
        ("v1", v1.finish()),
        ("v3", v3.finish()),
        ("overrun", overrun.finish()),
    ]
}

#[test]
fn where_the_input_is_split_changes_nothing() {
    for (name, data) in samples() {
        check_pieces(name, &data);
    }
    for (name, data) in attacks().into_iter().filter(|(_, data)| data.len() < 1000) {
        check_pieces(name, &data);
    }
    for version in [0, 1, 3] {
        check_pieces("trace", &trace(&Shape { version, slices: 40, ..Shape::default() }));
    }
}

#[test]
fn a_cut_file_is_read_up_to_the_cut() {
    // Where the layout is not known from the header, the cut may take away what tells.
    for (name, data) in samples().into_iter().filter(|(name, _)| *name != "json2bin") {
        let whole = read(&data);
        for cut in 32..data.len() {
            let mut steps = read(&data[..cut]);
            let cut_short = |step: &Step| {
                let (event, bytes) = step.as_ref().unwrap();
                bytes.end == cut as u64 && event.starts_with("Diagnostic")
            };
            while steps.last().is_some_and(cut_short) && whole.get(steps.len() - 1) != steps.last() {
                steps.pop();
            }
            assert!(whole.starts_with(&steps), "{name} cut at {cut}: {steps:?}");
            let complete = |step: &&Step| step.as_ref().unwrap().1.end <= cut as u64;
            assert!(steps.len() >= whole.iter().take_while(complete).count(), "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_cut_file_says_so() {
    let data = trace(&Shape { slices: 20, ..Shape::default() });
    let mut end = 32;
    let ends: Vec<_> = spall_buffers(&data).into_iter().map(|size| (end += 20 + size, end).1).collect();
    for cut in 33..data.len() {
        let truncated = items(Parser::new(), &data[..cut])
            .any(|parsed| parsed.unwrap().event == Event::Diagnostic(DiagnosticKind::Truncated));
        assert_eq!(truncated, !ends.contains(&cut), "cut at {cut}");
    }
}

#[test]
fn no_flipped_byte_is_fatal_to_the_program() {
    for (_, data) in samples() {
        for at in 0..data.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut data = data.clone();
                data[at] ^= flip;
                let steps = read(&data);
                assert_eq!(read_in_pieces(&data, |start, _| start + 50), steps, "byte {at}");
                // Every byte range lies in the file.
                for (_, bytes) in steps.iter().flatten() {
                    assert!(bytes.start <= bytes.end && bytes.end <= data.len() as u64, "byte {at}");
                }
            }
        }
    }
}

#[test]
fn every_generated_trace_is_read_without_diagnostics() {
    for version in [0, 1, 3] {
        let data = trace(&Shape { version, slices: 5000, ..Shape::default() });
        let events: Vec<_> = items(Parser::new(), &data).map(|parsed| parsed.unwrap().event).collect();
        let count = |kind: fn(&Event<'_>) -> bool| events.iter().filter(|event| kind(event)).count();
        assert_eq!(count(|event| matches!(event, Event::Diagnostic(_))), 0);
        let complete = count(|event| matches!(event, Event::Complete(..)));
        assert_eq!(complete, if version == 0 { 1250 } else { 0 });
        assert_eq!(count(|event| matches!(event, Event::Begin(_))) + complete, 5000);
        assert_eq!(count(|event| matches!(event, Event::End(_))) + complete, 5000);
    }
}

#[test]
fn a_3_padding_is_skipped_without_being_in_memory() {
    const SIZE: usize = 1 << 20;
    let file = File::new(1, 1.0).begin_v1(1, 1, 1.0, b"a", b"").pad(1 << 20, &vec![3; SIZE]);
    let data = file.end_v0(1, 1, 2.0).finish();
    let whole = read(&data);
    assert_eq!(whole.len(), 3);
    let most = core::cell::Cell::new(0);
    let steps = read_in_pieces(&data, |start, end| {
        most.set(most.get().max(end - start));
        start + 100
    });
    assert_eq!(steps, whole);
    assert!(most.get() < 100);
}

#[test]
fn a_8_floods_are_read_to_the_end() {
    let count = |data: &[u8]| items(Parser::new(), data).skip(1).map(Result::unwrap).count();
    assert_eq!(count(&end_flood(300_000)), 300_000);
    assert_eq!(count(&nested_begins(300_000)), 300_000);
    assert_eq!(count(&many_threads(100_000)), 200_000);
}
