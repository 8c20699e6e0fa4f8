//! The reports of a builder, each with its time. [damage 1](crate::rules::damage#1)

use alloc::vec::Vec;

use crate::{ByteRange, Diagnostic, DiagnosticKind, Diagnostics, Tick};

/// The bytes of an event, and its time or that of the event before it; [`Tick::MIN`] if no event with a time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) bytes: ByteRange,
    pub(super) at: Tick,
}

impl Spot {
    pub(super) fn new(bytes: ByteRange, at: Tick) -> Self {
        Self { bytes, at }
    }
}

/// No event.
impl Default for Spot {
    fn default() -> Self {
        Self::new(ByteRange::default(), Tick::MIN)
    }
}

/// What was found while events come.
#[derive(Debug)]
pub(super) struct Reports {
    pub(super) found: Diagnostics,
    /// The time of the current event, or else of the last one that has a time; [`Tick::MIN`] if there was none.
    pub(super) now: Tick,
    /// The reports of the parser since the last event. They may be about the next one, whose time is not known yet.
    waiting: Vec<Diagnostic>,
    /// The first events behind reports, if they are those of a batch, whose builder gets the reports later.
    #[cfg(feature = "parallel")]
    pub(super) next: Option<Vec<Spot>>,
}

/// The number of reports that a parser makes about one event before the event comes. Where it makes more, the first ones get the
/// time of the event before.
const MOST_WAITING: usize = 8;

impl Reports {
    pub(super) fn new(max_kept: u32) -> Self {
        Self {
            found: Diagnostics::new(max_kept),
            now: Tick::MIN,
            waiting: Vec::new(),
            #[cfg(feature = "parallel")]
            next: None,
        }
    }

    /// Returns the place of the current event, whose bytes are given.
    pub(super) fn spot(&self, bytes: ByteRange) -> Spot {
        Spot::new(bytes, self.now)
    }

    /// Adds a report about the current event.
    #[cold]
    pub(super) fn add(&mut self, kind: DiagnosticKind, bytes: ByteRange) {
        self.add_at(kind, self.spot(bytes));
    }

    /// Adds a report about an event that came before.
    #[cold]
    pub(super) fn add_at(&mut self, kind: DiagnosticKind, spot: Spot) {
        self.found.add(kind, spot.bytes, time(spot.at));
    }

    /// Adds a report of the parser.
    #[cold]
    pub(super) fn wait(&mut self, kind: DiagnosticKind, bytes: ByteRange) {
        #[cfg(feature = "parallel")]
        if self.next.is_some() {
            self.waiting.clear();
        }
        if self.waiting.len() == MOST_WAITING {
            let first = self.waiting.remove(0);
            self.found.add(first.kind, first.bytes, first.at);
        }
        self.waiting.push(Diagnostic { kind, bytes, at: time(self.now) });
    }

    /// Begins an event that has a time.
    #[inline(always)]
    pub(super) fn begin(&mut self, at: Tick, bytes: ByteRange) {
        self.now = at;
        if !self.waiting.is_empty() {
            self.settle(Spot::new(bytes, at));
        }
    }

    /// Adds the reports of the parser. Those at or behind the beginning of the current event are about it.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, spot: Spot) {
        #[cfg(feature = "parallel")]
        if let Some(next) = &mut self.next {
            self.waiting.clear();
            return next.push(spot);
        }
        self.settle_at(spot);
    }

    /// Adds the reports of the parser. Those at or behind the beginning of an event are about it.
    pub(super) fn settle_at(&mut self, spot: Spot) {
        for report in self.waiting.drain(..) {
            let is_about = spot.bytes.start <= report.bytes.start;
            self.found.add(report.kind, report.bytes, if is_about { time(spot.at) } else { report.at });
        }
    }

    /// Ends the events: there is no current one any more.
    pub(super) fn end(&mut self) {
        self.flush();
        self.now = Tick::MIN;
    }

    /// Adds the reports of the parser, which are about no event that has a time.
    #[inline(never)]
    pub(super) fn flush(&mut self) {
        self.waiting.drain(..).for_each(|report| self.found.add(report.kind, report.bytes, report.at));
    }
}

fn time(at: Tick) -> Option<Tick> {
    (at != Tick::MIN).then_some(at)
}
