//! The viewport of a timeline: a range of time cut into columns, with integers only.

use core::ops::Range;

use spall_model::Tick;

/// How the owner of a column is chosen when more than one slice touches it. \[layout 2.5\]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Fidelity {
    /// A long slice near the column, found without reading the slices of dense columns.
    #[default]
    Fast,
    /// The slice with the largest overlap, the earlier one if two have the same. Dense columns take two to three times
    /// as long as with [`Fidelity::Fast`], up to fifteen times where all slices are equally long.
    Exact,
}

/// A range of time seen through a number of columns.
///
/// A column is a pixel, a character cell, or whatever the caller's smallest unit across is. Column edges are
/// multiples of the column width counted from tick 0, not from the start of the view: as long as the length of the
/// view and the number of columns stay the same, moving the view moves the columns and changes nothing else. So
/// the view usually begins inside a column, and one column more than asked for is needed to cover it.
/// [`Viewport::offset`] says by how much.
///
/// Mapping time to columns uses no floating point and gives the same columns on every machine. \[layout 1\]
///
/// ```
/// use spall_layout::{Fidelity, Viewport};
/// use spall_model::Tick;
/// let viewport = Viewport::new(Tick(25)..Tick(125), 10, Fidelity::Fast); // ten ticks a column
/// assert_eq!(viewport.columns(), 11); // 20..30 to 120..130
/// assert_eq!(viewport.column(Tick(30)), Some(1));
/// assert_eq!(viewport.ticks(1), Tick(30)..Tick(40));
/// assert_eq!(viewport.offset(), 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    start: Tick,
    end: Tick,
    fidelity: Fidelity,
    /// Columns per `span` ticks.
    asked: u32,
    span: u64,
    /// How many columns the view touches.
    columns: u32,
    /// The first tick at or after the left edge of column 0, and the part of a column from there to the edge.
    first: i64,
    first_part: u64,
    /// The last tick before the right edge of the last column.
    last: i64,
    /// The most ticks that are no longer than a column.
    #[cfg(feature = "alloc")]
    column_ticks: u64,
    reciprocal: Reciprocal,
    columns_per_tick: f64,
    /// Where the first tick lies in column 0.
    first_x: f64,
}

/// What turns ticks into columns without a division, or one column less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reciprocal {
    /// A tick is `scale << shift` of a column, rounded down.
    scale: u64,
    shift: u32,
    /// Where the first tick lies in column 0, rounded down.
    first: u128,
}

/// A column has this many fractional bits in [`Reciprocal`].
const FRACTION: u32 = 108;

/// A point in time: the column it lies in, and the part of the column to its left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) column: u32,
    /// Of which a whole column has [`Viewport::column_parts`].
    pub(crate) part: u64,
}

#[cfg(feature = "alloc")]
impl Position {
    /// The last column touched by what ends here, if it began before.
    #[inline(always)]
    pub(crate) fn last_touched(self) -> u32 {
        self.column - u32::from(self.part == 0)
    }
}

impl Viewport {
    /// The frame that shows `view` in `columns` columns. A view that is empty or backwards, or no columns, makes a
    /// frame that shows nothing.
    #[must_use]
    pub fn new(view: Range<Tick>, columns: u16, fidelity: Fidelity) -> Self {
        let Range { start, end } = view;
        let end = end.max(start);
        let empty = end == start || columns == 0;
        let span = if empty { 1 } else { end.0.abs_diff(start.0) };
        let asked = u32::from(columns.max(1));
        // Column edges are at multiples of span / asked: a tick t lies t * asked / span columns from tick 0.
        let start_part = low_u64(floor_mod(i128::from(start.0) * i128::from(asked), span));
        let columns = if empty { 0 } else { asked + u32::from(start_part > 0) };
        let back = (start_part / u64::from(asked)).min(start.0.abs_diff(i64::MIN));
        let first_part = start_part - back * u64::from(asked);
        let inside = (u128::from(columns) * u128::from(span)).saturating_sub(u128::from(start_part) + 1);
        let ahead = (inside / u128::from(asked)).min(start.0.abs_diff(i64::MAX).into());
        Self {
            start,
            end,
            fidelity,
            asked,
            span,
            columns,
            first: start.0.wrapping_sub_unsigned(back),
            first_part,
            last: start.0.wrapping_add_unsigned(low_u64(ahead)),
            #[cfg(feature = "alloc")]
            column_ticks: span / u64::from(asked),
            reciprocal: Reciprocal::new(asked, span, first_part),
            columns_per_tick: f64::from(asked) / to_f64(span),
            first_x: to_f64(first_part) / to_f64(span),
        }
    }

    /// The frame that shows all of `range`, with at least `margin` columns free on each side, cut to a quarter of all:
    /// zooming to a selection. A range without length is shown as one tick. Times that cannot be expressed are left out.
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport};
    /// use spall_model::Tick;
    /// let viewport = Viewport::fit(Tick(100)..Tick(180), 100, 10, Fidelity::Fast);
    /// assert_eq!(viewport.view(), Tick(90)..Tick(190));
    /// ```
    #[must_use]
    pub fn fit(range: Range<Tick>, columns: u16, margin: u16, fidelity: Fidelity) -> Self {
        let (start, end) = (i128::from(range.start.0), i128::from(range.end.0));
        let length = (end - start).max(1);
        let margin = u128::from(margin.min(columns / 4));
        let rest = u128::from(columns) - 2 * margin;
        let around = (length.unsigned_abs() * margin).div_ceil(rest.max(1)).cast_signed();
        let tick = |at: i128| {
            let least = if at < 0 { i64::MIN } else { i64::MAX };
            Tick(i64::try_from(at).unwrap_or(least))
        };
        Self::new(tick(start - around)..tick(start + length + around), columns, fidelity)
    }

    /// Some of the columns, as a frame of their own: its column 0 is the column `columns.start` of this one, and has the same
    /// edges. Columns beyond the end are left out.
    ///
    /// Who moves the view and keeps what was drawn asks for the new columns only:
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport};
    /// use spall_model::Tick;
    /// let before = Viewport::new(Tick(0)..Tick(1000), 300, Fidelity::Fast);
    /// let now = Viewport::new(Tick(40)..Tick(1040), 300, Fidelity::Fast);
    /// let moved = u32::try_from(now.first_column() - before.first_column()).unwrap();
    /// let new = now.part(before.columns() - moved..now.columns());
    /// assert_eq!((moved, new.columns()), (12, 12));
    /// assert_eq!(new.ticks(0), now.ticks(288));
    /// ```
    #[must_use]
    pub fn part(&self, columns: Range<u32>) -> Self {
        let to = columns.end.min(self.columns);
        let from = columns.start.min(to);
        let first = self.edge(from);
        let ahead = u128::from(first.0.abs_diff(self.first)) * u128::from(self.asked);
        // Only an edge beyond the end of time, which only an empty part begins with, would be less.
        let parts = u128::from(from) * u128::from(self.span);
        let first_part = low_u64((ahead + u128::from(self.first_part)).saturating_sub(parts));
        let last = if to == self.columns { self.last } else { self.edge(to).0.wrapping_sub(1) };
        let start = self.start.max(first);
        Self {
            start,
            end: self.end.min(Tick(last.saturating_add(1))).max(start),
            columns: to - from,
            first: first.0,
            first_part,
            last,
            reciprocal: Reciprocal::new(self.asked, self.span, first_part),
            first_x: to_f64(first_part) / to_f64(self.span),
            ..*self
        }
    }

    /// The range of time that is seen.
    #[must_use]
    pub fn view(&self) -> Range<Tick> {
        self.start..self.end
    }

    /// How owners are chosen.
    #[must_use]
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    /// How many columns it takes to cover the view: those asked for, or one more. At most 65 536.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The number of column 0, counted from the column that begins at tick 0: what a cache that outlives the frame
    /// knows columns by.
    #[must_use]
    pub fn first_column(&self) -> i128 {
        (i128::from(self.first) * i128::from(self.asked) - i128::from(self.first_part))
            / i128::from(self.span)
    }

    /// Where in column 0 the view begins, from 0 to 1. Column `c` is drawn at `c - offset`.
    #[must_use]
    pub fn offset(&self) -> f32 {
        self.x(self.start)
    }

    /// The column in which `at` lies; `None` outside the columns.
    #[must_use]
    pub fn column(&self, at: Tick) -> Option<u32> {
        (self.columns > 0 && (self.first..=self.last).contains(&at.0)).then(|| self.position(at.0).column)
    }

    /// The ticks of a column, half open. Empty for a column narrower than a tick in which no tick lies. Columns
    /// beyond the end of the frame, and times that cannot be expressed, saturate.
    #[must_use]
    pub fn ticks(&self, column: u32) -> Range<Tick> {
        self.edge(column)..self.edge(column.saturating_add(1))
    }

    /// The first tick at or after the left edge of a column.
    fn edge(&self, column: u32) -> Tick {
        let parts = u128::from(column.min(self.columns)) * u128::from(self.span);
        let ticks = parts.saturating_sub(self.first_part.into()).div_ceil(self.asked.into());
        let most = self.first.abs_diff(i64::MAX);
        Tick(self.first.wrapping_add_unsigned(low_u64(ticks.min(most.into()))))
    }

    /// Where `at` lies in columns from the left edge of column 0, clamped to the columns: where to draw, not what
    /// column it is in.
    #[inline(always)]
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

    /// The tick at or before `x` columns from the left edge of column 0, clamped to the columns: what a pointer
    /// points at. Not a number counts as 0.
    #[must_use]
    pub fn tick_at(&self, x: f64) -> Tick {
        // Float to integer casts saturate; 2^-32 of a column is more than a pointer can tell apart.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates as documented"
        )]
        let x = ((x * 4_294_967_296.0) as u64).min(u64::from(self.columns) << 32);
        let parts = (u128::from(x) * u128::from(self.span)) >> 32;
        let ticks = parts.saturating_sub(self.first_part.into()) / u128::from(self.asked);
        let most = self.last.abs_diff(self.first);
        Tick(self.first.wrapping_add_unsigned(low_u64(ticks.min(most.into()))))
    }

    /// Where `tick` lies, clamped to the columns.
    #[inline(always)]
    pub(crate) fn position(&self, tick: i64) -> Position {
        if tick < self.first {
            return Position { column: 0, part: 0 };
        }
        if tick > self.last {
            return Position { column: self.columns, part: 0 };
        }
        let ticks = tick.wrapping_sub(self.first).cast_unsigned();
        let column = self.reciprocal.at_most_column(ticks);
        let parts = u128::from(ticks) * u128::from(self.asked) + u128::from(self.first_part);
        let part = parts - u128::from(column) * u128::from(self.span);
        // The estimate may be one less.
        let span = u128::from(self.span);
        if part >= span {
            Position { column: column + 1, part: low_u64(part - span) }
        } else {
            Position { column, part: low_u64(part) }
        }
    }
}

/// What queries need.
#[cfg(feature = "alloc")]
impl Viewport {
    /// How many parts a column has, the unit of [`Position::part`] and of overlaps.
    #[inline(always)]
    pub(crate) fn column_parts(&self) -> u64 {
        self.span
    }

    /// How many parts there are in `ticks` that fit a column.
    #[inline(always)]
    pub(crate) fn parts(&self, ticks: u64) -> u64 {
        ticks.wrapping_mul(self.asked.into())
    }

    /// How many parts there are in `ticks`, to draw.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "at most 65 535")]
    pub(crate) fn parts_f32(&self, ticks: f32) -> f32 {
        ticks * self.asked as f32
    }

    /// The last tick before the right edge of the column in which `tick`, at `position`, lies.
    #[inline(always)]
    pub(crate) fn last_before_edge(&self, tick: i64, position: Position) -> i64 {
        let ticks = (self.span - position.part).div_ceil(u64::from(self.asked));
        tick.saturating_add_unsigned(ticks - 1)
    }

    /// Whether the time from `first` to `last` is no longer than one column and sticks out on neither side.
    #[inline(always)]
    pub(crate) fn fits_column(&self, first: i64, last: i64) -> bool {
        last.wrapping_sub(first).cast_unsigned() <= self.column_ticks
            && first >= self.first
            && last <= self.last
    }

    /// Whether a slice ends, or lies as a point, behind the left edge of column 0.
    #[inline]
    pub(crate) fn ends_inside(&self, start: i64, end: i64) -> bool {
        end > self.first || (end == self.first && (self.first_part > 0 || start == end))
    }

    /// Whether `start` lies before the right edge of the last column.
    #[inline]
    pub(crate) fn starts_inside(&self, start: i64) -> bool {
        self.columns > 0 && start <= self.last
    }
}

impl Reciprocal {
    fn new(asked: u32, span: u64, first_part: u64) -> Self {
        // The span becomes a number of 62 bits, or stays one of up to 64: ticks of up to three spans can be shifted
        // alike, and the scale stays below 2^63.
        let shift = span.leading_zeros().saturating_sub(2);
        let scale = (u128::from(asked) << FRACTION) / (u128::from(span) << shift);
        // In two steps, because first_part << FRACTION needs not fit.
        let high = (u128::from(first_part) << 64) / u128::from(span);
        Self { scale: low_u64(scale), shift, first: high << (FRACTION - 64) }
    }

    /// The column that is `ticks` from the first tick, or the one before it.
    ///
    /// All roundings go down and together stay below 2^-42 columns.
    #[inline(always)]
    fn at_most_column(&self, ticks: u64) -> u32 {
        let ahead = u128::from(ticks << self.shift) * u128::from(self.scale);
        low_u32((ahead + self.first) >> FRACTION)
    }
}

fn floor_mod(value: i128, modulus: u64) -> u128 {
    value.rem_euclid(modulus.into()).unsigned_abs()
}

#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "53 bits are enough to draw")]
fn to_f64(value: u64) -> f64 {
    value as f64
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "callers hold values below 2^64")]
fn low_u64(value: u128) -> u64 {
    value as u64
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "callers hold values below 2^32")]
fn low_u32(value: u128) -> u32 {
    value as u32
}

#[cfg(test)]
mod tests;
