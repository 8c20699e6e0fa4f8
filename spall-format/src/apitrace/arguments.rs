//! The arguments of a call as an event carries them, which can be read without the stream. [apitrace
//! C.5.6](crate::rules::apitrace#C.5.6)
//!
//! The arguments have the bytes that the stream has for the call, with everything that is defined elsewhere in its
//! place. They consist of
//!
//! 1. the number of arguments that the function has, as one byte below 128;
//! 2. their names, each as a length and the text;
//! 3. the values: of an argument the byte 1, its index and the value; of the returned value the byte 2 and the value; of the
//!    backtrace the byte 4 and a list of texts.
//!
//! | kind of a value | content |
//! |---|---|
//! | `00` to `07` | a null pointer, a truth value, a number or a text, as in the stream |
//! | `0b` | a list: the length of its values in 4 bytes, and the values |
//! | `0c` | a map: the length of its entries in 4 bytes, and each entry as a name and a value |

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use spall_model::{Args, ArgsFormat, Text, Value};

use super::call::{Call, Details};
use super::detail::Detail;
use super::fast_scan::FastScan;
use super::signature::{BacktraceFrame, Signatures};
use super::value::{Token, Tokens};
use crate::cursor::Cursor;

static CALL: ArgsFormat = ArgsFormat::new("apitrace call", next_argument);
static LIST: ArgsFormat = ArgsFormat::new("apitrace array", next_item);
static MAP: ArgsFormat = ArgsFormat::new("apitrace structure", next_member);

/// The bytes in front of values.
mod tag {
    pub(super) const ARGUMENT: u8 = 1;
    pub(super) const RETURN: u8 = 2;
    /// The end of arguments that are not complete.
    pub(super) const CUT: u8 = 3;
    pub(super) const BACKTRACE: u8 = 4;
    pub(super) const TEXT: u8 = 0x07;
    pub(super) const LIST: u8 = 0x0b;
    pub(super) const MAP: u8 = 0x0c;
}

/// The names of a bitmask from this index on are not compared. No real bitmask has more than 64.
const MAX_FLAGS: usize = 1024;

fn next_argument<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    let mut names = Cursor::new(bytes, 0);
    let count = names.u8().ok()?;
    let mut input = Cursor::new(bytes, *pos);
    if *pos == 0 {
        input = names;
        input.repeated(u64::from(count), |input| input.text().map(drop)).ok()?;
    }
    let (name, value) = match input.u8().ok()? {
        tag::ARGUMENT => {
            let index = input.u8().ok()?;
            names.repeated(u64::from(index), |names| names.text().map(drop)).ok()?;
            (names.text().ok()?, read_value(&mut input)?)
        }
        tag::RETURN => (&b"return"[..], read_value(&mut input)?),
        tag::BACKTRACE => (&b"backtrace"[..], read_value(&mut input)?),
        _ => ("…".as_bytes(), Value::Null),
    };
    *pos = input.pos();
    Some((Text::plain(name), value))
}

fn next_member<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    let mut input = Cursor::new(bytes, *pos);
    let name = input.text().ok()?;
    let value = read_value(&mut input)?;
    *pos = input.pos();
    Some((Text::plain(name), value))
}

fn next_item<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    let mut input = Cursor::new(bytes, *pos);
    let value = read_value(&mut input)?;
    *pos = input.pos();
    Some((Text::EMPTY, value))
}

fn read_value<'b>(input: &mut Cursor<'b>) -> Option<Value<'b>> {
    let kind = input.u8().ok()?;
    Some(match kind {
        0x00 => Value::Null,
        0x01 | 0x02 => Value::Bool(kind == 0x02),
        0x03 | 0x04 => {
            let size = input.uint().ok()?;
            let number = if kind == 0x03 { -i128::from(size) } else { i128::from(size) };
            match (i64::try_from(number), u64::try_from(number)) {
                (Ok(number), _) => Value::I64(number),
                (_, Ok(number)) => Value::U64(number),
                _ => Value::F64(-(size as f64)),
            }
        }
        0x05 => Value::F64(f64::from(f32::from_le_bytes(input.array().ok()?))),
        0x06 => Value::F64(f64::from_le_bytes(input.array().ok()?)),
        tag::TEXT => Value::Text(Text::plain(input.text().ok()?)),
        tag::LIST | tag::MAP => {
            let length = u32::from_le_bytes(input.array().ok()?);
            let content = input.take(usize::try_from(length).ok()?).ok()?;
            match kind {
                tag::LIST => Value::List(Args::new(content, &LIST)),
                _ => Value::Map(Args::new(content, &MAP)),
            }
        }
        _ => return None,
    })
}

impl Call {
    /// Returns the arguments as [`Calls::arguments`](super::Calls::arguments) says.
    #[inline]
    pub(super) fn arguments<'m>(&self, signatures: Signatures<'_, '_>, memory: &'m mut Vec<u8>) -> Args<'m> {
        let size =
            (self.enter.end - self.enter.start) + self.leave.map_or(0, |leave| leave.end - leave.start);
        let limit = usize::try_from(size.saturating_mul(4).saturating_add(32)).unwrap_or(usize::MAX);
        memory.clear();
        if !self.copy_arguments(signatures, limit, memory) {
            let mut writer = Writer { memory, limit, n_whole: 0, open: Vec::new() };
            if writer.call(self, signatures).is_err() {
                writer.cut();
            }
        }
        // A function without arguments that returned nothing.
        if *memory == [0] { Args::NONE } else { Args::new(memory, &CALL) }
    }

    /// Writes the arguments if their bytes are those of the stream, as those of most calls, and if they are within the
    /// limit. Returns whether they are.
    #[inline]
    fn copy_arguments(&self, signatures: Signatures<'_, '_>, limit: usize, memory: &mut Vec<u8>) -> bool {
        let names = self.function(signatures).args;
        let (Some(count), Some(leave)) = (one_byte(names.len()), self.leave) else { return false };
        let part = |start, end: u64| signatures.stream.get(start..usize::try_from(end - 1).ok()?);
        let parts = (part(self.details.enter, self.enter.end), part(self.details.leave, leave.end));
        let (Some(enter), Some(leave)) = parts else { return false };
        let names_bytes = names.bytes();
        if self.n_plain > names.len() || 1 + names_bytes.len() + enter.len() + leave.len() > limit {
            return false;
        }
        memory.push(count);
        [names_bytes, enter, leave].into_iter().for_each(|part| memory.extend_from_slice(part));
        true
    }
}

/// Returns a number below 128, which the stream has as one byte.
#[inline]
fn one_byte(number: u64) -> Option<u8> {
    u8::try_from(number).ok().filter(|&byte| byte < 0x80)
}

/// A writer of arguments, which stops at a limit.
struct Writer<'m> {
    memory: &'m mut Vec<u8>,
    limit: usize,
    /// The length up to which everything is whole, apart from the lengths of the open values.
    n_whole: usize,
    open: Vec<OpenValue>,
}

/// A value that contains the ones being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenValue {
    /// A list or a map, with the position of its length.
    Counted(usize),
    /// A structure whose members are written among those of the outer one.
    Flat,
    /// A value in two forms of which none was written yet.
    Repr,
    /// A value in two forms of which the first one was written, or is being written.
    ReprDone,
}

/// The error of a writer that has reached its limit.
#[derive(Debug)]
struct Full;

impl Writer<'_> {
    fn call(&mut self, call: &Call, signatures: Signatures<'_, '_>) -> Result<(), Full> {
        let names = call.function(signatures).args;
        let Some(count) = one_byte(names.len()) else { return Err(Full) };
        self.put(&[count])?;
        self.put(names.bytes())?;
        self.n_whole = self.memory.len();
        let mut has_backtrace = false;
        for at in call.details.events() {
            for (detail, end) in (Details { pos: at, signatures }) {
                let at = match detail {
                    Detail::Argument(index, at) => match one_byte(index).filter(|&index| index < count) {
                        Some(index) => self.put(&[tag::ARGUMENT, index]).map(|()| at)?,
                        None => continue,
                    },
                    Detail::Return(at) => self.put(&[tag::RETURN]).map(|()| at)?,
                    Detail::Backtrace(..) => {
                        has_backtrace = true;
                        continue;
                    }
                    _ => continue,
                };
                // Most values have the same bytes in the stream.
                match signatures.stream.get(at..end) {
                    Some(value) if matches!(value, [0x00..=0x07, ..]) => self.put(value)?,
                    _ => self.value(at, signatures)?,
                }
                self.n_whole = self.memory.len();
            }
        }
        // At last, because long names may leave no room behind it.
        if has_backtrace && let Some(frames) = call.backtrace(signatures) {
            self.put(&[tag::BACKTRACE])?;
            self.open_counted(tag::LIST)?;
            for frame in frames {
                self.text_value(&frame_text(&frame))?;
                self.n_whole = self.memory.len();
            }
            self.close();
        }
        Ok(())
    }

    /// Writes the value at a position of the stream.
    fn value(&mut self, at: usize, signatures: Signatures<'_, '_>) -> Result<(), Full> {
        let Signatures { table, stream } = signatures;
        if stream.get(at) == Some(&0x09)
            && let Some((id, value, _)) = (FastScan { stream, signatures: table }).enum_value(at)
        {
            return self.scalar(Token::Enum(id, value), signatures);
        }
        let mut tokens = Tokens::new(at, signatures);
        let (mut is_unnamed, mut n_unnamed) = (false, 0_u32);
        while let Some(token) = tokens.next() {
            match token {
                Token::End => self.close(),
                Token::Member(name) => {
                    is_unnamed = name.is_empty();
                    if !is_unnamed {
                        self.text(name)?;
                    }
                    continue;
                }
                Token::Struct(_) if is_unnamed => self.open.push(OpenValue::Flat),
                // The second form of a value is for a replay.
                _ if self.open.last() == Some(&OpenValue::ReprDone) => skip_rest(&mut tokens, token),
                _ => {
                    if let Some(repr @ OpenValue::Repr) = self.open.last_mut() {
                        *repr = OpenValue::ReprDone;
                    }
                    if is_unnamed {
                        self.text(format!("{n_unnamed}").as_bytes())?;
                        n_unnamed += 1;
                    }
                    match token {
                        Token::Array(_) => self.open_counted(tag::LIST)?,
                        Token::Struct(_) => self.open_counted(tag::MAP)?,
                        Token::Repr => self.open.push(OpenValue::Repr),
                        _ => self.scalar(token, signatures)?,
                    }
                }
            }
            is_unnamed = false;
        }
        Ok(())
    }

    fn open_counted(&mut self, kind: u8) -> Result<(), Full> {
        self.put(&[kind, 0, 0, 0, 0])?;
        self.n_whole = self.memory.len();
        self.open.push(OpenValue::Counted(self.n_whole - 4));
        Ok(())
    }

    /// Ends the innermost open value.
    fn close(&mut self) {
        if let Some(OpenValue::Counted(at)) = self.open.pop() {
            let length = u32::try_from(self.memory.len().saturating_sub(at + 4)).unwrap_or(u32::MAX);
            if let Some(place) = self.memory.get_mut(at..at + 4) {
                place.copy_from_slice(&length.to_le_bytes());
            }
        }
    }

    /// Ends the arguments behind the last value that is whole.
    fn cut(&mut self) {
        self.memory.truncate(self.n_whole);
        if self.memory.is_empty() {
            self.memory.push(0);
        }
        while !self.open.is_empty() {
            self.close();
        }
        self.memory.push(tag::CUT);
    }

    fn scalar(&mut self, token: Token<'_>, signatures: Signatures<'_, '_>) -> Result<(), Full> {
        match token {
            Token::Null => self.put(&[0x00]),
            Token::Bool(value) => self.put(&[0x01 + u8::from(value)]),
            Token::Integer(value) => self.integer(value),
            Token::Float(value) => self.put(&[0x05]).and_then(|()| self.put(&value.to_le_bytes())),
            Token::Double(value) => self.put(&[0x06]).and_then(|()| self.put(&value.to_le_bytes())),
            Token::Text(text) => self.text_value(text),
            Token::Wide(text) => {
                let units = text.units().take_while(|&unit| unit != 0);
                let units = units.map(|unit| u32::try_from(unit).ok().and_then(char::from_u32));
                let text: String = units.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
                self.text_value(text.as_bytes())
            }
            Token::Blob(bytes) => self.text_value(format!("{} bytes", bytes.len()).as_bytes()),
            Token::Enum(id, value) => match signatures.enumeration(id).and_then(|known| known.name(value)) {
                Some(name) => self.text_value(name),
                None => self.integer(value),
            },
            Token::Bitmask(id, bits) => self.text_value(&bitmask_text(id, bits, signatures)),
            Token::Pointer(address) => self.text_value(format!("{address:#x}").as_bytes()),
            Token::Array(_) | Token::Struct(_) | Token::Repr | Token::Member(_) | Token::End => Ok(()),
        }?;
        self.n_whole = self.memory.len();
        Ok(())
    }

    fn integer(&mut self, value: i128) -> Result<(), Full> {
        self.put(&[if value < 0 { 0x03 } else { 0x04 }])?;
        self.uint(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX))
    }

    fn text_value(&mut self, text: &[u8]) -> Result<(), Full> {
        self.put(&[tag::TEXT])?;
        self.text(text)
    }

    fn text(&mut self, text: &[u8]) -> Result<(), Full> {
        self.uint(text.len() as u64)?;
        self.put(text)
    }

    fn uint(&mut self, mut value: u64) -> Result<(), Full> {
        while value >= 0x80 {
            let [low, ..] = value.to_le_bytes();
            self.put(&[low | 0x80])?;
            value >>= 7;
        }
        let [low, ..] = value.to_le_bytes();
        self.put(&[low])
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        if bytes.len() > self.limit - self.memory.len() {
            return Err(Full);
        }
        self.memory.extend_from_slice(bytes);
        Ok(())
    }
}

/// Consumes the rest of the value that begins with `token`.
fn skip_rest(tokens: &mut Tokens<'_, '_>, token: Token<'_>) {
    let opens = |token| u64::from(matches!(token, Token::Array(_) | Token::Struct(_) | Token::Repr));
    let mut depth = opens(token);
    while depth > 0 {
        match tokens.next() {
            Some(Token::End) => depth -= 1,
            Some(token) => depth += opens(token),
            None => return,
        }
    }
}

/// Returns the function of a frame, or else the place in its module, and the place in the source if it is known.
fn frame_text(frame: &BacktraceFrame<'_>) -> Vec<u8> {
    let mut text = frame.function.or(frame.module).unwrap_or(b"?").to_vec();
    if let (None, Some(offset)) = (frame.function, frame.offset) {
        text.extend_from_slice(format!("+{offset:#x}").as_bytes());
    }
    if let Some(file) = frame.file {
        text.push(b' ');
        text.extend_from_slice(file);
        text.extend(frame.line.map(|line| format!(":{line}")).unwrap_or_default().bytes());
    }
    text
}

/// Returns the names of the bits with ` | ` between them. Bits without a name come last, in hexadecimal.
fn bitmask_text(id: u64, mut bits: u64, signatures: Signatures<'_, '_>) -> Vec<u8> {
    let mut text = Vec::new();
    let mut add = |name: &[u8]| {
        if !text.is_empty() {
            text.extend_from_slice(b" | ");
        }
        text.extend_from_slice(name);
    };
    let is_zero = bits == 0;
    let mut is_named = false;
    for (name, flag) in signatures.bitmask(id).into_iter().flat_map(|known| known.flags()).take(MAX_FLAGS) {
        if if flag == 0 { is_zero } else { bits & flag == flag } {
            add(name);
            is_named = true;
            bits &= !flag;
            if bits == 0 {
                break;
            }
        }
    }
    if bits != 0 || !is_named {
        add(format!("{bits:#x}").as_bytes());
    }
    text
}
