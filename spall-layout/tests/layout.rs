//! Lays out whole traces and checks rows, lanes, depths, parents and self times. \[layout 4\]

use spall_layout::{Layout, LayoutView, RowId};
use spall_model::{
    AsyncPhase, Event, KeyedEvent, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace,
    TraceBuilder, TraceView,
};
use spall_synth::Random;

pub(crate) fn event(tid: i64, at: i64, name: &'static str) -> ThreadEvent<'static> {
    ThreadEvent::new(Thread::new(1_i64, tid), Tick(at), Text::plain(name.as_bytes()))
}

pub(crate) fn trace_of(events: &[Event<'static>]) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for event in events {
        builder.push(event);
    }
    builder.finish()
}

pub(crate) fn complete(name: &'static str, start: i64, end: i64) -> Event<'static> {
    Event::Complete(event(1, start, name), Ticks(end - start))
}

pub(crate) fn span(phase: AsyncPhase, name: &'static str, at: i64) -> Event<'static> {
    let keyed = KeyedEvent::new(1_i64, Tick(at), 9_i64, Text::plain(name.as_bytes()));
    Event::Async(phase, keyed.with_category(Text::plain(b"c")))
}

/// Prints every slice as `name lane.depth start-end self <parent`, in the order of the trace.
fn describe(events: &[Event<'static>]) -> Vec<String> {
    let trace = trace_of(events);
    let layout = Layout::new(&trace);
    let name = |slice: SliceId| trace.name(trace.slice(slice).unwrap().name).into_owned();
    (0..trace.slices().len())
        .map(|index| {
            let slice = SliceId(index as u32);
            let Some(place) = layout.place(slice) else { return format!("{} -", name(slice)) };
            let own = layout.self_time(slice).unwrap().0;
            let parent = layout.parent(slice).map_or(String::new(), |parent| format!(" <{}", name(parent)));
            let (start, end) = (place.start.0, place.end.0);
            format!("{} {}.{} {start}-{end} {own}{parent}", name(slice), place.lane, place.depth)
        })
        .collect()
}

#[test]
fn layout_4_1_rows_are_lane_by_lane_and_depth_by_depth() {
    let events = [complete("a", 0, 10), complete("b", 2, 5), complete("c", 6, 12), complete("d", 7, 8)];
    let trace = trace_of(&events);
    let layout = Layout::new(&trace);
    let rows: Vec<_> = layout
        .rows()
        .iter()
        .map(|row| {
            let info = layout.row_info(row).unwrap();
            let ids: Vec<_> = layout.row(row).unwrap().slices().iter().map(|id| id.0).collect();
            (info.track.0, info.lane, info.depth, ids)
        })
        .collect();
    assert_eq!(rows, [(0, 0, 0, vec![0]), (0, 0, 1, vec![1, 3]), (0, 1, 0, vec![2])]);
    assert_eq!(layout.n_overlapping(), 1);
}

#[test]
fn layout_4_2_what_overlaps_goes_to_a_lane_of_its_own() {
    let events = [complete("a", 0, 10), complete("b", 6, 12), complete("c", 7, 11)];
    assert_eq!(describe(&events), ["a 0.0 0-10 10", "b 1.0 6-12 2", "c 1.1 7-11 4 <b"]);
}

#[test]
fn layout_4_3_a_small_overhang_overlaps() {
    let events = [complete("a", 0, 10), complete("b", 6, 11)];
    assert_eq!(describe(&events)[1], "b 1.0 6-11 5");
}

#[test]
fn layout_4_4_an_unfinished_slice_is_drawn_to_the_end_of_the_slice_around_it() {
    let events = [
        complete("a", 0, 10),
        Event::Unfinished(event(1, 5, "b")),
        Event::Unfinished(event(1, 20, "c")),
        complete("d", 25, 30),
    ];
    assert_eq!(describe(&events), ["a 0.0 0-10 5", "b 0.1 5-10 5 <a", "c 0.0 20-30 5", "d 0.1 25-30 5 <c"]);
}

#[test]
fn layout_4_5_async_spans_keep_the_depth_of_their_group() {
    use AsyncPhase::{Begin, End};
    let events = [
        span(Begin, "a", 0),
        span(Begin, "b", 0),
        span(End, "a", 10),
        span(Begin, "c", 15),
        span(End, "b", 20),
        span(End, "c", 30),
        span(Begin, "d", 30),
        span(End, "d", 40),
    ];
    let mut described = describe(&events);
    described.sort();
    assert_eq!(described, ["a 0.0 0-10 0", "b 0.1 0-20 15 <a", "c 0.2 15-30 15 <b", "d 0.0 30-40 10"]);
}

#[test]
fn layout_4_6_neighbours_and_children() {
    let events = [complete("a", 0, 10), complete("b", 1, 2), complete("c", 3, 4), complete("d", 10, 11)];
    let trace = trace_of(&events);
    let layout = Layout::new(&trace);
    let [a, b, c, d] = [0, 1, 2, 3].map(SliceId);
    assert_eq!(layout.children(a), [b, c]);
    assert_eq!(layout.children(d), []);
    assert_eq!((layout.next(a), layout.previous(d)), (Some(d), Some(a)));
    assert_eq!((layout.next(b), layout.next(c), layout.previous(b)), (Some(c), None, None));
    let row = layout.row(RowId(0)).unwrap();
    assert_eq!([-1, 0, 9, 10, 11].map(|at| row.find(Tick(at))), [None, Some(a), Some(a), Some(d), None]);
    assert_eq!(layout.place(SliceId(4)), None);
    assert_eq!(layout.parent(SliceId(u32::MAX)), None);
}

#[test]
fn layout_4_7_points_nest_and_are_found() {
    let events = [complete("a", 5, 5), complete("b", 5, 5), complete("c", 7, 9), complete("d", 7, 7)];
    assert_eq!(describe(&events), ["a 0.0 5-5 0", "b 0.1 5-5 0 <a", "c 0.0 7-9 2", "d 0.1 7-7 0 <c"]);
    let layout = Layout::new(&trace_of(&events));
    assert_eq!(layout.row(RowId(0)).unwrap().find(Tick(5)), Some(SliceId(0)));
}

#[test]
fn an_empty_trace_has_no_rows() {
    let layout = Layout::new(&trace_of(&[]));
    assert!(layout.rows().is_empty());
    assert!(layout.row(RowId(0)).is_none());
    assert!(Layout::default().rows().is_empty());
}

/// Makes random slices, which may overlap, on a few threads and in one async group.
pub(crate) fn random_events(random: &mut Random) -> Vec<Event<'static>> {
    let mut below = |end: i64| random.below(end);
    let n_events = 1 + below(80);
    let range = 1 + below(200);
    let mut events = Vec::new();
    let mut at = 0;
    for _ in 0..n_events {
        at += below(5);
        let name = ["a", "b", "c"][usize::try_from(below(3)).unwrap()];
        events.push(match below(8) {
            0 => Event::Begin(event(2, at, name)),
            1 => Event::End(event(2, at, name)),
            2 => span(AsyncPhase::Begin, name, at),
            3 => span(AsyncPhase::End, name, at),
            4 => Event::Unfinished(event(1, below(range), name)),
            _ => Event::Complete(event(below(3), below(range), name), Ticks(below(40))),
        });
    }
    events
}

#[test]
fn every_slice_is_on_one_row_and_rows_do_not_overlap() {
    let mut random = Random(7);
    let mut overlaps = 0;
    for _ in 0..3_000 {
        let trace = trace_of(&random_events(&mut random));
        let layout = Layout::new(&trace);
        overlaps += layout.n_overlapping();
        let mut seen = vec![false; trace.slices().len()];
        for row in layout.rows().iter().map(|row| layout.row(row).unwrap()) {
            assert!(row.slices().is_sorted());
            let mut end = Tick::MIN;
            for ((&slice, &start), &drawn) in row.slices().iter().zip(row.starts()).zip(row.ends()) {
                assert!(end <= start && start <= drawn);
                end = drawn;
                assert!(!core::mem::replace(&mut seen[slice.index()], true));
                let exact = trace.slice(slice).unwrap();
                assert_eq!(start, exact.start);
                assert!(drawn <= exact.end);
                assert_eq!(layout.row_of(slice), Some(row.id()));
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    }
    assert!(overlaps > 5_000);
}

#[test]
fn self_time_and_the_time_of_the_children_add_up() {
    let mut random = Random(8);
    for _ in 0..2_000 {
        let trace = trace_of(&random_events(&mut random));
        let layout = Layout::new(&trace);
        for index in 0..trace.slices().len() {
            let slice = SliceId(index as u32);
            let place = layout.place(slice).unwrap();
            let children = layout.children(slice);
            assert!(children.iter().all(|&child| layout.parent(child) == Some(slice)));
            let inside = |child: &SliceId| {
                let child = layout.place(*child).unwrap();
                assert!(
                    place.start <= child.start && place.depth + 1 == child.depth && place.lane == child.lane
                );
                (child.end.min(place.end) - child.start).0
            };
            let sum: i64 = children.iter().map(inside).sum();
            assert_eq!(layout.self_time(slice).unwrap().0 + sum, (place.end - place.start).0);
            if place.depth > 0 {
                assert!(layout.children(layout.parent(slice).unwrap()).contains(&slice));
            } else {
                assert_eq!(layout.parent(slice), None);
            }
        }
    }
}
