//! The writer of a Heph trace to a file or socket, which numbers packets by itself.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;
use std::io;

use spall_model::{Event, Id, LostParts, Text, Value, Written};

use super::{Origin, Writer};
use crate::{FormatError, FormatErrorKind};

/// The size in bytes of the buffer in which packets are collected.
const BUFFER: usize = 64 << 10;

/// A writer of a Heph trace to a file or socket `W`, which counts the packets of each stream.
///
/// Packets are collected and written 64 KiB at a time: call [`LogWriter::finish`], or the last ones are lost.
///
/// Parts that the format cannot hold are cut or left out, and the [`Written`] that a method returns says so. Errors
/// come from the output alone.
///
/// ```
/// use spall_format::heph::LogWriter;
/// use spall_model::{Value, Written};
///
/// let mut log = LogWriter::new(Vec::new());
/// log.epoch(1_700_000_000_000_000_000)?;
/// let written = log.event(1, 0, 100..250, "load", &[("size", Value::U64(42))])?;
/// assert_eq!(written, Written::Done);
/// let bytes = log.finish()?;
/// assert_eq!(bytes.len(), 23 + 61);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LogWriter<W> {
    output: W,
    buffer: Vec<u8>,
    /// How many bytes of `buffer` hold packets.
    len: usize,
    /// The number of the next packet of each stream.
    counters: BTreeMap<u32, u32>,
    unsigned_ids: bool,
}

impl<W: io::Write> LogWriter<W> {
    /// Creates a writer of a new trace to `output`.
    pub fn new(output: W) -> Self {
        Self {
            output,
            buffer: alloc::vec![0; BUFFER],
            len: 0,
            counters: BTreeMap::new(),
            unsigned_ids: false,
        }
    }

    /// Writes the Unix time of tick 0 in nanoseconds. Readers expect it once, before all events.
    ///
    /// # Errors
    /// This returns the errors of `W`.
    pub fn epoch(&mut self, unix_ns: u64) -> io::Result<()> {
        self.packet(|writer| writer.epoch(unix_ns))
    }

    /// Writes an option of the whole trace. A name is cut at 65535 bytes.
    ///
    /// # Errors
    /// This returns the errors of `W`.
    pub fn metadata(&mut self, name: impl AsRef<[u8]>, value: &[u8]) -> io::Result<Written> {
        self.packet(|writer| writer.lossy_metadata(Text::plain(name.as_ref()), value))
    }

    /// Writes an event that has ended. `time` is in nanoseconds since the epoch.
    ///
    /// Write the children of an event before it. `stream` and `substream` are those of [`Origin`]. Attributes are
    /// left out and texts are cut as by [`Writer::write_event`].
    ///
    /// # Errors
    /// This returns the errors of `W`.
    pub fn event(
        &mut self,
        stream: u32,
        substream: u64,
        time: Range<u64>,
        description: impl AsRef<[u8]>,
        attributes: &[(&str, Value<'_>)],
    ) -> io::Result<Written> {
        let description = Text::plain(description.as_ref());
        self.numbered(stream, |writer, counter| {
            let origin = Origin { stream, counter, substream };
            writer.lossy_event(origin, time.clone(), description, |writer| {
                attributes.iter().try_fold(LostParts::NONE, |lost, (name, value)| {
                    Ok(lost.with(writer.lossy_attribute(Text::plain(name.as_bytes()), *value)?))
                })
            })
        })
    }

    /// Writes an event of another format, as [`Writer::write_event`] does, and returns what is missing.
    ///
    /// # Errors
    /// This returns the errors of `W`.
    pub fn write_event(&mut self, event: &Event<'_>) -> io::Result<Written> {
        if let Event::Conventions(conventions) = event {
            self.unsigned_ids = conventions.unsigned_ids;
        }
        if let Event::Complete(slice, _) = event
            && let Id::Number(stream) = slice.thread.pid
            && let Ok(stream) = u32::try_from(stream)
        {
            return self.numbered(stream, |writer, counter| writer.write_event(event, counter));
        }
        self.packet(|writer| writer.write_event(event, 0))
    }

    /// Writes all packets that are still in memory, and flushes the output.
    ///
    /// # Errors
    /// This returns the errors of `W`. Bytes that it did not take are lost.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_out()?;
        self.output.flush()
    }

    /// Completes the trace and returns the output.
    ///
    /// # Errors
    /// This returns the errors of `W`.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.output)
    }

    /// Writes an event packet with the next number of its stream. An event that is left out takes no number, because
    /// readers would take a gap for a lost packet.
    fn numbered(
        &mut self,
        stream: u32,
        write: impl Fn(&mut Writer<'_>, u32) -> Result<Written, FormatError>,
    ) -> io::Result<Written> {
        let counter = self.counters.get(&stream).copied().unwrap_or(0);
        let written = self.packet(|writer| write(writer, counter))?;
        if written.is_in_file() {
            self.counters.insert(stream, counter.wrapping_add(1));
        }
        Ok(written)
    }

    /// Writes one packet. If the buffer has no room for it, this writes the buffer out first, and then lets it grow.
    fn packet<T>(&mut self, write: impl Fn(&mut Writer<'_>) -> Result<T, FormatError>) -> io::Result<T> {
        loop {
            let mut writer = Writer::new(self.buffer.get_mut(self.len..).unwrap_or_default());
            writer.set_unsigned_ids(self.unsigned_ids);
            match write(&mut writer) {
                Ok(written) => {
                    self.len += writer.bytes().len();
                    return Ok(written);
                }
                Err(error) if error.kind() != FormatErrorKind::BufferFull => {
                    return Err(io::Error::other(error));
                }
                Err(_) if self.len > 0 => self.write_out()?,
                // One packet is larger than the buffer. Its parts are in memory already, so the buffer grows to a
                // small multiple of them at most.
                Err(_) => self.buffer.resize(self.buffer.len() * 2, 0),
            }
        }
    }

    fn write_out(&mut self) -> io::Result<()> {
        let packets = self.buffer.get(..core::mem::take(&mut self.len)).unwrap_or_default();
        self.output.write_all(packets)
    }
}
