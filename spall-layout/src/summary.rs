//! What a folded group shows of its rows: how many are busy. \[layout 10\]

use alloc::vec::Vec;

use crate::{Layout, RowId, Scratch, Viewport, walk};

impl Layout {
    /// How many of `rows` are inside a slice, column by column: writes [`Viewport::columns`] numbers to `out`, replacing
    /// what was there.
    ///
    /// Ask for the rows of depth 0 of the tracks of a group: a column in which three threads run all the time has 3.
    /// Exact up to rounding, but for groups of slices across a column edge, see [`crate::Rect::busy`].
    pub fn busy_rows(
        &self,
        rows: impl IntoIterator<Item = RowId>,
        viewport: &Viewport,
        scratch: &mut Scratch,
        out: &mut Vec<f32>,
    ) {
        out.clear();
        out.resize(viewport.columns() as usize, 0.0);
        for row in rows {
            if let Some(row) = self.row(row) {
                walk::add_busy(&row, viewport, scratch, out);
            }
        }
    }
}
