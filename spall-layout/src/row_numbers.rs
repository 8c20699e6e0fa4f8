//! The row of every slice, in few bits. \[layout 4.8\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::SliceId;

use crate::RowId;
use crate::bits::Bits;
use crate::convert::to_u32;

/// For each slice its row, or that it has none.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowNumbers {
    /// Tracks that have slices, in the order of their slices.
    tracks: Vec<Numbers>,
    /// Codes of a fixed width, each track from a word on.
    words: Vec<u64>,
    /// The ways from slice to slice: a zero for each row up, then a one for the slice, which is a row further down.
    steps: Bits,
    /// Bits of the one or the other that are no whole word yet, and how many.
    pending: u64,
    n_pending: u32,
    /// The lowest row that the next slice may be on, if its track takes steps.
    lowest: u32,
}

/// Where to find the row numbers of a track. They count from its first row.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    first_slice: u32,
    n_slices: u32,
    first_row: u32,
    n_rows: u32,
    code: Code,
}

#[derive(Debug, Clone, Copy)]
enum Code {
    /// So many bits for each, from a word on; none if all slices are on one row.
    Fixed { bits: u32, word: u32 },
    /// Steps from a word on, and how many slices there are in words before.
    Steps { n_before: u32, word: u32 },
}

/// What is known of the rows of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// The first slice is on the first row, and every other at most one row below the one before it.
    Nested,
    /// All slices have rows.
    Any,
    /// Some have none.
    WithRowless,
}

/// The width from which on steps, which take about three bits, are shorter.
const MIN_STEP_BITS: u32 = 4;

impl RowNumbers {
    /// Begins the next track, whose slices lie on these rows.
    pub(crate) fn begin(&mut self, slices: Range<u32>, on: Range<u32>, rows: Rows) {
        let n_rows = on.end - on.start;
        let codes = n_rows + u32::from(rows == Rows::WithRowless);
        let bits = u32::BITS - codes.saturating_sub(1).leading_zeros();
        let code = if rows == Rows::Nested && bits >= MIN_STEP_BITS {
            Code::Steps { n_before: self.steps.n_set(), word: to_u32(self.steps.words().len()) }
        } else {
            Code::Fixed { bits, word: to_u32(self.words.len()) }
        };
        self.lowest = 0;
        let n_slices = slices.end - slices.start;
        self.tracks.push(Numbers { first_slice: slices.start, n_slices, first_row: on.start, n_rows, code });
    }

    /// The row of the track's next slice.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: Option<u32>) {
        let Some(track) = self.tracks.last() else { return };
        let row = row.map_or(track.n_rows, |row| row - track.first_row);
        match track.code {
            Code::Fixed { bits, .. } => {
                let code = u64::from(row);
                self.pending |= code << self.n_pending;
                self.n_pending += bits;
                if self.n_pending >= u64::BITS {
                    self.words.push(self.pending);
                    self.n_pending -= u64::BITS;
                    self.pending = code >> (bits - self.n_pending);
                }
            }
            Code::Steps { .. } => {
                self.n_pending += self.lowest - row;
                self.lowest = row + 1;
                while self.n_pending >= u64::BITS {
                    self.steps.push(core::mem::take(&mut self.pending));
                    self.n_pending -= u64::BITS;
                }
                self.pending |= 1 << self.n_pending;
                self.n_pending += 1;
                if self.n_pending == u64::BITS {
                    self.steps.push(core::mem::take(&mut self.pending));
                    self.n_pending = 0;
                }
            }
        }
    }

    /// Ends the track.
    pub(crate) fn end(&mut self) {
        if self.n_pending > 0 {
            match self.tracks.last().map(|track| track.code) {
                Some(Code::Steps { .. }) => self.steps.push(self.pending),
                _ => self.words.push(self.pending),
            }
        }
        (self.pending, self.n_pending) = (0, 0);
    }

    pub(crate) fn shrink(&mut self) {
        self.tracks.shrink_to_fit();
        self.words.shrink_to_fit();
        self.steps.shrink();
    }

    /// The row of a slice. O(log n).
    pub(crate) fn get(&self, slice: SliceId) -> Option<RowId> {
        let (track, nth) = self.find(slice)?;
        let row = match track.code {
            Code::Fixed { bits, word } => {
                code(&self.words[word as usize..], bits as usize, nth as usize * bits as usize)
            }
            Code::Steps { n_before, word } => {
                row_after(nth, self.steps.select(n_before + nth)? - 64 * word as usize)
            }
        };
        (row < track.n_rows).then_some(RowId(track.first_row + row))
    }

    /// Reads the rows of the slices of a track from one of them on.
    pub(crate) fn read_from(&self, slice: SliceId) -> Option<Reader<'_>> {
        let (track, nth) = self.find(slice)?;
        Some(match track.code {
            Code::Fixed { bits, word } => {
                let words = self.words.get(word as usize..)?;
                Reader::Fixed { words, bits: bits as usize, at: nth as usize * bits as usize }
            }
            Code::Steps { n_before, word } => {
                let at = self.steps.select(n_before + nth)? - 64 * word as usize;
                let words = self.steps.words().get(word as usize..)?;
                let rest = words.get(at / 64)? & (u64::MAX << (at % 64));
                Reader::Steps { words, word: at / 64, rest, nth }
            }
        })
    }

    /// The track of a slice, and which of its slices it is.
    fn find(&self, slice: SliceId) -> Option<(&Numbers, u32)> {
        let at = self.tracks.partition_point(|track| track.first_slice <= slice.0).checked_sub(1)?;
        let track = &self.tracks[at];
        let nth = slice.0 - track.first_slice;
        (nth < track.n_slices).then_some((track, nth))
    }
}

/// The rows of the slices of a track one after the other, counted from its first row. A slice without one has the number
/// behind the last.
#[derive(Debug, Clone)]
pub(crate) enum Reader<'n> {
    /// From bit `at` of the track's words on.
    Fixed { words: &'n [u64], bits: usize, at: usize },
    /// `rest` is what is left of a word.
    Steps { words: &'n [u64], word: usize, rest: u64, nth: u32 },
}

impl Reader<'_> {
    /// The rows of the next slices. Behind the last of the track they are those of others.
    pub(crate) fn read(&mut self, out: &mut [u32]) {
        match self {
            Self::Fixed { words, bits, at } => {
                for row in out {
                    *row = code(words, *bits, *at);
                    *at += *bits;
                }
            }
            Self::Steps { words, word, rest, nth } => {
                for row in out {
                    while *rest == 0 {
                        *word += 1;
                        let Some(&next) = words.get(*word) else { return };
                        *rest = next;
                    }
                    *row = row_after(*nth, *word * 64 + rest.trailing_zeros() as usize);
                    *rest &= *rest - 1;
                    *nth = nth.wrapping_add(1);
                }
            }
        }
    }
}

/// The code of so many bits that begins at bit `at`.
#[inline(always)]
fn code(words: &[u64], bits: usize, at: usize) -> u32 {
    let (word, shift) = (at / 64, at % 64);
    let (low, next) = match words.get(word..) {
        Some(&[low, next, ..]) => (low, next),
        Some(&[low]) => (low, 0),
        _ => (0, 0),
    };
    // What is left of the code is in the next word, if that belongs to the track.
    let code = (low >> shift | (next << 1) << (63 - shift)) & ((1 << bits) - 1);
    u32::try_from(code).unwrap_or(u32::MAX)
}

/// The row of a slice whose step ends `bit` bits behind where those of its track begin: one row down for each slice
/// before it, one up for each of the other bits.
#[inline(always)]
fn row_after(nth: u32, bit: usize) -> u32 {
    // In a sequence of steps this is never negative.
    u32::try_from((2 * u64::from(nth)).wrapping_sub(bit as u64)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_4_8_every_slice_keeps_its_row() {
        let mut state = 1_u64;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from((state >> 33) % end).unwrap()
        };
        for _ in 0..300 {
            let mut numbers = RowNumbers::default();
            let mut expected = Vec::new();
            let (mut first_slice, mut first_row) = (0, 0);
            for _ in 0..below(5) {
                let bits = below(21);
                let n_rows = 1 + below(1 << bits);
                let rows = [Rows::Nested, Rows::Any, Rows::WithRowless][below(3) as usize];
                let n_slices = 1 + below(300);
                numbers.begin(first_slice..first_slice + n_slices, first_row..first_row + n_rows, rows);
                let mut latest: Option<u32> = None;
                for _ in 0..n_slices {
                    let row = match (rows, latest) {
                        (Rows::Nested, None) => Some(0),
                        // Far up as often as near.
                        (Rows::Nested, Some(latest)) => {
                            let deepest = (latest + 1).min(n_rows - 1);
                            Some(deepest - below(u64::from(deepest) + 1) / (1 + below(8) * below(9)))
                        }
                        (Rows::WithRowless, _) if below(4) == 0 => None,
                        _ => Some(below(u64::from(n_rows))),
                    };
                    latest = row;
                    let row = row.map(|row| first_row + row);
                    numbers.push(row);
                    expected.push((first_slice, row));
                    first_slice += 1;
                }
                numbers.end();
                first_row += n_rows;
                // Slices that are of no track.
                first_slice += below(3);
            }
            numbers.shrink();
            for (slice, row) in expected {
                assert_eq!(numbers.get(SliceId(slice)), row.map(RowId));
                let mut reader = numbers.read_from(SliceId(slice)).unwrap();
                let (track, nth) = numbers.find(SliceId(slice)).unwrap();
                let mut rows = [0; 20];
                reader.read(&mut rows[..7]);
                reader.read(&mut rows[7..]);
                for (nth, read) in (nth..track.n_slices).zip(rows) {
                    let row = numbers.get(SliceId(track.first_slice + nth));
                    assert_eq!(read, row.map_or(track.n_rows, |row| row.0 - track.first_row));
                }
            }
            assert_eq!(numbers.get(SliceId(first_slice)), None);
        }
    }
}
