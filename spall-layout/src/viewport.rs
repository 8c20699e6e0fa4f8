//! The viewport of a timeline: a range of time, cut into columns with integer arithmetic only.

use core::ops::Range;

use spall_model::Tick;

/// How a query chooses the owner of a column that more than one slice touches. \[layout 2.5\]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fidelity {
    /// A long slice in the column or next to it, found without reading the slices of dense columns.
    #[default]
    Fast,
    /// The slice with the largest overlap with the column, the earlier one of two with the same overlap.
    ///
    /// Dense columns take two to three times as long as with [`Fidelity::Fast`], and up to fifteen times as long if all
    /// slices have the same duration.
    Exact,
}

/// A range of time that is shown in a number of columns.
///
/// A column is a pixel, a character cell, or whatever the caller's smallest unit across is. The edges of columns are
/// multiples of the column width counted from tick 0, not from the start of the view. So as long as the duration of the
/// view and the number of columns stay the same, moving the view moves the columns and changes nothing else. The view
/// usually begins inside a column, and it takes one more column than asked for to cover it; [`Viewport::offset`]
/// returns the part of the first column that lies before the view.
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
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "ViewportData", into = "ViewportData"))]
pub struct Viewport {
    start: Tick,
    end: Tick,
    fidelity: Fidelity,
    /// `asked` columns show `span` ticks.
    asked: u32,
    span: u64,
    /// The number of columns that the view touches.
    columns: u32,
    /// The first tick at or after the left edge of column 0, and the part of a column from the edge to there.
    first: i64,
    first_part: u64,
    /// The last tick before the right edge of the last column.
    last: i64,
    /// The largest number of ticks that is no longer than a column.
    #[cfg(feature = "alloc")]
    column_ticks: u64,
    reciprocal: Reciprocal,
    columns_per_tick: f64,
    /// The position of the first tick in column 0.
    first_x: f64,
    /// What zooming and moving have rounded off `start` and `span`, in units of 2⁻³² ticks.
    start_rest: i32,
    span_rest: i32,
}

impl PartialEq for Viewport {
    /// Returns whether both show the same columns of the same range of time.
    fn eq(&self, other: &Self) -> bool {
        // Everything else follows from these, or is too small to be seen.
        let shown = |of: &Self| {
            (of.start, of.end, of.fidelity, of.asked, of.span, of.columns, of.first, of.first_part)
        };
        shown(self) == shown(other)
    }
}

/// Turns ticks into columns without a division. The result is the exact column or the one before it.
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
    /// In parts of which a column has [`Viewport::column_parts`].
    pub(crate) part: u64,
}

#[cfg(feature = "alloc")]
impl Position {
    /// Returns the last column that a slice touches if it ends here and began before.
    #[inline(always)]
    pub(crate) fn last_touched(self) -> u32 {
        self.column - u32::from(self.part == 0)
    }
}

impl Viewport {
    /// Creates the viewport that shows `view` in `columns` columns.
    ///
    /// It shows nothing if the view is empty or ends before it starts, or if there are no columns.
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
            start_rest: 0,
            span_rest: 0,
        }
    }

    /// Creates the viewport that shows all of `range` with at least `margin` free columns on each side.
    ///
    /// This is how to zoom to a selection. The margin is at most a quarter of the columns. A range without duration is shown
    /// as one tick. Times that a [`Tick`] cannot express are left out.
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport};
    /// use spall_model::Tick;
    /// let viewport = Viewport::fit(Tick(100)..Tick(180), 100, 10, Fidelity::Fast);
    /// assert_eq!(viewport.range(), Tick(90)..Tick(190));
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

    /// Returns the viewport zoomed by `factor` around `x`: with a factor of 2 it shows half the time.
    ///
    /// `x` counts columns from the left edge of column 0, as in [`Viewport::tick_at`]; the time there stays where it is
    /// on the screen, up to half a tick. Zooming in and out again by the same factor returns to the same view, and many small
    /// steps lead to the same view as a large one, because fractions of a tick are kept.
    ///
    /// The result shows at least one tick, and at most all times that a [`Tick`] can express; at their ends it moves rather
    /// than shrinks. A factor that is not a positive number changes nothing. Zooming a [`Viewport::part`] returns a whole
    /// viewport that began where the part begins.
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport};
    /// use spall_model::Tick;
    /// let viewport = Viewport::new(Tick(0)..Tick(1000), 100, Fidelity::Fast);
    /// let zoomed = viewport.zoomed(25.0, 4.0);
    /// assert_eq!(viewport.tick_at(25.0), Tick(250)); // The same tick is at the same place, up to half a tick:
    /// assert_eq!(zoomed.x(Tick(250)) - zoomed.offset(), 24.8);
    /// assert_eq!(zoomed.range(), Tick(188)..Tick(438)); // from 187.5
    /// assert_eq!(zoomed.zoomed(25.0 + f64::from(zoomed.offset()), 0.25), viewport);
    /// ```
    #[must_use]
    pub fn zoomed(&self, x: f64, factor: f64) -> Self {
        if !(factor > 0.0 && factor.is_finite() && x.is_finite()) || self.columns == 0 {
            return *self;
        }
        // The part of the view to the left of `x`.
        let left = (x - f64::from(self.offset())) / f64::from(self.asked);
        let (start, span) = self.exact();
        let zoomed = fixed_from(fixed_to_f64(span) / factor).clamp(ONE_TICK, MOST_TICKS);
        let moved = fixed_from(left * fixed_to_f64(span - zoomed));
        self.with_exact(start.saturating_add(moved), zoomed)
    }

    /// Returns the viewport moved by a number of columns: to later times if it is positive.
    ///
    /// The duration of the view stays the same, so moving by whole columns moves the picture and changes nothing else. Fractions
    /// of a tick are kept: many small steps lead to the same view as a large one. The view stops at the ends of the
    /// times that a [`Tick`] can express. A number of columns that is infinite or not a number changes nothing. Moving a
    /// [`Viewport::part`] returns a whole viewport.
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport};
    /// use spall_model::Tick;
    /// let viewport = Viewport::new(Tick(0)..Tick(1000), 300, Fidelity::Fast); // 3⅓ ticks a column
    /// assert_eq!(viewport.moved(30.0).range(), Tick(100)..Tick(1100));
    /// let by_one = (0..30).fold(viewport, |viewport, _| viewport.moved(1.0));
    /// assert_eq!(by_one, viewport.moved(30.0));
    /// ```
    #[must_use]
    pub fn moved(&self, columns: f64) -> Self {
        if !columns.is_finite() || self.columns == 0 {
            return *self;
        }
        let (start, span) = self.exact();
        // Whole columns and the rest apart: the product with the span is exact for the former.
        let whole = fixed_from(columns) >> FIXED_BITS;
        let rest = columns - fixed_to_f64(whole << FIXED_BITS);
        let asked = i128::from(self.asked);
        let by_whole = whole.saturating_mul(span).saturating_add(asked / 2).div_euclid(asked);
        let by_rest = fixed_from(rest * fixed_to_f64(span) / f64::from(self.asked));
        self.with_exact(start.saturating_add(by_whole).saturating_add(by_rest), span)
    }

    /// Returns the start and the duration of the view in units of 2⁻³² ticks.
    fn exact(&self) -> (i128, i128) {
        let fixed = |ticks: i128, rest: i32| (ticks << FIXED_BITS) + i128::from(rest);
        (fixed(self.start.0.into(), self.start_rest), fixed(self.span.into(), self.span_rest))
    }

    /// Returns a view of as many columns from `start` on, both in units of 2⁻³² ticks.
    fn with_exact(&self, start: i128, span: i128) -> Self {
        let rounded = |fixed: i128| (fixed + HALF_TICK) >> FIXED_BITS;
        let rest = |fixed: i128| i32::try_from(fixed - (rounded(fixed) << FIXED_BITS)).unwrap_or(0);
        // The duration is rounded apart from the start, so that it stays the same while the view moves.
        let ticks = rounded(span);
        let most = i128::from(i64::MAX) - ticks;
        let least = i128::from(i64::MIN);
        let start = start.clamp(least << FIXED_BITS, most.max(least) << FIXED_BITS);
        let at = |ticks: i128| Tick(i64::try_from(ticks).unwrap_or(i64::MAX));
        let (first, columns) = (rounded(start), u16::try_from(self.asked).unwrap_or(u16::MAX));
        let view = Self::new(at(first)..at(first + ticks), columns, self.fidelity);
        Self { start_rest: rest(start), span_rest: rest(span), ..view }
    }

    /// Returns some of the columns as a viewport of their own, with the same edges.
    ///
    /// Its column 0 is the column `columns.start` of this viewport. Columns beyond the end are left out.
    ///
    /// To pan cheaply, keep the previous picture and query only the new columns:
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
            start_rest: 0,
            ..*self
        }
    }

    /// Returns the range of time that the viewport shows.
    #[must_use]
    pub fn range(&self) -> Range<Tick> {
        self.start..self.end
    }

    /// Returns how queries choose the owners of columns.
    #[must_use]
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    /// Returns the number of columns that it takes to cover the view: as many as asked for, or one more. At most 65 536.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns the number of column 0, counted from the column that begins at tick 0.
    ///
    /// Viewports with the same duration and the same number of columns count alike, so a cache can know its columns by this
    /// number.
    #[must_use]
    pub fn first_column(&self) -> i128 {
        (i128::from(self.first) * i128::from(self.asked) - i128::from(self.first_part))
            / i128::from(self.span)
    }

    /// Returns the part of column 0 that lies before the view, from 0 to 1. Draw column `c` at `c - offset`.
    #[must_use]
    pub fn offset(&self) -> f32 {
        self.x(self.start)
    }

    /// Returns the column in which `at` lies, or `None` if it lies in no column.
    #[must_use]
    pub fn column(&self, at: Tick) -> Option<u32> {
        (self.columns > 0 && (self.first..=self.last).contains(&at.0)).then(|| self.position(at.0).column)
    }

    /// Returns the ticks of a column. The range is empty if the column is narrower than a tick and no tick lies in it.
    ///
    /// Columns beyond the last one, and times that a [`Tick`] cannot express, saturate.
    #[must_use]
    pub fn ticks(&self, column: u32) -> Range<Tick> {
        self.edge(column)..self.edge(column.saturating_add(1))
    }

    /// Returns the first tick at or after the left edge of a column.
    fn edge(&self, column: u32) -> Tick {
        let parts = u128::from(column.min(self.columns)) * u128::from(self.span);
        let ticks = parts.saturating_sub(self.first_part.into()).div_ceil(self.asked.into());
        let most = self.first.abs_diff(i64::MAX);
        Tick(self.first.wrapping_add_unsigned(low_u64(ticks.min(most.into()))))
    }

    /// Returns the position of `at` in columns from the left edge of column 0, clamped to the columns.
    ///
    /// This is for drawing; [`Viewport::column`] returns the exact column.
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

    /// Returns the tick at or before `x` columns from the left edge of column 0, clamped to the columns.
    ///
    /// A pointer that is `p` columns from the start of the view is at `x = p + offset`. An `x` that is not a number counts
    /// as 0.
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

    /// Returns the column of `tick` and the part of the column before it, clamped to the columns.
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

/// Arithmetic that queries need.
#[cfg(feature = "alloc")]
impl Viewport {
    /// Returns the number of parts of a column. Parts are the unit of [`Position::part`] and of overlaps.
    #[inline(always)]
    pub(crate) fn column_parts(&self) -> u64 {
        self.span
    }

    /// Returns the number of parts in `ticks`, which are no longer than a column.
    #[inline(always)]
    pub(crate) fn parts(&self, ticks: u64) -> u64 {
        ticks.wrapping_mul(self.asked.into())
    }

    /// Returns the number of parts in `ticks`, for drawing.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "at most 65 535")]
    pub(crate) fn parts_f32(&self, ticks: f32) -> f32 {
        ticks * self.asked as f32
    }

    /// Returns the last tick before the right edge of the column of `tick`, whose position is `position`.
    #[inline(always)]
    pub(crate) fn last_before_edge(&self, tick: i64, position: Position) -> i64 {
        let ticks = (self.span - position.part).div_ceil(u64::from(self.asked));
        tick.saturating_add_unsigned(ticks - 1)
    }

    /// Returns whether the time from `first` to `last` is no longer than a column and lies inside the columns.
    #[inline(always)]
    pub(crate) fn fits_column(&self, first: i64, last: i64) -> bool {
        last.wrapping_sub(first).cast_unsigned() <= self.column_ticks
            && first >= self.first
            && last <= self.last
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
    fn new(asked: u32, span: u64, first_part: u64) -> Self {
        // The span becomes a number of 62 bits, or stays one of up to 64: ticks of up to three spans can be shifted
        // alike, and the scale stays below 2^63.
        let shift = span.leading_zeros().saturating_sub(2);
        let scale = (u128::from(asked) << FRACTION) / (u128::from(span) << shift);
        // In two steps, because first_part << FRACTION needs not fit.
        let high = (u128::from(first_part) << 64) / u128::from(span);
        Self { scale: low_u64(scale), shift, first: high << (FRACTION - 64) }
    }

    /// Returns the column that is `ticks` from the first tick, or the one before it.
    ///
    /// All roundings go down and together stay below 2^-42 columns.
    #[inline(always)]
    fn at_most_column(&self, ticks: u64) -> u32 {
        let ahead = u128::from(ticks << self.shift) * u128::from(self.scale);
        low_u32((ahead + self.first) >> FRACTION)
    }
}

/// The number of fractional bits of a tick while zooming and moving.
const FIXED_BITS: u32 = 32;
const ONE_TICK: i128 = 1 << FIXED_BITS;
const HALF_TICK: i128 = ONE_TICK / 2;
const MOST_TICKS: i128 = (u64::MAX as i128) << FIXED_BITS;

#[expect(clippy::cast_precision_loss, reason = "53 bits are finer than a column of any view")]
fn fixed_to_f64(fixed: i128) -> f64 {
    fixed as f64 / ONE_TICK as f64
}

/// Returns the nearest multiple of 2⁻³².
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "saturates")]
fn fixed_from(value: f64) -> i128 {
    let scaled = value * ONE_TICK as f64;
    (if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 }) as i128
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

/// The form in which a viewport is serialised.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct ViewportData {
    start: Tick,
    end: Tick,
    fidelity: Fidelity,
    /// The number of columns that show `span` ticks. For a part these are those of the whole.
    columns: u16,
    span: u64,
    /// The number of columns of a part, and how many of them lie before that of `start`.
    part: Option<(u32, u32)>,
}

#[cfg(feature = "serde")]
impl Viewport {
    /// Returns the column of `start`, counted from the column that begins at tick 0.
    fn start_column(&self) -> i128 {
        (i128::from(self.start.0) * i128::from(self.asked)).div_euclid(i128::from(self.span))
    }

    /// Returns whether the viewport is one that [`Viewport::new`] makes.
    fn is_whole(&self) -> bool {
        self.columns == 0 || *self == Self::new(self.range(), low_u16(self.asked), self.fidelity)
    }
}

#[cfg(feature = "serde")]
fn low_u16(columns: u32) -> u16 {
    u16::try_from(columns).unwrap_or(u16::MAX)
}

#[cfg(feature = "serde")]
impl From<Viewport> for ViewportData {
    fn from(viewport: Viewport) -> Self {
        let Viewport { start, end, fidelity, asked, span, columns, .. } = viewport;
        let before = u32::try_from(viewport.start_column() - viewport.first_column()).unwrap_or(0);
        let part = (!viewport.is_whole()).then_some((columns, before));
        // One that shows nothing comes back as one without columns.
        let asked = if columns == 0 { 0 } else { low_u16(asked) };
        Self { start, end, fidelity, columns: asked, span, part }
    }
}

#[cfg(feature = "serde")]
impl From<ViewportData> for Viewport {
    fn from(data: ViewportData) -> Self {
        let ViewportData { start, end, fidelity, columns, span, part } = data;
        let like = Self::new(start..end, columns, fidelity);
        let Some((columns, before)) = part.filter(|_| columns > 0 && start <= end) else { return like };
        let (asked, span) = (like.asked, span.max(1));
        let columns = columns.min(asked + 1);
        let like = Self { end, asked, span, ..like };
        let first_column = like.start_column() - i128::from(before.min(asked));
        // The first tick at or after the left edge of a column.
        let edge = |column: i128| {
            let tick = -(-column * i128::from(span)).div_euclid(i128::from(asked));
            i64::try_from(tick).unwrap_or(if tick < 0 { i64::MIN } else { i64::MAX })
        };
        let first = edge(first_column);
        let first_part = i128::from(first) * i128::from(asked) - first_column * i128::from(span);
        let first_part = u64::try_from(first_part).unwrap_or(0);
        let end_column = first_column + i128::from(columns);
        let is_at_the_end = end_column * i128::from(span) > i128::from(i64::MAX) * i128::from(asked);
        let last = if is_at_the_end { i64::MAX } else { edge(end_column).saturating_sub(1).max(first) };
        Self {
            columns,
            first,
            first_part,
            last,
            #[cfg(feature = "alloc")]
            column_ticks: span / u64::from(asked),
            reciprocal: Reciprocal::new(asked, span, first_part),
            columns_per_tick: f64::from(asked) / to_f64(span),
            first_x: to_f64(first_part) / to_f64(span),
            ..like
        }
    }
}

#[cfg(test)]
mod tests;
