//! The functions that merge whole threads, and the state that the walks over the threads of one trace share.

use alloc::{string::String, vec::Vec};

use spall_model::{Measure, Profile, SampleRules, Tick, Trace, Track, TrackId, TrackSet};

use crate::{
    lanes::for_each_place,
    names::{name_of, parts_by_name},
    native::enclose,
    slice_tree::SliceTree,
    stacks::Stacks,
    thread::SampledThread,
    timeline::{self, Timeline},
    tree::{TrackTree, TreeSink, converted},
    walk::{BUDGET_PER_ITEM, MergeStats, Shared, Walk},
};

/// Returns the trace with slices for the functions that the samples of each thread found.
///
/// The added slices have [`SliceFlags::SAMPLED`](spall_model::SliceFlags::SAMPLED), and [`Trace::sampled`] says from
/// which call frame each was inferred. A trace without profiles is returned as it is. A trace that was merged before
/// gets the same slices again.
///
/// This takes O((n + m) log(n + m)) for n slices and m samples, and time in proportion to the slices added. At most
/// 256 are added for each slice and sample, and 65536 more. Functions beyond that are left out and reported as
/// [`DiagnosticKind::SliceLimit`](spall_model::DiagnosticKind::SliceLimit).
///
/// ```
/// use spall_model::{
///     Event, Id, Limits, ProfileEvent, ProfileKey, ProfilePart, ProfileStart, SampleEvent, SampleRules, SampleStack,
///     SliceFlags, Thread, Tick, Ticks, TraceBuilder,
/// };
/// # use spall_model::{FrameEvent, FrameParent, Text};
///
/// // A profile with a call frame `draw`, and two samples that found it.
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let part = ProfilePart::new(Thread::new(1, 1), ProfileKey::Number(0), Tick(0));
/// # let draw = FrameEvent::new(part, Id::Number(1), FrameParent::Unknown, Text::from("draw"));
/// let mut head = ProfileEvent::new(part);
/// (head.begins, head.end) = (Some(ProfileStart::new(Tick(0), Ticks(1))), Some(Tick(30)));
/// for event in [
///     Event::Profile(head),
///     Event::Frame(draw),
///     Event::Sample(SampleEvent::new(part, Tick(10), SampleStack::Frame(draw.id))),
///     Event::Sample(SampleEvent::new(part, Tick(20), SampleStack::Frame(draw.id))),
/// ] {
///     builder.push(&event);
/// }
/// let trace = spall_samples::merge(builder.finish(), &SampleRules::NONE);
/// let slices = trace.slices();
/// assert_eq!((slices.starts(), slices.ends()), (&[Tick(10)][..], &[Tick(30)][..]));
/// assert!(slices.flags()[0].contains(SliceFlags::SAMPLED));
/// ```
#[must_use]
pub fn merge(trace: Trace, rules: &SampleRules) -> Trace {
    if trace.profiles().is_empty() {
        return trace;
    }
    let mut shared = Shared::default();
    trace.with_slices(|trace, id, slices| {
        let Some(track) = trace.tracks().get(id.index()) else { return };
        if trace.profile_of(id).is_none() {
            track.slices().iter().for_each(|id| timeline::keep(trace, id, slices));
            return;
        }
        let budget = shared.budget;
        let (thread, rules) = prepare(trace, id, core::mem::take(&mut shared), rules);
        let mut timeline = Timeline::default();
        let (stats, left) = Walk::new(trace, rules, thread, budget, &mut timeline).run();
        shared = left;
        let is_complete = timeline.write(trace, track, slices);
        if stats.left_out > 0 || !is_complete {
            slices.mark_incomplete();
        }
    })
}

/// Returns the call tree of a track: its slices, and the functions that its samples found, added up by call path.
///
/// This works for any track, with a profile or without, and returns the same tree before and after [`merge`]. Slices
/// that overlap others are below those around them in their own lane. [tree 1](spall_model::rules::tree#1) The tree is empty
/// if the trace has no such track.
///
/// This takes O((n + m) log(n + m)) for n slices and m samples, and time in proportion to the frames of the profile
/// and the functions opened.
///
/// ```
/// use spall_model::{
///     Event, Limits, SampleRules, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId,
/// };
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (name, at, duration) in [("frame", 0, 100), ("draw", 10, 40)] {
///     let event = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from(name));
///     builder.push(&Event::Complete(event, Ticks(duration)));
/// }
/// let trace = builder.finish();
/// let thread = spall_samples::call_tree(&trace, TrackId(0), &SampleRules::NONE);
/// let self_times: Vec<_> = thread.tree.nodes().iter().map(|node| node.self_time).collect();
/// assert_eq!(self_times, [Ticks(60), Ticks(40)]);
/// ```
#[doc(alias("flamegraph", "flame graph"))]
#[must_use]
pub fn call_tree(trace: &Trace, track: TrackId, rules: &SampleRules) -> TrackTree {
    if trace.profile_of(track).is_none() {
        return slice_tree(trace, track, Shared::default(), Measure::WallTime).0;
    }
    let shared = Shared::default();
    let budget = shared.budget;
    let named = (track, name_of(trace, track).into_owned());
    sampled_tree(trace, named, prepare(trace, track, shared, rules), budget, Measure::WallTime).0
}

/// Iterates over the call trees of all tracks of a set that have slices or samples, in their order, with times that are sums
/// of `measure`. Each is the tree that [`call_tree`] returns, but a thread without slices that gets another name has a tree
/// for each of its names. [samples 6](spall_model::rules::samples#6) [tree 7](spall_model::rules::tree#7)
///
/// Frames that threads share are read only once, so that this takes time in proportion to the frames of the trace.
/// The bounds of [`merge`] hold for all trees together. [`CallTree::merged`](spall_model::CallTree::merged) makes one
/// tree of them.
///
/// ```
/// use spall_model::{Measure, SampleRules, Ticks, TrackSet, TraceView};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for at in [0, 10, 20] {
/// #     let event = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("draw"));
/// #     builder.push(&Event::Complete(event, Ticks(5)));
/// # }
/// # let trace = builder.finish(); // draw three times
/// let trees = |measure| spall_samples::call_trees(&trace, &SampleRules::NONE, TrackSet::Threads, measure);
/// assert_eq!(trees(Measure::Count).next().unwrap().tree.total(), Ticks(3));
/// let cpu = trees(Measure::ThreadTime).next().unwrap();
/// assert_eq!((cpu.tree.total(), cpu.tree.nodes()[0].unmeasured), (Ticks(0), 3), "the events do not say it");
/// ```
pub fn call_trees(
    trace: &Trace,
    rules: &SampleRules,
    tracks: TrackSet,
    measure: Measure,
) -> impl Iterator<Item = TrackTree> {
    let has_sums = |track: &&Track| !track.slices().is_empty() || trace.profile_of(track.id).is_some();
    let mut shared = Shared::default();
    trace.tracks_in(tracks).filter(has_sums).flat_map(move |track| {
        let (trees, left) = build_trees(trace, track.id, core::mem::take(&mut shared), rules, measure);
        shared = left;
        trees
    })
}

/// Returns the slices and samples of a track, and the rules for them: samples with shared frames are of native code, of
/// which no runtime's rules hold. [cpu 5](crate::rules::cpu#5)
fn prepare<'r>(
    trace: &Trace,
    track: TrackId,
    shared: Shared,
    rules: &'r SampleRules,
) -> (SampledThread, &'r SampleRules) {
    let is_native = trace.profile_of(track).is_some_and(Profile::frames_are_shared);
    let rules = if is_native { &SampleRules::NONE } else { rules };
    let mut thread = SampledThread::new(trace, track, shared.stacks_of(trace, track, rules), rules);
    if is_native {
        enclose(trace, &mut thread);
    }
    (thread, rules)
}

impl Shared {
    /// Returns the stacks of a track's profile; those of the last profile if they are the same or the track has none.
    fn stacks_of(self, trace: &Trace, track: TrackId, rules: &SampleRules) -> Stacks {
        match trace.profile_of(track) {
            Some(profile) if !self.stacks.are_of(profile) => Stacks::of_profile(trace, profile, rules),
            _ => self.stacks,
        }
    }
}

/// Returns the call trees of a thread, one for each of its names, and the state to pass on.
fn build_trees(
    trace: &Trace,
    track: TrackId,
    shared: Shared,
    rules: &SampleRules,
    measure: Measure,
) -> (Vec<TrackTree>, Shared) {
    if trace.profile_of(track).is_none() {
        let (tree, shared) = slice_tree(trace, track, shared, measure);
        return (Vec::from([tree]), shared);
    }
    let budget = shared.budget;
    let (mut thread, rules) = prepare(trace, track, shared, rules);
    let mut shared = Shared { stacks: core::mem::take(&mut thread.stacks), budget };
    let mut parts = parts_by_name(trace, &thread, track);
    if parts.is_empty() {
        parts.push((name_of(trace, track).into_owned(), thread));
    }
    let parts = parts.into_iter().map(|(name, mut thread)| {
        thread.stacks = core::mem::take(&mut shared.stacks);
        let (tree, left) = sampled_tree(trace, (track, name), (thread, rules), shared.budget, measure);
        shared = left;
        tree
    });
    (parts.collect(), shared)
}

/// Returns the call tree of a thread with samples under a name, and the state to pass on.
fn sampled_tree(
    trace: &Trace,
    (track, name): (TrackId, String),
    (thread, rules): (SampledThread, &SampleRules),
    budget: u64,
    measure: Measure,
) -> (TrackTree, Shared) {
    let range = thread.range.map(|(start, end)| start..end);
    let start = range.as_ref().map_or(Tick::MIN, |range| range.start);
    let has_overflow = thread.has_overflow;
    let mut sink = TreeSink::new(trace, start, measure, !thread.slices.is_empty());
    let (stats, shared) = Walk::new(trace, rules, thread, budget, &mut sink).run();
    let builder = sink.finish(range.as_ref().map(|range| range.end));
    let mut tree = SliceTree::new(trace, builder, measure);
    if has_overflow {
        for_each_place(trace, track, |id, slice, place| {
            if place.lane > 0 {
                tree.add(id, slice, &place);
            }
        });
    }
    let tree = converted(tree.finish(), measure);
    (TrackTree { track, name, tree, range, stats }, shared)
}

/// Returns the call tree of a track without samples, and the state to pass on.
fn slice_tree(trace: &Trace, track: TrackId, shared: Shared, measure: Measure) -> (TrackTree, Shared) {
    let (tree, range, n_slices) = SliceTree::of_track(trace, track, measure);
    let (name, tree) = (name_of(trace, track).into_owned(), converted(tree, measure));
    let tree = TrackTree { track, name, tree, range, stats: MergeStats::default() };
    (tree, Shared { budget: shared.budget + BUDGET_PER_ITEM * n_slices, ..shared })
}
