//! Where the corpus of real files is.

use std::path::PathBuf;

/// A folder of the corpus, or `None`, with a message, where the corpus is absent.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("SPALL_CORPUS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"), PathBuf::from);
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no {}; SPALL_CORPUS says where the corpus is", folder.display());
    None
}
