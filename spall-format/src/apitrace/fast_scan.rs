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

/// The details of an event that were stepped over.
#[derive(Debug, Clone, Copy)]
pub(super) struct SkippedDetails {
    pub(super) flags: u64,
    /// As [`Call::n_plain`](super::Call), for this event.
    pub(super) n_plain: u64,
    /// The position behind the byte that ends the details.
    pub(super) end: usize,
}

/// More arguments than any function has.
pub(super) const NOT_PLAIN: u64 = u64::MAX;

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
    #[inline]
    pub(super) fn ahead(&self, pos: usize) -> Option<&'a [u8; AHEAD]> {
        if pos > self.stream.len().checked_sub(AHEAD)? {
            return None;
        }
        self.stream.get(pos..)?.first_chunk()
    }

    /// Returns a number of up to 28 bits at `pos`, and the position behind it. Returns `None` for a longer number.
    #[inline]
    pub(super) fn uint(&self, pos: usize) -> Option<(u64, usize)> {
        let &[a, b, c, d, ..] = self.ahead(pos)?;
        short_uint([a, b, c, d]).map(|(number, length)| (number, pos + length))
    }

    /// Returns the position behind a number of up to 56 bits at `pos`. Returns `None` for a longer number.
    #[inline]
    fn uint_end(&self, pos: usize) -> Option<usize> {
        // The last byte of a number is the first one with a clear top bit.
        let ends = !u64::from_le_bytes(*self.ahead(pos)?) & 0x8080_8080_8080_8080;
        (ends != 0).then_some(pos + 1 + ends.trailing_zeros() as usize / 8)
    }

    /// Steps over the details at `pos`.
    // Not by way of `detail`: no detail is made of what is only stepped over, which saves 3 % of reading calls. As calls,
    // this and the two functions that are inlined below take 32 % more instructions of "apitrace to calls".
    // Without the attributes in this file, the job `apitrace to calls` takes 50 % more instructions.
    #[inline(always)]
    pub(super) fn skip_details(&self, mut pos: usize) -> Option<SkippedDetails> {
        let (mut flags, mut n_plain) = (0, 0);
        loop {
            let (value, start) = match *self.ahead(pos)? {
                [0, ..] => return Some(SkippedDetails { flags, n_plain, end: pos + 1 }),
                [1, index @ 0..0x80, kind, first, ..] => {
                    n_plain = n_plain.max(u64::from(index) + 1);
                    (pos + 2, [kind, first])
                }
                [2, kind, first, ..] => (pos + 1, [kind, first]),
                _ => {
                    let (detail, end) = self.any_detail(pos)?;
                    if let Some(Detail::Flags(more)) = detail {
                        flags |= more;
                    }
                    n_plain = NOT_PLAIN;
                    pos = end;
                    continue;
                }
            };
            let [kind, _] = start;
            if !matches!(kind, 0x00..=0x07) {
                n_plain = NOT_PLAIN;
            }
            pos = self.value_end(value, start)?;
        }
    }

    /// Reads the detail at `pos` and steps over its value. Returns it, or `None` for the byte that ends the details, with
    /// the position behind it.
    #[inline]
    pub(super) fn detail(&self, pos: usize) -> Option<(Option<Detail>, usize)> {
        let (detail, value, start) = match *self.ahead(pos)? {
            [0, ..] => return Some((None, pos + 1)),
            [1, index @ 0..0x80, kind, first, ..] => {
                (Detail::Argument(u64::from(index), pos + 2), pos + 2, [kind, first])
            }
            [2, kind, first, ..] => (Detail::Return(pos + 1), pos + 1, [kind, first]),
            _ => return self.any_detail(pos),
        };
        Some((Some(detail), self.value_end(value, start)?))
    }

    /// Returns the position behind the value at `pos`. The value begins with `kind` and `first`, which the caller has
    /// looked at already.
    #[inline(always)]
    fn value_end(&self, pos: usize, [kind, first]: [u8; 2]) -> Option<usize> {
        Some(match kind {
            0x00..=0x02 => pos + 1,
            0x03 | 0x04 | 0x0d if first < 0x80 => pos + 2,
            0x03 | 0x04 | 0x0d => self.uint_end(pos + 1)?,
            0x05 => pos + 5,
            0x06 => pos + 9,
            0x07 | 0x08 if first < 0x80 => pos + 2 + usize::from(first),
            0x07 | 0x08 => {
                let (length, text) = self.uint(pos + 1)?;
                text.checked_add(usize::try_from(length).ok()?)?
            }
            0x09 => match self.enum_value(pos) {
                Some((_, _, end)) => end,
                None => self.value(pos)?,
            },
            _ => self.value(pos)?,
        })
    }

    /// Returns the id of the enum and the number of the value at `pos`, and the position behind it. Returns `None` for
    /// large numbers, if the signature may stand here, and before version 3, where a value has no number.
    #[inline(always)]
    pub(super) fn enum_value(&self, pos: usize) -> Option<(u64, i128, usize)> {
        let (id, value) = self.uint(pos + 1)?;
        let &[sign @ (3 | 4), a, b, c, d, ..] = self.ahead(value)? else { return None };
        if self.signatures.version < 3 || self.signatures.enum_place(id)? == value {
            return None;
        }
        let (number, length) = short_uint([a, b, c, d])?;
        let number = i128::from(number);
        Some((id, if sign == 3 { -number } else { number }, value + 1 + length))
    }

    /// Steps over a value of any kind and returns the position behind it.
    fn value(&self, pos: usize) -> Option<usize> {
        let mut input = Cursor::new(self.stream, pos);
        skip_value(&mut input, &mut KnownOnly(self.signatures)).ok()?;
        Some(input.pos())
    }

    /// Reads a detail of any kind and steps over its value. Returns it with the position behind it.
    fn any_detail(&self, pos: usize) -> Option<(Option<Detail>, usize)> {
        let mut input = Cursor::new(self.stream, pos);
        let detail = read_detail(&mut input, &mut KnownOnly(self.signatures)).ok()?;
        Some((detail, input.pos()))
    }
}

/// Returns the number of up to 28 bits that some bytes begin with, and its length. Returns `None` for a longer number.
// Branches find the end, not arithmetic: the processor predicts them and reads on meanwhile.
#[inline]
pub(super) fn short_uint(bytes: [u8; 4]) -> Option<(u64, usize)> {
    let [a, b, c, d] = bytes;
    let [low_a, low_b, low_c, low_d] = bytes.map(|byte| u64::from(byte & 0x7f));
    if a < 0x80 {
        Some((low_a, 1))
    } else if b < 0x80 {
        Some((low_b << 7 | low_a, 2))
    } else if c < 0x80 {
        Some((low_c << 14 | low_b << 7 | low_a, 3))
    } else if d < 0x80 {
        Some((low_d << 21 | low_c << 14 | low_b << 7 | low_a, 4))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_those_of_up_to_28_bits() {
        for bit in 0..32 {
            for number in [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1] {
                let mut bytes = alloc::vec::Vec::new();
                spall_synth::apitrace::uint(&mut bytes, number);
                let length = bytes.len();
                bytes.resize(length.max(4), 0);
                let expected = (length <= 4).then_some((number, length));
                assert_eq!(short_uint(*bytes.first_chunk().unwrap()), expected, "{number}");
            }
        }
    }
}
