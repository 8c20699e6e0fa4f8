//! The parser of each format, and one parser for every format.

use alloc::boxed::Box;

#[cfg(feature = "apitrace")]
use spall_format::apitrace;
#[cfg(feature = "perfetto")]
use spall_format::ftrace;
#[cfg(feature = "profiles")]
use spall_format::{callgrind, folded, perf_script, pprof};
use spall_format::{
    heph, otlp,
    spall::{
        self,
        auto::{self, NoSymbols},
    },
};
use spall_json::{JsonParser, JsonProfileParser, ServiceJson, ServiceJsonParser};
use spall_model::{ByteRange, Event, LendingParser, Limits, Parser, Progress, Receiver};

#[cfg(feature = "perfetto")]
use crate::perfetto::PerfettoParser;
use crate::{Error, Format, system_trace::SystemTrace};

/// What is to be done with the parser of a file, whichever it is.
// A trait and not a boxed parser, so that there is a loop for each parser, with the parser inlined: a call for each event
// would make every event in memory.
pub(crate) trait Visit {
    type Output;

    /// Goes on with a parser whose events live until the receiver returns.
    fn visit_lending<P>(self, parser: P) -> Self::Output
    where
        P: LendingParser<Error: Into<Error>> + Send + Sync + 'static;

    /// Goes on with a parser whose events borrow from the input.
    fn visit<P>(self, parser: P) -> Self::Output
    where
        Self: Sized,
        P: Parser<Error: Into<Error>> + Send + Sync + 'static,
    {
        self.visit_lending(parser)
    }
}

/// Makes the parser of a format. This is the only place that knows which parser reads which format.
///
/// The parsers of profiles, of services, of text of ftrace and of native auto traces are boxed, so that they are compiled once, and not for each visitor.
#[cfg_attr(not(feature = "perfetto"), expect(unused_variables, reason = "only these parsers have limits"))]
pub(crate) fn visit<V: Visit>(format: Format, limits: &Limits, visitor: V) -> V::Output {
    match format {
        Format::Spall { .. } => visitor.visit(spall::Parser::new()),
        Format::SpallAuto => visitor.visit_lending(TraceParser::boxed(auto::Parser::new(NoSymbols))),
        Format::Heph => visitor.visit(heph::Parser::new()),
        Format::TraceEventJson | Format::CpuProfile => visitor.visit(JsonParser::new()),
        #[cfg(feature = "apitrace")]
        Format::Apitrace => visitor.visit_lending(apitrace::Parser::new()),
        Format::Firefox | Format::Speedscope | Format::Dhat | Format::HeapProfile => {
            visitor.visit_lending(TraceParser::boxed(JsonProfileParser::new()))
        }
        Format::Otlp => visitor.visit_lending(TraceParser::boxed(otlp::Parser::new())),
        Format::OtlpJson => visitor.visit_lending(services(ServiceJson::Otlp)),
        Format::Jaeger => visitor.visit_lending(services(ServiceJson::Jaeger)),
        Format::Zipkin => visitor.visit_lending(services(ServiceJson::Zipkin)),
        #[cfg(feature = "perfetto")]
        Format::Perfetto => visitor.visit_lending(PerfettoParser::new(limits)),
        #[cfg(feature = "perfetto")]
        Format::Ftrace => {
            visitor.visit_lending(TraceParser::boxed(ftrace::Parser::new().with_limits(limits)))
        }
        #[cfg(feature = "profiles")]
        Format::Callgrind => visitor.visit_lending(TraceParser::boxed(callgrind::Parser::new())),
        #[cfg(feature = "profiles")]
        Format::PerfScript => visitor.visit_lending(TraceParser::boxed(perf_script::Parser::new())),
        #[cfg(feature = "profiles")]
        Format::Pprof => visitor.visit_lending(TraceParser::boxed(pprof::Parser::new())),
        #[cfg(feature = "profiles")]
        Format::Folded => visitor.visit(folded::Parser::new()),
        #[cfg(not(feature = "apitrace"))]
        Format::Apitrace => visitor.visit_lending(FormatOff { format, feature: "apitrace" }),
        #[cfg(not(feature = "perfetto"))]
        Format::Perfetto | Format::Ftrace => visitor.visit_lending(FormatOff { format, feature: "perfetto" }),
        #[cfg(not(feature = "profiles"))]
        Format::Callgrind | Format::PerfScript | Format::Pprof | Format::Folded => {
            visitor.visit_lending(FormatOff { format, feature: "profiles" })
        }
    }
}

/// Returns the parser of spans of services in JSON.
fn services(format: ServiceJson) -> TraceParser {
    TraceParser::boxed(ServiceJsonParser::new(format))
}

/// The parser of a format whose feature is off, which reads nothing.
#[cfg(any(test, not(all(feature = "apitrace", feature = "perfetto", feature = "profiles"))))]
struct FormatOff {
    format: Format,
    feature: &'static str,
}

#[cfg(any(test, not(all(feature = "apitrace", feature = "perfetto", feature = "profiles"))))]
impl LendingParser for FormatOff {
    type Error = Error;

    fn lend(&mut self, _: &[u8], _: bool, _: &mut impl for<'e> Receiver<'e>) -> Result<Progress, Error> {
        Err(Error::FormatOff { format: self.format, feature: self.feature })
    }
}

/// An incremental parser for a file of any [`Format`].
///
/// [`detect`](crate::detect) recognises the format of a file, and this parser reads its events while the file is still being
/// written. The bytes must not be compressed; only the functions that load whole files open containers. Functions of a
/// native auto trace are named by their addresses; [`auto::Parser`] takes a symbolizer.
///
/// # Examples
/// ```
/// use spall_trace::{TraceParser, detect, model::{Limits, LiveTrace, Receiver, TraceView}};
///
/// let written = br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","na"#;
/// let limits = Limits::default();
/// let mut parser = TraceParser::new(detect(written).unwrap(), &limits);
/// let mut trace = LiveTrace::new(&limits);
/// // The second event is not complete. Its bytes come again, together with what follows them.
/// let consumed = parser.read(written, false, |event, bytes| trace.receive(event, bytes))?;
/// assert!(consumed < written.len());
/// assert_eq!(trace.commit().n_slices(), 1);
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub struct TraceParser {
    parser: Box<dyn AnyParser>,
    system_trace: SystemTrace,
}

impl core::fmt::Debug for TraceParser {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("TraceParser").finish_non_exhaustive()
    }
}

impl TraceParser {
    fn boxed(parser: impl LendingParser<Error: Into<Error>> + Send + Sync + 'static) -> Self {
        Self { parser: Box::new(parser), system_trace: SystemTrace::default() }
    }

    /// Creates a parser at the start of a file. Of the limits, [`Limits::max_decompressed_bytes`] concerns parsers: those of
    /// formats whose records are compressed.
    #[must_use]
    pub fn new(format: Format, limits: &Limits) -> Self {
        visit(format, limits, Boxed)
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
        let mut rest = data;
        while let Progress::Read(consumed) = self.lend(rest, eof, &mut see)? {
            rest = rest.get(consumed..).unwrap_or_default();
        }
        Ok(data.len() - rest.len())
    }
}

impl LendingParser for TraceParser {
    type Error = Error;

    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, Error> {
        let Self { parser, system_trace } = self;
        let mut see = |event: &Event<'_>, bytes: ByteRange| match event {
            Event::Meta(fact) if system_trace.take(fact, bytes) => {}
            _ => to.receive(event, bytes),
        };
        let result = parser.lend_any(data, eof, &mut see);
        if matches!(result, Ok(Progress::End) | Err(_)) {
            self.system_trace.hand_over(to);
        }
        result
    }
}

/// A [`LendingParser`] that can be boxed.
trait AnyParser: Send + Sync {
    fn lend_any(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<Progress, Error>;
}

impl<P: LendingParser<Error: Into<Error>> + Send + Sync> AnyParser for P {
    fn lend_any(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut dyn for<'e> Receiver<'e>,
    ) -> Result<Progress, Error> {
        let mut see = |event: &Event<'_>, bytes: ByteRange| to.receive(event, bytes);
        self.lend(data, eof, &mut see).map_err(Into::into)
    }
}

/// Boxes a parser.
struct Boxed;

impl Visit for Boxed {
    type Output = TraceParser;

    fn visit_lending<P>(self, parser: P) -> TraceParser
    where
        P: LendingParser<Error: Into<Error>> + Send + Sync + 'static,
    {
        TraceParser::boxed(parser)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn a_format_whose_feature_is_off_is_an_error_that_names_the_feature() {
        let mut parser = TraceParser::boxed(FormatOff { format: Format::Pprof, feature: "profiles" });
        let error = parser.read(b"", true, |_, _| {}).unwrap_err();
        assert!(
            matches!(error, Error::FormatOff { format: Format::Pprof, feature: "profiles" }),
            "{error:?}"
        );
        assert_eq!(
            (error.to_string().as_str(), error.offset()),
            (
                "reading a file of the format pprof needs the feature `profiles` of spall-trace, which is off",
                0
            )
        );
    }
}
