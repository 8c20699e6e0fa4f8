//! The document: where its events and its other keys stand, and what to do about damage. \[json 2\]

use spall_model::{ByteRange, Chunk, Clock, DiagnosticKind, Event, MetaEvent, Parsed, Text, Unit};

use crate::cpu_profile::{self, Cursor};
use crate::decimal::Nanos;
use crate::error::{Compression, Error, ErrorKind};
use crate::event::{self, Notes, Record};
use crate::fields::{Field, Fields};
use crate::lexer::{self, Stop};
use crate::pending::Pending;
use crate::shape::Shapes;
use crate::value;

/// Reads Trace Event JSON piece by piece.
///
/// Owns no input and allocates nothing. An event is yielded as soon as all of its object is in the data given.
///
/// ```
/// use spall_json::Parser;
/// use spall_model::{Chunk, Event, Parser as _};
///
/// let mut parser = Parser::new();
/// let mut data: &[u8] = br#"[{"ph":"B","name":"f","pid":1,"tid":1,"ts":0.5},"#;
/// let mut names = 0;
/// loop {
///     match parser.parse(data, true)? {
///         Chunk::Parsed(parsed) => {
///             names += usize::from(matches!(parsed.event, Event::Begin(begin) if begin.name.is(b"f")));
///             data = &data[parsed.consumed..];
///         }
///         Chunk::Skipped(length) => data = &data[length..],
///         Chunk::NeedMore(_) | Chunk::End => break,
///     }
/// }
/// assert_eq!(names, 1);
/// # Ok::<(), spall_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Parser {
    /// Position in the file of the data's first byte.
    offset: u64,
    state: State,
    /// Commas since the last element; 1 at the start of an array, where none is wanted.
    commas: u8,
    /// Whether no event came after the last damage: brackets are doubted then.
    doubtful: bool,
    /// Bytes between elements that belong to none of them.
    junk: Option<ByteRange>,
    /// Whether what comes next is junk, too, up to the next brace that opens or bracket that closes.
    skipping: bool,
    /// How many events of the record at the start of the data were yielded.
    step: usize,
    /// The CPU profile in the record at the start of the data, if its events are being yielded.
    profile: Option<Cursor>,
    pending: Pending,
    fields: Fields,
    shapes: Shapes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the document.
    Start,
    /// Between the events of an array that is the document.
    Array,
    /// Between the events of the key `traceEvents`.
    TraceEvents,
    /// Between events that nothing encloses.
    Bare,
    /// Between the keys of the document.
    Object,
    /// In a CPU profile that is the document.
    Profile,
    /// Behind the document.
    Trailing,
    End,
    Failed(Error),
}

/// What a step made of the data from some position on.
enum Step<'a> {
    /// Go on at this position.
    Continue(usize),
    /// Everything up to `consumed` is done with, and this came of it.
    Event { consumed: usize, event: Event<'a>, bytes: (usize, usize) },
    /// The record at this position is not complete.
    Wait(usize),
    /// The file ends here, inside the document.
    Eof(usize),
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// A parser for the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            offset: 0,
            state: State::Start,
            commas: 1,
            doubtful: false,
            junk: None,
            skipping: false,
            step: 0,
            profile: None,
            pending: Pending::NONE,
            fields: Fields::new(),
            shapes: Shapes::new(),
        }
    }

    /// A parser that does not guess how an event looks from those before it. It yields the same events, slower: tests
    /// and fuzzers compare the two.
    #[doc(hidden)]
    #[must_use]
    pub const fn without_guessing() -> Self {
        Self { shapes: Shapes::never(), ..Self::new() }
    }

    /// The position in the file of the next byte that the parser wants.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    fn at(&self, pos: usize) -> u64 {
        // A usize always fits: no platform has pointers over 64 bits.
        self.offset.saturating_add(u64::try_from(pos).unwrap_or(u64::MAX))
    }

    fn range(&self, bytes: (usize, usize)) -> ByteRange {
        ByteRange::new(self.at(bytes.0), self.at(bytes.1))
    }

    fn start<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Result<Step<'a>, Error> {
        let mut pos = pos;
        if self.offset == 0 {
            if data.len() < Compression::MAGIC_LEN && !eof {
                return Ok(Step::Wait(0));
            }
            if let Some(compression) = Compression::detect(data) {
                return Err(Error::new(ErrorKind::Compressed(compression), 0));
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
            Some((at, _)) => Err(Error::new(ErrorKind::NotJson, self.at(at))),
        }
    }

    /// Finds out whether the first object is the document or an event: whether `traceEvents` or `ph` comes first. A
    /// document that begins with nodes is a CPU profile.
    fn start_of_object<'a>(&mut self, data: &'a [u8], start: usize, eof: bool) -> Step<'a> {
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

    /// A CPU profile is read when all of it is there: its arrays are read side by side.
    #[cold]
    fn start_of_profile<'a>(&mut self, data: &'a [u8], start: usize, eof: bool) -> Step<'a> {
        if !eof && lexer::nested_end(data, start) == Err(Stop::Incomplete) {
            return Step::Wait(start);
        }
        let (cursor, event) = Cursor::of_document(data.get(start..).unwrap_or_default());
        self.state = State::Profile;
        self.step = 1;
        self.profile = Some(cursor);
        Step::Event { consumed: start, event, bytes: (start, start + cursor.end) }
    }

    /// The next event of the CPU profile in the record at `pos`.
    #[cold]
    fn profile<'a>(&mut self, data: &'a [u8], pos: usize, mut cursor: Cursor) -> Step<'a> {
        if let Some((event, (start, end))) = cursor.next(data.get(pos..).unwrap_or_default()) {
            self.profile = Some(cursor);
            return Step::Event { consumed: pos, event, bytes: (pos + start, pos + end) };
        }
        self.profile = None;
        self.step = 0;
        self.commas = 0;
        self.doubtful = false;
        let end = pos + cursor.end;
        if self.state == State::Profile {
            self.state = if cursor.truncated { State::End } else { State::Trailing };
            if cursor.truncated {
                return truncated(data, end);
            }
        }
        Step::Continue(end)
    }

    /// Where the next event stands, if it is like those before it. Its fields are read.
    #[inline(always)]
    fn foreseen(&mut self, data: &[u8]) -> Option<(usize, usize)> {
        if self.step != 0 || self.junk.is_some() || !matches!(self.state, State::Array | State::TraceEvents) {
            return None;
        }
        let mut commas = self.commas;
        let mut pos = 0;
        loop {
            match *data.get(pos)? {
                b'{' => break,
                b',' => commas = commas.saturating_add(1),
                byte if lexer::is_blank(byte) => {}
                _ => return None,
            }
            pos += 1;
        }
        if commas != 1 {
            return None;
        }
        let end = self.shapes.read(data, pos, &mut self.fields)?;
        (!self.fields.has(Field::BindId)).then_some((pos, end))
    }

    /// Steps over the event at `bytes`, with which nothing is wrong.
    #[inline(always)]
    fn accept(&mut self, bytes: (usize, usize)) -> ByteRange {
        let range = self.range(bytes);
        self.commas = 0;
        self.doubtful = false;
        self.pending = Pending::NONE;
        self.offset = range.end;
        range
    }

    /// The next thing in a list of events.
    #[inline]
    fn element<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Step<'a> {
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
                b'}' if self.state == State::TraceEvents => return self.stray_brace(data, pos, eof),
                b'"' | b'[' => return self.not_an_object(data, pos, eof),
                _ => return self.word(data, pos, eof),
            }
        }
    }

    /// The object at `pos` in a list of events.
    #[inline]
    fn event<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Step<'a> {
        if let Some(cursor) = self.profile {
            return self.profile(data, pos, cursor);
        }
        if self.commas != 1 && self.state != State::Bare {
            return self.wrong_commas(pos);
        }
        match self.fields.read(data, pos) {
            Ok(end) => {
                self.shapes.learn(data, pos, end);
                self.record(data, pos, end)
            }
            Err(Stop::Incomplete) if !eof => Step::Wait(pos),
            Err(Stop::Incomplete) => truncated(data, pos),
            Err(Stop::Damaged(at)) => self.damaged(data, pos, at, eof),
        }
    }

    /// The next event that the object `start..end` makes: what is wrong with it, itself, the flow it carries.
    #[inline]
    fn record<'a>(&mut self, data: &'a [u8], start: usize, end: usize) -> Step<'a> {
        let bytes = (start, end);
        let notes = Notes::new(self.step);
        let mut record = Record { data, fields: &self.fields, object: bytes, notes };
        let event = record.event();
        let flow = event.as_ref().and_then(|event| record.slice_flow(event));
        let profile = event.as_ref().and_then(|event| record.profile(event));
        let event = if profile.is_none() { event } else { event.and_then(event::beside_profile) };
        let notes = record.notes;
        let n_events = usize::from(event.is_some()) + usize::from(flow.is_some());
        let nth = self.step;
        self.step += 1;
        if let Some((cursor, event)) = profile.as_ref()
            && nth == notes.count + n_events
        {
            self.profile = Some(*cursor);
            return Step::Event { consumed: start, event: *event, bytes };
        }
        let consumed = if self.step >= notes.count + n_events && profile.is_none() {
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
            _ => Step::Continue(consumed),
        }
    }

    #[cold]
    fn wrong_commas<'a>(&mut self, pos: usize) -> Step<'a> {
        let kind = if self.commas == 0 { DiagnosticKind::MissingComma } else { DiagnosticKind::ExtraComma };
        self.commas = 1;
        Step::Event { consumed: pos, event: Event::Diagnostic(kind), bytes: (pos, pos + 1) }
    }

    /// Steps over an event that is broken at `at`: to its end if its brackets are in order, else to the next object
    /// that follows a comma or another object.
    #[cold]
    fn damaged<'a>(&mut self, data: &[u8], start: usize, at: usize, eof: bool) -> Step<'a> {
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

    /// The bracket at `pos` closes the list of events, unless what follows makes that unlikely.
    fn end_of_array<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
        if self.commas > 1 {
            return self.wrong_commas(pos);
        }
        match ends_list(data, pos + 1, self.state == State::TraceEvents, self.doubtful) {
            Some(true) => {}
            None if eof => {}
            Some(false) => return self.skip_junk(pos, pos + 1),
            None => return Step::Wait(pos),
        }
        self.state = if self.state == State::TraceEvents { State::Object } else { State::Trailing };
        Step::Continue(pos + 1)
    }

    /// The brace at `pos` in a list of events closes the document if it is the last thing of all.
    fn stray_brace<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
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
    fn not_an_object<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
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
    fn word<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
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
    fn left_out<'a>(&mut self, data: &[u8], pos: usize, end: usize, eof: bool) -> Step<'a> {
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
    fn skip_junk<'a>(&mut self, start: usize, end: usize) -> Step<'a> {
        self.skipping = true;
        self.doubtful = true;
        self.commas = 1;
        self.add_junk(start, end)
    }

    fn add_junk<'a>(&mut self, start: usize, end: usize) -> Step<'a> {
        let start = self.junk.map_or_else(|| self.at(start), |junk| junk.start);
        self.junk = Some(ByteRange::new(start, self.at(end)));
        Step::Continue(end)
    }

    #[cold]
    fn flush_junk<'a>(&mut self, pos: usize) -> Step<'a> {
        self.skipping = false;
        // The range is absolute and may begin before the data.
        Step::Event { consumed: pos, event: Event::Diagnostic(DiagnosticKind::Junk), bytes: (pos, pos) }
    }

    /// The next key of the document.
    fn member<'a>(&mut self, data: &'a [u8], pos: usize, eof: bool) -> Step<'a> {
        let mut pos = pos;
        let mut at = pos;
        loop {
            match data.get(at) {
                Some(b'"' | b'}') if self.junk.is_some() => return self.flush_junk(at),
                Some(b'"') => break,
                Some(b'}') => {
                    self.state = State::Trailing;
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

    /// Whatever follows the document. What it is does not matter, so only its first byte is looked at.
    fn trailing<'a>(&mut self, data: &[u8], pos: usize, eof: bool) -> Step<'a> {
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

    #[cold]
    fn wait<'a>(&mut self, data: &[u8], pos: usize) -> Chunk<'a> {
        let record = data.get(pos..).unwrap_or_default();
        if !record.is_empty() && self.pending.missing(record) == 0 {
            self.pending.failed(record);
        }
        if pos > 0 {
            self.offset = self.at(pos);
            return Chunk::Skipped(pos);
        }
        Chunk::NeedMore(self.pending.missing(record).max(1))
    }
}

impl spall_model::Parser for Parser {
    type Error = Error;

    #[inline]
    fn parse<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, Error> {
        if !eof {
            let missing = self.pending.missing(data);
            if missing > 0 {
                return Ok(Chunk::NeedMore(missing));
            }
        }
        if let Some(bytes) = self.foreseen(data) {
            let notes = Notes::new(0);
            let mut record = Record { data, fields: &self.fields, object: bytes, notes };
            let consumed = bytes.1;
            // Slices, which are most of every file, are built where they are returned: an event is large.
            match record.phase() {
                Some(b'B') => {
                    if let Some(event) = record.begin_or_end()
                        && record.notes.count == 0
                    {
                        let bytes = self.accept(bytes);
                        return Ok(Chunk::Parsed(Parsed { consumed, event: Event::Begin(event), bytes }));
                    }
                }
                Some(b'E') => {
                    if let Some(event) = record.begin_or_end()
                        && record.notes.count == 0
                    {
                        let bytes = self.accept(bytes);
                        return Ok(Chunk::Parsed(Parsed { consumed, event: Event::End(event), bytes }));
                    }
                }
                Some(b'X') => {
                    if let Some((event, Some(length))) = record.complete()
                        && record.notes.count == 0
                        && event.name.raw() != b"CpuProfile"
                    {
                        let bytes = self.accept(bytes);
                        let event = Event::Complete(event, length);
                        return Ok(Chunk::Parsed(Parsed { consumed, event, bytes }));
                    }
                }
                phase => {
                    if let Some(event) = record.other_event(phase)
                        && record.notes.count == 0
                        && record.profile(&event).is_none()
                    {
                        let bytes = self.accept(bytes);
                        return Ok(Chunk::Parsed(Parsed { consumed, event, bytes }));
                    }
                }
            }
        }
        self.parse_any(data, eof)
    }
}

impl Parser {
    /// What [`Parser::quick`] does not read.
    #[inline(never)]
    fn parse_any<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, Error> {
        let mut pos = 0;
        loop {
            let step = match self.state {
                State::Array | State::TraceEvents | State::Bare => self.element(data, pos, eof),
                State::Object => self.member(data, pos, eof),
                State::Start => match self.start(data, pos, eof) {
                    Ok(step) => step,
                    Err(error) => {
                        self.state = State::Failed(error);
                        return Err(error);
                    }
                },
                State::Profile => match self.profile {
                    Some(cursor) => self.profile(data, pos, cursor),
                    None => Step::Continue(data.len()),
                },
                State::Trailing => self.trailing(data, pos, eof),
                State::End => return Ok(Chunk::End),
                State::Failed(error) => return Err(error),
            };
            match step {
                Step::Continue(next) => {
                    pos = next;
                    self.pending = Pending::NONE;
                }
                Step::Event { consumed, event, bytes } => {
                    let bytes = match self.junk {
                        Some(junk) if event == Event::Diagnostic(DiagnosticKind::Junk) => {
                            self.junk = None;
                            junk
                        }
                        _ => self.range(bytes),
                    };
                    self.pending = Pending::NONE;
                    self.offset = self.at(consumed);
                    return Ok(Chunk::Parsed(Parsed { consumed, event, bytes }));
                }
                Step::Wait(at) => return Ok(self.wait(data, at)),
                Step::Eof(at) => {
                    let closed = self.state == State::Bare;
                    self.state = State::End;
                    if !closed {
                        let bytes = self.range((at, at));
                        self.offset = self.at(at);
                        let event = Event::Diagnostic(DiagnosticKind::MissingBracket);
                        return Ok(Chunk::Parsed(Parsed { consumed: at, event, bytes }));
                    }
                }
            }
        }
    }
}

fn missing_bracket<'a>(pos: usize) -> Step<'a> {
    Step::Event { consumed: pos, event: Event::Diagnostic(DiagnosticKind::MissingBracket), bytes: (pos, pos) }
}

#[cold]
fn truncated<'a>(data: &[u8], pos: usize) -> Step<'a> {
    let end = data.len();
    Step::Event { consumed: end, event: Event::Diagnostic(DiagnosticKind::Truncated), bytes: (pos, end) }
}

/// The next brace at or after `pos` that follows a comma or a closing brace, strings not respected: whether a quote
/// opens or closes one is just what is in doubt. `start` is before `pos`.
fn next_object(data: &[u8], start: usize, pos: usize) -> Option<usize> {
    let skipped = data.get(start..pos).unwrap_or_default();
    let mut before = skipped.iter().rev().copied().find(|&byte| !lexer::is_blank(byte)).unwrap_or(0);
    for (at, &byte) in data.iter().enumerate().skip(pos) {
        if byte == b'{' && matches!(before, b',' | b'}') {
            return Some(at);
        }
        if !lexer::is_blank(byte) {
            before = byte;
        }
    }
    None
}

/// Whether what follows a closing bracket fits the end of the list of events. After damage, nothing but the end of the
/// document or a further key does. `None` if the data does not say.
fn ends_list(data: &[u8], pos: usize, in_object: bool, doubtful: bool) -> Option<bool> {
    let (at, byte) = lexer::skip_blanks(data, pos)?;
    Some(match byte {
        b',' if in_object => lexer::skip_blanks(data, at + 1)?.1 == b'"',
        b',' => lexer::skip_blanks(data, at + 1)?.1 != b'{',
        b'}' if in_object => match lexer::skip_blanks(data, at + 1)?.1 {
            b',' | b'{' => false,
            _ => !doubtful,
        },
        _ => !in_object && !doubtful,
    })
}

/// The end of the comment that begins at `pos`, if one does.
fn comment_end(data: &[u8], pos: usize) -> Option<Result<usize, Stop>> {
    if data.get(pos) != Some(&b'/') {
        return None;
    }
    let rest = data.get(pos + 2..).unwrap_or_default();
    let end = match data.get(pos + 1) {
        None => return Some(Err(Stop::Incomplete)),
        Some(b'/') => rest.iter().position(|&byte| byte == b'\n'),
        Some(b'*') => rest.windows(2).position(|pair| pair == b"*/").map(|end| end + 2),
        Some(_) => return None,
    };
    Some(end.map(|end| pos + 2 + end).ok_or(Stop::Incomplete))
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
    Some(Clock { unit: Unit::Nanoseconds(1.0), epoch_ns: Some(epoch_ns) })
}
