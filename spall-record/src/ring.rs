//! The ring of a thread, which the thread fills and anybody may empty.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;
use std::sync::PoisonError;

use crate::gap::{Cause, Gap};
use crate::record;

#[cfg(not(all(test, loom)))]
use core::sync::atomic::AtomicU64;
#[cfg(not(all(test, loom)))]
use std::sync::{Mutex, MutexGuard};

#[cfg(all(test, loom))]
use loom::sync::atomic::AtomicU64;
#[cfg(all(test, loom))]
use loom::sync::{Mutex, MutexGuard};

/// The records of a thread that nobody has taken yet.
///
/// Positions count words and never go back; a position modulo the size of the ring is a place in it. Only the owner
/// stores words and moves `head`. `tail` is moved under the lock of `gap`, by whoever takes records or, if the oldest
/// ones are overwritten, by the owner.
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
        Self {
            words: zeros(n_words.next_power_of_two()),
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
        // Whoever reads a word that is stored after this takes the lock after this, too, and sees the new tail.
        self.tail.store(tail, Ordering::Relaxed);
    }

    /// Moves all records behind those in `words`, preceded by what tells that older ones were overwritten.
    ///
    /// Only one thread at a time may do this.
    pub(crate) fn take(&self, words: &mut Vec<u64>) {
        let head = self.head.load(Ordering::Acquire);
        // The owner may have gone on meanwhile, and overwritten everything up to this head.
        let start = self.tail.load(Ordering::Relaxed).min(head);
        let first = words.len();
        let (from, to) = (self.place(start), self.place(head));
        let (before_end, from_start) = match self.words.split_at_checked(from) {
            Some((all, end)) if to <= from && start != head => (end, all.get(..to).unwrap_or_default()),
            _ => (self.words.get(from..to).unwrap_or_default(), &[][..]),
        };
        for part in [before_end, from_start] {
            words.extend(part.iter().map(|word| word.load(Ordering::Relaxed)));
        }
        let gap = {
            let mut gap = self.gap();
            // Words that the owner overwrote while they were read lie before this tail.
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

    /// Returns whether there is nothing to take.
    pub(crate) fn is_empty(&self) -> bool {
        self.head.load(Ordering::Relaxed) == self.tail.load(Ordering::Relaxed)
            && self.dropped.load(Ordering::Relaxed) == 0
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

/// Returns words with zeros. They take memory when they are used: most threads record little.
#[cfg(not(all(test, loom)))]
fn zeros(n_words: usize) -> Box<[AtomicU64]> {
    zerocopy::FromZeros::new_box_zeroed_with_elems(n_words)
        .unwrap_or_else(|_| (0..n_words).map(|_| AtomicU64::new(0)).collect())
}

#[cfg(all(test, loom))]
fn zeros(n_words: usize) -> Box<[AtomicU64]> {
    (0..n_words).map(|_| AtomicU64::new(0)).collect()
}

/// What two threads may see of one another, in all orders that the memory model allows:
/// `RUSTFLAGS="--cfg loom" cargo test -p spall-record --lib ring`.
#[cfg(all(test, loom))]
mod model {
    use alloc::sync::Arc;

    use loom::thread;

    use super::*;
    use crate::record::{Body, Kind, Records};

    /// Room for two begins.
    const N_WORDS: usize = 4;

    /// The site of the begin at tick 0. The site of what stands for a begin that was overwritten has a smaller number.
    const FIRST_SITE: u32 = 100;

    /// The records of a thread up to now, under the lock that a thread has in a recording.
    type Taken = Mutex<Vec<u64>>;

    fn take(ring: &Ring, taken: &Taken) {
        ring.take(&mut taken.lock().unwrap());
    }

    /// Records begins whose times count from 1, and whose sites count along. `make_room` returns the new limit.
    fn record(ring: &Ring, n_records: u32, make_room: impl Fn() -> u64) {
        let mut head = 0;
        let mut limit = ring.limit();
        for number in 1..=n_records {
            if head + 2 > limit {
                limit = make_room();
            }
            let mut words = Vec::new();
            record::push(&mut words, Kind::Begin, u64::from(number), &Body::site(FIRST_SITE + number));
            words.iter().zip(head..).for_each(|(&word, at)| ring.put(at, word));
            head += 2;
            ring.publish(head);
        }
    }

    /// Returns the times of the begins, and the sum of what is missing.
    fn read(words: &[u64]) -> (Vec<u64>, u64) {
        let (mut times, mut n_missing) = (Vec::new(), 0);
        for record in Records(words) {
            match record.kind {
                Kind::Lost => n_missing += record.numbers()[0],
                _ if record.site() < FIRST_SITE => assert!(n_missing > 0),
                _ => {
                    assert_eq!(
                        u64::from(record.site() - FIRST_SITE),
                        record.ticks,
                        "half of one and half of another"
                    );
                    times.push(record.ticks);
                }
            }
        }
        (times, n_missing)
    }

    #[test]
    fn what_is_taken_is_whole_and_in_order() {
        loom::model(|| {
            let (ring, taken) = (Arc::new(Ring::new(N_WORDS)), Arc::new(Taken::default()));
            let owner = {
                let (ring, taken) = (Arc::clone(&ring), Arc::clone(&taken));
                thread::spawn(move || {
                    record(&ring, 3, || {
                        take(&ring, &taken);
                        ring.limit()
                    });
                })
            };
            take(&ring, &taken);
            owner.join().unwrap();
            take(&ring, &taken);
            assert_eq!(read(&taken.lock().unwrap()), (vec![1, 2, 3], 0));
        });
    }

    #[test]
    fn what_is_overwritten_while_it_is_taken_is_counted() {
        loom::model(|| {
            let (ring, taken) = (Arc::new(Ring::new(N_WORDS)), Arc::new(Taken::default()));
            let owner = {
                let ring = Arc::clone(&ring);
                thread::spawn(move || {
                    record(&ring, 4, || {
                        ring.evict(2);
                        ring.limit()
                    });
                })
            };
            take(&ring, &taken);
            owner.join().unwrap();
            take(&ring, &taken);
            let (times, n_missing) = read(&taken.lock().unwrap());
            assert_eq!(times.len() as u64 + n_missing, 4);
            assert!(times.is_sorted() && times.ends_with(&[3, 4]), "{times:?}");
        });
    }
}
