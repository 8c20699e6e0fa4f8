//! Draws a timeline.

use std::ops::Range;

use eframe::egui::{
    Align2, Color32, FontId, Mesh, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2,
};
use spall_trace::layout::{Ellipsis, LayoutView, Line, LineKind, Theme, Vertical, fit_chars};
use spall_trace::model::TraceView;
use spall_view::{
    ChartPart, Element, Engine, FoundCounts, Item, Marks, NamedBox, ObjectLines, Part, Strip, Style,
};

use super::{Areas, Timeline};

const FONT: FontId = FontId::monospace(11.0);
/// How much of a colour is left of what was not found.
const DIMMED: f32 = 0.25;
/// Half the width of the mark of an instant.
const MARK: f32 = 4.0;

/// Where a part of a frame is drawn, and its colours.
struct Picture<'e> {
    engine: &'e Engine,
    /// What is looked for, if something was found.
    found: Option<FoundCounts>,
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
    /// The colour of what was found.
    hit: Color32,
    /// What is behind everything.
    back: Color32,
}

impl Picture<'_> {
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

    fn write(&self, at: Pos2, anchor: Align2, text: impl ToString, color: Color32) {
        self.painter.text(at, anchor, text, FONT, color);
    }

    /// Writes a name of a header, which stays legible over what is drawn on its line.
    fn name(&self, at: Pos2, anchor: Align2, text: String, color: Color32) {
        let text = self.painter.layout_no_wrap(text, FONT, color);
        let shape = anchor.anchor_size(at, text.size());
        self.painter.rect_filled(shape, 0.0, self.back.gamma_multiply(0.7));
        self.painter.galley(shape.min, text, color);
    }
}

impl Timeline {
    /// Draws the last frame, and what is around and above it.
    pub(super) fn draw(&self, ui: &Ui, painter: &Painter, areas: Areas, engine: &Engine) {
        let Areas { pinned, main, .. } = areas;
        let theme = if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light };
        let rgb = |[red, green, blue]: [u8; 3]| Color32::from_rgb(red, green, blue);
        let is_any = |found: &FoundCounts| found.total > 0;
        let mut picture = Picture {
            engine,
            found: engine.found().filter(is_any),
            painter: painter.with_clip_rect(main),
            area: main,
            top: engine.view().window().top(),
            scale: areas.scale,
            letter: ui.fonts_mut(|fonts| fonts.glyph_width(&FONT, 'm')),
            shades: theme.shades().map(rgb),
            label: rgb(theme.text()),
            text: ui.visuals().text_color(),
            strong: ui.visuals().strong_text_color(),
            hit: ui.visuals().warn_fg_color,
            back: ui.visuals().panel_fill,
        };
        let view = engine.view();
        picture.part(&self.frame.main, view.main(), view.window().heights());
        picture.arrows(&self.frame.arrows, self.frame.arrows_left_out);
        (picture.painter, picture.area, picture.top) = (painter.with_clip_rect(pinned), pinned, 0.0);
        picture.part(&self.frame.pinned, view.pinned(), 0..pinned.height() as u64);
        if pinned.height() > 0.0 {
            painter.hline(pinned.x_range(), pinned.bottom(), (1.0, picture.strong));
        }
        picture.area = pinned.union(main);
        picture.painter = painter.with_clip_rect(picture.area);
        picture.range_and_marks();
        picture.painter = painter.clone();
        for (column, label) in &self.frame.ruler {
            let x = picture.x(*column);
            picture.painter.vline(x, areas.ruler.y_range(), (1.0, picture.faint()));
            picture.write(pos2(x + 3.0, areas.ruler.center().y), Align2::LEFT_CENTER, label, picture.text);
        }
        picture.map(&self.map, areas);
    }
}

impl Picture<'_> {
    /// Draws everything of a part of the timeline but arrows.
    fn part(&self, part: &Part, vertical: &Vertical, heights: Range<u64>) {
        let mut shapes = Mesh::default();
        part.strips.iter().for_each(|strip| self.busy(&mut shapes, strip));
        part.charts.iter().for_each(|chart| self.chart(&mut shapes, chart));
        // Behind the slices, so that they hide no name.
        part.wide.iter().for_each(|marks| self.wide(&mut shapes, marks));
        self.painter.add(Shape::mesh(shapes));
        self.boxes(part);
        part.marks.iter().for_each(|marks| self.marks(marks));
        for line in vertical.visible(heights) {
            self.header(line);
        }
        for ObjectLines { top, label, .. } in &part.objects {
            let at = pos2(self.area.left() + 14.0, self.y(*top) + 1.0);
            self.name(at, Align2::LEFT_TOP, label.clone(), self.text);
        }
        self.selection(vertical);
    }

    /// Draws the boxes as one mesh, then the labels of slices.
    fn boxes(&self, part: &Part) {
        let (mut boxes, mut labels) = (Mesh::default(), Vec::new());
        let selected = self.engine.view().place().selected.as_ref().map(|selected| selected.element);
        let mut outlines = Vec::new();
        for found in part.boxes.iter() {
            let mut shape = self.strip(found.x0, found.x1);
            shape.min.y = self.y(found.top.into());
            shape.max.y = shape.min.y + found.height as f32 - 1.0;
            if found.x1 - found.x0 >= 3.0 {
                shape.max.x -= 1.0 / self.scale; // A gap between neighbours of one colour.
            }
            let color = self.color(&found);
            match found.style.has(Style::UNFINISHED) && shape.width() > 8.0 {
                true => add_torn(&mut boxes, shape, color),
                false => boxes.add_colored_rect(shape, color),
            }
            // A slice has its outline by its place: it may be one of several in a box.
            if found.style.has(Style::STATE) && selected == Some(found.element()) {
                outlines.push((shape, self.strong));
            }
            if found.style.has(Style::HIT) && shape.width() > 2.0 {
                outlines.push((shape, self.hit));
            }
            let letters = (shape.width() / self.letter - 1.0) as usize;
            if letters >= 3
                && matches!(found.element(), Element::Slice(_) | Element::Derived(_))
                && let Some(label) = fit_chars(&self.engine.box_name(found.name), letters, Ellipsis::End)
            {
                labels.push((shape.left_center() + vec2(3.0, 0.0), label.to_string()));
            }
        }
        self.painter.add(Shape::mesh(boxes));
        for (shape, color) in outlines {
            self.painter.rect_stroke(shape, 0.0, (1.0, color), StrokeKind::Inside);
        }
        for (at, label) in labels {
            self.write(at, Align2::LEFT_CENTER, label, self.label);
        }
    }

    fn color(&self, found: &NamedBox) -> Color32 {
        let style = found.style;
        let own = self.engine.own_colours().get(style.upper() as usize).filter(|_| style.has(Style::OWN));
        let color = match own {
            Some(&[red, green, blue]) => Color32::from_rgb(red, green, blue),
            None => self.shades[style.shade()],
        };
        let is_dim = self.found.is_some() && !style.has(Style::HIT);
        color.gamma_multiply((0.5 + 0.5 * style.busy()) * if is_dim { DIMMED } else { 1.0 })
    }

    /// Draws how many of the lanes are busy that a header stands for.
    fn busy(&self, shapes: &mut Mesh, strip: &Strip) {
        let most = strip.busy.iter().copied().fold(1.0, f32::max);
        let (bottom, high) = (self.y(strip.top) + strip.height as f32 - 1.0, strip.height as f32 - 3.0);
        for (column, &busy) in strip.busy.iter().enumerate().filter(|&(_, &busy)| busy > 0.0) {
            let x = column as f32 - strip.offset;
            let mut bar = self.strip(x, x + 1.0);
            (bar.min.y, bar.max.y) = (bottom - (busy / most).max(0.05) * high, bottom);
            shapes.add_colored_rect(bar, self.faint());
        }
    }

    /// Draws the layers of a counter from its least to its largest value.
    fn chart(&self, shapes: &mut Mesh, chart: &ChartPart) {
        let (least, most) = (chart.least, chart.most);
        let bottom = self.y(chart.top) + chart.height as f32 - 2.0;
        let high = chart.height as f32 - 6.0;
        let span = if most > least { most - least } else { 1.0 };
        let y = |value: f64| bottom - high * ((value.clamp(least, most) - least) / span) as f32;
        for layer in &chart.layers {
            let shade = usize::from(layer.shade) % 32;
            let [red, green, blue] = Theme::OkabeIto.shades()[shade];
            let color = match chart.apart {
                true => Color32::from_rgb(red, green, blue),
                false => self.shades[shade].gamma_multiply(0.7),
            };
            for &[x0, x1, _, value] in layer.runs.as_chunks().0 {
                let mut bar = self.strip(x0 - chart.offset, x1 - chart.offset);
                let (value, zero) = (y(value.into()), y(0.0));
                (bar.min.y, bar.max.y) = (value.min(zero), value.max(zero).max(value.min(zero) + 1.0));
                shapes.add_colored_rect(bar, color);
            }
        }
        let at = pos2(self.area.right() - 4.0, self.y(chart.top) + 2.0);
        self.write(at, Align2::RIGHT_TOP, most, self.text);
    }

    /// Draws instants of a process or of the whole trace, through all of its rows.
    fn wide(&self, shapes: &mut Mesh, marks: &Marks) {
        let (top, bottom) = (self.y(marks.top) + 2.0, self.y(marks.bottom.unwrap_or(marks.top)));
        for &[column, ..] in marks.numbers.as_chunks::<4>().0 {
            let x = column as f32 - marks.offset;
            let mut line = self.strip(x, x + 1.0);
            (line.min.y, line.max.y) = (top, bottom);
            shapes.add_colored_rect(line, self.strong.gamma_multiply(0.45));
        }
    }

    /// Draws instants as diamonds.
    fn marks(&self, marks: &Marks) {
        let y = self.y(marks.top) + 2.0 + MARK;
        let selected = self.engine.view().place().selected.as_ref().map(|selected| selected.element);
        for &[column, id, _, is_found] in marks.numbers.as_chunks().0 {
            let x = self.x(column as f32 + 0.5 - marks.offset);
            let color = match (is_found > 0, &self.found) {
                (true, _) => self.hit,
                (false, Some(_)) => self.strong.gamma_multiply(DIMMED),
                (false, None) => self.strong,
            };
            let is_selected = selected == Some(Element::Instant(id));
            let outline = if is_selected { Stroke::new(2.0, self.hit) } else { Stroke::NONE };
            let corners = vec![pos2(x, y - MARK), pos2(x + MARK, y), pos2(x, y + MARK), pos2(x - MARK, y)];
            self.painter.add(Shape::convex_polygon(corners, color, outline));
        }
    }

    /// Draws the text on a header.
    fn header(&self, line: &Line) {
        let (view, trace) = (self.engine.view(), self.engine.trace());
        let Some((label, item)) = view.label(line, trace).zip(Item::of_header(line.kind)) else { return };
        let sign = if view.is_folded(line.kind) { '▶' } else { '▼' };
        // Objects are below the header of their process.
        let heights = view.heights();
        let (left, height, color) = match line.kind {
            LineKind::Process(_) => (4.0, heights.process, self.strong),
            _ => (14.0 + 12.0 * line.level.min(16) as f32, line.height.min(heights.gap), self.text),
        };
        let is_found = self.found.as_ref().is_some_and(|found| found.tracks.contains(&item));
        let at = pos2(self.area.left() + left, self.y(line.top) + height as f32 - 4.0);
        self.name(
            at,
            Align2::LEFT_BOTTOM,
            format!("{sign} {label}"),
            if is_found { self.hit } else { color },
        );
    }

    /// Draws arrows: for each the column and the height of its two places, how many flows it stands for, and 1 if it is the
    /// selected slice's.
    fn arrows(&self, arrows: &[f32], n_left_out: usize) {
        for &[x0, y0, x1, y1, _, is_own] in arrows.as_chunks().0 {
            let (from, to) = (pos2(self.x(x0), self.y(y0 as u64)), pos2(self.x(x1), self.y(y1 as u64)));
            let stroke = match is_own > 0.0 {
                true => Stroke::new(1.5, self.strong),
                false => Stroke::new(1.0, self.text.gamma_multiply(0.55)),
            };
            self.painter.arrow(from, to - from, stroke);
        }
        if n_left_out > 0 {
            let text = format!("{n_left_out} more flow arrows");
            self.write(self.area.right_bottom(), Align2::RIGHT_BOTTOM, text, self.strong);
        }
    }

    /// Draws the outline of the selected slice.
    fn selection(&self, vertical: &Vertical) {
        let (view, layout) = (self.engine.view(), self.engine.layout());
        let Some(slice) = view.selected_slice() else { return };
        let Some(place) = layout.place(slice) else { return };
        let Some(line) = vertical.line_of_slice(layout, slice) else { return };
        let mut shape = self.strip(view.window().x(place.start), view.window().x(place.end));
        (shape.min.y, shape.max.y) = (self.y(line.top), self.y(line.bottom()) - 1.0);
        shape.max.x = shape.max.x.max(shape.min.x + 2.0);
        self.painter.rect_stroke(shape, 0.0, (2.0, self.strong), StrokeKind::Outside);
    }

    /// Draws the selected range, and the marks of the user.
    fn range_and_marks(&self) {
        let (view, clock) = (self.engine.view(), self.engine.trace().clock());
        let Range { start, end } = view.window().viewport().range();
        for mark in &view.place().marks {
            let at = view.tick(mark.at);
            if !(start..end).contains(&at) {
                continue;
            }
            let x = self.x(view.window().x(at));
            self.painter.vline(x, self.area.y_range(), (1.5, self.strong));
            let text = format!("{} {}", clock.duration(mark.at.0), mark.text);
            let at = pos2(x + 3.0, self.area.bottom());
            self.write(at, Align2::LEFT_BOTTOM, text.trim_end(), self.strong);
        }
        if let Some((range, items)) = view.range() {
            let mut shape = self.strip(view.window().x(range.start), view.window().x(range.end));
            (shape.min.y, shape.max.y) = (self.area.top(), self.area.bottom());
            self.painter.rect_filled(shape, 0.0, self.faint());
            let mut text = clock.duration(range.end - range.start).to_string();
            if items.is_some() {
                text += ", some tracks";
            }
            self.write(shape.center_top(), Align2::CENTER_TOP, text, self.strong);
        }
    }

    /// Draws the map: how many threads are busy in the whole trace, what is marked and selected, and the part that the window
    /// shows.
    fn map(&self, busy: &[f32], areas: Areas) {
        let (map, viewport, view) = (areas.map, areas.map(self.engine), self.engine.view());
        let most = busy.iter().copied().fold(1.0, f32::max);
        let mut shapes = Mesh::default();
        for (x, &threads) in busy.iter().enumerate().filter(|&(_, &threads)| threads > 0.0) {
            let mut bar = self.strip(x as f32, x as f32 + 1.0);
            let height = (threads / most * (map.height() - 4.0)).max(1.0);
            (bar.min.y, bar.max.y) = (map.bottom() - height, map.bottom());
            shapes.add_colored_rect(bar, self.text.gamma_multiply(0.6));
        }
        self.painter.add(Shape::mesh(shapes));
        let x = |at| self.x(viewport.x(at) - viewport.offset());
        for mark in &view.place().marks {
            self.painter.vline(x(view.tick(mark.at)), map.y_range(), (1.5, self.strong));
        }
        if let Some((range, _)) = view.range() {
            self.painter.hline(x(range.start)..=x(range.end), map.bottom() - 1.0, (3.0, self.strong));
        }
        let shown = view.window().viewport().range();
        let mut shown = Rect::from_x_y_ranges(x(shown.start)..=x(shown.end), map.y_range());
        shown.max.x = shown.max.x.max(shown.min.x + 2.0);
        self.painter.rect_filled(shown, 0.0, self.faint());
        self.painter.rect_stroke(shown, 0.0, (1.0, self.text), StrokeKind::Inside);
    }
}

/// Adds a box whose right edge is torn off: nobody knows where it ends.
fn add_torn(boxes: &mut Mesh, shape: Rect, color: Color32) {
    const TOOTH: f32 = 4.0;
    let (middle, right) = (shape.center().y, shape.right());
    boxes.add_colored_rect(shape.with_max_x(right - TOOTH), color);
    for (top, bottom) in [(shape.top(), middle), (middle, shape.bottom())] {
        let first = boxes.vertices.len() as u32;
        for at in [pos2(right - TOOTH, top), pos2(right, (top + bottom) / 2.0), pos2(right - TOOTH, bottom)] {
            boxes.colored_vertex(at, color);
        }
        boxes.add_triangle(first, first + 1, first + 2);
    }
}
