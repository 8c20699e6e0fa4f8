//! Samples of call stacks, and the counters that came with them. [perfetto 4.7](crate::rules::perfetto#4.7)

use spall_model::{DiagnosticKind, Event, Id, SampleStack, Text, Thread, ThreadSampleEvent, Tick};

use super::clock::{ClockId, Fit};
use super::counters::{Counters, float};
use super::output::Output;
use super::schema::{
    EventStack, Follower, InlineFrame, PerfDefaults, PerfSample, StackSample, StackSampleDefaults,
    TaskContext, Timebase,
};
use super::sequence::LegacyThread;
use super::stacks::{Function, ROOT, StackNode, TextId};
use super::state::State;
use super::strings::table;
use crate::protobuf::{Message as _, Packed, numbers, repeated, scalars, text};

/// The names of the counters of `perf`, by their number.
const PERF_COUNTERS: [&str; 21] = [
    "cpu-clock",
    "cpu-clock",
    "page-faults",
    "task-clock",
    "context-switches",
    "cpu-migrations",
    "minor-faults",
    "major-faults",
    "alignment-faults",
    "emulation-faults",
    "cpu-cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branch-instructions",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
    "dummy",
];

/// Returns the name of a counter: what the file calls it, or else what it counts.
fn counter_name<'a>(name: &'a [u8], tracepoint: &'a [u8], counter: u32) -> &'a [u8] {
    let counted = PERF_COUNTERS.get(counter as usize).unwrap_or(&"counter").as_bytes();
    let traced = text(tracepoint, 1);
    [name, traced].into_iter().find(|name| !name.is_empty()).unwrap_or(counted)
}

impl State {
    /// Hands over a sample of `perf`, and its counters.
    pub(super) fn perf_sample(&mut self, sequence: u32, message: &[u8], at: i64, out: &mut Output<'_>) {
        let (sample, whole) = PerfSample::read(message);
        out.check(whole);
        if sample.producer_event.is_some() {
            return;
        }
        if sample.lost.is_some_and(|lost| lost > 0) {
            return out.report(DiagnosticKind::LostPackets);
        }
        let Self { sequences, strings, stacks, name: buffer, values, .. } = self;
        let defaults = strings.get(sequences.find(sequence).default_messages().perf_sample);
        let timebase = Timebase::of(PerfDefaults::of(defaults).timebase);
        let base = counter_name(timebase.name, timebase.tracepoint, timebase.counter);
        let mut counters = Counters { name: buffer, values, at, out };
        counters.say_of_cpu(sample.cpu, base, float(sample.count));
        let followers = repeated(defaults, 4).map(Follower::of);
        for (follower, count) in followers.zip(scalars(message, 7, Packed::Varint)) {
            let name = counter_name(follower.name, follower.tracepoint, follower.counter);
            counters.say_of_cpu(sample.cpu, name, float(count));
        }
        let base = stacks.text(base);
        let Ok(pid) = i32::try_from(sample.pid) else { return };
        let root = self.stacks.root(self.uids.get(&pid).copied());
        if sample.callstack == 0 {
            return;
        }
        let node = self.interned_stack(sequence, sample.callstack, root, out);
        let thread = Thread::new(sample.pid, sample.tid);
        self.sample(thread, (at, node, 1.0), base, out);
    }

    /// Hands over a sample of any profiler.
    pub(super) fn stack_sample(&mut self, sequence: u32, message: &[u8], at: i64, out: &mut Output<'_>) {
        let (sample, whole) = StackSample::read(message);
        out.check(whole);
        let Self { sequences, strings, stacks, .. } = self;
        let state = sequences.find(sequence);
        let interned = |iid| state.interned.get(table::TASK_CONTEXTS, iid).map(|place| strings.get(place));
        let task = sample.task.or_else(|| interned(sample.task_iid)).map(TaskContext::of).unwrap_or_default();
        let defaults = StackSampleDefaults::of(strings.get(state.default_messages().stack_sample));
        let descriptor = sample.descriptor.unwrap_or(defaults.descriptor);
        let name = [text(descriptor, 2), defaults.source].into_iter().find(|name| !name.is_empty());
        let name = stacks.text(name.unwrap_or_default());
        let thread = Thread::new(task.pid, task.tid);
        let root = stacks.root(i32::try_from(task.pid).ok().and_then(|pid| self.uids.get(&pid).copied()));
        let node = match sample.callstack {
            Some(inline) => self.inline_stack(inline, root),
            None => self.interned_stack(sequence, sample.callstack_iid, root, out),
        };
        let weight = sample.weight.map_or(1.0, float);
        self.sample(thread, (at, node, weight), name, out);
    }

    /// Hands over the samples of a packet that Chrome's own profiler wrote.
    pub(super) fn streaming_profile(&mut self, sequence: u32, message: &[u8], out: &mut Output<'_>) {
        let stacks = scalars(message, 1, Packed::Varint);
        let deltas = scalars(message, 2, Packed::Varint);
        let (root, name) = (self.stacks.root(None), self.stacks.text(b""));
        for (stack, delta) in stacks.zip(deltas) {
            let state = self.sequences.find(sequence);
            let Some(LegacyThread { pid, tid, time_ns: Some(time), .. }) = state.thread.as_deref_mut() else {
                return out.report(DiagnosticKind::LostState);
            };
            *time = time.saturating_add(delta.cast_signed().saturating_mul(1000));
            let thread = Thread::new(*pid, *tid);
            let (at, fit) = self.clocks.place(ClockId::MONOTONIC, *time, &mut None, Fit::Fits);
            out.fit(fit);
            let node = self.interned_stack(sequence, stack, root, out);
            self.sample(thread, (at, node, 1.0), name, out);
        }
    }

    /// Hands over the call stack of a track event.
    pub(super) fn track_stack(
        &mut self,
        sequence: u32,
        track_at: usize,
        message: &[u8],
        at: i64,
        out: &mut Output<'_>,
    ) {
        let stack = EventStack::of(message);
        let root = self.stacks.root(None);
        let node = match stack.inline {
            Some(inline) => self.inline_stack(inline, root),
            None => self.interned_stack(sequence, stack.iid, root, out),
        };
        if self.stacks.is_root(node) {
            return;
        }
        let thread = self.tracks.thread(&self.tracks.get(track_at), &self.strings);
        let stack_frame = SampleStack::Frame(Id::from(node));
        let mut event = ThreadSampleEvent::new(thread, Tick(at), Text::EMPTY, stack_frame);
        event.weight = stack.weight.unwrap_or(1.0);
        out.say(&Event::ThreadSample(event));
    }

    /// Hands over a sample, unless its stack is empty.
    fn sample(
        &mut self,
        thread: Thread<'_>,
        (at, node, weight): (i64, StackNode, f64),
        name: TextId,
        out: &mut Output<'_>,
    ) {
        if self.stacks.is_root(node) {
            return;
        }
        self.end = self.end.max(at);
        let stack = SampleStack::Frame(Id::from(node));
        let name = Text::plain(self.stacks.text_of(name));
        let mut event = ThreadSampleEvent::new(thread, Tick(at), name, stack);
        event.weight = weight;
        out.say(&Event::ThreadSample(event));
    }

    /// Returns the innermost call of an interned stack. [perfetto 4.7](crate::rules::perfetto#4.7)
    fn interned_stack(
        &mut self,
        sequence: u32,
        iid: u64,
        root: StackNode,
        out: &mut Output<'_>,
    ) -> StackNode {
        let Self { sequences, strings, stacks, budget, .. } = self;
        let state = sequences.find(sequence);
        let Some(place) = state.interned.get(table::CALLSTACKS, iid) else {
            out.report(DiagnosticKind::UnknownEntry);
            return ROOT;
        };
        // A stack is read once, however many samples have it.
        if let Some(known) = state.interned.known(place, root) {
            return known;
        }
        let mut node = root;
        for frame in scalars(strings.get(place), 2, Packed::Varint) {
            let Some(rest) = budget.checked_sub(stacks.take_cost()) else {
                out.report(DiagnosticKind::NotRead);
                break;
            };
            *budget = rest;
            match stacks.interned_function(frame, &state.interned, strings) {
                Some(function) => node = stacks.call(node, function),
                None => out.report(DiagnosticKind::UnknownEntry),
            }
        }
        state.interned.remember(place, root, node);
        node
    }

    /// Returns the innermost call of a stack whose functions are in the packet.
    fn inline_stack(&mut self, message: &[u8], root: StackNode) -> StackNode {
        let Self { stacks, .. } = self;
        repeated(message, 1).map(InlineFrame::of).fold(root, |node, frame| {
            let function = Function {
                name: stacks.text(frame.function),
                mapping: stacks.text(b""),
                build_id: stacks.text(b""),
                source: stacks.text(frame.file),
                address: 0,
                line: frame.line,
            };
            stacks.call(node, function)
        })
    }

    /// Takes the names of Android's packages.
    pub(super) fn packages(&mut self, message: &[u8]) {
        for package in repeated(message, 1) {
            let [.., uid]: [u64; 3] = numbers(package);
            if let Ok(uid) = i32::try_from(uid) {
                self.stacks.packages.insert(uid, text(package, 1).to_vec());
            }
        }
    }
}
