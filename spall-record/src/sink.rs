//! What receives the records of a recording.

use alloc::string::String;
use alloc::vec::Vec;
use std::io;

use crate::facts::Facts;
use crate::gap::Gap;
use crate::open::OpenSlices;
use crate::site::SiteTable;

/// The thread that records belong to.
pub(crate) struct ThreadFacts {
    /// The system's id, or the number of the thread where the system has none.
    pub(crate) tid: u32,
    pub(crate) name: String,
}

/// The next records of a thread.
pub(crate) struct Batch<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) thread: &'a ThreadFacts,
    /// The slices that are open before these records, if any sink [needs](Sink::needs_open_slices) them.
    pub(crate) open: &'a OpenSlices,
    pub(crate) words: &'a [u64],
}

/// What a sink knows of a thread.
#[derive(Default)]
pub(crate) struct ThreadInSink {
    /// The number of the file that the thread was introduced in, or 0.
    pub(crate) generation: u64,
    /// The events that the sink did not take, and that it has not told of yet.
    pub(crate) gap: Gap,
}

/// Memory that is used again and again.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) encoded: Encoded,
    pub(crate) sites: SiteTable,
}

/// Encoded records, at the start of memory that keeps its length: to clear it each time would cost more than to fill it.
#[derive(Default)]
pub(crate) struct Encoded {
    pub(crate) memory: Vec<u8>,
    pub(crate) length: usize,
}

impl Encoded {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.memory.get(..self.length).unwrap_or_default()
    }

    /// Uses bytes that are encoded already.
    #[cfg(feature = "json")]
    pub(crate) fn set(&mut self, bytes: Vec<u8>) {
        self.length = bytes.len();
        self.memory = bytes;
    }
}

/// The events that a recording lost. All of them are also counted in its outputs, where they are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LostEvents {
    /// Events that found no room, with [`WhenFull::Drop`](crate::WhenFull::Drop).
    pub dropped: u64,
    /// Events that newer ones took the place of, with [`WhenFull::Overwrite`](crate::WhenFull::Overwrite).
    pub overwritten: u64,
    /// Events that an output did not take, for example because the disk was full.
    pub not_written: u64,
    /// Events that the format of an output cannot hold.
    pub left_out: u64,
}

impl LostEvents {
    /// Returns whether no event was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A receiver of records. Batches of one thread come in order; those of several threads may come at once.
pub(crate) trait Sink: Send + Sync {
    /// Returns whether batches have to say which slices are open.
    fn needs_open_slices(&self) -> bool {
        false
    }

    /// Takes a batch, which is empty if only the gap of the place has to be told.
    fn write(&self, batch: &Batch<'_>, place: &mut ThreadInSink, scratch: &mut Scratch);

    /// Writes everything through to where it is safe from the end of the process.
    ///
    /// # Errors
    /// This returns the first error since the last call.
    fn flush(&self, facts: &Facts) -> io::Result<()>;

    /// Completes the output. Nothing is written afterwards.
    ///
    /// # Errors
    /// This returns the first error since the last flush.
    fn finish(&self, facts: &Facts) -> io::Result<()> {
        self.flush(facts)
    }

    /// Returns the events that the output did not take or cannot hold.
    fn lost(&self) -> LostEvents {
        LostEvents::default()
    }
}
