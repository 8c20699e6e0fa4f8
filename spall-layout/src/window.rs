//! What a window shows of a timeline, and how it moves. [layout 19](crate::rules::layout#19)

use core::ops::{Range, RangeInclusive};

use spall_model::Tick;

use crate::convert::to_f64;
use crate::{Line, LineRect, Vertical, Viewport};

/// The part of a timeline that a window shows: a [`Viewport`] across, and a range of heights down.
///
/// This is the state of a viewer that pans, zooms and scrolls. Places in the window are counted from its upper left
/// corner, as a window system counts them: in columns across, and in the unit of the heights of [`Vertical`] down.
///
/// A window stays near its trace. While it pans and zooms, its middle stays within the bounds that it was given and it
/// shows at most twice their duration; it scrolls no further than to the last line. [layout
/// 19](crate::rules::layout#19)
///
/// ```
/// use spall_layout::{Layout, LineRect, Vertical, VerticalStyle, Window};
/// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, duration) in [("frame", 0, 100), ("draw", 40, 50)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(duration)));
/// # }
/// # let trace = builder.finish(); // frame 0..100, draw 40..90 inside it
/// let layout = Layout::new(&trace);
/// let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
/// let mut window = Window::new(trace.bounds().unwrap_or_default());
/// window.resize(100, 40, &vertical);
///
/// window.fit(Tick(2)..Tick(98)); // and a fiftieth of the columns on each side
/// assert_eq!(window.viewport().range(), Tick(0)..Tick(100));
/// window.zoom(50.0, 2.0); // around the middle
/// window.pan(-10.0); // to earlier times
/// assert_eq!(window.viewport().range(), Tick(20)..Tick(70));
///
/// let mut rects = Vec::new();
/// vertical.rects(window.heights(), &layout, window.viewport(), &mut rects);
/// // The pointer is at (60, 1).
/// let found = window.hit(&rects, 60.0, 1.0).unwrap();
/// assert_eq!(trace.slice_name(found.rect.slice), "draw");
/// assert_eq!(window.x(Tick(40)), 40.0);
/// ```
#[doc(alias("culling", "scroll"))]
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Window {
    bounds: Range<Tick>,
    viewport: Viewport,
    /// The distance of the upper edge from the top of the first line. It is at least 0.
    top: f64,
    columns: u16,
    height: u32,
}

impl Window {
    /// Creates a window that shows all of `bounds` as soon as it gets a size.
    #[must_use]
    pub fn new(bounds: Range<Tick>) -> Self {
        let viewport = viewport_around(bounds.clone(), 0);
        Self { bounds, viewport, top: 0.0, columns: 0, height: 0 }
    }

    /// Returns the viewport: what the window shows across.
    #[must_use]
    pub fn viewport(&self) -> &Viewport {
        &self.viewport
    }

    /// Returns the distance of the upper edge of the window from the top of the first line. Draw a line whose top is
    /// `top` at `top - window.top()`.
    #[must_use]
    pub fn top(&self) -> f64 {
        self.top
    }

    /// Returns the distances from the top of the first line that the window shows, for [`Vertical::visible`] and
    /// [`Vertical::rects`].
    #[must_use]
    pub fn heights(&self) -> Range<u64> {
        let bottom = self.top + f64::from(self.height);
        floor(self.top)..floor(bottom) + u64::from(to_f64(floor(bottom)) < bottom)
    }

    /// Gives the window another size. It shows the same range of time as before.
    pub fn resize(&mut self, columns: u16, height: u32, vertical: &Vertical) {
        if columns != self.columns {
            self.viewport = self.viewport.with_columns(columns);
        }
        (self.columns, self.height) = (columns, height);
        self.scroll(0.0, vertical);
    }

    /// Returns the bounds that the window stays near.
    #[must_use]
    pub fn bounds(&self) -> Range<Tick> {
        self.bounds.clone()
    }

    /// Returns the shortest and the longest time that the window shows after a zoom. [layout
    /// 19.2](crate::rules::layout#19.2)
    #[must_use]
    pub fn durations(&self) -> RangeInclusive<u64> {
        1..=self.bounds.end.0.abs_diff(self.bounds.start.0).max(1).saturating_mul(2)
    }

    /// Changes the bounds that the window stays near, such as after a commit of a live trace. What it shows stays.
    pub fn set_bounds(&mut self, bounds: Range<Tick>) {
        self.bounds = bounds;
    }

    /// Changes the number of columns of a box. See [`Viewport::with_box_width`].
    pub fn set_box_width(&mut self, columns: u16) {
        self.viewport = self.viewport.with_box_width(columns);
    }

    /// Moves by a number of columns, to later times if it is positive.
    #[doc(alias("drag"))]
    pub fn pan(&mut self, columns: f64) {
        self.viewport = self.viewport.moved(columns);
        self.stay_near();
    }

    /// Moves down by a distance, or up if it is negative.
    pub fn scroll(&mut self, by: f64, vertical: &Vertical) {
        let most = to_f64(vertical.height()) - f64::from(self.height);
        // A distance that is not a number scrolls to an end.
        self.top = (self.top + by).min(most).max(0.0);
    }

    /// Zooms by a factor around the time at the column `x` of the window: with a factor of 2 it shows half the time.
    pub fn zoom(&mut self, x: f64, factor: f64) {
        let least = duration(&self.viewport.range()) / to_f64(*self.durations().end());
        self.viewport = self.viewport.zoomed(x + f64::from(self.viewport.offset()), factor.max(least));
        self.stay_near();
    }

    /// Zooms so that the window shows all of a range, with a fiftieth of the columns free on each side.
    pub fn fit(&mut self, range: Range<Tick>) {
        let Self { columns, viewport, .. } = self;
        *viewport = viewport_around(range, *columns).with_box_width(viewport.box_width());
    }

    /// Shows a range of time, and nothing beside it.
    pub fn show(&mut self, range: Range<Tick>) {
        self.viewport = Viewport::new(range, self.columns).with_box_width(self.viewport.box_width());
    }

    /// Moves no further than it takes to show the distances `heights` from the top, and some of the time `range`.
    ///
    /// If nothing of the range is visible, its start comes to the middle. If `heights` are higher than the window, it
    /// shows their upper part.
    pub fn reveal(&mut self, heights: Range<u64>, range: Range<Tick>, vertical: &Vertical) {
        let shown = self.viewport.range();
        if range.end < shown.start || range.start >= shown.end {
            self.pan(self.columns_to(range.start));
        }
        let (top, bottom) = (to_f64(heights.start), to_f64(heights.end));
        self.top = self.top.max(bottom - f64::from(self.height)).min(top);
        self.scroll(0.0, vertical);
    }

    /// Returns the distance of the time `at` from the left edge of the window in columns, clamped to what it shows.
    #[must_use]
    pub fn x(&self, at: Tick) -> f32 {
        self.viewport.x(at) - self.viewport.offset()
    }

    /// Returns the time at the column `x` of the window, clamped to what it shows.
    #[must_use]
    pub fn tick_at(&self, x: f64) -> Tick {
        self.viewport.tick_at(x + f64::from(self.viewport.offset()))
    }

    /// Returns the rectangle at a place in the window, or `None` if nothing is drawn there.
    ///
    /// `rects` must be those that [`Vertical::rects`] returned for this window.
    #[must_use]
    pub fn hit<'r>(&self, rects: &'r [LineRect], x: f64, y: f64) -> Option<&'r LineRect> {
        let (x, y) = (x + f64::from(self.viewport.offset()), self.top + y);
        if x < 0.0 || y < 0.0 {
            return None;
        }
        LineRect::hit(rects, u32::try_from(floor(x)).ok()?, floor(y))
    }

    /// Returns the line at a distance from the upper edge of the window, or `None` if there is none.
    #[must_use]
    pub fn line_at<'v>(&self, y: f64, vertical: &'v Vertical) -> Option<&'v Line> {
        let y = self.top + y;
        if y < 0.0 { None } else { vertical.at(floor(y)) }
    }

    /// Moves the window so that its middle is within the bounds.
    fn stay_near(&mut self) {
        let (to_start, to_end) = (self.columns_to(self.bounds.start), self.columns_to(self.bounds.end));
        self.viewport = self.viewport.moved(to_start.max(0.0) + to_end.min(0.0));
    }

    /// Returns how far a time is to the right of the middle of the window, in columns.
    fn columns_to(&self, at: Tick) -> f64 {
        let Range { start, end } = self.viewport.range();
        let twice = 2 * i128::from(at.0) - i128::from(start.0) - i128::from(end.0);
        #[expect(clippy::cast_precision_loss, reason = "53 bits are finer than a column near the middle")]
        let ticks = twice as f64 / 2.0;
        ticks * f64::from(self.columns) / duration(&(start..end))
    }
}

/// Returns a viewport that shows a range and a fiftieth of its columns on each side.
fn viewport_around(range: Range<Tick>, columns: u16) -> Viewport {
    Viewport::fit(range, 50, 1).with_columns(columns)
}

/// Returns the number of ticks of a range, at least 1.
fn duration(range: &Range<Tick>) -> f64 {
    to_f64(range.end.0.abs_diff(range.start.0).max(1))
}

/// Rounds down. A number below 0, or no number, becomes 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn floor(number: f64) -> u64 {
    number as u64
}
