//! The tables of instants, counter values, states and flows.

use spall_model::{Scope, TraceView};

use super::{number, part, positions};
use crate::{
    arg_sets::ArgOwner,
    arrays::{ColumnType, floats, ints, some_ints32, words},
    column::Column,
};

pub(crate) const INSTANT: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::new("track_id", ColumnType::Int, |tables, rows| {
        ints(tables.tracks_of(rows, |track| track.instants().end))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.instants(), rows).map(|instant| instant.at.0))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.instants(), rows).map(|instant| instant.name))
    }),
    Column::nullable("category", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.instants(), rows).map(|instant| instant.category))
    }),
    Column::new("scope", ColumnType::Name, |tables, rows| {
        words(part(tables.trace.instants(), rows).map(|instant| match instant.scope {
            Scope::Thread => "thread",
            Scope::Process => "process",
            Scope::Global => "global",
        }))
    }),
    Column::nullable("depth", ColumnType::Int32, |tables, rows| {
        some_ints32(part(tables.trace.instants(), rows).map(|instant| Some(instant.depth)))
    }),
    Column::arg_set_id("arg_set_id", ArgOwner::Instant),
    Column::args("args", ArgOwner::Instant),
];

pub(crate) const COUNTER: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::new("track_id", ColumnType::Int, |tables, rows| {
        ints(tables.tracks_of(rows, |track| track.counters().end))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.counters(), rows).map(|counter| counter.at.0))
    }),
    Column::nullable("series", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.counters(), rows).map(|counter| counter.series))
    }),
    Column::new("value", ColumnType::Float, |tables, rows| {
        floats(part(tables.trace.counters(), rows).map(|counter| counter.value))
    }),
];

pub(crate) const STATE: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::new("track_id", ColumnType::Int, |tables, rows| {
        ints(tables.tracks_of(rows, |track| track.states().end().index()))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.states(), rows).map(|state| state.start.0))
    }),
    Column::new("dur", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.states(), rows).map(|state| (state.end - state.start).0))
    }),
    Column::nullable("state", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.states(), rows).map(|state| state.name))
    }),
    Column::arg_set_id("arg_set_id", ArgOwner::State),
    Column::args("args", ArgOwner::State),
];

pub(crate) const FLOW: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::new("key", ColumnType::Text, |tables, rows| {
        tables.key_column("key", part(tables.trace.flows(), rows).map(|flow| Some(flow.id)))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.flows(), rows).map(|flow| flow.name))
    }),
    Column::nullable("category", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.flows(), rows).map(|flow| flow.category))
    }),
    Column::new("slice_out", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.flows(), rows).map(|flow| number(flow.from)))
    }),
    Column::new("slice_in", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.flows(), rows).map(|flow| number(flow.to)))
    }),
    Column::new("ts_out", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.flows(), rows).map(|flow| flow.leaves.0))
    }),
    Column::new("ts_in", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.flows(), rows).map(|flow| flow.arrives.0))
    }),
    Column::arg_set_id("arg_set_id_out", ArgOwner::FlowOut),
    Column::args("args_out", ArgOwner::FlowOut),
    Column::arg_set_id("arg_set_id_in", ArgOwner::FlowIn),
    Column::args("args_in", ArgOwner::FlowIn),
];
