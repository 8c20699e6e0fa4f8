//! The conversion of an object in the list of events to an event. [json 1](crate::rules::json#1)

use spall_model::{
    AsyncPhase, CounterEvent, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent,
    MetaEvent, ObjectPhase, Scope, ThreadEvent, Tick, Ticks, Value,
};

use crate::args;
use crate::cpu_profile::{Profile, ProfileKind};
use crate::decimal::Nanos;
use crate::decoder::Decoder;
use crate::fields::{COUNTER_EVENT, FLOW_EVENT, Field, KEYED_EVENT, THREAD_EVENT};
use crate::id;
use crate::lexer::TokenKind;
use crate::phases::{ASYNC, FLOW, OBJECT, phase_of};
use crate::record::Record;

impl<'a> Decoder<'a, '_, '_> {
    /// Returns the event. Returns `None` if the object is empty, or if it cannot be an event, which is reported.
    pub(crate) fn event(&mut self) -> Option<Event<'a>> {
        match self.record.first_byte(Field::Ph) {
            Some(b'B') => self.begin_or_end().map(Event::Begin),
            Some(b'E') => self.begin_or_end().map(Event::End),
            Some(b'X') => self.complete().map(|(event, duration)| match duration {
                Some(duration) => Event::Complete(event, duration),
                None => Event::Unfinished(event),
            }),
            phase => self.other_event(phase),
        }
    }

    /// Returns a begin or an end.
    fn begin_or_end(&mut self) -> Option<ThreadEvent<'a>> {
        let (at, _) = self.time()?;
        Some(self.thread_event(at, true))
    }

    /// Returns a complete event and its duration, if it has one.
    fn complete(&mut self) -> Option<(ThreadEvent<'a>, Option<Ticks>)> {
        let (at, exact) = self.time()?;
        let duration = self.slice_duration().map(|duration| self.rounded_duration(at, exact, duration));
        Some((self.thread_event(at, true), duration))
    }

    /// Returns an event that is no slice.
    fn other_event(&mut self, phase: Option<u8>) -> Option<Event<'a>> {
        let Some(phase) = phase else {
            if !self.record.fields.is_empty() {
                self.report(DiagnosticKind::MissingKind);
            }
            return None;
        };
        Some(match phase {
            b'i' | b'I' | b'R' => {
                let (at, _) = self.time()?;
                let scope = self.scope();
                Event::Instant(self.thread_event(at, scope == Scope::Thread), scope)
            }
            b'C' => return self.counter(),
            b'M' | b'm' => return self.metadata(),
            b'T' => return self.state_or_step(),
            // Profilers other than V8 write one sample per event.
            b'P' if !self.is_of_cpu_profile() => return self.sample(false),
            b'P' | b'V' | b'v' | b'c' | b'(' | b')' => {
                let (at, _) = self.time()?;
                Event::Other(self.thread_event(at, true), phase)
            }
            _ => return self.event_with_key(phase),
        })
    }

    /// Returns an async event, an event of an object, or one end of a flow.
    fn event_with_key(&mut self, letter: u8) -> Option<Event<'a>> {
        if let Some(phase) = phase_of(&ASYNC, letter) {
            return Some(Event::Async(phase, self.keyed_event(false)?));
        }
        if let Some(phase) = phase_of(&OBJECT, letter) {
            let event = self.keyed_event(true)?;
            if phase == ObjectPhase::Snapshot && !self.has_argument(b"snapshot") {
                self.report(DiagnosticKind::MissingSnapshot);
            }
            return Some(Event::Object(phase, event));
        }
        if let Some(phase) = phase_of(&FLOW, letter) {
            return self.flow(phase).map(Event::Flow);
        }
        self.report(DiagnosticKind::UnknownEvent);
        None
    }

    /// Returns the end of a flow that `event`, a slice, has in its own fields. [pairing 6](spall_model::rules::pairing#6)
    pub(crate) fn slice_flow(&mut self, event: &Event<'a>) -> Option<FlowEvent<'a>> {
        let (Event::Begin(slice) | Event::Complete(slice, _) | Event::Unfinished(slice)) = event else {
            return None;
        };
        let phase = match (self.is_set(Field::FlowIn), self.is_set(Field::FlowOut)) {
            (false, false) => return None,
            (false, true) => FlowPhase::Start,
            (true, true) => FlowPhase::Step,
            (true, false) => FlowPhase::End,
        };
        let id = self.id(Field::BindId, id::key)?;
        let flow = FlowEvent::new(phase, FlowBind::Slice, slice.thread, slice.at, id, slice.name);
        Some(flow.with_category(slice.category))
    }

    /// Returns the CPU profile, or the part of one, in the arguments of `event`. [cpu 1](crate::rules::cpu#1)
    #[inline]
    pub(crate) fn profile(&self, event: &Event<'a>) -> Option<Profile<'a>> {
        let (kind, event) = match event {
            Event::Other(event, b'P') if event.name.is(b"Profile") => (ProfileKind::Head, event),
            Event::Other(event, b'P') if event.name.is(b"ProfileChunk") => (ProfileKind::Chunk, event),
            Event::Instant(event, _) | Event::Complete(event, _) if event.name.raw() == b"CpuProfile" => {
                (ProfileKind::Whole, event)
            }
            _ => return None,
        };
        let args = self.token(Field::Args).filter(|args| args.kind == TokenKind::Object)?;
        let Record { data, object: (_, end), .. } = self.record;
        let id = self.token(Field::Id).and_then(|id| id::key(data, id));
        Profile::of_event(data.get(..end)?, args.start, kind, event, id)
    }

    /// Returns the duration of a complete event: `dur`, or else a `tdur` above 0.
    fn slice_duration(&mut self) -> Option<Nanos> {
        self.duration(Field::Dur).or_else(|| {
            let duration = self.duration(Field::Tdur).filter(|duration| duration.is_positive())?;
            self.report(DiagnosticKind::DurationFromThreadClock);
            Some(duration)
        })
    }

    /// Returns a `T` event. It is a state if it has a duration and no key, else a step of an async event: two meanings
    /// share the letter.
    fn state_or_step(&mut self) -> Option<Event<'a>> {
        if !self.has(Field::Id)
            && !self.has(Field::Id2)
            && let Some(duration) = self.duration(Field::Dur)
        {
            let (at, exact) = self.time()?;
            let duration = self.rounded_duration(at, exact, duration);
            return Some(Event::State(self.thread_event(at, true), duration));
        }
        Some(Event::Async(AsyncPhase::StepInto, self.keyed_event(false)?))
    }

    /// Returns the values of a counter.
    fn counter(&mut self) -> Option<Event<'a>> {
        let (at, _) = self.time()?;
        let (pid, name) = (self.process(), self.text(Field::Name));
        let (id, category) = (self.key().map(|(id, _)| id), self.text(Field::Cat));
        let mut event = CounterEvent::new(pid, at, name, self.args(COUNTER_EVENT));
        (event.id, event.category) = (id, category);
        Some(Event::Counter(event))
    }

    /// Returns an event on a thread. If the file does not give the thread, that is reported if the thread is
    /// `required`.
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

    /// Returns the time and the key of an event that must have both, and whether the key is local if the file says so.
    fn time_and_key(&mut self) -> Option<(Tick, Id<'a>, Option<bool>)> {
        let (at, _) = self.time()?;
        let Some((id, local)) = self.key() else {
            self.report(DiagnosticKind::MissingId);
            return None;
        };
        Some((at, id, local))
    }

    /// Returns an async event, or an object event if `object`.
    fn keyed_event(&mut self, object: bool) -> Option<KeyedEvent<'a>> {
        let (at, id, local) = self.time_and_key()?;
        // The order of these calls is that of the diagnostics.
        let args = match self.record.keyed_thread() {
            Some(thread) => thread,
            None => self.args(KEYED_EVENT),
        };
        self.check_thread_clock();
        let (pid, name) = (self.process(), self.text(Field::Name));
        let event = KeyedEvent::new(pid, at, id, name).with_category(self.text(Field::Cat));
        let mut event = event.with_scope(self.text(Field::KeyScope));
        // Without `id2`, the ids of objects are local to their process, those of async events are not.
        (event.local, event.args) = (local.unwrap_or(object), args);
        Some(event)
    }

    /// Returns one end of a flow.
    fn flow(&mut self, phase: FlowPhase) -> Option<FlowEvent<'a>> {
        let (at, id, local) = self.time_and_key()?;
        // Only an end may be bound to the slice that begins next. \[pairing 6\]
        let enclosing = phase != FlowPhase::End || self.record.first_byte(Field::BindingPoint) == Some(b'e');
        let bind = if enclosing { FlowBind::Enclosing } else { FlowBind::Next };
        let args = self.args(FLOW_EVENT);
        let (thread, name) = (self.thread(true), self.text(Field::Name));
        let flow = FlowEvent::new(phase, bind, thread, at, id, name);
        let mut flow = flow.with_category(self.text(Field::Cat));
        (flow.local, flow.args) = (local.unwrap_or(false), args);
        Some(flow)
    }

    /// Returns the event that a metadata event stands for, by its name.
    fn metadata(&mut self) -> Option<Event<'a>> {
        let name = self.text(Field::Name);
        let is = |key: &[u8]| name.is(key);
        let event = if is(b"process_name") {
            self.text_argument(b"name").map(|text| Event::ProcessName(self.process(), text))
        } else if is(b"thread_name") {
            self.text_argument(b"name").map(|text| Event::ThreadName(self.thread(true), text))
        } else if is(b"process_sort_index") {
            self.integer_argument(b"sort_index").map(|index| Event::ProcessSortIndex(self.process(), index))
        } else if is(b"thread_sort_index") {
            self.integer_argument(b"sort_index").map(|index| Event::ThreadSortIndex(self.thread(true), index))
        } else if is(b"process_labels") {
            self.text_argument(b"labels").map(|text| Event::ProcessLabels(self.process(), text))
        } else {
            let value =
                self.token(Field::Args).map_or(Value::Null, |token| args::value(self.record.data, token));
            Some(Event::Meta(MetaEvent::new(name, value).with_thread(self.thread(false))))
        };
        if event.is_none() {
            self.report(DiagnosticKind::BadMetadata);
        }
        event
    }
}
