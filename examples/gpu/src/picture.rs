//! The buffers of a picture: boxes and letters, in pixels.

use spall_trace::layout::{
    ColorKey, Ellipsis, Instance, Layout, LineRect, Theme, Vertical, VerticalStyle, Viewport, fit_chars,
};
use spall_trace::model::{Trace, TraceView};
use zerocopy::{Immutable, IntoBytes};

use crate::letters;

/// The heights of lines in pixels.
pub const STYLE: VerticalStyle<'_> = VerticalStyle { process: 24, track: 20, row: 17, ..VerticalStyle::FLAT };

const THEME: Theme = Theme::Light;

/// What a picture shows. The shader draws each element as a quad of two triangles.
pub struct Picture {
    /// In pixels, which are columns of the layout.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The slices. The line of an instance is its upper edge in pixels; boxes are a pixel less high than rows.
    pub boxes: Vec<Instance>,
    /// The labels, letter by letter.
    pub letters: Vec<Letter>,
}

/// A letter of a label: 16 bytes, like an instance.
#[derive(Clone, Copy, IntoBytes, Immutable)]
#[repr(C)]
pub struct Letter {
    pub x: f32,
    pub y: f32,
    /// The position in the atlas of [`letters`].
    pub letter: u32,
    pub color: u32,
}

impl Picture {
    /// Fills the buffers with what is visible between the top and `height`.
    pub fn new(
        trace: &Trace,
        layout: &Layout,
        vertical: &Vertical,
        viewport: &Viewport,
        height: u32,
    ) -> Self {
        let mut rects = Vec::new();
        vertical.rects(0..height.into(), layout, viewport, &mut rects);
        let (width, boxes) = (viewport.columns(), Vec::with_capacity(rects.len()));
        let mut picture = Self { width, height, boxes, letters: Vec::new() };
        for found in &rects {
            picture.add_box(trace, viewport, found);
        }
        for line in vertical.visible(0..height.into()) {
            let label = line.label(trace).unwrap_or_default();
            let y = line.bottom() as f32 - letters::HEIGHT as f32;
            picture.add_label(&label, 4.0, y, width as f32, u32::from_le_bytes([0x24, 0x29, 0x2f, 255]));
        }
        picture
    }

    /// Adds a slice, or several that share columns, and its label.
    fn add_box(&mut self, trace: &Trace, viewport: &Viewport, LineRect { rect, top, .. }: &LineRect) {
        let name = trace.slice_name(rect.slice);
        let [red, green, blue] = ColorKey::without_digits(name.as_bytes()).rgb(THEME);
        // What is only busy in part is paler: 70, 80, 90 or 100 %.
        let alpha = if rect.count == 1 { 255 } else { [179, 204, 230, 255][usize::from(rect.busy >> 14)] };
        // Whole columns, each a pixel: column 0 begins at the left edge of the picture, and may begin before the range.
        // A gap sets neighbours of one colour apart.
        let gap = if rect.x1 - rect.x0 < 3 { 0.0 } else { 0.5 };
        let x0 = rect.x0 as f32;
        let x1 = rect.x1 as f32 - gap;
        let color = u32::from_le_bytes([red, green, blue, alpha]);
        let mut shape = Instance::new(rect, viewport, *top as u32, color);
        (shape.x0, shape.x1) = (x0, x1);
        self.boxes.push(shape);
        let [red, green, blue] = THEME.text();
        self.add_label(
            &name,
            x0 + 3.0,
            *top as f32,
            x1 - x0 - 6.0,
            u32::from_le_bytes([red, green, blue, 255]),
        );
    }

    /// Adds as much of a text as fits into `room` pixels.
    fn add_label(&mut self, text: &str, x: f32, y: f32, room: f32, color: u32) {
        let width = letters::WIDTH as f32;
        let Some(label) = fit_chars(text, (room / width) as usize, Ellipsis::End) else { return };
        for (letter, number) in label.to_string().chars().zip(0_u16..) {
            // Letters stand on whole pixels, as the atlas has them.
            let x = (x + f32::from(number) * width).round();
            self.letters.push(Letter { x, y, letter: letters::position(letter), color });
        }
    }
}
