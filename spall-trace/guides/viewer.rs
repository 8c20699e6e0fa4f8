// What the examples of the guide go on with: its trace, the layout, the lines without headers, all of its time in so many
// columns, and the rectangles of this picture.
|columns: u16| {
    use spall_trace::{layout, model::TraceView};

    const FILE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/guides/viewer.json"));
    let (trace, rows) = spall_trace::lay_out(spall_trace::load(FILE).unwrap());
    let vertical = layout::Vertical::new(&trace, &rows, &layout::VerticalStyle::FLAT);
    let viewport = layout::Viewport::new(trace.bounds().unwrap(), columns);
    let mut rects = Vec::new();
    vertical.rects(0..vertical.height(), &rows, &viewport, &mut rects);
    (trace, rows, vertical, viewport, rects)
}
