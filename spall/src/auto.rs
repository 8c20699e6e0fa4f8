//! Native auto traces, whose functions get names from a symbolizer.

use spall_format::spall::auto::{Lowering, Parser, Record, Step, Symbolizer};
use spall_model::{Limits, Trace, TraceBuilder};

use crate::{Error, load::Loading};

/// Loads a native auto trace of spall, whose functions get their names from `symbols`.
///
/// # Errors
/// As [`crate::load`].
pub fn load_auto(data: &[u8], symbols: impl Symbolizer, limits: &Limits) -> Result<Trace<'static>, Error> {
    read_auto(data, symbols, limits).map(TraceBuilder::finish)
}

pub(crate) fn read_auto<'a>(
    data: &[u8],
    symbols: impl Symbolizer,
    limits: &Limits,
) -> Result<TraceBuilder<'a>, Error> {
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
    Ok(loading.builder)
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

/// Reads a native auto trace into a builder.
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
        loading: &mut Loading<'_>,
    ) -> Result<Progress, Error> {
        Ok(match self.parser.parse(data, eof)? {
            Step::Record { consumed, record, bytes } => {
                if let (Record::Program(_), Some(header)) = (record, self.parser.header()) {
                    let (clock, fault) = Lowering::<S>::clock(header);
                    loading.builder.push_copied(&clock, bytes);
                    if let Some(fault) = fault {
                        loading.builder.diagnose(fault, bytes);
                    }
                }
                if let Some(event) = self.lowering.event(&record) {
                    loading.push_copied(&event, bytes);
                }
                Progress::Consumed(consumed)
            }
            Step::Skipped(length) => Progress::Consumed(length),
            Step::NeedMore(more) => Progress::NeedMore(more),
            Step::End => Progress::End,
        })
    }
}
