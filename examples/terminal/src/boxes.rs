//! Boxes made of characters: a column of a viewport is a cell.

use ratatui::{buffer::Buffer, layout::Rect as Area, style::Style, text::Span};
use spall_trace::layout::{Ellipsis, Rect, block, fit_label};

/// Draws a box into a line: its name, or how busy it is if many slices share one or two cells.
pub fn draw(buffer: &mut Buffer, line: Area, rect: &Rect, name: &str, style: Style) {
    let end = rect.x1.min(line.width.into()) as u16;
    let start = (rect.x0 as u16).min(end);
    let (x, width) = (line.x + start, end - start);
    if rect.count > 1 && width < 3 {
        let busy = block(rect.fill());
        let style = Style { fg: style.bg.or(style.fg), bg: None, ..style };
        buffer.set_stringn(x, line.y, busy.to_string().repeat(width.into()), width.into(), style);
        return;
    }
    buffer.set_style(Area { x, width, height: 1, ..line }, style);
    if width > 1 {
        // The edge sets a box apart from a neighbour of the same colour.
        buffer.set_stringn(x, line.y, "▏", 1, style);
        let room = f32::from(width - 1);
        let label = fit_label(name, room, Ellipsis::End, |text| Span::raw(text).width() as f32);
        let label = label.map(|label| label.to_string()).unwrap_or_default();
        buffer.set_stringn(x + 1, line.y, label, usize::from(width - 1), style);
    }
}

/// Draws bars over a line: for each column how high it is, from 0 for nothing to 1.
pub fn bars(buffer: &mut Buffer, line: Area, heights: impl IntoIterator<Item = f32>, style: Style) {
    for (x, height) in (line.left()..line.right()).zip(heights) {
        if height > 0.0 {
            buffer.set_stringn(x, line.y, block(height).to_string(), 1, style);
        }
    }
}
