//! Heph: to events, and to a trace.

use criterion::{Criterion, criterion_group, criterion_main};
use spall_benches::measure::bench;
use spall_benches::{input, ours};

fn heph(criterion: &mut Criterion) {
    for input in &input::heph() {
        bench(criterion, "spall-format/heph-events", input, input.events, |data| {
            ours::events(spall_trace::format::heph::Parser::new(), data)
        });
        bench(criterion, "spall/heph-trace", input, input.slices, |data| {
            let trace = ours::trace(data);
            (trace.slices().len(), trace)
        });
    }
}

criterion_group!(benches, heph);
criterion_main!(benches);
