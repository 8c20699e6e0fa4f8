//! Boxes as numbers.

use serde::Serialize;
use spall_trace::layout::{Instance, Rect, Viewport};
use spall_trace::model::NameId;

use crate::Numbers;

/// Boxes of slices, states and objects, or of the nodes of a graph.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Boxes {
    /// The left and the right edge of each, in columns.
    pub edges: Numbers<f32>,
    /// [`Boxes::EACH`] numbers of each: its top, height, id, name, how many elements it stands for, and its [`Style`].
    pub numbers: Numbers<u32>,
}

/// How a box looks: the number of its colour in the lowest five bits, how much of it is busy in the next two, from a quarter to
/// four quarters, then flags, and a number in the upper bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style(pub u32);

impl Style {
    /// The slice has no end.
    pub const UNFINISHED: Self = Self(1 << 7);
    /// It was found.
    pub const HIT: Self = Self(1 << 8);
    /// It is a state of a thread. If the upper bits are 1, it is a piece of an object.
    pub const STATE: Self = Self(1 << 9);
    /// The upper bits are a change, from −31 to 31, plus 32.
    pub const CHANGE: Self = Self(1 << 10);
    /// The upper bits are the number of a colour that the file asks for.
    pub const OWN: Self = Self(1 << 11);
    const BUSY: u32 = 5;
    const UPPER: u32 = 12;

    pub(crate) fn of_shade(shade: u8) -> Self {
        Self(u32::from(shade))
    }

    pub(crate) fn of_state(shade: u8, is_object: bool) -> Self {
        Self(u32::from(shade) | Self::STATE.0 | u32::from(is_object) << Self::UPPER)
    }

    /// A change from −1 to 1.
    pub(crate) fn of_change(change: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "it is within 31")]
        let change = (31.0 * change) as i32 + 32;
        Self(Self::CHANGE.0 | change.cast_unsigned() << Self::UPPER)
    }

    pub(crate) fn with_own(self, number: u32) -> Self {
        Self(self.0 | Self::OWN.0 | number << Self::UPPER)
    }

    pub(crate) fn set(&mut self, flag: Self, is_set: bool) {
        if is_set {
            self.0 |= flag.0;
        }
    }
}

impl Boxes {
    /// How many numbers a box has.
    pub const EACH: usize = 6;

    pub(crate) fn push(
        &mut self,
        rect: &Rect,
        viewport: &Viewport,
        top: u64,
        height: u32,
        name: NameId,
        style: Style,
    ) {
        let shape = Instance::new(rect, viewport, 0, 0);
        let quarters = if rect.count == 1 { 3 } else { u32::from(rect.busy) >> 14 };
        let style = style.0 | quarters << Style::BUSY;
        let top = u32::try_from(top).unwrap_or(u32::MAX);
        self.edges.0.extend([shape.x0, shape.x1]);
        self.numbers.0.extend([top, height, rect.slice.0, name.0, rect.count, style]);
    }
}
