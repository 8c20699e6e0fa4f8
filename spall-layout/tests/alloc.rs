//! Queries allocate nothing once their working memory has grown to the size of the picture. In a binary of its own,
//! because it counts what the whole binary allocates.
#![cfg(feature = "alloc")]
#![allow(clippy::indexing_slicing, reason = "a test may panic")]

use spall_layout::{Ellipsis, Fidelity, Frame, Rect, Row, RowId, RowView, Ruler, Scratch, fit_label};
use spall_model::{SliceId, Tick, Ticks, Unit};

/// Bursts, gaps and lengths over several orders of magnitude.
fn row(n_slices: u32) -> Row {
    let mut row = Row::new();
    let (mut state, mut at) = (1_u64, 0_i64);
    for slice in 0..n_slices {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = (state >> 40).cast_signed() >> (state >> 58 & 15);
        let start = at + ((state >> 50).cast_signed() & 0xff);
        at = start + length;
        row.push(Tick(start), Tick(at), SliceId(slice));
    }
    row
}

fn look(row: &RowView<'_>, fidelity: Fidelity, scratch: &mut Scratch, rects: &mut Vec<Rect>) -> usize {
    let (start, end) = (row.starts()[0].0, row.ends()[row.len() - 1].0);
    let mut sum = 0;
    for zoom in 0..12 {
        let length = (end - start) >> zoom;
        for step in 0..4 {
            let at = start + (end - start - length) / 4 * step;
            let frame = Frame::new(Tick(at)..Tick(at + length), 640, fidelity);
            rects.clear();
            row.rects(&frame, scratch, rects);
            sum += rects.len() + Ruler::new(&frame, Unit::Nanoseconds(1.0), 80).count();
            sum += usize::from(Rect::hit(rects, row.id(), 320).is_some());
            sum += usize::from(row.find(frame.tick_at(320.0)).is_some());
            sum += usize::from(row.nearest_edge(frame.tick_at(320.0)) > Some(Tick(at).after(Ticks(1))));
            let measure = |text: &str| f32::from(u16::try_from(text.len()).unwrap_or(u16::MAX));
            sum += usize::from(fit_label("a long name", 7.0, Ellipsis::Middle, measure).is_some());
        }
    }
    sum
}

#[test]
fn layout_2_9_steady_queries_allocate_nothing() {
    let row = row(100_000);
    let row = row.view(RowId(0));
    for fidelity in [Fidelity::Fast, Fidelity::Exact] {
        let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
        let first = look(&row, fidelity, &mut scratch, &mut rects);
        let mut second = 0;
        let counted = allocation_counter::measure(|| second = look(&row, fidelity, &mut scratch, &mut rects));
        assert_eq!(counted.count_total, 0, "{fidelity:?}");
        assert!(first == second && first > 10_000);
    }
}
