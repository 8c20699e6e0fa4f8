//! Rectangles: the boxes that a frontend draws.

use alloc::vec::Vec;

use spall_model::{SliceId, StateId};

use crate::cluster::Cluster;
use crate::owners::OwnerSearch;
use crate::{LineId, RowId};

/// A run of columns of a row that is drawn as one box: one slice, or several that are too narrow to be drawn apart.
///
/// Draw it from [`Rect::x0`] to [`Rect::x1`], which are whole columns. A frontend that draws finer edges may use
/// [`Rect::left`] and [`Rect::right`] instead where [`Rect::count`] is 1. Subtract
/// [`Viewport::offset`](crate::Viewport::offset) in both cases.
///
/// ```
/// use spall_layout::{Fidelity, Rect, Row, RowId, Scratch, Viewport};
/// use spall_model::{SliceId, Tick};
/// let mut row = Row::new();
/// row.push(Tick(0), Tick(3), SliceId(0));
/// row.push(Tick(4), Tick(7), SliceId(1));
/// row.push(Tick(10), Tick(40), SliceId(2));
/// let viewport = Viewport::new(Tick(0)..Tick(50), 5, Fidelity::Exact); // ten ticks a column
/// let mut rects = Vec::new();
/// row.view(RowId(0)).rects(&viewport, &mut Scratch::new(), &mut rects);
///
/// // Two slices share the first column, of which they fill six tenths.
/// let [both, long] = rects[..] else { panic!() };
/// assert_eq!((both.x0..both.x1, both.slice, both.count), (0..1, SliceId(0), 2));
/// assert!((f32::from(both.busy) / 65535.0 - 0.6).abs() < 0.001);
/// assert_eq!((long.x0..long.x1, long.slice, long.count), (1..4, SliceId(2), 1));
/// // The pointer is in column 2.
/// assert_eq!(Rect::hit(&rects, RowId(0), 2), Some(&long));
/// ```
#[doc(alias("quad", "box"))]
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Rect {
    /// The row of the rectangle. On a line of packed tracks it is `RowId(u32::MAX)`, because the slices of such a line are
    /// on several rows.
    pub row: RowId,
    /// The slice whose name and colour the rectangle gets: the owner of its columns.
    pub slice: SliceId,
    /// The first column.
    pub x0: u32,
    /// The column after the last one.
    pub x1: u32,
    /// The start of the owner in columns, clamped to the viewport. It may lie in a column that a neighbour owns. A label
    /// that is drawn from here on stays visible as long as its slice does.
    pub left: f32,
    /// The end of the owner in columns, clamped to the viewport. It may lie in a column that a neighbour owns.
    pub right: f32,
    /// The position in the row of the first slice that the rectangle stands for.
    pub first: u32,
    /// The number of slices that the rectangle stands for. They follow one another from `first` on. It is at least 1.
    pub count: u32,
    /// The part of the rectangle's columns that is inside slices, from 0 for nothing to 65 535 for everything.
    ///
    /// It is exact up to rounding, except for groups of slices that lie across the edge of a column and are not told
    /// apart: each of the two columns gets a part of their time in proportion to their extent.
    pub busy: u16,
}

impl Rect {
    /// Returns the state that a rectangle of [`Row::of_states`](crate::Row::of_states) shows. For other rectangles the
    /// result means nothing.
    #[must_use]
    pub fn state(&self) -> StateId {
        StateId(self.slice.0)
    }

    /// Returns the rectangle at `column` of `row`, or `None` if nothing is drawn there.
    ///
    /// `rects` must be ordered by row and column, as queries on rows in ascending order write them. A hit is looked up in
    /// the rectangles that were drawn, so it always names the slice that the user sees. This takes O(log rects).
    #[must_use]
    pub fn hit(rects: &[Self], row: RowId, column: u32) -> Option<&Self> {
        let at = rects.partition_point(|rect| (rect.row, rect.x1) <= (row, column));
        rects.get(at).filter(|rect| rect.row == row && rect.x0 <= column)
    }
}

/// A rectangle and the line that it is drawn on, as [`Vertical::rects`](crate::Vertical::rects) returns it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LineRect {
    /// The columns of the rectangle, and the slices that it stands for.
    pub rect: Rect,
    /// The line of the rectangle.
    pub line: LineId,
    /// The upper edge of the line, in the unit of heights.
    pub top: u64,
    /// The height of the line.
    pub height: u32,
}

impl LineRect {
    /// Returns the rectangle at a column and at the distance `y` from the top, or `None` if nothing is drawn there.
    ///
    /// `rects` must be those of one query of [`Vertical::rects`](crate::Vertical::rects). A hit is looked up in the
    /// rectangles that were drawn, so it always names the slice that the user sees. This takes O(log rects).
    #[must_use]
    pub fn hit(rects: &[Self], column: u32, y: u64) -> Option<&Self> {
        let bottom = |found: &Self| found.top + u64::from(found.height);
        let at =
            rects.partition_point(|found| bottom(found) <= y || found.top <= y && found.rect.x1 <= column);
        rects.get(at).filter(|found| found.top <= y && found.rect.x0 <= column)
    }
}

/// The working memory of queries.
///
/// Keep one for each thread that makes queries, and pass it to every query. Once it has grown to the size of the picture,
/// queries allocate nothing. It holds nothing that matters between two queries.
#[doc(alias("buffer"))]
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// The clusters of the walk that have not been merged yet.
    pub(crate) clusters: Vec<Cluster>,
    /// The working memory of queries for exact owners.
    pub(crate) owner_search: OwnerSearch,
    /// The rectangles of one line, before they get its height.
    pub(crate) rects: Vec<Rect>,
}

impl Scratch {
    /// Creates working memory that holds nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
