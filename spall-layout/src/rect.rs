//! Rectangles, the answer to "what is to be drawn".

use alloc::vec::Vec;

use spall_model::SliceId;

use crate::RowId;
use crate::cluster::Cluster;
use crate::owners::OwnerSearch;

/// A run of columns of a row that is drawn as one box: a slice, or a slice and the smaller ones that are drawn in
/// its place.
///
/// Draw it from [`Rect::x0`] to [`Rect::x1`], whole columns. A frontend that draws with finer edges may use
/// [`Rect::left`] and [`Rect::right`] instead where `count` is 1. Subtract [`crate::Viewport::offset`] either way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// The row.
    pub row: RowId,
    /// The slice that is shown: the owner of the columns.
    pub slice: SliceId,
    /// First column.
    pub x0: u32,
    /// One past the last column.
    pub x1: u32,
    /// Where the owner begins, in columns, clamped to the frame: a label that starts here stays in sight while its slice does.
    /// It may lie in a column that a neighbour owns.
    pub left: f32,
    /// Where the owner ends, in columns, clamped to the frame.
    pub right: f32,
    /// Position in the row of the first slice that the rectangle stands for.
    pub first: u32,
    /// How many slices, from `first` on, the rectangle stands for; at least 1.
    pub count: u32,
    /// How much of the rectangle's columns is inside slices, from 0 to 65 535.
    ///
    /// Exact up to rounding, but for groups of slices that lie across a column's edge and are not told apart: each
    /// column gets of their time what it has of their extent.
    pub busy: u16,
}

/// Working memory of queries. Keep one per thread and hand it to every query: once it has grown to the size of the
/// frame, queries allocate nothing.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// The clusters of the walk that have not been merged yet.
    pub(crate) clusters: Vec<Cluster>,
    /// Used by queries for exact owners only.
    pub(crate) owner_search: OwnerSearch,
}

impl Scratch {
    /// Working memory that holds nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
