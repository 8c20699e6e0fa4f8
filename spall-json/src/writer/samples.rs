//! Samples that say their thread, and the frames that they share. \[json 1\]

use core::fmt::{Error, Write};

use spall_model::{FrameEvent, FrameParent, Id, SampleStack, Text, ThreadSampleEvent, Value};

use super::{JsonWriter, Written, encode};

/// A key of the document whose value holds frames or samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Frames,
    Samples,
}

impl<W: Write> JsonWriter<W> {
    /// Goes to the next place in a table; `false` if it was closed before.
    fn next_in(&mut self, table: Table) -> Result<bool, Error> {
        if self.table == Some(table) {
            self.out.write_str(",\n")?;
            return Ok(true);
        }
        let [has_frames, has_samples] = &mut self.has_tables;
        let (has_table, key, bracket) = match table {
            Table::Frames => (has_frames, &b"stackFrames"[..], "{\n"),
            Table::Samples => (has_samples, &b"samples"[..], "[\n"),
        };
        if core::mem::replace(has_table, true) {
            return Ok(false);
        }
        self.begin_key(Text::plain(key))?;
        self.out.write_str(bracket)?;
        self.table = Some(table);
        Ok(true)
    }

    pub(super) fn close_table(&mut self) -> Result<(), Error> {
        match self.table.take() {
            Some(Table::Frames) => self.out.write_str("\n}"),
            Some(Table::Samples) => self.out.write_str("\n]"),
            None => Ok(()),
        }
    }

    pub(super) fn shared_frame(&mut self, frame: FrameEvent<'_>) -> Result<Written, Error> {
        let caller = match frame.parent {
            FrameParent::Unknown => None,
            FrameParent::Id(caller) => Some(caller),
            FrameParent::Depth(_) => return Ok(Written::Unsupported),
        };
        if !self.next_in(Table::Frames)? {
            return Ok(Written::TooLate);
        }
        match frame.id {
            Id::Number(id) => write!(self.out, "\"{id}\"")?,
            Id::Text(id) => encode::string(&mut self.out, Text::escaped(id))?,
        }
        self.out.write_str(":{\"name\":")?;
        encode::string(&mut self.out, frame.name)?;
        self.text("category", frame.url)?;
        if let Some(caller) = caller {
            self.out.write_str(",\"parent\":")?;
            encode::id(&mut self.out, caller, false)?;
        }
        self.out.write_char('}')?;
        Ok(Written::Done)
    }

    pub(super) fn listed_sample(&mut self, sample: ThreadSampleEvent<'_>) -> Result<Written, Error> {
        if !self.next_in(Table::Samples)? {
            return Ok(Written::TooLate);
        }
        self.out.write_str("{\"ts\":")?;
        self.micros(sample.at)?;
        if !sample.any_process {
            self.id("pid", sample.thread.pid)?;
        }
        self.content(sample)?;
        Ok(Written::Done)
    }

    pub(super) fn event_sample(&mut self, sample: ThreadSampleEvent<'_>) -> Result<Written, Error> {
        // It would be read as a part of a V8 profile.
        if sample.name().is(b"Profile") || sample.name().is(b"ProfileChunk") {
            return Ok(Written::Unsupported);
        }
        self.begin('P', Some((sample.at, None)), sample.thread.pid)?;
        self.content(sample)?;
        Ok(Written::Done)
    }

    fn content(&mut self, sample: ThreadSampleEvent<'_>) -> Result<(), Error> {
        self.id("tid", sample.thread.tid)?;
        self.text("name", sample.name())?;
        if let SampleStack::Frame(frame) = sample.stack {
            self.id("sf", frame)?;
        }
        #[allow(clippy::float_cmp, reason = "what is not written is read as just this")]
        if sample.weight != 1.0 {
            self.out.write_str(",\"weight\":")?;
            encode::value(&mut self.out, Value::F64(sample.weight))?;
        }
        self.args(sample.args)?;
        self.out.write_char('}')
    }
}
