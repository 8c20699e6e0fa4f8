//! The text form of a call, as `apitrace dump` prints it. [apitrace C.4](crate::rules::apitrace#C.4)

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use core::fmt::{Display, Error, Formatter, Result};

use super::call::{Call, DetailPlaces};
use super::detail::Detail;
use super::number_text::{Precision, write_float, write_hex, write_integer};
use super::signature::{BacktraceFrame, BitmaskSignature, Names, Signatures};
use super::text_out::{TextOut, Utf8};
use super::value::{Token, Tokens, read_token};
use crate::cursor::Cursor;

impl Call {
    /// Returns the call as the line that `apitrace dump --thread-ids` prints.
    ///
    /// The line has the number, the thread in hexadecimal, the name, the arguments by name, the returned value, and a
    /// remark if the call is fake or never returned. The frames of a backtrace follow, each on its own line.
    ///
    /// Texts are printed byte by byte. A byte that is not printable ASCII becomes an octal escape with the same wrong
    /// digits as in the tool, so that the two outputs can be compared. The [rules](crate::rules::apitrace#C.4) list where
    /// the outputs differ.
    pub fn display<'s, 'a>(&self, signatures: Signatures<'s, 'a>) -> impl Display + use<'s, 'a> {
        CallText { call: *self, signatures }
    }

    /// Returns the arguments and the returned value as [`Call::display`] prints them, such as
    /// `(mode = GL_LINES, count = 2) = 7`.
    pub fn display_arguments<'s, 'a>(&self, signatures: Signatures<'s, 'a>) -> impl Display + use<'s, 'a> {
        ArgumentsText { call: *self, signatures }
    }
}

struct CallText<'s, 'a> {
    call: Call,
    signatures: Signatures<'s, 'a>,
}

impl Display for CallText<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let &Self { call, signatures } = self;
        let function = call.function(signatures);
        write!(f, "{} @{:x} ", call.number, call.thread)?;
        let out = &mut Utf8(f);
        write_name(out, function.name)?;
        write_arguments(out, function.args, call.details, signatures)?;
        if call.is_fake || call.left.is_none() {
            out.put(b" //")?;
        }
        if call.is_fake {
            out.put(b" fake")?;
        }
        if call.left.is_none() {
            out.put(b" incomplete")?;
        }
        if let Some(frames) = call.backtrace(signatures) {
            out.put(b"\nBacktrace:")?;
            for frame in frames {
                out.put(b"\n")?;
                write_frame(out, &frame)?;
            }
        }
        Ok(())
    }
}

struct ArgumentsText<'s, 'a> {
    call: Call,
    signatures: Signatures<'s, 'a>,
}

impl Display for ArgumentsText<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let &Self { call, signatures } = self;
        write_arguments(&mut Utf8(f), call.function(signatures).args, call.details, signatures)
    }
}

/// The positions of the values of a call.
#[derive(Debug, Default)]
struct ValuePlaces {
    /// The positions of the first arguments. 0 stands for an argument that is not there, as no value is at 0.
    arguments: [usize; 16],
    more_arguments: BTreeMap<u64, usize>,
    returned: Option<usize>,
}

impl ValuePlaces {
    /// Finds all values in one pass over the details, because a pass has to step over each value. The last value of an
    /// argument stays, because it is the value at the time when the call returns.
    fn of(details: DetailPlaces, signatures: Signatures<'_, '_>) -> Self {
        let mut places = Self::default();
        for detail in details.iter(signatures) {
            match detail {
                Detail::Argument(index, at) => {
                    match usize::try_from(index).ok().and_then(|index| places.arguments.get_mut(index)) {
                        Some(place) => *place = at,
                        None => drop(places.more_arguments.insert(index, at)),
                    }
                }
                Detail::Return(at) => places.returned = Some(at),
                _ => {}
            }
        }
        places
    }

    fn argument(&self, index: u64) -> Option<usize> {
        match usize::try_from(index).ok().and_then(|index| self.arguments.get(index)) {
            Some(&place) => (place > 0).then_some(place),
            None => self.more_arguments.get(&index).copied(),
        }
    }
}

/// Writes the arguments and the returned value of a call whose arguments have the given names.
pub(super) fn write_arguments(
    out: &mut impl TextOut,
    names: Names<'_>,
    details: DetailPlaces,
    signatures: Signatures<'_, '_>,
) -> Result {
    let places = ValuePlaces::of(details, signatures);
    out.put(b"(")?;
    for (index, name) in (0_u64..).zip(names.iter()) {
        if index > 0 {
            out.put(b", ")?;
        }
        if index == MAX_ARGUMENTS {
            out.put(b"...")?;
            break;
        }
        write_name(out, name)?;
        out.put(b" = ")?;
        match places.argument(index) {
            Some(at) => write_value(out, at, signatures)?,
            None => out.put(b"?")?,
        }
    }
    out.put(b")")?;
    if let Some(at) = places.returned {
        out.put(b" = ")?;
        write_value(out, at, signatures)?;
    }
    Ok(())
}

/// Writes a frame as `module: function+0x2a: file:7`. A module that is not known is written as `?`.
fn write_frame(out: &mut impl TextOut, frame: &BacktraceFrame<'_>) -> Result {
    let BacktraceFrame { module, function, file, line, offset } = frame;
    write_name(out, module.unwrap_or(b"?"))?;
    if let Some(function) = function {
        out.put(b": ")?;
        write_name(out, function)?;
    }
    if let Some(offset) = offset {
        out.put(b"+")?;
        write_hex(out, *offset)?;
    }
    if let Some(file) = file {
        out.put(b": ")?;
        write_name(out, file)?;
        if let Some(line) = line {
            out.put(b":")?;
            write_integer(out, i128::from(*line))?;
        }
    }
    Ok(())
}

// The limits below bound the text of one call: a file may give a name or a signature once and use it in every call.

/// The number of arguments that are written. `...` stands for the others. No real function has more than 30.
const MAX_ARGUMENTS: u64 = 256;
/// The length at which a name is cut, in bytes.
const MAX_NAME: usize = 4096;
/// The nesting depth of values that are written. `...` stands for deeper ones.
const MAX_DEPTH: usize = 64;
/// The number of names of a bitmask that are compared. No real bitmask has more than 64.
const MAX_FLAGS: usize = 1024;

/// The form in which a value that contains others is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enclosure {
    /// In braces, `{…}`.
    Braces,
    /// As `&…`. This is for an array of one value, which is written like a pointer to it.
    Pointer,
    /// Without anything around it. This is for an anonymous structure inside another one, whose members are written
    /// among the outer ones.
    Flat,
    /// Without anything around it. This is for a value in two forms, of which the first one is written.
    Repr,
}

/// A value that contains the ones being written.
#[derive(Debug, Clone, Copy)]
struct OpenText {
    kind: Enclosure,
    /// Whether nothing was written inside yet, so that no comma is needed.
    first: bool,
    /// The next value as a member of a structure.
    member: Member,
}

/// The relation of a value to the structure that it may be a member of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    /// The value is no member of a structure.
    None,
    /// The member has a name, which was written.
    Named,
    /// The name of the member is empty.
    Unnamed,
}

/// The way in which a value is written inside another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Written,
    /// The members of the value are written as members of the outer one.
    Flat,
    Hidden,
}

impl OpenText {
    const fn new(kind: Enclosure, first: bool) -> Self {
        Self { kind, first, member: Member::None }
    }

    /// Returns how the value that begins with `token` is written inside this one.
    fn place(&self, token: Token<'_>) -> Place {
        match (self.member, token) {
            (Member::Unnamed, Token::Struct(_)) => Place::Flat,
            (Member::Unnamed, _) => Place::Hidden,
            // The second form of a value is for a replay.
            _ if self.kind == Enclosure::Repr && !self.first => Place::Hidden,
            _ => Place::Written,
        }
    }

    fn comma(&mut self, out: &mut impl TextOut) -> Result {
        if core::mem::take(&mut self.first) { Ok(()) } else { out.put(b", ") }
    }
}

/// Writes the value at a position of the stream.
fn write_value(out: &mut impl TextOut, at: usize, signatures: Signatures<'_, '_>) -> Result {
    match read_token(&mut Cursor::new(signatures.stream, at), signatures) {
        Ok(token) if opens(token) => write_nested(out, Tokens::new(at, signatures)),
        Ok(token) => write_scalar(out, token, signatures),
        // The value was read whole before, so there is no failure to report.
        Err(_) => Ok(()),
    }
}

/// Writes a value that contains others, in one pass over its tokens.
fn write_nested(out: &mut impl TextOut, mut tokens: Tokens<'_, '_>) -> Result {
    let mut levels: Vec<OpenText> = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            Token::End => close(out, &mut levels)?,
            Token::Member(name) => {
                let Some(level) = levels.last_mut() else { continue };
                level.member = if until_nul(name).is_empty() { Member::Unnamed } else { Member::Named };
                if level.member == Member::Named {
                    level.comma(out)?;
                    write_name(out, name)?;
                    out.put(b" = ")?;
                }
            }
            token => {
                let level = levels.last().copied();
                match level.map_or(Place::Written, |level| level.place(token)) {
                    Place::Hidden => skip_rest(&mut tokens, token),
                    Place::Flat => {
                        levels.push(OpenText::new(Enclosure::Flat, level.is_none_or(|level| level.first)));
                    }
                    Place::Written => {
                        if let Some(level) = levels.last_mut().filter(|level| level.member == Member::None) {
                            level.comma(out)?;
                        }
                        write_or_open(out, token, &mut tokens, &mut levels)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns whether a token opens a value that contains others.
fn opens(token: Token<'_>) -> bool {
    matches!(token, Token::Array(_) | Token::Struct(_) | Token::Repr)
}

/// Consumes the rest of the value that begins with `token`.
fn skip_rest(tokens: &mut Tokens<'_, '_>, token: Token<'_>) {
    let mut depth = u64::from(opens(token));
    while depth > 0 {
        match tokens.next() {
            Some(Token::End) => depth -= 1,
            Some(token) => depth += u64::from(opens(token)),
            None => return,
        }
    }
}

/// Writes the end of the innermost open value.
fn close(out: &mut impl TextOut, levels: &mut Vec<OpenText>) -> Result {
    let Some(closed) = levels.pop() else { return Ok(()) };
    match closed.kind {
        Enclosure::Braces => out.put(b"}"),
        Enclosure::Flat => {
            if let Some(outer) = levels.last_mut() {
                outer.first = closed.first;
            }
            Ok(())
        }
        Enclosure::Pointer | Enclosure::Repr => Ok(()),
    }
}

/// Writes a scalar, or the opening of a value that contains others.
fn write_or_open(
    out: &mut impl TextOut,
    token: Token<'_>,
    tokens: &mut Tokens<'_, '_>,
    levels: &mut Vec<OpenText>,
) -> Result {
    if opens(token) && levels.len() >= MAX_DEPTH {
        skip_rest(tokens, token);
        return out.put(b"...");
    }
    let (enclosure, opening): (_, &[u8]) = match token {
        Token::Struct(id) if write_uuid(out, id, tokens)? => return Ok(()),
        Token::Struct(_) => (Enclosure::Braces, b"{"),
        Token::Array(1) => (Enclosure::Pointer, b"&"),
        Token::Array(_) => (Enclosure::Braces, b"{"),
        Token::Repr => (Enclosure::Repr, b""),
        scalar => return write_scalar(out, scalar, tokens.signatures()),
    };
    levels.push(OpenText::new(enclosure, true));
    out.put(opening)
}

/// Writes a value that contains no others.
pub(super) fn write_scalar(
    out: &mut impl TextOut,
    token: Token<'_>,
    signatures: Signatures<'_, '_>,
) -> Result {
    match token {
        Token::Null => out.put(b"NULL"),
        Token::Bool(value) => out.put(if value { b"true" } else { b"false" }),
        Token::Integer(value) => write_integer(out, value),
        Token::Float(value) => write_float(out, f64::from(value), Precision::FLOAT),
        Token::Double(value) => write_float(out, value, Precision::DOUBLE),
        Token::Text(text) => {
            out.put(b"\"")?;
            until_nul(text).iter().try_for_each(|&byte| write_unit(out, u32::from(byte)))?;
            out.put(b"\"")
        }
        Token::Wide(text) => {
            out.put(b"L\"")?;
            // The tool keeps 32 bits of a unit.
            let units = text.units().map(|unit| u32::try_from(unit & 0xffff_ffff).unwrap_or(0));
            units.take_while(|&unit| unit != 0).try_for_each(|unit| write_unit(out, unit))?;
            out.put(b"\"")
        }
        Token::Blob(bytes) => {
            out.put(b"blob(")?;
            write_integer(out, i128::try_from(bytes.len()).unwrap_or(i128::MAX))?;
            out.put(b")")
        }
        Token::Enum(id, value) => match signatures.enumeration(id).and_then(|known| known.name(value)) {
            Some(name) => write_name(out, name),
            None => write_integer(out, value),
        },
        Token::Bitmask(id, value) => write_bitmask(out, signatures.bitmask(id), value),
        Token::Pointer(address) => write_hex(out, address),
        Token::Array(_) | Token::Struct(_) | Token::Repr | Token::Member(_) | Token::End => Ok(()),
    }
}

/// Writes the rest of a structure as `uuid(…)`, as the tool does, if its name is `GUID` and it has eleven numbers. Returns
/// whether it was one; then `tokens` is behind it.
fn write_uuid(
    out: &mut impl TextOut,
    id: u64,
    tokens: &mut Tokens<'_, '_>,
) -> core::result::Result<bool, Error> {
    if tokens.signatures().structure(id).is_none_or(|known| known.name != b"GUID") {
        return Ok(false);
    }
    // A copy looks ahead: only at the end is it certain that the structure has the expected form.
    let (mut ahead, mut numbers, mut depth) = (tokens.clone(), Vec::new(), 1);
    while depth > 0 && numbers.len() <= 11 {
        match ahead.next() {
            Some(Token::Integer(number)) => numbers.push(number),
            Some(Token::Array(_)) => depth += 1,
            Some(Token::End) => depth -= 1,
            Some(Token::Member(_)) => {}
            _ => return Ok(false),
        }
    }
    let [a, b, c, rest @ ..] = &numbers[..] else { return Ok(false) };
    let [d0, d1, tail @ ..] = rest else { return Ok(false) };
    if depth > 0 || tail.len() != 6 {
        return Ok(false);
    }
    let [b, c, d0, d1] = [b & 0xffff, c & 0xffff, d0 & 0xff, d1 & 0xff];
    out.put(format!("uuid({:08x}-{b:04x}-{c:04x}-{d0:02x}{d1:02x}-", a & 0xffff_ffff).as_bytes())?;
    tail.iter().try_for_each(|number| out.put(format!("{:02x}", number & 0xff).as_bytes()))?;
    out.put(b")")?;
    *tokens = ahead;
    Ok(true)
}

/// Writes a bitmask as its names with ` | ` between them. Bits without a name come last, in hexadecimal.
fn write_bitmask(out: &mut impl TextOut, signature: Option<BitmaskSignature<'_>>, mut value: u64) -> Result {
    let mut first = true;
    let flags = signature.into_iter().flat_map(|known| known.flags());
    for (name, bits) in flags.take(MAX_FLAGS) {
        let is_set = if bits == 0 { value == 0 } else { value & bits == bits };
        if is_set {
            if !core::mem::take(&mut first) {
                out.put(b" | ")?;
            }
            write_name(out, name)?;
            value &= !bits;
        }
        if value == 0 {
            break;
        }
    }
    if value != 0 || first {
        if !first {
            out.put(b" | ")?;
        }
        write_hex(out, value)?;
    }
    Ok(())
}

/// Writes a character of a text, escaped as the tool does.
fn write_unit(out: &mut impl TextOut, unit: u32) -> Result {
    match u8::try_from(unit) {
        Ok(b'"') => out.put(b"\\\""),
        Ok(b'\\') => out.put(b"\\\\"),
        Ok(b'\r') => Ok(()),
        Ok(byte @ (b'\t' | b'\n' | b' '..=b'~')) => out.put(&[byte]),
        _ => {
            // A bug of the tool, kept so that outputs compare: it writes the middle digit twice and the top one never.
            let [unit, ..] = unit.to_le_bytes();
            let (low, middle) = (b'0' + (unit & 7), b'0' + (unit >> 3 & 7));
            if middle == b'0' { out.put(&[b'\\', low]) } else { out.put(&[b'\\', middle, middle, low]) }
        }
    }
}

/// Returns the part of a text before the first NUL, which ends texts in C.
fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// Writes a name, cut at [`MAX_NAME`].
#[inline]
fn write_name(out: &mut impl TextOut, name: &[u8]) -> Result {
    out.put(until_nul(name.get(..MAX_NAME).unwrap_or(name)))
}
