//! Files that the command writes.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Result},
    session::{remove_unfinished, set_unfinished},
};

/// A file to write, or `-` for the standard output.
///
/// The file gets its name once it is complete, so that an error or an interruption leaves what was there before.
pub(crate) struct Output {
    pub(crate) path: PathBuf,
}

impl Output {
    /// Returns the file, if it can be written and is none of the inputs, which it replaces only with `force`.
    pub(crate) fn new(path: &Path, inputs: &[PathBuf], force: bool) -> Result<Self> {
        let file = path.display();
        if path.is_dir() {
            return Err(Error::new(format_args!("{file}: this is a folder. Give the name of a file in it.")));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let folder = folder.display();
            return Err(Error::new(format_args!(
                "{file}: there is no folder {folder}. Make it with `mkdir -p {folder}`."
            )));
        }
        let is_same = |input: &PathBuf| match (path.canonicalize(), input.canonicalize()) {
            (Ok(output), Ok(input)) => output == input,
            _ => false,
        };
        if !force && inputs.iter().any(is_same) {
            return Err(Error::new(format_args!(
                "{file}: this is the input, which would be replaced. Give another name, or `--force` to replace it."
            )));
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Writes the file, and returns what `write` returns.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T> {
        if self.path.as_os_str() == "-" {
            return Ok(to_stdout(write)?);
        }
        let written = match fs::metadata(&self.path) {
            // A device or a pipe is no file that could be replaced.
            Ok(found) if !found.is_file() => File::create(&self.path).and_then(|file| flushed(file, write)),
            _ => self.replace(write),
        };
        written.map_err(|error| Error::writing(&self.path, &error))
    }

    fn replace<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let unfinished = self.path.with_file_name(format!(".{name}.unfinished"));
        let file = File::create(&unfinished)?;
        set_unfinished(Some(unfinished.clone()));
        let written = flushed(file, write).and_then(|report| {
            fs::rename(&unfinished, &self.path)?;
            Ok(report)
        });
        match written {
            Ok(_) => drop(set_unfinished(None)),
            Err(_) => remove_unfinished(),
        }
        written
    }
}

fn flushed<T>(file: File, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    let mut out = BufWriter::new(file);
    let report = write(&mut out)?;
    out.flush()?;
    Ok(report)
}

/// Makes a folder for temporary files.
pub(crate) fn temporary_folder() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("spall-{}", std::process::id()));
    // Nobody else can have put anything into a folder that is new.
    fs::create_dir(&folder).map_err(|error| Error::writing(&folder, &error))?;
    Ok(folder)
}

/// Writes to the standard output.
pub(crate) fn to_stdout<T>(write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    let mut out = BufWriter::new(io::stdout().lock());
    let report = write(&mut out)?;
    out.flush()?;
    Ok(report)
}
