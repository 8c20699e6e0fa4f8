//! A timeline of a trace, as a widget for egui.
//!
//! Keep a [`Timeline`] for each trace and call [`Timeline::ui`] for each frame; read and set its fields in between.

use std::{collections::HashMap, ops::Range};

use eframe::egui::{
    Align2, Color32, FontId, Mesh, Painter, PointerButton, Pos2, Rect, Response, Sense, Shape, Stroke,
    StrokeKind, Ui, pos2, vec2,
};
use spall_trace::Hidden;
use spall_trace::layout::{
    ColorKey, Ellipsis, Folds, Hits, Layout, LayoutView, Line, LineKind, LineRect, Ruler, Series, Theme,
    Vertical, VerticalStyle, Viewport, Window, active_range, fit_chars, instant_marks,
};
use spall_trace::model::{SliceId, Tick, Ticks, Trace, TraceView, TrackId, TrackKind};

const STYLE: VerticalStyle<'_> = VerticalStyle { process: 24, track: 20, row: 18, ..VerticalStyle::FLAT };
const MAP: f32 = 30.0;
const RULER: f32 = 20.0;
/// The part of the window that pinned tracks may take.
const PINNED: f32 = 0.4;
const FONT: FontId = FontId::monospace(11.0);
/// Boxes that are narrower than so many pixels look alike.
const BOX_WIDTH: u16 = 2;
/// A range snaps to edges of slices that are at most so many pixels away.
const SNAP: i64 = 5;
/// More arrows than these would hide the slices.
const MAX_ARROWS: usize = 100;

/// What a timeline shows, and what the user has chosen on it.
pub struct Timeline {
    /// The part of the trace that is visible. Its columns are pixels of the screen, its heights are points.
    pub window: Window,
    /// The slice that was clicked.
    pub selected: Option<SliceId>,
    /// The range of time that was dragged.
    pub range: Option<Range<Tick>>,
    /// The slices that stand out. Where there are none, all slices look the same.
    pub hits: Hits,
    /// The slices and instants that are not shown.
    pub hidden: Hidden,
    /// Whether a drag pans, and a drag with Shift selects a range. Otherwise it is the other way round.
    pub drag_pans: bool,
    /// The times that the user has marked.
    pub marks: Vec<Tick>,
    folds: Folds,
    vertical: Vertical,
    /// The tracks that stay in sight above the others, and their lines.
    pinned: Vec<TrackId>,
    pinned_lines: Vertical,
    rects: Vec<LineRect>,
    pinned_rects: Vec<LineRect>,
    /// The colour of each name, as a position in the shades of a theme.
    shades: Vec<usize>,
    /// The series of each counter, stacked if possible.
    counters: HashMap<TrackId, Vec<Series>>,
    drag: Drag,
    /// What was shown before each jump, the latest last.
    history: Vec<Window>,
}

/// What a drag does.
#[derive(Clone, Copy)]
enum Drag {
    Pan,
    /// Selects a range that begins here.
    Select(Tick),
    /// Shows the range that begins here: a drag in the map.
    Show(Tick),
}

impl Timeline {
    /// Makes the timeline of a whole trace.
    pub fn new(trace: &Trace<'_>, layout: &Layout) -> Self {
        let counters = trace.track_ids().filter_map(|track| {
            let values = trace.counters_of(track);
            let layers = Series::stacked(values).unwrap_or_else(|| Series::of(values));
            (!layers.is_empty()).then_some((track, layers))
        });
        let mut window = Window::new(trace.bounds().unwrap_or_default());
        window.set_box_width(BOX_WIDTH);
        window.fit(active_range(trace, layout).unwrap_or_default());
        Self {
            window,
            selected: None,
            range: None,
            hits: Hits::default(),
            hidden: Hidden::default(),
            drag_pans: false,
            marks: Vec::new(),
            pinned: Vec::new(),
            pinned_lines: Vertical::default(),
            vertical: Vertical::new(trace, layout, &STYLE),
            folds: Folds::new(),
            rects: Vec::new(),
            pinned_rects: Vec::new(),
            shades: trace.names().iter().map(|name| ColorKey::without_digits(name).shade()).collect(),
            counters: counters.collect(),
            drag: Drag::Pan,
            history: Vec::new(),
        }
    }

    /// Shows what is not hidden, whose layout this is.
    pub fn lay_out(&mut self, hidden: Hidden, trace: &Trace<'_>, layout: &Layout) {
        self.hidden = hidden;
        self.selected = self.selected.filter(|&slice| layout.place(slice).is_some());
        self.stack(trace, layout);
    }

    /// Selects a slice, and makes it visible.
    pub fn select(&mut self, slice: SliceId, trace: &Trace<'_>, layout: &Layout) {
        self.history.push(self.window.clone());
        self.selected = Some(slice);
        self.folds.open(trace, slice);
        self.stack(trace, layout);
        if let Some(place) = layout.place(slice)
            && let Some(line) = self.vertical.line_of(place.row)
        {
            let heights = line.top..line.bottom();
            self.window.reveal(heights, place.start..place.end, &self.vertical);
        }
    }

    /// Zooms to a range of time.
    pub fn fit(&mut self, range: Range<Tick>) {
        self.history.push(self.window.clone());
        self.window.fit(range);
    }

    /// Zooms to the selected range, else to the selected slice, else to everything.
    pub fn fit_selection(&mut self, layout: &Layout) {
        let place = || layout.place(self.selected?).map(|place| place.start..place.end);
        let range = self.range.clone().or_else(place);
        self.fit(range.unwrap_or(self.window.bounds()));
    }

    /// Shows what was shown before the last jump.
    pub fn back(&mut self) {
        if let Some(window) = self.history.pop() {
            self.window = window;
        }
    }

    /// Moves down by a part of the window's height.
    pub fn scroll(&mut self, windows: f64) {
        let Range { start, end } = self.window.heights();
        self.window.scroll((end - start) as f64 * windows, &self.vertical);
    }

    /// Folds all processes, or opens everything.
    pub fn toggle_all(&mut self, trace: &Trace<'_>, layout: &Layout) {
        self.folds.toggle_all(trace);
        self.stack(trace, layout);
    }

    /// Keeps the track of the selected slice in sight, or no longer.
    pub fn toggle_pin(&mut self, trace: &Trace<'_>, layout: &Layout) {
        let Some(track) = self.selected.and_then(|slice| trace.track_of(slice)) else { return };
        match self.pinned.iter().position(|&pinned| pinned == track) {
            Some(at) => _ = self.pinned.remove(at),
            None => self.pinned.push(track),
        }
        self.stack(trace, layout);
    }

    /// Marks the start of the selected slice, or else the middle of the window. A mark that is there goes away.
    pub fn toggle_mark(&mut self, layout: &Layout) {
        let place = self.selected.and_then(|slice| layout.place(slice));
        let middle = f64::from(self.window.viewport().columns()) / 2.0;
        let at = place.map_or_else(|| self.window.tick_at(middle), |place| place.start);
        let n_marks = self.marks.len();
        self.marks.retain(|&mark| mark != at);
        if self.marks.len() == n_marks {
            self.marks.push(at);
        }
    }

    /// Stacks the lines again, after a fold or a pin.
    fn stack(&mut self, trace: &Trace<'_>, layout: &Layout) {
        let style = VerticalStyle { folds: Some(&self.folds), ..STYLE };
        self.vertical = Vertical::new(trace, layout, &style);
        let pinned = VerticalStyle { process: 0, tracks: Some(&self.pinned), ..style };
        self.pinned_lines = Vertical::new(trace, layout, &pinned);
    }

    /// Draws the timeline into all of `ui`, and handles the pointer.
    pub fn ui(&mut self, ui: &mut Ui, trace: &Trace<'_>, layout: &Layout) -> Response {
        let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
        let (map, rest) = response.rect.split_top_bottom_at_y(response.rect.top() + MAP);
        let (ruler, rest) = rest.split_top_bottom_at_y(rest.top() + RULER);
        let height = (self.pinned_lines.height() as f32).min(PINNED * rest.height());
        let (pinned, main) = rest.split_top_bottom_at_y(rest.top() + height);
        let place = Place { map, pinned, main, scale: ui.pixels_per_point() };
        self.window.resize(place.columns(main), main.height() as u32, &self.vertical);
        self.navigate(ui, &response, place);
        self.choose(ui, &response, place, trace, layout);

        let Self { window, rects, pinned_rects, .. } = self;
        self.vertical.rects(window.heights(), layout, &[], window.viewport(), rects);
        let (lines, heights) = (&self.pinned_lines, 0..height as u64);
        lines.rects(heights.clone(), layout, &[], window.viewport(), pinned_rects);
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
        self.draw_headers(&picture, self.pinned_lines.visible(heights), trace, layout);
        self.draw_slices(&picture, &self.pinned_rects, trace);
        self.draw_selection(&picture, &self.pinned_lines, layout);
        if !self.pinned.is_empty() {
            painter.hline(pinned.x_range(), pinned.bottom(), (1.0, picture.strong));
        }
        (picture.painter, picture.area) = (painter.with_clip_rect(rest), rest);
        self.draw_range(&picture, trace);
        self.draw_ruler(&picture, &painter, ruler, trace);
        self.draw_map(&picture, &painter, place, trace, layout);
        match response.hover_pos().and_then(|at| self.tip(at, place, trace)) {
            Some(tip) => response.on_hover_text_at_pointer(tip),
            None => response,
        }
    }

    /// Scrolls with the wheel, pans with Shift, zooms with Ctrl.
    fn navigate(&mut self, ui: &Ui, response: &Response, place: Place) {
        let Some(pointer) = response.hover_pos() else { return };
        let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        self.window.pan(f64::from(-scroll.x * place.scale));
        self.window.scroll(f64::from(-scroll.y), &self.vertical);
        self.window.zoom(place.column(pointer), f64::from(zoom));
    }

    /// Handles drags and clicks.
    fn choose(&mut self, ui: &Ui, response: &Response, place: Place, trace: &Trace<'_>, layout: &Layout) {
        let Some(pointer) = response.interact_pointer_pos() else { return };
        let map = self.map(place);
        let map_tick = |at: Pos2| map.tick_at(place.column(at) + f64::from(map.offset()));
        if response.drag_started_by(PointerButton::Primary) {
            let (start, shift) = ui.input(|input| (input.pointer.press_origin(), input.modifiers.shift));
            let start = start.unwrap_or(pointer);
            let selects = start.y < place.pinned.top() || self.drag_pans == shift;
            self.drag = match start.y {
                y if y < place.map.bottom() => Drag::Show(map_tick(start)),
                _ if selects => Drag::Select(self.snap(place.column(start), layout)),
                _ => Drag::Pan,
            };
            if matches!(self.drag, Drag::Show(_)) {
                self.history.push(self.window.clone());
            }
        }
        if response.dragged() {
            match self.drag {
                Drag::Select(from) => {
                    let at = self.snap(place.column(pointer), layout);
                    self.range = Some(from.min(at)..from.max(at));
                }
                Drag::Show(from) => {
                    let at = map_tick(pointer);
                    self.window.fit(from.min(at)..from.max(at));
                }
                Drag::Pan => {
                    self.window.pan(f64::from(-response.drag_delta().x * place.scale));
                    self.window.scroll(f64::from(-response.drag_delta().y), &self.vertical);
                }
            }
        }
        if response.drag_stopped() {
            self.drag = Drag::Pan;
        }
        if response.clicked() && place.map.contains(pointer) {
            // The time that was clicked comes to the middle.
            let shown = self.window.viewport().range();
            let part = (map_tick(pointer) - shown.start).0 as f64 / (shown.end - shown.start).0.max(1) as f64;
            self.window.pan((part - 0.5) * f64::from(self.window.viewport().columns()));
        } else if response.clicked() && pointer.y > place.pinned.top() {
            if let Some(kind) = self.header_at(pointer, place) {
                self.folds.toggle(kind);
                self.stack(trace, layout);
            } else {
                self.selected = self.hit(pointer, place).map(|found| found.rect.slice);
                self.range = None;
            }
        }
        if response.double_clicked() || response.clicked_by(PointerButton::Middle) {
            self.selected = self.hit(pointer, place).map(|found| found.rect.slice);
            self.fit_selection(layout);
        }
    }

    /// Returns the time at a column, or the edge of a visible slice that is close to it.
    fn snap(&self, x: f64, layout: &Layout) -> Tick {
        let at = self.window.tick_at(x);
        let Range { start, end } = self.window.viewport().range();
        let pixel = (end - start).0 / i64::from(self.window.viewport().columns().max(1));
        let lines = self.vertical.visible(self.window.heights());
        layout.snap(lines, at, Ticks(pixel.saturating_mul(SNAP))).unwrap_or(at)
    }

    /// Returns the header at a point.
    fn header_at(&self, at: Pos2, place: Place) -> Option<LineKind> {
        let line = if place.pinned.contains(at) {
            self.pinned_lines.at((at.y - place.pinned.top()) as u64)
        } else {
            self.window.line_at(f64::from(at.y - place.main.top()), &self.vertical)
        };
        line.map(|line| line.kind).filter(|kind| matches!(kind, LineKind::Process(_) | LineKind::Track(_)))
    }

    /// Returns the rectangle that was drawn at a point.
    fn hit(&self, at: Pos2, place: Place) -> Option<&LineRect> {
        let x = place.column(at);
        if place.pinned.contains(at) {
            let column = x + f64::from(self.window.viewport().offset());
            return LineRect::hit(&self.pinned_rects, column as u32, (at.y - place.pinned.top()) as u64);
        }
        self.window.hit(&self.rects, x, f64::from(at.y - place.main.top()))
    }

    /// Returns the viewport of the map: the whole trace.
    fn map(&self, place: Place) -> Viewport {
        Viewport::new(self.window.bounds(), place.columns(place.map))
    }

    /// Returns what there is to say about the rectangle at a point.
    fn tip(&self, at: Pos2, place: Place, trace: &Trace<'_>) -> Option<String> {
        let rect = &self.hit(at, place)?.rect;
        let duration = trace.clock().duration(trace.slice(rect.slice)?.duration());
        let others = if rect.count > 1 { format!(", and {} more", rect.count - 1) } else { String::new() };
        Some(format!("{}\n{duration}{others}", trace.slice_name(rect.slice)))
    }

    /// Draws the slices: all boxes as one mesh, then the labels.
    fn draw_slices(&self, picture: &Picture, rects: &[LineRect], trace: &Trace<'_>) {
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
    fn draw_headers(&self, picture: &Picture, lines: &[Line], trace: &Trace<'_>, layout: &Layout) {
        let (mut shapes, mut busy) = (Mesh::default(), Vec::new());
        let (mut runs, mut marks, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        let viewport = self.window.viewport();
        for line in lines {
            let Some(label) = line.label(trace) else { continue };
            let (top, bottom) = (picture.y(line.top), picture.y(line.bottom()) - 1.0);
            // The part of the line from a height of 0 to 1.
            let bar = |x0: f32, x1: f32, height: f32| {
                let mut shape = picture.strip(x0 - viewport.offset(), x1 - viewport.offset());
                (shape.min.y, shape.max.y) = (bottom - height * (bottom - top - 2.0), bottom);
                shape
            };
            if self.folds.is_folded(line.kind) {
                let rows = line.outermost_rows(trace, layout);
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

    /// Draws the flows that leave or reach the selected slice.
    fn draw_flows(&self, picture: &Picture, trace: &Trace<'_>, layout: &Layout) {
        let Some(selected) = self.selected else { return };
        let place = |slice, at| {
            let line = self.vertical.line_of(layout.row_of(slice)?)?;
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
        if let Some(place) = self.selected.and_then(|slice| layout.place(slice))
            && let Some(line) = lines.line_of(place.row)
        {
            let mut shape = picture.strip(self.window.x(place.start), self.window.x(place.end));
            (shape.min.y, shape.max.y) = (picture.y(line.top), picture.y(line.bottom()) - 1.0);
            shape.max.x = shape.max.x.max(shape.min.x + 2.0);
            picture.painter.rect_stroke(shape, 0.0, (2.0, picture.strong), StrokeKind::Outside);
        }
    }

    /// Draws the selected range, and the marks of the user.
    fn draw_range(&self, picture: &Picture, trace: &Trace<'_>) {
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
    fn draw_map(
        &self,
        picture: &Picture,
        painter: &Painter,
        place: Place,
        trace: &Trace<'_>,
        layout: &Layout,
    ) {
        let (map, viewport, mut busy) = (place.map, self.map(place), Vec::new());
        let is_thread =
            |track: &TrackId| !matches!(trace.tracks()[track.index()].kind, TrackKind::Async { .. });
        let rows = layout.outermost_rows(trace.track_ids().filter(is_thread));
        layout.busy_rows(rows, &viewport, &mut busy);
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
    fn draw_ruler(&self, picture: &Picture, painter: &Painter, ruler: Rect, trace: &Trace<'_>) {
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

/// Where the parts of the timeline are on the screen.
#[derive(Clone, Copy)]
struct Place {
    map: Rect,
    pinned: Rect,
    main: Rect,
    /// Pixels per point.
    scale: f32,
}

impl Place {
    /// Returns the column at a point, from the left edge of the window.
    fn column(&self, at: Pos2) -> f64 {
        f64::from((at.x - self.main.left()) * self.scale)
    }

    /// Returns the width of a part in columns.
    fn columns(&self, area: Rect) -> u16 {
        (area.width() * self.scale) as u16
    }
}

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
