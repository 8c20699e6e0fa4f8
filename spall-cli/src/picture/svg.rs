//! A still picture of a whole trace.

mod lane;

use spall_trace::model::TraceView;
use std::fmt::Write;

use spall_trace::layout::{Ellipsis, Rect, Ruler, Theme, Viewport, fit_label};

use super::{
    Process, Scene, colour,
    text::{clean, count, escape},
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
const LETTER_PX: f32 = 6.6;
/// A picture of more rows would be too tall for what shows pictures.
const MAX_ROWS: usize = 3000;

/// The picture as an SVG document. `title` and `about` are written over it, `notes` and what it leaves out below it.
#[must_use]
pub fn svg(scene: &Scene<'_>, title: &str, about: &str, notes: &[String]) -> String {
    let frame = Viewport::new(scene.view.clone(), COLUMNS);
    let mut drawing = Drawing {
        scene,
        frame,
        out: String::new(),
        y: TOP_PX,
        rects: Vec::new(),
        n_drawn: 0,
        n_merged: 0,
        rows_left: MAX_ROWS,
        n_tracks_left_out: 0,
    };
    for process in &scene.processes {
        drawing.process(process);
    }
    drawing.finish(title, about, notes)
}

struct Drawing<'s, 't> {
    scene: &'s Scene<'t>,
    frame: Viewport,
    /// What is below the ruler.
    out: String,
    y: u32,
    rects: Vec<Rect>,
    /// Slices that have a rectangle or are part of another's.
    n_drawn: u64,
    /// Slices that are part of another's rectangle.
    n_merged: u64,
    rows_left: usize,
    n_tracks_left_out: u64,
}

impl Drawing<'_, '_> {
    fn process(&mut self, process: &Process) {
        if self.rows_left == 0 {
            self.n_tracks_left_out += process.lanes.iter().map(|lane| lane.tracks.len() as u64).sum::<u64>();
            return;
        }
        let (y, width) = (self.y, NAMES_PX + self.frame.columns());
        let text_y = y + 17;
        _ = writeln!(self.out, r#"<rect class="head" y="{y}" width="{width}" height="{}"/>"#, PROCESS_PX - 3);
        let title = self.title(&process.name, &process.detail, width, None);
        _ = writeln!(self.out, r#"<text class="process" x="10" y="{text_y}">{title}</text>"#);
        self.y += PROCESS_PX;
        for lane in &process.lanes {
            if self.rows_left == 0 {
                self.n_tracks_left_out += lane.tracks.len() as u64;
            } else {
                let n_rows = lane.n_open_rows(self.scene).clamp(1, self.rows_left);
                self.rows_left -= n_rows;
                self.lane(lane, n_rows);
            }
        }
        self.y += GAP_PX;
    }

    /// A name, and what is known beside it: in the same line if there is room for all of it, else as much of it as has room
    /// in a line below that begins at `x`, if there is one.
    fn title(&self, name: &str, detail: &str, room: u32, below: Option<u32>) -> String {
        let name = shorten(name, room);
        let used = width(&name) as u32 + 8;
        let shown = shorten(detail, room.saturating_sub(used));
        if shown == clean(detail) {
            return format!(r#"{} <tspan class="dim">{}</tspan>"#, escape(&name), escape(&shown));
        }
        let Some(x) = below else { return escape(&name) };
        let shown = escape(&shorten(detail, room));
        format!(r#"{}<tspan class="dim" x="{x}" dy="14">{shown}</tspan>"#, escape(&name))
    }

    /// A text of at most `room` pixels, with an ellipsis if it is cut; nothing where not even a letter has room.
    fn text(&mut self, class: &str, x: u32, y: u32, text: &str, room: u32) {
        let label = shorten(text, room);
        if !label.is_empty() {
            _ = writeln!(self.out, r#"<text class="{class}" x="{x}" y="{y}">{}</text>"#, escape(&label));
        }
    }

    fn finish(mut self, title: &str, about: &str, notes: &[String]) -> String {
        let body = std::mem::take(&mut self.out);
        let bottom = self.y;
        self.ruler(bottom);
        self.text("title", 10, 26, title, 1200);
        self.text("about", 10, 46, about, 1500);
        let mut notes = notes.to_vec();
        notes.extend(self.own_notes());
        self.y += 18;
        for note in &notes {
            self.text("about", 10, self.y, note, 1500);
            self.y += 16;
        }
        let (width, height) = (NAMES_PX + self.frame.columns() + 10, self.y);
        let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| {
            let mut classes = format!(".s{{fill:{}}}", colour::text(theme));
            for (index, shade) in colour::shades(theme).iter().enumerate() {
                _ = write!(classes, ".c{index}{{fill:{shade}}}");
            }
            classes
        });
        let style = format!("{STYLE}{light}\n@media(prefers-color-scheme:dark){{{DARK_STYLE}{dark}}}");
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" viewBox=\"0 0 {width} {height}\">\n\
            <style>{style}</style>\n<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n{ruler}{body}</svg>\n",
            ruler = self.out,
        )
    }

    /// What is to be known about this picture.
    fn own_notes(&self) -> impl Iterator<Item = String> {
        let n_slices = (self.scene.trace.slices().len() - self.scene.n_hidden_slices) as u64;
        let n_flows = self.scene.trace.flows().len() as u64;
        [
            (
                self.n_merged,
                "slice",
                "too narrow to be seen, drawn as one with a neighbour, pale where mostly idle",
            ),
            (n_flows, "flow", "only in the HTML page"),
            (self.n_tracks_left_out, "track", "not drawn, as the picture would be too tall"),
            (n_slices - self.n_drawn, "slice", "not drawn in all"),
        ]
        .into_iter()
        .filter(|&(number, ..)| number > 0)
        .map(|(number, what, note)| format!("{note}: {}", count(number, what)))
    }

    /// Lines at round times since the beginning of the trace, and what they are.
    fn ruler(&mut self, bottom: u32) {
        let unit = self.scene.trace.clock().unit;
        for mark in Ruler::since(self.scene.view.start, &self.frame, unit, 100) {
            let x = mark.x + NAMES_PX as f32;
            _ = writeln!(self.out, r#"<path class="line" d="M{x:.1} {}V{bottom}"/>"#, TOP_PX - 8);
            let room = (NAMES_PX + self.frame.columns()).saturating_sub(x as u32);
            self.text("tick", x as u32, TOP_PX - 12, &mark.label.to_string(), room);
        }
    }
}

/// The text, or its beginning and an ellipsis where that has room; empty where nothing useful has.
fn shorten(text: &str, room: u32) -> String {
    let text = clean(text);
    match fit_label(&text, room as f32, Ellipsis::End, width) {
        Some(label) if !label.is_cut || room as f32 >= 3.0 * LETTER_PX => label.to_string(),
        _ => String::new(),
    }
}

/// How wide a text is, roughly: Chinese, Japanese and Korean characters and emoji take two places.
fn width(text: &str) -> f32 {
    let places = text.chars().map(|character| if character < '\u{2e80}' { 1.0 } else { 2.0 });
    places.sum::<f32>() * LETTER_PX
}

/// Alone in a window, the picture is as wide as the window, but not so narrow that nobody can read it.
const STYLE: &str = "
:root{width:100%;min-width:900px;height:auto}text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#24292f;white-space:pre}
.page{fill:#fff}.head{fill:#eef1f4}.line{stroke:#e4e8ec;fill:none}.dim,.about,.tick{fill:#6e7781}
.title{font-size:15px;font-weight:600}.process{font-weight:600}.process .dim{font-weight:400}
.s{font-size:10.5px;pointer-events:none}.i{fill:#57606a}.area{fill-opacity:.65}
.b0{fill-opacity:.7}.b1{fill-opacity:.8}.b2{fill-opacity:.9}
.most{font-size:10px;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
";

const DARK_STYLE: &str = "
text{fill:#dfe3e8}.page{fill:#16191d}.head{fill:#21262c}.line{stroke:#2a3037}.dim,.about,.tick{fill:#8b949e}.i{fill:#9aa4ae}.most{stroke:#16191d}
";
