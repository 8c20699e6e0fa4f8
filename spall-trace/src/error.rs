//! The error of loading a trace.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use spall_model::DiagnosticKind;

/// The reason why a trace could not be loaded.
///
/// ```
/// use spall_trace::{Error, load};
///
/// let error = load(b"hello").unwrap_err();
/// assert!(matches!(error, Error::UnknownFormat));
/// assert_eq!(error.offset(), 0);
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The first bytes are those of no supported format.
    #[error("not a trace of any supported format (at byte 0x0)")]
    UnknownFormat,
    /// The file is compressed, and none of it can be decompressed.
    #[error("nothing of the compressed file can be read: {kind} (at byte {offset:#x})")]
    Container {
        /// The kind of damage that stopped the decompression.
        kind: DiagnosticKind,
        /// The position of the damage, in bytes from the start of the compressed file.
        offset: u64,
    },
    /// A file of a binary format, or a container, cannot be read.
    #[error(transparent)]
    Binary(#[from] spall_format::FormatError),
    /// A JSON document cannot be read.
    #[error(transparent)]
    Json(#[from] spall_json::JsonError),
    /// A parser that is not of this project cannot read the file.
    #[cfg(feature = "alloc")]
    #[error("{error} (at byte {offset:#x})")]
    Parser {
        /// The error of the parser.
        error: Box<dyn core::error::Error + Send + Sync>,
        /// The position at which reading ended, in bytes from the start of the file.
        offset: u64,
    },
    /// Reading from the source failed, or opening a file.
    #[cfg(feature = "std")]
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Returns the position of the problem, in bytes from the start of the file.
    ///
    /// It is 0 if the error has no position. For an error in the content of a compressed file, it counts decompressed bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        match self {
            Self::Container { offset, .. } => *offset,
            #[cfg(feature = "alloc")]
            Self::Parser { offset, .. } => *offset,
            Self::Binary(error) => error.offset(),
            Self::Json(error) => error.offset(),
            _ => 0,
        }
    }
}

impl From<core::convert::Infallible> for Error {
    fn from(never: core::convert::Infallible) -> Self {
        match never {}
    }
}
