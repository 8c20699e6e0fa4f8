//! The smallest viewer for browsers, its part that is compiled to WebAssembly: a trace, its layout, and what one picture
//! shows.

use spall_trace::layout::{
    ColorKey, Instance, Layout, LineRect, Ruler, Theme, Vertical, VerticalStyle, Viewport,
};
use spall_trace::model::{Trace, TraceView};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// In pixels. A column is a pixel too.
const STYLE: VerticalStyle<'_> = VerticalStyle { process: 24, track: 20, row: 18, ..VerticalStyle::FLAT };

/// A trace and the part of it that is shown.
#[wasm_bindgen]
pub struct Viewer {
    trace: Trace,
    layout: Layout,
    vertical: Vertical,
    viewport: Viewport,
    rects: Vec<LineRect>,
}

/// A text and its place: a label of the ruler, or the header of a process or track.
#[wasm_bindgen(getter_with_clone)]
pub struct Label {
    pub x: f32,
    pub y: f64,
    pub text: String,
}

#[wasm_bindgen]
impl Viewer {
    /// Loads a file of any format.
    #[wasm_bindgen(constructor)]
    pub fn new(file: &[u8]) -> Result<Viewer, JsError> {
        let (trace, layout) = spall_trace::lay_out(spall_trace::load_from(file)?);
        let vertical = Vertical::new(&trace, &layout, &STYLE);
        let viewport = Viewport::fit(trace.bounds().unwrap_or_default(), 1000, 0);
        Ok(Self { trace, layout, vertical, viewport, rects: Vec::new() })
    }

    /// Returns the height of all lines together.
    pub fn height(&self) -> f64 {
        self.vertical.height() as f64
    }

    /// Sets the width of the picture, moves it by a number of pixels, and zooms it around `x`.
    pub fn navigate(&mut self, width: u16, moved: f64, x: f64, factor: f64) {
        let viewport = self.viewport.with_columns(width).moved(moved);
        self.viewport = viewport.zoomed(x + f64::from(viewport.offset()), factor);
    }

    /// Returns the boxes between two heights: for each its left, right and upper edge and its colour, as `0xrrggbb`.
    pub fn boxes(&mut self, top: f64, bottom: f64) -> Vec<f32> {
        let Self { trace, layout, vertical, viewport, rects } = self;
        vertical.rects(top as u64..bottom as u64, layout, viewport, rects);
        let flat = rects.iter().flat_map(|found| {
            let [r, g, b] = ColorKey::of(trace.slice_name(found.rect.slice).as_bytes()).rgb(Theme::Light);
            let shape = Instance::new(&found.rect, viewport, found.line.0, u32::from_be_bytes([0, r, g, b]));
            [shape.x0, shape.x1, found.top as f32, shape.color as f32]
        });
        flat.collect()
    }

    /// Returns the name of a box of the last query.
    pub fn name(&self, index: usize) -> String {
        self.rects.get(index).map(|found| self.trace.slice_name(found.rect.slice).into()).unwrap_or_default()
    }

    /// Returns what there is to say about the box under the pointer.
    pub fn tip(&self, x: f32, y: f64) -> Option<String> {
        let rect = LineRect::hit(&self.rects, (x + self.viewport.offset()) as u32, y as u64)?.rect;
        let duration = self.trace.clock().duration(self.trace.slice(rect.slice)?.duration());
        let (name, args) = (self.trace.slice_name(rect.slice), self.trace.slice_args(rect.slice));
        let others = if rect.count > 1 { format!(", and {} more", rect.count - 1) } else { String::new() };
        Some(format!("{name} {args}\n{duration}{others}"))
    }

    /// Returns the headers between two heights.
    pub fn headers(&self, top: f64, bottom: f64) -> Vec<Label> {
        let lines = self.vertical.visible(top as u64..bottom as u64).iter();
        let header = |y: u64, text: String| Label { x: 0.0, y: y as f64, text };
        lines.filter_map(|line| Some(header(line.bottom(), line.label(&self.trace)?.into()))).collect()
    }

    /// Returns the labels of the time axis.
    pub fn ruler(&self) -> Vec<Label> {
        let start = self.trace.bounds().unwrap_or_default().start;
        let marks = Ruler::since(start, &self.viewport, self.trace.clock().unit, 100);
        let label = |x: f32, text: String| Label { x: x - self.viewport.offset(), y: 0.0, text };
        marks.map(|mark| label(mark.x, mark.label.to_string())).collect()
    }
}
