//! The table of slices.

use std::ops::Range;

use spall_layout::SliceVisits;
use spall_model::{IdRange, SliceFlags, SliceId, ThreadMeasure, Tick, Ticks, TraceView};

use super::{number, part, positions};
use crate::{
    Tables,
    arg_sets::ArgOwner,
    arrays::{ColumnType, bools, ints, some_ints, some_ints32, words},
    column::Column,
};

pub(crate) const SLICE: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::new("track_id", ColumnType::Int, |tables, rows| {
        ints(tables.tracks_of(rows, |track| track.slices().end().index()))
    }),
    Column::nullable("parent_id", ColumnType::Int, |tables, rows| {
        some_ints(visit(tables, rows).map(|visit| visit?.parent.map(number)))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.slices().starts(), rows).map(|start| start.0))
    }),
    Column::new("dur", ColumnType::Int, |tables, rows| {
        let slices = tables.trace.slices();
        let times = part(slices.starts(), rows.clone()).zip(part(slices.ends(), rows.clone()));
        ints(visit(tables, rows).zip(times).map(|(visit, (&start, &in_trace))| {
            duration(start, visit.map_or(in_trace, |visit| visit.place.end)).0
        }))
    }),
    Column::nullable("self_dur", ColumnType::Int, |tables, rows| {
        some_ints(visit(tables, rows).map(|visit| Some(visit?.self_time().0)))
    }),
    Column::nullable("cpu", ColumnType::Int, |tables, rows| {
        some_ints(thread_measures(tables, rows, ThreadMeasure::Time))
    }),
    Column::nullable("instructions", ColumnType::Int, |tables, rows| {
        some_ints(thread_measures(tables, rows, ThreadMeasure::Instructions))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.slices().names(), rows).copied())
    }),
    Column::nullable("category", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.slices().categories(), rows).copied())
    }),
    Column::nullable("depth", ColumnType::Int32, |tables, rows| {
        some_ints32(visit(tables, rows).map(|visit| Some(visit?.place.depth)))
    }),
    Column::nullable("lane", ColumnType::Int32, |tables, rows| {
        some_ints32(visit(tables, rows).map(|visit| Some(visit?.place.lane)))
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

/// Visits the slices of some rows of the table.
fn visit<'t>(tables: &Tables<'t>, rows: Range<usize>) -> SliceVisits<'t> {
    tables.layout.visit(IdRange::new(SliceId::new(rows.start), SliceId::new(rows.end)))
}

/// Returns what counters of threads measured in slices.
fn thread_measures(
    tables: &Tables<'_>,
    rows: Range<usize>,
    measure: ThreadMeasure,
) -> impl ExactSizeIterator<Item = Option<i64>> {
    rows.map(move |row| tables.trace.slice_args(SliceId::new(row)).thread_measure(measure))
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

/// Returns the duration between two points in time, or the largest one if it is longer.
fn duration(start: Tick, end: Tick) -> Ticks {
    Ticks(end.0.saturating_sub(start.0))
}
