//! The text form of a call, as `apitrace dump` prints it. [apitrace C.4](crate::rules::apitrace#C.4)

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Formatter, Result, Write as _};

use super::call::{Call, Detail};
use super::signature::{BacktraceFrame, BitmaskSignature, Signatures};
use super::value::{Token, Tokens};

impl Call {
    /// Returns the call as the line that `apitrace dump --thread-ids` prints.
    ///
    /// The line has the number, the thread, the name, the arguments by name, the returned value, and a remark if the
    /// call is fake or never returned. The frames of a backtrace follow, each on its own line.
    ///
    /// Texts are printed byte by byte. A byte that is not printable ASCII becomes an octal escape with the same wrong
    /// digits as in the tool, so that the two outputs can be compared.
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
        write!(f, "{} @{} {}", call.number, call.thread, lossy(call.function(signatures).name))?;
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

struct ArgumentsText<'s, 'a> {
    call: Call,
    signatures: Signatures<'s, 'a>,
}

impl Display for ArgumentsText<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let &Self { call, signatures } = self;
        // One pass over the details finds everything: a pass has to step over all values.
        let (mut arguments, mut returned) = (BTreeMap::new(), None);
        // The last value of an argument stays, because it is the value at the time when the call returns.
        call.details.for_each(signatures, |detail| match detail {
            Detail::Argument(index, at) => {
                arguments.insert(index, at);
            }
            Detail::Return(at) => returned = Some(at),
            _ => {}
        });
        f.write_char('(')?;
        for (index, name) in (0_u64..).zip(call.function(signatures).args.iter()) {
            if index == MAX_ARGUMENTS {
                f.write_str(", ...")?;
                break;
            }
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{} = ", lossy(name))?;
            match arguments.get(&index) {
                Some(&at) => write_value(f, Tokens::new(at, signatures))?,
                None => f.write_char('?')?,
            }
        }
        f.write_char(')')?;
        if let Some(at) = returned {
            f.write_str(" = ")?;
            write_value(f, Tokens::new(at, signatures))?;
        }
        Ok(())
    }
}

/// Writes a frame as `module: function+0x2a: file:7`, or `?` if nothing is known of it.
fn write_frame(f: &mut Formatter<'_>, frame: &BacktraceFrame<'_>) -> Result {
    let BacktraceFrame { module, function, file, line, offset } = frame;
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
    /// Whether the name of the next value was written, and the comma before it.
    named: bool,
    /// Whether the next value is a member with an empty name.
    nameless: bool,
}

impl OpenText {
    const fn new(kind: Enclosure, first: bool) -> Self {
        Self { kind, first, named: false, nameless: false }
    }

    fn comma(&mut self, f: &mut Formatter<'_>) -> Result {
        if core::mem::take(&mut self.first) { Ok(()) } else { f.write_str(", ") }
    }
}

/// Writes a value in one pass over its tokens.
fn write_value(f: &mut Formatter<'_>, mut tokens: Tokens<'_, '_>) -> Result {
    let mut levels: Vec<OpenText> = Vec::new();
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
                let hidden =
                    parent.as_ref().is_some_and(|level| level.kind == Enclosure::Repr && !level.first);
                let mut flat = false;
                if let Some(level) = parent.as_deref_mut().filter(|_| !hidden) {
                    let (named, nameless) = (level.named, level.nameless);
                    (level.named, level.nameless) = (false, false);
                    flat = nameless && matches!(token, Token::Struct(_));
                    if !named && !flat {
                        level.comma(f)?;
                    }
                }
                // The second form of a value, for a replay, is not written.
                if hidden {
                    skip_rest(&mut tokens, token);
                } else if flat {
                    let first = parent.is_some_and(|level| level.first);
                    levels.push(OpenText::new(Enclosure::Flat, first));
                } else if levels.len() >= MAX_DEPTH && opens(token) {
                    f.write_str("...")?;
                    skip_rest(&mut tokens, token);
                } else if !write_uuid(f, token, &mut tokens)? {
                    open_or_scalar(f, token, &tokens, &mut levels)?;
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
fn close(f: &mut Formatter<'_>, levels: &mut Vec<OpenText>) -> Result {
    let Some(closed) = levels.pop() else { return Ok(()) };
    match closed.kind {
        Enclosure::Braces => f.write_char('}'),
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
fn open_or_scalar(
    f: &mut Formatter<'_>,
    token: Token<'_>,
    tokens: &Tokens<'_, '_>,
    levels: &mut Vec<OpenText>,
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
            levels.push(OpenText::new(if count == 1 { Enclosure::Pointer } else { Enclosure::Braces }, true));
            Ok(())
        }
        Token::Struct(_) => {
            levels.push(OpenText::new(Enclosure::Braces, true));
            f.write_char('{')
        }
        Token::Repr => {
            levels.push(OpenText::new(Enclosure::Repr, true));
            Ok(())
        }
        Token::Member(_) | Token::End => Ok(()),
    }
}

/// Writes a structure named `GUID` of eleven numbers as `uuid(…)`, as the tool does. Returns whether it was one; then
/// `tokens` is behind it.
fn write_uuid(
    f: &mut Formatter<'_>,
    token: Token<'_>,
    tokens: &mut Tokens<'_, '_>,
) -> core::result::Result<bool, core::fmt::Error> {
    let Token::Struct(id) = token else { return Ok(false) };
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
    write!(f, "uuid({a:08x}-{b:04x}-{c:04x}-{d0:02x}{d1:02x}-")?;
    tail.iter().try_for_each(|number| write!(f, "{number:02x}"))?;
    f.write_char(')')?;
    *tokens = ahead;
    Ok(true)
}

/// Writes a bitmask as its names with ` | ` between them. Bits without a name come last, in hexadecimal.
fn write_bitmask(f: &mut Formatter<'_>, signature: Option<BitmaskSignature<'_>>, mut value: u64) -> Result {
    let mut first = true;
    let flags = signature.into_iter().flat_map(|known| known.flags());
    for (name, bits) in flags.take(MAX_FLAGS) {
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

/// Writes a character of a text, escaped as the tool does.
fn write_char(f: &mut Formatter<'_>, unit: u64) -> Result {
    match u8::try_from(unit) {
        Ok(b'"') => f.write_str("\\\""),
        Ok(b'\\') => f.write_str("\\\\"),
        Ok(byte @ (b'\t' | b'\r' | b'\n' | b' '..=b'~')) => f.write_char(char::from(byte)),
        _ => {
            // A bug of the tool, kept so that outputs compare: it writes the middle digit twice and the top one never.
            let (low, middle) = (unit & 7, unit >> 3 & 7);
            if middle == 0 { write!(f, "\\{low}") } else { write!(f, "\\{middle}{middle}{low}") }
        }
    }
}

/// Writes a float with the given number of significant digits, as `%g` of C does.
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

/// Removes the zeros at the end of a fraction.
fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// Returns a name as text, cut at [`MAX_NAME`].
fn lossy(name: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(name.get(..MAX_NAME).unwrap_or(name))
}
