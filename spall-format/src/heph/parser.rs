//! The incremental parser, which finds packets, steps over damage, and turns packets into events.

use core::ops::Range;

use spall_model::{
    ByteRange, Chunk, Clock, Conventions, DiagnosticKind, Event, Events, MetaEvent, Parsed, Progress,
    Receiver, Text, Thread, ThreadEvent, Tick, Value,
};

use super::content::{self, Content};
use super::frame::{Framing, MAX_AROUND_HEAD, frame};
use super::sequence::Sequence;
use super::{Attributes, EventPacket, Metadata, Packet, thread_id};
use crate::FormatError;

/// A parser of Heph traces. It takes input in pieces of any size, allocates nothing, and keeps nothing of the input.
///
/// An event packet becomes an [`Event::Complete`], whose process id is the stream and whose thread id is the substream.
/// An `epoch` option becomes an [`Event::Clock`], and any other option an [`Event::Meta`] with its raw bytes. The first
/// event is an [`Event::Conventions`]: ids are unsigned, and children come before their parents. [heph
/// B.4](crate::rules::heph#B.4)
///
/// # Damage
/// The parser steps over every fault, so it never returns an error. The diagnostics of a packet come just before its
/// event.
///
/// | diagnostic | fault | effect |
/// |---|---|---|
/// | `Junk` | bytes that are not a packet | skipped up to the next packet |
/// | `Truncated` | a packet that the next one, or the end of the file, cuts short | left out |
/// | `Overrun` | a description or name longer than its packet | cut; the attributes, or the option, are lost |
/// | `BadAttribute` | attributes that cannot be decoded to their end | those before are kept |
/// | `TimeOutOfRange` | a time beyond `i64` | clamped |
/// | `BadEpoch` | an epoch that is not 8 bytes | an [`Event::Meta`] with its bytes |
/// | `DuplicateEpoch` | a second epoch | the last counts |
/// | `LostPackets`, `CounterOrder` | a stream's counter jumps or goes back | a hint, nothing is changed |
///
/// Counters are watched for 64 streams at once. Streams with the same number modulo 64 share a place, so a gap may be
/// missed in a file with more streams.
///
/// # Examples
/// ```
/// use spall_format::heph::{Parser, Writer};
/// use spall_model::{Chunk, Event, Parser as _};
///
/// let mut memory = [0; 64];
/// let mut writer = Writer::new(&mut memory);
/// writer.epoch(1_700_000_000_000_000_000)?;
/// let file = writer.bytes();
///
/// let mut parser = Parser::new();
/// // The packet has 23 bytes, of which 3 did not arrive yet.
/// assert!(matches!(parser.parse(&file[..20], false)?, Chunk::NeedMore(3)));
/// let Chunk::Parsed(first) = parser.parse(file, true)? else { panic!() };
/// assert!(matches!(first.event, Event::Conventions(_)));
/// let Chunk::Parsed(second) = parser.parse(&file[first.consumed..], true)? else { panic!() };
/// assert!(matches!(second.event, Event::Clock(_)));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Parser {
    offset: u64,
    /// The start of the junk that ends at `offset`, if there is any.
    junk: Option<u64>,
    /// The last check that was done for the packet at `offset`.
    checked: Check,
    has_packet: bool,
    has_epoch: bool,
    sequence: Sequence,
}

/// The checks of a packet in the order in which they are done. Each call of the parser reports one fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Check {
    Nothing,
    Counter,
    Time,
    Content,
}

/// The least time that a tick cannot hold.
const TOO_LARGE: u64 = 1 << 63;

impl Parser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            offset: 0,
            junk: None,
            checked: Check::Nothing,
            has_packet: false,
            has_epoch: false,
            sequence: Sequence::new(),
        }
    }

    /// Returns an event of the given bytes of the data, and consumes `consumed` bytes.
    #[inline]
    fn emit<'a>(&mut self, event: Event<'a>, bytes: Range<usize>, consumed: usize) -> Chunk<'a> {
        let bytes = ByteRange::new(self.offset_of(bytes.start), self.offset_of(bytes.end));
        if consumed > 0 {
            self.advance(consumed);
        }
        Chunk::Parsed(Parsed { consumed, event, bytes })
    }

    #[inline]
    fn advance(&mut self, length: usize) {
        self.offset = self.offset_of(length);
        self.checked = Check::Nothing;
    }

    #[inline]
    fn offset_of(&self, pos: usize) -> u64 {
        self.offset.saturating_add(u64::try_from(pos).unwrap_or(u64::MAX))
    }

    /// Returns whether `check` was not done for this packet yet. It counts as done from now on.
    fn first_time(&mut self, check: Check) -> bool {
        let first = self.checked < check;
        if first {
            self.checked = check;
        }
        first
    }

    fn event<'a>(&mut self, packet: &EventPacket<'a>, size: usize) -> Chunk<'a> {
        let whole = packet.attributes.whole();
        match self.event_fault(packet, whole, size) {
            Some((kind, faulty)) => self.emit(Event::Diagnostic(kind), faulty, 0),
            None => self.emit(slice(packet, whole), 0..size, size),
        }
    }

    /// Reads the next event packet if it has no fault, which is nearly always so.
    #[inline(always)]
    fn plain<'a>(&mut self, data: &'a [u8]) -> Option<Parsed<'a>> {
        let (packet, size) = EventPacket::read(data)?;
        let is_plain = size <= MAX_AROUND_HEAD
            && self.junk.is_none()
            && packet.start.max(packet.end) < TOO_LARGE
            && content::judge(data, size) == Content::Sound
            && self.sequence.accept(packet.stream, packet.counter);
        if !is_plain {
            return None;
        }
        let bytes = ByteRange::new(self.offset, self.offset_of(size));
        self.advance(size);
        Some(Parsed { consumed: size, event: slice(&packet, packet.attributes), bytes })
    }

    /// Returns the next fault of the packet that was not reported yet, and the bytes with the fault.
    fn event_fault(
        &mut self,
        packet: &EventPacket<'_>,
        whole: Attributes<'_>,
        size: usize,
    ) -> Option<(DiagnosticKind, Range<usize>)> {
        if self.first_time(Check::Counter)
            && let Some(kind) = self.sequence.check(packet.stream, packet.counter)
        {
            return Some((kind, 0..size));
        }
        if self.first_time(Check::Time) && packet.start.max(packet.end) >= TOO_LARGE {
            return Some((DiagnosticKind::TimeOutOfRange, 0..size));
        }
        if self.first_time(Check::Content) {
            let bad = packet.attributes.bytes().len() - whole.bytes().len();
            if packet.overrun {
                return Some((DiagnosticKind::Overrun, size - packet.description.len()..size));
            } else if bad > 0 {
                return Some((DiagnosticKind::BadAttribute, size - bad..size));
            }
        }
        None
    }

    /// Reads the next packet or damage of any kind, also the first packet of each stream and the last one of the file.
    // Cold, so that plain packets come first in the caller's loop: 1.7 % fewer instructions.
    #[cold]
    #[inline(never)]
    fn step<'a>(&mut self, data: &'a [u8], eof: bool, chunk: &mut Chunk<'a>) {
        *chunk = self.lower(data, frame(data, eof));
    }

    /// Returns the event of `frame`, which is at the start of `data`, or a diagnostic that comes before it.
    // Not inlined into the cold function, which would make it cold as well.
    #[inline(never)]
    fn lower<'a>(&mut self, data: &'a [u8], frame: Framing) -> Chunk<'a> {
        if let Some(start) = self.junk
            && !matches!(frame, Framing::Junk(_) | Framing::NeedMore(_))
        {
            self.junk = None;
            let bytes = ByteRange::new(start, self.offset);
            return Chunk::Parsed(Parsed {
                consumed: 0,
                event: Event::Diagnostic(DiagnosticKind::Junk),
                bytes,
            });
        }
        match frame {
            Framing::Packet(_) if !core::mem::replace(&mut self.has_packet, true) => {
                let conventions = Conventions::default().with_unsigned_ids().with_children_first();
                self.emit(Event::Conventions(conventions), 0..0, 0)
            }
            Framing::Packet(size) => match Packet::read(data) {
                Some(Packet::Event(packet)) => self.event(&packet, size),
                Some(Packet::Metadata(packet)) => self.metadata(&packet, size),
                None => Chunk::End,
            },
            Framing::Cut(length) => {
                self.emit(Event::Diagnostic(DiagnosticKind::Truncated), 0..length, length)
            }
            Framing::Junk(length) => {
                self.junk = self.junk.or(Some(self.offset));
                self.advance(length);
                Chunk::Skipped(length)
            }
            Framing::NeedMore(hint) => Chunk::NeedMore(hint),
            Framing::End => Chunk::End,
        }
    }

    /// Returns the event of a metadata packet, or its next fault that was not reported yet.
    fn metadata<'a>(&mut self, packet: &Metadata<'a>, size: usize) -> Chunk<'a> {
        if packet.overrun {
            return self.emit(Event::Diagnostic(DiagnosticKind::Overrun), 0..size, size);
        }
        if packet.name == Metadata::EPOCH {
            let Some(epoch) = packet.epoch() else {
                if self.first_time(Check::Content) {
                    return self.emit(Event::Diagnostic(DiagnosticKind::BadEpoch), 0..size, 0);
                }
                return self.option(packet, size);
            };
            let epoch_ns = i64::try_from(epoch);
            // Metadata has no counter. This place among the checks serves to report the fault once, before the next one.
            if self.first_time(Check::Counter) && core::mem::replace(&mut self.has_epoch, true) {
                return self.emit(Event::Diagnostic(DiagnosticKind::DuplicateEpoch), 0..size, 0);
            }
            if self.first_time(Check::Time) && epoch_ns.is_err() {
                return self.emit(Event::Diagnostic(DiagnosticKind::TimeOutOfRange), 0..size, 0);
            }
            let epoch_ns = Some(epoch_ns.unwrap_or(i64::MAX));
            return self.emit(Event::Clock(Clock::NANOSECONDS.with_epoch_ns(epoch_ns)), 0..size, size);
        }
        self.option(packet, size)
    }

    fn option<'a>(&mut self, packet: &Metadata<'a>, size: usize) -> Chunk<'a> {
        let (key, value) = (Text::plain(packet.name), Value::Bytes(packet.value));
        self.emit(Event::Meta(MetaEvent::new(key, value)), 0..size, size)
    }
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the event of an event packet.
#[inline]
fn slice<'a>(packet: &EventPacket<'a>, attributes: Attributes<'a>) -> Event<'a> {
    let tick = |time| Tick(i64::try_from(time).unwrap_or(i64::MAX));
    let (start, end) = (tick(packet.start), tick(packet.end));
    let event = ThreadEvent {
        thread: Thread::new(packet.stream, thread_id(packet.substream)),
        at: start,
        name: Text::plain(packet.description),
        category: Text::EMPTY,
        args: attributes.args(),
    };
    Event::Complete(event, end - start)
}

impl spall_model::Parser for Parser {
    type Error = FormatError;

    // A plain packet is inlined whole, and everything else stays behind a reference. A call would return every event
    // through memory, and copying it from one enum into the next would cost more than reading it.
    #[inline(always)]
    fn parse<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, FormatError> {
        match self.plain(data) {
            Some(parsed) => Ok(Chunk::Parsed(parsed)),
            None => {
                let mut chunk = Chunk::End;
                self.step(data, eof, &mut chunk);
                Ok(chunk)
            }
        }
    }

    #[inline(always)]
    fn parse_into<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        receiver: &mut impl Receiver<'a>,
    ) -> Result<Progress, FormatError> {
        if let Some(Parsed { consumed, event, bytes }) = self.plain(data) {
            receiver.receive(&event, bytes);
            return Ok(Progress::Consumed(consumed));
        }
        let mut chunk = Chunk::End;
        self.step(data, eof, &mut chunk);
        Ok(chunk.hand_over(receiver))
    }
}

/// Returns an iterator over the events of a Heph trace that is wholly in memory.
///
/// ```
/// use spall_format::heph;
/// use spall_model::{Event, Ticks};
/// let trace = b"\xc1\xfc\x1f\xb7\0\0\0\x2c\0\0\0\x01\0\0\0\0\0\0\0\0\
///     \0\0\0\0\0\0\0\0\0\0\0\x0a\0\0\0\0\0\0\0\x1e\0\x02hi";
/// let parsed = heph::parse_all(trace).last().unwrap()?;
/// let Event::Complete(slice, duration) = parsed.event else { panic!() };
/// assert!(slice.name.is(b"hi"));
/// assert_eq!(duration, Ticks(20));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[must_use]
pub fn parse_all(data: &[u8]) -> Events<'_, Parser> {
    Events::new(Parser::new(), data)
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use super::*;
    use alloc::vec::Vec;
    use spall_model::Parser as _;
    use spall_synth::heph::{Event as Written, epoch, trace};

    /// All events, the plain packets read by themselves or like any others.
    fn read(mut data: &[u8], plain: bool) -> Vec<Parsed<'_>> {
        let (mut parser, mut found) = (Parser::new(), Vec::new());
        loop {
            let mut chunk = Chunk::End;
            match plain {
                true => chunk = parser.parse(data, true).unwrap_or(chunk),
                false => parser.step(data, true, &mut chunk),
            }
            let consumed = match chunk {
                Chunk::Parsed(parsed) => {
                    found.push(parsed);
                    parsed.consumed
                }
                Chunk::Skipped(length) => length,
                Chunk::NeedMore(_) | Chunk::End => return found,
            };
            data = &data[consumed..];
        }
    }

    #[test]
    fn b5_every_fault_is_said_of_plain_packets_too() {
        let event =
            |counter, start, end| Written::new((1, counter, 2), Range { start, end }, "event").bytes();
        let data = [
            epoch(5),
            event(0, 10, 20),
            b"junk".to_vec(),
            event(1, 10, 20),
            event(2, 10, u64::MAX),
            event(3, u64::MAX, 1),
            event(5, 10, 20),
            event(4, 10, 20),
            event(6, 20, 10),
            event(7, 10, 20),
        ];
        let data = data.concat();
        let kinds = read(&data, true).into_iter().filter_map(|parsed| match parsed.event {
            Event::Diagnostic(kind) => Some(kind),
            _ => None,
        });
        use DiagnosticKind::{CounterOrder, Junk, LostPackets, TimeOutOfRange};
        assert!(kinds.eq([Junk, TimeOutOfRange, TimeOutOfRange, LostPackets, CounterOrder]));
        assert_eq!(read(&data, true), read(&data, false));
    }

    #[test]
    fn plain_packets_are_read_as_any_others_whatever_is_damaged() {
        let data = trace(12, 2, 2, true);
        for pos in 0..data.len() {
            let mut faulty = data.clone();
            for flip in [0x01, 0x10, 0x80] {
                faulty[pos] ^= flip;
                assert!(read(&faulty, true) == read(&faulty, false), "byte {pos} ^ {flip}");
            }
        }
    }
}
