//! The walk over the values of a file, which hands over each span as soon as its end is found.

use alloc::vec::Vec;

use spall_model::DiagnosticKind;

use super::File;
use crate::lexer::{self, KeyToken, Token, TokenError};

/// What is done with a value.
pub(super) enum Step<R> {
    /// Its members or items are looked at, which have this role.
    Into(R),
    /// It is read as a whole.
    Whole,
    /// It is stepped over.
    Over,
}

/// What the objects and arrays of a format are.
pub(super) trait Format<'a> {
    /// The role of an object or an array.
    type Role: Copy;

    /// The role of the values of the file.
    const ROOT: Self::Role;

    /// Returns what is done with an object or an array that is an item of an array, or a value of the file.
    fn item(&mut self, file: &mut File<'a, '_>, role: Self::Role, at: usize) -> Step<Self::Role>;

    /// Returns what is done with a member of an object that begins at `object`, if it is an object or an array.
    fn member(
        &mut self,
        file: &mut File<'a, '_>,
        role: Self::Role,
        object: usize,
        key: &KeyToken,
    ) -> Step<Self::Role>;

    /// Reads an item that is read as a whole.
    fn read(&mut self, file: &mut File<'a, '_>, role: Self::Role, item: Token);
}

/// The most objects and arrays inside one another that are looked into, twice as many as any format has. A reader may step over all
/// of an object before its members are looked at.
const DEEPEST: usize = 16;

/// How often all of a file is stepped over at most, for values that turn out to be broken.
const MOST_TRIES: usize = 16;

/// An object or an array that is open.
struct Open<R> {
    role: R,
    /// Where the object begins; `None` for an array.
    object: Option<usize>,
}

/// Reads the values of a file, which stand one behind the other. A value that is broken is reported, and reading goes on at
/// the next line that begins with one.
pub(super) fn read_values<'a, F: Format<'a>>(file: &mut File<'a, '_>, format: &mut F) {
    let data = file.data;
    let mut pos = if data.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut open = Vec::new();
    let mut tried = 0_usize;
    while let Some((start, byte)) = lexer::skip_blanks(data, pos) {
        if byte == b',' {
            pos = start + 1;
            continue;
        }
        open.clear();
        let mut good = start;
        let result = match byte {
            b'{' | b'[' => value(file, format, start, &mut open, &mut good),
            _ => Err(TokenError::Damaged(start)),
        };
        pos = match result {
            Ok(end) => end,
            Err(error) => {
                let reached = match error {
                    TokenError::Incomplete => data.len(),
                    TokenError::Damaged(at) => at,
                };
                tried = tried.saturating_add(reached.saturating_sub(good));
                let is_given_up = tried / MOST_TRIES > data.len();
                let next = next_value(data, good).filter(|_| !is_given_up);
                let kind = match (error, next) {
                    (TokenError::Incomplete, None) => DiagnosticKind::Truncated,
                    _ if matches!(byte, b'{' | b'[') => DiagnosticKind::DamagedRecord,
                    _ => DiagnosticKind::Junk,
                };
                let end = next.unwrap_or(data.len());
                file.report(kind, (good, end));
                end
            }
        };
    }
}

/// Returns the beginning of the next line that begins with a value.
fn next_value(data: &[u8], from: usize) -> Option<usize> {
    let rest = data.get(from..)?;
    memchr::memchr_iter(b'\n', rest)
        .map(|at| from + at + 1)
        .find(|&line| matches!(data.get(line), Some(b'{' | b'[')))
}

/// Walks over one value, and returns its end. `good` is set to the last place up to which it is whole.
fn value<'a, F: Format<'a>>(
    file: &mut File<'a, '_>,
    format: &mut F,
    start: usize,
    open: &mut Vec<Open<F::Role>>,
    good: &mut usize,
) -> Result<usize, TokenError> {
    let data = file.data;
    let mut pos = start;
    let step = format.item(file, F::ROOT, start);
    apply(file, format, F::ROOT, (start, step), open, &mut pos)?;
    while let Some(&Open { role, object }) = open.last() {
        *good = pos;
        let found = match object {
            Some(object) => lexer::next_key(data, &mut pos)?.map(|key| (key.value, Some((object, key)))),
            None => match lexer::item_start(data, pos) {
                Some(at) => Some((at, None)),
                None => {
                    pos = lexer::array_end(data, pos)?;
                    None
                }
            },
        };
        let Some((at, member)) = found else {
            let _ = open.pop();
            continue;
        };
        let is_nested = matches!(data.get(at), Some(b'{' | b'['));
        let step = match member {
            _ if !is_nested => Step::Over,
            Some((object, key)) => format.member(file, role, object, &key),
            None => format.item(file, role, at),
        };
        apply(file, format, role, (at, step), open, &mut pos)?;
    }
    Ok(pos)
}

/// Does with the value at `at` what is to be done, and moves `pos` into it or behind it.
fn apply<'a, F: Format<'a>>(
    file: &mut File<'a, '_>,
    format: &mut F,
    role: F::Role,
    (at, step): (usize, Step<F::Role>),
    open: &mut Vec<Open<F::Role>>,
    pos: &mut usize,
) -> Result<(), TokenError> {
    let data = file.data;
    match step {
        Step::Into(_) if open.len() >= DEEPEST => {
            let token = lexer::token(data, at)?;
            file.report(DiagnosticKind::DeepValue, (token.start, token.end));
            *pos = token.end;
        }
        Step::Into(role) => {
            open.push(Open { role, object: (data.get(at) == Some(&b'{')).then_some(at) });
            *pos = at + 1;
        }
        Step::Whole => {
            let token = lexer::token(data, at)?;
            format.read(file, role, token);
            *pos = token.end;
        }
        Step::Over => *pos = lexer::token(data, at)?.end,
    }
    Ok(())
}
