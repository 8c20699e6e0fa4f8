//! What surrounds the events: the start of the document, its other keys, and what follows it. \[json 1\]

use spall_model::{Clock, DiagnosticKind, Event, MetaEvent, Text};

use super::{JsonParser, State, Step, truncated};
use crate::cpu_profile;
use crate::decimal::Nanos;
use crate::error::{Compression, JsonError, JsonErrorKind};
use crate::lexer::{self, Key, Stop};
use crate::sample::{self, Table};
use crate::value;

impl JsonParser {
    pub(super) fn start<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Result<Step<'a>, JsonError> {
        let mut pos = pos;
        if self.offset == 0 {
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

    /// Finds out whether the first object is the document or an event: whether `traceEvents` or `ph` comes first. A
    /// document that has nodes before either is a CPU profile.
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
                    Err(Stop::Incomplete) if !eof => return Step::Wait(start),
                    Err(_) => break false,
                },
                Err(Stop::Incomplete) if !eof => return Step::Wait(start),
                Ok(None) | Err(_) => break false,
            }
        };
        if is_event {
            self.state = State::Bare;
            let event = Event::Diagnostic(DiagnosticKind::BareEvents);
            return Step::Event { consumed: start, event, bytes: (start, start) };
        }
        self.state = State::Object;
        Step::Continue(start + 1)
    }

    /// The next key of the document, or of its `stackFrames`.
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
            Err(Stop::Damaged(end)) => return self.add_junk(at, end),
            Ok(None) | Err(_) if eof => return truncated(data, at),
            Ok(None) | Err(_) => return Step::Wait(at),
        };
        if self.state == State::StackFrames {
            return self.stack_frame(data, at, &key, eof);
        }
        match sample::table(data, &key) {
            Some(Table::Frames) => {
                self.state = State::StackFrames;
                return Step::Continue(key.value + 1);
            }
            Some(Table::Samples) => {
                self.state = State::Samples;
                self.commas = 1;
                return Step::Continue(key.value + 1);
            }
            Some(Table::Unclear) if !eof => return Step::Wait(at),
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
            Err(Stop::Damaged(end)) => return self.add_junk(at, end),
            Err(Stop::Incomplete) if eof => return truncated(data, at),
            Err(Stop::Incomplete) => return Step::Wait(at),
        };
        if is_events {
            let event = Event::Diagnostic(DiagnosticKind::BadField);
            return Step::Event { consumed: value.end, event, bytes: (key.value, value.end) };
        }
        let name = data.get(key.inside.0..key.inside.1).unwrap_or_default();
        let name = if key.escaped { Text::escaped(name) } else { Text::plain(name) };
        let text = data.get(key.value..value.end).unwrap_or_default();
        let bytes = (at, value.end);
        if self.step == 0
            && let Some(clock) = clock(name, text)
        {
            self.step = 1;
            return Step::Event { consumed: at, event: Event::Clock(clock), bytes };
        }
        self.step = 0;
        let meta = MetaEvent { thread: None, key: name, value: value::value(data, value) };
        Step::Event { consumed: value.end, event: Event::Meta(meta), bytes }
    }

    /// The frame that the key at `at` names.
    fn stack_frame<'a>(&mut self, data: &'a [u8], at: usize, key: &Key, eof: bool) -> Step<'a> {
        match lexer::token(data, key.value) {
            Ok(value) => {
                let event = sample::stack_frame(data, key, value).map(Event::SharedFrame);
                let event = event.unwrap_or(Event::Diagnostic(DiagnosticKind::BadField));
                Step::Event { consumed: value.end, event, bytes: (at, value.end) }
            }
            Err(Stop::Damaged(end)) => self.add_junk(at, end),
            Err(Stop::Incomplete) if eof => truncated(data, at),
            Err(Stop::Incomplete) => Step::Wait(at),
        }
    }

    /// Whatever follows the document. What it is does not matter, so only its first byte is looked at.
    pub(super) fn trailing<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        match lexer::skip_blanks(data, pos) {
            Some((at, _)) => {
                self.state = State::End;
                let event = Event::Diagnostic(DiagnosticKind::TrailingData);
                Step::Event { consumed: at, event, bytes: (at, at + 1) }
            }
            None if eof => {
                self.state = State::End;
                Step::Continue(data.len())
            }
            None => Step::Wait(data.len()),
        }
    }
}

/// The clock that a key of the document tells: clang's `beginningOfTime` is the Unix time of its time 0 in
/// microseconds, Kineto's `baseTimeNanoseconds` the same in nanoseconds.
fn clock(key: Text<'_>, value: &[u8]) -> Option<Clock> {
    let micros = || Some(Nanos::from_micros(value)?.round()).filter(|time| !time.clamped);
    let epoch_ns = match key.raw() {
        b"beginningOfTime" => micros()?.ns,
        b"baseTimeNanoseconds" => core::str::from_utf8(value).ok()?.parse().ok()?,
        _ => return None,
    };
    Some(Clock::NANOSECONDS.with_epoch_ns(Some(epoch_ns)))
}
