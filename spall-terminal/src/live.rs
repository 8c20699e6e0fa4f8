//! Traces that grow while they are shown.

use core::time::Duration;
use std::{io::Read, time::Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event;

use crate::{Error, shown::Showing, viewer::Viewer};

/// How often a growing trace is drawn.
const PERIOD: Duration = Duration::from_millis(100);

/// Shows a file while it is being written.
pub(crate) fn follow(terminal: &mut DefaultTerminal, name: &str, mut file: impl Read) -> Result<(), Error> {
    let (mut viewer, mut shown) = (Viewer::new(), Showing::live(name));
    loop {
        // A large file that is there already is shown from its start on.
        let began = Instant::now();
        let has_more = shown.feed_from(&mut file, || began.elapsed() < PERIOD);
        shown.grow();
        terminal.draw(|frame| viewer.draw(frame, &mut shown)).map_err(Error::Terminal)?;
        if event::poll(if has_more { Duration::ZERO } else { PERIOD }).map_err(Error::Terminal)? {
            let event = event::read().map_err(Error::Terminal)?;
            if !viewer.handle(&event, &mut shown) {
                return Ok(());
            }
        }
    }
}
