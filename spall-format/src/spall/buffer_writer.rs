//! Recording into memory, which is what a profiler does while the program runs.

use core::fmt;

use zerocopy::IntoBytes;

use super::encode;
use super::wire::{BeginV3, BufferHeader, tag};
use crate::{FormatError, FormatErrorKind};

/// The error of a record for which the buffer has no room.
///
/// Nothing of the record was written. [Take](BufferWriter::take) the buffer's contents and write the record again, or
/// let [`BufferWriter::record`] do both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the buffer is full")]
pub struct Full;

/// A recorder of one thread into a buffer, in version 3.
///
/// Writing a record copies some bytes: there is no allocation, lock, I/O or panic. The buffer `B` is anything that
/// lends its bytes: a `Box<[u8]>` or `Vec<u8>` and an array are owned by the writer, `&mut [u8]` is borrowed.
///
/// A file is a [`Header`](super::Header) and any number of buffers, of one thread or of many, in any order as long as
/// the buffers of one thread are in order. [spall A.5](crate::rules::spall#A.5)
///
/// Times are ticks of the clock that the file's header describes, and must not go back within a thread. Texts are
/// bytes, which viewers show as UTF-8. Of a text longer than 255 bytes the first 255 are kept, or fewer so as not to
/// cut a character. The last byte of a name should not be a NUL, which readers take for a terminator. [spall
/// A.6](crate::rules::spall#A.6)
///
/// # Examples
/// [`BufferWriter::record`] empties a full buffer and writes the record again. A program with threads appends the
/// contents of all buffers to one file:
///
/// ```
/// use spall_format::spall::{BufferWriter, Header, Version};
/// use std::{io::Write, sync::Mutex};
///
/// let mut file = Vec::new();
/// file.write_all(&Header::new(Version::V3, 1.0).to_bytes())?; // a tick is a nanosecond
/// let file = Mutex::new(file);
/// let append = |bytes: &[u8]| file.lock().unwrap().write_all(bytes);
///
/// // In each thread: process 1, thread 7, and 4 KiB of its own memory.
/// let mut buffer = BufferWriter::new([0; 4096], 1, 7)?;
/// buffer.record(|buffer| buffer.begin(1000, "frame"), append)?;
/// buffer.record(|buffer| buffer.end(1500), append)?;
/// append(buffer.take())?;
///
/// assert_eq!(file.into_inner()?.len(), 32 + 20 + (11 + 5) + 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`ThreadRecorder`](super::ThreadRecorder) also keeps the closure and empties the buffer when it is dropped.
#[doc(alias("profiler", "instrument"))]
#[derive(Clone)]
pub struct BufferWriter<B> {
    memory: B,
    /// The number of bytes of `memory` that are in use. It includes the room for the header, so it is never less.
    used: usize,
    /// The process and the thread.
    pub(super) thread: (u32, u32),
}

/// The least size of a recording buffer in bytes, 541. An empty buffer of this size has room for any one record.
pub const MIN_BUFFER: usize = HEADER + size_of::<BeginV3>() + 2 * encode::MAX_TEXT;

const HEADER: usize = size_of::<BufferHeader>();

impl<B: AsMut<[u8]>> BufferWriter<B> {
    /// Creates a recorder of the thread `tid` of the process `pid` into `memory`.
    ///
    /// Some 10 kB or more are a good size, so that the buffer is seldom full.
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::BufferSize`] if `memory` is smaller than [`MIN_BUFFER`], so that some records
    /// would never fit, or larger than a buffer's header can say, which is 4 GiB.
    ///
    /// ```
    /// use spall_format::spall::{BufferWriter, MIN_BUFFER};
    ///
    /// assert!(BufferWriter::new([0; MIN_BUFFER], 1, 1).is_ok());
    /// assert!(BufferWriter::new([0; 100], 1, 1).is_err());
    /// assert!(BufferWriter::new(vec![0; 64 * 1024].into_boxed_slice(), 1, 1).is_ok());
    /// ```
    pub fn new(mut memory: B, pid: u32, tid: u32) -> Result<Self, FormatError> {
        let length = memory.as_mut().len();
        if length < MIN_BUFFER || u32::try_from(length - HEADER).is_err() {
            let min = u32::try_from(MIN_BUFFER).unwrap_or(u32::MAX);
            return Err(FormatError::new(FormatErrorKind::BufferSize { min }, 0));
        }
        Ok(Self::of(memory, (pid, tid)))
    }

    /// Creates a recorder into `memory`, which has room for any one record.
    pub(super) fn of(memory: B, thread: (u32, u32)) -> Self {
        Self { memory, used: HEADER, thread }
    }

    /// Writes the begin of a slice named `name` at the tick `when`.
    ///
    /// # Errors
    /// This returns [`Full`] if there is no room. Nothing was written then.
    #[doc(alias("zone", "span"))]
    #[inline]
    pub fn begin(&mut self, when: u64, name: impl AsRef<[u8]>) -> Result<(), Full> {
        self.put(|into| encode::begin_v3(into, when, name.as_ref(), b""))
    }

    /// Writes the begin of a slice with arguments, at the tick `when`. Arguments are any text that is worth showing.
    ///
    /// # Errors
    /// This returns [`Full`] if there is no room. Nothing was written then.
    #[inline]
    pub fn begin_with_args(
        &mut self,
        when: u64,
        name: impl AsRef<[u8]>,
        args: impl AsRef<[u8]>,
    ) -> Result<(), Full> {
        self.put(|into| encode::begin_v3(into, when, name.as_ref(), args.as_ref()))
    }

    /// Writes the end of the innermost open slice of the thread, at the tick `when`.
    ///
    /// # Errors
    /// This returns [`Full`] if there is no room. Nothing was written then.
    #[inline]
    pub fn end(&mut self, when: u64) -> Result<(), Full> {
        self.put(|into| encode::end_v3(into, when))
    }

    /// Writes the name of the process. If it is written several times, readers use the last one.
    ///
    /// # Errors
    /// This returns [`Full`] if there is no room. Nothing was written then.
    pub fn process_name(&mut self, name: impl AsRef<[u8]>) -> Result<(), Full> {
        self.put(|into| encode::name_v3(into, tag::PROCESS_NAME, name.as_ref()))
    }

    /// Writes the name of the thread. If it is written several times, readers use the last one.
    ///
    /// # Errors
    /// This returns [`Full`] if there is no room. Nothing was written then.
    pub fn thread_name(&mut self, name: impl AsRef<[u8]>) -> Result<(), Full> {
        self.put(|into| encode::name_v3(into, tag::THREAD_NAME, name.as_ref()))
    }

    /// Writes a fact about the file, which readers that do not know it skip. [spall A.5](crate::rules::spall#A.5.11)
    ///
    /// The keys `unix_ns` and `monotonic_ns` are the times of tick 0 in nanoseconds, by the Unix clock and by the machine's
    /// monotonic clock; they belong before the first record with a time. A key has no `=`. Of a value, as much is written as
    /// fits.
    ///
    /// # Errors
    /// This returns [`Full`] if there is no room. Nothing was written then.
    pub fn fact(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<(), Full> {
        self.put(|into| encode::fact_v3(into, key.as_ref(), value.as_ref()))
    }

    /// Writes one record by `write`. If the buffer is full, this hands its contents to `sink` and calls `write` again.
    ///
    /// The second call succeeds, because an empty buffer has room for any one record. `write` must write no more
    /// than one.
    ///
    /// # Errors
    /// This returns the error of `sink`. The contents of the buffer are lost then, but not the record.
    #[inline]
    pub fn record<E>(
        &mut self,
        write: impl Fn(&mut Self) -> Result<(), Full>,
        sink: impl FnOnce(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if write(self).is_ok() {
            return Ok(());
        }
        let sent = sink(self.take());
        // This fails only if `write` writes more than one record, or if `B` lends other bytes than before.
        let _ = write(self);
        sent
    }

    /// Returns whether nothing was recorded since the buffer was last taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.used == HEADER
    }

    /// Takes the recorded bytes, which start with the buffer's header. Append them to the file unchanged.
    ///
    /// The result is empty if nothing was recorded. The writer starts over with an empty buffer.
    #[must_use]
    pub fn take(&mut self) -> &[u8] {
        let end = core::mem::replace(&mut self.used, HEADER);
        let size = end - HEADER;
        if size == 0 {
            return b"";
        }
        let (size, (pid, tid)) = (u32::try_from(size).unwrap_or(u32::MAX), self.thread);
        let header = BufferHeader { size: size.into(), tid: tid.into(), pid: pid.into(), first_ts: 0.into() };
        let memory = self.memory.as_mut();
        // This fails only if `B` lends fewer bytes than before.
        let _ = header.write_to_prefix(memory);
        memory.get(..end).unwrap_or_default()
    }

    /// Writes a record with an encoder, which returns its length, or `None` if there is no room for it.
    #[inline]
    pub(super) fn put(&mut self, encode: impl FnOnce(&mut [u8]) -> Option<usize>) -> Result<(), Full> {
        let length = self.memory.as_mut().get_mut(self.used..).and_then(encode).ok_or(Full)?;
        self.used += length;
        Ok(())
    }
}

impl<B: AsRef<[u8]>> BufferWriter<B> {
    /// Returns the number of bytes that are still free.
    #[must_use]
    pub fn free(&self) -> usize {
        self.memory.as_ref().len().saturating_sub(self.used)
    }
}

// By hand, because the contents of the buffer would bury everything else, and `B` need not be printable.
impl<B> fmt::Debug for BufferWriter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { used, thread, .. } = self;
        f.debug_struct("BufferWriter").field("used", used).field("thread", thread).finish_non_exhaustive()
    }
}
