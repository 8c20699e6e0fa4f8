//! Files by the real `spall.h` of every time, and hand-made ones, against what an independent decoder read from them.

use crate::common::items;
use serde_json::Value as Json;
use spall_format::FormatErrorKind;
use spall_format::spall::Parser;
use spall_model::{DiagnosticKind, Event, Id, Text, Thread, ThreadEvent};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The header and the events that a file beside `path` expects, if there is one.
fn expected(path: &Path) -> Option<(Json, Vec<Json>)> {
    let beside = |suffix| fs::read_to_string(format!("{}{suffix}", path.display())).ok();
    let json = |text: &str| {
        let text = text.replace(": NaN", ": \"NaN\"").replace(": -Infinity", ": \"-inf\"");
        serde_json::from_str::<Json>(&text.replace(": Infinity", ": \"inf\"")).unwrap()
    };
    if let Some(text) = beside(".expected.json") {
        let whole = json(&text);
        return Some((whole["header"].clone(), whole["events"].as_array().unwrap().clone()));
    }
    let mut lines = beside(".expected.jsonl")?.lines().map(json).collect::<Vec<_>>().into_iter();
    Some((lines.next()?, lines.collect()))
}

fn number(json: &Json) -> f64 {
    json.as_f64().unwrap_or_else(|| json.as_str().unwrap().parse().unwrap())
}

/// Bytes stand in the expectations as the characters of the same number.
fn bytes(json: &Json) -> Vec<u8> {
    json.as_str().unwrap().chars().map(|byte| u8::try_from(u32::from(byte)).unwrap()).collect()
}

fn text(expected: &Json, text: Text<'_>) {
    let expected = bytes(expected);
    assert_eq!(text.raw(), expected.strip_suffix(b"\0").unwrap_or(&expected));
}

fn thread(expected: &Json, thread: Thread<'_>) {
    assert_eq!(thread.pid, Id::Number(expected["pid"].as_i64().unwrap()));
    assert_eq!(thread.tid, Id::Number(expected["tid"].as_i64().unwrap()));
}

/// What a time of the expectations is in ticks.
fn tick(header: &Json, time: &Json, latest: i64) -> i64 {
    if header["version"] == 3 {
        return i64::try_from(time.as_u64().unwrap()).unwrap_or(i64::MAX);
    }
    let ns = number(time) * (number(&header["timestamp_unit"]) * 1000.0);
    if ns.is_nan() { latest } else { ns.round() as i64 }
}

fn slice(header: &Json, expected: &Json, event: ThreadEvent<'_>, latest: i64) {
    thread(expected, event.thread);
    assert_eq!(event.at.0, tick(header, &expected["ts"], latest));
    if let Some(name) = expected.get("name") {
        text(name, event.name);
    }
    assert_eq!(event.args.bytes(), expected.get("args").map_or(Vec::new(), bytes));
}

fn check(path: &Path, header: &Json, lines: &[Json]) {
    let data = fs::read(path).unwrap();
    let mut latest = 0;
    let mut found = items(Parser::new(), &data).skip(1).filter(|parsed| {
        !matches!(parsed, Ok(parsed) if matches!(parsed.event, Event::Diagnostic(kind) if kind != DiagnosticKind::Truncated))
    });
    let says = |line: &&Json| line["e"] != "buffer" && line["e"] != "pad_skip";
    let mut cut = None;
    for line in lines.iter().filter(says) {
        let offset = line["off"].as_u64().unwrap();
        match line["e"].as_str().unwrap() {
            "error" => {
                let error = found.next().unwrap().unwrap_err();
                let tag = line["what"].as_str().unwrap().strip_prefix("type ").unwrap().parse().unwrap();
                assert_eq!((error.kind(), error.offset()), (FormatErrorKind::UnknownEvent { tag }, offset));
                continue;
            }
            // A record and the buffer around it are cut at the same place: said once.
            "truncated" | "truncated_header" | "truncated_buffer" => {
                cut.get_or_insert(offset);
                continue;
            }
            _ => {}
        }
        let parsed = found.next().unwrap().unwrap();
        assert_eq!(parsed.bytes.start, offset);
        match (line["e"].as_str().unwrap(), parsed.event) {
            ("begin", Event::Begin(event)) | ("end", Event::End(event)) => slice(header, line, event, latest),
            ("complete", Event::Complete(event, length)) => {
                slice(header, line, event, latest);
                let end = number(&line["ts"]) + number(&line["dur"]);
                let end = end * (number(&header["timestamp_unit"]) * 1000.0);
                assert_eq!(event.at.0 + length.0, end.round() as i64);
            }
            ("complete", Event::Unfinished(event)) if number(&line["dur"]).is_nan() => {
                slice(header, line, event, latest);
            }
            ("name_process", Event::ProcessName(pid, name)) => {
                assert_eq!(pid, Id::Number(line["pid"].as_i64().unwrap()));
                text(&line["name"], name);
            }
            ("name_thread", Event::ThreadName(of, name)) => {
                thread(line, of);
                text(&line["name"], name);
            }
            (_, event) => panic!("{event:?} instead of {line}"),
        }
        latest = parsed.event.at().map_or(latest, |at| at.0);
    }
    if let Some(cut) = cut {
        let parsed = found.next().unwrap().unwrap();
        assert_eq!(parsed.event, Event::Diagnostic(DiagnosticKind::Truncated));
        assert_eq!((parsed.bytes.start, parsed.bytes.end), (cut, data.len() as u64));
    }
    assert!(found.next().is_none());
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[test]
fn files_with_an_expectation_are_read_as_expected() {
    let mut checked = 0;
    for path in spall_testdata::inputs("spall", ".spall") {
        if let Some((header, lines)) = expected(&path) {
            println!("{}", path.display());
            check(&path, &header, &lines);
            checked += 1;
        }
    }
    assert!(checked >= 17, "{checked}");
}

/// How often each kind was reported.
fn diagnostics(data: &[u8]) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for parsed in items(Parser::new(), data).map_while(Result::ok) {
        if let Event::Diagnostic(kind) = parsed.event {
            *kinds.entry(kind.name()).or_default() += 1;
        }
    }
    kinds
}

#[test]
fn crafted_files_are_reported_for_what_is_wrong_with_them() {
    for path in spall_testdata::inputs("spall/crafted", ".spall") {
        let data = fs::read(&path).unwrap();
        let last = items(Parser::new(), &data).last().unwrap();
        let error = last.err().map(|error| (error.kind(), error.offset()));
        let expected_error = match name(&path) {
            "v0-checksum-type7.spall" => Some((FormatErrorKind::UnknownEvent { tag: 7 }, 71)),
            "v0-instant-type5.spall" => Some((FormatErrorKind::UnknownEvent { tag: 5 }, 54)),
            "v2-native-2023.spall" | "v2-web-branch.spall" => Some((FormatErrorKind::UnreleasedVersion, 8)),
            _ => None,
        };
        assert_eq!(error, expected_error, "{}", path.display());
        let expected: &[(&str, usize)] = match name(&path) {
            "v0-nan-inf.spall" => &[("bad-duration", 1), ("nan-time", 1), ("time-out-of-range", 2)],
            "v1-tail-cut.spall" | "v3-truncated-buffer.spall" | "v3-truncated-buffer-header.spall" => {
                &[("truncated", 1)]
            }
            "v3-max.spall" => &[("time-out-of-range", 2)],
            "v3-unit-nan.spall" | "v3-unit-neg.spall" | "v3-unit-zero.spall" => &[("bad-time-unit", 1)],
            _ => &[],
        };
        assert_eq!(diagnostics(&data), expected.iter().copied().collect(), "{}", path.display());
    }
}

#[test]
fn a_2_the_drafts_of_version_0_are_told_apart() {
    // The header of the first draft has 25 bytes, and that of the second one and of the published layout 32.
    let draft = |header_len: usize, begin: u8, end: u8| {
        let mut data = [&0x0BAD_F00D_u64.to_le_bytes()[..], &[0; 8], &1.0_f64.to_le_bytes()].concat();
        data.resize(header_len, 0);
        for (kind, at, name) in
            [(begin, 0.0_f64, &b"foo"[..]), (begin, 1.0, b"bar"), (end, 2.0, b""), (end, 3.0, b"")]
        {
            data.push(kind);
            data.extend([2_u32, 1].iter().flat_map(|id| id.to_le_bytes()));
            data.extend(at.to_le_bytes());
            if kind == begin {
                data.push(u8::try_from(name.len()).unwrap());
                data.extend(name);
            }
        }
        data
    };
    for (name, data) in [("first", draft(25, 0, 1)), ("second", draft(32, 2, 3))] {
        let error = items(Parser::new(), &data).last().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (FormatErrorKind::PreRelease, 8), "{name}");
        assert_eq!(items(Parser::new(), &data).count(), 2, "the clock and the error");
    }
    let published = draft(32, 3, 4);
    let published: Vec<_> = items(Parser::new(), &published).map(|item| item.is_ok()).collect();
    assert_eq!(published, [true; 5]);
}

#[test]
fn a_2_the_layout_of_version_1_behind_a_header_of_version_0_is_told_apart() {
    let [folder, ..] = &spall_testdata::folders("spall/crafted")[..] else { panic!() };
    let data = fs::read(folder.join("v0-header-v1-layout-json2bin.spall")).unwrap();
    let mut slices = Vec::new();
    for parsed in items(Parser::new(), &data).skip(1) {
        match parsed.unwrap().event {
            Event::Begin(event) | Event::End(event) => slices.push((event.name.raw(), event.at.0)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(slices, [(&b"main"[..], 0), (b"foo", 1000), (b"", 2000), (b"", 3000)]);
}

/// Events, diagnostics, and the error at the end.
type Outcome<'a> = (usize, &'a [(&'a str, u64, u64)], Option<(FormatErrorKind, u64)>);

#[test]
fn attacks_are_survived() {
    for path in spall_testdata::inputs("spall/attack", ".spall") {
        let data = fs::read(&path).unwrap();
        let (mut events, mut kinds, mut error) = (0, Vec::new(), None);
        for parsed in items(Parser::new(), &data) {
            match parsed {
                Ok(parsed) => match parsed.event {
                    Event::Diagnostic(kind) => {
                        kinds.push((kind.name(), parsed.bytes.start, parsed.bytes.end))
                    }
                    Event::Clock(_) => {}
                    _ => events += 1,
                },
                Err(fault) => error = Some((fault.kind(), fault.offset())),
            }
        }
        let expected: Outcome<'_> = match name(&path) {
            "auto-dt-wrap.spall" | "auto-maxdepth-4g.spall" | "auto-path-cut.spall" => {
                (0, &[], Some((FormatErrorKind::AutoTrace, 0)))
            }
            "big-endian-magic.spall" => (0, &[], Some((FormatErrorKind::BigEndian, 0))),
            "header-cut.spall" => (0, &[], Some((FormatErrorKind::UnexpectedEof { needed: 1 }, 31))),
            "magic-only.spall" => (0, &[], Some((FormatErrorKind::UnexpectedEof { needed: 24 }, 8))),
            "v3-buffer-size-max.spall" => (1, &[("truncated", 64, 64)], None),
            "v3-end-flood-1M.spall" => (1_000_000, &[], None),
            "v3-many-tids-200k.spall" => (400_000, &[], None),
            "v3-type0.spall" | "v3-type255.spall" => (0, &[("unknown-event", 52, 116)], None),
            "version-max.spall" => {
                (0, &[], Some((FormatErrorKind::UnsupportedVersion { version: u32::MAX }, 8)))
            }
            other => panic!("no expectation for {other}"),
        };
        assert_eq!((events, &kinds[..], error), expected, "{}", path.display());
    }
}

#[test]
fn a_large_file_has_the_slices_it_should_have() {
    let Some(folder) = spall_testdata::collection("spall/big") else { return };
    let summary = fs::read_to_string(folder.join("mid-200k.summary.json")).unwrap();
    let summary: Json = serde_json::from_str(&summary).unwrap();
    let data = fs::read(folder.join("mid-200k.spall")).unwrap();
    let mut open: BTreeMap<i64, Vec<(&[u8], i64)>> = BTreeMap::new();
    let mut found: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    for parsed in items(Parser::new(), &data) {
        match parsed.unwrap().event {
            Event::Begin(event) => {
                let Id::Number(tid) = event.thread.tid else { panic!() };
                open.entry(tid).or_default().push((event.name.raw(), event.at.0));
            }
            Event::End(event) => {
                let Id::Number(tid) = event.thread.tid else { panic!() };
                let (name, start) = open.get_mut(&tid).unwrap().pop().unwrap();
                let entry = found.entry(String::from_utf8(name.to_vec()).unwrap()).or_default();
                *entry = (entry.0 + 1, entry.1 + event.at.0 - start);
            }
            _ => {}
        }
    }
    let expected = summary.as_object().unwrap();
    let names = expected.get("names").and_then(Json::as_object).unwrap_or(expected);
    assert_eq!(found.len(), names.len());
    for (name, (count, total)) in found {
        assert_eq!((&names[&name][0], &names[&name][1]), (&Json::from(count), &Json::from(total)), "{name}");
    }
}
