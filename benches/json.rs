//! Trace Event JSON: to events and to a trace, against JSON libraries that fill a struct.

#![cfg_attr(not(feature = "serde-json"), allow(unused, reason = "rivals are features"))]

use criterion::{Criterion, criterion_group, criterion_main};
use spall_benches::measure::bench;
use spall_benches::{input, ours, peer};

fn ours(criterion: &mut Criterion) {
    for input in &input::json() {
        bench(criterion, "spall-json/events", input, input.events, |data| {
            ours::events(spall_trace::json::JsonParser::new(), data)
        });
        bench(criterion, "spall/json-trace", input, input.slices, |data| {
            let trace = ours::trace(data);
            (trace.slices().len(), trace)
        });
    }
}

fn rivals(criterion: &mut Criterion) {
    for input in input::json().iter().filter(|input| input.records > 0) {
        #[cfg(feature = "serde-json")]
        bench(criterion, "serde_json/typed", input, input.records, |data| {
            let events = peer::json::serde_json::events(data);
            (events.len(), events)
        });
        #[cfg(feature = "sonic-rs")]
        bench(criterion, "sonic-rs/typed", input, input.records, |data| {
            let events = peer::json::sonic_rs::events(data);
            (events.len(), events)
        });
        // This library overwrites its input, so it needs a copy each time. Making the copy is part of using it.
        #[cfg(feature = "simd-json")]
        bench(criterion, "simd-json/typed", input, input.records, |data| {
            let mut copy = data.to_vec();
            (peer::json::simd_json::events(&mut copy).len(), copy)
        });
    }
}

criterion_group!(benches, ours, rivals);
criterion_main!(benches);
