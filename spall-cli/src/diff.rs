//! `spall diff`: what got slower from one trace to another, by function.

use std::{
    io::{self, Write},
    path::PathBuf,
    str::FromStr,
};

use spall_trace::model::{Clock, Function, FunctionDiff, FunctionStats, Ticks, TraceView};

use crate::{
    error::{Error, Result},
    input::{Loaded, call_tree, load_one},
    output::to_stdout,
    picture::clean,
    session::Session,
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

/// The self time of a function in both traces, in ticks of the first.
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
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let [before, after] = files.map(|file| load_one(file, session));
    let (before, after) = (before?, after?);
    session.doing("comparing");
    let factor = ticks_of_before(&before, &after)?;
    let trees = (call_tree(&before.trace), call_tree(&after.trace));
    let diffs = FunctionDiff::of_traces((&trees.0, before.trace.names()), (&trees.1, after.trace.names()));
    let scaled = |time: Ticks| Ticks((time.0 as f64 * factor).round() as i64);
    let mut changes: Vec<_> = diffs.iter().map(|diff| change(diff, [&before, &after], scaled)).collect();
    changes.sort_by(|a, b| b.by().cmp(&a.by()).then_with(|| a.function.cmp(&b.function)));
    let all = Change {
        function: "(all functions)".into(),
        before: trees.0.total(),
        after: scaled(trees.1.total()),
        calls: [0; 2],
    };
    session.done();
    to_stdout(|out| print(&changes, &all, before.trace.clock(), count, format, out))?;

    let Some(Percent(allowed)) = allowed else { return Ok(()) };
    let grown = changes.first().into_iter().chain([&all]).max_by_key(|change| change.by());
    let (growth, function) =
        grown.map_or((0.0, ""), |change| (100.0 * share(change.by(), all.before), &change.function));
    if growth <= allowed {
        return Ok(());
    }
    let [before, after] = files.map(|file| file.display());
    Err(Error::new(format_args!(
        "{after}: {} takes {growth:.1} % of the time of {before} more, and --fail-above allows {allowed} %.",
        clean(function)
    )))
}

/// Returns the number of ticks of the first trace that a tick of the second lasts.
fn ticks_of_before(before: &Loaded, after: &Loaded) -> Result<f64> {
    let [a, b] = [before, after].map(|loaded| loaded.trace.clock());
    match (a.ns_per_tick(), b.ns_per_tick()) {
        (Some(a), Some(b)) => Ok(b / a),
        _ if a.unit == b.unit => Ok(1.0),
        _ => {
            let counted = |clock: Clock| clock.unit.counted().unwrap_or("nanoseconds").to_owned();
            Err(Error::new(format_args!(
                "{}: this file counts {}, and {} counts {}. Give two files that count the same.",
                after.path.display(),
                counted(b),
                before.path.display(),
                counted(a)
            )))
        }
    }
}

fn change(diff: &FunctionDiff, [before, after]: [&Loaded; 2], scaled: impl Fn(Ticks) -> Ticks) -> Change {
    let describe = |stats: Option<FunctionStats>, loaded: &Loaded| {
        stats.map(|FunctionStats { function, .. }: FunctionStats| Function::describe(function, &loaded.trace))
    };
    let self_time = |stats: Option<FunctionStats>| stats.map_or(Ticks::ZERO, |stats| stats.self_time);
    Change {
        function: describe(diff.after, after).or_else(|| describe(diff.before, before)).unwrap_or_default(),
        before: self_time(diff.before),
        after: scaled(self_time(diff.after)),
        calls: [diff.before, diff.after].map(|stats| stats.map_or(0, |stats| stats.count)),
    }
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
