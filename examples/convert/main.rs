//! Converts a trace of any format into another one, or many traces into one data set.
//!
//! `convert FILE OUT`: what is written follows from the end of OUT's name.
//!
//! | end | what is written |
//! |---|---|
//! | `.json` | Trace Event JSON, with everything that the trace says |
//! | `.spall` | spall 3: slices, by thread |
//! | `.speedscope.json` | what <https://www.speedscope.app> reads: slices, by thread |
//! | `.firefox.json` | what <https://profiler.firefox.com> reads: slices as markers, samples, counters |
//! | `.pftrace` | what <https://ui.perfetto.dev> reads: everything but objects and samples |
//! | `.pb` | call trees for pprof |
//! | `.folded` | stacks for flame graph tools: a line for each path, with its self time in ticks |
//! | `/` | a data set of Parquet files for SQL engines, to which FILE is added; several FILEs may be given |
//!
//! Functions that CPU samples found become slices in spall, speedscope and Perfetto files and in data sets. What a format cannot
//! hold is left out, and the error stream says so.

use std::{error::Error, fs::File, path::PathBuf};

use spall_trace::export;

#[cfg(feature = "parquet")]
mod data_set;

const USAGE: &str = "usage: convert FILE OUT.json|.spall|.speedscope.json|.firefox.json|.pftrace|.pb|.folded, or convert FILE… OUT/";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let Some((to, files)) = arguments.split_last() else { return Err(USAGE.into()) };
    if to.as_os_str().as_encoded_bytes().ends_with(b"/") && !files.is_empty() {
        #[cfg(feature = "parquet")]
        return data_set::write(files, to);
        #[cfg(not(feature = "parquet"))]
        return Err("built without data sets: add `--features parquet`".into());
    }
    let [from] = files else { return Err(USAGE.into()) };
    let trace = spall_trace::load_file(from)?;
    let out = || File::create(to);
    let report = match to.to_string_lossy() {
        name if name.ends_with(".speedscope.json") => {
            let title = from.file_name().unwrap_or_default().to_string_lossy();
            export::speedscope(&spall_trace::merge_samples(trace), &title, out()?)?
        }
        name if name.ends_with(".firefox.json") => {
            export::firefox(&trace, &from.file_name().unwrap_or_default().to_string_lossy(), out()?)?
        }
        name if name.ends_with(".pftrace") => export::perfetto(&spall_trace::merge_samples(trace), out()?)?,
        name if name.ends_with(".pb") => export::pprof(&trace, out()?)?,
        name if name.ends_with(".json") => export::json(&trace, out()?)?,
        name if name.ends_with(".spall") => export::spall(&spall_trace::merge_samples(trace), out()?)?,
        name if name.ends_with(".folded") => export::folded(&trace, out()?)?,
        name => return Err(format!("{name} has none of the known endings").into()),
    };
    if !report.is_lossless() {
        eprintln!("{report}");
    }
    Ok(())
}
