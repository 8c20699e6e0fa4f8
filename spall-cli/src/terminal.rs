//! Draws rows as lines of a terminal, with a cell for each column.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use spall_trace::layout::{
    ColorKey, Ellipsis, LiveLayout, Rect, Vertical, VerticalStyle, Viewport, block, fit_chars,
};
use spall_trace::model::{LiveSnapshot, SliceId, TraceView};
use terminal_size::{Width, terminal_size_of};

/// In lines of the terminal.
const STYLE: VerticalStyle<'_> = VerticalStyle { process: 1, track: 1, row: 1, ..VerticalStyle::FLAT };
/// The columns of what is no terminal, or does not say how wide it is.
const COLUMNS: u16 = 120;

/// Draws the boxes of one line, which come from the left to the right.
///
/// A box has as many cells as columns, is coloured by its name if `color` is set, and shows as much of its name as fits.
/// Where several slices share a cell or two, a block of one to eight eighths shows how busy they are instead.
#[must_use]
pub fn line<N: AsRef<str>>(
    rects: impl IntoIterator<Item = Rect>,
    columns: u32,
    color: bool,
    name: impl Fn(SliceId) -> N,
) -> String {
    let mut line = String::new();
    let mut column = 0;
    for rect in rects {
        let (x0, x1) = (rect.x0.min(columns), rect.x1.min(columns));
        for _ in column..x0 {
            line.push(' ');
        }
        column = x1;
        let name = name(rect.slice);
        let name = name.as_ref();
        if color {
            // The cube of 216 colours without its darkest corner.
            let hue = 16 + ColorKey::of(name.as_bytes()).0 % 216;
            _ = write!(line, "\x1b[30;48;5;{}m", if hue < 52 { hue + 72 } else { hue });
        }
        cells(&mut line, (x1 - x0) as usize, &rect, name);
        if color {
            line.push_str("\x1b[0m");
        }
    }
    line
}

/// Writes the `width` cells of a box.
fn cells(line: &mut String, width: usize, rect: &Rect, name: &str) {
    if rect.count > 1 && width < 3 {
        let busy = rect.fill();
        line.extend(std::iter::repeat_n(block(busy), width));
        return;
    }
    let name = clean(name);
    let text = fit_chars(&name, width, Ellipsis::End).map(|fitted| fitted.to_string()).unwrap_or_default();
    line.push_str(&text);
    line.extend(std::iter::repeat_n('─', width.saturating_sub(text.chars().count())));
}

/// Returns how many columns the terminal has that shows the standard output, if one does and says it.
pub(crate) fn columns() -> Option<u16> {
    let (Width(columns), _) = terminal_size_of(io::stdout()).filter(|_| io::stdout().is_terminal())?;
    Some(columns).filter(|&columns| columns > 0)
}

/// Returns how many columns are drawn on the standard output: those of the terminal, or else those that the variable `COLUMNS` says.
pub(crate) fn width() -> u16 {
    let said = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|&columns| columns > 0);
    columns().or_else(said).unwrap_or(COLUMNS)
}

/// Returns whether the standard output is a terminal that obeys more than line ends.
fn is_obeying() -> bool {
    io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// Returns whether the standard output shows colours, and the user wants them: <https://no-color.org>.
pub(crate) fn has_colors() -> bool {
    is_obeying() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Replaces characters that may take any number of cells or move the cursor.
#[must_use]
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '·' }).collect()
}

/// Draws a live trace on the standard output, over what was drawn before if that is a terminal. It is as wide as the
/// terminal, and has no colours where the variable `NO_COLOR` is set or `TERM` is `dumb`.
///
/// # Errors
/// This returns the errors of the output.
pub fn draw(trace: &LiveSnapshot<'_>, live: &mut LiveLayout) -> io::Result<()> {
    let Some(bounds) = trace.bounds() else { return Ok(()) };
    let viewport = Viewport::fit(bounds.clone(), width(), 0);
    let view = live.update(trace, bounds.end);
    let vertical = Vertical::new(trace, &view, &STYLE);
    let mut rects = Vec::new();
    let mut out = io::stdout().lock();
    let color = has_colors();
    if is_obeying() {
        write!(out, "\x1b[H\x1b[2J")?; // From the top, over what was drawn before.
    }
    for strip in vertical.lines() {
        vertical.rects(strip.top..strip.bottom(), &view, &viewport, &mut rects);
        let boxes = rects.iter().map(|found| found.rect);
        let boxes = line(boxes, viewport.columns(), color, |slice| trace.slice_name(slice));
        writeln!(out, "{}", strip.label(trace).map_or(boxes, |label| clean(&label)))?;
    }
    out.flush()
}
