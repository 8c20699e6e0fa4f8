//! The table of slices.

use spall_model::{SliceFlags, SliceId, ThreadMeasure, Tick, Ticks, TraceView};

use super::{number, part, positions};
use crate::{
    arg_sets::ArgOwner,
    arrays::{ColumnType, bools, ints, some_ints, some_ints32, words},
    column::Column,
};

pub(crate) const SLICE: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::new("track_id", ColumnType::Int, |tables, rows| {
        ints(tables.tracks_of(rows, |track| track.slices().end().index()))
    }),
    Column::of_visits("parent_id", ColumnType::Int, true, |_, _, visits| {
        some_ints(visits.iter().map(|visit| visit.as_ref()?.parent.map(number)))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.slices().starts(), rows).map(|start| start.0))
    }),
    Column::of_visits("dur", ColumnType::Int, false, |tables, rows, visits| {
        let slices = tables.trace.slices();
        let times = part(slices.starts(), rows.clone()).zip(part(slices.ends(), rows));
        ints(visits.iter().zip(times).map(|(visit, (&start, &in_trace))| {
            duration(start, visit.as_ref().map_or(in_trace, |visit| visit.place.end)).0
        }))
    }),
    Column::of_visits("self_dur", ColumnType::Int, true, |_, _, visits| {
        some_ints(visits.iter().map(|visit| Some(visit.as_ref()?.self_time().0)))
    }),
    Column::measure("cpu", ThreadMeasure::Time),
    Column::measure("instructions", ThreadMeasure::Instructions),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.slices().names(), rows).copied())
    }),
    Column::nullable("category", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.slices().categories(), rows).copied())
    }),
    Column::of_visits("depth", ColumnType::Int32, true, |_, _, visits| {
        some_ints32(visits.iter().map(|visit| Some(visit.as_ref()?.place.depth)))
    }),
    Column::of_visits("lane", ColumnType::Int32, true, |_, _, visits| {
        some_ints32(visits.iter().map(|visit| Some(visit.as_ref()?.place.lane)))
    }),
    Column::new("incomplete", ColumnType::Bool, |tables, rows| {
        bools(part(tables.trace.slices().flags(), rows).map(|flags| flags.is_unfinished()))
    }),
    Column::new("kind", ColumnType::Name, |tables, rows| {
        words(part(tables.trace.slices().flags(), rows).map(|&flags| kind(flags)))
    }),
    Column::new("clamped", ColumnType::Bool, |tables, rows| {
        bools(part(tables.trace.slices().flags(), rows).map(|flags| flags.contains(SliceFlags::CLAMPED)))
    }),
    Column::new("name_mismatch", ColumnType::Bool, |tables, rows| {
        bools(
            part(tables.trace.slices().flags(), rows).map(|flags| flags.contains(SliceFlags::NAME_MISMATCH)),
        )
    }),
    Column::new("repaired", ColumnType::Bool, |tables, rows| {
        bools(part(tables.trace.slices().flags(), rows).map(|flags| flags.contains(SliceFlags::REPAIRED)))
    }),
    Column::nullable("frame_id", ColumnType::Int, |tables, rows| {
        some_ints(rows.map(|row| Some(number(tables.trace.sampled(SliceId::new(row))?.frame))))
    }),
    Column::nullable("sample_count", ColumnType::Int, |tables, rows| {
        some_ints(rows.map(|row| Some(tables.trace.sampled(SliceId::new(row))?.hits.into())))
    }),
    Column::arg_set_id("arg_set_id", ArgOwner::Slice),
    Column::args("args", ArgOwner::Slice),
    Column::args_json("args_json", ArgOwner::Slice),
];

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

/// Returns the duration between two points in time, or the largest one if it is longer.
fn duration(start: Tick, end: Tick) -> Ticks {
    Ticks(end.0.saturating_sub(start.0))
}
