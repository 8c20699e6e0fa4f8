//! The rules of Perfetto's traces, on packets that are written here.
#![cfg(feature = "alloc")]

use spall_format::perfetto::{Parser, is_trace};
use spall_model::{
    ByteRange, DiagnosticKind, Event, Id, LendingParser, Limits, Progress, ThreadMeasure, Trace,
    TraceBuilder, TraceView, Track, Value,
};
use spall_synth::gzip;
use spall_synth::perfetto::{Message, event, file, packet, payload, thread, trace};

fn load(packets: &[Message]) -> Trace {
    load_bytes(&file(packets))
}

fn load_bytes(data: &[u8]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let (mut parser, mut rest) = (Parser::new(), data);
    while let Progress::Read(n) = parser.lend(rest, true, &mut builder).unwrap() {
        rest = &rest[n..];
    }
    builder.finish()
}

/// Name, start and end of all slices, in the order of display.
fn slices(trace: &Trace) -> Vec<(String, i64, i64)> {
    let slices = trace.slices();
    (0..slices.len())
        .map(|at| (trace.name(slices.names()[at]).into_owned(), slices.starts()[at].0, slices.ends()[at].0))
        .collect()
}

/// Name and time of all instants.
fn instants(trace: &Trace) -> Vec<(String, i64)> {
    trace.instants().iter().map(|instant| (trace.name(instant.name).into_owned(), instant.at.0)).collect()
}

fn counters(trace: &Trace) -> Vec<(i64, f64)> {
    trace.counters().iter().map(|counter| (counter.at.0, counter.value)).collect()
}

fn count(trace: &Trace, kind: DiagnosticKind) -> u64 {
    trace.diagnostics().count(kind)
}

fn name(text: &str, at: i64) -> (String, i64) {
    (text.to_owned(), at)
}

/// An instant at a time.
fn instant(time: u64, text: &str) -> Message {
    packet(time, payload::EVENT, &event(3, 1, text))
}

/// A packet that clears the state of the sequence 1, with interned data.
fn cleared(data: &Message) -> Message {
    Message::new().number(10, 1).number(13, 1).message(12, data)
}

/// An entry of interned texts.
fn entry(iid: u64, text: &str) -> Message {
    Message::new().number(1, iid).text(2, text)
}

#[test]
fn perfetto_1_1_a_trace_is_told_from_json_behind_a_line_feed() {
    assert!(is_trace(&file(&[instant(1, "a")])));
    assert!(is_trace(&file(&[packet(0, payload::CLOCKS, &Message::new())])));
    for text in [
        "\n[",
        "\n{",
        "\n[{\"ph\":\"B\"}]",
        "\n\n[{}]",
        "\n{\n \"a\":1}",
        "\n[\n  {\"name\":\"x\"}]",
        "\n",
        "a",
    ] {
        let long = format!("{text}{}", " \"x\":1,\n".repeat(100));
        assert!(!is_trace(text.as_bytes()) && !is_trace(long.as_bytes()), "{text:?}");
    }
}

#[test]
fn perfetto_1_2_what_is_not_read_is_counted_by_its_field_number() {
    let unknown = |field| packet(5, field, &Message::new().number(1, 1));
    let trace = load(&[unknown(33), instant(1, "a"), unknown(33), unknown(1500)]);
    assert_eq!(instants(&trace), [name("a", 1)]);
    assert_eq!(count(&trace, DiagnosticKind::NotRead), 3);
    let fact = &trace.meta()[0];
    assert_eq!(trace.name(fact.key), "packets_not_read");
    let Value::Map(counts) = trace.meta_value(fact) else { panic!("a map") };
    let counts: Vec<_> = counts.iter().map(|(key, value)| (key.to_string(), value)).collect();
    assert_eq!(counts, [("33".to_owned(), Value::U64(2)), ("1500".to_owned(), Value::U64(1))]);
}

#[test]
fn perfetto_1_2_a_packet_that_the_end_cuts_off_is_left_out() {
    let data = file(&[instant(1, "a"), instant(2, "b")]);
    let first = file(&[instant(1, "a")]).len();
    for end in first + 1..data.len() {
        let trace = load_bytes(&data[..end]);
        assert_eq!(instants(&trace), [name("a", 1)], "{end} bytes");
        assert_eq!(count(&trace, DiagnosticKind::Truncated), 1, "{end} bytes");
    }
    assert_eq!(count(&load_bytes(&data[..first]), DiagnosticKind::Truncated), 0);
}

#[cfg(feature = "gzip")]
#[test]
fn perfetto_1_2_compressed_packets_hold_packets() {
    let inside = file(&[instant(1, "a"), instant(2, "b")]);
    let packed = Message::new().raw(50, &gzip::zlib(&inside));
    let trace = load(&[instant(0, "before"), packed.clone(), instant(3, "behind")]);
    assert_eq!(instants(&trace), [name("before", 0), name("a", 1), name("b", 2), name("behind", 3)]);
    // Packets inside count for the limit, and packets behind are read all the same.
    let mut limits = Limits::default();
    limits.max_decompressed_bytes = inside.len() as u64;
    let data = file(&[packed.clone(), packed, instant(3, "behind")]);
    let mut seen = Vec::new();
    let parser = Parser::new().with_limits(&limits);
    let see = |event: &Event<'_>, _| match event {
        Event::Instant(event, _) => seen.push(event.at.0),
        Event::Diagnostic(kind) => assert_eq!(*kind, DiagnosticKind::BadCompression),
        _ => {}
    };
    parser.lend_all(&data, see).unwrap();
    assert_eq!(seen, [1, 2, 3]);
}

#[test]
fn perfetto_1_3_damage_of_a_message_ends_at_the_message() {
    // A group, the field number 0, and a length beyond the message.
    for junk in [&b"\x0b"[..], b"\x00", b"\x7a\x7f", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"] {
        let damaged = packet(1, payload::EVENT, &event(3, 1, "a").junk(junk));
        let trace = load(&[damaged, instant(2, "b")]);
        assert_eq!(instants(&trace), [name("a", 1), name("b", 2)], "{junk:x?}");
        assert_eq!(count(&trace, DiagnosticKind::DamagedRecord), 1, "{junk:x?}");
    }
}

#[test]
fn perfetto_1_3_scalars_may_be_packed_and_the_last_value_counts() {
    let uuids = Message::new().message(11, &Message::new().packed(31, &[7, 8]));
    let counter =
        |uuid| packet(0, payload::TRACK, &Message::new().number(1, uuid).message(8, &Message::new()));
    let plain = event(3, 1, "a").number(31, 7).number(31, 8).number(12, 10).number(12, 20);
    let packed = event(3, 1, "b").text(23, "c").packed(12, &[30, 40]);
    let defaults = Message::new().number(10, 1).number(13, 1).message(59, &uuids);
    let packets = [
        defaults,
        counter(7),
        counter(8),
        packet(1, payload::EVENT, &plain),
        packet(2, payload::EVENT, &packed).number(8, 3),
    ];
    let trace = load(&packets);
    assert_eq!(instants(&trace), [name("a", 1), name("c", 3)]);
    assert_eq!(counters(&trace), [(1, 10.0), (3, 30.0), (1, 20.0), (3, 40.0)]);
}

#[test]
fn perfetto_2_1_packets_that_need_lost_state_are_left_out() {
    let needs = |time, text| instant(time, text).number(13, 2);
    let lost = |time, text| instant(time, text).number(13, 2).number(42, 1);
    let packets = [
        needs(1, "before"),
        cleared(&Message::new()),
        needs(2, "whole"),
        lost(3, "behind a gap"),
        needs(4, "too"),
        instant(5, "needs nothing"),
        cleared(&Message::new()),
        needs(6, "again"),
    ];
    let trace = load(&packets);
    assert_eq!(instants(&trace), [name("whole", 2), name("needs nothing", 5), name("again", 6)]);
    assert_eq!(count(&trace, DiagnosticKind::LostState), 3);
}

#[test]
fn perfetto_2_2_interned_names_count_until_they_are_replaced_or_cleared() {
    let names = |text| Message::new().message(2, &entry(3, text));
    let named = |time| packet(time, payload::EVENT, &Message::new().number(9, 3).number(11, 1).number(10, 3));
    let more = |text| Message::new().number(10, 1).message(12, &names(text));
    let other = named(5).number(10, 2);
    let packets =
        [cleared(&names("a")), named(1), more("b"), named(2), cleared(&Message::new()), named(3), other];
    let trace = load(&packets);
    assert_eq!(instants(&trace), [name("a", 1), name("b", 2), name("", 3), name("", 5)]);
    assert_eq!(count(&trace, DiagnosticKind::UnknownEntry), 2);
}

#[test]
fn perfetto_2_2_interned_names_may_have_any_number() {
    let numbers = [1, 2, 4, 3, 40, u64::MAX];
    let names = numbers
        .iter()
        .fold(Message::new(), |all, &number| all.message(2, &entry(number, &format!("{number}"))));
    let event = |number| Message::new().number(9, 3).number(11, 1).number(10, number);
    let events = numbers.iter().zip(1..).map(|(&number, time)| packet(time, payload::EVENT, &event(number)));
    let trace = load(&[cleared(&names)].into_iter().chain(events).collect::<Vec<_>>());
    let expected: Vec<_> =
        numbers.iter().zip(1..).map(|(number, at)| name(&format!("{number}"), at)).collect();
    assert_eq!(instants(&trace), expected);
    assert!(trace.diagnostics().is_empty(), "{}", trace.diagnostics());
}

/// What a clock showed, in its own units.
fn reading(clock: u64, time: u64) -> Message {
    Message::new().number(1, clock).number(2, time)
}

/// A snapshot in the sequence 1: what clocks showed at the same moment.
fn together(readings: impl IntoIterator<Item = Message>) -> Message {
    let all = readings.into_iter().fold(Message::new(), |all, reading| all.message(1, &reading));
    Message::new().number(10, 1).message(payload::CLOCKS, &all)
}

/// A snapshot of clocks as pairs of an id and a time.
fn snapshot(clocks: &[(u64, u64)]) -> Message {
    together(clocks.iter().map(|&(clock, time)| reading(clock, time)))
}

#[test]
fn perfetto_3_1_times_go_by_the_latest_snapshot_before_them() {
    let by = |clock, time| instant(time, "").number(58, clock);
    let packets = [
        snapshot(&[(3, 100), (6, 1100)]),
        snapshot(&[(3, 200), (6, 1300)]),
        by(3, 50),
        by(3, 150),
        by(3, 250),
        by(6, 7),
    ];
    let at: Vec<i64> = instants(&load(&packets)).into_iter().map(|(_, at)| at).collect();
    assert_eq!(at, [7, 1050, 1150, 1350]);
}

#[test]
fn perfetto_3_1_a_snapshot_may_name_the_clock_of_the_trace() {
    let clocks = Message::new().number(2, 3).message(1, &reading(3, 100)).message(1, &reading(6, 1100));
    let snapshot = Message::new().number(10, 1).message(payload::CLOCKS, &clocks);
    let packets =
        [snapshot, instant(150, "").number(58, 3), instant(1170, "").number(58, 6), instant(1190, "")];
    let at: Vec<i64> = instants(&load(&packets)).into_iter().map(|(_, at)| at).collect();
    assert_eq!(at, [150, 170, 190]);
}

#[test]
fn perfetto_3_1_a_snapshot_may_have_nothing_but_the_clock_of_the_trace() {
    let by = |time| instant(time, "").number(58, 3);
    let only = Message::new().number(10, 1).message(payload::CLOCKS, &Message::new().number(2, 3));
    let trace = load(&[snapshot(&[(3, 100), (6, 1100)]), by(150), only, by(1160)]);
    assert_eq!(instants(&trace), [name("", 1150), name("", 1160)]);
}

#[test]
fn perfetto_3_1_clocks_may_count_in_units_of_their_own() {
    let snapshot = together([reading(64, 5).number(4, 1_000), reading(6, 9_000)]);
    let trace = load(&[snapshot, instant(7, "").number(58, 64), instant(8, "").number(58, 64)]);
    assert_eq!(instants(&trace), [name("", 11_000), name("", 12_000)]);
}

#[test]
fn perfetto_3_1_the_clocks_of_a_snapshot_relate_to_one_of_the_whole_trace() {
    // From the clocks of the sequence there are two others on the way to that of the trace. By way of each other there
    // would be three.
    for clocks in [[(3, 10), (64, 100), (65, 1_000)], [(64, 100), (65, 1_000), (3, 10)]] {
        let trace = load(&[
            snapshot(&clocks),
            snapshot(&[(3, 10), (1, 500)]),
            snapshot(&[(1, 500), (6, 7_000)]),
            instant(101, "").number(58, 64),
            instant(1_002, "").number(58, 65),
        ]);
        assert_eq!(instants(&trace), [name("", 7_001), name("", 7_002)]);
        assert!(trace.diagnostics().is_empty(), "{}", trace.diagnostics());
    }
}

#[test]
fn perfetto_3_1_clocks_of_a_sequence_may_count_differences_in_units_of_their_own() {
    for (unit, times) in [(1, [9, 1_005_002, 1_005_005]), (1000, [9, 1_007_000, 1_010_000])] {
        // The clock 64 counts from its last packet, and relates to the monotonic clock alone.
        let own = together([reading(64, 5).number(3, 1).number(4, unit), reading(3, 5_000)]);
        let by = |time| instant(time, "").number(58, 64);
        // The clock of the same number of another sequence is another clock.
        let other = by(9).number(10, 2);
        let trace = load(&[snapshot(&[(3, 0), (6, 1_000_000)]), own, by(2), by(3), other]);
        let at: Vec<i64> = instants(&trace).into_iter().map(|(_, at)| at).collect();
        assert_eq!(at, times);
        assert_eq!(count(&trace, DiagnosticKind::UnknownClock), 1);
    }
}

#[test]
fn perfetto_3_2_times_in_events_are_microseconds_of_the_monotonic_clock() {
    let thread = Message::new().number(1, 1).number(2, 2).number(6, 10);
    let head = Message::new().number(10, 1).number(13, 1).message(44, &thread);
    let delta = |us| Message::new().number(10, 1).message(payload::EVENT, &event(3, 1, "").number(1, us));
    let absolute = |us: i64| {
        Message::new().number(10, 1).message(payload::EVENT, &event(3, 1, "").number(16, us.cast_unsigned()))
    };
    let packets = [snapshot(&[(3, 0), (6, 1)]), head, delta(5), delta(5), absolute(3), absolute(i64::MAX)];
    let trace = load(&packets);
    let at: Vec<i64> = instants(&trace).into_iter().map(|(_, at)| at).collect();
    assert_eq!(at, [3_001, 15_001, 20_001, i64::MAX]);
    assert_eq!(count(&trace, DiagnosticKind::TimeOutOfRange), 1);
}

#[test]
fn perfetto_3_2_every_time_out_of_range_is_counted() {
    let n_clamped = |packets: &[Message]| count(&load(packets), DiagnosticKind::TimeOutOfRange);
    let last_us = (i64::MAX / 1000).cast_unsigned();
    for (us, n) in [(last_us, 0), (last_us + 1, 1)] {
        let thread = Message::new().number(1, 1).number(2, 2);
        // The time that differences refer to, a difference to it, and a duration.
        let head = |us| Message::new().number(10, 1).number(13, 1).message(44, &thread.clone().number(6, us));
        assert_eq!(n_clamped(&[head(us)]), n, "{us}");
        let delta = Message::new().number(10, 1).message(payload::EVENT, &event(3, 1, "").number(1, us - 7));
        assert_eq!(n_clamped(&[head(7), delta]), n, "{us}");
        let phase = Message::new().number(2, u64::from(b'X')).number(3, us);
        assert_eq!(n_clamped(&[packet(0, payload::EVENT, &event(0, 1, "x").message(6, &phase))]), n, "{us}");
        // Differences of a profile.
        let stacks = Message::new().number(1, 1).number(2, us - 7);
        let stacks = Message::new().number(10, 1).message(54, &stacks);
        assert_eq!(n_clamped(&[head(7), stacks]), n, "{us}");
    }
    assert_eq!(n_clamped(&[snapshot(&[(3, 1 << 63), (6, 1)]), instant(1, "")]), 1);
}

#[test]
fn perfetto_3_3_the_epoch_is_the_wall_clock_at_tick_0() {
    let clock = |packets: &[Message]| {
        let clock = load(packets).clock();
        (clock.epoch_ns, clock.monotonic_ns)
    };
    let related = snapshot(&[(1, 1_700_000_000_000_000_500), (3, 200), (6, 500)]);
    assert_eq!(clock(&[related, instant(1, "")]), (Some(1_700_000_000_000_000_000), Some(-300)));
    assert_eq!(clock(&[snapshot(&[(3, 200), (6, 500)]), instant(1, "")]), (None, Some(-300)));
    assert_eq!(clock(&[instant(1, "")]), (None, None));
}

#[test]
fn perfetto_3_4_begins_and_ends_pair_by_their_times() {
    let of = |sequence: u64, packet: &Message| packet.clone().number(10, sequence);
    let begin = |time, text| packet(time, payload::EVENT, &event(1, 1, text));
    let end = |time| packet(time, payload::EVENT, &event(2, 1, ""));
    let (first, second) = ([begin(0, "a"), end(9)], [begin(3, "b"), end(5)]);
    let expected = [("a".to_owned(), 0, 9), ("b".to_owned(), 3, 5)];
    for order in [[0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3], [1, 3, 2, 0]] {
        let all = [of(1, &first[0]), of(1, &first[1]), of(2, &second[0]), of(2, &second[1])];
        let packets = order.map(|at: usize| all[at].clone());
        let trace = load(&packets);
        assert_eq!(slices(&trace), expected, "{order:?}");
        assert_eq!(count(&trace, DiagnosticKind::Unordered), 0, "the order of the file says nothing");
    }
}

#[test]
fn perfetto_4_1_tracks_lie_below_their_parents() {
    let process = Message::new().number(1, 10).message(3, &Message::new().number(1, 5).text(6, "p"));
    let own = |uuid, parent, text| Message::new().number(1, uuid).number(5, parent).text(2, text);
    let tracks =
        [thread(1, 5, 6, "t"), process, own(20, 10, "of p"), own(21, 20, "inner"), own(22, 1, "of t")];
    let mut packets: Vec<_> = tracks.iter().map(|track| packet(0, payload::TRACK, track)).collect();
    packets.extend([1, 10, 20, 21, 22].map(|track| packet(1, payload::EVENT, &event(1, track, "s"))));
    // Without a uuid an event is on the thread of the sequence, or on the one that it says itself.
    let phase = Message::new().number(2, u64::from(b'B'));
    let other = phase.clone().number(18, 5).number(19, 7);
    for legacy in [phase, other] {
        packets.push(packet(2, payload::EVENT, &Message::new().text(23, "l").message(6, &legacy)));
    }
    let trace = load(&packets);
    let expected = ["p: of p 1", "p: of p: inner 1", "p: t 2", "p: t: of t 1", "p: Thread 7 1", "p: s 1"];
    // The track of the process itself has no name, so its title is that of its slice.
    assert_eq!(places(&trace), sorted(&expected));
}

/// Returns what each track lies below, beginning with its process, its title, and how much is on it.
fn places(trace: &Trace) -> Vec<String> {
    let place = |track: &Track| {
        let above = core::iter::successors(Some(track), |track| trace.tracks().get(track.parent?.index()));
        let mut titles: Vec<_> = above.map(|track| trace.track_title(track.id)).collect();
        titles.push(trace.process_title(track.process.unwrap()));
        titles.reverse();
        format!("{} {}", titles.join(": "), track.slices().len() + track.counters().len())
    };
    let places: Vec<_> = trace.tracks().iter().map(place).collect();
    sorted(&places)
}

fn sorted(texts: &[impl AsRef<str>]) -> Vec<String> {
    let mut sorted: Vec<_> = texts.iter().map(|text| text.as_ref().to_owned()).collect();
    sorted.sort();
    sorted
}

#[test]
fn perfetto_4_1_a_track_lies_below_a_thread_of_which_nothing_else_is_known() {
    let silent = Message::new().number(1, 1).message(4, &Message::new().number(1, 5).number(2, 6));
    let own = Message::new().number(1, 20).number(5, 1).text(2, "below");
    let descriptors = [packet(0, payload::TRACK, &silent), packet(0, payload::TRACK, &own)];
    let slice = packet(1, payload::EVENT, &event(1, 20, "s"));
    for late in 0..=2 {
        let mut packets = descriptors.to_vec();
        packets.insert(late, slice.clone());
        let trace = load(&packets);
        assert_eq!(places(&trace), ["Process 5: Thread 6 0", "Process 5: Thread 6: below 1"]);
        assert_eq!(count(&trace, DiagnosticKind::LostParent), 0);
    }
    // Without a track that has something, there is nothing to show.
    assert!(load(&descriptors).tracks().is_empty());
}

#[test]
fn perfetto_4_1_the_first_name_of_a_process_counts_and_a_command_line_without_one() {
    let process = |command: &str, name: &str| {
        let process = Message::new().number(1, 7).text(2, command);
        let process = if name.is_empty() { process } else { process.text(6, name) };
        packet(0, payload::TRACK, &Message::new().number(1, 1).message(3, &process))
    };
    let names = |packets: &[Message]| {
        let trace = load(&[packets, &[packet(1, payload::EVENT, &event(3, 1, "a"))]].concat());
        trace.name(trace.processes()[0].name).into_owned()
    };
    let (long, named) = (process("/bin/a --long", ""), process("/bin/a --long", "Browser"));
    assert_eq!(names(core::slice::from_ref(&long)), "/bin/a --long");
    assert_eq!(names(&[long.clone(), named.clone(), long.clone()]), "Browser");
    // Chrome's renderers say their command line as their name, too, in turns.
    assert_eq!(names(&[named, process("", "/bin/a --long")]), "Browser");
    let renderer = Message::new().number(1, 1).message(3, &Message::new().number(1, 7));
    let renderer = packet(0, payload::TRACK, &renderer.message(6, &Message::new().number(1, 2)));
    assert_eq!(names(&[long, renderer, process("", "a")]), "Renderer");
}

#[test]
fn perfetto_4_1_tracks_without_a_name_become_one_by_their_first_events() {
    let track = |uuid, name: &str| {
        let track = Message::new().number(1, uuid).number(5, 9);
        packet(0, payload::TRACK, &if name.is_empty() { track } else { track.text(2, name) })
    };
    let events = [event(3, 1, "a"), event(3, 1, "b"), event(3, 2, "a"), event(3, 3, "b")];
    let events = events.map(|event| packet(5, payload::EVENT, &event));
    // Tracks of one name become one, as those of a descriptor's name do.
    let trace = load(&[&[track(1, ""), track(2, ""), track(3, "c")], &events[..]].concat());
    let n_instants = |name: &str| {
        let of_name = trace.tracks().iter().filter(|track| trace.track_title(track.id) == name);
        of_name.map(|track| track.instants().len()).collect::<Vec<_>>()
    };
    assert_eq!((n_instants("a"), n_instants("b"), n_instants("c")), (vec![3], vec![], vec![1]));
}

#[test]
fn perfetto_4_1_what_a_track_is_may_come_after_its_events() {
    let process = Message::new().number(1, 10).message(3, &Message::new().number(1, 5).text(6, "p"));
    let own = |uuid, parent, text| Message::new().number(1, uuid).number(5, parent).text(2, text);
    let counter = own(24, 21, "count").message(8, &Message::new());
    let tracks = [
        own(22, 1, "of t"),
        own(21, 20, "inner"),
        own(20, 10, "of p"),
        process,
        thread(1, 5, 6, "t"),
        counter,
    ];
    let descriptor = |track: &Message| packet(0, payload::TRACK, track);
    let events = [20, 21, 22].map(|track| packet(1, payload::EVENT, &event(1, track, "s")));
    let value = packet(9, payload::EVENT, &Message::new().number(9, 4).number(11, 24).number(30, 1));
    // A counter is a counter because of its descriptor.
    let with = |first: usize| {
        let mut descriptors: Vec<_> = tracks.iter().take(5).map(descriptor).collect();
        let late = descriptors.split_off(first);
        [descriptors, events.to_vec(), vec![descriptor(&tracks[5]), value.clone()], late].concat()
    };
    let expected = ["p: of p 1", "p: of p: inner 1", "p: of p: inner: count 1", "p: t: of t 1"];
    for first in 0..=5 {
        // Nothing is on the thread itself, so that it is there because of its name, or because something lies below it.
        let places: Vec<_> =
            places(&load(&with(first))).into_iter().filter(|place| place != "p: t 0").collect();
        assert_eq!(places, expected, "{first} descriptors before the events");
    }
}

#[test]
fn perfetto_4_1_a_track_that_becomes_a_thread_after_its_events_lies_below_it() {
    let begin = packet(1, payload::EVENT, &event(1, 1, "early"));
    let end = packet(9, payload::EVENT, &event(2, 1, ""));
    let trace = load(&[begin, packet(0, payload::TRACK, &thread(1, 5, 6, "t")), end]);
    assert_eq!(slices(&trace), [("early".to_owned(), 1, 9)], "its events stay together");
    assert_eq!(places(&trace), ["Process 5: t 0", "Process 5: t: early 1"]);
}

#[test]
fn perfetto_4_1_a_track_whose_parent_is_never_described_is_in_no_process() {
    let own = |uuid, parent, text| Message::new().number(1, uuid).number(5, parent).text(2, text);
    // 30 is below a track that nothing describes, and 31 and 32 are below each other.
    let tracks = [own(30, 99, "lost"), own(31, 32, "a"), own(32, 31, "b")];
    let mut packets: Vec<_> = tracks.iter().map(|track| packet(0, payload::TRACK, track)).collect();
    packets.extend([30, 31, 32].map(|track| packet(1, payload::EVENT, &event(1, track, "s"))));
    let trace = load(&packets);
    assert_eq!(places(&trace), ["Global: a 1", "Global: b 1", "Global: lost 1"]);
    assert_eq!(count(&trace, DiagnosticKind::LostParent), 3);
}

#[test]
fn perfetto_4_2_ends_close_the_innermost_slice_and_counters_add_up() {
    let counter = Message::new().number(4, 10).number(5, 1);
    let counter = Message::new().number(1, 9).text(2, "c").message(8, &counter);
    let value = |time, value: i64| {
        packet(
            time,
            payload::EVENT,
            &Message::new().number(9, 4).number(11, 9).number(30, value.cast_unsigned()),
        )
    };
    let at =
        |time, kind, text| packet(time, payload::EVENT, &event(kind, 1, text).text(22, "x").text(22, "y"));
    let packets = [
        packet(0, payload::TRACK, &counter),
        at(1, 1, "outer"),
        at(2, 1, "inner"),
        at(3, 2, "another name"),
        at(4, 2, ""),
        value(5, 3),
        value(6, -1),
    ];
    let trace = load(&packets);
    assert_eq!(slices(&trace), [("outer".to_owned(), 1, 4), ("inner".to_owned(), 2, 3)]);
    assert_eq!(trace.name(trace.slices().categories()[0]), "x,y");
    assert_eq!(counters(&trace), [(5, 30.0), (6, 20.0)]);
}

#[test]
fn perfetto_4_3_phases_mean_what_they_mean_in_json() {
    let legacy = |time, phase: u8, more: Message| {
        let legacy = more.number(2, u64::from(phase));
        packet(time, payload::EVENT, &Message::new().number(11, 1).text(23, "e").message(6, &legacy))
    };
    let none = Message::new;
    let id = |id| Message::new().number(11, id);
    let packets = [
        packet(0, payload::TRACK, &thread(1, 5, 6, "t")),
        legacy(1, b'X', none().number(3, 2)),
        legacy(10, b'b', id(7)),
        legacy(30, b'e', id(7)),
        legacy(40, b'I', none().number(14, 2)),
        legacy(50, b'N', id(9)),
        legacy(60, b'D', id(9)),
        legacy(70, b'b', none()),
    ];
    let trace = load(&packets);
    let e = || "e".to_owned();
    assert_eq!(slices(&trace), [(e(), 1, 2001), (e(), 10, 30)]);
    assert_eq!(instants(&trace), [(e(), 40)]);
    let object = &trace.objects()[0];
    assert_eq!((object.start.unwrap().0, object.end.unwrap().0), (50, 60));
    assert_eq!(count(&trace, DiagnosticKind::MissingId), 1);
}

#[test]
fn perfetto_4_4_flows_go_from_each_event_to_the_next_in_time() {
    let with = |time, text, field| packet(time, payload::EVENT, &event(3, time, text).fixed(field, 7));
    // In another order than that of time. The id is used again behind the end of the first flow.
    let packets =
        [with(20, "b", 47), with(10, "a", 47), with(40, "d", 47), with(30, "c", 48), with(50, "e", 47)];
    let trace = load(&packets);
    let name =
        |slice: spall_model::SliceId| trace.name(trace.slices().names()[slice.0 as usize]).into_owned();
    let flows: Vec<_> = trace.flows().iter().map(|flow| name(flow.from) + &name(flow.to)).collect();
    assert_eq!(flows, ["ab", "bc", "de"]);
    assert!(trace.diagnostics().is_empty(), "{}", trace.diagnostics());
}

#[test]
fn perfetto_4_4_of_events_at_one_time_the_order_of_the_file_counts() {
    let with = |time, text, field| packet(time, payload::EVENT, &event(3, time, text).fixed(field, 7));
    // The flow is over before another one begins at the same time, or is over because of it.
    let ended = [with(1, "a", 47), with(5, "b", 48), with(5, "c", 47), with(9, "d", 48)];
    let passed = [with(1, "a", 47), with(5, "b", 47), with(5, "c", 48), with(9, "d", 48)];
    for (packets, expected) in [(ended, &["ab", "cd"]), (passed, &["ab", "bc"])] {
        let trace = load(&packets);
        let name = |slice: spall_model::SliceId| trace.slice_name(slice).into_owned();
        let flows: Vec<_> = trace.flows().iter().map(|flow| name(flow.from) + &name(flow.to)).collect();
        assert_eq!(flows, expected);
    }
}

#[test]
fn perfetto_4_4_an_instant_with_a_phase_and_a_flow_is_a_slice() {
    let at = |time, text, field| {
        let phase = Message::new().number(2, u64::from(b'I'));
        packet(time, payload::EVENT, &event(0, 1, text).message(6, &phase).fixed(field, 7))
    };
    let trace = load(&[at(10, "a", 47), at(20, "b", 48)]);
    assert_eq!(slices(&trace), [("a".to_owned(), 10, 10), ("b".to_owned(), 20, 20)]);
    assert_eq!(trace.flows().len(), 1);
}

#[test]
fn perfetto_4_4_an_end_with_a_flow_stands_for_its_slice() {
    let at = |time, kind, text, field| {
        let event = event(kind, 1, text);
        packet(time, payload::EVENT, &if field == 0 { event } else { event.fixed(field, 7) })
    };
    let packets = [at(1, 1, "a", 0), at(2, 2, "", 47), at(3, 1, "b", 48), at(4, 2, "", 0)];
    let trace = load(&packets);
    let flow = &trace.flows()[0];
    assert_eq!((flow.from.0, flow.to.0, trace.flows().len()), (0, 1, 1));
}

#[test]
fn perfetto_4_5_annotations_and_typed_messages_are_arguments() {
    let named = |text: &str| Message::new().text(10, text);
    let item = |value| Message::new().number(4, value);
    let nested = named("dict")
        .message(11, &named("list").message(12, &item(1)).message(12, &item(2)))
        .message(11, &named("yes").number(2, 1));
    // The older form: keys beside their values.
    let old = Message::new().number(1, 1).text(2, "k").message(3, &Message::new().text(8, "v"));
    let interned = Message::new()
        .message(3, &entry(1, "key"))
        .message(29, &entry(1, "value"))
        .message(4, &entry(2, "a.cc").text(3, "f").number(4, 7));
    let event = event(3, 1, "e")
        .message(4, &Message::new().number(1, 1).number(17, 1))
        .message(4, &nested)
        .message(4, &named("old").message(8, &old))
        .message(4, &named("pointer").number(7, 0xbeef))
        .message(4, &named("float").float(5, 1.5))
        .message(5, &Message::new().number(1, 2))
        .number(1234, 5);
    let trace = load(&[cleared(&interned), packet(1, payload::EVENT, &event)]);
    let args = trace.args_of(&trace.instants()[0]).to_string();
    assert_eq!(
        args,
        "key=value, dict={list: [1, 2], yes: true}, old={k: v}, pointer=0xbeef, float=1.5, \
         task={posted_from: {file_name: a.cc, function_name: f, line_number: 7}}, 1234=5"
    );
}

/// Arguments that are kept for the next event with the same bytes must not outlive what they refer to.
#[test]
fn perfetto_4_5_the_same_bytes_mean_what_the_interned_entries_say_at_that_time() {
    let value = |text: &str| Message::new().message(29, &entry(1, text));
    let file = |text: &str| Message::new().message(4, &entry(1, text));
    let data = |sequence, data: &Message| Message::new().number(10, sequence).message(12, data);
    let cleared = |sequence, entries: &Message| data(sequence, entries).number(13, 1);
    let event = |time, sequence| {
        let annotation = Message::new().text(10, "key").number(17, 1);
        let event = event(3, 1, "e").message(4, &annotation).number(34, 1);
        packet(time, payload::EVENT, &event).number(10, sequence)
    };
    let twice = |time, sequence| [event(time, sequence), event(time + 1, sequence)];
    let packets = [
        &[cleared(1, &Message::new()), cleared(2, &value("of the other sequence"))][..],
        &twice(1, 1),
        &twice(3, 2),
        &[data(1, &value("a"))],
        &twice(5, 1),
        &[data(1, &file("a.cc"))],
        &twice(7, 1),
        &[data(1, &value("b"))],
        &twice(9, 1),
        &[data(1, &file("b.cc"))],
        &twice(11, 1),
        &twice(13, 2),
        &[cleared(1, &value("c"))],
        &twice(15, 1),
    ];
    let trace = load(&packets.concat());
    let args: Vec<_> = trace.instants().iter().map(|instant| trace.args_of(instant).to_string()).collect();
    let expected = [
        "key=null",
        "key=of the other sequence",
        "key=a",
        "key=a, source_location={file_name: a.cc}",
        "key=b, source_location={file_name: a.cc}",
        "key=b, source_location={file_name: b.cc}",
        "key=of the other sequence",
        "key=c",
    ];
    assert_eq!(args, expected.map(|args| [args; 2]).concat());

    // More sequences than there is room for.
    let packets = (1..2000).flat_map(|n| [cleared(n, &value(&format!("{n}"))), event(n, n)]);
    let trace = load(&packets.collect::<Vec<_>>());
    for (instant, n) in trace.instants().iter().zip(1..) {
        assert_eq!(trace.args_of(instant).to_string(), format!("key={n}"));
    }
}

#[test]
fn perfetto_4_5_fields_of_typed_messages_have_their_names() {
    let args = |event: Message| {
        let trace = load(&[packet(1, payload::EVENT, &event)]);
        trace.args_of(&trace.instants()[0]).to_string()
    };
    let event = || event(3, 1, "e");
    let reporter = Message::new().number(1, 3).number(2, 77).number(4, 9).number(7, 1).number(40, 5);
    assert_eq!(
        args(event().message(32, &reporter)),
        "chrome_frame_reporter={state: STATE_DROPPED, reason: 77, frame_sequence: 9, has_main_animation: true, 40: 5}",
        "a name that is not known stays a number, and so does a field"
    );
    let time = |us| Message::new().number(2, us);
    let latency = Message::new().number(1, u64::MAX).message(4, &time(5)).number(2, 7).message(4, &time(6));
    assert_eq!(
        args(event().message(29, &latency)),
        "chrome_latency_info={trace_id: -1, component_info: [{time_us: 5}, {time_us: 6}], step: STEP_DRAW_AND_SWAP}"
    );
    let processes = Message::new().packed(1, &[7, 8]).number(1, 9);
    assert_eq!(args(event().message(49, &processes)), "chrome_active_processes={pid: [7, 8, 9]}");
    let damaged = Message::new().text(1, "text for a number").text(3, "tag");
    assert_eq!(
        args(event().message(35, &damaged)).split(':').next(),
        Some("chrome_message_pump={sent_messages_in_queue"),
    );
}

/// Events of ftrace on the processor 0, each at a time on a thread.
fn ftrace(events: &[(u64, u64, u32, Message)]) -> Message {
    let bundle = events.iter().fold(Message::new().number(1, 0), |bundle, (time, tid, kind, payload)| {
        bundle.message(2, &Message::new().number(1, *time).number(2, *tid).message(*kind, payload))
    });
    Message::new().number(10, 1).message(payload::FTRACE, &bundle)
}

#[test]
fn perfetto_4_6_states_last_until_the_next_one() {
    let switch = |previous, state, next| Message::new().number(2, previous).number(4, state).number(6, next);
    let track = Message::new().number(1, 9).text(2, "s").message(18, &Message::new());
    let state = |time, text| packet(time, payload::EVENT, &event(5, 9, text));
    // The events of the second processor come first.
    let packets = [
        ftrace(&[(30, 8, 4, switch(8, 1, 0)), (40, 0, 20, Message::new().number(2, 8))]),
        ftrace(&[(10, 7, 4, switch(7, 2, 8)), (20, 8, 20, Message::new().number(2, 8))]),
        packet(0, payload::TRACK, &track),
        state(15, "on"),
        state(25, ""),
        instant(50, ""),
    ];
    let trace = load(&packets);
    let mut found: Vec<_> = trace
        .states()
        .iter()
        .map(|state| (state.start.0, state.end.0, trace.name(state.name).into_owned()))
        .collect();
    found.sort();
    let expected = [(10, 30, "Running"), (10, 50, "D"), (15, 25, "on"), (30, 40, "S"), (40, 50, "R")];
    assert_eq!(found, expected.map(|(start, end, name)| (start, end, name.to_owned())));
}

#[test]
fn perfetto_4_6_threads_have_the_names_that_the_scheduler_says() {
    let switch = Message::new().text(1, "old").number(2, 7).text(5, "swapper").number(6, 0);
    let back = Message::new().text(1, "swapper").number(2, 0).text(5, "new").number(6, 7);
    let trace = load(&[ftrace(&[(10, 7, 4, switch), (20, 0, 4, back)]), instant(30, "")]);
    let names: Vec<_> = trace.tracks().iter().map(|track| trace.name(track.name)).collect();
    assert!(names.iter().any(|name| name == "new"), "{names:?}");
    assert!(!names.iter().any(|name| name == "swapper"), "every processor has a thread 0: {names:?}");
}

#[test]
fn perfetto_4_6_drivers_mark_slices_and_counters() {
    let mdss = |begins| Message::new().number(1, 5).text(2, "m").number(3, begins);
    let g2d = |kind: u8, value| {
        Message::new().number(1, 5).text(4, "g").number(5, u64::from(kind)).number(6, value)
    };
    let events = [
        (1, 7, 80, mdss(1)),
        (2, 7, 349, g2d(b'B', 0)),
        (3, 7, 349, g2d(b'C', 12)),
        (4, 7, 349, g2d(b'E', 0)),
        (5, 7, 80, mdss(0)),
    ];
    let trace = load(&[ftrace(&events)]);
    assert_eq!(slices(&trace), [("m".to_owned(), 1, 5), ("g".to_owned(), 2, 4)]);
    assert_eq!(counters(&trace), [(3, 12.0)]);
    assert!(trace.diagnostics().is_empty(), "{}", trace.diagnostics());
}

#[test]
fn perfetto_4_6_counters_of_a_disk_are_what_it_did_meanwhile() {
    let stats = |time, sectors, ms| {
        let disk = Message::new().text(1, "sda").number(2, sectors).number(3, ms);
        packet(time, 7, &Message::new().message(13, &disk))
    };
    let trace = load(&[stats(10, 4_096, 1_000), stats(20, 6_144, 1_500), stats(30, 4_096, 1_500)]);
    let of = |name: &str| {
        let track = trace.tracks().iter().find(|track| trace.name(track.name) == name).unwrap();
        trace.counters_of(track.id).iter().map(|value| (value.at.0, value.value)).collect::<Vec<_>>()
    };
    assert_eq!(of("diskstat.[sda].read_amount"), [(20, 1.0), (30, -1.0)], "megabytes of 2048 sectors");
    assert_eq!(of("diskstat.[sda].read_throughput"), [(20, 2.0), (30, 0.0)], "megabytes in a second");
}

#[test]
fn perfetto_4_6_counters_of_the_kernel_say_whose_they_are() {
    let frequency = Message::new().number(1, 1_000).number(2, 3);
    let clock = Message::new().text(1, "ddr").number(2, 5);
    let unknown = Message::new().number(1, 1);
    let trace = load(&[ftrace(&[(1, 0, 11, frequency), (2, 0, 16, clock), (3, 0, 2_000, unknown)])]);
    let names: Vec<_> = trace.tracks().iter().map(|track| trace.name(track.name)).collect();
    for expected in ["Cpu 3 cpufreq", "ddr Frequency"] {
        assert!(names.iter().any(|name| name == expected), "{names:?}");
    }
    assert_eq!(counters(&trace), [(1, 1_000.0), (2, 5.0)]);
    assert_eq!(count(&trace, DiagnosticKind::NotRead), 1);
}

#[test]
fn perfetto_4_6_programs_print_slices_and_counters() {
    let print = |time, text: &str| (time, 7, 3, Message::new().text(2, text));
    let events = [
        print(1, "B|5|a|b\n"),
        print(2, "C|5|memory|12\n"),
        print(3, "I|5|mark\n"),
        print(4, "S|5|async|1\n"),
        print(5, "F|5|async|1\n"),
        print(6, "G|5|track|inside|2\n"),
        print(7, "H|5|track|2\n"),
        print(8, "E|5\n"),
        print(9, "no such form\n"),
        (9, 0, 11, Message::new().number(1, 1_000).number(2, 3)),
    ];
    let trace = load(&[ftrace(&events)]);
    let mut found = slices(&trace);
    found.sort();
    let expected = [("async", 4, 5), ("a|b", 1, 8), ("inside", 6, 7)];
    assert_eq!(found, expected.map(|(name, start, end)| (name.to_owned(), start, end)));
    assert_eq!(instants(&trace), [name("mark", 3)]);
    let mut values = counters(&trace);
    values.sort_by_key(|value| value.0);
    assert_eq!(values, [(2, 12.0), (9, 1000.0)]);
    assert_eq!(count(&trace, DiagnosticKind::NotRead), 1);
}

#[test]
fn perfetto_4_6_states_say_the_processor_and_who_woke_the_thread() {
    let switch = |previous, next| Message::new().number(2, previous).number(4, 1).number(6, next);
    let waking = |tid| Message::new().number(2, tid);
    let names = cleared(&Message::new().message(26, &entry(3, "wait_for_it")));
    let reason = Message::new().number(1, 7).number(2, 3).number(3, 1);
    let event = |time, tid, kind, payload: &Message| {
        Message::new().number(1, time).number(2, tid).message(kind, payload)
    };
    let bundle = Message::new().number(1, 5);
    let bundle = bundle.message(2, &event(10, 7, 4, &switch(7, 8))).message(2, &event(12, 8, 18, &reason));
    let bundle = bundle.message(2, &event(20, 8, 20, &waking(7))).message(2, &event(30, 8, 20, &waking(8)));
    // In the compact form nothing says who wakes a thread, and the thread before is that of the last switch.
    let compact = Message::new().packed(1, &[40]).packed(2, &[1]).packed(3, &[9]).packed(4, &[120]);
    let compact = compact.text(5, "nine").packed(6, &[0]).packed(7, &[50]).packed(8, &[8]);
    let packets = [
        names,
        Message::new().number(10, 1).message(payload::FTRACE, &bundle),
        Message::new()
            .number(10, 1)
            .message(payload::FTRACE, &Message::new().number(1, 5).message(4, &compact)),
    ];
    let trace = load(&packets);
    let mut found: Vec<_> = trace
        .states()
        .iter()
        .map(|state| (state.start.0, trace.name(state.name).into_owned(), trace.args_of(state).to_string()))
        .collect();
    found.sort();
    let expected = [
        (10, "Running", "cpu=5"),
        (10, "S", "io_wait=true, blocked_function=wait_for_it"),
        (20, "R", "waker=8"),
        (40, "Running", "cpu=5"),
        (40, "S", ""),
        (50, "R", ""),
    ];
    assert_eq!(found, expected.map(|(at, name, args)| (at, name.to_owned(), args.to_owned())));
}

#[test]
fn perfetto_4_7_samples_have_the_names_that_come_behind_them() {
    let data = [(1, "main"), (2, "a.b"), (3, "")].iter().fold(Message::new(), |data, &(iid, text)| {
        let frame = Message::new().number(1, iid).number(2, iid).number(3, 1).number(4, 16 * iid);
        data.message(5, &entry(iid, text)).message(6, &frame)
    });
    let data = data
        .message(7, &Message::new().number(1, 1).number(2, 1).number(2, 2).number(2, 3))
        .message(17, &entry(1, "lib.so"))
        .message(19, &Message::new().number(1, 1).number(7, 1));
    let sample = |time, stack| {
        packet(time, 66, &Message::new().number(2, 5).number(3, 6).number(4, stack).number(6, time))
    };
    let symbol = Message::new().text(1, "leaf").text(2, "leaf.c").number(3, 3);
    let symbols =
        Message::new().text(1, "/lib.so").message(3, &Message::new().number(1, 48).message(2, &symbol));
    let class =
        Message::new().text(1, "a").text(2, "Plain").message(4, &entry(0, "").text(1, "b").text(2, "name"));
    let plain = Message::new().text(1, "lib.so").message(3, &class);
    let packets = [
        cleared(&data),
        sample(1, 1),
        sample(2, 1),
        sample(3, 0),
        Message::new().message(61, &symbols),
        Message::new().message(64, &plain),
    ];
    let trace = load(&packets);
    let profile = &trace.profiles()[0];
    let samples = trace.samples_of(profile);
    assert_eq!(samples.iter().map(|sample| sample.at.0).collect::<Vec<_>>(), [1, 2]);
    assert!(trace.diagnostics().is_empty(), "{}", trace.diagnostics());
    assert_eq!(counters(&trace), [(1, 1.0), (2, 2.0), (3, 3.0)], "a sample without a stack has its counter");
    let mut stack = Vec::new();
    let mut frame = samples[1].frame().and_then(|frame| trace.frame(frame));
    while let Some(at) = frame {
        stack.push(trace.name(at.name).into_owned());
        frame = at.parent.and_then(|parent| trace.frame(parent));
    }
    assert_eq!(stack, ["leaf", "Plain.name", "main"]);
    let thread = trace.tracks()[profile.track.0 as usize].kind.tid();
    assert_eq!(thread.map(|tid| trace.key_text(tid).into_owned()), Some("6".to_owned()));
}

/// The thread time and the instructions of each slice.
fn thread_measures(trace: &Trace) -> Vec<(String, Option<i64>, Option<i64>)> {
    let slices = trace.slices().ids().into_iter();
    let of = |id| {
        let (slice, args) = (trace.slice(id).unwrap(), trace.slice_args(id));
        let [time, instructions] =
            [ThreadMeasure::Time, ThreadMeasure::Instructions].map(|measure| args.thread_measure(measure));
        (trace.name(slice.name).into_owned(), time, instructions)
    };
    slices.map(of).collect()
}

#[test]
fn perfetto_4_8_counters_of_a_thread_measure_its_slices() {
    let counter = |uuid, kind, field, value| {
        let counter = Message::new().number(1, kind).number(field, value);
        packet(0, payload::TRACK, &Message::new().number(1, uuid).number(5, 5).message(8, &counter))
    };
    let at = |time, kind, track, text, values: &[(u64, u64)]| {
        let event = values
            .iter()
            .fold(event(kind, track, text), |event, &(uuid, value)| event.number(12, value).number(31, uuid));
        packet(time, payload::EVENT, &event)
    };
    let packets = [
        packet(0, payload::TRACK, &thread(5, 1, 2, "t")),
        // In microseconds, and as differences.
        counter(6, 1, 4, 1000),
        counter(7, 2, 5, 1),
        at(10, 1, 5, "both", &[(6, 3), (7, 100)]),
        at(20, 3, 5, "instant", &[(6, 4)]),
        at(30, 2, 5, "", &[(6, 8), (7, 50)]),
        at(32, 1, 5, "falls", &[(6, 9), (7, 1)]),
        at(34, 2, 5, "", &[(6, 5)]),
        packet(0, payload::TRACK, &Message::new().number(1, 9).text(2, "own")),
        at(40, 1, 9, "on a track of its own", &[(6, 10)]),
        at(50, 2, 9, "", &[(6, 12)]),
    ];
    let trace = load(&packets);
    let name = str::to_owned;
    let expected = [
        (name("both"), Some(5000), Some(50)),
        (name("falls"), None, None),
        (name("on a track of its own"), None, None),
    ];
    assert_eq!(thread_measures(&trace), expected);
    assert_eq!(trace.counters().len(), 10);
}

#[test]
fn perfetto_4_8_older_events_say_what_their_thread_measured() {
    let at = |time, kind, text, more: Message| {
        let named = if kind == 2 { more } else { more.text(23, text) };
        packet(time, payload::EVENT, &named.number(9, kind))
    };
    let none = Message::new;
    let phase = |phase: u8, more: Message| none().message(6, &more.number(2, phase.into()));
    let descriptor = none().number(1, 1).number(2, 2).number(6, 1).number(7, 100).number(8, 1000);
    let packets = [
        packet(0, 44, &descriptor).number(13, 1),
        at(10, 1, "differences", none().number(2, 5).number(8, 10)),
        at(30, 2, "", none().number(2, 4).number(8, 20)),
        at(40, 0, "whole", phase(b'X', none().number(3, 20).number(4, 7).number(15, 70)).number(17, 500)),
        at(60, 0, "async", phase(b'b', none().number(6, 1)).number(17, 600)),
        at(70, 0, "async", phase(b'e', none().number(6, 1)).number(17, 700)),
        at(80, 0, "async of the thread", phase(b'b', none().number(6, 2).number(9, 1)).number(17, 800)),
        at(90, 0, "async of the thread", phase(b'e', none().number(6, 2).number(9, 1)).number(17, 900)),
    ];
    let trace = load(&packets);
    let name = str::to_owned;
    let expected = [
        (name("differences"), Some(4000), Some(20)),
        (name("whole"), Some(7000), Some(70)),
        (name("async"), None, None),
        (name("async of the thread"), Some(100_000), None),
    ];
    assert_eq!(thread_measures(&trace), expected);
    // The thread has counters of them, too.
    let values = [105_000.0, 109_000.0, 500_000.0, 600_000.0, 700_000.0, 800_000.0, 900_000.0];
    let times: Vec<f64> = counters(&trace).into_iter().map(|(_, value)| value).skip(2).collect();
    assert_eq!(times, values);
}

/// All events with their bytes, and what is said at the end.
fn read(data: &[u8], size: usize) -> Vec<String> {
    let (mut parser, mut start, mut end) = (Parser::new(), 0, size.min(data.len()));
    let mut found = Vec::new();
    loop {
        let mut see = |event: &Event<'_>, bytes: ByteRange| found.push(format!("{bytes:?} {event:?}"));
        match parser.lend(&data[start..end], end == data.len(), &mut see).unwrap() {
            Progress::Read(n) => start += n,
            Progress::NeedMore(more) => {
                assert!(more > 0 && end < data.len());
                end = (end + size).min(data.len());
            }
            Progress::End => return found,
        }
    }
}

#[test]
fn splitting_a_trace_anywhere_changes_nothing() {
    let data = trace(40);
    let whole = read(&data, data.len());
    assert!(whole.len() > 100);
    for size in 1..60 {
        let pieces = read(&data, size);
        let differs = pieces.iter().zip(&whole).find(|(pieces, whole)| pieces != whole);
        assert_eq!((differs, pieces.len()), (None, whole.len()), "pieces of {size} bytes");
    }
}

#[test]
fn cutting_a_trace_leaves_a_prefix_of_what_packets_say() {
    let data = trace(10);
    let whole = read(&data, data.len());
    for end in 0..data.len() {
        let cut = read(&data[..end], data.len().max(1));
        let same = cut.iter().zip(&whole).take_while(|(cut, whole)| cut == whole).count();
        // The end of the file settles states, names and the last value of counters that look back, and says what is cut.
        let of_the_end =
            ["State(", "Frame(", "Meta(", "Track(", "Truncated", "Args(\"counter value\": value=0)"];
        let is_of_the_end = |said: &String| of_the_end.iter().any(|kind| said.contains(kind));
        assert!(cut[same..].iter().all(is_of_the_end), "{end}: {:?}", &cut[same..]);
    }
}

#[test]
fn no_byte_of_a_trace_makes_the_parser_fail() {
    let data = trace(12);
    for at in 0..data.len() {
        for flip in [0x01, 0x04, 0x80, 0xff] {
            let mut faulty = data.clone();
            faulty[at] ^= flip;
            read(&faulty, faulty.len());
        }
    }
}

#[test]
fn ids_of_tracks_are_never_those_of_threads() {
    let trace = load(&[
        packet(1, payload::EVENT, &event(1, 6, "a")),
        packet(0, payload::TRACK, &thread(1, 5, 6, "t")),
    ]);
    assert_eq!(trace.tracks().len(), 2);
    let mut ids = Vec::new();
    let see = |event: &Event<'_>, _| {
        if let Event::Begin(event) = event {
            ids.push(matches!(event.thread.tid, Id::Text(b"6")));
        }
    };
    Parser::new().lend_all(&file(&[packet(1, payload::EVENT, &event(1, 6, "a"))]), see).unwrap();
    assert_eq!(ids, [true]);
}

/// A packet of one event of the kernel, on processor 2 and in thread 7.
fn kernel(time: u64, field: u32, event: &Message) -> Message {
    let event = Message::new().number(1, time).number(2, 7).message(field, event);
    Message::new().message(payload::FTRACE, &Message::new().number(1, 2).message(2, &event))
}

/// Name and values of all counters.
fn named_counters(trace: &Trace) -> Vec<(String, i64, f64)> {
    let of_track = |track: &Track| -> Vec<_> {
        let name = trace.name(track.name).into_owned();
        trace.counters_of(track.id).iter().map(|value| (name.clone(), value.at.0, value.value)).collect()
    };
    trace.tracks().iter().flat_map(of_track).collect()
}

#[test]
fn perfetto_4_6_the_table_of_meanings_counts_for_events_of_the_kernel() {
    let trace = load(&[
        // Bytes that were sent add up, in KiB.
        kernel(10, 361, &Message::new().number(1, 1000).text(2, "eth0").number(3, 0)),
        kernel(20, 361, &Message::new().number(1, 1048).text(2, "eth0").number(3, 0)),
        // What was not sent does not count.
        kernel(30, 361, &Message::new().number(1, 9000).text(2, "eth0").number(3, 1)),
        // Wake locks of one name are held until the last one is released.
        kernel(40, 404, &Message::new().text(1, "usb")),
        kernel(41, 404, &Message::new().text(1, "usb")),
        kernel(42, 405, &Message::new().text(1, "usb")),
        kernel(49, 405, &Message::new().text(1, "usb")),
    ]);
    let name = "eth0 Transmitted KB".to_owned();
    assert_eq!(named_counters(&trace), [(name.clone(), 10, 0.0), (name, 20, 2.0)]);
    assert_eq!(slices(&trace), [("Wakelock(usb)".to_owned(), 40, 49)]);
    assert_eq!(count(&trace, DiagnosticKind::NotRead), 1);
}

#[test]
fn perfetto_4_9_power_rails_have_the_name_of_their_session_and_a_time_of_their_own() {
    let rail = |index, name: &str| Message::new().number(1, index).text(2, name);
    let energy = |index, ms, uws| Message::new().number(1, index).number(2, ms).number(3, uws);
    let trace = load(&[
        packet(1, 40, &Message::new().number(3, 5).message(1, &rail(0, "CPU"))),
        packet(2, 40, &Message::new().number(3, 6).message(1, &rail(0, "GPU"))),
        packet(3, 40, &Message::new().number(3, 5).message(2, &energy(0, 4, 100))),
        packet(3, 40, &Message::new().number(3, 6).message(2, &energy(0, 5, 200))),
        packet(3, 40, &Message::new().number(3, 7).message(2, &energy(0, 6, 300))),
    ]);
    let name = |name: &str, at, value| (name.to_owned(), at, value);
    let expected = [name("power.CPU_uws", 4_000_000, 100.0), name("power.GPU_uws", 5_000_000, 200.0)];
    assert_eq!(named_counters(&trace), expected);
    assert_eq!(count(&trace, DiagnosticKind::UnknownEntry), 1);
}

#[test]
fn perfetto_4_9_lines_of_a_log_are_instants_of_their_threads() {
    let line =
        Message::new().number(2, 3).number(3, 4).number(5, 9).text(6, "Zygote").number(7, 6).text(8, "gone");
    let trace = load(&[packet(1, 39, &Message::new().message(1, &line))]);
    assert_eq!(instants(&trace), [name("gone", 9)]);
    assert_eq!(trace.args_of(&trace.instants()[0]).to_string(), "tag=Zygote, priority=error");
}

#[test]
fn perfetto_4_10_the_value_of_a_gpu_counter_counts_since_the_packet_before() {
    let spec = Message::new().number(1, 1).text(2, "busy");
    let value = |number| Message::new().number(1, 1).number(2, number);
    let described = Message::new().message(1, &Message::new().message(1, &spec));
    let trace = load(&[
        packet(10, 52, &described.message(2, &value(0))),
        packet(20, 52, &Message::new().message(2, &value(70))),
        packet(30, 52, &Message::new().message(2, &value(90))),
    ]);
    assert_eq!(counters(&trace), [(10, 70.0), (20, 90.0), (30, 0.0)]);
}

#[test]
fn perfetto_4_10_stages_of_rendering_are_slices_of_their_queue() {
    let named = |text: &str| Message::new().text(1, text);
    let spec = Message::new().message(2, &named("vertex queue")).message(3, &named("binning"));
    let stage = |queue, stage| Message::new().number(1, 8).number(2, 5).number(3, queue).number(4, stage);
    let trace = load(&[
        packet(1, 53, &Message::new().message(7, &spec)),
        packet(10, 53, &stage(0, 0)),
        packet(20, 53, &stage(3, 4)),
    ]);
    assert_eq!(slices(&trace), [("render stage(4)".into(), 20, 25), ("binning".into(), 10, 15)]);
    let tracks: Vec<_> = trace.tracks().iter().map(|track| trace.name(track.name).into_owned()).collect();
    assert_eq!(tracks, ["Unknown GPU Queue 3", "vertex queue"]);
}

#[test]
fn perfetto_4_7_counters_of_perf_have_their_own_names() {
    // The counters of the schema from 10 on are those of hardware.
    for (counter, name) in
        [(10, "cpu-cycles"), (14, "branch-instructions"), (15, "branch-misses"), (20, "dummy")]
    {
        let timebase = Message::new().number(4, counter);
        let defaults = Message::new().message(12, &Message::new().message(1, &timebase));
        let sample = Message::new().number(8, 5).number(10, 1).message(59, &defaults);
        let sample = sample.message(66, &Message::new().number(1, 0).number(2, 1).number(3, 1).number(6, 12));
        let trace = load(&[cleared(&Message::new()), sample]);
        assert_eq!(named_counters(&trace), [(name.to_owned(), 5, 12.0)]);
    }
}
