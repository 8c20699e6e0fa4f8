//! The steps through the document around the events: its start, its keys, and its end. [json
//! 1](crate::rules::json#1)

use spall_model::{Clock, DiagnosticKind, Event, MetaEvent, Text};

use super::{Content, EventList, JsonParser, State, Step, Wait};
use crate::args;
use crate::call::{Call, file_range};
use crate::cpu_profile::{FirstObject, Profile, first_object};
use crate::decimal::Nanos;
use crate::error::{JsonError, JsonErrorKind};
use crate::lexer::{self, KeyToken, Token, TokenError};
use crate::resync::{comment_end, next_event_list};
use crate::sample::{self, SampleTable};

/// What a key of the document leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    /// A list or an object whose parts are read one by one, in this state.
    Table(State),
    /// A value that is read at once.
    Whole(Token),
}

impl JsonParser {
    /// Steps to the first byte that is neither blank nor of a comment, which must open an array or an object.
    pub(super) fn start(&mut self, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        let mut pos = 0;
        if self.offset == 0 {
            // A decision on fewer bytes than a magic number has would depend on where the input is split.
            if data.len() < MAX_MAGIC && !call.eof {
                return Err(Wait(0));
            }
            if is_compressed(data) {
                self.state = State::Failed(JsonError::new(JsonErrorKind::Compressed, 0));
                return Ok(0);
            }
            if data.starts_with(b"\xef\xbb\xbf") {
                pos = 3;
            }
        }
        match lexer::skip_blanks(data, pos) {
            None if call.eof => {
                self.state = State::End;
                self.content = Content::Empty;
                Ok(data.len())
            }
            None => Err(Wait(data.len())),
            Some((at, b'[')) => {
                self.state = State::Array;
                self.content = Content::Empty;
                Ok(at + 1)
            }
            Some((at, b'{')) => self.start_of_object(at, call),
            Some((at, b'/')) if let Some(end) = comment_end(data, at) => {
                if end.is_err() && !call.eof {
                    return Err(Wait(at));
                }
                let end = end.unwrap_or(data.len());
                call.report(DiagnosticKind::Junk, (at, end));
                Ok(end)
            }
            Some((at, _)) => {
                let offset = file_range(self.offset, (at, at)).start;
                self.state = State::Failed(JsonError::new(JsonErrorKind::NotJson, offset));
                Ok(0)
            }
        }
    }

    /// Reads the first object of the file, or steps into it if it is the document.
    fn start_of_object(&mut self, start: usize, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        match first_object(data, start) {
            Err(TokenError::Incomplete) if !call.eof => Err(Wait(start)),
            Ok(FirstObject::Event) => self.event(start, call),
            Ok(FirstObject::Profile) => self.profile(start, call),
            // Behind damage there may be a `traceEvents`, which is only looked for in a document.
            Ok(FirstObject::Document) | Err(_) => {
                self.state = State::Object;
                Ok(start + 1)
            }
        }
    }

    /// Reads a document that is a CPU profile. All of it must be in the data, because its arrays are read side by side.
    fn profile(&mut self, start: usize, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        // A damaged profile waits for the end of the file: where it ends is not known before.
        if !call.eof && lexer::nested_end(data, start).is_err() {
            return Err(Wait(start));
        }
        let (profile, end) = Profile::of_document(data, start);
        profile.hand_over((start, end.unwrap_or(data.len())), call);
        self.content = Content::Trace;
        self.state = if end.is_some() { State::Trailing } else { State::End };
        Ok(end.unwrap_or_else(|| call.truncated(data.len())))
    }

    /// Reads the next key of the document, or of its `stackFrames`, and its value.
    pub(super) fn member(&mut self, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        let mut pos = 0;
        loop {
            match data.get(pos) {
                Some(b'"') => break,
                Some(b'}') if self.is_stray_brace(data, pos, call.eof).ok_or(Wait(pos))? => {
                    self.list = EventList::Lost;
                    return Ok(self.add_junk(pos, pos + 1));
                }
                Some(b'}') => {
                    self.flush_junk(call);
                    let in_document = self.state == State::Object;
                    self.state = if in_document { State::Trailing } else { State::Object };
                    return Ok(pos + 1);
                }
                Some(&byte) if byte == b',' || lexer::is_blank(byte) => pos += 1,
                Some(_) => return Ok(self.add_junk(pos, pos + 1)),
                None if call.eof => return Ok(self.end_of_file(pos, call)),
                None => return Err(Wait(pos)),
            }
        }
        let found = self.key_and_value(data, pos);
        match self.lost_list(data, pos, &found, call.eof) {
            Ok(Some(at)) => return Ok(self.add_junk(pos, at)),
            Err(_) if !call.eof => return Err(Wait(pos)),
            _ => {}
        }
        if found == Err(TokenError::Incomplete) && !call.eof {
            return Err(Wait(pos));
        }
        self.flush_junk(call);
        match found {
            Ok((key, Value::Table(state))) => {
                if state == State::TraceEvents {
                    self.content = Content::Trace;
                    self.list = EventList::Found;
                }
                self.state = state;
                self.commas = 1;
                Ok(key.value + 1)
            }
            Ok((key, Value::Whole(value))) => {
                let bytes = (pos, value.end);
                if self.state == State::StackFrames {
                    match sample::stack_frame(data, &key, value) {
                        Some(frame) => {
                            self.content = Content::Trace;
                            call.event(&Event::Frame(frame), bytes);
                        }
                        None => call.report(DiagnosticKind::BadField, bytes),
                    }
                } else if key.is(data, b"traceEvents") {
                    self.content = Content::Trace;
                    call.report(DiagnosticKind::BadField, (key.value, value.end));
                } else {
                    let name = key.text(data);
                    // A key that describes the clock becomes two events: the clock first, then the key as it is.
                    if let Some(clock) = clock(self.clock, name, value.bytes(data)) {
                        self.clock = clock;
                        call.event(&Event::Clock(clock), bytes);
                    }
                    call.event(&Event::Meta(MetaEvent::new(name, args::value(data, value))), bytes);
                }
                Ok(value.end)
            }
            Err(TokenError::Damaged(end)) => Ok(self.add_junk(pos, end)),
            Err(TokenError::Incomplete) => Ok(call.truncated(pos)),
        }
    }

    /// Returns whether the document is damaged before its list of events, and the current place is between its keys.
    fn is_lost(&self) -> bool {
        self.state == State::Object && self.list == EventList::Lost
    }

    /// Returns whether the brace at `pos` is not the end of the document: behind damage it need not be, and a comma shows that a
    /// document which is no trace yet goes on. Returns `None` if the data ends too early to say.
    fn is_stray_brace(&self, data: &[u8], pos: usize, eof: bool) -> Option<bool> {
        let may_go_on = self.state == State::Object && self.content != Content::Trace;
        if !may_go_on && !self.is_lost() {
            return Some(false);
        }
        match lexer::skip_blanks(data, pos + 1) {
            Some((_, byte)) => Some(self.is_lost() || byte == b','),
            None => eof.then_some(false),
        }
    }

    /// Returns where the key of the list of events is, if the document is damaged before that and `found`, what the quote at
    /// `pos` leads to, would step over it.
    fn lost_list(
        &mut self,
        data: &[u8],
        pos: usize,
        found: &Result<(KeyToken, Value), TokenError>,
        eof: bool,
    ) -> Result<Option<usize>, TokenError> {
        let is_damaged = match found {
            Err(TokenError::Damaged(_)) => true,
            Err(TokenError::Incomplete) => eof,
            Ok(_) => false,
        };
        if is_damaged && self.state == State::Object && self.list == EventList::ToCome {
            self.list = EventList::Lost;
        }
        let end = match *found {
            _ if !self.is_lost() => return Ok(None),
            Ok((_, Value::Table(_))) => return Ok(None),
            Ok((_, Value::Whole(value))) => value.end,
            Err(TokenError::Damaged(end)) => end,
            Err(TokenError::Incomplete) => data.len(),
        };
        next_event_list(data, pos + 1, end)
    }

    /// Returns the key at `pos`, where its quote is, and what it leads to.
    fn key_and_value(&self, data: &[u8], pos: usize) -> Result<(KeyToken, Value), TokenError> {
        let mut pos = pos;
        let Some(key) = lexer::next_key(data, &mut pos)? else { return Err(TokenError::Damaged(pos)) };
        if self.state == State::Object {
            let table = match sample::table(data, &key)? {
                Some(SampleTable::Frames) => Some(State::StackFrames),
                Some(SampleTable::Samples) => Some(State::Samples),
                None if key.is(data, b"traceEvents") && data.get(key.value) == Some(&b'[') => {
                    Some(State::TraceEvents)
                }
                None => None,
            };
            if let Some(state) = table {
                return Ok((key, Value::Table(state)));
            }
        }
        Ok((key, Value::Whole(lexer::token(data, key.value)?)))
    }

    /// Reports data behind the document. Its first byte is enough.
    pub(super) fn trailing(&mut self, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        let end = match lexer::skip_blanks(data, 0) {
            Some((at, _)) => {
                call.report(DiagnosticKind::TrailingData, (at, at + 1));
                at
            }
            None if call.eof => data.len(),
            None => return Err(Wait(data.len())),
        };
        self.state = State::End;
        Ok(end)
    }
}

/// The magic numbers of gzip, zip and zstd, and the length of the longest.
const COMPRESSED: [&[u8]; 3] = [b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"];
const MAX_MAGIC: usize = 4;

/// Returns whether a file begins like one that is compressed with gzip, zip or zstd. [`JsonParser`] refuses such a file
/// with [`JsonErrorKind::Compressed`].
///
/// ```
/// assert!(spall_json::is_compressed(&[0x1f, 0x8b, 8, 0]));
/// assert!(!spall_json::is_compressed(b"[{"));
/// ```
#[must_use]
pub fn is_compressed(data: &[u8]) -> bool {
    COMPRESSED.iter().any(|magic| data.starts_with(magic))
}

/// Returns the clock with what a key of the document says of it; `None` for any other key. clang's `beginningOfTime` is the
/// Unix time of tick 0 in microseconds, and Kineto's `baseTimeNanoseconds` is the same in nanoseconds.
fn clock(clock: Clock, key: Text<'_>, value: &[u8]) -> Option<Clock> {
    let micros = || Some(Nanos::from_micros(value)?.round()).filter(|time| !time.clamped);
    let nanos = || core::str::from_utf8(value).ok()?.parse().ok();
    match key.raw() {
        b"beginningOfTime" => Some(clock.with_epoch_ns(Some(micros()?.ns))),
        b"baseTimeNanoseconds" => Some(clock.with_epoch_ns(Some(nanos()?))),
        b"baseMonotonicNanoseconds" => Some(clock.with_monotonic_ns(Some(nanos()?))),
        _ => None,
    }
}
