//! The engine of the viewer, compiled to WebAssembly: the page asks it through a worker. The worker ends when the page opens
//! another file.

mod file;

use js_sys::Function;
use spall_view::{Engine, Heights, wire};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// A trace, and what the page has chosen to see of it.
#[wasm_bindgen]
pub struct Viewer {
    engine: Engine,
    unread: Vec<bool>,
}

#[wasm_bindgen]
impl Viewer {
    /// Loads files of any format, several on one axis of time. Each has a name and a function `read(from, to)`, which
    /// returns those bytes of the file, fewer at its end. An offset is nanoseconds that are added to the times of a file, or
    /// the least number of 64 bits if what the files say tells where they belong. Samples have the value of this name, or
    /// the one that the files say.
    #[wasm_bindgen(constructor)]
    pub fn new(
        names: Vec<String>,
        reads: Vec<Function>,
        offsets: Vec<i64>,
        value: Option<String>,
    ) -> Result<Viewer, JsValue> {
        let mut opened = file::open(names, &reads, &offsets)?;
        let unread = std::mem::take(&mut opened.unread);
        Ok(Self { engine: Engine::new(opened, value.as_deref(), Heights::PAGE), unread })
    }

    /// Returns for each file 1 if it could not be read.
    pub fn unread(&self) -> Vec<u8> {
        self.unread.iter().map(|&unread| unread.into()).collect()
    }

    /// Answers a question with a message. One that says that the question takes long is handed to [`go_on`](Self::go_on).
    pub fn ask(&mut self, question: &[u8]) -> Vec<u8> {
        wire::ask(&mut self.engine, question)
    }

    /// Goes on with a question that takes long for as long as a function returns `true`, and returns the next message.
    pub fn go_on(&mut self, later: &[u8], goes_on: &Function) -> Vec<u8> {
        let goes_on = || goes_on.call0(&JsValue::NULL).is_ok_and(|goes_on| goes_on.is_truthy());
        wire::go_on(&mut self.engine, later, goes_on)
    }
}
