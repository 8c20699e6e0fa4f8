//! What is found by a text.

use serde_json::Value;
use spall_trace::model::{Tick, TraceView};

use super::Doors;

impl Doors<'_> {
    /// A name, a part of an argument, and a letter.
    pub(super) fn hits(&mut self) {
        for text in self.texts() {
            self.find(&text, &[]);
        }
    }

    /// The engine takes a text between slashes for a regular expression, and an argument has no character 0.
    fn texts(&self) -> Vec<String> {
        let trace = self.engine.trace();
        let slices = || trace.track_ids().flat_map(|track| trace.slices_of(track)).map(|(id, _)| id);
        let name = slices().map(|id| trace.slice_name(id).into_owned()).find(|name| !name.is_empty());
        let key = slices().find_map(|id| Some(trace.slice_args(id).iter().next()?.0.to_string()));
        let part = key.map(|key| key.chars().skip(1).take(3).collect::<String>());
        let texts = [name, part, Some("e".into())].into_iter().flatten();
        texts.filter(|text| !text.is_empty() && !text.contains('\0') && !text.starts_with('/')).collect()
    }

    /// Compares what is found of what `chosen` leaves.
    pub(super) fn find(&mut self, text: &str, chosen: &[&str]) {
        let (what, behind) = (format!("{text:?}{}", chosen.concat()), ["--", self.file, text]);
        self.engine.begin_find(text).unwrap();
        while self.engine.step_find().is_none() {}
        let counts = self.engine.found().unwrap();
        let drawn = self.run(&[&["find"], chosen, &behind].concat()).out;
        let first = drawn.lines().next().map(str::to_owned);
        let found = self.engine.found_all().unwrap().to_string();
        let found = (counts.total > 0).then_some(found);
        self.same(&format!("what {what} finds"), first, found);

        let in_rows = drawn.lines().filter_map(hits_of_row).sum();
        self.same(&format!("hits of {what} in rows"), in_rows, counts.slices);

        let row =
            |name: &str, start: &Value, duration: &Value| format!("{name:?} from {start} for {duration}");
        let printed = self.rows(&[&["find", "--format", "json"], chosen, &behind].concat());
        let printed = printed
            .iter()
            .map(|of| row(of["name"].as_str().unwrap(), &of["start"], &of["duration"]))
            .collect();
        let hits = self.engine.hits(0, usize::MAX);
        assert_eq!(hits.len(), counts.total);
        let mut hits: Vec<_> = hits.iter().filter(|hit| hit.what == "slice").collect();
        hits.sort_by_key(|hit| hit.start); // the list begins with what is in view
        let listed = hits.iter().map(|hit| {
            let at = self.duration(self.engine.tick(hit.start.unwrap()) - Tick(0));
            row(&hit.name, &at, &self.duration(hit.duration.unwrap().0))
        });
        let listed = listed.collect();
        self.same_lines(&format!("hits of {what}"), printed, listed);
    }
}

/// Returns the number of hits that stands beside the strip of a row. Beside those of counters stands how high they are.
fn hits_of_row(line: &str) -> Option<u32> {
    let beside = line.trim_start_matches(['█', '·']);
    if beside.len() == line.len() { None } else { beside.split_whitespace().next()?.parse().ok() }
}
