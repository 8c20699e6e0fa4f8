//! The generator of gzip files, which stores the content without compressing it.

/// Returns a gzip member with the first 65535 bytes of `content` in one stored block.
#[must_use]
pub fn member(content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap_or(u16::MAX);
    let content = content.get(..usize::from(length)).unwrap_or_default();
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1];
    member.extend(length.to_le_bytes());
    member.extend((!length).to_le_bytes());
    member.extend(content);
    member.extend(crc32(content).to_le_bytes());
    member.extend(u32::from(length).to_le_bytes());
    member
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| sum >> 1 ^ (0xEDB8_8320 * (sum & 1)))
    })
}
