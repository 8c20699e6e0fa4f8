//! The document around the events: its keys, and the brackets of the list of events.

use core::fmt::{Error, Write};

use spall_model::{Clock, MetaEvent, Text};

use super::{JsonWriter, Section};

impl<W: Write> JsonWriter<W> {
    /// Completes the document. The writer must not be used afterwards.
    pub(super) fn complete(&mut self) -> Result<(), Error> {
        self.close_list()?;
        let Clock { epoch_ns, monotonic_ns, .. } = self.clock;
        for (key, time, has_key) in [
            ("baseTimeNanoseconds", epoch_ns, self.has_epoch_key),
            ("baseMonotonicNanoseconds", monotonic_ns, self.has_monotonic_key),
        ] {
            if let Some(time) = time.filter(|_| !has_key) {
                write!(self.out, ",\"{key}\":{time}")?;
            }
        }
        if !self.has_unit_key {
            // Some viewers nest slices wrongly that are closer together than this unit, a millisecond by default.
            self.out.write_str(",\"displayTimeUnit\":\"ns\"")?;
        }
        self.out.write_str("}\n")
    }

    /// Writes a key of the document with its value.
    pub(super) fn key(&mut self, meta: MetaEvent<'_>) -> Result<(), Error> {
        self.has_epoch_key |= meta.key.is(b"baseTimeNanoseconds") || meta.key.is(b"beginningOfTime");
        self.has_monotonic_key |= meta.key.is(b"baseMonotonicNanoseconds");
        self.has_unit_key |= meta.key.is(b"displayTimeUnit");
        self.begin_key(meta.key)?;
        self.value(meta.value)
    }

    /// Writes a key of the document and its colon. The list of events is closed before.
    pub(super) fn begin_key(&mut self, key: Text<'_>) -> Result<(), Error> {
        self.close_table()?;
        match self.section {
            Section::Start => {
                self.out.write_char('{')?;
                self.section = Section::Head;
            }
            Section::Events => self.close_list()?,
            Section::Head | Section::Tail => {}
        }
        if self.comma {
            self.out.write_char(',')?;
        }
        self.comma = true;
        self.string(key)?;
        self.out.write_char(':')
    }

    /// Closes the list of events. If there is none, this writes an empty one.
    fn close_list(&mut self) -> Result<(), Error> {
        self.close_table()?;
        match self.section {
            Section::Start | Section::Head => {
                self.open_list()?;
                self.out.write_char(']')?;
            }
            Section::Events => {
                self.close_event()?;
                self.out.write_str("\n]")?;
            }
            Section::Tail => {}
        }
        self.section = Section::Tail;
        self.comma = true;
        Ok(())
    }

    /// Opens the list of events.
    pub(super) fn open_list(&mut self) -> Result<(), Error> {
        self.close_table()?;
        self.out.write_str(match (self.section, self.comma) {
            (Section::Start, _) => "{\"traceEvents\":[",
            (_, true) => ",\"traceEvents\":[",
            _ => "\"traceEvents\":[",
        })?;
        self.section = Section::Events;
        self.comma = false;
        Ok(())
    }
}
