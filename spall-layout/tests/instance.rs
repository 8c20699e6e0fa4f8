//! Instances of a vertex buffer as bytes. \[layout 16\]
#![cfg(feature = "zerocopy")]

use spall_layout::{Instance, Row, RowId, Viewport};
use spall_model::{SliceId, Tick};
use zerocopy::IntoBytes;

#[test]
fn layout_16_1_instances_are_16_bytes_without_padding() {
    let mut row = Row::new();
    row.push(Tick(12), Tick(16), SliceId(0));
    row.push(Tick(20), Tick(24), SliceId(1));
    let viewport = Viewport::new(Tick(0)..Tick(80), 10);
    let mut rects = Vec::new();
    row.view(RowId(0)).rects(&viewport, &mut rects);
    let instances =
        [(0, 7), (1, 0)].map(|(at, line)| Instance::new(&rects[at], &viewport, line, 0x1234_5678));
    let bytes = instances.as_bytes();
    assert_eq!(bytes.len(), 32);
    assert_eq!(bytes.get(..4).unwrap(), 1.5_f32.to_ne_bytes());
    assert_eq!(bytes.get(8..12).unwrap(), 7_u32.to_ne_bytes());
    assert_eq!(bytes.get(28..).unwrap(), 0x1234_5678_u32.to_ne_bytes());
}

/// 8 ticks a column: column 0 begins at tick 0, half a column before the viewport.
#[test]
fn layout_16_1_a_slice_has_its_own_edges_and_several_slices_those_of_their_columns() {
    let mut row = Row::new();
    for (slice, (start, end)) in (0..).zip([(1, 2), (3, 4), (5, 7), (26, 62)]) {
        row.push(Tick(start), Tick(end), SliceId(slice));
    }
    let viewport = Viewport::new(Tick(4)..Tick(84), 10);
    let mut rects = Vec::new();
    row.view(RowId(0)).rects(&viewport, &mut rects);
    let edges = rects.iter().map(|rect| {
        let instance = Instance::new(rect, &viewport, 0, 0);
        (rect.count, instance.x0, instance.x1)
    });
    assert_eq!(edges.collect::<Vec<_>>(), [(3, -0.5, 0.5), (1, 2.75, 7.25)]);
}
