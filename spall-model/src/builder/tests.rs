use alloc::{format, string::String, vec, vec::Vec};

use super::*;
use crate::{
    Args, AsyncPhase, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent, ObjectPhase, Receiver, SliceId, Text,
    Thread, TraceView, TrackKind, TrackSet, nest::Nesting,
};

const MAIN: Thread<'static> = Thread { pid: Id::Number(1), tid: Id::Number(1) };

fn on_main(name: &'static str, at: i64) -> ThreadEvent<'static> {
    ThreadEvent::new(MAIN, Tick(at), Text::plain(name.as_bytes()))
}

fn begin(name: &'static str, at: i64) -> Event<'static> {
    Event::Begin(on_main(name, at))
}

fn end(name: &'static str, at: i64) -> Event<'static> {
    Event::End(on_main(name, at))
}

fn complete(name: &'static str, at: i64, length: i64) -> Event<'static> {
    Event::Complete(on_main(name, at), Ticks(length))
}

fn build_with(limits: &Limits, events: &[Event<'static>]) -> Trace {
    let mut builder = TraceBuilder::new(limits);
    for (event, position) in events.iter().zip(0..) {
        builder.receive(event, ByteRange::new(position, position + 1));
    }
    builder.finish()
}

fn build(events: &[Event<'static>]) -> Trace {
    build_with(&Limits::default(), events)
}

/// Returns every slice as `name start-end depth`, with `lane/` before the depth and `?` behind an unknown end.
fn slices(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    for track in trace.tracks() {
        let mut nesting = Nesting::default();
        for id in track.slices() {
            let slice = trace.slice(id).unwrap();
            let place = nesting.place(0, slice.start, slice.end, slice.flags);
            let lane = if place.lane > 0 { format!("{}/", place.lane) } else { String::new() };
            let open = if slice.flags.is_unfinished() { "?" } else { "" };
            lines.push(format!(
                "{} {}-{}{open} {lane}{}",
                trace.name(slice.name),
                slice.start.0,
                place.end.0,
                place.depth
            ));
        }
    }
    lines
}

fn check(events: &[Event<'static>], expected: &[&str]) -> Trace {
    let trace = build(events);
    assert_eq!(slices(&trace), expected, "{events:?}");
    trace
}

/// Returns the trace of the events that a trace replays.
fn replayed(trace: &Trace) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let Ok(()) = trace.replay(|event| {
        builder.push(event);
        Ok::<(), core::convert::Infallible>(())
    });
    builder.finish()
}

/// Checks that the events that a trace replays make an equal one.
fn check_replay(trace: &Trace) {
    let again = replayed(trace);
    assert_eq!(slices(&again), slices(trace));
    assert!(again == *trace, "{again:?} {trace:?}");
}

fn count(trace: &Trace, kind: DiagnosticKind) -> u64 {
    trace.diagnostics().count(kind)
}

#[test]
fn nothing_makes_an_empty_trace() {
    let trace = build(&[]);
    assert!(trace.slices().is_empty() && trace.tracks().is_empty() && trace.diagnostics().is_empty());
    assert_eq!(trace.bounds(), None);
}

#[test]
fn pairing_2_an_end_closes_the_most_recent_open_begin() {
    let events = [begin("a", 0), begin("b", 1), end("", 2), end("a", 3)];
    let trace = check(&events, &["a 0-3 0", "b 1-2 1"]);
    assert!(trace.diagnostics().is_empty());
    assert_eq!(trace.bounds(), Some(Tick(0)..Tick(3)));
}

/// By name. [pairing 2.1]
#[test]
fn pairing_2_a_lost_end_costs_one_slice_only() {
    // Plainly read, everything after the lost end of b would be closed by the wrong end.
    let events =
        [begin("a", 0), begin("b", 1), begin("c", 2), end("c", 3), end("a", 4), begin("d", 5), end("d", 6)];
    let trace = check(&events, &["a 0-4 0", "b 1-4? 1", "c 2-3 2", "d 5-6 0"]);
    assert_eq!(count(&trace, DiagnosticKind::UnfinishedSlice), 1);
    assert_eq!(trace.diagnostics().counts().len(), 1);
}

#[test]
fn pairing_2_an_extra_end_is_left_out_and_counted() {
    let trace = check(&[begin("a", 0), end("x", 1), end("a", 2), end("", 3)], &["a 0-2 0"]);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedEnd), 2);
    assert_eq!(trace.diagnostics().kept()[0].bytes, ByteRange::new(1, 2));
}

/// Last in first out. [pairing 2.2]
#[test]
fn pairing_2_ends_with_other_names_are_read_plainly() {
    let trace = check(&[begin("a", 0), begin("b", 1), end("y", 2), end("x", 3)], &["a 0-3 0", "b 1-2 1"]);
    assert_eq!(count(&trace, DiagnosticKind::NameMismatch), 2);
    assert!(trace.slices().flags()[0].contains(SliceFlags::NAME_MISMATCH));
}

#[test]
fn pairing_2_neighbours_written_begin_before_end_follow_each_other() {
    let events = [begin("a", 0), begin("b", 10), end("a", 10), end("b", 20)];
    let trace = check(&events, &["a 0-10 0", "b 10-20 0"]);
    assert!(trace.diagnostics().is_empty());
}

#[test]
fn pairing_2_a_successor_without_an_end_stays_open_beside_what_ends() {
    let events = [begin("load", 0), begin("run", 5), end("load", 5), complete("step", 7, 3)];
    check(&events, &["load 0-5 0", "run 5-10? 0", "step 7-10 1"]);
    // The end of a slice around both is its end, too.
    let events = [
        begin("p", 0),
        begin("b", 1),
        begin("a", 5),
        end("b", 5),
        begin("d", 6),
        end("d", 8),
        end("p", 9),
        complete("q", 10, 5),
    ];
    check(&events, &["p 0-9 0", "b 1-5 1", "a 5-9? 1", "d 6-8 2", "q 10-15 0"]);
}

#[test]
fn pairing_2_a_successor_of_a_slice_without_duration_lies_beside_it() {
    let events = [begin("c", 2), begin("a", 2), end("c", 2), end("a", 10)];
    check(&events, &["c 2-2 0", "a 2-10 0"]);
    let events = [begin("p", 2), begin("c", 2), begin("a", 2), end("c", 2), end("a", 10), end("p", 12)];
    check(&events, &["p 2-12 0", "c 2-2 1", "a 2-10 1"]);
}

#[test]
fn pairing_2_ends_of_one_time_are_served_from_the_top() {
    let trace = check(&[begin("a", 0), begin("b", 1), end("a", 5), end("b", 5)], &["a 0-5 0", "b 1-5 1"]);
    assert!(trace.diagnostics().is_empty());
}

/// The end that names the slice goes first, and the one without a name is left over. [pairing 2.1]
#[test]
fn pairing_2_ends_of_one_time_in_a_cut_thread() {
    let event = |name, args| Event::End(ThreadEvent { args: Args::text(args), ..on_main(name, 5) });
    let [unnamed, named] = [event("", b"unnamed"), event("a", b"named")];
    for ends in [[unnamed, named], [named, unnamed]] {
        let trace = check(&[begin("a", 0), ends[0], ends[1]], &["a 0-5 0"]);
        assert_eq!(count(&trace, DiagnosticKind::UnmatchedEnd), 1);
        // Without arguments of the begin, those of the end are the only ones.
        assert_eq!(trace.slice_args(SliceId(0)).begin.bytes(), b"named");
    }
}

/// In the first case `a` closes the slice `a` and not the innermost, in the second an end has no slice, and in the third an
/// end comes before its begin in the file.
#[test]
fn pairing_2_the_arguments_of_an_end_are_those_of_the_slice_it_closes() {
    let ended = |name, at, args| Event::End(ThreadEvent { args: Args::text(args), ..on_main(name, at) });
    let cases: [(&[Event<'static>], &[&[u8]]); 3] = [
        (
            &[begin("a", 0), begin("b", 1), ended("a", 4, b"of a"), begin("c", 5), ended("c", 6, b"of c")],
            &[b"of a", b"", b"of c"],
        ),
        (&[begin("a", 0), ended("x", 1, b"of x"), ended("a", 2, b"of a")], &[b"of a"]),
        (
            &[begin("b", 5), ended("b", 6, b"of b"), ended("a", 9, b"of a"), begin("a", 0)],
            &[b"of a", b"of b"],
        ),
    ];
    for (events, expected) in cases {
        let trace = build(events);
        let args: Vec<_> = trace.slices().ids().iter().map(|id| trace.slice_args(id).begin.bytes()).collect();
        assert_eq!(args, expected, "{events:?}");
    }
}

/// Only the rows that stay open, and the ends that close nothing, have a fault.
#[test]
fn pairing_2_a_recording_cuts_the_slices_around_its_begin_and_its_end() {
    let unnamed =
        [end("", 0), begin("a", 1), end("", 2), begin("b", 3), begin("c", 4), begin("d", 5), end("", 6)];
    let named =
        [end("z", 0), begin("a", 1), end("a", 2), begin("b", 3), begin("c", 4), begin("d", 5), end("d", 6)];
    for events in [unnamed, named] {
        let trace = check(&events, &["a 1-2 0", "b 3-6? 0", "c 4-6? 1", "d 5-6 2"]);
        assert_eq!(count(&trace, DiagnosticKind::UnmatchedEnd), 1);
        assert_eq!(count(&trace, DiagnosticKind::UnfinishedSlice), 2);
        assert_eq!(trace.diagnostics().counts().len(), 2);
    }
}

/// By name, in the order of time. [pairing 2.3]
#[test]
fn pairing_2_faulty_threads_that_are_unsorted_are_sorted() {
    let events = [begin("b", 5), end("b", 6), end("a", 9), begin("a", 0)];
    let trace = check(&events, &["a 0-9 0", "b 5-6 1"]);
    assert_eq!(count(&trace, DiagnosticKind::Resorted), 1);
}

/// [pairing 1]
#[test]
fn pairing_2_an_unsorted_thread_without_faults_keeps_its_pairs() {
    let trace =
        check(&[begin("a", 10), end("a", 20), begin("b", 0), end("b", 15)], &["b 0-15 0", "a 10-20 1/0"]);
    assert_eq!(trace.diagnostics().counts().len(), 1);
    assert_eq!(count(&trace, DiagnosticKind::Unordered), 1);
}

/// No way has fewer faults than there are more begins than ends. [pairing 2.1]
#[test]
fn pairing_2_an_unsorted_thread_that_lacks_only_ends_keeps_its_pairs() {
    let events = [begin("a", 10), end("a", 20), begin("b", 0), end("b", 15), begin("c", 30)];
    let trace = check(&events, &["b 0-15 0", "a 10-20 1/0", "c 30-30? 0"]);
    assert_eq!(count(&trace, DiagnosticKind::Unordered), 1);
    assert_eq!(count(&trace, DiagnosticKind::UnfinishedSlice), 1);
    assert_eq!(trace.diagnostics().counts().len(), 2);
    assert!(trace.slices().flags().iter().all(|flags| !flags.is_paired()), "nothing says what encloses what");
}

/// Last in first out, in the order of time. [pairing 2.4]
#[test]
fn pairing_2_faulty_threads_with_other_names_are_sorted_and_read_plainly() {
    let events = [begin("b", 5), end("y", 6), end("x", 9), begin("a", 0)];
    let trace = check(&events, &["a 0-9 0", "b 5-6 1"]);
    assert_eq!(count(&trace, DiagnosticKind::Resorted), 1);
    assert_eq!(count(&trace, DiagnosticKind::NameMismatch), 2);
}

/// By name, `a` cuts `b`, or `b` stays open, and an end is left over; last in first out, one end has another name.
#[test]
fn pairing_2_a_slice_that_is_cut_counts_as_a_fault() {
    let events = [begin("a", 0), begin("b", 1), end("a", 2), end("a", 3)];
    let trace = check(&events, &["a 0-3 0", "b 1-2 1"]);
    assert_eq!(count(&trace, DiagnosticKind::NameMismatch), 1);
}

/// By name, `b` is cut and an end is left over; last in first out, both ends have other names.
#[test]
fn pairing_2_of_ways_with_equally_many_faults_the_first_one_counts() {
    let events = [begin("a", 0), begin("b", 1), end("a", 2), end("c", 3)];
    let trace = check(&events, &["a 0-2 0", "b 1-2? 1"]);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedEnd), 1);
    assert_eq!(count(&trace, DiagnosticKind::NameMismatch), 0);
}

/// A span guard that is held across an await is dropped while another one is open. [pairing 2.5]
#[test]
fn pairing_2_slices_whose_ends_name_them_may_overlap() {
    let overlapping = [begin("a", 0), begin("b", 10), end("a", 20), end("b", 30)];
    let trace = check(&overlapping, &["a 0-20 0", "b 10-30 1/0"]);
    assert!(trace.diagnostics().is_empty());
    check_replay(&trace);
    let three = [begin("a", 0), begin("b", 1), begin("c", 2), end("a", 3), end("b", 4), end("c", 5)];
    assert!(check(&three, &["a 0-3 0", "b 1-4 1/0", "c 2-5 2/0"]).diagnostics().is_empty());
    // An end without a name closes the innermost slice.
    let unnamed = [begin("a", 0), begin("b", 1), end("a", 2), end("", 3)];
    assert!(check(&unnamed, &["a 0-2 0", "b 1-3 1/0"]).diagnostics().is_empty());
}

/// [pairing 2.5]
#[test]
fn pairing_2_what_begins_inside_of_an_overlapping_slice_lies_in_its_lane() {
    let events = [
        begin("vsync", 0),
        begin("build", 10),
        begin("one", 12),
        end("one", 15),
        end("vsync", 20),
        begin("two", 20),
        end("two", 20),
        begin("three", 25),
        end("three", 30),
        end("build", 40),
        begin("vsync", 50),
        end("vsync", 60),
    ];
    let expected = [
        "vsync 0-20 0",
        "build 10-40 1/0",
        "one 12-15 1/1",
        "two 20-20 1/1",
        "three 25-30 1/1",
        "vsync 50-60 0",
    ];
    let trace = check(&events, &expected);
    assert!(trace.diagnostics().is_empty());
    check_replay(&trace);
}

/// [pairing 2.5]
#[test]
fn pairing_2_of_overlapping_slices_with_one_start_the_first_one_keeps_its_lane() {
    let events = [begin("a", 0), begin("b", 0), begin("c", 3), end("c", 4), end("a", 5), end("b", 9)];
    check_replay(&check(&events, &["a 0-5 0", "b 0-9 1/0", "c 3-4 1/1"]));
}

/// `x` is cut by `y` as it is where no slices overlap, and `z` lies behind it. [pairing 2.5]
#[test]
fn pairing_2_a_lost_end_among_overlapping_slices_costs_one_slice_only() {
    let overlap = |at| [begin("a", at), begin("b", at + 1), end("a", at + 2), end("b", at + 3)];
    let lost = [begin("y", 10), begin("x", 12), begin("w", 14), end("w", 15), end("y", 16)];
    let after = [begin("z", 18), end("z", 19)];
    let events = [&overlap(0)[..], &lost, &after, &overlap(20)].concat();
    let expected = [
        "a 0-2 0",
        "b 1-3 1/0",
        "y 10-16 0",
        "x 12-16? 1",
        "w 14-15 2",
        "z 18-19 0",
        "a 20-22 0",
        "b 21-23 1/0",
    ];
    let trace = check(&events, &expected);
    assert_eq!(count(&trace, DiagnosticKind::UnfinishedSlice), 1);
    assert_eq!(trace.diagnostics().counts().len(), 1);
    // Nothing is begun in `x` once it is cut.
    let depths: Vec<_> = trace.slices().flags().iter().map(|flags| flags.open_depth()).collect();
    assert_eq!(depths, [0, 1, 0, 1, 2, 0, 0, 1]);
    assert_eq!(slices(&replayed(&trace)), slices(&trace));
}

/// Neighbours that are written begin before end are none that overlap, also where others do. [pairing 2.5]
#[test]
fn pairing_2_successors_among_overlapping_slices_lie_beside_what_ends() {
    let events = [
        begin("a", 0),
        begin("b", 5),
        end("a", 10),
        end("b", 15),
        begin("c", 20),
        begin("d", 30),
        end("c", 30),
        begin("e", 30),
        end("e", 30),
        end("d", 40),
    ];
    check_replay(&check(&events, &["a 0-10 0", "b 5-15 1/0", "c 20-30 0", "d 30-40 0", "e 30-30 1"]));
}

/// Times go back, and in the order of time slices overlap. [pairing 2.5]
#[test]
fn pairing_2_slices_may_overlap_in_the_order_of_time() {
    let events = [
        end("x", 45),
        end("a", 20),
        end("b", 30),
        begin("a", 0),
        begin("b", 10),
        begin("x", 40),
        end("y", 50),
    ];
    let trace = check(&events, &["a 0-20 0", "b 10-30 1/0", "x 40-45 0"]);
    assert_eq!(count(&trace, DiagnosticKind::Resorted), 1);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedEnd), 1);
}

/// All begins stand below all ends of their names, from the outermost to the innermost.
#[test]
fn pairing_2_very_many_slices_that_overlap_take_linear_time() {
    const NAMES: [&str; 4] = ["a", "b", "c", "d"];
    let n = 200_000_i64;
    let mut events: Vec<_> = (0..n).map(|at| begin(NAMES[usize::try_from(at % 4).unwrap()], at)).collect();
    events.extend((0..n).map(|at| end(NAMES[usize::try_from(at / (n / 4)).unwrap()], n + at)));
    let trace = build(&events);
    assert!(trace.diagnostics().is_empty() && i64::try_from(trace.slices().len()) == Ok(n));
}

/// Where only times count, the order of the file does not: what comes late lies where it would have come.
#[test]
fn events_by_time_make_the_same_slices_in_any_order() {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    let by_time = Event::Conventions(crate::Conventions::default().with_events_by_time());
    let mut random = spall_synth::Random(3);
    let (mut n_late, mut n_faulty) = (0, 0);
    for round in 0..3000_i64 {
        // Half of all rounds have as many ends as begins, and few of the others have, as they are short.
        let is_even = round % 2 == 0;
        let mut at = 0;
        let mut events: Vec<_> = (0..2 + random.below(if is_even { 40 } else { 9 }))
            .map(|position| {
                at += random.below(3);
                let is_begin = if is_even { position % 4 < 2 } else { random.below(2) == 0 };
                (at, if is_begin { begin(NAMES[random.below(3_usize)], at) } else { end("", at) })
            })
            .collect();
        for _ in 0..random.below(4) {
            let (from, by) = (random.below(events.len()), random.below(9_usize));
            let to = (from + by).min(events.len() - 1);
            events[from..=to].rotate_left(1);
        }
        n_late += usize::from(!events.is_sorted_by_key(|&(at, _)| at));
        let made = |events: &[(i64, Event<'static>)]| {
            let events: Vec<_> =
                core::iter::once(by_time).chain(events.iter().map(|&(_, event)| event)).collect();
            let trace = build(&events);
            let faults = [DiagnosticKind::UnmatchedEnd, DiagnosticKind::UnfinishedSlice];
            let depths: Vec<_> = trace.slices().flags().iter().map(|flags| flags.open_depth()).collect();
            (slices(&trace), depths, faults.map(|kind| count(&trace, kind)))
        };
        let in_file = made(&events);
        events.sort_by_key(|&(at, _)| at);
        let in_time = made(&events);
        assert_eq!(in_file, in_time, "round {round}: {events:?}");
        n_faulty += usize::from(in_time.2 != [0, 0]);
    }
    assert!(n_late > 1000 && n_faulty > 1000, "{n_late} {n_faulty}");
}

/// `b` begins at the end of `a`, inside of it. Where the order of the file counts although times go back, the pairs do not say
/// what encloses what, so the second slice without duration lies inside the first.
#[test]
fn pairing_3_pairs_nest_by_pairing_only_where_they_are_read_in_order() {
    check(&[begin("b", 10), end("b", 10), end("a", 10), begin("a", 0)], &["a 0-10 0", "b 10-10 1"]);
    let empty = [begin("b", 10), end("b", 10), begin("c", 10), end("c", 10)];
    check(&empty, &["b 10-10 0", "c 10-10 0"]);
    let gone_back = [&[begin("a", 20), end("a", 30)][..], &empty].concat();
    check(&gone_back, &["b 10-10 0", "c 10-10 1", "a 20-30 0"]);
    let faulty = [&gone_back[..], &[end("z", 40)]].concat();
    check(&faulty, &["b 10-10 0", "c 10-10 1", "a 20-30 0"]);
}

#[test]
fn pairing_2_an_end_before_its_begin_is_sorted_away() {
    let trace = check(&[begin("a", 10), end("a", 5)], &["a 10-10? 0"]);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedEnd), 1);
    assert_eq!(count(&trace, DiagnosticKind::UnfinishedSlice), 1);
}

#[test]
fn pairing_3_an_open_begin_is_drawn_to_the_end_of_its_thread() {
    let other = Thread::new(1_u32, 2_u32);
    let later = ThreadEvent::new(other, Tick(99), Text::plain(b"z"));
    let events = [begin("a", 0), begin("b", 2), complete("c", 3, 4), Event::Complete(later, Ticks(1))];
    let trace = check(&events, &["a 0-7? 0", "b 2-7? 1", "c 3-7 2", "z 99-100 0"]);
    assert_eq!(count(&trace, DiagnosticKind::UnfinishedSlice), 2);
}

#[test]
fn pairing_3_equal_starts_longer_first_then_the_order_of_the_file() {
    check(&[complete("in", 0, 5), complete("out", 0, 9)], &["out 0-9 0", "in 0-5 1"]);
    check(&[complete("1", 0, 5), complete("2", 0, 5)], &["1 0-5 0", "2 0-5 1"]);
    check(&[complete("x", 0, 9), begin("p", 0), end("p", 5)], &["x 0-9 0", "p 0-5 1"]);
    check(&[complete("x", 0, 4), begin("p", 0), end("p", 5)], &["p 0-5 0", "x 0-4 1"]);
    check(&[begin("p", 0), end("p", 0), complete("x", 0, 4)], &["p 0-0 0", "x 0-4 0"]);
}

#[test]
fn pairing_3_an_unfinished_slice_is_as_long_as_it_is_drawn() {
    let later = complete("later", 8, 1);
    check(&[complete("x", 0, 4), begin("p", 0), later], &["p 0-9? 0", "x 0-4 1", "later 8-9 1"]);
    check(&[begin("p", 0), complete("x", 0, 4), later], &["p 0-9? 0", "x 0-4 1", "later 8-9 1"]);
    // Both end with the thread.
    check(&[complete("x", 0, 4), begin("p", 0)], &["x 0-4 0", "p 0-4? 1"]);
    check(&[begin("p", 0), complete("x", 0, 4)], &["p 0-4? 0", "x 0-4 1"]);
}

#[test]
fn pairing_3_what_is_no_pair_is_sorted_by_itself() {
    // The short x comes behind the long y although the file has it first, and pairs of no length between them.
    let events =
        [begin("0", 5), complete("x", 5, 0), end("0", 5), begin("a", 5), complete("y", 5, 4), end("a", 9)];
    check(&events, &["0 5-5 0", "a 5-9 0", "y 5-9 1", "x 5-5 2"]);
}

/// Each slice may follow the one before it: pairs as in the file, and of a pair and a complete slice the longer one is first.
/// But `y` is longer than `x`.
#[test]
fn pairing_3_slices_are_not_in_order_because_neighbours_are() {
    let pairs = [begin("p", 10), end("p", 10), begin("q", 10), end("q", 20)];
    let events = [&[complete("x", 10, 5)][..], &pairs, &[complete("y", 10, 8)]].concat();
    check(&events, &["p 10-10 0", "q 10-20 0", "y 10-18 1", "x 10-15 2"]);
}

#[test]
fn heph_b_4_where_children_come_first_the_later_of_two_equal_slices_is_outside() {
    let conventions = Conventions::default().with_children_first();
    let events = [Event::Conventions(conventions), complete("in", 0, 5), complete("out", 0, 5)];
    check(&events, &["out 0-5 0", "in 0-5 1"]);
}

#[test]
fn pairs_begun_in_order_stay_in_order() {
    check(&[begin("0", 5), end("0", 5), begin("a", 5), end("a", 9)], &["0 5-5 0", "a 5-9 0"]);
}

#[test]
fn a_negative_length_is_none_and_counted() {
    let trace = check(&[complete("a", 5, -3)], &["a 5-5 0"]);
    assert_eq!(count(&trace, DiagnosticKind::NegativeDuration), 1);
}

#[test]
fn times_at_the_ends_of_the_range_saturate() {
    let trace = check(&[complete("a", i64::MAX - 1, 5)], &["a 9223372036854775806-9223372036854775807 0"]);
    assert_eq!(count(&trace, DiagnosticKind::TimeOutOfRange), 1);
    check(&[complete("a", i64::MIN, i64::MAX)], &["a -9223372036854775808--1 0"]);
}

#[test]
fn tracks_stand_by_sort_index_then_name_then_id() {
    let thread = |pid: i64, tid: i64| Thread::new(pid, tid);
    let name =
        |pid, tid, name: &'static str| Event::ThreadName(thread(pid, tid), Text::plain(name.as_bytes()));
    let events = [
        name(1, 30, "b"),
        name(1, 20, "a"),
        name(1, 10, "a"),
        name(1, 9, "z"),
        Event::ThreadSortIndex(thread(1, 9), -1),
        name(0, 1, "first"),
        Event::ProcessSortIndex(Id::Number(1), 5),
    ];
    let trace = build(&events);
    let tids: Vec<_> = trace
        .tracks()
        .iter()
        .map(
            |track| {
                if let TrackKind::Thread { tid: crate::Key::Number(tid) } = track.kind { tid } else { -99 }
            },
        )
        .collect();
    assert_eq!(tids, [1, 9, 10, 20, 30]);
    assert_eq!(trace.processes()[1].tracks().indices(), 1..5);
}

/// Returns the ids of the threads of a process with these named threads, in display order.
fn thread_order(pid: i64, threads: &[(i64, &'static str)], sort: Option<(i64, i64)>) -> Vec<i64> {
    let of = |tid: i64| Thread::new(pid, tid);
    let names = threads.iter().map(|&(tid, name)| Event::ThreadName(of(tid), Text::plain(name.as_bytes())));
    let sort = sort.map(|(tid, index)| Event::ThreadSortIndex(of(tid), index));
    let trace = build(&names.chain(sort).collect::<Vec<_>>());
    let tids = trace.tracks().iter().map(|track| match track.kind {
        TrackKind::Thread { tid: crate::Key::Number(tid) } => tid,
        other => panic!("{other:?}"),
    });
    tids.collect()
}

#[test]
fn pairing_7_the_main_thread_is_first_among_threads_of_one_sort_index() {
    let named = [(11, "Total Parse"), (10, "clang"), (9, "worker"), (12, "Total Link")];
    assert_eq!(thread_order(10, &named, None), [10, 12, 11, 9]);
    assert_eq!(thread_order(10, &named, Some((9, -1))), [9, 10, 12, 11]);
    assert_eq!(thread_order(10, &named, Some((10, 1))), [12, 11, 9, 10]);
}

#[test]
fn pairing_7_names_are_in_their_natural_order() {
    let named = [(5, "Worker-10"), (4, "Worker-2"), (3, "Worker-02"), (2, "Worker"), (1, "Worker-2")];
    assert_eq!(thread_order(10, &named, None), [2, 3, 1, 4, 5]);
    assert_eq!(thread_order(10, &named, Some((5, -1))), [5, 2, 3, 1, 4]);

    let processes = [(1, "shard 10"), (2, "shard 9"), (3, "shard 1")];
    let named =
        processes.map(|(pid, name)| Event::ProcessName(Id::Number(pid), Text::plain(name.as_bytes())));
    let trace = build(&named);
    let names = trace.processes().iter().map(|process| trace.name(process.name));
    assert_eq!(names.collect::<Vec<_>>(), ["shard 1", "shard 9", "shard 10"]);
}

#[test]
fn pairing_7_threads_that_are_counted_from_zero_have_no_main_thread_but_0() {
    assert_eq!(thread_order(2, &[(0, "a"), (1, "b"), (2, "c")], None), [0, 1, 2]);
    assert_eq!(thread_order(0, &[(0, "c"), (1, "b"), (2, "a")], None), [0, 2, 1]);
}

#[test]
fn the_longest_slices_are_as_many_as_asked_for_and_none_else() {
    // More than are sorted at once, the longest neither first nor last.
    let events: Vec<_> = (0..3000).map(|at| complete("a", 10 * at, (at + 1500) % 3000)).collect();
    let trace = build(&events);
    let all = Tick(0)..Tick(i64::MAX);
    let longest = |range, max| -> Vec<i64> {
        let ids = trace.longest_slices(TrackSet::All, range, max).into_iter();
        ids.map(|id| trace.slice(id).unwrap().duration().0).collect()
    };
    assert_eq!(longest(all.clone(), 0), [0; 0]);
    assert_eq!(longest(all.clone(), 2), [2999, 2998]);
    assert_eq!(longest(Tick(29_985)..Tick(29_995), 2000)[..2], [1499, 1498]);
    assert_eq!(longest(all, 4000).len(), 3000);
}

#[test]
fn a_slice_is_on_one_track_and_others_on_none() {
    let other = ThreadEvent::new(Thread::new(1_i64, 2_i64), Tick(0), Text::EMPTY);
    let trace = build(&[complete("a", 0, 1), complete("b", 5, 1), Event::Complete(other, Ticks(1))]);
    let tracks = [0, 1, 2, 3].map(|id| trace.track_of(crate::SliceId(id)).map(|track| track.0));
    assert_eq!(tracks, [Some(0), Some(0), Some(1), None]);
}

#[test]
fn textual_ids_are_default_names() {
    let thread = Thread { pid: Id::Text(b"p"), tid: Id::Text(b"t") };
    let trace = build(&[Event::Begin(ThreadEvent::new(thread, Tick(0), Text::EMPTY))]);
    assert_eq!(trace.name(trace.processes()[0].name), "p");
    assert_eq!(trace.name(trace.tracks()[0].name), "t");
}

fn keyed(name: &'static str, id: i64, at: i64) -> KeyedEvent<'static> {
    KeyedEvent::new(1_i64, Tick(at), id, Text::plain(name.as_bytes())).with_category(Text::plain(b"c"))
}

#[test]
fn pairing_7_tracks_of_a_process_are_sorted_by_kind() {
    let mut values = crate::ArgsBuilder::new();
    values.add("used", 1_u64);
    let (pid, name) = (Id::Number(1), Text::plain(b"a"));
    let counter = crate::CounterEvent {
        pid,
        at: Tick(0),
        name,
        id: None,
        category: Text::EMPTY,
        series: values.args(),
    };
    let mut builder = TraceBuilder::new(&Limits::default());
    builder.push(&Event::Counter(counter));
    let events = [
        Event::Async(AsyncPhase::Begin, keyed("b", 1, 0)),
        complete("c", 0, 1),
        Event::Instant(on_main("d", 0), crate::Scope::Process),
    ];
    events.iter().for_each(|event| builder.push(event));
    let trace = builder.finish();
    let kinds = trace.tracks().iter().map(|track| match track.kind {
        TrackKind::Process => "process",
        TrackKind::Thread { .. } => "thread",
        TrackKind::Async { .. } => "async",
        TrackKind::Counter { .. } => "counter",
        other => panic!("{other:?}"),
    });
    assert_eq!(kinds.collect::<Vec<_>>(), ["process", "thread", "async", "counter"]);
}

#[test]
fn pairing_7_tracks_are_sorted_by_the_whole_text_of_their_ids() {
    const IDS: [&[u8]; 8] = [
        b"",
        b"\0",
        b"0x1",
        b"0x10",
        b"0x2",
        b"an id of sixteen",
        b"an id of sixteen\0",
        b"an id of sixteen and more",
    ];
    let event = |id| {
        Event::Async(AsyncPhase::Begin, KeyedEvent::new(1_i64, Tick(0), Id::Text(id), Text::plain(b"a")))
    };
    let trace = build(&[7, 2, 0, 5, 3, 6, 1, 4].map(|index: usize| event(IDS[index])));
    let id = |kind: &TrackKind| match *kind {
        TrackKind::Async { id: crate::Key::Text(id), .. } => trace.names().bytes(id),
        ref other => panic!("{other:?}"),
    };
    assert_eq!(trace.tracks().iter().map(|track| id(&track.kind)).collect::<Vec<_>>(), IDS);
}

/// Checks the name of the track of these events of one id, which are phases, names and times.
fn check_title(events: &[(AsyncPhase, &'static str, i64)], expected: &str) {
    let event = |&(phase, name, at): &(_, _, _)| Event::Async(phase, keyed(name, 7, at));
    let trace = build(&events.iter().map(event).collect::<Vec<_>>());
    assert_eq!(trace.tracks().iter().map(|track| trace.name(track.name)).collect::<Vec<_>>(), [expected]);
}

#[test]
fn pairing_5_spans_of_one_id_are_named_after_the_first_one_in_time_that_has_a_name() {
    use AsyncPhase::{Begin, End, Instant};
    check_title(&[(Begin, "late", 9), (Begin, "early", 5)], "early");
    check_title(&[(Begin, "", 0), (Begin, "named", 5), (Begin, "later", 6)], "named");
    check_title(&[(Instant, "instant", 0), (Begin, "span", 5)], "span");
    check_title(&[(Instant, "", 0), (Instant, "instant", 1), (Begin, "", 5)], "instant");
    check_title(&[(End, "of no span", 0), (Begin, "", 5)], "");
}

#[test]
fn pairing_5_async_spans_of_one_key_may_overlap() {
    let step = |phase, name, at| Event::Async(phase, keyed(name, 7, at));
    let events = [
        step(AsyncPhase::Begin, "a", 0),
        step(AsyncPhase::Begin, "b", 5),
        step(AsyncPhase::End, "a", 10),
        step(AsyncPhase::Instant, "i", 11),
        step(AsyncPhase::End, "b", 15),
        step(AsyncPhase::End, "b", 16),
    ];
    let trace = build(&events);
    let spans: Vec<_> = (0..trace.slices().len())
        .map(|index| {
            let slices = trace.slices();
            (slices.starts()[index].0, slices.ends()[index].0, slices.flags()[index].open_depth())
        })
        .collect();
    assert_eq!(spans, [(0, 10, 0), (5, 15, 1)]);
    assert_eq!(trace.instants()[0].depth, 2);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedAsync), 1);
}

/// Begins and ends of spans of one id as their names, times and arguments become slices, as start, end and whether it is
/// unfinished.
fn spans(events: &[(AsyncPhase, &'static str, i64, &'static str)]) -> (Vec<(i64, i64, bool)>, u64) {
    let events: Vec<_> = events
        .iter()
        .map(|&(phase, name, at, args)| {
            let args = Args::text(args.as_bytes());
            Event::Async(phase, KeyedEvent { args, ..keyed(name, 7, at) })
        })
        .collect();
    let trace = build(&events);
    check_replay(&trace);
    let slices = trace.slices();
    let spans = slices.ids().iter().map(|id| trace.slice(id).unwrap());
    let spans = spans.map(|span| (span.start.0, span.end.0, span.flags.is_unfinished())).collect();
    (spans, count(&trace, DiagnosticKind::RepeatedAsync))
}

/// As the spans of tasks in `tracing-chrome`, whose ids are those of the outermost span.
#[test]
fn pairing_5_an_end_closes_the_span_with_its_arguments() {
    use AsyncPhase::{Begin, End};
    let tasks = [(Begin, "t", 20, "0"), (Begin, "t", 21, "1"), (Begin, "t", 22, "2")];
    let ends = [(End, "t", 50, "0"), (End, "t", 60, "1"), (End, "t", 70, "2")];
    let expected = vec![(20, 50, false), (21, 60, false), (22, 70, false)];
    assert_eq!(spans(&[tasks, ends].concat()), (expected, 2));
    // Of equal arguments the innermost.
    let equal = [(Begin, "t", 1, "0"), (Begin, "t", 2, "1"), (Begin, "t", 3, "0")];
    let ends = [(End, "t", 4, "0"), (End, "t", 5, "0"), (End, "t", 6, "1")];
    assert_eq!(spans(&[equal, ends].concat()), (vec![(1, 5, false), (2, 6, false), (3, 4, false)], 1));
    // The arguments of another name tell nothing.
    let names = [(Begin, "t", 1, "0"), (Begin, "t", 2, ""), (Begin, "u", 3, "0"), (End, "t", 4, "1")];
    assert_eq!(spans(&names), (vec![(1, 4, true), (2, 4, false), (3, 4, true)], 0));
}

#[test]
fn pairing_5_where_arguments_tell_nothing_the_span_that_began_last_ends_first() {
    use AsyncPhase::{Begin, End};
    let begins = [(Begin, "t", 1, "a"), (Begin, "t", 2, "b"), (Begin, "t", 3, "")];
    let ends = [(End, "t", 4, ""), (End, "t", 5, "other"), (End, "t", 6, "b")];
    assert_eq!(spans(&[begins, ends].concat()), (vec![(1, 6, false), (2, 5, false), (3, 4, false)], 0));
}

#[test]
fn pairing_5_very_many_spans_of_one_name_take_linear_time() {
    let numbers: Vec<_> = (0..100_000).map(|number| format!("{number}")).collect();
    let mut builder = TraceBuilder::new(&Limits::default());
    for (phase, from) in [(AsyncPhase::Begin, 0), (AsyncPhase::End, 100_000)] {
        for (number, at) in numbers.iter().zip(from..) {
            let args = Args::text(number.as_bytes());
            builder.push(&Event::Async(phase, KeyedEvent { args, ..keyed("t", 7, at) }));
        }
    }
    let trace = builder.finish();
    let slices = trace.slices();
    assert!(slices.starts().iter().zip(slices.ends()).all(|(start, end)| end.0 - start.0 == 100_000));
}

#[test]
fn pairing_5_older_spans_have_steps() {
    let step = |phase, at| Event::Async(phase, keyed("s", 7, at));
    let events = [step(AsyncPhase::Start, 0), step(AsyncPhase::StepInto, 3), step(AsyncPhase::Finish, 9)];
    let trace = build(&events);
    assert_eq!(trace.slices().ends(), [Tick(9), Tick(9)]);
    assert_eq!(trace.slices().starts(), [Tick(0), Tick(3)]);
    let past = [step(AsyncPhase::Start, 0), step(AsyncPhase::StepPast, 3), step(AsyncPhase::Finish, 9)];
    assert_eq!(build(&past).slices().ends(), [Tick(9), Tick(3)]);
}

fn flow(phase: FlowPhase, bind: FlowBind, at: i64) -> Event<'static> {
    let id = Id::Number(1);
    Event::Flow(FlowEvent::new(phase, bind, MAIN, Tick(at), id, Text::plain(b"f")))
}

#[test]
fn arrows_keep_the_arguments_of_both_ends() {
    let with_args = |phase, at, args| {
        let name = Text::plain(b"f");
        let mut event = FlowEvent::new(phase, FlowBind::Enclosing, MAIN, Tick(at), Id::Number(1), name);
        event.args = args;
        Event::Flow(event)
    };
    let texts: [&[u8]; 3] = [b"start", b"step", b"end"];
    let [start, step, end] = texts.map(Args::text);
    let trace = build(&[
        complete("a", 0, 30),
        with_args(FlowPhase::Start, 5, start),
        with_args(FlowPhase::Step, 15, step),
        with_args(FlowPhase::End, 25, end),
    ]);
    let args: Vec<_> = trace.flows().iter().map(|flow| trace.flow_args(flow)).collect();
    assert_eq!(args, [(start, step), (step, end)]);
}

#[test]
fn pairing_6_flows_are_bound_to_the_enclosing_or_the_next_slice() {
    use {FlowBind::*, FlowPhase::*};
    let events = [
        complete("a", 0, 10),
        complete("b", 20, 10),
        complete("c", 40, 10),
        flow(Start, Enclosing, 5),
        flow(Step, Enclosing, 25),
        flow(End, Next, 35),
        flow(End, Next, 36),
        flow(Start, Enclosing, 15),
    ];
    let trace = build(&events);
    let arrows: Vec<_> = trace.flows().iter().map(|flow| (flow.from.0, flow.to.0)).collect();
    assert_eq!(arrows, [(0, 1), (1, 2)]);
    // The end comes before the slice that it is bound to.
    let times: Vec<_> = trace.flows().iter().map(|flow| (flow.leaves.0, flow.arrives.0)).collect();
    assert_eq!(times, [(5, 25), (25, 40)]);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedFlow), 1);
    assert_eq!(count(&trace, DiagnosticKind::UnboundFlow), 1);
}

#[test]
fn pairing_6_an_end_is_bound_to_the_outermost_slice_that_begins_with_it() {
    use {FlowBind::*, FlowPhase::*};
    let (from, inner, outer) = (complete("from", 0, 5), complete("inner", 10, 2), complete("outer", 10, 5));
    let (start, end) = (flow(Start, Enclosing, 1), flow(End, Next, 10));
    for events in [[from, start, end, inner, outer], [from, inner, outer, start, end]] {
        let trace = build(&events);
        let bound: Vec<_> = trace.flows().iter().map(|flow| trace.slice(flow.to).unwrap().name).collect();
        assert_eq!(bound.iter().map(|&name| trace.name(name)).collect::<Vec<_>>(), ["outer"]);
    }
}

#[test]
fn pairing_6_one_producer_may_have_many_consumers() {
    let events = [
        complete("a", 0, 1),
        flow(FlowPhase::Start, FlowBind::Slice, 0),
        complete("b", 5, 1),
        flow(FlowPhase::End, FlowBind::Slice, 5),
        complete("c", 9, 1),
        flow(FlowPhase::End, FlowBind::Slice, 9),
    ];
    let trace = build(&events);
    let arrows: Vec<_> = trace.flows().iter().map(|flow| (flow.from.0, flow.to.0)).collect();
    assert_eq!(arrows, [(0, 1), (0, 2)]);
    let times: Vec<_> = trace.flows().iter().map(|flow| (flow.leaves.0, flow.arrives.0)).collect();
    assert_eq!(times, [(1, 5), (1, 9)]);
    assert!(trace.diagnostics().is_empty());
}

#[test]
fn pairing_6_an_arrow_leaves_a_slice_that_goes_on_when_it_arrives() {
    let events = [
        complete("a", 0, 20),
        flow(FlowPhase::Start, FlowBind::Slice, 0),
        complete("b", 5, 1),
        flow(FlowPhase::End, FlowBind::Slice, 5),
    ];
    let trace = build(&events);
    assert_eq!(
        trace.flows().iter().map(|flow| (flow.leaves.0, flow.arrives.0)).collect::<Vec<_>>(),
        [(5, 5)]
    );
}

/// A flow stays open until its end, also behind a step. A start before that is a second start.
#[test]
fn pairing_6_a_start_before_the_end_is_a_second_one() {
    use {FlowBind::Enclosing, FlowPhase::*};
    let slices = [complete("a", 0, 9), complete("b", 10, 9), complete("c", 20, 9), complete("d", 30, 9)];
    let arrows = |phases: [FlowPhase; 4]| {
        let ends = (5..).step_by(10).zip(phases).map(|(at, phase)| flow(phase, Enclosing, at));
        let events: Vec<_> = slices.into_iter().chain(ends).collect();
        let trace = build(&events);
        let arrows: Vec<_> = trace.flows().iter().map(|flow| (flow.from.0, flow.to.0)).collect();
        (arrows, count(&trace, DiagnosticKind::DuplicateFlow))
    };
    assert_eq!(arrows([Start, Step, Start, End]), (vec![(0, 1), (2, 3)], 1));
    assert_eq!(arrows([Start, End, Start, End]), (vec![(0, 1), (2, 3)], 0));
}

/// Returns the arrows of flow events between slices of 10 µs at 0, 10, 20 … µs, as the starts of slices, and the
/// numbers of starts and of ends that were left out.
fn arrows(events: &[(FlowPhase, i64)]) -> (Vec<(i64, i64)>, [u64; 2]) {
    let slices = (0..100_i64).map(|number| complete("a", 10_000 * number, 10_000));
    let flows = events.iter().map(|&(phase, at)| flow(phase, FlowBind::Enclosing, 1000 * at));
    let trace = build(&slices.chain(flows).collect::<Vec<_>>());
    check_replay(&trace);
    let start = |id| trace.slice(id).unwrap().start.0 / 1000;
    let arrows = trace.flows().iter().map(|flow| (start(flow.from), start(flow.to))).collect();
    (arrows, [DiagnosticKind::UnfinishedFlow, DiagnosticKind::UnmatchedFlow].map(|kind| count(&trace, kind)))
}

/// Kineto lists the end of a flow on a graphics card before its start, at the same microsecond.
#[test]
fn pairing_6_at_one_time_the_start_of_a_flow_comes_first() {
    use FlowPhase::*;
    assert_eq!(arrows(&[(End, 15), (Start, 15)]), (vec![(10, 10)], [0, 0]));
    assert_eq!(arrows(&[(End, 15), (Step, 15), (Start, 15)]), (vec![(10, 10), (10, 10)], [0, 0]));
    assert_eq!(arrows(&[(Step, 15), (Start, 15), (End, 25)]), (vec![(10, 10), (10, 20)], [0, 0]));
    // A key is used again at the time at which it becomes free.
    let again = [(Start, 5), (End, 15), (Start, 15), (End, 25)];
    assert_eq!(arrows(&again), (vec![(0, 10), (10, 20)], [0, 0]));
    assert_eq!(arrows(&[(Start, 15), (End, 15), (Start, 15), (End, 15)]).1, [0, 0]);
}

/// The clock of a graphics card is not exactly that of the processor.
#[test]
fn pairing_6_an_end_a_little_before_its_start_is_an_arrow_back() {
    use FlowPhase::*;
    assert_eq!(arrows(&[(End, 28), (Start, 30)]), (vec![(30, 20)], [0, 0]));
    assert_eq!(arrows(&[(End, 20), (Start, 120)]), (vec![(120, 20)], [0, 0]));
    assert_eq!(arrows(&[(End, 20), (Start, 121)]), (vec![], [1, 1]));
    // A start with an end behind it needs none before it.
    assert_eq!(arrows(&[(End, 28), (Start, 30), (End, 45)]), (vec![(30, 40)], [0, 1]));
    // Where a key is used again, an end may be that of a start which the recording does not have.
    assert_eq!(arrows(&[(End, 27), (End, 28), (Start, 30)]), (vec![], [1, 2]));
    assert_eq!(arrows(&[(Start, 5), (End, 15), (End, 28), (Start, 30)]), (vec![(0, 10)], [1, 1]));
}

#[test]
fn pairing_6_without_a_time_no_end_comes_a_little_before_its_start() {
    let clock = Event::Clock(Clock::new(crate::Unit::EVENTS));
    let ends = [flow(FlowPhase::End, FlowBind::Enclosing, 5), flow(FlowPhase::Start, FlowBind::Enclosing, 6)];
    let trace = build(&[&[clock, complete("a", 0, 10)], &ends[..]].concat());
    assert_eq!((trace.flows().len(), count(&trace, DiagnosticKind::UnmatchedFlow)), (0, 1));
}

#[test]
fn objects_live_from_new_to_delete_and_ids_are_reused() {
    let step = |phase, at| Event::Object(phase, keyed("T", 16, at));
    let events = [
        step(ObjectPhase::New, 0),
        step(ObjectPhase::Snapshot, 5),
        step(ObjectPhase::Delete, 9),
        step(ObjectPhase::New, 9),
        step(ObjectPhase::Delete, 12),
        step(ObjectPhase::Delete, 13),
    ];
    let trace = build(&events);
    let lives: Vec<_> = trace.objects().iter().map(|object| (object.start, object.end)).collect();
    assert_eq!(lives, [(Some(Tick(0)), Some(Tick(9))), (Some(Tick(9)), Some(Tick(12)))]);
    assert_eq!(trace.objects()[0].snapshots(), 0..1);
    assert_eq!(count(&trace, DiagnosticKind::UnmatchedDelete), 1);
}

#[test]
fn json_1_objects_of_one_id_differ_by_process_if_it_is_local_and_by_scope() {
    let step = |phase, at, pid: i64, local, scope| {
        let event = KeyedEvent::new(pid, Tick(at), 16_i64, Text::plain(b"T"));
        let mut event = event.with_scope(Text::plain(scope));
        event.local = local;
        Event::Object(phase, event)
    };
    let lives = |local, scopes: [&'static [u8]; 2]| {
        let made = step(ObjectPhase::New, 0, 1, local, scopes[0]);
        let trace = build(&[made, step(ObjectPhase::Delete, 9, 2, local, scopes[1])]);
        let ends: Vec<_> = trace.objects().iter().map(|object| object.end).collect();
        (ends, count(&trace, DiagnosticKind::UnmatchedDelete))
    };
    assert_eq!(lives(false, [b"a", b"a"]), (vec![Some(Tick(9))], 0));
    assert_eq!(lives(true, [b"a", b"a"]), (vec![None], 1));
    assert_eq!(lives(false, [b"a", b"b"]), (vec![None], 1));
}

#[test]
fn instants_stand_on_the_track_of_their_scope() {
    let events =
        [Scope::Thread, Scope::Process, Scope::Global].map(|scope| Event::Instant(on_main("i", 1), scope));
    let trace = build(&events);
    let kinds: Vec<_> = trace.tracks().iter().map(|track| track.kind).collect();
    let thread = TrackKind::Thread { tid: crate::Key::Number(1) };
    assert_eq!(kinds, [TrackKind::Global, TrackKind::Process, thread]);
    assert!(trace.tracks().iter().all(|track| track.instants().len() == 1));
}

#[test]
fn limits_leave_out_and_count() {
    let limits = Limits { max_depth: 1, ..Limits::default() };
    let trace = build_with(&limits, &[begin("a", 0), begin("b", 1), end("b", 2), end("a", 3)]);
    assert_eq!(slices(&trace), ["a 0-3 0"]);
    assert_eq!(count(&trace, DiagnosticKind::DepthLimit), 2);

    let limits = Limits { max_slices: 1, ..Limits::default() };
    let trace = build_with(&limits, &[complete("a", 0, 1), complete("b", 1, 1)]);
    assert_eq!((trace.slices().len(), count(&trace, DiagnosticKind::SliceLimit)), (1, 1));

    let limits = Limits { max_tracks: 1, ..Limits::default() };
    let other = ThreadEvent::new(Thread::new(1_u32, 2_u32), Tick(0), Text::EMPTY);
    let trace = build_with(&limits, &[complete("a", 0, 1), Event::Complete(other, Ticks(1))]);
    assert_eq!((trace.slices().len(), count(&trace, DiagnosticKind::TrackLimit)), (1, 1));
}

#[test]
fn an_end_is_left_out_by_the_limit_that_left_out_its_begin() {
    let two = [begin("a", 0), begin("b", 1), end("b", 2), end("a", 3)];
    let check = |limits: &Limits, depth_and_slice_limit| {
        let trace = build_with(limits, &two);
        assert_eq!(slices(&trace), ["a 0-3 0"]);
        let counts = [DiagnosticKind::DepthLimit, DiagnosticKind::SliceLimit].map(|kind| count(&trace, kind));
        assert_eq!(counts, depth_and_slice_limit);
    };
    check(&Limits { max_slices: 1, ..Limits::default() }, [0, 2]);
    check(&Limits { max_depth: 1, ..Limits::default() }, [2, 0]);
    check(&Limits { max_depth: 1, max_slices: 1, ..Limits::default() }, [2, 0]);
}

/// In random begins and ends no event is lost: every begin is a slice, and every end closes one or is counted.
#[test]
fn no_begin_and_no_end_is_lost() {
    let mut random = spall_synth::Random(7);
    for _ in 0..2000 {
        let mut at = 0;
        let events: Vec<_> = (0..30)
            .map(|_| {
                at += random.below(4) - i64::from(random.one_in(8));
                let name = ["a", "b", "c", ""][random.below(4_usize)];
                if random.one_in(2) { begin(name, at) } else { end(name, at) }
            })
            .collect();
        let trace = build(&events);
        let is_begin = |event: &&Event<'_>| matches!(event, Event::Begin(_));
        let begins = events.iter().filter(is_begin).count();
        let ends = events.len() - begins;
        let unfinished = trace.slices().flags().iter().filter(|flags| flags.is_unfinished()).count();
        assert_eq!(trace.slices().len(), begins);
        assert_eq!(count(&trace, DiagnosticKind::UnfinishedSlice), unfinished as u64);
        assert_eq!(
            count(&trace, DiagnosticKind::UnmatchedEnd),
            (ends - (begins - unfinished)) as u64,
            "{events:?}"
        );
        let ordered =
            trace.slices().starts().iter().zip(trace.slices().ends()).all(|(start, end)| start <= end);
        assert!(ordered, "{events:?}");
    }
}

#[test]
fn a_flood_of_ends_and_a_tower_of_begins_cost_linear_time() {
    let events: Vec<_> = vec![end("x", 1); 200_000];
    assert_eq!(count(&build(&events), DiagnosticKind::UnmatchedEnd), 200_000);
    let tower: Vec<_> = (0..200_000).map(|at| begin("b", at)).collect();
    assert_eq!(build(&tower).slices().len(), 200_000);
    // Same time, closed from the bottom: each end looks past all that follow it.
    let mut queue: Vec<_> = ["a", "b"].repeat(50_000).into_iter().map(|name| begin(name, 0)).collect();
    queue.extend(["b", "a"].repeat(50_000).into_iter().map(|name| end(name, 0)));
    assert_eq!(build(&queue).slices().len(), 100_000);
}

#[test]
fn pairing_5_a_group_is_called_what_is_first_in_time() {
    let step = |phase, name: &'static str, at| {
        let event = KeyedEvent::new(1_i64, Tick(at), 7_i64, Text::plain(name.as_bytes()));
        Event::Async(phase, event.with_category(Text::plain(b"c")))
    };
    let name = |events: &[Event<'static>]| {
        let trace = build(events);
        trace.name(trace.tracks()[0].name).into_owned()
    };
    use AsyncPhase::{Begin, End, Instant};
    assert_eq!(name(&[step(Begin, "inner", 5), step(Begin, "outer", 1), step(Instant, "i", 0)]), "outer");
    assert_eq!(name(&[step(End, "unmatched", 0), step(Instant, "i", 1)]), "i");
    assert_eq!(name(&[step(End, "unmatched", 0), step(Begin, "", 1)]), "");
    assert_eq!(name(&[step(End, "unmatched", 0)]), "unmatched");
}

#[test]
fn pairing_6_an_open_slice_encloses_the_flows_that_follow() {
    let other = Thread { tid: Id::Number(2), ..MAIN };
    let on_other = |name: &'static [u8], at| ThreadEvent::new(other, Tick(at), Text::plain(name));
    let flow = |phase, thread, at| {
        let (id, name) = (Id::Number(1), Text::plain(b"f"));
        Event::Flow(FlowEvent::new(phase, FlowBind::Enclosing, thread, Tick(at), id, name))
    };
    let events = [
        begin("a", 0),
        flow(FlowPhase::Start, MAIN, 10),
        Event::Complete(on_other(b"k", 12), Ticks(4)),
        flow(FlowPhase::End, other, 13),
    ];
    let trace = check(&events, &["a 0-10? 0", "k 12-16 0"]);
    assert_eq!(trace.flows().len(), 1);
    assert_eq!(trace.flows()[0].leaves, Tick(10));
}

#[test]
fn pairing_5_a_number_names_a_step() {
    static STEP: crate::ArgsFormat = crate::ArgsFormat::new("step", |bytes, pos| {
        let number = bytes.get(*pos)?;
        *pos += 1;
        Some((Text::plain(b"step"), Value::I64(i64::from(*number))))
    });
    let mut step = keyed("span", 1, 2);
    step.args = Args::new(b"\x07", &STEP);
    let trace = build(&[
        Event::Async(AsyncPhase::Start, keyed("span", 1, 1)),
        Event::Async(AsyncPhase::StepInto, step),
        Event::Async(AsyncPhase::Finish, keyed("span", 1, 3)),
    ]);
    let names: Vec<_> = trace.slices().names().iter().map(|&name| trace.name(name)).collect();
    assert_eq!(names, ["span", "7"]);
}
