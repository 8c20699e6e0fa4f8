//! Sampling profiles as `Profile` and `ProfileChunk` events, as V8 writes them. \[cpu 1b\]

use core::fmt::{Error, Write};

use spall_model::{
    FrameEvent, FrameParent, Id, LineHitsEvent, ProfileEvent, ProfileKey, ProfileStart, SampleEvent,
    SampleTime, Tick, Ticks,
};

use super::{JsonWriter, Written, encode};
use crate::cpu_profile::{SAME_CLOCK, WHOLE_SOURCE, WRAP, WRAPPED_BELOW};

/// Samples of one event: as many as V8 writes. Their times come behind all of them.
const MAX_SAMPLES: usize = 100;

/// Frames that call each other of which only the depths are known.
const MAX_DEPTH: usize = 256;

/// The profile that is being written.
#[derive(Debug)]
pub(super) struct Chunk {
    part: Option<Part>,
    place: Place,
    /// Whether something stands before what comes next in the list or object.
    comma: bool,
    /// Whether the object of a frame is open, and the frame's id if that is a number.
    in_frame: bool,
    frame: Option<i64>,
    /// The list inside it that is open, too.
    list: Option<List>,
    callers: [i64; MAX_DEPTH],
    n_callers: usize,
    /// Deeper frames are called by one that was not written.
    lost_below: Option<u32>,
    /// The samples in the event.
    samples: [Taken; MAX_SAMPLES],
    n_samples: usize,
    /// When the last sample was, where that is known.
    now: Option<Tick>,
    /// What is to be added to the times of the profile's clock.
    shift: Ticks,
    n_whole: i64,
}

/// What stands in a frame behind what it is, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum List {
    Children,
    Lines,
}

/// What is written of a sample behind the frames of all.
#[derive(Debug, Clone, Copy)]
struct Taken {
    /// Nanoseconds since the one before.
    length: i64,
    /// From 1; 0 is none.
    line: u32,
    column: u32,
}

/// What stands at the head of each event of a part.
#[derive(Debug, Clone, Copy)]
struct Part {
    pid: KeptId,
    tid: KeptId,
    id: Option<KeptId>,
    at: Tick,
}

/// Where in the event the next thing is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Outside,
    Data,
    Frames,
    CallSites,
    Samples,
}

/// An id that outlives its event.
#[derive(Debug, Clone, Copy)]
enum KeptId {
    Number(i64),
    Text([u8; Self::MAX_LEN], usize),
}

impl KeptId {
    const MAX_LEN: usize = 32;

    fn new(id: Id<'_>) -> Option<Self> {
        match id {
            Id::Number(number) => Some(Self::Number(number)),
            Id::Text(text) => {
                let mut kept = [0; Self::MAX_LEN];
                kept.get_mut(..text.len())?.copy_from_slice(text);
                Some(Self::Text(kept, text.len()))
            }
        }
    }

    fn get(&self) -> Id<'_> {
        match self {
            Self::Number(number) => Id::Number(*number),
            Self::Text(text, len) => Id::Text(text.get(..*len).unwrap_or_default()),
        }
    }
}

impl Chunk {
    pub(super) const fn new() -> Self {
        Self {
            part: None,
            place: Place::Outside,
            comma: false,
            in_frame: false,
            frame: None,
            list: None,
            callers: [0; MAX_DEPTH],
            n_callers: 0,
            lost_below: None,
            samples: [Taken { length: 0, line: 0, column: 0 }; MAX_SAMPLES],
            n_samples: 0,
            now: None,
            shift: Ticks::ZERO,
            n_whole: 0,
        }
    }

    /// Who calls a frame, if that is known; an error if it is a frame that was not written.
    fn caller<'a>(&mut self, frame: &FrameEvent<'a>) -> Result<Option<Id<'a>>, ()> {
        let depth = match frame.parent {
            FrameParent::Unknown => return Ok(None),
            FrameParent::Id(id) => return Ok(Some(id)),
            FrameParent::Depth(depth) => depth,
        };
        if self.lost_below.is_some_and(|lost| depth > lost) {
            return Err(());
        }
        self.n_callers = self.n_callers.min(usize::try_from(depth).unwrap_or(MAX_DEPTH));
        let caller = self.n_callers.checked_sub(1).and_then(|last| self.callers.get(last).copied());
        match (frame.id, self.callers.get_mut(self.n_callers)) {
            (Id::Number(id), Some(slot)) => {
                *slot = id;
                self.n_callers += 1;
                self.lost_below = None;
                Ok(caller.map(Id::Number))
            }
            _ => {
                self.lost_below = Some(depth);
                Err(())
            }
        }
    }
}

impl<W: Write> JsonWriter<W> {
    pub(super) fn profile(&mut self, event: ProfileEvent<'_>) -> Result<Written, Error> {
        self.close_event()?;
        let ProfileEvent { thread, key, at, begins, end } = event;
        let id = match key {
            ProfileKey::Id(id) => KeptId::new(id).map(Some),
            ProfileKey::Thread => Some(None),
            ProfileKey::Whole => {
                // No other writer has such ids.
                self.chunk.n_whole -= 1;
                Some(Some(KeptId::Number(self.chunk.n_whole)))
            }
        };
        let thread = KeptId::new(thread.pid).zip(KeptId::new(thread.tid));
        self.chunk.part = thread.zip(id).map(|((pid, tid), id)| Part { pid, tid, id, at });
        let Some(part) = self.chunk.part else { return Ok(Written::Unsupported) };
        self.chunk.n_callers = 0;
        self.chunk.lost_below = None;
        self.chunk.now = begins.map(|begins| begins.start);
        self.chunk.shift = Ticks::ZERO;
        match begins {
            Some(begins) => self.head(part, begins, end)?,
            None => self.open_chunk(part, end)?,
        }
        Ok(Written::Done)
    }

    fn head(&mut self, part: Part, begins: ProfileStart, end: Option<Tick>) -> Result<(), Error> {
        let ProfileStart { mut start, offset, rank } = begins;
        let mut at = part.at;
        let apart = at - start;
        let is_other_clock = apart.0.unsigned_abs() > SAME_CLOCK.unsigned_abs();
        if offset != if is_other_clock { apart } else { Ticks::ZERO } {
            // What the time of the event would say is wrong: the profile is written by the clock of the trace.
            self.chunk.shift = offset;
            start += offset;
            at = start;
        }
        self.open_part("Profile", Part { at, ..part })?;
        self.out.write_str("\"startTime\":")?;
        self.micros(start)?;
        let source = match rank {
            0 => Some("Internal"),
            1 => Some("Inspector"),
            3 => Some(WHOLE_SOURCE),
            _ => None,
        };
        if let Some(source) = source {
            write!(self.out, ",\"source\":\"{source}\"")?;
        }
        if let Some(end) = end {
            self.out.write_str(",\"endTime\":")?;
            self.micros(end + self.chunk.shift)?;
        }
        self.out.write_str("}}}")
    }

    /// Begins an event of a profile, up to its data.
    fn open_part(&mut self, name: &str, part: Part) -> Result<(), Error> {
        self.begin('P', Some((part.at, None)), part.pid.get())?;
        self.id("tid", part.tid.get())?;
        if let Some(id) = part.id {
            self.id("id", id.get())?;
        }
        write!(
            self.out,
            ",\"name\":\"{name}\",\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"args\":{{\"data\":{{"
        )
    }

    fn open_chunk(&mut self, part: Part, end: Option<Tick>) -> Result<(), Error> {
        self.open_part("ProfileChunk", part)?;
        self.chunk.place = Place::Data;
        self.chunk.comma = end.is_some();
        if let Some(end) = end {
            self.out.write_str("\"endTime\":")?;
            self.micros(end + self.chunk.shift)?;
        }
        Ok(())
    }

    /// Goes to a place in an event of the current profile; whether there is one.
    fn go_to(&mut self, place: Place) -> Result<bool, Error> {
        let Some(part) = self.chunk.part else { return Ok(false) };
        let is_full = place == Place::Samples && self.chunk.n_samples == MAX_SAMPLES;
        if self.chunk.place > place || is_full {
            self.close_event()?;
        }
        if self.chunk.place == Place::Outside {
            self.open_chunk(part, None)?;
        }
        if self.chunk.place != place {
            let comma = if self.chunk.comma { "," } else { "" };
            match self.chunk.place {
                Place::Frames => {
                    self.close_frame()?;
                    self.out.write_str("],")?;
                }
                Place::CallSites => self.out.write_str("},")?,
                _ => write!(self.out, "{comma}\"cpuProfile\":{{")?,
            }
            self.out.write_str(match place {
                Place::Frames => "\"nodes\":[",
                Place::CallSites => "\"trace_ids\":{",
                _ => "\"samples\":[",
            })?;
            self.chunk.place = place;
            self.chunk.comma = false;
        }
        Ok(true)
    }

    fn separate(&mut self) -> Result<(), Error> {
        if self.chunk.comma {
            self.out.write_char(',')?;
        }
        self.chunk.comma = true;
        Ok(())
    }

    pub(super) fn frame(&mut self, frame: FrameEvent<'_>) -> Result<Written, Error> {
        let Ok(caller) = self.chunk.caller(&frame) else { return Ok(Written::Unsupported) };
        if !self.go_to(Place::Frames)? {
            return Ok(Written::Unsupported);
        }
        self.close_frame()?;
        self.separate()?;
        self.out.write_str("{\"id\":")?;
        encode::id(&mut self.out, frame.id, false)?;
        if let Some(caller) = caller {
            self.out.write_str(",\"parent\":")?;
            encode::id(&mut self.out, caller, false)?;
        }
        self.out.write_str(",\"callFrame\":{\"functionName\":")?;
        encode::string(&mut self.out, frame.name)?;
        write!(self.out, ",\"scriptId\":{}", frame.script)?;
        self.text("url", frame.url)?;
        for (key, number) in [("lineNumber", frame.line), ("columnNumber", frame.column)] {
            if let Some(number) = number {
                write!(self.out, ",\"{key}\":{number}")?;
            }
        }
        self.out.write_char('}')?;
        self.chunk.in_frame = true;
        self.chunk.frame = match frame.id {
            Id::Number(id) => Some(id),
            Id::Text(_) => None,
        };
        Ok(Written::Done)
    }

    fn close_frame(&mut self) -> Result<(), Error> {
        if self.chunk.in_frame {
            self.out.write_str(if self.chunk.list.is_some() { "]}" } else { "}" })?;
            self.chunk.in_frame = false;
            self.chunk.list = None;
        }
        Ok(())
    }

    /// A frame can say whom it calls only right behind itself.
    pub(super) fn frame_child(&mut self, caller: Id<'_>, child: Id<'_>) -> Result<Written, Error> {
        if !self.next_in_list(caller, List::Children)? {
            return Ok(Written::Unsupported);
        }
        encode::id(&mut self.out, child, false)?;
        Ok(Written::Done)
    }

    /// Lines, too, stand in their frame.
    pub(super) fn line_hits(&mut self, event: LineHitsEvent<'_>) -> Result<Written, Error> {
        let LineHitsEvent { frame, line, hits } = event;
        if !self.next_in_list(frame, List::Lines)? {
            return Ok(Written::Unsupported);
        }
        write!(self.out, "{{\"line\":{},\"ticks\":{hits}}}", u64::from(line) + 1)?;
        Ok(Written::Done)
    }

    /// Goes to the next item of a list in the frame `of`; whether that is still open.
    fn next_in_list(&mut self, of: Id<'_>, list: List) -> Result<bool, Error> {
        let is_open = self.chunk.in_frame && self.chunk.frame.map(Id::Number) == Some(of);
        if !is_open || self.chunk.list > Some(list) {
            return Ok(false);
        }
        if self.chunk.list == Some(list) {
            self.out.write_char(',')?;
        } else {
            let end = if self.chunk.list.is_some() { "]," } else { "," };
            let key = if list == List::Children { "children" } else { "positionTicks" };
            write!(self.out, "{end}\"{key}\":[")?;
            self.chunk.list = Some(list);
        }
        Ok(true)
    }

    pub(super) fn call_site(&mut self, number: u64, frame: Id<'_>) -> Result<Written, Error> {
        if !self.go_to(Place::CallSites)? {
            return Ok(Written::Unsupported);
        }
        self.separate()?;
        write!(self.out, "\"{number}\":")?;
        encode::id(&mut self.out, frame, false)?;
        Ok(Written::Done)
    }

    pub(super) fn sample(&mut self, sample: SampleEvent<'_>) -> Result<Written, Error> {
        let length = match (sample.at, self.chunk.now) {
            (SampleTime::After(length), _) => length,
            (SampleTime::At(at), Some(now)) => at - now,
            (SampleTime::At(_), None) => return Ok(Written::Unsupported),
        };
        if !self.go_to(Place::Samples)? {
            return Ok(Written::Unsupported);
        }
        self.chunk.now = self.chunk.now.map(|now| now + length);
        self.separate()?;
        encode::id(&mut self.out, sample.frame, false)?;
        let length = self.nanos(Tick(length.0));
        // So far back would be read as a pause that was cut to 32 bits.
        let length = if length < WRAPPED_BELOW { length.saturating_sub(WRAP) } else { length };
        let number = |number: Option<u32>| number.map_or(0, |number| number.saturating_add(1));
        if let Some(slot) = self.chunk.samples.get_mut(self.chunk.n_samples) {
            *slot = Taken { length, line: number(sample.line), column: number(sample.column) };
            self.chunk.n_samples += 1;
        }
        Ok(Written::Done)
    }

    /// Completes the event of a profile that is open, if one is.
    pub(super) fn close_chunk(&mut self) -> Result<(), Error> {
        match self.chunk.place {
            Place::Outside => return Ok(()),
            Place::Data => {}
            Place::Frames => {
                self.close_frame()?;
                self.out.write_str("]}")?;
            }
            Place::CallSites => self.out.write_str("}}")?,
            Place::Samples => self.close_samples()?,
        }
        self.chunk.place = Place::Outside;
        self.out.write_str("}}}")
    }

    fn close_samples(&mut self) -> Result<(), Error> {
        self.out.write_str("]}")?;
        let samples = self.chunk.samples.get(..self.chunk.n_samples).unwrap_or_default();
        list(&mut self.out, "timeDeltas", samples, |out, sample| encode::micros(out, sample.length))?;
        if samples.iter().any(|sample| sample.line != 0) {
            list(&mut self.out, "lines", samples, |out, sample| write!(out, "{}", sample.line))?;
        }
        if samples.iter().any(|sample| sample.column != 0) {
            list(&mut self.out, "columns", samples, |out, sample| write!(out, "{}", sample.column))?;
        }
        self.chunk.n_samples = 0;
        Ok(())
    }
}

/// An array with one number of each sample.
fn list<W: Write>(
    out: &mut W,
    key: &str,
    samples: &[Taken],
    number: fn(&mut W, &Taken) -> Result<(), Error>,
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
