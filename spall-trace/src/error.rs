//! The error of loading a trace.

use alloc::{borrow::Cow, boxed::Box};

use spall_format::FormatErrorKind;
use spall_json::JsonErrorKind;
use spall_model::DiagnosticKind;

use crate::{Format, unknown};

/// The features that are off and whose formats have no mark by which a file could be recognised without them.
const UNMARKED_OFF: &str = match (cfg!(feature = "apitrace"), cfg!(feature = "profiles")) {
    (true, true) => "",
    (true, false) => " (the feature `profiles` of spall-trace is off)",
    (false, true) => " (the feature `apitrace` of spall-trace is off)",
    (false, false) => " (the features `apitrace` and `profiles` of spall-trace are off)",
};

/// The reason why a trace could not be loaded.
///
/// ```
/// use spall_trace::{Error, load};
///
/// let error = load(b"hello").unwrap_err();
/// assert!(matches!(error, Error::UnknownFormat { .. }));
/// assert_eq!(error.to_string(), "not a trace of any supported format, but text");
/// assert_eq!(error.offset(), 0);
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing of the file is of a supported format.
    ///
    /// The formats of the features `apitrace` and `profiles` have no magic number, but for apitrace in its own container, so
    /// their files are unknown where the feature is off. The text of the error names the features that are off.
    #[error("not a trace of any supported format, but {found}{UNMARKED_OFF}")]
    UnknownFormat {
        /// What the file seems to be, as far as its first bytes tell, such as `a PNG picture`.
        found: Cow<'static, str>,
    },
    /// The file has a format that is read only with a feature of this crate, which is off.
    #[error(
        "reading a file of the format {format} needs the feature `{feature}` of spall-trace, which is off"
    )]
    FormatOff {
        /// The format of the file.
        format: Format,
        /// The name of the feature.
        feature: &'static str,
    },
    /// The file is compressed, and none of it can be decompressed.
    #[error(
        "nothing of the compressed file can be read, which is {} (at byte {offset:#x})",
        if *kind == DiagnosticKind::Truncated { "cut off" } else { "damaged" }
    )]
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
    #[error("{error} (at byte {offset:#x})")]
    Parser {
        /// The error of the parser.
        #[source]
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
    /// Returns the error for a file that begins with `head` and is no trace of a supported format.
    pub(crate) fn unknown(head: &[u8]) -> Self {
        Self::UnknownFormat { found: unknown::describe(head) }
    }

    /// Returns this error, or what the file that begins with `head` seems to be, if its parser found nothing of a trace.
    pub(crate) fn or_unknown(self, head: &[u8]) -> Self {
        match self {
            Self::Json(error) if error.kind() == JsonErrorKind::NotATrace => Self::unknown(head),
            Self::Binary(error) if error.kind() == FormatErrorKind::NothingRead => {
                Self::UnknownFormat { found: unknown::FTRACE.into() }
            }
            error => error,
        }
    }

    /// Returns the position of the problem, in bytes from the start of the file.
    ///
    /// It is 0 if the error has no position. For an error in the content of a compressed file, it counts decompressed bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        match self {
            Self::Container { offset, .. } => *offset,
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
