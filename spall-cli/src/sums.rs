//! Call trees, which add up what a trace has on its tracks.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use spall_trace::{
    CompareError, Comparison, compare,
    model::{CallTree, Function, Measure, Trace, TraceView, TrackSet, Unit},
};

use crate::{
    error::{Error, Result},
    session::Session,
    shown::short,
};

/// What call trees add up, and of which tracks, as the user chose it.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SumChoice {
    /// What is added up: time, or the time in which threads were running, or another number
    #[arg(long, value_name = "MEASURE", default_value = Measure::WallTime.name(), value_parser = measures())]
    pub(crate) measure: Measure,
    /// The tracks that are added up: threads, those that are no threads, such as async spans, or all. Without it, threads are, or
    /// all if they have nothing
    #[arg(long, value_name = "TRACKS", value_parser = track_sets())]
    pub(crate) tracks: Option<TrackSet>,
}

fn measures() -> impl TypedValueParser<Value = Measure> {
    PossibleValuesParser::new(Measure::ALL.map(Measure::name))
        .map(|name| Measure::of_name(&name).unwrap_or_default())
}

fn track_sets() -> impl TypedValueParser<Value = TrackSet> {
    PossibleValuesParser::new(TrackSet::ALL.map(TrackSet::name))
        .map(|name| TrackSet::of_name(&name).unwrap_or_default())
}

impl SumChoice {
    /// Returns the tracks of a trace that are added up. Says what is left out, unless somebody chose that.
    pub(crate) fn tracks_of(self, trace: &Trace, title: &str, session: &Session) -> TrackSet {
        self.tracks.unwrap_or_else(|| {
            let tracks = trace.shown_tracks();
            let left_out = match trace.n_left_out(tracks) {
                0 => return tracks,
                1 => "1 slice on another track is left out".to_owned(),
                n => format!("{n} slices on other tracks are left out"),
            };
            session.tell(format_args!(
                "{title}: only threads are added up, and {left_out}. \
                 `--tracks async` adds up the others, `--tracks all` everything"
            ));
            tracks
        })
    }
}

/// Adds up a measure of the slices and samples of tracks by call path. It is an error if they have none of it.
pub(crate) fn call_tree(trace: &Trace, tracks: TrackSet, measure: Measure, title: &str) -> Result<CallTree> {
    let tree = spall_trace::merged_call_tree(trace, tracks, measure);
    if tree.has(measure) { Ok(tree) } else { Err(nothing(&tree, tracks, measure, title)) }
}

/// Returns the function of a tree that a text means: the one of this name, or the one with this text in its name.
pub(crate) fn function(tree: &CallTree, trace: &Trace, text: &str, title: &str) -> Result<Function> {
    let all: Vec<_> =
        tree.functions().iter().map(|stats| (stats.function, stats.function.describe(trace))).collect();
    let fitting = |fits: &dyn Fn(&Function, &str) -> bool| -> Vec<&(Function, String)> {
        all.iter().filter(|(function, name)| fits(function, name)).collect()
    };
    let mut found = fitting(&|function, name| name == text || trace.name(function.name) == text);
    if found.is_empty() {
        let contains = spall_trace::ignoring_case(text);
        found = fitting(&|_, name| contains(name));
    }
    match found[..] {
        [(function, _)] => Ok(*function),
        [] => {
            let closest = spall_view::closest(text, all.into_iter().map(|(_, name)| name));
            let closest: Vec<_> = closest.iter().map(|name| short(name)).collect();
            Err(Error::new(format_args!(
                "{title}: no function fits \"{text}\". The closest: {}.",
                closest.join(", ")
            )))
        }
        _ => {
            let names: Vec<_> = found.iter().take(8).map(|(_, name)| short(name)).collect();
            Err(Error::new(format_args!(
                "{title}: {} functions fit \"{text}\". Give the whole name of one, such as {}.",
                found.len(),
                names.join(", ")
            )))
        }
    }
}

/// Returns the error for a tree that has nothing of its measure.
fn nothing(tree: &CallTree, tracks: TrackSet, measure: Measure, title: &str) -> Error {
    if !tree.nodes().is_empty() {
        let name = measure.name();
        return Error::new(format_args!(
            "{title}: there is nothing to add up, as nothing in it has {name}. Without `--measure`, time is added up."
        ));
    }
    let on = match tracks {
        TrackSet::Threads => " on threads",
        TrackSet::Async => " but on threads",
        TrackSet::All => "",
    };
    Error::new(format_args!(
        "{title}: there are no slices and no samples{on} to add up. `spall info` says what is in a file."
    ))
}

/// Compares two traces on a set of tracks, or on each kind of tracks by itself, and says what has no measure.
pub(crate) fn compared(
    traces: [&Trace; 2],
    names: &[String; 2],
    tracks: Option<TrackSet>,
    measure: Measure,
    session: &Session,
) -> Result<Vec<Comparison>> {
    let all = tracks.unwrap_or(TrackSet::All);
    let found = compare(traces, tracks, measure).map_err(|error| match error {
        CompareError::Nothing { is_after } => {
            let at = usize::from(is_after);
            nothing(&spall_trace::merged_call_tree(traces[at], all, measure), all, measure, &names[at])
        }
        CompareError::Units { before, after } => counts_else(names, before, after),
        error => Error::new(format_args!("{}: {error}.", names[1])),
    })?;
    for (tree, name) in found.iter().flat_map(|of| of.trees.iter().zip(names)) {
        tell_unmeasured(tree, measure, name, session);
    }
    Ok(found)
}

/// Returns the error for two traces that count different things.
pub(crate) fn counts_else(names: &[String; 2], before: Unit, after: Unit) -> Error {
    let [before, after] = [before, after].map(|unit| unit.counted().unwrap_or("nanoseconds").to_owned());
    Error::new(format_args!(
        "{}: this file counts {after}, and {} counts {before}. Give two files that count the same.",
        names[1], names[0]
    ))
}

/// Says how many slices a tree has no value of.
pub(crate) fn tell_unmeasured(tree: &CallTree, measure: Measure, title: &str, session: &Session) {
    let n_unmeasured: u64 = tree.nodes().iter().map(|node| node.unmeasured).sum();
    if n_unmeasured > 0 {
        let n_slices: u64 = tree.nodes().iter().map(|node| node.count).sum();
        session.tell(format_args!("{title}: {n_unmeasured} of {n_slices} slices have no {}", measure.name()));
    }
}
