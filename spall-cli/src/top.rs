//! `spall top`: what took the most time.

use std::cmp::Reverse;

use spall_trace::model::{Measure, Tick, Ticks, Trace, TraceView, TrackSet};

use crate::{
    error::{Error, Result},
    input::Opened,
    session::Session,
    shown::to_stdout,
    sums::{SumChoice, call_tree},
    table::{Cell, Table, TableFormat},
};

/// Prints the functions with the most self time, or with `longest` the longest calls.
pub(crate) fn run(
    Opened { trace, title, .. }: Opened,
    count: usize,
    longest: bool,
    of: SumChoice,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    session.doing("adding up");
    let tracks = of.tracks_of(&trace, &title, session);
    if longest {
        print_calls(&trace, tracks, &title, count, format, session)
    } else {
        print_functions(&trace, (tracks, of.measure), &title, count, format, session)
    }
}

fn print_functions(
    trace: &Trace,
    (tracks, measure): (TrackSet, Measure),
    title: &str,
    count: usize,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let (clock, tree) = (measure.clock(trace.clock()), call_tree(trace, tracks, measure, title)?);
    let mut functions = tree.functions();
    functions.sort_by_cached_key(|stats| (Reverse(stats.self_time), stats.function.describe(trace)));
    let is_of_thread = measure.of_thread().is_some();
    let fifth = if is_of_thread { "unmeasured" } else { "samples" };
    let mut table = Table::new(["self", "share", "total", "calls", fifth, "function"]);
    for stats in functions.iter().take(count) {
        table.push([
            Cell::duration(&clock, stats.self_time),
            Cell::share(share(stats.self_time, tree.total())),
            Cell::duration(&clock, stats.total),
            Cell::number(stats.count),
            Cell::number(if is_of_thread { stats.unmeasured } else { stats.hits }),
            Cell::text(&stats.function.describe(trace)),
        ]);
    }
    session.done();
    Ok(to_stdout(format.printed(), |out| table.write(format, out))?)
}

fn print_calls(
    trace: &Trace,
    tracks: TrackSet,
    title: &str,
    count: usize,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    // The bounds of the trace would leave out a call that takes no time at their end.
    let longest = trace.longest_slices(tracks, Tick::MIN..Tick::MAX, count);
    if longest.is_empty() && count > 0 {
        return Err(Error::new(format_args!(
            "{title}: there are no slices, of which one would be the longest. `spall info` says what is in a file."
        )));
    }
    let clock = trace.clock();
    let mut table = Table::new(["duration", "start", "track", "name", "arguments"]);
    for id in longest {
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
    Ok(to_stdout(format.printed(), |out| table.write(format, out))?)
}

/// Returns a part as a fraction of a whole.
pub(crate) fn share(part: Ticks, whole: Ticks) -> f64 {
    part.0 as f64 / whole.0.max(1) as f64
}
