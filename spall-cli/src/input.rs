//! The traces that the command is given.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use spall_trace::{
    Alignment, Error as LoadError, Format, Loader, MergeInput, PlacedBy, Placement, merge_traces,
    model::{Limits, Trace, TraceView},
};

use crate::{
    error::{Error, Result},
    output::temporary_folder,
    session::Session,
};

/// What the standard input is called.
pub(crate) const STDIN: &str = "standard input";

/// The bytes by which a format is recognised: as many as the loader looks at.
const HEAD: u64 = 1 << 20;

/// The kinds of oddities of a file that are said unless the user asks for all.
const MAX_KINDS: usize = 8;

/// A file to read, or `-` for the standard input.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    /// Whether the user named a folder or a pattern, and not this file. Such a file need not be a trace.
    is_found: bool,
}

/// A trace with the name and the format of its file.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) format: Option<Format>,
    pub(crate) n_bytes: u64,
    pub(crate) trace: Trace,
}

/// Returns the files that arguments stand for. A folder stands for the files in it, and a pattern with `*`, `?` or `[` for
/// the files that it matches, unless there is a file of that name. Files come in the order of their names.
pub(crate) fn inputs(arguments: &[PathBuf]) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            inputs.extend(in_folder(argument)?);
            continue;
        }
        let pattern = argument.to_str().filter(|text| text.contains(['*', '?', '[']) && !argument.exists());
        let Some(pattern) = pattern else {
            inputs.push(Input { path: argument.clone(), is_found: false });
            continue;
        };
        let matches = glob::glob(pattern).map_err(|error| {
            Error::new(format_args!("{pattern}: the pattern is not valid: {}.", error.msg))
        })?;
        let before = inputs.len();
        let files = matches.flatten().filter(|path| !path.is_dir());
        inputs.extend(files.map(|path| Input { path, is_found: true }));
        if inputs.len() == before {
            return Err(Error::new(format_args!(
                "{pattern}: no file matches this pattern. Check the name and the folder."
            )));
        }
    }
    Ok(inputs)
}

/// Returns the files of a folder but those whose names begin with a dot.
fn in_folder(folder: &Path) -> Result<Vec<Input>> {
    let entries = folder.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| Error::reading(folder, &error))?;
    let is_shown = |path: &PathBuf| {
        path.is_file() && !path.file_name().unwrap_or_default().as_encoded_bytes().starts_with(b".")
    };
    let mut files: Vec<_> = entries.iter().map(|entry| entry.path()).filter(is_shown).collect();
    if files.is_empty() {
        let folder = folder.display();
        return Err(Error::new(format_args!(
            "{folder}: there is no file in this folder. Give a trace, or a folder of traces."
        )));
    }
    files.sort();
    Ok(files.into_iter().map(|path| Input { path, is_found: true }).collect())
}

/// Returns the one file that an argument stands for, for something that can only be done with one.
pub(crate) fn one(argument: &Path) -> Result<Input> {
    let mut inputs = inputs(&[argument.to_owned()])?;
    match (inputs.pop(), inputs.len()) {
        (Some(input), 0) => Ok(input),
        (_, n_others) => {
            let (argument, n) = (argument.display(), n_others + 1);
            Err(Error::new(format_args!(
                "{argument}: these are {n} files, and only one can be read here. Name one of them."
            )))
        }
    }
}

/// Returns the paths of the files, for what reads a file more than once or gives it to another program. The standard input
/// becomes a temporary file with the name of this stream.
pub(crate) fn on_disk(inputs: Vec<Input>) -> Result<Vec<PathBuf>> {
    inputs.into_iter().map(|input| if input.is_stdin() { stdin_on_disk() } else { Ok(input.path) }).collect()
}

fn stdin_on_disk() -> Result<PathBuf> {
    let folder = temporary_folder("spall-")?;
    let path = folder.join(STDIN);
    let copied = File::create(&path).and_then(|mut file| io::copy(&mut io::stdin().lock(), &mut file));
    copied.map_err(|error| Error::writing(&path, &error))?;
    Ok(path)
}

impl Input {
    pub(crate) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Loads the trace. A file that was found in a folder and is no trace is left out, with a line that says so.
    pub(crate) fn load(&self, session: &Session) -> Result<Option<Loaded>> {
        match self.read(session) {
            Ok(loaded) => Ok(Some(loaded)),
            Err(error @ LoadError::UnknownFormat { .. }) if self.is_found => {
                session.tell(format_args!("{}: left out: {error}", self.path.display()));
                Ok(None)
            }
            Err(error) => Err(Error::loading(&self.path, &error)),
        }
    }

    /// Loads the trace.
    pub(crate) fn load_or_fail(&self, session: &Session) -> Result<Loaded> {
        self.read(session).map_err(|error| Error::loading(&self.path, &error))
    }

    fn read(&self, session: &Session) -> std::result::Result<Loaded, LoadError> {
        let (source, n_bytes): (Box<dyn Read>, _) = if self.is_stdin() {
            (Box::new(io::stdin().lock()), 0)
        } else {
            let file = File::open(&self.path)?;
            let n_bytes = file.metadata()?.len();
            (Box::new(file), n_bytes)
        };
        let mut head = Vec::new();
        let bar = session.counting(
            format_args!("reading {}", self.path.display()),
            n_bytes,
            "{msg} {bytes} of {total_bytes} {bar:30}",
        );
        let mut source = bar.wrap_read(source);
        source.by_ref().take(HEAD).read_to_end(&mut head)?;
        let format = spall_trace::detect(&head);
        let trace = Loader::new().on_all_cores().load_from(head.chain(source))?;
        let path = if self.is_stdin() { STDIN.into() } else { self.path.clone() };
        Ok(Loaded { path, format, n_bytes: bar.position(), trace })
    }
}

impl Loaded {
    /// Returns the name of the file without its folder.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the name of the format; empty if the file has none.
    pub(crate) fn format_name(&self) -> &'static str {
        self.format.map_or("", Format::name)
    }

    /// Says what is odd about the file: a line for each of the first kinds, and with `-v` everything that is known.
    pub(crate) fn tell(&self, session: &Session) {
        let (file, diagnostics) = (self.path.display(), self.trace.diagnostics());
        let max_kinds = if session.verbose { usize::MAX } else { MAX_KINDS };
        for count in diagnostics.counts().iter().take(max_kinds) {
            session.tell(format_args!("{file}: {count}"));
        }
        let n_more = diagnostics.counts().len().saturating_sub(max_kinds);
        if n_more > 0 {
            session.tell(format_args!("{file}: and {n_more} more kinds of oddities, which `-v` lists"));
        }
        for report in diagnostics.kept().iter().filter(|_| session.verbose) {
            let (kind, bytes) = (report.kind, report.bytes);
            session.tell(format_args!("{file}: {kind} at bytes {} to {}", bytes.start, bytes.end));
        }
        if self.trace.is_empty_profile() {
            session.tell(format_args!("{file}: nothing was sampled"));
        } else if self.trace.bounds().is_none() {
            session.tell(format_args!("{file}: nothing that has a time is in this file"));
        }
    }
}

/// Loads one trace for something that can only be done with one.
pub(crate) fn load_one(argument: &Path, session: &Session) -> Result<Loaded> {
    let loaded = one(argument)?.load_or_fail(session)?;
    loaded.tell(session);
    Ok(loaded)
}

/// One trace of all that were given.
pub(crate) struct Opened {
    pub(crate) title: String,
    pub(crate) formats: String,
    pub(crate) trace: Trace,
    /// Where each of several traces was put on the axis of time, with its name.
    pub(crate) placements: Vec<(String, Placement)>,
}

impl Opened {
    /// Returns the first trace of which nothing tells where it belongs on the axis of time.
    pub(crate) fn unplaced(&self) -> Option<&(String, Placement)> {
        self.placements.iter().find(|(_, placement)| placement.by == PlacedBy::Nothing)
    }
}

/// Loads traces and puts them on one axis of time.
pub(crate) fn open(arguments: &[PathBuf], alignment: Alignment<'_>, session: &Session) -> Result<Opened> {
    let mut all = Vec::new();
    for input in inputs(arguments)? {
        if let Some(loaded) = input.load(session)? {
            loaded.tell(session);
            all.push(loaded);
        }
    }
    join(all, alignment, session).ok_or_else(|| nothing(arguments))
}

/// Returns the error for folders in which there is no trace.
pub(crate) fn nothing(arguments: &[PathBuf]) -> Error {
    let names: Vec<_> = arguments.iter().map(|path| path.display().to_string()).collect();
    Error::new(format_args!(
        "{}: there is no trace among these files. `spall --help` lists the formats.",
        names.join(", ")
    ))
}

/// Puts traces on one axis of time. Returns `None` if there are none.
fn join(mut all: Vec<Loaded>, alignment: Alignment<'_>, session: &Session) -> Option<Opened> {
    let join = |words: Vec<String>| words.join(", ");
    let title = join(all.iter().map(Loaded::name).collect());
    let formats = join(all.iter().map(|loaded| loaded.format_name().to_owned()).collect());
    if all.len() < 2 {
        let trace = all.pop()?.trace;
        return Some(Opened { title, formats, trace, placements: Vec::new() });
    }
    session.doing("merging");
    let names: Vec<_> = all.iter().map(Loaded::name).collect();
    // The first trace is the axis, however the others are put on it.
    let alignments = std::iter::once(Alignment::Auto).chain(std::iter::repeat(alignment));
    let inputs: Vec<_> = all
        .iter()
        .zip(&names)
        .zip(alignments)
        .map(|((loaded, name), alignment)| MergeInput::new(&loaded.trace, name).with_alignment(alignment))
        .collect();
    let merged = merge_traces(&inputs, &Limits::default());
    let placements = names.iter().cloned().zip(merged.placements).collect();
    Some(Opened { title, formats, trace: merged.trace, placements })
}
