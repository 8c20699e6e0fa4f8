//! Recordings of apitrace in the snappy container: to calls, against the decompression alone.

use criterion::{Criterion, criterion_group, criterion_main};
use spall_benches::measure::bench;
use spall_benches::{input, ours};

#[cfg(feature = "snap")]
/// The number of decompressed bytes in the container.
const DECODED_BYTES: usize = 2_616_356;

fn apitrace(criterion: &mut Criterion) {
    let Some(input) = &input::apitrace() else { return };
    bench(criterion, "spall-format/apitrace-calls", input, input.records, |data| {
        (ours::apitrace_calls(data), ())
    });
    #[cfg(feature = "snap")]
    bench(criterion, "snap/decode", input, DECODED_BYTES, |data| {
        (spall_benches::peer::snap::decoded_bytes(data), ())
    });
}

criterion_group!(benches, apitrace);
criterion_main!(benches);
