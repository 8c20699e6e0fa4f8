//! The writer of packets into a buffer of the caller. [heph B.1](crate::rules::heph#B.1)

use core::ops::Range;

use spall_model::{
    Args, Clock, Event, Id, LostParts, MetaEvent, Text, ThreadEvent, Ticks, Unit, Value, Written,
};
use zerocopy::IntoBytes;

use super::attribute::ARRAY;
use super::packet::Metadata;
use super::substream_of;
use super::wire::{EVENT_MAGIC, EventHead, METADATA_MAGIC, MetadataHead, PacketHead, value_type};
use crate::clip::clip;
use crate::{FormatError, FormatErrorKind};

/// The origin of an event packet: the worker that wrote it, and the thing that the worker worked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Origin {
    /// The number of the stream. A stream is one writer, such as a worker thread.
    pub stream: u32,
    /// The number of the packet in its stream. It starts from 0, grows by one for each event, and wraps.
    pub counter: u32,
    /// The number of the substream. A substream is the thing that the writer worked for, such as an actor. 0 is the
    /// runtime itself.
    pub substream: u64,
}

/// The length of the longest text in bytes. The format stores it in 16 bits.
const MAX_TEXT: usize = u16::MAX as usize;

/// A writer of Heph packets into a buffer. It allocates nothing, so a profiler can run it anywhere.
///
/// Every call writes one whole packet or, if it fails, nothing. It fails only if the buffer is full
/// ([`FormatErrorKind::BufferFull`]): store [`Writer::bytes`], call [`Writer::clear`], and write the packet again. Parts
/// that the format cannot hold are cut or left out, and the [`Written`] that a method returns says so.
///
/// Texts are meant to be UTF-8, which is not checked. Readers may take a packet with another text for one that was cut
/// short. [heph B.6](crate::rules::heph#B.6.4)
///
/// ```
/// use spall_format::heph::{Origin, Writer};
/// use spall_model::{Value, Written};
///
/// let mut memory = [0; 4096];
/// let mut writer = Writer::new(&mut memory);
/// writer.epoch(1_700_000_000_000_000_000)?;
/// let origin = Origin { stream: 1, counter: 0, substream: 7 };
/// let attributes = [("path", Value::from("/etc/hosts")), ("size", Value::U64(42))];
/// assert_eq!(writer.event(origin, 100..250, "load", &attributes)?, Written::Done);
/// assert_eq!(writer.bytes().len(), 23 + 80);
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug)]
pub struct Writer<'b> {
    buffer: &'b mut [u8],
    len: usize,
    unsigned_ids: bool,
}

impl<'b> Writer<'b> {
    /// Creates a writer that fills `buffer` from its start.
    #[must_use]
    pub fn new(buffer: &'b mut [u8]) -> Self {
        Self { buffer, len: 0, unsigned_ids: false }
    }

    /// Returns the packets written so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or_default()
    }

    /// Forgets the packets written so far, so that the buffer can be used again.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Writes the Unix time of tick 0 in nanoseconds. Readers expect it once, before all events.
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::BufferFull`] if there is no room.
    pub fn epoch(&mut self, unix_ns: u64) -> Result<(), FormatError> {
        self.metadata(Metadata::EPOCH, &unix_ns.to_be_bytes()).map(drop)
    }

    /// Writes an option of the whole trace. A name is cut at 65535 bytes.
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::BufferFull`] if there is no room.
    pub fn metadata(&mut self, name: impl AsRef<[u8]>, value: &[u8]) -> Result<Written, FormatError> {
        self.metadata_text(Text::plain(name.as_ref()), value)
    }

    /// Writes an option whose name may contain escapes.
    fn metadata_text(&mut self, name: Text<'_>, value: &[u8]) -> Result<Written, FormatError> {
        self.packet(|writer| {
            let (name_len, lost) = clipped_len(name);
            writer.put(metadata_head(name_len).as_bytes())?;
            writer.clipped_text(name, name_len)?;
            writer.put(value)?;
            Ok(lost)
        })
    }

    /// Writes an event with its attributes.
    ///
    /// `time` is in nanoseconds since the epoch. Write an event when it has ended, and its children before it: readers
    /// nest events with equal bounds by that order. [heph B.4](crate::rules::heph#B.4) Names of attributes may repeat.
    /// Parts of an event are left out as by [`Writer::write_event`].
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::BufferFull`] if there is no room.
    pub fn event(
        &mut self,
        origin: Origin,
        time: Range<u64>,
        description: impl AsRef<[u8]>,
        attributes: &[(&str, Value<'_>)],
    ) -> Result<Written, FormatError> {
        let attributes = attributes.iter().map(|&(name, value)| (Text::from(name), value));
        self.event_text(origin, time, Text::plain(description.as_ref()), attributes)
    }

    /// Writes an event whose description may contain escapes.
    fn event_text<'v>(
        &mut self,
        origin: Origin,
        time: Range<u64>,
        description: Text<'_>,
        mut attributes: impl Iterator<Item = (Text<'v>, Value<'v>)>,
    ) -> Result<Written, FormatError> {
        self.packet(|writer| {
            let (description_len, lost) = clipped_len(description);
            writer.put(event_head(origin, time, description_len).as_bytes())?;
            writer.clipped_text(description, description_len)?;
            attributes.try_fold(lost, |lost, (name, value)| Ok(lost.with(writer.attribute(name, value)?)))
        })
    }

    /// Writes an event of another format, as far as Heph has a form for it, and returns what is missing.
    ///
    /// This writes slices with both ends, metadata of the whole file whose value is bytes, and the epoch of a
    /// nanosecond clock. A category becomes an attribute `category`. Diagnostics are accepted without being written.
    /// [`Event::Conventions`] says whether negative ids of later events stand for large unsigned ones. The caller
    /// counts the packets of each stream. Only slices use `counter`.
    ///
    /// These events are left out:
    ///
    /// - an event of any other kind ([`Written::Unsupported`]);
    /// - a slice whose process is not a number of 32 bits, or whose thread is not a number ([`Written::BadId`]);
    /// - an event with a time before 0 ([`Written::BadTime`]).
    ///
    /// These parts of a slice are lost:
    ///
    /// - an argument that is null, a truth value, a map, or a list of other lists, of values of several types, or of
    ///   more than 65535 values ([`LostParts::ARGUMENTS`]);
    /// - the bytes of a text behind the first 65535 ([`LostParts::TEXT`]).
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::BufferFull`] if there is no room. Nothing was written then.
    pub fn write_event(&mut self, event: &Event<'_>, counter: u32) -> Result<Written, FormatError> {
        match event {
            Event::Complete(slice, duration) => self.slice(slice, *duration, counter),
            Event::Clock(Clock { unit: Unit::Nanoseconds(1.0), epoch_ns, .. }) => {
                match epoch_ns.map(u64::try_from) {
                    None => Ok(Written::Done),
                    Some(Ok(epoch)) => self.epoch(epoch).map(|()| Written::Done),
                    Some(Err(_)) => Ok(Written::BadTime),
                }
            }
            Event::Meta(MetaEvent { thread: None, key, value: Value::Bytes(value), .. }) => {
                self.metadata_text(*key, value)
            }
            Event::Conventions(conventions) => {
                self.unsigned_ids = conventions.unsigned_ids;
                Ok(Written::Done)
            }
            Event::Diagnostic(_) => Ok(Written::Done),
            _ => Ok(Written::Unsupported),
        }
    }

    /// Writes a slice of any format as an event with attributes.
    fn slice(
        &mut self,
        slice: &ThreadEvent<'_>,
        duration: Ticks,
        counter: u32,
    ) -> Result<Written, FormatError> {
        let stream = match slice.thread.pid {
            Id::Number(number) => u32::try_from(number).ok(),
            Id::Text(_) => None,
        };
        // A negative id stands for a large substream only if the ids of the source are unsigned.
        let substream = substream_of(slice.thread.tid)
            .filter(|&substream| self.unsigned_ids || i64::try_from(substream).is_ok());
        let (Some(stream), Some(substream)) = (stream, substream) else { return Ok(Written::BadId) };
        let start = u64::try_from(slice.at.0).ok();
        let end = slice.at.0.checked_add(duration.0).and_then(|end| u64::try_from(end).ok());
        let (Some(start), Some(end)) = (start, end) else { return Ok(Written::BadTime) };
        let category =
            (!slice.category.is_empty()).then_some((Text::plain(b"category"), Value::Text(slice.category)));
        let attributes = category.into_iter().chain(slice.args.iter());
        self.event_text(Origin { stream, counter, substream }, start..end, slice.name, attributes)
    }

    /// Writes a packet by `write`, which returns the parts that it left out, and then its size. Takes it back if that
    /// fails.
    fn packet(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<LostParts, FormatError>,
    ) -> Result<Written, FormatError> {
        let start = self.len;
        let lost = write(self).inspect_err(|_| self.len = start)?;
        let Ok(size) = u32::try_from(self.len - start) else {
            self.len = start;
            return Ok(Written::Unsupported);
        };
        self.patch(start + 4, &size.to_be_bytes());
        Ok(Written::without(lost))
    }

    /// Adds an attribute to the packet at the end, as far as the format can hold it.
    fn attribute(&mut self, name: Text<'_>, value: Value<'_>) -> Result<LostParts, FormatError> {
        let start = self.len;
        let lost = self.counted_text(name)?;
        let written = match value {
            // A list of a Heph trace has the right encoding already.
            Value::List(list) if core::ptr::eq(list.format(), &ARRAY) => {
                self.put(list.bytes()).map(|()| Some(LostParts::NONE))
            }
            Value::List(list) => self.array(list),
            scalar => match scalar_type(scalar) {
                Some(kind) => self.put(&[kind]).and_then(|()| self.scalar(scalar)).map(Some),
                None => Ok(None),
            },
        };
        Ok(match written? {
            Some(more) => lost.with(more),
            // The name was written before the value turned out to have no form, so both are taken back.
            None => {
                self.len = start;
                LostParts::ARGUMENTS
            }
        })
    }

    /// Writes type, count and values of an array. An empty array is one of unsigned integers. Returns `None` if the
    /// format has no form for it.
    fn array(&mut self, list: Args<'_>) -> Result<Option<LostParts>, FormatError> {
        let head = self.len;
        // Type and count are known after the last value, so their place is kept free until then.
        let (mut kind, mut count, mut lost) = (value_type::U64, 0_u16, LostParts::NONE);
        self.put(&[0; 3])?;
        for (_, value) in list {
            let this = scalar_type(value).filter(|&this| count == 0 || this == kind);
            let (Some(this), Some(more)) = (this, count.checked_add(1)) else { return Ok(None) };
            (kind, count) = (this, more);
            lost = lost.with(self.scalar(value)?);
        }
        let [high, low] = count.to_be_bytes();
        self.patch(head, &[kind | value_type::ARRAY, high, low]);
        Ok(Some(lost))
    }

    /// Writes a value without its type, which [`scalar_type`] has found.
    fn scalar(&mut self, value: Value<'_>) -> Result<LostParts, FormatError> {
        let number = match value {
            Value::U64(number) => number.to_be_bytes(),
            Value::I64(number) => number.to_be_bytes(),
            Value::F64(number) => number.to_be_bytes(),
            Value::Text(text) => return self.counted_text(text),
            Value::Bytes(bytes) => return self.counted_text(Text::plain(bytes)),
            _ => return Ok(LostParts::ARGUMENTS),
        };
        self.put(&number).map(|()| LostParts::NONE)
    }

    /// Writes a text with its length in front, cut if it is too long.
    fn counted_text(&mut self, text: Text<'_>) -> Result<LostParts, FormatError> {
        let (length, lost) = clipped_len(text);
        self.put(&length.to_be_bytes())?;
        self.clipped_text(text, length)?;
        Ok(lost)
    }

    /// Writes the first `length` bytes of `text`.
    fn clipped_text(&mut self, text: Text<'_>, length: u16) -> Result<(), FormatError> {
        let mut left = usize::from(length);
        for piece in text.pieces() {
            let mut memory = [0; 4];
            let bytes = piece.bytes(&mut memory);
            let bytes = bytes.get(..left).unwrap_or(bytes);
            left -= bytes.len();
            self.put(bytes)?;
        }
        Ok(())
    }

    /// Appends bytes to the packet, or fails if there is no room for all of them.
    fn put(&mut self, bytes: &[u8]) -> Result<(), FormatError> {
        let free = self.buffer.get_mut(self.len..).unwrap_or_default();
        let Some(target) = free.get_mut(..bytes.len()) else {
            let written = u64::try_from(self.len).unwrap_or(u64::MAX);
            return Err(FormatError::new(FormatErrorKind::BufferFull, written));
        };
        target.copy_from_slice(bytes);
        self.len += bytes.len();
        Ok(())
    }

    /// Overwrites bytes that were written before.
    fn patch(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.buffer.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
}

/// Returns the fixed part of an event packet, whose size is filled in afterwards.
fn event_head(origin: Origin, time: Range<u64>, description_len: u16) -> EventHead {
    EventHead {
        packet: PacketHead { magic: EVENT_MAGIC.into(), size: 0.into() },
        stream: origin.stream.into(),
        counter: origin.counter.into(),
        substream: origin.substream.into(),
        start: time.start.into(),
        end: time.end.into(),
        description_len: description_len.into(),
    }
}

/// Returns the fixed part of a metadata packet, whose size is filled in afterwards.
fn metadata_head(name_len: u16) -> MetadataHead {
    let packet = PacketHead { magic: METADATA_MAGIC.into(), size: 0.into() };
    MetadataHead { packet, name_len: name_len.into() }
}

/// Returns how many bytes of `text` the format can hold without cutting a character, and [`LostParts::TEXT`] if there are
/// more.
fn clipped_len(text: Text<'_>) -> (u16, LostParts) {
    let mut length = 0;
    for piece in text.pieces() {
        let mut memory = [0; 4];
        let bytes = piece.bytes(&mut memory);
        let room = MAX_TEXT - length;
        if bytes.len() > room {
            length += clip(bytes, room).len();
            return (u16::try_from(length).unwrap_or(u16::MAX), LostParts::TEXT);
        }
        length += bytes.len();
    }
    (u16::try_from(length).unwrap_or(u16::MAX), LostParts::NONE)
}

/// Returns the type of a value in the file, or `None` if the format has no such type.
fn scalar_type(value: Value<'_>) -> Option<u8> {
    match value {
        Value::U64(_) => Some(value_type::U64),
        Value::I64(_) => Some(value_type::I64),
        Value::F64(_) => Some(value_type::F64),
        Value::Text(_) | Value::Bytes(_) => Some(value_type::TEXT),
        _ => None,
    }
}
