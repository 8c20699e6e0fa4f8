//! `spall tui`: the viewer in the terminal.

use std::path::Path;

use spall_terminal::Error as ViewerError;
use spall_view::{Opened, Tail};

use crate::{
    error::{Error, Result, words},
    input::one,
    session::Session,
};

/// Shows a trace, or with `follow` a file that is being written, until the user quits.
pub(crate) fn run(file: &Path, follow: bool, session: &Session) -> Result<()> {
    let input = one(file)?;
    let path = input.path.clone();
    // The standard input is read to its end, and then it grows no more.
    let shown = if follow && !input.is_stdin() {
        let file = Tail::open(&path).map_err(|error| Error::reading(&path, &error))?;
        session.done();
        spall_terminal::follow(&path.display().to_string(), file)
    } else {
        let loaded = input.load_or_fail(session)?;
        session.done();
        let (name, format) = (loaded.name(), loaded.format_name());
        spall_terminal::show(Opened::of(loaded.trace, &name, format))
    };
    shown.map_err(|error| match error {
        ViewerError::NoTerminal => {
            Error::new(format_args!("{error}. Run `spall tui` in one, without a pipe."))
        }
        ViewerError::Terminal(error) => {
            Error::new(format_args!("the terminal cannot be used: {}.", words(&error)))
        }
        error => Error::new(format_args!("{}: {error}.", path.display())),
    })
}
