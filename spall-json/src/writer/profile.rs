//! The encoders of sampling profiles as `Profile` and `ProfileChunk` events, which V8 also writes. [cpu
//! 1b](crate::rules::cpu#1b)

use core::fmt::{Error, Write};

use spall_model::{
    FrameEvent, Id, LineHitsEvent, ProfileEvent, ProfileId, ProfileKey, ProfilePart, ProfileStart,
    SampleEvent, SampleStack, SampleTime, Tick, Ticks, Written,
};

use super::chunk::{BufferedSample, ChunkHeader, ChunkSection, FrameList, MAX_SAMPLES, OpenFrame, OwnedId};
use super::{JsonWriter, encode};
use crate::cpu_profile::{SAME_CLOCK, WHOLE_SOURCE, WRAP, WRAPPED_BELOW};

impl<W: Write> JsonWriter<W> {
    /// Begins a profile, or goes on with another one.
    pub(super) fn profile(&mut self, event: ProfileEvent<'_>) -> Result<Written, Error> {
        let ProfileId::Own(ProfilePart { thread, key, at }) = event.profile else {
            return Ok(Written::Unsupported);
        };
        self.close_event()?;
        let ProfileEvent { begins, end, .. } = event;
        self.chunk.number = None;
        let id = match key {
            ProfileKey::Id(id) => OwnedId::new(id).map(Some),
            ProfileKey::Thread => Some(None),
            ProfileKey::Number(number) => {
                // A negative id cannot meet one of the file: no other writer has such ids.
                self.chunk.n_whole -= 1;
                self.chunk.number = Some(number);
                Some(Some(OwnedId::Number(self.chunk.n_whole)))
            }
        };
        let thread = OwnedId::new(thread.pid).zip(OwnedId::new(thread.tid));
        self.chunk.header = thread.zip(id).map(|((pid, tid), id)| ChunkHeader { pid, tid, id, at });
        let Some(header) = self.chunk.header else { return Ok(Written::Unsupported) };
        self.chunk.n_callers = 0;
        self.chunk.lost_below = None;
        self.chunk.now = begins.map(|begins| begins.start);
        self.chunk.shift = Ticks::ZERO;
        match begins {
            Some(begins) => self.head(header, begins, &event)?,
            None => self.open_chunk(header, end)?,
        }
        Ok(Written::Done)
    }

    /// Writes the event that begins a profile.
    fn head(
        &mut self,
        header: ChunkHeader,
        begins: ProfileStart,
        event: &ProfileEvent<'_>,
    ) -> Result<(), Error> {
        let ProfileStart { mut start, offset, .. } = begins;
        let mut at = header.at;
        let apart = at - start;
        let is_other_clock = apart.0.unsigned_abs() > SAME_CLOCK.unsigned_abs();
        if offset != if is_other_clock { apart } else { Ticks::ZERO } {
            // A reader would derive another offset from the two times. The profile is therefore written in the clock of
            // the trace, in which the offset is 0.
            self.chunk.shift = offset;
            start += offset;
            at = start;
        }
        self.open_event_of_profile("Profile", ChunkHeader { at, ..header })?;
        self.out.write_str("\"startTime\":")?;
        self.micros(start)?;
        let source = match event.rank.unwrap_or(0) {
            0 => Some("Internal"),
            1 => Some("Inspector"),
            3 => Some(WHOLE_SOURCE),
            _ => None,
        };
        if let Some(source) = source {
            write!(self.out, ",\"source\":\"{source}\"")?;
        }
        if let Some(end) = event.end {
            self.field("endTime")?;
            self.micros(end + self.chunk.shift)?;
        }
        self.out.write_str("}}")
    }

    /// Begins an event of a profile and opens its data.
    fn open_event_of_profile(&mut self, name: &str, header: ChunkHeader) -> Result<(), Error> {
        self.begin('P', Some((header.at, None)), header.pid.get())?;
        self.tid(header.tid.get())?;
        if let Some(id) = header.id {
            self.id("id", id.get())?;
        }
        write!(
            self.out,
            ",\"name\":\"{name}\",\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"args\":{{\"data\":{{"
        )
    }

    /// Begins an event with frames and samples.
    fn open_chunk(&mut self, header: ChunkHeader, end: Option<Tick>) -> Result<(), Error> {
        self.open_event_of_profile("ProfileChunk", header)?;
        self.chunk.section = ChunkSection::Data;
        self.chunk.comma = end.is_some();
        if let Some(end) = end {
            self.out.write_str("\"endTime\":")?;
            self.micros(end + self.chunk.shift)?;
        }
        Ok(())
    }

    /// Goes on to a section of an event of the current profile. If the open event is past this section or full, this
    /// closes it and begins a new one. Returns `false` if there is no profile.
    fn go_to(&mut self, section: ChunkSection) -> Result<bool, Error> {
        let Some(header) = self.chunk.header else { return Ok(false) };
        let is_full = section == ChunkSection::Samples && self.chunk.n_samples == MAX_SAMPLES;
        if self.chunk.section > section || is_full {
            self.close_event()?;
        }
        if self.chunk.section == ChunkSection::Outside {
            self.open_chunk(header, None)?;
        }
        if self.chunk.section != section {
            if self.chunk.section == ChunkSection::Data {
                let comma = if self.chunk.comma { "," } else { "" };
                write!(self.out, "{comma}\"cpuProfile\":{{")?;
            } else {
                self.close_section()?;
                self.out.write_char(',')?;
            }
            self.out.write_str(match section {
                ChunkSection::Frames => "\"nodes\":[",
                ChunkSection::CallSites => "\"trace_ids\":{",
                _ => "\"samples\":[",
            })?;
            self.chunk.section = section;
            self.chunk.comma = false;
        }
        Ok(true)
    }

    /// Writes the comma before an entry, if one is needed.
    fn separate(&mut self) -> Result<(), Error> {
        if self.chunk.comma {
            self.out.write_char(',')?;
        }
        self.chunk.comma = true;
        Ok(())
    }

    /// Writes a frame and leaves its object open, as its lists may follow.
    pub(super) fn frame(&mut self, frame: FrameEvent<'_>) -> Result<Written, Error> {
        let Ok(caller) = self.chunk.caller(&frame) else { return Ok(Written::Unsupported) };
        if !self.go_to(ChunkSection::Frames)? {
            return Ok(Written::Unsupported);
        }
        self.close_frame()?;
        self.separate()?;
        self.out.write_str("{\"id\":")?;
        self.lost = self.lost.with(encode::id(&mut self.out, frame.id, false)?);
        if let Some(caller) = caller {
            self.field("parent")?;
            self.lost = self.lost.with(encode::id(&mut self.out, caller, false)?);
        }
        self.out.write_str(",\"callFrame\":{\"functionName\":")?;
        self.string(frame.name)?;
        write!(self.out, ",\"scriptId\":{}", frame.source)?;
        self.text("url", frame.url)?;
        for (key, number) in [("lineNumber", frame.line), ("columnNumber", frame.column)] {
            if let Some(number) = number {
                write!(self.out, ",\"{key}\":{number}")?;
            }
        }
        self.out.write_char('}')?;
        let id = if let Id::Number(id) = frame.id { Some(id) } else { None };
        self.chunk.frame = Some(OpenFrame { id, list: None });
        Ok(Written::Done)
    }

    /// Closes the frame that is open, if one is.
    fn close_frame(&mut self) -> Result<(), Error> {
        match self.chunk.frame.take() {
            Some(frame) => self.out.write_str(if frame.list.is_some() { "]}" } else { "}" }),
            None => Ok(()),
        }
    }

    /// Writes that a frame calls another, which is possible only right behind the caller.
    pub(super) fn frame_child(&mut self, caller: Id<'_>, child: Id<'_>) -> Result<Written, Error> {
        if !self.next_in_list(caller, FrameList::Children)? {
            return Ok(Written::Unsupported);
        }
        self.lost = self.lost.with(encode::id(&mut self.out, child, false)?);
        Ok(Written::Done)
    }

    /// Writes the hits of a line, which is possible only right behind the frame and its children.
    pub(super) fn line_hits(&mut self, event: LineHitsEvent<'_>) -> Result<Written, Error> {
        let LineHitsEvent { frame, line, hits, .. } = event;
        if !self.next_in_list(frame, FrameList::Lines)? {
            return Ok(Written::Unsupported);
        }
        write!(self.out, "{{\"line\":{},\"ticks\":{hits}}}", u64::from(line) + 1)?;
        Ok(Written::Done)
    }

    /// Begins the next item of a list in the frame `of`. Returns `false` if that frame is not open, or a later list is.
    fn next_in_list(&mut self, of: Id<'_>, list: FrameList) -> Result<bool, Error> {
        let Some(frame) = self.chunk.frame.as_mut().filter(|frame| frame.id.map(Id::Number) == Some(of))
        else {
            return Ok(false);
        };
        if frame.list > Some(list) {
            return Ok(false);
        }
        match frame.list.replace(list) {
            Some(open) if open == list => self.out.write_char(',')?,
            open => {
                let end = if open.is_some() { "]," } else { "," };
                let key = if list == FrameList::Children { "children" } else { "positionTicks" };
                write!(self.out, "{end}\"{key}\":[")?;
            }
        }
        Ok(true)
    }

    /// Writes a call site.
    pub(super) fn call_site(&mut self, number: u64, frame: Id<'_>) -> Result<Written, Error> {
        if !self.go_to(ChunkSection::CallSites)? {
            return Ok(Written::Unsupported);
        }
        self.separate()?;
        write!(self.out, "\"{number}\":")?;
        self.lost = self.lost.with(encode::id(&mut self.out, frame, false)?);
        Ok(Written::Done)
    }

    /// Writes the frame of a sample, and keeps the rest of it until the event is closed.
    pub(super) fn sample(&mut self, sample: SampleEvent<'_>) -> Result<Written, Error> {
        let SampleStack::Frame(frame) = sample.stack else { return Ok(Written::Unsupported) };
        let delta = match (sample.at, self.chunk.now) {
            (SampleTime::After(delta), _) => delta,
            (SampleTime::At(at), Some(now)) => at - now,
            (SampleTime::At(_), None) => return Ok(Written::Unsupported),
        };
        if !self.go_to(ChunkSection::Samples)? {
            return Ok(Written::Unsupported);
        }
        self.chunk.now = self.chunk.now.map(|now| now + delta);
        self.separate()?;
        self.lost = self.lost.with(encode::id(&mut self.out, frame, false)?);
        let delta = self.nanos(Tick(delta.0));
        // The parser takes a delta so far back for a pause that wrapped around, and adds what is subtracted here.
        let delta = if delta < WRAPPED_BELOW { delta.saturating_sub(WRAP) } else { delta };
        let number = |number: Option<u32>| number.map_or(0, |number| number.saturating_add(1));
        if let Some(slot) = self.chunk.samples.get_mut(self.chunk.n_samples) {
            *slot = BufferedSample { delta, line: number(sample.line), column: number(sample.column) };
            self.chunk.n_samples += 1;
        }
        Ok(Written::Done)
    }

    /// Writes the closing bracket of a section.
    fn close_section(&mut self) -> Result<(), Error> {
        self.close_frame()?;
        self.out.write_char(if self.chunk.section == ChunkSection::CallSites { '}' } else { ']' })
    }

    /// Closes the data of the event of a profile that is open, if one is.
    pub(super) fn close_chunk(&mut self) -> Result<(), Error> {
        if self.chunk.section == ChunkSection::Outside {
            return Ok(());
        }
        if self.chunk.section != ChunkSection::Data {
            self.close_section()?;
            self.out.write_char('}')?;
        }
        let samples = self.chunk.samples.get(..self.chunk.n_samples).unwrap_or_default();
        if !samples.is_empty() {
            number_list(&mut self.out, "timeDeltas", samples, |out, sample| {
                encode::micros(out, sample.delta)
            })?;
        }
        if samples.iter().any(|sample| sample.line != 0) {
            number_list(&mut self.out, "lines", samples, |out, sample| write!(out, "{}", sample.line))?;
        }
        if samples.iter().any(|sample| sample.column != 0) {
            number_list(&mut self.out, "columns", samples, |out, sample| write!(out, "{}", sample.column))?;
        }
        self.chunk.n_samples = 0;
        self.chunk.section = ChunkSection::Outside;
        self.out.write_str("}}")
    }
}

/// Writes a list with one number of each sample.
fn number_list<W: Write>(
    out: &mut W,
    key: &str,
    samples: &[BufferedSample],
    number: fn(&mut W, &BufferedSample) -> Result<(), Error>,
) -> Result<(), Error> {
    write!(out, ",\"{key}\":[")?;
    for (index, sample) in samples.iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        number(out, sample)?;
    }
    out.write_char(']')
}
