//! Traces that grow while they are shown.

use std::{cell::RefCell, error::Error, fs::File, io::Read, time::Duration, time::Instant};

use ratatui::{DefaultTerminal, crossterm::event};
use spall_trace::TraceParser;
use spall_trace::format::spall::{Header, ThreadRecorder, Version};
use spall_trace::layout::{LayoutOptions, Live};
use spall_trace::model::{Limits, LiveTrace, Tick};

use crate::viewer::Viewer;

/// How often a growing trace is drawn.
const PERIOD: Duration = Duration::from_millis(100);

/// A trace in the making: bytes that were not read yet, their parser, and what they have said so far.
struct Growing {
    data: Vec<u8>,
    /// The first bytes may not yet tell the format.
    parser: Option<TraceParser>,
    trace: LiveTrace,
    live: Live,
    viewer: Viewer,
}

impl Growing {
    fn new() -> Self {
        let trace = LiveTrace::new(&Limits::default());
        let live = Live::new(&LayoutOptions::default());
        Self { data: Vec::new(), parser: None, trace, live, viewer: Viewer::following() }
    }

    /// Reads what is new, and shows it for a while. Calls `phase` with the name of each step. Returns false at the end.
    fn show(
        &mut self,
        terminal: &mut DefaultTerminal,
        mut phase: impl FnMut(&str),
    ) -> Result<bool, Box<dyn Error>> {
        let Self { data, parser, trace, live, viewer } = self;
        phase("read");
        if parser.is_none() {
            *parser = spall_trace::detect(data).map(TraceParser::new);
        }
        if let Some(parser) = parser {
            let consumed = parser.read(data, false, |event, bytes| trace.push(event, bytes))?;
            // An event of which only a part was read yet comes again with the next bytes.
            data.drain(..consumed);
        }
        phase("commit");
        let snapshot = trace.commit();
        phase("lay out");
        let now = snapshot.bounds().map_or(Tick(0), |bounds| bounds.end);
        let layout = live.update(&snapshot, now);
        phase("draw");
        terminal.draw(|frame| viewer.draw(frame, &snapshot, &layout))?;
        phase("wait");
        Ok(!event::poll(PERIOD)? || viewer.handle(&event::read()?, &snapshot, &layout))
    }
}

/// Shows a file while it is being written.
pub fn follow(terminal: &mut DefaultTerminal, mut file: File) -> Result<(), Box<dyn Error>> {
    let mut growing = Growing::new();
    loop {
        file.read_to_end(&mut growing.data)?;
        if !growing.show(terminal, |_| {})? {
            return Ok(());
        }
    }
}

/// Shows how long this program takes to show itself.
pub fn show_itself(terminal: &mut DefaultTerminal) -> Result<(), Box<dyn Error>> {
    let (start, recorded) = (Instant::now(), RefCell::new(Header::new(Version::V3, 1.0).to_bytes().to_vec()));
    let now = || start.elapsed().as_nanos() as u64;
    let sink = |bytes: &[u8]| recorded.borrow_mut().extend_from_slice(bytes);
    let mut recorder = ThreadRecorder::new([0; 4096], std::process::id(), 1, sink)?;
    recorder.process_name("spall-terminal");
    recorder.thread_name("main");
    let mut growing = Growing::new();
    loop {
        recorder.flush();
        growing.data.append(&mut recorded.borrow_mut());
        let goes_on = recorder.slice(now, "show", |recorder| {
            recorder.begin(now(), "start");
            let result = growing.show(terminal, |phase| {
                recorder.end(now());
                recorder.begin(now(), phase);
            });
            recorder.end(now());
            result
        });
        if !goes_on? {
            return Ok(());
        }
    }
}
