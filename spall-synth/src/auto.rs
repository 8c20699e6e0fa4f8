//! The generator of native auto traces of spall. [spall A.7]

#![allow(clippy::unwrap_used, reason = "inputs are those of tests")]

/// Returns the header of a file, with the nanoseconds per tick, the address at which the program was loaded, and its
/// path.
///
/// # Panics
/// This panics if the path is longer than 65535 bytes.
#[must_use]
pub fn header(ns_per_tick: f64, base: u64, path: &str) -> Vec<u8> {
    let mut bytes = 0xabad_f00d_u64.to_le_bytes().to_vec();
    bytes.extend(3_u64.to_le_bytes());
    bytes.extend(ns_per_tick.to_le_bytes());
    bytes.extend(base.to_le_bytes());
    bytes.extend(u16::try_from(path.len()).unwrap().to_le_bytes());
    bytes.extend(path.bytes());
    bytes
}

/// Returns a buffer with the given records of one thread. Its hint of their depth is the greatest possible one.
///
/// # Panics
/// This panics if the records take 4 GiB or more.
#[must_use]
pub fn buffer(tid: u32, first_ts: u64, records: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(records.len()).unwrap().to_le_bytes().to_vec();
    bytes.extend(tid.to_le_bytes());
    bytes.extend(first_ts.to_le_bytes());
    bytes.extend(u32::MAX.to_le_bytes());
    bytes.extend(records);
    bytes
}

/// Returns a file with every kind of record and every length of number, in two buffers with an empty one between them.
#[must_use]
pub fn sample() -> Vec<u8> {
    let first = [
        &[0b0000_0000, 1, 0x11, 0x22][..],
        &[0b0001_0101, 2, 0, 0x01, 0xff, 0xee, 0xdd],
        &[0b0110_0000, 1, 0, 0, 0],
        &[0b1001_0011, 3, 2, 0, 1, 0, b'o', b'k', b'a'],
        &[0b0100_0000, 9],
    ]
    .concat();
    let second =
        [&[0b0011_1111][..], &[1; 8], &[2; 8], &[3; 8], &[0b0111_0000], &[0, 0, 0, 0, 0, 0, 0, 1]].concat();
    [header(0.5, 0x10, "/bin/x"), buffer(7, 100, &first), buffer(8, 0, b""), buffer(7, 200, &second)].concat()
}
