//! Compares the rectangles of random rows with a brute force over all slices and columns, which is written after the rules.
//! \[layout 2\]

use core::ops::Range;

use crate::common::rows::{
    Grid, Random, Slices, check_busy, random_columns, random_range, random_slices, rects_of, row_of,
};
use spall_layout::{Rect, Row, RowId, Viewport};
use spall_model::{SliceId, Tick};

const BOX_WIDTHS: [u16; 7] = [1, 2, 3, 4, 8, 1000, u16::MAX];

/// What a viewport shows of some slices, by the rules alone.
struct Expected<'s> {
    slices: &'s Slices,
    grid: Grid,
    /// The columns that each slice touches.
    touched: Vec<Range<u32>>,
    /// The width of boxes.
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
        self.check_wide_slices(rects);
        self.check_boxes(rects);
        self.check_busy_of_each(rects);
        check_busy(&self.grid, self.slices, rects);
    }

    /// The rectangles are in order and disjoint, and cover exactly the columns that slices touch. \[layout 1.4, 2.1, 2.2\]
    fn check_columns(&self, rects: &[Rect]) {
        let mut covered = vec![false; self.grid.columns as usize];
        let mut end = 0;
        for rect in rects {
            assert!(end <= rect.x0 && rect.x0 < rect.x1 && rect.x1 <= self.grid.columns, "{rect:?}");
            assert_eq!(rect.row, RowId(3));
            covered[rect.x0 as usize..rect.x1 as usize].fill(true);
            end = rect.x1;
        }
        let mut touched = vec![false; self.grid.columns as usize];
        for range in &self.touched {
            touched[range.start as usize..range.end as usize].fill(true);
        }
        assert_eq!(covered, touched);
    }

    /// Every slice that touches the viewport is in exactly one run. \[layout 2.4\]
    fn check_counts(&self, rects: &[Rect]) {
        let seen = (0..).zip(&self.touched).filter(|(_, columns)| !columns.is_empty()).map(|(at, _)| at);
        assert!(rects.iter().flat_map(|rect| rect.first..rect.first + rect.count).eq(seen));
        assert!(rects.iter().all(|rect| rect.count > 0));
    }

    /// The owner is the longest slice of the run, the first one of several. \[layout 2.5\]
    fn check_owners(&self, rects: &[Rect]) {
        for rect in rects {
            let run = rect.first..rect.first + rect.count;
            let owner = run.rev().max_by_key(|&at| self.duration(at)).unwrap();
            assert_eq!(rect.slice.0, owner, "{rect:?}");
        }
    }

    /// A slice that is longer than a box owns the columns that it fills, and its rectangle has its edges. \[layout 2.6\]
    fn check_wide_slices(&self, rects: &[Rect]) {
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
    /// are at most two boxes wide. \[layout 2.7, 2.8\]
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

    /// The busy fraction of a rectangle is exact up to rounding if no other slice touches one of its columns, and if its own
    /// touch no others. \[layout 1.5, 2.11\]
    fn check_busy_of_each(&self, rects: &[Rect]) {
        for rect in rects {
            let run = rect.first..rect.first + rect.count;
            let mut around = rect.first.saturating_sub(20)..rect.first + rect.count + 20;
            let is_alone = around.all(|at| {
                let columns = self.touched.get(at as usize).cloned().unwrap_or_default();
                let is_inside = rect.x0 <= columns.start && columns.end <= rect.x1;
                let is_outside = columns.end <= rect.x0 || rect.x1 <= columns.start;
                if run.contains(&at) { is_inside } else { columns.is_empty() || is_outside }
            });
            if is_alone {
                let slices = &self.slices[run.start as usize..run.end as usize];
                let inside =
                    |column| slices.iter().map(|&slice| self.grid.overlap(slice, column)).sum::<i128>();
                let busy = (rect.x0..rect.x1).map(inside).sum::<i128>() as f64 * 65535.0
                    / (f64::from(rect.x1 - rect.x0) * self.grid.column as f64);
                assert!((busy - f64::from(rect.busy)).abs() <= 1.0, "busy {busy} of {rect:?}");
            }
        }
    }
}

/// Ranges begin and end anywhere in their first and last columns. [layout 2.12]
#[test]
fn layout_2_rectangles_agree_with_brute_force() {
    let mut random = Random(11);
    let (mut n_shared, mut n_merged) = (0, 0);
    for _ in 0..5_000 {
        let slices = random_slices(&mut random);
        let row = row_of(&slices);
        let columns = random_columns(&mut random);
        let range = random_range(&mut random, &slices, columns);
        for width in BOX_WIDTHS {
            let viewport = Viewport::new(range.clone(), columns).with_box_width(width);
            let rects = rects_of(&row, &viewport);
            if range.start >= range.end {
                assert!(rects.is_empty());
                continue;
            }
            let what = std::panic::catch_unwind(|| {
                Expected::new(&slices, &range, columns, width).check(&rects);
            });
            assert!(what.is_ok(), "{width} of {columns} columns of {range:?}\n{slices:?}\n{rects:?}");
            n_shared += rects.iter().filter(|rect| rect.count > 1).count();
            n_merged += rects.iter().filter(|rect| rect.count > 16).count();
        }
    }
    assert!(n_shared > 40_000 && n_merged > 10_000, "the index was hardly used: {n_shared} {n_merged}");
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
fn layout_3_5_gaps_of_a_column_are_seen() {
    let mut random = Random(12);
    let mut n_gaps = 0;
    for _ in 0..1_000 {
        let slices = row_with_gaps(&mut random);
        let row = row_of(&slices);
        let columns = 30 + random.below(30) as u16;
        let start = random.below(20) as i64;
        // Ten ticks a column, or a little less.
        let range = Tick(start)..Tick(start + i64::from(columns) * 10 - random.below(9) as i64);
        for width in BOX_WIDTHS {
            let viewport = Viewport::new(range.clone(), columns).with_box_width(width);
            let rects = rects_of(&row, &viewport);
            Expected::new(&slices, &range, columns, width).check(&rects);
            n_gaps += rects.windows(2).filter(|pair| pair[0].x1 < pair[1].x0).count();
        }
    }
    assert!(n_gaps > 1_000, "{n_gaps}");
}

/// Checks ties and edges that random rows hardly ever have.
#[test]
fn layout_2_5_the_first_of_equally_long_slices_owns_a_rectangle() {
    // The two longest slices are equally long, and points follow at the end of the second one.
    let mut tie: Slices = vec![(15, 25), (25, 35)];
    tie.extend([(35, 35); 14]);
    // Four leaves of points. The last point of the first leaf is on the edge of a column.
    let mut points: Slices = (60..75).map(|at| (at, at)).collect();
    points.push((100, 100));
    points.extend((101..149).map(|at| (at, at)));
    for (mut slices, column) in [(tie, 30), (points, 100)] {
        slices.extend((10..40).map(|at| (at * 20, at * 20 + 3)));
        let range = Tick(0)..Tick(column * 10);
        for width in BOX_WIDTHS {
            let viewport = Viewport::new(range.clone(), 10).with_box_width(width);
            Expected::new(&slices, &range, 10, width).check(&rects_of(&row_of(&slices), &viewport));
        }
    }
}

#[test]
fn layout_2_3_a_box_of_one_column_is_the_default() {
    let viewport = Viewport::new(Tick(0)..Tick(100), 10);
    for width in [0, 1] {
        let boxes = viewport.with_box_width(width);
        assert_eq!(boxes, viewport);
    }
}

/// Returns the columns that rectangles cover, moved by some columns.
fn covered(rects: &[Rect], by: u32) -> Vec<u32> {
    rects.iter().flat_map(|rect| rect.x0..rect.x1).map(|column| column + by).collect()
}

/// Returns the rectangles, moved by some columns, that begin and end inside of `columns`.
fn inside(rects: &[Rect], by: u32, columns: &Range<u32>) -> Vec<(u32, u32, SliceId, u32, u32)> {
    rects
        .iter()
        .map(|rect| (rect.x0 + by, rect.x1 + by, rect.slice, rect.first, rect.count))
        .filter(|&(x0, x1, ..)| columns.contains(&x0) && columns.contains(&x1))
        .collect()
}

#[test]
fn layout_2_10_panning_by_whole_columns_shifts_the_rectangles() {
    let mut random = Random(15);
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
        for width in 1..=4 {
            let shown = |start: i64| {
                let viewport = Viewport::new(Tick(start)..Tick(start + length), columns);
                rects_of(&row, &viewport.with_box_width(width as u16))
            };
            let (here, there) = (shown(start), shown(start + column * i64::from(shift)));
            let what = || format!("{width} {columns} {start} {shift} {column}\n{slices:?}");
            let mut stays = covered(&here, 0);
            stays.retain(|&column| column >= shift);
            let mut comes = covered(&there, shift);
            comes.retain(|&column| column < u32::from(columns));
            assert_eq!(stays, comes, "{}", what());
            let far = shift + EDGE * width..u32::from(columns) - EDGE * width;
            assert_eq!(inside(&here, 0, &far), inside(&there, shift, &far), "{}", what());
            n_compared += inside(&here, 0, &far).len();
        }
    }
    assert!(n_compared > 8_000, "{n_compared}");
}

/// The number of box widths from the edge of a viewport within which its rectangles may change when it moves.
const EDGE: u32 = 2;

#[test]
fn layout_3_2_appending_changes_no_node_that_was_there() {
    let mut random = Random(3);
    for _ in 0..300 {
        let slices = random_slices(&mut random);
        let columns = random_columns(&mut random);
        let range = random_range(&mut random, &slices, columns);
        for width in [1, 2, 5] {
            let viewport = Viewport::new(range.clone(), columns).with_box_width(width);
            let mut row = Row::new();
            for (at, &(start, end)) in slices.iter().enumerate() {
                row.push(Tick(start), Tick(end), SliceId(at as u32));
                if random.one_in(40) {
                    let part = slices[..=at].to_vec();
                    assert_eq!(rects_of(&row, &viewport), rects_of(&row_of(&part), &viewport));
                }
            }
        }
    }
}
