//! The command `spall`: looks at profiler traces of any supported format, compares, converts and draws them.
//!
//! `spall --help` lists what it does. The modules of this crate are what the command is made of, and what the examples of
//! the repository share with it: [`picture`] draws a trace as SVG, [`terminal`] with characters.

mod args;
mod convert;
#[cfg(feature = "parquet")]
mod data_set;
mod diff;
mod dump;
mod error;
mod find;
mod flame;
mod gaps;
mod info;
mod input;
mod json;
mod output;
mod phases;
pub mod picture;
#[cfg(feature = "sql")]
mod query;
mod render;
mod section;
mod selection;
mod serve;
mod session;
mod shown;
mod sums;
mod table;
pub mod terminal;
mod top;
#[cfg(feature = "tui")]
mod tui;
mod value;

use std::{ffi::OsString, io::Write, process::ExitCode};

use crate::{
    args::Arguments,
    error::Error,
    session::Session,
    shown::{Printed, Shown, to_stdout},
};

/// Runs the command with the arguments of a program, of which the first is its name.
///
/// The status is 0 if something was read and everything that was asked for was done, 1 if not, and 2 if the arguments make
/// no sense. Whatever is not 0 is explained on the error stream.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::read(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let text = error.render();
            // Nobody can be told that nobody can be told.
            if error.use_stderr() {
                _ = write!(Shown::new(std::io::stderr(), Printed::Text), "{text}");
                return ExitCode::from(2);
            }
            _ = to_stdout(Printed::Text, |out| write!(out, "{text}"));
            return ExitCode::SUCCESS;
        }
    };
    let session = Session::start(arguments.verbose, arguments.quiet);
    let result = arguments.command.run(&session);
    session::remove_temporary();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads the output has seen enough.
        Err(Error::Closed) => ExitCode::SUCCESS,
        Err(Error::Told(sentence)) => {
            session.say(format_args!("error: {sentence}"));
            ExitCode::FAILURE
        }
    }
}
