//! Tells apart what has the same id in several traces.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::ToString,
    vec::Vec,
};

use spall_model::{Id, Key, Trace};

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

/// The ids of the processes of a result that other traces have taken.
#[derive(Debug, Default)]
pub(super) struct TakenPids {
    taken: BTreeSet<OwnedId>,
    /// The number that a process gets if its own id is taken. No trace has it or a larger one.
    next: i64,
}

impl TakenPids {
    pub(super) fn new<'t>(traces: impl Iterator<Item = &'t Trace<'t>>) -> Self {
        let processes = traces.flat_map(|trace| trace.processes());
        let numbers = processes.filter_map(|process| match process.pid {
            Key::Number(number) => Some(number),
            Key::Text(_) => None,
        });
        Self { taken: BTreeSet::new(), next: numbers.max().unwrap_or(0).max(0).saturating_add(1) }
    }
}

/// The ids of one trace in the result.
#[derive(Debug)]
pub(super) struct InputIds {
    /// Whether numbers of the trace are unsigned, which those of the result are not.
    unsigned: bool,
    pids: BTreeMap<OwnedId, OwnedId>,
}

impl InputIds {
    pub(super) fn new(unsigned: bool) -> Self {
        Self { unsigned, pids: BTreeMap::new() }
    }

    /// Takes the ids of the trace, so that traces after it get others.
    pub(super) fn leave(self, taken: &mut TakenPids) {
        taken.taken.extend(self.pids.into_values());
    }

    /// Finds the id of a process in the result: its own, unless an earlier trace has taken it. Returns whether the process is
    /// new and gets another id.
    pub(super) fn learn(&mut self, pid: Id<'_>, taken: &mut TakenPids) -> bool {
        let own = OwnedId::of(pid);
        if self.pids.contains_key(&own) {
            return false;
        }
        let wanted = self.number(pid);
        let is_taken = taken.taken.contains(&wanted);
        let id = if is_taken {
            let number = OwnedId::Number(taken.next);
            taken.next = taken.next.saturating_add(1);
            number
        } else {
            wanted
        };
        self.pids.insert(own, id);
        is_taken
    }

    /// Iterates over the processes that were learned: their own ids, and those in the result.
    pub(super) fn pids(&self) -> impl Iterator<Item = (&OwnedId, &OwnedId)> {
        self.pids.iter()
    }

    /// Returns the id of a process that was learned.
    pub(super) fn pid<'e>(&'e self, pid: Id<'e>) -> Id<'e> {
        self.pids.get(&OwnedId::of(pid)).map_or(pid, OwnedId::id)
    }

    /// Returns the number of a thread in the result, as an owned id if it is not the thread's own.
    pub(super) fn tid(&self, tid: Id<'_>) -> Option<OwnedId> {
        let own = OwnedId::of(tid);
        let number = self.number(tid);
        (number != own).then_some(number)
    }

    /// Returns an id whose number has a sign. One that the sign has no room for becomes text.
    fn number(&self, id: Id<'_>) -> OwnedId {
        match id {
            Id::Number(number) if self.unsigned && number < 0 => {
                OwnedId::Text(number.cast_unsigned().to_string().into_bytes())
            }
            id => OwnedId::of(id),
        }
    }
}
