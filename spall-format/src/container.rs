//! Containers: the compression around a file. \[apitrace C.1\]
//!
//! An apitrace recording always is in a container; any other trace may be in one. [`decompress`] opens the container of a
//! recording, [`decompress_as`] one that is known, and [`peek`] looks at the start of the content.
//!
//! gzip, Zstandard and brotli need the features `gzip`, `zstd` and `brotli`.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use spall_model::{ByteRange, Compression, Diagnostic, DiagnosticKind, Limits};

use crate::{FormatError, FormatErrorKind};

#[cfg(feature = "brotli")]
mod brotli;
#[cfg(feature = "gzip")]
mod crc32;
#[cfg(feature = "gzip")]
mod gzip;
mod snappy;
#[cfg(feature = "zstd")]
mod zstd;

/// A container of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    /// `at`, then blocks of raw snappy. The tracer of apitrace writes it.
    Snappy,
    /// gzip, with one member or several. Reading it needs the feature `gzip`.
    Gzip,
    /// Zstandard frames, seekable or not. Reading it needs the feature `zstd`.
    Zstd,
    /// Brotli, which has no magic number. Reading it needs the feature `brotli`.
    Brotli,
    /// No container: the stream itself.
    Raw,
}

impl Container {
    /// Returns the container of a file by its magic number; `None` if it has none of a container.
    ///
    /// ```
    /// use spall_format::container::Container;
    ///
    /// assert_eq!(Container::detect(&[0x1f, 0x8b, 8]), Some(Container::Gzip));
    /// assert_eq!(Container::detect(b"[{}]"), None);
    /// ```
    #[must_use]
    pub fn detect(data: &[u8]) -> Option<Self> {
        match Compression::detect(data) {
            Some(Compression::Gzip) => Some(Self::Gzip),
            Some(Compression::Zstd) => Some(Self::Zstd),
            _ if data.starts_with(b"at") => Some(Self::Snappy),
            _ => None,
        }
    }

    /// Returns the container of an apitrace recording.
    ///
    /// The stream itself begins with its version. A brotli stream could begin with the same byte, but only with a
    /// window of 64 KiB or with none, which the tool that writes brotli does not use. What is nothing else is brotli.
    #[must_use]
    pub fn of_recording(data: &[u8]) -> Self {
        match (Self::detect(data), data.first()) {
            (Some(container), _) => container,
            (None, Some(0..=6)) => Self::Raw,
            (None, _) => Self::Brotli,
        }
    }
}

/// The content of a container. Returned by [`decompress`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decompressed<'a> {
    /// The container.
    pub container: Container,
    /// The content, or as much of it as can be decoded.
    pub stream: Cow<'a, [u8]>,
    /// The damage of the container, at most one. The stream ends at it, except that a wrong checksum removes nothing.
    /// Its bytes count in the file.
    pub damage: Option<Diagnostic>,
}

/// Opens the container of an apitrace recording: [`decompress_as`] with [`Container::of_recording`].
///
/// # Errors
/// This returns the errors of [`decompress_as`].
///
/// ```
/// use spall_format::container::{Container, decompress};
/// use spall_model::Limits;
///
/// // One block of 3 bytes, which hold a literal of 1 byte.
/// let decompressed = decompress(b"at\x03\0\0\0\x01\0\x05", &Limits::default())?;
/// assert_eq!(decompressed.container, Container::Snappy);
/// assert_eq!(*decompressed.stream, [5]);
/// # Ok::<(), spall_format::FormatError>(())
/// ```
pub fn decompress<'a>(data: &'a [u8], limits: &Limits) -> Result<Decompressed<'a>, FormatError> {
    decompress_as(Container::of_recording(data), data, limits)
}

/// Opens a container.
///
/// The result has everything that can be decoded before damage, or before the end of a file that is cut off.
///
/// # Errors
/// This returns [`FormatErrorKind::OutputLimit`] past [`Limits::max_decompressed_bytes`],
/// [`FormatErrorKind::FeatureOff`] for a container whose feature is off, and [`FormatErrorKind::BadMagic`] if not a byte
/// of a brotli stream can be decoded: brotli has no magic number, so such a file is probably of another kind.
pub fn decompress_as<'a>(
    container: Container,
    data: &'a [u8],
    limits: &Limits,
) -> Result<Decompressed<'a>, FormatError> {
    if container == Container::Raw {
        return Ok(Decompressed { container, stream: Cow::Borrowed(data), damage: None });
    }
    let mut output = Output { bytes: Vec::new(), limit: limits.max_decompressed_bytes };
    let decoded =
        decode(container, data, &mut output).ok_or(FormatError::new(FormatErrorKind::FeatureOff, 0))?;
    let damage = match decoded {
        Ok(()) => None,
        Err(DecodeFailure::OutputFull { at }) => {
            let max_mib = u32::try_from(limits.max_decompressed_bytes >> 20).unwrap_or(u32::MAX);
            return Err(FormatError::new(FormatErrorKind::OutputLimit { max_mib }, offset(at)));
        }
        Err(_) if container == Container::Brotli && output.bytes.is_empty() => {
            return Err(FormatError::new(FormatErrorKind::BadMagic, 0));
        }
        Err(DecodeFailure::Truncated { from }) => Some(damage(DiagnosticKind::Truncated, from, data)),
        Err(DecodeFailure::Invalid { from }) => Some(damage(DiagnosticKind::BadCompression, from, data)),
        Err(DecodeFailure::Junk { from }) => Some(damage(DiagnosticKind::Junk, from, data)),
        #[cfg(feature = "gzip")]
        Err(DecodeFailure::Checksum { from }) => Some(damage(DiagnosticKind::BadChecksum, from, data)),
    };
    Ok(Decompressed { container, stream: Cow::Owned(output.bytes), damage })
}

/// Returns the start of the content of a container, enough to recognise the format.
///
/// This looks at the first 64 KiB of `data` at most and returns about half a mebibyte at most. The result is empty if
/// nothing can be decoded, for any reason.
#[must_use]
pub fn peek(container: Container, data: &[u8]) -> Vec<u8> {
    let data = data.get(..PEEK).unwrap_or(data);
    if container == Container::Raw {
        return data.to_vec();
    }
    let mut output = Output { bytes: Vec::new(), limit: 2 * offset(STEP) };
    // How decoding ends does not matter: the output holds what came before.
    let _ = decode(container, data, &mut output);
    output.bytes
}

/// Decodes a container other than [`Container::Raw`]. Returns `None` if it needs a feature that is off.
fn decode(container: Container, data: &[u8], output: &mut Output) -> Option<Result<(), DecodeFailure>> {
    Some(match container {
        Container::Snappy => snappy::decode(data, output),
        #[cfg(feature = "gzip")]
        Container::Gzip => gzip::decode(data, output),
        #[cfg(feature = "zstd")]
        Container::Zstd => zstd::decode(data, output),
        #[cfg(feature = "brotli")]
        Container::Brotli => brotli::decode(data, output),
        #[allow(unreachable_patterns, reason = "with all features every container is read")]
        _ => return None,
    })
}

fn damage(kind: DiagnosticKind, from: usize, data: &[u8]) -> Diagnostic {
    Diagnostic::new(kind, ByteRange::new(offset(from), offset(data.len())))
}

fn offset(pos: usize) -> u64 {
    u64::try_from(pos).unwrap_or(u64::MAX)
}

/// Why decoding ended before the end of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DecodeFailure {
    /// The file ends inside the block, member or frame at `from`.
    Truncated { from: usize },
    /// The bytes from `from` on cannot be decoded.
    Invalid { from: usize },
    /// The bytes from `from` on do not belong to the container.
    Junk { from: usize },
    /// All bytes were decoded, but the content of the member at `from` is not what its checksum says.
    #[cfg(feature = "gzip")]
    Checksum { from: usize },
    /// The output would exceed the limit. The input was used up to `at`.
    OutputFull { at: usize },
}

/// The decoded bytes, and their limit.
#[derive(Debug)]
struct Output {
    bytes: Vec<u8>,
    limit: u64,
}

impl Output {
    /// Returns whether `more` bytes are within the limit.
    fn has_room(&self, more: usize) -> bool {
        self.bytes.len().checked_add(more).is_some_and(|total| offset(total) <= self.limit)
    }

    /// Lets `decode` write to `size` bytes behind the output. The first part of its result is how many bytes it wrote; the
    /// second part is returned.
    #[cfg(feature = "brotli")]
    fn append<T>(&mut self, size: usize, decode: impl FnOnce(&mut [u8]) -> (usize, T)) -> T {
        let len = self.bytes.len();
        self.bytes.resize(len + size, 0);
        let (written, result) = decode(self.bytes.get_mut(len..).unwrap_or_default());
        self.bytes.truncate(len + written.min(size));
        result
    }
}

/// How many bytes of a file [`peek`] looks at.
const PEEK: usize = 64 << 10;

/// How many bytes are decoded at once if the size of the content is not known.
const STEP: usize = 256 << 10;
