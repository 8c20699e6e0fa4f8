//! A timeline of a trace, as a widget for egui.
//!
//! Keep a [`Timeline`] for each trace and call [`Timeline::ui`] for each frame; read and set its fields in between.

mod draw;

use std::{collections::HashMap, ops::Range};

use eframe::egui::{PointerButton, Pos2, Rect, Response, Sense, Ui};
use spall_trace::Hidden;
use spall_trace::layout::{
    AsyncGroup, ColorKey, Folds, Hits, Layout, LayoutView, LineKind, LineRect, Packed, Series, Vertical,
    VerticalStyle, Viewport, Window, active_range, shown_tracks,
};
use spall_trace::model::{SliceId, Tick, Ticks, Trace, TraceView, TrackId, TrackKind};

const STYLE: VerticalStyle<'_> =
    VerticalStyle { process: 24, track: 20, pack: 20, row: 18, ..VerticalStyle::FLAT };
const MAP: f32 = 30.0;
const RULER: f32 = 20.0;
/// The part of the window that pinned tracks may take.
const PINNED: f32 = 0.4;
/// Boxes that are narrower than so many pixels look alike.
const BOX_WIDTH: u16 = 2;
/// A range snaps to edges of slices that are at most so many pixels away.
const SNAP: i64 = 5;

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
    /// The tracks that are shown.
    tracks: Vec<TrackId>,
    /// The async tracks that share lines, and these lines, by pack.
    groups: Vec<AsyncGroup>,
    packs: Vec<Packed>,
    /// How busy the threads are in each pixel of the map; empty if that has to be found out.
    map: Vec<f32>,
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
    pub fn new(trace: &Trace, layout: &Layout) -> Self {
        let counters = trace.track_ids().filter_map(|track| {
            let values = trace.counters_of(track);
            let layers = Series::stacked(values).unwrap_or_else(|| Series::of(values));
            (!layers.is_empty()).then_some((track, layers))
        });
        let mut window = Window::new(trace.bounds().unwrap_or_default());
        window.set_box_width(BOX_WIDTH);
        window.fit(active_range(trace, layout).unwrap_or_default());
        let tracks = shown_tracks(trace, layout);
        let groups = AsyncGroup::all(trace, tracks.iter().copied());
        let mut timeline = Self {
            window,
            selected: None,
            range: None,
            hits: Hits::default(),
            hidden: Hidden::default(),
            drag_pans: false,
            marks: Vec::new(),
            pinned: Vec::new(),
            pinned_lines: Vertical::default(),
            vertical: Vertical::default(),
            tracks,
            groups,
            packs: Vec::new(),
            map: Vec::new(),
            folds: Folds::new(),
            rects: Vec::new(),
            pinned_rects: Vec::new(),
            shades: trace.names().iter().map(|name| ColorKey::without_digits(name).shade()).collect(),
            counters: counters.collect(),
            drag: Drag::Pan,
            history: Vec::new(),
        };
        timeline.pack(layout);
        timeline.folds.fold_tall(&timeline.packs);
        timeline.stack(trace, layout);
        timeline
    }

    /// Packs what is shown of the async tracks.
    fn pack(&mut self, layout: &Layout) {
        let is_shown = |track: &TrackId| self.tracks.binary_search(track).is_ok();
        let shown = |group: &AsyncGroup| group.tracks.iter().copied().filter(is_shown).collect::<Vec<_>>();
        self.packs = self.groups.iter().map(|group| Packed::new(layout, shown(group))).collect();
    }

    /// Shows what is not hidden, whose layout this is, without these tracks.
    pub fn lay_out(&mut self, hidden: Hidden, hidden_tracks: &[TrackId], trace: &Trace, layout: &Layout) {
        self.hidden = hidden;
        self.tracks = shown_tracks(trace, layout);
        self.tracks.retain(|track| !hidden_tracks.contains(track));
        self.selected = self.selected.filter(|&slice| layout.place(slice).is_some());
        self.map.clear();
        self.pack(layout);
        self.stack(trace, layout);
    }

    /// Selects a slice, and makes it visible.
    pub fn select(&mut self, slice: SliceId, trace: &Trace, layout: &Layout) {
        self.history.push(self.window.clone());
        self.selected = Some(slice);
        self.folds.open(trace, slice);
        self.folds.open_pack(trace, &self.packs, slice);
        self.stack(trace, layout);
        if let Some(place) = layout.place(slice)
            && let Some(line) = self.vertical.line_of_slice(layout, slice)
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
    pub fn toggle_all(&mut self, trace: &Trace, layout: &Layout) {
        self.folds.toggle_all(trace);
        self.stack(trace, layout);
    }

    /// Keeps the track of the selected slice in sight, or no longer.
    pub fn toggle_pin(&mut self, trace: &Trace, layout: &Layout) {
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
    fn stack(&mut self, trace: &Trace, layout: &Layout) {
        let style = VerticalStyle {
            folds: Some(&self.folds),
            tracks: Some(&self.tracks),
            packs: &self.packs,
            ..STYLE
        };
        self.vertical = Vertical::new(trace, layout, &style);
        let pinned: Vec<_> =
            self.pinned.iter().copied().filter(|track| self.tracks.binary_search(track).is_ok()).collect();
        // A pinned track has lines of its own.
        let pinned = VerticalStyle { process: 0, tracks: Some(&pinned), packs: &[], ..style };
        self.pinned_lines = Vertical::new(trace, layout, &pinned);
    }

    /// Draws the timeline into all of `ui`, and handles the pointer.
    pub fn ui(&mut self, ui: &mut Ui, trace: &Trace, layout: &Layout) -> Response {
        let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
        let (map, rest) = response.rect.split_top_bottom_at_y(response.rect.top() + MAP);
        let (ruler, rest) = rest.split_top_bottom_at_y(rest.top() + RULER);
        let height = (self.pinned_lines.height() as f32).min(PINNED * rest.height());
        let (pinned, main) = rest.split_top_bottom_at_y(rest.top() + height);
        let place = Place { map, ruler, pinned, main, scale: ui.pixels_per_point() };
        self.window.resize(place.columns(main), main.height() as u32, &self.vertical);
        self.navigate(ui, &response, place);
        self.choose(ui, &response, place, trace, layout);

        self.update_map(place, trace, layout);
        let Self { window, rects, pinned_rects, .. } = self;
        self.vertical.rects(window.heights(), layout, window.viewport(), rects);
        self.pinned_lines.rects(place.pinned_heights(), layout, window.viewport(), pinned_rects);
        self.draw(ui, &painter, place, trace, layout);
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
    fn choose(&mut self, ui: &Ui, response: &Response, place: Place, trace: &Trace, layout: &Layout) {
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
        line.map(|line| line.kind).filter(|kind| !matches!(kind, LineKind::Row(_) | LineKind::Packed(..)))
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

    /// Finds out how busy the threads are in the whole trace, unless that is known for this width.
    fn update_map(&mut self, place: Place, trace: &Trace, layout: &Layout) {
        let viewport = self.map(place);
        if self.map.len() != viewport.columns() as usize {
            let is_thread =
                |track: &TrackId| !matches!(trace.tracks()[track.index()].kind, TrackKind::Async { .. });
            let rows = layout.outermost_rows(trace.track_ids().filter(is_thread));
            layout.busy_rows(rows, &viewport, &mut self.map);
        }
    }

    /// Returns what there is to say about the rectangle at a point.
    fn tip(&self, at: Pos2, place: Place, trace: &Trace) -> Option<String> {
        let rect = &self.hit(at, place)?.rect;
        let duration = trace.clock().duration(trace.slice(rect.slice)?.duration());
        let others = if rect.count > 1 { format!(", and {} more", rect.count - 1) } else { String::new() };
        Some(format!("{}\n{duration}{others}", trace.slice_name(rect.slice)))
    }
}

/// Where the parts of the timeline are on the screen.
#[derive(Clone, Copy)]
struct Place {
    map: Rect,
    ruler: Rect,
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

    /// Returns the heights of the pinned lines that are drawn.
    fn pinned_heights(&self) -> Range<u64> {
        0..self.pinned.height() as u64
    }
}
