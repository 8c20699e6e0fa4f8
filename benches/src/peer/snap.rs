//! The snappy container of apitrace, decoded and nothing else.
//!
//! Every block is decoded over the one before, in memory that stays in the cache. Our side makes one stream of all of
//! them, for calls to borrow from, and pays for making room.

/// Returns the number of bytes that the blocks of a container decode to, or 0 if they cannot be decoded.
#[must_use]
pub fn decoded_bytes(file: &[u8]) -> usize {
    let mut decoder = snap::raw::Decoder::new();
    let mut block = vec![0; 1 << 20];
    let mut total = 0;
    let mut rest = file.strip_prefix(b"at").unwrap_or_default();
    while let Some((length, tail)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some((compressed, tail)) = tail.split_at_checked(length) else { return 0 };
        match decoder.decompress(compressed, &mut block) {
            Ok(decoded) => total += decoded,
            Err(_) => return 0,
        }
        rest = tail;
    }
    total
}
