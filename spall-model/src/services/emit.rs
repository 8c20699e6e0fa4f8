//! The events of the spans of a file, in the order of the file. [otel 3](crate::rules::otel#3)

use alloc::{collections::BTreeMap, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::{
    AsyncPhase, ByteRange, Clock, DiagnosticKind, Event, Id, KeyedEvent, MetaEvent, NameId, Receiver, Text,
    Thread, Tick, Unit, replay::ids,
};

use super::{Services, report, span::StoredSpan};

/// The spans of one id, as far as halves of spans need them.
#[derive(Debug, Clone, Copy, Default)]
struct OfId {
    n_spans: u32,
    n_servers: u32,
}

impl Services {
    /// Hands over the processes and all spans.
    pub fn finish(self, to: &mut dyn for<'e> Receiver<'e>) {
        let start = self.spans.iter().map(|span| span.start).min();
        let Some(start) = start else { return };
        // Ticks count from the first span, so that they are small numbers.
        let epoch_ns = Clock::believable_epoch_ns(start);
        let clock = Clock::new(Unit::Nanoseconds(1.0)).with_epoch_ns(epoch_ns);
        to.receive(&Event::Clock(clock), ByteRange::default());
        let pids = self.pids();
        self.hand_over_processes(&pids, to);
        let halves = self.halves();
        let mut seen = HashSet::<(NameId, NameId, bool), RandomState>::default();
        let zero = epoch_ns.unwrap_or(0);
        for (number, span) in (0_i64..).zip(self.spans.iter()) {
            let of_id = halves.get(&(span.trace, span.id)).copied().unwrap_or_default();
            let is_half = span.serves && of_id.n_spans > of_id.n_servers;
            if !span.id.is_empty() && !seen.insert((span.trace, span.id, span.serves)) {
                report(DiagnosticKind::RepeatedSpanId, span.bytes, to);
            }
            let pid = Id::Number(pids.get(span.process as usize).copied().unwrap_or_default());
            let parent = if is_half { span.id } else { span.parent };
            self.hand_over(&Handed { span, number, pid, parent, zero }, to);
        }
    }

    /// Returns the ids of all processes: those of the operating system, where only one process has each, or else others.
    fn pids(&self) -> Vec<i64> {
        let mut used = alloc::vec![false; self.processes.len()];
        for span in self.spans.iter() {
            if let Some(used) = used.get_mut(span.process as usize) {
                *used = true;
            }
        }
        let mut n_of_pid = BTreeMap::<i64, u32>::new();
        for (process, _) in self.processes.iter().zip(&used).filter(|(_, used)| **used) {
            if let Some(pid) = process.pid {
                *n_of_pid.entry(pid).or_default() += 1;
            }
        }
        let mut free = (1..).filter(|pid| !n_of_pid.contains_key(pid));
        let of_process = |(process, used): (&super::ProcessFacts, &bool)| match process.pid {
            Some(pid) if n_of_pid.get(&pid) == Some(&1) => pid,
            _ if *used => free.next().unwrap_or_default(),
            _ => NOT_USED,
        };
        self.processes.iter().zip(&used).map(of_process).collect()
    }

    fn hand_over_processes(&self, pids: &[i64], to: &mut dyn for<'e> Receiver<'e>) {
        for (process, &pid) in self.processes.iter().zip(pids).filter(|(_, pid)| **pid != NOT_USED) {
            let pid = Id::Number(pid);
            if !process.name.is_empty() {
                let name = Text::plain(self.names.bytes(process.name));
                to.receive(&Event::ProcessName(pid, name), ByteRange::default());
            }
            for (key, value) in process.facts.iter().flat_map(|facts| facts.args(&self.stored)) {
                let fact = MetaEvent::new(key, value).with_thread(Thread { pid, tid: Id::NONE });
                to.receive(&Event::Meta(fact), ByteRange::default());
            }
        }
    }

    /// Returns how many spans each id stands for, if a client and a server may share one.
    fn halves(&self) -> HashMap<(NameId, NameId), OfId, RandomState> {
        let mut halves = HashMap::<_, OfId, _>::default();
        let is_half = |span: &&StoredSpan| span.serves || span.asks;
        for span in self.spans.iter().filter(is_half).filter(|span| !span.id.is_empty()) {
            let of_id = halves.entry((span.trace, span.id)).or_default();
            of_id.n_spans += 1;
            of_id.n_servers += u32::from(span.serves);
        }
        halves
    }

    /// Hands over a span and its events.
    fn hand_over(&self, handed: &Handed<'_>, to: &mut dyn for<'e> Receiver<'e>) {
        let &Handed { span, number, pid, parent, zero } = handed;
        let [mut trace, mut of_span, mut of_parent] = [const { Vec::new() }; 3];
        let text = |name: NameId| Text::plain(self.names.bytes(name));
        let tick = |ns: i64| Tick(ns.saturating_sub(zero));
        let trace = ids::escaped(self.names.bytes(span.trace), &mut trace);
        let event = |at: i64, name| {
            let event = KeyedEvent::new(pid, tick(at), trace, text(name));
            KeyedEvent { local: true, any_category: true, ..event }
        };
        let begin = KeyedEvent {
            category: text(span.category),
            args: span.args.args(&self.stored),
            // A number is an id that no span of a file has.
            span: match span.id {
                NameId::EMPTY => Id::Number(number),
                id => ids::escaped(self.names.bytes(id), &mut of_span),
            },
            parent: ids::escaped(self.names.bytes(parent), &mut of_parent),
            ..event(span.start, span.name)
        };
        to.receive(&Event::Async(AsyncPhase::Begin, begin), span.bytes);
        for instant in (span.events.0..span.events.1).filter_map(|event| self.events.get(event as usize)) {
            let args = instant.args.args(&self.stored);
            let instant = KeyedEvent { args, ..event(instant.at, instant.name) };
            to.receive(&Event::Async(AsyncPhase::Instant, instant), span.bytes);
        }
        if let Some(end) = span.end {
            let end = KeyedEvent { at: tick(end), args: crate::Args::NONE, ..begin };
            to.receive(&Event::Async(AsyncPhase::End, end), span.bytes);
        }
    }
}

/// Stands for the id of a process that has no spans.
const NOT_USED: i64 = i64::MIN;

/// A span that is handed over.
struct Handed<'s> {
    span: &'s StoredSpan,
    /// Its place among all spans.
    number: i64,
    pid: Id<'s>,
    /// The id of its parent.
    parent: NameId,
    /// The time of tick 0.
    zero: i64,
}
