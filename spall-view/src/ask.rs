//! How an engine answers questions that are values.

use core::ops::Range;

use spall_trace::model::{Ticks, TraceView, TrackId, TrackSet};

use crate::{
    Answer, Area, By, Changed, Engine, News, Progress, Question, Ranking, Reply, STEP, Since, Ticket,
    WantedDurations, WantedGraph,
    question::Long,
    shown::{Growth, Shown},
};

/// The questions that take long, each of which has the place of one.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    last: u32,
    find: Option<Steps<()>>,
    statistics: Option<Steps<Ranking>>,
    /// What the sums at hand are of.
    summed: Option<(Area, Vec<TrackId>, By)>,
    /// The graph that is made of the tree, and its place; `None` if it is the tree that is wanted.
    graph: Option<Steps<Option<(usize, WantedGraph)>>>,
    durations: Option<Steps<WantedDurations>>,
    gaps: Option<Steps<()>>,
    list: Option<Steps<()>>,
}

/// A question of which so many steps were taken.
#[derive(Debug)]
struct Steps<T> {
    number: u32,
    n_steps: u64,
    wanted: T,
}

impl Asked {
    /// Asks a question in the place of the one before it of its kind.
    fn begin<T>(&mut self, kind: Long, wanted: T, of: fn(&mut Self) -> &mut Option<Steps<T>>) -> Reply {
        self.last += 1;
        let number = self.last;
        *of(self) = Some(Steps { number, n_steps: 0, wanted });
        Reply::Later(Ticket { kind, number })
    }

    /// The trace has grown: the sums at hand are those of less.
    pub(crate) fn grow(&mut self) {
        self.summed = None;
    }

    /// Another search has taken the place of the one that is being asked.
    pub(crate) fn forget_find(&mut self) {
        self.find = None;
    }

    /// Forgets what is being asked, as it is about other slices.
    pub(crate) fn forget(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }
}

impl<T> Steps<T> {
    fn step(&mut self) -> u64 {
        self.n_steps += 1;
        self.n_steps * STEP as u64
    }

    /// Takes a step of the question that is asked, if it is that of a ticket. Returns how many elements were looked at.
    fn of(asked: &mut Option<Self>, ticket: Ticket) -> Option<u64> {
        Some(asked.as_mut().filter(|steps| steps.number == ticket.number)?.step())
    }
}

/// The answer that a function may have.
fn or_nothing<T>(found: Option<T>, answer: impl FnOnce(T) -> Answer) -> Answer {
    found.map_or(Answer::Nothing, answer)
}

impl<S: Shown> Engine<S> {
    /// Answers a question, or begins to.
    pub fn ask(&mut self, question: Question) -> Reply {
        Reply::Now(match question {
            Question::Find(Some(pattern)) => match self.begin_find(&pattern) {
                Ok(()) => {
                    return self.asked.begin(Long::Find, (), |asked| &mut asked.find);
                }
                Err(error) => Answer::Error { error },
            },
            Question::Statistics(area, by, ranking) => {
                let tracks = self.view.summed_tracks(&area, &*self.trace());
                let what = Some((area, tracks, by));
                if self.asked.summed == what && self.asked.statistics.is_none() {
                    return Reply::Now(or_nothing(self.statistics(&ranking), Answer::Ranked));
                }
                self.asked.summed = what;
                if let Some((area, _, by)) = self.asked.summed.clone() {
                    self.begin_statistics(&area, by);
                }
                return self.asked.begin(Long::Statistics, ranking, |asked| &mut asked.statistics);
            }
            Question::Durations(wanted) => {
                if !self.begin_durations(&wanted.area) {
                    return Reply::Now(Answer::Nothing);
                }
                return self.asked.begin(Long::Durations, wanted, |asked| &mut asked.durations);
            }
            Question::Gaps(area) => {
                self.begin_gaps(&area);
                return self.asked.begin(Long::Gaps, (), |asked| &mut asked.gaps);
            }
            Question::List(wanted) => {
                if !self.begin_list(&wanted) {
                    self.asked.list = None;
                    return Reply::Now(Answer::Nothing);
                }
                return self.asked.begin(Long::List, (), |asked| &mut asked.list);
            }
            Question::Graph(place, mut area, wanted) => {
                // The calls of a slice are those of tracks like its own, unless others were chosen.
                let track = wanted.slice.and_then(|slice| self.trace().track_of(slice));
                let kind = track.and_then(|track| self.trace().track_info(track)).map(|track| track.kind);
                if kind.is_some_and(|kind| !self.view.set_of(&area).contains(&kind)) {
                    area.tracks.get_or_insert_with(|| TrackSet::Async.name().into());
                }
                self.begin_tree(&area, &wanted.without);
                return self.later(Some((place, wanted)));
            }
            Question::Tree => {
                let bounds = self.about();
                let end = Since(bounds.end.0 + Ticks(1));
                self.begin_tree(
                    &Area { start: bounds.start, end, items: None, tracks: None, measure: None },
                    "",
                );
                return self.later(None);
            }
            short => self.answer(short),
        })
    }

    fn later(&mut self, graph: Option<(usize, WantedGraph)>) -> Reply {
        self.cancel_graph();
        self.asked.begin(Long::Graph, graph, |asked| &mut asked.graph)
    }

    /// The range of time in view.
    fn in_view(&self) -> Range<Since> {
        let Range { start, end } = self.view.window().viewport().range();
        self.since(start)..self.since(end)
    }

    pub(crate) fn changed(&self, done: bool, missing: Vec<String>) -> Changed {
        let (main, pinned) = self.lines();
        Changed {
            done,
            growth: self.shown.growth(),
            missing,
            n_steps: self.view.n_steps,
            place: self.current_place(),
            view: self.in_view(),
            top: self.view.window().top(),
            flow: self.view.flow,
            hit: self.current_hit(),
            main,
            pinned,
            groups: self.groups(),
        }
    }

    /// Returns how far a trace has grown; `None` if it is finished.
    #[must_use]
    pub fn growth(&self) -> Option<Growth> {
        self.shown.growth()
    }

    /// Returns what has come since a state of a trace that grows; `None` if nothing has, or the trace is finished.
    #[must_use]
    pub fn news(&self, since: u64) -> Option<News> {
        let growth = self.shown.growth().filter(|growth| growth.state != since)?;
        let trace = self.shown.trace();
        let Range { start, end } = trace.bounds().unwrap_or_default();
        // A state that is yet to come is one of another engine.
        let is_other = self.shown.lines_changed() > since || since > growth.state;
        Some(News {
            growth,
            start: self.since(start),
            end: self.since(end),
            durations: self.durations(),
            view: self.in_view(),
            counts: self.counts(),
            found: self.found(),
            // Diagnostics become notes when the trace is finished.
            fault: self.said.notes.first().map(|note| note.text.clone()),
            changed: is_other.then(|| self.changed(true, Vec::new()).into()),
        })
    }

    /// Answers a question that does not take long.
    fn answer(&mut self, question: Question) -> Answer {
        match question {
            Question::About => Answer::About(self.about().into()),
            Question::Act(action, seen) => {
                seen.iter().for_each(|seen| self.see(seen));
                let is_done = self.act(action);
                Answer::Changed(Box::new(self.changed(is_done, Vec::new())))
            }
            Question::Apply(place, seen) => {
                seen.iter().for_each(|seen| self.see(seen));
                let missing = self.apply(*place);
                Answer::Changed(Box::new(self.changed(true, missing)))
            }
            Question::Beside(area) => Answer::Tables(self.beside(&area)),
            Question::CancelGraph => {
                self.cancel_tree();
                self.cancel_graph();
                self.asked.graph = None;
                Answer::Nothing
            }
            Question::CancelList => {
                self.cancel_list();
                self.asked.list = None;
                Answer::Nothing
            }
            Question::CancelStatistics => {
                if self.asked.statistics.take().is_some() {
                    self.asked.summed = None;
                }
                Answer::Nothing
            }
            Question::Categories => Answer::Categories(self.categories()),
            Question::Compare(tree) => {
                self.compare(tree);
                Answer::Nothing
            }
            Question::Damage => Answer::Damage(self.damage()),
            Question::Details(element, at) => or_nothing(self.details(element, at), Answer::Details),
            Question::Entries(number, from, count) => Answer::Entries(self.entries(number, from, count)),
            Question::FindName(slice) => or_nothing(self.find_name(slice), Answer::Found),
            Question::Frame(wanted) => Answer::Frame(self.frame(&wanted).into()),
            Question::GraphBox(place, node) => or_nothing(self.graph_box(place, node), Answer::Box),
            Question::GraphFrame(place, start, end, columns, rows, label) => {
                Answer::GraphFrame(self.graph_frame(place, start, end, columns, rows, label))
            }
            Question::Hits(rank, count) => Answer::Hits(self.hits(rank, count)),
            Question::HitsOverview(start, end, columns) => {
                Answer::HitsOverview(self.hits_overview(start, end, columns))
            }
            Question::ListText(number, format, from, count) => {
                or_nothing(self.list_text(number, format, from, count), Answer::ListText)
            }
            Question::Longest(name, area) => or_nothing(self.longest(name, &area), Answer::Slice),
            Question::Marks(from) => Answer::Marks(self.marked(from)),
            Question::News(since) => or_nothing(self.news(since), |news| Answer::News(news.into())),
            Question::Overview(start, end, columns) => Answer::Overview(self.overview(start, end, columns)),
            Question::Path(slice) => Answer::Stretches(self.path(slice)),
            Question::Place(slice) => or_nothing(self.place(slice), Answer::Place),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            Question::Snap(at, Since(tolerance), top, bottom) => {
                or_nothing(self.snap(at, tolerance, top as u64..bottom as u64), Answer::Time)
            }
            Question::Step(slice, step) => or_nothing(self.step(slice, step), Answer::Slice),
            Question::TreeRows(place, wanted, from, count) => {
                Answer::TreeRows(self.tree_rows(place, &wanted, from, count))
            }
            Question::TreeText(place, wanted, format, from, count) => {
                or_nothing(self.tree_text(place, &wanted, format, from, count), Answer::ListText)
            }
            Question::Find(_) => {
                self.asked.find = None;
                self.find_nothing();
                Answer::Nothing
            }
            Question::Statistics(..)
            | Question::Gaps(_)
            | Question::Graph(..)
            | Question::Durations(_)
            | Question::List(_)
            | Question::Tree => Answer::Nothing,
        }
    }

    /// Goes on with a question that takes long.
    pub fn go_on(&mut self, ticket: Ticket) -> Progress {
        match ticket.kind {
            Long::Find => {
                let Some(looked_at) = Steps::of(&mut self.asked.find, ticket) else {
                    return Progress::Superseded;
                };
                let Some(found) = self.step_find() else { return Progress::Of(looked_at, "slices") };
                self.asked.find = None;
                Progress::Done(Answer::Found(found))
            }
            Long::Statistics => {
                let Some(visited) = Steps::of(&mut self.asked.statistics, ticket) else {
                    return Progress::Superseded;
                };
                if !self.step_statistics() {
                    return Progress::Of(visited, "slices");
                }
                let ranking = self.asked.statistics.take().map(|steps| steps.wanted).unwrap_or_default();
                Progress::Done(or_nothing(self.statistics(&ranking), Answer::Ranked))
            }
            Long::Durations => {
                let Some(visited) = Steps::of(&mut self.asked.durations, ticket) else {
                    return Progress::Superseded;
                };
                if !self.step_durations() {
                    return Progress::Of(visited, "slices");
                }
                let wanted = self.asked.durations.take().map(|steps| steps.wanted);
                let found = wanted.and_then(|wanted| self.found_durations(&wanted));
                Progress::Done(or_nothing(found, |found| Answer::Durations(found.into())))
            }
            Long::Gaps => {
                let Some(visited) = Steps::of(&mut self.asked.gaps, ticket) else {
                    return Progress::Superseded;
                };
                let Some(found) = self.step_gaps() else { return Progress::Of(visited, "slices") };
                self.asked.gaps = None;
                Progress::Done(Answer::Stretches(found))
            }
            Long::List => {
                let Some(looked_at) = Steps::of(&mut self.asked.list, ticket) else {
                    return Progress::Superseded;
                };
                let Some(list) = self.step_list() else { return Progress::Of(looked_at, "entries") };
                self.asked.list = None;
                Progress::Done(Answer::List(list.into()))
            }
            Long::Graph => self.go_on_with_graph(ticket),
        }
    }

    fn go_on_with_graph(&mut self, ticket: Ticket) -> Progress {
        let Some(done) = Steps::of(&mut self.asked.graph, ticket) else { return Progress::Superseded };
        if self.making.is_some() {
            let Some(shape) = self.step_graph() else { return Progress::Of(done, "functions placed") };
            self.asked.graph = None;
            return Progress::Done(Answer::Shape(shape));
        }
        if !self.step_tree() {
            return Progress::Of(done, "slices");
        }
        let Some(steps) = &mut self.asked.graph else { return Progress::Superseded };
        steps.n_steps = 0;
        match steps.wanted.take() {
            Some((place, wanted)) => {
                self.begin_graph(place, &wanted);
                Progress::Of(0, "functions placed")
            }
            None => {
                self.asked.graph = None;
                Progress::Done(Answer::Tree(self.sent_tree()))
            }
        }
    }
}
