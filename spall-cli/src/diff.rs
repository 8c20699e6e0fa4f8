//! `spall diff`: what got slower from one trace to another, by function.

use std::{
    io::{self, Write},
    path::PathBuf,
    str::FromStr,
};

use spall_trace::{
    Comparison,
    model::{Clock, FunctionDiff, Ticks, Trace, TrackSet},
};

use crate::{
    error::{Error, Result},
    input::{Loaded, load_one},
    selection::Selection,
    session::Session,
    shown::{short, to_stdout},
    sums::{SumChoice, compared},
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
    fn new(comparison: Comparison, traces: [&Trace; 2]) -> Self {
        let change = |diff: &FunctionDiff| {
            let [before, after] = diff.self_times();
            let calls = [diff.before, diff.after].map(|stats| stats.map_or(0, |stats| stats.count));
            Change { function: diff.describe(traces), before, after, calls }
        };
        let changes = comparison.functions(traces).iter().map(change).collect();
        let Comparison { tracks, trees, clock, .. } = comparison;
        let [before, after] = trees.map(|tree| tree.total());
        let all = Change { function: "(all functions)".into(), before, after, calls: [0; 2] };
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
    let traces = loaded.map(|loaded| &loaded.trace);
    let compared = compared(traces, &names, of.tracks, of.measure, session)?;
    let kinds: Vec<_> = compared.into_iter().map(|of| Kind::new(of, traces)).collect();
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
