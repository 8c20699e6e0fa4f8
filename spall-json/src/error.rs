//! The error of the parser, and positions as lines and columns.

use spall_model::Compression;

/// The error of a file that cannot be read as JSON at all, with its position in bytes.
///
/// Damage inside a document is never an error: the parser reports it as
/// [`Event::Diagnostic`](spall_model::Event::Diagnostic) and goes on.
///
/// ```
/// use spall_json::{JsonErrorKind, parse_all};
/// let error = parse_all(b"pid 1").next().unwrap().unwrap_err();
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
    #[cold]
    pub(crate) fn new(kind: JsonErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// Returns the reason why the file cannot be read.
    #[must_use]
    pub fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// Returns the position of the error in bytes from the start of the file. [`LinePosition`] turns it into line and
    /// column.
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
    #[error("input is compressed ({0})")]
    Compressed(Compression),
    /// The first byte that is not blank opens neither an array nor an object. The offset is the position of this byte.
    #[error("input is neither a json array nor a json object")]
    NotJson,
}

/// A position in a text as a line and a column, both counted from 1. Columns count bytes.
///
/// ```
/// use spall_json::LinePosition;
/// let position = LinePosition::find(b"[\n{},\n!", 6);
/// assert_eq!((position.line, position.column), (3, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinePosition {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The number of the byte in its line, counted from 1.
    pub column: usize,
}

impl LinePosition {
    /// Returns the line and column of the byte at `offset` of `data`. An `offset` past the end counts as the end.
    ///
    /// This takes time proportional to `offset`.
    #[must_use]
    pub fn find(data: &[u8], offset: usize) -> Self {
        let before = data.get(..offset).unwrap_or(data);
        let newlines = memchr::memchr_iter(b'\n', before).count();
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        Self { line: newlines + 1, column: before.len() - line_start + 1 }
    }
}

impl core::fmt::Display for LinePosition {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

const _: () = assert!(size_of::<JsonError>() <= 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_past_the_end_are_those_of_the_end() {
        assert_eq!(LinePosition::find(b"ab\nc", 99), LinePosition { line: 2, column: 2 });
        assert_eq!(LinePosition::find(b"", 0), LinePosition { line: 1, column: 1 });
    }
}
