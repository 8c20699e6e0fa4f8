//! Recognises the container and the format of a file.

#[cfg(feature = "alloc")]
use spall_format::container::{Container, peek};
use spall_format::{heph, spall};
use spall_model::Compression;

/// A format of traces.
///
/// ```
/// use spall_trace::{Format, detect};
///
/// let format = detect(b"[{\"ph\":\"B\"}]").unwrap();
/// assert_eq!(format, Format::TraceEventJson);
/// assert_eq!(format.to_string(), "trace-event-json");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A manual spall stream. Versions 0, 1 and 3 can be read.
    Spall {
        /// The version in the header; 0 if the file ends before it.
        version: u64,
    },
    /// A native auto trace of spall: a program compiled with instrumentation of all functions.
    SpallAuto,
    /// Trace Event JSON, as Chrome and many other programs write it.
    TraceEventJson,
    /// A CPU profile of V8, a JSON document of its own.
    CpuProfile,
    /// A trace log of the Heph actor framework.
    Heph,
    /// An apitrace recording of graphics calls.
    Apitrace,
}

impl Format {
    /// Returns a short stable name, such as `spall-v3`.
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

/// Returns the format of a file, from its first bytes; `None` for an empty file and one of no supported format.
///
/// 16 bytes are enough for every binary format that is not compressed. JSON may have any number of blanks in front. Of
/// a compressed file the format is that of its content, as far as the features for the compression are on. Compressed
/// content that cannot be recognised counts as JSON, so that loading it says what is wrong.
///
/// The result says nothing about whether the file is sound: a spall file of an unknown version is a spall file.
///
/// ```
/// use spall_trace::{Format, detect};
///
/// assert_eq!(detect(b" [{\"ph\":\"B\"}]"), Some(Format::TraceEventJson));
/// assert_eq!(detect(b"\x0d\xf0\xad\x0b\0\0\0\0\x03\0\0\0\0\0\0\0"), Some(Format::Spall { version: 3 }));
/// assert_eq!(detect(b"hello"), None);
/// ```
#[must_use]
pub fn detect(data: &[u8]) -> Option<Format> {
    recognise(data).map(|found| found.format)
}

/// The container and the format of a file.
pub(crate) struct Recognised {
    /// The container; `None` if the bytes of the file are those of the format.
    #[cfg(feature = "alloc")]
    pub(crate) container: Option<Container>,
    pub(crate) format: Format,
}

impl Recognised {
    fn plain(format: Format) -> Self {
        Self {
            #[cfg(feature = "alloc")]
            container: None,
            format,
        }
    }

    /// Returns the container of a file whose format is known.
    #[cfg(feature = "alloc")]
    pub(crate) fn known(format: Format, data: &[u8]) -> Self {
        let container = match recognise(data) {
            Some(found) if core::mem::discriminant(&found.format) == core::mem::discriminant(&format) => {
                found.container
            }
            // The content is not what the caller says. Its parser will find out how much of it is readable.
            _ => Container::detect(data),
        };
        Self { container, format }
    }
}

/// Recognises the container and the format of a file from its first bytes.
pub(crate) fn recognise(data: &[u8]) -> Option<Recognised> {
    let content = recognise_content(data);
    if let Some((format, Certainty::Certain)) = content {
        return Some(Recognised::plain(format));
    }
    #[cfg(feature = "alloc")]
    if let Some(found) = recognise_packed(data) {
        return Some(found);
    }
    match content {
        Some((format, _)) => Some(Recognised::plain(format)),
        // The JSON parser says which compression it is.
        None => Compression::detect(data).map(|_| Recognised::plain(Format::TraceEventJson)),
    }
}

/// Recognises a compressed file by what is inside, and the formats without a magic number. One that has neither is the
/// last guess: brotli has no magic number, and neither has the stream of an apitrace recording.
#[cfg(feature = "alloc")]
fn recognise_packed(data: &[u8]) -> Option<Recognised> {
    if let Some(container) = Container::detect(data) {
        let content = peek(container, data);
        let format = match recognise_content(&content) {
            Some((format, _)) => format,
            None if container == Container::Snappy || is_recording(&content) => Format::Apitrace,
            None => Format::TraceEventJson,
        };
        return Some(Recognised { container: Some(container), format });
    }
    if Compression::detect(data).is_some() {
        return None;
    }
    // Version 6 is the newest. A brotli stream that begins with such a byte has a window that no tool uses.
    if data.first().is_some_and(|&version| version <= 6) {
        return is_recording(data).then(|| Recognised::plain(Format::Apitrace));
    }
    let content = peek(Container::Brotli, data);
    let format = match recognise_content(&content) {
        Some((format, Certainty::Certain)) => format,
        _ if is_recording(&content) => Format::Apitrace,
        _ => return None,
    };
    Some(Recognised { container: Some(Container::Brotli), format })
}

/// Whether the first bytes can be a brotli stream by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    Certain,
    Likely,
}

/// Recognises a format from the first bytes of uncompressed content.
fn recognise_content(data: &[u8]) -> Option<(Format, Certainty)> {
    use Certainty::{Certain, Likely};
    if let Some(version) = spall::stream_version(data) {
        return Some((Format::Spall { version }, Certain));
    }
    if spall::auto::is_auto_trace(data) {
        return Some((Format::SpallAuto, Certain));
    }
    if heph::starts_with_magic(data) {
        return Some((Format::Heph, Certain));
    }
    if spall_json::is_cpu_profile(data) {
        return Some((Format::CpuProfile, Certain));
    }
    // An array or an object behind blanks and a byte order mark. A bracket alone may also begin a brotli stream.
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let (bracket, rest) = text.trim_ascii_start().split_first()?;
    let is_certain = match (bracket, rest.trim_ascii_start().first()) {
        (b'[', next) => matches!(next, None | Some(b'{' | b']')),
        (b'{', next) => matches!(next, None | Some(b'"' | b'}')),
        _ => return None,
    };
    Some((Format::TraceEventJson, if is_certain { Certain } else { Likely }))
}

/// Returns whether the first bytes of an uncompressed stream are those of an apitrace recording, which has no magic
/// number: whether its first call can be read.
#[cfg(feature = "alloc")]
fn is_recording(stream: &[u8]) -> bool {
    // That much of a stream does not look like one long event by chance.
    const LARGE: usize = 256 << 10;
    let Ok(mut calls) = spall_format::apitrace::Calls::new(stream) else { return false };
    match calls.next() {
        Some(call) => call.is_ok(),
        // The first call may be larger than what was looked at.
        None => stream.len() >= LARGE && calls.truncated().is_some(),
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
