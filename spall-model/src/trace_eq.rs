//! The comparison of two traces by the facts that they hold.

use alloc::vec::Vec;

use crate::{
    Args, CallSite, CounterValue, Entries, Flow, Frame, FrameId, IdRange, Instant, Key, Metadata, NameId,
    Object, OtherEvent, Process, Profile, Sample, SliceFlags, SliceId, State, Text, ThreadMeasure, Trace,
    TraceView, Track, TrackKind, Value, facts::HasArgs, span_parents::SaidSpan,
};

/// Two traces are equal if they hold the same facts in the same order.
///
/// Facts are the clock, the processes, the tracks with everything on them, flows, objects, sampling profiles and
/// metadata. Names are compared as text and arguments as values, so that neither the numbers of names nor the file
/// format matter. Three things are not compared:
///
/// - diagnostics;
/// - flags of slices that tell of a fault;
/// - the end of an unfinished slice, which the file does not have.
///
/// ```
/// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
///
/// let trace = |name| {
///     let mut builder = TraceBuilder::new(&Limits::default());
///     let work = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::from(name));
///     builder.push(&Event::Complete(work, Ticks(5)));
///     builder.finish()
/// };
/// assert!(trace("draw") == trace("draw"));
/// assert!(trace("draw") != trace("load"));
/// ```
impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        let names = self.names.iter().map(|name| other.names.find(name).unwrap_or(NOT_IN_B)).collect();
        Comparison { a: self, b: other, names }.run()
    }
}

/// Stands for the number in `b` of a name that `b` does not have.
const NOT_IN_B: NameId = NameId(u32::MAX);

/// A comparison of two traces.
///
/// An element of `a` is put into the terms of `b`: its names and ids get the numbers that they have there. Its arguments
/// are compared on their own, and then count as those of the element of `b`. What is left is equal or not.
struct Comparison<'c> {
    a: &'c Trace,
    b: &'c Trace,
    /// The number in `b` of each name of `a`.
    names: Vec<NameId>,
}

impl Comparison<'_> {
    /// Compares all facts.
    fn run(&self) -> bool {
        let (a, b) = (self.a, self.b);
        a.clock == b.clock
            && a.bounds == b.bounds
            && all(&a.processes, &b.processes, |a, b| self.process(a, b))
            && all(&a.tracks, &b.tracks, |a, b| self.track(a, b))
            && all(&a.said_spans, &b.said_spans, |a, b| self.said_span(a, b))
            && a.span_parents == b.span_parents
            && all(&a.flows, &b.flows, |a, b| self.flow(a, b))
            && all(&a.objects, &b.objects, |a, b| self.object(a, b))
            && self.profiles()
            && all(&a.meta, &b.meta, |a, b| self.meta(a, b))
            && all(&a.others, &b.others, |a, b| self.other(a, b))
    }

    /// Returns the number in `b` of a name of `a`.
    fn name(&self, name: NameId) -> NameId {
        self.names.get(name.index()).copied().unwrap_or(NOT_IN_B)
    }

    /// Returns the id of `b` that means the same number or text as an id of `a`.
    fn key(&self, key: Key) -> Key {
        let number = match key {
            Key::Text(name) => return Key::Text(self.name(name)),
            Key::Number(number) => self.a.conventions.number(number),
        };
        let in_b = match self.b.conventions.unsigned_ids {
            true => u64::try_from(number).ok().map(u64::cast_signed),
            false => i64::try_from(number).ok(),
        };
        in_b.map_or(Key::Text(NOT_IN_B), Key::Number)
    }

    fn thread(&self, (pid, tid): (Key, Key)) -> (Key, Key) {
        (self.key(pid), self.key(tid))
    }

    fn process(&self, a: &Process, b: &Process) -> bool {
        let labels = a.labels.iter().map(|&label| self.name(label)).collect();
        Process { pid: self.key(a.pid), name: self.name(a.name), labels, ..a.clone() } == *b
    }

    fn kind(&self, a: TrackKind) -> TrackKind {
        match a {
            TrackKind::Thread { tid } => TrackKind::Thread { tid: self.key(tid) },
            TrackKind::Cpu { tid } => TrackKind::Cpu { tid: self.key(tid) },
            TrackKind::Gpu { tid } => TrackKind::Gpu { tid: self.key(tid) },
            TrackKind::Frames { tid } => TrackKind::Frames { tid: self.key(tid) },
            TrackKind::Track { id } => TrackKind::Track { id: self.key(id) },
            TrackKind::Async { category, id, local, scope, stepped } => {
                let (category, id, scope) = (self.name(category), self.key(id), self.name(scope));
                TrackKind::Async { category, id, local, scope, stepped }
            }
            TrackKind::Counter { id } => TrackKind::Counter { id: id.map(|id| self.key(id)) },
            TrackKind::Process | TrackKind::Global => a,
        }
    }

    fn track(&self, a: &Track, b: &Track) -> bool {
        let (of_a, of_b) = (self.a, self.b);
        let (kind, name) = (self.kind(a.kind), self.name(a.name));
        // The lists are compared element by element.
        let Track { instants, counters, states, .. } = b.clone();
        Track { kind, name, instants, counters, states, ..a.clone() } == *b
            && a.slices().iter().all(|id| self.slice(id))
            && all(of_a.instants_of(a.id), of_b.instants_of(b.id), |a, b| self.instant(a, b))
            && all(of_a.counters_of(a.id), of_b.counters_of(b.id), |a, b| self.counter(a, b))
            && all(of_a.states_of(a.id), of_b.states_of(b.id), |a, b| self.state(a, b))
    }

    /// Compares the slices that have an id. Both traces give equal slices the same id, because their tracks have the
    /// same ranges of ids.
    fn slice(&self, id: SliceId) -> bool {
        let (Some(a), Some(b)) = (self.a.slice(id), self.b.slice(id)) else { return false };
        let kind = |flags: SliceFlags| {
            let depth = flags.is_paired().then(|| flags.open_depth());
            (depth, flags.is_unfinished(), flags.contains(SliceFlags::SAMPLED))
        };
        let (args_a, args_b) = (self.a.slice_args(id), self.b.slice_args(id));
        let hits = |trace: &Trace| trace.sampled(id).map(|sampled| sampled.hits);
        a.start == b.start
            && (a.end == b.end || a.flags.is_unfinished())
            && kind(a.flags) == kind(b.flags)
            && (self.name(a.name), self.name(a.category)) == (b.name, b.category)
            && same_args(args_a.begin, args_b.begin)
            && same_args(args_a.end, args_b.end)
            && (!a.flags.contains(SliceFlags::SAMPLED) || hits(self.a) == hits(self.b))
    }

    /// The order of spans has no meaning beyond one track, and what follows from it is compared by itself.
    fn said_span(&self, a: &SaidSpan, b: &SaidSpan) -> bool {
        SaidSpan { order: b.order, span: self.key(a.span), parent: self.key(a.parent), ..*a } == *b
    }

    /// Compares the arguments of two elements.
    fn args<T: HasArgs>(&self, a: &T, b: &T) -> bool {
        same_args(self.a.args_of(a), self.b.args_of(b))
    }

    fn instant(&self, a: &Instant, b: &Instant) -> bool {
        let (name, category) = (self.name(a.name), self.name(a.category));
        Instant { name, category, args: b.args, ..*a } == *b && self.args(a, b)
    }

    fn counter(&self, a: &CounterValue, b: &CounterValue) -> bool {
        (a.at, self.name(a.series)) == (b.at, b.series) && same_float(a.value, b.value)
    }

    fn state(&self, a: &State, b: &State) -> bool {
        State { name: self.name(a.name), args: b.args, ..*a } == *b && self.args(a, b)
    }

    fn flow(&self, a: &Flow, b: &Flow) -> bool {
        let (id, name, category) = (self.key(a.id), self.name(a.name), self.name(a.category));
        let (args_a, args_b) = (self.a.flow_args(a), self.b.flow_args(b));
        Flow { id, name, category, args: b.args, ends: b.ends, ..*a } == *b
            && same_args(args_a.0, args_b.0)
            && same_args(args_a.1, args_b.1)
    }

    fn object(&self, a: &Object, b: &Object) -> bool {
        let (of_a, of_b) = (self.a.snapshots_of(a), self.b.snapshots_of(b));
        let (name, id, scope) = (self.name(a.name), self.key(a.id), self.name(a.scope));
        Object { name, id, scope, snapshots: b.snapshots.clone(), ..a.clone() } == *b
            && all(of_a, of_b, |a, b| a.at == b.at && self.args(a, b))
    }

    /// Compares all profiles.
    fn profiles(&self) -> bool {
        // Profiles that share their frames follow one another: the frames are compared once.
        let mut compared = None;
        all(&self.a.profiles, &self.b.profiles, |a, b| {
            let frames = Some((a.frames(), b.frames()));
            let same_frames = compared == frames || self.frames(a.frames(), b.frames());
            compared = frames;
            same_frames && self.profile(a, b)
        })
    }

    fn profile(&self, a: &Profile, b: &Profile) -> bool {
        let same_frame = |frame_a: Option<FrameId>, frame_b: Option<FrameId>| {
            frame_a.map(|id| a.frames().position(id)) == frame_b.map(|id| b.frames().position(id))
        };
        let same_sample = |a: &Sample, b: &Sample| {
            (a.at, a.position) == (b.at, b.position)
                && same_frame(a.frame(), b.frame())
                && same_float(a.weight, b.weight)
                && self.args(a, b)
        };
        let same_site =
            |a: &CallSite, b: &CallSite| a.number == b.number && same_frame(Some(a.frame), Some(b.frame));
        (a.track, self.name(a.name), a.start, a.end, a.rank, a.weights)
            == (b.track, b.name, b.start, b.end, b.rank, b.weights)
            && all(self.a.samples_of(a), self.b.samples_of(b), same_sample)
            && all(self.a.call_sites_of(a), self.b.call_sites_of(b), same_site)
    }

    fn frames(&self, a: IdRange<FrameId>, b: IdRange<FrameId>) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|ids| self.frame(ids, (a, b)))
    }

    fn frame(&self, ids: (FrameId, FrameId), of: (IdRange<FrameId>, IdRange<FrameId>)) -> bool {
        let (Some(a), Some(b)) = (self.a.frame(ids.0), self.b.frame(ids.1)) else { return false };
        let (hits_a, hits_b) = (self.a.line_hits(ids.0), self.b.line_hits(ids.1));
        Frame { name: self.name(a.name), url: self.name(a.url), parent: b.parent, ..*a } == *b
            && a.parent.map(|id| of.0.position(id)) == b.parent.map(|id| of.1.position(id))
            && all(hits_a, hits_b, |a, b| (a.line, a.hits) == (b.line, b.hits))
    }

    fn meta(&self, a: &Metadata, b: &Metadata) -> bool {
        (a.thread.map(|thread| self.thread(thread)), self.name(a.key)) == (b.thread, b.key)
            && same_value(self.a.meta_value(a), self.b.meta_value(b))
    }

    fn other(&self, a: &OtherEvent, b: &OtherEvent) -> bool {
        let (thread, name, category) = (self.thread(a.thread), self.name(a.name), self.name(a.category));
        OtherEvent { thread, name, category, args: b.args, ..*a } == *b && self.args(a, b)
    }
}

/// Compares two lists element by element.
fn all<T>(a: &[T], b: &[T], mut is_equal: impl FnMut(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
}

/// Returns whether two numbers are the same. NaN is the same as NaN here.
fn same_float(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

/// Returns whether two texts are the same once their escapes are decoded.
fn same_text(a: Text<'_>, b: Text<'_>) -> bool {
    a == b || a.unescape() == b.unescape()
}

/// Returns whether two sets of arguments are the same as values, fields and counters of the thread included.
fn same_args(a: Args<'_>, b: Args<'_>) -> bool {
    a == b
        || same_entries(a.iter(), b.iter())
            && same_entries(a.fields(), b.fields())
            && ThreadMeasure::ALL.iter().all(|&measure| a.thread_count(measure) == b.thread_count(measure))
}

/// Returns whether two values are the same, with everything nested in them.
fn same_value(a: Value<'_>, b: Value<'_>) -> bool {
    let mut nested = Vec::new();
    same_or_nested(a, b, &mut nested)
        && nested.pop().is_none_or(|(a, b): (Args<'_>, Args<'_>)| same_entries(a.iter(), b.iter()))
}

/// Compares all entries, and the lists and maps in them. Nested ones go to a list of work instead of a recursion,
/// because files may nest deeper than a stack reaches.
fn same_entries<'a, 'b>(a: Entries<'a>, b: Entries<'b>) -> bool {
    let mut put_off: Vec<(Args<'a>, Args<'b>)> = Vec::new();
    let (mut a, mut b) = (a, b);
    loop {
        match (a.next(), b.next()) {
            (Some((key_a, value_a)), Some((key_b, value_b))) => {
                if !same_text(key_a, key_b) || !same_or_nested(value_a, value_b, &mut put_off) {
                    return false;
                }
            }
            (None, None) => match put_off.pop() {
                Some(next) => (a, b) = (next.0.iter(), next.1.iter()),
                None => return true,
            },
            _ => return false,
        }
    }
}

/// Compares two values. Two lists or maps count as the same for now, and go to the list of work.
fn same_or_nested<'a, 'b>(a: Value<'a>, b: Value<'b>, put_off: &mut Vec<(Args<'a>, Args<'b>)>) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) | (Value::Map(a), Value::Map(b)) => {
            if a != b {
                put_off.push((a, b));
            }
            true
        }
        (Value::Text(a), Value::Text(b)) => same_text(a, b),
        (Value::F64(a), Value::F64(b)) => same_float(a, b),
        // Formats differ in whether a small number is signed.
        (Value::I64(a), Value::U64(b)) => u64::try_from(a) == Ok(b),
        (Value::U64(a), Value::I64(b)) => u64::try_from(b) == Ok(a),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        ArgsBuilder, Event, Id, Limits, Text, Thread, ThreadEvent, Tick, Ticks, Trace, TraceBuilder, Value,
    };

    /// A trace of one slice with these arguments, whose names have other numbers the more names come before.
    fn trace(before: &[&str], args: &ArgsBuilder<'_>, unfinished: bool) -> Trace {
        let mut builder = TraceBuilder::new(&Limits::default());
        for name in before {
            builder.push(&Event::ProcessName(Id::from(1), Text::from(*name)));
        }
        builder.push(&Event::ProcessName(Id::from(1), Text::from("game")));
        let event = ThreadEvent::new(Thread::new(1, 2), Tick(5), Text::from("work"));
        let event = ThreadEvent { args: args.args(), ..event };
        let event = if unfinished { Event::Unfinished(event) } else { Event::Complete(event, Ticks(3)) };
        builder.push(&event);
        builder.finish()
    }

    fn args(value: Value<'_>) -> ArgsBuilder<'static> {
        let mut builder = ArgsBuilder::new();
        builder.add("key", value);
        builder
    }

    #[test]
    fn names_are_compared_as_text() {
        let none = ArgsBuilder::new();
        assert!(trace(&["first", "second"], &none, false) == trace(&[], &none, false));
        assert!(trace(&[], &none, false) != trace(&[], &none, true));
        assert!(trace(&[], &none, false) != TraceBuilder::new(&Limits::default()).finish());
    }

    #[test]
    fn arguments_are_compared_as_values() {
        let of = |value: Value<'_>| trace(&[], &args(value), false);
        assert!(of(Value::I64(3)) == of(Value::U64(3)));
        assert!(of(Value::I64(-1)) != of(Value::U64(u64::MAX)));
        assert!(of(Value::F64(f64::NAN)) == of(Value::F64(f64::NAN)));
        assert!(of(Value::Text(Text::escaped(br"\u0041"))) == of(Value::from("A")));
        let (one, two) = (args(Value::I64(1)), args(Value::U64(1)));
        assert!(of(Value::Map(one.args())) == of(Value::Map(two.args())));
        assert!(of(Value::Map(one.args())) != of(Value::List(one.args())));
        assert!(of(Value::Map(one.args())) != of(Value::Map(args(Value::I64(2)).args())));
        assert!(of(Value::Null) != trace(&[], &ArgsBuilder::new(), false));
    }
}
