//! The tables of sampling profiles, their frames and their samples.

use std::ops::Range;

use spall_model::Profile;

use crate::{
    arg_sets::ArgOwner,
    arrays::{Cell, ColumnType},
    column::{Column, Items, number},
};

pub(crate) fn profile() -> Vec<Column> {
    let items = Items(|tables| tables.trace.profiles());
    vec![
        Column::id(),
        items.column("track_id", |_, profile| number(profile.track)),
        items.name("name", |profile| profile.name),
        items.column("ts", |_, profile| profile.start.0),
        items.nullable("end_ts", |_, profile| Some(profile.end?.0)),
    ]
}

pub(crate) fn frame() -> Vec<Column> {
    let items = Items(|tables| tables.trace.frames());
    vec![
        Column::id(),
        items.nullable("parent_id", |_, frame| frame.parent.map(number)),
        profile_id(|profile| profile.frames().indices()),
        items.name("name", |frame| frame.name),
        items.name("url", |frame| frame.url),
        items.nullable("line", |_, frame| frame.line.map(i64::from)),
        items.nullable("column_number", |_, frame| frame.column.map(i64::from)),
        items.column("source_id", |_, frame| frame.source),
    ]
}

pub(crate) fn sample() -> Vec<Column> {
    let items = Items(|tables| tables.trace.samples());
    vec![
        Column::id(),
        profile_id(Profile::samples),
        items.column("ts", |_, sample| sample.at.0),
        items.column("weight", |_, sample| sample.weight),
        items.nullable("frame_id", |_, sample| sample.frame().map(number)),
        items.nullable("line", |_, sample| sample.line().map(i64::from)),
        items.nullable("column_number", |_, sample| sample.column().map(i64::from)),
        Column::arg_set_id("arg_set_id", ArgOwner::Sample),
        Column::args("args", ArgOwner::Sample),
    ]
}

/// Returns the column with the profile that each row belongs to, of which `of` returns the rows. Frames that several
/// threads share belong to none.
fn profile_id(of: fn(&Profile) -> Range<usize>) -> Column {
    Column::new("profile_id", ColumnType::Int, true, move |rows| {
        let mut by_start: Vec<_> = (0_i64..)
            .zip(rows.tables.trace.profiles())
            .map(|(id, profile)| (of(profile), id))
            .filter(|(range, _)| !range.is_empty())
            .collect();
        by_start.sort_unstable_by_key(|(range, _)| range.start);
        i64::array(rows.numbers.clone().map(|row| {
            let at = by_start.partition_point(|(range, _)| range.start <= row).checked_sub(1)?;
            let (range, id) = by_start.get(at)?;
            range.contains(&row).then_some(*id)
        }))
    })
}
