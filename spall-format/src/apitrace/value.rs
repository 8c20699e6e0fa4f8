//! The reader of values, which works without recursion: a file may nest values as deep as it has bytes. \[apitrace
//! C.4\]

use alloc::vec::Vec;

use super::input::ReadFailure;
use super::signature::{
    KnownOnly, Names, SignatureAccess, SignatureKind, Signatures, read_integer, skip_signature,
};
use crate::FormatErrorKind;
use crate::cursor::Cursor;

/// A part of a value: a scalar, or the start or end of a value that contains others.
///
/// Most values are one token. An array, a structure and a value in two forms consist of an opening token, the values
/// inside, and [`Token::End`]. Inside a structure, a [`Token::Member`] precedes each value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    /// A null pointer, in place of a value of any kind that the program passes by its address.
    Null,
    /// A truth value, which has a kind of its own in the stream and is no number.
    Bool(bool),
    /// An integer, of at most 65 bits: a sign and 64 bits.
    Integer(i128),
    /// A floating-point number of 32 bits.
    Float(f32),
    /// A floating-point number of 64 bits.
    Double(f64),
    /// A text of unknown encoding, which may contain NUL.
    Text(&'a [u8]),
    /// A text of wide characters, which hold more than 8 bits each.
    Wide(WideText<'a>),
    /// Binary data, such as the content of a texture or of a buffer.
    Blob(&'a [u8]),
    /// A value of an enum: the id of the enum in the [`Signatures`], and the number.
    Enum(u64, i128),
    /// A value of a bitmask: the id of the bitmask in the [`Signatures`], and the bits.
    Bitmask(u64, u64),
    /// An address in the traced program.
    Pointer(u64),
    /// The start of an array with this number of values.
    Array(u64),
    /// The start of a structure, with its id in the [`Signatures`].
    Struct(u64),
    /// The name of a member of a structure. Its value follows.
    Member(&'a [u8]),
    /// The start of a value in two forms: the first one is for people, the second one for a replay.
    Repr,
    /// The end of an array, a structure, or a value in two forms.
    End,
}

/// A text of wide characters as the traced program had them: UTF-32 on Linux, UTF-16 on Windows. [apitrace
/// C.3.7](crate::rules::apitrace#C.3.7)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WideText<'a> {
    bytes: &'a [u8],
}

impl<'a> WideText<'a> {
    /// Returns the text up to the first unit that is NUL or not ASCII.
    ///
    /// Up to there each unit is one byte of the stream, so the text can be borrowed.
    pub(super) fn ascii_prefix(&self) -> &'a [u8] {
        let end = self.bytes.iter().position(|&byte| byte == 0 || byte >= 0x80).unwrap_or(self.bytes.len());
        self.bytes.get(..end).unwrap_or_default()
    }

    /// Returns an iterator over the units of the text, which are code points of UTF-32 or code units of UTF-16.
    pub(super) fn units(&self) -> impl Iterator<Item = u64> + use<'a> {
        let mut input = Cursor::new(self.bytes, 0);
        core::iter::from_fn(move || input.uint().ok())
    }
}

/// An array, structure or value in two forms whose end was not reached yet.
#[derive(Debug, Clone, Copy)]
enum OpenValue<'a> {
    /// This many values are still to come.
    Values(u64),
    /// Members are still to come. `named` says whether the name of the next one was returned already.
    Members { names: &'a [u8], left: u64, named: bool },
}

/// An iterator over the tokens of one value. Its memory is proportional to the nesting depth of the value.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'s, 'a> {
    levels: Vec<OpenValue<'a>>,
    begun: bool,
    input: Cursor<'a>,
    signatures: Signatures<'s, 'a>,
}

impl<'s, 'a> Tokens<'s, 'a> {
    /// Creates an iterator over the value at a position of the stream.
    pub(super) fn new(at: usize, signatures: Signatures<'s, 'a>) -> Self {
        Self { levels: Vec::new(), begun: false, input: Cursor::new(signatures.stream, at), signatures }
    }

    /// Returns the next token, or `None` behind the end of the value.
    fn read(&mut self) -> Result<Option<Token<'a>>, ReadFailure> {
        match self.levels.last_mut() {
            None if self.begun => return Ok(None),
            None => self.begun = true,
            Some(OpenValue::Values(0) | OpenValue::Members { left: 0, .. }) => {
                self.levels.pop();
                return Ok(Some(Token::End));
            }
            Some(OpenValue::Values(left)) => *left -= 1,
            Some(OpenValue::Members { names, left, named }) => {
                *named = !*named;
                if *named {
                    let mut rest = Cursor::new(names, 0);
                    let name = rest.text()?;
                    *names = names.get(rest.pos()..).unwrap_or_default();
                    return Ok(Some(Token::Member(name)));
                }
                *left -= 1;
            }
        }
        let token = read_token(&mut self.input, &mut KnownOnly(self.signatures.table))?;
        match token {
            Token::Array(count) => self.levels.push(OpenValue::Values(count)),
            Token::Repr => self.levels.push(OpenValue::Values(2)),
            Token::Struct(id) => {
                let names = self.signatures.structure(id).map_or(Names::default(), |known| known.members);
                self.levels.push(OpenValue::Members {
                    names: names.bytes(),
                    left: names.len(),
                    named: false,
                });
            }
            _ => {}
        }
        Ok(Some(token))
    }
}

/// Steps over one value and everything inside it, and takes in the signatures that are defined there.
pub(super) fn skip_value(
    input: &mut Cursor<'_>,
    access: &mut impl SignatureAccess,
) -> Result<(), ReadFailure> {
    // Nesting does not matter here, only how many values are still to come: a counter replaces a stack. A count that
    // overflows is more than a stream can hold, so saturating it changes nothing.
    let mut left = 1_u64;
    while left > 0 {
        let inside = match read_token(input, access)? {
            Token::Array(count) => count,
            Token::Struct(id) => access.table().n_members(id),
            Token::Repr => 2,
            _ => 0,
        };
        left = (left - 1).saturating_add(inside);
    }
    Ok(())
}

/// Reads a scalar, or the head of a value that contains others.
#[inline]
fn read_token<'a>(
    input: &mut Cursor<'a>,
    access: &mut impl SignatureAccess,
) -> Result<Token<'a>, ReadFailure> {
    Ok(match input.u8()? {
        0x00 => Token::Null,
        0x01 => Token::Bool(false),
        0x02 => Token::Bool(true),
        0x03 => Token::Integer(-i128::from(input.uint()?)),
        0x04 => Token::Integer(i128::from(input.uint()?)),
        0x05 => Token::Float(f32::from_le_bytes(input.array()?)),
        0x06 => Token::Double(f64::from_le_bytes(input.array()?)),
        0x07 => Token::Text(input.text()?),
        0x08 => Token::Blob(input.text()?),
        0x09 => {
            let id = input.uint()?;
            skip_signature(SignatureKind::Enum, id, input, access)?;
            // Before version 3 the id of an enum stands for one value, which stands where the id is first used. \[apitrace
            // C.3.3\]
            let table = access.table();
            Token::Enum(id, if table.version < 3 { table.only_value(id) } else { read_integer(input)? })
        }
        0x0a => {
            let id = input.uint()?;
            skip_signature(SignatureKind::Bitmask, id, input, access)?;
            Token::Bitmask(id, input.uint()?)
        }
        0x0b => Token::Array(input.uint()?),
        0x0c => {
            let id = input.uint()?;
            skip_signature(SignatureKind::Structure, id, input, access)?;
            Token::Struct(id)
        }
        0x0d => Token::Pointer(input.uint()?),
        0x0e => Token::Repr,
        0x0f => {
            let count = input.uint()?;
            Token::Wide(WideText { bytes: input.repeated(count, |input| input.uint().map(drop))? })
        }
        tag => return Err(ReadFailure::Invalid(FormatErrorKind::UnknownValue { tag })),
    })
}

impl<'a> Iterator for Tokens<'_, 'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        // The value was read whole before, so there is no failure to report.
        self.read().ok().flatten()
    }
}
