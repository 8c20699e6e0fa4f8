//! The timeline: a line of the terminal for each line of the trace.

use std::{borrow::Cow, ops::Range};

use ratatui::{buffer::Buffer, layout::Rect as Area, style::Modifier, style::Style};
use spall_trace::Hidden;
use spall_trace::layout::{
    AsyncGroup, Folds, Hits, LayoutView, Line, LineKind, LineRect, Packed, Ruler, Series, Vertical,
    VerticalStyle, Viewport, Window, instant_marks, shown_tracks,
};
use spall_trace::model::{SliceId, ThreadMeasure, Tick, Ticks, TraceView, TrackId, TrackKind};

use crate::{boxes, colors::Colors};

const STYLE: VerticalStyle<'_> =
    VerticalStyle { process: 1, track: 1, pack: 1, row: 1, ..VerticalStyle::FLAT };
/// The map and the ruler.
pub const HEAD: u16 = 2;

/// What the timeline shows, and what is selected in it.
pub struct Timeline {
    pub window: Window,
    pub folds: Folds,
    pub vertical: Vertical,
    /// The async tracks that share lines; `None` if that has to be found out. A trace that grows shows none.
    groups: Option<Vec<AsyncGroup>>,
    /// The lines that they share, by pack.
    packs: Vec<Packed>,
    /// Whether the trace grows, so that every picture may have other lines.
    is_live: bool,
    /// The folds and the pinned tracks that the lines are made for; `None` if they have to be made anew.
    stacked_for: Option<(Folds, Vec<TrackId>)>,
    /// How busy the threads are in each column of the map, and the number of slices and the times for which that holds.
    map: (usize, Range<Tick>, Vec<f32>),
    pub selected: Option<SliceId>,
    pub hits: Hits,
    /// The slices and instants that are not shown.
    pub hidden: Hidden,
    pub hidden_tracks: Vec<TrackId>,
    pub rects: Vec<LineRect>,
    /// The times that the user has marked.
    pub marks: Vec<Tick>,
    /// The tracks that stay in sight above the others.
    pub pinned: Vec<TrackId>,
    /// The lines of the pinned tracks that are drawn, and what is on them.
    pub pinned_lines: Vertical,
    pub pinned_rects: Vec<LineRect>,
    /// How many of them there is room for.
    pub n_pinned_lines: u16,
}

impl Timeline {
    pub fn new(trace: Option<&impl TraceView>) -> Self {
        let bounds = trace.and_then(|trace| trace.bounds()).unwrap_or_default();
        Self {
            window: Window::new(bounds),
            folds: Folds::new(),
            vertical: Vertical::default(),
            groups: None,
            packs: Vec::new(),
            is_live: trace.is_none(),
            stacked_for: None,
            map: Default::default(),
            selected: None,
            hits: Hits::default(),
            hidden: Hidden::default(),
            hidden_tracks: Vec::new(),
            rects: Vec::new(),
            marks: Vec::new(),
            pinned: Vec::new(),
            pinned_lines: Vertical::default(),
            pinned_rects: Vec::new(),
            n_pinned_lines: 0,
        }
    }

    /// Forgets what was found out about a layout. `is_other_trace` if the folds are those of another one, too.
    pub fn forget(&mut self, is_other_trace: bool) {
        self.packs.clear();
        self.stacked_for = None;
        self.map = Default::default();
        if is_other_trace {
            self.groups = None;
        }
    }

    /// Finds out which tracks share lines, unless that is known.
    fn pack(&mut self, shown: &[TrackId], trace: &impl TraceView, layout: &impl LayoutView) {
        let is_new = self.groups.is_none();
        let groups = self.groups.get_or_insert_with(|| AsyncGroup::all(trace, shown.iter().copied()));
        if self.packs.len() != groups.len() {
            let is_shown = |track: &TrackId| shown.binary_search(track).is_ok();
            let tracks =
                |group: &AsyncGroup| group.tracks.iter().copied().filter(is_shown).collect::<Vec<_>>();
            self.packs = groups.iter().map(|group| Packed::new(layout, tracks(group))).collect();
        }
        if is_new {
            self.folds.fold_tall(&self.packs);
        }
    }

    /// Stacks the lines of what is shown, unless they are as they were.
    fn stack(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        let is_stacked = self
            .stacked_for
            .as_ref()
            .is_some_and(|(folds, pinned)| (folds, pinned) == (&self.folds, &self.pinned) && !self.is_live);
        if is_stacked {
            return;
        }
        let is_shown = |track: &TrackId| !self.hidden_tracks.contains(track);
        let (mut tracks, mut pinned) = (shown_tracks(trace, layout), self.pinned.clone());
        tracks.retain(is_shown);
        pinned.retain(is_shown);
        self.pack(&tracks, trace, layout);
        let style =
            VerticalStyle { folds: Some(&self.folds), tracks: Some(&tracks), packs: &self.packs, ..STYLE };
        self.vertical = Vertical::new(trace, layout, &style);
        // A pinned track has lines of its own.
        let style = VerticalStyle { process: 0, tracks: Some(&pinned), packs: &[], ..style };
        self.pinned_lines = Vertical::new(trace, layout, &style);
        self.stacked_for = Some((self.folds.clone(), self.pinned.clone()));
    }

    /// Folds or opens the track of a slice, or the pack that it is in.
    pub fn toggle_fold(&mut self, slice: SliceId, trace: &impl TraceView, layout: &impl LayoutView) {
        let line = self.vertical.line_of_slice(layout, slice).map(|line| line.kind);
        match (line, trace.track_of(slice)) {
            (Some(LineKind::Pack(pack) | LineKind::Packed(pack, _)), _) => {
                self.folds.toggle(LineKind::Pack(pack));
            }
            (_, Some(track)) => self.folds.toggle(LineKind::Track(track)),
            _ => {}
        }
    }

    /// Finds out how busy the threads are in the whole trace, unless that is known for this width.
    fn update_map(&mut self, width: u16, trace: &impl TraceView, layout: &impl LayoutView) {
        let viewport = Viewport::new(self.window.bounds(), width);
        let (n_slices, bounds, busy) = &mut self.map;
        if (*n_slices, &*bounds, busy.len()) == (trace.n_slices(), &self.window.bounds(), width.into()) {
            return;
        }
        let is_thread = |track: &TrackId| {
            trace.track_info(*track).is_some_and(|track| !matches!(track.kind, TrackKind::Async { .. }))
        };
        (*n_slices, *bounds) = (trace.n_slices(), self.window.bounds());
        layout.busy_rows(layout.outermost_rows(trace.track_ids().filter(is_thread)), &viewport, busy);
    }

    /// Selects a slice, and makes it visible.
    pub fn select(&mut self, slice: SliceId, trace: &impl TraceView, layout: &impl LayoutView) {
        self.selected = Some(slice);
        self.folds.open(trace, slice);
        self.folds.open_pack(trace, &self.packs, slice);
        self.stack(trace, layout);
        if let Some(place) = layout.place(slice)
            && let Some(line) = self.vertical.line_of_slice(layout, slice)
        {
            self.window.reveal(line.top..line.bottom(), place.start..place.end, &self.vertical);
        }
    }

    /// Keeps the track of the selected slice in sight, or no longer.
    pub fn toggle_pin(&mut self, trace: &impl TraceView) {
        let Some(track) = self.selected.and_then(|slice| trace.track_of(slice)) else { return };
        match self.pinned.iter().position(|&pinned| pinned == track) {
            Some(at) => _ = self.pinned.remove(at),
            None => self.pinned.push(track),
        }
    }

    /// Marks the start of the selected slice, or else the middle of the window. A mark that is there goes away.
    pub fn toggle_mark(&mut self, trace: &impl TraceView) {
        let slice = self.selected.and_then(|slice| trace.slice(slice));
        let middle = f64::from(self.window.viewport().columns()) / 2.0;
        let at = slice.map_or_else(|| self.window.tick_at(middle), |slice| slice.start);
        let n_marks = self.marks.len();
        self.marks.retain(|&mark| mark != at);
        if self.marks.len() == n_marks {
            self.marks.push(at);
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

    /// Draws from top to bottom: the map, the ruler, the pinned lines and the others.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Area,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        colors: Colors,
    ) {
        self.stack(trace, layout);
        self.update_map(area.width, trace, layout);
        let room = area.height.saturating_sub(HEAD);
        self.n_pinned_lines = self.pinned_lines.height().min(u64::from(room) * 2 / 5) as u16;
        let pinned = Area { y: area.y + HEAD, height: self.n_pinned_lines, ..area };
        let main = Area { y: pinned.bottom(), height: room - self.n_pinned_lines, ..area };
        self.window.resize(area.width, main.height.into(), &self.vertical);
        let Self { window, vertical, rects, pinned_rects, pinned_lines, .. } = self;
        vertical.rects(window.heights(), layout, window.viewport(), rects);
        let (shown, heights) = (window.viewport(), 0..u64::from(pinned.height));
        pinned_lines.rects(heights.clone(), layout, shown, pinned_rects);
        let top = window.heights().start;
        let parts = [
            (pinned, 0, &self.pinned_rects, self.pinned_lines.visible(heights)),
            (main, top, &self.rects, self.vertical.visible(self.window.heights())),
        ];
        for (area, top, rects, lines) in parts {
            let line_at = |y: u64| Area { y: area.y + (y - top) as u16, height: 1, ..area };
            for found in rects {
                self.draw_slice(buffer, line_at(found.top), found, trace, colors);
            }
            for line in lines {
                self.draw_header(buffer, line_at(line.top), line, trace, layout);
            }
        }
        self.draw_map(buffer, Area { height: 1, ..area });
        let ruler = Area { y: area.y + 1, height: 1, ..area };
        for mark in Ruler::since(self.window.bounds().start, self.window.viewport(), trace.clock().unit, 14) {
            let x = (mark.x as u16).min(area.width);
            let label = format!("╷{}", mark.label);
            buffer.set_stringn(ruler.x + x, ruler.y, label, (area.width - x).into(), Modifier::DIM);
        }
        let shown = self.window.viewport().range();
        for &mark in self.marks.iter().filter(|&mark| shown.contains(mark)) {
            let x = area.x + (self.window.x(mark) as u16).min(area.width.saturating_sub(1));
            buffer.set_stringn(x, ruler.y, "▼", 1, Modifier::BOLD);
            for y in pinned.y..main.bottom() {
                // Only where nothing else is drawn, so that the mark hides no name.
                if buffer[(x, y)].symbol() == " " {
                    buffer.set_stringn(x, y, "┊", 1, Style::new());
                }
            }
        }
    }

    /// Draws how many threads are busy in the whole trace. What the window shows of it stands out.
    fn draw_map(&self, buffer: &mut Buffer, area: Area) {
        let (viewport, busy) = (Viewport::new(self.window.bounds(), area.width), &self.map.2);
        let most = busy.iter().copied().fold(1.0, f32::max);
        boxes::bars(
            buffer,
            area,
            busy.iter().map(|threads| threads / most),
            Style::new().add_modifier(Modifier::DIM),
        );
        let column = |at| (viewport.x(at) - viewport.offset()) as u16;
        for &mark in &self.marks {
            buffer.set_stringn(
                area.x + column(mark).min(area.width.saturating_sub(1)),
                area.y,
                "▼",
                1,
                Modifier::BOLD,
            );
        }
        let shown = self.window.viewport().range();
        let (start, end) = (column(shown.start), (column(shown.end)).min(area.width));
        let shown =
            Area { x: area.x + start.min(area.width), width: end.saturating_sub(start).max(1), ..area };
        buffer.set_style(shown.intersection(area), Style::new().remove_modifier(Modifier::DIM));
    }

    /// Draws the box of a slice, or of several.
    fn draw_slice(
        &self,
        buffer: &mut Buffer,
        area: Area,
        found: &LineRect,
        trace: &impl TraceView,
        colors: Colors,
    ) {
        let name = trace.slice_name(found.rect.slice);
        let is_dim = !self.hits.is_empty() && self.hits.in_rect(&found.rect) == Some(0);
        let mut style = colors.of_name(&name, is_dim);
        if self.selected == Some(found.rect.slice) {
            style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
        }
        boxes::draw(buffer, area, &found.rect, &name, style);
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
        let Some(label) = self.label(line, trace) else { return };
        let dim = Style::new().add_modifier(Modifier::DIM);
        let is_folded = self.folds.is_folded(line.kind);
        if is_folded {
            let rows = match line.kind {
                LineKind::Pack(pack) => {
                    layout.outermost_rows(self.packs[pack.index()].tracks().iter().copied())
                }
                _ => line.outermost_rows(trace, layout),
            };
            let (most, mut busy) = (rows.len().max(1) as f32, Vec::new());
            layout.busy_rows(rows, self.window.viewport(), &mut busy);
            boxes::bars(buffer, area, busy.iter().map(|rows| rows / most), dim);
        }
        if let LineKind::Track(track) = line.kind {
            boxes::bars(buffer, area, self.counter(track, trace), dim);
            let mut marks = Vec::new();
            instant_marks(
                &self.hidden.instants(trace.instants_of(track)),
                self.window.viewport(),
                &mut marks,
            );
            for mark in marks.iter().filter(|mark| mark.column < area.width.into()) {
                buffer.set_stringn(area.x + mark.column as u16, area.y, "╷", 1, Style::new());
            }
        }
        let (indent, style) = match line.kind {
            LineKind::Process(_) => (0, Style::new().add_modifier(Modifier::BOLD)),
            _ => (1 + line.level.min(16) as usize, Style::new()),
        };
        let indent = " ".repeat(indent);
        let text = format!("{indent}{} {label} ", if is_folded { '▸' } else { '▾' });
        buffer.set_stringn(area.x, area.y, text, area.width.into(), style);
    }

    /// Returns the text on a header, or `None` for another line. That of a pack says how many spans it has.
    fn label<'t>(&self, line: &Line, trace: &'t impl TraceView) -> Option<Cow<'t, str>> {
        let LineKind::Pack(pack) = line.kind else { return line.label(trace) };
        let group = self.groups.as_ref()?.get(pack.index())?;
        let n_spans = self.packs.get(pack.index())?.n_slices();
        Some(format!("{} ({n_spans} spans)", group.title(trace)).into())
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
        let cpu = args.thread_measure(ThreadMeasure::Time).map_or(String::new(), |cpu| {
            let waiting = (slice.duration() - Ticks(cpu)).max(Ticks::ZERO);
            format!(", CPU {}, waiting {}", clock.duration(Ticks(cpu)), clock.duration(waiting))
        });
        format!("{name}: {}, self {self_time}{cpu}, at {since}  {args}", clock.duration(slice.duration()))
    }
}
