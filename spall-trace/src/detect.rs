//! Which format some bytes are in.

use spall_format::{heph, spall};

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
    /// A CPU profile of V8, in JSON of its own.
    CpuProfile,
    /// Heph.
    Heph,
    /// apitrace, in any of its containers.
    Apitrace,
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
            Self::CpuProfile => "cpuprofile",
            Self::Heph => "heph",
            Self::Apitrace => "apitrace",
        }
    }
}

impl core::fmt::Display for Format {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// The format of a file, from its first bytes. 16 are enough for every binary format that is not compressed; JSON may
/// have any number of blanks in front.
///
/// Compressed files are looked into where the features for it are on. A compressed file that cannot be looked into is
/// taken for JSON, whose reader says how it is compressed.
///
/// `None` for an empty file and for one that is of no supported format. Says nothing about whether the file is
/// sound: a spall file of an unknown version is a spall file.
///
/// ```
/// use spall_trace::{Format, detect};
/// assert_eq!(detect(b" [{\"ph\":\"B\"}]"), Some(Format::TraceEventJson));
/// assert_eq!(detect(b"\x0d\xf0\xad\x0b\0\0\0\0\x03\0\0\0\0\0\0\0"), Some(Format::Spall { version: 3 }));
/// assert_eq!(detect(b"hello"), None);
/// ```
#[must_use]
pub fn detect(data: &[u8]) -> Option<Format> {
    if let Some(version) = spall::stream_version(data) {
        return Some(Format::Spall { version });
    }
    if spall::auto::is_auto_trace(data) {
        return Some(Format::SpallAuto);
    }
    if heph::starts_with_magic(data) {
        return Some(Format::Heph);
    }
    if data.starts_with(b"at") {
        return Some(Format::Apitrace);
    }
    if spall_json::is_cpu_profile(data) {
        return Some(Format::CpuProfile);
    }
    let json = looks_like_json(data);
    if json == Some(true) {
        return Some(Format::TraceEventJson);
    }
    let compressed = spall_json::Compression::detect(data).is_some();
    #[cfg(feature = "alloc")]
    if let Some(format) = inside(data, compressed) {
        return Some(format);
    }
    (compressed || json.is_some()).then_some(Format::TraceEventJson)
}

/// What a file is that may be compressed. Recordings of apitrace are the last thing it can be: brotli has no mark, and
/// neither has the bare stream.
#[cfg(feature = "alloc")]
fn inside(data: &[u8], compressed: bool) -> Option<Format> {
    use spall_format::{apitrace::Calls, container::peek};
    let is_recording = |stream: &[u8]| {
        let Ok(mut calls) = Calls::new(stream) else { return false };
        match calls.next() {
            Some(call) => call.is_ok(),
            // The first call may be larger than what was looked into.
            None => stream.len() >= LARGE && calls.truncated().is_some(),
        }
    };
    if !compressed && data.first().is_some_and(|&version| version <= 6) {
        return is_recording(data).then_some(Format::Apitrace);
    }
    let stream = peek(data);
    if compressed && looks_like_json(&stream).is_some() {
        return Some(Format::TraceEventJson);
    }
    is_recording(&stream).then_some(Format::Apitrace)
}

/// So much of a stream cannot be a chance likeness that soon ends.
#[cfg(feature = "alloc")]
const LARGE: usize = 256 << 10;

/// Whether there is an array or an object behind blanks and a byte order mark: surely, or only by its bracket, which a
/// brotli stream may begin with too.
fn looks_like_json(data: &[u8]) -> Option<bool> {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let (bracket, rest) = data.trim_ascii_start().split_first()?;
    let next = rest.trim_ascii_start().first();
    match bracket {
        b'[' => Some(matches!(next, None | Some(b'{' | b']'))),
        b'{' => Some(matches!(next, None | Some(b'"' | b'}'))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_by_its_bracket_whatever_follows() {
        for data in ["[", "{", " [{", "{\"a\":1}", "[,{", "[1,", "\u{feff}[]", "{ph:"] {
            assert_eq!(detect(data.as_bytes()), Some(Format::TraceEventJson), "{data}");
        }
        for data in ["", " ", "hello", "\"[\""] {
            assert_eq!(detect(data.as_bytes()), None, "{data}");
        }
    }

    #[test]
    fn compressed_input_is_json_unless_it_is_seen_to_be_something_else() {
        for magic in [&b"\x1f\x8b\x08\0"[..], b"PK\x03\x04", b"\x28\xb5\x2f\xfd"] {
            assert_eq!(detect(magic), Some(Format::TraceEventJson));
        }
    }
}
