//! Names that collide in a hash table do so for one seed only, and every table has a seed of its own.

#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "hashes are cut on purpose; test code outside of test functions"
)]

use core::hash::BuildHasher;
use std::collections::HashSet;

use foldhash::fast::{FixedState, RandomState};
use spall_trace::model::Limits;

/// The number of places of a table of [`NAMES`] names.
const PLACES: u64 = 2048;
const NAMES: usize = 1024;

fn place(state: &impl BuildHasher, name: &str) -> u64 {
    state.hash_one(name.as_bytes()) % PLACES
}

/// Returns names that all share a place in a table with the seed of `state`.
fn crafted(state: &impl BuildHasher) -> Vec<String> {
    (0..).map(|i| format!("{i:x}")).filter(|name| place(state, name) == 0).take(NAMES).collect()
}

fn distinct_places(state: &impl BuildHasher, names: &[String]) -> usize {
    names.iter().map(|name| place(state, name)).collect::<HashSet<_>>().len()
}

#[test]
fn names_crafted_for_one_seed_spread_under_another() {
    let names = crafted(&FixedState::default());
    assert_eq!(distinct_places(&FixedState::default(), &names), 1);
    for _ in 0..10 {
        // 1024 balls in 2048 boxes leave about 806 boxes with a ball.
        let places = distinct_places(&RandomState::default(), &names);
        assert!(places > 700, "{places} places");
    }
}

/// Checks that crafted names and ids are all in the trace. The seeds of the tables are checked where these are defined.
#[test]
fn crafted_names_and_ids_are_all_there() {
    let names = crafted(&FixedState::default());
    let event = |name: &String| format!(r#"{{"ph":"X","ts":1,"dur":1,"tid":"t{name}","name":"{name}"}}"#);
    let json = format!("[{}]", names.iter().map(event).collect::<Vec<_>>().join(","));
    let trace = spall_trace::load(json.as_bytes(), &Limits::default()).unwrap();
    // The empty name counts too.
    assert_eq!((trace.names().len(), trace.tracks().len()), (2 * NAMES + 1, NAMES));
}
