//! A viewer of profiler traces in the terminal. The key `?` lists its keys, and `--help` its arguments.

mod boxes;
mod colors;
mod flame;
mod functions;
mod live;
mod timeline;
mod viewer;

use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::{event, execute};
use spall_trace::model::{Trace, TraceView};

use crate::viewer::Viewer;

const USAGE: &str = "\
Usage: spall-terminal FILE
       spall-terminal --follow FILE
       spall-terminal --self
";

const HELP: &str = "\
Arguments:
  FILE           A trace of any format that `spall --help` lists

Options:
      --follow   Show a file that is being written, as it grows
      --self     Show the viewer itself at work
  -h, --help     Print help
  -V, --version  Print version

The key `?` lists all keys, and `q` or Ctrl-C ends the viewer.
";

/// What the arguments ask for.
enum Command<'a> {
    Show(&'a Path),
    Follow(&'a Path),
    ShowItself,
    Print(String),
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let command = match command(&arguments) {
        Ok(command) => command,
        Err(wrong) => {
            tell(&format!("error: {wrong}"));
            tell(USAGE.trim_end());
            return ExitCode::from(2);
        }
    };
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Reads the arguments. What is wrong with them is said.
fn command(arguments: &[OsString]) -> Result<Command<'_>, String> {
    let is = |argument: &OsString, names: &[&str]| names.iter().any(|name| argument == name);
    let is_option = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-");
    match arguments {
        [option] if is(option, &["-h", "--help"]) => Ok(Command::Print(format!("{USAGE}\n{HELP}"))),
        [option] if is(option, &["-V", "--version"]) => {
            Ok(Command::Print(format!("spall-terminal {}\n", env!("CARGO_PKG_VERSION"))))
        }
        [option] if is(option, &["--self"]) => Ok(Command::ShowItself),
        [option, file] | [file, option] if is(option, &["--follow"]) => Ok(Command::Follow(file.as_ref())),
        [option, file] if is(option, &["--"]) => Ok(Command::Show(file.as_ref())),
        [file] if !is_option(file) => Ok(Command::Show(file.as_ref())),
        _ => match arguments.iter().find(|argument| is_option(argument) && !is(argument, &["--follow"])) {
            Some(option) => Err(format!("{}: there is no such option.", option.display())),
            None => Err("give one file.".to_owned()),
        },
    }
}

/// Does what the arguments ask for. An error is a sentence.
fn run(command: Command<'_>) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Print(text) => match io::stdout().write_all(text.as_bytes()) {
            // Whoever reads the output has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        },
        Command::ShowItself => in_terminal(live::show_itself),
        Command::Follow(path) => {
            let file = File::open(path).map_err(|error| reading(path, &error))?;
            in_terminal(|terminal| {
                live::follow(terminal, file).map_err(|error| format!("{}: {error}.", path.display()).into())
            })
        }
        Command::Show(path) => {
            let file = spall_trace::load_file(path).map_err(|error| match error {
                spall_trace::Error::Io(error) => reading(path, &error),
                error => format!("{}: {error}.", path.display()),
            })?;
            in_terminal(|terminal| show(terminal, file))
        }
    }
}

/// Shows a trace until the user has seen enough.
fn show(terminal: &mut DefaultTerminal, file: Trace) -> Result<(), Box<dyn Error>> {
    let values = file.sample_values();
    let names = values.iter().map(|value| file.name(value.name).into_owned()).collect();
    // The other values are in the file alone.
    let kept = (values.len() > 1).then(|| file.clone());
    let (mut trace, mut layout) = spall_trace::lay_out(file);
    let (mut viewer, mut shown) = (Viewer::new(&trace, names), 0);
    loop {
        terminal.draw(|frame| viewer.draw(frame, &trace, &layout))?;
        if !viewer.handle(&event::read()?, &trace, &layout) {
            return Ok(());
        }
        let mut is_new = false;
        if let Some(file) = kept.as_ref().filter(|_| viewer.value() != shown) {
            shown = viewer.value();
            let value = shown.checked_sub(1).and_then(|value| values.get(value));
            (trace, layout) = spall_trace::lay_out(file.clone().with_value(value.map(|value| value.name)));
            viewer.show_value(&trace);
            is_new = true;
        }
        if let Some(hidden) = viewer.hides(&trace) {
            layout = hidden.layout(&trace);
            is_new = true;
        }
        if is_new {
            viewer.lay_out(&trace, &layout);
        }
    }
}

/// Returns what is wrong with a file that cannot be read.
fn reading(path: &Path, error: &io::Error) -> String {
    let file = path.display();
    match error.kind() {
        ErrorKind::NotFound => format!("{file}: there is no such file. Check the name and the folder."),
        ErrorKind::PermissionDenied => format!("{file}: you may not read this file."),
        _ => format!("{file}: the file cannot be read: {error}."),
    }
}

/// Gives the terminal to `show`, and puts it back as it was.
fn in_terminal(
    show: impl FnOnce(&mut DefaultTerminal) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    if !io::stdout().is_terminal() {
        return Err(
            "there is no terminal to show the trace in. Run the viewer in one, without a pipe.".into()
        );
    }
    let shown = ratatui::try_init().map_err(Box::from).and_then(|mut terminal| {
        execute!(io::stdout(), EnableMouseCapture)?;
        show(&mut terminal)
    });
    // Nobody can be told when the terminal takes nothing any more.
    _ = execute!(io::stdout(), DisableMouseCapture);
    _ = ratatui::try_restore();
    shown.map_err(|error| match error.downcast::<io::Error>() {
        Ok(error) => {
            // What the system says, without its number.
            let words = error.to_string();
            let words = words.split_once(" (os error").map_or(&*words, |(words, _)| words);
            format!("the terminal cannot be used: {}.", words.to_lowercase()).into()
        }
        Err(error) => error,
    })
}

/// Says lines on the error stream. A terminal obeys nothing of the names in them.
fn tell(lines: &str) {
    let shown = |c: char| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c };
    // Nobody can be told when that fails.
    _ = writeln!(io::stderr(), "{}", lines.chars().map(shown).collect::<String>());
}
