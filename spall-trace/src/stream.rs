//! Loads traces from a source that is read piece by piece.

use alloc::vec::Vec;
use std::io::Read;

use spall_format::container::Container;
use spall_model::{LendingParser, Progress, Trace, TraceBuilder};

use crate::{
    Error,
    input::{marked_container, open},
    load::{Loader, Reading, ended},
    parser::{Visit, visit},
    unknown::MAX_HEAD,
};

/// Loads a trace of any supported format from a file or a pipe, without holding all of it in memory.
///
/// Memory grows with the trace and not with the file. Two kinds of files are
/// held in memory as a whole: compressed files, of which at most
/// [`Limits::max_decompressed_bytes`](spall_model::Limits::max_decompressed_bytes) are read, and apitrace recordings, which
/// refer back to their start. `source` needs no buffer of its own. [`Loader`] has choices.
///
/// # Errors
/// This returns an error when the format is not known or when nothing of the file can be read, like
/// [`load`](crate::load). It returns [`Error::Io`] when reading from `source` fails.
///
/// # Examples
/// ```
/// let source: &[u8] = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
/// let trace = spall_trace::load_from(source)?;
/// assert_eq!(trace.slices().len(), 1);
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub fn load_from(source: impl Read) -> Result<Trace, Error> {
    Loader::new().load_from(source)
}

impl Loader {
    /// Loads a trace from a file or a pipe without holding all of it in memory, like [`load_from`].
    ///
    /// # Errors
    /// This returns an error when the format is not known or when nothing of the file can be read, like [`load_from`].
    pub fn load_from(&self, source: impl Read) -> Result<Trace, Error> {
        let input = Stream::new(source)?;
        let found = self.recognise(input.data())?;
        let head: Vec<u8> = input.data().iter().copied().take(MAX_HEAD).collect();
        self.copy(found.container, input, |pump| visit(found.format, &self.limits, pump))
            .map_err(|error| error.or_unknown(&head))
    }

    /// Loads a trace from a file or a pipe with a parser of your own, or one that needs something of yours.
    ///
    /// A file that is compressed with gzip or zstd is decompressed.
    ///
    /// # Errors
    /// This returns an error when nothing of the file can be read, like [`load_from`].
    ///
    /// # Examples
    /// A native auto trace of spall has addresses only. A symbolizer names the functions.
    ///
    /// ```no_run
    /// use spall_trace::{Loader, format::spall::auto::{CachedSymbols, Parser}};
    ///
    /// let symbols = CachedSymbols::new(|address| Some(format!("function at {address}").into_bytes()));
    /// let file = std::fs::File::open("program.spall")?;
    /// let trace = Loader::new().load_from_with(Parser::new(symbols), file)?;
    /// # Ok::<(), spall_trace::Error>(())
    /// ```
    pub fn load_from_with<P>(&self, parser: P, source: impl Read) -> Result<Trace, Error>
    where
        P: LendingParser<Error: Into<Error>>,
    {
        let input = Stream::new(source)?;
        let container = marked_container(input.data());
        self.copy(container, input, |pump| pump.run(parser))
    }

    /// Opens the container and reads all events into a builder. `read` runs the pump.
    fn copy<R: Read>(
        &self,
        container: Option<Container>,
        mut input: Stream<R>,
        read: impl FnOnce(Pump<R>) -> Result<TraceBuilder, Error>,
    ) -> Result<Trace, Error> {
        let mut damage = None;
        if container.is_some() {
            let packed = input.all(self.limits.max_decompressed_bytes)?;
            let opened = open(container, &packed, &self.limits)?;
            (input.bytes, damage) = (opened.stream.into_owned(), opened.damage);
        }
        let builder = read(Pump { input, builder: TraceBuilder::new(&self.limits) })?;
        Ok(self.finish(ended(builder, damage)))
    }
}

/// A source that is read piece by piece, and the builder of its trace.
struct Pump<R> {
    input: Stream<R>,
    builder: TraceBuilder,
}

impl<R: Read> Visit for Pump<R> {
    type Output = Result<TraceBuilder, Error>;

    fn visit_lending<P>(self, parser: P) -> Self::Output
    where
        P: LendingParser<Error: Into<Error>> + Send + Sync + 'static,
    {
        self.run(parser)
    }
}

impl<R: Read> Pump<R> {
    /// Reads all events with a parser.
    fn run<P: LendingParser<Error: Into<Error>>>(mut self, mut parser: P) -> Result<TraceBuilder, Error> {
        let mut reading = Reading::new(self.builder);
        loop {
            match parser.lend(self.input.data(), self.input.eof, &mut reading) {
                Ok(Progress::Read(consumed)) => self.input.start += consumed,
                Ok(Progress::NeedMore(more)) => self.input.fill(more)?,
                Ok(Progress::End) => {
                    reading.system_trace.hand_over(&mut reading.to);
                    return Ok(reading.to);
                }
                Err(error) => return reading.stop(error.into()).map(|()| reading.to),
            }
        }
    }
}

/// The number of bytes that are read at once. It is more than any format needs to be recognised.
const PIECE: usize = 1 << 20;

/// A source, and the part of it that is in memory.
struct Stream<R> {
    source: R,
    bytes: Vec<u8>,
    /// The number of bytes at the start that are consumed.
    start: usize,
    /// Whether the source has no further bytes.
    eof: bool,
}

impl<R: Read> Stream<R> {
    /// Reads the first piece of a source.
    fn new(source: R) -> Result<Self, Error> {
        let mut stream = Self { source, bytes: Vec::new(), start: 0, eof: false };
        stream.fill(PIECE)?;
        Ok(stream)
    }

    /// Returns the bytes that are not consumed.
    fn data(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Reads the rest of the source and takes the whole input, or its first `limit` bytes.
    fn all(&mut self, limit: u64) -> Result<Vec<u8>, Error> {
        let left = limit.saturating_sub(self.bytes.len() as u64);
        self.source.by_ref().take(left).read_to_end(&mut self.bytes)?;
        self.eof = true;
        Ok(core::mem::take(&mut self.bytes))
    }

    /// Drops the consumed bytes and reads further ones: a piece, or up to `more` if that is larger.
    fn fill(&mut self, more: usize) -> Result<(), Error> {
        self.bytes.drain(..self.start.min(self.bytes.len()));
        self.start = 0;
        // The number that a parser asks for may come from the file, so the buffer at most doubles.
        let wanted = more.clamp(PIECE, PIECE.max(self.bytes.len()));
        let limit = u64::try_from(wanted).unwrap_or(u64::MAX);
        let count = self.source.by_ref().take(limit).read_to_end(&mut self.bytes)?;
        self.eof = count < wanted;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use spall_format::spall::auto::{NoSymbols, Parser};
    use spall_model::{ByteRange, Diagnostic, DiagnosticKind, TraceView};

    use super::*;

    #[test]
    fn spall_a_7_a_useless_unit_is_reported_where_it_stands() {
        for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let data = spall_synth::auto::header(unit, 0, "/bin/x");
            let trace = Loader::new().load_from_with(Parser::new(NoSymbols), &data[..]).unwrap();
            let expected = Diagnostic::new(DiagnosticKind::BadTimeUnit, ByteRange::new(16, 24));
            assert_eq!(trace.diagnostics().kept(), [expected]);
        }
    }
}
