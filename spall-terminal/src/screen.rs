//! The terminal, which the viewer takes and gives back as it was.

use core::sync::atomic::{AtomicBool, Ordering};
use std::io::{self, IsTerminal};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;

use crate::Error;

/// Whether a viewer has the terminal.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Gives the terminal to `show`, and puts it back as it was.
pub(crate) fn with_terminal(
    show: impl FnOnce(&mut DefaultTerminal) -> Result<(), Error>,
) -> Result<(), Error> {
    if !io::stdout().is_terminal() {
        return Err(Error::NoTerminal);
    }
    IS_TAKEN.store(true, Ordering::SeqCst);
    let shown = ratatui::try_init().map_err(Error::Terminal).and_then(|mut terminal| {
        execute!(io::stdout(), EnableMouseCapture).map_err(Error::Terminal)?;
        show(&mut terminal)
    });
    give_back();
    shown
}

/// Puts the terminal back as it was, if a viewer has it. A program that ends while a trace is shown, because of a signal or in
/// another thread, leaves a terminal behind that shows no input otherwise.
pub fn give_back() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        // Nobody can be told when the terminal takes nothing any more.
        _ = execute!(io::stdout(), DisableMouseCapture);
        _ = ratatui::try_restore();
    }
}
