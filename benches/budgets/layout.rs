//! The budgets of the layout.

use std::hint::black_box;
use std::ops::Range;
use std::time::Duration;

use spall_benches::layout_input::{self, Character};
use spall_benches::measure::{fastest, job};
use spall_benches::peer;
use spall_benches::report::{Budget, line, per};
use spall_trace::layout::{Layout, Rect, Row, RowId, Stats, Viewport, slice_tree};
use spall_trace::model::{Function, Job, Measure, Tick, Trace, TraceView, TrackId};

const COLUMNS: u16 = 1920;
const ROWS: u32 = 60;
const SLICES: u32 = 1 << 20;
const SIZES: [(&str, u32); 2] = [("1M", 1 << 20), ("10M", 10 << 20)];

/// Measures all jobs that take less than a gigabyte.
pub(crate) fn all() {
    build();
    sums();
    trees();
    let slowest = SIZES.map(|(size, slices)| rows(size, slices));
    for (frames, (size, _)) in slowest.iter().zip(SIZES).skip(1) {
        compare_frames(size, frames, &slowest[0]);
    }
}

/// Measures the jobs of a hundred million slices.
pub(crate) fn large() {
    let small = rows("1M", 1 << 20);
    let large = rows("100M", 100_000_000);
    compare_frames("100M", &large, &small);
}

fn fastest_of(mut run: impl FnMut()) -> Duration {
    fastest(&mut [job(&mut run)], 25).first().copied().unwrap_or_default()
}

fn build() {
    let trace = layout_input::families(SLICES, false).finish();
    let sorted = per(fastest_of(|| drop(Layout::new(&trace))), trace.slices().len());
    line("layout", "sorted/1M", "ns/slice", sorted, None, Budget::AtMost(40.0));
    let trace = layout_input::calls(SLICES);
    let sorted = per(fastest_of(|| drop(Layout::new(&trace))), trace.slices().len());
    line("layout", "calls/1M", "ns/slice", sorted, None, Budget::AtMost(40.0));
    let shuffled = || layout_input::family_slices(SLICES, true);
    let mut jobs =
        [job(|| layout_input::families(SLICES, true).finish()), job(|| peer::sort::rows(shuffled()))];
    let [ours, rival] = fastest(&mut jobs, 9).try_into().unwrap_or_default();
    let [ours, rival] = [ours, rival].map(|time| per(time, SLICES as usize));
    let rival = Some(("rows, stably sorted", rival));
    line("building", "shuffled/1M", "ns/slice", ours, rival, Budget::Slower(1.5));
}

fn tracks(trace: &Trace) -> impl Iterator<Item = TrackId> + use<> {
    (0..u32::try_from(trace.tracks().len()).unwrap_or(0)).map(TrackId)
}

const EVER: std::ops::Range<Tick> = Tick::MIN..Tick::MAX;

/// Measures statistics of all slices, and of a range whose edges move.
fn sums() {
    for (name, trace) in [
        ("families/1M", layout_input::families(SLICES, false).finish()),
        ("calls/1M", layout_input::calls(SLICES)),
    ] {
        let layout = Layout::new(&trace);
        let n_slices = trace.slices().len();
        let time = fastest_of(|| {
            let names = Stats::new(&trace, &layout, tracks(&trace), EVER).run();
            assert_eq!(names.iter().map(|name| name.count).sum::<u64>(), n_slices as u64);
        });
        line("statistics", name, "ns/slice", per(time, n_slices), None, Budget::AtMost(5.0));
    }
    let trace = layout_input::calls(SLICES);
    let layout = Layout::new(&trace);
    let Range { start, end } = trace.bounds().unwrap_or_default();
    let (step, half) = ((end.0 - start.0) / 100, start.0 + (end.0 - start.0) / 2);
    let mut dragged = Stats::new(&trace, &layout, tracks(&trace), start..Tick(half));
    _ = dragged.step(usize::MAX);
    let count = |dragged: &Stats<'_>| dragged.all().iter().map(|name| name.count).sum::<u64>();
    let before = count(&dragged);
    dragged.move_to(start..Tick(half + step));
    _ = dragged.step(usize::MAX);
    let moved = usize::try_from(count(&dragged) - before).unwrap_or(1);
    let mut ahead = true;
    let time = fastest_of(|| {
        ahead = !ahead;
        dragged.move_to(start..Tick(half + if ahead { step } else { 0 }));
        assert!(dragged.step(usize::MAX).is_some());
    });
    let input = format!("calls/1M, by {moved} slices");
    line("statistics, dragged", &input, "ns/slice", per(time, moved), None, Budget::Open);
}

fn trees() {
    let trace = layout_input::calls(SLICES);
    let layout = Layout::new(&trace);
    let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
    let n_slices = trace.slices().len();
    let time = fastest_of(|| {
        let tree = slice_tree(&trace, &layout, tracks(&trace), EVER, Measure::WallTime, by_name).run();
        assert_eq!(tree.nodes().iter().map(|node| node.count).sum::<u64>(), n_slices as u64);
    });
    line("merged tree", "calls/1M", "ns/slice", per(time, n_slices), None, Budget::AtMost(60.0));
}

/// Measures rows of `slices` slices, alone and 60 together. Returns the time of a picture of each character.
fn rows(size: &str, slices: u32) -> Vec<(Character, Duration)> {
    Character::ALL
        .into_iter()
        .map(|character| {
            let input = format!("{}/{size}", character.name());
            one_row(&input, &layout_input::rows(character, slices, 1));
            let viewport = many_rows(&input, character, &layout_input::rows(character, slices, ROWS));
            (character, viewport)
        })
        .collect()
}

fn rects_of(rows: &[Row], viewport: &Viewport, out: &mut Vec<Rect>) {
    out.clear();
    for (row, id) in rows.iter().zip((0..).map(RowId)) {
        row.view(id).rects(viewport, out);
    }
}

/// Asserts that each slice that touches the viewport is in one rectangle.
fn check(rows: &[Row], viewport: &Viewport, rects: &[Rect]) {
    let seen: usize = rows.iter().map(|row| row.view(RowId(0)).visible(viewport).len()).sum();
    assert_eq!(rects.iter().map(|rect| rect.count as usize).sum::<usize>(), seen);
}

/// Measures the slowest of 8 zoom levels of one dense row, and the queries about one time in it.
fn one_row(input: &str, rows: &[Row]) {
    let Some(row) = rows.first().map(|row| row.view(RowId(0))) else { return };
    let extent = layout_input::extent(&row);
    let mut rects = Vec::new();
    let mut slowest = (Duration::ZERO, Duration::ZERO, 0);
    for zoom in (0..16).step_by(2) {
        let viewport = Viewport::new(layout_input::middle(&extent, zoom), COLUMNS);
        // One after the other: the search reaches over all slices, and would leave nothing of the index in the caches.
        let ours = fastest_of(|| rects_of(rows, &viewport, &mut rects));
        let scan = fastest_of(|| _ = black_box(peer::layout::skip_scan(&row, &viewport)));
        check(rows, &viewport, &rects);
        slowest = slowest.max((ours, scan, zoom));
    }
    let (ours, scan, zoom) = slowest;
    let name = format!("{input}, zoom 2^{zoom} of 8");
    let rival = Some(("a search per column", per(scan, 1000)));
    line("dense row", &name, "us", per(ours, 1000), rival, Budget::AtMost(100.0));
    // The times are far apart, so that a cache holds no more than it would for a pointer that moves.
    let step = (extent.end.0 - extent.start.0) / 1009;
    let places = || (0..1000).map(|place| Tick(extent.start.0 + place * 389 % 1009 * step));
    let find = fastest_of(|| _ = black_box(places().filter_map(|at| row.find(at)).count()));
    line("find", input, "ns", per(find, 1000), None, Budget::AtMost(1000.0));
}

/// Measures a picture of many dense rows, and the query for the slice under the pointer.
fn many_rows(input: &str, character: Character, rows: &[Row]) -> Duration {
    let Some(row) = rows.first() else { return Duration::ZERO };
    let extent = layout_input::extent(&row.view(RowId(0)));
    let viewport = Viewport::new(extent, COLUMNS);
    let mut rects = Vec::new();
    let whole = fastest_of(|| rects_of(rows, &viewport, &mut rects));
    check(rows, &viewport, &rects);
    // Rows of long gaps and long slices are dense in places only.
    let (name, budget) = match character {
        Character::Even => ("frame of 60 dense rows", Budget::AtMost(6.0)),
        Character::Mixed => ("frame of 60 mixed rows", Budget::Open),
    };
    let what = format!("{input}, {}k rectangles", rects.len() / 1000);
    line(name, &what, "ms", per(whole, 1_000_000), None, budget);
    for box_width in [2, 4] {
        let boxes = viewport.with_box_width(box_width);
        let time = fastest_of(|| rects_of(rows, &boxes, &mut rects));
        check(rows, &boxes, &rects);
        let name = format!("the same in boxes of {box_width} columns");
        let what = format!("{input}, {}k rectangles", rects.len() / 1000);
        let rival = Some(("a column", per(whole, 1_000_000)));
        line(&name, &what, "ms", per(time, 1_000_000), rival, Budget::Open);
    }
    rects_of(rows, &viewport, &mut rects);
    let places = || (0..1000).map(|place| (RowId(place * 7 % ROWS), place * 389 % u32::from(COLUMNS)));
    let hit = fastest_of(|| {
        let hits = places().filter_map(|(row, column)| Rect::hit(&rects, row, column));
        black_box(hits.count());
    });
    line("hit test", input, "ns", per(hit, 1000), None, Budget::AtMost(1000.0));
    whole
}

/// Compares the pictures of large and small rows, which are alike where rows are dense throughout.
fn compare_frames(size: &str, large: &[(Character, Duration)], small: &[(Character, Duration)]) {
    for (&(character, large), &(_, small)) in large.iter().zip(small) {
        if character == Character::Even {
            let rival = Some(("the same of 1M", per(small, 1_000_000)));
            let input = format!("even/{size}");
            line("frame of 60 dense rows", &input, "ms", per(large, 1_000_000), rival, Budget::Slower(2.0));
        }
    }
}
