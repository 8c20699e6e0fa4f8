//! gzip, as simple as it gets: stored, not compressed.

/// A member with `content` (at most 65535 bytes) in one stored block, its checksum left out.
#[must_use]
pub fn member(content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap_or(u16::MAX);
    let content = content.get(..usize::from(length)).unwrap_or_default();
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1];
    member.extend(length.to_le_bytes());
    member.extend((!length).to_le_bytes());
    member.extend(content);
    member.extend([0; 8]);
    member
}
