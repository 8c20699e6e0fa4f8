//! Loads traces from a source that is read piece by piece.

use alloc::vec::Vec;
use std::io::Read;

use spall_model::{Event, Limits, Trace, TraceBuilder};

use crate::{
    Error,
    detect::recognise,
    load::{Loading, load_copied},
    parser::{Lent, TraceParser, pump},
};

/// Loads a trace from a file or a pipe without holding all of it in memory.
///
/// The trace copies the texts that it keeps, so memory grows with the trace and not with the file. Two kinds of files are
/// held in memory as a whole: compressed files, of which at most [`Limits::max_decompressed_bytes`] are read, and apitrace
/// recordings, which refer back to their start. `source` needs no buffer of its own.
///
/// # Errors
/// This returns an error when the format is not known or when nothing of the file can be read, like
/// [`load`](crate::load). It returns [`Error::Io`] when reading from `source` fails.
///
/// # Examples
/// ```
/// use spall_trace::model::Limits;
///
/// let source: &[u8] = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
/// let trace = spall_trace::load_from(source, &Limits::default())?;
/// assert_eq!(trace.slices().len(), 1);
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub fn load_from(mut source: impl Read, limits: &Limits) -> Result<Trace<'static>, Error> {
    let mut buffer = Buffer::default();
    buffer.fill(&mut source, PIECE)?;
    let found = recognise(buffer.data()).ok_or(Error::UnknownFormat)?;
    if found.container.is_some() {
        let data = buffer.all(source, limits.max_decompressed_bytes)?;
        return load_copied(found, &data, limits);
    }
    let mut parser = TraceParser::with_limits(found.format, limits);
    let mut loading = Loading::new(TraceBuilder::new(limits));
    loop {
        let mut see = |event: &Event<'_>, bytes| loading.push(event, bytes);
        match pump(&mut Lent { parser: &mut parser, see: &mut see }, buffer.data(), buffer.eof) {
            Ok(pumped) if pumped.needed > 0 && !buffer.eof => {
                buffer.start += pumped.consumed;
                buffer.fill(&mut source, pumped.needed)?;
            }
            Ok(_) => break,
            Err(error) => {
                loading.stop(error)?;
                break;
            }
        }
    }
    Ok(loading.end(None).finish())
}

/// The number of bytes that are read at once. It is more than any format needs to be recognised.
const PIECE: usize = 1 << 20;

/// The part of the input that is in memory.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// The number of bytes at the start that are consumed.
    start: usize,
    /// Whether the source has no further bytes.
    eof: bool,
}

impl Buffer {
    /// Returns the bytes that are not consumed.
    fn data(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Reads the rest of the source and returns the whole input, or its first `limit` bytes.
    fn all(mut self, source: impl Read, limit: u64) -> Result<Vec<u8>, Error> {
        let left = limit.saturating_sub(self.bytes.len() as u64);
        source.take(left).read_to_end(&mut self.bytes)?;
        Ok(self.bytes)
    }

    /// Drops the consumed bytes and reads further ones: a piece, or up to `more` if that is larger.
    fn fill(&mut self, source: &mut impl Read, more: usize) -> Result<(), Error> {
        self.bytes.drain(..self.start.min(self.bytes.len()));
        self.start = 0;
        // The number that a parser asks for may come from the file, so the buffer at most doubles.
        let wanted = more.clamp(PIECE, PIECE.max(self.bytes.len()));
        let limit = u64::try_from(wanted).unwrap_or(u64::MAX);
        let count = source.by_ref().take(limit).read_to_end(&mut self.bytes)?;
        self.eof = count < wanted;
        Ok(())
    }
}
