//! `spall dump`: a trace as one JSON object per line, to compare readers and traces.

use std::{
    io::{self, Write},
    path::Path,
};

use spall_trace::{
    Format,
    export::StackRoot,
    format::{apitrace, container::decompress},
    layout::{Layout, LayoutView},
    model::{
        FrameId, Key, Limits, Measure, Profile, Sample, Scope, SliceId, ThreadMeasure, Trace, TraceView,
        Track, TrackId, TrackKind, Unit, Weights,
    },
};

use crate::{
    error::{Error, Result},
    input::{self, load_one, on_disk},
    json::{Line, quoted},
    phases::Phases,
    section::SectionChoice,
    session::Session,
    shown::{Printed, to_stdout},
};

/// Prints everything of a trace, or with `summary` the first line, and on the error stream how long each step took.
pub(crate) fn run(file: &Path, summary: bool, section: &SectionChoice, session: &Session) -> Result<()> {
    let mut phases = Phases::start();
    // What is odd about the file is a part of the dump.
    let mut loaded = input::one(file)?.load_or_fail(session)?;
    loaded.trace = section.of(loaded.trace, &file.to_string_lossy())?;
    let format = loaded.format_name();
    phases.end("load");
    // All values of samples are a part of the dump, and they keep their times, whatever value and axis is shown.
    let as_in_file = loaded.trace.needs_value().then(|| loaded.trace.clone());
    let trace = spall_trace::merge_samples(loaded.trace.with_value(None));
    phases.end("merge");
    let layout = Layout::new(&trace);
    phases.end("layout");
    session.done();
    to_stdout(Printed::Json, |out| {
        let mut dump =
            Dump { trace: &trace, as_in_file: as_in_file.as_ref().unwrap_or(&trace), layout: &layout, out };
        dump.trace(format)?;
        if summary { Ok(()) } else { dump.everything() }
    })?;
    if summary {
        session.say(phases.report());
    }
    Ok(())
}

/// Prints the call tree of each thread as folded stacks. Of samples that stand for time before them, the weights are added up:
/// they are what the file says, and the times follow from them.
pub(crate) fn folded(file: &Path, section: &SectionChoice, session: &Session) -> Result<()> {
    let loaded = load_one(file, session)?;
    let title = loaded.name();
    let trace = section.of_functions(loaded.trace.with_value(None), &title)?;
    session.done();
    let are_weights = |profile: &Profile| matches!(profile.weights, Weights::TimeBefore(_));
    let measure = match trace.slices().is_empty() && trace.profiles().iter().any(are_weights) {
        true => Measure::Samples,
        false => Measure::WallTime,
    };
    let report = to_stdout(Printed::File, |out| {
        spall_trace::export::folded(&trace, trace.shown_tracks(), measure, StackRoot::Name, out)
    })?;
    session.tell_losses(Path::new("-"), &report);
    Ok(())
}

/// Prints the calls of an apitrace recording, in the order in which they returned.
pub(crate) fn calls(file: &Path, session: &Session) -> Result<()> {
    let file = &on_disk(vec![input::one(file)?])?.remove(0);
    let failed = |error: spall_trace::Error| Error::loading(file, &error);
    let data = std::fs::read(file).map_err(|error| Error::reading(file, &error))?;
    match spall_trace::detect(&data) {
        None | Some(Format::Apitrace) => {}
        Some(other) => {
            return Err(Error::new(format_args!(
                "{}: `--calls` prints the calls of an apitrace recording, and this file is {}. Leave it out.",
                file.display(),
                other.name()
            )));
        }
    }
    let unpacked = decompress(&data, &Limits::default()).map_err(|error| failed(error.into()))?;
    let mut calls = apitrace::Calls::new(&unpacked.stream).map_err(|error| failed(error.into()))?;
    let mut memory = Vec::new();
    Ok(to_stdout(Printed::Text, |out| {
        while let Some(call) = calls.next() {
            match call {
                Ok(call) => {
                    let name = String::from_utf8_lossy(calls.name(&call));
                    let args = calls.arguments(&call, &mut memory).to_string();
                    // A text may have several lines, and a call is one.
                    let args = args.replace('\n', "\\n");
                    writeln!(out, "{} @{:x} {name}({args})", call.number, call.thread)?;
                }
                // What came before is printed and good.
                Err(error) => session.say(format_args!("{}: {error}", file.display())),
            }
        }
        Ok(())
    })?)
}

struct Dump<'a> {
    trace: &'a Trace,
    /// The trace before a value of its samples was chosen.
    as_in_file: &'a Trace,
    layout: &'a Layout,
    out: &'a mut dyn Write,
}

impl Dump<'_> {
    fn line(&mut self, line: &mut Line) -> io::Result<()> {
        writeln!(self.out, "{}", line.end())
    }

    fn trace(&mut self, format: &str) -> io::Result<()> {
        let trace = self.trace;
        let mut line = Line::new("trace");
        line.text("format", format);
        let unit = trace.clock().unit;
        match unit.counted() {
            _ if unit == Unit::EVENTS => line.raw("ns_per_tick", "null"),
            Some(counted) => line.text("unit", counted),
            None => line.float("ns_per_tick", trace.clock().ns_per_tick().unwrap_or_default()),
        };
        if let Some(epoch) = trace.clock().epoch_ns {
            line.raw("epoch_ns", epoch);
        }
        line.raw("tracks", trace.tracks().len()).raw("slices", trace.slices().len());
        if let Some(bounds) = trace.bounds() {
            line.raw("start", bounds.start.0).raw("end", bounds.end.0);
        }
        self.line(&mut line)
    }

    fn everything(&mut self) -> io::Result<()> {
        let trace = self.trace;
        let mut tracks = (0..).map(TrackId).zip(trace.tracks()).peekable();
        while let Some((id, track)) = tracks.next_if(|(_, track)| track.process.is_none()) {
            self.track(id, track)?;
        }
        for process in trace.processes() {
            let mut line = Line::new("process");
            self.key(&mut line, "pid", process.pid);
            line.some_text("name", &trace.name(process.name)).raw("sort", process.sort_index);
            if !process.labels.is_empty() {
                let labels: Vec<_> = process.labels.iter().map(|&label| quoted(&trace.name(label))).collect();
                line.raw("labels", format_args!("[{}]", labels.join(",")));
            }
            self.line(&mut line)?;
            for (id, track) in tracks.by_ref().take(process.tracks().len()) {
                self.track(id, track)?;
            }
        }
        self.flows()?;
        self.objects()?;
        for meta in trace.meta() {
            let mut line = Line::new("meta");
            line.text("key", &trace.name(meta.key));
            if let Some((pid, tid)) = meta.thread {
                self.key(&mut line, "pid", pid);
                self.key(&mut line, "tid", tid);
            }
            line.value("value", trace.meta_value(meta));
            self.line(&mut line)?;
        }
        for count in trace.diagnostics().counts() {
            let mut line = Line::new("diagnostic");
            line.text("kind", count.kind.name())
                .raw("count", count.count)
                .raw("first_byte", count.first_byte);
            self.line(&mut line)?;
        }
        let overlapping = self.layout.n_overlapping();
        if overlapping > 0 {
            let mut line = Line::new("diagnostic");
            line.text("kind", "partial-overlap").raw("count", overlapping);
            self.line(&mut line)?;
        }
        Ok(())
    }

    fn key(&self, line: &mut Line, name: &str, key: Key) {
        match key {
            Key::Number(_) => line.raw(name, self.trace.key_text(key)),
            Key::Text(_) => line.text(name, &self.trace.key_text(key)),
        };
    }

    fn track(&mut self, id: TrackId, track: &Track) -> io::Result<()> {
        let trace = self.trace;
        let mut line = Line::new("track");
        line.raw("id", id.0);
        // What lies below a thread is of that thread.
        let thread = match track.kind {
            TrackKind::Track { .. } => thread_above(trace, track),
            _ => None,
        };
        line.text("kind", if thread.is_some() { "thread" } else { track.kind.name() });
        if let Some(process) = track.process {
            self.key(&mut line, "pid", trace.processes()[process.0 as usize].pid);
        }
        if let Some(parent) = track.parent {
            line.raw("parent", parent.0);
        }
        let name = trace.name(track.name);
        match track.kind {
            TrackKind::Thread { tid }
            | TrackKind::Cpu { tid }
            | TrackKind::Gpu { tid }
            | TrackKind::Frames { tid } => {
                self.key(&mut line, "tid", tid);
                line.some_text("name", &name)
                    .raw("sort", track.sort_index)
                    .raw("slices", track.slices().len());
            }
            TrackKind::Track { id } => {
                if let Some(tid) = thread {
                    self.key(&mut line, "tid", tid);
                }
                line.text("key", &trace.key_text(id)).some_text("name", &name);
                line.raw("sort", track.sort_index).raw("slices", track.slices().len());
            }
            TrackKind::Async { category, id, local, .. } => {
                line.some_text("cat", &trace.name(category)).text("key", &trace.key_text(id));
                line.text("scope", if local { "process" } else { "global" });
            }
            TrackKind::Counter { id } => {
                line.text("name", &name);
                if let Some(id) = id {
                    line.text("key", &trace.key_text(id));
                }
            }
            _ => {}
        }
        self.line(&mut line)?;
        for slice in track.slices() {
            self.slice(id, slice)?;
        }
        let is_async = matches!(track.kind, TrackKind::Async { .. });
        for instant in trace.instants_of(track.id) {
            let mut line = Line::new("instant");
            line.raw("track", id.0).some_text("name", &trace.name(instant.name));
            line.some_text("cat", &trace.name(instant.category)).raw("at", instant.at.0);
            if is_async {
                line.raw("depth", instant.depth);
            } else {
                let scope = match instant.scope {
                    Scope::Thread => "t",
                    Scope::Process => "p",
                    Scope::Global => "g",
                };
                line.text("scope", scope);
            }
            line.args(trace.args_of(instant).iter());
            self.line(&mut line)?;
        }
        for counter in trace.counters_of(track.id) {
            let mut line = Line::new("counter");
            line.raw("track", id.0).text("series", &trace.name(counter.series));
            line.raw("at", counter.at.0).float("value", counter.value);
            self.line(&mut line)?;
        }
        let thread_name =
            self.as_in_file.tracks().get(id.index()).map(|track| self.as_in_file.name(track.name));
        let thread_name = thread_name.unwrap_or_default();
        let profiles = self.as_in_file.profiles_of(id);
        for profile in profiles {
            // The name tells apart the profiles of one track, and those of tracks of which not all are shown.
            let is_told = profiles.len() > 1 || self.as_in_file.needs_value();
            let name = if is_told { trace.name(profile.name) } else { "".into() };
            let mut renamed = self.as_in_file.thread_names(profile).peekable();
            let mut comm = None;
            for (at, sample) in self.as_in_file.samples_of(profile).iter().enumerate() {
                comm = renamed.next_if(|&(first, _)| first == at).map(|(_, name)| name).or(comm);
                let comm = comm.as_deref().filter(|&comm| comm != thread_name);
                self.sample(id, &name, comm.unwrap_or_default(), sample)?;
            }
        }
        for state in trace.states_of(track.id) {
            let mut line = Line::new("state");
            line.raw("track", id.0).text("name", &trace.name(state.name)).raw("start", state.start.0);
            line.raw("dur", (state.end - state.start).0).args(trace.args_of(state).iter());
            self.line(&mut line)?;
        }
        Ok(())
    }

    fn slice(&mut self, track: TrackId, id: SliceId) -> io::Result<()> {
        let trace = self.trace;
        let (Some(slice), Some(place)) = (trace.slice(id), self.layout.place(id)) else { return Ok(()) };
        let mut line = Line::new("slice");
        line.raw("track", track.0).some_text("name", &trace.name(slice.name));
        line.some_text("cat", &trace.name(slice.category)).raw("start", slice.start.0);
        line.raw("dur", (place.end - slice.start).0);
        line.raw("lane", place.lane)
            .raw("depth", place.depth)
            .raw("self", self.layout.self_time(id).unwrap_or_default().0);
        line.raw("open", slice.flags.is_unfinished());
        if let Some(ticks) = trace.slice_args(id).thread_measure(ThreadMeasure::Time) {
            line.raw("cpu", ticks);
        }
        match trace.sampled(id) {
            Some(sampled) => {
                line.text("kind", "sample").raw("hits", sampled.hits);
                self.function(&mut line, sampled.frame);
            }
            None => {
                line.args(trace.slice_args(id).iter());
            }
        }
        self.line(&mut line)
    }

    fn sample(&mut self, track: TrackId, profile: &str, comm: &str, sample: &Sample) -> io::Result<()> {
        let mut stack = Vec::new();
        let mut at = sample.frame().and_then(|frame| self.trace.frame(frame));
        while let Some(frame) = at {
            stack.push(quoted(&self.trace.name(frame.name)));
            at = frame.parent.and_then(|parent| self.trace.frame(parent));
        }
        stack.reverse();
        let mut line = Line::new("sample");
        line.raw("track", track.0).raw("at", sample.at.0).float("weight", sample.weight);
        line.raw("stack", format_args!("[{}]", stack.join(","))).some_text("profile", profile);
        line.some_text("comm", comm);
        self.line(&mut line)
    }

    /// Where the source of a sampled function is.
    fn function(&self, line: &mut Line, frame: FrameId) {
        let Some(frame) = self.trace.frame(frame) else { return };
        let mut args = Vec::new();
        if !frame.url.is_empty() {
            args.push(format!("\"url\":{}", quoted(&self.trace.name(frame.url))));
        }
        args.extend(frame.line.map(|line| format!("\"line\":{line}")));
        args.extend(frame.column.map(|column| format!("\"column\":{column}")));
        if !args.is_empty() {
            line.raw("args", format_args!("{{{}}}", args.join(",")));
        }
    }

    fn flows(&mut self) -> io::Result<()> {
        let trace = self.trace;
        let end = |slice: SliceId| {
            let track = trace.track_of(slice).map_or(0, |track| track.0);
            let name = trace.slice(slice).map(|slice| trace.name(slice.name)).unwrap_or_default();
            let start = trace.slice(slice).map_or(0, |slice| slice.start.0);
            format!("{{\"track\":{track},\"name\":{},\"start\":{start}}}", quoted(&name))
        };
        for flow in trace.flows() {
            let mut line = Line::new("flow");
            line.text("id", &trace.key_text(flow.id)).some_text("name", &trace.name(flow.name));
            line.raw("from", end(flow.from)).raw("to", end(flow.to));
            self.line(&mut line)?;
        }
        Ok(())
    }

    fn objects(&mut self) -> io::Result<()> {
        let trace = self.trace;
        for object in trace.objects() {
            let mut line = Line::new("object");
            self.key(&mut line, "pid", trace.processes()[object.process.0 as usize].pid);
            line.text("type", &trace.name(object.name)).text("id", &trace.key_text(object.id));
            if let Some(start) = object.start {
                line.raw("start", start.0);
            }
            if let Some(end) = object.end {
                line.raw("end", end.0);
            }
            let snapshots = trace.snapshots_of(object);
            let times: Vec<_> = snapshots.iter().map(|snapshot| snapshot.at.0.to_string()).collect();
            line.raw("snapshots", format_args!("[{}]", times.join(",")));
            self.line(&mut line)?;
        }
        Ok(())
    }
}

/// Returns the id of the thread below which a track lies, if it lies below one.
pub(crate) fn thread_above(trace: &Trace, track: &Track) -> Option<Key> {
    let mut above = track.parent;
    while let Some(track) = above.and_then(|id| trace.tracks().get(id.index())) {
        if let TrackKind::Thread { tid } = track.kind {
            return Some(tid);
        }
        above = track.parent;
    }
    None
}
