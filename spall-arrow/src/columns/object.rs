//! The tables of objects and their snapshots.

use super::{number, part, positions};
use crate::{
    arg_sets::ArgOwner,
    arrays::{ColumnType, ints, some_ints},
    column::Column,
};

pub(crate) const OBJECT: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::new("process_id", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.objects(), rows).map(|object| number(object.process)))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.objects(), rows).map(|object| object.name))
    }),
    Column::new("key", ColumnType::Text, |tables, rows| {
        tables.key_column("key", part(tables.trace.objects(), rows).map(|object| Some(object.id)))
    }),
    Column::nullable("scope", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.objects(), rows).map(|object| object.scope))
    }),
    Column::nullable("ts", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.objects(), rows).map(|object| Some(object.start?.0)))
    }),
    Column::nullable("end_ts", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.objects(), rows).map(|object| Some(object.end?.0)))
    }),
];

pub(crate) const SNAPSHOT: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::nullable("object_id", ColumnType::Int, |tables, rows| {
        let mut objects = (0_i64..).zip(tables.trace.objects()).peekable();
        some_ints(rows.map(|row| {
            // Snapshots are sorted by object.
            while objects.next_if(|(_, object)| object.snapshots().end <= row).is_some() {}
            objects.peek().map(|&(id, _)| id)
        }))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.snapshots(), rows).map(|snapshot| snapshot.at.0))
    }),
    Column::arg_set_id("arg_set_id", ArgOwner::Snapshot),
    Column::args("args", ArgOwner::Snapshot),
];
