//! The walk over a thread's slices and samples in the order of time, with one stack of both. \[cpu 4\]
#![allow(clippy::indexing_slicing, reason = "spans and samples are numbered by the outline")]

use alloc::vec::Vec;

use spall_model::{Callee, FrameId, NameId, SampleRules, SliceId, Tick, Trace};

use crate::{
    outline::{Kind, Moment, Outline, Said, Span},
    stacks::{Function, Stack, Stacks},
};

/// What a merge did with the samples of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct MergeStats {
    /// The number of samples.
    pub samples: u64,
    /// Samples inside a slice that the functions below it wait for. They say nothing new and count for the slice.
    pub frozen: u64,
    /// Samples that only repeat what a slice says about its caller.
    pub echoes: u64,
    /// Stacks that contradict functions which an open slice keeps in place.
    pub conflicts: u64,
    /// Samples without a stack that were taken for the sample before them.
    pub fixed_missing: u64,
    /// Samples of frames that the profile does not have.
    pub unknown_frame: u64,
    /// Functions left out because stacks were too deep for too many samples.
    pub left_out: u64,
}

/// What is opened.
#[derive(Debug, Clone, Copy)]
pub(super) enum Opened {
    /// A slice of the trace.
    Slice(SliceId),
    /// A function that was found running.
    Frame(FrameId),
}

/// Takes what the walk finds, well nested and in the order of time.
pub(super) trait Sink {
    fn open(&mut self, what: Opened, at: Tick);
    /// Closes what was opened last. It is not `kept` if it has no length and nothing that is kept lies on it.
    fn close(&mut self, at: Tick, kept: bool);
    /// A sample of this weight counts for what is open.
    fn hit(&mut self, weight: f64);
}

/// An entry of the stack.
#[derive(Debug, Clone, Copy)]
struct Entry {
    what: What,
    start: Tick,
    /// Something that is kept lies on it.
    carries: bool,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Span(Below),
    Function,
    Collector,
}

/// The state below a span, to go back to when it ends.
#[derive(Debug, Clone, Copy)]
struct Below {
    top: Option<Top>,
    locked: Stack,
}

/// The highest span.
#[derive(Debug, Clone, Copy)]
struct Top {
    span: u32,
    end: Tick,
    is_invocation: bool,
    /// It is no invocation, and functions wait below it: samples in it say nothing new.
    frozen: bool,
}

pub(super) struct Walk<'w, 'a, S> {
    trace: &'w Trace<'a>,
    rules: &'w SampleRules,
    outline: Outline,
    sink: &'w mut S,
    entries: Vec<Entry>,
    top: Option<Top>,
    /// The functions below the highest span, which stay until it ends.
    locked: Stack,
    /// All functions on the stack: `locked` and those above the highest span.
    running: Stack,
    n_invocations: u32,
    /// How many more functions may be opened.
    budget: u64,
    stats: MergeStats,
    path: Vec<Function>,
}

/// What is left of a walk.
pub(super) struct Done {
    pub(super) stats: MergeStats,
    /// How many more functions might have been opened.
    pub(super) budget: u64,
    pub(super) stacks: Stacks,
}

impl<'w, 'a, S: Sink> Walk<'w, 'a, S> {
    /// Besides those that slices and samples pay for, so many functions as `budget` may be opened.
    pub(super) fn new(
        trace: &'w Trace<'a>,
        rules: &'w SampleRules,
        outline: Outline,
        budget: u64,
        sink: &'w mut S,
    ) -> Self {
        let n_items = (outline.spans.len() + outline.moments.len()) as u64;
        let stats = MergeStats {
            samples: outline.moments.len() as u64,
            fixed_missing: outline.n_fixed,
            unknown_frame: outline.n_unknown,
            ..MergeStats::default()
        };
        Self {
            trace,
            rules,
            outline,
            sink,
            entries: Vec::new(),
            top: None,
            locked: Stack::EMPTY,
            running: Stack::EMPTY,
            n_invocations: 0,
            budget: budget + BUDGET_PER_ITEM * n_items,
            stats,
            path: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Done {
        if let Some((_, end)) = self.outline.range {
            self.run_to(end);
        }
        Done { stats: self.stats, budget: self.budget, stacks: self.outline.stacks }
    }

    fn run_to(&mut self, end: Tick) {
        let mut next = 0;
        for span in 0..self.outline.spans.len() {
            let start = self.outline.spans[span].start;
            while let Some(&moment) = self.outline.moments.get(next).filter(|moment| moment.at < start) {
                self.sample(moment);
                next += 1;
            }
            self.begin(span, next);
        }
        while let Some(&moment) = self.outline.moments.get(next) {
            self.sample(moment);
            next += 1;
        }
        while let Some(top) = self.top {
            self.end_span(top.end);
        }
        while !self.entries.is_empty() {
            self.close(end);
        }
    }

    fn sample(&mut self, moment: Moment) {
        while let Some(top) = self.top.filter(|top| top.end <= moment.at) {
            self.end_span(top.end);
        }
        if self.top.is_some_and(|top| top.frozen) {
            self.stats.frozen += 1;
        } else if moment.is_echo {
            self.stats.echoes += 1;
        } else {
            match moment.said {
                Said::Stack(stack) => self.set(stack, moment.at),
                Said::Collector(function) => self.open_collector(function, moment.at),
            }
        }
        self.sink.hit(moment.weight);
    }

    fn begin(&mut self, number: usize, next: usize) {
        let span = self.outline.spans[number];
        while let Some(top) = self.top.filter(|top| Some(top.span) != span.parent) {
            self.end_span(top.end);
        }
        self.close_collector(span.start);
        let is_settled = self.prepare(&span, next);
        let callee = self.callee(&span, is_settled);
        if let Some(callee) = callee {
            self.set(self.outline.stacks.parent(callee), span.start);
        }
        self.open_span(u32::try_from(number).unwrap_or(u32::MAX), &span);
        if let Some(callee) = callee {
            self.set(callee, span.start);
        }
    }

    /// Makes the functions on the stack those that the span was called from, rules 1 to 5. Whether that is known for
    /// sure.
    fn prepare(&mut self, span: &Span, next: usize) -> bool {
        if self.top.is_some_and(|top| top.frozen) {
            return true;
        }
        if let Some(site) = span.site {
            self.set(self.outline.stacks.meaning(site as usize).stack(), span.start);
            return true;
        }
        let next = self.outline.moments.get(next).copied();
        let direct = span.first.map(|at| self.outline.moments[at as usize]);
        if self.n_invocations > 0 {
            self.prepare_inside_call(span, next.filter(|next| next.at < span.end), direct);
        } else if span.kind != Kind::Native {
            self.set(self.locked, span.start);
        } else if self.running != self.locked {
            self.keep_confirmed(span, direct.or(next));
        }
        false
    }

    /// Rule 3: what the samples in the span say about its caller.
    fn prepare_inside_call(&mut self, span: &Span, any: Option<Moment>, direct: Option<Moment>) {
        let stacks = &self.outline.stacks;
        let stack_of = |moment: &Moment| moment.said.stack();
        let direct = direct.filter(|direct| {
            matches!(direct.said, Said::Stack(_))
                && any.is_some_and(|any| stacks.begins_with(stack_of(&any), stack_of(direct)))
        });
        if let Some(direct) = direct.filter(|_| !span.kind.is_invocation()) {
            return self.set(stack_of(&direct), span.start);
        }
        let Some(Said::Stack(stack)) = direct.or(any).map(|moment| moment.said) else { return };
        if !stacks.begins_with(stack, self.locked) {
            return;
        }
        let locked = stacks.depth(self.locked);
        let native = if direct.is_some() {
            stacks.last_native(stack, locked)
        } else {
            stacks.first_native(stack, locked)
        };
        if let Some(native) = native {
            self.set(native, span.start);
        } else {
            let common = stacks.common(self.running, stack);
            if common != self.running {
                self.set(common, span.start);
            }
        }
    }

    /// Rule 5: without an invocation only those functions stay below the span that the next sample has, too.
    fn keep_confirmed(&mut self, span: &Span, next: Option<Moment>) {
        let Some(next) = next else { return self.set(self.locked, span.start) };
        let Said::Stack(stack) = next.said else { return };
        let common = self.outline.stacks.common(self.running, stack);
        let is_inside = next.at < span.end;
        self.set(if common != self.locked && is_inside { stack } else { common }, span.start);
    }

    /// Rule 6: the stack whose top is the function that the span says to call, if its samples agree.
    fn callee(&mut self, span: &Span, is_settled: bool) -> Option<Stack> {
        let sample = span.first_stack.filter(|_| span.kind.is_invocation() && self.budget > 0)?;
        let stack = self.outline.moments[sample as usize].said.stack();
        let base = if is_settled { self.running } else { self.locked };
        let stacks = &self.outline.stacks;
        if !stacks.begins_with(stack, base) {
            return None;
        }
        let args = self.trace.slice_args(span.slice);
        let callee = Wanted::new(self.trace, (self.rules.callee)(&args)?)?;
        // What is settled calls it without others between.
        let stack = if is_settled { stacks.prefix(stack, stacks.depth(base) + 1) } else { stack };
        let (mut at, mut found) = (stack, None);
        while at != base {
            if callee.is(self.trace, stacks.frame(stacks.function(at))) {
                found = Some(at);
            }
            at = stacks.parent(at);
        }
        self.budget = self.budget.saturating_sub(u64::from(stacks.depth(stack) - stacks.depth(base)));
        found
    }

    /// Makes `stack` what runs, as far as the locked functions allow it.
    fn set(&mut self, stack: Stack, at: Tick) {
        self.close_collector(at);
        let stacks = &mut self.outline.stacks;
        let target = if stacks.begins_with(stack, self.locked) {
            stack
        } else if stacks.begins_with(self.locked, stack) {
            self.locked
        } else {
            self.stats.conflicts += 1;
            let budget = &mut self.budget;
            if *budget == 0 {
                self.locked
            } else {
                stacks.moved_onto(self.locked, stack, &mut |steps| {
                    *budget = budget.saturating_sub(steps.into())
                })
            }
        };
        if target == self.running {
            return;
        }
        let common = stacks.common(self.running, target);
        let kept = stacks.depth(common);
        for _ in kept..stacks.depth(self.running) {
            self.close(at);
        }
        let stacks = &self.outline.stacks;
        let wanted = stacks.depth(target) - kept;
        let allowed = u32::try_from(self.budget).unwrap_or(u32::MAX).min(wanted);
        self.stats.left_out += u64::from(wanted - allowed);
        self.budget -= u64::from(allowed);
        self.running = stacks.prefix(target, kept + allowed);
        let mut path = core::mem::take(&mut self.path);
        path.clear();
        let mut rest = self.running;
        for _ in 0..allowed {
            path.push(stacks.function(rest));
            rest = stacks.parent(rest);
        }
        for &function in path.iter().rev() {
            self.open_function(function, What::Function, at);
        }
        self.path = path;
    }

    fn open_function(&mut self, function: Function, what: What, at: Tick) {
        self.entries.push(Entry { what, start: at, carries: false });
        self.sink.open(Opened::Frame(self.outline.stacks.frame(function)), at);
    }

    fn open_collector(&mut self, function: Function, at: Tick) {
        if !matches!(self.entries.last(), Some(Entry { what: What::Collector, .. })) {
            self.open_function(function, What::Collector, at);
        }
    }

    fn close_collector(&mut self, at: Tick) {
        if matches!(self.entries.last(), Some(Entry { what: What::Collector, .. })) {
            self.close(at);
        }
    }

    fn open_span(&mut self, number: u32, span: &Span) {
        let is_invocation = span.kind.is_invocation();
        let is_hosted = self.n_invocations > 0 || self.running != Stack::EMPTY;
        let below = Below { top: self.top, locked: self.locked };
        self.n_invocations += u32::from(is_invocation);
        self.locked = self.running;
        self.top =
            Some(Top { span: number, end: span.end, is_invocation, frozen: is_hosted && !is_invocation });
        self.entries.push(Entry { what: What::Span(below), start: span.start, carries: false });
        self.sink.open(Opened::Slice(span.slice), span.start);
    }

    /// Closes the highest span and what lies above it.
    fn end_span(&mut self, at: Tick) {
        while let Some(entry) = self.entries.last().copied() {
            self.close(at);
            if let What::Span(below) = entry.what {
                let is_invocation = self.top.is_some_and(|top| top.is_invocation);
                self.n_invocations -= u32::from(is_invocation);
                self.running = self.locked;
                self.locked = below.locked;
                self.top = below.top;
                return;
            }
        }
    }

    fn close(&mut self, at: Tick) {
        let Some(entry) = self.entries.pop() else { return };
        let kept = matches!(entry.what, What::Span(_)) || entry.carries || at > entry.start;
        if kept && let Some(below) = self.entries.last_mut() {
            below.carries = true;
        }
        self.sink.close(at, kept);
    }
}

/// A walk opens at most so many functions, and so many for each slice and each sample: stacks deeper than any
/// profiler writes must not make out of a small file a huge trace.
pub(super) const MIN_BUDGET: u64 = 1 << 16;
const BUDGET_PER_ITEM: u64 = 256;

/// A function that an invocation names, with the names of the trace.
enum Wanted {
    Place { script: i64, line: u32, column: u32 },
    Name { name: NameId, url: NameId },
}

impl Wanted {
    fn new(trace: &Trace<'_>, callee: Callee<'_>) -> Option<Self> {
        Some(match callee {
            Callee::Place { script, line, column } => Self::Place { script, line, column },
            Callee::Name { name, url } => Self::Name {
                name: trace.names().find(&name.unescape())?,
                url: trace.names().find(&url.unescape())?,
            },
        })
    }

    fn is(&self, trace: &Trace<'_>, frame: FrameId) -> bool {
        trace.frame(frame).is_some_and(|frame| match *self {
            Self::Place { script, line, column } => {
                frame.script == script && frame.line == Some(line) && frame.column == Some(column)
            }
            Self::Name { name, url } => frame.name == name && frame.url == url,
        })
    }
}
