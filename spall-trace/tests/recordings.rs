//! Recordings of graphics calls, as flame graphs: marker groups, then functions. \[apitrace C.5\]
#![allow(clippy::unwrap_used, clippy::std_instead_of_alloc, reason = "a test, which fails by panicking")]

use std::collections::BTreeMap;

use spall_synth::apitrace::game;
use spall_trace::format::apitrace::{Calls, TickUnit, parse_all};
use spall_trace::model::{Limits, TraceBuilder, TrackId};

#[test]
fn c5_a_flame_graph_is_weighted_by_calls_or_by_bytes() {
    let stream = game(1000);
    let (mut calls, mut bytes) = (BTreeMap::new(), BTreeMap::new());
    let mut reader = Calls::new(&stream).unwrap();
    while let Some(call) = reader.next() {
        let call = call.unwrap();
        let name = String::from_utf8_lossy(call.function(reader.signatures()).name).into_owned();
        *calls.entry(name.clone()).or_default() += 1;
        *bytes.entry(name).or_default() += i64::try_from(call.leave.unwrap().end - call.enter.start).unwrap();
    }
    for (unit, expected) in [(TickUnit::Calls, calls), (TickUnit::Bytes, bytes)] {
        let mut builder = TraceBuilder::new(&Limits::default());
        for parsed in parse_all(&stream).with_tick_unit(unit) {
            let parsed = parsed.unwrap();
            builder.push(&parsed.event, parsed.bytes);
        }
        let trace = builder.finish();
        let tree = spall_trace::call_tree(&trace, TrackId(0));
        let mut found: BTreeMap<String, i64> = BTreeMap::new();
        let mut stacks = tree.tree.folded(&trace);
        while let Some((stack, own)) = stacks.next_stack() {
            // The time between calls, in which no function runs.
            if stack.is_empty() || stack == "pass" {
                continue;
            }
            let (group, function) = stack.rsplit_once(';').unwrap_or(("", stack));
            assert_eq!(group.is_empty(), function == "glXSwapBuffers", "{stack}");
            *found.entry(function.to_owned()).or_default() += own.0;
        }
        assert_eq!(found, expected, "{unit:?}");
    }
}
