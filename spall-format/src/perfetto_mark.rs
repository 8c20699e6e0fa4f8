//! Recognises the traces of Perfetto, which works without their parser.

use crate::varint::varint;

/// Returns whether data begins like a trace: with a packet whose first field is one that packets have.
///
/// JSON may begin with the same byte, a line feed. A packet is told from text by its first field, and by bytes that no
/// text has. 16 bytes are enough for nearly every file. [perfetto 1.1](crate::rules::perfetto#1.1)
///
/// ```
/// use spall_format::perfetto::is_trace;
///
/// assert!(is_trace(b"\x0a\x04\x40\x00\x50\x01"));
/// assert!(!is_trace(b"\n[{\"ph\":\"B\"}]"));
/// ```
#[must_use]
pub fn is_trace(data: &[u8]) -> bool {
    first_field(data).is_some_and(|packet| {
        let is_bracket = matches!(data.trim_ascii_start(), [b'[' | b'{', ..]);
        let is_text = |&byte: &u8| byte >= b' ' || byte.is_ascii_whitespace();
        !is_bracket || !packet.iter().all(is_text)
    })
}

/// Returns the first packet, as far as it is there, if its first field is one that packets have.
fn first_field(data: &[u8]) -> Option<&[u8]> {
    /// More bytes of a text without a control character are hardly found in a packet.
    const MAX_LOOK: usize = 256;
    let rest = data.strip_prefix(b"\x0a")?;
    let (length, n) = varint(rest)?;
    let packet = rest.get(n..)?;
    let wanted = usize::try_from(length).unwrap_or(usize::MAX).min(MAX_LOOK);
    let packet = packet.get(..wanted).unwrap_or(packet);
    let (key, n) = varint(packet)?;
    let is_known = match (key >> 3, key & 7) {
        (3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98, 0) => true,
        (3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98, _) => false,
        (1..=200 | 900..=2000, 2) => {
            let inside = packet.get(n..).and_then(varint);
            inside.is_some_and(|(inside, _)| inside < length)
        }
        _ => false,
    };
    is_known.then_some(packet)
}
