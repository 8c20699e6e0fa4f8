//! What one picture of the timeline shows, as numbers that are quick to pass and to draw.

use std::collections::HashMap;
use std::ops::Range;

use js_sys::{Array, Float32Array, Object, Uint32Array};
use serde::Deserialize;
use spall_trace::json::cname_rgb;
use spall_trace::layout::{
    ColorKey, FlowArrow, Flows, Instance, InstantMark, Layout, LineRect, Rect, Row, Ruler, Viewport,
    thin_arrows,
};
use spall_trace::model::{FlowId, NameId, ProcessId, SliceFlags, SliceId, Trace, TraceView, TrackId, Value};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{Viewer, arrangement::PROCESS, object, question, tracks::Item};

mod charts;
mod headers;
mod objects;

pub use objects::Objects;

/// What the page wants a picture of: a range of time in columns, and a range of heights of each part of the timeline.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    start: f64,
    duration: f64,
    columns: u16,
    /// From how many columns on boxes are told apart.
    box_width: u16,
    main: Range<f64>,
    pinned: Range<f64>,
    /// The slice whose arrows lie over the others.
    selected: Option<u32>,
    arrows: Arrows,
    /// The fewest columns between marks of the ruler, and for a label.
    between_marks: u16,
    label_width: u32,
    color_by: ColorBy,
    /// Whether slices have the colours that the file asks for.
    own_colors: bool,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
enum ColorBy {
    Name,
    Category,
    Duration,
    Track,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Arrows {
    Off,
    /// Those of the selected slice.
    Selected,
    All,
}

/// More arrows than this are a grey cloud.
const MAX_ARROWS: usize = 400;

/// What is known before any picture, and the working memory of all.
#[derive(Default)]
pub struct Pictures {
    /// The number of the colour of each name.
    shades: Vec<u8>,
    /// The colours that the file asks for, and which of them each slice has.
    pub own_colours: Vec<[u8; 3]>,
    own: HashMap<SliceId, u32>,
    flows: Flows,
    /// The selected slice and its flows.
    own_flows: (Option<u32>, Flows),
    /// Which names the page has.
    is_sent: Vec<bool>,
    states: HashMap<TrackId, Row>,
    charts: HashMap<TrackId, charts::Chart>,
    rects: Vec<LineRect>,
    line_rects: Vec<Rect>,
    arrows: Vec<FlowArrow>,
    marks: Vec<InstantMark>,
    busy: Vec<f32>,
}

impl Pictures {
    pub fn new(trace: &Trace, layout: &Layout) -> Self {
        let shade = |name: &[u8]| ColorKey::without_digits(name).shade() as u8;
        let (own_colours, own) = own_colours(trace);
        Self {
            own_colours,
            own,
            shades: trace.names().iter().map(shade).collect(),
            flows: Flows::new(trace, layout),
            is_sent: vec![false; trace.names().len()],
            ..Self::default()
        }
    }

    /// Binds flows to other rows.
    pub fn lay_out(&mut self, trace: &Trace, layout: &Layout) {
        (self.flows, self.own_flows) = (Flows::new(trace, layout), Default::default());
    }

    /// The number of the colour of a name. A name that only another trace has gets the first colour.
    pub fn shade(&self, name: NameId) -> u32 {
        self.shades.get(name.index()).copied().unwrap_or_default().into()
    }
}

/// The colours that Trace Event JSON asks for, each once, and the number of that of each slice.
fn own_colours(trace: &Trace) -> (Vec<[u8; 3]>, HashMap<SliceId, u32>) {
    let (mut colours, mut own) = (Vec::new(), HashMap::new());
    for id in (0..trace.n_slices() as u32).map(SliceId) {
        let Some(Value::Text(name)) = trace.slice_args(id).field(b"cname") else { continue };
        let Some(colour) = cname_rgb(name.raw()) else { continue };
        let known = colours.iter().position(|&known| known == colour).unwrap_or_else(|| {
            colours.push(colour);
            colours.len() - 1
        });
        own.insert(id, known as u32);
    }
    (colours, own)
}

/// Boxes: for each its left and right edge in columns, and its top, height, id, name, how many elements it stands for, and
/// style. That is the number of the colour in the lowest five bits, then flags.
#[derive(Default)]
pub struct Boxes {
    edges: Vec<f32>,
    numbers: Vec<u32>,
}

/// A quarter to four quarters of the box are busy.
const STRENGTH_SHIFT: u32 = 5;
const UNFINISHED: u32 = 1 << 7;
const HIT: u32 = 1 << 8;
/// A state of a thread. If the upper bits are 1, it is a piece of an object.
const STATE: u32 = 1 << 9;
/// The upper bits are a change, from −31 to 31, plus 32.
pub const CHANGE: u32 = 1 << 10;
/// The upper bits are the number of a colour that the file asks for.
const OWN: u32 = 1 << 11;
pub const UPPER_BITS: u32 = 12;

impl Boxes {
    pub fn push(
        &mut self,
        rect: &Rect,
        viewport: &Viewport,
        top: u64,
        height: u32,
        name: NameId,
        style: u32,
    ) {
        let shape = Instance::new(rect, viewport, 0, 0);
        let quarters = if rect.count == 1 { 3 } else { u32::from(rect.busy) >> 14 };
        let style = style | quarters << STRENGTH_SHIFT;
        self.edges.extend([shape.x0, shape.x1]);
        self.numbers.extend([top as u32, height, rect.slice.0, name.0, rect.count, style]);
    }

    pub fn into_object(self) -> Object {
        object([
            ("edges", Float32Array::from(&self.edges[..]).into()),
            ("numbers", Uint32Array::from(&self.numbers[..]).into()),
        ])
    }
}

#[wasm_bindgen]
impl Viewer {
    /// Returns what there is to draw: boxes, marks, charts and strips of both parts of the timeline, arrows, the ruler,
    /// and the names that the page does not have yet.
    pub fn frame(&mut self, wanted: JsValue) -> Result<JsValue, JsValue> {
        let wanted: Wanted = question(wanted)?;
        let range = self.range(wanted.start, wanted.start + wanted.duration);
        let viewport = Viewport::new(range, wanted.columns).with_box_width(wanted.box_width);
        let names = Array::new();
        let main = self.part(false, &wanted.main, &viewport, &wanted, &names);
        let pinned = self.part(true, &wanted.pinned, &viewport, &wanted, &names);
        let ruler = Array::new();
        for mark in Ruler::since(self.origin, &viewport, self.trace.clock().unit, wanted.between_marks) {
            let x = JsValue::from(mark.x - viewport.offset());
            ruler.push(&Array::of2(&x, &mark.label.to_string().into()));
        }
        let (arrows, left_out) = self.arrows(&viewport, &wanted);
        Ok(object([
            ("main", main.into()),
            ("pinned", pinned.into()),
            ("ruler", ruler.into()),
            ("arrows", arrows.into()),
            ("arrowsLeftOut", left_out.into()),
            ("names", names.into()),
        ])
        .into())
    }
}

impl Viewer {
    /// Everything of one part of the timeline but arrows.
    fn part(
        &mut self,
        is_pinned: bool,
        y: &Range<f64>,
        viewport: &Viewport,
        wanted: &Wanted,
        names: &Array,
    ) -> Object {
        let y = y.start as u64..y.end as u64;
        let mut boxes = Boxes::default();
        self.slices(is_pinned, y.clone(), viewport, wanted, names, &mut boxes);
        let (marks, strips, charts, objects) = (Array::new(), Array::new(), Array::new(), Array::new());
        for line in self.arrangement.part(is_pinned).visible(y.clone()).to_vec() {
            let Some(item) = Item::of_header(line.kind) else { continue };
            if let (Item::Process(process), true) = (item, line.height > PROCESS) {
                self.objects(ProcessId(process), &line, viewport, names, &mut boxes, &objects);
                continue;
            }
            if self
                .arrangement
                .part(is_pinned)
                .lines()
                .get(line.id.index() + 1)
                .is_none_or(|next| Item::of_header(next.kind).is_some())
            {
                self.strip(item, &line, viewport, &strips);
            }
            let tracks = match item {
                Item::Process(_) => continue,
                item => self.arrangement.packs().tracks(self.trace, item),
            };
            for track in tracks {
                self.states(track, &line, viewport, names, &mut boxes);
                self.marks(track, &line, viewport, &marks);
                self.chart(track, &line, viewport, &charts);
            }
        }
        let wide = if is_pinned { Array::new() } else { self.wide_marks(&y, viewport) };
        let part = boxes.into_object();
        for (key, list) in
            [("marks", marks), ("wide", wide), ("strips", strips), ("charts", charts), ("objects", objects)]
        {
            _ = js_sys::Reflect::set(&part, &key.into(), &list);
        }
        part
    }

    /// The instants of processes and of the whole trace, which are as high as what they are about. Their own line may be out
    /// of sight.
    fn wide_marks(&mut self, y: &Range<u64>, viewport: &Viewport) -> Array {
        let list = Array::new();
        for (line, track, bottom) in self.arrangement.wide.clone() {
            if line.top > y.end || bottom < y.start {
                continue;
            }
            let before = list.length();
            self.marks(track, &line, viewport, &list);
            if list.length() > before {
                _ = js_sys::Reflect::set(&list.get(before), &"bottom".into(), &(bottom as f64).into());
            }
        }
        list
    }

    /// The slices of all rows.
    fn slices(
        &mut self,
        is_pinned: bool,
        y: Range<u64>,
        viewport: &Viewport,
        wanted: &Wanted,
        names: &Array,
        boxes: &mut Boxes,
    ) {
        let Self { trace, layout, arrangement, pictures, search, .. } = self;
        let Pictures { rects, shades, is_sent, own, .. } = pictures;
        arrangement.part(is_pinned).rects(y, &**layout, viewport, rects);
        let slices = trace.slices();
        for found in rects.iter() {
            let (rect, id) = (&found.rect, found.rect.slice);
            let Some(&name) = slices.names().get(id.index()) else { continue };
            let shade = match wanted.color_by {
                ColorBy::Name => shades[name.index()].into(),
                ColorBy::Category => {
                    slices.categories().get(id.index()).map_or(0, |name| shades[name.index()].into())
                }
                ColorBy::Duration => {
                    let duration = slices.ends()[id.index()].0.abs_diff(slices.starts()[id.index()].0);
                    ColorKey::of_number(u64::from(duration.checked_ilog2().unwrap_or(0) / 3)).shade() as u32
                }
                ColorBy::Track => {
                    trace.track_of(id).map_or(0, |track| ColorKey::of_number(track.0.into()).shade() as u32)
                }
            };
            let mut style = shade;
            let flags = slices.flags().get(id.index()).copied().unwrap_or(SliceFlags::NONE);
            if flags.is_unfinished() && rect.count == 1 {
                style |= UNFINISHED;
            }
            if search.is_hit(layout, rect) {
                style |= HIT;
            }
            if wanted.own_colors
                && let Some(number) = own.get(&id)
            {
                style |= OWN | number << UPPER_BITS;
            }
            if rect.x1 - rect.x0 >= wanted.label_width {
                send(trace, is_sent, name, names);
            }
            boxes.push(rect, viewport, found.top, found.height, name, style);
        }
    }

    /// Arrows: for each its two places, how many flows it stands for, and whether it is the selected slice's. And how
    /// many there are besides.
    fn arrows(&mut self, viewport: &Viewport, wanted: &Wanted) -> (Float32Array, usize) {
        let mut left_out = 0;
        let Pictures { flows, own_flows, arrows, .. } = &mut self.pictures;
        if own_flows.0 != wanted.selected {
            let all = self.trace.flows();
            let is_own = |flow: FlowId| {
                let ends = all.get(flow.index()).map(|flow| [flow.from.0, flow.to.0]);
                ends.zip(wanted.selected).is_some_and(|(ends, own)| ends.contains(&own))
            };
            *own_flows = (wanted.selected, flows.filtered(is_own));
        }
        let vertical = &self.arrangement.main;
        let lines = vertical.visible(wanted.main.start as u64..wanted.main.end as u64);
        let mut numbers: Vec<f32> = Vec::new();
        // Those of the selected slice come last, and so on top.
        for (flows, is_own) in [(&*flows, false), (&own_flows.1, true)] {
            if wanted.arrows == Arrows::Off || (wanted.arrows == Arrows::Selected && !is_own) {
                continue;
            }
            flows.arrows(viewport, vertical, lines, arrows);
            left_out += thin_arrows(arrows, MAX_ARROWS);
            for arrow in arrows.iter() {
                for end in [arrow.from, arrow.to] {
                    let line = vertical.line(end.line);
                    let y = line.map_or(0.0, |line| line.top as f32 + line.height.min(18) as f32 / 2.0);
                    numbers.extend([end.column as f32 + 0.5 - viewport.offset(), y]);
                }
                numbers.extend([arrow.count as f32, f32::from(u8::from(is_own))]);
            }
        }
        (Float32Array::from(&numbers[..]), left_out)
    }

    pub fn name_text(&self, name: NameId) -> String {
        match name.index().checked_sub(self.trace.names().len()) {
            Some(other) => self.trees.other_name(other).into(),
            None => self.trace.name(name).into(),
        }
    }
}

/// Adds a name to those that the page gets, if it does not have it yet.
fn send(trace: &Trace, is_sent: &mut [bool], name: NameId, names: &Array) {
    if let Some(is_sent) = is_sent.get_mut(name.index()).filter(|is_sent| !**is_sent) {
        *is_sent = true;
        names.push(&Array::of2(&name.0.into(), &JsValue::from(&*trace.name(name))));
    }
}
