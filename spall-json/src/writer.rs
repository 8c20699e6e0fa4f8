//! The writer of events as Trace Event JSON that every viewer accepts. [json 5](crate::rules::json#5)

mod chunk;
mod document;
pub(crate) mod encode;
mod event;
#[cfg(feature = "std")]
pub(crate) mod file;
mod profile;
mod samples;

use core::fmt::{Error, Write};

use spall_model::{
    Args, AsyncPhase, Clock, Event, FrameTable, Id, LostParts, MetaEvent, Text, ThreadMeasure, Tick, Ticks,
    Unit, Value, Written,
};

use crate::id::whole_number;
use crate::phases::{ASYNC, OBJECT, letter_of};
use crate::sample::SampleTable;

use chunk::ProfileChunk;

/// A writer of events as one document of Trace Event JSON, to anything that implements [`core::fmt::Write`].
///
/// The writer takes events of any format and allocates nothing. [`JsonFileWriter`](crate::JsonFileWriter) is the same
/// for `std::io::Write`.
///
/// # The document
/// The document is an object whose list of events has one event per line. An [`Event::Meta`] about the whole file
/// becomes a key of the document. The key stands before the list if it comes before all events, else behind the list. A
/// key behind the list closes it, and later events are [`Written::TooLate`].
///
/// Sampling profiles become `Profile` and `ProfileChunk` events. Up to 100 samples are collected for one such event,
/// unless an event of another kind comes earlier. The frames and samples of a part of such a profile must follow the
/// [`Event::Profile`] of the part: those of another part are [`Written::Unsupported`]. Frames that threads share, and samples
/// in a list, become the keys `stackFrames` and `samples`.
///
/// Async spans are written as their events come, and readers pair these by key, name and arguments, because the format has no
/// place for the id of a span inside of its key. `Trace::replay_by_name` gives those of a trace in an order, and under keys, that
/// are read as they were.
///
/// # Values
/// The document is strict JSON whatever the events hold. Escapes are decoded and written anew, bad UTF-8 becomes
/// U+FFFD, numbers that JSON does not have become strings, and bytes become hexadecimal text. Lists and objects nested
/// deeper than 32 become `null`, which [`Written::InPart`] reports.
///
/// Times are decimal microseconds without loss. If a tick is not a nanosecond, times are rounded to nanoseconds. A tick
/// of a clock that does not count time becomes a microsecond. The Unix time of tick 0 and that by the
/// monotonic clock, if they are known, become the keys `baseTimeNanoseconds` and `baseMonotonicNanoseconds`.
///
/// ```
/// use spall_json::JsonWriter;
/// use spall_model::{Event, Text, Thread, ThreadEvent, Tick, Ticks};
///
/// let slice = ThreadEvent::new(Thread::new(1_i64, 2_i64), Tick(1500), Text::plain(b"f"));
/// let mut writer = JsonWriter::new(String::new());
/// writer.write_event(&Event::Complete(slice, Ticks(250)))?;
/// assert_eq!(
///     writer.finish()?,
///     "{\"traceEvents\":[\n\
///      {\"ph\":\"X\",\"ts\":1.5,\"dur\":0.25,\"pid\":1,\"tid\":2,\"name\":\"f\"}\n\
///      ],\"displayTimeUnit\":\"ns\"}\n"
/// );
/// # Ok::<(), core::fmt::Error>(())
/// ```
#[doc(alias("chrome trace", "perfetto", "export"))]
#[derive(Debug)]
pub struct JsonWriter<W> {
    out: W,
    section: Section,
    /// The event that was written last, if it lacks its closing brace.
    open: Option<Open>,
    /// Whether a comma is needed before the next entry of the list or object.
    comma: bool,
    clock: Clock,
    /// Whether numbers that are ids are written as unsigned.
    unsigned_ids: bool,
    /// Whether a key with the Unix time of tick 0 was written. The writer adds one otherwise.
    has_epoch_key: bool,
    /// The same for the monotonic time.
    has_monotonic_key: bool,
    /// Whether the key `displayTimeUnit` was written. The writer adds it otherwise.
    has_unit_key: bool,
    /// The table whose key was written and whose value is still open.
    table: Option<SampleTable>,
    /// Whether the tables of frames and of samples were begun.
    has_tables: [bool; 2],
    /// The profile that is being written.
    chunk: ProfileChunk,
    /// The parts of the current event that were left out.
    lost: LostParts,
}

/// The part of the document that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Nothing was written.
    Start,
    /// The keys before the list of events.
    Head,
    /// The list of events.
    Events,
    /// The keys behind the list of events.
    Tail,
}

/// An event without its closing brace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A slice. A flow may follow, and become fields of it.
    Slice,
    /// Any other event.
    Event,
}

impl<W: Write> JsonWriter<W> {
    /// Creates a writer of a new document to `out`. The document is complete after [`finish`](Self::finish).
    pub fn new(out: W) -> Self {
        Self {
            out,
            section: Section::Start,
            open: None,
            comma: false,
            clock: Clock::NANOSECONDS,
            unsigned_ids: false,
            has_epoch_key: false,
            has_monotonic_key: false,
            has_unit_key: false,
            table: None,
            has_tables: [false; 2],
            chunk: ProfileChunk::new(),
            lost: LostParts::NONE,
        }
    }

    /// Writes an event, as far as the format can hold it, and returns what is missing.
    ///
    /// # Errors
    /// This returns the error of `out`.
    pub fn write_event(&mut self, event: &Event<'_>) -> Result<Written, Error> {
        self.lost = LostParts::NONE;
        // These events do not go into the list of events, so they are accepted after it was closed.
        match *event {
            Event::Clock(clock) => {
                self.clock = clock;
                return Ok(Written::Done);
            }
            Event::Conventions(conventions) => {
                self.unsigned_ids = conventions.unsigned_ids;
                return Ok(Written::Done);
            }
            Event::Diagnostic(_) => return Ok(Written::Done),
            Event::Meta(meta @ MetaEvent { thread: None, .. }) => {
                // A document whose first keys have a `ph` among them is read as an event.
                let early = matches!(self.section, Section::Start | Section::Head);
                if meta.key.is(b"traceEvents") || early && meta.key.is(b"ph") {
                    return Ok(Written::Unsupported);
                }
                self.key(meta)?;
                return Ok(Written::without(self.lost));
            }
            Event::Frame(frame) if frame.table == FrameTable::Shared => return self.shared_frame(frame),
            Event::Sample(sample) if sample.in_list => return self.listed_sample(sample),
            _ if self.section == Section::Tail => return Ok(Written::TooLate),
            Event::Profile(event) => return self.profile(event),
            _ if event.part().is_some_and(|part| !self.chunk.is_of(part)) => return Ok(Written::Unsupported),
            _ => {}
        }
        match *event {
            Event::Begin(event) => self.slice('B', event, None)?,
            Event::End(event) => self.event('E', event, None)?,
            Event::Complete(event, duration) => self.slice('X', event, Some(duration))?,
            Event::Unfinished(event) => self.slice('X', event, None)?,
            Event::State(event, duration) => self.event('T', event, Some(duration))?,
            Event::Other(event, tag @ (b'P' | b'V' | b'v' | b'c' | b'(' | b')')) => {
                self.event(char::from(tag), event, None)?;
            }
            Event::Instant(event, scope) => self.instant(event, scope)?,
            Event::Counter(counter) => self.counter(counter)?,
            Event::Async(phase, event) => {
                self.keyed(letter_of(&ASYNC, phase), event, false)?;
                // The begin stands for the span.
                let says_ids = (event.span, event.parent) != (Id::NONE, Id::NONE);
                let is_lost = says_ids && phase == AsyncPhase::Begin;
                self.lost = self.lost.with(LostParts::SPAN_IDS.only_if(is_lost));
            }
            Event::Object(phase, event) => self.keyed(letter_of(&OBJECT, phase), event, true)?,
            Event::Flow(flow) => self.flow(flow)?,
            Event::ProcessName(pid, name) => {
                self.metadata("process_name", pid, None, "name", Value::Text(name))?
            }
            Event::ThreadName(thread, name) => {
                self.metadata("thread_name", thread.pid, Some(thread.tid), "name", Value::Text(name))?;
            }
            Event::ProcessSortIndex(pid, index) => {
                self.metadata("process_sort_index", pid, None, "sort_index", Value::I64(index))?;
            }
            Event::ThreadSortIndex(thread, index) => {
                let (pid, tid) = (thread.pid, Some(thread.tid));
                self.metadata("thread_sort_index", pid, tid, "sort_index", Value::I64(index))?;
            }
            Event::ProcessLabels(pid, labels) => {
                self.metadata("process_labels", pid, None, "labels", Value::Text(labels))?;
            }
            Event::Meta(MetaEvent { thread: Some(thread), key, value, .. }) => {
                self.meta(thread, key, value)?
            }
            Event::Frame(frame) => return self.frame(frame),
            Event::FrameChild(_, caller, child) => return self.frame_child(caller, child),
            Event::LineHits(hits) => return self.line_hits(hits),
            Event::CallSite(_, number, frame) => return self.call_site(number, frame),
            Event::Sample(sample) if event.part().is_some() => return self.sample(sample),
            Event::Sample(sample) => return self.event_sample(sample),
            _ => return Ok(Written::Unsupported),
        }
        Ok(Written::without(self.lost))
    }

    /// Returns the output. After [`close_event`](Self::close_event), what was written to it can be taken away.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Completes the document and returns the output. Without events, the document has an empty list.
    ///
    /// # Errors
    /// This returns the error of `out`.
    pub fn finish(mut self) -> Result<W, Error> {
        self.complete()?;
        Ok(self.out)
    }

    /// Completes the event that was written last. The document still lacks its end, which most readers tolerate.
    ///
    /// A flow that belongs to the slice written last becomes an event of its own after this, instead of fields of the slice.
    ///
    /// # Errors
    /// This returns the error of `out`.
    pub fn close_event(&mut self) -> Result<(), Error> {
        self.close_chunk()?;
        if self.open.take().is_some() {
            self.out.write_char('}')?;
        }
        Ok(())
    }

    /// Begins an event and writes its phase, its time and duration if it has them, and its process. Its fields follow.
    fn begin(&mut self, phase: char, at: Option<(Tick, Option<Ticks>)>, pid: Id<'_>) -> Result<(), Error> {
        self.close_event()?;
        if self.section != Section::Events {
            self.open_list()?;
        }
        self.out.write_str(if self.comma { ",\n" } else { "\n" })?;
        self.comma = true;
        self.open = Some(Open::Event);
        write!(self.out, "{{\"ph\":\"{phase}\"")?;
        if let Some((at, duration)) = at {
            let start = self.nanos(at);
            self.field("ts")?;
            encode::micros(&mut self.out, start)?;
            if let Some(duration) = duration {
                // Rounding both ends keeps neighbours together where a tick is not a nanosecond. \[json 3.1\]
                let end = self.nanos(at + duration);
                self.field("dur")?;
                encode::micros(&mut self.out, end.saturating_sub(start))?;
            }
        }
        self.id("pid", pid)
    }

    /// Returns a time in nanoseconds. Rounding is monotonic: slices that nest still nest.
    fn nanos(&mut self, at: Tick) -> i64 {
        match self.clock.unit {
            Unit::Nanoseconds(1.0) => at.0,
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                reason = "a float times a float; the cast saturates"
            )]
            Unit::Nanoseconds(scale) => {
                let (exact, rounded) = (at.0 as f64 * scale, round(at.0 as f64 * scale));
                // Beyond that, floats do not hold each nanosecond.
                const WHOLE: f64 = (1_u64 << 53) as f64;
                let is_rounded = exact != rounded || rounded.abs() > WHOLE;
                self.lost = self.lost.with(LostParts::TIME.only_if(is_rounded));
                rounded as i64
            }
            _ => {
                let is_clamped = at.0.checked_mul(1000).is_none();
                self.lost = self.lost.with(LostParts::TIME.only_if(is_clamped));
                at.0.saturating_mul(1000)
            }
        }
    }

    /// Writes a time in microseconds.
    fn micros(&mut self, at: Tick) -> Result<(), Error> {
        let ns = self.nanos(at);
        encode::micros(&mut self.out, ns)
    }

    /// Writes the name of a field, whose value follows.
    fn field(&mut self, name: &str) -> Result<(), Error> {
        self.out.write_str(",\"")?;
        self.out.write_str(name)?;
        self.out.write_str("\":")
    }

    /// Writes a field that is an id.
    fn id(&mut self, field: &str, id: Id<'_>) -> Result<(), Error> {
        self.field(field)?;
        self.lost = self.lost.with(encode::id(&mut self.out, id, self.unsigned_ids)?);
        Ok(())
    }

    /// Writes the id of a thread. One that is text and spells a number, as that of a track of its own may, gets a word before
    /// it, because it would be read as that of another thread.
    fn tid(&mut self, tid: Id<'_>) -> Result<(), Error> {
        match tid {
            Id::Text(text) if whole_number(text.trim_ascii()).is_some() => {
                self.field("tid")?;
                write!(self.out, "\"track {}\"", Text::escaped(text))
            }
            tid => self.id("tid", tid),
        }
    }

    /// Writes a field that is a text, unless it is empty.
    fn text(&mut self, field: &str, text: Text<'_>) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        self.field(field)?;
        self.string(text)
    }

    /// Writes a text with its quotes.
    fn string(&mut self, text: Text<'_>) -> Result<(), Error> {
        self.lost = self.lost.with(encode::string(&mut self.out, text)?);
        Ok(())
    }

    /// Writes any value.
    fn value(&mut self, value: Value<'_>) -> Result<(), Error> {
        self.lost = self.lost.with(encode::value(&mut self.out, value)?);
        Ok(())
    }

    /// Writes a field of any value.
    fn field_value(&mut self, field: &str, value: Value<'_>) -> Result<(), Error> {
        self.field(field)?;
        self.value(value)
    }

    /// Writes the further fields of an event, and its arguments if there are any.
    fn args(&mut self, args: Args<'_>) -> Result<(), Error> {
        if args.is_none() {
            return Ok(());
        }
        let mut fields = args.fields().peekable();
        // Fields of a JSON file say what its thread's counters showed.
        if fields.peek().is_none() {
            self.thread_counts(args)?;
        }
        for (key, value) in fields {
            self.out.write_char(',')?;
            self.string(key)?;
            self.out.write_char(':')?;
            self.value(value)?;
        }
        if args.iter().next().is_some() { self.field_value("args", Value::Map(args)) } else { Ok(()) }
    }

    /// Writes what counters of the event's thread showed. [json 6](crate::rules::json#6)
    fn thread_counts(&mut self, args: Args<'_>) -> Result<(), Error> {
        let time = args.thread_count(ThreadMeasure::Time);
        for (key, count) in [("tts", time.at), ("tdur", time.during)] {
            if let Some(count) = count {
                self.field(key)?;
                self.micros(Tick(count))?;
            }
        }
        let instructions = args.thread_count(ThreadMeasure::Instructions);
        for (key, count) in [("ticount", instructions.at), ("tidelta", instructions.during)] {
            if let Some(count) = count {
                self.field(key)?;
                write!(self.out, "{count}")?;
            }
        }
        Ok(())
    }
}

/// Rounds to the nearest whole number, halves away from zero. `f64::round` needs `std`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "values that fit are checked first"
)]
fn round(value: f64) -> f64 {
    // Beyond 2⁵² every f64 is whole.
    if !(-4_503_599_627_370_496.0..=4_503_599_627_370_496.0).contains(&value) {
        return value;
    }
    let whole = value as i64;
    let below = value - whole as f64;
    let up = i64::from(below >= 0.5) - i64::from(below <= -0.5);
    (whole + up) as f64
}
