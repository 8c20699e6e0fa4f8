//! The writer of events to a file.

use alloc::vec::Vec;
use std::io;

use spall_model::{Args, Clock, Event, Id, LostParts, MetaEvent, Thread, ThreadEvent, Tick, Value, Written};

use super::short_text::ShortText;
use super::wire::{BufferHeader, tag};
use super::{BufferWriter, Header, MIN_BUFFER, Version, encode};

/// A writer of events to a spall file. The events come from any parser or are built by hand.
///
/// [`write_event`](Self::write_event) writes as much of an event as the format can hold and returns what is missing,
/// see [`Written`].
///
/// # What the format can hold
/// | event | v0 | v1 | v3 |
/// |---|---|---|---|
/// | [`Event::Clock`], before all others | yes | yes | yes |
/// | the Unix and the monotonic time of tick 0 | | | yes |
/// | [`Event::Begin`], [`Event::End`] | yes | yes | yes |
/// | arguments of a begin | | yes | yes |
/// | [`Event::Complete`] | yes | | |
/// | [`Event::ProcessName`], [`Event::ThreadName`] | | | yes |
///
/// Give a complete slice to v1 and v3 as a begin and an end, each in its place in time.
///
/// These parts of an event are lost:
///
/// | part | [`LostParts`] |
/// |---|---|
/// | a category | [`LostParts::CATEGORY`] |
/// | the name of an end | [`LostParts::NAME`] |
/// | arguments of an end or a complete slice, and all arguments in v0 | [`LostParts::ARGUMENTS`] |
/// | names and types of arguments, which become one line `key=value, key=value` | [`LostParts::ARGUMENT_TYPES`] |
/// | what follows the first 255 bytes of a text, or fewer so as not to cut a character | [`LostParts::TEXT`] |
///
/// Version 3 keeps ticks and their duration. Versions 0 and 1 get whole nanoseconds, because viewers drop fractions.
/// They are stored as a floating point number, which is exact up to 2^53 (104 days).
///
/// Version 3 collects the events of a thread in a buffer of 64 KiB until an event of another thread comes. Every such
/// change costs 20 bytes, so events are best given grouped by thread. Reading a file from this writer and writing it
/// again in the same version gives the same bytes. A file from another writer loses its own division into buffers,
/// its padding and the NULs behind names, while its events stay the same.
///
/// # Examples
/// ```
/// use spall_format::spall::{FileWriter, Parser, Version};
/// use spall_model::{Parser as _, Written};
/// # let mut original = FileWriter::new(Vec::new(), Version::V3);
/// # let thread = spall_model::Thread::new(1_u32, 2_u32);
/// # let event = spall_model::ThreadEvent::new(thread, spall_model::Tick(5), spall_model::Text::plain(b"a"));
/// # assert_eq!(original.write_event(&spall_model::Event::Begin(event))?, Written::Done);
/// # let bytes = original.finish()?;
/// // This converts a file of any version to version 1.
/// let mut file = FileWriter::new(Vec::new(), Version::V1);
/// let mut incomplete = 0;
/// let mut result = Ok(());
/// Parser::new().parse_all(&bytes, |event, _| match file.write_event(event) {
///     Ok(Written::Done) => {}
///     Ok(_) => incomplete += 1,
///     Err(error) => result = Err(error),
/// })?;
/// result?;
/// let file = file.finish()?;
/// assert_eq!((file.len(), incomplete), (32 + 21, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("export"))]
#[derive(Debug)]
pub struct FileWriter<W> {
    out: W,
    version: Version,
    ns_per_tick: f64,
    /// The clock, whose times of tick 0 version 3 holds as facts. [spall A.5](crate::rules::spall#A.5.11)
    clock: Clock,
    /// Whether the file's header is written.
    started: bool,
    /// The records that are not yet written. Versions 0 and 1 have no buffers, so its header is left out there.
    buffer: BufferWriter<Vec<u8>>,
}

/// A process id and a thread id.
type Ids = (u32, u32);

/// The size of the memory for records in bytes.
const MEMORY: usize = 64 * 1024;

impl<W: io::Write> FileWriter<W> {
    /// Creates a writer of a file of the given version to `out`. The file is complete after [`finish`](Self::finish).
    pub fn new(out: W, version: Version) -> Self {
        Self {
            out,
            version,
            ns_per_tick: 1.0,
            clock: Clock::NANOSECONDS,
            started: false,
            buffer: BufferWriter::of(alloc::vec![0; MEMORY], (0, 0)),
        }
    }

    /// Writes an event, as far as the format can hold it, and returns what is missing.
    ///
    /// An event of a kind that the version does not have is [`Written::Unsupported`]. An id that is a text or has more
    /// than 32 bits is [`Written::BadId`], and a time before 0 in version 3 is [`Written::BadTime`]. Nothing of such an
    /// event is written.
    ///
    /// # Errors
    /// This returns the errors of `out`.
    pub fn write_event(&mut self, event: &Event<'_>) -> io::Result<Written> {
        match (*event, self.version) {
            (Event::Clock(clock), _) => Ok(self.clock(clock)),
            (Event::Begin(event), _) => self.begin(event),
            (Event::End(event), _) => self.end(event),
            (Event::Complete(event, duration), Version::V0) => self.complete(event, event.at + duration),
            (Event::ProcessName(pid, name), Version::V3) => {
                let Some(pid) = id(pid) else { return Ok(Written::BadId) };
                // Any thread of the process will do, so the name need not start a new buffer.
                let is_open = self.buffer.thread.0 == pid && !self.buffer.is_empty();
                let thread = if is_open { self.buffer.thread } else { (pid, 0) };
                let name = ShortText::name(name);
                self.put(thread, name.lost(), |into| {
                    encode::name_v3(into, tag::PROCESS_NAME, name.as_bytes())
                })
            }
            (Event::ThreadName(thread, name), Version::V3) => {
                let Some(thread) = ids(thread) else { return Ok(Written::BadId) };
                let name = ShortText::name(name);
                self.put(thread, name.lost(), |into| encode::name_v3(into, tag::THREAD_NAME, name.as_bytes()))
            }
            (Event::Meta(MetaEvent { thread: None, key, value: Value::Text(value), .. }), Version::V3) => {
                let (key, value) = (key.unescape(), value.unescape());
                if !encode::is_fact(&key, &value) {
                    return Ok(Written::Unsupported);
                }
                self.put(self.buffer.thread, LostParts::NONE, |into| encode::fact_v3(into, &key, &value))
            }
            (Event::Diagnostic(_) | Event::Conventions(_), _) => Ok(Written::Done),
            _ => Ok(Written::Unsupported),
        }
    }

    /// Writes everything that is still in memory, and the header if there was no event, and flushes the output.
    ///
    /// # Errors
    /// This returns the errors of `out`. Bytes that it did not take are lost.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_buffer()?;
        self.out.flush()
    }

    /// Completes the file and returns the output.
    ///
    /// # Errors
    /// This returns the errors of `out`.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.out)
    }

    /// Takes note of the duration of a tick. In version 3 it stands in the header, so it cannot change afterwards.
    fn clock(&mut self, clock: Clock) -> Written {
        let ns_per_tick = clock.ns_per_tick().unwrap_or(1.0);
        let in_header = self.version == Version::V3;
        // A record in memory belongs to the header that will be written in front of it.
        let is_fixed = self.started || !self.buffer.is_empty();
        if in_header && is_fixed && ns_per_tick.to_bits() != self.ns_per_tick.to_bits() {
            return Written::Unsupported;
        }
        let times = |clock: Clock| (clock.epoch_ns, clock.monotonic_ns);
        if in_header && self.started && times(clock) != times(self.clock) {
            return Written::Unsupported;
        }
        (self.ns_per_tick, self.clock) = (ns_per_tick, clock);
        Written::Done
    }

    /// Writes a begin with the name and arguments that the version can hold.
    fn begin(&mut self, event: ThreadEvent<'_>) -> io::Result<Written> {
        let Some(thread) = ids(event.thread) else { return Ok(Written::BadId) };
        let name = ShortText::name(event.name);
        let args = if self.version == Version::V0 { Args::NONE } else { event.args };
        let has_no_place = LostParts::ARGUMENTS.only_if(args.is_none() && !event.args.is_none());
        let args = ShortText::args(args);
        let lost = name.lost().with(args.lost()).with(has_no_place).with(category(&event));
        let (version, name, args) = (self.version, name.as_bytes(), args.as_bytes());
        if version == Version::V3 {
            let Ok(when) = u64::try_from(event.at.0) else { return Ok(Written::BadTime) };
            return self.put(thread, lost, |into| encode::begin_v3(into, when, name, args));
        }
        let Some(time) = self.exact_nanoseconds(event.at) else { return Ok(Written::BadTime) };
        self.put(thread, lost, |into| encode::floats::begin(into, version, thread, time, name, args))
    }

    /// Writes an end, which has nothing but a time.
    fn end(&mut self, event: ThreadEvent<'_>) -> io::Result<Written> {
        let Some(thread) = ids(event.thread) else { return Ok(Written::BadId) };
        let lost = category(&event)
            .with(LostParts::NAME.only_if(!event.name.is_empty()))
            .with(LostParts::ARGUMENTS.only_if(!event.args.is_none()));
        if self.version == Version::V3 {
            let Ok(when) = u64::try_from(event.at.0) else { return Ok(Written::BadTime) };
            return self.put(thread, lost, |into| encode::end_v3(into, when));
        }
        let Some(time) = self.exact_nanoseconds(event.at) else { return Ok(Written::BadTime) };
        self.put(thread, lost, |into| encode::floats::end_v0(into, thread, time))
    }

    /// Writes a slice of version 0. Both ends are rounded, so that a slice which ends where another begins still does.
    fn complete(&mut self, event: ThreadEvent<'_>, end: Tick) -> io::Result<Written> {
        let Some(thread) = ids(event.thread) else { return Ok(Written::BadId) };
        let name = ShortText::name(event.name);
        let lost =
            name.lost().with(category(&event)).with(LostParts::ARGUMENTS.only_if(!event.args.is_none()));
        let (Some(time), Some(end_time)) = (self.exact_nanoseconds(event.at), self.exact_nanoseconds(end))
        else {
            return Ok(Written::BadTime);
        };
        let duration = end_time - time;
        // The parser adds the two numbers again.
        if self.ns_per_tick == 1.0 && clamped_tick(time + duration) != end {
            return Ok(Written::BadTime);
        }
        self.put(thread, lost, |into| {
            encode::floats::complete_v0(into, thread, time, duration, name.as_bytes())
        })
    }

    /// Returns a time for versions 0 and 1, or `None` if the time is a number of nanoseconds that a double rounds. Ticks of
    /// other durations are rounded to nanoseconds.
    fn exact_nanoseconds(&self, at: Tick) -> Option<f64> {
        let time = self.nanoseconds(at);
        let is_rounded = self.ns_per_tick == 1.0 && clamped_tick(time) != at;
        (!is_rounded).then_some(time)
    }

    /// Returns a time of version 0 or 1 in nanoseconds, clamped as the parser clamps it.
    fn nanoseconds(&self, at: Tick) -> f64 {
        (at.0 as f64 * self.ns_per_tick).round().clamp(i64::MIN as f64, i64::MAX as f64)
    }

    /// Writes a record of an event that lost `lost`.
    fn put(
        &mut self,
        thread: Ids,
        lost: LostParts,
        encode: impl Fn(&mut [u8]) -> Option<usize>,
    ) -> io::Result<Written> {
        if self.version == Version::V3 && thread != self.buffer.thread {
            self.write_buffer()?;
            self.buffer.thread = thread;
        }
        if self.buffer.put(&encode).is_err() {
            self.write_buffer()?;
            // An empty buffer has room for any record.
            let _ = self.buffer.put(&encode);
        }
        Ok(Written::without(lost))
    }

    /// Writes what the clock says beyond the duration of a tick, as a buffer of its own. [spall A.5](crate::rules::spall#A.5.11)
    fn write_facts(&mut self) -> io::Result<()> {
        let facts = [("unix_ns", self.clock.epoch_ns), ("monotonic_ns", self.clock.monotonic_ns)];
        let mut buffer = BufferWriter::of([0; MIN_BUFFER], self.buffer.thread);
        for (key, time) in facts.into_iter().filter_map(|(key, time)| Some((key, time?))) {
            // There is room for both.
            let _ = buffer.fact(key, alloc::format!("{time}"));
        }
        self.out.write_all(buffer.take())
    }

    /// Writes the records in memory, behind the file's header if that is not written yet.
    fn write_buffer(&mut self) -> io::Result<()> {
        if !self.started {
            let unit = if self.version == Version::V3 { self.ns_per_tick } else { 1.0 };
            self.out.write_all(&Header::new(self.version, unit).to_bytes())?;
            self.started = true;
            self.write_facts()?;
        }
        let bytes = self.buffer.take();
        let head = if self.version == Version::V3 { 0 } else { size_of::<BufferHeader>() };
        self.out.write_all(bytes.get(head..).unwrap_or_default())
    }
}

/// Returns [`LostParts::CATEGORY`] if the event has a category, because no version has a place for it.
fn category(event: &ThreadEvent<'_>) -> LostParts {
    LostParts::CATEGORY.only_if(!event.category.is_empty())
}

/// Returns the tick that the parser reads from a number of nanoseconds. The greatest tick is written as 2⁶³, which is
/// clamped to that tick again.
#[allow(clippy::cast_possible_truncation, reason = "the cast saturates, as the parser does")]
fn clamped_tick(nanoseconds: f64) -> Tick {
    Tick(nanoseconds as i64)
}

/// Returns the ids of a thread, or `None` if the format cannot hold one of them.
fn ids(thread: Thread<'_>) -> Option<Ids> {
    Some((id(thread.pid)?, id(thread.tid)?))
}

fn id(id: Id<'_>) -> Option<u32> {
    match id {
        Id::Number(number) => u32::try_from(number).ok(),
        Id::Text(_) => None,
    }
}
