//! Writes protocol buffers field by field.
//!
//! Each field has a number. Its value is a varint, eight bytes, or a length and as many bytes, which are a text, a message or
//! several numbers. A field that is left out has its default value.

use std::io::{self, BufWriter, Write};

use alloc::vec::Vec;

/// The ways in which values are written, as the format numbers them.
const VARINT: u32 = 0;
#[cfg(feature = "perfetto")]
const EIGHT_BYTES: u32 = 1;
const BYTES: u32 = 2;

/// The fields of a message, one after the other.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<u8>);

impl Fields {
    /// Adds a number without a sign.
    pub(super) fn uint(&mut self, field: u32, number: u64) {
        self.key(field, VARINT);
        self.varint(number);
    }

    /// Adds a number with a sign. Negative ones take ten bytes.
    pub(super) fn int(&mut self, field: u32, number: i64) {
        self.uint(field, number.cast_unsigned());
    }

    /// Adds a floating-point number.
    #[cfg(feature = "perfetto")]
    pub(super) fn double(&mut self, field: u32, number: f64) {
        self.fixed(field, number.to_bits());
    }

    /// Adds a number of eight bytes.
    #[cfg(feature = "perfetto")]
    pub(super) fn fixed(&mut self, field: u32, number: u64) {
        self.key(field, EIGHT_BYTES);
        self.0.extend(number.to_le_bytes());
    }

    /// Adds a text.
    pub(super) fn text(&mut self, field: u32, text: &str) {
        self.message(field, |fields| fields.0.extend_from_slice(text.as_bytes()));
    }

    /// Adds a message with the fields that `add` adds.
    pub(super) fn message(&mut self, field: u32, add: impl FnOnce(&mut Self)) {
        self.key(field, BYTES);
        let start = self.0.len();
        add(self);
        let length = self.0.len() - start;
        // The length stands before the message, but is known only behind it.
        self.varint(length as u64);
        if let Some(written) = self.0.get_mut(start..) {
            written.rotate_left(length);
        }
    }

    /// Adds a message whose fields are known, or nothing if it has none.
    #[cfg(feature = "perfetto")]
    pub(super) fn merged(&mut self, field: u32, fields: &Self) {
        if !fields.0.is_empty() {
            self.message(field, |message| message.0.extend_from_slice(&fields.0));
        }
    }

    /// Adds several numbers without a sign.
    #[cfg(feature = "pprof")]
    pub(super) fn uints(&mut self, field: u32, numbers: impl Iterator<Item = u64>) {
        self.message(field, |fields| numbers.for_each(|number| fields.varint(number)));
    }

    /// Removes all fields.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn key(&mut self, field: u32, way: u32) {
        self.varint(u64::from(field << 3 | way));
    }

    /// Adds a number, seven bits in each byte. The highest bit says that more follow.
    fn varint(&mut self, mut number: u64) {
        loop {
            let [low, ..] = number.to_le_bytes();
            number >>= 7;
            self.0.push(if number == 0 { low } else { low | 0x80 });
            if number == 0 {
                return;
            }
        }
    }
}

/// Writes a message whose fields are never in memory all at once.
pub(super) struct MessageWriter<W: Write> {
    out: BufWriter<W>,
    /// Memory that is used again and again.
    fields: Fields,
}

impl<W: Write> MessageWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out: BufWriter::new(out), fields: Fields::default() }
    }

    /// Writes the fields that `add` adds.
    pub(super) fn write(&mut self, add: impl FnOnce(&mut Fields)) -> io::Result<()> {
        self.fields.clear();
        add(&mut self.fields);
        self.out.write_all(&self.fields.0)
    }

    /// Writes what is still in memory.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
