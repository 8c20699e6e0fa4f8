//! What the user has hidden: categories, and names of slices and instants.

use std::ops::Range;
use std::rc::Rc;

use serde::Deserialize;
use spall_trace::Hidden;
use spall_trace::model::{Instant, NameId, Trace, TraceView, Track};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{Viewer, answer, question};

/// What is hidden, and what is left.
#[derive(Default)]
pub struct Filter {
    pub hidden: Rc<Hidden>,
    /// The instants that are left, and their numbers in the trace. `None` if all are.
    instants: Option<(Vec<Instant>, Vec<u32>)>,
}

/// What the user has chosen to hide.
#[derive(Deserialize)]
struct Choice {
    categories: Vec<String>,
    names: Vec<String>,
}

impl Filter {
    fn new(trace: &Trace, choice: &Choice) -> Self {
        let hidden = Rc::new(Hidden::new(trace, &choice.categories, &choice.names, &[]));
        let is_left = |(instant, _): &(Instant, u32)| hidden.shows(instant.name, instant.category);
        let left = || trace.instants().iter().copied().zip(0..).filter(is_left).unzip();
        let instants = (*hidden != Hidden::default()).then(left);
        Self { hidden, instants }
    }

    /// The instants that are shown, track by track.
    pub fn instants<'a>(&'a self, trace: &'a Trace) -> &'a [Instant] {
        self.instants.as_ref().map_or(trace.instants(), |(instants, _)| instants)
    }

    /// The positions of those of a track.
    pub fn instants_of(&self, track: &Track) -> Range<usize> {
        let all = track.instants();
        let Some((_, numbers)) = &self.instants else { return all };
        let position = |number: usize| numbers.partition_point(|&left| (left as usize) < number);
        position(all.start)..position(all.end)
    }

    /// The number in the trace of the instant at a position.
    pub fn number(&self, position: usize) -> u32 {
        self.instants.as_ref().map_or(position as u32, |(_, numbers)| numbers[position])
    }
}

#[wasm_bindgen]
impl Viewer {
    /// Lists the texts of categories of slices and instants, each with how many have it.
    pub fn categories(&self) -> JsValue {
        let mut counts = vec![0_u32; self.trace.names().len()];
        let of_instants = self.trace.instants().iter().map(|instant| &instant.category);
        self.trace.slices().categories().iter().chain(of_instants).for_each(|id| counts[id.index()] += 1);
        let found = counts.into_iter().enumerate().filter(|&(_, count)| count > 0);
        answer(
            &found
                .map(|(id, count)| (self.trace.name(NameId::new(id)).into_owned(), count))
                .collect::<Vec<(String, u32)>>(),
        )
    }

    /// Hides categories and names, and shows all others. What was found and added up is forgotten.
    pub fn filter(&mut self, choice: JsValue) -> Result<(), JsValue> {
        (self.statistics, self.search, self.searching) = Default::default();
        self.trees.forget();
        self.layout = Rc::default(); // the last one is freed before the next one is made
        self.filter = Filter::new(self.trace, &question(choice)?);
        self.layout = Rc::new(self.filter.hidden.layout(self.trace));
        self.arrangement.lay_out(self.trace, &self.layout, &self.filter);
        self.pictures.lay_out(self.trace, &self.layout);
        Ok(())
    }
}
