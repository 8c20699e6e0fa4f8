//! The tables of processes and tracks.

use spall_model::{Key, ProcessId, TraceView, Track, TrackKind};

use crate::{
    Tables,
    arrays::{ColumnType, text_lists},
    column::{Column, Items, number},
};

pub(crate) fn process() -> Vec<Column> {
    let items = Items(|tables| tables.trace.processes());
    vec![
        items.column("id", |_, process| number(process.id)),
        items.nullable("pid", |tables, process| tables.key_number(process.pid)),
        items.text("pid_text", |tables, process| tables.trace.key_text(process.pid)),
        items.name("name", |process| process.name),
        items.text("label", |tables, process| tables.trace.process_title(process.id)),
        items.column("sort_index", |_, process| process.sort_index),
        Column::new("labels", ColumnType::Texts, false, |rows| {
            let trace = rows.tables.trace;
            let processes = trace.processes().get(rows.numbers.clone()).unwrap_or_default().iter();
            text_lists(
                processes.map(|process| process.labels.iter().map(|&label| trace.name(label)).collect()),
            )
        }),
    ]
}

pub(crate) fn track() -> Vec<Column> {
    let items = Items(|tables| tables.trace.tracks());
    vec![
        items.column("id", |_, track| number(track.id)),
        items.nullable("process_id", |_, track| track.process.map(number)),
        items.nullable("parent_id", |_, track| track.parent.map(number)),
        items.column("type", |_, track| track.kind.name()),
        items.name("name", |track| track.name),
        items.text("label", |tables, track| tables.trace.track_title(track.id)),
        items.nullable("pid", |tables, track| tables.key_number(pid(tables, track.process?)?)),
        items.nullable("tid", |tables, track| tables.key_number(tid(track.kind)?)),
        items.some_text("tid_text", |tables, track| Some(tables.trace.key_text(tid(track.kind)?))),
        items.nullable("is_main_thread", is_main_thread),
        items.some_text("key", |tables, track| Some(tables.trace.key_text(key(track.kind)?))),
        items.name("category", |track| match track.kind {
            TrackKind::Async { category, .. } => category,
            _ => Default::default(),
        }),
        items.column("sort_index", |_, track| track.sort_index),
    ]
}

fn pid(tables: &Tables<'_>, process: ProcessId) -> Option<Key> {
    Some(tables.trace.processes().get(process.index())?.pid)
}

/// Returns whether the track is the thread whose id is that of its process, or `None` if it is no thread.
fn is_main_thread(tables: &Tables<'_>, track: &Track) -> Option<bool> {
    match track.kind {
        TrackKind::Thread { tid } => Some(pid(tables, track.process?) == Some(tid)),
        _ => None,
    }
}

/// Returns the id of a thread, or of a CPU, GPU or frame timeline.
fn tid(kind: TrackKind) -> Option<Key> {
    kind.tid().filter(|_| !matches!(kind, TrackKind::Track { .. }))
}

/// Returns the id that an async track, a counter or a track of its own has in the file.
fn key(kind: TrackKind) -> Option<Key> {
    match kind {
        TrackKind::Track { id } => Some(id),
        TrackKind::Async { id, .. } => Some(id),
        TrackKind::Counter { id } => id,
        _ => None,
    }
}
