//! Says what a file is of which nothing can be read, as far as its first bytes tell.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use spall_format::container::{Container, peek};

/// The formats that pprof had before protocol buffers. [profiles 3.1](spall_model::rules::profiles#3.1)
const OLD_PPROF: &str = "an older kind of profile of gperftools; `pprof -proto` converts it";

/// The text of ftrace in which nothing is read. It is recognised only with its parser.
pub(crate) const FTRACE: &str = match cfg!(feature = "perfetto") {
    true => "text of ftrace without events that are read",
    false => "text of ftrace, which needs the feature `perfetto` of spall-trace",
};

/// The formats that other programs read, by the bytes that they have at a position.
const MARKS: [(usize, &[u8], &str); 31] = [
    (0, b"PERFILE2", "a perf.data file; `perf script` prints it as text"),
    (0, b"FLR\0", "a recording of Java's Flight Recorder"),
    (0, b"Nettrace", "a .nettrace file of .NET"),
    (0, b"JAVA PROFILE", "a heap dump of Java"),
    (0, b"SQLite format 3\0", "an SQLite database, as Nsight Systems exports it"),
    (0, b"\x17\x08\x44tracing", "a trace.dat file of trace-cmd; `trace-cmd report` prints it as text"),
    (0, b"# tracer: function_graph", "text of ftrace's tracer function_graph, whose calls are not read"),
    (0, b"# tracer: blk", "text of ftrace's tracer blk, which is not read"),
    (0, b"# tracer: mmiotrace", "text of ftrace's tracer mmiotrace, which is not read"),
    (0, b"# tracer: wakeup", "a report of one of ftrace's tracers of latencies, which is not read"),
    (0, b"# tracer: irqsoff", "a report of one of ftrace's tracers of latencies, which is not read"),
    (0, b"# tracer: preempt", "a report of one of ftrace's tracers of latencies, which is not read"),
    (0, b"# tracer:", FTRACE),
    (0, b"PK\x03\x04", "a zip archive; unpack it first"),
    (0, b"\xfd7zXZ\0", "a file that is compressed with xz; unpack it first"),
    (0, b"BZh", "a file that is compressed with bzip2; unpack it first"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (257, b"ustar", "a tar archive; unpack it first"),
    (0, b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", OLD_PPROF),
    (0, b"\0\0\0\0\x03\0\0\0\0\0\0\0", OLD_PPROF),
    (0, b"heap profile:", OLD_PPROF),
    (0, b"--- heapz", OLD_PPROF),
    (0, b"--- contention", OLD_PPROF),
    (0, b"--- threadz", OLD_PPROF),
    (0, b"\x89PNG", "a PNG picture"),
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\x7fELF", "a program or a library"),
    (0, b"MZ", "a program or a library"),
    (0, b"<!DOCTYPE", "an HTML page"),
    (0, b"<html", "an HTML page"),
];

/// The keys by which JSON documents of other formats are recognised: all of them are keys of the document.
const DOCUMENTS: [(&[&str], &str); 5] = [
    (&["resourceSpans"], "spans of OpenTelemetry"),
    (&["data", "total", "limit"], "spans of Jaeger"),
    (&["head", "samples"], "a heap profile of V8"),
    (&["snapshot", "strings"], "a heap snapshot of V8"),
    (&["log"], "an HTTP archive"),
];

/// The number of bytes at the start of a file that are looked at.
pub(crate) const MAX_HEAD: usize = 4096;

/// The number of keys of a JSON document that are named.
const MAX_KEYS: usize = 6;

/// How much of a key is named.
const MAX_KEY_CHARS: usize = 64;

/// Returns what the file that begins with `data` seems to be, as the end of the sentence "it is …".
pub(crate) fn describe(data: &[u8]) -> Cow<'static, str> {
    let data = data.get(..MAX_HEAD).unwrap_or(data);
    match Container::detect(data).filter(|&container| container != Container::Snappy) {
        // The content of a container is not looked for in another one.
        Some(Container::Utf16) => {
            format!("text in UTF-16 whose content is {}", describe_content(&peek(Container::Utf16, data)))
                .into()
        }
        Some(container) => {
            format!("a compressed file whose content is {}", describe_content(&peek(container, data))).into()
        }
        None => describe_content(data),
    }
}

/// Returns what uncompressed content seems to be.
fn describe_content(data: &[u8]) -> Cow<'static, str> {
    let marked =
        |&&(at, mark, _): &&(usize, &[u8], _)| data.get(at..).is_some_and(|rest| rest.starts_with(mark));
    if let Some(&(_, _, what)) = MARKS.iter().find(marked) {
        return what.into();
    }
    if let Some(what) = describe_message(data) {
        return what.into();
    }
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data).trim_ascii_start();
    match text.first() {
        None => "empty".into(),
        Some(b'{') => describe_object(text),
        Some(b'[') => "a JSON array without trace events".into(),
        Some(_) if data.iter().all(|&byte| byte == 0) => "nothing but zeros".into(),
        // A character at the end of the data may be cut.
        Some(_) => match core::str::from_utf8(data) {
            Ok(text) if !text.contains('\0') => "text".into(),
            Err(error) if error.error_len().is_none() && !data.contains(&0) => "text".into(),
            _ => "binary data".into(),
        },
    }
}

/// The messages of protocol buffers that begin as traces of Perfetto do, by a text that they have.
const MESSAGES: [(&[u8], &str); 5] = [
    (b"/host:", "an XSpace of JAX or TensorFlow"),
    (b"/device:", "an XSpace of JAX or TensorFlow"),
    (b"Task Environment", "an XSpace of JAX or TensorFlow"),
    (b"service.name", "data of OpenTelemetry in protocol buffers"),
    (b"telemetry.sdk.", "data of OpenTelemetry in protocol buffers"),
];

/// Returns what a message of protocol buffers seems to be, if it has a text by which one is recognised.
fn describe_message(data: &[u8]) -> Option<&'static str> {
    let is_text = |&byte: &u8| byte >= b' ' || byte.is_ascii_whitespace();
    if !data.starts_with(b"\x0a") || data.iter().all(is_text) {
        return None;
    }
    let has = |text: &[u8]| data.windows(text.len()).any(|part| part == text);
    MESSAGES.iter().find(|(text, _)| has(text)).map(|&(_, what)| what)
}

/// Returns a key in quotes. A terminal obeys nothing of it, and it is as long as a line at most.
fn shown(key: &str) -> String {
    match key.char_indices().nth(MAX_KEY_CHARS) {
        Some((end, _)) => format!("{:?}", format!("{}…", key.get(..end).unwrap_or_default())),
        None => format!("{key:?}"),
    }
}

/// Returns what a JSON document seems to be, by its first keys.
fn describe_object(text: &[u8]) -> Cow<'static, str> {
    let keys: Vec<String> = spall_json::document_keys(text).map(|key| key.decode().into_owned()).collect();
    let has = |key: &&str| keys.iter().any(|found| found == key);
    if let Some((_, what)) = DOCUMENTS.iter().find(|(wanted, _)| wanted.iter().all(has)) {
        return (*what).into();
    }
    if keys.is_empty() {
        return "a JSON object without keys".into();
    }
    let named = keys.iter().take(MAX_KEYS).map(|key| shown(key)).collect::<Vec<_>>();
    let more = if keys.len() > MAX_KEYS { " and more" } else { "" };
    format!("a JSON object with the keys {}{more}", named.join(", ")).into()
}
