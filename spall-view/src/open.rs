//! Files, several on one axis of time, and what there is to say about them.

use std::io::{self, Read};

use serde::Serialize;
use spall_trace::model::{DiagnosticKind, Diagnostics, Limits, Tick, Trace, TraceView};
use spall_trace::{
    Alignment, Error, Loader, MergeInput, MergedTraces, PlacedBy, Placement, detect, merge_traces,
};

use crate::place::PlaceFile;

/// More bytes than it takes to recognise any format.
pub(crate) const HEAD: usize = 1 << 16;

/// A file that is to be opened.
#[derive(Debug)]
pub struct Source<R> {
    /// The name of the file.
    pub name: String,
    /// Its bytes.
    pub read: R,
    /// The nanoseconds that are added to its times, or `None` if what the files say tells where it belongs.
    pub offset: Option<i64>,
}

/// What files say together.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The trace of all of them.
    pub trace: Trace,
    /// The formats of the files, each once.
    pub format: String,
    /// What there is to say about the files.
    pub notes: Vec<Note>,
    /// The places of what is damaged, as far as they are kept.
    pub damage: Vec<Damage>,
    /// The files and their offsets, as a place names them.
    pub files: Vec<PlaceFile>,
    /// For each file whether it could not be read.
    pub unread: Vec<bool>,
    /// Where the files were put, if there are several.
    pub placed: Vec<Placed>,
}

impl Opened {
    /// Returns what there is to say about one trace, with the name and the format of its file.
    #[must_use]
    pub fn of(trace: Trace, name: &str, format: &str) -> Self {
        Self {
            format: format.into(),
            notes: notes_of("", [trace.diagnostics()]).collect(),
            files: vec![PlaceFile { name: name.into(), offset: None }],
            unread: vec![false],
            damage: damage_of(trace.diagnostics(), "", |at| at).collect(),
            placed: Vec::new(),
            trace,
        }
    }
}

/// Why no file could be opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenError {
    /// The name of the first file and what is wrong with it.
    pub message: String,
    /// The place of the problem in the file, in bytes.
    pub offset: u64,
}

/// A file among several, and how many nanoseconds were added to its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Placed {
    /// The name of the file.
    pub name: String,
    /// A whole number, as text, because it may be too large for a number of JavaScript.
    pub offset: String,
}

/// Something that is damaged or odd, or else worth knowing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// A sentence.
    pub text: String,
    /// Whether a file is missing or cut off, which a user should see at once.
    pub is_urgent: bool,
    /// How often that is so, if it can be counted.
    pub count: Option<u64>,
    /// The place of the first of them in the file, in bytes.
    pub byte: Option<u64>,
}

/// A place where a file is damaged or odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// A sentence, behind the name of the file if there are several.
    pub text: String,
    /// The place in the file, in bytes.
    pub byte: u64,
    /// The time on the axis of all files; `None` if no event that has a time comes before.
    pub at: Option<Tick>,
}

impl Note {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_urgent: false, count: None, byte: None }
    }
}

/// Opens files of any format, on all cores with the feature `parallel`. A file that cannot be read is a note, unless none can be read.
///
/// # Errors
///
/// If no file can be read, the error says what is wrong with the first one.
pub fn open<R: Read>(files: Vec<Source<R>>) -> Result<Opened, OpenError> {
    let (mut notes, mut unread) = (Vec::new(), Vec::new());
    let (mut read_files, mut formats) = (Vec::new(), Vec::new());
    let (mut first_error, is_alone, mut named) = (None, files.len() == 1, Vec::new());
    for Source { name, read, offset } in files {
        named.push(PlaceFile { name: name.clone(), offset });
        let prefix = if is_alone { String::new() } else { format!("{name}: ") };
        let (trace, format) = match load(read) {
            Ok(loaded) => loaded,
            Err(error) => {
                let (message, offset) = (format!("{prefix}{error}"), error.offset());
                notes.push(Note { byte: Some(offset), is_urgent: true, ..Note::new(message.as_str()) });
                first_error.get_or_insert(OpenError { message, offset });
                unread.push(true);
                continue;
            }
        };
        notes.extend(notes_of(&prefix, [trace.diagnostics()]));
        if !formats.contains(&format) {
            formats.push(format);
        }
        unread.push(false);
        read_files.push((trace, name, offset.map_or(Alignment::Auto, Alignment::Offset)));
    }
    let format = formats.join(", ");
    match (read_files.len(), first_error) {
        (0, Some(error)) => Err(error),
        (1, _) => {
            let trace = read_files.remove(0).0;
            let damage = damage_of(trace.diagnostics(), "", |at| at).collect();
            Ok(Opened { trace, format, notes, damage, files: named, unread, placed: Vec::new() })
        }
        _ => {
            let merged = merge(&read_files);
            let (mut placed, mut damage) = (Vec::new(), Vec::new());
            for (number, (placement, (trace, name, _))) in
                merged.placements.iter().zip(&read_files).enumerate()
            {
                placed.push(place_of(&merged.trace, placement, name));
                notes.push(Note::new(sentence(&merged.trace, placement, name)));
                let tick = |at| merged.tick(number, at).unwrap_or(at);
                damage.extend(damage_of(trace.diagnostics(), &format!("{name}: "), tick));
            }
            Ok(Opened { trace: merged.trace, format, notes, damage, files: named, unread, placed })
        }
    }
}

/// What diagnostics say about a file.
pub(crate) fn notes_of<'d>(
    prefix: &str,
    all: impl IntoIterator<Item = &'d Diagnostics>,
) -> impl Iterator<Item = Note> {
    let counts = all.into_iter().flat_map(|diagnostics| diagnostics.counts());
    counts.map(move |found| Note {
        text: format!("{prefix}{}", found.kind.description()),
        is_urgent: found.kind == DiagnosticKind::Truncated,
        count: Some(found.count),
        byte: Some(found.first_byte),
    })
}

fn load(mut read: impl Read) -> Result<(Trace, &'static str), Error> {
    let mut head = Vec::new();
    read.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    let format = detect(&head).map_or("", |format| format.name());
    let loader = Loader::new();
    #[cfg(feature = "parallel")]
    let loader = loader.on_all_cores();
    Ok((loader.load_from(io::Cursor::new(head).chain(read))?, format))
}

/// Returns what is damaged of a file, whose times another axis has as `tick` says.
pub(crate) fn damage_of(
    diagnostics: &Diagnostics,
    prefix: &str,
    tick: impl Fn(Tick) -> Tick,
) -> impl Iterator<Item = Damage> {
    diagnostics.kept().iter().map(move |found| Damage {
        text: format!("{prefix}{}", found.kind.description()),
        byte: found.bytes.start,
        at: found.at.map(&tick),
    })
}

/// Traces of which nothing tells where they belong begin together with the first one.
fn merge(files: &[(Trace, String, Alignment<'_>)]) -> MergedTraces {
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

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn place_of(trace: &Trace, placement: &Placement, name: &str) -> Placed {
    let offset = match trace.clock().ns_per_tick() {
        None | Some(1.0) => placement.offset.0,
        Some(ns) => (placement.offset.0 as f64 * ns).round() as i64,
    };
    Placed { name: name.into(), offset: offset.to_string() }
}

fn sentence(trace: &Trace, placement: &Placement, name: &str) -> String {
    let clock = trace.clock();
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
    text + "."
}
