//! Slices in any order, put into the order in which they are drawn.

use std::cmp::Reverse;

/// A slice as a row of a table, with the fields that a trace has of it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    thread: u32,
    start: i64,
    end: i64,
    /// Name, categories, arguments and flags.
    pub rest: [u32; 4],
}

/// Makes rows of slices, which are given as thread, start and duration, and sorts them by thread and time, with parents
/// before their children.
#[must_use]
pub fn rows(slices: impl Iterator<Item = (u32, i64, i64)>) -> Vec<Row> {
    let mut rows: Vec<_> = slices
        .map(|(thread, start, length)| Row { thread, start, end: start + length, rest: [0; 4] })
        .collect();
    rows.sort_by_key(|row| (row.thread, row.start, Reverse(row.end)));
    rows
}
