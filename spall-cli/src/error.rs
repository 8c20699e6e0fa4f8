//! What is wrong, in sentences.

use std::{
    fmt::Display,
    io::{self, ErrorKind},
    path::Path,
};

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// The reason why the command did not do all that it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A sentence that names the file, says what is wrong with it and what to do.
    #[error("{0}")]
    Told(String),
    /// The reader of the standard output is gone.
    #[error("")]
    Closed,
}

impl Error {
    pub(crate) fn new(sentence: impl Display) -> Self {
        Self::Told(sentence.to_string())
    }

    /// Returns the error for a file that cannot be read.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        let file = path.display();
        Self::Told(match error.kind() {
            ErrorKind::NotFound => format!("{file}: there is no such file. Check the name and the folder."),
            ErrorKind::PermissionDenied => {
                format!("{file}: you may not read this file. Its owner can allow it with `chmod +r`.")
            }
            _ => format!("{file}: the file cannot be read: {}.", words(error)),
        })
    }

    /// Returns the error for a file that cannot be written.
    pub(crate) fn writing(path: &Path, error: &io::Error) -> Self {
        let file = path.display();
        Self::Told(match error.kind() {
            ErrorKind::PermissionDenied => {
                format!("{file}: you may not write here. Give a name in another folder.")
            }
            _ => format!("{file}: the file cannot be written: {}.", words(error)),
        })
    }

    /// Returns the error for a trace that cannot be loaded.
    pub(crate) fn loading(path: &Path, error: &spall_trace::Error) -> Self {
        let path = if path.as_os_str() == "-" { Path::new("standard input") } else { path };
        match error {
            spall_trace::Error::Io(error) => Self::reading(path, error),
            spall_trace::Error::UnknownFormat { .. } => {
                Self::Told(format!("{}: {error}. `spall --help` lists the formats.", path.display()))
            }
            _ => {
                let advice = if is_whole(error) { "" } else { " Get a whole copy of the file." };
                Self::Told(format!("{}: {error}.{advice}", path.display()))
            }
        }
    }
}

/// Errors of the standard output.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Told(format!("the standard output cannot be written: {}.", words(&error))),
        }
    }
}

/// Returns whether another copy of the file would not be read either, because it is of a version that is not read, or because
/// it needs too much memory, or is an archive.
fn is_whole(error: &spall_trace::Error) -> bool {
    use spall_trace::{
        format::FormatErrorKind::{
            AutoTrace, BigEndian, FeatureOff, OldAutoTrace, OutOfMemory, OutputLimit, PreRelease,
            SeveralFiles, UnreleasedVersion, UnsupportedVersion,
        },
        json::JsonErrorKind::{DhatVersion, FirefoxVersion},
    };
    match error {
        spall_trace::Error::Json(error) => matches!(error.kind(), DhatVersion { .. } | FirefoxVersion { .. }),
        spall_trace::Error::Binary(error) => matches!(
            error.kind(),
            AutoTrace
                | BigEndian
                | FeatureOff
                | OldAutoTrace { .. }
                | OutOfMemory { .. }
                | OutputLimit { .. }
                | PreRelease
                | SeveralFiles
                | UnreleasedVersion
                | UnsupportedVersion { .. }
        ),
        _ => false,
    }
}

/// Returns what the system says, without its number.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}
