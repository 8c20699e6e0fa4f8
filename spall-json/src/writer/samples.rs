//! The encoders of samples that name their thread, and of the frames that they share. [json
//! 1](crate::rules::json#1)

use core::fmt::{Error, Write};

use spall_model::{
    FrameEvent, FrameParent, Id, LostParts, SampleEvent, SampleStack, Text, Thread, Value, Written,
};

use super::{JsonWriter, encode};
use crate::sample::SampleTable;

impl<W: Write> JsonWriter<W> {
    /// Begins the next entry of a table. Returns `false` if the table was closed before.
    fn next_entry(&mut self, table: SampleTable) -> Result<bool, Error> {
        if self.table == Some(table) {
            self.out.write_str(",\n")?;
            return Ok(true);
        }
        let [has_frames, has_samples] = &mut self.has_tables;
        let (has_table, key, bracket) = match table {
            SampleTable::Frames => (has_frames, &b"stackFrames"[..], "{\n"),
            SampleTable::Samples => (has_samples, &b"samples"[..], "[\n"),
        };
        // A repeated key would replace the table that was written before.
        if core::mem::replace(has_table, true) {
            return Ok(false);
        }
        self.begin_key(Text::plain(key))?;
        self.out.write_str(bracket)?;
        self.table = Some(table);
        Ok(true)
    }

    /// Closes the table that is open.
    pub(super) fn close_table(&mut self) -> Result<(), Error> {
        match self.table.take() {
            Some(SampleTable::Frames) => self.out.write_str("\n}"),
            Some(SampleTable::Samples) => self.out.write_str("\n]"),
            None => Ok(()),
        }
    }

    /// Writes an entry of `stackFrames`.
    pub(super) fn shared_frame(&mut self, frame: FrameEvent<'_>) -> Result<Written, Error> {
        let caller = match frame.parent {
            FrameParent::Unknown => None,
            FrameParent::Id(caller) => Some(caller),
            FrameParent::Depth(_) => return Ok(Written::Unsupported),
        };
        if !self.next_entry(SampleTable::Frames)? {
            return Ok(Written::TooLate);
        }
        match frame.id {
            Id::Number(id) => write!(self.out, "\"{id}\"")?,
            Id::Text(id) => self.string(Text::escaped(id))?,
        }
        self.out.write_str(":{\"name\":")?;
        self.string(frame.name)?;
        self.text("category", frame.url)?;
        if let Some(caller) = caller {
            self.field("parent")?;
            self.lost = self.lost.with(encode::id(&mut self.out, caller, false)?);
        }
        self.out.write_char('}')?;
        // An entry has no place for these.
        let has_place = frame.source != 0 || frame.line.is_some() || frame.column.is_some();
        Ok(Written::without(if has_place { LostParts::ARGUMENTS } else { LostParts::NONE }))
    }

    /// Writes an entry of `samples`.
    pub(super) fn listed_sample(&mut self, sample: SampleEvent<'_>) -> Result<Written, Error> {
        let Some((thread, value, at)) = sample.of_thread() else { return Ok(Written::Unsupported) };
        if !self.next_entry(SampleTable::Samples)? {
            return Ok(Written::TooLate);
        }
        self.out.write_str("{\"ts\":")?;
        self.micros(at)?;
        if !sample.any_process {
            self.id("pid", thread.pid)?;
        }
        self.sample_fields(thread, value, sample)?;
        self.out.write_char('}')?;
        Ok(Written::without(self.lost))
    }

    /// Writes a sample as a `P` event.
    pub(super) fn event_sample(&mut self, sample: SampleEvent<'_>) -> Result<Written, Error> {
        // A sample of this name would be read as a part of a V8 profile.
        let is_writable = |value: Text<'_>| !value.is(b"Profile") && !value.is(b"ProfileChunk");
        let Some((thread, value, at)) = sample.of_thread().filter(|&(_, value, _)| is_writable(value)) else {
            return Ok(Written::Unsupported);
        };
        self.begin('P', Some((at, None)), thread.pid)?;
        self.sample_fields(thread, value, sample)?;
        Ok(Written::without(self.lost))
    }

    /// Writes the fields of a sample that both forms have.
    fn sample_fields(
        &mut self,
        thread: Thread<'_>,
        value: Text<'_>,
        sample: SampleEvent<'_>,
    ) -> Result<(), Error> {
        self.tid(thread.tid)?;
        self.text("name", value)?;
        if let SampleStack::Frame(frame) = sample.stack {
            self.id("sf", frame)?;
        }
        #[allow(clippy::float_cmp, reason = "a weight that is not written is read as exactly 1")]
        if sample.weight != 1.0 {
            self.field_value("weight", Value::F64(sample.weight))?;
        }
        self.args(sample.args)
    }
}
