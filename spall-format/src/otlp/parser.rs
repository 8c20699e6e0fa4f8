//! The parser, which reads a file when all of it is there.

use spall_model::{
    ArgsBuilder, ByteRange, DiagnosticKind, LendingParser, Progress, ReadOnce, Receiver, Text, Value,
    services::{
        OTLP_IDENTITY, Services, SpanFacts, SpanIds, bytes_id, kind_of_number, report, status_of_number,
    },
};

use super::any_value::{Faults, add_attributes};
use super::detect::Framing;
use super::parts::{Part, message_of, parts};
use super::schema::{Event, Head, Link, Scope, Span, Status, field};
use crate::protobuf::{Message as _, Wire, repeated};
use crate::{FormatError, FormatErrorKind};

/// A parser of spans of OpenTelemetry in protocol buffers. It reads the file when all of it is there, because parents may come
/// behind their children, and the ids of processes depend on all of them.
///
/// # Damage
/// | diagnostic | fault | effect |
/// |---|---|---|
/// | `Truncated` | the file ends inside a span | the spans before it are kept |
/// | `Overrun` | a length that is beyond the end of the message around it | the spans before it are kept, and those in other messages |
/// | `DamagedRecord` | bytes of a message that are no field | the rest of the message is left out |
/// | `BadArgument` | attributes that cannot be read to their end | the attributes before the damage are kept |
/// | `NotRead` | something else than spans | left out |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parser {
    state: ReadOnce<FormatError>,
}

impl Parser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: ReadOnce::new() }
    }
}

impl LendingParser for Parser {
    type Error = FormatError;

    /// # Errors
    /// This returns [`FormatErrorKind::NoSpans`] for a file without a span that has a time.
    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        self.state.read(data, eof, || read(data, to))
    }
}

/// Reads a file.
fn read(data: &[u8], to: &mut dyn for<'e> Receiver<'e>) -> Result<(), FormatError> {
    let services = Services::new(data.len() as u64);
    let mut file = File { data, services, to, ids: SpanIds::default() };
    let framing = Framing::of(data).map_or(Framing::Plain, |(framing, _)| framing);
    let mut rest = data;
    while !rest.is_empty() {
        let Some((begin, length)) = framing.next(rest) else {
            file.report(DiagnosticKind::Truncated, rest);
            break;
        };
        let content = rest.get(begin..).unwrap_or_default();
        match content.split_at_checked(length) {
            Some((request, behind)) => {
                file.request(request);
                rest = behind;
            }
            None => {
                file.request(content);
                break;
            }
        }
    }
    if file.services.is_empty() {
        return Err(FormatError::new(FormatErrorKind::NoSpans, 0));
    }
    file.services.finish(file.to);
    Ok(())
}

/// A file that is read, what is known of it, and who gets the events.
struct File<'a, 't> {
    data: &'a [u8],
    services: Services,
    to: &'t mut dyn for<'e> Receiver<'e>,
    ids: SpanIds,
}

impl<'a> File<'a, '_> {
    /// Returns the range of the file that a part of it is.
    fn range(&self, part: &[u8]) -> ByteRange {
        let start = part.as_ptr().addr().wrapping_sub(self.data.as_ptr().addr());
        ByteRange::new(start as u64, (start + part.len()) as u64)
    }

    fn report(&mut self, kind: DiagnosticKind, part: &[u8]) {
        report(kind, self.range(part), self.to);
    }

    /// Reports what is left of a message that is damaged or cut.
    fn report_rest(&mut self, part: Part<'_>) {
        let (bytes, kind) = match part {
            Part::Whole(..) => return,
            Part::Damaged(bytes) => (bytes, DiagnosticKind::DamagedRecord),
            Part::Cut(_, bytes) => (bytes, DiagnosticKind::Overrun),
        };
        let is_last = self.range(bytes).end == self.data.len() as u64;
        self.report(if is_last { DiagnosticKind::Truncated } else { kind }, bytes);
    }

    /// Reads a request: the spans of some resources.
    fn request(&mut self, request: &'a [u8]) {
        for part in parts(request) {
            match message_of(part, &[field::RESOURCE_SPANS]) {
                Some((resource, _)) => self.resource(resource),
                None => self.report_rest(part),
            }
        }
    }

    /// Reads the spans of a resource, which may stand behind them.
    fn resource(&mut self, message: &'a [u8]) {
        let head = Head::of(message).head;
        let mut attributes = ArgsBuilder::new();
        let faults = add_attributes(head, field::OF_RESOURCE, true, &mut attributes);
        self.report_faults(faults, head);
        let name = match attributes.args().get(b"service.name") {
            Some(Value::Text(name)) => name,
            _ => Text::EMPTY,
        };
        let process = self.services.process(name, attributes.args(), OTLP_IDENTITY);
        for part in parts(message) {
            match message_of(part, &[field::SCOPE_SPANS, field::LIBRARY_SPANS]) {
                Some((scope, _)) => self.scope(scope, process),
                None => self.report_rest(part),
            }
        }
    }

    fn scope(&mut self, message: &'a [u8], process: u32) {
        let scope = Scope::of(Head::of(message).head);
        for part in parts(message) {
            match part {
                Part::Whole(field::SPANS, Wire::Bytes(span)) => self.span(span, scope, process),
                part => self.report_rest(part),
            }
        }
    }

    fn span(&mut self, message: &'a [u8], scope: Scope<'a>, process: u32) {
        let (span, whole) = Span::read(message);
        if is_other_signal(message) {
            return self.report(DiagnosticKind::NotRead, message);
        }
        if whole.is_err() {
            self.report(DiagnosticKind::DamagedRecord, message);
        }
        let mut ids = core::mem::take(&mut self.ids);
        for (bytes, length, id) in [
            (span.trace_id, TRACE_ID, &mut ids.trace),
            (span.span_id, SPAN_ID, &mut ids.span),
            (span.parent_span_id, SPAN_ID, &mut ids.parent),
        ] {
            if !bytes_id(bytes, length, id) {
                self.report(DiagnosticKind::UnusualId, message);
            }
        }
        let status = Status::of(span.status);
        let facts = SpanFacts {
            name: Text::plain(span.name),
            category: Text::plain(scope.name),
            start: self.time(span.start, message),
            end: self.time(span.end, message),
            kind: kind_of_number(span.kind.into()),
            status: status_of_number(status.code.into()),
            status_message: Text::plain(status.message),
            trace_state: Text::plain(span.trace_state),
            flags: Value::I64(span.flags.into()),
            scope_version: Text::plain(scope.version),
            dropped: [span.dropped_attributes, span.dropped_events, span.dropped_links].map(i64::from),
            bytes: self.range(message),
            ..SpanFacts::new(process)
        };
        if self.services.begin_span(&ids, &facts, self.to) {
            self.links(message, &mut ids);
            self.attributes(message, field::ATTRIBUTES);
            for event in repeated(message, field::EVENTS) {
                self.event(event);
            }
            self.services.end_span(self.to);
        }
        self.ids = ids;
    }

    fn event(&mut self, message: &'a [u8]) {
        let event = Event::of(message);
        let at = self.time(event.time, message);
        if self.services.begin_event(Text::plain(event.name), at, self.range(message), self.to) {
            self.add_count("dropped_attributes", event.dropped_attributes);
            self.attributes(message, field::OF_EVENT);
            self.services.end_event();
        }
    }

    fn links(&mut self, message: &'a [u8], ids: &mut SpanIds) {
        let mut links = repeated(message, field::LINKS).peekable();
        if links.peek().is_none() {
            return;
        }
        let list = self.services.args().begin_list("links");
        for link in links {
            if !self.services.pay_for_link(self.range(link), self.to) {
                continue;
            }
            let entry = self.services.args().begin_map("");
            let facts = Link::of(link);
            for (key, bytes, length) in
                [("trace_id", facts.trace_id, TRACE_ID), ("span_id", facts.span_id, SPAN_ID)]
            {
                if !bytes_id(bytes, length, &mut ids.span) {
                    self.report(DiagnosticKind::UnusualId, link);
                }
                if !ids.span.is_empty() {
                    let _ = self.services.args().add(key, Text::plain(&ids.span));
                }
            }
            if !facts.trace_state.is_empty() {
                let _ = self.services.args().add("trace_state", Text::plain(facts.trace_state));
            }
            self.add_count("flags", facts.flags);
            self.add_count("dropped_attributes", facts.dropped_attributes);
            self.attributes(link, field::OF_LINK);
            self.services.args().end(entry);
        }
        self.services.args().end(list);
    }

    /// Adds a number that is not 0.
    fn add_count(&mut self, key: &'static str, count: u32) {
        if count != 0 {
            let _ = self.services.args().add(key, i64::from(count));
        }
    }

    /// Adds the attributes of a message to the span or the event.
    fn attributes(&mut self, message: &[u8], number: u32) {
        let faults = add_attributes(message, number, false, self.services.args());
        self.report_faults(faults, message);
    }

    fn report_faults(&mut self, faults: Faults, message: &[u8]) {
        if faults.is_too_deep {
            self.report(DiagnosticKind::DeepValue, message);
        }
        if faults.is_damaged {
            self.report(DiagnosticKind::BadArgument, message);
        }
    }

    /// Returns a time. One beyond 63 bits is clamped, and reported.
    fn time(&mut self, time: Option<u64>, message: &[u8]) -> Option<i64> {
        let time = time?;
        Some(i64::try_from(time).unwrap_or_else(|_| {
            self.report(DiagnosticKind::TimeOutOfRange, message);
            i64::MAX
        }))
    }
}

/// The number of bytes of the id of a trace, and of that of a span.
const TRACE_ID: usize = 16;
const SPAN_ID: usize = 8;

/// Returns whether a message is a metric or a record of a log: messages or times stand where a span has
/// none.
fn is_other_signal(message: &[u8]) -> bool {
    let is_other = |part: Part<'_>| {
        matches!(
            part,
            Part::Whole(field::START | field::END, Wire::Bytes(_)) | Part::Whole(1, Wire::Fixed64(_))
        )
    };
    parts(message).any(is_other)
}
