//! Boxes made of characters: a column of a viewport is a cell.

use ratatui::{buffer::Buffer, layout::Rect as Area, style::Style, text::Span};
use spall_trace::layout::{Ellipsis, Rect, block, fit_label};

/// The cells of a box on its line.
#[derive(Clone, Copy)]
pub(crate) struct Cells {
    pub(crate) start: u16,
    pub(crate) end: u16,
    /// How busy the box is, if it stands for several elements.
    pub(crate) busy: Option<f32>,
}

impl Cells {
    pub(crate) fn of(rect: &Rect) -> Self {
        let cell = |x: u32| x.min(u16::MAX.into()) as u16;
        Self { start: cell(rect.x0), end: cell(rect.x1), busy: (rect.count > 1).then(|| rect.fill()) }
    }

    /// Returns where the box is on the screen.
    pub(crate) fn area(self, line: Area) -> Area {
        let end = self.end.min(line.width);
        let start = self.start.min(end);
        Area { x: line.x + start, width: end - start, height: 1, ..line }
    }
}

/// Draws a box into a line: its name, or how busy it is if many elements share one or two cells.
pub(crate) fn draw(buffer: &mut Buffer, line: Area, cells: Cells, name: &str, style: Style) {
    let area = cells.area(line);
    let Area { x, y, width, .. } = area;
    if let Some(busy) = cells.busy.filter(|_| width < 3) {
        let style = Style { fg: style.bg.or(style.fg), bg: None, ..style };
        buffer.set_stringn(x, y, block(busy).to_string().repeat(width.into()), width.into(), style);
        return;
    }
    buffer.set_style(area, style);
    if width > 1 {
        // The edge sets a box apart from a neighbour of the same colour.
        buffer.set_stringn(x, y, "▏", 1, style);
        let room = f32::from(width - 1);
        let label = fit_label(name, room, Ellipsis::End, |text| Span::raw(text).width() as f32);
        let label = label.map(|label| label.to_string()).unwrap_or_default();
        buffer.set_stringn(x + 1, y, label, usize::from(width - 1), style);
    }
}

/// Draws bars over a line: for each column how high it is, from 0 for nothing to 1.
pub(crate) fn bars(buffer: &mut Buffer, line: Area, heights: impl IntoIterator<Item = f32>, style: Style) {
    for (x, height) in (line.left()..line.right()).zip(heights) {
        if height > 0.0 {
            buffer.set_stringn(x, line.y, block(height).to_string(), 1, style);
        }
    }
}
