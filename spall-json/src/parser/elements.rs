//! The steps through a list of events: its elements, its end, and damage. [json 2](spall_model::rules::json#2)
//!
//! Bytes that are not an event are handled in one of three ways. A complete value of another kind is one element, which
//! is left out. A broken object ends at its bracket or at the next object. Anything else is junk, which is joined into
//! one range up to the next event.

use spall_model::{ByteRange, DiagnosticKind, Event};

use super::{JsonParser, State, Step};
use crate::decoder::{Decoder, EventDiagnostics};
use crate::event;
use crate::lexer::{self, TokenError};
use crate::record::Record;
use crate::resync::{comment_end, ends_list, next_object};
use crate::scalar;

impl JsonParser {
    /// Reads the next element of a list of events, or steps over bytes that are not an element.
    #[inline]
    pub(super) fn element<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Step<'a> {
        let mut pos = pos;
        loop {
            let Some(&byte) = data.get(pos) else {
                return match (eof, self.junk) {
                    (false, _) => Step::Wait(pos),
                    (true, Some(_)) => self.flush_junk(pos),
                    (true, None) => Step::Eof(pos),
                };
            };
            match byte {
                b'{' if self.junk.is_none() => return self.event(data, pos, eof),
                _ if lexer::is_blank(byte) => pos += 1,
                _ if self.skipping && !matches!(byte, b'{' | b']') => return self.add_junk(pos, pos + 1),
                b',' | b'{' | b']' | b'"' | b'[' if self.junk.is_some() => return self.flush_junk(pos),
                b',' => {
                    self.commas = self.commas.saturating_add(1);
                    pos += 1;
                }
                b']' if self.state != State::Bare => return self.end_of_array(data, pos, eof),
                b'}' if self.in_document() => return self.stray_brace(data, pos, eof),
                b'"' | b'[' => return self.not_an_object(data, pos, eof),
                _ => return self.word(data, pos, eof),
            }
        }
    }

    /// Reads the object at `pos` in a list of events.
    #[inline]
    pub(super) fn event<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Step<'a> {
        if self.commas != 1 && self.state != State::Bare {
            return self.wrong_commas(pos);
        }
        match self.fields.read(data, pos) {
            Ok(end) => {
                if self.state != State::Samples {
                    self.predictor.learn(data, pos, end);
                }
                self.record(data, pos, end)
            }
            Err(TokenError::Incomplete) if !eof => Step::Wait(pos),
            Err(TokenError::Incomplete) => Step::truncated(data, pos),
            Err(TokenError::Damaged(at)) => self.damaged(data, pos, at, eof),
        }
    }

    /// Returns the next event of the object at `start..end`, whose fields are read: first its diagnostics, then the
    /// event itself, then the flow that a slice has in its fields, or the profile in its arguments.
    ///
    /// The object is decoded again for each of them: more than one is rare, and nothing has to be stored.
    #[inline]
    pub(super) fn record<'a>(&mut self, data: &'a [u8], start: usize, end: usize) -> Step<'a> {
        let bytes = (start, end);
        let record = Record { data, fields: &self.fields, object: bytes };
        let mut decoder = Decoder { record, diagnostics: EventDiagnostics::new(self.yielded) };
        let event = if self.state == State::Samples { decoder.sample(true) } else { decoder.event() };
        let flow = event.as_ref().and_then(|event| decoder.slice_flow(event));
        let profile = event.as_ref().and_then(|event| decoder.profile(event));
        let event = if profile.is_none() { event } else { event.and_then(event::beside_profile) };
        let diagnostics = decoder.diagnostics;
        let total = diagnostics.count + usize::from(event.is_some()) + usize::from(flow.is_some());
        let nth = self.yielded;
        self.yielded += 1;
        if let Some((cursor, event)) = profile
            && nth == total
        {
            self.profile = Some(cursor);
            return Step::Event { consumed: start, event, bytes };
        }
        let consumed = if self.yielded >= total && profile.is_none() {
            self.yielded = 0;
            self.commas = 0;
            self.after_damage &= event.is_none();
            end
        } else {
            start
        };
        if let Some((kind, bytes)) = diagnostics.found {
            return Step::diagnostic(kind, consumed, bytes);
        }
        match (event, flow) {
            (Some(event), _) if nth == diagnostics.count => Step::Event { consumed, event, bytes },
            (_, Some(flow)) => Step::Event { consumed, event: Event::Flow(flow), bytes },
            _ => Step::Skip(consumed),
        }
    }

    /// Reports that the commas before the event at `pos` are too few or too many.
    #[cold]
    pub(super) fn wrong_commas<'a>(&mut self, pos: usize) -> Step<'a> {
        let kind = if self.commas == 0 { DiagnosticKind::MissingComma } else { DiagnosticKind::ExtraComma };
        self.commas = 1;
        Step::diagnostic(kind, pos, (pos, pos + 1))
    }

    /// Skips an event that is broken at `at`: to its end if its brackets match, else to the next object that follows a
    /// comma or another object.
    #[cold]
    pub(super) fn damaged<'a>(&mut self, data: &[u8], start: usize, at: usize, eof: bool) -> Step<'a> {
        // Both searches may run to the end of the file. Doubling the window bounds them by twice the distance to the
        // nearer end, so that a file full of damage is still read in linear time.
        let mut window = at.saturating_sub(start).max(64);
        let (end, commas) = loop {
            let seen = data.get(..start.saturating_add(window)).unwrap_or(data);
            let next = next_object(seen, start, at);
            let before = data.get(..next.unwrap_or(seen.len())).unwrap_or(data);
            match (lexer::nested_end(before, start), next) {
                (Ok(end), _) => break (end, 0),
                (Err(_), Some(next)) => break (next, 1),
                (Err(_), None) if seen.len() < data.len() => window = window.saturating_mul(2),
                (Err(_), None) if eof => break (data.len(), 1),
                (Err(_), None) => return Step::Wait(start),
            }
        };
        self.commas = commas;
        self.after_damage = true;
        Step::diagnostic(DiagnosticKind::DamagedEvent, end, (start, end))
    }

    /// Returns whether the list is the value of a key of the document.
    fn in_document(&self) -> bool {
        matches!(self.state, State::TraceEvents | State::Samples)
    }

    /// Ends the list of events at the bracket at `pos`, unless the bytes behind it make that unlikely.
    pub(super) fn end_of_array<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        if self.commas > 1 {
            return self.wrong_commas(pos);
        }
        match ends_list(data, pos + 1, self.in_document(), self.after_damage) {
            Some(true) => {}
            None if eof => {}
            Some(false) => return self.skip_junk(pos, pos + 1),
            None => return Step::Wait(pos),
        }
        self.state = if self.in_document() { State::Object } else { State::Trailing };
        Step::Continue(pos + 1)
    }

    /// Ends the document at the brace at `pos` if nothing follows it: the list was not closed.
    pub(super) fn stray_brace<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        match lexer::skip_blanks(data, pos + 1) {
            Some(_) => self.skip_junk(pos, pos + 1),
            None if !eof => Step::Wait(pos),
            None if self.junk.is_some() => self.flush_junk(pos),
            None => {
                self.state = State::Object;
                Step::diagnostic(DiagnosticKind::MissingBracket, pos, (pos, pos))
            }
        }
    }

    /// Leaves out a string or an array in a list of events.
    #[cold]
    pub(super) fn not_an_object<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        if data.get(pos) == Some(&b'[') {
            match lexer::skip_blanks(data, pos + 1) {
                // A second list begins: its events are read as elements of this one.
                Some((_, b'{')) => return self.skip_junk(pos, pos + 1),
                None if !eof => return Step::Wait(pos),
                _ => {}
            }
        }
        match lexer::token(data, pos) {
            Ok(value) => self.left_out(data, pos, value.end, eof),
            Err(TokenError::Incomplete) if !eof => Step::Wait(pos),
            Err(TokenError::Incomplete) => Step::truncated(data, pos),
            Err(TokenError::Damaged(at)) => self.skip_junk(pos, at + 1),
        }
    }

    /// Leaves out a word, a number or a comment in a list of events.
    #[cold]
    pub(super) fn word<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        let comment = comment_end(data, pos);
        let is_comment = comment.is_some();
        let end = match comment.unwrap_or_else(|| lexer::word_end(data, pos)) {
            Ok(end) => end.max(pos + 1),
            Err(_) if eof => data.len(),
            Err(_) => return Step::Wait(pos),
        };
        if is_comment {
            return self.add_junk(pos, end);
        }
        let word = data.get(pos..end).unwrap_or_default();
        if matches!(word, b"null" | b"true" | b"false" | b"NaN") || scalar::number(word).is_some() {
            self.left_out(data, pos, end, eof)
        } else {
            self.skip_junk(pos, end)
        }
    }

    /// Leaves out the value at `pos..end` in a list of events. It is an element if another one or the end follows it,
    /// else the rest of a damaged event.
    pub(super) fn left_out<'a>(&mut self, data: &[u8], pos: usize, end: usize, eof: bool) -> Step<'a> {
        match lexer::skip_blanks(data, end) {
            Some((_, b',' | b']')) => {}
            None if eof => {}
            None => return Step::Wait(pos),
            Some(_) => return self.skip_junk(pos, end),
        }
        if self.junk.is_some() {
            return self.flush_junk(pos);
        }
        self.commas = 0;
        Step::diagnostic(DiagnosticKind::NotAnObject, end, (pos, end))
    }

    /// Adds the range to the junk, and all that follows up to the next event.
    pub(super) fn skip_junk<'a>(&mut self, start: usize, end: usize) -> Step<'a> {
        self.skipping = true;
        self.after_damage = true;
        self.commas = 1;
        self.add_junk(start, end)
    }

    /// Adds the range to the junk, which it follows.
    pub(super) fn add_junk<'a>(&mut self, start: usize, end: usize) -> Step<'a> {
        let start = self.junk.map_or_else(|| self.at(start), |junk| junk.start);
        self.junk = Some(ByteRange::new(start, self.at(end)));
        Step::Continue(end)
    }

    /// Reports the junk, which ends at `pos`.
    #[cold]
    pub(super) fn flush_junk<'a>(&mut self, pos: usize) -> Step<'a> {
        self.skipping = false;
        // The junk may begin before the data: the caller of the step puts its range in the place of this one.
        Step::diagnostic(DiagnosticKind::Junk, pos, (pos, pos))
    }
}
