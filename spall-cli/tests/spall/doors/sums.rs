//! Sums: of functions, names and call paths, and the comparison of a trace with itself.

use std::collections::BTreeMap;

use serde_json::Value;
use spall_trace::model::{Measure, Ticks, TraceView, TrackSet};
use spall_view::{
    Area, Boxes, By, Engine, GraphKind, Heights, Opened, Ranked, Ranking, Shape, Since, Sums, WantedGraph,
};

use super::Doors;

/// More than any trace has.
const ALL: &str = "1000000000";

/// The columns of a flame graph that is not in a terminal.
const FLAME_COLUMNS: u16 = 120;

/// How a line of a slice in a dump begins.
const SLICE: &str = r#"{"k":"slice""#;

/// Returns the slice of a line of a dump, without its arguments, which come last. They may have numbers that JSON allows and
/// few readers take.
fn slice_of(line: &str) -> Value {
    let start = line.split_once(r#","args":"#).map_or(line.to_owned(), |(start, _)| format!("{start}}}"));
    serde_json::from_str(&start).unwrap()
}

impl Doors<'_> {
    /// The sums of names are those of the slices that `spall dump` prints.
    pub(super) fn names(&mut self, dump: &str) {
        let mut sums = BTreeMap::<String, (u64, i64, i64, i64)>::new();
        for slice in dump.lines().filter(|line| line.starts_with(SLICE)).map(slice_of) {
            let number = |key: &str| slice[key].as_i64().unwrap();
            let name = slice["name"].as_str().unwrap_or_default();
            let (count, own, min, max) = sums.entry(name.into()).or_insert((0, 0, i64::MAX, i64::MIN));
            *count += 1;
            *own = own.saturating_add(number("self"));
            (*min, *max) = ((*min).min(number("dur")), (*max).max(number("dur")));
        }
        let dumped = sums.iter().map(|(name, sums)| format!("{name:?} {sums:?}")).collect();
        let row =
            |row: &Sums| format!("{:?} {:?}", row.name, (row.count, row.own.0.0, row.min.0.0, row.max.0.0));
        let area = self.area(Some(TrackSet::All));
        let added = self.ranked(&area, By::Name).rows.iter().map(row).collect();
        self.same_lines("sums by name against dump", dumped, added);
    }

    /// The longest calls are the slices that `spall dump` prints. What samples found are no calls.
    pub(super) fn longest(&mut self, dump: &str) {
        let row =
            |name: &str, start: &Value, duration: &Value| format!("{name:?} from {start} for {duration}");
        let slices = dump.lines().filter(|line| line.starts_with(SLICE)).map(slice_of);
        let calls = slices.filter(|slice| slice.get("kind").is_none());
        let dumped = calls.map(|of| {
            let [start, duration] =
                ["start", "dur"].map(|key| self.duration(Ticks(of[key].as_i64().unwrap())));
            row(of["name"].as_str().unwrap_or_default(), &start, &duration)
        });
        let dumped = dumped.collect();
        let top = ["top", "--longest", "--tracks", "all", "--format", "json", "-n", ALL, self.file];
        let printed = self.rows(&top);
        let printed =
            printed.iter().map(|of| row(of["name"].as_str().unwrap(), &of["start"], &of["duration"]));
        self.same_lines("longest calls against dump", printed.collect(), dumped);
    }

    /// What is added up on each set of tracks, on the one that is added up if nobody chooses, and of other measures than time.
    pub(super) fn sums(&mut self) {
        let mut totals = Vec::new();
        for tracks in TrackSet::ALL.map(Some).into_iter().chain([None]) {
            let total = self.sums_of(tracks, &[]);
            totals.push((tracks, total));
        }
        self.no_change(&totals);
        // The engine adds up samples otherwise, and that is a fault: of a sampled function it has their number and not their
        // weights, and of the slice that they found innermost it has none.
        for measure in [Measure::ThreadTime, Measure::Instructions, Measure::Count] {
            let area = Area { measure: Some(measure.name().into()), ..self.area(None) };
            self.top(&format!("top of {}", measure.name()), &area, &["--measure", measure.name()]);
        }
    }

    /// What is added up of each value of the samples, if there are several.
    pub(super) fn values(&mut self, opened: &Opened) {
        let values = self.engine.about().values;
        for value in values.iter().filter(|_| values.len() > 1) {
            self.engine = Engine::new(opened.clone(), Some(value), Heights::PAGE);
            self.sums_of(None, &["--value", value]);
        }
    }

    /// Compares functions. Those that samples found and that take no time at all are in `spall top` alone, with their samples,
    /// as they make no slice. \[cpu 4\] Where nothing has the measure, `spall top` says so, and the engine has zeros.
    pub(super) fn top(&mut self, what: &str, area: &Area, chosen: &[&str]) -> Ranked {
        let (ranked, measure) = (self.ranked(area, By::Function), area.measure());
        let top = self.rows(&[&["top", "--format", "json", "-n", ALL], chosen, &[self.file]].concat());
        let row = |name: &str, own: &Value, total: &Value, count: &Value| {
            format!("{name:?}: self {own}, total {total}, calls {count}")
        };
        let printed = top.iter().filter(|of| of["calls"] != 0 || of["total"].as_f64() != Some(0.0));
        let printed =
            printed.map(|of| row(of["function"].as_str().unwrap(), &of["self"], &of["total"], &of["calls"]));
        let printed = printed.collect();
        let rows = ranked
            .rows
            .iter()
            .filter(|of| measure.of_thread().is_none() || !top.is_empty() || of.own != Since(Ticks::ZERO));
        let added = rows.map(|of| {
            let [own, total] = [of.own, of.total].map(|time| self.amount(measure, time.0));
            row(&of.name, &own, &total, &of.count.into())
        });
        let added = added.collect();
        self.same_lines(what, printed, added);
        ranked
    }

    /// Returns the sum of the roots, or none if there is nothing.
    fn sums_of(&mut self, tracks: Option<TrackSet>, value: &[&str]) -> Option<Ticks> {
        let area = self.area(tracks);
        let name = format!("{}{}", tracks.map_or("default", TrackSet::name), value.concat());
        let chosen = tracks.map_or_else(Vec::new, |tracks| vec!["--tracks", tracks.name()]);
        let chosen = [&chosen[..], value].concat();
        let ranked = self.top(&format!("top of {name}"), &area, &chosen);
        let shape = self.flame(&area);
        let total = self.engine.tree().total();
        self.same(&format!("sum of functions and of roots of {name}"), ranked.own, Since(total));
        self.rows_of_flame(&format!("flame of {name}"), shape.rows, &chosen);
        self.folded(&format!("folded stacks of {name}"), &chosen);
        (!self.engine.tree().nodes().is_empty()).then_some(total)
    }

    /// A flame graph in a terminal has the rows of the engine's graph, each as long. A function that takes no time has a column
    /// there, and if none takes any, nothing is drawn.
    fn rows_of_flame(&mut self, what: &str, n_rows: usize, chosen: &[&str]) {
        let flame = self.run(&[&["flame"], chosen, &[self.file]].concat());
        let printed = flame.out.lines().map(|line| line.chars().count()).collect();
        let total = self.engine.tree().total();
        let mut drawn = Vec::new();
        if total > Ticks::ZERO {
            let frame =
                self.engine.graph_frame(0, Since(Ticks::ZERO), Since(total), FLAME_COLUMNS, n_rows, u32::MAX);
            drawn.resize(n_rows, 0);
            let boxes = frame.part.edges.chunks_exact(2).zip(frame.part.numbers.chunks_exact(Boxes::EACH));
            for (edges, numbers) in boxes {
                let row = &mut drawn[(numbers[0] / Heights::PAGE.row) as usize];
                *row = (*row).max(edges[1].ceil() as usize).max(edges[0] as usize + 1);
            }
        }
        self.same::<Vec<usize>>(what, printed, drawn);
    }

    /// Folded stacks have the self times of call paths. A line without a function is time in which nothing ran, which is none
    /// of a tree's nodes. Their functions have no place in the source, and separators are replaced in their names.
    fn folded(&mut self, what: &str, chosen: &[&str]) {
        let folded = self.run(&[&["convert", "--to", "folded"], chosen, &[self.file, "-"]].concat());
        let mut printed = BTreeMap::<String, i64>::new();
        for line in folded.out.lines() {
            let Some((stack, time)) = line.rsplit_once(' ') else { continue };
            let Some((_, name)) = stack.rsplit_once(';') else { continue };
            *printed.entry(name.into()).or_default() += time.parse::<i64>().unwrap();
        }
        let mut added = BTreeMap::<String, i64>::new();
        for node in self.engine.tree().nodes().iter().filter(|node| node.self_time > Ticks::ZERO) {
            let name =
                self.engine.trace().name(node.function.name).replace(';', ":").replace(['\n', '\r'], " ");
            let name = if name.is_empty() { "(anonymous)".into() } else { name };
            *added.entry(name).or_default() += node.self_time.0;
        }
        let lines = |sums: BTreeMap<String, i64>| {
            sums.into_iter().map(|(name, own)| format!("{name} {own}")).collect()
        };
        self.same_lines(what, lines(printed), lines(added));
    }

    /// A trace takes as long as itself, of which `spall diff` says the sum, and the graph each call path. Functions that take no
    /// time are in `spall diff` alone, as in `spall top`.
    fn no_change(&mut self, totals: &[(Option<TrackSet>, Option<Ticks>)]) {
        let printed = self.rows(&["diff", "--format", "json", "-n", ALL, self.file, self.file]);
        let printed = printed
            .iter()
            .filter(|row| row["before"].as_f64() != Some(0.0) || row["change"].as_f64() != Some(0.0));
        let printed = printed.map(Value::to_string).collect();
        let kinds =
            totals.iter().filter(|(tracks, _)| matches!(tracks, Some(TrackSet::Threads | TrackSet::Async)));
        let expected = kinds.filter_map(|&(tracks, total)| {
            let total = self.duration(total.filter(|&total| total != Ticks::ZERO)?);
            let zero = self.duration(Ticks::ZERO);
            let row = serde_json::json!({
                "change": zero, "share": 0.0, "before": total, "after": total, "calls_before": null, "calls_after": null,
                "tracks": tracks?.name(), "function": "(all functions)",
            });
            Some(row.to_string())
        });
        let expected = expected.collect();
        self.same_lines("diff with itself", printed, expected);

        let area = self.area(Some(TrackSet::All));
        self.flame(&area);
        let sent = self.engine.sent_tree();
        self.engine.compare(sent);
        let shape = self.graph(GraphKind::Comparison);
        self.same("sum of the comparison with itself", self.engine.tree().total(), shape.total.0);
        let boxes: Vec<_> = (0..).map_while(|node| self.engine.graph_box(0, node)).collect();
        self.same("boxes of the comparison", self.engine.tree().nodes().len(), boxes.len());
        let changed = boxes.iter().filter(|found| {
            let fact = |what| found.facts.iter().find(|(name, _)| *name == what).map(|(_, fact)| fact);
            fact("other") != fact("this") || !fact("change").is_some_and(|change| change.starts_with("0 "))
        });
        let changed = changed.map(|found| format!("{found:?}")).collect();
        self.same_lines("comparison with itself", Vec::new(), changed);
    }

    fn ranked(&mut self, area: &Area, by: By) -> Ranked {
        self.engine.begin_statistics(area, by);
        while !self.engine.step_statistics() {}
        self.engine.statistics(&Ranking { most: usize::MAX, ..Ranking::default() }).unwrap()
    }

    /// Adds up the calls of an area, and draws a flame graph of them.
    fn flame(&mut self, area: &Area) -> Shape {
        self.engine.begin_tree(area, "");
        while !self.engine.step_tree() {}
        self.graph(GraphKind::Flame)
    }

    fn graph(&mut self, graph: GraphKind) -> Shape {
        self.engine.begin_graph(
            0,
            &WantedGraph { graph, node: None, slice: None, of: None, without: String::new() },
        );
        loop {
            if let Some(shape) = self.engine.step_graph() {
                return shape;
            }
        }
    }
}
