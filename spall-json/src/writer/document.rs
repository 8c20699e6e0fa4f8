//! The document around the events: its other keys, and the list of events.

use core::fmt::{Error, Write};

use spall_model::{MetaEvent, Text};

use super::{JsonWriter, Place, encode};

impl<W: Write> JsonWriter<W> {
    pub(super) fn complete(&mut self) -> Result<(), Error> {
        self.close_list()?;
        if let Some(epoch) = self.clock.epoch_ns
            && !self.has_clock_key
        {
            write!(self.out, ",\"baseTimeNanoseconds\":{epoch}")?;
        }
        if !self.has_unit_key {
            // Some viewers nest what is closer than this unit wrongly.
            self.out.write_str(",\"displayTimeUnit\":\"ns\"")?;
        }
        self.out.write_str("}\n")
    }

    /// A key of the document with its value.
    pub(super) fn key(&mut self, meta: MetaEvent<'_>) -> Result<(), Error> {
        self.has_clock_key |= meta.key.is(b"baseTimeNanoseconds") || meta.key.is(b"beginningOfTime");
        self.has_unit_key |= meta.key.is(b"displayTimeUnit");
        self.begin_key(meta.key)?;
        encode::value(&mut self.out, meta.value)
    }

    /// A key of the document, up to its value.
    pub(super) fn begin_key(&mut self, key: Text<'_>) -> Result<(), Error> {
        self.close_table()?;
        match self.place {
            Place::Start => {
                self.out.write_char('{')?;
                self.place = Place::Head;
            }
            Place::List => self.close_list()?,
            Place::Head | Place::Tail => {}
        }
        if self.comma {
            self.out.write_char(',')?;
        }
        self.comma = true;
        encode::string(&mut self.out, key)?;
        self.out.write_char(':')
    }

    fn close_list(&mut self) -> Result<(), Error> {
        self.close_table()?;
        match self.place {
            Place::Start | Place::Head => {
                self.open_list()?;
                self.out.write_char(']')?;
            }
            Place::List => {
                self.close_event()?;
                self.out.write_str("\n]")?;
            }
            Place::Tail => {}
        }
        self.place = Place::Tail;
        self.comma = true;
        Ok(())
    }

    pub(super) fn open_list(&mut self) -> Result<(), Error> {
        self.close_table()?;
        self.out.write_str(match (self.place, self.comma) {
            (Place::Start, _) => "{\"traceEvents\":[",
            (_, true) => ",\"traceEvents\":[",
            _ => "\"traceEvents\":[",
        })?;
        self.place = Place::List;
        self.comma = false;
        Ok(())
    }
}
