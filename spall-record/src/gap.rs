//! Events that are missing, and what they did to the open slices of their thread.

use alloc::vec::Vec;

use crate::record::{self, Body, Kind, Records};
use crate::site::Site;

/// The reason for which events are missing.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Cause {
    /// The ring was full.
    Dropped,
    /// The ring was full, and newer events took their place.
    Overwritten,
    /// The output failed.
    NotWritten,
}

impl Cause {
    /// Returns what the flags of a record say.
    pub(crate) fn of(flags: u8) -> Self {
        [Self::Dropped, Self::Overwritten]
            .into_iter()
            .find(|&cause| cause as u8 == flags)
            .unwrap_or(Self::NotWritten)
    }

    /// Returns the words that a trace shows.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Overwritten => "overwritten",
            Self::NotWritten => "not written",
        }
    }
}

/// Consecutive events of a thread that are missing.
///
/// A slice may have begun before them and ended in them, or begun in them and ended after them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Gap {
    pub(crate) n_events: u64,
    /// The number of slices from before the gap that ended in it.
    n_ended: u64,
    /// The number of slices that began in the gap and did not end in it.
    n_begun: u64,
    /// The time of the last event.
    ticks: u64,
}

/// A slice that began in a gap, so that its name is not known.
static UNKNOWN: Site = Site::new("begin lost");

impl Gap {
    pub(crate) const fn is_empty(&self) -> bool {
        self.n_events == 0
    }

    /// Adds the next event.
    pub(crate) fn add(&mut self, kind: Kind, ticks: u64) {
        self.n_events += 1;
        self.ticks = ticks;
        match kind {
            Kind::Begin => self.n_begun += 1,
            Kind::End | Kind::EndWith if self.n_begun > 0 => self.n_begun -= 1,
            Kind::End | Kind::EndWith => self.n_ended += 1,
            _ => {}
        }
    }

    /// Adds all events of some words.
    pub(crate) fn add_words(&mut self, words: &[u64]) {
        for record in Records(words) {
            match record.kind {
                // Events that were missing before are still missing, and are counted.
                Kind::Lost => self.n_events += record.numbers()[0],
                kind => self.add(kind, record.ticks),
            }
        }
    }

    /// Returns records that stand for the gap: one that counts what is missing, an end for each slice that ended, and a
    /// begin without a name for each that began.
    pub(crate) fn words(&self, cause: Cause) -> Vec<u64> {
        let mut words = self.count(cause);
        (0..self.n_ended).for_each(|_| record::push(&mut words, Kind::End, self.ticks, &Body::default()));
        let begun = Body::site(UNKNOWN.number());
        (0..self.n_begun).for_each(|_| record::push(&mut words, Kind::Begin, self.ticks, &begun));
        words
    }

    /// Returns the record that counts what is missing.
    pub(crate) fn count(&self, cause: Cause) -> Vec<u64> {
        let mut words = Vec::new();
        push_count(&mut words, cause, self.n_events, self.ticks);
        words
    }
}

/// Appends a record that counts missing events.
pub(crate) fn push_count(words: &mut Vec<u64>, cause: Cause, n_events: u64, ticks: u64) {
    let body = Body { flags: cause as u8, numbers: [n_events, 0], ..Body::default() };
    record::push(words, Kind::Lost, ticks, &body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_were_missing_before_are_missing_still() {
        let mut inner = Gap::default();
        (0..5).for_each(|ticks| inner.add(Kind::Begin, ticks));
        let mut outer = Gap::default();
        // One record says that five events are missing, and each of five slices without a name begins.
        outer.add_words(&inner.words(Cause::Dropped));
        assert_eq!((outer.n_events, outer.n_begun, outer.ticks), (10, 5, 4));
        outer.add_words(&inner.count(Cause::Dropped));
        assert_eq!(outer.n_events, 15);
    }
}
