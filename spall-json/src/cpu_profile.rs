//! The reader of V8 CPU profiles, in all the forms that Chrome and Node have written. [cpu 1](crate::rules::cpu#1)
//!
//! A profile, or a part of one, is one record of the file from which many events are read. Its arrays are read side by
//! side: the n-th sample, its time and its line are in three of them. Every byte of the record is looked at a fixed number
//! of times, whatever the number of events.

mod hits;
mod nodes;
mod samples;

use spall_model::{
    DiagnosticKind, Event, Id, ProfileEvent, ProfileKey, ProfilePart, ProfileStart, Thread, ThreadEvent,
    Tick, Ticks,
};

use crate::call::{Call, file_range};
use crate::id;
use crate::lexer::{self, KeyToken, Token, TokenError, TokenKind};
use crate::scalar;

pub(crate) use samples::{WRAP, WRAPPED_BELOW};

use nodes::Nodes;
use samples::{SampleTimes, Samples};

/// A profile, or a part of one, that was found in the file.
pub(crate) struct Profile<'a> {
    /// The data up to the end of the profile. All positions are indices into it.
    data: &'a [u8],
    part: ProfilePart<'a>,
    /// What the part says of the profile.
    event: ProfileEvent<'a>,
    members: ProfileMembers,
    /// The start and the duration of a whole profile that is complete.
    bounds: Option<(Tick, Ticks)>,
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

/// The largest difference in nanoseconds between the time of a profile's first event and its own start time at which
/// both are taken as times of one clock. [cpu 2](crate::rules::cpu#2)
pub(crate) const SAME_CLOCK: i64 = 1_000_000;

/// The duration of which times of samples are multiples: a microsecond. [cpu 2](crate::rules::cpu#2.1)
const RESOLUTION: Ticks = Ticks(1000);

/// The key of a whole profile, until its position in the file is known.
const WHOLE: ProfileKey<'static> = ProfileKey::Number(0);

/// The rank of a profile in an event `CpuProfile`, behind those of all `P` events.
const WHOLE_RANK: u8 = 3;

/// The source that this crate's writer gives a profile of [`WHOLE_RANK`], so that it keeps its rank.
pub(crate) const WHOLE_SOURCE: &str = "CpuProfile";

impl<'a> Profile<'a> {
    /// Returns the profile, or the part of one, in the arguments of `event`, which begin at `args`. The event ends with
    /// `data`. Returns `None` if the arguments hold no profile.
    pub(crate) fn of_event(
        data: &'a [u8],
        args: usize,
        kind: ProfileKind,
        event: &ThreadEvent<'a>,
        id: Option<Id<'a>>,
    ) -> Option<Self> {
        let [inside] = lexer::members(data, args, [b"data"]);
        let inside = inside.filter(|inside| inside.kind == TokenKind::Object)?;
        let mut members = ProfileMembers::default();
        // Damage ends the members; those before it count, here and below.
        members.read(data, inside.start).ok();
        let &ThreadEvent { thread, at, .. } = event;
        match members.profile {
            Some(profile) => {
                members.read(data, profile).ok();
            }
            // This is an event of another program that has the same name.
            None if kind == ProfileKind::Whole => return None,
            None => {}
        }
        let (start, end) = members.bounds(data);
        let start = start.unwrap_or(at);
        let offset = at - start;
        let same_clock = kind == ProfileKind::Whole || offset.0.unsigned_abs() <= SAME_CLOCK.unsigned_abs();
        let mut begins = ProfileStart::new(start, RESOLUTION);
        begins.offset = if same_clock { Ticks::ZERO } else { offset };
        let key = match (kind, id) {
            (ProfileKind::Whole, _) => WHOLE,
            (_, Some(id)) => ProfileKey::Id(id),
            (_, None) => ProfileKey::Thread,
        };
        let part = ProfilePart::new(thread, key, at);
        let mut event = ProfileEvent::new(part);
        if kind != ProfileKind::Chunk {
            event.begins = Some(begins);
            event.rank = Some(if kind == ProfileKind::Whole { WHOLE_RANK } else { members.rank(data) });
        }
        event.end = end;
        let bounds = (kind == ProfileKind::Whole).then(|| bounds(start, end));
        Some(Self { data, part, event, members, bounds })
    }

    /// Returns the profile that is the whole document, whose brace is at `start`, and its end if it is in the data. A cut or
    /// damaged profile is read as far as it goes.
    pub(crate) fn of_document(data: &'a [u8], start: usize) -> (Self, Option<usize>) {
        let mut members = ProfileMembers::default();
        let closed = members.read(data, start).or_else(|_| lexer::nested_end(data, start)).ok();
        let (at, end) = members.bounds(data);
        let at = at.unwrap_or_default();
        let part = ProfilePart::new(Thread::new(1_u32, 1_u32), WHOLE, at);
        let mut event = ProfileEvent::new(part);
        event.begins = Some(ProfileStart::new(at, RESOLUTION));
        event.end = end;
        let data = closed.and_then(|closed| data.get(..closed)).unwrap_or(data);
        // The length of a profile that is cut off is not known.
        let bounds = closed.map(|_| bounds(at, end));
        (Self { data, part, event, members, bounds }, closed)
    }

    /// Hands over all events of the profile, which is in the record at `bytes`: the event that announces it, its frames, its
    /// call sites, and its samples.
    pub(crate) fn hand_over(self, bytes: (usize, usize), call: &mut Call<'a, '_>) {
        let Self { data, mut part, mut event, members, bounds } = self;
        if let ProfileKey::Number(number) = &mut part.key {
            *number = file_range(call.offset, bytes).start;
            event.profile = part.into();
        }
        if members.is_clamped {
            call.report(DiagnosticKind::TimeOutOfRange, bytes);
        }
        call.event(&Event::Profile(event), bytes);
        let nodes = members.nodes.map(Nodes::List).or(members.tree.map(Nodes::Tree));
        let mut hits: u64 = 0;
        if let Some(nodes) = nodes {
            nodes.read(data, part, &mut |event, bytes, n_hits| {
                hits = hits.saturating_add(n_hits);
                call.event(event, bytes);
            });
        }
        if let Some(sites) = members.sites {
            call_sites(data, sites, part, call);
        }
        let duration = bounds.map(|(_, duration)| duration);
        let frames = members.samples.filter(|samples| lexer::next_item(data, &mut (samples + 1)).is_some());
        if let Some(frames) = frames {
            let times = match (members.deltas, members.stamps) {
                (Some(deltas), _) => SampleTimes::Deltas(deltas + 1),
                (None, Some(stamps)) => SampleTimes::Stamps(stamps + 1),
                (None, None) => SampleTimes::spread(data, frames, duration),
            };
            let inside = |bracket| bracket + 1;
            let (lines, columns) = (members.lines.map(inside), members.columns.map(inside));
            Samples { frames: inside(frames), times, lines, columns }.read(data, part, call);
        }
        if let Some(bounds) = bounds
            && frames.is_none()
        {
            if let Some(nodes) = nodes {
                hits::read(data, nodes, part, hits, bounds, call);
            }
            if members.samples.is_none() || hits > 0 {
                call.report(DiagnosticKind::MissingSamples, bytes);
            }
        }
    }
}

/// Returns the start and the duration of a profile.
fn bounds(start: Tick, end: Option<Tick>) -> (Tick, Ticks) {
    (start, Ticks(end.map_or(0, |end| (end - start).0.max(0))))
}

/// Hands over the call sites, which are the members of the object at `start`. Their keys are the numbers.
fn call_sites<'a>(data: &'a [u8], start: usize, part: ProfilePart<'a>, call: &mut Call<'a, '_>) {
    let mut pos = start + 1;
    while let Ok(Some(member)) = lexer::next_member(data, &mut pos) {
        let bytes = (member.key.inside.0, member.value.end);
        let number = core::str::from_utf8(member.key.bytes(data)).ok().and_then(|key| key.parse().ok());
        match (number, id::key(data, member.value)) {
            (Some(number), Some(frame)) => call.event(&Event::CallSite(part, number, frame), bytes),
            _ => call.report(DiagnosticKind::BadField, bytes),
        }
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
/// assert!(!spall_json::is_cpu_profile(br#"{"nodes":[{"id":1,"name":"a"}],"links":[]}"#));
/// ```
#[doc(alias("cpuprofile"))]
#[must_use]
pub fn is_cpu_profile(data: &[u8]) -> bool {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let Some((start, b'{')) = lexer::skip_blanks(data, 0) else { return false };
    first_object(data, start) == Ok(FirstObject::Profile)
}

/// The kinds of an object that begins a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstObject {
    /// A document with a list of events.
    Document,
    /// An event, which others may follow without a list around them.
    Event,
    /// A CPU profile.
    Profile,
}

/// Returns what the object is whose brace is at `start`, by the key that comes first: `traceEvents` makes it the document,
/// `ph` an event, and nodes make it a CPU profile.
pub(crate) fn first_object(data: &[u8], start: usize) -> Result<FirstObject, TokenError> {
    let mut pos = start + 1;
    while let Some(key) = lexer::next_key(data, &mut pos)? {
        if begins_profile(data, &key) {
            return Ok(FirstObject::Profile);
        }
        if key.is(data, b"ph") {
            return Ok(FirstObject::Event);
        }
        if key.is(data, b"traceEvents") {
            break;
        }
        pos = lexer::token(data, key.value)?.end;
    }
    Ok(FirstObject::Document)
}

/// Returns whether a key of a document makes it a profile: it is `nodes` with a list of call frames, or `head` with the
/// root of a tree. A root with a size is that of a heap profile. Many documents have lists of other nodes.
fn begins_profile(data: &[u8], key: &KeyToken) -> bool {
    match data.get(key.value) {
        Some(b'[') if key.is(data, b"nodes") => {
            matches!(lexer::skip_blanks(data, key.value + 1), Some((node, b'{')) if is_call_frame(data, node))
        }
        Some(b'{') => key.is(data, b"head") && !has_size(data, key.value),
        _ => false,
    }
}

/// Returns whether the object at `start` is the node of a profile: it has a call frame, the function itself, or its hits.
fn is_call_frame(data: &[u8], start: usize) -> bool {
    const KEYS: [&[u8]; 3] = [b"callFrame", b"functionName", b"hitCount"];
    lexer::keys(data, start).any(|key| KEYS.iter().any(|name| key.is(data, name)))
}

/// Returns whether the node of a profile at `start` gives its size before its children.
fn has_size(data: &[u8], start: usize) -> bool {
    let mut pos = start + 1;
    while let Ok(Some(key)) = lexer::next_key(data, &mut pos) {
        if key.is(data, b"selfSize") {
            return true;
        }
        match lexer::token(data, key.value) {
            Ok(value) if !key.is(data, b"children") => pos = value.end,
            _ => return false,
        }
    }
    false
}

/// The members of a profile: the positions of brackets, and some values.
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
    start: Option<Token>,
    end: Option<Token>,
    /// Whether the start or the end does not fit in 64 bits of nanoseconds.
    is_clamped: bool,
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
                b"startTime" => self.start = Some(value),
                b"endTime" => self.end = Some(value),
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

    /// Returns the start and the end of a profile as far as it has them. One of the old form has a tree. Its `startTime`
    /// and `endTime` are whole seconds, which are too coarse where samples have timestamps.
    fn bounds(&mut self, record: &[u8]) -> (Option<Tick>, Option<Tick>) {
        let thousands = if self.tree.is_some() { 2 } else { 0 };
        let first = self.stamps.filter(|_| self.tree.is_some());
        let first = first.and_then(|stamps| lexer::next_item(record, &mut (stamps + 1)));
        match self.time(record, first, 0) {
            Some(first) => (Some(first), None),
            None => (self.time(record, self.start, thousands), self.time(record, self.end, thousands)),
        }
    }

    /// Returns a time, and remembers whether it had to be clamped.
    fn time(&mut self, record: &[u8], token: Option<Token>, thousands: i32) -> Option<Tick> {
        let time = scalar::time(record, token?, thousands)?.round();
        self.is_clamped |= time.clamped;
        Some(Tick(time.ns))
    }
}
