//! Track events, the events of a program that records itself. [perfetto 4](crate::rules::perfetto#4)

// What few events have is out of line. The code that each event runs through then lies together, which it has to: it shares
// the first-level cache with that of the builder.

use alloc::vec::Vec;
use core::cell::Cell;

use spall_model::{
    ArgsBuilder, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Id, Scope, Text, Thread, ThreadEvent,
    Tick, Ticks,
};

use super::args::{Source, pay};
use super::clock::{ClockId, Fit, KnownClock};
use super::event_counters::{ExtraCounters, ThreadCounts};
use super::known_args::KnownArgs;
use super::legacy::Legacy;
use super::proto::numbers::{interned_data, track_event};
use super::schema::LegacyEvent;
use super::sequence::Sequence;
use super::state::State;
use super::strings::{Strings, Table};
use crate::ftrace::Output;
use crate::ftrace::signed_float;
use crate::protobuf::{Damaged, FromWire as _, Message, Packed, Repeated, Wire, repeated, scalars};

/// The fields of a track event that decide what it is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TrackEvent<'a> {
    kind: u32,
    track: Option<u64>,
    name_iid: u64,
    name: &'a [u8],
    categories: Repeated<'a>,
    pub(super) legacy: Option<&'a [u8]>,
    value: Option<f64>,
    time: Option<EventTime>,
    /// What counters of the thread show, as older files say it, each with whether it is a difference.
    thread_time: Option<(bool, i64)>,
    instructions: Option<(bool, i64)>,
    args: Repeated<'a>,
    flows: Repeated<'a>,
    /// The values of further counters, of each kind, and their tracks.
    extra: [ExtraCounters<'a>; 2],
    pub(super) has_callstack: bool,
    /// The whole message.
    message: &'a [u8],
}

/// A time in the event itself, by the monotonic clock in microseconds.
#[derive(Debug, Clone, Copy)]
enum EventTime {
    Delta(i64),
    Absolute(i64),
}

/// The values of [`TrackEvent::kind`].
mod kind {
    pub(super) const BEGIN: u32 = 1;
    pub(super) const END: u32 = 2;
    pub(super) const INSTANT: u32 = 3;
    pub(super) const COUNTER: u32 = 4;
    pub(super) const STATE: u32 = 5;
}

impl<'a> Message<'a> for TrackEvent<'a> {
    #[inline(always)]
    fn take(&mut self, number: u32, value: Wire<'a>) {
        let signed = || i64::from_wire(value).unwrap_or(0);
        match (number, value) {
            (track_event::TYPE, Wire::Varint(kind)) => self.kind = u32::try_from(kind).unwrap_or(u32::MAX),
            (track_event::NAME_IID, Wire::Varint(iid)) => self.name_iid = iid,
            (track_event::TRACK_UUID, Wire::Varint(uuid)) => self.track = Some(uuid),
            (track_event::CATEGORY_IIDS | track_event::CATEGORIES, _) => self.categories.add(number, value),
            (track_event::NAME, Wire::Bytes(name)) => self.name = name,
            (track_event::LEGACY_EVENT, Wire::Bytes(legacy)) => self.legacy = Some(legacy),
            (track_event::COUNTER_VALUE, Wire::Varint(_)) => self.value = Some(signed_float(signed())),
            (track_event::DOUBLE_COUNTER_VALUE, value) => self.value = f64::from_wire(value).or(self.value),
            (track_event::EXTRA_COUNTER_VALUES, _) => self.extra[0].values.add(number, value),
            (track_event::EXTRA_DOUBLE_COUNTER_VALUES, _) => self.extra[1].values.add(number, value),
            (track_event::EXTRA_COUNTER_TRACK_UUIDS, _) => self.extra[0].tracks.add(number, value),
            (track_event::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS, _) => self.extra[1].tracks.add(number, value),
            (
                track_event::FLOW_IDS_OLD
                | track_event::TERMINATING_FLOW_IDS_OLD
                | track_event::FLOW_IDS
                | track_event::TERMINATING_FLOW_IDS,
                _,
            ) => self.flows.add(number, value),
            (track_event::CALLSTACK | track_event::CALLSTACK_IID, _) => self.has_callstack = true,
            (track_event::TIMESTAMP_DELTA_US, _) => self.time = Some(EventTime::Delta(signed())),
            (track_event::TIMESTAMP_ABSOLUTE_US, _) => {
                self.time = Some(EventTime::Absolute(signed())).filter(|_| signed() != 0)
            }
            (track_event::THREAD_TIME_DELTA_US | track_event::THREAD_TIME_ABSOLUTE_US, _) => {
                self.thread_time = Some((number == track_event::THREAD_TIME_DELTA_US, signed()))
            }
            (
                track_event::THREAD_INSTRUCTION_COUNT_DELTA | track_event::THREAD_INSTRUCTION_COUNT_ABSOLUTE,
                _,
            ) => self.instructions = Some((number == track_event::THREAD_INSTRUCTION_COUNT_DELTA, signed())),
            _ if is_argument(number) => self.args.add(number, value),
            _ => {}
        }
    }
}

impl TrackEvent<'_> {
    /// Returns the number of the interned name; 0 if it has none.
    #[inline]
    fn name_iid(&self, legacy: Option<&LegacyEvent<'_>>) -> u64 {
        match (self.name_iid, legacy) {
            (0, Some(legacy)) => legacy.name_iid,
            (iid, _) => iid,
        }
    }

    /// Adds the arguments, until they are too long.
    #[inline(never)]
    fn add_args(&self, source: &Source<'_>, known: &mut KnownArgs, args: &mut ArgsBuilder<'static>) {
        for field in self.args.fields(self.message, is_argument) {
            if source.is_too_long(args) {
                break;
            }
            known.add(source, field, args);
        }
    }

    /// Takes the fields of the message.
    // Out of line: the fields then are in one place, and not in memory and in registers.
    #[inline(never)]
    fn take_message(&mut self) -> Result<(), Damaged> {
        self.take_all(self.message)
    }
}

impl State {
    /// Hands over what a track event means.
    pub(super) fn track_event(&mut self, at: Option<i64>, message: &[u8], out: &mut Output<'_>) {
        let mut track_event = TrackEvent { message, ..TrackEvent::default() };
        out.check(track_event.take_message());
        let legacy = track_event.legacy.map(legacy_event);
        let legacy = legacy.as_ref();
        let Some(at) = self.event_time(at, &track_event, out) else { return };
        let sequence = self.sequences.current();
        let uuid = track_event.track.or(sequence.defaults.track).unwrap_or(0);
        let track_at = self.tracks.find(uuid, &mut self.strings);
        if uuid != 0 && !self.tracks.get(track_at).is_shown {
            self.begin_track(track_at, &track_event, legacy, out);
        }
        let mut counts = ThreadCounts::default();
        if track_event.extra.iter().any(|extra| !extra.values.is_empty()) {
            counts = self.extra_counters((message, &track_event.extra), at, out);
        }
        match track_event.kind {
            kind::COUNTER => {
                self.counter_event(track_at, track_event.value, at, out);
                return;
            }
            kind::STATE => return self.state_event(track_at, &track_event, at),
            _ => {}
        }
        let fields = [track_event.thread_time, track_event.instructions];
        let own = fields
            .iter()
            .any(Option::is_some)
            .then(|| ThreadCounts::of_fields(fields, self.sequences.current()));
        let Self { sequences, strings, tracks, args, known_args, categories, json, budget, .. } = self;
        let sequence = &*sequences.current();
        let by_sequence = (uuid == 0).then(|| sequence.legacy_thread(&track_event, legacy));
        let thread = match by_sequence.flatten() {
            Some((pid, tid)) => Thread { pid: Id::Number(pid), tid: Id::Number(tid) },
            None => tracks.settle(track_at).0.thread(strings),
        };
        args.clear();
        if !track_event.args.is_empty() {
            let source =
                Source { sequence, strings, json: *json, limit: *budget, is_missing: Cell::new(false) };
            track_event.add_args(&source, known_args, args);
            if !pay(args, budget) {
                out.report(DiagnosticKind::NotRead);
            }
        }
        let of_thread = match (thread.pid, thread.tid) {
            (Id::Number(pid), Id::Number(tid)) => Some((pid, tid)),
            _ => None,
        };
        if of_thread.is_some() && legacy.is_none_or(LegacyEvent::is_of_thread) {
            own.map_or(counts, |own| own.or(counts)).add_to(args, legacy);
        }
        // The event of the model has no place for the id of the profile that it is a part of.
        if let Some(legacy) = legacy.filter(|legacy| legacy.phase == PROFILE)
            && let Some(id) = legacy.unscoped_id.or(legacy.local_id).or(legacy.global_id)
        {
            args.add(PROFILE_ID, id);
        }
        let event = ThreadEvent {
            thread,
            at: Tick(at),
            name: Text::plain(name(&track_event, legacy, sequence, strings, out)),
            category: Text::plain(category(&track_event, sequence, strings, (categories, budget), out)),
            args: args.args(),
        };
        let mut row = None;
        match (legacy.filter(|legacy| legacy.phase != 0), track_event.kind) {
            (Some(legacy), _) => {
                let pid = match thread.pid {
                    Id::Number(pid) => Id::Number(pid),
                    Id::Text(_) => tracks.process(track_at),
                };
                let has_flows = !track_event.flows.is_empty();
                row = Legacy { event: &event, legacy, pid, has_flows }.hand_over(out);
            }
            (None, kind::BEGIN) => {
                out.say(&Event::Begin(event));
                row = Some(FlowBind::Slice);
            }
            (None, kind::END) => {
                // An end that a flow reaches or leaves is bound to the slice that it ends.
                track_event.hand_over_flows(&event, FlowBind::Enclosing, out);
                out.say(&Event::End(ThreadEvent { name: Text::EMPTY, ..event }));
            }
            (None, kind::INSTANT) => row = instant(&event, !track_event.flows.is_empty(), out),
            (None, _) => out.report(DiagnosticKind::UnknownEvent),
        }
        if let Some(bind) = row {
            track_event.hand_over_flows(&event, bind, out);
        }
        if let Some((thread, own)) = of_thread.zip(own) {
            self.thread_counters(thread, &own, at, out);
        }
        if track_event.has_callstack {
            self.track_stack(track_at, message, at, out);
        }
    }

    /// Hands over the track of its first event.
    #[cold]
    fn begin_track(
        &mut self,
        track_at: usize,
        event: &TrackEvent<'_>,
        legacy: Option<&LegacyEvent<'_>>,
        out: &mut Output<'_>,
    ) {
        let name = match event.name_iid(legacy) {
            0 => self.strings.add(event.name),
            iid => self.sequences.current().interned.get(interned_data::EVENT_NAMES, iid).unwrap_or_default(),
        };
        self.tracks.set_first_event(track_at, name);
        self.show(track_at, out);
    }

    /// Returns the time of a track event. [perfetto 3.2](crate::rules::perfetto#3.2)
    #[inline]
    fn event_time(&mut self, at: Option<i64>, event: &TrackEvent<'_>, out: &mut Output<'_>) -> Option<i64> {
        if let Some(time) = event.time {
            return self.own_time(time, out);
        }
        if at.is_none() {
            out.report(DiagnosticKind::MissingTime);
        }
        at
    }

    /// Returns the time that an event says itself.
    #[inline(never)]
    fn own_time(&mut self, time: EventTime, out: &mut Output<'_>) -> Option<i64> {
        let (ns, fits) = match time {
            EventTime::Absolute(us) => (us.saturating_mul(1000), us.checked_mul(1000).is_some()),
            EventTime::Delta(us) => {
                let sequence = self.sequences.current();
                let Some(sum) = sequence.thread.as_mut().and_then(|thread| thread.time_ns.as_mut()) else {
                    out.report(DiagnosticKind::LostState);
                    return None;
                };
                let next = us.checked_mul(1000).and_then(|ns| sum.checked_add(ns));
                *sum = sum.saturating_add(us.saturating_mul(1000));
                (*sum, next.is_some())
            }
        };
        let fit = if fits { Fit::Fits } else { Fit::Clamped };
        let (at, fit) = self.clocks.place(ClockId::MONOTONIC, ns, &mut KnownClock::default(), fit);
        out.fit(fit);
        self.end = self.end.max(at);
        Some(at)
    }

    /// Keeps a value of a state track. [perfetto 4.6](crate::rules::perfetto#4.6)
    #[inline(never)]
    fn state_event(&mut self, track_at: usize, event: &TrackEvent<'_>, at: i64) {
        let Self { sequences, strings, states, .. } = self;
        let interned = &sequences.current().interned;
        let name = match event.name_iid {
            0 => strings.add(event.name),
            iid => interned.get(interned_data::EVENT_NAMES, iid).unwrap_or_default(),
        };
        states.push(track_at, at, name);
    }
}

impl TrackEvent<'_> {
    /// Hands over the flows that pass through a slice, and those that end there. [perfetto 4.4](crate::rules::perfetto#4.4)
    #[inline]
    fn hand_over_flows(&self, event: &ThreadEvent<'_>, bind: FlowBind, out: &mut Output<'_>) {
        if self.flows.is_empty() {
            return;
        }
        for (number, value) in self.flows.fields(self.message, is_flow) {
            let phase = if matches!(number, track_event::FLOW_IDS_OLD | track_event::FLOW_IDS) {
                FlowPhase::Pass
            } else {
                FlowPhase::Stop
            };
            let is_old = matches!(number, track_event::FLOW_IDS_OLD | track_event::TERMINATING_FLOW_IDS_OLD);
            let packed = if is_old { Packed::Varint } else { Packed::Fixed64 };
            for id in value.numbers(packed) {
                let flow = FlowEvent::new(phase, bind, event.thread, event.at, id, Text::EMPTY);
                out.say(&Event::Flow(flow));
            }
        }
    }
}

/// Hands over an instant. With flows it is a slice, as flows are between slices: then this returns how they are bound to it.
#[inline(never)]
fn instant(event: &ThreadEvent<'_>, has_flows: bool, out: &mut Output<'_>) -> Option<FlowBind> {
    if has_flows {
        out.say(&Event::Complete(*event, Ticks::ZERO));
        return Some(FlowBind::Slice);
    }
    out.say(&Event::Instant(*event, Scope::Thread));
    None
}

/// Reads what older writers say of an event.
#[inline(never)]
fn legacy_event(message: &[u8]) -> LegacyEvent<'_> {
    LegacyEvent::of(message)
}

/// The phase of a part of a CPU profile.
const PROFILE: u32 = b'P' as u32;

/// The argument that has the id of the CPU profile that an [`Event::Other`] of the phase `P` is a part of.
pub const PROFILE_ID: &str = "profile_id";

/// Returns whether a field of a track event has the numbers of flows.
fn is_flow(number: u32) -> bool {
    matches!(
        number,
        track_event::FLOW_IDS_OLD
            | track_event::TERMINATING_FLOW_IDS_OLD
            | track_event::FLOW_IDS
            | track_event::TERMINATING_FLOW_IDS
    )
}

/// Returns whether a field of a track event is an argument.
fn is_argument(number: u32) -> bool {
    let is_known = number < track_event::DEBUG_ANNOTATIONS
        || is_flow(number)
        || matches!(
            number,
            track_event::LEGACY_EVENT
                ..=track_event::THREAD_INSTRUCTION_COUNT_ABSOLUTE
                    | track_event::CATEGORIES
                    | track_event::NAME
                    | track_event::COUNTER_VALUE
                    | track_event::EXTRA_COUNTER_TRACK_UUIDS
                    | track_event::DOUBLE_COUNTER_VALUE
                    | track_event::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS
                    | track_event::EXTRA_DOUBLE_COUNTER_VALUES
                    | track_event::CALLSTACK
                    | track_event::CALLSTACK_IID
                    | track_event::CALLSTACK_WEIGHT
        );
    !is_known
}

impl Sequence {
    /// Returns the thread of an event that its track does not say. [perfetto 4.1](crate::rules::perfetto#4.1)
    #[inline(never)]
    fn legacy_thread(&self, event: &TrackEvent<'_>, legacy: Option<&LegacyEvent<'_>>) -> Option<(i64, i64)> {
        let (pid, tid) = legacy.map_or((None, None), |legacy| (legacy.pid_override, legacy.tid_override));
        let says_nothing = event.track.is_none() || event.kind == 0;
        if !says_nothing && pid.or(tid).is_none() {
            return None;
        }
        let tid = match (tid, pid, self.thread()) {
            (Some(tid), ..) => i64::from(tid),
            (None, Some(_), _) => -1,
            (None, None, thread) => thread?.1,
        };
        let pid = pid.map(i64::from).or(self.thread().map(|(pid, _)| pid))?;
        Some((pid, tid))
    }
}

/// Returns the name of an event, or the empty text if it has none.
#[inline]
fn name<'s>(
    event: &TrackEvent<'s>,
    legacy: Option<&LegacyEvent<'_>>,
    sequence: &Sequence,
    strings: &'s Strings,
    out: &mut Output<'_>,
) -> &'s [u8] {
    let iid = event.name_iid(legacy);
    if iid == 0 {
        return event.name;
    }
    interned((interned_data::EVENT_NAMES, iid), sequence, strings, out)
}

/// Returns the categories of an event, separated by commas.
#[inline]
fn category<'s>(
    event: &TrackEvent<'s>,
    sequence: &Sequence,
    strings: &'s Strings,
    (joined, budget): (&'s mut Vec<u8>, &mut u64),
    out: &mut Output<'_>,
) -> &'s [u8] {
    match event.categories.single() {
        None if event.categories.is_empty() => b"",
        Some((3, Wire::Varint(iid))) => {
            interned((interned_data::EVENT_CATEGORIES, iid), sequence, strings, out)
        }
        Some((22, Wire::Bytes(category))) => category,
        _ => join_categories(event.message, sequence, strings, (joined, budget), out),
    }
}

/// Returns an interned text, or the empty text if it is not there.
#[inline]
fn interned<'s>(
    (table, iid): (Table, u64),
    sequence: &Sequence,
    strings: &'s Strings,
    out: &mut Output<'_>,
) -> &'s [u8] {
    match sequence.interned.get(table, iid) {
        Some(place) => strings.get(place),
        None => {
            out.report(DiagnosticKind::UnknownEntry);
            b""
        }
    }
}

/// Returns several categories, separated by commas.
#[inline(never)]
fn join_categories<'s>(
    message: &[u8],
    sequence: &Sequence,
    strings: &Strings,
    (joined, budget): (&'s mut Vec<u8>, &mut u64),
    out: &mut Output<'_>,
) -> &'s [u8] {
    joined.clear();
    let mut join = |category: &[u8]| {
        // Short references may be to long texts.
        let Some(rest) = budget.checked_sub(category.len() as u64) else { return };
        *budget = rest;
        if !joined.is_empty() && !category.is_empty() {
            joined.push(b',');
        }
        joined.extend_from_slice(category);
    };
    for iid in scalars(message, track_event::CATEGORY_IIDS, Packed::Varint) {
        join(interned((interned_data::EVENT_CATEGORIES, iid), sequence, strings, out));
    }
    repeated(message, track_event::CATEGORIES).for_each(join);
    joined
}
