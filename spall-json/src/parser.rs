//! The parser: its state between calls, its fast path, and the steps of all else. [json
//! 2](crate::rules::json#2)
//!
//! The files below `parser` hold the steps: through the document, and through its lists of events. A step finds out what
//! comes next. If that is incomplete, it waits; else it hands over what it found, and reports what came before.

mod document;
mod elements;
mod parts;

use spall_model::{ByteRange, Clock, DiagnosticKind, Event, Parser, Progress, Receiver};

use crate::call::{Call, file_range};
use crate::error::{JsonError, JsonErrorKind};
use crate::fields::{Field, Fields};
use crate::lexer;
use crate::pending::Pending;
use crate::predict::KeyPredictor;
use crate::record::Record;

pub use document::is_compressed;

/// An incremental parser of Trace Event JSON and V8 CPU profiles.
///
/// The parser owns no input and allocates nothing. Events borrow from the data that the caller passes to
/// [`read`](Parser::read). An event is handed over as soon as the whole of its object is in the data, and a profile as
/// soon as the whole of the profile is. [`parse_all`](Parser::parse_all) reads a document that is in memory:
///
/// ```
/// use spall_json::JsonParser;
/// use spall_model::{Event, Parser as _, Tick, Ticks};
///
/// let json = br#"{"traceEvents":[{"ph":"X","name":"f","pid":1,"tid":2,"ts":1.5,"dur":0.25}]}"#;
/// let mut slices = Vec::new();
/// JsonParser::new().parse_all(json, |event, _| {
///     if let Event::Complete(slice, duration) = event {
///         slices.push((slice.at, *duration));
///     }
/// })?;
/// assert_eq!(slices, [(Tick(1500), Ticks(250))]);
/// # Ok::<(), spall_json::JsonError>(())
/// ```
#[doc(alias("chrome trace", "perfetto"))]
#[derive(Debug, Clone)]
pub struct JsonParser {
    /// The position in the file of the data's first byte.
    offset: u64,
    /// The place in the document.
    state: State,
    /// The number of commas since the last element. It is 1 at the start of an array, where none is needed.
    commas: u8,
    /// The clock, as far as keys of the document told it.
    clock: Clock,
    /// Whether no event was read since the last damage. Closing brackets are then checked against what follows them.
    after_damage: bool,
    /// Whether what was read so far is of a trace.
    content: Content,
    /// Whether the document's list of events was found.
    list: EventList,
    /// What lies between elements and belongs to none of them, not yet reported.
    junk: Option<Junk>,
    /// The state of the record at the start of the data if it is incomplete.
    pending: Pending,
    /// The fields of the current event. They are kept here so that they need not be cleared for each event.
    fields: Fields,
    predictor: KeyPredictor,
}

/// A place in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the document.
    Start,
    /// Between the events of a document that is an array.
    Array,
    /// Between the events of the document's `traceEvents`.
    TraceEvents,
    /// Between events that no array encloses.
    Bare,
    /// Between the keys of the document.
    Object,
    /// Between the keys of the document's `stackFrames`.
    StackFrames,
    /// Between the elements of the document's `samples`.
    Samples,
    /// Behind the document.
    Trailing,
    /// Behind everything: there is nothing more to read.
    End,
    /// The file cannot be read.
    Failed(JsonError),
}

/// Bytes between elements that belong to none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Junk {
    bytes: ByteRange,
    /// Whether all bytes up to the next `{` or `]` are junk as well.
    goes_on: bool,
}

/// What the document has shown of being a trace. [json
/// 1](crate::rules::json#1)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Nothing: no key of a trace, or an array whose elements are no events.
    Nothing,
    /// A file without a document, or an array that has no element yet.
    Empty,
    /// The key `traceEvents`, or an event, a call frame or a profile anywhere.
    Trace,
}

/// The list of events of a document, `traceEvents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventList {
    /// It has not come yet.
    ToCome,
    /// It has not come yet, and the document is damaged. Behind damage, quotes and brackets may mean the opposite, so that
    /// only its key says where it is.
    Lost,
    Found,
}

impl Default for JsonParser {
    fn default() -> Self {
        Self::new()
    }
}

impl JsonParser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            offset: 0,
            state: State::Start,
            commas: 1,
            clock: Clock::NANOSECONDS,
            after_damage: false,
            content: Content::Nothing,
            list: EventList::ToCome,
            junk: None,
            pending: Pending::NONE,
            fields: Fields::new(),
            predictor: KeyPredictor::new(),
        }
    }

    /// Creates a parser that does not predict how an event is written. It reads the same events, but takes longer.
    /// Tests and fuzz oracles compare the two.
    #[doc(hidden)]
    #[must_use]
    pub const fn without_prediction() -> Self {
        Self { predictor: KeyPredictor::disabled(), ..Self::new() }
    }

    /// Returns the number of bytes of the file that were consumed, which is the position of the data to pass next.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Finds the next event and its fields if it is written like those before it, and returns its range. Nothing of the
    /// parser changes but the fields.
    #[inline(always)]
    fn predicted(&mut self, data: &[u8]) -> Option<(usize, usize)> {
        let in_list = matches!(self.state, State::Array | State::TraceEvents);
        if !in_list || self.junk.is_some() {
            return None;
        }
        let mut commas = self.commas;
        let mut pos = 0;
        loop {
            match *data.get(pos)? {
                b'{' => break,
                b',' => commas = commas.saturating_add(1),
                byte if lexer::is_blank(byte) => {}
                _ => return None,
            }
            pos += 1;
        }
        if commas != 1 {
            return None;
        }
        self.predictor.read(data, pos, &mut self.fields).map(|end| (pos, end))
    }

    /// Consumes the event at `bytes`, about which there is nothing to report, and returns its range in the file.
    #[inline]
    fn accept(&mut self, bytes: (usize, usize)) -> ByteRange {
        let range = file_range(self.offset, bytes);
        self.commas = 0;
        self.after_damage = false;
        self.pending = Pending::NONE;
        self.offset = range.end;
        range
    }
}

impl Parser for JsonParser {
    type Error = JsonError;

    const HAS_PARTS: bool = true;

    #[inline(always)]
    fn read<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        to: &mut impl Receiver<'a>,
    ) -> Result<Progress, JsonError> {
        if !eof {
            let missing = self.pending.missing(data);
            if missing > 0 {
                return Ok(Progress::NeedMore(missing));
            }
        }
        let predicted = self.predicted(data);
        if let Some(bytes) = predicted
            && !self.fields.has(Field::BindId)
        {
            let read = Ok(Progress::Read(bytes.1));
            let record = Record { data, fields: &self.fields, object: bytes };
            // Slices, most of every file, are built right where they are handed over: see `Record` for what that saves.
            match record.first_byte(Field::Ph) {
                Some(b'B') => {
                    if let Some(event) = record.thread_event() {
                        to.receive(&Event::Begin(event), self.accept(bytes));
                        return read;
                    }
                }
                Some(b'E') => {
                    if let Some(event) = record.thread_event() {
                        to.receive(&Event::End(event), self.accept(bytes));
                        return read;
                    }
                }
                Some(b'X') => {
                    if let Some(event) = record.thread_event()
                        && let Some(duration) = record.duration(event.at)
                        && event.name.raw() != b"CpuProfile"
                    {
                        to.receive(&Event::Complete(event, duration), self.accept(bytes));
                        return read;
                    }
                }
                _ => {}
            }
        }
        match predicted {
            Some(bytes) => {
                self.read_predicted(bytes, &mut Call { data, eof, offset: self.offset, to });
                Ok(Progress::Read(bytes.1))
            }
            None => self.read_any(&mut Call { data, eof, offset: self.offset, to }),
        }
    }

    fn at_part(&self, offset: u64) -> Option<Self> {
        self.is_between_parts().then(|| Self { offset, pending: Pending::NONE, ..self.clone() })
    }

    fn find_part(&self, data: &[u8], _: usize, from: usize) -> Option<usize> {
        parts::find(data, from)
    }
}

/// The record at this position in the data is incomplete. Nothing of it was handed over.
struct Wait(usize);

/// The result of a step through the document: the number of bytes consumed, which may be 0 if the state has changed.
type Step = Result<usize, Wait>;

impl JsonParser {
    /// Hands over the event at `bytes`, whose fields were found by prediction.
    fn read_predicted(&mut self, bytes: (usize, usize), call: &mut Call<'_, '_>) {
        let consumed = self.object(bytes, call);
        self.consume(consumed);
    }

    /// Reads everything that was not predicted.
    fn read_any(&mut self, call: &mut Call<'_, '_>) -> Result<Progress, JsonError> {
        loop {
            let step = match self.state {
                State::Array | State::TraceEvents | State::Bare | State::Samples => self.element(call),
                State::Object | State::StackFrames => self.member(call),
                State::Start => self.start(call),
                State::Trailing => self.trailing(call),
                State::End if self.content == Content::Nothing => {
                    return Err(JsonError::new(JsonErrorKind::NotATrace, 0));
                }
                State::End => return Ok(Progress::End),
                State::Failed(error) => return Err(error),
            };
            match step {
                // Only the state has changed.
                Ok(0) => {}
                Ok(consumed) => {
                    self.consume(consumed);
                    return Ok(Progress::Read(consumed));
                }
                Err(Wait(pos)) => return Ok(self.wait(call.data, pos)),
            }
        }
    }

    /// Consumes the data up to `end`.
    fn consume(&mut self, end: usize) {
        self.pending = Pending::NONE;
        self.offset = file_range(self.offset, (0, end)).end;
    }

    /// Asks for more data because the record at `pos` is incomplete. The bytes before it are consumed.
    fn wait(&mut self, data: &[u8], pos: usize) -> Progress {
        let record = data.get(pos..).unwrap_or_default();
        if !record.is_empty() && self.pending.missing(record) == 0 {
            self.pending.failed(record);
        }
        if pos > 0 {
            self.offset = file_range(self.offset, (0, pos)).end;
            return Progress::Read(pos);
        }
        Progress::NeedMore(self.pending.missing(record).max(1))
    }

    /// Ends reading at `pos`, which is the end of the file, inside the document.
    fn end_of_file(&mut self, pos: usize, call: &mut Call<'_, '_>) -> usize {
        self.flush_junk(call);
        // Events that no array encloses end with the file.
        if self.state != State::Bare {
            call.report(DiagnosticKind::UnclosedList, (pos, pos));
        }
        self.state = State::End;
        pos
    }
}
