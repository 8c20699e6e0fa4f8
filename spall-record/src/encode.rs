//! Records as bytes of a file.

use alloc::format;
use alloc::vec::Vec;
use std::io;
use std::path::Path;

use spall_format::spall::{BufferWriter, Full, Header, Version};
use spall_model::{ArgsBuilder, SourceLocation};

use crate::facts::Facts;
use crate::gap::Cause;
#[cfg(feature = "json")]
use crate::json::JsonEncoder;
use crate::record::{Kind, Record, Records};
use crate::short_text::ShortText;
use crate::sink::{Encoded, Scratch};
use crate::site::{self, SiteTable};
use crate::values;

/// The format of a recording. `Json` needs the feature `json`.
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
    #[cfg(feature = "json")]
    Json,
}

impl Encoding {
    /// Returns the format of a file: the one that its ending names, `.json` or `.spall`, or else this one.
    ///
    /// # Errors
    /// This returns [`io::ErrorKind::Unsupported`] if the file is to be JSON, without the feature for it.
    pub(crate) fn of_file(self, path: &Path) -> io::Result<Self> {
        let ends_with = |ending| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
        if ends_with("json") {
            #[cfg(feature = "json")]
            return Ok(Self::Json);
            #[cfg(not(feature = "json"))]
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "recording JSON needs the feature `json` of spall-record",
            ));
        }
        Ok(if ends_with("spall") { Self::Spall } else { self })
    }
}

/// The writer of one file.
pub(crate) struct Encoder {
    format: FormatWriter,
    /// The number of sites of which the file has the place in the source.
    n_sites: u32,
}

enum FormatWriter {
    Spall,
    #[cfg(feature = "json")]
    Json(JsonEncoder),
}

impl Encoder {
    pub(crate) fn new(encoding: Encoding) -> Self {
        let format = match encoding {
            Encoding::Spall => FormatWriter::Spall,
            #[cfg(feature = "json")]
            Encoding::Json => FormatWriter::Json(JsonEncoder::new()),
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
                own_spall(pid, |buffer| {
                    texts.iter().try_for_each(|text| buffer.fact(SourceLocation::KEY, text))
                })
            }
            #[cfg(feature = "json")]
            FormatWriter::Json(json) => json.source_locations(pid, locations),
        }
    }

    /// Returns the beginning of the file.
    pub(crate) fn head(&mut self, facts: &Facts) -> Vec<u8> {
        let program = std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
        let mut head = match &mut self.format {
            FormatWriter::Spall => {
                let times = [("unix_ns", facts.epoch_ns), ("monotonic_ns", facts.monotonic_ns)];
                let facts_of_file = own_spall(facts.pid, |buffer| {
                    let mut known = times.iter().filter_map(|&(key, time)| Some((key, time?)));
                    known.try_for_each(|(key, time)| buffer.fact(key, format!("{time}")))?;
                    program.iter().try_for_each(|path| buffer.fact("program", path))
                });
                let header = Header::new(Version::V3, facts.clock.ns_per_tick()).to_bytes();
                [&header[..], &facts_of_file].concat()
            }
            #[cfg(feature = "json")]
            FormatWriter::Json(json) => json.head(facts, program.as_deref()),
        };
        head.extend(self.process_name(facts));
        head
    }

    /// Returns the name of the process.
    fn process_name(&mut self, facts: &Facts) -> Vec<u8> {
        let name = &facts.process_name;
        match &mut self.format {
            FormatWriter::Spall => own_spall(facts.pid, |buffer| buffer.process_name(name)),
            #[cfg(feature = "json")]
            FormatWriter::Json(json) => json.process_name(facts.pid, name),
        }
    }

    /// Puts the name of a thread and a batch of its records into `scratch.encoded`.
    pub(crate) fn batch(
        &mut self,
        pid: u32,
        tid: u32,
        name: Option<&str>,
        words: &[u64],
        scratch: &mut Scratch,
    ) -> Counts {
        let name = name.filter(|name| !name.is_empty());
        match &mut self.format {
            FormatWriter::Spall => spall_batch(pid, tid, name, words, scratch),
            #[cfg(feature = "json")]
            FormatWriter::Json(json) => {
                let (bytes, n_events) = json.batch(pid, tid, name, words, &mut scratch.sites);
                scratch.encoded.set(bytes);
                Counts { n_events, n_left_out: 0 }
            }
        }
    }

    /// Returns the end of the file, which also tells how many events are left out.
    pub(crate) fn tail(self, facts: &Facts, n_left_out: u64) -> Vec<u8> {
        match self.format {
            FormatWriter::Spall if n_left_out > 0 => {
                let now = facts.clock.now();
                let args = format!("{n_left_out} events that the format cannot hold");
                own_spall(facts.pid, |buffer| {
                    buffer.thread_name("recorder")?;
                    buffer.begin_with_args(now, "left out", &args)?;
                    buffer.end(now)
                })
            }
            FormatWriter::Spall => Vec::new(),
            #[cfg(feature = "json")]
            FormatWriter::Json(json) => json.tail(),
        }
    }
}

/// Returns a buffer that `write` fills with what the recorder itself has to tell. It is on a thread of its own, the last
/// one in a list.
fn own_spall(pid: u32, write: impl FnMut(&mut BufferWriter<&mut [u8]>) -> Result<(), Full>) -> Vec<u8> {
    let mut encoded = Encoded::default();
    spall(pid, u32::MAX, 0, &mut encoded, write);
    encoded.bytes().to_vec()
}

/// What became of the events of a batch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// The events that are in the encoded batch.
    pub(crate) n_events: u64,
    /// The events that the format cannot hold.
    pub(crate) n_left_out: u64,
}

/// Puts the name of a thread and its records into `scratch.encoded`, as one buffer of spall v3. [spall A.5](spall_format::rules::spall#A.5)
pub(crate) fn spall_batch(
    pid: u32,
    tid: u32,
    name: Option<&str>,
    words: &[u64],
    scratch: &mut Scratch,
) -> Counts {
    let mut counts = Counts::default();
    let Scratch { encoded, sites } = scratch;
    let mut args = ShortText::new();
    spall(pid, tid, words.len(), encoded, |buffer| {
        counts = Counts::default();
        name.iter().try_for_each(|name| buffer.thread_name(name))?;
        Records(words).try_for_each(|record| spall_record(buffer, &record, sites, &mut args, &mut counts))
    });
    counts
}

#[inline]
fn spall_record(
    buffer: &mut BufferWriter<&mut [u8]>,
    record: &Record<'_>,
    sites: &mut SiteTable,
    args: &mut ShortText,
    counts: &mut Counts,
) -> Result<(), Full> {
    counts.n_events += 1;
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
                (None, None) => {
                    args.of(format_args!("{}", record.args(&[], &mut ArgsBuilder::in_buffer(&mut []))))
                }
            };
            buffer.begin_with_args(record.ticks, record.name(sites), args)
        }
        Kind::End | Kind::EndWith => buffer.end(record.ticks),
        Kind::ThreadName => buffer.thread_name(record.name(sites)),
        Kind::Lost => {
            counts.n_events -= 1;
            let [n_events, _] = record.numbers();
            let cause = Cause::of(record.flags()).text();
            let args = args.of(format_args!("{n_events} {cause}"));
            // If the end finds no room, everything is written again.
            buffer.begin_with_args(record.ticks, "lost events", args)?;
            buffer.end(record.ticks)
        }
        Kind::Instant | Kind::Counter | Kind::SpanBegin | Kind::SpanEnd | Kind::FlowStart | Kind::FlowEnd => {
            counts.n_events -= 1;
            counts.n_left_out += 1;
            Ok(())
        }
    }
}

/// Puts into `encoded` a buffer that `write` fills, for a number of words or for what the recorder itself tells. If there
/// is no room, this calls `write` again with more.
#[inline]
fn spall(
    pid: u32,
    tid: u32,
    n_words: usize,
    encoded: &mut Encoded,
    mut write: impl FnMut(&mut BufferWriter<&mut [u8]>) -> Result<(), Full>,
) {
    // A begin takes two words, and 11 bytes with a name. A thread that records little must not need much memory: thousands
    // may end at once.
    let n_bytes = (16 * n_words).max(1024);
    if encoded.memory.len() < n_bytes {
        encoded.memory.resize(n_bytes.next_power_of_two(), 0);
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
