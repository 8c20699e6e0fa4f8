//! The search for the collection of real traces, which is not part of the project.

use std::path::{Path, PathBuf};

/// Returns the folder `name` of the collection, whose path is in the environment variable `SPALL_CORPUS`.
///
/// Returns `None`, and prints a message, if there is no such folder.
///
/// ```
/// let Some(folder) = spall_synth::corpus::folder("spall/v3") else { return };
/// assert!(folder.is_dir());
/// ```
#[must_use]
#[allow(clippy::print_stdout, reason = "a test that does less than it could says so")]
pub fn folder(name: &str) -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let root = std::env::var_os("SPALL_CORPUS").map_or_else(default, PathBuf::from);
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no {}; SPALL_CORPUS says where the traces are", folder.display());
    None
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
