//! What the end of a slice came from. \\[layout 23\\]

use spall_layout::{Layout, critical_path};
use spall_model::{
    Event, FlowBind, FlowEvent, FlowPhase, Id, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks,
    Trace, TraceBuilder, TraceView,
};

/// Slices, each with its thread, name, start and end; and flows, each with the thread and the time of both ends.
fn trace(slices: &[(i64, &str, i64, i64)], flows: &[[(i64, i64); 2]]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for &(thread, name, start, end) in slices {
        let event = ThreadEvent::new(Thread::new(1_i64, thread), Tick(start), Text::from(name));
        builder.push(&Event::Complete(event, Ticks(end - start)));
    }
    for (id, ends) in (0_i64..).zip(flows) {
        for (&(thread, at), phase) in ends.iter().zip([FlowPhase::Start, FlowPhase::End]) {
            let (thread, name) = (Thread::new(1_i64, thread), Text::from("flow"));
            let flow = FlowEvent::new(phase, FlowBind::Enclosing, thread, Tick(at), Id::Number(id), name);
            builder.push(&Event::Flow(flow));
        }
    }
    builder.finish()
}

fn path(trace: &Trace, slice: &str) -> Vec<(String, i64, i64)> {
    let slice = (0..).map(SliceId).find(|&id| trace.slice_name(id) == slice).unwrap();
    let path = critical_path(trace, &Layout::new(trace), slice);
    path.iter().map(|part| (trace.slice_name(part.slice).into(), part.start.0, part.end.0)).collect()
}

fn part(name: &str, start: i64, end: i64) -> (String, i64, i64) {
    (name.into(), start, end)
}

#[test]
fn layout_23_1_the_latest_flow_into_the_outermost_slice_leads_on() {
    let slices = [
        (1, "ask", 0, 10),
        (2, "old", 0, 5),
        (3, "outer", 20, 90),
        (3, "inner", 30, 80),
        (3, "wait", 40, 60),
    ];
    // One flow arrives early, one in a slice beside the path, and one after its end.
    let trace = trace(&slices, &[[(2, 3), (3, 22)], [(1, 7), (3, 45)], [(2, 4), (3, 85)]]);
    assert_eq!(path(&trace, "inner"), [part("ask", 0, 7), part("inner", 45, 80)]);
    assert_eq!(path(&trace, "outer"), [part("old", 0, 4), part("outer", 85, 90)]);
}

#[test]
fn layout_23_2_without_a_flow_the_path_begins_with_the_outermost_slice() {
    let slices = [(1, "a", 0, 10), (1, "b", 2, 4), (2, "c", 20, 30), (2, "d", 40, 50)];
    // What arrives in another slice of the thread is not what this one came from.
    let trace = trace(&slices, &[[(1, 3), (2, 22)]]);
    assert_eq!(path(&trace, "b"), [part("b", 0, 4)]);
    assert_eq!(path(&trace, "d"), [part("d", 40, 50)]);
    assert_eq!(critical_path(&trace, &Layout::new(&trace), SliceId(9)), []);
}

#[test]
fn layout_23_2_a_circle_and_a_flow_back_in_time_end() {
    let slices = [(1, "a", 0, 10), (2, "b", 0, 10)];
    let circle = trace(&slices, &[[(1, 5), (2, 5)], [(2, 5), (1, 5)]]);
    let found = path(&circle, "a");
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found.last(), Some(&part("a", 5, 10)));
    let back = trace(&slices, &[[(1, 8), (2, 3)]]);
    assert_eq!(path(&back, "b"), [part("b", 0, 10)]);
}

#[test]
fn a_long_path_is_found() {
    let slices: Vec<_> = (0..20_000).map(|at| (at % 7, "s", at * 10, at * 10 + 9)).collect();
    let flows: Vec<_> = (1..20_000).map(|at| [((at - 1) % 7, at * 10 - 3), (at % 7, at * 10 + 1)]).collect();
    let trace = trace(&slices, &flows);
    let all = (0..trace.n_slices()).map(SliceId::new);
    let latest = all.max_by_key(|&id| trace.slice(id).unwrap().start).unwrap();
    assert_eq!(critical_path(&trace, &Layout::new(&trace), latest).len(), 20_000);
}
