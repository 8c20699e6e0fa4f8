//! Tells apart processes that have the same id in several traces.

use alloc::{
    collections::{BTreeMap, btree_map::Entry},
    string::ToString,
    vec::Vec,
};

use spall_model::{Key, Trace, TraceView};

/// The id of a process, with a sign, in no trace in particular.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Pid {
    Number(i64),
    Text(Vec<u8>),
}

impl Pid {
    /// Returns an id of a trace with a sign. A number that the sign has no room for becomes text.
    fn of(trace: &Trace, key: Key) -> Self {
        match key {
            Key::Number(number) if trace.conventions().unsigned_ids && number < 0 => {
                Self::Text(number.cast_unsigned().to_string().into_bytes())
            }
            Key::Number(number) => Self::Number(number),
            Key::Text(name) => Self::Text(trace.names().bytes(name).to_vec()),
        }
    }
}

/// The ids of the processes of all traces.
#[derive(Debug)]
pub(super) struct Pids {
    /// Those that the traces have, and those that were given.
    known: BTreeMap<Pid, PidUse>,
    /// The number to try first for a process whose own id is taken.
    next: i64,
}

/// Which processes of the result have an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PidUse {
    /// None so far.
    Free,
    /// One or more.
    Taken,
    /// One or more, and one of them is of the machine whose monotonic time is known.
    TakenOnMachine,
}

impl Pids {
    pub(super) fn new<'t>(traces: impl Iterator<Item = &'t Trace>) -> Self {
        let mut known = BTreeMap::new();
        for trace in traces {
            known.extend(pids(trace).map(|pid| (Pid::of(trace, pid), PidUse::Free)));
        }
        let numbers = known.keys().filter_map(|id| match id {
            Pid::Number(number) => Some(*number),
            Pid::Text(_) => None,
        });
        let next = numbers.max().unwrap_or_default().max(0).checked_add(1).unwrap_or(1);
        Self { known, next }
    }

    /// Gives the processes of the next trace their ids, and returns the numbers of those that do not keep their own. One that an
    /// earlier trace of the same machine has is the same process.
    pub(super) fn of_next(&mut self, trace: &Trace, is_of_machine: bool) -> BTreeMap<Key, i64> {
        let mut given = BTreeMap::new();
        let mut used = Vec::new();
        for key in pids(trace) {
            if given.contains_key(&key) {
                continue;
            }
            let wanted = Pid::of(trace, key);
            match self.known.get(&wanted) {
                Some(PidUse::Taken) => _ = given.insert(key, self.free()),
                Some(PidUse::TakenOnMachine) if !is_of_machine => _ = given.insert(key, self.free()),
                _ => used.push(wanted),
            }
        }
        used.extend(given.values().map(|&number| Pid::Number(number)));
        let now = if is_of_machine { PidUse::TakenOnMachine } else { PidUse::Taken };
        for id in used {
            let known = self.known.entry(id).or_insert(now);
            *known = now.max(*known);
        }
        given
    }

    /// Returns a number that no process has: the one behind the largest, or the first free one if there is none.
    fn free(&mut self) -> i64 {
        loop {
            let number = self.next;
            self.next = self.next.checked_add(1).unwrap_or(1);
            if let Entry::Vacant(free) = self.known.entry(Pid::Number(number)) {
                free.insert(PidUse::Free);
                return number;
            }
        }
    }
}

/// Returns the ids of the processes that anything in a trace mentions, some of them several times.
fn pids(trace: &Trace) -> impl Iterator<Item = Key> {
    let of_meta = trace.meta().iter().filter_map(|meta| meta.thread);
    let of_others = trace.others().iter().map(|other| other.thread);
    let of_processes = trace.processes().iter().map(|process| process.pid);
    of_processes.chain(of_meta.chain(of_others).map(|(pid, _)| pid))
}
