//! Iterates over the slices of a track that touch a range of time, parents before children. Statistics and trees use
//! this.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{SliceId, Tick, TrackId, index32};

use crate::Layout;
use crate::row_numbers::RowReader;

/// A slice that a walk visits.
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

impl Visit {
    /// Fills memory before a walk writes visits there.
    pub(crate) const NONE: Self =
        Self { slice: SliceId(u32::MAX), start: Tick::MIN, end: Tick::MIN, row: 0, top: 0 };
}

/// A walk over the slices of a track, each after its parent.
pub(crate) trait VisitSlices {
    /// Returns the number of rows of the track, or 0 if the range is empty.
    fn n_rows(&self) -> usize;

    /// Writes the next slices to the front of `out`. Returns how many there were: fewer than `out` has room for at the end
    /// of the walk.
    fn read(&mut self, out: &mut [Visit]) -> usize;

    /// Passes the next slices to `visit`, at most `work` of them. Returns how many there were: fewer than `work` at the
    /// end of the walk.
    fn visit_some(&mut self, work: usize, mut visit: impl FnMut(Visit)) -> usize {
        let mut block = [Visit::NONE; BLOCK];
        let mut left = work;
        while left > 0 {
            let n_read = self.read(&mut block[..left.min(BLOCK)]);
            if n_read == 0 {
                break;
            }
            left -= n_read;
            block[..n_read].iter().for_each(|&slice| visit(slice));
        }
        work - left
    }
}

/// A walk over the slices of a track that touch a range of time.
///
/// The slices that begin before the range come first, then the others. Both are in the order of the trace, so parents
/// come before their children. Beginning the walk takes O(rows log n), each slice amortised O(1).
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
    /// The rows of the slices from `next` on. `None` if no slice begins in the range.
    numbers: Option<RowReader<'l>>,
    /// The rows of the track.
    rows: Vec<RowCursor>,
    /// The times of all slices of the trace, if those of the track are drawn with these times and are all on lane 0.
    times: Option<SliceTimes<'l>>,
}

/// The starts and the ends of all slices of a trace, as [`TraceView::slice_times`](spall_model::TraceView::slice_times)
/// returns them.
pub(crate) type SliceTimes<'t> = (&'t [Tick], &'t [Tick]);

/// How far the visit of one row has come.
#[derive(Debug, Clone, Copy)]
struct RowCursor {
    /// The position of the row's next slice in the arrays of the layout.
    cursor: usize,
    /// The first row of the row's lane.
    top: u32,
}

/// The number of slices that are read at a time.
const BLOCK: usize = 32;

impl<'l> Visits<'l> {
    /// Starts the visit of a track. An empty range touches no slice.
    ///
    /// With the times of the trace's slices the walk may be faster: they are read one after the other, while the slices of
    /// the track's rows lie far apart.
    pub(crate) fn new(
        layout: &'l Layout,
        times: Option<SliceTimes<'l>>,
        track: TrackId,
        range: &Range<Tick>,
    ) -> Self {
        let mut visits = Self {
            layout,
            before: Vec::new(),
            next: u32::MAX,
            end: 0,
            numbers: None,
            rows: Vec::new(),
            times: None,
        };
        if !range.start.is_before(range.end) {
            return visits;
        }
        let mut top = 0;
        for (number, row) in (0..).zip(layout.track_rows(track)) {
            let (Some(view), Some(info)) = (layout.row(row), layout.row_info(row)) else { continue };
            if info.depth == 0 {
                top = number;
            }
            let first = view.starts.partition_point(|&start| start < range.start);
            let end = view.starts.partition_point(|start| start.is_before(range.end));
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
            let Some((track, numbers)) = layout.row_numbers.read_from(SliceId(visits.next)) else {
                return visits;
            };
            visits.numbers = Some(numbers);
            visits.times = times.filter(|_| track.is_plain);
        }
        visits
    }

    /// Writes the slices of the next ids, as far as they have a row, to the front of `out`. Returns how many there were.
    ///
    /// The ids from `next` to `end` are gone through without gaps. Their rows say which of them are the next on their row,
    /// so no time is compared: a slice in between begins in the range, because starts ascend within the track.
    fn read_block(&mut self, out: &mut [Visit]) -> usize {
        let mut block = [0; BLOCK];
        let rows = &mut block[..BLOCK.min(out.len()).min((self.end - self.next) as usize)];
        if let Some(numbers) = &mut self.numbers {
            numbers.read(rows);
        }
        let ids = self.next..self.next + index32(rows.len());
        self.next = ids.end;
        let positions = ids.start as usize..ids.end as usize;
        match self.times.and_then(|(starts, ends)| starts.get(positions.clone()).zip(ends.get(positions))) {
            Some(times) => read_plain(ids, rows, times, out),
            None => self.read_rows(ids, rows, out),
        }
    }

    /// Writes slices to the front of `out`, with the times that the layout has. Returns how many there were.
    fn read_rows(&mut self, ids: Range<u32>, rows: &[u32], out: &mut [Visit]) -> usize {
        let mut n_read = 0;
        for (slice, &row) in ids.zip(rows) {
            // A slice without a row has the number behind that of the last row, and so is passed over.
            if let Some(RowCursor { cursor, top }) = self.rows.get_mut(row as usize) {
                let at = *cursor;
                *cursor += 1;
                let (start, end) = (self.layout.starts[at], self.layout.ends[at]);
                out[n_read] = Visit { slice: SliceId(slice), start, end, row, top: *top };
                n_read += 1;
            }
        }
        n_read
    }
}

impl VisitSlices for Visits<'_> {
    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn read(&mut self, out: &mut [Visit]) -> usize {
        let mut n_read = 0;
        while let Some((slice, at, row)) = self.before.pop_if(|_| n_read < out.len()) {
            let (start, end) = (self.layout.starts[at], self.layout.ends[at]);
            out[n_read] = Visit { slice, start, end, row, top: self.rows[row as usize].top };
            n_read += 1;
        }
        while n_read < out.len() && self.next < self.end {
            n_read += self.read_block(&mut out[n_read..]);
        }
        n_read
    }
}

/// Writes slices of a plain track to the front of `out`, with the times that the trace has. Returns how many there were.
fn read_plain(ids: Range<u32>, rows: &[u32], (starts, ends): SliceTimes<'_>, out: &mut [Visit]) -> usize {
    let times = starts.iter().zip(ends);
    for (((visit, slice), &row), (&start, &end)) in out.iter_mut().zip(ids).zip(rows).zip(times) {
        *visit = Visit { slice: SliceId(slice), start, end, row, top: 0 };
    }
    rows.len()
}
