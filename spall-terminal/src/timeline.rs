//! The timeline: a line of the terminal for each line of the trace.

use core::ops::Range;
use std::collections::HashMap;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect as Area},
    style::{Modifier, Style},
    text::Span,
};
use spall_trace::layout::{
    InstantMark, LayoutView, Line, LineKind, Rect, Row, RowId, Ruler, Series, Vertical, Viewport,
    instant_marks,
};
use spall_trace::model::{ProcessId, SliceId, Tick, TraceView, TrackId, TrackKind};
use spall_view::{Details, Element, Item, Selected, Shown, Since};

use crate::{
    boxes::{self, Cells},
    colors::Colors,
    shown::Showing,
};

/// The map and the ruler.
const HEAD: u16 = 2;
/// What the line about an element leaves out: it can be seen.
const SEEN: [&str; 4] = ["track", "process", "category", "depth"];

/// What was drawn of the timeline, and what is quicker to keep than to find out again.
#[derive(Default)]
pub(crate) struct Timeline {
    /// How busy the threads are in each column of the map, and what that was found out for.
    map: (MapKey, Vec<f32>),
    /// The states of threads, and how many there were.
    states: HashMap<TrackId, (usize, Row)>,
    /// What was drawn, from bottom to top.
    drawn: Vec<(Area, Drawn)>,
    /// Where the pinned lines are, and the others.
    parts: [Area; 2],
}

type MapKey = (usize, Range<Tick>, u16, Vec<String>, Vec<String>);

/// What a cell shows.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Drawn {
    Element(Element),
    Header(Item),
}

impl Timeline {
    /// Returns what is drawn at a cell.
    pub(crate) fn at(&self, column: u16, row: u16) -> Option<Drawn> {
        let cell = Position::new(column, row);
        let found = self.drawn.iter().rev().find(|(area, _)| area.contains(cell));
        found.map(|&(_, drawn)| drawn)
    }

    /// Returns the item whose lines a cell is on.
    pub(crate) fn item_at(&self, row: u16, shown: &Showing<impl Shown>) -> Option<Item> {
        let view = shown.view();
        let [pinned, main] = self.parts;
        let (part, y) = match row {
            _ if pinned.rows().any(|line| line.y == row) => (view.pinned(), u64::from(row - pinned.y)),
            _ => (view.main(), view.window().heights().start + u64::from(row.checked_sub(main.y)?)),
        };
        let at = part.at(y)?.id.index();
        part.lines().iter().take(at + 1).rev().find_map(|line| Item::of_header(line.kind))
    }

    /// Draws from top to bottom: the map, the ruler, the pinned lines and the others.
    pub(crate) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Area,
        shown: &mut Showing<impl Shown>,
        colors: Colors,
    ) {
        let room = area.height.saturating_sub(HEAD);
        shown.change_view(|view| view.resize(area.width, room.into()));
        let shown = &*shown;
        let n_pinned = shown.view().pinned_height(room.into()) as u16;
        let pinned = Area { y: area.y + HEAD, height: n_pinned, ..area };
        let main = Area { y: pinned.bottom(), height: room - n_pinned, ..area };
        self.parts = [pinned, main];
        self.drawn.clear();
        let top = shown.view().window().heights().start;
        let mut picture = Picture { buffer, shown, colors, drawn: &mut self.drawn, states: &mut self.states };
        picture.part(shown.view().pinned(), pinned, 0);
        picture.part(shown.view().main(), main, top);
        self.draw_map(buffer, Area { height: 1, ..area }, shown);
        draw_ruler(buffer, Area { y: area.y + 1, height: 1, ..area }, shown);
        draw_marks(buffer, Area { y: area.y + 1, height: area.height.saturating_sub(1), ..area }, shown);
    }

    /// Draws how many threads are busy in the whole trace. What the window shows of it stands out.
    fn draw_map(&mut self, buffer: &mut Buffer, area: Area, shown: &Showing<impl Shown>) {
        self.update_map(area.width, shown);
        let (view, busy) = (shown.view(), &self.map.1);
        let viewport = Viewport::new(view.window().bounds(), area.width);
        let most = busy.iter().copied().fold(1.0, f32::max);
        let dim = Style::new().add_modifier(Modifier::DIM);
        boxes::bars(buffer, area, busy.iter().map(|threads| threads / most), dim);
        let column = |at| (viewport.x(at) - viewport.offset()) as u16;
        for mark in &view.place().marks {
            let x = column(view.tick(mark.at)).min(area.width.saturating_sub(1));
            buffer.set_stringn(area.x + x, area.y, "▼", 1, Modifier::BOLD);
        }
        let shown = view.window().viewport().range();
        let (start, end) = (column(shown.start), column(shown.end).min(area.width));
        let shown =
            Area { x: area.x + start.min(area.width), width: end.saturating_sub(start).max(1), ..area };
        buffer.set_style(shown.intersection(area), Style::new().remove_modifier(Modifier::DIM));
    }

    /// Finds out how busy the threads are in the whole trace, unless that is known.
    fn update_map(&mut self, width: u16, shown: &Showing<impl Shown>) {
        let (view, trace, layout) = (shown.view(), shown.trace(), shown.layout());
        let (trace, layout) = (&*trace, &*layout);
        let (bounds, place) = (view.window().bounds(), view.place());
        let key = (trace.n_slices(), bounds.clone(), width, place.categories.clone(), place.names.clone());
        if self.map.0 == key {
            return;
        }
        let is_thread = |track: &TrackId| {
            trace.track_info(*track).is_some_and(|track| !matches!(track.kind, TrackKind::Async { .. }))
        };
        let rows = layout.outermost_rows(trace.track_ids().filter(is_thread));
        layout.busy_rows(rows, &Viewport::new(bounds, width), &mut self.map.1);
        self.map.0 = key;
    }
}

/// Draws the times, and underlines the range that is added up.
fn draw_ruler(buffer: &mut Buffer, area: Area, shown: &Showing<impl Shown>) {
    let view = shown.view();
    let window = view.window();
    for mark in Ruler::since(view.origin(), window.viewport(), shown.trace().clock().unit, 14) {
        let x = (mark.x as u16).min(area.width);
        let label = format!("╷{}", mark.label);
        buffer.set_stringn(area.x + x, area.y, label, (area.width - x).into(), Modifier::DIM);
    }
    if let Some((range, _)) = view.range() {
        let column = |at| area.x + (window.x(at) as u16).min(area.width);
        let (start, end) = (column(range.start), column(range.end));
        let chosen = Area { x: start, width: end.saturating_sub(start).max(1), ..area };
        buffer.set_style(chosen.intersection(area), Modifier::UNDERLINED);
    }
}

/// Draws the times that the user has marked, from the ruler down.
fn draw_marks(buffer: &mut Buffer, area: Area, shown: &Showing<impl Shown>) {
    let view = shown.view();
    let range = view.window().viewport().range();
    let marks = view.place().marks.iter().map(|mark| view.tick(mark.at));
    for mark in marks.filter(|mark| range.contains(mark)) {
        let x = area.x + (view.window().x(mark) as u16).min(area.width.saturating_sub(1));
        buffer.set_stringn(x, area.y, "▼", 1, Modifier::BOLD);
        for y in area.y + 1..area.bottom() {
            // Only where nothing else is drawn, so that the mark hides no name.
            if buffer[(x, y)].symbol() == " " {
                buffer.set_stringn(x, y, "┊", 1, Style::new());
            }
        }
    }
}

/// The lines as they are drawn.
struct Picture<'p, S: Shown> {
    buffer: &'p mut Buffer,
    shown: &'p Showing<S>,
    colors: Colors,
    drawn: &'p mut Vec<(Area, Drawn)>,
    states: &'p mut HashMap<TrackId, (usize, Row)>,
}

impl<S: Shown> Picture<'_, S> {
    /// Draws the lines from a height on.
    fn part(&mut self, lines: &Vertical, area: Area, top: u64) {
        let (layout, mut rects) = (self.shown.layout(), Vec::new());
        let heights = top..top + u64::from(area.height);
        lines.rects(heights.clone(), &*layout, self.viewport(), &mut rects);
        let at = |y: u64| {
            let y = y.checked_sub(top).filter(|&y| y < area.height.into())?;
            Some(Area { y: area.y + y as u16, height: 1, ..area })
        };
        for found in &rects {
            if let Some(line) = at(found.top) {
                self.slice(line, &found.rect);
            }
        }
        for line in lines.visible(heights) {
            if let LineKind::Process(process) = line.kind {
                self.objects(process, |number| at(line.top + 1 + number));
            }
            if let (LineKind::DerivedLine(track, number), Some(area)) = (line.kind, at(line.top)) {
                self.derived(area, track, number);
            }
            if let (Some(item), Some(area)) = (Item::of_header(line.kind), at(line.top)) {
                self.header(area, line, item);
            }
        }
    }

    fn viewport(&self) -> &Viewport {
        self.shown.view().window().viewport()
    }

    /// Draws the box of an element, or of several.
    fn element(&mut self, line: Area, rect: &Rect, name: &str, element: Option<Element>, is_dim: bool) {
        self.styled(line, rect, name, element, self.colors.of_name(name, is_dim));
    }

    fn styled(&mut self, line: Area, rect: &Rect, name: &str, element: Option<Element>, mut style: Style) {
        let cells = Cells::of(rect);
        let selected = self.shown.view().place().selected.as_ref().map(|selected| selected.element);
        if element.is_some() && selected == element {
            style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
        }
        boxes::draw(self.buffer, line, cells, name, style);
        self.drawn.extend(element.map(|element| (cells.area(line), Drawn::Element(element))));
    }

    fn slice(&mut self, line: Area, rect: &Rect) {
        let hits = self.shown.found_all().map(|found| &found.slices).filter(|hits| !hits.is_empty());
        let is_hit = hits.is_none_or(|hits| {
            hits.in_rect(rect).map_or_else(|| hits.has(&*self.shown.layout(), rect.slice), |count| count > 0)
        });
        let trace = self.shown.trace();
        let name = trace.slice_name(rect.slice);
        self.element(line, rect, &name, Some(Element::Slice(rect.slice)), !is_hit);
    }

    /// Draws the objects of a process, which have lines below its header.
    fn objects(&mut self, process: ProcessId, line: impl Fn(u64) -> Option<Area>) {
        let shown = self.shown;
        let all = shown.objects_of(process).flat_map(|(name, rows)| rows.iter().map(move |row| (name, row)));
        for ((name, row), number) in all.zip(0..) {
            let (Some(line), mut rects) = (line(number), Vec::new()) else { continue };
            row.view(RowId(0)).rects(self.viewport(), &mut rects);
            let trace = shown.trace();
            let name = trace.name(name);
            for rect in &rects {
                self.element(line, rect, &name, Some(Element::Object(rect.slice.0)), false);
            }
        }
    }

    /// Draws the spans on a line of a derived track, and the label of the line at its beginning.
    fn derived(&mut self, line: Area, track: u32, number: u32) {
        let shown = self.shown;
        let Some((label, row)) = shown.view().derived_lines(track).nth(number as usize) else { return };
        let mut rects = Vec::new();
        row.view(RowId(0)).rects(self.viewport(), &mut rects);
        for rect in &rects {
            let Some(span) = shown.derived_span(rect.slice.0) else { continue };
            let style = self.colors.of_key(span.color, shown.found_all().is_some());
            self.styled(line, rect, &span.name, Some(Element::Derived(rect.slice.0)), style);
        }
        if !label.is_empty() {
            let dim = Style::reset().add_modifier(Modifier::DIM);
            self.buffer.set_stringn(line.x, line.y, format!("{label} "), line.width.into(), dim);
        }
    }

    /// Draws the label of a process, track or pack, and what is shown on its line: how busy it is if it is folded, states,
    /// counters and instants.
    fn header(&mut self, area: Area, line: &Line, item: Item) {
        let (shown, dim) = (self.shown, Style::new().add_modifier(Modifier::DIM));
        let (view, trace, layout) = (shown.view(), shown.trace(), shown.layout());
        let (trace, layout) = (&*trace, &*layout);
        self.drawn.push((area, Drawn::Header(item)));
        let is_folded = view.is_folded(line.kind);
        if is_folded {
            let rows = match item {
                Item::Pack(_) => layout.outermost_rows(view.tracks_of(trace, item)),
                _ => line.outermost_rows(trace, layout),
            };
            let (mut most, mut busy) = (rows.len().max(1) as f32, Vec::new());
            layout.busy_rows(rows, self.viewport(), &mut busy);
            if let Item::Derived(track) = item {
                most = view.derived_lines(track).len().max(1) as f32;
                busy = view.busy_derived(track, self.viewport());
            }
            boxes::bars(self.buffer, area, busy.iter().map(|rows| rows / most), dim);
        }
        let tracks = if matches!(item, Item::Process(_)) { Vec::new() } else { view.tracks_of(trace, item) };
        for track in tracks {
            self.line_states(area, track);
            let heights = counter(track, trace, self.viewport());
            if !heights.is_empty() {
                boxes::bars(self.buffer, area, heights, dim);
                self.drawn.push((area, Drawn::Element(Element::Counter(track))));
            }
            self.instants(area, track);
        }
        let (indent, bold) = match item {
            Item::Process(_) => (0, Modifier::BOLD),
            _ => (1 + line.level.min(16) as usize, Modifier::empty()),
        };
        let (indent, label) = (" ".repeat(indent), view.label(line, trace).unwrap_or_default());
        let text = format!("{indent}{} {label} ", if is_folded { '▸' } else { '▾' });
        let width = u16::try_from(Span::raw(&text).width()).unwrap_or(u16::MAX).min(area.width);
        let style = Style::reset().add_modifier(bold);
        self.buffer.set_stringn(area.x, area.y, text, area.width.into(), style);
        self.drawn.push((Area { width, ..area }, Drawn::Header(item)));
    }

    /// Draws the states of a thread along its header.
    fn line_states(&mut self, line: Area, track: TrackId) {
        let (shown, mut rects) = (self.shown, Vec::new());
        let trace = shown.trace();
        let states = trace.states_of(track);
        if states.is_empty() {
            return;
        }
        let known = self.states.entry(track).or_default();
        if known.0 != states.len() {
            let mut row = Row::new();
            for (state, number) in states.iter().zip(0..) {
                row.push(state.start, state.end, SliceId(number));
            }
            *known = (states.len(), row);
        }
        known.1.view(RowId(0)).rects(shown.view().window().viewport(), &mut rects);
        for rect in &rects {
            let Some(state) = states.get(rect.slice.index()) else { continue };
            let element = trace.state_id(track, rect.slice.index()).map(Element::State);
            self.element(line, rect, &trace.name(state.name), element, false);
        }
    }

    fn instants(&mut self, line: Area, track: TrackId) {
        let (shown, mut marks) = (self.shown, Vec::new());
        let trace = shown.trace();
        let instants = shown.instants_of(&*trace, track);
        instant_marks(instants, self.viewport(), &mut marks);
        for InstantMark { column, first, .. } in marks {
            if column >= line.width.into() {
                continue;
            }
            let cell = Area { x: line.x + column as u16, width: 1, ..line };
            let element = shown.instant(track, first);
            let found = shown.found_all().is_some_and(|found| match element {
                Some(Element::Instant(number)) => found.position_of_instant(&*trace, number).is_some(),
                _ => false,
            });
            let bold = if found { Modifier::BOLD } else { Modifier::empty() };
            self.buffer.set_stringn(cell.x, cell.y, "╷", 1, bold);
            self.drawn.extend(element.map(|element| (cell, Drawn::Element(element))));
        }
    }
}

/// Returns how high a counter is in each column, from 0 to 1; nothing for other tracks.
fn counter(track: TrackId, trace: &impl TraceView, viewport: &Viewport) -> Vec<f32> {
    let values = trace.counters_of(track);
    let sum = Series::stacked(values).and_then(|mut layers| layers.pop()).map(|sum| vec![sum]);
    let layers = sum.unwrap_or_else(|| Series::of(values));
    let most = layers.iter().filter_map(Series::bounds).fold(0.0, |most: f64, (_, high)| most.max(high));
    let (mut heights, mut runs) = (Vec::new(), Vec::new());
    for layer in &layers {
        heights.resize(viewport.columns() as usize, 0.0_f32);
        runs.clear();
        layer.runs(viewport, &mut runs);
        for run in &runs {
            let height = (run.max / most) as f32;
            let columns = heights.iter_mut().take(run.x1 as usize).skip(run.x0 as usize);
            columns.for_each(|other| *other = other.max(height));
        }
    }
    heights
}

/// Returns what there is to say about what is selected, or else about what is shown.
pub(crate) fn describe(shown: &Showing<impl Shown>) -> String {
    let (view, clock) = (shown.view(), shown.trace().clock());
    if let Some(Selected { element, at, .. }) = &view.place().selected {
        return shown.details(*element, *at).map_or_else(String::new, |details| in_a_line(&details));
    }
    let Range { start, end } = view.window().viewport().range();
    let mut text =
        format!("{} shown, {} slices in all", clock.duration(end - start), shown.trace().n_slices());
    if let Some((range, _)) = view.range() {
        text += &format!(", {} chosen", clock.duration(range.end - range.start));
    }
    text
}

/// The name, the facts with the duration first and the time last, and the arguments.
fn in_a_line(details: &Details) -> String {
    let mut facts: Vec<_> = details.facts.iter().filter(|(what, _)| !SEEN.contains(what)).collect();
    facts.sort_by_key(|(what, _)| match *what {
        "duration" => 0,
        "start" | "time" => 2,
        _ => 1,
    });
    let facts = facts.into_iter().map(|(what, text)| match *what {
        "duration" | "note" => text.clone(),
        "start" | "time" => format!("at {text}"),
        what => format!("{what} {text}"),
    });
    let args = details.args.iter().map(|(key, value)| format!("{key}: {value}"));
    let [facts, args] = [facts.collect::<Vec<_>>(), args.collect()].map(|texts| texts.join(", "));
    format!("{}: {facts}  {args}", details.name)
}

/// Returns the time at the middle of a column, which no rounding moves out of it.
pub(crate) fn time_at(column: u16, shown: &Showing<impl Shown>) -> Since {
    shown.view().since(shown.view().window().tick_at(x_of(column, shown)))
}

/// Returns where the middle of a column is.
pub(crate) fn x_of(column: u16, shown: &Showing<impl Shown>) -> f64 {
    f64::from(column) + 0.5 - f64::from(shown.view().window().viewport().offset())
}
