//! One parser for every format, and the loop that runs parsers.

use spall_format::{
    apitrace, heph,
    spall::{
        self,
        auto::{self, NoSymbols},
    },
};
use spall_json::JsonParser;
use spall_model::{ByteRange, Chunk, Event, LendingParser, Limits, Parser, Progress, Receiver};

use crate::{Error, Format};

/// An incremental parser for a file of any [`Format`].
///
/// [`detect`](crate::detect) recognises the format of a file, and this parser reads its events while the file is still being
/// written. The bytes must not be compressed; only the functions that load whole files open containers. Functions of a
/// native auto trace are named by their addresses; [`auto::Parser`] takes a symbolizer.
///
/// The parser also implements [`LendingParser`], which returns one event at a time.
///
/// # Examples
/// ```
/// use spall_trace::{TraceParser, detect, model::{Limits, LiveTrace, Receiver, TraceView}};
///
/// let written = br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","na"#;
/// let mut parser = TraceParser::new(detect(written).unwrap());
/// let mut trace = LiveTrace::new(&Limits::default());
/// // The second event is not complete. Its bytes come again, together with what follows them.
/// let consumed = parser.read(written, false, |event, bytes| trace.receive(event, bytes))?;
/// assert!(consumed < written.len());
/// assert_eq!(trace.commit().n_slices(), 1);
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TraceParser(pub(crate) FormatParser);

/// The parser of the format that was chosen.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one parser lives as long as a file is read")]
pub(crate) enum FormatParser {
    Spall(spall::Parser),
    SpallAuto(auto::Parser<NoSymbols>),
    Heph(heph::Parser),
    Json(JsonParser),
    Apitrace(apitrace::Parser),
}

impl TraceParser {
    /// Makes a parser at the start of a file, with default limits.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self::with_limits(format, &Limits::default())
    }

    /// Creates a parser at the start of a file. Of the limits, [`Limits::max_open_calls`] concerns parsers.
    #[must_use]
    pub fn with_limits(format: Format, limits: &Limits) -> Self {
        Self(match format {
            Format::Spall { .. } => FormatParser::Spall(spall::Parser::new()),
            Format::SpallAuto => FormatParser::SpallAuto(auto::Parser::new(NoSymbols)),
            Format::Heph => FormatParser::Heph(heph::Parser::new()),
            Format::TraceEventJson | Format::CpuProfile => FormatParser::Json(JsonParser::new()),
            Format::Apitrace => FormatParser::Apitrace(apitrace::Parser::new().with_limits(limits)),
        })
    }

    /// Reads every event that is complete in `data` and returns the number of bytes consumed.
    ///
    /// This calls `see` for each event, with the range of bytes of the file that it came from. The texts of an event live
    /// until `see` returns. Pass the bytes that were not consumed again with the next call, followed by new ones. Set `eof`
    /// if nothing follows `data`; an incomplete event at the end is then a diagnostic.
    ///
    /// An apitrace recording refers back to its start, so nothing of it is consumed before its end.
    ///
    /// # Errors
    /// This returns an error when the rest of the file cannot be read. `see` was called for the events before that.
    pub fn read(
        &mut self,
        data: &[u8],
        eof: bool,
        mut see: impl FnMut(&Event<'_>, ByteRange),
    ) -> Result<usize, Error> {
        pump(&mut Lent { parser: self, see: &mut see }, data, eof).map(|pumped| pumped.consumed)
    }
}

impl LendingParser for TraceParser {
    type Error = Error;

    #[inline]
    fn next_chunk<'a>(&'a mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, Error> {
        match &mut self.0 {
            FormatParser::Spall(parser) => parser.next_chunk(data, eof).map_err(Error::Binary),
            FormatParser::SpallAuto(parser) => parser.next_chunk(data, eof).map_err(Error::Binary),
            FormatParser::Heph(parser) => parser.next_chunk(data, eof).map_err(Error::Binary),
            FormatParser::Json(parser) => parser.next_chunk(data, eof).map_err(Error::Json),
            FormatParser::Apitrace(parser) => parser.next_chunk(data, eof).map_err(Error::Binary),
        }
    }
}

/// A parser together with the receiver of its events, which [`pump`] runs step by step.
// A trait and not a closure, because its method can be marked for inlining. Otherwise each event is put together in memory,
// which costs 2 % of loading JSON.
pub(crate) trait Step<'d> {
    /// The error that ends reading.
    type Error;

    /// Reads one event or more from the start of `data` and passes them on.
    fn step(&mut self, data: &'d [u8], eof: bool) -> Result<Progress, Self::Error>;
}

/// The result of [`pump`].
pub(crate) struct Pumped {
    /// The number of bytes consumed.
    pub(crate) consumed: usize,
    /// The number of further bytes that the parser asks for, or 0 at the end of the input.
    #[cfg_attr(not(feature = "std"), expect(dead_code, reason = "only a source read in pieces has more"))]
    pub(crate) needed: usize,
}

/// Reads all events of `data`. This is the only loop over the events of a file.
#[inline(always)]
pub(crate) fn pump<'d, S: Step<'d>>(step: &mut S, data: &'d [u8], eof: bool) -> Result<Pumped, S::Error> {
    let mut rest = data;
    let needed = loop {
        match step.step(rest, eof)? {
            Progress::Consumed(consumed) => rest = rest.get(consumed..).unwrap_or_default(),
            Progress::NeedMore(more) => break more,
            Progress::End => break 0,
        }
    };
    Ok(Pumped { consumed: data.len() - rest.len(), needed })
}

/// A parser whose events live for one step only, with the function that sees them.
pub(crate) struct Lent<'p, P, F> {
    pub(crate) parser: &'p mut P,
    pub(crate) see: &'p mut F,
}

impl<'d, P, F> Step<'d> for Lent<'_, P, F>
where
    P: LendingParser,
    F: FnMut(&Event<'_>, ByteRange),
{
    type Error = P::Error;

    #[inline(always)]
    fn step(&mut self, data: &'d [u8], eof: bool) -> Result<Progress, P::Error> {
        // By reference: an event that is moved out of its result is copied.
        Ok(match self.parser.next_chunk(data, eof) {
            Ok(Chunk::Parsed(ref parsed)) => {
                (self.see)(&parsed.event, parsed.bytes);
                Progress::Consumed(parsed.consumed)
            }
            Ok(Chunk::Skipped(length)) => Progress::Consumed(length),
            Ok(Chunk::NeedMore(more)) => Progress::NeedMore(more),
            Ok(Chunk::End) => Progress::End,
            Err(error) => return Err(error),
        })
    }
}

/// A parser whose events borrow from the input alone, with their receiver.
pub(crate) struct Borrowed<'p, P, K> {
    pub(crate) parser: &'p mut P,
    pub(crate) keep: &'p mut K,
}

impl<'d, P, K> Step<'d> for Borrowed<'_, P, K>
where
    P: Parser,
    K: Receiver<'d>,
{
    type Error = P::Error;

    #[inline(always)]
    fn step(&mut self, data: &'d [u8], eof: bool) -> Result<Progress, P::Error> {
        self.parser.parse_into(data, eof, self.keep)
    }
}
