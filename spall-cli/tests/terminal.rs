//! Rows as lines of a terminal.

use spall_cli::terminal;
use spall_trace::layout::{Row, RowId, Viewport};
use spall_trace::model::{SliceId, Tick};

/// The line of slices over 20 columns of 10 ticks each.
fn line(slices: &[(i64, i64, &str)], color: bool) -> String {
    let mut row = Row::new();
    for (&(start, end, _), id) in slices.iter().zip(0..) {
        row.push(Tick(start), Tick(end), SliceId(id));
    }
    let frame = Viewport::new(Tick(0)..Tick(200), 20);
    let mut rects = Vec::new();
    row.view(RowId(0)).rects(&frame, &mut rects);
    terminal::line(rects, frame.columns(), color, |slice| slices[slice.index()].2)
}

#[test]
fn a_name_stands_in_its_columns_as_far_as_it_fits() {
    assert_eq!(line(&[(20, 80, "load"), (90, 120, "unpack"), (120, 130, "x")], false), "  load── un…x");
}

#[test]
fn small_slices_of_a_column_are_a_block_as_high_as_they_are_busy() {
    // All of the first column, and none, or nearly none, of the second.
    assert_eq!(line(&[(0, 5, "a"), (5, 10, "b"), (10, 10, "c"), (11, 11, "d")], false), "█▁");
}

#[test]
fn names_cannot_move_the_cursor() {
    assert_eq!(line(&[(0, 100, "a\x1b[2J\r\né")], false), "a·[2J···──");
}

#[test]
fn each_box_has_a_colour_of_its_own_and_gives_it_back() {
    let line = line(&[(0, 30, "a"), (50, 80, "b")], true);
    assert_eq!(line.matches("\x1b[30;48;5;").count(), 2);
    assert_eq!(line.matches("\x1b[0m").count(), 2);
}
