//! Derived tracks: what ran on each processor, a critical path, and rows of times and names, such as those of a query.
//!
//! What they show is derived once, when the place changes or the trace grows. [layout 24](spall_trace::layout::rules::layout#24)

use std::collections::HashMap;

use spall_trace::layout::{CameBy, ColorKey, LayoutView, PathPart, Row, RowId, Viewport, critical_path};
use spall_trace::model::{LiveSnapshot, NameId, SliceId, StateId, Tick, TraceView, TrackId};

use crate::{
    derived_track::{DerivedTrack, NamedRows},
    element::{Element, Selected},
    number::count,
    packing::Packing,
};

mod cpus;

use cpus::Cpus;

/// On how many lines they are at most.
const MOST_LINES: usize = 50;
/// The names of spans that are none of the trace are numbered from here on.
const OWN_NAMES: u32 = 1 << 31;
/// The spans on processors have the numbers of their states and this.
const ON_CPU: u32 = 1 << 31;

/// A line of a derived track.
#[derive(Debug, Default)]
pub(crate) struct DerivedLine {
    /// What is on it, if lines differ in that.
    pub(crate) label: String,
    /// Its spans, by number.
    pub(crate) row: Row,
}

/// A span of a derived track that is none of a processor.
#[derive(Debug)]
struct Span {
    start: Tick,
    end: Tick,
    name: NameId,
    of: Option<Element>,
    part: Option<PathPart>,
}

/// What there is to say about a span of a derived track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedSpan {
    /// When it starts.
    pub start: Tick,
    /// When it ends.
    pub end: Tick,
    /// Its name.
    pub name: String,
    /// What chooses its colour.
    pub color: ColorKey,
    /// What it stands for, which is selected instead of it.
    pub of: Option<Element>,
}

/// How a span looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) name: NameId,
    pub(crate) color: ColorKey,
}

/// The derived tracks that are shown.
#[derive(Debug, Default)]
pub(crate) struct Derived {
    /// What was derived; nothing if it has to be derived again.
    of: Vec<DerivedTrack>,
    /// The lines and the number of rows that are left out, by track. Those of processors are kept apart.
    tracks: Vec<(Vec<DerivedLine>, u64)>,
    spans: Vec<Span>,
    /// What ran on each processor, if that was derived. It is kept while nobody looks at it.
    cpus: Option<Cpus>,
    /// The names of spans that are none of the trace, and their numbers.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// How the spans of threads look, by track.
    threads: Vec<Option<Look>>,
}

impl Derived {
    /// Derives tracks, unless they are known. Times of rows count from the origin.
    pub(crate) fn derive(
        &mut self,
        wanted: &[DerivedTrack],
        origin: Tick,
        trace: &impl TraceView,
        layout: &impl LayoutView,
    ) {
        if self.of == wanted {
            return;
        }
        wanted.clone_into(&mut self.of);
        self.tracks.clear();
        self.spans.clear();
        for track in wanted {
            let made = match track {
                DerivedTrack::Cpus => {
                    self.cpus.get_or_insert_with(|| Cpus::new(trace));
                    Default::default()
                }
                DerivedTrack::Path(Selected { element: Element::Slice(slice), .. }) => {
                    (self.path(*slice, trace, layout), 0)
                }
                DerivedTrack::Path(_) => Default::default(),
                DerivedTrack::Rows(rows) => self.rows(rows, origin),
            };
            self.tracks.push(made);
        }
    }

    /// What was derived depends on a layout or on titles that are other ones now.
    pub(crate) fn outdate(&mut self) {
        self.of.clear();
        self.threads.clear();
    }

    /// Goes on with what a commit of a live trace has brought. Paths have to be derived again.
    pub(crate) fn grow(&mut self, trace: &LiveSnapshot<'_>) {
        if let Some(cpus) = &mut self.cpus {
            cpus.grow(trace);
        }
        if self.of.iter().any(|track| matches!(track, DerivedTrack::Path(_))) {
            self.of.clear();
        }
    }

    fn path(&mut self, slice: SliceId, trace: &impl TraceView, layout: &impl LayoutView) -> Vec<DerivedLine> {
        let path = critical_path(trace, layout, slice);
        let mut line = DerivedLine::default();
        for (at, part) in path.iter().enumerate() {
            let wake = path.get(at + 1).and_then(|next| match next.came_by {
                Some(CameBy::Wake(state)) => Some(Element::State(state)),
                _ => None,
            });
            let name = match part.slice {
                Some(slice) => trace.slice_name_id(slice).unwrap_or_default(),
                None => self.thread(part.track, trace).name,
            };
            let of = part.slice.map(Element::Slice).or(wake);
            let span = Span { start: part.start, end: part.end, name, of, part: Some(*part) };
            self.push(&mut line.row, span);
        }
        vec![line]
    }

    fn rows(&mut self, all: &NamedRows, origin: Tick) -> (Vec<DerivedLine>, u64) {
        let (mut lines, mut packing, mut left_out) = (Vec::new(), Packing::default(), all.left_out);
        for row in &*all.rows {
            let (start, end) = (origin + row.start.0, origin + row.end.0.max(row.start.0));
            let Some(at) = packing.place(&(start..end), MOST_LINES) else {
                left_out += 1;
                continue;
            };
            if at == lines.len() {
                lines.push(DerivedLine::default());
            }
            let (name, of) = (self.name(&row.name), row.slice.map(Element::Slice));
            if let Some(line) = lines.get_mut(at) {
                self.push(&mut line.row, Span { start, end, name, of, part: None });
            }
        }
        (lines, left_out)
    }

    fn push(&mut self, row: &mut Row, span: Span) {
        let number = u32::try_from(self.spans.len()).unwrap_or(ON_CPU);
        row.push(span.start, span.end, SliceId(number));
        self.spans.push(span);
    }

    /// The number of a name that may be none of the trace.
    fn name(&mut self, text: &str) -> NameId {
        if let Some(&number) = self.numbers.get(text) {
            return NameId(number);
        }
        let number = OWN_NAMES | u32::try_from(self.names.len()).unwrap_or_default();
        self.names.push(text.into());
        self.numbers.insert(text.into(), number);
        NameId(number)
    }

    /// The name of a thread, and the colour of its process.
    fn thread(&mut self, track: TrackId, trace: &impl TraceView) -> Look {
        if let Some(&Some(look)) = self.threads.get(track.index()) {
            return look;
        }
        let look = Look { name: self.name(&trace.track_title(track)), color: color_of_thread(track, trace) };
        self.threads.resize(trace.n_tracks(), None);
        if let Some(known) = self.threads.get_mut(track.index()) {
            *known = Some(look);
        }
        look
    }

    /// The text of a name, and its number if it is none of the trace.
    pub(crate) fn own_name(&self, name: NameId) -> Option<(usize, &str)> {
        let number = name.0.checked_sub(OWN_NAMES)? as usize;
        Some((number, self.names.get(number)?))
    }

    pub(crate) fn text(&self, name: NameId, trace: &impl TraceView) -> String {
        self.own_name(name).map_or_else(|| trace.name(name).into(), |(_, text)| text.into())
    }

    /// The lines of a track.
    pub(crate) fn lines(&self, track: u32) -> &[DerivedLine] {
        match self.of.get(track as usize) {
            Some(DerivedTrack::Cpus) => self.cpus.as_ref().map_or(&[], |cpus| cpus.lines()),
            _ => self.tracks.get(track as usize).map_or(&[], |(lines, _)| lines),
        }
    }

    /// How many lines each track has.
    pub(crate) fn n_lines(&self) -> Vec<u32> {
        let n_lines = |track| u32::try_from(self.lines(track).len()).unwrap_or(u32::MAX);
        (0..).zip(&self.of).map(|(track, _)| n_lines(track)).collect()
    }

    /// Whether there is something on processors.
    pub(crate) fn has_cpus(trace: &impl TraceView) -> bool {
        cpus::has_any(trace)
    }

    /// The title of a track, and what is left out of it.
    pub(crate) fn titled(&self, track: u32) -> Option<(String, String)> {
        let of = self.of.get(track as usize)?;
        let left_out = match (of, self.tracks.get(track as usize), &self.cpus) {
            (DerivedTrack::Cpus, _, Some(cpus)) if cpus.n_unknown() > 0 => {
                format!("{} running states on no processor", count(cpus.n_unknown()))
            }
            (DerivedTrack::Rows(_), Some(&(_, left_out)), _) if left_out > 0 => {
                format!("{} more rows", count(left_out))
            }
            _ => String::new(),
        };
        Some((of.title(), left_out))
    }

    /// How many of the lines of a track are busy in each column.
    pub(crate) fn busy(&self, track: u32, viewport: &Viewport) -> Vec<f32> {
        let mut busy = vec![0.0; viewport.columns() as usize];
        for line in self.lines(track) {
            line.row.view(RowId(0)).add_busy(viewport, &mut busy);
        }
        busy
    }

    /// How a span looks.
    pub(crate) fn look(&mut self, span: u32, trace: &impl TraceView) -> Option<Look> {
        if let Some(state) = on_cpu(span) {
            let (track, _) = trace.state(state)?;
            return Some(self.thread(track, trace));
        }
        let name = self.spans.get(span as usize)?.name;
        Some(Look { name, color: self.color(name, trace) })
    }

    fn color(&self, name: NameId, trace: &impl TraceView) -> ColorKey {
        let own = self.own_name(name).map(|(_, text)| text.as_bytes());
        ColorKey::without_digits(own.unwrap_or_else(|| trace.names().bytes(name)))
    }

    /// What there is to say about a span.
    pub(crate) fn span(&self, span: u32, trace: &impl TraceView) -> Option<DerivedSpan> {
        if let Some(id) = on_cpu(span) {
            let (track, state) = trace.state(id)?;
            return Some(DerivedSpan {
                start: state.start,
                end: state.end,
                name: trace.track_title(track).into(),
                color: color_of_thread(track, trace),
                of: Some(Element::State(id)),
            });
        }
        let &Span { start, end, name, of, .. } = self.spans.get(span as usize)?;
        Some(DerivedSpan { start, end, name: self.text(name, trace), color: self.color(name, trace), of })
    }

    /// The number of a span on a processor, and of what is derived for a path, in the trace.
    pub(crate) fn part(&self, span: u32) -> Option<&PathPart> {
        self.spans.get(span as usize)?.part.as_ref()
    }
}

/// The state of a span, if it is one on a processor.
pub(crate) fn on_cpu(span: u32) -> Option<StateId> {
    span.checked_sub(ON_CPU).map(StateId)
}

/// What chooses the colour of a thread: its process.
fn color_of_thread(track: TrackId, trace: &impl TraceView) -> ColorKey {
    let process = trace.track_info(track).and_then(|track| track.process);
    ColorKey::of_number(process.map_or(track.0, |process| process.0).into())
}
