//! Samples with several values, such as bytes and blocks, which are several profiles of a thread.

use alloc::{string::String, vec::Vec};

use crate::{
    Args, Budget, ByteRange, DiagnosticKind, Event, MetaEvent, ProfileEvent, ProfileId, Receiver,
    SampleEvent, SampleStack, Text, Thread, Tick, Ticks, Unit, Value, Weights,
};

/// A type of value that samples have. [profiles 1.2](crate::rules::profiles#1.2)
#[derive(Debug, Clone, PartialEq)]
pub struct ValueType {
    /// The name of the profile, such as `cpu/nanoseconds`.
    pub name: String,
    /// The unit of an axis of such values.
    pub unit: Unit,
    /// How many ticks of that axis a value of 1 is.
    pub ticks: Ticks,
}

/// The types of value of a profile without times. Its samples lie one after another on an axis of one of them.
///
/// ```
/// use spall_model::{
///     Args, Budget, ByteRange, Event, Limits, SampleStack, Thread, Ticks, TraceBuilder, TraceView, Unit, UnitName,
///     ValueSample, ValueType, ValueTypes,
/// };
///
/// let of = |name: &str, unit| ValueType { name: name.into(), unit, ticks: Ticks(1) };
/// let types = ValueTypes::new(vec![of("heap/bytes", Unit::Bytes), of("heap/blocks", Unit::Count(UnitName::new("blocks")))], 0);
/// let thread = Thread::new(1, 1);
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let mut to = |event: &Event<'_>, _: ByteRange| builder.push(event);
/// types.begin(thread, ByteRange::default(), &mut to);
/// let (mut at, mut budget) = (0, Budget::default());
/// for values in [[100, 2], [50, 0]] {
///     let sample = ValueSample::new(thread, SampleStack::Unknown, &values, ByteRange::default());
///     types.sample(&sample, &mut at, &mut budget, &mut to);
/// }
/// let trace = builder.finish();
/// let ats = |number: usize| trace.samples_of(&trace.profiles()[number]).iter().map(|sample| sample.at.0).collect::<Vec<_>>();
/// assert_eq!((ats(0), ats(1)), (vec![0, 100], vec![0]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ValueTypes {
    all: Vec<ValueType>,
    default: usize,
}

/// A sample with a value of each type.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ValueSample<'a> {
    /// The thread.
    pub thread: Thread<'a>,
    /// The stack.
    pub stack: SampleStack<'a>,
    /// A value of each type. Those that are not above 0 make no sample. The default one is the width on the axis.
    pub values: &'a [i64],
    /// The values as real numbers, which are the weights, if they are not the whole numbers; empty if they are.
    pub weights: &'a [f64],
    /// The arguments of the sample of each value.
    pub args: Args<'a>,
    /// The bytes of the file that the sample comes from.
    pub bytes: ByteRange,
}

impl<'a> ValueSample<'a> {
    /// Returns a sample without arguments.
    #[must_use]
    pub const fn new(
        thread: Thread<'a>,
        stack: SampleStack<'a>,
        values: &'a [i64],
        bytes: ByteRange,
    ) -> Self {
        Self { thread, stack, values, weights: &[], args: Args::NONE, bytes }
    }
}

impl ValueTypes {
    /// Returns some types, of which the one at the position `default` counts and has the axis.
    #[must_use]
    pub fn new(all: Vec<ValueType>, default: usize) -> Self {
        Self { all, default }
    }

    /// The key and the value of the fact that a trace has if nothing was sampled: [`Trace::is_empty_profile`](crate::Trace::is_empty_profile)
    /// looks for it.
    pub const NOTHING: (&'static str, &'static str) = ("samples", "nothing was sampled");

    /// Says that nothing was sampled.
    pub fn say_nothing_was_sampled(to: &mut dyn for<'e> Receiver<'e>) {
        let (key, text) = Self::NOTHING;
        let fact = MetaEvent::new(Text::from(key), Value::Text(Text::from(text)));
        to.receive(&Event::Meta(fact), ByteRange::default());
    }

    /// Returns all types.
    #[must_use]
    pub fn all(&self) -> &[ValueType] {
        &self.all
    }

    /// Returns the type that counts; `None` if there are no types.
    #[must_use]
    pub fn default_type(&self) -> Option<&ValueType> {
        self.all.get(self.default)
    }

    /// Hands over the profiles of a thread, one for each type.
    pub fn begin(&self, thread: Thread<'_>, bytes: ByteRange, to: &mut dyn for<'e> Receiver<'e>) {
        for (of, number) in self.all.iter().zip(0..) {
            let is_default = number == self.default;
            let profile = ProfileEvent::new(ProfileId::OfThread(thread, Text::from(&*of.name)));
            let profile = profile.with_weights(of.weights(is_default));
            to.receive(&Event::Profile(if is_default { profile.with_rank(3) } else { profile }), bytes);
        }
    }

    /// Hands over a sample for each value, at the time `at`, and adds to that what the default value is on the axis. The first
    /// value is paid for by the bytes around it, and the budget pays for the others. One that it does not pay for is reported.
    pub fn sample(
        &self,
        sample: &ValueSample<'_>,
        at: &mut i64,
        budget: &mut Budget,
        to: &mut dyn for<'e> Receiver<'e>,
    ) {
        let &ValueSample { thread, stack, values, weights, args, bytes } = sample;
        #[expect(clippy::cast_precision_loss, reason = "a weight is a float")]
        let weight = |(number, &value): (usize, &i64)| weights.get(number).copied().unwrap_or(value as f64);
        let some = values.iter().enumerate().map(weight).zip(&self.all).filter(|&(weight, _)| weight > 0.0);
        for ((weight, of), n_before) in some.zip(0..) {
            if n_before > 0 && !budget.spend(Budget::VALUE, bytes.end) {
                to.receive(&Event::Diagnostic(DiagnosticKind::SampleCount), bytes);
                break;
            }
            let profile = ProfileId::OfThread(thread, Text::from(&*of.name));
            let mut event = SampleEvent::new(profile, Tick(*at), stack);
            (event.weight, event.in_list, event.args) = (weight, true, args);
            to.receive(&Event::Sample(event), bytes);
        }
        let ticks = self.default_type().map_or(0, |of| of.ticks.0);
        let value = values.get(self.default).map_or(0, |&value| value.max(0));
        let end = value.checked_mul(ticks).and_then(|time| at.checked_add(time));
        if end.is_none() {
            to.receive(&Event::Diagnostic(DiagnosticKind::TimeOutOfRange), bytes);
        }
        *at = end.unwrap_or(i64::MAX);
    }
}

impl ValueType {
    /// Returns what the weights of samples with such values count, on the axis of the default type.
    #[expect(clippy::cast_precision_loss, reason = "it is at most a second of nanoseconds")]
    fn weights(&self, is_default: bool) -> Weights {
        match self.unit {
            _ if is_default => Weights::Axis(self.ticks),
            Unit::Nanoseconds(length) => Weights::Counted(Unit::Nanoseconds(length * self.ticks.0 as f64)),
            unit => Weights::Counted(unit),
        }
    }
}
