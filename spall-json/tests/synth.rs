//! Generated documents: valid, damaged, and hostile ones.

use crate::common;
use core::time::Duration;
use std::time::Instant;

use crate::common::{collect, collect_chunked};
use spall_json::JsonParser;
use spall_model::{Event, Parser as _};
use spall_synth::json::{Layout, attacks, calls, damaged, motley};

#[test]
fn every_layout_of_a_document_makes_the_same_events() {
    let events = |layout| {
        let json = calls(2000, 10, layout);
        let events = collect(json.as_bytes()).unwrap();
        events.iter().map(|(_, event)| common::brief_event(event, Default::default())).collect::<Vec<_>>()
    };
    let compact = events(Layout::Compact);
    assert_eq!(compact.len(), 4000);
    assert_eq!(compact.iter().filter(|event| event.starts_with("B ")).count(), 2000);
    for layout in Layout::ALL {
        assert_eq!(events(layout), compact);
    }
}

#[test]
fn prediction_changes_nothing_where_nothing_can_be_predicted() {
    for layout in Layout::ALL {
        common::assert_prediction_changes_nothing(motley(3000, layout).as_bytes(), "motley");
    }
}

#[test]
fn damage_is_read_the_same_on_both_paths_and_in_any_chunks() {
    for seed in 0..spall_testdata::sized(150) {
        for layout in Layout::ALL {
            let bytes = damaged(&motley(30, layout), 1 + usize::try_from(seed).unwrap() % 7, seed);
            let what = format!("{seed} {layout:?}");
            common::assert_prediction_changes_nothing(&bytes, &what);
            let whole = collect(&bytes);
            for size in [1, 7, 100] {
                common::assert_same(&whole, &collect_chunked(&bytes, size), &what);
            }
        }
    }
}

#[test]
fn a_damaged_byte_costs_few_events() {
    let json = calls(500, 10, Layout::Compact);
    for seed in 0..spall_testdata::sized(500) {
        let bytes = damaged(&json, 1, seed);
        // A first bracket or key that is gone makes it another document.
        if !bytes.starts_with(b"{\"traceEvents\":[") {
            continue;
        }
        let events = collect(&bytes).unwrap();
        let slices =
            events.iter().filter(|(_, event)| matches!(event, Event::Begin(_) | Event::End(_))).count();
        assert!(slices >= 998, "{seed}: {slices} of 1000");
    }
}

#[test]
fn no_document_takes_more_than_linear_time() {
    // A quadratic reader takes minutes for one of these.
    for (name, json) in attacks(spall_testdata::sized(300_000)) {
        let start = Instant::now();
        let _ = JsonParser::new().parse_all(json.as_bytes(), |_, _| {});
        let _ = collect_chunked(json.as_bytes(), 1000);
        assert!(start.elapsed() < Duration::from_secs(20), "{name} took {:?}", start.elapsed());
    }
}
