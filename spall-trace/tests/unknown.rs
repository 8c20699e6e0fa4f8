//! A file of which nothing is recognised is an error that says what it seems to be.

use std::{
    fs,
    io::Read,
    path::Path,
    time::{Duration, Instant},
};

use spall_synth::{apitrace, gzip};
use spall_trace::{Error, Format, Loader, detect, load, load_from};

/// Returns the message with which every way to load `data` fails.
fn error(data: &[u8]) -> String {
    let errors = [
        load(data).map(drop),
        load_from(data).map(drop),
        Loader::new().on_all_cores().load(data).map(drop),
        Loader::new().read_events(data, |_, _| {}),
    ];
    let [first, rest @ ..] = errors.map(|error| {
        let error = error.unwrap_err();
        assert!(matches!(error, Error::UnknownFormat { .. }), "{error:?}");
        error.to_string()
    });
    assert!(rest.iter().all(|message| *message == first), "{first} {rest:?}");
    first
}

#[test]
fn what_is_no_trace_is_named() {
    let tar = [&[b'a'; 257][..], b"ustar\0"].concat();
    let gperftools = [[0_u64, 3, 0, 10_000, 0].map(u64::to_le_bytes).concat(), vec![1; 40]].concat();
    for (data, found) in [
        (&b""[..], "empty"),
        (&gperftools, "an older kind of profile of gperftools; `pprof -proto` converts it"),
        (b" \n", "empty"),
        (b"hello\n", "text"),
        (b"\x80\x81\x82 \xfe", "binary data"),
        (&[0; 100], "nothing but zeros"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (
            b"PERFILE2\x68\0\0\0",
            "a perf.data file; `perf script` prints it as text, and `samply import` converts it",
        ),
        (b"FLR\0\0\x02\0\x01", "a recording of Java's Flight Recorder; `jfrconv -o pprof` converts it"),
        (
            b"Nettrace\x14\0\0\0!FastSerialization.1",
            "a .nettrace file of .NET; `dotnet-trace convert --format Speedscope` converts it",
        ),
        (b"SQLite format 3\0\x10\0", "an SQLite database, as Nsight Systems and rocprof write it"),
        (
            b"MMPD\x09\0\0\0",
            "a profile that rustc has made of itself; `crox` converts it to Trace Event JSON",
        ),
        (b"go 1.22 trace\0\0\0\x01", "an execution trace of Go; `go tool trace` shows it"),
        (
            b"\x03\0\x01\0\x03\0\0\0\x00\xca\x9a\x3b\0\0\0\0\0\0",
            "a log of XRay; `llvm-xray convert --output-format=trace_event` converts it",
        ),
        (b"1000 1700000052.321000 openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 3\n", "what strace prints"),
        (
            b"\tSun Aug  6 14:50 2023 Time and Allocation Profiling Report  (Final)\n",
            "a profile of a program in Haskell; `inferno-collapse-ghcprof` writes folded stacks",
        ),
        (b"desc: --time-unit=B\ncmd: ./a\ntime_unit: B\n", "a heap profile of Massif; `ms_print` prints it"),
        (b"{\"dhatFileVersion\":2}", "a JSON object with the keys \"dhatFileVersion\""),
        (
            b"# callgrind format\nversion: 1\n",
            "text of Callgrind or Xdebug without `events:`, or damaged in front of the first function",
        ),
        (
            b"# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:8\n",
            "text of ftrace without events that are read",
        ),
        (
            b"# tracer: function_graph\n#\n",
            "text of ftrace's tracer function_graph, whose calls are not read",
        ),
        (b"\x17\x08\x44tracing6\0", "a trace.dat file of trace-cmd; `trace-cmd report` prints it as text"),
        (
            b"[16:35:15.123456789] (+0.000001) host sched_wakeup: { cpu_id = 0 }, { pid = 1 }\n",
            "what `babeltrace2` prints of a trace in the Common Trace Format, which is not read",
        ),
        (b"\xfd7zXZ\0\0", "a file that is compressed with xz; unpack it first"),
        (b"BZh91AY", "a file that is compressed with bzip2; unpack it first"),
        (&tar, "a tar archive; unpack it first"),
        (b"\xff\xfeh\0i\0", "text in UTF-16 whose content is text"),
        (
            b"heap profile: 1: 2 [3: 4] @ heap_v2/1",
            "an older kind of profile of gperftools; `pprof -proto` converts it",
        ),
        (b"{}", "a JSON object without keys"),
        (b"{\"hello\":1,\"w\\u00f6rld\":[2]}", "a JSON object with the keys \"hello\", \"w\u{f6}rld\""),
        (
            b"{\"nodes\":[{\"id\":1,\"name\":\"a\"}],\"links\":[]}",
            "a JSON object with the keys \"nodes\", \"links\"",
        ),
        (
            b"\x0a\x1e\x12\x09/host:CPU\x1a\x11\x08\x07\x12\x06python\x22\x05\x08\x01\x18\x80\x01",
            "an XSpace of JAX or TensorFlow",
        ),
        (
            b"\x0a\x1a\x0a\x18\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop",
            "data of OpenTelemetry in protocol buffers",
        ),
        (b"\nthis\nis an unknown\nformat\n", "text"),
        (b"[1,2,3]", "a JSON array without trace events"),
        (b"[{\"a\":1},{\"b\":2}]", "a JSON array without trace events"),
        (b"[{\"ph\":7.1},{\"ph\":6.9}]", "a JSON array without trace events"),
        (b"{\"resourceSpans\":[]}", "OTLP in which no span has a time"),
        (b"{\"data\":[],\"total\":0,\"limit\":0}", "a document of Jaeger without spans"),
    ] {
        assert_eq!(error(data), format!("not a trace of any supported format, but {found}"), "{data:?}");
    }
}

#[test]
fn the_keys_of_a_long_object_are_not_all_named() {
    let keys: Vec<String> = (0..9).map(|key| format!("\"key{key}\":{key}")).collect();
    let message = error(format!("{{{}}}", keys.join(",")).as_bytes());
    assert!(message.ends_with("\"key4\", \"key5\" and more"), "{message}");
}

/// Keys are bytes of the file, written as they are or as escapes, and may be of any length.
#[test]
fn a_terminal_obeys_no_key_that_is_named() {
    let message = error(b"{\"\\u001b]0;TITLE\\u0007\":1,\"k\x1b[31m\":2}");
    assert!(message.ends_with(r#"the keys "\u{1b}]0;TITLE\u{7}", "k\u{1b}[31m""#), "{message}");
    let message = error(format!("{{\"{}\":1}}", "ü".repeat(1000)).as_bytes());
    assert!(message.ends_with(&format!("the keys \"{}…\"", "ü".repeat(64))), "{message}");
}

#[test]
fn zeros_are_nothing_however_many() {
    for size in [1, 2, 3, 1 << 10, 300 << 10, 1 << 20] {
        let zeros = vec![0; size];
        assert_eq!(detect(&zeros), None, "{size}");
        assert!(error(&zeros).ends_with("zeros"), "{size}");
    }
}

#[cfg(feature = "gzip")]
#[test]
fn a_compressed_file_is_looked_into() {
    let message = error(&gzip::member(b"hello"));
    assert_eq!(message, "not a trace of any supported format, but a compressed file whose content is text");
    let message = error(&gzip::zip(&[("read.me", b"hello")]));
    assert_eq!(message, "not a trace of any supported format, but a compressed file whose content is text");
    let message = error(&gzip::member(b"{\"hello\":1}"));
    assert!(message.ends_with("whose content is a JSON object with the keys \"hello\""), "{message}");
}

#[test]
fn a_trace_without_events_is_a_trace() {
    for data in [
        &b"[]"[..],
        b"[",
        b"{\"traceEvents\":[]}",
        b"{\"traceEvents\":[1]}",
        b"[{\"ph\":\"?\"}]",
        b"[1,{\"ph\":\"B\",\"ts\":1}]",
    ] {
        assert!(load(data).is_ok(), "{data:?}");
        assert!(load_from(data).is_ok(), "{data:?}");
    }
    assert!(load(&apitrace::game(1)).is_ok());
}

/// Folders with settings, headers, documentation and fonts, which any system has.
const FOLDERS: [&str; 7] = [
    "/etc",
    "/usr/include",
    "/usr/share/doc",
    "/usr/share/fonts",
    "/usr/share/misc",
    "/usr/share/zoneinfo",
    "/usr/lib/python3",
];

/// Calls something with each file in a folder, until it is late.
fn each_file(folder: &Path, until: Instant, see: &mut impl FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        match () {
            () if Instant::now() > until => return,
            () if kind.is_dir() => each_file(&entry.path(), until, see),
            () if kind.is_file() => see(&entry.path()),
            () => {}
        }
    }
}

#[test]
fn the_files_of_a_system_are_no_traces() {
    let (mut n_files, mut opened) = (0, Vec::new());
    for folder in FOLDERS {
        let until = Instant::now() + Duration::from_secs(3);
        each_file(Path::new(folder), until, &mut |path| {
            let Ok(file) = fs::File::open(path) else { return };
            let mut head = Vec::new();
            if file.take(64 << 10).read_to_end(&mut head).is_err() {
                return;
            }
            n_files += 1;
            // JSON is recognised by its bracket, whatever it is about.
            match detect(&head) {
                None | Some(Format::TraceEventJson) => {}
                Some(format) => opened.push(format!("{}: {format}", path.display())),
            }
        });
    }
    if n_files == 0 {
        return spall_testdata::skipped("the folders of a system, such as /etc");
    }
    assert!(opened.is_empty(), "of {n_files}: {opened:#?}");
}
