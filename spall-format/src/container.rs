//! What files are packed in: recordings of apitrace always, other traces where somebody has compressed them.
//! \[apitrace C.1\]

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
#[cfg(feature = "zstd")]
mod zstd;

/// What a stream is packed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    /// `at`, then blocks of raw snappy: what the tracer writes.
    Snappy,
    /// gzip, also of several members. Reading it needs the feature `gzip`.
    Gzip,
    /// Zstandard frames, seekable or not. Reading it needs the feature `zstd`.
    Zstd,
    /// Brotli, which has no mark of its own: what is nothing else. Reading it needs the feature `brotli`.
    Brotli,
    /// The stream itself. No tool writes it; it is read for tests.
    Raw,
}

impl Container {
    /// What a file is packed in, by its first bytes.
    ///
    /// The stream itself begins with its version. A brotli stream could begin with the same bytes, but only with a
    /// window of 64 KiB or none at all, which the tool that writes them does not use.
    #[must_use]
    pub fn detect(data: &[u8]) -> Self {
        match data {
            [b'a', b't', ..] => Self::Snappy,
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [0..=6, ..] => Self::Raw,
            _ => Self::Brotli,
        }
    }
}

/// A stream, and how it was obtained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decompressed<'a> {
    /// What it was packed in.
    pub container: Container,
    /// The stream, or as much of it as could be decoded.
    pub stream: Cow<'a, [u8]>,
    /// What is wrong with the container, at most one thing: the stream ends there, except that a checksum that is wrong
    /// takes nothing away. Bytes count in the file.
    pub damage: Option<Diagnostic>,
}

/// Undoes the container of a file.
///
/// Everything that can be decoded before damage, or before the end of a file that was cut off, is there.
///
/// # Errors
/// [`FormatErrorKind::OutputLimit`] past [`Limits::max_decompressed_bytes`], [`FormatErrorKind::FeatureOff`] for a container that
/// needs a feature, and [`FormatErrorKind::BadMagic`] if not a byte can be decoded of what must be brotli, for want of
/// another mark.
pub fn decompress<'a>(data: &'a [u8], limits: &Limits) -> Result<Decompressed<'a>, FormatError> {
    let container = Container::detect(data);
    if container == Container::Raw {
        return Ok(Decompressed { container, stream: Cow::Borrowed(data), damage: None });
    }
    let mut output = Output { bytes: Vec::new(), limit: limits.max_decompressed_bytes };
    let unpacked =
        unpack(container, data, &mut output).ok_or(FormatError::new(FormatErrorKind::FeatureOff, 0))?;
    let damage = match unpacked {
        Ok(()) => None,
        Err(Stop::Full { at }) => {
            let max_mib = u32::try_from(limits.max_decompressed_bytes >> 20).unwrap_or(u32::MAX);
            return Err(FormatError::new(FormatErrorKind::OutputLimit { max_mib }, offset(at)));
        }
        Err(_) if container == Container::Brotli && output.bytes.is_empty() => {
            return Err(FormatError::new(FormatErrorKind::BadMagic, 0));
        }
        Err(Stop::Cut { from }) => Some(damage(DiagnosticKind::Truncated, from, data)),
        Err(Stop::Bad { from }) => Some(damage(DiagnosticKind::BadCompression, from, data)),
        Err(Stop::Junk { from }) => Some(damage(DiagnosticKind::Junk, from, data)),
        #[cfg(feature = "gzip")]
        Err(Stop::Checksum { from }) => Some(damage(DiagnosticKind::BadChecksum, from, data)),
    };
    Ok(Decompressed { container, stream: Cow::Owned(output.bytes), damage })
}

/// The first bytes of a stream, as many as are easily had: enough to see what it is.
///
/// At most the first 64 KiB of `data` are looked at, and about half a mebibyte comes out of them. Empty if nothing can
/// be decoded, for whatever reason.
#[must_use]
pub fn peek(data: &[u8]) -> Vec<u8> {
    let data = data.get(..PEEK).unwrap_or(data);
    let mut output = Output { bytes: Vec::new(), limit: 2 * offset(STEP) };
    // Where it stops and why does not matter: what was decoded before is there.
    let _ = unpack(Container::detect(data), data, &mut output);
    output.bytes
}

/// Undoes any container but none; `None` if it needs a feature that is off.
fn unpack(container: Container, data: &[u8], output: &mut Output) -> Option<Result<(), Stop>> {
    Some(match container {
        Container::Snappy => snappy::unpack(data, output),
        #[cfg(feature = "gzip")]
        Container::Gzip => gzip::unpack(data, output),
        #[cfg(feature = "zstd")]
        Container::Zstd => zstd::unpack(data, output),
        #[cfg(feature = "brotli")]
        Container::Brotli => brotli::unpack(data, output),
        #[allow(unreachable_patterns, reason = "with all features every container is read")]
        _ => return None,
    })
}

fn damage(kind: DiagnosticKind, from: usize, data: &[u8]) -> Diagnostic {
    Diagnostic { kind, bytes: ByteRange::new(offset(from), offset(data.len())) }
}

fn offset(pos: usize) -> u64 {
    u64::try_from(pos).unwrap_or(u64::MAX)
}

/// Why decoding ended before the end of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// The file ends inside what begins at `from`.
    Cut { from: usize },
    /// What is from `from` on cannot be decoded.
    Bad { from: usize },
    /// What is from `from` on does not belong to the stream.
    Junk { from: usize },
    /// What is from `from` on was decoded to the end, but some of it is not what was once encoded.
    #[cfg(feature = "gzip")]
    Checksum { from: usize },
    /// The output would be over the limit; the input was used up to `at`.
    Full { at: usize },
}

/// What was decoded, and how much may be.
#[derive(Debug)]
struct Output {
    bytes: Vec<u8>,
    limit: u64,
}

impl Output {
    /// Whether `more` bytes are within the limit.
    fn has_room(&self, more: usize) -> bool {
        self.bytes.len().checked_add(more).is_some_and(|total| offset(total) <= self.limit)
    }

    /// Appends what `decode` writes to the front of the scratch space it is given, and returns; at most `size` bytes.
    #[cfg(feature = "brotli")]
    fn append<T>(&mut self, size: usize, decode: impl FnOnce(&mut [u8]) -> (usize, T)) -> T {
        let len = self.bytes.len();
        self.bytes.resize(len + size, 0);
        let (written, result) = decode(self.bytes.get_mut(len..).unwrap_or_default());
        self.bytes.truncate(len + written.min(size));
        result
    }
}

/// How much of a file is looked at to see what it is.
const PEEK: usize = 64 << 10;

/// How much is decoded at once where the size is not known before.
const STEP: usize = 256 << 10;
