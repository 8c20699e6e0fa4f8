//! The reader of profiles of the Firefox Profiler, in both of its layouts. [profiles 2](crate::rules::profiles#2)
//!
//! One pass over the document finds its tables, and a second one reads their columns side by side.

mod counters;
mod markers;
mod processes;
mod stacks;
mod thread;

use alloc::vec::Vec;

use spall_model::{Args, Clock, DiagnosticKind, Event, Receiver, Text, Thread, Unit, Value};

use crate::args;
use crate::decimal::{Nanos, Rounded};
use crate::error::{JsonError, JsonErrorKind};
use crate::out::Out;
use crate::outline::{Outline, Part};
use crate::table::Cell;

use markers::Schemas;
use processes::Processes;
use stacks::Library;

/// The versions of the Gecko layout that are read, by `meta.version`. [profiles 2.1](crate::rules::profiles#2.1)
const GECKO: (u8, u8) = (24, 36);
/// The versions of the processed layout that are read, by `meta.preprocessedProfileVersion`.
const PROCESSED: (u8, u8) = (41, 70);

/// The objects and arrays that have what is read.
const LOOKED_INTO: [&[u8]; 19] = [
    b"profile",
    b"meta",
    b"sampleUnits",
    b"shared",
    b"processes",
    b"threads",
    b"samples",
    b"markers",
    b"stackTable",
    b"frameTable",
    b"funcTable",
    b"resourceTable",
    b"sources",
    b"schema",
    b"counters",
    b"sample_groups",
    b"sampleGroups",
    b"nativeAllocations",
    b"jsAllocations",
];

/// Reads a document.
pub(crate) fn read(data: &[u8], to: &mut impl for<'e> Receiver<'e>) -> Result<(), JsonError> {
    let unreadable = || JsonError::new(JsonErrorKind::NotJson, 0);
    let outline = Outline::new(data, &LOOKED_INTO).ok_or_else(unreadable)?;
    let root = outline.root();
    let root = root.get("profile").unwrap_or(root);
    let meta = root.get("meta").ok_or_else(|| JsonError::new(JsonErrorKind::NotATrace, 0))?;
    if !meta.is_complete() {
        Out::new(data, to).damage(outline.damage);
        return Ok(());
    }
    let is_gecko = check_version(meta)?;
    let [interval, start] = ["interval", "startTime"].map(|key| time(meta, key));
    let mut out = Out::new(data, to);
    if interval.is_some_and(|interval| interval.clamped) {
        out.report(DiagnosticKind::TimeOutOfRange, (meta.value(), meta.value()));
    }
    #[expect(clippy::cast_precision_loss, reason = "an interval is far below 2^53 nanoseconds")]
    let ticks = |interval: Rounded| interval.ns as f64;
    let mut reader = Reader {
        out,
        is_gecko,
        is_cut: outline.damage.is_some(),
        thousands: if meta.get("sampleUnits").is_some_and(|units| units.text("time").is(b"bytes")) {
            -1
        } else {
            1
        },
        interval: interval.filter(|interval| interval.ns > 0).map(ticks),
        start: start.map_or(0, |start| start.ns),
        shift: 0,
        libraries: Vec::new(),
        categories: Vec::new(),
        schemas: Schemas::default(),
        processes: Processes::default(),
        n_frames: 0,
        n_threads: 0,
    };
    reader.head(meta);
    let is_whole = reader.document(root);
    if !is_whole {
        reader.out.damage(outline.damage);
    }
    Ok(())
}

/// Returns whether the layout is Gecko's, or an error if its version is not read.
fn check_version(meta: Part<'_, '_>) -> Result<bool, JsonError> {
    let number =
        |key| meta.get(key).and_then(Part::token).map(|token| Cell { data: meta.data(), token }.index());
    let (version, range, is_gecko) = match number("preprocessedProfileVersion") {
        Some(version) => (version, PROCESSED, false),
        None => (number("version").flatten(), GECKO, true),
    };
    let version = version.and_then(|version| u16::try_from(version).ok()).unwrap_or(0);
    if (u16::from(range.0)..=u16::from(range.1)).contains(&version) {
        return Ok(is_gecko);
    }
    Err(JsonError::new(JsonErrorKind::FirefoxVersion { version, range }, 0))
}

/// Returns a time in nanoseconds that a member has in milliseconds.
fn time(part: Part<'_, '_>, key: &str) -> Option<Rounded> {
    let token = part.get(key)?.token()?;
    Cell { data: part.data(), token }.time(1).map(Nanos::round)
}

/// What is known while a document is read.
struct Reader<'a, 't, R> {
    out: Out<'a, 't, R>,
    is_gecko: bool,
    /// Whether the document is cut or damaged, so that members may be missing.
    is_cut: bool,
    /// The unit of times, as [`Nanos::from_any`] takes it.
    thousands: i32,
    /// The interval of sampling in ticks.
    interval: Option<f64>,
    /// The Unix time of tick 0 in nanoseconds.
    start: i64,
    /// The time of tick 0 by the clock of the process, negated.
    shift: i64,
    libraries: Vec<Library<'a>>,
    categories: Vec<Text<'a>>,
    schemas: Schemas<'a>,
    processes: Processes<'a>,
    /// The number of frames that other threads have.
    n_frames: i64,
    /// The number of threads so far.
    n_threads: u32,
}

impl<'a, R: for<'e> Receiver<'e>> Reader<'a, '_, R> {
    /// Hands over the clock and the facts of the file.
    fn head(&mut self, meta: Part<'_, 'a>) {
        let monotonic = meta.get("startTimeAsClockMonotonicNanosecondsSinceBoot").and_then(Part::token);
        let monotonic = monotonic.and_then(|token| crate::id::whole_number(token.bytes(self.out.data)));
        let unit = if self.thousands < 0 { Unit::Bytes } else { Unit::Nanoseconds(1.0) };
        let epoch = Clock::believable_epoch_ns(self.start);
        if epoch.is_none() && self.start != 0 {
            self.out.report(DiagnosticKind::BadEpoch, (meta.value(), meta.value()));
        }
        let clock = Clock::new(unit).with_epoch_ns(epoch).with_monotonic_ns(monotonic);
        self.out.event(&Event::Clock(clock), (meta.value(), meta.value()));
        self.out.facts(meta);
    }

    /// Reads the profile of a process, and those of the processes inside of it. Returns whether all of it was there.
    fn document(&mut self, root: Part<'_, 'a>) -> bool {
        let mut processes = Vec::from([root]);
        while let Some(process) = processes.pop() {
            if !self.process(process) {
                return false;
            }
            let Some(inner) = process.get("processes") else {
                if self.is_cut && !process.is_complete() {
                    return false;
                }
                continue;
            };
            let first = processes.len();
            processes.extend(inner.parts());
            if let Some(inner) = processes.get_mut(first..) {
                inner.reverse();
            }
        }
        true
    }

    /// Reads the threads and the counters of a process. Returns whether all of them were there.
    fn process(&mut self, process: Part<'_, 'a>) -> bool {
        if let Some(meta) = process.get("meta") {
            let start = time(meta, "startTime").unwrap_or(Rounded { ns: self.start, clamped: false });
            let shift = start.plus(self.start.saturating_neg());
            if shift.clamped {
                self.out.report(DiagnosticKind::TimeOutOfRange, (meta.value(), meta.value()));
            }
            self.shift = shift.ns;
            self.categories = list(meta, "categories").map(|category| text(category, b"name")).collect();
            self.schemas = Schemas::new(list(meta, "markerSchema"));
        }
        let is_here = |key| process.get(key).map_or(!self.is_cut || process.is_complete(), Part::is_complete);
        let Some(threads) = process.get("threads") else { return is_here("threads") };
        // The names of functions and libraries may be behind the damage.
        if !is_here("libs") || !self.is_gecko && !is_here("shared") && self.is_cut {
            return false;
        }
        self.libraries = stacks::libraries(list(process, "libs"), self.is_gecko);
        let mut shared = process.get("shared").map(|shared| self.stacks(shared, None));
        let mut first = None;
        for thread in threads.parts() {
            if !thread.is_complete() {
                return false;
            }
            let thread = self.thread(thread, process.get("shared"), shared.as_mut());
            first = first.or(Some(thread));
        }
        if let Some(counters) = process.get("counters") {
            for counter in counters.parts() {
                if !counter.is_complete() {
                    return false;
                }
                self.counter(counter, first.map_or(Thread::new(0, 0), |thread| thread));
            }
        }
        ["threads", "counters"]
            .into_iter()
            .all(|key| process.get(key).map_or(!self.is_cut || process.is_complete(), Part::is_complete))
    }
}

/// Returns the objects in the list that a member is.
fn list<'a>(part: Part<'_, 'a>, key: &str) -> impl Iterator<Item = Args<'a>> {
    let list = part.get(key).and_then(Part::token).map(|token| args::value(part.data(), token));
    let list = if let Some(Value::List(list)) = list { list } else { Args::NONE };
    list.iter().filter_map(|(_, item)| if let Value::Map(item) = item { Some(item) } else { None })
}

/// Returns a text of an object.
fn text<'a>(object: Args<'a>, key: &[u8]) -> Text<'a> {
    if let Some(Value::Text(text)) = object.get(key) { text } else { Text::EMPTY }
}
