//! Draws a timeline.

use std::{borrow::Cow, ops::Range};

use eframe::egui::{Align2, Color32, FontId, Mesh, Painter, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2};
use spall_trace::layout::{
    Ellipsis, Layout, LayoutView, Line, LineKind, LineRect, Ruler, Theme, Vertical, fit_chars, instant_marks,
};
use spall_trace::model::{Trace, TraceView};

use super::{Place, Timeline};

const FONT: FontId = FontId::monospace(11.0);
/// More arrows than these would hide the slices.
const MAX_ARROWS: usize = 100;

/// Where a frame is drawn, and its colours.
struct Picture {
    painter: Painter,
    area: Rect,
    /// How far the area is scrolled down.
    top: f64,
    /// Pixels per point.
    scale: f32,
    /// The width of a letter in points.
    letter: f32,
    shades: [Color32; 32],
    /// The colour of text on boxes.
    label: Color32,
    text: Color32,
    strong: Color32,
}

impl Picture {
    /// Returns where a column of the window is on the screen, at the edge of a pixel.
    fn x(&self, column: f32) -> f32 {
        self.area.left() + column.round() / self.scale
    }

    /// Returns where a distance from the top of the first line is on the screen.
    fn y(&self, top: u64) -> f32 {
        self.area.top() + (top as f64 - self.top).round() as f32
    }

    /// Returns the strip between two columns of the window, without a height.
    fn strip(&self, x0: f32, x1: f32) -> Rect {
        Rect::from_x_y_ranges(self.x(x0)..=self.x(x1), 0.0..=0.0)
    }

    /// The colour of what lies behind or over other things.
    fn faint(&self) -> Color32 {
        self.text.gamma_multiply(0.25)
    }
}

impl Timeline {
    /// Draws the slices of the last query, and what is around and above them.
    pub(super) fn draw(&self, ui: &Ui, painter: &Painter, place: Place, trace: &Trace, layout: &Layout) {
        let Place { pinned, main, .. } = place;
        let theme = if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light };
        let rgb = |[red, green, blue]: [u8; 3]| Color32::from_rgb(red, green, blue);
        let mut picture = Picture {
            painter: painter.with_clip_rect(main),
            area: main,
            top: self.window.top(),
            scale: place.scale,
            letter: ui.fonts_mut(|fonts| fonts.glyph_width(&FONT, 'm')),
            shades: theme.shades().map(rgb),
            label: rgb(theme.text()),
            text: ui.visuals().text_color(),
            strong: ui.visuals().strong_text_color(),
        };
        let lines = self.vertical.visible(self.window.heights());
        self.draw_headers(&picture, lines, trace, layout);
        self.draw_slices(&picture, &self.rects, trace);
        self.draw_flows(&picture, trace, layout);
        self.draw_selection(&picture, &self.vertical, layout);
        (picture.painter, picture.area, picture.top) = (painter.with_clip_rect(pinned), pinned, 0.0);
        let lines = self.pinned_lines.visible(place.pinned_heights());
        self.draw_headers(&picture, lines, trace, layout);
        self.draw_slices(&picture, &self.pinned_rects, trace);
        self.draw_selection(&picture, &self.pinned_lines, layout);
        if !self.pinned.is_empty() {
            painter.hline(pinned.x_range(), pinned.bottom(), (1.0, picture.strong));
        }
        picture.area = pinned.union(main);
        picture.painter = painter.with_clip_rect(picture.area);
        self.draw_range(&picture, trace);
        self.draw_ruler(&picture, painter, place.ruler, trace);
        self.draw_map(&picture, painter, place);
    }

    /// Draws the slices: all boxes as one mesh, then the labels.
    fn draw_slices(&self, picture: &Picture, rects: &[LineRect], trace: &Trace) {
        let mut boxes = Mesh::default();
        let offset = self.window.viewport().offset();
        let mut labels = Vec::new();
        for LineRect { rect, top, height, .. } in rects {
            let name = trace.slice_name_id(rect.slice).unwrap_or_default();
            let busy = 0.5 + 0.5 * rect.fill();
            let is_dim = !self.hits.is_empty() && self.hits.in_rect(rect) == Some(0);
            let color = picture.shades[self.shades[name.index()]];
            let color = color.gamma_multiply(if is_dim { 0.25 * busy } else { busy });
            let mut shape = picture.strip(rect.x0 as f32 - offset, rect.x1 as f32 - offset);
            shape.min.y = picture.y(*top);
            shape.max.y = shape.min.y + *height as f32 - 1.0;
            if rect.x1 - rect.x0 >= 3 {
                shape.max.x -= 1.0 / picture.scale; // A gap between neighbours of one colour.
            }
            boxes.add_colored_rect(shape, color);
            let letters = (shape.width() / picture.letter - 1.0) as usize;
            if letters >= 3
                && let Some(label) = fit_chars(&trace.name(name), letters, Ellipsis::End)
            {
                labels.push((shape.left_center() + vec2(3.0, 0.0), label.to_string()));
            }
        }
        picture.painter.add(Shape::mesh(boxes));
        for (at, label) in labels {
            picture.painter.text(at, Align2::LEFT_CENTER, label, FONT, picture.label);
        }
    }

    /// Draws the labels of processes and tracks, and what is shown beside them: how busy a folded group is, counters
    /// and instants.
    fn draw_headers(&self, picture: &Picture, lines: &[Line], trace: &Trace, layout: &Layout) {
        let (mut shapes, mut busy) = (Mesh::default(), Vec::new());
        let (mut runs, mut marks, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        let viewport = self.window.viewport();
        for line in lines {
            let Some(label) = self.label(line, trace) else { continue };
            let (top, bottom) = (picture.y(line.top), picture.y(line.bottom()) - 1.0);
            // The part of the line from a height of 0 to 1.
            let bar = |x0: f32, x1: f32, height: f32| {
                let mut shape = picture.strip(x0 - viewport.offset(), x1 - viewport.offset());
                (shape.min.y, shape.max.y) = (bottom - height * (bottom - top - 2.0), bottom);
                shape
            };
            if self.folds.is_folded(line.kind) {
                let rows = match line.kind {
                    LineKind::Pack(pack) => {
                        layout.outermost_rows(self.packs[pack.index()].tracks().iter().copied())
                    }
                    _ => line.outermost_rows(trace, layout),
                };
                let most = rows.len().max(1) as f32;
                layout.busy_rows(rows, viewport, &mut busy);
                for (x, &rows) in busy.iter().enumerate().filter(|&(_, &rows)| rows > 0.0) {
                    let height = (rows / most).max(0.05);
                    shapes.add_colored_rect(bar(x as f32, x as f32 + 1.0, height), picture.faint());
                }
            }
            if let LineKind::Track(track) = line.kind {
                for series in self.counters.get(&track).into_iter().flatten().rev() {
                    let most = series.bounds().map_or(1.0, |(_, most)| most.max(f64::MIN_POSITIVE));
                    let color = picture.shades[self.shades[series.name().index()]].gamma_multiply(0.7);
                    runs.clear();
                    series.runs(viewport, &mut runs);
                    for run in &runs {
                        let height = (run.max / most).clamp(0.0, 1.0) as f32;
                        shapes.add_colored_rect(bar(run.x0 as f32, run.x1 as f32, height), color);
                    }
                }
                let instants = self.hidden.instants(trace.instants_of(track));
                marks.clear();
                instant_marks(&instants, viewport, &mut marks);
                for mark in &marks {
                    let at = bar(mark.column as f32, mark.column as f32 + 2.0, 0.4);
                    shapes.add_colored_rect(at, picture.strong);
                }
            }
            let sign = if self.folds.is_folded(line.kind) { '▶' } else { '▼' };
            let (at, color) = match line.kind {
                LineKind::Process(_) => (pos2(picture.area.left() + 4.0, bottom - 4.0), picture.strong),
                _ => {
                    let indent = 14.0 + 12.0 * line.level.min(16) as f32;
                    (pos2(picture.area.left() + indent, bottom - 3.0), picture.text)
                }
            };
            labels.push((at, format!("{sign} {label}"), color));
        }
        picture.painter.add(Shape::mesh(shapes));
        for (at, label, color) in labels {
            picture.painter.text(at, Align2::LEFT_BOTTOM, label, FONT, color);
        }
    }

    /// Returns the text on a header, or `None` for another line. That of a pack says how many spans it has.
    fn label<'t>(&self, line: &Line, trace: &'t Trace) -> Option<Cow<'t, str>> {
        let LineKind::Pack(pack) = line.kind else { return line.label(trace) };
        let (group, packed) = (self.groups.get(pack.index())?, self.packs.get(pack.index())?);
        Some(format!("{} ({} spans)", group.title(trace), packed.n_slices()).into())
    }

    /// Draws the flows that leave or reach the selected slice.
    fn draw_flows(&self, picture: &Picture, trace: &Trace, layout: &Layout) {
        let Some(selected) = self.selected else { return };
        let place = |slice, at| {
            let line = self.vertical.line_of_slice(layout, slice)?;
            let y = picture.y(line.top) + line.height as f32 / 2.0;
            Some(pos2(picture.x(self.window.x(at)), y))
        };
        let flows = trace.flows().iter().filter(|flow| [flow.from, flow.to].contains(&selected));
        for flow in flows.take(MAX_ARROWS) {
            if let (Some(from), Some(to)) = (place(flow.from, flow.leaves), place(flow.to, flow.arrives)) {
                picture.painter.arrow(from, to - from, Stroke::new(1.5, picture.strong));
            }
        }
    }

    /// Draws the outline of the selected slice.
    fn draw_selection(&self, picture: &Picture, lines: &Vertical, layout: &Layout) {
        if let Some(slice) = self.selected
            && let Some(place) = layout.place(slice)
            && let Some(line) = lines.line_of_slice(layout, slice)
        {
            let mut shape = picture.strip(self.window.x(place.start), self.window.x(place.end));
            (shape.min.y, shape.max.y) = (picture.y(line.top), picture.y(line.bottom()) - 1.0);
            shape.max.x = shape.max.x.max(shape.min.x + 2.0);
            picture.painter.rect_stroke(shape, 0.0, (2.0, picture.strong), StrokeKind::Outside);
        }
    }

    /// Draws the selected range, and the marks of the user.
    fn draw_range(&self, picture: &Picture, trace: &Trace) {
        let Range { start, end } = self.window.viewport().range();
        for &mark in self.marks.iter().filter(|&&mark| (start..end).contains(&mark)) {
            let x = picture.x(self.window.x(mark));
            picture.painter.vline(x, picture.area.y_range(), (1.5, picture.strong));
            let time = trace.clock().duration(mark - self.window.bounds().start).to_string();
            let at = pos2(x + 3.0, picture.area.bottom());
            picture.painter.text(at, Align2::LEFT_BOTTOM, time, FONT, picture.strong);
        }
        if let Some(range) = &self.range {
            let mut shape = picture.strip(self.window.x(range.start), self.window.x(range.end));
            (shape.min.y, shape.max.y) = (picture.area.top(), picture.area.bottom());
            picture.painter.rect_filled(shape, 0.0, picture.faint());
            let duration = trace.clock().duration(range.end - range.start).to_string();
            picture.painter.text(shape.center_top(), Align2::CENTER_TOP, duration, FONT, picture.strong);
        }
    }

    /// Draws the map: how many threads are busy in the whole trace, what is found, marked and selected, and the part
    /// that the window shows.
    fn draw_map(&self, picture: &Picture, painter: &Painter, place: Place) {
        let (map, viewport, busy) = (place.map, self.map(place), &self.map);
        let most = busy.iter().copied().fold(1.0, f32::max);
        let mut shapes = Mesh::default();
        for (x, &threads) in busy.iter().enumerate().filter(|&(_, &threads)| threads > 0.0) {
            let mut bar = picture.strip(x as f32, x as f32 + 1.0);
            let height = (threads / most * (map.height() - 4.0)).max(1.0);
            (bar.min.y, bar.max.y) = (map.bottom() - height, map.bottom());
            shapes.add_colored_rect(bar, picture.text.gamma_multiply(0.6));
        }
        painter.add(Shape::mesh(shapes));
        let x = |at| picture.x(viewport.x(at) - viewport.offset());
        for &mark in &self.marks {
            painter.vline(x(mark), map.y_range(), (1.5, picture.strong));
        }
        if let Some(range) = &self.range {
            painter.hline(x(range.start)..=x(range.end), map.bottom() - 1.0, (3.0, picture.strong));
        }
        let shown = self.window.viewport().range();
        let mut shown = Rect::from_x_y_ranges(x(shown.start)..=x(shown.end), map.y_range());
        shown.max.x = shown.max.x.max(shown.min.x + 2.0);
        painter.rect_filled(shown, 0.0, picture.faint());
        painter.rect_stroke(shown, 0.0, (1.0, picture.text), StrokeKind::Inside);
    }

    /// Draws the marks of time since the start of the trace.
    fn draw_ruler(&self, picture: &Picture, painter: &Painter, ruler: Rect, trace: &Trace) {
        let (start, viewport) = (self.window.bounds().start, self.window.viewport());
        let apart = (100.0 * picture.scale) as u16;
        for mark in Ruler::since(start, viewport, trace.clock().unit, apart) {
            let x = picture.x(mark.x - viewport.offset());
            painter.vline(x, ruler.y_range(), (1.0, picture.faint()));
            let at = pos2(x + 3.0, ruler.center().y);
            painter.text(at, Align2::LEFT_CENTER, mark.label, FONT, picture.text);
        }
    }
}
