//! The tables of objects and their snapshots.

use spall_model::TraceView;

use crate::{
    arg_sets::ArgOwner,
    arrays::{Cell, ColumnType},
    column::{Column, Items, number},
};

pub(crate) fn object() -> Vec<Column> {
    let items = Items(|tables| tables.trace.objects());
    vec![
        Column::id(),
        items.column("process_id", |_, object| number(object.process)),
        items.name("name", |object| object.name),
        items.text("key", |tables, object| tables.trace.key_text(object.id)),
        items.name("scope", |object| object.scope),
        items.nullable("ts", |_, object| Some(object.start?.0)),
        items.nullable("end_ts", |_, object| Some(object.end?.0)),
    ]
}

pub(crate) fn snapshot() -> Vec<Column> {
    let items = Items(|tables| tables.trace.snapshots());
    vec![
        Column::id(),
        Column::new("object_id", ColumnType::Int, true, |rows| {
            let mut objects = (0_i64..).zip(rows.tables.trace.objects()).peekable();
            i64::array(rows.numbers.clone().map(|row| {
                // Snapshots are sorted by object.
                while objects.next_if(|(_, object)| object.snapshots().end <= row).is_some() {}
                objects.peek().map(|&(id, _)| id)
            }))
        }),
        items.column("ts", |_, snapshot| snapshot.at.0),
        Column::arg_set_id("arg_set_id", ArgOwner::Snapshot),
        Column::args("args", ArgOwner::Snapshot),
    ]
}
