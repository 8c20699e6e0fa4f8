//! What a user has chosen to see of a trace, without the trace: lines, the part of them in a window, and the place.

use core::ops::Range;

use spall_trace::layout::{Folds, LayoutView, Line, LineKind, Row, Vertical, Viewport, Window, active_range};
use spall_trace::model::{LiveSnapshot, Measure, ProcessId, SliceId, Tick, TraceView, TrackId, TrackSet};

use crate::{
    Since,
    derived::Derived,
    element::Element,
    heights::Heights,
    item::{Item, Items},
    place::{ChosenRange, Place},
};

mod change;
mod derive;
mod run;
mod stack;

/// What a user has chosen to see of a trace. It holds no trace, so that it stays while a live trace grows: its functions are
/// given the trace and the layout.
#[derive(Debug)]
pub struct View {
    origin: Tick,
    pub(crate) heights: Heights,
    /// The set of tracks that are added up if nobody chooses another one.
    pub(crate) shown: TrackSet,
    pub(crate) items: Items,
    /// What is on derived tracks.
    pub(crate) derived: Derived,
    /// The height that the header of each track has while the track is open. 0 if nothing is shown on it.
    headers: Vec<u32>,
    n_tracks: usize,
    /// How high the lines of the objects of each process are.
    objects: Vec<u32>,
    place: Place,
    past: Vec<Place>,
    future: Vec<Place>,
    /// How many steps there were, with those that can no longer be taken back.
    pub(crate) n_steps: u32,
    window: Window,
    folds: Folds,
    main: Vertical,
    pinned: Vertical,
    /// The lines of the main part whose instants are about a whole process or the whole trace.
    pub(crate) wide: Vec<Wide>,
    /// The column of the pointer, and what it points at.
    pointer: (Option<f64>, Option<Item>),
    /// Which of the flows of the selected slice is followed.
    pub(crate) flow: usize,
}

/// A line whose instants are as high as what they are about, and how far down that is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide {
    pub(crate) line: Line,
    pub(crate) track: TrackId,
    pub(crate) bottom: u64,
}

impl View {
    /// Shows all of a trace, in lines of these heights. `object_lines` are how many lines of objects each process has.
    pub(crate) fn new(
        trace: &impl TraceView,
        layout: &impl LayoutView,
        heights: Heights,
        object_lines: impl Fn(ProcessId) -> u32,
        has_instants: impl Fn(TrackId) -> bool,
        shown: TrackSet,
    ) -> Self {
        let active = active_range(trace, layout).unwrap_or_default();
        let processes = trace.track_ids().filter_map(|track| trace.track_info(track)?.process);
        let n_processes = processes.map(|process| process.index() + 1).max().unwrap_or(0);
        let objects = |process| object_lines(ProcessId::new(process)) * heights.object;
        let mut window = Window::new(trace.bounds().unwrap_or_default());
        window.fit(active.clone());
        let mut view = Self {
            origin: active.start,
            shown,
            items: Items::new(trace, layout),
            objects: (0..n_processes).map(objects).collect(),
            window,
            ..Self::live(heights)
        };
        view.lay_out(trace, layout, has_instants);
        view
    }

    /// Shows a trace that grows, from nothing on.
    pub(crate) fn live(heights: Heights) -> Self {
        Self {
            origin: Tick(0),
            heights,
            shown: TrackSet::All,
            items: Items::default(),
            derived: Derived::default(),
            headers: Vec::new(),
            n_tracks: 0,
            objects: Vec::new(),
            place: Place::default(),
            past: Vec::new(),
            future: Vec::new(),
            n_steps: 0,
            window: Window::new(Range::default()),
            folds: Folds::new(),
            main: Vertical::default(),
            pinned: Vertical::default(),
            wide: Vec::new(),
            pointer: (None, None),
            flow: 0,
        }
    }

    /// Shows the tracks that a live trace has by now. Returns whether lines or titles are other ones.
    pub(crate) fn grow(
        &mut self,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        has_instants: impl Fn(TrackId) -> bool,
    ) -> bool {
        self.shown = trace.shown_tracks();
        let before = core::mem::replace(&mut self.items, Items::new(trace, layout));
        let lines = [&self.main, &self.pinned].map(|part| part.lines().to_vec());
        self.lay_out(trace, layout, has_instants);
        !self.items.are_called_as(&before) || lines != [self.main.lines(), self.pinned.lines()]
    }

    /// Goes on with derived tracks over what a commit has brought. Returns whether they have other lines.
    pub(crate) fn grow_derived(&mut self, trace: &LiveSnapshot<'_>, layout: &impl LayoutView) -> bool {
        if self.place.derived.is_empty() {
            self.derived.grow(trace);
            return false;
        }
        let before = self.derived.n_lines();
        self.derived.grow(trace);
        self.derived.derive(&self.place.derived, self.origin, trace, layout);
        let has_other_lines = self.derived.n_lines() != before;
        if has_other_lines {
            self.stack(trace, layout);
        }
        has_other_lines
    }

    /// Shows the times that a live trace has by now. While nobody has chosen a range of time, the whole trace is in view.
    pub(crate) fn reach(&mut self, bounds: Range<Tick>) {
        // Times that were told before count from another origin.
        if !self.place.has_times() && self.window.bounds().is_empty() {
            self.origin = bounds.start;
        }
        self.window.set_bounds(bounds.clone());
        match self.place.view {
            None => self.window.fit(bounds),
            Some(_) if self.place.follows => self.go_to_end(),
            Some(_) => {}
        }
    }

    /// Moves the window to the end of the trace.
    pub(crate) fn go_to_end(&mut self) {
        let (Range { start, end }, latest) = (self.window.viewport().range(), self.window.bounds().end);
        self.window.show(latest - (end - start)..latest);
        self.moved();
        self.place.follows = true;
    }

    /// Stacks what a layout shows. A track of which nothing is shown is like one that has nothing.
    pub(crate) fn lay_out(
        &mut self,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        has_instants: impl Fn(TrackId) -> bool,
    ) {
        self.derived.outdate();
        let Heights { counter, marks, gap, folded, .. } = self.heights;
        let header = |track: TrackId, next: Option<TrackId>| match () {
            () if !trace.counters_of(track).is_empty() => counter,
            () if has_instants(track) || !trace.states_of(track).is_empty() => marks,
            () if layout.track_rows(track).next().is_some() => gap,
            () if next.and_then(|next| trace.track_info(next)?.parent) == Some(track) => folded,
            () => 0,
        };
        let mut tracks = trace.track_ids().peekable();
        self.headers.clear();
        self.headers.resize(trace.n_tracks(), 0);
        self.n_tracks = tracks.len();
        while let Some(track) = tracks.next() {
            if let Some(height) = self.headers.get_mut(track.index()) {
                *height = header(track, tracks.peek().copied());
            }
        }
        self.items.set_on_headers(|track| {
            let has_values = !trace.counters_of(track).is_empty() || !trace.states_of(track).is_empty();
            has_values || has_instants(track)
        });
        self.stack(trace, layout);
    }

    /// Returns the part of the timeline that is in view. Its heights are those of the main part.
    #[must_use]
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Returns the lines of the whole timeline.
    #[must_use]
    pub fn main(&self) -> &Vertical {
        &self.main
    }

    /// Returns the lines of the pinned tracks, which stay in sight above the others.
    #[must_use]
    pub fn pinned(&self) -> &Vertical {
        &self.pinned
    }

    pub(crate) fn part(&self, is_pinned: bool) -> &Vertical {
        if is_pinned { &self.pinned } else { &self.main }
    }

    /// The number of tracks with nothing on them.
    pub(crate) fn n_empty(&self) -> u64 {
        (self.n_tracks - self.items.n_shown()) as u64
    }

    /// Returns what the user has set.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns how high lines are.
    #[must_use]
    pub fn heights(&self) -> &Heights {
        &self.heights
    }

    /// Returns where the times of the place are counted from.
    #[must_use]
    pub fn origin(&self) -> Tick {
        self.origin
    }

    /// Returns whether what a header stands for is folded.
    #[must_use]
    pub fn is_folded(&self, line: LineKind) -> bool {
        self.folds.is_folded(line)
    }

    /// Returns the text of a header, or `None` for another line. That of a pack says how many spans it has, and that of a derived
    /// track what is left out.
    #[must_use]
    pub fn label(&self, line: &Line, trace: &impl TraceView) -> Option<String> {
        if let LineKind::Derived(track) = line.kind {
            let (title, left_out) = self.derived.titled(track)?;
            return Some(if left_out.is_empty() { title } else { format!("{title} ({left_out})") });
        }
        let LineKind::Pack(pack) = line.kind else { return line.label(trace).map(Into::into) };
        let (group, packed) = (self.items.group(pack)?, self.items.pack(pack)?);
        Some(format!("{} ({} spans)", group.title(trace), packed.n_slices()))
    }

    /// Returns the item that has the line at a height of the main or the pinned part.
    #[must_use]
    pub fn item_at(&self, is_pinned: bool, y: u64) -> Option<Item> {
        let vertical = self.part(is_pinned);
        let above = vertical.lines().get(..=vertical.at(y)?.id.index())?;
        above.iter().rev().find_map(|line| Item::of_header(line.kind))
    }

    /// Returns the lines of a derived track: what each is labelled with, and its spans, whose numbers are those of
    /// [`Element::Derived`].
    pub fn derived_lines(&self, track: u32) -> impl ExactSizeIterator<Item = (&str, &Row)> {
        self.derived.lines(track).iter().map(|line| (line.label.as_str(), &line.row))
    }

    /// Returns for each column of a viewport how many of the lines of a derived track are busy.
    #[must_use]
    pub fn busy_derived(&self, track: u32, viewport: &Viewport) -> Vec<f32> {
        self.derived.busy(track, viewport)
    }

    /// Returns the tracks that an item stands for.
    #[must_use]
    pub fn tracks_of(&self, trace: &impl TraceView, item: Item) -> Vec<TrackId> {
        self.items.tracks_of(trace, item)
    }

    /// Returns the slice that is selected.
    #[must_use]
    pub fn selected_slice(&self) -> Option<SliceId> {
        match self.place.selected.as_ref()?.element {
            Element::Slice(slice) => Some(slice),
            _ => None,
        }
    }

    /// Returns the range of time that statistics and call trees are about, and the items whose tracks count; `None` if nobody
    /// has chosen one.
    #[must_use]
    pub fn range(&self) -> Option<(Range<Tick>, Option<Vec<Item>>)> {
        let ChosenRange { start, end, items } = self.place.range.as_ref()?;
        let items = items.as_ref().map(|paths| self.at_paths(paths).collect());
        Some((self.tick(*start)..self.tick(*end), items))
    }

    /// Returns what is added up.
    #[must_use]
    pub fn measure(&self) -> Measure {
        Measure::of_name(&self.place.measure).unwrap_or_default()
    }

    /// Returns the set of tracks that are added up where no items are chosen.
    #[must_use]
    pub fn track_set(&self) -> TrackSet {
        TrackSet::of_name(&self.place.tracks).unwrap_or(self.shown)
    }

    /// Returns the tick of a time.
    #[must_use]
    pub fn tick(&self, at: Since) -> Tick {
        self.origin + at.0
    }

    /// Returns the time of a tick.
    #[must_use]
    pub fn since(&self, at: Tick) -> Since {
        Since(at - self.origin)
    }

    pub(crate) fn at_paths<'p>(&'p self, paths: &'p [String]) -> impl Iterator<Item = Item> + 'p {
        paths.iter().filter_map(|path| self.items.at_path(path))
    }
}
