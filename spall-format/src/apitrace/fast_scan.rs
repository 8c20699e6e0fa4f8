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

    /// Steps over the details at `pos`. Returns the flags among them, and the position behind them.
    // Not by way of `detail`: no detail is made of what is only stepped over, which saves 3 % of reading calls.
    #[inline(always)]
    pub(super) fn skip_details(&self, mut pos: usize) -> Option<(u64, usize)> {
        let mut flags = 0;
        loop {
            let value = match *self.ahead(pos)? {
                [0, ..] => return Some((flags, pos + 1)),
                [1, 0..0x80, ..] => pos + 2,
                [2, ..] => pos + 1,
                _ => {
                    let (detail, end) = self.any_detail(pos)?;
                    if let Some(Detail::Flags(more)) = detail {
                        flags |= more;
                    }
                    pos = end;
                    continue;
                }
            };
            pos = self.value_end(value)?;
        }
    }

    /// Reads the detail at `pos` and steps over its value. Returns it, or `None` for the byte that ends the details, with
    /// the position behind it.
    #[inline(always)]
    pub(super) fn detail(&self, pos: usize) -> Option<(Option<Detail>, usize)> {
        let (detail, value) = match *self.ahead(pos)? {
            [0, ..] => return Some((None, pos + 1)),
            [1, index @ 0..0x80, ..] => (Detail::Argument(u64::from(index), pos + 2), pos + 2),
            [2, ..] => (Detail::Return(pos + 1), pos + 1),
            _ => return self.any_detail(pos),
        };
        Some((Some(detail), self.value_end(value)?))
    }

    /// Returns the position behind the value at `pos`.
    #[inline(always)]
    fn value_end(&self, pos: usize) -> Option<usize> {
        match self.ahead(pos)?[0] {
            0x00..=0x02 => Some(pos + 1),
            0x03 | 0x04 | 0x0d => self.uint_end(pos + 1),
            0x05 => Some(pos + 5),
            0x06 => Some(pos + 9),
            0x07 | 0x08 => {
                let (length, text) = self.uint(pos + 1)?;
                text.checked_add(usize::try_from(length).ok()?)
            }
            _ => self.value(pos),
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
    fn any_detail(&self, pos: usize) -> Option<(Option<Detail>, usize)> {
        let mut input = Cursor::new(self.stream, pos);
        let detail = read_detail(&mut input, &mut KnownOnly(self.signatures)).ok()?;
        Some((detail, input.pos()))
    }
}
