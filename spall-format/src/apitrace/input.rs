//! Numbers and texts of the stream. \[apitrace C.4\]

use crate::ErrorKind;

/// Why nothing more can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The stream ends here.
    Eof,
    /// What is here makes no sense, and so nothing behind it can be found.
    Bad(ErrorKind),
}

/// A position in the stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    data: &'a [u8],
    pos: usize,
}

impl<'a> Input<'a> {
    pub(super) const fn new(data: &'a [u8], pos: usize) -> Self {
        Self { data, pos }
    }

    pub(super) const fn pos(&self) -> usize {
        self.pos
    }

    pub(super) const fn seek(&mut self, pos: usize) {
        self.pos = pos;
    }

    pub(super) const fn is_at_end(&self) -> bool {
        self.pos >= self.data.len()
    }

    #[inline(always)]
    pub(super) fn u8(&mut self) -> Result<u8, Stop> {
        let byte = *self.data.get(self.pos).ok_or(Stop::Eof)?;
        self.pos += 1;
        Ok(byte)
    }

    /// A number of up to 64 bits: 7 bits a byte, low ones first, the top bit set on all bytes but the last.
    #[inline(always)]
    pub(super) fn uint(&mut self) -> Result<u64, Stop> {
        let first = self.u8()?;
        if first < 0x80 { Ok(u64::from(first)) } else { self.long_uint(u64::from(first & 0x7f)) }
    }

    fn long_uint(&mut self, mut value: u64) -> Result<u64, Stop> {
        for shift in (7..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Stop::Bad(ErrorKind::NumberTooLong))
    }

    /// The next `length` bytes.
    #[inline(always)]
    pub(super) fn take(&mut self, length: u64) -> Result<&'a [u8], Stop> {
        let bytes = usize::try_from(length)
            .ok()
            .and_then(|length| self.data.get(self.pos..)?.get(..length))
            .ok_or(Stop::Eof)?;
        self.pos += bytes.len();
        Ok(bytes)
    }

    #[inline(always)]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let bytes = self.data.get(self.pos..).and_then(<[u8]>::first_chunk).ok_or(Stop::Eof)?;
        self.pos += N;
        Ok(*bytes)
    }

    /// A length and that many bytes.
    #[inline(always)]
    pub(super) fn text(&mut self) -> Result<&'a [u8], Stop> {
        let length = self.uint()?;
        self.take(length)
    }

    /// Steps over `count` of what `skip` reads, and returns the bytes.
    pub(super) fn repeated(
        &mut self,
        count: u64,
        mut skip: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<&'a [u8], Stop> {
        let start = self.pos;
        for _ in 0..count {
            skip(self)?;
        }
        self.data.get(start..self.pos).ok_or(Stop::Eof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c4_numbers_have_at_most_64_bits() {
        let read = |bytes: &[u8]| Input::new(bytes, 0).uint();
        assert_eq!(read(&[0x7f]), Ok(127));
        assert_eq!(read(&[0x80, 0x01]), Ok(128));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), Ok(u64::MAX));
        assert_eq!(read(&[0x80, 0x00]), Ok(0), "longer than need be is no fault");
        let too_long = Err(Stop::Bad(ErrorKind::NumberTooLong));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), too_long);
        assert_eq!(read(&[0x80; 40]), too_long);
        assert_eq!(read(&[0x80; 9]), Err(Stop::Eof));
    }

    #[test]
    fn c6_a_length_beyond_the_stream_is_its_end() {
        let mut input = Input::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, b'x'], 0);
        assert_eq!(input.text(), Err(Stop::Eof));
    }
}
