//! Byte by byte.

fn find(data: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    Some(from + data.get(from..)?.iter().position(|&byte| wanted(byte))?)
}

/// The first `"` or `\` at or after `from`.
pub(crate) fn string_special(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, |byte| matches!(byte, b'"' | b'\\'))
}

/// The first `"`, `{`, `}`, `[` or `]` at or after `from`.
pub(crate) fn structural(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, |byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))
}
