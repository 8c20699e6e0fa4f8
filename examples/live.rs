//! Draws a trace in the terminal while it is being written.
//!
//! `live FILE` draws the file each time it has grown, until it is interrupted; `live --once FILE` draws it once. Slices
//! that are still open reach to the latest time.

use std::{error::Error, fs::File, io, io::IsTerminal, io::Read, io::Write, thread, time::Duration};

use spall_examples::terminal;
use spall_trace::TraceParser;
use spall_trace::layout::{Fidelity, Heights, LayoutOptions, Live, Scratch, Vertical, Viewport};
use spall_trace::model::{Limits, LiveSnapshot, LiveTrace, TraceView};

/// In lines of the terminal.
const HEIGHTS: Heights = Heights { process: 1, track: 1, row: 1 };
const COLUMNS: u16 = 120;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let once = arguments.next_if(|argument| argument == "--once").is_some();
    let mut file = File::open(arguments.next().ok_or("usage: live [--once] FILE")?)?;
    let (mut data, mut parser) = (Vec::new(), None);
    let (mut trace, mut live) = (LiveTrace::new(&Limits::default()), Live::new(&LayoutOptions::default()));
    loop {
        let has_grown = file.read_to_end(&mut data)? > 0;
        // The first bytes of a file may not yet tell its format.
        parser = parser.or_else(|| spall_trace::detect(&data).map(TraceParser::new));
        if let Some(parser) = parser.as_mut().filter(|_| has_grown) {
            let consumed = parser.read(&data, false, |event, bytes| trace.push(event, bytes))?;
            // An event of which only a part was read yet comes again with the next bytes.
            data.drain(..consumed);
            draw(&trace.commit(), &mut live)?;
        }
        match &parser {
            Some(_) if once => return Ok(()),
            None if once => return Err(spall_trace::Error::UnknownFormat.into()),
            _ => thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn draw(trace: &LiveSnapshot<'_>, live: &mut Live) -> io::Result<()> {
    let Some(bounds) = trace.bounds() else { return Ok(()) };
    let viewport = Viewport::fit(bounds.clone(), COLUMNS, 0, Fidelity::Exact);
    let view = live.update(trace, bounds.end);
    let vertical = Vertical::new(trace, &view, &HEIGHTS);
    let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
    let mut out = io::stdout().lock();
    let color = out.is_terminal();
    if color {
        write!(out, "\x1b[H\x1b[2J")?; // From the top, over what was drawn before.
    }
    for line in vertical.lines() {
        vertical.rects(line.top..line.bottom(), &view, &HEIGHTS, &viewport, &mut scratch, &mut rects);
        let boxes = rects.iter().map(|found| found.rect);
        let boxes = terminal::line(boxes, viewport.columns(), color, |slice| trace.slice_name(slice));
        writeln!(out, "{}", line.label(trace).map_or(boxes, |label| terminal::clean(&label)))?;
    }
    out.flush()
}
