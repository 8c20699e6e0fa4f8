//! Call trees, which add up what a trace has on its tracks.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use spall_trace::{
    json::V8,
    model::{CallTree, Measure, Trace, TrackSet, TreeNode},
    samples::call_trees,
};

use crate::{
    error::{Error, Result},
    session::Session,
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
    let tree = CallTree::merged(call_trees(trace, &V8, tracks, measure).map(|of| of.tree));
    if tree.nodes().is_empty() {
        let on = match tracks {
            TrackSet::Threads => " on threads",
            TrackSet::Async => " but on threads",
            TrackSet::All => "",
        };
        return Err(Error::new(format_args!(
            "{title}: there are no slices and no samples{on} to add up. `spall info` says what is in a file."
        )));
    }
    let is_missing = match measure {
        // Time may be zero.
        Measure::WallTime => false,
        _ if measure.of_thread().is_some() => n_unmeasured(&tree) == n_slices(&tree),
        _ => tree.total().0 == 0,
    };
    if is_missing {
        let name = measure.name();
        return Err(Error::new(format_args!(
            "{title}: there is nothing to add up, as nothing in it has {name}. Without `--measure`, time is added up."
        )));
    }
    Ok(tree)
}

/// Says how many slices a tree has no value of.
pub(crate) fn tell_unmeasured(tree: &CallTree, measure: Measure, title: &str, session: &Session) {
    let n = n_unmeasured(tree);
    if n > 0 {
        session.tell(format_args!("{title}: {n} of {} slices have no {}", n_slices(tree), measure.name()));
    }
}

fn n_unmeasured(tree: &CallTree) -> u64 {
    tree.nodes().iter().map(|node: &TreeNode| node.unmeasured).sum()
}

fn n_slices(tree: &CallTree) -> u64 {
    tree.nodes().iter().map(|node: &TreeNode| node.count).sum()
}
