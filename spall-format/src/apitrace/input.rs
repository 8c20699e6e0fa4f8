//! Numbers and texts of the stream. [apitrace C.4](crate::rules::apitrace#C.4)

use crate::FormatErrorKind;
use crate::cursor::{Cursor, Short};

/// The reason for which reading cannot go on at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadFailure {
    /// The bytes end inside the item.
    Eof,
    /// The bytes are no item of the format. Items have no length in front, so nothing behind this one can be found.
    Invalid(FormatErrorKind),
}

impl From<Short> for ReadFailure {
    #[inline]
    fn from(_: Short) -> Self {
        Self::Eof
    }
}

impl<'a> Cursor<'a> {
    /// Reads a number of up to 64 bits. Each byte has 7 of them, low ones first, and the top bit is set on all bytes
    /// but the last.
    #[inline]
    pub(super) fn uint(&mut self) -> Result<u64, ReadFailure> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            // The tenth byte holds the 64th bit alone.
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ReadFailure::Invalid(FormatErrorKind::NumberTooLong))
    }

    /// Reads a length and returns that many bytes behind it.
    #[inline]
    pub(super) fn text(&mut self) -> Result<&'a [u8], ReadFailure> {
        let length = self.uint()?;
        Ok(self.take(usize::try_from(length).unwrap_or(usize::MAX))?)
    }

    /// Calls `skip` `count` times and returns the bytes that it stepped over.
    pub(super) fn repeated(
        &mut self,
        count: u64,
        mut skip: impl FnMut(&mut Self) -> Result<(), ReadFailure>,
    ) -> Result<&'a [u8], ReadFailure> {
        let start = self.pos();
        for _ in 0..count {
            skip(self)?;
        }
        Ok(self.since(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c4_numbers_have_at_most_64_bits() {
        let read = |bytes: &[u8]| Cursor::new(bytes, 0).uint();
        assert_eq!(read(&[0x7f]), Ok(127));
        assert_eq!(read(&[0x80, 0x01]), Ok(128));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), Ok(u64::MAX));
        assert_eq!(read(&[0x80, 0x00]), Ok(0), "longer than need be is no fault");
        let too_long = Err(ReadFailure::Invalid(FormatErrorKind::NumberTooLong));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), too_long);
        assert_eq!(read(&[0x80; 40]), too_long);
        assert_eq!(read(&[0x80; 9]), Err(ReadFailure::Eof));
    }

    #[test]
    fn c6_a_length_beyond_the_stream_is_its_end() {
        let mut input = Cursor::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, b'x'], 0);
        assert_eq!(input.text(), Err(ReadFailure::Eof));
    }
}
