//! The parser: its state between calls, its fast path, and the loop over the steps. [json
//! 2](spall_model::rules::json#2)
//!
//! The files below `parser` hold the steps: through the document, its lists of events, and CPU profiles.

mod document;
mod elements;
mod outlet;
mod parts;
mod profile;
mod step;

use spall_model::{ByteRange, Chunk, DiagnosticKind, Event, Parsed, Progress, Receiver};

use crate::cpu_profile::ProfileCursor;
use crate::decoder::{Decoder, EventDiagnostics};
use crate::error::JsonError;
use crate::event::profile_part;
use crate::fields::{Field, Fields};
use crate::lexer;
use crate::pending::Pending;
use crate::predict::KeyPredictor;
use crate::record::Record;

use outlet::{HandedOver, Outlet, Returned};
use step::Step;

/// An incremental parser of Trace Event JSON and V8 CPU profiles.
///
/// The parser owns no input and allocates nothing. Events borrow from the data that the caller passes to
/// [`parse`](spall_model::Parser::parse). An event is yielded as soon as the whole of its object is in the data, and a
/// profile as soon as the whole of the profile is. [`parse_all`](crate::parse_all) is simpler for a document in memory.
///
/// ```
/// use spall_json::JsonParser;
/// use spall_model::{Chunk, Event, Parser as _};
///
/// let mut parser = JsonParser::new();
/// let mut data: &[u8] = br#"[{"ph":"B","name":"f","pid":1,"tid":1,"ts":0.5},"#;
/// let mut names = 0;
/// loop {
///     match parser.parse(data, true)? {
///         Chunk::Parsed(parsed) => {
///             names += usize::from(matches!(parsed.event, Event::Begin(begin) if begin.name.is(b"f")));
///             data = &data[parsed.consumed..];
///         }
///         Chunk::Skipped(length) => data = &data[length..],
///         Chunk::NeedMore(_) | Chunk::End => break,
///     }
/// }
/// assert_eq!(names, 1);
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
    /// Whether no event was read since the last damage. Closing brackets are then checked against what follows them.
    after_damage: bool,
    /// The range of bytes between elements that belong to none of them, not yet reported.
    junk: Option<ByteRange>,
    /// Whether all bytes up to the next `{` or `]` are junk as well.
    skipping: bool,
    /// The number of events yielded of the record at the start of the data, of which more may come.
    yielded: usize,
    /// The position in the CPU profile at the start of the data, while its events are being yielded.
    profile: Option<ProfileCursor>,
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
    /// In a document that is a CPU profile.
    Profile,
    /// Behind the document.
    Trailing,
    /// Behind everything: there is nothing more to yield.
    End,
    /// The file cannot be read.
    Failed(JsonError),
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
            after_damage: false,
            junk: None,
            skipping: false,
            yielded: 0,
            profile: None,
            pending: Pending::NONE,
            fields: Fields::new(),
            predictor: KeyPredictor::new(),
        }
    }

    /// Creates a parser that does not predict how an event is written. It yields the same events, but takes longer.
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

    /// Returns the position in the file of `pos` in the data.
    fn at(&self, pos: usize) -> u64 {
        // A usize always fits: no platform has pointers over 64 bits.
        self.offset.saturating_add(u64::try_from(pos).unwrap_or(u64::MAX))
    }

    /// Returns the range in the file of a range in the data.
    fn range(&self, bytes: (usize, usize)) -> ByteRange {
        ByteRange::new(self.at(bytes.0), self.at(bytes.1))
    }

    /// Finds the next event and its fields if it is written like those before it, and returns its range. Nothing of the
    /// parser changes but the fields.
    #[inline(always)]
    fn predicted(&mut self, data: &[u8]) -> Option<(usize, usize)> {
        let in_list = matches!(self.state, State::Array | State::TraceEvents);
        if !in_list || self.junk.is_some() || self.profile.is_some() {
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
    #[inline(always)]
    fn accept(&mut self, bytes: (usize, usize)) -> ByteRange {
        let range = self.range(bytes);
        self.commas = 0;
        self.after_damage = false;
        self.pending = Pending::NONE;
        self.offset = range.end;
        range
    }

    /// Asks for more data because the record at `pos` is incomplete. The bytes before it are consumed.
    #[cold]
    fn wait<'a>(&mut self, data: &[u8], pos: usize) -> Chunk<'a> {
        let record = data.get(pos..).unwrap_or_default();
        if !record.is_empty() && self.pending.missing(record) == 0 {
            self.pending.failed(record);
        }
        if pos > 0 {
            self.offset = self.at(pos);
            return Chunk::Skipped(pos);
        }
        Chunk::NeedMore(self.pending.missing(record).max(1))
    }
}

impl spall_model::Parser for JsonParser {
    type Error = JsonError;

    #[inline(always)]
    fn parse<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, JsonError> {
        self.read(data, eof, Returned)
    }

    #[inline(always)]
    fn parse_into<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        to: &mut impl Receiver<'a>,
    ) -> Result<Progress, JsonError> {
        self.read(data, eof, HandedOver(to))
    }
}

impl JsonParser {
    /// Reads one event and yields it through `outlet`.
    #[inline(always)]
    fn read<'a, O: Outlet<'a>>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        outlet: O,
    ) -> Result<O::Output, JsonError> {
        if !eof {
            let missing = self.pending.missing(data);
            if missing > 0 {
                return Ok(outlet.chunk(&Chunk::NeedMore(missing)));
            }
        }
        // Everything below up to the last expression is the fast path; it only takes events that make exactly one.
        let predicted = self.predicted(data);
        if let Some(bytes) = predicted
            && self.yielded == 0
            && !self.fields.has(Field::BindId)
        {
            let consumed = bytes.1;
            let record = Record { data, fields: &self.fields, object: bytes };
            // Slices, most of every file, are built right where they are yielded: see `Record` for what that saves.
            match record.first_byte(Field::Ph) {
                Some(b'B') => {
                    if let Some(event) = record.thread_event() {
                        let (event, bytes) = (Event::Begin(event), self.accept(bytes));
                        return Ok(outlet.slice(Parsed { consumed, event, bytes }));
                    }
                }
                Some(b'E') => {
                    if let Some(event) = record.thread_event() {
                        let (event, bytes) = (Event::End(event), self.accept(bytes));
                        return Ok(outlet.slice(Parsed { consumed, event, bytes }));
                    }
                }
                Some(b'X') => {
                    if let Some(event) = record.thread_event()
                        && let Some(duration) = record.duration(event.at)
                        && event.name.raw() != b"CpuProfile"
                    {
                        let (event, bytes) = (Event::Complete(event, duration), self.accept(bytes));
                        return Ok(outlet.slice(Parsed { consumed, event, bytes }));
                    }
                }
                _ => {}
            }
            let mut decoder = Decoder { record, diagnostics: EventDiagnostics::new(0) };
            if let Some(ref event) = decoder.event()
                && decoder.diagnostics.count == 0
                && profile_part(event).is_none()
            {
                return Ok(outlet.event(consumed, event, self.accept(bytes)));
            }
        }
        match self.parse_any(data, eof, predicted) {
            Ok(ref chunk) => Ok(outlet.chunk(chunk)),
            Err(error) => Err(error),
        }
    }

    /// Reads everything that the fast path does not. `predicted` is the range of the next event if its fields were
    /// found.
    #[inline(never)]
    fn parse_any<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        mut predicted: Option<(usize, usize)>,
    ) -> Result<Chunk<'a>, JsonError> {
        let mut pos = 0;
        loop {
            let step = match (self.profile.is_some(), self.state) {
                (true, _) => self.profile(data, pos),
                (false, State::Array | State::TraceEvents | State::Bare | State::Samples) => {
                    match predicted.take() {
                        Some((start, end)) => {
                            self.commas = 1;
                            self.record(data, start, end)
                        }
                        None => self.element(data, pos, eof),
                    }
                }
                (false, State::Object | State::StackFrames) => self.member(data, pos, eof),
                (false, State::Start) => match self.start(data, pos, eof) {
                    Ok(step) => step,
                    Err(error) => {
                        self.state = State::Failed(error);
                        return Err(error);
                    }
                },
                // Unreachable: the profile and this state end together in `profile`. Consuming all data ends the loop.
                (false, State::Profile) => Step::Continue(data.len()),
                (false, State::Trailing) => self.trailing(data, pos, eof),
                (false, State::End) => return Ok(Chunk::End),
                (false, State::Failed(error)) => return Err(error),
            };
            match step {
                Step::Continue(next) => {
                    pos = next;
                    self.pending = Pending::NONE;
                }
                Step::Skip(end) => {
                    self.pending = Pending::NONE;
                    self.offset = self.at(end);
                    return Ok(Chunk::Skipped(end));
                }
                Step::Event { consumed, event, bytes } => {
                    // Junk may begin before the data, where no index reaches.
                    let bytes = match self.junk {
                        Some(junk) if event == Event::Diagnostic(DiagnosticKind::Junk) => {
                            self.junk = None;
                            junk
                        }
                        _ => self.range(bytes),
                    };
                    self.pending = Pending::NONE;
                    self.offset = self.at(consumed);
                    return Ok(Chunk::Parsed(Parsed { consumed, event, bytes }));
                }
                Step::Wait(at) => return Ok(self.wait(data, at)),
                Step::Eof(at) => {
                    // Events that no array encloses end with the file.
                    let closed = self.state == State::Bare;
                    self.state = State::End;
                    if !closed {
                        let bytes = self.range((at, at));
                        self.offset = self.at(at);
                        let event = Event::Diagnostic(DiagnosticKind::MissingBracket);
                        return Ok(Chunk::Parsed(Parsed { consumed: at, event, bytes }));
                    }
                }
            }
        }
    }
}
