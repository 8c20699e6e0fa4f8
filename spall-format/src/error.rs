//! Why reading had to stop.

/// Why reading had to stop, and where. 16 bytes, `Copy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {offset:#x})")]
pub struct FormatError {
    kind: FormatErrorKind,
    offset: u64,
}

const _: () = assert!(size_of::<FormatError>() == 16);

impl FormatError {
    #[cold]
    pub(crate) fn new(kind: FormatErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(self) -> FormatErrorKind {
        self.kind
    }

    /// Where in the file: see each [`FormatErrorKind`] for which byte is meant.
    #[must_use]
    pub fn offset(self) -> u64 {
        self.offset
    }
}

/// What can make a file, or the rest of it, unreadable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FormatErrorKind {
    // Any format.
    /// The input ends inside something without which nothing can be read, such as the file's header. Marks the end
    /// of the input.
    #[error("unexpected end of input, {needed} more bytes needed")]
    UnexpectedEof {
        /// How many more bytes there should be.
        needed: u32,
    },
    /// The file does not start as this format does. Marks the start of the file.
    #[error("not a file of this format")]
    BadMagic,
    /// A version that is not known. Marks the version field.
    #[error("unsupported version {version:#x}")]
    UnsupportedVersion {
        /// The version; `u32::MAX` stands for all that are larger.
        version: u32,
    },
    /// An event of a kind that is not known, in a format where only its kind says how long it is. Marks the start of
    /// the event.
    #[error("unknown event type {tag:#04x}")]
    UnknownEvent {
        /// The type.
        tag: u8,
    },

    // Spall.
    /// The file's numbers are big-endian; spall files are little-endian. Marks the start of the file. \[spall A.0\]
    #[error("big-endian spall file: its numbers are in the wrong byte order")]
    BigEndian,
    /// A native auto trace, which is another format than a manual stream. Marks the start of the file. \[spall A.0\]
    #[error("native auto trace, not a manual spall stream")]
    AutoTrace,
    /// Version 2, of which only mutually incompatible drafts exist. Marks the version field. \[spall A.4\]
    #[error("spall version 2 was never released")]
    UnreleasedVersion,
    /// A native auto trace of version 1 or 2, numbers that several layouts of its development had. Marks the version
    /// field. \[spall A.7\]
    #[error("native auto trace of version {version}, from before its layout was settled")]
    OldAutoTrace {
        /// The version.
        version: u32,
    },
    /// One of the layouts that were called version 0 in the two days before the format was published. Marks the
    /// version field. \[spall A.2\]
    #[error("spall version 0 from before the format was published")]
    PreRelease,

    // apitrace; offsets count in the decompressed stream, of containers in the file.
    /// A detail of a call that is not known. Marks the byte behind its tag.
    #[error("unknown detail {tag:#04x} of a call")]
    UnknownDetail {
        /// The tag.
        tag: u8,
    },
    /// A value of a type that is not known. Marks the byte behind the type.
    #[error("unknown value type {tag:#04x}")]
    UnknownValue {
        /// The type.
        tag: u8,
    },
    /// A number of more than 64 bits. Marks a byte of it.
    #[error("a number of more than 64 bits")]
    NumberTooLong,
    /// The decompressed data is larger than the limit. Marks the compressed data behind which it is.
    #[error("the decompressed data is over the limit of {max_mib} MiB")]
    OutputLimit {
        /// The limit, rounded down.
        max_mib: u32,
    },
    /// A container that needs a feature of this crate that is off. Marks the start of the file.
    #[error("this container needs a feature that is off")]
    FeatureOff,

    // Writers; the offset is how much was written before.
    /// A recording buffer is smaller than [`MIN_BUFFER`](crate::spall::MIN_BUFFER) or larger than 4 GiB. The offset
    /// is 0.
    #[error("a recording buffer has at least {} bytes and at most 4 GiB", crate::spall::MIN_BUFFER)]
    BufferSize,
    /// The buffer has no room for the record: nothing of it was written.
    #[error("the buffer is full")]
    BufferFull,
    /// A text, list or record longer than its length field can say.
    #[error("too long for its length field")]
    TooLong,
    /// An event, id, time or value that the format has nothing for.
    #[error("the format cannot express this")]
    NotRepresentable,
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn errors_say_what_and_where() {
        let error = FormatError::new(FormatErrorKind::UnknownEvent { tag: 7 }, 0x47);
        assert_eq!(error.to_string(), "unknown event type 0x07 (at byte 0x47)");
        assert_eq!((error.kind(), error.offset()), (FormatErrorKind::UnknownEvent { tag: 7 }, 0x47));
    }
}
