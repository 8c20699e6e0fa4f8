//! The error of the parser, and positions as lines and columns.

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {offset:#x})")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The input is compressed and must be decompressed first. The offset is 0.
    #[error("input is compressed with gzip, zip or zstd")]
    Compressed,
    /// The first byte that is not blank opens neither an array nor an object. The offset is the position of this byte.
    #[error("input is neither a json array nor a json object")]
    NotJson,
    /// The document is JSON, but nothing in it is of a trace: it has neither a `traceEvents` array nor an event nor a CPU
    /// profile. The offset is 0.
    #[error("input is json, but neither trace events nor a cpu profile")]
    NotATrace,
    /// The document ends inside of something without which nothing of it can be read. The offset is the end of the document.
    #[error("the json document is cut off")]
    Cut,
    /// The document is broken at a place behind which nothing of it can be read. The offset is that of the place.
    #[error("the json document is damaged")]
    Damaged,
    /// The document is a profile of dhat of a version that is not read. The offset is that of the version.
    #[error("files of dhat are read in version 2, and this one has version {version}")]
    DhatVersion {
        /// The version of the file; 0 if it is no number of 32 bits.
        version: u32,
    },
    /// The document is a profile of the Firefox Profiler of a version that is not read. The offset is 0.
    #[error(
        "profiles of the Firefox Profiler are read from version {} to {}, and this one has version {version}; {}",
        range.0, range.1, advice(*version, range.0)
    )]
    FirefoxVersion {
        /// The version of the profile.
        version: u16,
        /// The first and the last version of its kind that is read.
        range: (u8, u8),
    },
}

/// Returns what to do with a profile of another version.
fn advice(version: u16, first: u8) -> &'static str {
    match version < u16::from(first) {
        true => "profiler.firefox.com opens it and saves it as a newer one",
        false => "a newer version of this reader may read it",
    }
}

const _: () = assert!(size_of::<JsonError>() <= 16);
