//! Writes packets into a buffer of the caller. \[heph B.1\]

use core::ops::Range;

use spall_model::{Args, Clock, Event, Id, MetaEvent, Text, ThreadEvent, Ticks, Unit, Value};
use zerocopy::IntoBytes;

use super::attribute::{ARRAY, ATTRIBUTES};
use super::wire::{EVENT_MAGIC, EventHead, METADATA_MAGIC, MetadataHead, PacketHead, value_type};
use super::{Metadata, substream_of};
use crate::{FormatError, FormatErrorKind};

/// Where an event belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// Stream: one writer, such as a worker thread.
    pub stream: u32,
    /// Number of the packet in its stream: from 0, then one more for each event, wrapping.
    pub counter: u32,
    /// Substream: what the writer worked for, such as an actor.
    pub substream: u64,
}

/// Writes Heph packets into a buffer. Allocates nothing, so a profiler can run it anywhere.
///
/// Every call writes one whole packet or, if it fails, nothing. When the buffer is full
/// ([`FormatErrorKind::BufferFull`]), hand [`Writer::bytes`] on, [`Writer::clear`] and write the packet again.
#[derive(Debug)]
pub struct Writer<'b> {
    buffer: &'b mut [u8],
    len: usize,
    unsigned_ids: bool,
}

impl<'b> Writer<'b> {
    /// A writer into `buffer`, from its start.
    #[must_use]
    pub fn new(buffer: &'b mut [u8]) -> Self {
        Self { buffer, len: 0, unsigned_ids: false }
    }

    /// The packets written so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or_default()
    }

    /// Forgets what was written, to use the buffer again.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Writes the Unix time of time 0 in nanoseconds. Readers expect it once, before all events.
    ///
    /// # Errors
    /// [`FormatErrorKind::BufferFull`].
    pub fn epoch(&mut self, unix_ns: u64) -> Result<(), FormatError> {
        self.metadata(Metadata::EPOCH, &unix_ns.to_be_bytes())
    }

    /// Writes an option of the whole trace.
    ///
    /// # Errors
    /// [`FormatErrorKind::BufferFull`], and [`FormatErrorKind::TooLong`] for a name over 65535 bytes.
    pub fn metadata(&mut self, name: impl AsRef<[u8]>, value: &[u8]) -> Result<(), FormatError> {
        self.metadata_text(Text::plain(name.as_ref()), value)
    }

    fn metadata_text(&mut self, name: Text<'_>, value: &[u8]) -> Result<(), FormatError> {
        self.packet(|writer| {
            let packet = PacketHead { magic: METADATA_MAGIC.into(), size: 0.into() };
            let head = MetadataHead { packet, name_len: writer.text_len(name)?.into() };
            writer.put(head.as_bytes())?;
            writer.text(name)?;
            writer.put(value)
        })
    }

    /// Writes an event without attributes; the result adds them.
    ///
    /// `time` is in nanoseconds since the epoch. Write an event when it has ended, and its children before it: equal
    /// bounds are nested by that order. \[heph B.4\]
    ///
    /// # Errors
    /// [`FormatErrorKind::BufferFull`], and [`FormatErrorKind::TooLong`] for a description over 65535 bytes.
    pub fn event(
        &mut self,
        place: Place,
        time: Range<u64>,
        description: impl AsRef<[u8]>,
    ) -> Result<EventWriter<'_, 'b>, FormatError> {
        self.event_text(place, time, Text::plain(description.as_ref()))
    }

    fn event_text(
        &mut self,
        place: Place,
        time: Range<u64>,
        description: Text<'_>,
    ) -> Result<EventWriter<'_, 'b>, FormatError> {
        let start = self.len;
        self.packet(|writer| {
            let head = EventHead {
                packet: PacketHead { magic: EVENT_MAGIC.into(), size: 0.into() },
                stream: place.stream.into(),
                counter: place.counter.into(),
                substream: place.substream.into(),
                start: time.start.into(),
                end: time.end.into(),
                description_len: writer.text_len(description)?.into(),
            };
            writer.put(head.as_bytes())?;
            writer.text(description)
        })?;
        Ok(EventWriter { writer: self, start })
    }

    /// Writes an event of another format, as far as Heph has something for it.
    ///
    /// Slices with both ends and whole-file metadata of bytes are written, and the epoch of a nanosecond clock; a
    /// category becomes an attribute `category`. Diagnostics are left out. [`Event::Conventions`] says whether negative
    /// ids are to be taken for large ones from there on. The caller counts the packets of each stream; `counter` is
    /// used for slices alone.
    ///
    /// # Errors
    /// [`FormatErrorKind::NotRepresentable`] for every other kind of event, for times and ids before 0, for streams that
    /// are no 32-bit number, and for arguments that are null, truth values, maps, or lists of more than one type; and
    /// what [`Writer::event`] has.
    pub fn write(&mut self, event: &Event<'_>, counter: u32) -> Result<(), FormatError> {
        match event {
            Event::Complete(slice, length) => self.slice(slice, *length, counter),
            Event::Clock(Clock { unit: Unit::Nanoseconds(1.0), epoch_ns, .. }) => {
                match epoch_ns.map(u64::try_from) {
                    None => Ok(()),
                    Some(Ok(epoch)) => self.epoch(epoch),
                    Some(Err(_)) => Err(self.not_representable()),
                }
            }
            Event::Meta(MetaEvent { thread: None, key, value: Value::Bytes(value) }) => {
                self.metadata_text(*key, value)
            }
            Event::Conventions(conventions) => {
                self.set_unsigned_ids(conventions.unsigned_ids);
                Ok(())
            }
            Event::Diagnostic(_) => Ok(()),
            _ => Err(self.not_representable()),
        }
    }

    fn slice(&mut self, slice: &ThreadEvent<'_>, length: Ticks, counter: u32) -> Result<(), FormatError> {
        let stream = match slice.thread.pid {
            Id::Number(number) => u32::try_from(number).ok(),
            Id::Text(_) => None,
        };
        let substream = substream_of(slice.thread.tid)
            .filter(|&substream| self.unsigned_ids || i64::try_from(substream).is_ok());
        let start = u64::try_from(slice.at.0).ok();
        let end = slice.at.0.checked_add(length.0).and_then(|end| u64::try_from(end).ok());
        let (Some(stream), Some(substream), Some(start), Some(end)) = (stream, substream, start, end) else {
            return Err(self.not_representable());
        };
        let mut event = self.event_text(Place { stream, counter, substream }, start..end, slice.name)?;
        if !slice.category.is_empty() {
            event = event.typed(Text::plain(b"category"), Value::Text(slice.category))?;
        }
        event.args(slice.args)
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

    fn text_len(&self, text: Text<'_>) -> Result<u16, FormatError> {
        let len: usize = text.pieces().map(|piece| piece.bytes(&mut [0; 4]).len()).sum();
        u16::try_from(len).map_err(|_| self.error(FormatErrorKind::TooLong))
    }

    fn counted_text(&mut self, text: Text<'_>) -> Result<(), FormatError> {
        let len = self.text_len(text)?;
        self.put(&len.to_be_bytes())?;
        self.text(text)
    }

    /// Writes a packet whose size is filled in afterwards; takes it back if that fails.
    fn packet(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let start = self.len;
        write(self).and_then(|()| self.set_size(start)).inspect_err(|_| self.len = start)
    }

    /// Makes everything from `start` on one packet.
    fn set_size(&mut self, start: usize) -> Result<(), FormatError> {
        let size = u32::try_from(self.len - start).map_err(|_| self.error(FormatErrorKind::TooLong))?;
        if let Some(field) = self.buffer.get_mut(start + 4..start + 8) {
            field.copy_from_slice(&size.to_be_bytes());
        }
        Ok(())
    }
}

/// An event that was written, to add attributes to.
///
/// If adding one fails, the whole event is taken back.
#[derive(Debug)]
pub struct EventWriter<'w, 'b> {
    writer: &'w mut Writer<'b>,
    start: usize,
}

impl EventWriter<'_, '_> {
    /// Adds an attribute. Names may repeat. Bytes are written as text; a list must hold values of one type.
    ///
    /// # Errors
    /// [`FormatErrorKind::BufferFull`]; [`FormatErrorKind::TooLong`] for more than 65535 bytes of text or elements;
    /// [`FormatErrorKind::NotRepresentable`] for null, truth values, maps, nested and mixed lists.
    pub fn attribute(self, name: impl AsRef<[u8]>, value: Value<'_>) -> Result<Self, FormatError> {
        self.typed(Text::plain(name.as_ref()), value)
    }

    /// Adds an array of values of one type.
    ///
    /// # Errors
    /// As [`EventWriter::attribute`].
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

    fn typed(self, name: Text<'_>, value: Value<'_>) -> Result<Self, FormatError> {
        self.extend(|writer| {
            writer.counted_text(name)?;
            match value {
                Value::List(list) if core::ptr::eq(list.format(), &ARRAY) => writer.put(list.bytes()),
                Value::List(list) => put_array(writer, list.iter().map(|(_, value)| value)),
                scalar => {
                    let kind = scalar_type(scalar).ok_or_else(|| writer.not_representable())?;
                    writer.put(&[kind])?;
                    put_scalar(writer, scalar)
                }
            }
        })
    }

    fn args(self, args: Args<'_>) -> Result<(), FormatError> {
        if core::ptr::eq(args.format(), &ATTRIBUTES) {
            return self.extend(|writer| writer.put(args.bytes())).map(drop);
        }
        args.iter().try_fold(self, |event, (name, value)| event.typed(name, value)).map(drop)
    }

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

fn scalar_type(value: Value<'_>) -> Option<u8> {
    match value {
        Value::U64(_) => Some(value_type::U64),
        Value::I64(_) => Some(value_type::I64),
        Value::F64(_) => Some(value_type::F64),
        Value::Text(_) | Value::Bytes(_) => Some(value_type::TEXT),
        _ => None,
    }
}

fn put_scalar(writer: &mut Writer<'_>, value: Value<'_>) -> Result<(), FormatError> {
    match value {
        Value::U64(number) => writer.put(&number.to_be_bytes()),
        Value::I64(number) => writer.put(&number.to_be_bytes()),
        Value::F64(number) => writer.put(&number.to_be_bytes()),
        Value::Text(text) => writer.counted_text(text),
        Value::Bytes(bytes) => writer.counted_text(Text::plain(bytes)),
        _ => Err(writer.not_representable()),
    }
}

/// Writes type, count and values. An empty array is one of unsigned integers.
fn put_array<'v>(
    writer: &mut Writer<'_>,
    values: impl Iterator<Item = Value<'v>>,
) -> Result<(), FormatError> {
    let head = writer.len;
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
