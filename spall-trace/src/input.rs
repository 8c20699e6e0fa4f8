//! Opens the container of a file.

use spall_format::container::{Container, Decompressed, decompress_as};
use spall_model::Limits;

use crate::Error;

/// Returns the container of a file that a parser of somebody's own reads, if it has an unmistakable mark. Brotli has none,
/// and two letters, with which a text may begin, mark the container that only apitrace uses.
pub(crate) fn marked_container(data: &[u8]) -> Option<Container> {
    Container::detect(data).filter(|&container| container != Container::Snappy)
}

/// Opens the container of a file, if it is in one.
///
/// # Errors
/// This returns an error when nothing can be decompressed, or when the content is larger than the limit.
pub(crate) fn open<'a>(
    container: Option<Container>,
    data: &'a [u8],
    limits: &Limits,
) -> Result<Decompressed<'a>, Error> {
    let opened = decompress_as(container, data, limits)?;
    match opened.damage {
        Some(damage) if opened.stream.is_empty() => {
            Err(Error::Container { kind: damage.kind, offset: damage.bytes.start })
        }
        _ => Ok(opened),
    }
}
