//! Queries on dense rows without an index.

use spall_trace::layout::{RowView, Viewport};

/// Looks at every slice that touches the viewport. Returns the number of runs of columns to draw and the number of slices.
#[must_use]
pub fn scan(row: &RowView<'_>, viewport: &Viewport) -> (usize, usize) {
    let seen = row.visible(viewport);
    let (mut runs, mut end) = (0, 0);
    for (&start, &stop) in row.starts()[seen.clone()].iter().zip(&row.ends()[seen.clone()]) {
        let first = viewport.x(start) as u32;
        let last = viewport.x(stop) as u32 + 1;
        runs += usize::from(first >= end);
        end = end.max(last);
    }
    (runs, seen.len())
}

/// Draws the first slice of each column and skips to the next column, by steps that double and then a binary search.
///
/// It does not look at the other slices of a column, so it knows neither their number nor the longest.
#[must_use]
pub fn skip_scan(row: &RowView<'_>, viewport: &Viewport) -> usize {
    let seen = row.visible(viewport);
    let (mut runs, mut at) = (0, seen.start);
    while at < seen.end {
        runs += 1;
        let edge = viewport.ticks(viewport.x(row.ends()[at]) as u32).end;
        let rest = &row.starts()[at..seen.end];
        let mut step = 1;
        while rest.get(step).is_some_and(|&start| start < edge) {
            step *= 2;
        }
        let behind = &rest[step / 2..rest.len().min(step)];
        at += (step / 2 + behind.partition_point(|&start| start < edge)).max(1);
    }
    runs
}
