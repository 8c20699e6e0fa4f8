//! Rectangles as a GPU takes them. \[layout 16\]

use crate::{Frame, Rect};

/// A rectangle as an instance of a vertex buffer: 16 bytes, no padding. With the feature `zerocopy` a slice of them is
/// bytes without a copy: `instances.as_bytes()`.
///
/// ```
/// use spall_layout::{Fidelity, Frame, Instance, Row, RowId, Scratch};
/// use spall_model::{SliceId, Tick};
/// let mut row = Row::new();
/// row.push(Tick(24), Tick(66), SliceId(0));
/// let frame = Frame::new(Tick(4)..Tick(84), 10, Fidelity::Fast); // 8 ticks a column
/// let mut rects = Vec::new();
/// row.view(RowId(0)).rects(&frame, &mut Scratch::new(), &mut rects);
/// let instance = Instance::new(&rects[0], &frame, 3, 0xff00_00ff);
/// assert_eq!((instance.x0, instance.x1, instance.line), (2.5, 7.75, 3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "zerocopy",
    derive(zerocopy::IntoBytes, zerocopy::FromBytes, zerocopy::Immutable, zerocopy::KnownLayout)
)]
#[repr(C)]
pub struct Instance {
    /// Left edge, in columns from where the view begins. From −1 on.
    pub x0: f32,
    /// Right edge.
    pub x1: f32,
    /// The line, or whatever the shader gets the vertical place from.
    pub line: u32,
    /// The colour, or whatever the shader gets it from.
    pub color: u32,
}

const _: () = assert!(size_of::<Instance>() == 16);

impl Instance {
    /// The instance of a rectangle. One that stands for a single slice has that slice's own edges, any other the
    /// edges of its columns.
    #[must_use]
    pub fn new(rect: &Rect, frame: &Frame, line: u32, color: u32) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let (x0, x1) =
            if rect.count == 1 { (rect.left, rect.right) } else { (rect.x0 as f32, rect.x1 as f32) };
        let offset = frame.offset();
        Self { x0: x0 - offset, x1: x1 - offset, line, color }
    }
}
