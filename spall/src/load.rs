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
/// let trace = spall::load(json, &spall::model::Limits::default())?;
/// let work = trace.slice(spall::model::SliceId(0)).unwrap();
/// assert_eq!(trace.name(work.name), "work");
/// assert_eq!(work.duration().0, 2500);
/// # Ok::<(), spall::Error>(())
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
    match format {
        Format::SpallAuto => return read_auto(data, NoSymbols, limits),
        Format::Apitrace => return packed::read_recording(data, limits),
        Format::TraceEventJson if packed::is_packed(data) => return packed::read_json(data, limits),
        _ => {}
    }
    let mut loading = Loading::new(limits);
    match parser_of(format)? {
        AnyParser::Spall(parser) => read_events(parser, data, &mut loading, TraceBuilder::push)?,
        AnyParser::Heph(parser) => read_events(parser, data, &mut loading, TraceBuilder::push)?,
        AnyParser::Json(parser) => read_events(parser, data, &mut loading, TraceBuilder::push)?,
    }
    Ok(loading.builder)
}

// Once for each parser, and events are only looked at where the parser has put them: with a choice of parsers and an
// iterator in between, each would be copied three times.
pub(crate) fn read_events<'a, 'd, P: Parser<Error: Copy + Into<Error>>>(
    mut parser: P,
    data: &'d [u8],
    loading: &mut Loading<'a>,
    push: impl Fn(&mut TraceBuilder<'a>, &Event<'d>, ByteRange),
) -> Result<(), Error> {
    let mut rest = data;
    loop {
        let consumed = match &parser.parse(rest, true) {
            Ok(Chunk::Parsed(parsed)) => {
                loading.see(&parsed.event);
                push(&mut loading.builder, &parsed.event, parsed.bytes);
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

/// A trace being loaded.
pub(crate) struct Loading<'a> {
    pub(crate) builder: TraceBuilder<'a>,
    /// Something came that is worth keeping although an error follows.
    content: bool,
}

impl Loading<'_> {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { builder: TraceBuilder::new(limits), content: false }
    }

    #[inline]
    fn see(&mut self, event: &Event<'_>) {
        self.content |= !matches!(event, Event::Clock(_) | Event::Conventions(_) | Event::Diagnostic(_));
    }

    /// Adds an event whose strings do not live long.
    pub(crate) fn push_copied(&mut self, event: &Event<'_>, bytes: ByteRange) {
        self.see(event);
        self.builder.push_copied(event, bytes);
    }

    /// An error ends reading; it is the caller's if nothing came before.
    pub(crate) fn stop(&mut self, error: Error) -> Result<(), Error> {
        if !self.content {
            return Err(error);
        }
        let offset = error.offset();
        self.builder.diagnose(DiagnosticKind::ReadingStopped, ByteRange::new(offset, offset));
        Ok(())
    }
}
