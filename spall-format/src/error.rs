//! The error of parsers and writers.

/// The error that ends reading or refuses a record, with its position in bytes.
///
/// It takes 16 bytes and is `Copy`, so that a result with it stays small.
///
/// ```
/// use spall_format::{FormatErrorKind, spall::Parser};
/// use spall_model::Parser as _;
///
/// let error = Parser::new().parse_all(b"this is not a spall file, but a text", |_, _| {}).unwrap_err();
/// assert_eq!(error.kind(), FormatErrorKind::BadMagic);
/// assert_eq!(error.to_string(), "not a file of this format (at byte 0x0)");
/// ```
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

    /// Returns what is wrong.
    #[must_use]
    pub fn kind(self) -> FormatErrorKind {
        self.kind
    }

    /// Returns the position in bytes from the start of the file, or of the decompressed stream for apitrace.
    ///
    /// Each [`FormatErrorKind`] says which byte it marks. The error of a writer gives the number of bytes written
    /// before.
    #[must_use]
    pub fn offset(self) -> u64 {
        self.offset
    }
}

/// The reason for which reading ends or a record is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FormatErrorKind {
    // Any format.
    /// The input ends inside a part without which nothing can be read, such as the file's header. The offset marks
    /// the end of the input.
    #[error("unexpected end of input, {needed} more bytes needed")]
    UnexpectedEof {
        /// The least number of bytes that are missing from this part.
        needed: u32,
    },
    /// The file does not start with the magic number of the format. The offset marks the start of the file.
    #[error("not a file of this format")]
    BadMagic,
    /// The version of the file is not supported. The offset marks the version field.
    #[error("unsupported version {version:#x}")]
    UnsupportedVersion {
        /// The version in the file, where `u32::MAX` stands for every larger one.
        version: u32,
    },
    /// An event has an unknown type, in a format in which only the type gives the length. The offset marks the start
    /// of the event.
    #[error("unknown event type {tag:#04x}")]
    UnknownEvent {
        /// The type in the file.
        tag: u8,
    },
    /// The file is text of the format, but no event in it is read. The offset marks the end of the file.
    #[error("no event of the file is of a kind that is read")]
    NothingRead,
    /// The file is OTLP, but has no span that is read. The offset is 0.
    #[error("OTLP without a span that has a time")]
    NoSpans,

    // Spall.
    /// The file's numbers are big-endian, while spall files are little-endian. The offset marks the start of the
    /// file. [spall A.0](crate::rules::spall#A.0)
    #[error("big-endian spall file: its numbers are in the wrong byte order")]
    BigEndian,
    /// The file is a native auto trace, which [`spall::auto::Parser`](crate::spall::auto::Parser) reads, and not a
    /// manual stream. The offset marks the start of the file. [spall A.0](crate::rules::spall#A.0)
    #[error("native auto trace, not a manual spall stream")]
    AutoTrace,
    /// The version is 2, of which only mutually incompatible drafts exist. The offset marks the version field.
    /// [spall A.4](crate::rules::spall#A.4)
    #[error("spall version 2 was never released")]
    UnreleasedVersion,
    /// The file is a native auto trace of version 1 or 2. Several layouts had these numbers during development. The
    /// offset marks the version field. [spall A.7](crate::rules::spall#A.7)
    #[error("native auto trace of version {version}, from before its layout was settled")]
    OldAutoTrace {
        /// The version in the header.
        version: u32,
    },
    /// The file has one of the layouts that were called version 0 in the two days before the format was published. The
    /// offset marks the version field. [spall A.2](crate::rules::spall#A.2)
    #[error("spall version 0 from before the format was published")]
    PreRelease,

    // apitrace. Offsets count in the decompressed stream, and those of containers in the file.
    /// A part of a call has an unknown type, so that its length is unknown, too. The offset marks the byte behind the
    /// type.
    #[error("unknown type {tag:#04x} of a part of a call")]
    UnknownDetail {
        /// The type in the file.
        tag: u8,
    },
    /// The value of an argument has an unknown type, so that its length is unknown, too. The offset marks the byte
    /// behind the type.
    #[error("unknown type {tag:#04x} of a value")]
    UnknownValue {
        /// The type in the file.
        tag: u8,
    },
    /// A number has more than 64 bits, so it needs more than ten bytes of seven bits each. The offset marks the byte
    /// behind the tenth one.
    #[error("number of more than 64 bits")]
    NumberTooLong,
    /// The decompressed data is larger than the limit. The offset marks the compressed data that reaches it.
    #[error("the decompressed data is over the limit of {max_mib} MiB")]
    OutputLimit {
        /// The limit in MiB, rounded down.
        max_mib: u32,
    },
    /// The allocator refused memory for the decompressed data. The offset marks the compressed data that needs it.
    #[error("out of memory after {mib} MiB of decompressed data")]
    OutOfMemory {
        /// The size of the data that was decompressed before, in MiB, rounded down.
        mib: u32,
    },
    /// A zip archive has several files. The offset marks the second one.
    #[error("this archive has several files; unpack it and open one of them")]
    SeveralFiles,
    /// Reading the container needs one of the features `gzip`, `zstd` and `brotli` of this crate, which is off. The
    /// documentation of `container::Container` says which. The offset marks the start of the file.
    #[error("reading this container needs a feature of spall-format that is off")]
    FeatureOff,

    // Writers. The offset is the number of bytes that were written before.
    /// A recording buffer is smaller than [`MIN_BUFFER`](crate::spall::MIN_BUFFER) or larger than 4 GiB. The offset
    /// is 0.
    #[error("a recording buffer must have at least {min} bytes and at most 4 GiB")]
    BufferSize {
        /// The smallest size in bytes.
        min: u32,
    },
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
