//! The queries that finished and live layouts share. [layout 4](crate::rules::layout#4), [6](crate::rules::layout#6),
//! [10](crate::rules::layout#10)

use alloc::vec::Vec;
use core::{fmt, ops::Range};

use spall_model::{SliceId, SpanParents, Tick, Ticks, TrackId, index32};

use crate::convert::to_ticks;
use crate::visits::{SliceTimes, VisitSlices, Visits};
use crate::{Layout, Line, LineKind, PlacedSlice, Rect, RowId, RowInfo, RowView, Viewport};

/// The rows of a trace and the queries on them, whether the trace is finished or still grows.
///
/// [`Layout`] and [`LiveView`] implement this trait, so code that only queries a layout works with both. All methods
/// are resolved at compile time. The trait is sealed: other crates cannot implement it, and it may gain methods.
///
/// Each query about one slice takes O(log n), except where its documentation says otherwise. In a live layout it also
/// takes O(r + s) for r rows of the track and s slices of the track that start at the same time.
///
/// ```
/// use spall_layout::{Layout, LayoutView};
/// use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (name, start, duration) in [("frame", 0, 100), ("update", 10, 30), ("draw", 50, 20)] {
///     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
///     builder.push(&Event::Complete(event, Ticks(duration)));
/// }
/// let layout = Layout::new(&builder.finish());
/// let [frame, update, draw] = [SliceId(0), SliceId(1), SliceId(2)];
/// assert_eq!(layout.place(draw).unwrap().depth, 1);
/// assert_eq!(layout.parent(draw), Some(frame));
/// assert_eq!(layout.children(frame), [update, draw]);
/// assert_eq!(layout.next(update), Some(draw));
/// assert_eq!(layout.self_time(frame), Some(Ticks(50)));
/// ```
///
/// [`LiveView`]: crate::LiveView
#[allow(private_bounds, reason = "seals the trait, and the order of slices is no part of the interface")]
pub trait LayoutView: Order {
    /// Returns the rows of a track that have slices, by lane and depth. There are none if the track has no slices.
    fn track_rows(&self, track: TrackId) -> impl Iterator<Item = RowId>;

    /// Returns the track, lane and depth of a row, or `None` if the layout has no such row.
    fn row_info(&self, row: RowId) -> Option<RowInfo>;

    /// Returns the slices of a row, or `None` if the layout has no such row.
    fn row(&self, row: RowId) -> Option<RowView<'_>>;

    /// Returns the row of a slice, or `None` if the slice is on no row or not of this trace.
    fn row_of(&self, slice: SliceId) -> Option<RowId>;

    /// Returns the place of a slice, or `None` if the slice is on no row or not of this trace.
    #[must_use]
    fn place(&self, slice: SliceId) -> Option<PlacedSlice> {
        let row = self.row(self.row_of(slice)?)?;
        let info = self.row_info(row.row)?;
        let position = self.position(&row, slice)?;
        Some(PlacedSlice {
            row: row.row,
            track: info.track,
            lane: info.lane,
            depth: info.depth,
            position: index32(position),
            start: *row.starts.get(position)?,
            end: *row.ends.get(position)?,
        })
    }

    /// Returns the parent of a slice: the innermost slice of the same lane that contains it, or the one that a span of an async
    /// track says it has.
    ///
    /// Returns `None` if there is none, or if `slice` is on no row. A span on an async track may end later than its
    /// parent, and one that says its parent may begin before it, and lie elsewhere.
    #[must_use]
    fn parent(&self, slice: SliceId) -> Option<SliceId> {
        if let Some(said) = self.span_parents().and_then(|parents| parents.parent(slice)) {
            return Some(said.parent);
        }
        let above = self.row(self.row_above(self.row_of(slice)?)?)?;
        // Slices are placed in the order of their track, so the parent is the latest one placed before.
        above.ids.get(self.n_before(&above, slice).checked_sub(1)?).copied()
    }

    /// Returns the slices whose parent is `slice`, by time. There are none if it has no children or is on no row.
    #[must_use]
    fn children(&self, slice: SliceId) -> &[SliceId] {
        let said = self.span_parents().map(|parents| parents.children(slice));
        if let Some(said) = said.filter(|said| !said.is_empty()) {
            return said;
        }
        children_row(self, slice).and_then(|(row, range)| row.ids.get(range)).unwrap_or_default()
    }

    /// Returns the self time of a slice: its duration as drawn, minus the parts that its children cover.
    ///
    /// It is never negative. Returns `None` if the slice is on no row or not of this trace. This takes O(log n +
    /// children).
    #[must_use]
    fn self_time(&self, slice: SliceId) -> Option<Ticks> {
        let placed = self.place(slice)?;
        // The duration may be too large for `Ticks` while the self time is not.
        let mut rest = placed.end.0.abs_diff(placed.start.0);
        if let Some(covered) = self.span_parents().and_then(|parents| parents.covered(slice)) {
            rest = rest.saturating_sub(covered);
        } else if let Some((row, range)) = children_row(self, slice) {
            let (starts, ends) = (row.starts.get(range.clone())?, row.ends.get(range)?);
            for (&start, &end) in starts.iter().zip(ends) {
                // Only children of async spans can end later than their parent.
                rest = rest.saturating_sub(end.min(placed.end).max(start).0.abs_diff(start.0));
            }
        }
        Some(to_ticks(rest))
    }

    /// Returns the slice that follows `slice` on its row, or `None` if it is the last one or on no row.
    #[must_use]
    fn next(&self, slice: SliceId) -> Option<SliceId> {
        let row = self.row(self.row_of(slice)?)?;
        row.ids.get(self.position(&row, slice)? + 1).copied()
    }

    /// Returns the slice that precedes `slice` on its row, or `None` if it is the first one or on no row.
    #[must_use]
    fn previous(&self, slice: SliceId) -> Option<SliceId> {
        let row = self.row(self.row_of(slice)?)?;
        row.ids.get(self.position(&row, slice)?.checked_sub(1)?).copied()
    }

    /// Appends the rectangles of the rows among `lines` to `out`: line by line, each from left to right.
    ///
    /// [`RowView::rects`] documents the rectangles of one row. Headers have no rectangles. Lines of the kind
    /// [`LineKind::Packed`] are left out; [`Vertical::rects`](crate::Vertical::rects) includes them.
    fn rects(&self, viewport: &Viewport, lines: &[Line], out: &mut Vec<Rect>) {
        for line in lines {
            if let LineKind::Row(row) = line.kind
                && let Some(row) = self.row(row)
            {
                row.rects(viewport, out);
            }
        }
    }

    /// Returns the start or end of a slice on the rows among `lines` that is nearest to `at`.
    ///
    /// If two are equally near, this returns the earlier one. Returns `None` if the nearest one is further away than
    /// `tolerance`. This takes O(lines · log n).
    #[must_use]
    fn snap(&self, lines: &[Line], at: Tick, tolerance: Ticks) -> Option<Tick> {
        let distance = |edge: &Tick| edge.0.abs_diff(at.0);
        lines
            .iter()
            .filter_map(|line| match line.kind {
                LineKind::Row(row) => self.row(row)?.nearest_edge(at),
                _ => None,
            })
            .filter(|edge| i128::from(distance(edge)) <= i128::from(tolerance.0))
            .min_by_key(|edge| (distance(edge), *edge))
    }

    /// Returns the rows at depth 0 of some tracks. With [`LayoutView::busy_rows`] they show how busy the tracks are.
    fn outermost_rows(&self, tracks: impl IntoIterator<Item = TrackId>) -> Vec<RowId> {
        let is_outermost = |row: &RowId| self.row_info(*row).is_some_and(|info| info.depth == 0);
        tracks.into_iter().flat_map(|track| self.track_rows(track)).filter(is_outermost).collect()
    }

    /// Writes to `out`, for each column of `viewport`, how many of `rows` are inside a slice. [layout
    /// 10](crate::rules::layout#10)
    ///
    /// This replaces the content of `out` with [`Viewport::columns`] numbers. With the rows of depth 0 of several
    /// threads they show how busy a folded group of threads is: a column in which three threads run all the time gets
    /// 3. The numbers are exact up to rounding, except for groups of slices across a column edge; see [`Rect::busy`].
    fn busy_rows(&self, rows: impl IntoIterator<Item = RowId>, viewport: &Viewport, out: &mut Vec<f32>) {
        out.clear();
        out.resize(viewport.columns() as usize, 0.0);
        for row in rows {
            if let Some(row) = self.row(row) {
                row.add_busy(viewport, out);
            }
        }
    }
}

/// The order in which the slices of a track were placed: by start, longer first, then as they came.
///
/// Every row lists its slices in this order. A finished layout knows it from the numbers of the slices; in a live
/// layout a slice that came late has a large number and a place far ahead.
pub(crate) trait Order {
    /// The slices of a track in this order.
    type Visits<'v>: VisitSlices + Clone + fmt::Debug + Send
    where
        Self: 'v;

    /// Visits the slices of a track that touch `range`. `times` are those of the trace, if the caller has them.
    fn visits<'v>(
        &'v self,
        times: Option<SliceTimes<'v>>,
        track: TrackId,
        range: &Range<Tick>,
    ) -> Self::Visits<'v>;

    /// Returns the parents that spans say they have; `None` if none does.
    fn span_parents(&self) -> Option<&SpanParents>;

    /// Returns a number that is larger for slices that come later on the track of `slice`.
    fn order(&self, slice: SliceId) -> Option<u32>;

    /// Returns the number of slices on `row` that come before `slice`, which is of the same track.
    fn n_before(&self, row: &RowView<'_>, slice: SliceId) -> usize;

    /// Returns the number of rows, those without slices included. Rows are numbered from 0.
    fn n_rows(&self) -> u32;

    /// Returns the row of the parents of the slices on `row`.
    fn row_above(&self, row: RowId) -> Option<RowId>;

    /// Returns the row of the children of the slices on `row`.
    fn row_below(&self, row: RowId) -> Option<RowId>;

    /// Returns the position of `slice` on its row.
    fn position(&self, row: &RowView<'_>, slice: SliceId) -> Option<usize> {
        let position = self.n_before(row, slice);
        (*row.ids.get(position)? == slice).then_some(position)
    }
}

/// Returns the row below that of `slice`, and the positions of its children there.
fn children_row<L: LayoutView + ?Sized>(layout: &L, slice: SliceId) -> Option<(RowView<'_>, Range<usize>)> {
    let row = layout.row_of(slice)?;
    let below = layout.row(layout.row_below(row)?)?;
    let row = layout.row(row)?;
    let first = layout.n_before(&below, slice);
    let next = row.ids.get(layout.position(&row, slice)? + 1);
    let end = next.map_or(below.ids.len(), |&next| layout.n_before(&below, next));
    Some((below, first..end))
}

impl LayoutView for Layout {
    fn track_rows(&self, track: TrackId) -> impl Iterator<Item = RowId> {
        Layout::track_rows(self, track).iter()
    }

    fn row_info(&self, row: RowId) -> Option<RowInfo> {
        Layout::row_info(self, row)
    }

    #[inline]
    fn row(&self, row: RowId) -> Option<RowView<'_>> {
        Layout::row(self, row)
    }

    fn row_of(&self, slice: SliceId) -> Option<RowId> {
        self.row_numbers.get(slice)
    }
}

impl Order for Layout {
    type Visits<'v> = Visits<'v>;

    fn span_parents(&self) -> Option<&SpanParents> {
        Some(&self.parents).filter(|parents| !parents.is_empty())
    }

    fn visits<'v>(
        &'v self,
        times: Option<SliceTimes<'v>>,
        track: TrackId,
        range: &Range<Tick>,
    ) -> Visits<'v> {
        Visits::new(self, times, track, range)
    }

    fn order(&self, slice: SliceId) -> Option<u32> {
        Some(slice.0)
    }

    fn n_before(&self, row: &RowView<'_>, slice: SliceId) -> usize {
        row.ids.partition_point(|&id| id < slice)
    }

    fn n_rows(&self) -> u32 {
        index32(self.rows.len().saturating_sub(1))
    }

    fn row_above(&self, row: RowId) -> Option<RowId> {
        if self.row_info(row)?.depth == 0 {
            return None;
        }
        row.0.checked_sub(1).map(RowId)
    }

    fn row_below(&self, row: RowId) -> Option<RowId> {
        let below = RowId(row.0.checked_add(1)?);
        (self.row_info(below)?.depth > 0).then_some(below)
    }
}
