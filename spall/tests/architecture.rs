//! Dependencies point one way.

#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use std::process::Command;

use serde_json::Value as Json;

/// The names of the packages that a package of the workspace needs to be built and used.
fn needs(metadata: &Json, package: &str) -> Vec<String> {
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|found| found["name"] == package).unwrap();
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    let names =
        dependencies.filter(|dependency| dependency["kind"].is_null() && dependency["target"].is_null());
    names.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn dependencies_point_one_way() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version=1", "--manifest-path", manifest];
    let output = Command::new(cargo).args(arguments).output().unwrap();
    let metadata: Json = serde_json::from_slice(&output.stdout).unwrap();
    let allowed: [(&str, &[&str]); 5] = [
        ("spall-model", &[]),
        ("spall-format", &["spall-model"]),
        ("spall-json", &["spall-model"]),
        ("spall-layout", &["spall-model"]),
        ("spall", &["spall-format", "spall-json", "spall-layout", "spall-model"]),
    ];
    // What every library may use; anything else deserves a second look and a line here.
    let kept = [
        "brotli-decompressor",
        "foldhash",
        "hashbrown",
        "memchr",
        "miniz_oxide",
        "ruzstd",
        "serde",
        "smallvec",
        "thiserror",
        "zerocopy",
    ];
    for (package, ours) in allowed {
        for name in needs(&metadata, package) {
            assert!(ours.contains(&name.as_str()) || kept.contains(&name.as_str()), "{package} needs {name}");
        }
    }
    assert!(
        needs(&metadata, "spall-synth").is_empty(),
        "what writes test files shares no code with the readers"
    );
}
