//! Rectangles: the boxes that a frontend draws.

use spall_model::{SliceId, StateId};

use crate::{LineId, RowId};

/// A run of columns of a row that is drawn as one box: one slice, or several that are too narrow to be drawn apart.
///
/// Draw it from [`Rect::x0`] to [`Rect::x1`], which are whole columns. A frontend that draws finer edges may use
/// [`Rect::left`] and [`Rect::right`] instead where [`Rect::count`] is 1. Subtract
/// [`Viewport::offset`](crate::Viewport::offset) in both cases.
///
/// ```
/// use spall_layout::{Rect, Row, RowId, Viewport};
/// use spall_model::{SliceId, Tick};
/// let mut row = Row::new();
/// row.push(Tick(0), Tick(3), SliceId(0));
/// row.push(Tick(4), Tick(7), SliceId(1));
/// row.push(Tick(10), Tick(40), SliceId(2));
/// let viewport = Viewport::new(Tick(0)..Tick(50), 5); // ten ticks a column
/// let mut rects = Vec::new();
/// row.view(RowId(0)).rects(&viewport, &mut rects);
///
/// // Two slices share the first column, of which they fill six tenths.
/// let [both, long] = rects[..] else { panic!() };
/// assert_eq!((both.x0..both.x1, both.slice, both.count), (0..1, SliceId(0), 2));
/// assert!((both.fill() - 0.6).abs() < 0.001);
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
    /// It is exact up to rounding unless another rectangle has a slice in one of these columns: the time of a group of slices
    /// is then divided between columns in proportion to its extent in each.
    pub busy: u16,
}

impl Rect {
    /// Returns the fraction of the box to show as filled: 1 for one slice, and for several slices [`Rect::busy`] as a number
    /// from 0 to 1.
    ///
    /// A viewer that draws boxes paler where they stand for several slices multiplies their colour by a function of this.
    #[must_use]
    pub fn fill(&self) -> f32 {
        if self.count == 1 { 1.0 } else { f32::from(self.busy) / f32::from(u16::MAX) }
    }

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
