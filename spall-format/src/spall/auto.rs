//! Native auto traces: what a program compiled with `-finstrument-functions` records of itself. \[spall A.7\]
//!
//! Functions are addresses here; a [`Symbolizer`] gives them names. As an address has no text in the file that an
//! event could borrow, there is no [`spall_model::Parser`]: [`Parser`] reads [`Record`]s without allocating, and
//! [`Lowering`], in the `alloc` tier, makes events of them.

mod decode;
#[cfg(feature = "alloc")]
mod lowering;

use spall_model::{ByteRange, DiagnosticKind};
use zerocopy::little_endian::{F64, U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{FormatError, FormatErrorKind};

#[cfg(feature = "alloc")]
pub use lowering::{Lowering, NoSymbols, Symbolizer};

/// The start of a file, before the program's path.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Header {
    /// [`super::Header::AUTO_TRACE_MAGIC`].
    pub magic: U64,
    /// 3; older ones were never stable.
    pub version: U64,
    /// Nanoseconds per tick.
    pub ns_per_tick: F64,
    /// Where the program was loaded.
    pub base_address: U64,
    /// The length of the path that follows.
    pub path_len: U16,
}

const _: () = assert!(size_of::<Header>() == 34);

/// The start of a buffer. Not the one of a manual stream.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct BufferHeader {
    /// The length of the records behind this header, in bytes.
    pub size: U32,
    /// The thread of all records in the buffer.
    pub tid: U32,
    /// The time to which the first record's is relative.
    pub first_ts: U64,
    /// A hint for readers that allocate; not used.
    pub max_depth: U32,
}

const _: () = assert!(size_of::<BufferHeader>() == 20);

/// One record, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Record<'a> {
    /// The path of the program that was traced.
    Program(&'a [u8]),
    /// A function is entered.
    Enter {
        /// On which thread.
        tid: u32,
        /// When, in ticks.
        when: u64,
        /// The function, relative to where the program was loaded.
        address: u64,
        /// Where it was called from, relative to the same.
        caller: u64,
    },
    /// A slice with a name of its own begins.
    Begin {
        /// On which thread.
        tid: u32,
        /// When, in ticks.
        when: u64,
        /// The name.
        name: &'a [u8],
        /// Arguments, as text.
        args: &'a [u8],
    },
    /// The innermost function or slice ends.
    End {
        /// On which thread.
        tid: u32,
        /// When, in ticks.
        when: u64,
    },
    /// Damage that was stepped over.
    Damage(DiagnosticKind),
}

/// One step of a [`Parser`]; see [`spall_model::Chunk`] for the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Call again with at least this many more bytes behind the same ones.
    NeedMore(usize),
    /// This many bytes say nothing.
    Skipped(usize),
    /// A record.
    Record {
        /// How many bytes of the data just given are done with.
        consumed: usize,
        /// What they say.
        record: Record<'a>,
        /// Where they are in the file.
        bytes: ByteRange,
    },
    /// The file is finished.
    End,
}

/// Reads the records of an auto trace of version 3 from pieces of any size.
///
/// Damage inside a buffer is reported as [`Record::Damage`] and ends the buffer: a record that is none
/// ([`DiagnosticKind::UnknownEvent`]), that runs over the buffer's end ([`DiagnosticKind::Overrun`]), or that the file
/// ends in ([`DiagnosticKind::Truncated`]). A time beyond 64 bits is clamped ([`DiagnosticKind::TimeOutOfRange`]).
#[derive(Debug, Clone)]
pub struct Parser {
    state: State,
    offset: u64,
    header: Option<Header>,
    buffer_end: u64,
    tid: u32,
    /// What the next record's numbers are relative to.
    last: decode::Last,
    /// The clamped time of the next record was reported.
    noted: bool,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Header,
    Path,
    Records,
    /// The rest of the buffer is skipped; the damage was reported.
    Skip,
    End,
    Failed(FormatError),
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// A reader at the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: State::Header,
            offset: 0,
            header: None,
            buffer_end: 0,
            tid: 0,
            last: decode::Last { when: 0, address: 0, caller: 0 },
            noted: false,
        }
    }

    /// The file's header, once it was read.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Reads one record.
    ///
    /// # Errors
    /// For a header that is cut, is none, or has another version than 3. Marks as [`FormatErrorKind`] says.
    pub fn parse<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Step<'a>, FormatError> {
        match self.state {
            State::Header => self.read_header(data, eof),
            State::Path => Ok(self.read_path(data, eof)),
            State::Records => Ok(self.read_record(data, eof)),
            State::Skip => Ok(self.skip(data, eof)),
            State::End => Ok(Step::End),
            State::Failed(error) => Err(error),
        }
    }

    fn read_header<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Step<'a>, FormatError> {
        let missing = size_of::<Header>().saturating_sub(data.len());
        let Ok((header, _)) = Header::ref_from_prefix(data) else {
            if !eof {
                return Ok(Step::NeedMore(missing));
            }
            let needed = u32::try_from(missing).unwrap_or(u32::MAX);
            return self.fail(FormatErrorKind::UnexpectedEof { needed }, data.len() as u64);
        };
        if header.magic.get() != super::Header::AUTO_TRACE_MAGIC {
            return self.fail(FormatErrorKind::BadMagic, 0);
        }
        let version = u32::try_from(header.version.get()).unwrap_or(u32::MAX);
        match version {
            3 => {}
            1 | 2 => return self.fail(FormatErrorKind::OldAutoTrace { version }, 8),
            _ => return self.fail(FormatErrorKind::UnsupportedVersion { version }, 8),
        }
        self.header = Some(*header);
        self.state = State::Path;
        self.offset = size_of::<Header>() as u64;
        Ok(Step::Skipped(size_of::<Header>()))
    }

    fn fail<'a>(&mut self, kind: FormatErrorKind, offset: u64) -> Result<Step<'a>, FormatError> {
        let error = FormatError::new(kind, offset);
        self.state = State::Failed(error);
        Err(error)
    }

    fn read_path<'a>(&mut self, data: &'a [u8], eof: bool) -> Step<'a> {
        let length = self.header.map_or(0, |header| usize::from(header.path_len.get()));
        match data.get(..length) {
            Some(path) => {
                self.state = State::Records;
                let step = self.record(length, Record::Program(path));
                self.buffer_end = self.offset;
                step
            }
            None => self.short(length - data.len(), data, eof),
        }
    }

    fn read_record<'a>(&mut self, data: &'a [u8], eof: bool) -> Step<'a> {
        let left = self.buffer_end.saturating_sub(self.offset);
        if left == 0 {
            return self.read_buffer_header(data, eof);
        }
        let enclosed = usize::try_from(left).ok().and_then(|left| data.get(..left)).unwrap_or(data);
        match decode::record(enclosed, self.tid, self.last) {
            Ok(decoded) if decoded.clamped && !self.noted => {
                self.noted = true;
                let bytes = ByteRange::new(self.offset, self.offset + decoded.length as u64);
                Step::Record { consumed: 0, record: Record::Damage(DiagnosticKind::TimeOutOfRange), bytes }
            }
            Ok(decoded) => {
                self.noted = false;
                self.last = decoded.last;
                let base = self.header.map_or(0, |header| header.base_address.get());
                self.record(decoded.length, decoded.record.relative_to(base))
            }
            Err(decode::Stop::Unknown) => self.damage(DiagnosticKind::UnknownEvent),
            Err(decode::Stop::Short(needed)) if needed as u64 > left => self.damage(DiagnosticKind::Overrun),
            Err(decode::Stop::Short(needed)) => self.short(needed.saturating_sub(data.len()), data, eof),
        }
    }

    fn read_buffer_header<'a>(&mut self, data: &'a [u8], eof: bool) -> Step<'a> {
        let Ok((header, _)) = BufferHeader::ref_from_prefix(data) else {
            if eof && data.is_empty() {
                self.state = State::End;
                return Step::End;
            }
            return self.short(size_of::<BufferHeader>().saturating_sub(data.len()), data, eof);
        };
        self.tid = header.tid.get();
        self.last = decode::Last { when: header.first_ts.get(), address: 0, caller: 0 };
        self.offset += size_of::<BufferHeader>() as u64;
        self.buffer_end = self.offset + u64::from(header.size.get());
        Step::Skipped(size_of::<BufferHeader>())
    }

    fn skip<'a>(&mut self, data: &[u8], eof: bool) -> Step<'a> {
        let left = usize::try_from(self.buffer_end.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let length = left.min(data.len());
        if length == left {
            self.state = State::Records;
        }
        if length > 0 {
            self.offset += length as u64;
            return Step::Skipped(length);
        }
        self.short(1, data, eof)
    }

    /// More bytes are needed, or the file ends too early.
    fn short<'a>(&mut self, needed: usize, data: &[u8], eof: bool) -> Step<'a> {
        if !eof {
            return Step::NeedMore(needed.max(1));
        }
        self.state = State::End;
        self.record(data.len(), Record::Damage(DiagnosticKind::Truncated))
    }

    /// The rest of the buffer cannot be read.
    #[cold]
    fn damage<'a>(&mut self, kind: DiagnosticKind) -> Step<'a> {
        self.state = State::Skip;
        let bytes = ByteRange::new(self.offset, self.buffer_end);
        Step::Record { consumed: 0, record: Record::Damage(kind), bytes }
    }

    fn record<'a>(&mut self, consumed: usize, record: Record<'a>) -> Step<'a> {
        let start = self.offset;
        self.offset += consumed as u64;
        Step::Record { consumed, record, bytes: ByteRange::new(start, self.offset) }
    }
}

impl Record<'_> {
    fn relative_to(self, base: u64) -> Self {
        match self {
            Self::Enter { tid, when, address, caller } => {
                let (address, caller) = (address.wrapping_sub(base), caller.wrapping_sub(base));
                Self::Enter { tid, when, address, caller }
            }
            other => other,
        }
    }
}
