//! Loads many files at once, on several threads, with a bound on memory.

use core::num::NonZeroUsize;
use std::{
    fs::File,
    path::Path,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use spall_model::Trace;

use crate::{Error, Loader, threads};

/// Loads a trace of any supported format from a file, like [`load_from`](crate::load_from).
///
/// # Errors
/// This returns [`Error::Io`] when the file cannot be opened or read, and the errors of [`load_from`](crate::load_from).
///
/// ```no_run
/// use spall_trace::model::TraceView;
///
/// let trace = spall_trace::load_file("trace.json")?;
/// println!("{}", trace.diagnostics());
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub fn load_file(path: impl AsRef<Path>) -> Result<Trace, Error> {
    Loader::new().load_file(path)
}

impl Loader {
    /// Loads a trace from a file, like [`load_file`].
    ///
    /// # Errors
    /// This returns [`Error::Io`] when the file cannot be opened or read, and the errors of
    /// [`load_from`](crate::load_from).
    pub fn load_file(&self, path: impl AsRef<Path>) -> Result<Trace, Error> {
        self.load_from(File::open(path)?)
    }

    /// Loads files on the threads of [`Loader::with_threads`], and calls `each` with the position of a file in `files` and
    /// its trace or error.
    ///
    /// `each` runs once for each file, on the thread that loaded it, while other files are loaded. Files are begun in their
    /// order and end in any. A file that cannot be read does not keep others from being read. The file counts as being loaded
    /// until `each` returns, so what `each` does with a trace is within [`Loader::max_file_bytes`], unless it keeps the trace.
    ///
    /// ```no_run
    /// use spall_trace::Loader;
    ///
    /// let files = ["a.json", "b.spall"];
    /// Loader::new().on_all_cores().load_files(&files, |file, trace| match trace {
    ///     Ok(trace) => println!("{}: {} slices", files[file], trace.slices().len()),
    ///     Err(error) => eprintln!("{}: {error}", files[file]),
    /// });
    /// ```
    pub fn load_files<P: AsRef<Path> + Sync>(
        &self,
        files: &[P],
        each: impl Fn(usize, Result<Trace, Error>) + Sync,
    ) {
        let queue = Queue { max_bytes: self.max_file_bytes, state: Mutex::default(), freed: Condvar::new() };
        let alone = self.clone().with_threads(NonZeroUsize::MIN);
        threads::run(self.n_threads.get().min(files.len()), || {
            while let Some((file, _claim)) = queue.next(files) {
                let Some(path) = files.get(file) else { break };
                each(file, alone.load_file(path));
            }
        });
    }
}

/// The files that wait, and the bytes of those being loaded.
struct Queue {
    max_bytes: u64,
    state: Mutex<QueueState>,
    /// Signalled when a file is no longer being loaded.
    freed: Condvar,
}

#[derive(Default)]
struct QueueState {
    next: usize,
    n_bytes: u64,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // A panic of the caller's closure cannot leave the numbers half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for the next file, and takes it. Returns `None` when all files are taken.
    fn next<P: AsRef<Path>>(&self, files: &[P]) -> Option<(usize, Claim<'_>)> {
        let mut state = self.lock();
        loop {
            let file = state.next;
            // A file without a size cannot be opened either, which its caller is told.
            let n_bytes = std::fs::metadata(files.get(file)?).map_or(0, |metadata| metadata.len());
            if state.n_bytes == 0 || state.n_bytes.saturating_add(n_bytes) <= self.max_bytes {
                state.next += 1;
                state.n_bytes = state.n_bytes.saturating_add(n_bytes);
                return Some((file, Claim { queue: self, n_bytes }));
            }
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The bytes of a file that is being loaded. They are given back when it is dropped, after a panic too.
struct Claim<'q> {
    queue: &'q Queue,
    n_bytes: u64,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.n_bytes = state.n_bytes.saturating_sub(self.n_bytes);
        drop(state);
        self.queue.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use alloc::{
        format,
        string::{String, ToString},
        vec,
        vec::Vec,
    };
    use core::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Files of a few bytes each, which are removed at the end of a test.
    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("spall-files-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, text: &str) -> std::path::PathBuf {
            let path = self.0.join(name);
            std::fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn trace(n_slices: usize) -> String {
        let slice = r#"{"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":1}"#;
        format!("[{}]", vec![slice; n_slices].join(","))
    }

    fn threads(n: usize) -> Loader {
        Loader::new().with_threads(NonZeroUsize::new(n).unwrap())
    }

    #[test]
    fn every_file_is_answered_once_and_a_broken_one_alone_fails() {
        let folder = Folder::new("answers");
        let mut files: Vec<_> = (0..9_usize).map(|n| folder.file(&n.to_string(), &trace(n))).collect();
        files[4] = folder.file("broken", "no trace");
        files[6] = folder.0.join("absent");
        for n_threads in [1, 2, 5, 20] {
            let answers = Mutex::new(Vec::new());
            threads(n_threads).load_files(&files, |file, trace| {
                let answer =
                    trace.map(|trace| trace.slices().len()).map_err(|error| matches!(error, Error::Io(_)));
                answers.lock().unwrap().push((file, answer));
            });
            let mut answers = answers.into_inner().unwrap();
            answers.sort();
            let expected: Vec<_> = (0..9)
                .map(|file| match file {
                    4 => (file, Err(false)),
                    6 => (file, Err(true)),
                    _ => (file, Ok(file)),
                })
                .collect();
            assert_eq!(answers, expected, "{n_threads} threads");
        }
        threads(2).load_files(&[] as &[&str], |_, _| unreachable!());
    }

    #[test]
    fn bytes_of_files_being_loaded_stay_below_the_bound() {
        let folder = Folder::new("bound");
        // The last file is larger than the bound.
        let texts: Vec<_> = [40, 50, 40, 60, 10, 300].map(trace).into();
        let files: Vec<_> = (0..).zip(&texts).map(|(n, text)| folder.file(&format!("{n}"), text)).collect();
        let max_bytes = trace(100).len() as u64;
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let loader = Loader { max_file_bytes: max_bytes, ..threads(4) };
        loader.load_files(&files, |file, _| {
            let n_bytes = texts[file].len() as u64;
            let sum = now.fetch_add(n_bytes, Ordering::SeqCst) + n_bytes;
            assert!(sum <= max_bytes || sum == n_bytes, "{sum} bytes at once, with file {file}");
            most.fetch_max(sum, Ordering::SeqCst);
            std::thread::sleep(core::time::Duration::from_millis(5));
            now.fetch_sub(n_bytes, Ordering::SeqCst);
        });
        assert_eq!(most.into_inner(), texts[5].len() as u64);
    }

    #[test]
    fn a_panic_of_the_caller_reaches_the_caller() {
        let folder = Folder::new("panic");
        let files: Vec<_> = (0..8_u32).map(|n| folder.file(&n.to_string(), &trace(10))).collect();
        // Without room for two files, a thread that never gave its bytes back would stop all others.
        let options = Loader { max_file_bytes: 1, ..threads(2) };
        let result = std::panic::catch_unwind(|| {
            options.load_files(&files, |file, _| assert_ne!(file, 3));
        });
        assert!(result.is_err());
    }
}
