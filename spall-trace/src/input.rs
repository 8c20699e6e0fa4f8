//! Opens the container of a file.

use alloc::borrow::Cow;

use spall_format::container::{Container, Decompressed, decompress_as};
use spall_model::{Diagnostic, Limits};

use crate::Error;

/// The bytes for a parser.
pub(crate) struct Input<'a> {
    /// The bytes of the file, or those that its container decompresses to.
    pub(crate) stream: Cow<'a, [u8]>,
    /// The damage of the container, or `None` if there is none. The stream holds the bytes before it.
    pub(crate) damage: Option<Diagnostic>,
}

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
) -> Result<Input<'a>, Error> {
    let Some(container) = container else { return Ok(Input { stream: Cow::Borrowed(data), damage: None }) };
    let Decompressed { stream, damage, .. } = decompress_as(container, data, limits)?;
    match damage {
        Some(damage) if stream.is_empty() => {
            Err(Error::Container { kind: damage.kind, offset: damage.bytes.start })
        }
        damage => Ok(Input { stream, damage }),
    }
}
