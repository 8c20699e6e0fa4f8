//! The recordings of `testdata/` are those that the generators make. `UPDATE_GOLDEN=1` writes them anew.

#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;

#[test]
fn recordings_are_those_of_the_generators() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/recordings");
    let recordings = spall_synth::recordings::all();
    for (name, data) in &recordings {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, data).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == *data, "{name} differs");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), recordings.len());
}
