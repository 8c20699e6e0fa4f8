//! Native auto traces, whose functions get names from a symbolizer.

use spall_format::spall::auto::{Lowering, Parser, Record, Step, Symbolizer};
use spall_model::{ByteRange, Limits, Trace, TraceBuilder};

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
    let mut reader = AutoReader::new(symbols);
    let mut rest = data;
    loop {
        match reader.step(rest, true, loading) {
            Ok(Progress::Consumed(length)) => rest = rest.get(length..).unwrap_or_default(),
            Ok(_) => return Ok(()),
            Err(error) => return loading.stop(error),
        }
    }
}

/// What became of the data given to a reader.
pub(crate) enum Progress {
    /// This much of it is done with.
    Consumed(usize),
    /// This much more of it is needed.
    #[cfg_attr(not(feature = "std"), expect(dead_code, reason = "only a source read in pieces has more"))]
    NeedMore(usize),
    End,
}

/// Reads a native auto trace.
pub(crate) struct AutoReader<S> {
    parser: Parser,
    lowering: Lowering<S>,
}

impl<S: Symbolizer> AutoReader<S> {
    pub(crate) fn new(symbols: S) -> Self {
        Self { parser: Parser::new(), lowering: Lowering::new(symbols) }
    }

    pub(crate) fn step(
        &mut self,
        data: &[u8],
        eof: bool,
        loading: &mut Loading<impl Sink>,
    ) -> Result<Progress, Error> {
        Ok(match self.parser.parse(data, eof)? {
            Step::Record { consumed, record, bytes } => {
                if let (Record::Program(_), Some(header)) = (record, self.parser.header()) {
                    let (clock, fault) = Lowering::<S>::clock(header);
                    loading.push(&clock, bytes);
                    if let Some(fault) = fault {
                        loading.diagnose(fault, ByteRange::new(16, 24));
                    }
                }
                if let Some(event) = self.lowering.event(&record) {
                    loading.push(&event, bytes);
                }
                Progress::Consumed(consumed)
            }
            Step::Skipped(length) => Progress::Consumed(length),
            Step::NeedMore(more) => Progress::NeedMore(more),
            Step::End => Progress::End,
        })
    }
}

#[cfg(test)]
mod tests {
    use spall_format::spall::auto::NoSymbols;
    use spall_model::{Diagnostic, DiagnosticKind};

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
