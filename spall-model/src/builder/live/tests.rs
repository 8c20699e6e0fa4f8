use alloc::{format, string::String, vec::Vec};

use spall_synth::Random;

use super::{tracks::FREE_MOVES, *};
use crate::{
    Args, AsyncPhase, CounterEvent, CounterValue, Id, KeyedEvent, Receiver, Scope, SliceArgs, SliceFlags,
    State, Text, Thread, Ticks, TraceView, TrackId, view::Sealed,
};

fn on(tid: i64, name: &'static str, at: i64) -> ThreadEvent<'static> {
    ThreadEvent::new(Thread::new(1_i64, tid), Tick(at), Text::plain(name.as_bytes()))
}

fn begin(name: &'static str, at: i64) -> Event<'static> {
    Event::Begin(on(1, name, at))
}

fn end(name: &'static str, at: i64) -> Event<'static> {
    Event::End(on(1, name, at))
}

fn complete(name: &'static str, at: i64, length: i64) -> Event<'static> {
    Event::Complete(on(1, name, at), Ticks(length))
}

/// A reader that only looks at new items.
#[derive(Default)]
struct Follower {
    slices: Vec<Vec<SliceId>>,
    counters: Vec<Vec<CounterValue>>,
    states: Vec<Vec<State>>,
    ended: Vec<SliceId>,
}

fn follow<T: Copy + PartialEq + core::fmt::Debug>(
    seen: &mut Vec<Vec<T>>,
    track: TrackId,
    all: &[T],
    new: core::ops::Range<usize>,
) {
    seen.resize(seen.len().max(track.index() + 1), Vec::new());
    let seen = &mut seen[track.index()];
    assert!(new.start <= seen.len() && new.end == all.len());
    seen.truncate(new.start);
    seen.extend_from_slice(&all[new]);
    assert_eq!(seen, all, "what is not new is as it was");
}

impl Follower {
    fn look(&mut self, view: &LiveSnapshot<'_>) {
        for &id in view.changed() {
            let track = view.track(id).unwrap();
            assert_eq!(track.id(), id);
            follow(&mut self.slices, id, track.slices(), track.new_slices());
            follow(&mut self.counters, id, view.counters_of(id), track.new_counters());
            follow(&mut self.states, id, view.states_of(id), track.new_states());
        }
        for (index, track) in view.tracks().enumerate() {
            assert_eq!(self.slices.get(index).map_or(&[][..], |seen| seen), track.slices());
        }
        for track in view.tracks().map(|track| track.id()) {
            for (position, instant) in view.instants_of(track).iter().enumerate() {
                let number = view.instant_number(track, position).unwrap();
                assert_eq!(view.instant(number), Some((track, *instant)));
            }
            for (position, state) in view.states_of(track).iter().enumerate() {
                let id = view.state_id(track, position).unwrap();
                assert_eq!(view.state(id), Some((track, *state)));
            }
        }
        for &slice in view.ended() {
            assert!(!view.slice(slice).unwrap().flags.is_unfinished() && !self.ended.contains(&slice));
            self.ended.push(slice);
        }
    }
}

/// Returns a slice as one line of text.
fn slice_line(slice: crate::Slice, name: &str, args: SliceArgs<'_>) -> String {
    let args: Vec<_> = [args.begin, args.end].iter().map(|args| args.bytes().to_vec()).collect();
    let flags = slice.flags.without(SliceFlags::UNNAMED_END);
    format!("{} {}..{} {flags:?} {args:?}", name, slice.start.0, slice.end.0)
}

/// Returns the tracks in display order with all their items, one line each.
fn lines_of(view: &impl TraceView) -> Vec<String> {
    let mut lines = Vec::new();
    for id in view.track_ids() {
        let track = view.track_info(id).unwrap();
        let pid = track.process.map(|id| view.process(id).unwrap().0);
        lines.push(format!(
            "{:?} {} {:?}",
            pid.map(|pid| view.key_text(pid)),
            view.name(track.name),
            core::mem::discriminant(&track.kind)
        ));
        for (id, slice) in view.slices_of(id) {
            lines.push(slice_line(slice, &view.name(slice.name), view.slice_args(id)));
        }
        let of = |at: Tick, name: crate::NameId, value: f64| format!("{} {} {value}", at.0, view.name(name));
        lines.extend(view.instants_of(id).iter().map(|i| of(i.at, i.name, 0.0)));
        lines.extend(view.counters_of(id).iter().map(|c| of(c.at, c.series, c.value)));
        lines.extend(view.states_of(id).iter().map(|s| of(s.start, s.name, 0.0)));
    }
    lines
}

/// Commits at random positions and checks that the last snapshot shows the content of the finished trace.
fn check(random: &mut Random, events: &[Event<'_>]) {
    let mut live = LiveTrace::new(&Limits::default());
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut follower = Follower::default();
    for event in events {
        builder.push(event);
        live.push(event);
        if random.below(8) == 0 {
            follower.look(&live.commit());
        }
    }
    let trace = builder.finish();
    let view = live.commit();
    follower.look(&view);
    assert_eq!(lines_of(&view), lines_of(&trace));
    assert_eq!(view.bounds(), trace.bounds());
    assert!(view.tracks().all(|track| track.n_waiting() == 0));
    assert!(view.pairing_faults().is_empty());
    assert_eq!(lines_of(&live.finish()), lines_of(&trace));
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn name(random: &mut Random) -> &'static str {
    NAMES[random.below(NAMES.len())]
}

/// Returns begins, ends and points of three threads in the order of time. If `open`, some begins have no end.
fn in_order(random: &mut Random, open: bool) -> Vec<Event<'static>> {
    let mut stacks: [Vec<&'static str>; 3] = Default::default();
    let (mut events, mut at) = (Vec::new(), 0);
    for _ in 0..random.below(300) {
        at += random.below(3);
        let tid = random.below(3_i64);
        let stack = &mut stacks[usize::try_from(tid).unwrap()];
        let name = name(random);
        let mut event = on(tid, name, at);
        if random.below(3) == 0 {
            event.args = Args::text(b"x y");
        }
        events.push(match random.below(12) {
            0 => Event::Instant(
                event,
                [Scope::Thread, Scope::Process, Scope::Global][usize::try_from(tid).unwrap()],
            ),
            1 => Event::State(event, Ticks(random.below(5))),
            2 => Event::ThreadName(event.thread, event.name),
            3 => Event::ProcessSortIndex(Id::Number(1), random.below(9)),
            4..=7 => {
                stack.push(name);
                Event::Begin(event)
            }
            _ => match stack.pop() {
                Some(name) => Event::End(ThreadEvent { name: Text::plain(name.as_bytes()), ..event }),
                None => continue,
            },
        });
    }
    for (stack, tid) in stacks.iter_mut().zip(0..).filter(|_| !open) {
        while let Some(name) = stack.pop() {
            events.push(Event::End(on(tid, name, at)));
        }
    }
    events
}

#[test]
fn what_is_committed_is_what_a_builder_makes_of_nested_begins_and_ends() {
    let mut random = Random(1);
    for round in 0..200 {
        let events = in_order(&mut random, round % 2 == 0);
        check(&mut random, &events);
    }
}

/// Returns nested slices, each before those inside it.
fn forest(random: &mut Random, start: i64, end: i64, depth: u32, out: &mut Vec<(i64, i64)>) {
    let mut at = start;
    while at < end {
        let from = at + random.below(4);
        at = (from + random.below(30)).min(end);
        if from <= at {
            out.push((from, at));
            if depth > 0 && random.below(3) > 0 {
                forest(random, from, at, depth - 1, out);
            }
        }
        at += random.below(2);
    }
}

#[test]
fn pairing_3_slices_stand_in_the_order_of_a_finished_trace_whenever_they_come() {
    let mut random = Random(2);
    for round in 0..200 {
        let mut slices = Vec::new();
        forest(&mut random, 0, 100, 5, &mut slices);
        match round % 4 {
            0 => {}
            // As writers do that write a slice when it ends.
            1 => slices.sort_by_key(|&(start, end)| (end, core::cmp::Reverse(start))),
            2 => slices.reverse(),
            _ => slices.sort_by_cached_key(|_| random.below(1000)),
        }
        let mut events = Vec::new();
        if round % 8 > 3 {
            events.push(Event::Conventions(crate::Conventions::default().with_children_first()));
        }
        events.extend(slices.iter().map(|&(start, end)| complete(name(&mut random), start, end - start)));
        check(&mut random, &events);
    }
}

#[test]
fn points_that_come_late_stand_where_they_belong() {
    let mut random = Random(3);
    for _ in 0..100 {
        let events: Vec<_> = (0..random.below(60))
            .map(|_| {
                let at = random.below(50);
                match random.below(3) {
                    0 => Event::Instant(on(1, name(&mut random), at), Scope::Thread),
                    1 => Event::State(on(2, name(&mut random), at), Ticks(3)),
                    _ => Event::Counter(CounterEvent {
                        pid: Id::Number(1),
                        at: Tick(at),
                        name: Text::plain(b"memory"),
                        id: None,
                        category: Text::EMPTY,
                        series: Args::text(b"17"),
                    }),
                }
            })
            .collect();
        check(&mut random, &events);
    }
}

/// Commits after each event and returns what the last snapshot shows of the only track.
fn last_view<R>(events: &[Event<'_>], look: impl FnOnce(&LiveSnapshot<'_>, &[crate::Slice]) -> R) -> R {
    let mut live = LiveTrace::new(&Limits::default());
    for (event, at) in events.iter().zip(0..) {
        live.receive(event, ByteRange::new(at, at + 1));
        live.commit();
    }
    let view = live.commit();
    assert!(view.changed().is_empty() && view.ended().is_empty(), "nothing is new");
    let track = view.tracks().next().unwrap();
    assert!(track.new_slices().is_empty());
    let slices: Vec<_> = track.slices().iter().map(|&id| view.slice(id).unwrap()).collect();
    look(&view, &slices)
}

#[test]
fn pairing_2_begins_and_ends_pair_plainly_and_faults_are_counted() {
    let events = [begin("a", 0), begin("b", 1), end("a", 2), end("b", 3), end("c", 4)];
    last_view(&events, |view, slices| {
        assert_eq!((slices[0].end, slices[1].end), (Tick(3), Tick(2)), "the most recent begin is closed");
        assert!(slices.iter().all(|slice| slice.flags.contains(SliceFlags::NAME_MISMATCH)));
        let faults = view.pairing_faults();
        assert_eq!(faults.count(DiagnosticKind::NameMismatch), 2);
        assert_eq!(faults.count(DiagnosticKind::UnmatchedEnd), 1);
        assert_eq!(faults.kept()[2].bytes, ByteRange::new(4, 5));
    });
    last_view(&[begin("a", 5), end("a", 3), begin("b", 4)], |view, slices| {
        assert_eq!((slices[0].start, slices[1].start), (Tick(4), Tick(5)), "by start");
        assert_eq!(slices[1].end, Tick(5));
        assert!(slices[1].flags.contains(SliceFlags::CLAMPED) && !slices[1].flags.is_paired());
        let faults = view.pairing_faults();
        assert_eq!(faults.count(DiagnosticKind::EndBeforeBegin), 1);
        assert_eq!(faults.count(DiagnosticKind::Unordered), 1);
    });
}

#[test]
fn what_has_no_end_lasts_as_long_as_its_track() {
    let events = [Event::Unfinished(on(1, "x", 1)), begin("a", 2), complete("b", 3, 4)];
    last_view(&events, |_, slices| {
        let ends: Vec<_> = slices.iter().map(|slice| (slice.end.0, slice.flags.is_unfinished())).collect();
        assert_eq!(ends, [(7, true), (7, true), (7, false)]);
    });
}

#[test]
fn what_only_a_finished_trace_shows_is_kept() {
    let span = |phase, at| {
        let name = Text::plain(b"load");
        Event::Async(phase, KeyedEvent::new(Id::Number(1), Tick(at), Id::Number(7), name))
    };
    let mut live = LiveTrace::new(&Limits::default());
    live.push(&span(AsyncPhase::Begin, 1));
    live.push(&span(AsyncPhase::End, 4));
    let view = live.commit();
    assert_eq!(view.n_slices(), 0);
    assert_eq!(live.finish().slices().ends(), [Tick(4)]);
}

#[test]
fn limits_hold_and_what_they_leave_out_is_counted() {
    let limits = Limits { max_slices: 3, max_depth: 2, max_tracks: 1, ..Limits::default() };
    let mut live = LiveTrace::new(&limits);
    let events = [
        begin("a", 0),
        begin("b", 1),
        begin("too deep", 2),
        end("too deep", 3),
        end("b", 4),
        Event::End(on(2, "another track", 5)),
        begin("c", 6),
        complete("too many", 7, 1),
    ];
    for event in &events {
        live.push(event);
    }
    let view = live.commit();
    assert_eq!((view.n_slices(), view.tracks().len()), (3, 1));
    let count = |kind| view.diagnostics().count(kind);
    assert_eq!(count(DiagnosticKind::DepthLimit), 2);
    assert_eq!(count(DiagnosticKind::TrackLimit), 1);
    assert_eq!(count(DiagnosticKind::SliceLimit), 1);
    assert_eq!(view.slice(SliceId(1)).unwrap().end, Tick(4));
    assert!(view.slice(SliceId(2)).unwrap().flags.is_unfinished());
}

/// Each slice contains all those before it and comes in a commit of its own, so that putting it in place moves them
/// all.
#[test]
fn late_slices_wait_where_to_move_all_others_would_take_too_long() {
    let n_slices = 20_000_u32;
    let mut live = LiveTrace::new(&Limits::default());
    let (mut n_moved, mut most_waiting) = (0, 0);
    for at in 0..i64::from(n_slices) {
        live.push(&complete("x", -at, 2 * at));
        let view = live.commit();
        let track = view.tracks().next().unwrap();
        n_moved += track.new_slices().len();
        assert_eq!(track.slices().len() + track.n_waiting(), view.n_slices());
        most_waiting = most_waiting.max(track.n_waiting());
    }
    assert!(most_waiting > 0);
    assert!(n_moved <= FREE_MOVES + MOVES_PER_EVENT * n_slices as usize, "{n_moved}");
    let trace = live.finish();
    assert_eq!(trace.slices().len(), n_slices as usize);
}

#[test]
fn names_and_places_of_tracks_are_as_of_now() {
    let mut live = LiveTrace::new(&Limits::default());
    let thread = |tid: i64| Thread::new(1_i64, tid);
    for tid in [5_i64, 4] {
        live.push(&Event::Begin(on(tid, "a", 0)));
    }
    assert_eq!(live.commit().track_ids().collect::<Vec<_>>(), [TrackId(1), TrackId(0)], "by id");
    live.push(&Event::ThreadName(thread(4), Text::plain(b"worker")));
    live.push(&Event::ProcessName(Id::Number(1), Text::plain(b"game")));
    live.push(&Event::ProcessLabels(Id::Number(1), Text::plain(b"x,y")));
    let view = live.commit();
    assert_eq!(view.track_ids().collect::<Vec<_>>(), [TrackId(0), TrackId(1)], "by name");
    assert_eq!(view.name(view.track_info(TrackId(1)).unwrap().name), "worker");
    let process = view.track_info(TrackId(0)).unwrap().process.unwrap();
    let (pid, name) = view.process(process).unwrap();
    assert_eq!((pid, view.name(name)), (crate::Key::Number(1), "game".into()));
    assert_eq!(view.track(TrackId(2)).map(|track| track.id()), None);
    assert_eq!(live.finish().processes()[0].labels.len(), 2);
}
