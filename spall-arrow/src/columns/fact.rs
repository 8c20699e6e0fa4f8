//! The tables of instants, counter values, states and flows.

use spall_model::{Scope, TraceView};

use crate::{
    arg_sets::ArgOwner,
    column::{Column, Items, number},
};

pub(crate) fn instant() -> Vec<Column> {
    let items = Items(|tables| tables.trace.instants());
    vec![
        Column::id(),
        Column::track(|track| track.instants().end),
        items.column("ts", |_, instant| instant.at.0),
        items.name("name", |instant| instant.name),
        items.name("category", |instant| instant.category),
        items.column("scope", |_, instant| match instant.scope {
            Scope::Thread => "thread",
            Scope::Process => "process",
            Scope::Global => "global",
        }),
        items.nullable("depth", |_, instant| Some(instant.depth)),
        Column::arg_set_id("arg_set_id", ArgOwner::Instant),
        Column::args("args", ArgOwner::Instant),
    ]
}

pub(crate) fn counter() -> Vec<Column> {
    let items = Items(|tables| tables.trace.counters());
    vec![
        Column::id(),
        Column::track(|track| track.counters().end),
        items.column("ts", |_, counter| counter.at.0),
        items.name("series", |counter| counter.series),
        items.column("value", |_, counter| counter.value),
    ]
}

pub(crate) fn state() -> Vec<Column> {
    let items = Items(|tables| tables.trace.states());
    vec![
        Column::id(),
        Column::track(|track| track.states().end().index()),
        items.column("ts", |_, state| state.start.0),
        items.column("dur", |_, state| (state.end - state.start).0),
        items.name("state", |state| state.name),
        Column::arg_set_id("arg_set_id", ArgOwner::State),
        Column::args("args", ArgOwner::State),
    ]
}

pub(crate) fn flow() -> Vec<Column> {
    let items = Items(|tables| tables.trace.flows());
    vec![
        Column::id(),
        items.text("key", |tables, flow| tables.trace.key_text(flow.id)),
        items.name("name", |flow| flow.name),
        items.name("category", |flow| flow.category),
        items.column("slice_out", |_, flow| number(flow.from)),
        items.column("slice_in", |_, flow| number(flow.to)),
        items.column("ts_out", |_, flow| flow.leaves.0),
        items.column("ts_in", |_, flow| flow.arrives.0),
        Column::arg_set_id("arg_set_id_out", ArgOwner::FlowOut),
        Column::args("args_out", ArgOwner::FlowOut),
        Column::arg_set_id("arg_set_id_in", ArgOwner::FlowIn),
        Column::args("args_in", ArgOwner::FlowIn),
    ]
}
