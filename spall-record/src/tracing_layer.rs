//! The layer that records the spans and events of `tracing`.

use alloc::vec::Vec;
use core::cell::Cell;
use core::error::Error;
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::hash_map::{HashMap, RandomState};
use std::sync::Mutex;

use spall_model::{ArgsBuilder, Text, Value};
use tracing_core::callsite::Identifier;
use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::args_buffer;
use crate::lock::lock;
use crate::record::{Body, Kind, MAX_TEXT};
use crate::recording;
use crate::short_text::ShortText;
use crate::writer::Writer;
use crate::{site, writer};

/// A layer for `tracing-subscriber` that records the spans and events of `tracing` while a recording goes on.
///
/// | `tracing` | in the recording |
/// |---|---|
/// | a span that is entered | a slice of the thread, from enter to exit, each time |
/// | fields of a span | arguments of its slices; values recorded later are at the end of the slice, and in the next ones |
/// | an event | an instant, with its message as the name, and its level and fields as arguments |
/// | target | category |
/// | a span that is entered more than once | also a slice of an async track, from its making to its close, [if wanted](Self::with_async_tracks) |
/// | `follows_from` | also a flow between slices, if async tracks are wanted |
///
/// Spall files only hold the slices, with arguments as text: see [`Encoding`](crate::Encoding). A span without fields
/// allocates nothing; the fields of a span take one allocation.
///
/// Records of the crate `log` come in through `tracing-log`, as events.
///
/// ```
/// use spall_record::{Recorder, TracingLayer};
/// use tracing_subscriber::layer::SubscriberExt;
///
/// # let path = std::env::temp_dir().join(format!("spall-layer-{}.spall", std::process::id()));
/// let session = spall_record::to_file(&path)?;
/// let subscriber = tracing_subscriber::registry().with(TracingLayer::new());
/// tracing::subscriber::with_default(subscriber, || {
///     let _span = tracing::info_span!("request", id = 7).entered();
///     tracing::info!(bytes = 512, "answered");
/// });
/// session.finish()?;
/// # let file = std::fs::read(&path)?;
/// # std::fs::remove_file(&path)?;
/// # use spall_trace::model::TraceView as _;
/// # let trace = spall_trace::load(&file).unwrap();
/// # assert!(trace.slices().names().iter().any(|&name| trace.name(name) == "request"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TracingLayer {
    has_values: bool,
    has_locations: bool,
    has_async_tracks: bool,
}

impl TracingLayer {
    /// Returns a layer that records fields, but neither locations nor async tracks.
    #[must_use]
    pub const fn new() -> Self {
        Self { has_values: true, has_locations: false, has_async_tracks: false }
    }

    /// Chooses whether fields are recorded as arguments.
    #[must_use]
    pub const fn with_values(self, has_values: bool) -> Self {
        Self { has_values, ..self }
    }

    /// Chooses whether the file and line of the source are recorded, as the arguments `file` and `line`.
    #[must_use]
    pub const fn with_locations(self, has_locations: bool) -> Self {
        Self { has_locations, ..self }
    }

    /// Chooses whether a span that is entered more than once, such as that of a future which is polled again and again, is
    /// also a slice of an async track.
    ///
    /// This takes one allocation for each span.
    #[must_use]
    pub const fn with_async_tracks(self, has_async_tracks: bool) -> Self {
        Self { has_async_tracks, ..self }
    }

    /// Returns whether something about a span has to be kept.
    fn keeps(&self, metadata: &Metadata<'_>) -> bool {
        self.has_async_tracks || self.has_locations || self.has_values && !metadata.fields().is_empty()
    }

    fn add_location(&self, metadata: &Metadata<'_>, args: &mut ArgsBuilder<'_>) {
        if self.has_locations {
            args.add("file", metadata.file()).add("line", metadata.line());
        }
    }
}

impl Default for TracingLayer {
    fn default() -> Self {
        Self::new()
    }
}

/// What is kept about a span.
#[derive(Debug, Default)]
struct Kept {
    /// Arguments, as an [`ArgsBuilder`] encodes them.
    args: Vec<u8>,
    /// How much of `args` came after the last enter.
    n_late: usize,
    /// The time at which the span was made.
    made: u64,
    n_enters: u64,
    /// The thread and time of the last enter.
    entered: Option<(u32, u64)>,
    /// The flows that arrive at the next enter.
    flows: Vec<u64>,
}

/// Whether a value was ever recorded after its span was made.
static HAS_LATE_VALUES: AtomicBool = AtomicBool::new(false);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for TracingLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let metadata = attributes.metadata();
        if recording::epoch() == 0 || !self.keeps(metadata) {
            return;
        }
        let Some(span) = context.span(id) else { return };
        let made = if self.has_async_tracks { with(|writer| writer.here().1).unwrap_or(0) } else { 0 };
        let args = args_buffer::with_builder(|args| {
            self.add_location(metadata, args);
            if self.has_values {
                attributes.record(&mut Fields::of_span(args));
            }
            args.args().bytes().to_vec()
        });
        span.extensions_mut().insert(Kept { args, made, ..Kept::default() });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if recording::epoch() == 0 || !self.has_values {
            return;
        }
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        let Some(kept) = extensions.get_mut::<Kept>() else { return };
        args_buffer::with_builder(|args| {
            values.record(&mut Fields::of_span(args));
            let bytes = args.args().bytes();
            // A value that is recorded again and again must not take ever more memory.
            if kept.args.len() + bytes.len() <= MAX_TEXT {
                kept.args.extend_from_slice(bytes);
                kept.n_late += bytes.len();
                HAS_LATE_VALUES.store(true, Ordering::Relaxed);
            }
        });
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        if recording::epoch() == 0 || !self.has_async_tracks {
            return;
        }
        let (Some(span), Some(follows)) = (context.span(id), context.span(follows)) else { return };
        let from = follows.extensions().get::<Kept>().and_then(|kept| kept.entered);
        // A span that was never entered has no slice that a flow could leave.
        let Some((tid, ticks)) = from else { return };
        let mut extensions = span.extensions_mut();
        let Some(kept) = extensions.get_mut::<Kept>() else { return };
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let flow = NEXT.fetch_add(1, Ordering::Relaxed);
        kept.flows.push(flow);
        let body = Body { numbers: [flow, u64::from(tid)], ..Body::site(follows_from()) };
        with(|writer| writer.record(Kind::FlowStart, Some(ticks), &body));
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let epoch = recording::epoch();
        if epoch == 0 {
            return;
        }
        let Some(span) = context.span(id) else { return };
        let metadata = span.metadata();
        let site = site_of(metadata);
        if !self.keeps(metadata) {
            writer::with(epoch, |writer| writer.begin(site));
            return;
        }
        let mut extensions = span.extensions_mut();
        // A span that is older than the recording has nothing that was kept.
        let kept = extensions.get_mut::<Kept>();
        let args = kept.as_ref().map_or(&[][..], |kept| &kept.args);
        let args = Body::site(site).with_bytes(args);
        let here = writer::with(epoch, |writer| (writer.here().0, writer.begin_with(&args)));
        let (Some(kept), Some((tid, ticks))) = (kept, here) else { return };
        kept.n_late = 0;
        kept.n_enters += 1;
        kept.entered = Some((tid, ticks));
        for flow in kept.flows.drain(..) {
            let body = Body { numbers: [flow, 0], ..Body::site(follows_from()) };
            writer::with(epoch, |writer| writer.record(Kind::FlowEnd, Some(ticks), &body));
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let epoch = recording::epoch();
        if epoch == 0 {
            return;
        }
        // To look the span up takes longer than to record its end.
        if HAS_LATE_VALUES.load(Ordering::Relaxed)
            && let Some(span) = context.span(id)
            && self.keeps(span.metadata())
            && let Some(kept) = span.extensions().get::<Kept>()
            && kept.n_late > 0
        {
            let late = kept.args.len().checked_sub(kept.n_late).and_then(|start| kept.args.get(start..));
            let body = Body::default().with_bytes(late.unwrap_or_default());
            writer::with(epoch, |writer| writer.end_with(&body));
            return;
        }
        writer::with(epoch, Writer::end);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if recording::epoch() == 0 || !self.has_async_tracks {
            return;
        }
        let Some(span) = context.span(&id) else { return };
        let extensions = span.extensions();
        let Some(kept) = extensions.get::<Kept>().filter(|kept| kept.n_enters > 1) else { return };
        let body = Body { numbers: [id.into_u64(), 0], ..Body::site(site_of(span.metadata())) };
        with(|writer| {
            writer.record(Kind::SpanBegin, Some(kept.made), &body.with_bytes(&kept.args));
            writer.record(Kind::SpanEnd, None, &body);
        });
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if recording::epoch() == 0 {
            return;
        }
        let metadata = event.metadata();
        args_buffer::with_builder(|args| {
            args.add("level", metadata.level().as_str());
            self.add_location(metadata, args);
            let mut message = ShortText::new();
            event.record(&mut Fields { args, has_values: self.has_values, message: Some(&mut message) });
            let body =
                Body::site(site_of(metadata)).with_short_name(message.as_bytes()).with_args(args.args());
            with(|writer| writer.record(Kind::Instant, None, &body));
        });
    }
}

fn with<T>(write: impl FnOnce(&mut Writer) -> T) -> Option<T> {
    writer::with(recording::epoch(), write)
}

/// Returns the site of flows.
fn follows_from() -> u32 {
    static SITE: site::Site = site::Site::new("follows from");
    SITE.number()
}

/// The number of places in the table of a thread, a power of two.
const N_PLACES: usize = 64;

thread_local! {
    /// Numbers of sites by the address of their metadata, each in the one place that its address has.
    static SITES: [Cell<(usize, u32)>; N_PLACES] = const { [const { Cell::new((0, 0)) }; N_PLACES] };
}

/// Returns the number of the site of a span or event.
fn site_of(metadata: &'static Metadata<'static>) -> u32 {
    let address = core::ptr::from_ref(metadata).addr();
    // Metadata are more than 64 bytes apart.
    let found = SITES.try_with(|sites| {
        let place = sites.get(address / 64 % N_PLACES)?;
        let (known, number) = place.get();
        if known == address {
            return Some(number);
        }
        let number = register(metadata);
        place.set((address, number));
        Some(number)
    });
    found.ok().flatten().unwrap_or_else(|| register(metadata))
}

fn register(metadata: &'static Metadata<'static>) -> u32 {
    static NUMBERS: Mutex<Option<HashMap<Identifier, u32, RandomState>>> = Mutex::new(None);
    let mut numbers = lock(&NUMBERS);
    let numbers = numbers.get_or_insert_with(HashMap::default);
    *numbers.entry(metadata.callsite()).or_insert_with(|| {
        site::register(metadata.name(), metadata.target(), metadata.file(), metadata.line())
    })
}

/// Puts fields into arguments, and the message of an event into its name.
struct Fields<'a, 'b> {
    args: &'a mut ArgsBuilder<'b>,
    /// Whether fields other than the message are wanted.
    has_values: bool,
    message: Option<&'a mut ShortText>,
}

impl<'a, 'b> Fields<'a, 'b> {
    fn of_span(args: &'a mut ArgsBuilder<'b>) -> Self {
        Self { args, has_values: true, message: None }
    }

    fn add<'v>(&mut self, field: &Field, value: impl Into<Value<'v>>) {
        if self.has_values {
            self.args.add(field.name(), value);
        }
    }

    fn add_text(&mut self, field: &Field, text: fmt::Arguments<'_>) {
        match &mut self.message {
            Some(message) if field.name() == MESSAGE => _ = message.of(text),
            _ if self.has_values => {
                self.args.add(field.name(), Text::plain(ShortText::new().of(text)));
            }
            _ => {}
        }
    }
}

/// The field with the text of an event.
const MESSAGE: &str = "message";

impl Visit for Fields<'_, '_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add_text(field, format_args!("{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.add_text(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add_text(field, format_args!("{value:?}"));
    }
}
