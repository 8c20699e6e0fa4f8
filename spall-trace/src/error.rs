//! Why a trace could not be loaded.

use crate::Format;

/// Why a trace could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The first bytes are those of no supported format.
    #[error("not a trace of any supported format (at byte 0x0)")]
    UnknownFormat,
    /// The format is known, but there is no reader for it.
    #[error("{0} traces cannot be read (at byte 0x0)")]
    UnsupportedFormat(Format),
    /// A binary format.
    #[error(transparent)]
    Binary(#[from] spall_format::FormatError),
    /// JSON.
    #[error(transparent)]
    Json(#[from] spall_json::JsonError),
    /// Reading the file failed.
    #[cfg(feature = "std")]
    #[error("reading failed")]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Where in the file, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        match self {
            Self::Binary(error) => error.offset(),
            Self::Json(error) => error.offset(),
            _ => 0,
        }
    }
}
