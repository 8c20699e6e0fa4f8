//! The arguments of a call as an event carries them: as a record, which can be read without the stream. [apitrace
//! C.5.6](crate::rules::apitrace#C.5.6)
//!
//! A record has the bytes that the stream has for the call, with everything that is defined elsewhere in its place. It
//! consists of
//!
//! 1. the number of arguments that the function has, as one byte below 128;
//! 2. their names, each as a length and the text;
//! 3. the arguments and the returned value, as details of version 2 of the encoding. An enum of this version stands for
//!    one value, whose name stands beside it. A bitmask and binary data are such enums too, named as they are printed.
//!
//! A call whose record would be too long has its text instead, which the byte 255 precedes.

use alloc::vec::Vec;
use core::fmt;

use spall_model::{Args, ArgsFormat, LazyText, Text, TextFormat, Value, no_entry};

use super::call::{Call, DetailPlaces, Details, PlainCall};
use super::detail::{Detail, read_detail};
use super::fast_scan::FastScan;
use super::signature::{Collecting, Names, SignatureTable, Signatures};
use super::text::{write_arguments, write_scalar};
use super::text_out::{BoundedText, TextOut, Utf8};
use super::value::{Token, Tokens};
use crate::cursor::Cursor;

/// The encoding of a record: one argument `text`, which is printed when somebody asks for it.
static CALL: ArgsFormat = ArgsFormat { name: "apitrace call", args: next_entry, fields: no_entry };
static CALL_TEXT: TextFormat = TextFormat { name: "apitrace call", write: write_text };

/// The version of the encoding of details.
const VERSION: u64 = 2;
/// The byte before a text that stands in the place of a record.
const IS_TEXT: u8 = 0xff;

fn next_entry<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    let rest = bytes.get(*pos..).filter(|rest| !rest.is_empty())?;
    *pos = bytes.len();
    Some((Text::plain(b"text"), Value::LazyText(LazyText::new(rest, &CALL_TEXT))))
}

/// Returns the greatest length of the record of a call: 32 bytes plus 4 times the bytes of the call.
#[inline]
fn limit(call: &Call) -> usize {
    let size = (call.enter.end - call.enter.start) + call.leave.map_or(0, |leave| leave.end - leave.start);
    usize::try_from(size.saturating_mul(4).saturating_add(32)).unwrap_or(usize::MAX)
}

/// Returns the arguments and the returned value of a plain call, as [`arguments`] does. Most calls have the same bytes in
/// the stream, which are copied.
#[inline]
pub(super) fn plain_arguments<'m>(
    plain: &PlainCall,
    names: Names<'_>,
    signatures: Signatures<'_, '_>,
    memory: &'m mut Vec<u8>,
) -> Args<'m> {
    let details = plain.details.clone().map(|part| signatures.stream.get(part).unwrap_or_default());
    let is_plain = u64::from(plain.n_arguments) <= names.len();
    if is_plain && copy(names, details, limit(&plain.call), memory) {
        args(memory)
    } else {
        arguments(&plain.call, names, signatures, memory)
    }
}

/// Writes a record whose details have the same bytes in the stream. Returns whether it is within the limit.
#[inline]
fn copy(names: Names<'_>, [enter, leave]: [&[u8]; 2], limit: usize, memory: &mut Vec<u8>) -> bool {
    let Some(count) = n_arguments(names) else { return false };
    let names = names.bytes();
    if 1 + names.len() + enter.len() + leave.len() > limit {
        return false;
    }
    memory.clear();
    memory.push(count);
    [names, enter, leave].into_iter().for_each(|part| memory.extend_from_slice(part));
    true
}

/// Returns the number of arguments of a function as a record has it, or `None` if there are too many.
#[inline]
fn n_arguments(names: Names<'_>) -> Option<u8> {
    u8::try_from(names.len()).ok().filter(|&count| count < 128)
}

/// Returns a record as the arguments of an event. There are none if the function has no arguments and returned nothing.
#[inline]
fn args(record: &[u8]) -> Args<'_> {
    if record == [0] { Args::NONE } else { Args::new(record, &CALL) }
}

/// Returns the arguments and the returned value of a call, whose arguments have the given names, as a record in `memory`.
pub(super) fn arguments<'m>(
    call: &Call,
    names: Names<'_>,
    signatures: Signatures<'_, '_>,
    memory: &'m mut Vec<u8>,
) -> Args<'m> {
    memory.clear();
    let limit = limit(call);
    let mut record =
        RecordWriter { out: BoundedText { text: memory, limit }, n_enums: 0, structures: Vec::new() };
    if record.call(call.details, names, signatures).is_err() {
        memory.clear();
        memory.push(IS_TEXT);
        // An error means that the limit was reached. The text up to there stays.
        let out = &mut BoundedText { text: memory, limit: limit.saturating_add(1) };
        let _ = write_arguments(out, names, call.details, signatures);
    }
    args(memory)
}

/// A record that is being written.
struct RecordWriter<'m> {
    out: BoundedText<'m>,
    n_enums: u64,
    /// The ids of the structures whose signatures were written. The record has their positions as ids.
    structures: Vec<u64>,
}

impl RecordWriter<'_> {
    fn call(
        &mut self,
        details: DetailPlaces,
        names: Names<'_>,
        signatures: Signatures<'_, '_>,
    ) -> fmt::Result {
        let count = n_arguments(names).ok_or(fmt::Error)?;
        self.out.put(&[count])?;
        self.out.put(names.bytes())?;
        details.events().try_for_each(|at| self.details(at, u64::from(count), signatures))
    }

    /// Writes the details of an event. What has the same bytes in a record is copied in one piece.
    fn details(&mut self, at: usize, n_arguments: u64, signatures: Signatures<'_, '_>) -> fmt::Result {
        let stream = signatures.stream;
        let mut piece = at..at;
        for (detail, end) in (Details { pos: at, signatures }) {
            let value = match detail {
                // An argument beyond those of the signature is not printed.
                Detail::Argument(index, at) if index < n_arguments => Some(at),
                Detail::Return(at) => Some(at),
                _ => None,
            };
            if value.is_some_and(|at| is_plain(stream, at)) {
                piece.end = end;
                continue;
            }
            self.out.put(stream.get(piece.start..value.unwrap_or(piece.end)).unwrap_or_default())?;
            if let Some(at) = value {
                self.value(at, signatures)?;
            }
            piece = end..end;
        }
        self.out.put(stream.get(piece).unwrap_or_default())
    }

    /// Writes the value at a position of the stream.
    fn value(&mut self, at: usize, signatures: Signatures<'_, '_>) -> fmt::Result {
        let Signatures { table, stream } = signatures;
        if stream.get(at) == Some(&0x09)
            && let Some((id, value, _)) = (FastScan { stream, signatures: table }).enum_value(at)
        {
            return self.enum_value(id, value, signatures);
        }
        Tokens::new(at, signatures).try_for_each(|token| self.token(token, signatures))
    }

    fn token(&mut self, token: Token<'_>, signatures: Signatures<'_, '_>) -> fmt::Result {
        match token {
            Token::Null => self.out.put(&[0]),
            Token::Bool(value) => self.out.put(&[1 + u8::from(value)]),
            Token::Integer(value) => self.integer(value),
            Token::Float(value) => {
                self.out.put(&[5])?;
                self.out.put(&value.to_le_bytes())
            }
            Token::Double(value) => {
                self.out.put(&[6])?;
                self.out.put(&value.to_le_bytes())
            }
            Token::Text(text) => {
                self.out.put(&[7])?;
                self.text(text)
            }
            Token::Pointer(address) => {
                self.out.put(&[0x0d])?;
                self.uint(address)
            }
            Token::Wide(text) => {
                self.out.put(&[0x0f])?;
                self.uint(text.units().count() as u64)?;
                self.out.put(text.bytes())
            }
            Token::Enum(id, value) => self.enum_value(id, value, signatures),
            Token::Bitmask(..) | Token::Blob(_) => {
                let mut text = Vec::new();
                let out = &mut BoundedText { text: &mut text, limit: self.out.limit };
                write_scalar(out, token, signatures)?;
                self.named(&text)
            }
            Token::Array(count) => {
                self.out.put(&[0x0b])?;
                self.uint(count)
            }
            Token::Struct(id) => self.structure(id, signatures),
            Token::Repr => self.out.put(&[0x0e]),
            Token::Member(_) | Token::End => Ok(()),
        }
    }

    fn integer(&mut self, value: i128) -> fmt::Result {
        self.out.put(&[if value < 0 { 3 } else { 4 }])?;
        self.uint(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX))
    }

    fn enum_value(&mut self, id: u64, value: i128, signatures: Signatures<'_, '_>) -> fmt::Result {
        match signatures.enumeration(id).and_then(|known| known.name(value)) {
            Some(name) => self.named(name),
            None => self.integer(value),
        }
    }

    /// Writes an enum with one value, which is 0 and has this name.
    fn named(&mut self, name: &[u8]) -> fmt::Result {
        self.out.put(&[9])?;
        self.uint(self.n_enums)?;
        self.n_enums += 1;
        self.text(name)?;
        self.out.put(&[4, 0])
    }

    /// Writes the head of a structure. Its members follow.
    fn structure(&mut self, id: u64, signatures: Signatures<'_, '_>) -> fmt::Result {
        let known = self.structures.iter().position(|&known| known == id);
        self.out.put(&[0x0c])?;
        self.uint(known.unwrap_or(self.structures.len()) as u64)?;
        if known.is_none() {
            self.structures.push(id);
            self.out.put(signatures.structure_bytes(id).unwrap_or_default())?;
        }
        Ok(())
    }

    fn text(&mut self, text: &[u8]) -> fmt::Result {
        self.uint(text.len() as u64)?;
        self.out.put(text)
    }

    fn uint(&mut self, mut value: u64) -> fmt::Result {
        while value >= 0x80 {
            let [low, ..] = value.to_le_bytes();
            self.out.put(&[low | 0x80])?;
            value >>= 7;
        }
        let [low, ..] = value.to_le_bytes();
        self.out.put(&[low])
    }
}

/// Returns whether the value at a position of the stream has the same bytes in a record.
fn is_plain(stream: &[u8], at: usize) -> bool {
    stream.get(at).is_some_and(|kind| matches!(kind, 0x00..=0x07 | 0x0d | 0x0f))
}

/// Writes the text of a record.
fn write_text(record: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    let out = &mut Utf8(out);
    let mut input = Cursor::new(record, 0);
    let count = match input.u8() {
        Ok(IS_TEXT) => return out.put(input.rest()),
        Ok(count) => count,
        Err(_) => return Ok(()),
    };
    let Ok(names) = Names::read(&mut input, u64::from(count)) else { return Ok(()) };
    let at = input.pos();
    let mut table = SignatureTable::new(VERSION);
    while let Ok(Some(_)) = read_detail(&mut input, &mut Collecting(&mut table)) {}
    let signatures = Signatures { table: &table, stream: record };
    write_arguments(out, names, DetailPlaces { enter: at, leave: at }, signatures)
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, string::String, vec};

    use spall_synth::apitrace::{Detail as EventDetail, Stream, Value as Written};

    use super::*;
    use crate::apitrace::reader::{CallReader, Step};

    /// Returns a value of every kind.
    fn values() -> Vec<Written> {
        let one = || vec![(String::from("ONE"), 1)];
        vec![
            Written::Null,
            Written::Bool(true),
            Written::Integer(-200),
            Written::Float(0.5),
            Written::Double(0.5),
            Written::Text(vec![b't'; 200]),
            Written::Pointer(1 << 40),
            Written::Wide(vec![200, 1 << 20]),
            Written::Blob(vec![0; 200]),
            Written::Enum(1, one(), 1),
            Written::Bitmask(2, vec![(String::from("BIT"), 1)], 1),
            Written::Array(vec![Written::Null]),
            Written::Struct(3, String::from("S"), vec![(String::from("x"), Written::Null)]),
            Written::Repr(Box::new([Written::Null, Written::Null])),
        ]
    }

    #[test]
    fn c5_plain_calls_have_the_records_of_others() {
        let mut stream = Stream::new(6, &[]);
        let mut number = 0;
        // The first round defines the signatures, so that its calls are not plain.
        for _ in 0..2 {
            for value in values() {
                for index in [1, 2, 127] {
                    let enter = [
                        EventDetail::Argument(0, Written::Null),
                        EventDetail::Argument(index, value.clone()),
                    ];
                    let leave = [EventDetail::Argument(1, value.clone()), EventDetail::Return(value.clone())];
                    stream.enter(0, (1, "f", &["a", "b"]), &enter);
                    stream.leave(number, &leave);
                    number += 1;
                }
            }
        }
        let stream = stream.bytes();
        let (mut reader, mut n_copied) = (CallReader::new(stream).unwrap(), 0);
        let (mut copied, mut written) = (Vec::new(), Vec::new());
        loop {
            let Some(plain) = reader.next_plain(stream) else {
                match reader.next(stream, true) {
                    Ok(Step::End) => break,
                    step => assert!(step.is_ok()),
                }
                continue;
            };
            let signatures = reader.signatures(stream);
            let names = signatures.function(plain.call.function_id).unwrap().args;
            if u64::from(plain.n_arguments) > names.len() {
                continue;
            }
            let details = plain.details.map(|part| &stream[part]);
            assert!(copy(names, details, limit(&plain.call), &mut copied));
            arguments(&plain.call, names, signatures, &mut written);
            assert_eq!(copied, written);
            n_copied += 1;
        }
        // Seven kinds are plain, and the function has one of the three indices. Its first call defines the function.
        assert_eq!(n_copied, 2 * 7 - 1);
    }
}
