//! V8 CPU profiles, in all the layouts that Chrome and Node have written. \[cpu 1\]
//!
//! A profile, or a part of one, is one record of the file that makes many events. A [`Cursor`] remembers how far they
//! were read; every byte of the record is looked at a fixed number of times, whatever the number of events.

mod hits;
mod nodes;
#[cfg(feature = "alloc")]
mod rules;
mod samples;

use spall_model::{DiagnosticKind, Event, Id, ProfileEvent, ProfileKey, ProfileStart, Thread, Tick, Ticks};

use crate::decimal::Nanos;
use crate::id;
use crate::lexer::{self, Kind, Member, Stop, Token};
use crate::value;

#[cfg(feature = "alloc")]
pub use rules::V8;

pub(crate) use nodes::named;
pub(crate) use samples::{WRAP, WRAPPED_BELOW};

use hits::Hits;
use nodes::Nodes;
use samples::Samples;

/// How far the events of a profile were read. Positions are in the record, which is the data from its start on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    /// The end of the record.
    pub(crate) end: usize,
    /// The file ends inside the record.
    pub(crate) truncated: bool,
    nodes: Nodes,
    /// In the object whose keys are the numbers of call sites.
    sites: Option<usize>,
    samples: Option<Samples>,
    /// What stands for the samples of a whole profile that has none.
    hits: Option<Hits>,
    /// It is a whole profile and has no samples, which is still to be said.
    lacks_samples: bool,
}

/// An event, and the bytes of the record that say it.
type Found<'a> = (Event<'a>, (usize, usize));

/// Which event of a trace holds the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// `P` event `Profile`: the head.
    Head,
    /// `P` event `ProfileChunk`: some frames and samples.
    Chunk,
    /// `I` or `X` event `CpuProfile`: everything.
    Whole,
}

/// What a trace event says beside its arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Envelope<'a> {
    pub(crate) holder: Holder,
    pub(crate) thread: Thread<'a>,
    pub(crate) at: Tick,
    pub(crate) id: Option<Id<'a>>,
}

/// How far the two clocks of a profile's head may be apart and still be one. \[cpu 2\]
pub(crate) const SAME_CLOCK: i64 = 1_000_000;

/// The rank of a profile in an event `CpuProfile`, behind all of `P` events.
const WHOLE_RANK: u8 = 3;

/// What our own writer gives as the source of such a profile, to keep its rank.
pub(crate) const WHOLE_SOURCE: &str = "CpuProfile";

impl Cursor {
    /// The profile, or the part of one, in an event whose `args` begin at `args`, and the event that names it.
    pub(crate) fn of_event<'a>(
        record: &'a [u8],
        args: usize,
        envelope: Envelope<'a>,
    ) -> Option<(Self, Event<'a>)> {
        let data = member(record, args, b"data").filter(|data| data.kind == Kind::Object)?;
        let mut parts = Parts::default();
        // As far as it goes, which its profile is, too.
        parts.read(record, data.start).ok();
        let Envelope { holder, thread, at, id } = envelope;
        match parts.profile {
            Some(profile) => {
                parts.read(record, profile).ok();
            }
            // Something else of that name.
            None if holder == Holder::Whole => return None,
            None => {}
        }
        let start = parts.start.unwrap_or(at);
        let offset = at - start;
        let same_clock = holder == Holder::Whole || offset.0.unsigned_abs() <= SAME_CLOCK.unsigned_abs();
        let begins = (holder != Holder::Chunk).then_some(ProfileStart {
            start,
            offset: if same_clock { Ticks::ZERO } else { offset },
            rank: if holder == Holder::Whole { WHOLE_RANK } else { parts.rank(record) },
        });
        let key = match (holder, id) {
            (Holder::Whole, _) => ProfileKey::Whole,
            (_, Some(id)) => ProfileKey::Id(id),
            (_, None) => ProfileKey::Thread,
        };
        let event = ProfileEvent { thread, key, at, begins, end: parts.end };
        let bounds = (holder == Holder::Whole).then_some((start, parts.end));
        Some((parts.cursor(record, record.len(), bounds), Event::Profile(event)))
    }

    /// The profile that is the whole document, whose brace begins `record`. It is read as far as it goes.
    pub(crate) fn of_document<'a>(record: &'a [u8]) -> (Self, Event<'a>) {
        let mut parts = Parts::default();
        let closed = parts.read(record, 0);
        let bounds @ (start, end) = if parts.tree.is_some() {
            parts.old_bounds(record)
        } else {
            (parts.start.unwrap_or_default(), parts.end)
        };
        let cursor = match closed.or_else(|_| lexer::nested_end(record, 0)) {
            Ok(end) => parts.cursor(record, end, Some(bounds)),
            // What is missing at its end is cut off.
            Err(_) => Cursor { truncated: true, ..parts.cursor(record, record.len(), None) },
        };
        let event = ProfileEvent {
            thread: Thread::new(1_u32, 1_u32),
            key: ProfileKey::Whole,
            at: start,
            begins: Some(ProfileStart { start, offset: Ticks::ZERO, rank: 0 }),
            end,
        };
        (cursor, Event::Profile(event))
    }

    /// The next event; `None` when all were read.
    pub(crate) fn next<'a>(&mut self, record: &'a [u8]) -> Option<Found<'a>> {
        // What the record says last must not be read beyond its end.
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

    fn next_site<'a>(&mut self, record: &'a [u8]) -> Option<Found<'a>> {
        let pos = self.sites.as_mut()?;
        let Ok(Some(Member { key, value })) = lexer::next_member(record, pos) else {
            self.sites = None;
            return None;
        };
        let bytes = (key.inside.0, value.end);
        let number = record
            .get(key.inside.0..key.inside.1)
            .and_then(|key| core::str::from_utf8(key).ok()?.parse().ok());
        let event = match (number, id_at(record, value)) {
            (Some(number), Some(frame)) => Event::CallSite(number, frame),
            _ => Event::Diagnostic(DiagnosticKind::BadField),
        };
        Some((event, bytes))
    }
}

/// Whether a document is a CPU profile of its own, from its first bytes: whether its nodes come before any sign that
/// it is a trace. `false` if `data` does not reach far enough to say. \[cpu 1c, 1d\]
///
/// ```
/// assert!(spall_json::is_cpu_profile(br#"{"nodes":[{"id":1,"callFrame":{"#));
/// assert!(!spall_json::is_cpu_profile(br#"{"traceEvents":[]}"#));
/// ```
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

/// Whether this key of a document says that it is a profile: it holds a list of objects, or the root of a tree.
pub(crate) fn begins_profile(data: &[u8], key: &lexer::Key) -> bool {
    match data.get(key.value) {
        Some(b'[') if key.is(data, b"nodes") => {
            matches!(lexer::skip_blanks(data, key.value + 1), Some((_, b'{')))
        }
        Some(b'{') => key.is(data, b"head"),
        _ => false,
    }
}

/// Where the parts of a profile stand in the record.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
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

impl Parts {
    /// Takes note of the members of the object whose brace is at `object`; where it ends.
    fn read(&mut self, record: &[u8], object: usize) -> Result<usize, Stop> {
        let mut pos = object + 1;
        while let Some(key) = lexer::next_key(record, &mut pos)? {
            let name = record.get(key.inside.0..key.inside.1).unwrap_or_default();
            // Where the file ends in an array, what there is of it counts.
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
                b"startTime" => self.start = micros(record, value).map(Tick),
                b"endTime" => self.end = micros(record, value).map(Tick),
                b"source" => self.source = Some(value),
                _ => {}
            }
            pos = value.end;
        }
        Ok(pos)
    }

    /// Of several profiles of a thread that of the performance panel counts, then that of the console. \[cpu 1b\]
    fn rank(&self, record: &[u8]) -> u8 {
        match self.source.and_then(|source| record.get(source.start..source.end)) {
            Some(br#""Internal""#) => 0,
            Some(br#""Inspector""#) => 1,
            Some(source) if value::inside(source) == WHOLE_SOURCE.as_bytes() => WHOLE_RANK,
            _ => 2,
        }
    }

    /// Start and end of the old form: what it says itself is in whole seconds and of no use beside timestamps.
    fn old_bounds(&self, record: &[u8]) -> (Tick, Option<Tick>) {
        let first = self.stamps.and_then(|stamps| micros(record, next_item(record, &mut (stamps + 1))?));
        match first {
            Some(first) => (Tick(first), None),
            None => (self.seconds(self.start).unwrap_or_default(), self.seconds(self.end)),
        }
    }

    /// A time that was read as microseconds and is in seconds.
    fn seconds(&self, time: Option<Tick>) -> Option<Tick> {
        time.map(|time| Tick(time.0.saturating_mul(1_000_000)))
    }

    /// Where to begin. `bounds` are start and end of a profile that is all here.
    fn cursor(&self, record: &[u8], end: usize, bounds: Option<(Tick, Option<Tick>)>) -> Cursor {
        let nodes = match (self.nodes, self.tree) {
            (Some(nodes), _) => Nodes::list(nodes),
            (None, Some(tree)) => Nodes::tree(tree),
            (None, None) => Nodes::none(),
        };
        let samples = self.samples.filter(|samples| next_item(record, &mut (samples + 1)).is_some());
        let lasts = |start: Tick, end: Option<Tick>| Ticks(end.map_or(0, |end| (end - start).0.max(0)));
        let bounds = bounds.map(|(start, end)| (start, lasts(start, end)));
        let hits = bounds
            .filter(|_| samples.is_none())
            .and_then(|(start, length)| Hits::new(record, nodes, start, length));
        Cursor {
            end,
            truncated: false,
            nodes,
            sites: self.sites.map(|sites| sites + 1),
            samples: samples.map(|samples| {
                let samples = match (self.deltas, self.stamps) {
                    (Some(deltas), _) => Samples::with_deltas(samples, deltas),
                    (None, Some(stamps)) => Samples::with_stamps(samples, stamps),
                    (None, None) => Samples::spread(record, samples, bounds.map(|(_, length)| length)),
                };
                samples.at_places(self.lines, self.columns)
            }),
            hits,
            lacks_samples: bounds.is_some() && self.samples.is_none() || hits.is_some(),
        }
    }
}

/// The value of `key` in the object at `object`.
fn member(record: &[u8], object: usize, key: &[u8]) -> Option<Token> {
    let mut pos = object + 1;
    let mut found = None;
    while let Ok(Some(member)) = lexer::next_member(record, &mut pos) {
        if member.key.is(record, key) {
            found = Some(member.value);
        }
    }
    found
}

/// The item at `pos` of an array; `None` at its end, and where it is damaged.
fn next_item(record: &[u8], pos: &mut usize) -> Option<Token> {
    let item = lexer::token(record, item_start(record, *pos)?).ok()?;
    *pos = item.end;
    Some(item)
}

/// Where the item at `pos` of an array begins; `None` at its end.
fn item_start(record: &[u8], pos: usize) -> Option<usize> {
    let mut at = pos;
    loop {
        match *record.get(at)? {
            b',' => at += 1,
            byte if lexer::is_blank(byte) => at += 1,
            b']' => return None,
            _ => return Some(at),
        }
    }
}

fn text_at(record: &[u8], token: Token) -> &[u8] {
    record.get(token.start..token.end).unwrap_or_default()
}

pub(crate) fn id_at(record: &[u8], token: Token) -> Option<Id<'_>> {
    match token.kind {
        Kind::Integer => i64::try_from(token.number).ok().map(Id::Number),
        kind => id::of_key(kind, text_at(record, token)),
    }
}

/// Microseconds as nanoseconds.
fn micros(record: &[u8], token: Token) -> Option<i64> {
    let nanos = match token.kind {
        Kind::Integer => Nanos::from_whole(token.number * 1000),
        Kind::Decimal => Nanos::from_whole(token.number),
        Kind::Bare => Nanos::from_micros(text_at(record, token))?,
        Kind::String => Nanos::from_micros(value::inside(text_at(record, token)).trim_ascii())?,
        _ => return None,
    };
    Some(nanos.round().ns)
}
