//! Compares the rectangles of viewports whose boxes are wider than a column with a brute force over all slices and columns,
//! which is written after the rules. \[layout 2.11\]
#![cfg(feature = "alloc")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "random numbers are cut on purpose, and a test may panic"
)]

mod common;

use core::ops::Range;

use common::rows::{
    Grid, Random, Slices, check_busy, random_columns, random_range, random_slices, rects_of, row_of,
};
use spall_layout::{Fidelity, Rect, Row, Scratch, Viewport};
use spall_model::Tick;

const BOX_WIDTHS: [u16; 6] = [2, 3, 4, 8, 1000, u16::MAX];

/// What a viewport shows of some slices, by the rules alone.
struct Expected<'s> {
    slices: &'s Slices,
    grid: Grid,
    /// The columns that each slice touches.
    touched: Vec<Range<u32>>,
    width: u16,
}

impl<'s> Expected<'s> {
    fn new(slices: &'s Slices, range: &Range<Tick>, columns: u16, width: u16) -> Self {
        let grid = Grid::new(range, columns);
        let touched = slices.iter().map(|&slice| grid.touched(slice)).collect();
        Self { slices, grid, touched, width }
    }

    fn duration(&self, at: u32) -> i128 {
        let (start, end) = self.slices[at as usize];
        i128::from(end) - i128::from(start)
    }

    /// Returns whether a slice is longer than a box.
    fn is_wide(&self, at: u32) -> bool {
        self.duration(at) * self.grid.asked > self.grid.column * i128::from(self.width)
    }

    /// Returns the number of the box in which a slice begins, or in which it is seen first.
    fn box_of(&self, at: u32) -> i128 {
        let column = i128::from(self.touched[at as usize].start) + self.grid.origin / self.grid.column;
        column.div_euclid(self.width.into())
    }

    fn check(&self, rects: &[Rect]) {
        self.check_columns(rects);
        self.check_counts(rects);
        self.check_owners(rects);
        self.check_boxes(rects);
        check_busy(&self.grid, self.slices, rects);
    }

    /// The rectangles are in order and disjoint, and cover exactly the columns that slices touch.
    fn check_columns(&self, rects: &[Rect]) {
        let mut covered = vec![false; self.grid.columns as usize];
        let mut end = 0;
        for rect in rects {
            assert!(end <= rect.x0 && rect.x0 < rect.x1 && rect.x1 <= self.grid.columns, "{rect:?}");
            covered[rect.x0 as usize..rect.x1 as usize].fill(true);
            end = rect.x1;
        }
        let mut touched = vec![false; self.grid.columns as usize];
        for range in &self.touched {
            touched[range.start as usize..range.end as usize].fill(true);
        }
        assert_eq!(covered, touched);
    }

    /// Every slice that touches the viewport is in exactly one run.
    fn check_counts(&self, rects: &[Rect]) {
        let seen = (0..).zip(&self.touched).filter(|(_, columns)| !columns.is_empty()).map(|(at, _)| at);
        assert!(rects.iter().flat_map(|rect| rect.first..rect.first + rect.count).eq(seen));
        assert!(rects.iter().all(|rect| rect.count > 0));
    }

    /// The owner is the longest slice of the run, the first one of several. A slice that is longer than a box owns the
    /// columns that it fills, and its rectangle has its edges.
    fn check_owners(&self, rects: &[Rect]) {
        for rect in rects {
            let run = rect.first..rect.first + rect.count;
            let owner = run.rev().max_by_key(|&at| self.duration(at)).unwrap();
            assert_eq!(rect.slice.0, owner, "{rect:?}");
        }
        for at in (0..self.slices.len() as u32).filter(|&at| self.is_wide(at)) {
            let slice = self.slices[at as usize];
            let is_full = |&column: &u32| self.grid.overlap(slice, column) == self.grid.column;
            for column in self.touched[at as usize].clone().filter(is_full) {
                let rect = rects.iter().find(|rect| (rect.x0..rect.x1).contains(&column)).unwrap();
                assert_eq!(rect.slice.0, at, "column {column} of {rect:?}");
                for (edge, tick) in [(rect.left, slice.0), (rect.right, slice.1)] {
                    let exact = self.grid.position(tick).clamp(0, self.grid.width()) as f64;
                    let exact = exact / self.grid.column as f64;
                    assert!((f64::from(edge) - exact).abs() <= exact * 1e-7, "{edge} {exact} {rect:?}");
                }
            }
        }
    }

    /// Neighbours that touch each other begin in different boxes, unless one of them is a slice longer than a box. All others
    /// are less than two boxes wide and one column.
    fn check_boxes(&self, rects: &[Rect]) {
        for pair in rects.windows(2) {
            let [one, next] = [pair[0], pair[1]];
            if one.x1 == next.x0 && !self.is_wide(one.slice.0) && !self.is_wide(next.slice.0) {
                assert!(self.box_of(one.first) < self.box_of(next.first), "{one:?} {next:?}");
            }
        }
        for rect in rects.iter().filter(|rect| !self.is_wide(rect.slice.0)) {
            assert!(rect.x1 - rect.x0 <= 2 * u32::from(self.width), "{rect:?}");
        }
    }
}

#[test]
fn layout_2_11_boxes_agree_with_brute_force() {
    let mut random = Random(11);
    let mut scratch = Scratch::new();
    let (mut n_boxes, mut n_merged) = (0, 0);
    for _ in 0..4_000 {
        let slices = random_slices(&mut random);
        let row = row_of(&slices);
        let columns = random_columns(&mut random);
        let range = random_range(&mut random, &slices, columns);
        if range.start >= range.end {
            continue;
        }
        for width in BOX_WIDTHS {
            let viewport = Viewport::new(range.clone(), columns, Fidelity::Fast).with_box_width(width);
            let rects = rects_of(&row, &viewport, &mut scratch);
            let what = std::panic::catch_unwind(|| {
                Expected::new(&slices, &range, columns, width).check(&rects);
            });
            assert!(what.is_ok(), "{width} of {columns} columns of {range:?}\n{slices:?}\n{rects:?}");
            n_boxes += rects.iter().filter(|rect| rect.count > 1).count();
            n_merged += rects.iter().filter(|rect| rect.count > 16 && rect.x1 - rect.x0 > 1).count();
        }
    }
    assert!(n_boxes > 20_000 && n_merged > 1_000, "the index was hardly used: {n_boxes} {n_merged}");
}

/// Makes a row in which the slices of a node are several columns long, with a gap that may be as long as a column.
fn row_with_gaps(random: &mut Random) -> Slices {
    let mut at = random.magnitude(10);
    (0..200)
        .map(|_| {
            let start =
                at + if random.one_in(12) { 9 + random.below(4) as i64 } else { random.below(2) as i64 };
            at = start + random.below(4) as i64;
            (start, at)
        })
        .collect()
}

#[test]
fn layout_2_11_gaps_of_a_column_are_seen() {
    let mut random = Random(12);
    let mut scratch = Scratch::new();
    let mut n_gaps = 0;
    for _ in 0..1_000 {
        let slices = row_with_gaps(&mut random);
        let row = row_of(&slices);
        let columns = 30 + random.below(30) as u16;
        let start = random.below(20) as i64;
        // Ten ticks a column, or a little less.
        let range = Tick(start)..Tick(start + i64::from(columns) * 10 - random.below(9) as i64);
        for width in BOX_WIDTHS {
            let viewport = Viewport::new(range.clone(), columns, Fidelity::Fast).with_box_width(width);
            let rects = rects_of(&row, &viewport, &mut scratch);
            Expected::new(&slices, &range, columns, width).check(&rects);
            n_gaps += rects.windows(2).filter(|pair| pair[0].x1 < pair[1].x0).count();
        }
    }
    assert!(n_gaps > 1_000, "{n_gaps}");
}

#[test]
fn layout_2_11_boxes_do_not_depend_on_fidelity_or_on_how_the_row_was_made() {
    let mut random = Random(13);
    let mut scratch = Scratch::new();
    for _ in 0..300 {
        let slices = random_slices(&mut random);
        let columns = random_columns(&mut random);
        let range = random_range(&mut random, &slices, columns);
        for width in [2, 5] {
            let [fast, exact] = [Fidelity::Fast, Fidelity::Exact]
                .map(|fidelity| Viewport::new(range.clone(), columns, fidelity).with_box_width(width));
            let row = row_of(&slices);
            assert_eq!(rects_of(&row, &fast, &mut scratch), rects_of(&row, &exact, &mut scratch));
            let mut growing = Row::new();
            for (at, &(start, end)) in slices.iter().enumerate() {
                growing.push(Tick(start), Tick(end), spall_model::SliceId(at as u32));
                if random.one_in(40) {
                    let part = row_of(&slices[..=at].to_vec());
                    assert_eq!(rects_of(&growing, &fast, &mut scratch), rects_of(&part, &fast, &mut scratch));
                }
            }
        }
    }
}

#[test]
fn layout_2_11_a_box_of_one_column_is_the_default() {
    let mut random = Random(14);
    let mut scratch = Scratch::new();
    for _ in 0..100 {
        let slices = random_slices(&mut random);
        let columns = random_columns(&mut random);
        let range = random_range(&mut random, &slices, columns);
        let row = row_of(&slices);
        for fidelity in [Fidelity::Fast, Fidelity::Exact] {
            let viewport = Viewport::new(range.clone(), columns, fidelity);
            for width in [0, 1] {
                let boxes = viewport.with_box_width(width);
                assert_eq!((boxes, boxes.box_width()), (viewport, 1));
                assert_eq!(rects_of(&row, &boxes, &mut scratch), rects_of(&row, &viewport, &mut scratch));
            }
        }
    }
}

#[test]
fn layout_2_11_panning_by_whole_columns_shifts_the_boxes() {
    let mut random = Random(15);
    let mut scratch = Scratch::new();
    let mut n_compared = 0;
    for _ in 0..1_000 {
        let slices = random_slices(&mut random);
        let row = row_of(&slices);
        let column = 1 + random.magnitude(20);
        let columns = 60 + random.below(60) as u16;
        let length = column * i64::from(columns);
        let at = slices.get(slices.len() / 2).map_or(0, |slice| slice.0);
        if at.checked_abs().is_none_or(|at| at > i64::MAX / 2) {
            continue;
        }
        let start = (at - length / 2).div_euclid(column) * column;
        let shift = 1 + random.below(6) as u32;
        for width in [2, 3, 4] {
            let inside = shift + 4 * width..u32::from(columns) - 4 * width;
            let mut shown = |start: i64, shift: u32| {
                let viewport = Viewport::new(Tick(start)..Tick(start + length), columns, Fidelity::Fast);
                // Boxes that begin and end further than some boxes away from the edges of both viewports.
                rects_of(&row, &viewport.with_box_width(width as u16), &mut scratch)
                    .iter()
                    .map(|rect| (rect.x0 + shift, rect.x1 + shift, rect.slice, rect.first, rect.count))
                    .filter(|&(x0, x1, ..)| inside.contains(&x0) && inside.contains(&x1))
                    .collect::<Vec<_>>()
            };
            let (here, there) = (shown(start, 0), shown(start + column * i64::from(shift), shift));
            assert_eq!(here, there, "{width} {columns} {start} {shift} {column}\n{slices:?}");
            n_compared += here.len();
        }
    }
    assert!(n_compared > 5_000, "{n_compared}");
}
