//! What the end of a slice came from. \\[layout 23\\]

use spall_layout::{CameBy, Layout, PathPart, critical_path};
use spall_model::{
    ArgsBuilder, Event, FlowBind, FlowEvent, FlowPhase, Id, Limits, SliceId, Text, Thread, ThreadEvent, Tick,
    Ticks, Trace, TraceBuilder, TraceView, Value,
};

/// Slices, each with its thread, name, start and end; and flows, each with the thread and the time of both ends.
fn trace(slices: &[(i64, &str, i64, i64)], flows: &[[(i64, i64); 2]]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    add(&mut builder, slices, flows);
    builder.finish()
}

fn add(builder: &mut TraceBuilder, slices: &[(i64, &str, i64, i64)], flows: &[[(i64, i64); 2]]) {
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
}

/// The same with states of threads: each with its thread, start and the waker that it says.
fn woken(
    slices: &[(i64, &str, i64, i64)],
    flows: &[[(i64, i64); 2]],
    wakes: &[(i64, i64, Value<'_>)],
) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    add(&mut builder, slices, flows);
    for &(thread, at, waker) in wakes {
        wake(&mut builder, Thread::new(1_i64, thread), at, waker);
    }
    builder.finish()
}

fn wake(builder: &mut TraceBuilder, thread: Thread<'_>, at: i64, waker: Value<'_>) {
    let mut args = ArgsBuilder::new();
    args.add("waker", waker);
    let event = ThreadEvent::new(thread, Tick(at), Text::from("R"));
    builder.push(&Event::State(ThreadEvent { args: args.args(), ..event }, Ticks(1)));
}

fn path(trace: &Trace, slice: &str) -> Vec<(String, i64, i64)> {
    let slice = (0..).map(SliceId).find(|&id| trace.slice_name(id) == slice).unwrap();
    let path = critical_path(trace, &Layout::new(trace), slice);
    let name = |part: &PathPart| match part.slice {
        Some(slice) => trace.slice_name(slice).into_owned(),
        None => trace.track_title(part.track).into_owned(),
    };
    path.iter().map(|part| (name(part), part.start.0, part.end.0)).collect()
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

#[test]
fn layout_23_3_the_latest_wake_leads_to_what_the_waker_did() {
    let slices = [
        (1, "serve", 0, 40),
        (1, "send", 20, 30),
        (2, "ask", 0, 100),
        (2, "parse", 60, 80),
        (3, "timer", 0, 50),
        (4, "old", 0, 9),
    ];
    let by = Value::I64;
    let wakes = [(2, 10, by(3)), (2, 25, by(1)), (2, 50, Value::Null), (2, 55, by(2))];
    let found = woken(&slices, &[], &wakes);
    // Neither is the thread followed that woke itself, nor a state that says no waker.
    assert_eq!(path(&found, "parse"), [part("send", 0, 25), part("parse", 25, 80)]);
    let came_by = critical_path(&found, &Layout::new(&found), SliceId(3));
    assert!(matches!(came_by.last().unwrap().came_by, Some(CameBy::Wake(_))), "{came_by:?}");
    // A flow that arrives later leads on, and so does one at the same time.
    for arrives in [70, 25] {
        let found = woken(&slices, &[[(4, 5), (2, arrives)]], &wakes);
        assert_eq!(path(&found, "ask"), [part("old", 0, 5), part("ask", arrives, 100)]);
    }
    let found = woken(&slices, &[[(4, 5), (2, 24)]], &wakes);
    assert_eq!(path(&found, "ask"), [part("send", 0, 25), part("ask", 25, 100)]);
    // Two threads that woke each other at one time.
    let circle = woken(&slices, &[], &[(1, 5, by(2)), (2, 5, by(1))]);
    assert!(path(&circle, "ask").len() <= 3);
}

#[test]
fn layout_23_4_a_path_begins_with_a_thread_that_is_in_no_slice_or_unknown() {
    let slices = [(1, "early", 0, 10), (2, "ask", 0, 100)];
    let woken_by = |waker| woken(&slices, &[], &[(2, 25, waker)]);
    let idle = woken_by(Value::U64(1));
    assert_eq!(path(&idle, "ask"), [part("Thread 1", 25, 25), part("ask", 25, 100)]);
    let unknown = woken_by(Value::I64(77));
    assert_eq!(path(&unknown, "ask"), [part("ask", 25, 100)]);
    for no_id in [Value::from("1"), Value::F64(1.0), Value::Null] {
        assert_eq!(path(&woken_by(no_id), "ask"), [part("ask", 0, 100)], "{no_id}");
    }
    // A thread of the same process comes before one of another.
    let mut builder = TraceBuilder::new(&Limits::default());
    for (process, thread, name) in [(1_i64, 1_i64, "other"), (2, 1, "beside"), (2, 2, "ask"), (3, 3, "far")] {
        let event = ThreadEvent::new(Thread::new(process, thread), Tick(0), Text::from(name));
        builder.push(&Event::Complete(event, Ticks(100)));
    }
    for (process, thread) in [(2_i64, 2_i64), (3, 3)] {
        wake(&mut builder, Thread::new(process, thread), 50, Value::I64(1));
    }
    let trace = builder.finish();
    assert_eq!(path(&trace, "ask")[0], part("beside", 0, 50));
    assert_eq!(path(&trace, "far")[0], part("other", 0, 50));
}
