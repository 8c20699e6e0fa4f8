//! The comparison of two traces by the facts that they hold.

use alloc::vec::Vec;

use crate::{
    Args, CallSite, CounterValue, Entries, Flow, Frame, FrameId, IdRange, Instant, Key, LineHits, Metadata,
    NameId, Object, OtherEvent, Process, Profile, Sample, SliceFlags, SliceId, Snapshot, State, Text, Trace,
    TraceView, Track, TrackKind, Value,
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
impl<'b> PartialEq<Trace<'b>> for Trace<'_> {
    fn eq(&self, other: &Trace<'b>) -> bool {
        Comparison { a: self, b: other, names: alloc::vec![None; self.names.len()] }.run()
    }
}

/// A comparison of two traces. Each method compares two elements of one kind, the first one from `a`.
struct Comparison<'c, 'a, 'b> {
    a: &'c Trace<'a>,
    b: &'c Trace<'b>,
    /// The name in `b` that is known to equal each name in `a`. Both tables hold a text once, so there is only one.
    names: Vec<Option<NameId>>,
}

impl Comparison<'_, '_, '_> {
    /// Compares all facts.
    fn run(mut self) -> bool {
        let (a, b) = (self.a, self.b);
        a.clock == b.clock
            && a.bounds == b.bounds
            && self.all(&a.processes, &b.processes, Self::process)
            && self.all(&a.tracks, &b.tracks, Self::track)
            && self.all(&a.flows, &b.flows, Self::flow)
            && self.all(&a.objects, &b.objects, Self::object)
            && self.profiles()
            && self.all(&a.meta, &b.meta, Self::meta)
            && self.all(&a.others, &b.others, Self::other)
    }

    /// Compares two lists element by element.
    fn all<T>(&mut self, a: &[T], b: &[T], mut is_equal: impl FnMut(&mut Self, &T, &T) -> bool) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(self, a, b))
    }

    /// Compares two names as text. Equal names are remembered, because the same ones come again and again.
    fn name(&mut self, a: NameId, b: NameId) -> bool {
        let (names_a, names_b) = (&self.a.names, &self.b.names);
        let Some(known) = self.names.get_mut(a.index()) else { return false };
        match *known {
            Some(known) => known == b,
            None if names_a.bytes(a) == names_b.bytes(b) => {
                *known = Some(b);
                true
            }
            None => false,
        }
    }

    /// Compares two ids, by the numbers that they mean.
    fn key(&mut self, a: Key, b: Key) -> bool {
        match (a, b) {
            (Key::Text(a), Key::Text(b)) => self.name(a, b),
            (Key::Number(a), Key::Number(b)) => self.a.conventions.number(a) == self.b.conventions.number(b),
            _ => false,
        }
    }

    fn keys(&mut self, a: (Key, Key), b: (Key, Key)) -> bool {
        self.key(a.0, b.0) && self.key(a.1, b.1)
    }

    fn process(&mut self, a: &Process, b: &Process) -> bool {
        self.key(a.pid, b.pid)
            && self.name(a.name, b.name)
            && a.sort_index == b.sort_index
            && self.all(&a.labels, &b.labels, |this, &a, &b| this.name(a, b))
            && a.tracks == b.tracks
    }

    fn kind(&mut self, a: TrackKind, b: TrackKind) -> bool {
        match (a, b) {
            (TrackKind::Thread { tid: a }, TrackKind::Thread { tid: b })
            | (TrackKind::Cpu { tid: a }, TrackKind::Cpu { tid: b })
            | (TrackKind::Gpu { tid: a }, TrackKind::Gpu { tid: b })
            | (TrackKind::Frames { tid: a }, TrackKind::Frames { tid: b })
            | (TrackKind::Track { id: a }, TrackKind::Track { id: b }) => self.key(a, b),
            (
                TrackKind::Async { category, id, local, scope, stepped },
                TrackKind::Async {
                    category: category_b,
                    id: id_b,
                    local: local_b,
                    scope: scope_b,
                    stepped: stepped_b,
                },
            ) => {
                self.name(category, category_b)
                    && self.key(id, id_b)
                    && (local, stepped) == (local_b, stepped_b)
                    && self.name(scope, scope_b)
            }
            (TrackKind::Counter { id: Some(a) }, TrackKind::Counter { id: Some(b) }) => self.key(a, b),
            _ => a == b,
        }
    }

    fn track(&mut self, a: &Track, b: &Track) -> bool {
        let (trace_a, trace_b) = (self.a, self.b);
        self.kind(a.kind, b.kind)
            && a.process == b.process
            && self.name(a.name, b.name)
            && (a.sort_index, a.parent, a.children) == (b.sort_index, b.parent, b.children)
            && a.slices == b.slices
            && a.slices().iter().all(|id| self.slice(id))
            && self.all(trace_a.instants_of(a.id), trace_b.instants_of(b.id), Self::instant)
            && self.all(trace_a.counters_of(a.id), trace_b.counters_of(b.id), Self::counter)
            && self.all(trace_a.states_of(a.id), trace_b.states_of(b.id), Self::state)
    }

    /// Compares the slices that have an id. Both traces give equal slices the same id, because their tracks have the
    /// same ranges of ids.
    fn slice(&mut self, id: SliceId) -> bool {
        let (Some(a), Some(b)) = (self.a.slice(id), self.b.slice(id)) else { return false };
        let kind = |flags: SliceFlags| {
            let depth = flags.is_paired().then(|| flags.open_depth());
            (depth, flags.is_unfinished(), flags.contains(SliceFlags::SAMPLED))
        };
        let (args_a, args_b) = (self.a.slice_args(id), self.b.slice_args(id));
        let hits = |trace: &Trace<'_>| trace.sampled(id).map(|sampled| sampled.hits);
        a.start == b.start
            && (a.end == b.end || a.flags.is_unfinished())
            && kind(a.flags) == kind(b.flags)
            && self.name(a.name, b.name)
            && self.name(a.category, b.category)
            && same_args(args_a.begin, args_b.begin)
            && same_args(args_a.end, args_b.end)
            && (!a.flags.contains(SliceFlags::SAMPLED) || hits(self.a) == hits(self.b))
    }

    fn instant(&mut self, a: &Instant, b: &Instant) -> bool {
        (a.at, a.scope, a.depth) == (b.at, b.scope, b.depth)
            && self.name(a.name, b.name)
            && self.name(a.category, b.category)
            && same_args(self.a.args_of(a), self.b.args_of(b))
    }

    fn counter(&mut self, a: &CounterValue, b: &CounterValue) -> bool {
        a.at == b.at && self.name(a.series, b.series) && same_float(a.value, b.value)
    }

    fn state(&mut self, a: &State, b: &State) -> bool {
        (a.start, a.end) == (b.start, b.end)
            && self.name(a.name, b.name)
            && same_args(self.a.args_of(a), self.b.args_of(b))
    }

    fn flow(&mut self, a: &Flow, b: &Flow) -> bool {
        let (args_a, args_b) = (self.a.flow_args(a), self.b.flow_args(b));
        self.key(a.id, b.id)
            && self.name(a.name, b.name)
            && self.name(a.category, b.category)
            && (a.from, a.to, a.leaves, a.arrives) == (b.from, b.to, b.leaves, b.arrives)
            && same_args(args_a.0, args_b.0)
            && same_args(args_a.1, args_b.1)
    }

    fn object(&mut self, a: &Object, b: &Object) -> bool {
        let (of_a, of_b) = (self.a.snapshots_of(a), self.b.snapshots_of(b));
        (a.process, a.start, a.end, a.local) == (b.process, b.start, b.end, b.local)
            && self.name(a.name, b.name)
            && self.key(a.id, b.id)
            && self.name(a.scope, b.scope)
            && self.all(of_a, of_b, |this, a: &Snapshot, b| {
                a.at == b.at && same_args(this.a.args_of(a), this.b.args_of(b))
            })
    }

    /// Compares all profiles.
    fn profiles(&mut self) -> bool {
        let (a, b) = (self.a, self.b);
        // Profiles that share their frames follow one another: the frames are compared once.
        let mut compared = None;
        self.all(&a.profiles, &b.profiles, |this, a, b| {
            let frames = Some((a.frames(), b.frames()));
            let same_frames = compared == frames || this.frames(a.frames(), b.frames());
            compared = frames;
            same_frames && this.profile(a, b)
        })
    }

    fn profile(&mut self, a: &Profile, b: &Profile) -> bool {
        let (samples_a, samples_b) = (self.a.samples_of(a), self.b.samples_of(b));
        let (sites_a, sites_b) = (self.a.call_sites_of(a), self.b.call_sites_of(b));
        let same_frame = |frame_a: Option<FrameId>, frame_b: Option<FrameId>| {
            frame_a.map(|id| a.frames().position(id)) == frame_b.map(|id| b.frames().position(id))
        };
        (a.track, a.start, a.end, a.rank) == (b.track, b.start, b.end, b.rank)
            && self.name(a.name, b.name)
            && self.all(samples_a, samples_b, |this, a: &Sample, b| {
                (a.at, a.line(), a.column()) == (b.at, b.line(), b.column())
                    && same_frame(a.frame(), b.frame())
                    && same_float(a.weight, b.weight)
                    && same_args(this.a.args_of(a), this.b.args_of(b))
            })
            && self.all(sites_a, sites_b, |_, a: &CallSite, b| {
                a.number == b.number && same_frame(Some(a.frame), Some(b.frame))
            })
    }

    fn frames(&mut self, a: IdRange<FrameId>, b: IdRange<FrameId>) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|ids| self.frame(ids, (a, b)))
    }

    fn frame(&mut self, ids: (FrameId, FrameId), of: (IdRange<FrameId>, IdRange<FrameId>)) -> bool {
        let (Some(a), Some(b)) = (self.a.frame(ids.0), self.b.frame(ids.1)) else { return false };
        let place = |frame: &Frame| (frame.source, frame.line, frame.column);
        let (hits_a, hits_b) = (self.a.line_hits(ids.0), self.b.line_hits(ids.1));
        place(a) == place(b)
            && self.name(a.name, b.name)
            && self.name(a.url, b.url)
            && a.parent.map(|id| of.0.position(id)) == b.parent.map(|id| of.1.position(id))
            && self.all(hits_a, hits_b, |_, a: &LineHits, b| (a.line, a.hits) == (b.line, b.hits))
    }

    fn meta(&mut self, a: &Metadata, b: &Metadata) -> bool {
        let same_thread = match (a.thread, b.thread) {
            (Some(a), Some(b)) => self.keys(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        same_thread && self.name(a.key, b.key) && same_value(self.a.meta_value(a), self.b.meta_value(b))
    }

    fn other(&mut self, a: &OtherEvent, b: &OtherEvent) -> bool {
        (a.tag, a.at) == (b.tag, b.at)
            && self.keys(a.thread, b.thread)
            && self.name(a.name, b.name)
            && self.name(a.category, b.category)
            && same_args(self.a.args_of(a), self.b.args_of(b))
    }
}

/// Returns whether two numbers are the same. NaN is the same as NaN here.
fn same_float(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

/// Returns whether two texts are the same once their escapes are decoded.
fn same_text(a: Text<'_>, b: Text<'_>) -> bool {
    a == b || a.unescape() == b.unescape()
}

/// Returns whether two sets of arguments are the same as values, fields included.
fn same_args(a: Args<'_>, b: Args<'_>) -> bool {
    a == b || same_entries(a.iter(), b.iter()) && same_entries(a.fields(), b.fields())
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
    fn trace(before: &[&str], args: &ArgsBuilder<'_>, unfinished: bool) -> Trace<'static> {
        let mut builder = TraceBuilder::new(&Limits::default());
        for name in before {
            builder.push_copied(&Event::ProcessName(Id::from(1), Text::from(*name)));
        }
        builder.push_copied(&Event::ProcessName(Id::from(1), Text::from("game")));
        let event = ThreadEvent::new(Thread::new(1, 2), Tick(5), Text::from("work"));
        let event = ThreadEvent { args: args.args(), ..event };
        let event = if unfinished { Event::Unfinished(event) } else { Event::Complete(event, Ticks(3)) };
        builder.push_copied(&event);
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
