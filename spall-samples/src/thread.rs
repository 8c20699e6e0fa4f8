//! The slices and the samples of a thread as the walk needs them: how the slices nest, which sample is in which
//! slice, and what a sample says about the slices around it.
#![allow(clippy::indexing_slicing, reason = "slices and samples are numbered by this module")]

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use spall_model::{
    CallSite, NameId, Profile, SampleRules, SliceFlags, SliceId, Tick, Trace, TrackId, nest::Nesting,
};

use crate::stacks::{FrameRole, Function, Stack, Stacks};

/// A slice of the thread's own nesting.
#[derive(Debug, Clone, Copy)]
pub(super) struct NestedSlice {
    pub(super) id: SliceId,
    pub(super) start: Tick,
    pub(super) end: Tick,
    /// The innermost slice around it, as a position in [`SampledThread::slices`].
    pub(super) parent: Option<u32>,
    /// The outermost invocation around it, which may be the slice itself.
    call: Option<u32>,
    pub(super) role: SliceRole,
    /// The call frame that ran when it began, as a position in the profile. `None` if the file does not say.
    pub(super) caller: Option<u32>,
    /// The first sample in it, those inside of invocations in it left aside.
    pub(super) first: Option<u32>,
    /// The first such sample that has a stack and is not an echo.
    pub(super) first_stack: Option<u32>,
}

/// What a slice means for the stack, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SliceRole {
    /// The runtime calls functions in it.
    Invocation { reset: bool },
    /// A task: functions that began before it do not run on.
    Reset,
    /// Any other slice. It is called by the functions around it.
    Other,
}

impl SliceRole {
    pub(super) fn is_invocation(self) -> bool {
        matches!(self, Self::Invocation { .. })
    }
}

/// A sample, and where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedSample {
    pub(super) at: Tick,
    pub(super) observed: Observation,
    /// How much it counts.
    pub(super) weight: f64,
    /// It was taken because a slice began, and only repeats the caller of that slice.
    pub(super) is_echo: bool,
    /// Its call frame, as a position in the profile.
    frame: Option<u32>,
    /// The profiler may have failed to read the stack.
    unreadable: bool,
    /// It found a function.
    known: bool,
    /// The innermost slice around it.
    slice: Option<u32>,
}

/// What a sample found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Observation {
    /// This stack was running.
    Stack(Stack),
    /// This function was running, on top of whatever ran before.
    OnTop(Function),
}

impl Observation {
    /// Returns the stack. A function on top has none of its own, so its stack is empty.
    pub(super) fn stack(self) -> Stack {
        match self {
            Self::Stack(stack) => stack,
            Self::OnTop(_) => Stack::EMPTY,
        }
    }
}

/// The slices and the samples of one thread.
#[derive(Debug)]
pub(super) struct SampledThread {
    pub(super) slices: Vec<NestedSlice>,
    /// The samples by time.
    pub(super) samples: Vec<PlacedSample>,
    pub(super) stacks: Stacks,
    /// The first and the last time of anything on the thread; `None` if there is nothing.
    pub(super) range: Option<(Tick, Tick)>,
    /// The number of samples that were taken for the one before them.
    pub(super) n_fixed: u64,
    /// The number of samples of frames that the profile does not have.
    pub(super) n_unknown: u64,
}

impl SampledThread {
    /// Reads the slices and the samples of a track. `stacks` are those of its profile, if it has one.
    pub(super) fn new(trace: &Trace<'_>, track: TrackId, stacks: Stacks, rules: &SampleRules) -> Self {
        let profile = trace.profile_of(track);
        let sites = profile.map_or(&[][..], |profile| trace.call_sites_of(profile));
        let first_frame = profile.map_or(0, |profile| profile.frames().start().index());
        let mut thread = Self {
            slices: slices(trace, track, sites, first_frame, rules),
            samples: Vec::new(),
            stacks,
            range: None,
            n_fixed: 0,
            n_unknown: 0,
        };
        thread.range = thread.slices.first().map(|first| {
            let end = thread.slices.iter().map(|slice| slice.end).max().unwrap_or(first.start);
            (first.start, end)
        });
        if let Some(profile) = profile {
            thread.add_samples(trace, profile, first_frame, rules);
        }
        thread
    }

    fn add_samples(&mut self, trace: &Trace<'_>, profile: &Profile, first_frame: usize, rules: &SampleRules) {
        let is_pure = self.slices.is_empty();
        for sample in trace.samples_of(profile) {
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
            self.samples.push(PlacedSample {
                at: sample.at,
                observed,
                weight: sample.weight,
                is_echo: false,
                frame,
                unreadable,
                known,
                slice: None,
            });
        }
        self.place_samples();
        self.fix_missing();
        self.find_first_samples();
        let end = end(profile, &self.samples, rules);
        let (from, to) = self.range.unwrap_or((profile.start, end));
        let first = self.samples.first().map_or(profile.start, |sample| sample.at.min(profile.start));
        self.range = Some((from.min(first), to.max(end)));
    }

    /// Finds the innermost slice around each sample. At one instant slices end first, then others begin, then samples
    /// are taken: a sample is in the slice that begins with it, and not in the one that ends.
    fn place_samples(&mut self) {
        let mut innermost = None;
        let mut slices = self.slices.iter().zip(0..).peekable();
        for sample in &mut self.samples {
            while let Some((_, slice)) = slices.next_if(|(slice, _)| slice.start <= sample.at) {
                innermost = Some(slice);
            }
            while let Some(slice) = innermost.map(|slice: u32| &self.slices[slice as usize])
                && slice.end <= sample.at
            {
                innermost = slice.parent;
            }
            sample.slice = innermost;
        }
    }

    /// Repairs samples whose stack the profiler could not read: one of them between two samples of the same call with
    /// the same outermost function repeats the one before it. \[cpu 2.6\]
    fn fix_missing(&mut self) {
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
    /// Each sample climbs from its innermost slice outwards. The climb ends at the first slice that has its sample
    /// already, and at the nearest invocation, so all climbs together take no more steps than there are slices and
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

/// Returns when the last sample is over: at the end of the profile, or after the mean distance between samples.
/// \[cpu 2.4\]
fn end(profile: &Profile, samples: &[PlacedSample], rules: &SampleRules) -> Tick {
    let Some((first, last)) = samples.first().zip(samples.last()) else {
        return profile.end.unwrap_or(profile.start).max(profile.start);
    };
    if let Some(end) = profile.end.filter(|&end| end >= last.at) {
        return end;
    }
    let gaps = i64::try_from(samples.len() - 1).unwrap_or(i64::MAX);
    let mean = (last.at - first.at).0.checked_div(gaps).unwrap_or(0);
    let resolution = rules.resolution.0.max(1);
    Tick(last.at.0.saturating_add(mean - mean % resolution))
}

/// Returns the slices of lane 0 with what is known of each. Slices that an earlier merge inferred are left out, so that
/// merging again gives the same.
fn slices(
    trace: &Trace<'_>,
    track: TrackId,
    sites: &[CallSite],
    first_frame: usize,
    rules: &SampleRules,
) -> Vec<NestedSlice> {
    let Some(track) = trace.tracks().get(track.index()) else { return Vec::new() };
    let slice_roles = slice_roles(trace, rules);
    let mut nesting = Nesting::default();
    let mut slices: Vec<NestedSlice> = Vec::with_capacity(track.slices().len());
    for (id, found) in trace.slices_of(track.id) {
        if found.flags.contains(SliceFlags::SAMPLED) {
            continue;
        }
        let number = u32::try_from(slices.len()).unwrap_or(u32::MAX);
        let Some(place) = nesting.place(number, found.start, found.end, found.flags) else { continue };
        if place.lane > 0 {
            continue;
        }
        let role = slice_roles.get(&found.name).copied().unwrap_or(SliceRole::Other);
        let around = place.parent.and_then(|parent| slices[parent as usize].call);
        let site = if sites.is_empty() { None } else { (rules.call_site)(&trace.slice_args(id)) };
        slices.push(NestedSlice {
            id,
            start: found.start,
            end: place.end,
            parent: place.parent,
            call: around.or(role.is_invocation().then_some(number)),
            role,
            caller: site.and_then(|number| site_of(sites, number, first_frame)),
            first: None,
            first_stack: None,
        });
    }
    slices
}

/// Returns the frame of a call site, as a position in its profile.
fn site_of(sites: &[CallSite], number: u64, first_frame: usize) -> Option<u32> {
    let found = sites.partition_point(|site| site.number < number);
    let site = sites.get(found).filter(|site| site.number == number)?;
    u32::try_from(site.frame.index() - first_frame).ok()
}

fn slice_roles(trace: &Trace<'_>, rules: &SampleRules) -> HashMap<NameId, SliceRole, RandomState> {
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
