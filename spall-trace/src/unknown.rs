//! Says what a file is of which nothing can be read, as far as its first bytes tell.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use spall_format::{
    container::{Container, peek},
    otlp::{self, Signal},
};
use spall_json::json_args;
use spall_model::Value;

/// The formats that pprof had before protocol buffers. [profiles 3.1](spall_model::rules::profiles#3.1)
const OLD_PPROF: &str = "an older kind of profile of gperftools; `pprof -proto` converts it";

/// The text of ftrace in which nothing is read. It is recognised only with its parser.
pub(crate) const FTRACE: &str = match cfg!(feature = "perfetto") {
    true => "text of ftrace without events that are read",
    false => "text of ftrace, which needs the feature `perfetto` of spall-trace",
};

const TRACY: &str = "a trace of Tracy; `tracy-csvexport` lists its zones";
const RUSTC: &str = "a profile that rustc has made of itself; `crox` converts it to Trace Event JSON";
const CTF: &str = "a trace in the Common Trace Format, as LTTng writes it; `babeltrace2` prints it";
const LATENCY: &str = "a report of one of ftrace's tracers of latencies, which is not read";
/// What OpenTelemetry and its peers write beside spans. [otel 5.3](spall_model::rules::otel#5.3)
const NO_SPANS: &str = "OTLP in which no span has a time";
const METRICS: &str = "OTLP metrics, which hold no spans";
const LOGS: &str = "OTLP logs, which hold no spans";
const PROFILES: &str = "OTLP profiles, which hold no spans";
const ZIPKIN_1: &str = "spans of Zipkin in version 1 of its format, which is not read; version 2 is";
const CONSOLE: &str = "what is printed by OpenTelemetry's console exporter, not OTLP";
const JAEGER_MODEL: &str =
    "spans of Jaeger's old model in protobuf's JSON, which is not read; the JSON of its API and its page is";
const INSTRUMENTS: &str = "what Instruments copies as text";
/// The text of Callgrind in which no list of events stands. It is recognised only with its parser.
pub(crate) const CALLGRIND: &str = match cfg!(feature = "profiles") {
    true => "text of Callgrind or Xdebug without `events:`, or damaged in front of the first function",
    false => "text of Callgrind or Xdebug, which needs the feature `profiles` of spall-trace",
};
const ANDROID: &str = "a method trace of Android's runtime; the Firefox Profiler shows it";
const STACKPROF: &str = "a profile of stackprof; `stackprof --stackcollapse` writes folded stacks";
const SAMPLE: &str = "what `sample` of macOS prints; `inferno-collapse-sample` writes folded stacks";
const GHC: &str = "a profile of a program in Haskell";
const VISUAL_STUDIO: &str =
    "a table of Visual Studio's profiler; `inferno-collapse-vsprof` writes folded stacks";
const XRAY: &str = "a log of XRay; `llvm-xray convert --output-format=trace_event` converts it";

/// The formats that other programs read, by the bytes that they have at a position.
const MARKS: &[(usize, &[u8], &str)] = &[
    (0, b"PERFILE2", "a perf.data file; `perf script` prints it as text, and `samply import` converts it"),
    (0, b"FLR\0", "a recording of Java's Flight Recorder; `jfrconv -o pprof` converts it"),
    (0, b"Nettrace", "a .nettrace file of .NET; `dotnet-trace convert --format Speedscope` converts it"),
    (0, b"JAVA PROFILE", "a heap dump of Java"),
    (0, b"SQLite format 3\0", "an SQLite database, as Nsight Systems and rocprof write it"),
    (0, b"\x17\x08\x44tracing", "a trace.dat file of trace-cmd; `trace-cmd report` prints it as text"),
    (0, b"# tracer: function_graph", "text of ftrace's tracer function_graph, whose calls are not read"),
    (0, b"# tracer: blk", "text of ftrace's tracer blk, which is not read"),
    (0, b"# tracer: mmiotrace", "text of ftrace's tracer mmiotrace, which is not read"),
    (0, b"# tracer: wakeup", LATENCY),
    (0, b"# tracer: irqsoff", LATENCY),
    (0, b"# tracer: preempt", LATENCY),
    (0, b"# tracer:", FTRACE),
    (0, b"tlZ\x04", TRACY),
    (0, b"tZst", TRACY),
    (0, b"tr\xfdP", TRACY),
    (0, b"2CRT", "a .utrace file of Unreal Insights"),
    (0, b"MMPD", RUSTC),
    (0, b"MMES", RUSTC),
    (0, b"MMSD", RUSTC),
    (0, b"MMSI", RUSTC),
    (0, b"\x10\0\x04FxT\x16\0", "a trace of Fuchsia (FXT), which Perfetto shows"),
    (0, b"\xc1\x1f\xfc\xc1", CTF),
    (0, b"\x57\x1d\xd1\x75", CTF),
    (0, b"/* CTF 1.", CTF),
    (0, b"memray\0", "a recording of memray; `memray flamegraph` draws it"),
    (0, b"v 10", "data of heaptrack; `heaptrack_print -F OUT.folded` writes folded stacks"),
    (0, b"hdrb", "an event log of a program in Haskell; `hs-speedscope` converts it"),
    (0, b"\x04\x08{", STACKPROF),
    (0, b"SLOW", ANDROID),
    (0, b"*version\n", ANDROID),
    (0, b"Analysis of sampling ", SAMPLE),
    (0, b"Sampling process ", SAMPLE),
    (0, b"Function Stack,", "a table of VTune; `inferno-collapse-vtune` writes folded stacks"),
    (0, b"\xef\xbb\xbfLevel,Function Name,", VISUAL_STUDIO),
    (0, b"Level,Function Name,", VISUAL_STUDIO),
    (
        0,
        b"CPU     ID                    FUNCTION:NAME",
        "what DTrace prints; `inferno-collapse-dtrace` writes folded stacks",
    ),
    (0, b"Weight\tSelf Weight\t", INSTRUMENTS),
    (0, b"Bytes Used\tCount\t", INSTRUMENTS),
    (0, b"Running Time\tSelf ", INSTRUMENTS),
    (0, b"Attaching ", "what bpftrace prints; `stackcollapse-bpftrace.pl` writes folded stacks"),
    (0, b"# ninja log v", "a log of Ninja; `ninjatracing` converts it to Trace Event JSON"),
    (0, b"# callgrind format", CALLGRIND),
    (0, b"version: 1\ncreator: ", CALLGRIND),
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

/// The formats that other programs read, by two texts among the first lines.
const TEXTS: &[([&[u8]; 2], &str)] = &[
    ([b"go 1.", b" trace\0\0"], "an execution trace of Go; `go tool trace` shows it"),
    (
        [b"Time and Allocation Profiling Report", b""],
        "a profile of a program in Haskell; `inferno-collapse-ghcprof` writes folded stacks",
    ),
    (
        [b"<trace-query-result>", b""],
        "what `xctrace export` writes; `inferno-collapse-xctrace` writes folded stacks",
    ),
    ([b"desc: ", b"\ntime_unit: "], "a heap profile of Massif; `ms_print` prints it"),
    ([b"desc: ", b"\nevents: "], CALLGRIND),
    ([b"@ ", b" samples]\n"], "a call graph of pmcstat"),
    (
        [b"N\0T\0 \0K\0e\0r\0n\0e\0l\0 \0L\0o\0g\0", b""],
        "an event trace log of Windows (ETL); `samply import` converts it",
    ),
    (
        [b"] (+", b": { cpu_id = "],
        "what `babeltrace2` prints of a trace in the Common Trace Format, which is not read",
    ),
    ([b" log opened (PC)", b":START:"], "a log of Papyrus' profiler"),
];

/// The keys by which JSON documents of other formats are recognised: all of them are keys of the document.
const DOCUMENTS: &[(&[&str], &str)] = &[
    (&["resourceSpans"], NO_SPANS),
    (&["resource_spans"], NO_SPANS),
    (&["batches"], NO_SPANS),
    (&["resourceMetrics"], METRICS),
    (&["resource_metrics"], METRICS),
    (&["resourceLogs"], LOGS),
    (&["resource_logs"], LOGS),
    (&["resourceProfiles"], PROFILES),
    (&["resource_profiles"], PROFILES),
    (&["traceId", "binaryAnnotations"], ZIPKIN_1),
    (&["context", "kind", "start_time"], CONSOLE),
    (&["traceId", "operationName", "startTime"], JAEGER_MODEL),
    (&["data", "total", "limit"], "a document of Jaeger without spans"),
    (&["snapshot", "strings"], "a heap snapshot of V8"),
    (&["log"], "an HTTP archive"),
    (&["version", "recording"], "a recording of Safari's timeline"),
    (&["mode", "gc_samples", "frames"], STACKPROF),
    (&["program", "rts_arguments"], GHC),
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
    if let Some(what) = describe_message(data).or_else(|| describe_text(data)) {
        return what.into();
    }
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data).trim_ascii_start();
    match text.first() {
        None => "empty".into(),
        Some(b'{') => describe_object(text),
        Some(b'[') => describe_array(text),
        Some(_) if data.iter().all(|&byte| byte == 0) => "nothing but zeros".into(),
        // A character at the end of the data may be cut.
        Some(_) => match core::str::from_utf8(data) {
            Ok(text) if !text.contains('\0') => "text".into(),
            Err(error) if error.error_len().is_none() && !data.contains(&0) => "text".into(),
            _ => "binary data".into(),
        },
    }
}

/// Returns what a file seems to be by what stands among its first lines.
fn describe_text(data: &[u8]) -> Option<&'static str> {
    let has = |text: &&[u8]| text.is_empty() || data.windows(text.len()).any(|part| part == *text);
    let found = TEXTS.iter().find(|(texts, _)| texts.iter().all(has)).map(|&(_, what)| what);
    found
        .or_else(|| is_xray(data).then_some(XRAY))
        .or_else(|| is_strace(data).then_some("what strace prints"))
}

/// Returns whether data begins with the head of a log of XRay, by its numbers: version, kind, flags, cycles in a second.
fn is_xray(data: &[u8]) -> bool {
    let Some((&[v0, v1, k0, k1, f0, f1, f2, f3, ref cycles @ ..], _)) = data.split_first_chunk::<16>() else {
        return false;
    };
    let version = u16::from_le_bytes([v0, v1]);
    let (kind, flags) = (u16::from_le_bytes([k0, k1]), u32::from_le_bytes([f0, f1, f2, f3]));
    let is_frequency = (1_000_000..100_000_000_000).contains(&u64::from_le_bytes(*cycles));
    (1..=5).contains(&version) && kind <= 1 && flags <= 3 && is_frequency
}

/// Returns whether the first line of a text is a system call with what it returned, behind numbers.
fn is_strace(data: &[u8]) -> bool {
    let line = data.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_number = |byte: &u8| byte.is_ascii_digit() || b" .:[]".contains(byte);
    let call =
        line.iter().position(|byte| !is_number(byte)).and_then(|at| line.get(at..)).unwrap_or_default();
    let name = call.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    name > 1 && call.get(name) == Some(&b'(') && call.windows(3).any(|part| part == b" = ")
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
    match otlp::signal(data) {
        Some(Signal::Metrics) => return Some(METRICS),
        Some(Signal::Logs) => return Some(LOGS),
        _ => {}
    }
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

/// Returns what a list of JSON seems to be, by the keys of its first object, which may lie in a list in the list.
fn describe_array(text: &[u8]) -> Cow<'static, str> {
    let is_outside = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'[' | b',' | b']');
    let first = text.iter().position(|byte| !is_outside(byte)).and_then(|at| text.get(at..));
    let known = first.filter(|first| first.starts_with(b"{")).and_then(of_keys);
    known.map_or("a JSON array without trace events".into(), Into::into)
}

/// Returns the message of the first error in an answer of Jaeger that has no data.
fn error_of_jaeger(text: &[u8]) -> Option<String> {
    let answer = json_args(text);
    let (Some(Value::Null), Some(Value::List(errors))) = (answer.get(b"data"), answer.get(b"errors")) else {
        return None;
    };
    match errors.iter().next()? {
        (_, Value::Map(error)) => Some(format!("{}", error.get(b"msg")?)),
        (_, error) => Some(format!("{error}")),
    }
}

/// Returns what the object at the start of a text seems to be, if its keys tell.
fn of_keys(text: &[u8]) -> Option<&'static str> {
    let keys: Vec<String> = spall_json::document_keys(text).map(|key| key.decode().into_owned()).collect();
    let has = |key: &&str| keys.iter().any(|found| found == key);
    DOCUMENTS.iter().find(|(wanted, _)| wanted.iter().all(has)).map(|&(_, what)| what)
}

/// Returns what a JSON document seems to be, by its first keys.
fn describe_object(text: &[u8]) -> Cow<'static, str> {
    if let Some(message) = error_of_jaeger(text) {
        return format!("an answer of Jaeger without spans: {}", shown(&message)).into();
    }
    if let Some(what) = of_keys(text) {
        return what.into();
    }
    let keys: Vec<String> = spall_json::document_keys(text).map(|key| key.decode().into_owned()).collect();
    if keys.is_empty() {
        return "a JSON object without keys".into();
    }
    let named = keys.iter().take(MAX_KEYS).map(|key| shown(key)).collect::<Vec<_>>();
    let more = if keys.len() > MAX_KEYS { " and more" } else { "" };
    format!("a JSON object with the keys {}{more}", named.join(", ")).into()
}
