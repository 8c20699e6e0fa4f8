//! Compares the rectangles of random rows with a brute force over all slices and columns, which is written after the rules.
//! \[layout 2\]
//!
//! The checks are named as follows. G1: the rectangles cover exactly the columns that slices touch. G2: they are in order
//! and disjoint. G3: a slice longer than a column owns the columns it fills. G4: every visible slice is counted once. G5:
//! the owner is the slice with the largest overlap. G6: panning by whole columns changes nothing. G7: the results are the
//! same everywhere, because only integers take part.
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
use spall_layout::{Fidelity, Rect, Row, RowId, Scratch, Viewport};
use spall_model::{SliceId, Tick};

/// Checks the rectangles of one query against the brute force.
fn check(slices: &Slices, range: &Range<Tick>, columns: u16, fidelity: Fidelity, rects: &[Rect]) {
    let what = || format!("{fidelity:?} {range:?} {columns} columns\n{slices:?}\n{rects:?}");
    if range.start >= range.end {
        assert!(rects.is_empty(), "{}", what());
        return;
    }
    let grid = Grid::new(range, columns);

    // Which slice touches which columns is computed for each slice alone, without an index.
    let touched: Vec<_> = slices.iter().map(|&slice| grid.touched(slice)).collect();
    let mut best: Vec<Option<(i128, u32)>> = vec![None; grid.columns as usize];
    for (at, range) in touched.iter().enumerate() {
        for column in range.clone() {
            let overlap = grid.overlap(slices[at], column);
            let best = &mut best[column as usize];
            if best.is_none_or(|(most, _)| overlap > most) {
                *best = Some((overlap, at as u32));
            }
        }
    }

    // G2: ordered and disjoint. G1: covers exactly the touched columns.
    let mut owner: Vec<Option<&Rect>> = vec![None; grid.columns as usize];
    let mut end = 0;
    for rect in rects {
        assert!(end <= rect.x0 && rect.x0 < rect.x1 && rect.x1 <= grid.columns, "G2 {}", what());
        assert_eq!(rect.row, RowId(3));
        end = rect.x1;
        owner[rect.x0 as usize..rect.x1 as usize].fill(Some(rect));
    }
    for (column, best) in best.iter().enumerate() {
        assert_eq!(owner[column].is_some(), best.is_some(), "G1 column {column} {}", what());
    }

    // G4: every slice that touches the viewport is counted once, in order.
    let mut seen = (0..slices.len() as u32).filter(|&at| !touched[at as usize].is_empty());
    for rect in rects {
        assert!(rect.count > 0, "G4 {}", what());
        for at in rect.first..rect.first + rect.count {
            assert_eq!(seen.next(), Some(at), "G4 {}", what());
        }
        if rect.count == 1 {
            assert_eq!(rect.slice.0, rect.first, "G4 {}", what());
        }
    }
    assert_eq!(seen.next(), None, "G4 {}", what());

    for (at, range) in touched.iter().enumerate() {
        let (start, end) = slices[at];
        if (i128::from(end) - i128::from(start)) * grid.asked <= grid.column {
            continue;
        }
        // G3: a slice longer than a column owns the columns it fills, with its own edges.
        for column in range.clone() {
            if grid.overlap(slices[at], column) == grid.column {
                let rect = owner[column as usize].unwrap();
                assert_eq!(rect.slice.0, at as u32, "G3 {}", what());
                for (edge, tick) in [(rect.left, start), (rect.right, end)] {
                    let exact = grid.position(tick).clamp(0, grid.width()) as f64 / grid.column as f64;
                    assert!((f64::from(edge) - exact).abs() <= exact * 1e-7, "G3 {edge} {exact} {}", what());
                }
            }
        }
    }

    // G5: the exact owner has the largest overlap. A fast owner is at least a slice in the column or next to it.
    for (column, best) in best.iter().enumerate() {
        let (Some((_, at)), Some(rect)) = (best, owner[column]) else { continue };
        match fidelity {
            Fidelity::Exact => assert_eq!(rect.slice.0, *at, "G5 column {column} {}", what()),
            Fidelity::Fast => {
                let range = &touched[rect.slice.0 as usize];
                assert!(range.start <= column as u32 + 1 && column as u32 <= range.end, "G5 {}", what());
            }
        }
    }

    // Where the query visits slices one by one, the busy fraction of each rectangle is exact up to rounding.
    if touched.iter().filter(|columns| !columns.is_empty()).count() < 16 {
        for rect in rects {
            let inside = |column| slices.iter().map(|&slice| grid.overlap(slice, column)).sum::<i128>();
            let busy = (rect.x0..rect.x1).map(inside).sum::<i128>() as f64 * 65535.0
                / (f64::from(rect.x1 - rect.x0) * grid.column as f64);
            assert!((busy - f64::from(rect.busy)).abs() <= 1.0, "busy {busy} of {rect:?} {}", what());
        }
    }

    check_busy(&grid, slices, rects);
}

#[test]
fn layout_2_rectangles_agree_with_brute_force() {
    let mut random = Random(1);
    let mut scratch = Scratch::new();
    let mut merged = 0;
    for _ in 0..5_500 {
        let slices = random_slices(&mut random);
        let row = row_of(&slices);
        for _ in 0..2 {
            let columns = random_columns(&mut random);
            let range = random_range(&mut random, &slices, columns);
            for fidelity in [Fidelity::Fast, Fidelity::Exact] {
                let viewport = Viewport::new(range.clone(), columns, fidelity);
                let rects = rects_of(&row, &viewport, &mut scratch);
                check(&slices, &range, columns, fidelity, &rects);
                merged += rects.iter().filter(|rect| rect.count > 16).count();
            }
        }
    }
    assert!(merged > 10_000, "the index was hardly used: {merged}");
}

/// Checks ties that random rows hardly ever have.
#[test]
fn layout_2_5_the_earlier_of_equal_overlaps_owns_a_column() {
    // The longest slice of a leaf reaches five ticks into the first of its two columns, and so does the slice before it.
    let mut tie: Slices = vec![(20, 25), (25, 35)];
    tie.extend([(35, 35); 14]);
    // Four leaves of points. The last point of the first leaf is on the edge of a column.
    let mut points: Slices = (60..75).map(|at| (at, at)).collect();
    points.push((100, 100));
    points.extend((101..149).map(|at| (at, at)));
    for (mut slices, width) in [(tie, 30), (points, 100)] {
        slices.extend((10..40).map(|at| (at * 20, at * 20 + 3)));
        let range = Tick(0)..Tick(width * 10);
        let viewport = Viewport::new(range.clone(), 10, Fidelity::Exact);
        let rects = rects_of(&row_of(&slices), &viewport, &mut Scratch::new());
        check(&slices, &range, 10, Fidelity::Exact, &rects);
    }
}

#[test]
fn layout_2_6_panning_by_whole_columns_shifts_the_rectangles() {
    let mut random = Random(2);
    let mut scratch = Scratch::new();
    for _ in 0..500 {
        let slices = random_slices(&mut random);
        let row = row_of(&slices);
        let width = 1 + random.magnitude(20);
        let columns = 8 + random.below(30) as u16;
        let length = width * i64::from(columns);
        let at = slices.get(slices.len() / 2).map_or(0, |slice| slice.0);
        if at.checked_abs().is_none_or(|at| at > i64::MAX / 2) {
            continue;
        }
        let start = at - length / 2;
        let shift = 1 + random.below(4) as usize;
        for fidelity in [Fidelity::Exact, Fidelity::Fast] {
            let mut owners = |start: i64| {
                let viewport = Viewport::new(Tick(start)..Tick(start + length), columns, fidelity);
                let mut owners = vec![None; viewport.columns() as usize];
                for rect in rects_of(&row, &viewport, &mut scratch) {
                    owners[rect.x0 as usize..rect.x1 as usize].fill(Some(rect.slice));
                }
                owners
            };
            let (here, there) = (owners(start), owners(start + width * shift as i64));
            // With `Fast` the owner of the first and of the last column may change, but not whether they have one.
            let last = here.len() - 1;
            for column in shift..here.len() {
                let (before, after) = (here[column], there[column - shift]);
                let is_edge = fidelity == Fidelity::Fast && (column == shift || column == last);
                let is_same = before == after || is_edge && before.is_some() && after.is_some();
                assert!(is_same, "{fidelity:?} {column}: {slices:?} {start} {width} {shift}");
            }
        }
    }
}

#[test]
fn layout_2_10_a_part_of_a_viewport_shows_the_same_as_the_whole() {
    let mut random = Random(5);
    let mut scratch = Scratch::new();
    for _ in 0..1000 {
        let slices = random_slices(&mut random);
        let row = row_of(&slices);
        let columns = random_columns(&mut random);
        let viewport = Viewport::new(random_range(&mut random, &slices, columns), columns, Fidelity::Exact);
        let from = random.below(u64::from(viewport.columns()) + 2) as u32;
        let part = viewport.part(from..from + random.below(40) as u32);
        let owners = |viewport: &Viewport, rects: &[Rect]| {
            let mut owners = vec![None; viewport.columns() as usize];
            rects.iter().for_each(|rect| owners[rect.x0 as usize..rect.x1 as usize].fill(Some(rect.slice)));
            owners
        };
        let whole = owners(&viewport, &rects_of(&row, &viewport, &mut scratch));
        let rects = rects_of(&row, &part, &mut scratch);
        let shown = owners(&part, &rects);
        assert_eq!(
            shown,
            whole[(from as usize).min(whole.len())..][..shown.len()],
            "{slices:?}\n{viewport:?}\n{part:?}"
        );
        let counted: u32 = rects.iter().map(|rect| rect.count).sum();
        assert_eq!(counted as usize, row.view(RowId(0)).visible(&part).len());
        if !shown.is_empty() {
            assert_eq!(part.first_column(), viewport.first_column() + i128::from(from));
            assert_eq!(part.ticks(0), viewport.ticks(from));
        }
    }
}

#[test]
fn layout_3_2_appending_changes_no_node_that_was_there() {
    let mut random = Random(3);
    let mut scratch = Scratch::new();
    for _ in 0..300 {
        let slices = random_slices(&mut random);
        let columns = random_columns(&mut random);
        let viewport = Viewport::new(random_range(&mut random, &slices, columns), columns, Fidelity::Exact);
        let mut row = Row::new();
        for (at, &(start, end)) in slices.iter().enumerate() {
            row.push(Tick(start), Tick(end), SliceId(at as u32));
            if random.one_in(40) {
                let part = slices[..=at].to_vec();
                assert_eq!(
                    rects_of(&row, &viewport, &mut scratch),
                    rects_of(&row_of(&part), &viewport, &mut scratch)
                );
            }
        }
    }
}
