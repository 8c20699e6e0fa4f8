//! The profiles of threads, and the time that their samples stand for. [profiles 4.4](spall_model::rules::profiles#4.4)

use alloc::vec::Vec;

use spall_model::{
    Budget, Event, Interner, NameId, Names, ProfileEvent, ProfileId, Text, Thread, Tick, Ticks, Unit,
    UnitName, Weights,
};

/// The ids of a thread in the file. Without a process, the model takes a thread for one of the process of the same id.
pub(super) type ThreadIds = (Option<i64>, i64);

/// Returns the thread with these ids.
pub(super) fn thread((pid, tid): ThreadIds) -> Thread<'static> {
    Thread::new(pid.unwrap_or(tid), tid)
}

/// The profiles of a file: the samples of a thread that an event triggered are one.
#[derive(Debug, Default)]
pub(super) struct Profiles {
    /// The thread and the event of each profile.
    ids: Interner<(ThreadIds, NameId)>,
    /// What pays for them.
    budget: Budget,
    /// The time of the last sample of each profile; without times, where the next sample begins.
    last: Vec<i64>,
    /// The command that the thread of each profile had at its last sample.
    comms: Vec<NameId>,
    events: Interner<NameId>,
    /// The samples of each event.
    samples: Vec<Samples>,
}

/// The place of a sample in its profile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) at: Tick,
    /// Whether 63 bits hold the end of the sample.
    pub(super) fits: bool,
    /// Whether the thread has another command than at the sample before, or there is none.
    pub(super) is_renamed: bool,
}

/// What is known of all samples of an event.
#[derive(Debug, Default)]
struct Samples {
    /// The distances of samples from those of their threads before them.
    distances: Vec<u64>,
    /// How much of what the event counts each of these samples stands for.
    weights: Vec<u64>,
    /// Whether a sample has no time.
    is_untimed: bool,
}

impl Profiles {
    /// Adds a sample of a thread and an event, and returns its place. Without times, it lies behind the sample before. `None` if
    /// the thread and the event are new, and the `read` bytes of the file do not pay for them.
    pub(super) fn add(
        &mut self,
        (thread, event): (ThreadIds, NameId),
        comm: NameId,
        at: Option<i64>,
        weight: u64,
        read: u64,
    ) -> Option<Place> {
        let Self { ids, budget, .. } = self;
        let profile = ids.add_if((thread, event), || budget.spend(Budget::PROFILE, read))? as usize;
        let is_new = profile == self.last.len();
        if is_new {
            self.last.push(at.unwrap_or(0));
            self.comms.push(comm);
        }
        let comm_before = core::mem::replace(self.comms.get_mut(profile)?, comm);
        let is_renamed = is_new || comm_before != comm;
        let event = self.events.add(event) as usize;
        if event == self.samples.len() {
            self.samples.push(Samples::default());
        }
        let samples = self.samples.get_mut(event)?;
        let last = self.last.get_mut(profile)?;
        let Some(at) = at else {
            let begin = *last;
            let end = begin.checked_add_unsigned(weight);
            samples.is_untimed = true;
            *last = end.unwrap_or(i64::MAX);
            return Some(Place { at: Tick(begin), fits: end.is_some(), is_renamed });
        };
        if let Some(distance @ 1..) = at.checked_sub(*last).and_then(|distance| u64::try_from(distance).ok())
        {
            samples.distances.push(distance);
            samples.weights.push(weight);
        }
        *last = at;
        Some(Place { at: Tick(at), fits: true, is_renamed })
    }

    /// Hands over what is known of each profile at the end of the file.
    pub(super) fn finish(&mut self, texts: &Names, mut each: impl FnMut(&Event<'_>)) {
        let names = self.events.keys().iter().map(|&event| texts.bytes(event));
        let samples = names.zip(&mut self.samples).zip(0..);
        let weights: Vec<Weights> =
            samples.map(|((event, samples), number)| samples.weights(event, number == 0)).collect();
        for &(ids, name) in self.ids.keys() {
            let Some(event) = self.events.find(&name) else { continue };
            let Some(&weights) = weights.get(event as usize) else { continue };
            let name = Text::plain(texts.bytes(name));
            let facts = ProfileEvent::new(ProfileId::OfThread(thread(ids), name)).with_weights(weights);
            // Events count different things, so that only one of them counts: the first one of the file.
            let facts = if event == 0 { facts.with_rank(3) } else { facts };
            each(&Event::Profile(facts));
        }
    }
}

impl Samples {
    /// Returns what the weights of samples of an event count. [samples 3](spall_model::rules::samples#3)
    fn weights(&mut self, event: &[u8], is_first: bool) -> Weights {
        if self.is_untimed && is_first {
            // The axis is that of the first event.
            return Weights::Axis(Ticks(1));
        }
        if self.is_untimed || !goes_with_time(event) {
            return Weights::Counted(unit(event));
        }
        let has_weights = self.weights.iter().any(|&weight| weight > 1);
        if is_clock(event) && has_weights {
            return Weights::TimeBefore(1.0);
        }
        Weights::TimeBefore(self.ticks())
    }

    /// Returns the time for which a weight of 1 stands: the median distance of samples for the median weight. The numbers of
    /// both are those of samples that ran without a pause, if most of them did.
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    fn ticks(&mut self) -> f64 {
        let weight = median(&mut self.weights).max(1);
        median(&mut self.distances).max(1) as f64 / weight as f64
    }
}

/// Returns the unit of what an event counts.
pub(super) fn unit(event: &[u8]) -> Unit {
    match core::str::from_utf8(event) {
        _ if is_clock(event) => Unit::Nanoseconds(1.0),
        Ok(event) if !event.is_empty() => Unit::Count(UnitName::new(event)),
        _ => Unit::Count(UnitName::new("samples")),
    }
}

/// Returns whether an event counts something that goes on all the time while a thread runs, so that a sample stands for time.
/// So do samples of which the file does not name the event.
fn goes_with_time(event: &[u8]) -> bool {
    const EVENTS: [&[u8]; 6] = [b"", b"cycles", b"cpu-cycles", b"instructions", b"ref-cycles", b"bus-cycles"];
    is_clock(event) || EVENTS.contains(&event)
}

/// Returns whether an event counts nanoseconds.
fn is_clock(event: &[u8]) -> bool {
    matches!(event, b"cpu-clock" | b"task-clock")
}

/// Returns the median, the greater one of two; 0 if there are no numbers.
fn median(numbers: &mut [u64]) -> u64 {
    let middle = numbers.len() / 2;
    if numbers.is_empty() { 0 } else { *numbers.select_nth_unstable(middle).1 }
}
