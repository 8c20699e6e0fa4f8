//! Layout: building it, and asking dense rows for their rectangles.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use spall::layout::{Fidelity, Frame, Layout, Options, RowId, Scratch};
use spall::model::{Tick, Trace};
use spall_benches::input;

const SIZES: [(&str, u32); 2] = [("1M", 1 << 20), ("10M", 10 << 20)];
/// Columns of a wide screen.
const COLUMNS: u16 = 1920;
const ROWS: u32 = 60;

fn build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spall-layout/build/families");
    group.sample_size(10);
    for (size, slices) in SIZES {
        let trace = input::families(slices, false).finish();
        group.throughput(Throughput::Elements(trace.slices().len() as u64));
        group.bench_function(size, |bencher| {
            bencher.iter_with_large_drop(|| {
                let layout = Layout::new(&trace, &Options::default());
                assert_eq!(layout.rows().len(), 16);
                layout
            });
        });
    }
    group.finish();
}

/// The middle part of a trace, one `2^zoom`th of it.
fn view(trace: &Trace<'_>, zoom: u32) -> std::ops::Range<Tick> {
    let (first, last) = trace.bounds().unwrap_or_default();
    let length = (last.0 - first.0) >> zoom;
    let start = first.0 + (last.0 - first.0 - length) / 2;
    Tick(start)..Tick(start + length)
}

fn row(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spall-layout/row/dense");
    for (size, slices) in SIZES {
        let trace = input::dense_rows(slices, 1).finish();
        let layout = Layout::new(&trace, &Options::default());
        let Some(row) = layout.row(RowId(0)) else { continue };
        for zoom in (0..16).step_by(2) {
            let frame = Frame::new(view(&trace, zoom), COLUMNS, Fidelity::Fast);
            let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
            group.bench_function(BenchmarkId::new(size, format!("zoom-{zoom}")), |bencher| {
                bencher.iter(|| {
                    rects.clear();
                    row.rects(&frame, &mut scratch, &mut rects);
                    assert!(!rects.is_empty());
                    black_box(rects.len())
                });
            });
        }
    }
    group.finish();
}

fn frame(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spall-layout/frame/60-dense-rows");
    for (size, slices) in SIZES {
        let trace = input::dense_rows(slices, ROWS).finish();
        let layout = Layout::new(&trace, &Options::default());
        assert_eq!(layout.rows().len(), ROWS as usize);
        let frame = Frame::new(view(&trace, 0), COLUMNS, Fidelity::Fast);
        let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
        group.bench_function(size, |bencher| {
            bencher.iter(|| {
                rects.clear();
                for row in layout.rows().filter_map(|row| layout.row(RowId(row))) {
                    row.rects(&frame, &mut scratch, &mut rects);
                }
                assert!(rects.len() >= ROWS as usize);
                black_box(rects.len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, build, row, frame);
criterion_main!(benches);
