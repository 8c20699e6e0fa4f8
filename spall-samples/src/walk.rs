//! The walk over a thread's slices and samples in the order of time, with one stack of both. [cpu
//! 4](crate::rules::cpu#4)
//!
//! The stack holds slices and functions, as they call each other. Functions below an open slice are *locked*: they
//! wait for the slice, and stay until it ends. Samples only decide which functions run above the innermost slice.
//! When a slice begins, rules 1 to 5 decide which functions it was called from ([`Walk::prepare`]), and rule 6 which
//! function it calls ([`Walk::callee`]).
#![allow(clippy::indexing_slicing, reason = "slices and samples are numbered by the thread")]

use alloc::vec::Vec;

use spall_model::{Callee, FrameId, NameId, SampleRules, SliceId, Tick, Trace, TraceView};

use crate::{
    stacks::{Function, Stack, Stacks},
    thread::{NestedSlice, Observation, PlacedSample, SampledThread, SliceRole},
};

/// The numbers of samples of a thread by the way in which a merge used them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct MergeStats {
    /// The number of samples of the thread.
    pub samples: u64,
    /// The number of samples inside a slice that functions wait for. They say nothing new, and count for the slice.
    pub frozen: u64,
    /// The number of samples that only repeat the caller that a slice names.
    pub echoes: u64,
    /// The number of stacks that contradict the functions that wait for an open slice.
    pub conflicts: u64,
    /// The number of samples without a readable stack that were taken as repetitions of the sample before them.
    pub fixed_missing: u64,
    /// The number of samples whose frame the profile does not have.
    pub unknown_frame: u64,
    /// The number of functions that were left out because too many samples had too deep stacks.
    pub left_out: u64,
}

/// A call that the walk opens.
#[derive(Debug, Clone, Copy)]
pub(super) enum Opened {
    /// A slice of the trace.
    Slice(SliceId),
    /// A function that a sample found running.
    Frame(FrameId),
}

/// A receiver of the calls that the walk finds, properly nested and in the order of time.
pub(super) trait Sink {
    /// Opens a call inside the innermost open one.
    fn open(&mut self, what: Opened, at: Tick);
    /// Closes the innermost open call. It is not `kept` if it is a function without duration in which nothing is kept.
    fn close(&mut self, at: Tick, kept: bool);
    /// Adds a sample of this weight to the innermost open call; to none if nothing is open.
    fn hit(&mut self, weight: f64, at: Tick);
    /// From here on nothing is known to run until the next sample.
    fn gap(&mut self, at: Tick);
}

/// An open slice or function on the stack.
#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: EntryKind,
    start: Tick,
    /// Whether something inside it is kept.
    carries: bool,
}

/// The kind of an open entry.
#[derive(Debug, Clone, Copy)]
enum EntryKind {
    /// A slice, with the state to go back to.
    Slice(SavedState),
    /// A function of the stack that runs.
    Function,
    /// A function on top of the stack that runs, such as a garbage collection.
    OnTop,
}

/// The state before a slice began, to go back to when it ends.
#[derive(Debug, Clone, Copy)]
struct SavedState {
    top: Option<TopSlice>,
    locked: Stack,
}

/// The innermost open slice.
///
/// It is saved and restored with each slice. So it has two fields, which stay in registers: a processor that reads together
/// what it has just written apart has to wait.
#[derive(Debug, Clone, Copy)]
struct TopSlice {
    /// The position of the slice in [`SampledThread::slices`].
    number: u32,
    /// Whether functions wait for the slice and it calls none itself, so that samples in it say nothing new.
    frozen: bool,
}

/// The state of a walk.
pub(super) struct Walk<'w, S> {
    trace: &'w Trace,
    rules: &'w SampleRules,
    thread: SampledThread,
    sink: &'w mut S,
    /// All open slices and functions, the innermost last.
    entries: Vec<Entry>,
    /// The innermost open slice; `None` if none is open.
    top: Option<TopSlice>,
    /// The functions below the innermost slice, which wait for it. They stay until it ends, whatever samples say.
    locked: Stack,
    /// All functions that run: `locked` and those above the innermost slice.
    running: Stack,
    /// The number of open invocations.
    n_invocations: u32,
    /// The number of functions that may still be opened.
    budget: u64,
    stats: MergeStats,
    /// A buffer for the functions that [`Walk::set`] opens.
    path: Vec<Function>,
}

/// The state that the walks over the threads of a trace pass on.
pub(super) struct Shared {
    /// The stacks of the last profile. Threads that share their frames also share the stacks made of them.
    pub(super) stacks: Stacks,
    /// The number of functions that may still be opened. The part that a walk does not use is left to the next one.
    pub(super) budget: u64,
}

impl Default for Shared {
    fn default() -> Self {
        Self { stacks: Stacks::default(), budget: MIN_BUDGET }
    }
}

impl<'w, S: Sink> Walk<'w, S> {
    /// Starts a walk that may open `budget` functions more than the slices and samples pay for.
    pub(super) fn new(
        trace: &'w Trace,
        rules: &'w SampleRules,
        thread: SampledThread,
        budget: u64,
        sink: &'w mut S,
    ) -> Self {
        let n_items = thread.slices.len() as u64 + thread.n_samples;
        let stats = MergeStats {
            samples: thread.n_samples,
            fixed_missing: thread.n_fixed,
            unknown_frame: thread.n_unknown,
            ..MergeStats::default()
        };
        Self {
            trace,
            rules,
            thread,
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

    /// Walks over all slices and samples.
    pub(super) fn run(mut self) -> (MergeStats, Shared) {
        if let Some((_, end)) = self.thread.range {
            self.run_to(end);
        }
        (self.stats, Shared { stacks: self.thread.stacks, budget: self.budget })
    }

    /// Walks over all slices and samples, and closes everything that is still open at `end`.
    fn run_to(&mut self, end: Tick) {
        let mut next = 0;
        for slice in 0..self.thread.slices.len() {
            let start = self.thread.slices[slice].start;
            // A sample at the start of a slice is inside the slice, and so comes after its begin.
            while let Some(&sample) = self.thread.samples.get(next).filter(|sample| sample.at < start) {
                self.sample(sample);
                next += 1;
            }
            self.begin(slice, next);
        }
        while let Some(&sample) = self.thread.samples.get(next) {
            self.sample(sample);
            next += 1;
        }
        while let Some(top) = self.top {
            self.end_slice(top);
        }
        while !self.entries.is_empty() {
            self.close(end);
        }
    }

    /// Handles a sample: it decides which functions run above the innermost slice, unless it says nothing new.
    fn sample(&mut self, sample: PlacedSample) {
        while let Some(top) = self.top.filter(|&top| self.slice(top).is_over(sample.at)) {
            self.end_slice(top);
        }
        if sample.observed == Observation::Gap {
            self.set(Stack::EMPTY, sample.at);
            return self.sink.gap(sample.at);
        } else if self.top.is_some_and(|top| top.frozen) {
            self.stats.frozen += 1;
        } else if sample.is_echo {
            self.stats.echoes += 1;
        } else {
            match sample.observed {
                Observation::Stack(stack) => self.set(stack, sample.at),
                Observation::CutOff(stack) => self.set_above_locked(stack, true, sample.at),
                Observation::OnTop(function) => self.open_on_top(function, sample.at),
                Observation::Gap => {}
            }
        }
        self.sink.hit(sample.weight, sample.at);
    }

    /// Handles the begin of a slice. `next` is the position of the first sample that is not earlier.
    fn begin(&mut self, number: usize, next: usize) {
        let slice = self.thread.slices[number];
        while let Some(top) = self.top.filter(|top| Some(top.number) != slice.parent) {
            self.end_slice(top);
        }
        // A function on top, such as a garbage collection, does not call slices. So it is over when the slice begins.
        self.close_on_top(slice.start);
        let is_settled = self.prepare(&slice, next);
        let callee = self.callee(&slice, is_settled);
        if let Some(callee) = callee {
            self.set(self.thread.stacks.parent(callee), slice.start);
        }
        self.open_slice(u32::try_from(number).unwrap_or(u32::MAX), &slice);
        if let Some(callee) = callee {
            self.set(callee, slice.start);
        }
    }

    /// Sets the functions that run to those that the slice was called from, by rules 1 to 5. Returns whether the
    /// caller is certain.
    fn prepare(&mut self, slice: &NestedSlice, next: usize) -> bool {
        if self.top.is_some_and(|top| top.frozen) {
            return true;
        }
        if let Some(enclosing) = slice.enclosing {
            self.set(enclosing, slice.start);
            return true;
        }
        if let Some(site) = slice.caller {
            self.set(self.thread.stacks.role(site as usize).stack(), slice.start);
            return true;
        }
        let next = self.thread.samples.get(next).copied();
        let direct = slice.first.map(|at| self.thread.samples[at as usize]);
        if self.n_invocations > 0 {
            self.prepare_inside_call(slice, next.filter(|next| next.at < slice.end), direct);
        } else if slice.role != SliceRole::Other {
            self.set(self.locked, slice.start);
        } else if self.running != self.locked {
            self.keep_confirmed(slice, direct, next);
        }
        false
    }

    /// Applies rule 3: inside an invocation, the samples in the slice tell its callers. `direct` is the first sample
    /// in the slice outside of invocations in it, and `any` the first one of all.
    fn prepare_inside_call(
        &mut self,
        slice: &NestedSlice,
        any: Option<PlacedSample>,
        direct: Option<PlacedSample>,
    ) {
        let stacks = &self.thread.stacks;
        let stack_of = |sample: &PlacedSample| sample.observed.stack();
        let direct = direct.filter(|direct| {
            matches!(direct.observed, Observation::Stack(_))
                && any.is_some_and(|any| stacks.begins_with(stack_of(&any), stack_of(direct)))
        });
        if let Some(direct) = direct.filter(|_| !slice.role.is_invocation()) {
            return self.set(stack_of(&direct), slice.start);
        }
        let Some(Observation::Stack(stack)) = direct.or(any).map(|sample| sample.observed) else { return };
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
            self.set(native, slice.start);
        } else {
            let common = stacks.common(self.running, stack);
            if common != self.running {
                self.set(common, slice.start);
            }
        }
    }

    /// Applies rule 5: without an invocation, only those functions stay below the slice that the next sample has too.
    ///
    /// New functions are opened below the slice only if the sample is directly in it: the functions of a sample in an
    /// invocation inside the slice may have been called by that invocation.
    fn keep_confirmed(
        &mut self,
        slice: &NestedSlice,
        direct: Option<PlacedSample>,
        next: Option<PlacedSample>,
    ) {
        let Some(sample) = direct.or(next) else { return self.set(self.locked, slice.start) };
        let Observation::Stack(stack) = sample.observed else { return };
        let common = self.thread.stacks.common(self.running, stack);
        self.set(if common != self.locked && direct.is_some() { stack } else { common }, slice.start);
    }

    /// Applies rule 6: returns the stack whose top is the function that the arguments of the slice name as its
    /// callee, or `None` if its samples do not have that function.
    fn callee(&mut self, slice: &NestedSlice, is_settled: bool) -> Option<Stack> {
        let sample = slice.first_stack.filter(|_| slice.role.is_invocation() && self.budget > 0)?;
        let stack = self.thread.samples[sample as usize].observed.stack();
        let base = if is_settled { self.running } else { self.locked };
        let stacks = &self.thread.stacks;
        if !stacks.begins_with(stack, base) {
            return None;
        }
        let args = self.trace.slice_args(slice.id);
        let callee = CalleeMatch::new(self.trace, (self.rules.callee)(&args)?)?;
        // A certain caller calls the function directly, with no others between.
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

    /// Sets the functions that run to `stack`, as far as the locked functions allow. Functions that ran before and
    /// are also in `stack` stay open.
    fn set(&mut self, stack: Stack, at: Tick) {
        let stacks = &self.thread.stacks;
        if stacks.begins_with(stack, self.locked) {
            self.run_stack(stack, at);
        } else if stacks.begins_with(self.locked, stack) {
            self.run_stack(self.locked, at);
        } else {
            self.stats.conflicts += 1;
            self.set_above_locked(stack, false, at);
        }
    }

    /// Sets the functions that run to the locked functions, and above them those of a stack that does not begin with
    /// them.
    fn set_above_locked(&mut self, stack: Stack, is_cut_off: bool, at: Tick) {
        let budget = &mut self.budget;
        let target = if self.locked == Stack::EMPTY {
            stack
        } else if *budget == 0 {
            self.locked
        } else {
            let spend = &mut |steps: u32| *budget = budget.saturating_sub(steps.into());
            self.thread.stacks.moved_onto(self.locked, stack, is_cut_off, spend)
        };
        self.run_stack(target, at);
    }

    /// Opens and closes functions above the innermost slice until those of `target` run, which begins with the locked
    /// functions.
    fn run_stack(&mut self, target: Stack, at: Tick) {
        self.close_on_top(at);
        if target == self.running {
            return;
        }
        let stacks = &self.thread.stacks;
        let common = stacks.common(self.running, target);
        // The target begins with the locked functions, and so do those that run. So only functions above the
        // innermost slice are closed, and never the slice itself.
        let kept = stacks.depth(common);
        for _ in kept..stacks.depth(self.running) {
            self.close(at);
        }
        let stacks = &self.thread.stacks;
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
            self.open_function(function, EntryKind::Function, at);
        }
        self.path = path;
    }

    /// Opens a function on top of everything.
    fn open_function(&mut self, function: Function, kind: EntryKind, at: Tick) {
        self.entries.push(Entry { kind, start: at, carries: false });
        self.sink.open(Opened::Frame(self.thread.stacks.frame(function)), at);
    }

    /// Opens a function on top of the stack that runs, unless there is one already.
    fn open_on_top(&mut self, function: Function, at: Tick) {
        if !matches!(self.entries.last(), Some(Entry { kind: EntryKind::OnTop, .. })) {
            self.open_function(function, EntryKind::OnTop, at);
        }
    }

    /// Closes the function on top of the stack that runs, if there is one.
    fn close_on_top(&mut self, at: Tick) {
        if matches!(self.entries.last(), Some(Entry { kind: EntryKind::OnTop, .. })) {
            self.close(at);
        }
    }

    /// Opens a slice. The functions that run wait for it from now on.
    fn open_slice(&mut self, number: u32, slice: &NestedSlice) {
        let is_invocation = slice.role.is_invocation();
        let is_hosted = self.n_invocations > 0 || self.running != Stack::EMPTY;
        let below = SavedState { top: self.top, locked: self.locked };
        self.n_invocations += u32::from(is_invocation);
        self.locked = self.running;
        self.top = Some(TopSlice { number, frozen: is_hosted && !is_invocation });
        self.entries.push(Entry { kind: EntryKind::Slice(below), start: slice.start, carries: false });
        self.sink.open(Opened::Slice(slice.id), slice.start);
    }

    /// Returns the innermost open slice.
    fn slice(&self, top: TopSlice) -> &NestedSlice {
        &self.thread.slices[top.number as usize]
    }

    /// Closes the innermost slice at its end, and all functions above it.
    fn end_slice(&mut self, top: TopSlice) {
        let &NestedSlice { end, role, .. } = self.slice(top);
        while let Some(&Entry { kind, .. }) = self.entries.last() {
            self.close(end);
            if let EntryKind::Slice(below) = kind {
                self.n_invocations -= u32::from(role.is_invocation());
                self.running = self.locked;
                self.locked = below.locked;
                self.top = below.top;
                return;
            }
        }
    }

    /// Closes the innermost entry. Functions without duration are not kept, because they would be invisible.
    fn close(&mut self, at: Tick) {
        let Some(entry) = self.entries.pop() else { return };
        let kept = matches!(entry.kind, EntryKind::Slice(_)) || entry.carries || at > entry.start;
        if kept && let Some(below) = self.entries.last_mut() {
            below.carries = true;
        }
        self.sink.close(at, kept);
    }
}

/// The number of functions that the walks over a trace may open besides those that slices and samples allow. Without
/// a bound, stacks deeper than any profiler writes would make a huge trace of a small file.
const MIN_BUDGET: u64 = 1 << 16;
/// The number of functions that each slice and each sample allow to be opened.
pub(super) const BUDGET_PER_ITEM: u64 = 256;

/// The function that an invocation names as its callee, by the numbers of names in the trace.
enum CalleeMatch {
    Position { source: i64, line: u32, column: u32 },
    Name { name: NameId, url: NameId },
}

impl CalleeMatch {
    /// Returns the function to look for; `None` if the trace does not have its names.
    fn new(trace: &Trace, callee: Callee<'_>) -> Option<Self> {
        Some(match callee {
            Callee::Position { source, line, column } => Self::Position { source, line, column },
            Callee::Name { name, url } => Self::Name {
                name: trace.names().find(&name.unescape())?,
                url: trace.names().find(&url.unescape())?,
            },
        })
    }

    /// Returns whether a call frame is the function.
    fn is(&self, trace: &Trace, frame: FrameId) -> bool {
        trace.frame(frame).is_some_and(|frame| match *self {
            Self::Position { source, line, column } => {
                frame.source == source && frame.line == Some(line) && frame.column == Some(column)
            }
            Self::Name { name, url } => frame.name == name && frame.url == url,
        })
    }
}
