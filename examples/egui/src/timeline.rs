//! The timeline: it draws what the engine answers, and tells it what the pointer does.

mod draw;

use std::ops::Range;

use eframe::egui::{PointerButton, Pos2, Rect, Response, Sense, Ui};
use spall_trace::layout::Viewport;
use spall_trace::model::{Tick, Ticks};
use spall_view::{Action, Command, Element, Engine, Frame, Item, Place, Pointed, Since, WantedFrame};

const MAP: f32 = 30.0;
const RULER: f32 = 20.0;
/// Boxes that are narrower than so many pixels look alike.
pub const BOX_WIDTH: u16 = 2;
/// A range snaps to edges of slices that are at most so many pixels away.
const SNAP: i64 = 5;
/// A click at the same place within so many seconds behind one that went elsewhere belongs to that one.
const AGAIN: f64 = 0.4;
/// An instant is pointed at from so many points away.
const REACH: f32 = 5.0;
/// The facts that are told beside the pointer.
const TOLD: [&str; 8] = ["category", "start", "time", "duration", "self", "CPU", "waiting", "source"];

/// What is drawn of a timeline, and the drag that is going on.
#[derive(Default)]
pub struct Timeline {
    /// Whether a drag pans, and a drag with Shift selects a range. Otherwise it is the other way round.
    pub drag_pans: bool,
    drag: Drag,
    /// When and where a click has gone from a derived track to what it stands for, which may be elsewhere.
    left: Option<(f64, Pos2)>,
    frame: Frame,
    /// How busy the threads are in each pixel of the map; empty if that has to be found out.
    map: Vec<f32>,
    /// What is told beside the pointer, and of what.
    tip: Option<(Pointed, Since, String)>,
}

/// What a drag does.
#[derive(Clone, Copy, Default)]
enum Drag {
    #[default]
    Pan,
    /// Selects a range that begins here.
    Select(Tick),
    /// Shows the range that begins here: a drag in the map.
    Show(Tick),
}

impl Timeline {
    /// Draws the timeline into all of `ui`, and handles the pointer.
    pub fn ui(&mut self, ui: &mut Ui, engine: &mut Engine) {
        let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
        let (map, rest) = response.rect.split_top_bottom_at_y(response.rect.top() + MAP);
        let (ruler, rest) = rest.split_top_bottom_at_y(rest.top() + RULER);
        let pinned = engine.view().pinned_height(rest.height() as u32) as f32;
        let (pinned, main) = rest.split_top_bottom_at_y(rest.top() + pinned);
        let areas = Areas { map, ruler, pinned, main, scale: ui.pixels_per_point() };
        engine.change_view(|view| view.resize(areas.columns(main), rest.height() as u32));
        self.navigate(ui, &response, areas, engine);
        self.choose(ui, &response, areas, engine);

        let viewport = areas.map(engine);
        if self.map.len() != viewport.columns() as usize {
            let Range { start, end } = viewport.range();
            let columns = areas.columns(map);
            self.map = engine.overview(engine.since(start), engine.since(end), columns).0;
        }
        let window = *engine.view().window().viewport();
        self.frame = engine.frame_in(&window, &wanted(engine, areas));
        self.draw(ui, &painter, areas, engine);
        if let Some(tip) = response.hover_pos().and_then(|at| self.tip(at, areas, engine)) {
            response.on_hover_text_at_pointer(tip);
        }
    }

    /// Asks again for what is kept of one frame for the next, because other slices are shown.
    pub fn forget(&mut self) {
        (self.map, self.tip) = Default::default();
    }

    /// Scrolls with the wheel, pans with Shift, zooms with Ctrl.
    fn navigate(&mut self, ui: &Ui, response: &Response, areas: Areas, engine: &mut Engine) {
        let pointer = response.hover_pos();
        let item = pointer.and_then(|at| areas.item_at(at, engine));
        engine.change_view(|view| view.point(pointer.map(|at| areas.column(at)), item));
        let Some(pointer) = pointer else { return };
        let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        engine.change_view(|view| {
            if scroll.x != 0.0 {
                view.pan(f64::from(-scroll.x * areas.scale));
            }
            if scroll.y != 0.0 {
                view.scroll(f64::from(-scroll.y));
            }
            if zoom != 1.0 {
                view.zoom(areas.column(pointer), f64::from(zoom));
            }
        });
    }

    /// Handles drags and clicks.
    fn choose(&mut self, ui: &Ui, response: &Response, areas: Areas, engine: &mut Engine) {
        let Some(pointer) = response.interact_pointer_pos() else { return };
        let map = areas.map(engine);
        let map_tick = |at: Pos2| map.tick_at(areas.column(at) + f64::from(map.offset()));
        if response.drag_started_by(PointerButton::Primary) {
            let (start, shift) = ui.input(|input| (input.pointer.press_origin(), input.modifiers.shift));
            let start = start.unwrap_or(pointer);
            let selects = start.y < areas.pinned.top() || self.drag_pans == shift;
            self.drag = match start.y {
                y if y < areas.map.bottom() => Drag::Show(map_tick(start)),
                _ if selects => Drag::Select(snap(areas.column(start), engine)),
                _ => Drag::Pan,
            };
        }
        if response.dragged() {
            // The whole drag is one step.
            let is_first = response.drag_started();
            match self.drag {
                Drag::Select(from) => {
                    let at = snap(areas.column(pointer), engine);
                    let range = Some((from.min(at)..from.max(at), None));
                    engine.change_view(|view| match is_first {
                        true => view.choose(range),
                        false => view.choose_on(range),
                    });
                }
                Drag::Show(from) => {
                    let at = map_tick(pointer);
                    let range = from.min(at)..from.max(at);
                    engine.change_view(|view| if is_first { view.fit(range) } else { view.look(range) });
                }
                Drag::Pan => engine.change_view(|view| {
                    view.pan(f64::from(-response.drag_delta().x * areas.scale));
                    view.scroll(f64::from(-response.drag_delta().y));
                }),
            }
        }
        if response.drag_stopped() {
            self.drag = Drag::Pan;
        }
        let now = ui.input(|input| input.time);
        let is_again = |(time, at): (f64, Pos2)| now - time < AGAIN && at.distance(pointer) < SNAP as f32;
        if response.clicked() && self.left.is_some_and(is_again) {
            return;
        }
        if response.double_clicked() || response.clicked_by(PointerButton::Middle) {
            self.zoom_to(pointer, areas, engine);
        } else if response.clicked() && areas.map.contains(pointer) {
            // The time that was clicked comes to the middle.
            let shown = engine.view().window().viewport();
            let Range { start, end } = shown.range();
            let part = (map_tick(pointer) - start).0 as f64 / (end - start).0.max(1) as f64;
            let columns = (part - 0.5) * f64::from(shown.columns());
            engine.change_view(|view| view.pan(columns));
        } else if response.clicked() {
            let found = self.at(pointer, areas, engine).map(|found| found.element);
            self.left = matches!(found, Some(Element::Derived(_))).then_some((now, pointer));
            self.click(pointer, areas, engine);
        }
    }

    /// Selects what is at a point, or folds its header, or drops the range if it is on the ruler.
    fn click(&mut self, at: Pos2, areas: Areas, engine: &mut Engine) {
        let found = self.at(at, areas, engine);
        let header = areas.header_at(at, engine).filter(|_| found.is_none());
        let time = engine.since(engine.view().window().tick_at(areas.column(at)));
        engine.act(match header {
            _ if areas.ruler.contains(at) => Action::Choose(None),
            Some(item) => Action::Fold(item),
            None => Action::Select(found.map(|found| found.element), time),
        });
    }

    /// Zooms to the slice at a point, or beside everything to the whole trace.
    fn zoom_to(&mut self, at: Pos2, areas: Areas, engine: &mut Engine) {
        match self.at(at, areas, engine).map(|found| found.element) {
            Some(Element::Slice(slice)) => {
                if engine.view().selected_slice() != Some(slice) {
                    engine.act(Action::Select(Some(Element::Slice(slice)), Since::default()));
                }
                engine.act(Action::Command(Command::Fit));
            }
            None if areas.header_at(at, engine).is_none() => {
                engine.act(Action::Command(Command::FitAll));
            }
            _ => {}
        }
    }

    /// Returns what was drawn at a point.
    fn at(&self, at: Pos2, areas: Areas, engine: &Engine) -> Option<Pointed> {
        let (is_pinned, y) = areas.height(at, engine)?;
        let part = if is_pinned { &self.frame.pinned } else { &self.frame.main };
        part.at(areas.column(at) as f32, y, REACH * areas.scale)
    }

    /// Returns what there is to say about what is at a point.
    fn tip(&mut self, at: Pos2, areas: Areas, engine: &Engine) -> Option<String> {
        let found = self.at(at, areas, engine)?;
        let time = match found.element {
            Element::Counter(_) => engine.since(engine.view().window().tick_at(areas.column(at))),
            _ => Since::default(),
        };
        if self.tip.as_ref().is_none_or(|(pointed, at, _)| (*pointed, *at) != (found, time)) {
            let details = engine.details(found.element, time)?;
            let mut text = details.name;
            let is_told = |key: &str| matches!(found.element, Element::Derived(_)) || TOLD.contains(&key);
            for (key, value) in details.facts.iter().filter(|(key, _)| is_told(key)) {
                text += &format!("\n{key} {value}");
            }
            for (key, value) in details.args.iter().filter(|_| matches!(found.element, Element::Counter(_))) {
                text += &format!("\n{key} {value}");
            }
            if found.count > 1 {
                text += &format!("\nand {} more here", found.count - 1);
            }
            self.tip = Some((found, time, text));
        }
        self.tip.as_ref().map(|(.., text)| text.clone())
    }
}

/// What has to be drawn.
fn wanted(engine: &Engine, areas: Areas) -> WantedFrame {
    let view = engine.view();
    let (Place { arrows, color_by, .. }, Range { start, end }) = (view.place(), view.window().heights());
    WantedFrame {
        start: Since::default(),
        duration: Since::default(),
        columns: 0,
        box_width: BOX_WIDTH,
        main: start as f64..end as f64,
        pinned: 0.0..f64::from(areas.pinned.height()),
        selected: view.selected_slice(),
        arrows: *arrows,
        between_marks: (100.0 * areas.scale) as u16,
        // The names are at hand.
        label_width: u32::MAX,
        color_by: *color_by,
        own_colors: true,
    }
}

/// Returns the time at a column, or the edge of a visible slice that is close to it.
fn snap(x: f64, engine: &Engine) -> Tick {
    let window = engine.view().window();
    let at = window.tick_at(x);
    let Range { start, end } = window.viewport().range();
    let pixel = (end - start).0 / i64::from(window.viewport().columns().max(1));
    let near = engine.snap(engine.since(at), Ticks(pixel.saturating_mul(SNAP)), window.heights());
    near.map_or(at, |near| engine.tick(near))
}

/// Where the parts of the timeline are on the screen.
#[derive(Clone, Copy)]
struct Areas {
    map: Rect,
    ruler: Rect,
    pinned: Rect,
    main: Rect,
    /// Pixels per point.
    scale: f32,
}

impl Areas {
    /// Returns the column at a point, from the left edge of the window.
    fn column(&self, at: Pos2) -> f64 {
        f64::from((at.x - self.main.left()) * self.scale)
    }

    /// Returns the width of a part in columns.
    fn columns(&self, area: Rect) -> u16 {
        (area.width() * self.scale) as u16
    }

    /// Returns the viewport of the map: the whole trace.
    fn map(&self, engine: &Engine) -> Viewport {
        Viewport::new(engine.view().window().bounds(), self.columns(self.map))
    }

    /// Returns whether a point is in the pinned part, and its height there or in the main part.
    fn height(&self, at: Pos2, engine: &Engine) -> Option<(bool, u64)> {
        if self.pinned.contains(at) {
            return Some((true, (at.y - self.pinned.top()) as u64));
        }
        let y = f64::from(at.y - self.main.top()) + engine.view().window().top();
        self.main.contains(at).then_some((false, y as u64))
    }

    /// Returns the item whose line is at a point.
    fn item_at(&self, at: Pos2, engine: &Engine) -> Option<Item> {
        let (is_pinned, y) = self.height(at, engine)?;
        engine.view().item_at(is_pinned, y)
    }

    /// Returns the header at a point.
    fn header_at(&self, at: Pos2, engine: &Engine) -> Option<Item> {
        let (is_pinned, y) = self.height(at, engine)?;
        let vertical = if is_pinned { engine.view().pinned() } else { engine.view().main() };
        Item::of_header(vertical.at(y)?.kind)
    }
}
