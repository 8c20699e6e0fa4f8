//! What the user has hidden: categories, and names of slices and instants.

use std::collections::HashMap;

use spall_trace::Hidden;
use spall_trace::model::{Instant, NameId, SliceId, TraceView, TrackId};

use crate::{Element, Engine, place::Place, shown::Shown};

/// What is hidden, and what is left.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) hidden: Hidden,
    /// The instants that are left of each track. `None` if all are.
    instants: Option<HashMap<TrackId, Left>>,
}

/// The instants that are left of a track, and their positions among all of the track.
type Left = (Vec<Instant>, Vec<u32>);

impl Filter {
    fn new(trace: &impl TraceView, place: &Place) -> Self {
        let hidden = Hidden::new(trace, &place.categories, &place.names, &[]);
        let mut filter = Self { instants: (hidden != Hidden::default()).then(HashMap::new), hidden };
        filter.filter_tracks(trace, trace.track_ids());
        filter
    }

    /// Hides what the place says of what a trace has by now, of which these tracks have changed.
    pub(crate) fn grow(&mut self, trace: &impl TraceView, tracks: &[TrackId], place: &Place) {
        if self.hides() {
            self.hidden = Hidden::new(trace, &place.categories, &place.names, &[]);
            self.filter_tracks(trace, tracks.iter().copied());
        }
    }

    /// Whether anything is hidden.
    pub(crate) fn hides(&self) -> bool {
        self.instants.is_some()
    }

    /// Finds the instants that are left of some tracks.
    fn filter_tracks(&mut self, trace: &impl TraceView, tracks: impl IntoIterator<Item = TrackId>) {
        let (Some(instants), hidden) = (&mut self.instants, &self.hidden) else { return };
        for track in tracks {
            let is_left = |(instant, _): &(Instant, u32)| hidden.shows(instant.name, instant.category);
            let left = trace.instants_of(track).iter().copied().zip(0..).filter(is_left);
            instants.insert(track, left.unzip());
        }
    }

    /// The instants that are shown of a track.
    pub(crate) fn instants_of<'a>(&'a self, trace: &'a impl TraceView, track: TrackId) -> &'a [Instant] {
        match &self.instants {
            Some(instants) => instants.get(&track).map_or(&[], |(instants, _)| instants),
            None => trace.instants_of(track),
        }
    }

    /// The number in the trace of the instant at a position of those that are shown of a track.
    pub(crate) fn number(&self, trace: &impl TraceView, track: TrackId, position: u32) -> Option<u32> {
        let position = match &self.instants {
            Some(instants) => *instants.get(&track)?.1.get(position as usize)?,
            None => position,
        };
        trace.instant_number(track, position as usize)
    }
}

/// How many slices and instants have each category, by name, and how many of them were counted.
#[derive(Debug, Default)]
pub(crate) struct Categories {
    counts: Vec<u32>,
    n_slices: usize,
    n_instants: u32,
}

impl Categories {
    /// Counts those that are new.
    fn count(&mut self, trace: &impl TraceView) {
        self.counts.resize(trace.names().len(), 0);
        let slices = (self.n_slices..trace.n_slices()).filter_map(|slice| trace.slice(SliceId::new(slice)));
        let instants = (self.n_instants..trace.n_instants()).filter_map(|number| trace.instant(number));
        let categories = slices.map(|slice| slice.category);
        for category in categories.chain(instants.map(|(_, instant)| instant.category)) {
            if let Some(count) = self.counts.get_mut(category.index()) {
                *count += 1;
            }
        }
        (self.n_slices, self.n_instants) = (trace.n_slices(), trace.n_instants());
    }
}

impl<S: Shown> Engine<S> {
    /// Returns the instants that are shown of a track. The trace is that of the engine.
    #[must_use]
    pub fn instants_of<'a>(&'a self, trace: &'a impl TraceView, track: TrackId) -> &'a [Instant] {
        self.filter.instants_of(trace, track)
    }

    /// Returns what is selected by the instant at a position of [`Engine::instants_of`].
    #[must_use]
    pub fn instant(&self, track: TrackId, position: u32) -> Option<Element> {
        self.filter.number(&*self.trace(), track, position).map(Element::Instant)
    }

    /// Lists the texts of categories of slices and instants, each with how many have it.
    pub fn categories(&mut self) -> Vec<(String, u32)> {
        let trace = self.shown.trace();
        self.categories.count(&*trace);
        let found = self.categories.counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        found.map(|(id, &count)| (trace.name(NameId::new(id)).into_owned(), count)).collect()
    }

    /// Hides the categories and names of the place, and shows all others. What was found and added up is forgotten.
    pub(crate) fn refilter(&mut self) {
        self.filter = Filter::new(&*self.shown.trace(), self.view.place());
        self.forget();
        self.shown.hide(&self.filter.hidden);
        let Self { shown, filter, view, pictures, .. } = self;
        let (trace, layout) = (shown.trace(), shown.layout());
        view.items.lay_out(&*layout);
        view.lay_out(&*trace, &*layout, |track| !filter.instants_of(&*trace, track).is_empty());
        pictures.lay_out(&*trace, &*layout);
    }
}
