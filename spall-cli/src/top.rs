//! `spall top`: what took the most time.

use std::cmp::Reverse;

use spall_trace::{
    json::V8,
    model::{CallTree, Measure, Tick, Ticks, Trace, TraceView, TrackId, TrackSet, TreeNode},
    samples::call_trees,
};

use crate::{
    error::{Error, Result},
    input::Opened,
    session::Session,
    shown::to_stdout,
    sums::{SumChoice, call_tree, function},
    table::{Cell, Table, TableFormat},
};

/// What the rows of the table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum By {
    /// Functions, by their self times
    #[default]
    Function,
    /// Threads and other tracks, by the time in which they ran something
    Track,
}

/// What is listed.
#[derive(Debug, clap::Args)]
pub(crate) struct Choice {
    /// List the longest calls with their arguments instead
    #[arg(long, conflicts_with = "measure")]
    longest: bool,
    /// Count only what this function and everything that it calls took; a part of its name is enough if no other has it
    #[arg(long, value_name = "FUNCTION", conflicts_with = "longest")]
    under: Option<String>,
    /// What is listed
    #[arg(long, value_enum, default_value_t, conflicts_with = "longest")]
    by: By,
}

/// Prints the functions with the most self time, or with `longest` the longest calls.
pub(crate) fn run(
    Opened { trace, title, .. }: Opened,
    count: usize,
    choice: &Choice,
    of: SumChoice,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    // That is said where the file is opened.
    if trace.is_empty_profile() {
        session.done();
        return Ok(());
    }
    session.doing("adding up");
    let tracks = of.tracks_of(&trace, &title, session);
    if choice.longest {
        return print_calls(&trace, tracks, &title, count, format, session);
    }
    let all = call_tree(&trace, tracks, of.measure, &title)?;
    let under = choice.under.as_ref().map(|text| function(&all, &trace, text, &title)).transpose()?;
    let part = |tree: CallTree| under.map_or(tree.clone(), |function| tree.callees(function));
    if choice.by == By::Function {
        return print_functions(&trace, of.measure, &part(all), count, format, session);
    }
    let trees = call_trees(&trace, &V8, tracks, of.measure).map(|of| (of.track, of.name, part(of.tree)));
    let trees: Vec<_> = trees.filter(|(_, _, tree)| !tree.nodes().is_empty()).collect();
    print_tracks(&trace, of.measure, trees, count, format, session)
}

/// Prints how much each track took. A thread that got another name has a row for each of them.
fn print_tracks(
    trace: &Trace,
    measure: Measure,
    mut trees: Vec<(TrackId, String, CallTree)>,
    count: usize,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let (clock, is_of_thread) = (measure.clock(trace.clock()), measure.of_thread().is_some());
    let fifth = if is_of_thread { "unmeasured" } else { "samples" };
    let all = trees.iter().map(|(_, _, tree)| tree.total()).sum();
    trees.sort_by_key(|(_, _, tree)| Reverse(tree.total()));
    let mut table = Table::new(["time", "share", "calls", fifth, "process", "track"]);
    for (track, name, tree) in trees.iter().take(count) {
        let sum = |of: fn(&TreeNode) -> u64| tree.nodes().iter().map(of).sum::<u64>();
        let process = trace.track_info(*track).and_then(|info| info.process);
        let title = trace.track_title(*track);
        table.push([
            Cell::duration(&clock, tree.total()),
            Cell::share(share(tree.total(), all)),
            Cell::number(sum(|node| node.count)),
            Cell::number(if is_of_thread { sum(|node| node.unmeasured) } else { sum(|node| node.hits) }),
            process.map_or(Cell::none(), |process| Cell::text(&trace.process_title(process))),
            Cell::text(if name.is_empty() { &title } else { name }),
        ]);
    }
    session.done();
    Ok(to_stdout(format.printed(), |out| table.write(format, out))?)
}

fn print_functions(
    trace: &Trace,
    measure: Measure,
    tree: &CallTree,
    count: usize,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let clock = measure.clock(trace.clock());
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
