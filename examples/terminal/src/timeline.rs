//! The timeline: a line of the terminal for each line of the trace.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect as Area, style::Modifier, style::Style};
use spall_trace::layout::{
    Fidelity, Folds, Heights, Hits, LayoutView, Line, LineKind, LineRect, Ruler, Scratch, Series, Vertical,
    Window, instant_marks,
};
use spall_trace::model::{SliceId, TraceView, TrackId};

use crate::{boxes, colors::Colors};

const HEIGHTS: Heights = Heights { process: 1, track: 1, row: 1 };

/// What the timeline shows, and what is selected in it.
pub struct Timeline {
    pub window: Window,
    pub folds: Folds,
    pub vertical: Vertical,
    pub selected: Option<SliceId>,
    pub hits: Hits,
    pub rects: Vec<LineRect>,
    scratch: Scratch,
}

impl Timeline {
    pub fn new(trace: Option<&impl TraceView>) -> Self {
        let bounds = trace.and_then(|trace| trace.bounds()).unwrap_or_default();
        Self {
            window: Window::new(bounds, Fidelity::Exact),
            folds: Folds::new(HEIGHTS),
            vertical: Vertical::default(),
            selected: None,
            hits: Hits::default(),
            rects: Vec::new(),
            scratch: Scratch::new(),
        }
    }

    /// Selects a slice, and makes it visible.
    pub fn select(&mut self, slice: SliceId, trace: &impl TraceView, layout: &impl LayoutView) {
        self.selected = Some(slice);
        self.folds.open(trace, slice);
        self.vertical = Vertical::new(trace, layout, &self.folds);
        if let Some(place) = layout.place(slice)
            && let Some(line) = self.vertical.line_of(place.row)
        {
            self.window.reveal(line.top..line.bottom(), place.start..place.end, &self.vertical);
        }
    }

    /// Returns the slice drawn above (`by` is −1) or below (1) the selected one, on the nearest line that has one.
    pub fn beside(&self, by: i64) -> Option<SliceId> {
        let is_selected = |found: &&LineRect| Some(found.rect.slice) == self.selected;
        let from = self.rects.iter().find(is_selected)?;
        let reaches = |found: &&LineRect| found.rect.x1 > from.rect.x0 && found.rect.x0 < from.rect.x1;
        let mut others = self.rects.iter().filter(reaches);
        let found = if by > 0 {
            others.find(|found| found.line > from.line)
        } else {
            others.rfind(|found| found.line < from.line)
        };
        Some(found?.rect.slice)
    }

    /// Draws the ruler and, below it, the lines.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Area,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        colors: Colors,
    ) {
        let lines = Area { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        self.vertical = Vertical::new(trace, layout, &self.folds);
        self.window.resize(area.width, lines.height.into(), &self.vertical);
        let Self { window, folds, vertical, scratch, rects, .. } = self;
        vertical.rects(window.heights(), layout, folds, window.viewport(), scratch, rects);
        for mark in Ruler::since(window.bounds().start, window.viewport(), trace.clock().unit, 14) {
            let x = (mark.x as u16).min(area.width);
            let label = format!("╷{}", mark.label);
            buffer.set_stringn(area.x + x, area.y, label, (area.width - x).into(), Modifier::DIM);
        }
        let top = window.heights().start;
        let line_at = |y: u64| Area { y: lines.y + (y - top) as u16, height: 1, ..lines };
        for found in rects.iter() {
            let name = trace.slice_name(found.rect.slice);
            let is_dim = !self.hits.is_empty() && self.hits.in_rect(&found.rect) == Some(0);
            let mut style = colors.of_name(&name, is_dim);
            if self.selected == Some(found.rect.slice) {
                style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
            }
            boxes::draw(buffer, line_at(found.top), &found.rect, &name, style);
        }
        for line in self.vertical.visible(self.window.heights()) {
            self.draw_header(buffer, line_at(line.top), line, trace, layout);
        }
    }

    /// Draws the label of a process or track, and what is shown on its line: how busy it is if it is folded, a counter
    /// or instants.
    fn draw_header(
        &self,
        buffer: &mut Buffer,
        area: Area,
        line: &Line,
        trace: &impl TraceView,
        layout: &impl LayoutView,
    ) {
        let Some(label) = line.label(trace) else { return };
        let dim = Style::new().add_modifier(Modifier::DIM);
        let is_folded = self.folds.is_folded(line.kind);
        if is_folded {
            let rows = line.outermost_rows(trace, layout);
            let (most, mut busy) = (rows.len().max(1) as f32, Vec::new());
            layout.busy_rows(rows, self.window.viewport(), &mut Scratch::new(), &mut busy);
            boxes::bars(buffer, area, busy.iter().map(|rows| rows / most), dim);
        }
        if let LineKind::Track(track) = line.kind {
            boxes::bars(buffer, area, self.counter(track, trace), dim);
            let mut marks = Vec::new();
            instant_marks(trace.instants_of(track), self.window.viewport(), &mut marks);
            for mark in marks.iter().filter(|mark| mark.column < area.width.into()) {
                buffer.set_stringn(area.x + mark.column as u16, area.y, "╷", 1, Style::new());
            }
        }
        let is_process = matches!(line.kind, LineKind::Process(_));
        let (indent, style) =
            if is_process { ("", Style::new().add_modifier(Modifier::BOLD)) } else { (" ", Style::new()) };
        let text = format!("{indent}{} {label} ", if is_folded { '▸' } else { '▾' });
        buffer.set_stringn(area.x, area.y, text, area.width.into(), style);
    }

    /// Returns how high the sum of a counter is in each column, from 0 to 1; empty for other tracks.
    fn counter(&self, track: TrackId, trace: &impl TraceView) -> Vec<f32> {
        let mut heights = vec![0.0; self.window.viewport().columns() as usize];
        let sum = Series::stacked(trace.counters_of(track)).and_then(|mut layers| layers.pop());
        let Some((sum, (_, most))) = sum.and_then(|sum| Some((sum.bounds()?, sum)).map(|(b, s)| (s, b)))
        else {
            return Vec::new();
        };
        let mut runs = Vec::new();
        sum.runs(self.window.viewport(), &mut runs);
        for run in runs {
            heights[run.x0 as usize..run.x1 as usize].fill((run.max / most) as f32);
        }
        heights
    }

    /// Returns what there is to say about the selected slice, or else about what is shown.
    pub fn describe(&self, trace: &impl TraceView, layout: &impl LayoutView) -> String {
        let clock = trace.clock();
        let Some((id, slice)) = self.selected.and_then(|id| Some((id, trace.slice(id)?))) else {
            let Range { start, end } = self.window.viewport().range();
            return format!("{} shown, {} slices in all", clock.duration(end - start), trace.n_slices());
        };
        let self_time = clock.duration(layout.self_time(id).unwrap_or_default());
        let since = clock.duration(slice.start - self.window.bounds().start);
        let (name, args) = (trace.slice_name(id), trace.slice_args(id));
        format!("{name}: {}, self {self_time}, at {since}  {args}", clock.duration(slice.duration()))
    }
}
