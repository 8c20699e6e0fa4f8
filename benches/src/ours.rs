//! Our side of each job.
//!
//! Readers are asked for what a consumer would at least look at: the kind of each event and its time.

use spall::format::apitrace;
use spall::model::{Event, Events, Limits, Parser, Trace};

use crate::peer::spall::Counts;

/// Reads all events: their number, and the sum of their times.
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
    for parsed in spall::format::spall::parse_all(data) {
        let Ok(parsed) = parsed else { break };
        match parsed.event {
            Event::Begin(event) => counts.begin(event.at.0.cast_unsigned(), event.name.raw()),
            Event::End(event) => counts.end(event.at.0.cast_unsigned()),
            _ => {}
        }
    }
    counts
}

/// A finished trace; an empty one if the file cannot be read.
#[must_use]
pub fn trace(data: &[u8]) -> Trace<'_> {
    let limits = Limits::default();
    spall::load(data, &limits).unwrap_or_else(|_| spall::model::TraceBuilder::new(&limits).finish())
}

/// Reads all calls of a recording: their number.
#[must_use]
pub fn apitrace_calls(data: &[u8]) -> usize {
    let Ok(stream) = spall::format::container::decompress(data, &Limits::default()) else { return 0 };
    apitrace::Calls::new(&stream.stream).map_or(0, Iterator::count)
}
