//! Slices that follow one another, gathered into the pieces that rectangles are made of. [layout
//! 2.7](crate::rules::layout#2.7) [layout 3.3](crate::rules::layout#3.3)

use core::hint::select_unpredictable;
use core::ops::Range;

use spall_model::SliceId;

use crate::convert::{ticks_f32, to_f32};
use crate::gap::GapSize;
use crate::index::{Node, SliceExtent};
use crate::viewport::Position;
use crate::{RowView, Viewport};

/// The boxes of a viewport: how wide they are, and which slices are too narrow to be told apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Boxes {
    /// The number of columns of a box.
    width: u32,
    /// The number of columns between the left edge of the box that contains column 0 and column 0.
    before: u32,
    /// The largest number of ticks that is no longer than a box. It is at most 2⁶³ − 1.
    box_ticks: u64,
    /// The largest number of ticks that is no longer than a column.
    column_ticks: u64,
    /// The largest number of ticks that is shorter than a column. A gap of so many ticks leaves no column untouched.
    gap_ticks: u64,
    /// A size that no gap of so many ticks reaches.
    gap_size: GapSize,
}

impl Boxes {
    /// Returns the boxes of `viewport` that are `width` columns wide.
    pub(crate) fn new(viewport: &Viewport, width: u16) -> Self {
        let (column, tick) = (viewport.column_parts(), viewport.tick_parts());
        let gap_ticks = (column - 1) / tick;
        let width = u32::from(width);
        Self {
            width,
            before: u32::try_from(viewport.first_column().rem_euclid(width.into())).unwrap_or(0),
            box_ticks: ticks(u128::from(column) * u128::from(width), tick).min(i64::MAX.cast_unsigned()),
            column_ticks: column / tick,
            gap_ticks,
            gap_size: GapSize::of(gap_ticks + 1),
        }
    }

    /// Returns the number of columns from `column` to the right edge of its box.
    fn columns_left(&self, column: u32) -> u32 {
        self.width - (column + self.before) % self.width
    }

    /// Returns whether the box that contains `column` begins at `begin` or before it.
    pub(crate) fn begins_by(&self, column: u32, begin: u32) -> bool {
        column + self.columns_left(column) <= begin + self.width
    }

    /// Returns whether the slices of a node need not be told apart: together they are no longer than a box, and they leave
    /// no column between them untouched. [layout 3.5](crate::rules::layout#3.5)
    fn fit(&self, node: &Node) -> bool {
        let most = if node.gap() < self.gap_size { self.box_ticks } else { self.column_ticks };
        node.last.wrapping_sub(node.first).cast_unsigned() <= most
    }
}

/// Returns the number of ticks in some parts of a column, where a tick has `tick` parts.
fn ticks(parts: u128, tick: u64) -> u64 {
    // A division of 128 bits takes several times as long.
    match u64::try_from(parts) {
        Ok(parts) => parts / tick,
        Err(_) => u64::try_from(parts / u128::from(tick)).unwrap_or(u64::MAX),
    }
}

/// One slice, or several consecutive narrow slices that begin in one box and leave no column between them untouched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// The first and the last column that is touched. All columns between them are touched too.
    pub(crate) columns: (u32, u32),
    /// The position of the first slice in the row.
    pub(crate) first: u32,
    /// The number of slices.
    pub(crate) count: u32,
    /// The longest slice, the first one of several.
    pub(crate) owner: SliceExtent,
    /// The duration of the slice if it is longer than a box, and 0 for narrow slices.
    pub(crate) wide: u64,
    /// The parts inside slices: of the first column, of all columns between the first and the last one, and of the last
    /// column. If the piece touches one column only, the first number counts and the others are 0.
    pub(crate) busy: [f32; 3],
}

impl Piece {
    /// Adds to each touched column the fraction of it that is inside slices. A column has `width` parts.
    pub(crate) fn add_busy(&self, width: f32, columns: &mut [f32]) {
        let [in_first, between, in_last] = self.busy;
        let Some([first, rest @ ..]) = columns.get_mut(self.columns.0 as usize..=self.columns.1 as usize)
        else {
            return;
        };
        *first += in_first / width;
        if let Some((last, inner)) = rest.split_last_mut() {
            *last += in_last / width;
            #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
            let each = between / width / inner.len() as f32;
            inner.iter_mut().for_each(|column| *column += each);
        }
    }
}

/// A piece while its slices are gathered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenPiece<'v> {
    viewport: &'v Viewport,
    boxes: &'v Boxes,
    /// The next slices belong to the piece if they begin before this time, which is the right edge of the box in which the
    /// piece begins. The least time keeps everything out.
    before: i64,
    /// The start of the first slice and its column.
    start: i64,
    from: Position,
    /// The end of the last slice, and whether that slice has no duration.
    end: i64,
    ends_in_point: bool,
    /// The position of the first slice in the row.
    first: u32,
    /// The number of slices. It is 0 before the first piece.
    count: u32,
    /// The longest slice, the first one of several.
    longest: SliceExtent,
    /// The number of ticks inside slices.
    busy: f32,
}

impl<'v> OpenPiece<'v> {
    /// Makes a piece that no slice belongs to.
    pub(crate) fn new(viewport: &'v Viewport, boxes: &'v Boxes) -> Self {
        Self {
            viewport,
            boxes,
            before: i64::MIN,
            start: 0,
            from: Position { column: 0, part: 0 },
            end: 0,
            ends_in_point: false,
            first: 0,
            count: 0,
            longest: SliceExtent { start: 0, end: 0, id: SliceId(0) },
            busy: 0.0,
        }
    }

    // All of these are inlined into the walk. As functions of their own they would have the piece spilled to the stack, and the
    // job "program: frame" of the instruction counts would take 19 % more.

    /// Returns whether narrow slices from `start` on belong to the piece.
    // Without the attributes in this file, the job `dense row, even` takes 13 % more instructions.
    #[inline(always)]
    fn reaches(&self, start: i64) -> bool {
        (start < self.before) & (start.wrapping_sub(self.end).cast_unsigned() <= self.boxes.gap_ticks)
    }

    /// Adds the slices of a node, of which the first one is at position `first` of the row. If they do not belong to the
    /// piece, it is closed and they begin another one. Returns `false`, and does nothing, if the node has to be opened.
    #[inline(always)]
    pub(crate) fn take_node(
        &mut self,
        node: &Node,
        first: u32,
        count: u32,
        to: &mut impl FnMut(&Piece),
    ) -> bool {
        if !(self.boxes.fit(node) & self.viewport.holds(node.first, node.last)) {
            return false;
        }
        let longest = node.longest();
        if !self.reaches(node.first) {
            self.close(to);
            self.begin(longest, node.first, first, true);
        }
        // Which of several nodes has the longest slice cannot be predicted, so this selects without a branch.
        let is_longest = longest.duration() > self.longest.duration();
        self.longest = select_unpredictable(is_longest, longest, self.longest);
        (self.end, self.ends_in_point) = (node.last, node.ends_in_point());
        self.count += count;
        self.busy += node.busy_f32();
        true
    }

    /// Adds the slices of a row at the positions `slices`, at most a leaf of them. Each slice that does not belong to the
    /// piece closes it and begins another one.
    #[inline(always)]
    pub(crate) fn take_slices(&mut self, row: &RowView<'_>, slices: Range<u32>, to: &mut impl FnMut(&Piece)) {
        let range = slices.start as usize..slices.end as usize;
        let (Some(starts), Some(ends), Some(ids)) =
            (row.starts.get(range.clone()), row.ends.get(range.clone()), row.ids.get(range))
        else {
            return;
        };
        for (((&start, &end), &id), at) in starts.iter().zip(ends).zip(ids).zip(slices.start..) {
            let slice = SliceExtent { start: start.0, end: end.0, id };
            let may_join =
                (slice.duration() <= self.boxes.box_ticks) & self.viewport.holds(slice.start, slice.end);
            if !(may_join & self.reaches(slice.start)) {
                self.close(to);
                self.begin(slice, slice.start, at, may_join);
            } else if slice.duration() > self.longest.duration() {
                self.longest = slice;
            }
            (self.end, self.ends_in_point) = (slice.end, slice.start == slice.end);
            self.count += 1;
            self.busy += ticks_f32(slice.start, slice.end);
        }
    }

    /// Begins a piece with slices from `start` on, of which `longest` is the longest. If it is not `open`, it stays alone.
    #[inline(always)]
    fn begin(&mut self, longest: SliceExtent, start: i64, first: u32, open: bool) {
        let Self { viewport, boxes, .. } = *self;
        let from = viewport.position(start);
        let mut before = i64::MIN;
        if open {
            let columns = boxes.columns_left(from.column);
            let parts = u128::from(viewport.column_parts()) * u128::from(columns) - u128::from(from.part);
            // Rounded up: the first tick at or behind the right edge of the box.
            let to_edge = ticks(parts + u128::from(viewport.tick_parts() - 1), viewport.tick_parts());
            before = start.saturating_add_unsigned(to_edge);
        }
        *self = Self { before, start, from, first, longest, end: start, ..Self::new(viewport, boxes) };
    }

    /// Passes the piece on, unless no slice belongs to it.
    #[inline(always)]
    pub(crate) fn close(&mut self, to: &mut impl FnMut(&Piece)) {
        if self.count == 0 {
            return;
        }
        let (from, end, column) = (self.from, self.viewport.position(self.end), self.viewport.column_parts());
        let last = if self.ends_in_point { end.column } else { end.last_touched() };
        let end_part = if end.column == last { end.part } else { column };
        // Each column gets a part of the busy time in proportion to the piece's extent in the column.
        let extent = self.end.wrapping_sub(self.start).cast_unsigned();
        let density = if self.count == 1 { 1.0 } else { self.busy / to_f32(extent.max(1)) };
        let parts = if from.column == last {
            [to_f32(end_part - from.part), 0.0, 0.0]
        } else {
            let between = to_f32(column) * to_f32(u64::from(last - from.column - 1));
            [to_f32(column - from.part), between, to_f32(end_part)]
        };
        let duration = self.longest.duration();
        to(&Piece {
            columns: (from.column, last),
            first: self.first,
            count: self.count,
            owner: self.longest,
            wide: if duration > self.boxes.box_ticks { duration } else { 0 },
            busy: parts.map(|parts| parts * density),
        });
    }
}
