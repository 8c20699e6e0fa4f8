//! What events of the kernel mean. [ftrace 4](crate::rules::ftrace#4)
//!
//! Both readers, of the text and of Perfetto's packets, decode events and hand them over here.

use alloc::string::String;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use spall_model::DiagnosticKind;

use super::drm::Drm;
use super::event_fields::At;
use super::output::{NameBuffer, Output, Shown, signed_float};
use super::states::{ThreadState, ThreadStates};
use super::tasks::{Step, Tasks};

/// What events of the kernel leave behind for later ones.
#[derive(Debug, Default)]
pub(crate) struct Kernel {
    pub(crate) tasks: Tasks,
    pub(crate) states: ThreadStates,
    /// The name of a slice that is printed without one.
    pub(super) no_name: &'static str,
    pub(super) name: NameBuffer,
    /// The tracks without a process that were handed over.
    pub(super) tracks: HashSet<String, RandomState>,
    /// What sums of events have come to, by the names of their counters.
    pub(super) sums: HashMap<String, u64, RandomState>,
    pub(super) drm: Drm,
    /// Where a slice runs that several reasons hold, and how many they are.
    pub(super) running: HashMap<At, u32, RandomState>,
    transactions: HashMap<i64, Transaction, RandomState>,
    /// The number of calls of each thread that were not answered.
    calls: HashMap<i64, u32, RandomState>,
    /// What threads do with the lock of binder.
    locks: HashMap<i64, Lock, RandomState>,
    /// The thread of each memory that another thread may change.
    memories: HashMap<u64, i64, RandomState>,
}

/// A track of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CpuTrack {
    /// Handlers of interrupts.
    Irq,
    /// What they left for later.
    SoftIrq,
    /// Interrupts by other processors.
    Ipi,
}

impl CpuTrack {
    const fn name(self) -> &'static str {
        match self {
            Self::Irq => "Irq",
            Self::SoftIrq => "SoftIrq",
            Self::Ipi => "Ipi",
        }
    }
}

/// A transaction of binder that was sent and has not been received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transaction {
    Call,
    Reply,
    OneWay,
}

/// What a thread does with the lock of binder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lock {
    Awaited,
    Held,
}

/// The category of slices of binder, the calls between processes of Android.
const BINDER: &str = "binder";

/// The names of deferred work of interrupts, by its number.
pub(crate) const SOFT_IRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// The names of the parts of a process's memory, by their number.
const MEMORY: [&str; 4] = ["mem.rss.file", "mem.rss.anon", "mem.swap", "mem.rss.shmem"];

impl Kernel {
    /// Returns the same with a name for slices that are printed without one.
    pub(crate) fn with_empty_name(self, no_name: &'static str) -> Self {
        Self { no_name, ..self }
    }

    /// Takes a switch of a processor from one thread to another. [ftrace 4.1](crate::rules::ftrace#4.1)
    pub(crate) fn switch(
        &mut self,
        cpu: u32,
        at: i64,
        previous: (i64, ThreadState),
        next: i64,
        out: &mut Output<'_>,
    ) {
        if !self.states.switch(cpu, at, previous, next) {
            out.report(DiagnosticKind::SwitchMismatch);
        }
    }

    /// Takes a task that was created by another. [ftrace 4.2](crate::rules::ftrace#4.2)
    pub(crate) fn new_task(
        &mut self,
        creator: i64,
        tid: i64,
        is_thread: bool,
        name: &[u8],
        out: &mut Output<'_>,
    ) {
        let pid = if is_thread { self.tasks.process(creator) } else { Some(tid) };
        if let Some(pid) = pid {
            self.tasks.place(tid, pid, out);
        }
        self.tasks.name(tid, name);
    }

    /// Begins a slice on a track of a processor, or ends one if it has no name. [ftrace 4.4](crate::rules::ftrace#4.4)
    pub(crate) fn cpu_slice(
        &mut self,
        (track, cpu): (CpuTrack, u32),
        at: i64,
        name: Option<&str>,
        out: &mut Output<'_>,
    ) {
        let step = if name.is_some() { Step::Begin } else { Step::End };
        let track = At::Track(alloc::format!("Cpu {cpu} {}", track.name()));
        self.step(&track, at, (step, name.unwrap_or_default(), "irq"), out);
    }

    /// Begins the work of a function in a thread of the kernel, or ends it.
    pub(crate) fn work(&mut self, tid: i64, at: i64, function: Option<&[u8]>, out: &mut Output<'_>) {
        let step = if function.is_some() { Step::Begin } else { Step::End };
        self.tasks.step(tid, at, (step, function.unwrap_or_default(), "workqueue"), out);
    }

    /// Takes a transaction that a thread sends. [ftrace 4.5](crate::rules::ftrace#4.5)
    pub(crate) fn transaction(
        &mut self,
        tid: i64,
        at: i64,
        number: i64,
        (is_reply, is_one_way): (bool, bool),
        out: &mut Output<'_>,
    ) {
        let (transaction, step, name) = match (is_reply, is_one_way) {
            (true, _) => (Transaction::Reply, Step::End, ""),
            (_, true) => (Transaction::OneWay, Step::Moment, "binder transaction async"),
            _ => (Transaction::Call, Step::Begin, "binder transaction"),
        };
        self.transactions.insert(number, transaction);
        if transaction == Transaction::Call {
            *self.calls.entry(tid).or_default() += 1;
        }
        self.tasks.step(tid, at, (step, name.as_bytes(), BINDER), out);
        if transaction != Transaction::Reply {
            self.tasks.step(tid, at, (Step::FlowOut, alloc::format!("{number}").as_bytes(), BINDER), out);
        }
    }

    /// Takes a transaction that a thread receives.
    pub(crate) fn transaction_received(&mut self, tid: i64, at: i64, number: i64, out: &mut Output<'_>) {
        let (step, name) = match self.transactions.remove(&number) {
            Some(Transaction::Call) => (Step::Begin, "binder reply"),
            Some(Transaction::OneWay) => (Step::Moment, "binder async rcv"),
            Some(Transaction::Reply) => {
                self.answered(tid);
                return self.tasks.step(tid, at, (Step::End, b"", BINDER), out);
            }
            None => return out.report(DiagnosticKind::UnmatchedFlow),
        };
        self.tasks.step(tid, at, (step, name.as_bytes(), BINDER), out);
        self.tasks.step(tid, at, (Step::FlowIn, alloc::format!("{number}").as_bytes(), BINDER), out);
    }

    /// Takes note that a call of a thread has failed: nothing answers it.
    pub(crate) fn failed_reply(&mut self, tid: i64, at: i64, out: &mut Output<'_>) {
        if self.answered(tid) {
            self.tasks.step(tid, at, (Step::End, b"", BINDER), out);
        }
    }

    /// Takes note that a call of a thread is over. Returns whether there is one.
    fn answered(&mut self, tid: i64) -> bool {
        let calls = self.calls.get_mut(&tid).filter(|calls| **calls > 0);
        calls.map(|calls| *calls -= 1).is_some()
    }

    /// Takes note that a thread waits for the lock of binder.
    pub(crate) fn lock(&mut self, tid: i64, at: i64, out: &mut Output<'_>) {
        self.locks.insert(tid, Lock::Awaited);
        self.tasks.step(tid, at, (Step::Begin, b"binder lock waiting", BINDER), out);
    }

    /// Takes note that a thread has got the lock of binder.
    pub(crate) fn locked(&mut self, tid: i64, at: i64, out: &mut Output<'_>) {
        if self.locks.get(&tid) != Some(&Lock::Awaited) {
            return out.report(DiagnosticKind::UnmatchedEnd);
        }
        self.locks.insert(tid, Lock::Held);
        self.tasks.step(tid, at, (Step::End, b"", BINDER), out);
        self.tasks.step(tid, at, (Step::Begin, b"binder lock held", BINDER), out);
    }

    /// Takes note that a thread no longer has the lock of binder.
    pub(crate) fn unlock(&mut self, tid: i64, at: i64, out: &mut Output<'_>) {
        if self.locks.get(&tid) != Some(&Lock::Held) {
            return out.report(DiagnosticKind::UnmatchedEnd);
        }
        self.locks.remove(&tid);
        self.tasks.step(tid, at, (Step::End, b"", BINDER), out);
    }

    /// Takes the size of a part of a process's memory. `memory` is its number, and whether it is that of the thread, if the
    /// file says it.
    pub(crate) fn memory(
        &mut self,
        tid: i64,
        at: i64,
        (part, size): (u64, i64),
        memory: Option<(u64, bool)>,
        out: &mut Output<'_>,
    ) {
        let name = usize::try_from(part).ok().and_then(|part| MEMORY.get(part));
        let owner = match memory {
            Some((memory, true)) => {
                self.memories.insert(memory, tid);
                Some(tid)
            }
            Some((memory, false)) => self.memories.get(&memory).copied(),
            None => Some(tid),
        };
        match name.zip(owner) {
            Some((name, owner)) if size >= 0 => {
                let pid = self.tasks.thread(owner).pid;
                out.counter((pid, None), name.as_bytes(), at, signed_float(size));
            }
            _ => out.report(DiagnosticKind::NotRead),
        }
    }

    /// Hands over what the end of the file settles. `end` is the latest time.
    pub(crate) fn finish(&mut self, end: i64, out: &mut Output<'_>) {
        self.tasks.finish(out);
        core::mem::take(&mut self.states).hand_over(end, &mut self.tasks, out);
    }
}

/// Returns the name of the slice of a handler of interrupts.
pub(crate) fn irq(handler: &[u8]) -> String {
    alloc::format!("IRQ ({})", Shown(handler))
}

/// Returns the name of the slice of an interrupt by another processor.
pub(crate) fn ipi(reason: &[u8]) -> String {
    alloc::format!("IPI ({})", Shown(reason))
}
