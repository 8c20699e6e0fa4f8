//! A stable sort of rows by time.
//!
//! Rows that are not in order are often nearly in order: many programs write a slice when it ends, so that a slice
//! comes a few positions after the slices inside it. Such rows are inserted one by one. If that would take too long,
//! they are sorted digit by digit: a radix sort compares nothing, so there are no branches for the processor to
//! mispredict.

use alloc::vec::Vec;

use crate::Tick;

/// A row and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Timed {
    /// The time with its sign bit flipped, so that unsigned numbers have the order of signed times.
    pub(super) time: u64,
    /// The number of the row.
    pub(super) row: u32,
}

/// A list of rows that is sorted by time. Rows of one time keep the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct ByTime {
    rows: Vec<Timed>,
    /// The sum of the numbers of positions by which insertions have moved rows so far.
    moves: usize,
    /// Whether there were too many moves. Rows are then only collected, and sorted by [`ByTime::sorted`].
    gave_up: bool,
    /// The rows in the order before the current pass of the radix sort. The buffer is kept for the next track.
    before: Vec<Timed>,
}

/// The average number of positions by which insertions may move a row before the radix sort takes over.
const MOVES: usize = 8;
/// A list with fewer rows than this may use as many moves as one with this many, so that a short list never needs the
/// radix sort with its 16 KiB of counts.
const FEW: usize = 256;
/// The number of bits of a digit. The counts of 2¹¹ digits fit into the first-level cache.
const DIGIT_BITS: u32 = 11;
/// The number of values that a digit can have.
const DIGITS: usize = 1 << DIGIT_BITS;

#[allow(clippy::indexing_slicing, reason = "a digit is below DIGITS, and a place below the number of rows")]
impl ByTime {
    /// Removes all rows, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.moves = 0;
        self.gave_up = false;
    }

    /// Adds a row at a time.
    pub(super) fn add(&mut self, at: Tick, row: u32) {
        let row = Timed { time: at.0.cast_unsigned() ^ 1 << 63, row };
        match self.rows.last() {
            Some(last) if last.time > row.time && !self.gave_up => self.insert(row),
            _ => self.rows.push(row),
        }
    }

    /// Inserts a row after all rows that are not later, so that equal times keep their order.
    fn insert(&mut self, row: Timed) {
        // An exponential search from the end: the place is nearly always close to it.
        let mut later = 0;
        let mut step = 1;
        while let Some(place) = self.rows.len().checked_sub(step)
            && self.rows[place].time > row.time
        {
            later = step;
            step *= 2;
        }
        let first = self.rows.len().saturating_sub(step);
        let last = self.rows.len() - later;
        let place = first + self.rows[first..last].partition_point(|other| other.time <= row.time);
        self.moves += self.rows.len() - place;
        self.rows.insert(place, row);
        self.gave_up = self.moves > MOVES * self.rows.len().max(FEW);
    }

    /// Returns the rows that were added since the last [`ByTime::clear`], in order.
    pub(super) fn sorted(&mut self) -> &mut [Timed] {
        if self.gave_up {
            self.sort_by_digits();
        }
        &mut self.rows
    }

    /// Sorts all rows by a radix sort from the lowest digit to the highest. Each pass is stable, and so is the whole.
    #[allow(clippy::cast_possible_truncation, reason = "the lowest bits are those of the digit")]
    fn sort_by_digits(&mut self) {
        self.before.clear();
        self.before.resize(self.rows.len(), Timed::default());
        let first = self.rows.iter().map(|row| row.time).min().unwrap_or(0);
        let last = self.rows.iter().map(|row| row.time).max().unwrap_or(0);
        // Only the bits in which times differ are sorted by: a trace of a few minutes needs 4 passes instead of 6.
        let n_bits = u64::BITS - (last - first).leading_zeros();
        for shift in (0..n_bits).step_by(DIGIT_BITS as usize) {
            core::mem::swap(&mut self.rows, &mut self.before);
            let digit = |row: &Timed| ((row.time - first) >> shift) as usize % DIGITS;
            // First the number of rows with each digit, then the place of the next row with that digit.
            let mut places = [0_usize; DIGITS];
            for row in &self.before {
                places[digit(row)] += 1;
            }
            let mut next = 0;
            for place in &mut places {
                next += core::mem::replace(place, next);
            }
            for row in &self.before {
                let place = &mut places[digit(row)];
                self.rows[*place] = *row;
                *place += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways of sorting give the result of a stable sort.
    #[test]
    fn rows_of_one_time_keep_their_order() {
        let times = [0, 1, -1, 2047, 2048, i64::MAX, i64::MIN, 1 << 40, 7];
        for n_rows in [0, 1, 9, 100, DIGITS, 30 * DIGITS] {
            let rows = times.iter().map(|&at| Tick(at)).cycle().zip(0..).take(n_rows);
            let mut expected: Vec<(Tick, u32)> = rows.clone().collect();
            expected.sort_by_key(|&(at, _)| at);
            let mut by_time = ByTime::default();
            rows.for_each(|(at, row)| by_time.add(at, row));
            let sorted = by_time.sorted().iter().map(|timed| timed.row);
            assert!(sorted.eq(expected.iter().map(|&(_, row)| row)), "{n_rows} rows");
        }
    }
}
