//! The sink that shows a recording while it goes on.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::io;
use std::sync::{Mutex, MutexGuard, TryLockError};

use spall_model::{ByteRange, Clock, Event, Id, Receiver, Text, Unit};

use crate::event;
use crate::facts::Facts;
use crate::lock::lock;
use crate::sink::{Batch, Scratch, Sink, ThreadInSink};
use crate::site::SiteTable;

/// What takes events while they are recorded, such as a live trace.
pub(crate) type AnyReceiver = dyn for<'e> Receiver<'e> + Send;

/// Something that takes events and that another part of the program shows.
pub(crate) type SharedReceiver = Arc<Mutex<AnyReceiver>>;

/// A sink that pushes events into a live trace, which another part of the program commits and shows.
///
/// It never waits for the lock of the trace, except at the end: the thread that holds it may be the one that records.
pub(crate) struct LiveSink {
    trace: SharedReceiver,
    /// The batches that came while the trace was in use.
    waiting: Mutex<Vec<Waiting>>,
}

struct Waiting {
    tid: u32,
    /// The name, if it is not known to the trace.
    name: Option<String>,
    words: Box<[u64]>,
}

impl LiveSink {
    pub(crate) fn new(trace: SharedReceiver, facts: &Facts) -> Self {
        let clock = Clock::new(Unit::Nanoseconds(facts.clock.ns_per_tick()));
        {
            let mut trace = lock(&trace);
            let clock = clock.with_epoch_ns(facts.epoch_ns).with_monotonic_ns(facts.monotonic_ns);
            trace.receive(&Event::Clock(clock), ByteRange::default());
            let name = Text::from(facts.process_name.as_str());
            trace.receive(&Event::ProcessName(Id::from(facts.pid), name), ByteRange::default());
        }
        Self { trace, waiting: Mutex::default() }
    }

    /// Returns the trace if nobody uses it.
    fn trace(&self) -> Option<MutexGuard<'_, AnyReceiver>> {
        match self.trace.try_lock() {
            Ok(trace) => Some(trace),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Sink for LiveSink {
    fn write(&self, batch: &Batch<'_>, place: &mut ThreadInSink, scratch: &mut Scratch) {
        let name = (place.generation == 0 && !batch.thread.name.is_empty()).then_some(&batch.thread.name);
        place.generation = 1;
        let mut waiting = lock(&self.waiting);
        if let Some(mut trace) = self.trace() {
            deliver(&mut waiting, &mut *trace, batch.facts, &mut scratch.sites);
            let (pid, tid, name) = (batch.facts.pid, batch.thread.tid, name.map(String::as_str));
            event::for_each(pid, tid, name, batch.words, &mut scratch.sites, |event| {
                trace.receive(event, ByteRange::default());
            });
        } else {
            waiting.push(Waiting { tid: batch.thread.tid, name: name.cloned(), words: batch.words.into() });
        }
    }

    fn flush(&self, facts: &Facts) -> io::Result<()> {
        let mut waiting = lock(&self.waiting);
        if let Some(mut trace) = self.trace() {
            deliver(&mut waiting, &mut *trace, facts, &mut SiteTable::default());
        }
        Ok(())
    }

    fn finish(&self, facts: &Facts) -> io::Result<()> {
        let mut waiting = lock(&self.waiting);
        if !waiting.is_empty() {
            deliver(&mut waiting, &mut *lock(&self.trace), facts, &mut SiteTable::default());
        }
        Ok(())
    }
}

/// Pushes the batches that had to wait.
fn deliver(waiting: &mut Vec<Waiting>, trace: &mut AnyReceiver, facts: &Facts, sites: &mut SiteTable) {
    for batch in waiting.drain(..) {
        let push = |event: &Event<'_>| trace.receive(event, ByteRange::default());
        event::for_each(facts.pid, batch.tid, batch.name.as_deref(), &batch.words, sites, push);
    }
}
