//! Sums over a range of time, step by step so that the page stays alive.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use serde::{Deserialize, Serialize};
use spall_trace::layout::{EdgeRule, Stats};
use spall_trace::model::{CallTree, Function, Job, Ticks, Trace, TraceView, TrackId};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{Viewer, answer, question, tracks::Item, trees::TreeJob};

/// What is being added up.
#[derive(Default)]
pub enum Statistics {
    #[default]
    Nothing,
    /// By name, of the tracks of these items.
    Names(Stats<'static, Trace<'static>>, Option<Vec<Item>>),
    /// By function: functions of one name are told apart by their place in the source.
    Functions(TreeJob, Extremes),
    Done(Vec<Sums>),
}

/// The shortest and the longest time of each function.
type Extremes = Rc<RefCell<HashMap<Function, (Ticks, Ticks)>>>;

/// A range of time, and what of it counts: the tracks of these items, or all.
#[derive(Deserialize, Clone, PartialEq)]
pub struct Area {
    pub start: f64,
    pub end: f64,
    pub items: Option<Vec<Item>>,
}

/// The sums of one name or function, in ticks.
#[derive(Serialize)]
pub struct Sums {
    name: String,
    count: f64,
    total: f64,
    own: f64,
    mean: f64,
    min: f64,
    max: f64,
}

#[wasm_bindgen]
impl Viewer {
    /// Begins to add up the slices of an area. A slice counts with the part inside the range.
    pub fn begin_statistics(&mut self, area: JsValue, by_function: bool) -> Result<(), JsValue> {
        let area: Area = question(area)?;
        let range = self.range(area.start, area.end);
        if by_function {
            let extremes = Extremes::default();
            let (trace, known) = (self.trace, Rc::clone(&extremes));
            let function = move |id| {
                let (function, slice) = (trace.function_of(id)?, trace.slice(id)?);
                let duration = slice.end.min(range.end) - slice.start.max(range.start);
                let mut known = known.borrow_mut();
                let (min, max) = known.entry(function).or_insert((duration, duration));
                (*min, *max) = ((*min).min(duration), (*max).max(duration));
                Some(function)
            };
            self.statistics = Statistics::Functions(self.tree_job(&area, Box::new(function)), extremes);
            return Ok(());
        }
        match &mut self.statistics {
            // An edge that is dragged changes little.
            Statistics::Names(running, items) if *items == area.items => running.move_to(range),
            _ => {
                let tracks = self.tracks_of(&area);
                let running = Stats::new(self.trace, self.layout, tracks, range, EdgeRule::Clamp);
                self.statistics = Statistics::Names(running, area.items);
            }
        }
        Ok(())
    }

    /// Visits some slices. Returns whether all are done.
    pub fn step_statistics(&mut self, budget: usize) -> bool {
        match &mut self.statistics {
            Statistics::Nothing | Statistics::Done(_) => true,
            Statistics::Names(running, _) => running.step(budget).is_some(),
            Statistics::Functions(job, extremes) => {
                let Some(tree) = job.step(budget) else { return false };
                let extremes = std::mem::take(extremes);
                self.statistics = Statistics::Done(self.sums_of_functions(&tree, &extremes.borrow()));
                true
            }
        }
    }

    /// Returns the sums of each name or function.
    pub fn statistics(&self) -> JsValue {
        match &self.statistics {
            Statistics::Done(sums) => answer(sums),
            Statistics::Names(running, _) => {
                let sums = running.by_name().into_iter().map(|stats| Sums {
                    name: self.trace.name(stats.name).into(),
                    count: stats.count as f64,
                    total: stats.total.0 as f64,
                    own: stats.self_time.0 as f64,
                    mean: stats.mean.0 as f64,
                    min: stats.min.0 as f64,
                    max: stats.max.0 as f64,
                });
                answer(&sums.collect::<Vec<_>>())
            }
            Statistics::Nothing | Statistics::Functions(..) => JsValue::UNDEFINED,
        }
    }
}

impl Viewer {
    fn sums_of_functions(&self, tree: &CallTree, extremes: &HashMap<Function, (Ticks, Ticks)>) -> Vec<Sums> {
        let sums = tree.functions().into_iter().map(|stats| {
            let (min, max) = extremes.get(&stats.function).copied().unwrap_or_default();
            Sums {
                name: stats.function.describe(self.trace),
                count: stats.count as f64,
                total: stats.total.0 as f64,
                own: stats.self_time.0 as f64,
                mean: (stats.total.0 / i64::try_from(stats.count).unwrap_or(i64::MAX).max(1)) as f64,
                min: min.0 as f64,
                max: max.0 as f64,
            }
        });
        sums.collect()
    }

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
