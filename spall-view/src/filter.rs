//! What the user has hidden: categories, and names of slices and instants.

use core::ops::Range;

use spall_trace::Hidden;
use spall_trace::model::{Instant, NameId, Trace, TraceView, Track, TrackId};

use crate::{Element, Engine, place::Place};

/// What is hidden, and what is left.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) hidden: Hidden,
    /// The instants that are left, and their numbers in the trace. `None` if all are.
    instants: Option<(Vec<Instant>, Vec<u32>)>,
}

impl Filter {
    fn new(trace: &Trace, categories: &[String], names: &[String]) -> Self {
        let hidden = Hidden::new(trace, categories, names, &[]);
        let is_left = |(instant, _): &(Instant, u32)| hidden.shows(instant.name, instant.category);
        let left = || trace.instants().iter().copied().zip(0..).filter(is_left).unzip();
        let instants = (hidden != Hidden::default()).then(left);
        Self { hidden, instants }
    }

    /// Whether instants of a track are shown.
    pub(crate) fn has_instants(&self, trace: &Trace, track: TrackId) -> bool {
        let track = trace.tracks().get(track.index());
        track.is_some_and(|track| !self.instants_of(trace, track).0.is_empty())
    }

    /// The instants that are shown of a track, with their numbers in the trace.
    pub(crate) fn instants_of<'a>(&'a self, trace: &'a Trace, track: &Track) -> (&'a [Instant], Numbers<'a>) {
        let all = track.instants();
        let Some((instants, numbers)) = &self.instants else {
            return (trace.instants_of(track.id), Numbers::From(all.start));
        };
        let position = |number: usize| numbers.partition_point(|&left| (left as usize) < number);
        let left: Range<usize> = position(all.start)..position(all.end);
        let numbers = numbers.get(left.clone()).unwrap_or_default();
        (instants.get(left).unwrap_or_default(), Numbers::Of(numbers))
    }
}

/// The numbers in the trace of some instants.
pub(crate) enum Numbers<'a> {
    /// They follow one another.
    From(usize),
    Of(&'a [u32]),
}

impl Numbers<'_> {
    /// The number of the instant at a position.
    pub(crate) fn at(&self, position: u32) -> u32 {
        match self {
            Self::From(first) => {
                u32::try_from(*first).map_or(u32::MAX, |first| first.saturating_add(position))
            }
            Self::Of(numbers) => numbers.get(position as usize).copied().unwrap_or(u32::MAX),
        }
    }
}

impl Engine {
    /// Returns the instants that are shown of a track.
    #[must_use]
    pub fn instants_of(&self, track: TrackId) -> &[Instant] {
        let track = self.trace.tracks().get(track.index());
        track.map_or(&[], |track| self.filter.instants_of(&self.trace, track).0)
    }

    /// Returns what is selected by the instant at a position of [`Engine::instants_of`].
    #[must_use]
    pub fn instant(&self, track: TrackId, position: u32) -> Option<Element> {
        let track = self.trace.tracks().get(track.index())?;
        Some(Element::Instant(self.filter.instants_of(&self.trace, track).1.at(position)))
    }

    /// Lists the texts of categories of slices and instants, each with how many have it.
    #[must_use]
    pub fn categories(&self) -> Vec<(String, u32)> {
        let trace = &*self.trace;
        let mut counts = vec![0_u32; trace.names().len()];
        let of_instants = trace.instants().iter().map(|instant| &instant.category);
        for id in trace.slices().categories().iter().chain(of_instants) {
            if let Some(count) = counts.get_mut(id.index()) {
                *count += 1;
            }
        }
        let found = counts.into_iter().enumerate().filter(|&(_, count)| count > 0);
        found.map(|(id, count)| (trace.name(NameId::new(id)).into_owned(), count)).collect()
    }

    /// Hides the categories and names of the place, and shows all others. What was found and added up is forgotten.
    pub(crate) fn refilter(&mut self) {
        let Place { categories, names, .. } = self.view.place();
        self.filter = Filter::new(&self.trace, categories, names);
        self.forget();
        self.layout = self.filter.hidden.layout(&self.trace).into();
        let Self { trace, layout, filter, view, .. } = self;
        view.items.lay_out(&**layout);
        view.lay_out(&**trace, &**layout, |track| filter.has_instants(trace, track));
        self.pictures.lay_out(&self.trace, &self.layout);
    }
}
