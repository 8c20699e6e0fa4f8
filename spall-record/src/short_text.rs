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
        self.clear();
        // The error says that there was more.
        let _ = self.write_fmt(text);
        self.as_bytes()
    }

    pub(crate) fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a number, in a fraction of the time that formatting takes. One that does not fit is left out.
    pub(crate) fn write_number(&mut self, number: u64) -> fmt::Result {
        let mut digits = [0; 20];
        let (mut rest, mut n_digits) = (number, 0);
        for pair in digits.as_chunks_mut::<2>().0.iter_mut().rev() {
            let two = u8::try_from(rest % 100).unwrap_or(0);
            *pair = [b'0' + two / 10, b'0' + two % 10];
            rest /= 100;
            n_digits += 2;
            if rest == 0 {
                n_digits -= usize::from(two < 10);
                break;
            }
        }
        self.push(digits.get(digits.len() - n_digits..).unwrap_or_default())
    }

    /// Appends bytes that are whole characters, if they fit.
    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) -> fmt::Result {
        let end = self.length + bytes.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(bytes);
        self.length = end;
        Ok(())
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
        self.push(text.as_bytes()).inspect_err(|_| self.fill(text))
    }
}
