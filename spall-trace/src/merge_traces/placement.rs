//! Finds out where the times of a trace lie on the axis of another.

use alloc::vec::Vec;

use spall_model::{Clock, SliceId, Tick, Ticks, Trace, TraceView, Value};

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
    /// The Unix times of tick 0 are known for this trace and an earlier one.
    Epoch,
    /// The monotonic times of tick 0 are known for this trace and an earlier one, but not both Unix times.
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

    /// Returns whether the times can be compared with those of the first trace.
    fn is_on_the_axis(&self) -> bool {
        self.by != PlacedBy::Nothing
    }
}

/// A trace with a place on the axis.
pub(super) struct Placed<'t> {
    pub(super) trace: &'t Trace<'t>,
    pub(super) scale: TickScale,
    pub(super) placement: Placement,
}

impl Placed<'_> {
    /// Returns a time of the trace on the axis.
    fn at(&self, at: Tick) -> i128 {
        self.scale.convert(at) + i128::from(self.placement.offset.0)
    }
}

/// Finds the place of a trace among those that have one. `ns_per_tick` is that of the axis.
pub(super) fn place(
    input: &MergeInput<'_>,
    scale: TickScale,
    placed: &[Placed<'_>],
    ns_per_tick: Option<f64>,
) -> Placement {
    let trace = input.trace;
    let to_ticks = TickScale::new(1.0 / ns_per_tick.unwrap_or(1.0));
    let nowhere = Placement::new(PlacedBy::Nothing, 0, 0);
    match input.alignment {
        Alignment::Offset(ns) => Placement::new(PlacedBy::Offset, to_ticks.convert(Tick(ns)), 0),
        Alignment::Start => {
            let start = |trace: &Trace<'_>| trace.bounds().map(|bounds| bounds.start);
            let first = placed.first().and_then(|first| Some(first.at(start(first.trace)?)));
            match (first, start(trace)) {
                (Some(first), Some(start)) => {
                    Placement::new(PlacedBy::Start, first - scale.convert(start), 0)
                }
                _ => nowhere,
            }
        }
        Alignment::Event(name) => {
            let mut there = placed
                .iter()
                .filter(|other| other.placement.is_on_the_axis())
                .filter_map(|other| Some(other.at(first_event(other.trace, name)?)));
            match (there.next(), first_event(trace, name)) {
                (Some(there), Some(here)) => Placement::new(PlacedBy::Event, there - scale.convert(here), 0),
                _ => nowhere,
            }
        }
        Alignment::Auto => by_clock_sync(trace, scale, placed)
            .or_else(|| by_tick_0(trace, placed, to_ticks, PlacedBy::Epoch, |clock| clock.epoch_ns))
            .or_else(|| by_tick_0(trace, placed, to_ticks, PlacedBy::Monotonic, |clock| clock.monotonic_ns))
            .unwrap_or(nowhere),
    }
}

/// Returns the time of the first slice or instant with a name.
fn first_event(trace: &Trace<'_>, name: &str) -> Option<Tick> {
    let name = trace.names().find(name.as_bytes())?;
    let slices = trace.slices();
    let of_slices = slices.ids().iter().filter(|&id| trace.slice_name_id(id) == Some(name));
    let starts = of_slices.filter_map(|id: SliceId| slices.starts().get(id.index()).copied());
    let instants = trace.instants().iter().filter(|instant| instant.name == name).map(|instant| instant.at);
    starts.chain(instants).min()
}

/// A marker of clock synchronisation. Chrome writes one into the trace of each of two clocks.
struct SyncMarker<'t> {
    id: Value<'t>,
    /// The marker happened between these times of the axis.
    times: (i128, i128),
}

/// Returns the markers of a trace. One that asked for the synchronisation has an argument with the time at which it did.
fn sync_markers<'t>(trace: &'t Trace<'_>, at: impl Fn(Tick) -> i128) -> Vec<SyncMarker<'t>> {
    let markers = trace.others().iter().filter(|event| event.tag == b'c');
    markers
        .filter_map(|event| {
            let args = trace.args_of(event);
            let time = at(event.at);
            let issued = args.get(b"issue_ts").and_then(microseconds).map_or(time, &at);
            Some(SyncMarker { id: args.get(b"sync_id")?, times: (issued.min(time), time) })
        })
        .collect()
}

/// Returns a time in the unit of Trace Event JSON as ticks, which are nanoseconds there.
fn microseconds(value: Value<'_>) -> Option<Tick> {
    match value {
        Value::I64(us) => us.checked_mul(1000).map(Tick),
        // A float holds microseconds of a day to the picosecond.
        #[allow(
            clippy::cast_possible_truncation,
            reason = "beyond the range, the cast takes the first or last tick"
        )]
        Value::F64(us) => Some(Tick((us * 1000.0) as i64)),
        _ => None,
    }
}

/// Places a trace by the marker that both traces have and whose time is known best.
fn by_clock_sync(trace: &Trace<'_>, scale: TickScale, placed: &[Placed<'_>]) -> Option<Placement> {
    let here = sync_markers(trace, |at| scale.convert(at));
    if here.is_empty() {
        return None;
    }
    let known = placed.iter().filter(|other| other.placement.is_on_the_axis());
    let there: Vec<_> = known.flat_map(|other| sync_markers(other.trace, |at| other.at(at))).collect();
    let same_id = |a: &SyncMarker<'_>, b: &SyncMarker<'_>| match (a.id, b.id) {
        (Value::Text(a), Value::Text(b)) => a.unescape() == b.unescape(),
        (a, b) => a == b,
    };
    let pairs = here
        .iter()
        .flat_map(|here| there.iter().filter(|there| same_id(here, there)).map(move |there| (here, there)));
    // The error is half of the times in which the marker may have happened, in both traces.
    let error = |marker: &SyncMarker<'_>| (marker.times.1 - marker.times.0) / 2;
    let (here, there) = pairs.min_by_key(|(here, there)| error(here) + error(there))?;
    let middle = |marker: &SyncMarker<'_>| marker.times.0 + error(marker);
    Some(Placement::new(PlacedBy::ClockSync, middle(there) - middle(here), error(here) + error(there)))
}

/// Places a trace by what a clock of the machine showed at its tick 0.
fn by_tick_0(
    trace: &Trace<'_>,
    placed: &[Placed<'_>],
    to_ticks: TickScale,
    by: PlacedBy,
    shown: impl Fn(Clock) -> Option<i64>,
) -> Option<Placement> {
    let here = shown(trace.clock())?;
    let known = placed.iter().filter(|other| other.placement.is_on_the_axis());
    let (other, there) = known.filter_map(|other| Some((other, shown(other.trace.clock())?))).next()?;
    let offset = to_ticks.convert(Tick(here)) - to_ticks.convert(Tick(there));
    Some(Placement::new(by, offset + i128::from(other.placement.offset.0), 0))
}
