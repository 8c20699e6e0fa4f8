//! The result of writing an event.

/// The fate of an event that was given to a writer.
///
/// # One rule for all writers
/// Every writer of events has a method `write_event`, which returns `Result<Written, _>`. The error is the output's
/// alone: a full disk, a closed pipe. An event that the *format* cannot hold is never an error: the writer writes as
/// much of the event as it can, and returns which parts are missing. So a conversion runs to its end, and the caller
/// can count the losses.
///
/// Methods that write one record of a format from its parts, such as `begin` of a recorder, do not convert events.
/// Their own documentation says what they return.
///
/// ```
/// use spall_model::{LostParts, Written};
///
/// fn is_lossless(written: Written) -> bool {
///     match written {
///         Written::Done => true,
///         Written::InPart(lost) => {
///             // Cut texts are tolerable here, missing arguments are not.
///             !lost.contains(LostParts::ARGUMENTS)
///         }
///         _ => false,
///     }
/// }
/// assert!(is_lossless(Written::InPart(LostParts::TEXT)));
/// assert!(!is_lossless(Written::BadTime));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[must_use]
pub enum Written {
    /// The file holds the whole event, or there was nothing to write, as for a diagnostic.
    Done,
    /// The file holds the event without the given parts.
    InPart(LostParts),
    /// The event was left out, because the format has no form for it.
    Unsupported,
    /// The event was left out, because the format cannot hold its process or thread id.
    BadId,
    /// The event was left out, because the format cannot hold its time.
    BadTime,
    /// The event was left out, because the part of the file it belongs to was closed by an event before it.
    TooLate,
}

impl Written {
    /// Returns [`Written::Done`] if nothing was lost, and [`Written::InPart`] otherwise.
    pub const fn without(lost: LostParts) -> Self {
        if lost.is_empty() { Self::Done } else { Self::InPart(lost) }
    }

    /// Returns whether the file holds the event, whole or in part.
    #[must_use]
    pub const fn is_in_file(self) -> bool {
        matches!(self, Self::Done | Self::InPart(_))
    }

    /// Returns the parts of a written event that the file does not hold. The set is empty for an event that was
    /// written whole and for one that was left out.
    pub const fn lost(self) -> LostParts {
        match self {
            Self::InPart(lost) => lost,
            _ => LostParts::NONE,
        }
    }
}

/// The set of the parts of a written event that the file does not hold.
///
/// ```
/// use spall_model::LostParts;
///
/// let lost = LostParts::CATEGORY.with(LostParts::TEXT);
/// assert!(lost.contains(LostParts::TEXT) && !lost.contains(LostParts::ARGUMENTS));
/// assert!(LostParts::NONE.is_empty());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[must_use]
pub struct LostParts(u8);

impl LostParts {
    /// The empty set: no part is missing.
    pub const NONE: Self = Self(0);
    /// The category was left out.
    pub const CATEGORY: Self = Self(1);
    /// The name was left out, for example that of an end in a format whose ends have no names.
    pub const NAME: Self = Self(2);
    /// One or more arguments were left out.
    pub const ARGUMENTS: Self = Self(4);
    /// Arguments were written as a line of text: a person can read them, but their names and types are gone.
    pub const ARGUMENT_TYPES: Self = Self(8);
    /// A name or another text was cut, because it was longer than the format allows, or its bytes that are no UTF-8 were
    /// replaced.
    pub const TEXT: Self = Self(16);
    /// A time was rounded.
    pub const TIME: Self = Self(32);
    /// The number of a process, a thread or something else with an id was written in a form that is read as text.
    pub const ID: Self = Self(64);
    /// The id of an async span and that of its parent were left out, so that the span will nest by time.
    pub const SPAN_IDS: Self = Self(128);

    /// Returns whether nothing is missing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether all parts in `other` are missing.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of both sets.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the set itself if `condition` holds, and the empty set otherwise.
    pub const fn only_if(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_each_part_once() {
        let both = LostParts::NAME.with(LostParts::TEXT);
        assert_eq!(both.with(LostParts::NAME), both);
        assert_eq!(both.with(LostParts::NONE), both);
    }
}
