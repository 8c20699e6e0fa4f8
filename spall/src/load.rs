//! From bytes to a trace.

#[cfg(feature = "std")]
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::io::Read;

use spall_format::spall::auto::{self, Lowering, NoSymbols, Symbolizer};
use spall_model::{ByteRange, Chunk, DiagnosticKind, Event, Limits, Parser, Trace, TraceBuilder};

use crate::{Error, Format, detect, parser::AnyParser};

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
    if format == Format::SpallAuto {
        return load_auto(data, NoSymbols, limits);
    }
    match parser_of(format)? {
        AnyParser::Spall(parser) => build(parser, data, limits),
        AnyParser::Heph(parser) => build(parser, data, limits),
        AnyParser::Json(parser) => build(parser, data, limits),
    }
}

// Once for each parser, and events are only looked at where the parser has put them: with a choice of parsers and an
// iterator in between, each would be copied three times.
fn build<'a, P: Parser<Error: Copy + Into<Error>>>(
    mut parser: P,
    data: &'a [u8],
    limits: &Limits,
) -> Result<Trace<'a>, Error> {
    let mut loading = Loading::new(limits);
    let mut rest = data;
    loop {
        let consumed = match &parser.parse(rest, true) {
            Ok(Chunk::Parsed(parsed)) => {
                loading.see(&parsed.event);
                loading.builder.push(&parsed.event, parsed.bytes);
                parsed.consumed
            }
            Ok(Chunk::Skipped(length)) => *length,
            Ok(Chunk::NeedMore(_) | Chunk::End) => break,
            Err(error) => {
                loading.stop((*error).into())?;
                break;
            }
        };
        rest = rest.get(consumed..).unwrap_or_default();
    }
    Ok(loading.builder.finish())
}

/// Loads a native auto trace of spall, whose functions get their names from `symbols`.
///
/// # Errors
/// As [`load`].
pub fn load_auto(data: &[u8], symbols: impl Symbolizer, limits: &Limits) -> Result<Trace<'static>, Error> {
    let mut loading = Loading::new(limits);
    let mut reader = AutoReader::new(symbols);
    let mut rest = data;
    loop {
        match reader.step(rest, true, &mut loading) {
            Ok(Progress::Consumed(length)) => rest = rest.get(length..).unwrap_or_default(),
            Ok(_) => break,
            Err(error) => {
                loading.stop(error)?;
                break;
            }
        }
    }
    Ok(loading.builder.finish())
}

/// Loads a trace piece by piece: what is kept is copied, so memory grows with the trace and not with the file.
///
/// # Errors
/// As [`load`], and [`Error::Io`].
#[cfg(feature = "std")]
pub fn load_from(mut source: impl Read, limits: &Limits) -> Result<Trace<'static>, Error> {
    let mut buffer = Buffer::default();
    buffer.fill(&mut source, PIECE)?;
    let format = detect(buffer.data()).ok_or(Error::UnknownFormat)?;
    let mut loading = Loading::new(limits);
    let result = if format == Format::SpallAuto {
        let mut reader = AutoReader::new(NoSymbols);
        buffer.pump(source, |data, eof| reader.step(data, eof, &mut loading))
    } else {
        let mut parser = parser_of(format)?;
        buffer.pump(source, |data, eof| {
            Ok(match parser.parse(data, eof)? {
                Chunk::Parsed(parsed) => {
                    loading.see(&parsed.event);
                    loading.builder.push_copied(&parsed.event, parsed.bytes);
                    Progress::Consumed(parsed.consumed)
                }
                Chunk::Skipped(length) => Progress::Consumed(length),
                Chunk::NeedMore(more) => Progress::NeedMore(more),
                Chunk::End => Progress::End,
            })
        })
    };
    match result {
        Err(Error::Io(error)) => return Err(Error::Io(error)),
        Err(error) => loading.stop(error)?,
        Ok(()) => {}
    }
    Ok(loading.builder.finish())
}

fn parser_of(format: Format) -> Result<AnyParser, Error> {
    AnyParser::new(format).ok_or(Error::UnsupportedFormat(format))
}

/// What became of the data given to a reader.
enum Progress {
    /// This much of it is done with.
    Consumed(usize),
    /// This much more of it is needed.
    NeedMore(usize),
    End,
}

/// Reads a native auto trace into a builder.
struct AutoReader<S> {
    parser: auto::Parser,
    lowering: Lowering<S>,
}

impl<S: Symbolizer> AutoReader<S> {
    fn new(symbols: S) -> Self {
        Self { parser: auto::Parser::new(), lowering: Lowering::new(symbols) }
    }

    fn step(&mut self, data: &[u8], eof: bool, loading: &mut Loading<'_>) -> Result<Progress, Error> {
        Ok(match self.parser.parse(data, eof)? {
            auto::Step::Record { consumed, record, bytes } => {
                if let (auto::Record::Program(_), Some(header)) = (record, self.parser.header()) {
                    let (clock, fault) = Lowering::<S>::clock(header);
                    loading.builder.push_copied(&clock, bytes);
                    if let Some(fault) = fault {
                        loading.builder.diagnose(fault, bytes);
                    }
                }
                if let Some(event) = self.lowering.event(&record) {
                    loading.see(&event);
                    loading.builder.push_copied(&event, bytes);
                }
                Progress::Consumed(consumed)
            }
            auto::Step::Skipped(length) => Progress::Consumed(length),
            auto::Step::NeedMore(more) => Progress::NeedMore(more),
            auto::Step::End => Progress::End,
        })
    }
}

struct Loading<'a> {
    builder: TraceBuilder<'a>,
    /// Something came that is worth keeping although an error follows.
    content: bool,
}

impl Loading<'_> {
    fn new(limits: &Limits) -> Self {
        Self { builder: TraceBuilder::new(limits), content: false }
    }

    #[inline]
    fn see(&mut self, event: &Event<'_>) {
        self.content |= !matches!(event, Event::Clock(_) | Event::Conventions(_) | Event::Diagnostic(_));
    }

    /// An error ends reading; it is the caller's if nothing came before.
    fn stop(&mut self, error: Error) -> Result<(), Error> {
        if !self.content {
            return Err(error);
        }
        let offset = error.offset();
        self.builder.diagnose(DiagnosticKind::ReadingStopped, ByteRange::new(offset, offset));
        Ok(())
    }
}

/// How much is read at once; more than any format needs to be recognised.
#[cfg(feature = "std")]
const PIECE: usize = 1 << 20;

/// The part of the input that is in memory.
#[cfg(feature = "std")]
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// What of `bytes` is done with.
    start: usize,
    eof: bool,
}

#[cfg(feature = "std")]
impl Buffer {
    fn data(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Gives all of a source to `step`, piece by piece.
    fn pump(
        &mut self,
        mut source: impl Read,
        mut step: impl FnMut(&[u8], bool) -> Result<Progress, Error>,
    ) -> Result<(), Error> {
        loop {
            match step(self.data(), self.eof)? {
                Progress::Consumed(length) => self.start += length,
                Progress::NeedMore(more) if !self.eof => self.fill(&mut source, more)?,
                Progress::NeedMore(_) | Progress::End => return Ok(()),
            }
        }
    }

    /// Reads at least `more` bytes if there are as many.
    fn fill(&mut self, source: &mut impl Read, more: usize) -> Result<(), Error> {
        self.bytes.drain(..self.start.min(self.bytes.len()));
        self.start = 0;
        // A parser's wish is only a hint and may come from the file: what is read grows with what there is.
        let wanted = more.clamp(PIECE, PIECE.max(self.bytes.len()));
        let limit = u64::try_from(wanted).unwrap_or(u64::MAX);
        let count = source.by_ref().take(limit).read_to_end(&mut self.bytes)?;
        self.eof = count < wanted;
        Ok(())
    }
}
