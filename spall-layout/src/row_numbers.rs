//! The row of every slice, in as few bits as the rows of its track need. \[layout 4.8\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::SliceId;

use crate::RowId;

/// For each slice its row, or that it has none.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowNumbers {
    /// Tracks that have slices, in the order of their slices.
    tracks: Vec<Numbers>,
    /// The codes of all tracks, each track from a word on. A code counts from the first row of its track.
    words: Vec<u64>,
    /// Codes that are no whole word yet, and how many bits they have.
    pending: u64,
    n_pending: u32,
}

/// Where to find the codes of a track.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    first_slice: u32,
    n_slices: u32,
    first_row: u32,
    n_rows: u32,
    /// Bits per code; none if all slices are on one row.
    bits: u32,
    /// Position of the first word.
    words: usize,
}

impl RowNumbers {
    /// Begins the next track, whose slices lie on `n_rows` rows, but for those that have none.
    pub(crate) fn begin(&mut self, first_slice: u32, first_row: u32, n_rows: u32, has_rowless: bool) {
        let codes = n_rows + u32::from(has_rowless);
        let bits = u32::BITS - codes.saturating_sub(1).leading_zeros();
        let words = self.words.len();
        self.tracks.push(Numbers { first_slice, n_slices: 0, first_row, n_rows, bits, words });
    }

    /// The row of the track's next slice.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: Option<u32>) {
        let Some(track) = self.tracks.last_mut() else { return };
        track.n_slices += 1;
        let code = u64::from(row.map_or(track.n_rows, |row| row - track.first_row));
        self.pending |= code << self.n_pending;
        self.n_pending += track.bits;
        if self.n_pending >= u64::BITS {
            self.words.push(self.pending);
            self.n_pending -= u64::BITS;
            self.pending = code >> (track.bits - self.n_pending);
        }
    }

    /// Ends the track.
    pub(crate) fn end(&mut self) {
        if self.n_pending > 0 {
            self.words.push(self.pending);
        }
        (self.pending, self.n_pending) = (0, 0);
    }

    pub(crate) fn shrink(&mut self) {
        self.tracks.shrink_to_fit();
        self.words.shrink_to_fit();
    }

    /// The row of a slice. O(log tracks).
    pub(crate) fn get(&self, slice: SliceId) -> Option<RowId> {
        let at = self.tracks.partition_point(|track| track.first_slice <= slice.0).checked_sub(1)?;
        let track = &self.tracks[at];
        let nth = slice.0 - track.first_slice;
        if nth >= track.n_slices {
            return None;
        }
        let code = self.code(track, nth as usize);
        (code < track.n_rows).then_some(RowId(track.first_row + code))
    }

    fn code(&self, track: &Numbers, nth: usize) -> u32 {
        if track.bits == 0 {
            return 0;
        }
        let bit = nth * track.bits as usize;
        let (word, shift) = (track.words + bit / 64, bit % 64);
        let low = self.words[word] >> shift;
        // What is left of the code is in the next word, if that belongs to the track.
        let high = self.words.get(word + 1).map_or(0, |&next| (next << 1) << (63 - shift));
        let code = (low | high) & ((1 << track.bits) - 1);
        u32::try_from(code).unwrap_or(u32::MAX)
    }
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
        for _ in 0..200 {
            let mut numbers = RowNumbers::default();
            let mut expected = Vec::new();
            let (mut first_slice, mut first_row) = (0, 0);
            for _ in 0..below(5) {
                let bits = below(21);
                let n_rows = 1 + below(1 << bits);
                let has_rowless = below(2) == 0;
                numbers.begin(first_slice, first_row, n_rows, has_rowless);
                for _ in 0..1 + below(300) {
                    let row = first_row + below(u64::from(n_rows));
                    let row = (!has_rowless || below(4) > 0).then_some(row);
                    numbers.push(row);
                    expected.push((first_slice, row));
                    first_slice += 1;
                }
                numbers.end();
                first_row += n_rows;
                // Slices that are of no track.
                first_slice += below(3);
            }
            for (slice, row) in expected {
                assert_eq!(numbers.get(SliceId(slice)), row.map(RowId));
            }
            assert_eq!(numbers.get(SliceId(first_slice)), None);
        }
    }
}
