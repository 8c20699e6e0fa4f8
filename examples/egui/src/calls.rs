//! Call trees of what the user has chosen: a flame graph, callers and callees of a function, and functions with their callers.

use eframe::egui::{Align2, Color32, ComboBox, FontId, Painter, Rect, ScrollArea, Sense, Ui, pos2, vec2};
use spall_trace::layout::{Ellipsis, Theme, fit_chars};
use spall_trace::model::{Measure, SliceId, Ticks, TraceView, TrackId, TrackSet};
use spall_view::{Area, BoxFacts, Engine, GraphFrame, GraphKind, Shape, Since, WantedGraph};

use crate::work;

const LETTER: f32 = 7.0;

/// The graphs of what the user has chosen.
#[derive(Default)]
pub struct Calls {
    of: Option<Wanted>,
    /// The graphs that are not made yet.
    waiting: Vec<(usize, WantedGraph)>,
    is_making: bool,
    graphs: [Option<Graph>; 2],
}

/// A graph that is drawn.
struct Graph {
    shape: Shape,
    /// The part of the axis that is visible.
    shown: (Since, Since),
}

impl Graph {
    fn new(shape: Shape) -> Self {
        Self { shown: (Since::default(), shape.total), shape }
    }
}

/// What is added up of which tracks, the graphs of it, and the slice whose function they are about.
type Wanted = (Area, Vec<TrackId>, Vec<GraphKind>, Option<SliceId>);

impl Calls {
    /// Shows one or two graphs, the second one below the first. A click zooms to a function, and beside all functions
    /// to everything.
    pub fn ui(&mut self, ui: &mut Ui, engine: &mut Engine, kinds: &[GraphKind]) {
        ui.horizontal(|ui| offer_sums(ui, engine));
        let slice = engine.view().selected_slice().filter(|_| kinds.contains(&GraphKind::Callers));
        if slice.is_none() && kinds.contains(&GraphKind::Callers) {
            ui.weak("Select a slice to see what calls its function, and what that calls.");
            return;
        }
        let area = engine.area();
        let tracks = engine.view().summed_tracks(&area, engine.trace());
        let wanted = (area, tracks, kinds.to_vec(), slice);
        if self.of.as_ref() != Some(&wanted) && !ui.input(|input| input.pointer.any_down()) {
            engine.cancel_graph();
            engine.begin_tree(&wanted.0, "");
            let graph = |&graph| WantedGraph { graph, node: None, slice, of: None, without: String::new() };
            self.waiting = kinds.iter().map(graph).enumerate().rev().collect();
            (self.of, self.is_making, self.graphs) = (Some(wanted), false, Default::default());
        }
        self.go_on(ui, engine);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (place, kind) in kinds.iter().enumerate() {
                if let Some(graph) = &mut self.graphs[place] {
                    graph.ui(ui, engine, place, *kind == GraphKind::Callers);
                }
            }
        });
    }

    /// Adds up calls and makes graphs, as far as there is time.
    fn go_on(&mut self, ui: &Ui, engine: &mut Engine) {
        if self.waiting.is_empty() && !self.is_making {
            return;
        }
        work::go_on(ui, || {
            if !self.is_making {
                if !engine.step_tree() {
                    return false;
                }
                let Some((place, wanted)) = self.waiting.pop() else { return true };
                engine.begin_graph(place, &wanted);
                self.is_making = true;
            }
            if let Some(shape) = engine.step_graph() {
                let place = self.graphs.iter().position(Option::is_none).unwrap_or(0);
                (self.graphs[place], self.is_making) = (Some(Graph::new(shape)), false);
            }
            !self.is_making && self.waiting.is_empty()
        });
    }

    /// Adds up again, because other slices are shown.
    pub fn forget(&mut self) {
        self.of = None;
    }
}

/// Offers what can be added up, and of which tracks.
pub fn offer_sums(ui: &mut Ui, engine: &mut Engine) {
    let tracks = engine.view().track_set();
    let before = (engine.view().measure(), tracks);
    let mut wanted = before;
    ComboBox::from_id_salt("measure").selected_text(before.0.name()).show_ui(ui, |ui| {
        for measure in Measure::ALL {
            ui.selectable_value(&mut wanted.0, measure, measure.name());
        }
    });
    ComboBox::from_id_salt("tracks").selected_text(before.1.name()).show_ui(ui, |ui| {
        for tracks in TrackSet::ALL {
            ui.selectable_value(&mut wanted.1, tracks, tracks.name());
        }
    });
    if wanted.0 != before.0 {
        engine.change(|place| place.measure = wanted.0.name().into());
    }
    if wanted.1 != before.1 {
        engine.change(|place| place.tracks = wanted.1.name().into());
    }
}

impl Graph {
    fn ui(&mut self, ui: &mut Ui, engine: &Engine, place: usize, is_upward: bool) {
        let (row, rows) = (engine.view().heights().row as f32, self.shape.rows);
        let width = ui.available_width() - 12.0;
        let (response, painter) = ui.allocate_painter(vec2(width, row * rows as f32), Sense::click());
        let corner = response.rect.min;
        let (start, end) = self.shown;
        let end = Since(end.0.max(start.0 + Ticks(1)));
        let frame = engine.graph_frame(place, start, end, width as u16, rows, u32::MAX);
        // Callers stand above what they call.
        let turned = |y: f32| if is_upward { row * rows as f32 - row - y } else { y };
        draw(&painter, ui, engine, &frame, |x, y| pos2(corner.x + x, corner.y + turned(y)));
        let found = response.hover_pos().and_then(|at| {
            let y = turned(((at.y - corner.y) / row).floor() * row);
            let found = frame.part.at(at.x - corner.x, y as u64, 0.0)?;
            engine.graph_box(place, found.id as usize)
        });
        if response.clicked() {
            let all = (Since::default(), self.shape.total);
            self.shown = found.as_ref().map_or(all, |found| (found.start, found.end));
        }
        if let Some(BoxFacts { name, facts, .. }) = found {
            let facts = facts.iter().map(|(key, value)| format!("\n{key} {value}"));
            response.on_hover_text_at_pointer(name + &facts.collect::<String>());
        }
    }
}

fn draw(
    painter: &Painter,
    ui: &Ui,
    engine: &Engine,
    frame: &GraphFrame,
    at: impl Fn(f32, f32) -> eframe::egui::Pos2,
) {
    let theme = if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light };
    let rgb = |[red, green, blue]: [u8; 3]| Color32::from_rgb(red, green, blue);
    let (shades, text) = (theme.shades().map(rgb), rgb(theme.text()));
    for found in frame.part.iter() {
        let size = vec2((found.x1 - found.x0 - 0.5).max(0.5), found.height as f32 - 1.0);
        let shape = Rect::from_min_size(at(found.x0, found.top as f32), size);
        painter.rect_filled(shape, 0.0, shades[found.style.shade()]);
        let letters = (shape.width() / LETTER - 1.0) as usize;
        if letters < 3 {
            continue;
        }
        if let Some(label) = fit_chars(&engine.trace().name(found.name), letters, Ellipsis::End) {
            let at = shape.left_center() + vec2(3.0, 0.0);
            painter.text(at, Align2::LEFT_CENTER, label, FontId::monospace(11.0), text);
        }
    }
}
