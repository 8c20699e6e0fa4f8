//! The thread's side of a recording.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

use crate::clock::RunningClock;
use crate::record::{Body, Kind, first_word};
use crate::recording::{self, RecordedThread, Recording, WhenFull};

/// What a thread records with.
pub(crate) struct Writer {
    /// A recording that is over must not keep its outputs open for a thread that lives on.
    recording: Weak<Recording>,
    when_full: WhenFull,
    thread: Arc<RecordedThread>,
    clock: RunningClock,
    epoch: u32,
    /// The position behind the last record.
    head: u64,
    /// The position up to which the ring is known to have room, or that of the next early flush.
    limit: u64,
    /// The number of words up to the next early flush, or `NONE` if there is none.
    early: u64,
    /// The number of open slices, those that are not recorded included.
    depth: u64,
    /// The depth of the innermost open slice that is not recorded, or `NONE`.
    unrecorded: u64,
    /// The depths of those around it.
    more_unrecorded: Vec<u64>,
}

const NONE: u64 = u64::MAX;

/// The number of words, some 16 slices, after which a thread writes through what it has recorded, again and again.
const FIRST_FLUSH: u64 = 48;

/// The number of words, some thousand slices, behind which it does so after twice as many words each time, up to the size of
/// its ring. So a program that aborts soon after its start loses next to nothing, at the price of some 70 small writes for
/// each thread, 200 microseconds in all.
const FIRST_FLUSHES: u64 = 64 * FIRST_FLUSH;

thread_local! {
    static WRITER: RefCell<Option<Writer>> = const { RefCell::new(None) };
    /// Whether the thread is moving records to sinks, which may hold locks that it would wait for. Without a destructor,
    /// so that it is still there when the thread, or the process out of an output of its own, ends.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
    /// What the last writer of the thread left, for destructors of thread-local variables that run after it. Without a
    /// destructor, too.
    static LEFT: Cell<Left> = const { Cell::new(Left { epoch: 0, tid: 0, depth: 0 }) };
}

/// What a writer leaves when it is dropped.
#[derive(Debug, Clone, Copy)]
struct Left {
    epoch: u32,
    tid: u32,
    /// The number of open slices that are recorded.
    depth: u64,
}

/// Calls `write` with what the thread records with. Returns `None` if the thread does not record: because the recording
/// with this epoch is over, or because it is about to move records to a sink, which therefore may use code that records.
#[inline]
pub(crate) fn with<T>(epoch: u32, write: impl FnOnce(&mut Writer) -> T) -> Option<T> {
    let mut write = Some(write);
    let written = WRITER.try_with(|writer| {
        let mut writer = writer.try_borrow_mut().ok()?;
        match &mut *writer {
            Some(writer) if writer.epoch == epoch => Some(write.take()?(writer)),
            writer => join(writer, epoch).map(write.take()?),
        }
    });
    match written {
        Ok(written) => written,
        Err(_) => late(epoch, write.take()?),
    }
}

/// Does the same when the thread is ending and has dropped its writer: with one that lives for this record alone.
#[cold]
fn late<T>(epoch: u32, write: impl FnOnce(&mut Writer) -> T) -> Option<T> {
    if IS_BUSY.get() {
        return None;
    }
    let recording = recording::current().filter(|recording| recording.epoch == epoch)?;
    let left = Some(LEFT.get()).filter(|left| left.epoch == epoch);
    // The outputs know the name.
    let mut writer = Writer::new(&recording, String::new(), left.map(|left| left.tid))?;
    writer.depth = left.map_or(0, |left| left.depth);
    Some(write(&mut writer))
}

/// Moves records to sinks by calling `run`, unless the thread is about to do that already.
fn busy<T>(run: impl FnOnce() -> T) -> Option<T> {
    if IS_BUSY.replace(true) {
        return None;
    }
    let done = run();
    IS_BUSY.set(false);
    Some(done)
}

/// Does something during which the calling thread records nothing.
pub(crate) fn without_recording<T>(run: impl FnOnce() -> T) -> Option<T> {
    let mut run = Some(|| busy(run));
    let held = WRITER.try_with(|writer| {
        let _writer = writer.try_borrow_mut().ok()?;
        run.take()?()
    });
    match held {
        Ok(done) => done,
        // The thread is ending, and does not record anyway.
        Err(_) => run.take()?(),
    }
}

/// Makes the thread take part in the recording that is going on.
fn join(writer: &mut Option<Writer>, epoch: u32) -> Option<&mut Writer> {
    // The guard of a slice may be older than the recording that the thread takes part in.
    let recording = recording::current().filter(|recording| recording.epoch == epoch)?;
    *writer = None;
    let name = std::thread::current().name().map_or_else(String::new, ToOwned::to_owned);
    Some(writer.insert(Writer::new(&recording, name, None)?))
}

impl Writer {
    /// Returns a writer with a ring of its own, or `None` if the recording is over. `tid` is the id of the thread, if it is
    /// known.
    fn new(recording: &Arc<Recording>, name: String, tid: Option<u32>) -> Option<Self> {
        let thread = recording.add_thread(name, tid)?;
        let limit = thread.ring.limit();
        let early = if recording.flushes_early { FIRST_FLUSH } else { NONE };
        Some(Self {
            recording: Arc::downgrade(recording),
            when_full: recording.when_full,
            thread,
            clock: recording.facts.clock.clone(),
            epoch: recording.epoch,
            head: 0,
            limit: limit.min(early),
            early,
            depth: 0,
            unrecorded: NONE,
            more_unrecorded: Vec::new(),
        })
    }

    /// Records the begin of a slice.
    #[inline]
    pub(crate) fn begin(&mut self, site: u32) {
        // An end needs one word, and each open slice gets its own.
        if self.head + 2 + self.depth + 1 > self.limit && !self.make_room(2, self.depth + 1) {
            return self.skip_begin();
        }
        let ticks = self.clock.now();
        let ring = &self.thread.ring;
        ring.put(self.head, first_word(Kind::Begin, ticks));
        ring.put(self.head + 1, u64::from(site));
        self.head += 2;
        ring.publish(self.head);
        self.depth += 1;
    }

    /// Records the begin of a slice with a name that is not fixed or with arguments. Returns its time.
    pub(crate) fn begin_with(&mut self, body: &Body<'_>) -> u64 {
        let n_words = body.n_words(Kind::Begin) as u64;
        if self.head + n_words + self.depth + 1 > self.limit && !self.make_room(n_words, self.depth + 1) {
            self.skip_begin();
            return self.clock.now();
        }
        let ticks = self.clock.now();
        self.put(Kind::Begin, ticks, body);
        self.depth += 1;
        ticks
    }

    /// Records the end of the innermost open slice. Without one, this does nothing.
    #[inline]
    pub(crate) fn end(&mut self) {
        let ticks = self.clock.now();
        if self.depth == 0 {
            return;
        }
        if self.depth == self.unrecorded {
            return self.skip_end();
        }
        if self.head + 1 > self.limit {
            // With `WhenFull::Drop` there is room, because the begin has kept it.
            self.make_room(1, 0);
        }
        self.depth -= 1;
        let ring = &self.thread.ring;
        ring.put(self.head, first_word(Kind::End, ticks));
        self.head += 1;
        ring.publish(self.head);
    }

    /// Records the end of the innermost open slice with arguments. If there is no room for these, it has none.
    #[cfg(feature = "tracing")]
    pub(crate) fn end_with(&mut self, body: &Body<'_>) {
        let ticks = self.clock.now();
        let n_words = body.n_words(Kind::EndWith) as u64;
        let is_recorded = self.depth > 0 && self.depth != self.unrecorded;
        // The other open slices keep their words.
        let n_reserved = self.depth.saturating_sub(1);
        if !is_recorded
            || self.head + n_words + n_reserved > self.limit && !self.make_room(n_words, n_reserved)
        {
            return self.end();
        }
        self.depth -= 1;
        self.put(Kind::EndWith, ticks, body);
    }

    /// Returns the id of the thread and the time.
    #[cfg(feature = "tracing")]
    pub(crate) fn here(&self) -> (u32, u64) {
        (self.thread.tid, self.clock.now())
    }

    /// Records anything but a begin or an end, at a time or now.
    pub(crate) fn record(&mut self, kind: Kind, ticks: Option<u64>, body: &Body<'_>) {
        let ticks = ticks.unwrap_or_else(|| self.clock.now());
        let n_words = body.n_words(kind) as u64;
        if self.head + n_words + self.depth > self.limit && !self.make_room(n_words, self.depth) {
            return self.thread.ring.drop_event();
        }
        self.put(kind, ticks, body);
    }

    /// Gives the thread another name.
    pub(crate) fn rename_thread(&mut self, name: &str) {
        if let Some(recording) = self.recording.upgrade() {
            recording.rename_thread(&self.thread, name);
        }
        self.record(Kind::ThreadName, None, &Body::name(name));
    }

    fn put(&mut self, kind: Kind, ticks: u64, body: &Body<'_>) {
        let ring = &self.thread.ring;
        let mut head = self.head;
        let mut put = |word| {
            ring.put(head, word);
            head += 1;
        };
        put(first_word(kind, ticks));
        body.words(kind, put);
        ring.publish(head);
        self.head = head;
    }

    /// Makes room for a record, as the recording wants it. Returns whether there is room. `n_reserved` words more are
    /// kept free for ends if the thread must not wait.
    fn make_room(&mut self, n_words: u64, n_reserved: u64) -> bool {
        let ring = &self.thread.ring;
        let n_needed = match self.when_full {
            WhenFull::Wait => {
                // Without a recording, nobody reads what the thread may still record.
                if let Some(recording) = self.recording.upgrade() {
                    busy(|| recording.drain(&self.thread, self.early != NONE));
                }
                if self.head >= FIRST_FLUSHES {
                    self.early =
                        self.early.checked_mul(2).filter(|&early| early < ring.capacity()).unwrap_or(NONE);
                }
                n_words
            }
            WhenFull::Drop => n_words + n_reserved,
            WhenFull::Overwrite => {
                ring.evict(n_words);
                n_words
            }
        };
        self.limit = ring.limit().min(self.head.saturating_add(self.early.max(n_needed)));
        self.head + n_needed <= self.limit
    }

    fn skip_begin(&mut self) {
        self.thread.ring.drop_event();
        self.more_unrecorded.push(self.unrecorded);
        self.depth += 1;
        self.unrecorded = self.depth;
    }

    fn skip_end(&mut self) {
        self.thread.ring.drop_event();
        self.unrecorded = self.more_unrecorded.pop().unwrap_or(NONE);
        self.depth -= 1;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The ends of slices that are not recorded are none.
        let depth = if self.unrecorded == NONE { self.depth } else { 0 };
        LEFT.set(Left { epoch: self.epoch, tid: self.thread.tid, depth });
        // The thread ends, or takes part in another recording.
        if let Some(recording) = self.recording.upgrade() {
            busy(|| recording.end_thread(&self.thread));
        }
    }
}
