//! The parser, which finds packets.

use alloc::vec::Vec;

use spall_model::{
    ByteRange, Clock, Conventions, DiagnosticKind, Event, LendingParser, Limits, Progress, Receiver, Text,
    Value,
};

use super::state::State;
use crate::FormatError;
use crate::container::{Container, decompress_as};
use crate::ftrace::Output;
use crate::protobuf::{Fields, Wire};
use crate::varint::varint;

/// A parser of Perfetto's traces. It takes input in pieces of any size, and a call reads one packet. [perfetto
/// 1](crate::rules::perfetto#1)
///
/// The module has a table of what packets become. States of tracks and threads, and call frames, are handed over at the end
/// of the file, because packets are in any order.
///
/// # Damage
/// The parser steps over every fault, so it never returns an error.
///
/// | diagnostic | fault | effect |
/// |---|---|---|
/// | `Junk` | bytes that are no packet | the rest of the file is left out |
/// | `Truncated` | a packet that the end of the file cuts short | left out |
/// | `DamagedRecord` | a message that cannot be read to its end | what came before is kept |
/// | `NotRead` | content of a kind that is not read | left out, and counted by its field number in a fact at the end |
/// | `StackLimit` | a stack for which there are too many different ones in a file of this size | its innermost functions are left out |
/// | `LostState` | a packet that needs packets that were lost | left out |
/// | `UnknownEntry` | a reference to something that the file does not have | the reference is left out |
/// | `UnknownClock` | a clock that no snapshot relates to that of the trace | the time is kept as it is |
/// | `TimeOutOfRange` | a time beyond `i64` | clamped |
/// | `MissingTime` | a packet without a time | a track event is left out, anything else is at 0 |
///
/// # Memory
/// The parser keeps the interned texts, the tracks, the changes of states and the call frames of the file, and one
/// compressed packet at a time, all of which may become [`Limits::max_decompressed_bytes`] together.
#[derive(Debug)]
pub struct Parser {
    offset: u64,
    state: State,
    /// The most bytes that compressed packets may become, of all that are left.
    max_decompressed: u64,
    inner: Option<Inner>,
    has_begun: bool,
    is_over: bool,
}

/// The packets that a compressed packet holds.
#[derive(Debug)]
struct Inner {
    packets: Vec<u8>,
    pos: usize,
    /// The bytes of the compressed packet.
    bytes: ByteRange,
}

/// The key of a packet: field 1, a message.
const PACKET: u8 = 0x0a;

impl Parser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub fn new() -> Self {
        Self {
            offset: 0,
            state: State::new(json_text),
            max_decompressed: Limits::default().max_decompressed_bytes,
            inner: None,
            has_begun: false,
            is_over: false,
        }
    }

    /// Sets the limits, of which only [`Limits::max_decompressed_bytes`] counts here. Call this before the first event.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.max_decompressed = limits.max_decompressed_bytes;
        self
    }

    /// Sets the function that reads arguments that are JSON. Without one they are texts. Call this before the first event.
    #[must_use]
    pub fn with_json(mut self, read: for<'a> fn(&'a [u8]) -> Value<'a>) -> Self {
        self.state.json = read;
        self
    }

    /// Returns the bytes of the file from the position on.
    fn bytes(&self, length: usize) -> ByteRange {
        ByteRange::new(self.offset, self.offset + length as u64)
    }

    /// Hands over the packets inside a compressed packet, one for each call. Returns whether there was one.
    fn read_inner(&mut self, to: &mut dyn for<'e> Receiver<'e>) -> bool {
        let Some(mut inner) = self.inner.take() else { return false };
        let out = &mut Output { to, bytes: inner.bytes };
        let rest = inner.packets.get(inner.pos..).unwrap_or_default();
        let mut fields = Fields::new(rest);
        match fields.next() {
            Some(Ok((1, Wire::Bytes(packet)))) => {
                // Packets inside are not compressed once more.
                if self.state.packet(packet, out).is_some() {
                    out.report(DiagnosticKind::NotRead);
                }
            }
            Some(Ok(_)) => {}
            Some(Err(_)) => out.report(DiagnosticKind::DamagedRecord),
            None => return true,
        }
        inner.pos = inner.packets.len() - fields.rest().len();
        self.inner = Some(inner);
        true
    }

    /// Opens a compressed packet. [perfetto 1.2](crate::rules::perfetto#1.2)
    fn decompress(&mut self, (number, data): (u32, &[u8]), bytes: ByteRange, out: &mut Output<'_>) {
        let mut limits = Limits::default();
        limits.max_decompressed_bytes = self.max_decompressed;
        let container = if number == 50 { Container::Zlib } else { Container::Zstd };
        match decompress_as(Some(container), data, &limits) {
            Ok(opened) => {
                if let Some(damage) = opened.damage {
                    out.report(damage.kind);
                }
                let packets = opened.stream.into_owned();
                self.max_decompressed = self.max_decompressed.saturating_sub(packets.len() as u64);
                self.inner = Some(Inner { packets, pos: 0, bytes });
            }
            Err(_) => out.report(DiagnosticKind::BadCompression),
        }
    }

    fn end(&mut self, to: &mut dyn for<'e> Receiver<'e>) -> Progress {
        self.is_over = true;
        let bytes = self.bytes(0);
        self.state.finish(&mut Output { to, bytes });
        Progress::End
    }

    /// Reads the next field of the file.
    fn read(&mut self, data: &[u8], eof: bool, to: &mut dyn for<'e> Receiver<'e>) -> Progress {
        if self.is_over {
            return Progress::End;
        }
        if data.is_empty() && !eof && self.inner.is_none() {
            return Progress::NeedMore(1);
        }
        if !self.has_begun {
            self.has_begun = true;
            to.receive(&Event::Clock(Clock::NANOSECONDS), ByteRange::default());
            let conventions = Conventions::default().with_events_by_time();
            to.receive(&Event::Conventions(conventions), ByteRange::default());
            return Progress::Read(0);
        }
        if self.inner.is_some() && self.read_inner(to) {
            return Progress::Read(0);
        }
        if data.is_empty() {
            return self.end(to);
        }
        let short = |parser: &mut Self, missing: usize, to: &mut dyn for<'e> Receiver<'e>| {
            if !eof {
                return Progress::NeedMore(missing.max(1));
            }
            to.receive(&Event::Diagnostic(DiagnosticKind::Truncated), parser.bytes(data.len()));
            parser.offset += data.len() as u64;
            parser.end(to)
        };
        let found = match data {
            [PACKET, rest @ ..] => match varint(rest) {
                Some((length, n)) => Some((length, 1 + n)),
                None if rest.len() < 10 => return short(self, 1, to),
                None => None,
            },
            _ => None,
        };
        // Other fields do not occur, and behind damage nothing tells where the next packet begins. The first packet behind
        // junk would be found by chance, so the rest is left out.
        let Some((length, head)) = found else {
            let junk = self.bytes(data.len());
            to.receive(&Event::Diagnostic(DiagnosticKind::Junk), ByteRange::new(junk.start, junk.start));
            return self.end(to);
        };
        let Some(end) = usize::try_from(length).ok().and_then(|length| head.checked_add(length)) else {
            return short(self, 1, to);
        };
        let Some(packet) = data.get(head..end) else { return short(self, end - data.len(), to) };
        let bytes = self.bytes(end);
        let out = &mut Output { to, bytes };
        if let Some(compressed) = self.state.packet(packet, out) {
            self.decompress(compressed, bytes, out);
        }
        self.offset = bytes.end;
        Progress::Read(end)
    }
}

fn json_text(json: &[u8]) -> Value<'_> {
    Value::Text(Text::plain(json))
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
        Ok(self.read(data, eof, to))
    }
}
