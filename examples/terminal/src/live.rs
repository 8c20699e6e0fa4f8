//! Traces that grow while they are shown.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use spall_record::{Recorder, span};
use spall_trace::layout::{ColorKey, Hits, LayoutView, LiveLayout, Viewport, slice_tree};
use spall_trace::model::{Function, Instant, Job, Limits, LiveTrace, Receiver, Tick, TraceView, TrackId};
use spall_trace::{Found, Hidden, TraceParser, find};
use spall_view::{
    Action, BoxFacts, Command, Details, Element, Graph, GraphFrame, GraphKind, Heights, Ranked, Ranking,
    Shape, Since, View, matcher,
};

use crate::{shown::Shown, viewer::Viewer};

/// How often a growing trace is drawn.
const PERIOD: Duration = Duration::from_millis(100);

/// What stays of a trace that grows, from one picture to the next.
pub struct Growing {
    pub view: View,
    /// How many slices there were when it was searched.
    n_slices: usize,
    found: Option<Found>,
    graph: Graph,
}

impl Growing {
    pub fn new() -> Self {
        Self { view: View::live(Heights::TERMINAL), n_slices: 0, found: None, graph: Graph::default() }
    }
}

/// A trace that grows, as it is now.
pub struct Now<'g, T, L> {
    growing: &'g mut Growing,
    trace: &'g T,
    layout: &'g L,
}

impl<'g, T: TraceView, L: LayoutView> Now<'g, T, L> {
    pub fn new(growing: &'g mut Growing, trace: &'g T, layout: &'g L) -> Self {
        growing.view.grow(trace, layout);
        let is_more = std::mem::replace(&mut growing.n_slices, trace.n_slices()) != trace.n_slices();
        let mut now = Self { growing, trace, layout };
        if is_more {
            let search = now.view().place().search.clone();
            // What is wrong with a pattern was said when it was typed.
            _ = now.find(&search);
        }
        now
    }
}

impl<T: TraceView, L: LayoutView> Shown for Now<'_, T, L> {
    fn trace(&self) -> &impl TraceView {
        self.trace
    }

    fn layout(&self) -> &impl LayoutView {
        self.layout
    }

    fn view(&self) -> &View {
        &self.growing.view
    }

    fn change_view(&mut self, change: impl FnOnce(&mut View)) {
        change(&mut self.growing.view);
    }

    fn act(&mut self, action: Action) -> bool {
        let (none, Growing { view, found, .. }) = (Hits::default(), &mut *self.growing);
        let hits = found.as_ref().map_or(&none, |found| &found.slices);
        let (Action::Command(command @ (Command::NextOfName | Command::PreviousOfName)), Some(slice)) =
            (&action, view.selected_slice())
        else {
            return view.act(action, self.trace, self.layout, hits);
        };
        let (name, is_next) = (self.trace.slice_name(slice).into_owned(), *command == Command::NextOfName);
        // A pattern is looked for in what is yet to come, too.
        _ = self.find(&name);
        self.act(Action::Search(name));
        self.act(Action::Command(if is_next { Command::NextHit } else { Command::PreviousHit }))
    }

    fn find(&mut self, pattern: &str) -> Result<(), String> {
        let matches = matcher(pattern)?;
        let found = || find(self.trace, self.layout, &Hidden::default(), matches).run();
        self.growing.found = (!pattern.is_empty()).then(found);
        Ok(())
    }

    fn found(&self) -> Option<&Found> {
        self.growing.found.as_ref()
    }

    fn details(&self, element: Element, at: Since) -> Option<Details> {
        self.view().details(element, at, self.trace, self.layout)
    }

    fn sums(&mut self, ranking: &Ranking) -> Ranked {
        self.view().statistics(&self.view().area(), ranking, self.trace, self.layout)
    }

    fn graph(&mut self, kind: GraphKind) -> Shape {
        let (view, area) = (self.view(), self.view().area());
        let (range, tracks) =
            (view.tick(area.start)..view.tick(area.end), view.summed_tracks(&area, self.trace));
        let function = |slice| self.trace.slice_name_id(slice).map(Function::named);
        let tree = slice_tree(self.trace, self.layout, tracks, range, area.measure(), function).run();
        self.growing.graph = Graph::of_tree(tree, kind);
        self.growing.graph.shape()
    }

    fn graph_frame(&self, start: Since, end: Since, columns: u16, rows: usize) -> GraphFrame {
        let viewport = Viewport::new(Tick(start.0.0)..Tick(end.0.0), columns).with_box_width(2);
        let shade = |name| ColorKey::without_digits(self.trace.name(name).as_bytes()).shade() as u8;
        self.growing.graph.frame(&viewport, rows, 1, shade, |name, _| Some(self.trace.name(name).into()))
    }

    fn graph_box(&self, node: usize) -> Option<BoxFacts> {
        let (graph, clock) = (&self.growing.graph, self.view().measure().clock(self.trace.clock()));
        let name = self.trace.name(graph.name(node)?).into_owned();
        Some(BoxFacts { plain: name.clone(), name, ..graph.box_facts(node, clock)? })
    }

    fn instants_of(&self, track: TrackId) -> &[Instant] {
        self.trace.instants_of(track)
    }

    fn does(&self, command: Command) -> bool {
        !matches!(command, Command::HideName | Command::HideCategory | Command::NextValue)
    }
}

/// What is shown of a trace that grows.
struct Screen<'t> {
    terminal: &'t mut DefaultTerminal,
    viewer: Viewer,
    growing: Growing,
    live: LiveLayout,
}

impl<'t> Screen<'t> {
    fn new(terminal: &'t mut DefaultTerminal) -> Self {
        Self { terminal, viewer: Viewer::new(), growing: Growing::new(), live: LiveLayout::new() }
    }

    /// Draws what is known by now, after what the user asked for. Returns false at the end.
    fn show(&mut self, trace: &mut LiveTrace, input: Option<Event>) -> io::Result<bool> {
        let snapshot = {
            let _span = span!("commit");
            trace.commit()
        };
        let layout = {
            let _span = span!("lay out");
            let now = snapshot.bounds().map_or(Tick(0), |bounds| bounds.end);
            self.live.update(&snapshot, now)
        };
        let mut now = Now::new(&mut self.growing, &snapshot, &layout);
        if input.is_some_and(|event| !self.viewer.handle(&event, &mut now)) {
            return Ok(false);
        }
        let _span = span!("draw");
        self.terminal.draw(|frame| self.viewer.draw(frame, &mut now))?;
        Ok(true)
    }
}
/// Waits for input until the next picture is due.
fn wait() -> io::Result<Option<Event>> {
    let _span = span!("wait");
    Ok(if event::poll(PERIOD)? { Some(event::read()?) } else { None })
}

/// Shows a file while it is being written.
pub fn follow(terminal: &mut DefaultTerminal, mut file: File) -> Result<(), Box<dyn Error>> {
    let (mut screen, mut trace) = (Screen::new(terminal), LiveTrace::new(&Limits::default()));
    let (mut data, mut parser, mut input) = (Vec::new(), None, None);
    loop {
        file.read_to_end(&mut data)?;
        // The first bytes of a file may not yet tell its format.
        parser = parser.or_else(|| {
            spall_trace::detect(&data).map(|format| TraceParser::new(format, &Limits::default()))
        });
        if let Some(parser) = &mut parser {
            let consumed = parser.read(&data, false, |event, bytes| trace.receive(event, bytes))?;
            // An event of which only a part was read yet comes again with the next bytes.
            data.drain(..consumed);
        }
        if !screen.show(&mut trace, input)? {
            return Ok(());
        }
        input = wait()?;
    }
}

/// Shows how long this program takes to show itself.
pub fn show_itself(terminal: &mut DefaultTerminal) -> Result<(), Box<dyn Error>> {
    let trace = Arc::new(Mutex::new(LiveTrace::new(&Limits::default())));
    let session = Recorder::new().process_name("spall-terminal").live(Arc::clone(&trace)).start()?;
    let mut screen = Screen::new(terminal);
    let mut goes_on = true;
    while goes_on {
        let _span = span!("frame");
        let input = wait()?;
        session.flush()?;
        goes_on = screen.show(&mut trace.lock().unwrap_or_else(PoisonError::into_inner), input)?;
    }
    Ok(())
}
