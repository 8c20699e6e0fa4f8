//! Packets of real and hand-made files against what an independent decoder read from them.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

extern crate std;

use alloc::{format, string::String, vec::Vec};
use serde_json::{Value as Json, json};
use spall_model::Value;
use std::path::{Path, PathBuf};

use super::{
    attribute,
    packet::{EventPacket, Metadata, packet_size},
};

/// Bytes as the expectations have them: UTF-8, with what is none as `\xNN`.
fn text(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out
}

fn value(value: Value<'_>) -> Json {
    match value {
        Value::U64(value) => json!(value),
        Value::I64(value) => json!(value),
        Value::F64(value) => json!({ "f64bits": format!("{:016x}", value.to_bits()) }),
        Value::Text(value) => json!(text(value.raw())),
        Value::List(list) => list.iter().map(|(_, element)| self::value(element)).collect(),
        other => panic!("Heph has no {other:?}"),
    }
}

/// The packets of `data`, found by size alone, in the shape of the expectations.
fn packets(mut data: &[u8]) -> Vec<Json> {
    let whole = data.len();
    let mut lines = Vec::new();
    while let Some(size) = packet_size(data).filter(|&size| size <= data.len()) {
        let off = whole - data.len();
        lines.push(match EventPacket::read(data) {
            None => Metadata::read(data, size).map(|packet| json!({
                "k": "meta", "off": off, "size": size, "option": text(packet.name),
                "value": if packet.name == b"epoch" {
                    json!(packet.value.iter().fold(0, |value: u64, &byte| value << 8 | u64::from(byte)))
                } else {
                    json!(packet.value.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
                },
            })).unwrap(),
            Some((packet, _)) => json!({
                "k": "event", "off": off, "size": size, "stream": packet.stream, "counter": packet.counter,
                "substream": packet.substream, "start": packet.start, "end": packet.end,
                "desc": text(packet.description),
                "attrs": attribute::args(packet.attributes).iter().zip(type_bytes(packet.attributes))
                    .map(|((name, attribute), kind)| json!([text(name.raw()), kind, value(attribute)]))
                    .collect::<Vec<_>>(),
            }),
        });
        data = &data[size..];
    }
    lines
}

/// The type bytes of attributes: behind each name.
fn type_bytes(bytes: &[u8]) -> Vec<u8> {
    let name_end = |name: &[u8]| name.as_ptr() as usize - bytes.as_ptr() as usize + name.len();
    attribute::args(bytes).iter().map(|(name, _)| bytes[name_end(name.raw())]).collect()
}

/// What the decoder read. The unit tests of a package have no other package of the repository, and no files.
fn decoded() -> Vec<PathBuf> {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata");
    let roots = [Some(testdata), std::env::var_os("SPALL_CORPUS").map(PathBuf::from)];
    let mut folders: Vec<_> = roots.into_iter().flatten().map(|root| root.join("heph")).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.to_str().unwrap().ends_with(".events.jsonl") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn files_read_as_an_independent_decoder_reads_them() {
    for path in decoded() {
        let name = path.to_str().unwrap();
        let base = name.trim_end_matches(".events.jsonl");
        let data = std::fs::read(format!("{base}.bin.log"))
            .or_else(|_| std::fs::read(format!("{base}.bin")))
            .unwrap();
        let lines = std::fs::read_to_string(&path).unwrap();
        let expected: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        // The decoder stops at damage and says so on its last line; files with undecodable attributes it refuses.
        let whole = |line: &&Json| ["meta", "event"].contains(&line["k"].as_str().unwrap());
        let expected: Vec<&Json> = expected.iter().take_while(whole).collect();
        if !expected.is_empty() {
            assert!(packets(&data).iter().eq(expected), "{name}");
        }
    }
}
