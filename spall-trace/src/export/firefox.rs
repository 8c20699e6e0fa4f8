//! Writes profiles for the Firefox Profiler.

use core::time::Duration;
use std::collections::HashMap;
use std::hash::RandomState;
use std::io::{self, BufWriter, Write};

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use fxprof_processed_profile::{
    CategoryHandle, CounterHandle, CpuDelta, Frame, FrameFlags, FrameInfo, LibraryHandle, LibraryInfo,
    MarkerFieldFlags, MarkerFieldFormat, MarkerTiming, ProcessHandle, Profile as FirefoxProfile,
    ReferenceTimestamp, SamplingInterval, StackHandle, StaticSchemaMarker, StaticSchemaMarkerField,
    StringHandle, Symbol, SymbolTable, ThreadHandle, Timestamp, WeightType, debugid::DebugId,
};
use spall_model::{
    FrameId, Key, LostParts, NameId, Profile, Sample, SliceFlags, Tick, Ticks, Trace, TraceView, Track,
    TrackKind, Unit, Weights,
};

use super::{
    ExportReport, Loss,
    thread::{beginning, title},
};
use crate::tick_scale::TickScale;

/// Writes a trace as a profile for the Firefox Profiler.
///
/// Slices and instants become markers, with their category and arguments. Each track that has some becomes a thread,
/// async tracks too. CPU samples become samples of their thread, whether they were merged or not; each further value
/// of the samples of a thread becomes a thread of its own. The weight of a sample with a period is the number of intervals that it
/// stands for, and the interval is such that these numbers are whole. A function of which the file says no line belongs
/// to a library of that name. Each series of a counter becomes a counter. Times begin with the trace, in nanoseconds;
/// [`ExportReport::moved`] says by how much they were moved. Ticks that are no whole nanoseconds are rounded, and so
/// are times more than 2⁵³ nanoseconds behind the start; both are counted. States, flows, objects and metadata count as
/// left out, and so do process and thread ids that are not numbers of 32 bits.
///
/// The profile is in memory as a whole until it is written. Threads of the profile share no call frames. Where those of
/// a trace are shared by very many threads, stacks have no callers from some frame on, and count as too deep.
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10}]"#;
/// let trace = spall_trace::load(json)?;
/// let mut profile = Vec::new();
/// assert!(spall_trace::export::firefox(&trace, "game", &mut profile)?.is_lossless());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn firefox(trace: &Trace, title: &str, out: impl Write) -> io::Result<ExportReport> {
    let mut export = Export::new(trace, title);
    for track in trace.tracks() {
        match track.kind {
            TrackKind::Counter { .. } => export.counter(track),
            _ => export.thread(track),
        }
    }
    let mut out = BufWriter::new(out);
    serde_json::to_writer(&mut out, &export.profile)?;
    out.flush()?;
    Ok(export.report)
}

/// A profile in the making.
struct Export<'t> {
    trace: &'t Trace,
    profile: FirefoxProfile,
    report: ExportReport,
    scale: TickScale,
    /// The time of the trace's start in nanoseconds, which is 0 in the profile.
    start: i128,
    processes: HashMap<Option<u32>, ProcessHandle, RandomState>,
    names: HashMap<NameId, StringHandle, RandomState>,
    /// The functions of libraries by their library and name, as an address in it.
    symbols: HashMap<(NameId, NameId), (LibraryHandle, u32), RandomState>,
    /// The nanoseconds between samples, if samples say what they stand for.
    interval: Option<u64>,
    /// How many more call frames may be copied to threads. Threads may share the frames of a trace, but not those of a
    /// profile.
    frames_left: usize,
    /// How many more bytes of long files may be repeated in functions.
    file_bytes_left: usize,
}

impl<'t> Export<'t> {
    fn new(trace: &'t Trace, title: &str) -> Self {
        let clock = trace.clock();
        let scale = TickScale::new(clock.ns_per_tick().unwrap_or(1.0));
        let first = trace.bounds().map_or(Tick(0), |bounds| bounds.start);
        let start = scale.convert(first);
        // 0 says that the time is not known. [profiles 1.6](spall_model::rules::profiles#1.6)
        let epoch = clock.epoch_ns.map_or(0, |epoch| u64::try_from(start + i128::from(epoch)).unwrap_or(0));
        let reference = ReferenceTimestamp::from_duration_since_unix_epoch(Duration::from_nanos(epoch));
        let interval = interval(trace, scale);
        let sampling = SamplingInterval::from_nanos(interval.unwrap_or(1_000_000));
        let mut profile = FirefoxProfile::new(title, reference, sampling);
        profile.set_symbolicated(true);
        let symbols = symbols(trace, &mut profile);
        let mut report = ExportReport::all_facts(trace);
        report.moved = Ticks(first.0.saturating_neg());
        report.add(Loss::State, trace.states().len());
        report.add(Loss::Flow, trace.flows().len());
        report.add(Loss::Metadata, usize::from(clock.ns_per_tick().is_none()));
        let (processes, names) = (HashMap::default(), HashMap::default());
        let frames_left = trace.frames().len() + 8 * trace.samples().len() + 65_536;
        let file_bytes_left = 256 * trace.frames().len() + (1 << 20);
        Self {
            trace,
            profile,
            report,
            scale,
            start,
            processes,
            names,
            symbols,
            interval,
            frames_left,
            file_bytes_left,
        }
    }

    /// Returns the nanoseconds from the start of the profile.
    fn ns(&self, at: Tick) -> u64 {
        let ns = self.scale.convert(at) - self.start;
        u64::try_from(ns.max(0)).unwrap_or(u64::MAX)
    }

    fn time(&self, at: Tick) -> Timestamp {
        Timestamp::from_nanos_since_reference(self.ns(at))
    }

    /// Counts something whose times the profile has only about: it has milliseconds as floats, which hold each nanosecond
    /// up to 2⁵³ of them.
    fn count_rounded<const N: usize>(&mut self, times: [Tick; N]) {
        let is_exact = |&at: &Tick| self.scale.is_whole(at) && self.ns(at) <= 1 << 53;
        self.report.add_lost_parts(LostParts::TIME.only_if(!times.iter().all(is_exact)));
    }

    /// Returns the process of a track. Tracks without one share a process.
    fn process(&mut self, track: &Track) -> ProcessHandle {
        let number = track.process.map(|process| process.0);
        if let Some(&process) = self.processes.get(&number) {
            return process;
        }
        let of_trace = track.process.and_then(|process| self.trace.processes().get(process.index()));
        let pid = of_trace.map_or(0, |process| self.number(process.pid));
        let label = track.process.map_or("Trace".into(), |process| self.trace.process_title(process));
        // Each thread of the profile has the name of its process.
        let short = beginning(&label);
        self.report.add_lost_parts(LostParts::TEXT.only_if(short != label));
        let start = Timestamp::from_nanos_since_reference(0);
        let process = self.profile.add_process(&short, pid, start);
        self.processes.insert(number, process);
        process
    }

    /// Returns an id as a number, or counts it and returns 0 if it is none of 32 bits. The profile tells apart processes
    /// of one number.
    fn number(&mut self, id: Key) -> u32 {
        self.trace.key_text(id).parse().unwrap_or_else(|_| {
            self.report.add(Loss::Id, 1);
            0
        })
    }

    fn name(&mut self, name: NameId) -> StringHandle {
        let (trace, profile) = (self.trace, &mut self.profile);
        *self.names.entry(name).or_insert_with(|| profile.intern_string(&trace.name(name)))
    }

    fn thread(&mut self, track: &Track) {
        let mut profiles = self.trace.profiles_of(track.id).iter();
        let of_track = profiles.next();
        if track.slices().is_empty() && track.instants().is_empty() && of_track.is_none() {
            return;
        }
        let title = title(self.trace, track);
        let process = self.process(track);
        let tid = track.kind.tid().map_or(0, |tid| self.number(tid));
        let pid = track.process.and_then(|process| self.trace.processes().get(process.index()));
        let is_main = pid.is_some_and(|process| track.kind.tid() == Some(process.pid));
        let start = Timestamp::from_nanos_since_reference(0);
        let thread = self.profile.add_thread(process, tid, start, is_main);
        self.profile.set_thread_name(thread, &title);
        self.profile.set_thread_show_markers_in_timeline(thread, true);
        self.markers(track, thread);
        if let Some(of_track) = of_track {
            self.samples(of_track, thread);
        }
        // A thread of the format has one kind of samples.
        for profile in profiles {
            let thread = self.profile.add_thread(process, tid, start, false);
            self.profile.set_thread_name(thread, &format!("{title} ({})", self.trace.name(profile.name)));
            if profile.weights == Weights::Counted(Unit::Bytes) {
                self.profile.set_thread_samples_weight_type(thread, WeightType::Bytes);
            }
            self.samples(profile, thread);
        }
    }

    fn markers(&mut self, track: &Track, thread: ThreadHandle) {
        let trace = self.trace;
        for (id, slice) in trace.slices_of(track.id) {
            // The samples are written themselves.
            if slice.flags.contains(SliceFlags::SAMPLED) {
                continue;
            }
            let args = trace.slice_args(id);
            let marker = self.marker(slice.name, slice.category, (!args.is_none()).then(|| args.to_string()));
            self.count_rounded([slice.start, slice.end]);
            let (start, end) = (self.time(slice.start), self.time(slice.end));
            let timing = match slice.flags.is_unfinished() {
                true => MarkerTiming::IntervalStart(start),
                false => MarkerTiming::Interval(start, end),
            };
            self.profile.add_marker(thread, timing, marker);
        }
        for instant in trace.instants_of(track.id) {
            let args = trace.args_of(instant);
            let marker =
                self.marker(instant.name, instant.category, (!args.is_none()).then(|| args.to_string()));
            self.count_rounded([instant.at]);
            let timing = MarkerTiming::Instant(self.time(instant.at));
            self.profile.add_marker(thread, timing, marker);
        }
    }

    fn marker(&mut self, name: NameId, category: NameId, args: Option<String>) -> TraceMarker {
        TraceMarker {
            name: self.name(name),
            category: self.name(category),
            args: self.profile.intern_string(&args.unwrap_or_default()),
        }
    }

    fn samples(&mut self, profile: &Profile, thread: ThreadHandle) {
        let mut stacks = HashMap::default();
        let mut before = self.ns(profile.start);
        // Where samples lie one after another, a reader would take the time of each for the one of the sample behind it.
        let is_axis = matches!(profile.weights, Weights::Axis(_));
        for (sample, span) in self.trace.samples_of(profile).iter().zip(self.trace.sample_spans(profile)) {
            let stack = sample.frame().and_then(|frame| self.stack(frame, thread, &mut stacks));
            let at = if is_axis { span.end } else { sample.at };
            self.count_rounded([at]);
            let at = self.ns(at);
            // The thread is taken to have run since the sample before.
            let busy = if stack.is_some() { at.saturating_sub(before) } else { 0 };
            let at_time = Timestamp::from_nanos_since_reference(at);
            let weight = match (self.interval, stood_for(profile, sample, self.scale)) {
                (Some(interval), Some(ns)) => i32::try_from(ns / interval).unwrap_or(i32::MAX),
                #[expect(clippy::cast_possible_truncation, reason = "float to integer casts saturate")]
                _ if matches!(profile.weights, Weights::Counted(_)) => sample.weight.round() as i32,
                _ => 1,
            };
            self.profile.add_sample(thread, at_time, stack, CpuDelta::from_nanos(busy), weight);
            before = at;
        }
    }

    /// Returns the stack whose innermost frame is `frame`, and counts it if it is not whole. `known` has the stacks of the
    /// thread so far, and whether they are whole.
    fn stack(
        &mut self,
        frame: FrameId,
        thread: ThreadHandle,
        known: &mut HashMap<FrameId, (StackHandle, bool), RandomState>,
    ) -> Option<StackHandle> {
        // From the innermost frame outwards, up to one whose stack is known; a stack can be as deep as a file likes.
        let mut new = Vec::new();
        let mut next = Some(frame);
        let (mut stack, mut is_whole) = (None, true);
        while let Some(id) = next {
            if let Some(&(outer, outer_is_whole)) = known.get(&id) {
                (stack, is_whole) = (Some(outer), outer_is_whole);
                break;
            }
            let Some(left) = self.frames_left.checked_sub(1) else {
                is_whole = false;
                break;
            };
            self.frames_left = left;
            new.push(id);
            next = self.trace.frame(id)?.parent;
        }
        self.report.add(Loss::DeepStack, usize::from(!is_whole));
        for id in new.into_iter().rev() {
            let frame = self.trace.frame(id)?;
            let function = match self.symbols.get(&(frame.url, frame.name)) {
                Some(&(library, address)) if frame.line.is_none() => {
                    Frame::RelativeAddressFromInstructionPointer(library, address)
                }
                _ => {
                    let label = self.label(frame);
                    Frame::Label(self.profile.intern_string(&label))
                }
            };
            let frame = FrameInfo {
                frame: function,
                category_pair: CategoryHandle::OTHER.into(),
                flags: FrameFlags::empty(),
            };
            let frame = self.profile.intern_frame(thread, frame);
            let of_frame = self.profile.intern_stack(thread, stack, frame);
            known.insert(id, (of_frame, is_whole));
            stack = Some(of_frame);
        }
        stack
    }

    /// Returns a function as the text that Firefox itself writes: `name (file:line:column)`. The end of a long file counts as
    /// lost if files were repeated too often.
    fn label(&mut self, frame: &spall_model::Frame) -> String {
        let name = self.trace.name(frame.name);
        let Some(line) = frame.line else { return name.into_owned() };
        let column = frame.column.map_or(String::new(), |column| format!(":{}", u64::from(column) + 1));
        let file = self.trace.name(frame.url);
        let short = beginning(&file);
        let file = match self.file_bytes_left.checked_sub(file.len().saturating_sub(short.len())) {
            Some(left) => {
                self.file_bytes_left = left;
                &file
            }
            None => {
                self.report.add_lost_parts(LostParts::TEXT);
                &short
            }
        };
        format!("{name} ({file}:{}{column})", u64::from(line) + 1)
    }

    fn counter(&mut self, track: &Track) {
        let process = self.process(track);
        let name = self.trace.track_title(track.id);
        let beginning = beginning(&name);
        let mut series: HashMap<NameId, (CounterHandle, f64), RandomState> = HashMap::default();
        for value in self.trace.counters_of(track.id) {
            self.count_rounded([value.at]);
            let at = self.time(value.at);
            let name = if series.is_empty() { &name } else { &beginning };
            let (counter, before) = series.entry(value.series).or_insert_with(|| {
                let series = self.trace.name(value.series);
                (self.profile.add_counter(process, &format!("{name} {series}"), "", ""), 0.0)
            });
            // A counter of the profile keeps its last value, and takes differences.
            self.profile.add_counter_sample(*counter, at, value.value - *before, 0);
            *before = value.value;
        }
    }
}

/// Returns the nanoseconds that a sample stands for, if its profile says so.
fn stood_for(profile: &Profile, sample: &Sample, scale: TickScale) -> Option<u64> {
    u64::try_from(scale.convert(Tick(profile.weights.duration_of(sample.weight)?.0))).ok()
}

/// Returns the longest interval of which all samples stand for multiples.
fn interval(trace: &Trace, scale: TickScale) -> Option<u64> {
    let profiles = trace.profiles().iter();
    let samples = profiles.flat_map(|profile| {
        trace.samples_of(profile).iter().filter_map(move |sample| stood_for(profile, sample, scale))
    });
    samples.filter(|&ns| ns > 0).reduce(|mut a, mut b| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// Adds a library for each file of functions without a line, and returns the functions as addresses in it.
fn symbols(
    trace: &Trace,
    profile: &mut FirefoxProfile,
) -> HashMap<(NameId, NameId), (LibraryHandle, u32), RandomState> {
    let mut of_library: BTreeMap<NameId, BTreeSet<NameId>> = BTreeMap::new();
    for frame in trace.frames().iter().filter(|frame| frame.line.is_none() && !frame.url.is_empty()) {
        of_library.entry(frame.url).or_default().insert(frame.name);
    }
    let mut symbols = HashMap::default();
    for (library, names) in of_library {
        let title = trace.name(library).into_owned();
        let symbol =
            |(address, &name)| Symbol { address, size: Some(1), name: trace.name(name).into_owned() };
        let handle = profile.add_lib(LibraryInfo {
            debug_name: title.clone(),
            path: title.clone(),
            debug_path: title.clone(),
            name: title,
            debug_id: DebugId::nil(),
            code_id: None,
            arch: None,
            symbol_table: Some(Arc::new(SymbolTable::new((0..).zip(&names).map(symbol).collect()))),
        });
        symbols.extend((0..).zip(names).map(|(address, name)| ((library, name), (handle, address))));
    }
    symbols
}

/// A slice or an instant in the profile.
struct TraceMarker {
    name: StringHandle,
    category: StringHandle,
    args: StringHandle,
}

impl StaticSchemaMarker for TraceMarker {
    const UNIQUE_MARKER_TYPE_NAME: &'static str = "Slice";
    const CHART_LABEL: Option<&'static str> = Some("{marker.name}");
    const TOOLTIP_LABEL: Option<&'static str> = Some("{marker.name}");
    const TABLE_LABEL: Option<&'static str> = Some("{marker.name} {marker.data.args}");
    const FIELDS: &'static [StaticSchemaMarkerField] = &[
        StaticSchemaMarkerField {
            key: "category",
            label: "Category",
            format: MarkerFieldFormat::String,
            flags: MarkerFieldFlags::SEARCHABLE,
        },
        StaticSchemaMarkerField {
            key: "args",
            label: "Arguments",
            format: MarkerFieldFormat::String,
            flags: MarkerFieldFlags::SEARCHABLE,
        },
    ];

    fn name(&self, _: &mut FirefoxProfile) -> StringHandle {
        self.name
    }

    fn category(&self, _: &mut FirefoxProfile) -> CategoryHandle {
        CategoryHandle::OTHER
    }

    fn string_field_value(&self, field: u32) -> StringHandle {
        if field == 0 { self.category } else { self.args }
    }

    fn number_field_value(&self, _: u32) -> f64 {
        0.0
    }
}
