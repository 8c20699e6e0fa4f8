//! Writes protocol buffers field by field.

use std::io::{self, BufWriter, Write};

use alloc::vec::Vec;
use prost::{Message, encoding::message::encode};

/// Writes the fields of a message one by one, so that the message is never in memory as a whole.
pub(super) struct Fields<W: Write> {
    out: BufWriter<W>,
    buffer: Vec<u8>,
}

impl<W: Write> Fields<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out: BufWriter::new(out), buffer: Vec::new() }
    }

    /// Writes a field that is a message.
    pub(super) fn field(&mut self, number: u32, message: &impl Message) -> io::Result<()> {
        self.buffer.clear();
        encode(number, message, &mut self.buffer);
        self.out.write_all(&self.buffer)
    }

    /// Writes a field that is a string.
    #[cfg(feature = "pprof")]
    pub(super) fn string(&mut self, number: u32, text: &alloc::string::String) -> io::Result<()> {
        self.buffer.clear();
        prost::encoding::string::encode(number, text, &mut self.buffer);
        self.out.write_all(&self.buffer)
    }

    /// Writes the fields of a message as fields of this one.
    #[cfg(feature = "pprof")]
    pub(super) fn merge(&mut self, message: &impl Message) -> io::Result<()> {
        self.out.write_all(&message.encode_to_vec())
    }

    /// Writes what is still in memory.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
