//! What the walk has to know before it begins: how a thread's slices nest, and what the samples in each say.
#![allow(clippy::indexing_slicing, reason = "spans and samples are numbered by this module")]

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use spall_model::{
    CallSite, NameId, Profile, SampleRules, SliceFlags, SliceId, Tick, Trace, TrackId, nest::Nesting,
};

use crate::stacks::{Function, Meaning, Stack, Stacks};

/// A slice of the thread's own nesting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) slice: SliceId,
    pub(super) start: Tick,
    pub(super) end: Tick,
    /// The innermost span around it.
    pub(super) parent: Option<u32>,
    /// The outermost invocation that it lies in or is.
    call: Option<u32>,
    pub(super) kind: Kind,
    /// The frame that called it, where the profile says so; as a position in the profile.
    pub(super) site: Option<u32>,
    /// The first sample in it that is in no invocation inside it.
    pub(super) first: Option<u32>,
    /// The first such sample that has a stack and is no echo.
    pub(super) first_stack: Option<u32>,
}

/// What a slice means for the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The runtime calls functions in it.
    Invocation { reset: bool },
    /// Nothing that began before it runs on.
    Reset,
    /// Anything else.
    Native,
}

impl Kind {
    pub(super) fn is_invocation(self) -> bool {
        matches!(self, Self::Invocation { .. })
    }
}

/// A sample, and what it says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) at: Tick,
    pub(super) said: Said,
    /// How much it counts.
    pub(super) weight: f64,
    /// It only repeats what a slice says about its caller.
    pub(super) is_echo: bool,
    frame: Option<u32>,
    program: bool,
    known: bool,
    span: Option<u32>,
}

/// What a sample says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// This stack runs.
    Stack(Stack),
    /// The collector runs, on top of what ran.
    Collector(Function),
}

impl Said {
    /// The stack; empty for the collector, which has none of its own.
    pub(super) fn stack(self) -> Stack {
        match self {
            Self::Stack(stack) => stack,
            Self::Collector(_) => Stack::EMPTY,
        }
    }
}

/// The slices and the samples of one thread.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) spans: Vec<Span>,
    pub(super) moments: Vec<Moment>,
    pub(super) stacks: Stacks,
    /// From when to when the thread is covered.
    pub(super) range: Option<(Tick, Tick)>,
    pub(super) n_fixed: u64,
    pub(super) n_unknown: u64,
}

impl Outline {
    /// `stacks` are those of the track's profile, if it has one.
    pub(super) fn new(trace: &Trace<'_>, track: TrackId, stacks: Stacks, rules: &SampleRules) -> Self {
        let profile = trace.profile_of(track);
        let sites = profile.map_or(&[][..], |profile| trace.call_sites_of(profile));
        let first_frame = profile.map_or(0, |profile| profile.frames().start().index());
        let mut outline = Self {
            spans: spans(trace, track, sites, first_frame, rules),
            moments: Vec::new(),
            stacks,
            range: None,
            n_fixed: 0,
            n_unknown: 0,
        };
        outline.range = outline.spans.first().map(|first| {
            let end = outline.spans.iter().map(|span| span.end).max().unwrap_or(first.start);
            (first.start, end)
        });
        if let Some(profile) = profile {
            outline.add_samples(trace, profile, first_frame, rules);
        }
        outline
    }

    fn add_samples(&mut self, trace: &Trace<'_>, profile: &Profile, first_frame: usize, rules: &SampleRules) {
        let samples = trace.samples_of(profile);
        let is_pure = self.spans.is_empty();
        for sample in samples {
            let frame = sample.frame().map(|frame| frame.index() - first_frame);
            let meaning = frame.map(|frame| self.stacks.meaning(frame));
            self.n_unknown += u64::from(frame.is_none());
            let (said, program, known) = match meaning {
                None => (Said::Stack(Stack::EMPTY), false, false),
                Some(Meaning::Stack(stack)) => (Said::Stack(stack), false, stack != Stack::EMPTY),
                Some(Meaning::Collector(function)) => (Said::Collector(function), false, false),
                Some(Meaning::Idle { program, shown }) => {
                    (Said::Stack(if is_pure { shown } else { Stack::EMPTY }), program, false)
                }
            };
            let frame = frame.and_then(|frame| u32::try_from(frame).ok());
            self.moments.push(Moment {
                at: sample.at,
                said,
                weight: sample.weight,
                is_echo: false,
                frame,
                program,
                known,
                span: None,
            });
        }
        self.place_samples();
        self.fix_missing();
        self.find_first_samples();
        let end = end(profile, &self.moments, rules);
        let (from, to) = self.range.unwrap_or((profile.start, end));
        let first = self.moments.first().map_or(profile.start, |moment| moment.at.min(profile.start));
        self.range = Some((from.min(first), to.max(end)));
    }

    /// Finds the innermost span around each sample. At one instant spans end first, then others begin, then come
    /// samples.
    fn place_samples(&mut self) {
        let mut innermost = None;
        let mut spans = self.spans.iter().zip(0..).peekable();
        for moment in &mut self.moments {
            while let Some((_, span)) = spans.next_if(|(span, _)| span.start <= moment.at) {
                innermost = Some(span);
            }
            while let Some(span) = innermost.map(|span: u32| &self.spans[span as usize])
                && span.end <= moment.at
            {
                innermost = span.parent;
            }
            moment.span = innermost;
        }
    }

    /// One sample without a stack between two of one call with the same outermost function is one that could not be
    /// read: it repeats the one before it. \[cpu 2\]
    fn fix_missing(&mut self) {
        let mut fixed = Vec::new();
        for (window, at) in self.moments.windows(3).zip(1_usize..) {
            let [before, missing, after] = window else { continue };
            let call = |moment: &Moment| moment.span.and_then(|span| self.spans[span as usize].call);
            let outermost = |moment: &Moment| self.stacks.prefix(moment.said.stack(), 1);
            if missing.program
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
            let moment = &mut self.moments[at];
            *moment = Moment { at: moment.at, span: moment.span, weight: moment.weight, ..before };
        }
    }

    /// Each climb from the innermost span ends at the first span that has its sample already, and behind the nearest
    /// invocation: in all not more steps than spans and samples.
    fn find_first_samples(&mut self) {
        for (moment, at) in self.moments.iter_mut().zip(0..) {
            let mut next = moment.span;
            while let Some(span) = next.map(|span| &mut self.spans[span as usize])
                && span.first.is_none()
            {
                span.first = Some(at);
                moment.is_echo |= span.site.is_some() && span.site == moment.frame;
                next = if span.kind.is_invocation() { None } else { span.parent };
            }
            let mut next = moment.span.filter(|_| !moment.is_echo && moment.said.stack() != Stack::EMPTY);
            while let Some(span) = next.map(|span| &mut self.spans[span as usize])
                && span.first_stack.is_none()
            {
                span.first_stack = Some(at);
                next = if span.kind.is_invocation() { None } else { span.parent };
            }
        }
    }
}

/// When the last sample is over: at the profile's end, or after the mean distance of samples. \[cpu 2\]
fn end(profile: &Profile, moments: &[Moment], rules: &SampleRules) -> Tick {
    let Some((first, last)) = moments.first().zip(moments.last()) else {
        return profile.end.unwrap_or(profile.start).max(profile.start);
    };
    if let Some(end) = profile.end.filter(|&end| end >= last.at) {
        return end;
    }
    let gaps = i64::try_from(moments.len() - 1).unwrap_or(i64::MAX);
    let mean = (last.at - first.at).0.checked_div(gaps).unwrap_or(0);
    let resolution = rules.resolution.0.max(1);
    Tick(last.at.0.saturating_add(mean - mean % resolution))
}

/// The slices of lane 0 with what is known of each; those inferred earlier are left out.
fn spans(
    trace: &Trace<'_>,
    track: TrackId,
    sites: &[CallSite],
    first_frame: usize,
    rules: &SampleRules,
) -> Vec<Span> {
    let Some(track) = trace.tracks().get(track.index()) else { return Vec::new() };
    let kinds = kinds(trace, rules);
    let mut nesting = Nesting::default();
    let mut spans: Vec<Span> = Vec::with_capacity(track.slices().len());
    for (slice, found) in trace.slices_of(track) {
        if found.flags.contains(SliceFlags::SAMPLED) {
            continue;
        }
        let number = u32::try_from(spans.len()).unwrap_or(u32::MAX);
        let Some(place) = nesting.place(number, found.start, found.end, found.flags) else { continue };
        if place.lane > 0 {
            continue;
        }
        let kind = kinds.get(&found.name).copied().unwrap_or(Kind::Native);
        let around = place.parent.and_then(|parent| spans[parent as usize].call);
        let site = if sites.is_empty() { None } else { (rules.call_site)(&trace.slice_args(slice)) };
        spans.push(Span {
            slice,
            start: found.start,
            end: place.end,
            parent: place.parent,
            call: around.or(kind.is_invocation().then_some(number)),
            kind,
            site: site.and_then(|number| site_of(sites, number, first_frame)),
            first: None,
            first_stack: None,
        });
    }
    spans
}

/// The frame of a call site, as a position in its profile.
fn site_of(sites: &[CallSite], number: u64, first_frame: usize) -> Option<u32> {
    let found = sites.partition_point(|site| site.number < number);
    let site = sites.get(found).filter(|site| site.number == number)?;
    u32::try_from(site.frame.index() - first_frame).ok()
}

fn kinds(trace: &Trace<'_>, rules: &SampleRules) -> HashMap<NameId, Kind, RandomState> {
    let mut kinds = HashMap::default();
    for name in rules.resets {
        if let Some(name) = trace.names().find(name.as_bytes()) {
            kinds.insert(name, Kind::Reset);
        }
    }
    for name in rules.invocations {
        if let Some(name) = trace.names().find(name.as_bytes()) {
            let reset = kinds.contains_key(&name);
            kinds.insert(name, Kind::Invocation { reset });
        }
    }
    kinds
}
