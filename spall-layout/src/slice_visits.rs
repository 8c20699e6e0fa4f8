//! Visits a range of slices one after the other, each with its place and its family.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{IdRange, SliceId, Ticks, TrackId, index32};

use crate::convert::to_ticks;
use crate::layout::Lane;
use crate::row_numbers::RowReader;
use crate::{Layout, PlacedSlice, RowId};

impl Layout {
    /// Visits the slices of a range of ids, in the order of their ids.
    ///
    /// The iterator yields one item per id, which is `None` for a slice on no row. It says the same as
    /// [`LayoutView::place`], [`LayoutView::parent`], [`LayoutView::children`] and [`LayoutView::self_time`] say of each
    /// slice, but it searches each row once and not for each slice. The visit of a whole trace takes O(n), and that of a
    /// part of it O(log n) more for each row.
    ///
    /// ```
    /// use spall_layout::Layout;
    /// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
    /// let mut builder = TraceBuilder::new(&Limits::default());
    /// for (name, start, duration) in [("frame", 0, 100), ("update", 10, 30), ("draw", 50, 20)] {
    ///     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
    ///     builder.push(&Event::Complete(event, Ticks(duration)));
    /// }
    /// let trace = builder.finish();
    /// let layout = Layout::new(&trace);
    /// let slices = trace.tracks()[0].slices();
    /// let visits = layout.visit(slices).flatten();
    /// let found: Vec<_> = visits.map(|visit| (visit.place.depth, visit.self_time().0)).collect();
    /// assert_eq!(found, [(0, 50), (1, 30), (1, 20)]);
    /// ```
    ///
    /// [`LayoutView::place`]: crate::LayoutView::place
    /// [`LayoutView::parent`]: crate::LayoutView::parent
    /// [`LayoutView::children`]: crate::LayoutView::children
    /// [`LayoutView::self_time`]: crate::LayoutView::self_time
    pub fn visit(&self, slices: IdRange<SliceId>) -> impl ExactSizeIterator<Item = Option<SliceVisit<'_>>> {
        SliceVisits {
            layout: self,
            next: slices.start().0,
            end: slices.end().0,
            track: None,
            lane: LaneRows::NONE,
            cursors: Vec::new(),
        }
    }
}

/// The iterator of [`Layout::visit`].
struct SliceVisits<'l> {
    layout: &'l Layout,
    /// The id of the next slice.
    next: u32,
    end: u32,
    /// The track of the latest slice. `None` before the first one.
    track: Option<TrackVisit<'l>>,
    /// The lane of the latest slice.
    lane: LaneRows,
    /// For each row of the track, the number of its slices that come before the next slice, or [`UNKNOWN`] as long as
    /// nothing needed it.
    cursors: Vec<u32>,
}

/// The track that is visited.
#[derive(Debug, Clone)]
struct TrackVisit<'l> {
    rows: Range<u32>,
    /// The id behind the last slice.
    end: u32,
    numbers: RowReader<'l>,
    /// Rows that were read ahead. That of the next slice is at `n_used`.
    block: [u32; BLOCK],
    n_used: usize,
}

/// A lane and its rows.
#[derive(Debug, Clone)]
struct LaneRows {
    lane: Lane,
    rows: Range<u32>,
}

impl LaneRows {
    /// Stands for the lane of no slice.
    const NONE: Self = Self { lane: Lane { first_row: 0, track: TrackId(0), lane: 0 }, rows: 0..0 };
}

/// The number of row numbers that are read at a time.
const BLOCK: usize = 32;
/// Stands for a position that was not searched yet.
const UNKNOWN: u32 = u32::MAX;

/// A slice of a layout with its place and its family, as [`Layout::visit`] yields it.
#[derive(Debug, Clone, Copy)]
pub struct SliceVisit<'l> {
    /// The slice that is visited.
    pub slice: SliceId,
    /// Where the slice is drawn.
    pub place: PlacedSlice,
    /// The innermost slice of the same lane that contains the slice, or the one that a span of an async track says is its
    /// parent; `None` if there is none.
    pub parent: Option<SliceId>,
    layout: &'l Layout,
    /// Where the slices of the row below stand that begin at the slice or later, in the arrays of the layout.
    below: (u32, u32),
    /// The next slice of the row, or one behind all slices.
    next: SliceId,
}

impl<'l> SliceVisit<'l> {
    /// Returns the slices whose parent is this slice, by time. This takes O(log n).
    #[must_use]
    pub fn children(&self) -> &'l [SliceId] {
        let said = self.layout.parents.children(self.slice);
        if !said.is_empty() {
            return said;
        }
        let below = &self.layout.ids[self.below.0 as usize..self.below.1 as usize];
        &below[..below.partition_point(|&id| id < self.next)]
    }

    /// Returns the self time: the duration as drawn, minus the parts that the children cover. It is never negative.
    /// This takes O(children).
    #[must_use]
    pub fn self_time(&self) -> Ticks {
        let PlacedSlice { start, end, .. } = self.place;
        // The duration may be too large for `Ticks` while the self time is not.
        let mut rest = end.0.abs_diff(start.0);
        if let Some(covered) = self.layout.parents.covered(self.slice) {
            return to_ticks(rest.saturating_sub(covered));
        }
        let below = self.below.0 as usize..self.below.1 as usize;
        let Layout { starts, ends, ids, .. } = self.layout;
        let children = starts[below.clone()].iter().zip(&ends[below.clone()]).zip(&ids[below]);
        for ((&child_start, &child_end), _) in children.take_while(|(_, id)| **id < self.next) {
            // Only children of async spans can end later than their parent.
            rest = rest.saturating_sub(child_end.min(end).max(child_start).0.abs_diff(child_start.0));
        }
        to_ticks(rest)
    }
}

impl<'l> SliceVisits<'l> {
    /// Returns the row of the next slice, or `None` if it has none.
    fn next_row(&mut self) -> Option<u32> {
        if self.track.as_ref().is_none_or(|track| self.next >= track.end) {
            self.begin_track()?;
        }
        let track = self.track.as_mut()?;
        if track.n_used == BLOCK {
            track.numbers.read(&mut track.block);
            track.n_used = 0;
        }
        let row = track.block[track.n_used];
        track.n_used += 1;
        // A slice without a row has the number behind that of the last row.
        (row < track.rows.end - track.rows.start).then_some(track.rows.start + row)
    }

    /// Begins the track of the next slice. Returns `None` if no track has it.
    fn begin_track(&mut self) -> Option<()> {
        self.track = None;
        let (track, numbers) = self.layout.row_numbers.read_from(SliceId(self.next))?;
        let (rows, end) = (track.rows.clone(), track.slices.end);
        self.cursors.clear();
        self.cursors.resize((rows.end - rows.start) as usize, UNKNOWN);
        self.track = Some(TrackVisit { rows, end, numbers, block: [0; BLOCK], n_used: BLOCK });
        Some(())
    }

    /// Returns the positions of the slices of a row in the arrays of the layout.
    fn slices_of(&self, row: u32) -> (u32, u32) {
        let rows = &self.layout.rows;
        (rows[row as usize].slices, rows[row as usize + 1].slices)
    }

    /// Returns the position in the arrays of the layout behind the slices of a row that come before `slice`.
    fn cursor(&mut self, row: u32, slice: SliceId) -> u32 {
        let (first, end) = self.slices_of(row);
        let first_row = self.track.as_ref().map_or(0, |track| track.rows.start);
        let cursor = &mut self.cursors[(row - first_row) as usize];
        if *cursor == UNKNOWN {
            let ids = &self.layout.ids[first as usize..end as usize];
            *cursor = first + index32(ids.partition_point(|&id| id < slice));
        }
        *cursor
    }

    /// Makes [`SliceVisits::lane`] that of a row.
    fn find_lane(&mut self, row: u32) {
        if self.lane.rows.contains(&row) {
            return;
        }
        let Layout { lanes, rows, .. } = self.layout;
        let behind = lanes.partition_point(|lane| lane.first_row <= row);
        let lane = lanes[behind.saturating_sub(1)];
        let end = lanes.get(behind).map_or(index32(rows.len() - 1), |lane| lane.first_row);
        self.lane = LaneRows { lane, rows: lane.first_row..end };
    }

    /// Returns the visit of `slice`, which is the next one of `row`.
    fn visit(&mut self, slice: SliceId, row: u32) -> SliceVisit<'l> {
        self.find_lane(row);
        let LaneRows { lane, rows } = self.lane.clone();
        let (first, end) = self.slices_of(row);
        let at = self.cursor(row, slice);
        let parent = if row == rows.start {
            None
        } else {
            // Slices are placed in the order of their track, so the parent is the latest one placed before.
            let above = self.cursor(row - 1, slice);
            (above > self.slices_of(row - 1).0).then(|| self.layout.ids[above as usize - 1])
        };
        let below = if row + 1 < rows.end {
            (self.cursor(row + 1, slice), self.slices_of(row + 1).1)
        } else {
            (0, 0)
        };
        let first_row = self.track.as_ref().map_or(0, |track| track.rows.start);
        self.cursors[(row - first_row) as usize] = at + 1;
        let layout = self.layout;
        SliceVisit {
            slice,
            place: PlacedSlice {
                row: RowId(row),
                track: lane.track,
                lane: lane.lane,
                depth: row - lane.first_row,
                position: at - first,
                start: layout.starts[at as usize],
                end: layout.ends[at as usize],
            },
            parent: layout.parents.parent(slice).map_or(parent, |said| Some(said.parent)),
            layout,
            below,
            next: if at + 1 < end { layout.ids[at as usize + 1] } else { SliceId(u32::MAX) },
        }
    }
}

impl<'l> Iterator for SliceVisits<'l> {
    type Item = Option<SliceVisit<'l>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let row = self.next_row();
        let slice = SliceId(self.next);
        self.next += 1;
        Some(row.map(|row| self.visit(slice, row)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end.saturating_sub(self.next) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for SliceVisits<'_> {}
