//! Our side of each job.
//!
//! A job reads at least as much of each event as any consumer would: its kind and its time.

use spall_trace::format::apitrace;
use spall_trace::layout::{Layout, LayoutOptions, LiveLayout};
use spall_trace::model::{Event, Events, Limits, LiveTrace, Parser, Receiver, Tick, Trace, TraceBuilder};

use crate::peer::spall::Counts;

/// Reads all events. Returns their number and the sum of their times.
#[must_use]
pub fn events<P: Parser>(events: Events<'_, P>) -> (usize, i64) {
    events.flatten().fold((0, 0), |(count, sum), parsed| {
        (count + 1, sum.wrapping_add(parsed.event.at().map_or(0, |at| at.0)))
    })
}

/// Counts the begins and ends of a spall file, as [`crate::peer::spall::count`] does.
#[must_use]
pub fn spall_counts(data: &[u8]) -> Counts {
    let mut counts = Counts::default();
    for parsed in spall_trace::format::spall::parse_all(data) {
        let Ok(parsed) = parsed else { break };
        match parsed.event {
            Event::Begin(event) => counts.begin(event.at.0.cast_unsigned(), event.name.raw()),
            Event::End(event) => counts.end(event.at.0.cast_unsigned()),
            _ => {}
        }
    }
    counts
}

/// Loads a trace. Returns an empty one if the file cannot be read.
#[must_use]
pub fn trace(data: &[u8]) -> Trace<'_> {
    let limits = Limits::default();
    spall_trace::load(data, &limits).unwrap_or_else(|_| TraceBuilder::new(&limits).finish())
}

/// Loads a trace on two threads. Returns an empty one if the file cannot be read.
#[cfg(feature = "parallel")]
#[must_use]
pub fn trace_on_two_threads(data: &[u8]) -> Trace<'_> {
    let mut options = spall_trace::LoadParallel::default();
    options.n_threads = core::num::NonZeroUsize::new(2);
    spall_trace::load_parallel(data, &options).unwrap_or_else(|_| TraceBuilder::new(&options.limits).finish())
}

/// Reads a spall file as if it grew. The trace and its layout are brought up to date every 4096 events.
#[must_use]
pub fn live(data: &[u8]) -> (LiveTrace, LiveLayout) {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut layout = LiveLayout::new(&LayoutOptions::default());
    for (parsed, n_events) in spall_trace::format::spall::parse_all(data).map_while(Result::ok).zip(1_u64..) {
        trace.receive(&parsed.event, parsed.bytes);
        if n_events.is_multiple_of(4096) {
            layout.update(&trace.commit(), Tick::MIN);
        }
    }
    layout.update(&trace.commit(), Tick::MIN);
    (trace, layout)
}

/// Loads a spall file and lays it out. Strings are copied, as those of [`live`] are.
#[must_use]
pub fn copied_trace_and_layout(data: &[u8]) -> (Trace<'static>, Layout) {
    let mut builder = TraceBuilder::new(&Limits::default());
    for parsed in spall_trace::format::spall::parse_all(data).map_while(Result::ok) {
        builder.copying().receive(&parsed.event, parsed.bytes);
    }
    let trace = builder.finish();
    let layout = Layout::new(&trace, &LayoutOptions::default());
    (trace, layout)
}

/// Reads all calls of a recording and returns their number.
#[must_use]
pub fn apitrace_calls(data: &[u8]) -> usize {
    let Ok(stream) = spall_trace::format::container::decompress(data, &Limits::default()) else { return 0 };
    apitrace::Calls::new(&stream.stream).map_or(0, Iterator::count)
}
