//! The profiles of threads, and the time that their samples stand for. [profiles 4.4](spall_model::rules::profiles#4.4)

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{Event, Text, Thread, ThreadProfileEvent, Tick, Ticks};

use super::texts::{TextId, Texts};

/// The ids of a thread in the file. Without a process, the model takes a thread for one of the process of the same id.
pub(super) type ThreadIds = (Option<i64>, i64);

/// Returns the thread with these ids.
pub(super) fn thread((pid, tid): ThreadIds) -> Thread<'static> {
    Thread::new(pid.unwrap_or(tid), tid)
}

/// The profiles of a file: the samples of a thread that an event triggered are one.
#[derive(Debug, Default)]
pub(super) struct Profiles {
    by_thread: HashMap<(ThreadIds, TextId), usize, RandomState>,
    profiles: Vec<Profile>,
    by_event: HashMap<TextId, usize, RandomState>,
    events: Vec<Samples>,
}

#[derive(Debug, Clone, Copy)]
struct Profile {
    thread: ThreadIds,
    /// The position of its event.
    event: usize,
    /// The time of the last sample; without times, where the next sample begins.
    last: i64,
}

/// What is known of all samples of an event.
#[derive(Debug)]
struct Samples {
    event: TextId,
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
        (thread, event): (ThreadIds, TextId),
        at: Option<i64>,
        weight: u64,
        max: usize,
    ) -> Option<(Tick, bool)> {
        if self.profiles.len() >= max && !self.by_thread.contains_key(&(thread, event)) {
            return None;
        }
        let new = self.events.len();
        let event_at = *self.by_event.entry(event).or_insert(new);
        if event_at == new {
            self.events.push(Samples { event, distances: Vec::new(), weights: Vec::new() });
        }
        let new = self.profiles.len();
        let profile_at = *self.by_thread.entry((thread, event)).or_insert(new);
        if profile_at == new {
            self.profiles.push(Profile { thread, event: event_at, last: at.unwrap_or(0) });
        }
        let samples = self.events.get_mut(event_at)?;
        let profile = self.profiles.get_mut(profile_at)?;
        let Some(at) = at else {
            let begin = profile.last;
            let end = begin.checked_add_unsigned(weight);
            profile.last = end.unwrap_or(i64::MAX);
            return Some((Tick(begin), end.is_some()));
        };
        if let Some(distance @ 1..) =
            at.checked_sub(profile.last).and_then(|distance| u64::try_from(distance).ok())
        {
            samples.distances.push(distance);
        }
        samples.weights.push(weight);
        profile.last = at;
        Some((Tick(at), true))
    }

    /// Hands over what is known of each profile at the end of the file.
    pub(super) fn finish(&mut self, texts: &Texts, mut each: impl FnMut(&Event<'_>)) {
        let periods: Vec<Ticks> = self.events.iter_mut().map(|samples| samples.period(texts)).collect();
        for profile in &self.profiles {
            let Some((samples, &period)) = self.events.get(profile.event).zip(periods.get(profile.event))
            else {
                continue;
            };
            let name = Text::plain(texts.get(samples.event));
            let facts = ThreadProfileEvent::new(thread(profile.thread), name).with_period(period);
            // Events count different things, so that only one of them counts: the first one of the file.
            let facts = if profile.event == 0 { facts.with_rank(3) } else { facts };
            each(&Event::ThreadProfile(facts));
        }
    }
}

impl Samples {
    /// Returns the time that a sample of weight 1 stands for.
    fn period(&mut self, texts: &Texts) -> Ticks {
        let weight = median(&mut self.weights).max(1);
        let is_time = is_clock(texts.get(self.event)) && weight > 1;
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
