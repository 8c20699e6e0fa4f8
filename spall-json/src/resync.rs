//! Where reading goes on behind damage, and what belongs to no event. \[json 2\]

use crate::lexer::{self, Stop};

/// The next brace at or after `pos` that follows a comma or a closing brace, strings not respected: whether a quote
/// opens or closes one is just what is in doubt. `start` is before `pos`.
pub(crate) fn next_object(data: &[u8], start: usize, pos: usize) -> Option<usize> {
    let skipped = data.get(start..pos).unwrap_or_default();
    let mut before = skipped.iter().rev().copied().find(|&byte| !lexer::is_blank(byte)).unwrap_or(0);
    for (at, &byte) in data.iter().enumerate().skip(pos) {
        if byte == b'{' && matches!(before, b',' | b'}') {
            return Some(at);
        }
        if !lexer::is_blank(byte) {
            before = byte;
        }
    }
    None
}

/// Whether what follows a closing bracket fits the end of the list of events. After damage, nothing but the end of the
/// document or a further key does. `None` if the data does not say.
pub(crate) fn ends_list(data: &[u8], pos: usize, in_object: bool, doubtful: bool) -> Option<bool> {
    let (at, byte) = lexer::skip_blanks(data, pos)?;
    Some(match byte {
        b',' if in_object => lexer::skip_blanks(data, at + 1)?.1 == b'"',
        b',' => lexer::skip_blanks(data, at + 1)?.1 != b'{',
        b'}' if in_object => match lexer::skip_blanks(data, at + 1)?.1 {
            b',' | b'{' => false,
            _ => !doubtful,
        },
        _ => !in_object && !doubtful,
    })
}

/// The end of the comment that begins at `pos`, if one does.
pub(crate) fn comment_end(data: &[u8], pos: usize) -> Option<Result<usize, Stop>> {
    if data.get(pos) != Some(&b'/') {
        return None;
    }
    let rest = data.get(pos + 2..).unwrap_or_default();
    let end = match data.get(pos + 1) {
        None => return Some(Err(Stop::Incomplete)),
        Some(b'/') => memchr::memchr(b'\n', rest),
        Some(b'*') => memchr::memmem::find(rest, b"*/").map(|end| end + 2),
        Some(_) => return None,
    };
    Some(end.map(|end| pos + 2 + end).ok_or(Stop::Incomplete))
}
