//! What one picture of the timeline shows, as numbers that are quick to pass and to draw.

use core::ops::Range;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use spall_trace::json::cname_rgb;
use spall_trace::layout::{
    ColorKey, FlowArrow, Flows, InstantMark, LayoutView, LineKind, LineRect, Rect, Ruler, Series, Viewport,
    thin_arrows,
};
use spall_trace::model::{FlowId, LiveSnapshot, NameId, SliceId, TraceView, TrackId, Value};

use crate::{
    Engine, Numbers, Since,
    colours::{Arrows, ColorBy},
    item::Item,
    shown::{Growth, Shown},
    view::Wide,
};

mod boxes;
mod charts;
mod derived;
mod headers;
mod objects;
mod pointed;

pub use boxes::{Boxes, NamedBox, Style};
pub use charts::{ChartPart, Layer};
pub(crate) use charts::{apart, values_at};
pub use headers::{Marks, Strip};
pub use objects::ObjectLines;
pub use pointed::Pointed;

/// What a frontend wants a picture of: a range of time in columns, and a range of heights of each part of the timeline.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "WantedFrame", optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    /// The time at the left edge.
    pub start: Since,
    /// The time from the left edge to the right one.
    pub duration: Since,
    /// How many columns there are.
    pub columns: u16,
    /// From how many columns on boxes are told apart.
    pub box_width: u16,
    /// The heights of the main part that are visible.
    pub main: Range<f64>,
    /// The heights of the pinned part that are visible.
    pub pinned: Range<f64>,
    /// The slice whose arrows lie over the others.
    #[cfg_attr(test, ts(as = "Option<u32>"))]
    pub selected: Option<SliceId>,
    /// Which arrows are drawn.
    pub arrows: Arrows,
    /// The fewest columns between marks of the ruler.
    pub between_marks: u16,
    /// The fewest columns of a box that has a label.
    pub label_width: u32,
    /// What slices have their colours by.
    pub color_by: ColorBy,
    /// Whether slices have the colours that the file asks for.
    pub own_colors: bool,
}

/// More arrows than this are a grey cloud.
const MAX_ARROWS: usize = 400;

/// What there is to draw.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// The main part of the timeline.
    pub main: Part,
    /// The pinned tracks.
    pub pinned: Part,
    /// The marks of the ruler: the column of each, and its label.
    pub ruler: Vec<(f32, String)>,
    /// Arrows: for each the column and the height of its two places, how many flows it stands for, and 1 if it is the selected
    /// slice's.
    pub arrows: Numbers<f32>,
    /// How many arrows there are besides.
    pub arrows_left_out: usize,
    /// The names that are drawn and that the frontend does not have yet.
    #[cfg_attr(test, ts(as = "Vec<(u32, String)>"))]
    pub names: Vec<(NameId, String)>,
    /// How far the trace has grown; `None` if it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
}

/// Everything of one part of the timeline but arrows.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Part {
    /// Slices, states, objects, and spans of derived tracks.
    #[serde(flatten)]
    pub boxes: Boxes,
    /// The instants of tracks.
    pub marks: Vec<Marks>,
    /// The instants of processes and of the whole trace, which are as high as what they are about.
    pub wide: Vec<Marks>,
    /// How busy folded processes and tracks are.
    pub strips: Vec<Strip>,
    /// Counters.
    pub charts: Vec<ChartPart>,
    /// The types of objects, and what is on lines of derived tracks.
    pub objects: Vec<ObjectLines>,
}

/// What is known before any picture, and the working memory of all.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    /// The number of the colour of each name.
    shades: Vec<u8>,
    /// The colours that the file asks for, and which of them each slice has.
    pub(crate) own_colours: Vec<[u8; 3]>,
    own: HashMap<SliceId, u32>,
    /// The number of slices whose colours are known.
    n_slices: usize,
    flows: Flows,
    /// The flows of the selected slice, or those of its critical path.
    own_flows: ((Option<SliceId>, bool), Flows),
    /// Which names the frontend has, and which of those that are none of the trace.
    is_sent: Vec<bool>,
    is_own_sent: Vec<bool>,
    states: HashMap<TrackId, headers::StateRow>,
    strips: HashMap<Item, headers::StripRows>,
    /// The charts of counters, and of their rates.
    charts: HashMap<(TrackId, bool), charts::Chart>,
    /// The series of counters that were added up.
    pub(crate) series: HashMap<TrackId, Vec<Series>>,
    rects: Vec<LineRect>,
    line_rects: Vec<Rect>,
    arrows: Vec<FlowArrow>,
    marks: Vec<InstantMark>,
}

impl Pictures {
    pub(crate) fn new(trace: &impl TraceView, layout: &impl LayoutView) -> Self {
        let mut pictures = Self { flows: Flows::new(trace, layout), ..Self::default() };
        pictures.add_new(trace);
        pictures
    }

    /// Finds the colours of what is new.
    fn add_new(&mut self, trace: &impl TraceView) {
        let new = (self.shades.len()..trace.names().len()).map(NameId::new);
        self.shades
            .extend(new.map(|name| ColorKey::without_digits(trace.names().bytes(name)).shade_number()));
        self.is_sent.resize(trace.names().len(), false);
        let first = core::mem::replace(&mut self.n_slices, trace.n_slices());
        self.add_own_colours(trace, first);
    }

    /// Finds the colours that Trace Event JSON asks for of the slices from a number on.
    fn add_own_colours(&mut self, trace: &impl TraceView, first: usize) {
        for id in (first..trace.n_slices()).map(SliceId::new) {
            let Some(Value::Text(name)) = trace.slice_args(id).field(b"cname") else { continue };
            let Some(colour) = cname_rgb(name.raw()) else { continue };
            let known = self.own_colours.iter().position(|&known| known == colour).unwrap_or_else(|| {
                self.own_colours.push(colour);
                self.own_colours.len() - 1
            });
            self.own.insert(id, u32::try_from(known).unwrap_or(0));
        }
    }

    /// Goes on with what a commit of a live trace has brought.
    pub(crate) fn grow(&mut self, trace: &LiveSnapshot<'_>) {
        self.add_new(trace);
        self.strips.clear();
        for track in trace.changed().iter().filter_map(|&track| trace.track(track)) {
            let id = track.id();
            if let Some(chart) = self.charts.get_mut(&(id, false))
                && !chart.grow(trace.counters_of(id), track.new_counters())
            {
                self.charts.remove(&(id, false));
            }
            if !track.new_counters().is_empty() {
                self.charts.remove(&(id, true));
                self.series.remove(&id);
            }
            if let Some(row) = self.states.get_mut(&id)
                && !row.grow(trace, id, track.new_states())
            {
                self.states.remove(&id);
            }
        }
    }

    /// Binds flows to other rows.
    pub(crate) fn lay_out(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        (self.flows, self.own_flows) = (Flows::new(trace, layout), Default::default());
        self.strips.clear();
    }

    /// The number of the colour of a name. A name that only another trace has gets the first colour.
    pub(crate) fn shade(&self, name: NameId) -> u8 {
        self.shades.get(name.index()).copied().unwrap_or_default()
    }

    /// Adds a name to those that the frontend gets, if it does not have it yet.
    fn send(&mut self, trace: &impl TraceView, name: NameId, names: &mut Vec<(NameId, String)>) {
        if let Some(is_sent) = self.is_sent.get_mut(name.index()).filter(|is_sent| !**is_sent) {
            *is_sent = true;
            names.push((name, trace.name(name).into()));
        }
    }
}

/// The number of a colour.
pub(crate) trait ShadeNumber {
    fn shade_number(self) -> u8;
}

impl ShadeNumber for ColorKey {
    fn shade_number(self) -> u8 {
        u8::try_from(self.shade()).unwrap_or(0) // there are 32
    }
}

/// The colour of a duration: one for each factor of eight.
pub(crate) fn shade_of_duration(ticks: u64) -> u8 {
    ColorKey::of_number(u64::from(ticks.checked_ilog2().unwrap_or(0) / 3)).shade_number()
}

impl<S: Shown> Engine<S> {
    /// Returns what there is to draw: boxes, marks, charts and strips of both parts of the timeline, arrows, the ruler, and the
    /// names that the frontend does not have yet.
    pub fn frame(&mut self, wanted: &Wanted) -> Frame {
        let viewport = Viewport::new(self.range(wanted.start, wanted.end()), wanted.columns)
            .with_box_width(wanted.box_width);
        self.frame_in(&viewport, wanted)
    }

    /// Does the same for a viewport, such as that of the window, whose edges may lie between ticks. The range of time and the
    /// columns that are wanted do not count.
    pub fn frame_in(&mut self, viewport: &Viewport, wanted: &Wanted) -> Frame {
        let mut names = Vec::new();
        let main = self.part(false, &wanted.main, viewport, wanted, &mut names);
        let pinned = self.part(true, &wanted.pinned, viewport, wanted, &mut names);
        let ruler =
            Ruler::since(self.view.origin(), viewport, self.trace().clock().unit, wanted.between_marks);
        let ruler = ruler.map(|mark| (mark.x - viewport.offset(), mark.label.to_string())).collect();
        let (arrows, arrows_left_out) = self.arrows(viewport, wanted);
        Frame { main, pinned, ruler, arrows, arrows_left_out, names, growth: self.shown.growth() }
    }

    /// Returns the colours that the file asks for, by the numbers that [`Style::OWN`] has.
    #[must_use]
    pub fn own_colours(&self) -> &[[u8; 3]] {
        &self.pictures.own_colours
    }

    /// Forgets which names the frontend has, such as when another one asks.
    pub fn forget_names(&mut self) {
        self.pictures.is_sent.fill(false);
        self.pictures.is_own_sent.clear();
    }

    fn part(
        &mut self,
        is_pinned: bool,
        y: &Range<f64>,
        viewport: &Viewport,
        wanted: &Wanted,
        names: &mut Vec<(NameId, String)>,
    ) -> Part {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let y = y.start as u64..y.end as u64;
        let mut part = Part::default();
        self.slices(is_pinned, y.clone(), viewport, wanted, names, &mut part.boxes);
        let heights = self.view.heights;
        for line in self.view.part(is_pinned).visible(y.clone()).to_vec() {
            if let LineKind::DerivedLine(track, number) = line.kind {
                self.derived_line((track, number), &line, viewport, wanted.label_width, names, &mut part);
            }
            let Some(item) = Item::of_header(line.kind) else { continue };
            if let (LineKind::Process(process), true) = (line.kind, line.height > heights.process) {
                self.objects(process, &line, viewport, names, &mut part);
                continue;
            }
            if self.view.is_folded(line.kind) {
                part.strips.extend(self.strip(item, &line, viewport));
            }
            if matches!(item, Item::Process(_) | Item::Derived(_)) {
                continue;
            }
            for track in self.view.items.drawn_on_header(item) {
                self.states(track, &line, viewport, names, &mut part.boxes);
                part.marks.extend(self.marks(track, &line, viewport));
                part.charts.extend(self.chart(track, &line, viewport));
            }
        }
        if !is_pinned {
            part.wide = self.wide_marks(&y, viewport);
        }
        part
    }

    /// The instants of processes and of the whole trace. Their own line may be out of sight.
    fn wide_marks(&mut self, y: &Range<u64>, viewport: &Viewport) -> Vec<Marks> {
        let visible = |wide: &&Wide| wide.line.top <= y.end && wide.bottom >= y.start;
        let wide: Vec<_> = self.view.wide.iter().filter(visible).copied().collect();
        let marks = wide.into_iter().filter_map(|wide| {
            let marks = self.marks(wide.track, &wide.line, viewport)?;
            Some(Marks { bottom: Some(wide.bottom), ..marks })
        });
        marks.collect()
    }

    /// The slices of all rows.
    fn slices(
        &mut self,
        is_pinned: bool,
        y: Range<u64>,
        viewport: &Viewport,
        wanted: &Wanted,
        names: &mut Vec<(NameId, String)>,
        boxes: &mut Boxes,
    ) {
        let Self { shown, view, pictures, search, .. } = self;
        let (trace, layout) = (shown.trace(), shown.layout());
        let mut rects = core::mem::take(&mut pictures.rects);
        view.part(is_pinned).rects(y, &*layout, viewport, &mut rects);
        for found in &rects {
            let (rect, id) = (&found.rect, found.rect.slice);
            let Some(name) = trace.slice_name_id(id) else { continue };
            let slice = || trace.slice(id);
            let shade = match wanted.color_by {
                ColorBy::Name => pictures.shade(name),
                ColorBy::Category => slice().map_or(0, |slice| pictures.shade(slice.category)),
                ColorBy::Duration => {
                    shade_of_duration(slice().map_or(0, |slice| slice.end.0.abs_diff(slice.start.0)))
                }
                ColorBy::Track => {
                    trace.track_of(id).map_or(0, |track| ColorKey::of_number(track.0.into()).shade_number())
                }
            };
            let mut style = Style::of_shade(shade);
            let is_unfinished = rect.count == 1 && slice().is_some_and(|slice| slice.flags.is_unfinished());
            style.set(Style::UNFINISHED, is_unfinished);
            style.set(Style::HIT, search.is_hit(&*layout, rect));
            if wanted.own_colors
                && let Some(&number) = pictures.own.get(&id)
            {
                style = style.with_own(number);
            }
            if rect.x1 - rect.x0 >= wanted.label_width {
                pictures.send(&*trace, name, names);
            }
            boxes.push(rect, viewport, found.top, found.height, name, style);
        }
        pictures.rects = rects;
    }

    /// Arrows, and how many there are besides.
    fn arrows(&mut self, viewport: &Viewport, wanted: &Wanted) -> (Numbers<f32>, usize) {
        let mut left_out = 0;
        let is_path = wanted.arrows == Arrows::Path;
        if self.pictures.own_flows.0 != (wanted.selected, is_path) {
            let path = wanted.selected.filter(|_| is_path).map(|slice| self.path_flows(slice));
            let trace = self.shown.trace();
            let all = trace.flows();
            let is_own = |flow: FlowId| {
                let ends = all.get(flow.index()).map(|flow| [flow.from, flow.to]);
                ends.zip(wanted.selected).is_some_and(|(ends, own)| ends.contains(&own))
            };
            let Pictures { flows, own_flows, .. } = &mut self.pictures;
            let own = flows
                .filtered(|flow| path.as_ref().map_or_else(|| is_own(flow), |path| path.contains(&flow)));
            *own_flows = ((wanted.selected, is_path), own);
        }
        let Pictures { flows, own_flows, arrows, .. } = &mut self.pictures;
        let (vertical, row) = (self.view.main(), self.view.heights.row);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let lines = vertical.visible(wanted.main.start as u64..wanted.main.end as u64);
        let mut numbers: Vec<f32> = Vec::new();
        // Those of the selected slice come last, and so on top.
        for (flows, is_own) in [(&*flows, false), (&own_flows.1, true)] {
            if wanted.arrows == Arrows::Off || (wanted.arrows != Arrows::All && !is_own) {
                continue;
            }
            flows.arrows(viewport, vertical, lines, arrows);
            left_out += thin_arrows(arrows, MAX_ARROWS);
            for arrow in arrows.iter() {
                for end in [arrow.from, arrow.to] {
                    let line = vertical.line(end.line);
                    let y = line.map_or(0.0, |line| line.top as f32 + line.height.min(row) as f32 / 2.0);
                    numbers.extend([end.column as f32 + 0.5 - viewport.offset(), y]);
                }
                numbers.extend([arrow.count as f32, f32::from(u8::from(is_own))]);
            }
        }
        (Numbers(numbers), left_out)
    }
}

impl Wanted {
    /// The time at the right edge.
    fn end(&self) -> Since {
        Since(self.start.0 + self.duration.0)
    }
}
