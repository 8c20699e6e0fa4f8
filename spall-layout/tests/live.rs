//! A live layout, asked at any time, against the layout of the finished trace cut there.
#![cfg(feature = "alloc")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "random numbers are cut on purpose, and a test may panic"
)]

mod common;

use spall_layout::{Fidelity, Frame, Layout, Live, LiveView, Options, RowId, Scratch};
use spall_model::{
    ByteRange, Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Trace, TraceBuilder, TrackId,
};

use common::Random;

/// Checks the rows of the live track that thread `tid` is, and what they look like.
fn check(random: &mut Random, trace: &Trace<'_>, layout: &Layout, tid: u32, view: &LiveView<'_>) {
    let key = spall_model::Key::Number(tid.into());
    let kind = spall_model::TrackKind::Thread { tid: key };
    let Some(at) = trace.tracks().iter().position(|track| track.kind == kind) else {
        assert!(view.track_rows(TrackId(tid)).is_empty());
        return;
    };
    let rows = view.track_rows(TrackId(tid));
    let expected: Vec<RowId> = layout.track_rows(TrackId(at as u32)).map(RowId).collect();
    assert_eq!(rows.len(), expected.len());
    let first_slice = trace.tracks()[at].slices().start as u32;
    for (&row, &expected) in rows.iter().zip(&expected) {
        let (row, expected) = (view.row(row).unwrap(), layout.row(expected).unwrap());
        assert_eq!((row.starts(), row.ends()), (expected.starts(), expected.ends()));
        // Live slices of a track are numbered as they begin, and so are those of a trace.
        let numbers = |first: u32, ids: &[SliceId]| ids.iter().map(|id| id.0 - first).collect::<Vec<_>>();
        assert_eq!(numbers(0, row.slices()), numbers(first_slice, expected.slices()));
        for fidelity in [Fidelity::Fast, Fidelity::Exact] {
            let start = random.below(300) - 20;
            let view = Tick(start)..Tick(start + random.below(2000));
            let frame = Frame::new(view, u16::try_from(1 + random.below(90)).unwrap(), fidelity);
            let (mut scratch, mut rects, mut expected_rects) = (Scratch::new(), Vec::new(), Vec::new());
            row.rects(&frame, &mut scratch, &mut rects);
            expected.rects(&frame, &mut scratch, &mut expected_rects);
            for rect in &mut expected_rects {
                rect.row = row.id();
                rect.slice.0 -= first_slice;
            }
            assert_eq!(rects, expected_rects);
        }
    }
}

#[test]
fn layout_18_1_what_is_committed_looks_like_a_trace_that_ends_there() {
    let mut random = Random(1);
    let mut deepest = 0;
    for round in 0..60 {
        let mut live = Live::new();
        let tracks = [live.add_track(), live.add_track()];
        let (mut events, mut open, mut n_slices) = (Vec::new(), [0; 2], [0; 2]);
        let mut at = 0;
        let n_commits = if round % 4 == 0 { 40 } else { 4 };
        for _ in 0..n_commits {
            for _ in 0..random.below(if round % 4 == 0 { 6 } else { 200 }) {
                at += random.below(4);
                let track = usize::from(random.below(4) == 0);
                let name = Text::plain(b"f");
                let event = ThreadEvent::new(Thread::new(1_i64, track as i64), Tick(at), name);
                if open[track] > 0 && random.below(5 + open[track]) >= 3 {
                    open[track] -= 1;
                    assert!(live.end(tracks[track], Tick(at)));
                    events.push(Event::End(event));
                } else {
                    live.begin(tracks[track], Tick(at), SliceId(n_slices[track])).unwrap();
                    open[track] += 1;
                    n_slices[track] += 1;
                    events.push(Event::Begin(event));
                }
                deepest = deepest.max(open[track]);
            }
            let mut builder = TraceBuilder::new(&Limits::default());
            events.iter().for_each(|event| builder.push(event, ByteRange::default()));
            let trace = builder.finish();
            let layout = Layout::new(&trace, &Options::default());
            let view = live.commit(Tick::MIN);
            assert_eq!(view.n_tracks(), 2);
            (0..2).for_each(|tid| check(&mut random, &trace, &layout, tid, &view));
        }
    }
    assert!(deepest > 5, "{deepest}");
}

#[test]
fn layout_18_2_open_slices_reach_the_present_and_rows_keep_their_numbers() {
    let mut live = Live::new();
    let (a, b) = (live.add_track(), live.add_track());
    assert_eq!(live.begin(a, Tick(5), SliceId(0)), Some(RowId(0)));
    assert_eq!(live.begin(b, Tick(6), SliceId(1)), Some(RowId(1)));
    assert_eq!(live.begin(a, Tick(3), SliceId(2)), Some(RowId(2)), "below slice 0, whatever came between");
    let view = live.commit(Tick(9));
    assert_eq!(view.track_rows(a), [RowId(0), RowId(2)]);
    let of = |view: LiveView<'_>, row| {
        let row = view.row(RowId(row)).unwrap();
        (row.starts().to_vec(), row.ends().to_vec())
    };
    assert_eq!(of(view, 2), (vec![Tick(5)], vec![Tick(9)]), "time does not go back");
    assert!(live.end(a, Tick(7)) && live.end(a, Tick(8)) && !live.end(a, Tick(8)));
    let view = live.commit(Tick(20));
    assert_eq!(of(view, 0), (vec![Tick(5)], vec![Tick(8)]));
    assert_eq!(of(view, 1), (vec![Tick(6)], vec![Tick(20)]));
    assert_eq!(live.begin(TrackId(2), Tick(0), SliceId(3)), None);
    assert!(!live.end(TrackId(2), Tick(0)));
}
