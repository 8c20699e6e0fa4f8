//! Reads files piece by piece from JavaScript.

use std::io::{self, Read};

use js_sys::{Error as JsError, Function, Uint8Array};
use serde::Serialize;
use spall_trace::layout::Layout;
use spall_trace::model::{Limits, Trace, TraceView};
use spall_trace::{Alignment, MergeInput, MergedTraces, PlacedBy, Placement, merge_traces};
use wasm_bindgen::{JsCast, prelude::JsValue};

use crate::object;

/// More bytes than it takes to recognise any format.
const HEAD: usize = 1 << 16;

/// The offset of a file whose times say where it belongs.
const BY_ITSELF: i64 = i64::MIN;

/// A file of which JavaScript returns any range of bytes.
pub struct File<'f> {
    read: &'f Function,
    at: usize,
}

impl<'f> File<'f> {
    pub fn new(read: &'f Function) -> Self {
        Self { read, at: 0 }
    }
}

impl Read for File<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (from, to) = (self.at as f64, (self.at + buffer.len()) as f64);
        let bytes = self.read.call2(&JsValue::NULL, &from.into(), &to.into());
        let bytes = bytes.map_err(|error| io::Error::other(message(&error)))?.unchecked_into::<Uint8Array>();
        let length = bytes.length() as usize;
        bytes.copy_to(&mut buffer[..length]);
        self.at += length;
        Ok(length)
    }
}

fn message(error: &JsValue) -> String {
    error.dyn_ref::<JsError>().map_or_else(String::new, |error| error.message().into())
}

/// What files say together.
pub struct Loaded {
    pub trace: Trace,
    pub layout: Layout,
    pub format: String,
    pub notes: Vec<Note>,
    /// For each file 1 if it could not be read.
    pub unread: Vec<u8>,
    /// Where the others were put, if there are several.
    pub placed: Vec<Placed>,
    /// The names of the values that the samples have.
    pub values: Vec<String>,
    /// The one of them that was chosen.
    pub value: Option<String>,
}

/// A file among several, and how many nanoseconds were added to its times.
#[derive(Serialize)]
pub struct Placed {
    pub name: String,
    /// A whole number that may be too large for a number of JavaScript.
    pub offset: String,
}

/// Something that is damaged or odd, or else worth knowing.
#[derive(Serialize, Clone)]
pub struct Note {
    pub text: String,
    /// How often that is so, if it can be counted.
    pub count: Option<f64>,
    /// The place of the first of them in the file, in bytes.
    pub byte: Option<f64>,
}

/// Loads files of any format. A file that cannot be read is a note, unless none can be read. Offsets are in
/// nanoseconds; [`BY_ITSELF`] leaves it to the files where they belong. Samples have the value of this name, or the one that
/// the files say. An error has a `message`, and the `offset` of the damage in bytes.
pub fn load(
    names: &[String],
    reads: &[Function],
    offsets: &[i64],
    value: Option<String>,
) -> Result<Loaded, JsValue> {
    let mut notes = Vec::new();
    let (mut read_files, mut formats, mut placed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut first_error, mut unread) = (None, Vec::new());
    for ((name, read), offset) in names.iter().zip(reads).zip(offsets) {
        let prefix = if names.len() > 1 { format!("{name}: ") } else { String::new() };
        let (trace, format) = match load_file(read) {
            Ok(loaded) => loaded,
            Err(error) => {
                let text = format!("{prefix}{error}");
                notes.push(Note { text: text.clone(), count: None, byte: Some(error.offset() as f64) });
                first_error.get_or_insert((text, error.offset()));
                unread.push(1);
                continue;
            }
        };
        notes.extend(trace.diagnostics().counts().iter().map(|found| Note {
            text: format!("{prefix}{}", found.kind.description()),
            count: Some(found.count as f64),
            byte: Some(found.first_byte as f64),
        }));
        if !formats.contains(&format) {
            formats.push(format);
        }
        unread.push(0);
        let by = if *offset == BY_ITSELF { Alignment::Auto } else { Alignment::Offset(*offset) };
        read_files.push((trace, name, by));
    }
    if let (true, Some((text, offset))) = (read_files.is_empty(), first_error) {
        return Err(object([("message", text.into()), ("offset", JsValue::from(offset as f64))]).into());
    }
    let trace = match read_files.len() {
        1 => read_files.remove(0).0,
        _ => {
            let merged = merge(&read_files);
            let clock = merged.trace.clock();
            for (placement, (_, name, _)) in merged.placements.iter().zip(&read_files) {
                let offset = match clock.ns_per_tick() {
                    None | Some(1.0) => placement.offset.0,
                    Some(ns) => (placement.offset.0 as f64 * ns).round() as i64,
                };
                placed.push(Placed { name: String::clone(name), offset: offset.to_string() });
                let mut text = format!("{name} {}", placement.by.description());
                if placement.by == PlacedBy::Start {
                    text += ", because nothing tells how its times relate to the others";
                }
                if !matches!(placement.by, PlacedBy::First | PlacedBy::Nothing) {
                    text += &format!(": {} are added to its times", clock.duration(placement.offset));
                }
                if placement.error.0 > 0 {
                    text += &format!(", give or take {}", clock.duration(placement.error));
                }
                notes.push(Note { text: text + ".", count: None, byte: None });
            }
            merged.trace
        }
    };
    let all = trace.sample_values();
    let values: Vec<_> = all.iter().map(|value| trace.name(value.name).into_owned()).collect();
    let chosen = values.iter().position(|name| Some(name) == value.as_ref()).and_then(|at| all.get(at));
    let value = value.filter(|_| chosen.is_some());
    let trace = match chosen {
        Some(chosen) => trace.with_value(Some(chosen.name)),
        None => trace,
    };
    let (trace, layout) = spall_trace::lay_out(trace);
    Ok(Loaded { trace, layout, format: formats.join(", "), notes, unread, placed, values, value })
}

/// Traces of which nothing tells where they belong begin together with the first one.
fn merge(files: &[(Trace, &String, Alignment<'_>)]) -> MergedTraces {
    let inputs = files.iter().map(|(trace, name, by)| MergeInput::new(trace, name).with_alignment(*by));
    let mut inputs: Vec<_> = inputs.collect();
    let merged = merge_traces(&inputs, &Limits::default());
    let is_lost = |placement: &Placement| placement.by == PlacedBy::Nothing;
    if !merged.placements.iter().any(is_lost) {
        return merged;
    }
    for (input, _) in inputs.iter_mut().zip(&merged.placements).filter(|(_, placement)| is_lost(placement)) {
        input.alignment = Alignment::Start;
    }
    merge_traces(&inputs, &Limits::default())
}

fn load_file(read: &Function) -> Result<(Trace, &'static str), spall_trace::Error> {
    let mut head = vec![0; HEAD];
    let length = File::new(read).read(&mut head)?;
    let format = spall_trace::detect(&head[..length]).map_or("", |format| format.name());
    Ok((spall_trace::load_from(File::new(read))?, format))
}
