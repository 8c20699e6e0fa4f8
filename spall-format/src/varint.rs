//! Numbers of Protocol Buffers, which have seven bits in each byte.

/// Reads the number at the start of `data`, and returns it with its length in bytes. Returns `None` where the data ends
/// inside it, and for a number of more than ten bytes. Bits beyond the 64th are dropped, as every reader does.
#[inline]
pub(crate) fn varint(data: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0;
    for (&byte, at) in data.iter().take(10).zip(0..) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Some((number, at + 1));
        }
    }
    None
}
