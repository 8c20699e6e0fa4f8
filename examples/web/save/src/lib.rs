//! Writes a trace as a page of its own, the one that `spall render` writes. It is a module of its own, which the viewer loads
//! when somebody saves.

#[path = "../../../../spall-cli/src/json.rs"]
#[allow(dead_code, unreachable_pub, reason = "the command has more uses of it")]
mod json;
#[path = "../../src/load.rs"]
#[allow(dead_code, reason = "the viewer has more uses of it")]
mod load;
#[path = "../../src/object.rs"]
mod object;
#[path = "../../../../spall-cli/src/picture/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the command also draws SVG")]
mod picture;

use js_sys::Function;
use object::object;
use picture::Scene;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// Returns the page of files, which are those that the viewer has loaded.
#[wasm_bindgen]
pub fn page(
    title: &str,
    names: Vec<String>,
    reads: Vec<Function>,
    offsets: Vec<i64>,
) -> Result<String, JsValue> {
    let load::Loaded { trace, format, notes, .. } = load::load(&names, &reads, &offsets)?;
    let scene = Scene::new(&trace);
    let times = |note: load::Note| match note.count {
        Some(count) => format!("{} ({count} times)", note.text),
        None => note.text,
    };
    let mut notes: Vec<String> = notes.into_iter().map(times).collect();
    notes.extend(picture::not_as_in_the_file(&scene));
    Ok(picture::html(&scene, title, &picture::about(&scene, &format), &notes, picture::MAX_BOXES))
}
