//! Writes the file format of <https://www.speedscope.app>.

use core::{fmt, iter};

use alloc::{format, vec::Vec};
use std::io::{self, BufWriter, Write};

use spall_json::JsonString;
use spall_model::{
    CallTree, Function, Interner, LostParts, Profile, Sample, SliceId, Text, Tick, Ticks, Trace, TraceView,
    Unit, Weights,
};

use super::{
    ExportReport, Loss,
    lane::{Edge, SpanLanes, lanes, span_lanes},
    thread::{numbered, repeated, threads},
    trees::StackRoom,
};

/// Writes the threads and async spans of a trace in the JSON format of speedscope.
///
/// `title` is the name of the whole file. Each lane of slices becomes an evented profile, because the format cannot
/// hold overlapping slices. Async spans of one title share lanes. The CPU samples of a thread become a sampled profile unless they were merged with its
/// slices: each sample is as wide as the time that it stands for, or, of a value that the axis does not show, as its
/// weight. Each value of the samples of a thread is a profile, and of a stack the innermost [`MAX_FOLDED_DEPTH`] functions
/// are written.
/// Times become nanoseconds since the start of the trace, or counts of events since then if the clock has no unit of
/// time. Times since the epoch would be rounded by speedscope, which takes them for floats. Ticks that are nanoseconds
/// are exact in the file. Others become floats, and are counted as rounded beyond 2⁵³ nanoseconds. Times beyond all
/// floats count as out of range, and become the largest one. Where samples of a small trace repeat very deep stacks,
/// the further ones have only their 16 innermost functions, and count as too deep. Lanes but the first of a process
/// have the beginning of a long name. An unfinished slice ends at the time to which it is drawn. Categories and
/// arguments of slices, the ids of async spans, and everything that is no slice are left out and counted.
///
/// [`MAX_FOLDED_DEPTH`]: spall_model::CallTree::MAX_FOLDED_DEPTH
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// let json = br#"[{"ph":"X","name":"draw","pid":1,"tid":2,"ts":1,"dur":7}]"#;
/// let trace = spall_trace::load(json)?;
/// let mut file = Vec::new();
/// assert!(spall_trace::export::speedscope(&trace, "a drawing", &mut file)?.is_lossless());
/// assert!(file.ends_with(b"\"shared\":{\"frames\":[\n{\"name\":\"draw\"}]}}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn speedscope(trace: &Trace, title: &str, out: impl Write) -> io::Result<ExportReport> {
    let mut report = ExportReport::all_but_slices(trace);
    report.add_async_ids(trace);
    let (frames, room) = (Interner::default(), StackRoom::of(trace));
    let mut file = File { out: BufWriter::new(out), trace, frames, report, room };
    file.write(title)?;
    file.out.flush()?;
    Ok(file.report)
}

/// The file that is written, with the state that this takes.
struct File<'t, W: Write> {
    out: BufWriter<W>,
    trace: &'t Trace,
    /// The call frames that all profiles of the file share.
    frames: Interner<Function>,
    report: ExportReport,
    room: StackRoom,
}

/// How many bytes the number of a call frame takes in a stack, about.
const FRAME_BYTES: usize = 6;

impl<W: Write> File<'_, W> {
    /// Writes the whole file. The call frames come last, because the profiles number them.
    fn write(&mut self, title: &str) -> io::Result<()> {
        write!(
            self.out,
            "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\
             \"exporter\":\"spall\",\"name\":{},\"profiles\":[",
            JsonString(Text::plain(title.as_bytes()))
        )?;
        let mut comma = "";
        let is_merged = self.report.count(Loss::Sample) == 0;
        let mut n_left = if is_merged { 0 } else { self.trace.samples().len() };
        for thread in threads(self.trace) {
            let lanes = lanes(self.trace, thread.track);
            for (lane, edges) in lanes.iter().enumerate() {
                self.out.write_all(comma.as_bytes())?;
                self.profile(&thread.lane_name(self.trace, lane), edges)?;
                comma = ",";
            }
            if let Some(profile) = self.trace.profile_of(thread.track.id).filter(|_| !is_merged) {
                self.out.write_all(comma.as_bytes())?;
                self.samples(&thread.lane_name(self.trace, lanes.len()), profile)?;
                n_left -= profile.samples().len();
                comma = ",";
            }
            for profile in self.trace.profiles_of(thread.track.id).iter().skip(1) {
                let name = thread.lane_name(self.trace, 0);
                let name = format!("{name} ({})", self.trace.name(profile.name));
                self.out.write_all(comma.as_bytes())?;
                self.samples(&name, profile)?;
                n_left = n_left.saturating_sub(profile.samples().len());
                comma = ",";
            }
        }
        for SpanLanes { process, title, lanes } in span_lanes(self.trace) {
            let process = repeated(self.trace, process.name, process.pid);
            for (lane, edges) in lanes.iter().enumerate() {
                self.out.write_all(comma.as_bytes())?;
                self.profile(&format!("{process} / {}", numbered(&title, lane)), edges)?;
                comma = ",";
            }
        }
        self.report.set(Loss::Sample, n_left);
        write!(self.out, "],\n\"shared\":{{\"frames\":[")?;
        for (index, function) in self.frames.keys().iter().enumerate() {
            writeln!(self.out, "{}", if index > 0 { "," } else { "" })?;
            write_frame(&mut self.out, self.trace, function)?;
        }
        writeln!(self.out, "]}}}}")
    }

    /// Writes a lane as a profile.
    fn profile(&mut self, name: &str, edges: &[Edge]) -> io::Result<()> {
        let (unit, scale) = unit_of(self.trace.clock().unit);
        // Subtracted as integers: a float has no room for nanoseconds since 1970.
        let origin = self.trace.bounds().map_or(Tick(0), |bounds| bounds.start);
        let time = |at: Tick| Value { ticks: at.0.abs_diff(origin.0), scale };
        let at = |edge: Option<&Edge>| time(edge.map_or(origin, |edge| edge.at()));
        let (start, end) = (at(edges.first()), at(edges.last()));
        let name = JsonString(Text::plain(name.as_bytes()));
        write!(
            self.out,
            "\n{{\"type\":\"evented\",\"name\":{name},\"unit\":\"{unit}\",\
             \"startValue\":{start},\"endValue\":{end},\"events\":["
        )?;
        // The call frames of the open slices. The slice that ends is always the innermost one.
        let mut open = Vec::new();
        for (index, edge) in edges.iter().enumerate() {
            let (kind, frame) = match *edge {
                Edge::Begin(id, at) => {
                    let is_rounded = |at| time(at).is_rounded();
                    let end = self.trace.slice(id).map_or(at, |slice| slice.end);
                    let frame = self.frame(id, is_rounded(at) || is_rounded(end));
                    self.report.add(Loss::Time, usize::from(time(at).float() == f64::MAX));
                    open.push(frame);
                    ("O", frame)
                }
                Edge::End(..) => ("C", open.pop().unwrap_or_default()),
            };
            let comma = if index > 0 { "," } else { "" };
            write!(self.out, "{comma}{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{}}}", time(edge.at()))?;
        }
        write!(self.out, "]}}")
    }

    /// Writes the samples of a thread as a profile.
    fn samples(&mut self, name: &str, profile: &Profile) -> io::Result<()> {
        let samples = self.trace.samples_of(profile);
        #[expect(clippy::cast_possible_truncation, reason = "float to integer casts saturate")]
        let whole = |sample: &Sample| Ticks(sample.weight.max(0.0).round() as i64);
        let (unit, widths): (_, Vec<Ticks>) = match profile.weights {
            Weights::Counted(unit) => (unit, samples.iter().map(whole).collect()),
            _ => {
                let spans = self.trace.sample_spans(profile);
                (self.trace.clock().unit, spans.map(|span| span.end - span.start).collect())
            }
        };
        let (unit, scale) = unit_of(unit);
        let value = |ticks: Ticks| Value { ticks: u64::try_from(ticks.0).unwrap_or(0), scale };
        for &width in &widths {
            self.report.add(Loss::Time, usize::from(value(width).float() == f64::MAX));
            self.report.add_lost_parts(LostParts::TIME.only_if(value(width).is_rounded()));
        }
        let (name, end) = (JsonString(Text::plain(name.as_bytes())), value(widths.iter().copied().sum()));
        write!(
            self.out,
            "\n{{\"type\":\"sampled\",\"name\":{name},\"unit\":\"{unit}\",\
             \"startValue\":0.0,\"endValue\":{end},\"samples\":["
        )?;
        let mut stack = Vec::new();
        for (index, sample) in samples.iter().enumerate() {
            let trace = self.trace;
            stack.clear();
            let callers = iter::successors(sample.frame(), |&frame| trace.frame(frame)?.parent);
            let mut frames = callers.filter_map(|frame| trace.frame(frame));
            stack.extend(frames.by_ref().take(CallTree::MAX_FOLDED_DEPTH as usize).map(Function::of_frame));
            let mut is_whole = frames.next().is_none();
            if stack.len() > StackRoom::FEW_FUNCTIONS && !self.room.take(FRAME_BYTES * stack.len()) {
                stack.truncate(StackRoom::FEW_FUNCTIONS);
                is_whole = false;
            }
            self.report.add(Loss::DeepStack, usize::from(!is_whole));
            self.out.write_all(if index > 0 { b",[" } else { b"[" })?;
            for (depth, &function) in stack.iter().rev().enumerate() {
                write!(self.out, "{}{}", if depth > 0 { "," } else { "" }, self.frames.add(function))?;
            }
            self.out.write_all(b"]")?;
        }
        write!(self.out, "],\"weights\":[")?;
        for (index, &width) in widths.iter().enumerate() {
            write!(self.out, "{}{}", if index > 0 { "," } else { "" }, value(width))?;
        }
        write!(self.out, "]}}")
    }

    /// Returns the number of the call frame of a slice, and counts the parts of the slice that are lost.
    fn frame(&mut self, id: SliceId, is_rounded: bool) -> u32 {
        let Some(slice) = self.trace.slice(id) else { return 0 };
        let lost = LostParts::CATEGORY
            .only_if(!slice.category.is_empty())
            .with(LostParts::TIME.only_if(is_rounded))
            .with(LostParts::ARGUMENTS.only_if(!self.trace.slice_args(id).is_none()));
        self.report.add_lost_parts(lost);
        self.frames.add(self.trace.function_of(id).unwrap_or(Function::named(slice.name)))
    }
}

/// Returns the name of a unit in the file, and how many of that a tick is.
fn unit_of(unit: Unit) -> (&'static str, f64) {
    // Speedscope knows units of time, "bytes" and "none", which suits a clock that counts anything else.
    match unit {
        Unit::Nanoseconds(scale) => ("nanoseconds", scale),
        Unit::Bytes => ("bytes", 1.0),
        _ => ("none", 1.0),
    }
}

/// A time or a duration of so many ticks in the unit of a file, of which each is `scale`.
#[derive(Debug, Clone, Copy)]
struct Value {
    ticks: u64,
    scale: f64,
}

impl Value {
    /// Returns the nearest float. JSON has no infinity, so the largest number stands for all above.
    #[allow(clippy::cast_precision_loss, reason = "the nearest float")]
    fn float(self) -> f64 {
        (self.ticks as f64 * self.scale).min(f64::MAX)
    }

    /// Returns whether the number in the file may be more than half a nanosecond away.
    fn is_rounded(self) -> bool {
        const WHOLE: f64 = (1_u64 << 53) as f64;
        self.scale != 1.0 && self.float() > WHOLE
    }
}

/// Writes all digits of a whole number of units, and the nearest float of any other.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scale == 1.0 {
            true => write!(f, "{}.0", self.ticks),
            false => write!(f, "{:?}", self.float()),
        }
    }
}

/// Writes a call frame.
fn write_frame(out: &mut impl Write, trace: &Trace, function: &Function) -> io::Result<()> {
    write!(out, "{{\"name\":{}", JsonString(Text::plain(trace.names().bytes(function.name))))?;
    write_source(out, trace, function, "col")?;
    write!(out, "}}")
}

/// Writes where a function stands, as further members of an object.
pub(super) fn write_source(
    out: &mut impl Write,
    trace: &Trace,
    function: &Function,
    column: &str,
) -> io::Result<()> {
    let Some(source) = function.source else { return Ok(()) };
    if !source.url.is_empty() {
        write!(out, ",\"file\":{}", JsonString(Text::plain(trace.names().bytes(source.url))))?;
    }
    // Lines and columns count from 0 in a trace and from 1 in the file.
    for (key, number) in [("line", source.line), (column, source.column)] {
        if let Some(number) = number {
            write!(out, ",\"{key}\":{}", u64::from(number) + 1)?;
        }
    }
    Ok(())
}
