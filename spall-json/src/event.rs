//! What one object of the list of events means. \[json 1\]

use spall_model::{
    Args, AsyncPhase, CounterEvent, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, KeyedEvent,
    MetaEvent, ObjectPhase, Scope, ThreadEvent, Tick, Ticks, Value,
};

use crate::cpu_profile::{Cursor, Envelope, Holder};
use crate::decimal::Nanos;
use crate::fields::{COUNTER_EVENT, FLOW_EVENT, Field, KEYED_EVENT, THREAD_EVENT};
use crate::id;
use crate::lexer::Kind;
use crate::record::Record;

impl<'a> Record<'a, '_> {
    /// The event, or `None` if it says nothing or has to be left out; the notes tell.
    #[inline(never)]
    pub(crate) fn event(&mut self) -> Option<Event<'a>> {
        match self.phase() {
            Some(b'B') => self.begin_or_end().map(Event::Begin),
            Some(b'E') => self.begin_or_end().map(Event::End),
            Some(b'X') => self.complete().map(|(event, length)| match length {
                Some(length) => Event::Complete(event, length),
                None => Event::Unfinished(event),
            }),
            phase => self.other_event(phase),
        }
    }

    /// The first byte of `ph`. \[json 1\]
    #[inline(always)]
    pub(crate) fn phase(&self) -> Option<u8> {
        self.first_byte(Field::Ph)
    }

    #[inline(always)]
    pub(crate) fn begin_or_end(&mut self) -> Option<ThreadEvent<'a>> {
        let (at, _) = self.start()?;
        Some(self.thread_event(at, true))
    }

    /// A complete event and its length, if it has one.
    #[inline(always)]
    pub(crate) fn complete(&mut self) -> Option<(ThreadEvent<'a>, Option<Ticks>)> {
        let (at, start) = self.start()?;
        let length = self.slice_duration().map(|duration| self.length(at, start, duration));
        Some((self.thread_event(at, true), length))
    }

    #[inline(never)]
    pub(crate) fn other_event(&mut self, phase: Option<u8>) -> Option<Event<'a>> {
        let Some(phase) = phase else {
            if !self.fields.is_empty() {
                self.note(DiagnosticKind::MissingPhase);
            }
            return None;
        };
        Some(match phase {
            b'i' | b'I' | b'R' => {
                let (at, _) = self.start()?;
                let scope = self.scope();
                Event::Instant(self.thread_event(at, scope == Scope::Thread), scope)
            }
            b'C' => return self.counter(),
            b'M' | b'm' => return self.metadata(),
            b'T' => return self.state_or_step(),
            b'b' | b'n' | b'e' | b'S' | b'p' | b'F' => {
                let step = match phase {
                    b'b' => AsyncPhase::Begin,
                    b'n' => AsyncPhase::Instant,
                    b'e' => AsyncPhase::End,
                    b'S' => AsyncPhase::Start,
                    b'p' => AsyncPhase::StepPast,
                    _ => AsyncPhase::Finish,
                };
                Event::Async(step, self.keyed_event(false)?)
            }
            b'N' => Event::Object(ObjectPhase::New, self.keyed_event(true)?),
            b'O' => {
                let event = self.keyed_event(true)?;
                if !self.has_argument(b"snapshot") {
                    self.note(DiagnosticKind::MissingSnapshot);
                }
                Event::Object(ObjectPhase::Snapshot, event)
            }
            b'D' => Event::Object(ObjectPhase::Delete, self.keyed_event(true)?),
            b's' | b't' | b'f' => Event::Flow(self.flow(match phase {
                b's' => FlowPhase::Start,
                b't' => FlowPhase::Step,
                _ => FlowPhase::End,
            })?),
            b'P' if !self.is_of_profile() => return self.sample(false),
            b'P' | b'V' | b'v' | b'c' | b'(' | b')' => {
                let (at, _) = self.start()?;
                Event::Other(self.thread_event(at, true), phase)
            }
            _ => {
                self.note(DiagnosticKind::UnknownEvent);
                return None;
            }
        })
    }

    /// The arrow end that a slice carries in its own fields. \[json 3.7\]
    pub(crate) fn slice_flow(&mut self, event: &Event<'a>) -> Option<FlowEvent<'a>> {
        if !self.fields.has(Field::BindId) {
            return None;
        }
        let (Event::Begin(slice) | Event::Complete(slice, _) | Event::Unfinished(slice)) = event else {
            return None;
        };
        let phase = match (self.is_set(Field::FlowIn), self.is_set(Field::FlowOut)) {
            (false, false) => return None,
            (false, true) => FlowPhase::Start,
            (true, true) => FlowPhase::Step,
            (true, false) => FlowPhase::End,
        };
        let id = self.key_field(Field::BindId)?;
        let flow = FlowEvent::new(phase, FlowBind::Slice, slice.thread, slice.at, id, slice.name);
        Some(flow.with_category(slice.category))
    }

    /// The CPU profile, or the part of one, that the event holds, and the event that names it. \[cpu 1\]
    #[inline]
    pub(crate) fn profile(&mut self, event: &Event<'a>) -> Option<(Cursor, Event<'a>)> {
        let (holder, event) = profile_holder(event)?;
        let args = self.value_of(Field::Args).filter(|args| args.kind == Kind::Object)?;
        let record = self.data.get(self.object.0..self.object.1)?;
        let id = self.value_of(Field::Id).and_then(|id| id::of_key(id.kind, self.bytes(id)));
        let envelope = Envelope { holder, thread: event.thread, at: event.at, id };
        Cursor::of_event(record, args.start - self.object.0, envelope)
    }

    /// The length of a complete event: `dur`, or else a `tdur` that is more than nothing.
    #[inline]
    fn slice_duration(&mut self) -> Option<Nanos> {
        self.duration(Field::Dur).or_else(|| {
            let duration = self.duration(Field::Tdur).filter(|duration| duration.is_positive())?;
            self.note(DiagnosticKind::DurationFromThreadClock);
            Some(duration)
        })
    }

    fn state_or_step(&mut self) -> Option<Event<'a>> {
        if !self.fields.has(Field::Id)
            && !self.fields.has(Field::Id2)
            && let Some(duration) = self.duration(Field::Dur)
        {
            let (at, start) = self.start()?;
            let length = self.length(at, start, duration);
            return Some(Event::State(self.thread_event(at, true), length));
        }
        Some(Event::Async(AsyncPhase::StepInto, self.keyed_event(false)?))
    }

    #[inline(always)]
    fn counter(&mut self) -> Option<Event<'a>> {
        let (at, _) = self.start()?;
        Some(Event::Counter(CounterEvent {
            pid: self.process(),
            at,
            name: self.text(Field::Name),
            id: self.id().map(|(id, _)| id),
            category: self.text(Field::Cat),
            series: self.args(COUNTER_EVENT),
        }))
    }

    /// An event on a thread. That the file does not say the thread is noted if it is `required`.
    #[inline(always)]
    pub(crate) fn thread_event(&mut self, at: Tick, required: bool) -> ThreadEvent<'a> {
        self.check_thread_clock();
        ThreadEvent {
            thread: self.thread(required),
            at,
            name: self.text(Field::Name),
            category: self.text(Field::Cat),
            args: self.args(THREAD_EVENT),
        }
    }

    #[inline(always)]
    fn keyed_event(&mut self, object: bool) -> Option<KeyedEvent<'a>> {
        let (at, _) = self.start()?;
        let Some((id, local)) = self.id() else {
            self.note(DiagnosticKind::MissingId);
            return None;
        };
        let args = self.args(KEYED_EVENT);
        self.check_thread_clock();
        let (pid, name) = (self.process(), self.text(Field::Name));
        let event = KeyedEvent::new(pid, at, id, name).with_category(self.text(Field::Cat));
        let mut event = event.with_scope(self.text(Field::KeyScope));
        // The ids of objects belong to their process unless they say otherwise.
        (event.local, event.args) = (local.unwrap_or(object), args);
        Some(event)
    }

    #[inline(always)]
    fn flow(&mut self, phase: FlowPhase) -> Option<FlowEvent<'a>> {
        let (at, _) = self.start()?;
        let Some((id, local)) = self.id() else {
            self.note(DiagnosticKind::MissingId);
            return None;
        };
        let enclosing = phase != FlowPhase::End || self.first_byte(Field::BindingPoint) == Some(b'e');
        let bind = if enclosing { FlowBind::Enclosing } else { FlowBind::Next };
        let args = self.args(FLOW_EVENT);
        let (thread, name) = (self.thread(true), self.text(Field::Name));
        let flow = FlowEvent::new(phase, bind, thread, at, id, name);
        let mut flow = flow.with_category(self.text(Field::Cat));
        (flow.local, flow.args) = (local.unwrap_or(false), args);
        Some(flow)
    }

    fn metadata(&mut self) -> Option<Event<'a>> {
        let name = self.text(Field::Name);
        let is = |key: &[u8]| name.is(key);
        let event = if is(b"process_name") {
            self.argument_text(b"name").map(|text| Event::ProcessName(self.process(), text))
        } else if is(b"thread_name") {
            self.argument_text(b"name").map(|text| Event::ThreadName(self.thread(true), text))
        } else if is(b"process_sort_index") {
            self.argument_integer(b"sort_index").map(|index| Event::ProcessSortIndex(self.process(), index))
        } else if is(b"thread_sort_index") {
            self.argument_integer(b"sort_index").map(|index| Event::ThreadSortIndex(self.thread(true), index))
        } else if is(b"process_labels") {
            self.argument_text(b"labels").map(|text| Event::ProcessLabels(self.process(), text))
        } else {
            let value = self.value_of(Field::Args).map_or(Value::Null, |token| self.value(token));
            Some(Event::Meta(MetaEvent { thread: Some(self.thread(false)), key: name, value }))
        };
        if event.is_none() {
            self.note(DiagnosticKind::BadMetadata);
        }
        event
    }
}

/// The event, if its name says that it holds a CPU profile. \[cpu 1\]
#[inline]
pub(crate) fn profile_holder<'e, 'a>(event: &'e Event<'a>) -> Option<(Holder, &'e ThreadEvent<'a>)> {
    match event {
        Event::Other(event, b'P') if event.name.is(b"Profile") => Some((Holder::Head, event)),
        Event::Other(event, b'P') if event.name.is(b"ProfileChunk") => Some((Holder::Chunk, event)),
        Event::Instant(event, _) | Event::Complete(event, _) if event.name.raw() == b"CpuProfile" => {
            Some((Holder::Whole, event))
        }
        _ => None,
    }
}

/// What is left of an event that holds a CPU profile: an instant happened all the same.
pub(crate) fn beside_profile(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Instant(event, scope) => {
            Some(Event::Instant(ThreadEvent { args: Args::NONE, ..event }, scope))
        }
        _ => None,
    }
}
