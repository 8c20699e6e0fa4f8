//! Counters as areas on top of each other, or over each other where they cannot be summed.

use core::ops::Range;

use serde::Serialize;
use spall_trace::layout::{CounterRun, Line, Series, Viewport};
use spall_trace::model::{CounterValue, Tick, TraceView, TrackId};

use crate::{Engine, Numbers, Place, item::Item, number::number, shown::Shown};

/// The colours of the series of a counter, among those that anybody can tell apart: neighbours differ the most, and what is hard to
/// see on a light page comes last.
const APART: [u8; 8] = [4, 0, 2, 5, 1, 6, 7, 3];

/// The number of the colour of a series, by its position among those of its counter.
pub(crate) fn apart(position: usize) -> u8 {
    APART.get(position % APART.len()).copied().unwrap_or_default()
}

/// The layers of a counter, the highest first.
#[derive(Debug)]
pub(super) struct Chart {
    layers: Vec<ChartLayer>,
    /// Whether each layer is the sum of those below it.
    is_stacked: bool,
    least: f64,
    most: f64,
    n_values: usize,
}

#[derive(Debug)]
struct ChartLayer {
    series: Series,
    /// The position of the series among those of the counter.
    position: usize,
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
    /// The least value of the whole counter, at most 0; of all counters with the same scale, if it shares one.
    pub least: f64,
    /// The largest value of the whole counter, at least 0; of all counters with the same scale, if it shares one.
    pub most: f64,
    /// The least value in view, as a text; of series on top of each other, that of their sum. Empty if there is none.
    pub low: String,
    /// The largest value in view, in the same way.
    pub high: String,
    /// What is unusual about the chart: that it is a rate, or shares its scale.
    pub note: String,
    /// Whether the series have colours that anybody can tell apart, because there are several.
    pub apart: bool,
    /// The series, the highest first.
    pub layers: Vec<Layer>,
}

/// A series of a counter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Layer {
    /// The number of its colour.
    pub shade: u8,
    /// Its name, if there are several.
    pub name: String,
    /// For each run of columns its first one, the one behind its last, and the least and the largest value.
    pub runs: Numbers<f32>,
}

impl Chart {
    /// The chart of some values, or of their change in so many ticks.
    fn new(values: &[CounterValue], rate: Option<f64>) -> Self {
        let is_positive = |value: &CounterValue| value.value >= 0.0;
        let stacked =
            if rate.is_none() && values.iter().all(is_positive) { Series::stacked(values) } else { None };
        let is_stacked = stacked.is_some();
        let layers = stacked.unwrap_or_else(|| Series::of(values)).into_iter();
        let layers = layers.map(|series| rate.map_or_else(|| series.clone(), |ticks| series.rate(ticks)));
        let mut layers: Vec<_> =
            layers.enumerate().map(|(position, series)| ChartLayer { series, position }).collect();
        let most = |layer: &ChartLayer| layer.series.bounds().map_or(0.0, |(_, most)| most);
        layers.sort_by(|a, b| most(b).total_cmp(&most(a)));
        let bounds = || layers.iter().filter_map(|layer| layer.series.bounds());
        let least = bounds().fold(0.0, |least: f64, (low, _)| least.min(low));
        let most = bounds().fold(0.0, |most: f64, (_, high)| most.max(high));
        Self { layers, is_stacked, least, most, n_values: values.len() }
    }

    /// Adds values of a counter that grows, of which those in a range are new. Returns false if it has to be made again, because
    /// values came late or there are several series.
    pub(super) fn grow(&mut self, values: &[CounterValue], new: Range<usize>) -> bool {
        let [ChartLayer { series: layer, .. }] = &mut self.layers[..] else { return new.is_empty() };
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
        let per_second = self.ticks_per_second();
        let Self { shown, view, pictures, .. } = self;
        let trace = shown.trace();
        if trace.counters_of(track).is_empty() {
            return None;
        }
        let is_in = |list: &[String], track| view.at_paths(list).any(|item| item == Item::Track(track));
        let Place { rates, shared, .. } = view.place();
        let is_rate = |track| per_second.is_some() && is_in(rates, track);
        let (is_shared, rate) = (is_in(shared, track), is_rate(track));
        let others = view.at_paths(shared).filter_map(|item| match item {
            Item::Track(track) => Some(track),
            _ => None,
        });
        let scaled: Vec<TrackId> =
            others.filter(|&other| is_shared && is_rate(other) == rate).chain([track]).collect();
        for &track in &scaled {
            let values = trace.counters_of(track);
            let chart = || Chart::new(values, per_second.filter(|_| rate));
            pictures.charts.entry((track, rate)).or_insert_with(chart);
        }
        let of = |track: &TrackId| pictures.charts.get(&(*track, rate));
        let least = scaled.iter().filter_map(of).fold(0.0, |least: f64, chart| least.min(chart.least));
        let most = scaled.iter().filter_map(of).fold(0.0, |most: f64, chart| most.max(chart.most));
        let chart = of(&track)?;
        let apart_each = chart.layers.len() > 1;
        let (mut low, mut high) = (f64::NAN, f64::NAN);
        let layers = chart.layers.iter().enumerate().map(|(layer, ChartLayer { series, position })| {
            let mut runs = Vec::new();
            series.runs(viewport, &mut runs);
            runs.retain(|run| !run.max.is_nan());
            // The highest layer of a stack is the sum of all.
            if layer == 0 || !chart.is_stacked {
                low = runs.iter().fold(low, |low, run| low.min(run.min));
                high = runs.iter().fold(high, |high, run| high.max(run.max));
            }
            #[expect(clippy::cast_possible_truncation, reason = "a picture is no finer")]
            let numbers = |run: &CounterRun| [run.x0 as f32, run.x1 as f32, run.min as f32, run.max as f32];
            let runs = Numbers(runs.iter().flat_map(numbers).collect());
            let (shade, name) = match apart_each {
                true => (apart(*position), trace.name(series.name()).into()),
                false => (pictures.shade(series.name()), String::new()),
            };
            Layer { shade, name, runs }
        });
        let layers = layers.collect();
        let text = |value: f64| match (value.is_nan(), rate) {
            (true, _) => String::new(),
            (false, true) => number(value) + "/s",
            (false, false) => number(value),
        };
        let notes = [(rate, "per second"), (is_shared, "shared scale")];
        let notes: Vec<_> = notes.into_iter().filter_map(|(is_so, note)| is_so.then_some(note)).collect();
        Some(ChartPart {
            track,
            top: line.top,
            height: line.height,
            offset: viewport.offset(),
            least,
            most,
            low: text(low),
            high: text(high),
            note: notes.join(", "),
            apart: apart_each,
            layers,
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
