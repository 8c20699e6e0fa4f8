//! Queries on a live layout. [layout 18](crate::rules::layout#18)

use alloc::vec::{IntoIter, Vec};
use core::ops::Range;

use spall_model::{LiveSnapshot, SliceId, SpanParents, Tick, TraceView, TrackId, index32};

use crate::layout_view::Order;
use crate::visits::{SliceTimes, Visit, VisitSlices};
use crate::{LayoutView, LiveLayout, RowId, RowInfo, RowView};

/// A [`LiveLayout`] between two updates, together with the snapshot of the trace that it shows.
///
/// [`LiveLayout::update`] returns one, and has an example. Most queries are methods of the trait [`LayoutView`], which
/// finished layouts implement too. A row gets its number when it gets its first slice, and keeps it; so rows are not
/// numbered in display order.
#[derive(Debug, Clone, Copy)]
pub struct LiveView<'l> {
    pub(super) live: &'l LiveLayout,
    pub(super) trace: LiveSnapshot<'l>,
}

impl<'l> LiveView<'l> {
    /// Iterates over the rows that the last update has changed, each with the number of its first slices that are as they were. A
    /// slice that has ended has changed.
    pub fn changed_rows(&self) -> impl Iterator<Item = (RowId, usize)> + use<'l> {
        let live = self.live;
        live.changed.iter().filter_map(|&row| Some((row, live.rows.get(row.index())?.n_kept)))
    }

    /// Returns the start of a slice.
    fn start(&self, slice: SliceId) -> Option<Tick> {
        self.trace.slice(slice).map(|slice| slice.start)
    }

    /// Returns the row of the lane of `row` at the depth that `depth` computes from the depth of `row`.
    fn in_lane(&self, row: RowId, depth: impl FnOnce(u32) -> Option<u32>) -> Option<RowId> {
        let RowInfo { track, lane, depth: of_row, .. } = self.row_info(row)?;
        let lane = self.live.tracks.get(track.index())?.lanes.get(lane as usize)?;
        lane.get(depth(of_row)? as usize).copied()
    }
}

impl LayoutView for LiveView<'_> {
    fn track_rows(&self, track: TrackId) -> impl Iterator<Item = RowId> {
        let LiveLayout { tracks, rows, .. } = self.live;
        let lanes = tracks.get(track.index()).map_or(&[][..], |track| &track.lanes);
        let is_used = |row: &RowId| rows.get(row.index()).is_some_and(|row| row.row.last().is_some());
        lanes.iter().flatten().copied().filter(is_used)
    }

    fn row_info(&self, row: RowId) -> Option<RowInfo> {
        self.live.rows.get(row.index()).map(|row| row.info)
    }

    fn row(&self, row: RowId) -> Option<RowView<'_>> {
        self.live.rows.get(row.index()).map(|found| found.row.view(row))
    }

    fn row_of(&self, slice: SliceId) -> Option<RowId> {
        let track = self.trace.track_of(slice)?;
        // No number of a row is kept per slice, because a slice that comes late moves others between rows.
        self.track_rows(track)
            .find(|&row| self.row(row).is_some_and(|row| self.position(&row, slice).is_some()))
    }
}

impl Order for LiveView<'_> {
    type Visits<'v>
        = LiveVisits<'v>
    where
        Self: 'v;

    fn visits<'v>(
        &'v self,
        _: Option<SliceTimes<'v>>,
        track: TrackId,
        range: &Range<Tick>,
    ) -> LiveVisits<'v> {
        LiveVisits::new(self, track, range)
    }

    /// The spans of async tracks are not shown before the trace is finished.
    fn span_parents(&self) -> Option<&SpanParents> {
        None
    }

    fn order(&self, slice: SliceId) -> Option<u32> {
        let start = self.start(slice)?;
        let slices = self.trace.track(self.trace.track_of(slice)?)?.slices();
        let first = slices.partition_point(|&other| self.start(other) < Some(start));
        let mut same_start = slices.iter().skip(first).take_while(|&&other| self.start(other) == Some(start));
        Some(index32(first + same_start.position(|&other| other == slice)?))
    }

    fn n_before(&self, row: &RowView<'_>, slice: SliceId) -> usize {
        let Some(start) = self.start(slice) else { return 0 };
        let first = row.starts.partition_point(|&other| other < start);
        let end = row.starts.partition_point(|&other| other <= start);
        let same_start = row.ids.get(first..end).unwrap_or_default();
        // The order within the track is only looked up where starts do not decide.
        let order = if same_start.is_empty() { None } else { self.order(slice) };
        first + same_start.partition_point(|&other| self.order(other) < order)
    }

    fn n_rows(&self) -> u32 {
        index32(self.live.rows.len())
    }

    fn row_above(&self, row: RowId) -> Option<RowId> {
        self.in_lane(row, |depth| depth.checked_sub(1))
    }

    fn row_below(&self, row: RowId) -> Option<RowId> {
        self.in_lane(row, |depth| depth.checked_add(1))
    }
}

/// The slices of a track of a live trace that touch a range of time, each after its parent.
#[derive(Debug, Clone)]
pub(crate) struct LiveVisits<'l> {
    /// The slices that begin before the range, at most one of each row.
    before: IntoIter<Visit>,
    /// The slices that begin in the range, in the order of the track.
    slices: &'l [SliceId],
    rows: Vec<Cursor<'l>>,
    /// The row of the slice that was visited last.
    latest: usize,
}

/// A row of which the slices before `position` were visited.
#[derive(Debug, Clone)]
struct Cursor<'l> {
    row: RowView<'l>,
    /// The first row of the lane, counted from the first row of the track.
    top: u32,
    /// The position in the row of the next slice to visit.
    position: usize,
}

impl<'l> LiveVisits<'l> {
    fn new(view: &'l LiveView<'_>, track: TrackId, range: &Range<Tick>) -> Self {
        let (mut before, mut rows) = (Vec::new(), Vec::new());
        let of_track = view.trace.track(track).filter(|_| range.start.is_before(range.end));
        let mut slices = of_track.map_or(&[][..], |track| track.slices());
        let mut top = 0;
        for (number, row) in (0..).zip(view.track_rows(track).filter(|_| of_track.is_some())) {
            let (Some(row), Some(info)) = (view.row(row), view.row_info(row)) else { continue };
            if info.depth == 0 {
                top = number;
            }
            let cursor =
                Cursor { row, top, position: row.starts.partition_point(|&start| start < range.start) };
            let reaching = cursor.position.checked_sub(1).and_then(|position| cursor.visit(position, number));
            before.extend(reaching.filter(|visit| visit.end > range.start));
            rows.push(cursor);
        }
        let first = slices.partition_point(|&slice| view.start(slice) < Some(range.start));
        let is_before_end =
            |&slice: &SliceId| view.start(slice).is_none_or(|start| start.is_before(range.end));
        let end = slices.partition_point(is_before_end);
        slices = slices.get(first..end).unwrap_or_default();
        // Parents are in rows further up, so this order has them before their children.
        before.sort_by_key(|visit| (visit.start, visit.row));
        Self { before: before.into_iter(), slices, rows, latest: 0 }
    }
}

impl Cursor<'_> {
    /// Returns the visit of the slice at a position of the row, which is number `row` of the track.
    fn visit(&self, position: usize, row: u32) -> Option<Visit> {
        let (slice, start) = (*self.row.ids.get(position)?, *self.row.starts.get(position)?);
        Some(Visit { slice, start, end: *self.row.ends.get(position)?, row, top: self.top })
    }
}

impl Iterator for LiveVisits<'_> {
    type Item = Visit;

    fn next(&mut self) -> Option<Visit> {
        if let Some(visit) = self.before.next() {
            return Some(visit);
        }
        while let Some((&slice, rest)) = self.slices.split_first() {
            self.slices = rest;
            let is_next = |row: &usize| {
                self.rows.get(*row).is_some_and(|row| row.row.ids.get(row.position) == Some(&slice))
            };
            // One row further down or any number further up, as on a stack: amortised O(1) where slices nest. Rows of
            // other lanes come last.
            let below = self.latest + 1;
            let mut rows = (0..=below).rev().chain(below + 1..self.rows.len());
            if let Some(row) = rows.find(is_next)
                && let Some(cursor) = self.rows.get_mut(row)
            {
                self.latest = row;
                cursor.position += 1;
                return cursor.visit(cursor.position - 1, index32(row));
            }
        }
        None
    }
}

impl VisitSlices for LiveVisits<'_> {
    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn read(&mut self, out: &mut [Visit]) -> usize {
        out.iter_mut().zip(self).map(|(out, visit)| *out = visit).count()
    }
}
