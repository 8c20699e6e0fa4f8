//! The comparison of two traces by everything that they hold: also the numbers of names, flags and diagnostics, which the
//! equality of traces leaves out.

use spall_trace::model::{Trace, TraceView};

/// Checks that two traces have the same tables, entry by entry.
///
/// # Panics
/// When they differ.
pub fn assert_identical(a: &Trace, b: &Trace, what: &str) {
    assert!(a == b, "{what}: the facts differ");
    assert!(a.names().iter().eq(b.names().iter()), "{what}: the names, or their numbers, differ");
    assert_eq!(a.diagnostics(), b.diagnostics(), "{what}");
    assert_eq!(a.conventions(), b.conventions(), "{what}");
    let (x, y) = (a.slices(), b.slices());
    assert!(x.starts() == y.starts() && x.ends() == y.ends(), "{what}: the times of slices differ");
    assert!(x.names() == y.names() && x.categories() == y.categories(), "{what}: the names of slices differ");
    assert!(x.flags() == y.flags(), "{what}: the flags of slices differ");
    // With the numbers of names and of arguments.
    let tables = |trace: &Trace| {
        [
            format!("{:?}", trace.processes()),
            format!("{:?}", trace.tracks()),
            format!("{:?}", trace.instants()),
            format!("{:?}", trace.counters()),
            format!("{:?}", trace.states()),
            format!("{:?}", trace.flows()),
            format!("{:?}", trace.objects()),
            format!("{:?}", trace.snapshots()),
            format!("{:?}", trace.profiles()),
            format!("{:?}", trace.frames()),
            format!("{:?}", trace.samples()),
            format!("{:?}", trace.call_sites()),
            format!("{:?}", trace.meta()),
            format!("{:?}", trace.others()),
        ]
    };
    for (a, b) in tables(a).iter().zip(tables(b)) {
        assert_eq!(*a, b, "{what}");
    }
}
