//! From a place in the picture to a slice, and to the nearest edge. \[layout 6\]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{Tick, Ticks};

use crate::{Layout, Line, LineKind, Rect, RowId, RowView, Scratch, Viewport, walk};

impl Layout {
    /// Appends what the rows among `lines` look like in `viewport` to `out`: row by row, from left to right.
    ///
    /// See [`RowView::rects`] for what is promised of each row. Heads have no rectangles; those of a [`LineKind::Packed`] are
    /// asked of the line itself, as of [`crate::Packed::lines`].
    pub fn rects(&self, viewport: &Viewport, lines: &[Line], scratch: &mut Scratch, out: &mut Vec<Rect>) {
        for line in lines {
            if let LineKind::Row(row) = line.kind
                && let Some(row) = self.row(row)
            {
                row.rects(viewport, scratch, out);
            }
        }
    }

    /// The start or end of a slice on one of the rows among `lines` that is nearest to `at`, if it is no further than
    /// `tolerance`; the earlier of two. O(lines · log n).
    #[must_use]
    pub fn snap(&self, lines: &[Line], at: Tick, tolerance: Ticks) -> Option<Tick> {
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
}

impl RowView<'_> {
    /// The start or end of a slice that is nearest to `at`; the earlier of two. O(log n).
    #[must_use]
    pub fn nearest_edge(&self, at: Tick) -> Option<Tick> {
        let behind = self.starts.partition_point(|&start| start <= at);
        let before = behind.checked_sub(1);
        [
            before.and_then(|i| self.starts.get(i)),
            before.and_then(|i| self.ends.get(i)),
            self.starts.get(behind),
        ]
        .into_iter()
        .flatten()
        .copied()
        .min_by_key(|edge| (edge.0.abs_diff(at.0), *edge))
    }

    /// The positions of the slices that touch a column of `viewport`, half open. O(log n).
    #[must_use]
    pub fn seen(&self, viewport: &Viewport) -> Range<usize> {
        let (first, end) = walk::seen(self, viewport);
        first as usize..end.max(first) as usize
    }
}

impl Rect {
    /// The rectangle under a place in the picture, in what [`Layout::rects`] made of ascending rows: so a hit names
    /// the slice that is drawn. O(log rects).
    #[must_use]
    pub fn hit(rects: &[Self], row: RowId, column: u32) -> Option<&Self> {
        let at = rects.partition_point(|rect| (rect.row, rect.x1) <= (row, column));
        rects.get(at).filter(|rect| rect.row == row && rect.x0 <= column)
    }
}
