//! An engine of a trace that grows answers what the engine of the finished file answers.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use spall_trace::layout::LayoutView;
use spall_trace::model::{
    Measure, NameId, SliceFlags, SliceId, StateId, Ticks, TraceView, TrackId, TrackKind,
};
use spall_view::{
    Action, Answer, Area, Arrows, By, ChosenList, ColorBy, Command, Element, Engine, GraphKind, Heights,
    Item, ListColumn, ListFormat, ListKind, LiveEngine, Part, Progress, Question, Ranking, Reply, Shown,
    Since, Source, Step, Style, Target, WantedFrame, WantedGraph, WantedList, open,
};

/// What elements and names of a live trace are called in the finished one.
struct Ids {
    slices: HashMap<u32, u32>,
    tracks: HashMap<u32, u32>,
    processes: HashMap<u32, u32>,
    instants: HashMap<u32, u32>,
    states: HashMap<u32, u32>,
    names: Vec<u32>,
}

impl Ids {
    fn new(live: &LiveEngine, finished: &Engine) -> Self {
        let (from, to) = (live.trace(), finished.trace());
        let empty = HashMap::new;
        let mut ids = Self {
            slices: empty(),
            tracks: empty(),
            processes: empty(),
            instants: empty(),
            states: empty(),
            names: Vec::new(),
        };
        assert_eq!(from.track_ids().len(), to.track_ids().len());
        for (a, b) in from.track_ids().zip(to.track_ids()) {
            assert_eq!(from.track_title(a), to.track_title(b));
            ids.tracks.insert(a.0, b.0);
            let of = |info: Option<spall_trace::model::TrackInfo>| info.and_then(|info| info.process);
            if let (Some(a), Some(b)) = (of(from.track_info(a)), of(to.track_info(b))) {
                ids.processes.insert(a.0, b.0);
            }
            assert_eq!(from.n_slices_of(a), to.n_slices_of(b));
            ids.slices.extend(from.slices_of(a).zip(to.slices_of(b)).map(|((a, _), (b, _))| (a.0, b.0)));
            for at in 0..to.instants_of(b).len() {
                ids.instants.insert(from.instant_number(a, at).unwrap(), to.instant_number(b, at).unwrap());
            }
            for at in 0..to.states_of(b).len() {
                ids.states.insert(from.state_id(a, at).unwrap().0, to.state_id(b, at).unwrap().0);
            }
        }
        let name =
            |name| to.names().find(from.names().bytes(NameId::new(name))).map_or(u32::MAX, |name| name.0);
        ids.names = (0..from.names().len()).map(name).collect();
        ids
    }

    fn item(&self, item: &mut Item) {
        *item = match *item {
            Item::Process(process) => {
                Item::Process(spall_trace::model::ProcessId(self.processes[&process.0]))
            }
            Item::Track(track) => Item::Track(TrackId(self.tracks[&track.0])),
            Item::Pack(pack) => Item::Pack(pack),
            Item::Derived(track) => Item::Derived(track),
        };
    }

    fn element(&self, element: Element) -> Element {
        match element {
            Element::Slice(slice) => Element::Slice(SliceId(self.slices[&slice.0])),
            Element::State(state) => Element::State(StateId(self.states[&state.0])),
            Element::Instant(number) => Element::Instant(self.instants[&number]),
            Element::Counter(track) => Element::Counter(TrackId(self.tracks[&track.0])),
            Element::Object(_) => unreachable!("a live trace shows no objects"),
            Element::Derived(_) => unreachable!("nothing is derived"),
        }
    }

    fn name(&self, name: &mut NameId) {
        name.0 = self.names[name.index()];
    }

    fn part(&self, part: &mut Part) {
        for [_, _, id, name, _, style] in part.boxes.numbers.0.as_chunks_mut().0 {
            *id = if Style(*style).has(Style::STATE) { self.states[id] } else { self.slices[id] };
            *name = self.names[*name as usize];
        }
        for marks in part.marks.iter_mut().chain(&mut part.wide) {
            for [_, id, _, _] in marks.numbers.0.as_chunks_mut().0 {
                *id = self.instants[id];
            }
        }
        part.charts.iter_mut().for_each(|chart| chart.track = TrackId(self.tracks[&chart.track.0]));
    }

    fn groups(&self, groups: &mut [spall_view::Group]) {
        for group in groups {
            group.item.iter_mut().for_each(|item| self.item(item));
            group.members.iter_mut().for_each(|member| self.item(&mut member.item));
        }
    }

    fn target(&self, target: &mut Target) {
        match target {
            Target::Item(item) => self.item(item),
            Target::Slice(slice) => slice.0 = self.slices[&slice.0],
            Target::Instant(number) => *number = self.instants[number],
            Target::Flow(_) | Target::Note(_) => {}
        }
    }

    /// An answer as the finished engine would give it.
    fn answer(&self, mut answer: Answer) -> Answer {
        match &mut answer {
            Answer::About(about) => {
                about.growth = None;
                self.groups(&mut about.groups);
                about.folded.iter_mut().for_each(|item| self.item(item));
            }
            Answer::Changed(changed) => {
                changed.growth = None;
                changed.hit.iter_mut().for_each(|hit| self.target(&mut hit.target));
                let headers = changed.main.headers.iter_mut().chain(&mut changed.pinned.headers);
                headers.for_each(|header| self.item(&mut header.item));
                self.groups(&mut changed.groups);
                changed
                    .place
                    .selected
                    .iter_mut()
                    .for_each(|selected| selected.element = self.element(selected.element));
            }
            Answer::Frame(frame) => {
                frame.growth = None;
                self.part(&mut frame.main);
                self.part(&mut frame.pinned);
                frame.names.iter_mut().for_each(|(name, _)| self.name(name));
            }
            Answer::Entries(entries) => {
                entries.iter_mut().for_each(|entry| entry.element = self.element(entry.element));
            }
            Answer::Found(found) => found.tracks.iter_mut().for_each(|item| self.item(item)),
            Answer::GraphFrame(frame) => {
                for [_, _, _, name, _, _] in frame.part.numbers.0.as_chunks_mut().0 {
                    *name = self.names[*name as usize];
                }
                frame.names.iter_mut().for_each(|(name, _)| self.name(name));
            }
            Answer::Hits(hits) => hits.iter_mut().for_each(|hit| self.target(&mut hit.target)),
            Answer::Place(place) => {
                self.item(&mut place.item);
                place.process.iter_mut().for_each(|item| self.item(item));
            }
            Answer::Ranked(ranked) => {
                ranked.rows.iter_mut().for_each(|row| row.id.iter_mut().for_each(|id| self.name(id)));
            }
            Answer::Slice(slice) => slice.0 = self.slices[&slice.0],
            _ => {}
        }
        answer
    }
}

/// Asks, and waits for the answer.
fn ask<S: Shown>(engine: &mut Engine<S>, question: Question) -> Answer {
    match engine.ask(question) {
        Reply::Now(answer) => answer,
        Reply::Later(ticket) => loop {
            match engine.go_on(ticket) {
                Progress::Of(..) => {}
                Progress::Done(answer) => break answer,
                Progress::Superseded => panic!("nothing else was asked"),
            }
        },
    }
}

/// Two engines of the same events, the first of which has a live trace.
struct Both<'f> {
    file: &'f Path,
    live: LiveEngine,
    finished: Engine,
    ids: Ids,
}

impl Both<'_> {
    /// Asks both engines the same: the elements of the question are those of the live trace for the first one.
    fn compare(
        &mut self,
        question: impl Fn(&dyn Fn(Element) -> Element, &dyn Fn(Item) -> Item) -> Question,
    ) -> Answer {
        let ids = &self.ids;
        let live = question(&|element| element, &|item| item);
        let said = format!("{live:?}");
        let to_item = |mut item: Item| {
            ids.item(&mut item);
            item
        };
        let finished = question(&|element| ids.element(element), &to_item);
        let found = ids.answer(ask(&mut self.live, live));
        let mut expected = ask(&mut self.finished, finished);
        let mut found = found;
        for answer in [&mut found, &mut expected] {
            match answer {
                // Equal texts may have other numbers, and so another order.
                Answer::Frame(frame) => frame.names.sort(),
                Answer::GraphFrame(frame) => frame.names.sort(),
                Answer::Categories(categories) => categories.sort(),
                _ => {}
            }
        }
        let [a, b] = [&found, &expected].map(|answer| format!("{answer:?}"));
        let at = a.bytes().zip(b.bytes()).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
        let around = |text: &str| text.chars().skip(at.saturating_sub(150)).take(300).collect::<String>();
        assert!(a == b, "{}: {said}\n{}\n{}", self.file.display(), around(&a), around(&b));
        found
    }

    fn frame(&mut self, start: Since, duration: Since, color_by: ColorBy) {
        self.compare(|_, _| {
            Question::Frame(WantedFrame {
                start,
                duration,
                columns: 200,
                box_width: 1,
                main: 0.0..4000.0,
                pinned: 0.0..400.0,
                selected: None,
                arrows: Arrows::All,
                between_marks: 60,
                label_width: 3,
                color_by,
                own_colors: true,
            })
        });
    }

    fn frames(&mut self, about: &spall_view::About) {
        let span = about.end.0 - about.start.0;
        for part in [1, 3, 40] {
            let duration = Since(Ticks((span.0 / part).max(1)));
            for color_by in [ColorBy::Name, ColorBy::Category, ColorBy::Duration] {
                self.live.forget_names();
                self.finished.forget_names();
                self.frame(about.start, duration, color_by);
                self.frame(Since(about.start.0 + duration.0), duration, color_by);
            }
        }
        self.compare(|_, _| Question::Overview(about.start, about.end, 77));
    }

    fn elements(&mut self) {
        let trace = self.live.trace();
        let mut elements = Vec::new();
        for track in trace.track_ids() {
            elements.extend(trace.slices_of(track).take(40).map(|(id, _)| Element::Slice(id)));
            let n_instants = trace.instants_of(track).len().min(20);
            elements
                .extend((0..n_instants).map(|at| Element::Instant(trace.instant_number(track, at).unwrap())));
            let n_states = trace.states_of(track).len().min(20);
            elements.extend((0..n_states).map(|at| Element::State(trace.state_id(track, at).unwrap())));
            elements.extend((!trace.counters_of(track).is_empty()).then_some(Element::Counter(track)));
        }
        for element in elements {
            self.compare(|to, _| Question::Details(to(element), Since(Ticks(5))));
            self.compare(|to, _| Question::Act(Action::Select(Some(to(element)), Since(Ticks(5))), None));
            let Element::Slice(_) = element else { continue };
            let id = |to: &dyn Fn(Element) -> Element| match to(element) {
                Element::Slice(slice) => slice,
                _ => unreachable!(),
            };
            self.compare(|to, _| Question::Place(id(to)));
            for step in [Step::Next, Step::Previous, Step::Parent] {
                self.compare(|to, _| Question::Step(id(to), step));
            }
            self.compare(|to, _| Question::Act(Action::Go(id(to)), None));
            self.compare(|to, _| Question::FindName(id(to)));
            self.compare(|_, _| Question::Hits(0, 9));
        }
    }

    fn sums(&mut self, about: &spall_view::About) {
        let end = Since(about.end.0 + Ticks(1));
        let ranking = || Ranking { most: 30, ..Ranking::default() };
        for measure in Measure::ALL {
            let area = || Area {
                start: about.start,
                end,
                items: None,
                tracks: Some("all".into()),
                measure: Some(measure.name().into()),
            };
            for by in [By::Name, By::Function] {
                self.compare(|_, _| Question::Statistics(area(), by, ranking()));
            }
            for kind in [ListKind::Slices, ListKind::Instants] {
                let chosen = || ChosenList { order: ListColumn::Name, ..ChosenList::default() };
                let wanted = || WantedList { kind, area: area(), chosen: chosen() };
                let Answer::List(list) = self.compare(|_, _| Question::List(wanted())) else {
                    panic!("there is a list");
                };
                self.compare(|_, _| Question::Entries(list.number, 0, 200));
                self.compare(|_, _| Question::ListText(list.number, ListFormat::Csv, 0, 200));
            }
            for graph in [GraphKind::Flame, GraphKind::BottomUp] {
                let wanted =
                    || WantedGraph { graph, node: None, slice: None, of: None, without: String::new() };
                let Answer::Shape(shape) = self.compare(|_, _| Question::Graph(0, area(), wanted())) else {
                    panic!("a graph has a shape");
                };
                self.compare(|_, _| Question::GraphFrame(0, Since::default(), shape.total, 120, 20, 2));
                self.compare(|_, _| Question::GraphBox(0, 1));
            }
        }
    }

    fn searches(&mut self, about: &spall_view::About) {
        for pattern in ["a", "/[e-m]/", "1", "cat:e", "track:a", "e track:/[1-9]/"] {
            self.compare(|_, _| Question::Act(Action::Search(pattern.into()), None));
            self.compare(|_, _| Question::Find(Some(pattern.into())));
            self.compare(|_, _| Question::Hits(0, 50));
            self.compare(|_, _| Question::HitsOverview(about.start, about.end, 50));
            self.compare(|_, _| Question::Act(Action::Command(Command::NextHit), None));
        }
        self.frames(about);
        self.compare(|_, _| Question::Find(None));
    }

    fn actions(&mut self, about: &spall_view::About) {
        let items: Vec<Item> =
            self.live.groups().iter().flat_map(|group| &group.members).map(|member| member.item).collect();
        for item in items.into_iter().take(4) {
            for action in [Action::Pin, Action::Fold, Action::Hide, Action::Hide] {
                self.compare(|_, to| Question::Act(action(to(item)), None));
            }
        }
        for command in [
            Command::ZoomIn,
            Command::Later,
            Command::Mark,
            Command::FoldAll,
            Command::Follow,
            Command::ByActivity,
            Command::First,
            Command::HideName,
            Command::HideCategory,
        ] {
            self.compare(|_, _| Question::Act(Action::Command(command), None));
        }
        self.frames(about);
        self.searches(about);
    }

    fn all(&mut self) {
        let Answer::About(about) = self.compare(|_, _| Question::About) else {
            panic!("it is about a trace")
        };
        for question in [Question::Categories, Question::Damage] {
            self.compare(|_, _| question.clone());
        }
        self.frames(&about);
        self.elements();
        self.sums(&about);
        self.searches(&about);
        self.actions(&about);
        self.sums(&about);
        self.compare(|_, _| Question::Apply(Box::default(), None));
        self.frames(&about);
    }
}

/// Whether a trace has nothing that is only known at its end, and no faults that are mended then.
fn is_known_before_its_end(trace: &spall_trace::model::Trace) -> bool {
    let is_plain = |kind: TrackKind| !matches!(kind, TrackKind::Async { .. });
    let is_whole = |flags: &SliceFlags| !flags.is_unfinished();
    trace.tracks().iter().all(|track| is_plain(track.kind))
        && trace.samples().is_empty()
        && trace.objects().is_empty()
        && trace.flows().is_empty()
        && trace.slices().flags().iter().all(is_whole)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files(&entry, found);
        } else if entry.metadata().unwrap().len() < 60_000 {
            found.push(entry);
        }
    }
}

/// Feeds a file in pieces, with questions in between.
fn feed(name: &str, data: &[u8]) -> Option<LiveEngine> {
    let mut live = LiveEngine::live(name, Heights::PAGE);
    live.change_view(|view| view.resize(200, 600));
    let piece = (data.len() / 7).max(1);
    for (at, piece) in data.chunks(piece).enumerate() {
        live.feed(piece).ok()?;
        live.grow();
        let state = live.about().growth.unwrap().state;
        assert_eq!(live.news(state), None);
        if at == 0 {
            ask(&mut live, Question::Find(Some("a".into())));
        }
    }
    live.end().ok()?;
    live.grow();
    Some(live)
}

#[test]
fn a_live_engine_answers_at_the_end_what_an_engine_of_the_file_answers() {
    let mut paths = Vec::new();
    files(Path::new("../testdata"), &mut paths);
    let mut n_compared = 0;
    for file in &paths {
        let (name, data) = (file.display().to_string(), fs::read(file).unwrap());
        let source = Source { name: name.clone(), read: &*data, offset: None };
        let Ok(opened) = open(vec![source]) else { continue };
        if !is_known_before_its_end(&opened.trace) {
            continue;
        }
        let mut finished = Engine::new(opened, None, Heights::PAGE);
        finished.change_view(|view| view.resize(200, 600));
        let Some(live) = feed(&name, &data) else { continue };
        let (a, b) = (live.about(), finished.about());
        let live_about = a.clone();
        // Threads with faults are read again at the end, and times far from all others move the origin.
        if (a.notes, a.start) != (b.notes, b.start) || live.trace().n_slices() != finished.trace().n_slices()
        {
            continue;
        }
        let ids = Ids::new(&live, &finished);
        // A slice that ends behind the open slice in which it was drawn stays there. [layout 18.4]
        let place =
            |place: spall_trace::layout::PlacedSlice| (place.lane, place.depth, place.start, place.end);
        let is_same = |(live_id, id): (&u32, &u32)| {
            let of_live = live.layout().place(SliceId(*live_id)).map(place);
            of_live == finished.layout().place(SliceId(*id)).map(place)
        };
        if !ids.slices.iter().all(is_same) {
            continue;
        }
        // The search went on while the trace grew.
        let found = live.found().map(|found| ids.answer(Answer::Found(found)));
        let expected = ask(&mut finished, Question::Find(Some("a".into())));
        assert_eq!(found, Some(expected), "{name}");
        let mut both = Both { file, live, finished, ids };
        both.frames(&live_about);
        both.compare(|_, _| Question::Find(None));
        both.all();
        n_compared += 1;
    }
    assert!(n_compared > 100, "{n_compared} of {} files", paths.len());
}
