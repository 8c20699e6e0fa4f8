//! The text of calls as `apitrace dump -v --thread-ids` 11.1 prints it, so that our reading can be compared with that of
//! the tool. Texts are printed byte by byte, with the habits and the bugs of the tool.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};
use core::fmt::Write as _;
use core::iter::Peekable;

use crate::apitrace::call::Call;
use crate::apitrace::detail::Detail;
use crate::apitrace::signature::{BacktraceFrame, Signatures};
use crate::apitrace::value::{Token, Tokens};

/// Returns the line of a call, with the lines of its backtrace.
pub(super) fn line(call: &Call, signatures: Signatures<'_, '_>) -> String {
    let function = call.function(signatures);
    let mut out = format!("{} @{:x} {}(", call.number, call.thread, name(function.name));
    for (index, argument) in function.args.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        _ = write!(out, "{comma}{} = ", name(argument));
        match call.details.argument(index as u64, signatures) {
            Some(tokens) => value(&mut out, &mut tokens.peekable(), signatures),
            None => out.push('?'),
        }
    }
    out.push(')');
    let returned = call.details.iter(signatures).filter_map(|detail| match detail {
        Detail::Return(at) => Some(Tokens::new(at, signatures)),
        _ => None,
    });
    if let Some(tokens) = returned.last() {
        out.push_str(" = ");
        value(&mut out, &mut tokens.peekable(), signatures);
    }
    let remarks = [(call.is_fake, " fake"), (call.left.is_none(), " incomplete")];
    if call.is_fake || call.left.is_none() {
        out.push_str(" //");
    }
    remarks.iter().filter(|(holds, _)| *holds).for_each(|(_, remark)| out.push_str(remark));
    if let Some(frames) = call.backtrace(signatures) {
        out.push_str("\nBacktrace:");
        frames.for_each(|frame| out.push_str(&frame_line(&frame)));
    }
    out
}

/// Returns a line such as `module: function+0x2a: file:7`. A module that is not known is `?`.
fn frame_line(frame: &BacktraceFrame<'_>) -> String {
    let mut out = format!("\n{}", frame.module.map_or("?".to_owned(), name));
    if let Some(function) = frame.function {
        _ = write!(out, ": {}", name(function));
    }
    if let Some(offset) = frame.offset {
        _ = write!(out, "+{offset:#x}");
    }
    if let Some(file) = frame.file {
        _ = write!(out, ": {}", name(file));
        if let Some(line) = frame.line {
            _ = write!(out, ":{line}");
        }
    }
    out
}

/// Returns a name up to the first NUL, which ends texts in C.
fn name(name: &[u8]) -> String {
    String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap()).into_owned()
}

/// Writes the next value of `tokens`.
fn value(out: &mut String, tokens: &mut Peekable<Tokens<'_, '_>>, signatures: Signatures<'_, '_>) {
    match tokens.next().unwrap() {
        Token::Null => out.push_str("NULL"),
        Token::Bool(value) => _ = write!(out, "{value}"),
        Token::Integer(value) => _ = write!(out, "{value}"),
        Token::Float(value) => out.push_str(&float(f64::from(value), 7)),
        Token::Double(value) => out.push_str(&float(value, 16)),
        Token::Text(text) => {
            _ = write!(out, "\"{}\"", escaped(text.iter().map(|&byte| u32::from(byte))));
        }
        // The tool keeps 32 bits of a unit.
        Token::Wide(text) => _ = write!(out, "L\"{}\"", escaped(text.units().map(|unit| unit as u32))),
        Token::Blob(bytes) => _ = write!(out, "blob({})", bytes.len()),
        Token::Enum(id, value) => match signatures.enumeration(id).and_then(|known| known.name(value)) {
            Some(text) => out.push_str(&name(text)),
            None => _ = write!(out, "{value}"),
        },
        Token::Bitmask(id, bits) => bitmask(out, id, bits, signatures),
        Token::Pointer(address) => _ = write!(out, "{address:#x}"),
        // A list of one value is written as a pointer to it.
        Token::Array(count) => {
            out.push_str(if count == 1 { "&" } else { "{" });
            for index in 0..count {
                out.push_str(if index > 0 { ", " } else { "" });
                value(out, tokens, signatures);
            }
            assert_eq!(tokens.next(), Some(Token::End));
            out.push_str(if count == 1 { "" } else { "}" });
        }
        Token::Struct(id) => {
            if !uuid(out, id, tokens, signatures) {
                let mut all = Vec::new();
                members(&mut all, tokens, signatures);
                _ = write!(out, "{{{}}}", all.join(", "));
            }
        }
        // The first form is for people, the second one for a replay.
        Token::Repr => {
            value(out, tokens, signatures);
            value(&mut String::new(), tokens, signatures);
            assert_eq!(tokens.next(), Some(Token::End));
        }
        token => panic!("{token:?} begins no value"),
    }
}

/// Writes the members up to the end of a structure. Those of a structure without a name belong to the outer one, and
/// another value without a name is left out.
fn members(out: &mut Vec<String>, tokens: &mut Peekable<Tokens<'_, '_>>, signatures: Signatures<'_, '_>) {
    while let Some(Token::Member(member)) = tokens.next() {
        let (member, mut text) = (name(member), String::new());
        if member.is_empty() && matches!(tokens.peek(), Some(Token::Struct(_))) {
            tokens.next();
            members(out, tokens, signatures);
            continue;
        }
        value(&mut text, tokens, signatures);
        if !member.is_empty() {
            out.push(format!("{member} = {text}"));
        }
    }
}

/// Writes the rest of a structure as `uuid(…)` if its name is `GUID` and it has eleven numbers. Returns whether it was
/// one.
fn uuid(
    out: &mut String,
    id: u64,
    tokens: &mut Peekable<Tokens<'_, '_>>,
    signatures: Signatures<'_, '_>,
) -> bool {
    if signatures.structure(id).is_none_or(|known| known.name != b"GUID") {
        return false;
    }
    // A copy looks ahead: only at the end is it certain that the structure has the expected form.
    let (mut ahead, mut numbers, mut depth) = (tokens.clone(), Vec::new(), 1);
    while depth > 0 {
        match ahead.next() {
            Some(Token::Integer(number)) => numbers.push(number as u32),
            Some(Token::Array(_)) => depth += 1,
            Some(Token::End) => depth -= 1,
            Some(Token::Member(_)) => {}
            _ => return false,
        }
    }
    let [a, b, c, d @ ..] = &numbers[..] else { return false };
    let Ok([d0, d1, tail @ ..]) = <[u32; 8]>::try_from(d).map(|d| d.map(|part| part & 0xff)) else {
        return false;
    };
    _ = write!(out, "uuid({a:08x}-{:04x}-{:04x}-{d0:02x}{d1:02x}-", b & 0xffff, c & 0xffff);
    tail.iter().for_each(|part| _ = write!(out, "{part:02x}"));
    out.push(')');
    *tokens = ahead;
    true
}

/// Writes a bitmask as its names with ` | ` between them. Bits without a name come last, in hexadecimal.
fn bitmask(out: &mut String, id: u64, mut bits: u64, signatures: Signatures<'_, '_>) {
    let mut names = Vec::new();
    for (text, flag) in signatures.bitmask(id).unwrap().flags() {
        if if flag == 0 { bits == 0 } else { bits & flag == flag } {
            names.push(name(text));
            bits &= !flag;
        }
        if bits == 0 {
            break;
        }
    }
    if bits != 0 || names.is_empty() {
        names.push(format!("{bits:#x}"));
    }
    out.push_str(&names.join(" | "));
}

/// Returns the characters of a text up to the first NUL, escaped as the tool does.
fn escaped(units: impl Iterator<Item = u32>) -> String {
    let mut out = String::new();
    for unit in units.take_while(|&unit| unit != 0) {
        match u8::try_from(unit) {
            Ok(byte @ (b'"' | b'\\')) => out.extend(['\\', char::from(byte)]),
            Ok(b'\r') => {}
            Ok(byte @ (b'\t' | b'\n' | b' '..=b'~')) => out.push(char::from(byte)),
            _ => {
                // A bug of the tool: it writes the middle digit twice and the top one never.
                let (low, middle) = (unit & 7, unit >> 3 & 7);
                _ = if middle == 0 { write!(out, "\\{low}") } else { write!(out, "\\{middle}{middle}{low}") };
            }
        }
    }
    out
}

/// Returns a float as `%.7g` or `%.16g` of C prints it.
fn float(value: f64, n_digits: usize) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let value = value.abs();
    if value.is_nan() {
        return format!("{sign}nan");
    }
    let scientific = format!("{value:.*e}", n_digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return format!("{sign}inf") };
    let exponent: i32 = exponent.parse().unwrap();
    let without_zeros = |text: String| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    if (-4..n_digits as i32).contains(&exponent) {
        let n_decimals = (n_digits as i32 - 1 - exponent) as usize;
        return format!("{sign}{}", without_zeros(format!("{value:.n_decimals$}")));
    }
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}e{exponent_sign}{:02}", without_zeros(mantissa.to_owned()), exponent.abs())
}
