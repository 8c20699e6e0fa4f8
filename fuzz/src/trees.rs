//! Call trees of any trace: no filter, inversion or comparison loses time, and boxes lie inside those of their callers.

use arbitrary::{Result, Unstructured};
use spall_trace::layout::{
    Layout, Packed, Row, RowId, Series, SliceStats, Stats, diff_rows, flame_rows, slice_tree,
};
use spall_trace::model::{
    CallTree, DiffWidth, Function, InvertedTree, Job, Limits, Measure, NameId, Tick, Ticks, Trace,
    TraceBuilder, TraceView, TrackId, TreeDiff, TreeNode, TreeNodeId,
};

use crate::events;

/// Makes trees of a random trace, and other summaries of it. Returns whether there were slices.
///
/// # Panics
/// When time is lost, or what is drawn overlaps.
pub fn run(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let Ok((ranges, mask)) = settings(&mut u) else { return false };
    let events = if mask % 2 == 0 { events::slices(&mut u) } else { events::sequence(&mut u) };
    let mut builder = TraceBuilder::new(&Limits::default());
    events.iter().for_each(|event| builder.push(event));
    let trace = builder.finish();
    // Where sums are beyond 64 bits they are not exact.
    let far = |tick: &Tick| tick.0.unsigned_abs() > 1 << 48;
    if trace.slices().starts().iter().chain(trace.slices().ends()).any(far) {
        return false;
    }
    let layout = Layout::new(&trace);
    let tracks = || (0..u32::try_from(trace.tracks().len()).unwrap()).map(TrackId);
    let picked = |name: NameId| mask >> (name.index() % 8) & 1 == 1;
    let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
    let trees = ranges
        .clone()
        .map(|range| slice_tree(&trace, &layout, tracks(), range, Measure::WallTime, by_name).run());
    for tree in &trees {
        check_tree(tree.nodes(), tree.total());
        check_boxes(&flame_rows(tree.nodes()).run(), tree.nodes());
        check_filters(tree, picked);
        check_inverted(tree);
    }
    check_diff(&trees);
    check_stats(&trace, &layout, &ranges);
    check_packing(&layout, tracks);
    for track in trace.tracks() {
        _ = Series::stacked(trace.counters_of(track.id));
    }
    trace.slices().len() > 5
}

fn settings(u: &mut Unstructured<'_>) -> Result<([core::ops::Range<Tick>; 2], u8)> {
    let mut range = || {
        let start = u.int_in_range(-20..=400)?;
        let duration = if u.arbitrary()? { 1 << 50 } else { u.int_in_range(0..=800)? };
        Ok(Tick(start)..Tick(start + duration))
    };
    Ok(([range()?, range()?], u.arbitrary()?))
}

/// Checks that the total time of each node is its self time plus the total times of its children.
fn check_tree(nodes: &[TreeNode], total: Ticks) {
    let mut below: Vec<i64> = nodes.iter().map(|node| node.self_time.0).collect();
    let mut roots = 0;
    for (at, node) in nodes.iter().enumerate().rev() {
        assert!(node.self_time >= Ticks::ZERO, "{node:?}");
        assert_eq!(node.total.0, below[at], "{node:?}");
        match node.parent {
            Some(parent) => {
                assert!(parent.index() < at && nodes[parent.index()].depth + 1 == node.depth);
                below[parent.index()] += node.total.0;
            }
            None => roots += node.total.0,
        }
    }
    assert_eq!(roots, total.0, "the roots have all of the time");
}

/// Each node has a box as wide as its time, in the box of its caller, and beside the others of its row.
fn check_boxes(rows: &[Row], nodes: &[TreeNode]) {
    let mut places = vec![None; nodes.len()];
    for (depth, row) in rows.iter().enumerate() {
        let view = row.view(RowId(0));
        let mut end = Tick::MIN;
        for at in 0..view.len() {
            let (node, place) = (view.slices()[at].index(), view.starts()[at]..view.ends()[at]);
            assert!(end <= place.start, "boxes overlap");
            end = place.end;
            assert_eq!((nodes[node].depth as usize, nodes[node].total), (depth, place.end - place.start));
            places[node] = Some(place);
        }
    }
    for (node, place) in nodes.iter().zip(&places) {
        let place = place.as_ref().expect("each node has a box");
        let above =
            node.parent.map_or(Tick::MIN..Tick::MAX, |parent| places[parent.index()].clone().unwrap());
        assert!(
            above.start <= place.start && place.end <= above.end,
            "{node:?} leaves its caller: {place:?} {above:?}"
        );
    }
}

/// Time that a filter takes out of a tree is left out, not lost.
fn check_filters(tree: &CallTree, picked: impl Fn(NameId) -> bool) {
    let picked = |function: Function| picked(function.name);
    let of = tree.nodes().first().map_or(Function::named(NameId(0)), |node| node.function);
    let kept = tree.keep_stacks(&picked);
    let dropped = tree.drop_stacks(&picked);
    assert_eq!(kept.total().0 + dropped.total().0, tree.total().0, "a stack has a match or none");
    assert!(dropped.nodes().iter().all(|node| !picked(node.function)));
    let hidden = tree.hide(&picked);
    assert!(hidden.nodes().iter().all(|node| !picked(node.function)));
    let flat = tree.flatten_recursion();
    assert_eq!(flat.unattributed().time, Ticks::ZERO);
    for (at, node) in flat.nodes().iter().enumerate() {
        let mut above = flat.nodes()[at].parent;
        while let Some(caller) = above {
            assert_ne!(flat.nodes()[caller.index()].function, node.function, "there is recursion left");
            above = flat.nodes()[caller.index()].parent;
        }
    }
    let renamed = tree.rename(|function| if picked(function) { of } else { function });
    assert_eq!(renamed.unattributed().time, Ticks::ZERO);
    for made in [kept, dropped, hidden, flat, renamed, tree.callees(of)] {
        check_tree(made.nodes(), made.total());
        assert_eq!(made.total().0 + made.unattributed().time.0, tree.total().0, "time is kept");
        let count = |tree: &CallTree| tree.nodes().iter().map(|node| node.count).sum::<u64>();
        assert!(count(&made) <= count(tree));
    }
}

/// From below all of the time is there as well.
fn check_inverted(tree: &CallTree) {
    let roots = InvertedTree::bottom_up(tree).run();
    assert_eq!(roots.total(), tree.total());
    let mut inverted = roots.expand_all(Ticks::ZERO, 4).run();
    for (at, node) in inverted.nodes().to_vec().iter().enumerate().filter(|(_, node)| node.depth < 4) {
        let callers = inverted.expand(TreeNodeId::new(at));
        let sum: i64 = inverted.nodes()[callers.indices()].iter().map(|caller| caller.total.0).sum();
        assert_eq!(sum + node.self_time.0, node.total.0, "a stack has a caller or ends");
    }
    check_boxes(&flame_rows(inverted.nodes()).run(), inverted.nodes());
    if let Some(node) = tree.nodes().last() {
        let callers = InvertedTree::callers(tree, node.function).run();
        assert_eq!(
            callers.total(),
            tree.callees(node.function).total(),
            "of calls, however one looks at them"
        );
    }
}

fn check_diff([before, after]: &[CallTree; 2]) {
    let diff = TreeDiff::new(before, after);
    assert_eq!(diff.totals(), (before.total(), after.total()));
    for (tree, width) in [(before, DiffWidth::Before), (after, DiffWidth::After)] {
        let widths = diff.widths(width);
        let roots = diff.nodes().iter().zip(&widths).filter(|(node, _)| node.parent.is_none());
        assert_eq!(roots.map(|(_, width)| width.0).sum::<i64>(), tree.total().0);
    }
    for width in [DiffWidth::Larger, DiffWidth::Normalised, DiffWidth::Before, DiffWidth::After] {
        let shown = diff_rows(&diff, width).run().iter().map(|row| row.view(RowId(0)).len()).sum::<usize>();
        assert_eq!(shown, diff.nodes().len());
    }
}

/// Statistics in small steps, moved from one range to another, are those made at once.
fn check_stats(trace: &Trace, layout: &Layout, ranges: &[core::ops::Range<Tick>; 2]) {
    let tracks = || (0..u32::try_from(trace.tracks().len()).unwrap()).map(TrackId);
    let mut moved = Stats::new(trace, layout, tracks(), ranges[0].clone());
    while moved.step(3).is_none() {}
    moved.move_to(ranges[1].clone());
    while moved.step(5).is_none() {}
    let once = Stats::new(trace, layout, tracks(), ranges[1].clone()).run();
    // How short and how long the slices are is then known to a bucket of the histogram.
    let coarse = |names: Vec<SliceStats>| {
        names.into_iter().map(|mut name| {
            (name.min, name.max) = (Ticks(0), Ticks(0));
            name
        })
    };
    assert!(coarse(moved.all()).eq(coarse(once.clone())), "moved to {:?}", ranges[1]);
    for (moved, once) in moved.all().iter().zip(&once) {
        assert!(moved.min <= once.min && once.max <= moved.max, "{moved:?} is not around {once:?}");
    }
    for name in &once {
        let Some(histogram) = moved.histogram(name.function) else { continue };
        assert_eq!(histogram.buckets().map(|(_, count)| u64::from(count)).sum::<u64>(), name.count);
        let quantiles = (0..=4).map(|part| histogram.quantile(part, 4));
        assert!(quantiles.is_sorted(), "quantiles go up");
    }
}

/// Checks that every slice is on one line, and that those of a line do not overlap unless they do in their own track.
fn check_packing<I: Iterator<Item = TrackId>>(layout: &Layout, tracks: impl Fn() -> I) {
    let packed = Packed::new(layout, tracks());
    let mut n_slices = 0;
    for (line, row) in packed.lines().iter().enumerate() {
        let view = row.view(RowId(0));
        n_slices += view.len();
        for &slice in view.slices() {
            assert_eq!(packed.line_of(layout, slice), u32::try_from(line).ok());
        }
    }
    let of_rows: usize = layout.rows().iter().map(|row| layout.row(row).unwrap().len()).sum();
    assert_eq!(n_slices, of_rows);
}
