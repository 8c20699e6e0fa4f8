//! A desktop viewer of profiler traces: `spall-egui FILE`.
//!
//! Drag to move, scroll to go up and down, scroll with Ctrl to zoom around the pointer, double-click to zoom to a slice
//! or, beside all slices, to see everything.

use eframe::egui::{self, Align2, Color32, FontId, Painter, Pos2, Rect, Response, Sense, pos2, vec2};
use spall_trace::layout::{
    ColorKey, Ellipsis, Fidelity, Heights, Instance, Layout, LayoutOptions, LayoutView, LineRect, Ruler,
    Scratch, Theme, Vertical, Viewport, fit_chars,
};
use spall_trace::model::{Limits, Trace};

const HEIGHTS: Heights = Heights { process: 24, track: 20, row: 18 };
const RULER: f32 = 20.0;
const LETTER: f32 = 7.0;
const FONT: FontId = FontId::monospace(11.0);

struct Viewer {
    trace: Trace<'static>,
    layout: Layout,
    vertical: Vertical,
    viewport: Viewport,
    /// The height of the vertical order that is at the top of the window.
    top: f32,
    scratch: Scratch,
    rects: Vec<LineRect>,
}

impl eframe::App for Viewer {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
        let (ruler, area) = response.rect.split_top_bottom_at_y(response.rect.top() + RULER);
        self.viewport = self.viewport.with_columns(area.width() as u16);
        self.navigate(ui, &response, area);
        self.draw(&painter.with_clip_rect(area), area);
        let start = self.trace.bounds().unwrap_or_default().start;
        for mark in Ruler::since(start, &self.viewport, self.trace.clock().unit, 100) {
            let x = ruler.left() + mark.x - self.viewport.offset();
            painter.vline(x, ruler.y_range(), (1.0, Color32::GRAY));
            let at = pos2(x + 3.0, ruler.center().y);
            painter.text(at, Align2::LEFT_CENTER, mark.label, FONT, Color32::GRAY);
        }
        if let Some(tip) = response.hover_pos().and_then(|at| self.tip(at, area)) {
            response.on_hover_text_at_pointer(tip);
        }
    }
}

impl Viewer {
    fn navigate(&mut self, ui: &egui::Ui, response: &Response, area: Rect) {
        let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        let moved = response.drag_delta() + scroll;
        self.top = (self.top - moved.y).clamp(0.0, (self.vertical.height() as f32 - area.height()).max(0.0));
        self.viewport = self.viewport.moved(f64::from(-moved.x));
        let Some(pointer) = response.hover_pos() else { return };
        let x = pointer.x - area.left() + self.viewport.offset();
        self.viewport = self.viewport.zoomed(x.into(), zoom.into());
        if response.double_clicked() {
            let slice = self.hit(pointer, area).and_then(|found| self.layout.place(found.rect.slice));
            let range = slice.map(|slice| slice.start..slice.end).or(self.trace.bounds());
            self.viewport = Viewport::fit(range.unwrap_or_default(), area.width() as u16, 20, Fidelity::Fast);
        }
    }

    fn draw(&mut self, painter: &Painter, area: Rect) {
        let visible = self.top as u64..(self.top + area.height()).ceil() as u64;
        let y = |top: u64| area.top() + top as f32 - self.top;
        let Self { trace, layout, viewport, scratch, rects, .. } = self;
        self.vertical.rects(visible.clone(), layout, &HEIGHTS, viewport, scratch, rects);
        for found in rects.iter() {
            let name = trace.slice_name(found.rect.slice);
            let [red, green, blue] = ColorKey::of(name.as_bytes()).rgb(Theme::Dark);
            let busy = if found.rect.count == 1 { 1.0 } else { 0.5 + f32::from(found.rect.busy) / 131_070.0 };
            let color = Color32::from_rgb(red, green, blue).gamma_multiply(busy);
            let Instance { x0, x1, .. } = Instance::new(&found.rect, viewport, found.line.0, 0);
            let size = vec2((x1 - x0 - 0.5).max(1.0), found.height as f32 - 1.0);
            let shape = Rect::from_min_size(pos2(area.left() + x0, y(found.top)), size);
            painter.rect_filled(shape, 1.0, color);
            if let Some(label) = fit_chars(&name, ((x1 - x0) / LETTER - 1.0) as usize, Ellipsis::End) {
                let at = shape.left_center() + vec2(3.0, 0.0);
                painter.text(at, Align2::LEFT_CENTER, label, FONT, Color32::WHITE);
            }
        }
        for line in self.vertical.visible(visible) {
            let at = pos2(area.left() + 3.0, y(line.bottom()));
            painter.text(at, Align2::LEFT_BOTTOM, line.label(trace).unwrap_or_default(), FONT, Color32::GRAY);
        }
    }

    /// Returns the rectangle that was drawn at a point of the window.
    fn hit(&self, at: Pos2, area: Rect) -> Option<&LineRect> {
        let (x, y) = (at.x - area.left() + self.viewport.offset(), at.y - area.top() + self.top);
        LineRect::hit(&self.rects, x as u32, y as u64)
    }

    /// Returns what there is to say about the rectangle at a point of the window.
    fn tip(&self, at: Pos2, area: Rect) -> Option<String> {
        let (rect, trace) = (&self.hit(at, area)?.rect, &self.trace);
        let duration = trace.clock().duration(trace.slice(rect.slice)?.duration());
        let others = if rect.count > 1 { format!(", and {} more", rect.count - 1) } else { String::new() };
        let (name, args) = (trace.slice_name(rect.slice), trace.slice_args(rect.slice));
        Some(format!("{name} {args}\n{duration}{others}"))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: spall-egui FILE")?;
    let trace = spall_trace::load_from(std::fs::File::open(&path)?, &Limits::default())?;
    let trace = spall_trace::merge_samples(trace);
    let layout = Layout::new(&trace, &LayoutOptions::default());
    let vertical = Vertical::new(&trace, &layout, &HEIGHTS);
    let viewport = Viewport::fit(trace.bounds().unwrap_or_default(), 1000, 0, Fidelity::Fast);
    let viewer =
        Viewer { trace, layout, vertical, viewport, top: 0.0, scratch: Scratch::new(), rects: vec![] };
    Ok(eframe::run_native(&path.to_string_lossy(), Default::default(), Box::new(|_| Ok(Box::new(viewer))))?)
}
