//! Rows as lines of a terminal, a cell for each column.

use std::fmt::Write;

use spall_trace::layout::{ColorKey, Ellipsis, Rect, fit_label};

/// Draws the boxes of one row, which come from the left to the right.
///
/// A box is as many cells as it has columns, coloured by name if `color`; its name stands in it as far as it fits.
/// A box that stands for several slices shows how busy they are instead: a block of one to eight eighths.
#[must_use]
pub fn line<N: AsRef<str>>(rects: &[Rect], columns: u32, color: bool, name: impl Fn(&Rect) -> N) -> String {
    let mut line = String::new();
    let mut column = 0;
    for rect in rects {
        let (x0, x1) = (rect.x0.min(columns), rect.x1.min(columns));
        for _ in column..x0 {
            line.push(' ');
        }
        column = x1;
        let name = name(rect);
        let name = name.as_ref();
        if color {
            // The cube of 216 colours without its darkest corner.
            let hue = 16 + ColorKey::of(name.as_bytes()).0 % 216;
            _ = write!(line, "\x1b[30;48;5;{}m", if hue < 52 { hue + 72 } else { hue });
        }
        cells(&mut line, (x1 - x0) as usize, rect, name);
        if color {
            line.push_str("\x1b[0m");
        }
    }
    line
}

fn cells(line: &mut String, width: usize, rect: &Rect, name: &str) {
    if rect.count > 1 {
        let block =
            ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][usize::from(rect.busy) * 7 / usize::from(u16::MAX)];
        line.extend(std::iter::repeat_n(block, width));
        return;
    }
    // What is no plain character may take any number of cells, or move the cursor.
    let name: String = name.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '·' }).collect();
    #[allow(clippy::cast_precision_loss, reason = "no terminal is that wide")]
    let fitted = fit_label(&name, width as f32, Ellipsis::End, |text| text.chars().count() as f32);
    let text = fitted.map(|fitted| fitted.to_string()).unwrap_or_default();
    let used = text.chars().count();
    line.push_str(&text);
    line.extend(std::iter::repeat_n('─', width.saturating_sub(used)));
}
