//! The viewport of a timeline: a range of time, cut into columns with integer arithmetic only.

#[cfg(feature = "serde")]
mod data;
mod motion;

use core::ops::Range;

use spall_model::Tick;

use crate::convert::to_f64;

/// A range of time that is shown in a number of columns.
///
/// A column is the caller's smallest unit across the screen, such as a pixel or a character cell. The edges of columns
/// are multiples of the column width counted from tick 0, not from the start of the range. So as long as the duration
/// of the range and the number of columns stay the same, moving the range moves the columns and changes nothing else.
/// The range usually begins inside a column, and it takes one more column than asked for to cover it;
/// [`Viewport::offset`] returns the part of the first column that lies before the range.
///
/// Mapping time to columns uses no floating point and gives the same columns on every machine. [layout
/// 1](crate::rules::layout#1)
///
/// ```
/// use spall_layout::Viewport;
/// use spall_model::Tick;
/// let viewport = Viewport::new(Tick(25)..Tick(125), 10); // ten ticks a column
/// assert_eq!(viewport.columns(), 11); // 20..30 to 120..130
/// assert_eq!(viewport.column(Tick(30)), Some(1));
/// assert_eq!(viewport.ticks(1), Tick(30)..Tick(40));
/// assert_eq!(viewport.offset(), 0.5);
/// ```
#[doc(alias("camera", "zoom", "pan", "visible range", "visible window"))]
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "data::ViewportData", into = "data::ViewportData"))]
pub struct Viewport {
    start: Tick,
    end: Tick,
    /// The number of columns that the caller asked for, which show `duration` ticks. It is at least 1.
    asked: u32,
    /// The number of ticks that `asked` columns show, which is at least 1.
    duration: u64,
    /// The number of columns that the range touches, or 0 if nothing is shown.
    columns: u32,
    /// The first tick at or after the left edge of column 0, and the part of a column from the edge to there.
    first: i64,
    first_part: u64,
    /// The last tick before the right edge of the last column.
    last: i64,
    /// The number of columns of a box. It is at least 1.
    box_width: u16,
    reciprocal: Reciprocal,
    columns_per_tick: f64,
    /// The position of the first tick in column 0.
    first_x: f64,
    /// The part of the start that zooming and moving have rounded off, in units of 2⁻³² ticks.
    start_rest: i32,
    /// The part of the duration that zooming has rounded off, in the same unit.
    duration_rest: i32,
}

impl PartialEq for Viewport {
    /// Returns whether both viewports show the same columns of the same range of time.
    fn eq(&self, other: &Self) -> bool {
        // Everything else follows from these, or is too small to be seen.
        let shown = |of: &Self| {
            let columns = (of.asked, of.duration, of.columns, of.first, of.first_part);
            (of.start, of.end, of.box_width, columns)
        };
        shown(self) == shown(other)
    }
}

/// A fixed-point number that turns ticks into columns without a division. The result is the exact column or the one
/// before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reciprocal {
    /// A tick is `scale << shift` of a column, rounded down.
    scale: u64,
    shift: u32,
    /// The position of the first tick in column 0, rounded down.
    first: u128,
}

/// The number of fractional bits of a column in [`Reciprocal`].
const FRACTION: u32 = 108;

/// The column of a point in time, and the part of the column before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) column: u32,
    /// The part of the column before the point. A whole column has [`Viewport::column_parts`] parts.
    pub(crate) part: u64,
}

impl Position {
    /// Returns the last column that a slice touches if it ends here and began before.
    pub(crate) fn last_touched(self) -> u32 {
        self.column - u32::from(self.part == 0)
    }
}

impl Viewport {
    /// Creates the viewport that shows `range` in `columns` columns.
    ///
    /// It shows nothing if the range is empty or ends before it starts, or if there are no columns.
    #[must_use]
    pub fn new(range: Range<Tick>, columns: u16) -> Self {
        let Range { start, end } = range;
        let end = end.max(start);
        let empty = end == start || columns == 0;
        let duration = if empty { 1 } else { end.0.abs_diff(start.0) };
        let asked = u32::from(columns.max(1));
        // Column edges are at multiples of duration / asked: a tick t lies t * asked / duration columns from tick 0.
        let start_part =
            low_u64((i128::from(start.0) * i128::from(asked)).rem_euclid(duration.into()).unsigned_abs());
        let columns = if empty { 0 } else { asked + u32::from(start_part > 0) };
        let back = (start_part / u64::from(asked)).min(start.0.abs_diff(i64::MIN));
        let first_part = start_part - back * u64::from(asked);
        let inside = (u128::from(columns) * u128::from(duration)).saturating_sub(u128::from(start_part) + 1);
        let ahead = (inside / u128::from(asked)).min(start.0.abs_diff(i64::MAX).into());
        Self {
            start,
            end,
            asked,
            duration,
            columns,
            first: start.0.wrapping_sub_unsigned(back),
            first_part,
            last: start.0.wrapping_add_unsigned(low_u64(ahead)),
            box_width: 1,
            reciprocal: Reciprocal::new(asked, duration, first_part),
            columns_per_tick: f64::from(asked) / to_f64(duration),
            first_x: to_f64(first_part) / to_f64(duration),
            start_rest: 0,
            duration_rest: 0,
        }
    }

    /// Returns the viewport with boxes of `columns` columns: slices that are longer have rectangles of their own.
    ///
    /// Slices that are no longer may share a rectangle with their neighbours, which is much less work where slices are many
    /// and short. The longest of them is its owner. Which columns are in rectangles stays exact: a column is in a rectangle
    /// if and only if a slice touches it. [layout 2.3](crate::rules::layout#2.3)
    ///
    /// The default is 1, and 0 counts as 1. Choose as many columns as the narrowest box that users can see: 2 to 4 pixels
    /// for a window. Queries other than for rectangles do not depend on this.
    ///
    /// ```
    /// use spall_layout::{Row, RowId, Viewport};
    /// use spall_model::{SliceId, Tick};
    /// let mut row = Row::new();
    /// for (id, start) in (0..).map(SliceId).zip([0, 10, 20, 30, 60]) {
    ///     row.push(Tick(start), Tick(start + 8), id);
    /// }
    /// let viewport = Viewport::new(Tick(0)..Tick(80), 8); // ten ticks a column
    /// let mut rects = Vec::new();
    /// row.view(RowId(0)).rects(&viewport.with_box_width(2), &mut rects);
    /// let drawn: Vec<_> = rects.iter().map(|rect| (rect.x0..rect.x1, rect.count)).collect();
    /// assert_eq!(drawn, [(0..2, 2), (2..4, 2), (6..7, 1)]);
    /// ```
    #[doc(alias("LOD", "level of detail"))]
    #[must_use]
    pub fn with_box_width(&self, columns: u16) -> Self {
        Self { box_width: columns.max(1), ..*self }
    }

    /// Creates the viewport that shows all of `range` with at least `margin` free columns on each side.
    ///
    /// Use this to zoom to a selection. The margin is at most a quarter of the columns. A range without duration is
    /// shown as one tick. Times that a [`Tick`] cannot express are left out.
    ///
    /// ```
    /// use spall_layout::Viewport;
    /// use spall_model::Tick;
    /// let viewport = Viewport::fit(Tick(100)..Tick(180), 100, 10);
    /// assert_eq!(viewport.range(), Tick(90)..Tick(190));
    /// ```
    #[doc(alias("zoom"))]
    #[must_use]
    pub fn fit(range: Range<Tick>, columns: u16, margin: u16) -> Self {
        let (start, end) = (i128::from(range.start.0), i128::from(range.end.0));
        let duration = (end - start).max(1);
        let margin = u128::from(margin.min(columns / 4));
        let rest = u128::from(columns) - 2 * margin;
        // `rest` columns show the duration, so `margin` columns show this much, rounded up.
        let around = (duration.unsigned_abs() * margin).div_ceil(rest.max(1)).cast_signed();
        let tick = |at: i128| {
            let least = if at < 0 { i64::MIN } else { i64::MAX };
            Tick(i64::try_from(at).unwrap_or(least))
        };
        Self::new(tick(start - around)..tick(start + duration + around), columns)
    }

    /// Returns the range of time that the viewport shows.
    #[must_use]
    pub fn range(&self) -> Range<Tick> {
        self.start..self.end
    }

    /// Returns the number of columns that it takes to cover the range: as many as asked for, or one more.
    ///
    /// It is at most 65 536, and 0 if the viewport shows nothing.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns the part of column 0 that lies before the range, from 0 to 1. Draw column `c` at `c - offset`.
    #[must_use]
    pub fn offset(&self) -> f32 {
        self.x(self.start)
    }

    /// Returns the column in which the time `at` lies, or `None` if it lies in no column of the viewport.
    #[must_use]
    pub fn column(&self, at: Tick) -> Option<u32> {
        (self.columns > 0 && (self.first..=self.last).contains(&at.0)).then(|| self.position(at.0).column)
    }

    /// Returns the ticks that lie in a column. There are none if the column is narrower than a tick and lies between
    /// two.
    ///
    /// Columns beyond the last one, and times that a [`Tick`] cannot express, saturate.
    #[must_use]
    pub fn ticks(&self, column: u32) -> Range<Tick> {
        self.edge(column)..self.edge(column.saturating_add(1))
    }

    /// Returns the first tick at or after the left edge of a column.
    fn edge(&self, column: u32) -> Tick {
        let parts = u128::from(column.min(self.columns)) * u128::from(self.duration);
        let ticks = parts.saturating_sub(self.first_part.into()).div_ceil(self.asked.into());
        let most = self.first.abs_diff(i64::MAX);
        Tick(self.first.wrapping_add_unsigned(low_u64(ticks.min(most.into()))))
    }

    /// Returns the position of `at` in columns from the left edge of column 0, clamped to the columns.
    ///
    /// This is for drawing; [`Viewport::column`] returns the exact column.
    #[must_use]
    pub fn x(&self, at: Tick) -> f32 {
        if at.0 < self.first {
            return 0.0;
        }
        let ticks = to_f64(at.0.wrapping_sub(self.first).cast_unsigned());
        #[expect(clippy::cast_possible_truncation, reason = "rounding is the point")]
        let x = (ticks * self.columns_per_tick + self.first_x) as f32;
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let columns = self.columns as f32;
        x.min(columns)
    }

    /// Returns the tick at or before `x` columns from the left edge of column 0, clamped to the columns.
    ///
    /// A pointer that is `p` columns from the start of the range is at `x = p + offset`. An `x` that is not a number
    /// counts as 0.
    #[must_use]
    pub fn tick_at(&self, x: f64) -> Tick {
        // Float to integer casts saturate; 2^-32 of a column is more than a pointer can tell apart.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates as documented"
        )]
        let x = ((x * 4_294_967_296.0) as u64).min(u64::from(self.columns) << 32);
        let parts = (u128::from(x) * u128::from(self.duration)) >> 32;
        let ticks = parts.saturating_sub(self.first_part.into()) / u128::from(self.asked);
        let most = self.last.abs_diff(self.first);
        Tick(self.first.wrapping_add_unsigned(low_u64(ticks.min(most.into()))))
    }

    /// Returns the column of `tick` and the part of the column before it, clamped to the columns.
    pub(crate) fn position(&self, tick: i64) -> Position {
        if tick < self.first {
            return Position { column: 0, part: 0 };
        }
        if tick > self.last {
            return Position { column: self.columns, part: 0 };
        }
        let ticks = tick.wrapping_sub(self.first).cast_unsigned();
        let column = self.reciprocal.at_most_column(ticks);
        if self.duration <= u64::MAX / 2 {
            // The part is less than twice the duration, so whatever does not fit into 64 bits cancels out.
            let parts = ticks.wrapping_mul(self.asked.into()).wrapping_add(self.first_part);
            let part = parts.wrapping_sub(u64::from(column).wrapping_mul(self.duration));
            let is_next = part >= self.duration;
            let rest = if is_next { self.duration } else { 0 };
            return Position { column: column + u32::from(is_next), part: part - rest };
        }
        let parts = u128::from(ticks) * u128::from(self.asked) + u128::from(self.first_part);
        let part = parts - u128::from(column) * u128::from(self.duration);
        // The estimate may be one less.
        let whole = u128::from(self.duration);
        if part >= whole {
            Position { column: column + 1, part: low_u64(part - whole) }
        } else {
            Position { column, part: low_u64(part) }
        }
    }
}

/// Arithmetic that queries need.
impl Viewport {
    /// Returns the number of columns of a box, which is at least 1.
    pub(crate) fn box_width(&self) -> u16 {
        self.box_width
    }

    /// Returns the number of column 0, counted from the column that begins at tick 0.
    ///
    /// Viewports with the same duration and the same number of columns count alike.
    pub(crate) fn first_column(&self) -> i128 {
        (i128::from(self.first) * i128::from(self.asked) - i128::from(self.first_part))
            / i128::from(self.duration)
    }

    /// Returns the number of parts of a column. Parts are the unit of [`Position::part`] and of overlaps.
    pub(crate) fn column_parts(&self) -> u64 {
        self.duration
    }

    /// Returns the number of parts in a tick.
    pub(crate) fn tick_parts(&self) -> u64 {
        self.asked.into()
    }

    /// Returns whether the time from `first` to `last` lies inside the columns, and does not end at the right edge.
    pub(crate) fn holds(&self, first: i64, last: i64) -> bool {
        (first >= self.first) & (last <= self.last)
    }

    /// Returns whether a slice ends after the left edge of column 0, or lies there as a point.
    #[inline]
    pub(crate) fn ends_inside(&self, start: i64, end: i64) -> bool {
        end > self.first || (end == self.first && (self.first_part > 0 || start == end))
    }

    /// Returns whether `start` lies before the right edge of the last column.
    #[inline]
    pub(crate) fn starts_inside(&self, start: i64) -> bool {
        self.columns > 0 && start <= self.last
    }
}

impl Reciprocal {
    /// Makes the reciprocal for a viewport with these fields.
    fn new(asked: u32, duration: u64, first_part: u64) -> Self {
        // The duration becomes a number of 62 bits, or stays one of up to 64: ticks of up to three durations can be shifted
        // alike, and the scale stays below 2^63.
        let shift = duration.leading_zeros().saturating_sub(2);
        let scale = (u128::from(asked) << FRACTION) / (u128::from(duration) << shift);
        // In two steps, because first_part << FRACTION needs not fit.
        let high = (u128::from(first_part) << 64) / u128::from(duration);
        Self { scale: low_u64(scale), shift, first: high << (FRACTION - 64) }
    }

    /// Returns the column that is `ticks` from the first tick, or the one before it.
    ///
    /// All roundings go down and together stay below 2^-42 columns.
    fn at_most_column(&self, ticks: u64) -> u32 {
        let ahead = u128::from(ticks << self.shift) * u128::from(self.scale);
        low_u32((ahead + self.first) >> FRACTION)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "callers hold values below 2^64")]
fn low_u64(value: u128) -> u64 {
    value as u64
}

#[expect(clippy::cast_possible_truncation, reason = "callers hold values below 2^32")]
fn low_u32(value: u128) -> u32 {
    value as u32
}

#[cfg(test)]
mod tests;
