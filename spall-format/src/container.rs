//! Containers: the compression around a file, or another encoding of its text. [apitrace C.1](crate::rules::apitrace#C.1)
//!
//! An apitrace recording is always in a container. Any other trace may be in one. [`decompress`] opens the container of
//! an apitrace recording, [`decompress_as`] opens a container of a known kind, and [`peek`] decodes the start of the
//! content only.
//!
//! gzip, Zstandard and brotli need the features `gzip`, `zstd` and `brotli`.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use spall_model::{ByteRange, Diagnostic, DiagnosticKind, Limits};

use crate::{FormatError, FormatErrorKind};

#[cfg(feature = "brotli")]
mod brotli;
#[cfg(feature = "gzip")]
mod crc32;
#[cfg(feature = "gzip")]
mod gzip;
mod snappy;
mod utf16;
#[cfg(feature = "gzip")]
mod zip;
#[cfg(feature = "zstd")]
mod zstd;

/// The kind of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// Blocks of raw snappy behind the two bytes `at`, each with its length in front. The tracer of apitrace writes this
    /// container, and no other program does. No feature is needed to read it.
    Snappy,
    /// A gzip file, which begins with `1f 8b`. It has one member or several, whose contents are joined. Reading it needs
    /// the feature `gzip`.
    Gzip,
    /// A zlib stream, which is inside of some files and around none: Perfetto's compressed packets. Reading it needs the
    /// feature `gzip`.
    Zlib,
    /// A zip archive with one file beside folders, which begins with `PK`. One with several files is an error. Reading it
    /// needs the feature `gzip`.
    Zip,
    /// A Zstandard file, which begins with `28 b5 2f fd`. Its frames may be seekable.
    /// Reading it needs the feature `zstd`.
    Zstd,
    /// A brotli stream, which has no magic number: only its content tells that it is one. Reading it needs the feature
    /// `brotli`.
    Brotli,
    /// Text in UTF-16, which begins with a byte order mark, `ff fe` or `fe ff`. Its content is the same text in UTF-8.
    /// No feature is needed to read it.
    Utf16,
}

impl Container {
    /// Returns the kind of container that the magic number at the start of `data` belongs to.
    ///
    /// Returns `None` for any other start. Such a file is not compressed, or it is brotli, which has no magic number.
    ///
    /// ```
    /// use spall_format::container::Container;
    ///
    /// assert_eq!(Container::detect(&[0x1f, 0x8b, 8]), Some(Container::Gzip));
    /// assert_eq!(Container::detect(b"[{}]"), None);
    /// ```
    #[must_use]
    pub fn detect(data: &[u8]) -> Option<Self> {
        match data {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [b'P', b'K', 3, 4, ..] => Some(Self::Zip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            [b'a', b't', ..] => Some(Self::Snappy),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(Self::Utf16),
            _ => None,
        }
    }

    /// Returns the kind of container around an apitrace recording, or `None` if the recording is not compressed.
    ///
    /// An uncompressed recording begins with its version, a byte of up to 6. A brotli stream could begin with the same
    /// byte, but only with a window of 64 KiB or with none, which the tool that writes brotli does not use. A file
    /// without a version and without a magic number counts as brotli.
    fn of_recording(data: &[u8]) -> Option<Self> {
        let is_version = matches!(data.first(), Some(0..=6));
        Self::detect(data).or((!is_version).then_some(Self::Brotli))
    }
}

/// The content of a container, which [`decompress`] and [`decompress_as`] return.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decompressed<'a> {
    /// The content, or as much of it as can be decoded. It is borrowed if the file is not compressed.
    pub stream: Cow<'a, [u8]>,
    /// The damage of the container, or `None` if it is whole.
    ///
    /// The content ends where the damage begins. A wrong checksum is the exception: all of the content is kept then.
    /// The byte range of the diagnostic counts in the compressed file.
    pub damage: Option<Diagnostic>,
}

/// Opens the container of an apitrace recording. One without a version and without a magic number counts as brotli.
///
/// # Errors
/// This returns the errors of [`decompress_as`].
///
/// # Examples
/// ```
/// use spall_format::container::decompress;
/// use spall_model::Limits;
///
/// // One block of 3 bytes, which hold a literal of 1 byte.
/// let decompressed = decompress(b"at\x03\0\0\0\x01\0\x05", &Limits::default())?;
/// assert_eq!(*decompressed.stream, [5]);
/// # Ok::<(), spall_format::FormatError>(())
/// ```
pub fn decompress<'a>(data: &'a [u8], limits: &Limits) -> Result<Decompressed<'a>, FormatError> {
    decompress_as(Container::of_recording(data), data, limits)
}

/// Opens the container of a file. Without a container, the file is the content itself.
///
/// The result has everything that can be decoded before damage, or before the end of a file that is cut off.
///
/// # Errors
/// This returns [`FormatErrorKind::OutputLimit`] if the content has more than [`Limits::max_decompressed_bytes`],
/// [`FormatErrorKind::OutOfMemory`] if the allocator refuses the memory for it, [`FormatErrorKind::SeveralFiles`] for an
/// archive of several files, and [`FormatErrorKind::FeatureOff`] for a container whose feature is off.
///
/// It returns [`FormatErrorKind::BadMagic`] if not a byte of a brotli stream can be decoded: brotli has no magic
/// number, so such a file is probably of another kind.
pub fn decompress_as<'a>(
    container: Option<Container>,
    data: &'a [u8],
    limits: &Limits,
) -> Result<Decompressed<'a>, FormatError> {
    let Some(container) = container else {
        return Ok(Decompressed { stream: Cow::Borrowed(data), damage: None });
    };
    let mut output = Output { bytes: Vec::new(), limit: limits.max_decompressed_bytes };
    let decoded =
        decode(container, data, &mut output).ok_or(FormatError::new(FormatErrorKind::FeatureOff, 0))?;
    let damage = match decoded {
        Ok(()) => None,
        Err(DecodeFailure::OutputFull { at }) => {
            let max_mib = u32::try_from(limits.max_decompressed_bytes >> 20).unwrap_or(u32::MAX);
            return Err(FormatError::new(FormatErrorKind::OutputLimit { max_mib }, at as u64));
        }
        Err(DecodeFailure::OutOfMemory { at }) => {
            let mib = u32::try_from(output.bytes.len() >> 20).unwrap_or(u32::MAX);
            return Err(FormatError::new(FormatErrorKind::OutOfMemory { mib }, at as u64));
        }
        #[cfg(feature = "gzip")]
        Err(DecodeFailure::SeveralFiles { from }) => {
            return Err(FormatError::new(FormatErrorKind::SeveralFiles, from as u64));
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
    Ok(Decompressed { stream: Cow::Owned(output.bytes), damage })
}

/// Returns the start of the content of a container, enough to recognise the format.
///
/// This looks at the first 64 KiB of `data` at most and returns about half a mebibyte at most. The result is empty if
/// nothing can be decoded, for any reason.
#[must_use]
pub fn peek(container: Container, data: &[u8]) -> Vec<u8> {
    let data = data.get(..PEEK).unwrap_or(data);
    // A decoder may drop a step that exceeds the limit, so the limit is twice what is wanted.
    let mut output = Output { bytes: Vec::new(), limit: 2 * STEP as u64 };
    // How decoding ends does not matter: the output holds what came before.
    let _ = decode(container, data, &mut output);
    output.bytes
}

/// Decodes a container. Returns `None` if it needs a feature that is off.
fn decode(container: Container, data: &[u8], output: &mut Output) -> Option<Result<(), DecodeFailure>> {
    Some(match container {
        Container::Snappy => snappy::decode(data, output),
        Container::Utf16 => utf16::decode(data, output),
        #[cfg(feature = "gzip")]
        Container::Gzip => gzip::decode(data, output),
        #[cfg(feature = "gzip")]
        Container::Zlib => gzip::decode_zlib(data, output),
        #[cfg(feature = "gzip")]
        Container::Zip => zip::decode(data, output),
        #[cfg(feature = "zstd")]
        Container::Zstd => zstd::decode(data, output),
        #[cfg(feature = "brotli")]
        Container::Brotli => brotli::decode(data, output),
        #[allow(unreachable_patterns, reason = "with all features every container is read")]
        _ => return None,
    })
}

/// Returns a diagnostic about the bytes of the file from `from` to its end.
fn damage(kind: DiagnosticKind, from: usize, data: &[u8]) -> Diagnostic {
    Diagnostic::new(kind, ByteRange::new(from as u64, data.len() as u64))
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
    /// The archive has another file at `from`.
    #[cfg(feature = "gzip")]
    SeveralFiles { from: usize },
    /// The output would exceed the limit. The input was used up to `at`.
    OutputFull { at: usize },
    /// The allocator refused the memory for the output. The input was used up to `at`.
    OutOfMemory { at: usize },
}

/// The decoded bytes, and their limit.
#[derive(Debug)]
struct Output {
    bytes: Vec<u8>,
    limit: u64,
}

impl Output {
    /// Makes room for `more` bytes behind the output. `at` is the position in the input, for the failure.
    ///
    /// The capacity doubles, but never exceeds the limit, so the output and its copy while it moves take at most one
    /// and a half times the limit.
    fn reserve(&mut self, more: usize, at: usize) -> Result<(), DecodeFailure> {
        let (len, capacity) = (self.bytes.len(), self.bytes.capacity());
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let needed = len.checked_add(more).filter(|&needed| needed <= limit);
        let needed = needed.ok_or(DecodeFailure::OutputFull { at })?;
        if needed > capacity {
            let doubled = capacity.saturating_mul(2).clamp(needed, limit);
            // Where twice the memory is refused, what is needed may still be there.
            let reserved = self.bytes.try_reserve_exact(doubled - len);
            reserved
                .or_else(|_| self.bytes.try_reserve_exact(more))
                .map_err(|_| DecodeFailure::OutOfMemory { at })?;
        }
        Ok(())
    }

    /// Appends bytes. `at` is the position in the compressed data, for the error if memory is refused.
    #[cfg(any(feature = "gzip", feature = "zstd"))]
    fn push(&mut self, bytes: &[u8], at: usize) -> Result<(), DecodeFailure> {
        self.reserve(bytes.len(), at)?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Lets `decode` write to `size` bytes behind the output, or to fewer if the limit is closer.
    ///
    /// `decode` returns how many bytes it wrote, and a second value, which this function returns.
    #[cfg(feature = "brotli")]
    fn append<T>(
        &mut self,
        size: usize,
        at: usize,
        decode: impl FnOnce(&mut [u8]) -> (usize, T),
    ) -> Result<T, DecodeFailure> {
        let len = self.bytes.len();
        let left = self.limit.saturating_sub(len as u64);
        let size = size.min(usize::try_from(left).unwrap_or(usize::MAX));
        self.reserve(size, at)?;
        self.bytes.resize(len + size, 0);
        let (written, result) = decode(self.bytes.get_mut(len..).unwrap_or_default());
        self.bytes.truncate(len + written.min(size));
        Ok(result)
    }

    /// Returns whether the output has as many bytes as the limit allows.
    #[cfg(feature = "brotli")]
    fn is_full(&self) -> bool {
        self.bytes.len() as u64 >= self.limit
    }
}

/// How many bytes of a file [`peek`] looks at.
const PEEK: usize = 64 << 10;

/// How many bytes are decoded at once if the size of the content is not known.
const STEP: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_never_grows_past_its_limit() {
        let mut output = Output { bytes: Vec::new(), limit: 1000 };
        for size in 1..=1000 {
            output.reserve(1, 7).unwrap();
            output.bytes.push(0);
            assert!(output.bytes.capacity() <= 1000, "{} for {size}", output.bytes.capacity());
        }
        assert_eq!(output.reserve(1, 7), Err(DecodeFailure::OutputFull { at: 7 }));
    }

    #[test]
    fn refused_memory_is_an_error() {
        let mut output = Output { bytes: alloc::vec![1, 2, 3], limit: u64::MAX };
        // No allocation may be larger than `isize::MAX`. With 32 bits one of just that size is granted.
        let more = usize::try_from(isize::MAX).unwrap();
        assert_eq!(output.reserve(more, 7), Err(DecodeFailure::OutOfMemory { at: 7 }));
        assert_eq!(output.bytes, [1, 2, 3]);
    }
}
