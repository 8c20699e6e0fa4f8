//! The events that a trace replays build an equal trace.

use core::convert::Infallible;

use arbitrary::Unstructured;
use spall_trace::model::{
    ByteRange, DiagnosticKind, Event, FlowBind, Limits, Receiver, Trace, TraceBuilder, TraceView, Track,
    TrackKind,
};

use crate::{events, facts::facts};

/// Builds a trace of random events, one of the events that it gives, and one of the events of that. Returns whether there was
/// anything to say.
///
/// # Panics
/// When the second says something else than the first, but for what follows from events that were left out, or the
/// third than the second; or when they differ in more than the order of flows although the times of each thread of the
/// second go forward.
pub fn run(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let mut events = events::sequence(&mut u);
    bind_to_own_threads(&mut events);
    let mut builder = TraceBuilder::new(&Limits::default());
    for (place, event) in (0..).zip(&events) {
        builder.receive(event, ByteRange::new(place, place + 1));
    }
    let first = builder.finish();
    let second = again(&first);
    // An end that was left out may have had the first time of a track of its own, on which its place depends.
    let is_own = |track: &Track| matches!(track.kind, TrackKind::Track { .. });
    let n_unmatched = first.diagnostics().count(DiagnosticKind::UnmatchedEnd);
    if n_unmatched == 0 || !first.tracks().iter().any(is_own) {
        assert_eq!(said(&first), said(&second));
    }
    let third = again(&second);
    if second.diagnostics().count(DiagnosticKind::Unordered) > 0 {
        // Where pairs do not nest, slices of one time may change their places again.
        assert_eq!(said(&second), said(&third));
    } else if second != third {
        let [facts, flows] = [true, false].map(|wanted| {
            let is_wanted = |fact: &String| fact.starts_with("flow") != wanted;
            [&second, &third].map(|trace| facts(trace).into_iter().filter(is_wanted).collect::<Vec<_>>())
        });
        assert_eq!(facts[0], facts[1]);
        // Slices that begin at one time on several tracks have no order for the flows that are bound to them.
        assert!(flows[0] != flows[1], "the traces differ in something that is no fact of the list");
        assert_eq!(flows[0].len(), flows[1].len());
    }
    events.len() > 10
}

/// An arrow that is bound to the slice before it is on that slice's thread.
fn bind_to_own_threads(events: &mut [Event<'_>]) {
    let mut last = None;
    for event in events {
        match event {
            Event::Begin(event) | Event::Complete(event, _) | Event::Unfinished(event) => {
                last = Some(event.thread);
            }
            Event::Flow(flow) if flow.bind == FlowBind::Slice => flow.thread = last.unwrap_or(flow.thread),
            _ => {}
        }
    }
}

pub(crate) fn again(trace: &Trace) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let Ok(()) = trace.replay(|event| {
        builder.push(event);
        Ok::<(), Infallible>(())
    });
    builder.finish()
}

/// What the events themselves say. How far the trace and its unfinished slices reach, and so the order of slices, what
/// lies in what and which arrows are bound to it, also follows from ends that were left out.
fn said(trace: &Trace) -> Vec<String> {
    let mut facts = facts(trace);
    let mut in_group = false;
    for fact in &mut facts {
        in_group = if fact.starts_with("track") { fact.starts_with("track async") } else { in_group };
        // The depth of a span in its group is said, by the order of begins and ends.
        if in_group && fact.starts_with("place Some") {
            *fact = format!("depth {}", fact.split(' ').nth(1).unwrap_or_default());
        }
    }
    let follows = ["bounds", "place", "flow"];
    facts.retain(|fact| !follows.iter().any(|what| fact.starts_with(what)));
    // Facts on the whole file stand first and last.
    facts.sort_by_key(|fact| fact.starts_with("meta None"));
    let slices = facts.chunk_by_mut(|a, b| a.starts_with("slice") && b.starts_with("slice"));
    slices.for_each(<[String]>::sort);
    facts
}
