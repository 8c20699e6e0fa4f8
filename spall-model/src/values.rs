//! The values that the samples of a trace have, and the choice of one of them.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::fmt;

use crate::{
    Clock, NameId, Tick, Ticks, Trace, TrackId, Value, ValueTypes, Weights,
    profile::{Profile, Side, samples_end},
};

/// A value that the weights of samples have, such as `cpu/nanoseconds`, or an event that triggered samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SampleValue {
    /// The name; empty if the file does not say. It is that of the profiles.
    pub name: NameId,
    /// What the weights count.
    pub weights: Weights,
    /// The number of samples that have the value.
    pub n_samples: u64,
    /// The sum of their weights.
    pub weight: f64,
    /// Whether it is the value that counts on at least one track.
    pub counts: bool,
}

/// No samples of a trace have a value of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownValue {
    wanted: String,
    /// The names of the values that there are.
    names: Vec<String>,
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no samples have the value \"{}\". ", self.wanted)?;
        match &*self.names {
            [] => f.write_str("There are no samples."),
            names => write!(f, "They have: {}.", names.join(", ")),
        }
    }
}

impl core::error::Error for UnknownValue {}

impl Profile {
    /// Returns whether the profile counts, if it is the first one of its track. `is_said` is whether the file says which value
    /// does; it says nothing of samples that are not weighed.
    fn counts(&self, is_said: bool) -> bool {
        !is_said || self.weights == Weights::Samples || self.rank < Profile::SHARED_RANK
    }
}

impl Trace {
    /// Returns the values of the samples, in the order of the tracks and of the ranks of their profiles.
    ///
    /// ```
    /// # use spall_model::{
    /// #     Event, Limits, ProfileEvent, ProfileId, SampleEvent, SampleStack, Thread, Tick, TraceBuilder, Unit, Weights,
    /// # };
    /// # let mut builder = TraceBuilder::new(&Limits::default());
    /// # let main = Thread::new(1, 1);
    /// # for (value, weights, weight) in
    /// #     [("space", Weights::Counted(Unit::Bytes), 64.0), ("time", Weights::TimeBefore(1.0), 5.0)]
    /// # {
    /// #     let id = ProfileId::OfThread(main, value.into());
    /// #     let of = ProfileEvent::new(id).with_weights(weights);
    /// #     builder.push(&Event::Profile(of.with_rank(if value == "time" { 3 } else { 4 })));
    /// #     let mut sample = SampleEvent::new(id, Tick(5), SampleStack::Unknown);
    /// #     sample.weight = weight;
    /// #     builder.push(&Event::Sample(sample));
    /// # }
    /// use spall_model::TraceView;
    /// # let trace = builder.finish(); // a sample of 5 ns in which 64 bytes were allocated
    ///
    /// let values = trace.sample_values();
    /// assert_eq!(values.iter().map(|value| trace.name(value.name)).collect::<Vec<_>>(), ["time", "space"]);
    /// let memory = trace.with_value(Some(values[1].name));
    /// assert_eq!(memory.clock().unit, Unit::Bytes);
    /// assert_eq!(memory.bounds(), Some(Tick(0)..Tick(64)));
    /// ```
    #[must_use]
    pub fn sample_values(&self) -> Vec<SampleValue> {
        let mut values: Vec<SampleValue> = Vec::new();
        let is_said = self.is_value_said();
        for of_track in self.profiles.chunk_by(|a, b| a.track == b.track) {
            for (profile, rank) in of_track.iter().zip(0..) {
                let found = values.iter().position(|value| value.name == profile.name);
                let samples = self.samples_of(profile);
                let weight: f64 = samples.iter().map(|sample| sample.weight).sum();
                let (n_samples, counts) = (samples.len() as u64, rank == 0 && profile.counts(is_said));
                match found.and_then(|at| values.get_mut(at)) {
                    Some(value) => {
                        value.n_samples += n_samples;
                        value.weight += weight;
                        value.counts |= counts;
                    }
                    None => {
                        let &Profile { name, weights, .. } = profile;
                        values.push(SampleValue { name, weights, n_samples, weight, counts });
                    }
                }
            }
        }
        values
    }

    /// Returns whether the trace is a profile in which nothing was sampled, as its file says. That is no damage.
    #[must_use]
    pub fn is_empty_profile(&self) -> bool {
        self.has_fact(ValueTypes::NOTHING)
    }

    /// Returns whether a fact of the file has this key and this text.
    pub(crate) fn has_fact(&self, (key, text): (&str, &str)) -> bool {
        let key = self.names.find(key.as_bytes());
        let is_text = |value| matches!(value, Value::Text(found) if found.is(text.as_bytes()));
        key.is_some() && self.meta.iter().any(|meta| Some(meta.key) == key && is_text(self.meta_value(meta)))
    }

    /// Returns the value with a name, of which the unit may be left out: `cpu` is `cpu/nanoseconds`.
    ///
    /// # Errors
    /// This returns an error that names all values if there is none of this name.
    pub fn sample_value(&self, name: &str) -> Result<SampleValue, UnknownValue> {
        let values = self.sample_values();
        let name_of = |value: &SampleValue| self.names.text(value.name);
        let exact = values.iter().find(|value| name_of(value) == name);
        let found =
            exact.or_else(|| values.iter().find(|value| name_of(value).split('/').next() == Some(name)));
        found.copied().ok_or_else(|| UnknownValue {
            wanted: name.to_owned(),
            names: values.iter().map(|value| name_of(value).into_owned()).collect(),
        })
    }

    /// Returns the trace with the samples of one value: that of this name, or with `None` the one that the file says or has
    /// first. [samples 4](crate::rules::samples#4)
    ///
    /// If the value is none that the axis shows ([`Weights::Counted`]), the trace gets an axis of its unit: the samples of each
    /// thread lie one after another in the order of their times, each as wide as its weight, and what has a time is left out,
    /// such as slices and counters. With `None` this happens only if the trace has nothing but such samples. Threads that have
    /// other values alone are left without samples then, and other values of a thread stay behind the one that counts.
    ///
    /// This takes O(n) for n profiles, slices and samples.
    #[must_use]
    pub fn with_value(mut self, value: Option<NameId>) -> Self {
        let name = match value {
            Some(name) => name,
            None => {
                self.leave_out_other_values();
                match self.counted_alone() {
                    Some(name) => name,
                    None => return self,
                }
            }
        };
        self.profiles.retain(|profile| profile.name == name);
        let unit = self.profiles.iter().find_map(|profile| match profile.weights {
            Weights::Counted(unit) => Some(unit),
            _ => None,
        });
        if let Some(unit) = unit {
            self.lay_out_counted();
            self.clock = Clock::new(unit);
        }
        self
    }

    /// Returns the trace without its samples. The slices that a merge has made of them stay, with the call frames that they are
    /// of, and are all that is added up.
    ///
    /// Where slices are left out of a merged trace, the samples would find functions among what is left, and not where they
    /// are on the timeline.
    #[must_use]
    pub fn without_samples(mut self) -> Self {
        (self.profiles, self.samples) = Default::default();
        self
    }

    /// Returns whether [`with_value`](Self::with_value)`(None)` is another trace, so that one that is shown needs it: threads
    /// have values that do not add up, or there is nothing but a value that the axis does not show.
    #[must_use]
    pub fn needs_value(&self) -> bool {
        let is_said = self.is_value_said();
        let mut of_tracks = self.profiles.chunk_by(|a, b| a.track == b.track).filter_map(<[Profile]>::first);
        of_tracks.any(|profile| !profile.counts(is_said)) || self.counted_alone().is_some()
    }

    /// Returns whether the file says which of its values counts.
    fn is_value_said(&self) -> bool {
        self.profiles.iter().any(|profile| profile.weights != Weights::Samples && profile.counts(true))
    }

    /// Leaves out the profiles of threads that do not have the value that counts: other events count different things, which do
    /// not add up.
    fn leave_out_other_values(&mut self) {
        if !self.is_value_said() {
            return;
        }
        let mut counting: Option<(TrackId, bool)> = None;
        self.profiles.retain(|profile| {
            let (_, counts) = match counting {
                Some(of_track @ (track, _)) if track == profile.track => of_track,
                _ => *counting.insert((profile.track, profile.counts(true))),
            };
            counts
        });
    }

    /// Returns the name of the value that counts, if the trace has nothing with a time but samples whose weights the axis does
    /// not show.
    fn counted_alone(&self) -> Option<NameId> {
        let is_timed = !self.slices.is_empty()
            || !self.instants.is_empty()
            || !self.counters.is_empty()
            || !self.states.is_empty()
            || !self.objects.is_empty();
        let mut of_tracks = self.profiles.chunk_by(|a, b| a.track == b.track).filter_map(<[Profile]>::first);
        let are_counted = of_tracks.all(|profile| matches!(profile.weights, Weights::Counted(_)));
        let first = self.profiles.iter().min_by_key(|profile| profile.rank)?;
        (!is_timed && are_counted).then_some(first.name)
    }

    /// Makes the weights of all profiles the axis, and leaves out everything with a time.
    fn lay_out_counted(&mut self) {
        let mut bounds: Option<(Tick, Tick)> = None;
        for profile in &mut self.profiles {
            let weights = Weights::Axis(Ticks(1));
            let mut end = 0.0;
            for sample in self.samples.get_mut(profile.samples()).unwrap_or_default() {
                #[expect(clippy::cast_possible_truncation, reason = "the sum of floats is one")]
                {
                    sample.at = Tick(end as i64);
                }
                end += sample.weight.max(0.0);
            }
            let samples = self.samples.get(profile.samples()).unwrap_or_default();
            profile.start = Tick(0);
            profile.end = None;
            profile.resolution = Ticks(1);
            profile.weights = weights;
            profile.samples_end = samples_end(Tick(0), None, Ticks(1), (weights, Side::After), samples);
            let end = bounds.map_or(profile.samples_end, |(_, end)| end.max(profile.samples_end));
            bounds = Some((Tick(0), end));
        }
        self.bounds = bounds;
        for track in &mut self.tracks {
            (track.slices, track.instants, track.counters, track.states) = (0..0, 0..0, 0..0, 0..0);
        }
        self.slices = crate::Slices::default();
        self.instants.clear();
        self.counters.clear();
        self.states.clear();
        self.flows.clear();
        self.objects.clear();
        self.snapshots.clear();
        self.sampled.clear();
        self.others.clear();
    }
}
