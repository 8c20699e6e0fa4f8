//! The command, as a user runs it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "test code outside of test functions")]

mod arguments;
mod commands;
mod doors;
mod follow;
mod groups;
mod hostile_text;
mod in_terminal;
mod mistakes;
mod nothing;
mod outputs;
mod sections;
mod serve;
#[cfg(feature = "tui")]
mod tui;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A folder of one test, in which the command runs.
struct Folder(PathBuf);

/// What the command printed, and its status.
#[derive(Debug, PartialEq)]
struct Ran {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file of the folder.
    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.0.join(name), content).unwrap();
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spall"));
        command.args(arguments).current_dir(&self.0);
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.command(arguments).output().unwrap())
    }

    /// Runs the command with a standard input.
    fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        run_with(&mut self.command(arguments), input)
    }

    /// Runs the command, which succeeds and says nothing on the error stream. Returns what it prints.
    fn prints(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{arguments:?}");
        ran.out
    }

    /// Runs the command, which prints nothing but the sentence.
    fn fails(&self, arguments: &[&str], sentence: &str) {
        let expected = Ran { status: Some(1), out: String::new(), err: format!("error: {sentence}\n") };
        assert_eq!(self.run(arguments), expected, "{arguments:?}");
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn run_with(command: &mut Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    ran(child.wait_with_output().unwrap())
}

fn ran(output: std::process::Output) -> Ran {
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    Ran { status: output.status.code(), out, err }
}

/// A file of `testdata`.
fn testdata(path: &str) -> String {
    format!("{}/../testdata/{path}", env!("CARGO_MANIFEST_DIR"))
}

/// A trace of one slice.
const TRACE: &str = r#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}]"#;
