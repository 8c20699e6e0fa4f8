//! Loads traces from memory: opens the container, chooses the parser and reads all events.

use alloc::borrow::Cow;

use spall_format::spall::auto::{self, Symbolizer};
#[cfg(feature = "parallel")]
use spall_model::EventBatch;
use spall_model::{
    ByteRange, Diagnostic, DiagnosticKind, Event, LendingParser, Limits, Parser, Receiver, Trace,
    TraceBuilder,
};

use crate::{
    Error, Format,
    detect::{Recognised, recognise},
    input::{Input, open},
    parser::{Borrowed, FormatParser, Lent, TraceParser, pump},
};

/// Loads a trace of any supported format from memory, in any supported container.
///
/// [`TraceView::diagnostics`](spall_model::TraceView::diagnostics) counts the damage that the parser could step over, and everything else that is odd about the file.
/// The trace borrows names and arguments from `data`, unless the file is compressed.
///
/// # Errors
/// This returns an error when the format is not known or when nothing of the file can be read. A file that becomes
/// unreadable later gives a trace of the events before that place, with the diagnostic
/// [`DiagnosticKind::ReadingStopped`].
///
/// # Examples
/// ```
/// use spall_trace::model::{Limits, SliceId, TraceView};
///
/// let json = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
/// let trace = spall_trace::load(json, &Limits::default())?;
/// let work = trace.slice(SliceId(0)).unwrap();
/// assert_eq!(trace.name(work.name), "work");
/// assert_eq!(work.duration().0, 2500);
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[doc(alias("open", "parse", "import"))]
pub fn load<'a>(data: &'a [u8], limits: &Limits) -> Result<Trace<'a>, Error> {
    read(data, limits).map(TraceBuilder::finish)
}

/// Loads a trace whose format the caller knows.
///
/// This is [`load`] without [`detect`](crate::detect) for the format. A container is still recognised and opened.
///
/// # Errors
/// This returns an error when nothing of the file can be read as `format`, like [`load`].
pub fn load_as<'a>(format: Format, data: &'a [u8], limits: &Limits) -> Result<Trace<'a>, Error> {
    read_as(format, data, limits).map(TraceBuilder::finish)
}

/// Reads the events of a trace of any supported format into a builder, so that the caller can add further events.
///
/// This is the first half of [`load`]. Call [`TraceBuilder::finish`] for the second half.
///
/// # Errors
/// This returns an error when the format is not known or when nothing of the file can be read, like [`load`].
///
/// # Examples
/// ```
/// use spall_trace::model::{Event, Limits, Scope, Thread, ThreadEvent, Tick};
///
/// let json = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
/// let mut builder = spall_trace::read(json, &Limits::default())?;
/// let mark = ThreadEvent::new(Thread::new(1, 1), Tick(2000), "half done".into());
/// builder.push(&Event::Instant(mark, Scope::Thread));
/// let trace = builder.finish();
/// assert_eq!((trace.slices().len(), trace.instants().len()), (1, 1));
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub fn read<'a>(data: &'a [u8], limits: &Limits) -> Result<TraceBuilder<'a>, Error> {
    let found = recognise(data).ok_or(Error::UnknownFormat)?;
    read_recognised(found, data, limits)
}

/// Reads the events of a trace whose format the caller knows into a builder, like [`read`].
///
/// # Errors
/// This returns an error when nothing of the file can be read as `format`, like [`load`].
///
/// # Examples
/// ```
/// use spall_trace::model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks};
///
/// let json = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
/// let mut builder = spall_trace::read_as(spall_trace::Format::TraceEventJson, json, &Limits::default())?;
/// let event = ThreadEvent::new(Thread::new(1, 1), Tick(5_000), Text::plain(b"added"));
/// builder.push(&Event::Complete(event, Ticks(100)));
/// assert_eq!(builder.finish().slices().len(), 2);
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub fn read_as<'a>(format: Format, data: &'a [u8], limits: &Limits) -> Result<TraceBuilder<'a>, Error> {
    read_recognised(Recognised::known(format, data), data, limits)
}

/// Loads a native auto trace of spall, with the names of its functions from `symbols`.
///
/// Such a file holds addresses only. `symbols` finds the names, for example in the debug information of the program.
///
/// # Errors
/// This returns an error when nothing of the file can be read as a native auto trace, like [`load`].
pub fn load_auto(data: &[u8], symbols: impl Symbolizer, limits: &Limits) -> Result<Trace<'static>, Error> {
    let input = open(Recognised::known(Format::SpallAuto, data).container, data, limits)?;
    let mut loading = Loading::new(TraceBuilder::new(limits));
    read_lent(&mut auto::Parser::new(symbols), &input.stream, &mut loading)?;
    Ok(loading.end(input.damage).finish())
}

/// Reads the events of a trace of any supported format, in the order of the file, without building a trace.
///
/// This calls `see` for each event, with the range of bytes that it came from. The texts of an event live until `see`
/// returns. Damage that the parser stepped over arrives as [`Event::Diagnostic`], and so does an error after the first
/// event. Functions of native auto traces are named by their addresses.
///
/// # Errors
/// This returns an error when the format is not known or when nothing of the file can be read, like [`load`].
///
/// # Examples
/// This converts a file of any format to Trace Event JSON.
///
/// ```
/// use spall_trace::{format::spall::{BufferWriter, Header, Version}, json::JsonWriter, model::Limits};
///
/// // A spall file with one slice.
/// let mut file = Header::new(Version::V3, 1.0).to_bytes().to_vec();
/// let mut buffer = BufferWriter::new([0; 4096], 1, 1)?;
/// buffer.begin(1000, "work")?;
/// buffer.end(3500)?;
/// file.extend(buffer.take());
///
/// let mut json = JsonWriter::new(String::new());
/// let mut result = Ok(());
/// spall_trace::read_events(&file, &Limits::default(), |event, _| {
///     result = result.and_then(|()| json.write_event(event).map(|_| ()));
/// })?;
/// result?;
/// assert!(json.finish()?.contains(r#""name":"work""#));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub fn read_events(
    data: &[u8],
    limits: &Limits,
    see: impl FnMut(&Event<'_>, ByteRange),
) -> Result<(), Error> {
    let found = recognise(data).ok_or(Error::UnknownFormat)?;
    let input = open(found.container, data, limits)?;
    let mut loading = Loading::new(Function(see));
    read_all(TraceParser::with_limits(found.format, limits), &input.stream, &mut loading)?;
    loading.end(input.damage);
    Ok(())
}

/// Opens a file and reads its events into a builder.
fn read_recognised<'a>(
    found: Recognised,
    data: &'a [u8],
    limits: &Limits,
) -> Result<TraceBuilder<'a>, Error> {
    let input = open(found.container, data, limits)?;
    let parser = TraceParser::with_limits(found.format, limits);
    read_opened(parser, input, Loading::new(TraceBuilder::new(limits)))
}

/// Reads the events of an opened file into a builder.
pub(crate) fn read_opened<'a>(
    parser: TraceParser,
    input: Input<'a>,
    mut loading: Loading<TraceBuilder<'a>>,
) -> Result<TraceBuilder<'a>, Error> {
    let Input { stream, damage } = input;
    match stream {
        Cow::Borrowed(data) => read_all_borrowed(parser, data, &mut loading)?,
        Cow::Owned(stream) => read_all(parser, &stream, &mut loading)?,
    }
    Ok(loading.end(damage))
}

/// Loads a file that is not kept: the trace copies the texts that it needs.
#[cfg(feature = "std")]
pub(crate) fn load_copied(found: Recognised, data: &[u8], limits: &Limits) -> Result<Trace<'static>, Error> {
    let Input { stream, damage } = open(found.container, data, limits)?;
    let mut loading = Loading::new(TraceBuilder::new(limits));
    read_all(TraceParser::with_limits(found.format, limits), &stream, &mut loading)?;
    Ok(loading.end(damage).finish())
}

/// Reads all events without copying their texts, where the format allows that.
// The parser is chosen outside of the loop, so that there is a loop for each parser, with the parser inlined. With a choice
// per event, each event would be copied three times.
fn read_all_borrowed<'d>(
    parser: TraceParser,
    data: &'d [u8],
    loading: &mut Loading<TraceBuilder<'d>>,
) -> Result<(), Error> {
    match parser.0 {
        FormatParser::Spall(mut parser) => read_borrowed(&mut parser, data, loading),
        FormatParser::Heph(mut parser) => read_borrowed(&mut parser, data, loading),
        FormatParser::Json(mut parser) => read_borrowed(&mut parser, data, loading),
        FormatParser::SpallAuto(mut parser) => read_lent(&mut parser, data, loading),
        FormatParser::Apitrace(mut parser) => read_lent(&mut parser, data, loading),
    }
}

/// Reads all events and copies their texts.
fn read_all(parser: TraceParser, data: &[u8], loading: &mut Loading<impl Sink>) -> Result<(), Error> {
    match parser.0 {
        FormatParser::Spall(mut parser) => read_lent(&mut parser, data, loading),
        FormatParser::SpallAuto(mut parser) => read_lent(&mut parser, data, loading),
        FormatParser::Heph(mut parser) => read_lent(&mut parser, data, loading),
        FormatParser::Json(mut parser) => read_lent(&mut parser, data, loading),
        FormatParser::Apitrace(mut parser) => read_lent(&mut parser, data, loading),
    }
}

/// Reads all events with a parser whose events borrow from the input.
fn read_borrowed<'d, P: Parser<Error: Into<Error>>>(
    parser: &mut P,
    data: &'d [u8],
    loading: &mut Loading<TraceBuilder<'d>>,
) -> Result<(), Error> {
    match pump(&mut Borrowed { parser, keep: loading }, data, true) {
        Ok(_) => Ok(()),
        Err(error) => loading.stop(error.into()),
    }
}

/// Reads all events with a parser whose events live for one step only.
fn read_lent<P: LendingParser<Error: Into<Error>>>(
    parser: &mut P,
    data: &[u8],
    loading: &mut Loading<impl Sink>,
) -> Result<(), Error> {
    let mut see = |event: &Event<'_>, bytes| loading.push(event, bytes);
    match pump(&mut Lent { parser, see: &mut see }, data, true) {
        Ok(_) => Ok(()),
        Err(error) => loading.stop(error.into()),
    }
}

/// A receiver of events whose texts live for one step only.
pub(crate) trait Sink {
    /// Receives an event and the range of bytes that it came from.
    fn add(&mut self, event: &Event<'_>, bytes: ByteRange);
}

impl Sink for TraceBuilder<'_> {
    fn add(&mut self, event: &Event<'_>, bytes: ByteRange) {
        self.copying().receive(event, bytes);
    }
}

/// A sink that calls a function for each event.
struct Function<F>(F);

impl<F: FnMut(&Event<'_>, ByteRange)> Sink for Function<F> {
    fn add(&mut self, event: &Event<'_>, bytes: ByteRange) {
        (self.0)(event, bytes);
    }
}

/// A file that is being read, with the receiver of its events.
pub(crate) struct Loading<S> {
    sink: S,
    /// Whether an event was read that is worth keeping if an error follows.
    has_content: bool,
}

impl<'d> Receiver<'d> for Loading<TraceBuilder<'d>> {
    #[inline(always)]
    fn receive(&mut self, event: &Event<'d>, bytes: ByteRange) {
        self.note(event);
        self.sink.receive(event, bytes);
    }
}

/// Events that are read ahead of their turn.
#[cfg(feature = "parallel")]
impl<'d> Receiver<'d> for Loading<EventBatch<'d>> {
    #[inline(always)]
    fn receive(&mut self, event: &Event<'d>, bytes: ByteRange) {
        self.note(event);
        self.sink.receive(event, bytes);
    }
}

#[cfg(feature = "parallel")]
impl<'d> Loading<EventBatch<'d>> {
    /// Returns whether there is no room for further events.
    pub(crate) fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    /// Removes all events.
    pub(crate) fn clear(&mut self) {
        self.sink.clear();
        self.has_content = false;
    }
}

#[cfg(feature = "parallel")]
impl<'d> Loading<TraceBuilder<'d>> {
    /// Adds events that were read ahead, and returns whether that was possible. If not, they have to be read again.
    pub(crate) fn add_batch(&mut self, ahead: &mut Loading<EventBatch<'d>>) -> bool {
        let has_content = core::mem::take(&mut ahead.has_content);
        let is_added = self.sink.push_batch(&mut ahead.sink);
        self.has_content |= is_added && has_content;
        is_added
    }
}

impl<S> Loading<S> {
    /// Starts to read a file.
    pub(crate) fn new(sink: S) -> Self {
        Self { sink, has_content: false }
    }

    /// Takes note of whether an event is content. Clocks and conventions stand before any, and damage is none.
    #[inline]
    fn note(&mut self, event: &Event<'_>) {
        self.has_content |= !matches!(event, Event::Clock(_) | Event::Conventions(_) | Event::Diagnostic(_));
    }
}

impl<S: Sink> Loading<S> {
    /// Adds an event whose texts live for one step only.
    pub(crate) fn push(&mut self, event: &Event<'_>, bytes: ByteRange) {
        self.note(event);
        self.sink.add(event, bytes);
    }

    /// Handles the error that ends reading. It is returned if there was no content before it, and becomes a diagnostic
    /// otherwise.
    pub(crate) fn stop(&mut self, error: Error) -> Result<(), Error> {
        if !self.has_content {
            return Err(error);
        }
        let offset = error.offset();
        let kind = DiagnosticKind::ReadingStopped;
        self.sink.add(&Event::Diagnostic(kind), ByteRange::new(offset, offset));
        Ok(())
    }

    /// Ends reading and returns the receiver. `damage` is that of the file's container, which comes last.
    pub(crate) fn end(mut self, damage: Option<Diagnostic>) -> S {
        if let Some(damage) = damage {
            self.sink.add(&Event::Diagnostic(damage.kind), damage.bytes);
        }
        self.sink
    }
}

#[cfg(test)]
mod tests {
    use spall_format::spall::auto::NoSymbols;
    use spall_model::TraceView;

    use super::*;

    #[test]
    fn spall_a_7_a_useless_unit_is_reported_where_it_stands() {
        for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let data = spall_synth::auto::header(unit, 0, "/bin/x");
            let trace = load_auto(&data, NoSymbols, &Limits::default()).unwrap();
            let expected = Diagnostic::new(DiagnosticKind::BadTimeUnit, ByteRange::new(16, 24));
            assert_eq!(trace.diagnostics().kept(), [expected]);
        }
    }
}
