//! Hands the events of a trace on, with the times and ids that they have in the result.

use alloc::{collections::BTreeSet, string::String, vec::Vec};
use core::{cell::Cell, convert::Infallible, fmt::Write};

use spall_model::{
    DiagnosticKind, Event, FrameParent, Id, KeyedEvent, ProfileEvent, SampleStack, SampleTime, Text, Thread,
    ThreadEvent, Tick, Ticks, Trace, TraceBuilder,
};

use super::{
    ids::{InputIds, OwnedId},
    placement::Placement,
};

use crate::tick_scale::{TickScale, clamped};

/// What changes in the events of one trace.
pub(super) struct Forward<'i> {
    pub(super) scale: TickScale,
    pub(super) placement: Placement,
    /// The name that ids get which hold for a whole file, such as those of flows. `None` leaves them as they are.
    pub(super) suffix: Option<&'i str>,
    pub(super) ids: InputIds,
    /// Whether a time of the event that is being mapped had to be clamped.
    pub(super) is_clamped: Cell<bool>,
}

impl Forward<'_> {
    /// Adds the events of the trace to the result, and labels its processes with `name`. `named` are the processes and
    /// threads that have a name in the result, which they keep.
    pub(super) fn all(
        &self,
        trace: &Trace,
        name: &str,
        named: &mut BTreeSet<(OwnedId, Option<OwnedId>)>,
        builder: &mut TraceBuilder,
    ) {
        let mut names = Vec::new();
        for (own, pid) in self.ids.processes(trace).filter(|(own, pid)| own != pid) {
            if let Some(text) = own.id().text() {
                // A number took the place of the text, which was the name.
                let name = if own.id() == Id::NONE { Text::from("Global") } else { text };
                builder.push(&Event::ProcessName(pid.id(), name));
            }
        }
        let Ok(()) = trace.replay(|event| {
            let mut texts = Texts::default();
            let Some(event) = self.mapped(event, &mut texts) else { return Ok(()) };
            if self.is_clamped.take() {
                builder.push(&Event::Diagnostic(DiagnosticKind::TimeOutOfRange));
            }
            let of = match event {
                Event::ProcessName(pid, _) => Some((OwnedId::of(pid), None)),
                Event::ThreadName(of, _) => Some((OwnedId::of(of.pid), Some(OwnedId::of(of.tid)))),
                _ => None,
            };
            if of.as_ref().is_none_or(|of| !named.contains(of)) {
                builder.push(&event);
                names.extend(of);
            }
            Ok::<(), Infallible>(())
        });
        named.extend(names);
        // The label of the trace comes behind those of the file.
        for (_, pid) in self.ids.processes(trace) {
            builder.push(&Event::ProcessLabels(pid.id(), Text::plain(name.as_bytes())));
        }
    }

    /// Returns the event with its times and ids in the result, or `None` if the result has its own.
    fn mapped<'e>(&'e self, event: &Event<'e>, texts: &'e mut Texts) -> Option<Event<'e>> {
        let Texts { tid, id: id_text, parent, scope, parent_tid } = texts;
        Some(match *event {
            Event::Clock(_) | Event::Conventions(_) => return None,
            Event::Begin(event) => Event::Begin(self.on_thread(event, tid)),
            Event::End(event) => Event::End(self.on_thread(event, tid)),
            Event::Complete(event, duration) => {
                Event::Complete(self.on_thread(event, tid), self.duration(event.at, duration))
            }
            Event::Unfinished(event) => Event::Unfinished(self.on_thread(event, tid)),
            Event::Instant(event, scope) => Event::Instant(self.on_thread(event, tid), scope),
            Event::State(event, duration) => {
                Event::State(self.on_thread(event, tid), self.duration(event.at, duration))
            }
            Event::Other(event, tag) => Event::Other(self.on_thread(event, tid), tag),
            Event::Counter(mut event) => {
                event.pid = self.ids.pid(event.pid);
                event.at = self.at(event.at);
                Event::Counter(event)
            }
            Event::Async(phase, event) => Event::Async(phase, self.keyed(event, scope)),
            Event::Object(phase, event) => Event::Object(phase, self.keyed(event, scope)),
            Event::Flow(mut event) => {
                event.thread = self.thread(event.thread, tid);
                event.at = self.at(event.at);
                if !event.local {
                    event.id = self.file_id(event.id, id_text);
                }
                Event::Flow(event)
            }
            Event::Profile(mut event) => {
                event.thread = self.thread(event.thread, tid);
                Event::Profile(self.profile(event))
            }
            Event::Sample(mut event) => {
                event.at = match event.at {
                    SampleTime::At(at) => SampleTime::At(self.at(at)),
                    SampleTime::After(ticks) => SampleTime::After(self.duration(Tick(0), ticks)),
                };
                Event::Sample(event)
            }
            Event::SharedFrame(mut event) => {
                if let FrameParent::Id(id) = event.parent {
                    event.parent = FrameParent::Id(self.file_id(id, parent));
                }
                event.id = self.file_id(event.id, id_text);
                Event::SharedFrame(event)
            }
            Event::ThreadSample(mut event) => {
                event.thread = self.thread(event.thread, tid);
                event.at = self.at(event.at);
                if let SampleStack::Frame(id) = event.stack {
                    event.stack = SampleStack::Frame(self.file_id(id, id_text));
                }
                Event::ThreadSample(event)
            }
            Event::ThreadProfile(mut event) => {
                event.thread = self.thread(event.thread, tid);
                event.period = event.period.map(|period| self.duration(Tick(0), period));
                Event::ThreadProfile(event)
            }
            Event::ProcessName(pid, name) => Event::ProcessName(self.ids.pid(pid), name),
            Event::ThreadName(of, name) => Event::ThreadName(self.thread(of, tid), name),
            Event::ThreadRole(of, role) => Event::ThreadRole(self.thread(of, tid), role),
            Event::ProcessSortIndex(pid, index) => Event::ProcessSortIndex(self.ids.pid(pid), index),
            Event::ThreadSortIndex(of, index) => Event::ThreadSortIndex(self.thread(of, tid), index),
            Event::Track(mut event) => {
                event.thread = self.thread(event.thread, tid);
                event.parent.pid = event.thread.pid;
                if let Some(tid) = self.ids.tid(event.parent.tid) {
                    event.parent.tid = parent_tid.insert(tid).id();
                }
                Event::Track(event)
            }
            Event::ProcessLabels(pid, labels) => Event::ProcessLabels(self.ids.pid(pid), labels),
            Event::Meta(mut event) => {
                if event.thread.is_none() && self.suffix.is_some() {
                    event.key = Text::plain(self.suffixed(event.key, id_text).as_bytes());
                }
                event.thread = event.thread.map(|thread| self.thread(thread, tid));
                Event::Meta(event)
            }
            other => other,
        })
    }

    /// Returns a thread with the ids that it has in the trace of all files.
    fn thread<'e>(&'e self, thread: Thread<'e>, tid: &'e mut Option<OwnedId>) -> Thread<'e> {
        *tid = self.ids.tid(thread.tid);
        Thread { pid: self.ids.pid(thread.pid), tid: tid.as_ref().map_or(thread.tid, OwnedId::id) }
    }

    fn on_thread<'e>(&'e self, event: ThreadEvent<'e>, tid: &'e mut Option<OwnedId>) -> ThreadEvent<'e> {
        ThreadEvent { thread: self.thread(event.thread, tid), at: self.at(event.at), ..event }
    }

    /// Returns a time on the axis of the result.
    fn at(&self, at: Tick) -> Tick {
        let exact = self.scale.convert(at).saturating_add(i128::from(self.placement.offset.0));
        let at = clamped(exact);
        self.is_clamped.set(self.is_clamped.get() || i128::from(at) != exact);
        Tick(at)
    }

    /// Returns a duration in ticks of the result, so that start and end are both at the nearest tick.
    fn duration(&self, at: Tick, duration: Ticks) -> Ticks {
        self.at(at + duration) - self.at(at)
    }

    fn profile<'e>(&self, mut event: ProfileEvent<'e>) -> ProfileEvent<'e> {
        event.begins = event.begins.map(|mut begins| {
            begins.offset = self.duration(begins.start, begins.offset);
            begins.start = self.at(begins.start);
            begins
        });
        event.at = self.at(event.at);
        event.end = event.end.map(|end| self.at(end));
        event
    }

    fn keyed<'e>(&'e self, mut event: KeyedEvent<'e>, scope: &'e mut Option<String>) -> KeyedEvent<'e> {
        event.pid = self.ids.pid(event.pid);
        event.at = self.at(event.at);
        if event.local || self.suffix.is_none() {
            return event;
        }
        let scope = self.suffixed(event.scope(), scope);
        event.with_scope(Text::plain(scope.as_bytes()))
    }

    /// Returns an id that holds for the whole file as one of the result.
    fn file_id<'e>(&self, id: Id<'e>, text: &'e mut Option<String>) -> Id<'e> {
        if self.suffix.is_none() {
            return id;
        }
        let shown = match id {
            Id::Number(number) => return Id::Text(self.suffixed(number, text).as_bytes()),
            Id::Text(shown) => Text::escaped(shown),
        };
        Id::Text(self.suffixed(shown, text).as_bytes())
    }

    fn suffixed<'e>(&self, id: impl core::fmt::Display, text: &'e mut Option<String>) -> &'e str {
        let text = text.insert(String::new());
        // Writing to a `String` does not fail.
        _ = write!(text, "{id}@{}", self.suffix.unwrap_or_default());
        text
    }
}

/// The ids and texts of one event that are made for the result.
#[derive(Debug, Default)]
struct Texts {
    tid: Option<OwnedId>,
    id: Option<String>,
    parent: Option<String>,
    scope: Option<String>,
    parent_tid: Option<OwnedId>,
}
