//! The incremental parser of all versions of manual streams.

mod buffers;
mod floats;
mod header;

use spall_model::{
    Args, ByteRange, Clock, DiagnosticKind, Event, Progress, Receiver, Text, Thread, ThreadEvent, Tick,
};

use super::place::Place;
use super::probe::{self, RecordLayout};
use super::record::without_nul;
use super::wire::usable_ns_per_tick;
use super::{Version, float_record};
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
/// ```
/// use spall_format::spall::{self, BufferWriter, Header, Version};
/// use spall_model::{Event, Parser as _};
///
/// let mut memory = [0; 1024];
/// let mut buffer = BufferWriter::new(&mut memory, 1, 7)?;
/// buffer.begin(100, "frame")?;
/// buffer.end(250)?;
/// let file = [&Header::new(Version::V3, 1.0).to_bytes()[..], buffer.take()].concat();
///
/// let mut times = Vec::new();
/// spall::Parser::new().parse_all(&file, |event, _| times.extend(event.at()))?;
/// assert_eq!(times, [spall_model::Tick(100), spall_model::Tick(250)]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Parser {
    state: State,
    /// The position, and the buffer in version 3.
    place: Place,
    version: Option<Version>,
    /// The process and the thread of the current buffer in version 3.
    thread: (u32, u32),
    /// The factor of times in versions 0 and 1.
    ns_per_tick: f64,
    /// The time of the latest record in versions 0 and 1.
    latest: Tick,
    /// The clock, as far as the header and facts told it. [spall A.5](crate::rules::spall#A.5.11)
    clock: Clock,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// The header comes next. Its unit does not count if the caller has set the duration of a tick in nanoseconds.
    Header {
        unit: Option<f64>,
    },
    /// The layout of a version 0 file is not known yet. The header tells whether it may be the first draft.
    Probe {
        first_draft: bool,
    },
    V0,
    V1,
    V3,
    Skip(Skip),
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
    pub const fn new() -> Self {
        Self {
            state: State::Header { unit: None },
            place: Place::START,
            version: None,
            thread: (0, 0),
            ns_per_tick: 1.0,
            latest: Tick(0),
            clock: Clock::NANOSECONDS,
        }
    }

    /// Sets the duration of a tick to `ns_per_tick` nanoseconds, in every version, whatever the header says.
    ///
    /// Use it for a file whose writer is known to have stored a wrong unit. [spall A.5](crate::rules::spall#A.5) A
    /// number that is not positive and finite has no effect: the header's unit counts then.
    #[must_use]
    pub fn with_ns_per_tick(mut self, ns_per_tick: f64) -> Self {
        if let State::Header { unit } = &mut self.state {
            *unit = usable_ns_per_tick(ns_per_tick);
        }
        self
    }
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl spall_model::Parser for Parser {
    type Error = FormatError;

    const HAS_PARTS: bool = true;

    /// Reads all neighbouring records that are plain events, or what else comes next.
    #[inline]
    fn read<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        to: &mut impl Receiver<'a>,
    ) -> Result<Progress, FormatError> {
        let consumed = match self.state {
            State::V0 => self.plain_floats(float_record::decode_v0, data, to),
            State::V1 => self.plain_floats(float_record::decode_v1, data, to),
            _ => self.plain_v3(data, to),
        };
        if consumed > 0 { Ok(Progress::Read(consumed)) } else { self.read_any(data, eof, to) }
    }

    fn at_part(&self, offset: u64) -> Option<Self> {
        let is_between =
            matches!(self.state, State::V3) && self.place.left() == 0 && self.place.end.is_none();
        is_between.then(|| Self { place: Place { offset, buffer_end: offset, end: None }, ..self.clone() })
    }

    fn find_part(&self, data: &[u8], known: usize, from: usize) -> Option<usize> {
        buffers::find(data, known, from)
    }
}

impl Parser {
    /// Reads the header, padding or damage, or one record of any kind.
    #[inline(never)]
    fn read_any<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        to: &mut dyn Receiver<'a>,
    ) -> Result<Progress, FormatError> {
        if let Some(end) = self.place.end {
            return end;
        }
        match self.state {
            State::Header { unit } => self.read_header(unit, data, eof, to),
            State::Probe { first_draft } => {
                let Some(layout) = probe::layout(first_draft, data, eof) else {
                    return Ok(Progress::NeedMore(1));
                };
                self.state = match layout {
                    RecordLayout::V0 => State::V0,
                    RecordLayout::V1 => State::V1,
                    RecordLayout::PreRelease => {
                        return self.place.fail(FormatError::new(FormatErrorKind::PreRelease, 8));
                    }
                };
                Ok(Progress::Read(0))
            }
            State::V0 => self.float_record(float_record::decode_v0, data, eof, to),
            State::V1 => self.float_record(float_record::decode_v1, data, eof, to),
            State::V3 => Ok(self.record_v3(data, eof, to)),
            State::Skip(skip) => Ok(self.skip(skip, data, eof, to)),
        }
    }

    /// Skips the bytes up to `until`, as far as they are in `data`.
    fn skip_to(
        &mut self,
        until: u64,
        damage: Option<DiagnosticKind>,
        data: &[u8],
        eof: bool,
        to: &mut dyn Receiver<'_>,
    ) -> Progress {
        let buffer_end = core::mem::take(&mut self.place.buffer_end);
        let skip = Skip { start: self.place.offset, until, damage, buffer_end };
        self.state = State::Skip(skip);
        self.skip(skip, data, eof, to)
    }

    /// Skips the part of `skip` that is in `data`.
    fn skip(&mut self, skip: Skip, data: &[u8], eof: bool, to: &mut dyn Receiver<'_>) -> Progress {
        let left = skip.until.saturating_sub(self.place.offset);
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(data.len());
        self.place.offset += length as u64;
        let is_short = length as u64 != left;
        if is_short && !eof {
            return if length > 0 { Progress::Read(length) } else { Progress::NeedMore(1) };
        }
        let mut start = skip.start;
        if let Some(kind) = skip.damage {
            to.receive(&Event::Diagnostic(kind), ByteRange::new(start, self.place.offset));
            start = self.place.offset;
        }
        if is_short {
            // The end of the file is a second fault.
            let bytes = ByteRange::new(start, self.place.offset);
            to.receive(&Event::Diagnostic(DiagnosticKind::Truncated), bytes);
            self.place.end = Some(Ok(Progress::End));
        } else {
            // Version 0 has nothing to skip, but a file with the layout of version 1 under its header may.
            self.place.buffer_end = skip.buffer_end;
            self.state = if self.version == Some(Version::V3) { State::V3 } else { State::V1 };
        }
        Progress::Read(length)
    }
}

/// Returns an event on a thread. All fields are spelled out, because `..` from a constant copies it for every event.
#[inline]
fn event<'a>(thread: Thread<'a>, at: i64, name: &'a [u8], args: &'a [u8]) -> ThreadEvent<'a> {
    let (name, category) = (Text::plain(without_nul(name)), Text::plain(b""));
    ThreadEvent { thread, at: Tick(at), name, category, args: Args::text(args) }
}
