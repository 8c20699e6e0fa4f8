//! Runs every oracle over generated traces, over damaged ones, and over what a fuzzer once found.

use std::path::Path;

use spall_fuzz::{
    conservation, json_fast_vs_plain, json_vs_serde, layout_invariants, live, load, merge, pairing, parallel,
    rebuild, round_trip, samples, split_input, trees, view,
};
use spall_synth::{
    Random, apitrace, auto, costs, ftrace, heph, json_profiles, perf_script, perfetto, profiles, services,
    spall,
};

/// Small events of every phase, whole and damaged.
const JSON: &str = r#"{"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}},{"ph":"M","name":"thread_name","pid":1,"tid":"7","args":{"name":"t"}},
{"ph":"B","name":"a\u0041","cat":"x,y","pid":1,"tid":7,"ts":1.0005,"args":{"k":[1,{"m":null},-2.5e3,"\ud83d\ude00"]}},
{"ph":"X","name":"b","pid":1,"tid":7,"ts":"2","dur":3,"tts":1,"cname":"good"},{"ph":"E","name":"other","pid":1,"tid":7,"ts":9,"args":{"k":2}},
{"ph":"X","name":"c","pid":1,"tid":7,"ts":4,"dur":30},{"ph":"X","name":"open","pid":1,"tid":7,"ts":5},
{"ph":"i","name":"now","pid":1,"tid":7,"ts":5,"s":"p"},{"ph":"C","name":"mem","pid":1,"ts":6,"id":3,"args":{"rss":1.5,"heap":"2"}},
{"ph":"b","cat":"c","id":"0x1","name":"s","pid":1,"tid":7,"ts":1},{"ph":"n","cat":"c","id":"0x1","name":"s","pid":1,"ts":2},
{"ph":"e","cat":"c","id":"0x1","name":"s","pid":1,"ts":3},{"ph":"S","id":1,"name":"o","pid":1,"ts":1},{"ph":"T","id":1,"name":"o","pid":1,"ts":2,"args":{"step":"z"}},
{"ph":"F","id":1,"name":"o","pid":1,"ts":3},{"ph":"s","id":1,"name":"f","pid":1,"tid":7,"ts":3},{"ph":"f","id":1,"name":"f","bp":"e","pid":1,"tid":7,"ts":4},
{"ph":"N","id":"0x2","name":"T","pid":1,"ts":1},{"ph":"O","id":"0x2","name":"T","pid":1,"ts":2,"args":{"snapshot":{}}},{"ph":"D","id":"0x2","name":"T","pid":1,"ts":3},
{"ph":"X","name":"v2","pid":2,"tid":0,"ts":1e3,"dur":1,"bind_id":"7","flow_out":true},{"ph":"X","name":"in","pid":2,"tid":0,"ts":1e4,"dur":1,"bind_id":"7","flow_in":true},
{"ph":"P","name":"cycles","pid":1,"tid":7,"ts":8,"sf":2},{"ph":"P","pid":1,"tid":7,"ts":9,"stack":["main","f"]}
],"stackFrames":{"2":{"name":"g","parent":1},"1":{"name":"main","category":"c"}},"samples":[{"tid":7,"ts":5,"sf":1,"weight":"2"}],
"otherData":{"version":"1"}}"#;

/// Whole traces of every format, or the files of the folder that the variable `FUZZ_SEEDS` names.
fn seeds() -> Vec<Vec<u8>> {
    if let Some(folder) = std::env::var_os("FUZZ_SEEDS") {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        return paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    }
    let mut seeds = vec![
        Vec::new(),
        JSON.into(),
        JSON.replace('\n', "").into(),
        heph::trace(20, 3, 4, true),
        auto::sample(),
        apitrace::snappy(&apitrace::game(12), 300),
        apitrace::game(3),
        perfetto::trace(12),
        perf_script::recording(2),
        ftrace::recording(3),
        profiles::folded(20).into(),
        profiles::pprof(5),
        json_profiles::firefox(32),
        services::otlp_json(9),
        services::otlp(9),
        services::jaeger(9),
        services::zipkin(9),
        costs::callgrind(6),
        costs::xdebug(9),
        costs::dhat(5),
        costs::heap_profile(9),
    ];
    for version in [0, 1, 3] {
        let shape = spall::Shape { version, slices: 30, threads: 3, ..spall::Shape::default() };
        seeds.push(spall::trace(&shape));
    }
    seeds.extend(json_profiles::attacks(8).into_iter().map(|(_, bytes)| bytes));
    seeds.extend(spall::attacks().into_iter().map(|(_, bytes)| bytes).filter(|bytes| bytes.len() < 4096));
    seeds
}

/// Bytes to make something of.
fn noise(random: &mut Random) -> Vec<u8> {
    let length = 100 + random.below(3000);
    (0..length).map(|_| u8::try_from(random.below(256)).unwrap()).collect()
}

/// Bytes flipped, cut out, doubled, or taken from another seed.
fn damage(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let (a, b) = (random.below(bytes.len()), random.below(bytes.len()));
        let range = a.min(b)..a.max(b);
        match random.below(4) {
            0 if !bytes.is_empty() => bytes[a] ^= 1 << random.below(8),
            1 => drop(bytes.drain(range)),
            2 => {
                let part = bytes[range].to_vec();
                bytes.splice(a..a, part);
            }
            _ => {
                let other = &seeds[random.below(seeds.len())];
                let part = other[random.below(other.len())..].iter().copied().take(64);
                bytes.splice(a..a, part.collect::<Vec<_>>());
            }
        }
    }
    bytes
}

/// Runs an oracle; a failing input is kept.
fn judge(name: &str, oracle: fn(&[u8]) -> bool, bytes: &[u8]) -> bool {
    std::panic::catch_unwind(|| oracle(bytes)).unwrap_or_else(|panic| {
        // Other tests have folders of these names.
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.input"));
        std::fs::write(&path, bytes).unwrap();
        println!("the input is in {}", path.display());
        std::panic::resume_unwind(panic);
    })
}

/// `FUZZ_ROUNDS=1000000 cargo test --release -p spall-fuzz` looks longer.
fn rounds(default: usize) -> usize {
    std::env::var("FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}

/// Replays the inputs that a fuzzer once found for an oracle.
fn replay(name: &str, oracle: fn(&[u8]) -> bool) {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions").join(name);
    for entry in std::fs::read_dir(found).into_iter().flatten().flatten() {
        judge(name, oracle, &std::fs::read(entry.path()).unwrap());
    }
}

/// For oracles of files: whole and damaged traces, of which at least a third must be read.
fn over_files(name: &str, oracle: fn(&[u8]) -> bool) {
    let seeds = seeds();
    for seed in &seeds {
        judge(name, oracle, seed);
    }
    let (mut random, rounds) = (Random(1), rounds(400));
    let reached = (0..rounds).filter(|_| judge(name, oracle, &damage(&mut random, &seeds))).count();
    assert!(reached > rounds / 3, "{reached} of {rounds} inputs got as far as the assertions");
    replay(name, oracle);
}

/// For oracles that make their input of random bytes: at least three quarters must come to something.
fn over_noise(name: &str, oracle: fn(&[u8]) -> bool) {
    let (mut random, rounds) = (Random(2), rounds(400));
    let reached = (0..rounds).filter(|_| judge(name, oracle, &noise(&mut random))).count();
    assert!(reached > rounds * 3 / 4, "{reached} of {rounds} inputs got as far as the assertions");
    replay(name, oracle);
}

#[test]
fn load_holds_on_whole_and_damaged_traces() {
    over_files("load", load::run);
}

#[test]
fn split_input_holds_on_whole_and_damaged_traces() {
    over_files("split_input", split_input::run);
}

#[test]
fn parallel_holds_on_whole_and_damaged_traces() {
    over_files("parallel", parallel::run);
}

#[test]
fn conservation_holds_for_random_events() {
    over_noise("conservation", conservation::run);
}

#[test]
fn json_fast_vs_plain_holds_on_whole_and_damaged_traces() {
    over_files("json_fast_vs_plain", json_fast_vs_plain::run);
}

#[test]
fn json_vs_serde_holds_for_random_values() {
    over_noise("json_vs_serde", json_vs_serde::run);
}

#[test]
fn merge_holds_for_random_traces() {
    over_noise("merge", merge::run);
}

#[test]
fn pairing_holds_for_random_begins_and_ends() {
    over_noise("pairing", pairing::run);
}

#[test]
fn rebuild_holds_for_random_events() {
    over_noise("rebuild", rebuild::run);
}

#[test]
fn round_trip_holds_for_random_events() {
    over_noise("round_trip", round_trip::run);
}

#[test]
fn layout_invariants_hold_for_random_traces() {
    over_noise("layout_invariants", layout_invariants::run);
}

#[test]
fn live_holds_for_random_events() {
    over_noise("live", live::run);
}

#[test]
fn samples_hold_for_random_profiles() {
    over_noise("samples", samples::run);
}

#[test]
fn trees_hold_for_random_traces() {
    over_noise("trees", trees::run);
}

#[test]
fn view_holds_for_random_traces_and_arguments() {
    over_noise("view", view::run);
}
