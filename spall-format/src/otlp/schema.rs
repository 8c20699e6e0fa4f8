//! The messages of OTLP, as far as they are read, and the numbers of fields that repeat.

use crate::protobuf::messages;

/// The fields that repeat, or that hold messages that do.
pub(super) mod field {
    pub(in crate::otlp) const RESOURCE_SPANS: u32 = 1;
    pub(in crate::otlp) const SCOPE_SPANS: u32 = 2;
    /// The old name of the spans of a scope.
    pub(in crate::otlp) const LIBRARY_SPANS: u32 = 1000;
    pub(in crate::otlp) const SPANS: u32 = 2;
    pub(in crate::otlp) const START: u32 = 7;
    pub(in crate::otlp) const END: u32 = 8;
    pub(in crate::otlp) const ATTRIBUTES: u32 = 9;
    pub(in crate::otlp) const EVENTS: u32 = 11;
    pub(in crate::otlp) const LINKS: u32 = 13;
    pub(in crate::otlp) const OF_RESOURCE: u32 = 1;
    pub(in crate::otlp) const OF_EVENT: u32 = 3;
    pub(in crate::otlp) const OF_LINK: u32 = 4;
    /// The values of a list or a map.
    pub(in crate::otlp) const VALUES: u32 = 1;
}

messages! {
    /// The resource of spans, or their scope.
    Head { head: &'a [u8] = 1 }

    /// What made spans.
    Scope { name: &'a [u8] = 1, version: &'a [u8] = 2 }

    /// A span, but for what repeats.
    Span {
        trace_id: &'a [u8] = 1,
        span_id: &'a [u8] = 2,
        trace_state: &'a [u8] = 3,
        parent_span_id: &'a [u8] = 4,
        name: &'a [u8] = 5,
        kind: i32 = 6,
        start: Option<u64> = 7,
        end: Option<u64> = 8,
        dropped_attributes: u32 = 10,
        dropped_events: u32 = 12,
        dropped_links: u32 = 14,
        status: &'a [u8] = 15,
        flags: u32 = 16,
    }

    /// The status of a span.
    Status { message: &'a [u8] = 2, code: i32 = 3 }

    /// An event of a span.
    Event { time: Option<u64> = 1, name: &'a [u8] = 2, dropped_attributes: u32 = 4 }

    /// A link of a span.
    Link {
        trace_id: &'a [u8] = 1,
        span_id: &'a [u8] = 2,
        trace_state: &'a [u8] = 3,
        dropped_attributes: u32 = 5,
        flags: u32 = 6,
    }

    /// An attribute.
    KeyValue { key: &'a [u8] = 1, value: &'a [u8] = 2 }
}
