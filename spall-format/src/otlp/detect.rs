//! Recognises OTLP by its structure: it has no magic number. [otel 5.2](crate::rules::otel#5.2)

use super::parts::{message_of, parts};
use super::schema::field;
use crate::protobuf::{Fields, Wire};
use crate::varint::varint;

/// What the records of a request are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signal {
    /// Spans, which [`Parser`](super::Parser) reads.
    Spans,
    /// Metrics.
    Metrics,
    /// Records of logs.
    Logs,
}

/// How the requests of a file follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// One behind the other, which is one message.
    Plain,
    /// Each behind its length as a number of seven bits in each byte.
    Varint,
    /// Each behind its length in four bytes, the highest first.
    Fixed32,
}

impl Framing {
    /// Returns the framing of a file and what is in it, by its first request; `None` if that has no record.
    pub(super) fn of(data: &[u8]) -> Option<(Self, Signal)> {
        // A record that does not begin in here is not looked for.
        const HEAD: usize = 1 << 20;
        let data = data.get(..HEAD).unwrap_or(data);
        [Self::Plain, Self::Varint, Self::Fixed32].into_iter().find_map(|framing| {
            let (begin, length) = framing.next(data)?;
            let rest = data.get(begin..)?;
            Some((framing, signal_of(rest.get(..length).unwrap_or(rest))?))
        })
    }

    /// Returns where the first request of the data begins, and its length, which may be beyond the data.
    pub(super) fn next(self, data: &[u8]) -> Option<(usize, usize)> {
        match self {
            Self::Plain => (!data.is_empty()).then_some((0, data.len())),
            Self::Varint => {
                let (length, begin) = varint(data)?;
                Some((begin, usize::try_from(length).unwrap_or(usize::MAX)))
            }
            Self::Fixed32 => {
                let length = u32::from_be_bytes(*data.first_chunk()?);
                Some((4, usize::try_from(length).unwrap_or(usize::MAX)))
            }
        }
    }
}

/// Returns whether data are spans of OpenTelemetry in protocol buffers. The data may be the first part of a file.
///
/// Metrics and logs, the traces of Perfetto, and profiles of pprof have messages in the same fields; none of them has what a span
/// is recognised by: a time of eight bytes in one of two fields, beside an id or a name.
#[must_use]
pub fn is_otlp(data: &[u8]) -> bool {
    signal(data) == Some(Signal::Spans)
}

/// Returns what the first record of a file of OTLP in protocol buffers is; `None` if the data are something else.
#[must_use]
pub fn signal(data: &[u8]) -> Option<Signal> {
    Framing::of(data).map(|(_, signal)| signal)
}

/// Returns what the records of a request are, as far as the request is there: spans, if there is any.
fn signal_of(request: &[u8]) -> Option<Signal> {
    let within = |message, numbers: &'static [u32]| {
        parts(message).filter_map(move |part| message_of(part, numbers)).map(|(message, _)| message)
    };
    // The first messages of other formats have no records, and the others then have none either.
    const MOST: usize = 64;
    let records = within(request, &[field::RESOURCE_SPANS])
        .take(MOST)
        .flat_map(|resource| within(resource, &[field::SCOPE_SPANS, field::LIBRARY_SPANS]))
        .flat_map(|scope| within(scope, &[field::SPANS]))
        .filter_map(of_record);
    let mut first = None;
    for signal in records {
        if signal == Signal::Spans {
            return Some(signal);
        }
        first = first.or(Some(signal));
    }
    first
}

/// Returns what a record is: a span has a time of eight bytes and an id or a name, a metric a name and points, and a record of a
/// log a time in another field.
fn of_record(record: &[u8]) -> Option<Signal> {
    let [mut is_span, mut has_text, mut is_metric, mut is_log] = [false; 4];
    for (number, value) in Fields::new(record).map_while(Result::ok) {
        match (number, value) {
            (field::START | field::END, Wire::Fixed64(_)) => is_span = true,
            (1 | 11, Wire::Fixed64(_)) => is_log = true,
            (1, Wire::Bytes(_)) => has_text = true,
            (5, Wire::Bytes(_)) if is_span => has_text = true,
            (5, Wire::Bytes(_)) => (has_text, is_metric) = (true, true),
            (7 | 10 | 11, Wire::Bytes(_)) => is_metric = true,
            (field::ATTRIBUTES, Wire::Bytes(_)) if !is_span => is_metric = true,
            (1 | 5 | field::START | field::END, _) => return None,
            _ => {}
        }
    }
    match (is_span, has_text, is_metric, is_log) {
        (true, true, _, false) => Some(Signal::Spans),
        (false, true, true, false) => Some(Signal::Metrics),
        (false, _, _, true) => Some(Signal::Logs),
        _ => None,
    }
}
