//! A span and its events, as readers give them and as they are kept.

use alloc::vec::Vec;

use crate::{
    Args, ArgsBuilder, ByteRange, DiagnosticKind, NameId, Receiver, Text, Value, args_builder::BUILT,
};

use super::{SpanIds, report};

/// What a span says of itself, but for its ids, attributes, links and events.
#[derive(Debug, Clone, Copy)]
pub struct SpanFacts<'a> {
    /// The number of its process.
    pub process: u32,
    /// The name; empty if there is none.
    pub name: Text<'a>,
    /// The name of what made the span, such as a library; empty if there is none.
    pub category: Text<'a>,
    /// The Unix times of start and end, in nanoseconds; `None` or 0 if the file does not say.
    pub start: Option<i64>,
    /// The end, like the start.
    pub end: Option<i64>,
    /// The kind, such as `server`; null if there is none.
    pub kind: Value<'a>,
    /// The status, such as `error`; null if there is none.
    pub status: Value<'a>,
    /// The text about the status.
    pub status_message: Text<'a>,
    /// The state of the trace, which vendors use.
    pub trace_state: Text<'a>,
    /// The flags of the trace; null if there are none.
    pub flags: Value<'a>,
    /// The version of what made the span.
    pub scope_version: Text<'a>,
    /// The numbers of attributes, events and links that the program left out.
    pub dropped: [i64; 3],
    /// Whether a client and a server may each have a half of a span with one id, as in Zipkin.
    pub halves: bool,
    /// Whether the span is said to be the server's half.
    pub shared: bool,
    /// The bytes of the file that the span comes from.
    pub bytes: ByteRange,
}

/// Ends below this are 12 days of 1970 at most: times of such a file do not count from 1970, and 0 is one of them.
const RELATIVE_NS: i64 = 1_000_000_000_000_000;

impl SpanFacts<'_> {
    /// Returns the facts of a span of a process, which says nothing.
    #[must_use]
    pub const fn new(process: u32) -> Self {
        Self {
            process,
            name: Text::EMPTY,
            category: Text::EMPTY,
            start: None,
            end: None,
            kind: Value::Null,
            status: Value::Null,
            status_message: Text::EMPTY,
            trace_state: Text::EMPTY,
            flags: Value::Null,
            scope_version: Text::EMPTY,
            dropped: [0; 3],
            halves: false,
            shared: false,
            bytes: ByteRange::new(0, 0),
        }
    }

    /// Returns the start and the end, which an unfinished span does not have; `None` if there is no time at all.
    pub(super) fn times(&self, to: &mut dyn for<'e> Receiver<'e>) -> Option<(i64, Option<i64>)> {
        let end = self.end.filter(|&end| end != 0);
        let is_relative = end.is_some_and(|end| end < RELATIVE_NS);
        let start = self.start.filter(|&start| start != 0 || is_relative);
        match (start, end) {
            (Some(start), Some(end)) if end < start => {
                report(DiagnosticKind::EndBeforeBegin, self.bytes, to);
                Some((start, Some(start)))
            }
            (Some(start), end) => Some((start, end)),
            (None, Some(end)) => {
                report(DiagnosticKind::MissingStart, self.bytes, to);
                Some((end, Some(end)))
            }
            (None, None) => {
                report(DiagnosticKind::MissingTime, self.bytes, to);
                None
            }
        }
    }

    /// Writes the arguments that are no attributes and no links. [otel 3.9](crate::rules::otel#3.9)
    pub(super) fn write(&self, ids: &SpanIds, args: &mut ArgsBuilder<'static>) {
        let mut add = |key: &'static str, value: Value<'_>| {
            let is_empty = match value {
                Value::Text(text) => text.is_empty(),
                Value::I64(number) => number == 0,
                Value::Null => true,
                _ => false,
            };
            if !is_empty {
                let _ = args.add(key, value);
            }
        };
        for (key, id) in [("trace_id", &ids.trace), ("span_id", &ids.span), ("parent_span_id", &ids.parent)] {
            add(key, Value::Text(Text::plain(id)));
        }
        add("kind", self.kind);
        add("status", self.status);
        add("status_message", Value::Text(self.status_message));
        add("trace_state", Value::Text(self.trace_state));
        add("flags", self.flags);
        add("scope_version", Value::Text(self.scope_version));
        for (key, count) in
            ["dropped_attributes", "dropped_events", "dropped_links"].into_iter().zip(self.dropped)
        {
            add(key, Value::I64(count));
        }
    }
}

/// Where arguments are stored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ArgsRange {
    start: usize,
    length: u32,
}

impl ArgsRange {
    /// Stores the bytes of built arguments. What is longer than 4 GiB is left out.
    pub(super) fn add(bytes: &[u8], stored: &mut Vec<u8>) -> Self {
        let start = stored.len();
        let Ok(length) = u32::try_from(bytes.len()) else { return Self { start, length: 0 } };
        // A large table would otherwise be three times as large while it grows.
        if stored.capacity() - start < bytes.len() {
            stored.reserve_exact(bytes.len() + start / 4);
        }
        stored.extend_from_slice(bytes);
        Self { start, length }
    }

    pub(super) const fn start(self) -> usize {
        self.start
    }

    pub(super) fn bytes(self, stored: &[u8]) -> &[u8] {
        stored.get(self.start..self.start + self.length as usize).unwrap_or_default()
    }

    pub(super) fn args(self, stored: &[u8]) -> Args<'_> {
        Args::new(self.bytes(stored), &BUILT)
    }
}

/// A span, as it is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredSpan {
    /// The ids as they are compared; empty if there is none.
    pub(super) trace: NameId,
    pub(super) id: NameId,
    pub(super) parent: NameId,
    /// The id of the span as it is shown.
    pub(super) shown_id: NameId,
    pub(super) process: u32,
    pub(super) start: i64,
    pub(super) end: Option<i64>,
    pub(super) name: NameId,
    pub(super) category: NameId,
    pub(super) args: ArgsRange,
    /// The number of its first event, and that behind its last one.
    pub(super) events: (u32, u32),
    /// Whether it may be the half of a server, or another one.
    pub(super) serves: bool,
    pub(super) asks: bool,
    pub(super) bytes: ByteRange,
}

impl StoredSpan {
    /// Returns all that a span is, but for its place in the file and its events.
    pub(super) fn content<'s>(&self, stored: &'s [u8]) -> ([NameId; 5], u32, i64, Option<i64>, &'s [u8]) {
        let names = [self.trace, self.id, self.parent, self.name, self.category];
        (names, self.process, self.start, self.end, self.args.bytes(stored))
    }
}

/// An event of a span, as it is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredEvent {
    pub(super) at: i64,
    pub(super) name: NameId,
    pub(super) args: ArgsRange,
}

impl StoredEvent {
    /// Returns all that an event is.
    pub(super) fn content<'s>(&self, stored: &'s [u8]) -> (i64, NameId, &'s [u8]) {
        (self.at, self.name, self.args.bytes(stored))
    }
}
