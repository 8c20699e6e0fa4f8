//! What a writer says of an event.

/// What became of an event that was to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[must_use]
pub enum Written {
    /// The file says it, or there is nothing to say, as of a diagnostic.
    Done,
    /// The format has no form for it. Left out.
    Unsupported,
    /// A process or thread id that the format cannot hold. Left out.
    BadId,
    /// A time that the format cannot hold. Left out.
    BadTime,
    /// The part of the file that it belongs to is closed, as something else came after it. Left out.
    TooLate,
}
