//! Queries at the ends of time do not overflow, and odd queries get a result. Tests run with overflow checks.

use spall_layout::{Layout, LayoutView, LiveLayout, Packed, RowId, Stats, Viewport, diff_rows, flame_rows};
use spall_model::{
    DiffWidth, Event, InvertedTree, Job, Limits, LiveTrace, SliceId, Text, Thread, ThreadEvent, Tick, Ticks,
    Trace, TraceBuilder, TraceView, TrackId, TreeDiff,
};

use crate::common::{Random, time_tree, tracks};

const TIMES: [i64; 8] = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX / 2, i64::MAX - 1, i64::MAX];

fn time(random: &mut Random) -> Tick {
    Tick(TIMES[usize::try_from(random.below(8)).unwrap()])
}

fn trace(random: &mut Random) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for _ in 0..random.below(30) {
        let name: &[u8] = if random.below(2) == 0 { b"a" } else { b"b" };
        let thread = Thread::new(1_i64, random.below(2));
        let event = ThreadEvent::new(thread, time(random), Text::plain(name));
        builder.push(&Event::Complete(event, Ticks(time(random).0.max(0))));
    }
    builder.finish()
}

#[test]
fn sums_and_trees_saturate() {
    let mut random = Random(1);
    for _ in 0..500 {
        let trace = trace(&mut random);
        let layout = Layout::new(&trace);
        let range = time(&mut random)..time(&mut random);
        let fresh = Stats::new(&trace, &layout, tracks(&trace), range.clone()).run();
        let mut moved = Stats::new(&trace, &layout, tracks(&trace), Tick(-9)..Tick(9));
        moved.step(3);
        moved.move_to(range.clone());
        assert!(moved.step(usize::MAX).is_some());
        let sums =
            |stats: &spall_layout::SliceStats| (stats.function, stats.count, stats.total, stats.self_time);
        assert!(moved.all().iter().map(sums).eq(fresh.iter().map(sums)));
        let tree = time_tree(&trace, &layout, tracks(&trace), range);
        let all = time_tree(&trace, &layout, tracks(&trace), Tick::MIN..Tick::MAX);
        let diff = TreeDiff::new(&tree, &all.flatten_recursion());
        for width in [DiffWidth::Larger, DiffWidth::Normalised, DiffWidth::Before, DiffWidth::After] {
            assert!(diff_rows(&diff, width).run().len() >= flame_rows(tree.nodes()).run().len());
        }
        let inverted = InvertedTree::bottom_up(&all).run().expand_all(Ticks(1), 9).run();
        assert!(flame_rows(inverted.nodes()).run().len() <= 10);
    }
}

#[test]
fn packing_and_growing_keep_all_slices() {
    let mut random = Random(2);
    for _ in 0..300 {
        let trace = trace(&mut random);
        let layout = Layout::new(&trace);
        let packed = Packed::new(&layout, tracks(&trace));
        let n_slices: usize = packed.lines().iter().map(|line| line.view(RowId(0)).len()).sum();
        assert_eq!(n_slices, trace.slices().len());
        let mut slices = (0..u32::try_from(n_slices).unwrap()).map(SliceId);
        assert!(slices.all(|slice| packed.line_of(&layout, slice).is_some()));
        let mut grown = LiveTrace::new(&Limits::default());
        let mut live = LiveLayout::new();
        for _ in 0..random.below(40) {
            let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), time(&mut random), Text::plain(b"a"));
            grown.push(&match random.below(4) {
                0 => Event::Begin(event),
                1 => Event::End(event),
                2 => Event::Unfinished(event),
                _ => Event::Complete(event, Ticks(time(&mut random).0.max(0))),
            });
            live.update(&grown.commit(), time(&mut random));
        }
        let committed = grown.commit();
        let view = live.update(&committed, time(&mut random));
        let n_placed = |track| view.track_rows(track).map(|row| view.row(row).unwrap().len()).sum::<usize>();
        assert_eq!(n_placed(TrackId(0)), committed.n_slices());
        let viewport = Viewport::new(Tick::MIN..Tick::MAX, 50);
        let mut rects = Vec::new();
        for row in view.track_rows(TrackId(0)) {
            view.row(row).unwrap().rects(&viewport, &mut rects);
        }
        // The range of a viewport ends before the last tick, so it cannot show a slice that lies there.
        let n_drawn: usize = rects.iter().map(|rect| rect.count as usize).sum();
        let is_far = |at: usize| committed.slice(SliceId::new(at)).unwrap().start == Tick::MAX;
        assert!(n_drawn <= committed.n_slices() && (n_drawn > 0 || (0..committed.n_slices()).all(is_far)));
    }
}

/// Draws pairs of one thread, which lie in one row, with boxes of some columns: the number of slices and the busy part of
/// each rectangle.
fn rects(
    slices: &[(i64, i64)],
    range: core::ops::Range<Tick>,
    columns: u16,
    box_width: u16,
) -> Vec<(u32, f64)> {
    let mut builder = TraceBuilder::new(&Limits::default());
    for &(start, end) in slices {
        let event = |at| ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(b"a"));
        builder.push(&Event::Begin(event(start)));
        builder.push(&Event::End(event(end)));
    }
    let layout = Layout::new(&builder.finish());
    let mut rects = Vec::new();
    let viewport = Viewport::new(range, columns).with_box_width(box_width);
    layout.row(RowId(0)).unwrap().rects(&viewport, &mut rects);
    rects.iter().map(|rect| (rect.count, f64::from(rect.busy) / f64::from(u16::MAX))).collect()
}

#[test]
fn a_slice_of_more_ticks_than_63_bits_count_shares_no_box_and_is_busy() {
    let slices = [(i64::MIN, i64::MIN + 1), (i64::MIN + 1, 2), (i64::MAX - 9, i64::MAX - 8)];
    let found = rects(&slices, Tick::MIN..Tick::MAX, 16, 16);
    let [(1, 0.0), (1, busy), (1, 0.0)] = found[..] else { panic!("{found:?}") };
    assert!(busy > 0.8, "all of its columns but the last one: {busy}");
}

#[test]
fn boxes_of_a_picture_of_all_time_hold_what_those_of_a_short_one_hold() {
    for column in [1 << 10, 1 << 52] {
        let slices = [(0, 1), (1, 2), (2, 14), (14, 26), (32, 33), (33, 34)];
        let slices = slices.map(|(start, end)| (start * column, end * column));
        let range = Tick(-2048 * column)..Tick(2047 * column);
        let counts: Vec<_> = rects(&slices, range, 4096, 8).into_iter().map(|(count, _)| count).collect();
        assert_eq!(counts, [2, 1, 1, 2], "columns of {column} ticks");
    }
}

#[test]
fn slices_of_a_box_that_reaches_beyond_the_last_tick_are_one_rectangle() {
    // A box begins at a multiple of 16 columns, of a tick each. The last one would end at 2⁶³, which is no tick.
    let slices = [(i64::MAX - 7, i64::MAX - 6), (i64::MAX - 6, i64::MAX - 5), (i64::MAX - 5, i64::MAX - 4)];
    let found = rects(&slices, Tick(i64::MAX - 8)..Tick::MAX, 8, 16);
    assert_eq!(found.iter().map(|&(count, _)| count).collect::<Vec<_>>(), [3]);
}

#[test]
fn queries_about_missing_tracks_return_nothing() {
    let trace = TraceBuilder::new(&Limits::default()).finish();
    let layout = Layout::new(&trace);
    let nowhere = [TrackId(7), TrackId(u32::MAX)];
    let all = Tick::MIN..Tick::MAX;
    let tree = time_tree(&trace, &layout, nowhere, all.clone());
    assert!(tree.nodes().is_empty() && flame_rows(tree.nodes()).run().is_empty());
    assert!(InvertedTree::bottom_up(&tree).run().nodes().is_empty());
    assert!(TreeDiff::new(&tree, &tree).nodes().is_empty());
    assert!(Stats::new(&trace, &layout, nowhere, all).run().is_empty());
    assert!(Packed::new(&layout, nowhere).lines().is_empty());
    let mut nothing = LiveTrace::new(&Limits::default());
    let mut live = LiveLayout::new();
    assert_eq!(live.update(&nothing.commit(), Tick(0)).track_rows(TrackId(0)).count(), 0);
}
