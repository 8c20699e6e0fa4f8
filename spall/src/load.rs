//! From bytes to a trace.

#[cfg(feature = "std")]
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::io::Read;

use spall_model::{ByteRange, DiagnosticKind, Event, Events, Limits, Trace, TraceBuilder};
#[cfg(feature = "std")]
use spall_model::{Chunk, Parser};

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
    let mut loading = Loading::new(limits);
    for parsed in Events::new(parser_of(format)?, data) {
        match parsed {
            Ok(parsed) => {
                loading.see(&parsed.event);
                loading.builder.push(&parsed.event, parsed.bytes);
            }
            Err(error) => loading.stop(error)?,
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
    let mut parser = parser_of(format)?;
    let mut loading = Loading::new(limits);
    loop {
        match parser.parse(buffer.data(), buffer.eof) {
            Ok(Chunk::Parsed(parsed)) => {
                loading.see(&parsed.event);
                loading.builder.push_copied(&parsed.event, parsed.bytes);
                buffer.start += parsed.consumed;
            }
            Ok(Chunk::Skipped(length)) => buffer.start += length,
            Ok(Chunk::NeedMore(more)) if !buffer.eof => buffer.fill(&mut source, more)?,
            Ok(_) => return Ok(loading.builder.finish()),
            Err(error) => {
                loading.stop(error)?;
                return Ok(loading.builder.finish());
            }
        }
    }
}

fn parser_of(format: Format) -> Result<AnyParser, Error> {
    AnyParser::new(format).ok_or(Error::UnsupportedFormat(format))
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
