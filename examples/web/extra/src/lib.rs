//! What the viewer seldom needs, in a module of its own: it writes a trace as the page that `spall render` writes, and finds
//! the times of what is damaged.

#[path = "../../../../spall-cli/src/json.rs"]
#[allow(dead_code, unreachable_pub, reason = "the command has more uses of it")]
mod json;
#[path = "../../../../spall-cli/src/picture/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the command also draws SVG")]
mod picture;

use std::io::Read;

use js_sys::Function;
use picture::Scene;
use spall_trace::{
    Loader,
    model::{Tick, TraceView},
};
use spall_view::{Note, Opened};
use spall_web_file::File;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// Returns the page of files, which are those that the viewer has loaded.
#[wasm_bindgen]
pub fn page(
    title: &str,
    names: Vec<String>,
    reads: Vec<Function>,
    offsets: Vec<i64>,
    value: Option<String>,
) -> Result<String, JsValue> {
    let Opened { trace, format, notes, .. } = spall_web_file::open(names, &reads, &offsets)?;
    let all = trace.sample_values();
    let chosen = all.iter().find(|found| Some(&*trace.name(found.name)) == value.as_deref());
    let trace = match chosen.map(|found| found.name) {
        Some(name) => trace.with_value(Some(name)),
        None => trace,
    };
    let (trace, _) = spall_trace::lay_out(trace);
    let scene = Scene::new(&trace);
    let times = |note: Note| match note.count {
        Some(count) => format!("{} ({count} times)", note.text),
        None => note.text,
    };
    let mut notes: Vec<String> = notes.into_iter().map(times).collect();
    notes.extend(picture::not_as_in_the_file(&scene));
    Ok(picture::html(&scene, title, &picture::about(&scene, &format), &notes, picture::MAX_BOXES))
}

/// Returns the times, in ticks, of the events at some bytes of a file, which ascend. A byte between two events, or of an
/// event without a time, has that of the event before it. Where no event precedes it, the time is the least number of 64
/// bits.
#[wasm_bindgen]
pub fn times(read: &Function, bytes: &[f64]) -> Result<Vec<i64>, JsValue> {
    let mut data = Vec::new();
    File::new(read).read_to_end(&mut data).map_err(|error| error.to_string())?;
    // For each byte the event that begins last at or before it.
    let mut found = vec![(0, Tick::MIN); bytes.len()];
    let see = |event: &spall_trace::model::Event<'_>, range: spall_trace::model::ByteRange| {
        let Some(at) = event.at() else { return };
        let wanted = bytes.partition_point(|&byte| byte < range.start as f64);
        if let Some(found) =
            found.get_mut(wanted).filter(|found| found.1 == Tick::MIN || found.0 <= range.start)
        {
            *found = (range.start, at);
        }
    };
    Loader::new().read_events(&data, see).map_err(|error| error.to_string())?;
    let mut before = Tick::MIN;
    Ok(found
        .into_iter()
        .map(|(_, at)| {
            before = if at == Tick::MIN { before } else { at };
            before.0
        })
        .collect())
}
