//! The recording that is going on: the rings of all threads, and where their records go.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::io;
use std::sync::Mutex;

use crate::facts::Facts;
use crate::gap::{self, Cause};
use crate::lock::lock;
use crate::open::OpenSlices;
use crate::record::{self, Kind, Records};
use crate::ring::Ring;
use crate::sink::{Batch, LostEvents, Scratch, Sink, ThreadFacts, ThreadInSink};
use crate::system;

/// What happens to an event for which the ring of its thread has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum WhenFull {
    /// The thread empties its ring into the outputs, and waits until they have taken everything. Nothing is lost. This is
    /// the default.
    #[default]
    Wait,
    /// The event is left out and counted, and a slice as a whole. The thread never waits.
    ///
    /// The rings have to be emptied in time: see [`Recorder::flush_every`](crate::Recorder::flush_every) and
    /// [`flush`](crate::flush).
    Drop,
    /// The event takes the place of the oldest ones, which are counted. The thread never waits.
    ///
    /// Of a slice that began in what is lost, the rest is shown, with the name `begin lost`.
    Overwrite,
}

/// A thread that records.
pub(crate) struct RecordedThread {
    pub(crate) ring: Ring,
    /// Counts from 1 in the order in which threads begin to record.
    pub(crate) number: u32,
    /// The system's id of the thread, or its number where the system has none.
    pub(crate) tid: u32,
    drain: Mutex<Drain>,
}

/// What is known of a thread up to the records that were taken from its ring.
struct Drain {
    facts: ThreadFacts,
    open: OpenSlices,
    /// For each sink, what it knows of the thread.
    places: Vec<ThreadInSink>,
    /// The time of the last record.
    ticks: u64,
}

impl Drain {
    /// Returns whether all sinks know what they are missing of the thread.
    fn is_told(&self) -> bool {
        self.places.iter().all(|place| place.gap.is_empty())
    }
}

/// The number of words of a batch, which may be exceeded by one record. A large ring becomes several batches: the viewer
/// of spall refuses buffers of more than 10 MiB.
const MAX_BATCH: usize = 128 * 1024;

/// The recording that is going on.
pub(crate) struct Recording {
    pub(crate) epoch: u32,
    pub(crate) when_full: WhenFull,
    pub(crate) facts: Arc<Facts>,
    ring_words: usize,
    /// Whether threads that have recorded little write it through.
    pub(crate) flushes_early: bool,
    needs_open_slices: bool,
    sinks: Vec<Box<dyn Sink>>,
    /// The threads that record, sorted by their number.
    threads: Mutex<Vec<Arc<RecordedThread>>>,
    next_number: AtomicU32,
    scratches: Mutex<Vec<(Vec<u64>, Scratch)>>,
    dropped: AtomicU64,
    overwritten: AtomicU64,
    is_finished: AtomicBool,
    /// The first error of a sink that the program does not know of.
    error: Mutex<Option<io::Error>>,
}

/// The epoch of the recording that is going on, or 0. Epochs count the recordings of the process.
static EPOCH: AtomicU32 = AtomicU32::new(0);
static LAST_EPOCH: AtomicU32 = AtomicU32::new(0);
static CURRENT: Mutex<Option<Arc<Recording>>> = Mutex::new(None);

/// Returns the epoch of the recording that is going on, or 0.
#[inline]
pub(crate) fn epoch() -> u32 {
    if cfg!(feature = "enable") { EPOCH.load(Ordering::Relaxed) } else { 0 }
}

/// Returns the recording that is going on.
pub(crate) fn current() -> Option<Arc<Recording>> {
    lock(&CURRENT).clone()
}

/// Starts a recording into sinks that `sinks` makes. `flushes` says whether it is flushed again and again.
///
/// # Errors
/// This returns the error of `sinks`, and [`io::ErrorKind::ResourceBusy`] if there is a recording.
pub(crate) fn start(
    facts: Arc<Facts>,
    when_full: WhenFull,
    ring_words: usize,
    flushes: bool,
    sinks: impl FnOnce(&Arc<Facts>) -> io::Result<Vec<Box<dyn Sink>>>,
) -> io::Result<Arc<Recording>> {
    let mut current = lock(&CURRENT);
    if current.as_ref().is_some_and(|current| current.is_ours()) {
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another recording is going on"));
    }
    // After a fork, the outputs belong to the parent. What they hold would be written a second time if they were dropped.
    core::mem::forget(current.take());
    let sinks = sinks(&facts)?;
    let recording = Arc::new(Recording {
        epoch: LAST_EPOCH.fetch_add(1, Ordering::Relaxed) + 1,
        when_full,
        facts,
        ring_words,
        flushes_early: flushes && when_full == WhenFull::Wait,
        needs_open_slices: sinks.iter().any(|sink| sink.needs_open_slices()),
        sinks,
        threads: Mutex::default(),
        next_number: AtomicU32::new(1),
        scratches: Mutex::default(),
        dropped: AtomicU64::new(0),
        overwritten: AtomicU64::new(0),
        is_finished: AtomicBool::new(false),
        error: Mutex::default(),
    });
    *current = Some(Arc::clone(&recording));
    EPOCH.store(recording.epoch, Ordering::Relaxed);
    Ok(recording)
}

impl Recording {
    /// Gives the calling thread a ring, or returns `None` if the recording is over. `tid` is the id of the thread, if it is
    /// known.
    pub(crate) fn add_thread(&self, name: String, tid: Option<u32>) -> Option<Arc<RecordedThread>> {
        if !self.is_ours() || self.is_over() {
            return None;
        }
        let (ring, tid) = (Ring::new(self.ring_words), tid.or_else(system::thread_id));
        let mut threads = lock(&self.threads);
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        // The system gives the id of a thread that has ended to another one. The number is nobody else's.
        let tid = tid.unwrap_or(number);
        let drain = Drain {
            facts: ThreadFacts { tid, name },
            open: OpenSlices::default(),
            places: self.sinks.iter().map(|_| ThreadInSink::default()).collect(),
            ticks: 0,
        };
        let thread = Arc::new(RecordedThread { ring, number, tid, drain: Mutex::new(drain) });
        threads.push(Arc::clone(&thread));
        Some(thread)
    }

    /// Writes the last records of a thread that ends through to the outputs: who joined it finds them there.
    pub(crate) fn end_thread(&self, thread: &RecordedThread) {
        if !self.is_ours() {
            return;
        }
        let is_told = {
            let mut drain = lock(&thread.drain);
            self.drain_locked(thread, &mut drain);
            drain.is_told()
        };
        self.flush_sinks();
        // What is not told yet is told when the recording is finished.
        if is_told {
            let mut threads = lock(&self.threads);
            if let Ok(index) = threads.binary_search_by_key(&thread.number, |thread| thread.number) {
                threads.remove(index);
            }
        }
    }

    /// Gives a thread another name.
    pub(crate) fn rename_thread(&self, thread: &RecordedThread, name: &str) {
        name.clone_into(&mut lock(&thread.drain).facts.name);
    }

    /// Moves all records of a thread from its ring to the sinks, and through to their outputs if that is wanted.
    pub(crate) fn drain(&self, thread: &RecordedThread, writes_through: bool) {
        // A process that was forked has copies of rings and files that belong to its parent.
        if self.is_ours() {
            self.drain_locked(thread, &mut lock(&thread.drain));
            if writes_through {
                self.flush_sinks();
            }
        }
    }

    fn drain_locked(&self, thread: &RecordedThread, drain: &mut Drain) {
        let (mut words, mut scratch) = lock(&self.scratches).pop().unwrap_or_default();
        words.clear();
        thread.ring.take(&mut words);
        self.count_missing(thread, drain, &mut words);
        let Drain { facts, open, places, .. } = drain;
        let mut rest = &words[..];
        loop {
            let (words, next) = record::split(rest, MAX_BATCH);
            let batch = Batch { facts: &self.facts, thread: facts, open, words };
            for (sink, place) in self.sinks.iter().zip(&mut *places) {
                if !words.is_empty() || !place.gap.is_empty() {
                    sink.write(&batch, place, &mut scratch);
                }
            }
            if self.needs_open_slices {
                open.follow(words);
            }
            rest = next;
            if rest.is_empty() {
                break;
            }
        }
        lock(&self.scratches).push((words, scratch));
    }

    /// Adds up what is missing, and appends a record about events that found no room.
    fn count_missing(&self, thread: &RecordedThread, drain: &mut Drain, words: &mut Vec<u64>) {
        if self.when_full == WhenFull::Wait {
            return;
        }
        for record in Records(words) {
            drain.ticks = record.ticks;
            if record.kind == Kind::Lost {
                self.overwritten.fetch_add(record.numbers()[0], Ordering::Relaxed);
            }
        }
        let n_dropped = thread.ring.take_dropped();
        if n_dropped > 0 {
            self.dropped.fetch_add(n_dropped, Ordering::Relaxed);
            gap::push_count(words, Cause::Dropped, n_dropped, drain.ticks);
        }
    }

    /// Moves all records of all threads to the sinks.
    pub(crate) fn drain_all(&self) {
        if !self.is_ours() {
            return;
        }
        let threads = lock(&self.threads).clone();
        for thread in threads {
            let mut drain = lock(&thread.drain);
            if !thread.ring.is_empty() || !drain.is_told() {
                self.drain_locked(&thread, &mut drain);
            }
        }
    }

    /// Moves all records of all threads through to where they are safe from the end of the process. Errors are kept for
    /// [`Recording::flush`].
    pub(crate) fn write_through(&self) {
        if self.is_ours() {
            self.drain_all();
            self.flush_sinks();
        }
    }

    fn flush_sinks(&self) {
        self.sinks.iter().for_each(|sink| self.keep_error(sink.flush(&self.facts)));
    }

    /// Returns whether nothing is recorded any more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_finished.load(Ordering::Relaxed)
    }

    /// Does the same, and tells the errors.
    ///
    /// # Errors
    /// This returns the first error of a sink since the last call.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.write_through();
        self.take_error()
    }

    /// Ends the recording. Only the first call does something.
    ///
    /// # Errors
    /// This returns the first error of a sink since the last flush.
    pub(crate) fn finish(&self) -> io::Result<()> {
        if !self.is_ours() || self.is_finished.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        EPOCH.store(0, Ordering::Relaxed);
        self.drain_all();
        self.sinks.iter().for_each(|sink| self.keep_error(sink.finish(&self.facts)));
        lock(&CURRENT).take_if(|current| current.epoch == self.epoch);
        self.take_error().map_err(|error| match self.lost().not_written {
            0 => error,
            n_events => io::Error::new(error.kind(), format!("{error}: {n_events} events are not written")),
        })
    }

    fn keep_error(&self, result: io::Result<()>) {
        if let Err(error) = result {
            lock(&self.error).get_or_insert(error);
        }
    }

    fn take_error(&self) -> io::Result<()> {
        lock(&self.error).take().map_or(Ok(()), Err)
    }

    /// Returns the events that the recording lost up to now.
    pub(crate) fn lost(&self) -> LostEvents {
        let mut lost = LostEvents {
            dropped: self.dropped.load(Ordering::Relaxed),
            overwritten: self.overwritten.load(Ordering::Relaxed),
            ..LostEvents::default()
        };
        for of_sink in self.sinks.iter().map(|sink| sink.lost()) {
            lost.not_written += of_sink.not_written;
            lost.left_out += of_sink.left_out;
        }
        lost
    }

    /// Returns whether this is the process that began the recording. If it is not, this ends the recording in it, before
    /// any lock is taken that a thread of the parent may have held.
    pub(crate) fn is_ours(&self) -> bool {
        let is_ours = process_id() == self.facts.pid;
        if !is_ours {
            // The process may have a recording of its own.
            let _ = EPOCH.compare_exchange(self.epoch, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
        is_ours
    }
}

/// Returns the number of the process. Browsers have none.
pub(crate) fn process_id() -> u32 {
    if cfg!(target_family = "wasm") { 1 } else { std::process::id() }
}
