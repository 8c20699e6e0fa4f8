//! Batches of events that are prepared on one thread for a builder on another.
//!
//! A batch is a builder of its own, which knows nothing of the events before: what it makes of begins, ends and complete
//! events are the rows, names and pairs of a trace that begins with the batch. [`super::join`] adds them to the builder of
//! the file. Events of other kinds wait as they are.

use alloc::vec::Vec;

use crate::{ByteRange, Event, Limits, Receiver, ThreadEvent, Tick, index32};

use super::{
    TraceBuilder,
    pairing::{Orphan, thread_of},
    rows::OpenRow,
};

/// Events of one file, prepared on any thread for a [`TraceBuilder`] on another.
///
/// ```
/// use spall_model::{ByteRange, Event, EventBatch, Limits, Receiver, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
///
/// let work = ThreadEvent::new(Thread::new(1, 2), Tick(10), Text::from("work"));
/// let mut batch = EventBatch::default();
/// batch.receive(&Event::Complete(work, Ticks(5)), ByteRange::default());
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// assert!(builder.push_batch(&mut batch));
/// assert!(batch.is_empty());
/// assert_eq!(builder.finish().slices().ends(), [Tick(15)]);
/// ```
#[derive(Debug)]
pub struct EventBatch<'e> {
    /// The builder of the begins, ends and complete events.
    pub(super) part: TraceBuilder,
    /// The ends of slices that are not of the batch, in the order of the file, with their numbers in `part`.
    pub(super) early_ends: Vec<Orphan>,
    /// The other events, each with what the batch held before it.
    pub(super) others: Vec<(Held, Event<'e>, ByteRange)>,
    /// Whether an event has come that makes a row in another way.
    pub(super) is_irregular: bool,
}

/// How much a batch holds: the lengths of its lists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) rows: usize,
    pub(super) names: usize,
    pub(super) tracks: usize,
    pub(super) args: usize,
    pub(super) end_args: usize,
    pub(super) early_ends: usize,
    /// The first events behind reports.
    pub(super) next: usize,
    /// The time of the last event that has one; [`Tick::MIN`] if there is none.
    pub(super) now: Tick,
}

impl Held {
    /// That of an empty batch.
    pub(super) const NONE: Self =
        Self { rows: 0, names: 0, tracks: 0, args: 0, end_args: 0, early_ends: 0, next: 0, now: Tick::MIN };
}

/// The numbers of slices, and of events that are kept for later, that a batch has room for.
const MAX_SLICES: usize = 1 << 16;
const MAX_OTHERS: usize = 1 << 14;

/// Returns the builder of a batch. The reports of its parser wait among the other events.
fn new_part(limits: &Limits) -> TraceBuilder {
    let mut part = TraceBuilder::new(limits);
    part.diagnostics.next = Some(Vec::new());
    part
}

impl Default for EventBatch<'_> {
    fn default() -> Self {
        // The limits of the file are those of the builder that gets the batch.
        let limits = Limits { max_depth: u32::MAX, max_tracks: u32::MAX, ..Limits::default() };
        let part = new_part(&limits);
        Self { part, early_ends: Vec::new(), others: Vec::new(), is_irregular: false }
    }
}

impl<'e> Receiver<'e> for EventBatch<'e> {
    /// Adds an event, whose strings the batch borrows from the input. This takes amortised constant time.
    #[inline(always)]
    fn receive(&mut self, event: &Event<'e>, bytes: ByteRange) {
        match event {
            Event::Begin(_) | Event::Complete(..) => self.part.receive(event, bytes),
            Event::End(event) => self.push_end(event, bytes),
            // A copy: if a reference to the event itself left this function, every event would be put together in memory.
            &event => self.push_other(event, bytes),
        }
    }
}

impl<'e> EventBatch<'e> {
    /// Returns whether the batch has no events.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.part.slices.rows.len() == 0 && self.early_ends.is_empty() && self.others.is_empty()
    }

    /// Returns whether the batch has as many events as it should hold at once. It takes up to 8 MiB then, and a further event
    /// is kept as well.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.part.slices.rows.len() >= MAX_SLICES
            || self.early_ends.len().max(self.others.len()) >= MAX_OTHERS
    }

    #[inline(always)]
    fn push_end(&mut self, event: &ThreadEvent<'e>, bytes: ByteRange) {
        let Some(track) = self.part.thread(event.thread, event.at, bytes) else { return };
        if self.part.slices.innermost(track) == OpenRow::NONE {
            return self.push_early_end(track, event, bytes);
        }
        self.part.end_on(track, event, bytes);
    }

    /// Keeps an end of a slice that is not of the batch.
    #[cold]
    fn push_early_end(&mut self, track: u32, event: &ThreadEvent<'e>, bytes: ByteRange) {
        let closed_at = index32(self.part.slices.rows.len());
        thread_of(&mut self.part.slices.threads, track).add_early_end(event.at, bytes);
        let name = self.part.intern(event.name);
        let args = self.part.keep_args(event.args, bytes);
        self.early_ends.push(Orphan { track, closed_at, at: event.at, name, args, bytes });
    }

    /// Keeps an event as it is.
    #[cold]
    fn push_other(&mut self, event: Event<'e>, bytes: ByteRange) {
        self.is_irregular |= matches!(event, Event::Unfinished(_));
        self.others.push((self.held(), event, bytes));
        if let Event::Diagnostic(kind) = event {
            self.part.report(kind, bytes);
        }
        self.part.diagnostics.now = event.at().unwrap_or(self.part.diagnostics.now);
    }

    /// Returns what the batch holds.
    pub(super) fn held(&self) -> Held {
        Held {
            rows: self.part.slices.rows.len(),
            names: self.part.names.all.len(),
            tracks: self.part.registry.tracks.len(),
            args: self.part.args.len(),
            end_args: self.part.slices.end_args.len(),
            early_ends: self.early_ends.len(),
            next: self.part.diagnostics.next.as_ref().map_or(0, Vec::len),
            now: self.part.diagnostics.now,
        }
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        let new = new_part(&self.part.limits);
        let TraceBuilder { mut slices, mut args, .. } = core::mem::replace(&mut self.part, new);
        slices.rows.clear();
        args.clear();
        (self.part.slices.rows, self.part.args) = (slices.rows, args);
        self.early_ends.clear();
        self.others.clear();
        self.is_irregular = false;
    }
}
