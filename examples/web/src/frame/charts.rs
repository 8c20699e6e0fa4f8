//! Counters as areas on top of each other, or over each other where they cannot be summed.

use js_sys::{Array, Float32Array};
use spall_trace::layout::{CounterRun, Line, Series, Viewport};
use spall_trace::model::{CounterValue, NameId, TraceView, TrackId};

use crate::{Viewer, object};

/// The layers of a counter, the highest first.
pub struct Chart {
    layers: Vec<Series>,
    least: f64,
    most: f64,
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
        Self { layers, least, most }
    }
}

impl Viewer {
    /// The chart of a counter: for each layer its colour, and for each run its columns, least and largest value.
    pub fn chart(&mut self, track: TrackId, line: &Line, viewport: &Viewport, list: &Array) {
        let values = self.trace.counters_of(track);
        if values.is_empty() {
            return;
        }
        let chart = self.pictures.charts.entry(track).or_insert_with(|| Chart::new(values));
        let layers = Array::new();
        for series in &chart.layers {
            let mut runs = Vec::new();
            series.runs(viewport, &mut runs);
            let numbers = |run: &CounterRun| [run.x0 as f32, run.x1 as f32, run.min as f32, run.max as f32];
            let numbers: Vec<f32> = runs.iter().flat_map(numbers).collect();
            let shade = self.pictures.shades[series.name().index()];
            layers
                .push(&object([("shade", shade.into()), ("runs", Float32Array::from(&numbers[..]).into())]));
        }
        list.push(&object([
            ("top", (line.top as f64).into()),
            ("height", line.height.into()),
            ("offset", viewport.offset().into()),
            ("least", chart.least.into()),
            ("most", chart.most.into()),
            ("layers", layers.into()),
        ]));
    }

    /// The values of a counter at a time, each with the name of its series.
    pub fn values_at(&self, track: TrackId, at: spall_trace::model::Tick) -> Vec<(String, f64)> {
        let series = Series::of(self.trace.counters_of(track));
        let name = |name: NameId| String::from(self.trace.name(name));
        series.iter().filter_map(|series| Some((name(series.name()), series.value_at(at)?))).collect()
    }
}
