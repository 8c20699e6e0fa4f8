//! Converts a trace of any format into another one.
//!
//! `convert FILE OUT`: what is written follows from the end of OUT's name.
//!
//! | end | what is written |
//! |---|---|
//! | `.json` | Trace Event JSON, with everything that the trace says |
//! | `.spall` | spall 3: slices, by thread |
//! | `.speedscope.json` | what <https://www.speedscope.app> reads: slices, by thread |
//! | `.folded` | stacks for flame graph tools: a line for each path, own ticks last |
//!
//! Functions that CPU samples found become slices first, but for `.json`, where they stay samples. What a format cannot
//! hold is left out, and said on the error stream.

use std::{error::Error, fs::File, path::Path, process::ExitCode};

use spall_trace::{
    export,
    model::{Limits, Ticks},
};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(from), Some(to), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: convert FILE OUT.json|OUT.spall|OUT.speedscope.json|OUT.folded");
        return ExitCode::from(2);
    };
    match convert(from.as_ref(), to.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", from.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}

fn convert(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let data = std::fs::read(from)?;
    let trace = spall_trace::load(&data, &Limits::default())?;
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let is = |ending| name.ends_with(ending);
    let out = || File::create(to);
    let exported = if is(".speedscope.json") {
        let title = from.file_name().unwrap_or_default().to_string_lossy();
        export::speedscope(&spall_trace::merge_samples(trace), &title, out()?)?
    } else if is(".json") {
        export::json(&trace, out()?)?
    } else if is(".spall") {
        export::spall(&spall_trace::merge_samples(trace), out()?)?
    } else if is(".folded") {
        export::folded(&trace, out()?)?
    } else {
        return Err(format!("nobody knows what to write by the name {name}").into());
    };
    if !exported.to_string().is_empty() {
        eprintln!("{exported}");
    }
    if exported.moved != Ticks::ZERO {
        eprintln!("all times moved by {} ticks, because the format has none before 0", exported.moved.0);
    }
    Ok(())
}
