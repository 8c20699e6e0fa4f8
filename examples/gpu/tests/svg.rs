//! The picture that the GPU draws is the one that `cargo spall render` draws, pixel for pixel.

use resvg::{tiny_skia, usvg};
use spall_examples::picture::{self, Scene};
use spall_gpu::{Gpu, Picture, STYLE};
use spall_trace::layout::{LineKind, Vertical, Viewport};
use spall_trace::model::Trace;

/// Where the boxes of the SVG begin, to the right of the names.
const NAMES: u32 = 230;
const COLUMNS: u16 = 1350;
/// The height of a box. Rows of the SVG are as high as those of the GPU.
const HEIGHT: u32 = STYLE.row - 1;
/// A blended colour may be rounded in two ways.
const TOLERANCE: u8 = 1;

/// Draws the boxes of a trace as an SVG. Returns the pixels and the upper edges of the rows.
///
/// What the GPU does not draw is left out: texts, because no font is given, the lines of the ruler, and the torn ends of
/// unfinished slices.
fn draw_svg(trace: &Trace) -> (tiny_skia::Pixmap, Vec<u32>) {
    let svg = picture::svg(&Scene::new(trace), "", "", &[]).replace(".line{stroke:#e4e8ec;", ".line{");
    let svg = svg.replace("l4 4l-4 4l4 4l-4 4H", "h3.5v16H");
    // A row has at least one box, whose path begins at its upper left corner.
    let boxes = svg.lines().filter(|line| line.starts_with("<path class=\"c"));
    let top = |line: &str| line.split_once(" d=\"M")?.1.split([' ', 'h']).nth(1)?.parse().ok();
    let mut tops: Vec<u32> = boxes.filter_map(top).collect();
    tops.dedup();
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).unwrap();
    let size = tree.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).unwrap();
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut pixels.as_mut());
    (pixels, tops)
}

/// Draws all rows of a trace with the GPU, without labels, over the same time as the SVG. Returns the pixels, the
/// width and the upper edges of the rows.
fn draw_gpu(trace: &Trace) -> (Vec<u8>, u32, Vec<u32>) {
    let gpu = Gpu::new().expect("a driver for Vulkan or GL, such as mesa-vulkan-drivers of Debian");
    let scene = Scene::new(trace);
    let vertical = Vertical::new(trace, &scene.layout, &STYLE);
    let viewport = Viewport::new(scene.view.clone(), COLUMNS);
    let height = u32::try_from(vertical.height()).unwrap();
    let mut picture = Picture::new(trace, &scene.layout, &vertical, &viewport, height);
    assert!(!picture.letters.is_empty());
    picture.letters.clear();
    let rows = vertical.lines().iter().filter(|line| matches!(line.kind, LineKind::Row(_)));
    let tops = rows.map(|line| u32::try_from(line.top).unwrap()).collect();
    (gpu.draw(&picture).unwrap(), picture.width, tops)
}

#[test]
fn boxes_are_those_of_the_svg() {
    let data =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spall-page/page/record.spall")).unwrap();
    let trace = spall_trace::load(&data).unwrap();
    let ((svg, svg_tops), (gpu, width, gpu_tops)) = (draw_svg(&trace), draw_gpu(&trace));
    assert_eq!(svg_tops.len(), gpu_tops.len());
    let (mut n_boxes, mut n_empty) = (0, 0);
    for (&svg_top, &gpu_top) in svg_tops.iter().zip(&gpu_tops) {
        for (x, y) in (0..width).flat_map(|x| (0..HEIGHT).map(move |y| (x, y))) {
            let expected = svg.pixel(NAMES + x, svg_top + y).unwrap();
            let expected = [expected.red(), expected.green(), expected.blue()];
            let at = 4 * ((gpu_top + y) * width + x) as usize;
            let is_same = expected.iter().zip(&gpu[at..]).all(|(a, b)| a.abs_diff(*b) <= TOLERANCE);
            assert!(is_same, "{expected:?} is {:?} at {x},{y} of row {gpu_top}", &gpu[at..at + 3]);
            *(if expected == [255; 3] { &mut n_empty } else { &mut n_boxes }) += 1;
        }
    }
    assert!(n_boxes > 10_000 && n_empty > 10_000, "{n_boxes} pixels of boxes, {n_empty} beside them");
}
