//! The command `spall`.

use std::process::ExitCode;

fn main() -> ExitCode {
    spall_cli::run(std::env::args_os())
}
