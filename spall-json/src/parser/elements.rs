//! The steps through a list of events: its elements, its end, and damage. [json 2](crate::rules::json#2)
//!
//! Bytes that are not an event are handled in one of three ways. A complete value of another kind is one element, which
//! is left out. A broken object ends at its bracket or at the next object. Anything else is junk, which is joined into
//! one range up to the next event.

use spall_model::{Args, ByteRange, DiagnosticKind, Event, ThreadEvent};

use super::{Content, JsonParser, Junk, State, Step, Wait};
use crate::call::{Call, file_range};
use crate::decoder::Decoder;
use crate::fields::Field;
use crate::lexer::{self, TokenError};
use crate::record::Record;
use crate::resync::{comment_end, damage_end, ends_list};
use crate::scalar;

impl JsonParser {
    /// Reads the next element of a list of events, or steps over bytes that are not an element.
    pub(super) fn element(&mut self, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        let mut pos = 0;
        loop {
            match data.get(pos) {
                None if call.eof => return Ok(self.end_of_file(pos, call)),
                None => return Err(Wait(pos)),
                Some(&byte) if lexer::is_blank(byte) => pos += 1,
                Some(b'{') => return self.event(pos, call),
                Some(b']') => return self.end_of_array(pos, call),
                Some(_) if self.junk.is_some_and(|junk| junk.goes_on) => {
                    return Ok(self.add_junk(pos, pos + 1));
                }
                Some(b',') => {
                    self.flush_junk(call);
                    self.commas = self.commas.saturating_add(1);
                    pos += 1;
                }
                Some(b'}') if self.in_document() => return self.stray_brace(pos, call),
                Some(b'"' | b'[') => return self.not_an_object(pos, call),
                Some(_) => return self.word(pos, call),
            }
        }
    }

    /// Reads the object at `pos` in a list of events.
    pub(super) fn event(&mut self, pos: usize, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        match self.fields.read(data, pos) {
            Ok(end) => {
                self.begin_event(pos, call);
                if self.state != State::Samples {
                    self.predictor.learn(data, pos, end);
                }
                Ok(self.object((pos, end), call))
            }
            Err(TokenError::Incomplete) if !call.eof => Err(Wait(pos)),
            Err(TokenError::Incomplete) => {
                self.begin_event(pos, call);
                Ok(call.truncated(pos))
            }
            Err(TokenError::Damaged(at)) => {
                let (end, commas) = damage_end(data, pos, at, call.eof).ok_or(Wait(pos))?;
                self.begin_event(pos, call);
                self.commas = commas;
                self.after_damage = true;
                call.report(DiagnosticKind::DamagedEvent, (pos, end));
                Ok(end)
            }
        }
    }

    /// Reports what came before the event at `pos`: no array, junk, or commas that are too few or too many.
    fn begin_event(&mut self, pos: usize, call: &mut Call<'_, '_>) {
        if self.state == State::Start {
            self.state = State::Bare;
            call.report(DiagnosticKind::BareEvents, (pos, pos));
        }
        self.flush_junk(call);
        if self.commas != 1 && self.state != State::Bare {
            let is_missing = self.commas == 0;
            let kind =
                if is_missing { DiagnosticKind::MissingSeparator } else { DiagnosticKind::ExtraSeparator };
            call.report(kind, (pos, pos + 1));
        }
    }

    /// Hands over the object at `bytes`, whose fields are read: first its diagnostics, then the event itself, then the flow
    /// that a slice has in its fields, or the profile in its arguments. Returns its end.
    pub(super) fn object(&mut self, bytes: (usize, usize), call: &mut Call<'_, '_>) -> usize {
        let data = call.data;
        let record = Record { data, fields: &self.fields, object: bytes };
        let mut decoder = Decoder { record, call };
        let event = if self.state == State::Samples { decoder.sample(true) } else { decoder.event() };
        if let Some(event) = &event {
            let flow = if decoder.has(Field::BindId) { decoder.slice_flow(event) } else { None };
            let profile = decoder.profile(event);
            if profile.is_none() {
                call.event(event, bytes);
            } else if let Event::Instant(instant, scope) = *event {
                // An instant is an event of its own as well.
                call.event(&Event::Instant(ThreadEvent { args: Args::NONE, ..instant }, scope), bytes);
            }
            if let Some(flow) = flow {
                call.event(&Event::Flow(flow), bytes);
            }
            if let Some(profile) = profile {
                profile.hand_over(bytes, call);
            }
        }
        self.commas = 0;
        self.after_damage &= event.is_none();
        // The letter of an event is a text. Measurements of acidity have numbers under this key.
        if event.is_some() || record.first_byte(Field::Ph).is_some() {
            self.content = Content::Trace;
        } else {
            self.not_an_event();
        }
        bytes.1
    }

    /// Returns whether the list is the value of a key of the document.
    fn in_document(&self) -> bool {
        matches!(self.state, State::TraceEvents | State::Samples)
    }

    /// Ends the list of events at the bracket at `pos`, unless the bytes behind it make that unlikely.
    fn end_of_array(&mut self, pos: usize, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        let is_bare = self.state == State::Bare;
        let ends = if is_bare {
            Some(false)
        } else {
            ends_list(data, pos + 1, self.in_document(), self.after_damage)
        };
        let ends = ends.or(call.eof.then_some(true)).ok_or(Wait(pos))?;
        self.flush_junk(call);
        if self.commas > 1 && !is_bare {
            call.report(DiagnosticKind::ExtraSeparator, (pos, pos + 1));
        }
        if !ends {
            return Ok(self.skip_junk(pos, pos + 1));
        }
        self.state = if self.in_document() { State::Object } else { State::Trailing };
        Ok(pos + 1)
    }

    /// Ends the document at the brace at `pos` if nothing follows it: the list was not closed.
    fn stray_brace(&mut self, pos: usize, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        match lexer::skip_blanks(data, pos + 1) {
            Some(_) => Ok(self.skip_junk(pos, pos + 1)),
            None if !call.eof => Err(Wait(pos)),
            None => {
                self.flush_junk(call);
                self.state = State::Object;
                call.report(DiagnosticKind::UnclosedList, (pos, pos));
                Ok(pos)
            }
        }
    }

    /// Leaves out a string or an array in a list of events.
    fn not_an_object(&mut self, pos: usize, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        let inside = lexer::skip_blanks(data, pos + 1);
        let value = match (data.get(pos), inside) {
            // A second list begins: its events are read as elements of this one.
            (Some(b'['), Some((_, b'{'))) => Err(TokenError::Damaged(pos)),
            _ => lexer::token(data, pos),
        };
        match value {
            Err(TokenError::Incomplete) if !call.eof => Err(Wait(pos)),
            Err(TokenError::Incomplete) => {
                self.flush_junk(call);
                Ok(call.truncated(pos))
            }
            Err(TokenError::Damaged(at)) => {
                self.flush_junk(call);
                Ok(self.skip_junk(pos, at + 1))
            }
            Ok(value) => {
                let is_element = is_element(data, value.end, call.eof).ok_or(Wait(pos))?;
                self.flush_junk(call);
                Ok(self.leave_out(pos, value.end, is_element, call))
            }
        }
    }

    /// Leaves out a word, a number or a comment in a list of events.
    fn word(&mut self, pos: usize, call: &mut Call<'_, '_>) -> Step {
        let data = call.data;
        let comment = comment_end(data, pos);
        let is_comment = comment.is_some();
        let end = match comment.unwrap_or_else(|| lexer::word_end(data, pos)) {
            Ok(end) => end.max(pos + 1),
            Err(_) if call.eof => data.len(),
            Err(_) => return Err(Wait(pos)),
        };
        if is_comment {
            return Ok(self.add_junk(pos, end));
        }
        let word = data.get(pos..end).unwrap_or_default();
        let is_value =
            matches!(word, b"null" | b"true" | b"false" | b"NaN") || scalar::number(word).is_some();
        let is_element = is_value && is_element(data, end, call.eof).ok_or(Wait(pos))?;
        Ok(self.leave_out(pos, end, is_element, call))
    }

    /// Leaves out the value at `pos..end` in a list of events, which is an element or the rest of a damaged event.
    fn leave_out(&mut self, pos: usize, end: usize, is_element: bool, call: &mut Call<'_, '_>) -> usize {
        if !is_element {
            return self.skip_junk(pos, end);
        }
        self.flush_junk(call);
        self.commas = 0;
        self.not_an_event();
        call.report(DiagnosticKind::NotAnEvent, (pos, end));
        end
    }

    /// Takes note of an element that is no event. An array that begins with it is no trace until an event follows.
    fn not_an_event(&mut self) {
        if self.content == Content::Empty {
            self.content = Content::Nothing;
        }
    }

    /// Adds the range to the junk, and all that follows up to the next event. Returns its end.
    fn skip_junk(&mut self, start: usize, end: usize) -> usize {
        self.not_an_event();
        self.after_damage = true;
        self.commas = 1;
        self.add_junk(start, end);
        self.junk = self.junk.map(|junk| Junk { goes_on: true, ..junk });
        end
    }

    /// Adds the range to the junk, which it follows. Returns its end.
    pub(super) fn add_junk(&mut self, start: usize, end: usize) -> usize {
        let added = file_range(self.offset, (start, end));
        let before = self.junk.unwrap_or(Junk { bytes: added, goes_on: false });
        self.junk = Some(Junk { bytes: ByteRange::new(before.bytes.start, added.end), ..before });
        end
    }

    /// Reports the junk, if there is any: something else follows it.
    pub(super) fn flush_junk(&mut self, call: &mut Call<'_, '_>) {
        if let Some(junk) = self.junk.take() {
            call.report_range(DiagnosticKind::Junk, junk.bytes);
        }
    }
}

/// Returns whether a value that ends at `end` is an element, because another one or the end follows it. Returns `None` if
/// the data ends too early to say.
fn is_element(data: &[u8], end: usize, eof: bool) -> Option<bool> {
    match lexer::skip_blanks(data, end) {
        Some((_, byte)) => Some(matches!(byte, b',' | b']')),
        None => eof.then_some(true),
    }
}
