use alloc::{string::String, vec::Vec};

use super::*;
use crate::{Clock, Event, Limits, ProfileStart, Receiver, ThreadEvent, Trace, TraceView, TrackId};
use crate::{FrameTable, LineHitsEvent, Thread, Ticks};

/// A part without a head. The events of [`build`] that follow belong to it.
fn part(id: i64, tid: i64, at: i64) -> Event<'static> {
    let key = ProfileKey::Id(Id::Number(id));
    Event::Profile(ProfileEvent::new(ProfilePart::new(Thread::new(1_i64, tid), key, Tick(at))))
}

/// A part with a head of a rank.
fn head(id: i64, tid: i64, start: i64, rank: u8) -> Event<'static> {
    let Event::Profile(event) = part(id, tid, 0) else { unreachable!() };
    let begins = Some(ProfileStart::new(Tick(start), Ticks(10)));
    Event::Profile(ProfileEvent { begins, ..event }.with_rank(rank))
}

/// Stands for the part of the last profile.
const PART: ProfilePart<'static> =
    ProfilePart::new(Thread { pid: Id::Number(1), tid: Id::Number(1) }, ProfileKey::Number(9), Tick(0));

fn frame(id: i64, parent: FrameParent<'static>, name: &'static str) -> Event<'static> {
    Event::Frame(FrameEvent::new(PART, id, parent, Text::from(name)))
}

fn calls(caller: i64, callee: i64) -> Event<'static> {
    Event::FrameChild(PART.into(), Id::Number(caller), Id::Number(callee))
}

fn below(id: i64) -> FrameParent<'static> {
    FrameParent::Id(Id::Number(id))
}

fn sample(delta: i64, frame: i64) -> Event<'static> {
    let stack = SampleStack::Frame(Id::Number(frame));
    Event::Sample(SampleEvent::new(PART, SampleTime::After(Ticks(delta)), stack))
}

fn build(events: &[Event<'static>]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    builder.push(&Event::Clock(Clock::NANOSECONDS));
    let mut current = PART;
    // The position of an event is where it stands in the file.
    for (mut event, at) in events.iter().copied().zip(0..) {
        match &mut event {
            Event::Profile(ProfileEvent { profile: ProfileId::Own(part), .. }) => current = *part,
            Event::Frame(FrameEvent { table: FrameTable::Own(part), .. })
            | Event::LineHits(LineHitsEvent { table: FrameTable::Own(part), .. })
            | Event::FrameChild(FrameTable::Own(part), ..)
            | Event::Sample(SampleEvent { profile: ProfileId::Own(part), .. })
            | Event::CallSite(part, ..) => *part = current,
            _ => {}
        }
        builder.receive(&event, ByteRange::new(at, at + 1));
    }
    builder.finish()
}

/// Returns each frame with its callers, the innermost first.
fn stacks(trace: &Trace) -> Vec<String> {
    let stack = |frame: &Frame| {
        let mut text = trace.name(frame.name).into_owned();
        let mut at = frame.parent;
        while let Some(frame) = at.and_then(|frame| trace.frame(frame)) {
            text += "<";
            text += &trace.name(frame.name);
            at = frame.parent;
        }
        text
    };
    trace.frames().iter().map(stack).collect()
}

fn times(trace: &Trace) -> Vec<i64> {
    trace.samples().iter().map(|sample| sample.at.0).collect()
}

/// [cpu 1b.2, 1b.3]
#[test]
fn cpu_1b_parts_are_joined_in_the_order_of_time_wherever_their_head_is() {
    let trace = build(&[
        part(1, 9, 30),
        frame(2, below(1), "b"),
        sample(10, 2),
        part(1, 9, 20),
        frame(1, FrameParent::Unknown, "a"),
        sample(5, 1),
        head(1, 7, 100, 0),
    ]);
    assert_eq!(times(&trace), [105, 115]);
    assert_eq!(stacks(&trace), ["b<a", "a"]);
    assert!(trace.diagnostics().is_empty());
    assert_eq!(trace.tracks().len(), 1, "the thread is the head's");
    assert_eq!(trace.bounds(), Some(Tick(100)..Tick(125)), "the last sample holds for 10");
}

/// [cpu 2.3]
#[test]
fn cpu_2_deltas_keep_their_signs_and_samples_are_sorted() {
    let trace = build(&[
        head(1, 1, 100, 0),
        frame(1, FrameParent::Unknown, "a"),
        sample(50, 1),
        sample(-30, 1),
        sample(40, 1),
    ]);
    assert_eq!(times(&trace), [120, 150, 160]);
}

#[test]
fn cpu_4_the_first_frame_of_an_id_counts_and_parents_come_before_children() {
    let trace = build(&[
        head(1, 1, 0, 0),
        frame(1, FrameParent::Unknown, "a"),
        frame(2, below(1), "b"),
        frame(2, FrameParent::Unknown, "other"),
        frame(3, FrameParent::Unknown, "c"),
        calls(3, 2),
        calls(2, 3),
    ]);
    assert_eq!(stacks(&trace), ["a", "b<a", "c<b<a"]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::DuplicateFrame), 1);
}

#[test]
fn cpu_4_frames_without_a_caller_and_every_frame_of_a_cycle_are_roots() {
    let trace = build(&[
        head(1, 1, 0, 0),
        frame(1, below(99), "lost"),
        frame(2, below(3), "x"),
        frame(3, below(4), "y"),
        frame(4, below(2), "z"),
        frame(5, below(3), "hangs on it"),
        frame(6, below(6), "self"),
    ]);
    assert_eq!(stacks(&trace), ["lost", "x", "y", "z", "hangs on it<y", "self"]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::LostFrame), 5);
}

#[test]
fn depths_tell_callers() {
    let frames = [("a", 0), ("b", 1), ("c", 2), ("d", 1), ("e", 0)];
    let mut events = alloc::vec![head(1, 1, 0, 0)];
    events.extend(
        frames.iter().zip(1..).map(|(&(name, depth), id)| frame(id, FrameParent::Depth(depth), name)),
    );
    assert_eq!(stacks(&build(&events)), ["a", "b<a", "c<b<a", "d<a", "e"]);
}

/// [cpu 1b.7]
#[test]
fn cpu_1b_of_several_profiles_of_a_thread_that_of_the_lowest_rank_counts() {
    let trace = build(&[head(1, 1, 1, 2), head(2, 1, 2, 1), head(3, 1, 3, 1), head(4, 2, 4, 2)]);
    let starts: Vec<_> = trace.profiles().iter().map(|profile| profile.start.0).collect();
    assert_eq!(starts, [2, 3, 1, 4]);
    assert_eq!(trace.profile_of(TrackId(0)).unwrap().start, Tick(2));
    assert_eq!(trace.diagnostics().count(DiagnosticKind::SecondProfile), 2);
    let second: Vec<u64> = trace.diagnostics().kept().iter().map(|fault| fault.bytes.start).collect();
    assert_eq!(second, [2, 0]);
}

#[test]
fn cpu_1b_of_several_profiles_of_one_rank_the_one_that_begins_first_counts() {
    let trace = build(&[part(2, 9, 30), head(1, 1, 1, 2), head(2, 1, 2, 2), head(3, 1, 0, 2)]);
    let starts: Vec<_> = trace.profiles().iter().map(|profile| profile.start.0).collect();
    assert_eq!(starts, [0, 1, 2]);
}

#[test]
fn what_belongs_to_no_profile_is_counted() {
    let trace = build(&[sample(1, 1), part(1, 1, 0), sample(1, 1), frame(1, below(2), "a")]);
    assert!(trace.samples().is_empty() && trace.frames().is_empty());
    assert_eq!(trace.diagnostics().count(DiagnosticKind::ProfileWithoutHead), 2);
    let trace = build(&[head(1, 1, 0, 0), head(1, 1, 5, 0), sample(1, 1)]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::DuplicateProfile), 1);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnknownFrame), 1);
    assert_eq!(trace.samples()[0].frame(), None);
}

#[test]
fn cpu_1c_lines_are_found_by_their_frame() {
    let lines = |frame, line, hits| Event::LineHits(LineHitsEvent::new(PART, Id::Number(frame), line, hits));
    let trace = build(&[
        lines(1, 1, 1),
        head(1, 1, 0, 0),
        frame(1, FrameParent::Unknown, "a"),
        frame(2, FrameParent::Unknown, "b"),
        lines(2, 9, 5),
        lines(1, 8, 4),
        lines(3, 0, 1),
        head(2, 2, 0, 0),
        frame(1, FrameParent::Unknown, "c"),
        lines(1, 7, 2),
        part(1, 1, 1),
        lines(2, 3, 6),
    ]);
    let found = |frame| -> Vec<_> {
        trace.line_hits(FrameId(frame)).iter().map(|hits| (hits.line, hits.hits)).collect()
    };
    assert_eq!(
        [found(0), found(1), found(2), found(3)],
        [Vec::from([(8, 4)]), Vec::from([(3, 6), (9, 5)]), Vec::from([(7, 2)]), Vec::new()]
    );
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnknownFrame), 1);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::ProfileWithoutHead), 1);
}

#[test]
fn cpu_1b_call_sites_of_unknown_frames_are_counted() {
    let trace = build(&[
        head(1, 1, 0, 0),
        Event::CallSite(PART, 7, Id::Number(2)),
        Event::CallSite(PART, 8, Id::Number(1)),
        frame(1, FrameParent::Unknown, "a"),
    ]);
    let numbers: Vec<_> = trace.call_sites().iter().map(|site| site.number).collect();
    assert_eq!(numbers, [8]);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::UnknownFrame), 1);
}

#[test]
fn cpu_1b_lines_stay_with_their_samples_when_those_are_sorted() {
    let at_line = |delta, line| {
        let at = SampleTime::After(Ticks(delta));
        let stack = SampleStack::Frame(Id::Number(1));
        Event::Sample(SampleEvent { line, column: line, ..SampleEvent::new(PART, at, stack) })
    };
    let trace = build(&[
        head(1, 1, 0, 0),
        frame(1, FrameParent::Unknown, "a"),
        at_line(50, Some(7)),
        at_line(-30, None),
        part(1, 1, 1),
        at_line(40, Some(u32::MAX)),
        at_line(0, Some(0)),
    ]);
    let lines: Vec<_> = trace.samples().iter().map(|sample| (sample.at.0, sample.line())).collect();
    // The last of all lines is one too far.
    assert_eq!(lines, [(20, None), (50, Some(7)), (60, Some(u32::MAX - 1)), (60, Some(0))]);
    assert!(trace.samples().iter().all(|sample| sample.column() == sample.line()));
}

#[test]
fn events_of_different_profiles_and_tables_may_take_turns() {
    let shared = |id, parent, name| {
        let Event::Frame(frame) = frame(id, parent, name) else { unreachable!() };
        Event::Frame(FrameEvent { table: FrameTable::Shared, ..frame })
    };
    let thread = ProfileId::OfThread(Thread::new(1, 2), Text::EMPTY);
    let of_thread = |at| Event::Sample(SampleEvent::new(thread, Tick(at), SampleStack::Frame(Id::Number(1))));
    let other = ProfilePart::new(Thread::new(1, 3), ProfileKey::Number(7), Tick(0));
    let Event::Profile(other_head) = head(1, 3, 0, 0) else { unreachable!() };
    let trace = build(&[
        of_thread(9),
        head(1, 1, 0, 0),
        shared(2, below(1), "s"),
        frame(1, FrameParent::Unknown, "a"),
        of_thread(5),
        sample(1, 1),
        Event::Profile(ProfileEvent { profile: other.into(), ..other_head }),
        frame(1, FrameParent::Unknown, "b"),
        sample(3, 1),
        shared(1, FrameParent::Unknown, "t"),
        part(1, 1, 0),
        sample(1, 1),
    ]);
    assert!(trace.diagnostics().is_empty(), "{:?}", trace.diagnostics());
    let samples = |profile: &crate::Profile| -> Vec<_> {
        let samples = trace.samples_of(profile).iter();
        samples.map(|sample| (sample.at.0, sample.frame().unwrap().0)).collect()
    };
    let all: Vec<_> = trace.profiles().iter().map(samples).collect();
    assert_eq!(stacks(&trace), ["a", "b", "s<t", "t"]);
    assert_eq!(all, [[(1, 0), (2, 0)].to_vec(), [(5, 3), (9, 3)].to_vec(), [(3, 1)].to_vec()]);
    let shared: Vec<_> = trace.profiles().iter().map(crate::Profile::frames_are_shared).collect();
    assert_eq!(shared, [false, true, false]);
    assert_eq!(trace.shared_frame(Id::Number(2)), Some(FrameId(2)));
}

#[test]
fn ids_of_frames_may_be_any() {
    let ids = [5, i64::MAX, 63, 64, 1000, -1, 400, 0, 63, 1000];
    let mut events = Vec::from([head(1, 1, 0, 0), sample(1, 400), sample(1, 9_000)]);
    events.extend(ids.map(|id| frame(id, FrameParent::Unknown, "f")));
    // An id that was large for a table of few frames is small now.
    events.extend((2_000..2_400).map(|id| frame(id, below(id - 1), "g")));
    events.extend([1000, 1000, -1, 2_399].map(|id| frame(id, FrameParent::Unknown, "f")));
    events.extend(ids.map(|id| sample(1, id)));
    let trace = build(&events);
    let count = |kind| trace.diagnostics().count(kind);
    assert_eq!((count(DiagnosticKind::DuplicateFrame), count(DiagnosticKind::UnknownFrame)), (6, 1));
    assert_eq!(count(DiagnosticKind::LostFrame), 1, "the caller of the first of the row");
    let frames: Vec<_> = trace.samples().iter().map(|sample| sample.frame().map(|frame| frame.0)).collect();
    let known = [0, 1, 2, 3, 4, 5, 6, 7, 2, 4].map(Some);
    assert_eq!(frames, [&[Some(6), None], &known[..]].concat());
}

/// [samples 9]
#[test]
fn samples_7_the_last_sample_holds_until_the_end_or_for_the_mean_distance() {
    let samples_end = |end: Option<i64>, deltas: &[i64]| {
        let Event::Profile(head) = head(1, 1, 100, 0) else { unreachable!() };
        let mut events = alloc::vec![Event::Profile(ProfileEvent { end: end.map(Tick), ..head })];
        events.extend(deltas.iter().map(|&delta| sample(delta, 1)));
        let trace = build(&events);
        let samples_end = trace.profiles()[0].samples_end;
        assert!(trace.bounds().is_some_and(|bounds| bounds.end >= samples_end));
        samples_end.0
    };
    assert_eq!(samples_end(Some(200), &[10, 20]), 200);
    assert_eq!(samples_end(Some(130), &[10, 20]), 130, "a sample may be the end");
    assert_eq!(samples_end(Some(129), &[10, 20]), 150, "an end before the last sample is none");
    assert_eq!(samples_end(None, &[10, 20]), 150);
    assert_eq!(samples_end(None, &[10, 20, 31]), 161 + 20, "25, rounded down to the resolution of 10");
    assert_eq!(samples_end(None, &[10]), 110, "one sample has no distance");
    assert_eq!(samples_end(None, &[]), 100);
    assert_eq!(samples_end(Some(90), &[]), 100);
    assert_eq!(samples_end(None, &[0, i64::MAX]), i64::MAX);
}

#[test]
fn samples_10_an_end_by_another_clock_is_not_used() {
    let ends = |end: i64, deltas: &[i64]| {
        let Event::Profile(head) = head(1, 1, 100, 0) else { unreachable!() };
        let mut events = alloc::vec![Event::Profile(ProfileEvent { end: Some(Tick(end)), ..head })];
        events.extend(deltas.iter().map(|&delta| sample(delta, 1)));
        let trace = build(&events);
        let profile = &trace.profiles()[0];
        assert_eq!(trace.bounds().unwrap().end, profile.samples_end.max(profile.end.unwrap_or(Tick(0))));
        let n_told = trace.diagnostics().count(DiagnosticKind::BadProfileEnd);
        assert_eq!(n_told, u64::from(profile.end.is_none()));
        (profile.samples_end.0, n_told)
    };
    // The distances are 10, 40 and 40.
    assert_eq!(ends(470_030_276_922, &[10, 40, 40]), (190 + 40, 1));
    assert_eq!(ends(i64::MAX, &[10]), (110 + 10, 1));
    assert_eq!(ends(190 + 100 * 40, &[10, 40, 40]), (4_190, 0), "the thread may have slept");
    assert_eq!(ends(190 + 101 * 40, &[10, 40, 40]), (230, 1));
    let long: Vec<_> = core::iter::repeat_n(1, 1_000).collect();
    assert_eq!(ends(1_100 + 1_000, &long), (2_100, 0), "no longer than the profile before");
    assert_eq!(ends(1_100 + 1_001, &long), (1_101, 1));
    assert_eq!(ends(5_000, &[0, 0]), (5_000, 0), "no distance is known");
    assert_eq!(ends(5_000, &[]), (5_000, 0));
}

#[test]
fn samples_7_an_unfinished_slice_lasts_until_the_last_sample_is_over() {
    let thread = Thread::new(1_i64, 1_i64);
    let open = Event::Begin(ThreadEvent::new(thread, Tick(100), Text::plain(b"open")));
    let trace = build(&[open, head(1, 1, 100, 0), sample(10, 1), sample(20, 1)]);
    assert_eq!((trace.slices().ends(), trace.bounds()), (&[Tick(150)][..], Some(Tick(100)..Tick(150))));
    let profile = ProfileId::OfThread(thread, Text::EMPTY);
    let named = |at| Event::Sample(SampleEvent::new(profile, Tick(at), SampleStack::Unknown));
    let trace = build(&[open, named(110), named(117)]);
    assert_eq!((trace.slices().ends(), trace.bounds()), (&[Tick(124)][..], Some(Tick(100)..Tick(124))));
}
