//! A small recording of each format, under the name of its file in `testdata/recordings/`.

use crate::cpu_profile::{Form, Profile};
use crate::json::Layout;
use crate::spall::Shape;
use crate::{apitrace, auto, gzip, heph, json, spall};

/// Returns a recording of each format, with the name of its file.
///
/// ```
/// let recordings = spall_synth::recordings::all();
/// assert!(recordings.iter().any(|(name, data)| *name == "game.trace" && data.starts_with(b"at")));
/// ```
#[must_use]
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let threads = |version| spall::trace(&Shape { version, slices: 400, ..Shape::default() });
    let profile = Profile::random(120, 20, 300, 1);
    vec![
        ("threads-v0.spall", threads(0)),
        ("threads-v1.spall", threads(1)),
        ("threads-v3.spall", threads(3)),
        ("threads-v3.spall.gz", gzip::member(&threads(3))),
        ("functions-auto.spall", auto::sample()),
        ("workers.bin.log", heph::trace(150, 3, 4, true)),
        ("game.trace", apitrace::snappy(&apitrace::game(220), 1 << 12)),
        ("calls.json", json::calls(200, 8, Layout::Spaced).into_bytes()),
        ("motley.json", json::motley(300, Layout::Compact).into_bytes()),
        ("profile.cpuprofile", profile.to_json(Form::Document).into_bytes()),
        ("profile-chunks.json", profile.to_json(Form::Chunks(50)).into_bytes()),
    ]
}
