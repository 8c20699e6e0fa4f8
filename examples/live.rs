//! Draws a spall trace in the terminal while it is being written.
//!
//! `live FILE` reads on whenever the file has grown, until it is interrupted; `live --once FILE` draws what there is.
//! What a profiler writes with the writers of `spall::format::spall` can be watched like that: the parser takes the
//! bytes as they come, and the layout shows slices that are still open.

use std::{
    collections::HashMap,
    error::Error,
    fs::File,
    io::{self, IsTerminal, Read, Write},
    process::ExitCode,
    time::Duration,
};

use spall::{
    format::spall::Parser,
    layout::{Fidelity, Frame, Live, Rect, Scratch},
    model::{Chunk, Event, Id, Parser as _, SliceId, Thread, Tick, TrackId},
};
use spall_examples::terminal;

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
    match follow(path.as_ref(), once) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}

fn follow(path: &std::path::Path, once: bool) -> Result<(), Box<dyn Error>> {
    let mut file = File::open(path)?;
    let mut parser = Parser::new();
    let mut watched = Watched::default();
    let mut data = Vec::new();
    loop {
        let grown = file.read_to_end(&mut data)? > 0;
        let mut done = 0;
        // A record that is only half there is read when the rest has come.
        loop {
            done += match parser.parse(&data[done..], false)? {
                Chunk::Parsed(parsed) => {
                    watched.see(&parsed.event);
                    parsed.consumed
                }
                Chunk::Skipped(length) => length,
                _ => break,
            };
        }
        data.drain(..done);
        if grown {
            watched.draw(!once)?;
        }
        if once {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
}

/// Everything seen so far.
#[derive(Default)]
struct Watched {
    live: Live,
    tracks: HashMap<(i64, i64), TrackId>,
    /// By track.
    titles: Vec<String>,
    /// By slice.
    names: Vec<String>,
    times: Option<(Tick, Tick)>,
    scratch: Scratch,
}

impl Watched {
    fn see(&mut self, event: &Event<'_>) {
        if let Some(at) = event.at() {
            let (first, last) = self.times.unwrap_or((at, at));
            self.times = Some((first.min(at), last.max(at)));
        }
        match event {
            Event::Begin(begin) => {
                let track = self.track(begin.thread);
                let slice = SliceId(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
                self.names.push(begin.name.decode().into_owned());
                self.live.begin(track, begin.at, slice);
            }
            Event::End(end) => {
                let track = self.track(end.thread);
                self.live.end(track, end.at);
            }
            Event::ThreadName(thread, name) => {
                let track = self.track(*thread);
                self.titles[track.index()] = name.decode().into_owned();
            }
            _ => {}
        }
    }

    fn track(&mut self, thread: Thread<'_>) -> TrackId {
        let number = |id| if let Id::Number(number) = id { number } else { 0 };
        let ids = (number(thread.pid), number(thread.tid));
        *self.tracks.entry(ids).or_insert_with(|| {
            self.titles.push(format!("{} / {}", ids.0, ids.1));
            self.live.add_track()
        })
    }

    fn draw(&mut self, again: bool) -> io::Result<()> {
        let Some((first, last)) = self.times else { return Ok(()) };
        let frame = Frame::new(first..Tick(last.0.saturating_add(1)), COLUMNS, Fidelity::Exact);
        let view = self.live.commit(last);
        let mut out = io::stdout().lock();
        let color = out.is_terminal();
        if again && color {
            // From the top, over what was drawn before.
            write!(out, "\x1b[H\x1b[2J")?;
        }
        let mut rects = Vec::new();
        for (track, title) in (0..).map(TrackId).zip(&self.titles) {
            writeln!(out, "{title}")?;
            for &row in view.track_rows(track) {
                let Some(row) = view.row(row) else { continue };
                rects.clear();
                row.rects(&frame, &mut self.scratch, &mut rects);
                let name = |rect: &Rect| self.names[rect.slice.index()].as_str();
                writeln!(out, "{}", terminal::line(&rects, frame.columns(), color, name))?;
            }
        }
        out.flush()
    }
}
