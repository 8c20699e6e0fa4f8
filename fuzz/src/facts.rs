//! The facts of a trace as text. Two traces are the same if their facts are.
//!
//! The first word of a fact names its kind.

use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{
    Args, Flow, Frame, FrameId, Key, Profile, Text, Trace, TraceView, Track, TrackKind, Value,
};

/// The facts of a trace that were gathered so far.
struct Facts<'t> {
    trace: &'t Trace,
    layout: Layout,
    facts: Vec<String>,
}

/// Returns the facts of a trace in its order: file, processes, tracks with their contents, flows, objects, profiles.
///
/// A `slice` is a fact of the file. The `place` behind it follows from all slices. Diagnostics are not included.
pub fn facts(trace: &Trace) -> Vec<String> {
    let layout = Layout::new(trace);
    let mut facts = Facts { trace, layout, facts: Vec::new() };
    facts.of_file();
    facts.of_processes();
    for track in trace.tracks() {
        facts.of_track(track);
    }
    facts.of_arrows();
    facts.of_objects();
    for profile in trace.profiles() {
        facts.of_profile(profile);
    }
    facts.facts
}

/// Returns arguments and the further fields behind them. The thread of an event that lies on no thread is left out.
fn all(args: Args<'_>) -> String {
    show(args.iter().chain(args.fields().filter(|(key, _)| !key.is(b"tid"))))
}

/// Returns arguments as text. Numbers that JSON does not have become strings, as writers write them.
fn show<'a>(args: impl Iterator<Item = (Text<'a>, Value<'a>)>) -> String {
    let entry = |(key, value): (Text<'a>, Value<'a>)| format!("{:?}: {}", key.decode(), show_value(value));
    format!("[{}]", args.map(entry).collect::<Vec<_>>().join(", "))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn show_value(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => format!("{:?}", text.decode()),
        Value::F64(value) if value.is_nan() => "\"NaN\"".into(),
        Value::F64(f64::INFINITY) => "\"Infinity\"".into(),
        Value::F64(f64::NEG_INFINITY) => "\"-Infinity\"".into(),
        Value::List(args) | Value::Map(args) => show(args.iter()),
        // JSON does not tell these apart either.
        Value::I64(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::Bytes(bytes) => format!("\"{}\"", hex(bytes)),
        other => format!("{other:?}"),
    }
}

impl Facts<'_> {
    fn key(&self, key: Key) -> String {
        match key {
            Key::Number(_) => self.trace.key_text(key).into_owned(),
            Key::Text(_) => format!("{:?}", self.trace.key_text(key)),
        }
    }

    fn of_file(&mut self) {
        let trace = self.trace;
        let clock = trace.clock();
        self.facts.push(format!("clock {clock:?}"));
        self.facts.push(format!("bounds {:?}", trace.bounds()));
        for meta in trace.meta() {
            let thread = meta.thread.map(|(pid, tid)| (self.key(pid), self.key(tid)));
            let value = show_value(trace.meta_value(meta));
            self.facts.push(format!("meta {thread:?} {:?} {value}", trace.name(meta.key)));
        }
        for other in trace.others() {
            let (pid, tid) = (self.key(other.thread.0), self.key(other.thread.1));
            let (name, category) = (trace.name(other.name), trace.name(other.category));
            let (tag, at, args) = (other.tag, other.at.0, all(trace.args_of(other)));
            self.facts.push(format!("other {tag} {pid} {tid} {at} {name:?} {category:?} {args}"));
        }
    }

    fn of_processes(&mut self) {
        let trace = self.trace;
        for process in trace.processes() {
            let labels: Vec<_> = process.labels.iter().map(|&label| trace.name(label)).collect();
            let (pid, name, sort) = (self.key(process.pid), trace.name(process.name), process.sort_index);
            self.facts.push(format!("process {pid} {name:?} {sort} {labels:?} {:?}", process.tracks()));
        }
    }

    fn of_track(&mut self, track: &Track) {
        let trace = self.trace;
        let kind = match track.kind {
            TrackKind::Thread { tid } => format!("thread {}", self.key(tid)),
            TrackKind::Cpu { tid } => format!("cpu {}", self.key(tid)),
            TrackKind::Gpu { tid } => format!("gpu {}", self.key(tid)),
            TrackKind::Frames { tid } => format!("frames {}", self.key(tid)),
            TrackKind::Async { category, id, local, scope, stepped } => {
                let (category, scope) = (trace.name(category), trace.name(scope));
                format!("async {category:?} {} {local} {scope:?} {stepped}", self.key(id))
            }
            TrackKind::Track { id } => format!("track {}", self.key(id)),
            TrackKind::Counter { id } => format!("counter {:?}", id.map(|id| self.key(id))),
            other => format!("{other:?}"),
        };
        let (name, place) = (trace.name(track.name), (track.sort_index, track.parent, track.children));
        self.facts.push(format!("track {kind} {name:?} {place:?}"));
        for id in track.slices() {
            let (slice, place) = (trace.slice(id).unwrap(), self.layout.place(id).unwrap());
            let (name, category) = (trace.name(slice.name), trace.name(slice.category));
            let end = if slice.flags.is_unfinished() { "?".into() } else { slice.end.0.to_string() };
            let (begin_args, end_args) = (trace.slice_args(id).begin, trace.slice_args(id).end);
            self.facts.push(format!(
                "slice {name:?} {category:?} {}..{end} {} {}",
                slice.start.0,
                all(begin_args),
                all(end_args)
            ));
            let pair = slice.flags.is_paired().then(|| slice.flags.open_depth());
            self.facts.push(format!(
                "place {pair:?} {}/{} ..{} {:?}",
                place.lane,
                place.depth,
                place.end.0,
                self.layout.self_time(id)
            ));
        }
        for instant in trace.instants_of(track.id) {
            let (name, category) = (trace.name(instant.name), trace.name(instant.category));
            let (at, depth, args) = (instant.at.0, instant.depth, all(trace.args_of(instant)));
            let scope = instant.scope;
            self.facts.push(format!("instant {name:?} {category:?} {at} {scope:?} {depth} {args}"));
        }
        for counter in trace.counters_of(track.id) {
            let series = trace.name(counter.series);
            self.facts.push(format!("counter {series:?} {} {}", counter.at.0, counter.value));
        }
        for state in trace.states_of(track.id) {
            let (name, args) = (trace.name(state.name), all(trace.args_of(state)));
            self.facts.push(format!("state {name:?} {}..{} {args}", state.start.0, state.end.0));
        }
    }

    fn of_arrows(&mut self) {
        let trace = self.trace;
        for flow in trace.flows() {
            let (from_args, to_args) = trace.flow_args(flow);
            let &Flow { name, category, from, to, leaves, arrives, .. } = flow;
            let (id, name, category) = (self.key(flow.id), trace.name(name), trace.name(category));
            let (from_args, to_args) = (all(from_args), all(to_args));
            self.facts.push(format!(
                "flow {id} {name:?} {category:?} {from:?} {leaves:?} {from_args} {to:?} {arrives:?} {to_args}",
            ));
        }
    }

    fn of_objects(&mut self) {
        let trace = self.trace;
        for object in trace.objects() {
            let pid = self.key(trace.processes()[object.process.index()].pid);
            let snapshots: Vec<_> = trace
                .snapshots_of(object)
                .iter()
                .map(|snapshot| format!("{} {}", snapshot.at.0, all(trace.args_of(snapshot))))
                .collect();
            let (name, id, scope) = (trace.name(object.name), self.key(object.id), trace.name(object.scope));
            let (start, end, local) = (object.start, object.end, object.local);
            self.facts.push(format!(
                "object {pid} {name:?} {id} {local} {scope:?} {start:?}..{end:?} {snapshots:?}"
            ));
        }
    }

    fn of_profile(&mut self, profile: &Profile) {
        let trace = self.trace;
        let Profile { track, start, end, rank, .. } = profile;
        let name = trace.name(profile.name);
        self.facts.push(format!("profile {track:?} {name:?} {start:?}..{end:?} {rank}"));
        let local = |frame: Option<FrameId>| frame.map(|frame| profile.frames().position(frame).unwrap());
        for id in profile.frames() {
            let frame = trace.frame(id).unwrap();
            let Frame { source, line, column, .. } = frame;
            let (name, url, parent) = (trace.name(frame.name), trace.name(frame.url), local(frame.parent));
            self.facts.push(format!("frame {name:?} {url:?} {source} {line:?} {column:?} {parent:?}"));
            let lines = trace.line_hits(id).iter();
            self.facts.extend(lines.map(|found| format!("line {}: {}", found.line, found.hits)));
        }
        for sample in trace.samples_of(profile) {
            let (at, frame, place) = (sample.at, local(sample.frame()), (sample.line(), sample.column()));
            let args = all(trace.args_of(sample));
            self.facts.push(format!("sample {at:?} {frame:?} {} {place:?} {args}", sample.weight));
        }
        for site in trace.call_sites_of(profile) {
            self.facts.push(format!("site {} {:?}", site.number, local(Some(site.frame))));
        }
    }
}
