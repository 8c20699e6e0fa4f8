//! Iterates over the slices of a track that touch a range of time, parents before children. Statistics and trees use
//! this.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{SliceId, Tick, TrackId};

use crate::Layout;
use crate::convert::to_u32;
use crate::row_numbers::RowReader;

/// How statistics of a range of time count a slice that lies only partly inside it. [layout
/// 14.1](crate::rules::layout#14.1)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EdgeRule {
    /// The slice counts with the part inside the range, so the times of adjacent ranges add up.
    #[default]
    Clamp,
    /// The slice counts with its whole duration.
    Whole,
    /// The slice does not count.
    InsideOnly,
}

/// A slice that [`Visits`] yields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visit {
    pub(crate) slice: SliceId,
    pub(crate) start: Tick,
    pub(crate) end: Tick,
    /// The row, counted from the first row of the track. The slice's parent is the latest slice visited on the row
    /// above, unless the parent does not touch the range.
    pub(crate) row: u32,
    /// The first row of the slice's lane, counted in the same way. A slice on that row has no parent.
    pub(crate) top: u32,
}

/// An iterator over the slices of a track that touch a range of time.
///
/// The slices that begin before the range come first, then the others. Both are in the order of the trace, so parents
/// come before their children. Making the iterator takes O(rows log n), each slice amortised O(1).
#[derive(Debug, Clone)]
pub(crate) struct Visits<'l> {
    layout: &'l Layout,
    /// The slices that begin before the range, in reverse order, with their positions in the arrays of the layout and
    /// their rows. Each row has one at most.
    before: Vec<(SliceId, usize, u32)>,
    /// The id of the next slice to look at.
    next: u32,
    /// The id behind the last slice that touches the range.
    end: u32,
    /// The rows of the slices behind those of `block`. `None` if no slice begins in the range.
    numbers: Option<RowReader<'l>>,
    /// Rows that were read ahead. The row of `next` is at `n_used`.
    block: [u32; BLOCK],
    n_used: usize,
    /// The rows of the track.
    rows: Vec<RowCursor>,
}

/// How far the visit of one row has come.
#[derive(Debug, Clone, Copy)]
struct RowCursor {
    /// The position of the row's next slice in the arrays of the layout.
    cursor: usize,
    /// The first row of the row's lane.
    top: u32,
}

/// The number of row numbers that are read at a time.
const BLOCK: usize = 32;

impl<'l> Visits<'l> {
    /// Starts the visit of a track. An empty range touches no slice.
    pub(crate) fn new(layout: &'l Layout, track: TrackId, range: &Range<Tick>) -> Self {
        let mut visits = Self {
            layout,
            before: Vec::new(),
            next: u32::MAX,
            end: 0,
            numbers: None,
            block: [0; BLOCK],
            n_used: BLOCK,
            rows: Vec::new(),
        };
        if range.is_empty() {
            return visits;
        }
        let mut top = 0;
        for (number, row) in (0..).zip(layout.track_rows(track)) {
            let (Some(view), Some(info)) = (layout.row(row), layout.row_info(row)) else { continue };
            if info.depth == 0 {
                top = number;
            }
            let first = view.starts.partition_point(|&start| start < range.start);
            let end = view.starts.partition_point(|&start| start < range.end);
            let base = layout.first_slice(row);
            // The slices of a row do not overlap, so only the last one before the range can reach into it.
            if let Some(before) = first.checked_sub(1)
                && view.ends[before] > range.start
            {
                visits.before.push((view.ids[before], base + before, number));
            }
            if first < end {
                visits.next = visits.next.min(view.ids[first].0);
                visits.end = visits.end.max(view.ids[end - 1].0 + 1);
            }
            visits.rows.push(RowCursor { cursor: base + first, top });
        }
        // In reverse, because `next` takes them from the end.
        visits.before.sort_unstable_by(|a, b| b.cmp(a));
        if visits.next < visits.end {
            visits.numbers = layout.row_numbers.read_from(SliceId(visits.next));
        }
        visits
    }

    /// Returns the number of rows of the track, or 0 if the range is empty.
    pub(crate) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Passes the next slices to `visit`, at most `budget` of them, and returns how many there were.
    ///
    /// This does what the iterator does, with one check for each block of slices instead of several for each slice.
    #[inline(always)]
    pub(crate) fn visit_some(&mut self, budget: usize, mut visit: impl FnMut(Visit)) -> usize {
        let mut left = budget;
        while left > 0 {
            // The slices before the range come first. Such a slice is the one before the next slice of its row.
            let before = self.before.pop();
            let single;
            let (numbers, first, back) = if let Some((slice, _, row)) = before {
                single = [row];
                (&single[..], slice.0, 1)
            } else if self.next < self.end {
                if self.n_used == BLOCK {
                    let Some(numbers) = &mut self.numbers else { break };
                    numbers.read(&mut self.block);
                    self.n_used = 0;
                }
                let n_slices = (BLOCK - self.n_used).min((self.end - self.next) as usize).min(left);
                let (first, from) = (self.next, self.n_used);
                self.n_used += n_slices;
                self.next += to_u32(n_slices);
                (&self.block[from..from + n_slices], first, 0)
            } else {
                break;
            };
            for (&row, slice) in numbers.iter().zip(first..) {
                // A slice without a row has the number behind that of the last row, and so is passed over.
                let Some(RowCursor { cursor, top }) = self.rows.get_mut(row as usize) else { continue };
                let at = *cursor - back;
                *cursor = at + 1;
                if let (Some(&start), Some(&end)) = (self.layout.starts.get(at), self.layout.ends.get(at)) {
                    visit(Visit { slice: SliceId(slice), start, end, row, top: *top });
                    left -= 1;
                }
            }
        }
        budget - left
    }

    /// Returns the visit of `slice`, which is at position `at` of the layout's arrays.
    #[inline(always)]
    fn visit(&self, slice: SliceId, at: usize, row: u32, top: u32) -> Option<Visit> {
        let (start, end) = (*self.layout.starts.get(at)?, *self.layout.ends.get(at)?);
        Some(Visit { slice, start, end, row, top })
    }
}

impl Iterator for Visits<'_> {
    type Item = Visit;

    #[inline(always)]
    fn next(&mut self) -> Option<Visit> {
        if let Some((slice, at, row)) = self.before.pop() {
            return self.visit(slice, at, row, self.rows[row as usize].top);
        }
        // The ids from `next` to `end` are gone through without gaps. Their rows say which of them are the next on their
        // row, so no time is compared: a slice in between begins in the range, because starts ascend within the track.
        while self.next < self.end {
            if self.n_used == BLOCK {
                self.numbers.as_mut()?.read(&mut self.block);
                self.n_used = 0;
            }
            let row = self.block[self.n_used];
            let slice = SliceId(self.next);
            self.n_used += 1;
            self.next += 1;
            // A slice without a row has the number behind that of the last row, and so is passed over.
            if let Some(RowCursor { cursor, top }) = self.rows.get_mut(row as usize) {
                let (at, top) = (*cursor, *top);
                *cursor += 1;
                return self.visit(slice, at, row, top);
            }
        }
        None
    }
}
