//! Recording into memory of the caller: what a profiler does while the program runs.

use super::encode;
use super::wire::{BufferHeader, tag};
use zerocopy::IntoBytes;

/// The buffer has no room for the record, which was not written: [take](BufferWriter::take) the buffer, then write
/// the record again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the buffer is full")]
pub struct Full;

/// Records one thread into memory of the caller, in version 3.
///
/// No allocation, no lock, no I/O, no panic: a record is some bytes copied. A file is a [`Header`](super::Header)
/// and any number of buffers, of one thread or of many, in any order as long as each thread's own are in order.
/// \[spall A.5\]
///
/// Times are ticks of the clock that the file's header describes, and must not go back within a thread. Texts are
/// bytes, UTF-8 if viewers shall show them well; of more than 255 bytes the first 255 are kept, fewer where that
/// would cut a character. A name's last byte should not be a NUL, which readers take for a terminator.
/// \[spall A.6\]
///
/// # Examples
/// A profiler has a buffer per thread and one place to which full buffers go:
///
/// ```
/// use spall_format::spall::{BufferWriter, Header, MIN_BUFFER, Version};
/// use std::{io::Write, sync::Mutex};
///
/// struct Profiler<W> {
///     file: Mutex<W>,
/// }
///
/// struct ThreadProfiler<'p, W: Write> {
///     profiler: &'p Profiler<W>,
///     buffer: BufferWriter<'p>,
/// }
///
/// impl<'p, W: Write> ThreadProfiler<'p, W> {
///     fn begin(&mut self, now: u64, name: &str) {
///         if self.buffer.begin(now, name).is_err() {
///             self.flush();
///             // Fits, as the buffer is empty and at least MIN_BUFFER long.
///             let _ = self.buffer.begin(now, name);
///         }
///     }
///
///     fn end(&mut self, now: u64) {
///         if self.buffer.end(now).is_err() {
///             self.flush();
///             let _ = self.buffer.end(now);
///         }
///     }
///
///     fn flush(&mut self) {
///         let _ = self.profiler.file.lock().unwrap().write_all(self.buffer.take());
///     }
/// }
///
/// impl<W: Write> Drop for ThreadProfiler<'_, W> {
///     fn drop(&mut self) {
///         self.flush();
///     }
/// }
///
/// let mut file = Vec::new();
/// file.write_all(&Header::new(Version::V3, 1.0).to_bytes())?; // 1 ns per tick
/// let profiler = Profiler { file: Mutex::new(file) };
///
/// let mut memory = [0; 64 * 1024];
/// assert!(memory.len() >= MIN_BUFFER);
/// let mut thread = ThreadProfiler { profiler: &profiler, buffer: BufferWriter::new(&mut memory, 1, 1) };
/// thread.begin(1000, "frame");
/// thread.end(1500);
/// drop(thread);
///
/// let file = profiler.file.into_inner().unwrap();
/// assert_eq!(file.len(), 32 + 20 + (11 + 5) + 9);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct BufferWriter<'b> {
    memory: &'b mut [u8],
    used: usize,
    pid: u32,
    tid: u32,
}

/// A buffer of this many bytes has room for any one record.
pub const MIN_BUFFER: usize = HEADER + size_of::<super::wire::BeginV3>() + 2 * encode::MAX_TEXT;

const HEADER: usize = size_of::<BufferHeader>();

impl<'b> BufferWriter<'b> {
    /// Records the thread `tid` of the process `pid` into `memory`, which should be some 10 kB or more, so that it
    /// is seldom full. Less than [`MIN_BUFFER`] has no room for some records, ever.
    #[must_use]
    pub fn new(memory: &'b mut [u8], pid: u32, tid: u32) -> Self {
        // What the header can count.
        let most = usize::try_from(u64::from(u32::MAX) + HEADER as u64).unwrap_or(usize::MAX);
        let length = memory.len().min(most);
        let memory = memory.get_mut(..length).unwrap_or_default();
        Self { memory, used: HEADER, pid, tid }
    }

    /// A slice begins.
    ///
    /// # Errors
    /// [`Full`] if there is no room; nothing was written.
    #[inline]
    pub fn begin(&mut self, when: u64, name: impl AsRef<[u8]>) -> Result<(), Full> {
        self.put(|into| encode::begin_v3(into, when, name.as_ref(), b""))
    }

    /// A slice begins, with arguments: any text that is worth showing.
    ///
    /// # Errors
    /// [`Full`] if there is no room; nothing was written.
    #[inline]
    pub fn begin_with_args(
        &mut self,
        when: u64,
        name: impl AsRef<[u8]>,
        args: impl AsRef<[u8]>,
    ) -> Result<(), Full> {
        self.put(|into| encode::begin_v3(into, when, name.as_ref(), args.as_ref()))
    }

    /// The innermost open slice of the thread ends.
    ///
    /// # Errors
    /// [`Full`] if there is no room; nothing was written.
    #[inline]
    pub fn end(&mut self, when: u64) -> Result<(), Full> {
        self.put(|into| encode::end_v3(into, when))
    }

    /// Names the process. The last name in the file counts.
    ///
    /// # Errors
    /// [`Full`] if there is no room; nothing was written.
    pub fn process_name(&mut self, name: impl AsRef<[u8]>) -> Result<(), Full> {
        self.put(|into| encode::name_v3(into, tag::PROCESS_NAME, name.as_ref()))
    }

    /// Names the thread. The last name in the file counts.
    ///
    /// # Errors
    /// [`Full`] if there is no room; nothing was written.
    pub fn thread_name(&mut self, name: impl AsRef<[u8]>) -> Result<(), Full> {
        self.put(|into| encode::name_v3(into, tag::THREAD_NAME, name.as_ref()))
    }

    /// Whether nothing was recorded since the buffer was last taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.used == HEADER
    }

    /// How many bytes there is room for.
    #[must_use]
    pub fn free(&self) -> usize {
        self.memory.len().saturating_sub(self.used)
    }

    /// What was recorded, complete with its header: to be appended to the file as it is. Empty if nothing was
    /// recorded. The writer starts over with an empty buffer.
    #[must_use]
    pub fn take(&mut self) -> &[u8] {
        let end = core::mem::replace(&mut self.used, HEADER);
        let size = end - HEADER;
        if size == 0 {
            return b"";
        }
        let header = BufferHeader {
            size: u32::try_from(size).unwrap_or(u32::MAX).into(),
            tid: self.tid.into(),
            pid: self.pid.into(),
            first_ts: 0.into(),
        };
        if let Some(into) = self.memory.first_chunk_mut::<HEADER>() {
            into.copy_from_slice(header.as_bytes());
        }
        self.memory.get(..end).unwrap_or_default()
    }

    #[inline]
    fn put(&mut self, encode: impl FnOnce(&mut [u8]) -> Option<usize>) -> Result<(), Full> {
        let length = self.memory.get_mut(self.used..).and_then(encode).ok_or(Full)?;
        self.used += length;
        Ok(())
    }
}
