//! Draws a trace into a PNG file with a GPU, or with a driver that does without: `spall-gpu FILE OUT.png [WIDTH]`.

use std::{error::Error, fs::File, io::BufWriter};

use spall_gpu::{Gpu, Picture, STYLE};
use spall_trace::layout::{Vertical, Viewport};
use spall_trace::model::TraceView;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (path, out, width) = match arguments.as_slice() {
        [path, out] => (path, out, 1350),
        [path, out, width] => (path, out, width.to_string_lossy().parse()?),
        _ => return Err("usage: spall-gpu FILE OUT.png [WIDTH]".into()),
    };
    let (trace, layout) = spall_trace::open_file(path)?;
    let vertical = Vertical::new(&trace, &layout, &STYLE);
    let gpu = Gpu::new()?;
    let bounds = trace.bounds().ok_or("the trace is empty")?;
    let viewport = Viewport::fit(bounds, width, 0);
    let height = vertical.height().clamp(1, gpu.max_size().into()) as u32;
    let picture = Picture::new(&trace, &layout, &vertical, &viewport, height);
    let pixels = gpu.draw(&picture)?;
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(out)?), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&pixels)?;
    println!("{}: {} boxes, {} letters", gpu.name(), picture.boxes.len(), picture.letters.len());
    Ok(())
}
