//! Sorting rows by time.
//!
//! Most that are not in order are nearly so: what ends first is written first, and lies a few places behind what it
//! lies in. Such rows are put in their places one by one. Where that takes too long they are sorted digit by digit: no
//! comparisons, and so nothing for the processor to guess wrong.

use alloc::vec::Vec;

use crate::Tick;

/// A row and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Timed {
    /// In the order of signed times.
    pub(super) time: u64,
    pub(super) row: u32,
}

/// Rows in the order of their times; rows of one time keep the order in which they came.
#[derive(Debug, Default)]
pub(super) struct ByTime {
    rows: Vec<Timed>,
    /// How many places rows have been moved.
    moves: usize,
    /// That were too many: rows are only gathered.
    gave_up: bool,
    /// The rows as they were before the digit that is being sorted by.
    before: Vec<Timed>,
}

/// So many places per row may be moved before rows are sorted by digits instead.
const MOVES: usize = 8;
const FEW: usize = 256;
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

#[allow(clippy::indexing_slicing, reason = "a digit is below DIGITS, and a place below the number of rows")]
impl ByTime {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.moves = 0;
        self.gave_up = false;
    }

    #[inline]
    pub(super) fn add(&mut self, at: Tick, row: u32) {
        let row = Timed { time: at.0.cast_unsigned() ^ 1 << 63, row };
        match self.rows.last() {
            Some(last) if last.time > row.time && !self.gave_up => self.insert(row),
            _ => self.rows.push(row),
        }
    }

    /// Puts a row behind all that are not later. They are sought from the end, in steps that double.
    fn insert(&mut self, row: Timed) {
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

    /// All rows that were added since it was cleared, in order.
    pub(super) fn sorted(&mut self) -> &mut [Timed] {
        if self.gave_up {
            self.sort_by_digits();
        }
        &mut self.rows
    }

    #[allow(clippy::cast_possible_truncation, reason = "the lowest bits are those of the digit")]
    fn sort_by_digits(&mut self) {
        self.before.clear();
        self.before.resize(self.rows.len(), Timed::default());
        let first = self.rows.iter().map(|row| row.time).min().unwrap_or(0);
        let last = self.rows.iter().map(|row| row.time).max().unwrap_or(0);
        let n_bits = u64::BITS - (last - first).leading_zeros();
        for shift in (0..n_bits).step_by(DIGIT_BITS as usize) {
            core::mem::swap(&mut self.rows, &mut self.before);
            let digit = |row: &Timed| ((row.time - first) >> shift) as usize % DIGITS;
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

    /// Both ways of sorting give what a stable sort by comparing gives.
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
