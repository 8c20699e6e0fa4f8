//! Recordings of real programs, and hand-made ones, against what `apitrace dump` prints of them. The unit tests of a package
//! have no other package of the repository, and no files.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt::Write as _;
use std::path::{Path, PathBuf};

use spall_model::{Event, LendingParser, Limits};

use super::tool;
use crate::FormatErrorKind;
use crate::apitrace::{Calls, Parser};
use crate::container::decompress;

/// What `apitrace dump -v --thread-ids` prints.
fn dump(stream: &[u8]) -> String {
    let mut out = String::new();
    let Ok(mut calls) = Calls::new(stream) else { return out };
    // The functions that end a frame, whose calls are followed by an empty line.
    let mut frame_ends = BTreeSet::new();
    let see = |event: &Event<'_>, _| {
        if let Event::Instant(instant, _) = event
            && instant.category.is(b"frame")
        {
            frame_ends.insert(instant.name.raw().to_vec());
        }
    };
    Parser::new().lend_all(stream, see).unwrap();
    let properties: BTreeMap<_, _> = calls.reader.properties(stream).collect();
    for (name, value) in properties {
        writeln!(out, "// {} = \"{}\"", name.escape_ascii(), value.escape_ascii()).unwrap();
    }
    while let Some(call) = calls.next() {
        let call = call.unwrap();
        writeln!(out, "{}", tool::line(&call, calls.signatures())).unwrap();
        if frame_ends.contains(calls.name(&call)) {
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

/// Returns the folders of recordings: the one of the repository, and that of a collection.
fn folders() -> Vec<PathBuf> {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata");
    let roots = [Some(testdata), std::env::var_os("SPALL_CORPUS").map(PathBuf::from)];
    let folders = roots.into_iter().flatten().map(|root| root.join("apitrace"));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// Returns the recordings in a folder and the folders below, but those of attacks.
fn recordings(root: &Path) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.ends_with("attack") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "trace") {
                found.push(path);
            }
        }
    }
    found
}

/// Returns the content of a compressed file, or `None` if its container needs a feature that is off.
fn content(data: &[u8]) -> Option<Vec<u8>> {
    match decompress(data, &Limits::default()) {
        Ok(decompressed) => Some(decompressed.stream.into_owned()),
        Err(error) => {
            assert_eq!(error.kind(), FormatErrorKind::FeatureOff);
            None
        }
    }
}

#[test]
fn c4_calls_read_as_the_tool_dumps_them() {
    let mut n_compared = 0;
    for root in folders() {
        for path in recordings(&root) {
            let name =
                path.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().replace('/', "_");
            let expected = root.join(format!("ref/{name}.dump.txt"));
            // The long one is compressed. The tool that made them knew no zstd.
            let expected = match (std::fs::read(&expected), std::fs::read(expected.with_extension("txt.gz")))
            {
                _ if name.ends_with("zstdseek") => continue,
                (Ok(expected), _) => Some(expected),
                (_, Ok(compressed)) => content(&compressed),
                _ => continue,
            };
            let stream = content(&std::fs::read(path).unwrap());
            let (Some(stream), Some(expected)) = (stream, expected) else { continue };
            check(&name, &dump(&stream), &String::from_utf8_lossy(&expected));
            n_compared += 1;
        }
    }
    assert!(n_compared >= 9 || folders().is_empty(), "{n_compared}");
}

#[test]
fn c4_frames_with_each_set_of_details() {
    // A collection need not have this one.
    let read = |root: &PathBuf| {
        let file = std::fs::read(root.join("frames.trace")).ok()?;
        Some((file, std::fs::read_to_string(root.join("frames.dump.txt")).unwrap()))
    };
    let Some((file, mut expected)) = folders().iter().find_map(read) else {
        assert_eq!(folders(), [""; 0].map(PathBuf::from));
        return;
    };
    // The tool takes lines as 32 bits and offsets as 64 bits with a sign, and leaves out what is then negative.
    for (number, tool, ours) in [
        (35, "m: f:0", "m: f:4294967296"),
        (36, "m", "m+0xffffffffffffffff"),
        (37, "m: f", "m: f:2147483648"),
        (38, "m", "m+0x8000000000000000"),
    ] {
        let call = |frame| format!("{number} @0 f()\nBacktrace:\n{frame}\n");
        assert!(expected.contains(&call(tool)), "{tool}");
        expected = expected.replace(&call(tool), &call(ours));
    }
    let stream = decompress(&file, &Limits::default()).unwrap().stream;
    let mut calls = Calls::new(&stream).unwrap();
    let mut lines = Vec::new();
    while let Some(call) = calls.next() {
        lines.push(tool::line(&call.unwrap(), calls.signatures()));
    }
    assert_eq!(lines.join("\n") + "\n", expected);
}
