//! What becomes of apitrace recordings on a timeline: slices, groups, frames and marks.
#![cfg(feature = "alloc")]

use spall_format::apitrace::Parser;
use spall_model::{DiagnosticKind, Event, Id, LendingParser, Limits, Progress, TraceView};
use spall_synth::apitrace::{Detail, Stream, Value, game};

#[test]
fn c5_groups_frames_and_marks_become_slices_and_instants() {
    let data = game(200);
    let mut seen = Vec::new();
    let see = |event: &Event<'_>, _| {
        let (event, end) = match event {
            Event::Complete(slice, length) => (slice, (slice.at + *length).0),
            Event::Instant(event, _) => (event, event.at.0),
            _ => return,
        };
        if !event.category.is(b"call") {
            seen.push((
                event.category.decode().into_owned(),
                event.name.decode().into_owned(),
                event.at.0,
                end,
            ));
        }
    };
    Parser::new().lend_all(&data, see).unwrap();
    let expected = [
        ("group", "pass", 0, 197),
        ("frame", "glXSwapBuffers", 199, 199),
        ("frame", "frame", 0, 199),
        ("group", "pass", 200, 397),
        ("frame", "glXSwapBuffers", 399, 399),
        ("frame", "frame", 199, 399),
    ];
    assert_eq!(
        seen,
        expected.map(|(category, name, start, end)| (category.to_owned(), name.to_owned(), start, end))
    );
}

#[test]
fn c5_in_a_trace_frames_have_a_track_and_groups_enclose_calls() {
    let data = game(200);
    let mut builder = spall_model::TraceBuilder::new(&Limits::default());
    let mut parser = Parser::new();
    while let Progress::Read(0) = parser.lend(&data, true, &mut builder).unwrap() {}
    let trace = builder.finish();
    assert!(trace.diagnostics().is_empty());
    let tracks: Vec<_> = trace.tracks().iter().map(|track| track.slices().len()).collect();
    assert_eq!(tracks, [202, 2], "200 calls and 2 groups, 2 frames");
    let name = |index: usize| trace.name(trace.slices().names()[index]);
    assert_eq!((name(0), name(1)), ("pass".into(), "glPushDebugGroup".into()));
}

/// A display list with points in a marker group, an end too many, and a list that is never ended. Call n is entered at
/// 2n and left at 2n + 1.
fn blocks() -> Stream {
    let mode = Value::Enum(1, vec![("GL_POINTS".to_owned(), 0)], 0);
    let calls: [(u64, &str, &[&str], Vec<Detail>); 8] = [
        (1, "glNewList", &["list"], vec![Detail::Argument(0, Value::Integer(7))]),
        (2, "glPushGroupMarkerEXT", &["length", "marker"], vec![]),
        (3, "glBegin", &["mode"], vec![Detail::Argument(0, mode)]),
        (4, "glVertex3f", &[], vec![]),
        (5, "glEnd", &[], vec![]),
        (6, "glEndList", &[], vec![]),
        (5, "glEnd", &[], vec![]),
        (1, "glNewList", &["list"], vec![]),
    ];
    let mut stream = Stream::new(6, &[]);
    for (number, (id, name, arguments, details)) in (0..).zip(&calls) {
        stream.enter(0, (*id, name, arguments), details);
        stream.leave(number, &[]);
    }
    stream
}

#[test]
fn c5_vertices_and_display_lists_enclose_their_calls() {
    let stream = blocks();
    let (mut seen, mut unmatched) = (Vec::new(), 0);
    let see = |event: &Event<'_>, _| {
        let (slice, end) = match event {
            Event::Complete(slice, length) => (slice, Some((slice.at + *length).0)),
            Event::Unfinished(slice) => (slice, None),
            Event::Diagnostic(DiagnosticKind::UnmatchedEnd) => {
                unmatched += 1;
                return;
            }
            _ => return,
        };
        if !slice.category.is(b"call") {
            let name = slice.name.decode().into_owned();
            seen.push((slice.category.decode().into_owned(), name, slice.at.0, end));
        }
    };
    Parser::new().lend_all(stream.bytes(), see).unwrap();
    let expected = [
        ("primitives", "GL_POINTS", 4, Some(9)),
        ("list", "glNewList", 0, Some(11)),
        ("group", "", 2, None),
        ("list", "glNewList", 14, None),
    ];
    assert_eq!(seen, expected.map(|(kind, name, at, end)| (kind.to_owned(), name.to_owned(), at, end)));
    assert_eq!(unmatched, 1);
}

/// Category, name, thread and start of all slices and instants but calls, and how many groups and leaves had no partner.
fn structure(stream: &Stream) -> (Vec<(String, String, Id<'static>, i64)>, usize) {
    let (mut seen, mut unmatched) = (Vec::new(), 0);
    let see = |event: &Event<'_>, _| match event {
        Event::Complete(event, _) | Event::Unfinished(event) | Event::Instant(event, _)
            if !event.category.is(b"call") =>
        {
            let Id::Number(thread) = event.thread.tid else { return };
            let name = event.name.decode().into_owned();
            seen.push((event.category.decode().into_owned(), name, Id::Number(thread), event.at.0));
        }
        Event::Diagnostic(DiagnosticKind::UnmatchedEnd) => unmatched += 1,
        _ => {}
    };
    Parser::new().lend_all(stream.bytes(), see).unwrap();
    (seen, unmatched)
}

#[test]
fn c5_a_text_ends_at_a_positive_length_or_at_nul() {
    for (length, text, expected) in [
        (3, &b"abcdef"[..], "abc"),
        (9, b"abc", "abc"),
        (5, b"ab\0cd", "ab\0cd"),
        (0, b"ab\0cd", "ab"),
        (-1, b"ab\0cd", "ab"),
        (-1, b"abc", "abc"),
    ] {
        let mut stream = Stream::new(6, &[]);
        let details =
            [Detail::Argument(0, Value::Integer(length)), Detail::Argument(1, Value::Text(text.to_vec()))];
        stream.enter(3, (1, "glInsertEventMarkerEXT", &["length", "marker"]), &details);
        stream.leave(0, &[]);
        let mark = ("mark".to_owned(), expected.to_owned(), Id::Number(3), 0);
        assert_eq!(structure(&stream), (vec![mark], 0), "{length}");
    }
}

#[test]
fn c5_groups_nest_by_thread_and_only_calls_that_returned_count() {
    let push = |name: &str| [Detail::Argument(1, Value::Text(name.as_bytes().to_vec()))];
    let (open, close) =
        ((1, "glPushGroupMarkerEXT", &["length", "marker"][..]), (2, "glPopDebugGroup", &[][..]));
    let mut stream = Stream::new(6, &[]);
    stream.enter(1, open, &push("one"));
    stream.leave(0, &[]);
    stream.enter(2, open, &push("two"));
    stream.leave(1, &[]);
    stream.enter(3, open, &push("never returns"));
    stream.enter(1, close, &[]);
    stream.leave(3, &[]);
    stream.enter(3, close, &[]);
    stream.leave(4, &[]);
    let group = |name: &str, thread, at| ("group".to_owned(), name.to_owned(), Id::Number(thread), at);
    assert_eq!(structure(&stream), (vec![group("one", 1, 0), group("two", 2, 2)], 1));

    let mut unclosed = Vec::new();
    let see = |event: &Event<'_>, _| {
        if let Event::Unfinished(slice) = event
            && slice.category.is(b"group")
        {
            unclosed.push(slice.thread.tid.to_string());
        }
    };
    Parser::new().lend_all(stream.bytes(), see).unwrap();
    assert_eq!(unclosed, ["2"]);
}

#[test]
fn c4_each_leave_of_no_open_call_is_reported() {
    let mut stream = Stream::new(6, &[]);
    for number in 0..3 {
        for _ in 0..=number {
            stream.leave(77, &[]);
        }
        stream.enter(0, (1, "f", &[]), &[]);
        stream.leave(number, &[]);
    }
    assert_eq!(structure(&stream), (vec![], 6));
}

#[test]
fn c6_names_repeated_by_many_calls_do_not_multiply() {
    let name = "n".repeat(10_000);
    let mut stream = Stream::new(6, &[]);
    for number in 0..10 {
        stream.enter(0, (7, &name, &[&name, &name]), &[Detail::Argument(1, Value::Integer(1))]);
        stream.leave(number, &[]);
    }
    let (mut total, mut texts) = (0, Vec::new());
    let see = |event: &Event<'_>, _| {
        if let Event::Complete(slice, _) = event {
            assert_eq!(slice.name.raw().len(), 256);
            total += slice.args.bytes().len();
            texts.push(slice.args.to_string());
        }
    };
    Parser::new().lend_all(stream.bytes(), see).unwrap();
    assert!(total < 8 * stream.bytes().len() + 10 * 64, "{total}");
    // The first call has the names itself.
    assert_eq!((&texts[0], &texts[1..]), (&format!("{name}=1"), &["…=null"; 9].map(String::from)[..]));
}

#[test]
fn c6_a_long_name_is_not_searched_by_every_call() {
    let name = "n".repeat(1 << 20);
    let mut stream = Stream::new(6, &[]);
    for number in 0..100_000 {
        stream.enter(0, (7, &name, &[]), &[]);
        stream.leave(number, &[]);
    }
    // Searching it each time would take minutes.
    let mut n_calls = 0;
    let see = |event: &Event<'_>, _| n_calls += usize::from(event.at().is_some());
    Parser::new().lend_all(stream.bytes(), see).unwrap();
    assert_eq!(n_calls, 100_000);
}
