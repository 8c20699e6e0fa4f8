//! Compressed files, and recordings of apitrace, which are always packed in something.

use alloc::vec::Vec;

use spall_format::apitrace;
use spall_format::container::{Decompressed, decompress};
use spall_json::Compression;
use spall_model::Limits;

use crate::{
    Error,
    load::{Copied, Loading, Sink, parse_events},
};

/// Whether a file is compressed in a way that can be undone here.
pub(crate) fn is_packed(data: &[u8]) -> bool {
    let compression = Compression::detect(data);
    cfg!(feature = "gzip") && compression == Some(Compression::Gzip)
        || cfg!(feature = "zstd") && compression == Some(Compression::Zstd)
}

/// Reads compressed Trace Event JSON.
pub(crate) fn read_json(data: &[u8], limits: &Limits, loading: &mut Loading<impl Sink>) -> Result<(), Error> {
    let Decompressed { stream, damage, .. } = decompress(data, limits)?;
    parse_events::<Copied, _, _>(spall_json::JsonParser::new(), &stream, loading)?;
    if let Some(damage) = damage {
        loading.diagnose(damage.kind, damage.bytes);
    }
    Ok(())
}

/// Reads a recording of apitrace, arguments of calls as text. The byte ranges of its diagnostics count in the
/// decompressed stream.
pub(crate) fn read_recording(
    data: &[u8],
    limits: &Limits,
    loading: &mut Loading<impl Sink>,
) -> Result<(), Error> {
    let Decompressed { stream, damage, .. } = decompress(data, limits)?;
    let mut events = apitrace::parse_all(&stream)?;
    let mut arguments = Vec::new();
    while let Some(parsed) = events.next_with_arguments(&mut arguments) {
        match parsed {
            Ok(parsed) => loading.push(&parsed.event, parsed.bytes),
            Err(error) => {
                loading.stop(error.into())?;
                break;
            }
        }
    }
    if let Some(damage) = damage {
        loading.diagnose(damage.kind, damage.bytes);
    }
    Ok(())
}
