//! A trace on the screen, whether it is finished or grows.

use core::ops::{Deref, DerefMut};

use spall_view::{
    Area, By, Engine, Finished, GraphKind, Growth, Heights, LiveEngine, Opened, Ranked, Ranking, Shape,
    Shown, WantedGraph,
};

/// Makes an engine of the samples' value of a name.
type ShowValue<S> = Box<dyn Fn(Option<&str>) -> Engine<S> + Send>;

/// An engine, and what is asked of it at once.
pub(crate) struct Showing<S: Shown = Finished> {
    engine: Engine<S>,
    /// Shows another value of the samples.
    show_value: Option<ShowValue<S>>,
    /// What the sums are about.
    summed: Option<(Area, By, Option<Growth>)>,
}

impl<S: Shown> Deref for Showing<S> {
    type Target = Engine<S>;

    fn deref(&self) -> &Engine<S> {
        &self.engine
    }
}

impl<S: Shown> DerefMut for Showing<S> {
    fn deref_mut(&mut self) -> &mut Engine<S> {
        &mut self.engine
    }
}

impl Showing {
    pub(crate) fn new(opened: Opened) -> Self {
        let engine = Engine::new(opened.clone(), None, Heights::TERMINAL);
        let mut showing = Self::from(engine);
        // The other values are in the file alone.
        if showing.values().len() > 1 {
            showing.show_value =
                Some(Box::new(move |value| Engine::new(opened.clone(), value, Heights::TERMINAL)));
        }
        showing
    }
}

impl Showing<spall_view::Live> {
    pub(crate) fn live(name: &str) -> Self {
        Self::from(LiveEngine::live(name, Heights::TERMINAL))
    }
}

impl<S: Shown> From<Engine<S>> for Showing<S> {
    fn from(engine: Engine<S>) -> Self {
        Self { engine, show_value: None, summed: None }
    }
}

impl<S: Shown> Showing<S> {
    /// Finds what matches, or forgets what was found if nothing is looked for. Says what is wrong with a pattern.
    pub(crate) fn find(&mut self, pattern: &str) -> Result<(), String> {
        if pattern.is_empty() {
            self.find_nothing();
            return Ok(());
        }
        self.begin_find(pattern)?;
        while self.step_find().is_none() {}
        Ok(())
    }

    /// Adds up what is chosen.
    pub(crate) fn sums(&mut self, ranking: &Ranking) -> Ranked {
        let by = self.view().place().sums_by;
        let about = Some((self.area(), by, self.growth()));
        let known = self.statistics(ranking).filter(|_| self.summed == about);
        known.unwrap_or_else(|| {
            let area = self.area();
            self.begin_statistics(&area, by);
            while !self.step_statistics() {}
            self.summed = about;
            self.statistics(ranking).unwrap_or_default()
        })
    }

    /// Makes a graph of what is chosen.
    pub(crate) fn graph(&mut self, kind: GraphKind) -> Shape {
        let area = self.area();
        self.begin_tree(&area, "");
        while !self.step_tree() {}
        let wanted = WantedGraph { graph: kind, node: None, slice: None, of: None, without: String::new() };
        self.begin_graph(0, &wanted);
        core::iter::repeat_with(|| self.step_graph()).flatten().next().unwrap_or_default()
    }

    /// Shows the next value of the samples, and after the last one that of the file. Times of the value before mean nothing in the
    /// next one.
    pub(crate) fn next_value(&mut self) {
        let (Some(show_value), mut place) = (&self.show_value, self.current_place()) else { return };
        let all: Vec<Option<&str>> =
            core::iter::once(None).chain(self.values().iter().map(|value| Some(value.as_str()))).collect();
        let now = all.iter().position(|value| *value == place.value.as_deref()).unwrap_or(0);
        self.engine = show_value(all.get(now + 1).copied().flatten());
        (place.view, place.selected, place.range) = (None, None, None);
        place.marks.clear();
        self.apply(place);
        self.summed = None;
    }
}
