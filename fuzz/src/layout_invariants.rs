//! The layout of any trace has consistent lanes, loses no slice, and has self times that add up. The rectangles of any
//! viewport show every slice once, compared with a look at all slices.

use arbitrary::{Result, Unstructured};
use spall_trace::layout::{Layout, LayoutView, Rect, RowView, Stats, Viewport, slice_tree};
use spall_trace::model::{
    Function, Job, Limits, Measure, SliceId, Tick, Ticks, Trace, TraceBuilder, TraceView, TrackId, TrackKind,
};

use crate::events;

/// Lays out a trace of random slices and looks at it through random viewports. Returns whether there were slices.
///
/// # Panics
/// When a guarantee of the layout does not hold.
pub fn run(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let Ok(views) = settings(&mut u) else { return false };
    let all_kinds = u.ratio(1, 4).unwrap_or(false);
    let events = if all_kinds { events::sequence(&mut u) } else { events::slices(&mut u) };
    let mut builder = TraceBuilder::new(&Limits::default());
    events.iter().for_each(|event| builder.push(event));
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    check_places(&trace, &layout);
    check_family(&trace, &layout);
    for row in layout.rows() {
        let Some(row) = layout.row(row) else { panic!("{row:?} is missing") };
        for &View { start, duration, columns, box_width } in &views {
            let viewport = Viewport::new(start..start + duration, columns);
            check_viewport(&row, &viewport.with_box_width(box_width));
        }
    }
    check_sums(&trace, &layout, &views);
    trace.slices().len() > 5
}

/// A range of time to show, and how to show it.
struct View {
    start: Tick,
    duration: Ticks,
    columns: u16,
    box_width: u16,
}

fn settings(u: &mut Unstructured<'_>) -> Result<Vec<View>> {
    let mut views = Vec::new();
    for _ in 0..4 {
        let wild = u.ratio(1, 8)?;
        views.push(View {
            start: Tick(if wild { u.arbitrary()? } else { u.int_in_range(-20..=400)? }),
            duration: Ticks(if wild { u.int_in_range(0..=i64::MAX)? } else { u.int_in_range(0..=800)? }),
            columns: u.int_in_range(1..=200)?,
            box_width: *u.choose(&[1, 1, 2, 3, 4, 8])?,
        });
    }
    Ok(views)
}

fn ids(trace: &Trace) -> impl Iterator<Item = SliceId> {
    (0..u32::try_from(trace.slices().len()).unwrap()).map(SliceId)
}

fn is_span(trace: &Trace, slice: SliceId) -> bool {
    let track = trace.track_of(slice).unwrap();
    matches!(trace.tracks()[track.index()].kind, TrackKind::Async { .. })
}

/// Every slice has one place on a row of its track, and the slices of a row do not overlap.
fn check_places(trace: &Trace, layout: &Layout) {
    let mut placed = 0;
    for row in layout.rows().iter() {
        let (info, view) = (layout.row_info(row).unwrap(), layout.row(row).unwrap());
        assert!(!view.is_empty() && layout.track_rows(info.track).contains(row), "{row:?}");
        assert!(view.starts().is_sorted());
        let mut before = Tick::MIN;
        for ((&slice, &start), &end) in view.slices().iter().zip(view.starts()).zip(view.ends()) {
            let place = layout.place(slice).unwrap();
            assert_eq!((place.row, place.start, place.end), (row, start, end), "{slice:?}");
            assert_eq!(
                (place.track, place.lane, place.depth),
                (info.track, info.lane, info.depth),
                "{slice:?}"
            );
            assert_eq!(trace.track_of(slice), Some(info.track));
            let whole = trace.slice(slice).unwrap();
            assert!(
                start == whole.start && start <= end && end <= whole.end,
                "{slice:?} is drawn longer than it is"
            );
            assert!(end == whole.end || whole.flags.is_unfinished(), "{slice:?} is cut");
            if !is_span(trace, slice) {
                assert!(before <= start, "{slice:?} lies over the one before it");
            }
            before = end;
            placed += 1;
        }
    }
    assert_eq!(placed, trace.slices().len(), "each has one place");
}

/// Checks that children lie in their parents, one row below, and leave the self time of the parent.
fn check_family(trace: &Trace, layout: &Layout) {
    let mut n_children = 0;
    let mut with_parent = 0;
    for slice in ids(trace) {
        let Some(place) = layout.place(slice) else { continue };
        let inside: i128 = layout
            .children(slice)
            .iter()
            .map(|&child| {
                assert_eq!(layout.parent(child), Some(slice));
                n_children += 1;
                // An async span may go on when the one around it has ended. [layout 4.5]
                let outlives = is_span(trace, child);
                let says_parent = trace.said_parent(child).is_some();
                let child = layout.place(child).unwrap();
                if says_parent {
                    // It may lie in another lane, and begin before its parent. [layout 4.6]
                    return 0;
                }
                assert_eq!(
                    (child.track, child.lane, child.depth),
                    (place.track, place.lane, place.depth + 1)
                );
                let last = if outlives { child.start } else { child.end };
                assert!(place.start <= child.start && last <= place.end, "{child:?} leaves {place:?}");
                i128::from(child.end.0) - i128::from(child.start.0)
            })
            .sum();
        with_parent += u32::from(layout.parent(slice).is_some());
        let own = i128::from(place.end.0) - i128::from(place.start.0) - inside;
        let self_time = i128::from(layout.self_time(slice).unwrap().0);
        assert!(
            is_span(trace, slice) || self_time == own.min(i64::MAX.into()),
            "{slice:?}: {self_time}, not {own}"
        );
    }
    assert_eq!(n_children, with_parent);
}

/// Rectangles are in order and disjoint, and each slice that touches the viewport is counted by exactly one.
fn check_viewport(row: &RowView<'_>, viewport: &Viewport) {
    let mut rects = Vec::new();
    row.rects(viewport, &mut rects);
    let view = viewport.range();
    if view.is_empty() {
        return assert!(rects.is_empty(), "nothing can be seen of {view:?}");
    }
    let touches = |&at: &usize| {
        let (start, end) = (row.starts()[at], row.ends()[at]);
        // Half open, but a point is where it is.
        start < view.end && (end > view.start || start == end && start >= view.start)
    };
    // A slice beside the range but in a column that the range touches may be shown as well.
    let counted: Vec<usize> =
        rects.iter().flat_map(|rect| rect.first as usize..(rect.first + rect.count) as usize).collect();
    assert!(counted.is_sorted_by(|a, b| a < b), "G4 each at most once");
    for at in (0..row.len()).filter(touches) {
        assert!(counted.binary_search(&at).is_ok(), "G4 slice {at} of {row:?} is not shown in {viewport:?}");
    }
    let mut covered = vec![false; viewport.columns() as usize];
    let mut end = 0;
    for rect in &rects {
        let Rect { x0, x1, count, slice, .. } = *rect;
        assert!(end <= x0 && x0 < x1 && x1 <= viewport.columns(), "G2 {rect:?}");
        assert!(
            count > 0 && row.slices()[rect.first as usize..][..count as usize].contains(&slice),
            "G4 {rect:?}"
        );
        covered[x0 as usize..x1 as usize].fill(true);
        end = x1;
    }
    for at in (0..row.len()).filter(touches) {
        let (start, end) = (row.starts()[at].max(view.start), row.ends()[at].min(view.end));
        let last = Tick(end.0.saturating_sub(1)).max(start);
        let columns = viewport.column(start).unwrap()..=viewport.column(last).unwrap();
        assert!(
            covered[*columns.start() as usize..=*columns.end() as usize].iter().all(|&is| is),
            "G1 slice {at}"
        );
    }
    check_boxes(row, viewport, &rects, &covered);
}

/// Boxes of any width cover the same columns. The owner of each is its longest slice.
fn check_boxes(row: &RowView<'_>, viewport: &Viewport, rects: &[Rect], covered: &[bool]) {
    let mut narrow = Vec::new();
    row.rects(&viewport.with_box_width(1), &mut narrow);
    let mut expected = vec![false; covered.len()];
    for rect in &narrow {
        expected[rect.x0 as usize..rect.x1 as usize].fill(true);
    }
    assert_eq!(covered, expected, "G1 of {row:?}");
    let duration = |at: u32| row.ends()[at as usize].0.abs_diff(row.starts()[at as usize].0);
    for rect in rects {
        let longest = (rect.first..rect.first + rect.count).rev().max_by_key(|&at| duration(at)).unwrap();
        assert_eq!(rect.slice, row.slices()[longest as usize], "{rect:?}");
    }
}

/// Checks that statistics of adjacent ranges add up, and that a call tree has all of the time.
fn check_sums(trace: &Trace, layout: &Layout, views: &[View]) {
    let all: Vec<TrackId> = trace.tracks().iter().map(|track| track.id).collect();
    let View { start, duration, .. } = views[0];
    let (middle, end) = (start + Ticks(duration.0 / 2), start + duration);
    let sum = |tracks: &[TrackId], range: core::ops::Range<Tick>| -> i128 {
        Stats::new(trace, layout, tracks.iter().copied(), range)
            .run()
            .iter()
            .map(|name| i128::from(name.self_time.0))
            .sum()
    };
    // Where sums are beyond 64 bits they are not exact.
    let far = |tick: Tick| tick.0.unsigned_abs() > 1 << 48;
    if far(start)
        || far(end)
        || trace.slices().starts().iter().chain(trace.slices().ends()).any(|&tick| far(tick))
    {
        return;
    }
    assert_eq!(sum(&all, start..middle) + sum(&all, middle..end), sum(&all, start..end), "self times add up");
    let total = |tracks: &[TrackId]| -> i128 {
        let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
        let tracks = tracks.iter().copied();
        slice_tree(trace, layout, tracks, start..end, Measure::WallTime, by_name).run().total().0.into()
    };
    // Of an async span that goes on when the one around it has ended, the tree has the time inside of that.
    let end_of = |slice| layout.place(slice).map(|place| place.end);
    let outlives = |slice| layout.parent(slice).is_some_and(|parent| end_of(slice) > end_of(parent));
    let (cut, whole): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|&track| trace.slices_of(track).any(|(id, _)| outlives(id)));
    assert_eq!(total(&whole), sum(&whole, start..end), "the tree has all of the time");
    assert!(total(&cut) <= sum(&cut, start..end), "the tree has no more than the time");
}
