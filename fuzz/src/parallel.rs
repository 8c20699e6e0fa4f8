//! Several threads make the trace of a file that one thread makes.

use core::num::NonZeroUsize;

use spall_trace::{Loader, model::Limits};

use crate::identical::assert_identical;

/// Loads `bytes` on one thread and on several, without limits and with narrow ones. The last byte says how large the parts
/// of the file are. Returns whether there is a trace.
///
/// # Panics
/// When the traces or errors differ.
pub fn run(bytes: &[u8]) -> bool {
    let Some((&size, bytes)) = bytes.split_last() else { return false };
    let mut narrow = Limits::default();
    (narrow.max_depth, narrow.max_slices, narrow.max_tracks, narrow.max_diagnostics) = (3, 20, 4, 5);
    let mut is_trace = false;
    for limits in [Limits::default(), narrow] {
        let alone = Loader::new().with_limits(limits.clone()).load(bytes);
        for n_threads in [2, 3, 8].into_iter().filter_map(NonZeroUsize::new) {
            let mut loader = Loader::new().with_limits(limits.clone()).with_threads(n_threads);
            loader.part_bytes = usize::from(size) + 1;
            match (&alone, loader.load(bytes)) {
                (Ok(alone), Ok(shared)) => assert_identical(alone, &shared, "on several threads"),
                (alone, shared) => {
                    let error = |result: Option<String>| result.unwrap_or_default();
                    let alone = error(alone.as_ref().err().map(ToString::to_string));
                    assert_eq!(alone, error(shared.err().map(|shared| shared.to_string())));
                }
            }
        }
        is_trace |= alone.is_ok();
    }
    is_trace
}
