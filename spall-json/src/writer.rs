//! Events as Trace Event JSON that every viewer accepts.

mod document;
mod encode;
#[cfg(feature = "std")]
mod file;
mod profile;
mod samples;

use core::fmt::{Error, Write};

use spall_model::{
    Args, AsyncPhase, Clock, CounterEvent, Event, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent, MetaEvent,
    ObjectPhase, Scope, Text, Thread, ThreadEvent, Tick, Ticks, Unit, Value, Written,
};

#[cfg(feature = "std")]
pub use file::JsonFileWriter;

pub use encode::JsonString;

use profile::Chunk;
use samples::Table;

/// Writes events as one JSON document, piece by piece, to anything that takes text.
///
/// The document is in object form, with an event per line. [`Event::Meta`] about the whole file becomes a key of the
/// document, before or behind the list of events; one that comes after an event closes the list. What is written is
/// strict JSON whatever the events hold: escapes are made anew, bad UTF-8 is replaced, numbers that JSON does not
/// have become strings, bytes become hexadecimal text, and lists nested deeper than 32 become `null`.
///
/// Sampling profiles become `Profile` and `ProfileChunk` events. Their samples are written once 100 are together, or
/// another event comes. Frames that threads share, and samples in a list, become the keys `stackFrames` and `samples`.
///
/// Times are exact decimal microseconds. Ticks of another length than a nanosecond are rounded to nanoseconds;
/// those of an ordinal clock become microseconds. A Unix time of tick 0 is written as `baseTimeNanoseconds`.
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
#[derive(Debug)]
pub struct JsonWriter<W> {
    out: W,
    place: Place,
    /// Whether the last event lacks its closing brace: an arrow of the slice may follow.
    open_slice: bool,
    /// Whether something stands before what comes next in the list or object.
    comma: bool,
    clock: Clock,
    unsigned_ids: bool,
    /// Keys of the document that the writer adds unless they were written.
    has_clock_key: bool,
    has_unit_key: bool,
    /// The key of the document whose value is open, and those that were written.
    table: Option<Table>,
    has_tables: [bool; 2],
    chunk: Chunk,
}

/// Where in the document the next thing is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    /// Among the keys before the list of events.
    Head,
    List,
    /// Among the keys behind the list of events.
    Tail,
}

impl<W: Write> JsonWriter<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            place: Place::Start,
            open_slice: false,
            comma: false,
            clock: Clock::NANOSECONDS,
            unsigned_ids: false,
            has_clock_key: false,
            has_unit_key: false,
            table: None,
            has_tables: [false; 2],
            chunk: Chunk::new(),
        }
    }

    /// Writes an event.
    ///
    /// # Errors
    /// What `out` returns.
    pub fn write_event(&mut self, event: &Event<'_>) -> Result<Written, Error> {
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
                let early = matches!(self.place, Place::Start | Place::Head);
                if meta.key.is(b"traceEvents") || early && meta.key.is(b"ph") {
                    return Ok(Written::Unsupported);
                }
                self.key(meta)?;
                return Ok(Written::Done);
            }
            Event::SharedFrame(frame) => return self.shared_frame(frame),
            Event::ThreadSample(sample) if sample.in_list => return self.listed_sample(sample),
            _ if self.place == Place::Tail => return Ok(Written::TooLate),
            _ => {}
        }
        match *event {
            Event::Begin(event) => self.slice('B', event, None)?,
            Event::End(event) => self.thread_event('E', event, None)?,
            Event::Complete(event, length) => self.slice('X', event, Some(length))?,
            Event::Unfinished(event) => self.slice('X', event, None)?,
            Event::State(event, length) => self.thread_event('T', event, Some(length))?,
            Event::Other(event, tag @ (b'P' | b'V' | b'v' | b'c' | b'(' | b')')) => {
                self.thread_event(char::from(tag), event, None)?;
            }
            Event::Instant(event, scope) => self.instant(event, scope)?,
            Event::Counter(counter) => self.counter(counter)?,
            Event::Async(phase, event) => self.keyed(async_phase(phase), event, false)?,
            Event::Object(phase, event) => self.keyed(object_phase(phase), event, true)?,
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
            Event::Meta(MetaEvent { thread: Some(thread), key, value }) => self.fact(thread, key, value)?,
            Event::Profile(event) => return self.profile(event),
            Event::Frame(frame) => return self.frame(frame),
            Event::FrameChild(caller, child) => return self.frame_child(caller, child),
            Event::LineHits(hits) => return self.line_hits(hits),
            Event::CallSite(number, frame) => return self.call_site(number, frame),
            Event::Sample(sample) => return self.sample(sample),
            Event::ThreadSample(sample) => return self.event_sample(sample),
            _ => return Ok(Written::Unsupported),
        }
        Ok(Written::Done)
    }

    /// Completes the document.
    ///
    /// # Errors
    /// What `out` returns.
    pub fn finish(mut self) -> Result<W, Error> {
        self.complete()?;
        Ok(self.out)
    }

    /// Completes the event that was written last.
    fn close_event(&mut self) -> Result<(), Error> {
        if self.open_slice {
            self.open_slice = false;
            self.out.write_char('}')?;
        }
        self.close_chunk()
    }

    /// Begins an event, up to its process.
    fn begin(&mut self, phase: char, at: Option<(Tick, Option<Ticks>)>, pid: Id<'_>) -> Result<(), Error> {
        self.close_event()?;
        if self.place != Place::List {
            self.open_list()?;
        }
        self.out.write_str(if self.comma { ",\n" } else { "\n" })?;
        self.comma = true;
        write!(self.out, "{{\"ph\":\"{phase}\"")?;
        if let Some((at, length)) = at {
            let start = self.nanos(at);
            self.out.write_str(",\"ts\":")?;
            encode::micros(&mut self.out, start)?;
            if let Some(length) = length {
                let end = self.nanos(at + length);
                self.out.write_str(",\"dur\":")?;
                encode::micros(&mut self.out, end.saturating_sub(start))?;
            }
        }
        self.id("pid", pid)
    }

    /// A point in time in nanoseconds. Rounding keeps the order, so it keeps what lies in what.
    fn nanos(&self, at: Tick) -> i64 {
        match self.clock.unit {
            Unit::Nanoseconds(1.0) => at.0,
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                reason = "a float times a float; the cast saturates"
            )]
            Unit::Nanoseconds(scale) => round(at.0 as f64 * scale) as i64,
            _ => at.0.saturating_mul(1000),
        }
    }

    /// A point in time in microseconds.
    fn micros(&mut self, at: Tick) -> Result<(), Error> {
        let ns = self.nanos(at);
        encode::micros(&mut self.out, ns)
    }

    fn id(&mut self, field: &str, id: Id<'_>) -> Result<(), Error> {
        write!(self.out, ",\"{field}\":")?;
        encode::id(&mut self.out, id, self.unsigned_ids)
    }

    fn text(&mut self, field: &str, text: Text<'_>) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        write!(self.out, ",\"{field}\":")?;
        encode::string(&mut self.out, text)
    }

    fn args(&mut self, args: Args<'_>) -> Result<(), Error> {
        for (key, value) in args.fields() {
            self.out.write_char(',')?;
            encode::string(&mut self.out, key)?;
            self.out.write_char(':')?;
            encode::value(&mut self.out, value)?;
        }
        if args.iter().next().is_some() {
            self.out.write_str(",\"args\":")?;
            encode::object(&mut self.out, args)?;
        }
        Ok(())
    }

    fn open_event(
        &mut self,
        phase: char,
        event: ThreadEvent<'_>,
        length: Option<Ticks>,
    ) -> Result<(), Error> {
        self.begin(phase, Some((event.at, length)), event.thread.pid)?;
        self.id("tid", event.thread.tid)?;
        self.text("name", event.name)?;
        self.text("cat", event.category)?;
        self.args(event.args)
    }

    fn thread_event(
        &mut self,
        phase: char,
        event: ThreadEvent<'_>,
        length: Option<Ticks>,
    ) -> Result<(), Error> {
        self.open_event(phase, event, length)?;
        self.out.write_char('}')
    }

    fn slice(&mut self, phase: char, event: ThreadEvent<'_>, length: Option<Ticks>) -> Result<(), Error> {
        self.open_event(phase, event, length)?;
        self.open_slice = true;
        Ok(())
    }

    fn instant(&mut self, event: ThreadEvent<'_>, scope: Scope) -> Result<(), Error> {
        self.open_event('i', event, None)?;
        let scope = match scope {
            Scope::Thread => 't',
            Scope::Process => 'p',
            Scope::Global => 'g',
        };
        write!(self.out, ",\"s\":\"{scope}\"}}")
    }

    fn counter(&mut self, counter: CounterEvent<'_>) -> Result<(), Error> {
        self.begin('C', Some((counter.at, None)), counter.pid)?;
        self.text("name", counter.name)?;
        self.text("cat", counter.category)?;
        if let Some(id) = counter.id {
            self.id("id", id)?;
        }
        self.args(counter.series)?;
        self.out.write_char('}')
    }

    /// The key of an event. `local` is what `id` alone means for it.
    fn key_id(&mut self, id: Id<'_>, local: bool, local_by_default: bool) -> Result<(), Error> {
        if local == local_by_default {
            return self.id("id", id);
        }
        write!(self.out, ",\"id2\":{{\"{}\":", if local { "local" } else { "global" })?;
        encode::id(&mut self.out, id, self.unsigned_ids)?;
        self.out.write_char('}')
    }

    fn keyed(&mut self, phase: char, event: KeyedEvent<'_>, object: bool) -> Result<(), Error> {
        self.begin(phase, Some((event.at, None)), event.pid)?;
        if event.args.field(b"tid").is_none() {
            // Some readers insist on a thread.
            self.id("tid", event.pid)?;
        }
        self.key_id(event.id, event.local, object)?;
        self.text("scope", event.scope())?;
        self.text("name", event.name())?;
        self.text("cat", event.category())?;
        self.args(event.args)?;
        self.out.write_char('}')
    }

    fn flow(&mut self, flow: FlowEvent<'_>) -> Result<(), Error> {
        if flow.bind == FlowBind::Slice && self.open_slice && flow.args.is_none() {
            self.id("bind_id", flow.id)?;
            self.out.write_str(match flow.phase {
                FlowPhase::Start => ",\"flow_out\":true}",
                FlowPhase::Step => ",\"flow_in\":true,\"flow_out\":true}",
                FlowPhase::End => ",\"flow_in\":true}",
            })?;
            self.open_slice = false;
            return Ok(());
        }
        let phase = match flow.phase {
            FlowPhase::Start => 's',
            FlowPhase::Step => 't',
            FlowPhase::End => 'f',
        };
        self.begin(phase, Some((flow.at, None)), flow.thread.pid)?;
        self.id("tid", flow.thread.tid)?;
        self.key_id(flow.id, flow.local, false)?;
        self.text("name", flow.name())?;
        self.text("cat", flow.category())?;
        self.args(flow.args)?;
        let enclosing = flow.phase == FlowPhase::End && flow.bind != FlowBind::Next;
        self.out.write_str(if enclosing { ",\"bp\":\"e\"}" } else { "}" })
    }

    fn metadata(
        &mut self,
        name: &str,
        pid: Id<'_>,
        tid: Option<Id<'_>>,
        key: &str,
        value: Value<'_>,
    ) -> Result<(), Error> {
        self.begin('M', None, pid)?;
        if let Some(tid) = tid {
            self.id("tid", tid)?;
        }
        write!(self.out, ",\"name\":\"{name}\",\"args\":{{\"{key}\":")?;
        encode::value(&mut self.out, value)?;
        self.out.write_str("}}")
    }

    /// A fact about a thread that no other event expresses.
    fn fact(&mut self, thread: Thread<'_>, key: Text<'_>, value: Value<'_>) -> Result<(), Error> {
        self.begin('M', None, thread.pid)?;
        self.id("tid", thread.tid)?;
        self.text("name", key)?;
        match value {
            Value::Null => {}
            Value::Map(args) => {
                self.out.write_str(",\"args\":")?;
                encode::object(&mut self.out, args)?;
            }
            _ => {
                self.out.write_str(",\"args\":{\"value\":")?;
                encode::value(&mut self.out, value)?;
                self.out.write_char('}')?;
            }
        }
        self.out.write_char('}')
    }
}

/// To the nearest whole number, halves away from zero. (`f64::round` needs `std`.)
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

fn async_phase(phase: AsyncPhase) -> char {
    match phase {
        AsyncPhase::Begin => 'b',
        AsyncPhase::End => 'e',
        AsyncPhase::Instant => 'n',
        AsyncPhase::Start => 'S',
        AsyncPhase::StepInto => 'T',
        AsyncPhase::StepPast => 'p',
        AsyncPhase::Finish => 'F',
    }
}

fn object_phase(phase: ObjectPhase) -> char {
    match phase {
        ObjectPhase::New => 'N',
        ObjectPhase::Snapshot => 'O',
        ObjectPhase::Delete => 'D',
    }
}
