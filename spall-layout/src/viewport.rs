//! The viewport of a timeline: a range of time, cut into columns with integer arithmetic only.

use core::ops::Range;

use spall_model::Tick;

/// The rule by which a query chooses the owner of a column that several slices touch. [layout
/// 2.5](crate::rules::layout#2.5)
#[doc(alias("LOD", "level of detail", "mipmap"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fidelity {
    /// The owner is a long slice in the column or next to it, which is found without reading the slices of dense
    /// columns.
    #[default]
    Fast,
    /// The owner is the slice with the largest overlap with the column. Of several with the same overlap it is the
    /// earliest.
    ///
    /// Dense columns take two to three times as long as with [`Fidelity::Fast`], and up to fifteen times as long if all
    /// slices have the same duration.
    Exact,
}

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
/// use spall_layout::{Fidelity, Viewport};
/// use spall_model::Tick;
/// let viewport = Viewport::new(Tick(25)..Tick(125), 10, Fidelity::Fast); // ten ticks a column
/// assert_eq!(viewport.columns(), 11); // 20..30 to 120..130
/// assert_eq!(viewport.column(Tick(30)), Some(1));
/// assert_eq!(viewport.ticks(1), Tick(30)..Tick(40));
/// assert_eq!(viewport.offset(), 0.5);
/// ```
#[doc(alias("camera", "zoom", "pan", "visible range", "visible window"))]
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "ViewportData", into = "ViewportData"))]
pub struct Viewport {
    start: Tick,
    end: Tick,
    fidelity: Fidelity,
    /// The number of columns that the caller asked for, which show `duration` ticks. It is at least 1.
    asked: u32,
    /// The number of ticks that `asked` columns show, which is at least 1. For a part this is that of the whole.
    duration: u64,
    /// The number of columns that the range touches, or 0 if nothing is shown.
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
            (of.start, of.end, of.fidelity, of.asked, of.duration, of.columns, of.first, of.first_part)
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

#[cfg(feature = "alloc")]
impl Position {
    /// Returns the last column that a slice touches if it ends here and began before.
    #[inline(always)]
    pub(crate) fn last_touched(self) -> u32 {
        self.column - u32::from(self.part == 0)
    }
}

impl Viewport {
    /// Creates the viewport that shows `range` in `columns` columns.
    ///
    /// It shows nothing if the range is empty or ends before it starts, or if there are no columns.
    #[must_use]
    pub fn new(range: Range<Tick>, columns: u16, fidelity: Fidelity) -> Self {
        let Range { start, end } = range;
        let end = end.max(start);
        let empty = end == start || columns == 0;
        let duration = if empty { 1 } else { end.0.abs_diff(start.0) };
        let asked = u32::from(columns.max(1));
        // Column edges are at multiples of duration / asked: a tick t lies t * asked / duration columns from tick 0.
        let start_part = low_u64(floor_mod(i128::from(start.0) * i128::from(asked), duration));
        let columns = if empty { 0 } else { asked + u32::from(start_part > 0) };
        let back = (start_part / u64::from(asked)).min(start.0.abs_diff(i64::MIN));
        let first_part = start_part - back * u64::from(asked);
        let inside = (u128::from(columns) * u128::from(duration)).saturating_sub(u128::from(start_part) + 1);
        let ahead = (inside / u128::from(asked)).min(start.0.abs_diff(i64::MAX).into());
        Self {
            start,
            end,
            fidelity,
            asked,
            duration,
            columns,
            first: start.0.wrapping_sub_unsigned(back),
            first_part,
            last: start.0.wrapping_add_unsigned(low_u64(ahead)),
            #[cfg(feature = "alloc")]
            column_ticks: duration / u64::from(asked),
            reciprocal: Reciprocal::new(asked, duration, first_part),
            columns_per_tick: f64::from(asked) / to_f64(duration),
            first_x: to_f64(first_part) / to_f64(duration),
            start_rest: 0,
            duration_rest: 0,
        }
    }

    /// Creates the viewport that shows all of `range` with at least `margin` free columns on each side.
    ///
    /// Use this to zoom to a selection. The margin is at most a quarter of the columns. A range without duration is
    /// shown as one tick. Times that a [`Tick`] cannot express are left out.
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport};
    /// use spall_model::Tick;
    /// let viewport = Viewport::fit(Tick(100)..Tick(180), 100, 10, Fidelity::Fast);
    /// assert_eq!(viewport.range(), Tick(90)..Tick(190));
    /// ```
    #[doc(alias("zoom"))]
    #[must_use]
    pub fn fit(range: Range<Tick>, columns: u16, margin: u16, fidelity: Fidelity) -> Self {
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
        Self::new(tick(start - around)..tick(start + duration + around), columns, fidelity)
    }

    /// Returns the viewport zoomed by `factor` around `x`: with a factor of 2 it shows half the time.
    ///
    /// `x` counts columns from the left edge of column 0, as in [`Viewport::tick_at`]. The time at `x` stays where it
    /// is on the screen, up to half a tick. Zooming in and out again by the same factor returns to the same range, and
    /// many small steps lead to the same range as a large one, because fractions of a tick are kept.
    ///
    /// The result shows at least one tick, and at most all times that a [`Tick`] can express. At their ends it moves
    /// instead of getting shorter. A factor that is not a positive number changes nothing. Zooming a [`Viewport::part`]
    /// returns a whole viewport, as if one had been created that begins where the part begins.
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
    #[doc(alias("zoom"))]
    #[must_use]
    pub fn zoomed(&self, x: f64, factor: f64) -> Self {
        if !(factor > 0.0 && factor.is_finite() && x.is_finite()) || self.columns == 0 {
            return *self;
        }
        // The fraction of the range to the left of `x`.
        let left = (x - f64::from(self.offset())) / f64::from(self.asked);
        let (start, duration) = self.exact();
        let zoomed = fixed_from(fixed_to_f64(duration) / factor).clamp(ONE_TICK, MOST_TICKS);
        let moved = fixed_from(left * fixed_to_f64(duration - zoomed));
        self.with_exact(start.saturating_add(moved), zoomed)
    }

    /// Returns the viewport moved by a number of columns, to later times if it is positive.
    ///
    /// The duration of the range stays the same, so moving by whole columns moves the picture and changes nothing else.
    /// Fractions of a tick are kept, so many small steps lead to the same range as a large one. The range stops at the
    /// ends of the times that a [`Tick`] can express. A number of columns that is infinite or not a number changes
    /// nothing. Moving a [`Viewport::part`] returns a whole viewport.
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport};
    /// use spall_model::Tick;
    /// let viewport = Viewport::new(Tick(0)..Tick(1000), 300, Fidelity::Fast); // 3⅓ ticks a column
    /// assert_eq!(viewport.moved(30.0).range(), Tick(100)..Tick(1100));
    /// let by_one = (0..30).fold(viewport, |viewport, _| viewport.moved(1.0));
    /// assert_eq!(by_one, viewport.moved(30.0));
    /// ```
    #[doc(alias("pan", "scroll"))]
    #[must_use]
    pub fn moved(&self, columns: f64) -> Self {
        if !columns.is_finite() || self.columns == 0 {
            return *self;
        }
        let (start, duration) = self.exact();
        // Whole columns and the rest apart: the product with the duration is exact for the former.
        let whole = fixed_from(columns) >> FIXED_BITS;
        let rest = columns - fixed_to_f64(whole << FIXED_BITS);
        let asked = i128::from(self.asked);
        let by_whole = whole.saturating_mul(duration).saturating_add(asked / 2).div_euclid(asked);
        let by_rest = fixed_from(rest * fixed_to_f64(duration) / f64::from(self.asked));
        self.with_exact(start.saturating_add(by_whole).saturating_add(by_rest), duration)
    }

    /// Returns the viewport that shows the same range in another number of columns: what a window shows when it is
    /// resized.
    ///
    /// Fractions of a tick are kept. With as many columns as before, it returns the same viewport. Of a
    /// [`Viewport::part`] it returns a whole viewport of the range of the part.
    ///
    /// ```
    /// use spall_layout::{Fidelity, Viewport};
    /// use spall_model::Tick;
    /// let viewport = Viewport::new(Tick(0)..Tick(1000), 100, Fidelity::Fast).moved(0.25);
    /// let wider = viewport.with_columns(200);
    /// assert_eq!(wider.range(), viewport.range());
    /// assert_eq!(wider.with_columns(0).with_columns(100), viewport);
    /// ```
    #[must_use]
    pub fn with_columns(&self, columns: u16) -> Self {
        let resized = Self::new(self.range(), columns, self.fidelity);
        // The fractions of a part belong to the duration of the whole. A range in no columns keeps its own for later.
        if self.columns > 0 && self.duration != self.start.0.abs_diff(self.end.0) {
            return resized;
        }
        Self { start_rest: self.start_rest, duration_rest: self.duration_rest, ..resized }
    }

    /// Returns the start and the duration of the range in units of 2⁻³² ticks.
    fn exact(&self) -> (i128, i128) {
        let fixed = |ticks: i128, rest: i32| (ticks << FIXED_BITS) + i128::from(rest);
        (fixed(self.start.0.into(), self.start_rest), fixed(self.duration.into(), self.duration_rest))
    }

    /// Returns a viewport of as many columns that shows `duration` from `start` on, both in units of 2⁻³² ticks.
    fn with_exact(&self, start: i128, duration: i128) -> Self {
        let rounded = |fixed: i128| (fixed + HALF_TICK) >> FIXED_BITS;
        let rest = |fixed: i128| i32::try_from(fixed - (rounded(fixed) << FIXED_BITS)).unwrap_or(0);
        // The duration is rounded apart from the start, so that it stays the same while the range moves.
        let ticks = rounded(duration);
        let most = i128::from(i64::MAX) - ticks;
        let least = i128::from(i64::MIN);
        let start = start.clamp(least << FIXED_BITS, most.max(least) << FIXED_BITS);
        let at = |ticks: i128| Tick(i64::try_from(ticks).unwrap_or(i64::MAX));
        let (first, columns) = (rounded(start), u16::try_from(self.asked).unwrap_or(u16::MAX));
        let whole = Self::new(at(first)..at(first + ticks), columns, self.fidelity);
        Self { start_rest: rest(start), duration_rest: rest(duration), ..whole }
    }

    /// Returns some of the columns as a viewport of their own, with the same edges.
    ///
    /// Its column 0 is the column `columns.start` of this viewport. Columns beyond the end are left out, so the part
    /// may be empty.
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
    #[doc(alias("pan"))]
    #[must_use]
    pub fn part(&self, columns: Range<u32>) -> Self {
        let to = columns.end.min(self.columns);
        let from = columns.start.min(to);
        let first = self.edge(from);
        let ahead = u128::from(first.0.abs_diff(self.first)) * u128::from(self.asked);
        // Only an edge beyond the end of time, which only an empty part begins with, would be less.
        let parts = u128::from(from) * u128::from(self.duration);
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
            reciprocal: Reciprocal::new(self.asked, self.duration, first_part),
            first_x: to_f64(first_part) / to_f64(self.duration),
            start_rest: 0,
            ..*self
        }
    }

    /// Returns the range of time that the viewport shows.
    #[must_use]
    pub fn range(&self) -> Range<Tick> {
        self.start..self.end
    }

    /// Returns the rule by which queries choose the owners of columns.
    #[must_use]
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    /// Returns the number of columns that it takes to cover the range: as many as asked for, or one more.
    ///
    /// It is at most 65 536, and 0 if the viewport shows nothing.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns the number of column 0, counted from the column that begins at tick 0.
    ///
    /// Viewports with the same duration and the same number of columns count alike, so a cache of columns can use this
    /// number as its key.
    #[must_use]
    pub fn first_column(&self) -> i128 {
        (i128::from(self.first) * i128::from(self.asked) - i128::from(self.first_part))
            / i128::from(self.duration)
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
#[cfg(feature = "alloc")]
impl Viewport {
    /// Returns the number of parts of a column. Parts are the unit of [`Position::part`] and of overlaps.
    #[inline(always)]
    pub(crate) fn column_parts(&self) -> u64 {
        self.duration
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
        let ticks = (self.duration - position.part).div_ceil(u64::from(self.asked));
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
/// The duration from the least to the greatest tick.
const MOST_TICKS: i128 = (u64::MAX as i128) << FIXED_BITS;

/// Converts a number with [`FIXED_BITS`] fractional bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits are finer than a column of any viewport")]
fn fixed_to_f64(fixed: i128) -> f64 {
    fixed as f64 / ONE_TICK as f64
}

/// Returns the nearest multiple of 2⁻³².
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "saturates")]
fn fixed_from(value: f64) -> i128 {
    let scaled = value * ONE_TICK as f64;
    (if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 }) as i128
}

/// Returns the remainder of a division that rounds down, which is never negative.
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
    range: Range<Tick>,
    fidelity: Fidelity,
    /// The number of columns that show `duration` ticks. For a part these are those of the whole.
    columns: u16,
    /// The number of ticks that `columns` show.
    duration: u64,
    /// The number of columns of a part, and how many of them lie before that of `start`. `None` for a whole viewport.
    part: Option<(u32, u32)>,
}

#[cfg(feature = "serde")]
impl Viewport {
    /// Returns the column of `start`, counted from the column that begins at tick 0.
    fn start_column(&self) -> i128 {
        (i128::from(self.start.0) * i128::from(self.asked)).div_euclid(i128::from(self.duration))
    }

    /// Returns whether the viewport is whole, so that [`Viewport::new`] makes an equal one.
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
        let Viewport { start, end, fidelity, asked, duration, columns, .. } = viewport;
        let before = u32::try_from(viewport.start_column() - viewport.first_column()).unwrap_or(0);
        let part = (!viewport.is_whole()).then_some((columns, before));
        // A viewport that shows nothing is read back as one without columns.
        let asked = if columns == 0 { 0 } else { low_u16(asked) };
        Self { range: start..end, fidelity, columns: asked, duration, part }
    }
}

#[cfg(feature = "serde")]
impl From<ViewportData> for Viewport {
    fn from(data: ViewportData) -> Self {
        let ViewportData { range: Range { start, end }, fidelity, columns, duration, part } = data;
        let like = Self::new(start..end, columns, fidelity);
        let Some((columns, before)) = part.filter(|_| columns > 0 && start <= end) else { return like };
        let (asked, duration) = (like.asked, duration.max(1));
        let columns = columns.min(asked + 1);
        let like = Self { end, asked, duration, ..like };
        let first_column = like.start_column() - i128::from(before.min(asked));
        // The first tick at or after the left edge of a column.
        let edge = |column: i128| {
            let tick = -(-column * i128::from(duration)).div_euclid(i128::from(asked));
            i64::try_from(tick).unwrap_or(if tick < 0 { i64::MIN } else { i64::MAX })
        };
        let first = edge(first_column);
        let first_part = i128::from(first) * i128::from(asked) - first_column * i128::from(duration);
        let first_part = u64::try_from(first_part).unwrap_or(0);
        let end_column = first_column + i128::from(columns);
        let is_at_the_end = end_column * i128::from(duration) > i128::from(i64::MAX) * i128::from(asked);
        let last = if is_at_the_end { i64::MAX } else { edge(end_column).saturating_sub(1).max(first) };
        Self {
            columns,
            first,
            first_part,
            last,
            #[cfg(feature = "alloc")]
            column_ticks: duration / u64::from(asked),
            reciprocal: Reciprocal::new(asked, duration, first_part),
            columns_per_tick: f64::from(asked) / to_f64(duration),
            first_x: to_f64(first_part) / to_f64(duration),
            ..like
        }
    }
}

#[cfg(test)]
mod tests;
