//! Prints a trace as one JSON object per line, as `spall dump FILE` does.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    spall_cli::run(["spall".into(), "dump".into()].into_iter().chain(arguments))
}
