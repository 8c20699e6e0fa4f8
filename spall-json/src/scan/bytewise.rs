//! The reference implementation of the searches, which looks at one byte after the other.

/// Returns the position of the first byte at or after `from` that is `wanted`.
fn find(data: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    Some(from + data.get(from..)?.iter().position(|&byte| wanted(byte))?)
}

/// Returns the position of the first `"` at or after `from`.
pub(crate) fn quote(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, |byte| byte == b'"')
}

/// Returns the position of the first `"` or `\` at or after `from`.
pub(crate) fn string_special(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, |byte| matches!(byte, b'"' | b'\\'))
}

/// Returns the position of the first `"`, `{`, `}`, `[` or `]` at or after `from`.
pub(crate) fn structural(data: &[u8], from: usize) -> Option<usize> {
    find(data, from, |byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))
}

/// Returns the value and the number of the decimal digits that begin `text`, at most sixteen.
pub(crate) fn leading_digits(text: &[u8]) -> (u64, usize) {
    let digits = text.iter().take(16).take_while(|byte| byte.is_ascii_digit());
    digits.fold((0, 0), |(value, count), digit| (value * 10 + u64::from(digit - b'0'), count + 1))
}
