//! Sorting rows by time, digit by digit: no comparisons, and so nothing for the processor to guess wrong.

use alloc::vec::Vec;

use crate::Tick;

/// A row, and how long after the earliest of those to be sorted it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Timed {
    pub(super) after: u64,
    pub(super) row: u32,
}

/// Rows with their times, to be sorted.
#[derive(Debug, Default)]
pub(super) struct ByTime {
    rows: Vec<Timed>,
    /// The rows as they were before the digit that is being sorted by.
    before: Vec<Timed>,
}

/// Fewer rows than this are sorted sooner by comparing them.
const FEW: usize = 512;
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

#[allow(clippy::indexing_slicing, reason = "a digit is below DIGITS, and a place below the number of rows")]
impl ByTime {
    /// Replaces what there is by `rows` in the order of their times; rows of one time keep their order.
    pub(super) fn sort(&mut self, rows: impl Iterator<Item = (Tick, u32)> + Clone) -> &mut [Timed] {
        let first = rows.clone().map(|(at, _)| at.0).min().unwrap_or(0);
        self.rows.clear();
        self.rows
            .extend(rows.map(|(at, row)| Timed { after: at.0.wrapping_sub(first).cast_unsigned(), row }));
        if self.rows.len() < FEW {
            self.rows.sort_by_key(|row| row.after);
        } else {
            self.sort_by_digits();
        }
        &mut self.rows
    }

    #[allow(clippy::cast_possible_truncation, reason = "the lowest bits are those of the digit")]
    fn sort_by_digits(&mut self) {
        self.before.clear();
        self.before.resize(self.rows.len(), Timed::default());
        let last = self.rows.iter().map(|row| row.after).max().unwrap_or(0);
        let n_bits = u64::BITS - last.leading_zeros();
        for shift in (0..n_bits).step_by(DIGIT_BITS as usize) {
            core::mem::swap(&mut self.rows, &mut self.before);
            let digit = |row: &Timed| (row.after >> shift) as usize % DIGITS;
            // How many rows have each digit, and then where the next one of each goes.
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

    /// Both ways of sorting, at the border between them, give what a stable sort by comparing gives.
    #[test]
    fn rows_of_one_time_keep_their_order() {
        let times = [0, 1, -1, 2047, 2048, i64::MAX, i64::MIN, 1 << 40, 7];
        for n_rows in [0, 1, 9, FEW - 1, FEW, 3 * FEW] {
            let rows = times.iter().map(|&at| Tick(at)).cycle().zip(0..).take(n_rows);
            let mut expected: Vec<(Tick, u32)> = rows.clone().collect();
            expected.sort_by_key(|&(at, _)| at);
            let mut by_time = ByTime::default();
            let sorted = by_time.sort(rows).iter().map(|timed| timed.row);
            assert!(sorted.eq(expected.iter().map(|&(_, row)| row)), "{n_rows} rows");
        }
    }
}
