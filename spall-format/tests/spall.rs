//! The rules of spall streams, on files written straight from the format's description.

use crate::common::items;
use core::ops::Range;
use spall_format::FormatErrorKind;
use spall_format::spall::{Header, Parser, Version};
use spall_model::{Clock, DiagnosticKind, Event, Id, SourceLocation, ThreadEvent, Ticks};
use spall_synth::spall::{File, Shape, attacks, trace};

fn events(data: &[u8]) -> Vec<Event<'_>> {
    items(Parser::new(), data).map(|parsed| parsed.unwrap().event).collect()
}

fn kinds(data: &[u8]) -> Vec<(DiagnosticKind, Range<u64>)> {
    let diagnostics = items(Parser::new(), data).filter_map(|parsed| {
        let parsed = parsed.ok()?;
        match parsed.event {
            Event::Diagnostic(kind) => Some((kind, parsed.bytes.start..parsed.bytes.end)),
            _ => None,
        }
    });
    diagnostics.collect()
}

fn error(data: &[u8]) -> (FormatErrorKind, u64) {
    let error = items(Parser::new(), data).last().unwrap().unwrap_err();
    (error.kind(), error.offset())
}

/// Names and times of begins, times of ends.
fn slices(data: &[u8]) -> Vec<(String, i64)> {
    let slice = |event: ThreadEvent<'_>| (String::from_utf8_lossy(event.name.raw()).into_owned(), event.at.0);
    let events = items(Parser::new(), data).filter_map(|parsed| match parsed.ok()?.event {
        Event::Begin(event) | Event::End(event) | Event::Complete(event, _) => Some(slice(event)),
        _ => None,
    });
    events.collect()
}

fn attack(name: &str) -> Vec<u8> {
    attacks().into_iter().find(|(attack, _)| *attack == name).expect(name).1
}

#[test]
fn a_0_what_is_no_manual_stream_is_refused() {
    assert_eq!(error(b"{\"traceEvents\":[]}"), (FormatErrorKind::BadMagic, 0));
    assert_eq!(error(b""), (FormatErrorKind::UnexpectedEof { needed: 32 }, 0));
    assert_eq!(error(b"{}"), (FormatErrorKind::BadMagic, 0));
    assert_eq!(error(&attack("big endian")), (FormatErrorKind::BigEndian, 0));
    assert_eq!(error(&attack("auto trace")), (FormatErrorKind::AutoTrace, 0));
    // All eight bytes are the magic.
    let mut data = attack("header only");
    data[7] = 1;
    assert_eq!(error(&data), (FormatErrorKind::BadMagic, 0));
}

#[test]
fn a_1_the_header_is_needed_whole() {
    assert_eq!(error(&attack("magic only")), (FormatErrorKind::UnexpectedEof { needed: 24 }, 8));
    assert_eq!(error(&attack("header cut")), (FormatErrorKind::UnexpectedEof { needed: 1 }, 31));
    assert_eq!(events(&attack("header only")).len(), 1);
}

#[test]
fn a_1_the_last_field_of_the_header_is_not_checked() {
    let mut data = attack("header only");
    data[24..].fill(0xff);
    assert_eq!(events(&data).len(), 1);
}

#[test]
fn a_1_unknown_versions_are_refused() {
    assert_eq!(error(&attack("version 4")), (FormatErrorKind::UnsupportedVersion { version: 4 }, 8));
    assert_eq!(error(&attack("version max")), (FormatErrorKind::UnsupportedVersion { version: u32::MAX }, 8));
    // Even if the file is cut behind it.
    assert_eq!(error(&attack("version 4")[..16]), (FormatErrorKind::UnsupportedVersion { version: 4 }, 8));
}

#[test]
fn a_1_the_clock_comes_first() {
    let unit = |version, unit| {
        let data = File::new(version, unit).finish();
        let parsed = items(Parser::new(), &data).next().unwrap().unwrap();
        let Event::Clock(clock) = parsed.event else { panic!() };
        (clock.ns_per_tick().unwrap(), parsed.bytes.start..parsed.bytes.end)
    };
    assert_eq!(unit(3, 0.25), (0.25, 0..32));
    // Times of older versions are made nanoseconds.
    assert_eq!(unit(1, 0.25), (1.0, 0..32));
    assert_eq!(unit(0, 0.25), (1.0, 0..32));
}

#[test]
fn a_1_an_unusable_unit_is_reported_and_a_tick_is_a_nanosecond() {
    for name in ["unit zero", "unit negative", "unit nan", "unit infinite"] {
        let data = attack(name);
        assert_eq!(kinds(&data), [(DiagnosticKind::BadTimeUnit, 16..24)], "{name}");
        assert_eq!(events(&data)[0], Event::Clock(Clock::NANOSECONDS), "{name}");
        assert_eq!(slices(&data), [("a".into(), 1), (String::new(), 2)], "{name}");
    }
    for name in ["v1 unit zero", "v1 unit nan", "v1 unit max"] {
        let data = attack(name);
        assert_eq!(kinds(&data), [(DiagnosticKind::BadTimeUnit, 16..24)], "{name}");
        assert_eq!(slices(&data), [("a".into(), 1), (String::new(), 2)], "{name}");
    }
    for name in ["unit subnormal", "unit max"] {
        assert_eq!(kinds(&attack(name)), [], "{name}");
    }
}

#[test]
fn a_2_type_2_is_complete_and_the_name_follows() {
    let data = File::new(0, 1.0).complete_v0(1, 2, 1.5, 0.25, b"name").finish();
    let parsed = items(Parser::new(), &data).nth(1).unwrap().unwrap();
    let Event::Complete(event, length) = parsed.event else { panic!() };
    assert!(event.name.is(b"name"));
    assert_eq!((event.at.0, length, parsed.bytes.start, parsed.bytes.end), (1500, Ticks(250), 32, 62));
}

#[test]
fn a_2_type_7_is_no_padding_in_version_0() {
    assert_eq!(error(&attack("v0 pad skip")), (FormatErrorKind::UnknownEvent { tag: 7 }, 51));
}

#[test]
fn a_2_a_version_1_layout_under_a_version_0_header_is_found() {
    let many = (0..100).fold(File::new(0, 1.0), |file, index| {
        file.begin_v1(7, 70_000, f64::from(index), b"name", b"args").end_v0(7, 70_000, f64::from(index))
    });
    let data = many.finish();
    let slices = slices(&data);
    assert_eq!(slices.len(), 200);
    assert!(slices.chunks(2).all(|slice| slice[0].0 == "name" && slice[0].1 == slice[1].1));
    // A cut does not hide it, once there was a record or two.
    for cut in 120..160 {
        assert_eq!(self::slices(&data[..cut])[0].0, "name");
    }
}

#[test]
fn a_2_damage_does_not_turn_version_0_into_another_layout() {
    let data = trace(&Shape { version: 0, slices: 10, ..Shape::default() });
    let whole = slices(&data);
    for cut in 32..data.len() {
        assert!(whole.starts_with(&slices(&data[..cut])), "cut at {cut}");
    }
    // The clock comes first, then an event for each record.
    let at = usize::try_from(items(Parser::new(), &data).nth(1).unwrap().unwrap().bytes.end).unwrap();
    let mut damaged = data;
    damaged[at] = 0x55;
    assert_eq!(slices(&damaged), whole[..1]);
    assert_eq!(error(&damaged), (FormatErrorKind::UnknownEvent { tag: 0x55 }, at as u64));
}

#[test]
fn a_2_a_cut_slice_is_no_draft() {
    // The first 22 bytes of a slice are a begin of the second draft, with a name of 4.
    let file = File::new(0, 1.0).complete_v0(1, 1, 1.0, f64::from_bits(4), b"name");
    assert_eq!(kinds(&file.finish()[..32 + 22]), [(DiagnosticKind::Truncated, 32..54)]);
    // Slices of 30 bytes are also begins of the draft with a name of 12, but no more of them.
    let file = (0..3).fold(File::new(0, 1.0), |file, time| {
        file.complete_v0(1, 1, f64::from(time), f64::from_bits(12), b"name")
    });
    let data = file.push(&[2]).finish();
    assert_eq!(events(&data).len(), 1 + 3 + 1);
    assert_eq!(kinds(&data), [(DiagnosticKind::Truncated, 122..123)]);
}

#[test]
fn a_2_drafts_are_refused_by_name() {
    assert_eq!(error(&attack("v0 first draft")), (FormatErrorKind::PreRelease, 8));
    assert_eq!(error(&attack("v0 second draft")), (FormatErrorKind::PreRelease, 8));
}

#[test]
fn a_3_times_are_microseconds_after_the_unit_and_rounded_once_half_away_from_zero() {
    let at = |unit, time| slices(&File::new(1, unit).end_v0(1, 1, time).finish())[0].1;
    assert_eq!(at(1.0, 100.5), 100_500);
    assert_eq!(at(1.0, 0.0005), 1);
    assert_eq!(at(1.0, -0.0005), -1);
    assert_eq!(at(1.0, 0.000_499), 0);
    assert_eq!(at(0.001, 2.5), 3);
    assert_eq!(at(0.001, -2.5), -3);
    assert_eq!(at(0.001, 0.499_999_999_999_999_94), 0);
    assert_eq!(at(0.0004, 2_500_000.0), 1_000_000);
    assert_eq!(at(0.001, 9_007_199_254_740_993.0), 9_007_199_254_740_992);
    assert_eq!(at(0.001, -9.223_372_036_854_776e18), i64::MIN);
}

#[test]
fn a_3_a_complete_slice_ends_where_its_rounded_end_is() {
    // Of the second, start and length each in nanoseconds make one more than their sum does.
    for (unit, time, length) in [(0.001, 1000.4, 0.2), (1.0, 0.025, 0.0915)] {
        let file = File::new(0, unit).complete_v0(1, 1, 0.0, length, b"a");
        let file = file.complete_v0(1, 1, time, length, b"b");
        let data = file.begin_v0(1, 1, time + length, b"c").finish();
        let events = &events(&data)[1..];
        let Event::Complete(b, length) = events[1] else { panic!() };
        assert_eq!(Some(b.at + length), events[2].at());
    }
}

#[test]
fn a_3_times_out_of_range_are_clamped_and_reported_before_the_event() {
    let data = attack("v1 time infinite");
    assert_eq!(
        kinds(&data),
        [(DiagnosticKind::TimeOutOfRange, 32..53), (DiagnosticKind::TimeOutOfRange, 53..70)]
    );
    assert_eq!(slices(&data), [("a".into(), i64::MAX), (String::new(), i64::MAX)]);
    assert_eq!(slices(&attack("v1 time max"))[0].1, i64::MIN);
    let at = |time| kinds(&File::new(1, 0.001).end_v0(1, 1, time).finish());
    assert_eq!(at(-9_223_372_036_854_775_808.0), []);
    assert_eq!(at(9_223_372_036_854_775_808.0), [(DiagnosticKind::TimeOutOfRange, 32..49)]);
    // Both ends are within 64 bits, and the duration between them is not.
    let data = File::new(0, 0.001).complete_v0(1, 1, -9e18, 18e18, b"a").finish();
    assert_eq!(kinds(&data), [(DiagnosticKind::TimeOutOfRange, 32..data.len() as u64)]);
}

#[test]
fn a_3_a_nan_time_is_the_time_of_the_record_before() {
    let file = File::new(1, 1.0).end_v0(1, 1, f64::NAN).end_v0(1, 1, 5.0).begin_v1(1, 2, f64::NAN, b"a", b"");
    let data = file.finish();
    assert_eq!(slices(&data), [(String::new(), 0), (String::new(), 5000), ("a".into(), 5000)]);
    assert_eq!(kinds(&data), [(DiagnosticKind::NanTime, 32..49), (DiagnosticKind::NanTime, 66..87)]);
}

#[test]
fn a_3_a_nan_length_makes_an_unfinished_slice() {
    for name in ["v0 nan length", "v0 infinity minus infinity"] {
        let data = attack(name);
        let last = items(Parser::new(), &data).last().unwrap().unwrap();
        assert!(matches!(last.event, Event::Unfinished(_)), "{name}");
        assert!(kinds(&data).contains(&(DiagnosticKind::BadDuration, 32..59)), "{name}");
    }
    let last = |name| format!("{:?}", items(Parser::new(), &attack(name)).last().unwrap().unwrap().event);
    assert!(last("v0 infinite length").contains(&format!("Ticks({})", i64::MAX - 1000)));
    assert!(last("v0 negative length").contains("Ticks(-3000)"));
}

#[test]
fn a_4_version_2_is_refused_by_name() {
    assert_eq!(error(&attack("version 2")), (FormatErrorKind::UnreleasedVersion, 8));
}

#[test]
fn a_5_the_buffer_says_thread_then_process() {
    let data = File::new(3, 1.0).buffer(11, 22).name_v3(8, b"p").name_v3(9, b"t").finish();
    let events = &events(&data)[1..];
    let Event::ProcessName(pid, name) = events[0] else { panic!() };
    assert!(pid == Id::Number(11) && name.is(b"p"));
    let Event::ThreadName(thread, name) = events[1] else { panic!() };
    assert!(thread.pid == Id::Number(11) && thread.tid == Id::Number(22) && name.is(b"t"));
}

#[test]
fn a_5_ticks_are_kept_and_clamped_beyond_63_bits() {
    let max = i64::MAX as u64;
    let data = File::new(3, 1e-3).buffer(1, 1).end_v3(max).end_v3(max + 1).end_v3(7).finish();
    assert_eq!(slices(&data).iter().map(|slice| slice.1).collect::<Vec<_>>(), [i64::MAX, i64::MAX, 7]);
    assert_eq!(kinds(&data), [(DiagnosticKind::TimeOutOfRange, 61..70)]);
}

#[test]
fn a_5_the_unit_can_be_overridden() {
    let clock = |data: &[u8], unit| {
        let parser = Parser::new().with_ns_per_tick(unit);
        format!("{:?}", items(parser, data).next().unwrap().unwrap().event)
    };
    let data = File::new(3, f64::NAN).finish();
    assert!(clock(&data, 1000.0).contains("Nanoseconds(1000.0)"));
    assert!(clock(&File::new(3, 0.5).finish(), f64::NAN).contains("Nanoseconds(0.5)"));
    let mut events = items(Parser::new().with_ns_per_tick(1000.0), &data).map(|parsed| parsed.unwrap().event);
    assert!(events.all(|event| !matches!(event, Event::Diagnostic(_))), "what is not used is not wrong");
    let v1 = File::new(1, 7.0).end_v0(1, 1, 3.0).finish();
    let at = items(Parser::new().with_ns_per_tick(2.0), &v1).last().unwrap().unwrap();
    assert_eq!(at.event.at().unwrap().0, 6);
}

#[test]
fn a_5_empty_buffers_are_normal() {
    assert_eq!(events(&attack("empty buffers")).len(), 1);
}

#[test]
fn a_5_what_runs_over_its_buffer_is_left_out_with_the_rest_of_the_buffer() {
    let names: [(&str, Range<u64>); 4] = [
        ("event over the buffer end", 64..67),
        ("type over the buffer end", 64..65),
        ("name over the buffer end", 52..56),
        ("pad over the buffer end", 73..78),
    ];
    for (name, bytes) in names {
        let data = attack(name);
        assert_eq!(kinds(&data)[0], (DiagnosticKind::Overrun, bytes), "{name}");
    }
    assert_eq!(kinds(&attack("pad to the buffer end")), []);
    assert_eq!(slices(&attack("pad over the buffer end")).len(), 4);
    // Behind the damage the next buffer is read.
    let data = File::new(3, 1.0).buffer_header(3, 1, 1).push(&[3, 3, 3]).buffer(1, 2).end_v3(9).finish();
    assert_eq!(slices(&data), [(String::new(), 9)]);
}

#[test]
fn a_5_a_buffer_larger_than_the_file_is_read_as_far_as_it_goes() {
    let data = attack("buffer larger than the file");
    assert_eq!(slices(&data).len(), 2);
    assert_eq!(kinds(&data), [(DiagnosticKind::Truncated, 73..73)]);
    assert_eq!(kinds(&data[..70]), [(DiagnosticKind::Truncated, 64..70)]);
    assert_eq!(kinds(&attack("buffer header cut")), [(DiagnosticKind::Truncated, 32..51)]);
    assert_eq!(kinds(&attack("pad over the file end")), [(DiagnosticKind::Truncated, 52..60)]);
}

#[test]
fn a_6_one_nul_is_stripped_from_names_and_none_from_arguments() {
    let file = File::new(3, 1.0).buffer(1, 1).name_v3(9, b"t\0\0").begin_v3(1, b"a\0", b"b\0").end_v3(2);
    let data = file.begin_v3(3, b"\0", b"").name_v3(8, b"p\0").finish();
    let events = &events(&data)[1..];
    let Event::ThreadName(_, name) = events[0] else { panic!() };
    assert_eq!(name.raw(), b"t\0");
    let Event::ProcessName(_, name) = events[4] else { panic!() };
    assert_eq!(name.raw(), b"p");
    let Event::Begin(begin) = events[1] else { panic!() };
    assert_eq!((begin.name.raw(), begin.args.bytes()), (&b"a"[..], &b"b\0"[..]));
    let Event::Begin(begin) = events[3] else { panic!() };
    assert_eq!(begin.name.raw(), b"");
}

#[test]
fn a_6_names_may_be_any_bytes_up_to_255() {
    let name = [0xff; 255];
    let data = File::new(3, 1.0).buffer(1, 1).begin_v3(1, &name, &name).finish();
    let Event::Begin(begin) = items(Parser::new(), &data).nth(1).unwrap().unwrap().event else { panic!() };
    assert_eq!((begin.name.raw(), begin.args.bytes()), (&name[..], &name[..]));
}

#[test]
fn a_6_an_unknown_type_ends_versions_0_and_1() {
    assert_eq!(error(&attack("v1 unknown type")), (FormatErrorKind::UnknownEvent { tag: 5 }, 53));
    assert_eq!(error(&attack("v1 type 0")), (FormatErrorKind::UnknownEvent { tag: 0 }, 53));
    assert_eq!(slices(&attack("v1 type 0")).len(), 1);
}

#[test]
fn a_6_an_unknown_type_ends_a_buffer_of_version_3() {
    let data = attack("unknown type");
    assert_eq!(kinds(&data), [(DiagnosticKind::UnknownEvent, 73..103)]);
    assert_eq!(slices(&data).len(), 4);
    let data = attack("unknown type in a cut buffer");
    let end = data.len() as u64;
    let expected = [(DiagnosticKind::UnknownEvent, 73..103), (DiagnosticKind::Truncated, end..end)];
    assert_eq!(kinds(&data), expected);
}

#[test]
fn a_6_times_that_go_back_are_kept_for_the_builder() {
    let times: Vec<_> = slices(&attack("time travel")).iter().map(|slice| slice.1).collect();
    assert_eq!(times, [9, 3, 1, 2]);
}

#[test]
fn a_3_padding_that_the_file_cuts_is_said() {
    let pad = File::new(1, 1.0).pad(9, b"12345678").finish();
    assert_eq!(kinds(&pad), [(DiagnosticKind::Truncated, 32..45)]);
}

#[test]
fn a_1_the_header_is_written_as_it_is_read() {
    for (version, number) in [(Version::V0, 0), (Version::V1, 1), (Version::V3, 3)] {
        let unit = if number == 3 { 250.0 } else { 0.25 };
        assert_eq!(Header::new(version, 250.0).to_bytes()[..], File::new(number, unit).finish());
    }
}

/// A file of version 3 with one buffer of process 1 and thread 2.
fn file_of_buffer(records: &[u8]) -> Vec<u8> {
    let mut file = Header::new(Version::V3, 2.0).to_bytes().to_vec();
    file.extend(u32::try_from(records.len()).unwrap().to_le_bytes());
    file.extend([2_u32, 1].map(u32::to_le_bytes).concat());
    file.extend([0; 8]);
    file.extend(records);
    file
}

/// Padding that holds these bytes.
fn padding(bytes: &[u8]) -> Vec<u8> {
    [&[7][..], &u32::try_from(bytes.len()).unwrap().to_le_bytes(), bytes].concat()
}

/// [spall A.5.11]
#[test]
fn a_5_padding_may_hold_facts() {
    let end = [&[4_u8][..], &5_u64.to_le_bytes()].concat();
    let records = [
        padding(b"#fact unix_ns=-3"),
        padding(b"#fact monotonic_ns=70"),
        padding(b"#fact program=a=b"),
        padding(b"#fact source_location=a::f\tsrc/a.rs\t7\tname\twith a tab"),
        // None of these is a fact.
        padding(b"#fact unix_ns=soon"),
        padding(b"#fact"),
        padding(b"#fact nothing"),
        padding(b"#fact \xff=1"),
        padding(b""),
        padding(&[b'#'; 600]),
        end,
    ];
    let file = file_of_buffer(&records.concat());
    let clock = Clock::new(spall_model::Unit::Nanoseconds(2.0));
    let known = clock.with_epoch_ns(Some(-3));
    let [first, unix, both, Event::Meta(program), Event::Meta(place), Event::End(_)] = &*events(&file) else {
        panic!("{:?}", events(&file))
    };
    assert_eq!(
        [first, unix, both],
        [&Event::Clock(clock), &Event::Clock(known), &Event::Clock(known.with_monotonic_ns(Some(70)))]
    );
    assert_eq!((program.key.raw(), program.value.to_string()), (&b"program"[..], "a=b".into()));
    assert_eq!(place.key.raw(), SourceLocation::KEY.as_bytes());
    let expected = SourceLocation::new("name\twith a tab", "a::f", "src/a.rs", 7);
    assert_eq!(SourceLocation::from_value(place.value), Some(expected));
    assert_eq!(kinds(&file), []);
}

/// [spall A.5.11] What the writer writes is what the parser reads, and a reader that knows no facts skips it.
#[test]
fn a_5_facts_are_written_as_padding() {
    let mut buffer = spall_format::spall::BufferWriter::new([0; 1024], 1, 2).unwrap();
    buffer.fact("unix_ns", "12").unwrap();
    buffer.fact("program", "x".repeat(600)).unwrap();
    let written = buffer.take().to_vec();
    let expected =
        [padding(b"#fact unix_ns=12"), padding(format!("#fact program={}", "x".repeat(512 - 14)).as_bytes())];
    assert_eq!(written[20..], expected.concat());
}
