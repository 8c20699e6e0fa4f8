//! The slices and the samples of a thread in the form that the walk needs: slices with their nesting, and samples
//! with the slice around them.
#![allow(clippy::indexing_slicing, reason = "slices and samples are numbered by this module")]

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use spall_model::{NameId, Profile, SampleRules, SliceId, Tick, Trace, TraceView, TrackId, Weights};

use crate::callers::Callers;
use crate::lanes::placed;
use crate::stacks::{FrameRole, Function, Stack, Stacks};

/// A slice in lane 0 of the thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct NestedSlice {
    pub(super) id: SliceId,
    pub(super) start: Tick,
    pub(super) end: Tick,
    /// Whether `end` is only the time up to which the slice is drawn, because the file does not have its end.
    open_ended: bool,
    /// The innermost slice around it, as a position in [`SampledThread::slices`].
    pub(super) parent: Option<u32>,
    /// The outermost invocation around the slice, which may be the slice itself; `None` if there is none.
    call: Option<u32>,
    pub(super) role: SliceRole,
    /// The call frame that ran when the slice began, as a position in the profile; `None` if the file does not say.
    pub(super) caller: Option<u32>,
    /// The functions that enclose the slice, if they are functions of a native program. [cpu 5](crate::rules::cpu#5)
    pub(super) enclosing: Option<Stack>,
    /// The first sample in the slice, without those inside of invocations in the slice; `None` if there is none.
    pub(super) first: Option<u32>,
    /// The first such sample that has a stack and is not an echo; `None` if there is none.
    pub(super) first_stack: Option<u32>,
}

impl NestedSlice {
    /// Returns whether the slice is over at a time. An open-ended slice is not over at the time up to which it is
    /// drawn.
    pub(super) fn is_over(&self, at: Tick) -> bool {
        self.end < at || self.end == at && !self.open_ended
    }
}

/// The meaning of a slice for the call stack, which its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SliceRole {
    /// The runtime calls functions in the slice. With `reset`, the slice is also a task.
    Invocation { reset: bool },
    /// The slice is a task of an event loop. Functions that began before it do not run on in it.
    Reset,
    /// The slice is called by the functions around it, like any other.
    Other,
}

impl SliceRole {
    pub(super) fn is_invocation(self) -> bool {
        matches!(self, Self::Invocation { .. })
    }
}

/// A sample with its place among the slices.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedSample {
    pub(super) at: Tick,
    pub(super) observed: Observation,
    /// The weight of the sample: in sums it counts as this many samples.
    pub(super) weight: f64,
    /// Whether the sample was taken because a slice began, and only repeats the caller of that slice.
    pub(super) is_echo: bool,
    /// The innermost call frame, as a position in the profile; `None` if the profile does not have it.
    frame: Option<u32>,
    /// Whether the profiler may have failed to read the stack.
    unreadable: bool,
    /// Whether the sample found a function in a stack.
    known: bool,
    /// The innermost slice around the sample; `None` if there is none.
    pub(super) slice: Option<u32>,
}

impl PlacedSample {
    /// Returns whether the profile does not have the frame.
    pub(super) fn is_unknown(&self) -> bool {
        self.frame.is_none()
    }
}

/// The finding of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Observation {
    /// This stack was running; nothing ran if it is empty.
    Stack(Stack),
    /// This function was running, on top of whatever ran before.
    OnTop(Function),
    /// This stack was running, without the functions that called it. [cpu 5.3](crate::rules::cpu#5.3)
    CutOff(Stack),
    /// This is no sample: the one before it holds no longer. [samples 2](spall_model::rules::samples#2)
    Gap,
}

impl Observation {
    /// Returns the whole stack; empty if it is not known.
    pub(super) fn stack(self) -> Stack {
        match self {
            Self::Stack(stack) => stack,
            Self::OnTop(_) | Self::CutOff(_) | Self::Gap => Stack::EMPTY,
        }
    }
}

/// The slices and the samples of one thread.
#[derive(Debug)]
pub(super) struct SampledThread {
    /// The slices in lane 0, in display order.
    pub(super) slices: Vec<NestedSlice>,
    /// Whether the thread has slices in other lanes.
    pub(super) has_overflow: bool,
    /// The samples and the gaps between them, ordered by time.
    pub(super) samples: Vec<PlacedSample>,
    /// The number of samples.
    pub(super) n_samples: u64,
    pub(super) stacks: Stacks,
    /// The earliest and the latest time of the slices and the profile; `None` if there are neither.
    pub(super) range: Option<(Tick, Tick)>,
    /// The number of samples without a readable stack that were taken as repetitions of the sample before them.
    pub(super) n_fixed: u64,
    /// The number of samples of frames that the profile does not have.
    pub(super) n_unknown: u64,
}

impl SampledThread {
    /// Returns the slices and the samples of a track. `stacks` are the stacks of its profile, if it has one.
    pub(super) fn new(trace: &Trace, track: TrackId, stacks: Stacks, rules: &SampleRules) -> Self {
        let profile = trace.profile_of(track);
        let (slices, has_overflow) = slices(trace, track, &stacks, rules);
        let mut thread = Self { slices, has_overflow, ..Self::empty(stacks) };
        thread.range = thread.slices.first().map(|first| {
            let end = thread.slices.iter().map(|slice| slice.end).max().unwrap_or(first.start);
            (first.start, end)
        });
        if let Some(profile) = profile {
            thread.add_samples(trace, profile);
        }
        thread
    }

    /// Returns a thread without slices and samples.
    pub(super) fn empty(stacks: Stacks) -> Self {
        let (slices, samples, range) = (Vec::new(), Vec::new(), None);
        let has_overflow = false;
        Self { slices, has_overflow, samples, n_samples: 0, stacks, range, n_fixed: 0, n_unknown: 0 }
    }

    /// Ends the last sample where the next one has another name.
    pub(super) fn end_at(&mut self, next: PlacedSample) {
        if self.samples.last().is_some_and(|last| last.observed != Observation::Gap) {
            self.samples.push(PlacedSample { observed: Observation::Gap, ..next });
        }
        self.range = self.range.map(|(start, _)| (start, next.at));
    }

    /// Adds the samples of a profile, with their places among the slices.
    fn add_samples(&mut self, trace: &Trace, profile: &Profile) {
        let first_frame = profile.frames().start().index();
        // Without slices the profile is all there is, and idle time is shown like a function.
        let is_pure = self.slices.is_empty();
        let samples = trace.samples_of(profile);
        self.n_samples = samples.len() as u64;
        let mut spans = trace.sample_spans(profile).peekable();
        let mut last_end = profile.samples_end;
        // Others hold until the next sample, and the last one as long as its thread goes on.
        let have_ends = matches!(profile.weights, Weights::TimeBefore(_) | Weights::Axis(_));
        for sample in samples {
            let Some(span) = spans.next() else { break };
            last_end = span.end;
            let frame = sample.frame().map(|frame| frame.index() - first_frame);
            let role = frame.map(|frame| self.stacks.role(frame));
            self.n_unknown += u64::from(frame.is_none());
            let (observed, unreadable, known) = match role {
                None => (Observation::Stack(Stack::EMPTY), false, false),
                Some(FrameRole::Stack(stack)) => (Observation::Stack(stack), false, stack != Stack::EMPTY),
                Some(FrameRole::OnTop(function)) => (Observation::OnTop(function), false, false),
                Some(FrameRole::Idle { unreadable, shown }) => {
                    (Observation::Stack(if is_pure { shown } else { Stack::EMPTY }), unreadable, false)
                }
            };
            let frame = frame.and_then(|frame| u32::try_from(frame).ok());
            let placed = PlacedSample {
                at: span.start,
                observed,
                weight: sample.weight,
                is_echo: false,
                frame,
                unreadable,
                known,
                slice: None,
            };
            self.samples.push(placed);
            if have_ends && spans.peek().is_none_or(|next| next.start > span.end) {
                let gap = PlacedSample { observed: Observation::Gap, frame: None, ..placed };
                self.samples.push(PlacedSample { at: span.end, ..gap });
            }
        }
        self.place_samples();
        self.fix_missing();
        self.find_first_samples();
        let end = profile.samples_end.max(last_end);
        let (from, to) = self.range.unwrap_or((profile.start, end));
        let first = self.samples.first().map_or(profile.start, |sample| sample.at.min(profile.start));
        self.range = Some((from.min(first), to.max(end)));
    }

    /// Finds the innermost slice around each sample. A sample at the time at which a slice begins is in that slice,
    /// and a sample at the time at which a slice ends is not in it. [cpu 4](crate::rules::cpu#4)
    fn place_samples(&mut self) {
        let mut innermost = None;
        let mut slices = self.slices.iter().zip(0..).peekable();
        for sample in &mut self.samples {
            while let Some((_, slice)) = slices.next_if(|(slice, _)| slice.start <= sample.at) {
                innermost = Some(slice);
            }
            while let Some(slice) = innermost.map(|slice: u32| &self.slices[slice as usize])
                && slice.is_over(sample.at)
            {
                innermost = slice.parent;
            }
            sample.slice = innermost;
        }
    }

    /// Repairs samples whose stack the profiler could not read. Such a sample repeats the one before it if it lies
    /// between two samples of the same call with the same outermost function. [cpu 2.6](crate::rules::cpu#2.6)
    fn fix_missing(&mut self) {
        // Repairs are made after the search, so that one cannot be the reason for the next.
        let mut fixed = Vec::new();
        for (window, at) in self.samples.windows(3).zip(1_usize..) {
            let [before, missing, after] = window else { continue };
            let call =
                |sample: &PlacedSample| sample.slice.and_then(|slice| self.slices[slice as usize].call);
            let outermost = |sample: &PlacedSample| self.stacks.prefix(sample.observed.stack(), 1);
            if missing.unreadable
                && before.known
                && after.known
                && outermost(before) == outermost(after)
                && call(before) == call(missing)
                && call(missing) == call(after)
            {
                fixed.push((at, *before));
            }
        }
        self.n_fixed = fixed.len() as u64;
        for (at, before) in fixed {
            let sample = &mut self.samples[at];
            *sample = PlacedSample { at: sample.at, slice: sample.slice, weight: sample.weight, ..before };
        }
    }

    /// Finds the first sample of each slice, and the samples that are echoes.
    ///
    /// Each sample climbs from its innermost slice outwards. The climb ends at a slice that already has its sample,
    /// and at the nearest invocation, so that all climbs together take no more steps than there are slices and
    /// samples.
    fn find_first_samples(&mut self) {
        for (sample, at) in self.samples.iter_mut().zip(0..) {
            let mut next = sample.slice;
            while let Some(slice) = next.map(|slice| &mut self.slices[slice as usize])
                && slice.first.is_none()
            {
                slice.first = Some(at);
                sample.is_echo |= slice.caller.is_some() && slice.caller == sample.frame;
                next = if slice.role.is_invocation() { None } else { slice.parent };
            }
            let mut next =
                sample.slice.filter(|_| !sample.is_echo && sample.observed.stack() != Stack::EMPTY);
            while let Some(slice) = next.map(|slice| &mut self.slices[slice as usize])
                && slice.first_stack.is_none()
            {
                slice.first_stack = Some(at);
                next = if slice.role.is_invocation() { None } else { slice.parent };
            }
        }
    }
}

/// Returns the slices of lane 0, and whether there are others.
fn slices(trace: &Trace, track: TrackId, stacks: &Stacks, rules: &SampleRules) -> (Vec<NestedSlice>, bool) {
    let Some(track) = trace.tracks().get(track.index()) else { return (Vec::new(), false) };
    let callers = Callers::new(trace, track, rules);
    let slice_roles = slice_roles(trace, rules);
    // A function on top, such as a garbage collection, says nothing of the functions below it.
    let has_stack = |site: u32| !matches!(stacks.role(site as usize), FrameRole::OnTop(_));
    let mut slices: Vec<NestedSlice> = Vec::with_capacity(track.slices().len());
    let mut has_overflow = false;
    for (id, found, place) in placed(trace, track.id) {
        if place.lane > 0 {
            has_overflow = true;
            continue;
        }
        let number = u32::try_from(slices.len()).unwrap_or(u32::MAX);
        let role = slice_roles.get(&found.name).copied().unwrap_or(SliceRole::Other);
        let around = place.parent.and_then(|parent| slices[parent as usize].call);
        slices.push(NestedSlice {
            id,
            start: found.start,
            end: place.end,
            open_ended: place.open_ended,
            parent: place.parent,
            call: around.or(role.is_invocation().then_some(number)),
            role,
            caller: callers.caller(id).filter(|&site| has_stack(site)),
            enclosing: None,
            first: None,
            first_stack: None,
        });
    }
    (slices, has_overflow)
}

/// Returns the roles of the slices that the rules name, by the names of the trace.
fn slice_roles(trace: &Trace, rules: &SampleRules) -> HashMap<NameId, SliceRole, RandomState> {
    let mut slice_roles = HashMap::default();
    for name in rules.resets {
        if let Some(name) = trace.names().find(name.as_bytes()) {
            slice_roles.insert(name, SliceRole::Reset);
        }
    }
    for name in rules.invocations {
        if let Some(name) = trace.names().find(name.as_bytes()) {
            let reset = slice_roles.contains_key(&name);
            slice_roles.insert(name, SliceRole::Invocation { reset });
        }
    }
    slice_roles
}
