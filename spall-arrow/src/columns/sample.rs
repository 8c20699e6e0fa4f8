//! The tables of sampling profiles, their frames and their samples.

use std::ops::Range;

use spall_model::Profile;

use super::{number, part, positions};
use crate::{
    Tables,
    arg_sets::ArgOwner,
    arrays::{ColumnType, floats, ints, some_ints},
    column::Column,
};

pub(crate) const PROFILE: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::new("track_id", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.profiles(), rows).map(|profile| number(profile.track)))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.profiles(), rows).map(|profile| profile.name))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.profiles(), rows).map(|profile| profile.start.0))
    }),
    Column::nullable("end_ts", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.profiles(), rows).map(|profile| Some(profile.end?.0)))
    }),
];

pub(crate) const FRAME: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::nullable("parent_id", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.frames(), rows).map(|frame| frame.parent.map(number)))
    }),
    Column::nullable("profile_id", ColumnType::Int, |tables, rows| {
        some_ints(profiles(tables, rows, |profile| profile.frames().indices()))
    }),
    Column::nullable("name", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.frames(), rows).map(|frame| frame.name))
    }),
    Column::nullable("url", ColumnType::Name, |tables, rows| {
        tables.name_column(part(tables.trace.frames(), rows).map(|frame| frame.url))
    }),
    Column::nullable("line", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.frames(), rows).map(|frame| frame.line.map(i64::from)))
    }),
    Column::nullable("column_number", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.frames(), rows).map(|frame| frame.column.map(i64::from)))
    }),
    Column::new("source_id", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.frames(), rows).map(|frame| frame.source))
    }),
];

pub(crate) const SAMPLE: &[Column] = &[
    Column::new("id", ColumnType::Int, |_, rows| ints(positions(rows))),
    Column::nullable("profile_id", ColumnType::Int, |tables, rows| {
        some_ints(profiles(tables, rows, |profile| profile.samples()))
    }),
    Column::new("ts", ColumnType::Int, |tables, rows| {
        ints(part(tables.trace.samples(), rows).map(|sample| sample.at.0))
    }),
    Column::new("weight", ColumnType::Float, |tables, rows| {
        floats(part(tables.trace.samples(), rows).map(|sample| sample.weight))
    }),
    Column::nullable("frame_id", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.samples(), rows).map(|sample| sample.frame().map(number)))
    }),
    Column::nullable("line", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.samples(), rows).map(|sample| sample.line().map(i64::from)))
    }),
    Column::nullable("column_number", ColumnType::Int, |tables, rows| {
        some_ints(part(tables.trace.samples(), rows).map(|sample| sample.column().map(i64::from)))
    }),
    Column::arg_set_id("arg_set_id", ArgOwner::Sample),
    Column::args("args", ArgOwner::Sample),
];

/// Returns the profile that each row belongs to, of which `of` returns the rows. Frames that several threads share
/// belong to none.
fn profiles(
    tables: &Tables<'_>,
    rows: Range<usize>,
    of: impl Fn(&Profile) -> Range<usize>,
) -> impl Iterator<Item = Option<i64>> {
    let mut by_start: Vec<_> = (0_i64..)
        .zip(tables.trace.profiles())
        .map(|(id, profile)| (of(profile), id))
        .filter(|(range, _)| !range.is_empty())
        .collect();
    by_start.sort_unstable_by_key(|(range, _)| range.start);
    rows.map(move |row| {
        let at = by_start.partition_point(|(range, _)| range.start <= row).checked_sub(1)?;
        let (range, id) = by_start.get(at)?;
        range.contains(&row).then_some(*id)
    })
}
