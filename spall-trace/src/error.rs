//! The error of loading a trace.

use spall_model::DiagnosticKind;

/// The reason why a trace could not be loaded.
///
/// ```
/// use spall_trace::{Error, load, model::Limits};
///
/// let error = load(b"hello", &Limits::default()).unwrap_err();
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
    /// Reading from the source failed. Only [`load_from`](crate::load_from) and [`load_files`](crate::load_files) return this.
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
            Self::Binary(error) => error.offset(),
            Self::Json(error) => error.offset(),
            _ => 0,
        }
    }
}
