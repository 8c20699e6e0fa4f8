//! The parser: what it remembers between calls, and one step through the document at a time. \[json 2\]

mod document;
mod elements;
mod profile;

use spall_model::{ByteRange, Chunk, DiagnosticKind, Event, Parsed};

use crate::cpu_profile::Cursor;
use crate::error::JsonError;
use crate::event::profile_holder;
use crate::fields::{Field, Fields};
use crate::lexer;
use crate::pending::Pending;
use crate::plain::Plain;
use crate::record::{Notes, Record};
use crate::shape::Shapes;

/// Reads Trace Event JSON piece by piece.
///
/// Owns no input and allocates nothing. An event is yielded as soon as all of its object is in the data given.
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
#[derive(Debug, Clone)]
pub struct JsonParser {
    /// Position in the file of the data's first byte.
    offset: u64,
    state: State,
    /// Commas since the last element; 1 at the start of an array, where none is wanted.
    commas: u8,
    /// Whether no event came after the last damage: brackets are doubted then.
    doubtful: bool,
    /// Bytes between elements that belong to none of them.
    junk: Option<ByteRange>,
    /// Whether what comes next is junk, too, up to the next brace that opens or bracket that closes.
    skipping: bool,
    /// How many events of the record at the start of the data were yielded.
    step: usize,
    /// The CPU profile in the record at the start of the data, if its events are being yielded.
    profile: Option<Cursor>,
    pending: Pending,
    fields: Fields,
    shapes: Shapes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the document.
    Start,
    /// Between the events of an array that is the document.
    Array,
    /// Between the events of the key `traceEvents`.
    TraceEvents,
    /// Between events that nothing encloses.
    Bare,
    /// Between the keys of the document.
    Object,
    /// Between the keys of the document's `stackFrames`.
    StackFrames,
    /// Between the elements of the document's `samples`.
    Samples,
    /// In a CPU profile that is the document.
    Profile,
    /// Behind the document.
    Trailing,
    End,
    Failed(JsonError),
}

/// What a step made of the data from some position on.
enum Step<'a> {
    /// Go on at this position.
    Continue(usize),
    /// Everything up to this position is done with: the next event may be like those before.
    Skip(usize),
    /// Everything up to `consumed` is done with, and this came of it.
    Event { consumed: usize, event: Event<'a>, bytes: (usize, usize) },
    /// The record at this position is not complete.
    Wait(usize),
    /// The file ends here, inside the document.
    Eof(usize),
}

impl Default for JsonParser {
    fn default() -> Self {
        Self::new()
    }
}

impl JsonParser {
    /// A parser for the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            offset: 0,
            state: State::Start,
            commas: 1,
            doubtful: false,
            junk: None,
            skipping: false,
            step: 0,
            profile: None,
            pending: Pending::NONE,
            fields: Fields::new(),
            shapes: Shapes::new(),
        }
    }

    /// A parser that does not guess how an event looks from those before it. It yields the same events, slower: tests
    /// and fuzzers compare the two.
    #[doc(hidden)]
    #[must_use]
    pub const fn without_prediction() -> Self {
        Self { shapes: Shapes::never(), ..Self::new() }
    }

    /// The position in the file of the next byte that the parser wants.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    fn at(&self, pos: usize) -> u64 {
        // A usize always fits: no platform has pointers over 64 bits.
        self.offset.saturating_add(u64::try_from(pos).unwrap_or(u64::MAX))
    }

    fn range(&self, bytes: (usize, usize)) -> ByteRange {
        ByteRange::new(self.at(bytes.0), self.at(bytes.1))
    }

    /// Where the next event stands, if it is like those before it. Its fields are read.
    #[inline(always)]
    fn foreseen(&mut self, data: &[u8]) -> Option<(usize, usize)> {
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
        self.shapes.read(data, pos, &mut self.fields).map(|end| (pos, end))
    }

    /// Steps over the event at `bytes`, with which nothing is wrong.
    #[inline(always)]
    fn accept<'a>(&mut self, bytes: (usize, usize), event: Event<'a>) -> Chunk<'a> {
        let range = self.range(bytes);
        self.commas = 0;
        self.doubtful = false;
        self.pending = Pending::NONE;
        self.offset = range.end;
        Chunk::Parsed(Parsed { consumed: bytes.1, event, bytes: range })
    }

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
        if !eof {
            let missing = self.pending.missing(data);
            if missing > 0 {
                return Ok(Chunk::NeedMore(missing));
            }
        }
        let foreseen = self.foreseen(data);
        if let Some(bytes) = foreseen
            && self.step == 0
            && !self.fields.has(Field::BindId)
        {
            let plain = Plain { data, fields: &self.fields, object: bytes };
            // Slices, which are most of every file, are built where they are returned: an event is large.
            match plain.phase() {
                Some(b'B') => {
                    if let Some(event) = plain.event() {
                        return Ok(self.accept(bytes, Event::Begin(event)));
                    }
                }
                Some(b'E') => {
                    if let Some(event) = plain.event() {
                        return Ok(self.accept(bytes, Event::End(event)));
                    }
                }
                Some(b'X') => {
                    if let Some(event) = plain.event()
                        && let Some(length) = plain.length(event.at)
                        && event.name.raw() != b"CpuProfile"
                    {
                        return Ok(self.accept(bytes, Event::Complete(event, length)));
                    }
                }
                _ => {}
            }
            let mut record = Record { data, fields: &self.fields, object: bytes, notes: Notes::new(0) };
            if let Some(event) = record.event()
                && record.notes.count == 0
                && profile_holder(&event).is_none()
            {
                return Ok(self.accept(bytes, event));
            }
        }
        // Taken apart, so that only what comes this way is ever put together in memory.
        Ok(match self.parse_any(data, eof, foreseen)? {
            Chunk::Parsed(Parsed { consumed, event, bytes }) => {
                Chunk::Parsed(Parsed { consumed, event, bytes })
            }
            other => other,
        })
    }
}

impl JsonParser {
    /// Reads what is no usual event; of one that was foreseen, the fields are read.
    #[inline(never)]
    fn parse_any<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        mut foreseen: Option<(usize, usize)>,
    ) -> Result<Chunk<'a>, JsonError> {
        let mut pos = 0;
        loop {
            let step = match (self.profile.is_some(), self.state) {
                (true, _) => self.profile(data, pos),
                (false, State::Array | State::TraceEvents | State::Bare | State::Samples) => {
                    match foreseen.take() {
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

#[cold]
fn truncated<'a>(data: &[u8], pos: usize) -> Step<'a> {
    let end = data.len();
    Step::Event { consumed: end, event: Event::Diagnostic(DiagnosticKind::Truncated), bytes: (pos, end) }
}
