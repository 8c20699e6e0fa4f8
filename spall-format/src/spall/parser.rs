//! The incremental parser of all versions of manual streams.

mod buffers;
mod events;
mod floats;
mod header;
mod parts;
mod run;

use spall_model::{
    Args, ByteRange, Chunk, DiagnosticKind, Event, Parsed, Progress, Receiver, Text, Thread, ThreadEvent,
    Tick,
};

pub use self::events::{Events, parse_all};
use super::probe::{self, RecordLayout};
use super::record::without_nul;
use super::wire::usable_ns_per_tick;
use super::{Version, v0, v1};
use crate::{FormatError, FormatErrorKind};

/// A parser of spall streams of version 0, 1 or 3. It takes input in pieces of any size and yields events.
///
/// The first event is the clock. Version 3 keeps the file's ticks. In versions 0 and 1 a tick is a nanosecond: their
/// floating point times are multiplied by the unit and rounded once, halves away from zero. [spall
/// A.3](crate::rules::spall#A.3)
///
/// # Damage
/// | what | what happens |
/// |---|---|
/// | the file ends inside a record, padding, buffer or buffer header | [`DiagnosticKind::Truncated`], end |
/// | v3: a record runs over the end of its buffer | [`DiagnosticKind::Overrun`], on at the next buffer |
/// | v3: unknown type of record | [`DiagnosticKind::UnknownEvent`], on at the next buffer |
/// | v0, v1: unknown type of record | [`FormatErrorKind::UnknownEvent`] |
/// | a unit that is no positive finite number | [`DiagnosticKind::BadTimeUnit`], 1 ns per tick |
/// | a time beyond 64 bits | [`DiagnosticKind::TimeOutOfRange`], clamped |
/// | v0, v1: a time that is NaN | [`DiagnosticKind::NanTime`], the time of the record before |
/// | v0: a duration that is NaN | [`DiagnosticKind::BadDuration`], [`Event::Unfinished`] |
///
/// A diagnostic comes before the event that it concerns, or in place of an event that was left out.
///
/// # Examples
/// The front page of the crate has a loop that reads a file in pieces.
///
/// ```
/// use spall_format::spall::{Header, Parser, Version};
/// use spall_model::{Chunk, Event, Parser as _};
///
/// let file = Header::new(Version::V3, 10.0).to_bytes();
/// let mut parser = Parser::new();
/// // The header has 32 bytes, of which 12 did not arrive yet.
/// assert!(matches!(parser.parse(&file[..20], false)?, Chunk::NeedMore(12)));
/// let Chunk::Parsed(parsed) = parser.parse(&file, true)? else { panic!() };
/// assert!(matches!(parsed.event, Event::Clock(clock) if clock.ns_per_tick() == Some(10.0)));
/// assert_eq!((parsed.consumed, parser.version()), (32, Some(Version::V3)));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Parser {
    /// The position in the file of the next data.
    offset: u64,
    /// The end of the buffer in version 3. It is beyond `offset` only if a record of the buffer comes next.
    buffer_end: u64,
    /// The process and the thread of the current buffer in version 3.
    thread: (u32, u32),
    /// The time of the latest record in versions 0 and 1.
    latest: Tick,
    rest: Rest,
}

/// The fields that plain records of version 3 do not need.
// They are copied as a whole and never one by one where `parse` is inlined. So they stay together in memory, and leave the
// registers to the loop around `parse`.
#[derive(Debug, Clone, Copy)]
struct Rest {
    state: State,
    /// The factor of times in versions 0 and 1.
    ns_per_tick: f64,
    /// The number of diagnostics about the record at `offset` that were handed out.
    noted: u8,
    version: Option<Version>,
}

#[derive(Debug, Clone, Copy)]
#[repr(u8)]
enum State {
    /// The header comes next. Its unit does not count if the caller has set the duration of a tick in nanoseconds.
    Header {
        unit: Option<f64>,
    },
    /// The header's unit is unusable, which is the next thing to report.
    BadUnit {
        first_draft: bool,
    },
    /// The layout of a version 0 file is not known yet. The header tells whether it may be the first draft.
    Probe {
        first_draft: bool,
    },
    V0,
    V1,
    V3,
    Skip(Skip),
    End,
    Failed(FormatError),
}

/// A range of bytes to skip. It is padding, or damage, which is reported once its length is known.
#[derive(Debug, Clone, Copy)]
struct Skip {
    start: u64,
    until: u64,
    damage: Option<DiagnosticKind>,
    /// The end of the buffer that goes on behind the range.
    buffer_end: u64,
}

impl Parser {
    /// Creates a parser at the start of a file.
    #[must_use]
    // Not inlined: the compiler would store the fields of `rest` one by one, and keep them in registers from then on.
    #[inline(never)]
    pub fn new() -> Self {
        let state = State::Header { unit: None };
        Self {
            offset: 0,
            buffer_end: 0,
            thread: (0, 0),
            latest: Tick(0),
            rest: Rest { state, ns_per_tick: 1.0, noted: 0, version: None },
        }
    }

    /// Sets the duration of a tick to `ns_per_tick` nanoseconds, in every version, whatever the header says.
    ///
    /// Use it for a file whose writer is known to have stored a wrong unit. [spall A.5](crate::rules::spall#A.5) A
    /// number that is not positive and finite has no effect: the header's unit counts then.
    #[must_use]
    pub fn with_ns_per_tick(mut self, ns_per_tick: f64) -> Self {
        if let State::Header { unit } = &mut self.rest.state {
            *unit = usable_ns_per_tick(ns_per_tick);
        }
        self
    }

    /// Returns the version in the header, or `None` before it was read.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.rest.version
    }

    /// Returns the number of bytes of the file that were consumed so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl spall_model::Parser for Parser {
    type Error = FormatError;

    // Plain records of version 3 are inlined whole: a call would return every event through memory, which takes 2.5 times
    // as long. Those of versions 0 and 1 are decoded by a call, because decoding them here made version 3 up to a third
    // slower, but their events are made here: a copy of an event that was just written waits for its stores, which takes
    // 2.5 times as long. All calls work on a copy of the parser. So no pointer to the parser exists, and a loop around this
    // function keeps it in registers.
    #[inline(always)]
    fn parse<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, FormatError> {
        if let Some(parsed) = self.plain_v3(data) {
            return Ok(Chunk::Parsed(parsed));
        }
        let mut copy = *self;
        if let Some(plain) = copy.plain_float(data) {
            // `rest` has not changed. All other fields are read again, so that no register holds them during the call.
            *self = Self { rest: self.rest, ..copy };
            return Ok(Chunk::Parsed(plain.parsed(self.offset)));
        }
        let mut chunk = Ok(Chunk::End);
        copy.step(data, eof, &mut chunk);
        *self = copy;
        chunk
    }

    // A loop for each version. Only that of version 3 is inlined, which most files have.
    #[inline(always)]
    fn parse_into<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        receiver: &mut impl Receiver<'a>,
    ) -> Result<Progress, FormatError> {
        let consumed = match self.rest.state {
            State::V0 => self.hand_over_plain_floats::<v0::Record<'a>>(data, receiver),
            State::V1 => self.hand_over_plain_floats::<v1::Record<'a>>(data, receiver),
            _ => self.hand_over_plain_v3(data, receiver),
        };
        if let Some(consumed) = consumed {
            return Ok(Progress::Consumed(consumed));
        }
        match self.parse(data, eof) {
            Ok(ref chunk) => Ok(chunk.hand_over(receiver)),
            Err(error) => Err(error),
        }
    }
}

impl Parser {
    /// Takes a step that is not a plain record. The result is behind a reference: returned by value, it would share its
    /// memory with the plain records, which then could not stay in registers.
    // Cold, so that the compiler keeps the plain records apart from this call in the caller's loop.
    #[cold]
    #[inline(never)]
    fn step<'a>(&mut self, data: &'a [u8], eof: bool, chunk: &mut Result<Chunk<'a>, FormatError>) {
        let before = match self.rest.state {
            State::Skip(skip) => self.skip(skip, data, eof),
            State::Probe { first_draft } => self.probe(first_draft, data, eof),
            _ => None,
        };
        *chunk = match (before, self.rest.state) {
            (Some(before), _) => Ok(before),
            (_, State::V0) => self.float_record::<v0::Record<'a>>(data, eof),
            (_, State::V1) => self.float_record::<v1::Record<'a>>(data, eof),
            (_, State::V3) => Ok(self.record_v3(data, eof)),
            (_, State::Header { unit }) => self.read_header(unit, data, eof),
            (_, State::BadUnit { first_draft }) => Ok(self.bad_unit(first_draft)),
            (_, State::Probe { .. } | State::Skip(_) | State::End) => Ok(Chunk::End),
            (_, State::Failed(error)) => Err(error),
        };
    }

    /// Finds the layout of a version 0 file, which is the next state. Returns a chunk if that takes more data.
    fn probe<'a>(&mut self, first_draft: bool, data: &[u8], eof: bool) -> Option<Chunk<'a>> {
        self.rest.state = match probe::layout(first_draft, data, eof) {
            None => return Some(Chunk::NeedMore(1)),
            Some(RecordLayout::V0) => State::V0,
            Some(RecordLayout::V1) => State::V1,
            Some(RecordLayout::PreRelease) => State::Failed(FormatError::new(FormatErrorKind::PreRelease, 8)),
        };
        None
    }

    /// Skips the part of `skip` that is in `data`. Returns `None` if the whole range was skipped.
    fn skip<'a>(&mut self, skip: Skip, data: &[u8], eof: bool) -> Option<Chunk<'a>> {
        let left = usize::try_from(skip.until.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let length = left.min(data.len());
        if length > 0 {
            self.offset += length as u64;
            return Some(Chunk::Skipped(length));
        }
        if left > 0 && !eof {
            return Some(Chunk::NeedMore(1));
        }
        let skipped = ByteRange::new(skip.start, self.offset);
        match skip.damage {
            Some(kind) => {
                // If the file ends here, that is a second fault, to be reported after this one.
                self.rest.state = State::Skip(Skip { start: self.offset, damage: None, ..skip });
                Some(self.report(kind, skipped))
            }
            None if left > 0 => {
                self.rest.state = State::End;
                Some(self.report(DiagnosticKind::Truncated, skipped))
            }
            // Version 0 has nothing to skip, but a file with the layout of version 1 under its header may.
            None => {
                self.buffer_end = skip.buffer_end;
                self.rest.state = if self.rest.version == Some(Version::V3) { State::V3 } else { State::V1 };
                None
            }
        }
    }

    #[cold]
    fn fail(&mut self, error: FormatError) -> FormatError {
        self.rest.state = State::Failed(error);
        error
    }

    /// Reports that the file ends inside the record that starts here, or inside the buffer around it.
    #[cold]
    fn truncated<'a>(&mut self, data: &[u8]) -> Chunk<'a> {
        (self.rest.state, self.buffer_end) = (State::End, 0);
        Chunk::Parsed(self.parsed(data.len(), Event::Diagnostic(DiagnosticKind::Truncated)))
    }

    #[cold]
    fn report<'a>(&self, kind: DiagnosticKind, bytes: ByteRange) -> Chunk<'a> {
        Chunk::Parsed(Parsed { consumed: 0, event: Event::Diagnostic(kind), bytes })
    }

    /// Handles the case that `data` is too short for the `needed` bytes that come next: more input is asked for, or the
    /// file ends here, inside a record or between two.
    fn short<'a>(&mut self, needed: usize, data: &[u8], eof: bool) -> Chunk<'a> {
        if !eof {
            return Chunk::NeedMore(needed.saturating_sub(data.len()).max(1));
        }
        if data.is_empty() {
            self.rest.state = State::End;
            return Chunk::End;
        }
        self.truncated(data)
    }

    /// Starts to skip up to `until`.
    #[cold]
    fn skip_to<'a>(
        &mut self,
        until: u64,
        damage: Option<DiagnosticKind>,
        data: &[u8],
        eof: bool,
    ) -> Chunk<'a> {
        let buffer_end = core::mem::take(&mut self.buffer_end);
        let skip = Skip { start: self.offset, until, damage, buffer_end };
        self.rest.state = State::Skip(skip);
        // The range is not empty, because it holds at least the type of a record.
        self.skip(skip, data, eof).unwrap_or(Chunk::End)
    }

    /// Returns an event of the next `length` bytes, which it consumes.
    #[inline]
    fn parsed<'a>(&mut self, length: usize, event: Event<'a>) -> Parsed<'a> {
        let start = self.offset;
        self.offset += length as u64;
        Parsed { consumed: length, event, bytes: ByteRange::new(start, self.offset) }
    }
}

/// Returns an event on a thread. All fields are spelled out, because `..` from a constant copies it for every event.
#[inline(always)]
fn event<'a>(thread: Thread<'a>, at: i64, name: &'a [u8], args: &'a [u8]) -> ThreadEvent<'a> {
    let (name, category) = (Text::plain(without_nul(name)), Text::plain(b""));
    ThreadEvent { thread, at: Tick(at), name, category, args: Args::text(args) }
}
