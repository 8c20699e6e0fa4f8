//! From items in time order to rectangles: who gets the column that two items touch. \[layout 2.4\]

use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

use spall_model::{SliceId, Tick};

use crate::convert::to_f32;
use crate::edge::Edge;
use crate::index::{Node, longest};
use crate::viewport::Position;
use crate::{Rect, RowId, RowView, Viewport};

/// A slice, or slices of which the longest stands for all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    /// The owner's overlap with the first column, in parts of a column.
    pub(crate) first_overlap: u64,
    /// The owner's overlap with the last column.
    pub(crate) last_overlap: u64,
    /// First and last column touched. Several slices touch at most two.
    pub(crate) columns: (u32, u32),
    /// Position in the row of the first slice.
    pub(crate) first: u32,
    /// How many slices.
    pub(crate) count: u32,
    pub(crate) owner: Owner,
    /// Parts inside slices in the first and in the last column; all in the first, if they are the same.
    busy: (f32, f32),
}

/// The slice that stands for others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) id: SliceId,
}

impl Owner {
    #[inline(always)]
    pub(crate) fn length(&self) -> u64 {
        self.end.wrapping_sub(self.start).cast_unsigned()
    }
}

/// Consecutive slices that lie in one column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    column: u32,
    /// What comes next and ends here at the latest lies in the column too.
    limit: i64,
    first: u32,
    count: u32,
    longest: Owner,
    /// The length of the longest.
    most: u64,
    /// Ticks inside slices.
    busy: f32,
}

impl Run {
    /// Takes nothing.
    pub(crate) const NONE: Self = Self {
        column: 0,
        limit: i64::MIN,
        first: 0,
        count: 0,
        longest: Owner { start: 0, end: 0, id: SliceId(0) },
        most: 0,
        busy: 0.0,
    };

    /// Takes what lies in a column.
    #[inline(always)]
    pub(crate) fn in_column(column: u32) -> Self {
        Self { column, ..Self::NONE }
    }

    /// What may follow something that ended at `end` and last touched `column`.
    #[inline(always)]
    fn behind(viewport: &Viewport, end: i64, at: Position, column: u32) -> Self {
        let limit = if at.column == column { viewport.last_before_edge(end, at) } else { i64::MIN };
        Self { limit, ..Self::in_column(column) }
    }

    /// Whether what ends at `end` belongs here.
    #[inline(always)]
    pub(crate) fn holds(&self, end: i64) -> bool {
        end <= self.limit
    }

    /// Takes a slice that it holds.
    #[inline(always)]
    pub(crate) fn take_slice(&mut self, slice: Owner, at: u32) {
        let length = slice.length();
        if self.count == 0 {
            self.first = at;
        }
        if self.count == 0 || length > self.most {
            self.longest = slice;
            self.most = length;
        }
        self.count += 1;
        self.busy += to_f32(length);
    }

    /// Takes slices that it holds.
    #[inline(always)]
    pub(crate) fn take(&mut self, longest: Owner, busy: f32, first: u32, count: u32) {
        let (is_first, length) = (self.count == 0, longest.length());
        // Which node has a longer slice than those before cannot be predicted; slices that follow one another are more alike.
        let is_longest = is_first | (length > self.most);
        self.longest = select_unpredictable(is_longest, longest, self.longest);
        self.most = select_unpredictable(is_longest, length, self.most);
        self.first = if is_first { first } else { self.first };
        self.count += count;
        self.busy += busy;
    }

    /// Takes slices of a row that lie in the column.
    #[inline(always)]
    pub(crate) fn take_slices(&mut self, row: &RowView<'_>, range: Range<u32>) {
        let slices = range.start as usize..range.end as usize;
        let starts = row.starts.get(slices.clone()).unwrap_or_default();
        let ends = row.ends.get(slices).unwrap_or_default();
        let (longest, busy) = longest(starts, ends);
        if let Some(longest) = row.slice(range.start as usize + longest).filter(|_| !range.is_empty()) {
            self.take(longest, to_f32(busy), range.start, range.end - range.start);
        }
    }

    /// Takes what a run before this one has taken.
    #[inline(always)]
    pub(crate) fn put_before(&mut self, run: &Self) {
        if run.count == 0 {
            return;
        }
        if self.count == 0 || run.most >= self.most {
            self.longest = run.longest;
            self.most = run.most;
        }
        self.first = run.first;
        self.count += run.count;
        self.busy += run.busy;
    }

    /// The length of the longest of the slices; 0 if there never were any.
    #[inline(always)]
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// Position in the row of the first slice.
    #[inline(always)]
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// What was taken; nothing is left.
    #[inline(always)]
    pub(crate) fn flush(&mut self, viewport: &Viewport, items: &mut Vec<Item>) {
        if self.count > 0 {
            let overlap = viewport.parts(self.most);
            items.push(Item {
                first_overlap: overlap,
                last_overlap: overlap,
                columns: (self.column, self.column),
                first: self.first,
                count: self.count,
                owner: self.longest,
                busy: (viewport.parts_f32(self.busy), 0.0),
            });
            self.count = 0;
        }
    }
}

impl Item {
    /// Adds to each column touched the part of it that is inside slices; a column has `width` parts.
    pub(crate) fn add_busy(&self, width: f32, columns: &mut [f32]) {
        let (first, last) = (self.columns.0 as usize, self.columns.1 as usize);
        if let Some(column) = columns.get_mut(first) {
            *column += self.busy.0 / width;
        }
        if last > first {
            columns.get_mut(first + 1..last).unwrap_or_default().iter_mut().for_each(|column| *column += 1.0);
            if let Some(column) = columns.get_mut(last) {
                *column += self.busy.1 / width;
            }
        }
    }

    /// A slice, and the run that may follow it.
    #[inline(always)]
    pub(crate) fn slice(viewport: &Viewport, owner: Owner, first: u32) -> (Self, Run) {
        let (from, to, whole) =
            (viewport.position(owner.start), viewport.position(owner.end), viewport.column_parts());
        let last = if from == to { to.column } else { to.last_touched() };
        let (overlaps, busy) = if from.column == last {
            let overlap = if to.column == last { to.part } else { whole } - from.part;
            ((overlap, overlap), (to_f32(overlap), 0.0))
        } else {
            let (first, last) = (whole - from.part, if to.part == 0 { whole } else { to.part });
            ((first, last), (to_f32(first), to_f32(last)))
        };
        let item = Self {
            first_overlap: overlaps.0,
            last_overlap: overlaps.1,
            columns: (from.column, last),
            first,
            count: 1,
            owner,
            busy,
        };
        (item, Run::behind(viewport, owner.end, to, last))
    }

    /// What lies across an edge, in two columns and no more: from where to where, the first slice and how many, the longest,
    /// and the part of the time that is inside slices.
    #[inline(always)]
    pub(crate) fn across(
        edge: &Edge,
        extent: (i64, i64),
        (first, count): (u32, u32),
        owner: Owner,
        density: f32,
    ) -> Self {
        let (left, right) = (edge.parts_left(extent.0), edge.parts_right(extent.1));
        Self {
            first_overlap: edge.parts_left(owner.start) - edge.parts_left(owner.end),
            last_overlap: edge.parts_right(owner.end) - edge.parts_right(owner.start),
            columns: edge.columns(),
            first,
            count,
            owner,
            busy: (to_f32(left) * density, to_f32(right) * density),
        }
    }

    /// A node that fits a column and lies in the frame, and the run that may follow it.
    #[inline(always)]
    pub(crate) fn node(viewport: &Viewport, node: &Node, first: u32, count: u32) -> (Self, Run) {
        let (from, owner, density) = (viewport.position(node.first), node.longest(), node.density());
        // All in parts from where the node begins: up to the edge behind it, to its end, and to those of the longest slice.
        let parts_to = |tick: i64| viewport.parts(tick.wrapping_sub(node.first).cast_unsigned());
        let (edge, extent) = (viewport.column_parts() - from.part, parts_to(node.last));
        let (start, end) = (parts_to(owner.start), parts_to(owner.end));
        let column = from.column + u32::from(extent >= edge);
        let (last, overlaps, busy) = if extent > edge || extent == edge && node.ends_in_point() {
            let overlaps = (end.min(edge) - start.min(edge), end.max(edge) - start.max(edge));
            (column, overlaps, (edge, extent - edge))
        } else {
            (from.column, (end - start, end - start), (extent, 0))
        };
        let item = Self {
            first_overlap: overlaps.0,
            last_overlap: overlaps.1,
            columns: (from.column, last),
            first,
            count,
            owner,
            busy: (to_f32(busy.0) * density, to_f32(busy.1) * density),
        };
        let part = if column == from.column { from.part + extent } else { extent - edge };
        (item, Run::behind(viewport, node.last, Position { column, part }, last))
    }
}

/// The rectangle that is being put together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Merge {
    rect: Rect,
    owner: Owner,
    /// Overlap of the owner with the last column.
    last_overlap: u64,
    /// Parts inside slices: in all columns but the last, and in the last.
    busy: (f32, f32),
    /// A column's width in parts.
    width: f32,
}

impl Merge {
    /// Begins with the first item.
    pub(crate) fn new(row: RowId, viewport: &Viewport, item: &Item) -> Self {
        let rect =
            Rect { row, slice: SliceId(0), x0: 0, x1: 0, left: 0.0, right: 0.0, first: 0, count: 0, busy: 0 };
        let mut merge = Self {
            rect,
            owner: item.owner,
            last_overlap: 0,
            busy: (0.0, 0.0),
            width: to_f32(viewport.column_parts()),
        };
        merge.begin(item, item.columns.0, 0.0);
        merge
    }

    /// Takes the next item.
    #[inline(always)]
    pub(crate) fn add(&mut self, viewport: &Viewport, item: &Item, out: &mut Vec<Rect>) {
        let contested = self.rect.x1 - 1;
        let (x0, last) = item.columns;
        if x0 > contested {
            self.emit(viewport, out);
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
                self.emit(viewport, out);
                self.begin(item, x0, carried);
            }
        } else {
            self.busy.1 += item.busy.0;
            if last == contested {
                self.rect.count += item.count;
            } else {
                self.emit(viewport, out);
                self.begin(item, x0 + 1, 0.0);
            }
        }
    }

    /// Begins a rectangle with what is left of `item` from column `x0` on, and with `carried` parts in that column.
    #[inline(always)]
    fn begin(&mut self, item: &Item, x0: u32, carried: f32) {
        let (first, last) = item.columns;
        self.rect = Rect { x0, x1: last + 1, first: item.first, count: item.count, ..self.rect };
        self.owner = item.owner;
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
    fn emit(&mut self, viewport: &Viewport, out: &mut Vec<Rect>) {
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let parts = (self.rect.x1 - self.rect.x0) as f32 * self.width;
        let busy = (self.busy.0 + self.busy.1) / parts;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 65 535, saturates"
        )]
        let busy = (busy * 65535.0 + 0.5) as u16;
        self.rect.slice = self.owner.id;
        self.rect.left = viewport.x(Tick(self.owner.start));
        self.rect.right = viewport.x(Tick(self.owner.end));
        self.rect.busy = busy;
        out.push(self.rect);
    }

    /// Hands out the last rectangle.
    pub(crate) fn finish(mut self, viewport: &Viewport, out: &mut Vec<Rect>) {
        self.emit(viewport, out);
    }
}
