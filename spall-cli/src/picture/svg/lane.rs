//! A strip of the picture: counters, instants, rows of slices, states.

use std::{collections::BTreeMap, fmt::Write};

use spall_trace::{
    json::cname_rgb,
    layout::{Rect, RowView, Series, instant_marks},
    model::{Ticks, TraceView, Value},
};

use super::{COUNTER_PX, Drawing, GAP_PX, INSTANTS_PX, NAMES_PX, ROW_FILL, ROW_PX, STATES_PX};
use crate::picture::{Lane, colour, count, escape};

/// Boxes too narrow for a name, as path data, by colour and how busy they are.
type Narrow = BTreeMap<(usize, u16), String>;

impl Drawing<'_, '_> {
    /// Draws a lane, at most `n_rows` of it.
    pub(super) fn lane(&mut self, lane: &Lane, n_rows: usize) {
        let top = self.y;
        self.counters(lane);
        self.instants(lane);
        let scene = self.scene;
        let rows = lane.rows(scene);
        for row in rows.iter().take(n_rows) {
            self.row(row);
        }
        self.states(lane);
        self.y = self.y.max(top + ROW_PX) + GAP_PX;
        let below = (self.y >= top + 2 * ROW_PX).then_some(10);
        if rows.len() > n_rows {
            let lines = format!("{n_rows} of {}", count(rows.len() as u64, "line"));
            self.text("about", 10, self.y - 8, &lines, NAMES_PX - 20);
        }
        let title = self.title(&lane.name, &lane.detail, NAMES_PX - 20, below);
        let tip = escape(&lane.name);
        _ = writeln!(self.out, r#"<text x="10" y="{}">{title}<title>{tip}</title></text>"#, top + 12);
        let (y, width) = (f64::from(self.y) - 2.5, NAMES_PX + self.frame.columns());
        _ = writeln!(self.out, r#"<path class="line" d="M0 {y}h{width}"/>"#);
    }

    fn row(&mut self, row: &RowView<'_>) {
        let mut narrow = Narrow::new();
        let mut rects = std::mem::take(&mut self.rects);
        rects.clear();
        row.rects(&self.frame, &mut rects);
        for rect in &rects {
            self.rect(rect, &mut narrow);
        }
        self.rects = rects;
        for ((colour, busy), path) in narrow {
            _ = writeln!(self.out, r#"<path class="c{colour} b{busy}" d="{path}"/>"#);
        }
        self.y += ROW_PX;
    }

    fn rect(&mut self, rect: &Rect, narrow: &mut Narrow) {
        let scene = self.scene;
        self.n_drawn += u64::from(rect.count);
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
        let length = slice.map_or(Ticks::ZERO, |slice| slice.duration());
        let mut tip = format!("{}\n{}", escape(&text), scene.trace.clock().duration(length));
        if open {
            tip.push_str(", not finished");
        }
        if rect.count > 1 {
            _ = write!(tip, "\nand {}", count(u64::from(rect.count - 1), "slice"));
        }
        // The file may ask for a colour. What stands for several slices keeps that of the name.
        let asked = match scene.trace.slice_args(rect.slice).field(b"cname") {
            Some(Value::Text(asked)) if rect.count == 1 => cname_rgb(asked.raw()),
            _ => None,
        };
        let style = asked.map(|rgb| format!(r#" style="fill:{}""#, colour::css(rgb))).unwrap_or_default();
        _ = write!(
            self.out,
            r#"<path class="c{colour} b{busy}"{style} d="M{x} {y}{edge}z"><title>{tip}</title></path>"#
        );
        self.text("s", x + 4, y + 12, &text, width.saturating_sub(8));
    }

    /// What happened at a point in time, one mark per column.
    fn instants(&mut self, lane: &Lane) {
        let mut marks = Vec::new();
        for &track in &lane.tracks {
            let instants = self.scene.hidden.instants(self.scene.trace.instants_of(track));
            marks.clear();
            instant_marks(&instants, &self.frame, &mut marks);
            for mark in &marks {
                let mut tip = escape(&self.scene.trace.name(instants[mark.first as usize].name));
                if mark.count > 1 {
                    _ = write!(tip, "\nand {}", count(u64::from(mark.count - 1), "instant"));
                }
                let (x, y) = (NAMES_PX + mark.column, self.y);
                _ = writeln!(
                    self.out,
                    r#"<path class="i" d="M{x} {y}l3 3-2.5 4h-1l-2.5-4z"><title>{tip}</title></path>"#
                );
            }
        }
        if lane.tracks.iter().any(|&track| !self.scene.track(track).instants().is_empty()) {
            self.y += INSTANTS_PX;
        }
    }

    /// The states of a thread, as a band below its slices.
    fn states(&mut self, lane: &Lane) {
        let tracks = lane.tracks.iter().map(|&track| self.scene.track(track));
        let states: Vec<_> = tracks.flat_map(|track| self.scene.trace.states_of(track.id)).collect();
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

    /// The series of a counter, over each other, from zero, and how high they reach. Where there is more than one value in a
    /// column, the largest is drawn.
    fn counters(&mut self, lane: &Lane) {
        let scene = self.scene;
        let tracks = lane.tracks.iter().map(|&track| scene.track(track));
        let mut series: Vec<_> =
            tracks.flat_map(|track| Series::of(scene.trace.counters_of(track.id))).collect();
        if series.is_empty() {
            return;
        }
        let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
        // The highest first, so that none is hidden.
        let highest = |one: &Series| one.bounds().map_or(0.0, |(_, most)| finite(most));
        series.sort_by(|a, b| highest(b).total_cmp(&highest(a)));
        let bounds = series.iter().filter_map(Series::bounds);
        let (least, most) = bounds.fold((0.0_f64, 0.0_f64), |(least, most), (min, max)| {
            (least.min(finite(min)), most.max(finite(max)))
        });
        let scale = f64::from(COUNTER_PX - 4) / (most - least).max(f64::MIN_POSITIVE);
        let bottom = f64::from(self.y + COUNTER_PX - 2);
        let y = |value: f64| bottom - (finite(value) - least) * scale;
        let mut runs = Vec::new();
        for one in &series {
            runs.clear();
            one.runs(&self.frame, &mut runs);
            let (Some(first), Some(last)) = (runs.first(), runs.last()) else { continue };
            let mut path = format!("M{} {:.1}", NAMES_PX + first.x0, y(0.0));
            for run in &runs {
                _ = write!(path, "H{}V{:.1}", NAMES_PX + run.x0, y(run.max));
            }
            let colour = colour::of(scene.trace.names().bytes(one.name()));
            let tip = escape(&scene.trace.name(one.name()));
            _ = writeln!(
                self.out,
                r#"<path class="c{colour} area" d="{path}H{end}V{zero:.1}z"><title>{tip}: {least} to {most}</title></path>"#,
                end = NAMES_PX + last.x1,
                zero = y(0.0),
            );
        }
        self.text("most", NAMES_PX + 4, self.y + 10, &most.to_string(), 300);
        self.y += COUNTER_PX;
    }
}
