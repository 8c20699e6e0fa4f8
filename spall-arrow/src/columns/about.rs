//! The tables about a trace as a whole: its clock and bounds, metadata, uninterpreted events, and diagnostics.

use std::iter::once;

use spall_json::JsonValue;
use spall_model::TraceView;

use crate::{
    Table, Tables, arg_rows,
    arg_sets::ArgOwner,
    arrays::{ColumnType, Maps, words},
    column::{Column, Items},
};

pub(crate) fn trace() -> Vec<Column> {
    // The trace is the only row.
    let items = Items(|_| &[()]);
    vec![
        Column::new("time_unit", ColumnType::Name, false, |rows| {
            words(once(Some(rows.tables.trace.clock().unit.counted().unwrap_or("tick"))))
        }),
        items.nullable("ns_per_tick", |tables, _| tables.trace.clock().ns_per_tick()),
        items.nullable("epoch_ns", |tables, _| tables.trace.clock().epoch_ns),
        items.nullable("start_ts", |tables, _| Some(tables.trace.bounds()?.start.0)),
        items.nullable("end_ts", |tables, _| Some(tables.trace.bounds()?.end.0)),
        items.column("track_count", |tables, _| count(tables, Table::Track)),
        items.column("slice_count", |tables, _| count(tables, Table::Slice)),
        items.column("instant_count", |tables, _| count(tables, Table::Instant)),
        items.column("counter_count", |tables, _| count(tables, Table::Counter)),
        items.column("sample_count", |tables, _| count(tables, Table::Sample)),
        items.column("diagnostic_count", |tables, _| {
            tables.diagnostics.iter().fold(0, |sum: i64, row| sum.saturating_add(row.count))
        }),
        Column::new("labels", ColumnType::Map, false, |rows| {
            let mut maps = Maps::new("labels");
            for (key, value) in &rows.tables.labels {
                maps.entry(key, Some(value))?;
            }
            maps.end(true)?;
            Ok(maps.finish())
        }),
    ]
}

pub(crate) fn metadata() -> Vec<Column> {
    let items = Items(|tables| tables.trace.meta());
    vec![
        items.name("key", |meta| meta.key),
        items.some_text("pid_text", |tables, meta| Some(tables.trace.key_text(meta.thread?.0))),
        items.some_text("tid_text", |tables, meta| Some(tables.trace.key_text(meta.thread?.1))),
        items.some_text("value", |tables, meta| arg_rows::value_text(tables.trace.meta_value(meta))),
        items.text("value_json", |tables, meta| JsonValue(tables.trace.meta_value(meta)).to_string().into()),
    ]
}

pub(crate) fn other_event() -> Vec<Column> {
    let items = Items(|tables| tables.trace.others());
    vec![
        items.text("tag", |_, event| event.tag.escape_ascii().to_string().into()),
        items.text("pid_text", |tables, event| tables.trace.key_text(event.thread.0)),
        items.text("tid_text", |tables, event| tables.trace.key_text(event.thread.1)),
        items.column("ts", |_, event| event.at.0),
        items.name("name", |event| event.name),
        items.name("category", |event| event.category),
        Column::arg_set_id("arg_set_id", ArgOwner::OtherEvent),
        Column::args("args", ArgOwner::OtherEvent),
    ]
}

pub(crate) fn diagnostic() -> Vec<Column> {
    let items = Items(|tables| &tables.diagnostics);
    vec![
        items.text("kind", |_, row| row.kind.into()),
        items.text("description", |_, row| row.description.into()),
        items.column("value", |_, row| row.count),
        items.nullable("first_byte", |_, row| row.first_byte),
    ]
}

fn count(tables: &Tables<'_>, table: Table) -> i64 {
    tables.n_rows(table).and_then(|n| i64::try_from(n).ok()).unwrap_or_default()
}
