//! Traces that grow while they are shown.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use spall_record::{Recorder, span};
use spall_trace::TraceParser;
use spall_trace::layout::LiveLayout;
use spall_trace::model::{Limits, LiveTrace, Receiver, Tick, TraceView};

use crate::viewer::Viewer;

/// How often a growing trace is drawn.
const PERIOD: Duration = Duration::from_millis(100);

/// What is shown of a trace that grows.
struct Screen<'t> {
    terminal: &'t mut DefaultTerminal,
    viewer: Viewer,
    live: LiveLayout,
}

impl<'t> Screen<'t> {
    fn new(terminal: &'t mut DefaultTerminal) -> Self {
        Self { terminal, viewer: Viewer::following(), live: LiveLayout::new() }
    }

    /// Draws what is known by now, after what the user asked for. Returns false at the end.
    fn show(&mut self, trace: &mut LiveTrace, input: Option<Event>) -> io::Result<bool> {
        let snapshot = {
            let _span = span!("commit");
            trace.commit()
        };
        let layout = {
            let _span = span!("lay out");
            let now = snapshot.bounds().map_or(Tick(0), |bounds| bounds.end);
            self.live.update(&snapshot, now)
        };
        if input.is_some_and(|event| !self.viewer.handle(&event, &snapshot, &layout)) {
            return Ok(false);
        }
        let _span = span!("draw");
        self.terminal.draw(|frame| self.viewer.draw(frame, &snapshot, &layout))?;
        Ok(true)
    }
}

/// Waits for input until the next picture is due.
fn wait() -> io::Result<Option<Event>> {
    let _span = span!("wait");
    Ok(if event::poll(PERIOD)? { Some(event::read()?) } else { None })
}

/// Shows a file while it is being written.
pub fn follow(terminal: &mut DefaultTerminal, mut file: File) -> Result<(), Box<dyn Error>> {
    let (mut screen, mut trace) = (Screen::new(terminal), LiveTrace::new(&Limits::default()));
    let (mut data, mut parser, mut input) = (Vec::new(), None, None);
    loop {
        file.read_to_end(&mut data)?;
        // The first bytes of a file may not yet tell its format.
        parser = parser.or_else(|| {
            spall_trace::detect(&data).map(|format| TraceParser::new(format, &Limits::default()))
        });
        if let Some(parser) = &mut parser {
            let consumed = parser.read(&data, false, |event, bytes| trace.receive(event, bytes))?;
            // An event of which only a part was read yet comes again with the next bytes.
            data.drain(..consumed);
        }
        if !screen.show(&mut trace, input)? {
            return Ok(());
        }
        input = wait()?;
    }
}

/// Shows how long this program takes to show itself.
pub fn show_itself(terminal: &mut DefaultTerminal) -> Result<(), Box<dyn Error>> {
    let trace = Arc::new(Mutex::new(LiveTrace::new(&Limits::default())));
    let session = Recorder::new().process_name("spall-terminal").live(Arc::clone(&trace)).start()?;
    let mut screen = Screen::new(terminal);
    let mut goes_on = true;
    while goes_on {
        let _span = span!("frame");
        let input = wait()?;
        session.flush()?;
        goes_on = screen.show(&mut trace.lock().unwrap_or_else(PoisonError::into_inner), input)?;
    }
    Ok(())
}
