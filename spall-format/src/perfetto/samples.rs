//! Samples of call stacks, and the counters that came with them. [perfetto 4.7](crate::rules::perfetto#4.7)

use spall_model::{
    DiagnosticKind, Event, Id, NameId, ProfileId, SampleEvent, SampleStack, Text, Thread, Tick,
};

use super::clock::{ClockId, Fit, KnownClock};
use super::proto::numbers::{
    interned_data, perf_events_tracepoint, perf_sample, perf_sample_defaults,
    stack_sample_counter_descriptor, streaming_profile_packet,
};
use super::schema::{
    EventStack, Follower, Names, PerfDefaults, PerfSample, StackSample, StackSampleDefaults, TaskContext,
    Timebase,
};
use super::sequence::LegacyThread;
use super::stacks::{CUT, NO_USER, Source, Stacks, User};
use super::state::State;
use super::strings::cut;
use crate::ftrace::Output;
use crate::ftrace::float;
use crate::protobuf::{Message as _, Packed, repeated, scalars, text};

/// The names of the counters of `perf`, by their number.
const PERF_COUNTERS: Names = Names(&[
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
]);

/// Returns the name of a counter: what the file calls it, or else what it counts.
fn counter_name<'a>(name: &'a [u8], tracepoint: &'a [u8], counter: u32) -> &'a [u8] {
    let counted = PERF_COUNTERS.get(counter.into()).unwrap_or("counter").as_bytes();
    let traced = text(tracepoint, perf_events_tracepoint::NAME);
    cut([name, traced].into_iter().find(|name| !name.is_empty()).unwrap_or(counted))
}

impl State {
    /// Hands over a sample of `perf`, and its counters.
    pub(super) fn perf_sample(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let (perf, whole) = PerfSample::read(message);
        out.check(whole);
        if perf.producer_event.is_some() {
            return;
        }
        if perf.lost.is_some_and(|lost| lost > 0) {
            return out.report(DiagnosticKind::LostPackets);
        }
        let Self { sequences, strings, stacks, .. } = self;
        let defaults = sequences.current().defaults(strings).perf_sample;
        let timebase = Timebase::of(PerfDefaults::of(defaults).timebase);
        let base = counter_name(timebase.name, timebase.tracepoint, timebase.counter);
        let cpu = (Id::NONE, Some(Id::from(perf.cpu)));
        out.counter(cpu, base, at, float(perf.count));
        let followers = repeated(defaults, perf_sample_defaults::FOLLOWERS).map(Follower::of);
        for (follower, count) in followers.zip(scalars(message, perf_sample::FOLLOWER_COUNTS, Packed::Varint))
        {
            let name = counter_name(follower.name, follower.tracepoint, follower.counter);
            out.counter(cpu, name, at, float(count));
        }
        let name = stacks.text(base);
        if perf.callstack != 0 {
            let thread = Thread::new(perf.pid, perf.tid);
            let node = self.interned_stack(perf.callstack, self.user(perf.pid), out);
            sample(&self.stacks, thread, (at, node, 1.0), name, out);
        }
    }

    /// Returns the user of a process.
    fn user(&self, pid: u32) -> User {
        let uid = i32::try_from(pid).ok().and_then(|pid| self.uids.get(&pid));
        uid.map_or(NO_USER, |uid| uid.cast_unsigned())
    }

    /// Hands over a sample of any profiler.
    pub(super) fn stack_sample(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let (taken, whole) = StackSample::read(message);
        out.check(whole);
        let Self { sequences, strings, stacks, .. } = self;
        let state = sequences.current();
        let interned = |iid| {
            state.interned.get(interned_data::STACK_SAMPLE_TASK_CONTEXTS, iid).map(|place| strings.get(place))
        };
        let TaskContext { pid, tid, .. } =
            taken.task.or_else(|| interned(taken.task_iid)).map(TaskContext::of).unwrap_or_default();
        let defaults = StackSampleDefaults::of(state.defaults(strings).stack_sample);
        let descriptor = taken.descriptor.unwrap_or(defaults.descriptor);
        let name = [text(descriptor, stack_sample_counter_descriptor::NAME), defaults.source]
            .into_iter()
            .find(|name| !name.is_empty());
        let name = stacks.text(cut(name.unwrap_or_default()));
        let user = self.user(pid);
        let node = match taken.callstack {
            Some(inline) => self.stacks.inline(inline, user, self.n_read, out),
            None => self.interned_stack(taken.callstack_iid, user, out),
        };
        let weight = taken.weight.map_or(1.0, float);
        sample(&self.stacks, Thread::new(pid, tid), (at, node, weight), name, out);
    }

    /// Hands over the samples of a packet that Chrome's own profiler wrote.
    pub(super) fn streaming_profile(&mut self, message: &[u8], out: &mut Output<'_>) {
        let stacks = scalars(message, streaming_profile_packet::CALLSTACK_IID, Packed::Varint);
        let deltas = scalars(message, streaming_profile_packet::TIMESTAMP_DELTA_US, Packed::Varint);
        let name = self.stacks.text(b"");
        for (stack, delta) in stacks.zip(deltas) {
            let state = self.sequences.current();
            let Some(LegacyThread { pid, tid, time_ns: Some(time), .. }) = state.thread.as_deref_mut() else {
                return out.report(DiagnosticKind::LostState);
            };
            let us = delta.cast_signed();
            let next = us.checked_mul(1000).and_then(|ns| time.checked_add(ns));
            let fit = if next.is_some() { Fit::Fits } else { Fit::Clamped };
            *time = time.saturating_add(us.saturating_mul(1000));
            let thread = Thread::new(*pid, *tid);
            let (at, fit) = self.clocks.place(ClockId::MONOTONIC, *time, &mut KnownClock::default(), fit);
            out.fit(fit);
            let node = self.interned_stack(stack, NO_USER, out);
            self.end = self.end.max(at);
            sample(&self.stacks, thread, (at, node, 1.0), name, out);
        }
    }

    /// Hands over the call stack of a track event.
    #[inline(never)]
    pub(super) fn track_stack(&mut self, track_at: usize, message: &[u8], at: i64, out: &mut Output<'_>) {
        let stack = EventStack::of(message);
        let node = match stack.inline {
            Some(inline) => self.stacks.inline(inline, NO_USER, self.n_read, out),
            None => self.interned_stack(stack.iid, NO_USER, out),
        };
        let name = self.stacks.text(b"");
        let Self { tracks, strings, stacks, .. } = self;
        let thread = tracks.get(track_at).thread(strings);
        sample(stacks, thread, (at, node, stack.weight.unwrap_or(1.0)), name, out);
    }

    /// Returns the innermost call of an interned stack, or `None` if it is empty. [perfetto
    /// 4.7](crate::rules::perfetto#4.7)
    fn interned_stack(&mut self, iid: u64, user: User, out: &mut Output<'_>) -> Option<u32> {
        let Self { sequences, strings, stacks, budget, n_read, .. } = self;
        let interned = &mut sequences.current().interned;
        let Some(place) = interned.get(interned_data::CALLSTACKS, iid) else {
            out.report(DiagnosticKind::UnknownEntry);
            return None;
        };
        // A stack is read once, however many samples have it.
        if let Some(known) = interned.known(place, user) {
            return Some(known);
        }
        let mut source = Source { interned, strings, budget };
        let node = stacks.interned(strings.get(place), user, &mut source, *n_read, out)?;
        Some(interned.remember(place, user, node))
    }
}

/// Hands over a sample, unless its stack is empty.
fn sample(
    stacks: &Stacks,
    thread: Thread<'_>,
    (at, node, weight): (i64, Option<u32>, f64),
    name: NameId,
    out: &mut Output<'_>,
) {
    let Some(node) = node else { return };
    let profile = ProfileId::OfThread(thread, Text::plain(stacks.text_of(name)));
    let stack = if node == CUT { SampleStack::Unknown } else { SampleStack::Frame(Id::from(node)) };
    let mut event = SampleEvent::new(profile, Tick(at), stack);
    event.weight = weight;
    out.say(&Event::Sample(event));
}
