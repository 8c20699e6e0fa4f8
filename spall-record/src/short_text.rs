//! Texts that are put together in memory of a fixed size.

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

    /// Replaces the text by another one, which is cut between two characters if it is too long. Returns its bytes.
    ///
    /// Threads do this before they touch their ring: what is written may record, too.
    #[inline]
    pub(crate) fn of(&mut self, text: fmt::Arguments<'_>) -> &[u8] {
        self.length = 0;
        // The error says that there was more.
        let _ = self.write_fmt(text);
        self.as_bytes()
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Appends the start of a text that does not fit.
    fn fill(&mut self, text: &str) {
        let mut end = Self::MAX - self.length;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let fits = text.as_bytes().get(..end).unwrap_or_default();
        if let Some(into) = self.bytes.get_mut(self.length..self.length + fits.len()) {
            into.copy_from_slice(fits);
        }
        self.length += fits.len();
    }
}

impl Write for ShortText {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let Some(into) = self.bytes.get_mut(self.length..end) else {
            self.fill(text);
            return Err(fmt::Error);
        };
        into.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
