//! The parser, which finds samples.

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{
    ArgsBuilder, ByteRange, Clock, DiagnosticKind, Event, Id, LendingParser, MetaEvent, NameId, Names,
    ProfileId, Progress, Receiver, SampleEvent, SampleStack, Text, Unit, UnitName, Value,
};

use super::frame::{FrameLine, SourceLine, address};
use super::header::Header;
use super::lines::Lines;
use super::profiles::{self, Profiles, ThreadIds, thread};
use super::stacks::{Node, ROOT, Stacks};
use crate::FormatError;

/// A parser of the text that `perf script` prints. It takes input in pieces of any size, and a call reads one sample.
/// [profiles 4](spall_model::rules::profiles#4)
///
/// The periods of profiles are handed over at the end of the file, because they are medians over all samples. At the end,
/// the last sample is complete without an empty line.
///
/// # Damage
/// The parser steps over every fault, so it never returns an error.
///
/// | diagnostic | fault | effect |
/// |---|---|---|
/// | `Junk` | a line that is neither the head of a sample, nor a frame, nor its place in the source | left out |
/// | `LostPackets` | a record of events that were lost | left out, and the fact `lost_events` has their sum |
/// | `NotRead` | another record that is no sample | left out |
/// | `TrackLimit` | a sample of a thread or an event that is one of too many in a file of this size | left out |
/// | `StackLimit` | a stack for which there are too many different ones in a file of this size | its innermost functions are left out |
/// | `MissingTime` | a sample without a time in a file with times | left out |
/// | `TimeOutOfRange` | a time beyond `i64` | clamped |
///
/// # Memory
/// The parser keeps the names, the call frames and the threads of the file, and up to 16 bytes for each sample.
#[derive(Debug, Default)]
pub struct Parser {
    offset: u64,
    /// Whether samples have times; `None` before the first sample.
    has_times: Option<bool>,
    /// Whether the header says that times are those of the machine's monotonic clock.
    is_monotonic: bool,
    texts: Names,
    stacks: Stacks,
    profiles: Profiles,
    /// The names of threads.
    comms: HashMap<ThreadIds, NameId, RandomState>,
    args: ArgsBuilder<'static>,
    scan: Scan,
    lines: Lines,
    /// The number of events that were lost while perf recorded.
    n_lost: u64,
    is_over: bool,
}

/// How far the end of the sample at the start of the data was looked for.
#[derive(Debug, Default)]
struct Scan {
    /// The end of the first line, if the lines of frames follow.
    head: Option<usize>,
    /// The ends of the lines that follow.
    lines: Vec<usize>,
    /// The number of bytes in which there is no further end of a line.
    searched: usize,
}

impl Scan {
    /// Returns the end of the line that begins at `start`, its line feed included, or `None` if it has not arrived.
    fn line_end(&mut self, data: &[u8], start: usize, eof: bool) -> Option<usize> {
        let from = start.max(self.searched);
        let found = memchr::memchr(b'\n', data.get(from..).unwrap_or_default());
        if found.is_none() {
            self.searched = data.len();
        }
        found.map(|at| from + at + 1).or(eof.then_some(data.len()))
    }

    /// Returns the end of the sample whose first line ends at `head`, or `None` if it has not arrived.
    fn sample_end(&mut self, data: &[u8], head: usize, eof: bool) -> Option<usize> {
        loop {
            let start = self.lines.last().copied().unwrap_or(head);
            if eof && start == data.len() {
                return Some(start);
            }
            let end = self.line_end(data, start, eof)?;
            let line = data.get(start..end).unwrap_or_default();
            match line.trim_ascii_start().first() {
                None => return Some(end),
                _ if begins_sample(line) => return Some(start),
                Some(_) => self.lines.push(end),
            }
        }
    }

    /// Forgets the sample.
    fn clear(&mut self) {
        self.lines.clear();
        (self.head, self.searched) = (None, 0);
    }
}

/// Returns whether a line between frames begins the next sample, as it does where samples have no frames.
#[inline]
fn begins_sample(line: &[u8]) -> bool {
    !matches!(line, [b'\t' | b'#', ..])
        && !FrameLine::of(line).is_some_and(|frame| frame.is_certain())
        && Header::of(line).is_some_and(|head| head.is_certain())
}

impl Parser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bytes of the file between two positions in the data.
    fn bytes(&self, start: usize, end: usize) -> ByteRange {
        ByteRange::new(self.offset + start as u64, self.offset + end as u64)
    }

    /// Reads the line at the start of the data. Returns it if it is the head of lines of frames.
    fn first_line<'d>(&mut self, line: &'d [u8], to: &mut impl for<'e> Receiver<'e>) -> Option<Header<'d>> {
        let bytes = self.bytes(0, line.len());
        match line.trim_ascii_start() {
            [] => {}
            [b'#', text @ ..] => {
                self.is_monotonic |= text.trim_ascii_start().starts_with(b"clockid: monotonic");
                comment(text, bytes, to);
            }
            _ => match Header::of(line) {
                None => to.receive(&Event::Diagnostic(DiagnosticKind::Junk), bytes),
                Some(head) if head.record().is_some() => {
                    let kind = match head.n_lost() {
                        Some(lost) => {
                            self.n_lost = self.n_lost.saturating_add(lost);
                            DiagnosticKind::LostPackets
                        }
                        None => DiagnosticKind::NotRead,
                    };
                    to.receive(&Event::Diagnostic(kind), bytes);
                }
                Some(head) if !head.has_frame() => return Some(head),
                Some(head) => self.sample(&head, line, line.len(), to),
            },
        }
        None
    }

    /// Hands over a sample, with the events that it needs.
    fn sample(&mut self, head: &Header<'_>, data: &[u8], end: usize, to: &mut impl for<'e> Receiver<'e>) {
        let bytes = self.bytes(0, end);
        let monotonic_ns = self.is_monotonic.then_some(0);
        let has_times = *self.has_times.get_or_insert_with(|| {
            let clock = Clock::new(unit(head)).with_monotonic_ns(monotonic_ns);
            to.receive(&Event::Clock(clock), ByteRange::default());
            head.at.is_some()
        });
        let at = head.at.filter(|_| has_times);
        if at.is_none() && has_times {
            return to.receive(&Event::Diagnostic(DiagnosticKind::MissingTime), bytes);
        }
        let at = at.map(|at| {
            i64::try_from(at).unwrap_or_else(|_| {
                to.receive(&Event::Diagnostic(DiagnosticKind::TimeOutOfRange), bytes);
                i64::MAX
            })
        });
        let ids = (head.pid, head.tid);
        let weight = head.period.unwrap_or(1);
        let event = self.texts.intern_bytes(head.event);
        let comm = self.texts.intern_bytes(head.comm);
        let Some(place) = self.profiles.add((ids, event), comm, at, weight, bytes.end) else {
            return to.receive(&Event::Diagnostic(DiagnosticKind::TrackLimit), bytes);
        };
        if !place.fits {
            to.receive(&Event::Diagnostic(DiagnosticKind::TimeOutOfRange), bytes);
        }
        let thread = thread(ids);
        if self.comms.insert(ids, comm) != Some(comm) {
            let name = Text::plain(head.comm);
            to.receive(&Event::ThreadName(thread, name), bytes);
            if thread.pid == thread.tid {
                to.receive(&Event::ProcessName(thread.pid, name), bytes);
            }
        }
        let is_java = head.comm.starts_with(b"java");
        let alone = FrameLine::of(head.rest).filter(FrameLine::is_certain);
        let (node, innermost) = match alone {
            Some(frame) => (self.frame(ROOT, &frame, is_java, bytes, to).0, head.rest),
            None => {
                let first = self.scan.head.zip(self.scan.lines.first());
                let line = first.and_then(|(start, &end)| data.get(start..end));
                (self.frames(is_java, data, end, to), line.unwrap_or_default())
            }
        };
        let stack = if node == ROOT { SampleStack::Unknown } else { SampleStack::Frame(Id::from(node)) };
        let mut sample =
            SampleEvent::new(ProfileId::OfThread(thread, Text::plain(head.event)), place.at, stack);
        #[allow(clippy::cast_precision_loss, reason = "a weight is a float")]
        (sample.weight = weight as f64);
        self.args.clear();
        if place.is_renamed {
            self.args.add("command", Text::plain(head.comm));
        }
        if let Some(cpu) = head.cpu {
            self.args.add("cpu", cpu);
        }
        if let Some(address) = address(innermost) {
            self.args.add("address", address);
        }
        if !head.rest.is_empty() && alone.is_none() {
            self.args.add("fields", Text::plain(head.rest));
        }
        sample.args = self.args.args();
        to.receive(&Event::Sample(sample), bytes);
    }

    /// Hands over the frames of the lines that were found, which are innermost first. Returns the innermost one.
    fn frames(&mut self, is_java: bool, data: &[u8], end: usize, to: &mut impl for<'e> Receiver<'e>) -> Node {
        let bytes = self.bytes(0, end);
        let lines = core::mem::take(&mut self.scan.lines);
        let mut node = ROOT;
        // The place in the source that stands behind the line of its frame, and the bytes of that line.
        let mut source: Option<(SourceLine<'_>, (usize, usize))> = None;
        for (at, &end) in lines.iter().enumerate().rev() {
            let before = at.checked_sub(1).and_then(|before| lines.get(before)).copied();
            let start = before.or(self.scan.head).unwrap_or(0);
            let line = data.get(start..end).unwrap_or_default();
            let with_source = match source {
                Some((_, (_, end))) => data.get(start..end).unwrap_or_default(),
                None => line,
            };
            if let Some(known) = self.lines.get((node, is_java), with_source) {
                (node, source) = (known, None);
                continue;
            }
            if line.starts_with(b"#") {
                continue;
            }
            // The number of a discriminator stands in brackets, as a library does.
            if let Some(found) = SourceLine::of(line) {
                if let Some((_, (start, end))) = source.replace((found, (start, end))) {
                    to.receive(&Event::Diagnostic(DiagnosticKind::Junk), self.bytes(start, end));
                }
                continue;
            }
            let Some(frame) = FrameLine::of(line) else {
                to.receive(&Event::Diagnostic(DiagnosticKind::Junk), self.bytes(start, end));
                continue;
            };
            let caller = node;
            let place = source.take().map_or(SourceLine::UNKNOWN, |(place, _)| place);
            let is_whole;
            (node, is_whole) = self.frame(node, &FrameLine { source: place, ..frame }, is_java, bytes, to);
            if !is_whole {
                break;
            }
            if node != caller {
                self.lines.insert((caller, is_java), with_source, node);
            }
        }
        if let Some((_, (start, end))) = source {
            to.receive(&Event::Diagnostic(DiagnosticKind::Junk), self.bytes(start, end));
        }
        self.scan.lines = lines;
        node
    }

    /// Hands over the frames of a line, unless they are known. Returns the innermost one, and whether all are there.
    #[inline]
    fn frame(
        &mut self,
        caller: Node,
        line: &FrameLine<'_>,
        is_java: bool,
        bytes: ByteRange,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> (Node, bool) {
        let (read, texts) = (bytes.end, &mut self.texts);
        let (node, is_whole) =
            self.stacks.call(caller, line, is_java, read, texts, |frame| to.receive(frame, bytes));
        if !is_whole {
            to.receive(&Event::Diagnostic(DiagnosticKind::StackLimit), bytes);
        }
        (node, is_whole)
    }

    /// Reads the next sample, or a line that is none.
    fn read(&mut self, data: &[u8], eof: bool, to: &mut impl for<'e> Receiver<'e>) -> Progress {
        if self.is_over {
            return Progress::End;
        }
        if data.is_empty() && eof {
            self.is_over = true;
            let bytes = self.bytes(0, 0);
            self.profiles.finish(&self.texts, |event| to.receive(event, bytes));
            if self.n_lost > 0 {
                let lost = MetaEvent::new(Text::plain(b"lost_events"), Value::U64(self.n_lost));
                to.receive(&Event::Meta(lost), bytes);
            }
            return Progress::End;
        }
        let Some(line_end) = self.scan.head.or_else(|| self.scan.line_end(data, 0, eof)) else {
            return Progress::NeedMore(1);
        };
        let line = data.get(..line_end).unwrap_or_default();
        let is_new = self.scan.head.is_none();
        let head = if is_new { self.first_line(line, to) } else { None };
        let mut end = line_end;
        if head.is_some() || !is_new {
            self.scan.head = Some(line_end);
            let Some(found) = self.scan.sample_end(data, line_end, eof) else { return Progress::NeedMore(1) };
            // The line was read before the end of the sample had arrived.
            if let Some(head) = head.or_else(|| Header::of(line)) {
                self.sample(&head, data, found, to);
            }
            end = found;
        }
        self.scan.clear();
        self.offset += end as u64;
        Progress::Read(end)
    }
}

/// Returns the unit of a file that begins with this sample. Without times, samples are as wide as their weights.
fn unit(head: &Header<'_>) -> Unit {
    match head.period {
        _ if head.at.is_some() => Unit::Nanoseconds(1.0),
        Some(_) => profiles::unit(head.event),
        None => Unit::Count(UnitName::new("samples")),
    }
}

/// Hands over a comment `key : value`, which is about the recording.
fn comment(text: &[u8], bytes: ByteRange, to: &mut impl for<'e> Receiver<'e>) {
    let colon = memchr::memchr(b':', text).unwrap_or(text.len());
    let (key, value) = text.split_at_checked(colon).unwrap_or_default();
    let value = value.get(1..).unwrap_or_default().trim_ascii();
    if !value.is_empty() {
        let value = Value::Text(Text::plain(value));
        to.receive(&Event::Meta(MetaEvent::new(Text::plain(key.trim_ascii()), value)), bytes);
    }
}

impl LendingParser for Parser {
    type Error = FormatError;

    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        Ok(self.read(data, eof, to))
    }
}
