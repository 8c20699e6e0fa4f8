//! The ring of a thread, which the thread fills and anybody may empty.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zerocopy::FromZeros;

use crate::gap::{Cause, Gap};
use crate::record;

/// The records of a thread that nobody has taken yet.
///
/// Positions count words and never go back; a position modulo the size of the ring is a place in it. Only the owner
/// stores words and moves `head`. `tail` is moved under the lock of `gap`, by whoever takes records or, if the oldest
/// ones are overwritten, by the owner.
#[derive(Debug)]
pub(crate) struct Ring {
    words: Box<[AtomicU64]>,
    /// Behind the last whole record.
    head: AtomicU64,
    /// At the oldest record.
    tail: AtomicU64,
    /// What was overwritten since records were last taken.
    gap: Mutex<Gap>,
    /// The events that found no room since records were last taken.
    dropped: AtomicU64,
}

impl Ring {
    /// Returns an empty ring of at least `n_words` words, a power of two.
    pub(crate) fn new(n_words: usize) -> Self {
        let n_words = n_words.next_power_of_two();
        // Zeroed memory costs nothing before it is used: most threads record little.
        let words = <[AtomicU64]>::new_box_zeroed_with_elems(n_words)
            .unwrap_or_else(|_| (0..n_words).map(|_| AtomicU64::new(0)).collect());
        Self {
            words,
            head: AtomicU64::new(0),
            tail: AtomicU64::new(0),
            gap: Mutex::default(),
            dropped: AtomicU64::new(0),
        }
    }

    /// Returns the number of words that fit.
    pub(crate) fn capacity(&self) -> u64 {
        self.words.len() as u64
    }

    /// Returns the position at which the ring is full. It only grows.
    pub(crate) fn limit(&self) -> u64 {
        // After this, the owner may store to all places before the limit: the one who took them has read them.
        self.tail.load(Ordering::Acquire) + self.capacity()
    }

    /// Stores a word at a position, which nobody reads before it is published. Called by the owner.
    #[inline]
    pub(crate) fn put(&self, at: u64, word: u64) {
        if let Some(place) = self.words.get(self.place(at)) {
            place.store(word, Ordering::Relaxed);
        }
    }

    /// Makes all words before `head` visible to others. Called by the owner.
    #[inline]
    pub(crate) fn publish(&self, head: u64) {
        self.head.store(head, Ordering::Release);
    }

    /// Counts an event that is not recorded. Called by the owner.
    pub(crate) fn drop_event(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets the oldest records until at least an eighth of the ring is free, and room for `n_words`. Called by the
    /// owner, which then may overwrite them.
    pub(crate) fn evict(&self, n_words: u64) {
        let mut gap = self.gap();
        let head = self.head.load(Ordering::Relaxed);
        let keep = self.capacity().saturating_sub(n_words.max(self.capacity() / 8));
        let mut tail = self.tail.load(Ordering::Relaxed);
        while head - tail > keep {
            let first = self.word(tail);
            let Some((kind, length)) = record::shape(first, self.word(tail + 1)) else {
                tail = head;
                break;
            };
            gap.add(kind, record::ticks(first));
            tail += length as u64;
        }
        self.tail.store(tail, Ordering::Relaxed);
        // Whoever reads one of the words that are stored after this sees the new tail after that, see `take`.
        fence(Ordering::Release);
    }

    /// Moves all records behind those in `words`, preceded by what tells that older ones were overwritten.
    ///
    /// Only one thread at a time may do this.
    pub(crate) fn take(&self, words: &mut Vec<u64>) {
        let head = self.head.load(Ordering::Acquire);
        let start = self.tail.load(Ordering::Acquire);
        let first = words.len();
        let (from, to) = (self.place(start), self.place(head));
        let (before_end, from_start) = match self.words.split_at_checked(from) {
            Some((all, end)) if to <= from && start != head => (end, all.get(..to).unwrap_or_default()),
            _ => (self.words.get(from..to).unwrap_or_default(), &[][..]),
        };
        for part in [before_end, from_start] {
            words.extend(part.iter().map(|word| word.load(Ordering::Relaxed)));
        }
        // Words that the owner overwrote while they were read lie before the tail that is read now.
        fence(Ordering::Acquire);
        let gap = {
            let mut gap = self.gap();
            let tail = self.tail.load(Ordering::Relaxed);
            let overwritten = usize::try_from(tail.min(head) - start).unwrap_or(usize::MAX);
            words.drain(first..(first + overwritten).min(words.len()));
            self.tail.store(head.max(tail), Ordering::Release);
            core::mem::take(&mut *gap)
        };
        if !gap.is_empty() {
            words.splice(first..first, gap.words(Cause::Overwritten));
        }
    }

    /// Returns the number of events that found no room since the last call.
    pub(crate) fn take_dropped(&self) -> u64 {
        self.dropped.swap(0, Ordering::Relaxed)
    }

    fn gap(&self) -> MutexGuard<'_, Gap> {
        self.gap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn word(&self, at: u64) -> u64 {
        self.words.get(self.place(at)).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "the mask is less than a length")]
    fn place(&self, at: u64) -> usize {
        at as usize & self.words.len().wrapping_sub(1)
    }
}
