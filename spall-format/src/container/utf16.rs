//! The decoder of text in UTF-16. [profiles 6.1](spall_model::rules::profiles#6.1)

use super::{DecodeFailure, Output};

/// Decodes text behind a byte order mark to UTF-8. What is no character becomes U+FFFD.
pub(super) fn decode(data: &[u8], output: &mut Output) -> Result<(), DecodeFailure> {
    let unit = match data {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Err(DecodeFailure::Junk { from: 0 }),
    };
    let (units, rest) = data.get(2..).unwrap_or_default().as_chunks();
    let text = char::decode_utf16(units.iter().map(|&bytes| unit(bytes)));
    let (mut at, mut buffer) = (2, [0; 4]);
    for character in text {
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        output.reserve(character.len_utf8(), at)?;
        output.bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        at += 2 * character.len_utf16();
    }
    if rest.is_empty() { Ok(()) } else { Err(DecodeFailure::Truncated { from: data.len() - rest.len() }) }
}
