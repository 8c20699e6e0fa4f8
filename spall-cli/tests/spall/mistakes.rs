//! What users do wrong, each with the sentence that they are told.

use std::{fs, time::Instant};

use spall_synth::gzip::zip as zip_of;

use crate::{Folder, Ran, TRACE, testdata};

const FORMATS: &str = "`spall --help` lists the formats.";

/// Checks what is said about a file with some content.
fn check(test: &str, file: &str, content: impl AsRef<[u8]>, found: &str) {
    let folder = Folder::new(test).with(file, content);
    for command in [
        ["info", file].as_slice(),
        &["convert", file, "out.json"],
        &["render", file, "a.svg"],
        &["dump", file],
    ] {
        folder
            .fails(command, &format!("{file}: not a trace of any supported format, but {found}. {FORMATS}"));
    }
    assert_eq!(folder.names(), [file], "nothing is written");
}

#[test]
fn missing_file() {
    let sentence = "missing.json: there is no such file. Check the name and the folder.";
    for command in [
        ["info", "missing.json"].as_slice(),
        &["convert", "missing.json", "a.spall"],
        &["dump", "missing.json"],
    ] {
        Folder::new("missing_file").fails(command, sentence);
    }
}

#[test]
fn folder_without_files() {
    Folder::new("folder")
        .fails(&["info", "."], ".: there is no file in this folder. Give a trace, or a folder of traces.");
}

#[test]
fn folder_without_traces() {
    let ran = Folder::new("folder_without_traces").with("a.txt", "hello").run(&["info", "."]);
    let said = "./a.txt: left out: not a trace of any supported format, but text\n\
                error: .: there is no trace among these files. `spall --help` lists the formats.\n";
    assert_eq!(ran, Ran { status: Some(1), out: String::new(), err: said.into() });
}

#[test]
fn folder_where_one_file_is_needed() {
    let folder = Folder::new("folder_of_two").with("a.json", TRACE).with("b.json", TRACE);
    folder.fails(&["dump", "."], ".: these are 2 files, and only one can be read here. Name one of them.");
}

#[test]
fn pattern_without_files() {
    Folder::new("pattern")
        .fails(&["info", "*.json"], "*.json: no file matches this pattern. Check the name and the folder.");
}

#[test]
fn empty_file() {
    check("empty", "empty.json", "", "empty");
}

#[test]
fn text() {
    check("text", "notes.txt", "Remember the milk.\n", "text");
}

#[test]
fn png() {
    check("png", "picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture");
}

#[test]
fn array_of_numbers() {
    check("array", "array.json", "[1,2,3]", "a JSON array without trace events");
}

#[test]
fn object_of_something_else() {
    check("object", "object.json", r#"{"hello":1}"#, "a JSON object with the keys \"hello\"");
}

#[test]
fn zip() {
    let text: (&str, &[u8]) = ("notes.txt", b"Remember the milk.");
    check("zip", "notes.zip", zip_of(&[text]), "a compressed file whose content is text");
    // A trace that is the only file of its archive is read.
    let folder = Folder::new("zip_trace").with("trace.zip", zip_of(&[("trace.json", TRACE.as_bytes())]));
    assert!(folder.prints(&["info", "trace.zip"]).contains("slices          1\n"));
    let folder = Folder::new("zip_two").with("two.zip", zip_of(&[("trace.json", TRACE.as_bytes()), text]));
    let error = folder.run(&["info", "two.zip"]).err;
    let sentence = "error: two.zip: this archive has several files; unpack it and open one of them (at byte ";
    // No other copy of it would be read.
    assert!(error.starts_with(sentence) && error.ends_with(").\n"), "{error}");
}

#[test]
fn xz() {
    check("xz", "trace.json.xz", b"\xfd7zXZ\0\0\x04", "a file that is compressed with xz; unpack it first");
}

#[test]
fn bz2() {
    check("bz2", "trace.json.bz2", b"BZh91AY&SY", "a file that is compressed with bzip2; unpack it first");
}

#[test]
fn utf_16() {
    let utf_16 = |text: &str| {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect::<Vec<_>>()
    };
    check("utf_16", "notes.txt", utf_16("Remember the milk."), "text in UTF-16 whose content is text");
    // A trace in UTF-16 is a trace.
    let folder = Folder::new("utf_16_trace").with("trace.json", utf_16(TRACE));
    assert!(folder.prints(&["info", "trace.json"]).contains("slices          1\n"));
}

#[test]
fn zeros_of_100_bytes() {
    check("zeros", "zeros", [0; 100], "nothing but zeros");
}

/// A sparse file, of which only the first bytes may be read.
fn zeros(test: &str, n_bytes: u64) {
    let folder = Folder::new(test);
    fs::File::create(folder.0.join("zeros")).unwrap().set_len(n_bytes).unwrap();
    let start = Instant::now();
    folder.fails(
        &["info", "zeros"],
        "zeros: not a trace of any supported format, but nothing but zeros. `spall --help` lists the formats.",
    );
    // Reading all of 3 GiB would take longer.
    assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
}

#[test]
fn zeros_of_200_mb() {
    zeros("zeros_200", 200 << 20);
}

#[test]
fn zeros_of_3_gib() {
    zeros("zeros_3072", 3 << 30);
}

#[test]
fn cut_gz() {
    let data = fs::read(testdata("recordings/threads-v3.spall.gz")).unwrap();
    let folder = Folder::new("cut_gz")
        .with("cut.spall.gz", &data[..data.len() / 2])
        .with("stub.spall.gz", &data[..12]);
    let ran = folder.run(&["convert", "cut.spall.gz", "out.json"]);
    // What can be read is read.
    let said = "cut.spall.gz: The file ends inside a record. The record is left out. (2 times, first at byte 9746)\n\
                cut.spall.gz: A begin has no end. The slice is kept as unfinished. (20 times, first at byte 1993)\n";
    assert_eq!(ran, Ran { status: Some(0), out: String::new(), err: said.into() });
    folder.fails(
        &["info", "stub.spall.gz"],
        "stub.spall.gz: nothing of the compressed file can be read, which is cut off (at byte 0xc). Get a whole copy of the file.",
    );
}

#[test]
fn version_that_is_not_read() {
    let firefox = r#"{"meta":{"interval":1,"startTime":0,"version":13},"threads":[]}"#;
    let folder = Folder::new("old_version").with("old.json", firefox);
    // Another copy would not help.
    folder.fails(
        &["info", "old.json"],
        "old.json: profiles of the Firefox Profiler are read from version 24 to 36, and this one has version 13; \
         profiler.firefox.com opens it and saves it as a newer one (at byte 0x0).",
    );
}

#[test]
fn cut_json() {
    let ran = Folder::new("cut_json").with("cut.json", &TRACE[..TRACE.len() - 1]).run(&[
        "convert",
        "cut.json",
        "out.spall",
    ]);
    let said = "cut.json: The end of the list of events, or of the whole document, is not marked. Everything up to there is read. (1 time, first at byte 58)\n";
    assert_eq!(ran, Ran { status: Some(0), out: String::new(), err: said.into() });
}

#[test]
fn unknown_end_of_a_name() {
    Folder::new("unknown_end").with("a.json", TRACE).fails(
        &["convert", "a.json", "out.xyz"],
        "out.xyz: this name does not say a format. End it with one of .json .spall .speedscope.json .firefox.json .pftrace .pb .folded \
         .nested.json, or give `--to FORMAT`.",
    );
}

#[test]
fn picture_that_cannot_be_drawn() {
    Folder::new("png_to_draw").with("a.json", TRACE).fails(
        &["render", "a.json", "x.png"],
        "x.png: only .svg and .html can be drawn. Give a name with one of these ends.",
    );
}

#[test]
fn unknown_option() {
    let ran = Folder::new("unknown_option").run(&["info", "--colour", "a.json"]);
    let said = "error: unexpected argument '--colour' found\n\n  tip: to pass '--colour' as a value, use '-- --colour'\n\n\
                Usage: spall info [OPTIONS] <FILE>...\n\nFor more information, try '--help'.\n";
    assert_eq!(ran, Ran { status: Some(2), out: String::new(), err: said.into() });
}

#[test]
fn folder_of_the_output_is_missing() {
    let folder = Folder::new("no_folder").with("a.json", TRACE);
    let sentence =
        |file| format!("{file}: there is no folder out. Make that folder, or give a name in another one.");
    folder.fails(&["convert", "a.json", "out/a.spall"], &sentence("out/a.spall"));
    folder.fails(&["render", "a.json", "out/a.html"], &sentence("out/a.html"));
}

#[test]
fn output_is_a_folder() {
    Folder::new("output_is_folder").with("a.json", TRACE).fails(
        &["convert", "--to", "spall", "a.json", "."],
        ".: this is a folder. Give the name of a file in it.",
    );
}

#[test]
fn output_is_the_input() {
    let folder = Folder::new("same").with("a.json", TRACE);
    folder.fails(
        &["convert", "a.json", "./a.json"],
        "./a.json: this is the input, which would be replaced. Give another name, or `--force` to replace it.",
    );
    assert_eq!(fs::read_to_string(folder.0.join("a.json")).unwrap(), TRACE);
    folder.prints(&["convert", "--force", "a.json", "./a.json"]);
    assert_ne!(fs::read_to_string(folder.0.join("a.json")).unwrap(), TRACE);
    assert!(folder.prints(&["info", "a.json"]).contains("slices          1\n"));
    assert_eq!(folder.names(), ["a.json"]);
}

#[test]
fn clocks_that_cannot_be_aligned() {
    let folder = Folder::new("clocks").with("a.json", TRACE).with("b.json", TRACE);
    let ways = "Give `--align start`, `--align event=NAME`, `--align offset=NANOSECONDS` or `--align keep`.";
    folder.fails(
        &["merge", "a.json", "b.json", "both.json"],
        &format!("b.json: nothing tells how its times relate to those of the first trace. {ways}"),
    );
    folder.fails(
        &["merge", "--align", "event=sync", "a.json", "b.json", "both.json"],
        &format!("b.json: the first trace and this one do not both have an event \"sync\". {ways}"),
    );
    let ran = folder.run(&["merge", "--align", "event=work", "a.json", "b.json", "both.json"]);
    let said = "a.json is the first trace, whose times are the axis\n\
                b.json is placed by an event that an earlier trace has too\n";
    assert_eq!(ran, Ran { status: Some(0), out: String::new(), err: said.into() });
}

/// A file that its reader may not read. The administrator of the machine may read any, so the command runs as another user.
#[cfg(unix)]
#[test]
fn file_without_permission_to_read() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    let folder = Folder::new("permission").with("a.json", TRACE);
    fs::set_permissions(folder.0.join("a.json"), fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = folder.command(&["info", "a.json"]);
    if fs::read(folder.0.join("a.json")).is_ok() {
        command.uid(65534);
    }
    let said = "error: a.json: you may not read this file. Its owner can allow it with `chmod +r`.\n";
    let expected = Ran { status: Some(1), out: String::new(), err: said.into() };
    assert_eq!(crate::ran(command.output().unwrap()), expected);
}

#[test]
fn trace_that_is_in_a_data_set_already() {
    let folder = Folder::new("data_set").with("a.json", TRACE).with("b.json", TRACE);
    assert_eq!(folder.run(&["convert", "a.json", "data/"]).err, "data/: added 1 of 1 traces\n");
    let ran = folder.run(&["convert", "a.json", "b.json", "data/"]);
    let said = "error: a.json: left out, as the data set has a trace t-a.json already. Rename the file to add it as another one.\n\
                data/: added 1 of 2 traces\n\
                error: data/: 1 of 2 files were not added, for the reasons above.\n";
    assert_eq!(ran, Ran { status: Some(1), out: String::new(), err: said.into() });
    let ran = folder.run_with(&["convert", "-", "data/"], TRACE.as_bytes());
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), "data/: added 1 of 1 traces\n"));
}

#[test]
fn output_that_nobody_reads() {
    let mut ran = Folder::new("closed").command(&["dump", &testdata("../spall-page/page/record.spall")]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = ran.stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_full() {
    let folder = Folder::new("full").with("a.json", TRACE);
    folder.fails(
        &["convert", "--to", "spall", "a.json", "/dev/full"],
        "/dev/full: the file cannot be written: no space left on device.",
    );
}
