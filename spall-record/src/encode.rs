//! Records as bytes of a file.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use std::io;
use std::path::Path;

use spall_format::spall::{BufferWriter, Full, Header, Version};
use spall_json::JsonFileWriter;
use spall_model::{ArgsBuilder, Clock, Event, Id, MetaEvent, SourceLocation, Text, Thread, Unit, Value};

use crate::event;
use crate::facts::Facts;
use crate::gap::Cause;
use crate::record::{Kind, Record, Records};
use crate::short_text::ShortText;
use crate::sink::{Encoded, Scratch};
use crate::site::{self, SiteTable};
use crate::values;

/// The format of a recording.
///
/// | | `Spall` | `Json` |
/// |---|---|---|
/// | slices, names of processes and threads | yes | yes |
/// | arguments | as text of up to 255 bytes | with keys and types |
/// | instants, counters, async spans, flows, categories | counted, but left out | yes |
/// | bytes for a slice with a name of 9 letters | 29 | about 110 |
/// | time to record a slice | some 15 ns and two readings of the clock | some 400 ns |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// Spall version 3, the default.
    #[default]
    Spall,
    /// Trace Event JSON, which Chrome and Perfetto also read.
    Json,
}

impl Encoding {
    /// Returns the format of a file: the one that its ending names, `.json` or `.spall`, or else this one.
    pub(crate) fn of_file(self, path: &Path) -> Self {
        let ends_with = |ending| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
        if ends_with("json") {
            Self::Json
        } else if ends_with("spall") {
            Self::Spall
        } else {
            self
        }
    }
}

/// The bytes that are used for a batch at first.
const FIRST_SIZE: usize = 128 * 1024;

/// The writer of one file.
pub(crate) struct Encoder {
    format: FormatWriter,
    /// The number of sites of which the file has the place in the source.
    n_sites: u32,
}

enum FormatWriter {
    Spall,
    Json(Box<JsonFileWriter<Vec<u8>>>),
}

impl Encoder {
    pub(crate) fn new(encoding: Encoding) -> Self {
        let format = match encoding {
            Encoding::Spall => FormatWriter::Spall,
            Encoding::Json => FormatWriter::Json(Box::new(JsonFileWriter::new(Vec::new()))),
        };
        Self { format, n_sites: 0 }
    }

    /// Returns whether the file is in the format of spall.
    pub(crate) fn is_spall(&self) -> bool {
        matches!(self.format, FormatWriter::Spall)
    }

    /// Returns the places in the source of sites of which the file does not have them; empty if there are none.
    pub(crate) fn source_locations(&mut self, pid: u32, sites: &mut SiteTable) -> Vec<u8> {
        let n_sites = site::count();
        if n_sites == self.n_sites {
            return Vec::new();
        }
        let new = self.n_sites + 1..=n_sites;
        self.n_sites = n_sites;
        let locations = new.filter_map(|number| sites.get(number).location());
        match &mut self.format {
            FormatWriter::Spall => {
                let texts: Vec<_> = locations.map(|location| format!("{location}")).collect();
                let mut encoded = Encoded::default();
                spall(pid, OWN_THREAD, &mut encoded, |buffer| {
                    texts.iter().try_for_each(|text| buffer.fact(SourceLocation::KEY, text))
                });
                encoded.bytes().to_vec()
            }
            FormatWriter::Json(writer) => {
                let thread = Thread { pid: Id::from(pid), tid: Id::NONE };
                for SourceLocation { name, function, file, line, .. } in locations {
                    let mut args = ArgsBuilder::new();
                    args.add("name", &*name).add("function_name", &*function);
                    args.add("file_name", &*file).add("line_number", line);
                    let value = Value::Map(args.args());
                    let meta = MetaEvent::new(Text::from(SourceLocation::KEY), value);
                    keep(writer.write_event(&Event::Meta(meta.with_thread(thread))));
                }
                taken(writer)
            }
        }
    }

    /// Returns the beginning of the file.
    pub(crate) fn head(&mut self, facts: &Facts) -> Vec<u8> {
        let program = std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
        let mut head = match &mut self.format {
            FormatWriter::Spall => {
                let mut encoded = Encoded::default();
                let times = [("unix_ns", facts.epoch_ns), ("monotonic_ns", facts.monotonic_ns)];
                spall(facts.pid, OWN_THREAD, &mut encoded, |buffer| {
                    let mut known = times.iter().filter_map(|&(key, time)| Some((key, time?)));
                    known.try_for_each(|(key, time)| buffer.fact(key, format!("{time}")))?;
                    program.iter().try_for_each(|path| buffer.fact("program", path))
                });
                let header = Header::new(Version::V3, facts.clock.ns_per_tick()).to_bytes();
                [&header, encoded.bytes()].concat()
            }
            FormatWriter::Json(writer) => {
                keep(
                    writer
                        .write_event(&Event::Clock(Clock::new(Unit::Nanoseconds(facts.clock.ns_per_tick())))),
                );
                let times = [
                    ("baseTimeNanoseconds", facts.epoch_ns),
                    ("baseMonotonicNanoseconds", facts.monotonic_ns),
                ];
                // In front of the events, so that a file without an end has them.
                let times = times.into_iter().filter_map(|(key, time)| Some((key, Value::I64(time?))));
                let program = program.iter().map(|path| ("program", Value::Text(Text::from(path.as_str()))));
                for (key, value) in times.chain(program) {
                    keep(writer.write_event(&Event::Meta(MetaEvent::new(Text::from(key), value))));
                }
                Vec::new()
            }
        };
        head.extend(self.process_name(facts));
        head
    }

    /// Returns the name of the process.
    pub(crate) fn process_name(&mut self, facts: &Facts) -> Vec<u8> {
        let name = facts.process_name();
        match &mut self.format {
            FormatWriter::Spall => {
                let mut encoded = Encoded::default();
                spall(facts.pid, OWN_THREAD, &mut encoded, |buffer| buffer.process_name(&name));
                encoded.bytes().to_vec()
            }
            FormatWriter::Json(writer) => {
                keep(writer.write_event(&Event::ProcessName(Id::from(facts.pid), Text::from(name.as_str()))));
                taken(writer)
            }
        }
    }

    /// Puts the name of a thread and a batch of its records into `scratch.encoded`. Returns how many events the format
    /// cannot hold.
    pub(crate) fn batch(
        &mut self,
        pid: u32,
        tid: u32,
        name: Option<&str>,
        words: &[u64],
        scratch: &mut Scratch,
    ) -> u64 {
        let writer = match &mut self.format {
            FormatWriter::Spall => return spall_batch(pid, tid, name, words, scratch),
            FormatWriter::Json(writer) => writer,
        };
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            keep(writer.write_event(&Event::ThreadName(Thread::new(pid, tid), Text::from(name))));
        }
        event::for_each(pid, tid, words, &mut scratch.sites, |event| keep(writer.write_event(event)));
        scratch.encoded.set(taken(writer));
        0
    }

    /// Returns the end of the file, which also tells how many events are left out.
    pub(crate) fn tail(self, facts: &Facts, n_left_out: u64) -> Vec<u8> {
        match self.format {
            FormatWriter::Spall if n_left_out > 0 => {
                let mut encoded = Encoded::default();
                let now = facts.clock.now();
                let args = format!("{n_left_out} events that the format cannot hold");
                spall(facts.pid, OWN_THREAD, &mut encoded, |buffer| {
                    buffer.thread_name("recorder")?;
                    buffer.begin_with_args(now, "left out", &args)?;
                    buffer.end(now)
                });
                encoded.bytes().to_vec()
            }
            FormatWriter::Spall => Vec::new(),
            FormatWriter::Json(writer) => writer.finish().unwrap_or_default(),
        }
    }
}

/// The thread of what the recorder itself has to tell, the last one in a list.
const OWN_THREAD: u32 = u32::MAX;

/// Writing to memory cannot fail, and JSON has a place for every event of a recording.
fn keep<T>(written: io::Result<T>) {
    let _ = written;
}

/// Returns what was written since the last time.
fn taken(writer: &mut JsonFileWriter<Vec<u8>>) -> Vec<u8> {
    // Completes the last event.
    keep(writer.flush());
    core::mem::take(writer.get_mut())
}

/// Puts the name of a thread and its records into `scratch.encoded`, as one buffer of spall v3. Returns how many events
/// the format cannot hold. [spall A.5](spall_format::rules::spall#A.5)
pub(crate) fn spall_batch(
    pid: u32,
    tid: u32,
    name: Option<&str>,
    words: &[u64],
    scratch: &mut Scratch,
) -> u64 {
    let mut n_left_out = 0;
    let Scratch { encoded, sites } = scratch;
    let mut args = ShortText::new();
    spall(pid, tid, encoded, |buffer| {
        n_left_out = 0;
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            buffer.thread_name(name)?;
        }
        Records(words).try_for_each(|record| spall_record(buffer, &record, sites, &mut args, &mut n_left_out))
    });
    n_left_out
}

#[inline]
fn spall_record(
    buffer: &mut BufferWriter<&mut [u8]>,
    record: &Record<'_>,
    sites: &mut SiteTable,
    args: &mut ShortText,
    n_left_out: &mut u64,
) -> Result<(), Full> {
    match record.kind {
        Kind::Begin if !record.has_args() => buffer.begin(record.ticks, record.name(sites)),
        Kind::Begin => {
            let args = match (record.plain_args(), record.values()) {
                (Some(text), _) => text,
                (None, Some(values)) => {
                    args.clear();
                    // The error says that there was more.
                    let _ = values::write(sites.get(record.site()).keys, values, args);
                    args.as_bytes()
                }
                (None, None) => args.of(format_args!("{}", record.args(&[], &mut ArgsBuilder::new()))),
            };
            buffer.begin_with_args(record.ticks, record.name(sites), args)
        }
        Kind::End | Kind::EndWith => buffer.end(record.ticks),
        Kind::ThreadName => buffer.thread_name(record.name(sites)),
        Kind::Lost => {
            let [n_events, _] = record.numbers();
            let cause = Cause::of(record.flags()).text();
            let args = args.of(format_args!("{n_events} {cause}"));
            // If the end finds no room, everything is written again.
            buffer.begin_with_args(record.ticks, "lost events", args)?;
            buffer.end(record.ticks)
        }
        Kind::Instant | Kind::Counter | Kind::SpanBegin | Kind::SpanEnd | Kind::FlowStart | Kind::FlowEnd => {
            *n_left_out += 1;
            Ok(())
        }
    }
}

/// Puts into `encoded` a buffer that `write` fills. If there is no room, this calls `write` again with more.
#[inline]
fn spall(
    pid: u32,
    tid: u32,
    encoded: &mut Encoded,
    mut write: impl FnMut(&mut BufferWriter<&mut [u8]>) -> Result<(), Full>,
) {
    if encoded.memory.len() < FIRST_SIZE {
        encoded.memory.resize(FIRST_SIZE, 0);
    }
    // A ring is far smaller than the largest buffer.
    while let Ok(mut buffer) = BufferWriter::new(&mut encoded.memory[..], pid, tid) {
        if write(&mut buffer).is_ok() {
            encoded.length = buffer.take().len();
            return;
        }
        encoded.memory.resize(2 * encoded.memory.len(), 0);
    }
    encoded.length = 0;
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = match self.format {
            FormatWriter::Spall => Encoding::Spall,
            FormatWriter::Json(_) => Encoding::Json,
        };
        f.debug_struct("Encoder").field("format", &format).field("n_sites", &self.n_sites).finish()
    }
}
