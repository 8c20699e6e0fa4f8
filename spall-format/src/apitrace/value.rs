//! Values, walked without recursion. \[apitrace C.4\]

use alloc::vec::Vec;

use super::input::Stop;
use super::signature::{
    Access, Names, Signatures, View, integer, meet_bitmask, meet_enumeration, meet_structure,
};
use crate::FormatErrorKind;
use crate::cursor::Cursor;

/// A step of a walk over a value.
///
/// What encloses others comes before them and is closed by [`Token::End`]. The values of a structure are preceded by
/// [`Token::Member`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Token<'a> {
    /// A null pointer.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer, of at most 65 bits.
    Integer(i128),
    /// A 32-bit float.
    Float(f32),
    /// A 64-bit float.
    Double(f64),
    /// A text of unknown encoding, which may hold NUL.
    Text(&'a [u8]),
    /// A text of wide characters, undecoded.
    Wide(WideText<'a>),
    /// Bytes.
    Blob(&'a [u8]),
    /// A value of the enum with the given id.
    Enum(u64, i128),
    /// A value of the bitmask with the given id.
    Bitmask(u64, u64),
    /// An address.
    Pointer(u64),
    /// An array of so many values follows.
    Array(u64),
    /// The structure with the given id follows.
    Struct(u64),
    /// The name of the member of a structure that follows.
    Member(&'a [u8]),
    /// A value for people and then the same for machines follow.
    Repr,
    /// The end of an array, a structure, or both forms of a value.
    End,
}

/// Wide characters as the traced program had them: UTF-32 on Linux, UTF-16 on Windows. \[apitrace C.3.7\]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WideText<'a> {
    bytes: &'a [u8],
}

impl<'a> WideText<'a> {
    /// The text up to the first unit that is NUL or beyond ASCII: those units are a byte of the stream each.
    #[must_use]
    pub fn ascii_prefix(&self) -> &'a [u8] {
        let end = self.bytes.iter().position(|&byte| byte == 0 || byte >= 0x80).unwrap_or(self.bytes.len());
        self.bytes.get(..end).unwrap_or_default()
    }

    /// The units of the text.
    pub fn units(&self) -> impl Iterator<Item = u64> + use<'a> {
        let mut input = Cursor::new(self.bytes, 0);
        core::iter::from_fn(move || input.uint().ok())
    }
}

/// What encloses the next token.
#[derive(Debug, Clone, Copy)]
enum Level<'a> {
    /// So many values to come.
    Values(u64),
    /// Members to come, and whether the name of the next one was handed out.
    Members { names: &'a [u8], left: u64, named: bool },
}

/// A walk over one value. Takes a step for each token; its memory is proportional to the depth.
#[derive(Debug, Clone)]
pub(super) struct Walk<'a> {
    levels: Vec<Level<'a>>,
    begun: bool,
    version: u64,
}

impl<'a> Walk<'a> {
    pub(super) const fn new(version: u64) -> Self {
        Self { levels: Vec::new(), begun: false, version }
    }

    /// The next token of the value at `input`; `None` behind its end.
    pub(super) fn next(
        &mut self,
        input: &mut Cursor<'a>,
        access: &mut impl Access<'a>,
    ) -> Result<Option<Token<'a>>, Stop> {
        match self.levels.last_mut() {
            None if self.begun => return Ok(None),
            None => self.begun = true,
            Some(Level::Values(0) | Level::Members { left: 0, .. }) => {
                self.levels.pop();
                return Ok(Some(Token::End));
            }
            Some(Level::Values(left)) => *left -= 1,
            Some(Level::Members { names, left, named }) => {
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
        let token = scalar_or_open(input, access, self.version)?;
        match token {
            Token::Array(count) => self.levels.push(Level::Values(count)),
            Token::Repr => self.levels.push(Level::Values(2)),
            Token::Struct(id) => {
                let names = access.signatures().structure(id).map_or(Names::default(), |known| known.members);
                self.levels.push(Level::Members { names: names.bytes(), left: names.len(), named: false });
            }
            _ => {}
        }
        Ok(Some(token))
    }
}

/// Steps over one value and all it holds, taking in the signatures that are said in it.
pub(super) fn skip<'a>(
    input: &mut Cursor<'a>,
    access: &mut impl Access<'a>,
    version: u64,
) -> Result<(), Stop> {
    // What encloses what does not matter here, only how many values are still to come. A number that does not fit is
    // more than a stream can hold anyway.
    let mut left = 1_u64;
    while left > 0 {
        left = (left - 1).saturating_add(skip_head(input, access, version)?);
    }
    Ok(())
}

/// Steps over a value, or the head of one that holds others; says how many values follow inside it.
///
/// The same walk as [`scalar_or_open`] without making anything of the values.
#[inline]
fn skip_head<'a>(input: &mut Cursor<'a>, access: &mut impl Access<'a>, version: u64) -> Result<u64, Stop> {
    match input.u8()? {
        0x00..=0x02 => {}
        0x03 | 0x04 | 0x0d => input.uint().map(drop)?,
        0x05 => input.array::<4>().map(drop)?,
        0x06 => input.array::<8>().map(drop)?,
        0x07 | 0x08 => input.text().map(drop)?,
        0x09 => {
            let id = input.uint()?;
            meet_enumeration(id, input, access, version)?;
            if version >= 3 {
                integer(input)?;
            }
        }
        0x0a => {
            let id = input.uint()?;
            meet_bitmask(id, input, access, version)?;
            input.uint()?;
        }
        0x0b => return input.uint(),
        0x0c => {
            let id = input.uint()?;
            meet_structure(id, input, access, version)?;
            return Ok(access.signatures().structure(id).map_or(0, |known| known.members.len()));
        }
        0x0e => return Ok(2),
        0x0f => {
            let count = input.uint()?;
            input.repeated(count, |input| input.uint().map(drop))?;
        }
        tag => return Err(Stop::Bad(FormatErrorKind::UnknownValue { tag })),
    }
    Ok(0)
}

fn scalar_or_open<'a>(
    input: &mut Cursor<'a>,
    access: &mut impl Access<'a>,
    version: u64,
) -> Result<Token<'a>, Stop> {
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
        0x09 => enumeration(input, access, version)?,
        0x0a => {
            let id = input.uint()?;
            meet_bitmask(id, input, access, version)?;
            Token::Bitmask(id, input.uint()?)
        }
        0x0b => Token::Array(input.uint()?),
        0x0c => {
            let id = input.uint()?;
            meet_structure(id, input, access, version)?;
            Token::Struct(id)
        }
        0x0d => Token::Pointer(input.uint()?),
        0x0e => Token::Repr,
        0x0f => {
            let count = input.uint()?;
            Token::Wide(WideText { bytes: input.repeated(count, |input| input.uint().map(drop))? })
        }
        tag => return Err(Stop::Bad(FormatErrorKind::UnknownValue { tag })),
    })
}

/// Before version 3 an enum's id stands for one value, said where the id is first met. \[apitrace C.3.3\]
fn enumeration<'a>(
    input: &mut Cursor<'a>,
    access: &mut impl Access<'a>,
    version: u64,
) -> Result<Token<'a>, Stop> {
    let id = input.uint()?;
    meet_enumeration(id, input, access, version)?;
    let value = if version < 3 {
        access.signatures().enumeration(id).and_then(|known| known.only_value()).unwrap_or(0)
    } else {
        integer(input)?
    };
    Ok(Token::Enum(id, value))
}

/// The tokens of one value that was read before.
#[derive(Debug, Clone)]
pub struct Tokens<'s, 'a> {
    walk: Walk<'a>,
    input: Cursor<'a>,
    signatures: &'s Signatures<'a>,
}

impl<'s, 'a> Tokens<'s, 'a> {
    pub(super) fn new(input: Cursor<'a>, signatures: &'s Signatures<'a>, version: u64) -> Self {
        Self { walk: Walk::new(version), input, signatures }
    }

    /// The signatures that the tokens refer to.
    #[must_use]
    pub fn signatures(&self) -> &'s Signatures<'a> {
        self.signatures
    }
}

impl<'a> Iterator for Tokens<'_, 'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.walk.next(&mut self.input, &mut View(self.signatures)).ok().flatten()
    }
}
