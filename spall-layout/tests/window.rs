//! The state of a viewer: what its window shows, and what is folded. \[layout 19\] \[layout 20\]

use spall_layout::{
    Folds, Layout, LayoutView, LineKind, LineRect, Vertical, VerticalStyle, Window, shown_tracks,
};
use spall_model::{
    Event, Limits, ProcessId, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder,
    TraceView, TrackEvent, TrackId,
};

const STYLE: VerticalStyle<'_> = VerticalStyle { process: 24, track: 20, row: 16, ..VerticalStyle::FLAT };

/// Makes two processes with a thread each: two rows from 0 to 1000, and one row from 500 to 600.
fn trace() -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for (pid, start, end) in [(1, 0, 1000), (1, 100, 200), (2, 500, 600)] {
        let event = ThreadEvent::new(Thread::new(pid, 1_i64), Tick(start), Text::plain(b"s"));
        builder.push(&Event::Complete(event, Ticks(end - start)));
    }
    builder.finish()
}

/// Makes a window of 100 columns and 50 units that shows the ticks 0 to 1000, 10 a column.
fn window(vertical: &Vertical) -> Window {
    let mut window = Window::new(Tick(0)..Tick(1000));
    window.resize(100, 50, vertical);
    window.fit(Tick(20)..Tick(980));
    assert_eq!(window.viewport().range(), Tick(0)..Tick(1000));
    window
}

fn vertical() -> Vertical {
    let trace = trace();
    Vertical::new(&trace, &Layout::new(&trace), &STYLE)
}

#[test]
fn layout_19_1_small_moves_lead_to_the_same_place_as_a_large_one() {
    let vertical = vertical();
    let (mut by_steps, mut at_once) = (window(&vertical), window(&vertical));
    for _ in 0..32 {
        by_steps.pan(0.125);
        by_steps.scroll(0.25, &vertical);
    }
    at_once.pan(4.0);
    at_once.scroll(8.0, &vertical);
    assert_eq!(by_steps.viewport(), at_once.viewport());
    assert_eq!((by_steps.top(), by_steps.heights()), (8.0, 8..58));
    by_steps.scroll(0.25, &vertical);
    assert_eq!(by_steps.heights(), 8..59, "all that is visible in part");
}

#[test]
fn layout_19_1_a_window_without_a_size_keeps_its_range_for_later() {
    let vertical = vertical();
    let mut window = window(&vertical);
    window.fit(Tick(120)..Tick(360));
    assert_eq!(window.viewport().range(), Tick(115)..Tick(365), "a fiftieth on each side");
    let before = window.clone();
    window.resize(0, 0, &vertical);
    assert_eq!(window.viewport().columns(), 0);
    window.resize(100, 50, &vertical);
    assert_eq!(window, before);
}

#[test]
fn layout_19_2_a_window_stays_near_its_trace() {
    let vertical = vertical();
    let mut window = window(&vertical);
    window.pan(-1e9);
    assert_eq!(window.viewport().range(), Tick(-500)..Tick(500));
    window.pan(1e9);
    assert_eq!(window.viewport().range(), Tick(500)..Tick(1500));
    window.zoom(0.0, 1e-9);
    let range = window.viewport().range();
    assert_eq!(range.end - range.start, Ticks(2000));
    let all = vertical.height();
    assert_eq!(all, 24 + 20 + 16 + 16 + 24 + 20 + 16);
    window.scroll(1e9, &vertical);
    assert_eq!(window.heights(), all - 50..all);
    window.resize(100, 1000, &vertical);
    assert_eq!(window.heights(), 0..1000, "there is room for everything");
    for nonsense in [f64::NAN, f64::INFINITY] {
        window.pan(nonsense);
        window.zoom(nonsense, 2.0);
        window.zoom(0.0, nonsense);
        window.scroll(nonsense, &vertical);
    }
    assert_eq!((window.viewport().range(), window.heights()), (range, 0..1000));
}

#[test]
fn layout_19_3_revealing_moves_no_further_than_necessary() {
    let vertical = vertical();
    let mut window = window(&vertical);
    window.fit(Tick(0)..Tick(96));
    window.scroll(10.0, &vertical);
    let before = window.clone();
    window.reveal(10..60, Tick(90)..Tick(900), &vertical);
    assert_eq!(window, before, "some of it is visible");
    window.reveal(44..70, Tick(500)..Tick(600), &vertical);
    assert_eq!(window.heights(), 20..70);
    let range = window.viewport().range();
    assert_eq!((range.start.0 + range.end.0) / 2, 500);
    window.reveal(4..70, range, &vertical);
    assert_eq!(window.heights(), 4..54, "its upper part");
}

#[test]
fn a_window_keeps_its_box_width_wherever_it_goes() {
    let vertical = vertical();
    let mut window = window(&vertical);
    window.set_box_width(3);
    let moves: [fn(&mut Window, &Vertical); 5] = [
        |window, _| window.pan(7.5),
        |window, _| window.zoom(3.0, 2.0),
        |window, vertical| window.resize(33, 40, vertical),
        |window, _| window.fit(Tick(3)..Tick(70)),
        |window, vertical| window.reveal(0..9, Tick(900)..Tick(901), vertical),
    ];
    for step in moves {
        step(&mut window, &vertical);
        assert_eq!(*window.viewport(), window.viewport().with_box_width(3));
    }
}

#[test]
fn an_empty_range_of_heights_shows_no_line() {
    let vertical = vertical();
    let middle = vertical.height() / 2;
    assert_eq!(vertical.visible(middle..middle + 1).len(), 1);
    for start in [0, middle] {
        assert_eq!(vertical.visible(start..start).len(), 0);
    }
}

#[test]
fn places_in_a_window_are_those_of_the_picture() {
    let trace = trace();
    let layout = Layout::new(&trace);
    let vertical = vertical();
    let mut window = window(&vertical);
    // Column 0 begins half a column before the window.
    window.pan(0.5);
    window.scroll(30.0, &vertical);
    let mut rects = Vec::<LineRect>::new();
    vertical.rects(window.heights(), &layout, window.viewport(), &mut rects);
    let slice = |x, y| window.hit(&rects, x, y).map(|found| found.rect.slice);
    // The slice of 100 to 200 is at 9.5 to 19.5, and its line is 60 below the top.
    assert_eq!(
        [9.4, 9.6, 19.4, 19.6].map(|x| slice(x, 31.0)),
        [None, Some(SliceId(1)), Some(SliceId(1)), None]
    );
    assert_eq!(
        [29.9, 30.0, 45.9, 46.0].map(|y| slice(15.0, y).map(|id| id.0)),
        [Some(0), Some(1), Some(1), None]
    );
    assert_eq!([slice(-1.0, 31.0), slice(15.0, -40.0), slice(f64::NAN, f64::NAN)], [None; 3]);
    assert_eq!((window.x(Tick(100)), window.tick_at(9.5)), (9.5, Tick(100)));
    let line = |y| window.line_at(y, &vertical).map(|line| line.kind);
    assert_eq!(line(13.0), Some(LineKind::Track(TrackId(0))));
    assert_eq!([line(-31.0), line(1e6)], [None, None]);
}

/// Makes a process with tracks that lie below each other: a, then b and c below a, d below b, then e. Each has a slice.
fn nested() -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for (id, parent) in [("a", ""), ("b", "a"), ("c", "a"), ("d", "b"), ("e", "")] {
        let (thread, name) = (Thread::new(1, id), Text::from(id));
        let parent = Thread::new(1, parent);
        builder.push(&Event::Track(TrackEvent { parent, ..TrackEvent::new(thread, name) }));
        builder.push(&Event::Complete(ThreadEvent::new(thread, Tick(0), name), Ticks(9)));
    }
    builder.finish()
}

/// Returns the names and levels of the headers of tracks, and the number of rows.
fn headers(trace: &Trace, style: &VerticalStyle<'_>) -> (String, usize) {
    let layout = Layout::new(trace);
    let vertical = Vertical::new(trace, &layout, style);
    let (mut headers, mut n_rows) = (String::new(), 0);
    for line in vertical.lines() {
        match line.kind {
            LineKind::Track(_) => headers += &format!("{}{} ", line.label(trace).unwrap(), line.level),
            LineKind::Row(_) => n_rows += 1,
            _ => {}
        }
    }
    (headers, n_rows)
}

#[test]
fn layout_5_8_tracks_below_a_track_are_folded_with_it() {
    let trace = nested();
    assert_eq!(headers(&trace, &STYLE), ("a0 b1 d2 c1 e0 ".into(), 5));
    let [a, b] = [0, 1].map(|track| LineKind::Track(TrackId(track)));
    let mut folds = Folds::new();
    folds.toggle(b);
    assert_eq!(headers(&trace, &VerticalStyle { folds: Some(&folds), ..STYLE }), ("a0 b1 c1 e0 ".into(), 3));
    folds.toggle(a);
    assert_eq!(headers(&trace, &VerticalStyle { folds: Some(&folds), ..STYLE }), ("a0 e0 ".into(), 1));
    // The header of a stands for the rows of all tracks below it.
    let layout = Layout::new(&trace);
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle { folds: Some(&folds), ..STYLE });
    let line = vertical.line_of(layout.row_of(SliceId(2)).unwrap()).unwrap();
    assert_eq!((line.kind, line.outermost_rows(&trace, &layout).len()), (a, 4));
    // A slice of d is shown by opening d, b and a.
    folds.open(&trace, SliceId(2));
    assert_eq!(folds, Folds::new());
}

#[test]
fn layout_5_8_a_track_that_is_not_behind_the_one_above_it_has_level_0() {
    let order = [TrackId(2), TrackId(0), TrackId(3), TrackId(4), TrackId(1)];
    let mut folds = Folds::new();
    folds.toggle(LineKind::Track(TrackId(0)));
    let style = VerticalStyle { tracks: Some(&order), folds: Some(&folds), ..STYLE };
    assert_eq!(headers(&nested(), &style), ("d0 a0 e0 b0 ".into(), 3));
}

#[test]
fn layout_5_9_tracks_without_anything_have_no_lines() {
    let mut builder = TraceBuilder::new(&Limits::default());
    for tid in [1_i64, 2, 3] {
        builder.push(&Event::ThreadName(Thread::new(1_i64, tid), Text::plain(b"name")));
    }
    for (tid, name) in [(2_i64, b"f"), (3, b"g")] {
        let event = ThreadEvent::new(Thread::new(1_i64, tid), Tick(0), Text::plain(name));
        builder.push(&Event::Complete(event, Ticks(5)));
    }
    builder.push(&Event::ThreadName(Thread::new(2_i64, 4_i64), Text::plain(b"other process")));
    let trace = builder.finish();
    let hidden = trace.names().find(b"g");
    let is_shown = |slice| trace.slice_name_id(slice) != hidden;
    let all = Layout::new(&trace);
    let some = Layout::of_slices(&trace, is_shown);
    assert_eq!(trace.tracks().len(), 4);
    assert_eq!(shown_tracks(&trace, &all), [TrackId(1), TrackId(2)]);
    assert_eq!(shown_tracks(&trace, &some), [TrackId(1)]);
    let lines = |style: &VerticalStyle<'_>| Vertical::new(&trace, &some, style).lines().len();
    let tracks: Vec<TrackId> = trace.track_ids().collect();
    assert_eq!(lines(&VerticalStyle { process: 1, track: 1, ..VerticalStyle::FLAT }), 3);
    assert_eq!(
        lines(&VerticalStyle { process: 1, track: 1, tracks: Some(&tracks), ..VerticalStyle::FLAT }),
        7
    );
}

#[test]
fn layout_20_1_folding_a_process_keeps_the_folds_of_its_tracks() {
    let trace = trace();
    let (process, track) = (LineKind::Process(ProcessId(0)), LineKind::Track(TrackId(0)));
    let mut folds = Folds::new();
    folds.toggle(track);
    let before = folds.clone();
    folds.toggle(process);
    assert!(folds.is_folded(process) && folds.is_folded(track));
    folds.toggle(process);
    assert_eq!(folds, before);
    folds.open(&trace, SliceId(2));
    assert_eq!(folds, before, "the slice is on another track");
    folds.toggle(process);
    folds.open(&trace, SliceId(1));
    assert_eq!(folds, Folds::new());
    folds.toggle_all(&trace);
    let layout = Layout::new(&trace);
    let style = VerticalStyle { folds: Some(&folds), ..STYLE };
    assert_eq!(Vertical::new(&trace, &layout, &style).height(), 2 * 24);
    folds.toggle_all(&trace);
    assert_eq!(folds, Folds::new());
}
