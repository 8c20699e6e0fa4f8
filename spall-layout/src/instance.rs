//! Rectangles in the form of a GPU's vertex buffer. [layout 16](crate::rules::layout#16)

use crate::{Rect, Viewport};

/// A rectangle as an instance of a vertex buffer: 16 bytes without padding.
///
/// With the feature `zerocopy`, a slice of instances is also a slice of bytes without a copy: `instances.as_bytes()`.
///
/// ```
/// use spall_layout::{Viewport, Instance, Row, RowId};
/// use spall_model::{SliceId, Tick};
/// let mut row = Row::new();
/// row.push(Tick(24), Tick(66), SliceId(0));
/// let viewport = Viewport::new(Tick(4)..Tick(84), 10); // 8 ticks a column
/// let mut rects = Vec::new();
/// row.view(RowId(0)).rects(&viewport, &mut rects);
/// let instance = Instance::new(&rects[0], &viewport, 3, 0xff00_00ff);
/// assert_eq!((instance.x0, instance.x1, instance.line), (2.5, 7.75, 3));
/// ```
///
/// All visible lines in one buffer, with a colour for each name:
///
/// ```
/// use spall_layout::{ColorKey, Viewport, Instance, Layout, Theme, Vertical, VerticalStyle};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, duration) in [("frame", 0, 100), ("update", 10, 30), ("draw", 40, 50)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(duration)));
/// # }
/// # let trace = builder.finish();
/// # let layout = Layout::new(&trace);
/// # let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
/// # let (mut rects, mut instances) = (Vec::new(), Vec::new());
/// // Once per trace.
/// let color = |name: &[u8]| {
///     let [red, green, blue] = ColorKey::without_digits(name).rgb(Theme::Dark);
///     u32::from_le_bytes([red, green, blue, 255])
/// };
/// let colors: Vec<u32> = trace.names().iter().map(color).collect();
///
/// // For each picture.
/// let viewport = Viewport::new(Tick(0)..Tick(100), 20);
/// vertical.rects(0..vertical.height(), &layout, &viewport, &mut rects);
/// instances.clear();
/// instances.extend(rects.iter().map(|found| {
///     let name = trace.slices().names()[found.rect.slice.index()];
///     Instance::new(&found.rect, &viewport, found.line.0, colors[name.index()])
/// }));
/// assert_eq!(instances.len(), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "zerocopy", derive(zerocopy::IntoBytes, zerocopy::Immutable))]
#[repr(C)]
#[non_exhaustive]
pub struct Instance {
    /// The left edge in columns, counted from the start of the viewport. It is at least −1, because column 0 may begin
    /// before the viewport.
    pub x0: f32,
    /// The right edge in columns, counted from the start of the viewport.
    pub x1: f32,
    /// The line, or any other number from which the shader gets the height.
    pub line: u32,
    /// The colour, or any other number from which the shader gets it.
    pub color: u32,
}

const _: () = assert!(size_of::<Instance>() == 16);

impl Instance {
    /// Creates the instance of a rectangle.
    ///
    /// A rectangle that stands for one slice gets the edges of the slice. A rectangle that stands for several slices
    /// gets the edges of its columns. `line` and `color` are passed on as they are.
    #[must_use]
    pub fn new(rect: &Rect, viewport: &Viewport, line: u32, color: u32) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let (x0, x1) =
            if rect.count == 1 { (rect.left, rect.right) } else { (rect.x0 as f32, rect.x1 as f32) };
        let offset = viewport.offset();
        Self { x0: x0 - offset, x1: x1 - offset, line, color }
    }
}
