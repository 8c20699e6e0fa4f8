//! Search: slices by name and by their arguments, and tracks by label.

use std::rc::Rc;

use js_sys::{Array, Function, Uint32Array};
use serde::Serialize;
use spall_trace::layout::{Hits, Layout, LayoutView, Rect, Viewport};
use spall_trace::model::{Job, NameId, SliceId, TraceView};
use spall_trace::{Found, find, ignoring_case};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    Viewer, answer,
    task::{self, Task},
    tracks::Item,
};

/// What the last search found.
#[derive(Default)]
pub struct Search {
    found: Option<Found>,
    /// What is looked for.
    matches: Option<Matches>,
}

/// Whether a text matches.
type Matches = Rc<dyn Fn(&str) -> bool>;

/// A search that goes on step by step.
pub type Searching = (Task<Found>, Search);

impl Search {
    /// Whether something matches in a box. For the box of a shared line this is its owner.
    pub fn is_hit(&self, layout: &Layout, rect: &Rect) -> bool {
        let is_hit =
            |hits: &Hits| hits.in_rect(rect).map_or_else(|| hits.has(layout, rect.slice), |count| count > 0);
        self.hits().is_some_and(is_hit)
    }

    pub fn is_name(&self, name: NameId) -> bool {
        self.found.as_ref().is_some_and(|found| found.names.get(name.index()) == Some(&true))
    }

    fn hits(&self) -> Option<&Hits> {
        Some(&self.found.as_ref()?.slices)
    }
}

/// How many of each kind were found, and the headers of the tracks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    slices: u32,
    instants: usize,
    n_tracks: usize,
    tracks: Vec<Item>,
}

/// A hit, and its position among all hits. If it is not the name that matches, `matched` is the argument that does.
#[derive(Serialize)]
struct Hit {
    slice: u32,
    rank: u32,
    name: String,
    start: f64,
    matched: Option<String>,
}

#[wasm_bindgen]
impl Viewer {
    /// Begins to find a text, or what `pattern` returns true for.
    pub fn begin_find(&mut self, text: &str, pattern: Option<Function>) {
        let matches: Matches = match pattern {
            None => Rc::new(ignoring_case(text)),
            Some(pattern) => Rc::new(move |text: &str| {
                pattern.call1(&JsValue::NULL, &text.into()).is_ok_and(|found| found.is_truthy())
            }),
        };
        let search = Search { found: None, matches: Some(Rc::clone(&matches)) };
        let (trace, layout, hidden) = (self.trace, Rc::clone(&self.layout), Rc::clone(&self.filter.hidden));
        let matches = move |text: &str| matches(text);
        let task = Task::new(async move { task::run(find(trace, &*layout, &hidden, matches)).await });
        self.searching = Some((task, search));
    }

    /// Looks at some slices. Returns whether it has looked at all.
    pub fn step_find(&mut self) -> bool {
        let Some((task, search)) = &mut self.searching else { return true };
        search.found = task.step();
        search.found.is_some()
    }

    /// Ends the search that was begun last, and returns what it found.
    pub fn found(&mut self) -> JsValue {
        let Some((_, search)) = self.searching.take() else { return JsValue::UNDEFINED };
        self.search = search;
        self.answer_found()
    }

    /// Finds all slices of one name.
    pub fn find_name(&mut self, slice: u32) -> JsValue {
        let Some(wanted) = self.trace.slice_name_id(SliceId(slice)) else { return JsValue::UNDEFINED };
        let mut found = Found::default();
        found.slices = Hits::of_names(self.trace, &*self.layout, |name| name == wanted).run();
        self.search = Search { found: Some(found), matches: None };
        self.answer_found()
    }

    /// Forgets the search.
    pub fn find_nothing(&mut self) {
        (self.search, self.searching) = (Search::default(), None);
    }

    /// Returns up to `count` hits that follow upon a slice or a time, or precede it. Without a search there are none.
    pub fn hits(&self, slice: Option<u32>, at: f64, backwards: bool, count: usize) -> JsValue {
        let Some(hits) = self.search.hits() else { return Array::new().into() };
        let beyond = |slice: SliceId| match backwards {
            true => hits.previous(&*self.layout, slice),
            false => hits.next(&*self.layout, slice),
        };
        let first = match (slice, backwards) {
            (Some(slice), _) => beyond(SliceId(slice)),
            (None, false) => hits.first_from(&*self.layout, self.tick(at)),
            (None, true) => hits.last_before(&*self.layout, self.tick(at)),
        };
        let found = std::iter::successors(first, |&slice| beyond(slice)).take(count);
        answer(&found.filter_map(|slice| self.hit(hits, slice)).collect::<Vec<_>>())
    }

    /// Returns how many hits there are in each column of a range.
    pub fn hits_overview(&mut self, start: f64, end: f64, columns: u16) -> Uint32Array {
        let viewport = Viewport::new(self.range(start, end), columns);
        let mut found = vec![0_u32; viewport.columns() as usize];
        if let Some(hits) = self.search.hits() {
            let mut rects = Vec::new();
            for row in self.layout.rows().iter().filter(|&row| hits.in_row(row) > 0) {
                rects.clear();
                self.layout.row(row).into_iter().for_each(|row| row.rects(&viewport, &mut rects));
                for rect in &rects {
                    let count = hits.in_rect(rect).unwrap_or(0);
                    found[rect.x0 as usize..rect.x1 as usize].iter_mut().for_each(|column| *column += count);
                }
            }
        }
        Uint32Array::from(&found[..])
    }
}

impl Viewer {
    fn answer_found(&self) -> JsValue {
        let Some(found) = &self.search.found else { return JsValue::UNDEFINED };
        let (slices, instants, n_tracks) = (found.slices.len(), found.instants, found.tracks.len());
        let mut tracks: Vec<_> =
            found.tracks.iter().map(|&track| self.arrangement.packs().item(track)).collect();
        tracks.dedup();
        answer(&Answer { slices, instants, n_tracks, tracks })
    }

    fn hit(&self, hits: &Hits, slice: SliceId) -> Option<Hit> {
        let placed = self.layout.place(slice)?;
        Some(Hit {
            slice: slice.0,
            rank: hits.rank(&*self.layout, slice),
            name: self.trace.slice_name(slice).into(),
            start: self.since(placed.start),
            matched: self.matched(slice),
        })
    }

    /// The first argument of a slice that matches, unless its name does.
    fn matched(&self, slice: SliceId) -> Option<String> {
        let matches = self.search.matches.as_ref()?;
        let is_named = self.trace.slice_name_id(slice).is_some_and(|name| self.search.is_name(name));
        let args = self.trace.slice_args(slice);
        let mut args = args.iter().map(|(key, value)| format!("{key}: {value}"));
        if is_named { None } else { args.find(|arg| matches(arg)) }
    }
}
