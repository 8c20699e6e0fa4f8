//! The part of the browser's viewer that is compiled to WebAssembly: it holds a trace and answers what the page asks
//! about it. It runs in a worker, which ends when the page opens another file, so a trace is never freed.
//!
//! Times cross the boundary as ticks since the start of what is active in the trace, and heights in pixels. Whatever is
//! drawn crosses in typed arrays, one call a picture.

mod about;
mod arrangement;
mod calls;
mod details;
mod filter;
mod find;
mod frame;
mod load;
mod object;
mod statistics;
mod task;
mod tracks;
mod trees;

use std::{ops::Range, rc::Rc};

use js_sys::Function;
use serde::{Serialize, de::DeserializeOwned};
use spall_trace::layout::{Layout, active_range};
use spall_trace::model::{Tick, Ticks, Trace, TraceView};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use object::object;

/// A trace, and what the page has chosen to see of it.
#[wasm_bindgen]
pub struct Viewer {
    trace: &'static Trace,
    /// The rows of what is shown of it.
    layout: Rc<Layout>,
    filter: filter::Filter,
    /// Tick 0 of the page: a number of JavaScript is exact near 0, so this is where what is active starts.
    origin: Tick,
    /// The formats of the files, and what there is to say about the files.
    format: String,
    notes: Vec<load::Note>,
    unread: Vec<u8>,
    placed: Vec<load::Placed>,
    /// The names of the values of the samples, and the one that was chosen.
    values: Vec<String>,
    value: Option<String>,
    arrangement: arrangement::Arrangement,
    objects: frame::Objects,
    pictures: frame::Pictures,
    search: find::Search,
    searching: Option<find::Searching>,
    statistics: statistics::Statistics,
    trees: trees::Trees,
    graphs: [calls::Graph; 2],
    making: Option<calls::Making>,
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
        let load::Loaded { trace, layout, format, notes, unread, placed, values, value } =
            load::load(&names, &reads, &offsets, value)?;
        let trace: &'static Trace = Box::leak(Box::new(trace));
        let objects = frame::Objects::new(trace);
        Ok(Self {
            trace,
            filter: filter::Filter::default(),
            origin: active_range(trace, &layout).unwrap_or_default().start,
            format,
            notes,
            unread,
            placed,
            values,
            value,
            arrangement: arrangement::Arrangement::new(trace, &layout, &objects),
            objects,
            pictures: frame::Pictures::new(trace, &layout),
            layout: Rc::new(layout),
            search: find::Search::default(),
            searching: None,
            statistics: statistics::Statistics::default(),
            trees: trees::Trees::default(),
            graphs: Default::default(),
            making: None,
        })
    }

    /// Returns for each file 1 if it could not be read.
    pub fn unread(&self) -> Vec<u8> {
        self.unread.clone()
    }
}

impl Viewer {
    /// The tick of a time of the page.
    fn tick(&self, at: f64) -> Tick {
        self.origin + Ticks(at as i64)
    }

    /// The time of the page of a tick. It is exact to 2⁵³ ticks from the origin.
    fn since(&self, at: Tick) -> f64 {
        (i128::from(at.0) - i128::from(self.origin.0)) as f64
    }

    fn range(&self, start: f64, end: f64) -> Range<Tick> {
        self.tick(start)..self.tick(end)
    }

    /// A point in time as text, counted from the start of what is active.
    fn time(&self, at: Tick) -> String {
        self.trace.clock().time(Tick(0) + (at - self.origin)).to_string()
    }
}

/// An answer as a value of JavaScript.
fn answer(value: &impl Serialize) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}

/// What the page asks.
fn question<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    Ok(serde_wasm_bindgen::from_value(value)?)
}
