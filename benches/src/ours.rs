//! Our side of each job.
//!
//! A job reads at least as much of each event as any consumer would: its kind and its time.

use spall_trace::format::{apitrace, spall};
use spall_trace::layout::{Layout, LiveLayout};
use spall_trace::model::{Event, Limits, LiveTrace, Parser, Receiver, Tick, Trace, TraceBuilder};

use crate::peer::spall::Counts;

/// Reads all events. Returns their number and the sum of their times.
#[must_use]
pub fn events<P: Parser>(parser: P, data: &[u8]) -> (usize, i64) {
    let (mut count, mut sum) = (0, 0_i64);
    _ = parser.parse_all(data, |event, _| {
        count += 1;
        sum = sum.wrapping_add(event.at().map_or(0, |at| at.0));
    });
    (count, sum)
}

/// Counts the begins and ends of a spall file, as [`crate::peer::spall::count`] does.
#[must_use]
pub fn spall_counts(data: &[u8]) -> Counts {
    let mut counts = Counts::default();
    _ = spall::Parser::new().parse_all(data, |event, _| match event {
        Event::Begin(event) => counts.begin(event.at.0.cast_unsigned(), event.name.raw()),
        Event::End(event) => counts.end(event.at.0.cast_unsigned()),
        _ => {}
    });
    counts
}

fn empty() -> Trace {
    TraceBuilder::new(&Limits::default()).finish()
}

/// Loads a trace. Returns an empty one if the file cannot be read.
#[must_use]
pub fn trace(data: &[u8]) -> Trace {
    spall_trace::load(data).unwrap_or_else(|_| empty())
}

/// Loads a trace on two threads. Returns an empty one if the file cannot be read.
#[cfg(feature = "parallel")]
#[must_use]
pub fn trace_on_two_threads(data: &[u8]) -> Trace {
    let two = core::num::NonZeroUsize::MIN.saturating_add(1);
    spall_trace::Loader::new().with_threads(two).load(data).unwrap_or_else(|_| empty())
}

/// Reads a spall file as if it grew. The trace and its layout are brought up to date every 4096 events.
#[must_use]
pub fn live(data: &[u8]) -> (LiveTrace, LiveLayout) {
    let mut trace = LiveTrace::new(&Limits::default());
    let mut layout = LiveLayout::new();
    let mut n_events = 0_u64;
    let result = spall::Parser::new().parse_all(data, |event, bytes| {
        trace.receive(event, bytes);
        n_events += 1;
        if n_events.is_multiple_of(4096) {
            layout.update(&trace.commit(), Tick::MIN);
        }
    });
    assert!(result.is_ok());
    layout.update(&trace.commit(), Tick::MIN);
    (trace, layout)
}

/// Loads a spall file and lays it out. Strings are copied, as those of [`live`] are.
#[must_use]
pub fn copied_trace_and_layout(data: &[u8]) -> (Trace, Layout) {
    let mut builder = TraceBuilder::new(&Limits::default());
    let result = spall::Parser::new().parse_all(data, |event, bytes| builder.receive(event, bytes));
    assert!(result.is_ok());
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    (trace, layout)
}

/// Reads all calls of a recording and returns their number.
#[must_use]
pub fn apitrace_calls(data: &[u8]) -> usize {
    let Ok(stream) = spall_trace::format::container::decompress(data, &Limits::default()) else { return 0 };
    apitrace::Calls::new(&stream.stream).map_or(0, Iterator::count)
}
