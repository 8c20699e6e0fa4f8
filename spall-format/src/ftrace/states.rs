//! States of threads, each of which ends where the next one of its thread begins. [ftrace 4.1](crate::rules::ftrace#4.1)

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{ArgsBuilder, Event, NameId, Names, Text, ThreadEvent, Tick, Ticks};

use super::output::Output;
use super::tasks::Tasks;

/// The changes of states of a file.
///
/// They come from all processors, so that only the whole file tells their order.
#[derive(Debug, Default)]
pub(crate) struct ThreadStates {
    changes: Vec<Change>,
    /// States without a number of their own, and functions in which threads wait.
    texts: Names,
    cpus: HashMap<u32, Cpu, RandomState>,
}

/// The begin of a state.
// A switch of a processor may be 5 bytes of a file, and is two of these.
#[derive(Debug, Clone, Copy)]
struct Change {
    at: i64,
    tid: u32,
    state: ThreadState,
}

const _: () = assert!(size_of::<Change>() == 16);

/// What is known about a processor.
#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    /// The thread that runs.
    running: Option<i64>,
    /// The time of its last event.
    at: i64,
    /// When events were lost since the last switch.
    lost_at: Option<i64>,
}

/// What a thread does: the number of the state in the lowest bits, and in the others a detail that depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadState(u32);

/// The number of bits of the number of a state.
const KIND_BITS: u32 = 4;

/// The numbers of states, under the letters that `ps` uses, and of changes that depend on the state before.
const LETTERS: [&str; 12] = ["Running", "R", "R+", "S", "D", "T", "t", "X", "Z", "P", "I", "R"];
const RUNNING: u32 = 0;
/// The thread is able to run, if it was not before. The detail is the thread that woke it, and 1 more.
const WOKEN: u32 = 11;
/// The state has no number. The detail is its name.
const NAMED: u32 = 12;
/// Why the thread waits, which is no state of its own. The detail is the function, and in the lowest bit whether it waits for
/// a device.
const REASON: u32 = 13;
/// Nothing is known about the thread.
const UNKNOWN: u32 = 14;

impl ThreadState {
    /// A thread that could go on.
    pub(crate) const RUNNABLE: Self = Self(1);
    pub(crate) const SLEEPING: Self = Self(3);
    pub(crate) const WAITING: Self = Self(4);

    /// Returns a state with a detail. One that is too large is left out.
    const fn new(kind: u32, detail: u32) -> Self {
        Self(if detail < 1 << (u32::BITS - KIND_BITS) { detail << KIND_BITS | kind } else { kind })
    }

    /// Returns the state in which a thread no longer runs, by the bits that the kernel gives it.
    pub(crate) fn of_bits(state: i64) -> Self {
        // Bits above these, of one version of Linux or another, mean that the thread could have gone on.
        Self(match state & 0xff {
            0 if state & 0x1d00 != 0 => 2,
            0 => 1,
            bits if bits & 0x82 == 0x82 => 10,
            bits => 3 + bits.trailing_zeros(),
        })
    }

    const fn kind(self) -> u32 {
        self.0 & ((1 << KIND_BITS) - 1)
    }

    const fn detail(self) -> u32 {
        self.0 >> KIND_BITS
    }

    /// Returns whether the thread runs or is able to.
    const fn is_up(self) -> bool {
        matches!(self.kind(), RUNNING..=2 | WOKEN)
    }
}

impl ThreadStates {
    /// Returns a state by its letters. Several ones are separated by bars.
    pub(crate) fn named(&mut self, letters: &[u8]) -> ThreadState {
        let known = LETTERS.iter().take(WOKEN as usize).position(|known| known.as_bytes() == letters);
        if let Some(kind) = known.and_then(|kind| u32::try_from(kind).ok()) {
            return ThreadState(kind);
        }
        let mut joined = [0; 16];
        let mut len = 0;
        for (slot, &letter) in joined.iter_mut().zip(letters.iter().filter(|&&letter| letter != b'|')) {
            (*slot, len) = (letter, len + 1);
        }
        let NameId(name) = self.texts.intern_bytes(joined.get(..len).unwrap_or_default());
        ThreadState::new(NAMED, name)
    }

    /// Returns the thread that runs on a processor, if a switch has said it.
    pub(crate) fn running(&self, cpu: u32) -> Option<i64> {
        self.cpus.get(&cpu).and_then(|cpu| cpu.running)
    }

    /// Takes a switch of a processor from one thread to another. Returns whether the one before is that of the last switch, as
    /// far as it is known.
    pub(crate) fn switch(
        &mut self,
        cpu: u32,
        at: i64,
        (previous, state): (i64, ThreadState),
        next: i64,
    ) -> bool {
        let known = self.cpus.entry(cpu).or_default();
        let Cpu { running, lost_at, .. } =
            core::mem::replace(known, Cpu { running: Some(next), at, lost_at: None });
        let is_same = running.is_none_or(|running| running == previous);
        if let (Some(lost_at), Some(running), false) = (lost_at, running, is_same) {
            self.push(running, lost_at, ThreadState(UNKNOWN));
        }
        self.push(previous, at, state);
        self.push(next, at, ThreadState::new(RUNNING, cpu.saturating_add(1)));
        is_same || lost_at.is_some()
    }

    /// Takes note of the time of an event on a processor.
    pub(crate) fn event(&mut self, cpu: u32, at: i64) {
        if let Some(known) = self.cpus.get_mut(&cpu) {
            known.at = at;
        }
    }

    /// Takes note that events of a processor were lost.
    pub(crate) fn lost(&mut self, cpu: u32) {
        if let Some(known) = self.cpus.get_mut(&cpu) {
            known.lost_at = known.lost_at.or(Some(known.at));
        }
    }

    /// Takes note that a thread was woken by another.
    pub(crate) fn wake(&mut self, tid: i64, waker: Option<i64>, at: i64) {
        let waker = waker.and_then(|waker| u32::try_from(waker).ok()?.checked_add(1)).unwrap_or(0);
        self.push(tid, at, ThreadState::new(WOKEN, waker));
    }

    /// Takes note of why a thread waits: in which function, and whether for a device.
    pub(crate) fn blocked(&mut self, tid: i64, function: &[u8], is_io: bool, at: i64) {
        let NameId(name) = self.texts.intern_bytes(function);
        let detail = name.saturating_mul(2) | u32::from(is_io);
        self.push(tid, at, ThreadState::new(REASON, detail));
    }

    /// Adds a change of a thread. The idle thread, 0, has no states.
    fn push(&mut self, tid: i64, at: i64, state: ThreadState) {
        if let Ok(tid @ 1..) = u32::try_from(tid) {
            self.changes.push(Change { at, tid, state });
        }
    }

    /// Hands over the states. The last one of each thread lasts until `end`.
    pub(super) fn hand_over(mut self, end: i64, tasks: &mut Tasks, out: &mut Output<'_>) {
        self.changes.sort_by_key(|change| (change.tid, change.at));
        let mut last: Option<Change> = None;
        self.changes.retain(|change| {
            let before = last.filter(|last| last.tid == change.tid).map(|last| last.state);
            match change.state.kind() {
                WOKEN if before.is_some_and(ThreadState::is_up) => false,
                REASON => before.is_some_and(|before| !before.is_up()),
                _ => {
                    last = Some(*change);
                    true
                }
            }
        });
        let mut args = ArgsBuilder::new();
        let mut shown = None;
        for (at, change) in self.changes.iter().enumerate() {
            if matches!(change.state.kind(), REASON | UNKNOWN) {
                continue;
            }
            args.clear();
            let mut behind = self.changes.get(at + 1..).unwrap_or_default().iter();
            let mut next = behind.next().filter(|next| next.tid == change.tid);
            while let Some(reason) = next.filter(|next| next.state.kind() == REASON) {
                args.clear();
                self.explain(reason.state.detail(), &mut args);
                next = behind.next().filter(|next| next.tid == change.tid);
            }
            let until = next.map_or(end.max(change.at), |next| next.at);
            match (change.state.kind(), change.state.detail().checked_sub(1)) {
                (RUNNING, Some(cpu)) => _ = args.add("cpu", cpu),
                (WOKEN, Some(waker)) => _ = args.add("waker", waker),
                _ => {}
            }
            let (_, thread) = match shown {
                Some((tid, thread)) if tid == change.tid => (tid, thread),
                _ => *shown.insert((change.tid, tasks.show(change.tid.into(), out))),
            };
            let mut event = ThreadEvent::new(thread, Tick(change.at), self.name(change.state));
            event.args = args.args();
            out.say(&Event::State(event, Ticks(until.saturating_sub(change.at))));
        }
    }

    /// Adds why a thread waits.
    fn explain(&self, detail: u32, args: &mut ArgsBuilder<'static>) {
        args.add("io_wait", detail & 1 != 0);
        let function = self.texts.bytes(NameId(detail >> 1));
        if !function.is_empty() {
            args.add("blocked_function", Text::plain(function));
        }
    }

    fn name(&self, state: ThreadState) -> Text<'_> {
        match LETTERS.get(state.kind() as usize) {
            Some(name) => Text::from(*name),
            None => Text::plain(self.texts.bytes(NameId(state.detail()))),
        }
    }
}
