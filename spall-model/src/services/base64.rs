//! Bytes as text of 64 characters.

use alloc::vec::Vec;

/// Returns the bytes that a text in base64 stands for, in the usual alphabet or in that of addresses. Padding may lack. Returns
/// `None` for any other text.
///
/// ```
/// use spall_model::services::decode_base64;
///
/// assert_eq!(decode_base64(b"AP8B").as_deref(), Some(&[0, 255, 1][..]));
/// assert_eq!(decode_base64(b"_w==").as_deref(), Some(&[255][..]));
/// assert_eq!(decode_base64(b"A"), None);
/// ```
#[must_use]
pub fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let unpadded = text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text);
    if unpadded.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(unpadded.len() / 4 * 3 + 2);
    for group in unpadded.chunks(4) {
        let mut bits = 0_u32;
        for &character in group {
            bits = bits << 6 | u32::from(value_of(character)?);
        }
        bits <<= 6 * (4 - group.len());
        let [_, decoded @ ..] = bits.to_be_bytes();
        bytes.extend(decoded.iter().take(group.len() - 1));
    }
    Some(bytes)
}

fn value_of(character: u8) -> Option<u8> {
    match character {
        b'A'..=b'Z' => Some(character - b'A'),
        b'a'..=b'z' => Some(character - b'a' + 26),
        b'0'..=b'9' => Some(character - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
