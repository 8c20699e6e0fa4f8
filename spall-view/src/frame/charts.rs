//! Counters as areas on top of each other, or over each other where they cannot be summed.

use core::ops::Range;

use serde::Serialize;
use spall_trace::layout::{CounterRun, Line, Series, Viewport};
use spall_trace::model::{CounterValue, Tick, TraceView, TrackId};

use crate::{Engine, Numbers, shown::Shown};

/// The layers of a counter, the highest first.
#[derive(Debug)]
pub(super) struct Chart {
    layers: Vec<Series>,
    least: f64,
    most: f64,
    n_values: usize,
}

/// The chart of a counter on its header.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChartPart {
    /// The track of the counter.
    #[cfg_attr(test, ts(as = "u32"))]
    pub track: TrackId,
    /// The upper edge of the header.
    pub top: u64,
    /// Its height.
    pub height: u32,
    /// How far the left edge of the first column is from the left edge of the picture.
    pub offset: f32,
    /// The least value of the whole counter, at most 0.
    pub least: f64,
    /// The largest value of the whole counter, at least 0.
    pub most: f64,
    /// The series, the highest first.
    pub layers: Vec<Layer>,
}

/// A series of a counter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Layer {
    /// The number of its colour.
    pub shade: u8,
    /// For each run of columns its first one, the one behind its last, and the least and the largest value.
    pub runs: Numbers<f32>,
}

impl Chart {
    fn new(values: &[CounterValue]) -> Self {
        let is_positive = |value: &CounterValue| value.value >= 0.0;
        let stacked = if values.iter().all(is_positive) { Series::stacked(values) } else { None };
        let mut layers = stacked.unwrap_or_else(|| Series::of(values));
        let most = |series: &Series| series.bounds().map_or(0.0, |(_, most)| most);
        layers.sort_by(|a, b| most(b).total_cmp(&most(a)));
        let bounds = || layers.iter().filter_map(Series::bounds);
        let least = bounds().fold(0.0, |least: f64, (low, _)| least.min(low));
        let most = bounds().fold(0.0, |most: f64, (_, high)| most.max(high));
        Self { layers, least, most, n_values: values.len() }
    }

    /// Adds values of a counter that grows, of which those in a range are new. Returns false if it has to be made again, because
    /// values came late or there are several series.
    pub(super) fn grow(&mut self, values: &[CounterValue], new: Range<usize>) -> bool {
        let [layer] = &mut self.layers[..] else { return new.is_empty() };
        let is_of_layer = |value: &CounterValue| value.series == layer.name();
        let Some(new) = values.get(self.n_values..).filter(|_| new.start >= self.n_values) else {
            return false;
        };
        if !new.iter().all(is_of_layer) {
            return false;
        }
        new.iter().for_each(|value| layer.push(value.at, value.value));
        let (least, most) = layer.bounds().unwrap_or_default();
        (self.least, self.most, self.n_values) = (least.min(0.0), most.max(0.0), values.len());
        true
    }
}

impl<S: Shown> Engine<S> {
    /// The chart of a track; `None` if it is no counter.
    pub(super) fn chart(&mut self, track: TrackId, line: &Line, viewport: &Viewport) -> Option<ChartPart> {
        let trace = self.shown.trace();
        let values = trace.counters_of(track);
        if values.is_empty() {
            return None;
        }
        let shades = &self.pictures.shades;
        let chart = self.pictures.charts.entry(track).or_insert_with(|| Chart::new(values));
        let layers = chart.layers.iter().map(|series| {
            let mut runs = Vec::new();
            series.runs(viewport, &mut runs);
            #[expect(clippy::cast_possible_truncation, reason = "a picture is no finer")]
            let numbers = |run: &CounterRun| [run.x0 as f32, run.x1 as f32, run.min as f32, run.max as f32];
            let runs = Numbers(runs.iter().flat_map(numbers).collect());
            Layer { shade: shades.get(series.name().index()).copied().unwrap_or_default(), runs }
        });
        Some(ChartPart {
            track,
            top: line.top,
            height: line.height,
            offset: viewport.offset(),
            least: chart.least,
            most: chart.most,
            layers: layers.collect(),
        })
    }

    /// Returns the values of a counter at a time, each with the name of its series.
    #[must_use]
    pub fn values_at(&self, track: TrackId, at: Tick) -> Vec<(String, f64)> {
        values_at(&*self.trace(), track, at)
    }
}

/// The values of a counter at a time, each with the name of its series.
pub(crate) fn values_at(trace: &impl TraceView, track: TrackId, at: Tick) -> Vec<(String, f64)> {
    let series = Series::of(trace.counters_of(track));
    let value = |series: &Series| Some((trace.name(series.name()).into(), series.value_at(at)?));
    series.iter().filter_map(value).collect()
}
