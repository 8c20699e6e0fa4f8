#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::reversed_empty_ranges,
    reason = "random and deliberately odd numbers"
)]
use alloc::vec::Vec;

use spall_synth::Random;

use super::*;

fn viewport(view: Range<i64>, columns: u16) -> Viewport {
    Viewport::new(Tick(view.start)..Tick(view.end), columns)
}

#[test]
fn layout_1_1_a_viewport_of_an_empty_range_has_no_columns() {
    for viewport in [viewport(5..5, 10), viewport(5..1, 10), viewport(0..10, 0)] {
        assert_eq!(viewport.columns(), 0);
        assert_eq!(viewport.column(Tick(5)), None);
        assert_eq!(viewport.x(Tick(5)), 0.0);
        assert_eq!(viewport.tick_at(1.0), viewport.range().start);
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
    let mut random = Random(1);
    let mut random = || random.magnitude(62);
    for _ in 0..100_000 {
        let (start, duration, columns) = (random(), random() + 1, random() as u16 | 1);
        let viewport = viewport(start..start + duration, columns);
        let world = |at: i64| (i128::from(at) * i128::from(columns)).div_euclid(duration.into());
        assert_eq!(viewport.first_column(), world(start));
        let at = start + random() % duration;
        // At an edge, the estimate of the column is most often one too small.
        let edge = viewport.edge(viewport.column(Tick(at)).unwrap()).0;
        for at in [start, at, edge, edge - 1, start + duration - 1] {
            let expected = world(at) - world(start);
            if (0..i128::from(viewport.columns())).contains(&expected) {
                assert_eq!(
                    viewport.column(Tick(at)).map(i128::from),
                    Some(expected),
                    "{at} {start} {duration} {columns}"
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
    let mut random = Random(5);
    let mut below = |end: i64| random.below(end);
    for _ in 0..2000 {
        let start = below(1 << 30) - (1 << 29);
        let end = start + (below(1 << 30) >> below(30));
        let columns = u16::try_from(4 + below(2000)).unwrap();
        let margin = u16::try_from(below(i64::from(columns / 4) + 1)).unwrap();
        let viewport = Viewport::fit(Tick(start)..Tick(end), columns, margin);
        let view = viewport.range();
        let (columns, margin) = (i64::from(columns), i64::from(margin));
        for free in [start - view.start.0, view.end.0 - end.max(start + 1)] {
            assert!(free * columns >= margin * (view.end.0 - view.start.0));
            assert!(
                (free - 1) * (columns - 2 * margin) < margin * (end - start).max(1),
                "no more than asked"
            );
        }
    }
    let all = Viewport::fit(Tick::MIN..Tick::MAX, 100, 60);
    assert_eq!(all.range(), Tick::MIN..Tick::MAX);
    assert_eq!(Viewport::fit(Tick(5)..Tick(5), 0, 9).columns(), 0);
    assert_eq!(Viewport::fit(Tick(5)..Tick(1), 1, 9).range(), Tick(5)..Tick(6));
}

/// [layout 1.7]
#[test]
fn zooming_in_and_out_returns_and_keeps_the_tick_under_the_pointer() {
    let mut random = Random(1);
    let mut below = |end: i64| random.below(end);
    for _ in 0..2000 {
        let start = (below(1 << 30) - (1 << 29)) << below(18);
        let duration = (1 + below(1 << 30)) << below(18);
        let columns = u16::try_from(1 + below(4000)).unwrap();
        let whole = Viewport::new(Tick(start)..Tick(start + duration), columns);
        let pointer = below(i64::from(columns) * 10) as f64 / 10.0;
        let mut viewport = whole;
        let factors: Vec<f64> = (0..below(40)).map(|_| 1.0 + below(100) as f64 / 100.0).collect();
        for &factor in &factors {
            let at = pointer + f64::from(viewport.offset());
            let before = viewport.tick_at(at);
            let zoomed = viewport.zoomed(at, factor);
            // The time may move by half a tick, and the pointer may be anywhere inside its tick.
            let per_tick = f64::from(columns) / zoomed.duration as f64;
            let moved = f64::from(zoomed.x(before) - zoomed.offset()) - pointer;
            let was = f64::from(viewport.x(before) - viewport.offset()) - pointer;
            let is_clamped = before < zoomed.range().start || before > zoomed.range().end;
            assert!(
                is_clamped || (moved - was * factor).abs() <= 2.0 * per_tick + 0.01 * (1.0 + was.abs()),
                "{moved} {was} {per_tick}"
            );
            viewport = zoomed;
        }
        if viewport.duration > 1 {
            for &factor in factors.iter().rev() {
                viewport = viewport.zoomed(pointer + f64::from(viewport.offset()), 1.0 / factor);
            }
            assert_eq!(viewport.duration.abs_diff(whole.duration), 0, "{whole:?}");
            assert!(
                viewport.start.0.abs_diff(whole.start.0) <= (1 + whole.duration) >> 20,
                "{whole:?} {viewport:?}"
            );
        }
    }
}

/// [layout 1.7]
#[test]
fn moving_does_not_drift() {
    for (duration, columns) in [(1000, 300), (7, 1000), (1 << 40, 1920), (1, 65_535), (i64::MAX, 3)] {
        let whole = Viewport::new(Tick(0)..Tick(duration), columns);
        for step in [1.0, 0.3, 2.7, 100.0] {
            let there = (0..100).fold(whole, |viewport, _| viewport.moved(step));
            let back = (0..100).fold(there, |viewport, _| viewport.moved(-step));
            assert!(back == whole || duration == i64::MAX, "{duration} {columns} {step}");
            assert_eq!(there.duration, whole.duration);
        }
    }
    let whole = Viewport::new(Tick(-50)..Tick(950), 300);
    let moved = whole.moved(12.0);
    assert_eq!(moved.first_column() - whole.first_column(), 12);
}

/// [layout 1.7]
#[test]
fn zooming_and_moving_stop_at_the_ends_of_time() {
    let viewport = Viewport::new(Tick(0)..Tick(100), 10);
    assert_eq!(viewport.zoomed(3.0, 0.0), viewport);
    assert_eq!(viewport.zoomed(f64::NAN, 2.0), viewport);
    assert_eq!(viewport.moved(f64::INFINITY), viewport);
    assert_eq!(viewport.zoomed(5.0, 1e300).range(), Tick(50)..Tick(51));
    assert_eq!(viewport.zoomed(5.0, 1e-300).range(), Tick::MIN..Tick::MAX);
    assert_eq!(viewport.moved(1e300).range(), Tick(i64::MAX - 100)..Tick::MAX);
    assert_eq!(viewport.moved(-1e300).range(), Tick::MIN..Tick(i64::MIN + 100));
    let all = Viewport::new(Tick::MIN..Tick::MAX, 1000);
    assert_eq!((all.moved(5.0), all.zoomed(1.0, 0.5)), (all, all));
    let nothing = Viewport::new(Tick(5)..Tick(5), 10);
    assert_eq!((nothing.moved(5.0), nothing.zoomed(1.0, 0.5)), (nothing, nothing));
}
