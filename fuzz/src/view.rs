//! Every query of a viewer, on any trace and with any argument, returns without a panic and with no more results than there
//! are columns.

use arbitrary::{Result, Unstructured};
use spall_trace::layout::{
    Ellipsis, Flows, Hits, Layout, LayoutView, Rect, RowId, Ruler, Series, Vertical, VerticalStyle, Viewport,
    Window, fit_label, flame_rows, instant_marks, slice_tree,
};
use spall_trace::model::{
    Function, Job, Limits, Measure, SliceId, Tick, Ticks, Trace, TraceBuilder, TraceView, TrackId,
};

use crate::events;

/// Builds a trace of random events and looks at it from anywhere. Returns whether there was something to see.
///
/// # Panics
/// When an answer is out of all proportion.
pub fn run(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let Ok(views) = (0..3).map(|_| View::any(&mut u)).collect::<Result<Vec<_>>>() else { return false };
    let events = events::sequence(&mut u);
    let mut builder = TraceBuilder::new(&Limits::default());
    events.iter().for_each(|event| builder.push(event));
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
    let flows = Flows::new(&trace, &layout);
    for view in &views {
        view.look(&trace, &layout, &vertical, &flows);
        view.ask(&trace, &layout, &vertical);
    }
    !trace.slices().is_empty()
}

struct View {
    viewport: Viewport,
    at: Tick,
    x: f64,
    number: u32,
    margin: u16,
}

impl View {
    fn any(u: &mut Unstructured<'_>) -> Result<Self> {
        let near = u.ratio(1, 2)?;
        let mut tick = || Ok(Tick(if near { i64::from(u.arbitrary::<i16>()?) } else { u.arbitrary()? }));
        let (start, end, at) = (tick()?, tick()?, tick()?);
        let columns = if u.ratio(1, 8)? { u.arbitrary()? } else { u.int_in_range(0..=300)? };
        let margin = u.int_in_range(0..=400)?;
        // Backwards as often as not.
        let viewport = if u.arbitrary()? {
            Viewport::fit(start..end, columns, margin)
        } else {
            Viewport::new(start..end, columns)
        };
        let viewport = viewport.with_box_width(if u.arbitrary()? { u.int_in_range(0..=9)? } else { 1 });
        Ok(Self { viewport, at, x: u.arbitrary()?, number: u.arbitrary()?, margin })
    }

    /// Everything that is drawn.
    fn look(&self, trace: &Trace, layout: &Layout, vertical: &Vertical, flows: &Flows) {
        let columns = self.viewport.columns() as usize;
        let mut rects = Vec::new();
        layout.rects(&self.viewport, vertical.lines(), &mut rects);
        assert!(rects.len() <= columns * vertical.lines().len());
        let hits = Hits::of_names(trace, layout, |name| name.index() % 2 == 1).run();
        for rect in &rects {
            assert!(hits.in_rect(rect).is_some_and(|n| n <= rect.count));
        }
        _ = Rect::hit(&rects, RowId(self.number), self.number);
        _ = (hits.first_from(layout, self.at), hits.last_before(layout, self.at));
        self.move_window(trace, vertical);
        let mut busy = Vec::new();
        layout.busy_rows(layout.rows().iter(), &self.viewport, &mut busy);
        assert_eq!(busy.len(), columns);
        for track in trace.tracks() {
            let (mut marks, mut runs) = (Vec::new(), Vec::new());
            instant_marks(trace.instants_of(track.id), &self.viewport, &mut marks);
            assert!(marks.len() <= columns);
            for series in Series::of(trace.counters_of(track.id)) {
                series.runs(&self.viewport, &mut runs);
                _ = series.value_at(self.at);
            }
        }
        let mut arrows = Vec::new();
        flows.arrows(&self.viewport, vertical, vertical.visible(0..u64::from(self.number)), &mut arrows);
        assert!(arrows.len() <= flows.len());
        let marks =
            Ruler::since(Tick(0), &self.viewport, trace.clock().unit, self.margin).take(columns + 2).count();
        assert!(marks <= columns + 1, "{marks} marks on {columns} columns");
        for name in trace.names().iter().take(20) {
            let name = String::from_utf8_lossy(name);
            let cells = |text: &str| text.chars().map(|_| 1.0).sum();
            #[allow(clippy::cast_possible_truncation, reason = "any number will do")]
            let width = self.x as f32;
            for ellipsis in [Ellipsis::Middle, Ellipsis::End] {
                _ = fit_label(&name, width, ellipsis, cells);
            }
        }
    }

    /// A window that is moved in every way, and stays near the trace.
    fn move_window(&self, trace: &Trace, vertical: &Vertical) {
        let bounds = trace.bounds().unwrap_or_default();
        let mut window = Window::new(bounds.clone());
        window.resize(self.margin, self.number, vertical);
        window.fit(self.viewport.range());
        window.reveal(0..u64::from(self.number), self.at..self.at, vertical);
        window.pan(self.x);
        window.scroll(self.x, vertical);
        window.zoom(f64::from(self.margin), self.x);
        assert_eq!(window.viewport().columns() == 0, self.margin == 0);
        assert!(window.heights().end <= vertical.height().max(self.number.into()));
        _ = window.hit(&[], self.x, self.x);
        _ = (window.tick_at(self.x), window.x(self.at), window.line_at(self.x, vertical));
    }

    /// Everything that is looked up.
    fn ask(&self, trace: &Trace, layout: &Layout, vertical: &Vertical) {
        let Self { viewport, at, x, number, .. } = self;
        _ = viewport.tick_at(*x);
        _ = viewport.x(*at);
        assert!(viewport.column(*at).is_none_or(|column| column < viewport.columns()));
        let ticks = viewport.ticks(*number);
        assert!(ticks.start <= ticks.end);
        let few = number % (trace.slices().len() as u32 + 2);
        for slice in [SliceId(*number), SliceId(few), SliceId(u32::MAX)] {
            let known = slice.index() < trace.slices().len();
            assert_eq!(layout.place(slice).is_some(), known);
            assert_eq!((trace.slice(slice).is_some(), trace.track_of(slice).is_some()), (known, known));
            assert!(known || trace.slice_args(slice).is_none());
            let others = [layout.parent(slice), layout.next(slice), layout.previous(slice)];
            assert!(others.iter().flatten().all(|other| other.index() < trace.slices().len()));
            assert!(layout.self_time(slice).is_none_or(|own| own >= Ticks::ZERO));
            _ = layout.children(slice);
        }
        for row in [RowId(*number), RowId(0), RowId(u32::MAX)] {
            if let Some(row) = layout.row(row) {
                _ = row.find(*at);
                assert!(row.visible(viewport).end <= row.len());
            }
            _ = vertical.line_of(row);
        }
        _ = vertical.at(u64::from(*number));
        _ = vertical.visible(u64::from(*number)..0);
        _ = layout.snap(vertical.lines(), *at, Ticks(at.0));
        _ = layout.track_rows(TrackId(*number));
        let tracks = (0..4).map(TrackId);
        let by_name = |slice| trace.slice_name_id(slice).map(Function::named);
        let tree = slice_tree(trace, layout, tracks, viewport.range(), Measure::WallTime, by_name).run();
        _ = flame_rows(tree.nodes()).run();
    }
}
