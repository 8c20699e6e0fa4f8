//! Compressed files, and recordings of apitrace, which are always packed in something.

use alloc::vec::Vec;

use spall_format::apitrace;
use spall_format::container::{Decompressed, decompress};
use spall_json::Compression;
use spall_model::{Limits, TraceBuilder};

use crate::{
    Error,
    load::{Loading, read_events},
};

/// Whether a file is compressed in a way that can be undone here.
pub(crate) fn is_packed(data: &[u8]) -> bool {
    let compression = Compression::detect(data);
    cfg!(feature = "gzip") && compression == Some(Compression::Gzip)
        || cfg!(feature = "zstd") && compression == Some(Compression::Zstd)
}

/// Reads compressed Trace Event JSON.
pub(crate) fn read_json<'a>(data: &[u8], limits: &Limits) -> Result<TraceBuilder<'a>, Error> {
    let Decompressed { stream, damage, .. } = decompress(data, limits)?;
    let mut loading = Loading::new(limits);
    read_events(spall_json::Parser::new(), &stream, &mut loading, TraceBuilder::push_copied)?;
    if let Some(damage) = damage {
        loading.builder.diagnose(damage.kind, damage.bytes);
    }
    Ok(loading.builder)
}

/// Reads a recording of apitrace, arguments of calls as text. The byte ranges of its diagnostics count in the
/// decompressed stream.
pub(crate) fn read_recording<'a>(data: &[u8], limits: &Limits) -> Result<TraceBuilder<'a>, Error> {
    let Decompressed { stream, damage, .. } = decompress(data, limits)?;
    let mut loading = Loading::new(limits);
    let mut events = apitrace::parse_all(&stream)?;
    let mut arguments = Vec::new();
    while let Some(parsed) = events.next_with_arguments(&mut arguments) {
        match parsed {
            Ok(parsed) => {
                loading.push_copied(&parsed.event, parsed.bytes);
            }
            Err(error) => {
                loading.stop(error.into())?;
                break;
            }
        }
    }
    if let Some(damage) = damage {
        loading.builder.diagnose(damage.kind, damage.bytes);
    }
    Ok(loading.builder)
}
