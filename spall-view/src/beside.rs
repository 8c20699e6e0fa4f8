//! What a range of time has besides slices: the values of counters, instants, and states of threads.

use core::ops::Range;
use std::collections::HashMap;

use serde::Serialize;
use spall_trace::layout::Series;
use spall_trace::model::{NameId, Tick, Ticks, TraceView, TrackId};

use crate::{
    Area, Engine,
    frame::apart,
    number::{count, number},
    shown::Shown,
};

/// How many rows a table has at most.
const MOST: usize = 200;

/// Facts that are written below headings. The first cell of a row says what the row is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// What it is about.
    pub title: &'static str,
    /// The heading of each column.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<TableRow>,
    /// How many rows there are besides.
    pub left_out: usize,
}

/// A row of a [`Table`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TableRow {
    /// The text of each column.
    pub cells: Vec<String>,
    /// The number of the colour that its chart has for it, among those that anybody can tell apart.
    pub shade: Option<u8>,
}

impl Table {
    fn new(title: &'static str, columns: &[&str], mut rows: Vec<TableRow>) -> Option<Self> {
        let left_out = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        let columns = columns.iter().map(|&column| column.into()).collect();
        (!rows.is_empty()).then_some(Self { title, columns, rows, left_out })
    }
}

impl<S: Shown> Engine<S> {
    /// Says what an area has besides slices: of each series of a counter the extremes, the mean over the time, the change and
    /// the change per second; how many instants have each name; and how long threads were in each state. Hidden tracks and names
    /// are left out. Without chosen items, all other tracks count.
    pub fn beside(&mut self, area: &Area) -> Vec<Table> {
        let range = self.range(area.start, area.end);
        let tracks = self.view.tracks_among(area, &*self.trace(), |_| true);
        let tables = [
            self.counters(&tracks, &range),
            self.instants_by_name(&tracks, &range),
            self.states_by_name(&tracks, &range),
        ];
        tables.into_iter().flatten().collect()
    }

    /// The ticks of a second, if ticks are times.
    pub(crate) fn ticks_per_second(&self) -> Option<f64> {
        self.trace().clock().ns_per_tick().map(|ns| 1e9 / ns)
    }

    fn counters(&mut self, tracks: &[TrackId], range: &Range<Tick>) -> Option<Table> {
        let per_second = self.ticks_per_second();
        let Self { shown, view, pictures, .. } = self;
        let trace = shown.trace();
        let counters: Vec<TrackId> =
            tracks.iter().copied().filter(|&track| !trace.counters_of(track).is_empty()).collect();
        let process = |track: TrackId| trace.track_info(track).and_then(|track| track.process);
        // Counters of several processes often have the same names.
        let is_of_several = counters
            .iter()
            .any(|&track| Some(process(track)) != counters.first().map(|&first| process(first)));
        let mut rows = Vec::new();
        for track in counters {
            let path = view.items.path(view.items.item_of(track)).filter(|_| is_of_several);
            let title = path.map_or_else(|| trace.track_title(track).into(), str::to_owned);
            let all = pictures.series.entry(track).or_insert_with(|| Series::of(trace.counters_of(track)));
            let several = all.len() > 1;
            for (position, series) in all.iter().enumerate() {
                let Some(run) = series.over(range.clone()) else { continue };
                let name = trace.name(series.name());
                let is_said = name.is_empty() || *name == *title;
                let name = if is_said { title.clone() } else { format!("{title} {name}") };
                let change = run.last - run.first;
                let values = [run.min, run.mean, run.max, run.first, run.last, change];
                let rate = per_second.map(|ticks| change * ticks / (range.end - range.start).0 as f64);
                let cells = values.into_iter().chain(rate).map(number);
                rows.push(TableRow {
                    cells: core::iter::once(name).chain(cells).collect(),
                    shade: several.then(|| apart(position)),
                });
            }
        }
        let columns = ["Counter", "Min", "Mean", "Max", "First", "Last", "Change", "Per second"];
        let n_columns = columns.len() - usize::from(per_second.is_none());
        Table::new("Counters", columns.get(..n_columns)?, rows)
    }

    fn instants_by_name(&self, tracks: &[TrackId], range: &Range<Tick>) -> Option<Table> {
        let trace = &*self.trace();
        let mut counts: HashMap<NameId, u64> = HashMap::new();
        for &track in tracks {
            let instants = self.instants_of(trace, track);
            let from = instants.partition_point(|instant| instant.at < range.start);
            let inside = instants.iter().skip(from).take_while(|instant| instant.at < range.end);
            inside.for_each(|instant| *counts.entry(instant.name).or_default() += 1);
        }
        let mut named: Vec<_> =
            counts.into_iter().map(|(name, count)| (count, String::from(trace.name(name)))).collect();
        named.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let row = |(n, name)| TableRow { cells: vec![name, count(n)], shade: None };
        Table::new("Instants", &["Instant", "Count"], named.into_iter().map(row).collect())
    }

    fn states_by_name(&self, tracks: &[TrackId], range: &Range<Tick>) -> Option<Table> {
        let trace = &*self.trace();
        // How often, how long together, and the longest.
        let mut sums: HashMap<NameId, (u64, Ticks, Ticks)> = HashMap::new();
        for state in tracks.iter().flat_map(|&track| trace.states_of(track)) {
            let (start, end) = (state.start.max(range.start), state.end.min(range.end));
            if start < end {
                let (n, time, longest) = sums.entry(state.name).or_default();
                *n += 1;
                *time += end - start;
                *longest = (*longest).max(end - start);
            }
        }
        let all: f64 = sums.values().map(|(_, Ticks(time), _)| *time as f64).sum();
        let mut named: Vec<_> =
            sums.into_iter().map(|(name, sums)| (String::from(trace.name(name)), sums)).collect();
        named.sort_by(|a, b| b.1.1.cmp(&a.1.1).then_with(|| a.0.cmp(&b.0)));
        let duration = |ticks| trace.clock().duration(ticks).to_string();
        let row = |(name, (n, time, longest)): (String, (u64, Ticks, Ticks))| TableRow {
            cells: vec![
                name,
                count(n),
                duration(time),
                format!("{:.1} %", 100.0 * time.0 as f64 / all),
                duration(longest),
            ],
            shade: None,
        };
        let rows = named.into_iter().map(row).collect();
        Table::new("Thread states", &["State", "Count", "Time", "Part", "Longest"], rows)
    }
}
