use alloc::{format, string::String, vec::Vec};
use core::convert::Infallible;

use spall_synth::Random;

use crate::{
    Args, ArgsFormat, ByteRange, ChildOrder, CounterEvent, DiagnosticKind, Event, Id, Limits, LiveTrace,
    Receiver, Scope, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder, TraceView, TrackEvent,
    TrackKind, Value,
};

fn id(id: &'static str) -> Id<'static> {
    Id::Text(id.as_bytes())
}

/// A track of process 1 with its id as its name.
fn track(name: &'static str, parent: &'static str) -> TrackEvent<'static> {
    let of_process = |tid| Thread { pid: Id::Number(1), tid: id(tid) };
    TrackEvent { parent: of_process(parent), ..TrackEvent::new(of_process(name), Text::from(name)) }
}

fn ranked(name: &'static str, parent: &'static str, rank: i32) -> Event<'static> {
    Event::Track(TrackEvent { rank, ..track(name, parent) })
}

fn parent_of(children: ChildOrder) -> Event<'static> {
    Event::Track(TrackEvent { children, ..track("parent", "") })
}

fn grouped(name: &'static str, parent: &'static str, group: &'static str) -> Event<'static> {
    Event::Track(TrackEvent { group: Text::from(group), ..track(name, parent) })
}

fn on(track: &'static str, at: i64) -> ThreadEvent<'static> {
    ThreadEvent::new(Thread { pid: Id::Number(1), tid: id(track) }, Tick(at), Text::from("work"))
}

fn slice(track: &'static str, at: i64, duration: i64) -> Event<'static> {
    Event::Complete(on(track, at), Ticks(duration))
}

/// The format of a single value.
static ONE: ArgsFormat = ArgsFormat::new("one", |bytes, pos| {
    let value = bytes.get(core::mem::replace(pos, bytes.len())..).filter(|rest| !rest.is_empty());
    value.map(|_| (Text::from("v"), Value::I64(1)))
});

fn counter(id: &'static str, name: &'static str, at: i64) -> Event<'static> {
    let event = CounterEvent::new(1, Tick(at), Text::from(name), Args::new(b"1", &ONE));
    Event::Counter(CounterEvent { id: Some(self::id(id)), ..event })
}

fn counter_of_none(id: &'static str, at: i64) -> Event<'static> {
    let event = CounterEvent::new(Id::NONE, Tick(at), Text::EMPTY, Args::new(b"1", &ONE));
    Event::Counter(CounterEvent { id: Some(self::id(id)), ..event })
}

fn build(events: &[Event<'static>]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for (event, position) in events.iter().zip(0..) {
        builder.receive(event, ByteRange::new(position, position + 1));
    }
    builder.finish()
}

/// Returns each track with two blanks for each track above it, its kind unless it is a track of its own, its name, and the
/// starts of its slices.
fn lines(trace: &Trace) -> Vec<String> {
    let mut depths: Vec<usize> = Vec::new();
    for track in trace.tracks() {
        depths.push(track.parent.map_or(0, |parent| depths[parent.index()] + 1));
    }
    let lines = trace.tracks().iter().zip(depths).map(|(track, depth)| {
        let kind = match track.kind {
            TrackKind::Track { .. } => String::new(),
            kind => format!("{} ", kind.name()),
        };
        let starts: String =
            trace.slices_of(track.id).map(|(_, slice)| format!(" {}", slice.start.0)).collect();
        format!("{}{kind}{}{starts}", "  ".repeat(depth), trace.name(track.name))
    });
    lines.collect()
}

/// Checks the tracks of a trace, and that a replay makes an equal one.
fn check(events: &[Event<'static>], expected: &[&str]) -> Trace {
    let trace = build(events);
    assert_eq!(lines(&trace), expected);
    assert!(replayed(&trace) == trace, "{events:?}");
    trace
}

fn replayed(trace: &Trace) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let Ok(()) = trace.replay(|event| {
        builder.push(event);
        Ok::<(), Infallible>(())
    });
    builder.finish()
}

#[test]
fn a_track_comes_right_before_those_below_it() {
    let tracks = [track("a", ""), track("c", "a"), track("b", "a"), track("d", "b"), track("e", "")];
    let events = tracks.map(Event::Track);
    check(&events, &["a", "  b", "    d", "  c", "e"]);
    let reversed: Vec<_> = events.into_iter().rev().collect();
    check(&reversed, &["a", "  b", "    d", "  c", "e"]);
}

#[test]
fn a_track_may_lie_below_a_thread() {
    let below = TrackEvent { parent: Thread::new(1, 7), ..track("a", "") };
    let thread = |tid| Event::ThreadName(Thread::new(1, tid), Text::from(if tid == 7 { "x" } else { "y" }));
    let events = [thread(7), thread(8), Event::Track(below), slice("a", 0, 1)];
    check(&events, &["thread x", "  a 0", "thread y"]);
}

#[test]
fn tracks_directly_below_a_process_follow_its_threads() {
    let thread = Event::ThreadName(Thread::new(1, 7), Text::from("z"));
    let counter = Event::Counter(CounterEvent::new(1, Tick(0), Text::from("n"), Args::new(b"1", &ONE)));
    let tracks = [ranked("b", "", -5), ranked("a", "", 3), slice("a", 0, 1), slice("b", 0, 1)];
    check(&[&[counter, thread], &tracks[..]].concat(), &["thread z", "a 0", "b 0", "counter n"]);
}

#[test]
fn the_parent_says_how_the_tracks_below_it_are_ordered() {
    let below = [ranked("b", "parent", 3), ranked("c", "parent", 1), ranked("a", "parent", 2)];
    let times = [slice("c", 5, 1), slice("b", 4, 1), slice("a", 6, 1)];
    for (order, expected) in [
        (ChildOrder::Unspecified, ["parent", "  a 6", "  b 4", "  c 5"]),
        (ChildOrder::ByName, ["parent", "  a 6", "  b 4", "  c 5"]),
        (ChildOrder::ByTime, ["parent", "  b 4", "  c 5", "  a 6"]),
        (ChildOrder::ByRank, ["parent", "  c 5", "  a 6", "  b 4"]),
    ] {
        let events = [&[parent_of(order)], &below[..], &times[..]].concat();
        check(&events, &expected);
    }
}

#[test]
fn a_counter_is_ordered_among_tracks_where_their_parent_says_how() {
    let below = [ranked("b", "parent", 3), ranked("a", "parent", 4), counter("a", "", 0), slice("b", 1, 1)];
    for (order, expected) in [
        (ChildOrder::Unspecified, ["parent", "  b 1", "  counter a"]),
        (ChildOrder::ByName, ["parent", "  counter a", "  b 1"]),
        (ChildOrder::ByTime, ["parent", "  counter a", "  b 1"]),
        (ChildOrder::ByRank, ["parent", "  b 1", "  counter a"]),
    ] {
        check(&[&[parent_of(order)], &below[..]].concat(), &expected);
    }
}

#[test]
fn what_comes_later_about_a_track_replaces_what_came_before() {
    let before = TrackEvent { name: Text::from("old"), rank: 9, ..track("b", "a") };
    let trace = check(&[slice("b", 0, 1), Event::Track(before), ranked("b", "", 2)], &["b 0"]);
    assert_eq!(trace.tracks()[0].sort_index, 2);
}

#[test]
fn a_track_with_a_parent_that_never_comes_lies_below_its_process() {
    let other_process = TrackEvent { thread: Thread { pid: Id::Number(2), tid: id("z") }, ..track("z", "b") };
    let trace =
        check(&[track("b", "a"), track("c", "b"), other_process].map(Event::Track), &["b", "  c", "z"]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::LostParent), 2);
    assert_eq!(trace.diagnostics().kept()[0].bytes, ByteRange::new(0, 1));
}

#[test]
fn tracks_that_are_their_own_parents_lie_below_their_process() {
    let tracks = [track("a", "b"), track("b", "c"), track("c", "a"), track("d", "c"), track("e", "e")];
    let trace = check(&tracks.map(Event::Track), &["a", "b", "c", "  d", "e"]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::LostParent), 4);
}

#[test]
fn a_tower_of_tracks_costs_linear_time() {
    let mut builder = TraceBuilder::new(&Limits::default());
    for number in (0..100_000_u32).rev() {
        let event = TrackEvent::new(Thread::new(1, number), Text::EMPTY);
        builder.push(&Event::Track(TrackEvent { parent: Thread::new(1, number + 1), ..event }));
    }
    let trace = builder.finish();
    let is_below = |pair: &[crate::Track]| pair[1].parent == Some(pair[0].id);
    assert!(trace.tracks().windows(2).all(is_below));
}

#[test]
fn a_counter_lies_where_the_track_with_its_id_lies() {
    let (a, b, c) = (track("a", ""), track("b", "a"), track("c", "b"));
    let tracks = [Event::Track(a), Event::Track(b), Event::Track(c), slice("c", 0, 1)];
    // The track itself has nothing besides, so that the counter is shown in its place, with the tracks below it.
    check(&[&tracks[..], &[counter("b", "", 3)]].concat(), &["a", "  counter b", "    c 0"]);
    check(&[&[counter("b", "", 3)], &tracks[..]].concat(), &["a", "  counter b", "    c 0"]);
    // A name of its own counts. Of two counters the first one takes the place.
    let two = [counter("b", "m", 3), counter("b", "n", 3)];
    check(&[&tracks[..], &two].concat(), &["a", "  counter m", "    c 0", "  counter n"]);
    // A track with slices is shown beside its counter.
    let both = [counter("b", "", 3), slice("b", 0, 1)];
    check(&[&tracks[..], &both].concat(), &["a", "  b 0", "    c 0", "  counter b"]);
}

#[test]
fn a_track_is_shown_if_something_is_on_it_or_below_it_or_on_no_track() {
    let events = [track("a", ""), track("b", "a"), track("c", "b"), track("d", "a")].map(Event::Track);
    check(&events, &["a", "  b", "    c", "  d"]);
    check(&[&events[..], &[slice("b", 0, 1)]].concat(), &["a", "  b 0"]);
    check(&[&events[..], &[counter("d", "", 0)]].concat(), &["a", "  counter d"]);
    // Another process has something, so that this one has nothing to show.
    let elsewhere = ThreadEvent::new(Thread::new(2, 3), Tick(0), Text::EMPTY);
    check(&[&events[..], &[Event::Complete(elsewhere, Ticks(1))]].concat(), &["thread  0"]);
}

#[test]
fn two_counters_of_one_track_have_two_names() {
    let events = [Event::Track(track("b", "")), counter("b", "", 3), counter("b", "b", 4)];
    check(&events, &["counter ", "counter b"]);
}

#[test]
fn tracks_of_one_group_share_a_track_unless_their_times_overlap() {
    let pair = [grouped("a", "", "g"), grouped("b", "", "g")];
    for (a, b, expected) in [
        // The later one overlaps, touches, touches what has no duration, or follows.
        ((0, 10), (9, 1), &["a 0", "b 9"][..]),
        ((0, 10), (10, 1), &["a 0 10"]),
        ((10, 0), (10, 1), &["a 10", "b 10"]),
        ((0, 10), (11, 1), &["a 0 11"]),
        ((11, 1), (0, 10), &["a 0 11"]),
    ] {
        let slices = [slice("a", a.0, a.1), slice("b", b.0, b.1)];
        check(&[&pair[..], &slices].concat(), expected);
        check(&[&slices, &pair[..]].concat(), expected);
    }
}

#[test]
fn begins_and_ends_are_paired_on_the_track_of_each() {
    let pair = [grouped("a", "", "g"), grouped("b", "", "g")];
    let events = [
        Event::Begin(on("a", 0)),
        Event::End(on("a", 5)),
        Event::End(on("b", 6)),
        Event::Begin(on("b", 7)),
        Event::End(on("b", 8)),
    ];
    let trace = check(&[&pair[..], &events].concat(), &["a 0 7"]);
    assert_eq!(trace.slices().ends(), [Tick(5), Tick(8)]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnmatchedEnd), 1);
}

#[test]
fn no_track_follows_a_slice_without_an_end() {
    let events = [grouped("a", "", "g"), grouped("b", "", "g"), Event::Begin(on("a", 0)), slice("b", 7, 1)];
    check(&events, &["a 0", "b 7"]);
}

#[test]
fn only_tracks_of_one_group_with_one_parent_are_joined() {
    let tracks = [
        grouped("a", "", "g"),
        grouped("b", "", "h"),
        grouped("c", "", ""),
        grouped("d", "", ""),
        grouped("e", "a", "g"),
    ];
    let slices = [slice("a", 0, 1), slice("b", 2, 1), slice("c", 4, 1), slice("d", 6, 1), slice("e", 8, 1)];
    check(&[tracks, slices].concat(), &["a 0", "  e 8", "b 2", "c 4", "d 6"]);
}

#[test]
fn tracks_below_tracks_that_became_one_are_joined_too() {
    let tracks =
        [grouped("a", "", "g"), grouped("b", "", "g"), grouped("x", "a", "h"), grouped("w", "b", "h")];
    let slices = [slice("x", 0, 1), slice("w", 2, 1), slice("a", 4, 1)];
    check(&[&tracks[..], &slices].concat(), &["a 4", "  w 0 2"]);
}

#[test]
fn joined_tracks_have_the_facts_of_the_one_that_is_shown_first() {
    let rank = |name, rank| TrackEvent { rank, group: Text::from("g"), ..track(name, "parent") };
    let tracks = [rank("a", 2), rank("b", 1)].map(Event::Track);
    let slices = [slice("a", 0, 1), slice("b", 5, 1)];
    let trace =
        check(&[&[parent_of(ChildOrder::ByRank)], &tracks[..], &slices].concat(), &["parent", "  b 0 5"]);
    assert_eq!(trace.tracks()[1].sort_index, 1);
}

#[test]
fn what_belongs_to_no_process_has_a_title() {
    let trace = build(&[Event::Track(TrackEvent::new(Thread { pid: Id::NONE, tid: id("5") }, Text::EMPTY))]);
    assert_eq!(trace.process_title(trace.processes()[0].id), "Global");
    assert_eq!(trace.track_title(trace.tracks()[0].id), "Track 5");
}

/// A track of no process with its id as its name.
fn free(name: &'static str, parent: Thread<'static>) -> Event<'static> {
    let thread = Thread { pid: Id::NONE, tid: id(name) };
    Event::Track(TrackEvent { parent, ..TrackEvent::new(thread, Text::from(name)) })
}

fn free_id(tid: &'static str) -> Thread<'static> {
    Thread { pid: Id::NONE, tid: id(tid) }
}

fn free_slice(track: &'static str, at: i64) -> Event<'static> {
    Event::Complete(ThreadEvent { thread: free_id(track), ..on(track, at) }, Ticks(1))
}

/// Returns the titles of the processes.
fn processes(trace: &Trace) -> Vec<String> {
    trace.processes().iter().map(|process| trace.process_title(process.id).into_owned()).collect()
}

#[test]
fn a_track_of_no_process_is_shown_in_that_of_its_parent_whatever_comes_first() {
    let process = Thread { pid: Id::Number(1), tid: Id::NONE };
    let events = [
        free_slice("c", 3),
        free("c", free_id("b")),
        free("b", free_id("a")),
        counter_of_none("d", 4),
        free("d", free_id("b")),
        free("a", process),
        free("t", Thread::new(1, 7)),
        free_slice("t", 5),
        Event::ThreadName(Thread::new(1, 7), Text::from("thread")),
    ];
    let expected = ["thread thread", "  t 5", "a", "  b", "    c 3", "    counter d"];
    for first in 0..events.len() {
        let mut events = events.to_vec();
        events.rotate_left(first);
        let trace = check(&events, &expected);
        assert_eq!(processes(&trace), ["Process 1"]);
        assert_eq!(trace.diagnostics().count(DiagnosticKind::LostParent), 0);
    }
}

#[test]
fn a_track_of_no_process_stays_there_without_a_parent_in_another() {
    // The parent never comes, or is the track itself in the end.
    let events = [free("a", free_id("x")), free("b", free_id("c")), free("c", free_id("b"))];
    let slices = [free_slice("a", 0), free_slice("b", 1), free_slice("c", 2)];
    let trace = check(&[events, slices].concat(), &["a 0", "b 1", "c 2"]);
    assert_eq!(processes(&trace), ["Global"]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::LostParent), 3);
}

#[test]
fn a_track_of_no_process_stays_there_if_its_id_is_taken_in_that_of_its_parent() {
    let process = Thread { pid: Id::Number(1), tid: Id::NONE };
    let events = [
        slice("a", 0, 1),
        free_slice("a", 1),
        free("a", process),
        free("b", free_id("a")),
        free_slice("b", 2),
    ];
    let trace = check(&events, &["thread a 0", "a 1", "  b 2"]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::LostParent), 1);
}

#[test]
fn a_track_of_a_process_lies_below_no_track_of_another() {
    let below = Thread { pid: Id::Number(2), tid: id("b") };
    let other = Event::Track(TrackEvent { parent: below, ..track("a", "") });
    let in_two = |name| TrackEvent::new(Thread { pid: Id::Number(2), tid: id(name) }, Text::from(name));
    let trace = check(&[other, Event::Track(in_two("b"))], &["a", "b"]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::LostParent), 1);
}

#[test]
fn a_process_that_all_tracks_left_is_shown_if_something_else_says_that_it_is_there() {
    let process = Thread { pid: Id::Number(1), tid: Id::NONE };
    let moved = [free("a", process), free_slice("a", 1)];
    assert_eq!(processes(&check(&moved, &["a 1"])), ["Process 1"]);
    let named = [Event::ProcessName(Id::NONE, Text::from("n")), moved[0], moved[1]];
    assert_eq!(processes(&check(&named, &["a 1"])), ["Process 1", "n"]);
    let object = crate::KeyedEvent::new(Id::NONE, Tick(0), Id::Number(3), Text::from("o"));
    let with_object = [Event::Object(crate::ObjectPhase::New, object), moved[0], moved[1]];
    assert_eq!(processes(&check(&with_object, &["a 1"])), ["Process 1", "Global"]);
}

/// Random tracks, and events on them.
fn events(random: &mut Random) -> Vec<Event<'static>> {
    const IDS: [&str; 8] = ["", "a", "b", "c", "d", "e", "f", "g"];
    const ORDERS: [ChildOrder; 4] =
        [ChildOrder::Unspecified, ChildOrder::ByName, ChildOrder::ByTime, ChildOrder::ByRank];
    let (mut now, mut name) = (0, "a");
    let made = (0..random.below(60_u64)).map(|_| {
        now += random.below(4);
        // Events of a track come together, or hardly any tracks could be joined.
        if random.one_in(4) {
            name = IDS[1 + random.below(IDS.len() - 1)];
        }
        // Most ids are of one process only, or no track could leave its own.
        let of_process = |tid: &'static str, random: &mut Random| {
            let is_free = if random.one_in(9) { random.one_in(2) } else { tid > "c" };
            Thread { pid: if is_free { Id::NONE } else { Id::Number(1) }, tid: id(tid) }
        };
        let thread = of_process(name, random);
        let parent = of_process(IDS[random.below(IDS.len())], random);
        let on = ThreadEvent { thread, name: Text::from(IDS[random.below(3_usize)]), ..on(name, now) };
        match random.below(13) {
            12 => Event::ThreadName(on.thread, on.name),
            0..=3 => Event::Track(TrackEvent {
                name: Text::from(IDS[random.below(3_usize)]),
                group: Text::from(["", "g"][random.below(2_usize)]),
                rank: random.below(3),
                children: ORDERS[random.below(ORDERS.len())],
                ..TrackEvent { thread, parent, ..track(name, "") }
            }),
            4 if thread.pid == Id::NONE => counter_of_none(name, now),
            4 => counter(name, IDS[random.below(3_usize)], now),
            5 => Event::Begin(on),
            6 => Event::End(on),
            7 => Event::Instant(on, Scope::Thread),
            8 => Event::State(on, Ticks(random.below(3))),
            _ => Event::Complete(on, Ticks(random.below(3))),
        }
    });
    made.collect()
}

/// Returns the slices, instants and states of each original track by plain reading, as a builder without tracks of their
/// own has them.
fn items(trace: &Trace) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for track in trace.tracks() {
        let name = |name| trace.name(name);
        let slices = trace.slices_of(track.id).map(|(_, slice)| {
            format!("{} {} {} {:?}", name(slice.name), slice.start, slice.end, slice.flags)
        });
        let instants =
            trace.instants_of(track.id).iter().map(|item| format!("{} {}", name(item.name), item.at));
        let states = trace.states_of(track.id).iter();
        let states = states.map(|item| format!("{} {} {}", name(item.name), item.start, item.end));
        let values = trace.counters_of(track.id).iter();
        let values = values.map(|item| format!("{} {} {}", name(item.series), item.at, item.value));
        items.extend(slices.chain(instants).chain(states).chain(values));
    }
    items.sort();
    items
}

#[test]
fn random_tracks_keep_what_is_on_them_and_are_a_tree() {
    let mut random = Random(1);
    let mut n_joined = 0;
    for _ in 0..2000 {
        let events = events(&mut random);
        let trace = build(&events);
        let plain: Vec<_> =
            events.iter().filter(|event| !matches!(event, Event::Track(_))).copied().collect();
        assert_eq!(items(&trace), items(&build(&plain)), "{events:?}");
        for track in trace.tracks() {
            assert!(track.parent.is_none_or(|parent| parent < track.id), "{events:?}");
            // Slices of a track are in order, and those of tracks that became one do not overlap, or a replay differs.
            let slices = || trace.slices_of(track.id).map(|(_, slice)| slice.start);
            assert!(slices().is_sorted(), "{events:?}");
        }
        // Between a track and one below it there is nothing that lies elsewhere.
        let mut above: Vec<_> = Vec::new();
        for track in trace.tracks() {
            while above.last().is_some_and(|&top| Some(top) != track.parent) {
                above.pop();
            }
            assert_eq!(above.last().copied(), track.parent, "{events:?}");
            above.push(track.id);
        }
        let ungrouped = events.iter().map(|event| match *event {
            Event::Track(track) => Event::Track(TrackEvent { group: Text::EMPTY, ..track }),
            event => event,
        });
        let ungrouped = build(&ungrouped.collect::<Vec<_>>());
        n_joined += ungrouped.tracks().len() - trace.tracks().len();
        // What the builder left out is not emitted, and may have had the first time of a track.
        if trace.diagnostics().count(DiagnosticKind::UnmatchedEnd) == 0 {
            assert!(replayed(&trace) == trace, "{events:?}");
        }
        let mut live = LiveTrace::new(&Limits::default());
        for part in events.chunks(7) {
            part.iter().for_each(|event| live.push(event));
            live.commit();
        }
        let view = live.commit();
        if ungrouped.diagnostics().count(DiagnosticKind::UnmatchedEnd) == 0 {
            assert_eq!(view_lines(&view), view_lines(&ungrouped), "{events:?}");
        }
    }
    assert!(n_joined > 200, "only {n_joined} tracks were joined");
}

/// Returns the kinds, names, ranks and parents of the tracks of a trace.
fn view_lines(trace: &impl TraceView) -> Vec<String> {
    let ids: Vec<_> = trace.track_ids().collect();
    let line = |&track| {
        let info = trace.track_info(track).unwrap();
        let above = info.parent.map(|parent| ids.iter().position(|&id| id == parent).unwrap());
        let process = info.process.map(|process| trace.process_title(process));
        let (kind, name) = (info.kind.name(), trace.name(info.name));
        format!("{process:?} {kind} {name} {} below {above:?}", info.sort_index)
    };
    ids.iter().map(line).collect()
}
