//! From bytes to a trace.

use spall_format::spall::auto::NoSymbols;
use spall_model::{ByteRange, Chunk, DiagnosticKind, Event, Limits, Parser, Trace, TraceBuilder};

use crate::{Error, Format, auto::read_auto, detect, packed, parser::AnyParser};

/// Loads a trace of any supported format from memory.
///
/// Damage that can be stepped over, and everything else that is odd about the file, is in
/// [`Trace::diagnostics`]. The trace borrows names and arguments from `data`.
///
/// # Errors
/// When the format is not known, or nothing of the file could be read. A file that becomes unreadable later gives
/// what came before, and the diagnostic `reading-stopped`.
///
/// # Examples
/// ```
/// let json = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
/// let trace = spall_trace::load(json, &spall_trace::model::Limits::default())?;
/// let work = trace.slice(spall_trace::model::SliceId(0)).unwrap();
/// assert_eq!(trace.name(work.name), "work");
/// assert_eq!(work.duration().0, 2500);
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub fn load<'a>(data: &'a [u8], limits: &Limits) -> Result<Trace<'a>, Error> {
    load_as(detect(data).ok_or(Error::UnknownFormat)?, data, limits)
}

/// Loads a trace that is known to be of a format.
///
/// # Errors
/// As [`load`].
pub fn load_as<'a>(format: Format, data: &'a [u8], limits: &Limits) -> Result<Trace<'a>, Error> {
    read_as(format, data, limits).map(TraceBuilder::finish)
}

/// Reads the events of a trace into a builder: the first half of [`load_as`], for callers who have events of their own
/// to add, or want to know how long each half takes.
///
/// # Errors
/// As [`load`].
pub fn read_as<'a>(format: Format, data: &'a [u8], limits: &Limits) -> Result<TraceBuilder<'a>, Error> {
    let mut loading = Loading::new(TraceBuilder::new(limits));
    if !read_packed(format, data, limits, &mut loading)? {
        parse_any::<Borrowed, _>(format, data, &mut loading)?;
    }
    Ok(loading.into_sink())
}

/// Reads the events of a trace of any supported format, in the order of the file, without building a trace.
///
/// What strings an event has live until `see` returns. Damage that was stepped over comes as [`Event::Diagnostic`],
/// and so does what made reading stop after something was read. Functions of native auto traces have no names.
///
/// # Errors
/// As [`load`].
///
/// # Examples
/// ```
/// use spall_trace::{json::JsonWriter, model::Limits};
/// // From any format to Trace Event JSON.
/// let recorded = include_bytes!("../../testdata/record.spall");
/// let mut json = JsonWriter::new(String::new());
/// let mut result = Ok(());
/// spall_trace::read_events(recorded, &Limits::default(), |event, _| {
///     result = result.and_then(|()| json.write_event(event).map(|_| ()));
/// })?;
/// result.unwrap();
/// assert!(json.finish().unwrap().starts_with("{\"traceEvents\":["));
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub fn read_events(
    data: &[u8],
    limits: &Limits,
    see: impl FnMut(&Event<'_>, ByteRange),
) -> Result<(), Error> {
    let format = detect(data).ok_or(Error::UnknownFormat)?;
    let mut loading = Loading::new(Seen(see));
    if !read_packed(format, data, limits, &mut loading)? {
        parse_any::<Copied, _>(format, data, &mut loading)?;
    }
    Ok(())
}

/// Reads what does not lie in `data` as it is; false if the format is another one.
fn read_packed(
    format: Format,
    data: &[u8],
    limits: &Limits,
    loading: &mut Loading<impl Sink>,
) -> Result<bool, Error> {
    match format {
        Format::SpallAuto => read_auto(data, NoSymbols, loading)?,
        Format::Apitrace => packed::read_recording(data, limits, loading)?,
        Format::TraceEventJson if packed::is_packed(data) => packed::read_json(data, limits, loading)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Where events go that do not live long.
pub(crate) trait Sink {
    /// Takes an event.
    fn add(&mut self, event: &Event<'_>, bytes: ByteRange);
}

impl Sink for TraceBuilder<'_> {
    fn add(&mut self, event: &Event<'_>, bytes: ByteRange) {
        self.push_copied(event, bytes);
    }
}

/// Somebody who looks at each event.
struct Seen<F>(F);

impl<F: FnMut(&Event<'_>, ByteRange)> Sink for Seen<F> {
    fn add(&mut self, event: &Event<'_>, bytes: ByteRange) {
        (self.0)(event, bytes);
    }
}

/// How events whose strings live for `'d` get into a sink.
// No function that is passed: it could not be asked to be inlined, and each event would be put together in memory (2 %
// of loading JSON).
pub(crate) trait Keep<'d, S> {
    /// Takes an event.
    fn add(sink: &mut S, event: &Event<'d>, bytes: ByteRange);
}

/// Their strings live as long as the trace.
pub(crate) struct Borrowed;

/// They do not.
pub(crate) struct Copied;

impl<'d> Keep<'d, TraceBuilder<'d>> for Borrowed {
    #[inline(always)]
    fn add(sink: &mut TraceBuilder<'d>, event: &Event<'d>, bytes: ByteRange) {
        sink.push(event, bytes);
    }
}

impl<'d, S: Sink> Keep<'d, S> for Copied {
    fn add(sink: &mut S, event: &Event<'d>, bytes: ByteRange) {
        sink.add(event, bytes);
    }
}

fn parse_any<'d, K: Keep<'d, S>, S: Sink>(
    format: Format,
    data: &'d [u8],
    loading: &mut Loading<S>,
) -> Result<(), Error> {
    match parser_of(format)? {
        AnyParser::Spall(parser) => parse_events::<K, _, _>(parser, data, loading),
        AnyParser::Heph(parser) => parse_events::<K, _, _>(parser, data, loading),
        AnyParser::Json(parser) => parse_events::<K, _, _>(parser, data, loading),
    }
}

// Once for each parser, and events are only looked at where the parser has put them: with a choice of parsers and an
// iterator in between, each would be copied three times.
pub(crate) fn parse_events<'d, K: Keep<'d, S>, S: Sink, P: Parser<Error: Copy + Into<Error>>>(
    mut parser: P,
    data: &'d [u8],
    loading: &mut Loading<S>,
) -> Result<(), Error> {
    let mut rest = data;
    loop {
        let consumed = match &parser.parse(rest, true) {
            Ok(Chunk::Parsed(parsed)) => {
                loading.see(&parsed.event);
                K::add(&mut loading.sink, &parsed.event, parsed.bytes);
                parsed.consumed
            }
            Ok(Chunk::Skipped(length)) => *length,
            Ok(Chunk::NeedMore(_) | Chunk::End) => return Ok(()),
            Err(error) => return loading.stop((*error).into()),
        };
        rest = rest.get(consumed..).unwrap_or_default();
    }
}

pub(crate) fn parser_of(format: Format) -> Result<AnyParser, Error> {
    AnyParser::new(format).ok_or(Error::UnsupportedFormat(format))
}

/// A file being read.
pub(crate) struct Loading<S> {
    sink: S,
    /// Something came that is worth keeping although an error follows.
    content: bool,
}

impl<S: Sink> Loading<S> {
    pub(crate) fn new(sink: S) -> Self {
        Self { sink, content: false }
    }

    pub(crate) fn into_sink(self) -> S {
        self.sink
    }

    #[inline]
    fn see(&mut self, event: &Event<'_>) {
        self.content |= !matches!(event, Event::Clock(_) | Event::Conventions(_) | Event::Diagnostic(_));
    }

    /// Adds an event whose strings do not live long.
    pub(crate) fn push(&mut self, event: &Event<'_>, bytes: ByteRange) {
        self.see(event);
        self.sink.add(event, bytes);
    }

    /// Adds a fault.
    pub(crate) fn diagnose(&mut self, kind: DiagnosticKind, bytes: ByteRange) {
        self.sink.add(&Event::Diagnostic(kind), bytes);
    }

    /// An error ends reading; it is the caller's if nothing came before.
    pub(crate) fn stop(&mut self, error: Error) -> Result<(), Error> {
        if !self.content {
            return Err(error);
        }
        let offset = error.offset();
        self.diagnose(DiagnosticKind::ReadingStopped, ByteRange::new(offset, offset));
        Ok(())
    }
}
