//! The clocks of a trace and how their times relate. [perfetto 3](crate::rules::perfetto#3)

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Bound;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{Clock, DiagnosticKind};

use super::proto::numbers::clock_snapshot;
use super::schema;
use crate::ftrace::Output;
use crate::protobuf::{Damaged, Message as _, repeated};

/// A clock: its id, and the sequence that it belongs to, which is 0 for a clock of the whole trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct ClockId {
    id: u32,
    sequence: u32,
}

impl ClockId {
    pub(super) const REALTIME: Self = Self::global(1);
    pub(super) const MONOTONIC: Self = Self::global(3);
    pub(super) const BOOTTIME: Self = Self::global(6);

    pub(super) const fn global(id: u32) -> Self {
        Self { id, sequence: 0 }
    }

    /// Returns the clock that a packet of a sequence means: those from 64 to 127 belong to the sequence.
    pub(super) const fn new(id: u32, sequence: u32) -> Self {
        Self { id, sequence: if id >= 64 && id < 128 { sequence } else { 0 } }
    }
}

/// A reading of a clock that was taken together with others.
#[derive(Debug, Clone, Copy)]
struct Reading {
    clock: ClockId,
    ns: i64,
}

/// What was found out about the clock that was used last, as far as the snapshots say that were read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KnownClock {
    clock: ClockId,
    generation: u32,
    /// The position of its scale, if it has one.
    scale: Option<usize>,
    offset: Option<Offset>,
}

/// Whether a time is what the packet says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Fits,
    /// It is out of range.
    Clamped,
    /// Nothing relates its clock to that of the trace.
    Unrelated,
}

impl Output<'_> {
    /// Reports a time that is not what the packet says. [perfetto 3.2](crate::rules::perfetto#3.2)
    #[inline]
    pub(super) fn fit(&mut self, fit: Fit) {
        match fit {
            Fit::Fits => {}
            Fit::Clamped => self.report(DiagnosticKind::TimeOutOfRange),
            Fit::Unrelated => self.report(DiagnosticKind::UnknownClock),
        }
    }

    /// Reports a message of which only a part can be read. [perfetto 1.3](crate::rules::perfetto#1.3)
    #[inline]
    pub(super) fn check(&mut self, whole: Result<(), Damaged>) {
        if whole.is_err() {
            self.report(DiagnosticKind::DamagedRecord);
        }
    }
}

/// What is known about the clocks.
#[derive(Debug, Clone)]
pub(super) struct Clocks {
    /// The clock of the trace.
    pub(super) trace: ClockId,
    /// The times of a second clock, by the time of a first one at the same moment.
    moments: BTreeMap<(ClockId, ClockId, i64), i64>,
    /// The number of snapshots, which tells what was found before the latest one.
    generation: u32,
    scales: Vec<Scale>,
    scale_of: HashMap<ClockId, usize, RandomState>,
}

/// How the numbers of packets mean times of a clock.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// The nanoseconds of a unit.
    multiplier: i64,
    /// The latest number, if the numbers are differences.
    sum: Option<i64>,
}

/// The distance of two clocks, and the times of the first clock for which it holds.
#[derive(Debug, Clone, Copy)]
struct Offset {
    ns: i64,
    first: i64,
    last: i64,
}

impl Offset {
    /// Returns the distance for the times that both hold for: first this one, then that of the clock it leads to.
    fn then(self, next: Self) -> Self {
        Self {
            ns: self.ns.saturating_add(next.ns),
            first: self.first.max(next.first.saturating_sub(self.ns)),
            last: self.last.min(next.last.saturating_sub(self.ns)),
        }
    }
}

/// The number of clocks between two others that are tried. Real traces need one: the clock of a sequence relates to one
/// of the system's clocks, and that to the clock of the trace.
const MAX_BETWEEN: usize = 16;

impl Default for Clocks {
    fn default() -> Self {
        Self {
            trace: ClockId::BOOTTIME,
            moments: BTreeMap::new(),
            generation: 0,
            scales: Vec::new(),
            scale_of: HashMap::default(),
        }
    }
}

impl Clocks {
    /// Takes a snapshot of a sequence. All its readings relate to one of them: to the trace's clock if it is there. Returns
    /// whether one of them had to be clamped.
    pub(super) fn snapshot(&mut self, message: &[u8], sequence: u32) -> Fit {
        use crate::protobuf::{Fields, FromWire as _};
        self.generation = self.generation.wrapping_add(1);
        for (number, value) in Fields::new(message).map_while(Result::ok) {
            if let (2, Some(clock)) = (number, u32::from_wire(value).filter(|&clock| clock != 0)) {
                self.trace = ClockId::global(clock);
            }
        }
        let readings =
            repeated(message, clock_snapshot::CLOCKS).map(schema::Clock::of).filter(|clock| clock.id != 0);
        let readings = readings.map(|found| {
            let clock = ClockId::new(found.id, sequence);
            let multiplier = i64::try_from(found.multiplier.max(1)).unwrap_or(i64::MAX);
            let units = i64::try_from(found.timestamp).unwrap_or(i64::MAX);
            (Reading { clock, ns: units.saturating_mul(multiplier) }, units, multiplier, found.is_incremental)
        });
        let is_clamped = readings.clone().any(|(reading, ..)| reading.ns == i64::MAX);
        let fit = if is_clamped { Fit::Clamped } else { Fit::Fits };
        let mut hub: Option<Reading> = None;
        for (reading, units, multiplier, is_incremental) in readings.clone() {
            let is_better = hub.is_none_or(|hub| hub.clock != self.trace && hub.clock.sequence != 0);
            if is_better || reading.clock == self.trace {
                hub = Some(reading);
            }
            let scale = Scale { multiplier, sum: is_incremental.then_some(units) };
            match self.scale_of.get(&reading.clock).and_then(|&at| self.scales.get_mut(at)) {
                Some(known) => *known = scale,
                None if multiplier == 1 && !is_incremental => {}
                None => {
                    self.scale_of.insert(reading.clock, self.scales.len());
                    self.scales.push(scale);
                }
            }
        }
        let Some(hub) = hub else { return fit };
        for (reading, ..) in readings.filter(|(reading, ..)| reading.clock != hub.clock) {
            self.relate(reading, hub);
            self.relate(hub, reading);
        }
        fit
    }

    /// Returns the time of the trace that a number in a packet of a sequence means. A time that is out of range is
    /// clamped, and one of a clock that nothing relates to the trace stays as it is: the result says so.
    #[inline]
    pub(super) fn time(&mut self, clock: ClockId, number: u64, known: &mut KnownClock) -> (i64, Fit) {
        let units = i64::try_from(number);
        let mut fit = if units.is_ok() { Fit::Fits } else { Fit::Clamped };
        let units = units.unwrap_or(i64::MAX);
        let mut ns = units;
        self.find(clock, known);
        if let Some(scale) = known.scale.and_then(|at| self.scales.get_mut(at)) {
            if let Some(sum) = &mut scale.sum {
                let next = sum.checked_add(units);
                if next.is_none() {
                    fit = Fit::Clamped;
                }
                *sum = next.unwrap_or(i64::MAX);
                ns = *sum;
            }
            let scaled = ns.checked_mul(scale.multiplier);
            if scaled.is_none() {
                fit = Fit::Clamped;
            }
            ns = scaled.unwrap_or(i64::MAX);
        }
        self.place_known(ns, known, fit)
    }

    /// Returns the time of the trace for one of a clock, in nanoseconds.
    pub(super) fn place(&self, clock: ClockId, ns: i64, known: &mut KnownClock, fit: Fit) -> (i64, Fit) {
        self.find(clock, known);
        self.place_known(ns, known, fit)
    }

    /// Finds out about a clock, unless it is known.
    #[inline]
    fn find(&self, clock: ClockId, known: &mut KnownClock) {
        let generation = self.generation;
        if (known.clock, known.generation) != (clock, generation) {
            *known =
                KnownClock { clock, generation, scale: self.scale_of.get(&clock).copied(), offset: None };
        }
    }

    #[inline]
    fn place_known(&self, ns: i64, known: &mut KnownClock, fit: Fit) -> (i64, Fit) {
        let offset = match known.offset {
            Some(offset) if (offset.first..=offset.last).contains(&ns) => offset.ns,
            _ => {
                known.offset = self.offset(known.clock, ns);
                let Some(found) = known.offset else {
                    // A file without snapshots has one clock.
                    return (ns, if self.moments.is_empty() { fit } else { Fit::Unrelated });
                };
                found.ns
            }
        };
        match ns.checked_add(offset) {
            Some(ns) => (ns, fit),
            None => (ns.saturating_add(offset), Fit::Clamped),
        }
    }

    /// Relates two clocks that showed these times at the same moment.
    pub(super) fn relate_ns(&mut self, (clock, ns): (ClockId, i64), (other, other_ns): (ClockId, i64)) {
        let (from, to) = (Reading { clock, ns }, Reading { clock: other, ns: other_ns });
        self.generation = self.generation.wrapping_add(1);
        self.relate(from, to);
        self.relate(to, from);
    }

    fn relate(&mut self, from: Reading, to: Reading) {
        self.moments.insert((from.clock, to.clock, from.ns), to.ns);
    }

    /// Returns the distance from a clock to that of the trace at a time, or `None` if no snapshot tells.
    fn offset(&self, clock: ClockId, ns: i64) -> Option<Offset> {
        if clock == self.trace {
            return Some(Offset { ns: 0, first: i64::MIN, last: i64::MAX });
        }
        self.direct(clock, self.trace, ns)
            .or_else(|| self.through(clock, ns, |at, ns| self.direct(at, self.trace, ns)))
            .or_else(|| {
                self.through(clock, ns, |at, ns| {
                    self.through(at, ns, |at, ns| self.direct(at, self.trace, ns))
                })
            })
    }

    /// Returns the distance of two clocks that a snapshot has both: the latest before the time, or else the first.
    fn direct(&self, from: ClockId, to: ClockId, ns: i64) -> Option<Offset> {
        let of_pair = |first, last| self.moments.range((first, last));
        let key = |ns| (from, to, ns);
        let before = of_pair(Bound::Included(key(i64::MIN)), Bound::Included(key(ns))).next_back();
        let after = of_pair(Bound::Excluded(key(ns)), Bound::Included(key(i64::MAX))).next();
        let (&(.., at), &then) = before.or(after)?;
        // The first moment holds for all times before it, and so does the latest for those behind it.
        let (first, behind) = match before {
            Some(_) => (at, after),
            None => (i64::MIN, of_pair(Bound::Excluded(key(at)), Bound::Included(key(i64::MAX))).next()),
        };
        let last = behind.map_or(i64::MAX, |(&(.., next), _)| next.saturating_sub(1));
        Some(Offset { ns: then.saturating_sub(at), first, last })
    }

    /// Returns the distance from a clock to that of the trace by way of one that `rest` leads on from.
    fn through(
        &self,
        from: ClockId,
        ns: i64,
        rest: impl Fn(ClockId, i64) -> Option<Offset>,
    ) -> Option<Offset> {
        let mut behind = Bound::Included((from, ClockId::global(0), i64::MIN));
        for _ in 0..MAX_BETWEEN {
            let (&(found, between, _), _) = self.moments.range((behind, Bound::Unbounded)).next()?;
            if found != from {
                return None;
            }
            if let Some(first) = self.direct(from, between, ns)
                && let Some(rest) = rest(between, ns.saturating_add(first.ns))
            {
                return Some(first.then(rest));
            }
            behind = Bound::Excluded((from, between, i64::MAX));
        }
        None
    }

    /// Returns the unit of times, and what other clocks showed at tick 0 as far as the first snapshots tell.
    pub(super) fn clock(&self) -> Clock {
        let at_tick_0 = |clock| match self.trace == clock {
            true => Some(0),
            false => self.direct(self.trace, clock, i64::MIN).map(|offset| offset.ns),
        };
        Clock::NANOSECONDS
            .with_epoch_ns(at_tick_0(ClockId::REALTIME))
            .with_monotonic_ns(at_tick_0(ClockId::MONOTONIC))
    }
}
