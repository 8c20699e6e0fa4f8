//! Tells apart processes that have the same id in several traces.

use alloc::{
    collections::{BTreeMap, btree_map::Entry},
    string::ToString,
    vec::Vec,
};

use spall_model::{Key, Trace, TraceView, Value};

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
    /// What the traces say of the processes whose numbers are those of an operating system.
    said: BTreeMap<i64, SaidProcess>,
    /// The number to try first for a process whose own id is taken.
    next: i64,
}

/// What a trace says of a process. [otel 6.1](spall_model::rules::otel#6.1)
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct SaidProcess {
    /// The service that runs in it; `None` if the trace is not one of services.
    service: Option<Vec<u8>>,
    host: Option<Vec<u8>>,
}

impl SaidProcess {
    /// Returns whether a process of this number is the same one: a trace of services says the number, and nothing that both say is
    /// different.
    fn is(&self, other: &Self) -> bool {
        let agree = |a: &Option<Vec<u8>>, b: &Option<Vec<u8>>| a.is_none() || b.is_none() || a == b;
        (self.service.is_some() || other.service.is_some())
            && agree(&self.service, &other.service)
            && agree(&self.host, &other.host)
    }

    /// Returns what a trace says of its processes. The facts of a service say that its number is that of the operating system.
    fn all(trace: &Trace) -> BTreeMap<i64, Self> {
        let mut all = BTreeMap::<i64, Self>::new();
        let mut are_of_system = Vec::new();
        for meta in trace.meta() {
            let value = trace.meta_value(meta);
            let text = || match value {
                Value::Text(text) => text.unescape().into_owned(),
                value => value.to_string().into_bytes(),
            };
            let Some((Key::Number(pid), _)) = meta.thread else { continue };
            match &*trace.name(meta.key) {
                "process.pid" if value.to_string() == pid.to_string() => are_of_system.push(pid),
                "service.name" => all.entry(pid).or_default().service = Some(text()),
                "host.name" => all.entry(pid).or_default().host = Some(text()),
                _ => {}
            }
        }
        are_of_system.sort_unstable();
        for (pid, said) in &mut all {
            let is_of_system = are_of_system.binary_search(pid).is_ok();
            said.service = said.service.take().filter(|_| is_of_system);
        }
        all
    }
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
        Self { known, said: BTreeMap::new(), next }
    }

    /// Gives the processes of the next trace their ids, and returns the numbers of those that do not keep their own. One that an
    /// earlier trace of the same machine has is the same process, and so is one whose number a trace of services says.
    pub(super) fn of_next(&mut self, trace: &Trace, is_of_machine: bool) -> BTreeMap<Key, i64> {
        let mut given = BTreeMap::new();
        let mut used = Vec::new();
        let said = SaidProcess::all(trace);
        let says = |pid: &Pid| match pid {
            Pid::Number(number) => Some((*number, said.get(number).cloned().unwrap_or_default())),
            Pid::Text(_) => None,
        };
        for key in pids(trace) {
            if given.contains_key(&key) {
                continue;
            }
            let wanted = Pid::of(trace, key);
            let is_same = says(&wanted)
                .is_some_and(|(number, here)| self.said.get(&number).is_some_and(|there| there.is(&here)));
            if is_same {
                used.push(wanted);
                continue;
            }
            match self.known.get(&wanted) {
                Some(PidUse::Taken) => _ = given.insert(key, self.free()),
                Some(PidUse::TakenOnMachine) if !is_of_machine => _ = given.insert(key, self.free()),
                _ => used.push(wanted),
            }
        }
        for (number, here) in used.iter().filter_map(says) {
            let there = self.said.entry(number).or_default();
            there.service = there.service.take().or(here.service);
            there.host = there.host.take().or(here.host);
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
