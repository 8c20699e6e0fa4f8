//! `spall diff`: what got slower from one trace to another, by function.

use std::{
    io::{self, Write},
    path::PathBuf,
    str::FromStr,
};

use spall_trace::model::{
    CallTree, Clock, FunctionDiff, FunctionStats, Measure, Ticks, Trace, TraceView, TrackSet,
};

use crate::{
    error::{Error, Result},
    input::{Loaded, load_one},
    selection::Selection,
    session::Session,
    shown::{short, to_stdout},
    sums::{SumChoice, call_tree, tell_unmeasured},
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

/// How the functions of one kind of tracks changed.
struct Kind {
    tracks: TrackSet,
    clock: Clock,
    /// The most slowed down first.
    changes: Vec<Change>,
    all: Change,
}

impl Kind {
    fn new(tracks: TrackSet, loaded: [&Loaded; 2], trees: [CallTree; 2], clock: Clock) -> Self {
        let [before, after] = loaded.map(|loaded| &loaded.trace);
        let [tree_before, tree_after] = trees;
        let diffs = FunctionDiff::of_traces((&tree_before, before.names()), (&tree_after, after.names()));
        let describe = |stats: Option<FunctionStats>, trace: &Trace| Some(stats?.function.describe(trace));
        let self_time = |stats: Option<FunctionStats>| stats.map_or(Ticks::ZERO, |stats| stats.self_time);
        let change = |diff: &FunctionDiff| Change {
            function: describe(diff.after, after)
                .or_else(|| describe(diff.before, before))
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
        Self { tracks, clock, changes, all }
    }

    /// Returns what got slower the most, with the share of the time before that this is.
    fn most_slowed(&self) -> (f64, &Change) {
        let slowed = self.changes.first().filter(|change| change.by() > self.all.by()).unwrap_or(&self.all);
        (100.0 * share(slowed.by(), self.all.before), slowed)
    }
}

/// Prints the functions whose self time changed, the most slowed down first, for each kind of tracks by itself. This is an
/// error if more time than `allowed` was added to a function, or to all of a kind.
pub(crate) fn run(
    files: [&PathBuf; 2],
    allowed: Option<Percent>,
    count: usize,
    of: SumChoice,
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
    let loaded = [&before?, &after?];
    session.doing("comparing");
    let names = loaded.map(|loaded| loaded.path.display().to_string());
    let sets = match &of.tracks {
        Some(set) => std::slice::from_ref(set),
        None => &TrackSet::KINDS[..],
    };
    let mut kinds = Vec::new();
    for &tracks in sets {
        let [before, after] = [0, 1].map(|at| call_tree(&loaded[at].trace, tracks, of.measure, &names[at]));
        // What only one of them has is all added or all gone.
        let trees = match (before, after) {
            (Err(_), Err(_)) => continue,
            (before, after) => [before, after].map(Result::unwrap_or_default),
        };
        let (trees, clock) =
            in_one_unit(trees, loaded.map(|loaded| &loaded.trace), &names, of.measure, session)?;
        kinds.push(Kind::new(tracks, loaded, trees, clock));
    }
    let whole = of.tracks.unwrap_or(TrackSet::All);
    for at in [0, 1] {
        if !kinds.iter().any(|kind| [kind.all.before, kind.all.after][at] > Ticks::ZERO) {
            call_tree(&loaded[at].trace, whole, of.measure, &names[at])?;
        }
    }
    session.done();
    to_stdout(format.printed(), |out| print(&kinds, count, format, out))?;

    let Some(Percent(allowed)) = allowed else { return Ok(()) };
    let slowed = kinds.iter().map(|kind| (kind, kind.most_slowed()));
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
    let more = match kind.all.before {
        Ticks::ZERO => format!("takes time, of which {before} has none"),
        _ => format!("takes {growth:.1} % of the time of {before} more"),
    };
    Err(Error::new(format_args!("{after}: {function}{on} {more}, and --fail-above allows {allowed} %.")))
}

/// Returns two trees with times in the finer of their units, and the clock of that unit.
pub(crate) fn in_one_unit(
    trees: [CallTree; 2],
    traces: [&Trace; 2],
    names: &[String; 2],
    measure: Measure,
    session: &Session,
) -> Result<([CallTree; 2], Clock)> {
    let clocks = traces.map(|trace| measure.clock(trace.clock()));
    let found = CallTree::in_one_unit(trees, clocks);
    let (trees, clock) = found.ok_or_else(|| {
        let [before, after] = clocks.map(|clock| clock.unit.counted().unwrap_or("nanoseconds").to_owned());
        Error::new(format_args!(
            "{}: this file counts {after}, and {} counts {before}. Give two files that count the same.",
            names[1], names[0]
        ))
    })?;
    for (tree, name) in trees.iter().zip(names) {
        tell_unmeasured(tree, measure, name, session);
    }
    Ok((trees, clock))
}

/// Prints the sum of each kind of tracks, and of its functions the `count` that got slowest and as many that got fastest.
fn print(kinds: &[Kind], count: usize, format: TableFormat, out: &mut dyn Write) -> io::Result<()> {
    let columns = ["change", "share", "before", "after", "calls before", "calls after", "tracks", "function"];
    let mut table = Table::new(columns);
    for Kind { tracks, clock, changes, all } in kinds {
        let (slower, rest) = changes.split_at(changes.partition_point(|change| change.by() > Ticks::ZERO));
        let faster = &rest[rest.partition_point(|change| change.by() == Ticks::ZERO)..];
        let shown = slower.iter().take(count).chain(&faster[faster.len().saturating_sub(count)..]);
        for change in std::iter::once(all).chain(shown) {
            let [calls_before, calls_after] =
                change.calls.map(|calls| if calls == 0 { Cell::none() } else { Cell::number(calls) });
            table.push([
                Cell::duration(clock, change.by()).with_sign(),
                Cell::share(share(change.by(), all.before)).with_sign(),
                Cell::duration(clock, change.before),
                Cell::duration(clock, change.after),
                calls_before,
                calls_after,
                Cell::text(tracks.name()),
                Cell::text(&change.function),
            ]);
        }
    }
    table.write(format, out)
}
