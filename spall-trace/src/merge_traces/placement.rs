//! Finds out where the times of a trace lie on the axis of another.

use alloc::{collections::BTreeMap, string::ToString, vec, vec::Vec};

use spall_json::json_args_micros;
use spall_model::{Clock, OtherEvent, Tick, Ticks, Trace, TraceView, Value};

use super::{Alignment, MergeInput};
use crate::tick_scale::{TickScale, clamped};

/// Where the times of a trace were put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placement {
    /// What the place was derived from.
    pub by: PlacedBy,
    /// The ticks that were added to the times of the trace, after their conversion to the clock of the result.
    pub offset: Ticks,
    /// How far the offset may be wrong, in the same ticks, as far as the traces tell; 0 where they do not.
    pub error: Ticks,
}

/// What the place of a trace was derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlacedBy {
    /// It is the first trace, whose times are the axis.
    First,
    /// The caller gave the offset.
    Offset,
    /// An event that the caller named is in this trace and in an earlier one.
    Event,
    /// The caller asked to let the traces begin together.
    Start,
    /// A marker of clock synchronisation, with the same id, is in this trace and in an earlier one.
    ClockSync,
    /// The Unix times of tick 0 are known for this trace and an earlier one, as they also are where all times of a trace are
    /// Unix times themselves.
    Epoch,
    /// The monotonic times of tick 0 are known for this trace and an earlier one, and the Unix times are not both known or
    /// say the same to the second.
    Monotonic,
    /// Nothing tells how the clocks relate. The times are as they were in the file.
    Nothing,
}

impl PlacedBy {
    /// Returns what a user is told, as the end of a sentence that begins with the name of the trace.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::First => "is the first trace, whose times are the axis",
            Self::Offset => "is placed by an offset",
            Self::Event => "is placed by an event that an earlier trace has too",
            Self::Start => "begins with the first trace",
            Self::ClockSync => "is placed by a marker of clock synchronisation",
            Self::Epoch => "is placed by the time of day",
            Self::Monotonic => "is placed by the machine's monotonic clock",
            Self::Nothing => "has a clock of its own: nothing tells how its times relate to the others",
        }
    }
}

impl Placement {
    pub(super) const FIRST: Self = Self { by: PlacedBy::First, offset: Ticks::ZERO, error: Ticks::ZERO };

    fn new(by: PlacedBy, offset: i128, error: i128) -> Self {
        Self { by, offset: Ticks(clamped(offset)), error: Ticks(clamped(error)) }
    }
}

/// What is known of the traces that have a place, by times of the axis. Each time is that of the first trace that knows one.
#[derive(Debug)]
pub(super) struct Axis<'n> {
    /// From nanoseconds to ticks of the axis.
    to_ticks: TickScale,
    /// The start of the first trace.
    start: Option<i128>,
    /// The names of the events that traces are placed by, and the time of the first of each.
    events: BTreeMap<&'n [u8], Option<i128>>,
    /// Of the markers with one id that whose time is known best.
    markers: BTreeMap<SyncId, SyncTimes>,
    /// The Unix time and the monotonic time at tick 0, in ticks of the axis.
    epoch: Option<i128>,
    monotonic: Option<i128>,
    has_first: bool,
}

impl<'n> Axis<'n> {
    /// Returns the axis of these traces, none of which has a place yet. `ns_per_tick` is that of the axis.
    pub(super) fn new(inputs: &[MergeInput<'n>], ns_per_tick: Option<f64>) -> Self {
        let names = inputs.iter().filter_map(|input| match input.alignment {
            Alignment::Event(name) => Some((name.as_bytes(), None)),
            _ => None,
        });
        Self {
            to_ticks: TickScale::new(1.0 / ns_per_tick.unwrap_or(1.0)),
            start: None,
            events: names.collect(),
            markers: BTreeMap::new(),
            epoch: None,
            monotonic: None,
            has_first: false,
        }
    }

    /// Finds the place of the next trace, and whether it is of the machine whose monotonic time the axis knows.
    pub(super) fn place(&mut self, input: &MergeInput<'_>, scale: TickScale) -> (Placement, bool) {
        let trace = input.trace;
        let start = trace.bounds().map(|bounds| scale.convert(bounds.start));
        let (events, markers) = (self.first_events(trace, scale), sync_markers(trace, scale));
        let ticks = |ns: i64| self.to_ticks.convert(Tick(ns));
        let clock = match input.alignment {
            Alignment::Monotonic => {
                let clock = trace.clock();
                clock.with_monotonic_ns(clock.monotonic_ns.or(Some(0)))
            }
            _ => {
                let clock = trace.clock();
                let is_unknown = clock.epoch_ns.is_none() && clock.monotonic_ns.is_none();
                if is_unknown && has_unix_times(trace) { clock.with_epoch_ns(Some(0)) } else { clock }
            }
        };
        let [epoch, monotonic] = [clock.epoch_ns, clock.monotonic_ns].map(|ns| ns.map(ticks));
        let second = ticks(1_000_000_000);
        let is_near = |a: i128, b: i128| (a - b).abs() <= second;
        // Both clocks tell that the machine was not started anew. The Unix time of many files is rounded, and may be set.
        let is_same_start = || {
            let (epoch, monotonic) = (self.epoch? - epoch?, self.monotonic? - monotonic?);
            is_near(epoch, monotonic).then_some(())
        };
        let by = |by, there: Option<i128>, here: Option<i128>| Some(Placement::new(by, there? - here?, 0));
        let placement = match input.alignment {
            Alignment::Auto | Alignment::Monotonic if !self.has_first => Some(Placement::FIRST),
            Alignment::Offset(ns) => Some(Placement::new(PlacedBy::Offset, ticks(ns), 0)),
            Alignment::Start => by(PlacedBy::Start, self.start, start),
            Alignment::Event(name) => {
                let name = name.as_bytes();
                let here = events.iter().find(|&&(event, _)| event == name);
                by(PlacedBy::Event, self.events.get(name).copied().flatten(), here.map(|&(_, at)| at))
            }
            Alignment::Monotonic => by(PlacedBy::Monotonic, monotonic, self.monotonic),
            Alignment::Auto => self
                .by_clock_sync(&markers)
                .or_else(|| is_same_start().and_then(|()| by(PlacedBy::Monotonic, monotonic, self.monotonic)))
                .or_else(|| by(PlacedBy::Epoch, epoch, self.epoch))
                .or_else(|| by(PlacedBy::Monotonic, monotonic, self.monotonic)),
        };
        let placement = placement.unwrap_or(Placement::new(PlacedBy::Nothing, 0, 0));
        let offset = i128::from(placement.offset.0);
        let here = monotonic.map(|monotonic| monotonic - offset);
        let is_of_machine = match (here, self.monotonic) {
            (Some(here), Some(axis)) => is_near(here, axis),
            (here, None) => here.is_some(),
            (None, _) => false,
        } && placement.by != PlacedBy::Nothing;
        if !self.has_first {
            self.start = start.map(|start| start + offset);
            self.has_first = true;
        }
        if placement.by != PlacedBy::Nothing {
            for (name, at) in events {
                self.events.entry(name).or_default().get_or_insert(at + offset);
            }
            for (id, marker) in markers {
                let marker = SyncTimes { at: marker.at + offset, ..marker };
                let best = self.markers.entry(id).or_insert(marker);
                if marker.error < best.error {
                    *best = marker;
                }
            }
            self.epoch = self.epoch.or(epoch.map(|epoch| epoch - offset));
            self.monotonic = self.monotonic.or(here);
        }
        (placement, is_of_machine)
    }

    /// Returns the times of the first slice or instant of a trace with each of the wanted names.
    fn first_events(&self, trace: &Trace, scale: TickScale) -> Vec<(&'n [u8], i128)> {
        let names = trace.names();
        if self.events.keys().all(|name| names.find(name).is_none()) {
            return Vec::new();
        }
        let mut first_of = vec![i128::MAX; names.len()];
        let slices = trace.slices();
        let of_slices = slices
            .ids()
            .iter()
            .filter_map(|id| Some((trace.slice_name_id(id)?, slices.starts().get(id.index())?)));
        for (name, &at) in of_slices.chain(trace.instants().iter().map(|instant| (instant.name, &instant.at)))
        {
            if let Some(first) = first_of.get_mut(name.index()) {
                *first = scale.convert(at).min(*first);
            }
        }
        let first = |&name: &&'n [u8]| Some((name, *first_of.get(names.find(name)?.index())?));
        self.events.keys().filter_map(first).filter(|&(_, at)| at != i128::MAX).collect()
    }

    /// Places a trace by the marker that both have and whose time is known best.
    fn by_clock_sync(&self, markers: &[(SyncId, SyncTimes)]) -> Option<Placement> {
        let pairs = markers.iter().filter_map(|(id, here)| Some((self.markers.get(id)?, here)));
        let (there, here) = pairs.min_by_key(|(there, here)| there.error + here.error)?;
        Some(Placement::new(PlacedBy::ClockSync, there.at - here.at, there.error + here.error))
    }
}

/// Returns whether the times of a trace are Unix times although the file does not say so: whether they are after the year
/// 2000. No clock that begins when a machine starts has counted for so long. PyTorch and others write the microseconds of the
/// Unix time.
fn has_unix_times(trace: &Trace) -> bool {
    let start_ns = || {
        let start = trace.bounds()?.start;
        Some(clamped(TickScale::new(trace.clock().ns_per_tick()?).convert(start)))
    };
    start_ns().and_then(Clock::believable_epoch_ns).is_some()
}

/// The id of a marker as text, and whether it is one.
type SyncId = (bool, Vec<u8>);

/// When a marker of clock synchronisation happened. Chrome writes one into the trace of each of two clocks.
#[derive(Debug, Clone, Copy)]
struct SyncTimes {
    at: i128,
    /// How far the time may be wrong.
    error: i128,
}

/// Returns the markers of a trace. One that asked for the synchronisation has an argument with the time at which it did, and
/// happened between both times.
fn sync_markers(trace: &Trace, scale: TickScale) -> Vec<(SyncId, SyncTimes)> {
    let markers = trace.others().iter().filter(|event| event.tag == b'c');
    markers
        .filter_map(|event| {
            let id = match trace.args_of(event).get(b"sync_id")? {
                Value::Text(text) => (true, text.unescape().into_owned()),
                id => (false, id.to_string().into_bytes()),
            };
            let time = scale.convert(event.at);
            let issued = issued(trace, event).map_or(time, |at| scale.convert(at));
            let error = (time.max(issued) - time.min(issued)) / 2;
            Some((id, SyncTimes { at: issued.min(time) + error, error }))
        })
        .collect()
}

/// Returns the time at which a marker asked for the synchronisation. It is in the unit of Trace Event JSON, whose ticks are
/// nanoseconds.
fn issued(trace: &Trace, event: &OtherEvent) -> Option<Tick> {
    let args = trace.args_of(event);
    let of_number = || match args.get(b"issue_ts")? {
        Value::I64(us) => us.checked_mul(1000),
        _ => None,
    };
    json_args_micros(&args, b"issue_ts").or_else(of_number).map(Tick)
}
