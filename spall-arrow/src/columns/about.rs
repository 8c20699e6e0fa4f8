//! The tables about a trace as a whole: its clock and bounds, metadata, uninterpreted events, and diagnostics.

use std::{borrow::Cow, iter::once};

use spall_json::JsonValue;
use spall_model::{TraceView, Value};

use super::part;
use crate::{
    Table, Tables, arg_rows,
    arg_sets::ArgOwner,
    arrays::{ColumnType, Maps, ints, some_floats, some_ints, texts, words},
    column::Column,
};

pub(crate) const TRACE: &[Column] = &[
    Column::new("time_unit", ColumnType::Name, |tables, _| {
        let unit = tables.trace.clock().unit;
        words(once(unit.counted().unwrap_or("tick")))
    }),
    Column::nullable("ns_per_tick", ColumnType::Float, |tables, _| {
        some_floats(once(tables.trace.clock().ns_per_tick()))
    }),
    Column::nullable("epoch_ns", ColumnType::Int, |tables, _| some_ints(once(tables.trace.clock().epoch_ns))),
    Column::nullable("start_ts", ColumnType::Int, |tables, _| {
        some_ints(once(tables.trace.bounds().map(|bounds| bounds.start.0)))
    }),
    Column::nullable("end_ts", ColumnType::Int, |tables, _| {
        some_ints(once(tables.trace.bounds().map(|bounds| bounds.end.0)))
    }),
    Column::new("track_count", ColumnType::Int, |tables, _| ints(once(count(tables, Table::Track)))),
    Column::new("slice_count", ColumnType::Int, |tables, _| ints(once(count(tables, Table::Slice)))),
    Column::new("instant_count", ColumnType::Int, |tables, _| ints(once(count(tables, Table::Instant)))),
    Column::new("counter_count", ColumnType::Int, |tables, _| ints(once(count(tables, Table::Counter)))),
    Column::new("sample_count", ColumnType::Int, |tables, _| ints(once(count(tables, Table::Sample)))),
    Column::new("diagnostic_count", ColumnType::Int, |tables, _| {
        let counts = tables.diagnostics().into_iter().map(|diagnostic| diagnostic.count);
        ints(once(counts.fold(0, i64::saturating_add)))
    }),
    Column::new("labels", ColumnType::Map, |tables, _| {
        let mut maps = Maps::new("labels");
        for (key, value) in &tables.labels {
            maps.entry(key, Some(value))?;
        }
        maps.end(true);
        maps.finish()
    }),
];

pub(crate) const METADATA: &[Column] = &[
    Column::nullable("key", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.meta(), rows).map(|meta| meta.key))
    }),
    Column::nullable("pid_text", ColumnType::Text, |tables, rows| {
        tables.key_column("pid_text", part(tables.trace.meta(), rows).map(|meta| Some(meta.thread?.0)))
    }),
    Column::nullable("tid_text", ColumnType::Text, |tables, rows| {
        tables.key_column("tid_text", part(tables.trace.meta(), rows).map(|meta| Some(meta.thread?.1)))
    }),
    Column::nullable("value", ColumnType::Text, |tables, rows| {
        let values = part(tables.trace.meta(), rows).map(|meta| tables.trace.meta_value(meta));
        texts("value", values.map(arg_rows::value_text))
    }),
    Column::new("value_json", ColumnType::Text, |tables, rows| {
        let values = part(tables.trace.meta(), rows).map(|meta| tables.trace.meta_value(meta));
        texts("value_json", values.map(|value: Value<'_>| Some(JsonValue(value).to_string().into())))
    }),
];

pub(crate) const OTHER_EVENT: &[Column] = &[
    Column::new("tag", ColumnType::Text, |tables, rows| {
        let tags = part(tables.trace.others(), rows).map(|event| event.tag);
        texts("tag", tags.map(|tag| Some(tag.escape_ascii().to_string().into())))
    }),
    Column::new("pid_text", ColumnType::Text, |tables, rows| {
        tables.key_column("pid_text", part(tables.trace.others(), rows).map(|event| Some(event.thread.0)))
    }),
    Column::new("tid_text", ColumnType::Text, |tables, rows| {
        tables.key_column("tid_text", part(tables.trace.others(), rows).map(|event| Some(event.thread.1)))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.others(), rows).map(|event| event.at.0))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.others(), rows).map(|event| event.name))
    }),
    Column::nullable("category", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.others(), rows).map(|event| event.category))
    }),
    Column::arg_set_id("arg_set_id", ArgOwner::OtherEvent),
    Column::args("args", ArgOwner::OtherEvent),
];

pub(crate) const DIAGNOSTIC: &[Column] = &[
    Column::new("kind", ColumnType::Text, |tables, rows| {
        texts("kind", part(&tables.diagnostics(), rows).map(|row| Some(Cow::Borrowed(row.kind))))
    }),
    Column::new("description", ColumnType::Text, |tables, rows| {
        texts(
            "description",
            part(&tables.diagnostics(), rows).map(|row| Some(Cow::Borrowed(row.description))),
        )
    }),
    Column::new("value", ColumnType::Int, |tables, rows| {
        ints(part(&tables.diagnostics(), rows).map(|row| row.count))
    }),
    Column::nullable("first_byte", ColumnType::Int, |tables, rows| {
        some_ints(part(&tables.diagnostics(), rows).map(|row| row.first_byte))
    }),
];

fn count(tables: &Tables<'_>, table: Table) -> i64 {
    tables.n_rows(table).and_then(|n| i64::try_from(n).ok()).unwrap_or_default()
}
