//! The sink that keeps the last records in memory.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use crate::encode::{Encoder, Encoding};
use crate::facts::Facts;
use crate::lock::lock;
use crate::open::OpenSlices;
use crate::recording;
use crate::sink::{Batch, Scratch, Sink, ThreadInSink};
use crate::writer;

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
#[derive(Clone)]
pub struct MemoryRing(Arc<Mutex<Memory>>);

#[derive(Default)]
struct Memory {
    max_words: usize,
    n_words: usize,
    chunks: VecDeque<Chunk>,
    /// The threads that have records in the ring, sorted by the system's id.
    threads: Vec<MemoryThread>,
    /// `None` before a recording has begun.
    facts: Option<Arc<Facts>>,
}

/// Some records of a thread.
struct Chunk {
    tid: u32,
    words: Box<[u64]>,
}

#[derive(Default)]
struct MemoryThread {
    tid: u32,
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
        let max_words = max_bytes / size_of::<u64>();
        Self(Arc::new(Mutex::new(Memory { max_words, ..Memory::default() })))
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
        lock(&self.0).encode(encoding)
    }

    /// Writes a file with what [`MemoryRing::to_bytes`] returns. A name that ends in `.json` or `.spall` decides on the
    /// format, whatever `encoding` says.
    ///
    /// # Errors
    /// This returns the errors of the file system, and [`io::ErrorKind::Unsupported`] for JSON without the feature `json`.
    pub fn save(&self, path: impl AsRef<Path>, encoding: Encoding) -> io::Result<()> {
        let encoding = encoding.of_file(path.as_ref())?;
        std::fs::write(path, self.to_bytes(encoding))
    }

    /// Returns the sink that fills the ring. What an earlier recording left is forgotten.
    pub(crate) fn sink(self, facts: Arc<Facts>) -> Self {
        let mut memory = lock(&self.0);
        *memory = Memory { max_words: memory.max_words, facts: Some(facts), ..Memory::default() };
        drop(memory);
        self
    }
}

impl fmt::Debug for MemoryRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryRing")
    }
}

impl Memory {
    fn push(&mut self, tid: u32, name: &str, words: &[u64]) {
        let index = self.thread(tid).unwrap_or_else(|index| {
            self.threads.insert(index, MemoryThread { tid, ..MemoryThread::default() });
            index
        });
        let Some(thread) = self.threads.get_mut(index) else { return };
        if !name.is_empty() && thread.name != name {
            name.clone_into(&mut thread.name);
        }
        thread.n_chunks += 1;
        self.chunks.push_back(Chunk { tid, words: words.into() });
        self.n_words += words.len();
        while self.n_words > self.max_words
            && let Some(oldest) = self.chunks.pop_front()
        {
            self.n_words -= oldest.words.len();
            let Ok(index) = self.thread(oldest.tid) else { continue };
            let Some(thread) = self.threads.get_mut(index) else { continue };
            thread.open.follow(&oldest.words);
            thread.n_chunks -= 1;
            if thread.n_chunks == 0 && thread.open.words().is_empty() {
                self.threads.remove(index);
            }
        }
    }

    /// Returns the index of a thread, or where it belongs.
    fn thread(&self, tid: u32) -> Result<usize, usize> {
        self.threads.binary_search_by_key(&tid, |thread| thread.tid)
    }

    fn encode(&self, encoding: Encoding) -> Vec<u8> {
        let Some(facts) = &self.facts else { return Vec::new() };
        let (mut encoder, mut scratch) = (Encoder::new(encoding), Scratch::default());
        let mut file = encoder.head(facts);
        file.extend(encoder.source_locations(facts.pid, &mut scratch.sites));
        let mut n_left_out = 0;
        let mut add = |tid, name, words: &[u64]| {
            n_left_out += encoder.batch(facts.pid, tid, name, words, &mut scratch).n_left_out;
            file.extend_from_slice(scratch.encoded.bytes());
        };
        for thread in &self.threads {
            add(thread.tid, Some(thread.name.as_str()), thread.open.words());
        }
        for chunk in &self.chunks {
            add(chunk.tid, None, &chunk.words);
        }
        file.extend(encoder.tail(facts, n_left_out));
        file
    }
}

impl Sink for MemoryRing {
    fn write(&self, batch: &Batch<'_>, _: &mut ThreadInSink, _: &mut Scratch) {
        lock(&self.0).push(batch.thread.tid, &batch.thread.name, batch.words);
    }

    fn flush(&self, _: &Facts) -> io::Result<()> {
        Ok(())
    }
}
