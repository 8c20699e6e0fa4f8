//! Draws a trace in the terminal while it is being written.
//!
//! `live FILE` reads on whenever the file has grown, until it is interrupted; `live --once FILE` draws what there is.
//! The parser takes the bytes as they come, the live trace pairs and names what is in them, and the layout draws slices
//! that are still open up to the latest time.

use std::{
    error::Error,
    fs::File,
    io::{self, IsTerminal, Read, Write},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use spall_examples::terminal;
use spall_trace::{
    TraceParser,
    layout::{Fidelity, LayoutOptions, Live, Rect, Scratch, Viewport},
    model::{Limits, LiveSnapshot, LiveTrace, LiveTrack, Tick},
};

const COLUMNS: u16 = 120;
const PAUSE: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (once, path) = match arguments.as_slice() {
        [once, path] if once == "--once" => (true, path),
        [path] => (false, path),
        _ => {
            eprintln!("usage: live [--once] FILE");
            return ExitCode::from(2);
        }
    };
    match watch(path.as_ref(), once) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}

/// Draws the file each time it has grown. A record that is only half there is read when the rest has come.
fn watch(path: &Path, once: bool) -> Result<(), Box<dyn Error>> {
    let mut file = File::open(path)?;
    let mut data = Vec::new();
    let format = loop {
        file.read_to_end(&mut data)?;
        match spall_trace::detect(&data) {
            Some(format) => break format,
            None if once => return Err("no trace".into()),
            None => std::thread::sleep(PAUSE),
        }
    };
    let mut parser = TraceParser::new(format);
    let mut trace = LiveTrace::new(&Limits::default());
    let mut live = Live::new(&LayoutOptions::default());
    loop {
        let consumed = parser.read(&data, false, |event, bytes| trace.push(event, bytes))?;
        data.drain(..consumed);
        draw(&trace.commit(), &mut live, !once)?;
        if once {
            return Ok(());
        }
        while file.read_to_end(&mut data)? == 0 {
            std::thread::sleep(PAUSE);
        }
    }
}

fn draw(trace: &LiveSnapshot<'_>, live: &mut Live, again: bool) -> io::Result<()> {
    let Some(bounds) = trace.bounds() else { return Ok(()) };
    let frame = Viewport::new(bounds.start..Tick(bounds.end.0.saturating_add(1)), COLUMNS, Fidelity::Exact);
    let view = live.update(trace, bounds.end);
    let mut out = io::stdout().lock();
    let color = out.is_terminal();
    if again && color {
        // From the top, over what was drawn before.
        write!(out, "\x1b[H\x1b[2J")?;
    }
    let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
    for track in trace.display_order().into_iter().filter_map(|id| trace.track(id)) {
        if !track.slices().is_empty() {
            writeln!(out, "{}", title(trace, &track))?;
        }
        for row in view.track_rows(track.id()).filter_map(|row| view.row(row)) {
            rects.clear();
            row.rects(&frame, &mut scratch, &mut rects);
            let name =
                |rect: &Rect| trace.slice(rect.slice).map(|slice| trace.name(slice.name)).unwrap_or_default();
            writeln!(out, "{}", terminal::line(&rects, frame.columns(), color, name))?;
        }
    }
    out.flush()
}

/// Names of process and thread, or their ids.
fn title(trace: &LiveSnapshot<'_>, track: &LiveTrack<'_>) -> String {
    let process = track.process().map(|id| trace.process_label(id)).unwrap_or_default();
    format!("{process} / {}", trace.track_label(track.id()))
}
