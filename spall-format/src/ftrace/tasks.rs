//! The threads of the system, their processes and names, and what they do. [ftrace 2.3](crate::rules::ftrace#2.3)

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{
    ByteRange, Event, FlowBind, FlowEvent, FlowPhase, Id, NameId, Names, Scope, Text, Thread, ThreadEvent,
    Tick, Ticks,
};

use super::output::Output;

/// The threads of a file by their ids.
///
/// What a thread does waits until its process is known, or for the end of the file: a thread is nowhere before. A thread that
/// does nothing is not handed over.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    tasks: HashMap<i64, Task, RandomState>,
    names: Names,
}

/// A thread.
#[derive(Debug, Default)]
struct Task {
    pid: Option<i64>,
    name: NameId,
    /// Whether the thread has ended. Another one may have its id.
    is_over: bool,
    /// Whether the thread does something, or has states.
    is_shown: bool,
    /// Whether the name was handed over.
    is_named: bool,
    waiting: Vec<Waiting>,
}

/// A step that waits.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    at: i64,
    step: Step,
    name: NameId,
    category: &'static str,
    bytes: ByteRange,
}

/// What a thread does at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A slice begins.
    Begin,
    /// The innermost slice ends.
    End,
    Instant,
    /// A slice without a duration, which a flow may reach.
    Moment,
    /// A flow leaves the slice of the step before, or arrives there. Its id is the name of the step.
    FlowOut,
    FlowIn,
}

impl Tasks {
    /// Returns the process of a thread, if it is known.
    pub(crate) fn process(&self, tid: i64) -> Option<i64> {
        self.tasks.get(&tid).and_then(|task| task.pid)
    }

    /// Returns a thread. One whose process is not known is in a process of its own.
    pub(crate) fn thread(&self, tid: i64) -> Thread<'static> {
        thread(self.process(tid).unwrap_or(tid), tid)
    }

    /// Puts a thread into a process, whatever was known before.
    pub(crate) fn place(&mut self, tid: i64, pid: i64, out: &mut Output<'_>) {
        let task = self.tasks.entry(tid).or_default();
        task.is_over = false;
        if task.pid != Some(pid) {
            task.pid = Some(pid);
            task.is_named = false;
            if !task.waiting.is_empty() {
                task.hand_over(tid, pid, &self.names, out);
            }
        }
    }

    /// Puts a thread into a process if none is known, or if the one that had its id has ended.
    pub(crate) fn place_unknown(&mut self, tid: i64, pid: i64, out: &mut Output<'_>) {
        if self.tasks.get(&tid).is_none_or(|task| task.pid.is_none() || task.is_over) {
            self.place(tid, pid, out);
        }
    }

    /// Takes note that a thread has ended.
    pub(crate) fn end(&mut self, tid: i64) {
        if let Some(task) = self.tasks.get_mut(&tid) {
            task.is_over = true;
        }
    }

    /// Takes the name of a thread from a list, which counts only if no event says one.
    pub(super) fn name_unknown(&mut self, tid: i64, name: &[u8]) {
        if self.tasks.get(&tid).is_none_or(|task| task.name.is_empty()) {
            self.name(tid, name);
        }
    }

    /// Takes the name of a thread. All processors share the names of the idle thread, which has none of its own.
    pub(crate) fn name(&mut self, tid: i64, name: &[u8]) {
        if tid == 0 || name.is_empty() {
            return;
        }
        let task = self.tasks.entry(tid).or_default();
        if self.names.bytes(task.name) != name {
            task.name = self.names.intern_bytes(name);
            task.is_named = false;
        }
    }

    /// Returns a thread that has states, and hands over its name.
    pub(super) fn show(&mut self, tid: i64, out: &mut Output<'_>) -> Thread<'static> {
        let task = self.tasks.entry(tid).or_default();
        let pid = task.pid.unwrap_or(tid);
        task.hand_over_name(tid, pid, &self.names, out);
        thread(pid, tid)
    }

    /// Hands over what a thread does, once its process is known.
    pub(crate) fn step(
        &mut self,
        tid: i64,
        at: i64,
        (step, name, category): (Step, &[u8], &'static str),
        out: &mut Output<'_>,
    ) {
        let task = self.tasks.entry(tid).or_default();
        task.is_shown = true;
        match task.pid {
            Some(pid) => {
                task.hand_over_name(tid, pid, &self.names, out);
                say(thread(pid, tid), at, (step, name, category), out);
            }
            None => {
                let name = self.names.intern_bytes(name);
                task.waiting.push(Waiting { at, step, name, category, bytes: out.bytes });
            }
        }
    }

    /// Hands over what still waits: its threads are in processes of their own.
    pub(crate) fn finish(&mut self, out: &mut Output<'_>) {
        let shown = self.tasks.iter().filter(|(_, task)| task.is_shown);
        let mut tids: Vec<i64> = shown.map(|(&tid, _)| tid).collect();
        tids.sort_unstable();
        for tid in tids {
            if let Some(task) = self.tasks.get_mut(&tid) {
                task.hand_over(tid, task.pid.unwrap_or(tid), &self.names, out);
            }
        }
    }
}

impl Task {
    fn hand_over_name(&mut self, tid: i64, pid: i64, names: &Names, out: &mut Output<'_>) {
        if !self.is_named && !self.name.is_empty() {
            self.is_named = true;
            out.say(&Event::ThreadName(thread(pid, tid), Text::plain(names.bytes(self.name))));
        }
    }

    /// Hands over the name and what waits.
    fn hand_over(&mut self, tid: i64, pid: i64, names: &Names, out: &mut Output<'_>) {
        self.hand_over_name(tid, pid, names, out);
        let now = out.bytes;
        for waiting in core::mem::take(&mut self.waiting) {
            out.bytes = waiting.bytes;
            let step = (waiting.step, names.bytes(waiting.name), waiting.category);
            say(thread(pid, tid), waiting.at, step, out);
        }
        out.bytes = now;
    }
}

/// Hands over a step of a thread.
pub(super) fn say(
    thread: Thread<'_>,
    at: i64,
    (step, name, category): (Step, &[u8], &'static str),
    out: &mut Output<'_>,
) {
    let event = ThreadEvent {
        category: Text::from(category),
        ..ThreadEvent::new(thread, Tick(at), Text::plain(name))
    };
    let flow = |phase, out: &mut Output<'_>| {
        // Other flows of a file have numbers.
        let id = alloc::format!("{category} {}", super::output::Shown(name));
        let id = Id::Text(id.as_bytes());
        let flow = FlowEvent::new(phase, FlowBind::Slice, thread, Tick(at), id, Text::EMPTY);
        out.say(&Event::Flow(flow));
    };
    match step {
        Step::Begin => out.say(&Event::Begin(event)),
        Step::End => out.say(&Event::End(event)),
        Step::Instant => out.say(&Event::Instant(event, Scope::Thread)),
        Step::Moment => out.say(&Event::Complete(event, Ticks::ZERO)),
        Step::FlowOut => flow(FlowPhase::Start, out),
        Step::FlowIn => flow(FlowPhase::End, out),
    }
}

/// Returns the thread of an id, in a process.
fn thread(pid: i64, tid: i64) -> Thread<'static> {
    Thread { pid: Id::Number(pid), tid: Id::Number(tid) }
}
