//! Sums over a range of time, step by step so that the page stays alive.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use spall_trace::layout::{EdgeRule, Stats, slice_tree_by};
use spall_trace::model::{Function, Ticks, Trace, TrackId};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{Viewer, answer, question, tracks::Item};

/// Statistics by name that are being computed.
pub type Running = Stats<'static, Trace<'static>>;

/// A range of time, and what of it counts: the tracks of these items, or all.
#[derive(Deserialize, Clone)]
pub struct Area {
    pub start: f64,
    pub end: f64,
    pub items: Option<Vec<Item>>,
}

/// The sums of one name or function, in ticks.
#[derive(Serialize)]
struct Sums {
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
    /// Begins to add up the slices of an area by name. A slice counts with the part inside the range.
    pub fn begin_statistics(&mut self, area: JsValue) -> Result<(), JsValue> {
        let area: Area = question(area)?;
        let (tracks, range) = (self.tracks_of(&area), self.range(area.start, area.end));
        match &mut self.statistics {
            // An edge that is dragged changes little.
            Some(running) if area.items.is_none() => running.move_to(range),
            running => *running = Some(Stats::new(self.trace, self.layout, tracks, range, EdgeRule::Clamp)),
        }
        Ok(())
    }

    /// Visits some slices. Returns whether all are done.
    pub fn step_statistics(&mut self, budget: usize) -> bool {
        self.statistics.as_mut().is_none_or(|running| running.step(budget))
    }

    /// Returns the sums of each name so far.
    pub fn statistics(&self) -> JsValue {
        let Some(running) = &self.statistics else { return JsValue::UNDEFINED };
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

    /// Returns the sums of each function: functions of one name are told apart by their place in the source.
    pub fn statistics_by_function(&self, area: JsValue) -> Result<JsValue, JsValue> {
        let area: Area = question(area)?;
        let (range, tracks) = (self.range(area.start, area.end), self.tracks_of(&area));
        let mut extremes: HashMap<Function, (Ticks, Ticks)> = HashMap::new();
        let tree = slice_tree_by(self.layout, tracks, range.clone(), |id| {
            let (function, slice) = (self.trace.function_of(id)?, self.trace.slice(id)?);
            let duration = slice.end.min(range.end) - slice.start.max(range.start);
            let (min, max) = extremes.entry(function).or_insert((duration, duration));
            (*min, *max) = ((*min).min(duration), (*max).max(duration));
            Some(function)
        });
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
        Ok(answer(&sums.collect::<Vec<_>>()))
    }
}

impl Viewer {
    pub fn tracks_of(&self, area: &Area) -> Vec<TrackId> {
        match &area.items {
            None => self.trace.track_ids().iter().collect(),
            Some(items) => {
                let packs = self.arrangement.packs();
                let mut tracks: Vec<TrackId> =
                    items.iter().flat_map(|&item| packs.tracks(self.trace, item)).collect();
                tracks.sort_unstable();
                tracks.dedup();
                tracks
            }
        }
    }
}
