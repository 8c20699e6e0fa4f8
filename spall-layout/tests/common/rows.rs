//! Random rows, and the mapping of time to columns as the rules state it.

use core::ops::Range;

use spall_layout::{Rect, Row, RowId, Viewport};
use spall_model::{SliceId, Tick};
pub(crate) use spall_synth::Random;

pub(crate) type Slices = Vec<(i64, i64)>;

/// Makes a row of one of several characters: slices in bursts, side by side, equally long, without duration, or at the ends
/// of time.
pub(crate) fn random_slices(random: &mut Random) -> Slices {
    let length = match random.below(12) {
        0 => random.below(3),
        1 => 600 + random.below(1500),
        2..=4 => 60 + random.below(200),
        _ => random.below(60),
    };
    let character = random.below(7);
    let (gap_bits, length_bits) = (random.below(20), random.below(20));
    let mut at = match random.below(8) {
        0 => i64::MIN,
        1 => i64::MAX - random.magnitude(40),
        _ => random.magnitude(40) - random.magnitude(40),
    };
    let mut slices = Vec::new();
    for _ in 0..length {
        let gap = match character {
            0 => 0,
            1 if !random.one_in(20) => random.magnitude(2),
            1 => random.magnitude(30),
            2 if random.one_in(10) => random.magnitude(62),
            _ => random.magnitude(gap_bits),
        };
        let length = match character {
            3 => 7,
            4 if random.one_in(2) => 0,
            5 => i64::from(random.one_in(40)),
            _ if random.one_in(16) => random.magnitude(length_bits + 6),
            _ if random.one_in(8) => 0,
            _ => random.magnitude(length_bits),
        };
        let start = at.saturating_add(gap);
        at = start.saturating_add(length);
        slices.push((start, at));
    }
    slices
}

/// Chooses a range of time to show: the whole row, a part of it, the time beside it, a few ticks, all of time, or columns of
/// whole ticks.
pub(crate) fn random_range(random: &mut Random, slices: &Slices, columns: u16) -> Range<Tick> {
    let first = slices.first().map_or(0, |slice| slice.0);
    let last = slices.last().map_or(10, |slice| slice.1);
    let inside = |random: &mut Random| {
        let slice = slices.get(random.below(slices.len() as u64) as usize).copied().unwrap_or((0, 9));
        let at = if random.one_in(2) { slice.0 } else { slice.1 };
        at.saturating_add(random.magnitude(8)).saturating_sub(random.magnitude(8))
    };
    let (start, end) = match random.below(12) {
        0 => (i64::MIN, i64::MAX),
        1 => (first, last),
        2 => (last, last.saturating_add(random.magnitude(20) + 1)),
        3 => {
            let at = inside(random);
            (at, at.saturating_add(1 + random.magnitude(4)))
        }
        4 => (first.saturating_sub(random.magnitude(20)), inside(random)),
        5..=8 => {
            let extent = last.saturating_sub(first).max(1);
            let width = 1 + random.magnitude(extent.ilog2() + 1) / i64::from(columns);
            let start = inside(random) / width * width;
            (start, start.saturating_add(width.saturating_mul(columns.into())))
        }
        _ => (inside(random), inside(random)),
    };
    Tick(start.min(end))..Tick(start.max(end))
}

pub(crate) fn random_columns(random: &mut Random) -> u16 {
    match random.below(500) {
        0 => 65535,
        1..=50 => 1,
        51..=100 => 100 + random.below(400) as u16,
        _ => 1 + random.below(40) as u16,
    }
}

/// The mapping of time to columns exactly as the rules state it, without any optimisation: tick t lies t * columns /
/// duration columns from tick 0. Positions are counted from the left edge of the viewport's first column, in parts of a
/// column. \[layout 1\]
pub(crate) struct Grid {
    pub(crate) origin: i128,
    pub(crate) asked: i128,
    pub(crate) column: i128,
    pub(crate) columns: u32,
}

impl Grid {
    pub(crate) fn new(range: &Range<Tick>, asked: u16) -> Self {
        let asked = i128::from(asked);
        let (start, end) = (i128::from(range.start.0), i128::from(range.end.0));
        let column = end - start;
        let origin = (start * asked).div_euclid(column) * column;
        let columns = (end * asked - origin + column - 1) / column;
        Self { origin, asked, column, columns: columns as u32 }
    }

    pub(crate) fn position(&self, tick: i64) -> i128 {
        i128::from(tick) * self.asked - self.origin
    }

    pub(crate) fn width(&self) -> i128 {
        i128::from(self.columns) * self.column
    }

    /// Returns the columns that a slice touches.
    pub(crate) fn touched(&self, (start, end): (i64, i64)) -> Range<u32> {
        let (left, right) = (self.position(start), self.position(end));
        let all = i128::from(self.columns);
        let first = left.div_euclid(self.column).max(0);
        let last = if start == end { left } else { right - 1 }.div_euclid(self.column);
        if last < 0 || first >= all { 0..0 } else { first as u32..(last + 1).min(all) as u32 }
    }

    pub(crate) fn overlap(&self, (start, end): (i64, i64), column: u32) -> i128 {
        let edge = i128::from(column) * self.column;
        (self.position(end).min(edge + self.column) - self.position(start).max(edge)).max(0)
    }
}

pub(crate) fn row_of(slices: &Slices) -> Row {
    let mut row = Row::new();
    for (at, &(start, end)) in slices.iter().enumerate() {
        row.push(Tick(start), Tick(end), SliceId(at as u32));
    }
    row
}

/// Returns the rectangles of a row, which has the number 3 in them.
pub(crate) fn rects_of(row: &Row, viewport: &Viewport) -> Vec<Rect> {
    let mut out = Vec::new();
    row.view(RowId(3)).rects(viewport, &mut out);
    out
}

/// Checks that the busy fractions of the rectangles add up to the time inside slices.
pub(crate) fn check_busy(grid: &Grid, slices: &Slices, rects: &[Rect]) {
    let inside = |&(start, end): &(i64, i64)| {
        grid.position(end).min(grid.width()).saturating_sub(grid.position(start).max(0)).max(0)
    };
    let total = slices.iter().map(inside).sum::<i128>() as f64 / grid.column as f64;
    let busy = |rect: &Rect| f64::from(rect.busy) / 65535.0 * f64::from(rect.x1 - rect.x0);
    let busy: f64 = rects.iter().map(busy).sum();
    let rounding = (f64::from(grid.columns) + 1.0) / 32768.0;
    assert!((total - busy).abs() <= rounding, "busy {busy} of {total}\n{slices:?}\n{rects:?}");
}
