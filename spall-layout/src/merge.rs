//! From items in time order to rectangles: who gets the column that two items touch. \[layout 2.4\]

use alloc::vec::Vec;
use core::cmp::Ordering;

use spall_model::{SliceId, Tick};

use crate::frame::Position;
use crate::index::Node;
use crate::{Frame, Rect, RowId};

/// A slice, or a group of slices no longer than a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    /// The owner's overlap with the first column, in parts of a column.
    pub(crate) first_overlap: u64,
    /// The owner's overlap with the last column.
    pub(crate) last_overlap: u64,
    /// First and last column touched. A group touches at most two.
    pub(crate) columns: (u32, u32),
    /// Position in the row of the first slice.
    pub(crate) first: u32,
    /// How many slices.
    pub(crate) count: u32,
    /// The owner: the longest slice.
    owner: SliceId,
    left: f32,
    right: f32,
    /// Parts inside slices in the first and in the last column; all in the first, if they are the same.
    busy: (f32, f32),
}

/// A slice of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slice {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) id: SliceId,
    /// Position in the row.
    pub(crate) at: u32,
}

impl Slice {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.end.wrapping_sub(self.start).cast_unsigned()
    }
}

/// Consecutive slices that lie in one column, or one slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    first: Slice,
    longest: Slice,
    from: Position,
    /// How much of the column lies to the right of the first slice's start, if that slice does not leave it.
    room: u64,
    count: u32,
    busy: u64,
}

impl Group {
    #[inline(always)]
    pub(crate) fn new(frame: &Frame, slice: Slice) -> Self {
        let from = frame.position(slice.start);
        let room = frame.column_parts() - from.part;
        let inside = frame.fits_column(slice.start, slice.end) && frame.parts(slice.length()) <= room;
        let busy = if inside { frame.parts(slice.length()) } else { 0 };
        Self { first: slice, longest: slice, from, room: if inside { room } else { 0 }, count: 1, busy }
    }

    /// Takes the next slice if it lies in the same column too.
    #[inline(always)]
    pub(crate) fn take(&mut self, frame: &Frame, slice: Slice) -> bool {
        let fits = self.room > 0
            && frame.fits_column(self.first.start, slice.end)
            && frame.parts(slice.end.wrapping_sub(self.first.start).cast_unsigned()) <= self.room
            // A point at the edge is in the next column.
            && frame.parts(slice.start.wrapping_sub(self.first.start).cast_unsigned()) < self.room;
        if fits {
            if slice.length() > self.longest.length() {
                self.longest = slice;
            }
            self.count += 1;
            self.busy += frame.parts(slice.length());
        }
        fits
    }

    #[inline(always)]
    pub(crate) fn item(&self, frame: &Frame) -> Item {
        let (columns, overlaps, busy) = if self.room > 0 {
            let overlap = frame.parts(self.longest.length());
            ((self.from.column, self.from.column), (overlap, overlap), (to_f32(self.busy), 0.0))
        } else {
            self.leaves_column(frame)
        };
        Item {
            first_overlap: overlaps.0,
            last_overlap: overlaps.1,
            columns,
            first: self.first.at,
            count: self.count,
            owner: self.longest.id,
            left: frame.x(Tick(self.longest.start)),
            right: frame.x(Tick(self.longest.end)),
            busy,
        }
    }

    /// Columns, overlaps and parts inside of a slice that leaves its first column, or the frame.
    #[inline(always)]
    fn leaves_column(&self, frame: &Frame) -> ((u32, u32), (u64, u64), (f32, f32)) {
        let (from, to, whole) = (self.from, frame.position(self.first.end), frame.column_parts());
        let last = if from == to { to.column } else { to.last_touched() };
        if from.column == last {
            let overlap = if to.column == last { to.part } else { whole } - from.part;
            ((last, last), (overlap, overlap), (to_f32(overlap), 0.0))
        } else {
            let first = whole - from.part;
            let rest = if to.part == 0 { whole } else { to.part };
            ((from.column, last), (first, rest), (to_f32(first), to_f32(rest)))
        }
    }
}

impl Item {
    /// A node that fits a column and lies in the frame.
    #[inline(always)]
    pub(crate) fn node(frame: &Frame, node: &Node, first: u32, count: u32) -> Self {
        let (from, to) = (frame.position(node.first), frame.position(node.last));
        let last = if node.ends_in_point() || from == to { to.column } else { to.last_touched() };
        let (first_overlap, last_overlap, busy) = if from.column == last {
            let overlap = frame.parts(node.longest_length());
            let busy = frame.parts(node.last.wrapping_sub(node.first).cast_unsigned());
            (overlap, overlap, (to_f32(busy), 0.0))
        } else {
            let (left, right) = (frame.position(node.longest_start), frame.position(node.longest_end));
            let whole = frame.column_parts();
            // Where the owner begins and ends in the first column, and in the last.
            let in_first = |at: Position| if at.column == from.column { at.part } else { whole };
            let in_last = |at: Position| match at.column.cmp(&last) {
                Ordering::Less => 0,
                Ordering::Equal => at.part,
                Ordering::Greater => whole,
            };
            let busy = (to_f32(whole - from.part), to_f32(in_last(to)));
            (in_first(right) - in_first(left), in_last(right) - in_last(left), busy)
        };
        let density = node.density();
        Self {
            first_overlap,
            last_overlap,
            columns: (from.column, last),
            first,
            count,
            owner: node.longest,
            left: frame.x(Tick(node.longest_start)),
            right: frame.x(Tick(node.longest_end)),
            busy: (busy.0 * density, busy.1 * density),
        }
    }
}

#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "24 bits are enough to draw")]
fn to_f32(parts: u64) -> f32 {
    parts as f32
}

/// The rectangle that is being put together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Merge {
    rect: Rect,
    /// Overlap of the owner with the last column.
    last_overlap: u64,
    /// Parts inside slices: in all columns but the last, and in the last.
    busy: (f32, f32),
    /// A column's width in parts.
    width: f32,
}

impl Merge {
    /// Begins with the first item.
    pub(crate) fn new(row: RowId, frame: &Frame, item: &Item) -> Self {
        let rect =
            Rect { row, slice: SliceId(0), x0: 0, x1: 0, left: 0.0, right: 0.0, first: 0, count: 0, busy: 0 };
        let mut merge = Self { rect, last_overlap: 0, busy: (0.0, 0.0), width: to_f32(frame.column_parts()) };
        merge.begin(item, item.columns.0, 0.0);
        merge
    }

    /// Takes the next item.
    #[inline(always)]
    pub(crate) fn add(&mut self, item: &Item, out: &mut Vec<Rect>) {
        let contested = self.rect.x1 - 1;
        let (x0, last) = item.columns;
        if x0 > contested {
            self.emit(out);
            self.begin(item, x0, 0.0);
        } else if item.first_overlap > self.last_overlap {
            // The item takes the contested column, and all of a rectangle that had no other.
            let carried = self.busy.1;
            if self.rect.x0 == contested {
                let (first, count) = (self.rect.first, self.rect.count);
                self.begin(item, x0, carried);
                self.rect.first = first;
                self.rect.count += count;
            } else {
                self.rect.x1 = contested;
                self.busy.1 = 0.0;
                self.emit(out);
                self.begin(item, x0, carried);
            }
        } else {
            self.busy.1 += item.busy.0;
            if last == contested {
                self.rect.count += item.count;
            } else {
                self.emit(out);
                self.begin(item, x0 + 1, 0.0);
            }
        }
    }

    /// Begins a rectangle with what is left of `item` from column `x0` on, and with `carried` parts in that column.
    #[inline(always)]
    fn begin(&mut self, item: &Item, x0: u32, carried: f32) {
        let (first, last) = item.columns;
        self.rect = Rect {
            row: self.rect.row,
            slice: item.owner,
            x0,
            x1: last + 1,
            left: item.left,
            right: item.right,
            first: item.first,
            count: item.count,
            busy: 0,
        };
        self.last_overlap = item.last_overlap;
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let whole = last.saturating_sub(first + 1) as f32 * self.width;
        self.busy = if x0 > first {
            (whole, item.busy.1)
        } else if first == last {
            (0.0, carried + item.busy.0)
        } else {
            (carried + item.busy.0 + whole, item.busy.1)
        };
    }

    #[inline(always)]
    fn emit(&mut self, out: &mut Vec<Rect>) {
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let parts = (self.rect.x1 - self.rect.x0) as f32 * self.width;
        let busy = (self.busy.0 + self.busy.1) / parts;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 65 535, saturates"
        )]
        let busy = (busy * 65535.0 + 0.5) as u16;
        self.rect.busy = busy;
        out.push(self.rect);
    }

    /// Hands out the last rectangle.
    pub(crate) fn finish(mut self, out: &mut Vec<Rect>) {
        self.emit(out);
    }
}
