//! The comparison of layouts and pictures that one thread and several threads make of one trace.

use core::num::NonZeroUsize;

use spall_trace::layout::{Fidelity, Layout, LayoutOptions, LayoutView, Scratch, Vertical, Viewport};
use spall_trace::model::{Trace, TraceView};

/// Lays out and draws a trace on one thread and on several.
///
/// # Panics
/// When the layouts or pictures differ.
pub(crate) fn assert_same_pictures(trace: &Trace<'_>, what: &str) {
    let options = LayoutOptions::default();
    let layout = Layout::new(trace, &options);
    let whole = trace.bounds().unwrap_or_default();
    let vertical = Vertical::new(trace, &layout, &());
    let mut scratch = Scratch::new();
    let (mut alone, mut shared, mut rows_alone, mut rows_shared) = (vec![], vec![], vec![], vec![]);
    let viewports = [
        Viewport::new(whole.clone(), 1600, Fidelity::Fast),
        Viewport::new(whole.clone(), 90, Fidelity::Exact),
        Viewport::new(whole, 1600, Fidelity::Fast).with_box_width(3),
    ];
    let threads = || [1, 2, 3, 8].into_iter().filter_map(NonZeroUsize::new);
    for n_threads in threads() {
        let shared = Layout::new_on(n_threads, trace, &options);
        assert!(shared == layout, "{what}: layout on {n_threads} threads");
    }
    for viewport in viewports {
        let y = || 0..vertical.height();
        vertical.rects(y(), &layout, &(), &viewport, &mut scratch, &mut alone);
        rows_alone.clear();
        layout.rects(&viewport, vertical.lines(), &mut scratch, &mut rows_alone);
        for n_threads in threads() {
            vertical.rects_on(n_threads, y(), &layout, &(), &viewport, &mut scratch, &mut shared);
            assert!(shared == alone, "{what}: picture on {n_threads} threads");
            rows_shared.clear();
            layout.rects_on(n_threads, &viewport, vertical.lines(), &mut scratch, &mut rows_shared);
            assert!(rows_shared == rows_alone, "{what}: rows on {n_threads} threads");
        }
    }
}
