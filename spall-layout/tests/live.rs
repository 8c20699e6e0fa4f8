//! Compares a live layout at any commit with the layout of a finished trace of the same events. \[layout 18\]

use crate::common;
use alloc::collections::BTreeMap;

use spall_layout::{
    Flows, Hits, Layout, LayoutView, Line, LineRect, LiveLayout, LiveView, Row, RowId, SliceStats, Stats,
    Vertical, VerticalStyle, Viewport,
};
use spall_model::{
    Event, Job, Limits, LiveSnapshot, LiveTrace, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace,
    TraceBuilder, TraceView, TrackId,
};

use crate::common::Random;

fn on(tid: i64, at: i64) -> ThreadEvent<'static> {
    ThreadEvent::new(Thread::new(1_i64, tid), Tick(at), Text::plain(b"f"))
}

fn begin(at: i64) -> Event<'static> {
    Event::Begin(on(1, at))
}

fn end(at: i64) -> Event<'static> {
    Event::End(on(1, at))
}

fn complete(at: i64, to: i64) -> Event<'static> {
    Event::Complete(on(1, at), Ticks(to - at))
}

/// Checks the rows of all tracks, and the rectangles of these rows.
fn check(random: &mut Random, trace: &Trace, committed: &LiveSnapshot<'_>, view: &LiveView<'_>) {
    let layout = Layout::new(trace);
    let order: Vec<_> = committed.track_ids().collect();
    assert_eq!(order.len(), trace.tracks().len());
    for ((&live_id, id), track) in order.iter().zip((0..).map(TrackId)).zip(trace.tracks()) {
        // Both list the slices of a track in one order.
        let slices = committed.track(live_id).unwrap().slices();
        let finished = |live: SliceId| {
            let position = slices.iter().position(|&slice| slice == live).unwrap();
            track.slices().iter().nth(position).unwrap()
        };
        let expected: Vec<RowId> = layout.track_rows(id).iter().collect();
        let rows: Vec<_> = view.track_rows(live_id).collect();
        assert_eq!(rows.len(), expected.len());
        for (&row, &expected) in rows.iter().zip(&expected) {
            let mut info = layout.row_info(expected).unwrap();
            info.track = live_id;
            assert_eq!(view.row_info(row).unwrap(), info);
            let (row, expected) = (view.row(row).unwrap(), layout.row(expected).unwrap());
            assert_eq!((row.starts(), row.ends()), (expected.starts(), expected.ends()));
            let of_finished: Vec<_> = row.slices().iter().map(|&slice| finished(slice)).collect();
            assert_eq!(of_finished, expected.slices());
            for _ in 0..2 {
                let start = random.below(300) - 20;
                let range = Tick(start)..Tick(start + random.below(2000));
                let box_width = u16::try_from(1 + random.below(3)).unwrap();
                let viewport = Viewport::new(range, u16::try_from(1 + random.below(90)).unwrap())
                    .with_box_width(box_width);
                let (mut rects, mut expected_rects) = (Vec::new(), Vec::new());
                row.rects(&viewport, &mut rects);
                expected.rects(&viewport, &mut expected_rects);
                for rect in &mut rects {
                    rect.slice = finished(rect.slice);
                    rect.row = expected.id();
                }
                assert_eq!(rects, expected_rects);
            }
        }
    }
    // Only one commit in four, because this takes longer than all the rest.
    if random.below(4) == 0 {
        check_queries(random, trace, &layout, committed, view);
    }
}

/// Checks that a live and a finished layout of the same slices return the same for the same queries.
fn check_queries(
    random: &mut Random,
    trace: &Trace,
    layout: &Layout,
    live: &LiveSnapshot<'_>,
    view: &LiveView<'_>,
) {
    let order: Vec<_> = live.track_ids().collect();
    let of_live = |track: TrackId| order[track.index()];
    let mut finished = BTreeMap::new();
    for (id, track) in trace.track_ids().zip(trace.tracks()) {
        let slices = live.track(of_live(id)).unwrap().slices();
        finished.extend(slices.iter().copied().zip(track.slices()));
    }
    let to_finished = |slice: SliceId| finished[&slice];
    let is_hit = |slice: SliceId| slice.0 % 3 == 1;
    let live_hits = Hits::of_slices(view, |slice| is_hit(to_finished(slice))).run();
    let finished_hits = Hits::of_slices(layout, is_hit).run();
    assert_eq!(live_hits.len(), finished_hits.len());
    for (&slice, &expected) in &finished {
        let (place, same) = (view.place(slice).unwrap(), layout.place(expected).unwrap());
        assert_eq!((place.lane, place.depth, place.position), (same.lane, same.depth, same.position));
        assert_eq!((place.track, place.start, place.end), (of_live(same.track), same.start, same.end));
        let around = [view.parent(slice), view.next(slice), view.previous(slice)];
        let expected_around = [layout.parent(expected), layout.next(expected), layout.previous(expected)];
        assert_eq!(around.map(|slice| slice.map(to_finished)), expected_around);
        let children: Vec<_> = view.children(slice).iter().map(|&child| to_finished(child)).collect();
        assert_eq!(children, layout.children(expected));
        assert_eq!(view.self_time(slice), layout.self_time(expected));
        assert_eq!(live_hits.in_row(place.row), finished_hits.in_row(same.row));
    }
    // Rows of a live layout are numbered as they come, so that only the starts have the same order.
    let start = |slice: Option<SliceId>| Some((slice?, trace.slice(to_finished(slice?))?.start));
    let mut at = start(live_hits.first_from(view, Tick::MIN));
    let mut expected_at = finished_hits.first_from(layout, Tick::MIN);
    for _ in 0..finished_hits.len() {
        assert_eq!(at.map(|(_, start)| start), expected_at.and_then(|slice| Some(trace.slice(slice)?.start)));
        at = at.and_then(|(slice, _)| start(live_hits.next(view, slice)));
        expected_at = expected_at.and_then(|slice| finished_hits.next(layout, slice));
    }
    assert_eq!((at, expected_at), (None, None));

    let range = common::random_range(random);
    let tracks: Vec<_> = trace.track_ids().collect();
    let live_tracks: Vec<_> = tracks.iter().map(|&track| of_live(track)).collect();
    let sums = |stats: &SliceStats| (stats.count, stats.total, stats.self_time, stats.min, stats.max);
    let got = Stats::new(live, view, live_tracks.iter().copied(), range.clone()).run();
    let expected = Stats::new(trace, layout, tracks.iter().copied(), range.clone()).run();
    assert!(got.iter().map(sums).eq(expected.iter().map(sums)), "{range:?}");
    let vertical = Vertical::new(live, view, &HEADERS);
    let expected = Vertical::new(trace, layout, &HEADERS);
    assert_eq!(vertical.height(), expected.height());
    let labels = |vertical: &Vertical, label: &dyn Fn(&Line) -> Option<String>| -> Vec<_> {
        vertical.lines().iter().map(|line| (line.top, label(line))).collect()
    };
    let live_labels = labels(&vertical, &|line| line.label(live).map(|label| label.into_owned()));
    assert_eq!(live_labels, labels(&expected, &|line| line.label(trace).map(|label| label.into_owned())));
    let viewport = Viewport::new(Tick(-9)..Tick(random.below(500)), 40);
    let (mut rects, mut expected_rects) = (Vec::new(), Vec::new());
    let y = random.below(1 + vertical.height());
    vertical.rects(y..y + 20, view, &viewport, &mut rects);
    expected.rects(y..y + 20, layout, &viewport, &mut expected_rects);
    let boxes = |found: &LineRect| (found.line, found.top, found.height, found.rect.x0, found.rect.x1);
    assert!(rects.iter().map(boxes).eq(expected_rects.iter().map(boxes)));
    for (found, expected) in rects.iter().zip(&expected_rects) {
        assert_eq!(to_finished(found.rect.slice), expected.rect.slice);
        assert_eq!(live_hits.in_rect(&found.rect), finished_hits.in_rect(&expected.rect));
        assert_eq!(LineRect::hit(&rects, found.rect.x0, found.top), Some(found));
        assert_eq!(vertical.line_of(found.rect.row).map(|line| line.id), Some(found.line));
    }
    let at = Tick(random.below(300));
    let snapped = view.snap(vertical.lines(), at, Ticks(20));
    assert_eq!(snapped, layout.snap(expected.lines(), at, Ticks(20)));
    let (mut busy, mut expected_busy) = (Vec::new(), Vec::new());
    let rows = live.tracks().flat_map(|track| view.track_rows(track.id()));
    view.busy_rows(rows, &viewport, &mut busy);
    layout.busy_rows(layout.rows(), &viewport, &mut expected_busy);
    assert!(busy.iter().zip(&expected_busy).all(|(busy, expected)| (busy - expected).abs() < 1e-3));
    assert!(Flows::new(live, view).is_empty(), "they are known at the end");
}

/// Every process and track has a header.
const HEADERS: VerticalStyle<'_> = VerticalStyle { process: 3, track: 2, ..VerticalStyle::FLAT };

/// Commits at random places, and checks that each layout is that of the finished trace of the same events.
fn follow(random: &mut Random, events: &[Event<'_>], n_commits: u64) {
    let mut trace = LiveTrace::new(&Limits::default());
    let (mut live, mut hits) = (LiveLayout::new(), Hits::default());
    for (event, n_events) in events.iter().zip(1..) {
        trace.push(event);
        if n_events == events.len() || random.below(events.len() as u64) < n_commits {
            let mut builder = TraceBuilder::new(&Limits::default());
            events[..n_events].iter().for_each(|event| builder.push(event));
            let committed = trace.commit();
            let view = live.update(&committed, Tick::MIN);
            check(random, &builder.finish(), &committed, &view);
            // [layout 18.6] An end may make a slice a hit, or no hit any more.
            let is_hit = |id: SliceId| {
                let slice = committed.slice(id).unwrap();
                let end = if slice.flags.is_unfinished() { 0 } else { slice.end.0 };
                (i64::from(id.0) + end) % 3 == 0
            };
            hits.grow(&view, is_hit);
            assert_eq!(hits, Hits::of_slices(&view, is_hit).run());
        }
    }
}

/// All queries are compared. [layout 18.5]
#[test]
fn layout_18_1_a_commit_looks_like_a_trace_that_ends_there() {
    let mut random = Random(1);
    let mut deepest = 0;
    for round in 0..60 {
        let (mut events, mut open, mut at) = (Vec::new(), [0; 2], 0);
        for _ in 0..random.below(if round % 2 == 0 { 60 } else { 1000 }) {
            at += random.below(4);
            let track = usize::from(random.below(4) == 0);
            let event = on(track as i64, at);
            match random.below(5 + open[track]) {
                0 => {
                    events.push(Event::Complete(event, Ticks(0)));
                    // A slice that ends at the same time does not contain it.
                    at += 1;
                }
                3.. if open[track] > 0 => {
                    open[track] -= 1;
                    events.push(Event::End(event));
                }
                _ => {
                    open[track] += 1;
                    events.push(Event::Begin(event));
                }
            }
            deepest = deepest.max(open[track]);
        }
        follow(&mut random, &events, if round % 4 == 0 { 40 } else { 4 });
    }
    assert!(deepest > 5, "{deepest}");
}

#[test]
fn layout_18_3_slices_that_come_late_are_put_in_their_places() {
    let mut random = Random(2);
    let mut n_lanes = 0;
    for round in 0..200 {
        let long = random.below(60) + 2;
        let mut slices: Vec<_> = (0..random.below(if round % 8 == 0 { 400 } else { 40 }))
            .map(|_| {
                let start = random.below(100);
                (start, start + random.below(long))
            })
            .collect();
        match round % 4 {
            // Some writers write a slice when it ends, so after its children.
            0 => slices.sort_by_key(|&(_, end)| end),
            1 => slices.sort(),
            2 => slices.reverse(),
            _ => {}
        }
        let events: Vec<_> = slices.iter().map(|&(start, end)| complete(start, end)).collect();
        follow(&mut random, &events, 10);
        n_lanes += usize::from(round % 4 == 0);
    }
    assert!(n_lanes > 0);
}

#[test]
fn layout_18_3_slices_in_an_open_slice_may_be_written_when_they_end() {
    let mut random = Random(3);
    for _ in 0..100 {
        let (mut events, mut at, mut open) = (Vec::new(), 0, Vec::new());
        for _ in 0..random.below(200) {
            at += 1 + random.below(3);
            match random.below(4) {
                0 => {
                    open.push(None);
                    events.push(begin(at));
                }
                // This slice is written when it ends.
                1 => open.push(Some(at)),
                _ => match open.pop() {
                    None => {}
                    Some(None) => events.push(end(at)),
                    Some(Some(start)) => events.push(complete(start, at)),
                },
            }
        }
        follow(&mut random, &events, 20);
    }
}

/// Returns the starts and ends of the slices of each row of a live layout that is updated after each event.
fn rows_after_each(events: &[Event<'_>], now: i64) -> Vec<Vec<(i64, i64)>> {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut live = LiveLayout::new();
    for event in events {
        trace.push(event);
        live.update(&trace.commit(), Tick(now));
    }
    let committed = trace.commit();
    let view = live.update(&committed, Tick(now));
    let rows = view.track_rows(TrackId(0)).map(|row| view.row(row).unwrap());
    let bounds = |row: spall_layout::RowView<'_>| -> Vec<_> {
        row.starts().iter().zip(row.ends()).map(|(start, end)| (start.0, end.0)).collect()
    };
    rows.map(bounds).collect()
}

#[test]
fn layout_18_2_open_slices_reach_the_present_and_rows_keep_their_numbers() {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut live = LiveLayout::new();
    for event in [Event::Begin(on(1, 5)), Event::Begin(on(2, 6))] {
        trace.push(&event);
        live.update(&trace.commit(), Tick(0));
    }
    trace.push(&Event::Begin(on(1, 7)));
    let committed = trace.commit();
    let view = live.update(&committed, Tick(9));
    assert_eq!(view.track_rows(TrackId(0)).collect::<Vec<_>>(), [RowId(0), RowId(2)]);
    assert_eq!(view.track_rows(TrackId(1)).collect::<Vec<_>>(), [RowId(1)]);
    assert!((0..3).all(|row| view.row(RowId(row)).unwrap().ends() == [Tick(9)]));
    trace.push(&Event::End(on(1, 8)));
    let committed = trace.commit();
    let view = live.update(&committed, Tick(20));
    let end_of = |row| view.row(RowId(row)).unwrap().ends()[0].0;
    assert_eq!([end_of(0), end_of(1), end_of(2)], [20, 20, 8]);
    assert!(view.row(RowId(3)).is_none() && view.row_info(RowId(3)).is_none());
    assert_eq!(view.track_rows(TrackId(2)).count(), 0);
}

#[test]
fn layout_18_2_an_open_slice_in_a_slice_with_an_end_is_drawn_to_that_end() {
    let events = [complete(0, 10), begin(4), complete(12, 14)];
    assert_eq!(rows_after_each(&events, 20), [vec![(0, 10), (12, 14)], vec![(4, 10)]]);
    // The open slice turns out to end before or after the slice around it.
    assert_eq!(rows_after_each(&[complete(0, 10), begin(4), end(7)], 20), [vec![(0, 10)], vec![(4, 7)]]);
    assert_eq!(rows_after_each(&[complete(0, 10), begin(4), end(17)], 20), [vec![(0, 10)], vec![(4, 10)]]);
}

#[test]
fn layout_18_4_a_slice_that_was_drawn_in_an_open_slice_stays_there() {
    let events = [begin(0), complete(5, 15), end(10), begin(11), complete(12, 13), end(14), begin(16)];
    let rows = rows_after_each(&events, 20);
    assert_eq!(rows, [vec![(0, 10), (16, 20)], vec![(5, 15)], vec![(11, 14)], vec![(12, 13)]]);
}

#[test]
fn layout_18_4_all_slices_are_drawn_at_their_times_and_do_not_overlap() {
    let mut random = Random(4);
    for _ in 0..300 {
        let mut trace = LiveTrace::new(&Limits::default());
        let mut live = LiveLayout::new();
        let (n_commits, mut now) = (1 + random.below(20), 0);
        for _ in 0..random.below(200) {
            now += random.below(3);
            let start = random.below(100);
            let event = match random.below(8) {
                0..=2 => begin(now),
                3..=4 => end(now),
                5 => Event::Unfinished(on(1, start)),
                _ => complete(start, start + random.below(50)),
            };
            trace.push(&event);
            if random.below(n_commits) == 0 {
                live.update(&trace.commit(), Tick::MIN);
            }
        }
        let committed = trace.commit();
        let view = live.update(&committed, Tick::MIN);
        let mut n_shown = 0;
        for row in view.track_rows(TrackId(0)).map(|row| view.row(row).unwrap()) {
            n_shown += row.len();
            let mut fresh = Row::new();
            for ((&start, &end), &id) in row.starts().iter().zip(row.ends()).zip(row.slices()) {
                fresh.push(start, end, id);
            }
            let box_width = u16::try_from(1 + random.below(3)).unwrap();
            let viewport = Viewport::new(Tick(0)..Tick(1 + random.below(300)), 20).with_box_width(box_width);
            let (mut rects, mut expected) = (Vec::new(), Vec::new());
            row.rects(&viewport, &mut rects);
            fresh.view(row.id()).rects(&viewport, &mut expected);
            assert_eq!(rects, expected, "the index is that of what is in the row");
            for (at, &id) in row.slices().iter().enumerate() {
                let slice = committed.slice(id).unwrap();
                assert_eq!(row.starts()[at], slice.start);
                assert!(at == 0 || row.ends()[at - 1] <= slice.start, "one at a time");
                assert!(row.ends()[at] <= slice.end);
            }
        }
        assert_eq!(n_shown, committed.n_slices());
    }
}

#[test]
fn after_a_missed_commit_everything_is_laid_out_again() {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut live = LiveLayout::new();
    for at in 0..4 {
        trace.push(&begin(at));
        let committed = trace.commit();
        if at != 1 {
            let view = live.update(&committed, Tick(9));
            assert_eq!(view.track_rows(TrackId(0)).count() as i64, at + 1);
            let again = live.update(&committed, Tick(10));
            assert_eq!(again.row(RowId(0)).unwrap().ends(), [Tick(10)], "the same commit, later");
        }
    }
}
