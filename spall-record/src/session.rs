//! A recording from its start to its finish.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
#[cfg(feature = "live")]
use std::sync::Mutex;
use std::thread::{self, JoinHandle};

#[cfg(feature = "live")]
use spall_model::Receiver;

use crate::clock::ClockSource;
use crate::encode::Encoding;
use crate::facts::Facts;
use crate::file_sink::FileSink;
#[cfg(feature = "live")]
use crate::live::{LiveSink, SharedReceiver};
use crate::memory::MemoryRing;
use crate::output::Target;
use crate::recording::{self, Recording, WhenFull};
use crate::rotation::{Files, Rotation};
use crate::sink::{LostEvents, Sink};
use crate::writer;

/// The choices for a recording, which [`Recorder::start`] begins.
///
/// ```
/// use spall_record::{ClockSource, MemoryRing, Recorder, WhenFull, span};
///
/// let path = std::env::temp_dir().join(format!("recorder-{}.json", std::process::id()));
/// let last = MemoryRing::new(1 << 20);
/// let session = Recorder::new()
///     .clock(ClockSource::instant())
///     .process_name("game")
///     .file(&path)
///     .memory(&last)
///     .start()?;
/// drop(span!("frame"));
/// let missing = session.finish()?;
/// assert!(missing.is_empty());
/// # let trace = spall_trace::load(&std::fs::read(&path)?).unwrap();
/// # assert_eq!((trace.slices().len(), trace.processes().len()), (1, 1));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "a recording begins with `start`"]
pub struct Recorder {
    clock: ClockSource,
    encoding: Encoding,
    when_full: WhenFull,
    rotation: Option<Rotation>,
    process_name: Option<String>,
    ring_bytes: usize,
    flush_every: Option<Duration>,
    outputs: Vec<Destination>,
}

/// Where records go.
enum Destination {
    File(PathBuf),
    Writer(Box<dyn Write + Send>),
    Memory(MemoryRing),
    #[cfg(feature = "live")]
    Live(SharedReceiver),
}

/// The memory for the ring of a thread, unless it is chosen.
const RING_BYTES: usize = 64 * 1024;

/// How often a recording is flushed, unless it is chosen. Browsers have no threads.
const FLUSH_EVERY: Option<Duration> =
    if cfg!(target_family = "wasm") { None } else { Some(Duration::from_millis(100)) };

/// The least memory for a ring, which has room for a few of the largest records.
const MIN_RING_BYTES: usize = 16 * 1024;

impl Recorder {
    /// Returns the usual choices: spall, [`ClockSource::instant`], [`WhenFull::Wait`], rings of 64 KiB, a flush every 100
    /// milliseconds, and nothing to write to.
    pub fn new() -> Self {
        Self {
            clock: ClockSource::instant(),
            encoding: Encoding::Spall,
            when_full: WhenFull::Wait,
            rotation: None,
            process_name: None,
            ring_bytes: RING_BYTES,
            flush_every: FLUSH_EVERY,
            outputs: Vec::new(),
        }
    }

    /// Chooses the format of writers, and of files whose names do not end in `.spall` or `.json`.
    pub fn encoding(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
    }

    /// Chooses the clock.
    pub fn clock(self, clock: ClockSource) -> Self {
        Self { clock, ..self }
    }

    /// Chooses what happens when a thread records faster than the outputs take it.
    pub fn when_full(self, when_full: WhenFull) -> Self {
        Self { when_full, ..self }
    }

    /// Chooses the name of the process, which is the name of the program otherwise.
    pub fn process_name(self, name: impl Into<String>) -> Self {
        Self { process_name: Some(name.into()), ..self }
    }

    /// Chooses the memory for the ring of each thread in bytes, at least 16 KiB. It is rounded up to a power of two.
    ///
    /// A slice takes 24 bytes of it. A larger ring is written less often.
    pub fn ring_bytes(self, ring_bytes: usize) -> Self {
        Self { ring_bytes: ring_bytes.max(MIN_RING_BYTES), ..self }
    }

    /// Chooses how often a thread of the recorder flushes the recording until it is finished, so that a process that is
    /// killed loses no more than that. `None` starts no thread, as is usual on WebAssembly, which may have none.
    ///
    /// With that thread, each thread also flushes by itself, unless it must not [wait](WhenFull): after each 16 of its first
    /// thousand slices, then after 32 more, 64 more, and so on up to the size of its ring. So of a program that aborts soon
    /// after its start, next to everything is there, and later at least half.
    /// Without that thread, a thread writes what is in its ring when the ring is full, up to 128 KiB later, and when the
    /// thread ends. [`Session::flush`] writes what is in all of them.
    pub fn flush_every(self, period: impl Into<Option<Duration>>) -> Self {
        Self { flush_every: period.into(), ..self }
    }

    /// Adds a file as an output: Trace Event JSON if its name ends in `.json`, which needs the feature `json`, and spall if
    /// it ends in `.spall`. A file of this name is replaced.
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        self.outputs.push(Destination::File(path.as_ref().to_owned()));
        self
    }

    /// Chooses that files are rotated.
    pub fn rotation(self, rotation: Rotation) -> Self {
        Self { rotation: Some(rotation), ..self }
    }

    /// Adds anything that bytes can be written to as an output, such as a socket or a pipe.
    ///
    /// It gets large pieces, and what there is at each flush, so it needs no [`io::BufWriter`].
    pub fn writer(mut self, writer: impl Write + Send + 'static) -> Self {
        self.outputs.push(Destination::Writer(Box::new(writer)));
        self
    }

    /// Adds a ring in memory, which keeps the last events, as an output.
    pub fn memory(mut self, ring: &MemoryRing) -> Self {
        self.outputs.push(Destination::Memory(ring.clone()));
        self
    }

    /// Adds a live trace, or anything else that takes events, as an output. The program commits and shows it while the recording
    /// goes on.
    ///
    /// Events come into it when rings are emptied, so call [`flush`](crate::flush) before each picture. The recorder does
    /// not wait for the lock of the trace while the program holds it, except when the recording is finished. The trace
    /// grows as long as the recording goes on.
    #[cfg(feature = "live")]
    pub fn live<R>(mut self, trace: Arc<Mutex<R>>) -> Self
    where
        R: for<'e> Receiver<'e> + Send + 'static,
    {
        self.outputs.push(Destination::Live(trace));
        self
    }

    /// Begins the recording. All threads of the process take part in it.
    ///
    /// # Errors
    /// This returns an error if a file cannot be created, or is to be JSON without the feature `json`, or the thread of [`Recorder::flush_every`] not be started, and
    /// [`io::ErrorKind::ResourceBusy`] if another recording is going on.
    pub fn start(self) -> io::Result<Session> {
        let name = self.process_name.unwrap_or_else(name_of_program);
        let facts = Arc::new(Facts::new(recording::process_id(), self.clock.start(), name));
        let (encoding, rotation, outputs) = (self.encoding, self.rotation, self.outputs);
        let sinks = |facts: &Arc<Facts>| {
            let sink = |output| sink(output, encoding, rotation, facts);
            outputs.into_iter().map(sink).collect()
        };
        let (ring_words, flushes) = (self.ring_bytes / size_of::<u64>(), self.flush_every.is_some());
        let recording = recording::start(facts, self.when_full, ring_words, flushes, sinks)?;
        // Files can be read however soon the process ends.
        let _ = writer::without_recording(|| recording.write_through());
        let mut session = Session { recording, flusher: None };
        let at_end = FlushAtEnd(Arc::downgrade(&session.recording));
        let _ = AT_END.try_with(|kept| kept.replace(Some(at_end)));
        if let Some(period) = self.flush_every {
            session.flusher = Some(Flusher::start(&session.recording, period)?);
        }
        Ok(session)
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

fn sink(
    output: Destination,
    encoding: Encoding,
    rotation: Option<Rotation>,
    facts: &Arc<Facts>,
) -> io::Result<Box<dyn Sink>> {
    Ok(match output {
        Destination::File(path) => {
            let encoding = encoding.of_file(&path)?;
            let files = Files::create(&path, rotation)?;
            Box::new(FileSink::new(encoding, files, rotation.is_some(), facts))
        }
        Destination::Writer(writer) => {
            Box::new(FileSink::new(encoding, Files::one(Target::Writer(writer)), false, facts))
        }
        Destination::Memory(ring) => Box::new(ring.sink(Arc::clone(facts))),
        #[cfg(feature = "live")]
        Destination::Live(trace) => Box::new(LiveSink::new(trace, facts)),
    })
}

fn name_of_program() -> String {
    let program = std::env::args_os().next().unwrap_or_default();
    Path::new(&program).file_stem().map(|name| name.to_string_lossy().to_string()).unwrap_or_default()
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clock, encoding, when_full, outputs, .. } = self;
        f.debug_struct("Recorder")
            .field("clock", clock)
            .field("encoding", encoding)
            .field("when_full", when_full)
            .field("n_outputs", &outputs.len())
            .finish_non_exhaustive()
    }
}

/// A recording that is going on. It is finished when the session is dropped.
///
/// Hold it in a variable of `main`. A `static` is never dropped, and [`exit`](std::process::exit) drops nothing: call
/// [`finish`](crate::finish) before. Without it, a file lacks at most what was recorded since the last
/// [flush](Recorder::flush_every), and its end, which readers do not need.
#[must_use = "the recording ends when the session is dropped; `let _ =` drops it at once"]
pub struct Session {
    recording: Arc<Recording>,
    flusher: Option<Flusher>,
}

impl Session {
    /// Writes everything that all threads have recorded through to the outputs. It then survives the end of the process,
    /// however that comes about.
    ///
    /// # Errors
    /// This returns the first error of an output since the last flush. The recording goes on, and counts what an output
    /// does not take.
    pub fn flush(&self) -> io::Result<()> {
        flush_recording(&self.recording)
    }

    /// Ends the recording, completes the outputs, and returns what is missing in them.
    ///
    /// Slices that are open stay unfinished. What threads record from now on is ignored.
    ///
    /// # Errors
    /// This returns the first error of an output since the last flush. Its text says how many events are missing in the
    /// outputs, if any are.
    pub fn finish(mut self) -> io::Result<LostEvents> {
        self.end()?;
        Ok(self.lost())
    }

    /// Returns what is missing in the outputs up to now.
    #[must_use]
    pub fn lost(&self) -> LostEvents {
        self.recording.lost()
    }

    fn end(&mut self) -> io::Result<()> {
        let flusher = self.flusher.take();
        if !self.recording.is_ours() {
            // A process that was forked does not have the thread, and would wait for it forever.
            core::mem::forget(flusher);
            return Ok(());
        }
        drop(flusher);
        finish_recording(&self.recording)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Whoever wants to know of an error calls `finish`.
        let _ = self.end();
    }
}

/// A thread that flushes a recording again and again, until this is dropped.
struct Flusher {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Flusher {
    fn start(recording: &Arc<Recording>, period: Duration) -> io::Result<Self> {
        let is_over = Arc::new(AtomicBool::new(false));
        let recording: Weak<Recording> = Arc::downgrade(recording);
        let is_stopped = Arc::clone(&is_over);
        let run = move || {
            loop {
                // It may wake up early, and then flushes early.
                thread::park_timeout(period);
                if is_stopped.load(Ordering::Acquire) {
                    return;
                }
                let Some(recording) = recording.upgrade().filter(|recording| !recording.is_over()) else {
                    return;
                };
                // The next flush that the program asks for tells the errors.
                let _ = writer::without_recording(|| recording.write_through());
            }
        };
        let thread = thread::Builder::new().name("spall-record".to_owned()).spawn(run)?;
        Ok(Self { is_over, thread: Some(thread) })
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It ends by itself, and a panic of an output was shown by the hook.
            let _ = thread.join();
        }
    }
}

/// Flushes a recording when the thread ends that began it: the main thread as a rule, whose end is that of the process.
struct FlushAtEnd(Weak<Recording>);

thread_local! {
    static AT_END: RefCell<Option<FlushAtEnd>> = const { RefCell::new(None) };
}

impl Drop for FlushAtEnd {
    fn drop(&mut self) {
        if let Some(recording) = self.0.upgrade() {
            let _ = writer::without_recording(|| recording.write_through());
        }
    }
}

/// Begins a recording of all threads into a file: Trace Event JSON if its name ends in `.json`, which needs the feature
/// `json`, and spall otherwise. A file of this name is replaced.
///
/// [`Recorder`] has all choices.
///
/// # Errors
/// This returns an error if the file cannot be created, or is to be JSON without that feature, and [`io::ErrorKind::ResourceBusy`] if another recording is going
/// on.
pub fn to_file(path: impl AsRef<Path>) -> io::Result<Session> {
    Recorder::new().file(path).start()
}

/// Flushes the recording that is going on, if there is one: see [`Session::flush`].
///
/// # Errors
/// This returns the first error of an output since the last flush.
pub fn flush() -> io::Result<()> {
    recording::current().map_or(Ok(()), |recording| flush_recording(&recording))
}

/// Finishes the recording that is going on, if there is one: see [`Session::finish`]. Call this before
/// [`exit`](std::process::exit).
///
/// # Errors
/// This returns the first error of an output since the last flush.
pub fn finish() -> io::Result<()> {
    recording::current().map_or(Ok(()), |recording| finish_recording(&recording))
}

/// Makes every panic flush the recording that is going on, before the hook that is set now.
///
/// This is for programs that abort on a panic. One that unwinds finishes the recording when it drops the session.
pub fn flush_on_panic() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let _ = flush();
        hook(info);
    }));
}

/// Does nothing in a sink of the recording, which would wait for itself.
fn flush_recording(recording: &Recording) -> io::Result<()> {
    writer::without_recording(|| recording.flush()).unwrap_or(Ok(()))
}

fn finish_recording(recording: &Recording) -> io::Result<()> {
    writer::without_recording(|| recording.finish()).unwrap_or(Ok(()))
}
