//! Spall v3: to events against a loop that counts, to a trace against a loop that makes rows, and as it grows against
//! all of it at once.

use criterion::{Criterion, criterion_group, criterion_main};
use spall_benches::measure::bench;
use spall_benches::{input, ours, peer};
use spall_trace::model::TraceView;

fn events(criterion: &mut Criterion) {
    for input in &input::spall() {
        let expected = peer::spall::count(&input.data);
        bench(criterion, "spall-format/v3-events", input, input.records, |data| {
            let counts = ours::spall_counts(data);
            assert_eq!(counts, expected);
            (counts.events, ())
        });
        bench(criterion, "loop/v3-events", input, input.records, |data| {
            (peer::spall::count(data).events, ())
        });
    }
}

fn trace(criterion: &mut Criterion) {
    for input in &input::spall() {
        bench(criterion, "spall/v3-trace", input, input.slices, |data| {
            let trace = ours::trace(data);
            (trace.slices().len(), trace)
        });
        bench(criterion, "loop/v3-rows", input, input.slices, |data| {
            let rows = peer::spall::rows(data);
            (rows.rows.len(), rows)
        });
    }
}

fn live(criterion: &mut Criterion) {
    for input in &input::spall() {
        bench(criterion, "spall/v3-live", input, input.slices, |data| {
            let (mut trace, layout) = ours::live(data);
            (trace.commit().n_slices(), (trace, layout))
        });
        bench(criterion, "spall/v3-trace-and-layout", input, input.slices, |data| {
            let (trace, layout) = ours::copied_trace_and_layout(data);
            (trace.slices().len(), (trace, layout))
        });
    }
}

criterion_group!(benches, events, trace, live);
criterion_main!(benches);
