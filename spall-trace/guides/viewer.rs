// What the examples of the guide go on with.

/// Returns the trace of the guide, its layout, its lines without headers, all of its time in so many columns, and the
/// rectangles of this picture.
fn picture(
    columns: u16,
) -> (
    spall_trace::model::Trace<'static>,
    spall_trace::layout::Layout,
    spall_trace::layout::Vertical,
    spall_trace::layout::Viewport,
    Vec<spall_trace::layout::LineRect>,
) {
    use spall_trace::{layout, model::TraceView};

    const FILE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/guides/viewer.json"));
    let trace = spall_trace::load(FILE).unwrap();
    let rows = layout::Layout::new(&trace, &layout::LayoutOptions::default());
    let vertical = layout::Vertical::new(&trace, &rows, &layout::VerticalStyle::FLAT);
    let viewport = layout::Viewport::new(trace.bounds().unwrap(), columns);
    let mut rects = Vec::new();
    vertical.rects(0..vertical.height(), &rows, &[], &viewport, &mut rects);
    (trace, rows, vertical, viewport, rects)
}
