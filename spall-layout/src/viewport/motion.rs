//! Viewports that zoom, move and get another size. They keep the fractions of a tick that they round off. [layout
//! 1.7](crate::rules::layout#1.7)

use spall_model::Tick;

use super::Viewport;

/// The number of fractional bits of a tick while zooming and moving.
const FIXED_BITS: u32 = 32;
const ONE_TICK: i128 = 1 << FIXED_BITS;
const HALF_TICK: i128 = ONE_TICK / 2;
/// The duration from the least to the greatest tick.
const MOST_TICKS: i128 = (u64::MAX as i128) << FIXED_BITS;

impl Viewport {
    /// Returns the viewport zoomed by `factor` around `x`: with a factor of 2 it shows half the time.
    ///
    /// `x` counts columns from the left edge of column 0, as in [`Viewport::tick_at`]. The time at `x` stays where it
    /// is on the screen, up to half a tick. Zooming in and out again by the same factor returns to the same range, and
    /// many small steps lead to the same range as a large one, because fractions of a tick are kept.
    ///
    /// The result shows at least one tick, and at most all times that a [`Tick`] can express. At their ends it moves
    /// instead of getting shorter. A factor that is not a positive number changes nothing.
    ///
    /// ```
    /// use spall_layout::Viewport;
    /// use spall_model::Tick;
    /// let viewport = Viewport::new(Tick(0)..Tick(1000), 100);
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
    /// nothing.
    ///
    /// ```
    /// use spall_layout::Viewport;
    /// use spall_model::Tick;
    /// let viewport = Viewport::new(Tick(0)..Tick(1000), 300); // 3⅓ ticks a column
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
    /// Fractions of a tick are kept. With as many columns as before, it returns the same viewport.
    ///
    /// ```
    /// use spall_layout::Viewport;
    /// use spall_model::Tick;
    /// let viewport = Viewport::new(Tick(0)..Tick(1000), 100).moved(0.25);
    /// let wider = viewport.with_columns(200);
    /// assert_eq!(wider.range(), viewport.range());
    /// assert_eq!(wider.with_columns(0).with_columns(100), viewport);
    /// ```
    #[must_use]
    pub fn with_columns(&self, columns: u16) -> Self {
        let resized = Self::new(self.range(), columns).with_box_width(self.box_width);
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
        let moved = Self::new(at(first)..at(first + ticks), columns).with_box_width(self.box_width);
        Self { start_rest: rest(start), duration_rest: rest(duration), ..moved }
    }
}

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
