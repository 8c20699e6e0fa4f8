//! The checksum of gzip: CRC-32, as RFC 1952 has it.

/// The change of the sum by a byte, by how many bytes of an 8-byte word follow it.
// Eight tables let one step take 8 bytes whose look-ups do not depend on each other ("slicing by 8").
static TABLES: [[u32; 256]; 8] = tables();

/// Returns the checksum of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let look_up = |distance: usize, byte: u8| {
        TABLES.get(distance).and_then(|table| table.get(usize::from(byte))).copied().unwrap_or_default()
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let mut sum = u32::MAX;
    for &[a, b, c, d, e, f, g, h] in words {
        let [s, t, u, v] = sum.to_le_bytes();
        sum = look_up(7, a ^ s) ^ look_up(6, b ^ t) ^ look_up(5, c ^ u) ^ look_up(4, d ^ v);
        sum ^= look_up(3, e) ^ look_up(2, f) ^ look_up(1, g) ^ look_up(0, h);
    }
    for &byte in rest {
        let [low, ..] = sum.to_le_bytes();
        sum = sum >> 8 ^ look_up(0, byte ^ low);
    }
    !sum
}

#[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "evaluated at build time")]
const fn tables() -> [[u32; 256]; 8] {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut distance = 1;
    while distance < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[distance - 1][byte];
            tables[distance][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        distance += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_check_value_of_the_polynomial() {
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b"The quick brown fox jumps over the lazy dog"), 0x414F_A339);
    }
}
