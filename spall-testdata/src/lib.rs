//! The files that tests read: those of `testdata/`, which every clone has, and a collection of other people's traces; and
//! how long tests take.
//!
//! The collection is not part of the project. The environment variable `SPALL_CORPUS` is the path of its folder. What
//! both have in common lies in folders of the same names, so a test goes over both. [`collection`] is for a test that
//! only other people's files can make, and is the one place where such a test is skipped.

use core::ops::Div;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The size in bytes of the largest file of the collection that [`inputs`] returns in a plain run.
const MOST_BYTES: u64 = 1 << 20;

/// Returns whether tests may take their time: whether the environment variable `LONG_TESTS` is set.
///
/// A plain run is debug code and is over in two minutes. Its tests state the same rules for less input.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("LONG_TESTS").is_some()
}

/// Returns how large a test makes an input of any size: `size` if tests may take their time, and a quarter of it otherwise.
#[must_use]
pub fn sized<N: Div<Output = N> + From<u8>>(size: N) -> N {
    if is_long() { size } else { size / 4.into() }
}

/// Returns the folders `name` of `testdata/` and of the collection, if they exist.
///
/// ```
/// assert!(!spall_testdata::folders("json/cases").is_empty());
/// ```
#[must_use]
pub fn folders(name: &str) -> Vec<PathBuf> {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata");
    let roots = [Some(testdata), root_of_collection()];
    let folders = roots.into_iter().flatten().map(|root| root.join(name));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// Returns the paths of the files in the folders `name` whose names end in `suffix`.
///
/// They include the files in folders below. Those of `testdata/` come first. A plain run leaves out files larger than a
/// mebibyte, see [`is_long`].
#[must_use]
pub fn inputs(name: &str, suffix: &str) -> Vec<PathBuf> {
    let is_small = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() <= MOST_BYTES);
    let files = folders(name).into_iter().flat_map(|folder| files(&folder, suffix));
    files.filter(|path| is_long() || is_small(path)).collect()
}

/// Returns the folder `name` of the collection, or counts the test that asks for it as skipped.
#[must_use]
pub fn collection(name: &str) -> Option<PathBuf> {
    let folder = root_of_collection().map(|root| root.join(name)).filter(|folder| folder.is_dir());
    if folder.is_none() {
        skipped(&format!("{name} of the collection, whose folder SPALL_CORPUS names"));
    }
    folder
}

/// Counts the test that calls this as skipped, because it needs something that is not here.
///
/// Each skipped test is a line of stderr, and of the file that the environment variable `SKIPPED_TESTS` names.
pub fn skipped(needs: &str) {
    let thread = std::thread::current();
    let line = format!("skipped: {} needs {needs}\n", thread.name().unwrap_or("a test"));
    // Unlike `eprint!`, this is shown although the test passes.
    _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("SKIPPED_TESTS") {
        let list = OpenOptions::new().append(true).create(true).open(path);
        _ = list.and_then(|mut list| list.write_all(line.as_bytes()));
    }
}

fn root_of_collection() -> Option<PathBuf> {
    std::env::var_os("SPALL_CORPUS").map(PathBuf::from)
}

/// Returns the paths of the files below `folder` whose names end in `suffix`, in the order of their paths.
#[must_use]
pub fn files(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(suffix) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
