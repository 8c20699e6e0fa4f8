//! Texts that are written before a thread touches its ring.

use core::fmt::{self, Write};

/// The first bytes of a text.
pub(crate) struct ShortText {
    bytes: [u8; Self::MAX],
    length: usize,
}

impl ShortText {
    /// As much as a record of spall holds.
    const MAX: usize = 255;

    pub(crate) const fn new() -> Self {
        Self { bytes: [0; Self::MAX], length: 0 }
    }

    /// Writes a text, which is cut between two characters if it is too long, and returns its bytes.
    ///
    /// This is done before the thread touches its ring: what is written may record, too.
    pub(crate) fn of(&mut self, text: fmt::Arguments<'_>) -> &[u8] {
        // The error says that there was more.
        let _ = self.write_fmt(text);
        self.as_bytes()
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut end = text.len().min(Self::MAX - self.length);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let fits = text.as_bytes().get(..end).unwrap_or_default();
        if let Some(into) = self.bytes.get_mut(self.length..self.length + fits.len()) {
            into.copy_from_slice(fits);
        }
        self.length += fits.len();
        if end == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}
