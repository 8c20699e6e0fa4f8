//! How viewports are serialised.

use core::ops::Range;

use spall_model::Tick;

use super::Viewport;

/// The form in which a viewport is serialised.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct ViewportData {
    /// The range of the viewport.
    range: Range<Tick>,
    /// The number of columns that were asked for, or 0 if nothing is shown.
    columns: u16,
    /// The number of columns of a box.
    #[serde(default = "one")]
    box_width: u16,
}

/// The box width of viewports that were written without one.
fn one() -> u16 {
    1
}

impl From<Viewport> for ViewportData {
    fn from(viewport: Viewport) -> Self {
        let Viewport { start, end, asked, columns, box_width, .. } = viewport;
        // A viewport that shows nothing is read back as one without columns.
        let columns = if columns > 0 { u16::try_from(asked).unwrap_or(u16::MAX) } else { 0 };
        Self { range: start..end, columns, box_width }
    }
}

impl From<ViewportData> for Viewport {
    fn from(data: ViewportData) -> Self {
        Self::new(data.range, data.columns).with_box_width(data.box_width)
    }
}
