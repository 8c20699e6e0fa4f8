//! Dependencies point one way, between crates and between files, and no table can be attacked from outside.

mod imports;

use std::{path::Path, process::Command};

use serde_json::Value as Json;
use spall_testdata::files;

/// The names of the packages that a package of the workspace needs to be built and used.
fn needs(metadata: &Json, package: &str) -> Vec<String> {
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|found| found["name"] == package).unwrap();
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    let names =
        dependencies.filter(|dependency| dependency["kind"].is_null() && dependency["target"].is_null());
    names.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect()
}

/// What cargo prints about the workspace.
fn cargo(arguments: &[&str]) -> Vec<u8> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let mut command = Command::new(cargo);
    command.args(arguments).args(["--offline", "--manifest-path", manifest]);
    command.output().unwrap().stdout
}

/// Every program that records compiles a recorder with default features, and pays for each package of it.
#[test]
fn a_recorder_is_few_packages() {
    let packages = |edges: &str| {
        let tree = ["tree", "-p", "spall-record", "-e", edges, "--prefix", "none", "--format", "{p}"];
        let tree = String::from_utf8(cargo(&tree)).unwrap();
        assert!(tree.contains("spall-format"), "{tree}");
        // A package that is there again has a star behind it.
        let packages: std::collections::BTreeSet<_> =
            tree.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect();
        packages
    };
    let in_program = packages("normal,build,no-proc-macro");
    assert!(in_program.len() <= 8, "{in_program:?}");
    let with_macros = packages("normal,build");
    assert!(with_macros.len() <= 15, "{with_macros:?}");
}

#[test]
fn dependencies_point_one_way() {
    let output = cargo(&["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Json = serde_json::from_slice(&output).unwrap();
    let allowed: [(&str, &[&str]); 12] = [
        ("spall-model", &[]),
        ("spall-format", &["spall-model"]),
        ("spall-json", &["spall-model"]),
        ("spall-layout", &["spall-model"]),
        ("spall-samples", &["spall-model"]),
        ("spall-trace", &["spall-format", "spall-json", "spall-layout", "spall-model", "spall-samples"]),
        (
            "spall-arrow",
            &[
                "spall-json",
                "spall-layout",
                "spall-model",
                "arrow-array",
                "arrow-buffer",
                "arrow-schema",
                "parquet",
            ],
        ),
        (
            "spall-record",
            &["spall-format", "spall-json", "spall-model", "quanta", "tracing-core", "tracing-subscriber"],
        ),
        ("spall-view", &["spall-trace", "regex-lite", "rmp", "rmp-serde"]),
        ("spall-terminal", &["spall-trace", "spall-view", "ratatui"]),
        ("spall-page", &["base64", "flate2"]),
        (
            "spall-cli",
            &[
                "spall-arrow",
                "spall-page",
                "spall-terminal",
                "spall-trace",
                "spall-view",
                "async-trait",
                "clap",
                "clap_complete",
                "ctrlc",
                "datafusion",
                "flate2",
                "futures",
                "getrandom",
                "glob",
                "http-body-util",
                "hyper",
                "hyper-util",
                "indicatif",
                "terminal_size",
                "tokio",
            ],
        ),
    ];
    // The packages that libraries may use. Any other deserves a second look and a line here.
    let kept = [
        "brotli-decompressor",
        "foldhash",
        "fxprof-processed-profile",
        "hashbrown",
        "memchr",
        "miniz_oxide",
        "ruzstd",
        "serde",
        "serde_json",
        "smallvec",
        "tempfile",
        "thiserror",
        "zerocopy",
    ];
    let reasons = include_str!("../../docs/dependencies.md");
    for (package, ours) in allowed {
        for name in needs(&metadata, package) {
            assert!(ours.contains(&name.as_str()) || kept.contains(&name.as_str()), "{package} needs {name}");
            let has_reason = name.starts_with("spall-") || reasons.contains(&format!("`{name}`"));
            assert!(has_reason, "docs/dependencies.md does not say why {package} needs {name}");
        }
    }
    assert!(
        needs(&metadata, "spall-synth").is_empty(),
        "what writes test files shares no code with the readers"
    );
}

/// A library whose tests are modules of one program names each of them there. Nothing else would notice a file that is
/// left out.
#[test]
fn every_file_of_tests_is_in_a_program() {
    let mut n_files = 0;
    for library in ["spall-format", "spall-json", "spall-layout", "spall-trace"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(library);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let program = std::fs::read_to_string(folder.join("tests/main.rs")).unwrap();
        for entry in std::fs::read_dir(folder.join("tests")).unwrap().map(|entry| entry.unwrap()) {
            let path = entry.path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let is_named = program.lines().any(|line| line == format!("mod {name};"))
                || ["", "/main"]
                    .iter()
                    .any(|end| manifest.contains(&format!("path = \"tests/{name}{end}.rs\"")));
            assert!(is_named, "{} is in no program", path.display());
            n_files += 1;
        }
    }
    assert!(n_files > 70, "{n_files} files: the search finds none");
}

/// Checks that every hash table names its hasher, and that the hasher takes a new seed for each table.
#[test]
fn every_hash_table_has_a_seed_of_its_own() {
    let mut n_tables = 0;
    let libraries = [
        "spall-model",
        "spall-format",
        "spall-json",
        "spall-layout",
        "spall-samples",
        "spall-trace",
        "spall-record",
    ];
    for library in libraries {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(library).join("src");
        for path in files(&sources, ".rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let path = path.display();
            for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                for fixed in ["FixedState", "SeedableRandomState", "BuildHasherDefault", "DefaultHasher"] {
                    assert!(!line.contains(fixed), "{path}: {line}");
                }
                for table in ["HashMap<", "HashSet<"].into_iter().filter(|table| line.contains(table)) {
                    assert!(line.contains("RandomState"), "{path}: {table} of {line}");
                    n_tables += 1;
                }
            }
        }
    }
    assert!(n_tables > 10, "{n_tables} tables: the search finds none");
}
