//! A desktop viewer in a hundred lines: `minimal FILE`.
//!
//! Drag to move, scroll to go up and down, scroll with Ctrl to zoom around the pointer, double-click to zoom to a slice
//! or, beside all slices, to see everything.

use eframe::egui::{self, Align2, Color32, FontId, Painter, Pos2, Rect, Response, Sense, pos2, vec2};
use spall_trace::layout::{
    ColorKey, Ellipsis, Instance, Layout, LayoutView, LineRect, Ruler, Theme, Vertical, VerticalStyle,
    Window, fit_chars,
};
use spall_trace::model::{Trace, TraceView};

const STYLE: VerticalStyle<'_> = VerticalStyle { process: 24, track: 20, row: 18, ..VerticalStyle::FLAT };
const RULER: f32 = 20.0;
const LETTER: f32 = 7.0;
const FONT: FontId = FontId::monospace(11.0);

struct Viewer {
    trace: Trace,
    layout: Layout,
    vertical: Vertical,
    window: Window,
    rects: Vec<LineRect>,
}

impl eframe::App for Viewer {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
        let (ruler, area) = response.rect.split_top_bottom_at_y(response.rect.top() + RULER);
        self.window.resize(area.width() as u16, area.height() as u32, &self.vertical);
        self.navigate(ui, &response, area);
        self.draw(&painter.with_clip_rect(area), area);
        let (start, viewport) = (self.window.bounds().start, self.window.viewport());
        for mark in Ruler::since(start, viewport, self.trace.clock().unit, 100) {
            let x = ruler.left() + mark.x - viewport.offset();
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
        self.window.scroll(f64::from(-moved.y), &self.vertical);
        self.window.pan(f64::from(-moved.x));
        let Some(pointer) = response.hover_pos() else { return };
        self.window.zoom(f64::from(pointer.x - area.left()), f64::from(zoom));
        if response.double_clicked() {
            let slice = self.hit(pointer, area).and_then(|found| self.layout.place(found.rect.slice));
            let range = slice.map(|slice| slice.start..slice.end);
            self.window.fit(range.unwrap_or(self.window.bounds()));
        }
    }

    fn draw(&mut self, painter: &Painter, area: Rect) {
        let Self { trace, layout, vertical, window, rects } = self;
        let y = |top: u64| area.top() + (top as f64 - window.top()) as f32;
        vertical.rects(window.heights(), layout, window.viewport(), rects);
        for found in rects.iter() {
            let name = trace.slice_name(found.rect.slice);
            let [red, green, blue] = ColorKey::of(name.as_bytes()).rgb(Theme::Dark);
            let busy = 0.5 + 0.5 * found.rect.fill();
            let color = Color32::from_rgb(red, green, blue).gamma_multiply(busy);
            let Instance { x0, x1, .. } = Instance::new(&found.rect, window.viewport(), found.line.0, 0);
            let size = vec2((x1 - x0 - 0.5).max(1.0), found.height as f32 - 1.0);
            let shape = Rect::from_min_size(pos2(area.left() + x0, y(found.top)), size);
            painter.rect_filled(shape, 1.0, color);
            if let Some(label) = fit_chars(&name, ((x1 - x0) / LETTER - 1.0) as usize, Ellipsis::End) {
                let at = shape.left_center() + vec2(3.0, 0.0);
                painter.text(at, Align2::LEFT_CENTER, label, FONT, Color32::WHITE);
            }
        }
        for line in vertical.visible(window.heights()) {
            let at = pos2(area.left() + 3.0, y(line.bottom()));
            painter.text(at, Align2::LEFT_BOTTOM, line.label(trace).unwrap_or_default(), FONT, Color32::GRAY);
        }
    }

    /// Returns the rectangle that was drawn at a point of the screen.
    fn hit(&self, at: Pos2, area: Rect) -> Option<&LineRect> {
        self.window.hit(&self.rects, f64::from(at.x - area.left()), f64::from(at.y - area.top()))
    }

    /// Returns what there is to say about the rectangle at a point of the screen.
    fn tip(&self, at: Pos2, area: Rect) -> Option<String> {
        let (rect, trace) = (&self.hit(at, area)?.rect, &self.trace);
        let duration = trace.clock().duration(trace.slice(rect.slice)?.duration());
        let others = if rect.count > 1 { format!(", and {} more", rect.count - 1) } else { String::new() };
        let (name, args) = (trace.slice_name(rect.slice), trace.slice_args(rect.slice));
        Some(format!("{name} {args}\n{duration}{others}"))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: minimal FILE")?;
    let (trace, layout) = spall_trace::open_file(&path)?;
    let vertical = Vertical::new(&trace, &layout, &STYLE);
    let window = Window::new(trace.bounds().unwrap_or_default());
    let viewer = Viewer { trace, layout, vertical, window, rects: vec![] };
    Ok(eframe::run_native(&path.to_string_lossy(), Default::default(), Box::new(|_| Ok(Box::new(viewer))))?)
}
