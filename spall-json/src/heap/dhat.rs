//! The reader of dhat's files. [heap 2](crate::rules::heap#2)

use alloc::{format, string::String, vec::Vec};

use spall_model::{
    ArgsBuilder, Budget, Clock, DiagnosticKind, Event, FrameEvent, FrameParent, FrameTable, Id, Interner,
    NameId, Names, Receiver, SampleStack, StackNode, StackTree, Text, Thread, Ticks, Unit, UnitName,
    ValueSample, ValueType, ValueTypes,
};

use super::{Document, THREAD};
use crate::call::file_range;
use crate::error::{JsonError, JsonErrorKind};
use crate::lexer::{self, Token, TokenKind};
use crate::scalar;

/// The version of the format that is read.
const VERSION: i64 = 2;

/// The values of a program point: the name of the profile, and whether it counts blocks. [heap 2.3](crate::rules::heap#2.3)
const VALUES: [(&str, bool); 10] = [
    ("total", false),
    ("total", true),
    ("at-t-gmax", false),
    ("at-t-gmax", true),
    ("at-t-end", false),
    ("at-t-end", true),
    ("max", false),
    ("max", true),
    ("reads", false),
    ("writes", false),
];

/// The keys of these values in their order, and those of the lifetime and the stack.
const KEYS: [&[u8]; VALUES.len() + 2] =
    [b"tb", b"tbk", b"gb", b"gbk", b"eb", b"ebk", b"mb", b"mbk", b"rb", b"wb", b"tl", b"fs"];

/// What the profile of maxima is. [heap 2.3](crate::rules::heap#2.3)
const OF_MAXIMA: &str =
    "the maximum of each place by itself, at a time of its own: their sum is no amount of memory";

/// Reads a file.
pub(crate) fn read(data: &[u8], to: &mut dyn for<'e> Receiver<'e>) -> Result<(), JsonError> {
    let mut document = Document { data, to };
    let parts = Parts::find(&mut document)?;
    let (Some(points), Some(frames)) = (parts.points, parts.frames) else {
        return Err(JsonError::new(JsonErrorKind::NotATrace, 0));
    };
    let mut reader = Reader {
        frames: Frames::read(&document, frames)?,
        document,
        tree: StackTree::default(),
        stack: Vec::new(),
        times: (0, Budget::default()),
    };
    let kept = reader.kept_values(points)?;
    let types = types(&kept, &parts.words);
    let thread = Thread { pid: Id::Number(parts.pid.unwrap_or(1)), tid: THREAD };
    reader.head(&parts, &types, thread);
    if kept.is_empty() {
        ValueTypes::say_nothing_was_sampled(reader.document.to);
    }
    reader.points(points, &kept, &types, thread)
}

/// The members of a document.
struct Parts<'a> {
    points: Option<Token>,
    frames: Option<Token>,
    pid: Option<i64>,
    command: Text<'a>,
    /// What bytes and blocks are called.
    words: [String; 2],
}

impl<'a> Parts<'a> {
    /// Reads the members of a document, and hands over its facts.
    fn find(document: &mut Document<'a, '_>) -> Result<Self, JsonError> {
        let data = document.data;
        let mut parts = Self {
            points: None,
            frames: None,
            pid: None,
            command: Text::EMPTY,
            words: ["bytes", "blocks"].map(String::from),
        };
        let mut facts = Vec::new();
        let mut pos = document.start()?;
        while let Some(member) = lexer::next_member(data, &mut pos).map_err(|error| document.error(error))? {
            let value = member.value;
            let is_list = value.kind == TokenKind::Array;
            let whole = || scalar::number(value.bytes(data)).and_then(|number| number.as_i64());
            match member.key.bytes(data) {
                b"pps" if is_list => parts.points = Some(value),
                b"ftbl" if is_list => parts.frames = Some(value),
                b"dhatFileVersion" if whole() != Some(VERSION) => {
                    let version = whole().and_then(|version| u32::try_from(version).ok()).unwrap_or(0);
                    return Err(JsonError::new(JsonErrorKind::DhatVersion { version }, value.start as u64));
                }
                b"pid" => parts.pid = whole(),
                b"cmd" => parts.command = scalar::text(data, value),
                b"bsu" => parts.words[0] = scalar::text(data, value).decode().into_owned(),
                b"bksu" => parts.words[1] = scalar::text(data, value).decode().into_owned(),
                _ => {}
            }
            facts.push(member);
        }
        for fact in facts {
            document.fact(&fact.key, fact.value);
        }
        document.end(pos);
        Ok(parts)
    }
}

/// Returns the types of value that are not 0 everywhere.
fn types(kept: &[usize], words: &[String; 2]) -> ValueTypes {
    let of = |&value: &usize| {
        let &(name, is_blocks) = VALUES.get(value)?;
        let [bytes, blocks] = words;
        let word = if is_blocks { blocks } else { bytes };
        let unit = if word == "bytes" { Unit::Bytes } else { Unit::Count(UnitName::new(word)) };
        Some(ValueType { name: format!("{name}/{word}"), unit, ticks: Ticks(1) })
    };
    ValueTypes::new(kept.iter().filter_map(of).collect(), 0)
}

/// A file that is read.
struct Reader<'a, 't> {
    document: Document<'a, 't>,
    frames: Frames,
    tree: StackTree,
    /// The frames of a point, innermost first.
    stack: Vec<u32>,
    /// The sum of the values before, and what pays for further values.
    times: (i64, Budget),
}

impl<'a> Reader<'a, '_> {
    /// Returns the positions of the values that are not 0 everywhere. [heap 1.1](crate::rules::heap#1.1)
    fn kept_values(&mut self, points: Token) -> Result<Vec<usize>, JsonError> {
        let mut is_kept = [false; VALUES.len()];
        let mut pos = points.start + 1;
        while let Some(point) = self.document.next_item(&mut pos)? {
            let values = lexer::members(self.document.data, point.start, KEYS);
            for (value, is_kept) in values.into_iter().zip(&mut is_kept) {
                *is_kept |= value.is_some_and(|value| value.whole() != Some(0));
            }
        }
        Ok((0..VALUES.len()).filter(|&value| is_kept.get(value) == Some(&true)).collect())
    }

    fn head(&mut self, parts: &Parts<'a>, types: &ValueTypes, thread: Thread<'_>) {
        let unit = types.default_type().map_or(Unit::Bytes, |of| of.unit);
        self.document.event(&Event::Clock(Clock::new(unit)), (0, 0));
        if !parts.command.is_empty() {
            self.document.event(&Event::ProcessName(thread.pid, parts.command), (0, 0));
        }
        for of in types.all().iter().filter(|of| of.name.starts_with("max/")) {
            let value = spall_model::Value::Text(Text::from(OF_MAXIMA));
            let fact = spall_model::MetaEvent::new(Text::from(&*of.name), value);
            self.document.event(&Event::Meta(fact), (0, 0));
        }
        types.begin(thread, file_range(0, (0, 0)), self.document.to);
    }

    /// Hands over the samples of all program points. [heap 2.2](crate::rules::heap#2.2)
    fn points(
        &mut self,
        points: Token,
        kept: &[usize],
        types: &ValueTypes,
        thread: Thread<'_>,
    ) -> Result<(), JsonError> {
        let data = self.document.data;
        let mut values = Vec::new();
        let mut pos = points.start + 1;
        while let Some(point) = self.document.next_item(&mut pos)? {
            let bytes = (point.start, point.end);
            let [amounts @ .., lifetime, frames] = lexer::members(data, point.start, KEYS);
            let [_, n_blocks, ..] = amounts;
            values.clear();
            for amount in kept.iter().map(|&at| amounts.get(at).copied().flatten()) {
                values.push(self.document.amount(amount));
            }
            if !self.read_stack(frames)? {
                self.document.report(DiagnosticKind::UnknownEntry, bytes);
                continue;
            }
            if values.iter().all(|&value| value == 0) {
                continue;
            }
            let stack = self.stack(bytes);
            let mut args = ArgsBuilder::new();
            if let (Some(lifetime), Some(blocks @ 1..)) =
                (lifetime.and_then(Token::whole), n_blocks.and_then(Token::whole))
            {
                #[expect(clippy::cast_precision_loss, reason = "it is an average")]
                args.add("average_lifetime", lifetime as f64 / blocks as f64);
            }
            let mut sample = ValueSample::new(thread, stack, &values, file_range(0, bytes));
            sample.args = args.args();
            let (at, budget) = &mut self.times;
            types.sample(&sample, at, budget, self.document.to);
        }
        Ok(())
    }

    /// Reads the frames of a point, innermost first. Returns whether the table has all of them. The frame 0 is none.
    fn read_stack(&mut self, frames: Option<Token>) -> Result<bool, JsonError> {
        self.stack.clear();
        let Some(frames) = frames.filter(|frames| frames.kind == TokenKind::Array) else { return Ok(true) };
        let mut pos = frames.start + 1;
        while let Some(frame) = self.document.next_item(&mut pos)? {
            let function = frame.whole().and_then(|frame| self.frames.function(frame));
            let Some(function) = function else { return Ok(false) };
            if frame.whole() != Some(0) {
                self.stack.push(function);
            }
        }
        Ok(true)
    }

    /// Returns the stack that was read, whose frames are handed over if they are new. Without frames it is that of the root.
    fn stack(&mut self, bytes: (usize, usize)) -> SampleStack<'static> {
        if self.stack.is_empty() {
            self.stack.push(self.frames.root());
        }
        let mut innermost = None;
        let stack = core::mem::take(&mut self.stack);
        for &function in stack.iter().rev() {
            let node = self.tree.child(innermost, function, self.document.data.len() as u64);
            if let StackNode::New(node) = node {
                let parent =
                    innermost.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
                self.document.event(&Event::Frame(self.frames.event(node, parent, function)), bytes);
            }
            let Some(node) = node.number() else {
                self.document.report(DiagnosticKind::StackLimit, bytes);
                break;
            };
            innermost = Some(node);
        }
        self.stack = stack;
        innermost.map_or(SampleStack::Unknown, |node| SampleStack::Frame(Id::from(node)))
    }
}

/// The table of frames. Frames of one function at several addresses are one. [heap 2.5](crate::rules::heap#2.5)
struct Frames {
    texts: Names,
    /// The name and the file or object of each function.
    functions: Interner<(NameId, NameId)>,
    /// The first line of each function that was found, counted from 1; 0 for none.
    lines: Vec<u32>,
    /// The function of each frame.
    of_frames: Vec<u32>,
}

impl Frames {
    fn read(document: &Document<'_, '_>, table: Token) -> Result<Self, JsonError> {
        let mut frames = Self {
            texts: Names::default(),
            functions: Interner::default(),
            lines: Vec::new(),
            of_frames: Vec::new(),
        };
        let mut pos = table.start + 1;
        while let Some(frame) = document.next_item(&mut pos)? {
            let text = scalar::text(document.data, frame).unescape();
            let function = frames.add(&Place::of(&text));
            frames.of_frames.push(function);
        }
        Ok(frames)
    }

    fn add(&mut self, place: &Place<'_>) -> u32 {
        let [name, file] = [place.name, place.file].map(|text| self.texts.intern_bytes(text));
        let function = self.functions.add((name, file));
        if function as usize == self.lines.len() {
            self.lines.push(place.line);
        }
        if let Some(line) = self.lines.get_mut(function as usize)
            && place.line > 0
            && (*line == 0 || place.line < *line)
        {
            *line = place.line;
        }
        function
    }

    fn function(&self, frame: u64) -> Option<u32> {
        self.of_frames.get(usize::try_from(frame).ok()?).copied()
    }

    /// Returns the function that stands for a stack without frames.
    fn root(&mut self) -> u32 {
        self.add(&Place { name: b"[root]", file: b"", line: 0 })
    }

    fn event(&self, id: u32, parent: FrameParent<'static>, function: u32) -> FrameEvent<'_> {
        let (name, file) = self.functions.keys().get(function as usize).copied().unwrap_or_default();
        let [name, file] = [name, file].map(|text| Text::plain(self.texts.bytes(text)));
        let mut frame = FrameEvent::new(FrameTable::Shared, id, parent, name);
        frame.url = file;
        frame.line = self.lines.get(function as usize).and_then(|line| line.checked_sub(1));
        frame
    }
}

/// What the text of a frame says. [heap 2.4](crate::rules::heap#2.4)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place<'a> {
    name: &'a [u8],
    /// The file or the object; empty if it is not known.
    file: &'a [u8],
    /// The line, counted from 1; 0 if it is not known.
    line: u32,
}

impl<'a> Place<'a> {
    /// Reads `0xADDRESS: NAME (FILE:LINE:COLUMN)` or `0xADDRESS: NAME (in OBJECT)`.
    fn of(text: &'a [u8]) -> Self {
        let (address, rest) = behind_address(text).unwrap_or((text, text));
        let whole = Self { name: rest, file: b"", line: 0 };
        let place = rest.strip_suffix(b")").and_then(|rest| {
            let bracket = rest.iter().rposition(|byte| matches!(byte, b'(' | b')'))?;
            let (name, place) = rest.split_at_checked(bracket)?;
            let (name, place) = (name.strip_suffix(b" ")?, place.strip_prefix(b"(")?);
            if let Some(object) = place.strip_prefix(b"in ") {
                return Some(Self { name, file: object, line: 0 });
            }
            let (file, last) = behind_colon(place)?;
            let (file, line) = behind_colon(file).unwrap_or((file, last));
            Some(Self { name, file, line })
        });
        let place = place.unwrap_or(whole);
        if place.name == b"???" { Self { name: address, ..place } } else { place }
    }
}

/// Splits a text behind the address that it begins with, `0x…: `.
fn behind_address(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = text.strip_prefix(b"0x")?.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (address, rest) = text.split_at_checked(2 + digits)?;
    Some((address, rest.strip_prefix(b": ")?))
}

/// Splits a text at its last colon, which a number follows.
fn behind_colon(text: &[u8]) -> Option<(&[u8], u32)> {
    let colon = text.iter().rposition(|&byte| byte == b':')?;
    let number = core::str::from_utf8(text.get(colon + 1..)?).ok()?.parse().ok()?;
    Some((text.get(..colon)?, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [heap 2.4]
    #[test]
    fn texts_of_frames_are_taken_apart() {
        for (text, name, file, line) in [
            ("0x1: f (a.c:1)", "f", "a.c", 1),
            ("0x1: f (src/a.rs:12:9)", "f", "src/a.rs", 12),
            ("0x1: g<(anonymous)>(int) (b.cc:3)", "g<(anonymous)>(int)", "b.cc", 3),
            ("0x1: h(int) (in /lib/x.so)", "h(int)", "/lib/x.so", 0),
            ("0x1: h(int) (in /lib/x (1).so)", "h(int) (in /lib/x (1).so)", "", 0),
            ("0x1F: ??? (in /lib/x.so)", "0x1F", "/lib/x.so", 0),
            ("0x1F: ???", "0x1F", "", 0),
            ("[root]", "[root]", "", 0),
            ("0x1: C:\\a.c (C:\\a.c:7)", "C:\\a.c", "C:\\a.c", 7),
        ] {
            let (name, file) = (name.as_bytes(), file.as_bytes());
            assert_eq!(Place::of(text.as_bytes()), Place { name, file, line }, "{text}");
        }
    }
}
