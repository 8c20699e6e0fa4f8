//! Goes from a trace to a picture and back: lines, the rectangles of all rows, hits and edges. \[layout 5\] \[layout 6\]

use crate::common;
use spall_layout::{
    BusyRows, Folds, Hits, Layout, LayoutView, LineKind, Rect, RowId, Vertical, VerticalStyle, Viewport,
};
use spall_model::{
    Event, Job, Limits, ProcessId, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder,
    TraceView, TrackId,
};

/// Makes two processes. The first one has two threads with two rows each, the second one has a thread with one row.
fn trace() -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for (pid, tid, start, end) in
        [(1, 1, 0, 100), (1, 1, 20, 30), (1, 2, 50, 70), (1, 2, 55, 60), (2, 3, 90, 100), (2, 3, 100, 104)]
    {
        let event =
            ThreadEvent::new(Thread::new(i64::from(pid), i64::from(tid)), Tick(start), Text::plain(b"s"));
        builder.push(&Event::Complete(event, Ticks(end - start)));
    }
    builder.finish()
}

/// Rows are the higher the deeper they are: rows 1 and 3 are at depth 1.
fn height(line: LineKind) -> u32 {
    match line {
        LineKind::Process(_) => 20,
        LineKind::Track(_) => 10,
        LineKind::Row(row) => 5 + row.0 % 2 * u32::from(row.0 < 4),
        _ => 0,
    }
}

const STYLE: VerticalStyle<'_> = VerticalStyle { height: Some(&height), ..VerticalStyle::FLAT };

fn kinds(vertical: &Vertical) -> Vec<LineKind> {
    vertical.lines().iter().map(|line| line.kind).collect()
}

#[test]
fn layout_5_6_tracks_stand_in_the_order_of_the_caller() {
    use LineKind::{Process, Row, Track};
    let trace = trace();
    let layout = Layout::new(&trace);
    let stacked = |order: &[u32]| {
        let order: Vec<_> = order.iter().copied().map(TrackId).collect();
        Vertical::new(&trace, &layout, &VerticalStyle { tracks: Some(&order), ..STYLE })
    };
    let vertical = stacked(&[2, 1, 0]);
    let expected = [
        Process(ProcessId(1)),
        Track(TrackId(2)),
        Row(RowId(4)),
        Process(ProcessId(0)),
        Track(TrackId(1)),
        Row(RowId(2)),
        Row(RowId(3)),
        Track(TrackId(0)),
        Row(RowId(0)),
        Row(RowId(1)),
    ];
    assert_eq!(kinds(&vertical), expected);
    for row in layout.rows().iter() {
        assert_eq!(vertical.line_of(row).map(|line| line.kind), Some(Row(row)));
    }
    let torn = kinds(&stacked(&[0, 2, 1]));
    assert_eq!(torn.iter().filter(|&&line| line == Process(ProcessId(0))).count(), 2);
    let part = stacked(&[1]);
    assert_eq!(kinds(&part)[..2], [Process(ProcessId(0)), Track(TrackId(1))]);
    assert_eq!(part.line_of(RowId(0)), None);
}

#[test]
fn layout_5_1_lines_are_stacked_in_display_order() {
    use LineKind::{Process, Row, Track};
    let trace = trace();
    let layout = Layout::new(&trace);
    let vertical = Vertical::new(&trace, &layout, &STYLE);
    let rows = |range: core::ops::Range<u32>| range.map(RowId).map(Row);
    let expected: Vec<_> = [Process(ProcessId(0)), Track(TrackId(0))]
        .into_iter()
        .chain(rows(0..2))
        .chain([Track(TrackId(1))])
        .chain(rows(2..4))
        .chain([Process(ProcessId(1)), Track(TrackId(2))])
        .chain(rows(4..5))
        .collect();
    assert_eq!(kinds(&vertical), expected);
    assert_eq!(vertical.height(), 20 + 10 + 5 + 6 + 10 + 5 + 6 + 20 + 10 + 5);
    let mut bottom = 0;
    for line in vertical.lines() {
        assert_eq!(line.top, bottom);
        bottom = line.bottom();
        assert_eq!(vertical.at(line.top), Some(line));
        assert_eq!(vertical.at(line.bottom() - 1), Some(line));
    }
    assert_eq!(vertical.at(bottom), None);
    assert_eq!(vertical.visible(0..vertical.height()), vertical.lines());
    assert_eq!(vertical.visible(35..36).len(), 1);
    assert_eq!((vertical.visible(34..35).len(), vertical.visible(34..36).len()), (1, 2));
    assert_eq!(vertical.visible(35..35).len(), 0);
}

#[test]
fn layout_5_2_folded_rows_are_shown_by_their_header() {
    use LineKind::{Process, Row, Track};
    let trace = trace();
    let layout = Layout::new(&trace);
    let mut folds = Folds::new();
    folds.toggle(Process(ProcessId(1)));
    folds.toggle(Track(TrackId(0)));
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle { folds: Some(&folds), ..STYLE });
    assert_eq!(
        kinds(&vertical),
        [
            Process(ProcessId(0)),
            Track(TrackId(0)),
            Track(TrackId(1)),
            Row(RowId(2)),
            Row(RowId(3)),
            Process(ProcessId(1))
        ]
    );
    let shown: Vec<_> = (0..5).map(|row| vertical.line_of(RowId(row)).unwrap().kind).collect();
    assert_eq!(
        shown,
        [Track(TrackId(0)), Track(TrackId(0)), Row(RowId(2)), Row(RowId(3)), Process(ProcessId(1))]
    );
}

#[test]
fn layout_5_7_tracks_that_stay_in_sight_have_an_order_and_no_processes() {
    use LineKind::{Row, Track};
    let trace = trace();
    let layout = Layout::new(&trace);
    let mut folds = Folds::new();
    folds.toggle(LineKind::Process(ProcessId(0)));
    folds.toggle(Track(TrackId(1)));
    let height = |line| if matches!(line, LineKind::Process(_)) { 0 } else { height(line) };
    let tracks = [TrackId(2), TrackId(0), TrackId(1)];
    let style = VerticalStyle { height: Some(&height), folds: Some(&folds), tracks: Some(&tracks), ..STYLE };
    let vertical = Vertical::new(&trace, &layout, &style);
    assert_eq!(
        kinds(&vertical),
        [
            Track(TrackId(2)),
            Row(RowId(4)),
            Track(TrackId(0)),
            Row(RowId(0)),
            Row(RowId(1)),
            Track(TrackId(1))
        ]
    );
}

#[test]
fn layout_5_3_a_row_without_height_has_no_line() {
    let trace = trace();
    let layout = Layout::new(&trace);
    let height = |line: LineKind| u32::from(!matches!(line, LineKind::Row(RowId(0..2))));
    let style = VerticalStyle { height: Some(&height), ..VerticalStyle::FLAT };
    assert_eq!(kinds(&Vertical::new(&trace, &layout, &style)).len(), 2 + 3 + 3);
    let height = |line: LineKind| u32::from(matches!(line, LineKind::Row(RowId(2..))));
    let style = VerticalStyle { height: Some(&height), ..VerticalStyle::FLAT };
    let vertical = Vertical::new(&trace, &layout, &style);
    assert_eq!(kinds(&vertical), [2, 3, 4].map(|row| LineKind::Row(RowId(row))));
    assert_eq!(vertical.line_of(RowId(0)), None);
    assert_eq!(Vertical::default().height(), 0);
    // A header that has no line either folds nothing.
    let mut folds = Folds::new();
    folds.toggle(LineKind::Track(TrackId(1)));
    folds.toggle(LineKind::Process(ProcessId(1)));
    let again = Vertical::new(&trace, &layout, &VerticalStyle { folds: Some(&folds), ..style });
    assert_eq!(again.lines(), vertical.lines());
}

#[test]
fn layout_6_1_a_hit_names_the_slice_that_is_drawn() {
    let trace = trace();
    let layout = Layout::new(&trace);
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
    let viewport = Viewport::new(Tick(0)..Tick(104), 52);
    let mut rects = Vec::new();
    layout.rects(&viewport, vertical.lines(), &mut rects);
    for row in 0..6 {
        for column in 0..60 {
            let drawn: Vec<_> = rects
                .iter()
                .filter(|rect| rect.row == RowId(row) && (rect.x0..rect.x1).contains(&column))
                .collect();
            assert!(drawn.len() <= 1);
            assert_eq!(Rect::hit(&rects, RowId(row), column), drawn.first().copied());
        }
    }
    let hit = |at: i64, y: u64| {
        let LineKind::Row(row) = vertical.at(y)?.kind else { return None };
        Rect::hit(&rects, row, viewport.column(Tick(at))?).map(|rect| rect.slice)
    };
    assert_eq!(hit(25, 0), Some(SliceId(0)));
    assert_eq!(hit(25, 1), Some(SliceId(1)));
    assert_eq!(hit(31, 1), None);
    assert_eq!(hit(101, 4), Some(SliceId(5)));
}

#[test]
fn layout_6_2_edges_snap_to_the_nearest() {
    let trace = trace();
    let layout = Layout::new(&trace);
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
    let lines = vertical.lines();
    let snap = |at, tolerance| layout.snap(lines, Tick(at), Ticks(tolerance)).map(|edge| edge.0);
    assert_eq!(snap(22, 5), Some(20));
    assert_eq!(snap(25, 5), Some(20), "the earlier of two");
    assert_eq!(snap(26, 5), Some(30));
    assert_eq!(snap(26, 3), None);
    assert_eq!(snap(-3, 3), Some(0));
    assert_eq!(snap(1_000, 896), Some(104));
    assert_eq!(snap(i64::MAX, 1), None);
    assert_eq!(snap(22, -1), None);
    assert_eq!(layout.snap(&[], Tick(0), Ticks(9)), None);
}

#[test]
fn visible_slices_are_those_that_the_rectangles_stand_for() {
    let trace = trace();
    let layout = Layout::new(&trace);
    for (start, end) in [(0, 104), (-10, 0), (100, 101), (92, 200), (104, 105), (20, 30)] {
        let viewport = Viewport::new(Tick(start)..Tick(end), 7);
        for row in layout.rows().iter().map(|row| layout.row(row).unwrap()) {
            let mut rects = Vec::new();
            row.rects(&viewport, &mut rects);
            let count: u32 = rects.iter().map(|rect| rect.count).sum();
            assert_eq!(row.visible(&viewport).len(), count as usize);
        }
    }
}

#[test]
fn layout_10_1_busy_rows_are_counted_column_by_column() {
    let trace = trace();
    let layout = Layout::new(&trace);
    let viewport = Viewport::new(Tick(0)..Tick(104), 13);
    let mut busy = Vec::new();
    let tops = layout.rows().iter().filter(|&row| layout.row_info(row).unwrap().depth == 0);
    layout.busy_rows(tops, &viewport, &mut busy);
    // The slices of depth 0 are 0-100, 50-70, 90-100 and 100-104. A column has 8 ticks.
    let inside =
        |column: i64, (start, end): (i64, i64)| ((column * 8 + 8).min(end) - (column * 8).max(start)).max(0);
    let expected: Vec<f32> = (0..13)
        .map(|column| {
            let ticks: i64 =
                [(0, 100), (50, 70), (90, 100), (100, 104)].map(|slice| inside(column, slice)).iter().sum();
            u8::try_from(ticks).map(f32::from).unwrap() / 8.0
        })
        .collect();
    assert_eq!(busy, expected);
    layout.busy_rows([], &viewport, &mut busy);
    assert_eq!(busy, [0.0; 13]);
}

#[test]
fn layout_10_1_rows_that_are_put_together_are_as_busy_as_before() {
    let trace = trace();
    let layout = Layout::new(&trace);
    let all: Vec<_> = layout.rows().iter().collect();
    for rows in [&all[..], &all[..1], &[]] {
        let merged = BusyRows::new(&layout, rows.iter().copied());
        assert!(merged.len() <= rows.len(), "no more than there were");
        assert_eq!(merged.is_empty(), rows.is_empty());
        for (start, end, columns) in [(0, 104, 13), (-10, 0, 3), (0, 104, 1), (92, 200, 50), (20, 30, 7)] {
            let viewport = Viewport::new(Tick(start)..Tick(end), columns);
            let (mut expected, mut busy) = (Vec::new(), Vec::new());
            layout.busy_rows(rows.iter().copied(), &viewport, &mut expected);
            merged.busy(&viewport, &mut busy);
            assert_eq!(busy.len(), expected.len());
            let is_same = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
            assert!(busy.iter().zip(&expected).all(is_same), "{start}..{end}: {busy:?}, {expected:?}");
        }
    }
}

#[test]
fn layout_10_1_a_header_stands_for_the_rows_at_depth_0() {
    let (trace, lines) = (trace(), [LineKind::Process(ProcessId(0)), LineKind::Track(TrackId(1))]);
    let layout = Layout::new(&trace);
    let vertical = Vertical::new(&trace, &layout, &STYLE);
    let rows = lines.map(|kind| {
        let line = vertical.lines().iter().find(|line| line.kind == kind).unwrap();
        line.outermost_rows(&trace, &layout)
    });
    // Each of the two threads of the process has two rows.
    assert_eq!(rows, [vec![RowId(0), RowId(2)], vec![RowId(2)]]);
    assert_eq!(vertical.lines()[3].outermost_rows(&trace, &layout), [RowId(1)]);
}

#[test]
fn layout_13_1_no_match_is_lost_by_merging() {
    let mut builder = TraceBuilder::new(&Limits::default());
    let names = [b"a".as_slice(), b"needle", b"b"];
    for at in 0..1000_i64 {
        let name = match at {
            _ if at % 97 == 5 => names[1],
            _ if at % 2 == 0 => names[0],
            _ => names[2],
        };
        let event = ThreadEvent::new(Thread::new(1_i64, at % 3), Tick(at * 4), Text::plain(name));
        builder.push(&Event::Complete(event, Ticks(at % 7)));
    }
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    let mut asked = 0;
    let hits = Hits::of_names(&trace, &layout, |name| {
        asked += 1;
        trace.name(name) == "needle"
    })
    .run();
    assert_eq!((asked, hits.len()), (3, 11));
    let in_rows: u32 = layout.rows().iter().map(|row| hits.in_row(row)).sum();
    assert_eq!(in_rows, 11);
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
    for columns in [1, 7, 100, 5000] {
        let viewport = Viewport::new(Tick(-10)..Tick(5000), columns);
        let mut rects = Vec::new();
        layout.rects(&viewport, vertical.lines(), &mut rects);
        for rect in &rects {
            let slices =
                &layout.row(rect.row).unwrap().slices()[rect.first as usize..][..rect.count as usize];
            let expected =
                slices.iter().filter(|&&id| trace.name(trace.slice(id).unwrap().name) == "needle").count();
            assert_eq!(hits.in_rect(rect).map(|n| n as usize), Some(expected));
        }
        assert_eq!(rects.iter().map(|rect| hits.in_rect(rect)).sum::<Option<u32>>(), Some(11));
    }
    assert!(Hits::of_slices(&layout, |_| false).run().is_empty());
}

#[test]
fn layout_13_2_matches_are_visited_in_the_order_of_time() {
    let mut random = common::Random(1);
    let mut n_found = 0;
    for _ in 0..100 {
        let trace = common::random_trace(&mut random);
        let layout = Layout::new(&trace);
        let is_hit = |slice: &SliceId| slice.0 % 5 == 1 || slice.0 % 7 == 3;
        let hits = Hits::of_slices(&layout, |slice| is_hit(&slice)).run();
        let place = |slice: &SliceId| {
            let place = layout.place(*slice).unwrap();
            (place.start, place.row, place.position)
        };
        let mut all: Vec<SliceId> = trace.tracks().iter().flat_map(|track| track.slices().iter()).collect();
        all.sort_by_key(place);
        for (at, &slice) in all.iter().enumerate() {
            let next = all[at + 1..].iter().copied().find(is_hit);
            let previous = all[..at].iter().copied().rfind(is_hit);
            assert_eq!((hits.previous(&layout, slice), hits.next(&layout, slice)), (previous, next));
            n_found += usize::from(next.is_some());
        }
        let from = Tick(random.below(120) - 10);
        let (before, after): (Vec<SliceId>, Vec<SliceId>) =
            all.iter().copied().filter(is_hit).partition(|slice| place(slice).0 < from);
        assert_eq!(hits.first_from(&layout, from), after.first().copied());
        assert_eq!(hits.last_before(&layout, from), before.last().copied());
    }
    assert!(n_found > 500);
}

#[test]
fn layout_13_2_a_viewer_steps_from_what_it_shows() {
    // The slices 3, 4 and 5 match: 90 to 100, 100 to 104, and 50 to 70 of another track.
    let trace = trace();
    let layout = Layout::new(&trace);
    let hits = Hits::of_slices(&layout, |slice| layout.place(slice).unwrap().start >= Tick(50)).run();
    let starts = |slice: Option<SliceId>| slice.map(|slice| layout.place(slice).unwrap().start.0);
    let forward = |selected, shown| starts(hits.step_forward(&layout, selected, shown));
    let back = |selected, shown| starts(hits.step_back(&layout, selected, shown));
    let everything = Tick(0)..Tick(200);
    assert_eq!(forward(None, everything.clone()), Some(50));
    assert_eq!(back(None, everything.clone()), Some(100));
    assert_eq!((forward(None, Tick(60)..Tick(95)), back(None, Tick(60)..Tick(95))), (Some(90), Some(90)));
    let at = |start| trace.slices().starts().iter().position(|&at| at == Tick(start)).map(SliceId::new);
    assert_eq!(
        (forward(at(90), everything.clone()), back(at(90), everything.clone())),
        (Some(100), Some(55))
    );
    assert_eq!(forward(at(90), Tick(0)..Tick(56)), Some(50), "the selected slice is not visible");
    assert_eq!((forward(at(100), everything.clone()), back(at(50), everything)), (Some(50), Some(100)));
    assert_eq!(Hits::default().step_forward(&layout, at(90), Tick(0)..Tick(9)), None);
}

#[test]
fn layout_24_1_derived_tracks_stand_above_all_others() {
    use LineKind::{Derived, DerivedLine};
    let trace = trace();
    let layout = Layout::new(&trace);
    let mut folds = Folds::new();
    folds.toggle(Derived(0));
    let height = |line| if matches!(line, Derived(_) | DerivedLine(..)) { 7 } else { height(line) };
    let style = VerticalStyle { height: Some(&height), folds: Some(&folds), derived: &[3, 2, 0], ..STYLE };
    let (vertical, plain) = (Vertical::new(&trace, &layout, &style), Vertical::new(&trace, &layout, &STYLE));
    let derived = [Derived(0), Derived(1), DerivedLine(1, 0), DerivedLine(1, 1), Derived(2)];
    assert_eq!(kinds(&vertical)[..5], derived, "the first one is folded");
    assert_eq!(kinds(&vertical)[5..], kinds(&plain));
    assert_eq!(vertical.height(), 5 * 7 + plain.height());
    assert_eq!(vertical.at(20).map(|line| line.kind), Some(DerivedLine(1, 0)));
    let mut rects = Vec::new();
    vertical.rects(0..35, &layout, &Viewport::new(Tick(0)..Tick(104), 10), &mut rects);
    assert_eq!(rects, [], "what is on them is the caller's");
    // Without any other line, none of theirs stands for a row.
    let height = |line| u32::from(matches!(line, Derived(_) | DerivedLine(..)));
    let alone = Vertical::new(&trace, &layout, &VerticalStyle { height: Some(&height), ..style });
    assert_eq!((kinds(&alone), alone.line_of(RowId(0))), (derived.to_vec(), None));
    let flat = VerticalStyle { derived: &[2], ..VerticalStyle::FLAT };
    assert_eq!(Vertical::new(&trace, &layout, &flat).lines()[0].kind, DerivedLine(0, 0), "no header");
}
