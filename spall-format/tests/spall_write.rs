//! The writers of spall streams: what is written is read, and hostile sizes are harmless.
#![cfg(feature = "std")]

use crate::common::{items, spall_buffers};

use spall_format::FormatErrorKind;
use spall_format::spall::{
    BufferWriter, FileWriter, Full, Header, MIN_BUFFER, Parser, ThreadRecorder, Version,
};
use spall_model::{Args, Clock, Event, Id, LostParts, Text, Thread, ThreadEvent, Tick, Ticks, Unit, Written};
use spall_synth::spall::{Shape, attacks, trace};
use std::fs;

/// All events of `data` that the version can hold, written anew.
fn rewrite(data: &[u8], version: Version) -> Vec<u8> {
    let mut file = FileWriter::new(Vec::new(), version);
    for parsed in items(Parser::new(), data).map_while(Result::ok) {
        let _ = file.write_event(&parsed.event).unwrap();
    }
    file.finish().unwrap()
}

fn events(data: &[u8]) -> Vec<Event<'_>> {
    let events = items(Parser::new(), data).map(|parsed| parsed.unwrap().event);
    events.filter(|event| !matches!(event, Event::Diagnostic(_))).collect()
}

fn event(name: &[u8], at: i64) -> ThreadEvent<'_> {
    ThreadEvent::new(Thread::new(1_u32, 2_u32), Tick(at), Text::plain(name))
}

fn write(version: Version, events: &[Event<'_>]) -> (Vec<u8>, Vec<Written>) {
    let mut file = FileWriter::new(Vec::new(), version);
    let written = events.iter().map(|event| file.write_event(event).unwrap()).collect();
    (file.finish().unwrap(), written)
}

/// Files of every kind.
fn inputs() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> = attacks().into_iter().map(|(_, data)| data).collect();
    for version in [0, 1, 3] {
        inputs.push(trace(&Shape { version, slices: 3000, ..Shape::default() }));
        inputs.push(trace(&Shape { version, slices: 300, records_per_buffer: 1, ..Shape::default() }));
    }
    for folder in ["spall/v0", "spall/v1", "spall/v3", "spall/crafted", "spall/big", "recordings"] {
        inputs.extend(spall_testdata::inputs(folder, "").iter().map(|path| fs::read(path).unwrap()));
    }
    inputs
}

#[test]
fn texts_of_all_lengths_are_read_back() {
    let letters: Vec<u8> = (b' '..=b'~').cycle().take(255).collect();
    for length in 0..=255 {
        let (name, args) = (&letters[255 - length..], &letters[..length]);
        let mut buffer = BufferWriter::new(vec![0; 4096], 1, 2).unwrap();
        buffer.begin_with_args(7, name, args).unwrap();
        buffer.end(9).unwrap();
        let mut file = Header::new(Version::V3, 1.0).to_bytes().to_vec();
        file.extend_from_slice(buffer.take());
        let begins = events(&file).into_iter().filter_map(|event| match event {
            Event::Begin(begin) => Some((begin.name, begin.args.bytes(), begin.at)),
            _ => None,
        });
        assert!(begins.eq([(Text::plain(name), args, Tick(7))]), "{length}");
    }
}

#[test]
fn what_is_read_of_a_written_file_is_written_as_the_same_bytes() {
    for version in [Version::V0, Version::V1, Version::V3] {
        for input in inputs() {
            let first = rewrite(&input, version);
            assert!(rewrite(&first, version) == first, "{version:?}");
        }
    }
}

#[test]
fn rewriting_in_version_3_keeps_every_event_of_it() {
    for input in inputs() {
        let version_3 = input.get(8) == Some(&3) && items(Parser::new(), &input).all(|parsed| parsed.is_ok());
        if version_3 {
            assert!(events(&rewrite(&input, Version::V3)) == events(&input));
        }
    }
}

#[test]
fn version_1_becomes_version_3_and_back() {
    let input = trace(&Shape { version: 1, slices: 500, ..Shape::default() });
    let as_v3 = rewrite(&input, Version::V3);
    assert_eq!(events(&as_v3), events(&input));
    assert_eq!(events(&rewrite(&as_v3, Version::V1)), events(&input));
}

#[test]
fn a_file_without_events_is_a_header() {
    assert_eq!(write(Version::V1, &[]).0, Header::new(Version::V1, 1.0).to_bytes());
}

#[test]
fn a_1_the_clock_goes_to_the_header() {
    let mut clock = Clock::NANOSECONDS;
    clock.unit = Unit::Nanoseconds(0.25);
    let begin = Event::Begin(event(b"a", 10));
    let (data, written) = write(Version::V3, &[Event::Clock(clock), begin, Event::Clock(Clock::NANOSECONDS)]);
    assert_eq!(written, [Written::Done, Written::Done, Written::Unsupported]);
    assert_eq!(events(&data), [Event::Clock(clock), begin]);
    // Older versions have whole nanoseconds.
    let (data, _) = write(Version::V1, &[Event::Clock(clock), begin]);
    assert_eq!(events(&data)[1].at(), Some(Tick(3)));
}

#[test]
fn what_has_no_place_is_said_to_be_left_out() {
    let complete = Event::Complete(event(b"a", 5), Ticks(3));
    let instant = Event::Instant(event(b"a", 5), spall_model::Scope::Thread);
    let names = [
        Event::ProcessName(Id::Number(1), Text::EMPTY),
        Event::ThreadName(Thread::new(1_u32, 1_u32), Text::EMPTY),
    ];
    let all = [complete, instant, names[0], names[1], Event::Begin(event(b"a", -1))];
    use Written::{BadId, BadTime, Done, Unsupported};
    assert_eq!(write(Version::V0, &all).1, [Done, Unsupported, Unsupported, Unsupported, Done]);
    assert_eq!(write(Version::V1, &all).1, [Unsupported, Unsupported, Unsupported, Unsupported, Done]);
    assert_eq!(write(Version::V3, &all).1, [Unsupported, Unsupported, Done, Done, BadTime]);
    for id in [Id::Number(-1), Id::Number(1 << 32), Id::Text(b"x")] {
        let thread = Thread { pid: id, tid: Id::Number(1) };
        let events =
            [Event::End(ThreadEvent { thread, ..event(b"", 1) }), Event::ProcessName(id, Text::EMPTY)];
        assert_eq!(write(Version::V3, &events).1, [BadId, BadId]);
        assert_eq!(write(Version::V1, &events).1, [BadId, Unsupported]);
    }
}

#[test]
fn a_5_a_buffer_ends_where_the_thread_changes_or_it_is_full() {
    let on = |tid: u32, at| Event::End(ThreadEvent { thread: Thread::new(1_u32, tid), ..event(b"", at) });
    let (data, _) = write(Version::V3, &[on(1, 1), on(1, 2), on(2, 1), on(1, 3)]);
    assert_eq!(spall_buffers(&data), [18, 9, 9]);
    let (data, _) = write(Version::V3, &(0..10_000).map(|at| on(1, at)).collect::<Vec<_>>());
    let sizes = spall_buffers(&data);
    assert!(sizes.len() == 2 && sizes.iter().all(|size| size % 9 == 0));
}

#[test]
fn a_5_a_process_is_named_in_a_buffer_of_its_own() {
    let name = |pid: i64| Event::ProcessName(Id::Number(pid), Text::plain(b"name"));
    let written = [Event::Begin(event(b"a", 1)), name(1), name(7), name(7)];
    let (data, _) = write(Version::V3, &written);
    assert_eq!(events(&data)[1..], written);
    // The first name shares the buffer of the begin, the other two share one.
    assert_eq!(data.len(), 32 + 2 * 20 + (11 + 1) + 3 * (2 + 4));
}

#[test]
fn a_6_a_name_that_ends_in_nul_is_read_back() {
    for version in [Version::V1, Version::V3] {
        let begin = Event::Begin(ThreadEvent { args: Args::text(b"args\0"), ..event(b"name\0", 1) });
        assert_eq!(events(&write(version, &[begin]).0)[1], begin);
    }
}

#[test]
fn a_6_long_texts_are_cut_between_characters() {
    let long = "é".repeat(200);
    let begin = Event::Begin(ThreadEvent { args: Args::text(long.as_bytes()), ..event(long.as_bytes(), 1) });
    let data = write(Version::V3, &[begin]).0;
    let Event::Begin(read) = events(&data)[1] else { panic!() };
    assert_eq!((read.name.raw(), read.args.bytes()), (&long.as_bytes()[..254], &long.as_bytes()[..254]));
}

#[test]
fn errors_of_the_output_are_handed_on() {
    let mut room = [0_u8; 40];
    let mut file = FileWriter::new(&mut room[..], Version::V1);
    let _ = file.write_event(&Event::Begin(event(b"a", 1))).unwrap();
    assert!(file.finish().is_err());
}

/// The records that a profiler writes until the buffer is full; how many fit.
fn record<B: AsMut<[u8]>>(buffer: &mut BufferWriter<B>) -> Result<usize, usize> {
    let long = [b'x'; 300];
    let mut done = 0;
    let mut count = |result: Result<(), Full>| result.map(|()| done += 1);
    let result = count(buffer.process_name("p"))
        .and_then(|()| count(buffer.thread_name(long)))
        .and_then(|()| count(buffer.begin(1, "a")))
        .and_then(|()| count(buffer.begin_with_args(3, long, long)))
        .and_then(|()| count(buffer.end(2)));
    if result.is_ok() { Ok(done) } else { Err(done) }
}

#[test]
fn a_buffer_of_any_accepted_size_is_harmless() {
    let mut memory = [0xaa; 1400];
    let header = Header::new(Version::V3, 1.0).to_bytes();
    for size in 0..memory.len() {
        let buffer = BufferWriter::new(&mut memory[..size], 3, 4);
        if size < MIN_BUFFER {
            assert_eq!(buffer.unwrap_err().kind(), FormatErrorKind::BufferSize { min: 541 });
            continue;
        }
        let mut buffer = buffer.unwrap();
        assert!(buffer.is_empty());
        let fitted = match record(&mut buffer) {
            Ok(fitted) | Err(fitted) => fitted,
        };
        let data = [&header, buffer.take()].concat();
        assert_eq!(events(&data).len(), 1 + fitted, "{size}");
        assert!(
            items(Parser::new(), &data).all(|parsed| !matches!(parsed.unwrap().event, Event::Diagnostic(_)))
        );
        assert!(buffer.is_empty() && buffer.take().is_empty());
    }
    assert_eq!(record(&mut BufferWriter::new(&mut memory, 3, 4).unwrap()), Ok(5));
}

#[test]
fn an_empty_buffer_of_the_least_size_takes_any_record() {
    assert_eq!(MIN_BUFFER, 541);
    let mut buffer = BufferWriter::new([0; MIN_BUFFER], 1, 1).unwrap();
    assert_eq!(buffer.free(), 521);
    assert_eq!(buffer.begin_with_args(1, [1; 255], [2; 255]), Ok(()));
    assert_eq!((buffer.free(), buffer.end(2)), (0, Err(Full)));
    assert_eq!(buffer.take().len(), MIN_BUFFER);
    assert_eq!(buffer.end(2), Ok(()));
}

#[test]
fn what_does_not_fit_leaves_no_trace() {
    let mut buffer = BufferWriter::new(vec![0; MIN_BUFFER], 1, 2).unwrap();
    let name = [b'x'; 255];
    let ends = i64::try_from((buffer.free() - 266 - 10) / 9).unwrap();
    assert_eq!(buffer.begin(4, name), Ok(()));
    for at in 5..5 + ends {
        assert_eq!(buffer.end(u64::try_from(at).unwrap()), Ok(()));
    }
    assert!((10..19).contains(&buffer.free()));
    assert_eq!(buffer.begin(6, [b'y'; 8]), Err(Full));
    assert_eq!(buffer.end(99), Ok(()));
    let file = [&Header::new(Version::V3, 1.0).to_bytes(), buffer.take()].concat();
    let mut expected = vec![Event::Begin(event(&name, 4))];
    expected.extend((5..5 + ends).chain([99]).map(|at| Event::End(event(b"", at))));
    assert_eq!(events(&file)[1..], expected);
}

#[test]
fn a_buffer_may_be_borrowed_or_owned() {
    fn check<B: AsMut<[u8]>>(memory: B) {
        let mut buffer = BufferWriter::new(memory, 1, 2).unwrap();
        assert_eq!(buffer.begin(1, "a"), Ok(()));
        assert_eq!(buffer.take().len(), 20 + 11 + 1);
    }
    let mut memory = [0; MIN_BUFFER];
    check(&mut memory);
    check(&mut memory[..]);
    check(memory);
    check(memory.to_vec());
    check(memory.to_vec().into_boxed_slice());
}

#[test]
fn a_full_buffer_is_handed_on_and_the_record_written_again() {
    let mut file = Header::new(Version::V3, 1.0).to_bytes().to_vec();
    let mut buffer = BufferWriter::new([0; MIN_BUFFER], 1, 2).unwrap();
    let (mut n_buffers, mut expected) = (0, Vec::new());
    let long = [b'x'; 255];
    for at in 0..200 {
        let when = u64::try_from(at).unwrap();
        let name = &long[..usize::try_from(at).unwrap()];
        let sink = |bytes: &[u8]| -> Result<(), ()> {
            n_buffers += 1;
            file.extend_from_slice(bytes);
            Ok(())
        };
        assert_eq!(buffer.record(|buffer| buffer.begin(when, name), sink), Ok(()));
        expected.push(Event::Begin(event(name, at)));
    }
    file.extend_from_slice(buffer.take());
    assert_eq!(events(&file)[1..], expected);
    assert!(n_buffers > 40, "{n_buffers}");
    // An error of the sink is returned, and the record is written all the same.
    assert_eq!(buffer.record(|buffer| buffer.begin_with_args(1, long, long), |_| Err(1)), Ok(()));
    assert_eq!(buffer.record(|buffer| buffer.end(2), |_| Err(1)), Err(1));
    assert_eq!(buffer.take().len(), 20 + 9);
}

#[test]
fn a_thread_recorder_hands_on_everything_when_it_is_dropped() {
    let mut file = Header::new(Version::V3, 1.0).to_bytes().to_vec();
    let mut recorder = ThreadRecorder::new([0; MIN_BUFFER], 1, 2, |bytes: &[u8]| {
        assert!(!bytes.is_empty());
        file.extend_from_slice(bytes);
    });
    let recorder_ref = recorder.as_mut().unwrap();
    recorder_ref.process_name("p");
    recorder_ref.thread_name("t");
    let mut expected = vec![
        Event::ProcessName(Id::Number(1), Text::plain(b"p")),
        Event::ThreadName(Thread::new(1_u32, 2_u32), Text::plain(b"t")),
    ];
    for at in 0..100 {
        recorder_ref.begin_with_args(at, "name", "args");
        recorder_ref.begin(at, "inner");
        recorder_ref.end(at);
        let at = i64::try_from(at).unwrap();
        let begin = ThreadEvent { args: Args::text(b"args"), ..event(b"name", at) };
        expected.extend([Event::Begin(begin), Event::Begin(event(b"inner", at)), Event::End(event(b"", at))]);
    }
    recorder_ref.flush();
    recorder_ref.flush();
    recorder_ref.end(100);
    expected.push(Event::End(event(b"", 100)));
    drop(recorder);
    assert_eq!(events(&file)[1..], expected);
    assert_eq!(
        ThreadRecorder::new([0; 9], 1, 2, |_| {}).unwrap_err().kind(),
        FormatErrorKind::BufferSize { min: 541 }
    );
}

#[test]
fn what_is_missing_of_a_written_event_is_said() {
    let rich = ThreadEvent { category: Text::plain(b"c"), args: Args::text(b"a"), ..event(b"name", 1) };
    let events = [Event::Begin(rich), Event::End(rich), Event::Complete(rich, Ticks(1))];
    use LostParts as O;
    let in_part = Written::InPart;
    let end = in_part(O::CATEGORY.with(O::NAME).with(O::ARGUMENTS));
    let without_args = in_part(O::CATEGORY.with(O::ARGUMENTS));
    assert_eq!(write(Version::V0, &events).1, [without_args, end, without_args]);
    assert_eq!(write(Version::V1, &events).1, [in_part(O::CATEGORY), end, Written::Unsupported]);
    assert_eq!(write(Version::V3, &events).1, [in_part(O::CATEGORY), end, Written::Unsupported]);
    let long = [b'x'; 256];
    let name = Event::ThreadName(Thread::new(1_u32, 2_u32), Text::plain(&long));
    let cut = [Event::Begin(event(&long, 1)), Event::Begin(event(&long[..255], 1)), name];
    assert_eq!(write(Version::V3, &cut).1, [in_part(O::TEXT), Written::Done, in_part(O::TEXT)]);
    let args = Event::Begin(ThreadEvent { args: Args::text(&long), ..event(b"", 1) });
    assert_eq!(write(Version::V3, &[args]).1, [in_part(O::TEXT)]);
    assert_eq!(write(Version::V0, &[args]).1, [in_part(O::ARGUMENTS)]);
}

#[test]
fn a_clock_cannot_change_under_records_of_thread_0_either() {
    let on_thread_0 = Event::Begin(ThreadEvent { thread: Thread::new(0_u32, 0_u32), ..event(b"a", 5) });
    let clock = Event::Clock(Clock::new(Unit::Nanoseconds(2.0)));
    let (data, written) = write(Version::V3, &[on_thread_0, clock]);
    assert_eq!(written, [Written::Done, Written::Unsupported]);
    assert_eq!(events(&data)[0], Event::Clock(Clock::NANOSECONDS));
}

#[test]
fn what_a_double_would_round_is_refused() {
    const LIMIT: i64 = 1 << 53;
    let complete = |at, duration| Event::Complete(event(b"a", at), Ticks(duration));
    let all = [
        complete(1, LIMIT - 1),
        complete(1, -LIMIT - 1),
        complete(LIMIT + 1, 1),
        Event::Begin(event(b"a", LIMIT + 1)),
        Event::End(event(b"", -LIMIT - 1)),
        Event::End(event(b"", LIMIT + 2)),
    ];
    use Written::{BadTime, Done};
    assert_eq!(write(Version::V0, &all).1, [Done, BadTime, BadTime, BadTime, BadTime, Done]);
    assert_eq!(write(Version::V1, &all[3..]).1, [BadTime, BadTime, Done]);
}
