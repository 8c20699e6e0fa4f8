//! What the user has hidden: categories, and names of slices and instants.

use core::ops::Range;

use serde::Deserialize;
use spall_trace::Hidden;
use spall_trace::model::{Instant, NameId, Trace, TraceView, Track};

use crate::Engine;

/// What the user has chosen to hide.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Choice {
    /// Categories: what has no other is hidden.
    pub categories: Vec<String>,
    /// Names of slices and instants.
    pub names: Vec<String>,
}

/// What is hidden, and what is left.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) hidden: Hidden,
    /// The instants that are left, and their numbers in the trace. `None` if all are.
    instants: Option<(Vec<Instant>, Vec<u32>)>,
}

impl Filter {
    fn new(trace: &Trace, choice: &Choice) -> Self {
        let hidden = Hidden::new(trace, &choice.categories, &choice.names, &[]);
        let is_left = |(instant, _): &(Instant, u32)| hidden.shows(instant.name, instant.category);
        let left = || trace.instants().iter().copied().zip(0..).filter(is_left).unzip();
        let instants = (hidden != Hidden::default()).then(left);
        Self { hidden, instants }
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

    /// Hides categories and names, and shows all others. What was found and added up is forgotten.
    pub fn filter(&mut self, choice: &Choice) {
        self.forget();
        self.filter = Filter::new(&self.trace, choice);
        self.layout = self.filter.hidden.layout(&self.trace).into();
        self.arrangement.lay_out(&self.trace, &self.layout, &self.filter);
        self.pictures.lay_out(&self.trace, &self.layout);
    }
}
