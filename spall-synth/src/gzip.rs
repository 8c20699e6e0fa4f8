//! The generator of gzip and zlib files and of zip archives, which stores the content without compressing it.

/// Returns a gzip member with the first 65535 bytes of `content` in one stored block.
#[must_use]
pub fn member(content: &[u8]) -> Vec<u8> {
    let (block, content) = stored(content);
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0];
    member.extend(block);
    member.extend(crc32(content).to_le_bytes());
    member.extend(u32::try_from(content.len()).unwrap_or(0).to_le_bytes());
    member
}

/// Returns a zlib stream with the first 65535 bytes of `content` in one stored block.
#[must_use]
pub fn zlib(content: &[u8]) -> Vec<u8> {
    let (block, content) = stored(content);
    let sums = content.iter().fold((1, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    let mut stream = vec![0x78, 0x01];
    stream.extend(block);
    stream.extend((sums.1 << 16 | sums.0).to_be_bytes());
    stream
}

/// Returns a zip archive of files, each with its name. Those whose names end in `z` are compressed, and have their sums behind
/// them.
#[must_use]
pub fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes();
    for (name, content) in files {
        let is_packed = name.ends_with('z');
        let (block, content) = if is_packed { stored(content) } else { (content.to_vec(), *content) };
        let sums = [crc32(content).to_le_bytes(), length(&block), length(content)].concat();
        archive.extend(b"PK\x03\x04\x14\0");
        archive.extend(if is_packed { [8, 0, 8, 0] } else { [0; 4] });
        archive.extend([0; 4]);
        archive.extend(if is_packed { vec![0; 12] } else { sums.clone() });
        archive.extend(u16::try_from(name.len()).unwrap_or(0).to_le_bytes());
        archive.extend([0; 2]);
        archive.extend(name.bytes());
        archive.extend(block);
        if is_packed {
            archive.extend([&b"PK\x07\x08"[..], &sums].concat());
        }
    }
    archive.extend(b"PK\x01\x02");
    archive
}

/// Returns a stored block, the last one of its stream, and the content that it has.
fn stored(content: &[u8]) -> (Vec<u8>, &[u8]) {
    let length = u16::try_from(content.len()).unwrap_or(u16::MAX);
    let content = content.get(..usize::from(length)).unwrap_or_default();
    let mut block = vec![1];
    block.extend(length.to_le_bytes());
    block.extend((!length).to_le_bytes());
    block.extend(content);
    (block, content)
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| sum >> 1 ^ (0xEDB8_8320 * (sum & 1)))
    })
}
