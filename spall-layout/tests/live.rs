//! A live layout, asked at any time, against the layout of the finished trace cut there.
#![cfg(feature = "alloc")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "random numbers are cut on purpose, and a test may panic"
)]

mod common;

use spall_layout::{Fidelity, Layout, Live, LiveView, Options, Row, RowId, RowInfo, Scratch, Viewport};
use spall_model::{
    ByteRange, Event, Limits, LiveSnapshot, LiveTrace, SliceId, Text, Thread, ThreadEvent, Tick, Ticks,
    Trace, TraceBuilder, TrackId,
};

use common::Random;

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

/// The rows of all tracks and what they look like.
fn check(random: &mut Random, trace: &Trace<'_>, committed: &LiveSnapshot<'_>, view: &LiveView<'_>) {
    let layout = Layout::new(trace, &Options::default());
    let order = committed.display_order();
    assert_eq!(order.len(), trace.tracks().len());
    for ((&live_id, id), track) in order.iter().zip((0..).map(TrackId)).zip(trace.tracks()) {
        // Both list the slices of a track in one order.
        let slices = committed.track(live_id).unwrap().slices();
        let finished = |live: SliceId| {
            let position = slices.iter().position(|&slice| slice == live).unwrap();
            track.slices().get(position).unwrap()
        };
        let expected: Vec<RowId> = layout.track_rows(id).map(RowId).collect();
        let rows: Vec<_> = view.track_rows(live_id).collect();
        assert_eq!(rows.len(), expected.len());
        for (&row, &expected) in rows.iter().zip(&expected) {
            let info = layout.row_info(expected).unwrap();
            assert_eq!(view.row_info(row).unwrap(), RowInfo { track: live_id, ..info });
            let (row, expected) = (view.row(row).unwrap(), layout.row(expected).unwrap());
            assert_eq!((row.starts(), row.ends()), (expected.starts(), expected.ends()));
            let of_finished: Vec<_> = row.slices().iter().map(|&slice| finished(slice)).collect();
            assert_eq!(of_finished, expected.slices());
            for fidelity in [Fidelity::Fast, Fidelity::Exact] {
                let start = random.below(300) - 20;
                let range = Tick(start)..Tick(start + random.below(2000));
                let viewport = Viewport::new(range, u16::try_from(1 + random.below(90)).unwrap(), fidelity);
                let (mut scratch, mut rects, mut expected_rects) = (Scratch::new(), Vec::new(), Vec::new());
                row.rects(&viewport, &mut scratch, &mut rects);
                expected.rects(&viewport, &mut scratch, &mut expected_rects);
                for rect in &mut rects {
                    rect.slice = finished(rect.slice);
                    rect.row = expected.id();
                }
                assert_eq!(rects, expected_rects);
            }
        }
    }
}

/// Commits at random places. What is shown then is the layout of the trace of the same events.
fn follow(random: &mut Random, events: &[Event<'_>], n_commits: u64) {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut live = Live::new(&Options::default());
    for (event, n_events) in events.iter().zip(1..) {
        trace.push(event, ByteRange::default());
        if n_events == events.len() || random.below(events.len() as u64) < n_commits as i64 {
            let mut builder = TraceBuilder::new(&Limits::default());
            events[..n_events].iter().for_each(|event| builder.push(event, ByteRange::default()));
            let committed = trace.commit();
            let view = live.update(&committed, Tick::MIN);
            check(random, &builder.finish(), &committed, &view);
        }
    }
}

#[test]
fn layout_18_1_what_is_committed_looks_like_a_trace_that_ends_there() {
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
                    // What ends at the same time does not contain it.
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
        let long = random.below(60).cast_unsigned() + 2;
        let mut slices: Vec<_> = (0..random.below(if round % 8 == 0 { 400 } else { 40 }))
            .map(|_| {
                let start = random.below(100);
                (start, start + random.below(long))
            })
            .collect();
        match round % 4 {
            // As writers do that write a slice when it ends.
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
fn layout_18_3_what_lies_in_an_open_slice_may_be_written_when_it_ends() {
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
                // Written when it ends.
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

/// The rows of a live layout that is updated after each event: starts and ends, by row.
fn rows_after_each(events: &[Event<'_>], now: i64) -> Vec<Vec<(i64, i64)>> {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut live = Live::new(&Options::default());
    for event in events {
        trace.push(event, ByteRange::default());
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
    let mut live = Live::new(&Options::default());
    for event in [Event::Begin(on(1, 5)), Event::Begin(on(2, 6))] {
        trace.push(&event, ByteRange::default());
        live.update(&trace.commit(), Tick(0));
    }
    trace.push(&Event::Begin(on(1, 7)), ByteRange::default());
    let committed = trace.commit();
    let view = live.update(&committed, Tick(9));
    assert_eq!(view.track_rows(TrackId(0)).collect::<Vec<_>>(), [RowId(0), RowId(2)]);
    assert_eq!(view.track_rows(TrackId(1)).collect::<Vec<_>>(), [RowId(1)]);
    assert!((0..3).all(|row| view.row(RowId(row)).unwrap().ends() == [Tick(9)]));
    trace.push(&Event::End(on(1, 8)), ByteRange::default());
    let committed = trace.commit();
    let view = live.update(&committed, Tick(20));
    let end_of = |row| view.row(RowId(row)).unwrap().ends()[0].0;
    assert_eq!([end_of(0), end_of(1), end_of(2)], [20, 20, 8]);
    assert!(view.row(RowId(3)).is_none() && view.row_info(RowId(3)).is_none());
    assert_eq!(view.track_rows(TrackId(2)).count(), 0);
}

#[test]
fn layout_18_2_what_is_open_in_a_slice_with_an_end_is_drawn_to_that() {
    let events = [complete(0, 10), begin(4), complete(12, 14)];
    assert_eq!(rows_after_each(&events, 20), [vec![(0, 10), (12, 14)], vec![(4, 10)]]);
    // It ends before or after that one.
    assert_eq!(rows_after_each(&[complete(0, 10), begin(4), end(7)], 20), [vec![(0, 10)], vec![(4, 7)]]);
    assert_eq!(rows_after_each(&[complete(0, 10), begin(4), end(17)], 20), [vec![(0, 10)], vec![(4, 10)]]);
}

#[test]
fn layout_18_4_what_was_drawn_in_an_open_slice_stays_there() {
    let events = [begin(0), complete(5, 15), end(10), begin(11), complete(12, 13), end(14), begin(16)];
    let rows = rows_after_each(&events, 20);
    assert_eq!(rows, [vec![(0, 10), (16, 20)], vec![(5, 15)], vec![(11, 14)], vec![(12, 13)]]);
}

#[test]
fn layout_18_4_all_slices_are_drawn_where_they_are_and_not_over_each_other() {
    let mut random = Random(4);
    for _ in 0..300 {
        let mut trace = LiveTrace::new(&Limits::default());
        let mut live = Live::new(&Options::default());
        let (n_commits, mut now) = (1 + random.below(20).cast_unsigned(), 0);
        for _ in 0..random.below(200) {
            now += random.below(3);
            let start = random.below(100);
            let event = match random.below(8) {
                0..=2 => begin(now),
                3..=4 => end(now),
                5 => Event::Unfinished(on(1, start)),
                _ => complete(start, start + random.below(50)),
            };
            trace.push(&event, ByteRange::default());
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
            let viewport = Viewport::new(Tick(0)..Tick(1 + random.below(300)), 20, Fidelity::Exact);
            let (mut rects, mut expected) = (Vec::new(), Vec::new());
            row.rects(&viewport, &mut Scratch::new(), &mut rects);
            fresh.view(row.id()).rects(&viewport, &mut Scratch::new(), &mut expected);
            assert_eq!(rects, expected, "the index is that of what is in the row");
            for (at, &id) in row.slices().iter().enumerate() {
                let slice = committed.slice(id).unwrap();
                assert_eq!(row.starts()[at], slice.start);
                assert!(at == 0 || row.ends()[at - 1] <= slice.start, "one at a time");
                assert!(row.ends()[at] <= slice.end);
            }
        }
        assert_eq!(n_shown, committed.n_slices() as usize);
    }
}

#[test]
fn a_commit_that_was_missed_costs_a_new_layout() {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut live = Live::new(&Options::default());
    for at in 0..4 {
        trace.push(&begin(at), ByteRange::default());
        let committed = trace.commit();
        if at != 1 {
            let view = live.update(&committed, Tick(9));
            assert_eq!(view.track_rows(TrackId(0)).count() as i64, at + 1);
            let again = live.update(&committed, Tick(10));
            assert_eq!(again.row(RowId(0)).unwrap().ends(), [Tick(10)], "the same commit, later");
        }
    }
}
