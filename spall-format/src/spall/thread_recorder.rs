//! The recorder of a thread that hands over full buffers by itself.

use core::{convert::Infallible, fmt};

use super::{BufferWriter, Full};
use crate::FormatError;

/// A recorder of one thread that hands each full buffer to a closure, and the last one when it is dropped.
///
/// The closure `S` gets the bytes of a buffer, to be appended to the file as they are. It decides what a failure
/// means, because a profiler must not stop the program when the disk is full.
///
/// # Examples
/// A program with threads has one file and a recorder in each thread:
///
/// ```
/// use spall_format::spall::{Header, Parser, ThreadRecorder, Version};
/// use spall_model::Parser as _;
/// use std::{sync::Mutex, thread, time::Instant};
///
/// let start = Instant::now();
/// let now = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
/// let file = Mutex::new(Header::new(Version::V3, 1.0).to_bytes().to_vec()); // a tick is a nanosecond
/// let append = |bytes: &[u8]| file.lock().unwrap().extend_from_slice(bytes);
///
/// thread::scope(|scope| {
///     for tid in 0..2 {
///         scope.spawn(move || {
///             let mut recorder = ThreadRecorder::new([0; 4096], 1, tid, append).unwrap();
///             recorder.thread_name(format!("worker {tid}"));
///             for _ in 0..1000 {
///                 recorder.begin(now(), "work");
///                 recorder.end(now());
///             }
///             // The recorder is dropped here. In a thread-local variable it may outlive the scope.
///         });
///     }
/// });
///
/// let file = file.into_inner().unwrap();
/// let mut events = 0;
/// Parser::new().parse_all(&file, |_, _| events += 1)?;
/// assert_eq!(events, 1 + 2 * (1 + 2 * 1000));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[doc(alias("profiler", "instrument"))]
pub struct ThreadRecorder<B: AsMut<[u8]>, S: FnMut(&[u8])> {
    buffer: BufferWriter<B>,
    sink: S,
}

impl<B: AsMut<[u8]>, S: FnMut(&[u8])> ThreadRecorder<B, S> {
    /// Creates a recorder of the thread `tid` of the process `pid` into `memory`, whose contents go to `sink`.
    ///
    /// # Errors
    /// This returns an error if the size of `memory` is not one that [`BufferWriter::new`] accepts.
    pub fn new(memory: B, pid: u32, tid: u32, sink: S) -> Result<Self, FormatError> {
        Ok(Self { buffer: BufferWriter::new(memory, pid, tid)?, sink })
    }

    /// Writes the begin of a slice named `name` at the tick `when`.
    #[doc(alias("zone", "span"))]
    #[inline]
    pub fn begin(&mut self, when: u64, name: impl AsRef<[u8]>) {
        let name = name.as_ref();
        self.record(|buffer| buffer.begin(when, name));
    }

    /// Writes the begin of a slice with arguments, at the tick `when`. Arguments are any text that is worth showing.
    #[inline]
    pub fn begin_with_args(&mut self, when: u64, name: impl AsRef<[u8]>, args: impl AsRef<[u8]>) {
        let (name, args) = (name.as_ref(), args.as_ref());
        self.record(|buffer| buffer.begin_with_args(when, name, args));
    }

    /// Writes the end of the innermost open slice of the thread, at the tick `when`.
    #[inline]
    pub fn end(&mut self, when: u64) {
        self.record(|buffer| buffer.end(when));
    }

    /// Writes the name of the process. If it is written several times, readers use the last one.
    pub fn process_name(&mut self, name: impl AsRef<[u8]>) {
        let name = name.as_ref();
        self.record(|buffer| buffer.process_name(name));
    }

    /// Writes the name of the thread. If it is written several times, readers use the last one.
    pub fn thread_name(&mut self, name: impl AsRef<[u8]>) {
        let name = name.as_ref();
        self.record(|buffer| buffer.thread_name(name));
    }

    /// Hands the recorded bytes to the closure. The closure is not called if nothing was recorded since the last time.
    pub fn flush(&mut self) {
        let bytes = self.buffer.take();
        if !bytes.is_empty() {
            (self.sink)(bytes);
        }
    }

    #[inline]
    fn record(&mut self, write: impl Fn(&mut BufferWriter<B>) -> Result<(), Full>) {
        let Self { buffer, sink } = self;
        let Ok(()) = buffer.record(write, |bytes| {
            sink(bytes);
            Ok::<_, Infallible>(())
        });
    }
}

impl<B: AsMut<[u8]>, S: FnMut(&[u8])> Drop for ThreadRecorder<B, S> {
    fn drop(&mut self) {
        self.flush();
    }
}

// By hand, because closures cannot be printed.
impl<B: AsMut<[u8]>, S: FnMut(&[u8])> fmt::Debug for ThreadRecorder<B, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadRecorder").field("buffer", &self.buffer).finish_non_exhaustive()
    }
}
