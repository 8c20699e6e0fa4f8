//! Spans that say their parents, which no text format of the tests has: a span is four numbers here.

use core::hint::black_box;

use spall_trace::{
    export,
    json::V8,
    layout::{Layout, LayoutView, Stats, slice_tree},
    model::{
        AsyncPhase, Event, Function, Id, Job, KeyedEvent, Limits, Measure, Text, Tick, Trace, TraceBuilder,
        TraceView, TrackSet,
    },
    samples::call_trees,
};

use crate::check_work;

/// A time behind all others.
const FAR: i64 = 1 << 40;

/// A span: its id, that of its parent, its start and its end.
type Span = [i64; 4];

fn spans(span: impl Fn(i64) -> Span) -> impl Fn(usize) -> Vec<u8> {
    move |parts| (0..parts as i64).flat_map(|number| span(number).map(i64::to_le_bytes)).flatten().collect()
}

fn trace_of(data: &[u8]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let numbers: Vec<i64> =
        data.chunks(8).map(|bytes| i64::from_le_bytes(bytes.try_into().unwrap())).collect();
    for span in numbers.chunks(4) {
        let (name, parent) = ([b'a' + span[0].rem_euclid(7).to_le_bytes()[0]], Id::Number(span[1]));
        for (phase, at) in [(AsyncPhase::Begin, span[2]), (AsyncPhase::End, span[3])] {
            let event = KeyedEvent::new(1, Tick(at), "trace", Text::plain(&name)).with_span(span[0]);
            builder.push(&Event::Async(phase, event.with_parent(parent)));
        }
    }
    builder.finish()
}

/// Does what a viewer does with a trace.
fn process(data: &[u8]) {
    let trace = trace_of(data);
    let layout = Layout::new(&trace);
    let range = Tick(1)..Tick(i64::MAX);
    black_box(Stats::new(&trace, &layout, trace.track_ids(), range.clone()).run());
    let function = |slice| trace.slice_name_id(slice).map(Function::named);
    for measure in [Measure::WallTime, Measure::ThreadTime] {
        black_box(slice_tree(&trace, &layout, trace.track_ids(), range.clone(), measure, function).run());
        call_trees(&trace, &V8, TrackSet::All, measure).for_each(|tree| _ = black_box(tree));
    }
    for slice in trace.slices().ids() {
        black_box((layout.parent(slice), layout.children(slice).len(), layout.self_time(slice)));
    }
    layout.visit(trace.slices().ids()).flatten().for_each(|visit| _ = black_box(visit.self_time()));
    drop(Layout::of_slices(&trace, |slice| slice.0 % 3 > 0));
    let some = trace.clone().with_slices(|old, track, slices| {
        old.slices_of(track)
            .filter(|(slice, _)| slice.0 % 3 > 0)
            .for_each(|(slice, _)| _ = slices.keep(slice));
    });
    assert!(some != trace);
    _ = export::json(&trace, std::io::sink()).unwrap();
    _ = export::speedscope(&trace, "", std::io::sink()).unwrap();
}

#[test]
fn spans_that_say_their_parents() {
    check_work("spans of one chain", &spans(|i| [i, i - 1, i, FAR - i]), process);
    check_work("spans of one chain, children first", &spans(|i| [-i, -i - 1, -i, FAR + i]), process);
    check_work(
        "spans of one chain that begin before their parents",
        &spans(|i| [i, i - 1, -i, FAR]),
        process,
    );
    check_work("spans of one chain beside one another", &spans(|i| [i, i - 1, i, FAR + i]), process);
    check_work("spans below one", &spans(|i| [i, 0, i, FAR - (i > 0) as i64 - 7 * i % 100]), process);
    check_work("spans without a parent", &spans(|i| [i, -1, i, FAR - i]), process);
    check_work("spans in circles of two", &spans(|i| [i, i ^ 1, i, FAR - i]), process);
    check_work("spans of one id", &spans(|i| [1, 1, i, i + 2]), process);
    // Each sticks out of the chain, whose innermost span is its parent.
    let sticks_out = |i: i64| match i % 2 {
        0 => [i, i - 2, i / 2, FAR - i],
        _ => [i, i - 1, FAR / 2 + i, 2 * FAR],
    };
    check_work("spans that stick out of all above them", &spans(sticks_out), process);
}

/// All of the second half have the last span of the first half as their parent, and are longer than all above it.
#[test]
fn spans_below_the_innermost_of_a_chain() {
    let input = |parts: usize| {
        let half = parts as i64 / 2;
        spans(move |i| if i < half { [i, i - 1, i, FAR - i] } else { [i, half - 1, 2 * half + i, 2 * FAR] })(
            parts,
        )
    };
    check_work("spans that stick out below a chain", &input, process);
    let input = |parts: usize| {
        let half = parts as i64 / 2;
        spans(move |i| if i < half { [i, i - 1, i, FAR - i] } else { [i, half - 1, 2 * half + i, FAR / 2] })(
            parts,
        )
    };
    check_work("spans beside one another below a chain", &input, process);
}
