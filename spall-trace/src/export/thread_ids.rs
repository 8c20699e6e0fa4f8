//! Finds numbers for processes and threads in formats whose ids are small numbers.

use std::{
    collections::{HashMap, HashSet},
    hash::RandomState,
};

use spall_model::{Key, Process, Trace};

use super::thread::{NamedThread, threads};

/// Process and thread ids of up to 32 bits for the threads of a trace, whose ids may be negative, large or text.
pub(super) struct ThreadIds {
    /// The largest id.
    max: u32,
    /// The id in the file of each process.
    processes: HashMap<Key, u32, RandomState>,
    /// The process and thread ids that are in use.
    taken: HashSet<(u32, u32), RandomState>,
    /// The thread id at which the search for a free one begins. The search counts down.
    next: u32,
}

impl ThreadIds {
    /// Reserves the ids up to `max`, and finds free ones for the other processes.
    pub(super) fn of(trace: &Trace, max: u32) -> Self {
        let pids = || trace.processes().iter().map(|process| process.pid);
        let mut processes: HashMap<Key, u32, RandomState> =
            pids().filter_map(|pid| Some((pid, fitting(pid, max)?))).collect();
        let taken: HashSet<u32, RandomState> = processes.values().copied().collect();
        let mut free = (0..=max).rev().filter(|id| !taken.contains(id));
        for pid in pids().filter(|&pid| fitting(pid, max).is_none()) {
            processes.insert(pid, free.next().unwrap_or_default());
        }
        let mut ids = Self { max, processes, taken: HashSet::default(), next: max };
        for thread in threads(trace) {
            let pid = ids.process(thread.process);
            ids.taken.extend(fitting(thread.tid, max).map(|tid| (pid, tid)));
        }
        ids
    }

    /// Returns the id of a process.
    pub(super) fn process(&self, process: &Process) -> u32 {
        self.processes.get(&process.pid).copied().unwrap_or_default()
    }

    /// Returns the ids of a lane. The first lane has the ids of its thread if they fit.
    pub(super) fn thread(&mut self, thread: &NamedThread<'_>, lane: usize) -> (u32, u32) {
        let pid = self.process(thread.process);
        let kept = fitting(thread.tid, self.max).filter(|_| lane == 0);
        (pid, kept.unwrap_or_else(|| self.free(pid)))
    }

    /// Returns the id of a process, and a thread id in it that is not in use.
    pub(super) fn free_of(&mut self, process: &Process) -> (u32, u32) {
        let pid = self.process(process);
        (pid, self.free(pid))
    }

    /// Takes a thread id of a process that is not in use.
    fn free(&mut self, pid: u32) -> u32 {
        while !self.taken.insert((pid, self.next)) && self.next > 0 {
            self.next -= 1;
        }
        self.next
    }
}

/// Returns an id as a number up to `max`, or `None` if it is another one.
pub(super) fn fitting(key: Key, max: u32) -> Option<u32> {
    match key {
        Key::Number(number) => u32::try_from(number).ok().filter(|&number| number <= max),
        Key::Text(_) => None,
    }
}
