//! The profiles of threads, and the time that their samples stand for. [profiles 4.4](spall_model::rules::profiles#4.4)

use alloc::vec::Vec;

use spall_model::{Event, Interner, NameId, Names, Text, Thread, ThreadProfileEvent, Tick, Ticks};

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
    /// The time of the last sample of each profile; without times, where the next sample begins.
    last: Vec<i64>,
    events: Interner<NameId>,
    /// The samples of each event.
    samples: Vec<Samples>,
}

/// What is known of all samples of an event.
#[derive(Debug, Default)]
struct Samples {
    /// The distances between successive samples of a thread.
    distances: Vec<u64>,
    /// How much of what the event counts each sample stands for.
    weights: Vec<u64>,
}

impl Profiles {
    /// Adds a sample of a thread and an event, and returns its time. Without times, it lies behind the sample before, and the
    /// result says whether 63 bits hold its end. There are at most `max` profiles; `None` if there would be more.
    pub(super) fn add(
        &mut self,
        (thread, event): (ThreadIds, NameId),
        at: Option<i64>,
        weight: u64,
        max: usize,
    ) -> Option<(Tick, bool)> {
        if self.last.len() >= max && self.ids.find(&(thread, event)).is_none() {
            return None;
        }
        let profile = self.ids.add((thread, event)) as usize;
        if profile == self.last.len() {
            self.last.push(at.unwrap_or(0));
        }
        let event = self.events.add(event) as usize;
        if event == self.samples.len() {
            self.samples.push(Samples::default());
        }
        let samples = self.samples.get_mut(event)?;
        let last = self.last.get_mut(profile)?;
        let Some(at) = at else {
            let begin = *last;
            let end = begin.checked_add_unsigned(weight);
            *last = end.unwrap_or(i64::MAX);
            return Some((Tick(begin), end.is_some()));
        };
        if let Some(distance @ 1..) = at.checked_sub(*last).and_then(|distance| u64::try_from(distance).ok())
        {
            samples.distances.push(distance);
        }
        samples.weights.push(weight);
        *last = at;
        Some((Tick(at), true))
    }

    /// Hands over what is known of each profile at the end of the file.
    pub(super) fn finish(&mut self, texts: &Names, mut each: impl FnMut(&Event<'_>)) {
        let names = self.events.keys().iter().map(|&event| texts.bytes(event));
        let periods: Vec<Ticks> =
            names.zip(&mut self.samples).map(|(event, samples)| samples.period(event)).collect();
        for &(ids, name) in self.ids.keys() {
            let Some(event) = self.events.find(&name) else { continue };
            let Some(&period) = periods.get(event as usize) else { continue };
            let name = Text::plain(texts.bytes(name));
            let facts = ThreadProfileEvent::new(thread(ids), name).with_period(period);
            // Events count different things, so that only one of them counts: the first one of the file.
            let facts = if event == 0 { facts.with_rank(3) } else { facts };
            each(&Event::ThreadProfile(facts));
        }
    }
}

impl Samples {
    /// Returns the time that a sample of weight 1 stands for.
    fn period(&mut self, event: &[u8]) -> Ticks {
        let weight = median(&mut self.weights).max(1);
        let is_time = is_clock(event) && weight > 1;
        let period =
            if is_time { 1 } else { median(&mut self.distances).saturating_add(weight / 2) / weight };
        Ticks(i64::try_from(period).unwrap_or(i64::MAX).max(1))
    }
}

/// Returns whether an event counts nanoseconds.
pub(super) fn is_clock(event: &[u8]) -> bool {
    matches!(event, b"cpu-clock" | b"task-clock")
}

/// Returns the median, the greater one of two; 0 if there are no numbers.
fn median(numbers: &mut [u64]) -> u64 {
    let middle = numbers.len() / 2;
    if numbers.is_empty() { 0 } else { *numbers.select_nth_unstable(middle).1 }
}
