//! The sink that keeps the last records in memory.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::encode::{Encoder, Encoding};
use crate::facts::Facts;
use crate::open::OpenSlices;
use crate::sink::{Batch, Scratch, Sink, ThreadInSink};
use crate::{recording, writer};

/// A ring in memory that keeps the last events of all threads, to be saved when something interesting has happened.
///
/// Clones share one ring.
///
/// ```
/// use spall_record::{Encoding, MemoryRing, Recorder, span};
///
/// let ring = MemoryRing::new(16 << 20);
/// let _session = Recorder::new().memory(&ring).start()?;
/// for frame in 0..100 {
///     let _span = span!("frame");
///     if frame == 99 {
///         // A slow frame: this is what led to it.
///         let file = ring.to_bytes(Encoding::Spall);
/// #       assert_eq!(spall_trace::load(&file).unwrap().slices().len(), 100);
/// #       let _ = file;
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MemoryRing(Arc<Mutex<Memory>>);

#[derive(Debug)]
struct Memory {
    max_words: usize,
    n_words: usize,
    chunks: VecDeque<Chunk>,
    threads: BTreeMap<u32, MemoryThread>,
    /// `None` before a recording has begun.
    facts: Option<Arc<Facts>>,
}

/// Some records of a thread.
#[derive(Debug)]
struct Chunk {
    tid: u32,
    words: Box<[u64]>,
}

#[derive(Debug, Default)]
struct MemoryThread {
    name: String,
    n_chunks: usize,
    /// The slices that are open before the oldest chunk of the thread.
    open: OpenSlices,
}

impl MemoryRing {
    /// Returns a ring that takes at most `max_bytes` of memory, and a part of what one thread records between two flushes.
    ///
    /// A slice takes 24 bytes, and texts that are not fixed take their length.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(Memory {
            max_words: max_bytes / size_of::<u64>(),
            n_words: 0,
            chunks: VecDeque::new(),
            threads: BTreeMap::new(),
            facts: None,
        })))
    }

    /// Returns what is in the ring, and what threads have recorded up to now, as a file.
    ///
    /// It begins with the slices that are open at the start of the ring, which keep the times at which they began. The file
    /// is empty before the recording has begun.
    #[must_use]
    pub fn to_bytes(&self, encoding: Encoding) -> Vec<u8> {
        if let Some(recording) = recording::current() {
            // The error is one of another sink, and is told there.
            let _ = writer::without_recording(|| recording.drain_all());
        }
        self.memory().encode(encoding)
    }

    /// Writes a file with what [`MemoryRing::to_bytes`] returns. A name that ends in `.json` or `.spall` decides on the
    /// format, whatever `encoding` says.
    ///
    /// # Errors
    /// This returns the errors of the file system.
    pub fn save(&self, path: impl AsRef<Path>, encoding: Encoding) -> io::Result<()> {
        let encoding = encoding.of_file(path.as_ref());
        std::fs::write(path, self.to_bytes(encoding))
    }

    /// Returns the sink that fills the ring. What an earlier recording left is forgotten.
    pub(crate) fn sink(&self, facts: Arc<Facts>) -> MemorySink {
        let mut memory = self.memory();
        *memory = Memory {
            max_words: memory.max_words,
            n_words: 0,
            chunks: VecDeque::new(),
            threads: BTreeMap::new(),
            facts: Some(facts),
        };
        MemorySink(self.clone())
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn push(&mut self, tid: u32, name: &str, words: &[u64]) {
        let thread = self.threads.entry(tid).or_default();
        if thread.name != name {
            name.clone_into(&mut thread.name);
        }
        thread.n_chunks += 1;
        self.chunks.push_back(Chunk { tid, words: words.into() });
        self.n_words += words.len();
        while self.n_words > self.max_words
            && let Some(oldest) = self.chunks.pop_front()
        {
            self.n_words -= oldest.words.len();
            let Some(thread) = self.threads.get_mut(&oldest.tid) else { continue };
            thread.open.follow(&oldest.words);
            thread.n_chunks -= 1;
            if thread.n_chunks == 0 && thread.open.words().is_empty() {
                self.threads.remove(&oldest.tid);
            }
        }
    }

    fn encode(&self, encoding: Encoding) -> Vec<u8> {
        let Some(facts) = &self.facts else { return Vec::new() };
        let (mut encoder, mut scratch) = (Encoder::new(encoding), Scratch::default());
        let mut file = encoder.head(facts);
        file.extend(encoder.source_locations(facts.pid, &mut scratch.sites));
        let mut n_left_out = 0;
        let mut add = |tid, name, words: &[u64]| {
            n_left_out += encoder.batch(facts.pid, tid, name, words, &mut scratch);
            file.extend_from_slice(scratch.encoded.bytes());
        };
        for (&tid, thread) in &self.threads {
            add(tid, Some(thread.name.as_str()), thread.open.words());
        }
        for chunk in &self.chunks {
            add(chunk.tid, None, &chunk.words);
        }
        file.extend(encoder.tail(facts, n_left_out));
        file
    }
}

/// The sink that fills a ring.
#[derive(Debug)]
pub(crate) struct MemorySink(MemoryRing);

impl Sink for MemorySink {
    fn write(&self, batch: &Batch<'_>, _: &mut ThreadInSink, _: &mut Scratch) {
        self.0.memory().push(batch.thread.tid, &batch.thread.name, batch.words);
    }

    fn rename_process(&self, _: &Facts) {}

    fn flush(&self, _: &Facts) -> io::Result<()> {
        Ok(())
    }
}
