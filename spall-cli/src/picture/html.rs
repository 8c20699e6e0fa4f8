//! A page to move around in: everything it needs is in the one file, the trace as numbers of seven bits a byte.

mod modules;
mod stream;
mod strings;

use std::{collections::BTreeMap, ops::Range};

use spall_trace::{
    json::cname_rgb,
    layout::{LayoutView, RowView, Theme, Viewport, active_range},
    model::{
        CounterValue, FunctionSource, NameId, SliceId, State, ThreadMeasure, Tick, TraceView, TrackKind,
        Value,
    },
};

use self::{
    stream::{Stream, base64},
    strings::{Names, Texts},
};
use super::{Lane, Scene, colour, count};

const PAGE: &str = include_str!("page/page.html");

/// A page of more boxes than this would be slow to open and to draw.
pub const MAX_BOXES: usize = 2_000_000;

/// The page. `title` and `about` stand at its head, `notes` can be opened.
///
/// A trace of more than `max_boxes` slices, [`MAX_BOXES`] for example, is drawn at a resolution at which there are
/// fewer boxes: those that the layout makes of the whole trace. The notes then say so.
#[must_use]
pub fn html(scene: &Scene<'_>, title: &str, about: &str, notes: &[String], max_boxes: usize) -> String {
    let Embedded { data, colours } = embedded(scene, title, about, notes, max_boxes);
    let script = format!("\"use strict\";\nconst COLOURS = {colours};\n{}", modules::of_page());
    // The data is put in last, and holds no braces.
    PAGE.replace("{{script}}", &script).replace("{{data}}", &base64(&data))
}

/// Returns the script that shows an [`Embedded`] trace in a cell of a notebook: a module for anywidget, whose model has its
/// `data` and `colours`, and a `height` in pixels.
#[must_use]
pub fn widget_script() -> String {
    modules::of_cell()
}

/// A trace in the form that the scripts of [`html`] and of [`widget_script`] read.
#[derive(Debug)]
pub struct Embedded {
    /// The trace, and what is said about it.
    pub data: Vec<u8>,
    /// The colours of boxes, as a JSON object.
    pub colours: String,
}

/// Returns the trace that a page of [`html`] has in itself.
#[must_use]
pub fn embedded(scene: &Scene<'_>, title: &str, about: &str, notes: &[String], max_boxes: usize) -> Embedded {
    let mut page = Page::new(scene);
    let mut notes = notes.to_vec();
    let frame = (scene.trace.slices().len() > max_boxes).then(|| coarse(scene, max_boxes));
    page.max_boxes = frame.as_ref().map(|_| max_boxes as u64);
    page.processes(frame.as_ref());
    match frame {
        None => page.flows(),
        Some(frame) => {
            page.out.uint(0);
            notes.extend(page.coarse_notes(&frame));
        }
    }
    if page.texts.n_left_out > 0 {
        let events = count(page.texts.n_left_out, "event");
        notes.push(format!("arguments left out, as the page would be too large: those of {events}"));
    }
    page.finish(title, about, &notes)
}

/// The frame with the most columns in which the trace is at most `max_boxes` rectangles.
fn coarse(scene: &Scene<'_>, max_boxes: usize) -> Viewport {
    let mut rects = Vec::new();
    let mut columns = u16::MAX;
    loop {
        let frame = Viewport::new(scene.view.clone(), columns);
        let mut n_boxes = 0;
        for row in scene.layout.rows().iter().filter_map(|row| scene.layout.row(row)) {
            rects.clear();
            row.rects(&frame, &mut rects);
            n_boxes += rects.len();
        }
        if n_boxes <= max_boxes || columns < 1000 {
            return frame;
        }
        columns /= 2;
    }
}

struct Page<'s, 't> {
    scene: &'s Scene<'t>,
    /// Everything but the head and the tables of names and texts.
    out: Stream,
    names: Names<'t>,
    texts: Texts,
    /// The most boxes; `None` if every slice is one.
    max_boxes: Option<u64>,
    /// The number that each slice has in the page, for flows and for the slices inside.
    positions: Vec<u64>,
    n_boxes: u64,
    /// How many slices the boxes stand for.
    n_slices: u64,
    /// The colours that the file asks for, as CSS writes them.
    own_colours: Vec<String>,
}

impl<'s, 't> Page<'s, 't> {
    fn new(scene: &'s Scene<'t>) -> Self {
        Self {
            scene,
            out: Stream::default(),
            names: Names::new(scene.trace),
            texts: Texts::default(),
            max_boxes: None,
            positions: vec![0; scene.trace.slices().len()],
            n_boxes: 0,
            n_slices: 0,
            own_colours: Vec::new(),
        }
    }

    /// Numbers the slices of a page that has a box for each.
    fn number(&mut self) {
        let scene = self.scene;
        let mut next = 0;
        for lane in scene.processes.iter().flat_map(|process| &process.lanes) {
            for id in lane.rows(scene).iter().flat_map(|row| row.slices()) {
                self.positions[id.index()] = next;
                next += 1;
            }
            let states = lane.tracks.iter().map(|&track| scene.trace.states_of(track).len());
            next += states.sum::<usize>() as u64;
        }
    }

    fn processes(&mut self, frame: Option<&Viewport>) {
        let scene = self.scene;
        if frame.is_none() {
            self.number();
        }
        self.out.uint(scene.processes.len() as u64);
        for process in &scene.processes {
            self.out.text(&process.name);
            self.out.text(&process.detail);
            self.out.uint(process.lanes.len() as u64);
            for lane in &process.lanes {
                let kind = lane.tracks.first().map(|&track| scene.track(track).kind);
                self.out.text(&lane.name);
                self.out.text(&lane.detail);
                self.out.text(kind.as_ref().map_or("", TrackKind::name));
                let mut rows: Vec<_> =
                    lane.rows(scene).into_iter().map(|row| (boxes(&row, frame), row)).collect();
                if let Some(max) = self.max_boxes {
                    // Each row has a box, however few columns there are, and a trace may have very many rows.
                    let mut left = max.saturating_sub(self.n_boxes);
                    let fits = |(boxes, _): &(Vec<Shown>, _)| {
                        let rest = left.checked_sub(boxes.len() as u64);
                        left = rest.unwrap_or(0);
                        rest.is_some()
                    };
                    let n_rows = rows.iter().map(fits).take_while(|&fits| fits).count();
                    rows.truncate(n_rows);
                }
                self.out.uint(rows.len() as u64);
                for (boxes, row) in &rows {
                    // Lines that tracks share are no nesting.
                    let is_nested = lane.tracks.len() == 1;
                    let depth =
                        scene.layout.row_info(row.id()).filter(|_| is_nested).map_or(0, |info| info.depth);
                    self.out.uint(depth.into());
                    self.row(row, boxes);
                }
                self.states(lane);
                self.instants(lane);
                self.counters(lane);
            }
        }
    }

    fn row(&mut self, row: &RowView<'_>, boxes: &[Shown]) {
        self.out.uint(boxes.len() as u64);
        let mut now = self.scene.view.start;
        for shown in boxes {
            now = self.slice(row, shown, now);
        }
    }

    /// Writes a box that follows upon `now`, and returns where it ends.
    fn slice(&mut self, row: &RowView<'_>, shown: &Shown, now: Tick) -> Tick {
        let scene = self.scene;
        let id = shown.slice;
        let slices = shown.slices.clone();
        let (starts, ends) = (&row.starts()[slices.clone()], &row.ends()[slices]);
        let start = starts[0].max(now);
        let end = ends[ends.len() - 1].max(start);
        let Some(slice) = scene.trace.slice(id) else { return now };
        let position = self.n_boxes;
        self.positions[id.index()] = position;
        self.n_boxes += 1;
        let count = shown.slices.len() as u64;
        self.n_slices += count;
        let merged = count > 1;
        let self_time = scene.layout.self_time(id).map_or(0, |time| time.0.unsigned_abs());
        let args = self.texts.args(scene.trace.slice_args(id).iter());
        self.out.uint(start.0.abs_diff(now.0));
        self.out.uint(end.0.abs_diff(start.0));
        let name = self.names.number(slice.name);
        let own = self.own_colour(id);
        let cpu = scene.trace.slice_args(id).thread_measure(ThreadMeasure::Time).filter(|_| !merged);
        let flags = u64::from(cpu.is_some()) * 8
            + u64::from(own.is_some()) * 4
            + u64::from(merged) * 2
            + u64::from(slice.flags.is_unfinished());
        self.out.uint(name * 16 + flags);
        self.out.uint(self.names.number(slice.category));
        self.out.uint(self_time);
        self.out.uint(args);
        let source = self.source(id);
        self.out.uint(source);
        let parent = scene.layout.parent(id).filter(|_| self.max_boxes.is_none());
        self.out.uint(parent.map_or(0, |parent| distance(position, self.positions[parent.index()])));
        if let Some(own) = own {
            self.out.uint(own);
        }
        if let Some(cpu) = cpu {
            self.out.uint(cpu.unsigned_abs());
        }
        if merged {
            let busy = starts.iter().zip(ends).map(|(start, end)| end.0.abs_diff(start.0)).sum();
            self.out.uint(count);
            self.out.uint(busy);
        }
        end
    }

    /// The number of the colour that the file asks for, counted from 1.
    fn own_colour(&mut self, id: SliceId) -> Option<u64> {
        let Some(Value::Text(name)) = self.scene.trace.slice_args(id).field(b"cname") else { return None };
        let colour = colour::css(cname_rgb(name.raw())?);
        let known = self.own_colours.iter().position(|known| *known == colour).unwrap_or_else(|| {
            self.own_colours.push(colour);
            self.own_colours.len() - 1
        });
        Some(known as u64 + 1)
    }

    /// The number of the text of the place of a sampled function: its URL, and its line and column counted from 1.
    fn source(&mut self, id: SliceId) -> u64 {
        let trace = self.scene.trace;
        let Some(FunctionSource { url, line, column }) = trace.function_of(id).and_then(|of| of.source)
        else {
            return 0;
        };
        let numbers =
            [line, column].into_iter().map_while(|number| number).map(|number| u64::from(number) + 1);
        let numbers: String = numbers.map(|number| format!(":{number}")).collect();
        self.texts.text(format!("{}{numbers}", trace.name(url)))
    }

    /// The states of a thread look like slices of their own row.
    fn states(&mut self, lane: &Lane) {
        let tracks = lane.tracks.iter().map(|&track| self.scene.track(track));
        let states: Vec<&State> = tracks.flat_map(|track| self.scene.trace.states_of(track.id)).collect();
        self.out.uint(u64::from(!states.is_empty()));
        if states.is_empty() {
            return;
        }
        self.out.uint(0);
        self.out.uint(states.len() as u64);
        let mut now = self.scene.view.start;
        for state in states {
            let start = state.start.max(now);
            let end = state.end.max(start);
            self.out.uint(start.0.abs_diff(now.0));
            self.out.uint(end.0.abs_diff(start.0));
            self.out.uint(self.names.number(state.name) * 16);
            self.out.uint(0);
            self.out.uint(end.0.abs_diff(start.0));
            let args = self.texts.args(self.scene.trace.args_of(state).iter());
            self.out.uint(args);
            // No source, and nothing around it.
            self.out.uint(0);
            self.out.uint(0);
            now = end;
            self.n_boxes += 1;
        }
    }

    fn instants(&mut self, lane: &Lane) {
        let trace = self.scene.trace;
        let tracks = lane.tracks.iter().map(|&track| self.scene.track(track));
        let instants = tracks.flat_map(|track| trace.instants_of(track.id));
        let hidden = &self.scene.hidden;
        let mut instants: Vec<_> =
            instants.filter(|instant| hidden.shows(instant.name, instant.category)).collect();
        instants.sort_by_key(|instant| instant.at);
        self.out.uint(instants.len() as u64);
        let mut now = self.scene.view.start;
        for instant in instants {
            self.out.uint(instant.at.0.abs_diff(now.0));
            self.out.uint(self.names.number(instant.name));
            let args = self.texts.args(trace.args_of(instant).iter());
            self.out.uint(args);
            now = instant.at;
        }
    }

    fn counters(&mut self, lane: &Lane) {
        let tracks = lane.tracks.iter().map(|&track| self.scene.track(track));
        let mut series: BTreeMap<NameId, Vec<&CounterValue>> = BTreeMap::new();
        for value in tracks.flat_map(|track| self.scene.trace.counters_of(track.id)) {
            series.entry(value.series).or_default().push(value);
        }
        self.out.uint(series.len() as u64);
        for (name, points) in series {
            self.out.uint(self.names.number(name));
            self.out.uint(points.len() as u64);
            let mut now = self.scene.view.start;
            for point in points {
                self.out.uint(point.at.0.abs_diff(now.0));
                self.out.float(point.value);
                now = point.at;
            }
        }
    }

    fn flows(&mut self) {
        let has_row = |slice| self.scene.layout.row_of(slice).is_some();
        let flows = self.scene.trace.flows().iter();
        let flows: Vec<_> = flows.filter(|flow| has_row(flow.from) && has_row(flow.to)).collect();
        self.out.uint(flows.len() as u64);
        for flow in flows {
            for (slice, at) in [(flow.from, flow.leaves), (flow.to, flow.arrives)] {
                self.out.uint(self.positions.get(slice.index()).copied().unwrap_or(0));
                self.out.uint(at.0.abs_diff(self.scene.view.start.0));
            }
            self.out.uint(self.names.number(flow.name));
        }
    }

    /// What a page that is not the whole trace says about itself.
    fn coarse_notes(&self, frame: &Viewport) -> Vec<String> {
        let trace = self.scene.trace;
        let (slices, boxes) = (count(self.n_slices, "slice"), count(self.n_boxes, "box"));
        let columns = frame.columns();
        let mut notes = vec![format!(
            "{slices} are drawn as {boxes}, in {columns} columns and no finer; found is only the longest slice of a box"
        )];
        let n_left_out = trace.slices().len() as u64 - self.n_slices;
        for (number, what) in [(n_left_out, "slice"), (trace.flows().len() as u64, "flow")] {
            if number > 0 {
                notes.push(format!("not drawn: {}", count(number, what)));
            }
        }
        notes
    }

    fn finish(self, title: &str, about: &str, notes: &[String]) -> Embedded {
        let Range { start, end } = &self.scene.view;
        let mut stream = Stream::default();
        stream.text(title);
        stream.text(about);
        stream.uint(notes.len() as u64);
        for note in notes {
            stream.text(note);
        }
        let clock = self.scene.trace.clock();
        stream.float(clock.ns_per_tick().unwrap_or(0.0));
        stream.text(clock.unit.counted().unwrap_or_default());
        stream.uint(end.0.abs_diff(start.0));
        let active = active_range(self.scene.trace, &self.scene.layout).unwrap_or_default();
        stream.uint(active.start.0.abs_diff(start.0));
        stream.uint(active.end.0.abs_diff(start.0));
        stream.uint(self.max_boxes.is_none().into());
        stream.uint(self.n_boxes);
        self.names.write(&mut stream);
        self.texts.write(&mut stream);
        stream.append(&self.out);
        let [light, dark, okabe_ito] = [Theme::Light, Theme::Dark, Theme::OkabeIto].map(colours_of);
        let own = self.own_colours;
        let colours = format!(r#"{{"light":{light},"dark":{dark},"okabeIto":{okabe_ito},"own":{own:?}}}"#);
        Embedded { data: stream.into_bytes(), colours }
    }
}

/// Returns the boxes of a row: those of a frame, or one for each slice.
fn boxes(row: &RowView<'_>, frame: Option<&Viewport>) -> Vec<Shown> {
    match frame {
        Some(frame) => {
            let mut rects = Vec::new();
            row.rects(frame, &mut rects);
            rects.iter().map(|rect| Shown::new(rect.slice, rect.first, rect.count)).collect()
        }
        None => (0..).zip(row.slices()).map(|(first, &slice)| Shown::new(slice, first, 1)).collect(),
    }
}

/// Returns how far one box is behind another one, or before it, as a number that is not 0.
fn distance(position: u64, other: u64) -> u64 {
    2 * position.abs_diff(other) + u64::from(position < other)
}

/// The colours of a theme as JSON.
fn colours_of(theme: Theme) -> String {
    format!(r#"{{"shades":{:?},"text":{:?}}}"#, colour::shades(theme), colour::text(theme))
}

/// A box of the page: the slice whose name it has, and the positions in its row of all that it stands for.
struct Shown {
    slice: SliceId,
    slices: Range<usize>,
}

impl Shown {
    fn new(slice: SliceId, first: u32, count: u32) -> Self {
        Self { slice, slices: first as usize..first as usize + count as usize }
    }
}

#[cfg(test)]
mod tests;
