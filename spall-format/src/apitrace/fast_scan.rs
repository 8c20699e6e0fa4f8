//! The fast path over calls that define no signature: nearly all calls. [apitrace C.4](crate::rules::apitrace#C.4)
//!
//! The fast path decides nothing that [`read_detail`] and [`skip_value`] do not decide. Where it is unsure it returns
//! `None`, and the general path reads the call.

use super::detail::{Detail, read_detail};
use super::signature::{KnownOnly, SignatureTable};
use super::value::skip_value;
use crate::cursor::Cursor;

/// The number of bytes that are looked at together. The fast path ends this far before the end of the input.
const AHEAD: usize = 8;

/// A stream whose signatures are known up to the position where it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct FastScan<'s, 'a> {
    pub(super) stream: &'a [u8],
    pub(super) signatures: &'s SignatureTable,
}

impl<'a> FastScan<'_, 'a> {
    /// Returns the 8 bytes from `pos` on.
    // The one comparison implies the bounds checks behind it, so the compiler removes those. This loop is bound by the
    // number of its instructions.
    #[inline(always)]
    pub(super) fn ahead(&self, pos: usize) -> Option<&'a [u8; AHEAD]> {
        if pos > self.stream.len().checked_sub(AHEAD)? {
            return None;
        }
        self.stream.get(pos..)?.first_chunk()
    }

    /// Returns a number of up to 28 bits at `pos`, and the position behind it. Returns `None` for a longer number.
    // Branches find the end, not arithmetic: the processor predicts them and reads on meanwhile.
    #[inline(always)]
    pub(super) fn uint(&self, pos: usize) -> Option<(u64, usize)> {
        let &[a, b, c, d, ..] = self.ahead(pos)?;
        let [low_a, low_b, low_c, low_d] = [a, b, c, d].map(|byte| u64::from(byte & 0x7f));
        if a < 0x80 {
            Some((low_a, pos + 1))
        } else if b < 0x80 {
            Some((low_b << 7 | low_a, pos + 2))
        } else if c < 0x80 {
            Some((low_c << 14 | low_b << 7 | low_a, pos + 3))
        } else if d < 0x80 {
            Some((low_d << 21 | low_c << 14 | low_b << 7 | low_a, pos + 4))
        } else {
            None
        }
    }

    /// Returns the position behind a number of up to 56 bits at `pos`. Returns `None` for a longer number.
    #[inline(always)]
    fn uint_end(&self, pos: usize) -> Option<usize> {
        let bytes = self.ahead(pos)?;
        if bytes[0] < 0x80 {
            return Some(pos + 1);
        }
        // The last byte of a number is the first one with a clear top bit.
        let ends = !u64::from_le_bytes(*bytes) & 0x8080_8080_8080_8080;
        (ends != 0).then_some(pos + 1 + ends.trailing_zeros() as usize / 8)
    }

    /// Steps over the details at `pos` and moves `pos` behind them. Calls `see` for each, with the position behind it.
    ///
    /// Returns `None` where the fast path is unsure; `pos` is then at the first detail that was not seen.
    #[inline(always)]
    pub(super) fn details(&self, pos: &mut usize, mut see: impl FnMut(Detail, usize)) -> Option<()> {
        loop {
            let (detail, value) = match *self.ahead(*pos)? {
                [0, ..] => {
                    *pos += 1;
                    return Some(());
                }
                [1, index @ 0..0x80, ..] => (Detail::Argument(u64::from(index), *pos + 2), *pos + 2),
                [2, ..] => (Detail::Return(*pos + 1), *pos + 1),
                _ => {
                    let (detail, end) = self.any_detail(*pos)?;
                    see(detail, end);
                    *pos = end;
                    continue;
                }
            };
            *pos = match self.ahead(value)?[0] {
                0x00..=0x02 => value + 1,
                0x03 | 0x04 | 0x0d => self.uint_end(value + 1)?,
                0x05 => value + 5,
                0x06 => value + 9,
                0x07 | 0x08 => {
                    let (length, text) = self.uint(value + 1)?;
                    text.checked_add(usize::try_from(length).ok()?)?
                }
                _ => self.value(value)?,
            };
            see(detail, *pos);
        }
    }

    /// Steps over a value of any kind and returns the position behind it.
    #[inline(never)]
    fn value(&self, pos: usize) -> Option<usize> {
        let mut input = Cursor::new(self.stream, pos);
        skip_value(&mut input, &mut KnownOnly(self.signatures)).ok()?;
        Some(input.pos())
    }

    /// Reads a detail of any kind and steps over its value. Returns it with the position behind it.
    #[inline(never)]
    fn any_detail(&self, pos: usize) -> Option<(Detail, usize)> {
        let mut input = Cursor::new(self.stream, pos);
        let detail = read_detail(&mut input, &mut KnownOnly(self.signatures)).ok()??;
        Some((detail, input.pos()))
    }
}
