//! `spall top`: what took the most time.

use std::{cmp::Reverse, io, path::PathBuf};

use spall_trace::model::{Ticks, Trace, TraceView};

use crate::{
    error::Result,
    input::{call_tree, open},
    output::to_stdout,
    session::Session,
    table::{Cell, Table, TableFormat},
};

/// Prints the functions of all threads with the most self time, or with `longest` the longest calls.
pub(crate) fn run(
    files: &[PathBuf],
    count: usize,
    longest: bool,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let trace = open(files, Default::default(), session)?.trace;
    session.doing("adding up");
    let print = if longest { print_calls } else { print_functions };
    Ok(print(&trace, count, format, session)?)
}

fn print_functions(
    trace: &Trace<'_>,
    count: usize,
    format: TableFormat,
    session: &Session,
) -> io::Result<()> {
    let (clock, tree) = (trace.clock(), call_tree(trace));
    let mut functions = tree.functions();
    functions.sort_by_cached_key(|stats| (Reverse(stats.self_time), stats.function.describe(trace)));
    let mut table = Table::new(["self", "share", "total", "calls", "samples", "function"]);
    for stats in functions.iter().take(count) {
        table.push([
            Cell::duration(&clock, stats.self_time),
            Cell::share(share(stats.self_time, tree.total())),
            Cell::duration(&clock, stats.total),
            Cell::number(stats.count),
            Cell::number(stats.hits),
            Cell::text(&stats.function.describe(trace)),
        ]);
    }
    session.done();
    to_stdout(|out| table.write(format, out))
}

fn print_calls(trace: &Trace<'_>, count: usize, format: TableFormat, session: &Session) -> io::Result<()> {
    let clock = trace.clock();
    let mut table = Table::new(["duration", "start", "track", "name", "arguments"]);
    for id in trace.longest_slices(trace.bounds().unwrap_or_default(), count) {
        let Some(slice) = trace.slice(id) else { continue };
        table.push([
            Cell::duration(&clock, slice.duration()),
            Cell::time(&clock, slice.start),
            Cell::text(&trace.track_of(id).map(|track| trace.track_title(track)).unwrap_or_default()),
            Cell::text(&trace.name(slice.name)),
            Cell::text(&trace.slice_args(id).to_string()),
        ]);
    }
    session.done();
    to_stdout(|out| table.write(format, out))
}

/// Returns a part as a fraction of a whole.
pub(crate) fn share(part: Ticks, whole: Ticks) -> f64 {
    part.0 as f64 / whole.0.max(1) as f64
}
