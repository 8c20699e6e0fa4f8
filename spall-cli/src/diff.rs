//! `spall diff`: what got slower from one trace to another, by function.

use std::{
    io::{self, Write},
    path::PathBuf,
    str::FromStr,
};

use spall_trace::model::{CallTree, Clock, FunctionDiff, FunctionStats, Measure, Ticks, Trace, TraceView};

use crate::{
    error::{Error, Result},
    input::{Loaded, load_one},
    selection::Selection,
    session::Session,
    shown::{short, to_stdout},
    sums::{call_tree, tell_unmeasured},
    table::{Cell, Table, TableFormat},
    top::share,
};

/// A share of the time of the first trace, such as `5%`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Percent(f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = text.strip_suffix('%').unwrap_or(text).trim().parse();
        let percent = number.ok().filter(|percent: &f64| *percent >= 0.0);
        percent.map(Self).ok_or_else(|| "use a number such as 5%".to_owned())
    }
}

/// The self time of a function in both traces.
struct Change {
    function: String,
    before: Ticks,
    after: Ticks,
    calls: [u64; 2],
}

impl Change {
    fn by(&self) -> Ticks {
        self.after - self.before
    }
}

/// Prints the functions whose self time changed, the most slowed down first. This is an error if more time than `allowed`
/// was added to a function, or to all of them.
pub(crate) fn run(
    files: [&PathBuf; 2],
    allowed: Option<Percent>,
    count: usize,
    measure: Measure,
    selection: &Selection,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let [before, after]: [Result<Loaded>; 2] = files.map(|file| {
        let loaded = load_one(file, session)?;
        let title = loaded.name();
        let trace = selection.of(loaded.trace, &title, session)?;
        Ok(Loaded { trace, ..loaded })
    });
    let (before, after) = (before?, after?);
    session.doing("comparing");
    let names = [&before, &after].map(|loaded| loaded.path.display().to_string());
    let ([tree_before, tree_after], clock) =
        comparable([&before.trace, &after.trace], &names, measure, session)?;
    let diffs =
        FunctionDiff::of_traces((&tree_before, before.trace.names()), (&tree_after, after.trace.names()));
    let describe = |stats: Option<FunctionStats>, trace: &Trace| Some(stats?.function.describe(trace));
    let self_time = |stats: Option<FunctionStats>| stats.map_or(Ticks::ZERO, |stats| stats.self_time);
    let change = |diff: &FunctionDiff| Change {
        function: describe(diff.after, &after.trace)
            .or_else(|| describe(diff.before, &before.trace))
            .unwrap_or_default(),
        before: self_time(diff.before),
        after: self_time(diff.after),
        calls: [diff.before, diff.after].map(|stats| stats.map_or(0, |stats| stats.count)),
    };
    let mut changes: Vec<_> = diffs.iter().map(change).collect();
    changes.sort_by(|a, b| b.by().cmp(&a.by()).then_with(|| a.function.cmp(&b.function)));
    let all = Change {
        function: "(all functions)".into(),
        before: tree_before.total(),
        after: tree_after.total(),
        calls: [0; 2],
    };
    session.done();
    to_stdout(format.printed(), |out| print(&changes, &all, clock, count, format, out))?;

    let Some(Percent(allowed)) = allowed else { return Ok(()) };
    let grown = changes.first().into_iter().chain([&all]).max_by_key(|change| change.by());
    let (growth, function) =
        grown.map_or((0.0, ""), |change| (100.0 * share(change.by(), all.before), &change.function));
    if growth <= allowed {
        return Ok(());
    }
    let [before, after] = names;
    Err(Error::new(format_args!(
        "{after}: {} takes {growth:.1} % of the time of {before} more, and --fail-above allows {allowed} %.",
        short(function)
    )))
}

/// Returns the call trees of two traces, with times in the finer of their units, and the clock of that unit.
pub(crate) fn comparable(
    traces: [&Trace; 2],
    names: &[String; 2],
    measure: Measure,
    session: &Session,
) -> Result<([CallTree; 2], Clock)> {
    let clocks = traces.map(|trace| measure.clock(trace.clock()));
    let trees = [call_tree(traces[0], measure, &names[0])?, call_tree(traces[1], measure, &names[1])?];
    let found = CallTree::in_one_unit(trees, clocks);
    let ([before, after], clock) = found.ok_or_else(|| {
        let [before, after] = clocks.map(|clock| clock.unit.counted().unwrap_or("nanoseconds").to_owned());
        Error::new(format_args!(
            "{}: this file counts {after}, and {} counts {before}. Give two files that count the same.",
            names[1], names[0]
        ))
    })?;
    for (tree, name) in [&before, &after].into_iter().zip(names) {
        tell_unmeasured(tree, measure, name, session);
    }
    Ok(([before, after], clock))
}

/// Prints the sum, and of the functions the `count` that got slowest and as many that got fastest.
fn print(
    changes: &[Change],
    all: &Change,
    clock: Clock,
    count: usize,
    format: TableFormat,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table =
        Table::new(["change", "share", "before", "after", "calls before", "calls after", "function"]);
    let (slower, rest) = changes.split_at(changes.partition_point(|change| change.by() > Ticks::ZERO));
    let faster = &rest[rest.partition_point(|change| change.by() == Ticks::ZERO)..];
    let shown = slower.iter().take(count).chain(&faster[faster.len().saturating_sub(count)..]);
    for change in std::iter::once(all).chain(shown) {
        let [calls_before, calls_after] =
            change.calls.map(|calls| if calls == 0 { Cell::none() } else { Cell::number(calls) });
        table.push([
            Cell::duration(&clock, change.by()).with_sign(),
            Cell::share(share(change.by(), all.before)).with_sign(),
            Cell::duration(&clock, change.before),
            Cell::duration(&clock, change.after),
            calls_before,
            calls_after,
            Cell::text(&change.function),
        ]);
    }
    table.write(format, out)
}
