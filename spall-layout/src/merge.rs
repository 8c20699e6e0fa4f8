//! Merges pieces in time order into rectangles, and decides which of them owns a column that two touch. [layout
//! 2.8](crate::rules::layout#2.8)

use spall_model::{SliceId, Tick};

use crate::convert::to_f32;
use crate::index::SliceExtent;
use crate::piece::{Boxes, Piece};
use crate::{Rect, RowId, Viewport};

/// The last rectangle of a row so far, to which the next pieces are merged.
///
/// Pieces are disjoint and in time order, so a new one can only touch the last column of the rectangle, never one before
/// it. The slices of the piece that loses this column stay counted: in the loser's own rectangle if it has another column,
/// and in the winner's if not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RectMerger<'v> {
    viewport: &'v Viewport,
    boxes: &'v Boxes,
    /// The columns and the slices of the rectangle. Its owner and its busy fraction are filled in at the end. The count is
    /// 0 before the first piece.
    rect: Rect,
    owner: SliceExtent,
    /// The duration of the owner if it is longer than a box, and 0 if not.
    wide: u64,
    /// The parts inside slices in all columns but the last, and in the last one. They are apart because the last column may
    /// still go to the next rectangle.
    busy: (f32, f32),
    /// The parts of a column.
    width: f32,
    /// The first column of the piece that the rectangle began with.
    begin: u32,
}

impl<'v> RectMerger<'v> {
    /// Makes the merger of the pieces of a row.
    pub(crate) fn new(row: RowId, viewport: &'v Viewport, boxes: &'v Boxes) -> Self {
        let rect =
            Rect { row, slice: SliceId(0), x0: 0, x1: 0, left: 0.0, right: 0.0, first: 0, count: 0, busy: 0 };
        let owner = SliceExtent { start: 0, end: 0, id: SliceId(0) };
        let width = to_f32(viewport.column_parts());
        Self { viewport, boxes, rect, owner, wide: 0, busy: (0.0, 0.0), width, begin: 0 }
    }

    // Inlined into the walk for the same reason as the methods of `OpenPiece`.

    /// Merges the next piece of the row. Passes the rectangle that is finished by it, if there is one, to `each`.
    #[inline(always)]
    pub(crate) fn add(&mut self, piece: &Piece, each: &mut impl FnMut(Rect)) {
        let (mut x0, last) = piece.columns;
        let is_contested = x0 < self.rect.x1;
        if is_contested && piece.wide > self.wide {
            // The piece wins the column, and the busy time that is known of it.
            let carried = core::mem::take(&mut self.busy.1);
            self.rect.x1 -= 1;
            let (first, count) = (self.rect.first, self.rect.count);
            let is_dissolved = self.rect.x0 == self.rect.x1;
            if !is_dissolved {
                self.finish(each);
            }
            self.begin(piece, x0, carried);
            if is_dissolved {
                self.rect.first = first;
                self.rect.count += count;
            }
            return;
        }
        if is_contested && last < self.rect.x1 || self.joins(piece) {
            self.join(piece);
            return;
        }
        if is_contested {
            // The piece loses the column, but the time inside its slices there still counts.
            self.busy.1 += piece.busy[0];
            x0 += 1;
        }
        self.finish(each);
        self.begin(piece, x0, 0.0);
    }

    /// Returns whether a piece is not told apart from the rectangle: no column between them is untouched, both are narrow, and
    /// they begin in one box. [layout 2.7](crate::rules::layout#2.7)
    fn joins(&self, piece: &Piece) -> bool {
        let first = piece.columns.0;
        first <= self.rect.x1
            && self.rect.count > 0
            && (self.wide | piece.wide) == 0
            && self.boxes.begins_by(first, self.begin)
    }

    /// Adds a piece to the rectangle: its columns, its slices and their busy time.
    fn join(&mut self, piece: &Piece) {
        let (first, last) = piece.columns;
        if piece.owner.duration() > self.owner.duration() {
            self.owner = piece.owner;
        }
        self.rect.count += piece.count;
        if last >= self.rect.x1 {
            self.rect.x1 = last + 1;
            self.busy = (self.busy.0 + self.busy.1, 0.0);
        }
        let [in_first, between, in_last] = piece.busy;
        if first < last {
            self.busy.0 += in_first + between;
            self.busy.1 += in_last;
        } else {
            self.busy.1 += in_first;
        }
    }

    /// Begins a rectangle with the columns of `piece` from `x0` on. Slices before it have `carried` parts of that column.
    fn begin(&mut self, piece: &Piece, x0: u32, carried: f32) {
        let (first, last) = piece.columns;
        self.rect = Rect { x0, x1: last + 1, first: piece.first, count: piece.count, ..self.rect };
        (self.owner, self.wide, self.begin) = (piece.owner, piece.wide, first);
        let [in_first, between, in_last] = piece.busy;
        self.busy = if first == last {
            (0.0, carried + in_first)
        } else {
            let in_first = if x0 > first { 0.0 } else { carried + in_first };
            (in_first + between, in_last)
        };
    }

    /// Passes the rectangle on, if there is one.
    #[inline(always)]
    pub(crate) fn finish(&self, each: &mut impl FnMut(Rect)) {
        if self.rect.count == 0 {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let parts = (self.rect.x1 - self.rect.x0) as f32 * self.width;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 65 535, saturates"
        )]
        let busy = ((self.busy.0 + self.busy.1) / parts * 65535.0 + 0.5) as u16;
        let (left, right) = (self.viewport.x(Tick(self.owner.start)), self.viewport.x(Tick(self.owner.end)));
        each(Rect { slice: self.owner.id, left, right, busy, ..self.rect });
    }
}
