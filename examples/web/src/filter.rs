//! What the user has hidden: categories, and names of slices and instants.

use std::ops::Range;
use std::rc::Rc;

use serde::Deserialize;
use spall_trace::layout::{Layout, LayoutOptions};
use spall_trace::model::{Instant, NameId, SliceId, Trace, TraceView, Track};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{Viewer, answer, question};

/// What is hidden, and what is left.
#[derive(Default)]
pub struct Filter {
    /// Which names are hidden, and which texts of categories, by their numbers. Empty if none is.
    names: Vec<bool>,
    categories: Vec<bool>,
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
    fn new(trace: &Trace<'_>, choice: &Choice) -> Self {
        let numbers = || (0..trace.names().len()).map(NameId::new);
        let has = |texts: &[String], text: &str| texts.iter().any(|one| one == text);
        let mut new = Self::default();
        if !choice.names.is_empty() {
            new.names = numbers().map(|name| has(&choice.names, &trace.name(name))).collect();
        }
        if !choice.categories.is_empty() {
            // An event without a category has the empty one.
            let is_hidden =
                |text: &str| text.split(',').all(|category| has(&choice.categories, category.trim()));
            new.categories = numbers().map(|name| is_hidden(&trace.name(name))).collect();
        }
        if !new.is_empty() {
            let is_left = |(instant, _): &(Instant, u32)| new.shows(instant.name, instant.category);
            let instants = trace.instants().iter().copied().zip(0..).filter(is_left).unzip();
            new.instants = Some(instants);
        }
        new
    }

    /// Whether nothing is hidden.
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.categories.is_empty()
    }

    /// Whether events of a name and a category are shown. An event of several categories is if one of them is.
    pub fn shows(&self, name: NameId, category: NameId) -> bool {
        let is_hidden = |list: &[bool], id: NameId| list.get(id.index()).copied().unwrap_or(false);
        !is_hidden(&self.names, name) && !is_hidden(&self.categories, category)
    }

    /// Lays out the slices that are shown.
    fn layout(&self, trace: &Trace<'_>) -> Layout {
        let options = LayoutOptions::default();
        if self.is_empty() {
            return Layout::new(trace, &options);
        }
        let (names, categories) = (trace.slices().names(), trace.slices().categories());
        let is_shown = |id: SliceId| self.shows(names[id.index()], categories[id.index()]);
        Layout::of_slices(trace, &options, is_shown)
    }

    /// The instants that are shown, track by track.
    pub fn instants<'a>(&'a self, trace: &'a Trace<'_>) -> &'a [Instant] {
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
        self.layout = Rc::new(self.filter.layout(self.trace));
        self.arrangement.lay_out(self.trace, &self.layout, &self.filter);
        self.pictures.lay_out(self.trace, &self.layout);
        Ok(())
    }
}
