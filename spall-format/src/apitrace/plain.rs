//! The fast way over calls that say no signature for the first time: nearly all. \[apitrace C.4\]
//!
//! Nothing here is decided that [`detail`] and [`skip`] do not decide: `None` leaves the call to them.

use super::call::{Detail, detail};
use super::signature::{Signatures, View};
use super::value::skip;
use crate::cursor::Cursor;

/// How many bytes are looked at together. Where fewer are left in the stream, nothing is plain.
const AHEAD: usize = 8;

/// A stream whose signatures are known as far as it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain<'s, 'a> {
    pub(super) stream: &'a [u8],
    pub(super) signatures: &'s Signatures<'a>,
    pub(super) version: u64,
}

impl<'a> Plain<'_, 'a> {
    /// The bytes from `pos` on.
    // The comparison says all that the ones behind it say, which then go: instructions are what counts here.
    #[inline(always)]
    pub(super) fn ahead(&self, pos: usize) -> Option<&'a [u8; AHEAD]> {
        if pos > self.stream.len().checked_sub(AHEAD)? {
            return None;
        }
        self.stream.get(pos..)?.first_chunk()
    }

    /// A number of up to 28 bits at `pos`, and where it ends.
    // Branches and not arithmetic say where it ends: those are foreseen, and what follows is read meanwhile.
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

    /// Where a number of up to 56 bits at `pos` ends.
    #[inline(always)]
    fn uint_end(&self, pos: usize) -> Option<usize> {
        let bytes = self.ahead(pos)?;
        if bytes[0] < 0x80 {
            return Some(pos + 1);
        }
        let ends = !u64::from_le_bytes(*bytes) & 0x8080_8080_8080_8080;
        (ends != 0).then_some(pos + 1 + ends.trailing_zeros() as usize / 8)
    }

    /// Steps over the details at `pos`; returns their flags and where they end.
    #[inline(always)]
    pub(super) fn details(&self, mut pos: usize) -> Option<(u64, usize)> {
        let mut flags = 0;
        loop {
            let value = match *self.ahead(pos)? {
                [0, ..] => return Some((flags, pos + 1)),
                [1, 0..0x80, ..] => pos + 2,
                [2, ..] => pos + 1,
                _ => {
                    let (end, said) = self.any_detail(pos)?;
                    flags = said.unwrap_or(flags);
                    pos = end;
                    continue;
                }
            };
            pos = match self.ahead(value)?[0] {
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
        }
    }

    /// Steps over a value, whatever it is.
    #[inline(never)]
    fn value(&self, pos: usize) -> Option<usize> {
        let mut input = Cursor::new(self.stream, pos);
        skip(&mut input, &mut View(self.signatures), self.version).ok()?;
        Some(input.pos())
    }

    /// Steps over a detail, whatever it is; returns where it ends, and the flags if it says them.
    #[inline(never)]
    fn any_detail(&self, pos: usize) -> Option<(usize, Option<u64>)> {
        let mut input = Cursor::new(self.stream, pos);
        let flags = match detail(&mut input, &mut View(self.signatures), self.version).ok()?? {
            Detail::Flags(flags) => Some(flags),
            _ => None,
        };
        Some((input.pos(), flags))
    }
}
