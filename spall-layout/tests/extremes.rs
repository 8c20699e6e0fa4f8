//! Nothing overflows at the ends of time, and what is odd is answered. Tests run with overflow checks.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod common;

use spall_layout::{
    DiffWidth, EdgeRule, Fidelity, Frame, Inverted, Layout, Live, Options, Packed, Packing, RowId, Scratch,
    Stats, Tree, TreeDiff, TreeOrder, stats,
};
use spall_model::{
    ByteRange, Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder, TrackId,
};

use common::{Random, tracks};

const TIMES: [i64; 8] = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX / 2, i64::MAX - 1, i64::MAX];

fn time(random: &mut Random) -> Tick {
    Tick(TIMES[usize::try_from(random.below(8)).unwrap()])
}

fn trace(random: &mut Random) -> Trace<'static> {
    let mut builder = TraceBuilder::new(&Limits::default());
    for _ in 0..random.below(30) {
        let name: &[u8] = if random.below(2) == 0 { b"a" } else { b"b" };
        let thread = Thread::new(1_i64, random.below(2));
        let event = ThreadEvent::new(thread, time(random), Text::plain(name));
        builder.push(&Event::Complete(event, Ticks(time(random).0.max(0))), ByteRange::default());
    }
    builder.finish()
}

#[test]
fn sums_and_trees_saturate() {
    let mut random = Random(1);
    for _ in 0..500 {
        let trace = trace(&mut random);
        let layout = Layout::new(&trace, &Options::default());
        let range = time(&mut random)..time(&mut random);
        for edges in [EdgeRule::Clamp, EdgeRule::Whole, EdgeRule::InsideOnly] {
            let fresh = stats(&trace, &layout, tracks(&trace), range.clone(), edges);
            let mut moved = Stats::new(&trace, &layout, tracks(&trace), Tick(-9)..Tick(9), edges);
            moved.step(3);
            moved.move_to(range.clone());
            assert!(moved.step(usize::MAX));
            let sums =
                |stats: &spall_layout::NameStats| (stats.name, stats.count, stats.total, stats.self_time);
            assert!(moved.by_name().iter().map(sums).eq(fresh.iter().map(sums)));
        }
        let tree = Tree::new(&trace, &layout, tracks(&trace), range);
        let all = Tree::new(&trace, &layout, tracks(&trace), Tick::MIN..Tick::MAX);
        let diff = TreeDiff::new(&tree, &all.flatten_recursion());
        for width in [DiffWidth::Larger, DiffWidth::Normalised, DiffWidth::Before, DiffWidth::After] {
            assert!(diff.rows(width, TreeOrder::Weight).len() >= tree.rows(TreeOrder::Name).len());
        }
        let mut inverted = Inverted::bottom_up(&all);
        inverted.expand_all(Ticks(1), 9);
        assert!(inverted.rows(TreeOrder::First).len() <= 10);
    }
}

#[test]
fn packing_and_growing_keep_all_slices() {
    let mut random = Random(2);
    for _ in 0..300 {
        let trace = trace(&mut random);
        let layout = Layout::new(&trace, &Options::default());
        for packing in [Packing::Online, Packing::Compact] {
            let packed = Packed::new(&layout, tracks(&trace), packing);
            let n_slices: usize = packed.lines().iter().map(|line| line.view(RowId(0)).len()).sum();
            assert_eq!(n_slices, trace.slices().len());
            assert!(
                (0..n_slices)
                    .all(|at| { packed.line_of(&layout, SliceId(u32::try_from(at).unwrap())).is_some() })
            );
        }
        let mut live = Live::new();
        let track = live.add_track();
        let n_begun = random.below(40);
        for id in 0..n_begun {
            live.begin(track, time(&mut random), SliceId(u32::try_from(id).unwrap()));
            if random.below(3) > 0 {
                live.end(track, time(&mut random));
            }
        }
        let view = live.commit(time(&mut random));
        let frame = Frame::new(Tick::MIN..Tick::MAX, 50, Fidelity::Exact);
        let mut rects = Vec::new();
        for &row in view.track_rows(track) {
            view.row(row).unwrap().rects(&frame, &mut Scratch::new(), &mut rects);
        }
        // A slice at the very end of time is behind every view.
        let n_drawn: i64 = rects.iter().map(|rect| i64::from(rect.count)).sum();
        assert!(
            n_drawn <= n_begun
                && (n_drawn > 0 || view.row(RowId(0)).is_none_or(|row| row.starts()[0] == Tick::MAX))
        );
    }
}

#[test]
fn what_is_not_there_is_answered() {
    let trace = TraceBuilder::new(&Limits::default()).finish();
    let layout = Layout::new(&trace, &Options::default());
    let nowhere = [TrackId(7), TrackId(u32::MAX)];
    let all = Tick::MIN..Tick::MAX;
    let tree = Tree::new(&trace, &layout, nowhere, all.clone());
    assert!(tree.nodes().is_empty() && tree.rows(TreeOrder::Weight).is_empty());
    assert!(Inverted::bottom_up(&tree).nodes().is_empty());
    assert!(TreeDiff::new(&tree, &tree).nodes().is_empty());
    assert!(stats(&trace, &layout, nowhere, all, EdgeRule::Clamp).is_empty());
    assert!(Packed::new(&layout, nowhere, Packing::Compact).lines().is_empty());
    assert_eq!(Live::new().commit(Tick(0)).track_rows(TrackId(0)), []);
}
