//! Recordings in several files.

use alloc::collections::VecDeque;
use core::time::Duration;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::output::{Output, Target};

/// When a recording continues in a new file, and how many files it keeps.
///
/// The files of `run.spall` are `run.1.spall`, `run.2.spall` and so on. Each can be read alone: it begins with the names
/// of its threads and with the slices that are open, which keep the times at which they began. In the file before, they
/// are unfinished.
///
/// ```
/// use spall_record::Rotation;
/// use std::time::Duration;
///
/// // A new file every hour or after 100 MB, of which the last ten are kept.
/// let rotation = Rotation::new().max_bytes(100_000_000).max_age(Duration::from_secs(3600)).keep(10);
/// # let _ = rotation;
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Rotation {
    max_bytes: Option<u64>,
    max_age: Option<Duration>,
    keep: Option<usize>,
}

impl Rotation {
    /// Returns a rotation that never begins a new file.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_bytes: None, max_age: None, keep: None }
    }

    /// Begins a new file before one gets larger than this. A file may be larger by what one thread records between two
    /// flushes.
    #[must_use]
    pub const fn max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes: Some(max_bytes), ..self }
    }

    /// Begins a new file with the first flush after this time.
    #[must_use]
    pub const fn max_age(self, max_age: Duration) -> Self {
        Self { max_age: Some(max_age), ..self }
    }

    /// Removes the oldest file of this recording when there are more than this many.
    #[must_use]
    pub const fn keep(self, n_files: usize) -> Self {
        Self { keep: Some(n_files), ..self }
    }
}

/// The files of a recording, one after the other, or the one output that is not a file of ours.
pub(crate) struct Files {
    pub(crate) output: Output,
    /// The number of the file, from 1.
    pub(crate) generation: u64,
    rotating: Option<Rotating>,
}

struct Rotating {
    path: PathBuf,
    rotation: Rotation,
    opened: Instant,
    kept: VecDeque<PathBuf>,
}

impl Files {
    /// Returns the one output.
    pub(crate) fn one(target: Target) -> Self {
        Self { output: Output::new(target), generation: 1, rotating: None }
    }

    /// Creates the first file.
    pub(crate) fn create(path: &Path, rotation: Option<Rotation>) -> io::Result<Self> {
        let Some(rotation) = rotation else { return Ok(Self::one(Target::File(File::create(path)?))) };
        let first = numbered(path, 1);
        Ok(Self {
            output: Output::new(Target::File(File::create(&first)?)),
            generation: 1,
            rotating: Some(Rotating {
                path: path.to_owned(),
                rotation,
                opened: Instant::now(),
                kept: VecDeque::from([first]),
            }),
        })
    }

    /// Returns whether the next batch of this many bytes belongs in a new file.
    pub(crate) fn is_due(&self, n_bytes: usize) -> bool {
        self.rotating.as_ref().is_some_and(|rotating| {
            let n_bytes = self.output.n_accepted() + n_bytes as u64;
            rotating.rotation.max_bytes.is_some_and(|max| n_bytes > max)
                || rotating.rotation.max_age.is_some_and(|max| rotating.opened.elapsed() >= max)
        })
    }

    /// Continues in a new file, and returns the old one, which may lack its end.
    ///
    /// If there can be no new file, or not everything could be written to the old one, the old one goes on, and the next
    /// flush tells the error.
    pub(crate) fn next(&mut self) -> Option<Output> {
        let rotating = self.rotating.as_mut()?;
        let path = numbered(&rotating.path, self.generation + 1);
        if !self.output.write_all() {
            return None;
        }
        let old = match File::create(&path) {
            Ok(file) => core::mem::replace(&mut self.output, Output::new(Target::File(file))),
            Err(error) => {
                self.output.fail(error);
                return None;
            }
        };
        self.generation += 1;
        rotating.opened = Instant::now();
        rotating.kept.push_back(path);
        while rotating.rotation.keep.is_some_and(|keep| rotating.kept.len() > keep.max(1)) {
            if let Some(oldest) = rotating.kept.pop_front()
                && let Err(error) = fs::remove_file(oldest)
                && error.kind() != io::ErrorKind::NotFound
            {
                self.output.fail(error);
            }
        }
        Some(old)
    }
}

/// Returns the path with a number before its extension.
fn numbered(path: &Path, number: u64) -> PathBuf {
    let mut extension = OsString::from(alloc::format!("{number}"));
    if let Some(old) = path.extension() {
        extension.push(".");
        extension.push(old);
    }
    path.with_extension(extension)
}
