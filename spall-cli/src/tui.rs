//! `spall tui`: a viewer in the terminal, which is a program of its own.

use std::{fs::File, io::ErrorKind, path::Path, process::Command};

use crate::{
    error::{Error, Result},
    input::{on_disk, one},
    session::Session,
};

/// The program, whose dependencies would make this one three times as large.
const PROGRAM: &str = "spall-terminal";

/// Shows a trace, or with `follow` a file that is being written, until the user quits.
pub(crate) fn run(file: &Path, follow: bool, session: &Session) -> Result<()> {
    let path = on_disk(vec![one(file)?])?.remove(0);
    File::open(&path).map_err(|error| Error::reading(&path, &error))?;
    session.done();
    let mut command = Command::new(PROGRAM);
    command.args(follow.then_some("--follow")).arg(&path);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Error::new(format_args!("{}: {PROGRAM} could not show this file.", path.display()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::new(format_args!(
            "{PROGRAM}: this program is not installed. Install it with `cargo install --path examples/terminal`."
        ))),
        Err(error) => Err(Error::new(format_args!("{PROGRAM}: the program cannot be started: {error}."))),
    }
}
