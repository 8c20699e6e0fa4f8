use alloc::{string::String, vec::Vec};

use super::*;
use crate::{
    Event, FlowBind, FlowEvent, FlowPhase, Id, Limits, NameId, Text, Thread, ThreadEvent, Ticks, TraceBuilder,
};

/// Two threads; a flow leads from `a` of the first to `c` of the second.
fn trace() -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for (tid, name, start, duration) in [(1_i64, "a", 0, 100), (1, "b", 10, 20), (2, "c", 50, 60)] {
        let event = ThreadEvent::new(Thread::new(1_i64, tid), Tick(start), Text::plain(name.as_bytes()));
        builder.push(&Event::Complete(event, Ticks(duration)));
    }
    for (tid, at, phase) in [(1_i64, 40, FlowPhase::Start), (2, 60, FlowPhase::End)] {
        let thread = Thread::new(1_i64, tid);
        let flow =
            FlowEvent::new(phase, FlowBind::Enclosing, thread, Tick(at), Id::Number(7), Text::plain(b"f"));
        builder.push(&Event::Flow(flow));
    }
    builder.finish()
}

fn names(trace: &Trace) -> Vec<String> {
    trace.slices().names().iter().map(|&name| trace.name(name).into_owned()).collect()
}

fn slice(start: i64, end: i64) -> Slice {
    let (start, end) = (Tick(start), Tick(end));
    Slice { start, end, name: NameId::EMPTY, category: NameId::EMPTY, flags: SliceFlags::NONE }
}

#[test]
fn flows_follow_their_slices_and_go_with_them() {
    let all = trace();
    assert_eq!((all.flows().len(), all.flows()[0].from, all.flows()[0].to), (1, SliceId(0), SliceId(2)));
    let without_b = all.clone().with_slices(|old, track, slices| {
        for (id, _) in old.slices_of(track).filter(|(id, _)| *id != SliceId(1)) {
            assert!(slices.keep(id));
        }
    });
    assert_eq!(names(&without_b), ["a", "c"]);
    assert_eq!((without_b.flows()[0].from, without_b.flows()[0].to), (SliceId(0), SliceId(1)));
    let without_c = all.with_slices(|_, track, slices| {
        if track == TrackId(0) {
            assert!(slices.keep(SliceId(0)) && !slices.keep(SliceId(9)));
        }
    });
    assert_eq!((names(&without_c), without_c.flows().len()), (alloc::vec!["a".into()], 0));
}

#[test]
fn slices_in_any_order_are_sorted_by_start() {
    let frame = crate::FrameId(3);
    let sorted = trace().with_slices(|_, track, slices| {
        if track == TrackId(0) {
            slices.keep(SliceId(1));
            slices.add(slice(200, 90), Some(Sampled { frame, hits: 5 }));
            slices.keep(SliceId(0));
            slices.add(slice(0, 4), Some(Sampled { frame, hits: 6 }));
        } else {
            slices.keep(SliceId(2));
        }
    });
    assert_eq!(names(&sorted), ["a", "", "b", "", "c"]);
    assert_eq!(sorted.slices().starts(), [0, 0, 10, 200, 50].map(Tick));
    assert_eq!(sorted.slices().ends()[3], Tick(200), "an end before the start");
    assert_eq!((sorted.flows()[0].from, sorted.flows()[0].to), (SliceId(0), SliceId(4)));
    let hits = (0..5).map(|id| sorted.sampled(SliceId(id)).map(|sampled| sampled.hits));
    assert_eq!(hits.collect::<Vec<_>>(), [None, Some(6), None, Some(5), None]);
    assert_eq!(sorted.bounds(), Some(Tick(0)..Tick(200)));
}

#[test]
fn missing_slices_are_reported_once() {
    let incomplete = trace().with_slices(|_, _, slices| slices.mark_incomplete());
    assert_eq!(incomplete.diagnostics().count(DiagnosticKind::SliceLimit), 1);
    assert!(incomplete.slices().is_empty());
}
