//! Traces that grow while they are shown.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use spall_record::{Recorder, span};
use spall_trace::model::{self, ByteRange, Receiver};
use spall_view::Live;

use crate::{shown::Showing, viewer::Viewer};

/// How often a growing trace is drawn.
const PERIOD: Duration = Duration::from_millis(100);

impl<'e> Receiver<'e> for Showing<Live> {
    fn receive(&mut self, event: &model::Event<'e>, bytes: ByteRange) {
        (**self).receive(event, bytes);
    }
}

/// Draws what is known by now, after what the user asked for. Returns false at the end.
fn show(
    terminal: &mut DefaultTerminal,
    viewer: &mut Viewer,
    shown: &mut Showing<Live>,
    input: Option<Event>,
) -> io::Result<bool> {
    {
        let _span = span!("grow");
        shown.grow();
    }
    if input.is_some_and(|event| !viewer.handle(&event, shown)) {
        return Ok(false);
    }
    let _span = span!("draw");
    terminal.draw(|frame| viewer.draw(frame, shown))?;
    Ok(true)
}

/// Waits for input until the next picture is due.
fn wait() -> io::Result<Option<Event>> {
    let _span = span!("wait");
    Ok(if event::poll(PERIOD)? { Some(event::read()?) } else { None })
}

/// Shows a file while it is being written.
pub fn follow(terminal: &mut DefaultTerminal, path: &Path, mut file: File) -> Result<(), Box<dyn Error>> {
    let (mut viewer, mut shown) = (Viewer::new(), Showing::live(&path.display().to_string()));
    let (mut data, mut input) = (Vec::new(), None);
    loop {
        data.clear();
        file.read_to_end(&mut data)?;
        shown.feed(&data)?;
        if !show(terminal, &mut viewer, &mut shown, input)? {
            return Ok(());
        }
        input = wait()?;
    }
}

/// Shows how long this program takes to show itself.
pub fn show_itself(terminal: &mut DefaultTerminal) -> Result<(), Box<dyn Error>> {
    let (mut viewer, shown) = (Viewer::new(), Arc::new(Mutex::new(Showing::live("spall-terminal"))));
    let session = Recorder::new().process_name("spall-terminal").live(Arc::clone(&shown)).start()?;
    let mut goes_on = true;
    while goes_on {
        let _span = span!("frame");
        let input = wait()?;
        session.flush()?;
        let shown = &mut shown.lock().unwrap_or_else(PoisonError::into_inner);
        goes_on = show(terminal, &mut viewer, shown, input)?;
    }
    Ok(())
}
