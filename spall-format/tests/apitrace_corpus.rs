//! Recordings of real programs, and hand-made ones, against what `apitrace dump` prints of them.
#![cfg(feature = "alloc")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::std_instead_of_alloc,
    reason = "a test fails by panicking"
)]

mod corpus;

use core::fmt::Write as _;
use spall_format::ErrorKind;
use spall_format::apitrace::{Calls, Role, decompress};
use spall_model::Limits;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The stream of a recording; `None` if its container needs a feature that is off.
fn stream(data: &[u8]) -> Option<Vec<u8>> {
    match decompress(data, &Limits::default()) {
        Ok(decompressed) => Some(decompressed.stream.into_owned()),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::FeatureOff);
            None
        }
    }
}

/// What `apitrace dump -v --thread-ids` prints.
fn dump(stream: &[u8]) -> String {
    let mut out = String::new();
    let Ok(mut calls) = Calls::new(stream) else { return out };
    let properties: BTreeMap<_, _> = calls.properties().iter().copied().collect();
    for (name, value) in properties {
        writeln!(out, "// {} = \"{}\"", name.escape_ascii(), value.escape_ascii()).unwrap();
    }
    while let Some(call) = calls.next() {
        let call = call.unwrap();
        writeln!(out, "{}", call.display(calls.signatures())).unwrap();
        if Role::of(call.function.name) == Some(Role::FrameEnd) {
            out.push('\n');
        }
    }
    out
}

fn check(name: &str, found: &str, expected: &str) {
    if let Some((index, (found, expected))) =
        found.lines().zip(expected.lines()).enumerate().find(|(_, (found, expected))| found != expected)
    {
        panic!("{name}, line {}:\n{found}\n{expected}", index + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
}

fn recordings(root: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for folder in ["", "crafted", "old"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "trace") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    assert!(paths.len() > 20);
    paths
}

#[test]
fn calls_read_as_the_tool_dumps_them() {
    let Some(root) = corpus::folder("apitrace") else { return };
    let mut compared = 0;
    for path in recordings(&root) {
        let name = path.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().replace('/', "_");
        let expected = root.join(format!("ref/{name}.dump.txt"));
        // The long one is compressed. The tool that made them knew no zstd.
        let expected = match (std::fs::read(&expected), std::fs::read(expected.with_extension("txt.gz"))) {
            _ if name.ends_with("zstdseek") => continue,
            (Ok(expected), _) => Some(expected),
            (_, Ok(compressed)) => stream(&compressed),
            _ => continue,
        };
        let (Some(stream), Some(expected)) = (stream(&std::fs::read(&path).unwrap()), expected) else {
            continue;
        };
        check(&name, &dump(&stream), &String::from_utf8_lossy(&expected));
        compared += 1;
    }
    assert!(compared >= if cfg!(feature = "gzip") { 24 } else { 20 }, "{compared}");
}

#[test]
fn all_containers_hold_the_same_stream() {
    let Some(root) = corpus::folder("apitrace") else { return };
    let of = |name: &str| stream(&std::fs::read(root.join(name)).unwrap());
    let raw = of("variants/gltest.raw").unwrap();
    for kind in ["brotli", "brotli1", "gzip", "snappy2", "zstd", "zstdseek"] {
        let unpacked = of(&format!("variants/gltest.{kind}.trace"));
        assert!(unpacked.is_none_or(|unpacked| unpacked == raw), "{kind}");
    }
    let raw = of("crafted/kitchen-v6.raw").unwrap();
    for name in ["", ".br", ".gz", ".onechunk", ".zstdseek"] {
        let unpacked = of(&format!("crafted/kitchen-v6{name}.trace"));
        assert!(unpacked.is_none_or(|unpacked| unpacked == raw), "{name}");
    }
}
