//! CPU samples and slices of one thread, merged: one timeline, one call tree. \[cpu 4\]
//!
//! A sampling profiler says which functions were running at points in time; a trace says what the program did from
//! when to when. [`merge`] puts both on one timeline: what the samples found hangs below the slices that ran it, and
//! slices lie on the functions that called them. [`call_tree`] adds the same up by call path.
//!
//! Slices keep their recorded times; only those of functions are inferred, from samples to samples. What has to be
//! known of the runtime is in a table of [`Rules`].

mod outline;
mod rules;
mod stacks;
mod timeline;
mod tree;
mod walk;

use crate::{ByteRange, DiagnosticKind, Tick, Trace, TrackId, TrackKind};

pub use rules::{Callee, Rules};
pub use tree::{CallNode, CallTree};

use outline::Outline;
use stacks::Stacks;
use timeline::{RowSink, Timeline};
use tree::TreeSink;
use walk::{MIN_BUDGET, Walk};

/// What became of the samples of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// All of them.
    pub samples: u64,
    /// Those inside a slice that functions wait for: they count for the slice.
    pub frozen: u64,
    /// Those that only repeat what a slice says about its caller.
    pub echoes: u64,
    /// Stacks that contradict functions which a slice keeps in place.
    pub conflicts: u64,
    /// Those without a stack that were taken for the sample before them.
    pub fixed_missing: u64,
    /// Those of frames that the profile does not have.
    pub unknown_frame: u64,
    /// Functions left out because stacks were too deep for too many samples.
    pub left_out: u64,
}

/// Adds to each thread with a sampling profile the slices of the functions that its samples found.
///
/// Those are flagged [`crate::SliceFlags::SAMPLED`], and [`Trace::sampled`] knows more of them. A trace without
/// profiles is returned as it is; one that was merged before gets the same slices again.
///
/// O((n + m) log(n + m)) for n slices and m samples, and linear in the slices added. These are at most 256 for each
/// slice and sample, and 65536 more; functions beyond that are left out and counted as `slice-limit`.
///
/// ```
/// # use spall_model::{*, sample::Rules};
/// # fn example<'a>(trace: Trace<'a>, rules: &Rules) -> Trace<'a> {
/// let trace = spall_model::sample::merge(trace, rules);
/// let found = trace.slices().flags().iter().filter(|flags| flags.contains(SliceFlags::SAMPLED)).count();
/// # let _ = found; trace }
/// ```
#[must_use]
pub fn merge<'a>(mut trace: Trace<'a>, rules: &Rules) -> Trace<'a> {
    if trace.profiles.is_empty() {
        return trace;
    }
    let mut timeline = Timeline::new(&trace);
    let mut tracks = core::mem::take(&mut trace.tracks);
    let mut left_out = 0;
    let mut shared = Shared::default();
    // The walk looks tracks up in the trace, whose ranges stay the old ones until all are done.
    trace.tracks.clone_from(&tracks);
    for (track, id) in tracks.iter_mut().zip(0..) {
        let old = track.slices.clone();
        let start = timeline.len();
        if trace.profile_of(TrackId(id)).is_some() {
            let budget = shared.budget;
            let stacks = shared.stacks_of(&trace, TrackId(id), rules);
            let outline = Outline::new(&trace, TrackId(id), stacks, rules);
            let mut rows = RowSink::default();
            let done = Walk::new(&trace, rules, outline, budget, &mut rows).run();
            shared = Shared { stacks: done.stacks, budget: done.budget };
            left_out += done.stats.left_out;
            left_out += timeline.add(&trace, old, &rows, MAX_SLICES);
        } else {
            for slice in old {
                timeline.keep(&trace, crate::SliceId(slice));
            }
        }
        track.slices = start..timeline.len();
    }
    trace.tracks = tracks;
    timeline.replace(&mut trace);
    if left_out > 0 {
        trace.diagnostics.add(DiagnosticKind::SliceLimit, ByteRange::default());
    }
    trace
}

/// The slices that a trace can number.
const MAX_SLICES: u32 = u32::MAX - 1;

/// Adds up what ran on a thread by call path: slices of the trace, and functions that samples found.
///
/// Works on any thread, with a profile or without, and gives the same before and after [`merge`]. Slices that
/// overlap others and so lie on lanes of their own take no part.
///
/// O((n + m) log(n + m)) for n slices and m samples, and linear in the frames of the profile and the functions opened.
#[must_use]
pub fn call_tree(trace: &Trace<'_>, track: TrackId, rules: &Rules) -> CallTree {
    add_up(trace, track, Shared::default(), rules).0
}

/// The call trees of all threads, in the order of the tracks: what [`call_tree`] gives for each.
///
/// Linear in the frames of the trace, also where threads share them, and with the bounds of [`merge`] for all trees
/// together.
pub fn call_trees(trace: &Trace<'_>, rules: &Rules) -> impl Iterator<Item = (TrackId, CallTree)> {
    let threads = (0..).map(TrackId).zip(&trace.tracks);
    let threads = threads.filter(|(_, track)| matches!(track.kind, TrackKind::Thread { .. }));
    let mut shared = Shared::default();
    threads.map(move |(track, _)| {
        let (tree, left) = add_up(trace, track, core::mem::take(&mut shared), rules);
        shared = left;
        (track, tree)
    })
}

/// What the walks over the threads of a trace have in common.
struct Shared {
    /// Threads that share their frames share the stacks made of them.
    stacks: Stacks,
    /// How many more functions may be opened.
    budget: u64,
}

impl Default for Shared {
    fn default() -> Self {
        Self { stacks: Stacks::default(), budget: MIN_BUDGET }
    }
}

impl Shared {
    /// Makes the stacks those of a track's profile.
    fn stacks_of(self, trace: &Trace<'_>, track: TrackId, rules: &Rules) -> Stacks {
        match trace.profile_of(track) {
            Some(profile) if !self.stacks.are_of(profile) => Stacks::of_profile(trace, profile, rules),
            _ => self.stacks,
        }
    }
}

fn add_up(trace: &Trace<'_>, track: TrackId, shared: Shared, rules: &Rules) -> (CallTree, Shared) {
    let budget = shared.budget;
    let outline = Outline::new(trace, track, shared.stacks_of(trace, track, rules), rules);
    let range = outline.range;
    let mut sink = TreeSink::new(trace, range.map_or(Tick::MIN, |(start, _)| start));
    let done = Walk::new(trace, rules, outline, budget, &mut sink).run();
    (sink.finish(range, done.stats), Shared { stacks: done.stacks, budget: done.budget })
}
