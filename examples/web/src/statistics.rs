//! Sums over a range of time, step by step so that the page stays alive.

use std::{cell::RefCell, collections::HashMap, convert::Infallible, ops::Range, rc::Rc};

use serde::{Deserialize, Serialize};
use spall_trace::layout::{LayoutView, Stats, slice_tree};
use spall_trace::model::{CallTree, Function, Job, Measure, NameId, Tick, Ticks, Trace, TraceView, TrackId};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    Viewer, answer, question,
    task::{self, STEP, Task},
    tracks::Item,
};

/// What is being added up.
#[derive(Default)]
pub enum Statistics {
    #[default]
    Nothing,
    /// By name, of the tracks of these items.
    Names(Names, Option<Vec<Item>>),
    /// By function: functions of one name are told apart by their place in the source. Or by name, but not of time.
    Functions(Task<Vec<Sums>>),
    Done(Vec<Sums>),
}

/// Statistics by name in a task, which answers questions about them.
pub struct Names {
    task: Task<Infallible>,
    question: Rc<RefCell<Option<Question>>>,
}

type Question = Box<dyn FnOnce(&mut Stats<'_, Trace>)>;

impl Names {
    fn new(viewer: &Viewer, area: &Area) -> Self {
        let (trace, layout) = (viewer.trace, Rc::clone(&viewer.layout));
        let (tracks, range) = (viewer.tracks_of(area), viewer.range(area.start, area.end));
        let question: Rc<RefCell<Option<Question>>> = Rc::default();
        let asked = Rc::clone(&question);
        let task = Task::new(async move {
            let mut stats = Stats::new(trace, &*layout, tracks, range);
            loop {
                match asked.take() {
                    Some(question) => question(&mut stats),
                    None => _ = stats.step(STEP),
                }
                task::pause().await;
            }
        });
        Self { task, question }
    }

    fn ask<T: 'static>(&mut self, look: impl FnOnce(&mut Stats<'_, Trace>) -> T + 'static) -> Option<T> {
        let found = Rc::new(RefCell::new(None));
        let answer = Rc::clone(&found);
        *self.question.borrow_mut() = Some(Box::new(move |stats| *answer.borrow_mut() = Some(look(stats))));
        self.task.step();
        found.take()
    }
}

/// A range of time, what of it counts: the tracks of these items, or all, and what is added up: the measure of this name, or
/// time.
#[derive(Deserialize, Clone, PartialEq)]
pub struct Area {
    pub start: f64,
    pub end: f64,
    pub items: Option<Vec<Item>>,
    measure: Option<String>,
}

impl Area {
    pub fn measure(&self) -> Measure {
        self.measure.as_deref().and_then(Measure::of_name).unwrap_or_default()
    }
}

/// Which sums are wanted, and in what order.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ranking {
    order: Order,
    is_ascending: bool,
    /// A part of the names, in lower case.
    filter: String,
    most: usize,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Order {
    Name,
    Count,
    Unmeasured,
    Total,
    Own,
    Mean,
    Min,
    Max,
}

/// The sums that are wanted, and how many there are with those that are beyond the limit, and the total of their own times.
#[derive(Serialize)]
struct Ranked {
    rows: Vec<Sums>,
    count: usize,
    own: f64,
}

/// The sums of one name or function, in ticks or what else is added up.
#[derive(Serialize, Clone, Default)]
pub struct Sums {
    /// The number of the name, if this is about a name.
    id: Option<u32>,
    name: String,
    count: f64,
    /// How many of them have no value of what is added up.
    unmeasured: f64,
    total: f64,
    own: f64,
    mean: f64,
    min: f64,
    max: f64,
    /// How many slices took how long, for the sums that are wanted: the number for each power of two from `first` on.
    first: u32,
    counts: Vec<u32>,
}

#[wasm_bindgen]
impl Viewer {
    /// Begins to add up the slices of an area. A slice counts with the part inside the range.
    pub fn begin_statistics(&mut self, area: JsValue, by_function: bool) -> Result<(), JsValue> {
        let area: Area = question(area)?;
        let range = self.range(area.start, area.end);
        if by_function || area.measure() != Measure::WallTime {
            let (trace, layout, tracks) = (self.trace, Rc::clone(&self.layout), self.tracks_of(&area));
            self.statistics = Statistics::Functions(Task::new(async move {
                let mut extremes: HashMap<Function, (Ticks, Ticks)> = HashMap::new();
                let (from, to, measure) = (range.start, range.end, area.measure());
                let function = |id| {
                    let slice = trace.slice(id)?;
                    let function =
                        if by_function { trace.function_of(id)? } else { Function::named(slice.name) };
                    let duration = slice.end.min(to) - slice.start.max(from);
                    let (min, max) = extremes.entry(function).or_insert((duration, duration));
                    (*min, *max) = ((*min).min(duration), (*max).max(duration));
                    Some(function)
                };
                let tree = task::run(slice_tree(trace, &*layout, tracks, range, measure, function)).await;
                sums_of_functions(trace, &tree, &extremes)
            }));
            return Ok(());
        }
        match &mut self.statistics {
            // An edge that is dragged changes little.
            Statistics::Names(running, items) if *items == area.items => {
                _ = running.ask(|stats| stats.move_to(range))
            }
            _ => {
                self.statistics = Statistics::Names(Names::new(self, &area), area.items);
            }
        }
        Ok(())
    }

    /// Visits some slices. Returns whether all are done.
    pub fn step_statistics(&mut self) -> bool {
        match &mut self.statistics {
            Statistics::Nothing | Statistics::Done(_) => true,
            Statistics::Names(running, _) => {
                _ = running.task.step();
                running.ask(|stats| stats.is_done()).unwrap_or(true)
            }
            Statistics::Functions(task) => {
                let Some(sums) = task.step() else { return false };
                self.statistics = Statistics::Done(sums);
                true
            }
        }
    }

    /// Returns the sums of names or functions. A million of them are sorted here, and a few are returned.
    pub fn statistics(&mut self, ranking: JsValue) -> Result<JsValue, JsValue> {
        let ranking: Ranking = question(ranking)?;
        let trace = self.trace;
        let ranked = match &mut self.statistics {
            Statistics::Done(sums) => Some(ranked(sums.clone(), &ranking, trace)),
            Statistics::Names(running, _) => running.ask(move |stats| {
                let names = (0..trace.names().len()).map(NameId::new);
                let sums = names.filter_map(|name| stats.of(name)).map(|stats| Sums {
                    id: Some(stats.name.0),
                    count: stats.count as f64,
                    total: stats.total.0 as f64,
                    own: stats.self_time.0 as f64,
                    mean: stats.mean.0 as f64,
                    min: stats.min.0 as f64,
                    max: stats.max.0 as f64,
                    ..Sums::default()
                });
                let mut ranked = ranked(sums.collect(), &ranking, trace);
                for sums in &mut ranked.rows {
                    let id = NameId(sums.id.unwrap_or_default());
                    for (durations, count) in
                        stats.histogram(id).into_iter().flat_map(|found| found.buckets())
                    {
                        let power = durations.start.0.checked_ilog2().map_or(0, |power| power + 1);
                        if sums.counts.is_empty() {
                            sums.first = power;
                        }
                        sums.counts.resize((power - sums.first) as usize + 1, 0);
                        *sums.counts.last_mut().unwrap_or(&mut 0) += count;
                    }
                }
                ranked
            }),
            Statistics::Nothing | Statistics::Functions(_) => None,
        };
        Ok(ranked.map_or(JsValue::UNDEFINED, |ranked| answer(&ranked)))
    }

    /// Returns the slice of a name that takes the longest inside an area, the first one of several.
    pub fn longest(&self, name: u32, area: JsValue) -> Result<Option<u32>, JsValue> {
        let area: Area = question(area)?;
        let Range { start, end } = self.range(area.start, area.end);
        let slices = self.tracks_of(&area).into_iter().flat_map(|track| self.trace.slices_of(track));
        let named = slices.filter(|(_, slice)| slice.name == NameId(name));
        let inside = |(id, _)| {
            let placed = self.layout.place(id).filter(|placed| placed.start < end && placed.end >= start)?;
            let ends: [Tick; 2] = [placed.start.max(start), placed.end.min(end)];
            Some((ends[1].0.abs_diff(ends[0].0), std::cmp::Reverse(id.0)))
        };
        Ok(named.filter_map(inside).max().map(|(_, id)| id.0))
    }
}

/// Equal ones are in the order of their names.
fn ranked(mut sums: Vec<Sums>, wanted: &Ranking, trace: &Trace) -> Ranked {
    let text = |sums: &Sums| sums.id.map_or_else(|| sums.name.clone(), |id| trace.name(NameId(id)).into());
    let own = sums.iter().map(|sums| sums.own).sum();
    if !wanted.filter.is_empty() {
        sums.retain(|sums| text(sums).to_lowercase().contains(&wanted.filter));
    }
    let count = sums.len();
    let compare = |a: &Sums, b: &Sums| {
        let by = match wanted.order {
            Order::Name => text(a).cmp(&text(b)),
            Order::Count => a.count.total_cmp(&b.count),
            Order::Unmeasured => a.unmeasured.total_cmp(&b.unmeasured),
            Order::Total => a.total.total_cmp(&b.total),
            Order::Own => a.own.total_cmp(&b.own),
            Order::Mean => a.mean.total_cmp(&b.mean),
            Order::Min => a.min.total_cmp(&b.min),
            Order::Max => a.max.total_cmp(&b.max),
        };
        (if wanted.is_ascending { by } else { by.reverse() }).then_with(|| text(a).cmp(&text(b)))
    };
    if count > wanted.most {
        sums.select_nth_unstable_by(wanted.most, compare);
        sums.truncate(wanted.most);
    }
    sums.sort_unstable_by(compare);
    sums.iter_mut().for_each(|sums| sums.name = text(sums));
    Ranked { rows: sums, count, own }
}

impl Viewer {
    pub fn tracks_of(&self, area: &Area) -> Vec<TrackId> {
        match &area.items {
            None => self.trace.track_ids().collect(),
            Some(items) => {
                let is_wanted = self.arrangement.marked(self.trace, items);
                self.trace.track_ids().filter(|track| is_wanted[track.index()]).collect()
            }
        }
    }
}

fn sums_of_functions(
    trace: &Trace,
    tree: &CallTree,
    extremes: &HashMap<Function, (Ticks, Ticks)>,
) -> Vec<Sums> {
    let sums = tree.functions().into_iter().map(|stats| {
        let (min, max) = extremes.get(&stats.function).copied().unwrap_or_default();
        Sums {
            name: stats.function.describe(trace),
            count: stats.count as f64,
            unmeasured: stats.unmeasured as f64,
            total: stats.total.0 as f64,
            own: stats.self_time.0 as f64,
            mean: (stats.total.0 / i64::try_from(stats.count).unwrap_or(i64::MAX).max(1)) as f64,
            min: min.0 as f64,
            max: max.0 as f64,
            ..Sums::default()
        }
    });
    sums.collect()
}
