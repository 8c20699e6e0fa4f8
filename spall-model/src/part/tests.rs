use alloc::{format, string::String, vec::Vec};

use crate::{
    ArgsBuilder, CounterEvent, Event, FlowBind, FlowEvent, FlowPhase, Id, Limits, Scope, Text, Thread,
    ThreadCount, ThreadEvent, ThreadMeasure, Tick, Ticks, Trace, TraceBuilder, TraceView,
};

const ALL: core::ops::Range<Tick> = Tick::MIN..Tick::MAX;

fn event(tid: i64, at: i64, name: &'static str) -> ThreadEvent<'static> {
    ThreadEvent::new(Thread::new(1, tid), Tick(at), Text::from(name))
}

/// Two threads: `load` 0 to 90 with `read` 20 to 50 inside, and `draw` 40 to 60 with a flow from `read` at 45 to `draw` at 55.
fn trace() -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut counted = ArgsBuilder::new();
    counted.add("file", "a").add_thread_count(ThreadMeasure::Time, ThreadCount { at: None, during: Some(9) });
    let load = ThreadEvent { args: counted.args(), ..event(1, 0, "load") };
    builder.push(&Event::Complete(load, Ticks(90)));
    builder.push(&Event::Complete(event(1, 20, "read"), Ticks(30)));
    builder.push(&Event::Complete(event(2, 40, "draw"), Ticks(20)));
    for (phase, tid, at) in [(FlowPhase::Start, 1, 45), (FlowPhase::End, 2, 55)] {
        let thread = Thread::new(1, tid);
        let flow =
            FlowEvent::new(phase, FlowBind::Enclosing, thread, Tick(at), Id::Number(7), Text::from("f"));
        builder.push(&Event::Flow(flow));
    }
    builder.finish()
}

fn slices(trace: &Trace) -> Vec<String> {
    let of_track = |track| {
        let title = trace.track_title(track);
        trace.slices_of(track).map(move |(_, slice)| {
            format!("{title}: {} {}..{}", trace.name(slice.name), slice.start.0, slice.end.0)
        })
    };
    trace.track_ids().flat_map(of_track).collect()
}

/// [tree 8]
#[test]
fn tree_8_a_slice_counts_with_its_part_inside() {
    let part = trace().part(Tick(30)..Tick(55), |_| true, |_, _| true);
    let expected = ["Thread 1: load 30..55", "Thread 1: read 30..50", "Thread 2: draw 40..55"];
    assert_eq!(slices(&part), expected);
    assert_eq!(part.bounds(), Some(Tick(30)..Tick(55)));
    let args = part.slice_args(crate::SliceId(0));
    assert_eq!((args.thread_measure(ThreadMeasure::Time), format!("{args}")), (None, "file=a".into()));
    // The flow arrives at the end of the range, which is not in it.
    assert_eq!(
        (part.flows().len(), trace().part(Tick(30)..Tick(56), |_| true, |_, _| true).flows().len()),
        (0, 1)
    );
}

/// [tree 8]
#[test]
fn tree_8_all_of_a_trace_is_the_trace() {
    let (all, part) = (trace(), trace().part(ALL, |_| true, |_, _| true));
    assert_eq!((slices(&part), part.flows(), part.bounds()), (slices(&all), all.flows(), all.bounds()));
    let args = part.slice_args(crate::SliceId(0));
    assert_eq!(args.thread_measure(ThreadMeasure::Time), Some(9));
}

/// [tree 8]
#[test]
fn tree_8_a_part_of_a_part_is_the_part_of_both() {
    for (a, b) in [(10..50, 30..70), (0..90, 20..21), (45..46, 0..90)] {
        let [a, b] = [a, b].map(|range| Tick(range.start)..Tick(range.end));
        let both = a.start.max(b.start)..a.end.min(b.end);
        let part = |trace: Trace, range| trace.part(range, |_| true, |_, _| true);
        let (twice, once) = (part(part(trace(), a), b), part(trace(), both));
        assert_eq!(
            (slices(&twice), twice.flows(), twice.bounds()),
            (slices(&once), once.flows(), once.bounds())
        );
    }
}

/// [tree 8]
#[test]
fn tree_8_other_tracks_and_names_are_not_there() {
    let all = trace();
    let second = all.tracks()[1].id;
    let part = trace().part(ALL, |track| track == second, |_, _| true);
    assert_eq!(slices(&part), ["Thread 2: draw 40..60"]);
    assert_eq!((part.tracks().len(), part.tracks_of(part.processes()[0].id).len()), (1, 1));
    assert!(part.flows().is_empty());
    let load = all.names().find(b"load").unwrap();
    let part = trace().part(ALL, |_| true, |name, _| name != load);
    assert_eq!(slices(&part), ["Thread 1: read 20..50", "Thread 2: draw 40..60"]);
}

/// [tree 8]
#[test]
fn tree_8_a_counter_has_its_value_when_the_range_begins() {
    let mut builder = TraceBuilder::new(&Limits::default());
    for (at, value) in [(0, 1.0), (10, 2.0), (20, 3.0), (40, 4.0)] {
        let mut series = ArgsBuilder::new();
        series.add("rss", value);
        builder.push(&Event::Counter(CounterEvent::new(1, Tick(at), Text::from("mem"), series.args())));
    }
    builder.push(&Event::Instant(event(1, 15, "now"), Scope::Thread));
    let part = builder.finish().part(Tick(15)..Tick(40), |_| true, |_, _| true);
    let values: Vec<_> = part.counters().iter().map(|value| (value.at.0, value.value)).collect();
    assert_eq!((values, part.instants().len()), (Vec::from([(15, 2.0), (20, 3.0)]), 1));
}
