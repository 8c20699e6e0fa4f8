//! From a source that is read piece by piece to a trace.

use alloc::vec::Vec;
use std::io::Read;

use spall_format::spall::auto;
use spall_model::{Limits, Trace, TraceBuilder};

use crate::{
    Error, Format,
    auto::{Progress, step},
    detect,
    load::{Loading, load_as, parser_of},
    packed,
};

/// Loads a trace piece by piece: what is kept is copied, so memory grows with the trace and not with the file.
///
/// Compressed files are the exception: they are read whole, up to [`Limits::max_decompressed_bytes`].
///
/// # Errors
/// As [`crate::load`], and [`Error::Io`].
pub fn load_from(mut source: impl Read, limits: &Limits) -> Result<Trace<'static>, Error> {
    let mut buffer = Buffer::default();
    buffer.fill(&mut source, PIECE)?;
    let format = detect(buffer.data()).ok_or(Error::UnknownFormat)?;
    if format == Format::Apitrace || packed::is_packed(buffer.data()) {
        // Decompressed whole anyway, within the limits.
        let data = buffer.all(source, limits.max_decompressed_bytes)?;
        return load_as(format, &data, limits).map(Trace::into_owned);
    }
    let mut loading = Loading::new(TraceBuilder::new(limits));
    let result = if format == Format::SpallAuto {
        let mut parser = auto::Parser::new(auto::NoSymbols);
        buffer.pump(source, |data, eof| step(&mut parser, data, eof, &mut loading))
    } else {
        let mut parser = parser_of(format)?;
        buffer.pump(source, |data, eof| step(&mut parser, data, eof, &mut loading))
    };
    match result {
        Err(Error::Io(error)) => return Err(Error::Io(error)),
        Err(error) => loading.stop(error)?,
        Ok(()) => {}
    }
    Ok(loading.into_sink().finish())
}

/// How much is read at once; more than any format needs to be recognised.
const PIECE: usize = 1 << 20;

/// The part of the input that is in memory.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// What of `bytes` is done with.
    start: usize,
    eof: bool,
}

impl Buffer {
    fn data(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// All of the source, or as much of it as is within `limit`.
    fn all(mut self, source: impl Read, limit: u64) -> Result<Vec<u8>, Error> {
        let left = limit.saturating_sub(self.bytes.len() as u64);
        source.take(left).read_to_end(&mut self.bytes)?;
        Ok(self.bytes)
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
