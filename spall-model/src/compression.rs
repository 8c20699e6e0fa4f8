//! The compression of a file, which its first bytes tell.

/// A kind of compression that the first bytes of a file tell.
///
/// A file may hold several members or frames of the same compression, one after the other.
///
/// ```
/// use spall_model::Compression;
///
/// assert_eq!(Compression::detect(&[0x1f, 0x8b, 8, 0]), Some(Compression::Gzip));
/// assert_eq!(Compression::detect(b"[{"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// A gzip file, which begins with `1f 8b`.
    Gzip,
    /// A zip archive, which begins with `PK\x03\x04`.
    Zip,
    /// A Zstandard file, which begins with `28 b5 2f fd`.
    Zstd,
}

impl Compression {
    /// The largest number of bytes that [`Compression::detect`] looks at.
    pub const MAGIC_LEN: usize = 4;

    /// Returns the compression of a file that begins with `data`, or `None` if it has none of these magic numbers.
    #[must_use]
    pub fn detect(data: &[u8]) -> Option<Self> {
        match data {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [b'P', b'K', 3, 4, ..] => Some(Self::Zip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

impl core::fmt::Display for Compression {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zip => "zip",
            Self::Zstd => "zstd",
        })
    }
}
