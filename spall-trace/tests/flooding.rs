//! Names that collide in a hash table do so for one seed only, and every table has a seed of its own.

use core::hash::{BuildHasher, Hasher as _};
use core::time::Duration;
use std::collections::HashSet;
use std::time::Instant;

use foldhash::fast::{FixedState, RandomState};
use spall_synth::spall::File;
use spall_trace::model::TraceView;

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

/// Returns names that have one and the same hash under the fixed seed. A hash of 16 bytes is a product of two numbers, and
/// the first bytes of these names make the first number 0, so that the second one does not matter.
fn equal_hashes(n_names: u32) -> Vec<[u8; 16]> {
    const SEED: u64 = 0x082e_fa98_ec4e_6c89;
    let zero = SEED.rotate_right(16).to_ne_bytes();
    let name = |n| [&zero[..], format!("{n:08}").as_bytes()].concat().try_into().unwrap();
    (0..n_names).map(name).collect()
}

/// Returns how long it takes to load a trace of slices with these names.
fn time_to_load(names: &[[u8; 16]]) -> Duration {
    let mut file = File::new(3, 1.0).buffer(1, 1);
    for (name, when) in names.iter().zip(0..) {
        file = file.begin_v3(when, name, b"");
    }
    let data = file.finish();
    let load = || {
        let start = Instant::now();
        let trace = spall_trace::load(&data).unwrap();
        // The empty name counts too.
        assert_eq!(trace.names().len(), names.len() + 1);
        start.elapsed()
    };
    (0..3).map(|_| load()).min().unwrap()
}

#[test]
#[cfg_attr(not(target_pointer_width = "64"), ignore = "the names have one hash where words have 64 bits")]
fn names_with_one_hash_under_a_fixed_seed_load_as_fast_as_others() {
    let crafted = equal_hashes(8_000);
    let hash = |name: &[u8; 16]| {
        let mut state = FixedState::default().build_hasher();
        state.write(name);
        state.finish()
    };
    assert!(
        crafted.iter().all(|name| hash(name) == hash(&crafted[0])),
        "the names are those of another seed"
    );
    let mut ordinary = crafted.clone();
    ordinary.iter_mut().for_each(|name| name.rotate_left(8));
    let (crafted, ordinary) = (time_to_load(&crafted), time_to_load(&ordinary));
    assert!(crafted < 8 * ordinary, "{crafted:?} for names with one hash, {ordinary:?} for others");
}

/// Checks that crafted names and ids are all in the trace. The seeds of the tables are checked where these are defined.
#[test]
fn crafted_names_and_ids_are_all_there() {
    let names = crafted(&FixedState::default());
    let event = |name: &String| format!(r#"{{"ph":"X","ts":1,"dur":1,"tid":"t{name}","name":"{name}"}}"#);
    let json = format!("[{}]", names.iter().map(event).collect::<Vec<_>>().join(","));
    let trace = spall_trace::load(json.as_bytes()).unwrap();
    // The empty name counts too.
    assert_eq!((trace.names().len(), trace.tracks().len()), (2 * NAMES + 1, NAMES));
}
