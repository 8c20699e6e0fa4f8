//! The search for the place behind damage at which reading goes on, for lists of events, and for the ends of lists and
//! comments. [json
//! 2](crate::rules::json#2)

use crate::lexer::{self, TokenError};

/// Returns the next opening brace at or after `pos` that follows a comma or a closing brace; blanks may stand between.
/// `start` is the beginning of the damaged event.
///
/// Strings are not respected: behind damage it is not known whether a quote opens or closes one.
fn next_object(data: &[u8], start: usize, pos: usize) -> Option<usize> {
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

/// Returns where reading goes on behind the event at `start`, which is broken at `at`, and the number of commas that were
/// read there. It is the end of the event if its brackets match, else the next object that follows a comma or another
/// object. Returns `None` if the data ends before, unless it is the end of the file.
pub(crate) fn damage_end(data: &[u8], start: usize, at: usize, eof: bool) -> Option<(usize, u8)> {
    // Both searches may run to the end of the file. Doubling the window bounds them by twice the distance to the nearer
    // end, so that a file full of damage is still read in linear time.
    let mut window = at.saturating_sub(start).max(64);
    loop {
        let seen = data.get(..start.saturating_add(window)).unwrap_or(data);
        let next = next_object(seen, start, at);
        let before = data.get(..next.unwrap_or(seen.len())).unwrap_or(data);
        match (lexer::nested_end(before, start), next) {
            (Ok(end), _) => return Some((end, 0)),
            (Err(_), Some(next)) => return Some((next, 1)),
            (Err(_), None) if seen.len() < data.len() => window = window.saturating_mul(2),
            (Err(_), None) => return eof.then_some((data.len(), 1)),
        }
    }
}

/// Returns whether the closing bracket before `pos` ends the list of events, judged by what follows it, or `None` if
/// the data ends too early to say. `after_damage` is whether no event was read since the last damage: then nothing
/// but the end of the file or a further key of the document is believed.
pub(crate) fn ends_list(data: &[u8], pos: usize, in_object: bool, after_damage: bool) -> Option<bool> {
    let (at, byte) = lexer::skip_blanks(data, pos)?;
    Some(match byte {
        b',' if in_object => lexer::skip_blanks(data, at + 1)?.1 == b'"',
        b',' => lexer::skip_blanks(data, at + 1)?.1 != b'{',
        b'}' if in_object => match lexer::skip_blanks(data, at + 1)?.1 {
            b',' | b'{' => false,
            _ => !after_damage,
        },
        _ => !in_object && !after_damage,
    })
}

/// Returns the position of the next key `traceEvents` with a list that begins in `from..until`, or that the data end too early
/// to say whether there is one.
///
/// Strings are not respected: behind damage it is not known whether a quote opens or closes one.
pub(crate) fn next_event_list(data: &[u8], from: usize, until: usize) -> Result<Option<usize>, TokenError> {
    const KEY: &[u8] = b"\"traceEvents\"";
    // No byte beyond is looked at, so that reading on from place to place takes linear time.
    let end = until.saturating_add(KEY.len() - 1).min(data.len());
    let keys = memchr::memmem::find_iter(data.get(from..end).unwrap_or_default(), KEY).map(|at| from + at);
    for at in keys {
        let behind = |pos| lexer::skip_blanks(data, pos).ok_or(TokenError::Incomplete);
        let (colon, byte) = behind(at + KEY.len())?;
        if byte == b':' && behind(colon + 1)?.1 == b'[' {
            return Ok(Some(at));
        }
    }
    // The data may end inside of a key.
    let mut last = from.max(data.len().saturating_sub(KEY.len() - 1))..until.min(data.len());
    let is_cut = last.any(|at| data.get(at..).is_some_and(|cut| KEY.starts_with(cut)));
    if is_cut { Err(TokenError::Incomplete) } else { Ok(None) }
}

/// Returns the end of the comment that begins at `pos`, and `None` if none does.
pub(crate) fn comment_end(data: &[u8], pos: usize) -> Option<Result<usize, TokenError>> {
    if data.get(pos) != Some(&b'/') {
        return None;
    }
    let rest = data.get(pos + 2..).unwrap_or_default();
    let end = match data.get(pos + 1) {
        None => return Some(Err(TokenError::Incomplete)),
        Some(b'/') => memchr::memchr(b'\n', rest),
        Some(b'*') => memchr::memmem::find(rest, b"*/").map(|end| end + 2),
        Some(_) => return None,
    };
    Some(end.map(|end| pos + 2 + end).ok_or(TokenError::Incomplete))
}
