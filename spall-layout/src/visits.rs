//! The slices of a track that touch a range of time, each behind the one it lies in.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{SliceId, Tick, TrackId};

use crate::row_numbers::Reader;
use crate::{Layout, RowId};

/// What becomes of slices that stick out of the range of time that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EdgeRule {
    /// Only the part inside counts, so that adjacent ranges add up.
    #[default]
    Clamp,
    /// They count whole.
    Whole,
    /// They do not count.
    InsideOnly,
}

/// A slice on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visit {
    pub(crate) slice: SliceId,
    pub(crate) start: Tick,
    pub(crate) end: Tick,
    /// Its row, counted from the first of the track. The latest slice visited of the row above is its parent, if that
    /// touches the range.
    pub(crate) row: u32,
    /// The first row of its lane.
    pub(crate) top: u32,
}

/// First those that begin before the range, then the others, in the order of the trace. O(rows log n), then O(1) amortised
/// for each slice.
#[derive(Debug, Clone)]
pub(crate) struct Visits<'l> {
    layout: &'l Layout,
    /// Those that begin before the range, the next one last: where they are in the arrays of the layout, and their row.
    before: Vec<(SliceId, usize, u32)>,
    /// The slice to look at next, and the one behind the last.
    next: u32,
    end: u32,
    numbers: Option<Reader<'l>>,
    /// The rows of the slices from `next` on, as far as they are read: those from `n_used` on.
    block: [u32; BLOCK],
    n_used: usize,
    rows: Vec<RowAt>,
}

#[derive(Debug, Clone, Copy)]
struct RowAt {
    /// Where the row's next slice is in the arrays of the layout.
    cursor: usize,
    top: u32,
}

/// Row numbers that are read at a time.
const BLOCK: usize = 32;

impl<'l> Visits<'l> {
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
        for (number, row) in (0..).zip(layout.track_rows(track).map(RowId)) {
            let (Some(view), Some(info)) = (layout.row(row), layout.row_info(row)) else { continue };
            if info.depth == 0 {
                top = number;
            }
            let first = view.starts.partition_point(|&start| start < range.start);
            let end = view.starts.partition_point(|&start| start < range.end);
            let base = layout.first_slice(row);
            if let Some(before) = first.checked_sub(1)
                && view.ends[before] > range.start
            {
                visits.before.push((view.ids[before], base + before, number));
            }
            if first < end {
                visits.next = visits.next.min(view.ids[first].0);
                visits.end = visits.end.max(view.ids[end - 1].0 + 1);
            }
            visits.rows.push(RowAt { cursor: base + first, top });
        }
        visits.before.sort_unstable_by(|a, b| b.cmp(a));
        if visits.next < visits.end {
            visits.numbers = layout.row_numbers.read_from(SliceId(visits.next));
        }
        visits
    }

    /// How many rows the track has; none if the range is empty.
    pub(crate) fn n_rows(&self) -> usize {
        self.rows.len()
    }

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
        while self.next < self.end {
            if self.n_used == BLOCK {
                self.numbers.as_mut()?.read(&mut self.block);
                self.n_used = 0;
            }
            let row = self.block[self.n_used];
            let slice = SliceId(self.next);
            self.n_used += 1;
            self.next += 1;
            // Slices without a row have the number behind the last.
            if let Some(RowAt { cursor, top }) = self.rows.get_mut(row as usize) {
                let (at, top) = (*cursor, *top);
                *cursor += 1;
                return self.visit(slice, at, row, top);
            }
        }
        None
    }
}
