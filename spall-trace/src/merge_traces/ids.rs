//! Tells apart what has the same id in several traces.

use alloc::{collections::BTreeMap, string::ToString, vec::Vec};

use spall_model::{Id, Key, Trace, TraceView};

/// An id that does not borrow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OwnedId {
    Number(i64),
    Text(Vec<u8>),
}

impl OwnedId {
    pub(super) fn of(id: Id<'_>) -> Self {
        match id {
            Id::Number(number) => Self::Number(number),
            Id::Text(text) => Self::Text(text.to_vec()),
        }
    }

    pub(super) fn id(&self) -> Id<'_> {
        match self {
            Self::Number(number) => Id::Number(*number),
            Self::Text(text) => Id::Text(text),
        }
    }
}

/// The ids of the processes of all traces.
#[derive(Debug)]
pub(super) struct Pids {
    /// Those that the traces have, and those that were given.
    known: BTreeMap<OwnedId, PidUse>,
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
            known.extend(pids(trace).map(|pid| (numbered(trace, pid), PidUse::Free)));
        }
        let numbers = known.keys().filter_map(|id| match id {
            OwnedId::Number(number) => Some(*number),
            OwnedId::Text(_) => None,
        });
        let next = numbers.max().unwrap_or_default().max(0).checked_add(1).unwrap_or(1);
        Self { known, next }
    }

    /// Returns a number that no process has: the one behind the largest, or the first free one if there is none.
    fn free(&mut self) -> OwnedId {
        loop {
            let number = OwnedId::Number(self.next);
            self.next = self.next.checked_add(1).unwrap_or(1);
            if !self.known.contains_key(&number) {
                self.known.insert(number.clone(), PidUse::Free);
                return number;
            }
        }
    }

    fn use_of(&self, id: &OwnedId) -> PidUse {
        self.known.get(id).copied().unwrap_or(PidUse::Free)
    }
}

/// Returns the ids of the processes that anything in a trace mentions, some of them several times.
fn pids(trace: &Trace) -> impl Iterator<Item = Key> {
    let of_meta = trace.meta().iter().filter_map(|meta| meta.thread);
    let of_others = trace.others().iter().map(|other| other.thread);
    let of_processes = trace.processes().iter().map(|process| process.pid);
    of_processes.chain(of_meta.chain(of_others).map(|(pid, _)| pid))
}

/// Returns an id of a trace as its events have it, with escapes.
fn own(trace: &Trace, key: Key) -> OwnedId {
    match key {
        Key::Number(number) => OwnedId::Number(number),
        Key::Text(name) => {
            let mut escaped = Vec::new();
            for &byte in trace.names().bytes(name) {
                if byte == b'\\' {
                    escaped.push(byte);
                }
                escaped.push(byte);
            }
            OwnedId::Text(escaped)
        }
    }
}

/// Returns an id of a trace with a sign. A number that the sign has no room for becomes text.
fn numbered(trace: &Trace, key: Key) -> OwnedId {
    signed(own(trace, key), trace.conventions().unsigned_ids)
}

fn signed(id: OwnedId, is_unsigned: bool) -> OwnedId {
    match id {
        OwnedId::Number(number) if is_unsigned && number < 0 => {
            OwnedId::Text(number.cast_unsigned().to_string().into_bytes())
        }
        id => id,
    }
}

/// The ids of one trace in the result.
#[derive(Debug)]
pub(super) struct InputIds {
    /// Whether numbers of the trace are unsigned, which those of the result are not.
    unsigned: bool,
    /// For each process its own id, and that in the result: the same, unless another process of an earlier trace
    /// has taken it.
    pids: BTreeMap<OwnedId, OwnedId>,
}

impl InputIds {
    /// Gives the processes of a trace their ids. One of the same machine that an earlier trace has is the same process.
    pub(super) fn new(trace: &Trace, is_of_machine: bool, all: &mut Pids) -> Self {
        let mut ids = BTreeMap::new();
        for pid in pids(trace) {
            ids.entry(own(trace, pid)).or_insert_with(|| {
                let wanted = numbered(trace, pid);
                match all.use_of(&wanted) {
                    PidUse::TakenOnMachine if is_of_machine => wanted,
                    PidUse::Free => wanted,
                    _ => all.free(),
                }
            });
        }
        let now = if is_of_machine { PidUse::TakenOnMachine } else { PidUse::Taken };
        for id in ids.values() {
            let before = all.use_of(id);
            all.known.insert(id.clone(), now.max(before));
        }
        Self { unsigned: trace.conventions().unsigned_ids, pids: ids }
    }

    /// Iterates over the processes of the trace: their own ids, and those in the result.
    pub(super) fn processes(&self, trace: &Trace) -> impl Iterator<Item = (&OwnedId, &OwnedId)> {
        trace.processes().iter().filter_map(|process| self.pids.get_key_value(&own(trace, process.pid)))
    }

    /// Returns the id of a process in the result.
    pub(super) fn pid<'e>(&'e self, pid: Id<'e>) -> Id<'e> {
        self.pids.get(&OwnedId::of(pid)).map_or(pid, OwnedId::id)
    }

    /// Returns the number of a thread in the result, as an owned id if it is not the thread's own.
    pub(super) fn tid(&self, tid: Id<'_>) -> Option<OwnedId> {
        let own = OwnedId::of(tid);
        let number = signed(own.clone(), self.unsigned);
        (number != own).then_some(number)
    }
}
