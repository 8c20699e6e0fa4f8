//! The receivers of text: a writer of UTF-8, and memory with a limit.

use alloc::vec::Vec;
use core::fmt::{Error, Result, Write};

/// A receiver of text, which may have bad UTF-8 where a name of the recording has it.
pub(super) trait TextOut {
    /// Appends text. An error ends printing.
    fn put(&mut self, text: &[u8]) -> Result;
}

/// A writer of UTF-8. Each bad sequence of bytes becomes U+FFFD.
pub(super) struct Utf8<'w>(pub(super) &'w mut dyn Write);

impl TextOut for Utf8<'_> {
    fn put(&mut self, text: &[u8]) -> Result {
        text.utf8_chunks().try_for_each(|chunk| {
            self.0.write_str(chunk.valid())?;
            if chunk.invalid().is_empty() { Ok(()) } else { self.0.write_char(char::REPLACEMENT_CHARACTER) }
        })
    }
}

/// A text with a limit in bytes. Writing beyond the limit fails, and whole characters before it are kept.
#[derive(Debug)]
pub(super) struct BoundedText<'t> {
    pub(super) text: &'t mut Vec<u8>,
    pub(super) limit: usize,
}

impl TextOut for BoundedText<'_> {
    #[inline]
    fn put(&mut self, more: &[u8]) -> Result {
        let room = self.limit.saturating_sub(self.text.len());
        if more.len() <= room {
            self.text.extend_from_slice(more);
            return Ok(());
        }
        let is_start = |&end: &usize| more.get(end).is_none_or(|byte| byte & 0xc0 != 0x80);
        let end = (0..=room).rev().find(is_start).unwrap_or(0);
        self.text.extend_from_slice(more.get(..end).unwrap_or_default());
        Err(Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c5_a_text_is_cut_between_characters() {
        for (limit, expected) in [(0, ""), (3, "abc"), (4, "abc"), (5, "abcé"), (6, "abcéx"), (7, "abcéx")]
        {
            let mut text = Vec::new();
            let mut out = BoundedText { text: &mut text, limit };
            let result = out.put(b"abc").and_then(|()| out.put("éx".as_bytes()));
            assert_eq!(result.is_ok(), limit >= 6);
            assert_eq!(core::str::from_utf8(&text), Ok(expected));
        }
    }
}
