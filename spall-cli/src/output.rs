//! Files that the command writes.

use std::{
    fs::{self, File},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use tempfile::NamedTempFile;

use crate::{
    error::{Error, Result, words},
    session::{finished, temporary},
    shown::{Printed, to_stdout},
};

/// The number of symbolic links that are followed one after the other: as many as Linux follows.
const MAX_LINKS: usize = 40;

/// A file to write, or `-` for the standard output.
///
/// The file gets its name once it is complete, so that an error or an interruption leaves what was there before. A symbolic
/// link is followed to the file that it names, and a file that was there keeps its rights. One that has further names (hard
/// links) or another owner is the same file afterwards: the complete content is copied into it.
pub(crate) struct Output {
    pub(crate) path: PathBuf,
}

impl Output {
    /// Returns the file, if it can be written and is none of the inputs, which it replaces only with `force`. That is `None` where
    /// there is no such option.
    pub(crate) fn new(path: &Path, inputs: &[PathBuf], force: Option<bool>) -> Result<Self> {
        let file = path.display();
        if path.is_dir() {
            return Err(Error::new(format_args!("{file}: this is a folder. Give the name of a file in it.")));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let folder = folder.display();
            return Err(Error::new(format_args!(
                "{file}: there is no folder {folder}. Make that folder, or give a name in another one."
            )));
        }
        if force != Some(true) && inputs.iter().any(|input| is_same(input, path)) {
            let or = if force.is_some() { ", or `--force` to replace it" } else { "" };
            return Err(Error::new(format_args!(
                "{file}: this is the input, which would be replaced. Give another name{or}."
            )));
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Writes the file, and returns what `write` returns.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T> {
        if self.path.as_os_str() == "-" {
            return Ok(to_stdout(Printed::File, write)?);
        }
        let write = |out: &mut dyn Write| match is_packed(&self.path) {
            false => write(out),
            true => {
                let mut packed = GzEncoder::new(out, Compression::default());
                let report = write(&mut packed)?;
                packed.finish()?;
                Ok(report)
            }
        };
        let written = match fs::metadata(&self.path) {
            // A device or a pipe is no file that could be replaced.
            Ok(found) if !found.is_file() => File::create(&self.path).and_then(|file| flushed(&file, write)),
            _ => self.replace(write),
        };
        written.map_err(|error| Error::writing(&self.path, &error))
    }

    /// Writes a temporary file, which becomes the file once it is complete.
    fn replace<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        let target = followed(&self.path);
        let old = match File::options().write(true).open(&target) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            old => Some(old?),
        };
        let (new, is_beside) = self.temporary(&target, old.as_ref())?;
        let path = new.path().to_owned();
        let written = flushed(new.as_file(), write);
        finished(&path, || {
            let report = written?;
            match old {
                Some(old) if !(is_beside && is_replaceable(&old, new.as_file())?) => copy(new, old)?,
                Some(old) => {
                    new.as_file().set_permissions(old.metadata()?.permissions())?;
                    // Some systems do not replace a file that is open.
                    drop(old);
                    new.persist(&target)?;
                }
                None => drop(new.persist(&target)?),
            }
            Ok(report)
        })
    }

    /// Makes the temporary file beside the file that it becomes, or, if the user may write that file but nothing beside it,
    /// among all temporary files. Its rights are never more than those of the file. Returns also whether it is beside it.
    fn temporary(&self, target: &Path, old: Option<&File>) -> io::Result<(NamedTempFile, bool)> {
        let mut builder = tempfile::Builder::new();
        // The whole name is short, however long that of the file is.
        builder.prefix(".spall-");
        #[cfg(unix)]
        {
            use std::{fs::Permissions, os::unix::fs::PermissionsExt};
            let mode = match old {
                Some(old) => old.metadata()?.permissions().mode() & 0o777,
                None => 0o666,
            };
            builder.permissions(Permissions::from_mode(mode));
        }
        match temporary(|| builder.tempfile_in(folder_of(target))) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied && old.is_some() => {
                Ok((temporary(|| builder.tempfile())?, false))
            }
            made => Ok((made?, true)),
        }
    }
}

/// Returns whether the name of a file says that it is compressed.
pub(crate) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"))
}

/// Returns the folder of a file.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the path of the file to which a path leads through symbolic links. There need not be such a file.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(target);
    }
    path
}

/// Returns whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    let is_linked = {
        use std::os::unix::fs::MetadataExt;
        let id = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino()));
        matches!((id(one), id(other)), (Ok(one), Ok(other)) if one == other)
    };
    #[cfg(not(unix))]
    let is_linked = false;
    is_linked || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Returns whether a new file in the place of an old one differs from it in nothing but its content.
fn is_replaceable(old: &File, new: &File) -> io::Result<bool> {
    let (old, new) = (old.metadata()?, new.metadata()?);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(old.nlink() == 1 && (old.uid(), old.gid()) == (new.uid(), new.gid()))
    }
    #[cfg(not(unix))]
    Ok(old.is_file() && new.is_file())
}

/// Copies a complete file into one that was there. If that fails, the complete file stays, and the error names it.
fn copy(new: NamedTempFile, mut old: File) -> io::Result<()> {
    let copied = new.reopen().and_then(|mut new| {
        old.set_len(0)?;
        io::copy(&mut new, &mut old)
    });
    match copied {
        Ok(_) => Ok(()),
        Err(error) => {
            let words = words(&error);
            let (_, path) = new.keep()?;
            let said = format!("{words}; its whole content is in {}", path.display());
            Err(io::Error::new(error.kind(), said))
        }
    }
}

fn flushed<T>(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    let mut out = BufWriter::new(file);
    let report = write(&mut out)?;
    out.flush()?;
    Ok(report)
}

/// Makes a folder for temporary files, which nobody else can read or write. It is removed at the end.
pub(crate) fn temporary_folder(prefix: &str) -> Result<PathBuf> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::{fs::Permissions, os::unix::fs::PermissionsExt};
        builder.permissions(Permissions::from_mode(0o700));
    }
    let made = temporary(|| builder.tempdir());
    let folder = made.map_err(|error| Error::writing(&std::env::temp_dir(), &error))?;
    Ok(folder.keep())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_file_that_cannot_be_copied_stays_and_is_named() {
        let mut new = NamedTempFile::new().unwrap();
        new.write_all(b"complete").unwrap();
        let old = NamedTempFile::new().unwrap();
        // A file that was opened to be read takes nothing.
        let error = copy(new, File::open(old.path()).unwrap()).unwrap_err().to_string();
        let (_, path) = error.split_once("; its whole content is in ").unwrap();
        assert_eq!(fs::read(path).unwrap(), b"complete");
        fs::remove_file(path).unwrap();
    }
}
