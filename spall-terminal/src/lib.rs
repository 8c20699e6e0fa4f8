//! A viewer of profiler traces in the terminal, as `spall tui` shows it. Its key `?` lists its keys.
//!
//! [`show`] is for a trace that is complete, and [`follow`] for a file that is being written. Both take the terminal, and give it
//! back once the user quits. What is shown, found and added up is decided by [`spall_view`]; this crate draws it.
//!
//! ```no_run
//! use spall_view::{Source, open};
//!
//! let (name, read) = ("trace.json".to_owned(), std::fs::File::open("trace.json")?);
//! let opened = open(vec![Source { name, read, offset: None }]).map_err(|error| error.message)?;
//! spall_terminal::show(opened)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float becomes the cell it lies in, and what is on the screen has no more columns and lines than that"
)]

mod boxes;
mod colors;
mod flame;
mod functions;
mod hits;
mod keys;
mod live;
mod screen;
mod shown;
#[cfg(test)]
mod tests;
mod timeline;
mod viewer;

use std::io::{self, Read};

use ratatui::crossterm::event::{self, Event, MouseEvent, MouseEventKind};
use spall_view::Opened;

use crate::{shown::Showing, viewer::Viewer};

pub use crate::screen::give_back;

/// Why a trace cannot be shown any more, or at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The output is no terminal.
    #[error("there is no terminal to show the trace in")]
    NoTerminal,
    /// The terminal can neither be read nor be drawn on.
    #[error("the terminal cannot be used: {0}")]
    Terminal(io::Error),
}

/// Shows a trace until the user quits.
///
/// # Errors
///
/// If there is no terminal, or it can be used no more, the error says why.
pub fn show(opened: Opened) -> Result<(), Error> {
    screen::with_terminal(|terminal| {
        let (mut viewer, mut shown) = (Viewer::new(), Showing::new(opened));
        loop {
            terminal.draw(|frame| viewer.draw(frame, &mut shown)).map_err(Error::Terminal)?;
            // A pointer that only moves changes no picture.
            loop {
                let event = event::read().map_err(Error::Terminal)?;
                if !viewer.handle(&event, &mut shown) {
                    return Ok(());
                }
                if !matches!(event, Event::Mouse(MouseEvent { kind: MouseEventKind::Moved, .. })) {
                    break;
                }
            }
        }
    })
}

/// Shows what is in a file while it is being written, such as a [`Tail`](spall_view::Tail), until the user quits. The format may
/// be any that can be read from its beginning, without compression around it. `name` is what the trace is called. Where the file
/// cannot be read on, what was read stays, and a note says why.
///
/// # Errors
///
/// If there is no terminal, or it can be used no more, the error says why.
pub fn follow(name: &str, file: impl Read) -> Result<(), Error> {
    screen::with_terminal(|terminal| live::follow(terminal, name, file))
}
