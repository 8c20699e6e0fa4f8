//! Positions in a file.

/// A half-open range of byte positions in a file.
///
/// ```
/// use spall_model::ByteRange;
///
/// let event = ByteRange::new(32, 53);
/// assert_eq!(event.end - event.start, 21);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ByteRange {
    /// The position of the first byte.
    pub start: u64,
    /// The position after the last byte.
    pub end: u64,
}

impl ByteRange {
    /// Returns the range from `start` to the byte before `end`.
    #[must_use]
    pub const fn new(start: u64, end: u64) -> Self {
        Self { start, end }
    }
}
