//! Async spans of one name and key that overlap without lying inside one another: a reader pairs their begins and ends by
//! name, so the writer must keep them apart.

use std::convert::Infallible;

use spall_synth::Random;
use spall_trace::{
    export,
    json::json_args,
    model::{
        Args, AsyncPhase, Clock, DiagnosticKind, Event, KeyedEvent, Limits, MergedPart, Text, Tick, Trace,
        TraceBuilder, TraceMerger, TraceView,
    },
};

/// Random spans of one track, with few names and arguments. Those of a `said` trace say ids, and maybe parents, and cross.
fn random_trace(random: &mut Random, said: bool, has_parents: bool) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let n_spans = 1 + random.below(8);
    let args = |random: &mut Random| match random.below(4) {
        0 => json_args(br#"{"n":1}"#),
        1 => json_args(br#"{"n":2}"#),
        _ => Args::NONE,
    };
    for span in 1..=n_spans {
        let start = random.below(20);
        let end = start + random.below(12);
        let name = ["a", "a", "b", ""][random.below(4_usize)];
        let key = 1 + i64::from(random.one_in(6));
        let mut event = KeyedEvent::new(1, Tick(start), key, Text::from(name));
        if said {
            event = event.with_span(span);
        }
        if has_parents && random.one_in(2) {
            event = event.with_parent(random.below(n_spans + 1));
        }
        builder.push(&Event::Async(AsyncPhase::Begin, KeyedEvent { args: args(random), ..event }));
        if random.one_in(9) {
            continue;
        }
        let end = KeyedEvent { at: Tick(end), args: args(random), ..event };
        builder.push(&Event::Async(AsyncPhase::End, end));
        if random.one_in(6) {
            builder.push(&Event::Async(AsyncPhase::Instant, KeyedEvent { name: Text::from("i"), ..end }));
        }
    }
    builder.finish()
}

fn merged(traces: &[Trace]) -> Trace {
    let mut merger = TraceMerger::new(Clock::NANOSECONDS, &Limits::default());
    for trace in traces {
        let part = MergedPart { time: &|at| at.0.into(), pid: &|_| None, label: "", keeps_apart: false };
        merger.add(trace, &part);
    }
    merger.finish()
}

/// The slices and instants of all tracks. A slice without an end lasts until that of its track.
fn items(trace: &Trace) -> Vec<String> {
    let slice = |id| {
        let (slice, args) = (trace.slice(id).unwrap(), trace.slice_args(id));
        let end = if slice.flags.is_unfinished() { "?".to_owned() } else { slice.end.0.to_string() };
        let name = trace.name(slice.name);
        format!("{name:?} {}..{end} {} {}", slice.start.0, args.begin, args.end)
    };
    let mut items: Vec<String> = trace.slices().ids().iter().map(slice).collect();
    items.extend(
        trace.instants().iter().map(|instant| format!("{} {}", instant.at.0, trace.args_of(instant))),
    );
    items.sort();
    items
}

fn written(trace: &Trace) -> Vec<u8> {
    let mut json = Vec::new();
    let _ = export::json(trace, &mut json).unwrap();
    json
}

fn rebuilt(trace: &Trace) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let Ok(()) = trace.replay(|event| {
        builder.push(event);
        Ok::<(), Infallible>(())
    });
    builder.finish()
}

/// [json 5] [pairing 5]
#[test]
fn spans_that_cross_come_back_from_json_as_they_were() {
    let mut random = Random(4);
    let (mut n_lanes, mut n_merged_lanes) = (0, 0);
    for round in 0..6_000 {
        let (said, has_parents) = (round % 3 > 0, round % 3 > 1);
        let parts = [0, 1].map(|_| random_trace(&mut random, said, has_parents));
        for trace in [merged(&parts), parts.into_iter().next().unwrap()] {
            let json = written(&trace);
            let text = String::from_utf8_lossy(&json);
            let again = spall_trace::load(&json).unwrap();
            assert_eq!(items(&again), items(&trace), "{text}");
            assert_eq!(again.diagnostics().count(DiagnosticKind::UnmatchedAsync), 0);
            assert_eq!(items(&rebuilt(&trace)), items(&trace), "{text}");
            // Both files have the same pairs, so that nothing is taken apart again.
            assert_eq!(again.tracks().len(), spall_trace::load(&written(&again)).unwrap().tracks().len());
            match said {
                true => n_lanes += usize::from(again.tracks().len() > trace.tracks().len()),
                false => n_merged_lanes += usize::from(again.tracks().len() > trace.tracks().len()),
            }
        }
    }
    assert!(n_lanes > 500 && n_merged_lanes > 500, "{n_lanes} {n_merged_lanes}");
}

/// Recursion, ends and begins at one time, and spans that only their arguments tell apart. [pairing 5]
#[test]
fn json_whose_pairs_are_right_is_written_as_it_stands() {
    let event = |phase, at, name, args: &str| {
        let args = if args.is_empty() { String::new() } else { format!(r#","args":{{{args}}}"#) };
        format!(r#"{{"ph":"{phase}","ts":{at},"pid":1,"id":7,"name":"{name}","tid":1{args}}}"#)
    };
    let (one, two) = (r#""n":1"#, r#""n":2"#);
    for events in [
        vec![event('b', 0, "a", ""), event('b', 1, "a", ""), event('e', 5, "a", ""), event('e', 5, "a", one)],
        vec![event('b', 0, "a", ""), event('e', 5, "a", ""), event('b', 5, "a", ""), event('e', 9, "a", "")],
        vec![
            event('b', 0, "a", one),
            event('b', 1, "a", two),
            event('e', 5, "a", one),
            event('e', 9, "a", two),
        ],
        vec![event('b', 0, "a", ""), event('b', 1, "b", ""), event('e', 5, "a", ""), event('e', 9, "b", "")],
    ] {
        let json = format!("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"));
        let trace = spall_trace::load(json.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(written(&trace)).unwrap(), json);
    }
}

/// A lane has an id that no other track has.
#[test]
fn lanes_have_ids_of_their_own() {
    let mut builder = TraceBuilder::new(&Limits::default());
    let spans: [(&str, i64, i64, i64); 4] =
        [("7", 1, 0, 5), ("7", 2, 3, 9), ("7:2", 1, 20, 25), ("7:2", 2, 23, 29)];
    for (id, span, start, end) in spans {
        for (phase, at) in [(AsyncPhase::Begin, start), (AsyncPhase::End, end)] {
            let event = KeyedEvent::new(1, Tick(at), id, Text::from("a"));
            builder.push(&Event::Async(phase, event.with_span(span)));
        }
    }
    let trace = builder.finish();
    let again = spall_trace::load(&written(&trace)).unwrap();
    assert_eq!(items(&again), items(&trace));
    assert_eq!(again.tracks().len(), 4);
}

/// Quadratic work would not end: each span crosses all others, and the ids of lanes are names of the trace already.
#[test]
fn lanes_cost_no_more_than_logarithms_each() {
    let n = 100_000;
    let mut builder = TraceBuilder::new(&Limits::default());
    let names: Vec<String> = (0..n).map(|span| format!("7:{span}")).collect();
    for (span, name) in (1..).zip(&names) {
        let event = KeyedEvent::new(1, Tick(span), 7, Text::from("a")).with_span(span);
        builder.push(&Event::Async(AsyncPhase::Begin, event));
        builder.push(&Event::Async(AsyncPhase::End, KeyedEvent { at: Tick(span + n), ..event }));
        let other = KeyedEvent { name: Text::from(name.as_str()), ..event };
        builder.push(&Event::Async(AsyncPhase::Instant, other));
    }
    let (mut n_ends, mut last) = (0, Tick::MIN);
    let Ok(()) = builder.finish().replay_by_name(|event| {
        if let Event::Async(AsyncPhase::End, event) = event {
            assert!(last < event.at, "the lanes come in their order");
            last = event.at;
            n_ends += 1;
        }
        Ok::<(), Infallible>(())
    });
    assert_eq!(n_ends, n);
}
