//! Random traces for tests against brute force.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "not every test uses everything; random numbers are cut on purpose, and a test may panic"
)]

pub(crate) mod rows;

use core::ops::Range;

use spall_layout::{LayoutView, slice_tree};
use spall_model::{
    AsyncPhase, CallTree, Event, Function, Job, KeyedEvent, Limits, Measure, Text, Thread, ThreadEvent, Tick,
    Ticks, Trace, TraceBuilder, TraceView, TrackId,
};
pub(crate) use spall_synth::Random;

/// Returns a trace of two threads, whose slices nest, follow one another, overlap, and sometimes have no duration.
pub(crate) fn random_trace(random: &mut Random) -> Trace {
    let names = [b"a".as_slice(), b"b", b"c", b"d"];
    let mut builder = TraceBuilder::new(&Limits::default());
    for _ in 0..random.below(60) {
        let name = Text::plain(names[random.below(4_usize)]);
        let event = ThreadEvent::new(Thread::new(1_i64, random.below(2)), Tick(random.below(100)), name);
        let duration = if random.below(4) == 0 { random.below(80) } else { random.below(12) };
        builder.push(&Event::Complete(event, Ticks(duration)));
    }
    builder.finish()
}

/// Returns a trace of spans of one process with two ids. They overlap, and some outlive the spans in which they began.
pub(crate) fn random_async_trace(random: &mut Random) -> Trace {
    let names = [b"a".as_slice(), b"b", b"c"];
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut at = 0;
    for _ in 0..random.below(80) {
        at += random.below(5);
        let phase = if random.below(2) == 0 { AsyncPhase::Begin } else { AsyncPhase::End };
        let (id, name) = (random.below(2), names[random.below(3_usize)]);
        let event = KeyedEvent::new(1_i64, Tick(at), id, Text::plain(name));
        let event = event.with_category(Text::plain(b"c"));
        builder.push(&Event::Async(phase, event));
    }
    builder.finish()
}

/// Returns a trace of spans on two async tracks, of which most say their parents. Some begin before their parents or outlive
/// them, or run beside others.
pub(crate) fn random_trace_of_parents(random: &mut Random) -> Trace {
    let names = [b"a".as_slice(), b"b", b"c"];
    let mut builder = TraceBuilder::new(&Limits::default());
    let n_spans = 1 + random.below(24);
    for span in 1..=n_spans {
        let start = random.below(80);
        let name = Text::plain(names[random.below(3_usize)]);
        let event = KeyedEvent::new(1_i64, Tick(start), span % 2, name).with_span(span);
        let parent = if random.below(6) == 0 { random.below(n_spans) } else { random.below(span) };
        let event = if random.below(5) > 0 { event.with_parent(parent) } else { event };
        builder.push(&Event::Async(AsyncPhase::Begin, event));
        let end = Tick(start + random.below(40));
        if random.below(20) > 0 {
            builder.push(&Event::Async(AsyncPhase::End, KeyedEvent { at: end, ..event }));
        }
    }
    builder.finish()
}

/// Returns a trace of one of these kinds.
pub(crate) fn random_trace_of_any_kind(random: &mut Random) -> Trace {
    match random.below(4) {
        0 => random_async_trace(random),
        1 => random_trace_of_parents(random),
        _ => random_trace(random),
    }
}

pub(crate) fn tracks(trace: &Trace) -> impl Iterator<Item = TrackId> + use<> {
    (0..trace.tracks().len() as u32).map(TrackId)
}

/// Returns the tree of the time of slices, by their names.
pub(crate) fn time_tree(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    tracks: impl IntoIterator<Item = TrackId>,
    range: Range<Tick>,
) -> CallTree {
    let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
    slice_tree(trace, layout, tracks, range, Measure::WallTime, by_name).run()
}

pub(crate) fn random_range(random: &mut Random) -> Range<Tick> {
    let start = random.below(120) - 10;
    Tick(start)..Tick(start + random.below(80))
}
