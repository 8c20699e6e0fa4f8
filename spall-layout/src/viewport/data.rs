//! How viewports are serialised.

use core::ops::Range;

use spall_model::Tick;

use super::{Reciprocal, Viewport, to_f64};

/// The form in which a viewport is serialised.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct ViewportData {
    range: Range<Tick>,
    /// The number of columns that show `duration` ticks. For a part these are those of the whole.
    columns: u16,
    /// The number of ticks that `columns` show.
    duration: u64,
    /// The number of columns of a part, and how many of them lie before that of `start`. `None` for a whole viewport.
    part: Option<(u32, u32)>,
    /// The number of columns of a box.
    #[serde(default = "one")]
    box_width: u16,
}

/// The box width of viewports that were written without one.
fn one() -> u16 {
    1
}

impl Viewport {
    /// Returns the column of `start`, counted from the column that begins at tick 0.
    fn start_column(&self) -> i128 {
        (i128::from(self.start.0) * i128::from(self.asked)).div_euclid(i128::from(self.duration))
    }

    /// Returns whether the viewport is whole, so that [`Viewport::new`] makes an equal one.
    fn is_whole(&self) -> bool {
        let whole = Self::new(self.range(), low_u16(self.asked));
        self.columns == 0 || *self == whole.with_box_width(self.box_width)
    }
}

fn low_u16(columns: u32) -> u16 {
    u16::try_from(columns).unwrap_or(u16::MAX)
}

impl From<Viewport> for ViewportData {
    fn from(viewport: Viewport) -> Self {
        let Viewport { start, end, asked, duration, columns, box_width, .. } = viewport;
        let before = u32::try_from(viewport.start_column() - viewport.first_column()).unwrap_or(0);
        let part = (!viewport.is_whole()).then_some((columns, before));
        // A viewport that shows nothing is read back as one without columns.
        let asked = if columns == 0 { 0 } else { low_u16(asked) };
        Self { range: start..end, columns: asked, duration, part, box_width }
    }
}

impl From<ViewportData> for Viewport {
    fn from(data: ViewportData) -> Self {
        let ViewportData { range: Range { start, end }, columns, duration, part, box_width } = data;
        let like = Self::new(start..end, columns).with_box_width(box_width);
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
            reciprocal: Reciprocal::new(asked, duration, first_part),
            columns_per_tick: f64::from(asked) / to_f64(duration),
            first_x: to_f64(first_part) / to_f64(duration),
            ..like
        }
    }
}
