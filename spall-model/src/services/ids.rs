//! The ids of traces and spans. [otel 2.1](crate::rules::otel#2.1)

use alloc::{borrow::Cow, vec::Vec};

use super::decode_base64;

/// The ids of a span, as they are shown; each is empty if there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpanIds {
    /// The id of the trace.
    pub trace: Vec<u8>,
    /// The id of the span in its trace.
    pub span: Vec<u8>,
    /// The id of its parent.
    pub parent: Vec<u8>,
}

/// The longest id in hexadecimal digits.
const MAX_DIGITS: usize = 32;

fn put_hex(bytes: &[u8], id: &mut Vec<u8>) {
    let digit = |value: u8| b"0123456789abcdef".get(usize::from(value)).copied().unwrap_or(b'0');
    id.extend(bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]));
}

/// Sets an id of OTLP in protocol buffers: `length` bytes. Returns `false` for one of another length, which is kept.
#[must_use]
pub fn bytes_id(bytes: &[u8], length: usize, id: &mut Vec<u8>) -> bool {
    id.clear();
    if bytes.iter().any(|&byte| byte != 0) {
        put_hex(bytes, id);
    }
    bytes.is_empty() || bytes.len() == length
}

/// Sets an id of OTLP in JSON: `length` bytes as hexadecimal digits or in base64. Returns `false` for any other text, which is
/// kept as it stands.
///
/// ```
/// use spall_model::services::otlp_id;
///
/// let mut id = Vec::new();
/// assert!(otlp_id(b"EEE19B7EC3C10001", 8, &mut id) && id == b"eee19b7ec3c10001");
/// assert!(otlp_id(b"7uGbfsPBAAE=", 8, &mut id) && id == b"eee19b7ec3c10001");
/// assert!(otlp_id(b"0000000000000000", 8, &mut id) && id.is_empty());
/// assert!(!otlp_id(b"span 1", 8, &mut id) && id == b"span 1");
/// ```
#[must_use]
pub fn otlp_id(text: &[u8], length: usize, id: &mut Vec<u8>) -> bool {
    id.clear();
    if text.iter().all(|&digit| digit == b'0') {
        return text.is_empty() || text.len() == 2 * length;
    }
    if text.len() == 2 * length && text.iter().all(u8::is_ascii_hexdigit) {
        id.extend(text.iter().map(u8::to_ascii_lowercase));
        return true;
    }
    // The characters of base64 with and without padding.
    let is_base64 = text.len() == length.div_ceil(3) * 4 || text.len() == (length * 4).div_ceil(3);
    match decode_base64(text).filter(|bytes| is_base64 && bytes.len() == length) {
        Some(bytes) => bytes_id(&bytes, length, id),
        None => {
            id.extend(text);
            false
        }
    }
}

/// Sets an id of Jaeger or Zipkin: hexadecimal digits. Returns `false` for any other text, which is kept as it stands.
#[must_use]
pub fn hex_id(text: &[u8], id: &mut Vec<u8>) -> bool {
    id.clear();
    let is_hex = text.len() <= MAX_DIGITS && text.iter().all(u8::is_ascii_hexdigit);
    if text.iter().any(|&digit| digit != b'0') {
        id.extend_from_slice(text);
        if is_hex {
            id.make_ascii_lowercase();
        }
    }
    is_hex
}

/// Returns what is compared of an id: some writers drop the zeros in front.
#[must_use]
pub fn comparable(id: &[u8]) -> Cow<'_, [u8]> {
    if !id.iter().all(u8::is_ascii_hexdigit) {
        return Cow::Borrowed(id);
    }
    let digits = id.iter().position(|&digit| digit != b'0').and_then(|first| id.get(first..));
    let digits = digits.unwrap_or_default();
    match digits.iter().any(u8::is_ascii_uppercase) {
        true => Cow::Owned(digits.to_ascii_lowercase()),
        false => Cow::Borrowed(digits),
    }
}
