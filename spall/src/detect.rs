//! Which format some bytes are in.

/// A format that can be told from the first bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A manual spall stream. Readable are 0, 1 and 3.
    Spall {
        /// The version in the header; 0 if the file ends before it.
        version: u64,
    },
    /// A spall stream of native auto-instrumentation.
    SpallAuto,
    /// Trace Event JSON, plain or compressed.
    TraceEventJson,
    /// Heph.
    Heph,
}

impl Format {
    /// A short stable name, such as `spall-v3`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spall { version: 0 } => "spall-v0",
            Self::Spall { version: 1 } => "spall-v1",
            Self::Spall { version: 3 } => "spall-v3",
            Self::Spall { .. } => "spall",
            Self::SpallAuto => "spall-auto",
            Self::TraceEventJson => "trace-event-json",
            Self::Heph => "heph",
        }
    }
}

impl core::fmt::Display for Format {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

const SPALL: u64 = 0x0bad_f00d;
const SPALL_AUTO: u64 = 0xabad_f00d;
const HEPH: [u32; 2] = [0x75d1_1d4d, 0xc1fc_1fb7];

/// The format of a file, from its first bytes. 16 are enough for every binary format; JSON may have any number of
/// blanks in front.
///
/// `None` for an empty file and for one that is of no supported format. Says nothing about whether the file is
/// sound: a spall file of an unknown version is a spall file.
///
/// ```
/// use spall::{Format, detect};
/// assert_eq!(detect(b" [{\"ph\":\"B\"}]"), Some(Format::TraceEventJson));
/// assert_eq!(detect(b"\x0d\xf0\xad\x0b\0\0\0\0\x03\0\0\0\0\0\0\0"), Some(Format::Spall { version: 3 }));
/// assert_eq!(detect(b"hello"), None);
/// ```
#[must_use]
pub fn detect(data: &[u8]) -> Option<Format> {
    if let Some((magic, rest)) = data.split_first_chunk() {
        let version = rest.first_chunk().map_or(0, |version| u64::from_le_bytes(*version));
        match u64::from_le_bytes(*magic) {
            SPALL => return Some(Format::Spall { version }),
            SPALL_AUTO => return Some(Format::SpallAuto),
            _ if u64::from_be_bytes(*magic) == SPALL => {
                return Some(Format::Spall { version: version.swap_bytes() });
            }
            _ => {}
        }
    }
    if let Some(magic) = data.first_chunk()
        && HEPH.contains(&u32::from_be_bytes(*magic))
    {
        return Some(Format::Heph);
    }
    is_json(data).then_some(Format::TraceEventJson)
}

/// An array or an object behind blanks and a byte order mark.
fn is_json(data: &[u8]) -> bool {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    matches!(data.trim_ascii_start().first(), Some(b'[' | b'{'))
}
