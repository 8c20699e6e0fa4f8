//! Recognises the container and the format of a file.

#[cfg(feature = "alloc")]
use spall_format::{
    container::{Container, peek},
    otlp::Signal,
};
use spall_format::{heph, perfetto, spall};
#[cfg(feature = "alloc")]
use spall_json::{JsonProfile, ServiceJson};
#[cfg(feature = "alloc")]
use unmarked::{is_callgrind, is_folded, is_ftrace, is_perf_script, is_profile, is_recording};

/// A file format of traces, as [`detect`] recognises it.
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
    /// A spall file that a program writes through calls of its own. Versions 0, 1 and 3 can be read.
    Spall {
        /// The version in the header, or 0 if the file ends before it.
        version: u64,
    },
    /// A native auto trace of spall, which a program writes if its compiler instruments every function.
    SpallAuto,
    /// Trace Event JSON, as Chrome and many other programs write it.
    TraceEventJson,
    /// A CPU profile of V8 that is a JSON document of its own, usually named `.cpuprofile`.
    CpuProfile,
    /// A trace log of the Heph actor framework.
    Heph,
    /// An apitrace recording of graphics calls.
    Apitrace,
    /// A protobuf trace of Perfetto, as Chrome, Android and many libraries write it.
    Perfetto,
    /// A profile of the Firefox Profiler, as Firefox and samply write it.
    Firefox,
    /// A file of speedscope, as py-spy, rbspy and others write it.
    Speedscope,
    /// A profile of memory by dhat, that of Valgrind or that of Rust.
    Dhat,
    /// A sampling heap profile of V8, usually named `.heapprofile`.
    HeapProfile,
    /// Spans of OpenTelemetry in protocol buffers (OTLP), as its collector writes them.
    Otlp,
    /// Spans of OpenTelemetry in JSON (OTLP).
    OtlpJson,
    /// Traces of Jaeger in JSON.
    Jaeger,
    /// Traces of Zipkin in JSON, version 2.
    Zipkin,
    /// The text of Linux' ftrace, of `trace-cmd report`, and of Android's atrace and systrace.
    Ftrace,
    /// Costs of functions and calls, as Callgrind, Cachegrind and Xdebug write them.
    Callgrind,
    /// The text that `perf script` prints.
    PerfScript,
    /// A profile of pprof, as Go and many other programs write it.
    Pprof,
    /// Folded stacks, the text that flame graphs are made of.
    Folded,
}

impl Format {
    /// Returns a short name that stays the same in later versions, such as `spall-v3`.
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
            Self::Perfetto => "perfetto",
            Self::Firefox => "firefox",
            Self::Speedscope => "speedscope",
            Self::Dhat => "dhat",
            Self::HeapProfile => "heapprofile",
            Self::Otlp => "otlp",
            Self::OtlpJson => "otlp-json",
            Self::Jaeger => "jaeger",
            Self::Zipkin => "zipkin",
            Self::Ftrace => "ftrace",
            Self::Callgrind => "callgrind",
            Self::PerfScript => "perf-script",
            Self::Pprof => "pprof",
            Self::Folded => "folded",
        }
    }
}

impl core::fmt::Display for Format {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// Recognises the format of a file from its first bytes.
///
/// Returns `None` for an empty file and for a file of no supported format. 16 bytes are enough for every binary format that
/// is not compressed, but for pprof: it and the formats of text are told by up to 64 KiB, or by the whole file. JSON may
/// have any number of blanks in front. For a compressed file this returns the format of the
/// content, if the feature for the compression is on.
///
/// A format that has a mark is recognised whether or not its feature is on. Others are not: without the feature `apitrace`,
/// only recordings in the container of apitrace are recognised, without `perfetto`, no text of ftrace, and without `profiles`,
/// no pprof, no folded stacks, no text of `perf script` and none of Callgrind.
///
/// The result says nothing about whether the file can be read: a spall file of an unknown version is a spall file.
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
    /// The container, or `None` if the file is not compressed.
    #[cfg(feature = "alloc")]
    pub(crate) container: Option<Container>,
    pub(crate) format: Format,
}

impl Recognised {
    /// Returns the result for a file without a container.
    fn plain(format: Format) -> Self {
        Self {
            #[cfg(feature = "alloc")]
            container: None,
            format,
        }
    }

    /// Recognises the container of a file whose format the caller knows.
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

/// Recognises the container and the format of a file from its first bytes. Returns `None` for no supported format.
pub(crate) fn recognise(data: &[u8]) -> Option<Recognised> {
    let content = recognise_content(data);
    if let Some((format, Certainty::Certain)) = content {
        return Some(Recognised::plain(format));
    }
    #[cfg(feature = "alloc")]
    if let Some(found) = recognise_packed(data).or_else(|| recognise_weak(data).map(Recognised::plain)) {
        return Some(found);
    }
    content.map(|(format, _)| Recognised::plain(format))
}

/// Recognises a compressed file by its content, and the formats without a magic number.
///
/// Neither a brotli stream nor the stream of an apitrace recording has a magic number, so these two are tried last.
#[cfg(feature = "alloc")]
fn recognise_packed(data: &[u8]) -> Option<Recognised> {
    if let Some(container) = Container::detect(data) {
        // A text may begin with the two letters that mark snappy.
        if container == Container::Snappy && is_folded(data) {
            return Some(Recognised::plain(Format::Folded));
        }
        let content = peek(container, data);
        let found = recognise_content(&content);
        let format = match found {
            Some((format, Certainty::Certain)) => format,
            None if container == Container::Snappy || is_recording(&content) => Format::Apitrace,
            // Nothing can be decompressed, which opening the container reports.
            None if content.is_empty() => Format::TraceEventJson,
            _ => recognise_weak(&content).or(found.map(|(format, _)| format))?,
        };
        return Some(Recognised { container: Some(container), format });
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

/// Recognises the formats without any mark, which are told by all that their first bytes hold. They come last.
/// [profiles 3.1](spall_model::rules::profiles#3.1) [profiles 6.1](spall_model::rules::profiles#6.1)
#[cfg(feature = "alloc")]
fn recognise_weak(data: &[u8]) -> Option<Format> {
    // As much as is there of any file, however it is read.
    const HEAD: usize = 64 << 10;
    let data = data.get(..HEAD).unwrap_or(data);
    if is_profile(data) {
        return Some(Format::Pprof);
    }
    is_folded(data).then_some(Format::Folded)
}

/// Recognises formats by what their parsers make of the first bytes. Nothing has the format of a parser that is off.
#[cfg(feature = "alloc")]
mod unmarked {
    #[cfg(feature = "apitrace")]
    pub(super) use spall_format::apitrace::is_recording;
    #[cfg(feature = "perfetto")]
    pub(super) use spall_format::ftrace::is_ftrace;
    #[cfg(feature = "profiles")]
    pub(super) use spall_format::{
        callgrind::is_callgrind, folded::is_folded, perf_script::is_perf_script, pprof::is_profile,
    };

    #[cfg(not(feature = "apitrace"))]
    pub(super) use never as is_recording;
    #[cfg(not(feature = "perfetto"))]
    pub(super) use never as is_ftrace;
    #[cfg(not(feature = "profiles"))]
    pub(super) use {
        never as is_callgrind, never as is_folded, never as is_perf_script, never as is_profile,
    };

    #[cfg(not(all(feature = "apitrace", feature = "perfetto", feature = "profiles")))]
    pub(super) fn never(_: &[u8]) -> bool {
        false
    }
}

/// How sure it is that bytes have the format that they seem to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// The bytes cannot be anything else.
    Certain,
    /// The bytes may also be a brotli stream.
    Likely,
}

/// Recognises a format from the first bytes of uncompressed content. Returns `None` for no format with a mark of its own.
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
    #[cfg(feature = "alloc")]
    match spall_format::otlp::signal(data) {
        Some(Signal::Spans) => return Some((Format::Otlp, Certain)),
        // They look like traces of Perfetto, and are named instead.
        Some(_) => return None,
        None => {}
    }
    if perfetto::is_trace(data) {
        return Some((Format::Perfetto, Certain));
    }
    #[cfg(feature = "alloc")]
    match spall_json::json_profile(data) {
        Some(JsonProfile::Firefox) => return Some((Format::Firefox, Certain)),
        Some(JsonProfile::Speedscope) => return Some((Format::Speedscope, Certain)),
        Some(JsonProfile::Dhat) => return Some((Format::Dhat, Certain)),
        Some(JsonProfile::HeapProfile) => return Some((Format::HeapProfile, Certain)),
        _ => {}
    }
    #[cfg(feature = "alloc")]
    match spall_json::service_json(data) {
        Some(ServiceJson::Otlp) => return Some((Format::OtlpJson, Certain)),
        Some(ServiceJson::Jaeger) => return Some((Format::Jaeger, Certain)),
        Some(ServiceJson::Zipkin) => return Some((Format::Zipkin, Certain)),
        _ => {}
    }
    #[cfg(feature = "alloc")]
    if is_ftrace(data) {
        return Some((Format::Ftrace, Certain));
    }
    #[cfg(feature = "alloc")]
    if is_callgrind(data) {
        return Some((Format::Callgrind, Certain));
    }
    #[cfg(feature = "alloc")]
    if is_perf_script(data) {
        return Some((Format::PerfScript, Certain));
    }
    if spall_json::is_cpu_profile(data) {
        return Some((Format::CpuProfile, Certain));
    }
    // An array or an object, behind blanks, comments and a byte order mark. Only the bracket and what follows it together are
    // certain, because a brotli stream may begin with a bracket too.
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let (bracket, rest) = behind_comments(text).split_first()?;
    let is_certain = match (bracket, rest.trim_ascii_start().first()) {
        (b'[', next) => matches!(next, None | Some(b'{' | b']')),
        (b'{', next) => matches!(next, None | Some(b'"' | b'}')),
        _ => return None,
    };
    Some((Format::TraceEventJson, if is_certain { Certain } else { Likely }))
}

/// Returns what follows the blanks and comments at the start of a text.
fn behind_comments(text: &[u8]) -> &[u8] {
    let mut rest = text.trim_ascii_start();
    loop {
        let (end, comment): (&[u8], _) = match rest {
            [b'/', b'/', comment @ ..] => (b"\n", comment),
            [b'/', b'*', comment @ ..] => (b"*/", comment),
            _ => return rest,
        };
        let Some(at) = comment.windows(end.len()).position(|bytes| bytes == end) else { return b"" };
        rest = comment.get(at + end.len()..).unwrap_or_default().trim_ascii_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tools keep them in files and compare them.
    #[test]
    fn names_of_formats_stay_the_same() {
        let named = [
            (Format::Spall { version: 0 }, "spall-v0"),
            (Format::Spall { version: 1 }, "spall-v1"),
            (Format::Spall { version: 3 }, "spall-v3"),
            (Format::Spall { version: 9 }, "spall"),
            (Format::SpallAuto, "spall-auto"),
            (Format::TraceEventJson, "trace-event-json"),
            (Format::CpuProfile, "cpuprofile"),
            (Format::Heph, "heph"),
            (Format::Apitrace, "apitrace"),
            (Format::Perfetto, "perfetto"),
            (Format::Firefox, "firefox"),
            (Format::Speedscope, "speedscope"),
            (Format::Dhat, "dhat"),
            (Format::HeapProfile, "heapprofile"),
            (Format::Otlp, "otlp"),
            (Format::OtlpJson, "otlp-json"),
            (Format::Jaeger, "jaeger"),
            (Format::Zipkin, "zipkin"),
            (Format::Ftrace, "ftrace"),
            (Format::Callgrind, "callgrind"),
            (Format::PerfScript, "perf-script"),
            (Format::Pprof, "pprof"),
            (Format::Folded, "folded"),
        ];
        for (format, name) in named {
            assert_eq!(format.name(), name);
        }
    }

    #[test]
    fn json_is_recognised_by_its_bracket_whatever_follows() {
        let behind_comments = ["// a\n[{", "/* { */ // b\n {\"a\":1}"];
        for data in ["[", "{", " [{", "{\"a\":1}", "[,{", "[1,", "\u{feff}[]", "{ph:"]
            .into_iter()
            .chain(behind_comments)
        {
            assert_eq!(detect(data.as_bytes()), Some(Format::TraceEventJson), "{data}");
        }
        for data in ["", " ", "hello", "\"[\"", "// [", "/* ["] {
            assert_eq!(detect(data.as_bytes()), None, "{data}");
        }
    }

    /// Brackets mark JSON and `at` marks snappy, but not if every line is a stack. [profiles 6.1]
    #[cfg(feature = "profiles")]
    #[test]
    fn folded_stacks_may_begin_with_the_mark_of_another_format() {
        for data in ["at;b 1\nat 2\n", "[unknown];a 3\n[b] 4\n", "{closure};b 1\n", "/* a */;b 1"] {
            assert_eq!(detect(data.as_bytes()), Some(Format::Folded), "{data}");
        }
        assert_eq!(detect(b"[1,\n2 3\n]"), Some(Format::TraceEventJson));
    }
}
