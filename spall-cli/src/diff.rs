//! `spall diff`: what got slower from one trace to another, or from one group of runs to another, by function.

use std::{
    io::{self, Write},
    path::PathBuf,
    str::FromStr,
};

use spall_trace::{
    CompareError, Comparison, RunDiff, RunSums, Spread, compare_runs,
    model::{Clock, FunctionDiff, Ticks, Trace, TrackSet},
};

use crate::{
    error::{Error, Result},
    input::{Input, Loaded, inputs, nothing},
    selection::Selection,
    session::Session,
    shown::{short, to_stdout},
    sums::{SumChoice, compared, counts_else},
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

/// What is compared, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Choice {
    /// End with status 1 if a function, or all of them together, got slower by more than this share of the time of BEFORE; in
    /// groups of runs, only if that is beyond noise
    #[arg(long, value_name = "PERCENT")]
    fail_above: Option<Percent>,
    /// Compare this percentile of the durations of the calls of each function instead of self times; shares are of its own
    /// percentile in BEFORE
    #[arg(long, value_name = "PERCENT", conflicts_with = "measure")]
    percentile: Option<Percent>,
    /// Leave out functions that are called less often than this in both, as the median of the runs
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_calls: u64,
    /// How many slower functions to list, and how many faster ones
    #[arg(short = 'n', long, default_value_t = 20, value_name = "N")]
    count: usize,
}

/// How the functions of one kind of tracks changed.
struct Kind {
    tracks: TrackSet,
    clock: Clock,
    /// The most slowed down first.
    changes: Vec<RunDiff>,
    /// The change of all together, if values add up.
    all: Option<RunDiff>,
}

impl Kind {
    fn new(comparison: Comparison, traces: [&Trace; 2]) -> Self {
        let change = |diff: &FunctionDiff| {
            let calls = [diff.before, diff.after].map(|stats| stats.map_or(0, |stats| stats.count));
            let [before, after] = diff.self_times();
            let groups = [Spread::of_one(before, calls[0]), Spread::of_one(after, calls[1])];
            RunDiff::new(diff.describe(traces), groups)
        };
        let changes = comparison.functions(traces).iter().map(change).collect();
        let Comparison { tracks, trees, clock, .. } = comparison;
        let groups = trees.map(|tree| Spread::of_one(tree.total(), 0));
        Self { tracks, clock, changes, all: Some(RunDiff::new("(all functions)".into(), groups)) }
    }

    /// Returns the share of the time before that a change is.
    fn share(&self, change: &RunDiff) -> f64 {
        share(change.change(), self.all.as_ref().unwrap_or(change).groups[0].median)
    }

    /// Returns what got slower the most and beyond noise, with the percentage of the time before that this is.
    fn most_slowed(&self) -> Option<(f64, &RunDiff)> {
        let beyond = self.all.iter().chain(&self.changes).filter(|change| change.is_beyond_noise());
        // The first of two that got slower by the same share.
        beyond.map(|change| (100.0 * self.share(change), change)).reduce(|a, b| if b.0 > a.0 { b } else { a })
    }
}

/// Prints the functions whose value changed, the most slowed down first, for each kind of tracks by itself. This is an error if
/// more time than is allowed was added to a function, or to all of a kind.
pub(crate) fn run(
    files: [&PathBuf; 2],
    choice: &Choice,
    of: SumChoice,
    selection: &Selection,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let groups = [inputs(std::slice::from_ref(files[0]))?, inputs(std::slice::from_ref(files[1]))?];
    let names = files.map(|file| match file.as_os_str() == "-" {
        true => crate::input::STDIN.to_owned(),
        false => file.display().to_string(),
    });
    let is_pair =
        groups.iter().all(|group| group.len() == 1) && choice.percentile.is_none() && choice.min_calls == 0;
    let kinds = if is_pair {
        let load = |input: &Input| -> Result<Loaded> {
            let loaded = input.load_or_fail(session)?;
            loaded.tell(session);
            let title = loaded.name();
            let trace = selection.of(loaded.trace, &title, session)?;
            Ok(Loaded { trace, ..loaded })
        };
        let loaded = [load(&groups[0][0])?, load(&groups[1][0])?];
        session.doing("comparing");
        let traces = loaded.each_ref().map(|loaded| &loaded.trace);
        let compared = compared(traces, &names, of.tracks, of.measure, session)?;
        compared.into_iter().map(|of| Kind::new(of, traces)).collect()
    } else {
        of_runs(&groups, files, &names, choice, of, selection, session)?
    };
    session.done();
    to_stdout(format.printed(), |out| match is_pair {
        true => print(&kinds, choice.count, format, out),
        false => print_runs(&kinds, choice.count, format, out),
    })?;

    let Some(Percent(allowed)) = choice.fail_above else { return Ok(()) };
    let slowed = kinds.iter().filter_map(|kind| Some((kind, kind.most_slowed()?)));
    let slowed = slowed.filter(|(_, (growth, _))| *growth > allowed);
    let Some((kind, (growth, change))) = slowed.max_by(|a, b| a.1.0.total_cmp(&b.1.0)) else {
        return Ok(());
    };
    let [before, after] = &names;
    let on = match kind.tracks {
        TrackSet::Async => " beside threads",
        TrackSet::Threads | TrackSet::All => "",
    };
    let function = short(&change.function);
    let whole = kind.all.as_ref().unwrap_or(change).groups[0].median;
    let more = match whole {
        Ticks::ZERO => format!("takes time, of which {before} has none"),
        _ if kind.all.is_none() => format!("takes {growth:.1} % longer than in {before}"),
        _ => format!("takes {growth:.1} % of the time of {before} more"),
    };
    Err(Error::new(format_args!("{after}: {function}{on} {more}, and --fail-above allows {allowed} %.")))
}

/// Compares two groups of runs, of which one is in memory at a time.
fn of_runs(
    groups: &[Vec<Input>; 2],
    files: [&PathBuf; 2],
    names: &[String; 2],
    choice: &Choice,
    of: SumChoice,
    selection: &Selection,
    session: &Session,
) -> Result<Vec<Kind>> {
    let sets = of.tracks.as_ref().map_or(&TrackSet::KINDS[..], std::slice::from_ref);
    let mut runs: Vec<[Vec<Option<RunSums>>; 2]> = sets.iter().map(|_| Default::default()).collect();
    for (at, group) in groups.iter().enumerate() {
        for input in group {
            let Some(loaded) = input.load(session)? else { continue };
            loaded.tell(session);
            let title = loaded.name();
            let trace = selection.of(loaded.trace, &title, session)?;
            session.doing(format_args!("adding up {title}"));
            // Calls that samples found have durations once they are slices.
            let trace = if choice.percentile.is_some() { spall_trace::merge_samples(trace) } else { trace };
            for (set, runs) in sets.iter().zip(&mut runs) {
                runs[at].push(match choice.percentile {
                    Some(Percent(percent)) => RunSums::percentiles(&trace, *set, percent),
                    None => RunSums::self_times(&trace, *set, of.measure),
                });
            }
        }
        if runs.iter().all(|runs| runs[at].is_empty()) {
            return Err(nothing(std::slice::from_ref(files[at])));
        }
        if runs.iter().all(|runs| runs[at].iter().all(Option::is_none)) {
            return Err(Error::new(format_args!(
                "{}: there is nothing to add up in these traces. `spall info` says what is in a file.",
                names[at]
            )));
        }
    }
    let mut kinds = Vec::new();
    for (&tracks, [before, after]) in sets.iter().zip(&runs) {
        let found = compare_runs([before, after], choice.min_calls).map_err(|error| match error {
            CompareError::Units { before, after } => counts_else(names, before, after),
            error => Error::new(format_args!("{}: {error}.", names[1])),
        })?;
        if let Some(found) = found {
            kinds.push(Kind { tracks, clock: found.clock, changes: found.functions, all: found.all });
        }
    }
    Ok(kinds)
}

/// Returns the rows of a kind: the sum, and the `count` that got slowest and as many that got fastest.
fn rows(kind: &Kind, count: usize) -> impl Iterator<Item = &RunDiff> {
    let changes = &kind.changes;
    let (slower, rest) = changes.split_at(changes.partition_point(|change| change.change() > Ticks::ZERO));
    let faster = &rest[rest.partition_point(|change| change.change() == Ticks::ZERO)..];
    let shown = slower.iter().take(count).chain(&faster[faster.len().saturating_sub(count)..]);
    kind.all.iter().chain(shown)
}

fn calls(spread: Spread) -> Cell {
    if spread.calls == 0 { Cell::none() } else { Cell::number(spread.calls) }
}

/// Prints the rows of each kind of tracks of two traces.
fn print(kinds: &[Kind], count: usize, format: TableFormat, out: &mut dyn Write) -> io::Result<()> {
    let columns = ["change", "share", "before", "after", "calls before", "calls after", "tracks", "function"];
    let mut table = Table::new(columns);
    for kind in kinds {
        for change in rows(kind, count) {
            let [before, after] = change.groups;
            table.push([
                Cell::duration(&kind.clock, change.change()).with_sign(),
                Cell::share(kind.share(change)).with_sign(),
                Cell::duration(&kind.clock, before.median),
                Cell::duration(&kind.clock, after.median),
                calls(before),
                calls(after),
                Cell::text(kind.tracks.name()),
                Cell::text(&change.function),
            ]);
        }
    }
    table.write(format, out)
}

/// Prints the rows of each kind of tracks of two groups of runs.
fn print_runs(kinds: &[Kind], count: usize, format: TableFormat, out: &mut dyn Write) -> io::Result<()> {
    let columns = [
        "change",
        "share",
        "noise",
        "before",
        "spread before",
        "after",
        "spread after",
        "calls before",
        "calls after",
        "tracks",
        "function",
    ];
    let mut table = Table::new(columns);
    for kind in kinds {
        let spread = |of: Spread| {
            let [min, max] = [of.min, of.max].map(|value| Cell::duration(&kind.clock, value));
            let text = format!("{} to {}", min.shown(), max.shown());
            Cell::new(vec![min.value().clone(), max.value().clone()], text)
        };
        for change in rows(kind, count) {
            let [before, after] = change.groups;
            table.push([
                Cell::duration(&kind.clock, change.change()).with_sign(),
                Cell::share(kind.share(change)).with_sign(),
                Cell::text(if change.is_beyond_noise() { "beyond" } else { "within" }),
                Cell::duration(&kind.clock, before.median),
                spread(before),
                Cell::duration(&kind.clock, after.median),
                spread(after),
                calls(before),
                calls(after),
                Cell::text(kind.tracks.name()),
                Cell::text(&change.function),
            ]);
        }
    }
    table.write(format, out)
}
