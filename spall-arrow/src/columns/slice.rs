//! The table of slices.

use spall_model::{Sampled, SliceFlags, SliceId, ThreadMeasure, TraceView};

use crate::{
    arg_sets::ArgOwner,
    arrays::{Cell, ColumnType},
    column::{Column, Items, number},
};

pub(crate) fn slice() -> Vec<Column> {
    let flags = Items(|tables| tables.trace.slices().flags());
    vec![
        Column::id(),
        Column::track(|track| track.slices().end().index()),
        Column::of_visits("parent_id", true, |_, _, visit| visit?.parent.map(number)),
        Items(|tables| tables.trace.slices().starts()).column("ts", |_, start| start.0),
        Column::of_visits("dur", false, |tables, row, visit| {
            let slices = tables.trace.slices();
            let end = visit.map_or_else(|| slices.ends().get(row).copied(), |visit| Some(visit.place.end))?;
            Some(end.0.saturating_sub(slices.starts().get(row)?.0))
        }),
        Column::of_visits("self_dur", true, |_, _, visit| Some(visit?.self_time().0)),
        Column::measure("cpu", ThreadMeasure::Time),
        Column::measure("instructions", ThreadMeasure::Instructions),
        Items(|tables| tables.trace.slices().names()).name("name", |&name| name),
        Items(|tables| tables.trace.slices().categories()).name("category", |&category| category),
        Column::of_visits("depth", true, |_, _, visit| Some(visit?.place.depth)),
        Column::of_visits("lane", true, |_, _, visit| Some(visit?.place.lane)),
        flags.column("incomplete", |_, flags| flags.is_unfinished()),
        flags.column("kind", |_, &flags| kind(flags)),
        flags.column("clamped", |_, flags| flags.contains(SliceFlags::CLAMPED)),
        flags.column("name_mismatch", |_, flags| flags.contains(SliceFlags::NAME_MISMATCH)),
        flags.column("repaired", |_, flags| flags.contains(SliceFlags::REPAIRED)),
        of_sampled("frame_id", |sampled| number(sampled.frame)),
        of_sampled("sample_count", |sampled| sampled.hits.into()),
        Column::arg_set_id("arg_set_id", ArgOwner::Slice),
        Column::args("args", ArgOwner::Slice),
        Column::args_json("args_json", ArgOwner::Slice),
    ]
}

/// Returns what the slice was made of.
fn kind(flags: SliceFlags) -> &'static str {
    if flags.contains(SliceFlags::SAMPLED) {
        "sample"
    } else if flags.is_paired() {
        "pair"
    } else {
        "complete"
    }
}

/// Returns a column about the slices that were made of samples.
fn of_sampled(name: &'static str, value: fn(Sampled) -> i64) -> Column {
    Column::new(name, ColumnType::Int, true, move |rows| {
        let sampled = |row| rows.tables.trace.sampled(SliceId::new(row)).map(value);
        i64::array(rows.numbers.clone().map(sampled))
    })
}
