//! The tables of processes and tracks.

use spall_model::{Key, ProcessId, TraceView, Track, TrackKind};

use super::{number, part};
use crate::{
    Tables,
    arrays::{ColumnType, ints, some_bools, some_ints, text_lists, texts, words},
    column::Column,
};

pub(crate) const PROCESS: &[Column] = &[
    Column::new("id", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.processes(), rows).map(|process| number(process.id)))
    }),
    Column::nullable("pid", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.processes(), rows).map(|process| tables.key_number(process.pid)))
    }),
    Column::new("pid_text", ColumnType::Text, |tables, rows| {
        tables.key_column("pid_text", part(tables.trace.processes(), rows).map(|process| Some(process.pid)))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.processes(), rows).map(|process| process.name))
    }),
    Column::new("label", ColumnType::Text, |tables, rows| {
        let labels =
            part(tables.trace.processes(), rows).map(|process| tables.trace.process_title(process.id));
        texts("label", labels.map(Some))
    }),
    Column::new("sort_index", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.processes(), rows).map(|process| process.sort_index))
    }),
    Column::new("labels", ColumnType::Texts, |tables, rows| {
        let labels = part(tables.trace.processes(), rows).map(|process| &process.labels);
        text_lists(labels.map(|labels| labels.iter().map(|&label| tables.trace.name(label)).collect()))
    }),
];

pub(crate) const TRACK: &[Column] = &[
    Column::new("id", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.tracks(), rows).map(|track| number(track.id)))
    }),
    Column::nullable("process_id", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.tracks(), rows).map(|track| track.process.map(number)))
    }),
    Column::nullable("parent_id", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.tracks(), rows).map(|track| track.parent.map(number)))
    }),
    Column::new("type", ColumnType::Name, |tables, rows| {
        words(part(tables.trace.tracks(), rows).map(|track| track.kind.name()))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.tracks(), rows).map(|track| track.name))
    }),
    Column::new("label", ColumnType::Text, |tables, rows| {
        texts(
            "label",
            part(tables.trace.tracks(), rows).map(|track| Some(tables.trace.track_title(track.id))),
        )
    }),
    Column::nullable("pid", ColumnType::Int, |tables, rows| {
        some_ints(
            part(tables.trace.tracks(), rows).map(|track| tables.key_number(pid(tables, track.process?)?)),
        )
    }),
    Column::nullable("tid", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.tracks(), rows).map(|track| tables.key_number(tid(track.kind)?)))
    }),
    Column::nullable("tid_text", ColumnType::Text, |tables, rows| {
        let tids = part(tables.trace.tracks(), rows).map(|track| tid(track.kind));
        tables.key_column("tid_text", tids)
    }),
    Column::nullable("is_main_thread", ColumnType::Bool, |tables, rows| {
        some_bools(part(tables.trace.tracks(), rows).map(|track| is_main_thread(tables, track)))
    }),
    Column::nullable("key", ColumnType::Text, |tables, rows| {
        tables.key_column("key", part(tables.trace.tracks(), rows).map(|track| key(track.kind)))
    }),
    Column::nullable("category", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.tracks(), rows).map(|track| match track.kind {
            TrackKind::Async { category, .. } => category,
            _ => Default::default(),
        }))
    }),
    Column::new("sort_index", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.tracks(), rows).map(|track| track.sort_index))
    }),
];

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
