//! The tables of every file have what `dump` prints of it.
//!
//! `dump` walks a trace track by track and does not know the tables. Each line that it prints is compared with the next row
//! of its table, and no row may be left over.

mod arguments;
mod rows;

use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::{Mutex, atomic::AtomicUsize, atomic::Ordering},
};

use serde_json::{Map, Value as Json, json};
use spall_arrow::{Table, Tables};

use arguments::ArgSets;
use rows::{Row, Rows};

#[test]
fn every_row_is_what_dump_prints() {
    let files = spall_testdata::inputs("", "");
    _ = spall_testdata::collection("");
    let next = AtomicUsize::new(0);
    let (counts, differences) = (Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match compare(file) {
                        Ok(n_lines) => {
                            let mut counts = counts.lock().unwrap();
                            n_lines.into_iter().for_each(|(kind, n)| *counts.entry(kind).or_insert(0) += n);
                        }
                        Err(difference) => {
                            differences.lock().unwrap().push(format!("{}: {difference}", file.display()))
                        }
                    }
                }
            });
        }
    });
    let (counts, differences) = (counts.into_inner().unwrap(), differences.into_inner().unwrap());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let kinds = [
        "trace",
        "process",
        "track",
        "slice",
        "instant",
        "counter",
        "sample",
        "state",
        "flow",
        "object",
        "meta",
        "diagnostic",
    ];
    for kind in kinds {
        assert!(counts.contains_key(kind), "no file has a line of the kind {kind}: {counts:?}");
    }
}

/// Compares the tables of a file with what `dump` prints of it. Returns the number of lines of each kind; none if the file
/// is no trace.
fn compare(file: &Path) -> Result<BTreeMap<String, usize>, String> {
    let tests = std::env::current_exe().unwrap();
    let programs = tests.parent().and_then(Path::parent).unwrap().join("examples");
    let dump = programs.join("dump").with_extension(std::env::consts::EXE_EXTENSION);
    let mut dump = Command::new(dump).arg(file).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(dump.stdout.take().unwrap()).lines();
    let data = std::fs::read(file).unwrap();
    let compared = match spall_trace::load(&data) {
        Err(_) => Ok(BTreeMap::new()),
        Ok(trace) => {
            let (trace, layout) = spall_trace::lay_out(trace);
            compare_lines(&Tables::new(&trace, &layout).unwrap(), lines.map(Result::unwrap))
        }
    };
    let is_dumped = dump.wait().unwrap().success();
    match &compared {
        Ok(n_lines) if is_dumped == n_lines.is_empty() => {
            Err("only one of `dump` and `load` reads it".into())
        }
        _ => compared,
    }
}

fn compare_lines(
    tables: &Tables<'_>,
    lines: impl Iterator<Item = String>,
) -> Result<BTreeMap<String, usize>, String> {
    let mut comparison = Comparison::new(tables);
    let mut n_lines = BTreeMap::new();
    for text in lines {
        // JSON numbers have no infinity, which `dump` writes as a number out of range.
        let parsed = serde_json::from_str(&text)
            .or_else(|_| serde_json::from_str(&text.replace("-1e999", "null").replace("1e999", "null")));
        let parsed = parsed.map(rows::without_special_numbers);
        let Ok(Json::Object(line)) = parsed else { return Err(format!("no object: {text}")) };
        let kind = line["k"].as_str().unwrap().to_owned();
        comparison.line(&kind, line).map_err(|difference| format!("{text}\n  {difference}"))?;
        *n_lines.entry(kind).or_insert(0) += 1;
    }
    comparison.end()?;
    Ok(n_lines)
}

/// The rows that were not compared yet, and those to which others refer.
struct Comparison<'t> {
    trace: Rows<'t>,
    processes: Rows<'t>,
    tracks: Rows<'t>,
    slices: std::vec::IntoIter<Row>,
    instants: Rows<'t>,
    counters: Rows<'t>,
    states: Rows<'t>,
    flows: Rows<'t>,
    objects: Rows<'t>,
    metadata: Rows<'t>,
    diagnostics: Rows<'t>,
    args: ArgSets,
    /// The samples of each track.
    samples: BTreeMap<usize, VecDeque<(Row, Json)>>,
    /// The times of the snapshots of each object.
    snapshots: BTreeMap<Option<usize>, Vec<Json>>,
    /// The number of slices of each track.
    n_slices: BTreeMap<usize, usize>,
    all_processes: Vec<Row>,
    all_tracks: Vec<Row>,
    all_slices: Vec<Row>,
    frames: Vec<Row>,
}

impl<'t> Comparison<'t> {
    fn new(tables: &'t Tables<'_>) -> Self {
        let rows = |table| Rows::new(tables, table);
        let profiles: Vec<_> = rows(Table::Profile).collect();
        let mut samples: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        // `dump` prints the samples of one profile after those of another.
        let mut of_profiles: Vec<_> = rows(Table::Sample).collect();
        of_profiles.sort_by_key(|sample| sample.id("profile_id"));
        for sample in of_profiles {
            let id = sample.id("profile_id").unwrap();
            let track = profiles[id].id("track_id");
            // A name tells apart the profiles of one thread.
            let n_profiles = profiles.iter().filter(|profile| profile.id("track_id") == track).count();
            let name = if n_profiles > 1 { profiles[id].text("name") } else { Json::Null };
            samples.entry(track.unwrap()).or_default().push_back((sample, name));
        }
        let mut snapshots: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for snapshot in rows(Table::Snapshot) {
            snapshots.entry(snapshot.id("object_id")).or_default().push(snapshot.get("ts"));
        }
        let all_slices: Vec<_> = rows(Table::Slice).collect();
        let mut n_slices = BTreeMap::new();
        for slice in &all_slices {
            *n_slices.entry(slice.id("track_id").unwrap()).or_default() += 1;
        }
        Self {
            trace: rows(Table::Trace),
            processes: rows(Table::Process),
            tracks: rows(Table::Track),
            slices: all_slices.clone().into_iter(),
            instants: rows(Table::Instant),
            counters: rows(Table::Counter),
            states: rows(Table::State),
            flows: rows(Table::Flow),
            objects: rows(Table::Object),
            metadata: rows(Table::Metadata),
            diagnostics: rows(Table::Diagnostic),
            args: ArgSets::new(tables),
            samples,
            snapshots,
            n_slices,
            all_processes: rows(Table::Process).collect(),
            all_tracks: rows(Table::Track).collect(),
            all_slices,
            frames: rows(Table::Frame).collect(),
        }
    }

    /// Compares a line with the next row of its table.
    fn line(&mut self, kind: &str, mut line: Map<String, Json>) -> Result<(), String> {
        let expected = match kind {
            "trace" => self.trace(&mut line)?,
            "process" => self.process()?,
            "track" => self.track(&mut line)?,
            "slice" => self.slice(&mut line)?,
            "instant" => self.instant(&mut line)?,
            "counter" => {
                let row = next(&mut self.counters)?;
                json!({"track": row.get("track_id"), "series": row.text("series"), "at": row.get("ts"),
                    "value": row.get("value")})
            }
            "sample" => self.sample(&line)?,
            "state" => {
                let row = next(&mut self.states)?;
                self.args.compare(&row, line.remove("args"))?;
                json!({"track": row.get("track_id"), "name": row.text("state"), "start": row.get("ts"),
                    "dur": row.get("dur")})
            }
            "flow" => {
                let row = next(&mut self.flows)?;
                json!({"id": row.get("key"), "name": row.get("name"), "from": self.end_of_flow(&row, "slice_out"),
                    "to": self.end_of_flow(&row, "slice_in")})
            }
            "object" => self.object()?,
            "meta" => metadata(&next(&mut self.metadata)?, &mut line),
            "diagnostic" => {
                let row = next(&mut self.diagnostics)?;
                json!({"kind": row.get("kind"), "count": row.get("value"), "first_byte": row.get("first_byte")})
            }
            kind => return Err(format!("no table for {kind}")),
        };
        let Json::Object(mut expected) = expected else { unreachable!() };
        expected.retain(|_, value| !value.is_null());
        expected.insert("k".to_owned(), kind.into());
        line.retain(|_, value| !value.is_null());
        if expected == line { Ok(()) } else { Err(format!("table has {expected:?}")) }
    }

    fn trace(&mut self, line: &mut Map<String, Json>) -> Result<Json, String> {
        // The tables are the same for all formats.
        line.remove("format");
        let row = next(&mut self.trace)?;
        // `dump` names the unit of an axis that is no time and no count of events.
        let unit = row.text("time_unit");
        let unit = if unit == json!("tick") || unit == json!("events") { Json::Null } else { unit };
        Ok(json!({"ns_per_tick": row.get("ns_per_tick"), "unit": unit, "epoch_ns": row.get("epoch_ns"),
            "tracks": row.get("track_count"), "slices": row.get("slice_count"), "start": row.get("start_ts"),
            "end": row.get("end_ts")}))
    }

    fn process(&mut self) -> Result<Json, String> {
        let row = next(&mut self.processes)?;
        let labels = row.get("labels");
        let labels = if labels == json!([]) { Json::Null } else { labels };
        Ok(json!({"pid": id(&row, "pid"), "name": row.get("name"), "sort": row.get("sort_index"),
            "labels": labels}))
    }

    fn track(&mut self, line: &mut Map<String, Json>) -> Result<Json, String> {
        let row = next(&mut self.tracks)?;
        let kind = row.get("type");
        let mut expected = json!({"id": row.get("id"), "kind": kind, "parent": row.get("parent_id"),
            "pid": row.id("process_id").map(|process| id(&self.all_processes[process], "pid"))});
        match kind.as_str().unwrap() {
            "async" => {
                // Whether the key holds in its process only is no column.
                line.remove("scope");
                expected["cat"] = row.get("category");
                expected["key"] = row.get("key");
            }
            "counter" => {
                expected["name"] = row.text("name");
                expected["key"] = row.get("key");
            }
            "track" => {
                let n_slices = self.n_slices.get(&row.id("id").unwrap()).copied().unwrap_or_default();
                for (key, column) in [("key", "key"), ("name", "name"), ("sort", "sort_index")] {
                    expected[key] = row.get(column);
                }
                expected["slices"] = n_slices.into();
                // `dump` says of what lies below a thread that it is of the thread.
                let above = |row: &Row| row.id("parent_id").map(|parent| &self.all_tracks[parent]);
                let mut ancestors = std::iter::successors(above(&row), |row| above(row));
                if let Some(thread) = ancestors.find(|row| row.get("type") == "thread") {
                    expected["kind"] = "thread".into();
                    expected["tid"] = id(thread, "tid");
                }
            }
            "process" | "global" => {}
            _ => {
                let n_slices = self.n_slices.get(&row.id("id").unwrap()).copied().unwrap_or_default();
                expected["tid"] = id(&row, "tid");
                expected["name"] = row.get("name");
                expected["sort"] = row.get("sort_index");
                expected["slices"] = n_slices.into();
            }
        }
        Ok(expected)
    }

    fn slice(&mut self, line: &mut Map<String, Json>) -> Result<Json, String> {
        // `dump` leaves out what the layout rejects.
        let row = self.slices.find(|row| !row.get("lane").is_null()).ok_or("no more rows")?;
        let mut expected = json!({"track": row.get("track_id"), "name": row.get("name"),
            "cat": row.get("category"), "start": row.get("ts"), "dur": row.get("dur"), "lane": row.get("lane"),
            "depth": row.get("depth"), "self": row.get("self_dur"), "open": row.get("incomplete"),
            "cpu": row.get("cpu"), "hits": row.get("sample_count")});
        let Some(frame) = row.id("frame_id").map(|frame| &self.frames[frame]) else {
            let args = line.remove("args");
            let as_text = row.get("args_json");
            let as_json = as_text.as_str().map(|text| serde_json::from_str::<Json>(text).unwrap());
            if args.clone().map(|args| rows::as_deep_as_written(args, 33))
                != as_json.map(rows::without_special_numbers)
            {
                return Err(format!("arguments as JSON: {as_text}"));
            }
            self.args.compare(&row, args)?;
            return Ok(expected);
        };
        expected["kind"] = row.get("kind");
        let source = [("url", "url"), ("line", "line"), ("column", "column_number")];
        let source = source.map(|(key, column)| (key.to_owned(), frame.get(column)));
        let source: Map<_, _> = source.into_iter().filter(|(_, value)| !value.is_null()).collect();
        if !source.is_empty() {
            expected["args"] = Json::Object(source);
        }
        Ok(expected)
    }

    fn instant(&mut self, line: &mut Map<String, Json>) -> Result<Json, String> {
        let row = next(&mut self.instants)?;
        self.args.compare(&row, line.remove("args"))?;
        let mut expected = json!({"track": row.get("track_id"), "name": row.get("name"),
            "cat": row.get("category"), "at": row.get("ts")});
        if self.all_tracks[row.id("track_id").unwrap()].get("type") == "async" {
            expected["depth"] = row.get("depth");
        } else {
            expected["scope"] = row.get("scope").as_str().unwrap()[..1].into();
        }
        Ok(expected)
    }

    fn sample(&mut self, line: &Map<String, Json>) -> Result<Json, String> {
        let track = line["track"].as_u64().and_then(|track| usize::try_from(track).ok()).unwrap();
        let (row, profile) =
            self.samples.get_mut(&track).and_then(VecDeque::pop_front).ok_or("no more rows")?;
        let profile = Some(profile).filter(|name| name != "");
        let frames = std::iter::successors(row.id("frame_id"), |&frame| self.frames[frame].id("parent_id"));
        let mut stack: Vec<_> = frames.map(|frame| self.frames[frame].text("name")).collect();
        stack.reverse();
        Ok(json!({"track": track, "at": row.get("ts"), "weight": row.get("weight"), "stack": stack,
            "profile": profile}))
    }

    fn end_of_flow(&self, flow: &Row, column: &str) -> Json {
        let slice = &self.all_slices[flow.id(column).unwrap()];
        json!({"track": slice.get("track_id"), "name": slice.text("name"), "start": slice.get("ts")})
    }

    fn object(&mut self) -> Result<Json, String> {
        let row = next(&mut self.objects)?;
        let process = &self.all_processes[row.id("process_id").unwrap()];
        Ok(json!({"pid": id(process, "pid"), "type": row.text("name"), "id": row.get("key"),
            "start": row.get("ts"), "end": row.get("end_ts"),
            "snapshots": self.snapshots.remove(&row.id("id")).unwrap_or_default()}))
    }

    /// Checks that no row is left over.
    fn end(self) -> Result<(), String> {
        let placed = |row: &Row| !row.get("lane").is_null();
        let counts = [
            self.processes.count(),
            self.tracks.count(),
            self.slices.filter(placed).count(),
            self.instants.count(),
            self.counters.count(),
            self.states.count(),
            self.samples.values().map(VecDeque::len).sum(),
            self.flows.count(),
            self.objects.count(),
            self.snapshots.len(),
            self.metadata.count(),
            self.diagnostics.count(),
            self.args.n_left(),
        ];
        if counts == [0; 13] { Ok(()) } else { Err(format!("rows that are not printed: {counts:?}")) }
    }
}

fn next(rows: &mut Rows<'_>) -> Result<Row, String> {
    rows.next().ok_or_else(|| "no more rows".to_owned())
}

/// Returns an id of a file: the number of the column, or else the text of the column beside it, which may be a number
/// beyond 63 bits.
fn id(row: &Row, column: &str) -> Json {
    match row.get(column) {
        Json::Null => {
            let text = row.get(&format!("{column}_text"));
            let number = text.as_str().and_then(|text| text.parse::<u64>().ok());
            number.filter(|&number| i64::try_from(number).is_err()).map_or(text, Json::from)
        }
        number => number,
    }
}

fn metadata(row: &Row, line: &mut Map<String, Json>) -> Json {
    // The table has the ids of metadata as text.
    for key in ["pid", "tid"] {
        if let Some(id @ Json::Number(_)) = line.get_mut(key) {
            *id = id.to_string().into();
        }
    }
    let value = serde_json::from_str(row.get("value_json").as_str().unwrap()).unwrap();
    let value = rows::without_special_numbers(value);
    json!({"key": row.text("key"), "pid": row.get("pid_text"), "tid": row.get("tid_text"), "value": value})
}
