//! The reader of V8 CPU profiles, in all the forms that Chrome and Node have written. [cpu 1](crate::rules::cpu#1)
//!
//! A profile, or a part of one, is one record of the file from which many events are read. Its arrays are read side by
//! side: the n-th sample, its time and its line are in three of them. A [`ProfileCursor`] holds the position in each,
//! so that nothing is allocated, and every byte of the record is looked at a fixed number of times, whatever the number
//! of events.

mod hits;
mod nodes;
mod samples;

use spall_model::{DiagnosticKind, Event, Id, ProfileEvent, ProfileKey, ProfileStart, Thread, Tick, Ticks};

use crate::id;
use crate::lexer::{self, KeyToken, Member, Token, TokenError, TokenKind};
use crate::scalar;

pub(crate) use samples::{WRAP, WRAPPED_BELOW};

use hits::HitCursor;
use nodes::{Located, NodeCursor};
use samples::SampleCursor;

/// The state of reading the events of a profile. Positions count from the start of the record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProfileCursor {
    /// The end of the record.
    pub(crate) end: usize,
    /// Whether the file ends inside the record.
    pub(crate) truncated: bool,
    nodes: NodeCursor,
    /// The position in the object whose keys are the numbers of call sites.
    sites: Option<usize>,
    samples: Option<SampleCursor>,
    /// The position in the hit counts of a whole profile that has no samples.
    hits: Option<HitCursor>,
    /// Whether a diagnostic is due because a whole profile has no samples.
    lacks_samples: bool,
}

/// The kind of event that holds a profile or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProfileKind {
    /// A `P` event named `Profile`, which has the head of a profile.
    Head,
    /// A `P` event named `ProfileChunk`, which has some frames and samples.
    Chunk,
    /// An `I` or `X` event named `CpuProfile`, which has a whole profile.
    Whole,
}

/// The fields of the event that holds a profile, without its arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Envelope<'a> {
    pub(crate) kind: ProfileKind,
    pub(crate) thread: Thread<'a>,
    pub(crate) at: Tick,
    pub(crate) id: Option<Id<'a>>,
}

/// The largest difference in nanoseconds between the time of a profile's first event and its own start time at which
/// both are taken as times of one clock. [cpu 2](crate::rules::cpu#2)
pub(crate) const SAME_CLOCK: i64 = 1_000_000;

/// The duration of which times of samples are multiples: a microsecond. [cpu 2](crate::rules::cpu#2.1)
const RESOLUTION: Ticks = Ticks(1000);

/// The rank of a profile in an event `CpuProfile`, behind those of all `P` events.
const WHOLE_RANK: u8 = 3;

/// The source that this crate's writer gives a profile of [`WHOLE_RANK`], so that it keeps its rank.
pub(crate) const WHOLE_SOURCE: &str = "CpuProfile";

impl ProfileCursor {
    /// Returns the cursor of the profile, or the part of one, in an event whose `args` begin at `args`, and the event
    /// that announces it. Returns `None` if the arguments hold no profile.
    pub(crate) fn of_event<'a>(
        record: &'a [u8],
        args: usize,
        envelope: Envelope<'a>,
    ) -> Option<(Self, Event<'a>)> {
        let data = lexer::find_member(record, args, b"data").filter(|data| data.kind == TokenKind::Object)?;
        let mut members = ProfileMembers::default();
        // Damage ends the members; those before it count, here and below.
        members.read(record, data.start).ok();
        let Envelope { kind, thread, at, id } = envelope;
        match members.profile {
            Some(profile) => {
                members.read(record, profile).ok();
            }
            // This is an event of another program that has the same name.
            None if kind == ProfileKind::Whole => return None,
            None => {}
        }
        let start = members.start.unwrap_or(at);
        let offset = at - start;
        let same_clock = kind == ProfileKind::Whole || offset.0.unsigned_abs() <= SAME_CLOCK.unsigned_abs();
        let mut begins = ProfileStart::new(start, RESOLUTION);
        begins.offset = if same_clock { Ticks::ZERO } else { offset };
        begins.rank = if kind == ProfileKind::Whole { WHOLE_RANK } else { members.rank(record) };
        let key = match (kind, id) {
            (ProfileKind::Whole, _) => ProfileKey::Whole,
            (_, Some(id)) => ProfileKey::Id(id),
            (_, None) => ProfileKey::Thread,
        };
        let mut event = ProfileEvent::new(thread, key, at);
        event.begins = (kind != ProfileKind::Chunk).then_some(begins);
        event.end = members.end;
        let bounds = (kind == ProfileKind::Whole).then_some((start, members.end));
        Some((members.cursor(record, record.len(), bounds), Event::Profile(event)))
    }

    /// Returns the cursor of the profile that is the whole document, whose brace begins `record`, and the event that
    /// announces it. A cut or damaged profile is read as far as it goes.
    pub(crate) fn of_document<'a>(record: &'a [u8]) -> (Self, Event<'a>) {
        let mut members = ProfileMembers::default();
        let closed = members.read(record, 0);
        let bounds @ (start, end) = if members.tree.is_some() {
            members.old_bounds(record)
        } else {
            (members.start.unwrap_or_default(), members.end)
        };
        let cursor = match closed.or_else(|_| lexer::nested_end(record, 0)) {
            Ok(end) => members.cursor(record, end, Some(bounds)),
            // Neither the length nor the end is known of a profile that is cut off.
            Err(_) => Self { truncated: true, ..members.cursor(record, record.len(), None) },
        };
        let mut event = ProfileEvent::new(Thread::new(1_u32, 1_u32), ProfileKey::Whole, start);
        event.begins = Some(ProfileStart::new(start, RESOLUTION));
        event.end = end;
        (cursor, Event::Profile(event))
    }

    /// Returns the next event and its range in the record, or `None` when all events were read.
    pub(crate) fn next<'a>(&mut self, record: &'a [u8]) -> Option<Located<'a>> {
        // `record` is all data from the start of the record on. The bytes behind the record are not part of it.
        let record = record.get(..self.end).unwrap_or(record);
        if let Some(found) = self.nodes.next(record) {
            return Some(found);
        }
        if let Some(found) = self.next_site(record) {
            return Some(found);
        }
        if let Some(found) = self.samples.as_mut().and_then(|samples| samples.next(record)) {
            return Some(found);
        }
        if let Some(found) = self.hits.as_mut().and_then(|hits| hits.next(record)) {
            return Some(found);
        }
        let event = Event::Diagnostic(DiagnosticKind::MissingSamples);
        core::mem::take(&mut self.lacks_samples).then_some((event, (0, record.len())))
    }

    /// Returns the next call site.
    fn next_site<'a>(&mut self, record: &'a [u8]) -> Option<Located<'a>> {
        let pos = self.sites.as_mut()?;
        let Ok(Some(Member { key, value })) = lexer::next_member(record, pos) else {
            self.sites = None;
            return None;
        };
        let bytes = (key.inside.0, value.end);
        let number = core::str::from_utf8(key.bytes(record)).ok().and_then(|key| key.parse().ok());
        let event = match (number, id::key(record, value)) {
            (Some(number), Some(frame)) => Event::CallSite(number, frame),
            _ => Event::Diagnostic(DiagnosticKind::BadField),
        };
        Some((event, bytes))
    }
}

/// Returns whether a document is a V8 CPU profile and not a trace, judged by its first bytes. [cpu
/// 1c](crate::rules::cpu#1c), [1d](crate::rules::cpu#1d)
///
/// It is one if the nodes of a profile come before a key that only traces have. The result is `false` if `data` ends
/// before either of them. [`JsonParser`](crate::JsonParser) recognises profiles by itself.
///
/// ```
/// assert!(spall_json::is_cpu_profile(br#"{"nodes":[{"id":1,"callFrame":{"#));
/// assert!(!spall_json::is_cpu_profile(br#"{"traceEvents":[]}"#));
/// ```
#[doc(alias("cpuprofile"))]
#[must_use]
pub fn is_cpu_profile(data: &[u8]) -> bool {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let Some((start, b'{')) = lexer::skip_blanks(data, 0) else { return false };
    let mut pos = start + 1;
    while let Ok(Some(key)) = lexer::next_key(data, &mut pos) {
        if begins_profile(data, &key) {
            return true;
        }
        if key.is(data, b"ph") || key.is(data, b"traceEvents") {
            return false;
        }
        let Ok(value) = lexer::token(data, key.value) else { return false };
        pos = value.end;
    }
    false
}

/// Returns whether a key of a document makes it a profile: it is `nodes` with a list of objects, or `head` with the
/// root of a tree.
pub(crate) fn begins_profile(data: &[u8], key: &KeyToken) -> bool {
    match data.get(key.value) {
        Some(b'[') if key.is(data, b"nodes") => {
            matches!(lexer::skip_blanks(data, key.value + 1), Some((_, b'{')))
        }
        Some(b'{') => key.is(data, b"head"),
        _ => false,
    }
}

/// The members of a profile: the positions of brackets in the record, and some values.
#[derive(Debug, Clone, Copy, Default)]
struct ProfileMembers {
    profile: Option<usize>,
    nodes: Option<usize>,
    tree: Option<usize>,
    samples: Option<usize>,
    deltas: Option<usize>,
    stamps: Option<usize>,
    lines: Option<usize>,
    columns: Option<usize>,
    sites: Option<usize>,
    source: Option<Token>,
    start: Option<Tick>,
    end: Option<Tick>,
}

impl ProfileMembers {
    /// Reads the members of the object whose brace is at `object`, and returns its end.
    fn read(&mut self, record: &[u8], object: usize) -> Result<usize, TokenError> {
        let mut pos = object + 1;
        while let Some(key) = lexer::next_key(record, &mut pos)? {
            let name = key.bytes(record);
            // An array counts before its end is found: where the file ends inside it, there are some items.
            let bracket = record.get(key.value).map(|byte| (name, byte));
            match bracket {
                Some((b"nodes", b'[')) => self.nodes = Some(key.value),
                Some((b"samples", b'[')) => self.samples = Some(key.value),
                Some((b"timeDeltas", b'[')) => self.deltas = Some(key.value),
                Some((b"timestamps", b'[')) => self.stamps = Some(key.value),
                Some((b"lines", b'[')) => self.lines = Some(key.value),
                Some((b"columns", b'[')) => self.columns = Some(key.value),
                Some((b"cpuProfile", b'{')) => self.profile = Some(key.value),
                Some((b"trace_ids", b'{')) => self.sites = Some(key.value),
                Some((b"head", b'{')) => self.tree = Some(key.value),
                _ => {}
            }
            let value = lexer::token(record, key.value)?;
            match name {
                b"startTime" => self.start = scalar::rounded_micros(record, value).map(Tick),
                b"endTime" => self.end = scalar::rounded_micros(record, value).map(Tick),
                b"source" => self.source = Some(value),
                _ => {}
            }
            pos = value.end;
        }
        Ok(pos)
    }

    /// Returns the rank of the profile. Of several profiles of a thread, that of the performance panel counts, then
    /// that of the console. [cpu 1b](crate::rules::cpu#1b)
    fn rank(&self, record: &[u8]) -> u8 {
        match self.source.map(|source| source.bytes(record)) {
            Some(br#""Internal""#) => 0,
            Some(br#""Inspector""#) => 1,
            Some(_) if self.source.is_some_and(|source| source.inside(record) == WHOLE_SOURCE.as_bytes()) => {
                WHOLE_RANK
            }
            _ => 2,
        }
    }

    /// Returns the start and the end of a profile of the old form. Its `startTime` and `endTime` are whole seconds,
    /// which are too coarse where samples have timestamps.
    fn old_bounds(&self, record: &[u8]) -> (Tick, Option<Tick>) {
        let first = self
            .stamps
            .and_then(|stamps| scalar::rounded_micros(record, lexer::next_item(record, &mut (stamps + 1))?));
        match first {
            Some(first) => (Tick(first), None),
            None => (self.seconds(self.start).unwrap_or_default(), self.seconds(self.end)),
        }
    }

    /// Returns a time in seconds that was read as microseconds.
    fn seconds(&self, time: Option<Tick>) -> Option<Tick> {
        time.map(|time| Tick(time.0.saturating_mul(1_000_000)))
    }

    /// Returns the cursor of the profile. `end` is the end of the record. `bounds` are the start and end of a profile
    /// that is complete.
    fn cursor(&self, record: &[u8], end: usize, bounds: Option<(Tick, Option<Tick>)>) -> ProfileCursor {
        let nodes = match (self.nodes, self.tree) {
            (Some(nodes), _) => NodeCursor::list(nodes),
            (None, Some(tree)) => NodeCursor::tree(tree),
            (None, None) => NodeCursor::none(),
        };
        let samples = self.samples.filter(|samples| lexer::next_item(record, &mut (samples + 1)).is_some());
        let duration = |start: Tick, end: Option<Tick>| Ticks(end.map_or(0, |end| (end - start).0.max(0)));
        let bounds = bounds.map(|(start, end)| (start, duration(start, end)));
        let hits = bounds
            .filter(|_| samples.is_none())
            .and_then(|(start, duration)| HitCursor::new(record, nodes, start, duration));
        ProfileCursor {
            end,
            truncated: false,
            nodes,
            sites: self.sites.map(|sites| sites + 1),
            samples: samples.map(|samples| {
                let samples = match (self.deltas, self.stamps) {
                    (Some(deltas), _) => SampleCursor::with_deltas(samples, deltas),
                    (None, Some(stamps)) => SampleCursor::with_stamps(samples, stamps),
                    (None, None) => {
                        SampleCursor::spread(record, samples, bounds.map(|(_, duration)| duration))
                    }
                };
                samples.with_positions(self.lines, self.columns)
            }),
            hits,
            lacks_samples: bounds.is_some() && self.samples.is_none() || hits.is_some(),
        }
    }
}
