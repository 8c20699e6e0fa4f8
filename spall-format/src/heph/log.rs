//! Writes a Heph trace to a file or socket, numbering packets by itself.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;
use std::io;

use spall_model::{Event, Id, Value};

use super::{Place, Writer};
use crate::{FormatError, FormatErrorKind};

/// Packets are collected up to this size.
const BUFFER: usize = 64 << 10;

/// Writes a Heph trace to `W` and counts the packets of each stream.
///
/// Packets are collected and written 64 KiB at a time: call [`LogWriter::finish`], or the last ones are lost.
///
/// ```
/// use spall_format::heph::LogWriter;
/// use spall_model::Value;
/// let mut log = LogWriter::new(Vec::new());
/// log.epoch(1_700_000_000_000_000_000)?;
/// log.event(1, 0, 100..250, "load", &[("size", Value::U64(42))])?;
/// let bytes = log.finish()?;
/// assert_eq!(bytes.len(), 23 + 61);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LogWriter<W> {
    output: W,
    buffer: Vec<u8>,
    len: usize,
    counters: BTreeMap<u32, u32>,
    unsigned_ids: bool,
}

impl<W: io::Write> LogWriter<W> {
    /// A writer to `output`, from the start of a trace.
    pub fn new(output: W) -> Self {
        Self {
            output,
            buffer: alloc::vec![0; BUFFER],
            len: 0,
            counters: BTreeMap::new(),
            unsigned_ids: false,
        }
    }

    /// Writes the Unix time of time 0 in nanoseconds; do so once, first.
    ///
    /// # Errors
    /// What `W` has.
    pub fn epoch(&mut self, unix_ns: u64) -> io::Result<()> {
        self.packet(|writer| writer.epoch(unix_ns))
    }

    /// Writes an option of the whole trace.
    ///
    /// # Errors
    /// What `W` has; [`io::ErrorKind::InvalidInput`] with a [`FormatError`] if the name is too long.
    pub fn metadata(&mut self, name: impl AsRef<[u8]>, value: &[u8]) -> io::Result<()> {
        self.packet(|writer| writer.metadata(name.as_ref(), value))
    }

    /// Writes an event that has ended, after its children. `time` is in nanoseconds since the epoch.
    ///
    /// # Errors
    /// What `W` has; [`io::ErrorKind::InvalidInput`] with a [`FormatError`] for what [`Writer::event`] and
    /// [`EventWriter::attribute`](super::EventWriter::attribute) refuse.
    pub fn event(
        &mut self,
        stream: u32,
        substream: u64,
        time: Range<u64>,
        description: impl AsRef<[u8]>,
        attributes: &[(&str, Value<'_>)],
    ) -> io::Result<()> {
        self.numbered(stream, |writer, counter| {
            let place = Place { stream, counter, substream };
            let event = writer.event(place, time.clone(), description.as_ref())?;
            attributes.iter().try_fold(event, |event, (name, value)| event.attribute(name, *value)).map(drop)
        })
    }

    /// Writes an event of another format, as [`Writer::write`] does.
    ///
    /// # Errors
    /// What `W` has; [`io::ErrorKind::InvalidInput`] with a [`FormatError`] for what [`Writer::write`] refuses.
    pub fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Conventions(conventions) = event {
            self.unsigned_ids = conventions.unsigned_ids;
        }
        if let Event::Complete(slice, _) = event
            && let Id::Number(stream) = slice.thread.pid
            && let Ok(stream) = u32::try_from(stream)
        {
            return self.numbered(stream, |writer, counter| writer.write(event, counter));
        }
        self.packet(|writer| writer.write(event, 0))
    }

    /// Hands what was collected to the output, and flushes it.
    ///
    /// # Errors
    /// What `W` has. What it did not take is lost.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_out()?;
        self.output.flush()
    }

    /// Flushes and gives the output back.
    ///
    /// # Errors
    /// What `W` has.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.output)
    }

    fn numbered(
        &mut self,
        stream: u32,
        write: impl Fn(&mut Writer<'_>, u32) -> Result<(), FormatError>,
    ) -> io::Result<()> {
        let counter = self.counters.get(&stream).copied().unwrap_or(0);
        self.packet(|writer| write(writer, counter))?;
        self.counters.insert(stream, counter.wrapping_add(1));
        Ok(())
    }

    /// Writes one packet, making room for it.
    fn packet(&mut self, write: impl Fn(&mut Writer<'_>) -> Result<(), FormatError>) -> io::Result<()> {
        loop {
            let mut writer = Writer::new(self.buffer.get_mut(self.len..).unwrap_or_default());
            writer.set_unsigned_ids(self.unsigned_ids);
            match write(&mut writer) {
                Ok(()) => {
                    self.len += writer.bytes().len();
                    return Ok(());
                }
                Err(error) if error.kind() != FormatErrorKind::BufferFull => {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, error));
                }
                Err(_) if self.len > 0 => self.write_out()?,
                // One packet is larger than the buffer. It is in memory already, so this ends.
                Err(_) => self.buffer.resize(self.buffer.len() * 2, 0),
            }
        }
    }

    fn write_out(&mut self) -> io::Result<()> {
        let packets = self.buffer.get(..core::mem::take(&mut self.len)).unwrap_or_default();
        self.output.write_all(packets)
    }
}
