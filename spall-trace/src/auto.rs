//! Native auto traces, whose functions get names from a symbolizer.

use spall_format::spall::auto::{Parser, Symbolizer};
use spall_model::{Chunk, LendingParser, Limits, Trace, TraceBuilder};

use crate::{
    Error,
    load::{Loading, Sink},
};

/// Loads a native auto trace of spall, whose functions get their names from `symbols`.
///
/// # Errors
/// As [`crate::load`].
pub fn load_auto(data: &[u8], symbols: impl Symbolizer, limits: &Limits) -> Result<Trace<'static>, Error> {
    let mut loading = Loading::new(TraceBuilder::new(limits));
    read_auto(data, symbols, &mut loading)?;
    Ok(loading.into_sink().finish())
}

pub(crate) fn read_auto(
    data: &[u8],
    symbols: impl Symbolizer,
    loading: &mut Loading<impl Sink>,
) -> Result<(), Error> {
    let mut parser = Parser::new(symbols);
    let mut rest = data;
    loop {
        match step(&mut parser, rest, true, loading) {
            Ok(Progress::Consumed(length)) => rest = rest.get(length..).unwrap_or_default(),
            Ok(_) => return Ok(()),
            Err(error) => return loading.stop(error),
        }
    }
}

/// What a parser did with the data given to it.
pub(crate) enum Progress {
    /// It consumed this many bytes.
    Consumed(usize),
    /// It needs this many more bytes.
    #[cfg_attr(not(feature = "std"), expect(dead_code, reason = "only a source read in pieces has more"))]
    NeedMore(usize),
    /// The input is finished.
    End,
}

/// Reads one event of any format and copies it to where events go.
pub(crate) fn step<P: LendingParser<Error: Into<Error>>>(
    parser: &mut P,
    data: &[u8],
    eof: bool,
    loading: &mut Loading<impl Sink>,
) -> Result<Progress, Error> {
    Ok(match parser.next_chunk(data, eof).map_err(Into::into)? {
        Chunk::Parsed(parsed) => {
            loading.push(&parsed.event, parsed.bytes);
            Progress::Consumed(parsed.consumed)
        }
        Chunk::Skipped(length) => Progress::Consumed(length),
        Chunk::NeedMore(more) => Progress::NeedMore(more),
        Chunk::End => Progress::End,
    })
}

#[cfg(test)]
mod tests {
    use spall_format::spall::auto::NoSymbols;
    use spall_model::{ByteRange, Diagnostic, DiagnosticKind};

    use super::*;

    #[test]
    fn spall_a_7_a_useless_unit_is_reported_where_it_stands() {
        for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let data = spall_synth::auto::header(unit, 0, "/bin/x");
            let trace = load_auto(&data, NoSymbols, &Limits::default()).unwrap();
            let expected = Diagnostic { kind: DiagnosticKind::BadTimeUnit, bytes: ByteRange::new(16, 24) };
            assert_eq!(trace.diagnostics().kept(), [expected]);
        }
    }
}
