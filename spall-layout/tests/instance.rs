//! Instances of a vertex buffer as bytes. \[layout 16\]
#![cfg(all(feature = "alloc", feature = "zerocopy"))]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use spall_layout::Instance;
use zerocopy::{FromBytes, IntoBytes};

#[test]
fn layout_16_1_instances_are_16_bytes_without_padding() {
    let instances = [
        Instance { x0: 1.5, x1: 2.0, line: 7, color: 0x1234_5678 },
        Instance { x0: -1.0, x1: 0.0, line: 0, color: 0 },
    ];
    let bytes = instances.as_bytes();
    assert_eq!(bytes.len(), 32);
    assert_eq!(bytes.get(..4).unwrap(), 1.5_f32.to_ne_bytes());
    assert_eq!(bytes.get(8..12).unwrap(), 7_u32.to_ne_bytes());
    assert_eq!(<[Instance; 2]>::read_from_bytes(bytes).unwrap(), instances);
}
