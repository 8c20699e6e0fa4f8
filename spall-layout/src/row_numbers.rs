//! The row of every slice, in two to four bits for most traces. [layout 4.8](crate::rules::layout#4.8)
//!
//! The obvious table takes 32 bits per slice. Here each track has one of two encodings of its row numbers, which count
//! from the track's first row. With few rows, each slice has a code of a fixed width. With many rows, if slices nest,
//! the steps from slice to slice are written. A slice is at most one row below the slice before it. So a zero is
//! written for each row up, and then a one for the slice, which is one row further down. No more rows can be left than
//! were entered, so there are at most two bits per slice, and 1.5 times that with the counts of [`BitVector`].
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::SliceId;

use crate::RowId;
use crate::bits::BitVector;
use crate::convert::to_u32;

/// The row of each slice of a layout. A slice may have none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowNumbers {
    /// The tracks that have slices, in the order of their slices.
    tracks: Vec<TrackCodes>,
    /// The codes of a fixed width. Each track begins with a new word.
    words: Vec<u64>,
    /// The steps from slice to slice: a zero for each row up, then a one for the slice, which is one row further down.
    /// Each track begins with a new word.
    steps: BitVector,
    /// The last bits of the current track, which do not fill a word of `words` or `steps` yet.
    pending: u64,
    /// The number of bits in `pending`.
    n_pending: u32,
    /// One below the row of the latest slice, which is the deepest row that the next slice may be on. Used for steps
    /// only.
    lowest: u32,
}

/// The row numbers of one track: where they are, and what they count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TrackCodes {
    first_slice: u32,
    n_slices: u32,
    first_row: u32,
    n_rows: u32,
    /// Whether the track is [`RowPattern::Plain`].
    is_plain: bool,
    encoding: Encoding,
}

/// How the row numbers of a track are written, and where they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// A code of `bits` bits for each slice, from word `word` of the codes on. There are 0 bits if all slices are on
    /// one row.
    Fixed { bits: u32, word: u32 },
    /// Steps from word `word` of the steps on. The words before have `n_before` slices.
    Steps { n_before: u32, word: u32 },
}

/// What is known about the rows of a track before they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowPattern {
    /// As [`RowPattern::Nested`], and every slice is drawn from its start to its end in the trace.
    Plain,
    /// All rows are of lane 0. The first slice is on the first row, and every other slice at most one row below the slice
    /// before it.
    Nested,
    /// Every slice has a row.
    Any,
    /// Some slices have no row.
    WithRowless,
}

/// The width of a code from which on steps are used instead, because these take at most three bits.
const MIN_STEP_BITS: u32 = 4;

impl RowNumbers {
    /// Begins the next track, which has the slices `slices` and the rows `rows`.
    pub(crate) fn begin(&mut self, slices: Range<u32>, rows: Range<u32>, pattern: RowPattern) {
        let n_rows = rows.end - rows.start;
        // A slice without a row has the code behind that of the last row.
        let codes = n_rows + u32::from(pattern == RowPattern::WithRowless);
        let bits = u32::BITS - codes.saturating_sub(1).leading_zeros();
        let is_plain = pattern == RowPattern::Plain;
        let encoding = if (is_plain || pattern == RowPattern::Nested) && bits >= MIN_STEP_BITS {
            Encoding::Steps { n_before: self.steps.n_set(), word: to_u32(self.steps.words().len()) }
        } else {
            Encoding::Fixed { bits, word: to_u32(self.words.len()) }
        };
        let n_slices = slices.end - slices.start;
        self.tracks.push(TrackCodes {
            first_slice: slices.start,
            n_slices,
            first_row: rows.start,
            n_rows,
            is_plain,
            encoding,
        });
    }

    /// Adds the row of the track's next slice, `None` for a slice without a row.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: Option<u32>) {
        let Some(track) = self.tracks.last() else { return };
        let row = row.map_or(track.n_rows, |row| row - track.first_row);
        self.extend(&[row]);
    }

    /// Adds the rows of the track's next slices, counted from the first row of the track.
    #[inline(always)]
    pub(crate) fn extend(&mut self, rows: &[u32]) {
        let Some(track) = self.tracks.last() else { return };
        // Copies, which stay in registers through the loop.
        let (mut pending, mut n_pending) = (self.pending, self.n_pending);
        match track.encoding {
            Encoding::Fixed { bits, .. } => {
                for &row in rows {
                    let code = u64::from(row);
                    pending |= code << n_pending;
                    n_pending += bits;
                    if n_pending >= u64::BITS {
                        self.words.push(pending);
                        n_pending -= u64::BITS;
                        // The bits of the code that did not fit.
                        pending = code >> (bits - n_pending);
                    }
                }
            }
            Encoding::Steps { .. } => {
                let mut lowest = self.lowest;
                for &row in rows {
                    // The zeros: `pending` has them already, because it begins as 0.
                    n_pending += lowest - row;
                    lowest = row + 1;
                    while n_pending >= u64::BITS {
                        self.steps.push(core::mem::take(&mut pending));
                        n_pending -= u64::BITS;
                    }
                    pending |= 1 << n_pending;
                    n_pending += 1;
                    if n_pending == u64::BITS {
                        self.steps.push(core::mem::take(&mut pending));
                        n_pending = 0;
                    }
                }
                self.lowest = lowest;
            }
        }
        (self.pending, self.n_pending) = (pending, n_pending);
    }

    /// Ends the track: the next one begins with a new word.
    pub(crate) fn end(&mut self) {
        if self.n_pending > 0 {
            match self.tracks.last().map(|track| track.encoding) {
                Some(Encoding::Steps { .. }) => self.steps.push(self.pending),
                _ => self.words.push(self.pending),
            }
        }
        (self.pending, self.n_pending, self.lowest) = (0, 0, 0);
    }

    /// Gives back the memory that further slices would have used.
    pub(crate) fn shrink(&mut self) {
        self.tracks.shrink_to_fit();
        self.words.shrink_to_fit();
        self.steps.shrink();
    }

    /// Returns the row of a slice, or `None` if it has none. This takes O(log n).
    pub(crate) fn get(&self, slice: SliceId) -> Option<RowId> {
        let (track, nth) = self.find(slice)?;
        let row = match track.encoding {
            Encoding::Fixed { bits, word } => {
                code(&self.words[word as usize..], bits as usize, nth as usize * bits as usize)
            }
            Encoding::Steps { n_before, word } => {
                row_after(nth, self.steps.select(n_before + nth)? - 64 * word as usize)
            }
        };
        (row < track.n_rows).then_some(RowId(track.first_row + row))
    }

    /// Returns a reader for the rows of a slice and of those behind it on its track, or `None` if no track has the
    /// slice.
    pub(crate) fn read_from(&self, slice: SliceId) -> Option<RowReader<'_>> {
        let (track, nth) = self.find(slice)?;
        Some(match track.encoding {
            Encoding::Fixed { bits, word } => {
                let words = self.words.get(word as usize..)?;
                RowReader::Fixed { words, bits: bits as usize, at: nth as usize * bits as usize }
            }
            Encoding::Steps { n_before, word } => {
                let at = self.steps.select(n_before + nth)? - 64 * word as usize;
                let words = self.steps.words().get(word as usize..)?;
                let (&word, words) = words.get(at / 64..)?.split_first()?;
                let top = row_after(nth, at / 64 * 64);
                RowReader::Steps { words, rest: word & (u64::MAX << (at % 64)), top }
            }
        })
    }

    /// Returns whether the track of a slice is [`RowPattern::Plain`].
    pub(crate) fn is_plain(&self, slice: SliceId) -> bool {
        self.find(slice).is_some_and(|(track, _)| track.is_plain)
    }

    /// Returns the rows of the track of a slice, the id behind the last slice of that track, and a reader for the rows of
    /// the slice and of those behind it. Returns `None` if no track has the slice.
    pub(crate) fn track_from(&self, slice: SliceId) -> Option<(Range<u32>, u32, RowReader<'_>)> {
        let (track, _) = self.find(slice)?;
        let rows = track.first_row..track.first_row + track.n_rows;
        Some((rows, track.first_slice + track.n_slices, self.read_from(slice)?))
    }

    /// Returns the track of a slice, and the position of the slice among those of the track.
    fn find(&self, slice: SliceId) -> Option<(&TrackCodes, u32)> {
        let at = self.tracks.partition_point(|track| track.first_slice <= slice.0).checked_sub(1)?;
        let track = &self.tracks[at];
        let nth = slice.0 - track.first_slice;
        (nth < track.n_slices).then_some((track, nth))
    }
}

/// A reader of the rows of a track's slices, one after the other.
///
/// Rows count from the track's first. A slice without a row has the number behind that of the last row.
#[derive(Debug, Clone)]
pub(crate) enum RowReader<'n> {
    /// The next code begins at bit `at` of the track's words.
    Fixed { words: &'n [u64], bits: usize, at: usize },
    /// `rest` has the bits of the current word that are still to be read, and `words` are those behind it. The row of the
    /// next slice is `top`, minus the number of the slice's bit in the word; it may wrap around.
    Steps { words: &'n [u64], rest: u64, top: u32 },
}

impl RowReader<'_> {
    /// Reads the rows of the next slices. Behind the last slice of the track the numbers mean nothing.
    pub(crate) fn read(&mut self, out: &mut [u32]) {
        match self {
            Self::Fixed { words, bits, at } => {
                for row in out {
                    *row = code(words, *bits, *at);
                    *at += *bits;
                }
            }
            Self::Steps { words, rest, top } => {
                // Copies, which stay in registers through the loop.
                let (mut bits, mut above) = (*rest, *top);
                for row in out {
                    while bits == 0 {
                        let Some((&next, behind)) = words.split_first() else { return };
                        (bits, *words) = (next, behind);
                        // Each zero is one row up.
                        above = above.wrapping_sub(u64::BITS);
                    }
                    *row = above.wrapping_sub(bits.trailing_zeros());
                    // Clears the one of this slice, which took the place of a zero and is one row down.
                    bits &= bits - 1;
                    above = above.wrapping_add(2);
                }
                (*rest, *top) = (bits, above);
            }
        }
    }
}

/// Returns the code of `bits` bits that begins at bit `at`.
#[inline(always)]
fn code(words: &[u64], bits: usize, at: usize) -> u32 {
    let (word, shift) = (at / 64, at % 64);
    let (low, next) = match words.get(word..) {
        Some(&[low, next, ..]) => (low, next),
        Some(&[low]) => (low, 0),
        _ => (0, 0),
    };
    // A code may straddle two words. The shift is split in two because a shift by 64 is not allowed when `shift` is 0.
    let code = (low >> shift | (next << 1) << (63 - shift)) & ((1 << bits) - 1);
    u32::try_from(code).unwrap_or(u32::MAX)
}

/// Returns the row of slice `nth` of a track, whose one is bit `bit` of the track's steps.
///
/// Each of the `nth` slices before it went one row down, and each of the `bit - nth` zeros one row up. The result wraps
/// around: it is a row, and so less than 2³², only if `bit` is the bit of the slice.
#[inline(always)]
fn row_after(nth: u32, bit: usize) -> u32 {
    let wrapped = (2 * u64::from(nth)).wrapping_sub(bit as u64) & u64::from(u32::MAX);
    u32::try_from(wrapped).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_4_8_every_slice_keeps_its_row() {
        let mut random = spall_synth::Random(1);
        let mut below = |end: u32| random.below(end);
        for _ in 0..300 {
            let mut numbers = RowNumbers::default();
            let mut expected = Vec::new();
            let (mut first_slice, mut first_row) = (0, 0);
            for _ in 0..below(5) {
                let bits = below(21);
                let n_rows = 1 + below(1 << bits);
                let rows = [RowPattern::Plain, RowPattern::Nested, RowPattern::Any, RowPattern::WithRowless];
                let rows = rows[below(4) as usize];
                let n_slices = 1 + below(300);
                numbers.begin(first_slice..first_slice + n_slices, first_row..first_row + n_rows, rows);
                let mut latest: Option<u32> = None;
                for _ in 0..n_slices {
                    let row = match (rows, latest) {
                        (RowPattern::Plain | RowPattern::Nested, None) => Some(0),
                        // Far up as often as near.
                        (RowPattern::Plain | RowPattern::Nested, Some(latest)) => {
                            let deepest = (latest + 1).min(n_rows - 1);
                            Some(deepest - below(deepest + 1) / (1 + below(8) * below(9)))
                        }
                        (RowPattern::WithRowless, _) if below(4) == 0 => None,
                        _ => Some(below(n_rows)),
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
