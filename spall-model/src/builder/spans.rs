//! Async spans: operations that begin and end under an id instead of on the stack of a thread. [pairing
//! 5](crate::rules::pairing#5)
//!
//! Events of one span may come from several threads, whose buffers need not be in order. So the events are kept, and
//! paired in the order of time once all were read.

mod by_id;

use alloc::{string::ToString, vec::Vec};

use crate::{
    AsyncPhase, ByteRange, DiagnosticKind, Id, Instant, Key, KeyedEvent, NameId, Scope, SliceFlags, Tick,
    Value,
    args_table::ArgsId,
    index32,
    log::Log,
    name_pairs::{NamePairs, NameStep},
    sort::sort_by_number,
};

use super::{
    InternedEvent, TraceBuilder, by_track::ByTrack, pairing::PairFacts, registry::TrackKey, reports::Spot,
    said_spans::SaidRow,
};

/// The events of all spans, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct SpanLog {
    events: Log<SpanEvent>,
    /// What some of the events say of ids. Files without such events pay nothing for it.
    said: Log<SaidIds>,
    /// The rows of spans that say an id or a parent, once they have rows.
    pub(super) said_rows: Vec<SaidRow>,
}

/// The id of a span and that of its parent, as an event says them. [`NO_ID`](crate::span_parents::NO_ID) stands for none.
#[derive(Debug, Clone, Copy)]
struct SaidIds {
    span: Key,
    parent: Key,
}

/// A begin, an end, an instant or a step of a span.
#[derive(Debug, Clone, Copy)]
struct SpanEvent {
    row: InternedEvent,
    phase: AsyncPhase,
    /// The position of what it says of ids, or [`SAYS_NONE`]. It lies where there is room between two other fields.
    said: u32,
    bytes: ByteRange,
}

impl SpanEvent {
    /// Returns the place of the event.
    fn spot(&self) -> Spot {
        Spot::new(self.bytes, self.row.at)
    }
}

/// The position of what an event says that says no ids.
const SAYS_NONE: u32 = u32::MAX;

impl TraceBuilder {
    /// Keeps an event of a span, and finds its track.
    pub(super) fn span(&mut self, phase: AsyncPhase, event: &KeyedEvent<'_>, bytes: ByteRange) {
        let process = self.process(event.pid);
        let key_process = event.local.then_some(process);
        let id = self.key(event.id);
        let category = self.intern(event.category);
        let mut name = self.intern(event.name);
        let scope = self.intern(event.scope);
        let key = match phase {
            AsyncPhase::Begin | AsyncPhase::End | AsyncPhase::Instant => {
                let category = if event.any_category { NameId::EMPTY } else { category };
                TrackKey::Async { process: key_process, category, id, scope }
            }
            _ => TrackKey::AsyncStep { process: key_process, name, id, scope },
        };
        let Some(track) = self.track(key, bytes) else { return };
        let row = self.registry.track_mut(track);
        row.process.get_or_insert(process);
        if row.name.is_empty() {
            row.name = name;
        }
        if row.category.is_empty() && !event.any_category {
            row.category = category;
        }
        if matches!(phase, AsyncPhase::StepInto | AsyncPhase::StepPast)
            && let Some(step) = event.args.get(b"step")
        {
            // A number names a step as it names an event: by the text that spells it. \[json 1\]
            let step = match step {
                Value::Text(step) => Some(step.unescape()),
                Value::I64(_) | Value::U64(_) | Value::F64(_) => Some(step.to_string().into_bytes().into()),
                _ => None,
            };
            if let Some(step) = step {
                name = self.names.intern_bytes(&step);
            }
        }
        let args = self.keep_args(event.args, bytes);
        self.touch(track, event.at, event.at);
        let row = InternedEvent { track, at: event.at, name, category, args };
        let mut said = SAYS_NONE;
        let may_say = matches!(phase, AsyncPhase::Begin | AsyncPhase::End);
        if may_say && (event.span, event.parent) != (Id::NONE, Id::NONE) {
            said = index32(self.spans.said.len());
            let ids = SaidIds { span: self.key(event.span), parent: self.key(event.parent) };
            self.spans.said.push(ids);
        }
        self.spans.events.push(SpanEvent { row, phase, said, bytes });
    }

    /// Adds the slices and instants of all spans, track by track.
    #[allow(clippy::indexing_slicing, reason = "events are grouped by their numbers")]
    pub(super) fn finish_spans(&mut self) {
        let events = core::mem::take(&mut self.spans.events);
        if events.is_empty() {
            return;
        }
        let tracks: Vec<u32> = (0..index32(self.registry.tracks.len())).collect();
        let by_track = ByTrack::new(events.iter().map(|event| event.row.track), &tracks);
        let mut group: Vec<SpanEvent> = Vec::new();
        let mut pairs = NamePairs::default();
        for &track in &tracks {
            group.clear();
            group.extend(by_track.items(track).iter().map(|&event| events[event]));
            // Without a begin that says an id or a parent, the ids of ends say nothing.
            let says = |event: &SpanEvent| event.said != SAYS_NONE && event.phase == AsyncPhase::Begin;
            let says_ids = !self.spans.said.is_empty() && group.iter().any(says);
            self.set_title(track, &group);
            if says_ids {
                self.pair_by_id(&mut group);
            }
            // A stable sort: events of one time keep the order of the file.
            sort_by_number(&mut group, |event| event.row.at.0);
            match group.first().map(|event| event.phase) {
                Some(AsyncPhase::Begin | AsyncPhase::End | AsyncPhase::Instant) => {
                    self.nestable(&group, &mut pairs)
                }
                _ => self.stepped(&group),
            }
        }
    }

    /// Sets the name and the categories of a track to those of its first event in time, which need not come first in
    /// the file.
    fn set_title(&mut self, track: u32, group: &[SpanEvent]) {
        let of = |phase| group.iter().filter(move |step| step.phase == phase).map(|step| &step.row);
        let track = self.registry.track_mut(track);
        if let Some(start) = of(AsyncPhase::Start).min_by_key(|row| row.at) {
            track.category = start.category;
        }
        let name = |phase| of(phase).filter(|row| !row.name.is_empty()).min_by_key(|row| row.at);
        if of(AsyncPhase::Begin).chain(of(AsyncPhase::Instant)).next().is_some() {
            let named = name(AsyncPhase::Begin).or_else(|| name(AsyncPhase::Instant));
            track.name = named.map_or_else(Default::default, |row| row.name);
        }
    }

    /// Gives a span its end. The arguments of the end are joined to those of the begin with those of threads.
    fn close_span(&mut self, row: u32, at: Tick, args: ArgsId) {
        let rows = &mut self.slices.rows;
        rows.set_end(row, at);
        rows.set_flags(row, rows.flags(row).without(SliceFlags::UNFINISHED));
        self.slices.add_end_args(row, args);
    }

    /// Adds a span without an end, and returns its row; `None` if there are too many slices.
    fn open_span(&mut self, step: &SpanEvent, depth: u32) -> Option<u32> {
        // A span nests: that keeps spans of one start in the order in which they began, on which their depth depends.
        let start = step.row.at;
        let pair = PairFacts { start, end: None, has_other_name: false, nests: true, open_depth: depth };
        let row = self.push_slice(&step.row, start, pair.flags(), step.bytes)?;
        if let Some(&SaidIds { span, parent }) = self.spans.said.get(step.said as usize) {
            self.spans.said_rows.push(SaidRow { row, order: step.said, span, parent, bytes: step.bytes });
        }
        Some(row)
    }

    /// Adds an instant inside of as many spans.
    fn add_span_instant(&mut self, event: &SpanEvent, depth: u32) {
        let InternedEvent { at, name, category, args, track } = event.row;
        self.instants.push(track, Instant { at, name, category, scope: Scope::Thread, depth, args });
    }

    /// Pairs begins and ends.
    fn nestable(&mut self, group: &[SpanEvent], pairs: &mut NamePairs<Spot>) {
        // Most groups are one span, in which nothing can repeat.
        let steps = if group.len() > 2 { group } else { &[] };
        let steps = steps.iter().filter(|event| event.phase != AsyncPhase::Instant);
        pairs.begin_group(steps.map(|event| NameStep {
            is_end: event.phase == AsyncPhase::End,
            name: event.row.name,
            has_args: event.row.args != ArgsId::NONE,
        }));
        for event in group {
            let InternedEvent { at, name, args, .. } = event.row;
            match event.phase {
                AsyncPhase::Begin => {
                    if let Some(row) = self.open_span(event, pairs.depth()) {
                        pairs.begin(name, self.args.get(args), row, event.spot());
                    }
                }
                AsyncPhase::Instant => self.add_span_instant(event, pairs.depth()),
                _ => {
                    let Some(closed) = pairs.end(name, self.args.get(args)) else {
                        self.diagnostics.add_at(DiagnosticKind::UnmatchedAsync, event.spot());
                        continue;
                    };
                    if closed.is_repeated {
                        self.diagnostics.add_at(DiagnosticKind::RepeatedAsync, event.spot());
                    }
                    self.close_span(closed.row, at, args);
                }
            }
        }
        for spot in pairs.end_group() {
            self.diagnostics.add_at(DiagnosticKind::UnfinishedAsync, spot);
        }
    }

    /// Pairs the events of spans of the older kind: a start, steps, a finish. Each step is a slice inside the span.
    fn stepped(&mut self, group: &[SpanEvent]) {
        let mut rest = group;
        while let Some((first, tail)) = rest.split_first() {
            match first.phase {
                AsyncPhase::Start => {
                    let finish = tail.iter().position(|step| step.phase == AsyncPhase::Finish);
                    let (steps, tail) = tail.split_at(finish.unwrap_or(tail.len()));
                    self.stepped_span(first, steps, tail.first());
                    rest = tail.get(1..).unwrap_or_default();
                }
                _ => {
                    self.diagnostics.add_at(DiagnosticKind::UnmatchedAsync, first.spot());
                    rest = tail;
                }
            }
        }
    }

    /// Adds the slices of one span of the older kind and of its steps.
    fn stepped_span(&mut self, start: &SpanEvent, steps: &[SpanEvent], finish: Option<&SpanEvent>) {
        let Some(span) = self.open_span(start, 0) else {
            // The steps are counted too: no event is lost in silence.
            for step in steps.iter().chain(finish) {
                self.diagnostics.add_at(DiagnosticKind::SliceLimit, step.spot());
            }
            return;
        };
        match finish {
            Some(finish) => self.close_span(span, finish.row.at, finish.row.args),
            None => self.diagnostics.add_at(DiagnosticKind::UnfinishedAsync, start.spot()),
        }
        // A step into lasts from its event to the next one. A step past lasts from the event before it to its own. A
        // span with both kinds of steps has no consistent reading.
        let has = |phase| steps.iter().any(|step| step.phase == phase);
        let mixed = has(AsyncPhase::StepInto) && has(AsyncPhase::StepPast);
        let is_step = |step: &&SpanEvent| step.phase != AsyncPhase::Start;
        for duplicate in steps.iter().filter(|step| !is_step(step)) {
            self.diagnostics.add_at(DiagnosticKind::DuplicateAsync, duplicate.spot());
        }
        let mut before = start.row.at;
        let mut steps = steps.iter().filter(is_step).peekable();
        while let Some(step) = steps.next() {
            if mixed {
                self.diagnostics.add_at(DiagnosticKind::MixedAsyncSteps, step.spot());
                continue;
            }
            let next = steps.peek().copied().or(finish).map(|next| next.row.at);
            let (from, until) = match step.phase {
                AsyncPhase::StepInto => (step.row.at, next),
                _ => (before, Some(step.row.at)),
            };
            before = step.row.at;
            let part = SpanEvent { row: InternedEvent { at: from, ..step.row }, ..*step };
            if let Some(row) = self.open_span(&part, 1)
                && let Some(until) = until
            {
                self.close_span(row, until, ArgsId::NONE);
            }
        }
    }
}
