//! The engine of the viewer, compiled to WebAssembly: the page asks it through a worker. The worker ends when the page opens
//! another file.

use js_sys::Function;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use spall_view::{Engine, Heights};
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
        let mut opened = spall_web_file::open(names, &reads, &offsets)?;
        let unread = std::mem::take(&mut opened.unread);
        Ok(Self { engine: Engine::new(opened, value.as_deref(), Heights::PAGE), unread })
    }

    /// Returns for each file 1 if it could not be read.
    pub fn unread(&self) -> Vec<u8> {
        self.unread.iter().map(|&unread| unread.into()).collect()
    }

    /// Returns the time of the page at a tick.
    pub fn at(&self, tick: i64) -> f64 {
        self.engine.since(spall_view::Tick(tick)).0.0 as f64
    }

    /// Answers a question: `now` is the answer, or `later` what [`go_on`](Self::go_on) takes.
    pub fn ask(&mut self, question: JsValue) -> Result<JsValue, JsValue> {
        let question = serde_wasm_bindgen::from_value(question)?;
        Ok(value(&self.engine.ask(question))?)
    }

    /// Goes on with a question that takes long: `done` is the answer, and `of` how far it is.
    pub fn go_on(&mut self, ticket: JsValue) -> Result<JsValue, JsValue> {
        let ticket = serde_wasm_bindgen::from_value(ticket)?;
        Ok(value(&self.engine.go_on(ticket))?)
    }
}

/// An answer as an object of JavaScript.
fn value(answer: &impl Serialize) -> Result<JsValue, serde_wasm_bindgen::Error> {
    answer.serialize(&Serializer::new().serialize_maps_as_objects(true))
}
