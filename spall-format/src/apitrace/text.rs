//! The text form of a call, as `apitrace dump` prints it.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Formatter, Result, Write as _};

use super::call::Call;
use super::signature::{BitmaskSignature, Frame, Signatures};
use super::value::{Token, Tokens};

impl<'a> Call<'a> {
    /// The call on one line, as `apitrace dump --thread-ids` prints it: number, thread, name, arguments by name,
    /// returned value, and a remark if it is fake or never returned. The frames of a backtrace follow on lines of
    /// their own.
    ///
    /// Texts are printed byte by byte. What is not printable ASCII becomes an octal escape whose digits are wrong in
    /// the same way as there, so that the two can be compared.
    pub fn display<'s>(&self, signatures: &'s Signatures<'a>) -> impl Display + use<'s, 'a> {
        Line { call: *self, signatures }
    }

    /// The arguments and what was returned, as in `(mode = GL_LINES, count = 2) = 7`: what [`Call::display`] has behind
    /// the name.
    pub fn display_arguments<'s>(&self, signatures: &'s Signatures<'a>) -> impl Display + use<'s, 'a> {
        Arguments { call: *self, signatures }
    }
}

struct Line<'s, 'a> {
    call: Call<'a>,
    signatures: &'s Signatures<'a>,
}

impl Display for Line<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { call, signatures } = self;
        write!(f, "{} @{} {}", call.number, call.thread, lossy(call.function.name))?;
        write!(f, "{}", call.display_arguments(signatures))?;
        if call.is_fake {
            f.write_str(" // fake")?;
        }
        if call.left.is_none() {
            f.write_str(" // incomplete")?;
        }
        if let Some(frames) = call.backtrace(signatures) {
            f.write_str("\nBacktrace:")?;
            for frame in frames {
                f.write_char('\n')?;
                write_frame(f, &frame)?;
            }
        }
        Ok(())
    }
}

struct Arguments<'s, 'a> {
    call: Call<'a>,
    signatures: &'s Signatures<'a>,
}

impl Display for Arguments<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { call, signatures } = self;
        let mut arguments = BTreeMap::new();
        call.for_each_argument(signatures, |index, at| {
            arguments.insert(index, at);
        });
        f.write_char('(')?;
        for (index, name) in (0_u64..).zip(call.function.args.iter()) {
            if index == MAX_ARGUMENTS {
                f.write_str(", ...")?;
                break;
            }
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{} = ", lossy(name))?;
            match arguments.get(&index) {
                Some(&at) => write_value(f, call.tokens(at, signatures))?,
                None => f.write_char('?')?,
            }
        }
        f.write_char(')')?;
        if let Some(value) = call.returned(signatures) {
            f.write_str(" = ")?;
            write_value(f, value)?;
        }
        Ok(())
    }
}

/// A frame as `module: function+0x2a: file:7`, or `?`.
fn write_frame(f: &mut Formatter<'_>, frame: &Frame<'_>) -> Result {
    let Frame { module, function, file, line, offset } = frame;
    if module.is_none() && function.is_none() && file.is_none() && offset.is_none() {
        return f.write_char('?');
    }
    if let Some(module) = module {
        f.write_str(&lossy(module))?;
    }
    if let Some(function) = function {
        write!(f, "{}{}", if module.is_some() { ": " } else { "" }, lossy(function))?;
    }
    if let Some(offset) = offset {
        write!(f, "+{offset:#x}")?;
    }
    if let Some(file) = file {
        write!(f, ": {}", lossy(file))?;
        if let Some(line) = line {
            write!(f, ":{line}")?;
        }
    }
    Ok(())
}

/// More arguments than these are written as `...`; no real function has more than 30.
const MAX_ARGUMENTS: u64 = 256;
/// Names are cut here.
const MAX_NAME: usize = 4096;
/// Values nested deeper than this are written as `...`.
const MAX_DEPTH: usize = 64;
/// More names than this of one bitmask are not looked at; no real one has more than 64.
const MAX_FLAGS: usize = 1024;

/// What encloses the values being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Braces,
    /// An array of one value, written like a pointer to it.
    Pointer,
    /// A structure without a name inside another one: its members stand among the outer ones.
    Flat,
    /// Two forms of a value, of which the first one is written.
    Repr,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    /// Whether nothing was written here, so that no comma is needed.
    first: bool,
    /// Whether the next value has had its name, and the comma before it.
    named: bool,
    /// Whether the next value is a member without a name.
    nameless: bool,
}

impl Level {
    const fn new(kind: Kind, first: bool) -> Self {
        Self { kind, first, named: false, nameless: false }
    }

    fn comma(&mut self, f: &mut Formatter<'_>) -> Result {
        if core::mem::take(&mut self.first) { Ok(()) } else { f.write_str(", ") }
    }
}

/// Writes a value in one pass over its tokens.
fn write_value(f: &mut Formatter<'_>, mut tokens: Tokens<'_, '_>) -> Result {
    let mut levels: Vec<Level> = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            Token::End => close(f, &mut levels)?,
            Token::Member(name) => {
                let Some(level) = levels.last_mut() else { continue };
                level.nameless = name.is_empty();
                if !level.nameless {
                    level.named = true;
                    level.comma(f)?;
                    write!(f, "{} = ", lossy(name))?;
                }
            }
            token => {
                let mut parent = levels.last_mut();
                let hidden = parent.as_ref().is_some_and(|level| level.kind == Kind::Repr && !level.first);
                let mut flat = false;
                if let Some(level) = parent.as_deref_mut().filter(|_| !hidden) {
                    let (named, nameless) = (level.named, level.nameless);
                    (level.named, level.nameless) = (false, false);
                    flat = nameless && matches!(token, Token::Struct(_));
                    if !named && !flat {
                        level.comma(f)?;
                    }
                }
                if hidden {
                    pass(&mut tokens, token);
                } else if flat {
                    let first = parent.is_some_and(|level| level.first);
                    levels.push(Level::new(Kind::Flat, first));
                } else if levels.len() >= MAX_DEPTH && opens(token) {
                    f.write_str("...")?;
                    pass(&mut tokens, token);
                } else if !write_uuid(f, token, &mut tokens)? {
                    open_or_scalar(f, token, &tokens, &mut levels)?;
                }
            }
        }
    }
    Ok(())
}

fn opens(token: Token<'_>) -> bool {
    matches!(token, Token::Array(_) | Token::Struct(_) | Token::Repr)
}

/// Steps over the rest of the value that begins with `token`.
fn pass(tokens: &mut Tokens<'_, '_>, token: Token<'_>) {
    let mut depth = u64::from(opens(token));
    while depth > 0 {
        match tokens.next() {
            Some(Token::End) => depth -= 1,
            Some(token) => depth += u64::from(opens(token)),
            None => return,
        }
    }
}

fn close(f: &mut Formatter<'_>, levels: &mut Vec<Level>) -> Result {
    let Some(closed) = levels.pop() else { return Ok(()) };
    match closed.kind {
        Kind::Braces => f.write_char('}'),
        Kind::Flat => {
            if let Some(outer) = levels.last_mut() {
                outer.first = closed.first;
            }
            Ok(())
        }
        Kind::Pointer | Kind::Repr => Ok(()),
    }
}

fn open_or_scalar(
    f: &mut Formatter<'_>,
    token: Token<'_>,
    tokens: &Tokens<'_, '_>,
    levels: &mut Vec<Level>,
) -> Result {
    let signatures = tokens.signatures();
    match token {
        Token::Null | Token::Pointer(0) => f.write_str("NULL"),
        Token::Bool(value) => write!(f, "{value}"),
        Token::Integer(value) => write!(f, "{value}"),
        Token::Float(value) => write_float(f, f64::from(value), 7),
        Token::Double(value) => write_float(f, value, 16),
        Token::Text(text) => {
            f.write_char('"')?;
            let until_nul = text.split(|&byte| byte == 0).next().unwrap_or_default();
            until_nul.iter().try_for_each(|&byte| write_char(f, u64::from(byte)))?;
            f.write_char('"')
        }
        Token::Wide(text) => {
            f.write_str("L\"")?;
            text.units().take_while(|&unit| unit != 0).try_for_each(|unit| write_char(f, unit))?;
            f.write_char('"')
        }
        Token::Blob(bytes) => write!(f, "blob({})", bytes.len()),
        Token::Enum(id, value) => match signatures.enumeration(id).and_then(|known| known.name(value)) {
            Some(name) => f.write_str(&lossy(name)),
            None => write!(f, "{value}"),
        },
        Token::Bitmask(id, value) => write_bitmask(f, signatures.bitmask(id), value),
        Token::Pointer(address) => write!(f, "{address:#x}"),
        Token::Array(count) => {
            f.write_char(if count == 1 { '&' } else { '{' })?;
            levels.push(Level::new(if count == 1 { Kind::Pointer } else { Kind::Braces }, true));
            Ok(())
        }
        Token::Struct(_) => {
            levels.push(Level::new(Kind::Braces, true));
            f.write_char('{')
        }
        Token::Repr => {
            levels.push(Level::new(Kind::Repr, true));
            Ok(())
        }
        Token::Member(_) | Token::End => Ok(()),
    }
}

/// A structure named `GUID` of eleven numbers as `uuid(…)`. Whether it was one; the tokens are then behind it.
fn write_uuid(
    f: &mut Formatter<'_>,
    token: Token<'_>,
    tokens: &mut Tokens<'_, '_>,
) -> core::result::Result<bool, core::fmt::Error> {
    let Token::Struct(id) = token else { return Ok(false) };
    if tokens.signatures().structure(id).is_none_or(|known| known.name != b"GUID") {
        return Ok(false);
    }
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
    write!(f, "uuid({a:08x}-{b:04x}-{c:04x}-{d0:02x}{d1:02x}-")?;
    tail.iter().try_for_each(|number| write!(f, "{number:02x}"))?;
    f.write_char(')')?;
    *tokens = ahead;
    Ok(true)
}

fn write_bitmask(f: &mut Formatter<'_>, signature: Option<&BitmaskSignature<'_>>, mut value: u64) -> Result {
    let mut first = true;
    let flags = signature.map_or(&[][..], |known| &known.flags);
    for &(name, bits) in flags.iter().take(MAX_FLAGS) {
        let is_set = if bits == 0 { value == 0 } else { value & bits == bits };
        if is_set {
            write!(f, "{}{}", if first { "" } else { " | " }, lossy(name))?;
            value &= !bits;
            first = false;
        }
        if value == 0 {
            break;
        }
    }
    if value != 0 || first {
        write!(f, "{}{value:#x}", if first { "" } else { " | " })?;
    }
    Ok(())
}

fn write_char(f: &mut Formatter<'_>, unit: u64) -> Result {
    match u8::try_from(unit) {
        Ok(b'"') => f.write_str("\\\""),
        Ok(b'\\') => f.write_str("\\\\"),
        Ok(byte @ (b'\t' | b'\r' | b'\n' | b' '..=b'~')) => f.write_char(char::from(byte)),
        _ => {
            // The middle digit is there twice and the top one not at all; leading zeros are left out.
            let (low, middle) = (unit & 7, unit >> 3 & 7);
            if middle == 0 { write!(f, "\\{low}") } else { write!(f, "\\{middle}{middle}{low}") }
        }
    }
}

/// Writes a float with so many significant digits, as C's `%g` does.
fn write_float(f: &mut Formatter<'_>, value: f64, digits: usize) -> Result {
    if !value.is_finite() || value == 0.0 {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let name = if value.is_nan() {
            "nan"
        } else if value == 0.0 {
            "0"
        } else {
            "inf"
        };
        return write!(f, "{sign}{name}");
    }
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || usize::try_from(exponent).is_ok_and(|exponent| exponent >= digits) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return write!(f, "{}e{sign}{:02}", without_zeros(mantissa), exponent.unsigned_abs());
    }
    let decimals = i64::try_from(digits).unwrap_or(0) - 1 - i64::from(exponent);
    let fixed = format!("{value:.*}", usize::try_from(decimals).unwrap_or(0));
    f.write_str(without_zeros(&fixed))
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// A name as text, cut where no real one goes on: what is said once may be written by every call.
fn lossy(name: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(name.get(..MAX_NAME).unwrap_or(name))
}
