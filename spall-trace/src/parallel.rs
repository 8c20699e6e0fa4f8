//! Loads one large file on several threads.
//!
//! The file is cut into parts where a parser can begin: at the buffers of spall version 3, and behind events of Trace Event
//! JSON. The threads read parts ahead, each into a batch of events, and one of them at a time adds the batch whose turn it
//! is to the builder.
//!
//! The begin of a part of JSON is a guess: nothing in the file marks it. The guess is right if the parser of the parts
//! before is between two events exactly there. Otherwise the batch is thrown away, and that parser goes on through the part. It also does where a
//! limit or a fault makes the events of a part depend on those before, and where reading ahead has stopped early: at whatever
//! ends the list of events, and when a batch is full. So the builder gets what one thread would read, in that order.

use alloc::vec::Vec;
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use spall_model::{EventBatch, Parser, Progress};

use crate::{
    Error,
    load::{InOrder, Loader, Reading},
    system_trace::SystemTrace,
    threads,
};

impl Loader {
    /// Reads what several threads can read of a file that is in memory. That is nothing if the file is small, or the format
    /// has no parts.
    pub(crate) fn read_on_threads<'d, P>(&self, order: InOrder<'d, P>) -> InOrder<'d, P>
    where
        P: Parser<Error: Into<Error>> + Send + Sync,
    {
        let sharing = Sharing { n_threads: self.n_threads.get(), part_bytes: self.part_bytes.max(1) };
        if P::HAS_PARTS && sharing.is_worth(order.data) { sharing.read(order) } else { order }
    }
}

/// The number of batches beside one for each thread.
const SPARE_BATCHES: usize = 2;

/// How a file is shared among threads.
#[derive(Clone, Copy)]
struct Sharing {
    n_threads: usize,
    part_bytes: usize,
}

/// The number of parts from which on a file is shared.
const FEW_PARTS: usize = 8;

/// The number of bytes behind its part that a thread sees, so that an event at the end of the part is not the last one in
/// the data, which takes longer to read.
const LOOKAHEAD: usize = 256;

impl Sharing {
    /// Returns whether the file is large enough.
    fn is_worth(self, data: &[u8]) -> bool {
        self.n_threads > 1 && data.len() / self.part_bytes >= FEW_PARTS
    }

    /// Reads what threads can share.
    fn read<'d, P>(self, mut order: InOrder<'d, P>) -> InOrder<'d, P>
    where
        P: Parser<Error: Into<Error>> + Send + Sync,
    {
        // What the document is, and how its events are written, is found out before any guess.
        order.read_to(self.part_bytes);
        loop {
            if let Some(first) = order.parser.at_part(order.at as u64) {
                return self.read_parts(order, first);
            }
            if order.is_over {
                return order;
            }
            order.read_to(order.at + 1);
        }
    }

    /// Reads the parts behind the first one, on several threads. `first` is the parser between any two parts.
    fn read_parts<'d, P>(self, order: InOrder<'d, P>, first: P) -> InOrder<'d, P>
    where
        P: Parser<Error: Into<Error>> + Send + Sync,
    {
        let n_threads = self.n_threads.min(order.data.len() / self.part_bytes);
        let parts = Parts { number: 0, start: order.at, part_bytes: self.part_bytes };
        // Nobody waits for the turn of a part as long as there is a batch for the next one.
        let free = (0..n_threads + SPARE_BATCHES).map(|_| Reading::new(EventBatch::default())).collect();
        let plan =
            Plan { parts, free, ready: Vec::new(), n_reading: 0, turn: 0, is_adding: false, is_over: false };
        let data = order.data;
        let team =
            Team { data, first, order: Mutex::new(order), plan: Mutex::new(plan), changed: Condvar::new() };
        threads::run(n_threads, || team.work());
        team.order.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A part of the file.
#[derive(Clone, Copy)]
struct Part {
    /// Its number, from 0 on.
    number: usize,
    /// Where it begins and ends, in bytes.
    start: usize,
    end: usize,
}

/// The parts that no thread has taken yet.
struct Parts {
    number: usize,
    start: usize,
    part_bytes: usize,
}

impl Parts {
    /// Takes the next part; `None` if all are taken.
    fn next(&mut self, parser: &impl Parser, data: &[u8]) -> Option<Part> {
        let (number, start) = (self.number, self.start);
        if start >= data.len() {
            return None;
        }
        let mut from = start.saturating_add(self.part_bytes);
        let mut end = data.len();
        while from < data.len() {
            if let Some(found) = parser.find_part(data, start, from) {
                end = found;
                break;
            }
            from = from.saturating_add(self.part_bytes);
        }
        (self.number, self.start) = (number + 1, end);
        Some(Part { number, start, end })
    }
}

/// A part that was read ahead.
struct ReadAhead<'d, P> {
    part: Part,
    batch: Reading<EventBatch<'d>>,
    /// The parser behind the last event of the batch, and its position.
    behind: Option<(P, usize)>,
}

/// What the threads have to do.
struct Plan<'d, P> {
    parts: Parts,
    /// The batches that nobody uses. Their number bounds how far the threads read ahead.
    free: Vec<Reading<EventBatch<'d>>>,
    /// The parts that wait for their turn.
    ready: Vec<ReadAhead<'d, P>>,
    /// The number of parts that are being read ahead.
    n_reading: usize,
    /// The part whose turn it is.
    turn: usize,
    /// Whether a thread is adding a batch to the builder.
    is_adding: bool,
    /// Whether there is nothing more to do.
    is_over: bool,
}

/// A piece of work for one thread.
enum Task<'d, P> {
    Read(Part, Reading<EventBatch<'d>>),
    Add(ReadAhead<'d, P>),
}

impl<'d, P: Parser> Plan<'d, P> {
    /// Returns the next task. Without one, the thread waits for others or, if all is over, ends.
    fn next(&mut self, first: &P, data: &'d [u8]) -> Option<Task<'d, P>> {
        if self.is_over {
            return None;
        }
        let in_turn = self.ready.iter().position(|ready| ready.part.number == self.turn);
        if let Some(ready) = in_turn.filter(|_| !self.is_adding) {
            self.is_adding = true;
            return Some(Task::Add(self.ready.swap_remove(ready)));
        }
        let batch = self.free.pop()?;
        match self.parts.next(first, data) {
            Some(part) => {
                self.n_reading += 1;
                Some(Task::Read(part, batch))
            }
            None => {
                self.free.push(batch);
                self.is_over = self.n_reading == 0 && self.ready.is_empty() && !self.is_adding;
                None
            }
        }
    }
}

/// The threads that read one file.
struct Team<'d, P> {
    data: &'d [u8],
    /// The parser between any two parts.
    first: P,
    order: Mutex<InOrder<'d, P>>,
    plan: Mutex<Plan<'d, P>>,
    /// Signalled when there may be a new task.
    changed: Condvar,
}

impl<'d, P: Parser<Error: Into<Error>>> Team<'d, P> {
    /// Does tasks until there are no more.
    fn work(&self) {
        let _end = EndOnPanic(self);
        let mut plan = self.plan();
        loop {
            let Some(task) = plan.next(&self.first, self.data) else {
                if plan.is_over {
                    break;
                }
                plan = self.changed.wait(plan).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(plan);
            plan = match task {
                Task::Read(part, batch) => {
                    let ready = read_ahead(part, &self.first, self.data, batch);
                    let mut plan = self.plan();
                    plan.n_reading -= 1;
                    plan.ready.push(ready);
                    plan
                }
                Task::Add(ready) => {
                    let (batch, is_over) = self.add(ready);
                    let mut plan = self.plan();
                    plan.free.push(batch);
                    plan.turn += 1;
                    plan.is_adding = false;
                    plan.is_over |= is_over;
                    plan
                }
            };
            self.changed.notify_all();
        }
        drop(plan);
        self.changed.notify_all();
    }

    /// Adds a part whose turn it is. Returns its batch, and whether reading has ended.
    fn add(&self, ready: ReadAhead<'d, P>) -> (Reading<EventBatch<'d>>, bool) {
        let ReadAhead { part, mut batch, behind } = ready;
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let is_in_turn = order.at == part.start && order.parser.at_part(part.start as u64).is_some();
        if let Some((parser, at)) = behind
            && is_in_turn
            && order.reading.to.push_batch(&mut batch.to)
        {
            order.reading.has_other |= batch.has_other;
            order.reading.system_trace.append(core::mem::take(&mut batch.system_trace));
            (order.parser, order.at) = (parser, at);
        }
        batch.to.clear();
        (batch.has_other, batch.system_trace) = (false, SystemTrace::default());
        order.read_to(part.end);
        (batch, order.is_over)
    }

    fn plan(&self) -> MutexGuard<'_, Plan<'d, P>> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a part into a batch, as far as it holds events one after the other. `first` is the parser between any two parts.
fn read_ahead<'d, P: Parser>(
    part: Part,
    first: &P,
    data: &'d [u8],
    mut batch: Reading<EventBatch<'d>>,
) -> ReadAhead<'d, P> {
    // A part that begins in the wrong place could make a parser look for the end of a text up to the end of the file. So it
    // sees no more than its part, and stops where that is not enough.
    let seen = data.get(..part.end.saturating_add(LOOKAHEAD)).unwrap_or(data);
    let behind = first.at_part(part.start as u64).map(|mut parser| {
        let mut at = part.start;
        while at < part.end && !batch.to.is_full() {
            match parser.read(seen.get(at..).unwrap_or_default(), seen.len() == data.len(), &mut batch) {
                Ok(Progress::Read(consumed)) => at += consumed,
                Ok(Progress::NeedMore(_) | Progress::End) | Err(_) => break,
            }
        }
        (parser, at)
    });
    ReadAhead { part, batch, behind }
}

/// Ends the work when a thread panics, because the others would wait for its part forever. The panic goes on to the
/// caller.
struct EndOnPanic<'t, 'd, P: Parser<Error: Into<Error>>>(&'t Team<'d, P>);

impl<P: Parser<Error: Into<Error>>> Drop for EndOnPanic<'_, '_, P> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.plan().is_over = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_read_large_files_only() {
        let worth =
            |n_threads, len: usize| Sharing { n_threads, part_bytes: 10 }.is_worth(&alloc::vec![0; len]);
        assert!(!worth(2, 79) && worth(2, 80));
        assert!(!worth(1, 1000));
    }
}
