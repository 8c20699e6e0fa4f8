//! Recordings of real programs, and hand-made ones: their containers, markers and damage.
#![cfg(feature = "alloc")]

use serde_json::{Value as Json, json};
use spall_format::FormatErrorKind;
use spall_format::apitrace::{Call, Calls, Parser};
use spall_format::container::decompress;
use spall_model::{ByteRange, DiagnosticKind, Event, Id, LendingParser, Limits};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The stream of a recording; `None` if its container needs a feature that is off.
fn stream(data: &[u8]) -> Option<Vec<u8>> {
    match decompress(data, &Limits::default()) {
        Ok(decompressed) => Some(decompressed.stream.into_owned()),
        Err(error) => {
            assert_eq!(error.kind(), FormatErrorKind::FeatureOff);
            None
        }
    }
}

/// Returns the folders of recordings, each with all its recordings but those of attacks.
fn recordings() -> Vec<(PathBuf, Vec<PathBuf>)> {
    let recordings = spall_testdata::folders("apitrace").into_iter().map(|root| {
        let mut paths = spall_testdata::files(&root, ".trace");
        paths.retain(|path| !path.starts_with(root.join("attack")));
        assert!(paths.len() >= 13);
        (root, paths)
    });
    recordings.collect()
}

/// Returns the folder of hand-made recordings of every clone.
fn crafted() -> PathBuf {
    spall_testdata::folders("apitrace/crafted").swap_remove(0)
}

#[test]
fn all_containers_hold_the_same_stream() {
    let of = |name: &str| stream(&std::fs::read(crafted().join(name)).unwrap());
    let raw = of("kitchen-v6.raw").unwrap();
    for name in ["", ".br", ".gz", ".onechunk", ".zstdseek"] {
        let unpacked = of(&format!("kitchen-v6{name}.trace"));
        assert!(unpacked.is_none_or(|unpacked| unpacked == raw), "{name}");
    }
}

#[test]
fn all_containers_of_the_tool_hold_the_same_stream() {
    let Some(root) = spall_testdata::collection("apitrace/variants") else { return };
    let of = |name: &str| stream(&std::fs::read(root.join(name)).unwrap());
    let raw = of("gltest.raw").unwrap();
    for kind in ["brotli", "brotli1", "gzip", "snappy2", "zstd", "zstdseek"] {
        let unpacked = of(&format!("gltest.{kind}.trace"));
        assert!(unpacked.is_none_or(|unpacked| unpacked == raw), "{kind}");
    }
}

#[test]
fn a_container_that_is_cut_off_gives_the_front_of_the_stream() {
    let raw = std::fs::read(crafted().join("kitchen-v6.raw")).unwrap();
    let mut n_cut = 0;
    for kind in [".br", ".gz", "", ".onechunk", ".zstdseek"] {
        let data = std::fs::read(crafted().join(format!("kitchen-v6{kind}.trace"))).unwrap();
        for length in [data.len() / 3, data.len() / 2] {
            let Ok(unpacked) = decompress(&data[..length], &Limits::default()) else { continue };
            assert_eq!(unpacked.damage.map(|damage| damage.kind), Some(DiagnosticKind::Truncated), "{kind}");
            assert!(raw.starts_with(&unpacked.stream), "{kind}");
            n_cut += usize::from(!unpacked.stream.is_empty());
        }
    }
    assert!(n_cut >= 4 || cfg!(not(feature = "gzip")), "{n_cut}");
}

#[cfg(feature = "brotli")]
#[test]
fn what_nothing_can_be_decoded_of_is_no_recording() {
    for data in [&b""[..], b"a", b"\xff\xff\xff\xff\xff\xff\xff\xff"] {
        assert_eq!(decompress(data, &Limits::default()).unwrap_err().kind(), FormatErrorKind::BadMagic);
    }
}

/// The markers of a stream in the shape of the expectations, which know no other groups.
fn markers(stream: &[u8]) -> Vec<Json> {
    let mut calls = Calls::new(stream).unwrap();
    let (mut by_position, mut by_time, mut functions) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    while let Some(call) = calls.next() {
        let call: Call = call.unwrap();
        by_position.insert(call.enter.start, call);
        by_time.insert(call.entered as i64, call.number);
        functions.insert(call.number, calls.name(&call));
    }
    let mut found = Vec::new();
    let see = |event: &Event<'_>, bytes: ByteRange| {
        // An unclosed group has no bytes, because it belongs to no call.
        let call = by_position.get(&bytes.start);
        let (thread, number) = call.map_or((0, 0), |call| (call.thread, call.number));
        match event {
            Event::Complete(slice, length) if slice.category.is(b"group") => found.push(json!({
                "k": "group", "thread": thread, "text": slice.name.decode(),
                "begin_call": by_time[&slice.at.0], "end_call": number,
                "begin_ord": slice.at.0, "end_ord": (slice.at + *length).0,
            })),
            Event::Unfinished(slice) if slice.category.is(b"group") => {
                let Id::Number(thread) = slice.thread.tid else { panic!("threads have numbers") };
                found.push(json!({
                    "k": "unclosed_group", "thread": thread, "text": slice.name.decode(),
                    "begin_call": by_time[&slice.at.0], "begin_ord": slice.at.0,
                }));
            }
            Event::Instant(mark, _) if mark.category.is(b"mark") => found.push(json!({
                "k": "mark", "thread": thread, "text": mark.name.decode(), "call": number, "ord": mark.at.0,
            })),
            Event::Instant(end, _) => {
                found.push(json!({ "k": "frame_end", "thread": thread, "call": number, "ord": end.at.0 }))
            }
            Event::Diagnostic(DiagnosticKind::UnmatchedEnd)
                if ![&b"glEnd"[..], b"glEndList"].contains(&functions[&number]) =>
            {
                let ord = call.map(|call| call.entered);
                found.push(json!({ "k": "unmatched_pop", "thread": thread, "call": number, "ord": ord }));
            }
            _ => {}
        }
    };
    Parser::new().lend_all(stream, see).unwrap();
    let bounds = |group: &Json| (group["begin_ord"].as_u64(), group["end_ord"].as_u64().unwrap_or(u64::MAX));
    let groups: Vec<Json> =
        found.iter().filter(|marker| marker.get("begin_ord").is_some()).cloned().collect();
    for group in found.iter_mut().filter(|marker| marker["k"] == "group") {
        let (begin, end) = bounds(group);
        let around = groups.iter().filter(|outer| {
            let (outer_begin, outer_end) = bounds(outer);
            outer["thread"] == group["thread"] && outer_begin < begin && outer_end > end
        });
        group["depth"] = json!(around.count());
    }
    found
}

#[test]
fn c5_markers_are_the_expected_ones() {
    let Some(root) = spall_testdata::collection("apitrace") else { return };
    for name in ["gltest", "gltest-crash"] {
        let stream = stream(&std::fs::read(root.join(format!("{name}.trace"))).unwrap()).unwrap();
        let expected = std::fs::read_to_string(root.join(format!("ref/{name}.markers.json"))).unwrap();
        let expected: Vec<Json> = serde_json::from_str(&expected).unwrap();
        let found = markers(&stream);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(found.len(), expected.len(), "{name}");
    }
}

#[test]
fn c5_events_say_what_the_calls_and_markers_say() {
    for path in recordings().iter().flat_map(|(_, paths)| paths) {
        let name = path.display();
        let Some(stream) = stream(&std::fs::read(path).unwrap()) else { continue };
        if Calls::new(&stream).is_err() {
            continue;
        }
        let mut slices: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        let see = |event: &Event<'_>, _| match event {
            Event::Complete(slice, length) => {
                assert!(length.0 > 0, "{name}");
                let category = slice.category.decode().into();
                slices.entry(category).or_default().push((slice.at.0, (slice.at + *length).0));
            }
            Event::Unfinished(_) => *others.entry("unfinished").or_default() += 1,
            Event::Instant(..) => *others.entry("instant").or_default() += 1,
            Event::Diagnostic(DiagnosticKind::UnmatchedEnd) => {
                *others.entry("unmatched").or_default() += 1;
            }
            _ => {}
        };
        Parser::new().lend_all(&stream, see).unwrap();
        let calls: Vec<_> = Calls::new(&stream).unwrap().map(Result::unwrap).collect();
        let markers = markers(&stream);
        let n_markers = |kinds: &[&str]| {
            markers.iter().filter(|marker| kinds.contains(&marker["k"].as_str().unwrap())).count()
        };
        let n_slices =
            |kinds: &[&str]| kinds.iter().map(|&kind| slices.get(kind).map_or(0, Vec::len)).sum::<usize>();
        let n_others = |kind| others.get(kind).copied().unwrap_or(0);
        let n_incomplete = calls.iter().filter(|call| call.left.is_none()).count();
        assert_eq!(n_slices(&["call", "fake"]), calls.len() - n_incomplete, "{name}");
        assert_eq!(
            n_slices(&["fake"]),
            calls.iter().filter(|call| call.is_fake && call.left.is_some()).count()
        );
        assert_eq!(n_slices(&["group"]), n_markers(&["group"]), "{name}");
        assert_eq!(n_slices(&["frame"]), n_markers(&["frame_end"]), "{name}");
        assert_eq!(n_others("instant"), n_markers(&["mark", "frame_end"]), "{name}");
        assert_eq!(n_others("unmatched"), n_markers(&["unmatched_pop"]), "{name}");
        assert_eq!(n_others("unfinished"), n_incomplete + n_markers(&["unclosed_group"]), "{name}");
        let frames = slices.get("frame").map_or(&[][..], |frames| frames);
        assert!(frames.windows(2).all(|pair| pair[0].1 == pair[1].0), "{name}: frames follow one another");
    }
}

#[test]
fn c6_attacks_cost_little_and_keep_what_is_sound() {
    let root = spall_testdata::folders("apitrace/attack").swap_remove(0);
    let outcome = |name: &str| -> Result<(usize, Option<FormatErrorKind>), FormatErrorKind> {
        let data = std::fs::read(root.join(format!("{name}.trace"))).unwrap();
        let decompressed = decompress(&data, &Limits::default()).map_err(|error| error.kind())?;
        let calls = Calls::new(&decompressed.stream).map_err(|error| error.kind())?;
        let (mut n_calls, mut error) = (0, None);
        for call in calls {
            match call {
                Ok(_) => n_calls += 1,
                Err(found) => error = Some(found.kind()),
            }
        }
        Ok((n_calls, error))
    };
    let ends_in_head = Err(FormatErrorKind::UnexpectedEof { needed: 1 });
    assert_eq!(outcome("at-only"), ends_in_head);
    assert_eq!(outcome("snappy-len-4g"), ends_in_head);
    assert_eq!(outcome("snappy-preamble-4g"), ends_in_head);
    assert_eq!(outcome("version-7"), Err(FormatErrorKind::UnsupportedVersion { version: 7 }));
    assert_eq!(outcome("sem-gt-version"), Err(FormatErrorKind::UnsupportedVersion { version: 9 }));
    // These end inside the value; the call was never entered.
    for name in ["argcount-huge", "arraylen-huge", "bloblen-max", "deep-array-1M", "deep-repr-2M"] {
        assert_eq!(outcome(name), Ok((0, None)), "{name}");
    }
    assert_eq!(outcome("sigid-huge"), Ok((1, None)));
    assert_eq!(outcome("uint-overlong"), Ok((0, Some(FormatErrorKind::NumberTooLong))));
    // What is nothing else is brotli.
    let no_brotli =
        if cfg!(feature = "brotli") { FormatErrorKind::BadMagic } else { FormatErrorKind::FeatureOff };
    assert_eq!(outcome("a"), Err(no_brotli));
    assert_eq!(outcome("empty"), Err(no_brotli));
    if cfg!(feature = "brotli") {
        let data = std::fs::read(root.join("blob-64M-zeros.br.trace")).unwrap();
        let mut limits = Limits::default();
        assert_eq!(outcome("blob-64M-zeros.br"), Ok((1, None)));
        limits.max_decompressed_bytes = 16 << 20;
        let error = decompress(&data, &limits).unwrap_err().kind();
        assert_eq!(error, FormatErrorKind::OutputLimit { max_mib: 16 });
    }
}

#[test]
fn c1_damaged_containers_give_what_is_before_the_damage() {
    let raw = std::fs::read(crafted().join("kitchen-v6.raw")).unwrap();
    let mut limits = Limits::default();
    limits.max_decompressed_bytes = 16 << 20;
    for name in ["", ".br", ".gz", ".onechunk", ".zstdseek"] {
        let whole = std::fs::read(crafted().join(format!("kitchen-v6{name}.trace"))).unwrap();
        let readable = stream(&whole).is_some();
        for length in 4..whole.len() {
            match decompress(&whole[..length], &limits) {
                Ok(cut) => assert!(raw.starts_with(&cut.stream), "{name} cut at {length}"),
                Err(error) => {
                    let expected =
                        if readable { FormatErrorKind::BadMagic } else { FormatErrorKind::FeatureOff };
                    assert_eq!(error.kind(), expected, "{name} cut at {length}");
                }
            }
            let mut flipped = whole.clone();
            flipped[length] ^= 0x10;
            let Ok(flipped) = decompress(&flipped, &limits) else { continue };
            assert!(flipped.stream.len() <= 16 << 20);
        }
    }
}
