#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::reversed_empty_ranges,
    reason = "random and deliberately odd numbers"
)]
use super::*;

fn viewport(view: Range<i64>, columns: u16) -> Viewport {
    Viewport::new(Tick(view.start)..Tick(view.end), columns, Fidelity::Fast)
}

#[test]
fn layout_1_1_an_empty_view_has_no_columns() {
    for viewport in [viewport(5..5, 10), viewport(5..1, 10), viewport(0..10, 0)] {
        assert_eq!(viewport.columns(), 0);
        assert_eq!(viewport.column(Tick(5)), None);
        assert_eq!(viewport.x(Tick(5)), 0.0);
        assert_eq!(viewport.tick_at(1.0), viewport.view().start);
    }
}

#[test]
fn layout_1_2_edges_are_multiples_of_the_column_width_from_tick_0() {
    for start in -70..70 {
        let viewport = viewport(start..start + 64, 8);
        assert_eq!(viewport.columns(), if start % 8 == 0 { 8 } else { 9 });
        for at in start..start + 64 {
            assert_eq!(viewport.column(Tick(at)), Some((at.div_euclid(8) - start.div_euclid(8)) as u32));
        }
        assert_eq!(viewport.offset(), start.rem_euclid(8) as f32 / 8.0);
    }
}

#[test]
fn layout_1_3_a_column_is_the_exact_quotient() {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> (1 + state % 63)
    };
    for _ in 0..100_000 {
        let (start, span, columns) = (random() as i64 / 2, random() as i64 / 2 + 1, random() as u16 | 1);
        let viewport = viewport(start..start + span, columns);
        let world = |at: i64| (i128::from(at) * i128::from(columns)).div_euclid(span.into());
        assert_eq!(viewport.first_column(), world(start));
        let at = start + (random() as i64).rem_euclid(span);
        // Edges are where the estimate is hardest to get right.
        let edge = viewport.edge(viewport.column(Tick(at)).unwrap()).0;
        for at in [start, at, edge, edge - 1, start + span - 1] {
            let expected = world(at) - world(start);
            if (0..i128::from(viewport.columns())).contains(&expected) {
                assert_eq!(
                    viewport.column(Tick(at)).map(i128::from),
                    Some(expected),
                    "{at} {start} {span} {columns}"
                );
            }
        }
    }
}

#[test]
fn columns_and_ticks_are_inverse() {
    for (view, columns) in
        [(-7..13, 3), (0..5, 100), (i64::MIN..i64::MAX, 7), (i64::MAX - 9..i64::MAX, 65535)]
    {
        let viewport = viewport(view, columns);
        for column in 0..viewport.columns() {
            let ticks = viewport.ticks(column);
            if ticks.start < ticks.end {
                assert_eq!(viewport.column(ticks.start), Some(column));
                assert_eq!(viewport.column(Tick(ticks.end.0 - 1)), Some(column));
            }
            assert_eq!(ticks.end, viewport.ticks(column + 1).start);
        }
    }
}

#[test]
fn the_tick_under_the_pointer() {
    let viewport = viewport(25..125, 10);
    assert_eq!(viewport.tick_at(0.0), Tick(20));
    assert_eq!(viewport.tick_at(0.55), Tick(25));
    assert_eq!(viewport.tick_at(-1.0), Tick(20));
    assert_eq!(viewport.tick_at(f64::NAN), Tick(20));
    assert_eq!(viewport.tick_at(1e9), Tick(129));
    assert_eq!(viewport.x(Tick(25)), 0.5);
}

#[test]
fn the_extremes_do_not_overflow() {
    for view in
        [i64::MIN..i64::MAX, i64::MIN..i64::MIN + 1, i64::MAX - 1..i64::MAX, -1..i64::MAX, i64::MIN..1]
    {
        for columns in [1, 2, 3, 4, 1920, 65535] {
            let viewport = viewport(view.clone(), columns);
            assert_eq!(viewport.column(Tick(view.start)), Some(0));
            let last = viewport.column(Tick(view.end - 1)).unwrap();
            assert!(last < viewport.columns());
            assert!(viewport.position(i64::MAX).column <= viewport.columns());
            assert!(viewport.tick_at(f64::from(columns)) >= Tick(view.start));
        }
    }
}

#[test]
fn layout_1_6_a_fitted_range_is_seen_whole_between_its_margins() {
    let mut state = 5_u64;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % end).cast_signed()
    };
    for _ in 0..2000 {
        let start = below(1 << 30) - (1 << 29);
        let end = start + (below(1 << 30) >> below(30));
        let columns = u16::try_from(4 + below(2000)).unwrap();
        let margin = u16::try_from(below(i64::from(columns / 4).unsigned_abs() + 1)).unwrap();
        let viewport = Viewport::fit(Tick(start)..Tick(end), columns, margin, Fidelity::Fast);
        let view = viewport.view();
        let (columns, margin) = (i64::from(columns), i64::from(margin));
        for free in [start - view.start.0, view.end.0 - end.max(start + 1)] {
            assert!(free * columns >= margin * (view.end.0 - view.start.0));
            assert!(
                (free - 1) * (columns - 2 * margin) < margin * (end - start).max(1),
                "no more than asked"
            );
        }
    }
    let all = Viewport::fit(Tick::MIN..Tick::MAX, 100, 60, Fidelity::Fast);
    assert_eq!(all.view(), Tick::MIN..Tick::MAX);
    assert_eq!(Viewport::fit(Tick(5)..Tick(5), 0, 9, Fidelity::Fast).columns(), 0);
    assert_eq!(Viewport::fit(Tick(5)..Tick(1), 1, 9, Fidelity::Fast).view(), Tick(5)..Tick(6));
}
