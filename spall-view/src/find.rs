//! Search: what of a trace a pattern finds.

use core::fmt;

use serde::Serialize;
use spall_trace::layout::{Hits, LayoutView, LiveView, Rect, Viewport};
use spall_trace::model::{Job, LiveSnapshot, NameId, SliceId, Tick, TraceView};
use spall_trace::{Found, Hidden, find};

use crate::{
    Engine, Numbers, Since,
    element::Selected,
    hits::Target,
    item::Item,
    matcher::{Matcher, matcher},
    shown::{Shown, Work},
    task::{self, Task},
};

/// What the last search found.
#[derive(Default)]
pub(crate) struct Search {
    pub(crate) found: Option<Found>,
    /// What is looked for: what matches, or a name.
    pub(crate) matches: Option<Matcher>,
    name: Option<NameId>,
    /// The start of what was in view, from which on hits with a time are visited.
    pub(crate) from: Tick,
    /// The hit that was gone to last, and what was selected then.
    pub(crate) visited: Option<(Target, Option<Selected>)>,
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search").field("found", &self.found).finish_non_exhaustive()
    }
}

impl Search {
    /// Whether something matches in a box. For the box of a shared line this is its owner.
    pub(crate) fn is_hit(&self, layout: &impl LayoutView, rect: &Rect) -> bool {
        let is_hit =
            |hits: &Hits| hits.in_rect(rect).map_or_else(|| hits.has(layout, rect.slice), |count| count > 0);
        self.found.as_ref().is_some_and(|found| is_hit(&found.slices))
    }

    pub(crate) fn is_name(&self, name: NameId) -> bool {
        self.found.as_ref().is_some_and(|found| found.is_name(name))
    }

    /// Whether the instant of a number is found.
    pub(crate) fn is_instant(&self, trace: &impl TraceView, number: u32) -> bool {
        self.found.as_ref().is_some_and(|found| found.position_of_instant(trace, number).is_some())
    }

    /// Goes on over what a commit of a live trace has brought.
    pub(crate) fn grow(&mut self, trace: &LiveSnapshot<'_>, layout: &LiveView<'_>, hidden: &Hidden) {
        let Some(found) = &mut self.found else { return };
        match (&self.matches, self.name) {
            (Some(matches), _) => found.grow(trace, layout, hidden, matches.clone()),
            (None, name) => found.slices.grow(layout, |slice| trace.slice_name_id(slice) == name),
        }
    }
}

/// A search that goes on step by step.
pub(crate) struct Searching {
    task: Task<Found>,
    matches: Matcher,
}

impl fmt::Debug for Searching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searching").finish_non_exhaustive()
    }
}

/// The work of a search.
struct Find {
    hidden: Hidden,
    matches: Matcher,
}

impl Work for Find {
    type Output = Found;

    async fn run<T: TraceView + Sync, L: LayoutView + Sync>(self, trace: &T, layout: &L) -> Found {
        let Self { hidden, matches } = self;
        task::run(find(trace, layout, &hidden, matches)).await
    }
}

/// How many of each kind were found, and the headers of the tracks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FoundCounts {
    /// The counts as a text: `14 slices, 1 instant`.
    pub text: String,
    /// How many slices were found.
    pub slices: u32,
    /// How many instants were found.
    pub instants: usize,
    /// How many hits there are, of all kinds.
    pub total: usize,
    /// The processes, tracks and packs that were found.
    pub tracks: Vec<Item>,
}

impl<S: Shown> Engine<S> {
    /// Begins to find what [`matcher`] says. Until it is found, what was found before stays.
    ///
    /// # Errors
    ///
    /// Says what is wrong with a regular expression.
    pub fn begin_find(&mut self, pattern: &str) -> Result<(), String> {
        self.asked.forget_find();
        let matches = matcher(pattern)?;
        let work = Find { hidden: self.filter.hidden.clone(), matches: matches.clone() };
        let task = self.shown.start(work);
        self.searching = Some(Searching { task, matches });
        Ok(())
    }

    /// Returns whether something is being looked for.
    #[must_use]
    pub fn is_finding(&self) -> bool {
        self.searching.is_some()
    }

    /// Looks for what the place says.
    pub(crate) fn find_again(&mut self) {
        let pattern = self.view.place().search.clone();
        if pattern.is_empty() || self.begin_find(&pattern).is_err() {
            self.find_nothing();
        }
    }

    /// Looks at some slices, or at all of a trace that grows. Returns what was found once all were looked at.
    pub fn step_find(&mut self) -> Option<FoundCounts> {
        if let Some(Searching { task, .. }) = &mut self.searching {
            let found = Some(task.step()?);
            let matches = self.searching.take().map(|searching| searching.matches);
            self.search = Search { found, matches, from: self.start_of_view(), ..Search::default() };
        }
        self.found()
    }

    /// Finds all slices of the name of a slice; `None` if there is no such slice.
    pub fn find_name(&mut self, slice: SliceId) -> Option<FoundCounts> {
        let wanted = self.trace().slice_name_id(slice)?;
        let mut found = Found::default();
        found.slices = Hits::of_names(&*self.trace(), &*self.layout(), |name| name == wanted).run();
        let (found, name, from) = (Some(found), Some(wanted), self.start_of_view());
        self.search = Search { found, name, from, ..Search::default() };
        self.found()
    }

    /// Forgets the search.
    pub fn find_nothing(&mut self) {
        self.asked.forget_find();
        (self.search, self.searching) = (Search::default(), None);
    }

    /// Returns what the last search has found, with all slices; `None` if there was none.
    #[must_use]
    pub fn found_all(&self) -> Option<&Found> {
        self.search.found.as_ref()
    }

    /// Returns the counts of what the last search has found, and the tracks; `None` if there was none.
    #[must_use]
    pub fn found(&self) -> Option<FoundCounts> {
        let found = self.search.found.as_ref()?;
        let (n_notes, tracks) = (self.notes_found().len(), self.items_found());
        let mut text = found.to_string();
        if n_notes > 0 {
            text += &format!(", {n_notes} note{}", if n_notes == 1 { "" } else { "s" });
        }
        let (slices, instants) = (found.slices.len(), found.instants.len());
        let total = slices as usize + instants + found.flows.len() + tracks.len() + n_notes;
        Some(FoundCounts { text, slices, instants, total, tracks })
    }

    fn start_of_view(&self) -> Tick {
        self.view.window().viewport().range().start
    }

    /// Returns how many hits there are in each column of a range.
    #[must_use]
    pub fn hits_overview(&self, start: Since, end: Since, columns: u16) -> Numbers<u32> {
        let viewport = Viewport::new(self.range(start, end), columns);
        let mut counts = vec![0_u32; viewport.columns() as usize];
        let mut rects = Vec::new();
        if let Some(found) = &self.search.found {
            let (trace, layout, hits) = (self.shown.trace(), self.shown.layout(), &found.slices);
            let rows = trace.track_ids().flat_map(|track| layout.track_rows(track));
            for row in rows.filter(|&row| hits.in_row(row) > 0) {
                rects.clear();
                layout.row(row).into_iter().for_each(|row| row.rects(&viewport, &mut rects));
                for rect in &rects {
                    let count = hits.in_rect(rect).unwrap_or(0);
                    let columns = counts.get_mut(rect.x0 as usize..rect.x1 as usize);
                    columns.into_iter().flatten().for_each(|column| *column += count);
                }
            }
            for other in [&found.instants, &found.flows, &self.notes_found()].into_iter().flatten() {
                let column = viewport.column(other.at).and_then(|column| counts.get_mut(column as usize));
                column.into_iter().for_each(|column| *column += 1);
            }
        }
        Numbers(counts)
    }
}
