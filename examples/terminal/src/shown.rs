//! What the screen asks of a trace, whether it is finished or grows.

use spall_trace::layout::{LayoutView, Row};
use spall_trace::model::{Instant, NameId, ProcessId, TraceView, TrackId};
use spall_trace::{Found, model::Trace};
use spall_view::{
    Action, Area, BoxFacts, By, Command, Details, Element, Engine, GraphFrame, GraphKind, Heights, Note,
    Opened, Ranked, Ranking, Shape, Since, View, WantedGraph,
};

/// A trace, and what the user has chosen to see of it.
pub trait Shown {
    fn trace(&self) -> &impl TraceView;
    fn layout(&self) -> &impl LayoutView;
    fn view(&self) -> &View;
    fn change_view(&mut self, change: impl FnOnce(&mut View));
    /// Does what the user wants. Returns whether it is something that the view does.
    fn act(&mut self, action: Action) -> bool;
    /// Finds what matches, or forgets what was found if nothing is looked for. Says what is wrong with a pattern.
    fn find(&mut self, pattern: &str) -> Result<(), String>;
    fn found(&self) -> Option<&Found>;
    fn details(&self, element: Element, at: Since) -> Option<Details>;
    /// Adds up what is chosen.
    fn sums(&mut self, ranking: &Ranking) -> Ranked;
    /// Makes a graph of what is chosen.
    fn graph(&mut self, kind: GraphKind) -> Shape;
    fn graph_frame(&self, start: Since, end: Since, columns: u16, rows: usize) -> GraphFrame;
    fn graph_box(&self, node: usize) -> Option<BoxFacts>;
    fn instants_of(&self, track: TrackId) -> &[Instant];

    // What only a finished trace has.

    /// Whether it does something at all.
    fn does(&self, _command: Command) -> bool {
        true
    }

    /// Returns what is selected by the instant at a position of a track.
    fn instant(&self, _track: TrackId, _position: u32) -> Option<Element> {
        None
    }

    /// Returns what is selected by the state at a position of a thread.
    fn state(&self, _track: TrackId, _position: usize) -> Option<Element> {
        None
    }

    fn objects_of(&self, _process: ProcessId) -> impl Iterator<Item = (NameId, &[Row])> {
        std::iter::empty()
    }

    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    /// Returns the name of the value of the samples, if the user has chosen one.
    fn value(&self) -> Option<String> {
        None
    }

    /// Shows the next value of the samples, and after the last one that of the file.
    fn next_value(&mut self) {}
}

/// A finished trace.
pub struct Finished {
    engine: Engine,
    /// The file, if its samples have several values: the others are in it alone.
    file: Option<Opened>,
    /// What the sums are about.
    summed: Option<Area>,
}

impl Finished {
    pub fn new(opened: Opened) -> Self {
        let file = (opened.trace.sample_values().len() > 1).then(|| opened.clone());
        Self { engine: Engine::new(opened, None, Heights::TERMINAL), file, summed: None }
    }
}

impl Shown for Finished {
    fn trace(&self) -> &impl TraceView {
        self.engine.trace()
    }

    fn layout(&self) -> &impl LayoutView {
        self.engine.layout()
    }

    fn view(&self) -> &View {
        self.engine.view()
    }

    fn change_view(&mut self, change: impl FnOnce(&mut View)) {
        self.engine.change_view(change);
    }

    fn act(&mut self, action: Action) -> bool {
        self.engine.act(action)
    }

    fn find(&mut self, pattern: &str) -> Result<(), String> {
        if pattern.is_empty() {
            self.engine.find_nothing();
            return Ok(());
        }
        self.engine.begin_find(pattern)?;
        while self.engine.step_find().is_none() {}
        Ok(())
    }

    fn found(&self) -> Option<&Found> {
        self.engine.found_all()
    }

    fn details(&self, element: Element, at: Since) -> Option<Details> {
        self.engine.details(element, at)
    }

    fn sums(&mut self, ranking: &Ranking) -> Ranked {
        let area = self.engine.area();
        let known = self.engine.statistics(ranking).filter(|_| self.summed.as_ref() == Some(&area));
        known.unwrap_or_else(|| {
            self.engine.begin_statistics(&area, By::Name);
            while !self.engine.step_statistics() {}
            self.summed = Some(area);
            self.engine.statistics(ranking).unwrap_or_default()
        })
    }

    fn graph(&mut self, kind: GraphKind) -> Shape {
        self.engine.begin_tree(&self.engine.area(), "");
        while !self.engine.step_tree() {}
        let wanted = WantedGraph { graph: kind, node: None, slice: None, without: String::new() };
        self.engine.begin_graph(0, &wanted);
        std::iter::repeat_with(|| self.engine.step_graph()).flatten().next().unwrap_or_default()
    }

    fn graph_frame(&self, start: Since, end: Since, columns: u16, rows: usize) -> GraphFrame {
        self.engine.graph_frame(0, start, end, columns, rows, 0)
    }

    fn graph_box(&self, node: usize) -> Option<BoxFacts> {
        self.engine.graph_box(0, node)
    }

    fn instants_of(&self, track: TrackId) -> &[Instant] {
        self.engine.instants_of(track)
    }

    fn instant(&self, track: TrackId, position: u32) -> Option<Element> {
        self.engine.instant(track, position)
    }

    fn state(&self, track: TrackId, position: usize) -> Option<Element> {
        let trace: &Trace = self.engine.trace();
        trace.tracks().get(track.index())?.states().into_iter().nth(position).map(Element::State)
    }

    fn objects_of(&self, process: ProcessId) -> impl Iterator<Item = (NameId, &[Row])> {
        self.engine.objects_of(process)
    }

    fn notes(&self) -> Vec<Note> {
        self.engine.notes()
    }

    fn value(&self) -> Option<String> {
        self.engine.current_place().value
    }

    /// Times of the value before mean nothing in the next one.
    fn next_value(&mut self) {
        let (Some(file), mut place) = (&self.file, self.engine.current_place()) else { return };
        let values =
            file.trace.sample_values().into_iter().map(|value| file.trace.name(value.name).into_owned());
        let all: Vec<Option<String>> = std::iter::once(None).chain(values.map(Some)).collect();
        let now = all.iter().position(|value| *value == place.value).unwrap_or(0);
        let next = all[(now + 1) % all.len()].as_deref();
        self.engine = Engine::new(file.clone(), next, Heights::TERMINAL);
        (place.view, place.selected, place.range) = (None, None, None);
        place.marks.clear();
        self.engine.apply(place);
    }
}
