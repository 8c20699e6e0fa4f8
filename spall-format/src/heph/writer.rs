//! The writer of packets into a buffer of the caller. [heph B.1](crate::rules::heph#B.1)

use core::fmt::{self, Write as _};
use core::ops::Range;

use spall_model::{
    Clock, Event, Id, LazyText, LostParts, MetaEvent, Text, ThreadEvent, Ticks, Unit, Value, Written,
};
use zerocopy::IntoBytes;

use super::attribute::{ARRAY, ATTRIBUTES};
use super::wire::{EVENT_MAGIC, EventHead, METADATA_MAGIC, MetadataHead, PacketHead, value_type};
use super::{Metadata, substream_of};
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
/// Every call writes one whole packet or, if it fails, nothing. When the buffer is full
/// ([`FormatErrorKind::BufferFull`]), store [`Writer::bytes`], call [`Writer::clear`], and write the packet again.
///
/// [`Writer::write_event`] takes an event of any format and leaves out the parts that Heph cannot hold. The other
/// methods are strict: they return an error for such a part.
///
/// Texts are meant to be UTF-8, which is not checked. Readers may take a packet with another text for one that was cut
/// short. [heph B.6](crate::rules::heph#B.6.4)
///
/// ```
/// use spall_format::heph::{Origin, Writer};
/// use spall_model::Value;
///
/// let mut memory = [0; 4096];
/// let mut writer = Writer::new(&mut memory);
/// writer.epoch(1_700_000_000_000_000_000)?;
/// let origin = Origin { stream: 1, counter: 0, substream: 7 };
/// writer
///     .event(origin, 100..250, "load")?
///     .attribute("path", Value::Bytes(b"/etc/hosts"))?
///     .array("sizes", [Value::U64(1), Value::U64(2)])?;
/// assert_eq!(writer.bytes().len(), 23 + 91);
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
        self.metadata(Metadata::EPOCH, &unix_ns.to_be_bytes())
    }

    /// Writes an option of the whole trace.
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::BufferFull`] if there is no room, and [`FormatErrorKind::TooLong`] for a name of
    /// more than 65535 bytes.
    pub fn metadata(&mut self, name: impl AsRef<[u8]>, value: &[u8]) -> Result<(), FormatError> {
        self.metadata_text(Text::plain(name.as_ref()), value)
    }

    /// Writes an option whose name may contain escapes.
    fn metadata_text(&mut self, name: Text<'_>, value: &[u8]) -> Result<(), FormatError> {
        self.packet(|writer| {
            let name_len = writer.text_len(name)?;
            writer.put(metadata_head(name_len).as_bytes())?;
            writer.text(name)?;
            writer.put(value)
        })
    }

    /// Writes an event without attributes, and returns a writer that can add some.
    ///
    /// `time` is in nanoseconds since the epoch. Write an event when it has ended, and its children before it: readers
    /// nest events with equal bounds by that order. [heph B.4](crate::rules::heph#B.4)
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::BufferFull`] if there is no room, and [`FormatErrorKind::TooLong`] for a
    /// description of more than 65535 bytes.
    pub fn event(
        &mut self,
        origin: Origin,
        time: Range<u64>,
        description: impl AsRef<[u8]>,
    ) -> Result<EventWriter<'_, 'b>, FormatError> {
        self.event_text(origin, time, Text::plain(description.as_ref()))
    }

    /// Writes an event without attributes, whose description may contain escapes.
    fn event_text(
        &mut self,
        origin: Origin,
        time: Range<u64>,
        description: Text<'_>,
    ) -> Result<EventWriter<'_, 'b>, FormatError> {
        let start = self.len;
        self.packet(|writer| {
            let description_len = writer.text_len(description)?;
            writer.put(event_head(origin, time, description_len).as_bytes())?;
            writer.text(description)
        })?;
        Ok(EventWriter { writer: self, start })
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
    /// - an argument that is null, a truth value, a map, or a list of values of several types or of more than 65535
    ///   elements ([`LostParts::ARGUMENTS`]);
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
                self.lossy_metadata(*key, value)
            }
            Event::Conventions(conventions) => {
                self.set_unsigned_ids(conventions.unsigned_ids);
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
        self.lossy_event(Origin { stream, counter, substream }, start..end, slice.name, |writer| {
            let mut lost = LostParts::NONE;
            if !slice.category.is_empty() {
                let category = Value::Text(slice.category);
                lost = lost.with(writer.lossy_attribute(Text::plain(b"category"), category)?);
            }
            // Attributes that were read from a Heph trace are copied: they have the right encoding already.
            if core::ptr::eq(slice.args.format(), &ATTRIBUTES) {
                writer.put(slice.args.bytes())?;
                return Ok(lost);
            }
            slice
                .args
                .iter()
                .try_fold(lost, |lost, (name, value)| Ok(lost.with(writer.lossy_attribute(name, value)?)))
        })
    }

    /// Writes an event with whatever `attributes` writes of its attributes. Fails only if the buffer is full.
    pub(super) fn lossy_event(
        &mut self,
        origin: Origin,
        time: Range<u64>,
        description: Text<'_>,
        attributes: impl FnOnce(&mut Self) -> Result<LostParts, FormatError>,
    ) -> Result<Written, FormatError> {
        self.lossy_packet(|writer| {
            let (description_len, lost) = clipped_len(description);
            writer.put(event_head(origin, time, description_len).as_bytes())?;
            writer.clipped_text(description, description_len)?;
            Ok(lost.with(attributes(writer)?))
        })
    }

    /// Writes an option of the whole trace, its name cut if it is too long. Fails only if the buffer is full.
    pub(super) fn lossy_metadata(&mut self, name: Text<'_>, value: &[u8]) -> Result<Written, FormatError> {
        self.lossy_packet(|writer| {
            let (name_len, lost) = clipped_len(name);
            writer.put(metadata_head(name_len).as_bytes())?;
            writer.clipped_text(name, name_len)?;
            writer.put(value)?;
            Ok(lost)
        })
    }

    /// Adds an attribute to the packet at the end, as far as the format can hold it. Fails only if the buffer is full.
    pub(super) fn lossy_attribute(
        &mut self,
        name: Text<'_>,
        value: Value<'_>,
    ) -> Result<LostParts, FormatError> {
        let start = self.len;
        let written = self.lossy_counted_text(name).and_then(|lost| {
            let text = match value {
                Value::Text(text) => text,
                Value::Bytes(bytes) => Text::plain(bytes),
                other => return put_value(self, other).map(|()| lost),
            };
            self.put(&[value_type::TEXT])?;
            Ok(lost.with(self.lossy_counted_text(text)?))
        });
        match written {
            // The name was written before the value turned out to have no form, so both are taken back.
            Err(error) if error.kind() != FormatErrorKind::BufferFull => {
                self.len = start;
                Ok(LostParts::ARGUMENTS)
            }
            written => written,
        }
    }

    /// Writes a packet by `write`, which returns the parts that it left out. Fails only if the buffer is full.
    fn lossy_packet(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<LostParts, FormatError>,
    ) -> Result<Written, FormatError> {
        let mut lost = LostParts::NONE;
        let written = self.packet(|writer| {
            lost = write(writer)?;
            Ok(())
        });
        match written {
            Ok(()) => Ok(Written::without(lost)),
            // Only a packet of more than 4 GiB gets here: everything else was cut or left out.
            Err(error) if error.kind() != FormatErrorKind::BufferFull => Ok(Written::Unsupported),
            Err(error) => Err(error),
        }
    }

    fn lossy_counted_text(&mut self, text: Text<'_>) -> Result<LostParts, FormatError> {
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

    pub(super) fn set_unsigned_ids(&mut self, unsigned: bool) {
        self.unsigned_ids = unsigned;
    }

    fn error(&self, kind: FormatErrorKind) -> FormatError {
        FormatError::new(kind, u64::try_from(self.len).unwrap_or(u64::MAX))
    }

    fn not_representable(&self) -> FormatError {
        self.error(FormatErrorKind::NotRepresentable)
    }

    /// Appends bytes to the packet, or fails if there is no room for all of them.
    fn put(&mut self, bytes: &[u8]) -> Result<(), FormatError> {
        let free = self.buffer.get_mut(self.len..).unwrap_or_default();
        let Some(target) = free.get_mut(..bytes.len()) else {
            return Err(self.error(FormatErrorKind::BufferFull));
        };
        target.copy_from_slice(bytes);
        self.len += bytes.len();
        Ok(())
    }

    fn text(&mut self, text: Text<'_>) -> Result<(), FormatError> {
        text.pieces().try_for_each(|piece| self.put(piece.bytes(&mut [0; 4])))
    }

    /// Returns the length of a text after decoding its escapes. It stands in front of the text, so it is needed first.
    fn text_len(&self, text: Text<'_>) -> Result<u16, FormatError> {
        let len: usize = text.pieces().map(|piece| piece.bytes(&mut [0; 4]).len()).sum();
        u16::try_from(len).map_err(|_| self.error(FormatErrorKind::TooLong))
    }

    fn counted_text(&mut self, text: Text<'_>) -> Result<(), FormatError> {
        let len = self.text_len(text)?;
        self.put(&len.to_be_bytes())?;
        self.text(text)
    }

    fn counted_lazy_text(&mut self, text: LazyText<'_>) -> Result<(), FormatError> {
        let len = u16::try_from(text.len()).map_err(|_| self.error(FormatErrorKind::TooLong))?;
        self.put(&len.to_be_bytes())?;
        let mut out = Printed { writer: self, result: Ok(()) };
        // The receiver keeps the error.
        let _ = write!(out, "{text}");
        out.result
    }

    /// Writes a packet by `write`, and then its size. Takes it back if that fails.
    fn packet(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let start = self.len;
        write(self).and_then(|()| self.set_size(start)).inspect_err(|_| self.len = start)
    }

    /// Writes the size of the packet that reaches from `start` to the end.
    fn set_size(&mut self, start: usize) -> Result<(), FormatError> {
        let size = u32::try_from(self.len - start).map_err(|_| self.error(FormatErrorKind::TooLong))?;
        if let Some(field) = self.buffer.get_mut(start + 4..start + 8) {
            field.copy_from_slice(&size.to_be_bytes());
        }
        Ok(())
    }
}

/// A receiver of text that writes it, and keeps the error that ends this.
struct Printed<'w, 'b> {
    writer: &'w mut Writer<'b>,
    result: Result<(), FormatError>,
}

impl fmt::Write for Printed<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.result = self.writer.put(text.as_bytes());
        self.result.map_err(|_| fmt::Error)
    }
}

/// A writer of the attributes of an event that was just written, from [`Writer::event`].
///
/// If adding an attribute fails, the whole event is taken back.
#[derive(Debug)]
pub struct EventWriter<'w, 'b> {
    writer: &'w mut Writer<'b>,
    start: usize,
}

impl EventWriter<'_, '_> {
    /// Adds an attribute. Names may repeat. Bytes are written as text. The values of a list must have one type.
    ///
    /// # Errors
    /// This returns [`FormatErrorKind::BufferFull`] if there is no room, and [`FormatErrorKind::TooLong`] for a text
    /// of more than 65535 bytes or a list of more than 65535 elements. It returns
    /// [`FormatErrorKind::NotRepresentable`] for null, truth values, maps, and lists that are nested or hold values
    /// of several types.
    pub fn attribute(self, name: impl AsRef<[u8]>, value: Value<'_>) -> Result<Self, FormatError> {
        let name = Text::plain(name.as_ref());
        self.extend(|writer| {
            writer.counted_text(name)?;
            put_value(writer, value)
        })
    }

    /// Adds an attribute that is an array of values of one type. It may be empty.
    ///
    /// # Errors
    /// This returns the errors of [`EventWriter::attribute`].
    pub fn array<'v>(
        self,
        name: impl AsRef<[u8]>,
        values: impl IntoIterator<Item = Value<'v>>,
    ) -> Result<Self, FormatError> {
        let name = Text::plain(name.as_ref());
        self.extend(|writer| {
            writer.counted_text(name)?;
            put_array(writer, values.into_iter())
        })
    }

    /// Appends to the event. The size of the packet is written anew each time, so that the packet is always whole.
    fn extend(
        self,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), FormatError>,
    ) -> Result<Self, FormatError> {
        match write(self.writer).and_then(|()| self.writer.set_size(self.start)) {
            Ok(()) => Ok(self),
            Err(error) => {
                self.writer.len = self.start;
                Err(error)
            }
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

/// Writes the type and the value of an attribute.
fn put_value(writer: &mut Writer<'_>, value: Value<'_>) -> Result<(), FormatError> {
    match value {
        Value::List(list) if core::ptr::eq(list.format(), &ARRAY) => writer.put(list.bytes()),
        Value::List(list) => put_array(writer, list.iter().map(|(_, value)| value)),
        scalar => {
            let kind = scalar_type(scalar).ok_or_else(|| writer.not_representable())?;
            writer.put(&[kind])?;
            put_scalar(writer, scalar)
        }
    }
}

/// Returns the type of a value in the file, or `None` if the format has no such type.
fn scalar_type(value: Value<'_>) -> Option<u8> {
    match value {
        Value::U64(_) => Some(value_type::U64),
        Value::I64(_) => Some(value_type::I64),
        Value::F64(_) => Some(value_type::F64),
        Value::Text(_) | Value::LazyText(_) | Value::Bytes(_) => Some(value_type::TEXT),
        _ => None,
    }
}

/// Writes a value without its type.
fn put_scalar(writer: &mut Writer<'_>, value: Value<'_>) -> Result<(), FormatError> {
    match value {
        Value::U64(number) => writer.put(&number.to_be_bytes()),
        Value::I64(number) => writer.put(&number.to_be_bytes()),
        Value::F64(number) => writer.put(&number.to_be_bytes()),
        Value::Text(text) => writer.counted_text(text),
        Value::LazyText(text) => writer.counted_lazy_text(text),
        Value::Bytes(bytes) => writer.counted_text(Text::plain(bytes)),
        _ => Err(writer.not_representable()),
    }
}

/// Writes type, count and values of an array. An empty array is one of unsigned integers.
fn put_array<'v>(
    writer: &mut Writer<'_>,
    values: impl Iterator<Item = Value<'v>>,
) -> Result<(), FormatError> {
    let head = writer.len;
    // Type and count are known after the last value, so their place is kept free until then.
    let (mut kind, mut count) = (value_type::U64, 0_u16);
    writer.put(&[0; 3])?;
    for value in values {
        let this = scalar_type(value).filter(|&this| count == 0 || this == kind);
        kind = this.ok_or_else(|| writer.not_representable())?;
        count = count.checked_add(1).ok_or_else(|| writer.error(FormatErrorKind::TooLong))?;
        put_scalar(writer, value)?;
    }
    let [high, low] = count.to_be_bytes();
    if let Some(field) = writer.buffer.get_mut(head..head + 3) {
        field.copy_from_slice(&[kind | value_type::ARRAY, high, low]);
    }
    Ok(())
}
