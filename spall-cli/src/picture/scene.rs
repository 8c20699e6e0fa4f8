//! What there is to draw, from top to bottom.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use spall_trace::{
    Hidden,
    layout::{AsyncGroup, Layout, Packed, RowId, RowView, shown_tracks},
    model::{IdRange, NameId, SliceId, Tick, Trace, TraceView, Track, TrackId, TrackKind},
};

use super::count;

/// A trace and its layout, and which of it is drawn where.
#[derive(Debug)]
pub struct Scene<'t> {
    /// The trace that is drawn.
    pub trace: &'t Trace,
    /// The layout of the trace.
    pub layout: Layout,
    /// The times that are drawn: from the first of the trace to one behind the last. The range is never empty.
    pub view: Range<Tick>,
    /// The processes that are drawn, in display order.
    pub processes: Vec<Process>,
    /// The number of tracks that have nothing on them and are not drawn.
    pub n_empty_tracks: usize,
    /// The slices and instants that are not drawn.
    pub hidden: Hidden,
    /// The number of these slices.
    pub n_hidden_slices: usize,
}

/// A process: a heading with lanes below it. Tracks of no process are below a heading of their own.
#[derive(Debug)]
pub struct Process {
    /// The name of the process.
    pub name: String,
    /// The id and the labels of the process; empty if nothing is known but its name.
    pub detail: String,
    /// The lanes, from top to bottom. There is at least one.
    pub lanes: Vec<Lane>,
}

/// A strip of the picture with a name: a track, or several async tracks that show the same kind of thing.
#[derive(Debug)]
pub struct Lane {
    /// The name of the lane, indented if the track lies below another.
    pub name: String,
    /// The id of the thread or counter, or the category and the number of async spans; empty if there is none.
    pub detail: String,
    /// The tracks that the lane shows: one, or several async tracks.
    pub tracks: Vec<TrackId>,
    /// The lines that several async tracks share, or `None` for one track, which has rows of its own.
    packed: Option<Packed>,
}

impl Lane {
    /// Returns the number of rows that a picture shows in which nothing can be opened. \[layout 17.5\]
    pub(crate) fn n_open_rows(&self, scene: &Scene<'_>) -> usize {
        let most = if self.packed.is_some() { AsyncGroup::OPEN_LINES } else { usize::MAX };
        self.rows(scene).len().min(most)
    }

    /// Returns the rows of slices, from top to bottom.
    pub(crate) fn rows<'s>(&'s self, scene: &'s Scene<'_>) -> Vec<RowView<'s>> {
        match &self.packed {
            Some(packed) => {
                packed.lines().iter().zip((0..).map(RowId)).map(|(row, id)| row.view(id)).collect()
            }
            None => {
                let rows = self.tracks.iter().flat_map(|&track| scene.layout.track_rows(track));
                rows.filter_map(|row| scene.layout.row(row)).collect()
            }
        }
    }
}

impl<'t> Scene<'t> {
    /// Lays out `trace` and decides what goes where.
    #[must_use]
    pub fn new(trace: &'t Trace) -> Self {
        Self::without(trace, Hidden::default())
    }

    /// Lays out what is not hidden of `trace`, and decides what goes where.
    #[must_use]
    pub fn without(trace: &'t Trace, hidden: Hidden) -> Self {
        let layout = hidden.layout(trace);
        let slices = trace.slices().names().iter().zip(trace.slices().categories());
        let n_hidden_slices = slices.filter(|&(&name, &category)| !hidden.shows(name, category)).count();
        let Range { start, end } = trace.bounds().unwrap_or_default();
        // Something without length at the very end is to be seen as well.
        let margin = i64::try_from(end.0.abs_diff(start.0) / 400).unwrap_or(0).max(1);
        let view = match end.0.checked_add(margin) {
            Some(end) => start..Tick(end),
            None => start.min(Tick(i64::MAX - 1))..Tick::MAX,
        };
        let shown = shown_tracks(trace, &layout);
        let n_empty_tracks = trace.tracks().len() - shown.len();
        let mut scene =
            Self { trace, layout, view, processes: Vec::new(), n_empty_tracks, hidden, n_hidden_slices };
        // The tracks of a process follow one another.
        let shown_of = |tracks: IdRange<TrackId>| {
            let position = |track: TrackId| shown.partition_point(|&shown| shown < track);
            &shown[position(tracks.start())..position(tracks.end())]
        };
        let n_global = trace.tracks().iter().take_while(|track| track.process.is_none()).count();
        scene.add_process(
            String::from("Whole trace"),
            String::new(),
            shown_of(IdRange::new(TrackId(0), TrackId::new(n_global))),
        );
        for process in trace.processes() {
            let pid = trace.key_text(process.pid);
            let labels: Vec<_> = process.labels.iter().map(|&label| trace.name(label)).collect();
            let detail = match (process.name.is_empty(), labels.is_empty()) {
                (true, _) => labels.join(", "),
                (false, true) => format!("pid {pid}"),
                (false, false) => format!("pid {pid}, {}", labels.join(", ")),
            };
            scene.add_process(
                trace.process_title(process.id).into_owned(),
                detail,
                shown_of(process.tracks()),
            );
        }
        scene
    }

    /// Returns a track of the trace.
    pub(crate) fn track(&self, id: TrackId) -> &'t Track {
        &self.trace.tracks()[id.index()]
    }

    fn add_process(&mut self, name: String, detail: String, tracks: &[TrackId]) {
        let groups = AsyncGroup::all(self.trace, tracks.iter().copied());
        // A group has one lane, where its first track is.
        let others: HashSet<_> =
            groups.iter().flat_map(|group| group.tracks.iter().skip(1)).copied().collect();
        let mut groups: HashMap<_, _> =
            groups.into_iter().filter_map(|group| Some((*group.tracks.first()?, group))).collect();
        let lanes = tracks.iter().filter(|id| !others.contains(id)).map(|&id| match groups.remove(&id) {
            Some(group) => self.group(group),
            None => {
                let (name, detail) = self.title(self.track(id));
                Lane { name, detail, tracks: vec![id], packed: None }
            }
        });
        let lanes: Vec<Lane> = lanes.collect();
        if !lanes.is_empty() {
            self.processes.push(Process { name, detail, lanes });
        }
    }

    /// Returns the lane of async tracks that share lines.
    fn group(&self, group: AsyncGroup) -> Lane {
        let packed = group.pack(&self.layout);
        let parts = [self.trace.name(group.category).into_owned(), count(packed.n_slices() as u64, "span")];
        let detail = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        Lane {
            name: group.title(self.trace).into_owned(),
            detail,
            tracks: group.tracks,
            packed: Some(packed),
        }
    }

    /// Returns the name and the detail of the lane of a track.
    fn title(&self, track: &Track) -> (String, String) {
        let trace = self.trace;
        let id_of = |key| trace.key_text(key).into_owned();
        let detail = match track.kind {
            // Its label has the id already.
            TrackKind::Thread { .. } if track.name.is_empty() => String::new(),
            TrackKind::Thread { tid } | TrackKind::Cpu { tid } | TrackKind::Gpu { tid } => id_of(tid),
            TrackKind::Async { category, .. } => trace.name(category).into_owned(),
            TrackKind::Counter { id } => id.map(id_of).unwrap_or_default(),
            _ => String::new(),
        };
        // The names of tracks below others are indented.
        let above = std::iter::successors(track.parent, |&id| self.track(id).parent);
        let indent = "\u{2003}".repeat(above.take(8).count());
        (indent + &trace.track_title(track.id), detail)
    }

    /// Returns the name of a slice, or the empty name if the trace has no such slice.
    pub(crate) fn slice_name(&self, slice: SliceId) -> NameId {
        self.trace.slices().names().get(slice.index()).copied().unwrap_or_default()
    }
}
