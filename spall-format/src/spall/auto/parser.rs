//! The incremental parser of auto traces.

use spall_model::{
    Args, ByteRange, Clock, DiagnosticKind, Event, LendingParser, MetaEvent, Progress, Receiver, Text,
    Thread, ThreadEvent, Tick, Unit, Value,
};
use zerocopy::FromBytes;

use super::record::{Base, Record, decode};
use super::symbols::HexName;
use super::{BufferHeader, Header, NoSymbols, Symbolizer};
use crate::spall::place::Place;
use crate::spall::record::{RecordError, without_nul};
use crate::spall::wire::usable_ns_per_tick;
use crate::{FormatError, FormatErrorKind};

/// A parser of auto traces of version 3. It takes input in pieces of any size and allocates nothing.
///
/// Names come from the symbolizer `S`, so the parser is a [`LendingParser`]: an event may borrow from the parser and lives
/// until the receiver returns.
///
/// | in the file | event |
/// |---|---|
/// | header | [`Event::Clock`], whose ticks are those of the file |
/// | path of the program | [`Event::Meta`] with the key `program` |
/// | a function is entered, a slice begins | [`Event::Begin`]; the process is 0, because the format has no processes |
/// | a function is left, a slice ends | [`Event::End`] |
///
/// # Damage
/// | what | what happens |
/// |---|---|
/// | the file ends inside its path, a buffer header or a record | [`DiagnosticKind::Truncated`], end |
/// | a record runs over the end of its buffer | [`DiagnosticKind::Overrun`], on at the next buffer |
/// | unknown type of record | [`DiagnosticKind::UnknownEvent`], on at the next buffer |
/// | a duration of a tick that is no positive finite number | [`DiagnosticKind::BadTimeUnit`], 1 ns per tick |
/// | a time beyond what a tick holds | [`DiagnosticKind::TimeOutOfRange`], clamped |
///
/// # Examples
/// ```
/// use spall_format::spall::auto::{CachedSymbols, Parser};
/// use spall_model::{Event, LendingParser};
///
/// // A header with an empty path, and a buffer of thread 7 in which the function at 0x60 is entered and left.
/// let mut file = b"\x0d\xf0\xad\xab\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\0\0\0".to_vec();
/// file.extend(b"\x06\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0");
/// file.extend([0x00, 10, 0x60, 0x20, 0x40, 5]);
///
/// let symbols = CachedSymbols::new(|address| (address == 0x60).then(|| b"main".to_vec()));
/// let mut names = Vec::new();
/// Parser::new(symbols).lend_all(&file, |event, _| {
///     if let Event::Begin(begin) = event {
///         names.push(begin.name.raw().to_vec());
///     }
/// })?;
/// assert_eq!(names, [b"main"]);
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Parser<S = NoSymbols> {
    symbols: S,
    /// The name of the latest function that the symbolizer did not know.
    hex_name: HexName,
    state: AutoState,
    /// The position, and the buffer around it. The path of the program counts as one.
    place: Place,
    header: Option<Header>,
    /// The thread of the current buffer.
    tid: u32,
    base: Base,
}

#[derive(Debug, Clone, Copy)]
enum AutoState {
    Header,
    Path,
    Records,
    /// The rest of the buffer is skipped. The damage was reported.
    SkipBuffer,
}

impl<S: Symbolizer> Parser<S> {
    /// Creates a parser at the start of a file. It takes the names of functions from `symbols`.
    #[must_use]
    pub const fn new(symbols: S) -> Self {
        Self {
            symbols,
            hex_name: HexName::new(),
            state: AutoState::Header,
            place: Place::START,
            header: None,
            tid: 0,
            base: Base::at(0),
        }
    }

    /// Reads the header of the file, which becomes the clock.
    fn read_header(&mut self, data: &[u8], eof: bool, to: Lent<'_>) -> Result<Progress, FormatError> {
        let missing = size_of::<Header>().saturating_sub(data.len());
        let Ok((header, _)) = Header::ref_from_prefix(data) else {
            if !eof {
                return Ok(Progress::NeedMore(missing));
            }
            let needed = u32::try_from(missing).unwrap_or(u32::MAX);
            return self
                .place
                .fail(FormatError::new(FormatErrorKind::UnexpectedEof { needed }, data.len() as u64));
        };
        if header.magic.get() != Header::MAGIC {
            return self.place.fail(FormatError::new(FormatErrorKind::BadMagic, 0));
        }
        let version = u32::try_from(header.version.get()).unwrap_or(u32::MAX);
        match version {
            3 => {}
            1 | 2 => return self.place.fail(FormatError::new(FormatErrorKind::OldAutoTrace { version }, 8)),
            _ => {
                return self.place.fail(FormatError::new(FormatErrorKind::UnsupportedVersion { version }, 8));
            }
        }
        let ns_per_tick = usable_ns_per_tick(header.ns_per_tick.get());
        self.header = Some(*header);
        self.state = AutoState::Path;
        let unit = Unit::Nanoseconds(ns_per_tick.unwrap_or(1.0));
        let progress = self.place.hand_over(size_of::<Header>(), &Event::Clock(Clock::new(unit)), to);
        self.place.buffer_end = self.place.offset + u64::from(header.path_len.get());
        if ns_per_tick.is_none() {
            // The header's field with the duration of a tick.
            to.receive(&Event::Diagnostic(DiagnosticKind::BadTimeUnit), ByteRange::new(16, 24));
        }
        Ok(progress)
    }

    /// Reads the path of the program, which becomes metadata.
    fn read_path(&mut self, data: &[u8], eof: bool, to: Lent<'_>) -> Progress {
        let length = self.header.map_or(0, |header| usize::from(header.path_len.get()));
        let Some(path) = data.get(..length) else { return self.place.short(length, data, eof, to) };
        self.state = AutoState::Records;
        let (key, value) = (Text::plain(b"program"), Value::Text(Text::plain(path)));
        self.place.hand_over(length, &Event::Meta(MetaEvent::new(key, value)), to)
    }

    /// Reads the next record, or the next header of a buffer.
    fn read_record(&mut self, data: &[u8], eof: bool, to: Lent<'_>) -> Progress {
        let left = self.place.left();
        if left == 0 {
            return self.read_buffer_header(data, eof, to);
        }
        let (record, length, base) = match decode(self.place.enclosed(data), self.base) {
            Ok(decoded) => decoded,
            Err(RecordError::Unknown(_)) => return self.skip_buffer(DiagnosticKind::UnknownEvent, to),
            // More bytes than the buffer has: no later data can complete the record.
            Err(RecordError::Short(needed)) if needed as u64 > left => {
                return self.skip_buffer(DiagnosticKind::Overrun, to);
            }
            Err(RecordError::Short(needed)) => return self.place.short(needed, data, eof, to),
        };
        let at = self.place.clamped(record.when(), length, to);
        let bytes = self.place.next(length);
        self.base = base;
        self.place.offset = bytes.end;
        let event = ThreadEvent::new(Thread::new(0_u32, self.tid), Tick(at), Text::EMPTY);
        match record {
            Record::Enter { address, .. } => {
                let loaded_at = self.header.map_or(0, |header| header.base_address.get());
                // In a damaged file the function may lie below the program. Its name is then a very large address.
                let address = address.wrapping_sub(loaded_at);
                let name = match self.symbols.name(address) {
                    Some(name) => name,
                    None => self.hex_name.write(address),
                };
                to.receive(&Event::Begin(ThreadEvent { name: Text::plain(name), ..event }), bytes);
            }
            Record::Begin { name, args, .. } => {
                let (name, args) = (Text::plain(without_nul(name)), Args::text(args));
                to.receive(&Event::Begin(ThreadEvent { name, args, ..event }), bytes);
            }
            Record::End { .. } => to.receive(&Event::End(event), bytes),
        }
        Progress::Read(length)
    }

    /// Reads the header of the next buffer, or ends at the end of the file.
    fn read_buffer_header(&mut self, data: &[u8], eof: bool, to: Lent<'_>) -> Progress {
        let Ok((header, _)) = BufferHeader::ref_from_prefix(data) else {
            return self.place.short(size_of::<BufferHeader>(), data, eof, to);
        };
        self.tid = header.tid.get();
        self.base = Base::at(header.first_ts.get());
        self.place.enter_buffer(size_of::<BufferHeader>(), header.size.get().into())
    }

    /// Skips the part of the current buffer that is in `data`.
    fn skip(&mut self, data: &[u8], eof: bool, to: Lent<'_>) -> Progress {
        let length = self.place.enclosed(data).len();
        if length as u64 == self.place.left() {
            self.state = AutoState::Records;
        } else if length == 0 {
            return self.place.short(1, data, eof, to);
        }
        self.place.offset += length as u64;
        Progress::Read(length)
    }

    /// Reports damage after which the rest of the buffer cannot be read: records are relative to each other, and an
    /// unknown one does not say how long it is.
    fn skip_buffer(&mut self, damage: DiagnosticKind, to: Lent<'_>) -> Progress {
        self.state = AutoState::SkipBuffer;
        to.receive(&Event::Diagnostic(damage), ByteRange::new(self.place.offset, self.place.buffer_end));
        Progress::Read(0)
    }
}

/// The receiver of a call.
type Lent<'r> = &'r mut dyn for<'e> Receiver<'e>;

impl<S: Symbolizer> LendingParser for Parser<S> {
    type Error = FormatError;

    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        if let Some(end) = self.place.end {
            return end;
        }
        match self.state {
            AutoState::Header => self.read_header(data, eof, to),
            AutoState::Path => Ok(self.read_path(data, eof, to)),
            AutoState::Records => Ok(self.read_record(data, eof, to)),
            AutoState::SkipBuffer => Ok(self.skip(data, eof, to)),
        }
    }
}
