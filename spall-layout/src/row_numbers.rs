//! The row of every slice, in a few bits. [layout 4.8](crate::rules::layout#4.8)

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{SliceId, index32};

use crate::RowId;

/// The row of each slice of a layout. A slice may have none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowNumbers {
    /// The tracks that have slices, in the order of their slices.
    tracks: Vec<TrackCodes>,
    /// The codes of the slices, the lowest bits first. Each track begins with a new word.
    words: Vec<u32>,
}

/// The row numbers of one track: where they are, and what they count from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrackCodes {
    pub(crate) slices: Range<u32>,
    pub(crate) rows: Range<u32>,
    /// Whether every slice is on lane 0 and drawn from its start to its end in the trace.
    pub(crate) is_plain: bool,
    /// The number of bits of a code: 0 if all slices are on one row.
    bits: u32,
    /// The first word of the codes.
    word: u32,
}

impl RowNumbers {
    /// Adds the next track, which has the rows `rows` and whose slices begin at `first_slice`.
    ///
    /// `codes` has the row of each slice, counted from the first row of the track. A slice without a row has the number
    /// behind that of the last row. In a plain track every slice has a row.
    pub(crate) fn add_track(&mut self, first_slice: u32, codes: &[u32], rows: Range<u32>, is_plain: bool) {
        let n_rows = rows.end - rows.start;
        let highest = if is_plain { n_rows.saturating_sub(1) } else { n_rows };
        let bits = u32::BITS - highest.leading_zeros();
        let slices = first_slice..first_slice + index32(codes.len());
        self.tracks.push(TrackCodes { slices, rows, is_plain, bits, word: index32(self.words.len()) });
        // The bits that do not fill a word yet.
        let (mut pending, mut n_pending) = (0, 0);
        for &code in codes {
            pending |= u64::from(code) << n_pending;
            n_pending += bits;
            if n_pending >= u32::BITS {
                self.words.push(low_half(pending));
                pending >>= u32::BITS;
                n_pending -= u32::BITS;
            }
        }
        if n_pending > 0 {
            self.words.push(low_half(pending));
        }
    }

    /// Gives back the memory that further tracks would have used.
    pub(crate) fn shrink(&mut self) {
        self.tracks.shrink_to_fit();
        self.words.shrink_to_fit();
    }

    /// Returns the row of a slice, or `None` if it has none. This takes O(log tracks).
    pub(crate) fn get(&self, slice: SliceId) -> Option<RowId> {
        let (track, mut reader) = self.read_from(slice)?;
        let mut code = [0];
        reader.read(&mut code);
        let row = track.rows.start + code[0];
        (row < track.rows.end).then_some(RowId(row))
    }

    /// Returns the track of a slice, and a reader for the rows of the slice and of those behind it. Returns `None` if no
    /// track has the slice.
    pub(crate) fn read_from(&self, slice: SliceId) -> Option<(&TrackCodes, RowReader<'_>)> {
        let at = self.tracks.partition_point(|track| track.slices.start <= slice.0).checked_sub(1)?;
        let track = self.tracks.get(at)?;
        if !track.slices.contains(&slice.0) {
            return None;
        }
        let at = (slice.0 - track.slices.start) as usize * track.bits as usize;
        let words = self.words.get(track.word as usize + at / 32..)?;
        // The first word is read from its middle on.
        let (pending, words, n_pending) = match words.split_first() {
            Some((&word, behind)) => (u64::from(word) >> (at % 32), behind, u32::BITS - index32(at % 32)),
            None => (0, words, 0),
        };
        Some((track, RowReader { words, bits: track.bits, pending, n_pending }))
    }
}

/// A reader of the rows of a track's slices, one after the other.
///
/// Rows count from the track's first. A slice without a row has the number behind that of the last row.
#[derive(Debug, Clone)]
pub(crate) struct RowReader<'n> {
    /// The words behind those of `pending`.
    words: &'n [u32],
    /// The number of bits of a code.
    bits: u32,
    /// The bits that are still to be read of the words so far.
    pending: u64,
    /// The number of bits in `pending`.
    n_pending: u32,
}

impl RowReader<'_> {
    /// Reads the rows of the next slices. Behind the last slice of the track the numbers mean nothing.
    pub(crate) fn read(&mut self, out: &mut [u32]) {
        // Copies, which stay in registers through the loop.
        let Self { mut words, bits, mut pending, mut n_pending } = *self;
        let mask = (1 << bits) - 1;
        for row in out {
            if n_pending < bits {
                let Some((&word, behind)) = words.split_first() else { break };
                pending |= u64::from(word) << n_pending;
                n_pending += u32::BITS;
                words = behind;
            }
            *row = low_half(pending & mask);
            pending >>= bits;
            n_pending -= bits;
        }
        *self = Self { words, bits, pending, n_pending };
    }
}

/// Returns the lowest 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "the bits above are not asked for")]
fn low_half(bits: u64) -> u32 {
    bits as u32
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
                let is_plain = below(2) == 0;
                let slices: Vec<u32> =
                    (0..1 + below(300)).map(|_| below(n_rows + u32::from(!is_plain))).collect();
                numbers.add_track(first_slice, &slices, first_row..first_row + n_rows, is_plain);
                for (at, (&row, slice)) in slices.iter().zip(first_slice..).enumerate() {
                    let rest: Vec<u32> = slices[at..].iter().copied().take(20).collect();
                    expected.push((slice, (row < n_rows).then_some(RowId(first_row + row)), rest));
                }
                first_row += n_rows;
                // Slices that are of no track.
                first_slice += index32(slices.len()) + below(3);
            }
            numbers.shrink();
            for (slice, row, rest) in expected {
                assert_eq!(numbers.get(SliceId(slice)), row);
                let (_, mut reader) = numbers.read_from(SliceId(slice)).unwrap();
                let mut rows = [0; 20];
                reader.read(&mut rows[..7]);
                reader.read(&mut rows[7..]);
                assert_eq!(rows[..rest.len()], rest);
            }
            assert_eq!(numbers.get(SliceId(first_slice)), None);
        }
    }
}
