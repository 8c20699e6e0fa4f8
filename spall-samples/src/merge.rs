//! The entry points, and what the walks over the threads of one trace share.

use spall_model::{SampleRules, Tick, Trace, TrackId, TrackKind};

use crate::{
    stacks::Stacks,
    thread::SampledThread,
    timeline::{self, Timeline},
    tree::{ThreadTree, TreeSink},
    walk::{MIN_BUDGET, Walk},
};

/// Adds to each thread with a sampling profile the slices of the functions that its samples found.
///
/// The added slices have [`SliceFlags::SAMPLED`](spall_model::SliceFlags::SAMPLED), and [`Trace::sampled`] says from
/// which call frame each was inferred. A trace without profiles is returned as it is. A trace that was merged before
/// gets the same slices again.
///
/// O((n + m) log(n + m)) for n slices and m samples, and linear in the slices added. These are at most 256 for each
/// slice and sample, and 65536 more; functions beyond that are left out and reported as `slice-limit`.
///
/// ```
/// # use spall_model::*;
/// # fn example<'a>(trace: Trace<'a>, rules: &SampleRules) -> Trace<'a> {
/// let trace = spall_samples::merge(trace, rules);
/// let found = trace.slices().flags().iter().filter(|flags| flags.contains(SliceFlags::SAMPLED)).count();
/// # let _ = found; trace }
/// ```
#[must_use]
pub fn merge<'a>(trace: Trace<'a>, rules: &SampleRules) -> Trace<'a> {
    if trace.profiles().is_empty() {
        return trace;
    }
    let mut shared = Shared::default();
    trace.with_slices(|trace, id, slices| {
        let Some(track) = trace.tracks().get(id.index()) else { return };
        if trace.profile_of(id).is_none() {
            trace.slices_of(track.id).for_each(|(id, slice)| timeline::keep(slices, id, &slice));
            return;
        }
        let budget = shared.budget;
        let stacks = core::mem::take(&mut shared).stacks_of(trace, id, rules);
        let thread = SampledThread::new(trace, id, stacks, rules);
        let mut timeline = Timeline::default();
        let done = Walk::new(trace, rules, thread, budget, &mut timeline).run();
        shared = Shared { stacks: done.stacks, budget: done.budget };
        let is_complete = timeline.write(trace, track, slices);
        if done.stats.left_out > 0 || !is_complete {
            slices.mark_incomplete();
        }
    })
}

/// Adds up what ran on a thread by call path: slices of the trace, and functions that samples found.
///
/// Works on any thread, with a profile or without, and gives the same before and after [`merge`]. Slices that
/// overlap others partially, and so are on lanes of their own, take no part.
///
/// O((n + m) log(n + m)) for n slices and m samples, and linear in the frames of the profile and the functions opened.
#[must_use]
pub fn call_tree(trace: &Trace<'_>, track: TrackId, rules: &SampleRules) -> ThreadTree {
    build_tree(trace, track, Shared::default(), rules).0
}

/// Returns the call trees of all threads, in the order of the tracks: for each what [`call_tree`] returns.
///
/// Linear in the frames of the trace, also where threads share them, and with the bounds of [`merge`] for all trees
/// together.
pub fn call_trees(trace: &Trace<'_>, rules: &SampleRules) -> impl Iterator<Item = ThreadTree> {
    let threads = (0..).map(TrackId).zip(trace.tracks());
    let threads = threads.filter(|(_, track)| matches!(track.kind, TrackKind::Thread { .. }));
    let mut shared = Shared::default();
    threads.map(move |(track, _)| {
        let (tree, left) = build_tree(trace, track, core::mem::take(&mut shared), rules);
        shared = left;
        tree
    })
}

/// What the walks over the threads of a trace share.
struct Shared {
    /// The stacks of the last profile: threads that share their frames share the stacks made of them.
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
    /// Returns the stacks of a track's profile.
    fn stacks_of(self, trace: &Trace<'_>, track: TrackId, rules: &SampleRules) -> Stacks {
        match trace.profile_of(track) {
            Some(profile) if !self.stacks.are_of(profile) => Stacks::of_profile(trace, profile, rules),
            _ => self.stacks,
        }
    }
}

fn build_tree(
    trace: &Trace<'_>,
    track: TrackId,
    shared: Shared,
    rules: &SampleRules,
) -> (ThreadTree, Shared) {
    let budget = shared.budget;
    let thread = SampledThread::new(trace, track, shared.stacks_of(trace, track, rules), rules);
    let range = thread.range.map(|(start, end)| start..end);
    let mut sink = TreeSink::new(trace, range.as_ref().map_or(Tick::MIN, |range| range.start));
    let done = Walk::new(trace, rules, thread, budget, &mut sink).run();
    let tree = sink.finish(range.as_ref().map(|range| range.end));
    (
        ThreadTree { track, tree, range, stats: done.stats },
        Shared { stacks: done.stacks, budget: done.budget },
    )
}
