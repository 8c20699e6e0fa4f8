//! A list of events: its elements, its end, and what to do about damage. \[json 2\]

use spall_model::{ByteRange, DiagnosticKind, Event};

use super::{JsonParser, State, Step, truncated};
use crate::event;
use crate::lexer::{self, Stop};
use crate::record::{Notes, Record};
use crate::resync::{comment_end, ends_list, next_object};
use crate::value;

impl JsonParser {
    /// The next thing in a list of events.
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

    /// The object at `pos` in a list of events.
    #[inline]
    pub(super) fn event<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Step<'a> {
        if self.commas != 1 && self.state != State::Bare {
            return self.wrong_commas(pos);
        }
        match self.fields.read(data, pos) {
            Ok(end) => {
                if self.state != State::Samples {
                    self.shapes.learn(data, pos, end);
                }
                self.record(data, pos, end)
            }
            Err(Stop::Incomplete) if !eof => Step::Wait(pos),
            Err(Stop::Incomplete) => truncated(data, pos),
            Err(Stop::Damaged(at)) => self.damaged(data, pos, at, eof),
        }
    }

    /// The next event that the object `start..end` makes: what is wrong with it, itself, the flow it carries.
    #[inline]
    pub(super) fn record<'a>(&mut self, data: &'a [u8], start: usize, end: usize) -> Step<'a> {
        let bytes = (start, end);
        let notes = Notes::new(self.step);
        let mut record = Record { data, fields: &self.fields, object: bytes, notes };
        let event = if self.state == State::Samples { record.sample(true) } else { record.event() };
        let flow = event.as_ref().and_then(|event| record.slice_flow(event));
        let profile = event.as_ref().and_then(|event| record.profile(event));
        let event = if profile.is_none() { event } else { event.and_then(event::beside_profile) };
        let notes = record.notes;
        let total = notes.count + usize::from(event.is_some()) + usize::from(flow.is_some());
        let nth = self.step;
        self.step += 1;
        if let Some((cursor, event)) = profile
            && nth == total
        {
            self.profile = Some(cursor);
            return Step::Event { consumed: start, event, bytes };
        }
        let consumed = if self.step >= total && profile.is_none() {
            self.step = 0;
            self.commas = 0;
            self.doubtful &= event.is_none();
            end
        } else {
            start
        };
        if let Some((kind, bytes)) = notes.found {
            return Step::Event { consumed, event: Event::Diagnostic(kind), bytes };
        }
        match (event, flow) {
            (Some(event), _) if nth == notes.count => Step::Event { consumed, event, bytes },
            (_, Some(flow)) => Step::Event { consumed, event: Event::Flow(flow), bytes },
            _ => Step::Skip(consumed),
        }
    }

    #[cold]
    pub(super) fn wrong_commas<'a>(&mut self, pos: usize) -> Step<'a> {
        let kind = if self.commas == 0 { DiagnosticKind::MissingComma } else { DiagnosticKind::ExtraComma };
        self.commas = 1;
        Step::Event { consumed: pos, event: Event::Diagnostic(kind), bytes: (pos, pos + 1) }
    }

    /// Steps over an event that is broken at `at`: to its end if its brackets are in order, else to the next object
    /// that follows a comma or another object.
    #[cold]
    pub(super) fn damaged<'a>(&mut self, data: &[u8], start: usize, at: usize, eof: bool) -> Step<'a> {
        // Both ends are sought in twice as much each time: where one is near, no more is looked at than that.
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
        self.doubtful = true;
        let event = Event::Diagnostic(DiagnosticKind::DamagedEvent);
        Step::Event { consumed: end, event, bytes: (start, end) }
    }

    /// Whether the list is the value of a key of the document.
    fn in_document(&self) -> bool {
        matches!(self.state, State::TraceEvents | State::Samples)
    }

    /// The bracket at `pos` closes the list of events, unless what follows makes that unlikely.
    pub(super) fn end_of_array<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        if self.commas > 1 {
            return self.wrong_commas(pos);
        }
        match ends_list(data, pos + 1, self.in_document(), self.doubtful) {
            Some(true) => {}
            None if eof => {}
            Some(false) => return self.skip_junk(pos, pos + 1),
            None => return Step::Wait(pos),
        }
        self.state = if self.in_document() { State::Object } else { State::Trailing };
        Step::Continue(pos + 1)
    }

    /// The brace at `pos` in a list of events closes the document if it is the last thing of all.
    pub(super) fn stray_brace<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        match lexer::skip_blanks(data, pos + 1) {
            Some(_) => self.skip_junk(pos, pos + 1),
            None if !eof => Step::Wait(pos),
            None if self.junk.is_some() => self.flush_junk(pos),
            None => {
                self.state = State::Object;
                missing_bracket(pos)
            }
        }
    }

    /// A string or an array in a list of events.
    #[cold]
    pub(super) fn not_an_object<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        if data.get(pos) == Some(&b'[') {
            match lexer::skip_blanks(data, pos + 1) {
                Some((_, b'{')) => return self.skip_junk(pos, pos + 1),
                None if !eof => return Step::Wait(pos),
                _ => {}
            }
        }
        match lexer::token(data, pos) {
            Ok(value) => self.left_out(data, pos, value.end, eof),
            Err(Stop::Incomplete) if !eof => Step::Wait(pos),
            Err(Stop::Incomplete) => truncated(data, pos),
            Err(Stop::Damaged(at)) => self.skip_junk(pos, at + 1),
        }
    }

    /// A word, a number or a comment in a list of events.
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
        if matches!(word, b"null" | b"true" | b"false" | b"NaN") || value::number(word).is_some() {
            self.left_out(data, pos, end, eof)
        } else {
            self.skip_junk(pos, end)
        }
    }

    /// The value at `pos..end` in a list of events: one of its elements, if another one or the end follows, else the
    /// rest of a damaged event.
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
        Step::Event {
            consumed: end,
            event: Event::Diagnostic(DiagnosticKind::NotAnObject),
            bytes: (pos, end),
        }
    }

    /// Steps over something in a list of events that is none, and over what follows up to the next event.
    pub(super) fn skip_junk<'a>(&mut self, start: usize, end: usize) -> Step<'a> {
        self.skipping = true;
        self.doubtful = true;
        self.commas = 1;
        self.add_junk(start, end)
    }

    pub(super) fn add_junk<'a>(&mut self, start: usize, end: usize) -> Step<'a> {
        let start = self.junk.map_or_else(|| self.at(start), |junk| junk.start);
        self.junk = Some(ByteRange::new(start, self.at(end)));
        Step::Continue(end)
    }

    #[cold]
    pub(super) fn flush_junk<'a>(&mut self, pos: usize) -> Step<'a> {
        self.skipping = false;
        // The range is absolute and may begin before the data.
        Step::Event { consumed: pos, event: Event::Diagnostic(DiagnosticKind::Junk), bytes: (pos, pos) }
    }
}

fn missing_bracket<'a>(pos: usize) -> Step<'a> {
    Step::Event { consumed: pos, event: Event::Diagnostic(DiagnosticKind::MissingBracket), bytes: (pos, pos) }
}
