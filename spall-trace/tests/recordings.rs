//! Recordings of graphics calls, as flame graphs: marker groups, then functions. \[apitrace C.5\]

use std::collections::BTreeMap;

use spall_synth::apitrace::game;
use spall_trace::format::apitrace::{Calls, Parser};
use spall_trace::model::{
    LendingParser, Limits, LiveTrace, Receiver, Trace, TraceBuilder, TraceView, TrackId,
};
use spall_trace::{Format, TraceParser, export, load};

#[test]
fn c5_a_flame_graph_is_weighted_by_calls() {
    let stream = game(1000);
    let mut expected: BTreeMap<String, i64> = BTreeMap::new();
    let mut reader = Calls::new(&stream).unwrap();
    while let Some(call) = reader.next() {
        let call = call.unwrap();
        let name = String::from_utf8_lossy(reader.name(&call)).into_owned();
        *expected.entry(name).or_default() += 1;
    }
    let mut builder = TraceBuilder::new(&Limits::default());
    Parser::new().lend_all(&stream, |event, bytes| builder.receive(event, bytes)).unwrap();
    let trace = builder.finish();
    let tree = spall_trace::samples::call_tree(&trace, TrackId(0), &spall_trace::json::V8);
    let mut found: BTreeMap<String, i64> = BTreeMap::new();
    let mut stacks = tree.tree.folded(&trace);
    while let Some((stack, own)) = stacks.next_stack() {
        // The time between calls, in which no function runs.
        if stack.is_empty() || stack == "pass" {
            continue;
        }
        let (group, function) = stack.rsplit_once(';').unwrap_or(("", stack));
        assert_eq!(group.is_empty(), function == "glXSwapBuffers", "{stack}");
        *found.entry(function.to_owned()).or_default() += own.0;
    }
    assert_eq!(found, expected);
}

/// Returns the text of the arguments of each slice, without those that have none.
fn texts(trace: &Trace) -> Vec<String> {
    let args = trace.slices().ids().iter().map(|id| trace.slice_args(id));
    args.filter(|args| !args.begin.is_none()).map(|args| args.begin.to_string()).collect()
}

#[test]
fn c5_arguments_are_the_same_text_wherever_they_go() {
    let stream = game(300);
    let trace = load(&stream).unwrap();
    let (mut expected, mut memory) = (Vec::new(), Vec::new());
    let mut calls = Calls::new(&stream).unwrap();
    while let Some(Ok(call)) = calls.next() {
        let args = calls.arguments(&call, &mut memory);
        expected.extend((!args.is_none()).then(|| args.to_string()));
    }
    assert_eq!(texts(&trace), expected);
    assert!(expected.contains(&"x=0.5, y=1, z=-1".to_owned()), "{expected:?}");

    // Replayed, and grown piece by piece.
    let mut rebuilt = TraceBuilder::new(&Limits::default());
    trace
        .replay(|event| {
            rebuilt.push(event);
            Ok::<(), ()>(())
        })
        .unwrap();
    let rebuilt = rebuilt.finish();
    assert!(rebuilt == trace);
    assert_eq!(texts(&rebuilt), expected);
    let (mut parser, mut live) =
        (TraceParser::new(Format::Apitrace, &Limits::default()), LiveTrace::new(&Limits::default()));
    for end in [stream.len() / 3, stream.len() / 2, stream.len()] {
        let data = stream.get(..end).unwrap_or_default();
        parser.read(data, end == stream.len(), |event, bytes| live.receive(event, bytes)).unwrap();
        live.commit();
    }
    assert!(live.finish() == trace);

    // Through other formats, whose arguments are plain texts. JSON has children before their parents, so the order
    // differs.
    let sorted = |trace: &Trace| {
        let mut texts = texts(trace);
        texts.sort();
        texts
    };
    let mut file = Vec::new();
    _ = export::json(&trace, &mut file).unwrap();
    assert_eq!(sorted(&load(&file).unwrap()), sorted(&trace));
    file.clear();
    _ = export::spall(&trace, &mut file).unwrap();
    assert_eq!(sorted(&load(&file).unwrap()), sorted(&trace));
}
