//! Events that have a phase of Trace Event JSON, which mean what they mean there. [perfetto
//! 4.3](crate::rules::perfetto#4.3)

use spall_model::{
    AsyncPhase, CounterEvent, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent,
    MetaEvent, ObjectPhase, Scope, Text, Thread, ThreadEvent, Ticks, Value,
};

use super::clock::Fit;
use super::schema::LegacyEvent;
use crate::ftrace::Output;

/// An event with a phase.
pub(super) struct Legacy<'l, 's> {
    pub(super) event: &'l ThreadEvent<'s>,
    pub(super) legacy: &'l LegacyEvent<'s>,
    /// The process of the event, for what is not on its track.
    pub(super) pid: Id<'static>,
    /// Whether flows reach or leave the event.
    pub(super) has_flows: bool,
}

impl<'s> Legacy<'_, 's> {
    /// Hands over the event. Returns how flows are bound to its slice, if it is one.
    pub(super) fn hand_over(&self, out: &mut Output<'_>) -> Option<FlowBind> {
        let event = *self.event;
        // Phases are letters of ASCII.
        let phase = u8::try_from(self.legacy.phase).unwrap_or(0);
        let said = match phase {
            b'B' => Event::Begin(event),
            b'E' => Event::End(event),
            b'X' => match self.legacy.duration_us {
                Some(us) => {
                    if us.checked_mul(1000).is_none() {
                        out.fit(Fit::Clamped);
                    }
                    Event::Complete(event, Ticks(us.saturating_mul(1000)))
                }
                None => Event::Unfinished(event),
            },
            b'i' | b'I' | b'R' => {
                let scope = match self.legacy.scope {
                    1 => Scope::Global,
                    2 => Scope::Process,
                    _ => Scope::Thread,
                };
                match self.has_flows {
                    // Flows are between slices.
                    true => Event::Complete(event, Ticks::ZERO),
                    false if scope == Scope::Process => Event::Instant(
                        ThreadEvent { thread: Thread { pid: self.pid, ..event.thread }, ..event },
                        scope,
                    ),
                    false => Event::Instant(event, scope),
                }
            }
            b'C' => {
                let mut counter = CounterEvent::new(self.pid, event.at, event.name, event.args);
                (counter.id, counter.category) = (self.key().map(|(id, _)| id), event.category);
                Event::Counter(counter)
            }
            b'M' => self.metadata(out)?,
            b'b' | b'n' | b'e' | b'S' | b'T' | b'p' | b'F' => {
                let phase = match phase {
                    // Unlike in Trace Event JSON, starts of one id nest, and steps are moments. [perfetto 4.3]
                    b'b' | b'S' => AsyncPhase::Begin,
                    b'e' | b'F' => AsyncPhase::End,
                    _ => AsyncPhase::Instant,
                };
                Event::Async(phase, self.keyed(false, out)?)
            }
            b'N' => Event::Object(ObjectPhase::New, self.keyed(true, out)?),
            b'O' => Event::Object(ObjectPhase::Snapshot, self.keyed(true, out)?),
            b'D' => Event::Object(ObjectPhase::Delete, self.keyed(true, out)?),
            b's' | b't' | b'f' => self.flow(phase, out)?,
            _ => Event::Other(event, phase),
        };
        out.say(&said);
        if !matches!(said, Event::Begin(_) | Event::Complete(..) | Event::Unfinished(_)) {
            return None;
        }
        self.slice_flow(out);
        Some(FlowBind::Slice)
    }

    /// Returns the id, and whether it is local if the file says so.
    fn key(&self) -> Option<(Id<'static>, Option<bool>)> {
        let LegacyEvent { unscoped_id, local_id, global_id, .. } = *self.legacy;
        let unscoped = unscoped_id.map(|id| (id, None));
        let scoped = global_id.map(|id| (id, Some(false))).or(local_id.map(|id| (id, Some(true))));
        unscoped.or(scoped).map(|(id, local)| (Id::from(id), local))
    }

    fn keyed(&self, object: bool, out: &mut Output<'_>) -> Option<KeyedEvent<'s>> {
        let Some((id, local)) = self.key() else {
            out.report(DiagnosticKind::MissingId);
            return None;
        };
        let event = &self.event;
        let keyed = KeyedEvent::new(self.pid, event.at, id, event.name).with_category(event.category);
        let mut keyed = keyed.with_scope(Text::plain(self.legacy.id_scope));
        (keyed.local, keyed.args) = (local.unwrap_or(object), event.args);
        Some(keyed)
    }

    fn flow(&self, phase: u8, out: &mut Output<'_>) -> Option<Event<'s>> {
        let Some((id, local)) = self.key() else {
            out.report(DiagnosticKind::MissingId);
            return None;
        };
        let phase = match phase {
            b's' => FlowPhase::Start,
            b't' => FlowPhase::Step,
            _ => FlowPhase::End,
        };
        let encloses = phase != FlowPhase::End || self.legacy.binds_to_enclosing;
        let bind = if encloses { FlowBind::Enclosing } else { FlowBind::Next };
        let event = &self.event;
        let flow = FlowEvent::new(phase, bind, event.thread, event.at, id, event.name);
        let mut flow = flow.with_category(event.category);
        (flow.local, flow.args) = (local.unwrap_or(false), event.args);
        Some(Event::Flow(flow))
    }

    /// Hands over the end of a flow that a slice has in its own fields.
    fn slice_flow(&self, out: &mut Output<'_>) {
        let Some(id) = self.legacy.bind_id else { return };
        let phase = match self.legacy.flow_direction {
            1 => FlowPhase::End,
            2 => FlowPhase::Start,
            3 => FlowPhase::Step,
            _ => return out.report(DiagnosticKind::BadField),
        };
        let event = &self.event;
        let flow = FlowEvent::new(phase, FlowBind::Slice, event.thread, event.at, id, event.name);
        out.say(&Event::Flow(flow.with_category(event.category)));
    }

    /// Returns the event that a metadata event stands for, by its name.
    fn metadata(&self, out: &mut Output<'_>) -> Option<Event<'s>> {
        let event = &self.event;
        let text = || {
            event.args.iter().find_map(|(_, value)| match value {
                Value::Text(text) => Some(text),
                _ => None,
            })
        };
        let named = match event.name.raw() {
            b"process_name" => text().map(|text| Event::ProcessName(self.pid, text)),
            b"thread_name" => text().map(|text| Event::ThreadName(event.thread, text)),
            _ => Some(Event::Meta(
                MetaEvent::new(event.name, Value::Map(event.args)).with_thread(event.thread),
            )),
        };
        if named.is_none() {
            out.report(DiagnosticKind::BadMetadata);
        }
        named
    }
}
