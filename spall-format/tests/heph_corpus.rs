//! Real and hand-made Heph files against what an independent decoder read from them.

use crate::common;
use spall_format::heph;
use spall_model::{DiagnosticKind, Event};
use std::collections::BTreeMap;

/// The number of packets of a whole file, found by their sizes.
fn n_packets(mut data: &[u8]) -> usize {
    let mut count = 0;
    while let Some(size) = data.get(4..8) {
        data = &data[u32::from_be_bytes(size.try_into().unwrap()) as usize..];
        count += 1;
    }
    count
}

/// The number of events other than diagnostics, and the diagnostics with their bytes.
type Outcome<'a> = (usize, &'a [(DiagnosticKind, u64, u64)]);

fn items(data: &[u8]) -> impl Iterator<Item = common::Item<'_>> {
    common::items(heph::Parser::new(), data).map(Result::unwrap)
}

fn events(data: &[u8]) -> Vec<Event<'_>> {
    let mut events: Vec<_> = items(data).map(|item| item.event).collect();
    events.retain(|event| !matches!(event, Event::Conventions(_)));
    events
}

fn diagnostics(data: &[u8]) -> Vec<(DiagnosticKind, u64, u64)> {
    items(data)
        .filter_map(|item| match item.event {
            Event::Diagnostic(kind) => Some((kind, item.bytes.start, item.bytes.end)),
            _ => None,
        })
        .collect()
}

#[test]
fn every_packet_becomes_one_event_and_damage_is_said() {
    use DiagnosticKind::{
        BadArgument, BadEpoch, DuplicateEpoch, Junk, Overrun, PacketOrder, TimeOutOfRange, Truncated,
    };
    let expected: BTreeMap<&str, Outcome<'_>> = BTreeMap::from([
        // Most hand-made files number all their packets 0.
        ("attack/7-bytes", (0, &[(Truncated, 0, 7)][..])),
        ("attack/array-65535-empty-strings", (2, &[])),
        ("attack/array-count-overrun", (2, &[(BadArgument, 66, 72)])),
        ("attack/desc-overrun", (2, &[(Overrun, 65, 65)])),
        ("attack/empty", (0, &[])),
        ("attack/meta-name-overrun", (0, &[(Overrun, 0, 10)])),
        ("attack/meta-size-0", (0, &[(Junk, 0, 23)])),
        ("attack/meta-size-9", (0, &[(Junk, 0, 23)])),
        ("attack/size-0", (1, &[(Junk, 23, 66)])),
        ("attack/size-7", (1, &[(Junk, 23, 66)])),
        ("attack/size-max", (1, &[(Truncated, 23, 66)])),
        ("attack/time-max", (2, &[(TimeOutOfRange, 0, 23), (TimeOutOfRange, 23, 66)])),
        ("crafted/all-types", (2, &[])),
        ("crafted/array-untyped", (3, &[(PacketOrder, 72, 118)])),
        ("crafted/bad-utf8", (2, &[])),
        ("crafted/desc-over-64k-wrapped", (3, &[(BadArgument, 4529, 70065), (PacketOrder, 70065, 70111)])),
        ("crafted/doc-overlap", (4, &[])),
        ("crafted/end-before-start", (2, &[])),
        ("crafted/epoch-padded", (2, &[(BadEpoch, 0, 25)])),
        ("crafted/epoch-wrong-size", (2, &[(BadEpoch, 0, 19)])),
        ("crafted/event-before-epoch", (2, &[])),
        ("crafted/garbage-between", (3, &[(Junk, 66, 71), (PacketOrder, 71, 114)])),
        ("crafted/min-event-42", (1, &[])),
        ("crafted/nested", (7, &[])),
        ("crafted/nested-array-quirk", (3, &[(BadArgument, 88, 108), (PacketOrder, 108, 154)])),
        ("crafted/no-metadata", (1, &[])),
        ("crafted/pre-substream-2021-01", (2, &[(Overrun, 65, 90), (Junk, 90, 106)])),
        ("crafted/spec-both", (2, &[])),
        ("crafted/spec-event-91", (1, &[])),
        ("crafted/spec-metadata-23", (1, &[])),
        ("crafted/trailing-attr-bytes", (2, &[(BadArgument, 78, 79)])),
        ("crafted/truncated-event", (2, &[(Truncated, 66, 126)])),
        ("crafted/two-epochs", (4, &[(DuplicateEpoch, 66, 89)])),
        ("crafted/type0", (3, &[(BadArgument, 66, 70), (PacketOrder, 70, 116)])),
        ("crafted/unknown-option", (4, &[])),
        ("crafted/unknown-type", (3, &[(BadArgument, 66, 78), (PacketOrder, 78, 124)])),
    ]);
    let mut differing = Vec::new();
    for path in spall_testdata::inputs("heph", ".bin") {
        let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let name = format!("{folder}/{}", path.file_stem().unwrap().to_str().unwrap());
        let data = std::fs::read(&path).unwrap();
        let found = diagnostics(&data);
        let n_events = events(&data).len() - found.len();
        if name == "attack/many-substreams-50k" {
            // Four streams share one count.
            assert_eq!(n_events, 50_001);
            assert!(found.iter().all(|diagnostic| diagnostic.0 == DiagnosticKind::LostPackets));
        } else if expected.get(name.as_str()) != Some(&(n_events, &found[..])) {
            differing.push((name, n_events, found));
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn real_traces_are_whole_and_count_their_packets() {
    for path in
        [spall_testdata::inputs("heph", ".bin.log"), spall_testdata::inputs("recordings", ".heph")].concat()
    {
        let data = std::fs::read(&path).unwrap();
        assert_eq!(diagnostics(&data), [], "{}", path.display());
        assert_eq!(events(&data).len(), n_packets(&data), "{}", path.display());
    }
}
