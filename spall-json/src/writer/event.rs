//! The encoders of single events. [json 1](crate::rules::json#1)

use core::fmt::{Error, Write};

use spall_model::{
    CounterEvent, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent, Scope, Text, Thread, ThreadEvent, Ticks,
    Value,
};

use super::{JsonWriter, Open, encode};
use crate::phases::{FLOW, letter_of};

impl<W: Write> JsonWriter<W> {
    /// Writes an event on a thread.
    pub(super) fn event(
        &mut self,
        phase: char,
        event: ThreadEvent<'_>,
        duration: Option<Ticks>,
    ) -> Result<(), Error> {
        self.begin(phase, Some((event.at, duration)), event.thread.pid)?;
        self.tid(event.thread.tid)?;
        self.text("name", event.name)?;
        self.text("cat", event.category)?;
        self.args(event.args)
    }

    /// Writes a slice.
    pub(super) fn slice(
        &mut self,
        phase: char,
        event: ThreadEvent<'_>,
        duration: Option<Ticks>,
    ) -> Result<(), Error> {
        self.event(phase, event, duration)?;
        self.open = Some(Open::Slice);
        Ok(())
    }

    /// Writes an instant.
    pub(super) fn instant(&mut self, event: ThreadEvent<'_>, scope: Scope) -> Result<(), Error> {
        self.event('i', event, None)?;
        let scope = match scope {
            Scope::Thread => 't',
            Scope::Process => 'p',
            Scope::Global => 'g',
        };
        write!(self.out, ",\"s\":\"{scope}\"")
    }

    /// Writes the values of a counter.
    pub(super) fn counter(&mut self, counter: CounterEvent<'_>) -> Result<(), Error> {
        self.begin('C', Some((counter.at, None)), counter.pid)?;
        self.text("name", counter.name)?;
        self.text("cat", counter.category)?;
        if let Some(id) = counter.id {
            self.id("id", id)?;
        }
        self.args(counter.series)
    }

    /// Writes the key of an event. The field `id` means a local key if `local_by_default`, and `id2` says it
    /// explicitly in the other case.
    fn key_id(&mut self, id: Id<'_>, local: bool, local_by_default: bool) -> Result<(), Error> {
        if local == local_by_default {
            return self.id("id", id);
        }
        write!(self.out, ",\"id2\":{{\"{}\":", if local { "local" } else { "global" })?;
        self.lost = self.lost.with(encode::id(&mut self.out, id, self.unsigned_ids)?);
        self.out.write_char('}')
    }

    /// Writes an async event, or an object event if `object`.
    pub(super) fn keyed(&mut self, phase: char, event: KeyedEvent<'_>, object: bool) -> Result<(), Error> {
        self.begin(phase, Some((event.at, None)), event.pid)?;
        if event.args.field(b"tid").is_none() {
            // Some viewers insist on a thread.
            self.id("tid", event.pid)?;
        }
        self.key_id(event.id, event.local, object)?;
        self.text("scope", event.scope)?;
        self.text("name", event.name)?;
        self.text("cat", event.category)?;
        self.args(event.args)
    }

    /// Writes one end of a flow: as fields of the slice written just before if it belongs to that, else as an event.
    pub(super) fn flow(&mut self, flow: FlowEvent<'_>) -> Result<(), Error> {
        // Only fields of the slice itself bind a flow to exactly this slice, and arguments have no place in them.
        if flow.bind == FlowBind::Slice && self.open == Some(Open::Slice) && flow.args.is_none() {
            self.id("bind_id", flow.id)?;
            self.open = Some(Open::Event);
            return self.out.write_str(match flow.phase {
                FlowPhase::Start => ",\"flow_out\":true",
                FlowPhase::Step | FlowPhase::Pass => ",\"flow_in\":true,\"flow_out\":true",
                FlowPhase::End | FlowPhase::Stop => ",\"flow_in\":true",
            });
        }
        self.begin(letter_of(&FLOW, flow.phase), Some((flow.at, None)), flow.thread.pid)?;
        self.tid(flow.thread.tid)?;
        self.key_id(flow.id, flow.local, false)?;
        self.text("name", flow.name)?;
        self.text("cat", flow.category)?;
        self.args(flow.args)?;
        let enclosing = flow.phase == FlowPhase::End && flow.bind != FlowBind::Next;
        self.out.write_str(if enclosing { ",\"bp\":\"e\"" } else { "" })
    }

    /// Writes a metadata event with one argument.
    pub(super) fn metadata(
        &mut self,
        name: &str,
        pid: Id<'_>,
        tid: Option<Id<'_>>,
        key: &str,
        value: Value<'_>,
    ) -> Result<(), Error> {
        self.begin('M', None, pid)?;
        if let Some(tid) = tid {
            self.tid(tid)?;
        }
        write!(self.out, ",\"name\":\"{name}\",\"args\":{{\"{key}\":")?;
        self.value(value)?;
        self.out.write_char('}')
    }

    /// Writes a metadata event of any name about a thread.
    pub(super) fn meta(&mut self, thread: Thread<'_>, key: Text<'_>, value: Value<'_>) -> Result<(), Error> {
        self.begin('M', None, thread.pid)?;
        self.tid(thread.tid)?;
        self.text("name", key)?;
        match value {
            Value::Null => Ok(()),
            Value::Map(_) => self.field_value("args", value),
            // The arguments of an event must be an object, so a value of another kind becomes its only member.
            _ => {
                self.out.write_str(",\"args\":{\"value\":")?;
                self.value(value)?;
                self.out.write_char('}')
            }
        }
    }
}
