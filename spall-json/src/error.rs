//! The error of the parser, and positions as lines and columns.

use core::fmt;

/// The error of a file that cannot be read as JSON at all, with its position in bytes.
///
/// Damage inside a document is never an error: the parser reports it as
/// [`Event::Diagnostic`](spall_model::Event::Diagnostic) and goes on.
///
/// ```
/// use spall_json::{JsonErrorKind, JsonParser};
/// use spall_model::Parser as _;
/// let error = JsonParser::new().parse_all(b"pid 1", |_, _| {}).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (JsonErrorKind::NotJson, 0));
/// assert_eq!(error.to_string(), "input is neither a json array nor a json object (at byte 0x0)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    kind: JsonErrorKind,
    offset: u64,
}

impl JsonError {
    /// Creates an error at `offset` of the file.
    pub(crate) fn new(kind: JsonErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// Returns the reason why the file cannot be read.
    #[must_use]
    pub fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// Returns the position of the error in bytes from the start of the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// The reason why a file cannot be read as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The input is compressed and must be decompressed first. The offset is 0.
    Compressed,
    /// The first byte that is not blank opens neither an array nor an object. The offset is the position of this byte.
    NotJson,
    /// The document is JSON, but nothing in it is of a trace: it has neither a `traceEvents` array nor an event nor a CPU
    /// profile. The offset is 0.
    NotATrace,
    /// The document is a profile of the Firefox Profiler of a version that is not read. The offset is 0.
    FirefoxVersion {
        /// The version of the profile.
        version: u16,
        /// The first and the last version of its kind that is read.
        range: (u8, u8),
    },
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, offset } = self;
        write!(f, "{kind} (at byte {offset:#x})")
    }
}

impl core::error::Error for JsonError {}

impl fmt::Display for JsonErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Compressed => f.write_str("input is compressed with gzip, zip or zstd"),
            Self::NotJson => f.write_str("input is neither a json array nor a json object"),
            Self::NotATrace => f.write_str("input is json, but neither trace events nor a cpu profile"),
            Self::FirefoxVersion { version, range: (first, last) } => {
                let advice = match version < u16::from(first) {
                    true => "profiler.firefox.com opens it and saves it as a newer one",
                    false => "a newer version of this reader may read it",
                };
                write!(
                    f,
                    "profiles of the Firefox Profiler are read from version {first} to {last}, and this one has \
                     version {version}; {advice}"
                )
            }
        }
    }
}

const _: () = assert!(size_of::<JsonError>() <= 16);
