//! The parser, which finds the text in what is around it. [ftrace 1](crate::rules::ftrace#1)

use memchr::memchr;
use spall_model::{ByteRange, Conventions, DiagnosticKind, Event, LendingParser, Limits, Progress, Receiver};

use super::html::{self, Place};
use super::output::Output;
use super::text::Lines;
use crate::container::{Container, decompress_as};
use crate::{FormatError, FormatErrorKind};

/// A parser of the text of ftrace and atrace. It takes input in pieces of any size. [ftrace 1](crate::rules::ftrace#1)
///
/// The module has a table of what lines become. States of threads are handed over at the end of the file, because lines of
/// several processors need not be in the order of time. So is everything about a thread whose process no line says.
///
/// # Damage
/// The parser steps over every fault. It returns an error at the end of a file in which no event is read.
///
/// | diagnostic | fault | effect |
/// |---|---|---|
/// | `Truncated` | a last line without an end, which may be cut | left out |
/// | `Junk` | a line of another form, or one of more than 64 KiB | left out |
/// | `NotRead` | an event of a kind that is not read | left out, and counted by its name in a fact at the end |
/// | `DamagedEvent` | an event of which a part is missing or is no number | left out |
/// | `UnknownEvent` | a printed letter that has no meaning | left out |
/// | `LostPackets` | a line that says that events were lost | the fact `lost_events` has their number |
/// | `SwitchMismatch` | a switch from another thread than the one before it has switched to | both are kept |
/// | `BadTime` | a time of another unit than that of the first line | left out |
/// | `TimeOutOfRange` | a time beyond `i64` | clamped |
/// | `BadEpoch` | a time of the wall clock before 2001 | sets no clock |
/// | `BadCompression` | compressed text that cannot be decoded | what came out before is kept |
///
/// # Memory
/// The parser keeps the names and the processes of threads and the changes of their states. Compressed text is decoded as a
/// whole, within [`Limits::max_decompressed_bytes`].
#[derive(Debug)]
pub struct Parser {
    offset: u64,
    place: Place,
    lines: Lines,
    /// The number of bytes at the start of the data in which no line ends.
    searched: usize,
    /// Whether the rest of a line is skipped, because it is too long.
    is_skipping: bool,
    has_begun: bool,
    limits: Limits,
    is_over: Option<Result<(), FormatError>>,
}

/// The most bytes of a line. [ftrace 6.1](crate::rules::ftrace#6.1)
const MAX_LINE: usize = 64 << 10;

/// The most blanks before the tag of a page.
const MAX_BLANKS: usize = 1 << 10;

impl Parser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub fn new() -> Self {
        Self {
            offset: 0,
            place: Place::Text,
            lines: Lines::default(),
            searched: 0,
            is_skipping: false,
            has_begun: false,
            limits: Limits::default(),
            is_over: None,
        }
    }

    /// Sets the limits, of which only [`Limits::max_decompressed_bytes`] counts here. Call this before the first event.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Sets a number of nanoseconds that is added to all times, for a text that is part of another file. Call this before the
    /// first event.
    #[must_use]
    pub fn with_shift_ns(mut self, shift_ns: i64) -> Self {
        self.lines.shift_ns = shift_ns;
        self
    }

    /// Returns the bytes of the file from the position on.
    fn bytes(&self, length: usize) -> ByteRange {
        ByteRange::new(self.offset, self.offset + length as u64)
    }

    /// Finds out whether the text is in a page. Returns the bytes before it, or `None` if more must arrive.
    fn begin(&mut self, data: &[u8], eof: bool, to: &mut dyn for<'e> Receiver<'e>) -> Option<usize> {
        let mark: &[u8] = b"\xef\xbb\xbf";
        if data.len() < mark.len() && !eof {
            return None;
        }
        let start = if data.starts_with(mark) { mark.len() } else { 0 };
        let blanks =
            data.iter().take(MAX_BLANKS).position(|byte| byte.is_ascii_graphic()).unwrap_or(MAX_BLANKS);
        if data.len() < blanks + html::MAX_TAG && !eof {
            return None;
        }
        let head = data.get(..blanks + html::MAX_TAG).unwrap_or(data);
        if html::begins_as_page(head) {
            self.place = Place::Page;
        }
        self.has_begun = true;
        let conventions = Conventions::default().with_events_by_time();
        to.receive(&Event::Conventions(conventions), ByteRange::default());
        Some(start)
    }

    /// Reads all lines that have arrived. Returns how many bytes they are.
    fn read_lines(&mut self, data: &[u8], eof: bool, to: &mut dyn for<'e> Receiver<'e>) -> usize {
        let mut consumed = 0;
        while let Some(rest) = data.get(consumed..).filter(|rest| !rest.is_empty()) {
            if self.place == Place::AfterMark {
                return consumed;
            }
            let searched = core::mem::take(&mut self.searched);
            let end =
                memchr(b'\n', rest.get(..=MAX_LINE).unwrap_or(rest).get(searched..).unwrap_or_default());
            let (len, is_whole) = match end {
                Some(end) => (searched + end + 1, true),
                None if rest.len() > MAX_LINE => (MAX_LINE, false),
                None if eof => {
                    let out = &mut Output { to, bytes: self.bytes(rest.len()) };
                    if !self.is_skipping {
                        self.place.last_line(rest, &mut self.lines, out);
                    }
                    self.offset += rest.len() as u64;
                    return data.len();
                }
                None => {
                    self.searched = rest.len();
                    return consumed;
                }
            };
            let line = rest.get(..len).unwrap_or(rest);
            let bytes = self.bytes(len);
            let out = &mut Output { to, bytes };
            if !self.is_skipping && is_whole {
                self.place.line(without_end(line), &mut self.lines, out);
            } else if !self.is_skipping {
                self.place.long_line(out);
            }
            self.is_skipping = !is_whole;
            self.offset += len as u64;
            consumed += len;
        }
        consumed
    }

    /// Reads the compressed rest of the file. [ftrace 1.3](crate::rules::ftrace#1.3)
    fn read_compressed(&mut self, data: &[u8], to: &mut dyn for<'e> Receiver<'e>) {
        let out = &mut Output { to, bytes: self.bytes(data.len()) };
        self.place = Place::Text;
        match decompress_as(Some(Container::Zlib), data, &self.limits) {
            Ok(opened) => {
                for line in opened.stream.split_inclusive(|&byte| byte == b'\n') {
                    match line.len() {
                        ..=MAX_LINE if line.ends_with(b"\n") => self.lines.line(without_end(line), out),
                        ..=MAX_LINE => self.place.last_line(line, &mut self.lines, out),
                        _ => self.place.long_line(out),
                    }
                }
                if let Some(damage) = opened.damage {
                    out.report(damage.kind);
                }
            }
            Err(_) => out.report(DiagnosticKind::BadCompression),
        }
        self.offset += data.len() as u64;
    }

    fn end(&mut self, to: &mut dyn for<'e> Receiver<'e>) -> Result<(), FormatError> {
        let bytes = self.bytes(0);
        let has_read = self.lines.finish(&mut Output { to, bytes });
        if has_read { Ok(()) } else { Err(FormatError::new(FormatErrorKind::NothingRead, self.offset)) }
    }

    fn read(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        if let Some(result) = self.is_over {
            return result.map(|()| Progress::End);
        }
        let need_more = Progress::NeedMore(data.len().max(1));
        if !self.has_begun {
            let begun = self.begin(data, eof, to);
            self.offset += begun.unwrap_or(0) as u64;
            return Ok(begun.map_or(need_more, Progress::Read));
        }
        if data.is_empty() && eof {
            let result = self.end(to);
            self.is_over = Some(result);
            return result.map(|()| Progress::End);
        }
        if self.place == Place::AfterMark {
            let [first, second, ..] = data else {
                if eof {
                    self.place = Place::Text;
                    return Ok(Progress::Read(0));
                }
                return Ok(need_more);
            };
            self.place = if is_zlib([*first, *second]) { Place::Compressed } else { Place::Text };
            return Ok(Progress::Read(0));
        }
        if self.place == Place::Compressed {
            if !eof {
                return Ok(need_more);
            }
            self.read_compressed(data, to);
            return Ok(Progress::Read(data.len()));
        }
        match self.read_lines(data, eof, to) {
            0 => Ok(need_more),
            consumed => Ok(Progress::Read(consumed)),
        }
    }
}

/// Returns whether two bytes begin a zlib stream, as atrace writes it.
pub(super) const fn is_zlib(head: [u8; 2]) -> bool {
    matches!(head, [0x78, 0x01 | 0x9c | 0xda])
}

/// Returns a line without the characters that end it.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl LendingParser for Parser {
    type Error = FormatError;

    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        self.read(data, eof, to)
    }
}
