//! Layout: building it, rectangles of rows of any density, and all other queries.
//!
//! A hundred million slices take 3 GiB and are measured only where `SPALL_BENCH_LARGE` is set.

use std::hint::black_box;
use std::ops::Range;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use spall_benches::layout_input::{self, Character};
use spall_benches::peer;
use spall_trace::layout::{Layout, Rect, Row, RowId, Stats, Viewport, flame_rows, slice_tree};
use spall_trace::model::{Function, Job, Measure, Tick, Trace, TraceView, TrackId};

/// The number of columns of a wide screen.
const COLUMNS: u16 = 1920;
const ROWS: u32 = 60;
const EVER: Range<Tick> = Tick::MIN..Tick::MAX;

fn sizes() -> Vec<(&'static str, u32)> {
    let mut sizes = vec![("1M", 1 << 20), ("10M", 10 << 20)];
    if std::env::var_os("SPALL_BENCH_LARGE").is_some() {
        sizes.push(("100M", 100_000_000));
    }
    sizes
}

fn build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spall-layout/build/families");
    group.sample_size(10);
    for (size, slices) in [("1M", 1 << 20), ("10M", 10 << 20)] {
        let trace = layout_input::families(slices, false).finish();
        group.throughput(Throughput::Elements(trace.slices().len() as u64));
        group.bench_function(size, |bencher| {
            bencher.iter_with_large_drop(|| {
                let layout = Layout::new(&trace);
                assert_eq!(layout.rows().len(), 16);
                layout
            });
        });
    }
    group.finish();
}

/// Writes the rectangles of all rows. Each slice that touches the viewport must be in one.
fn rects_of(rows: &[Row], viewport: &Viewport, out: &mut Vec<Rect>) {
    out.clear();
    for (row, id) in rows.iter().zip((0..).map(RowId)) {
        row.view(id).rects(viewport, out);
    }
}

fn n_counted(rects: &[Rect]) -> usize {
    rects.iter().map(|rect| rect.count as usize).sum()
}

fn row(criterion: &mut Criterion) {
    for (size, slices) in sizes() {
        for character in Character::ALL {
            let rows = layout_input::rows(character, slices, 1);
            let Some(row) = rows.first().map(|row| row.view(RowId(0))) else { continue };
            let extent = layout_input::extent(&row);
            let mut group =
                criterion.benchmark_group(format!("spall-layout/row/{}-{size}", character.name()));
            let mut rects = Vec::new();
            for zoom in (0..16).step_by(2) {
                let view = layout_input::middle(&extent, zoom);
                let viewport = Viewport::new(view, COLUMNS);
                group.bench_function(BenchmarkId::new("rectangles", zoom), |bencher| {
                    bencher.iter(|| rects_of(&rows, &viewport, &mut rects));
                });
                assert_eq!(n_counted(&rects), row.visible(&viewport).len());
                group.bench_function(BenchmarkId::new("a search per column", zoom), |bencher| {
                    bencher.iter(|| black_box(peer::layout::skip_scan(&row, &viewport)));
                });
                // Its time depends on the size, unlike that of the others.
                if slices < 1 << 21 {
                    group.bench_function(BenchmarkId::new("scan", zoom), |bencher| {
                        bencher.iter(|| {
                            let (_, seen) = peer::layout::scan(&row, &viewport);
                            assert_eq!(seen, row.visible(&viewport).len());
                        });
                    });
                }
            }
            group.finish();
        }
    }
}

/// Measures a picture of many dense rows, and the query for the slice under the pointer.
fn many_rows(criterion: &mut Criterion) {
    for (size, slices) in sizes() {
        for character in Character::ALL {
            let rows = layout_input::rows(character, slices, ROWS);
            let Some(row) = rows.first().map(|row| row.view(RowId(0))) else { continue };
            let mut group =
                criterion.benchmark_group(format!("spall-layout/frame/{}-{size}", character.name()));
            let mut rects = Vec::new();
            let viewport = Viewport::new(layout_input::extent(&row), COLUMNS);
            group.bench_function("60 rows", |bencher| {
                bencher.iter(|| rects_of(&rows, &viewport, &mut rects));
            });
            let seen: usize = rows.iter().map(|row| row.view(RowId(0)).visible(&viewport).len()).sum();
            assert_eq!(n_counted(&rects), seen);
            let mut place = 0_u32;
            group.bench_function("hit test", |bencher| {
                bencher.iter(|| {
                    place = place.wrapping_add(7919);
                    black_box(Rect::hit(&rects, RowId(place % ROWS), place % u32::from(COLUMNS)))
                });
            });
            group.finish();
        }
    }
}

fn tracks(trace: &Trace) -> impl Iterator<Item = TrackId> + use<> {
    (0..u32::try_from(trace.tracks().len()).unwrap_or(0)).map(TrackId)
}

/// Measures statistics and call trees of a million nested calls.
fn sums(criterion: &mut Criterion) {
    let trace = layout_input::calls(1 << 20);
    let layout = Layout::new(&trace);
    let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
    let n_slices = trace.slices().len() as u64;
    let mut group = criterion.benchmark_group("spall-layout/sums/calls-1M");
    group.sample_size(10);
    group.throughput(Throughput::Elements(n_slices));
    group.bench_function("statistics", |bencher| {
        bencher.iter(|| {
            let names = Stats::new(&trace, &layout, tracks(&trace), EVER).run();
            assert_eq!(names.iter().map(|name| name.count).sum::<u64>(), n_slices);
        });
    });
    group.bench_function("tree", |bencher| {
        bencher.iter_with_large_drop(|| {
            let tree = slice_tree(&trace, &layout, tracks(&trace), EVER, Measure::WallTime, by_name).run();
            assert_eq!(tree.nodes().iter().map(|node| node.count).sum::<u64>(), n_slices);
            tree
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("spall-layout/sums/calls-1M, part");
    let Range { start, end } = trace.bounds().unwrap_or_default();
    let step = (end.0 - start.0) / 100;
    let mut dragged = Stats::new(&trace, &layout, tracks(&trace), start..Tick(end.0 / 2));
    _ = dragged.step(usize::MAX);
    let mut ahead = false;
    group.bench_function("statistics, an edge moved by a hundredth", |bencher| {
        bencher.iter(|| {
            ahead = !ahead;
            dragged.move_to(start..Tick(end.0 / 2 + if ahead { step } else { 0 }));
            assert!(dragged.step(usize::MAX).is_some());
        });
    });
    let tree = slice_tree(&trace, &layout, tracks(&trace), EVER, Measure::WallTime, by_name).run();
    group.bench_function("rows of the tree", |bencher| {
        bencher.iter_with_large_drop(|| flame_rows(tree.nodes()).run());
    });
    let rows = flame_rows(tree.nodes()).run();
    let viewport = Viewport::new(Tick(0)..Tick(tree.total().0), COLUMNS);
    let mut rects = Vec::new();
    group.bench_function("frame of the tree", |bencher| {
        bencher.iter(|| rects_of(&rows, &viewport, &mut rects));
    });
    assert_eq!(n_counted(&rects), tree.nodes().len());
    group.finish();
}

criterion_group!(benches, build, row, many_rows, sums);
criterion_main!(benches);
