//! Spans of services, which have ids instead of threads: from OpenTelemetry, Jaeger or Zipkin. [otel](crate::rules::otel)
//!
//! The readers of all these formats hand their spans to one [`Services`], which finds the processes, leaves out what is
//! there twice, and hands over events once the last span is known: only then the ids of processes are. A builder finds the
//! parents and the links among the spans of the trace, so that those of several files are found too.
//!
//! ```
//! use spall_model::{
//!     ArgsBuilder, Limits, Text, TraceBuilder, TraceView,
//!     services::{Services, SpanFacts, SpanIds, OTLP_IDENTITY},
//! };
//!
//! let mut builder = TraceBuilder::new(&Limits::default());
//! let mut services = Services::new(1 << 10);
//! let mut resource = ArgsBuilder::new();
//! resource.add("service.name", "shop");
//! let process = services.process(Text::from("shop"), resource.args(), OTLP_IDENTITY);
//! let mut ids = SpanIds::default();
//! ids.span.extend(b"eee19b7ec3c10001");
//! let facts = SpanFacts { name: Text::from("GET /"), start: Some(1000), end: Some(1500), ..SpanFacts::new(process) };
//! if services.begin_span(&ids, &facts, &mut builder) {
//!     services.args().add("http.route", "/");
//!     services.end_span(&mut builder);
//! }
//! services.finish(&mut builder);
//! let trace = builder.finish();
//! assert_eq!((trace.processes().len(), trace.slices().len()), (1, 1));
//! ```

mod base64;
mod emit;
mod ids;
mod names;
mod process;
mod span;

pub use self::base64::decode_base64;
pub use self::ids::{SpanIds, bytes_id, comparable, hex_id, otlp_id};
pub use self::names::{
    attribute_key, kind_of_name, kind_of_number, links, span_kind, status_of_name, status_of_number,
};
pub use self::process::{JAEGER_IDENTITY, OTLP_IDENTITY, ZIPKIN_IDENTITY};
pub use self::span::SpanFacts;

use alloc::vec::Vec;
use core::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::{
    ArgsBuilder, Budget, ByteRange, DiagnosticKind, Event, Names, Receiver, Text, Value, index32, log::Log,
};

use self::{
    process::ProcessFacts,
    span::{ArgsRange, StoredEvent, StoredSpan},
};

/// The number of lists and maps inside one another that are read of a value. [otel 2.3](crate::rules::otel#2.3)
pub const MAX_VALUE_DEPTH: usize = 64;

/// The prices of a span and of an event or link of one, in bytes of the file. Real ones take more.
const SPAN_PRICE: u64 = 32;
const ITEM_PRICE: u64 = 16;

/// The spans of a file of services, as they are read.
#[derive(Debug)]
pub struct Services {
    names: Names,
    /// The arguments of all spans, events and processes.
    stored: Vec<u8>,
    processes: Vec<ProcessFacts>,
    by_identity: HashMap<Vec<u8>, u32, RandomState>,
    /// The facts that are known of processes, by a hash of process, key and value.
    known_facts: HashSet<u64, RandomState>,
    spans: Log<StoredSpan>,
    events: Log<StoredEvent>,
    /// The spans that have ids, by a hash of all that they are.
    by_content: HashMap<u64, u32, RandomState>,
    hasher: RandomState,
    budget: Budget,
    /// The number of bytes of the file.
    read: u64,
    /// The span that is being read, its arguments, and those of its event.
    current: Option<StoredSpan>,
    current_events: Vec<StoredEvent>,
    args: ArgsBuilder<'static>,
    event: Option<StoredEvent>,
    event_args: ArgsBuilder<'static>,
    /// Whether a span was left out.
    left_out: bool,
}

impl Services {
    /// Returns the spans of a file of this many bytes, of which none has been read.
    #[must_use]
    pub fn new(read: u64) -> Self {
        Self {
            names: Names::default(),
            stored: Vec::new(),
            processes: Vec::new(),
            by_identity: HashMap::default(),
            known_facts: HashSet::default(),
            spans: Log::default(),
            events: Log::default(),
            by_content: HashMap::default(),
            hasher: RandomState::default(),
            budget: Budget::default(),
            read,
            current: None,
            current_events: Vec::new(),
            args: ArgsBuilder::new(),
            event: None,
            event_args: ArgsBuilder::new(),
            left_out: false,
        }
    }

    /// Returns whether there is no span.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the arguments of the span or the event that was begun last and not ended, behind those that it has already.
    pub fn args(&mut self) -> &mut ArgsBuilder<'static> {
        if self.event.is_some() { &mut self.event_args } else { &mut self.args }
    }

    /// Pays for a link of the span. Returns whether the file is large enough for it.
    pub fn pay_for_link(&mut self, bytes: ByteRange, to: &mut dyn for<'e> Receiver<'e>) -> bool {
        self.pay(ITEM_PRICE, bytes, to)
    }

    fn pay(&mut self, price: u64, bytes: ByteRange, to: &mut dyn for<'e> Receiver<'e>) -> bool {
        let is_paid = self.budget.spend(price, self.read);
        if !is_paid {
            report(DiagnosticKind::SpanLimit, bytes, to);
        }
        is_paid
    }

    /// Begins a span. Returns whether it is read: one without any time is left out, which is reported. Its arguments, its links
    /// and its events follow, and then [`Services::end_span`].
    pub fn begin_span(
        &mut self,
        ids: &SpanIds,
        facts: &SpanFacts<'_>,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> bool {
        self.current_events.clear();
        self.args.clear();
        let Some((start, end)) = facts.times(to) else {
            self.left_out = true;
            return false;
        };
        if !self.pay(SPAN_PRICE, facts.bytes, to) {
            self.left_out = true;
            return false;
        }
        facts.write(ids, &mut self.args);
        let id = |id: &[u8], names: &mut Names| names.intern_bytes(&comparable(id));
        let is_server = facts.shared || matches!(facts.kind, Value::Text(kind) if kind.is(b"server"));
        self.current = Some(StoredSpan {
            trace: id(&ids.trace, &mut self.names),
            id: id(&ids.span, &mut self.names),
            shown_id: self.names.intern_bytes(&ids.span),
            parent: id(&ids.parent, &mut self.names),
            process: facts.process,
            start,
            end,
            name: self.names.intern_bytes(&facts.name.unescape()),
            category: self.names.intern_bytes(&facts.category.unescape()),
            args: ArgsRange::default(),
            events: (0, 0),
            serves: facts.halves && is_server,
            asks: facts.halves && !is_server,
            bytes: facts.bytes,
        });
        true
    }

    /// Begins an event of the span. Returns whether it is read. Its arguments follow, and then [`Services::end_event`]. A time
    /// that is 0 or missing is reported; the event is at the start of the span then.
    pub fn begin_event(
        &mut self,
        name: Text<'_>,
        at: Option<i64>,
        bytes: ByteRange,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> bool {
        let Some((start, shown_id)) = self.current.as_ref().map(|span| (span.start, span.shown_id)) else {
            return false;
        };
        if !self.pay(ITEM_PRICE, bytes, to) {
            return false;
        }
        let at = at.filter(|&at| at != 0).unwrap_or_else(|| {
            report(DiagnosticKind::MissingEventTime, bytes, to);
            start
        });
        self.event_args.clear();
        if !shown_id.is_empty() {
            let _ = self.event_args.add("span_id", Text::plain(self.names.bytes(shown_id)));
        }
        let name = self.names.intern_bytes(&name.unescape());
        self.event = Some(StoredEvent { at, name, args: ArgsRange::default() });
        true
    }

    /// Ends the event that was begun last.
    pub fn end_event(&mut self) {
        let args = self.store_args();
        if let Some(event) = self.event.take() {
            self.current_events.push(StoredEvent { args, ..event });
        }
    }

    /// Ends the span that was begun last. One that is there already, equal in everything, is reported and left out: exporters
    /// send it again if they do not know whether it has arrived.
    pub fn end_span(&mut self, to: &mut dyn for<'e> Receiver<'e>) {
        let Some(mut span) = self.current.take() else { return };
        let first_event = self.events.len();
        let begin = self.current_events.first().map_or(self.stored.len(), |event| event.args.start());
        span.args = self.store_args();
        span.events = (index32(first_event), index32(first_event + self.current_events.len()));
        if !span.id.is_empty() {
            let hash = self.content_hash(&span);
            let known = *self.by_content.entry(hash).or_insert(index32(self.spans.len()));
            if self.is_same(known, &span) {
                self.stored.truncate(begin);
                report(DiagnosticKind::DuplicateSpan, span.bytes, to);
                return;
            }
        }
        self.current_events.drain(..).for_each(|event| self.events.push(event));
        self.spans.push(span);
    }

    /// Keeps the arguments of the event or the span that ends.
    fn store_args(&mut self) -> ArgsRange {
        let args = if self.event.is_some() { &self.event_args } else { &self.args };
        ArgsRange::add(args.args().bytes(), &mut self.stored)
    }

    /// Returns a hash of all that a span is, and its current events are.
    fn content_hash(&self, span: &StoredSpan) -> u64 {
        let events = self.current_events.iter().map(|event| event.content(&self.stored));
        self.hasher.hash_one((span.content(&self.stored), events.collect::<Vec<_>>()))
    }

    /// Returns whether a span that is known is the current one, with the current events.
    fn is_same(&self, known: u32, span: &StoredSpan) -> bool {
        let Some(known) = self.spans.get(known as usize) else { return false };
        let events = (known.events.0..known.events.1).filter_map(|event| self.events.get(event as usize));
        known.content(&self.stored) == span.content(&self.stored)
            && events
                .map(|event| event.content(&self.stored))
                .eq(self.current_events.iter().map(|event| event.content(&self.stored)))
    }
}

/// Reports a diagnostic.
pub fn report(kind: DiagnosticKind, bytes: ByteRange, to: &mut dyn for<'e> Receiver<'e>) {
    to.receive(&Event::Diagnostic(kind), bytes);
}
