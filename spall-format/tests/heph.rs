//! The rules of Heph, on packets written straight from the format's description.

use crate::common;
use core::ops::Range;
use spall_format::heph;
use spall_model::{
    ByteRange, Clock, DiagnosticKind, Event, Id, Receiver, Thread, ThreadEvent, Tick, Ticks, TraceView, Value,
};
use spall_synth::heph::{Attribute, Event as Packet, epoch, metadata, packet, trace};

/// The two byte-exact examples of the published description. \[heph B.1\]
const SPEC_METADATA: &[u8] = b"\x75\xd1\x1d\x4d\0\0\0\x17\0\x05epoch\x16\x58\x45\xe9\x12\x14\xec\x90";
const SPEC_EVENT: &[u8] = b"\xc1\xfc\x1f\xb7\0\0\0\x5b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x64\0\0\0\0\0\0\0\xc8\
    \0\x08My event\0\x04Test\x01\0\0\0\0\0\0\0\x7b\0\x05Test2\x83\0\x02\x40\x5e\xdd\x2f\x1a\x9f\xbe\x77\x40\x88\xa8\0\0\0\0\0";

/// The events of `data`.
fn items(data: &[u8]) -> impl Iterator<Item = common::Item<'_>> {
    common::items(heph::Parser::new(), data).map(Result::unwrap)
}

/// An event as text, with the bytes that it comes from.
type Step = (String, ByteRange);

/// The events of `data`, with where they come from.
fn read(data: &[u8]) -> Vec<Step> {
    items(data).map(|item| (format!("{:?}", item.event), item.bytes)).collect()
}

/// What the bytes of `data` say, without what is said of the format.
fn read_bytes(data: &[u8]) -> Vec<Step> {
    read(data).into_iter().filter(|(_, bytes)| bytes.start < bytes.end).collect()
}

/// The events of `data`, of which the parser sees `start..next(start, end)` and then more and more.
fn read_in_pieces(data: &[u8], next: impl Fn(usize, usize) -> usize) -> Vec<Step> {
    common::in_pieces(heph::Parser::new(), data, next, |event| format!("{event:?}"))
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

fn kinds(data: &[u8]) -> Vec<DiagnosticKind> {
    items(data)
        .filter_map(|item| match item.event {
            Event::Diagnostic(kind) => Some(kind),
            _ => None,
        })
        .collect()
}

fn slices(data: &[u8]) -> Vec<(ThreadEvent<'_>, Ticks)> {
    items(data)
        .filter_map(|item| match item.event {
            Event::Complete(slice, length) => Some((slice, length)),
            _ => None,
        })
        .collect()
}

/// A short file with every kind of packet and every kind of damage.
fn kitchen_sink() -> Vec<u8> {
    let event = |counter, name| Packet::new((1, counter, 2), 10..20, name);
    [
        epoch(5),
        event(0, "plain").bytes(),
        b"junk \xc1\xfc\x1f\xb7\0\0\0\x05 and \x75".to_vec(),
        event(1, "attributes")
            .with("u", Attribute::Unsigned(1))
            .with("a", Attribute::Array(4, vec![Attribute::Text(b"x".to_vec())]))
            .bytes(),
        event(4, "cut short").bytes()[..45].to_vec(),
        event(2, "bad").with("u", Attribute::Signed(-1)).with("v", Attribute::Raw(9, vec![1, 2])).bytes(),
        metadata("epoch", b"1234"),
        metadata("host", b"box"),
        packet(0xC1FC_1FB7, &[0xff; 40]),
        epoch(u64::MAX),
        event(5, "last").bytes(),
        event(6, "never finished").bytes()[..50].to_vec(),
    ]
    .concat()
}

#[test]
fn b1_the_published_examples_are_read() {
    let both = [SPEC_METADATA, SPEC_EVENT].concat();
    let events: Vec<_> = items(&both).collect();
    let Event::Conventions(conventions) = events[0].event else { panic!("conventions") };
    assert!(conventions.unsigned_ids && conventions.children_first);
    let clock = Clock::NANOSECONDS.with_epoch_ns(Some(1_610_113_734_118_010_000));
    assert_eq!(events[1].event, Event::Clock(clock));
    assert_eq!((events[2].bytes.start, events[2].bytes.end), (23, 114));
    let Event::Complete(slice, length) = events[2].event else { panic!("a slice") };
    assert_eq!(slice.thread, Thread::new(0_u32, 1_u32));
    assert_eq!((slice.at, length), (Tick(100), Ticks(100)));
    assert!(slice.name.is(b"My event"));
    assert_eq!(slice.args.get(b"Test"), Some(Value::U64(123)));
    let Some(Value::List(list)) = slice.args.get(b"Test2") else { panic!("a list") };
    assert!(list.iter().map(|(_, value)| value).eq([Value::F64(123.456), Value::F64(789.0)]));
}

#[test]
fn splitting_the_input_changes_nothing() {
    let data = kitchen_sink();
    let whole = read(&data);
    assert_eq!(read_in_pieces(&data, |_, end| end + 1), whole, "one byte at a time");
    for first in 0..=data.len() {
        let split = |_, end| if end < first { first } else { data.len() };
        assert_eq!(read_in_pieces(&data, split), whole, "split at {first}");
    }
}

#[test]
fn whatever_is_cut_off_everything_before_is_read() {
    let data = trace(12, 2, 2, true);
    let whole = read_bytes(&data);
    for length in 0..data.len() {
        let cut = read_bytes(&data[..length]);
        let complete = whole.iter().take_while(|(_, bytes)| bytes.end <= length as u64).count();
        assert_eq!(cut[..complete], whole[..complete], "cut at {length}");
        let damage = whole[complete].1.start;
        let expected = (damage < length as u64)
            .then(|| ("Diagnostic(Truncated)".to_owned(), ByteRange::new(damage, length as u64)));
        assert_eq!(cut.get(complete), expected.as_ref(), "cut at {length}");
    }
}

#[test]
fn a_flipped_bit_costs_no_other_packet() {
    let data = trace(12, 2, 2, true);
    let whole = read_bytes(&data);
    for position in 0..data.len() {
        for bit in [0x01, 0x80] {
            let mut flipped = data.clone();
            flipped[position] ^= bit;
            let read = read_bytes(&flipped);
            let is_hit = |bytes: &ByteRange| (bytes.start..bytes.end).contains(&(position as u64));
            for step in whole.iter().filter(|(_, bytes)| !is_hit(bytes)) {
                assert!(read.contains(step), "{} after flipping {bit:#x} of {position}", step.0);
            }
        }
    }
}

#[test]
fn b2_a_packet_cut_short_does_not_swallow_the_next() {
    let (first, second) = (Packet::new((0, 0, 0), 1..2, "first"), Packet::new((0, 1, 0), 2..3, "second"));
    let (first, second) = (first.bytes(), second.bytes());
    for length in 8..first.len() {
        let data = [&first[..length], &second].concat();
        assert_eq!(kinds(&data), [DiagnosticKind::Truncated], "{length}");
        assert!(slices(&data)[0].0.name.is(b"second"), "{length}");
    }
}

#[test]
fn junk_between_packets_is_one_diagnostic_however_long() {
    let packet = Packet::new((0, 0, 0), 1..2, "a").bytes();
    let data = [&packet[..], &[0; 200_000], &packet].concat();
    assert_eq!(kinds(&data), [DiagnosticKind::Junk, DiagnosticKind::PacketOrder]);
    assert_eq!(slices(&data).len(), 2);
    let steps = read_in_pieces(&data, |_, end| end + 1000);
    assert_eq!(steps, read(&data));
    assert_eq!(steps[2].1, ByteRange::new(43, 200_043));
}

#[test]
fn b4_counters_may_say_that_packets_were_lost() {
    let at = |stream, counter| Packet::new((stream, counter, 0), 1..2, "e").bytes();
    let lost = [at(0, 0), at(1, 0), at(0, 3), at(0, 4), at(1, 1)].concat();
    assert_eq!(kinds(&lost), [DiagnosticKind::LostPackets]);
    let overtaken = [at(0, 0), at(0, 2), at(0, 1), at(0, 3)].concat();
    assert_eq!(kinds(&overtaken), [DiagnosticKind::LostPackets, DiagnosticKind::PacketOrder]);
    assert_eq!(slices(&overtaken).len(), 4);
}

#[test]
fn b5_times_are_clamped_and_lengths_may_be_negative() {
    let at = |time| Packet::new((0, 0, 0), time, "e").bytes();
    let length = |time| slices(&at(time))[0].1;
    assert_eq!(length(Range { start: 200, end: 100 }), Ticks(-100));
    assert_eq!(length(i64::MAX as u64 - 1..u64::MAX), Ticks(1));
    assert_eq!(length(u64::MAX..u64::MAX), Ticks(0));
    assert_eq!(length(0..i64::MAX as u64), Ticks(i64::MAX));
    assert_eq!(kinds(&at(0..u64::MAX)), [DiagnosticKind::TimeOutOfRange]);
    assert_eq!(kinds(&at(0..i64::MAX as u64)), []);
}

#[test]
fn substreams_beyond_a_signed_number_stay_apart() {
    let thread = |substream| {
        let data = Packet::new((0, 0, substream), 1..2, "e").bytes();
        let Id::Number(number) = slices(&data)[0].0.thread.tid else { panic!("a number") };
        Id::Number(number)
    };
    assert_eq!(thread(i64::MAX as u64), Id::Number(i64::MAX));
    assert_eq!(thread(1 << 63), Id::Number(i64::MIN));
    assert_eq!(thread(u64::MAX), Id::Number(-1));
}

#[test]
fn b5_the_last_epoch_counts_and_an_odd_one_is_metadata() {
    let epochs = |data: &[u8]| -> Vec<Option<i64>> {
        items(data)
            .filter_map(|item| match item.event {
                Event::Clock(clock) => Some(clock.epoch_ns),
                _ => None,
            })
            .collect()
    };
    let two = [epoch(1), epoch(2)].concat();
    assert_eq!((epochs(&two), kinds(&two)), (vec![Some(1), Some(2)], vec![DiagnosticKind::DuplicateEpoch]));
    let odd = metadata("epoch", &[0; 10]);
    assert_eq!((epochs(&odd), kinds(&odd)), (vec![], vec![DiagnosticKind::BadEpoch]));
    let late = epoch(u64::MAX);
    assert_eq!((epochs(&late), kinds(&late)), (vec![Some(i64::MAX)], vec![DiagnosticKind::TimeOutOfRange]));
}

#[test]
fn b5_an_option_with_a_name_longer_than_its_packet_is_left_out() {
    let option = packet(0x75D1_1D4D, b"\0\x09name");
    let data = [&option[..], &Packet::new((0, 0, 0), 1..2, "next").bytes()].concat();
    assert_eq!(kinds(&data), [DiagnosticKind::Overrun]);
    assert!(read(&data).iter().all(|(event, _)| !event.starts_with("Meta")));
    assert_eq!(slices(&data).len(), 1);
}

#[test]
fn b5_several_faults_of_one_packet_are_all_said() {
    let data = Packet::new((0, 0, u64::MAX), 0..u64::MAX, "e").with("x", Attribute::Raw(0, vec![])).bytes();
    assert_eq!(kinds(&data), [DiagnosticKind::TimeOutOfRange, DiagnosticKind::BadArgument]);
}

#[cfg(feature = "alloc")]
#[test]
fn b4_of_equal_bounds_the_later_event_is_the_outer_one() {
    let event = |counter, time, name| Packet::new((1, counter, 5), time, name).bytes();
    let data = [
        event(0, 10..20, "leaf"),
        event(1, 10..20, "child"),
        event(2, 10..20, "parent"),
        event(3, 15..30, "overlaps"),
        event(4, 0..40, "root"),
    ]
    .concat();
    let mut builder = spall_model::TraceBuilder::new(&spall_model::Limits::default());
    for item in items(&data) {
        builder.receive(&item.event, item.bytes);
    }
    let trace = builder.finish();
    let names: Vec<_> = trace.slices().names().iter().map(|&name| trace.name(name)).collect();
    assert_eq!(names, ["root", "parent", "child", "leaf", "overlaps"]);
}
