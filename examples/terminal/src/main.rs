//! A viewer of profiler traces in the terminal. The key `?` lists its keys, and `--help` its arguments.

mod boxes;
mod colors;
mod flame;
mod functions;
mod keys;
mod live;
mod shown;
#[cfg(test)]
mod tests;
mod timeline;
mod viewer;

use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture, Event, MouseEvent, MouseEventKind};
use ratatui::crossterm::{event, execute};
use spall_view::{Source, open};

use crate::{shown::Showing, viewer::Viewer};

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
                live::follow(terminal, path, file)
                    .map_err(|error| format!("{}: {error}.", path.display()).into())
            })
        }
        Command::Show(path) => {
            let file = File::open(path).map_err(|error| reading(path, &error))?;
            let source = Source { name: path.display().to_string(), read: file, offset: None };
            let opened =
                open(vec![source]).map_err(|error| format!("{}: {}.", path.display(), error.message))?;
            in_terminal(|terminal| show(terminal, Showing::new(opened)))
        }
    }
}

/// Shows a trace until the user has seen enough.
fn show(terminal: &mut DefaultTerminal, mut trace: Showing) -> Result<(), Box<dyn Error>> {
    let mut viewer = Viewer::new();
    loop {
        terminal.draw(|frame| viewer.draw(frame, &mut trace))?;
        // A pointer that only moves changes no picture.
        loop {
            let event = event::read()?;
            if !viewer.handle(&event, &mut trace) {
                return Ok(());
            }
            if !matches!(event, Event::Mouse(MouseEvent { kind: MouseEventKind::Moved, .. })) {
                break;
            }
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
