//! The steps through the document around the events: its start, its keys, and its end. [json
//! 1](spall_model::rules::json#1)

use spall_model::{Clock, Compression, DiagnosticKind, Event, MetaEvent, Text};

use super::{JsonParser, State, Step};
use crate::args;
use crate::cpu_profile;
use crate::decimal::Nanos;
use crate::error::{JsonError, JsonErrorKind};
use crate::lexer::{self, KeyToken, TokenError};
use crate::sample::{self, SampleTable};

impl JsonParser {
    /// Steps to the first byte that is not blank, which must open an array or an object.
    pub(super) fn start<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Result<Step<'a>, JsonError> {
        let mut pos = pos;
        if self.offset == 0 {
            // A decision on fewer bytes than a magic number has would depend on where the input is split.
            if data.len() < Compression::MAGIC_LEN && !eof {
                return Ok(Step::Wait(0));
            }
            if let Some(compression) = Compression::detect(data) {
                return Err(JsonError::new(JsonErrorKind::Compressed(compression), 0));
            }
            if data.starts_with(b"\xef\xbb\xbf") {
                pos = pos.max(3);
            }
        }
        match lexer::skip_blanks(data, pos) {
            None if eof => {
                self.state = State::End;
                Ok(Step::Continue(data.len()))
            }
            None => Ok(Step::Wait(data.len())),
            Some((at, b'[')) => {
                self.state = State::Array;
                Ok(Step::Continue(at + 1))
            }
            Some((at, b'{')) => Ok(self.start_of_object(data, at, eof)),
            Some((at, _)) => Err(JsonError::new(JsonErrorKind::NotJson, self.at(at))),
        }
    }

    /// Decides what the first object is by the key that comes first: `traceEvents` makes it the document, `ph` an
    /// event, and nodes make it a CPU profile.
    pub(super) fn start_of_object<'a>(&mut self, data: &'a [u8], start: usize, eof: bool) -> Step<'a> {
        let mut pos = start + 1;
        let is_event = loop {
            match lexer::next_key(data, &mut pos) {
                Ok(Some(key)) if key.is(data, b"ph") => break true,
                Ok(Some(key)) if key.is(data, b"traceEvents") => break false,
                Ok(Some(key)) if cpu_profile::begins_profile(data, &key) => {
                    return self.start_of_profile(data, start, eof);
                }
                Ok(Some(key)) => match lexer::token(data, key.value) {
                    Ok(value) => pos = value.end,
                    Err(TokenError::Incomplete) if !eof => return Step::Wait(start),
                    // Behind damage there may be a `traceEvents`, which is only looked for in a document.
                    Err(_) => break false,
                },
                Err(TokenError::Incomplete) if !eof => return Step::Wait(start),
                Ok(None) | Err(_) => break false,
            }
        };
        if is_event {
            self.state = State::Bare;
            return Step::diagnostic(DiagnosticKind::BareEvents, start, (start, start));
        }
        self.state = State::Object;
        Step::Continue(start + 1)
    }

    /// Reads the next key of the document, or of its `stackFrames`.
    pub(super) fn member<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Step<'a> {
        let mut pos = pos;
        let mut at = pos;
        loop {
            match data.get(at) {
                Some(b'"' | b'}') if self.junk.is_some() => return self.flush_junk(at),
                Some(b'"') => break,
                Some(b'}') => {
                    let in_document = self.state == State::Object;
                    self.state = if in_document { State::Trailing } else { State::Object };
                    return Step::Continue(at + 1);
                }
                Some(&byte) if byte == b',' || lexer::is_blank(byte) => at += 1,
                Some(_) => return self.add_junk(at, at + 1),
                None if eof && self.junk.is_some() => return self.flush_junk(at),
                None if eof => return Step::Eof(at),
                None => return Step::Wait(at),
            }
        }
        pos = pos.max(at);
        let key = match lexer::next_key(data, &mut pos) {
            Ok(Some(key)) => key,
            Err(TokenError::Damaged(end)) => return self.add_junk(at, end),
            Ok(None) | Err(_) if eof => return Step::truncated(data, at),
            Ok(None) | Err(_) => return Step::Wait(at),
        };
        if self.state == State::StackFrames {
            return self.stack_frame(data, at, &key, eof);
        }
        match sample::table(data, &key) {
            Ok(Some(SampleTable::Frames)) => {
                self.state = State::StackFrames;
                return Step::Continue(key.value + 1);
            }
            Ok(Some(SampleTable::Samples)) => {
                self.state = State::Samples;
                self.commas = 1;
                return Step::Continue(key.value + 1);
            }
            Err(_) if !eof => return Step::Wait(at),
            _ => {}
        }
        let is_events = key.is(data, b"traceEvents");
        if is_events && data.get(key.value) == Some(&b'[') {
            self.state = State::TraceEvents;
            self.commas = 1;
            return Step::Continue(key.value + 1);
        }
        let value = match lexer::token(data, key.value) {
            Ok(value) => value,
            Err(TokenError::Damaged(end)) => return self.add_junk(at, end),
            Err(TokenError::Incomplete) if eof => return Step::truncated(data, at),
            Err(TokenError::Incomplete) => return Step::Wait(at),
        };
        if is_events {
            return Step::diagnostic(DiagnosticKind::BadField, value.end, (key.value, value.end));
        }
        let name = key.text(data);
        let bytes = (at, value.end);
        // A key that describes the clock becomes two events: the clock first, then the key as it is.
        if self.yielded == 0
            && let Some(clock) = clock(name, value.bytes(data))
        {
            self.yielded = 1;
            return Step::Event { consumed: at, event: Event::Clock(clock), bytes };
        }
        self.yielded = 0;
        let meta = MetaEvent::new(name, args::value(data, value));
        Step::Event { consumed: value.end, event: Event::Meta(meta), bytes }
    }

    /// Reads the frame whose key is at `at`.
    fn stack_frame<'a>(&mut self, data: &'a [u8], at: usize, key: &KeyToken, eof: bool) -> Step<'a> {
        match lexer::token(data, key.value) {
            Ok(value) => {
                let event = sample::stack_frame(data, key, value).map(Event::SharedFrame);
                let event = event.unwrap_or(Event::Diagnostic(DiagnosticKind::BadField));
                Step::Event { consumed: value.end, event, bytes: (at, value.end) }
            }
            Err(TokenError::Damaged(end)) => self.add_junk(at, end),
            Err(TokenError::Incomplete) if eof => Step::truncated(data, at),
            Err(TokenError::Incomplete) => Step::Wait(at),
        }
    }

    /// Reports data behind the document. Its first byte is enough.
    pub(super) fn trailing<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        match lexer::skip_blanks(data, pos) {
            Some((at, _)) => {
                self.state = State::End;
                Step::diagnostic(DiagnosticKind::TrailingData, at, (at, at + 1))
            }
            None if eof => {
                self.state = State::End;
                Step::Continue(data.len())
            }
            None => Step::Wait(data.len()),
        }
    }
}

/// Returns the clock that a key of the document describes. clang's `beginningOfTime` is the Unix time of tick 0 in
/// microseconds, and Kineto's `baseTimeNanoseconds` is the same in nanoseconds.
fn clock(key: Text<'_>, value: &[u8]) -> Option<Clock> {
    let micros = || Some(Nanos::from_micros(value)?.round()).filter(|time| !time.clamped);
    let epoch_ns = match key.raw() {
        b"beginningOfTime" => micros()?.ns,
        b"baseTimeNanoseconds" => core::str::from_utf8(value).ok()?.parse().ok()?,
        _ => return None,
    };
    Some(Clock::NANOSECONDS.with_epoch_ns(Some(epoch_ns)))
}
