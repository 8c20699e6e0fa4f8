//! A still picture of a whole trace.

use std::{collections::BTreeMap, fmt::Write};

use spall::{
    layout::{Fidelity, Frame, Rect, Scratch},
    model::{NameId, Tick, TrackKind},
};

use super::{
    Lane, Process, Row, Scene, colour,
    text::{clean, count, duration, escape},
};

const NAMES_PX: u32 = 230;
const COLUMNS: u16 = 1350;
const TOP_PX: u32 = 84;
const PROCESS_PX: u32 = 26;
const ROW_PX: u32 = 17;
const ROW_FILL: u32 = 16;
const INSTANTS_PX: u32 = 9;
const STATES_PX: u32 = 6;
const COUNTER_PX: u32 = 36;
const GAP_PX: u32 = 5;
/// Of the monospaced font, generously.
const LETTER_PX: f64 = 6.6;
/// A picture of more rows would be too tall to be shown by anything.
const MAX_ROWS: usize = 3000;

/// The picture as an SVG document. `title` and the lines of `about` are written over it, `notes` below it.
#[must_use]
pub fn svg(scene: &Scene<'_>, title: &str, about: &str, notes: &[String]) -> String {
    let frame = Frame::new(scene.view.clone(), COLUMNS, Fidelity::Exact);
    let mut drawing = Drawing {
        scene,
        frame,
        out: String::new(),
        y: TOP_PX,
        scratch: Scratch::new(),
        rects: Vec::new(),
        n_merged: 0,
        rows_left: MAX_ROWS,
        n_lanes_left_out: 0,
    };
    for process in &scene.processes {
        drawing.process(process);
    }
    drawing.finish(title, about, notes)
}

struct Drawing<'s, 't> {
    scene: &'s Scene<'t>,
    frame: Frame,
    /// What is below the ruler.
    out: String,
    y: u32,
    scratch: Scratch,
    rects: Vec<Rect>,
    /// Slices that are drawn as part of another's rectangle.
    n_merged: u64,
    rows_left: usize,
    n_lanes_left_out: u64,
}

/// Boxes too narrow for a name, as path data, by colour and how busy they are.
type Narrow = BTreeMap<(usize, u16), String>;

impl Drawing<'_, '_> {
    fn process(&mut self, process: &Process) {
        if self.rows_left == 0 {
            self.n_lanes_left_out += process.lanes.len() as u64;
            return;
        }
        let (y, width) = (self.y, NAMES_PX + self.frame.columns());
        let text_y = y + 17;
        _ = writeln!(self.out, r#"<rect class="head" y="{y}" width="{width}" height="{}"/>"#, PROCESS_PX - 3);
        let title = self.title(&process.name, &process.detail, width);
        _ = writeln!(self.out, r#"<text class="process" x="10" y="{text_y}">{title}</text>"#);
        self.y += PROCESS_PX;
        for lane in &process.lanes {
            if self.rows_left == 0 {
                self.n_lanes_left_out += 1;
            } else {
                self.rows_left -= lane.rows.len().clamp(1, self.rows_left);
                self.lane(lane);
            }
        }
        self.y += GAP_PX;
    }

    fn lane(&mut self, lane: &Lane) {
        let top = self.y;
        for &track in &lane.tracks {
            if let TrackKind::Counter { .. } = self.scene.track(track).kind {
                self.counters(lane);
            }
        }
        self.instants(lane);
        for row in &lane.rows {
            self.row(row);
        }
        self.states(lane);
        self.y = self.y.max(top + ROW_PX) + GAP_PX;
        let title = self.title(&lane.name, &lane.detail, NAMES_PX - 20);
        let tip = escape(&lane.name);
        _ = writeln!(self.out, r#"<text x="10" y="{}">{title}<title>{tip}</title></text>"#, top + 12);
        let (y, width) = (f64::from(self.y) - 2.5, NAMES_PX + self.frame.columns());
        _ = writeln!(self.out, r#"<path class="line" d="M0 {y}h{width}"/>"#);
    }

    /// A name, and what is known beside it if there is room for all of it.
    fn title(&self, name: &str, detail: &str, room: u32) -> String {
        let name = shorten(name, room);
        let used = (name.chars().count() as f64 * LETTER_PX) as u32 + 8;
        match shorten(detail, room.saturating_sub(used)) {
            shown if shown == clean(detail) => {
                format!(r#"{} <tspan class="dim">{}</tspan>"#, escape(&name), escape(&shown))
            }
            _ => escape(&name),
        }
    }

    fn row(&mut self, row: &Row) {
        let mut narrow = Narrow::new();
        for &part in &row.parts {
            let Some(view) = self.scene.layout.row(part) else { continue };
            let mut rects = std::mem::take(&mut self.rects);
            rects.clear();
            view.rects(&self.frame, &mut self.scratch, &mut rects);
            for rect in &rects {
                self.rect(rect, &mut narrow);
            }
            self.rects = rects;
        }
        for ((colour, busy), path) in narrow {
            _ = writeln!(self.out, r#"<path class="c{colour} b{busy}" d="{path}"/>"#);
        }
        self.y += ROW_PX;
    }

    fn rect(&mut self, rect: &Rect, narrow: &mut Narrow) {
        let scene = self.scene;
        self.n_merged += u64::from(rect.count - 1);
        let name = scene.slice_name(rect.slice);
        let colour = colour::of(scene.trace.names().bytes(name));
        let (x, y, width) = (NAMES_PX + rect.x0, self.y, rect.x1 - rect.x0);
        // A box of which a quarter is busy is paler than a full one.
        let busy = if rect.count == 1 { 3 } else { rect.busy >> 14 };
        if width < 3 {
            let path = narrow.entry((colour, busy)).or_default();
            _ = write!(path, "M{x} {y}h{width}v{ROW_FILL}h-{width}z");
            return;
        }
        let slice = scene.trace.slice(rect.slice);
        let open = slice.is_some_and(|slice| slice.flags.is_unfinished());
        let edge = match open && width > 8 {
            // Torn off where the file says no end.
            true => {
                format!("h{}l4 {tooth}l-4 {tooth}l4 {tooth}l-4 {tooth}H{x}", width - 4, tooth = ROW_FILL / 4)
            }
            false => format!("h{}v{ROW_FILL}H{x}", f64::from(width) - 0.5),
        };
        let text = scene.trace.name(name);
        let length = slice.map_or(0, |slice| slice.end.0.abs_diff(slice.start.0));
        let mut tip = format!("{}\n{}", escape(&text), self.duration(length));
        if open {
            tip.push_str(", not finished");
        }
        if rect.count > 1 {
            _ = write!(tip, "\nand {}", count(u64::from(rect.count - 1), "slice"));
        }
        _ = write!(
            self.out,
            r#"<path class="c{colour} b{busy}" d="M{x} {y}{edge}z"><title>{tip}</title></path>"#
        );
        self.text("s", x + 4, y + 12, &text, width.saturating_sub(8));
    }

    /// What happened at a point in time, one tick per column.
    fn instants(&mut self, lane: &Lane) {
        let mut columns: BTreeMap<u32, (NameId, u64)> = BTreeMap::new();
        for &track in &lane.tracks {
            for instant in &self.scene.trace.instants()[self.scene.track(track).instants()] {
                if let Some(column) = self.frame.column(instant.at) {
                    columns.entry(column).or_insert((instant.name, 0)).1 += 1;
                }
            }
        }
        if columns.is_empty() {
            return;
        }
        for (column, (name, number)) in columns {
            let mut tip = escape(&self.scene.trace.name(name));
            if number > 1 {
                _ = write!(tip, "\nand {}", count(number - 1, "instant"));
            }
            let (x, y) = (NAMES_PX + column, self.y);
            _ = writeln!(
                self.out,
                r#"<path class="i" d="M{x} {y}l3 3-2.5 4h-1l-2.5-4z"><title>{tip}</title></path>"#
            );
        }
        self.y += INSTANTS_PX;
    }

    /// The states of a thread, as a band below its slices.
    fn states(&mut self, lane: &Lane) {
        let tracks = lane.tracks.iter().map(|&track| self.scene.track(track).states());
        let states: Vec<_> = tracks.flat_map(|states| &self.scene.trace.states()[states]).collect();
        for state in &states {
            let colour = colour::of(self.scene.trace.names().bytes(state.name));
            let (x, end) = (self.frame.x(state.start), self.frame.x(state.end));
            let tip = escape(&self.scene.trace.name(state.name));
            _ = writeln!(
                self.out,
                r#"<rect class="c{colour}" x="{x:.1}" y="{y}" width="{width:.1}" height="{height}"><title>{tip}</title></rect>"#,
                x = x + NAMES_PX as f32,
                y = self.y,
                width = (end - x).max(0.5),
                height = STATES_PX - 1,
            );
        }
        if !states.is_empty() {
            self.y += STATES_PX;
        }
    }

    /// The series of a counter, over each other, from zero.
    fn counters(&mut self, lane: &Lane) {
        let scene = self.scene;
        let values =
            lane.tracks.iter().flat_map(|&track| &scene.trace.counters()[scene.track(track).counters()]);
        let mut series: BTreeMap<NameId, Vec<(Tick, f64)>> = BTreeMap::new();
        for value in values.filter(|value| value.value.is_finite()) {
            series.entry(value.series).or_default().push((value.at, value.value));
        }
        if series.is_empty() {
            return;
        }
        let all = || series.values().flatten().map(|&(_, value)| value);
        let (least, most) = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
        let scale = f64::from(COUNTER_PX - 4) / (most - least).max(f64::MIN_POSITIVE);
        let height = |value: f64| f64::from(self.y + COUNTER_PX - 2) - (value - least) * scale;
        for (name, points) in &series {
            let mut path = String::new();
            let x = |at| f64::from(self.frame.x(at)) + f64::from(NAMES_PX);
            for &(at, value) in points {
                match path.is_empty() {
                    true => _ = write!(path, "M{:.1} {:.1}V{:.1}", x(at), height(0.0), height(value)),
                    false => _ = write!(path, "H{:.1}V{:.1}", x(at), height(value)),
                }
            }
            let end = x(scene.view.end);
            let colour = colour::of(scene.trace.names().bytes(*name));
            let tip = escape(&scene.trace.name(*name));
            _ = writeln!(
                self.out,
                r#"<path class="c{colour} area" d="{path}H{end:.1}V{:.1}z"><title>{tip}, {least} to {most}</title></path>"#,
                height(0.0)
            );
        }
        self.y += COUNTER_PX;
    }

    /// A text of at most `room` pixels, with an ellipsis if it is cut; nothing where not even a letter has room.
    fn text(&mut self, class: &str, x: u32, y: u32, text: &str, room: u32) {
        let label = shorten(text, room);
        if !label.is_empty() {
            _ = writeln!(self.out, r#"<text class="{class}" x="{x}" y="{y}">{}</text>"#, escape(&label));
        }
    }

    fn duration(&self, ticks: u64) -> String {
        duration(ticks, self.scene.trace.clock().ns_per_tick())
    }

    fn finish(mut self, title: &str, about: &str, notes: &[String]) -> String {
        let body = std::mem::take(&mut self.out);
        let bottom = self.y;
        self.ruler(bottom);
        self.text("title", 10, 26, title, 1200);
        self.text("about", 10, 46, about, 1500);
        let mut notes = notes.to_vec();
        if self.n_merged > 0 {
            let merged = count(self.n_merged, "slice");
            notes.push(format!(
                "too narrow to be seen, drawn as one with a neighbour, pale where mostly idle: {merged}"
            ));
        }
        if self.n_lanes_left_out > 0 {
            let lanes = count(self.n_lanes_left_out, "track");
            notes.push(format!("left out, as they are below row {MAX_ROWS}: {lanes}"));
        }
        self.y += 18;
        for note in &notes {
            self.text("about", 10, self.y, note, 1500);
            self.y += 16;
        }
        let (width, height) = (NAMES_PX + self.frame.columns() + 10, self.y);
        let mut light = String::new();
        let mut dark = String::new();
        for index in 0..colour::LIGHT.len() {
            _ = write!(light, ".c{index}{{fill:{}}}", colour::LIGHT[index]);
            _ = write!(dark, ".c{index}{{fill:{}}}", colour::DARK[index]);
        }
        let style = format!("{STYLE}{light}\n@media(prefers-color-scheme:dark){{{DARK_STYLE}{dark}}}");
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
            <style>{style}</style>\n<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n{ruler}{body}</svg>\n",
            ruler = self.out,
        )
    }

    /// Lines at round times since the beginning of the trace, and what they are.
    fn ruler(&mut self, bottom: u32) {
        let ns_per_tick = self.scene.trace.clock().ns_per_tick();
        let start = self.scene.view.start;
        let span = self.scene.view.end.0.abs_diff(start.0);
        for tick in round_steps(span, ns_per_tick, 12) {
            let at = Tick(start.0.saturating_add_unsigned(tick));
            let Some(column) = self.frame.column(at) else { continue };
            let x = NAMES_PX + column;
            _ = writeln!(self.out, r#"<path class="line" d="M{x}.5 {}V{bottom}"/>"#, TOP_PX - 8);
            let label = if tick == 0 { String::from("0") } else { self.duration(tick) };
            self.text("tick", x, TOP_PX - 12, &label, (NAMES_PX + self.frame.columns()).saturating_sub(x));
        }
    }
}

/// At most `n` lengths up to `span` ticks, in steps of 1, 2 or 5 times a power of ten nanoseconds or events.
fn round_steps(span: u64, ns_per_tick: Option<f64>, n: u64) -> impl Iterator<Item = u64> {
    let ns_per_tick = ns_per_tick.unwrap_or(1.0);
    let least = (span as f64 * ns_per_tick / n as f64).max(ns_per_tick);
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|&step| step >= least * 0.999);
    let step = step.unwrap_or(least) / ns_per_tick;
    (0..=n + 1).map(move |index| (index as f64 * step).round() as u64).take_while(move |&tick| tick <= span)
}

/// The text, or its beginning and an ellipsis where that has room; empty where nothing useful has.
fn shorten(text: &str, room: u32) -> String {
    let n_letters = (f64::from(room) / LETTER_PX) as usize;
    let text = clean(text);
    if text.chars().nth(n_letters).is_none() {
        return text;
    }
    if n_letters < 3 {
        return String::new();
    }
    text.chars().take(n_letters - 1).chain(['…']).collect()
}

const STYLE: &str = "
text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#24292f;white-space:pre}
.page{fill:#fff}.head{fill:#eef1f4}.line{stroke:#e4e8ec;fill:none}.dim,.about,.tick{fill:#6e7781}
.title{font-size:15px;font-weight:600}.process{font-weight:600}.process .dim{font-weight:400}
.s{font-size:10.5px;pointer-events:none}.i{fill:#57606a}.area{fill-opacity:.65}
.b0{fill-opacity:.5}.b1{fill-opacity:.65}.b2{fill-opacity:.8}
";

const DARK_STYLE: &str = "
text{fill:#dfe3e8}.page{fill:#16191d}.head{fill:#21262c}.line{stroke:#2a3037}.dim,.about,.tick{fill:#8b949e}.i{fill:#9aa4ae}
";
