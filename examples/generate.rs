//! Writes generated traces, to try what many of them cost.
//!
//! `generate FOLDER FIRST END CALLS` writes the spall files `FIRST.spall` to `END - 1.spall`, each a program of CALLS calls.
//! The same number makes the same file; different numbers make programs with different numbers of threads.

use std::{error::Error, path::PathBuf};

use spall_synth::program::Program;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("usage: generate FOLDER FIRST END CALLS");
    let folder = PathBuf::from(next()?);
    let (first, end): (u32, u32) = (next()?.parse()?, next()?.parse()?);
    let calls = next()?.parse()?;
    std::fs::create_dir_all(&folder)?;
    for number in first..end {
        let program = Program { calls, threads: 4 + number % 13, run: 16 + number as usize % 97 };
        std::fs::write(folder.join(format!("{number}.spall")), program.spall())?;
    }
    Ok(())
}
