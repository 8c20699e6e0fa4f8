//! Compares the self times of functions in `.cpuprofile` files with those that speedscope finds. [cpu 2]

use spall_model::TraceView;
use std::collections::HashMap;

use serde_json::Value;

use crate::cpu_common::{load, threads, tree};

/// The name and source of a function, and its line and column from 1 as speedscope shows them. They are 1 if unknown.
type Function = (String, String, u64, u64);

#[test]
fn cpu_2_self_times_are_those_of_speedscope_with_explained_exceptions() {
    let Some(folder) = spall_testdata::collection("chrome") else { return };
    let (mut n_equal, mut n_different) = (0, 0);
    for path in spall_testdata::files(&folder.join("ref/speedscope"), ".cpuprofile.json") {
        let file = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .replace("__", "/")
            .replace(".cpuprofile.json", ".cpuprofile");
        let Ok(data) = std::fs::read(folder.join(&file)) else { continue };
        let trace = load(&data);
        let (track, _) = threads(&trace).next().unwrap();
        let tree = tree(&trace, track);
        let mut own = HashMap::<Function, i64>::new();
        for node in tree.tree.nodes() {
            let Some(source) = node.function.source else { continue };
            let number = |number: Option<u32>| number.map_or(1, |number| u64::from(number) + 1);
            let function = (
                trace.name(node.function.name).into(),
                trace.name(source.url).into(),
                number(source.line),
                number(source.column),
            );
            *own.entry(function).or_default() += node.self_time.0 / 1000;
        }
        let profile = trace.profile_of(track).unwrap();
        let last = trace.samples_of(profile).last().unwrap();
        let held = (tree.range.clone().unwrap().end - last.at).0 / 1000;
        let reference: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        for function in reference["profiles"][0]["topSelf"].as_array().unwrap() {
            let text = |key: &str| function[key].as_str().unwrap_or_default().to_owned();
            let number = |key: &str| function[key].as_u64().unwrap_or(0);
            // Speedscope adds the place to functions without a name.
            let name = text("name");
            let name = if name.starts_with("(anonymous ") { "(anonymous)".to_owned() } else { name };
            let key = (name, text("file"), number("line").max(1), number("col").max(1));
            let (expected, found) = (function["self"].as_i64().unwrap(), own.get(&key).copied().unwrap_or(0));
            let difference = found - expected;
            if difference == 0 {
                n_equal += 1;
                continue;
            }
            // Speedscope gives the last sample no time, and counts a stack that could not be read as native code.
            let is_last = difference == held;
            let is_fixed = difference > 0 && tree.stats.fixed_missing > 0;
            assert!(is_last || is_fixed, "{file} {key:?}: {expected}, found {found}");
            n_different += 1;
        }
    }
    assert!(n_equal > 120 && n_different < 20, "{n_equal} {n_different}");
}
